//! The readable form of a decision: marks of danger, why it asks, and the form itself in the frame.
//!
//! Must not know: keys, how a decision is sent, how a form is made.

use std::sync::Arc;

use super::derived::Derived;
use super::{frame, head, tool_change};
use crate::ground::columns::Columns as _;
use crate::ground::diff;
use crate::ground::diff::Change;
use crate::ground::doc;
use crate::ground::doc::{Form, ShownNow, Styled};
use crate::ground::pager::{Pager, Wrap};
use crate::ground::theme::Role;
use crate::run::maker::{Maker, NAME};
use crate::run::part::RunPart;
use crate::run::readable;
use crate::run::readable::{Found, Part, Readable};
use overrule_base::text::{self, visible};
use overrule_domain::call::{Call, EffectClass, Shown, ShownForm, Verdict};
use overrule_domain::id::NodeId;
use overrule_domain::node::Node;
use overrule_present::danger;
use overrule_present::question;

/// The danger of a call whose effect cannot be undone.
const UNDOABLE: &str = "cannot be undone";
/// Columns of the name of an argument.
const ARGUMENT: usize = 10;
/// Columns of a line number with its blank.
const NUMBER: usize = 5;

/// What an effect class says to a person.
pub(crate) const fn effect_words(effect: EffectClass) -> &'static str {
    match effect {
        EffectClass::Pure => "computes only",
        EffectClass::Read => "reads only",
        EffectClass::Idempotent => "changes something; repeating it changes nothing more",
        EffectClass::Write => "changes something",
        EffectClass::Unknown => "may change anything",
    }
}

/// The marks of danger of a call as a line: `cannot be undone, deletes (rm, git clean)`; empty without any.
pub(crate) fn marks_line(run: &RunPart, id: NodeId) -> Styled {
    let mut line = Styled::new();
    if run
        .state
        .call(id)
        .is_some_and(|call| question::is_irreversible(&run.state, call))
    {
        line = line.own(Role::Danger, UNDOABLE);
    }
    let tool = run.state.node(id).and_then(Node::as_call).map(|(tool, _)| tool);
    let marks = run.danger_of(id);
    for (kind, those) in danger::by_kind(&marks, tool.map_or("", |tool| tool)) {
        let comma = if line.0.is_empty() { "" } else { ", " };
        line = line.own(Role::Danger, format!("{comma}{}", kind.label()));
        for (at, because) in those.iter().enumerate() {
            let before = if at == 0 { " (" } else { ", " };
            line = line
                .own(Role::Danger, before)
                .untrusted(Role::Danger, because, 40);
        }
        if !those.is_empty() {
            line = line.own(Role::Danger, ")");
        }
    }
    line
}

/// Adds the decision about a call: in its readable form, or as exact bytes where these come first or are chosen.
pub(crate) fn decision(maker: &mut Maker<'_>, id: NodeId) {
    let run = maker.run;
    let (Some(call), Some(node)) = (run.state.call(id), run.state.node(id)) else {
        return;
    };
    let (Some((tool, _)), Some(shown)) = (node.as_call(), super::call::shown(maker, id)) else {
        return;
    };
    let tool = Arc::clone(tool);
    // Without the survey of a long text it is not known which form comes first.
    let Ok(survey) = maker.cache.survey(&shown) else {
        maker.shown = Some(exact_form());
        return super::call::exact(maker, id, true);
    };
    let why = readable::why_exact(&shown, &survey);
    let members = match &why {
        Some(_) => Arc::default(),
        None => maker.cache.members(&shown),
    };
    let form = readable::of(&tool, &members, replaced(run, id));
    let [exact, exact_first] = maker.exact.map(|is| is || why.is_some());
    maker.shown = Some(ShownNow {
        first: Shown {
            form: if exact_first {
                ShownForm::Exact
            } else {
                form.shown.form
            },
            // Only the exact bytes do not depend on the file.
            base: form.shown.base.clone().filter(|_| !(exact && exact_first)),
        },
        exact,
        forced: why.is_some(),
    });
    if let Some(why) = &why {
        maker.fact("look out", Role::Warning, format!("exact bytes first: {why}"));
    }
    if exact {
        danger(maker, id);
        return super::call::exact(maker, id, true);
    }
    tool_line(maker, call, &tool);
    danger(maker, id);
    why_asked(maker, call);
    tool_change::notice(maker, id);
    super::call::changed(maker, node);
    let derived = Derived::of(call, &tool, &shown);
    derived.above(maker);
    frame::look_out(maker, &survey);
    draw(maker, &form);
    super::call::like_another(maker, id);
    derived.below(maker);
    tool_change::differences(maker, id);
    super::call::after(maker, call, node);
    let key = maker.exact_key.clone();
    if !key.is_empty() {
        maker.own(
            Role::Dim,
            format!("{key} shows the exact bytes, the digest and the rule"),
        );
    }
}

