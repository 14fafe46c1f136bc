//! Makes documents about a run: its own words, untrusted texts, quotes, frames of decisions.
//!
//! Must not know: which documents there are, how one is drawn.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::call_group::CallGroup;
use crate::ground::columns::Columns as _;
use crate::ground::doc::{Cache, Doc, Form, ShownNow, Styled};
use crate::ground::pager::{Pager, Wrap};
use crate::ground::symbols::{Charset, Symbol};
use crate::ground::theme::Role;
use crate::ground::work::Ticket;
use crate::run::part::RunPart;
use overrule_domain::id::NodeId;
use overrule_domain::node::Origin;

/// How the output of tools is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    /// True for its own colours; false for exact bytes, with marks.
    pub colours: bool,
    /// The key that switches; empty without one.
    pub key: String,
}

/// The part of a list that a tab shows, and the keys to the other parts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Older {
    /// The number of the newest shown entry, counted from 1; `None` for the newest of all.
    pub upto: Option<usize>,
    /// The keys for older and newer entries; empty without a key.
    pub keys: [String; 2],
}

/// Columns of a name before its value.
pub(crate) const NAME: u16 = 11;
/// The marks before the first row of a decision, each row of its text, its last row, and a fixed row of its head.
/// No untrusted text can produce them: see [`overrule_base::text::FRAME`].
const FRAME: [&str; 4] = ["┏ ", "┃ ", "┗ ", "┣ "];
/// The same on an ASCII screen. Place and style distinguish it from untrusted text.
const FRAME_ASCII: [&str; 4] = ["# ", "| ", "# ", "# "];
/// The most rows of a value.
pub(crate) const FIELD_ROWS: usize = 4;
/// Longest arguments that are parsed for reading, in bytes: parsing copies them.
pub(crate) const MAX_PARSED: usize = 256 * 1024;
/// Columns of the texts of a call in a list for approval; the list shows the length of longer ones.
pub(crate) const WHOLE: usize = 600;

/// The inputs of a tab.
pub struct Maker<'a> {
    /// The run.
    pub run: &'a RunPart,
    /// Cached results of background jobs.
    pub cache: &'a mut Cache,
    /// Groups of similar waiting calls.
    pub call_groups: &'a BTreeMap<NodeId, CallGroup>,
    /// Columns.
    pub width: u16,
    /// Rows of the pane; none where the document is as long as it likes.
    pub height: Option<usize>,
    /// Characters.
    pub charset: Charset,
    /// True where rows are short: fewer unchanged lines are around a change.
    pub tight: bool,
    /// True where the old and the new lines of a difference are next to each other.
    pub beside: bool,
    /// How tool output is shown; `None` for documents without coloured output.
    pub output: Option<Output>,
    /// The shown part of a longer list.
    pub older: Older,
    /// True where the operator chose the exact bytes of decisions: now, and when this one was opened.
    pub exact: [bool; 2],
    /// The key that shows the exact bytes; empty where there is none.
    pub exact_key: String,
    /// The form of the decision that is made.
    pub(crate) shown: Option<ShownNow>,
    /// The document.
    pub doc: Doc,
}

impl<'a> Maker<'a> {
    /// Makes an empty document with this width and these characters.
    pub fn new(
        run: &'a RunPart,
        cache: &'a mut Cache,
        similar: &'a BTreeMap<NodeId, CallGroup>,
        (width, charset): (u16, Charset),
    ) -> Self {
        Self {
            run,
            cache,
            call_groups: similar,
            width,
            charset,
            tight: false,
            beside: false,
            height: None,
            output: None,
            older: Older::default(),
            exact: [false; 2],
            exact_key: String::new(),
            shown: None,
            doc: Doc::default(),
        }
    }
}

