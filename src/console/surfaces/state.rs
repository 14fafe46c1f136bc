//! The state as rows: every path with its value, writers and readers.
//!
//! Must not know: how a reference finds its value.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::ground::columns::Columns as _;
use crate::ground::doc::Styled;
use crate::ground::symbols::{Charset, Symbol};
use crate::ground::theme::Role;
use crate::kernel::pane::{Pane, PaneCard};
use crate::kernel::rows::{Making, Row, RowsKind};
use crate::kernel::show::{SHOWS, show};
use crate::kernel::verb::Verb;
use crate::run::summary;
use crate::run::target::Target;
use overrule_domain::call::{Call, Outcome, Status};
use overrule_domain::fork::Fork;
use overrule_domain::id::NodeId;
use overrule_domain::ready::{PathWriters, written_paths};
use overrule_domain::state::State;
use overrule_domain::thread::ROOT;
use overrule_present::many;

/// Maximum number of readers that are named.
const NAMED: usize = 4;

/// The pane.
pub const PANE: Pane = Pane::new(&PaneCard::lower("state"));

/// The verb `state`.
pub const SHOW: Verb = Verb {
    name: "state",
    keys: &["5"],
    doc: "show or hide the state: paths, values, writers and readers",
    run: |model, _| show(model, PANE),
    ..SHOWS
};

/// How it behaves.
pub const KIND: RowsKind = RowsKind { pane: PANE, make };

/// The rows.
fn make(making: Making<'_>) -> (String, Vec<Row>) {
    let (width, charset) = (making.width, making.charset);
    let state = &making.run.state;
    let paths = written_paths(state);
    let readers = readers(state);
    let mut rows: Vec<Row> = state.origin.forks.iter().map(forked).collect();
    for path in &paths {
        let is_active = path.writers.iter().rposition(|id| has_ended(state, *id));
        rows.push(head(state, path, is_active, &readers, width, charset));
        for (at, id) in path.writers.iter().enumerate().rev() {
            if Some(at) != is_active {
                rows.push(other(
                    state,
                    *id,
                    is_active.is_some_and(|is_active| at < is_active),
                    charset,
                ));
            }
        }
    }
    if paths.is_empty() {
        let words = "no call writes a path of the state (`_out` in its arguments)";
        rows.push(Row::new(Target::Nothing, Styled::new().own(Role::Dim, words)));
    }
    (many(paths.len(), "path"), rows)
}

/// The row of a session that this one is a fork of.
fn forked(fork: &Fork) -> Row {
    let of = overrule_base::text::visible(&fork.session);
    let words = format!("fork of session {of} at event {}", fork.at.0);
    Row::new(Target::Nothing, Styled::new().own(Role::Dim, words))
}

fn has_ended(state: &State, id: NodeId) -> bool {
    let ended = |call: &Call| {
        matches!(
            call.status,
            Status::Succeeded | Status::Exited(_) | Status::Failed(_)
        )
    };
    state.calls.get(&id).is_some_and(ended) && state.observation(id).is_some()
}

/// For each call, the calls that received what it wrote.
fn readers(state: &State) -> BTreeMap<NodeId, Vec<NodeId>> {
    let mut out: BTreeMap<NodeId, Vec<NodeId>> = BTreeMap::new();
    for id in state.agenda.state_readers.values().flatten() {
        let Some(call) = state.calls.get(id) else { continue };
        if !state.node(*id).is_some_and(|node| node.active) {
            continue;
        }
        for source in call.refs.bindings.iter().filter_map(|binding| binding.source) {
            let all = out.entry(source).or_default();
            if !all.contains(id) {
                all.push(*id);
            }
        }
    }
    for all in out.values_mut() {
        all.sort_unstable();
    }
    out
}

/// The row of a path with its current value.
fn head(
    state: &State,
    path: &PathWriters,
    is_active: Option<usize>,
    readers: &BTreeMap<NodeId, Vec<NodeId>>,
    width: u16,
    charset: Charset,
) -> Row {
    let mut words = Styled::new();
    if path.thread != ROOT {
        words = words.own(Role::Dim, format!("{} ", path.thread));
    }
    let name = path.target.to_string();
    let name = name.strip_prefix("state.").unwrap_or(&name);
    words = words.untrusted(Role::Accent, name, 60);
    let writer = is_active.and_then(|at| path.writers.get(at)).copied();
    let Some(writer) = writer else {
        let words = words.own(Role::Dim, " nothing yet");
        return Row::new(
            path.writers
                .first()
                .map_or(Target::Nothing, |id| Target::Node(*id)),
            words,
        );
    };
    let outcome = state.observation(writer).and_then(|node| node.outcome());
    words = with_outcome(words, outcome, usize::from(width).saturating_sub(40).max(16));
    let arrow = Symbol::Arrow.glyph(charset);
    words = words.own(Role::Dim, "  by ").own(Role::Text, by(state, writer));
    let read_by = readers.get(&writer).map(Vec::as_slice).unwrap_or_default();
    if !read_by.is_empty() {
        let mut names: Vec<String> = read_by.iter().take(NAMED).map(NodeId::to_string).collect();
        if read_by.len() > NAMED {
            names.push(format!("and {} more", read_by.len() - NAMED));
        }
        words = words.own(Role::Dim, format!(" {arrow} read by {}", names.join(" ")));
    }
    let others = overrule_domain::ready::write_conflicts(state, writer);
    if let Some(other) = others.first() {
        words = words.own(Role::Warning, format!("  ! {other} writes it in the same turn"));
    }
    Row::new(Target::Node(writer), words)
}

/// Adds the value of a writer, or why there is none.
fn with_outcome(words: Styled, outcome: Option<&Outcome>, room: usize) -> Styled {
    match outcome {
        Some(Outcome::Err(error)) => {
            let why = format!(" {}: ", overrule_present::failing(error.class));
            let room = room.saturating_sub(why.columns()).max(16);
            let message = summary::text_of(&error.message);
            words.own(Role::Failed, why).summary(Role::Failed, &message, room)
        }
        Some(outcome) => {
            let role = if outcome.is_ok() { Role::Text } else { Role::Failed };
            let words = words.own(Role::Dim, " = ");
            words.summary(role, &summary::short_result(outcome), room)
        }
        None => words.own(Role::Dim, " = "),
    }
}

/// The row of an inactive write: before the active one, or still to come.
fn other(state: &State, id: NodeId, before: bool, charset: Charset) -> Row {
    let call = state.calls.get(&id);
    let symbol = call.map_or(Symbol::Proposed, |call| Symbol::of_status(&call.status));
    let status = call.map_or(Cow::Borrowed(""), |call| call.status.label());
    let glyph = symbol.glyph(charset);
    let words = Styled::new().own(Role::Dim, "    ");
    let words = if before {
        words.own(Role::Superseded, format!("{glyph} by {} before", by(state, id)))
    } else {
        words
            .own(symbol.role(), format!("{glyph} "))
            .own(Role::Dim, format!("by {}: {status}", by(state, id)))
    };
    Row::new(Target::Node(id), words)
}

fn by(state: &State, id: NodeId) -> String {
    let rev = state
        .node(id)
        .map(overrule_domain::node::Node::rev)
        .unwrap_or_default();
    overrule_present::revised(id, rev)
}
