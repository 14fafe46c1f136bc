//! Lists the paths of a command that may run, from its words and the file system.
//!
//! Must not know: what is in a file.
//!
//! It lists a path too many rather than one too few. It runs each time a call is shown, so its work is
//! bounded. It reports what it did not check.

mod tables;

use std::ffi::OsStr;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use self::tables::{
    BASES, BY_INPUT, BY_MODULE, BY_OPTION, IMPLIED, INPUT, INTERPRETERS, LOADED, LOOKS, RUNNERS, SEARCH_PATH,
    UNTOLD, WORDS,
};
use overrule_base::shell_line::{Command, Reading, Word};

/// What was found.
pub(super) struct NamedFiles {
    /// Files that may run, in the order in which they are named.
    pub(super) files: Vec<PathBuf>,
    /// Words that may name a file to run, which only a shell can resolve.
    pub(super) untold: Vec<String>,
    /// True if not everything was checked.
    pub(super) more: bool,
    /// Programs of the commands that run files of their users.
    runners: Vec<String>,
    bases: Vec<PathBuf>,
    /// The directories of the workspace in which a program is found by its name; the relative ones belong to each base.
    programs: Vec<PathBuf>,
    /// True if a directory was left out of the bases.
    full: bool,
    words: usize,
    looks: usize,
}

/// The state while words are read.
#[derive(Default)]
struct ParseState {
    /// The interpreter that has not been given its file.
    interpreter: Option<String>,
    before: String,
}

impl NamedFiles {
    /// Looks in a directory, and for programs in those of the search path that are in the workspace.
    pub(super) fn new(root: &Path, workspace: &Path, search_path: &OsStr) -> Self {
        let real = workspace.canonicalize().unwrap_or_else(|_| workspace.to_owned());
        let is_inside = |place: &PathBuf| {
            let is_real = || place.canonicalize().is_ok_and(|place| place.starts_with(&real));
            !place.is_absolute() || place.starts_with(workspace) || is_real()
        };
        Self {
            files: Vec::new(),
            untold: Vec::new(),
            more: false,
            runners: Vec::new(),
            bases: vec![root.to_owned()],
            programs: std::env::split_paths(search_path).filter(is_inside).collect(),
            full: false,
            words: 0,
            looks: 0,
        }
    }

    /// Finds the files that the commands name.
    pub(super) fn read(&mut self, reading: &Reading) {
        self.more |= reading.unread;
        let programs = reading.commands.iter().filter_map(Command::program_name);
        let runners = programs.map(base_name).filter(|name| RUNNERS.contains(name));
        self.runners.extend(runners.map(str::to_owned));
        for word in reading
            .commands
            .iter()
            .flat_map(|one| one.sets.iter().chain(&one.words))
        {
            if let Some((SEARCH_PATH, value)) = word.text.split_once('=') {
                self.programs.extend(std::env::split_paths(value));
            }
        }
        let mut is_input = false;
        for command in reading.written() {
            let known = self.files.len();
            self.command(command, None);
            is_input |= is_fed(command) && self.files.len() == known;
            if self.more && self.words >= WORDS {
                return;
            }
        }
        if is_input {
            // The output of a pipe may be the content of any file that the line names.
            for command in reading.written() {
                self.command(command, Some(INPUT));
            }
        }
        for command in &reading.commands {
            self.program(command);
        }
    }

    /// Adds the program of a command that has no path: from the search path, and for one inside of another command, from
    /// the directory (`uv run x.py`).
    fn program(&mut self, command: &Command) {
        let Some(name) = command.program_name().filter(|name| !name.contains('/')) else {
            return;
        };
        let mut places = self.programs.clone();
        places.extend(command.is_started().then(PathBuf::new));
        for base in self.bases.clone() {
            for place in &places {
                let file = base.join(place).join(name);
                let is_program = self.stat(&file).is_some_and(|about| about.is_file());
                if is_program && !self.files.contains(&file) {
                    self.files.push(file);
                }
            }
        }
    }

