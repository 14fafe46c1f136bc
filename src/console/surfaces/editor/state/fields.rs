//! The arguments of a call as fields by its schema: a text, a choice, a switch, or JSON.
//!
//! Must not know: keys, how a field is drawn, what an edit does.
//!
//! A field that is not changed keeps the bytes of its argument. What no field can express stays as it is: JSON shows it.

use std::sync::Arc;

use serde_json::Value;

use crate::ground::field::{Field, too_much};
use crate::ground::json;
use overrule_base::known_tool::{self, Kind};

/// Longest arguments that are edited as fields, in bytes.
const LONGEST: usize = 256 * 1024;

/// How a field is edited.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FieldKind {
    /// A string, as its text.
    Text,
    /// One of these values, as JSON.
    Choice(Vec<String>),
    /// Any other value, as JSON.
    Json,
}

/// An argument.
#[derive(Debug, Clone)]
pub struct ArgField {
    /// Its name.
    pub name: String,
    /// How it is edited.
    pub kind: FieldKind,
    /// True if the schema requires it.
    pub required: bool,
    /// Its type and limits, in a few words.
    pub type_label: String,
    /// What it is for, from the tool's definition. Untrusted text.
    pub description: String,
    /// Its default, as it is shown; empty for none. Untrusted text.
    pub default: String,
    /// The exact value that the call has; none if it has none.
    pub value: Option<String>,
    /// What is typed. The active field's is in the editor.
    field: Field,
    /// A text that is too long for a field.
    long: Option<String>,
}

/// The arguments of a call as fields. Exactly one is active: its text is in the editor.
#[derive(Debug, Clone)]
pub struct ArgFields {
    /// The fields, in the order of the schema, required ones first.
    pub list: Vec<ArgField>,
    /// The active one.
    pub at: usize,
    /// Arguments that the schema does not list: only JSON shows them.
    pub others: usize,
    /// The text of an edit that the active field is the new version of; the name of that argument.
    pub old: Option<String>,
    /// The arguments that the fields were made from.
    base: Arc<str>,
}

impl ArgField {
    fn new(name: &str, schema: &Value, required: bool, value: Option<&str>) -> Self {
        let kind = kind_of(schema, value);
        let shown = match (&kind, value) {
            (FieldKind::Text, Some(value)) => json::as_text(value).unwrap_or_default(),
            (FieldKind::Json, Some(value)) => json::pretty(value),
            (FieldKind::Choice(_), Some(value)) => value.to_owned(),
            (_, None) => String::new(),
        };
        let long = too_much(&shown).is_some().then(|| shown.clone());
        let text = |key: &str| {
            schema
                .get(key)
                .and_then(Value::as_str)
                .unwrap_or_default()
                .to_owned()
        };
        let mut field = Field::lines(if long.is_some() { "" } else { &shown });
        field.to_end();
        Self {
            name: name.to_owned(),
            required,
            type_label: type_label(schema, &kind, required),
            description: text("description"),
            default: schema
                .get("default")
                .map_or_else(String::new, |value| match value {
                    Value::String(text) => text.clone(),
                    other => other.to_string(),
                }),
            value: value.map(str::to_owned),
            kind,
            field,
            long,
        }
    }

    /// What is typed, as text.
    pub fn text(&self) -> String {
        self.long.clone().unwrap_or_else(|| self.field.text())
    }

    /// The text away from the cursor, with marks.
    pub fn shown(&self) -> String {
        match &self.long {
            Some(long) => format!("{} bytes", long.len()),
            None => self.field.shown(),
        }
    }

