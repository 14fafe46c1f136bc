//! Everything that the screen is made from. One part per pane; nothing is drawn from anywhere else.
//!
//! The run is the console's own fold of the events that it received. Must not know: how it is drawn,
//! where messages come from.

pub mod arming;
pub mod batch;
pub mod cached;
pub mod double_press;
pub mod edit_preview;
pub mod editor;
pub mod fold;
pub mod graph;
pub mod idle_time;
pub mod inspector;
pub mod listing;
pub mod log;
pub mod lower;
pub mod orphan_status;
pub mod overlay;
pub mod queue;
pub mod run;
pub mod run_phase;
pub mod screen;
pub mod seek;
mod source;
pub mod staged_edits;
mod waking;

use super::columns::{WidthGuard, measured};
use super::commands::{About, Verb};
use super::doc::Doc;
use super::event_text;
use super::halted;
use super::keymap::Keymap;
use super::layout::fold::RowKind;
use super::layout::gutter::Line;
use super::symbols::{Charset, Symbol};
use super::terminal::Reach;
use super::theme::{Look, Theme};
use crate::domain::call::{Call, Status};
use crate::domain::effective_status::EffectiveStatus;
use crate::domain::id::NodeId;
use crate::domain::ladder;
use crate::domain::pending_retry::{self, PendingRetry};
use crate::domain::state::Mode;
use crate::resilience::watch::Watch;
use crate::text::{FormGuard, shown_in_ascii};
use arming::{Arming, KeyState};
use cached::Caches;
use double_press::{DoublePress, What};
use graph::{Form, GraphPane, Pick};
use idle_time::{IDLE_MS, IdleTime};
use inspector::Inspector;
use log::LogPane;
use lower::{Lower, RowsPane, Target};
use overlay::Overlay;
use queue::QueueEntry;
use queue::QueuePane;
use run::NOTICED_MS;
use run::RunPart;
use screen::{Pane, Screen};
use seek::Seek;
pub use source::Source;
use staged_edits::StagedEdits;

/// What the run does not change.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Colours.
    pub look: Look,
    /// How it looked before a theme of the open list was tried on.
    pub tried: Option<Look>,
    /// The name of the theme that was chosen.
    pub theme: String,
    /// The theme that the operator's settings name.
    pub named_theme: String,
    /// How failures are met, as the files said last; empty before they were read.
    pub policy: Vec<(String, String)>,
    /// What is wrong with the operator's files.
    pub problems: Vec<String>,
    /// The operator's file of settings, for the eye.
    pub place: Option<String>,
    /// Every theme that can be shown, by its name.
    pub themes: Vec<(String, Theme)>,
    /// Characters.
    pub charset: Charset,
    /// True where the terminal draws characters of ambiguous width two columns wide. The console's own are ASCII then.
    pub wide: bool,
    /// Lines of the graph.
    pub line: Line,
    /// Keys.
    pub keymap: Keymap,
    /// Milliseconds that something must have been on screen before a key decides about it.
    pub arming_ms: u64,
    /// Name of the session.
    pub session: String,
    /// Where what is shown comes from.
    pub source: Source,
    /// What stands between the console and the operator's terminal.
    pub reach: Reach,
    /// How weights are made, and what is known of tools beforehand.
    pub watch: Watch,
    /// UTC milliseconds at the console's own zero; none for a recorded run, whose time stands still.
    pub utc_zero: Option<i64>,
}

impl Settings {
    /// True where what is shown is read from a record, and nobody works on it: nothing can be decided.
    pub fn is_recorded(&self) -> bool {
        self.source != Source::Live
    }

    /// True where the recorded run can be driven.
    pub fn is_replay(&self) -> bool {
        self.source == Source::Replay
    }

    /// Begins to make text for this screen: its form, and its measure.
    pub fn shown(&self) -> (FormGuard, WidthGuard) {
        (shown_in_ascii(self.text_in_ascii()), measured(self.wide))
    }

    /// True where other people's text is shown in ASCII too.
    pub fn text_in_ascii(&self) -> bool {
        self.charset == Charset::Ascii && !self.wide
    }

    /// The keys, where they do something about the run: nothing is offered that a recorded run refuses.
    pub fn offered(&self) -> Option<&Keymap> {
        (!self.is_recorded()).then_some(&self.keymap)
    }
}

/// A word to the operator on the status line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Message {
    /// The words; empty for none.
    pub text: String,
    /// True for a refusal or an error.
    pub bad: bool,
    /// How many notices came since the last key; the words are those of the newest.
    pub notices: usize,
    /// True once the log has all of it.
    pub is_logged: bool,
}

/// What is said where nothing waits for the operator; taken back as soon as something does.
pub const IDLE: &str = "nothing waits for you";

