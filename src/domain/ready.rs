//! Whether a call has what it reads, and what that is.
//!
//! Must not know: who asks, what happens next.
//!
//! Inside a turn a reference waits for calls before it; across turns it sees the values that exist.
//! A value exists once its call succeeded and nothing upstream is in question.

mod conflicts;
mod value;
mod writes;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::Value;

use super::call::{Binding, Call, Status};
use super::id::NodeId;
use super::node::Node;
use super::reference::rewrite;
use super::reference::{Expr, OutPath, Root, Target};
use super::state::State;

pub use conflicts::{
    WriteConflict, calls_in_conflict, conflicts, same_targets, write_conflicts, written_value,
};
pub use writes::{PathWriters, written_paths};

/// What a look at a call finds.
#[derive(Debug, Clone, PartialEq)]
pub enum Readiness {
    /// Something that it reads is not there yet.
    Wait,
    /// Everything is there.
    Bound {
        /// What was read.
        bindings: Vec<Binding>,
        /// The bytes that run, where they differ from the argument text.
        resolved: Option<String>,
    },
    /// Something that it reads will never be there.
    Dead {
        /// What, and why.
        because: String,
    },
}

/// What one expression gives.
enum Evaluation {
    Value(Vec<Binding>, Value),
    Pending,
    Never(String),
}

/// Who reads, and when.
struct View<'s> {
    state: &'s State,
    reader: &'s Call,
    /// True if nothing changes in the reader's turn any more: a value without a writer, and one
    /// that an invalid call would have written, will never exist.
    at_rest: bool,
}

/// Looks at what a call reads.
pub fn look(state: &State, call: &Call) -> Readiness {
    let Some((_, args)) = state.nodes.get(&call.id).and_then(Node::as_call) else {
        return Readiness::Wait;
    };
    look_with(state, call, args)
}

/// Looks at what a call reads when nothing moves in its turn any more.
pub fn look_at_rest(state: &State, call: &Call) -> Readiness {
    let Some((_, args)) = state.nodes.get(&call.id).and_then(Node::as_call) else {
        return Readiness::Wait;
    };
    let view = View {
        state,
        reader: call,
        at_rest: true,
    };
    view.look(args)
}

/// A call as it would be with other arguments.
pub fn with_args(state: &State, call: &Call, args: &str) -> Call {
    let mut other = call.clone();
    let scanned = state.scan(args);
    other.refs.references = scanned.references;
    other
}

/// Looks at what a call would read with other arguments; its references are those of the call given.
pub fn look_with(state: &State, call: &Call, args: &str) -> Readiness {
    let view = View {
        state,
        reader: call,
        at_rest: false,
    };
    view.look(args)
}

/// One of the references that a call still waits for, by its place in the list; none where
/// everything is there or something will never be: where [`look`] gives more than a wait.
///
/// Of several it is any: a wide call would otherwise be looked at whole at the end of each call
/// that it reads, if these end in the order in which it names them.
pub fn waits_for(state: &State, call: &Call) -> Option<u32> {
    let view = View {
        state,
        reader: call,
        at_rest: false,
    };
    let mut pending: u64 = 0;
    let mut chosen = None;
    let mut by_status = false;
    for (place, reference) in (0..).zip(&call.refs.references) {
        let preview = view.availability(&reference.expr);
        by_status |= preview == Availability::Pending;
        let preview = match preview {
            // A choice that is there may turn out to have no such path, and the next may be on its way.
            Availability::There if !reference.expr.is_plain() => match view.evaluate(&reference.expr) {
                Evaluation::Pending => Availability::Pending,
                Evaluation::Value(..) | Evaluation::Never(_) => Availability::There,
            },
            Availability::Never => match view.evaluate(&reference.expr) {
                Evaluation::Never(_) => return None,
                Evaluation::Value(..) | Evaluation::Pending => Availability::There,
            },
            preview => preview,
        };
        if preview != Availability::Pending {
            continue;
        }
        pending += 1;
        // The golden ratio in fixed point: a sequence without pattern, the same in every fold.
        let draw = state
            .seq
            .0
            .wrapping_add(pending)
            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            >> 32;
        if draw.is_multiple_of(pending) {
            chosen = Some(place);
        }
    }
    // With every source there it is the values that count, and one that is missing ends the wait.
    let ends = |expr: &Expr| matches!(view.evaluate(expr), Evaluation::Never(_));
    if !by_status && chosen.is_some() && call.refs.references.iter().any(|one| ends(&one.expr)) {
        return None;
    }
    chosen
}

