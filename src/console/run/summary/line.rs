//! Fits a line of own and untrusted texts into columns, with a sign for each cut.
//!
//! Must not know: what a line is about, styles.

use unicode_segmentation::UnicodeSegmentation as _;

use super::untrusted_text::{CUT, Keep, Kind, LEAST, Pieces, UntrustedText, add, bounded};
use crate::ground::columns::Columns as _;

/// The sign of further parts of a line.
const GAP: &str = " …";
/// Columns that a text keeps while the name of a place next to it can be shown whole.
const FLOOR: usize = 16;

/// A part of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Own(String),
    Untrusted(UntrustedText),
}

impl Part {
    /// The part that stays; `None` for a part that is never cut.
    fn keep(&self) -> Option<Keep> {
        match self {
            Self::Untrusted(output) if output.keep != Keep::Name => Some(output.keep),
            _ => None,
        }
    }
}

/// A line. Unsafe characters are marked when it is fitted into columns.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Summary {
    parts: Vec<Part>,
}

impl Summary {
    /// Adds the console's own text.
    pub fn own(mut self, words: impl Into<String>) -> Self {
        self.parts.push(Part::Own(words.into()));
        self
    }

    /// Adds an untrusted text. A cut keeps its beginning.
    pub fn untrusted(self, text: &str) -> Self {
        self.text(UntrustedText::new(text, Keep::Head))
    }

    /// Adds a short untrusted text that is never cut.
    pub fn name(self, text: &str) -> Self {
        self.text(UntrustedText::new(text, Keep::Name))
    }

    /// Adds a text.
    pub fn text(mut self, output: UntrustedText) -> Self {
        self.parts.push(Part::Untrusted(output));
        self
    }

    /// Appends another line.
    pub fn and(mut self, other: Self) -> Self {
        self.parts.extend(other.parts);
        self
    }

    /// The line in at most `columns`. Long texts are cut before short ones, names of places last.
    pub fn fitted(&self, columns: usize) -> Pieces {
        limited(self.put(columns, false), columns)
    }

    /// The line for wrapped rows: each text in at most `columns`, with its size in bytes if it is cut.
    pub fn at_length(&self, columns: usize) -> Pieces {
        self.put(columns, true)
    }

    /// The line in its visible form, in at most `columns`.
    pub fn visible(&self, columns: usize) -> String {
        self.fitted(columns).into_iter().map(|(_, text)| text).collect()
    }

    /// The columns of the whole line, counted only until they exceed `most`.
    pub fn columns(&self, most: usize) -> usize {
        self.widths(most).into_iter().sum()
    }

    /// The first characters of the line, unmarked. Contains untrusted text.
    pub fn raw(&self, most: usize) -> String {
        let all: String = self
            .parts
            .iter()
            .map(|part| match part {
                Part::Own(words) => words.as_str(),
                Part::Untrusted(output) => output.text.as_str(),
            })
            .collect();
        let more = self
            .parts
            .iter()
            .any(|part| matches!(part, Part::Untrusted(output) if output.more));
        match bounded(&all, most) {
            (head, cut) if cut || more => format!("{head}{CUT}"),
            (head, _) => head.to_owned(),
        }
    }

    fn put(&self, columns: usize, lengths: bool) -> Pieces {
        let widths = self.widths(columns);
        let stored = if lengths {
            self.parts.len()
        } else {
            self.fitting(&widths, columns)
        };
        let is_less = stored < self.parts.len();
        let parts = self.parts.get(..stored).unwrap_or_default();
        let sign = if is_less { GAP.columns() } else { 0 };
        let shares = shares(parts, &widths, columns.saturating_sub(sign));
        let mut out = Pieces::new();
        for (part, share) in parts.iter().zip(shares) {
            match part {
                Part::Own(words) => add(&mut out, Kind::Plain, words),
                Part::Untrusted(output) => {
                    // In wrapped rows each text keeps a part.
                    let share = if lengths { share.max(FLOOR) } else { share };
                    let is_cut = output.put(share, &mut out);
                    if is_cut && lengths {
                        add(&mut out, Kind::Plain, &format!(" ({} bytes)", output.bytes));
                    }
                }
            }
        }
        if is_less {
            // The sign of the last text only means that this text is cut.
            add(&mut out, Kind::Cut, GAP);
        }
        out
    }

