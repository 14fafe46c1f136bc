//! Lists the places that a shell line may write: files that it writes to, and words of commands that are not known to read.
//!
//! Must not know: which places matter, who decides.

use std::collections::HashSet;

use super::shell::ShellCall;
use overrule_base::shell_line::{Command, Program, Word};

/// Programs that only read the files that they name.
const READERS: &[&str] = &[
    "[",
    "basename",
    "bat",
    "cat",
    "cd",
    "cmp",
    "cut",
    "df",
    "diff",
    "dirname",
    "du",
    "echo",
    "egrep",
    "false",
    "fgrep",
    "file",
    "grep",
    "head",
    "jq",
    "ls",
    "md5sum",
    "more",
    "nl",
    "od",
    "printf",
    "pwd",
    "readlink",
    "realpath",
    "rg",
    "sha256sum",
    "stat",
    "strings",
    "tail",
    "test",
    "true",
    "wc",
];
/// Subcommands of git that write no file of the work tree.
const GIT_READS: &[&str] = &[
    "add",
    "blame",
    "cat-file",
    "check-ignore",
    "commit",
    "diff",
    "grep",
    "log",
    "ls-files",
    "show",
    "status",
];
/// Programs that put files below a directory that they name.
const PUT: &[&str] = &["cp", "install", "ln", "mv", "unzip"];
/// Programs that enter a directory.
const ENTER: &[&str] = &["cd", "chdir", "pushd"];
/// Directories of a line that are followed.
const MOST_DIRECTORIES: usize = 16;
/// Places of a line that are looked at, with those below a directory that it enters.
const MOST_PLACES: usize = 4096;
/// What ends a name in code, in a setting or in an address.
const ENDS: &[char] = &[
    '\'', '"', '`', '=', ',', ':', ';', '<', '>', '|', '&', '(', ')', '{', '}', '[', ']', '?', '!', '+', '@',
    '#',
];

/// How a line names a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum How {
    /// By a word.
    Word,
    /// By a word that a shell replaces.
    Pattern,
    /// By a part of a word.
    Part,
}

/// Calls `note` with each place that a line may write, each once. Returns false if there
/// are more than were looked at.
pub(super) fn each(shell: &ShellCall, mut note: impl FnMut(&str, How)) -> bool {
    let directories = entered(shell);
    let mut seen = HashSet::new();
    let mut left = MOST_PLACES;
    let mut place = |text: &str, how: How| {
        if text.is_empty() || left == 0 || !seen.insert(text.to_owned()) {
            return;
        }
        left = left.saturating_sub(1 + directories.len());
        note(text, how);
        if !text.starts_with(['/', '~', '-']) {
            for directory in &directories {
                note(&format!("{directory}/{text}"), how);
            }
        }
    };
    let mut writes = false;
    for redirect in shell.redirects().filter(|one| one.writes()) {
        writes = true;
        place(&redirect.target.text, how(&redirect.target));
    }
    for command in shell.each().filter(|command| !is_reader(command)) {
        writes = true;
        let puts = PUT.contains(&name(command));
        for word in command.words.iter().skip(1) {
            names(word, &mut place);
            // What is put there may be any of the files in it.
            if puts && !word.text.starts_with('-') {
                place(&format!("{}/config", word.text.trim_end_matches('/')), how(word));
            }
        }
    }
    if writes {
        let sets = shell.each().flat_map(|command| &command.sets);
        sets.for_each(|word| names(word, &mut place));
    }
    left > 0
}

const fn how(word: &Word) -> How {
    if word.is_sure() { How::Word } else { How::Pattern }
}

/// Calls `place` with a word, and with each part of it that may be a place.
fn names(word: &Word, place: &mut impl FnMut(&str, How)) {
    let (text, how) = (word.text.as_str(), how(word));
    place(text, how);
    if let Some((_, value)) = text.split_once('=') {
        place(value, how);
    }
    // The value of a short option may be in the same word.
    if text.starts_with('-')
        && !text.starts_with("--")
        && let Some((at, _)) = text.char_indices().nth(2)
    {
        place(text.get(at..).unwrap_or_default(), how);
    }
    let parts = text.split(|c: char| c.is_whitespace() || ENDS.contains(&c));
    parts
        .filter(|part| part.len() < text.len())
        .for_each(|part| place(part, How::Part));
}

/// The directories that the commands of a line enter or are told to work in: each, and each below those before.
fn entered(shell: &ShellCall) -> Vec<String> {
    let (mut all, mut below) = (Vec::new(), String::new());
    let mut note = |directory: &str| {
        if all.len() < MOST_DIRECTORIES && !["-", ".", ""].contains(&directory) {
            all.push(directory.to_owned());
            if !below.is_empty() {
                all.push(format!("{below}/{directory}"));
                below.push('/');
            }
            below.push_str(directory);
        }
    };
    for command in shell.each() {
        let words = command.words.get(1..).unwrap_or_default();
        if ENTER.contains(&name(command)) {
            let target = words.iter().find(|word| !word.text.starts_with('-'));
            note(target.map_or("", |word| &word.text));
        }
        for (at, word) in words.iter().enumerate() {
            let next = (word.text == "-C" || word.text == "--chdir" || word.text == "--directory")
                .then(|| words.get(at + 1).map_or("", |word| word.text.as_str()));
            let attached = ["-C", "--chdir=", "--directory="];
            let attached = attached.iter().find_map(|option| word.text.strip_prefix(option));
            note(next.or(attached).unwrap_or_default());
        }
    }
    all
}

/// The file of a setting that a command keeps for later commands, if its program runs what is in it.
pub(super) fn kept_setting(command: &Command) -> Option<&'static str> {
    let mut words = command.words.iter().skip(1).map(|word| word.text.as_str());
    let mut operands = words.by_ref().filter(|word| !word.starts_with('-'));
    let (first, second) = (
        operands.next().unwrap_or_default(),
        operands.next().unwrap_or_default(),
    );
    let sets = first == "set" || ["config", "c"].contains(&first) && ["set", "edit"].contains(&second);
    match name(command) {
        "npm" | "pnpm" if sets => Some(".npmrc"),
        "yarn" if sets => Some(".yarnrc.yml"),
        _ => None,
    }
}

/// The name of the program of a command; empty if it is not known.
fn name(command: &Command) -> &str {
    let name = command.program_name().unwrap_or_default();
    name.rsplit('/').next().unwrap_or_default()
}

fn is_reader(command: &Command) -> bool {
    if command.program == Program::None {
        return true;
    }
    let has = |start: &str| command.words.iter().any(|word| word.text.starts_with(start));
    match name(command) {
        "awk" => !command.words.iter().any(|word| word.text.contains(['>', '|'])),
        "tree" | "less" => !(has("-o") || has("-O") || has("-R") || has("--log-file") || has("--LOG-FILE")),
        "git" => git_word(command).is_some_and(|word| GIT_READS.contains(&word)) && !has("--output"),
        name => READERS.contains(&name),
    }
}

/// The subcommand of git.
fn git_word(command: &Command) -> Option<&str> {
    let mut words = command.words.iter().skip(1).map(|word| word.text.as_str());
    words.find(|word| !word.starts_with('-'))
}
