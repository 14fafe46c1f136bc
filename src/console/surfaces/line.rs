//! One line to type on the screen.
//!
//! Must not know: what it is for.

use ratatui::Frame;
use ratatui::layout::Rect;

use crate::ground::doc::broken;
use crate::ground::field::Field;
use crate::ground::motion::Move;
use crate::ground::paint::{Canvas, row_of};
use crate::ground::theme::Role;
use crate::kernel::draw::dialog;
use crate::kernel::halted;
use crate::kernel::keymap::Keymap;
use crate::kernel::model::Model;
use crate::kernel::prompt::{NO_PASTE, Prompt};
use crate::kernel::registry::Entry;
use crate::kernel::stack::Surface;
use crate::kernel::surface::Can::{Type, Write};
use crate::kernel::surface::{Card, SurfaceId};
use crate::run::refusal::Refusal;

/// One line of text.
pub const ID: SurfaceId = SurfaceId::new(&Card {
    heading: "one-line input",
    can: &[Type, Write],
    ..Card::BASE
});

/// What is registered of it.
pub const ENTRY: Entry = Entry {
    id: ID,
    family: "typing",
    verbs: &[],
};

impl Surface for Prompt {
    fn id(&self) -> SurfaceId {
        ID
    }

    /// Draws it at the bottom of the panes.
    fn draw(&self, model: &Model, frame: &mut Frame<'_>) {
        if self.style.confirms {
            return confirm(self, model, frame);
        }
        let body = model.screen.places.body;
        // The title lists what may be typed, in as many rows as needed.
        let title = title(model, self);
        let mut titles = broken(&title, usize::from(body.width.saturating_sub(2)));
        titles.truncate(usize::from(body.height.saturating_sub(1)));
        let last = titles.pop().unwrap_or_default();
        let area = Rect {
            y: body.bottom().saturating_sub(2.min(body.height)),
            height: 2.min(body.height),
            ..body
        };
        for (above, title) in titles.iter().rev().enumerate() {
            let row = Rect {
                y: area
                    .y
                    .saturating_sub(u16::try_from(above + 1).unwrap_or(u16::MAX)),
                height: 1,
                ..area
            };
            dialog::heading(model, frame, row, title);
        }
        let field = if titles.is_empty() {
            dialog::open(model, frame, area, &last, Role::Focus)
        } else {
            dialog::heading(model, frame, area, &last)
        };
        self.field.draw(frame, field, &model.settings.look);
    }

    fn is_over(&self) -> bool {
        self.style.over
    }

    fn step(&mut self, to: Move, _page: usize) {
        self.field.step(to);
    }

    fn field(&self) -> Option<&Field> {
        Some(&self.field)
    }

    fn field_mut(&mut self) -> Option<&mut Field> {
        Some(&mut self.field)
    }

    fn paste(&mut self, text: &str, _keymap: &Keymap) -> Option<Result<(), String>> {
        if self.style.confirms {
            return Some(Err(NO_PASTE.to_owned()));
        }
        Some(self.field.paste(text))
    }

    fn unsendable(&self, keymap: &Keymap) -> Option<Refusal> {
        let copy = keymap.first("copy-selected");
        let why = format!("halted: this stays, but cannot be sent; {copy} copies it");
        self.style.records.then(|| Refusal::new(why))
    }
}

/// Draws a line that confirms a decision below its frame, in the row above the keys.
fn confirm(prompt: &Prompt, model: &Model, frame: &mut Frame<'_>) {
    let row = row_of(model.screen.places.status, 0);
    let words = format!(" {}: ", title(model, prompt));
    let mut canvas = Canvas {
        buf: frame.buffer_mut(),
        look: &model.settings.look,
    };
    canvas.fill(row, Role::Text);
    let used = canvas.put(row.x, row.y, row.width, &words, Role::Text);
    let field = Rect {
        x: row.x + used,
        width: row.width - used,
        ..row
    };
    prompt.field.draw(frame, field, &model.settings.look);
}

/// The title of a line, with the time left where there is a deadline.
fn title(model: &Model, line: &Prompt) -> String {
    if let Some(why) = halted::typed(model) {
        return why.to_string();
    }
    let title = line.title.clone();
    let Some(call) = line.call else { return title };
    let status = model.run.state.call(call).map(|call| &call.status);
    match (model.time_left(call), status) {
        (Some(left), _) => format!("{title} ({left})"),
        (None, Some(status)) if status.is_settled() => {
            format!(
                "{title} ({call} is {} meanwhile, and can no longer be rejected)",
                status.base_label()
            )
        }
        _ => title,
    }
}
