//! Splits a shell line into its commands, for display to whoever has to see each of them.
//!
//! It splits at the operators that end a command, outside quotation marks; if the meaning of quotation marks
//! is uncertain (substitutions, here-documents), inside them too. So it may list too many commands, but none
//! hides among the words of another. Nothing is allowed because of its result. Must not know: rules, who
//! looks at the commands.

mod handed;
mod reader;

use std::ops::Range;

use super::matcher::SHELL;
use crate::shell_words::{KEYWORDS, is_name};
pub use handed::{Command, Handed, handed};
use reader::Reader;

/// Commands that are told; what comes after them stands in the last one.
const MOST: usize = 64;

/// One command of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Segment {
    /// The operator before it (`&&`, `|`, `;`, `(`), empty for the first.
    pub after: &'static str,
    /// Its range in the line, without surrounding blanks.
    pub bytes: Range<usize>,
    /// The program that it names, as written; `None` if that is uncertain.
    pub program: Option<String>,
    /// True if a shell reads more in it than plain words: substitutions, variables, groups, redirections.
    pub more: bool,
}

/// What a call hands to a shell, by its tool and arguments as they are written; nothing where it is no call of the
/// program's own shell.
pub fn of_call(tool: &str, args: &str) -> Handed {
    if tool != SHELL {
        return Handed::default();
    }
    handed(&serde_json::from_str(args).unwrap_or_default())
}

/// Returns the commands of a line, in order.
pub fn segments(line: &str) -> Vec<Segment> {
    let mut found = Vec::new();
    let mut reader = Reader::new(line);
    let (mut begin, mut after) = (0, "");
    let mut full = false;
    while let Some((end, sign)) = reader.next_end() {
        if found.len() + 1 < MOST {
            push(&mut found, line, begin..end, after);
            (begin, after) = (reader.at(), sign);
        } else {
            full = true;
            break;
        }
    }
    push(&mut found, line, begin..line.len(), after);
    if let Some(last) = found.last_mut().filter(|_| full) {
        // It stands for several, whose programs are not told.
        last.program = None;
        last.more = true;
    }
    found
}

/// Returns true if the line does not show what runs: it results from a variable, a substitution, a group or
/// an unnamed program. A redirection or a file name pattern does show itself.
pub fn hides(line: &str, segments: &[Segment]) -> bool {
    segments.iter().any(|one| one.program.is_none())
        || line.contains(|c: char| c.is_control() || "$`(){}!\\".contains(c))
}

/// True for a line that a shell takes as one command without substitutions or redirections.
fn is_plain(line: &str) -> bool {
    !line.contains(|c: char| c.is_control() || ";&|<>()$`\\!{}#".contains(c))
}

fn push(found: &mut Vec<Segment>, line: &str, bytes: Range<usize>, after: &'static str) {
    let whole = line.get(bytes.clone()).unwrap_or_default();
    let text = whole.trim();
    // Marks that only close what stands around a substitution are no command.
    if text.trim_matches(['"', '\'']).is_empty() {
        return;
    }
    let begin = bytes.start + (whole.len() - whole.trim_start().len());
    let more = text.contains(|c: char| c.is_control() || "$`<>(){}!#\\*?[]~".contains(c));
    found.push(Segment {
        after,
        bytes: begin..begin + text.len(),
        program: program(text),
        more,
    });
}

/// The first word that names a program: what is set for it alone (`A=1`) and what its output goes to come before it.
fn program(text: &str) -> Option<String> {
    let mut words = text.split_whitespace();
    while let Some(word) = words.next() {
        if let Some(target) = redirected(word) {
            let target = if target.is_empty() {
                words.next()
            } else {
                Some(target)
            };
            if !target.is_some_and(spelled) {
                return None;
            }
            continue;
        }
        let sets = word
            .split_once('=')
            .is_some_and(|(name, _)| is_name(name) || is_name(name.trim_end_matches('+')));
        if sets && !word.contains(['"', '\'', '`', '(', '\\']) {
            continue;
        }
        if KEYWORDS.contains(&word) {
            continue;
        }
        return spelled(word).then(|| word.to_owned());
    }
    None
}

/// What stands behind the sign of a redirection that a word begins with.
fn redirected(word: &str) -> Option<&str> {
    let word = word.trim_start_matches(|c: char| c.is_ascii_digit());
    let signs = [">>", ">&", ">|", "<>", "<&", ">", "<"];
    signs.into_iter().find_map(|sign| word.strip_prefix(sign))
}

/// True for a word that is what it seems to be: what quotation marks, variables or substitutions make of another only
/// a shell knows.
fn spelled(word: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-./+@:%".contains(&byte);
    !word.is_empty() && word.bytes().all(plain)
}

#[cfg(test)]
mod tests;