    /// The exact value for this text; none if the argument is not given. Unchanged text keeps the bytes of the value.
    fn typed(&self, text: &str) -> Option<String> {
        let is_same = match (&self.kind, &self.value) {
            (FieldKind::Text, Some(value)) => json::as_text(value).as_deref() == Some(text),
            (FieldKind::Json, Some(value)) => json::pretty(value) == text,
            (FieldKind::Choice(_), Some(value)) => value == text,
            (_, None) => text.is_empty(),
        };
        if is_same {
            return self.value.clone();
        }
        match self.kind {
            FieldKind::Text if text.is_empty() && self.value.is_none() => None,
            FieldKind::Text => Some(json::string(text)),
            FieldKind::Choice(_) | FieldKind::Json if text.trim().is_empty() => None,
            FieldKind::Choice(_) | FieldKind::Json => Some(json::compact(text)),
        }
    }
}

/// How an argument is edited: by its schema, and by the value that it has.
fn kind_of(schema: &Value, value: Option<&str>) -> FieldKind {
    let is_text = value.is_none_or(|value| json::as_text(value).is_some());
    let choices = |values: &[Value]| {
        let texts: Vec<String> = values.iter().map(Value::to_string).collect();
        let is_one = value.is_none_or(|value| texts.iter().any(|text| text == value));
        (is_one && !texts.is_empty()).then_some(FieldKind::Choice(texts))
    };
    if let Some(values) = schema.get("enum").and_then(Value::as_array)
        && let Some(kind) = choices(values)
    {
        return kind;
    }
    match schema.get("type").and_then(Value::as_str) {
        Some("boolean") => choices(&[Value::Bool(false), Value::Bool(true)]).unwrap_or(FieldKind::Json),
        Some("string") if is_text => FieldKind::Text,
        None if value.is_some() && is_text => FieldKind::Text,
        _ => FieldKind::Json,
    }
}

/// The type of an argument and its limits, in a few words.
fn type_label(schema: &Value, kind: &FieldKind, required: bool) -> String {
    let name = match (kind, schema.get("type")) {
        (FieldKind::Text, _) => "text".to_owned(),
        (FieldKind::Choice(values), _) if values.len() == 2 && values.contains(&"true".to_owned()) => {
            "yes or no".to_owned()
        }
        (FieldKind::Choice(values), _) => format!("one of {}", values.len()),
        (FieldKind::Json, Some(Value::String(name))) => name.clone(),
        (FieldKind::Json, Some(Value::Array(names))) => {
            let names: Vec<&str> = names.iter().filter_map(Value::as_str).collect();
            names.join(" or ")
        }
        (FieldKind::Json, _) => "JSON".to_owned(),
    };
    let mut label = name;
    if required {
        label.push_str(", required");
    }
    for (key, words) in [
        ("minimum", "at least"),
        ("maximum", "at most"),
        ("minLength", "at least"),
        ("maxLength", "at most"),
    ] {
        if let Some(limit) = schema.get(key).filter(|limit| limit.is_number()) {
            let unit = if key.ends_with("Length") {
                " characters"
            } else {
                ""
            };
            label = format!("{label}, {words} {limit}{unit}");
        }
    }
    label
}

/// The names of the argument that a call of this tool is mainly about.
fn main_names(tool: &str) -> &'static [&'static str] {
    match known_tool::kind(tool) {
        Some(Kind::Shell) => known_tool::LINE,
        Some(Kind::Write) => known_tool::CONTENT,
        Some(Kind::Edit) => known_tool::NEW,
        Some(Kind::Patch) => known_tool::TEXT,
        Some(Kind::Read | Kind::Other) => known_tool::PATH,
        None => &[],
    }
}

