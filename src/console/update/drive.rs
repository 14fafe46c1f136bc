//! Commands that drive the run or a replay: pause, step, stop, leave.
//!
//! Must not know: how a run is stopped.

use std::sync::Arc;

use super::decide::{armed, can_decide, send};
use super::input::By;
use super::{classify, open, prompts};
use crate::console::commands::RunVerb;
use crate::console::halted;
use crate::console::model::Model;
use crate::console::model::arming::Question;
use crate::console::model::lower::{NameHash, Target};
use crate::console::model::overlay::{LinePurpose, Overlay};
use crate::console::msg::{Leave, Out};
use crate::console::rows::many;
use crate::domain::breaker::Phase;
use crate::domain::command::{Command, EscapeCommand, RunCommand, WeightCommand};
use crate::domain::escape::Detector;
use crate::domain::live::LivePart;
use crate::domain::state::Mode;

/// Time in ms within which a second ctrl-c quits immediately.
const AGAIN_MS: u64 = 2000;

/// Carries out a verb about the run.
pub(super) fn drive(model: &mut Model, verb: RunVerb, by: By, at: u64, out: &mut Vec<Out>) {
    if model.settings.is_recorded() {
        model.complain("Cannot change this run: it is recorded");
        return;
    }
    let command = match verb {
        RunVerb::Pause => match &model.run.state.mode {
            Mode::Paused(_) | Mode::Stopped(_) => RunCommand::Resume {},
            _ => RunCommand::Pause {
                reason: "paused by the operator".to_owned(),
            },
        },
        RunVerb::Restrict => match &model.run.state.restricted {
            Some(_) => RunCommand::LiftRestriction {},
            None => RunCommand::Restrict {
                reason: Arc::from("by the operator"),
            },
        },
        RunVerb::Step => RunCommand::Step {},
        RunVerb::StopTurn => {
            model.set_status(turn_ends(model));
            RunCommand::StopTurn {}
        }
        RunVerb::Emergency => {
            if let Some(words) = is_stopping(model) {
                return model.set_status(words);
            }
            if matches!(model.overlays.last(), Some(Overlay::Dialog(_))) {
                model.overlays.pop();
            }
            return open(model, Overlay::Stop);
        }
        RunVerb::StopNow => {
            // Stopping is never refused: not for the pace of the key, nor for the size of the screen.
            model.overlays.pop();
            stop()
        }
        RunVerb::Policy => {
            let now = model.run.state.policy.clone();
            return prompts::line(
                model,
                LinePurpose::Policy,
                "policy: supervised, guarded, auto or read-only",
                &now,
            );
        }
        RunVerb::Resilience => {
            let title = "failure handling: KEY=VALUE, such as retry.retries=2 breaker.open=1m";
            return prompts::line(model, LinePurpose::Resilience, title, "");
        }
        RunVerb::ResetBreaker => {
            let mut shut = model
                .run
                .state
                .breakers
                .iter()
                .filter(|(_, one)| one.phase != Phase::Closed);
            let Some((scope, _)) = shut.next() else {
                return model.complain("No breaker is open");
            };
            let scope = scope.to_string();
            return prompts::line(model, LinePurpose::ResetBreaker, "reset the breaker of", &scope);
        }
        RunVerb::Limits => {
            let now = prompts::limits_line(&model.run.state.limits);
            return prompts::line(model, LinePurpose::Limits, "limits (none is unlimited)", &now);
        }
        RunVerb::Title => {
            let now = model.run.state.title.clone().unwrap_or_default();
            return prompts::line(model, LinePurpose::Title, "name of the session", &now);
        }
        RunVerb::ForgetWeights => {
            let title = "tool whose weights are reset (all: every tool)";
            return prompts::line(model, LinePurpose::ForgetWeights, title, "");
        }
        RunVerb::SetWeight | RunVerb::ResetWeights => return weights(model, verb, out),
        RunVerb::Classify(verb) => return classify::carry_out(model, verb, out),
        RunVerb::AllowLoop => return allow_loop(model, out),
        RunVerb::MuteLoops => return mute(model, ""),
        RunVerb::LeaveWait | RunVerb::LeaveCancel => match leave_by(model, verb, by, at) {
            Ok(command) => {
                // A halted run does not record the ends that this would wait for.
                if !model.run.is_busy() || model.run.halted.is_some() {
                    out.push(Out::Quit(Leave::Quit));
                }
                command
            }
            Err(why) => return model.complain(why),
        },
    };
    send(model, Command::Run(command), None, out);
}

/// Answers how to leave: after running calls finish, or after they are stopped.
fn leave_by(model: &mut Model, verb: RunVerb, by: By, at: u64) -> Result<RunCommand, String> {
    leaves(model, by, at)?;
    let waits = verb == RunVerb::LeaveWait;
    model.overlays.pop();
    model.keys.leaving = true;
    if !waits {
        model.set_status("Quitting after running calls are stopped");
        return Ok(stop());
    }
    model.set_status("Quitting after running calls finish");
    Ok(RunCommand::Pause {
        reason: "the operator leaves".to_owned(),
    })
}

