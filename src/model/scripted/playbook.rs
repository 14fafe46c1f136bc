//! Playbooks: rules of a scripted model, read from TOML.
//!
//! Must not know: requests, streams.
//!
//! The first matching rule wins.
//!
//! Every fault of a playbook is found here, with file, line and key. A playbook of this program has none: a test reads each
//! of them as if it were another's.

use std::sync::Arc;

use toml::Spanned;

use super::builtin;
use super::pattern::Pattern;
use super::scope::NAMES;
use super::template::Template;
use super::written::{
    MISSING, RawArg, RawCall, RawFailure, RawHead, RawPlaybook, RawRule, RawStatus, RawWhen,
};
pub use overrule_base::document::Error;
use overrule_base::document::{Document, Pairs, Text, Texts};
use overrule_domain::turn::StreamFaultKind;

/// A playbook.
#[derive(Debug, Clone)]
pub struct Playbook {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Streaming speed in tokens per second if there is an operator.
    pub tokens_per_s: f64,
    /// Named values, in order; for each, the first template with a result is used.
    pub(super) values: Vec<(String, Vec<Template>)>,
    pub(super) rules: Vec<Rule>,
}

/// What a playbook says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Meta {
    /// The default prompt.
    pub prompt: Option<String>,
    /// The file of the JSON Schema that the answer must fit, from the directory of the playbook.
    pub output_schema: Option<String>,
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
    pub prompt: Option<Pattern>,
    pub thought: Option<Pattern>,
    pub operator: Option<Pattern>,
    pub notice: Option<Pattern>,
    pub observation: Option<Pattern>,
    pub last_tool: Vec<Pattern>,
    pub last_ok: Option<bool>,
    pub last_exit: Vec<u32>,
    pub seen_call: Vec<Pattern>,
    pub done: Vec<Pattern>,
    pub failed: Vec<Pattern>,
    pub given: Option<Template>,
    pub missing: Option<Template>,
}

impl Playbook {
    /// Parses a playbook. `file` is its name in messages.
    pub fn parse(file: &str, text: &str) -> Result<Self, Error> {
        Self::read(file, text, !builtin::is_text(text))
    }

    /// Parses a playbook. Its templates and regular expressions are checked on request.
    pub(super) fn read(file: &str, text: &str, is_checked: bool) -> Result<Self, Error> {
        let document = Document::parse(file, text)?;
        let written: RawPlaybook = document.read(&MISSING)?;
        let meta = written.meta;
        let tokens_per_s = match meta.tokens_per_s {
            None => 60.0,
            Some(speed) if speed.get_ref().is_finite() && *speed.get_ref() > 0.0 => speed.into_inner(),
            Some(speed) => return Err(document.error(speed.span(), "must be more than 0")),
        };
        let mut reader = Reader {
            document: &document,
            text: Arc::from(text),
            is_checked,
            names: NAMES.iter().map(|name| (*name).to_owned()).collect(),
        };
        let mut values = Vec::new();
        for (name, texts) in &written.values.0 {
            if NAMES.contains(&name.get_ref().as_str()) {
                let what = "every playbook has a variable of this name; choose another one";
                return Err(document.error(name.span(), what));
            }
            values.push((name.get_ref().clone(), reader.templates(texts)?));
            reader.names.push(name.get_ref().clone());
        }
        let rules = written.rule.iter().map(|rule| reader.rule(rule));
        let rules: Vec<Rule> = rules.collect::<Result<_, _>>()?;
        if rules.is_empty() {
            let what = "there is no `[[rule]]`: the model would have nothing to say";
            return Err(document.error(0..0, what));
        }
        Ok(Self {
            name: meta.name,
            version: meta.version,
            tokens_per_s,
            values,
            rules,
        })
    }

    /// Returns what a playbook says of itself, reading only its `[meta]`.
    pub fn meta(file: &str, text: &str) -> Result<Meta, Error> {
        let head: RawHead = Document::parse(file, text)?.read(&MISSING)?;
        Ok(Meta {
            prompt: head.meta.prompt,
            output_schema: head.meta.output_schema,
        })
    }
}

/// Compiles what is written.
struct Reader<'d, 'a> {
    document: &'d Document<'a>,
    /// The text of the playbook.
    text: Arc<str>,
    is_checked: bool,
    /// The variables that a template may use here.
    names: Vec<String>,
}

