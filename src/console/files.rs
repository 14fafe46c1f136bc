//! Looks, keys and how failures are met, as the operator's files say it now, and the news that the files changed.
//!
//! The command line reads and watches the files. Must not know: where they are.

use futures_util::future::BoxFuture;

use super::keymap::Keymap;
use super::theme::Theme;
use crate::resilience::correction::Correction;

/// What the files say now.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Read {
    /// The theme that the settings name.
    pub theme: String,
    /// Every theme by its name; for one whose file is wrong, what is wrong with it.
    pub themes: Vec<(String, Result<Theme, String>)>,
    /// The keys, or what is wrong with them; none where nothing is known of any.
    pub keymap: Option<Result<Keymap, String>>,
    /// How failures are met: keys with their values as JSON text; empty where that is not known.
    pub policy: Vec<(String, String)>,
    /// What else is wrong.
    pub problems: Vec<String>,
    /// The operator's file of settings, for the eye; none where there is no place for one.
    pub place: Option<String>,
}

/// The files.
pub trait Files: Send {
    /// Reads them.
    fn read(&mut self) -> Read;

    /// Resolves at once where they were never read, and else once they have changed. May be dropped and asked for
    /// again.
    fn changed(&mut self) -> BoxFuture<'_, ()>;

    /// Keeps a correction in the operator's file of settings, with the day. Gives it as it was kept; where it cannot be
    /// kept, nothing is changed.
    fn keep(&mut self, correction: Correction) -> Result<Correction, String>;
}
