//! Draws a row for several nodes: their number and statuses, and the text of the first.
//!
//! Must not know: how rows come to be.

use crate::ground::doc::Styled;
use crate::ground::layout::gutter::Glyphs;
use crate::ground::symbols::Symbol;
use crate::ground::theme::Role;
use crate::kernel::graph::rows::Row;
use crate::kernel::model::Model;
use crate::run::summary;
use overrule_domain::effective_status::{self, EffectiveStatus};
use overrule_domain::id::NodeKind;

pub(crate) fn fold_line(model: &Model, here: &Row) -> Styled {
    let state = &model.run.state;
    // Counts nodes as the preview of an edit does: a result in the row of its call is a node too.
    let nodes = 1 + here.members.len();
    let by = here
        .replaced
        .and_then(|number| effective_status::replaced_under(state, number));
    let by = by.map(|by| format!(" by {by}")).unwrap_or_default();
    let mark = Glyphs::of(model.settings.line).fold;
    let closed = Symbol::Closed.glyph(model.settings.charset);
    Styled::new().own(
        Role::Fold,
        format!("{mark}{mark} {closed} {nodes} superseded{by} {mark}{mark}"),
    )
}

pub(crate) fn elided_line(model: &Model, here: &Row) -> Styled {
    let mark = Glyphs::of(model.settings.line).fold;
    let closed = Symbol::Closed.glyph(model.settings.charset);
    Styled::new().own(
        Role::Fold,
        format!("{mark}{mark} {closed} {} not shown {mark}{mark}", here.count),
    )
}

/// The number of calls of a row by status.
pub(crate) fn counts(model: &Model, here: &Row, mut line: Styled) -> Styled {
    let state = &model.run.state;
    let mut counts: Vec<(Symbol, usize)> = Vec::new();
    for id in here.keys() {
        let Some(call) = state.calls.get(&id) else {
            continue;
        };
        let symbol = Symbol::of_call(
            EffectiveStatus::of_call(state, call),
            call,
            state.node(id),
            state.observation(id),
        );
        match counts.iter_mut().find(|(known, _)| *known == symbol) {
            Some((_, count)) => *count += 1,
            None => counts.push((symbol, 1)),
        }
    }
    for (symbol, count) in counts {
        line = line.own(
            symbol.role(),
            format!(" {}{count}", symbol.glyph(model.settings.charset)),
        );
    }
    line
}

/// The most calls of a turn that are shown one by one.
const EACH: usize = 12;

/// A turn in one row: the status of each call, and the text of its first node.
pub(crate) fn turn_line(model: &Model, here: &Row, width: usize) -> Styled {
    let state = &model.run.state;
    let turn = state.turn_of(here.key);
    let closed = Symbol::Closed.glyph(model.settings.charset);
    let mut line = Styled::new();
    if let Some(turn) = turn {
        line = line.own(Role::Fold, format!("{closed} {} ", turn.id));
    }
    // One more than `EACH` shows that there are too many.
    let calls: Vec<_> = here
        .keys()
        .filter_map(|id| state.calls.get(&id).filter(|call| call.id == id))
        .take(EACH + 1)
        .collect();
    if calls.len() > EACH {
        line = counts(model, here, line).own(Role::Text, " ");
    } else {
        for call in &calls {
            let (node, result) = (state.node(call.id), state.observation(call.id));
            let symbol = Symbol::of_call(EffectiveStatus::of_call(state, call), call, node, result);
            line = line.own(symbol.role(), symbol.glyph(model.settings.charset).to_string());
        }
        if !calls.is_empty() {
            line = line.own(Role::Text, " ");
        }
    }
    let words = state.node(here.key).map(|node| summary::of(state, node));
    let room = width.saturating_sub(line.columns());
    line.summary(Role::Text, &words.unwrap_or_default(), room)
}

/// Turns that repeat the turns above.
pub(crate) fn loop_line(model: &Model, here: &Row, times: u32, width: usize) -> Styled {
    let state = &model.run.state;
    let glyph = Symbol::Loop.glyph(model.settings.charset);
    let line = Styled::new().own(
        Role::Warning,
        format!("{glyph} the same again {times} times, {} nodes", here.count),
    );
    let line = counts(model, here, line);
    let mut members = here.members.iter();
    let first = members.find(|id| id.kind == NodeKind::Call);
    let words = first.map(|id| summary::call(state, *id)).unwrap_or_default();
    let line = line.own(Role::Text, "  ");
    let room = width.saturating_sub(line.columns());
    line.summary(Role::Dim, &words, room)
}
