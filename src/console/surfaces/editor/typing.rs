//! Help while a text is typed: completion, search, the next fault, the clipboard.
//!
//! Must not know: what the text is for, how it is drawn.

use std::ops::Range;

use crate::ground::key::{Code, Key};
use crate::kernel::model::Model;
use crate::kernel::msg::Out;
use crate::kernel::prompt::{Prompt, Style};
use crate::kernel::prompts;
use crate::run::refusal::Refusal;
use crate::surfaces::editor::state::{Editor, Form};
use crate::surfaces::list::choose;
use crate::surfaces::list::{Choice, Gives, ListPurpose};
use overrule_base::text::visible;

/// Longest text for the clipboard, in bytes. Base64 makes it a third longer, and tmux drops a
/// sequence of more than 1 MiB. A terminal does not report that.
const CLIPBOARD: usize = 512 * 1024;

/// Refuses a text that has too many bytes for the clipboard. It says if the text can be saved.
pub(crate) fn fits_clipboard(bytes: usize, saves: bool) -> Result<(), Refusal> {
    if bytes > CLIPBOARD {
        let save = if saves {
            ". `save` in the palette writes it to a file"
        } else {
            ""
        };
        return Err(Refusal::new(format!(
            "Cannot copy {bytes} bytes: the limit is {CLIPBOARD}{save}"
        )));
    }
    Ok(())
}

/// Inserts the completion at the cursor, or lists several to choose from.
pub(crate) fn complete(model: &mut Model) {
    if let Some(editor) = model.stack.top_mut::<Editor>()
        && editor.fields.is_some()
    {
        if !editor.sent {
            editor.go_to_field(false);
        }
        return;
    }
    let Some(editor) = model.stack.top::<Editor>() else {
        return;
    };
    if editor.form != Form::Json {
        return prompts::typed(model, Key::plain(Code::Tab));
    }
    let state = &model.run.state;
    // Completions from the schema take precedence over references.
    let Some(found) = editor.completion().or_else(|| editor.references(state)) else {
        model.complain("No completions: the schema of the tool has none here, and no reference is typed");
        return;
    };
    if let [only] = found.choices.as_slice() {
        let insert = only.insert.clone();
        return put_in(model, found.from..found.to, &insert);
    }
    let choices = found
        .choices
        .into_iter()
        .map(|choice| Choice {
            name: visible(&choice.name),
            detail: visible(&choice.detail),
            ..Choice::of(Gives::Json(choice.insert))
        })
        .collect();
    let purpose = ListPurpose::Complete {
        from: found.from,
        to: found.to,
    };
    choose::open(model, purpose, "completions", choices);
}

/// Replaces some bytes of the open text with a piece of JSON.
pub(crate) fn put_in(model: &mut Model, bytes: Range<usize>, insert: &str) {
    if let Some(editor) = model.stack.top_mut::<Editor>()
        && !editor.sent
        && !editor.put_in(bytes, insert)
    {
        let most = editor.field.most();
        model.complain(format!(
            "cannot insert `{}`: at most {most} fit here",
            visible(insert.trim_end())
        ));
    }
}

/// Asks for the text to find.
pub(crate) fn find(model: &mut Model) {
    let editor = model.stack.top::<Editor>();
    if editor.is_some_and(|editor| editor.long.is_none()) {
        let style = Style {
            over: true,
            ..Style::QUERY
        };
        let prompt = Prompt::new(("find", style), "find in the text", "", |model, text, _| {
            look_for(model, &text);
            Ok(())
        });
        prompts::ask(model, prompt);
    }
}

/// Goes to the first match from the cursor on.
pub(crate) fn look_for(model: &mut Model, words: &str) {
    let Some(field) = prompts::field(model) else {
        return;
    };
    if !field.find(words) && !words.is_empty() {
        model.complain(format!("Not in the text: `{}`", visible(words)));
    }
}

/// Goes to the next problem in the text.
pub(crate) fn next_fault(model: &mut Model) {
    let Some(editor) = model.stack.top_mut::<Editor>() else {
        return;
    };
    if !editor.to_next_fault() {
        let words = if editor.faults.is_empty() {
            "No problems in the text"
        } else {
            "The problem has no position in the text"
        };
        model.set_status(words);
    }
}

/// Copies the selection to the terminal's clipboard.
pub(crate) fn copy(model: &mut Model, out: &mut Vec<Out>) {
    let Some(field) = prompts::field(model) else {
        return;
    };
    let text = field.selected();
    match fits_clipboard(text.len(), false) {
        Ok(()) => {
            model.set_status(format!("Copied {} bytes", text.len()));
            out.push(Out::Copy(text));
        }
        Err(why) => model.complain(why),
    }
}
