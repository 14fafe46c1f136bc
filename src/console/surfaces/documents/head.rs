//! The fixed head of a decision: what would run, and its size.
//!
//! Must not know: how far the operator has scrolled, how many rows there are for it.
//!
//! It is short, and dangerous facts come first: a narrow screen cuts off the end.

use std::sync::Arc;

use super::{call, readable};
use crate::ground::doc::Styled;
use crate::ground::theme::Role;
use crate::run::maker::Maker;
use overrule_base::text;
use overrule_domain::call::{Call, ShownForm, Status};
use overrule_domain::tags;
use overrule_domain::tool_change;

/// The most characters of a tool or a tag.
const NAME: usize = 40;

/// Fixes a line on what would run, for when the question is scrolled out.
pub(crate) fn question(maker: &mut Maker<'_>, call: &Call, rev: &str, tool: &str) {
    let card = maker.run.tool(tool);
    let effect = if maker.exact[0] {
        format!(" effect {}  ", call.effect.label())
    } else {
        format!(" {}  ", readable::effect_words(call.effect))
    };
    let mut line = Styled::new().own(Role::Decision, format!("{} {rev} ", call.id));
    if call.status != Status::AwaitingApproval {
        line = line.own(Role::Warning, format!(" {} ", call.status.base_label()));
    }
    let known = card.map_or(&[][..], |card| &card.tags);
    let (worst, others): (Vec<&String>, Vec<&String>) =
        known.iter().partition(|tag| *tag == tags::IRREVERSIBLE);
    for tag in worst {
        line = line.own(Role::Failed, " ").untrusted(Role::Failed, tag, NAME);
    }
    line = line
        .own(call::looks(call.effect), effect)
        .untrusted(Role::Accent, tool, NAME);
    for tag in others {
        line = line.own(Role::Failed, "  ").untrusted(Role::Failed, tag, NAME);
    }
    if tool_change::of(&maker.run.state, call.id).is_some() {
        line = line.own(Role::Warning, "  redefined");
    }
    if card.is_none() {
        line = line.own(Role::Warning, "  not a tool of this run");
    }
    maker.doc.marked([maker.frame(0), maker.frame(3)]);
    maker.doc.keep(0, line);
}

/// Fixes a line on the form in which it is shown, for when its first row is scrolled out.
pub(crate) fn form(maker: &mut Maker<'_>, form: ShownForm) {
    let words = match form {
        ShownForm::Difference => "the difference",
        ShownForm::Command => "the command",
        ShownForm::Fields | ShownForm::Exact => "the arguments",
    };
    let row = maker.doc.rows();
    maker.doc.keep(row, Styled::new().own(Role::Text, words));
}

/// Fixes a line on the size of the arguments, for when the last row is scrolled out.
pub(crate) fn size(maker: &mut Maker<'_>, call: &Call, shown: &Arc<str>) {
    let mut words = format!("{} bytes", shown.len());
    if let Some(digest) = &call.digest {
        words = format!("{words}  digest {}", text::visible(digest.short()));
    }
    let row = maker.doc.rows().saturating_sub(1);
    maker.doc.keep(row, Styled::new().own(Role::Text, words));
}