    /// Finds the files of a command, as those of an interpreter if one is given.
    fn command(&mut self, command: &Command, interpreter: Option<&str>) {
        let mut status = ParseState {
            interpreter: interpreter.map(str::to_owned),
            ..ParseState::default()
        };
        for word in &command.sets {
            self.one(&mut status, word, false);
        }
        for (at, word) in command.words.iter().enumerate() {
            self.one(&mut status, word, at == 0);
            if let Some(interpreter) = interpreter {
                status.interpreter = Some(interpreter.to_owned());
            }
        }
        for redirect in &command.redirects {
            self.one(&mut status, &redirect.target, false);
        }
    }

    fn one(&mut self, status: &mut ParseState, word: &Word, first: bool) {
        let text = word.text.as_str();
        let runs = status.takes(text) || (first && (text.starts_with('~') || text.contains(['/', '$', '`'])));
        if word.is_odd() && runs && self.words < WORDS {
            self.push_unresolved(text);
        }
        self.visit_word(status, text, first);
    }

    fn push_unresolved(&mut self, word: &str) {
        if self.untold.iter().any(|one| one == word) {
            return;
        }
        if self.untold.len() == UNTOLD {
            self.more = true;
        } else {
            self.untold.push(word.to_owned());
        }
    }

    /// Finds the files that a word names; `first` if it is the program of a command.
    fn visit_word(&mut self, status: &mut ParseState, word: &str, first: bool) {
        if self.words == WORDS {
            self.more = true;
            return;
        }
        self.words += 1;
        let interpreter = interpreter(word).or_else(|| self.runner(word));
        let mut hit = false;
        // An interpreter of the system is known; one with a path in the workspace is a file of it.
        if interpreter.is_none() || (word.contains('/') && !word.starts_with('/')) {
            let reads = status.interpreter.is_some() && interpreter.is_none();
            for part in parts(word) {
                hit |= self.look(part, reads, first);
            }
            for part in loaded(word) {
                self.look(part, true, false);
            }
            if status.names_module(word) {
                hit |= self.module(word);
            } else if !hit && !word.starts_with('-') {
                hit |= self.implied(status.interpreter.as_deref().unwrap_or_default(), word);
            }
        }
        if interpreter.is_some() {
            status.interpreter = interpreter;
        } else if hit && !status.before.starts_with('-') {
            // What follows an option may be its value; the next one is the script.
            status.interpreter = None;
        }
        word.clone_into(&mut status.before);
    }

    /// The runner that a word names, if a command has it as its program.
    fn runner(&self, word: &str) -> Option<String> {
        let name = base_name(word);
        self.runners
            .iter()
            .any(|own| own == name)
            .then(|| name.to_owned())
    }

    /// Adds the files of a module of Python: `a.b` is `a/b.py`, or a package with files of its own.
    fn module(&mut self, word: &str) -> bool {
        let name = word.strip_prefix("-m").unwrap_or(word);
        let path = name.replace('.', "/");
        let mut hit = false;
        for (at, _) in path.match_indices('/') {
            let package = path.get(..at).unwrap_or_default();
            self.look(&format!("{package}/__init__.py"), true, false);
        }
        for end in [".py", "/__init__.py", "/__main__.py"] {
            hit |= self.look(&format!("{path}{end}"), true, false);
        }
        hit
    }

    /// Adds the files that an interpreter takes for the name of a directory, or for one without its ending.
    fn implied(&mut self, interpreter: &str, word: &str) -> bool {
        let word = word.trim_end_matches('/');
        let own = IMPLIED.iter().filter(|(of, _)| of.contains(&interpreter));
        let mut hit = false;
        for end in own.flat_map(|(_, ends)| *ends) {
            hit |= self.look(&format!("{word}{end}"), true, false);
        }
        hit
    }

