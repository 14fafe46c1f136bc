//! Reads rules from TOML.
//!
//! Must not know: where the text comes from.
//!
//! ```toml
//! preset = "guarded"
//!
//! [[rule]] tool = "shell" args = [{ at = "/command", glob = "cargo *" }] gate = "allow" reason =
//! "builds and tests are fine" ```

use std::path::Path;

use regex::Regex;

use crate::domain::call::{Consequence, EffectClass, Gate};
use crate::text::visible;

use super::document::{At, Document, Error, Place};
use super::expiry::{Deadline, duration_ms};
use super::matcher::{Matcher, Pattern, Predicate, Test};
use super::place::flatten;
use super::preset::Preset;
use super::rule::{Origin, Rule};
use super::section::Section;

/// Advice on how to write a duration.
pub const DURATION: &str = "write a number and ms, s, m, h or d, such as \"30s\"";

/// The contents of a policy table.
#[derive(Debug, Clone, Default)]
pub struct RawPolicy {
    /// The preset, if it names one.
    pub preset: Option<At<Preset>>,
    /// The deadline of questions whose rule has none.
    pub deadline: Option<At<Deadline>>,
    /// The rules, in order.
    pub rules: Vec<Rule>,
}

/// Reads a file that contains only a policy.
pub fn file(name: &str, text: &str, origin: Origin) -> Result<RawPolicy, Error> {
    let document = Document::parse(name, text)?;
    section(document.root(), origin)
}

/// Reads a policy table.
pub fn section(mut section: Section<'_, '_>, origin: Origin) -> Result<RawPolicy, Error> {
    let preset = section
        .text("preset")?
        .map(|at| preset(&section, at))
        .transpose()?;
    let deadline = deadline(&mut section)?;
    let mut rules = Vec::new();
    for table in section.tables("rule")? {
        rules.push(rule(table, origin)?);
    }
    section.finish()?;
    Ok(RawPolicy {
        preset,
        deadline,
        rules,
    })
}

/// Parses the name of a preset.
pub fn preset(section: &Section<'_, '_>, at: At<String>) -> Result<At<Preset>, Error> {
    if let Ok(value) = at.value.parse() {
        return Ok(At {
            value,
            place: at.place,
        });
    }
    let what = format!("unknown preset `{}`", visible(&at.value));
    Err(section.error(
        "preset",
        at.place,
        what,
        "use supervised, guarded, auto or read-only",
    ))
}

fn rule(mut section: Section<'_, '_>, origin: Origin) -> Result<Rule, Error> {
    let text = section.describe();
    let place = section.place();
    let gate_at = section.text("gate")?;
    let matcher = Matcher {
        tools: patterns(&mut section, "tool")?,
        servers: patterns(&mut section, "server")?,
        effects: effects(&mut section)?,
        tags: section.texts("tag")?.map(|at| at.value).unwrap_or_default(),
        args: section
            .tables("args")?
            .into_iter()
            .map(predicate)
            .collect::<Result<_, _>>()?,
    };
    let reason = section.text("reason")?.map(|at| at.value);
    let deadline = deadline(&mut section)?;
    let uses = section.number("uses", 1, u64::from(u32::MAX))?;
    let expires = expires(&mut section)?;
    section.finish()?;

    let gate = gate(&section, gate_at, &place)?;
    if let (Some(at), true) = (&uses, gate != Gate::Allow) {
        let what = "only goes with gate = \"allow\"".into();
        return Err(section.error("uses", at.place.clone(), what, "remove it"));
    }
    if let (Some(at), true) = (&deadline, gate != Gate::Ask) {
        let what = "only goes with gate = \"ask\"".into();
        return Err(section.error("deadline", at.place.clone(), what, "remove it"));
    }
    if matcher.is_empty() {
        let what = "is missing, and nothing else says which calls the rule is about".into();
        return Err(section.error("tool", place, what, "add tool = \"*\" for all of them"));
    }
    Ok(Rule {
        origin,
        place: Some(place),
        text,
        no: None,
        exact: None,
        matcher,
        gate,
        reason,
        deadline: deadline.map(|at| at.value),
        uses: uses.and_then(|at| u32::try_from(at.value).ok()),
        expires,
    })
}

