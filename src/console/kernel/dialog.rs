//! The choices of a waiting entry: a question with several answers.
//!
//! Must not know: which questions there are, what an answer does.

use ratatui::Frame;

use crate::ground::theme::Role;
use crate::kernel::graph::Pick;
use crate::kernel::inspector::Subject;
use crate::kernel::model::Model;
use crate::kernel::model::arming::Visibility;
use crate::kernel::sheet::Sheet;
use crate::kernel::stack::{Erases, Surface};
use crate::kernel::surface::SurfaceId;
use crate::run::maker::Maker;
use crate::run::question::Question;
use overrule_domain::node::Node;

/// A kind of question.
#[derive(Debug)]
pub struct DialogKind {
    /// Its surface.
    pub id: SurfaceId,
    /// Its title.
    pub title: fn(&Model, &Question) -> &'static str,
    /// Makes its text.
    pub text: fn(&mut Maker<'_>, &Question),
}

/// The choices of a waiting entry.
#[derive(Debug, Clone)]
pub struct Dialog {
    kind: &'static DialogKind,
    /// The question, as it was when the dialog was opened.
    pub question: Question,
    /// True if the exact bytes of the call came first.
    exact_first: bool,
    /// Its document.
    pub sheet: Sheet,
}

impl Dialog {
    /// A dialog about a question.
    pub fn new(kind: &'static DialogKind, question: Question, exact_first: bool) -> Self {
        Self {
            kind,
            question,
            exact_first,
            sheet: Sheet::default(),
        }
    }
}

impl Surface for Dialog {
    fn id(&self) -> SurfaceId {
        self.kind.id
    }

    fn prepare(&mut self, model: &mut Model) {
        let (kind, question, exact_first) = (self.kind, &self.question, self.exact_first);
        self.sheet.prepare(model, |maker, parts| {
            maker.exact = [parts.exact, exact_first];
            maker.exact_key = parts.settings.keymap.first("output-colours");
            match maker.run.still_asks(question) {
                Ok(()) => (kind.text)(maker, question),
                Err(why) => unasked(maker, &why.to_string(), &parts.settings.keymap.first("close")),
            }
        });
    }

    fn draw(&self, model: &Model, frame: &mut Frame<'_>) {
        let title = match model.run.still_asks(&self.question) {
            Ok(()) => (self.kind.title)(model, &self.question),
            Err(_) => "this is no longer asked",
        };
        self.sheet.draw(model, frame, title, Role::Decision);
    }

    fn erases(&self, model: &Model) -> Erases {
        if is_asked_below(model, &self.question) {
            Erases::Nothing
        } else {
            Erases::Panes
        }
    }

    fn sheet(&self) -> Option<&Sheet> {
        Some(&self.sheet)
    }

    fn sheet_mut(&mut self) -> Option<&mut Sheet> {
        Some(&mut self.sheet)
    }

    fn visible(&self, model: &Model) -> Option<Visibility> {
        model.run.still_asks(&self.question).ok()?;
        let visible = self.sheet.visible(model, self.question.clone())?;
        // For a call only the rows of its arguments matter.
        Some(match self.sheet.doc.decided_rows(&visible.rows) {
            Some((rows, total)) => Visibility {
                rows,
                total,
                ..visible
            },
            None => visible,
        })
    }

    fn question(&self) -> Option<&Question> {
        Some(&self.question)
    }
}

/// True if the pane below asks the same: the same revision of the same call, or the same stream.
fn is_asked_below(model: &Model, question: &Question) -> bool {
    match (model.inspector.subject, question) {
        (Some(Subject::Pick(Pick::Node(id))), Question::Call { call, rev, .. }) => {
            let now = model.run.state.node(*call).map(Node::rev);
            id.call() == *call && now == Some(*rev)
        }
        (Some(Subject::Broken(below)), Question::Turn { turn, .. }) => below == *turn,
        _ => false,
    }
}

/// Replaces a question that is no longer asked.
fn unasked(maker: &mut Maker<'_>, why: &str, close: &str) {
    maker.own(Role::Superseded, why);
    maker.own(
        Role::Dim,
        format!("no decision is needed here any more; {close} closes this"),
    );
}
