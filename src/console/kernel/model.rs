//! All data that the screen is drawn from, one part per pane.
//!
//! Must not know: how it is drawn, where messages come from.
//!
//! The run is the console's own fold of the events that it received.

pub mod arming;
pub mod double_press;
pub mod key_state;
pub mod running;
pub mod screen;
pub(crate) mod settings;
pub mod staged_edits;
pub(crate) mod waking;

use super::pane::Pane;
use super::stack::Stack;
use crate::ground::doc::Doc;
use crate::ground::layout::fold::RowKind;
use crate::ground::seek::Seek;
use crate::ground::symbols::Symbol;
use crate::kernel::graph::{Form, GraphPane, Pick};
use crate::kernel::inspector::Inspector;
use crate::kernel::log::LogPane;
use crate::kernel::queue::{QueueEntry, QueuePane};
use crate::kernel::rows::RowsPanes;
use crate::kernel::verb::{About, Verb};
use crate::run::cached::Caches;
use crate::run::idle_time::{IDLE_MS, IdleTime};
use crate::run::part::{NOTICED_MS, RunPart};
use crate::run::refusal;
use crate::run::run_phase::RunPhase;
pub use crate::run::source::Source;
use crate::run::target::Target;
use arming::Arming;
use double_press::{DoublePress, What};
use key_state::KeyState;
use overrule_domain::agent::held_behind;
use overrule_domain::call::{Call, Status};
use overrule_domain::effective_status::EffectiveStatus;
use overrule_domain::id::NodeId;
use overrule_domain::ladder;
use overrule_domain::pending_retry::{self, PendingRetry};
use overrule_domain::state::Mode;
use overrule_present::call::{AgentWaitView, DeadlineView, countdown};
use overrule_present::question;
use screen::Screen;
pub use settings::{OperatorFiles, Settings, Themes};
use staged_edits::StagedEdits;

/// A document on top of the panes or in the inspector that can be searched.
#[derive(Debug)]
pub struct Text<'a> {
    /// The document.
    pub doc: &'a Doc,
    /// First row on screen.
    pub top: &'a mut usize,
    /// Search in it.
    pub seek: &'a mut Option<Seek>,
}

/// A message to the operator on the status line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Message {
    /// The text; empty for none.
    pub text: String,
    /// True for a refusal or an error.
    pub bad: bool,
    /// Notices since the last key. The text is the newest notice.
    pub notices: usize,
    /// True once the log holds the complete text.
    pub is_logged: bool,
}

/// Message for an empty queue in a run that needs nothing.
pub const QUEUE_EMPTY: &str = "Queue empty";

/// Message for an empty queue. The run can need attention although no call waits.
pub fn idle(model: &Model) -> String {
    if model.is_halted() {
        return refusal::UNDECIDABLE.to_owned();
    }
    if !model.settings.is_recorded() && model.run.stuck().is_some() {
        let key = model.settings.keymap.first("why-waiting");
        return format!("{QUEUE_EMPTY}, but the run needs you. {key} shows why");
    }
    QUEUE_EMPTY.to_owned()
}

/// All data that the screen is drawn from.
#[derive(Debug, Clone)]
pub struct Model {
    /// The run.
    pub run: RunPart,
    /// The graph pane.
    pub graph: GraphPane,
    /// The queue pane.
    pub queue: QueuePane,
    /// The inspector.
    pub inspector: Inspector,
    /// The log pane.
    pub log: LogPane,
    /// The other panes at the bottom.
    pub lower: RowsPanes,
    /// Values computed from the whole run.
    pub cached: Caches,
    /// What is open on top of the panes, the topmost last.
    pub stack: Stack,
    /// Edits to commit together.
    pub staged_edits: StagedEdits,
    /// Questions on screen, each with the time since when.
    pub arming: Arming,
    /// Keys that were pressed.
    pub keys: KeyState,
    /// The action that needs a second key press.
    pub double_press: DoublePress,
    /// Size, focus and areas.
    pub screen: Screen,
    /// The message on the status line.
    pub message: Message,
    /// Settings that do not change.
    pub settings: Settings,
}

impl Model {
    /// A model without any event.
    pub fn new(settings: Settings, width: u16, height: u16) -> Self {
        Self {
            run: RunPart::new(settings.watch.clone()),
            graph: GraphPane::default(),
            queue: QueuePane::default(),
            inspector: Inspector::default(),
            log: LogPane::default(),
            lower: RowsPanes::default(),
            cached: Caches::default(),
            stack: Stack::default(),
            staged_edits: StagedEdits::default(),
            arming: Arming::default(),
            keys: KeyState::default(),
            double_press: DoublePress::default(),
            screen: Screen::new(width, height),
            message: Message::default(),
            settings,
        }
    }

