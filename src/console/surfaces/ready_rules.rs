//! The ready rules of a call: a menu, from which one is taken as it is.
//!
//! Must not know: the language of rules, where rules are kept.

pub mod verbs;

use std::hash::{DefaultHasher, Hash, Hasher};

use ratatui::Frame;

use crate::ground::motion::{self, Move};
use crate::kernel::files::RuleScope;
use crate::kernel::model::Model;
use crate::kernel::model::arming::{Arming, Visibility};
use crate::kernel::registry::Entry;
use crate::kernel::sheet::Sheet;
use crate::kernel::stack::{Erases, Surface};
use crate::kernel::surface::Can::{Back, Help, Move as Moves, Palette};
use crate::kernel::surface::{Card, SurfaceId};
use crate::run::part::RunPart;
use crate::run::question::Question;
use crate::surfaces::bulk::approve::not_read;
use crate::surfaces::documents;
use overrule_domain::bulk::Item;
use overrule_domain::call::{Gate, Status};
use overrule_domain::command::Command;
use overrule_domain::id::NodeId;
use overrule_policy::ready_rules::{About, Choices, PresetChange, ReadyRule};

/// The ready rules of a call.
pub const ID: SurfaceId = SurfaceId::new(&Card {
    heading: "ready rules",
    can: &[Moves, Palette, Help, Back],
    changes: true,
    ..Card::BASE
});

/// What is registered of it.
pub const ENTRY: Entry = Entry {
    id: ID,
    family: "decide",
    verbs: &[
        verbs::TAKE_RULE,
        verbs::RULE_SCOPE,
        verbs::WIDER_RULE,
        verbs::NARROWER_RULE,
        verbs::RULE_TEXT,
        verbs::TAKE_AND_START,
    ],
};

/// A row of the menu.
#[derive(Debug, Clone)]
pub enum Row {
    /// A rule, wider or narrower.
    Rule {
        /// The rules, from the widest to the narrowest.
        choices: Choices,
        /// The chosen one.
        at: usize,
    },
    /// Another preset.
    Preset(PresetChange),
}

impl Row {
    /// The chosen rule; none for a preset.
    pub fn rule(&self) -> Option<&ReadyRule> {
        match self {
            Self::Rule { choices, at } => choices.rules.get(*at),
            Self::Preset(_) => None,
        }
    }
}

/// The ready rules of a call, or the presets alone.
#[derive(Debug, Clone, Default)]
pub struct RuleMenu {
    /// The call; none for the list of presets.
    pub call: Option<NodeId>,
    /// The waiting call as it was when the menu was opened; none if it did not wait.
    pub waiting: Option<Item>,
    /// The rows.
    pub rows: Vec<Row>,
    /// The marked row.
    pub at: usize,
    /// How long what is taken counts.
    pub scope: RuleScope,
    /// The commands that follow once the rule is kept in a file.
    pub then: Vec<Command>,
    /// The command that was sent and is not answered yet.
    pub sent: Option<Command>,
    /// Changes with everything in the menu but the marked row.
    pub stamp: u64,
    /// What it decides now.
    pub now: Now,
    /// Its document.
    pub sheet: Sheet,
    /// What taking the marked row does, if it fits into the lower edge of the frame.
    pub outcome: String,
}

/// What taking the marked row decides immediately.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Now {
    /// The waiting calls that it decides: each was on screen to its end.
    pub decides: Vec<Item>,
    /// The bytes of the own call that were not on screen, if it waits for that.
    pub unread: u64,
    /// Why the own call keeps waiting, whatever a rule allows; empty if it does not.
    pub asks_anyway: String,
}

impl RuleMenu {
    /// The marked row.
    pub fn row(&self) -> Option<&Row> {
        self.rows.get(self.at)
    }

    /// The rule of the marked row.
    pub fn rule(&self) -> Option<&ReadyRule> {
        self.row()?.rule()
    }

