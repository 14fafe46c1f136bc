//! Two branches side by side.
//!
//! Must not know: how branches are compared.

use ratatui::Frame;

use crate::cards::COMPARE;
use crate::doc::Styled;
use crate::listing::Listing;
use crate::model::Model;
use crate::panes::rows::Target;
use crate::stack::{Erases, Surface};
use crate::surface::SurfaceId;
use crate::tabs::{self, Maker};
use crate::theme::Role;
use crate::view::listing::listing;
use overrule_domain::command::{Command, EditCommand};
use overrule_domain::id::Epoch;

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
        COMPARE
    }

    fn prepare(&mut self, model: &mut Model) {
        let (a, b, all) = (self.a, self.b, self.all);
        let stamp = model.staged_edits.stamp;
        let sides = model.cached.branch_diff(&model.run.state, (a, b));
        let looks = (model.screen.overlay_width(), model.settings.charset);
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
            list.rows = tabs::compared_rows(maker, sides, all);
        };
        let details = |maker: &mut Maker<'_>, list: &mut Listing| match sides.pair(all, list.at) {
            Some(pair) => tabs::compared_node(maker, pair),
            None => maker.doc.line(Styled::new().own(Role::Dim, "no node differs")),
        };
        self.list.renew(&mut maker, stamp, rows, details);
        self.list.scroll_on(&model.screen);
        if let Some(lacks) = self.list.lacks_on(&model.screen) {
            let lines = tabs::compared_nodes(&maker, sides, all, lacks.clone());
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
        let looks = (model.screen.overlay_width(), model.settings.charset);
        let maker = Maker::new(
            &model.run,
            &mut model.inspector.cache,
            &model.queue.call_groups,
            looks,
        );
        self.list
            .texts(|which| tabs::compared_nodes(&maker, sides, self.all, which))
    }

    fn is_moot(&self, _model: &Model, command: &Command) -> bool {
        !matches!(command, Command::Edit(EditCommand::Commit { .. }))
    }
}