fn gate(section: &Section<'_, '_>, found: Option<At<String>>, rule: &Place) -> Result<Gate, Error> {
    let Some(At { value, place }) = found else {
        let advice = "add gate = \"allow\", \"ask\" or \"deny\"";
        return Err(section.error("gate", rule.clone(), "is missing".into(), advice));
    };
    match value.as_str() {
        "allow" => Ok(Gate::Allow),
        "ask" => Ok(Gate::Ask),
        "deny" => Ok(Gate::Deny),
        other => {
            let what = format!("unknown gate `{}`", visible(other));
            Err(section.error("gate", place, what, "use allow, ask or deny"))
        }
    }
}

fn patterns(section: &mut Section<'_, '_>, key: &'static str) -> Result<Vec<Pattern>, Error> {
    let Some(At { value, place }) = section.texts(key)? else {
        return Ok(Vec::new());
    };
    value
        .iter()
        .map(|glob| Pattern::new(glob).map_err(|error| bad_glob(section, key, &place, &error)))
        .collect()
}

fn bad_glob(section: &Section<'_, '_>, key: &str, place: &Place, error: &globset::Error) -> Error {
    let what = format!("not a glob: {}", visible(&error.kind().to_string()));
    section.error(
        key,
        place.clone(),
        what,
        "use * for any text, ? for one character, {a,b} for either",
    )
}

/// What to write where an effect class is expected.
pub const EFFECT_ADVICE: &str = "use pure, read, idempotent, write or unknown";

fn effects(section: &mut Section<'_, '_>) -> Result<Vec<EffectClass>, Error> {
    let Some(At { value, place }) = section.texts("effect")? else {
        return Ok(Vec::new());
    };
    value
        .iter()
        .map(|word| {
            EffectClass::named(word).ok_or_else(|| {
                let what = format!("unknown effect class `{}`", visible(word));
                section.error("effect", place.clone(), what, EFFECT_ADVICE)
            })
        })
        .collect()
}

fn deadline(section: &mut Section<'_, '_>) -> Result<Option<At<Deadline>>, Error> {
    let after = section.text("deadline")?;
    let then = section.text("on_expiry")?;
    let Some(At { value, place }) = after else {
        let Some(then) = then else { return Ok(None) };
        let advice = "add deadline = \"5m\"";
        return Err(section.error("on_expiry", then.place, "without a deadline".into(), advice));
    };
    let Some(ms) = duration_ms(&value) else {
        let what = format!("`{}` is no duration", visible(&value));
        return Err(section.error("deadline", place, what, DURATION));
    };
    let on_expiry = match then.as_ref().map(|at| at.value.as_str()) {
        None | Some("deny") => Consequence::Deny,
        Some("halt") => Consequence::Halt,
        Some("escalate") => Consequence::Escalate,
        Some(other) => {
            let what = format!("unknown consequence `{}`", visible(other));
            let place = then.as_ref().map_or(place, |at| at.place.clone());
            return Err(section.error("on_expiry", place, what, "use deny, halt or escalate"));
        }
    };
    Ok(Some(At {
        value: Deadline { ms, on_expiry },
        place,
    }))
}

fn expires(section: &mut Section<'_, '_>) -> Result<Option<i64>, Error> {
    let Some(At { value, place }) = section.time("expires")? else {
        return Ok(None);
    };
    if let Ok(time) = value.parse::<jiff::Timestamp>() {
        return Ok(Some(time.as_millisecond()));
    }
    let what = format!("`{}` is no time with an offset from UTC", visible(&value));
    Err(section.error("expires", place, what, "write it such as 2030-01-31T12:00:00Z"))
}