/// Whether a call still waits for a reference (as [`waits_for`] gave it) when another call has
/// ended or lost its value. False if only a look at all references can tell.
pub fn still_waits(state: &State, reader: &Call, place: u32, changed: &Call) -> bool {
    let view = View {
        state,
        reader,
        at_rest: false,
    };
    let writes = changed.refs.out.as_ref().map(OutPath::heads).unwrap_or_default();
    let mut there = false;
    for (at, reference) in (0..).zip(&reader.refs.references) {
        if at == place {
            // One that waits for a path, not for a source, is looked at whole.
            there = view.availability(&reference.expr) == Availability::Pending;
        }
        let mut is_read = false;
        reference.expr.each(&mut |target| {
            is_read |= match target.root {
                Root::Call => target.head == *changed.label,
                Root::State => writes.contains(&target.head.as_str()),
                Root::Input => false,
            };
        });
        if is_read {
            match view.availability(&reference.expr) {
                Availability::Pending => {}
                Availability::There if at != place => {}
                Availability::There | Availability::Never => return false,
            }
        }
    }
    there
}

/// The active calls whose results a call's references name, whether they have ended or not.
pub fn sources(state: &State, call: &Call) -> BTreeSet<NodeId> {
    let view = View {
        state,
        reader: call,
        at_rest: false,
    };
    let mut found = BTreeSet::new();
    for reference in &call.refs.references {
        reference.expr.each(&mut |target| match target.root {
            Root::Call => found.extend(view.holder(&target.head)),
            Root::State => found.extend(view.writers(target)),
            Root::Input => {}
        });
    }
    found
}

/// The active calls that give what a reference of a call names, or may: in the order of their writes.
pub fn providers(state: &State, call: &Call, target: &Target) -> Vec<NodeId> {
    let view = View {
        state,
        reader: call,
        at_rest: false,
    };
    match target.root {
        Root::Call => view.holder(&target.head).into_iter().collect(),
        Root::State => view.possible_writers(target),
        Root::Input => Vec::new(),
    }
}

/// True where a call names the result of another, however that ended: with another end it may write a path
/// that it has not written now.
pub fn names(state: &State, reader: &Call, source: NodeId) -> bool {
    let view = View {
        state,
        reader,
        at_rest: false,
    };
    reader.refs.references.iter().any(|reference| {
        let mut found = false;
        reference.expr.each(&mut |target| {
            found |= match target.root {
                Root::Call => view.holder(&target.head) == Some(source),
                Root::State => view.possible_writers(target).contains(&source),
                Root::Input => false,
            };
        });
        found
    })
}

