//! Reads the tools that the settings declare: a command or an HTTP request, with its schema.
//!
//! Must not know: how such a tool runs.

mod identity;

use std::collections::BTreeMap;
use std::ops::Range;
use std::time::Duration;

use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};
use toml::Spanned;

use self::identity::written;
use super::env::Env;
use super::expand::expand;
use super::hosts::{self, Hosts};
use overrule_base::document::{self, At, Document, Field, Json, near, parsed, strings, texts};
use overrule_domain::call::EffectClass;
use overrule_domain::sandbox::Level;
use overrule_policy::Notice;
use overrule_schema::Checker;
use overrule_tools::sources::builtin;
use overrule_tools::sources::declared::{
    Action, Body, Declaration, KeyPlace, Output, Pattern, Request, has_dot_segment,
};

/// Methods of a request.
const METHODS: [&str; 7] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
/// Default time limit.
const LIMIT: u64 = 120_000;

/// The keys of `[tool.NAME]` that declare a tool.
#[derive(Debug, Clone, Default)]
pub struct DeclaredTable {
    /// `description`
    pub description: Field<String>,
    /// `schema`
    pub schema: Option<Spanned<Json>>,
    /// `command`
    pub command: Field<Vec<Pattern>>,
    /// `http`
    pub http: Option<Spanned<HttpTable>>,
    /// `stdin`
    pub stdin: Field<Pattern>,
    /// `timeout`, in milliseconds
    pub timeout: Field<u64>,
    /// `output`
    pub output: Field<OutputKind>,
    /// `output_schema`
    pub output_schema: Option<Spanned<Json>>,
    /// `success`
    pub success: Field<Vec<i32>>,
    /// `idempotency_key`
    pub idempotency_key: Field<String>,
    /// `sandbox`
    pub sandbox: Field<Level>,
    /// `network`
    pub network: Hosts,
}

/// `http` as written.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HttpTable {
    #[serde(deserialize_with = "method")]
    method: Field<String>,
    #[serde(deserialize_with = "url")]
    url: Field<Pattern>,
    #[serde(default)]
    headers: BTreeMap<String, String>,
    #[serde(default)]
    body: Option<Spanned<Json>>,
}

/// What an output is, as written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OutputKind {
    /// Text.
    Text,
    /// JSON.
    Json,
}

/// Advice for required keys.
pub(super) const MISSING: [(&str, &str); 2] = [
    ("method", "add method = \"GET\" or another one"),
    ("url", "add url = \"https://…\""),
];

strings! {
    url: Pattern = |text| Pattern::parse(text).and_then(checked_url), "write an address such as \"https://host/items/{id}\"";
    method: String = |text| METHODS.contains(&text).then(|| text.to_owned()).ok_or_else(|| format!("`{text}` is no method")),
        "use GET, HEAD, POST, PUT, PATCH, DELETE or OPTIONS";
}

pub(super) fn patterns<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Field<Vec<Pattern>>, D::Error> {
    parsed(deserializer, |value| {
        if value.is_str() {
            return Err(
                "expected a list, found a string; write one string for each argument: no shell reads it"
                    .to_owned(),
            );
        }
        let found: Result<Vec<Pattern>, String> = texts(value)?.into_iter().map(Pattern::parse).collect();
        let found = found?;
        match found.first() {
            Some(program) if program.names().next().is_none() && !program.head().is_empty() => Ok(found),
            _ => Err("the program is a placeholder or empty; name it".to_owned()),
        }
    })
}

/// Refuses an address whose server an argument could choose.
fn checked_url(url: Pattern) -> Result<Pattern, String> {
    let head = url.head();
    let rest = ["https://", "http://"]
        .iter()
        .find_map(|scheme| head.strip_prefix(scheme));
    let Some(rest) = rest else {
        return Err(format!("`{url}` does not begin with http:// or https://"));
    };
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let ends = rest.len() > host.len() || url.names().next().is_none();
    if host.is_empty() || !ends {
        return Err(format!("an argument would choose the server of `{url}`"));
    }
    if has_dot_segment(&url.to_string()) {
        return Err(format!("the path of `{url}` has a part `.` or `..`"));
    }
    Ok(url)
}

