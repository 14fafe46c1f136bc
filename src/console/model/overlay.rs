//! What can be open on top of the panes. A stack: the topmost gets the keys.
//!
//! Must not know: how an overlay is drawn.

mod line;

use std::collections::BTreeMap;
use std::sync::Arc;

use super::arming::Question;
use super::editor::Editor;
use super::listing::Listing;
use super::seek::Seek;
use crate::console::commands::{Context, Verb};
use crate::console::doc::{Doc, Styled};
use crate::console::field::Field;
use crate::console::summary::Summary;
use crate::domain::bulk::Alone;
use crate::domain::call::Digest;
use crate::domain::command::{Command, Edit, EditCommand};
use crate::domain::fork::ForkPreview;
use crate::domain::id::{NodeId, Rev, TurnId};
use crate::domain::lineage::Plan;
use crate::domain::refusal::Refusal;
use crate::domain::rule::RuleRequest;
use crate::policy::backtest::Would;
use crate::resilience::correction::Corrigible;

pub use line::{LinePrompt, LinePurpose};

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
    /// Collected edits, branches, two of them side by side, effects.
    Listing(Box<Listing>),
    /// Calls to approve at once.
    Bulk(Bulk),
    /// A rule of the session, before it is accepted.
    Rule(Box<RuleView>),
    /// What a fork of a recorded run would be.
    Fork(Box<ForkView>),
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
            Self::Page(page) if matches!(page.content, PageContent::Attention) => Context::Attention,
            Self::Page(page) if matches!(page.content, PageContent::Classify(_)) => Context::Classify,
            Self::Page(_) => Context::Page,
            Self::Editor(_) => Context::Editor,
            Self::Line(_) => Context::Line,
            Self::List(_) => Context::List,
            Self::Review(_) => Context::Review,
            Self::Listing(listing) => listing.kind.context(),
            Self::Bulk(_) => Context::Bulk,
            Self::Rule(_) => Context::Rule,
            Self::Fork(_) => Context::Fork,
            Self::Dialog(dialog) => match dialog.kind {
                DialogKind::Consent => Context::Consent,
                DialogKind::UnknownOutcome => Context::UnknownOutcome,
                DialogKind::Broken(_) => Context::Broken,
            },
            Self::Stop => Context::Confirm,
            Self::Leave => Context::Leave,
        }
    }

    /// What is read in it.
    pub const fn doc(&self) -> Option<&Doc> {
        match self {
            Self::Page(page) => Some(&page.doc),
            Self::Review(review) => Some(&review.doc),
            Self::Listing(listing) => Some(&listing.doc),
            Self::Bulk(bulk) => Some(&bulk.doc),
            Self::Rule(view) => Some(&view.doc),
            Self::Fork(view) => Some(&view.doc),
            Self::Dialog(dialog) => Some(&dialog.doc),
            Self::Editor(_) | Self::Line(_) | Self::List(_) | Self::Stop | Self::Leave => None,
        }
    }
}

/// Text to read.
#[derive(Debug, Clone)]
pub struct Page {
    /// Its title.
    pub title: String,
    /// What is on it.
    pub content: PageContent,
    /// As rows.
    pub doc: Doc,
    /// First row on screen.
    pub top: usize,
    /// What is looked for in it.
    pub seek: Option<Seek>,
    /// Event and width that it was made for.
    pub made: Option<(crate::domain::id::Seq, u16)>,
}

impl Page {
    /// A page that is not made yet.
    pub fn new(title: impl Into<String>, content: PageContent) -> Self {
        Self {
            title: title.into(),
            content,
            doc: Doc::default(),
            top: 0,
            seek: None,
            made: None,
        }
    }

    /// True for the page of all keys.
    pub const fn is_help(&self) -> bool {
        matches!(self.content, PageContent::Help(_))
    }
}

/// What is on a page.
#[derive(Debug, Clone)]
pub enum PageContent {
    /// Every key, those of the place first in which it was asked for.
    Help(Context),
    /// What went round.
    Loops,
    /// A line of the log; holds untrusted text.
    Note(String),
    /// Why the run waits for a person.
    Attention,
    /// The error of a call whose class is to be corrected.
    Classify(Box<Classifying>),
    /// A difference.
    Difference([Arc<str>; 2]),
    /// What a change of a node would do, whatever it is.
    Impact(Box<Edit>),
}

/// An error whose class is to be corrected.
#[derive(Debug, Clone)]
pub struct Classifying {
    /// The error.
    pub failed: Corrigible,
    /// The pattern that is to stand in the rule.
    pub pattern: String,
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
    /// For each of these the characters of its name that were typed.
    pub typed: Vec<Vec<u32>>,
    /// The chosen place in `found`.
    pub at: usize,
}

impl List {
    /// Bytes that can be typed to choose.
    pub const MOST: usize = line::WORDS;

    /// The entry under its cursor; none where nothing fits.
    pub fn chosen(&self) -> Option<&Choice> {
        self.choices.get(*self.found.get(self.at)?)
    }
}

