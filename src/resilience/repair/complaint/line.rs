//! Reads complaints from lines of text.
//!
//! Must not know: what is done about a complaint.
//!
//! A name counts only where a text names an argument: in quotes, after a word such as `parameter`, as a path, or at the
//! beginning of a statement that continues with `:` or a verb.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

use super::Complaint;
use super::known::{Known, MOST_WORDS};
use super::wrong::{self, Wrong};
use crate::repair::names::folded;

/// Maximum number of lines that are read.
const MOST_LINES: usize = 200;
/// Shortest value that is looked for in a text, in characters.
const SHORTEST: usize = 2;
/// Names that are also usual words for what is wrong.
const GENERIC: [&str; 24] = [
    "address",
    "argument",
    "array",
    "boolean",
    "choice",
    "date",
    "datetime",
    "email",
    "field",
    "format",
    "input",
    "integer",
    "list",
    "number",
    "object",
    "option",
    "parameter",
    "property",
    "string",
    "time",
    "type",
    "url",
    "uuid",
    "value",
];
/// Marks around a name, with their ends.
const QUOTES: [(char, char); 8] = [
    ('\'', '\''),
    ('"', '"'),
    ('`', '`'),
    ('“', '”'),
    ('‘', '’'),
    ('«', '»'),
    ('<', '>'),
    ('[', ']'),
];

struct Patterns {
    /// A name, or a path of names.
    token: Option<Regex>,
    /// Lines that say where an error occurred in a program, or how to call it.
    skipped: Option<Regex>,
    /// A line that says where the error of the line before is.
    at: Option<Regex>,
    /// A path of keys in brackets: `On instance['a'][0]:`.
    instance: Option<Regex>,
    /// What begins a list of allowed values.
    list: Option<Regex>,
    /// Words before a name.
    noun: Option<Regex>,
    fault: Option<Regex>,
    /// Words before the name of a type or a format.
    kind: Option<Regex>,
    preposition: Option<Regex>,
    one_of: Option<Regex>,
    beginning: Option<Regex>,
    /// Words after a name.
    verb: Option<Regex>,
    noun_after: Option<Regex>,
}