impl Reader<'_, '_> {
    fn rule(&self, at: &Spanned<RawRule>) -> Result<Rule, Error> {
        let written = at.get_ref();
        let rule = Rule {
            when: self.conditions(&written.when)?,
            once: written.once,
            reasoning: self.templates(&written.reasoning)?,
            think: self.templates(&written.think)?,
            calls: written
                .call
                .iter()
                .map(|call| self.call(call))
                .collect::<Result<_, _>>()?,
            text: self.template(written.say.as_ref())?,
            answer: self.template(written.answer.as_ref())?,
            fail: written.fail.map(failure),
        };
        let speaks = !rule.think.is_empty() || rule.text.is_some();
        let fail = |what| Err(self.document.error(at.span(), what));
        if rule.answer.is_some() && (!rule.calls.is_empty() || speaks) {
            return fail(
                "`answer` must be alone: text with calls is a thought, so it cannot be combined with `call`, `think` or `say`",
            );
        }
        if rule.answer.is_none()
            && rule.calls.is_empty()
            && !speaks
            && rule.fail.is_none()
            && rule.reasoning.is_empty()
        {
            return fail("the rule does nothing: it needs `call`, `answer`, `think`, `say` or `fail`");
        }
        Ok(rule)
    }

    fn call(&self, written: &RawCall) -> Result<CallRule, Error> {
        Ok(CallRule {
            think: self.template(written.think.as_ref())?,
            tool: self.required(&written.tool)?,
            label: self.template(written.label.as_ref())?,
            out: self.template(written.out.as_ref())?,
            each: self.template(written.each.as_ref())?,
            args: self.pairs(&written.args)?,
        })
    }

    fn pairs(&self, written: &Pairs<Spanned<RawArg>>) -> Result<Vec<(String, Arg)>, Error> {
        let pairs = written.0.iter();
        pairs
            .map(|(key, value)| Ok((key.get_ref().clone(), self.argument(value)?)))
            .collect()
    }

    fn argument(&self, at: &Spanned<RawArg>) -> Result<Arg, Error> {
        Ok(match at.get_ref() {
            RawArg::Text(text) => {
                let text = Spanned::new(at.span(), text.clone());
                Arg::Text(self.required(&text)?)
            }
            RawArg::Plain(value) => Arg::Plain(value.clone()),
            RawArg::List(items) => Arg::List(
                items
                    .iter()
                    .map(|item| self.argument(item))
                    .collect::<Result<_, _>>()?,
            ),
            RawArg::Table(table) => Arg::Table(self.pairs(table)?),
        })
    }

    fn conditions(&self, written: &RawWhen) -> Result<When, Error> {
        let search = |text: &Option<Text>| text.as_ref().map(|text| self.regex(text, false)).transpose();
        let labels = |texts: &Texts| -> Result<Vec<Pattern>, Error> {
            texts.0.iter().map(|text| self.regex(text, true)).collect()
        };
        Ok(When {
            turn: written.turn.clone(),
            tools: written.tools,
            prompt: search(&written.prompt)?,
            thought: search(&written.thought)?,
            operator: search(&written.operator)?,
            notice: search(&written.notice)?,
            observation: search(&written.observation)?,
            last_tool: labels(&written.last_tool)?,
            last_ok: written.last_status.map(|status| status == RawStatus::Ok),
            last_exit: written.last_exit.clone(),
            seen_call: labels(&written.seen_call)?,
            done: labels(&written.done)?,
            failed: labels(&written.failed)?,
            given: self.template(written.given.as_ref())?,
            missing: self.template(written.missing.as_ref())?,
        })
    }

    fn regex(&self, text: &Text, whole: bool) -> Result<Pattern, Error> {
        let written = text.get_ref();
        let pattern = Pattern::new(written, whole);
        if self.is_checked {
            pattern.check().map_err(|why| {
                let what = format!("`{written}` is not a regular expression: {why}");
                self.document.error(text.span(), &what)
            })?;
        }
        Ok(pattern)
    }

    fn templates(&self, texts: &Texts) -> Result<Vec<Template>, Error> {
        texts.0.iter().map(|text| self.required(text)).collect()
    }

    fn template(&self, text: Option<&Text>) -> Result<Option<Template>, Error> {
        text.map(|text| self.required(text)).transpose()
    }

    fn required(&self, text: &Text) -> Result<Template, Error> {
        if self.is_checked {
            Template::check(self.document, text, &self.names)?;
        }
        Ok(Template::new(&self.text, text))
    }
}

const fn failure(written: RawFailure) -> Failure {
    Failure::Fault(match written {
        RawFailure::Hang => return Failure::Hang,
        RawFailure::Truncated => StreamFaultKind::Truncated,
        RawFailure::Network => StreamFaultKind::Network,
        RawFailure::Timeout => StreamFaultKind::Timeout,
        RawFailure::RateLimit => StreamFaultKind::RateLimit,
        RawFailure::Server => StreamFaultKind::Server,
        RawFailure::Garbage => StreamFaultKind::Garbage,
    })
}
