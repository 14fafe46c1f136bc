//! The text of a node's row: its status before texts that may be long, its parents without a line at the end.
//!
//! Must not know: how rows come to be.

use crate::ground::doc::Styled;
use crate::ground::layout::gutter::Glyphs;
use crate::ground::symbols;
use crate::ground::symbols::Symbol;
use crate::ground::theme::Role;
use crate::kernel::model::Model;
use crate::run::run_phase::AT_THE_HALT;
use crate::run::summary;
use overrule_domain::badge::{self, Badge};
use overrule_domain::call::{Call, Status};
use overrule_domain::id::{NodeId, NodeKind};
use overrule_domain::node::{Node, Origin};
use overrule_domain::output;
use overrule_domain::why;
use overrule_present::call::CallStatusView;

/// The status of a call, for its row; `None` if it succeeded.
fn status_word(model: &Model, call: &Call, view: &CallStatusView<'_>) -> Option<String> {
    let word = match (view.status, view.source) {
        (Status::Succeeded, None) if view.is_superseded() => return Some("superseded".to_owned()),
        (Status::Succeeded, None) => return None,
        (Status::Succeeded, Some(source)) => source.label().to_owned(),
        (Status::Failed(class), _) => format!("failed: {}", class.label()),
        (Status::Running(_), _) if model.run.halted.is_some() => AT_THE_HALT.to_owned(),
        _ => model.status_words(call),
    };
    let has_ended = matches!(view.status, Status::Succeeded | Status::Failed(_));
    // The words of another superseded status say so.
    Some(match view.is_superseded() {
        true if has_ended => format!("{word}, superseded"),
        false if view.is_suspended() => format!("{word}, suspended"),
        _ => word,
    })
}

/// The text of a node's row. `row` is the role of all of its own words, where it has one.
pub(crate) fn node_line(model: &Model, id: NodeId, row: Option<Role>, width: usize) -> Styled {
    let state = &model.run.state;
    let Some(node) = state.node(id) else {
        return Styled::new();
    };
    // The parents of a node are shown before anything else.
    let chips = chips(model, id, width / 2);
    let width = width.saturating_sub(chips.columns());
    let has_chips = !chips.0.is_empty();
    let line = heading(model, node, row);
    let mut line = match (state.calls.get(&id), node.as_call()) {
        (Some(call), Some((tool, args))) => {
            let line = call_line(model, line, (call, tool, args), row, (width, has_chips));
            match why::of(node) {
                Some(why) => with_reason(model, line, &why, width),
                None => line,
            }
        }
        _ => text_line(model, line, node, row, (width, has_chips)),
    };
    line.0.extend(chips.0);
    line
}

/// The id of a node, its revision and its badges.
fn heading(model: &Model, node: &Node, row: Option<Role>) -> Styled {
    let (state, id) = (&model.run.state, node.id);
    let role = |usual: Role| row.unwrap_or(usual);
    let mut line = Styled::new().own(role(Role::Dim), format!("{id} "));
    if node.revisions.len() > 1 {
        line = line.own(role(Role::Edited), format!("{} ", node.rev()));
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

/// Adds the tool of a call, its status, its arguments, and its result or what it printed.
fn call_line(
    model: &Model,
    mut line: Styled,
    (call, tool, args): (&Call, &str, &str),
    row: Option<Role>,
    (width, has_chips): (usize, bool),
) -> Styled {
    let state = &model.run.state;
    let role = |usual: Role| row.unwrap_or(usual);
    line = line
        .untrusted(role(Role::Accent), tool, 40)
        .own(role(Role::Text), " ");
    // The status comes before texts that may be long.
    let view = CallStatusView::of(state, call);
    if let Some(word) = status_word(model, call, &view) {
        let symbol = match view.source {
            Some(_) if *view.status == Status::Succeeded => Symbol::Edited,
            _ => Symbol::of_status(view.status),
        };
        let word = model.running_words(call).unwrap_or(word);
        line = line.own(role(symbol.role()), format!("{word}  "));
    }
    let separate = model.graph.settings.split.contains(&call.id);
    let result = state
        .observation(call.id)
        .filter(|_| !separate)
        .map(|observation| {
            let by_hand = matches!(observation.now().origin, Origin::Operator { .. });
            let outcome = observation.outcome();
            (by_hand, outcome.map(summary::short_result).unwrap_or_default())
        });
    let left = width.saturating_sub(line.columns());
    let printed = model.last_printed(call);
    let room = match (&result, &printed) {
        (Some((_, result)), _) => summary::beside(left, result),
        (None, Some(_)) => left / 2,
        (None, None) => left,
    };
    line = line.summary(role(Role::Text), &summary::arguments_in(state, args), room);
    let arrow = format!(" {} ", Symbol::Arrow.glyph(model.settings.charset));
    if let Some(printed) = printed {
        let room = width.saturating_sub(line.columns() + 3);
        line = line.own(role(Role::Dim), arrow.as_str()).summary(
            role(Role::Dim),
            &summary::text_of(printed),
            room,
        );
    }
    if let Some((by_hand, result)) = result {
        line = line.own(role(Role::Dim), arrow);
        let role = role(if by_hand { Role::Edited } else { Role::Dim });
        let room = last_room(&line, width, has_chips);
        line = line.summary(role, &result, room);
    }
    line
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
        (NodeKind::Answer, _) => Role::Ok,
        _ => Role::Text,
    };
    let room = last_room(&line, width, has_chips);
    line.summary(role(usual), &summary::of(state, node), room)
}

/// Columns of the last text of a line. Without chips after it, the edge of the row cuts it.
fn last_room(line: &Styled, width: usize, has_chips: bool) -> usize {
    if has_chips {
        width.saturating_sub(line.columns())
    } else {
        width
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

/// Adds the model's stated reason for a call, where there is room for some of it.
fn with_reason(model: &Model, line: Styled, why: &str, width: usize) -> Styled {
    let room = width.saturating_sub(line.columns());
    if room < WHY {
        return line;
    }
    let mark = Symbol::ModelText.glyph(model.settings.charset);
    line.own(Role::ModelText, format!("  {mark}"))
        .summary(Role::Dim, &summary::text_of(why), room - 3)
}

/// The fewest columns for the reason of a call.
const WHY: usize = 16;

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
