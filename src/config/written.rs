//! The contents of one settings file, checked but not yet resolved against other files.
//!
//! Must not know: other files, the environment, flags.

use std::path::{Path, PathBuf};

use secrecy::SecretString;

use crate::model::wire::Wire;
use crate::policy::document::{At, Document, Error};
use crate::policy::expiry::duration_ms;
use crate::policy::parse::{self, DURATION};
use crate::policy::{Origin, Place, Section};
use crate::resilience::policy::Policy as Resilience;
use crate::text::visible;

use super::approver;
use super::checks;
use super::key::Key;
use super::notify;
use super::price;
use super::routing;
use super::settings::{Ambiguous, Glyphs};
use super::tools;

/// Maximum number of calls at the same time.
pub(super) const MOST_PARALLEL: u64 = crate::domain::event::run::Limits::MOST_PARALLEL as u64;
/// Maximum arming delay in milliseconds.
const LONGEST_ARMING: u64 = 10_000;
/// Tables of an untrusted workspace that are not read.
const FOREIGN: [&str; 3] = ["tool", "mcp", "hook"];
/// Keys that an untrusted workspace may use, because they can only tighten.
const TIGHTENING: [&str; 2] = ["policy", "limits"];

/// The contents of a file. `None` stands for an absent key.
#[derive(Debug, Clone, Default)]
pub struct RawSettings {
    /// `model`
    pub model: Option<At<String>>,
    /// `base_url`
    pub base_url: Option<At<String>>,
    /// `wire`
    pub wire: Option<At<Wire>>,
    /// `api_key`, `api_key_cmd` or `api_key_file`
    pub key: Option<At<Key>>,
    /// `theme`
    pub theme: Option<At<String>>,
    /// `glyphs`
    pub glyphs: Option<At<Glyphs>>,
    /// `ambiguous_width`
    pub ambiguous: Option<At<Ambiguous>>,
    /// `mouse`
    pub mouse: Option<At<bool>>,
    /// `sessions`
    pub sessions: Option<At<PathBuf>>,
    /// `arming`, in milliseconds
    pub arming_ms: Option<At<u64>>,
    /// `max_output_tokens`
    pub max_output: Option<At<u32>>,
    /// `output_schema`
    pub output_schema: Option<At<PathBuf>>,
    /// `editor`
    pub editor: Option<At<String>>,
    /// `keep_replies`
    pub keep_replies: Option<At<bool>>,
    /// `announce_edits`
    pub announce_edits: Option<At<bool>>,
    /// `[limits]`
    pub limits: Limits,
    /// `[notify]`
    pub notify: notify::RawNotify,
    /// `[approver]`
    pub approver: approver::RawApprover,
    /// `[reuse]`
    pub reuse: Reuse,
    /// `[routing]`
    pub routing: routing::RawRouting,
    /// `[price]`
    pub price: price::RawPrices,
    /// `[resilience]`: each value with its key
    pub resilience: Vec<(String, At<serde_json::Value>)>,
    /// `[tool]`
    pub tools: tools::RawTools,
    /// `[policy]`
    pub policy: parse::RawPolicy,
    /// Keys that count only in a trusted file.
    pub loose: Vec<(String, Place)>,
}

/// The limits in a file.
#[derive(Debug, Clone, Default)]
pub struct Limits {
    /// `parallel`
    pub parallel: Option<At<u32>>,
    /// `turns`
    pub turns: Option<At<Option<u32>>>,
    /// `tokens`
    pub tokens: Option<At<Option<u64>>>,
    /// `wall`, in milliseconds
    pub wall_ms: Option<At<Option<u64>>>,
    /// `price`, in trillionths of the currency
    pub price: Option<At<Option<u64>>>,
}

/// `[reuse]` in a file.
#[derive(Debug, Clone, Default)]
pub struct Reuse {
    /// `replies`
    pub replies: Option<At<bool>>,
    /// `pure`
    pub pure: Option<At<bool>>,
    /// `reads`
    pub reads: Option<At<bool>>,
}

