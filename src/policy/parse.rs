//! Reads rules from TOML.
//!
//! Must not know: where the text comes from.
//!
//! ```toml
//! preset = "guarded"
//!
//! [[rule]] tool = "shell" args = [{ at = "/command", glob = "cargo *" }] gate = "allow" reason =
//! "builds and tests are fine" ```

use std::path::{Path, PathBuf};

use regex::Regex;
use serde::{Deserialize, Deserializer};
use toml::Spanned;

use super::expiry::{Deadline, duration_ms};
use super::matcher::{Matcher, Pattern, Predicate, Test, WORDS};
use super::place::flatten;
use super::preset::Preset;
use super::rule::{Origin, Rule};
use overrule_base::document::{At, Document, Error, Field, Json, parsed, strings, texts, whole, wrong};
use overrule_base::shell_line::{MOST_WORDS, tell_what_runs};
use overrule_domain::call::{Consequence, EffectClass, Gate};

/// Advice on how to write a duration.
pub const DURATION: &str = "write a number and ms, s, m, h or d, such as \"30s\"";
/// Why a rule may not allow commands with these first words.
const FEW_WORDS: &str = "does not tell what runs; add words up to the name of what runs, at least two, such as \
                         [\"python3\", \"-m\", \"unittest\"]";
/// Advice for required keys.
pub const MISSING: [(&str, &str); 2] = [
    ("gate", "add gate = \"allow\", \"ask\" or \"deny\""),
    ("at", "add at = \"/name\", a JSON pointer into the arguments"),
];

/// The contents of a policy table.
#[derive(Debug, Clone, Default)]
pub struct RawPolicy {
    /// The preset, if it names one.
    pub preset: Option<At<Preset>>,
    /// The deadline of questions whose rule has none.
    pub deadline: Option<At<Deadline>>,
    /// The rules, in order.
    pub rules: Vec<Rule>,
}

