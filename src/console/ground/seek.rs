//! A search in an open text: the pattern, the last match, and the number of matches.
//!
//! Must not know: keys, how a match is drawn.

use regex::Regex;

use crate::ground::doc::{Doc, Tally};

/// Search in an open text.
#[derive(Debug, Clone)]
pub struct Seek {
    /// The typed text.
    pub words: String,
    /// The pattern. It ignores case unless a capital letter was typed.
    pub regex: Regex,
    /// Row of the last match.
    pub found: Option<usize>,
    /// All matches.
    tally: Tally,
}

impl Seek {
    /// Searches for a text; none if it is empty.
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

    /// Continues from the last match, or from the first row on screen. Returns the row and whether
    /// the search wrapped; none without a match.
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

    /// Describes the position of the last match among all matches.
    pub fn place(&mut self, doc: &Doc) -> String {
        let row = self.found.unwrap_or_default();
        doc.count(&self.regex, &mut self.tally);
        match doc.place(&self.regex, &self.tally, row) {
            Some((no, of)) => format!("{no} of {of}, row {}", row + 1),
            None => format!("match at row {}", row + 1),
        }
    }
}
