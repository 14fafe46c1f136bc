//! Brings a random session to its end: every pending call, wait and request is answered.
//!
//! Must not know: how the session was drawn.

use super::super::world::*;
use overrule_domain::call::Status;
use overrule_domain::command::{CallCommand, Command, ConsentChoice, EditCommand, Resolution, RunCommand};
use overrule_domain::event::run::Limits;
use overrule_domain::id::NodeId;
use overrule_domain::state::Mode;
use overrule_domain::turn::Stream;

/// Answers everything until the run has its answer; a run that cannot get there is stuck.
pub fn bring_home(w: &mut World) {
    w.fuse = None;
    w.late = 0;
    for _ in 0..600 {
        if matches!(w.state.mode, Mode::Finished(_)) {
            return;
        }
        if !w.state.operator.editing.is_empty() {
            w.cmd(Command::Edit(EditCommand::Release { node: None })).unwrap();
        }
        let limits = Limits {
            turns: None,
            ..Limits::default()
        };
        w.run(RunCommand::SetLimits { limits }).unwrap();
        drop(w.run(RunCommand::Resume {}));
        let waiting = w
            .state
            .queue()
            .map(|call| call.id)
            .find(|id| can_be_helped(w, *id));
        let broken = w
            .state
            .turns
            .values()
            .filter(|turn| turn.is_active() && matches!(turn.stream, Stream::Broken(_)))
            // Who waits for a sub-agent is asked after it.
            .max_by_key(|turn| turn.thread)
            .map(|turn| turn.id);
        if let Some(one) = w.running.first() {
            w.finish(one.call);
        } else if !w.timers.is_empty() {
            super::super::ladder::elapse(w, 0);
        } else if let Some(id) = waiting {
            help(w, id);
        } else if !w.open.is_empty() {
            w.reply(&[answer("the end")]);
        } else if let Some(turn) = broken {
            w.run(RunCommand::AskAgain { turn, request: None }).unwrap();
        } else {
            let done = matches!(w.state.mode, Mode::Finished(_));
            assert!(done, "the run is stuck: {:?} {:?}", w.state.mode, w.state.agenda);
        }
    }
    panic!("the run does not come to an end");
}

fn can_be_helped(w: &World, id: NodeId) -> bool {
    !w.state.calls[&id].suspect
        && w.state
            .turn_of(id)
            // Descendants of a suspended turn wait with it, also in a sub-agent.
            .is_some_and(|turn| overrule_domain::thread::acts(&w.state, turn))
}

/// Decides on a waiting call so that it can continue.
pub fn help(w: &mut World, id: NodeId) {
    match w.status(id) {
        Status::Consent(_) => w.consent(id, ConsentChoice::RunAgain),
        Status::OutcomeUnknown(_) => w.cmd(Command::Call(CallCommand::Resolve {
            attempt: None,
            call: id,
            what: Resolution::DidNot,
        })),
        _ if w.state.nodes[&id]
            .as_call()
            .is_some_and(|(tool, _)| &**tool == "ask_operator") =>
        {
            w.answer_for(id, "{\"v\":1}")
        }
        _ => w.approve(id),
    }
    .unwrap();
}
