//! Compares the literal words of a deny rule with text in which commands may be that cannot be read.
//!
//! Must not know: how a line is read, other rules.

use serde_json::Value;

use super::matcher::{Predicate, Test};
use super::shell::ShellCall;

/// A literal part of a pattern.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Literal {
    text: String,
    /// True if other characters may be right before it.
    is_open_before: bool,
    /// True if other characters may be right after it.
    is_open_after: bool,
}

/// Returns true if a text with hidden commands contains all literal words of the conditions, so that a deny rule counts.
///
/// A condition without a literal word, a regular expression or a negated one does not: then the call asks.
pub(super) fn denies(conditions: &[&Predicate], shell: &ShellCall) -> bool {
    let words: Option<Vec<Vec<Literal>>> = conditions.iter().map(|one| words(one)).collect();
    let Some(words) = words.filter(|words| words.iter().all(|words| !words.is_empty())) else {
        return false;
    };
    shell
        .hidden()
        .any(|text| words.iter().flatten().all(|word| contains(text, word)))
}

/// The literal words of a condition; nothing if it has none that can be compared.
fn words(condition: &Predicate) -> Option<Vec<Literal>> {
    if condition.not {
        return None;
    }
    match &condition.test {
        Test::Glob(pattern) => Some(of_glob(pattern.text())),
        Test::Is(Value::String(text)) => Some(of_text(text)),
        Test::Is(Value::Array(words)) => {
            let texts: Option<Vec<&str>> = words.iter().map(Value::as_str).collect();
            Some(of_text(&texts?.join(" ")))
        }
        Test::Begins(words) => Some(of_text(&words.join(" "))),
        Test::Is(_) | Test::Regex { .. } | Test::Range { .. } | Test::Under(_) => None,
    }
}

fn of_text(text: &str) -> Vec<Literal> {
    let literal = |text: &str| Literal {
        text: text.to_owned(),
        ..Literal::default()
    };
    text.split_whitespace().map(literal).collect()
}

/// The literal words of a glob. What stands in brackets or braces is none.
fn of_glob(glob: &str) -> Vec<Literal> {
    let mut found = Vec::new();
    let mut word = Literal::default();
    let mut chars = glob.chars();
    while let Some(c) = chars.next() {
        match c {
            '*' | '?' | '[' | '{' => {
                let end = match c {
                    '[' => Some(']'),
                    '{' => Some('}'),
                    _ => None,
                };
                if let Some(end) = end {
                    chars.by_ref().find(|c| *c == end);
                }
                word.is_open_after = true;
                found.push(std::mem::take(&mut word));
                word.is_open_before = true;
            }
            c if c.is_whitespace() => found.push(std::mem::take(&mut word)),
            '\\' => word.text.extend(chars.next()),
            c => word.text.push(c),
        }
    }
    found.push(word);
    // A sign alone is no word.
    found.retain(|word| word.text.contains(char::is_alphanumeric));
    found
}

/// Returns true if the text contains the word, not as a part of a longer one.
fn contains(text: &str, word: &Literal) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(&word.text).any(|(at, found)| {
        let before = text.get(..at).and_then(|text| text.chars().next_back());
        let after = text.get(at + found.len()..).and_then(|text| text.chars().next());
        (word.is_open_before || !before.is_some_and(is_part))
            && (word.is_open_after || !after.is_some_and(is_part))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(glob: &str) -> Vec<String> {
        of_glob(glob).into_iter().map(|word| word.text).collect()
    }

    #[test]
    fn literal_words_are_what_stands_between_the_signs() {
        for (glob, expected) in [
            ("touch *", &["touch"][..]),
            ("git push*", &["git", "push"]),
            ("*rm -rf*", &["rm", "-rf"]),
            ("{a,b} c", &["c"]),
            ("x[ab]y", &["x", "y"]),
            ("a\\*b", &["a*b"]),
            ("*", &[]),
            ("* > *", &[]),
        ] {
            assert_eq!(texts(glob), expected, "{glob}");
        }
    }

    #[test]
    fn a_word_counts_as_a_whole_unless_its_pattern_goes_on() {
        let holds = |glob: &str, text: &str| of_glob(glob).iter().all(|word| contains(text, word));
        for (glob, text) in [
            ("touch *", "system(\"touch mark\")"),
            ("touch *", "/bin/touch"),
            ("git push*", "git.pushes"),
            ("*ouch *", "touch x"),
        ] {
            assert!(holds(glob, text), "{glob} {text}");
        }
        for (glob, text) in [
            ("touch *", "touchy mark"),
            ("rm *", "print(format)"),
            ("git push*", "git pull"),
        ] {
            assert!(!holds(glob, text), "{glob} {text}");
        }
    }
}