fn predicate(mut section: Section<'_, '_>) -> Result<Predicate, Error> {
    let at = section.text("at")?;
    let tests = [
        glob(&mut section)?,
        regex(&mut section)?,
        exact(&mut section)?,
        range(&mut section)?,
        under(&mut section)?,
    ];
    let not = section.flag("not")?.is_some_and(|at| at.value);
    section.finish()?;
    let place = section.place();
    let Some(at) = at else {
        let advice = "add at = \"/name\", a JSON pointer into the arguments";
        return Err(section.error("at", place, "is missing".into(), advice));
    };
    if !at.value.is_empty() && !at.value.starts_with('/') {
        let what = format!("`{}` is no JSON pointer", visible(&at.value));
        return Err(section.error("at", at.place, what, "begin it with a slash, such as \"/path\""));
    }
    let mut tests = tests.into_iter().flatten();
    match (tests.next(), tests.next()) {
        (Some(test), None) => Ok(Predicate {
            at: at.value,
            test,
            not,
        }),
        (None, _) => {
            let what = "nothing to compare with".into();
            Err(section.error(
                "at",
                at.place,
                what,
                "add one of glob, regex, is, min and max, under",
            ))
        }
        (Some(_), Some(_)) => {
            let what = "more than one thing to compare with".into();
            Err(section.error("at", at.place, what, "write one table of args for each"))
        }
    }
}

fn glob(section: &mut Section<'_, '_>) -> Result<Option<Test>, Error> {
    let Some(At { value, place }) = section.text("glob")? else {
        return Ok(None);
    };
    match Pattern::new(&value) {
        Ok(pattern) => Ok(Some(Test::Glob(pattern))),
        Err(error) => Err(bad_glob(section, "glob", &place, &error)),
    }
}

fn regex(section: &mut Section<'_, '_>) -> Result<Option<Test>, Error> {
    let Some(At { value, place }) = section.text("regex")? else {
        return Ok(None);
    };
    match (Regex::new(&value), Regex::new(&format!("^(?:{value})$"))) {
        (Ok(part), Ok(whole)) => Ok(Some(Test::Regex { part, whole })),
        (Err(error), _) | (_, Err(error)) => {
            let words = error.to_string();
            let last = words.lines().last().unwrap_or("").trim_start_matches("error: ");
            let what = format!("not a regular expression: {}", visible(last));
            Err(section.error(
                "regex",
                place,
                what,
                "correct it; a literal string in single quotes needs no escapes",
            ))
        }
    }
}

fn exact(section: &mut Section<'_, '_>) -> Result<Option<Test>, Error> {
    Ok(section.value("is")?.map(|at| Test::Is(at.value)))
}

fn range(section: &mut Section<'_, '_>) -> Result<Option<Test>, Error> {
    let min = bound(section, "min")?;
    let max = bound(section, "max")?;
    Ok((min.is_some() || max.is_some()).then_some(Test::Range { min, max }))
}

fn bound(section: &mut Section<'_, '_>, key: &'static str) -> Result<Option<f64>, Error> {
    let Some(At { value, place }) = section.value(key)? else {
        return Ok(None);
    };
    match value.as_f64() {
        Some(number) => Ok(Some(number)),
        None => Err(section.error(key, place, "expected a number".into(), "write a number")),
    }
}

fn under(section: &mut Section<'_, '_>) -> Result<Option<Test>, Error> {
    let Some(At { value, place }) = section.text("under")? else {
        return Ok(None);
    };
    let path = Path::new(&value);
    match flatten(path) {
        Some(flat) if !path.is_absolute() => Ok(Some(Test::Under(flat))),
        _ => {
            let what = format!("`{}` does not stay in the workspace", visible(&value));
            Err(section.error(
                "under",
                place,
                what,
                "write a directory relative to it, \".\" for all of it",
            ))
        }
    }
}
