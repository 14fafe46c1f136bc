//! What the console is opened with, and how it was left.
//!
//! Must not know: how the console works.

use std::path::PathBuf;

use crate::console::files::Files;
use crate::console::keymap::Keymap;
use crate::console::layout::gutter::Line;
use crate::console::link::Link;
use crate::console::model::Source;
use crate::console::msg::Leave;
use crate::console::symbols::Charset;
use crate::console::terminal::Reach;
use crate::console::theme::{Colours, Theme};
use crate::domain::state::State;
use crate::resilience::notify;
use crate::resilience::watch::Watch;

/// What the console is opened with.
#[derive(Debug, Clone)]
pub struct Options {
    /// How many colours the terminal shows.
    pub colours: Colours,
    /// The theme that the settings name, by its name.
    pub theme: (String, Theme),
    /// Characters.
    pub charset: Charset,
    /// True where the terminal draws characters of ambiguous width two columns wide.
    pub wide: bool,
    /// Lines of the graph.
    pub line: Line,
    /// Keys.
    pub keymap: Keymap,
    /// Milliseconds that something must have been on screen before a key decides about it.
    pub arming_ms: u64,
    /// Name of the session in the header.
    pub session_name: String,
    /// How to go on later; printed after a defect ended the program.
    pub resume_hint: String,
    /// UTC milliseconds now; none where a recorded run is shown.
    pub utc_zero: Option<i64>,
    /// Where what is shown comes from.
    pub source: Source,
    /// How weights of tools are made, and what is known of tools beforehand.
    pub watch: Watch,
    /// How the operator is called when they are needed.
    pub alerts: Alerts,
    /// The mouse works the console instead of the terminal's own selection.
    pub mouse: bool,
    /// What stands between the console and the operator's terminal.
    pub reach: Reach,
    /// Command line of the operator's editor.
    pub editor: Option<String>,
    /// Directory for the file that the editor works on; nobody else can read what is put there.
    pub scratch: PathBuf,
}

/// What changes while the console is open, besides the run.
pub struct Sources {
    /// The run.
    pub link: Box<dyn Link>,
    /// The operator's files of themes and keys.
    pub files: Box<dyn Files>,
}

/// How the operator is called when they are needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Alerts {
    /// The terminal's bell.
    pub bell: bool,
    /// The title of the terminal's window.
    pub title: bool,
    /// A notification of the desktop.
    pub desktop: bool,
}

impl Alerts {
    /// The ways that count where some were changed in the run.
    pub(super) fn in_run(self, state: &State) -> Self {
        let changed = notify::Settings::of(state);
        Self {
            bell: changed.bell.unwrap_or(self.bell),
            desktop: changed.desktop.unwrap_or(self.desktop),
            ..self
        }
    }

    /// The sequences of a call. The words are the console's own, nothing of the run's. Whoever looks at
    /// the window needs no notification.
    pub(super) fn sequences(self, reach: Reach, words: &str, looking: bool) -> String {
        let mut out = String::new();
        if self.bell {
            out.push('\u{7}');
        }
        if self.desktop && !looking {
            out.push_str(&reach.notification(words));
        }
        out
    }
}

/// How the console was left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exit {
    /// By whom.
    pub how: Leave,
    /// The exit code that a signal asks for.
    pub code: Option<i32>,
}
