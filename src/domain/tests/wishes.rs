//! Draws what an operator may do with the graph in a random session: edits, undo, other branches.
//!
//! Must not know: the result of an edit.

use super::op_sequence::{OpSequence, any, args, tool};
use super::world::*;
use overrule_domain::command::{Command, Edit, EditCommand, InsertAfter};
use overrule_domain::id::{Epoch, NodeId, NodeKind, Rev};
use overrule_domain::refusal::Refusal;

/// An edit of something that is there.
pub fn an_edit(w: &World, tape: &mut OpSequence<'_>) -> Option<Edit> {
    let turns = if tape.threads {
        w.state.turns.keys().copied().collect()
    } else {
        w.turns()
    };
    Some(match tape.draw(18) {
        0..=4 => {
            let node = any(w, tape, NodeKind::Call)?;
            Edit::Call {
                node,
                base: w.rev(node),
                tool: tool(tape).into(),
                args: args(tape).into(),
                shown: tape.draw(2) == 0,
            }
        }
        5..=9 => {
            let node = any(w, tape, NodeKind::Observation)?;
            Edit::Observation {
                node,
                base: w.rev(node),
                value: format!("{{\"v\":{}}}", tape.draw(3)).into(),
            }
        }
        10 | 11 => {
            let node = any(w, tape, NodeKind::Thought)?;
            Edit::Text {
                node,
                base: w.rev(node),
                text: format!("rather {}", tape.draw(3)).into(),
            }
        }
        12 => {
            let kind = [NodeKind::Prompt, NodeKind::Answer][tape.draw(2)];
            let node = any(w, tape, kind)?;
            Edit::Text {
                node,
                base: w.rev(node),
                text: format!("words {}", tape.draw(3)).into(),
            }
        }
        13 => Edit::InsertPrompt {
            after: tape.one(&turns).copied(),
            text: "guidance".into(),
        },
        14 => Edit::InsertThought {
            after: match tape.draw(4) {
                0 => tape.one(&turns).copied().map(InsertAfter::Turn),
                kind => {
                    let kinds = [NodeKind::Thought, NodeKind::Call, NodeKind::Observation];
                    any(w, tape, kinds[kind - 1]).map(InsertAfter::Node)
                }
            },
            text: "consider".into(),
        },
        15 => Edit::InsertCall {
            after: tape.one(&turns).copied(),
            tool: tool(tape).into(),
            args: args(tape).into(),
        },
        16 => Edit::RejectAnswer {
            base: None,
            node: any(w, tape, NodeKind::Answer)?,
            reason: "wrong".into(),
        },
        _ => {
            let kind = [
                NodeKind::Thought,
                NodeKind::Call,
                NodeKind::Call,
                NodeKind::Prompt,
            ][tape.draw(4)];
            let node = any(w, tape, kind)?;
            Edit::Delete {
                node,
                base: w.rev(node),
            }
        }
    })
}

/// One edit or two, now and then with the later turns kept.
pub fn edit(w: &mut World, tape: &mut OpSequence<'_>) -> Option<Result<(), Refusal>> {
    let mut edits = vec![an_edit(w, tape)?];
    if tape.draw(5) == 0 {
        edits.extend(an_edit(w, tape));
    }
    Some(w.cmd(Command::Edit(EditCommand::Commit {
        edits,
        effects_seen: None,
        reason: None,
        keep_later: tape.draw(6) == 0,
    })))
}

/// Another branch, or what it says.
pub fn branch(w: &mut World, tape: &mut OpSequence<'_>) -> Option<Result<(), Refusal>> {
    let epoch = Epoch(tape.draw(w.state.epoch.0 as usize + 2) as u32);
    let effects_seen = None;
    let command = match tape.draw(6) {
        0 | 1 => EditCommand::Undo {
            epoch: None,
            effects_seen,
        },
        2 => EditCommand::Redo {
            epoch: None,
            effects_seen,
        },
        3 => EditCommand::Switch {
            to: epoch,
            epoch: None,
            effects_seen,
        },
        4 => EditCommand::Name {
            epoch,
            name: "one".into(),
        },
        _ => {
            let nodes: Vec<NodeId> = w.state.nodes.values().map(|node| node.id).collect();
            let node = tape.one(&nodes).copied()?;
            return Some(w.edit(Edit::Copy {
                node,
                base: None,
                from: epoch,
            }));
        }
    };
    Some(w.cmd(Command::Edit(command)))
}

/// A call edit that is valid whatever else is there.
pub fn plain_edit(w: &World, node: NodeId, n: usize) -> Edit {
    let base: Rev = w.rev(node);
    let (tool, _) = w.state.nodes[&node].as_call().unwrap();
    let label = w.state.calls[&node].label.clone();
    let name = if *label == node.to_string() {
        String::new()
    } else {
        format!("\"_as\":\"{label}\",")
    };
    Edit::Call {
        node,
        base,
        tool: tool.clone(),
        args: format!("{{{name}\"n\":{n}}}").into(),
        shown: true,
    }
}
