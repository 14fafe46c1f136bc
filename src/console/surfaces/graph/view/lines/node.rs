//! The text of a node's row: what it is about, its parents without a line, at the right what came of it.
//!
//! Must not know: how rows come to be.

use std::sync::Arc;

use super::RowLine;
use crate::ground::doc::Styled;
use crate::ground::layout::gutter::Glyphs;
use crate::ground::symbols;
use crate::ground::symbols::Symbol;
use crate::ground::theme::Role;
use crate::kernel::model::Model;
use crate::run::changes;
use crate::run::run_phase::AT_THE_HALT;
use crate::run::summary::{self, Summary};
use overrule_base::text::head;
use overrule_domain::badge::{self, Badge};
use overrule_domain::call::{Call, Status};
use overrule_domain::effective_status;
use overrule_domain::id::{NodeId, NodeKind};
use overrule_domain::ladder::span;
use overrule_domain::node::{Node, Origin};
use overrule_domain::output;
use overrule_policy::DangerKind;
use overrule_present as present;
use overrule_present::call::CallStatusView;
use overrule_present::danger;

/// Columns of the time that a call took, on a wide screen.
const TIME: usize = 10;
/// The fewest columns of a row with such a time.
const WITH_TIME: usize = 110;
/// Milliseconds from which on a call shows how long it took.
const LONG_MS: u64 = 500;
/// Columns between an object and the text after it, and before the result.
const GAP: usize = 2;
/// Columns around the result at the end of a row.
pub(crate) const END: usize = GAP + 1;

/// What came of a call: a word for the end of its row with its style, and a text with its style.
struct CallResult {
    word: (Role, String),
    text: (Role, Summary),
}

impl CallResult {
    fn new(role: Role, word: impl Into<String>) -> Self {
        Self {
            word: (role, word.into()),
            text: (Role::Dim, Summary::default()),
        }
    }

    fn with(self, role: Role, text: Summary) -> Self {
        Self {
            text: (role, text),
            ..self
        }
    }

    fn of(model: &Model, call: &Call, (tool, args): (&str, &str)) -> Self {
        let state = &model.run.state;
        let view = CallStatusView::of(state, call);
        let symbol = Symbol::of_status(view.status);
        let separate = model.graph.settings.split.contains(&call.id);
        let observation = state.observation(call.id).filter(|_| !separate);
        let line = observation
            .and_then(Node::outcome)
            .map(|outcome| summary::result_line(tool, args, outcome))
            .unwrap_or_default();
        let mut found = match (view.status, view.source) {
            (Status::Succeeded, Some(source)) => {
                let by_hand =
                    observation.is_some_and(|one| matches!(one.now().origin, Origin::Operator { .. }));
                let role = if by_hand { Role::Edited } else { Role::Dim };
                let text = observation.and_then(Node::outcome).map(summary::short_result);
                Self::new(Role::Edited, source.label()).with(role, text.unwrap_or_default())
            }
            (Status::Succeeded, None) => Self::new(Role::Dim, line.word).with(Role::Dim, line.text),
            (Status::Exited(code), _) => {
                Self::new(symbol.role(), format!("exit {code}")).with(Role::Text, line.text)
            }
            (Status::Failed(_), _) => Self::new(symbol.role(), "failed").with(Role::Text, line.text),
            (Status::Rejected, _) => {
                let (word, reason) = present::question::refused(call);
                Self::new(symbol.role(), word).with(Role::Text, summary::text_of(reason))
            }
            (Status::AwaitingApproval, _) => Self::new(Role::Danger, dangers(model, call)),
            (Status::Running(_), _) if model.run.halted.is_some() => Self::new(symbol.role(), AT_THE_HALT),
            _ => {
                let word = model
                    .running_words(call)
                    .unwrap_or_else(|| model.status_words(call));
                let printed = model.last_printed(call).map(summary::text_of);
                Self::new(symbol.role(), word).with(Role::Dim, printed.unwrap_or_default())
            }
        };
        if let Some(refused) = present::sandbox::refused(call).filter(|_| view.status.is_settled()) {
            found.text = (Role::Warning, Summary::default().own(refused));
        }
        if let Some(words) = changes::describe_restored(state, call) {
            found.text = (Role::Edited, Summary::default().own(words));
        }
        let word = &mut found.word.1;
        if view.is_superseded() && view.status.is_settled() {
            *word = match *view.status {
                Status::Succeeded if view.source.is_none() => "superseded".to_owned(),
                _ => format!("{word}, superseded"),
            };
        } else if view.is_suspended() && !view.is_superseded() {
            let gap = if word.is_empty() { "" } else { ", " };
            let by = effective_status::suspended_by(state, call);
            let by = by.unwrap_or_else(|| "suspended".to_owned());
            found.word = (Role::Blocked, format!("{word}{gap}{by}"));
        }
        found
    }
}

