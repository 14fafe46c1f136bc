//! Applies the decisions of the operator to the naive graph.
//!
//! Must not know: what the run does with a decision.

use std::collections::BTreeSet;

use serde_json::Value;

use super::mirror::{Mirror, parse, slots};
use super::naive::{End, Fate, Naive, Turn};
use super::script::NodeContent;
use overrule_domain::call::Outcome;
use overrule_domain::command::{CallCommand, Command, Edit, EditCommand, InsertAfter, RunCommand};
use overrule_domain::id::{Epoch, NodeId, NodeKind, TurnId};
use overrule_domain::reference::kept;
use overrule_domain::state::State;

impl Mirror {
    pub(super) fn apply(&mut self, state: &State, command: &Command) {
        match command {
            Command::Edit(EditCommand::Commit {
                edits, keep_later, ..
            }) => {
                for edit in edits {
                    self.edit(state, edit, *keep_later);
                }
            }
            Command::Call(CallCommand::Retry { call, .. }) => {
                let (turn, place) = self.place(*call);
                self.turns[turn].nodes[place].fates.clear();
                self.hold_after(turn);
            }
            Command::Call(CallCommand::Unpin { node, .. }) => {
                let (turn, place) = self.place(*node);
                let node = &mut self.turns[turn].nodes[place];
                // A result from a person stays while the call would run with the same arguments.
                let last = node.fates.pop();
                node.fates.clear();
                if let (Some(Fate::Given { value, .. }), Some(args)) = (last, &node.ready) {
                    node.fates
                        .push(Fate::Ran(args.clone(), Outcome::ok(value.to_string())));
                }
                self.hold_after(turn);
            }
            Command::Call(CallCommand::Answer { call, .. }) => {
                let (turn, _) = self.place(*call);
                self.drop_after(turn, false);
            }
            Command::Run(RunCommand::AskAgain { turn, .. }) => {
                let at = self.index(*turn).expect("it counts");
                self.fall(at);
            }
            _ => {}
        }
    }

    pub(super) fn hold_after(&mut self, turn: usize) {
        self.turns
            .iter_mut()
            .skip(turn + 1)
            .for_each(|turn| turn.held = true);
    }

    pub(super) fn drop_after(&mut self, turn: usize, keep: bool) {
        if keep {
            let later = self.turns.iter_mut().skip(turn + 1);
            later
                .filter(|turn| turn.by_model)
                .for_each(|turn| turn.drifted = true);
        } else {
            self.fall(turn + 1);
        }
    }

    pub(super) fn edit(&mut self, state: &State, edit: &Edit, keep: bool) {
        match edit {
            Edit::Call { node, tool, args, .. } => {
                let (turn, place) = self.place(*node);
                let message = self.effective_edits.contains(node);
                // An edit of a call drops what the operator decided about it before.
                let mut before = self.turns[turn].clone();
                before.nodes[place].fates.clear();
                self.fallen(&before, place);
                let node = &mut self.turns[turn].nodes[place];
                if let NodeContent::Call(old_tool, old) = &node.content {
                    let args = kept::complete(old, args, **old_tool == **tool).into_owned();
                    node.content = NodeContent::Call(tool.to_string(), args);
                }
                node.fates.clear();
                node.ready = None;
                node.pinned_args = None;
                if message {
                    self.drop_after(turn, keep);
                }
            }
            Edit::Text { node, text, .. } => self.text(*node, text, keep),
            Edit::Observation { node, value, .. } => self.give(*node, parse(value), keep),
            Edit::InsertPrompt { after, text } => self.insert(*after, NodeContent::Prompt(text.to_string())),
            Edit::InsertThought { after, text } => {
                let after = after.map(|after| match after {
                    InsertAfter::Turn(turn) => turn,
                    InsertAfter::Node(node) => self.close_after(state, node.call()),
                });
                self.insert(after, NodeContent::Thought(text.to_string()));
                self.turns.last_mut().expect("it was inserted").split = true;
            }
            Edit::InsertCall { after, tool, args } => {
                self.insert(*after, NodeContent::Call(tool.to_string(), args.to_string()));
            }
            Edit::RejectAnswer { node, reason, .. } => {
                let (turn, place) = self.place(*node);
                let node = &mut self.turns[turn].nodes[place];
                (node.gone, node.rejected) = (true, true);
                let after = Some(self.turns[turn].id);
                self.insert(
                    after,
                    NodeContent::Prompt(format!("The operator rejected your answer: {reason}")),
                );
            }
            Edit::Copy { node, from, .. } => self.take(state, *node, *from, keep),
            Edit::Delete { node, .. } => self.delete(*node, keep),
        }
    }

    pub(super) fn text(&mut self, node: NodeId, text: &str, keep: bool) {
        let (turn, place) = self.place(node);
        self.turns[turn].nodes[place].content = match node.kind {
            NodeKind::Prompt => NodeContent::Prompt(text.into()),
            NodeKind::Answer => NodeContent::Answer(text.into()),
            _ => NodeContent::Thought(text.into()),
        };
        if node.kind == NodeKind::Thought {
            self.split_after(turn, place);
        }
        self.drop_after(turn, keep);
    }

    pub(super) fn split_after(&mut self, turn: usize, place: usize) {
        let before = self.turns[turn].clone();
        (place + 1..before.nodes.len()).for_each(|at| self.fallen(&before, at));
        let turn = &mut self.turns[turn];
        turn.split = true;
        turn.nodes
            .iter_mut()
            .skip(place + 1)
            .for_each(|node| node.gone = true);
    }

