//! Redraws the screen, and captures or releases the mouse.
//!
//! Must not know: how the screen is drawn.

use crate::kernel::context::PANES;
use crate::kernel::msg::Out;
use crate::kernel::verb::{Care, Verb};

/// The verb `mouse`.
pub const MOUSE: Verb = Verb {
    name: "mouse",
    keys: &["m"],
    contexts: PANES,
    doc: "capture the mouse, or leave it to the terminal's own selection of text",
    run: |model, press| {
        model.screen.mouse = !model.screen.mouse;
        let on = model.screen.mouse;
        model.set_status(if on {
            "Mouse on. Shift and the mouse select text in most terminals"
        } else {
            "Mouse off: the terminal selects text with it"
        });
        press.out.push(Out::Mouse(on));
        Ok(())
    },
    ..Verb::BASE
};

/// The verb `redraw`.
pub const REDRAW: Verb = Verb {
    name: "redraw",
    keys: &["ctrl-l"],
    contexts: PANES,
    doc: "redraw the whole screen",
    care: Care::Free,
    run: |_, press| {
        press.out.push(Out::Redraw);
        Ok(())
    },
    ..Verb::BASE
};