fn exact_form() -> ShownNow {
    ShownNow {
        first: Shown {
            form: ShownForm::Exact,
            base: None,
        },
        exact: true,
        forced: true,
    }
}

/// What the call would replace, if that is known for exactly this call.
fn replaced(run: &RunPart, id: NodeId) -> Option<Found<'_>> {
    let found = run.looked_at(id)?;
    Some((&found.replaced, found.base.as_ref()))
}

fn tool_line(maker: &mut Maker<'_>, call: &Call, tool: &str) {
    let card = maker.run.tool(tool);
    let mut line = Styled::new()
        .own(Role::Dim, "tool       ")
        .untrusted(Role::Accent, tool, 80)
        .own(
            super::call::looks(call.effect),
            format!("  {}", effect_words(call.effect)),
        );
    match card {
        Some(card) => {
            for tag in &card.tags {
                line = line.own(Role::Failed, "  ").untrusted(Role::Failed, tag, 40);
            }
        }
        None => line = line.own(Role::Warning, "  not a tool of this run"),
    }
    maker.over(line, usize::from(NAME));
}

/// Adds the marks of danger, and keeps them on screen.
fn danger(maker: &mut Maker<'_>, id: NodeId) {
    let marks = marks_line(maker.run, id);
    if marks.0.is_empty() {
        return;
    }
    let row = maker.doc.rows();
    let mut line = Styled::new().own(Role::Danger, "danger     ");
    line.0.extend(marks.0);
    maker.over(line.clone(), usize::from(NAME));
    let exact = maker.shown.as_ref().is_some_and(|shown| shown.exact);
    if !exact {
        maker.doc.keep(row, line);
    }
}

/// Adds in one line why the call asks, and what else the operator must know to answer.
fn why_asked(maker: &mut Maker<'_>, call: &Call) {
    if let Some(verdict) = &call.verdict {
        if verdict.quoted.is_some() || verdict.rule.starts_with("workspace ") {
            frame::rule(maker, verdict);
        } else {
            maker.field("why", &asks_because(verdict));
        }
    }
    frame::approver(maker, call);
    frame::deadline(maker, call);
    let tool = maker.run.state.node(call.id).and_then(Node::as_call);
    if let Some((tool, _)) = tool {
        frame::pause(maker, call, tool);
    }
}

/// Why a rule asks, in one line.
pub fn asks_because(verdict: &Verdict) -> String {
    let of_preset = verdict
        .rule
        .strip_prefix("preset ")
        .and_then(|rest| rest.split_once(": "));
    let reason = verdict.reason.trim_end_matches('.');
    match of_preset {
        Some((preset, "everything asks")) => format!("the policy `{preset}` asks about every call"),
        Some((_, "what cannot be undone asks")) => "it cannot be undone".to_owned(),
        Some((preset, "reads that reach outside ask")) => {
            format!("the policy `{preset}` asks about reads that reach other machines")
        }
        Some((preset, "the rest asks")) => {
            format!("the policy `{preset}` asks about calls that change something")
        }
        _ => reason.to_owned(),
    }
}

/// Adds a form in the frame. No decision is possible until all of its texts are laid out.
fn draw(maker: &mut Maker<'_>, form: &Readable) {
    let Some(shown) = maker.shown.clone() else { return };
    head::form(maker, form.shown.form);
    maker.doc.begin_decided(shown);
    for part in &form.parts {
        match part {
            Part::Note(words) => note(maker, words),
            Part::Line(line) => value(maker, line, Form::Readable, ("$ ", "  "), Role::Text),
            Part::Words(words) => {
                let words = maker.cache.owned(words);
                value(maker, &words, Form::Raw, ("$ ", "  "), Role::Text);
            }
            Part::Argument(name, text) => argument(maker, name, text),
            Part::New(text) => value(maker, text, Form::Readable, ("+ ", "+ "), Role::DiffAdd),
            Part::Lines(lines) => difference(maker, lines, true),
            Part::Replaces([old, new]) => {
                let (before, now) = (doc::readable(old), doc::readable(new));
                let lines = maker.cache.compared(&before, &now, diff::AROUND_DECIDED);
                if let Some(lines) = maker.found(lines, old.len() + new.len()) {
                    difference(maker, &lines, false);
                }
            }
        }
    }
    maker.doc.end_decided();
    let end = match form.shown.form {
        ShownForm::Difference => "end of the difference",
        ShownForm::Command => "end of the command",
        ShownForm::Fields | ShownForm::Exact => "end of the arguments",
    };
    maker.framed(2, end);
}

