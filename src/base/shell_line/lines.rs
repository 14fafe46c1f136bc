//! Finds the lines that a shell is given: after `-c`, as its input, or split by `env -S`.
//!
//! Must not know: wrappers of commands.

use super::grammar::{Input, Raw, Text};
use super::reading::Uncertainty;
use super::unwrap::{Inner, NEAR, Parts};
use super::word::{Word, quote};
use super::wrappers::is_shell;

/// The line of a shell among the words of an unknown program, such as `docker exec X sh -c LINE`.
pub(super) fn among(parts: &mut Parts, words: &[Word], raw: &Raw) {
    let shells = words
        .iter()
        .enumerate()
        .filter(|(_, word)| word.program().is_some_and(is_shell));
    for (at, _) in shells.take(NEAR) {
        let mut found = Parts::default();
        shell(&mut found, raw, words.get(at + 1..).unwrap_or_default(), true);
        let lines = found
            .inner
            .iter()
            .any(|one| matches!(one, Inner::Line { sign: "-c", .. }));
        if lines {
            parts.inner.append(&mut found.inner);
            parts.uncertainty = parts.uncertainty.or(found.uncertainty);
        }
    }
}

/// True for a name of what a command reads, and for what another command writes.
pub(super) fn is_unseen(word: &Word) -> bool {
    let text = word.text.as_str();
    if text == "-" || text.starts_with("<(") {
        return true;
    }
    let mut path = Vec::new();
    for part in text.split('/').filter(|part| !["", "."].contains(part)) {
        if part == ".." {
            path.pop();
        } else {
            path.push(part);
        }
    }
    text.starts_with('/') && (matches!(*path, ["dev" | "proc", ..]) && *path != ["dev", "null"])
}

/// The lines that a shell reads from its input.
pub(super) fn from_input(parts: &mut Parts, input: &Input) {
    match &input.text {
        Some(Text { text, sure }) => {
            if !sure {
                parts.note(Uncertainty::Input);
            }
            parts.inner.push(Inner::Line {
                sign: "<<",
                text: text.clone(),
            });
        }
        None if input.file && input.from.is_none() => {}
        None => parts.note(Uncertainty::Input),
    }
}

/// What a shell runs: the line after `-c`, or its input.
pub(super) fn shell(parts: &mut Parts, raw: &Raw, words: &[Word], is_read: bool) {
    let (mut at, mut line, mut input) = (0, false, false);
    let mut script = None;
    while let Some(word) = words.get(at) {
        if at >= NEAR {
            parts.note(Uncertainty::TooMany);
            return;
        }
        if word.splits || (word.pattern && line) {
            parts.note(Uncertainty::Program);
        }
        if word.text.starts_with("<(") {
            parts.note(Uncertainty::Input);
        }
        at += 1;
        if word.text == "-" || word.text == "--" {
            script = Some(at);
            break;
        }
        match word.text.strip_prefix(['-', '+']) {
            Some("-rcfile" | "-init-file" | "-emulate") => at += 1,
            Some(long) if long.starts_with('-') => {}
            Some(letters) => {
                // fish reads a line before its script, too.
                line |= letters.contains('c') || !is_read && letters.contains('C');
                input |= letters.contains('s');
                // Each of these takes a word of its own.
                at += letters.matches(['o', 'O']).count();
            }
            None => {
                script = Some(at - 1);
                break;
            }
        }
    }
    let script = script.and_then(|at| Some((at, words.get(at)?)));
    match script {
        Some((at, word)) if line => {
            if !is_read {
                parts.note(Uncertainty::Syntax);
            }
            parts.whole = at + 1 == words.len() && raw.sets.is_empty() && raw.redirects.is_empty();
            parts.line("-c", std::slice::from_ref(word));
        }
        Some((_, word)) if !input && !is_unseen(word) => {}
        _ if line => {}
        _ if script.is_none()
            && !input
            && words
                .iter()
                .any(|word| ["--version", "--help"].contains(&word.text.as_str())) => {}
        _ => from_input(parts, &raw.input),
    }
}

/// What a shell of Windows runs: its language is not read, and every word may be a part of it.
pub(super) fn windows_shell(parts: &mut Parts, raw: &Raw, words: &[Word]) {
    if words.is_empty() {
        from_input(parts, &raw.input);
        return;
    }
    let is_told =
        |word: &Word| ["--version", "--help", "-Version", "-Help", "/?"].contains(&word.text.as_str());
    if words.iter().all(is_told) {
        return;
    }
    parts.note(Uncertainty::Syntax);
    let begins_line = |word: &Word| {
        let option = word
            .text
            .strip_prefix(['-', '/'])
            .unwrap_or_default()
            .to_ascii_lowercase();
        !option.is_empty() && ("command".starts_with(&option) || option == "k")
    };
    if let Some(at) = words.iter().position(begins_line) {
        parts.line("-c", words.get(at + 1..).unwrap_or_default());
    }
}

/// Finds the text that `env -S` splits; returns false where there is none.
pub(super) fn split(parts: &mut Parts, words: &[Word]) -> bool {
    let mut at = 0;
    while let Some(word) = words
        .get(at)
        .filter(|word| word.text.starts_with('-') && word.text != "-")
    {
        at += 1;
        if at > NEAR {
            parts.note(Uncertainty::TooMany);
            return true;
        }
        let rest = words.get(at..).unwrap_or_default();
        if let Some(long) = word.text.strip_prefix("--") {
            let (name, value) = long
                .split_once('=')
                .map_or((long, None), |(name, value)| (name, Some(value)));
            let is = |whole: &str| !name.is_empty() && whole.starts_with(name);
            if long.is_empty() {
                return false;
            } else if is("split-string") {
                return parse_script(parts, word, value, rest);
            } else if value.is_none() && (is("unset") || is("chdir") || is("argv0")) {
                at += 1;
            }
            continue;
        }
        let letters = word.text.get(1..).unwrap_or_default();
        // The argument of these letters is the rest of the word, or else the next word.
        let Some((before, value)) = letters.split_once(['S', 'u', 'C', 'P', 'L', 'U', 'a']) else {
            continue;
        };
        let value = Some(value).filter(|value| !value.is_empty());
        if letters
            .get(before.len()..)
            .is_some_and(|rest| rest.starts_with('S'))
        {
            return parse_script(parts, word, value, rest);
        }
        at += usize::from(value.is_none());
    }
    false
}

/// The text, or else the first of these words, with the words after it.
fn parse_script(parts: &mut Parts, word: &Word, text: Option<&str>, rest: &[Word]) -> bool {
    let (text, known, rest) = match (text, rest) {
        (Some(text), rest) => (text, word.is_sure(), rest),
        (None, [text, rest @ ..]) => (text.text.as_str(), text.is_sure(), rest),
        (None, []) => return true,
    };
    if !known || rest.iter().any(|word| word.splits) {
        parts.note(Uncertainty::Program);
    }
    // What begins with an option or a variable is one of `env` again.
    let options = text.trim_start().starts_with('-');
    let rest: Vec<String> = rest.iter().map(|word| quote(&word.text)).collect();
    let blank = if rest.is_empty() { "" } else { " " };
    let text = format!(
        "{}{text}{blank}{}",
        if options { "env " } else { "" },
        rest.join(" ")
    );
    // A blank of its own kind; other escapes of `env` are those of a shell or none.
    if text.contains("\\_") || text.contains("\\c") {
        parts.note(Uncertainty::Syntax);
    }
    parts.inner.push(Inner::Line { sign: "-S", text });
    true
}
