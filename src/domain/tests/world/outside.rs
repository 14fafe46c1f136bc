//! Replies of the model and results of tools in the test world, one line each.
//!
//! Must not know: the result of a reply.

use super::{RunningCall, World};
use overrule_domain::call::Outcome;
use overrule_domain::files::ChangeSet;
use overrule_domain::id::{NodeId, ThreadId, TurnId};
use overrule_domain::input::{Block, Input};
use overrule_domain::ladder::Timer;
use overrule_domain::thread;
use overrule_domain::turn::{Stop, StreamFault, StreamFaultKind, Usage};

impl World {
    /// The stream that was opened last.
    pub fn tip(&self) -> (TurnId, u32) {
        *self.open.last().expect("a stream is open")
    }

    /// Turns to the open stream of a call's sub-agent.
    pub fn on(&mut self, call: NodeId) -> &mut Self {
        let child = thread::child_of(&self.state, &self.state.calls[&call]).expect("it has a sub-agent");
        self.on_thread(child.thread)
    }

    /// Turns to the open stream of a thread.
    pub fn on_thread(&mut self, thread: ThreadId) -> &mut Self {
        let here = |(turn, _): &(TurnId, u32)| self.state.turns[turn].thread == thread;
        let at = self.open.iter().position(here);
        let at = at.unwrap_or_else(|| panic!("{thread} streams nothing"));
        let one = self.open.remove(at);
        self.open.push(one);
        self
    }

    pub fn stream(&mut self, block: Block) {
        let (turn, request) = self.tip();
        self.input(Input::Block { turn, request, block });
    }

    pub fn end(&mut self, stop: Stop) {
        self.end_with(stop, Usage::default());
    }

    pub fn end_with(&mut self, stop: Stop, usage: Usage) {
        let (turn, request) = self.open.pop().expect("a stream is open");
        self.input(Input::Ended {
            turn,
            request,
            stop,
            usage,
        });
    }

    pub fn broke(&mut self, kind: StreamFaultKind) {
        let turn = self.breaks(kind, None);
        self.waited(turn);
    }

    /// The same without any passing time; the server asks for a wait. Returns the turn.
    pub fn breaks(&mut self, kind: StreamFaultKind, retry_after_ms: Option<u64>) -> TurnId {
        let (turn, request) = self.open.pop().expect("a stream is open");
        let fault = StreamFault {
            kind,
            message: kind.label().into(),
            retry_after_ms,
        };
        self.input(Input::Broke {
            turn,
            request,
            fault,
            usage: Usage::default(),
        });
        turn
    }

    /// The wait is over after which a turn is asked again, if it waits.
    pub fn waited(&mut self, turn: TurnId) {
        let timer = Timer::Request { turn };
        if !self.begun(&timer).is_empty() {
            self.elapsed(timer);
        }
    }

    /// A whole reply.
    pub fn reply(&mut self, blocks: &[Block]) {
        // A sub-agent that a block begins opens a stream of its own.
        let own = self.tip();
        for block in blocks {
            self.input(Input::Block {
                turn: own.0,
                request: own.1,
                block: block.clone(),
            });
        }
        // Where the program has died in between, nothing of this stream comes any more.
        let Some(at) = self.open.iter().position(|one| *one == own) else {
            return;
        };
        self.open[at..].rotate_left(1);
        self.end(Stop::End);
    }

    pub fn finish(&mut self, call: NodeId) {
        let at = self
            .running
            .iter()
            .position(|one| one.call == call)
            .expect("it runs");
        let one = &self.running[at];
        let outcome = if one.cancelled {
            Outcome::Cancelled { executed: true }
        } else {
            (self.rules.results)(&one.tool, &one.args)
        };
        self.finish_at(at, outcome);
    }

    pub fn finish_with(&mut self, call: NodeId, outcome: Outcome) {
        let at = self
            .running
            .iter()
            .position(|one| one.call == call)
            .expect("it runs");
        self.finish_at(at, outcome);
    }

    pub fn finish_at(&mut self, at: usize, outcome: Outcome) {
        let RunningCall {
            call, rev, attempt, ..
        } = self.running.remove(at);
        self.input(Input::Finished {
            call,
            rev,
            attempt,
            outcome,
            ms: 1,
            files: None,
        });
    }

    /// An execution ends that changed files.
    pub fn finish_changing(&mut self, at: usize, outcome: Outcome, set: ChangeSet) {
        let RunningCall {
            call, rev, attempt, ..
        } = self.running.remove(at);
        self.input(Input::Finished {
            call,
            rev,
            attempt,
            outcome,
            ms: 1,
            files: Some(Box::new(set)),
        });
    }

    /// Lets everything that runs end, and what follows from it, oldest first.
    pub fn drain(&mut self) {
        while let Some(one) = self.running.first() {
            self.finish(one.call);
        }
    }
}
