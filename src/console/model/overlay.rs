//! A stack of overlays on top of the panes; the topmost gets the keys.
//!
//! Must not know: how an overlay is drawn.

mod bulk;

use std::sync::Arc;

use super::arming::Question;
use super::editor::Editor;
use super::listing::Listing;
use super::seek::Seek;
use crate::cards;
use crate::doc::Doc;
use crate::field::Field;
use crate::keymap::Keymap;
use crate::prompt::{self, Prompt};
use crate::refusal;
use crate::summary::Summary;
use crate::surface::SurfaceId;
use crate::tabs::Maker;
use crate::verbs::Verb;
use overrule_domain::command::{Command, Edit, EditCommand};
use overrule_domain::fork::ForkPreview;
use overrule_domain::id::{NodeId, Rev, TurnId};
use overrule_domain::lineage::Plan;
use overrule_domain::refusal::Refusal;
use overrule_domain::rule::RuleRequest;
use overrule_policy::backtest::Would;
use overrule_resilience::correction::Corrigible;

pub use bulk::{Bulk, BulkItem, DropReason};

/// An overlay.
#[derive(Debug, Clone)]
pub enum Overlay {
    /// Text to read: help, a refusal.
    Page(Page),
    /// An editor.
    Editor(Box<Editor>),
    /// One line to type.
    Line(Prompt),
    /// A list to choose from.
    List(List),
    /// The impact of an edit.
    Review(Box<Review>),
    /// Staged edits, branches, two branches side by side, or effects.
    Listing(Box<Listing>),
    /// Calls to approve together.
    Bulk(Bulk),
    /// A rule of the session, before it is accepted.
    Rule(Box<RuleView>),
    /// Preview of a fork of a session.
    Fork(Box<ForkView>),
    /// The choices of a waiting entry.
    Dialog(Dialog),
    /// The emergency stop.
    Stop,
    /// Question on quitting while calls run.
    Leave,
}

impl Overlay {
    /// Which it is.
    pub const fn id(&self) -> SurfaceId {
        match self {
            Self::Page(page) if matches!(page.content, PageContent::Attention) => cards::ATTENTION,
            Self::Page(page) if matches!(page.content, PageContent::Classify(_)) => cards::CLASSIFY,
            Self::Page(_) => cards::PAGE,
            Self::Editor(_) => cards::EDITOR,
            Self::Line(_) => cards::LINE,
            Self::List(_) => cards::LIST,
            Self::Review(_) => cards::REVIEW,
            Self::Listing(listing) => listing.kind.id(),
            Self::Bulk(_) => cards::BULK,
            Self::Rule(_) => cards::RULE,
            Self::Fork(_) => cards::FORK,
            Self::Dialog(dialog) => match dialog.kind {
                DialogKind::Consent => cards::CONSENT,
                DialogKind::UnknownOutcome => cards::UNKNOWN_OUTCOME,
                DialogKind::Broken(_) => cards::BROKEN,
                DialogKind::Definitions => cards::DEFINITIONS,
            },
            Self::Stop => cards::CONFIRM,
            Self::Leave => cards::LEAVE,
        }
    }

    /// The document that it shows.
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

    /// The document that can be searched, with the first row on screen and the search in it.
    pub const fn text(&mut self) -> Option<Text<'_>> {
        let (doc, top, seek) = match self {
            Self::Page(page) => (&page.doc, &mut page.top, &mut page.seek),
            Self::Review(review) => (&review.doc, &mut review.top, &mut review.seek),
            Self::Bulk(bulk) => (&bulk.doc, &mut bulk.top, &mut bulk.seek),
            Self::Rule(view) => (&view.doc, &mut view.top, &mut view.seek),
            Self::Fork(view) => (&view.doc, &mut view.top, &mut view.seek),
            _ => return None,
        };
        Some(Text { doc, top, seek })
    }
}

/// A document of an overlay or of the inspector that can be searched.
#[derive(Debug)]
pub struct Text<'a> {
    /// The document.
    pub doc: &'a Doc,
    /// First row on screen.
    pub top: &'a mut usize,
    /// Search in it.
    pub seek: &'a mut Option<Seek>,
}

/// Text to read.
#[derive(Debug, Clone)]
pub struct Page {
    /// Its title.
    pub title: String,
    /// What is on it.
    pub content: PageContent,
    /// The content as rows.
    pub doc: Doc,
    /// First row on screen.
    pub top: usize,
    /// Search in the page.
    pub seek: Option<Seek>,
    /// Event and width that the rows were made for.
    pub made: Option<(overrule_domain::id::Seq, u16)>,
}

impl Page {
    /// A page without rows yet.
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
    /// Every key. The keys of this context come first.
    Help(SurfaceId),
    /// What a verb shows of the run; with the keymap where keys act on the run.
    Of(fn(&mut Maker<'_>, Option<&Keymap>)),
    /// A line of the log. Holds untrusted text.
    Note(String),
    /// Why the run needs attention.
    Attention,
    /// The error of a call whose class the operator corrects.
    Classify(Box<Classifying>),
    /// A difference.
    Difference([Arc<str>; 2]),
    /// Preview of any change of a node.
    Impact(Box<Edit>),
}

/// An error whose class the operator corrects.
#[derive(Debug, Clone)]
pub struct Classifying {
    /// The error.
    pub failed: Corrigible,
    /// The pattern of the new rule.
    pub pattern: String,
}

/// A list to choose from by typing.
#[derive(Debug, Clone)]
pub struct List {
    /// What the operator chooses.
    pub purpose: ListPurpose,
    /// Its title.
    pub title: String,
    /// What was typed.
    pub field: Field,
    /// All choices.
    pub choices: Vec<Choice>,
    /// Indices of the matching choices, best first.
    pub found: Vec<usize>,
    /// For each match, the characters of its name that were typed.
    pub typed: Vec<Vec<u32>>,
    /// Index of the cursor in `found`.
    pub at: usize,
}

impl List {
    /// Maximum length of the typed text, in bytes.
    pub const MOST: usize = prompt::WORDS;

    /// The choice under the cursor; none without a match.
    pub fn chosen(&self) -> Option<&Choice> {
        self.choices.get(*self.found.get(self.at)?)
    }
}

/// Purpose of a list.
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
        /// The turn before it.
        after: Option<TurnId>,
    },
    /// A value for a range of bytes in the editor below.
    Complete {
        /// The first byte.
        from: usize,
        /// Byte after the last one.
        to: usize,
    },
}