/// The same in what words are true: a run can wait for its operator without a call that does.
pub fn idle(model: &Model) -> String {
    if halted::is(model) {
        return halted::NOTHING.to_owned();
    }
    if !model.settings.is_recorded() && model.run.stuck().is_some() {
        let why = model.settings.keymap.first("why-waiting");
        return format!("no call waits for you, but the run does: {why} says why");
    }
    IDLE.to_owned()
}

/// Everything that the screen is made from.
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
    pub lower: Lower,
    /// What is worked out of all of the run.
    pub cached: Caches,
    /// What is open on top, the topmost last.
    pub overlays: Vec<Overlay>,
    /// Edits that wait to be committed together.
    pub staged_edits: StagedEdits,
    /// What has been on screen, and since when.
    pub arming: Arming,
    /// Keys that were pressed.
    pub keys: KeyState,
    /// What was said once and has to be said again.
    pub double_press: DoublePress,
    /// Size, focus, places.
    pub screen: Screen,
    /// The word on the status line.
    pub message: Message,
    /// What does not change.
    pub settings: Settings,
}

impl Model {
    /// A model before anything arrived.
    pub fn new(settings: Settings, width: u16, height: u16) -> Self {
        Self {
            run: RunPart::new(settings.watch.clone()),
            graph: GraphPane::default(),
            queue: QueuePane::default(),
            inspector: Inspector::default(),
            log: LogPane::default(),
            lower: Lower::default(),
            cached: Caches::default(),
            overlays: Vec::new(),
            staged_edits: StagedEdits::default(),
            arming: Arming::default(),
            keys: KeyState::default(),
            double_press: DoublePress::default(),
            screen: Screen::new(width, height),
            message: Message::default(),
            settings,
        }
    }

    /// Whether this is said for the second time, right after the first; else it counts as the first.
    pub fn confirm_press(&mut self, what: What) -> bool {
        let again = self.double_press.is_again(what, self.arming.now);
        if !again {
            self.double_press.remember(what, self.arming.now);
        }
        again
    }

    /// Says something on the status line.
    pub fn set_status(&mut self, text: impl Into<String>) {
        self.message = Message {
            text: text.into(),
            ..Message::default()
        };
    }

    /// Says what came by itself, after which nobody asked; the log has it too. No such word hides another one.
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

    /// Says that something did not go.
    pub fn complain(&mut self, text: impl Into<String>) {
        self.message = Message {
            text: text.into(),
            bad: true,
            ..Message::default()
        };
    }

    /// What the row under the cursor of the focused pane at the bottom is about.
    pub fn followed(&self) -> Target {
        let pane = self.screen.focus;
        if pane != Pane::Log {
            return self.lower.of(pane).map(RowsPane::selected).unwrap_or_default();
        }
        match self.log.selected() {
            Some(log::Line::Event(envelope)) => {
                event_text::about(&self.run.state, &envelope.event).map_or(Target::Nothing, Target::Node)
            }
            _ => Target::Nothing,
        }
    }

    /// What the selected row stands for, where a verb would act on one node of several that nobody has named. What the
    /// inspector shows is named: there it acts.
    pub fn folded(&self, verb: Verb) -> Option<String> {
        let graph = &self.graph;
        let named = self.screen.lead != Pane::Graph || self.screen.focus == Pane::Inspector;
        if named || !self.overlays.is_empty() || graph.form == Form::Map {
            return None;
        }
        let row = graph.rows.get(graph.cursor()?)?;
        let noun = match (verb.about(), row.kind) {
            (About::Nothing, _) | (_, RowKind::Node) | (About::Turn, RowKind::Fan | RowKind::Turn) => {
                return None;
            }
            (_, RowKind::Fan) => "calls",
            _ => "nodes",
        };
        (row.count > 1).then(|| format!("{} {noun}", row.count))
    }

    /// The sign of what goes on beyond an edge.
    pub fn more(&self) -> char {
        Symbol::Ellipsis.glyph(self.settings.charset)
    }

    /// UTC milliseconds now, as far as the console knows; none for a recorded run.
    pub fn utc(&self) -> Option<i64> {
        let since = i64::try_from(self.arming.now).unwrap_or(i64::MAX);
        self.settings.utc_zero.map(|zero| zero.saturating_add(since))
    }

    /// UTC milliseconds until which what goes on in the run has lasted; none where nothing goes on any more.
    pub fn now_of_run(&self) -> Option<i64> {
        let continues = matches!(self.run.state.mode, Mode::Running | Mode::Paused(_));
        self.utc()
            .filter(|_| continues && !self.run.ended && self.run.halted.is_none())
    }

