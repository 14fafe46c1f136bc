//! Reads `[routing]`: how weights of tools are computed and used.
//!
//! Must not know: what a weight is for, other files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::policy::Section;
use crate::policy::document::{At, Error};
use crate::resilience::policy::Policy;
use crate::text::visible;

use super::checks;
use super::settings::{Origin, Setting};

/// The contents of `[routing]` in a file.
#[derive(Debug, Clone, Default)]
pub struct RawRouting {
    /// `decay`
    pub decay: Option<At<f64>>,
    /// `order`
    pub order: Option<At<bool>>,
    /// `ask_below`
    pub ask_below: Option<At<f64>>,
    /// `hide_below`
    pub hide_below: Option<At<f64>>,
    /// `alert`
    pub alert: Option<At<f64>>,
    /// `priors`
    pub priors: Option<At<PathBuf>>,
    /// `keep`
    pub keep: Option<At<bool>>,
    /// `kinds`
    pub kinds: Option<At<BTreeMap<String, Vec<String>>>>,
}

/// The settings in force.
#[derive(Debug, Clone, PartialEq)]
pub struct RoutingSettings {
    /// How much of a weight remains after an execution.
    pub decay: Setting<f64>,
    /// Whether tools that keep failing are offered last, with a note.
    pub order: Setting<bool>,
    /// The weight below which a call asks the operator.
    pub ask_below: Setting<f64>,
    /// The weight below which a tool is not offered; 0 for never.
    pub hide_below: Setting<f64>,
    /// The smallest change of a weight that counts as sudden.
    pub alert: Setting<f64>,
    /// The file of starting weights.
    pub priors: Setting<Option<PathBuf>>,
    /// Whether a run starts with what earlier sessions of its workspace learned, and leaves what it learns.
    pub keep: Setting<bool>,
    /// Words of additional kinds of tasks.
    pub kinds: Setting<BTreeMap<String, Vec<String>>>,
}

impl RoutingSettings {
    /// Merges `[routing]` and `[resilience.routing]`, which have the same keys. If both set a key, the second
    /// counts, because it is the one that is changed in a run.
    pub(super) fn join(&mut self, policy: &mut Policy, set: &[(String, Origin)]) {
        let by = |key: &str| {
            let found = set.iter().rev().find(|(name, _)| {
                let rest = name.strip_prefix("routing.").unwrap_or_default();
                rest == key || rest.strip_prefix(key).is_some_and(|rest| rest.starts_with('.'))
            });
            found.map(|(_, origin)| origin.clone())
        };
        let there = &mut policy.routing;
        one(&mut self.decay, &mut there.decay, by("decay"));
        one(&mut self.order, &mut there.order, by("order"));
        one(&mut self.ask_below, &mut there.ask_below, by("ask_below"));
        one(&mut self.hide_below, &mut there.hide_below, by("hide_below"));
        one(&mut self.alert, &mut there.alert, by("alert"));
        one(&mut self.kinds, &mut there.kinds, by("kinds"));
    }
}

fn one<T: Clone>(here: &mut Setting<T>, there: &mut T, by: Option<Origin>) {
    match by {
        Some(origin) => {
            *here = Setting {
                value: there.clone(),
                origin,
            }
        }
        None => *there = here.value.clone(),
    }
}

/// Reads the table.
pub(super) fn section(
    mut section: Section<'_, '_>,
    file: &Path,
    home: Option<&Path>,
) -> Result<RawRouting, Error> {
    let written = RawRouting {
        decay: within(&mut section, "decay", 0.85, 0.95)?,
        order: section.flag("order")?,
        ask_below: within(&mut section, "ask_below", 0.0, 1.0)?,
        hide_below: within(&mut section, "hide_below", 0.0, 1.0)?,
        alert: within(&mut section, "alert", 0.05, 1.0)?,
        priors: priors(&mut section, file, home)?,
        keep: section.flag("keep")?,
        kinds: kinds(&mut section)?,
    };
    section.finish()?;
    Ok(written)
}

fn within(
    section: &mut Section<'_, '_>,
    key: &'static str,
    least: f64,
    most: f64,
) -> Result<Option<At<f64>>, Error> {
    let Some(At { value, place }) = section.decimal(key)? else {
        return Ok(None);
    };
    match value.parse::<f64>() {
        Ok(number) if (least..=most).contains(&number) => Ok(Some(At { value: number, place })),
        _ => {
            let what = format!("{} is out of range", visible(&value));
            Err(section.error(
                key,
                place,
                what,
                &format!("write a number from {least} to {most}"),
            ))
        }
    }
}

fn priors(
    section: &mut Section<'_, '_>,
    file: &Path,
    home: Option<&Path>,
) -> Result<Option<At<PathBuf>>, Error> {
    let Some(At { value, place }) = section.text("priors")? else {
        return Ok(None);
    };
    match checks::path(&value, file, home) {
        Ok(path) => Ok(Some(At { value: path, place })),
        Err(why) => Err(section.error(
            "priors",
            place,
            why.into(),
            "name a file that `overrule weights ID --json` wrote",
        )),
    }
}

/// Kinds of tasks with the words that identify them.
type Kinds = BTreeMap<String, Vec<String>>;

fn kinds(section: &mut Section<'_, '_>) -> Result<Option<At<Kinds>>, Error> {
    let Some(At { value, place }) = section.value("kinds")? else {
        return Ok(None);
    };
    let read = serde_json::from_value::<Kinds>(value);
    let fits = |kinds: &BTreeMap<String, Vec<String>>| {
        kinds
            .iter()
            .all(|(kind, words)| !kind.trim().is_empty() && words.iter().all(|word| !word.trim().is_empty()))
    };
    match read {
        Ok(kinds) if fits(&kinds) => Ok(Some(At { value: kinds, place })),
        _ => Err(section.error(
            "kinds",
            place,
            "is no table of lists of words".into(),
            "write kinds of tasks with their words, such as music = [\"song\", \"sing\"]",
        )),
    }
}
