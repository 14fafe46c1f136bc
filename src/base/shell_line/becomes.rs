//! Finds words that a shell may turn into an option of a program.
//!
//! Must not know: the grammar of lines, what an option holds.

use super::command::Command;
use super::options::Own;
use super::word::Word;

/// Variables whose value is a path or a number, unless the line sets them.
const PLAIN: &[&str] = &[
    "HOME", "PWD", "OLDPWD", "TMPDIR", "UID", "EUID", "PPID", "RANDOM", "LINENO", "SECONDS",
];
/// Substitutions that print one word, which does not begin with `-`.
const PRINTED: &[&str] = &[
    "pwd",
    "nproc",
    "id -u",
    "id -g",
    "date",
    "date +%s",
    "date +%F",
    "date +%Y%m%d",
    "date +%Y-%m-%d",
    "date +%Y%m%d_%H%M%S",
    "date +%Y%m%d-%H%M%S",
    "mktemp",
    "mktemp -d",
    "git rev-parse --show-toplevel",
    "git rev-parse HEAD",
    "git rev-parse --short HEAD",
    "git rev-parse --abbrev-ref HEAD",
    "git branch --show-current",
];
/// Maximum number of values of a variable that are followed.
const VALUES: usize = 64;
/// Maximum number of values that are looked at for a word; after it the word may be anything.
const STEPS: u32 = 200;

/// The variables that a line sets.
#[derive(Debug, Default)]
pub(super) struct Variables {
    /// Names and values, as far as they are in the line.
    values: Vec<(String, Word)>,
    /// Names that get other values, too.
    others: Vec<String>,
}

impl Variables {
    /// The variables that the commands and loops of a line set.
    pub(super) fn new(commands: &[Command], loops: &[Word]) -> Self {
        let mut found = Self::default();
        for word in loops {
            found.set(word);
        }
        for command in commands {
            for word in &command.sets {
                if command.words.is_empty() {
                    found.set(word);
                } else {
                    // It holds for this command, and not where its words are expanded.
                    let name = word.text.split(['=', '+', '[']).next().unwrap_or_default();
                    found.others.push(name.to_owned());
                }
            }
            let name = command.words.first().and_then(Word::program).unwrap_or_default();
            for word in command.words.iter().skip(1) {
                if ["export", "declare", "typeset", "local", "readonly"].contains(&name) {
                    found.set(word);
                } else if [
                    "read",
                    "mapfile",
                    "readarray",
                    "getopts",
                    "printf",
                    "let",
                    "vared",
                ]
                .contains(&name)
                {
                    let text = word.text.trim_start_matches("-v");
                    found
                        .others
                        .push(text.split('=').next().unwrap_or_default().to_owned());
                }
            }
            for word in command.sets.iter().chain(&command.words) {
                for text in word.text.split("${").skip(1) {
                    let name = name_of(text);
                    let rest = text.get(name.len()..).unwrap_or_default();
                    if rest.starts_with(":=") || rest.starts_with('=') {
                        found.others.push(name.to_owned());
                    }
                }
            }
        }
        found
    }

    fn set(&mut self, word: &Word) {
        let Some((name, value)) = word.text.split_once('=') else {
            return;
        };
        let value = Word {
            text: value.to_owned(),
            ..word.clone()
        };
        match name.strip_suffix('+') {
            Some(name) => self.others.push(name.to_owned()),
            None if name.contains('[') => self
                .others
                .push(name.split('[').next().unwrap_or_default().to_owned()),
            None => self.values.push((name.to_owned(), value)),
        }
    }

    /// The values of a variable; none if not all of them are in the line.
    fn of(&self, name: &str) -> Option<Vec<&Word>> {
        let values: Vec<&Word> = self
            .values
            .iter()
            .filter(|(one, _)| one == name)
            .map(|(_, value)| value)
            .collect();
        let is_known = !values.is_empty() && values.len() <= VALUES;
        (is_known && !self.others.iter().any(|one| one == name)).then_some(values)
    }

    /// True if the line sets the variable.
    fn has(&self, name: &str) -> bool {
        self.values.iter().any(|(one, _)| one == name) || self.others.iter().any(|one| one == name)
    }
}

/// Returns true if a word of a command may become an option by which its program runs another one.
pub(super) fn becomes_option(command: &Command, inside_find: bool, variables: &Variables) -> bool {
    let Some((first, words)) = command.words.split_first() else {
        return false;
    };
    let Some(name) = first.program() else {
        return false;
    };
    let own = Own::new(name, words);
    own.words.iter().enumerate().any(|(at, word)| {
        let before = at.checked_sub(1).and_then(|at| own.words.get(at));
        let found = |text: &str| inside_find && text.contains("{}");
        if (!word.unknown && !word.pattern) || found(&word.text) {
            return false;
        }
        let begin = |text: &str, is_open: bool| own.may_begin(before, text, is_open);
        let mut left = STEPS;
        begins(word, variables, &mut left, &begin)
    })
}

