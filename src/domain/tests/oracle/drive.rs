//! Drives a session with the scripted model, one random step at a time, and informs the mirror.
//!
//! Must not know: what must be true.
//!
//! A step is drawn from what the world or the operator can do.

use serde_json::Value;

use super::super::op_sequence::OpSequence;
use super::super::world::*;
use super::mirror::Mirror;
use super::script::{FORMS, NodeContent, Script, hash, lines};
use overrule_domain::call::{EffectClass, Gate, Outcome, Status};
use overrule_domain::command::{
    CallCommand, Command, ConsentChoice, Edit, EditCommand, Resolution, RunCommand,
};
use overrule_domain::event::run::Limits;
use overrule_domain::id::{NodeId, NodeKind, Rev, TurnId};
use overrule_domain::input::Block;
use overrule_domain::node::Channel;
use overrule_domain::state::Mode;
use overrule_domain::turn::{Activity, Stop, Stream, Turn};

/// A run with its mirror.
pub struct Session {
    pub w: World,
    pub mirror: Mirror,
}

/// A scripted world drawn from a tape; `most` bounds the calls of the first turn.
pub fn script(tape: &mut OpSequence<'_>, most: usize) -> Script {
    let first = 1 + tape.draw(most);
    let mut sizes = vec![first];
    for _ in 0..tape.draw(3) {
        sizes.push(1 + tape.draw(most.min(8)));
    }
    let gate = |tape: &mut OpSequence<'_>| {
        [Gate::Allow, Gate::Allow, Gate::Allow, Gate::Ask, Gate::Deny][tape.draw(5)]
    };
    Script {
        seed: tape.draw(usize::from(u16::MAX)) as u64,
        sizes,
        form: FORMS[tape.draw(FORMS.len())],
        moods: [1, 2, 1 << 40][tape.draw(3)],
        results: [2, 3, Script::ALL_DIFFERENT][tape.draw(3)],
        plain: tape.draw(6) == 0,
        fails: tape.draw(2) == 0,
        gates: [Gate::Allow, gate(tape), gate(tape), gate(tape), gate(tape)],
    }
}

impl Session {
    pub fn new(script: Script, parallel: u32) -> Self {
        let results = script.clone();
        let tools = ["pure", "read", "idem", "write", "unknown"];
        let rules = Rules {
            gates: tools
                .iter()
                .map(|tool| ((*tool).to_owned(), script.gate(tool)))
                .collect(),
            results: std::sync::Arc::new(move |tool, args| {
                results.result(tool, &serde_json::from_str(args).expect("JSON"))
            }),
            ..Rules::default()
        };
        let limits = Limits {
            parallel,
            turns: None,
            ..Limits::default()
        };
        let w = World::limited(rules, limits);
        let mut mirror = Mirror::new(script);
        mirror.did(&w, None);
        Self { w, mirror }
    }

    /// Carries out a command; gives whether it was taken.
    pub fn cmd(&mut self, command: Command) -> bool {
        self.mirror.before(&self.w);
        let taken = self.w.cmd(command.clone()).is_ok();
        self.mirror.did(&self.w, taken.then_some(&command));
        taken
    }

    fn on_call(&mut self, command: CallCommand) -> bool {
        self.cmd(Command::Call(command))
    }

    pub fn commit(&mut self, edits: Vec<Edit>, keep_later: bool) -> bool {
        self.cmd(Command::Edit(EditCommand::Commit {
            edits,
            effects_seen: None,
            reason: None,
            keep_later,
        }))
    }

    fn after(&mut self) {
        self.mirror.did(&self.w, None);
    }

    // ---- the world

    /// The next block of the open stream, or its end.
    pub fn stream(&mut self) {
        let (turn, _) = self.w.tip();
        let asked = self
            .w
            .asked
            .iter()
            .rev()
            .find(|one| one.turn == turn)
            .expect("it was asked");
        let output = self.mirror.script.reply(&lines(&asked.messages));
        // The thought without words is no block of the stream.
        let mut blocks = output
            .iter()
            .filter(|claims| **claims != NodeContent::Thought(String::new()));
        let received = self.w.state.turns[&turn].received;
        match blocks.nth(received) {
            Some(NodeContent::Thought(text)) => self.w.stream(Block::Thought {
                text: text.as_str().into(),
                channel: Channel::Spoken,
                opaque: None,
            }),
            Some(NodeContent::Call(tool, args)) => self.w.stream(call(tool, args)),
            Some(NodeContent::Answer(text)) => self.w.stream(answer(text)),
            Some(NodeContent::Prompt(_)) => unreachable!("the model makes no prompts"),
            None => self.w.end(Stop::End),
        }
        self.after();
    }