    /// Drops the nodes after a node in its turn, if there are any or more may arrive.
    fn close_after(&mut self, state: &State, node: NodeId) -> TurnId {
        let (turn, place) = self.place(node);
        let own = &self.turns[turn];
        let falls = own.nodes.iter().skip(place + 1).any(|node| !node.gone);
        if own.by_model && (falls || state.turns[&own.id].split) {
            self.split_after(turn, place);
        }
        self.turns[turn].id
    }

    pub(super) fn give(&mut self, node: NodeId, value: Value, keep: bool) {
        let (turn, place) = self.place(node);
        let node = &mut self.turns[turn].nodes[place];
        node.worded = true;
        node.fates.push(Fate::Given { value, by_edit: true });
        self.drop_after(turn, keep);
    }

    pub(super) fn insert(&mut self, after: Option<TurnId>, claims: NodeContent) {
        let mut at = match after {
            Some(id) => self.index(id).expect("it counts"),
            None => self.turns.len() - 1,
        };
        // Nodes that the same commit inserted there come first.
        while let Some(next) = self.turns.get(at + 1)
            && self.unnamed.contains(&next.id)
        {
            at += 1;
        }
        self.fall(at + 1);
        self.inserted += 1;
        let id = TurnId(u32::MAX - self.inserted);
        self.unnamed.push_back(id);
        self.turns.push(Turn::new(id, false, [claims]));
    }

    pub(super) fn delete(&mut self, node: NodeId, keep: bool) {
        let (turn, place) = self.place(node);
        self.turns[turn].nodes[place].gone = true;
        if node.kind == NodeKind::Thought {
            self.split_after(turn, place);
        }
        self.drop_after(turn, keep);
        let own = &self.turns[turn];
        if !own.by_model && own.nodes.iter().all(|node| node.gone) {
            self.turns.remove(turn);
        }
    }

    /// Copies the revision of a node from another branch.
    pub(super) fn take(&mut self, state: &State, id: NodeId, from: Epoch, keep: bool) {
        // Where a branch ends is a name of the run.
        let from = overrule_domain::branch::end(state, from);
        let own = self.turns.clone();
        let (there, words) = self
            .snapshots
            .get(from.0 as usize)
            .map_or((own, self.words.clone()), |snapshot| {
                (snapshot.turns.clone(), snapshot.words.clone())
            });
        let slots = slots(state);
        let mut naive = Naive::new(&there, &self.script, &slots, &words);
        let of = |(at, turn): (usize, &Turn)| {
            let mut counting = turn.counting();
            let found = counting.find(|(_, node)| node.id == Some(id.call()));
            found.map(|(place, _)| (at, place))
        };
        let found = there.iter().enumerate().find_map(of);
        let (at, place) = found.unwrap_or_else(|| panic!("{id} does not count on branch {from}"));
        let node = &there[at].nodes[place];
        let NodeContent::Call(tool, text) = &node.content else {
            let (NodeContent::Prompt(text) | NodeContent::Thought(text) | NodeContent::Answer(text)) =
                &node.content
            else {
                return;
            };
            let target = if self.find(id).is_some() {
                id
            } else {
                self.answer()
            };
            return self.text(target, text, keep);
        };
        let cell = naive.cell((at, place));
        let End::Value(value) = cell.end else {
            panic!("{id} has no value on branch {from}")
        };
        if self.find(id).is_some() {
            return self.give(id, value, keep);
        }
        // With the arguments that it ran with, or as written where a person answered without a run.
        let ran = node.fates.iter().rev().find_map(|fate| match fate {
            Fate::Started(_, args) | Fate::Ran(args, _) => Some(args.to_string()),
            _ => None,
        });
        let args = ran.unwrap_or_else(|| text.clone());
        self.insert(None, NodeContent::Call(tool.clone(), args));
    }

    pub(super) fn answer(&self) -> NodeId {
        let mut all = self.turns.iter().rev().flat_map(|turn| turn.nodes.iter().rev());
        let answer = all.find(|node| matches!(node.content, NodeContent::Answer(_)) && !node.gone);
        answer.and_then(|node| node.id).expect("an answer")
    }

    pub(super) fn restore(&mut self, state: &State, of: Epoch) {
        let snapshot = &self.snapshots[of.0 as usize];
        let mut turns = snapshot.turns.clone();
        self.words = snapshot.words.clone();
        let unsettled = &snapshot.unsettled;
        let open: BTreeSet<(TurnId, usize)> = turns
            .iter()
            .flat_map(|turn| {
                turn.nodes
                    .iter()
                    .enumerate()
                    .map(move |(at, node)| (turn.id, at, node))
            })
            .filter(|(_, _, node)| node.id.is_none_or(|id| unsettled.contains(&id)))
            .map(|(turn, at, _)| (turn, at))
            .collect();
        // A call that had not ended there continues, where both branches have it.
        for turn in &mut turns {
            let Some(now) = self.turns.iter().find(|one| one.id == turn.id) else {
                continue;
            };
            for (at, node) in turn.nodes.iter_mut().enumerate() {
                let now = &now.nodes[at];
                if open.contains(&(turn.id, at)) && now.content == node.content && !now.gone {
                    node.fates.clone_from(&now.fates);
                    node.fates
                        .retain(|fate| !matches!(fate, Fate::Given { by_edit: true, .. }));
                    node.ready.clone_from(&now.ready);
                    node.pinned_args.clone_from(&now.pinned_args);
                    node.worded = node.fates.iter().any(|fate| matches!(fate, Fate::Given { .. }));
                }
            }
        }
        self.turns = turns;
        self.sync(state);
    }
}
