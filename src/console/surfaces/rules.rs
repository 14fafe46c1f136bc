//! The list of the rules of the session.
//!
//! Must not know: how a rule is evaluated.

pub mod verbs;

use ratatui::Frame;

use crate::kernel::draw::listing::listing;
use crate::kernel::listing::{Listing, Rows};
use crate::kernel::model::Model;
use crate::kernel::registry::Entry;
use crate::kernel::stack::{Erases, Surface};
use crate::kernel::surface::Can::{Close, Help, Move, Palette, Search};
use crate::kernel::surface::{Card, SurfaceId};
use crate::run::maker::Maker;
use crate::run::target::Target;
use crate::surfaces::documents;

/// The rules of the session.
pub const ID: SurfaceId = SurfaceId::new(&Card {
    heading: "rules of the session",
    place: "in the list of rules of the session",
    can: &[Move, Search, Palette, Help, Close],
    ..Card::BASE
});

/// What is registered of it.
pub const ENTRY: Entry = Entry {
    id: ID,
    family: "decide",
    verbs: &[verbs::DROP_RULE],
};

/// The rules of the session.
#[derive(Debug, Clone, Default)]
pub struct RuleList {
    /// The rows, and the details of the one under the cursor.
    pub list: Listing,
}

impl Surface for RuleList {
    fn id(&self) -> SurfaceId {
        ID
    }

    fn prepare(&mut self, model: &mut Model) {
        let (state, stamp) = (&model.run.state, model.staged_edits.stamp);
        let looks = (model.screen.list_width(), model.settings.charset);
        let mut maker = Maker::new(
            &model.run,
            &mut model.inspector.cache,
            &model.queue.call_groups,
            looks,
        );
        let rows = |maker: &mut Maker<'_>, list: &mut Listing| {
            list.take(documents::rules(state));
            "rules of the session".clone_into(&mut list.title);
            list.rows = Rows::all(documents::rule_list(state, &list.items, maker.width));
        };
        let details = |maker: &mut Maker<'_>, list: &mut Listing| {
            if let Some(Target::Rule(no)) = list.selected {
                documents::rule_more(maker, no);
            }
        };
        self.list.renew(&mut maker, stamp, rows, details);
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
}