/// A policy table as written.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PolicyTable {
    preset: Field<Preset>,
    #[serde(deserialize_with = "duration")]
    deadline: Field<u64>,
    on_expiry: Field<Consequence>,
    rule: Vec<Spanned<RuleTable>>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct RuleTable {
    gate: Gate,
    #[serde(default, deserialize_with = "patterns")]
    tool: Field<Vec<Pattern>>,
    #[serde(default, deserialize_with = "patterns")]
    server: Field<Vec<Pattern>>,
    #[serde(default, deserialize_with = "effects")]
    effect: Field<Vec<EffectClass>>,
    #[serde(default, deserialize_with = "tags")]
    tag: Field<Vec<String>>,
    #[serde(default, deserialize_with = "first_words")]
    words: Field<Vec<String>>,
    #[serde(default, deserialize_with = "full")]
    sandbox: Field<bool>,
    #[serde(default, deserialize_with = "only_true")]
    outside: Field<bool>,
    #[serde(default)]
    args: Vec<PredicateTable>,
    reason: Option<String>,
    #[serde(default, deserialize_with = "duration")]
    deadline: Field<u64>,
    on_expiry: Field<Consequence>,
    #[serde(default, deserialize_with = "whole::<1, { u32::MAX as u64 }, _, _>")]
    uses: Field<u32>,
    #[serde(default, deserialize_with = "time")]
    expires: Field<i64>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct PredicateTable {
    #[serde(deserialize_with = "pointer")]
    at: Field<String>,
    #[serde(default, deserialize_with = "glob")]
    glob: Field<Test>,
    #[serde(default, deserialize_with = "regex")]
    regex: Field<Test>,
    is: Option<Json>,
    #[serde(default, deserialize_with = "finite")]
    min: Field<f64>,
    #[serde(default, deserialize_with = "finite")]
    max: Field<f64>,
    #[serde(default, deserialize_with = "under")]
    under: Field<PathBuf>,
    #[serde(default)]
    not: bool,
}

/// Reads a file that contains only a policy.
pub fn file(name: &str, text: &str, origin: Origin) -> Result<RawPolicy, Error> {
    let document = Document::parse(name, text)?;
    compiled(document.read(&MISSING)?, &document, origin)
}

/// Compiles a policy table.
pub fn compiled(table: PolicyTable, document: &Document<'_>, origin: Origin) -> Result<RawPolicy, Error> {
    let rules = table.rule.into_iter().map(|table| rule(table, document, origin));
    Ok(RawPolicy {
        preset: table.preset.map(|preset| document.source().at(preset)),
        deadline: deadline(table.deadline, table.on_expiry, document)?,
        rules: rules.collect::<Result<_, _>>()?,
    })
}

fn rule(table: Spanned<RuleTable>, document: &Document<'_>, origin: Origin) -> Result<Rule, Error> {
    let span = table.span();
    let table = table.into_inner();
    if let (Some(at), true) = (&table.uses, table.gate != Gate::Allow) {
        return Err(document.error(at.span(), "only goes with gate = \"allow\"; remove it"));
    }
    if let (Some(at), true) = (&table.deadline, table.gate != Gate::Ask) {
        return Err(document.error(at.span(), "only goes with gate = \"ask\"; remove it"));
    }
    let mut args = table
        .args
        .into_iter()
        .map(|table| predicate(table, document))
        .collect::<Result<Vec<Predicate>, _>>()?;
    if let Some(words) = table.words {
        if table.gate == Gate::Allow && !tell_what_runs(words.get_ref()) {
            return Err(document.error(words.span(), FEW_WORDS));
        }
        args.push(Predicate {
            at: WORDS.to_owned(),
            test: Test::Begins(words.into_inner()),
            not: false,
        });
    }
    let matcher = Matcher {
        tools: value(table.tool).unwrap_or_default(),
        servers: value(table.server).unwrap_or_default(),
        effects: value(table.effect).unwrap_or_default(),
        tags: value(table.tag).unwrap_or_default(),
        args,
        edits: None,
        undoable: None,
        in_full_sandbox: table.sandbox.is_some(),
        outside: table.outside.is_some(),
    };
    if matcher.in_full_sandbox && matcher.outside {
        let what = "no call starts in the sandbox and outside of it; remove sandbox or outside";
        return Err(document.error(span, what));
    }
    if matcher.is_empty() {
        let what = "names no tool, and nothing else says which calls the rule is about; add tool = \"*\" for all of them";
        return Err(document.error(span, what));
    }
    Ok(Rule {
        origin,
        place: Some(document.source().place(span.start)),
        text: document.describe(&span),
        no: None,
        exact: None,
        matcher,
        gate: table.gate,
        reason: table.reason,
        deadline: deadline(table.deadline, table.on_expiry, document)?.map(|at| at.value),
        uses: value(table.uses),
        expires: value(table.expires),
    })
}

fn value<T>(given: Field<T>) -> Option<T> {
    given.map(Spanned::into_inner)
}

fn deadline(
    after: Field<u64>,
    then: Field<Consequence>,
    document: &Document<'_>,
) -> Result<Option<At<Deadline>>, Error> {
    match (after, then) {
        (None, None) => Ok(None),
        (None, Some(then)) => Err(document.error(then.span(), "without a deadline; add deadline = \"5m\"")),
        (Some(after), then) => {
            let on_expiry = value(then).unwrap_or(Consequence::Deny);
            let At { value: ms, place } = document.source().at(after);
            let value = Deadline { ms, on_expiry };
            Ok(Some(At { value, place }))
        }
    }
}

fn predicate(table: PredicateTable, document: &Document<'_>) -> Result<Predicate, Error> {
    let at = table.at.unwrap_or_else(|| Spanned::new(0..0, String::new()));
    let (min, max) = (value(table.min), value(table.max));
    let range = (min.is_some() || max.is_some()).then_some(Test::Range { min, max });
    let tests = [
        value(table.glob),
        value(table.regex),
        table.is.map(|json| Test::Is(json.0)),
        range,
        value(table.under).map(Test::Under),
    ];
    let mut tests = tests.into_iter().flatten();
    let what = match (tests.next(), tests.next()) {
        (Some(test), None) => {
            return Ok(Predicate {
                at: at.into_inner(),
                test,
                not: table.not,
            });
        }
        (None, _) => "nothing to compare with; add one of glob, regex, is, min and max, under",
        (Some(_), Some(_)) => "more than one thing to compare with; write one table of args for each",
    };
    Err(document.error(at.span(), what))
}

strings! {
    duration: u64 = |text| duration_ms(text).ok_or_else(|| format!("`{text}` is no duration")), DURATION;
    pointer: String = |text| match text {
        "" => Ok(String::new()),
        text if text.starts_with('/') => Ok(text.to_owned()),
        text => Err(format!("`{text}` is no JSON pointer")),
    }, "begin it with a slash, such as \"/path\"";
    glob: Test = |text| Pattern::new(text).map(Test::Glob).map_err(|error| format!("not a glob: {}", error.kind())), GLOB;
    regex: Test = compiled_regex, "correct it; a literal string in single quotes needs no escapes";
    under: PathBuf = |text| match flatten(Path::new(text)) {
        Some(flat) if !Path::new(text).is_absolute() => Ok(flat),
        _ => Err(format!("`{text}` does not stay in the workspace")),
    }, "write a directory relative to it, \".\" for all of it";
}

const GLOB: &str = "use * for any text, ? for one character, {a,b} for either";

fn compiled_regex(text: &str) -> Result<Test, String> {
    match (Regex::new(text), Regex::new(&format!("^(?:{text})$"))) {
        (Ok(part), Ok(whole)) => Ok(Test::Regex { part, whole }),
        (Err(error), _) | (_, Err(error)) => {
            let words = error.to_string();
            let last = words.lines().last().unwrap_or("").trim_start_matches("error: ");
            Err(format!("not a regular expression: {last}"))
        }
    }
}

fn patterns<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Field<Vec<Pattern>>, D::Error> {
    parsed(deserializer, |value| {
        texts(value)?.into_iter().map(pattern).collect()
    })
}

fn pattern(glob: &str) -> Result<Pattern, String> {
    Pattern::new(glob).map_err(|error| format!("not a glob: {}; {GLOB}", error.kind()))
}

fn effects<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Field<Vec<EffectClass>>, D::Error> {
    let class = |word: &str| {
        EffectClass::named(word).ok_or_else(|| {
            format!("unknown effect class `{word}`; use pure, read, idempotent, write or unknown")
        })
    };
    parsed(deserializer, |value| {
        texts(value)?.into_iter().map(class).collect()
    })
}

fn first_words<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Field<Vec<String>>, D::Error> {
    parsed(deserializer, |value| {
        if !value.is_array() {
            return Err(wrong(
                value.type_str(),
                "a list of words, such as [\"cargo\", \"test\"]",
            ));
        }
        let words: Vec<String> = texts(value)?.into_iter().map(str::to_owned).collect();
        let is_word = |word: &String| !word.is_empty() && !word.contains(char::is_control);
        match words.len() {
            0 => Err("names no word; write the first words of a command".to_owned()),
            count if count > MOST_WORDS => Err(format!("has more than {MOST_WORDS} words; remove some")),
            _ if !words.iter().all(is_word) => {
                Err("has an empty word, or one with a line break; remove it".to_owned())
            }
            _ => Ok(words),
        }
    })
}

fn tags<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Field<Vec<String>>, D::Error> {
    parsed(deserializer, |value| {
        Ok(texts(value)?.into_iter().map(str::to_owned).collect())
    })
}

fn full<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Field<bool>, D::Error> {
    let advice = "write sandbox = \"full\"";
    parsed(deserializer, |value| match value.as_str() {
        Some("full") => Ok(true),
        Some(text) => Err(format!("`{text}` is no state of the sandbox; {advice}")),
        None => Err(wrong(value.type_str(), advice)),
    })
}

fn only_true<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Field<bool>, D::Error> {
    parsed(deserializer, |value| match value.as_bool() {
        Some(true) => Ok(true),
        Some(false) => Err("only true is a condition; remove it".to_owned()),
        None => Err(wrong(value.type_str(), "true")),
    })
}

fn time<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Field<i64>, D::Error> {
    let advice = "write it such as 2030-01-31T12:00:00Z";
    parsed(deserializer, |value| {
        let text = match value {
            toml::Value::Datetime(time) => time.to_string(),
            toml::Value::String(text) => text.clone(),
            other => return Err(wrong(other.type_str(), "a time such as 2030-01-31T12:00:00Z")),
        };
        let time = text.parse::<jiff::Timestamp>();
        time.map(jiff::Timestamp::as_millisecond)
            .map_err(|_| format!("`{text}` is no time with an offset from UTC; {advice}"))
    })
}

fn finite<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Field<f64>, D::Error> {
    parsed(deserializer, |value| {
        let number = value.as_float().or_else(|| value.as_integer().map(|n| n as f64));
        number
            .filter(|number| number.is_finite())
            .ok_or_else(|| wrong(value.type_str(), "a number"))
    })
}
