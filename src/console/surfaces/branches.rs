//! The list of branches.
//!
//! Must not know: how a branch is made.

pub mod verbs;

use ratatui::Frame;

use crate::kernel::draw::listing::listing;
use crate::kernel::listing::{Listing, Rows};
use crate::kernel::model::Model;
use crate::kernel::registry::Entry;
use crate::kernel::stack::{Erases, Surface};
use crate::kernel::surface::Can::{Close, Help, Move, Palette, Restore, Search};
use crate::kernel::surface::{Card, SurfaceId};
use crate::run::maker::Maker;
use crate::run::target::Target;
use crate::surfaces::documents;
use overrule_domain::command::{Command, EditCommand};
use overrule_domain::id::Epoch;

/// The branches.
pub const ID: SurfaceId = SurfaceId::new(&Card {
    heading: "branches",
    place: "in the list of branches",
    can: &[Move, Search, Palette, Help, Close, Restore],
    stays: &["close"],
    ..Card::BASE
});

/// What is registered of it.
pub const ENTRY: Entry = Entry {
    id: ID,
    family: "branches and effects",
    verbs: &[verbs::BRANCH_NAME, verbs::BRANCH_MARK],
};

/// The branches.
#[derive(Debug, Clone, Default)]
pub struct BranchList {
    /// The rows, and the details of the one under the cursor.
    pub list: Listing,
    /// The branch to compare with; none for the current branch.
    pub marked: Option<Epoch>,
}

impl Surface for BranchList {
    fn id(&self) -> SurfaceId {
        ID
    }

    fn prepare(&mut self, model: &mut Model) {
        let (cached, marked) = (&mut model.cached, self.marked);
        let (all, stamp) = (cached.branches(&model.run.state), model.staged_edits.stamp);
        let looks = (model.screen.list_width(), model.settings.charset);
        let mut maker = Maker::new(
            &model.run,
            &mut model.inspector.cache,
            &model.queue.call_groups,
            looks,
        );
        let rows = |maker: &mut Maker<'_>, list: &mut Listing| {
            list.take(all.iter().map(|branch| Target::Branch(branch.epoch)).collect());
            list.title = format!("{} branches", all.len());
            list.rows = Rows::all(documents::branch_list(&maker.run.state, all, marked, looks));
        };
        let details = |maker: &mut Maker<'_>, list: &mut Listing| {
            if let Some(branch) = all.get(list.at) {
                documents::branch_answer(maker, branch);
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

    fn is_broad(&self) -> bool {
        true
    }

    fn listing(&self) -> Option<&Listing> {
        Some(&self.list)
    }

    fn listing_mut(&mut self) -> Option<&mut Listing> {
        Some(&mut self.list)
    }

    fn is_moot(&self, _model: &Model, command: &Command) -> bool {
        !matches!(command, Command::Edit(EditCommand::Commit { .. }))
    }
}
