//! A document of own lines and untrusted texts, whose rows are made only when shown.
//!
//! Must not know: what a document is about.

pub(crate) mod cache;
pub(crate) mod head;
pub(crate) mod memo;
pub mod pair;
pub(crate) mod styled;

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::ops::Range;
use std::sync::Arc;

use regex::Regex;

use super::pager::{Pager, Row};
use super::theme::Role;
use super::work::Ticket;
use overrule_domain::call::Shown;
use pair::Pair;

pub use cache::{Cache, Finding};
pub use styled::{Piece, Styled, broken};

/// A part of a document.
#[derive(Debug, Clone)]
pub enum Part {
    /// A line of the console itself.
    Line(Styled),
    /// An untrusted text.
    Text {
        /// The text in rows.
        pager: Arc<Pager>,
        /// Its look.
        role: Role,
        /// Text before each row: the sign of foreign content.
        mark: (Role, String),
        /// What is before the first row instead, as wide as the mark.
        first: Option<Styled>,
    },
    /// Two texts next to each other.
    Pair(Pair),
}

impl Part {
    fn rows(&self) -> usize {
        match self {
            Self::Line(_) => 1,
            Self::Text { pager, .. } => pager.rows(),
            Self::Pair(pair) => pair.rows(),
        }
    }
}

/// A document.
#[derive(Debug, Clone, Default)]
pub struct Doc {
    parts: Vec<Part>,
    rows: usize,
    /// The parts to decide about.
    decided: Option<Range<usize>>,
    /// The form in which they are shown.
    shown: Option<ShownNow>,
    /// The words in the title row of the frame, if it has one: what is decided, and why it is asked.
    title: Option<[String; 2]>,
    head: head::Head,
    /// True if a text in it has colour sequences.
    colourful: bool,
    /// Background work that it waits for.
    waits: Vec<Arc<Ticket>>,
}

/// The form in which something to decide about is shown.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ShownNow {
    /// What is recorded with a decision.
    pub first: Shown,
    /// True if the exact bytes are shown.
    pub exact: bool,
    /// True if there is no other form.
    pub forced: bool,
}

/// Rows with matches in each text of a document.
#[derive(Debug, Clone, Default)]
pub struct Tally(Vec<(Arc<Pager>, Vec<usize>)>);

impl Doc {
    /// Adds a line.
    pub fn line(&mut self, line: Styled) {
        self.parts.push(Part::Line(line));
        self.rows += 1;
    }

    /// Adds a text.
    pub fn text(&mut self, pager: Arc<Pager>, role: Role, mark: (Role, String)) {
        self.text_after(pager, role, mark, None);
    }

    /// Adds a text with other words before its first row, which are as wide as the mark.
    pub fn text_after(&mut self, pager: Arc<Pager>, role: Role, mark: (Role, String), first: Option<Styled>) {
        self.rows += pager.rows();
        self.parts.push(Part::Text {
            pager,
            role,
            mark,
            first,
        });
    }

    /// Adds two texts next to each other.
    pub fn pair(&mut self, pair: Pair) {
        self.rows += pair.rows();
        self.parts.push(Part::Pair(pair));
    }

    /// Puts the document into a frame with this title: what is decided, and why it is asked. Safe to show.
    pub fn set_title(&mut self, title: [String; 2]) {
        self.title = Some(title);
    }

    /// The title of the frame; none for a document without a frame.
    pub const fn title(&self) -> Option<&[String; 2]> {
        self.title.as_ref()
    }

    /// Begins what is to be decided about, shown in this form.
    pub fn begin_decided(&mut self, shown: ShownNow) {
        self.decided = Some(self.parts.len()..self.parts.len());
        self.shown = Some(shown);
    }

    /// Ends what is to be decided about. While a part of it is still being laid out, nothing can be decided.
    pub fn end_decided(&mut self) {
        let end = self.parts.len();
        let whole = self.decided.take().filter(|_| !self.is_waiting());
        self.decided = whole.map(|decided| decided.start..end);
    }

    /// The form of what is to be decided about.
    pub const fn shown_form(&self) -> Option<&ShownNow> {
        self.shown.as_ref()
    }

    /// A number that changes with the form of what is to be decided about.
    pub fn stamp(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.shown.hash(&mut hasher);
        hasher.finish()
    }

    /// Marks the document as incomplete until the ticket is done.
    pub fn wait(&mut self, ticket: Arc<Ticket>) {
        self.waits.push(ticket);
    }

    /// True while it is incomplete.
    pub const fn is_waiting(&self) -> bool {
        !self.waits.is_empty()
    }