/// A declared tool, with the place of its name.
#[derive(Debug, Clone)]
pub struct RawDeclared {
    declaration: Declaration,
    headers: BTreeMap<String, String>,
    place: At<()>,
}

impl DeclaredTable {
    /// Compiles the declaration; `None` for a table about a tool of another source.
    pub(super) fn compile(
        self,
        (name, span): (&str, Range<usize>),
        effect: Option<EffectClass>,
        document: &Document<'_>,
    ) -> Result<Option<RawDeclared>, document::Error> {
        let error = |span: Range<usize>, what: &str| document.error(span, what);
        if self.command.is_none() && self.http.is_none() {
            return match self.stray() {
                Some(span) => Err(error(
                    span,
                    "only goes with command or http; add one of them, or remove it",
                )),
                None => Ok(None),
            };
        }
        if let (Some(_), Some(http)) = (&self.command, &self.http) {
            return Err(error(
                http.span(),
                "the tool has a command, too; keep one of them",
            ));
        }
        if !is_name(name) {
            let what = "cannot be the name of a declared tool; use 1 to 64 letters, digits, `_` and `-`, beginning \
                        with a letter, without `__`";
            return Err(error(span, what));
        }
        if builtin::names().contains(name) {
            return Err(error(span, "is a built-in tool; choose another name for yours"));
        }
        let Some(description) = &self.description else {
            return Err(error(
                span,
                "there is no description; add description = \"…\": the model reads it",
            ));
        };
        let schema = self.schema(document)?;
        let key = self.key(document)?;
        self.check_placeholders(&schema, key.as_ref(), document)?;
        if let (Some(at), true) = (&self.output_schema, !self.is_json()) {
            return Err(error(
                at.span(),
                "only goes with output = \"json\"; add it, or remove this",
            ));
        }
        let output = if self.is_json() {
            Output::Json(self.output_schema.as_ref().map(|at| at.get_ref().0.clone()))
        } else {
            Output::Text
        };
        let (action, headers, usual) = action(&self, document)?;
        let network = hosts::read(self.network.clone(), document)?;
        let mut declaration = Declaration {
            name: name.to_owned(),
            description: description.get_ref().clone(),
            schema,
            effect: effect.unwrap_or(usual),
            action,
            limit: Duration::from_millis(self.timeout.map_or(LIMIT, Spanned::into_inner)),
            output,
            key,
            sandbox: self.sandbox.as_ref().map(|at| *at.get_ref()),
            network: network.map(Spanned::into_inner).unwrap_or_default(),
            written: String::new(),
        };
        declaration.written = written(&declaration, &headers);
        Ok(Some(RawDeclared {
            declaration,
            headers,
            place: document.source().at(Spanned::new(span, ())),
        }))
    }

    fn is_json(&self) -> bool {
        self.output
            .as_ref()
            .is_some_and(|at| *at.get_ref() == OutputKind::Json)
    }

    /// Returns a key that declares nothing by itself.
    fn stray(&self) -> Option<Range<usize>> {
        let spans = [
            self.description.as_ref().map(Spanned::span),
            self.schema.as_ref().map(Spanned::span),
            self.stdin.as_ref().map(Spanned::span),
            self.timeout.as_ref().map(Spanned::span),
            self.output.as_ref().map(Spanned::span),
            self.output_schema.as_ref().map(Spanned::span),
            self.success.as_ref().map(Spanned::span),
            self.idempotency_key.as_ref().map(Spanned::span),
            self.sandbox.as_ref().map(Spanned::span),
            self.network.as_ref().map(Spanned::span),
        ];
        spans.into_iter().flatten().next()
    }