/// What is chosen from a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ListPurpose {
    /// A command.
    Palette,
    /// The colours of this session.
    Theme,
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
    /// What stands at some bytes of the text in the editor below.
    Complete {
        /// The first byte.
        from: usize,
        /// Behind the last one.
        to: usize,
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
    /// A piece of JSON.
    Json(String),
    /// A theme.
    Theme(String),
    /// Nothing here: the command works in this place.
    Elsewhere(&'static str),
}

/// The impact of a change of the graph, before it is committed.
#[derive(Debug, Clone)]
pub struct Review {
    /// What is committed.
    pub command: Command,
    /// What it is, as a title.
    pub title: String,
    /// What it would do; none before it was on screen.
    pub plan: Option<Result<Plan, Refusal>>,
    /// What changes in the texts.
    pub changes: Vec<Changed>,
    /// Why, for the log; empty for no reason.
    pub reason: String,
    /// Whose edits these are.
    pub whose: Whose,
    /// What was sent from it and is not answered yet; none before.
    pub sent: Option<Command>,
    /// What became of the node while the edit was typed; empty for nothing. Safe to show.
    pub meanwhile: String,
    /// All of it as rows.
    pub doc: Doc,
    /// First row on screen.
    pub top: usize,
    /// Changes when the plan does.
    pub stamp: u64,
    /// Event and width that it was made for.
    pub made: Option<(crate::domain::id::Seq, u16)>,
}

impl Review {
    /// What it would do, or why that cannot be.
    pub fn known(&self) -> Result<&Plan, &str> {
        match &self.plan {
            Some(Ok(plan)) => Ok(plan),
            Some(Err(refusal)) => Err(&refusal.message),
            None => Err("it was not on screen yet: look first at what it does"),
        }
    }

    /// The edits, where it is about edits.
    pub fn edits(&self) -> &[Edit] {
        match &self.command {
            Command::Edit(EditCommand::Commit { edits, .. }) => edits,
            _ => &[],
        }
    }

    /// Whether later turns stand although what they were asked with changes.
    pub const fn keeps_later(&self) -> bool {
        matches!(
            self.command,
            Command::Edit(EditCommand::Commit { keep_later: true, .. })
        )
    }
}

/// Where the edits of a review come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whose {
    /// Just made.
    New,
    /// A collected edit that was opened again.
    Item(u64),
    /// All collected edits.
    AllStaged,
}

/// A text that an edit changes.
#[derive(Debug, Clone)]
pub struct Changed {
    /// Which edit.
    pub what: Summary,
    /// The text before and after.
    pub texts: [Arc<str>; 2],
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
    /// Why it is not approved any more; it stays in its row.
    pub left: Option<DropReason>,
    /// Its rows as they were shown; none before they were.
    pub rows: Vec<Styled>,
}

/// Why a call of a list is not approved with the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DropReason {
    /// It waits no longer, or not to be approved with others.
    Gone,
    /// It is not what was listed.
    Changed,
}

impl DropReason {
    /// A word for it.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Gone => "gone",
            Self::Changed => "changed",
        }
    }
}

/// Calls to approve at once: those that waited when the list was opened.
#[derive(Debug, Clone, Default)]
pub struct Bulk {
    /// The calls.
    pub items: Vec<BulkItem>,
    /// Calls that could be approved with them and are not listed: they came since.
    pub more: usize,
    /// Calls that waited too when the list was opened, and are in none.
    pub excluded: BTreeMap<Alone, Vec<NodeId>>,
    /// As rows.
    pub doc: Doc,
    /// First row on screen.
    pub top: usize,
    /// Changes when the list does.
    pub stamp: u64,
    /// Event and width that it was made for.
    pub made: Option<(crate::domain::id::Seq, u16)>,
}

impl Bulk {
    /// The calls that are approved: they wait as they are listed.
    pub fn approvable(&self) -> impl Iterator<Item = &BulkItem> {
        self.items.iter().filter(|item| item.left.is_none())
    }

    /// True where the list would be another one if it were opened now.
    pub fn is_dated(&self) -> bool {
        self.more > 0 || self.items.iter().any(|item| item.left.is_some())
    }
}

/// A rule of the session, before it is accepted.
#[derive(Debug, Clone)]
pub struct RuleView {
    /// The rule.
    pub rule: RuleRequest,
    /// What it would have meant; or why it may not stand.
    pub would: Result<Would, String>,
    /// What was sent from it and is not answered yet; none before.
    pub sent: Option<Command>,
    /// For each call that it would decide at once the bytes of its arguments that nobody has read.
    pub unread: Vec<u64>,
    /// As rows.
    pub doc: Doc,
    /// First row on screen.
    pub top: usize,
    /// Changes when what it would decide at once does.
    pub stamp: u64,
    /// Event and width that it was made for.
    pub made: Option<(crate::domain::id::Seq, u16)>,
}

/// What a fork of a recorded run would be, before it is written.
#[derive(Debug, Clone, Default)]
pub struct ForkView {
    /// What is foreseen, or why there can be none; none until the record was read.
    pub preview: Option<Result<Arc<ForkPreview>, String>>,
    /// True once it was asked for.
    pub sent: bool,
    /// As rows.
    pub doc: Doc,
    /// First row on screen.
    pub top: usize,
    /// Event and width that it was made for.
    pub made: Option<(crate::domain::id::Seq, u16)>,
}

impl ForkView {
    /// What would be written; none where that is not known, not possible, or asked for already.
    pub fn can_be_written(&self) -> Option<&ForkPreview> {
        let predicted = self.preview.as_ref()?.as_ref().ok()?;
        (!self.sent).then_some(predicted)
    }
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
    UnknownOutcome,
    /// A broken stream.
    Broken(TurnId),
}
