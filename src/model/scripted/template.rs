//! Renders the templates of a playbook: Jinja with strict undefined values and bounds.
//!
//! Must not know: requests, rules.

use std::ops::Range;
use std::sync::{Arc, LazyLock, OnceLock};

use minijinja::syntax::SyntaxConfig;
use minijinja::value::Value;
use minijinja::{AutoEscape, Environment, ErrorKind, UndefinedBehavior, escape_formatter};
use regex::Regex;

use super::filters;
use overrule_base::document::{Document, Error, Text};
use overrule_base::text::visible_head;

/// Steps that the templates of one request may take; 64 bytes of text cost one step.
pub const STEPS: u64 = 1_000_000;

/// Characters of a message of the template engine that are shown.
const SHOWN: usize = 400;

/// A template and its place in the playbook. It is compiled when it is first rendered.
#[derive(Debug, Clone)]
pub struct Template {
    source: Arc<str>,
    /// True for one `{{ expression }}`: its value stays a list, a number or a map.
    is_expression: OnceLock<bool>,
    place: Place,
}

/// The place of a template in the text of a playbook. Its key and line are looked up when a fault names them.
#[derive(Debug, Clone)]
struct Place {
    playbook: Arc<str>,
    span: Range<usize>,
}

impl Place {
    /// Returns the key of the template, and the line of the file for one of its own lines, counted from 1.
    fn find(&self, line: usize) -> (String, usize) {
        let Ok(document) = Document::parse("", &self.playbook) else {
            return (String::new(), line);
        };
        (
            key(&document, &self.span),
            Lines::of(&document, &self.span).line(line),
        )
    }
}

/// On which lines of the file the lines of a string are.
#[derive(Debug, Clone, Copy)]
struct Lines {
    first: usize,
    /// True if the lines of the string are lines of the file.
    follow: bool,
}

impl Lines {
    fn of(document: &Document<'_>, span: &Range<usize>) -> Self {
        let written = document.source().text().get(span.clone()).unwrap_or_default();
        let first = document.source().place(span.start).line;
        let inner = written
            .strip_prefix("'''")
            .or_else(|| written.strip_prefix("\"\"\""));
        let broken = inner.is_some_and(|inner| inner.starts_with(['\n', '\r']));
        Self {
            first: first + usize::from(broken),
            // A line that ends with a backslash is joined with the next one.
            follow: inner.is_some_and(|inner| !(written.starts_with('"') && inner.contains("\\\n"))),
        }
    }

    /// Returns the line of the file for a line of the string, both counted from 1.
    const fn line(self, line: usize) -> usize {
        if self.follow {
            self.first + line.saturating_sub(1)
        } else {
            self.first
        }
    }
}

/// Returns the key of a template. The line tells which of several rules or calls it is in.
fn key(document: &Document<'_>, span: &Range<usize>) -> String {
    let mut key = document.key(span);
    while let Some((before, rest)) = key.split_once('[') {
        let after = rest.split_once(']').map_or("", |(_, after)| after);
        key = format!("{before}{after}");
    }
    key
}

/// Why a template gives nothing, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, `{key}`: {what}")]
pub struct Fault {
    /// The line in the playbook, counted from 1.
    pub line: usize,
    /// The key of the template.
    pub key: Arc<str>,
    /// What is wrong, and what to do.
    pub what: String,
    /// True if the context lacks the value.
    pub is_undefined: bool,
}

/// What a template gave, and the steps that it took.
pub struct Rendered {
    /// The text.
    pub text: String,
    /// The value: of one expression its own, otherwise the text.
    pub value: Value,
    /// The steps.
    pub steps: u64,
}

/// The value that was printed last.
struct Printed(Value);

static ENGINE: LazyLock<Environment<'static>> = LazyLock::new(|| {
    let mut env = Environment::new();
    env.set_undefined_behavior(UndefinedBehavior::Strict);
    env.set_auto_escape_callback(|_| AutoEscape::None);
    env.set_fuel(Some(STEPS));
    // Errors then name what is undefined.
    env.set_debug(true);
    let mut syntax = SyntaxConfig::builder();
    syntax
        .trim_blocks(true)
        .lstrip_blocks(true)
        .keep_trailing_newline(true);
    if let Ok(syntax) = syntax.build() {
        env.set_syntax(syntax);
    }
    env.set_formatter(|out, state, value| {
        state.get_or_insert_extension(Printed(Value::UNDEFINED)).0 = value.clone();
        escape_formatter(out, state, value)
    });
    filters::add_to(&mut env);
    env
});