impl ArgFields {
    /// Makes fields of the arguments of a call. None if the schema lists no arguments, or if the arguments are no object
    /// that fields can express: JSON then.
    pub fn new(tool: &str, schema: &Value, args: &Arc<str>) -> Option<Self> {
        if args.len() > LONGEST {
            return None;
        }
        let properties = schema
            .get("properties")?
            .as_object()
            .filter(|all| !all.is_empty())?;
        let given: Value = serde_json::from_str(if args.trim().is_empty() { "{}" } else { args }).ok()?;
        let members = json::members(args);
        // A name that stands twice can be read in two ways.
        if members.len() != given.as_object()?.len() {
            return None;
        }
        let required: Vec<&str> = schema
            .get("required")
            .and_then(Value::as_array)
            .map(|names| names.iter().filter_map(Value::as_str).collect())
            .unwrap_or_default();
        let field = |(name, schema): (&String, &Value)| {
            let value = members
                .iter()
                .find(|(other, _)| other == name)
                .map(|(_, value)| *value);
            ArgField::new(name, schema, required.contains(&name.as_str()), value)
        };
        let (first, rest): (Vec<ArgField>, Vec<ArgField>) =
            properties.iter().map(field).partition(|field| field.required);
        let list: Vec<ArgField> = first.into_iter().chain(rest).collect();
        let others = members
            .iter()
            .filter(|(name, _)| !properties.contains_key(name))
            .count();
        let named = |names: &[&str]| list.iter().position(|field| names.contains(&field.name.as_str()));
        let is_text = |field: &ArgField| field.kind == FieldKind::Text;
        let at = named(main_names(tool))
            .filter(|at| list.get(*at).is_some_and(is_text))
            .or_else(|| list.iter().position(|field| field.required && is_text(field)))
            .unwrap_or(0);
        let old = named(known_tool::OLD)
            .filter(|_| known_tool::kind(tool) == Some(Kind::Edit))
            .and_then(|at| list.get(at))
            .map(|field| field.name.clone());
        Some(Self {
            list,
            at,
            others,
            old,
            base: Arc::clone(args),
        })
    }

    /// The active field.
    pub fn active(&self) -> Option<&ArgField> {
        self.list.get(self.at)
    }

    /// Puts the text of the active field into the editor. What was there is put back.
    fn swap(&mut self, field: &mut Field, long: &mut Option<String>) {
        if let Some(active) = self.list.get_mut(self.at) {
            std::mem::swap(&mut active.field, field);
            std::mem::swap(&mut active.long, long);
        }
    }

    /// Begins to edit: puts the text of the active field into the editor.
    pub fn begin(&mut self, field: &mut Field, long: &mut Option<String>) {
        self.swap(field, long);
    }

    /// Makes the next field, or the one before, the active one.
    pub fn go(&mut self, back: bool, field: &mut Field, long: &mut Option<String>) {
        let count = self.list.len().max(1);
        self.swap(field, long);
        self.at = if back {
            (self.at + count - 1) % count
        } else {
            (self.at + 1) % count
        };
        self.swap(field, long);
    }

    /// The text of a field; `active` is that of the active one.
    pub fn text_of(&self, name: &str, active: &str) -> Option<String> {
        let at = self.list.iter().position(|field| field.name == name)?;
        if at == self.at {
            return Some(active.to_owned());
        }
        self.list.get(at).map(ArgField::text)
    }

    /// How many fields are given, where one is missing and has no default; else empty. `active` is the text of the active one.
    pub fn describe(&self, active: &str) -> String {
        let given = (0..self.list.len()).filter(|at| self.is_given(*at, active));
        let given: Vec<usize> = given.collect();
        let is_missing = |(at, field): (usize, &ArgField)| field.default.is_empty() && !given.contains(&at);
        if self.list.iter().enumerate().any(is_missing) {
            format!("{} of {} fields given", given.len(), self.list.len())
        } else {
            String::new()
        }
    }

    /// The path of the file that the call is about, as it was.
    pub fn path(&self) -> Option<String> {
        let mut fields = self.list.iter();
        let field = fields.find(|field| known_tool::PATH.contains(&field.name.as_str()))?;
        crate::ground::json::as_text(field.value.as_deref()?)
    }

    /// True if the argument is given; `active` is the text of the active field.
    pub fn is_given(&self, at: usize, active: &str) -> bool {
        self.list.get(at).is_some_and(|field| {
            let text = if at == self.at {
                active.to_owned()
            } else {
                field.text()
            };
            field.typed(&text).is_some()
        })
    }

