//! The preview of a change of the graph, before the commit.
//!
//! Must not know: what an edit does.

pub(crate) mod preview;
pub mod stage;
pub mod verbs;

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use ratatui::Frame;

use crate::ground::motion::Move;
use crate::ground::theme::Role;
use crate::kernel::model::Model;
use crate::kernel::model::arming::Visibility;
use crate::kernel::registry::Entry;
use crate::kernel::sheet::Sheet;
use crate::kernel::stack::{Erases, Surface};
use crate::kernel::surface::Can::{Back, Choose, Help, Move as Moves, Palette, Search};
use crate::kernel::surface::{Card, SurfaceId};
use crate::run::edit_preview::Change;
use crate::run::question::Question;
use crate::run::refusal::{PREVIEW_UNSEEN, Refusal};
use crate::run::restore_preview::{RestorePreview, with};
use crate::run::summary::Summary;
use crate::surfaces::documents;
use crate::surfaces::editor::state::Editor;
use crate::surfaces::graph::view::row_preview::touched;
use crate::surfaces::restore::MarkedRows;
use overrule_domain::command::{Command, Edit, EditCommand};
use overrule_domain::lineage::Plan;
use overrule_domain::refusal::Refusal as Refused;

/// The preview of an edit.
pub const ID: SurfaceId = SurfaceId::new(&Card {
    heading: "impact preview",
    can: &[Moves, Search, Palette, Help, Back, Choose],
    stays: &["close"],
    changes: true,
    ..Card::BASE
});

/// What is registered of it.
pub const ENTRY: Entry = Entry {
    id: ID,
    family: "edit",
    verbs: &[
        verbs::COMMIT_EDIT,
        stage::STAGE_PREVIEWED,
        verbs::EDIT_REASON,
        verbs::KEEP_LATER,
        verbs::KEEP_FILES,
    ],
};

/// Preview of a change of the graph, before the commit.
#[derive(Debug, Clone)]
pub struct Review {
    /// The command to commit.
    pub command: Command,
    /// Title that describes the change.
    pub title: String,
    /// What it would do; none until it was planned for the screen.
    pub plan: Option<Result<Plan, Refused>>,
    /// Texts that change.
    pub changes: Vec<Changed>,
    /// Why, for the log; empty for no reason.
    pub reason: String,
    /// Where these edits come from.
    pub whose: Whose,
    /// The command that was sent and is not answered yet.
    pub sent: Option<Command>,
    /// What happened to the node while the operator typed; empty for nothing. Safe to show.
    pub meanwhile: String,
    /// What becomes of the files that calls changed which it makes inactive.
    pub files: RestorePreview,
    /// True if there are such files.
    pub shows_files: bool,
    /// The marked one of them.
    pub marked: MarkedRows,
    /// Changes with the plan.
    pub stamp: u64,
    /// Its document.
    pub sheet: Sheet,
}

impl Review {
    /// The plan, or the reason why there is none.
    pub fn known(&self) -> Result<&Plan, Refusal> {
        match &self.plan {
            Some(Ok(plan)) => Ok(plan),
            Some(Err(refusal)) => Err(Refusal::outside(refusal.message.clone())),
            None => Err(Refusal::unseen(PREVIEW_UNSEEN)),
        }
    }

    /// The edits of an edit command; empty for other commands.
    pub fn edits(&self) -> &[Edit] {
        match &self.command {
            Command::Edit(EditCommand::Commit { edits, .. }) => edits,
            _ => &[],
        }
    }

    /// True if later turns stay active although their context changes.
    pub const fn keeps_later(&self) -> bool {
        matches!(
            self.command,
            Command::Edit(EditCommand::Commit { keep_later: true, .. })
        )
    }
}

/// Where the edits of a review come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whose {
    /// Just made by the operator.
    New,
    /// A staged edit that was opened again.
    Item(u64),
    /// All staged edits.
    AllStaged,
}

/// A text that an edit changes.
#[derive(Debug, Clone)]
pub struct Changed {
    /// Which edit.
    pub what: Summary,
    /// The text before and after.
    pub texts: [Arc<str>; 2],
}

impl Surface for Review {
    fn id(&self) -> SurfaceId {
        ID
    }

    fn prepare(&mut self, model: &mut Model) {
        if self.sheet.is_stale(model) {
            // What happened to the node of the editor below.
            let editor = model.stack.top::<Editor>();
            let meanwhile = editor.and_then(|editor| editor.edit_base.since(&model.run.state));
            self.meanwhile = meanwhile.map(|meanwhile| meanwhile.what).unwrap_or_default();
            let run = &model.run;
            let command = |choice| with(self.command.clone(), choice);
            self.files
                .look(&run.state, &run.files, command, model.settings.on_edit);
            self.shows_files = self.files.is_due(&run.state);
        }
        let mut sheet = std::mem::take(&mut self.sheet);
        sheet.prepare(model, |maker, parts| {
            let change = Change::Command(self.command.clone());
            let preview = parts.cached.edit_preview(&maker.run.state, change);
            self.plan = Some(preview.plan.clone());
            self.marked.rows = documents::review(maker, self, preview, &parts.settings.keymap);
            self.stamp = stamp(self);
        });
        self.marked.follow(&mut sheet, model);
        self.sheet = sheet;
    }

    fn draw(&self, model: &Model, frame: &mut Frame<'_>) {
        let title = if model.run.committing {
            "sent, waiting for a reply"
        } else {
            &self.title
        };
        self.sheet.draw(model, frame, title, Role::Decision);
        touched(model, frame, &self.sheet.doc, self.known().ok());
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
        Some(&self.files).filter(|_| self.shows_files)
    }

    fn restore(&mut self) -> Option<&mut RestorePreview> {
        Some(&mut self.files).filter(|_| self.shows_files)
    }

    fn visible(&self, model: &Model) -> Option<Visibility> {
        self.sheet.visible(model, Question::Review { stamp: self.stamp })
    }

    fn has_sent(&self, command: &Command) -> bool {
        self.sent.as_ref() == Some(command)
    }

    fn refused(&mut self) {
        self.files.is_outdated = true;
        self.sheet.made = None;
    }
}

/// Hash of what is committed and of its plan.
fn stamp(review: &Review) -> u64 {
    let mut hasher = DefaultHasher::new();
    (review.keeps_later(), &review.meanwhile).hash(&mut hasher);
    if review.shows_files {
        review.files.hash_into(&mut hasher);
    }
    match &review.plan {
        None => {}
        Some(Ok(plan)) => {
            (&plan.effects, &plan.superseded, &plan.possible, &plan.cancelled).hash(&mut hasher);
            (&plan.certain, &plan.approves, &plan.turns, plan.asks).hash(&mut hasher);
            (&plan.corrections, &plan.corrections_lost).hash(&mut hasher);
            plan.corrections_may_be_lost.hash(&mut hasher);
            (&plan.recalled, &plan.drifted, &plan.held, &plan.perhaps).hash(&mut hasher);
        }
        Some(Err(refusal)) => refusal.message.hash(&mut hasher),
    }
    hasher.finish()
}
