//! Copies a text that was edited in `$EDITOR` back into the open editor.
//!
//! Must not know: how `$EDITOR` was opened, what the text is for.

use crate::kernel::model::Model;
use crate::kernel::msg::{EditedFile, Out};
use crate::surfaces::editor::state::Editor;

/// Handles the end of `$EDITOR`. The file is deleted only after its text was copied.
pub(crate) fn take(model: &mut Model, result: Result<EditedFile, String>, out: &mut Vec<Out>) {
    let written = match result {
        Ok(written) => written,
        Err(why) => return model.complain(format!("Nothing copied from $EDITOR: {why}")),
    };
    let taken = match model.stack.top_mut::<Editor>() {
        Some(editor) if !editor.sent => Ok(editor.take_external(&written.text)),
        _ => Err("its text is no longer open".to_owned()),
    };
    let ends = match taken {
        Ok(ends) => ends,
        Err(why) => {
            let file = written.file.display();
            return model.complain(format!(
                "Nothing copied from $EDITOR: {why}. What you wrote is in {file}"
            ));
        }
    };
    out.push(Out::Discard(written.file));
    model.set_status(if ends {
        "Copied from $EDITOR, with LF line ends as before, not CRLF. Check it before you finish"
    } else {
        "Copied from $EDITOR. Check it before you finish"
    });
}
