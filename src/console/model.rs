//! Everything that the screen is made from. One part per pane; nothing is drawn from anywhere else.
//!
//! The run is the console's own fold of the events that it received. Must not know: how it is drawn,
//! where messages come from.

pub mod arming;
pub mod collected;
pub mod editor;
pub mod graph;
pub mod inspector;
pub mod listing;
pub mod log;
pub mod overlay;
pub mod queue;
pub mod run;
pub mod screen;

use super::keymap::Keymap;
use super::layout::gutter::Line;
use super::symbols::Charset;
use super::theme::Look;
use arming::{Arming, KeyState};
use collected::Collected;
use graph::GraphPane;
use inspector::Inspector;
use log::LogPane;
use overlay::Overlay;
use queue::QueuePane;
use run::RunPart;
use screen::Screen;

/// What does not change while the console runs.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Colours.
    pub look: Look,
    /// Characters.
    pub charset: Charset,
    /// Lines of the graph.
    pub line: Line,
    /// Keys.
    pub keymap: Keymap,
    /// Milliseconds that something must have been on screen before a key decides about it.
    pub arming_ms: u64,
    /// Who operates.
    pub user: String,
    /// Name of the session.
    pub session: String,
    /// A recorded run: nothing can be decided.
    pub read_only: bool,
    /// True where the recorded run can be driven.
    pub replay: bool,
    /// True where the operator is called by bell and notification.
    pub alerts: bool,
}

/// A word to the operator on the status line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Message {
    /// The words; empty for none.
    pub text: String,
    /// True for a refusal or an error.
    pub bad: bool,
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
    /// What is open on top, the topmost last.
    pub overlays: Vec<Overlay>,
    /// Edits that wait to be committed together.
    pub collected: Collected,
    /// What has been on screen, and since when.
    pub arming: Arming,
    /// Keys that were pressed.
    pub keys: KeyState,
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
            run: RunPart::default(),
            graph: GraphPane::default(),
            queue: QueuePane::default(),
            inspector: Inspector::default(),
            log: LogPane::default(),
            overlays: Vec::new(),
            collected: Collected::default(),
            arming: Arming::default(),
            keys: KeyState::default(),
            screen: Screen::new(width, height),
            message: Message::default(),
            settings,
        }
    }

    /// Says something on the status line.
    pub fn say(&mut self, text: impl Into<String>) {
        self.message = Message {
            text: text.into(),
            bad: false,
        };
    }

    /// Says that something did not go.
    pub fn complain(&mut self, text: impl Into<String>) {
        self.message = Message {
            text: text.into(),
            bad: true,
        };
    }

    /// The next moment at which something happens by time alone.
    pub fn wake_at(&self) -> Option<u64> {
        let arming = self.arming.wake_at(self.settings.arming_ms);
        [arming, self.keys.wake_at()].into_iter().flatten().min()
    }
}
