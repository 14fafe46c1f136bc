//! A dialog as an example: `docs/contributing.md` shows this file.
//!
//! Must not know: which other surfaces there are.

use ratatui::Frame;

use crate::ground::theme::Role;
use crate::kernel::context::{PANES, on};
use crate::kernel::model::Model;
use crate::kernel::registry::Entry;
use crate::kernel::sheet::Sheet;
use crate::kernel::stack::Surface;
use crate::kernel::surface::{Can, Card, SurfaceId};
use crate::kernel::verb::Verb;

/// A reminder.
pub const ID: SurfaceId = SurfaceId::new(&Card {
    heading: "reminder",
    can: &[Can::Move, Can::Search, Can::Palette, Can::Help, Can::Close],
    reads: true,
    ..Card::BASE
});

/// What is registered of it.
pub const ENTRY: Entry = Entry {
    id: ID,
    family: "view",
    verbs: &[OPEN, DONE],
};

/// The verb `reminder`.
const OPEN: Verb = Verb {
    name: "reminder",
    keys: &["alt-9"],
    contexts: PANES,
    doc: "show what is to be bought",
    run: |model, _| {
        model.stack.push(Reminder {
            text: "buy milk".to_owned(),
            ..Reminder::default()
        });
        Ok(())
    },
    ..Verb::BASE
};

/// The verb `reminder-done`.
const DONE: Verb = Verb {
    name: "reminder-done",
    keys: &["d"],
    contexts: &[on(ID)],
    doc: "close the reminder as done",
    hint: "done",
    run: |model, _| {
        model.stack.pop();
        model.set_status("Done");
        Ok(())
    },
    ..Verb::BASE
};

/// A text to remember.
#[derive(Debug, Clone, Default)]
pub struct Reminder {
    /// The text.
    pub text: String,
    /// Its document.
    pub sheet: Sheet,
}

impl Surface for Reminder {
    fn id(&self) -> SurfaceId {
        ID
    }

    fn prepare(&mut self, model: &mut Model) {
        let text = &self.text;
        self.sheet
            .prepare(model, |maker, _| maker.own(Role::Text, text.as_str()));
    }

    fn draw(&self, model: &Model, frame: &mut Frame<'_>) {
        self.sheet.draw(model, frame, "reminder", Role::Focus);
    }

    fn sheet(&self) -> Option<&Sheet> {
        Some(&self.sheet)
    }

    fn sheet_mut(&mut self) -> Option<&mut Sheet> {
        Some(&mut self.sheet)
    }
}
