//! Quits or suspends the program, after a question if something runs.
//!
//! Must not know: how the program ends.

use crate::kernel::availability::offered;
use crate::kernel::context::{ALWAYS, Context, on};
use crate::kernel::decide::{armed, send};
use crate::kernel::model::Model;
use crate::kernel::msg::{Leave, Out};
use crate::kernel::verb::{Availability, Care, Effect, Moment, Press, Rank, Verb};
use crate::run::question::Question;
use crate::run::refusal::Refusal;
use crate::surfaces::leave::LeaveQuestion;
use crate::surfaces::stop::verbs::{is_busy, stop};
use overrule_domain::command::{Command, RunCommand};

/// The verb `quit`.
pub const QUIT: Verb = Verb {
    name: "quit",
    keys: &["q"],
    contexts: &[Context::Panes, on(super::ID)],
    doc: "quit (asks first while something runs)",
    hint: "quit",
    // A halted run continues only in another process.
    rank: |model| Rank::leads_if(model.is_halted()),
    care: Care::Careful,
    seen: |model, moment| {
        if model.stack.is_top::<LeaveQuestion>() {
            may_leave(model, moment)
        } else {
            Ok(())
        }
    },
    run: |model, press| {
        quit(model, press);
        Ok(())
    },
    ..Verb::BASE
};

/// The verb `quit-wait`.
pub const QUIT_WAIT: Verb = Verb {
    name: "quit-wait",
    keys: &["w"],
    contexts: &[on(super::ID)],
    doc: "start nothing new, wait for running calls, then quit",
    hint: "quit after running calls",
    effect: Effect::Records,
    // No wait needed if nothing runs.
    available: leaves,
    seen: may_leave,
    run: |model, press| {
        let reason = "the operator leaves".to_owned();
        let command = RunCommand::Pause { reason };
        leave_by(model, command, "Quitting after running calls finish", press.out);
        Ok(())
    },
    ..Verb::BASE
};

/// The verb `quit-cancel`.
pub const QUIT_CANCEL: Verb = Verb {
    name: "quit-cancel",
    keys: &["c"],
    contexts: &[on(super::ID)],
    doc: "stop everything, then quit",
    hint: "cancel everything, then quit",
    effect: Effect::Ends(is_busy),
    care: Care::Alone,
    available: leaves,
    seen: may_leave,
    run: |model, press| {
        leave_by(
            model,
            stop(),
            "Quitting after running calls are stopped",
            press.out,
        );
        Ok(())
    },
    ..Verb::BASE
};

/// The verb `interrupt`.
pub const INTERRUPT: Verb = Verb {
    name: "interrupt",
    keys: &["ctrl-c"],
    contexts: ALWAYS,
    doc: "ask how to quit; a second press within 2 seconds quits immediately",
    care: Care::Free,
    run: |model, press| {
        interrupt(model, press.moment.at, press.out);
        Ok(())
    },
    ..Verb::BASE
};

/// The verb `suspend`.
pub const SUSPEND: Verb = Verb {
    name: "suspend",
    keys: &["ctrl-z"],
    contexts: ALWAYS,
    doc: "suspend the program; `fg` in the shell resumes it",
    care: Care::Free,
    run: |_, press| {
        press.out.push(Out::Suspend);
        Ok(())
    },
    ..Verb::BASE
};

/// Time in ms within which a second ctrl-c quits immediately.
const AGAIN_MS: u64 = 2000;

/// Whether an answer how to leave works now.
fn leaves(model: &Model) -> Availability {
    offered(model.run.is_busy())
}

/// Sends the command, and quits once nothing runs any more.
fn leave_by(model: &mut Model, command: RunCommand, words: &str, out: &mut Vec<Out>) {
    model.stack.pop();
    model.keys.leaving = true;
    model.set_status(words);
    // A halted run does not record the ends that this would wait for.
    if !model.run.is_busy() || model.run.halted.is_some() {
        out.push(Out::Quit(Leave::Quit));
    }
    send(model, Command::Run(command), None, out);
}

/// Quits, or asks first if something runs or would be lost.
fn quit(model: &mut Model, press: &mut Press<'_>) {
    let is_answer = model.stack.is_top::<LeaveQuestion>();
    if !is_answer && asks_first(model) {
        model.stack.push(LeaveQuestion);
    } else {
        press.out.push(Out::Quit(Leave::Quit));
    }
}

/// Refuses an answer how to leave that came before the question could be read. It would stop
/// running calls, and may repeat the key that asked or be meant for a text below.
fn may_leave(model: &Model, moment: Moment) -> Result<(), Refusal> {
    let decides = !model.settings.is_recorded() && !model.is_halted() && model.screen.can_decide();
    let cuts = model.run.is_busy() && decides;
    match armed(model, &Question::Leave, moment) {
        Err(why) if cuts => Err(why),
        _ => Ok(()),
    }
}

/// True if leaving cuts off running calls or another conversation, loses staged edits, or leaves a run that only waits
/// for an edit.
fn asks_first(model: &Model) -> bool {
    let lost = !model.staged_edits.is_empty();
    let waits = model.run.waits_for_edit() && !model.is_halted();
    let others = model.run.others.iter().any(|one| one.is_open);
    !model.settings.is_recorded() && (model.run.is_busy() || lost || waits || others)
}

/// Ctrl-C: asks how to leave; leaves the second time.
fn interrupt(model: &mut Model, at: u64, out: &mut Vec<Out>) {
    let again = model
        .keys
        .interrupted
        .is_some_and(|before| at.saturating_sub(before) <= AGAIN_MS);
    model.keys.interrupted = Some(at);
    if again {
        out.push(Out::Quit(Leave::Interrupted));
        return;
    }
    if !model.stack.is_top::<LeaveQuestion>() {
        model.stack.push(LeaveQuestion);
    }
    model.set_status("ctrl-c again within 2 seconds quits immediately");
}
