//! Finds commands inside a command: in `env`, `sh -c`, `xargs`, `find -exec` and the like.
//!
//! Must not know: the grammar of lines.

use super::feed::{Feed, with_input};
use super::grammar::{Input, Raw};
use super::lines::{among, from_input, is_unseen, shell, split, windows_shell};
use super::programs::given;
use super::reading::Uncertainty;
use super::variables::{assigned, expanded};
use super::word::Word;
use super::wrappers::{Runs, Value, Wrapper, is_other_shell, is_shell, is_windows_shell, wrapper};

/// Maximum number of options of a wrapper, and of variables before a command, that are examined.
pub(super) const NEAR: usize = 64;

/// The contents of a command.
#[derive(Debug)]
pub(super) enum Inner {
    /// A command.
    Words {
        /// Its words.
        words: Vec<Word>,
        /// What it reads.
        input: Input,
    },
    /// A line that a shell reads.
    Line {
        /// The sign after which it is listed.
        sign: &'static str,
        /// The line.
        text: String,
    },
}

/// Commands and lines found inside a command.
#[derive(Debug, Default)]
pub(super) struct Parts {
    pub(super) inner: Vec<Inner>,
    /// What an option or a variable names, which runs in addition.
    pub(super) beside: Vec<Inner>,
    /// True if it may run commands that cannot be read in it.
    pub(super) hidden: bool,
    pub(super) uncertainty: Option<Uncertainty>,
    /// True if the command is nothing but what reads the line.
    pub(super) whole: bool,
}

impl Parts {
    pub(super) fn note(&mut self, uncertain: Uncertainty) {
        self.uncertainty.get_or_insert(uncertain);
    }

    /// A line that an option or a variable holds.
    pub(super) fn option_line(&mut self, words: &[Word]) {
        let mut line = Self::default();
        line.line("-c", words);
        self.add_beside(line);
    }

    /// A command among the words of a program that does more than run it.
    pub(super) fn option_words(&mut self, words: &[Word]) {
        let mut command = Self::default();
        command.push_words(words, &Input::default());
        self.add_beside(command);
    }

    fn add_beside(&mut self, mut other: Self) {
        self.beside.append(&mut other.inner);
        self.uncertainty = self.uncertainty.or(other.uncertainty);
    }

    /// A line made of these words.
    pub(super) fn line(&mut self, sign: &'static str, words: &[Word]) {
        if words.iter().any(|word| !word.is_sure()) {
            self.note(Uncertainty::Program);
        }
        let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
        let text = texts.join(" ");
        if !text.trim().is_empty() {
            self.inner.push(Inner::Line { sign, text });
        }
    }

    fn push_words(&mut self, words: &[Word], input: &Input) {
        if !words.is_empty() {
            self.inner.push(Inner::Words {
                words: words.to_vec(),
                input: input.clone(),
            });
        }
    }
}

/// Finds the contents of a command.
pub(super) fn inner(raw: &Raw) -> Parts {
    let mut parts = Parts::default();
    for word in raw.sets.iter().take(NEAR) {
        assigned(&mut parts, word, &raw.words);
    }
    // So many are not looked through.
    parts.hidden |= raw.sets.len() > NEAR;
    for word in raw.sets.iter().chain(&raw.words) {
        expanded(&mut parts, word);
    }
    let Some((first, rest)) = raw.words.split_first() else {
        return parts;
    };
    let Some(name) = first.program() else {
        return parts;
    };
    if is_shell(name) || is_other_shell(name) {
        shell(&mut parts, raw, rest, is_shell(name));
        return parts;
    }
    if is_windows_shell(name) {
        windows_shell(&mut parts, raw, rest);
        return parts;
    }
    given(&mut parts, name, rest, raw);
    match name {
        // The programs of its subcommands.
        _ if name.starts_with("git-") => {
            let mut words = vec![
                Word::literal("git"),
                Word::literal(name.trim_start_matches("git-")),
            ];
            words.extend(rest.iter().cloned());
            parts.push_words(&words, &raw.input);
        }
        "." | "source" => {
            let script = rest.iter().find(|word| !word.text.starts_with('-'));
            if script.is_some_and(is_unseen) {
                from_input(&mut parts, &raw.input);
            }
        }
        "eval" => {
            let rest = rest.strip_prefix(&[Word::literal("--")]).unwrap_or(rest);
            parts.whole = raw.sets.is_empty() && raw.redirects.is_empty();
            parts.line("-c", rest);
        }
        "trap" => {
            let handler = rest.iter().find(|word| !word.text.starts_with('-'));
            parts.line("-c", handler.map_or(&[], std::slice::from_ref));
        }
        "alias" if rest.iter().any(|word| word.text.contains('=') || word.unknown) => {
            parts.note(Uncertainty::Program);
        }
        "hash" | "enable" if rest.len() > 1 => parts.note(Uncertainty::Program),
        "mapfile" | "readarray" if rest.iter().any(|word| word.text.starts_with("-C")) => {
            parts.note(Uncertainty::Program);
        }
        "at" | "batch" => from_input(&mut parts, &raw.input),
        "find" | "gfind" | "bfs" => find(&mut parts, rest, &["-exec", "-execdir", "-ok", "-okdir"], raw),
        "fd" | "fdfind" => find(&mut parts, rest, &["-x", "--exec", "-X", "--exec-batch"], raw),
        "git" => {}
        "command"
            if rest
                .first()
                .is_some_and(|word| word.text.starts_with('-') && word.text.contains(['v', 'V'])) => {}
        "env" if split(&mut parts, rest) => {}
        _ => {
            if let Some((found, skip)) = wrapper(name, rest) {
                unwrap(&mut parts, found, rest.get(skip..).unwrap_or_default(), raw);
                // Without a command many of them start a shell.
                let reads = raw.input.text.is_some() || raw.input.from.is_some();
                if parts.inner.is_empty() && reads && found.runs != Runs::Input {
                    from_input(&mut parts, &raw.input);
                }
            } else {
                among(&mut parts, rest, raw);
            }
        }
    }
    parts
}

