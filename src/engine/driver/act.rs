//! Carries out the effects that the domain requests.
//!
//! Must not know: why they are requested.

use super::Driver;
use crate::approved::Approved;
use crate::approver;
use crate::halt::Halt;
use crate::side_request::{ABOUT_ARGUMENTS, SidePurpose, SideRequest};
use overrule_domain::command::Command;
use overrule_domain::effect::Effect;
use overrule_domain::envelope::Actor;
use overrule_domain::id::{Attempt, NodeId, Rev, Seq, TurnId};
use overrule_domain::reduction::summary;
use overrule_domain::refusal::Refusal;
use overrule_domain::thread::ROOT;
use overrule_domain::transcript::sent::{sent, sent_after_history};
use overrule_domain::turn::{Producer, Stream};
use overrule_domain::{decide, effects};
use overrule_model::{Quirk, Quirks, Request, Tap};

impl Driver {
    /// Hands an effect to the executor, unless a later event of the same batch made it unnecessary.
    pub(super) fn act(&mut self, effect: Effect) {
        let Some(executor) = &mut self.executor else {
            return;
        };
        match effect {
            Effect::Ask { turn, request, .. } => self.ask(turn, request),
            Effect::Abort { turn } => _ = self.abort(turn),
            Effect::Launch {
                call,
                rev,
                attempt,
                key,
            } => match Approved::from_decision(&self.state, &self.adviser, (call, rev, attempt)) {
                Ok(approved) => {
                    let withheld = self.adviser.withheld(approved.tool(), approved.bytes());
                    executor.launch(&approved, key, withheld);
                }
                Err(error) => executor.refuse(call, rev, attempt, error.to_string()),
            },
            Effect::Cancel { call, attempt } => _ = executor.cancel(call, attempt),
            Effect::Probe { call, attempt } => self.probe(call, attempt),
            Effect::Timer { timer, set, ms } => executor.timer(timer, set, ms),
            Effect::AskRepair {
                call,
                rev,
                round,
                wait_ms,
            } => self.ask_repair((call, rev, round), wait_ms),
            Effect::AskSummary { set, wait_ms } => self.ask_summary(set, wait_ms),
            Effect::ReplyToServer { question, answer } => executor.reply(question, answer),
            Effect::AskApprover { call, set } => {
                let question = approver::question(&self.state, &self.adviser.session, call);
                executor.ask_approver(call, set, question);
            }
            Effect::EndApprover { call } => executor.end_approver(call),
            Effect::KeepUndone { change, again } => executor.keep_undone(change, again),
            Effect::Restore { restore, steps } => executor.restore(restore, steps),
            Effect::ClearRestore { steps } => executor.clear_restore(steps),
            // The console and the headless printer learn of it from the events.
            Effect::Notify { .. } => {}
        }
    }

    /// Returns false if no stream of the turn was open.
    fn abort(&mut self, turn: TurnId) -> bool {
        self.live.send_modify(|turns| _ = turns.remove(&turn));
        self.executor
            .as_ref()
            .is_some_and(|executor| executor.abort(turn))
    }

    /// Answers a command of a run that is halted, or that halts because this command cannot be
    /// recorded. A command that only ends something is carried out anyway: on resume, the outcome
    /// of what was running is unknown.
    pub(super) fn end_unrecorded(&mut self, command: &Command, halt: &Halt) -> Refusal {
        let decided = command
            .only_ends()
            .then(|| decide::command(&self.state, &self.adviser, command));
        let Some(Ok(events)) = decided else {
            return halt.not_done();
        };
        let mut ended = false;
        for effect in events.iter().filter_map(effects::ends) {
            ended |= match effect {
                Effect::Cancel { call, attempt } => {
                    let executor = self.executor.as_ref();
                    executor.is_some_and(|executor| executor.cancel(call, attempt))
                }
                Effect::Abort { turn } => self.abort(turn),
                _ => false,
            };
        }
        if ended {
            halt.ended_unrecorded()
        } else {
            halt.not_done()
        }
    }

