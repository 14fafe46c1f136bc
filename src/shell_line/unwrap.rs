//! Finds the commands and lines inside a command: what `env`, `sh -c`, `xargs`, `find -exec` and the like run.
//!
//! Must not know: the grammar of lines.

use super::grammar::{Input, Raw};
use super::lines::{among, from_input, is_unseen, shell, split};
use super::reading::Doubt;
use super::word::Word;
use super::wrappers::{Runs, Value, Wrapper, is_other_shell, is_shell, wrapper};

/// Options of a wrapper that are looked at.
pub(super) const NEAR: usize = 64;

/// What stands inside a command.
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
        /// The sign that it is listed behind.
        sign: &'static str,
        /// The line.
        text: String,
    },
}

/// What was found inside a command.
#[derive(Debug, Default)]
pub(super) struct Parts {
    pub(super) inner: Vec<Inner>,
    pub(super) doubt: Option<Doubt>,
    /// True if the command is nothing but what reads the line.
    pub(super) whole: bool,
}

impl Parts {
    pub(super) fn note(&mut self, doubt: Doubt) {
        self.doubt.get_or_insert(doubt);
    }

    /// A line made of these words.
    pub(super) fn line(&mut self, sign: &'static str, words: &[Word]) {
        if words.iter().any(|word| !word.is_sure()) {
            self.note(Doubt::Program);
        }
        let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
        let text = texts.join(" ");
        if !text.trim().is_empty() {
            self.inner.push(Inner::Line { sign, text });
        }
    }

    fn words(&mut self, words: &[Word], input: &Input) {
        if !words.is_empty() {
            self.inner.push(Inner::Words {
                words: words.to_vec(),
                input: input.clone(),
            });
        }
    }
}

