//! Themes, keys and resilience settings from the operator's files, and change notices.
//!
//! Must not know: where the files are.
//!
//! The command line reads and watches the files.

use futures_util::future::BoxFuture;

use super::keymap::Keymap;
use crate::ground::theme::Theme;
use overrule_domain::id::NodeId;
use overrule_policy::Preset;
use overrule_resilience::correction::Correction;

/// How long a rule counts that the operator takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RuleScope {
    /// In this session.
    #[default]
    Session,
    /// In this workspace: in a file of the operator.
    Workspace,
    /// Always: in the operator's settings.
    Always,
}

impl RuleScope {
    /// All, in the order in which they are offered.
    pub const ALL: [Self; 3] = [Self::Session, Self::Workspace, Self::Always];

    /// Its name on the screen.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Session => "this session",
            Self::Workspace => "this workspace",
            Self::Always => "always",
        }
    }

    /// The next one, around.
    #[must_use]
    pub const fn next(self) -> Self {
        match self {
            Self::Session => Self::Workspace,
            Self::Workspace => Self::Always,
            Self::Always => Self::Session,
        }
    }
}

/// What is kept in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeptRule {
    /// A rule in the language of policies.
    Rule {
        /// Its text.
        text: String,
        /// The call that it was made from.
        call: Option<NodeId>,
    },
    /// A preset.
    Preset(Preset),
}

/// The price of a model for a million tokens, as it was typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptPrice {
    /// The name of the model.
    pub model: String,
    /// For tokens sent, and for tokens received.
    pub amounts: [String; 2],
    /// The currency; none for US dollars.
    pub currency: Option<String>,
}

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
    /// Path of the operator's own rules for the workspace, for display; none without one.
    pub workspace_place: Option<String>,
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

    /// Returns the beginnings of the earlier tasks of the workspace, the newest first.
    fn tasks(&mut self) -> Vec<String>;

    /// Returns the names of the files of the workspace, relative to it, without ignored ones.
    fn names(&mut self) -> Vec<String>;

    /// Keeps the price of a model in the operator's settings file. Returns the file, for display. An error changes nothing.
    fn keep_price(&mut self, price: KeptPrice) -> Result<String, String>;

    /// Keeps a rule or a preset beyond the session. Returns the file, for display. An error changes nothing.
    fn keep_rule(&mut self, scope: RuleScope, kept: KeptRule) -> Result<String, String>;
}