    /// True for a live run that halted. A run that is only read cannot halt.
    pub fn is_halted(&self) -> bool {
        self.run.halted.is_some() && !self.settings.is_recorded()
    }

    /// True for the second press of a key in a row. Otherwise records it as the first.
    pub fn confirm_press(&mut self, what: What) -> bool {
        let again = self.double_press.is_again(what, self.arming.now);
        if !again {
            self.double_press.remember(what, self.arming.now);
        }
        again
    }

    /// Sets the message on the status line.
    pub fn set_status(&mut self, text: impl Into<String>) {
        self.message = Message {
            text: text.into(),
            ..Message::default()
        };
    }

    /// Shows a notice that the operator did not ask for. The log holds it too, so notices replace
    /// each other.
    pub fn notify(&mut self, text: &str) {
        let notices = self.message.notices + 1;
        self.message = Message {
            text: match notices {
                1 => text.to_owned(),
                _ => format!("{notices} notices, see the log: {text}"),
            },
            bad: false,
            notices,
            is_logged: true,
        };
    }

    /// Shows an error on the status line.
    pub fn complain(&mut self, text: impl Into<String>) {
        self.message = Message {
            text: text.into(),
            bad: true,
            ..Message::default()
        };
    }

    /// Target of the row under the cursor of the focused pane at the bottom.
    pub fn followed(&self) -> Target {
        let kind = self.settings.keymap.registry().kind(self.screen.focus);
        kind.map_or(Target::Nothing, |kind| kind.target(self))
    }

    /// Describes a folded row, on which a verb for one node would be ambiguous. None if the
    /// inspector leads: it shows one node.
    pub fn folded(&self, verb: &Verb) -> Option<String> {
        let graph = &self.graph;
        let named = self.screen.lead != Pane::GRAPH || self.screen.focus == Pane::INSPECTOR;
        if named || !self.stack.is_empty() || graph.form == Form::Map {
            return None;
        }
        let row = graph.rows.get(graph.cursor()?)?;
        let noun = match (verb.about, row.kind) {
            (About::Nothing, _) | (_, RowKind::Node) | (About::Turn, RowKind::Fan | RowKind::Turn) => {
                return None;
            }
            (_, RowKind::Fan) => "calls",
            _ => "nodes",
        };
        (row.count > 1).then(|| format!("{} {noun}", row.count))
    }

    /// The sign for content beyond an edge.
    pub fn more(&self) -> char {
        Symbol::Ellipsis.glyph(self.settings.charset)
    }

    /// Current UTC milliseconds; none for a recorded run.
    pub fn utc(&self) -> Option<i64> {
        let since = i64::try_from(self.arming.now).unwrap_or(i64::MAX);
        self.settings.utc_zero.map(|zero| zero.saturating_add(since))
    }

    /// Current UTC milliseconds while the run continues; none once it has ended.
    pub fn now_of_run(&self) -> Option<i64> {
        let continues = matches!(self.run.state.mode, Mode::Running | Mode::Paused(_));
        self.utc()
            .filter(|_| continues && !self.run.ended && self.run.halted.is_none())
    }

    /// Status of a call as a short text, with the time left of a delay.
    pub fn status_words(&self, call: &Call) -> String {
        if let effective @ EffectiveStatus::Superseded(_) = EffectiveStatus::of_call(&self.run.state, call) {
            return effective.describe();
        }
        let state = &self.run.state;
        // No delay ends in a halted run.
        let utc = self.utc().filter(|_| !self.is_halted());
        match (&call.failure.delay, utc) {
            (Some(delay), Some(now)) => delay.describe(now),
            (Some(delay), None) => match delay.tries {
                Some((no, of)) => format!("{} again ({no} of {of})", call.status.base_label()),
                None => state.status_words(call).into_owned(),
            },
            (None, _) => match (&call.status, ladder::shut(&self.run.state, call)) {
                (Status::Queued, Some((scope, breaker))) => breaker.describe(&scope, utc),
                (Status::Consent(_), _) => question::title(state, call, None),
                _ => match held_behind(&self.run.state, call) {
                    Some(behind) => format!("held behind {behind}"),
                    None => state.status_words(call).into_owned(),
                },
            },
        }
    }

