//! Playbooks: rules of a scripted model, read from TOML.
//!
//! Must not know: requests, streams.
//!
//! The first matching rule wins.
//!
//! Every fault of a playbook is found here, with file, line and key.

use regex::Regex;

use super::filters::last_line;
use super::scope::NAMES;
use super::template::Template;
pub use super::toml_in::Error;
use super::toml_in::{Entry, Source, Table};
use crate::domain::turn::StreamFaultKind;

/// A playbook.
#[derive(Debug, Clone)]
pub struct Playbook {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The default prompt.
    pub prompt: Option<String>,
    /// The file of the JSON Schema that the answer must fit, from the directory of the playbook.
    pub output_schema: Option<String>,
    /// Streaming speed in tokens per second if there is an operator.
    pub tokens_per_s: f64,
    /// Named values, in order; for each, the first template with a result is used.
    pub(super) values: Vec<(String, Vec<Template>)>,
    pub(super) rules: Vec<Rule>,
}

/// What the model does if a condition holds.
#[derive(Debug, Clone)]
pub(super) struct Rule {
    pub when: When,
    pub once: bool,
    pub reasoning: Vec<Template>,
    pub think: Vec<Template>,
    pub calls: Vec<CallRule>,
    pub text: Option<Template>,
    pub answer: Option<Template>,
    pub fail: Option<Failure>,
}

/// How a stream breaks on purpose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Failure {
    Fault(StreamFaultKind),
    Hang,
}

/// One call.
#[derive(Debug, Clone)]
pub(super) struct CallRule {
    pub think: Option<Template>,
    pub tool: Template,
    pub label: Option<Template>,
    pub out: Option<Template>,
    pub each: Option<Template>,
    pub args: Vec<(String, Arg)>,
}

/// An argument whose strings are templates.
#[derive(Debug, Clone)]
pub(super) enum Arg {
    Text(Template),
    Plain(serde_json::Value),
    List(Vec<Self>),
    Table(Vec<(String, Self)>),
}

/// A condition; members that are absent do not matter.
#[derive(Debug, Clone, Default)]
pub(super) struct When {
    pub turn: Vec<u32>,
    pub tools: Option<bool>,
    pub prompt: Option<Regex>,
    pub thought: Option<Regex>,
    pub operator: Option<Regex>,
    pub notice: Option<Regex>,
    pub observation: Option<Regex>,
    pub last_tool: Vec<Regex>,
    pub last_ok: Option<bool>,
    pub last_exit: Vec<u32>,
    pub seen_call: Vec<Regex>,
    pub done: Vec<Regex>,
    pub failed: Vec<Regex>,
    pub given: Option<Template>,
    pub missing: Option<Template>,
}

impl Playbook {
    /// Parses a playbook. `file` is its name in messages.
    pub fn parse(file: &str, text: &str) -> Result<Self, Error> {
        let source = Source { file, text };
        let document = source.parse()?;
        let root = Table::root(&source, &document);
        root.known(&["meta", "values", "rule"])?;
        let meta = meta(&root)?;
        let name = match meta.get("name") {
            Some(name) => name.string()?.to_owned(),
            None => return Err(meta.error("`meta.name` is missing")),
        };
        let speed = meta.get("tokens_per_s");
        let tokens_per_s = speed.as_ref().map(Entry::float).transpose()?.unwrap_or(60.0);
        if let Some(speed) = speed.filter(|_| !tokens_per_s.is_finite() || tokens_per_s <= 0.0) {
            return Err(speed.error("must be more than 0"));
        }
        let named = root.get("values").map(|values| values.table()).transpose()?;
        let mut names = NAMES.to_vec();
        let mut values = Vec::new();
        for (name, entry) in named.iter().flat_map(Table::entries) {
            if NAMES.contains(&name) {
                return Err(entry.error("every playbook has a variable of this name; choose another one"));
            }
            values.push((name.to_owned(), templates(&entry, &names)?));
            names.push(name);
        }
        let rules: Vec<Rule> = match root.get("rule") {
            Some(rules) => rules
                .items()
                .iter()
                .map(|entry| rule(entry, &names))
                .collect::<Result<_, _>>()?,
            None => Vec::new(),
        };
        if rules.is_empty() {
            return Err(root.error("there is no `[[rule]]`: the model would have nothing to say"));
        }
        Ok(Self {
            version: text_of(&meta, "version")?.unwrap_or_default(),
            prompt: text_of(&meta, "prompt")?,
            output_schema: text_of(&meta, "output_schema")?,
            name,
            tokens_per_s,
            values,
            rules,
        })
    }

