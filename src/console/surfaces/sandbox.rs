//! The sandbox: what it refused a call and what to do about it, or its profile and guarantees.
//!
//! Must not know: how a child is confined, what a command does.

pub mod verbs;

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;

use ratatui::Frame;

use crate::ground::motion::{self, Move};
use crate::ground::theme::Role;
use crate::kernel::model::Model;
use crate::kernel::model::arming::Visibility;
use crate::kernel::registry::Entry;
use crate::kernel::sheet::Sheet;
use crate::kernel::stack::{Erases, Surface};
use crate::kernel::surface::Can::{Back, Close, Help, Move as Moves, Palette, Search};
use crate::kernel::surface::{Card, SurfaceId};
use crate::run::question::Question;
use crate::surfaces::documents;
use overrule_domain::advice::Cards;
use overrule_domain::call::Call;
use overrule_domain::command::{CallCommand, Command, Edit, SandboxCommand};
use overrule_domain::decide;
use overrule_domain::decide::edit::of_agent;
use overrule_domain::id::{NodeId, Rev};
use overrule_domain::lineage;
use overrule_domain::node::Node;
use overrule_domain::refusal::RefusalKind;
use overrule_domain::sandbox::{Refused, RefusedKind, Widening, ask_outside};
use overrule_domain::state::State;
use overrule_domain::tags;

/// What the sandbox refused a call.
pub const REFUSED: SurfaceId = SurfaceId::new(&Card {
    heading: "refused by the sandbox",
    place: "in the list of what the sandbox refused",
    can: &[Moves, Palette, Help, Back],
    changes: true,
    ..Card::BASE
});

/// What is registered of it.
pub const REFUSED_ENTRY: Entry = Entry {
    id: REFUSED,
    family: "decide",
    verbs: &[verbs::CHOOSE, verbs::ALLOW, verbs::OUTSIDE, verbs::KEEP],
};

/// The sandbox of the run.
pub const ID: SurfaceId = SurfaceId::new(&Card {
    heading: "sandbox",
    place: "on the page of the sandbox",
    can: &[Moves, Search, Palette, Help, Close],
    stays: &["close"],
    reads: true,
    ..Card::BASE
});

/// What is registered of it.
pub const ENTRY: Entry = Entry {
    id: ID,
    family: "run",
    verbs: &[],
};

/// The reason with which a call runs outside because of the operator.
pub const REASON: &str = "the operator asked to run it outside of the sandbox";

/// What a row of the list does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Does {
    /// Allows this for the session, and runs the call again.
    Allow(Widening),
    /// Nothing: it is never allowed.
    Nothing,
    /// Runs the call once outside.
    Outside,
    /// Keeps a change that was undone.
    Keep,
}

impl Hash for Row {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (&self.does.name(), &self.what, &self.why_not).hash(state);
    }
}

impl Does {
    /// The verb that does it; empty for none.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Allow(_) => verbs::ALLOW.name,
            Self::Outside => verbs::OUTSIDE.name,
            Self::Keep => verbs::KEEP.name,
            Self::Nothing => "",
        }
    }
}

/// A row of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// What it is about. Untrusted.
    pub what: String,
    /// What it does, or why it does nothing.
    pub words: String,
    /// What it does.
    pub does: Does,
    /// Why it cannot be done now.
    pub why_not: Option<String>,
}

/// What the sandbox refused a call.
#[derive(Debug, Clone)]
pub struct RefusedList {
    /// The call.
    pub call: NodeId,
    /// Its revision when the rows were made.
    pub rev: Rev,
    /// The rows.
    pub rows: Vec<Row>,
    /// The marked row.
    pub at: usize,
    /// The command that was sent and is not answered yet.
    pub sent: Option<Command>,
    /// Changes with the rows.
    pub stamp: u64,
    /// Its document.
    pub sheet: Sheet,
}

impl RefusedList {
    /// The list of a call.
    pub fn new(call: NodeId) -> Self {
        Self {
            call,
            rev: Rev::default(),
            rows: Vec::new(),
            at: 0,
            sent: None,
            stamp: 0,
            sheet: Sheet::default(),
        }
    }

    /// The marked row.
    pub fn row(&self) -> Option<&Row> {
        self.rows.get(self.at)
    }

    fn look(&mut self, state: &State) {
        let Some(call) = state.calls.get(&self.call) else {
            self.rows.clear();
            return;
        };
        self.rev = state.node(self.call).map(Node::rev).unwrap_or_default();
        self.rows = rows(state, call, self.rev);
        self.at = self.at.min(self.rows.len().saturating_sub(1));
        let mut hasher = DefaultHasher::new();
        (self.call, self.rev, &self.rows).hash(&mut hasher);
        self.stamp = hasher.finish();
    }
}