    /// The arguments as JSON; `active` is the text of the active field. Without a change it is what the fields were made
    /// from.
    pub fn composed(&self, active: &str) -> String {
        let text = |at: usize, field: &ArgField| {
            if at == self.at {
                active.to_owned()
            } else {
                field.text()
            }
        };
        let values: Vec<(&ArgField, Option<String>)> = self
            .list
            .iter()
            .enumerate()
            .map(|(at, field)| (field, field.typed(&text(at, field))))
            .collect();
        if values.iter().all(|(field, value)| field.value == *value) {
            return self.base.to_string();
        }
        let members = json::members(&self.base);
        let mut all: Vec<(String, String)> = Vec::new();
        for (name, value) in &members {
            match values.iter().find(|(field, _)| field.name == *name) {
                Some((_, Some(value))) => all.push((name.clone(), value.clone())),
                Some((_, None)) => {}
                None => all.push((name.clone(), (*value).to_owned())),
            }
        }
        for (field, value) in &values {
            if field.value.is_none()
                && let Some(value) = value
            {
                all.push((field.name.clone(), value.clone()));
            }
        }
        let all: Vec<String> = all
            .into_iter()
            .map(|(name, value)| format!("{}:{value}", json::string(&name)))
            .collect();
        format!("{{{}}}", all.join(","))
    }

    /// The name of the first field whose text is no JSON, and why; `active` is the text of the active field.
    pub fn broken(&self, active: &str) -> Option<(&str, String)> {
        let is_json = |(_, field): &(usize, &ArgField)| field.kind == FieldKind::Json;
        self.list
            .iter()
            .enumerate()
            .filter(is_json)
            .find_map(|(at, field)| {
                let text = if at == self.at {
                    active.to_owned()
                } else {
                    field.text()
                };
                let value = field.typed(&text)?;
                let (_, _, why) = json::fault(&value)?;
                Some((field.name.as_str(), format!("is not JSON: {why}")))
            })
    }

    /// Follows what was typed into a field of choices: `space` chooses the next one, a letter the next one that begins with
    /// it. True for such a field.
    pub fn chosen(&self, field: &mut Field) -> bool {
        let Some(FieldKind::Choice(values)) = self.active().map(|active| &active.kind) else {
            return false;
        };
        let text = field.text();
        if text.is_empty() || values.contains(&text) {
            return true;
        }
        let is_current = |value: &String| !value.is_empty() && text.starts_with(value.as_str());
        let current = values.iter().position(is_current);
        let typed = match current.and_then(|at| values.get(at)) {
            Some(value) => text.get(value.len()..).unwrap_or_default(),
            None => text.as_str(),
        };
        let from = current.map_or(0, |at| at + 1);
        let mut order = values.iter().cycle().skip(from).take(values.len());
        let begins = |value: &&String| value.trim_start_matches('"').starts_with(typed.trim());
        let next = if typed.trim().is_empty() {
            order.next()
        } else {
            order.find(begins)
        };
        let next = next.or(current.and_then(|at| values.get(at)));
        field.replace(next.map_or("", String::as_str));
        field.to_end();
        true
    }

    /// Chooses the next value, or the one before, of a field of choices. False for another field.
    pub fn turn(&self, back: bool, field: &mut Field) -> bool {
        let Some(FieldKind::Choice(values)) = self.active().map(|active| &active.kind) else {
            return false;
        };
        let text = field.text();
        let at = values.iter().position(|value| *value == text);
        let next = match (at, back) {
            (None, _) => 0,
            (Some(at), true) => (at + values.len() - 1) % values.len().max(1),
            (Some(at), false) => (at + 1) % values.len().max(1),
        };
        if let Some(value) = values.get(next) {
            field.replace(value);
            field.to_end();
        }
        true
    }
}
