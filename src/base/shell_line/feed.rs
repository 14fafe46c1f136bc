//! The commands that `xargs` runs with the words from its input.
//!
//! Must not know: how a line is read.

use super::grammar::Input;
use super::unwrap::{Inner, NEAR, part};
use super::word::Word;

/// How `xargs` takes its input apart.
#[derive(Debug, Default)]
pub(super) struct Feed {
    /// The text that is replaced by a line.
    replaced: Option<String>,
    /// Maximum number of words for one command.
    most: Option<usize>,
    /// True if separators other than blanks may occur between the words.
    delimited: bool,
}

impl Feed {
    /// Notes an option, and the word after it.
    pub(super) fn option(&mut self, option: &str, next: Option<&Word>) {
        self.replaced = replacement(option, next).or(self.replaced.take());
        let long = option.strip_prefix("--");
        let is = |letters: &[char], names: &[&str]| match long {
            Some(long) => names.iter().any(|name| {
                let long = long.split('=').next().unwrap_or_default();
                !long.is_empty() && name.starts_with(long)
            }),
            None => option.contains(letters),
        };
        self.delimited |= is(&['0', 'd'], &["null", "delimiter"]);
        if is(&['n'], &["max-args"]) {
            let value = option
                .split(['n', '='])
                .next_back()
                .filter(|text| !text.is_empty());
            let value = value.filter(|text| text.bytes().all(|b| b.is_ascii_digit()));
            let value = value.or(next.map(|word| word.text.as_str()));
            self.most = value.and_then(|value| value.parse().ok());
        }
    }
}

/// The text that is replaced by what is read.
fn replacement(option: &str, next: Option<&Word>) -> Option<String> {
    let attached = |text: &str, none: &str| {
        Some(if text.is_empty() {
            none.to_owned()
        } else {
            text.to_owned()
        })
    };
    if let Some(long) = option.strip_prefix("--replace") {
        return attached(long.trim_start_matches('='), "{}");
    }
    let at = option
        .find(['I', 'i', 'J'])
        .filter(|_| !option.starts_with("--"))?;
    let text = option.get(at + 1..).unwrap_or_default();
    if option.get(at..).is_some_and(|rest| rest.starts_with('i')) {
        return attached(text, "{}");
    }
    attached(text, next.map_or("", |word| &word.text))
}

/// Returns the commands of `xargs`, with the words that it reads.
pub(super) fn with_input(words: &[Word], feed: &Feed, input: &Input) -> Vec<Inner> {
    if words.is_empty() {
        return Vec::new();
    }
    let known = input
        .text
        .as_ref()
        .filter(|text| text.sure && !text.text.contains(['\'', '"', '\\']))
        .map(|text| text.text.as_str());
    let commands = match feed.replaced.as_deref().filter(|mark| !mark.is_empty()) {
        Some(mark) => replaced(words, mark, known),
        None => appended(words, feed, known),
    };
    let inner = commands.into_iter().map(|words| Inner::Words {
        words,
        input: Input::default(),
    });
    inner.collect()
}

/// The words, followed by those that are read.
fn appended(words: &[Word], feed: &Feed, known: Option<&str>) -> Vec<Vec<Word>> {
    let with = |more: &[&str]| -> Vec<Word> {
        let more = more.iter().map(|text| Word::literal(*text));
        words.iter().cloned().chain(more).collect()
    };
    let mut found = Vec::new();
    if let Some(text) = known {
        let items: Vec<&str> = text.split_ascii_whitespace().collect();
        found.push(with(&items));
        if let Some(most) = feed.most.filter(|most| (1..items.len()).contains(most)) {
            found.extend(items.chunks(most).take(NEAR).map(with));
        }
        if feed.delimited {
            found.extend(text.lines().take(NEAR).map(|line| with(&[line])));
        }
    }
    if known.is_none() || feed.delimited {
        let mut whole = words.to_vec();
        whole.push(Word::unseen());
        found.push(whole);
    }
    found
}

/// The words with a read line in place of the mark, for each line.
fn replaced(words: &[Word], mark: &str, known: Option<&str>) -> Vec<Vec<Word>> {
    let put = |by: &str, unknown: bool| -> Vec<Word> {
        let each = words.iter().map(|word| {
            if !word.text.contains(mark) {
                return word.clone();
            }
            let put = part(word, &word.text.replace(mark, by));
            if unknown { put.into_unknown() } else { put }
        });
        each.collect()
    };
    let mut found = Vec::new();
    let mut lines = known.map(str::lines).into_iter().flatten();
    for line in lines.by_ref().take(NEAR) {
        found.push(put(line.trim_start(), false));
    }
    if known.is_none() || lines.next().is_some() {
        found.push(put(mark, true));
    }
    found
}