/// A choice of a list. Its texts are safe to show.
#[derive(Debug, Clone)]
pub struct Choice {
    /// Its name.
    pub name: String,
    /// Other words for it, which find it too.
    pub also: &'static str,
    /// Its keys, which find it too.
    pub keys: Vec<String>,
    /// What it is.
    pub detail: String,
    /// Text at the right end.
    pub right: String,
    /// True if it can be carried out now.
    pub now: bool,
    /// What choosing it yields.
    pub gives: Gives,
}

impl Choice {
    /// A choice without texts, which can be carried out.
    pub const fn of(gives: Gives) -> Self {
        Self {
            name: String::new(),
            also: "",
            keys: Vec::new(),
            detail: String::new(),
            right: String::new(),
            now: true,
            gives,
        }
    }
}

/// What a choice yields.
#[derive(Debug, Clone)]
pub enum Gives {
    /// A command.
    Verb(&'static Verb),
    /// A tool.
    Tool(Arc<str>),
    /// A piece of JSON.
    Json(String),
    /// A theme.
    Theme(String),
    /// Nothing here: the command works in this context.
    Elsewhere(&'static str),
}

/// Preview of a change of the graph, before the commit.
#[derive(Debug, Clone)]
pub struct Review {
    /// The command to commit.
    pub command: Command,
    /// Title that describes the change.
    pub title: String,
    /// What it would do; none until it was planned for the screen.
    pub plan: Option<Result<Plan, Refusal>>,
    /// Texts that change.
    pub changes: Vec<Changed>,
    /// Why, for the log; empty for no reason.
    pub reason: String,
    /// Where these edits come from.
    pub whose: Whose,
    /// The command that was sent and is not answered yet.
    pub sent: Option<Command>,
    /// What happened to the node while the operator typed; empty for nothing. Safe to show.
    pub meanwhile: String,
    /// The preview as rows.
    pub doc: Doc,
    /// First row on screen.
    pub top: usize,
    /// Search in it.
    pub seek: Option<Seek>,
    /// Changes with the plan.
    pub stamp: u64,
    /// Event and width that the rows were made for.
    pub made: Option<(overrule_domain::id::Seq, u16)>,
}

impl Review {
    /// The plan, or the reason why there is none.
    pub fn known(&self) -> Result<&Plan, refusal::Refusal> {
        match &self.plan {
            Some(Ok(plan)) => Ok(plan),
            Some(Err(refusal)) => Err(refusal::Refusal::outside(refusal.message.clone())),
            None => Err(refusal::Refusal::unseen(refusal::PREVIEW_UNSEEN)),
        }
    }

    /// The edits of an edit command; empty for other commands.
    pub fn edits(&self) -> &[Edit] {
        match &self.command {
            Command::Edit(EditCommand::Commit { edits, .. }) => edits,
            _ => &[],
        }
    }

    /// True if later turns stay active although their context changes.
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
    /// Just made by the operator.
    New,
    /// A staged edit that was opened again.
    Item(u64),
    /// All staged edits.
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

/// A rule of the session, before it is accepted.
#[derive(Debug, Clone)]
pub struct RuleView {
    /// The rule.
    pub rule: RuleRequest,
    /// What it would have decided, or why it is not allowed.
    pub would: Result<Would, String>,
    /// The command that was sent and is not answered yet.
    pub sent: Option<Command>,
    /// For each call that it would decide immediately, the unread bytes of its arguments.
    pub unread: Vec<u64>,
    /// The view as rows.
    pub doc: Doc,
    /// First row on screen.
    pub top: usize,
    /// Search in it.
    pub seek: Option<Seek>,
    /// Changes with the calls that it would decide immediately.
    pub stamp: u64,
    /// Event and width that the rows were made for.
    pub made: Option<(overrule_domain::id::Seq, u16)>,
}

/// Preview of a fork of a session, before it is written.
#[derive(Debug, Clone, Default)]
pub struct ForkView {
    /// The preview, or why there is none; `None` until the session was read.
    pub preview: Option<Result<Arc<ForkPreview>, String>>,
    /// True once the operator requested it.
    pub sent: bool,
    /// The preview as rows.
    pub doc: Doc,
    /// First row on screen.
    pub top: usize,
    /// Search in it.
    pub seek: Option<Seek>,
    /// Event and width that the rows were made for.
    pub made: Option<(overrule_domain::id::Seq, u16)>,
}

impl ForkView {
    /// The fork to write; none if it is unknown, impossible or already requested.
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
    /// True if the exact bytes of the call came first.
    pub exact_first: bool,
    /// The text.
    pub doc: Doc,
    /// First row on screen.
    pub top: usize,
    /// Event and width that the rows were made for.
    pub made: Option<(overrule_domain::id::Seq, u16)>,
}

/// Kinds of choices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DialogKind {
    /// Consent to a repeated effect.
    Consent,
    /// A call whose outcome is unknown.
    UnknownOutcome,
    /// A broken stream.
    Broken(TurnId),
    /// Changed definitions of a server of tools.
    Definitions,
}
