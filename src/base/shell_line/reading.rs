//! Lists what a line, or a program with its words, runs as a flat list of commands.
//!
//! Must not know: rules.

use super::becomes::{Variables, becomes_option};
use super::command::{Command, Program, Redirect, Role};
use super::grammar::{Raw, raw_commands};
use super::unwrap::{Inner, inner};
use super::variables::is_listed;
use super::word::{Word, quote};

/// Maximum number of commands of a line; above it the reading is uncertain.
pub const MOST: usize = 64;
/// Maximum number of commands that are read, with those inside wrappers.
const ALL: usize = 512;
/// Lines in lines, and wrappers in wrappers, that are followed.
const DEEP: u8 = 12;
/// Maximum total length of lines in lines, in bytes beyond the length of the first.
const INNER: usize = 1 << 20;

/// Why a line may run other programs than those that are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Uncertainty {
    /// A variable, a substitution or a pattern decides which program runs, perhaps as an option of another one.
    Program,
    /// A shell reads commands that are not in the line.
    Input,
    /// A part is not understood, or shells differ about it.
    Syntax,
    /// There are more commands than are followed.
    TooMany,
    /// The call names a shell, or sets variables for it.
    Surroundings,
    /// A program that runs already reads the line.
    Typed,
    /// An option, a variable or the code of another language may run commands.
    Hidden,
    /// A program runs the commands, and may run others.
    Script,
}

impl Uncertainty {
    /// A sentence for the operator, without a period.
    pub const fn describe(self) -> &'static str {
        match self {
            Self::Program => "a variable, a substitution or a pattern decides which program runs",
            Self::Input => "a shell reads commands that are not in the line",
            Self::Syntax => "a part of the line cannot be read with certainty",
            Self::TooMany => "the line has more than 64 commands, or commands too deep inside each other",
            Self::Surroundings => "the call chooses the shell, or sets variables for it",
            Self::Typed => "it is not known which program reads the line",
            Self::Script => {
                "it runs a program, which may run more than the commands that can be read out of it"
            }
            Self::Hidden => "an option, a variable or code in it may run commands that cannot be read",
        }
    }
}

/// The commands of a line, in order; a command that is a part of another follows it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reading {
    /// All commands, also those that are not listed.
    pub commands: Vec<Command>,
    /// The redirections of groups, loops and conditions, which belong to no single command.
    pub redirects: Vec<Redirect>,
    /// The first reason why other programs may run.
    pub uncertainty: Option<Uncertainty>,
    /// The lines given to shells that it names, and those that are read again.
    pub lines: Vec<String>,
    /// True if a part was not read or not understood.
    pub unread: bool,
    inner: usize,
    /// The variables of loops, each with a value.
    pub(super) loops: Vec<Word>,
}

impl Reading {
    /// Reads a line.
    pub fn of_line(line: &str) -> Self {
        Self::of_lines([line])
    }

