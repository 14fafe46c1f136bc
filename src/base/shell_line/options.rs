//! Finds the commands and the code that options give to a program.
//!
//! Must not know: the grammar of lines, which programs have which options.

use super::code::is_harmless;
use super::code_marks::{EDITORS, HARMLESS_SETTINGS, MARKS, READERS, SSH_COMMANDS, SSH_PLAIN};
use super::git::{git_setting, subcommand_at};
use super::grammar::Raw;
use super::lines::is_unseen;
use super::option_table::{self, Holds, Row};
use super::reading::Uncertainty;
use super::unwrap::{Parts, part};
use super::variables::assignment;
use super::word::Word;

/// Maximum number of words of a command that are compared with the table.
const MOST: usize = 4_096;

/// Reads the options of a program that hold commands, and the code on its input.
pub(super) fn options(parts: &mut Parts, name: &str, words: &[Word], raw: &Raw) {
    if words.len() > MOST && is_in_table(name) {
        parts.note(Uncertainty::TooMany);
    }
    let words = words.get(..MOST).unwrap_or(words);
    // What follows a file with code is for that code.
    let end = if lists(READERS, name) {
        file(name, words)
    } else {
        None
    };
    let own = words.get(..end.unwrap_or(words.len())).unwrap_or(words);
    for row in option_table::rows().filter(|row| is_of(row, name, own)) {
        for (word, value) in values(row, own) {
            take(parts, name, row.holds, &part(word, value));
        }
    }
    input(parts, name, words, raw);
}

/// The words of a program that may be options of its own, with the rows of the table that are about it.
pub(super) struct Own<'w> {
    /// The words: up to `--`, to a file with code, or to the subcommand of git.
    pub(super) words: &'w [Word],
    name: &'w str,
    rows: Vec<&'static Row>,
}

impl<'w> Own<'w> {
    /// The words of a program, without its name.
    pub(super) fn new(name: &'w str, words: &'w [Word]) -> Self {
        let words = words.get(..MOST).unwrap_or(words);
        let rows: Vec<&Row> = option_table::rows()
            .filter(|row| is_of(row, name, words))
            .collect();
        // After an option that takes a value, `--` is its value.
        let mut before = "";
        let end = words.iter().position(|word| {
            let is_end = word.text == "--" && !rows.iter().any(|row| takes_next(row, before));
            before = word.text.as_str();
            is_end
        });
        let words = words.get(..end.unwrap_or(words.len())).unwrap_or(words);
        let last = if lists(READERS, name) {
            file(name, words)
        } else if lists(AWK, name) {
            // After its program there are no options.
            let mut before = "";
            words.iter().position(|word| {
                let is_program =
                    !word.text.starts_with('-') && !["-F", "-v", "-f", "-e", "-i"].contains(&before);
                before = word.text.as_str();
                is_program
            })
        } else if lists("git", name) && !rows.iter().any(|row| row.programs.contains('/')) {
            subcommand_at(words)
        } else {
            None
        };
        let words = words
            .get(..last.map_or(words.len(), |at| at + 1))
            .unwrap_or(words);
        Self { words, name, rows }
    }

    /// Returns true if an option that holds a command may begin with this text, and with anything after it if `is_open`.
    /// `before` is the word before it, which may take it as its value.
    pub(super) fn may_begin(&self, before: Option<&Word>, text: &str, is_open: bool) -> bool {
        let before = before.map_or("", |word| word.text.as_str());
        if lists("sed gsed", self.name) || lists(AWK, self.name) {
            let is_value = ["-e", "-f", "-F", "-v", "-l"].contains(&before) || before.ends_with("expression");
            return !is_value && (text.is_empty() && is_open || text.starts_with('-'));
        }
        let is_value = match self.name {
            "git" => ["-C", "--git-dir", "--work-tree", "--namespace"].contains(&before),
            "go" => GO_VALUES.contains(&before),
            _ => false,
        };
        if is_value || self.rows.iter().any(|row| takes_next(row, before)) {
            return false;
        }
        let mut rows = self.rows.iter();
        rows.any(|row| value(row, text).is_some() || (is_open && may_follow(row, text)))
    }
}

