//! The list of staged edits.
//!
//! Must not know: what an edit does.

use ratatui::Frame;

use crate::cards::STAGED_EDITS;
use crate::doc::Styled;
use crate::listing::{Line, Listing, Rows};
use crate::model::Model;
use crate::model::staged_edits::{StagedEdits, moved};
use crate::panes::rows::Target;
use crate::stack::{Erases, Surface};
use crate::summary;
use crate::surface::SurfaceId;
use crate::tabs::{self, Maker};
use crate::theme::Role;
use crate::update::review::texts;
use crate::update::stage::count;
use crate::view::listing::listing;
use overrule_domain::command::Command;

/// The staged edits.
#[derive(Debug, Clone, Default)]
pub struct StagedList {
    /// The rows, and the details of the one under the cursor.
    pub list: Listing,
}

impl Surface for StagedList {
    fn id(&self) -> SurfaceId {
        STAGED_EDITS
    }

    fn prepare(&mut self, model: &mut Model) {
        let staged = &model.staged_edits;
        let looks = (model.screen.overlay_width(), model.settings.charset);
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
                tabs::staged_edit(maker, moved.as_deref(), &texts);
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
    list.title = format!("{}, not committed", count(items.len()));
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
