//! Stops everything, after a question.
//!
//! Must not know: how a run is stopped.

use crate::kernel::availability::offered;
use crate::kernel::context::{PANES, on};
use crate::kernel::decide::send;
use crate::kernel::dialog::Dialog;
use crate::kernel::model::Model;
use crate::kernel::verb::{Care, Effect, Verb};
use crate::surfaces;
use crate::surfaces::stop::StopQuestion;
use overrule_domain::command::{Command, RunCommand};
use overrule_domain::state::Mode;

/// The verb `emergency-stop`.
pub const EMERGENCY_STOP: Verb = Verb {
    name: "emergency-stop",
    keys: &["X"],
    contexts: PANES,
    doc: "stop everything, including running calls (asks first)",
    hint: "stop all",
    effect: Effect::Ends(is_busy),
    stops: |_| true,
    // In a halted run it is one of the few actions left. Elsewhere there are better ones.
    available: |model| offered(model.is_halted() || !model.stack.is_empty()),
    command: |_| Some(Command::Run(stop())),
    run: |model, _| {
        ask(model);
        Ok(())
    },
    ..Verb::BASE
};

/// The verb `stop-now`.
pub const STOP_NOW: Verb = Verb {
    name: "stop-now",
    keys: &["X"],
    contexts: &[on(super::ID)],
    doc: "confirm the emergency stop",
    hint: "stop everything",
    effect: Effect::Ends(is_busy),
    care: Care::Alone,
    stops: |_| true,
    command: |_| Some(Command::Run(stop())),
    run: |model, press| {
        // Stopping is never refused: not for the pace of the key, nor for the size of the screen.
        model.stack.pop();
        send(model, Command::Run(stop()), None, press.out);
        Ok(())
    },
    ..Verb::BASE
};

/// The verb `stop-broken`.
pub const STOP_BROKEN: Verb = Verb {
    name: "stop-broken",
    keys: &["X"],
    contexts: &[on(surfaces::broken::ID)],
    doc: "stop the run instead of asking again",
    hint: "stop",
    ..EMERGENCY_STOP
};

/// Asks before everything is stopped.
fn ask(model: &mut Model) {
    if let Some(words) = is_stopping(model) {
        return model.set_status(words);
    }
    if model.stack.is_top::<Dialog>() {
        model.stack.pop();
    }
    model.stack.push(StopQuestion);
}

/// True if a call or a request runs.
pub(crate) fn is_busy(model: &Model) -> bool {
    model.run.is_busy()
}

pub(crate) fn stop() -> RunCommand {
    RunCommand::Stop {
        reason: "stopped by the operator".to_owned(),
    }
}

/// The status text for a run that is stopping or stopped: a held key does not ask again.
fn is_stopping(model: &Model) -> Option<&'static str> {
    let sent = model.run.sent.as_ref().map(|sent| &sent.command);
    if matches!(sent, Some(Command::Run(RunCommand::Stop { .. }))) {
        return Some("Stop sent, waiting for the run");
    }
    matches!(model.run.state.mode, Mode::Stopped(_)).then_some("The run is already stopped")
}
