//! A document of own lines and untrusted texts, whose rows are made only when shown.
//!
//! Must not know: what a document is about.

mod cache;
mod head;
mod memo;
mod styled;

use std::ops::Range;
use std::sync::Arc;

use regex::Regex;

use super::pager::{Pager, Row};
use super::theme::Role;
use super::work::Ticket;

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
    },
}

impl Part {
    fn rows(&self) -> usize {
        match self {
            Self::Line(_) => 1,
            Self::Text { pager, .. } => pager.rows(),
        }
    }
}

/// A document.
#[derive(Debug, Clone, Default)]
pub struct Doc {
    parts: Vec<Part>,
    rows: usize,
    /// The part with the arguments to decide about.
    exact: Option<usize>,
    head: head::Head,
    /// True if a text in it has colour sequences.
    colourful: bool,
    /// Background work that it waits for.
    waits: Vec<Arc<Ticket>>,
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
        self.rows += pager.rows();
        self.parts.push(Part::Text { pager, role, mark });
    }

    /// Adds the arguments to decide about.
    pub fn exact(&mut self, pager: Arc<Pager>, mark: (Role, String)) {
        self.exact = Some(self.parts.len());
        self.text(pager, Role::Text, mark);
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

    /// The arguments to decide about, and their first row.
    pub fn decided(&self) -> Option<(&Arc<Pager>, usize)> {
        let at = self.exact?;
        let before = self.parts.get(..at)?.iter().map(Part::rows).sum();
        match self.parts.get(at)? {
            Part::Text { pager, .. } => Some((pager, before)),
            Part::Line(_) => None,
        }
    }

    /// The rows of these arguments within a range of rows, and their total number.
    pub fn decided_rows(&self, rows: &Range<usize>) -> Option<(Range<usize>, usize)> {
        let (pager, before) = self.decided()?;
        let end = rows.end.saturating_sub(before).min(pager.rows());
        Some((rows.start.saturating_sub(before).min(end)..end, pager.rows()))
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
                Part::Text { .. } if back && inside == 0 => None,
                Part::Text { .. } if !back && inside >= rows => None,
                Part::Text { pager, .. } => pager.find(find, inside, back),
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
            let found: &[usize] = match part {
                Part::Line(line) if find.is_match(&line.plain()) => &[0],
                Part::Line(_) => &[],
                Part::Text { .. } => &texts.next()?.1,
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
                    Part::Text { pager, role, mark } => {
                        let skip = first.saturating_sub(before);
                        let window = pager.window(skip, count - out.len(), find);
                        out.extend(window.into_iter().map(|row| dress(row, *role, mark)));
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
                Part::Line(_) => None,
            })
            .collect();
        if let Some((pager, _)) = self.decided() {
            return pager.text().to_string();
        }
        if let [pager] = texts.as_slice() {
            return pager.text().to_string();
        }
        let mut out = String::new();
        for part in &self.parts {
            match part {
                Part::Line(line) => out.push_str(&line.plain()),
                Part::Text { pager, .. } => out.push_str(pager.text()),
            }
            out.push('\n');
        }
        out
    }
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
