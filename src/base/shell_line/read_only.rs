//! Finds out whether all commands of a line only read, and which places they read.
//!
//! Must not know: where files are, rules.
//!
//! Everything has to be known: a program, an option or a word that is not makes the answer no.

use super::command::{Command, Redirect};
use super::reading::Reading;
use super::word::Word;
use super::wrappers::is_shell;

mod find;
mod git_table;
mod loses_nothing;
mod sed;
mod table;

use git_table::{GIT_COMMITS, GIT_DIFF};
use table::{Operands, Row};

/// Programs that read nothing: alone they make no line that reads.
const IDLE: [&str; 5] = ["echo", "false", "printf", "seq", "true"];

/// A command that only reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadOnlyCommand {
    /// The sign before it, as in [`Command::after`].
    pub after: &'static str,
    /// The program, as written.
    pub program: String,
    /// The places that it reads, relative to the directory in which it runs.
    pub places: Vec<ReadPlace>,
    /// True if it reads everything below its places, or may.
    pub walks: bool,
    /// True if it is a command of git: the settings of the repository may name programs.
    pub is_git: bool,
    /// True if it changes the directory to its place.
    pub enters: bool,
    /// True for one that a rule names, which may do more than read.
    pub is_named: bool,
    /// True for a command of git that changes the repository and loses nothing. Hooks of the repository may run.
    pub changes_repository: bool,
}

/// A place that a command reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadPlace {
    /// The path as written.
    pub path: String,
    /// True if its last part is a pattern, which a shell replaces by the names that fit.
    pub is_pattern: bool,
}

/// Returns the commands of a line if all of them only read; none if one may do more, or is not known.
pub fn read_only(reading: &Reading) -> Option<Vec<ReadOnlyCommand>> {
    read_only_but(reading, |_| false)
}

/// Returns the commands of a line if all of them only read, but for those that a rule names; none if another one may do
/// more, or is not known. A named one must write to no file by a redirection and read no text of the line.
pub fn read_only_but(reading: &Reading, is_named: impl Fn(&Command) -> bool) -> Option<Vec<ReadOnlyCommand>> {
    each_known(reading, is_named, false)
}

/// Returns the commands of a line if each only reads, or is a command of git that changes the repository and loses nothing;
/// none if one may do more, is not known, or if all only read.
pub fn loses_nothing(reading: &Reading) -> Option<Vec<ReadOnlyCommand>> {
    let found = each_known(reading, |_| false, true)?;
    found.iter().any(|one| one.changes_repository).then_some(found)
}

fn each_known(
    reading: &Reading,
    is_named: impl Fn(&Command) -> bool,
    may_change: bool,
) -> Option<Vec<ReadOnlyCommand>> {
    if reading.uncertainty.is_some() || reading.commands.is_empty() {
        return None;
    }
    if !reading.redirects.iter().all(is_harmless) {
        return None;
    }
    let mut found = Vec::new();
    let mut named = vec![false; reading.commands.len()];
    for (at, command) in reading.commands.iter().enumerate() {
        // What is inside a wrapper is a part of the words that name it.
        let is_part = command.is_started()
            && !command.is_beside()
            && command.parent.and_then(|parent| named.get(parent)) == Some(&true);
        let is_its = is_part || is_named(command);
        if let Some(slot) = named.get_mut(at) {
            *slot = is_its;
        }
        if is_part || is_line_of_shell(command) || is_redirect_only(command) {
            continue;
        }
        found.push(if is_its {
            of_named(command)?
        } else {
            of_command(command, may_change)?
        });
    }
    // What reads nothing is not made to be allowed.
    let reads =
        |one: &ReadOnlyCommand| one.is_named || (!IDLE.contains(&base_name(&one.program)) && !one.enters);
    found.iter().any(reads).then_some(found)
}

/// True for `sh -c LINE`, whose line is in the reading, too.
fn is_line_of_shell(command: &Command) -> bool {
    let words: Vec<&str> = command.words.iter().map(|word| word.text.as_str()).collect();
    let [shell, flag, _] = words.as_slice() else {
        return false;
    };
    let is_plain = command.sets.is_empty() && command.redirects.is_empty() && command.input.is_none();
    !command.listed && is_plain && is_shell(base_name(shell)) && ["-c", "-lc", "-cl"].contains(flag)
}

/// True where nothing runs and no file changes: for some shells the end of `ls &> /dev/null` is such a command.
fn is_redirect_only(command: &Command) -> bool {
    command.words.is_empty() && command.sets.is_empty() && command.redirects.iter().all(is_harmless)
}

/// True for a command as it is written, without variables and redirections that do something.
fn is_plain(command: &Command) -> bool {
    // A here-document may hold variables.
    let has_document = command.input.is_some() && command.text.contains("<<");
    let is_bare = command.sets.is_empty() && command.listed && command.hidden.is_none();
    is_bare && !has_document && command.redirects.iter().all(is_harmless)
}

