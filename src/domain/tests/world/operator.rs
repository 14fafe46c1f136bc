//! Actions of an operator in the test world, one line each.
//!
//! Must not know: the result of an action.

use super::World;
use overrule_domain::command::{CallCommand, Command, Edit, EditCommand, RunCommand};
use overrule_domain::id::{Epoch, NodeId};
use overrule_domain::refusal::Refusal;

/// Undoes the newest active edit.
pub const UNDO: EditCommand = EditCommand::Undo {
    epoch: None,
    effects_seen: None,
};

/// Redoes the last undone edit.
const REDO: EditCommand = EditCommand::Redo {
    epoch: None,
    effects_seen: None,
};

impl World {
    pub fn edit(&mut self, edit: Edit) -> Result<(), Refusal> {
        self.edits(vec![edit])
    }

    pub fn edits(&mut self, edits: Vec<Edit>) -> Result<(), Refusal> {
        self.cmd(Command::Edit(EditCommand::Commit {
            edits,
            effects_seen: None,
            reason: None,
            keep_later: false,
        }))
    }

    pub fn args(&mut self, id: NodeId, args: &str) -> Result<(), Refusal> {
        let (tool, _) = self.state.nodes[&id].as_call().unwrap();
        let tool = tool.clone();
        let base = self.rev(id);
        self.edit(Edit::Call {
            node: id,
            base,
            tool,
            args: args.into(),
            shown: true,
        })
    }

    pub fn text(&mut self, id: NodeId, text: &str) -> Result<(), Refusal> {
        let base = self.rev(id);
        self.edit(Edit::Text {
            node: id,
            base,
            text: text.into(),
        })
    }

    pub fn correct(&mut self, call: NodeId, value: &str) -> Result<(), Refusal> {
        let node = call.observation();
        let base = self.rev(node);
        self.edit(Edit::Observation {
            node,
            base,
            value: value.into(),
        })
    }

    pub fn delete(&mut self, id: NodeId) -> Result<(), Refusal> {
        let base = self.rev(id);
        self.edit(Edit::Delete { node: id, base })
    }

    pub fn guide(&mut self, text: &str) -> Result<(), Refusal> {
        self.edit(Edit::InsertPrompt {
            after: None,
            text: text.into(),
        })
    }

    /// Sets a tag on a tool of the run.
    pub fn tag(&mut self, tool: &str, tag: &str) {
        let started = std::sync::Arc::make_mut(self.state.started.as_mut().expect("a run"));
        let mut cards = started.tools.iter_mut();
        let card = cards.find(|card| &*card.name == tool).expect("a tool");
        card.tags.push(tag.into());
    }

    pub fn approve(&mut self, id: NodeId) -> Result<(), Refusal> {
        self.approve_with(id, None)
    }

    pub fn approve_with(&mut self, id: NodeId, word: Option<&str>) -> Result<(), Refusal> {
        let digest = self.digest(id);
        let rev = self.rev(id);
        self.cmd(Command::Call(CallCommand::Approve {
            call: id,
            rev,
            digest,
            unread: 0,
            shown: None,
            word: word.map(Into::into),
        }))
    }

    pub fn reject(&mut self, id: NodeId) -> Result<(), Refusal> {
        let rev = self.rev(id);
        self.cmd(Command::Call(CallCommand::Reject {
            call: id,
            rev,
            reason: "no".into(),
        }))
    }

    pub fn answer_for(&mut self, id: NodeId, value: &str) -> Result<(), Refusal> {
        let rev = self.rev(id);
        self.cmd(Command::Call(CallCommand::Answer {
            call: id,
            rev,
            value: value.into(),
        }))
    }

    pub fn retry(&mut self, id: NodeId) -> Result<(), Refusal> {
        let rev = self.rev(id);
        self.cmd(Command::Call(CallCommand::Retry { call: id, rev }))
    }

    pub fn consent(
        &mut self,
        id: NodeId,
        choice: overrule_domain::command::ConsentChoice,
    ) -> Result<(), Refusal> {
        self.consent_with(id, choice, None)
    }

    pub fn consent_with(
        &mut self,
        id: NodeId,
        choice: overrule_domain::command::ConsentChoice,
        word: Option<&str>,
    ) -> Result<(), Refusal> {
        let (rev, digest) = (self.rev(id), self.digest(id));
        self.cmd(Command::Call(CallCommand::Consent {
            call: id,
            rev,
            digest,
            choice,
            shown: None,
            word: word.map(Into::into),
        }))
    }

    pub fn run(&mut self, command: RunCommand) -> Result<(), Refusal> {
        self.cmd(Command::Run(command))
    }

    pub fn undo(&mut self) -> Result<(), Refusal> {
        self.cmd(Command::Edit(UNDO))
    }

    pub fn redo(&mut self) -> Result<(), Refusal> {
        self.cmd(Command::Edit(REDO))
    }

    pub fn switch(&mut self, to: u32) -> Result<(), Refusal> {
        self.cmd(Command::Edit(EditCommand::Switch {
            to: Epoch(to),
            epoch: None,
            effects_seen: None,
        }))
    }

    pub fn take_over(&mut self, node: NodeId, from: u32) -> Result<(), Refusal> {
        let from = Epoch(from);
        self.edit(Edit::Copy {
            node,
            base: None,
            from,
        })
    }

    pub fn unpin(&mut self, node: NodeId) -> Result<(), Refusal> {
        self.cmd(Command::Call(CallCommand::Unpin { rev: None, node }))
    }
}
