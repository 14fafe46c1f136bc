//! Typing: editors, lines, pastes, `$EDITOR`.
//!
//! Must not know: what an edit does.
//!
//! Text goes into the topmost text field or nowhere.

use crate::ground::field::{Field, TextVerb, too_much};
use crate::ground::key::Key;
use crate::kernel::model::Model;
use crate::kernel::model::key_state::BURST_KEYS;
use crate::kernel::msg::Out;
use crate::kernel::prompt::{NO_PASTE, Prompt};

/// Opens a line to type, unless its text cannot be typed.
pub(crate) fn ask(model: &mut Model, prompt: Prompt) {
    if let Some(why) = too_much(prompt.field.original()) {
        return model.complain(format!("cannot type the {}: {why}", prompt.title));
    }
    model.stack.push(prompt);
}

/// True while a line is open that confirms a decision. It is in the first row of the status lines.
pub(crate) fn confirms(model: &Model) -> bool {
    model
        .stack
        .top::<Prompt>()
        .is_some_and(|line| line.style.confirms)
}

pub(crate) fn field(model: &mut Model) -> Option<&mut Field> {
    model.stack.last_mut()?.field_mut()
}

/// Like `field`, but read-only.
pub(crate) fn open_field(model: &Model) -> Option<&Field> {
    model.stack.last()?.field()
}

fn changed(model: &mut Model) {
    if let Some(surface) = model.stack.last_mut() {
        surface.changed();
    }
}

/// Types a key that is no command into the open text.
pub(crate) fn typed(model: &mut Model, key: Key) {
    if is_too_long(model, None) {
        return;
    }
    let Some(field) = field(model) else { return };
    if let Some(c) = field.typed(key) {
        return type_in(model, c.encode_utf8(&mut [0; 4]));
    }
    if field.key(key) {
        changed(model);
    }
}

/// Types a text into the open text field as one change, as far as it fits.
pub(crate) fn type_in(model: &mut Model, typed: &str) {
    if is_too_long(model, None) {
        return;
    }
    let Some(field) = field(model) else { return };
    let (left, most) = (field.type_in(typed), field.most());
    changed(model);
    if left > 0 {
        let characters = if left == 1 {
            "1 character".to_owned()
        } else {
            format!("{left} characters")
        };
        model.complain(format!(
            "{characters} dropped: at most {most} fit here. The text before stays"
        ));
    }
}

/// True if the open text is too long to edit. Then it undoes if the verb asks for that, else it
/// shows what can be done.
pub(crate) fn is_too_long(model: &mut Model, verb: Option<TextVerb>) -> bool {
    let Some(surface) = model.stack.last_mut() else {
        return false;
    };
    match surface.too_long(verb, &model.settings.keymap) {
        Some(Ok(done)) => model.set_status(done),
        Some(Err(why)) => model.complain(why),
        None => return false,
    }
    true
}

/// Pastes a text.
pub(crate) fn paste(model: &mut Model, text: &str) {
    model.double_press.pressed();
    let top = model.stack.last_mut();
    match top.and_then(|top| top.paste(text, &model.settings.keymap)) {
        Some(Ok(())) => {}
        Some(Err(why)) => model.complain(why),
        None => model.complain(format!(
            "Dropped a paste of {} bytes: no text is open",
            text.len()
        )),
    }
}

/// Changes the text of the open field.
pub(crate) fn edit(model: &mut Model, verb: TextVerb) {
    if is_too_long(model, Some(verb)) {
        return;
    }
    if let Some(field) = field(model) {
        field.edit(verb);
        changed(model);
    }
}

/// Finishes the open line.
pub(crate) fn accept(model: &mut Model, out: &mut Vec<Out>) {
    let Some(line) = model.stack.take::<Prompt>() else {
        return;
    };
    // A terminal without bracketed paste.
    let is_pasted = line.style.confirms && model.keys.times.len() > BURST_KEYS;
    let before = out.len();
    let done = if is_pasted {
        Err(NO_PASTE.to_owned())
    } else {
        line.accept(model, out)
    };
    let is_sent = out.iter().skip(before).any(|out| matches!(out, Out::Command(_)));
    match done {
        Err(why) => {
            model.stack.push(line);
            model.complain(why);
        }
        Ok(()) if line.style.waits => model.stack.push(line),
        Ok(()) => {
            if is_sent && line.style.returns {
                model.stack.sent_line = Some(line);
            }
        }
    }
}

/// Handles the reply: the file was written, or the line stays as it was typed.
pub(crate) fn saved(model: &mut Model, written: Result<String, String>) {
    match written {
        Ok(words) => {
            model.stack.pop_if(|line: &Prompt| line.style.waits);
            model.set_status(words);
        }
        Err(why) => model.complain(why),
    }
}