/// The rows of a call: what can be allowed, what never is, then the other ways.
fn rows(state: &State, call: &Call, rev: Rev) -> Vec<Row> {
    let refused = call.refused();
    let accepts = |command: Command| decide::command(state, &Cards(state), &command).map(drop);
    let again = accepts(run_again((call.id, rev)));
    let mut rows: Vec<Row> = Vec::new();
    let mut add = |row: Row| {
        if !rows.contains(&row) {
            rows.push(row);
        }
    };
    let elsewhere = confined_elsewhere(state, call);
    for one in refused {
        let is_widened = |one: &Refused| elsewhere.is_none() && !is_read_only(state, one);
        let Some(by) = one.widening().filter(|_| is_widened(one)) else {
            continue;
        };
        let wider = accepts(Command::Sandbox(SandboxCommand::Widen { by: by.clone() }));
        let wider = wider.or_else(|why| match why.kind {
            RefusalKind::NoChange => Ok(()),
            _ => Err(why),
        });
        let what = match &by {
            Widening::Host(_) => format!("network {}", one.what),
            Widening::Directory(directory) => format!("write {directory}"),
        };
        add(Row {
            what,
            words: format!("{}allow in this session and run again", seen(one)),
            does: Does::Allow(by),
            why_not: wider.and_then(|()| again.clone()).err().map(|why| why.message),
        });
    }
    let never = refused.iter().filter(|one| {
        let can = elsewhere.is_none() && !is_read_only(state, one);
        (!can || one.widening().is_none()) && one.kept.is_none()
    });
    for one in never {
        add(Row {
            what: format!("{} {}", one.kind.label(), one.what),
            words: elsewhere.filter(|_| one.widening().is_some()).map_or_else(
                || format!("{}{}", seen(one), never_words(state, one)),
                str::to_owned,
            ),
            does: Does::Nothing,
            why_not: None,
        });
    }
    let outside = outside(state, (call.id, rev)).and_then(|edit| {
        of_agent::refuse(state, &edit).map_err(|why| why.message)?;
        lineage::plan(state, &[edit]).map(drop).map_err(|why| why.message)
    });
    if elsewhere.is_none() {
        add(Row {
            what: format!("all of {}", call.id),
            words: "run once outside the sandbox".to_owned(),
            does: Does::Outside,
            why_not: outside.err(),
        });
    }
    for one in refused.iter().filter(|one| one.kept.is_some()) {
        add(Row {
            what: one.what.clone(),
            words: "keep the change".to_owned(),
            does: Does::Keep,
            why_not: accepts(keep(call.id, &one.what)).err().map(|why| why.message),
        });
    }
    rows
}

/// What allows more to a call that runs in a process with a sandbox of its own; none for a command of the run. What is allowed
/// in a session does not reach such a process.
fn confined_elsewhere(state: &State, call: &Call) -> Option<&'static str> {
    let (tool, _) = state.node(call.id)?.as_call()?;
    let card = tags::card(state, tool)?;
    if card.is_of_agent() {
        Some("only [sandbox] in the settings allows it, from the next start of the agent")
    } else if card.confined {
        None
    } else {
        Some("only [mcp.NAME] in the settings allows it, from the next start of the server")
    }
}

/// The words before those of a refusal that no part of the sandbox reported: the output names it, and it may quote something.
const fn seen(one: &Refused) -> &'static str {
    if one.exact { "" } else { "seen in the output; " }
}

/// Why an access is never allowed by a key.
fn never_words(state: &State, one: &Refused) -> &'static str {
    match one.kind {
        RefusedKind::Write if is_read_only(state, one) => "protected, or it could not be restored",
        RefusedKind::Read => "hidden; `show` of [sandbox] allows it",
        RefusedKind::Protected => "protected; it was not changed",
        RefusedKind::Write | RefusedKind::Network => "only the settings allow it",
    }
}

/// True for a path that is read-only in a directory that commands write: no directory allows it.
fn is_read_only(state: &State, one: &Refused) -> bool {
    let started = state.started.as_deref();
    let profile = started.and_then(|started| started.sandbox.profile.as_deref());
    let written = profile.map_or(&[][..], |profile| &profile.write);
    one.kind == RefusedKind::Write
        && written
            .iter()
            .any(|directory| Path::new(&one.what).starts_with(directory))
}

/// The command that runs a call again.
pub const fn run_again((call, rev): (NodeId, Rev)) -> Command {
    Command::Call(CallCommand::Retry { call, rev })
}

/// The command that keeps a change of a call.
pub fn keep(call: NodeId, path: &str) -> Command {
    Command::Sandbox(SandboxCommand::Keep {
        call,
        path: path.to_owned(),
    })
}

/// The edit with which a call asks to run outside.
pub fn outside(state: &State, (node, base): (NodeId, Rev)) -> Result<Edit, String> {
    let content = state.node(node).and_then(Node::as_call);
    let (tool, args) = content.ok_or_else(|| format!("{node} is no call"))?;
    let args = ask_outside(args, REASON).ok_or_else(|| format!("the arguments of {node} are no object"))?;
    Ok(Edit::Call {
        node,
        base,
        tool: tool.clone(),
        args: args.into(),
        shown: false,
    })
}

impl Surface for RefusedList {
    fn id(&self) -> SurfaceId {
        REFUSED
    }

    fn prepare(&mut self, model: &mut Model) {
        let mut sheet = std::mem::take(&mut self.sheet);
        if sheet.is_stale(model) {
            self.look(&model.run.state);
        }
        sheet.prepare_list(model, self.at == 0, |maker, parts| {
            documents::sandbox_refused(maker, self, &parts.settings.keymap)
        });
        self.sheet = sheet;
    }

    fn draw(&self, model: &Model, frame: &mut Frame<'_>) {
        self.sheet.draw_list(model, frame, "");
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
        self.sent = None;
    }
}

/// The sandbox of the run.
#[derive(Debug, Clone, Default)]
pub struct SandboxPage {
    /// Its document.
    pub sheet: Sheet,
}

impl Surface for SandboxPage {
    fn id(&self) -> SurfaceId {
        ID
    }

    fn prepare(&mut self, model: &mut Model) {
        self.sheet.prepare(model, |maker, _| documents::sandbox(maker));
    }

    fn draw(&self, model: &Model, frame: &mut Frame<'_>) {
        let title = model.run.state.sandbox_profile().label();
        self.sheet.draw(model, frame, &title, Role::Focus);
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
}