/// The names of awk.
const AWK: &str = "awk gawk mawk nawk original-awk";
/// Options of go that take the next word. Source: go help build, go help testflag.
const GO_VALUES: &[&str] = &[
    "-run",
    "-skip",
    "-bench",
    "-fuzz",
    "-count",
    "-timeout",
    "-o",
    "-tags",
    "-p",
    "-C",
    "-mod",
    "-coverprofile",
];

/// Returns true if a word is an option of the row, or another one that is known, and takes the next word.
fn takes_next(row: &Row, text: &str) -> bool {
    let others = row.others.split(' ').next().unwrap_or_default();
    let last = text.chars().next_back().unwrap_or_default();
    let is_short = text.starts_with('-') && !text.starts_with("--");
    value(row, text) == Some(Place::Next) || (is_short && others.contains(last))
}

/// Returns true if an option of the row may begin with this text.
fn may_follow(row: &Row, text: &str) -> bool {
    let mut options = row.options.split_ascii_whitespace();
    let Some(name) = text.strip_prefix('-') else {
        return text.is_empty();
    };
    if name.is_empty() {
        return true;
    }
    if options.clone().any(|option| {
        option
            .strip_prefix('-')
            .is_some_and(|option| option.starts_with(name))
    }) {
        return true;
    }
    if let Some(long) = name.strip_prefix('-') {
        return options.any(|option| option.len() > 1 && option.trim_start_matches('-').starts_with(long));
    }
    // Another letter may follow in a cluster.
    let others = row.others.split_ascii_whitespace().next().unwrap_or_default();
    let has_letters = options.any(|option| option.trim_end_matches('?').len() == 1);
    has_letters && !name.contains(|c: char| others.contains(c) || !c.is_ascii_alphanumeric())
}

/// Returns true for a program that the table knows.
fn is_in_table(name: &str) -> bool {
    option_table::rows().any(|row| programs(row.programs).any(|(program, _)| is_called(name, program)))
}

/// The programs of a row, each with its subcommands.
fn programs(text: &str) -> impl Iterator<Item = (&str, impl Iterator<Item = &str>)> {
    text.split_ascii_whitespace().map(|one| {
        let mut names = one.split('/');
        (names.next().unwrap_or_default(), names)
    })
}

/// Returns true if a program has this name, perhaps with a version: `python3.12`, `gcc-14`.
pub(super) fn is_called(name: &str, program: &str) -> bool {
    let version = |c: char| c.is_ascii_digit() || c == '.' || c == '-';
    name == program || name.trim_end_matches(version) == program
}

/// Returns true if the text lists the program.
pub(super) fn lists(list: &str, name: &str) -> bool {
    list.split_ascii_whitespace().any(|one| is_called(name, one))
}

fn is_of(row: &Row, name: &str, words: &[Word]) -> bool {
    programs(row.programs).any(|(program, mut subcommands)| {
        is_called(name, program) && subcommands.all(|wanted| words.iter().any(|word| word.text == wanted))
    })
}

/// The values of the options of a row, each with the word that it is in.
fn values<'w>(row: &Row, words: &'w [Word]) -> Vec<(&'w Word, &'w str)> {
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|at| words.get(at));
        // After an option, `--` may be its value.
        if word.text == "--" && before.is_none_or(|before| !before.text.starts_with('-')) {
            break;
        }
        match value(row, &word.text) {
            Some(Place::Here(value)) => found.push((word, value)),
            Some(Place::Next) => match words.get(at + 1) {
                Some(next) => found.push((next, next.text.as_str())),
                // An option of code may stand alone.
                None if row.holds == Holds::Code => found.push((word, "")),
                None => {}
            },
            None => {}
        }
    }
    found
}

/// Where the value of an option is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place<'w> {
    /// In the same word.
    Here(&'w str),
    /// The next word.
    Next,
}