    /// The columns of each part, counted only until they exceed the room.
    fn widths(&self, columns: usize) -> Vec<usize> {
        let widths = self.parts.iter().map(|part| match part {
            Part::Own(words) => words.columns(),
            Part::Untrusted(output) => output.columns(columns),
        });
        widths.collect()
    }

    /// The number of parts that fit if each text is cut to the columns that it keeps.
    fn fitting(&self, widths: &[usize], columns: usize) -> usize {
        let (mut used, mut stored) = (0, 0);
        for (at, (part, width)) in self.parts.iter().zip(widths).enumerate() {
            used += match part.keep() {
                Some(_) => (*width).min(LEAST),
                None => *width,
            };
            let is_last = at + 1 == self.parts.len();
            let sign = if is_last { 0 } else { GAP.columns() };
            if used + sign <= columns && (is_last || part.keep().is_some()) {
                stored = at + 1;
            }
        }
        if stored == 0 { self.parts.len() } else { stored }
    }
}

/// The columns of each part of a line.
fn shares(parts: &[Part], widths: &[usize], columns: usize) -> Vec<usize> {
    let of = |requested: fn(Keep) -> bool| -> Vec<usize> {
        let all = parts.iter().zip(widths);
        all.filter(|(part, _)| part.keep().is_some_and(requested))
            .map(|(_, width)| *width)
            .collect()
    };
    let texts = of(|_| true);
    let places = of(|keep| keep == Keep::End);
    let others = of(|keep| keep != Keep::End);
    let all: usize = widths.iter().take(parts.len()).sum();
    let fixed = all - texts.iter().sum::<usize>();
    let room = columns.saturating_sub(fixed);
    let of_places: usize = places.iter().sum();
    let at_least: usize = others.iter().map(|width| (*width).min(FLOOR)).sum();
    let same = level(&texts, room);
    let beside = level(&places, room.saturating_sub(at_least));
    let (place, other) = if of_places + at_least <= room {
        (usize::MAX, level(&others, room - of_places))
    } else if at_least <= room && beside >= same {
        (beside, FLOOR)
    } else {
        (same, same)
    };
    parts
        .iter()
        .zip(widths)
        .map(|(part, width)| match part.keep() {
            Some(Keep::End) => (*width).min(place),
            Some(_) => (*width).min(other),
            None => *width,
        })
        .collect()
}

/// The limit of columns for each of several texts so that all of them fit.
fn level(widths: &[usize], room: usize) -> usize {
    let mut sorted = widths.to_vec();
    sorted.sort_unstable();
    let mut left = room;
    for (at, width) in sorted.iter().enumerate() {
        let share = left / (sorted.len() - at);
        if *width > share {
            return share;
        }
        left -= width;
    }
    usize::MAX
}

/// Pieces that take at most `columns` together.
fn limited(pieces: Pieces, columns: usize) -> Pieces {
    let total: usize = pieces.iter().map(|(_, text)| text.columns()).sum();
    if total <= columns {
        return pieces;
    }
    let mut left = columns.saturating_sub(CUT.columns());
    let mut out = Vec::new();
    for (kind, text) in pieces {
        let mut stored = String::new();
        let mut full = false;
        for one in text.graphemes(true) {
            full = one.columns() > left;
            if full {
                break;
            }
            left -= one.columns();
            stored.push_str(one);
        }
        if !stored.is_empty() {
            add(&mut out, kind, &stored);
        }
        if full {
            break;
        }
    }
    // The sign may be there already.
    if out.last().is_none_or(|(kind, _)| *kind != Kind::Cut) {
        add(&mut out, Kind::Cut, CUT);
    }
    out
}