/// The kinds of danger of a call that waits for a decision.
fn dangers(model: &Model, call: &Call) -> String {
    let kinds = danger::kinds(&model.run.danger_of(call.id));
    let kinds: Vec<&str> = kinds.into_iter().map(DangerKind::label).collect();
    kinds.join(", ")
}

/// The text of a node's row without its id. `row` is the role of all of its own words, where it has one.
pub(crate) fn node_line(model: &Model, id: NodeId, row: Option<Role>, width: usize) -> RowLine {
    line_of(model, id, row, width, true)
}

/// The same for a call whose output is below its row: the row does not say it too.
pub(crate) fn line_above(model: &Model, id: NodeId, width: usize) -> RowLine {
    line_of(model, id, None, width, false)
}

fn line_of(model: &Model, id: NodeId, row: Option<Role>, width: usize, has_text: bool) -> RowLine {
    let state = &model.run.state;
    let Some(node) = state.node(id) else {
        return RowLine::default();
    };
    // The parents of a node are shown before anything else.
    let chips = chips(model, id, width / 2);
    let has_chips = !chips.0.is_empty();
    let line = heading(model, node, row);
    let room = width.saturating_sub(chips.columns());
    let mut line = match (state.calls.get(&id), node.as_call()) {
        (Some(call), Some(content)) => {
            let mut found = CallResult::of(model, call, (content.0, content.1));
            if !has_text && found.text.0 != Role::Warning {
                found.text = (Role::Dim, Summary::default());
            }
            call_line(model, line, (call, content), found, row, room)
        }
        _ => RowLine::from(text_line(model, line, node, row, (room, has_chips))),
    };
    line.left.0.extend(chips.0);
    line
}

/// The revision of a node and its badges.
fn heading(model: &Model, node: &Node, row: Option<Role>) -> Styled {
    let (state, id) = (&model.run.state, node.id);
    let role = |usual: Role| row.unwrap_or(usual);
    let mut line = Styled::new();
    if node.revisions.len() > 1 {
        line = line.own(role(Role::Edited), format!("revision {} ", node.rev().0));
    }
    if model.staged_edits.touches(id) {
        line = line.own(Role::Edited, "(edit staged) ");
    }
    if !node.active && id.kind != NodeKind::Call {
        line = line.own(role(Role::Superseded), "(superseded) ");
    }
    if let Some(marked) = model.cached.marked_calls().filter(|_| node.active) {
        for badge in badge::of_marked(state, marked, id) {
            let words = sub_agent_words(model, id).filter(|_| badge == Badge::SubAgent);
            let words = words.unwrap_or_else(|| badge.label().to_owned());
            line = line.own(role(symbols::of_badge(badge)), format!("({words}) "));
        }
    }
    line
}

/// Adds the tool of a call, what it is about, and what came of it.
fn call_line(
    model: &Model,
    line: Styled,
    (call, (tool, args)): (&Call, (&Arc<str>, &Arc<str>)),
    found: CallResult,
    row: Option<Role>,
    width: usize,
) -> RowLine {
    let state = &model.run.state;
    let role = |usual: Role| row.unwrap_or(usual);
    let time = (width >= WITH_TIME).then(|| format!("{:>TIME$}", took(call)));
    let mut right = Styled::new();
    if !found.word.1.is_empty() {
        right = right.own(role(found.word.0), found.word.1);
    }
    if let Some(time) = time.filter(|_| row.is_none()) {
        right = right.own(Role::Dim, time);
    }
    let right_room = match right.columns() {
        0 => 0,
        columns => columns + END,
    };
    let line = named_tool(model, line, tool, row);
    let room = width.saturating_sub(line.columns() + right_room);
    let (text_role, text) = found.text;
    let beside = match text.columns(room) {
        0 => room,
        columns => room.saturating_sub(columns + GAP).max(room / 2),
    };
    let mut left = line.summary(role(Role::Text), &summary::object(state, tool, args), beside);
    let room = width.saturating_sub(left.columns() + right_room + GAP);
    if text.columns(1) > 0 && room > MOST_CUT {
        left = left
            .own(Role::Text, " ".repeat(GAP))
            .summary(role(text_role), &text, room);
    }
    RowLine { left, right }
}