/// What a wrapper runs.
fn unwrap(parts: &mut Parts, wrapper: &Wrapper, words: &[Word], raw: &Raw) {
    if wrapper.runs == Runs::Any {
        let begins = |at: &usize| words.get(*at).is_some_and(|word| !word.text.starts_with('-'));
        for at in (0..words.len().min(NEAR)).filter(begins) {
            parts.push_words(words.get(at..).unwrap_or_default(), &raw.input);
        }
        if words.len() > NEAR {
            parts.note(Uncertainty::TooMany);
        }
        return;
    }
    let mut at = 0;
    let mut feed = Feed::default();
    loop {
        let unsure = options(parts, wrapper, words, &mut at, &mut feed);
        let rest = operands(parts, wrapper, words.get(at..).unwrap_or_default());
        match wrapper.runs {
            Runs::Words | Runs::Any => parts.push_words(rest, &raw.input),
            Runs::Given => given_words(parts, wrapper, rest, raw),
            Runs::Line => line_of(parts, wrapper, rest),
            Runs::Input => parts.inner.extend(with_input(rest, &feed, &raw.input)),
        }
        // An unknown option may take the word after it, and others may follow.
        if !unsure {
            return;
        }
        at += 1;
    }
}

/// Skips the options of a wrapper; returns true if the last one may take the next word.
fn options(parts: &mut Parts, wrapper: &Wrapper, words: &[Word], at: &mut usize, feed: &mut Feed) -> bool {
    let mut unsure = false;
    while let Some(word) = words.get(*at) {
        if *at >= NEAR {
            parts.note(Uncertainty::TooMany);
            *at = words.len();
            return false;
        }
        if word.text == "--" {
            *at += 1;
            return false;
        }
        if !word.text.starts_with('-') || word.text == "-" {
            break;
        }
        if word.splits || word.pattern {
            parts.note(Uncertainty::Program);
        }
        let (value, given) = wrapper.value(&word.text, 'c');
        *at += 1;
        if wrapper.runs == Runs::Given {
            if let Some(line) = given {
                parts.line("-c", &[part(word, line)]);
            } else if value == Value::Next && Wrapper::is_given(&word.text) {
                parts.line("-c", words.get(*at).map_or(&[], std::slice::from_ref));
            }
        }
        if wrapper.runs == Runs::Input {
            feed.option(&word.text, words.get(*at));
        }
        unsure = value == Value::Unknown;
        *at += usize::from(value == Value::Next);
    }
    unsure && *at < words.len()
}

/// The words after the arguments of a wrapper's own.
fn operands<'w>(parts: &mut Parts, wrapper: &Wrapper, mut words: &'w [Word]) -> &'w [Word] {
    let mut left = wrapper.operands;
    while let Some((word, rest)) = words.split_first() {
        let sets = wrapper.sets
            && word
                .text
                .split_once('=')
                .is_some_and(|(name, _)| !name.is_empty());
        // The architecture may be left out.
        let left_out = wrapper.name == "setarch" && !word.text.contains(|c: char| c.is_ascii_digit());
        if !sets && (left == 0 || left_out) {
            break;
        }
        if word.splits || word.pattern {
            parts.note(Uncertainty::Program);
        }
        if sets {
            assigned(parts, word, rest);
        }
        left -= u8::from(!sets);
        words = rest;
    }
    if wrapper.sets {
        words = words
            .split_first()
            .filter(|(word, _)| word.text == "--")
            .map_or(words, |(_, rest)| rest);
    }
    if wrapper.operands == 0 || wrapper.runs == Runs::Given {
        return words;
    }
    // Some take further options after their arguments.
    while let Some((word, rest)) = words.split_first().filter(|(word, _)| word.text.starts_with('-')) {
        let skip = usize::from(wrapper.value(&word.text, 'c').0 == Value::Next);
        words = rest.get(skip..).unwrap_or_default();
    }
    words
}