    /// True if awaited work is done, so that the document must be made again.
    pub fn is_due(&self) -> bool {
        self.waits.iter().any(|ticket| ticket.is_done())
    }

    /// Records that a text in it has colour sequences, whether they are shown or not.
    pub const fn with_colours(&mut self) {
        self.colourful = true;
    }

    /// True if a text in it has colour sequences.
    pub const fn has_colours(&self) -> bool {
        self.colourful
    }

    /// Number of rows.
    pub const fn rows(&self) -> usize {
        self.rows
    }

    /// The first text to decide about, and its first row.
    pub fn decided(&self) -> Option<(&Arc<Pager>, usize)> {
        let range = self.decided.clone()?;
        let mut before = self.parts.get(..range.start)?.iter().map(Part::rows).sum();
        for part in self.parts.get(range)? {
            let text = match part {
                Part::Text { pager, .. } => Some(pager),
                Part::Pair(pair) => pair.pager(),
                Part::Line(_) => None,
            };
            if let Some(pager) = text {
                return Some((pager, before));
            }
            before += part.rows();
        }
        None
    }

    /// The rows of what is to be decided about.
    fn decided_span(&self) -> Option<Range<usize>> {
        let range = self.decided.clone()?;
        let before: usize = self.parts.get(..range.start)?.iter().map(Part::rows).sum();
        let all: usize = self.parts.get(range)?.iter().map(Part::rows).sum();
        Some(before..before + all)
    }

    /// Number of rows of what is to be decided about.
    pub fn decided_len(&self) -> Option<usize> {
        self.decided_span().map(|span| span.len())
    }

    /// The rows of what is to be decided about within a range of rows, and their total number.
    pub fn decided_rows(&self, rows: &Range<usize>) -> Option<(Range<usize>, usize)> {
        let span = self.decided_span()?;
        let end = rows.end.saturating_sub(span.start).min(span.len());
        Some((rows.start.saturating_sub(span.start).min(end)..end, span.len()))
    }

    /// The bytes of texts in some rows of what is to be decided about. Every row counts at least 1: a name, a remark
    /// or an empty text too.
    pub fn decided_bytes(&self, rows: &Range<usize>) -> u64 {
        let parts = self.decided.clone().and_then(|range| self.parts.get(range));
        let (mut before, mut bytes) = (0, 0);
        for part in parts.unwrap_or_default() {
            let here = before..before + part.rows();
            let inside = rows.start.max(here.start)..rows.end.min(here.end);
            if !inside.is_empty() {
                let inside = inside.start - before..inside.end - before;
                let least = inside.len() as u64;
                bytes += match part {
                    Part::Text { pager, .. } => pager.bytes_in(&inside).max(least),
                    Part::Pair(pair) => pair.bytes_in(&inside).max(least),
                    Part::Line(_) => least,
                };
            }
            before = here.end;
        }
        bytes
    }

    /// The first match from `row` on, or the last one before it if `back`.
    pub fn find(&self, find: &Regex, row: usize, back: bool) -> Option<usize> {
        let mut found = None;
        let mut before = 0;
        for part in &self.parts {
            let rows = part.rows();
            let inside = row.saturating_sub(before);
            let hit = match part {
                Part::Line(line) => {
                    let here = if back { before < row } else { before >= row };
                    (here && find.is_match(&line.plain())).then_some(0)
                }
                _ if back && inside == 0 => None,
                _ if !back && inside >= rows => None,
                Part::Text { pager, .. } => pager.find(find, inside, back),
                Part::Pair(pair) => {
                    let mut found = pair.matches(find).into_iter();
                    if back {
                        found.rfind(|row| *row < inside)
                    } else {
                        found.find(|row| *row >= inside)
                    }
                }
            };
            if let Some(at) = hit {
                found = Some(before + at);
                if !back {
                    return found;
                }
            }
            before += rows;
        }
        found
    }

    /// Counts the matches in the texts. Counted texts are not searched again.
    pub fn count(&self, find: &Regex, tally: &mut Tally) {
        let mut before = std::mem::take(&mut tally.0);
        for part in &self.parts {
            let Part::Text { pager, .. } = part else { continue };
            // A new document often has the same texts.
            let known = before.iter().position(|(one, _)| Arc::ptr_eq(one, pager));
            let found = match known {
                Some(at) => before.swap_remove(at).1,
                None => pager.count(find),
            };
            tally.0.push((Arc::clone(pager), found));
        }
    }

