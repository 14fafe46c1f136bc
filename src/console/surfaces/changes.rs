//! What changed files, by call, newest first, with the difference of the one under the cursor.
//!
//! Must not know: how a change is found, what a restore does.

pub mod verbs;

use ratatui::Frame;

use crate::ground::motion::Move;
use crate::kernel::draw::listing::listing;
use crate::kernel::listing::Listing;
use crate::kernel::model::Model;
use crate::kernel::registry::Entry;
use crate::kernel::stack::{Erases, Surface};
use crate::kernel::surface::Can::{Close, Help, Move as Moves, Palette, Restore, Search};
use crate::kernel::surface::{Card, SurfaceId};
use crate::run::changes;
use crate::run::file_look::FileVersions;
use crate::run::maker::Maker;
use crate::run::target::Target;
use crate::surfaces::documents::change_list;
use overrule_domain::id::Seq;
use overrule_domain::state::State;

/// The changes.
pub const ID: SurfaceId = SurfaceId::new(&Card {
    heading: "changes",
    place: "in the list of changes",
    can: &[Moves, Search, Palette, Help, Close, Restore],
    stays: &["close"],
    ..Card::BASE
});

/// What is registered of it.
pub const ENTRY: Entry = Entry {
    id: ID,
    family: "branches and effects",
    verbs: &[
        verbs::CHANGE_DIFFERENCE,
        verbs::MARK_SEEN,
        verbs::NEXT_FILE,
        verbs::PREVIOUS_FILE,
        verbs::CHANGES_BY_FILE,
    ],
};

/// The changes by call.
#[derive(Debug, Clone, Default)]
pub struct ChangesPage {
    /// The rows, and the difference of the one under the cursor.
    pub list: Listing,
    /// Which of its files.
    pub file: usize,
}

impl ChangesPage {
    /// The change under the cursor.
    pub fn selected(&self) -> Option<Seq> {
        match self.list.selected {
            Some(Target::Changed(seq)) => Some(seq),
            _ => None,
        }
    }

    /// The file that is shown, and the number of files of the change.
    pub fn shown(&self, state: &State) -> Option<(FileVersions, usize)> {
        let all = changes::versions(state, self.selected()?);
        let count = all.len();
        let at = self.file.min(count.saturating_sub(1));
        Some((all.into_iter().nth(at)?, count))
    }

    /// The changes whose rows are on the screen.
    pub fn on_screen(&self) -> impl Iterator<Item = Seq> {
        let items = self.list.items.iter().skip(self.list.first).take(ROWS);
        items.filter_map(|item| match item {
            Target::Changed(seq) => Some(*seq),
            _ => None,
        })
    }
}

/// More rows than a screen has.
const ROWS: usize = 100;

impl Surface for ChangesPage {
    fn id(&self) -> SurfaceId {
        ID
    }

    fn prepare(&mut self, model: &mut Model) {
        let looks = (model.screen.list_width(), model.settings.charset);
        let mut maker = Maker::new(
            &model.run,
            &mut model.inspector.cache,
            &model.queue.call_groups,
            looks,
        );
        let rows = |maker: &mut Maker<'_>, list: &mut Listing| {
            let state = &maker.run.state;
            list.take(changes::listed(state).into_iter().map(Target::Changed).collect());
            list.title = change_list::title(state, &list.items);
            list.rows = change_list::rows(maker, list.items.len());
        };
        let file = self.file;
        let details = |maker: &mut Maker<'_>, list: &mut Listing| {
            if let Some(Target::Changed(seq)) = list.selected {
                change_list::details(maker, seq, file);
            }
        };
        self.list.renew(&mut maker, 0, rows, details);
        self.list.scroll_on(&model.screen);
        if let Some(lacks) = self.list.lacks_on(&model.screen) {
            let lines = change_list::lines(&maker, &self.list.items, lacks.clone());
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
        let looks = (model.screen.list_width(), model.settings.charset);
        let maker = Maker::new(
            &model.run,
            &mut model.inspector.cache,
            &model.queue.call_groups,
            looks,
        );
        self.list
            .texts(|which| change_list::lines(&maker, &self.list.items, which))
    }

    fn step(&mut self, to: Move, page: usize) {
        let before = self.list.selected;
        if let Some(to) = self.list.step(to) {
            crate::kernel::sheet::scroll(&mut self.list.top, &self.list.doc, to, page / 2);
        }
        if self.list.selected != before {
            self.file = 0;
        }
    }
}
