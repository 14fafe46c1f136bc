//! Says why a rule decides about a call as it does.
//!
//! Must not know: which rule decides.

use overrule_base::text::visible;
use overrule_domain::call::{Gate, Quoted};
use overrule_domain::sandbox::outside;
use overrule_domain::tags::IRREVERSIBLE;

use super::commands::Case;
use super::evaluate::{LEAVES, RUNS_LATER};
use super::place::Places;
use super::preset::{OTHER_CHANGES, Preset};
use super::reversible::{self, Cause};
use super::rule::{Origin, Rule};
use super::settings_written;
use super::shell::ShellCall;

/// Maximum number of characters quoted of a reason from a workspace's file.
const QUOTED: usize = 200;

/// Returns the text of a workspace's rule, as a quotation.
pub(super) fn quoted(rule: &Rule) -> Option<Quoted> {
    let Origin::Workspace { .. } = rule.origin else {
        return None;
    };
    let place = rule.place.as_ref();
    Some(Quoted {
        place: place.map_or_else(String::new, |place| {
            format!("{}:{}", visible(&place.file), place.line)
        }),
        words: rule.reason.as_deref().map(cut),
    })
}

/// Truncates a text for quotation.
pub(super) fn cut(text: &str) -> String {
    match text.char_indices().nth(QUOTED) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// Returns the reason of a rule, or one that follows from what it is about.
pub(super) fn reason(rule: &Rule, case: &Case<'_>, places: Places<'_>) -> String {
    let subject = &case.subject;
    if let Some(reason) = &rule.reason {
        return match rule.origin {
            Origin::Workspace { .. } => format!("the workspace's rule says \"{}\"", visible(&cut(reason))),
            _ => visible(reason),
        };
    }
    let tool = visible(subject.tool);
    let class = subject.effect.label();
    match (rule.gate, rule.origin) {
        (Gate::Ask, Origin::Builtin) if rule.text == RUNS_LATER => {
            let places =
                settings_written::settings(subject.tool, subject.args, case.shell(), Places::default());
            let place = places.first().map_or("a place that it leads to", String::as_str);
            format!(
                "{}: another program runs or believes what is there.",
                visible(&cut(place))
            )
        }
        (Gate::Ask, Origin::Builtin) if rule.text == LEAVES => {
            let why = outside(&subject.args.to_string()).unwrap_or_default();
            format!("asks to leave the sandbox: {}", visible(&cut(&why)))
        }
        (Gate::Ask, Origin::Builtin) => match case.shell().and_then(ShellCall::uncertainty) {
            Some(uncertain) => format!(
                "rules need commands that can be read, and {}.",
                uncertain.describe()
            ),
            None => "only the operator can answer this.".into(),
        },
        (Gate::Allow, Origin::Builtin) => "the answer ends the run and changes nothing.".into(),
        (Gate::Ask, Origin::Preset(Preset::Reversible)) if rule.text == OTHER_CHANGES => {
            let cause = reversible::judge(case, places).err().unwrap_or(Cause::Tool);
            format!("{cause}.")
        }
        (gate, Origin::Preset(preset)) => {
            let does = match gate {
                Gate::Allow => "goes",
                Gate::Ask => "asks",
                Gate::Deny => "is denied",
            };
            let tagged = |tag: &str| gate == Gate::Ask && subject.tags.iter().any(|one| one == tag);
            let why = match (tagged(IRREVERSIBLE), tagged("external")) {
                (true, _) => " and cannot be undone",
                (false, true) => " and reaches outside",
                (false, false) => "",
            };
            format!("{tool} is of class {class}{why}, which {does} under {preset}.")
        }
        (Gate::Allow, origin) => format!("a {} rule allows {tool}.", origin.label()),
        (Gate::Ask, origin) => format!("a {} rule asks before {tool} runs.", origin.label()),
        (Gate::Deny, origin) => format!("a {} rule denies {tool}.", origin.label()),
    }
}