/// What ending the turn means, as text: the run pauses, and an incomplete block is lost.
fn turn_ends(model: &Model) -> String {
    let parts = model.run.live.values().flat_map(|live| &live.parts);
    let bytes = parts.map(|part| match part {
        LivePart::Text { text, before, .. } => *before + text.len() as u64,
        LivePart::Call { args, before, .. } => *before + args.len() as u64,
    });
    let bytes = usize::try_from(bytes.sum::<u64>()).unwrap_or(usize::MAX);
    let keymap = &model.settings.keymap;
    let words = format!(
        "Ending the turn and pausing, {} resumes. Complete blocks stay",
        keymap.first("pause")
    );
    if bytes == 0 {
        return words;
    }
    format!(
        "{words}. Dropped {} of an incomplete block, {} on it asks the model again",
        many(bytes, "byte"),
        keymap.first("ask-turn-again")
    )
}

/// Asks which detector to mute or unmute.
pub(super) fn mute(model: &mut Model, name: &str) {
    if model.settings.is_recorded() {
        return model.complain("Cannot change this run: it is recorded");
    }
    let title = format!("mute or unmute: {}", Detector::names());
    prompts::line(model, LinePurpose::Detector, &title, name);
}

/// Asks before a breaker is reset.
pub(super) fn reset_breaker(model: &mut Model, named: NameHash) {
    if model.settings.is_recorded() {
        return model.complain("Cannot change this run: it is recorded");
    }
    let mut scopes = model.run.state.breakers.keys();
    let scope = scopes
        .find(|scope| NameHash::breaker(scope) == named)
        .map(ToString::to_string);
    match scope {
        Some(scope) => prompts::line(model, LinePurpose::ResetBreaker, "reset the breaker of", &scope),
        None => model.complain("The breaker is gone"),
    }
}

/// Sets or resets the weight under the cursor.
fn weights(model: &mut Model, verb: RunVerb, out: &mut Vec<Out>) {
    let Target::Weight(named) = model.followed() else {
        return model.complain("Put the cursor on a weight first");
    };
    let Some(row) = model.run.weight(named) else {
        return model.complain("The weight is gone");
    };
    let (tool, kind): (Arc<str>, Arc<str>) = (Arc::from(row.tool), Arc::from(row.kind));
    if verb == RunVerb::ResetWeights {
        let reset = WeightCommand::Reset { tool: Some(tool) };
        return send(model, Command::Weight(reset), None, out);
    }
    let title = format!(
        "weight of {} for tasks of kind {}, 0 to 1",
        crate::text::visible(&tool),
        crate::text::visible(&kind)
    );
    let now = format!("{:.2}", row.weight);
    prompts::line(model, LinePurpose::Weight { tool, kind }, &title, &now);
}

/// Allows the newest loop to repeat, or withdraws that.
fn allow_loop(model: &mut Model, out: &mut Vec<Out>) {
    let escape = &model.run.state.escape;
    match escape.incidents.last() {
        Some(last) => {
            let signatures = &last.finding.signatures;
            let command = Command::Escape(EscapeCommand::AllowIncident {
                incident: last.no,
                allowed: !signatures.iter().all(|one| escape.allowed.contains(one)),
            });
            send(model, command, None, out);
        }
        None => model.complain("No loops so far"),
    }
}

fn stop() -> RunCommand {
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

/// Quits, or asks first if something runs or would be lost.
pub(super) fn quit(model: &mut Model, by: By, at: u64, out: &mut Vec<Out>) {
    if matches!(model.overlays.last(), Some(Overlay::Leave)) {
        match leaves(model, by, at) {
            Err(why) => model.complain(why),
            Ok(()) => out.push(Out::Quit(Leave::Quit)),
        }
    } else if !asks_first(model) {
        out.push(Out::Quit(Leave::Quit));
    } else {
        open(model, Overlay::Leave);
    }
}

/// Refuses an answer how to leave that came before the question could be read. It would stop
/// running calls, and may repeat the key that asked or be meant for a text below.
pub(super) fn leaves(model: &Model, by: By, at: u64) -> Result<(), String> {
    let cuts = model.run.is_busy() && can_decide(model).is_ok();
    match armed(model, &Question::Leave, by, at) {
        Err(why) if cuts => Err(why),
        _ => Ok(()),
    }
}

/// True if leaving cuts off running calls, loses staged edits, or leaves a run that only waits
/// for an edit.
fn asks_first(model: &Model) -> bool {
    let lost = !model.staged_edits.is_empty();
    let waits = model.run.waits_for_edit() && !halted::is(model);
    !model.settings.is_recorded() && (model.run.is_busy() || lost || waits)
}

/// Ctrl-C: asks how to leave; leaves the second time.
pub(super) fn interrupt(model: &mut Model, at: u64, out: &mut Vec<Out>) {
    let again = model
        .keys
        .interrupted
        .is_some_and(|before| at.saturating_sub(before) <= AGAIN_MS);
    model.keys.interrupted = Some(at);
    if again {
        out.push(Out::Quit(Leave::Interrupted));
        return;
    }
    if !matches!(model.overlays.last(), Some(Overlay::Leave)) {
        open(model, Overlay::Leave);
    }
    model.set_status("ctrl-c again within 2 seconds quits immediately");
}