/// A call without what came of it: its tool and what it is about.
pub(crate) fn call_head(model: &Model, node: &Node, row: Option<Role>, width: usize) -> Styled {
    let line = heading(model, node, row);
    let Some((tool, args)) = node.as_call() else {
        return line;
    };
    let (line, role) = (named_tool(model, line, tool, row), row.unwrap_or(Role::Text));
    let room = width.saturating_sub(line.columns());
    line.summary(role, &summary::object(&model.run.state, tool, args), room)
}

/// Adds the name of a tool and a blank.
fn named_tool(model: &Model, line: Styled, tool: &str, row: Option<Role>) -> Styled {
    let name = Summary::default().name(&present::question::tool_name(&model.run.state, tool));
    line.summary(row.unwrap_or(Role::Title), &name, MOST_TOOL)
        .own(row.unwrap_or(Role::Text), " ")
}

/// The most columns of the name of a tool.
const MOST_TOOL: usize = 40;
/// A text after an object has more columns than this.
const MOST_CUT: usize = 5;

/// How long the last execution of a call took.
fn took(call: &Call) -> String {
    let ended = call.attempts.last().filter(|_| call.status.is_settled());
    let ms = ended.and_then(|attempt| attempt.ms).filter(|ms| *ms >= LONG_MS);
    ms.map(span).unwrap_or_default()
}

/// Adds the text of a node that is no call.
fn text_line(
    model: &Model,
    mut line: Styled,
    node: &Node,
    row: Option<Role>,
    (width, has_chips): (usize, bool),
) -> Styled {
    let (state, id) = (&model.run.state, node.id);
    let role = |usual: Role| row.unwrap_or(usual);
    let back = state.turn_of(id).and_then(|turn| output::of(state, turn));
    if back.is_some_and(|unfit| unfit.node == id) {
        line = line.own(role(Role::Failed), "(invalid) ");
    }
    let usual = match (id.kind, &node.now().origin) {
        (NodeKind::Prompt, _) => Role::Operator,
        (NodeKind::Intervention, _) | (_, Origin::Operator { .. }) => Role::Edited,
        _ => Role::Text,
    };
    let room = last_room(&line, width, has_chips);
    line.summary(role(usual), &summary::of(state, node), room)
}

/// The text of a node that is no call in full, over at least `most` rows where it has so many; the parents without a line
/// are in the first one.
pub(crate) fn text_rows(model: &Model, node: &Node, width: usize, most: usize) -> Vec<Styled> {
    let chips = chips(model, node.id, width / 2);
    let columns = width.saturating_sub(chips.columns()).max(1);
    let mut first = heading(model, node, None);
    let mut rows = Vec::new();
    let role = match node.now().origin {
        Origin::Operator { .. } => Role::Edited,
        _ => Role::Text,
    };
    for line in node.text().lines().filter(|line| !line.trim().is_empty()) {
        let (line, _) = head(line.trim_end(), columns * most);
        rows.extend(std::mem::take(&mut first).laid_out(role, line).over(columns, 0));
        if rows.len() >= most {
            break;
        }
    }
    if let Some(first) = rows.first_mut() {
        first.0.extend(chips.0);
    }
    rows
}

/// Columns of the last text of a line. Without chips after it, the edge of the row cuts it.
fn last_room(line: &Styled, width: usize, has_chips: bool) -> usize {
    if has_chips {
        width.saturating_sub(line.columns())
    } else {
        width + END
    }
}

/// What the sub-agent of a call does; none where this process does not know it.
fn sub_agent_words(model: &Model, call: NodeId) -> Option<String> {
    let other = model.run.sub_agent(call)?;
    Some(match other.waiting {
        0 if other.is_open => "sub-agent works".to_owned(),
        0 => "sub-agent".to_owned(),
        1 => "sub-agent: 1 decision waits".to_owned(),
        count => format!("sub-agent: {count} decisions wait"),
    })
}

/// The number of parents without a line that a row names; the others are counted.
const CHIPS: usize = 4;

/// Parents without a line, in at most `most` columns: names as far as they fit, the others counted.
fn chips(model: &Model, id: NodeId, most: usize) -> Styled {
    let gutter = &model.graph.rows.gutter;
    let chips = gutter.find(id).map(|row| gutter.chips(row)).unwrap_or_default();
    let mark = Glyphs::of(model.settings.line).chip;
    let mut named = chips.len().min(CHIPS);
    loop {
        let mut line = Styled::new();
        for parent in chips.iter().take(named) {
            line = line.own(Role::Reference, format!(" {mark}{parent}"));
        }
        match chips.len() - named {
            0 => {}
            others if named == 0 => line = line.own(Role::Reference, format!(" {mark}+{others}")),
            others => line = line.own(Role::Reference, format!(" +{others}")),
        }
        if named == 0 || line.columns() <= most {
            return line;
        }
        named -= 1;
    }
}
