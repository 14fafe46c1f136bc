//! Draws what an operator may do in a scripted run: edits of active nodes, undo, other branches.
//!
//! Must not know: the result of an edit.

use std::collections::BTreeSet;

use serde_json::Value;

use super::super::op_sequence::OpSequence;
use super::drive::Session;
use super::script::{Script, label_of};
use overrule_domain::command::{Edit, EditCommand, InsertAfter};
use overrule_domain::id::{Epoch, NodeId, NodeKind};

impl Session {
    pub(super) fn active(&self, tape: &mut OpSequence<'_>, kind: NodeKind) -> Option<NodeId> {
        tape.one(&self.w.all(kind)).copied()
    }

    /// Other arguments for a call: it keeps its name and its target, and reads what precedes it.
    fn arguments(&self, tape: &mut OpSequence<'_>, own: Option<NodeId>) -> String {
        let state = &self.w.state;
        let was = own
            .and_then(|id| state.nodes[&id].as_call())
            .map(|(_, args)| args.clone());
        let was: Value = was.map_or(Value::Null, |args| serde_json::from_str(&args).expect("JSON"));
        let mut members: Vec<String> = ["_as", "_out"]
            .iter()
            .filter_map(|key| Some(format!("\"{key}\":{}", was.get(key)?)))
            .collect();
        let place = own.map(|id| (state.turns[&state.nodes[&id].turn].pos, id));
        let before = |id: &&NodeId| {
            let turn = &state.turns[&state.nodes[id].turn];
            place.is_none_or(|(pos, own)| turn.pos < pos || turn.pos == pos && **id < own)
        };
        let calls = self.w.all(NodeKind::Call);
        let readers = own.map_or_else(BTreeSet::new, |id| self.readers(self.label(id)));
        let free = |id: &&NodeId| !readers.contains(id);
        let calls: Vec<&NodeId> = calls.iter().filter(before).filter(free).collect();
        for key in 0..tape.draw(3) {
            let Some(read) = tape.one(&calls) else { break };
            let label = self.label(**read);
            let or = if tape.draw(4) == 0 { " || †input.k" } else { "" };
            let waits = key == 1 && !self.mirror.script.plain && tape.draw(3) == 0;
            let key = if waits {
                "_after".to_owned()
            } else {
                format!("x{key}")
            };
            members.push(format!("\"{key}\":\"†call.{label}.v{or}\""));
        }
        members.push(format!("\"y\":{}", tape.draw(4)));
        format!("{{{}}}", members.join(","))
    }

    fn label(&self, id: NodeId) -> String {
        let (_, args) = self.w.state.nodes[&id].as_call().expect("a call");
        label_of(args).map_or_else(|| id.to_string(), str::to_owned)
    }

    /// The calls that read a name, directly or through others: an edit must not make a cycle.
    fn readers(&self, name: String) -> BTreeSet<NodeId> {
        let args = |id: &NodeId| self.w.state.nodes[id].as_call().expect("a call").1;
        let calls = self.w.all(NodeKind::Call);
        let mut readers = BTreeSet::new();
        let mut names = vec![name];
        while let Some(name) = names.pop() {
            let named = [format!("†call.{name}."), format!("†state.s{name}.")];
            for id in &calls {
                let reads = named.iter().any(|name| args(id).contains(name));
                if reads && readers.insert(*id) {
                    names.push(self.label(*id));
                }
            }
        }
        readers
    }

    pub fn an_edit(&self, tape: &mut OpSequence<'_>) -> Option<Edit> {
        let turns = self.w.turns();
        let value = format!("{{\"v\":{}}}", tape.draw(4));
        Some(match tape.draw(20) {
            0..=5 => {
                let node = self.active(tape, NodeKind::Call)?;
                let same = tape.draw(2) == 0;
                let (tool, _) = self.w.state.nodes[&node].as_call()?;
                let tool = if same {
                    tool.clone()
                } else {
                    Script::tool(tape.draw(5)).into()
                };
                Edit::Call {
                    node,
                    base: self.rev(node),
                    tool,
                    args: self.arguments(tape, Some(node)).into(),
                    shown: tape.draw(2) == 0,
                }
            }
            6..=9 => {
                let node = self.active(tape, NodeKind::Observation)?;
                Edit::Observation {
                    node,
                    base: self.rev(node),
                    value: value.into(),
                }
            }
            10..=12 => {
                let kind = [NodeKind::Thought, NodeKind::Prompt, NodeKind::Answer][tape.draw(3)];
                let node = self.active(tape, kind)?;
                Edit::Text {
                    node,
                    base: self.rev(node),
                    text: format!("rather {}", tape.draw(3)).into(),
                }
            }
            13 => Edit::InsertPrompt {
                after: tape.one(&turns).copied(),
                text: "guidance".into(),
            },
            14 => Edit::InsertThought {
                after: self.insert_after(tape),
                text: "consider".into(),
            },
            15 | 16 => Edit::InsertCall {
                after: tape.one(&turns).copied(),
                tool: Script::tool(tape.draw(5)).into(),
                args: self.arguments(tape, None).into(),
            },
            17 => Edit::RejectAnswer {
                base: None,
                node: self.active(tape, NodeKind::Answer)?,
                reason: "wrong".into(),
            },
            _ => {
                let kind = [NodeKind::Thought, NodeKind::Call, NodeKind::Prompt][tape.draw(3)];
                let node = self.active(tape, kind)?;
                Edit::Delete {
                    node,
                    base: self.rev(node),
                }
            }
        })
    }

    /// A turn, or a node that counts.
    fn insert_after(&self, tape: &mut OpSequence<'_>) -> Option<InsertAfter> {
        let kinds = [NodeKind::Thought, NodeKind::Call, NodeKind::Observation];
        let node = match tape.draw(4) {
            0 => None,
            kind => self.active(tape, kinds[kind - 1]),
        };
        let turn = || tape.one(&self.w.turns()).copied().map(InsertAfter::Turn);
        node.map(InsertAfter::Node).or_else(turn)
    }

    pub fn branch(&self, tape: &mut OpSequence<'_>) -> Option<EditCommand> {
        let epoch = Epoch(tape.draw(self.w.state.epoch.0 as usize + 1) as u32);
        // Most numbers name branches; the others are refused.
        let refused = tape.draw(8) == 0;
        let epoch = if refused {
            epoch
        } else {
            overrule_domain::branch::of(&self.w.state, epoch)
        };
        let effects_seen = None;
        Some(match tape.draw(5) {
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
            _ => {
                let nodes: Vec<NodeId> = self.w.state.nodes.values().map(|node| node.id).collect();
                let node = tape.one(&nodes).copied()?;
                EditCommand::Commit {
                    edits: vec![Edit::Copy {
                        node,
                        base: None,
                        from: epoch,
                    }],
                    effects_seen,
                    reason: None,
                    keep_later: false,
                }
            }
        })
    }
}