    /// Reads lines, each for a shell of its own.
    pub fn of_lines<'l>(lines: impl IntoIterator<Item = &'l str>) -> Self {
        Self::of(lines, &[])
    }

    /// Reads a program with its words, which no shell expands.
    pub fn of_words(words: &[String]) -> Self {
        Self::of([], &[words.to_vec()])
    }

    /// Reads lines, each for a shell of its own, and programs with their words.
    pub fn of<'l>(lines: impl IntoIterator<Item = &'l str>, programs: &[Vec<String>]) -> Self {
        let mut reading = Self::default();
        for line in lines {
            reading.line(line, Place::default());
        }
        for words in programs {
            let text: Vec<String> = words.iter().map(|word| quote(word)).collect();
            let raw = Raw {
                text: text.join(" "),
                words: words.iter().map(Word::literal).collect(),
                ..Raw::default()
            };
            reading.take(raw, Place::default());
        }
        reading.count();
        reading.note_options();
        reading
    }

    /// Notes that a shell may turn a word of a command into an option by which its program runs another one.
    fn note_options(&mut self) {
        if self.uncertainty.is_some() {
            return;
        }
        let variables = Variables::new(&self.commands, &self.loops);
        let is_found = |command: &Command| {
            let parent = command.parent.and_then(|parent| self.commands.get(parent));
            let parent = parent.and_then(|one| one.words.first()?.program());
            parent.is_some_and(|name| ["find", "gfind", "fd", "fdfind"].contains(&name))
        };
        let mut each = self.commands.iter();
        if each.any(|one| becomes_option(one, is_found(one), &variables)) {
            self.note(Uncertainty::Program);
        }
    }

    /// The arguments of its commands, without those that are the program of a command inside of the same one: a program
    /// may be anywhere.
    pub fn arguments(&self) -> impl Iterator<Item = &Word> {
        let mut inside: Vec<Vec<&str>> = vec![Vec::new(); self.commands.len()];
        for one in &self.commands {
            let mut above = one.parent;
            while let Some(at) = above {
                if let Some(programs) = inside.get_mut(at) {
                    programs.extend(one.program_name());
                }
                above = self.commands.get(at).and_then(|one| one.parent);
            }
        }
        self.commands.iter().zip(inside).flat_map(|(one, programs)| {
            let words = one.words.iter().skip(1);
            let words = words.filter(move |word| !programs.contains(&word.text.as_str()));
            words.chain(&one.sets)
        })
    }

    /// The commands in the line, each once.
    pub fn listed(&self) -> impl Iterator<Item = &Command> {
        self.commands.iter().filter(|one| one.listed)
    }

    /// The commands whose words are in the line, without those inside wrappers, which repeat them.
    pub fn written(&self) -> impl Iterator<Item = &Command> {
        self.commands.iter().filter(|one| one.role != Role::Wrapped)
    }

    /// Records an uncertainty; the first one is kept.
    fn note(&mut self, uncertain: Uncertainty) {
        self.unread |= matches!(uncertain, Uncertainty::Syntax | Uncertainty::TooMany);
        self.uncertainty.get_or_insert(uncertain);
    }

    /// One of the commands, with all that is inside it.
    pub fn part(&self, command: &Command) -> Self {
        let mut reading = Self::default();
        let Some(at) = self.commands.iter().position(|one| std::ptr::eq(one, command)) else {
            return reading;
        };
        // The position of each command in the part; commands inside it follow.
        let mut places: Vec<Option<usize>> = vec![None; self.commands.len()];
        for (index, one) in self.commands.iter().enumerate().skip(at) {
            let parent = one
                .parent
                .and_then(|parent| places.get(parent))
                .copied()
                .flatten();
            if index != at && parent.is_none() {
                continue;
            }
            if let Some(place) = places.get_mut(index) {
                *place = Some(reading.commands.len());
            }
            let mut one = one.clone();
            one.parent = parent;
            reading.commands.push(one);
        }
        let unknown = |one: &Command| one.program == Program::Unknown;
        let any = |test: &dyn Fn(&Command) -> bool| reading.commands.iter().any(test);
        let hides = any(&|one| one.hidden.is_some()).then_some(Uncertainty::Hidden);
        reading.uncertainty = any(&unknown).then_some(Uncertainty::Program).or(hides);
        reading
    }

    /// For each command: whether it, or every command inside it, satisfies the test.
    pub fn covered(&self, covers: impl Fn(&Command) -> bool) -> Vec<bool> {
        let mut good = vec![false; self.commands.len()];
        // The combined answers of the parts of a command: those of lines, wrapped ones, and those beside.
        let mut parts = [
            vec![None; good.len()],
            vec![None; good.len()],
            vec![None; good.len()],
        ];
        // A part comes after its whole.
        for (at, command) in self.commands.iter().enumerate().rev() {
            let of = |parts: &Vec<Option<bool>>| parts.get(at).copied().flatten();
            let [lines, wrapped, beside] = &parts;
            let is_good = of(lines).unwrap_or_else(|| of(wrapped) == Some(true) || covers(command))
                && of(beside) != Some(false);
            if let Some(slot) = good.get_mut(at) {
                *slot = is_good;
            }
            let [lines, wrapped, beside] = &mut parts;
            let into = match command.role {
                Role::Line => lines,
                Role::Wrapped => wrapped,
                Role::Beside => beside,
            };
            if let Some(slot) = command.parent.and_then(|parent| into.get_mut(parent)) {
                *slot = Some(slot.unwrap_or(true) && is_good);
            }
        }
        // The command inside a wrapper is a form of it.
        let wrapped = |one: &&Command| one.role == Role::Wrapped;
        for (at, command) in self.commands.iter().enumerate().filter(|(_, one)| wrapped(one)) {
            let whole = command.parent.and_then(|parent| good.get(parent)).copied();
            if let Some(slot) = good.get_mut(at) {
                *slot |= whole == Some(true);
            }
        }
        good
    }

    /// Reads a line into the list.
    fn line(&mut self, line: &str, place: Place) {
        if self.inner > INNER || place.deep > DEEP {
            self.note(Uncertainty::TooMany);
            return;
        }
        let read = raw_commands(line);
        if let Some(uncertain) = read.uncertainty {
            self.note(uncertain);
        }
        self.redirects.extend(read.redirects);
        for value in read.loops {
            let name = value.text.split('=').next().unwrap_or_default();
            if is_listed(name) && !self.is_full() {
                let raw = Raw {
                    text: value.text.clone(),
                    sets: vec![value.clone()],
                    after: place.after,
                    ..Raw::default()
                };
                self.take(raw, place);
            }
            self.loops.push(value);
        }
        let mut first = true;
        for mut raw in read.commands {
            if self.is_full() {
                return;
            }
            if first && raw.after.is_empty() {
                raw.after = place.after;
            }
            first = false;
            self.take(raw, place);
        }
    }

    /// Notes that there are more commands than the limit.
    fn count(&mut self) {
        if self.listed().count() > MOST {
            self.uncertainty.get_or_insert(Uncertainty::TooMany);
        }
    }

    fn is_full(&mut self) -> bool {
        let full = self.commands.len() >= ALL;
        if full {
            self.note(Uncertainty::TooMany);
        }
        full
    }

    /// Adds a command and its contents.
    fn take(&mut self, raw: Raw, place: Place) {
        let program = match raw.words.first() {
            None => Program::None,
            Some(word) if word.program().is_some() => Program::Named(word.text.clone()),
            Some(_) => Program::Unknown,
        };
        if program == Program::Unknown {
            self.note(Uncertainty::Program);
        }
        let parts = inner(&raw);
        if let Some(uncertain) = parts.uncertainty {
            self.note(uncertain);
        }
        if parts.hidden {
            self.note(Uncertainty::Hidden);
        }
        let at = self.commands.len();
        let (after, redirects) = (raw.after, raw.redirects.clone());
        let replaced = parts.whole && parts.inner.len() == 1 && parts.beside.is_empty();
        let hidden = parts.hidden.then(|| match &raw.input.text {
            Some(input) => format!("{}\n{}", raw.text, input.text),
            None => raw.text.clone(),
        });
        self.commands.push(Command {
            after: raw.after,
            text: raw.text,
            program,
            listed: place.role != Role::Wrapped && !replaced,
            sets: raw.sets,
            words: raw.words,
            redirects: raw.redirects,
            input: raw.input.text.map(|input| input.text),
            hidden,
            parent: place.parent,
            role: place.role,
        });
        let deep = place.deep + 1;
        let beside = parts.beside.into_iter().map(|part| (part, true));
        for (part, is_beside) in parts.inner.into_iter().map(|part| (part, false)).chain(beside) {
            if self.is_full() {
                return;
            }
            if deep > DEEP {
                self.note(Uncertainty::TooMany);
                return;
            }
            let parent = Some(at);
            match part {
                Inner::Words { words, input } => {
                    let text: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
                    let raw = Raw {
                        text: text.join(" "),
                        after,
                        words,
                        redirects: redirects.clone(),
                        input,
                        ..Raw::default()
                    };
                    self.take(
                        raw,
                        Place {
                            parent,
                            role: if is_beside { Role::Beside } else { Role::Wrapped },
                            deep,
                            after,
                        },
                    );
                }
                Inner::Line { sign, text } => {
                    self.inner += text.len();
                    let after = if replaced && place.role != Role::Wrapped {
                        after
                    } else {
                        sign
                    };
                    self.lines.push(text.clone());
                    self.line(
                        &text,
                        Place {
                            parent,
                            role: if is_beside { Role::Beside } else { Role::Line },
                            deep,
                            after,
                        },
                    );
                }
            }
        }
    }
}

/// The position of a command.
#[derive(Debug, Clone, Copy, Default)]
struct Place {
    parent: Option<usize>,
    role: Role,
    deep: u8,
    after: &'static str,
}