impl Template {
    /// Makes a template of a text in a playbook. Nothing of it is checked.
    pub fn new(playbook: &Arc<str>, text: &Text) -> Self {
        Self {
            source: Arc::from(text.get_ref().as_str()),
            is_expression: OnceLock::new(),
            place: Place {
                playbook: Arc::clone(playbook),
                span: text.span(),
            },
        }
    }

    /// Checks the form of a template, and the names in it. `names` are the variables that it may use.
    pub fn check(document: &Document<'_>, text: &Text, names: &[String]) -> Result<(), Error> {
        let source = text.get_ref().as_str();
        let fail = |line: usize, what: &str| {
            let span = text.span();
            let mut error = document.error(span.clone(), what);
            error.place.line = Lines::of(document, &span).line(line);
            error.key = key(document, &span);
            error
        };
        let parsed = ENGINE.template_from_str(source).map_err(|error| {
            let what = format!("{}; hint: templates are Jinja (docs/playbook.md)", detail(&error));
            fail(error.line().unwrap_or(1), &what)
        })?;
        let mut used: Vec<String> = parsed.undeclared_variables(false).into_iter().collect();
        used.sort();
        let known = |name: &str| {
            names.iter().any(|known| known == name) || ENGINE.globals().any(|(global, _)| global == name)
        };
        if let Some(name) = used.iter().find(|name| !known(name)) {
            let line = line_of_variable(source, name);
            let what = format!(
                "`{name}` is not a variable here; hint: use one of {}, or name it above in [values]",
                names.join(", ")
            );
            return Err(fail(line, &what));
        }
        if let Some((line, what)) = unknown(source) {
            let what = format!("{what}; hint: docs/playbook.md names them");
            return Err(fail(line, &what));
        }
        Ok(())
    }

    /// True for one `{{ expression }}`.
    fn is_expression(&self) -> bool {
        *self.is_expression.get_or_init(|| {
            let source = self.source.trim();
            let inner = source.strip_prefix("{{").and_then(|rest| rest.strip_suffix("}}"));
            inner.is_some_and(|inner| {
                let inner = inner.trim_start_matches(['-', '+']).trim_end_matches('-');
                ENGINE.compile_expression(inner).is_ok()
            })
        })
    }

    /// Renders the template with these variables.
    pub fn render(&self, variables: &Value) -> Result<Rendered, Fault> {
        let rendered = ENGINE
            .template_from_str(&self.source)
            .and_then(|template| template.render_captured(variables.clone()))
            .map_err(|error| self.fault_of(&error))?;
        let state = rendered.state();
        let steps = state.fuel_levels().map_or(0, |(used, _)| used);
        let printed = state.get_extension().map(|Printed(value)| value.clone());
        let text = rendered.into_output();
        let value = printed
            .filter(|_| self.is_expression())
            .unwrap_or_else(|| Value::from(text.as_str()));
        Ok(Rendered { text, value, steps })
    }

    /// Makes a fault of this template, about one of its lines.
    pub fn fault(&self, line: usize, what: impl Into<String>) -> Fault {
        let (key, line) = self.place.find(line);
        Fault {
            line,
            key: key.into(),
            what: what.into(),
            is_undefined: false,
        }
    }

    /// The fault of templates that take too many steps.
    pub fn too_long(&self, line: usize) -> Fault {
        let what = format!(
            "the templates of one request may take {STEPS} steps (or {} MB of text), and this one needs more; hint: \
             loop over less, or shorten texts with `[:100]` or `truncate`",
            STEPS * 64 / 1_000_000
        );
        self.fault(line, what)
    }

