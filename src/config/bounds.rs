//! Resolves the limits of a run: the later layer wins, an untrusted workspace can only lower.
//!
//! Must not know: files, other settings.

use overrule_base::document::Field;
use overrule_domain::event::run::Limits;
use overrule_domain::price::trillionths;
use overrule_policy::expiry::duration_ms;
use overrule_policy::{Notice, parse};

use super::error::Error;
use super::flags::Flags;
use super::layers::{Files, Layers, flag, given, ignored, last, some};
use super::settings::LimitSettings;
use super::written::{self, MOST_PARALLEL};

/// Resolves the limits of a run.
pub(super) fn limits(layers: &mut Layers<'_>, notices: &mut Vec<Notice>) -> Result<LimitSettings, Error> {
    let mine = std::mem::take(&mut layers.user.limits);
    let mut theirs = std::mem::take(&mut layers.workspace.limits);
    if !layers.trusted {
        keep_tight(&mine, &mut theirs, &mut |key, at| {
            notices.push(ignored(key, &layers.files.workspace.place(at)));
        });
    }
    merge(layers.flags, &layers.files, mine, theirs)
}

/// Drops limits that a workspace would loosen.
fn keep_tight(mine: &written::Limits, theirs: &mut written::Limits, drop: &mut impl FnMut(&str, usize)) {
    let defaults = Limits::default();
    let most = |limit: Option<u64>| limit.unwrap_or(u64::MAX);
    let turns = mine.turns.as_ref().map_or(defaults.turns, |at| *at.get_ref());
    tighten(&mut theirs.turns, drop, "limits.turns", |limit| {
        limit.unwrap_or(u32::MAX) <= turns.unwrap_or(u32::MAX)
    });
    let tokens = mine.tokens.as_ref().map_or(defaults.tokens, |at| *at.get_ref());
    tighten(&mut theirs.tokens, drop, "limits.tokens", |limit| {
        most(*limit) <= most(tokens)
    });
    let wall = mine.wall.as_ref().map_or(defaults.wall_ms, |at| *at.get_ref());
    tighten(&mut theirs.wall, drop, "limits.wall", |limit| {
        most(*limit) <= most(wall)
    });
    let price = mine.price.as_ref().map_or(defaults.price, |at| *at.get_ref());
    tighten(&mut theirs.price, drop, "limits.price", |limit| {
        most(*limit) <= most(price)
    });
    let parallel = mine
        .parallel
        .as_ref()
        .map_or(defaults.parallel, |at| *at.get_ref());
    tighten(&mut theirs.parallel, drop, "limits.parallel", |limit| {
        *limit <= parallel
    });
}

fn merge(
    flags: &Flags,
    files: &Files,
    mine: written::Limits,
    theirs: written::Limits,
) -> Result<LimitSettings, Error> {
    let defaults = Limits::default();
    let positive = |name: &'static str, zero: bool| {
        if zero {
            Err(Error::given(
                name,
                "0 is out of range",
                "write a number of at least 1",
            ))
        } else {
            Ok(())
        }
    };
    positive("--max-turns", flags.turns == Some(0))?;
    positive("--max-tokens", flags.tokens == Some(0))?;
    if let Some(n) = flags
        .parallel
        .filter(|n| !(1..=MOST_PARALLEL).contains(&u64::from(*n)))
    {
        let advice = format!("write a number from 1 to {MOST_PARALLEL}");
        return Err(Error::given("--parallel", format!("{n} is out of range"), advice));
    }
    let wall = given(
        "--max-time",
        flags.wall.as_ref(),
        |text| duration_ms(text).filter(|ms| *ms > 0).ok_or("is no duration"),
        parse::DURATION,
    )?;
    let price = given(
        "--max-price",
        flags.price.as_ref(),
        |text| {
            trillionths(text)
                .filter(|amount| *amount > 0)
                .ok_or("is no price")
        },
        "write a number such as 0.5",
    )?;
    Ok(LimitSettings {
        parallel: last(
            defaults.parallel,
            [
                files.user(mine.parallel),
                files.workspace(theirs.parallel),
                flag("--parallel", flags.parallel),
            ],
        ),
        turns: last(
            defaults.turns,
            [
                files.user(mine.turns),
                files.workspace(theirs.turns),
                some(flag("--max-turns", flags.turns)),
            ],
        ),
        tokens: last(
            defaults.tokens,
            [
                files.user(mine.tokens),
                files.workspace(theirs.tokens),
                some(flag("--max-tokens", flags.tokens)),
            ],
        ),
        wall_ms: last(
            defaults.wall_ms,
            [
                files.user(mine.wall),
                files.workspace(theirs.wall),
                some(flag("--max-time", wall)),
            ],
        ),
        price: last(
            defaults.price,
            [
                files.user(mine.price),
                files.workspace(theirs.price),
                some(flag("--max-price", price)),
            ],
        ),
    })
}

/// Drops one limit if it would loosen.
fn tighten<T>(
    limit: &mut Field<T>,
    drop: &mut impl FnMut(&str, usize),
    key: &str,
    tightens: impl Fn(&T) -> bool,
) {
    if let Some(at) = limit.take_if(|at| !tightens(at.get_ref())) {
        drop(key, at.span().start);
    }
}
