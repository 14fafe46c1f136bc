//! Takes reports from outside of the engine.
//!
//! Must not know: models, tools, screens.

use super::Driver;
use overrule_domain::call::{EffectClass, ErrorClass, Outcome};
use overrule_domain::envelope::Actor;
use overrule_domain::id::Seq;
use overrule_domain::input::Input;
use overrule_domain::{decide, server_question, tags};

impl Driver {
    pub(super) fn input(&mut self, input: &Input) {
        let actor = match input {
            Input::Block { .. }
            | Input::Partial { .. }
            | Input::Ended { .. }
            | Input::Broke { .. }
            | Input::RepairAnswered { .. }
            | Input::SummaryAnswered { .. } => Actor::Model,
            Input::ServerAsked { .. }
            | Input::ServerWithdrew { .. }
            | Input::Spawned { .. }
            | Input::Confined { .. }
            | Input::Finished { .. } => Actor::Tool,
            Input::AgentAsked { .. }
            | Input::SideRequest(_)
            | Input::Linked(_)
            | Input::QuirkLearned { .. }
            | Input::ApproverAnswered { .. }
            | Input::NotKept { .. }
            | Input::ChangedOutside { .. }
            | Input::Restored { .. }
            | Input::Probed { .. }
            | Input::Elapsed { .. }
            | Input::Worked { .. } => Actor::Engine,
        };
        if let Some(executor) = &mut self.executor {
            executor.reported(input);
        }
        let known = self.known(input);
        let events = decide::input(&self.state, known.as_ref().unwrap_or(input));
        if !events.is_empty() {
            self.record(events, &actor, Seq(0));
            self.follow();
        }
        if let (Input::ServerAsked { question, .. }, Some(executor)) = (input, &self.executor)
            && !server_question::is_asked(&self.state, *question)
        {
            executor.reply(*question, None);
        }
    }

    /// Returns the report with its failure classified, if only the operator or its text determines
    /// the kind. The end of a call that its server did not answer is unknown, unless a repetition is harmless.
    pub(super) fn known(&self, input: &Input) -> Option<Input> {
        let Input::Finished {
            call,
            outcome: Outcome::Err(error),
            ..
        } = input
        else {
            return None;
        };
        let (tool, args) = self.state.nodes.get(call)?.as_call()?;
        let resolved = self.state.calls.get(call)?.resolved.as_deref();
        let effect = self.state.calls.get(call)?.effect;
        let by_server = || tags::card(&self.state, tool).is_some_and(|card| card.server().is_some());
        let is_unknown = error.executed
            && error.class == ErrorClass::Transient
            && effect > EffectClass::Idempotent
            && by_server();
        let mut known = input.clone();
        if let Input::Finished { outcome, .. } = &mut known {
            if let (true, Outcome::Err(error)) = (is_unknown, &mut *outcome) {
                error.class = ErrorClass::Lost;
            } else {
                let checker = self.adviser.registry.checker(tool);
                let schema = checker.map(|checker| checker.schema());
                let ran = (&**tool, resolved.unwrap_or(args));
                self.adviser.ladder.classify(ran, schema, outcome);
            }
        }
        Some(known)
    }

    /// True for a report that is recorded although the run is being left. An execution can continue
    /// in spite of the shutdown. Without its process, the next session could neither name nor watch
    /// it.
    pub(super) fn is_fact(&self, input: &Input) -> bool {
        match input {
            Input::Spawned { .. } | Input::Confined { .. } | Input::Restored { .. } => true,
            Input::Finished {
                call,
                attempt,
                outcome,
                ..
            } => {
                !matches!(outcome, Outcome::Cancelled { .. })
                    || self.state.agenda.ending.contains(&(*call, *attempt))
            }
            _ => false,
        }
    }
}
