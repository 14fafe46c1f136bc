//! Settings of the console that the run does not change.
//!
//! Must not know: where settings are stored.

use crate::ground::columns::{WidthGuard, measured};
use crate::ground::layout::gutter::Line;
use crate::ground::symbols::Charset;
use crate::ground::terminal::Reach;
use crate::ground::theme::{Look, Theme};
use crate::kernel::keymap::Keymap;
use crate::run::restore_preview::OnEdit;
use crate::run::source::Source;
use overrule_base::text::{FormGuard, shown_in_ascii};
use overrule_resilience::watch::Watch;

/// Settings and sources that the run does not change.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Colours.
    pub look: Look,
    /// Where the colours come from.
    pub themes: Themes,
    /// The operator's settings files.
    pub files: OperatorFiles,
    /// Characters.
    pub charset: Charset,
    /// True if the terminal draws characters of ambiguous width two columns wide. The console then
    /// uses ASCII for its own.
    pub wide: bool,
    /// Lines of the graph.
    pub line: Line,
    /// Keys.
    pub keymap: Keymap,
    /// Minimum time on screen before a key can decide, in milliseconds.
    pub arming_ms: u64,
    /// Name of the session.
    pub session: String,
    /// Source of the run.
    pub source: Source,
    /// What is between the console and the operator's terminal.
    pub reach: Reach,
    /// How weights are computed, and what is known of the tools in advance.
    pub watch: Watch,
    /// True where the old and the new lines of a difference are next to each other on a wide screen.
    pub side_by_side: bool,
    /// What the section about files of a preview is set to when it opens.
    pub on_edit: OnEdit,
    /// True if the operator never decided about a call before this console.
    pub first_decision: bool,
    /// UTC milliseconds at the console's time 0; none for a recorded run, which has no clock.
    pub utc_zero: Option<i64>,
}

/// Themes to choose from, and the chosen one.
#[derive(Debug, Clone)]
pub struct Themes {
    /// All available themes by name. None for a built-in one: it is read when it is looked at.
    pub all: Vec<(String, Option<Theme>)>,
    /// Name of the current one.
    pub current: String,
    /// Name of the one in the operator's settings.
    pub configured: String,
    /// The look before the operator tried one of the open list.
    pub before: Option<Look>,
}

impl Themes {
    /// Themes; the configured one is current.
    pub fn new(configured: String, all: Vec<(String, Option<Theme>)>) -> Self {
        Self {
            all,
            current: configured.clone(),
            configured,
            before: None,
        }
    }

    /// Returns an available theme.
    pub fn find(&self, name: &str) -> Option<Theme> {
        let (name, theme) = self.all.iter().find(|(known, _)| known == name)?;
        theme.clone().or_else(|| Theme::built_in(name).ok())
    }
}

/// What was read from the operator's settings files.
#[derive(Debug, Clone, Default)]
pub struct OperatorFiles {
    /// Resilience settings; empty until they were read.
    pub policy: Vec<(String, String)>,
    /// Problems in the files.
    pub problems: Vec<String>,
    /// Path of the settings file, for display.
    pub path: Option<String>,
    /// Path of the operator's own rules for the workspace, for display.
    pub workspace_path: Option<String>,
}

impl Settings {
    /// True if the run is read from a journal and not live: the operator cannot decide.
    pub fn is_recorded(&self) -> bool {
        self.source != Source::Live
    }

    /// True where the recorded run can be driven.
    pub fn is_replay(&self) -> bool {
        self.source == Source::Replay
    }

    /// Sets charset and column widths for text made while the guards live.
    pub fn shown(&self) -> (FormGuard, WidthGuard) {
        (shown_in_ascii(self.text_in_ascii()), measured(self.wide))
    }

    /// True if foreign text is shown in ASCII too.
    pub fn text_in_ascii(&self) -> bool {
        self.charset == Charset::Ascii && !self.wide
    }

    /// The keymap, if keys can act on the run. A recorded run refuses those keys, so they are not
    /// offered.
    pub fn offered(&self) -> Option<&Keymap> {
        (!self.is_recorded()).then_some(&self.keymap)
    }
}
