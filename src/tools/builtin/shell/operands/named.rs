//! Which paths a command names that may run, by its words and a look at what is there: rather too many than too few.
//!
//! It is done at every look at a call, so it is bounded: what was not looked at is said. Must not know: what is in a
//! file.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::shell_words::{self, KEYWORDS, Piece, is_name, pieces, read_again};

/// Directories in which a word may name a file.
const BASES: usize = 16;
/// Words that are looked at.
const WORDS: usize = 8_192;
/// Looks at the directory tree.
const LOOKS: usize = 4_096;
/// Words of which it cannot be told what they name.
const UNTOLD: usize = 16;
/// Lines in words that are followed.
const DEEP: u8 = 4;
/// Programs that run what is in a file that they are given. Digits and dots of a version may follow.
const INTERPRETERS: [&str; 36] = [
    ".", "ash", "awk", "bash", "bun", "busybox", "csh", "dash", "deno", "elixir", "fish", "gawk", "groovy",
    "guile", "java", "julia", "ksh", "lua", "luajit", "mksh", "nawk", "node", "nodejs", "perl", "php",
    "pwsh", "pypy", "python", "ruby", "sed", "sh", "source", "tcsh", "tsx", "xonsh", "zsh",
];
/// Those of them that take their script as a word, and a file of it only behind an option.
const BY_OPTION: [&str; 4] = ["awk", "gawk", "nawk", "sed"];
/// Those of them that read a line and are no shells of the common kind.
const LIKE_SHELLS: [&str; 4] = ["busybox", "csh", "fish", "tcsh"];

/// What was found.
pub(super) struct Named {
    /// Files that may run, in the order in which they are named.
    pub(super) files: Vec<PathBuf>,
    /// Words that name something that may run, which only a shell can tell.
    pub(super) untold: Vec<String>,
    /// True where not everything was looked at.
    pub(super) more: bool,
    root: PathBuf,
    bases: Vec<PathBuf>,
    /// True where a directory was left out of the bases.
    full: bool,
    words: usize,
    looks: usize,
}

/// Where a reading of words stands.
#[derive(Default)]
struct Stand {
    /// The interpreter that has not been given its file.
    interpreter: Option<String>,
    before: String,
}

impl Named {
    pub(super) fn new(root: &Path) -> Self {
        Self {
            files: Vec::new(),
            untold: Vec::new(),
            more: false,
            root: root.to_owned(),
            bases: vec![root.to_owned()],
            full: false,
            words: 0,
            looks: 0,
        }
    }

    /// A line for a shell.
    pub(super) fn line(&mut self, line: &str) {
        let mut stand = Stand::default();
        for word in shreds(line) {
            self.word(&mut stand, &word, false);
        }
        self.pieces(pieces(line), 0);
    }

    /// A program with its words.
    pub(super) fn program(&mut self, words: &[String]) {
        let word = |text: &String| Piece::Word {
            text: text.clone(),
            odd: false,
        };
        self.pieces(words.iter().map(word), 0);
    }

    fn pieces(&mut self, pieces: impl IntoIterator<Item = Piece>, deep: u8) {
        // The same words in the same order: what one reading found is no directory for the next.
        self.bases = vec![self.root.clone()];
        self.full = false;
        let mut stand = Stand::default();
        let mut begins = true;
        let mut command = Vec::new();
        for piece in pieces {
            if self.more && self.words >= WORDS {
                return;
            }
            let Piece::Word { text, odd } = piece else {
                self.again(&std::mem::take(&mut command), deep);
                begins = true;
                // It runs into the next command only where no shell ends it: files are looked for there by the
                // other reading.
                stand = Stand::default();
                continue;
            };
            let sets = text.split_once('=').is_some_and(|(name, _)| is_name(name));
            let first = begins && !sets && !KEYWORDS.contains(&text.as_str());
            begins &= !first;
            let runs =
                stand.takes(&text) || (first && (text.starts_with('~') || text.contains(['/', '$', '`'])));
            if odd && runs {
                self.cannot_tell(&text);
            }
            let shell = stand
                .interpreter
                .as_deref()
                .is_some_and(|name| shell_words::SHELLS.contains(&name) || LIKE_SHELLS.contains(&name));
            let within = shell && text.contains(|c: char| c.is_whitespace() || ";&|".contains(c));
            self.word(&mut stand, &text, first);
            if within {
                self.within(&text, deep);
            }
            command.push(text);
        }
        self.again(&command, deep);
    }

    /// What the words of a command have read anew.
    fn again(&mut self, words: &[String], deep: u8) {
        let (found, far) = read_again(words);
        self.more |= far;
        for one in found {
            self.within(&one.line, deep);
        }
    }

    /// A line in the words of a command.
    fn within(&mut self, line: &str, deep: u8) {
        if deep == DEEP {
            self.more = true;
            return;
        }
        let (bases, full) = (self.bases.clone(), self.full);
        let mut stand = Stand::default();
        for word in shreds(line) {
            self.word(&mut stand, &word, false);
        }
        self.pieces(pieces(line), deep + 1);
        (self.bases, self.full) = (bases, full);
    }

    fn cannot_tell(&mut self, word: &str) {
        if self.untold.iter().any(|one| one == word) {
            return;
        }
        if self.untold.len() == UNTOLD {
            self.more = true;
        } else {
            self.untold.push(word.to_owned());
        }
    }

    /// Looks for the files that a word names; `first` where it is the program of a command.
    fn word(&mut self, stand: &mut Stand, word: &str, first: bool) {
        if self.words == WORDS {
            self.more = true;
            return;
        }
        self.words += 1;
        let interpreter = interpreter(word);
        let mut hit = false;
        // An interpreter of the system is known; one that is named by a place in the workspace is a file of it.
        if interpreter.is_none() || (word.contains('/') && !word.starts_with('/')) {
            let reads = stand.interpreter.is_some() && interpreter.is_none();
            for part in parts(word) {
                hit |= self.look(part, reads, first);
            }
        }
        if interpreter.is_some() {
            stand.interpreter = interpreter;
        } else if hit && !stand.before.starts_with('-') {
            // What follows an option may be its value; the next one is the script.
            stand.interpreter = None;
        }
        word.clone_into(&mut stand.before);
    }

    /// Takes the files of this name in all directories in which it may be meant.
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

    /// A directory that is named may be where what follows runs: `cd x`, `env -C x`, `--chdir=x`.
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

impl Stand {
    /// Whether an interpreter may take this word as a file that it runs.
    fn takes(&self, word: &str) -> bool {
        let Some(interpreter) = &self.interpreter else {
            return false;
        };
        let option = |word: &str| word.starts_with('-') && word.contains(['f', 'E']);
        !BY_OPTION.contains(&interpreter.as_str()) || option(&self.before) || option(word)
    }
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

/// The words cut at every sign that may end one, and what stands between quotation marks as a word as a whole.
fn shreds(line: &str) -> Vec<String> {
    let mut found: Vec<String> = line
        .split(|c: char| c.is_whitespace() || ";&|()<>`$={}'\"\\".contains(c))
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect();
    for mark in ['"', '\''] {
        let quoted = line.split(mark).skip(1).step_by(2);
        found.extend(
            quoted
                .filter(|part| part.contains(char::is_whitespace))
                .map(str::to_owned),
        );
    }
    found
}

/// The interpreter that a word names, without its version.
fn interpreter(word: &str) -> Option<String> {
    let name = word.rsplit('/').next().unwrap_or(word);
    let bare = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
    let known = |name: &str| INTERPRETERS.contains(&name).then(|| name.to_owned());
    known(name).or_else(|| known(bare))
}