    fn schema(&self, document: &Document<'_>) -> Result<Value, document::Error> {
        for at in [&self.schema, &self.output_schema].into_iter().flatten() {
            Checker::new(&at.get_ref().0.to_string())
                .map_err(|why| document.error(at.span(), &why.to_string()))?;
        }
        let Some(at) = &self.schema else {
            return Ok(json!({"type": "object", "properties": {}, "additionalProperties": false}));
        };
        let schema = at.get_ref().0.clone();
        if schema.get("type") != Some(&json!("object")) {
            return Err(document.error(at.span(), "the arguments are no object; add type = \"object\""));
        }
        Ok(schema)
    }

    fn key(&self, document: &Document<'_>) -> Result<Option<KeyPlace>, document::Error> {
        let Some(at) = &self.idempotency_key else {
            return Ok(None);
        };
        let place = match at.get_ref().split_once(':') {
            Some(("header", name)) if self.http.is_some() && !name.is_empty() => {
                KeyPlace::Header(name.to_owned())
            }
            Some(("argument", name)) if !name.is_empty() => KeyPlace::Placeholder(name.to_owned()),
            _ => {
                let what = "is not where a key can go; write \"header:Idempotency-Key\" (http only) or \"argument:key\"";
                return Err(document.error(at.span(), what));
            }
        };
        Ok(Some(place))
    }

    /// Refuses placeholders that no argument fills.
    fn check_placeholders(
        &self,
        schema: &Value,
        key: Option<&KeyPlace>,
        document: &Document<'_>,
    ) -> Result<(), document::Error> {
        let properties = schema.get("properties").and_then(Value::as_object);
        let mut known: Vec<&str> = properties
            .into_iter()
            .flatten()
            .map(|(name, _)| name.as_str())
            .collect();
        if let Some(KeyPlace::Placeholder(name)) = key {
            known.push(name);
        }
        let check = |span: Range<usize>, pattern: &Pattern| {
            let Some(name) = pattern.names().find(|name| !known.contains(name)) else {
                return Ok(());
            };
            let advice = near(name, known.iter().copied()).map_or_else(
                || "add it to the schema".to_owned(),
                |near| format!("did you mean `{{{near}}}`?"),
            );
            Err(document.error(span, &format!("no argument fills `{{{name}}}`; {advice}")))
        };
        if let Some(command) = &self.command {
            for pattern in command.get_ref() {
                check(command.span(), pattern)?;
            }
            check_optional(command.get_ref(), schema, key)
                .map_err(|why| document.error(command.span(), &why))?;
        }
        if let Some(at) = &self.stdin {
            check(at.span(), at.get_ref())?;
        }
        if let Some(http) = &self.http {
            let table = http.get_ref();
            if let Some(at) = &table.url {
                check(at.span(), at.get_ref())?;
            }
            if let Some(at) = &table.body {
                for text in strings_of(&at.get_ref().0) {
                    let pattern = Pattern::parse(text).map_err(|why| document.error(at.span(), &why))?;
                    check(at.span(), &pattern)?;
                }
            }
        }
        Ok(())
    }
}

impl RawDeclared {
    /// Returns the declaration as JSON, with the variables of headers not filled in.
    pub fn written(&self) -> &str {
        &self.declaration.written
    }
}