    /// Ends one running execution. A cancelled one may have ended well all the same.
    pub fn finish(&mut self, tape: &mut OpSequence<'_>) {
        let at = tape.draw(self.w.running.len());
        let one = &self.w.running[at];
        let outcome = match tape.draw(3) {
            0 | 1 if one.cancelled => Outcome::Cancelled {
                executed: tape.draw(2) == 0,
            },
            _ => (self.w.rules.results)(&one.tool, &one.args),
        };
        self.w.finish_at(at, outcome);
        self.after();
    }

    pub fn crash(&mut self) {
        self.w.crash();
        self.after();
    }

    // ---- the operator, on calls that wait for them

    pub(super) fn rev(&self, id: NodeId) -> Rev {
        self.w.rev(id)
    }

    /// Decides on a call that waits and is not suspect. Approvals, rejections and answers follow from the
    /// bytes that would run, so that equal calls get equal decisions. Whether an effect may be repeated is
    /// drawn.
    pub fn decide(&mut self, id: NodeId, tape: &mut OpSequence<'_>) -> bool {
        let rev = self.rev(id);
        let life = &self.w.state.calls[&id];
        // Its inputs are suspect: it cannot be decided. The outcome of an execution can be set at any time.
        if life.suspect && !matches!(life.status, Status::OutcomeUnknown(_)) {
            return false;
        }
        let digest = self.w.digest(id);
        match life.status {
            Status::Consent(_) => {
                let entries = overrule_domain::repeat::equal_entries(&self.w.state, life);
                let choice = match tape.draw(5) {
                    0 => ConsentChoice::Reuse {
                        entry: tape.one(&entries).copied().unwrap_or_default(),
                    },
                    1 => ConsentChoice::Reject { reason: "no".into() },
                    _ => ConsentChoice::RunAgain,
                };
                let command = |choice| CallCommand::Consent {
                    call: id,
                    rev,
                    digest: digest.clone(),
                    choice,
                    shown: None,
                    word: None,
                };
                self.on_call(command(choice)) || self.on_call(command(ConsentChoice::RunAgain))
            }
            Status::OutcomeUnknown(_) => {
                let what = match tape.draw(2) {
                    0 => Resolution::DidNot,
                    _ => Resolution::Happened {
                        value: "{\"v\":1}".into(),
                    },
                };
                self.on_call(CallCommand::Resolve {
                    attempt: None,
                    call: id,
                    what,
                })
            }
            _ => {
                let (tool, _) = self.w.state.nodes[&id].as_call().expect("a call");
                let bytes = life.resolved.as_deref().unwrap_or_default();
                let args: Value = serde_json::from_str(bytes).unwrap_or_default();
                let mind = hash(&format!("mind {tool} {args}"));
                match mind % 8 {
                    0 => self.on_call(CallCommand::Reject {
                        call: id,
                        rev,
                        reason: "no".into(),
                    }),
                    1 => {
                        let value = format!("{{\"v\":{}}}", mind / 8 % 3);
                        self.answer(id, &value)
                    }
                    _ => self.on_call(CallCommand::Approve {
                        call: id,
                        rev,
                        digest,
                        unread: 0,
                        shown: None,
                        word: None,
                    }),
                }
            }
        }
    }

    fn answer(&mut self, call: NodeId, value: &str) -> bool {
        let rev = self.rev(call);
        let value = value.into();
        self.on_call(CallCommand::Answer { call, rev, value })
    }

    // ---- the operator, on anything

