//! The preview of a restore of files alone: of calls, of a branch, or of another restore.
//!
//! Must not know: how a plan is made, how a file is written.

pub mod verbs;

use std::hash::{DefaultHasher, Hasher as _};
use std::ops::Range;

use ratatui::Frame;

use crate::ground::motion::Move;
use crate::ground::theme::Role;
use crate::kernel::model::Model;
use crate::kernel::model::arming::Visibility;
use crate::kernel::registry::Entry;
use crate::kernel::sheet::{Sheet, scroll};
use crate::kernel::stack::{Erases, Surface};
use crate::kernel::surface::Can::{Back, Choose, Help, Move as Moves, Palette, Search};
use crate::kernel::surface::{Card, SurfaceId};
use crate::run::question::Question;
use crate::run::restore_preview::{Looks, OnEdit, RestoreOf, RestorePreview};
use crate::surfaces::documents::files::{also_happened, section};
use overrule_base::text::visible;
use overrule_domain::command::Command;

/// The preview of a restore alone.
pub const ID: SurfaceId = SurfaceId::new(&Card {
    heading: "files to restore",
    place: "in the preview of a restore",
    can: &[Moves, Search, Palette, Help, Back, Choose],
    changes: true,
    ..Card::BASE
});

/// What is registered of it.
pub const ENTRY: Entry = Entry {
    id: ID,
    family: "branches and effects",
    verbs: &[verbs::RESTORE_CHOSEN, verbs::SWITCH_PATH, verbs::FILE_DIFFERENCE],
};

/// Columns of a name, before its value.
const NAMED: usize = 16;

/// The rows of paths in a document, of which one is marked. Moves mark another one; larger ones scroll.
#[derive(Debug, Clone, Default)]
pub struct MarkedRows {
    /// The rows of the marked path.
    pub rows: Range<usize>,
    has_moved: bool,
}

impl MarkedRows {
    /// Carries out a move among the paths of a preview.
    pub fn step(&mut self, preview: &mut RestorePreview, sheet: &mut Sheet, (to, page): (Move, usize)) {
        let last = preview.rows().len().saturating_sub(1);
        let at = preview.at();
        let next = match to {
            Move::Up => at.saturating_sub(1),
            Move::Down => at.saturating_add(1).min(last),
            _ => at,
        };
        if next == at {
            scroll(&mut sheet.top, &sheet.doc, to, page);
        } else {
            preview.mark(next);
            (self.has_moved, sheet.made) = (true, None);
        }
    }

    /// Keeps the marked path on the screen after a move.
    pub fn follow(&mut self, sheet: &mut Sheet, model: &Model) {
        if std::mem::take(&mut self.has_moved) {
            let height = sheet.height(model);
            let least = self.rows.end.saturating_sub(height);
            sheet.top = sheet.top.max(least).min(self.rows.start);
        }
    }
}

/// The preview of a restore alone.
#[derive(Debug, Clone)]
pub struct RestorePage {
    /// Whose files.
    pub of: RestoreOf,
    /// Its plan, and what was chosen.
    pub files: RestorePreview,
    /// The command that was sent and is not answered yet.
    pub sent: Option<Command>,
    /// Changes with the plan.
    pub stamp: u64,
    /// Its document.
    pub sheet: Sheet,
    marked: MarkedRows,
}

impl RestorePage {
    /// The preview of a restore, before the files were looked at.
    pub fn new(of: RestoreOf) -> Self {
        Self {
            of,
            files: RestorePreview::default(),
            sent: None,
            stamp: 0,
            sheet: Sheet::default(),
            marked: MarkedRows::default(),
        }
    }

    fn title(&self) -> String {
        match &self.of {
            RestoreOf::Calls(calls) => {
                let calls: Vec<String> = calls.iter().map(ToString::to_string).collect();
                format!("restore the files of {}", calls.join(", "))
            }
            RestoreOf::Branch(epoch) => format!("restore the files of branch {}", epoch.0),
            RestoreOf::Restore(restore) => format!("undo the restore {restore}"),
        }
    }
}

impl Surface for RestorePage {
    fn id(&self) -> SurfaceId {
        ID
    }

    fn prepare(&mut self, model: &mut Model) {
        let mut sheet = std::mem::take(&mut self.sheet);
        if sheet.is_stale(model) {
            let run = &model.run;
            let command = |choice| self.of.command(choice);
            self.files.look(&run.state, &run.files, command, OnEdit::Restore);
            let mut hasher = DefaultHasher::new();
            self.files.hash_into(&mut hasher);
            self.stamp = hasher.finish();
        }
        sheet.prepare(model, |maker, _| {
            match (&self.files.plan, &self.files.looks) {
                (Some(Err(why)), _) => {
                    maker.own(Role::Error, format!("not possible: {}", visible(&why.message)));
                }
                (Some(Ok(plan)), Looks::Known) if !self.files.is_due(&maker.run.state) => {
                    maker.own(Role::Dim, "no file is known to be changed here");
                    also_happened(maker, plan, NAMED);
                }
                (Some(Ok(plan)), _) => {
                    self.marked.rows = section(maker, &self.files, ("files", NAMED), "");
                    also_happened(maker, plan, NAMED);
                }
                (None, _) => {}
            }
            if matches!(self.of, RestoreOf::Calls(_)) {
                maker.own(
                    Role::Dim,
                    "Only files change. The calls stay active, with their results.",
                );
            }
        });
        self.marked.follow(&mut sheet, model);
        self.sheet = sheet;
    }

    fn draw(&self, model: &Model, frame: &mut Frame<'_>) {
        let title = if self.sent.is_some() {
            "sent, waiting for a reply".to_owned()
        } else {
            self.title()
        };
        self.sheet.draw(model, frame, &title, Role::Decision);
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

    fn step(&mut self, to: Move, page: usize) {
        self.marked.step(&mut self.files, &mut self.sheet, (to, page));
    }

    fn files(&self) -> Option<&RestorePreview> {
        Some(&self.files)
    }

    fn restore(&mut self) -> Option<&mut RestorePreview> {
        Some(&mut self.files)
    }

    fn visible(&self, model: &Model) -> Option<Visibility> {
        self.sheet.visible(model, Question::Review { stamp: self.stamp })
    }

    fn has_sent(&self, command: &Command) -> bool {
        self.sent.as_ref() == Some(command)
    }

    fn refused(&mut self) {
        self.sent = None;
        self.files.is_outdated = true;
        self.sheet.made = None;
    }
}
