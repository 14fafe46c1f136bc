//! Describes the ready rules of a call: what each is about, and what it would have decided in the session.
//!
//! Must not know: keys, flags, how a row is drawn, how a rule is evaluated.

use serde::Serialize;

use super::many;
use overrule_base::text::visible;
use overrule_domain::call::Gate;
use overrule_domain::id::NodeId;
use overrule_policy::ready_rules::{About, PresetChange, ReadyRule};

/// A piece of the text of an effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EffectText {
    /// The text, safe to show.
    pub text: String,
    /// True if it names a danger.
    pub is_danger: bool,
}

/// A ready rule as data.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ReadyRuleView {
    /// The number by which it is chosen, from 1.
    pub row: usize,
    /// What it is about.
    pub label: String,
    /// What it decides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gate: Option<Gate>,
    /// The preset, if the row sets one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preset: Option<&'static str>,
    /// The rule in the language of policies, if it can be written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// What it would have done in the session.
    pub effect: String,
}

/// What a rule is about, in a few words.
pub fn label(rule: &ReadyRule, is_shell: bool) -> String {
    let verb = match rule.gate {
        Gate::Allow => "allow",
        Gate::Ask => "ask about",
        Gate::Deny => "deny",
    };
    let about = match &rule.about {
        About::Words(words) => format!("{} …", visible(&words.join(" "))),
        About::Exactly if is_shell => "exactly this line".to_owned(),
        About::Exactly => "exactly this call".to_owned(),
        About::Directory { tool, directory } if directory == "." => {
            format!("{} in this workspace", visible(tool))
        }
        About::Directory { tool, directory } => format!("{} in {}/", visible(tool), visible(directory)),
        About::Tool(tool) => visible(tool),
        About::Server(server) => format!("every tool of {}", visible(server)),
    };
    format!("{verb} {about}")
}

/// What a preset is, in a few words.
pub fn preset_label(change: &PresetChange) -> String {
    format!("preset {}: {}", change.preset, change.preset.asks_about())
}

/// When a rule counts, in a sentence or two.
pub const fn condition(rule: &ReadyRule) -> &'static str {
    match (&rule.about, rule.gate) {
        (_, Gate::Ask) => "asks about each such command or call, whatever allows it; deny rules still win",
        (_, Gate::Deny) => "denies each such command or call, whatever allows it",
        (About::Words(_), Gate::Allow) => {
            "matches if each command of a line begins with these words or only reads; no file is written by `>`; ask and \
             deny rules still win"
        }
        (About::Exactly, Gate::Allow) => {
            "matches the same arguments byte for byte, while the files that it may run stay the same; ask and deny rules \
             still win"
        }
        (About::Directory { .. }, Gate::Allow) => {
            "matches if the path is in this directory or below, links followed; ask and deny rules still win"
        }
        (About::Tool(_) | About::Server(_), Gate::Allow) => "matches every call of it",
    }
}

/// What a rule would have decided: names at most `most` calls.
pub fn effect(rule: &ReadyRule, most: usize) -> Vec<EffectText> {
    let verb = match rule.gate {
        Gate::Allow => "allows",
        Gate::Ask => "asks about",
        Gate::Deny => "denies",
    };
    let mut pieces = vec![plain(verb)];
    for one in rule.matched.iter().take(most) {
        pieces.push(plain(&format!(" {}", one.id)));
        if rule.gate == Gate::Allow && !one.danger.is_empty() {
            let kinds: Vec<&str> = one.danger.iter().map(|kind| kind.label()).collect();
            pieces.push(EffectText {
                text: format!(" {}", kinds.join(", ")),
                is_danger: true,
            });
        }
    }
    if rule.matched.len() > most {
        pieces.push(plain(&format!(" and {} more", rule.matched.len() - most)));
    }
    if matches!(
        (&rule.about, rule.gate),
        (About::Words(_) | About::Directory { .. }, Gate::Allow)
    ) {
        let others: Vec<String> = rule.others.iter().take(most).map(NodeId::to_string).collect();
        let more = rule.others.len().saturating_sub(most);
        if !others.is_empty() {
            let more = if more > 0 {
                format!(" and {more} more")
            } else {
                String::new()
            };
            pieces.push(plain(&format!(", not {}{more}", others.join(" "))));
        }
    }
    pieces
}

/// What a preset would have asked; of the one in force, what it asked.
pub fn preset_effect(change: &PresetChange, in_force: bool) -> String {
    if in_force {
        return format!("in force: asked {}", many(change.asked, "time"));
    }
    format!("asks {}, not {}", many(change.asks, "time"), change.asked)
}

fn plain(text: &str) -> EffectText {
    EffectText {
        text: text.to_owned(),
        is_danger: false,
    }
}

/// The text of an effect.
pub fn text(pieces: &[EffectText]) -> String {
    pieces.iter().map(|piece| piece.text.as_str()).collect()
}
