//! The list of staged edits.
//!
//! Must not know: what an edit does.

pub(crate) mod hold;
pub mod verbs;

use ratatui::Frame;

use crate::ground::doc::Styled;
use crate::ground::theme::Role;
use crate::kernel::draw::listing::listing;
use crate::kernel::listing::{Line, Listing, Rows};
use crate::kernel::model::Model;
use crate::kernel::model::staged_edits::{StagedEdits, describe, moved};
use crate::kernel::registry::Entry;
use crate::kernel::stack::{Erases, Surface};
use crate::kernel::surface::Can::{Close, Help, Move, Palette, Search};
use crate::kernel::surface::{Card, SurfaceId};
use crate::run::maker::Maker;
use crate::run::summary;
use crate::run::target::Target;
use crate::surfaces::documents;
use crate::surfaces::review::preview::texts;
use overrule_domain::command::Command;

/// The staged edits.
pub const ID: SurfaceId = SurfaceId::new(&Card {
    heading: "staged edits",
    place: "in the list of staged edits",
    can: &[Move, Search, Palette, Help, Close],
    stays: &["close"],
    changes: true,
    ..Card::BASE
});

/// What is registered of it.
pub const ENTRY: Entry = Entry {
    id: ID,
    family: "edit",
    verbs: &[
        verbs::STAGED_PREVIEW,
        verbs::STAGED_OPEN,
        verbs::STAGED_REMOVE,
        verbs::STAGED_DROP,
    ],
};

/// The staged edits.
#[derive(Debug, Clone, Default)]
pub struct StagedList {
    /// The rows, and the details of the one under the cursor.
    pub list: Listing,
}

impl Surface for StagedList {
    fn id(&self) -> SurfaceId {
        ID
    }

    fn prepare(&mut self, model: &mut Model) {
        let staged = &model.staged_edits;
        let looks = (model.screen.list_width(), model.settings.charset);
        let mut maker = Maker::new(
            &model.run,
            &mut model.inspector.cache,
            &model.queue.call_groups,
            looks,
        );
        let details = |maker: &mut Maker<'_>, list: &mut Listing| {
            if let Some(item) = staged.items().get(list.at) {
                let texts = texts(&maker.run.state, &item.edit);
                let moved = moved(&maker.run.state, &item.edit);
                documents::staged_edit(maker, moved.as_deref(), &texts);
            }
        };
        let rows = |maker: &mut Maker<'_>, list: &mut Listing| rows(maker, list, staged);
        self.list.renew(&mut maker, staged.stamp, rows, details);
        self.list.scroll_on(&model.screen);
    }

    fn draw(&self, model: &Model, frame: &mut Frame<'_>) {
        listing(model, frame, &self.list);
    }

    fn erases(&self, _model: &Model) -> Erases {
        Erases::Frame
    }

    fn listing(&self) -> Option<&Listing> {
        Some(&self.list)
    }

    fn listing_mut(&mut self) -> Option<&mut Listing> {
        Some(&mut self.list)
    }

    fn is_moot(&self, model: &Model, _command: &Command) -> bool {
        model.staged_edits.is_empty()
    }
}

fn rows(maker: &Maker<'_>, list: &mut Listing, staged: &StagedEdits) {
    let items = staged.items();
    list.take(items.iter().map(|item| Target::Edit(item.no)).collect());
    list.title = format!("{}, not committed", describe(items.len()));
    let lines = items
        .iter()
        .enumerate()
        .map(|(at, item)| {
            let mut words = Styled::new().own(Role::Dim, format!(" {} ", at + 1));
            if moved(&maker.run.state, &item.edit).is_some() {
                words = words.own(Role::Error, "! redo  ");
            }
            let text = summary::edit(&maker.run.state, &item.edit);
            let room = usize::from(maker.width).saturating_sub(words.columns());
            Line {
                of: Some(at),
                words: words.summary(Role::Text, &text, room),
            }
        })
        .collect();
    list.rows = Rows::all(lines);
}