    /// Chooses a wider or a narrower rule of the marked row; false if there is none.
    fn choose(&mut self, wider: bool) -> bool {
        let Some(Row::Rule { choices, at }) = self.rows.get_mut(self.at) else {
            return false;
        };
        let to = if wider { at.checked_sub(1) } else { Some(*at + 1) };
        let Some(to) = to.filter(|to| *to < choices.rules.len()) else {
            return false;
        };
        *at = to;
        self.sheet.made = None;
        true
    }

    /// Finds what taking the marked row decides immediately.
    fn look(&mut self, run: &RunPart, arming: &Arming) {
        self.now = now(self, run, arming);
        let mut hasher = DefaultHasher::new();
        (self.call, self.rows.len()).hash(&mut hasher);
        for item in self.waiting.iter().chain(&self.now.decides) {
            (item.call, item.rev, &item.digest).hash(&mut hasher);
        }
        self.stamp = hasher.finish();
    }
}

fn now(menu: &RuleMenu, run: &RunPart, arming: &Arming) -> Now {
    let Some(rule) = menu.rule().filter(|rule| rule.gate != Gate::Ask) else {
        return Now::default();
    };
    let mut now = Now::default();
    for matched in &rule.matched {
        let Some(item) = waits(run, matched.id) else {
            continue;
        };
        let is_own = menu.waiting.as_ref() == Some(&item);
        if rule.about == About::Exactly && !is_own {
            continue;
        }
        let anyway = asks_anyway(run, matched.id).filter(|_| rule.gate == Gate::Allow);
        let unread = not_read(run, arming, &item);
        match anyway {
            Some(why) if is_own => now.asks_anyway = why,
            None if unread == 0 => now.decides.push(item),
            None if is_own => now.unread = unread,
            _ => {}
        }
    }
    now
}

/// The call as it waits for approval now.
pub(crate) fn waits(run: &RunPart, id: NodeId) -> Option<Item> {
    let (call, node) = (run.state.call(id)?, run.state.node(id)?);
    let digest = call
        .digest
        .clone()
        .filter(|_| call.status == Status::AwaitingApproval)?;
    (!call.suspect).then_some(Item {
        call: id,
        rev: node.rev(),
        digest,
    })
}

/// The rule that asks about a call whatever another one allows: it was no preset that asked.
fn asks_anyway(run: &RunPart, id: NodeId) -> Option<String> {
    let verdict = run.state.call(id)?.verdict.as_ref()?;
    (!verdict.rule.starts_with("preset ")).then(|| verdict.place())
}

impl Surface for RuleMenu {
    fn id(&self) -> SurfaceId {
        ID
    }

    fn prepare(&mut self, model: &mut Model) {
        let mut sheet = std::mem::take(&mut self.sheet);
        if sheet.is_stale(model) {
            self.look(&model.run, &model.arming);
        }
        let place = match self.scope {
            RuleScope::Session => None,
            RuleScope::Workspace => model.settings.files.workspace_path.clone(),
            RuleScope::Always => model.settings.files.path.clone(),
        };
        let mut outcome = None;
        sheet.prepare_list(model, self.at == 0, |maker, _| {
            let (marked, words) = documents::ready_rules(maker, self, place.as_deref());
            outcome = Some(words);
            marked
        });
        if let Some(outcome) = outcome {
            self.outcome = outcome;
        }
        self.sheet = sheet;
    }

    fn draw(&self, model: &Model, frame: &mut Frame<'_>) {
        self.sheet.draw_list(model, frame, &self.outcome);
    }

    fn erases(&self, _model: &Model) -> Erases {
        Erases::Frame
    }

    fn sheet(&self) -> Option<&Sheet> {
        Some(&self.sheet)
    }

    fn sheet_mut(&mut self) -> Option<&mut Sheet> {
        Some(&mut self.sheet)
    }

    fn step(&mut self, to: Move, _page: usize) {
        self.at = motion::marked(to, self.at, self.rows.len().saturating_sub(1));
        self.sheet.made = None;
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
