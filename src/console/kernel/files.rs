//! Themes, keys and resilience settings from the operator's files, and change notices.
//!
//! Must not know: where the files are.
//!
//! The command line reads and watches the files.

use futures_util::future::BoxFuture;

use super::keymap::Keymap;
use crate::ground::theme::Theme;
use overrule_resilience::correction::Correction;

/// Content of the files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Read {
    /// Name of the theme in the settings.
    pub theme: String,
    /// All themes by name; for a file with an error, the error. None for a built-in one: it is read when it is looked at.
    pub themes: Vec<(String, Option<Result<Theme, String>>)>,
    /// The keymap, or its error; none without any.
    pub keymap: Option<Result<Keymap, String>>,
    /// Resilience settings: keys with their values as JSON text; empty if unknown.
    pub policy: Vec<(String, String)>,
    /// Other problems.
    pub problems: Vec<String>,
    /// Path of the operator's settings file, for display; none without one.
    pub place: Option<String>,
}

/// The files.
pub trait Files: Send {
    /// Reads the files.
    fn read(&mut self) -> Read;

    /// Resolves immediately before the first read, and else once the files change. Cancel safe.
    fn changed(&mut self) -> BoxFuture<'_, ()>;

    /// Stores a correction with the date in the operator's settings file. Returns it as stored. An
    /// error changes nothing.
    fn keep(&mut self, correction: Correction) -> Result<Correction, String>;
}
