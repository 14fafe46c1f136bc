//! One line to type: a value of the verb that asks for it.
//!
//! Must not know: which verbs ask, how it is drawn.

use std::fmt;
use std::sync::Arc;

use crate::ground::field::Field;
use crate::kernel::model::Model;
use crate::kernel::msg::Out;
use overrule_domain::id::NodeId;

/// Maximum length of a search text, in bytes.
pub const WORDS: usize = 1024;
/// Maximum length of a reason, in bytes. The model reads it.
const REASON: usize = 16 * 1024;
/// Maximum length of any other line, in bytes.
const OTHER: usize = 4 * 1024;

/// The refusal of a paste where a word confirms a decision.
pub(crate) const NO_PASTE: &str = "A paste decides nothing. Type the name";

/// How a line is handled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    /// Maximum length of the line, in bytes.
    pub limit: usize,
    /// True for prose of the operator, which must not get lost.
    pub prose: bool,
    /// True if the text has an effect only once it is recorded.
    pub records: bool,
    /// True if a refusal of its command opens it again.
    pub returns: bool,
    /// True if what is below stays on the screen.
    pub over: bool,
    /// True if it confirms a decision: a paste confirms nothing.
    pub confirms: bool,
    /// True if it stays open until what it asks for is done.
    pub waits: bool,
}

impl Style {
    /// A setting of the run.
    pub const SETTING: Self = Self {
        limit: OTHER,
        prose: false,
        records: true,
        returns: false,
        over: false,
        confirms: false,
        waits: false,
    };
    /// A reason that the model reads.
    pub const PROSE: Self = Self {
        limit: REASON,
        prose: true,
        returns: true,
        ..Self::SETTING
    };
    /// What is shown or searched.
    pub const QUERY: Self = Self {
        limit: WORDS,
        records: false,
        ..Self::SETTING
    };
    /// A word that confirms a decision.
    pub const CONFIRMS: Self = Self {
        confirms: true,
        ..Self::SETTING
    };
}

/// Takes the finished text, without blanks around it. An error leaves the line open.
type Accept = Arc<dyn Fn(&mut Model, String, &mut Vec<Out>) -> Result<(), String> + Send + Sync>;

/// One line to type.
#[derive(Clone)]
pub struct Prompt {
    /// What the finished line does, in a word or two.
    pub act: &'static str,
    /// The question.
    pub title: String,
    /// How it is handled.
    pub style: Style,
    /// The call that it decides about: the title tells its time left.
    pub call: Option<NodeId>,
    /// The text.
    pub field: Field,
    accept: Accept,
}

impl Prompt {
    /// A line with a text, which is selected: typing replaces it, a cursor move keeps it.
    pub fn new(
        (act, style): (&'static str, Style),
        title: impl Into<String>,
        text: &str,
        accept: impl Fn(&mut Model, String, &mut Vec<Out>) -> Result<(), String> + Send + Sync + 'static,
    ) -> Self {
        let mut field = Field::line(text, style.limit);
        field.select_all();
        Self {
            act,
            title: title.into(),
            style,
            call: None,
            field,
            accept: Arc::new(accept),
        }
    }

    /// The same, which decides about a call.
    pub fn about(self, call: NodeId) -> Self {
        Self {
            call: Some(call),
            ..self
        }
    }

    /// Takes what was typed. The model is without the line meanwhile.
    pub fn accept(&self, model: &mut Model, out: &mut Vec<Out>) -> Result<(), String> {
        (self.accept)(model, self.field.text().trim().to_owned(), out)
    }
}

impl fmt::Debug for Prompt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Prompt");
        shown.field("act", &self.act).field("title", &self.title);
        shown.field("field", &self.field).finish_non_exhaustive()
    }
}