    /// The pending retry that comes first. An elapsed delay is not shown.
    pub fn again(&self) -> Option<PendingRetry<'_>> {
        let now = self.utc();
        let left = |one: &PendingRetry<'_>| now.and_then(|now| one.left(now));
        let waits = |one: &PendingRetry<'_>| one.is_long(NOTICED_MS) && left(one) != Some(0);
        let halted = self.run.halted.is_some() || self.run.ended;
        pending_retry::all(&self.run.state)
            .filter(|one| !halted && waits(one))
            .min_by_key(|one| left(one).unwrap_or(u64::MAX))
    }

    /// The request without data for so long that the screen shows it; none in a run that does not
    /// continue.
    pub fn idle_time(&self) -> Option<IdleTime> {
        self.unheard().filter(|is_idle| is_idle.ms >= IDLE_MS)
    }

    fn unheard(&self) -> Option<IdleTime> {
        let continues = !self.is_halted() && !matches!(self.run.state.mode, Mode::Stopped(_));
        self.now_of_run()
            .filter(|_| continues)
            .and_then(|now| self.run.last_activity.longest(now))
    }

    /// True where the run of the operator has answered, and its next task can be typed.
    pub fn takes_task(&self) -> bool {
        let phase = self.run.phase(self.settings.is_recorded());
        phase == RunPhase::Answered && !self.run.state.is_of_agent()
    }

    /// True if the cursor is on a queue entry, in the queue or on its row in the graph.
    pub fn is_selected_in_queue(&self) -> bool {
        let same = match (self.graph.selected, self.queue.selected) {
            (Some(Pick::Node(id)), Some(QueueEntry::Call { call, .. })) => id.call() == call,
            (Some(Pick::Live(live, _)), Some(QueueEntry::Turn { turn, .. })) => live == turn,
            _ => false,
        };
        same || self.screen.lead == Pane::QUEUE
    }

    /// Number of queue entries that need the operator. An automatic retry can be decided, but need
    /// not.
    pub fn waiting(&self) -> usize {
        let state = &self.run.state;
        let by_itself = |requested| match requested {
            QueueEntry::Turn { turn, .. } => {
                let turn = state.turns.get(&turn);
                turn.is_some_and(|turn| pending_retry::by_itself(state, turn))
            }
            QueueEntry::Call { .. } => false,
        };
        let mut waiting = self.queue.items.iter().filter(|item| !item.gone);
        waiting.by_ref().filter(|item| !by_itself(item.entry)).count()
    }

    /// What happens if the operator does not decide, and when; none without a deadline.
    pub fn deadline_words(&self, call: &Call) -> Option<String> {
        // No deadline expires in a halted run.
        let view = DeadlineView::of(&self.run.state, call, true).filter(|_| !self.is_halted())?;
        if view.overdue {
            return Some("overdue".to_owned());
        }
        let (then, time) = (view.then.label(), ladder::span(view.ms));
        Some(match (view.due, self.utc()) {
            (Some(due), Some(now)) => countdown(view.then, due, now),
            _ if self.run.state.mode == Mode::Running => format!("{then} after {time}"),
            _ => format!("{then} {time} after the pause"),
        })
    }

    /// How long the agent of another program waits for the reply that a call holds back; none if that is not known.
    pub fn agent_words(&self, call: &Call) -> Option<String> {
        let wait = AgentWaitView::of(&self.run.state, call)?;
        // A recorded run has no agent, and one that ended no connection to it.
        Some(wait.describe(self.utc().filter(|_| !self.run.ended)?))
    }

    /// Time left to decide about a call, with its name.
    pub fn time_left(&self, call: NodeId) -> Option<String> {
        let of = self.run.state.call(call)?;
        let words = self.deadline_words(of).or_else(|| self.agent_words(of))?;
        Some(format!("{call} waits: {words}"))
    }

    /// The text on the topmost surface or in the inspector, and the search in it.
    pub fn text(&mut self) -> Option<Text<'_>> {
        match self.stack.last_mut() {
            Some(surface) => surface.sheet_mut().map(|sheet| Text {
                doc: &sheet.doc,
                top: &mut sheet.top,
                seek: &mut sheet.seek,
            }),
            None => Some(Text {
                doc: &self.inspector.doc,
                top: &mut self.inspector.top,
                seek: &mut self.inspector.seek,
            }),
        }
    }

    /// Title of the terminal window. Contains only text of the console itself.
    pub fn title(&self) -> String {
        match self.waiting() {
            count if count == 0 || self.is_halted() => format!(
                "overrule: {}",
                self.run.phase(self.settings.is_recorded()).label()
            ),
            count => format!("overrule: {count} to decide"),
        }
    }
}