/// Returns the action with its raw headers and the effect class that is usual for it.
fn action(
    table: &DeclaredTable,
    document: &Document<'_>,
) -> Result<(Action, BTreeMap<String, String>, EffectClass), document::Error> {
    if let Some(command) = &table.command {
        let action = Action::Command {
            argv: command.get_ref().clone(),
            stdin: table.stdin.as_ref().map(|at| at.get_ref().clone()),
            success: table
                .success
                .as_ref()
                .map(|at| at.get_ref().clone())
                .unwrap_or_default(),
        };
        return Ok((action, BTreeMap::new(), EffectClass::Unknown));
    }
    let of_command = [
        table.stdin.as_ref().map(Spanned::span),
        table.success.as_ref().map(Spanned::span),
        table.sandbox.as_ref().map(Spanned::span),
        table.network.as_ref().map(Spanned::span),
    ];
    if let Some(span) = of_command.into_iter().flatten().next() {
        return Err(document.error(span, "only goes with command; remove it"));
    }
    let http = table.http.as_ref().map(Spanned::get_ref);
    let method = http
        .and_then(|http| http.method.as_ref())
        .map(|at| at.get_ref().clone());
    let method = method.unwrap_or_default();
    let usual = match method.as_str() {
        "GET" | "HEAD" => EffectClass::Read,
        "PUT" | "DELETE" => EffectClass::Idempotent,
        _ => EffectClass::Unknown,
    };
    let url = http
        .and_then(|http| http.url.as_ref())
        .map(|at| at.get_ref().clone());
    let url = url.ok_or_else(|| document.error(0..0, "http has no url"))?;
    let body = match http.and_then(|http| http.body.as_ref()) {
        None => None,
        Some(at) => Some(match &at.get_ref().0 {
            Value::String(text) => {
                Body::Text(Pattern::parse(text).map_err(|why| document.error(at.span(), &why))?)
            }
            json => Body::Json(json.clone()),
        }),
    };
    let headers = http.map(|http| http.headers.clone()).unwrap_or_default();
    if let (Some(name), Some(at)) = (headers.keys().find(|name| !is_header(name)), &table.http) {
        return Err(document.error(at.span(), &format!("`{name}` is not the name of a header")));
    }
    let request = Request {
        method,
        url,
        headers: BTreeMap::new(),
        body,
    };
    Ok((Action::Http(Box::new(request)), headers, usual))
}

/// Refuses an element that is left out if its argument is absent, and whose place the next element would take: what was
/// meant for one option would become another.
fn check_optional(argv: &[Pattern], schema: &Value, key: Option<&KeyPlace>) -> Result<(), String> {
    let required = schema.get("required").and_then(Value::as_array);
    let is_given = |name: &str| {
        let is_key = matches!(key, Some(KeyPlace::Placeholder(key)) if key == name);
        is_key || required.is_some_and(|names| names.iter().any(|one| one == name))
    };
    for pattern in argv {
        if pattern.names().next().is_none() && pattern.head() == "--" {
            return Ok(());
        }
        let absent = pattern.names().find(|name| !is_given(name));
        if let Some(name) = absent.filter(|_| !pattern.head().starts_with('-')) {
            return Err(format!(
                "`{pattern}` is left out if `{name}` is absent, and the next element would take its place; add `{name}` to \
                 required, or write --option={{{name}}}, or put \"--\" before it"
            ));
        }
    }
    Ok(())
}

/// Iterates over the texts of a JSON value.
fn strings_of(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => vec![text],
        Value::Array(items) => items.iter().flat_map(strings_of).collect(),
        Value::Object(members) => members.values().flat_map(strings_of).collect(),
        _ => Vec::new(),
    }
}

fn is_header(name: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !name.is_empty() && name.bytes().all(is_part)
}

fn is_name(name: &str) -> bool {
    name.len() <= 64
        && !name.contains("__")
        && name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
}

/// Fills in the variables of headers. Of two tools of one name that of the stronger file counts, which comes first.
pub(super) fn resolve(
    env: &Env,
    files: impl IntoIterator<Item = Vec<RawDeclared>>,
    notices: &mut Vec<Notice>,
) -> Result<Vec<Declaration>, document::Error> {
    let mut found: Vec<Declaration> = Vec::new();
    for raw in files.into_iter().flatten() {
        let mut declaration = raw.declaration;
        if found.iter().any(|known| known.name == declaration.name) {
            notices.push(Notice(format!(
                "ignored: `tool.{}` of {}: your configuration file declares a tool of that name",
                declaration.name, raw.place.place
            )));
            continue;
        }
        if let Action::Http(request) = &mut declaration.action {
            for (name, value) in &raw.headers {
                let value = expand(value, env).map_err(|why| document::Error {
                    place: raw.place.place.clone(),
                    key: format!("tool.{}.http.headers.{name}", declaration.name),
                    what: overrule_base::text::visible(&why),
                })?;
                request.headers.insert(name.clone(), value.into());
            }
        }
        found.push(declaration);
    }
    Ok(found)
}
