//! What can be open on top of the panes. A stack: the topmost gets the keys.
//!
//! Must not know: how an overlay is drawn.

use std::sync::Arc;

use super::arming::Question;
use super::editor::Editor;
use crate::console::commands::{Context, Verb};
use crate::console::diff;
use crate::console::doc::Doc;
use crate::console::field::Field;
use crate::domain::call::Digest;
use crate::domain::command::Edit;
use crate::domain::id::{NodeId, Rev, TurnId};
use crate::domain::lineage::Plan;
use crate::domain::refusal::Refusal;

/// Something on top.
#[derive(Debug, Clone)]
pub enum Overlay {
    /// Text to read: help, a refusal.
    Page(Page),
    /// An editor.
    Editor(Box<Editor>),
    /// One line to type.
    Line(LinePrompt),
    /// A list to choose from.
    List(List),
    /// The impact of an edit.
    Review(Box<Review>),
    /// Calls to approve at once.
    Bulk(Bulk),
    /// The choices of a waiting entry.
    Dialog(Dialog),
    /// The emergency stop.
    Stop,
    /// Leaving while something runs.
    Leave,
}

impl Overlay {
    /// Where its keys are looked up.
    pub const fn context(&self) -> Context {
        match self {
            Self::Page(_) => Context::Page,
            Self::Editor(_) => Context::Editor,
            Self::Line(_) => Context::Line,
            Self::List(_) => Context::List,
            Self::Review(_) => Context::Review,
            Self::Bulk(_) => Context::Bulk,
            Self::Dialog(dialog) => match dialog.kind {
                DialogKind::Consent => Context::Consent,
                DialogKind::Doubt => Context::Doubt,
                DialogKind::Broken(_) => Context::Broken,
            },
            Self::Stop => Context::Confirm,
            Self::Leave => Context::Leave,
        }
    }
}

/// Text to read.
#[derive(Debug, Clone)]
pub struct Page {
    /// Its title.
    pub title: String,
    /// A difference to show.
    pub lines: Vec<diff::Line>,
    /// True for the page of keys.
    pub help: bool,
    /// As rows.
    pub doc: Doc,
    /// First row on screen.
    pub top: usize,
    /// Width that it was made for.
    pub made: Option<u16>,
}

/// One line to type.
#[derive(Debug, Clone)]
pub struct LinePrompt {
    /// What it is for.
    pub purpose: LinePurpose,
    /// The question.
    pub title: String,
    /// The text.
    pub field: Field,
}

/// What a line is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LinePurpose {
    /// Why a call is refused.
    Reject {
        /// The call.
        call: NodeId,
        /// The revision that was shown.
        rev: Rev,
    },
    /// Why a repeated effect is refused.
    RefuseEffect {
        /// The call.
        call: NodeId,
        /// The revision that was shown.
        rev: Rev,
        /// Hash of what was shown.
        digest: Digest,
    },
    /// Why an answer is refused.
    RejectAnswer(NodeId),
    /// What to look for in the graph.
    Search,
    /// The policy preset.
    Policy,
    /// Limits.
    Limits,
    /// Name of the session.
    Title,
}

/// A list to choose from by typing.
#[derive(Debug, Clone)]
pub struct List {
    /// What is chosen.
    pub purpose: ListPurpose,
    /// Its title.
    pub title: String,
    /// What was typed.
    pub field: Field,
    /// Everything there is.
    pub choices: Vec<Choice>,
    /// What fits, best first.
    pub found: Vec<usize>,
    /// The chosen place in `found`.
    pub at: usize,
}

/// What is chosen from a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ListPurpose {
    /// A command.
    Palette,
    /// Another tool for a call.
    Replace {
        /// The call.
        node: NodeId,
        /// The revision that was shown.
        base: Rev,
    },
    /// The tool of a new call.
    NewCall {
        /// The turn that it stands after.
        after: Option<TurnId>,
    },
}

/// An entry of a list. Its words are safe to show.
#[derive(Debug, Clone)]
pub struct Choice {
    /// Its name.
    pub name: String,
    /// What it is.
    pub detail: String,
    /// What stands at the right end.
    pub right: String,
    /// What it does.
    pub gives: Gives,
}

/// What an entry of a list gives.
#[derive(Debug, Clone)]
pub enum Gives {
    /// A command.
    Verb(Verb),
    /// A tool.
    Tool(Arc<str>),
}

/// The impact of an edit, before it is committed.
#[derive(Debug, Clone)]
pub struct Review {
    /// The edits.
    pub edits: Vec<Edit>,
    /// What they would do.
    pub plan: Result<Plan, Refusal>,
    /// What changes in the text.
    pub diff: Vec<diff::Line>,
    /// All of it as rows.
    pub doc: Doc,
    /// Rows of `doc` before the difference.
    pub diff_at: usize,
    /// First row on screen.
    pub top: usize,
    /// Changes when the plan does.
    pub stamp: u64,
    /// Event and width that it was made for.
    pub made: Option<(crate::domain::id::Seq, u16)>,
}

/// A call in a list of calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BulkItem {
    /// The call.
    pub call: NodeId,
    /// The revision that is listed.
    pub rev: Rev,
    /// Hash of what would run.
    pub digest: Digest,
    /// Bytes of its arguments that are not listed.
    pub unread: u64,
}

/// Calls to approve at once.
#[derive(Debug, Clone, Default)]
pub struct Bulk {
    /// The calls.
    pub items: Vec<BulkItem>,
    /// As rows.
    pub doc: Doc,
    /// First row on screen.
    pub top: usize,
    /// Changes when the list does.
    pub stamp: u64,
    /// Event and width that it was made for.
    pub made: Option<(crate::domain::id::Seq, u16)>,
}

/// The choices of a waiting entry.
#[derive(Debug, Clone)]
pub struct Dialog {
    /// Which.
    pub kind: DialogKind,
    /// The question, as it was when the dialog was opened.
    pub question: Question,
    /// The text.
    pub doc: Doc,
    /// First row on screen.
    pub top: usize,
    /// Event and width that it was made for.
    pub made: Option<(crate::domain::id::Seq, u16)>,
}

/// Kinds of choices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DialogKind {
    /// A repeated effect.
    Consent,
    /// An outcome that nobody knows.
    Doubt,
    /// A broken stream.
    Broken(TurnId),
}
