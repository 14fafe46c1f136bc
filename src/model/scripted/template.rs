//! Templates: text with `{{ source | filter "argument" }}`, `{{#if …}}` and `{{#each …}}`.
//!
//! Must not know: where values come from.
//!
//! A playbook consists of them. They are parsed once, when the playbook is loaded, so that mistakes
//! are reported with their line before anything runs.

use regex::Regex;

/// A parsed template.
#[derive(Debug, Clone, Default)]
pub struct Template(pub Vec<Piece>);

/// One piece of a template.
#[derive(Debug, Clone)]
pub enum Piece {
    /// Literal text.
    Text(String),
    /// The value of an expression.
    Show(Expr),
    /// The first template if the expression yields something, otherwise the second.
    If(Expr, Template, Template),
    /// The template once for each item.
    Each(Expr, Template),
}

/// A source and the filters applied to its value.
#[derive(Debug, Clone)]
pub struct Expr {
    /// The names, which are separated by dots.
    pub source: Vec<String>,
    /// The filters, in order.
    pub filters: Vec<Filter>,
}

/// One filter with its arguments.
#[derive(Debug, Clone)]
pub struct Filter {
    /// Its name.
    pub name: String,
    /// Its arguments.
    pub args: Vec<Arg>,
}

/// An argument of a filter.
#[derive(Debug, Clone)]
pub enum Arg {
    /// A quoted text, and the same as a regular expression if it is valid.
    Text(String, Option<Regex>),
    /// A number.
    Number(usize),
    /// Another source.
    Source(Vec<String>),
}

/// The arguments of each filter, one letter each: `t` text, `r` regular expression, `n` number, `s` source;
/// capitals are optional; `*` repeats the last.
pub const FILTERS: &[(&str, &str)] = &[
    ("cap", "n"),
    ("code", ""),
    ("count", ""),
    ("default", "t"),
    ("extract", "r"),
    ("first", "N"),
    ("grep", "r"),
    ("join", "t"),
    ("last", "N"),
    ("lines", ""),
    ("lower", ""),
    ("match", "r*"),
    ("more_than", "n"),
    ("plural", "tt"),
    ("plus", "s"),
    ("prefix", "t"),
    ("regex", ""),
    ("reject", "r"),
    ("replace", "rt"),
    ("skip", "n"),
    ("sort", ""),
    ("suffix", "t"),
    ("tally", "T"),
    ("trim", ""),
    ("unique", ""),
];

impl Template {
    /// Parses a template.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut parser = Parser {
            whole: text,
            rest: text,
        };
        let (template, end) = parser.pieces()?;
        match end {
            Tag::End => Ok(template),
            Tag::Else => Err("`{{else}}` must be inside `{{#if}}`".to_owned()),
            Tag::Close(name) => Err(format!("`{{{{/{name}}}}}` closes nothing")),
        }
    }

    /// Returns the expression if the template consists of nothing else.
    pub fn sole(&self) -> Option<&Expr> {
        match self.0.as_slice() {
            [Piece::Show(expr)] => Some(expr),
            _ => None,
        }
    }
}

/// The tag that ended a sequence of pieces.
enum Tag {
    End,
    Else,
    Close(String),
}

struct Parser<'a> {
    whole: &'a str,
    rest: &'a str,
}

impl<'a> Parser<'a> {
    fn pieces(&mut self) -> Result<(Template, Tag), String> {
        let mut pieces = Vec::new();
        loop {
            let Some((before, after)) = self.rest.split_once("{{") else {
                push_text(&mut pieces, self.rest);
                self.rest = "";
                return Ok((Template(pieces), Tag::End));
            };
            let line_start = self.line_start(after);
            self.rest = after;
            let tag = self.tag()?;
            let control = tag.starts_with(['#', '/']) || tag == "else";
            push_text(&mut pieces, before);
            // A control tag alone at the start of its line leaves no empty line.
            if control && line_start {
                self.rest = self.rest.strip_prefix('\n').unwrap_or(self.rest);
            }
            if tag == "else" {
                return Ok((Template(pieces), Tag::Else));
            } else if let Some(name) = tag.strip_prefix('/') {
                return Ok((Template(pieces), Tag::Close(name.trim().to_owned())));
            } else if let Some(condition) = tag.strip_prefix("#if ") {
                pieces.push(self.condition(condition)?);
            } else if let Some(list) = tag.strip_prefix("#each ") {
                let expr = expr(list)?;
                let (body, end) = self.pieces()?;
                closes(&end, "each")?;
                pieces.push(Piece::Each(expr, body));
            } else if tag.starts_with('#') {
                return Err(format!("`{{{{{tag}}}}}` is not known; there are #if and #each"));
            } else {
                pieces.push(Piece::Show(expr(tag)?));
            }
        }
    }

    /// Returns true if the tag whose content begins here is at the start of a line.
    fn line_start(&self, inside: &str) -> bool {
        let before = self.whole.len().saturating_sub(inside.len() + "{{".len());
        self.whole
            .get(..before)
            .is_none_or(|before| before.is_empty() || before.ends_with('\n'))
    }

    fn condition(&mut self, condition: &str) -> Result<Piece, String> {
        let expr = expr(condition)?;
        let (yes, end) = self.pieces()?;
        let no = if matches!(end, Tag::Else) {
            let (no, end) = self.pieces()?;
            closes(&end, "if")?;
            no
        } else {
            closes(&end, "if")?;
            Template::default()
        };
        Ok(Piece::If(expr, yes, no))
    }

