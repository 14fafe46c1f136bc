//! Keys: bursts, contexts, what a key means.
//!
//! Must not know: what verbs do.
//!
//! A key that could decide something waits until it is certain that it came alone: a paste into a
//! terminal without bracketed paste must not decide anything. A key that is held down decides once,
//! because the operator has not read the next question. A key that only stops the run is never
//! refused for its pace.

use super::prompts;
use super::refresh::prepare;
use crate::ground::key::{Code, Key};
use crate::kernel::availability;
use crate::kernel::hints::surface;
use crate::kernel::model::key_state::{BURST_MS, Pace};
use crate::kernel::model::{Message, Model};
use crate::kernel::msg::Out;
use crate::kernel::verb::{APPROVE_UNREAD, By, Care, INTERRUPT, Moment, Press, Verb};

/// Handles a paste.
pub(crate) fn paste(model: &mut Model, text: &str, at: u64, out: &mut Vec<Out>) {
    model.arming.now = model.arming.now.max(at);
    release(model, at, out);
    // Keys that still wait came with the paste.
    model.keys.held.clear();
    model.keys.pasted = Some(at);
    prompts::paste(model, text);
}

/// Handles a key.
pub(crate) fn key(model: &mut Model, key: Key, at: u64, out: &mut Vec<Out>) {
    release(model, at, out);
    let pace = model.keys.note(key, at);
    let burst = pace == Pace::Burst;
    if burst && is_dropped_in_burst(model, key) {
        drop_burst(model, at);
        return;
    }
    let verb = verb(model, key);
    if let Some(Err(refusal)) = verb.map(|verb| availability::after_paste(model, verb, at)) {
        model.double_press.pressed();
        model.complain(format!("Ignored: {refusal}. Press {key} again"));
        return;
    }
    // Repeated presses of a key that stops the run are meant.
    let stops = verb.is_some_and(|verb| (verb.stops)(model));
    let may_decide = verb.is_some_and(|verb| verb.care == Care::Alone);
    let too_soon = matches!(pace, Pace::Held | Pace::Tapped) && !stops;
    if may_decide && too_soon {
        // It was meant for the previous question.
        model.complain(format!(
            "Ignored: {key} is held down or repeated too fast. Wait for 1 s, then press it once"
        ));
        return;
    }
    let waits = !model.keys.held.is_empty();
    if waits || may_decide {
        if !waits {
            model.keys.since = at;
        }
        model.keys.held.push(key);
        if burst {
            drop_burst(model, at);
        }
        return;
    }
    press(model, key, at, out);
}

/// Handles keys that arrived together. The text that they type is one change: a paste into a
/// terminal without bracketed paste looks like that.
pub(crate) fn keys(model: &mut Model, keys: &[(Key, u64)], out: &mut Vec<Out>) {
    let mut rest = keys;
    while let Some((key, at)) = rest.first().copied() {
        model.arming.now = model.arming.now.max(at);
        release(model, at, out);
        let typed: String = rest.iter().map_while(|(key, _)| types(model, *key)).collect();
        let count = typed.chars().count();
        if count < 2 {
            self::key(model, key, at, out);
            rest = rest.get(1..).unwrap_or_default();
            continue;
        }
        let (taken, left) = rest.split_at(count.min(rest.len()));
        for (key, at) in taken {
            model.keys.note(*key, *at);
            model.arming.now = model.arming.now.max(*at);
        }
        model.message = Message::default();
        model.arming.no_list = false;
        model.double_press.pressed();
        prompts::type_in(model, &typed);
        rest = left;
    }
}

/// The character that a key types into the open text; `None` if the key does something else.
fn types(model: &Model, key: Key) -> Option<char> {
    let here = surface(model);
    if !here.is_text() || !model.keys.held.is_empty() {
        return None;
    }
    let keymap = &model.settings.keymap;
    if keymap.verb(here, key, model.settings.is_replay()).is_some() {
        return None;
    }
    prompts::open_field(model)?.typed(key)
}

/// Handles the waiting keys once it is certain that they are not part of a burst.
pub(crate) fn release(model: &mut Model, at: u64, out: &mut Vec<Out>) {
    if model.keys.held.is_empty() || at.saturating_sub(model.keys.since) <= BURST_MS {
        return;
    }
    let since = model.keys.since;
    for key in std::mem::take(&mut model.keys.held) {
        press(model, key, since, out);
    }
}

/// True for a key that is dropped in a burst: outside of a text, only moves are handled.
fn is_dropped_in_burst(model: &Model, key: Key) -> bool {
    let moves = verb(model, key).is_none_or(|verb| verb.care == Care::Free);
    !moves && !surface(model).is_text()
}

/// Drops a burst, which is a paste that the terminal did not mark as one.
fn drop_burst(model: &mut Model, at: u64) {
    model.keys.held.clear();
    model.keys.pasted = Some(at);
    model.double_press.pressed();
    model.complain("Ignored: keys arrived too fast. Wait for 1 s, then press again");
}

/// The verb of a key in the current context.
fn verb(model: &Model, key: Key) -> Option<&'static Verb> {
    let keymap = &model.settings.keymap;
    keymap.verb(surface(model), key, model.settings.is_replay())
}

fn press(model: &mut Model, key: Key, at: u64, out: &mut Vec<Out>) {
    // A key applies to the current selection, not to that of the last frame.
    prepare(model);
    let here = surface(model);
    let verb = model.settings.keymap.verb(here, key, model.settings.is_replay());
    if verb.is_none_or(|verb| verb.name != INTERRUPT) {
        model.message = Message::default();
    }
    if verb.is_none_or(|verb| verb.name != APPROVE_UNREAD) {
        model.arming.no_list = false;
    }
    model.double_press.pressed();
    match verb {
        Some(verb) => run(model, verb, By::Key, at, out),
        None if here.is_text() => prompts::typed(model, key),
        None => {
            if let (Code::Char(_), false) = (key.code, key.ctrl || key.alt) {
                // An open question may have another key for help than the panes.
                let help = model.settings.keymap.first(if model.stack.is_empty() {
                    "help"
                } else {
                    "help-here"
                });
                model.set_status(format!("`{key}` does nothing here. {help} shows all keys"));
            }
        }
    }
}

/// Carries out a verb, or says why not.
pub(crate) fn run(model: &mut Model, verb: &Verb, by: By, at: u64, out: &mut Vec<Out>) {
    let moment = Moment { by, at };
    let mut press = Press { moment, out };
    if let Err(refusal) = availability::carry_out(model, verb, &mut press) {
        model.complain(refusal);
    }
}