/// Returns true if `is_option` holds for a beginning that the word may have; its second argument: whether more may follow.
fn begins(
    word: &Word,
    variables: &Variables,
    left: &mut u32,
    is_option: &dyn Fn(&str, bool) -> bool,
) -> bool {
    let text = word.text.as_str();
    let at = text.find(|c: char| (word.unknown && "$`".contains(c)) || (word.pattern && "*?[{".contains(c)));
    let Some(at) = at else {
        // What an input or another command prints.
        return word.unknown && is_option("", true);
    };
    *left = left.saturating_sub(1);
    if *left == 0 {
        return is_option("", true);
    }
    let (fixed, rest) = text.split_at_checked(at).unwrap_or((text, ""));
    // Blanks in what is not quoted begin further words.
    if word.splits
        && !all_known(rest, variables, &|value| !value.text.contains([' ', '\t', '\n']))
        && is_option("", true)
    {
        return true;
    }
    if !fixed.is_empty() {
        return is_option(fixed, true);
    }
    if rest.starts_with('{') {
        return alternatives(rest).any(|one| {
            let one = Word {
                pattern: one.contains(['*', '?', '[', '{']),
                unknown: one.contains(['$', '`']),
                ..Word::literal(one)
            };
            // More may follow the bracket.
            is_option(&one.text, true) || is_any(&one, variables, left, is_option)
        });
    }
    let Some((expansion, after)) = expansion(rest) else {
        return is_option("", true);
    };
    if is_plain(expansion, variables) {
        return false;
    }
    let name = expansion.trim_start_matches(['$', '{']).trim_end_matches('}');
    let Some(values) = variables.of(name) else {
        return is_option("", true);
    };
    values.into_iter().any(|value| {
        let parts = value.text.split_ascii_whitespace().skip(1);
        let mut parts = parts.filter(|_| word.splits);
        let whole = Word {
            text: format!("{}{after}", value.text),
            unknown: value.unknown || after.contains(['$', '`']),
            pattern: value.pattern || value.text.contains(['*', '?', '[']) || word.pattern,
            ..word.clone()
        };
        is_any(&whole, variables, left, is_option) || parts.any(|part| is_option(part, false))
    })
}

/// The same for a word that may be known.
fn is_any(
    word: &Word,
    variables: &Variables,
    left: &mut u32,
    is_option: &dyn Fn(&str, bool) -> bool,
) -> bool {
    if word.unknown || word.pattern {
        begins(word, variables, left, is_option)
    } else {
        is_option(&word.text, false)
    }
}

/// Returns true if each expansion in a text is plain, or has only values that satisfy the test.
fn all_known(text: &str, variables: &Variables, test: &dyn Fn(&Word) -> bool) -> bool {
    let mut rest = text;
    while let Some(at) = rest.find(['$', '`']) {
        let Some((found, after)) = expansion(rest.get(at..).unwrap_or_default()) else {
            return false;
        };
        let name = found.trim_start_matches(['$', '{']).trim_end_matches('}');
        let is_known = variables
            .of(name)
            .is_some_and(|values| values.into_iter().all(|value| !value.unknown && test(value)));
        // The values of a known variable are looked at one by one where it begins the word.
        let is_first = at == 0 && rest.len() == text.len() && variables.of(name).is_some();
        if !is_known && !is_first && !is_plain(found, variables) {
            return false;
        }
        rest = after;
    }
    true
}

/// Returns true if a text has no expansions but those of variables for directories and numbers.
pub(super) fn only_plain(text: &str) -> bool {
    !text.contains(['(', '`']) && all_known(text, &Variables::default(), &|_| false)
}

/// Returns true if an expansion prints a word that does not begin with `-`.
fn is_plain(expansion: &str, variables: &Variables) -> bool {
    if let Some(command) = expansion
        .strip_prefix("$(")
        .and_then(|rest| rest.strip_suffix(')'))
        .or_else(|| expansion.strip_prefix('`')?.strip_suffix('`'))
    {
        return command.starts_with('(') || PRINTED.contains(&command.trim());
    }
    let name = expansion.trim_start_matches(['$', '{']).trim_end_matches('}');
    ["?", "#", "$", "!"].contains(&name) || (PLAIN.contains(&name) && !variables.has(name))
}

/// The expansion at the beginning of a text, and what follows.
fn expansion(text: &str) -> Option<(&str, &str)> {
    let rest = text.strip_prefix('$');
    let end = match rest {
        None => text.get(1..)?.find('`')? + 2,
        Some(rest) if rest.starts_with(['(', '{']) => {
            let mut deep = 0_usize;
            let closing = rest.char_indices().find(|(_, c)| {
                match c {
                    '(' | '{' => deep += 1,
                    ')' | '}' => deep = deep.saturating_sub(1),
                    _ => {}
                }
                deep == 0
            });
            closing?.0 + 2
        }
        Some(rest) => {
            let name = name_of(rest).len();
            1 + if name == 0 {
                rest.chars().next().map_or(0, char::len_utf8)
            } else {
                name
            }
        }
    };
    text.split_at_checked(end)
}

/// The name at the beginning of a text.
fn name_of(text: &str) -> &str {
    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    text.get(..end.unwrap_or(text.len())).unwrap_or_default()
}

/// The beginnings that the alternatives of `{a,b}` have.
fn alternatives(text: &str) -> impl Iterator<Item = &str> {
    let inside = text.strip_prefix('{').unwrap_or(text);
    let end = inside.rfind('}').unwrap_or(inside.len());
    let (inside, after) = inside.split_at_checked(end).unwrap_or((inside, ""));
    inside.split(',').map(move |one| {
        if one.is_empty() {
            after.trim_start_matches('}')
        } else {
            one
        }
    })
}