    /// Where a call stands, in a few words; a wait with what is left of it.
    pub fn status_words(&self, call: &Call) -> String {
        if let effective @ EffectiveStatus::Superseded(_) = EffectiveStatus::of_call(&self.run.state, call) {
            return effective.describe();
        }
        // In a run that is halted no wait ends.
        let utc = self.utc().filter(|_| !halted::is(self));
        match (&call.failure.delay, utc) {
            (Some(delay), Some(now)) => delay.describe(now),
            (Some(delay), None) => match delay.tries {
                Some((no, of)) => format!("{} again ({no} of {of})", call.status.base_label()),
                None => call.status.label().into_owned(),
            },
            (None, _) => match (&call.status, ladder::shut(&self.run.state, call)) {
                (Status::Queued, Some((scope, breaker))) => breaker.describe(&scope, utc),
                _ => call.status.label().into_owned(),
            },
        }
    }

    /// The request that is made again by itself and has to wait for it, where one has: the one that comes first. A wait
    /// that is over is told no more.
    pub fn again(&self) -> Option<PendingRetry<'_>> {
        let now = self.utc();
        let left = |one: &PendingRetry<'_>| now.and_then(|now| one.left(now));
        let waits = |one: &PendingRetry<'_>| one.is_long(NOTICED_MS) && left(one) != Some(0);
        let halted = self.run.halted.is_some() || self.run.ended;
        pending_retry::all(&self.run.state)
            .filter(|one| !halted && waits(one))
            .min_by_key(|one| left(one).unwrap_or(u64::MAX))
    }

    /// The request of which nothing has come for so long that it is told; none in a run that does not go on.
    pub fn idle_time(&self) -> Option<IdleTime> {
        self.unheard().filter(|is_idle| is_idle.ms >= IDLE_MS)
    }

    fn unheard(&self) -> Option<IdleTime> {
        let continues = !halted::is(self) && !matches!(self.run.state.mode, Mode::Stopped(_));
        self.now_of_run()
            .filter(|_| continues)
            .and_then(|now| self.run.last_activity.longest(now))
    }

    /// True where the one cursor is on an entry of the queue: there, or on its row in the graph.
    pub fn is_selected_in_queue(&self) -> bool {
        let same = match (self.graph.selected, self.queue.selected) {
            (Some(Pick::Node(id)), Some(QueueEntry::Call { call, .. })) => id.call() == call,
            (Some(Pick::Live(live, _)), Some(QueueEntry::Turn { turn, .. })) => live == turn,
            _ => false,
        };
        same || self.screen.lead == Pane::Queue
    }

    /// How many entries of the queue wait for the operator: what is asked again by itself can be decided, but need not.
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

    /// What becomes of a question that nobody answers, and when; none where it waits for ever.
    pub fn deadline_words(&self, call: &Call) -> Option<String> {
        let verdict = call.verdict.as_ref()?;
        // Nothing follows in a run that is halted.
        let is_counted = call.approval.approver.is_none();
        let asks = call.status == Status::AwaitingApproval && is_counted && !halted::is(self);
        let ms = verdict.deadline_ms.filter(|_| asks)?;
        if call.approval.overdue {
            return Some("overdue".to_owned());
        }
        let then = verdict.on_expiry.label();
        let counts = self.run.state.mode == Mode::Running;
        Some(match (call.approval.due.filter(|_| counts), self.utc()) {
            (Some(due), Some(now)) => {
                let left = u64::try_from(due.saturating_sub(now)).unwrap_or_default();
                format!("{then} in {}", ladder::span(left))
            }
            _ if counts => format!("{then} after {}", ladder::span(ms)),
            _ => format!("{then} {} after the pause", ladder::span(ms)),
        })
    }

    /// How long what is typed about a call can still be its decision, with its name.
    pub fn time_left(&self, call: NodeId) -> Option<String> {
        let words = self.deadline_words(self.run.state.call(call)?)?;
        Some(format!("{call} waits: {words}"))
    }

    /// What is read on top or in the inspector, and what is looked for in it.
    pub fn seek(&mut self) -> Option<(&mut Seek, &Doc)> {
        match self.overlays.last_mut() {
            Some(Overlay::Page(page)) => Some((page.seek.as_mut()?, &page.doc)),
            _ => Some((self.inspector.seek.as_mut()?, &self.inspector.doc)),
        }
    }

    /// What the title of the window says, in the console's own words.
    pub fn title(&self) -> String {
        match self.waiting() {
            count if count == 0 || halted::is(self) => format!(
                "overrule: {}",
                self.run.phase(self.settings.is_recorded()).label()
            ),
            count => format!("overrule: {count} waiting for you"),
        }
    }
}