/// A command that a rule names.
fn of_named(command: &Command) -> Option<ReadOnlyCommand> {
    let program = command.words.first().filter(|_| is_plain(command))?;
    Some(ReadOnlyCommand {
        after: command.after,
        program: program.text.clone(),
        places: Vec::new(),
        walks: false,
        is_git: false,
        enters: false,
        is_named: true,
        changes_repository: false,
    })
}

fn of_command(command: &Command, may_change: bool) -> Option<ReadOnlyCommand> {
    if !is_plain(command) || !command.words.iter().all(is_known) {
        return None;
    }
    let (program, words) = command.words.split_first()?;
    let name = base_name(&program.text);
    let mut found = ReadOnlyCommand {
        after: command.after,
        program: program.text.clone(),
        places: Vec::new(),
        walks: false,
        is_git: name == "git",
        enters: false,
        is_named: false,
        changes_repository: false,
    };
    match name {
        "cd" => {
            let [place] = words else {
                return None;
            };
            let is_named = !place.pattern && !place.text.starts_with('-') && !place.text.is_empty();
            found.enters = is_named;
            found.places.push(read_place(place)?);
            return is_named.then_some(found);
        }
        "find" | "gfind" => {
            found.walks = true;
            found.places = find::places(words)?;
        }
        "sed" | "gsed" => found.places = sed::places(words)?,
        "git" => of_git(words, &mut found, may_change)?,
        _ => of_row(row_of(name)?, words, &mut found)?,
    }
    Some(found)
}

/// True for a redirection that reads and writes no file.
fn is_harmless(redirect: &Redirect) -> bool {
    let sign = redirect.sign.trim_start_matches(|c: char| c.is_ascii_digit());
    let target = redirect.target.text.as_str();
    let is_number = !target.is_empty() && target.bytes().all(|byte| byte.is_ascii_digit());
    match sign {
        ">&" | "<&" => is_number,
        ">" | ">>" | "&>" | "&>>" | "<" => redirect.target.is_sure() && target == "/dev/null",
        _ => false,
    }
}

/// True if it is known what a word is, or at least what it begins with: not with a dash, or with the whole name of a long
/// option.
fn is_known(word: &Word) -> bool {
    let starts_known = || !word.text.starts_with(['-', '*', '?', '[', '{']);
    let is_name_pattern = || !word.text.contains(['{', '(', '!']) && starts_known();
    !word.unknown && !word.home && (!word.pattern || is_name_pattern() || is_value_pattern(word))
}

/// True for `--NAME=PATTERN`: whatever a shell makes of it, it is that option.
fn is_value_pattern(word: &Word) -> bool {
    let long = word.text.strip_prefix("--").and_then(|long| long.split_once('='));
    let is_name = |name: &str| {
        let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
        !name.is_empty() && name.bytes().all(is_letter)
    };
    long.is_some_and(|(name, value)| is_name(name) && !value.contains(['(', '!']))
}

/// A place; none where a pattern stands before its last part.
fn read_place(word: &Word) -> Option<ReadPlace> {
    let (directory, _) = word.text.rsplit_once('/').unwrap_or(("", ""));
    let is_deep = word.pattern && directory.contains(['*', '?', '[']);
    (!is_deep).then(|| ReadPlace {
        path: word.text.clone(),
        is_pattern: word.pattern,
    })
}

fn here() -> ReadPlace {
    ReadPlace {
        path: ".".to_owned(),
        is_pattern: false,
    }
}

fn row_of(name: &str) -> Option<&'static Row> {
    let mut rows = table::ROWS.iter().chain(git_table::ROWS);
    rows.find(|row| row.programs.split(' ').any(|one| one == name))
}

/// Reads the words of git: its own options, the subcommand and its words.
fn of_git(words: &[Word], found: &mut ReadOnlyCommand, may_change: bool) -> Option<()> {
    let mut rest = words;
    loop {
        let (first, after) = rest.split_first()?;
        match first.text.as_str() {
            "--no-pager" | "-P" | "--no-optional-locks" | "--literal-pathspecs" => rest = after,
            name => {
                rest = after;
                // A format that checks signatures runs a program.
                let signs = rest.iter().any(|word| word.text.contains("%G"));
                let row = row_of(&format!("git/{name}")).filter(|_| !signs);
                let mut reads = found.clone();
                reads.walks = true;
                if row.is_some_and(|row| of_row(row, rest, &mut reads).is_some()) {
                    *found = reads;
                    return Some(());
                }
                let (row, rest) = loses_nothing::row_of(name, rest).filter(|_| may_change)?;
                found.changes_repository = true;
                return of_row(row, rest, found);
            }
        }
    }
}

