//! Facts of a decision that stand beside the arguments: the rule that asks, in whose words; what to look out for.
//!
//! Must not know: how a call is decided, how rules are written.

use super::{Maker, NAME};
use crate::console::doc::Styled;
use crate::console::theme::Role;
use crate::domain::approver;
use crate::domain::call::{Call, Quoted, Status, Verdict};
use crate::domain::ladder::span;
use crate::text::{Survey, head, in_ascii, visible};

/// Characters of somebody else's words that are repeated.
const QUOTE_CHARS: usize = 220;

/// The rule that decided. What a file of the workspace says is told as its words, never as the console's own.
pub(super) fn rule(maker: &mut Maker<'_>, verdict: &Verdict) {
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

/// What the operator's own program says of the call.
pub(super) fn approver(maker: &mut Maker<'_>, call: &Call) {
    if let Some(words) = approver::describe(call) {
        maker.field("approver", &words);
    }
}

/// How long there is for an answer, and what then.
pub(super) fn deadline(maker: &mut Maker<'_>, call: &Call) {
    let Some(verdict) = call
        .verdict
        .as_ref()
        .filter(|_| call.status == Status::AwaitingApproval)
    else {
        return;
    };
    let Some(ms) = verdict.deadline_ms else { return };
    let then = verdict.on_expiry.label();
    if call.approval.approver.is_some() {
        return;
    }
    let words = if call.approval.overdue {
        format!("over: nobody answered within {}; it goes on waiting", span(ms))
    } else {
        format!("{} to answer, then: {then}", span(ms))
    };
    maker.fact("deadline", Role::Warning, words);
}

/// That its launch comes some time after the word, where the tool is so.
pub(super) fn pause(maker: &mut Maker<'_>, call: &Call, tool: &str) {
    let ms = maker.run.tool(tool).map_or(0, |card| card.pause_ms);
    if ms > 0 && call.status.needs_operator() {
        let words = format!(
            "it begins {} after it is let run; until then it can be cancelled",
            span(ms)
        );
        maker.fact("pause", Role::Text, words);
    }
}

/// What the workspace says; of a run that an older program recorded, all that it did not say itself.
fn quoted(verdict: &Verdict) -> Option<Quoted> {
    let is_old = verdict.quoted.is_none() && verdict.rule.starts_with("workspace ");
    verdict.quoted.clone().or_else(|| {
        is_old.then(|| Quoted {
            place: String::new(),
            words: Some(verdict.reason.clone()),
        })
    })
}

/// Adds somebody else's words, in a look of their own, in which no quotation mark can end the quotation.
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

/// What of the arguments is not what it looks like, in all that is approved.
pub(super) fn look_out(maker: &mut Maker<'_>, survey: &Survey) {
    for (at, words) in survey.lines().into_iter().enumerate() {
        // The last line is about all of them, where there are more.
        let name = if at < survey.first.len() { "look out" } else { "" };
        maker.fact(name, Role::Warning, words);
    }
}
