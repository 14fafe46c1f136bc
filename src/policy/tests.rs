//! Tests of the policy: presets as tables, levels as properties, rules as texts.
//!
//! Must not know: files on disk.

mod documents;
mod first_words;
mod hidden;
mod inside;
mod levels;
mod links;
mod matching;
mod presets;
mod reversible;
mod runs_later;
mod sandbox;

use serde_json::Value;

use super::parse::{self, RawPolicy};
use super::{Moment, Origin, Policy, Preset, Subject};
use overrule_base::document::Error;
use overrule_domain::call::{EffectClass, Gate, Verdict};

const EFFECTS: [EffectClass; 5] = [
    EffectClass::Pure,
    EffectClass::Read,
    EffectClass::Idempotent,
    EffectClass::Write,
    EffectClass::Unknown,
];

fn read(text: &str, origin: Origin) -> RawPolicy {
    parse::file("rules.toml", text, origin).unwrap()
}

fn fault(text: &str) -> Error {
    parse::file("rules.toml", text, Origin::User).unwrap_err()
}

fn with(preset: Preset, text: &str, origin: Origin) -> Policy {
    let mut policy = Policy::new(preset);
    for rule in read(text, origin).rules {
        policy.add(rule);
    }
    policy
}

fn call(tool: &'static str, effect: EffectClass) -> Subject<'static> {
    Subject {
        tool,
        effect,
        tags: &[],
        args: &Value::Null,
        server: None,
        is_of_agent: false,
        sandbox: crate::Placement::default(),
    }
}

fn gate(policy: &Policy, subject: &Subject<'_>) -> Gate {
    policy.verdict(subject).gate
}

/// Returns the gate of a single rule about `args`: an allow rule under a preset that asks, any other under the
/// preset that allows.
fn on_args(rule: &str, tool: &str, args: &Value) -> Gate {
    let subject = Subject {
        tool,
        effect: EffectClass::Write,
        tags: &[],
        args,
        server: None,
        is_of_agent: false,
        sandbox: crate::Placement::default(),
    };
    let preset = if rule.contains("allow") {
        Preset::Guarded
    } else {
        Preset::Auto
    };
    gate(
        &with(preset, &format!("[[rule]]\n{rule}"), Origin::User),
        &subject,
    )
}

fn verdict_at(policy: &Policy, subject: &Subject<'_>, now: i64) -> Verdict {
    policy.verdict_at(
        subject,
        &Moment {
            now: Some(now),
            used: None,
            key: None,
            ..Moment::default()
        },
    )
}
