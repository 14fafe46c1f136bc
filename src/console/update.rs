//! Applies a message to the model and returns requests for the event loop, without I/O.
//!
//! Must not know: terminals, files, clocks; a message says what time it is.

mod done;
pub(crate) mod live_reload;
pub mod pace;
mod run;
#[cfg(test)]
mod tests;

use crate::ground::term_msg::TermMsg;
use crate::kernel::model::Model;
use crate::kernel::msg::{Leave, Msg, Out};
use crate::kernel::visibility::visibility;
use crate::kernel::{input, mouse, prompts, refresh};
use crate::surfaces::classify::stored;
use crate::surfaces::editor::external;
use crate::surfaces::next_task::verbs as next_task;
use crate::surfaces::ready_rules::verbs as ready_rules;
use crate::verbs::{lazy_load, theme};

pub use crate::kernel::refresh::{prepare, settle, work};
pub use crate::verbs::ask_choices::cancelled;
pub use pace::soon;

/// Applies a message to the model and returns the requests that follow from it.
pub fn update(model: &mut Model, msg: Msg) -> Vec<Out> {
    let _shown = model.settings.shown();
    let mut out = Vec::new();
    match msg {
        Msg::Term(term) => terminal(model, term, &mut out),
        Msg::Run(update) => {
            run::take(model, update, &mut out);
            leave(model, &mut out);
        }
        Msg::Drawn { at } => {
            let shown = visibility(model);
            model.arming.drawn(shown, at, model.settings.arming_ms);
        }
        Msg::Retaken { at } => {
            // The run was not on screen meanwhile. Keys typed in the other program may still arrive.
            model.arming.now = model.arming.now.max(at);
            model.arming.rearm();
            model.keys.held.clear();
        }
        Msg::Tick { at } => {
            model.arming.now = model.arming.now.max(at);
            input::release(model, at, &mut out);
        }
        Msg::Edited(result) => external::take(model, result, &mut out),
        Msg::Wire(found) => lazy_load::wire(model, found),
        Msg::Found(finding) => refresh::found(model, finding),
        Msg::Saved(written) => prompts::saved(model, written),
        Msg::CorrectionStored(stored) => stored::stored(model, stored, &mut out),
        Msg::Tasks(tasks) => next_task::earlier(model, tasks),
        Msg::Names(names) => next_task::names(model, names),
        Msg::RuleKept(result) => ready_rules::kept(model, result, &mut out),
        Msg::Shown(result) => {
            if let Err(why) = result {
                model.complain(why);
            }
        }
        Msg::Files(read) => live_reload::take(model, read, &mut out),
    }
    theme::try_on(model);
    next_task::follow(model, &mut out);
    lazy_load::ask(model, &mut out);
    if model.is_halted() {
        // A halted run refuses all other commands, also the release of an edited call.
        out.retain(|out| !matches!(out, Out::Command(command) if !command.only_ends()));
    }
    out
}

fn terminal(model: &mut Model, term: TermMsg, out: &mut Vec<Out>) {
    match term {
        TermMsg::Key { key, at } => {
            model.arming.now = model.arming.now.max(at);
            input::key(model, key, at, out);
        }
        TermMsg::Keys(keys) => input::keys(model, &keys, out),
        TermMsg::Paste { text, at } => input::paste(model, &text, at, out),
        TermMsg::Resize { width, height } => {
            model.screen.width = width;
            model.screen.height = height;
            for surface in model.stack.iter_mut() {
                if let Some(field) = surface.field_mut() {
                    field.resized();
                }
            }
        }
        TermMsg::Mouse { mouse, x, y } => mouse::mouse(model, mouse, (x, y), out),
        TermMsg::Background(rgb) => live_reload::background(model, rgb),
        TermMsg::Focus(on) => {
            model.screen.focused = Some(on);
            if on {
                // Keys typed in another window may still arrive: the open question is armed again.
                model.arming.rearm();
            }
        }
    }
}

/// Quits if the operator chose to leave after running calls end, and none is running.
fn leave(model: &Model, out: &mut Vec<Out>) {
    if model.keys.leaving && !model.run.is_busy() {
        out.push(Out::Quit(Leave::Quit));
    }
}