    /// Returns the prompt that a playbook names, reading only its `[meta]`, so that the caller does not wait
    /// for the regular expressions of all rules.
    pub fn prompt_of(file: &str, text: &str) -> Result<Option<String>, Error> {
        let source = Source { file, text };
        let document = source.parse()?;
        text_of(&meta(&Table::root(&source, &document))?, "prompt")
    }
}

fn meta<'a>(root: &Table<'a>) -> Result<Table<'a>, Error> {
    let meta = match root.get("meta") {
        Some(meta) => meta.table()?,
        None => return Err(root.error("`[meta]` is missing: it names the playbook")),
    };
    meta.known(&["name", "version", "tokens_per_s", "prompt", "output_schema"])?;
    Ok(meta)
}

fn text_of(meta: &Table<'_>, key: &str) -> Result<Option<String>, Error> {
    let entry = meta.get(key);
    entry.map(|entry| entry.string().map(str::to_owned)).transpose()
}

fn rule(entry: &Entry<'_>, names: &[&str]) -> Result<Rule, Error> {
    let table = entry.table()?;
    table.known(&[
        "when",
        "once",
        "reasoning",
        "think",
        "call",
        "say",
        "answer",
        "fail",
    ])?;
    let many = |key: &str| table.get(key).map(|entry| templates(&entry, names)).transpose();
    let one = |key: &str| {
        table
            .get(key)
            .map(|entry| Template::read(&entry, names))
            .transpose()
    };
    let calls: Vec<CallRule> = match table.get("call") {
        Some(calls) => calls
            .items()
            .iter()
            .map(|entry| call(entry, names))
            .collect::<Result<_, _>>()?,
        None => Vec::new(),
    };
    let rule = Rule {
        when: table
            .get("when")
            .map(|when| conditions(&when, names))
            .transpose()?
            .unwrap_or_default(),
        once: table
            .get("once")
            .map(|once| once.boolean())
            .transpose()?
            .unwrap_or(false),
        reasoning: many("reasoning")?.unwrap_or_default(),
        think: many("think")?.unwrap_or_default(),
        calls,
        text: one("say")?,
        answer: one("answer")?,
        fail: table.get("fail").map(|fail| failure(&fail)).transpose()?,
    };
    let speaks = !rule.think.is_empty() || rule.text.is_some();
    if rule.answer.is_some() && (!rule.calls.is_empty() || speaks) {
        return Err(table.error(
            "`rule.answer` must be alone: text with calls is a thought, so it cannot be combined with `call`, `think` or `say`",
        ));
    }
    if rule.answer.is_none()
        && rule.calls.is_empty()
        && !speaks
        && rule.fail.is_none()
        && rule.reasoning.is_empty()
    {
        return Err(table.error("the rule does nothing: it needs `call`, `answer`, `think`, `say` or `fail`"));
    }
    Ok(rule)
}

fn failure(entry: &Entry<'_>) -> Result<Failure, Error> {
    Ok(match entry.string()? {
        "hang" => Failure::Hang,
        "truncated" => Failure::Fault(StreamFaultKind::Truncated),
        "network" => Failure::Fault(StreamFaultKind::Network),
        "timeout" => Failure::Fault(StreamFaultKind::Timeout),
        "rate_limit" => Failure::Fault(StreamFaultKind::RateLimit),
        "server" => Failure::Fault(StreamFaultKind::Server),
        "garbage" => Failure::Fault(StreamFaultKind::Garbage),
        _ => {
            return Err(
                entry.error("must be hang, truncated, network, timeout, rate_limit, server or garbage")
            );
        }
    })
}

