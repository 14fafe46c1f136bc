//! An editor of several lines on the screen.
//!
//! Must not know: what an edit does.

pub(crate) mod discard;
pub(crate) mod draw;
pub(crate) mod edits;
pub(crate) mod external;
pub mod state;
pub(crate) mod typing;
pub mod verbs;

use ratatui::Frame;

use crate::ground::field::{Field, TextVerb, too_much};
use crate::ground::motion::Move;
use crate::kernel::keymap::Keymap;
use crate::kernel::model::Model;
use crate::kernel::registry::Entry;
use crate::kernel::stack::Surface;
use crate::kernel::surface::Can::{Type, Write};
use crate::kernel::surface::{Card, SurfaceId};
use crate::run::refusal::Refusal;
use crate::surfaces::editor::state::Editor;
use overrule_domain::id::NodeId;

/// An editor of several lines.
pub const ID: SurfaceId = SurfaceId::new(&Card {
    heading: "editor",
    can: &[Type, Write],
    changes: true,
    ..Card::BASE
});

/// What is registered of it.
pub const ENTRY: Entry = Entry {
    id: ID,
    family: "typing",
    verbs: &[],
};

impl Surface for Editor {
    fn id(&self) -> SurfaceId {
        ID
    }

    fn draw(&self, model: &Model, frame: &mut Frame<'_>) {
        draw::draw(model, frame, self);
    }

    fn step(&mut self, to: Move, _page: usize) {
        let side = match to {
            Move::Left => Some(true),
            Move::Right => Some(false),
            _ => None,
        };
        if let (Some(back), Some(fields)) = (side, &self.fields)
            && fields.turn(back, &mut self.field)
        {
            return self.check();
        }
        self.field.step(to);
    }

    fn is_broad(&self) -> bool {
        true
    }

    fn field(&self) -> Option<&Field> {
        (self.long.is_none() && !self.sent).then_some(&self.field)
    }

    fn field_mut(&mut self) -> Option<&mut Field> {
        (self.long.is_none() && !self.sent).then_some(&mut self.field)
    }

    fn changed(&mut self) {
        if let Some(fields) = &self.fields {
            fields.chosen(&mut self.field);
        }
        self.check();
    }

    fn paste(&mut self, text: &str, keymap: &Keymap) -> Option<Result<(), String>> {
        self.field()?;
        let pasted = Self::paste(self, text);
        Some(pasted.map_err(|why| {
            let (key, undo) = (keymap.first("external"), keymap.first("undo-typing"));
            format!("{why}: {key} opens them in $EDITOR, {undo} undoes the paste")
        }))
    }

    fn too_long(&mut self, verb: Option<TextVerb>, keymap: &Keymap) -> Option<Result<String, String>> {
        let long = self.long.as_ref().filter(|_| !self.sent)?;
        let why = too_much(long).unwrap_or_default();
        if verb == Some(TextVerb::Undo) && self.go_back() {
            return Some(Ok("Undone: the text is as before it became too long".to_owned()));
        }
        Some(Err(format!("{why}: {}", self.ways_out(keymap))))
    }

    fn unsendable(&self, keymap: &Keymap) -> Option<Refusal> {
        let (copy, external) = (keymap.first("copy-selected"), keymap.first("external"));
        let stages = (!self.is_no_edit()).then(|| format!(", {} stages it", keymap.first("stage")));
        Some(Refusal::new(format!(
            "halted: the text stays, but cannot be sent; {copy} copies it, {external} opens it in $EDITOR, where it can \
             be saved{}",
            stages.unwrap_or_default()
        )))
    }

    fn lost(&self) -> Option<String> {
        if self.sent || self.is_unchanged() {
            return None;
        }
        let lines = match self.lines() {
            1 => "1 line".to_owned(),
            count => format!("{count} lines"),
        };
        Some(format!("Your text in the editor ({lines}) is lost."))
    }

    fn holds(&self) -> Option<NodeId> {
        Self::holds(self).filter(|_| !self.sent)
    }

    fn refused(&mut self) {
        self.sent = false;
    }
}
