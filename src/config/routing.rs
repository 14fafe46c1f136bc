//! Reads `[routing]`: how weights of tools are computed and used.
//!
//! Must not know: what a weight is for, other files.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Deserializer};

use super::settings::{Origin, Setting};
use overrule_base::document::{Field, decimal, parsed};
use overrule_resilience::policy::Policy;

/// The contents of `[routing]` in a file.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RawRouting {
    /// `decay`
    #[serde(deserialize_with = "decay")]
    pub decay: Field<f64>,
    /// `order`
    pub order: Field<bool>,
    /// `ask_below`
    #[serde(deserialize_with = "share")]
    pub ask_below: Field<f64>,
    /// `hide_below`
    #[serde(deserialize_with = "share")]
    pub hide_below: Field<f64>,
    /// `alert`
    #[serde(deserialize_with = "alert")]
    pub alert: Field<f64>,
    /// `priors`
    pub priors: Field<PathBuf>,
    /// `keep`
    pub keep: Field<bool>,
    /// `kinds`
    #[serde(deserialize_with = "kinds")]
    pub kinds: Field<Kinds>,
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

/// What to write for `priors`.
pub(super) const PRIORS: &str = "name a file that `overrule weights ID --json` wrote";

fn decay<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Field<f64>, D::Error> {
    within(deserializer, 0.85, 0.95)
}

fn share<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Field<f64>, D::Error> {
    within(deserializer, 0.0, 1.0)
}

fn alert<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Field<f64>, D::Error> {
    within(deserializer, 0.05, 1.0)
}

fn within<'de, D: Deserializer<'de>>(deserializer: D, least: f64, most: f64) -> Result<Field<f64>, D::Error> {
    parsed(deserializer, |value| {
        let digits = decimal(value)?;
        let number = digits
            .parse()
            .ok()
            .filter(|number| (least..=most).contains(number));
        number.ok_or_else(|| format!("{digits} is out of range; write a number from {least} to {most}"))
    })
}

/// Kinds of tasks with the words that identify them.
type Kinds = BTreeMap<String, Vec<String>>;

fn kinds<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Field<Kinds>, D::Error> {
    let is_word = |word: &String| !word.trim().is_empty();
    let fits = |kinds: &Kinds| {
        kinds
            .iter()
            .all(|(kind, words)| is_word(kind) && words.iter().all(is_word))
    };
    parsed(deserializer, |value| {
        value.clone().try_into().ok().filter(fits).ok_or_else(|| {
            "is no table of lists of words; \
             write kinds of tasks with their words, such as music = [\"song\", \"sing\"]"
                .to_owned()
        })
    })
}