    fn ask(&mut self, id: TurnId, request: u32) {
        let Some(turn) = self.state.turns.get(&id) else {
            return;
        };
        // Another event of the same batch may have withdrawn the request.
        if turn.asked != request || turn.stream != Stream::Open {
            return;
        }
        let reads_history = self.executor.as_ref().is_some_and(|one| one.reads_history());
        let sent = if reads_history {
            sent(&self.state, id)
        } else {
            sent_after_history(&self.state, id)
        };
        let Some(sent) = sent else { return };
        let before = self.state.turns_of(turn.thread).take_while(|_| reads_history);
        let number = before.filter(|one| one.producer == Producer::Model && one.pos <= turn.pos);
        let what = Request {
            system: sent.system,
            messages: sent.messages,
            tools: sent.tools,
            quirks: self.quirks(),
            output_schema: self
                .adviser
                .output
                .as_ref()
                .filter(|_| turn.thread == ROOT)
                .map(|output| output.text().into()),
            id,
            turn: number.count() as u32,
            tap: match &self.taps {
                Some(taps) => taps(id, request),
                None => Tap::default(),
            },
        };
        if let Some(executor) = &mut self.executor {
            executor.ask((id, request), what);
        }
    }

    fn ask_summary(&mut self, set: Seq, wait_ms: u64) {
        // Another event of the same batch may have made it unnecessary.
        let asked = summary::open(&self.state).filter(|asked| asked.set == set);
        let Some(asked) = asked else { return };
        let question = SideRequest {
            system: summary::SYSTEM,
            prompt: summary::question(&self.state, asked).into(),
            quirks: self.quirks(),
        };
        if let Some(executor) = &mut self.executor {
            executor.send_side_request(SidePurpose::Summary { set }, wait_ms, question);
        }
    }

    fn ask_repair(&mut self, (call, rev, round): (NodeId, Rev, u32), wait_ms: u64) {
        let rounds = self
            .state
            .calls
            .get(&call)
            .map(|life| life.failure.repairs.iter());
        let asked = rounds
            .into_iter()
            .flatten()
            .rfind(|one| one.no == round && one.rev == rev);
        // Another event of the same batch may have made it unnecessary.
        if let Some(question) = asked
            .filter(|one| one.reply.is_none())
            .and_then(|one| one.asked.as_ref())
        {
            let question = SideRequest {
                system: ABOUT_ARGUMENTS,
                prompt: question.prompt.clone(),
                quirks: self.quirks(),
            };
            if let Some(executor) = &mut self.executor {
                executor.send_side_request(SidePurpose::Repair { call, rev, round }, wait_ms, question);
            }
        }
    }

    /// The special forms of requests that the model's server needs.
    fn quirks(&self) -> Quirks {
        let model = self.state.started.as_ref().map(|started| started.model.as_str());
        let learned = model.and_then(|model| self.state.learned.quirks.get(model));
        // A name from a later version is unknown here: its meaning is learned again.
        let known = learned.into_iter().flatten();
        known.filter_map(|name| Quirk::named(name)).collect()
    }

    /// Probes executions with an unknown outcome first, so that the result is known before anything
    /// follows.
    pub(super) fn look_first(&mut self) {
        let (looks, others) = std::mem::take(&mut self.batch.effects)
            .into_iter()
            .partition(|effect| matches!(effect, Effect::Probe { .. }));
        self.batch.effects = others;
        for look in looks {
            self.act(look);
        }
        while let Some(found) = self.executor.as_mut().and_then(|executor| executor.own_report()) {
            let events = decide::input(&self.state, &found);
            self.record(events, &Actor::Engine, Seq(0));
        }
    }

    fn probe(&mut self, call: NodeId, attempt: Attempt) {
        let Some(life) = self.state.calls.get(&call) else {
            return;
        };
        let Some(ran) = life.attempts.iter().find(|one| one.no == attempt) else {
            return;
        };
        let Some(entry) = self.state.ledger.get(&ran.intent) else {
            return;
        };
        // The arguments that ran: the call may have different ones by now.
        let ran = (&*entry.tool, &*ran.args, entry.more.before.as_deref());
        if let Some(executor) = &mut self.executor {
            executor.probe(call, attempt, ran);
        }
    }
}
