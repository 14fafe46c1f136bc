//! Typing: editors, lines, pastes, `$EDITOR`.
//!
//! Must not know: what an edit does.
//!
//! Text goes into the topmost text field or nowhere.

use super::{lists, open};
use crate::field::{Field, TextVerb, too_much};
use crate::key::Key;
use crate::model::Model;
use crate::model::arming::BURST_KEYS;
use crate::model::overlay::Overlay;
use crate::msg::Out;
use crate::prompt::Prompt;

/// The refusal of a paste where a word confirms a decision.
const NO_PASTE: &str = "A paste decides nothing. Type the name";

/// Opens a line to type, unless its text cannot be typed.
pub(crate) fn ask(model: &mut Model, prompt: Prompt) {
    if let Some(why) = too_much(prompt.field.original()) {
        return model.complain(format!("cannot type the {}: {why}", prompt.title));
    }
    open(model, Overlay::Line(prompt));
}

pub(crate) fn field(model: &mut Model) -> Option<&mut Field> {
    match model.overlays.last_mut()? {
        Overlay::Editor(editor) if editor.long.is_none() && !editor.sent => Some(&mut editor.field),
        Overlay::Line(line) => Some(&mut line.field),
        Overlay::List(list) => Some(&mut list.field),
        _ => None,
    }
}

/// Like `field`, but read-only.
pub(crate) fn open_field(model: &Model) -> Option<&Field> {
    match model.overlays.last()? {
        Overlay::Editor(editor) if editor.long.is_none() && !editor.sent => Some(&editor.field),
        Overlay::Line(line) => Some(&line.field),
        Overlay::List(list) => Some(&list.field),
        _ => None,
    }
}

fn changed(model: &mut Model) {
    match model.overlays.last_mut() {
        Some(Overlay::Editor(editor)) => editor.check(),
        Some(Overlay::List(_)) => lists::filter(model),
        _ => {}
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
    let Some(Overlay::Editor(editor)) = model.overlays.last_mut() else {
        return false;
    };
    let Some(long) = editor.long.as_ref().filter(|_| !editor.sent) else {
        return false;
    };
    let why = too_much(long).unwrap_or_default();
    if verb == Some(TextVerb::Undo) && editor.go_back() {
        model.set_status("Undone: the text is as before it became too long");
        return true;
    }
    let ways = editor.ways_out(&model.settings.keymap);
    model.complain(format!("{why}: {ways}"));
    true
}

/// Pastes a text.
pub(crate) fn paste(model: &mut Model, text: &str) {
    model.double_press.pressed();
    if let Some(Overlay::Editor(editor)) = model.overlays.last_mut()
        && editor.long.is_none()
        && !editor.sent
    {
        if let Err(why) = editor.paste(text) {
            let key = model.settings.keymap.first("external");
            let undo = model.settings.keymap.first("undo-typing");
            model.complain(format!(
                "{why}: {key} opens them in $EDITOR, {undo} undoes the paste"
            ));
        }
        return;
    }
    if let Some(Overlay::Line(line)) = model.overlays.last()
        && line.style.confirms
    {
        model.complain(NO_PASTE);
        return;
    }
    match field(model) {
        Some(field) => match field.paste(text) {
            Ok(()) => changed(model),
            Err(why) => model.complain(why),
        },
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
    let is_line = |overlay: &mut Overlay| matches!(overlay, Overlay::Line(_));
    let Some(Overlay::Line(line)) = model.overlays.pop_if(is_line) else {
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
            model.overlays.push(Overlay::Line(line));
            model.complain(why);
        }
        Ok(()) if line.style.waits => model.overlays.push(Overlay::Line(line)),
        Ok(()) => {
            if let Some(sent) = model.run.sent.as_mut().filter(|_| is_sent && line.style.returns) {
                sent.line = Some(Box::new(line));
            }
        }
    }
}

/// Handles the reply: the file was written, or the line stays as it was typed.
pub(crate) fn saved(model: &mut Model, written: Result<String, String>) {
    match written {
        Ok(words) => {
            let waits = |overlay: &mut Overlay| matches!(overlay, Overlay::Line(line) if line.style.waits);
            model.overlays.pop_if(waits);
            model.set_status(words);
        }
        Err(why) => model.complain(why),
    }
}