fn call(entry: &Entry<'_>, names: &[&str]) -> Result<CallRule, Error> {
    let table = entry.table()?;
    table.known(&["think", "tool", "as", "out", "each", "args"])?;
    let one = |key: &str| {
        table
            .get(key)
            .map(|entry| Template::read(&entry, names))
            .transpose()
    };
    let Some(tool) = one("tool")? else {
        return Err(table.error("`rule.call.tool` is missing"));
    };
    let args = match table.get("args") {
        Some(args) => pairs(&args.table()?, names)?,
        None => Vec::new(),
    };
    Ok(CallRule {
        think: one("think")?,
        tool,
        label: one("as")?,
        out: one("out")?,
        each: one("each")?,
        args,
    })
}

fn pairs(table: &Table<'_>, names: &[&str]) -> Result<Vec<(String, Arg)>, Error> {
    table
        .entries()
        .into_iter()
        .map(|(key, entry)| Ok((key.to_owned(), argument(&entry, names)?)))
        .collect()
}

fn argument(entry: &Entry<'_>, names: &[&str]) -> Result<Arg, Error> {
    if entry.is_string() {
        Template::read(entry, names).map(Arg::Text)
    } else if entry.is_table() {
        pairs(&entry.table()?, names).map(Arg::Table)
    } else if entry.is_array() {
        entry
            .items()
            .iter()
            .map(|entry| argument(entry, names))
            .collect::<Result<_, _>>()
            .map(Arg::List)
    } else if entry.is_boolean() {
        entry.boolean().map(|yes| Arg::Plain(yes.into()))
    } else {
        let plain = match entry.number() {
            Ok(number) => number.into(),
            Err(_) => entry.float()?.into(),
        };
        Ok(Arg::Plain(plain))
    }
}

fn conditions(entry: &Entry<'_>, names: &[&str]) -> Result<When, Error> {
    let table = entry.table()?;
    table.known(&[
        "turn",
        "tools",
        "prompt",
        "thought",
        "operator",
        "notice",
        "observation",
        "last_tool",
        "last_status",
        "last_exit",
        "seen_call",
        "done",
        "failed",
        "given",
        "missing",
    ])?;
    let search = |key: &str| table.get(key).map(|entry| regex(&entry, false)).transpose();
    let labels = |key: &str| -> Result<Vec<Regex>, Error> {
        let items = table.get(key).map(|entry| entry.items()).unwrap_or_default();
        items.iter().map(|entry| regex(entry, true)).collect()
    };
    let one = |key: &str| {
        table
            .get(key)
            .map(|entry| Template::read(&entry, names))
            .transpose()
    };
    let turns = table.get("turn").map(|turn| turn.items()).unwrap_or_default();
    let last_ok = match table.get("last_status") {
        None => None,
        Some(status) => match status.string()? {
            "ok" => Some(true),
            "error" => Some(false),
            _ => return Err(status.error("must be \"ok\" or \"error\"")),
        },
    };
    let exits = table
        .get("last_exit")
        .map(|exit| exit.items())
        .unwrap_or_default();
    Ok(When {
        turn: turns.iter().map(Entry::number).collect::<Result<_, _>>()?,
        tools: table.get("tools").map(|tools| tools.boolean()).transpose()?,
        prompt: search("prompt")?,
        thought: search("thought")?,
        operator: search("operator")?,
        notice: search("notice")?,
        observation: search("observation")?,
        last_tool: labels("last_tool")?,
        last_ok,
        last_exit: exits.iter().map(Entry::number).collect::<Result<_, _>>()?,
        seen_call: labels("seen_call")?,
        done: labels("done")?,
        failed: labels("failed")?,
        given: one("given")?,
        missing: one("missing")?,
    })
}

fn regex(entry: &Entry<'_>, whole: bool) -> Result<Regex, Error> {
    let text = entry.string()?;
    let pattern = if whole {
        format!("^(?:{text})$")
    } else {
        text.to_owned()
    };
    Regex::new(&pattern).map_err(|error| {
        entry.error(&format!(
            "`{text}` is not a regular expression: {}",
            last_line(&error)
        ))
    })
}

fn templates(entry: &Entry<'_>, names: &[&str]) -> Result<Vec<Template>, Error> {
    let items = entry.items();
    items.iter().map(|entry| Template::read(entry, names)).collect()
}