/// What stands inside a command.
pub(super) fn inner(raw: &Raw) -> Parts {
    let mut parts = Parts::default();
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
    match name {
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
            parts.note(Doubt::Program);
        }
        "hash" | "enable" if rest.len() > 1 => parts.note(Doubt::Program),
        "mapfile" | "readarray" if rest.iter().any(|word| word.text.starts_with("-C")) => {
            parts.note(Doubt::Program);
        }
        "at" | "batch" => from_input(&mut parts, &raw.input),
        "find" | "gfind" => find(&mut parts, rest, &["-exec", "-execdir", "-ok", "-okdir"], raw),
        "fd" | "fdfind" => find(&mut parts, rest, &["-x", "--exec", "-X", "--exec-batch"], raw),
        "git" => git(&mut parts, rest),
        "command"
            if rest
                .first()
                .is_some_and(|word| word.text.starts_with('-') && word.text.contains(['v', 'V'])) => {}
        "env" if split(&mut parts, rest) => {}
        _ => {
            let second = rest.first().map(|word| word.text.as_str());
            if let Some(found) = wrapper(name, second) {
                let skip = usize::from(found.name.contains(' '));
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
    let mut at = 0;
    let mut replaced: Option<String> = None;
    let mut maybe = Vec::new();
    while let Some(word) = words.get(at) {
        if at >= NEAR {
            parts.note(Doubt::TooMany);
            return;
        }
        if word.text == "--" {
            at += 1;
            break;
        }
        if !word.text.starts_with('-') || word.text == "-" {
            break;
        }
        if word.splits || word.pattern {
            parts.note(Doubt::Program);
        }
        let (value, given) = wrapper.value(&word.text, 'c');
        at += 1;
        if wrapper.runs == Runs::Given {
            if let Some(line) = given {
                parts.line("-c", &[part(word, line)]);
            } else if value == Value::Next && Wrapper::is_given(&word.text) {
                parts.line("-c", words.get(at).map_or(&[], std::slice::from_ref));
            }
        }
        if wrapper.runs == Runs::Input {
            replaced = replacement(&word.text, words.get(at)).or(replaced);
        }
        match value {
            Value::Here => {}
            Value::Next => at += 1,
            Value::Unknown => maybe.push(at),
        }
    }
    // An option that is not known may take the word behind it.
    let unsure = maybe.last() == Some(&at);
    for start in [Some(at), unsure.then_some(at + 1)].into_iter().flatten() {
        let rest = operands(parts, wrapper, words.get(start..).unwrap_or_default());
        match wrapper.runs {
            Runs::Words => parts.words(rest, &raw.input),
            Runs::Given => given_words(parts, wrapper, rest, raw),
            Runs::Line => line_of(parts, wrapper, rest),
            Runs::Input => parts
                .inner
                .extend(with_input(rest, replaced.as_deref(), &raw.input)),
        }
    }
}

/// The words behind the arguments of a wrapper's own.
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
            parts.note(Doubt::Program);
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
    // Some take further options behind their arguments.
    while let Some((word, rest)) = words.split_first().filter(|(word, _)| word.text.starts_with('-')) {
        let skip = usize::from(wrapper.value(&word.text, 'c').0 == Value::Next);
        words = rest.get(skip..).unwrap_or_default();
    }
    words
}

/// What `su`, `flock` and the like run besides the line behind an option at their beginning.
fn given_words(parts: &mut Parts, wrapper: &Wrapper, words: &[Word], raw: &Raw) {
    // `flock` runs the words behind its options; those of others may follow anywhere.
    let is_flock = wrapper.name == "flock";
    let mut at = 0;
    while let Some(word) = words.get(at) {
        let is_option = word.text.starts_with('-');
        if is_flock && !is_option {
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
        "flock" => parts.words(words.get(at..).unwrap_or_default(), &raw.input),
        "runuser" => parts.words(words, &raw.input),
        // Of some systems it takes the command behind the file.
        "script" if words.first().is_some_and(|word| !word.text.starts_with('-')) => {
            parts.words(words, &raw.input);
        }
        _ => {}
    }
}

/// A word that is a part of another.
fn part(word: &Word, text: &str) -> Word {
    Word {
        text: text.to_owned(),
        raw: None,
        ..word.clone()
    }
}

/// The line that the words of `watch`, `ssh` and `parallel` make.
fn line_of(parts: &mut Parts, wrapper: &Wrapper, words: &[Word]) {
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
        parts.note(Doubt::Program);
    }
    for item in items.iter().filter(|item| !item.text.starts_with(":::")) {
        let mut whole = line.to_vec();
        whole.push(Word::literal(&*item.text));
        parts.line("-c", &whole);
    }
    let mut whole: Vec<Word> = line.to_vec();
    if whole.first().is_some_and(|word| word.text.contains('{')) {
        parts.note(Doubt::Program);
    }
    whole.push(Word::literal("…"));
    parts.line("-c", &whole);
}

/// The text that `xargs` replaces by what it reads.
fn replacement(option: &str, next: Option<&Word>) -> Option<String> {
    let attached = |text: &str, none: &str| {
        Some(if text.is_empty() {
            none.to_owned()
        } else {
            text.to_owned()
        })
    };
    if let Some(long) = option.strip_prefix("--replace") {
        return attached(long.trim_start_matches('='), "{}");
    }
    let at = option
        .find(['I', 'i', 'J'])
        .filter(|_| !option.starts_with("--"))?;
    let text = option.get(at + 1..).unwrap_or_default();
    if option.get(at..).is_some_and(|rest| rest.starts_with('i')) {
        return attached(text, "{}");
    }
    attached(text, next.map_or("", |word| &word.text))
}

/// The commands of `xargs`, with the words that it reads.
fn with_input(words: &[Word], replaced: Option<&str>, input: &Input) -> Vec<Inner> {
    if words.is_empty() {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut add = |words: Vec<Word>| {
        found.push(Inner::Words {
            words,
            input: Input::default(),
        });
    };
    let known = input
        .text
        .as_ref()
        .filter(|text| text.sure && !text.text.contains(['\'', '"', '\\']));
    let Some(mark) = replaced.filter(|mark| !mark.is_empty()) else {
        let mut whole = words.to_vec();
        match known {
            Some(text) => whole.extend(text.text.split_ascii_whitespace().map(Word::literal)),
            None => whole.push(Word::unseen()),
        }
        add(whole);
        return found;
    };
    let put = |by: &str, unknown: bool| -> Vec<Word> {
        let each = words.iter().map(|word| {
            if !word.text.contains(mark) {
                return word.clone();
            }
            let put = part(word, &word.text.replace(mark, by));
            if unknown { put.into_unknown() } else { put }
        });
        each.collect()
    };
    let mut lines = known.map(|text| text.text.lines()).into_iter().flatten();
    for line in lines.by_ref().take(NEAR) {
        add(put(line.trim_start(), false));
    }
    if known.is_none() || lines.next().is_some() {
        add(put(mark, true));
    }
    found
}

/// What `find` runs for what it finds.
fn find(parts: &mut Parts, words: &[Word], options: &[&str], raw: &Raw) {
    let first = words
        .iter()
        .position(|word| word.text.starts_with('-'))
        .unwrap_or_default();
    let mut at = 0;
    while let Some(word) = words.get(at) {
        at += 1;
        // It may become one of these options.
        let substituted = word.text.contains(['(', '`']);
        if word.splits && (at > first || substituted) {
            parts.note(Doubt::Program);
        }
        if !options.contains(&word.text.as_str()) {
            continue;
        }
        let rest = words.get(at..).unwrap_or_default();
        let end = rest
            .iter()
            .position(|word| word.text == ";" || word.text == "+")
            .unwrap_or(rest.len());
        let mark = |word: &Word| {
            let found = word.text.contains("{}");
            if found {
                word.clone().into_unknown()
            } else {
                word.clone()
            }
        };
        let command: Vec<Word> = rest.iter().take(end).map(mark).collect();
        parts.words(&command, &raw.input);
        at += end;
    }
}

/// Aliases that `git` is given and runs as lines.
fn git(parts: &mut Parts, words: &[Word]) {
    for pair in words.windows(2) {
        if let [option, value] = pair {
            let line = value.text.split_once("=!").map(|(_, line)| line);
            if let Some(line) = line.filter(|_| option.text == "-c") {
                parts.line("-c", &[part(value, line)]);
            }
        }
    }
}
