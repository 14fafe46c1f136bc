//! Scenes with edits and branches, made by keys and by the rules themselves.
//!
//! Must not know: terminals, engines.

use super::{ARMING, Stage, id};
use crate::console::model::overlay::Overlay;
use crate::domain::call::Outcome;
use crate::domain::event::TurnEvent;
use crate::domain::id::TurnId;
use crate::domain::node::{Channel, Origin};

impl Stage {
    /// Puts a text into the open editor.
    pub fn edit_field(&mut self, text: &str) {
        match self.model.overlays.last_mut() {
            Some(Overlay::Editor(editor)) => editor.field.replace(text),
            other => panic!("no editor but {other:?}"),
        }
    }

    /// A write that ran.
    pub fn written(&mut self) {
        self.begin();
        self.thought("t2", "I will write.");
        self.finished(
            "c3",
            "write_file",
            r#"{"path":"a","content":"b"}"#,
            Outcome::ok("1"),
        );
        self.close();
        self.draw();
    }

    /// A write that ran under a thought that was rewritten.
    pub fn orphaned(&mut self) {
        self.written();
        self.press("1 g j e");
        self.type_text("!");
        self.press("ctrl-s");
        self.wait(ARMING);
        self.press("enter");
        self.carry_out();
    }

    /// Two turns: a read and what the model thought of it.
    pub fn two_turns(&mut self) {
        self.begin();
        self.thought("t2", "I will read.");
        self.finished("c3", "read_file", r#"{"path":"a"}"#, Outcome::ok("\"old\""));
        self.close();
        self.turn(TurnEvent::Settled {
            turn: TurnId(2),
            errors: Vec::new(),
        });
        self.request(3, 2);
        self.turn(TurnEvent::Thought {
            turn: TurnId(3),
            node: id("t6"),
            text: "It says old.".into(),
            channel: Channel::Spoken,
            opaque: None,
            origin: Origin::Model,
        });
        self.draw();
    }

    /// An edited read beside a write: two branches.
    pub fn edited(&mut self) {
        self.begin();
        self.thought("t2", "I will read and write.");
        self.finished("c3", "read_file", r#"{"path":"a"}"#, Outcome::ok("\"old\""));
        self.finished(
            "c4",
            "write_file",
            r#"{"path":"r","content":"x"}"#,
            Outcome::ok("1"),
        );
        self.close();
        self.draw();
        self.press("1 g j j e");
        self.edit_field(r#"{"path":"B"}"#);
        self.press("ctrl-s");
        self.wait(ARMING);
        self.press("enter");
        self.carry_out();
    }
}