    /// Returns the text up to the closing braces; braces in quotes are ignored.
    fn tag(&mut self) -> Result<&'a str, String> {
        let mut quoted = false;
        let mut escaped = false;
        for (at, c) in self.rest.char_indices() {
            if escaped {
                escaped = false;
            } else if quoted && c == '\\' {
                escaped = true;
            } else if c == '"' {
                quoted = !quoted;
            } else if !quoted && self.rest.get(at..).is_some_and(|rest| rest.starts_with("}}")) {
                let (tag, after) = self.rest.split_at(at);
                self.rest = after.get(2..).unwrap_or_default();
                return Ok(tag.trim());
            }
        }
        Err("`{{` is never closed by `}}`".to_owned())
    }
}

fn push_text(pieces: &mut Vec<Piece>, text: &str) {
    if !text.is_empty() {
        pieces.push(Piece::Text(text.to_owned()));
    }
}

fn closes(end: &Tag, name: &str) -> Result<(), String> {
    match end {
        Tag::Close(found) if found == name => Ok(()),
        _ => Err(format!("`{{{{#{name}}}}}` is not closed by `{{{{/{name}}}}}`")),
    }
}

fn expr(text: &str) -> Result<Expr, String> {
    let mut stages = split_outside_quotes(text).into_iter();
    let source = path(stages.next().unwrap_or_default().trim())?;
    let filters = stages
        .map(|stage| filter(stage.trim()))
        .collect::<Result<_, _>>()?;
    Ok(Expr { source, filters })
}

fn split_outside_quotes(text: &str) -> Vec<&str> {
    let (mut quoted, mut escaped) = (false, false);
    text.split(|c| {
        if escaped {
            escaped = false;
            return false;
        }
        match c {
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            _ => {}
        }
        c == '|' && !quoted
    })
    .collect()
}

fn path(text: &str) -> Result<Vec<String>, String> {
    let names: Vec<String> = text.split('.').map(str::to_owned).collect();
    let fine = |name: &String| {
        !name.is_empty()
            && name
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '@'))
    };
    if names.iter().all(fine) {
        Ok(names)
    } else {
        Err(format!(
            "`{text}` is not a source: names with dots between them, such as `result.readme`"
        ))
    }
}

fn filter(text: &str) -> Result<Filter, String> {
    let mut words = tokenize(text)?.into_iter();
    let Some(Word::Bare(name)) = words.next() else {
        return Err("a filter is missing after `|`".to_owned());
    };
    let Some((_, requested)) = FILTERS.iter().find(|(known, _)| *known == name) else {
        let names: Vec<&str> = FILTERS.iter().map(|(name, _)| *name).collect();
        return Err(format!(
            "`{name}` is not a filter; there are {}",
            names.join(", ")
        ));
    };
    let given: Vec<Word> = words.collect();
    let args = arguments(&name, requested, given)?;
    Ok(Filter { name, args })
}

fn arguments(name: &str, requested: &str, given: Vec<Word>) -> Result<Vec<Arg>, String> {
    let repeats = requested.ends_with('*');
    let kinds: Vec<char> = requested.chars().filter(|kind| *kind != '*').collect();
    let least = kinds.iter().filter(|kind| kind.is_lowercase()).count();
    if given.len() < least || (!repeats && given.len() > kinds.len()) {
        return Err(format!(
            "`{name}` takes {} arguments, not {}",
            kinds.len(),
            given.len()
        ));
    }
    let last = kinds.last().copied().unwrap_or('t');
    given
        .into_iter()
        .enumerate()
        .map(|(at, word)| argument(name, kinds.get(at).copied().unwrap_or(last), word))
        .collect()
}

fn argument(name: &str, kind: char, word: Word) -> Result<Arg, String> {
    match (kind.to_ascii_lowercase(), word) {
        ('t', Word::Quoted(text)) => Ok(Arg::Text(text, None)),
        ('r', Word::Quoted(text)) => match Regex::new(&text) {
            Ok(regex) => Ok(Arg::Text(text, Some(regex))),
            Err(error) => Err(format!(
                "`{text}` is not a regular expression: {}",
                last_line(&error)
            )),
        },
        ('n', Word::Bare(text)) => match text.parse() {
            Ok(number) => Ok(Arg::Number(number)),
            Err(_) => Err(format!("`{name}` takes a number, not `{text}`")),
        },
        ('s', Word::Bare(text)) => Ok(Arg::Source(path(&text)?)),
        (_, Word::Quoted(text) | Word::Bare(text)) => Err(format!("`{name}` does not take `{text}` there")),
    }
}

/// Returns the line of a regular expression's error that names the fault.
pub fn last_line(error: &regex::Error) -> String {
    let text = error.to_string();
    text.lines().last().unwrap_or_default().trim().to_owned()
}

enum Word {
    Bare(String),
    Quoted(String),
}

/// Splits a text into words and quoted texts. In quotes, `\"` is a quotation mark and every other backslash
/// is literal.
fn tokenize(text: &str) -> Result<Vec<Word>, String> {
    let mut words = Vec::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c.is_whitespace() {
            continue;
        }
        if c != '"' {
            let mut bare = String::from(c);
            while let Some(more) = chars.next_if(|c| !c.is_whitespace() && *c != '"') {
                bare.push(more);
            }
            words.push(Word::Bare(bare));
            continue;
        }
        let mut quoted = String::new();
        loop {
            match chars.next() {
                None => return Err("a quoted text is not closed".to_owned()),
                Some('"') => break,
                Some('\\') => match chars.next() {
                    Some('"') => quoted.push('"'),
                    Some(other) => quoted.extend(['\\', other]),
                    None => return Err("a quoted text is not closed".to_owned()),
                },
                Some(other) => quoted.push(other),
            }
        }
        words.push(Word::Quoted(quoted));
    }
    Ok(words)
}
