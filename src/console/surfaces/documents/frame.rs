//! Facts next to the arguments of a decision: the rule that asks and its author, warnings.
//!
//! Must not know: how a call is decided, how rules are written.

use crate::ground::doc::Styled;
use crate::ground::theme::Role;
use crate::run::maker::{Maker, NAME};
use overrule_base::text::{Survey, head, in_ascii, visible};
use overrule_domain::approver;
use overrule_domain::call::{Call, Quoted, Verdict};
use overrule_domain::ladder::span;
use overrule_present::call::DeadlineView;

/// The most characters of quoted text.
const QUOTE_CHARS: usize = 220;

/// Adds the quoted reason of a rule of the workspace, if one asks.
pub(crate) fn quote(maker: &mut Maker<'_>, verdict: &Verdict) {
    let words = quoted(verdict).and_then(|quoted| quoted.words);
    if let Some(words) = words {
        let line = Styled::new().own(Role::Text, "the workspace's rule says \"");
        let line = between_marks(line, &words).own(Role::Text, "\"");
        maker.over(line, 2);
    }
}

/// Adds the rule that decided. The reason from a workspace file is quoted, never shown as the console's own text.
pub(crate) fn rule(maker: &mut Maker<'_>, verdict: &Verdict) {
    let Some(quoted) = quoted(verdict) else {
        maker.field("rule", &format!("{}: {}", verdict.rule, verdict.reason));
        return;
    };
    let does = verdict.gate.does();
    let place = match quoted.place.as_str() {
        "" => String::new(),
        place => format!(" ({})", visible(place)),
    };
    maker.fact(
        "rule",
        Role::Text,
        format!("a rule of the workspace{place} {does}"),
    );
    let Some(words) = &quoted.words else { return };
    let line = Styled::new()
        .own(Role::Dim, format!("{:<10} ", ""))
        .own(Role::Text, "the workspace's rule says \"");
    let line = between_marks(line, words).own(Role::Text, "\"");
    maker.over(line, usize::from(NAME));
}

/// Adds the reply of the approver program about the call.
pub(crate) fn approver(maker: &mut Maker<'_>, call: &Call) {
    if let Some(words) = approver::describe(call) {
        maker.field("approver", &words);
    }
}

/// The time for an answer, and the consequence.
pub(crate) fn deadline(maker: &mut Maker<'_>, call: &Call) {
    let Some(view) = DeadlineView::of(&maker.run.state, call, true) else {
        return;
    };
    let time = span(view.ms);
    let words = if view.overdue {
        format!("overdue: no answer within {time}; it keeps waiting")
    } else {
        format!("{time} to answer, then: {}", view.then.label())
    };
    maker.fact("deadline", Role::Warning, words);
}

/// Adds the delay between approval and launch, if the tool has one.
pub(crate) fn pause(maker: &mut Maker<'_>, call: &Call, tool: &str) {
    let ms = maker.run.tool(tool).map_or(0, |card| card.pause_ms);
    if ms > 0 && call.status.needs_operator() {
        let words = format!(
            "it starts {} after approval; until then it can be cancelled",
            span(ms)
        );
        maker.fact("pause", Role::Text, words);
    }
}

/// The text from the workspace; for a run of an older program, all text that is not its own.
fn quoted(verdict: &Verdict) -> Option<Quoted> {
    let is_old = verdict.quoted.is_none() && verdict.rule.starts_with("workspace ");
    verdict.quoted.clone().or_else(|| {
        is_old.then(|| Quoted {
            place: String::new(),
            words: Some(verdict.reason.clone()),
        })
    })
}

/// Adds quoted text in its own style. No quotation mark in it can end the quotation.
fn between_marks(mut line: Styled, words: &str) -> Styled {
    let mark = if in_ascii() { "<U+0022>" } else { "⟨U+0022⟩" };
    let (words, cut) = head(words, QUOTE_CHARS);
    for (at, part) in words.split('"').enumerate() {
        if at > 0 {
            line = line.own(Role::Escaped, mark);
        }
        line = line.untrusted(Role::Dim, part, QUOTE_CHARS);
    }
    if cut { line.own(Role::Dim, "…") } else { line }
}

/// Adds warnings about deceptive characters in the arguments.
pub(crate) fn look_out(maker: &mut Maker<'_>, survey: &Survey) {
    for words in survey.lines() {
        maker.own(Role::Warning, words);
    }
}
