//! The list of calls to approve together.
//!
//! Must not know: who approves.

pub(crate) mod approve;
pub mod verbs;

use std::collections::BTreeMap;

use ratatui::Frame;

use crate::ground::doc::Styled;
use crate::ground::theme::Role;
use crate::kernel::model::Model;
use crate::kernel::model::arming::Visibility;
use crate::kernel::registry::Entry;
use crate::kernel::sheet::Sheet;
use crate::kernel::stack::{Erases, Surface};
use crate::kernel::surface::Can::{Close, Help, Move, Palette, Search};
use crate::kernel::surface::{Card, SurfaceId};
use crate::run::question::Question;
use crate::surfaces::bulk::approve::{compare, items};
use crate::surfaces::documents;
use overrule_domain::bulk::Alone;
use overrule_domain::call::Digest;
use overrule_domain::id::{NodeId, Rev};

/// The list of calls to approve together.
pub const ID: SurfaceId = SurfaceId::new(&Card {
    heading: "approve all",
    place: "in the list of calls to approve",
    can: &[Move, Search, Palette, Help, Close],
    changes: true,
    ..Card::BASE
});

/// What is registered of it.
pub const ENTRY: Entry = Entry {
    id: ID,
    family: "decide",
    verbs: &[verbs::APPROVE_LIST, verbs::REFRESH_LIST],
};

/// The fewest columns for a title of two parts and the position at its right end.
const WIDE_TITLE: u16 = 76;

/// A call in a list of calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BulkItem {
    /// The call.
    pub call: NodeId,
    /// The revision that is listed.
    pub rev: Rev,
    /// Hash of the arguments that would run.
    pub digest: Digest,
    /// Bytes of its arguments that are not listed.
    pub unread: u64,
    /// Why it is no longer approved. It stays in its row.
    pub left: Option<DropReason>,
    /// Its rows as shown; empty until then.
    pub rows: Vec<Styled>,
}

/// Why a call of a list is not approved with the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DropReason {
    /// It no longer waits, or must not be approved together with others.
    Gone,
    /// It differs from what was listed.
    Changed,
}

impl DropReason {
    /// A word for it.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Gone => "gone",
            Self::Changed => "changed",
        }
    }
}

/// Calls to approve together: those that waited when the list was opened.
#[derive(Debug, Clone, Default)]
pub struct Bulk {
    /// The calls.
    pub items: Vec<BulkItem>,
    /// Number of newer calls that could be approved too and are not listed.
    pub more: usize,
    /// Calls that waited too when the list was opened, but are in no list.
    pub excluded: BTreeMap<Alone, Vec<NodeId>>,
    /// Changes with the list.
    pub stamp: u64,
    /// Its document.
    pub sheet: Sheet,
}

impl Bulk {
    /// The calls to approve: they wait as listed.
    pub fn approvable(&self) -> impl Iterator<Item = &BulkItem> {
        self.items.iter().filter(|item| item.left.is_none())
    }

    /// True if the list would differ if it were opened now.
    pub fn is_dated(&self) -> bool {
        self.more > 0 || self.items.iter().any(|item| item.left.is_some())
    }
}

impl Surface for Bulk {
    fn id(&self) -> SurfaceId {
        ID
    }

    fn prepare(&mut self, model: &mut Model) {
        if self.sheet.is_stale(model) {
            let now = items(model);
            compare(self, &model.run.state, &now);
        }
        let mut sheet = std::mem::take(&mut self.sheet);
        sheet.prepare(model, |maker, _| documents::bulk(maker, self));
        self.sheet = sheet;
    }

    fn draw(&self, model: &Model, frame: &mut Frame<'_>) {
        self.sheet
            .draw(model, frame, &title_of(model, self), Role::Decision);
    }

    fn erases(&self, _model: &Model) -> Erases {
        Erases::Panes
    }

    fn sheet(&self) -> Option<&Sheet> {
        Some(&self.sheet)
    }

    fn sheet_mut(&mut self) -> Option<&mut Sheet> {
        Some(&mut self.sheet)
    }

    fn visible(&self, model: &Model) -> Option<Visibility> {
        self.sheet.visible(model, Question::Bulk { stamp: self.stamp })
    }
}

/// The title of a list of approvals, with the number of new calls.
fn title_of(model: &Model, bulk: &Bulk) -> String {
    let title = "approve all of these";
    if bulk.more == 0 {
        return title.to_owned();
    }
    let key = model.settings.keymap.first("refresh-list");
    let them = if bulk.more == 1 { "it" } else { "them" };
    let more = format!("{} more waiting: {key} adds {them}", bulk.more);
    // The number of new calls is shown at every width.
    if model.screen.dialog_width() < WIDE_TITLE {
        more
    } else {
        format!("{title}; {more}")
    }
}
