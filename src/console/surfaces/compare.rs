//! Two branches side by side.
//!
//! Must not know: how branches are compared.

pub mod copy_node;
pub mod verbs;

use ratatui::Frame;

use crate::ground::doc::Styled;
use crate::ground::theme::Role;
use crate::kernel::draw::listing::listing;
use crate::kernel::listing::Listing;
use crate::kernel::model::Model;
use crate::kernel::registry::Entry;
use crate::kernel::stack::{Erases, Surface};
use crate::kernel::surface::Can::{Close, Help, Move, Palette, Search};
use crate::kernel::surface::{Card, SurfaceId};
use crate::run::maker::Maker;
use crate::run::target::Target;
use crate::surfaces::documents;
use overrule_domain::command::{Command, EditCommand};
use overrule_domain::id::Epoch;

/// Two branches side by side.
pub const ID: SurfaceId = SurfaceId::new(&Card {
    heading: "comparison",
    can: &[Move, Search, Palette, Help, Close],
    stays: &["close"],
    ..Card::BASE
});

/// What is registered of it.
pub const ENTRY: Entry = Entry {
    id: ID,
    family: "branches and effects",
    verbs: &[copy_node::BRANCH_COPY, verbs::COMPARE_ALL],
};

/// Two branches, node by node.
#[derive(Debug, Clone, Default)]
pub struct Comparison {
    /// The rows, and the details of the one under the cursor.
    pub list: Listing,
    /// The one.
    pub a: Epoch,
    /// The other.
    pub b: Epoch,
    /// True to list equal nodes too.
    pub all: bool,
}

impl Comparison {
    /// Compares two branches; equal nodes are not listed.
    pub fn new(a: Epoch, b: Epoch) -> Self {
        Self {
            a,
            b,
            ..Self::default()
        }
    }
}

impl Surface for Comparison {
    fn id(&self) -> SurfaceId {
        ID
    }

    fn prepare(&mut self, model: &mut Model) {
        let (a, b, all) = (self.a, self.b, self.all);
        let stamp = model.staged_edits.stamp;
        let sides = model.cached.branch_diff(&model.run.state, (a, b));
        let looks = (model.screen.list_width(), model.settings.charset);
        let mut maker = Maker::new(
            &model.run,
            &mut model.inspector.cache,
            &model.queue.call_groups,
            looks,
        );
        let rows = |maker: &mut Maker<'_>, list: &mut Listing| {
            list.title = format!("branch {} (A) and branch {} (B)", a.0, b.0);
            let pairs = sides.pairs(all);
            list.take(pairs.filter_map(|pair| pair.key().map(Target::Node)).collect());
            list.rows = documents::compared_rows(maker, sides, all);
        };
        let details = |maker: &mut Maker<'_>, list: &mut Listing| match sides.pair(all, list.at) {
            Some(pair) => documents::compared_node(maker, pair),
            None => maker.doc.line(Styled::new().own(Role::Dim, "no node differs")),
        };
        self.list.renew(&mut maker, stamp, rows, details);
        self.list.scroll_on(&model.screen);
        if let Some(lacks) = self.list.lacks_on(&model.screen) {
            let lines = documents::compared_nodes(&maker, sides, all, lacks.clone());
            self.list.rows.fill(lacks.start, lines);
        }
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

    fn entries(&mut self, model: &mut Model) -> Vec<String> {
        let sides = model.cached.branch_diff(&model.run.state, (self.a, self.b));
        let looks = (model.screen.list_width(), model.settings.charset);
        let maker = Maker::new(
            &model.run,
            &mut model.inspector.cache,
            &model.queue.call_groups,
            looks,
        );
        self.list
            .texts(|which| documents::compared_nodes(&maker, sides, self.all, which))
    }

    fn is_moot(&self, _model: &Model, command: &Command) -> bool {
        !matches!(command, Command::Edit(EditCommand::Commit { .. }))
    }
}