/// Returns where the value is, if the word is an option of the row that has one.
fn value<'w>(row: &Row, text: &'w str) -> Option<Place<'w>> {
    let mut options = row.options.split_ascii_whitespace();
    let split = |text: &'w str| match text.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (text, None),
    };
    let here = |option: &str, value: Option<&'w str>| match value {
        Some(value) => Some(Place::Here(value)),
        None => (!option.ends_with('?')).then_some(Place::Next),
    };
    let long = text.strip_prefix("--");
    let dashed = long.or_else(|| text.strip_prefix('-')).map(split);
    // A `~` at the end: the option may be cut.
    let is_dashed = |option: &str, name: &str| match option.strip_suffix('~') {
        Some(option) => name.len() > 1 && option.starts_with(name),
        None => option == name,
    };
    if let Some((name, value)) = dashed
        && let Some(option) = options.clone().find(|option| {
            option
                .strip_prefix('-')
                .is_some_and(|option| is_dashed(option, name))
        })
    {
        return here(option, value);
    }
    if let Some(long) = long {
        let (name, value) = split(long);
        let is_other = row.others.split_ascii_whitespace().any(|other| other == name);
        if name.is_empty() || is_other {
            return None;
        }
        // A long option may be cut to what distinguishes it. Which further options a program has is not known.
        let option =
            options.find(|option| option.trim_end_matches('?').len() > 1 && option.starts_with(name))?;
        return here(option, value);
    }
    let letters = text.strip_prefix('-')?;
    for (at, letter) in letters.char_indices() {
        let rest = letters.get(at + letter.len_utf8()..).unwrap_or_default();
        let is_short = |option: &str| {
            option
                .strip_prefix(letter)
                .is_some_and(|rest| ["", "?"].contains(&rest))
        };
        if let Some(option) = options.clone().find(|option| is_short(option)) {
            let rest = rest.strip_prefix('=').unwrap_or(rest);
            return here(option, (!rest.is_empty()).then_some(rest));
        }
        let others = row.others.split_ascii_whitespace().next().unwrap_or_default();
        if others.contains(letter) {
            return None;
        }
    }
    None
}

/// Names that stand for no file with settings.
const NO_FILES: &[&str] = &["/dev/null", "NONE", "NORC", "DEFAULTS"];

/// Notes what a value holds.
fn take(parts: &mut Parts, name: &str, holds: Holds, value: &Word) {
    let text = value.text.as_str();
    match holds {
        Holds::Line => parts.option_line(std::slice::from_ref(value)),
        Holds::Commas => parts.option_line(&[part(value, &text.replace(',', " "))]),
        Holds::Code => parts.hidden |= !NO_FILES.contains(&text),
        Holds::Script => parts.hidden |= !value.is_sure() || !is_harmless(text),
        Holds::Query => parts.hidden |= value.unknown || marked(name, text),
        Holds::SshSetting => ssh_setting(parts, value),
        Holds::GitSetting => git_setting(parts, value),
        Holds::Variable => assignment(parts, value),
        Holds::Setting => {
            if is_harmless_setting(name, text) && !value.unknown {
                return;
            }
            parts.hidden = true;
            if let Some((_, line)) = text.split_once('=') {
                let line = line.trim_matches(['"', '\'']);
                parts.option_line(&[part(value, line)]);
            }
        }
    }
}

/// Returns true if a setting surely names no command.
fn is_harmless_setting(name: &str, text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    let lower = lower.trim_start_matches(['\'', '"', ' ']);
    let mut known = HARMLESS_SETTINGS
        .iter()
        .filter(|(programs, _)| lists(programs, name));
    let begins = |word: &str| {
        known
            .clone()
            .any(|(_, begins)| begins.iter().any(|begin| word.starts_with(begin)))
    };
    if lists("go", name) {
        // The value of `-X` is `NAME=TEXT`.
        let mut words = lower.split_ascii_whitespace();
        return words.all(|word| {
            ["-s", "-w", "-x", "-linkmode=internal"].contains(&word)
                || (word.trim_start_matches("-x=").contains('=')
                    && !word.trim_start_matches("-x=").starts_with('-'))
        });
    }
    if lists("cargo", name) {
        // Without `=` it is a file. A file of a target may name a linker.
        let odd = ["\n", "rustflags", "json", "linker", "runner", "wrapper"];
        return lower.contains('=') && !odd.iter().any(|odd| lower.contains(odd)) && begins(lower);
    }
    if lists("systemd-run", name)
        && let Some(variable) = lower.strip_prefix("environment=")
    {
        let mut parts = Parts::default();
        let at = text.len() - variable.len();
        let variables = text.get(at..).unwrap_or_default();
        for one in variables.split_ascii_whitespace() {
            assignment(&mut parts, &Word::literal(one.trim_matches(['"', '\''])));
        }
        return !parts.hidden && parts.beside.is_empty();
    }
    !lower.contains('\n')
        && known
            .by_ref()
            .any(|(_, begins)| begins.iter().any(|begin| lower.starts_with(begin)))
}

