//! One command of a line, and the forms that rules match.
//!
//! Must not know: how it was read.

use super::word::{Word, quote};

/// What a command runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Program {
    /// The first word, as the name of a program.
    Named(String),
    /// A variable, a substitution or a pattern names it.
    Unknown,
    /// It only sets variables or redirects.
    None,
}

/// Files whose content a command neither keeps nor replaces.
pub const HARMLESS: [&str; 4] = ["/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr"];

/// A redirection of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redirect {
    /// The sign as written, with the number before it.
    pub sign: String,
    /// The file, or the number of a descriptor.
    pub target: Word,
}

impl Redirect {
    /// True if it replaces the content of a file.
    pub fn replaces(&self) -> bool {
        self.writes() && !self.sign.contains(">>")
    }

    /// True if it may change a file.
    pub fn writes(&self) -> bool {
        let sign = self.sign.trim_start_matches(|c: char| c.is_ascii_digit());
        let copies = sign.ends_with('&') && self.target.text.bytes().all(|b| b.is_ascii_digit() || b == b'-');
        sign.contains('>') && !copies && !HARMLESS.contains(&self.target.text.as_str())
    }
}

/// One command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    /// The sign before it (`&&`, `|`, `;`, `(`; `-c` for one of a line in a command); empty for the first.
    pub after: &'static str,
    /// The command as written, without surrounding blanks.
    pub text: String,
    /// What it runs.
    pub program: Program,
    /// False for what repeats a part of another command: the command inside a wrapper, or a wrapper of a whole line.
    pub listed: bool,
    /// Variables that are set for it.
    pub sets: Vec<Word>,
    /// The program and its arguments.
    pub words: Vec<Word>,
    /// Its redirections.
    pub redirects: Vec<Redirect>,
    /// What it reads, where the line holds the text.
    pub input: Option<String>,
    /// The text in which it may run commands that cannot be read: the command, and what it reads.
    pub hidden: Option<String>,
    /// The command that it is a part of.
    pub(super) parent: Option<usize>,
    /// What it is to that command.
    pub(super) role: Role,
}

/// What a command is to the one that it is a part of.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Role {
    /// One of a line that is all that the other runs (`sh -c LINE`), or none of another.
    #[default]
    Line,
    /// The command inside a wrapper (`env CMD`).
    Wrapped,
    /// One that an option or a variable names, and that runs in addition (`git grep -OCMD`).
    Beside,
}

impl Command {
    /// The program that it names, as written.
    pub fn program_name(&self) -> Option<&str> {
        match &self.program {
            Program::Named(name) => Some(name),
            Program::Unknown | Program::None => None,
        }
    }

    /// True for a command that another one starts: inside of a wrapper, or named by an option or a variable.
    pub fn is_started(&self) -> bool {
        self.role != Role::Line
    }

    /// True if an option or a variable of another command names it.
    pub fn is_beside(&self) -> bool {
        self.role == Role::Beside
    }

    /// True if a shell finds more in it than the visible words.
    pub fn is_more(&self) -> bool {
        self.text
            .contains(|c: char| c.is_control() || "$`<>(){}!#\\*?[]~".contains(c))
    }

    /// True for commands that change nothing outside the shell: `cd`, `true`, `:`, variables that are set.
    pub fn is_idle(&self) -> bool {
        let idle = match self.words.first() {
            None => true,
            Some(word) => word.is_sure() && ["cd", "true", ":"].contains(&word.text.as_str()),
        };
        idle && !self.redirects.iter().any(Redirect::writes)
    }

    /// Calls `test` with each form of the command until it returns true: as written, then with blanks, quotes,
    /// assignments, redirections and the path before the program removed.
    pub fn any_form(&self, mut test: impl FnMut(&str) -> bool) -> bool {
        if test(&self.text) {
            return true;
        }
        let mut starts = vec![0];
        if !self.sets.is_empty() && !self.words.is_empty() {
            starts.push(self.sets.len());
        }
        let whole: Vec<&Word> = self.sets.iter().chain(&self.words).collect();
        starts.into_iter().any(|start| {
            let words = whole.get(start..).unwrap_or_default();
            let program = self.sets.len() - start;
            [Spelling::Bare, Spelling::Raw, Spelling::Quoted]
                .into_iter()
                .any(|spelling| self.any_spelling(words, program, spelling, &mut test))
        })
    }

    fn any_spelling(
        &self,
        words: &[&Word],
        program: usize,
        spelling: Spelling,
        test: &mut impl FnMut(&str) -> bool,
    ) -> bool {
        let mut spelled: Vec<String> = words.iter().map(|word| spelling.of(word)).collect();
        let differs = spelling == Spelling::Bare
            || words
                .iter()
                .zip(&spelled)
                .any(|(word, spelled)| word.text != *spelled);
        if !differs {
            return false;
        }
        for base in [false, true] {
            if base {
                let Some(name) = spelled.get_mut(program) else {
                    break;
                };
                let Some((_, last)) = name.rsplit_once('/') else {
                    break;
                };
                *name = last.trim_end_matches(['\'', '"']).to_owned();
            }
            let text = spelled.join(" ");
            if test(&text) {
                return true;
            }
            if self.redirects.is_empty() {
                continue;
            }
            for blank in [" ", ""] {
                let mut text = text.clone();
                for one in &self.redirects {
                    text.push_str(if text.is_empty() { "" } else { " " });
                    text.push_str(&one.sign);
                    text.push_str(blank);
                    text.push_str(&spelling.of(&one.target));
                }
                if test(&text) {
                    return true;
                }
            }
        }
        false
    }
}

/// How words are written in a form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Spelling {
    Bare,
    Raw,
    Quoted,
}

impl Spelling {
    fn of(self, word: &Word) -> String {
        match self {
            Self::Bare => word.text.clone(),
            Self::Raw => word.raw.clone().unwrap_or_else(|| word.text.clone()),
            Self::Quoted => quote(&word.text),
        }
    }
}
