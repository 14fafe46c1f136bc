//! The preview of a rule of the session, before it is accepted.
//!
//! Must not know: the language of rules.

pub mod verbs;

use std::hash::{DefaultHasher, Hash, Hasher};

use ratatui::Frame;

use crate::ground::theme::Role;
use crate::kernel::model::Model;
use crate::kernel::model::arming::{Arming, Visibility};
use crate::kernel::registry::Entry;
use crate::kernel::sheet::Sheet;
use crate::kernel::stack::{Erases, Surface};
use crate::kernel::surface::Can::{Back, Help, Move, Palette, Search};
use crate::kernel::surface::{Card, SurfaceId};
use crate::run::part::RunPart;
use crate::run::question::Question;
use crate::run::refusal::Refusal;
use crate::surfaces::bulk::approve::not_read;
use crate::surfaces::documents;
use crate::surfaces::editor::state::Editor;
use overrule_domain::command::Command;
use overrule_domain::rule::RuleRequest;
use overrule_policy::backtest::{Would, would};

/// The preview of a rule of the session.
pub const ID: SurfaceId = SurfaceId::new(&Card {
    heading: "rule preview",
    can: &[Move, Search, Palette, Help, Back],
    changes: true,
    ..Card::BASE
});

/// What is registered of it.
pub const ENTRY: Entry = Entry {
    id: ID,
    family: "decide",
    verbs: &[verbs::ACCEPT_RULE],
};

/// A rule of the session, before it is accepted.
#[derive(Debug, Clone)]
pub struct RuleView {
    /// The rule.
    pub rule: RuleRequest,
    /// What it would have decided, or why it is not allowed.
    pub would: Result<Would, String>,
    /// The command that was sent and is not answered yet.
    pub sent: Option<Command>,
    /// For each call that it would decide immediately, the unread bytes of its arguments.
    pub unread: Vec<u64>,
    /// Changes with the calls that it would decide immediately.
    pub stamp: u64,
    /// Its document.
    pub sheet: Sheet,
}

impl Surface for RuleView {
    fn id(&self) -> SurfaceId {
        ID
    }

    fn prepare(&mut self, model: &mut Model) {
        let mut sheet = std::mem::take(&mut self.sheet);
        sheet.prepare(model, |maker, parts| {
            count(self, maker.run, parts.arming);
            documents::rule_preview(maker, self);
        });
        self.sheet = sheet;
    }

    fn draw(&self, model: &Model, frame: &mut Frame<'_>) {
        self.sheet
            .draw(model, frame, "a rule of the session", Role::Decision);
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

    fn has_sent(&self, command: &Command) -> bool {
        self.sent.as_ref() == Some(command)
    }

    fn refused(&mut self) {
        self.sheet.made = None;
    }
}

/// Computes what a rule would decide, and the unread bytes of those calls.
fn count(view: &mut RuleView, run: &RunPart, arming: &Arming) {
    view.would = would(&run.state, &view.rule, &run.danger);
    let waiting = view.would.iter().flat_map(|would| &would.waiting);
    view.unread = waiting.map(|one| not_read(run, arming, one)).collect();
    view.stamp = rule_stamp(view);
}

/// Hash of a rule and of the calls that it decides immediately.
fn rule_stamp(view: &RuleView) -> u64 {
    let mut hasher = DefaultHasher::new();
    format!("{:?}", view.rule).hash(&mut hasher);
    match &view.would {
        Ok(would) => would.seen().hash(&mut hasher),
        Err(why) => why.hash(&mut hasher),
    }
    hasher.finish()
}

/// Finishes the rule of the editor: previews what it would have decided.
pub(crate) fn finish(model: &mut Model) -> Result<(), Refusal> {
    let Some(editor) = model.stack.top::<Editor>() else {
        return Ok(());
    };
    let text = editor.result().map_err(Refusal::outside)?;
    let requested = RuleRequest::Text { text };
    would(&model.run.state, &requested, &model.run.danger).map_err(Refusal::outside)?;
    show(model, requested);
    Ok(())
}

/// Opens the preview of a rule.
pub(crate) fn show(model: &mut Model, requested: RuleRequest) {
    let view = RuleView {
        would: would(&model.run.state, &requested, &model.run.danger),
        rule: requested,
        sent: None,
        unread: Vec::new(),
        stamp: 0,
        sheet: Sheet::default(),
    };
    model.stack.push(view);
}
