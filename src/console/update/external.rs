//! What came back from `$EDITOR`. Must not know: how it was opened, what the text is for.

use crate::console::model::Model;
use crate::console::model::overlay::Overlay;
use crate::console::msg::{EditedFile, Out};

/// `$EDITOR` ended. What was written there goes away only where all of it is here.
pub(super) fn take(model: &mut Model, result: Result<EditedFile, String>, out: &mut Vec<Out>) {
    let written = match result {
        Ok(written) => written,
        Err(why) => return model.complain(format!("nothing was taken over from $EDITOR: {why}")),
    };
    let taken = match model.overlays.last_mut() {
        Some(Overlay::Editor(editor)) if !editor.sent => Ok(editor.take_external(&written.text)),
        _ => Err("the text that it was for is open no more".to_owned()),
    };
    let ends = match taken {
        Ok(ends) => ends,
        Err(why) => {
            let file = written.file.display();
            return model.complain(format!(
                "nothing was taken over from $EDITOR: what you wrote is kept in {file}: {why}"
            ));
        }
    };
    out.push(Out::Discard(written.file));
    model.set_status(if ends {
        "taken over from $EDITOR, its lines ended as they were before and not with CRLF; look at it before you finish"
    } else {
        "taken over from $EDITOR; look at it before you finish"
    });
}
