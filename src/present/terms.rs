//! Explains the terms of the screens in two lines each: one table for help, the console and the docs.
//!
//! Must not know: where a term is shown, keys.

mod table;
#[cfg(test)]
mod tests;

use std::fmt::Write as _;

pub use table::GROUPS;

/// Columns of a line of an explanation.
pub const WIDTH: usize = 78;

/// Terms of one subject.
#[derive(Debug, Clone, Copy)]
pub struct Group {
    /// The subject.
    pub title: &'static str,
    /// Its terms, in the order of the docs.
    pub terms: &'static [Term],
}

/// A term.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Term {
    /// The term, as screens have it.
    pub word: &'static str,
    /// Other labels with the same meaning.
    pub also: &'static [&'static str],
    /// The explanation, after the term and a colon.
    pub meaning: &'static str,
}

impl Term {
    /// The term and its explanation, in lines of at most [`WIDTH`] columns.
    pub fn lines(&self) -> Vec<String> {
        let text = format!("{}: {}", self.word, self.meaning);
        let mut lines: Vec<String> = Vec::new();
        for word in text.split(' ') {
            match lines.last_mut() {
                Some(line) if line.len() + 1 + word.len() <= WIDTH => {
                    line.push(' ');
                    line.push_str(word);
                }
                _ => lines.push(word.to_owned()),
            }
        }
        lines
    }

    /// The term and its other labels.
    fn labels(&self) -> impl Iterator<Item = &'static str> {
        std::iter::once(self.word).chain(self.also.iter().copied())
    }
}

/// All terms, group by group.
pub fn all() -> impl Iterator<Item = &'static Term> {
    GROUPS.iter().flat_map(|group| group.terms)
}

/// All labels: the terms and their other labels.
pub fn labels() -> impl Iterator<Item = &'static str> {
    all().flat_map(Term::labels)
}

/// The term with this label, in any case and with `-` or `_` for a blank.
pub fn find(label: &str) -> Option<&'static Term> {
    let label = plain(label);
    all().find(|term| term.labels().any(|one| plain(one) == label))
}

fn plain(label: &str) -> String {
    label
        .split(|c: char| c.is_whitespace() || c == '-' || c == '_')
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect::<Vec<_>>()
        .join(" ")
}

/// The terms in a text of the program's own words, in their order; of labels that overlap the longest.
pub fn within(text: &str) -> Vec<&'static Term> {
    let words: Vec<String> = text
        .split(|c: char| !c.is_alphanumeric() && c != '-')
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    let mut found: Vec<&'static Term> = Vec::new();
    let mut at = 0;
    while let Some(rest) = words.get(at..).filter(|rest| !rest.is_empty()) {
        let longest = all()
            .flat_map(|term| term.labels().map(move |label| (term, label)))
            .filter_map(|(term, label)| Some((begins(rest, label)?, term)))
            .max_by_key(|(count, _)| *count);
        match longest {
            Some((count, term)) => {
                if !found.contains(&term) {
                    found.push(term);
                }
                at += count;
            }
            None => at += 1,
        }
    }
    found
}

/// Number of words of a label if the text begins with it.
fn begins(text: &[String], label: &str) -> Option<usize> {
    let words: Vec<String> = label
        .split(|c: char| !c.is_alphanumeric() && c != '-')
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    (!words.is_empty() && text.starts_with(&words)).then_some(words.len())
}

/// All terms as tables in Markdown.
pub fn markdown() -> String {
    let mut text = String::new();
    for group in GROUPS {
        // Writing to a String cannot fail.
        let _ = write!(text, "## {}\n\n| term | meaning |\n|---|---|\n", group.title);
        for term in group.terms {
            let also: Vec<String> = term.also.iter().map(|one| format!("`{one}`")).collect();
            let also = if also.is_empty() {
                String::new()
            } else {
                format!(" (also {})", also.join(", "))
            };
            let _ = writeln!(text, "| `{}`{also} | {} |", term.word, term.meaning);
        }
        text.push('\n');
    }
    text
}
