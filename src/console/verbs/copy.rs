//! Copies, saves or opens the shown text.
//!
//! Must not know: what the text is.

use std::sync::Arc;

use crate::kernel::context::PANES;
use crate::kernel::model::Model;
use crate::kernel::msg::Out;
use crate::kernel::prompt::{Prompt, Style};
use crate::kernel::prompts;
use crate::kernel::verb::Verb;
use crate::run::refusal::{LOADING, Refusal};
use crate::surfaces::editor::typing::fits_clipboard;
use overrule_base::text::visible_lines;

/// The verb `copy`.
pub const COPY: Verb = Verb {
    name: "copy",
    keys: &["y"],
    contexts: PANES,
    doc: "copy the shown text to the terminal's clipboard",
    run: |model, press| copy(model, press.out),
    ..Verb::BASE
};

/// The verb `save`.
pub const SAVE: Verb = Verb {
    name: "save",
    keys: &[],
    contexts: PANES,
    doc: "save the shown text, byte for byte, in a new file that you name",
    run: |model, _| save(model),
    ..Verb::BASE
};

/// The verb `open-outside`.
pub const OPEN_OUTSIDE: Verb = Verb {
    name: "open-outside",
    keys: &["ctrl-o"],
    contexts: PANES,
    doc: "open the shown text in $EDITOR, to read; changes there are discarded",
    run: |model, press| {
        let text = whole(model)?;
        press.out.push(Out::Show(visible_lines(&text).join("\n")));
        Ok(())
    },
    ..Verb::BASE
};

/// What the inspector shows, as text.
fn whole(model: &Model) -> Result<String, Refusal> {
    let doc = &model.inspector.doc;
    if doc.is_waiting() {
        return Err(Refusal::new(LOADING));
    }
    Ok(doc.copy())
}

/// Asks for the file into which the shown text goes.
fn save(model: &mut Model) -> Result<(), Refusal> {
    let text: Arc<str> = whole(model)?.into();
    let title = format!(
        "write the shown {} bytes to which file? nothing is overwritten",
        text.len()
    );
    // The line stays open until the file is written: if it exists, another name is needed.
    let style = Style {
        records: false,
        waits: true,
        ..Style::SETTING
    };
    let prompt = Prompt::new(("save", style), title, "", move |_, path, out| {
        if path.is_empty() {
            return Err("No file named".to_owned());
        }
        let text = Arc::clone(&text);
        out.push(Out::Save { path, text });
        Ok(())
    });
    prompts::ask(model, prompt);
    Ok(())
}

fn copy(model: &mut Model, out: &mut Vec<Out>) -> Result<(), Refusal> {
    let text = whole(model)?;
    fits_clipboard(text.len(), true)?;
    model.set_status(format!(
        "Copied {} bytes to the clipboard{}",
        text.len(),
        model.settings.reach.way()
    ));
    out.push(Out::Copy(text));
    Ok(())
}