    /// Adds the files of this name in all base directories.
    fn look(&mut self, name: &str, reads: bool, first: bool) -> bool {
        let slash = name.contains('/');
        if self.full && (reads || slash) {
            self.more = true;
        }
        let mut hit = false;
        for base in self.bases.clone() {
            let place = base.join(name);
            let Some(about) = self.stat(&place) else { continue };
            if about.is_dir() {
                self.base(place);
            } else if about.is_file() && (reads || (slash && (first || about.mode() & 0o111 != 0))) {
                hit = true;
                if !self.files.contains(&place) {
                    self.files.push(place);
                }
            }
        }
        hit
    }

    fn stat(&mut self, place: &Path) -> Option<Metadata> {
        if self.looks == LOOKS {
            self.more = true;
            return None;
        }
        self.looks += 1;
        place.metadata().ok()
    }

    /// Adds a named directory as a base of the following words: `cd x`, `env -C x`, `--chdir=x`.
    fn base(&mut self, place: PathBuf) {
        let place: PathBuf = place.components().collect();
        if self.bases.contains(&place) {
            return;
        }
        if self.bases.len() == BASES {
            self.full = true;
        } else {
            self.bases.push(place);
        }
    }
}

impl ParseState {
    /// True if this word names a module that the interpreter runs.
    fn names_module(&self, word: &str) -> bool {
        let is_by_module = self
            .interpreter
            .as_deref()
            .is_some_and(|name| BY_MODULE.contains(&name));
        let attached = || word.starts_with("-m") && word.len() > 2;
        is_by_module && (is_module_option(&self.before) || attached())
    }

    /// True if an interpreter may run this word as a file.
    fn takes(&self, word: &str) -> bool {
        let Some(interpreter) = &self.interpreter else {
            return false;
        };
        let option = |word: &str| word.starts_with('-') && word.contains(['f', 'E']);
        !BY_OPTION.contains(&interpreter.as_str()) || option(&self.before) || option(word)
    }
}

/// True for an interpreter that gets what it runs from a pipe.
fn is_fed(command: &Command) -> bool {
    let is_piped = matches!(command.after, "|" | "|&");
    let program = command.program_name().and_then(interpreter);
    is_piped && program.is_some_and(|name| BY_INPUT.contains(&name.as_str()))
}

/// True for `-m`, alone or as the last of several options in one word (`-um`).
fn is_module_option(word: &str) -> bool {
    let letters = word.strip_prefix('-').unwrap_or_default();
    letters.ends_with('m') && letters.bytes().all(|byte| byte.is_ascii_alphabetic())
}

/// The files in the value of a variable that a program loads.
fn loaded(word: &str) -> impl Iterator<Item = &str> {
    let value = word.split_once('=').filter(|(name, _)| LOADED.contains(name));
    let value = value.map_or("", |(_, value)| value);
    let each = value.split([':', ' ', '=', ',']);
    let of_option = |part: &'_ str| part.strip_prefix("-r").is_some_and(|rest| !rest.is_empty());
    each.filter(|part| !part.is_empty()).map(move |part| {
        if of_option(part) {
            part.get(2..).unwrap_or(part)
        } else {
            part
        }
    })
}

/// The parts of a word that may name a file: all of it, and the value of an option or of a variable.
fn parts(word: &str) -> impl Iterator<Item = &str> {
    let value = word.split_once('=').map(|(_, value)| value);
    let attached = word
        .strip_prefix('-')
        .filter(|rest| !rest.starts_with('-'))
        .and_then(|rest| rest.get(1..));
    let whole = std::iter::once(word);
    whole.chain(value).chain(attached).filter(|part| !part.is_empty())
}

fn base_name(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}

/// The interpreter that a word names, without its version.
fn interpreter(word: &str) -> Option<String> {
    let name = base_name(word);
    let bare = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
    let known = |name: &str| INTERPRETERS.contains(&name).then(|| name.to_owned());
    known(name).or_else(|| known(bare))
}