static PATTERNS: LazyLock<Patterns> = LazyLock::new(|| {
    let pattern = |text: &str| Regex::new(text).ok();
    Patterns {
        token: pattern(
            r#"[$#/-]*[\p{L}_$][\p{L}\p{N}_$-]*(?:(?:\.|/|::|\[['"]?|['"]?\]\.?)+[\p{L}\p{N}_-]+)*"#,
        ),
        skipped: pattern(
            r#"(?i)^\s*(?:at .*\(.*\)$|File ".*", line \d|usage:|try '|for further information|failed validating|https?://\S+$|traceback )"#,
        ),
        at: pattern(r"^\s*(?:→|->|at|in)\s+(?:at\s+)?(?P<path>\S+)\s*$"),
        instance: pattern(r"^\s*On \w+(?P<path>(?:\[[^\]]+\])+):?\s*$"),
        list: pattern(
            r"(?i)\b(?:one of|choose from|(?:allowed|valid|accepted|permitted|possible) (?:values|options|choices)|expected|must be|should be|options are|instead)\b",
        ),
        noun: pattern(
            r#"(?i)\b(?:parameters?|params?|arguments?|args?|fields?|propert(?:y|ies)|attributes?|options?|keys?|columns?|inputs?|variables?|members?|elements?|flags?|kwargs?|(?:value|values|format|type) (?:for|of|in))\W{0,3}(?:the )?(?:(?:[\w.'"`-]+(?:, | and | or |, and ))*)["'`“‘«(\[{<]*$"#,
        ),
        fault: pattern(
            r#"(?i)\b(?:invalid|missing|unknown|unexpected|unsupported|bad|wrong|malformed|illegal|required|incorrect|empty|blank)\s+(?:the )?["'`“‘«(\[{<]*$"#,
        ),
        kind: pattern(r#"(?i)\b(?:an?|type|format|valid)\s+["'`“‘«(\[{<]*$"#),
        preposition: pattern(
            r#"(?i)\b(?:for|at|in|of|on|named|called|chain:|path:)\s+(?:the )?["'`“‘«(\[{<]*$"#,
        ),
        one_of: pattern(r#"(?i)\bof\s+(?:the )?["'`“‘«(\[{<]*$"#),
        beginning: pattern(
            r#"^(?:.*(?:[:>–—→✖•*]|\s-)\s+|[-•*✖]\s*)?(?:(?i:the (?:selected )?|an? |your |values? (?:for|of) ))?["'`“‘«(\[{<]*$"#,
        ),
        verb: pattern(
            r#"(?i)^["'`”’»)\]}>]*\s*(?:[:=(\[–—]|- |$|(?:is|are|was|must|should|has|have|cannot|can|does|needs?|may|contains?|expects?|requires?|not|failed|got)\b|(?:can|isn|doesn|aren|shouldn|mustn)['’]t\b)"#,
        ),
        noun_after: pattern(
            r#"(?i)^["'`”’»)\]}>]*\s*(?:$|[.,;:!)\]]|(?:value|values|parameter|parameters|argument|arguments|field|fields|format|type|property|option)\b)"#,
        ),
    }
});

/// A place where a text names an argument.
struct Named<'k> {
    path: &'k str,
    from: usize,
    to: usize,
}

/// Reads a text. `base` is the pointer to what the text is about; a name below it is looked for there first.
pub(super) fn read(text: &str, base: &str, known: &Known<'_>, found: &mut Vec<Complaint>) {
    let lines: Vec<&str> = text.lines().take(MOST_LINES).collect();
    let mut before = "";
    let mut about: Option<&str> = None;
    for line in &lines {
        if is(PATTERNS.skipped.as_ref(), line) {
            continue;
        }
        if let Some(path) = place_of(line, known, base) {
            // `→ at class` and `On instance['class']:` are below the words, a line with a path alone is above them.
            let is_below = !line
                .starts_with(|first: char| first.is_alphanumeric() || first == '$' || first == '_')
                || is(PATTERNS.instance.as_ref(), line);
            if is_below {
                push(found, path, before);
            } else {
                about = Some(path);
            }
            continue;
        }
        if let Some(path) = about.take() {
            push(found, path, line);
            continue;
        }
        if is(PATTERNS.instance.as_ref(), line) || line.trim().is_empty() {
            continue;
        }
        if !line.starts_with(' ') || before.is_empty() {
            before = line;
        }
        for statement in statements(line) {
            read_statement(statement, base, known, found);
        }
    }
    // The library says the value first and the place at the end.
    if let Some(path) = lines.iter().find_map(|line| instance_of(line, known)) {
        push(found, path, lines.first().copied().unwrap_or_default());
    }
}

/// Adds what the words say is wrong with an argument, if they say it.
fn push(found: &mut Vec<Complaint>, path: &str, words: &str) {
    if let Some(wrong) = Wrong::read(words) {
        found.push(Complaint {
            path: path.to_owned(),
            wrong,
            words: words.trim().to_owned(),
        });
    }
}

fn is(pattern: Option<&Regex>, text: &str) -> bool {
    pattern.is_some_and(|pattern| pattern.is_match(text))
}

/// Returns the argument of a line that has nothing but its place.
fn place_of<'k>(line: &str, known: &'k Known<'_>, base: &str) -> Option<&'k str> {
    let bare = line.trim().trim_end_matches(':');
    if let Some(path) = PATTERNS
        .at
        .as_ref()
        .and_then(|at| at.captures(line)?.name("path"))
    {
        return known.resolve(path.as_str().trim_matches(['"', '\'', '`']), base);
    }
    let is_path = !bare.is_empty()
        && !bare.contains(char::is_whitespace)
        && bare.len() == line.trim_end_matches(':').trim().len();
    (is_path && !line.starts_with(' '))
        .then(|| known.resolve(bare, base))
        .flatten()
}

fn instance_of<'k>(line: &str, known: &'k Known<'_>) -> Option<&'k str> {
    let path = PATTERNS.instance.as_ref()?.captures(line)?.name("path")?;
    known.resolve(path.as_str(), "")
}

/// Splits a line into its sentences.
fn statements(line: &str) -> Vec<&str> {
    let mut all = Vec::new();
    let mut from = 0;
    for (at, mark) in line.char_indices() {
        let rest = line.get(at + mark.len_utf8()..).unwrap_or_default();
        let mut next = rest.chars();
        let blank = next.next() == Some(' ');
        let begins = next
            .next()
            .is_some_and(|c| c.is_uppercase() || "'\"`".contains(c));
        if blank && (mark == ';' || (matches!(mark, '.' | '!' | '?') && begins)) {
            all.push(line.get(from..at).unwrap_or_default());
            from = at + mark.len_utf8();
        }
    }
    all.push(line.get(from..).unwrap_or_default());
    all
}

fn read_statement(statement: &str, base: &str, known: &Known<'_>, found: &mut Vec<Complaint>) {
    let named = named(statement, base, known);
    if wrong::is_elsewhere(&without(statement, &named)) {
        return;
    }
    for (at, one) in named.iter().enumerate() {
        let next = named.get(at + 1).map_or(statement.len(), |next| next.from);
        let own = statement.get(one.to..next).unwrap_or_default();
        let before = statement.get(..one.from).unwrap_or_default();
        let after = statement.get(one.to..).unwrap_or_default();
        let wrong = Wrong::read(own).or_else(|| Wrong::read(&format!("{before}\"\"{after}")));
        if let Some(wrong) = wrong {
            found.push(Complaint {
                path: one.path.to_owned(),
                wrong,
                words: statement.trim().to_owned(),
            });
        }
    }
}

/// Returns a statement without the names in it.
fn without(statement: &str, named: &[Named<'_>]) -> String {
    let mut words = String::new();
    let mut from = 0;
    for one in named {
        words.push_str(statement.get(from..one.from).unwrap_or_default());
        from = one.to;
    }
    words + statement.get(from..).unwrap_or_default()
}

/// Returns the places where a statement names arguments.
fn named<'k>(statement: &str, base: &str, known: &'k Known<'_>) -> Vec<Named<'k>> {
    let Some(token) = &PATTERNS.token else {
        return Vec::new();
    };
    let list = PATTERNS.list.as_ref().and_then(|list| list.find(statement));
    let list = list.map_or(statement.len(), |list| list.start());
    let tokens: Vec<(usize, usize)> = token
        .find_iter(statement)
        .map(|found| (found.start(), found.end()))
        .collect();
    let mut all = of_odd_names(statement, known);
    let mut words = vec![false; all.len()];
    let mut done = 0;
    for (at, (from, to)) in tokens.iter().enumerate() {
        if *from < done {
            continue;
        }
        let found = (0..MOST_WORDS).rev().find_map(|more| {
            let end = tokens.get(at + more)?.1;
            let text = statement.get(*from..end)?;
            let is_words = more > 0 && text.split(' ').count() == more + 1 && known.has_name(&folded(text));
            (more == 0 || is_words).then_some(())?;
            Some((known.resolve(text, base)?, end, text))
        });
        let Some((path, end, text)) = found else { continue };
        let is_url = statement
            .get(..*from)
            .is_some_and(|before| before.ends_with("://") || before.ends_with(':') && text.starts_with("//"));
        let Some(form) = naming(statement, (*from, end), text, *from >= list).filter(|_| !is_url) else {
            continue;
        };
        // `invalid date`: the words say what is wrong, unless it is said where a name must be.
        let is_word = GENERIC.contains(&folded(text).as_str()) && form != Form::Path;
        if is_word && form == Form::Word {
            continue;
        }
        done = end;
        words.push(is_word);
        all.push(Named {
            path,
            from: *from,
            to: end.max(*to),
        });
    }
    // Next to another name, such a word is none.
    if words.iter().any(|is_word| !is_word) {
        let mut words = words.into_iter();
        all.retain(|_| words.next() == Some(false));
    }
    all.sort_by_key(|one| one.from);
    all
}

/// Returns the quoted names with signs that no other name has: `'w+'`.
fn of_odd_names<'k>(statement: &str, known: &'k Known<'_>) -> Vec<Named<'k>> {
    let is_odd = |name: &str| {
        !name
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'))
    };
    let mut all = Vec::new();
    for (open, close) in QUOTES.iter().take(6) {
        for (from, _) in statement.match_indices(*open) {
            let rest = statement.get(from + open.len_utf8()..).unwrap_or_default();
            let name = rest.split(*close).next().unwrap_or_default();
            let found = Some(name).filter(|name| is_odd(name) && name.len() < rest.len());
            if let Some(path) = found.and_then(|name| known.exactly(name)) {
                let to = from + open.len_utf8() + name.len() + close.len_utf8();
                all.push(Named { path, from, to });
            }
        }
    }
    all
}

/// How a text names an argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// As a path, or after a word such as `parameter`.
    Path,
    /// In quotes, or at the beginning of a statement.
    Name,
    /// As a word next to others.
    Word,
}

/// Returns how a text names an argument there, if it does.
fn naming(statement: &str, (from, to): (usize, usize), text: &str, in_list: bool) -> Option<Form> {
    let before = statement.get(..from).unwrap_or_default();
    let after = statement.get(to..).unwrap_or_default();
    let is_path = text.starts_with("--")
        || text.starts_with('/')
        || text.starts_with('$')
        || text.contains(['.', '[', '/']);
    let is_after_noun = is(PATTERNS.noun.as_ref(), before);
    if is_after_noun || (is_path && !in_list) {
        return Some(Form::Path);
    }
    let previous = before.chars().next_back();
    let is_quoted = previous.is_some_and(|open| {
        let ends = |(from, to): &(char, char)| *from == open && after.starts_with(*to);
        QUOTES.iter().any(ends) && after.chars().nth(1) != Some('\'')
    });
    let is_at = is(PATTERNS.preposition.as_ref(), before);
    if in_list {
        let is_at = is_at && !is(PATTERNS.one_of.as_ref(), before);
        return ((is_path || is_quoted) && is_at).then_some(Form::Path);
    }
    let is_kind = is(PATTERNS.kind.as_ref(), before);
    if (is_quoted && !is_kind)
        || (is(PATTERNS.beginning.as_ref(), before) && is(PATTERNS.verb.as_ref(), after))
    {
        return Some(Form::Name);
    }
    let is_noun_next = is(PATTERNS.noun_after.as_ref(), after);
    let is_fault = is(PATTERNS.fault.as_ref(), before) && (is_noun_next || is(PATTERNS.verb.as_ref(), after));
    (is_quoted || is_fault || (is_at && is_noun_next)).then_some(Form::Word)
}

/// Reads a text that names no argument: one whose value it repeats is meant, if only one has this value.
pub(super) fn read_values(text: &str, known: &Known<'_>, found: &mut Vec<Complaint>) {
    let lines = text.lines().take(MOST_LINES);
    let values: Vec<(&str, Written<'_>)> = known
        .values()
        .filter_map(|(path, value)| Some((path, Written::of(value, text.len())?)))
        .collect();
    for line in lines.filter(|line| !is(PATTERNS.skipped.as_ref(), line)) {
        let repeated = values
            .iter()
            .filter_map(|(path, value)| Some((*path, repeated(line, value)?)));
        let repeated: Vec<(&str, &str)> = repeated.collect();
        let longest = repeated.iter().map(|(_, words)| words.len()).min();
        let mut longest = repeated.iter().filter(|(_, words)| Some(words.len()) == longest);
        if let (Some((path, words)), None) = (longest.next(), longest.next()) {
            push(found, path, words);
        }
    }
}

/// A value in the forms in which a text repeats it.
struct Written<'v> {
    text: Option<&'v str>,
    json: String,
    python: String,
}

impl<'v> Written<'v> {
    /// Returns none for a value that a text of this length cannot repeat.
    fn of(value: &'v Value, length: usize) -> Option<Self> {
        let json = value.to_string();
        // JSON writes one sign with at most six.
        if json.len() > 6 * length + 2 {
            return None;
        }
        let python = match value {
            Value::Null => "None".to_owned(),
            Value::Bool(true) => "True".to_owned(),
            Value::Bool(false) => "False".to_owned(),
            Value::String(text) => format!("'{text}'"),
            _ => json.replace('"', "'"),
        };
        Some(Self {
            text: value.as_str().filter(|text| text.chars().count() >= SHORTEST),
            json,
            python,
        })
    }
}

/// Returns what a line says of a value: the words around the value in quotes, or those after it at the beginning.
fn repeated<'l>(line: &'l str, value: &Written<'_>) -> Option<&'l str> {
    let rests = line.match_indices(": ").map(|(at, mark)| at + mark.len());
    let begun = std::iter::once(0).chain(rests).find_map(|from| {
        let rest = line.get(from..)?.trim_start();
        after_value(rest, value)
    });
    let quoted = || {
        let text = value.text?;
        let marks = QUOTES.iter().take(6);
        let mut marks = marks.map(|(open, close)| format!("{open}{text}{close}"));
        let is_there = marks.any(|mark| line.contains(&mark)) || line.contains(&value.json);
        is_there.then_some(line)
    };
    begun.or_else(quoted)
}

/// Returns the words after a value at the beginning of a text, as Python or JSON writes it:
/// `0 is less than the minimum of 1`.
fn after_value<'t>(text: &'t str, value: &Written<'_>) -> Option<&'t str> {
    [&value.python, &value.json].into_iter().find_map(|written| {
        // Both differ in blanks.
        let mut rest = text.chars();
        for expected in written.chars().filter(|c| !c.is_whitespace()) {
            let next = rest.find(|c| !c.is_whitespace())?;
            if next != expected {
                return None;
            }
        }
        Some(rest.as_str()).filter(|rest| rest.starts_with(' '))
    })
}

/// Returns true if every expression compiled.
#[cfg(test)]
pub(super) fn all_compiled() -> bool {
    let all = &*PATTERNS;
    [
        &all.token,
        &all.skipped,
        &all.at,
        &all.instance,
        &all.list,
        &all.noun,
        &all.fault,
        &all.kind,
        &all.preposition,
        &all.one_of,
        &all.beginning,
        &all.verb,
        &all.noun_after,
    ]
    .iter()
    .all(|pattern| pattern.is_some())
}