impl View<'_> {
    fn look(&self, args: &str) -> Readiness {
        let references = &self.reader.refs.references;
        // Statuses first: values are only read once all of them are there.
        let mut waits = false;
        for reference in references {
            match self.availability(&reference.expr) {
                Availability::There => {}
                Availability::Pending => waits = true,
                Availability::Never => {
                    if let Evaluation::Never(because) = self.evaluate(&reference.expr) {
                        return Readiness::Dead { because };
                    }
                }
            }
        }
        if waits {
            return Readiness::Wait;
        }
        let mut bindings = Vec::new();
        let mut values = BTreeMap::new();
        for reference in references {
            match self.evaluate(&reference.expr) {
                Evaluation::Value(bound, value) => {
                    bindings.extend(bound);
                    values.insert(reference.at.as_str(), value);
                }
                Evaluation::Pending => waits = true,
                Evaluation::Never(because) => return Readiness::Dead { because },
            }
        }
        if waits {
            return Readiness::Wait;
        }
        if self.state.is_of_agent() {
            let resolved = None;
            return Readiness::Bound { bindings, resolved };
        }
        let resolved = match rewrite::resolve(args, |at| values.get(at).map(Value::to_string)) {
            std::borrow::Cow::Borrowed(_) => None,
            std::borrow::Cow::Owned(text) => Some(text),
        };
        Readiness::Bound { bindings, resolved }
    }

    /// How far an expression has come, by statuses alone. What it finds `There` may still turn out
    /// to have no such path.
    fn availability(&self, expr: &Expr) -> Availability {
        match expr {
            Expr::Read(target) => match target.root {
                Root::Input => Availability::There,
                Root::Call => match self.holder(&target.head) {
                    Some(source) => self.progress(source).availability(),
                    None => self.missing(),
                },
                Root::State => self.availability_of_state(target),
            },
            Expr::Fallback(parts) => parts
                .iter()
                .map(|part| self.availability(part))
                .find(|one| *one != Availability::Never)
                .unwrap_or(Availability::Never),
            Expr::All(parts) => parts
                .iter()
                .map(|part| self.availability(part))
                .max()
                .unwrap_or(Availability::Never),
        }
    }

    /// What it means that no call has a name.
    fn missing(&self) -> Availability {
        if self.at_rest {
            Availability::Never
        } else {
            Availability::Pending
        }
    }

    /// The call that a label means for the reader: in its own turn first, then the newest before.
    fn holder(&self, label: &str) -> Option<NodeId> {
        let state = self.state;
        let own = state.turn_of(self.reader.id)?;
        let mut here: Option<NodeId> = None;
        let mut before: Option<(u32, NodeId)> = None;
        let holders = state.agenda.holders(label).rev();
        for id in holders.filter(|id| *id != self.reader.id) {
            let has_name = state.calls.get(&id).is_some_and(|call| *call.label == *label);
            let Some(node) = state.nodes.get(&id).filter(|node| node.active && has_name) else {
                continue;
            };
            if node.turn == own.id {
                // A name that was given goes before an id that happens to be the same.
                if own.is_active() && (!label.starts_with(id.kind.letter()) || id.to_string() != label) {
                    return Some(id);
                }
                here = here.or(own.is_active().then_some(id));
                continue;
            }
            let Some(turn) = state.turns.get(&node.turn).filter(|turn| turn.is_active()) else {
                continue;
            };
            if turn.thread == own.thread && turn.pos < own.pos && before.is_none_or(|(pos, _)| turn.pos > pos)
            {
                before = Some((turn.pos, id));
            }
        }
        here.or(before.map(|(_, id)| id))
    }

    fn progress(&self, source: NodeId) -> Progress<'_> {
        let Some(call) = self.state.calls.get(&source) else {
            return Progress::Pending;
        };
        if call.suspect {
            return Progress::Pending;
        }
        match call.status {
            Status::Succeeded => match self.state.observation(source) {
                Some(node) => Progress::Value(node),
                None => Progress::Pending,
            },
            Status::Exited(_)
            | Status::Failed(_)
            | Status::Rejected
            | Status::Abandoned
            | Status::Expired
            | Status::Skipped
            | Status::Unsatisfiable => Progress::Never(call),
            Status::Invalid if self.at_rest => Progress::Never(call),
            Status::Proposed
            | Status::Invalid
            | Status::Blocked
            | Status::Ready
            | Status::AwaitingApproval
            | Status::Consent(_)
            | Status::Queued
            | Status::Scheduled
            | Status::Repairing(_)
            | Status::Running(_)
            | Status::OutcomeUnknown(_) => Progress::Pending,
        }
    }
}

/// How far an expression has come; a gate of several is as far as its last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Availability {
    There,
    Pending,
    Never,
}

/// How far a source has come, for a reader of its value.
enum Progress<'a> {
    Value(&'a Node),
    Pending,
    Never(&'a Call),
}

impl Progress<'_> {
    fn availability(&self) -> Availability {
        match self {
            Self::Value(_) => Availability::There,
            Self::Pending => Availability::Pending,
            Self::Never(_) => Availability::Never,
        }
    }
}

/// `c5`, or `c5 (readme)` where the call was given a name.
pub fn name_of(call: &Call) -> String {
    let id = call.id.to_string();
    if *call.label == *id {
        id
    } else {
        format!("{id} ({})", call.label)
    }
}

/// Why a source gives no value.
fn ended(call: &Call) -> String {
    match call.status {
        Status::Exited(code) => format!("{} ended with exit {code}", name_of(call)),
        _ => format!("{} {}", name_of(call), call.status.base_label()),
    }
}

fn descend<'a, 'p>(value: &'a Value, path: impl IntoIterator<Item = &'p String>) -> Option<&'a Value> {
    let mut here = value;
    for key in path {
        here = match here {
            Value::Object(map) => map.get(key)?,
            Value::Array(list) => list.get(key.parse::<usize>().ok()?)?,
            _ => return None,
        };
    }
    Some(here)
}

/// The exact bytes that a ready call would run.
pub fn resolved_args(state: &State, call: &Call) -> Option<Arc<str>> {
    call.resolved.clone().or_else(|| {
        state
            .nodes
            .get(&call.id)
            .and_then(Node::as_call)
            .map(|(_, args)| args.clone())
    })
}
