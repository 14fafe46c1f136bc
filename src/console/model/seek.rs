//! A search in what is read: what is looked for, where it was found last, and how often it is there.
//!
//! Must not know: keys, how a match is drawn.

use regex::Regex;

use crate::console::doc::{Doc, Tally};

/// Words that are looked for in what is read.
#[derive(Debug, Clone)]
pub struct Seek {
    /// As they were typed.
    pub words: String,
    /// Finds them: small and capital letters alike where only small ones were typed.
    pub regex: Regex,
    /// The row in which they were found last.
    pub found: Option<usize>,
    /// Where they are.
    tally: Tally,
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

    /// The place of the row that was found last: which match of how many.
    pub fn place(&mut self, doc: &Doc) -> String {
        let row = self.found.unwrap_or_default();
        doc.count(&self.regex, &mut self.tally);
        match doc.place(&self.regex, &self.tally, row) {
            Some((no, of)) => format!("match {no} of {of}, row {}", row + 1),
            None => format!("match at row {}", row + 1),
        }
    }
}