    fn wish(&mut self, tape: &mut OpSequence<'_>) -> Option<bool> {
        Some(match tape.draw(24) {
            0..=11 => {
                let mut edits = vec![self.an_edit(tape)?];
                for _ in 0..[0, 0, 1, 3][tape.draw(4)] {
                    edits.extend(self.an_edit(tape));
                }
                // A stream after a kept turn would be answered again in the middle.
                let streams = |turn: &Turn| matches!(turn.stream, Stream::Open | Stream::Broken(_));
                let streams = self
                    .w
                    .state
                    .turns
                    .values()
                    .any(|turn| !matches!(turn.activity, Activity::Superseded(_)) && streams(turn));
                let keep_later = tape.draw(6) == 0 && !streams;
                self.commit(edits, keep_later)
            }
            12..=16 => {
                let command = self.branch(tape)?;
                self.cmd(Command::Edit(command))
            }
            17 | 18 => {
                let call = self.active(tape, NodeKind::Call)?;
                let rev = self.rev(call);
                self.on_call(CallCommand::Retry { call, rev })
            }
            19 => {
                let node = self.active(tape, NodeKind::Observation)?;
                self.on_call(CallCommand::Unpin { rev: None, node })
            }
            20 => {
                let call = self.active(tape, NodeKind::Call)?;
                self.answer(call, &format!("{{\"v\":{}}}", tape.draw(3)))
            }
            21 => {
                let call = self.active(tape, NodeKind::Call)?;
                let reason = "slow".into();
                self.on_call(CallCommand::Cancel {
                    attempt: None,
                    call,
                    reason,
                })
            }
            22 => {
                let turn: TurnId = tape.one(&self.w.turns()).copied()?;
                self.cmd(Command::Run(RunCommand::AskAgain { turn, request: None }))
            }
            _ => {
                let node = self.active(tape, NodeKind::Call)?;
                self.cmd(Command::Edit(EditCommand::Hold { node }))
            }
        })
    }

    fn pace(&mut self, tape: &mut OpSequence<'_>) {
        let reason = "look".into();
        let command = match tape.draw(4) {
            0 => Command::Run(RunCommand::Pause { reason }),
            1 | 2 => Command::Run(RunCommand::Resume {}),
            _ => Command::Run(RunCommand::Step {}),
        };
        self.cmd(command);
        self.cmd(Command::Edit(EditCommand::Release { node: None }));
    }

    /// One thing that the world or the operator does. `wishes` in 100 are edits and the like.
    pub fn step(&mut self, tape: &mut OpSequence<'_>, wishes: usize) {
        let what = tape.draw(100);
        if what < wishes {
            self.wish(tape);
            return;
        }
        match what % 16 {
            0 => match tape.draw(6) {
                0 => self.crash(),
                1 => self.w.fuse = Some(1 + tape.draw(6)),
                2 => {
                    self.w.fuse = None;
                    self.pace(tape);
                }
                _ => {}
            },
            1..=6 if !self.w.open.is_empty() => self.stream(),
            1..=12 if !self.w.running.is_empty() => self.finish(tape),
            _ => {
                let waiting: Vec<NodeId> = self.w.state.queue().map(|call| call.id).collect();
                if let Some(id) = tape.one(&waiting).copied() {
                    self.decide(id, tape);
                } else if !self.w.open.is_empty() {
                    self.stream();
                }
            }
        }
    }

    /// Everybody does their part until the run has its answer.
    pub fn bring_home(&mut self, tape: &mut OpSequence<'_>) {
        self.w.fuse = None;
        for _ in 0..6_000 {
            if matches!(self.w.state.mode, Mode::Finished(_)) {
                return;
            }
            if !self.w.state.operator.editing.is_empty() {
                self.cmd(Command::Edit(EditCommand::Release { node: None }));
            }
            if self.w.state.mode != Mode::Running {
                self.cmd(Command::Run(RunCommand::Resume {}));
            }
            let waiting: Vec<NodeId> = self.w.state.queue().map(|call| call.id).collect();
            if waiting.into_iter().any(|id| self.decide(id, tape)) {
            } else if !self.w.running.is_empty() {
                self.finish(tape);
            } else if !self.w.open.is_empty() {
                self.stream();
            } else {
                let done = matches!(self.w.state.mode, Mode::Finished(_));
                assert!(
                    done,
                    "the run is stuck: {:?} {:?}",
                    self.w.state.mode, self.w.state.agenda
                );
            }
        }
        panic!("the run does not come to an end");
    }

    /// The run has its answer, and it is what the naive graph says.
    pub fn compare(&mut self) {
        self.mirror.compare(&self.w.state);
        for id in &self.w.state.agenda.running {
            let effect = self.w.state.calls[id].effect;
            assert!(effect <= EffectClass::Unknown, "{id} runs after the answer");
        }
    }
}