    /// The number of a row among the rows with matches, and their total.
    pub fn place(&self, find: &Regex, tally: &Tally, row: usize) -> Option<(usize, usize)> {
        let (mut all, mut before, mut place) = (0, 0, None);
        let mut texts = tally.0.iter();
        for part in &self.parts {
            let in_pair: Vec<usize>;
            let found: &[usize] = match part {
                Part::Line(line) if find.is_match(&line.plain()) => &[0],
                Part::Line(_) => &[],
                Part::Text { .. } => &texts.next()?.1,
                Part::Pair(pair) => {
                    in_pair = pair.matches(find);
                    &in_pair
                }
            };
            if let Some(inside) = row.checked_sub(before)
                && let Ok(at) = found.binary_search(&inside)
            {
                place = Some(all + at + 1);
            }
            all += found.len();
            before += part.rows();
        }
        place.map(|place| (place, all))
    }

    /// Rows from `first` on, at most `count`, with search matches highlighted.
    pub fn window(&self, first: usize, count: usize, find: Option<&Regex>) -> Vec<Styled> {
        let mut out = Vec::with_capacity(count.min(200));
        let mut before = 0;
        for part in &self.parts {
            let rows = part.rows();
            if before + rows > first && out.len() < count {
                match part {
                    Part::Line(line) => out.push(match find {
                        Some(find) => line.clone().light(find),
                        None => line.clone(),
                    }),
                    Part::Pair(pair) => {
                        let rows = first.saturating_sub(before)..rows;
                        let rows = rows.take(count - out.len());
                        out.extend(rows.map(|row| pair.row(row, find)));
                    }
                    Part::Text {
                        pager,
                        role,
                        mark,
                        first: lead,
                    } => {
                        let skip = first.saturating_sub(before);
                        let window = pager.window(skip, count - out.len(), find).into_iter();
                        out.extend(window.enumerate().map(|(at, row)| match lead {
                            Some(lead) if skip + at == 0 => {
                                let mut line = lead.clone();
                                line.push_row(row, *role);
                                line
                            }
                            _ => dress(row, *role, mark),
                        }));
                    }
                }
            }
            before += rows;
            if out.len() >= count {
                break;
            }
        }
        out
    }

    /// The whole document as text for the clipboard, with untrusted texts unchanged.
    pub fn copy(&self) -> String {
        let texts: Vec<&Arc<Pager>> = self
            .parts
            .iter()
            .filter_map(|part| match part {
                Part::Text { pager, .. } => Some(pager),
                Part::Line(_) | Part::Pair(_) => None,
            })
            .collect();
        if let Some(parts) = self.decided.clone().and_then(|range| self.parts.get(range)) {
            return copied(parts);
        }
        if let [pager] = texts.as_slice() {
            return pager.text().to_string();
        }
        copied(&self.parts)
    }
}

/// Parts as text for the clipboard; a single text is copied as it is.
fn copied(parts: &[Part]) -> String {
    if let [Part::Text { pager, .. }] = parts {
        return pager.text().to_string();
    }
    let mut out = String::new();
    for part in parts {
        match part {
            Part::Line(line) => out.push_str(&line.plain()),
            Part::Pair(pair) => {
                let rows: Vec<String> = (0..pair.rows()).map(|row| pair.row(row, None).plain()).collect();
                out.push_str(&rows.join("\n"));
            }
            Part::Text { pager, first, .. } => {
                // The name of an argument, the number of a line.
                out.push_str(&first.as_ref().map(Styled::plain).unwrap_or_default());
                out.push_str(pager.text());
            }
        }
        out.push('\n');
    }
    out
}

fn dress(row: Row, role: Role, mark: &(Role, String)) -> Styled {
    let mut line = Styled::new();
    if !mark.1.is_empty() {
        line = line.own(mark.0, mark.1.clone());
    }
    line.push_row(row, role);
    line
}

/// Form of a shown source text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Form {
    /// As it is.
    Raw,
    /// As it is, coloured by its JSON tokens.
    Json,
    /// A JSON string as its text; other JSON formatted and coloured by its tokens.
    Readable,
    /// A JSON string as its text, with its own colour sequences applied.
    Coloured,
}

/// Maximum size of a JSON text that is formatted, in bytes.
const READABLE: usize = 512 * 1024;

/// A JSON string as its text; other JSON formatted; anything else as it is.
pub fn readable(json: &Arc<str>) -> Arc<str> {
    if let Some(text) = super::json::as_text(json) {
        return text.into();
    }
    if json.len() > READABLE {
        return Arc::clone(json);
    }
    super::json::pretty(json).into()
}