fn note(maker: &mut Maker<'_>, words: &str) {
    let mark = maker.frame(1);
    let width = usize::from(maker.width).saturating_sub(mark.columns());
    for row in doc::broken(words, width) {
        let line = Styled::new().own(Role::Decision, mark).own(Role::Dim, row);
        maker.doc.line(line);
    }
}

/// Adds a text in the frame, with one sign before its first row and another one before the others.
fn value(maker: &mut Maker<'_>, source: &Arc<str>, form: Form, (first, next): (&str, &str), role: Role) {
    let bar = maker.frame(1);
    let width = maker
        .width
        .saturating_sub((bar.columns() + next.columns()) as u16)
        .max(1);
    let pager = maker.cache.pager(source, form, width, Wrap::Chars);
    let Some(pager) = maker.found(pager, source.len()) else {
        return;
    };
    let lead = Styled::new().own(Role::Decision, bar).own(Role::Dim, first);
    maker
        .doc
        .text_after(pager, role, (Role::Decision, format!("{bar}{next}")), Some(lead));
}

/// Adds an argument: its name, and its value next to it or below it.
fn argument(maker: &mut Maker<'_>, name: &str, source: &Arc<str>) {
    let shown = visible(name);
    let is_short = shown.columns() < ARGUMENT;
    let bar = maker.frame(1);
    if !is_short {
        let width = usize::from(maker.width).saturating_sub(bar.columns());
        for row in doc::broken(&shown, width) {
            let line = Styled::new().own(Role::Decision, bar);
            maker.doc.line(line.own(Role::JsonKey, row));
        }
    }
    let indent = if is_short { ARGUMENT + 1 } else { 2 };
    let width = maker.width.saturating_sub((bar.columns() + indent) as u16).max(1);
    let quoted = readable::in_quotes(source).map(|text| maker.cache.owned(&text));
    let pager = match &quoted {
        Some(text) => maker.cache.pager(text, Form::Raw, width, Wrap::Chars),
        None => maker.cache.pager(source, Form::Readable, width, Wrap::Chars),
    };
    let Some(pager) = maker.found(pager, source.len()) else {
        return;
    };
    let lead = is_short.then(|| {
        let blanks = " ".repeat(indent - shown.columns());
        let line = Styled::new().own(Role::Decision, bar);
        line.own(Role::JsonKey, shown.clone()).own(Role::Dim, blanks)
    });
    let mark = (Role::Decision, format!("{bar}{}", " ".repeat(indent)));
    maker.doc.text_after(pager, Role::Text, mark, lead);
}

/// Adds the lines of a difference in the frame, with their numbers in the file if these are known.
fn difference(maker: &mut Maker<'_>, lines: &[diff::Line], numbered: bool) {
    let bar = maker.frame(1);
    let numbers = if numbered { NUMBER } else { 0 };
    let width = maker
        .width
        .saturating_sub((bar.columns() + numbers + 2) as u16)
        .max(1);
    for line in lines {
        let role = match line.change {
            Change::Same => Role::Dim,
            Change::Removed => Role::DiffRemove,
            Change::Added => Role::DiffAdd,
            Change::Note => {
                note(maker, &format!("~ {}", text::visible(&line.text)));
                continue;
            }
        };
        let sign = readable::sign_of(line.change);
        let pager = if line.changed.is_empty() {
            let pager = maker.cache.pager(&line.text, Form::Raw, width, Wrap::Chars);
            let Some(pager) = maker.found(pager, line.text.len()) else {
                continue;
            };
            pager
        } else {
            Arc::new(Pager::marked(
                Arc::clone(&line.text),
                width,
                Wrap::Chars,
                &line.changed,
            ))
        };
        let number = match line.no {
            Some(no) if numbered => format!("{no:>4} "),
            _ => " ".repeat(numbers),
        };
        let lead = Styled::new()
            .own(Role::Decision, bar)
            .own(Role::Dim, number)
            .own(role, format!("{sign} "));
        let mark = (Role::Decision, format!("{bar}{}", " ".repeat(numbers + 2)));
        maker.doc.text_after(pager, role, mark, Some(lead));
    }
}