/// Reads the text of a file. `origin` is that of its rules.
pub fn read(path: &Path, text: &str, origin: Origin, home: Option<&Path>) -> Result<RawSettings, Error> {
    let name = path.to_string_lossy();
    let document = Document::parse(&name, text)?;
    let mut root = document.root();
    let untrusted = !origin.may_loosen();
    if untrusted {
        for key in FOREIGN {
            root.skip(key);
        }
    }
    let written = RawSettings {
        model: checked(
            &mut root,
            "model",
            checks::name,
            "write the model's name in quotes",
        )?,
        base_url: checked(&mut root, "base_url", checks::base_url, checks::BASE_URL)?,
        wire: named(&mut root, "wire", Wire::named, &format!("use {}", Wire::names()))?,
        key: key(&mut root, path, home)?,
        theme: checked(
            &mut root,
            "theme",
            checks::name,
            "write a theme's name, such as \"dark\"",
        )?,
        glyphs: named(&mut root, "glyphs", checks::glyphs, "use unicode or ascii")?,
        ambiguous: named(
            &mut root,
            "ambiguous_width",
            checks::ambiguous,
            "use narrow or wide",
        )?,
        mouse: root.flag("mouse")?,
        sessions: checked(
            &mut root,
            "sessions",
            |text| checks::path(text, path, home),
            DIRECTORY,
        )?,
        arming_ms: arming(&mut root)?,
        max_output: max_output(&mut root)?,
        output_schema: checked(
            &mut root,
            "output_schema",
            |text| checks::path(text, path, home),
            "write the path of a JSON Schema",
        )?,
        editor: checked(
            &mut root,
            "editor",
            checks::name,
            "write a command, such as \"vim\"",
        )?,
        keep_replies: root.flag("keep_replies")?,
        announce_edits: root.flag("tell_edits")?,
        limits: table(&mut root, "limits", limits)?,
        approver: table(&mut root, "approver", approver::section)?,
        notify: table(&mut root, "notify", notify::section)?,
        reuse: table(&mut root, "reuse", reuse)?,
        routing: root
            .table("routing")?
            .map(|table| routing::section(table, path, home))
            .transpose()?
            .unwrap_or_default(),
        price: table(&mut root, "price", price::section)?,
        resilience: root
            .table("resilience")?
            .map(|section| resilience(&section))
            .transpose()?
            .unwrap_or_default(),
        tools: match root.table("tool") {
            // Calls written by a stranger are not even read.
            _ if untrusted => tools::RawTools::default(),
            table => table?
                .as_ref()
                .map(tools::section)
                .transpose()?
                .unwrap_or_default(),
        },
        policy: match root.table("policy")? {
            Some(table) => parse::section(table, origin)?,
            None => parse::RawPolicy::default(),
        },
        loose: Vec::new(),
    };
    root.finish()?;
    if !untrusted {
        return Ok(written);
    }
    tightening(written, &mut root)
}

/// Reads a table of the file; the default where it is missing.
fn table<'s, 'd, T: Default>(
    root: &'s mut Section<'_, 'd>,
    name: &'static str,
    read: impl FnOnce(Section<'s, 'd>) -> Result<T, Error>,
) -> Result<T, Error> {
    Ok(root.table(name)?.map(read).transpose()?.unwrap_or_default())
}

/// Keeps the keys of an untrusted file that can only tighten, and lists the rest.
fn tightening(written: RawSettings, root: &mut Section<'_, '_>) -> Result<RawSettings, Error> {
    // A value that is not a table has nothing that could tighten.
    let tagging = root.table("tool").ok().flatten();
    let (tags, beside) = tagging
        .as_ref()
        .map(tools::tags_only)
        .transpose()?
        .unwrap_or_default();
    let mut loose: Vec<(String, Place)> = root
        .keys()
        .into_iter()
        .filter(|(key, _)| !TIGHTENING.contains(&key.as_str()))
        .filter(|(key, _)| key != "tool" || tagging.is_none())
        .collect();
    loose.extend(beside);
    Ok(RawSettings {
        limits: written.limits,
        policy: written.policy,
        tools: tools::RawTools {
            tags,
            ..tools::RawTools::default()
        },
        loose,
        ..RawSettings::default()
    })
}

const DIRECTORY: &str = "write a directory, such as \"~/runs\"";

fn checked<T>(
    section: &mut Section<'_, '_>,
    key: &'static str,
    check: impl Fn(&str) -> Result<T, &'static str>,
    advice: &str,
) -> Result<Option<At<T>>, Error> {
    let Some(At { value, place }) = section.text(key)? else {
        return Ok(None);
    };
    match check(&value) {
        Ok(value) => Ok(Some(At { value, place })),
        Err(why) => Err(section.error(key, place, why.into(), advice)),
    }
}

fn named<T>(
    section: &mut Section<'_, '_>,
    key: &'static str,
    of: impl Fn(&str) -> Option<T>,
    advice: &str,
) -> Result<Option<At<T>>, Error> {
    let Some(At { value, place }) = section.text(key)? else {
        return Ok(None);
    };
    let Some(found) = of(&value) else {
        let what = format!("unknown value `{}`", visible(&value));
        return Err(section.error(key, place, what, advice));
    };
    Ok(Some(At { value: found, place }))
}