/// Holds the words of a command against its row, and takes its places.
fn of_row(row: &Row, words: &[Word], found: &mut ReadOnlyCommand) -> Option<()> {
    if row.programs == "echo" {
        return Some(());
    }
    let mut operands: Vec<&Word> = Vec::new();
    let mut has_pattern = false;
    let mut is_option = true;
    let mut each = words.iter();
    while let Some(word) = each.next() {
        let text = word.text.as_str();
        if !is_option || !text.starts_with('-') || text == "-" {
            operands.push(word);
            continue;
        }
        if text == "--" {
            is_option = false;
            continue;
        }
        let takes_next = if let Some(long) = text.strip_prefix("--") {
            has_pattern |= long.starts_with("regexp") || long == "files";
            long_option(row, long)?
        } else {
            let (next, option) = short_options(row, text.get(1..)?)?;
            has_pattern |= option == Some('e');
            next
        };
        if takes_next && each.next().is_none() && !is_value_optional(text) {
            return None;
        }
    }
    found.walks |= walks(row, words);
    take(row, &operands, has_pattern, found)
}

/// True for options of git that take the last commit if no value follows.
fn is_value_optional(option: &str) -> bool {
    [
        "--contains",
        "--no-contains",
        "--merged",
        "--no-merged",
        "--points-at",
    ]
    .contains(&option)
}

/// True if the program reads what is below its places.
fn walks(row: &Row, words: &[Word]) -> bool {
    let has = |short: char, long: &str| {
        words.iter().any(|word| {
            let text = word.text.as_str();
            text == long || (text.starts_with('-') && !text.starts_with("--") && text.contains(short))
        })
    };
    match row.programs {
        "rg" | "tree" => true,
        "grep egrep fgrep" | "diff" => has('r', "--recursive"),
        "ls dir vdir" => has('R', "--recursive"),
        name => name.starts_with("du"),
    }
}

/// Takes the places of a command from its operands.
fn take(row: &Row, operands: &[&Word], has_pattern: bool, found: &mut ReadOnlyCommand) -> Option<()> {
    let (text, places) = match row.operands {
        Operands::None | Operands::Text | Operands::Format => (operands.len(), 0),
        Operands::TextThenPlaces | Operands::TextThenTree if !has_pattern => {
            (1, operands.len().saturating_sub(1))
        }
        _ => (0, operands.len()),
    };
    match row.operands {
        Operands::None if !operands.is_empty() => return None,
        Operands::Format if !operands.iter().all(|word| word.text.starts_with('+')) => return None,
        Operands::Place if places > 1 => return None,
        _ => {}
    }
    let has_env = |word: &&Word| {
        ["env", "ENV", "import", "include", "input_"]
            .iter()
            .any(|one| word.text.contains(one))
    };
    if row.programs == "jq" && operands.iter().take(1).any(has_env) {
        return None;
    }
    for word in operands.iter().skip(text) {
        if !["-", "/dev/null"].contains(&word.text.as_str()) {
            found.places.push(read_place(word)?);
        }
    }
    let reads_here = matches!(row.operands, Operands::Tree | Operands::TextThenTree)
        || (matches!(row.operands, Operands::TextThenPlaces) && found.walks);
    if places == 0 && reads_here {
        found.places.push(here());
    }
    // The repository of a command of git is where it runs.
    if found.is_git {
        found.places.push(here());
    }
    Some(())
}

/// Returns whether a long option takes the next word; nothing for one that is not in the row.
fn long_option(row: &Row, option: &str) -> Option<bool> {
    let (name, value) = match option.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (option, None),
    };
    let mut known = row.long.split_whitespace().flat_map(|one| {
        let shared = match one {
            "@diff" => GIT_DIFF,
            "@commits" => GIT_COMMITS,
            own => own,
        };
        shared.split_whitespace()
    });
    let found = known.find(|one| one.trim_end_matches('=') == name)?;
    Some(found.ends_with('=') && value.is_none())
}

/// Returns whether a cluster of short options takes the next word, and the option with a value that it ends with; nothing
/// if one is not in the row.
fn short_options(row: &Row, cluster: &str) -> Option<(bool, Option<char>)> {
    let takes_number = row.flags.contains('#');
    for (at, option) in cluster.char_indices() {
        if row.valued.contains(option) {
            let is_last = at + option.len_utf8() == cluster.len();
            return Some((is_last, Some(option)));
        }
        let is_number = takes_number && option.is_ascii_digit();
        if option == '#' || !(is_number || row.flags.contains(option)) {
            return None;
        }
    }
    Some((false, None))
}

fn base_name(program: &str) -> &str {
    let in_system = ["/bin/", "/usr/bin/"]
        .iter()
        .find_map(|place| program.strip_prefix(place));
    in_system.unwrap_or(program)
}

#[cfg(test)]
mod tests;