/// Notes what a setting of an OpenSSH client leads to: `KEY=VALUE` or `KEY VALUE`, in quotation marks or not.
fn ssh_setting(parts: &mut Parts, value: &Word) {
    let blank = [' ', '\t', '=', '"', '\'', '\r', '\n'];
    let text = value.text.trim_matches([' ', '\t', '"']);
    let (key, line) = text.split_once([' ', '\t', '=']).unwrap_or((text, ""));
    let key = key.trim_matches(blank).to_ascii_lowercase();
    let line = line.trim_matches(blank);
    if lists(SSH_COMMANDS, &key) {
        if line != "none" {
            parts.option_line(&[part(value, line)]);
        }
    } else {
        // A key that is not known, or that is odd, may be one of those.
        parts.hidden |= !SSH_PLAIN.split_ascii_whitespace().any(|plain| plain == key);
    }
}

/// Returns true if a text for a data base, or the like, has a mark that may begin a command.
pub(super) fn marked(name: &str, text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    MARKS
        .iter()
        .filter(|(programs, _)| lists(programs, name))
        .any(|(_, marks)| marks.iter().any(|mark| lower.contains(mark)))
}

/// The code on the input of a program.
fn input(parts: &mut Parts, name: &str, words: &[Word], raw: &Raw) {
    let is_editor = lists(EDITORS, name);
    if !is_editor && !lists(READERS, name) {
        return;
    }
    let is_client = MARKS.iter().any(|(programs, _)| lists(programs, name));
    // A file that another command writes, or that is a descriptor.
    let own = if is_editor {
        words
    } else {
        words.get(..=file(name, words).unwrap_or(0)).unwrap_or(words)
    };
    parts.hidden |= own.iter().any(|word| word.text != "-" && is_unseen(word));
    let text = raw.input.text.as_ref();
    if text.is_none() && raw.input.from.is_none() {
        return;
    }
    // After the file they read commands from the input.
    let stays = lists("python pypy node nodejs lua luajit", name)
        && own.iter().any(|word| {
            let letters = word.text.strip_prefix('-').unwrap_or_default();
            word.text == "--interactive" || (!letters.starts_with('-') && letters.contains('i'))
        });
    if !is_editor && !stays && names_file(name, words) {
        return;
    }
    parts.hidden |= match text {
        Some(text) if is_client => !text.sure || marked(name, &text.text),
        Some(text) => {
            let is_script =
                option_table::rows().any(|row| row.holds == Holds::Script && is_of(row, name, &[]));
            !(is_script && text.sure && is_harmless(&text.text))
        }
        None => true,
    };
}

/// Returns true if the words name a file with code, so that the input is no code.
fn names_file(name: &str, words: &[Word]) -> bool {
    let is_told = |word: &Word| ["--version", "--help", "-V"].contains(&word.text.as_str());
    let file = file(name, words).and_then(|at| words.get(at));
    file.is_some_and(|word| !is_unseen(word)) || words.first().is_some_and(is_told)
}

/// The place of the file with code, or of what stands for one. What may be the value of an option is none.
fn file(name: &str, words: &[Word]) -> Option<usize> {
    let takes_next = |text: &str| {
        let mut rows = option_table::rows().filter(|row| is_of(row, name, words));
        let last = text.chars().next_back().unwrap_or_default();
        rows.any(|row| {
            let others = row.others.split(' ').next().unwrap_or_default();
            value(row, text) == Some(Place::Next) || others.contains(last)
        })
    };
    let mut at = 0;
    while let Some(word) = words.get(at) {
        let text = word.text.as_str();
        if text == "-" || (text == "-m" && name.contains("py")) || !text.starts_with(['-', '+']) {
            return Some(at);
        }
        let is_long = text.starts_with("--");
        at += 1 + usize::from(if is_long {
            !text.contains('=')
        } else {
            takes_next(text)
        });
    }
    None
}