fn key(root: &mut Section<'_, '_>, path: &Path, home: Option<&Path>) -> Result<Option<At<Key>>, Error> {
    let value = root.text("api_key")?.map(|at| At {
        value: Key::Value(SecretString::from(at.value)),
        place: at.place,
    });
    let command = checked(
        root,
        "api_key_cmd",
        checks::name,
        "write a shell command that prints the key",
    )?
    .map(|at| At {
        value: Key::Command(at.value.into()),
        place: at.place,
    });
    let file = checked(
        root,
        "api_key_file",
        |text| checks::path(text, path, home),
        "write a path",
    )?
    .map(|at| At {
        value: Key::File(at.value),
        place: at.place,
    });
    let mut given = [value, command, file].into_iter().flatten();
    match (given.next(), given.next()) {
        (Some(_), Some(second)) => {
            let what = "the key is given in more than one way".into();
            let advice = "keep one of api_key, api_key_cmd and api_key_file";
            Err(root.error("api_key", second.place, what, advice))
        }
        (first, _) => Ok(first),
    }
}

fn arming(root: &mut Section<'_, '_>) -> Result<Option<At<u64>>, Error> {
    let advice = "write a duration of at most 10s, such as \"500ms\"";
    let short = |text: &str| duration_ms(text).filter(|ms| *ms <= LONGEST_ARMING);
    named(root, "arming", short, advice)
}

fn max_output(root: &mut Section<'_, '_>) -> Result<Option<At<u32>>, Error> {
    let given = root.number("max_output_tokens", 1, u64::from(u32::MAX))?;
    Ok(given.map(|at| At {
        value: u32::try_from(at.value).unwrap_or(u32::MAX),
        place: at.place,
    }))
}

fn limits(mut section: Section<'_, '_>) -> Result<Limits, Error> {
    let parallel = section.number("parallel", 1, MOST_PARALLEL)?.map(|at| At {
        value: u32::try_from(at.value).unwrap_or(1),
        place: at.place,
    });
    let turns = bound(&mut section, "turns", u64::from(u32::MAX))?.map(|at| At {
        value: at.value.and_then(|n| u32::try_from(n).ok()),
        place: at.place,
    });
    let tokens = bound(&mut section, "tokens", i64::MAX as u64)?;
    let wall_ms = wall(&mut section)?;
    let price = price::limit(&mut section)?;
    section.finish()?;
    Ok(Limits {
        parallel,
        turns,
        tokens,
        wall_ms,
        price,
    })
}

fn wall(section: &mut Section<'_, '_>) -> Result<Option<At<Option<u64>>>, Error> {
    let Some(At { value, place }) = section.text("wall")? else {
        return Ok(None);
    };
    let ms = duration_ms(&value).filter(|ms| *ms > 0);
    if ms.is_none() && value != UNLIMITED {
        let what = format!("`{}` is no duration", visible(&value));
        return Err(section.error("wall", place, what, DURATION));
    }
    Ok(Some(At { value: ms, place }))
}

pub(super) const UNLIMITED: &str = "unlimited";

fn bound(
    section: &mut Section<'_, '_>,
    key: &'static str,
    most: u64,
) -> Result<Option<At<Option<u64>>>, Error> {
    if let Ok(Some(At { value, place })) = section.text(key) {
        if value == UNLIMITED {
            return Ok(Some(At { value: None, place }));
        }
        let what = format!("unknown value `{}`", visible(&value));
        return Err(section.error(key, place, what, "write a whole number, or \"unlimited\""));
    }
    let number = section.number(key, 1, most)?;
    Ok(number.map(|at| At {
        value: Some(at.value),
        place: at.place,
    }))
}

fn reuse(mut section: Section<'_, '_>) -> Result<Reuse, Error> {
    let reuse = Reuse {
        replies: section.flag("replies")?,
        pure: section.flag("pure")?,
        reads: section.flag("reads")?,
    };
    section.finish()?;
    Ok(reuse)
}

/// Refuses each faulty value at its place, even if another value would compensate for it.
fn resilience(section: &Section<'_, '_>) -> Result<Vec<(String, At<serde_json::Value>)>, Error> {
    let leaves = section.leaves();
    for (key, at) in &leaves {
        if let Err(bad) = Resilience::default().with(key, at.value.clone()) {
            let advice = "docs/resilience.md lists what can be set";
            return Err(section.error(key, at.place.clone(), visible(&bad.why), advice));
        }
    }
    Ok(leaves)
}
