//! A search in what is read: what is looked for, where it was found last, and how often it is there.
//!
//! Long texts are counted piece by piece, between frames. Must not know: keys, how a match is drawn.

use regex::Regex;

use crate::console::doc::{Doc, Tally};

/// Bytes that are counted at once: a few milliseconds of work.
const PIECE: usize = 256 * 1024;

/// Words that are looked for in what is read.
#[derive(Debug, Clone)]
pub struct Seek {
    /// As they were typed.
    pub words: String,
    /// Finds them: small and capital letters alike where only small ones were typed.
    pub regex: Regex,
    /// The row in which they were found last.
    pub found: Option<usize>,
    /// Where they are, as far as was counted.
    tally: Tally,
    /// What was said of the place, while they are still counted.
    pub said: Option<String>,
}

impl Seek {
    /// Looks for these words; nothing where there are none.
    pub fn new(words: &str) -> Option<Self> {
        if words.is_empty() {
            return None;
        }
        let mut pattern = regex::escape(words);
        if !words.chars().any(char::is_uppercase) {
            pattern.insert_str(0, "(?i)");
        }
        let regex = Regex::new(&pattern).ok()?;
        Some(Self {
            words: words.to_owned(),
            regex,
            found: None,
            tally: Tally::default(),
            said: None,
        })
    }

    /// Goes on from the row that was found last, or from the first one on screen. Gives the row, and whether it was
    /// reached by way of the other end; none where the words are nowhere.
    pub fn step(&mut self, doc: &Doc, top: usize, back: bool) -> Option<(usize, bool)> {
        let from = match self.found {
            Some(row) if back => row,
            Some(row) => row + 1,
            None => top,
        };
        let find = |from| doc.find(&self.regex, from, back);
        let row = find(from).or_else(|| find(if back { doc.rows() } else { 0 }))?;
        self.found = Some(row);
        Some((row, (row < from) != back))
    }

    /// Counts on, and tells the place of the row that was found last: which match of how many, once all are counted.
    pub fn place(&mut self, doc: &Doc) -> String {
        let row = self.found.unwrap_or_default();
        let whole = doc.count(&self.regex, &mut self.tally, PIECE);
        let place = whole.then(|| doc.place(&self.regex, &self.tally, row)).flatten();
        let words = match place {
            Some((no, of)) => format!("match {no} of {of}, row {}", row + 1),
            None => format!("match at row {}", row + 1),
        };
        self.said = (!whole).then(|| words.clone());
        words
    }
}