    fn fault_of(&self, error: &minijinja::Error) -> Fault {
        let line = error.line().unwrap_or(1);
        match error.kind() {
            ErrorKind::OutOfFuel => self.too_long(line),
            ErrorKind::UndefinedError => Fault {
                is_undefined: true,
                ..self.fault(
                    line,
                    format!(
                        "{} in this request; hint: use `is defined`, `default` or a narrower `when`",
                        detail(error)
                    ),
                )
            },
            ErrorKind::UnknownFilter | ErrorKind::UnknownTest | ErrorKind::UnknownFunction => self.fault(
                line,
                format!("{}; hint: docs/playbook.md names them", detail(error)),
            ),
            _ => self.fault(
                line,
                format!("{}; hint: templates are Jinja (docs/playbook.md)", detail(error)),
            ),
        }
    }
}

/// What an error of the engine says, with the text that it is about.
fn detail(error: &minijinja::Error) -> String {
    let about = error
        .template_source()
        .zip(error.range())
        .and_then(|(source, range)| source.get(range))
        .filter(|about| !about.trim().is_empty());
    let what = match (error.kind(), error.detail(), about) {
        (ErrorKind::UndefinedError, Some(detail), _) => detail.to_owned(),
        (ErrorKind::UndefinedError, None, Some(about)) => format!("a value at `{about}` is undefined"),
        (kind, Some(detail), Some(about)) => format!("{kind} at `{about}`: {detail}"),
        (kind, None, Some(about)) => format!("{kind} at `{about}`"),
        (kind, Some(detail), None) => format!("{kind}: {detail}"),
        (kind, None, None) => kind.to_string(),
    };
    visible_head(&what, SHOWN)
}

/// The line, counted from 1, on which this byte is.
fn line_of(source: &str, at: usize) -> usize {
    1 + source.bytes().take(at).filter(|byte| *byte == b'\n').count()
}

/// A quoted text in a tag.
const QUOTED: &str = r#""(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'"#;

/// Returns the tags of a template, each with the byte at which it begins.
fn tags(source: &str) -> impl Iterator<Item = (usize, &str)> {
    static TAG: LazyLock<Option<Regex>> = LazyLock::new(|| {
        let (comment, raw) = (r"\{#.*?#\}", r"\{%-?\s*raw\b.*?\bendraw\b");
        Regex::new(&format!(
            r#"(?s){comment}|{raw}|(?<tag>\{{[{{%](?:{QUOTED}|[^"'])*?[%}}]\}})"#
        ))
        .ok()
    });
    let found = TAG.iter().flat_map(|tag| tag.captures_iter(source));
    found
        .filter_map(|found| found.name("tag"))
        .map(|tag| (tag.start(), tag.as_str()))
}

/// The line on which a variable is used.
fn line_of_variable(source: &str, name: &str) -> usize {
    let word = Regex::new(&format!(r"\b{}\b", regex::escape(name))).ok();
    let found =
        word.and_then(|word| tags(source).find_map(|(start, tag)| Some(start + word.find(tag)?.start())));
    line_of(source, found.unwrap_or_default())
}

/// Returns the line and name of the first filter or test that does not exist. The engine itself looks them up only when
/// it runs into them.
fn unknown(source: &str) -> Option<(usize, String)> {
    static NAME: LazyLock<Option<Regex>> = LazyLock::new(|| {
        let (filter, test) = (
            r"\|\s*(?<filter>[A-Za-z_]\w*)",
            r"\bis\s+(?:not\s+)?(?<test>[A-Za-z_]\w*)",
        );
        Regex::new(&format!("(?s){QUOTED}|{filter}|{test}")).ok()
    });
    let mut names = tags(source).flat_map(|(start, tag)| {
        let names = NAME.iter().flat_map(move |name| name.captures_iter(tag));
        names.map(move |names| (start, names))
    });
    names.find_map(|(start, names)| {
        let (found, what, expression) = match (names.name("filter"), names.name("test")) {
            (Some(filter), _) => (filter, "filter", format!("0|{}", filter.as_str())),
            (_, Some(test)) => (test, "test", format!("0 is {}", test.as_str())),
            _ => return None,
        };
        let error = ENGINE.compile_expression(&expression).ok()?.eval(()).err()?;
        let is_unknown = matches!(error.kind(), ErrorKind::UnknownFilter | ErrorKind::UnknownTest);
        let line = line_of(source, start + found.start());
        is_unknown.then(|| (line, format!("`{}` is not a {what}", found.as_str())))
    })
}
