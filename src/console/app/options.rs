//! The options and the exit of the console.
//!
//! Must not know: how the console works.

use std::path::PathBuf;
use std::sync::Arc;

use crate::ground::layout::gutter::Line;
use crate::ground::symbols::Charset;
use crate::ground::terminal;
use crate::ground::terminal::Reach;
use crate::ground::theme::{Colours, Theme};
use crate::kernel::files::Files;
use crate::kernel::keymap::Keymap;
use crate::kernel::model::Source;
use crate::kernel::msg::Leave;
use crate::run::link::Link;
use crate::run::restore_preview::OnEdit;
use overrule_domain::state::State;
use overrule_policy::Danger;
use overrule_resilience::notify;
use overrule_resilience::watch::Watch;

/// The options of the console.
#[derive(Debug, Clone)]
pub struct Options {
    /// The number of colours of the terminal.
    pub colours: Colours,
    /// The name of the configured theme.
    pub theme: (String, Theme),
    /// Characters.
    pub charset: Charset,
    /// True where the terminal draws characters of ambiguous width two columns wide.
    pub wide: bool,
    /// Lines of the graph.
    pub line: Line,
    /// Keys.
    pub keymap: Keymap,
    /// Milliseconds that a question must be on screen before a key decides it.
    pub arming_ms: u64,
    /// Name of the session in the header.
    pub session_name: String,
    /// How to resume later; printed if a defect ends the program.
    pub resume_hint: String,
    /// UTC milliseconds now; `None` for a recorded run.
    pub utc_zero: Option<i64>,
    /// True where the old and the new lines of a difference are next to each other on a wide screen.
    pub side_by_side: bool,
    /// What the section about files of a preview is set to when it opens.
    pub on_edit: OnEdit,
    /// True if the operator never decided about a call before.
    pub first_decision: bool,
    /// The source of the run.
    pub source: Source,
    /// The settings for weights of tools, and earlier knowledge about tools.
    pub watch: Watch,
    /// What marks a call as dangerous.
    pub danger: Arc<Danger>,
    /// How the operator is notified.
    pub alerts: Alerts,
    /// How the terminal is taken.
    pub terminal: terminal::Options,
    /// The multiplexers between the console and the operator's terminal.
    pub reach: Reach,
    /// Command line of the operator's editor.
    pub editor: Option<String>,
    /// Marks the process of the editor as a program of the operator, until the returned value is dropped.
    pub mark: fn(u32) -> Box<dyn Send + Sync>,
    /// Directory for the file of the editor. Other users cannot read it.
    pub scratch: PathBuf,
}

/// The sources of updates while the console is open.
pub struct Sources {
    /// The run.
    pub link: Box<dyn Link>,
    /// The operator's files with themes and keys.
    pub files: Box<dyn Files>,
}

/// How the operator is notified.
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
    /// The ways after changes in the run.
    pub(super) fn in_run(self, state: &State) -> Self {
        let changed = notify::Settings::of(state);
        Self {
            bell: changed.bell.unwrap_or(self.bell),
            desktop: changed.desktop.unwrap_or(self.desktop),
            ..self
        }
    }

    /// The sequences of a notification, without untrusted text. A focused window needs no desktop notification.
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

/// How the console ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exit {
    /// The cause.
    pub how: Leave,
    /// The exit code that a signal asks for.
    pub code: Option<i32>,
}