impl Maker<'_> {
    /// Adds the console's own text, over as many lines as it needs.
    pub fn own(&mut self, role: Role, text: impl Into<String>) {
        let text = text.into();
        let width = usize::from(self.width).max(1);
        if text.columns() <= width {
            self.doc.line(Styled::new().own(role, text));
            return;
        }
        // Untrusted parts are marked already.
        self.over(Styled::new().own(role, text.trim_end()), 0);
    }

    /// Adds `name  value` with an untrusted value: its head, over a few lines.
    pub(crate) fn field(&mut self, name: &str, value: &str) {
        let width = self.width.saturating_sub(NAME).max(8);
        let (head, cut) = overrule_base::text::head(value, usize::from(width) * FIELD_ROWS * 2);
        let pager = Pager::new(head.into(), width, Wrap::Words);
        let more = cut || pager.rows() > FIELD_ROWS;
        let rows = pager.window(0, FIELD_ROWS, None);
        let last = rows.len().saturating_sub(1);
        for (at, row) in rows.into_iter().enumerate() {
            let name = if at == 0 { name } else { "" };
            let mut line = Styled::new().own(Role::Dim, format!("{name:<10} "));
            line.push_row(row, Role::Text);
            if more && at == last {
                line = line.own(Role::Dim, " …");
            }
            self.doc.line(line);
        }
    }

    /// Adds `name  text` with the console's own text, over as many lines as it needs.
    pub(crate) fn fact(&mut self, name: &str, role: Role, words: impl Into<String>) {
        let line = Styled::new()
            .own(Role::Dim, format!("{name:<10} "))
            .own(role, words);
        self.over(line, usize::from(NAME));
    }

    /// Adds a line, wrapped; rows after the first are indented.
    pub(crate) fn over(&mut self, line: Styled, indent: usize) {
        for row in line.over(usize::from(self.width), indent) {
            self.doc.line(row);
        }
    }

    /// Adds untrusted text after a mark.
    pub(crate) fn text(
        &mut self,
        source: &Arc<str>,
        form: Form,
        wrap: Wrap,
        role: Role,
        mark: (Role, String),
    ) {
        let width = self.width.saturating_sub(mark.1.columns() as u16).max(1);
        let pager = self.cache.pager(source, form, width, wrap);
        if let Some(pager) = self.found(pager, source.len()) {
            self.doc.text(pager, role, mark);
        }
    }

    /// The result of a background job on a text; adds a line while the job runs.
    pub(crate) fn found<T>(&mut self, found: Result<T, Arc<Ticket>>, bytes: usize) -> Option<T> {
        match found {
            Ok(found) => Some(found),
            Err(ticket) => {
                self.doc.wait(ticket);
                self.own(Role::Warning, format!("loading {bytes} bytes…"));
                None
            }
        }
    }

    /// Adds a value in its most readable form, indented.
    pub(crate) fn readable(&mut self, value: &Arc<str>, indent: &str) {
        let mark = (Role::Dim, indent.to_owned());
        self.text(value, Form::Readable, Wrap::Chars, Role::Text, mark);
    }

    /// Adds text of the model or the operator, each with its own mark.
    pub(crate) fn quote(&mut self, source: &Arc<str>, origin: &Origin) {
        let (role, mark) = match origin {
            Origin::Operator { .. } => (Role::Operator, self.glyph(Symbol::ModelText)),
            _ => (Role::ModelText, self.glyph(Symbol::ModelText)),
        };
        self.text(
            source,
            Form::Raw,
            Wrap::Words,
            Role::Text,
            (role, format!("{mark} ")),
        );
    }

    /// A mark of the frame of a decision: first row, row of the text, last row, fixed row.
    pub(crate) fn frame(&self, piece: usize) -> &'static str {
        let pieces = match self.charset {
            Charset::Unicode => FRAME,
            Charset::Ascii => FRAME_ASCII,
        };
        pieces.get(piece).copied().unwrap_or_default()
    }

    /// Adds the console's own text in the frame of a decision, wrapped.
    pub(crate) fn framed(&mut self, piece: usize, words: &str) {
        let width = self.width.saturating_sub(2).max(1);
        let pager = Pager::new(words.trim_end().into(), width, Wrap::Words);
        let mut corner = self.frame(piece);
        for row in pager.window(0, pager.rows(), None) {
            let words: String = row.pieces.into_iter().map(|piece| piece.text).collect();
            let mut words = format!("{corner}{}", words.trim_end());
            // A blank after the text, where there is room.
            if words.columns() < usize::from(self.width) {
                words.push(' ');
            }
            self.doc.line(Styled::new().own(Role::Decision, words));
            corner = "  ";
        }
    }

    pub(crate) fn glyph(&self, symbol: Symbol) -> char {
        symbol.glyph(self.charset)
    }
}
