//! The list of effects.
//!
//! Must not know: what an answer changes.

pub(crate) mod ledger;
pub mod verbs;

use ratatui::Frame;

use crate::kernel::draw::listing::listing;
use crate::kernel::listing::Listing;
use crate::kernel::model::Model;
use crate::kernel::model::arming::Visibility;
use crate::kernel::registry::Entry;
use crate::kernel::stack::{Erases, Surface};
use crate::kernel::surface::Can::{Close, Help, Move, Palette, Restore, Search};
use crate::kernel::surface::{Card, SurfaceId};
use crate::run::maker::Maker;
use crate::run::question::Question;
use crate::run::target::Target;
use crate::surfaces::documents;
use overrule_domain::command::Command;

/// The list of effects.
pub const ID: SurfaceId = SurfaceId::new(&Card {
    heading: "orphaned effects",
    place: "in the list of orphaned effects",
    can: &[Move, Search, Palette, Help, Close, Restore],
    stays: &["close"],
    ..Card::BASE
});

/// What is registered of it.
pub const ENTRY: Entry = Entry {
    id: ID,
    family: "branches and effects",
    verbs: &[verbs::EFFECTS_ALL, verbs::REVERT_EFFECT],
};

/// Effects: orphaned ones and those with an unknown outcome, or the whole ledger.
#[derive(Debug, Clone, Default)]
pub struct EffectList {
    /// The rows, and the details of the one under the cursor.
    pub list: Listing,
    /// True for the whole ledger; none until it is known whether any effect needs attention.
    pub all: Option<bool>,
}

impl Surface for EffectList {
    fn id(&self) -> SurfaceId {
        ID
    }

    fn prepare(&mut self, model: &mut Model) {
        let stamp = model.staged_edits.stamp;
        let effects = model.cached.effects(&model.run.state);
        // The list opens with effects that need attention, if there are any.
        let all = *self.all.get_or_insert(effects.is_quiet());
        let looks = (model.screen.list_width(), model.settings.charset);
        let mut maker = Maker::new(
            &model.run,
            &mut model.inspector.cache,
            &model.queue.call_groups,
            looks,
        );
        let rows = |maker: &mut Maker<'_>, list: &mut Listing| {
            let title = if all {
                "all effects, newest first"
            } else {
                "orphaned effects and unknown outcomes"
            };
            title.clone_into(&mut list.title);
            list.take(effects.list(all).iter().map(|seq| Target::Effect(*seq)).collect());
            list.rows = documents::effect_list(maker, list.items.len(), all);
        };
        let keymap = &model.settings.keymap;
        let details = |maker: &mut Maker<'_>, list: &mut Listing| {
            if let Some(Target::Effect(seq)) = list.selected {
                documents::effect_more(maker, seq, keymap);
            }
        };
        self.list.renew(&mut maker, stamp, rows, details);
        self.list.scroll_on(&model.screen);
        if let Some(lacks) = self.list.lacks_on(&model.screen) {
            let lines = documents::effect_rows(&maker, &self.list.items, lacks.clone());
            self.list.rows.fill(lacks.start, lines);
        }
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

    fn entries(&mut self, model: &mut Model) -> Vec<String> {
        let looks = (model.screen.list_width(), model.settings.charset);
        let maker = Maker::new(
            &model.run,
            &mut model.inspector.cache,
            &model.queue.call_groups,
            looks,
        );
        self.list
            .texts(|which| documents::effect_rows(&maker, &self.list.items, which))
    }

    fn visible(&self, _model: &Model) -> Option<Visibility> {
        match self.list.selected {
            Some(Target::Effect(seq)) => Some(Visibility::words(Question::Effect { seq })),
            _ => None,
        }
    }

    /// The call inserted to revert an effect is in the graph.
    fn is_moot(&self, _model: &Model, _command: &Command) -> bool {
        true
    }
}
