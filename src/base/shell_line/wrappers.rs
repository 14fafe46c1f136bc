//! Finds the wrapper that a command is, and reads its options.
//!
//! Must not know: how a line is read.

use super::unwrap::NEAR;
use super::word::Word;
use super::wrapper_table::wrappers;

/// Shells that run a line given as a word (`sh -c LINE`).
pub(super) const SHELLS: [&str; 16] = [
    "sh", "bash", "dash", "zsh", "ash", "ksh", "mksh", "rbash", "yash", "posh", "lksh", "ksh93", "pdksh",
    "rksh", "oksh", "rzsh",
];
/// Shells with a different syntax.
const OTHER_SHELLS: [&str; 8] = ["csh", "tcsh", "fish", "xonsh", "nu", "elvish", "osh", "ysh"];
/// Shells of Windows, which run as programs here, too.
const WINDOWS_SHELLS: [&str; 3] = ["pwsh", "powershell", "cmd"];

/// Returns true for the name of a shell whose lines are read.
pub fn is_shell(name: &str) -> bool {
    SHELLS.contains(&name)
}

/// True for the name of a shell with lines of another language.
pub(super) fn is_other_shell(name: &str) -> bool {
    OTHER_SHELLS.contains(&name)
}

/// True for the name of a shell of Windows, in any spelling.
pub(super) fn is_windows_shell(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    WINDOWS_SHELLS.contains(&name.strip_suffix(".exe").unwrap_or(&name))
}

/// What a wrapper runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Runs {
    /// The words after its options, as a command.
    Words,
    /// The words after its options, joined to a line.
    Line,
    /// The words after its options and further ones from its input.
    Input,
    /// Words that begin somewhere among its arguments, as its options take several values.
    Any,
    /// The word after its option `-c` as a line, or else the words after its options.
    Given,
}

/// How the command stands in the arguments of a wrapper.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wrapper {
    /// The name, or two words (`uv run`).
    pub(super) name: &'static str,
    /// Its short options; those before a colon take a value, those before two an attached one.
    pub(super) short: &'static str,
    /// Its long options, with blanks between them; those that end in `=` take a value.
    pub(super) long: &'static str,
    /// Arguments of its own before the command.
    pub(super) operands: u8,
    /// True if it takes `NAME=VALUE` before the command.
    pub(super) sets: bool,
    /// What it runs.
    pub(super) runs: Runs,
}

/// The wrapper that a program with its words is, and the number of words up to the last of its name.
pub(super) fn wrapper(name: &str, words: &[Word]) -> Option<(&'static Wrapper, usize)> {
    // Program loaders run the program among their arguments.
    if name.starts_with("ld-linux") || name.starts_with("ld-musl") {
        return wrapper("nohup", &[]);
    }
    let of = |one: &'static Wrapper| {
        let mut names = one.name.split(' ');
        let mut at = 0;
        if names.next() != Some(name) {
            return None;
        }
        for wanted in names {
            at = named(words, at, wanted)?;
        }
        Some((one, at))
    };
    // The longest name counts: `docker compose run` is no `docker run`.
    wrappers()
        .filter_map(of)
        .max_by_key(|(one, _)| one.name.matches(' ').count())
}

/// The place after a subcommand; only options and their values may be before it.
fn named(words: &[Word], from: usize, wanted: &str) -> Option<usize> {
    let mut may_be_value = false;
    for (at, word) in words.iter().enumerate().skip(from).take(NEAR) {
        let text = word.text.as_str();
        if text == wanted {
            return Some(at + 1);
        }
        let is_option = text.starts_with(['-', '+']);
        if !is_option && !may_be_value {
            return None;
        }
        may_be_value = is_option && !text.contains('=');
    }
    None
}

/// Whether an option takes a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Value {
    /// It takes none, or one in the same word.
    Here,
    /// It takes the next word.
    Next,
    /// It is not known.
    Unknown,
}

impl Wrapper {
    /// Returns whether this option, with its `-`, takes the next word, and the value of option `of`
    /// in the same word.
    pub(super) fn value<'o>(&self, option: &'o str, of: char) -> (Value, Option<&'o str>) {
        if let Some(long) = option.strip_prefix("--") {
            let (name, value) = long
                .split_once('=')
                .map_or((long, None), |(name, value)| (name, Some(value)));
            let mut known = self
                .long
                .split_ascii_whitespace()
                .filter(|one| !name.is_empty() && one.starts_with(name));
            let takes = match known.next() {
                _ if value.is_some() => Value::Here,
                Some(one) if one.ends_with('=') => Value::Next,
                Some(_) => Value::Here,
                None => Value::Unknown,
            };
            let is_of = of == 'c'
                && self.long.split_ascii_whitespace().any(|one| {
                    ["command=", "call=", "session-command="].contains(&one) && one.starts_with(name)
                });
            return (takes, value.filter(|_| is_of));
        }
        let letters = option.get(1..).unwrap_or_default();
        for (at, letter) in letters.char_indices() {
            let rest = letters.get(at + letter.len_utf8()..).unwrap_or_default();
            let Some(found) = self.short.find(letter).filter(|_| letter != ':') else {
                return (Value::Unknown, None);
            };
            let kind = self.short.get(found + letter.len_utf8()..).unwrap_or_default();
            if kind.starts_with("::") {
                return (Value::Here, None);
            }
            if kind.starts_with(':') {
                let here = !rest.is_empty();
                return (
                    if here { Value::Here } else { Value::Next },
                    (here && letter == of).then_some(rest),
                );
            }
        }
        (Value::Here, None)
    }

    /// True if the option, with its `-`, ends in the letter, or is the long option `--command` or `--call`.
    pub(super) fn is_given(option: &str) -> bool {
        match option.strip_prefix("--") {
            Some(long) => {
                !long.is_empty()
                    && ["command", "call", "session-command"]
                        .iter()
                        .any(|name| name.starts_with(long))
            }
            None => option.ends_with('c'),
        }
    }
}