/// What `su`, `flock` and the like run in addition to the line after an option at their beginning.
fn given_words(parts: &mut Parts, wrapper: &Wrapper, words: &[Word], raw: &Raw) {
    // These run the words after their options; the options of others may follow anywhere.
    let runs_words = ["flock", "npx", "npm exec", "npm x"].contains(&wrapper.name);
    let mut at = 0;
    while let Some(word) = words.get(at) {
        let is_option = word.text.starts_with('-');
        if runs_words && !is_option {
            break;
        }
        at += 1;
        let (_, given) = wrapper.value(&word.text, 'c');
        if let Some(line) = given.filter(|_| is_option) {
            parts.line("-c", &[part(word, line)]);
        } else if is_option && Wrapper::is_given(&word.text) {
            parts.line("-c", words.get(at).map_or(&[], std::slice::from_ref));
            at += 1;
        }
    }
    match wrapper.name {
        "flock" | "npx" | "npm exec" | "npm x" => {
            parts.push_words(words.get(at..).unwrap_or_default(), &raw.input);
        }
        "runuser" => parts.push_words(words, &raw.input),
        // On some systems it takes the command after the file.
        "script" if words.first().is_some_and(|word| !word.text.starts_with('-')) => {
            parts.push_words(words, &raw.input);
        }
        _ => {}
    }
}

/// A word that is a part of another.
pub(super) fn part(word: &Word, text: &str) -> Word {
    Word {
        text: text.to_owned(),
        raw: None,
        ..word.clone()
    }
}

/// The lines that the words of `watch`, `ssh`, `hyperfine` and `parallel` make.
fn line_of(parts: &mut Parts, wrapper: &Wrapper, words: &[Word]) {
    if [
        "hyperfine",
        "pee",
        "mispipe",
        "concurrently",
        "start-server-and-test",
        "tmux if-shell",
    ]
    .contains(&wrapper.name)
    {
        for word in words.iter().filter(|word| !word.text.starts_with('-')).take(NEAR) {
            parts.line("-c", std::slice::from_ref(word));
        }
        return;
    }
    if wrapper.name != "parallel" {
        parts.line("-c", words);
        return;
    }
    let end = words
        .iter()
        .position(|word| word.text.starts_with(":::"))
        .unwrap_or(words.len());
    let (line, items) = words.split_at_checked(end).unwrap_or((words, &[]));
    if line.is_empty() {
        // Its items are the lines.
        parts.note(Uncertainty::Program);
    }
    for item in items.iter().filter(|item| !item.text.starts_with(":::")) {
        let mut whole = line.to_vec();
        whole.push(Word::literal(&*item.text));
        parts.line("-c", &whole);
    }
    let mut whole: Vec<Word> = line.to_vec();
    if whole.first().is_some_and(|word| word.text.contains('{')) {
        parts.note(Uncertainty::Program);
    }
    whole.push(Word::literal("…"));
    parts.line("-c", &whole);
}

/// What `find` runs for the files that it finds.
fn find(parts: &mut Parts, words: &[Word], options: &[&str], raw: &Raw) {
    let first = words
        .iter()
        .position(|word| word.text.starts_with('-'))
        .unwrap_or_default();
    let mut at = 0;
    while let Some(word) = words.get(at) {
        at += 1;
        // A name of a file may be one of these options.
        let before = words.get(..at).unwrap_or_default();
        let is_place = before.iter().all(|word| !word.text.starts_with('-'));
        if word.pattern && is_place && word.text.starts_with(['*', '?', '[']) {
            parts.note(Uncertainty::Program);
        }
        // It may become one of these options.
        let substituted = word.text.contains(['(', '`']);
        if word.splits && (at > first || substituted) {
            parts.note(Uncertainty::Program);
        }
        if !options.contains(&word.text.as_str()) {
            continue;
        }
        let rest = words.get(at..).unwrap_or_default();
        let signs = |signs: &'static [&str]| rest.iter().position(|word| signs.contains(&word.text.as_str()));
        let end = signs(&[";"]).unwrap_or(rest.len());
        let mark = |word: &Word| {
            let found = word.text.contains("{}");
            if found {
                word.clone().into_unknown()
            } else {
                word.clone()
            }
        };
        // A `+` ends it directly after `{}`, and is a word elsewhere.
        let short = signs(&[";", "+"]).filter(|short| *short < end);
        for end in short.into_iter().chain([end]) {
            let command: Vec<Word> = rest.iter().take(end).map(mark).collect();
            parts.push_words(&command, &raw.input);
        }
        at += short.unwrap_or(end);
    }
}
