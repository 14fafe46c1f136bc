//! A list to choose from by typing.
//!
//! Must not know: what is chosen.

pub(crate) mod choose;
mod draw;
pub mod palette;

use std::sync::Arc;

use ratatui::Frame;
use ratatui::layout::Rect;

use crate::ground::field::Field;
use crate::ground::motion::Move;
use crate::kernel::model::Model;
use crate::kernel::model::screen::{Screen, inside};
use crate::kernel::prompt;
use crate::kernel::registry::Entry;
use crate::kernel::stack::Surface;
use crate::kernel::surface::Can::{Back, Type};
use crate::kernel::surface::{Card, SurfaceId};
use crate::kernel::verb::Verb;
use overrule_domain::id::{NodeId, Rev, TurnId};

/// A list that is filtered by typing.
pub const ID: SurfaceId = SurfaceId::new(&Card {
    heading: "list",
    can: &[Type, Back],
    ..Card::BASE
});

/// What is registered of it.
pub const ENTRY: Entry = Entry {
    id: ID,
    family: "view",
    verbs: &[palette::CHOOSE],
};

/// A list to choose from by typing.
#[derive(Debug, Clone)]
pub struct List {
    /// What the operator chooses.
    pub purpose: ListPurpose,
    /// Its title.
    pub title: String,
    /// What was typed.
    pub field: Field,
    /// All choices.
    pub choices: Vec<Choice>,
    /// Indices of the matching choices, best first.
    pub found: Vec<usize>,
    /// For each match, the characters of its name that were typed.
    pub typed: Vec<Vec<u32>>,
    /// Index of the cursor in `found`.
    pub at: usize,
}

impl List {
    /// Maximum length of the typed text, in bytes.
    pub const MOST: usize = prompt::WORDS;

    /// The choice under the cursor; none without a match.
    pub fn chosen(&self) -> Option<&Choice> {
        self.choices.get(*self.found.get(self.at)?)
    }

    /// Its area, including the title line.
    fn area(&self, screen: &Screen) -> Rect {
        let mut area = screen.dialog(self.choices.len() + 1);
        if self.is_over() {
            // The text that the list completes stays visible above.
            area.y = screen.places.body.bottom().saturating_sub(area.height);
        }
        area
    }
}

/// Purpose of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ListPurpose {
    /// A command.
    Palette,
    /// The colours of this session.
    Theme,
    /// Another tool for a call.
    Replace {
        /// The call.
        node: NodeId,
        /// The revision that was shown.
        base: Rev,
    },
    /// The tool of a new call.
    NewCall {
        /// The turn before it.
        after: Option<TurnId>,
    },
    /// A value for a range of bytes in the editor below.
    Complete {
        /// The first byte.
        from: usize,
        /// Byte after the last one.
        to: usize,
    },
}

/// A choice of a list. Its texts are safe to show.
#[derive(Debug, Clone)]
pub struct Choice {
    /// Its name.
    pub name: String,
    /// Other words for it, which find it too.
    pub also: &'static str,
    /// Its keys, which find it too.
    pub keys: Vec<String>,
    /// What it is.
    pub detail: String,
    /// Text at the right end.
    pub right: String,
    /// True if it can be carried out now.
    pub now: bool,
    /// What choosing it yields.
    pub gives: Gives,
}

impl Choice {
    /// A choice without texts, which can be carried out.
    pub const fn of(gives: Gives) -> Self {
        Self {
            name: String::new(),
            also: "",
            keys: Vec::new(),
            detail: String::new(),
            right: String::new(),
            now: true,
            gives,
        }
    }
}

/// What a choice yields.
#[derive(Debug, Clone)]
pub enum Gives {
    /// A command.
    Verb(&'static Verb),
    /// A tool.
    Tool(Arc<str>),
    /// A piece of JSON.
    Json(String),
    /// A theme.
    Theme(String),
    /// Nothing here: the command works in this context.
    Elsewhere(&'static str),
}

impl Surface for List {
    fn id(&self) -> SurfaceId {
        ID
    }

    fn draw(&self, model: &Model, frame: &mut Frame<'_>) {
        draw::draw(model, frame, self);
    }

    /// The text that a list completes stays on the screen.
    fn is_over(&self) -> bool {
        matches!(self.purpose, ListPurpose::Complete { .. })
    }

    fn is_palette(&self) -> bool {
        self.purpose == ListPurpose::Palette
    }

    fn step(&mut self, to: Move, page: usize) {
        let last = self.found.len().saturating_sub(1);
        match to {
            Move::Up => self.at = self.at.saturating_sub(1),
            Move::Down => self.at = (self.at + 1).min(last),
            Move::PageUp | Move::HalfUp => self.at = self.at.saturating_sub(page),
            Move::PageDown | Move::HalfDown => self.at = (self.at + page).min(last),
            Move::Top => self.at = 0,
            Move::Bottom => self.at = last,
            Move::Left | Move::Right => self.field.step(to),
        }
    }

    fn point(&mut self, screen: &Screen, y: u16) {
        let body = inside(self.area(screen));
        let rows = usize::from(body.height.saturating_sub(1));
        let top = (self.at + 1).saturating_sub(rows);
        let first = body.y.saturating_add(1);
        if (first..body.bottom()).contains(&y) {
            let at = top + usize::from(y - first);
            if at < self.found.len() {
                self.at = at;
            }
        }
    }

    fn field(&self) -> Option<&Field> {
        Some(&self.field)
    }

    fn field_mut(&mut self) -> Option<&mut Field> {
        Some(&mut self.field)
    }

    fn changed(&mut self) {
        choose::filter(self);
    }
}
