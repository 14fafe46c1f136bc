//! Writes the error texts of usual validators for a fault: what a server would answer to it.
//!
//! Must not know: how a text is read.

mod languages;

use serde_json::{Value, json};

use self::languages::{argparse, click, go, jackson, serde};

/// What is wrong with an argument.
#[derive(Debug, Clone, PartialEq)]
pub enum Wrong {
    Missing,
    Extra,
    Type(&'static str),
    Format(&'static str),
    Pattern(&'static str),
    OneOf(Vec<&'static str>),
    AtLeast(i64),
    AtMost(i64),
}

/// A fault, as the server sees it.
#[derive(Debug, Clone)]
pub struct Seen<'a> {
    /// JSON pointer to the argument.
    pub path: &'a str,
    /// The value that was sent; null if none was.
    pub value: Value,
    /// All arguments.
    pub args: &'a Value,
    pub wrong: &'a Wrong,
}

impl Seen<'_> {
    fn parts(&self) -> Vec<&str> {
        self.path.split('/').skip(1).collect()
    }

    fn dotted(&self) -> String {
        self.parts().join(".")
    }

    fn indexed(&self) -> String {
        self.parts().iter().fold(String::new(), |path, part| {
            match (part.parse::<usize>(), path.as_str()) {
                (Ok(index), _) => format!("{path}[{index}]"),
                (_, "") => (*part).to_owned(),
                _ => format!("{path}.{part}"),
            }
        })
    }

    fn loc(&self, first: &str) -> Value {
        let part = |part: &str| {
            part.parse::<usize>()
                .map_or_else(|_| json!(part), |index| json!(index))
        };
        let first = (!first.is_empty()).then(|| json!(first));
        first
            .into_iter()
            .chain(self.parts().into_iter().map(part))
            .collect()
    }

    fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap()
    }

    /// The name of the list if the argument is an item of it.
    fn field(&self) -> &str {
        let named = |part: &&str| part.parse::<usize>().is_err();
        self.parts().into_iter().rev().find(named).unwrap()
    }

    fn human(&self) -> String {
        let words = self.field().replace(['_', '-'], " ");
        let (first, rest) = words.split_at(1);
        format!("{}{rest}", first.to_uppercase())
    }

    fn pascal(&self) -> String {
        let capital = |word: &str| format!("{}{}", word[..1].to_uppercase(), &word[1..]);
        self.field().split('_').map(capital).collect()
    }

    fn python(&self) -> String {
        match &self.value {
            Value::String(text) => format!("'{text}'"),
            Value::Bool(true) => "True".to_owned(),
            Value::Bool(false) => "False".to_owned(),
            Value::Null => "None".to_owned(),
            other => other.to_string().replace('"', "'"),
        }
    }

    fn kind(&self) -> &'static str {
        match self.value {
            Value::String(_) => "string",
            Value::Number(_) => "number",
            Value::Bool(_) => "boolean",
            Value::Array(_) => "array",
            Value::Object(_) => "object",
            Value::Null => "undefined",
        }
    }
}

fn list(all: &[&str], quote: &str, between: &str) -> String {
    let quoted: Vec<String> = all.iter().map(|one| format!("{quote}{one}{quote}")).collect();
    quoted.join(between)
}

fn article(ty: &str) -> String {
    let an = ty.starts_with(['a', 'e', 'i', 'o', 'u']);
    format!("{} {ty}", if an { "an" } else { "a" })
}

fn plain(seen: &Seen<'_>, name: &str) -> String {
    match seen.wrong {
        Wrong::Missing => format!(
            "Missing required parameter: {}",
            name.trim_matches(['\'', '`', '"'])
        ),
        Wrong::Extra => format!("Unknown parameter {name}"),
        Wrong::Type(ty) => format!("Parameter {name} must be {}", article(ty)),
        Wrong::Format("date") => format!("Parameter {name} has invalid date format. Expected YYYY-MM-DD."),
        Wrong::Format(format) => format!("Parameter {name} is not a valid {format}"),
        Wrong::Pattern(pattern) => format!("Parameter {name} does not match the pattern {pattern}"),
        Wrong::OneOf(all) => format!("Value for {name} must be one of [{}]", list(all, "", ", ")),
        Wrong::AtLeast(least) => format!("Value for {name} must be >= {least}"),
        Wrong::AtMost(most) => format!("Value for {name} must be at most {most}"),
    }
}

/// Type and message of pydantic v2.
fn pydantic(seen: &Seen<'_>) -> (&'static str, String) {
    match seen.wrong {
        Wrong::Missing => ("missing", "Field required".into()),
        Wrong::Extra => ("extra_forbidden", "Extra inputs are not permitted".into()),
        Wrong::Type("integer") => (
            "int_parsing",
            "Input should be a valid integer, unable to parse string as an integer".into(),
        ),
        Wrong::Type("number") => ("float_type", "Input should be a valid number".into()),
        Wrong::Type("boolean") => (
            "bool_parsing",
            "Input should be a valid boolean, unable to interpret input".into(),
        ),
        Wrong::Type("array") => ("list_type", "Input should be a valid list".into()),
        Wrong::Type("object") => ("dict_type", "Input should be a valid dictionary".into()),
        Wrong::Type(_) => ("string_type", "Input should be a valid string".into()),
        Wrong::Format("date") => (
            "date_from_datetime_parsing",
            "Input should be a valid date or datetime, invalid character in year".into(),
        ),
        Wrong::Format("date-time") => (
            "datetime_from_date_parsing",
            "Input should be a valid datetime or date, invalid character in year".into(),
        ),
        Wrong::Format("uuid") => (
            "uuid_parsing",
            "Input should be a valid UUID, invalid character".into(),
        ),
        Wrong::Format(format) => ("value_error", format!("value is not a valid {format} address")),
        Wrong::Pattern(pattern) => (
            "string_pattern_mismatch",
            format!("String should match pattern '{pattern}'"),
        ),
        Wrong::OneOf(all) => {
            let (last, others) = all.split_last().unwrap();
            let others = list(others, "'", ", ");
            ("literal_error", format!("Input should be {others} or '{last}'"))
        }
        Wrong::AtLeast(least) => (
            "greater_than_equal",
            format!("Input should be greater than or equal to {least}"),
        ),
        Wrong::AtMost(most) => (
            "less_than_equal",
            format!("Input should be less than or equal to {most}"),
        ),
    }
}

fn pydantic_text(seen: &Seen<'_>, title: &str) -> String {
    let (kind, message) = pydantic(seen);
    let (kind, message) = match (title.starts_with("call["), kind) {
        (true, "missing") => ("missing_argument", "Missing required argument".to_owned()),
        (true, "extra_forbidden") => (
            "unexpected_keyword_argument",
            "Unexpected keyword argument".to_owned(),
        ),
        (_, kind) => (kind, message),
    };
    let (value, kind_of) = match seen.wrong {
        Wrong::Missing => (seen.args.to_string().replace('"', "'"), "dict"),
        _ => (seen.python(), "str"),
    };
    format!(
        "1 validation error for {title}\n{}\n  {message} [type={kind}, input_value={value}, input_type={kind_of}]\n    For further information visit https://errors.pydantic.dev/2.11/v/{kind}",
        seen.dotted()
    )
}

/// Code, further members and message of zod.
fn zod(seen: &Seen<'_>) -> (Value, String) {
    let wanted = |ty: &str| {
        if ty == "integer" {
            "number".to_owned()
        } else {
            ty.to_owned()
        }
    };
    let (more, message) = match seen.wrong {
        Wrong::Missing => (
            json!({"code": "invalid_type", "expected": "string", "received": "undefined"}),
            "Required".to_owned(),
        ),
        Wrong::Extra => {
            let message = format!("Unrecognized key(s) in object: '{}'", seen.name());
            return (
                json!({"code": "unrecognized_keys", "keys": [seen.name()], "path": [], "message": message}),
                format!("Unrecognized key: \"{}\"", seen.name()),
            );
        }
        Wrong::Type(ty) => (
            json!({"code": "invalid_type", "expected": wanted(ty), "received": seen.kind()}),
            format!("Expected {}, received {}", wanted(ty), seen.kind()),
        ),
        Wrong::Format(format) => (
            json!({"code": "invalid_string", "validation": format.replace('-', "")}),
            format!("Invalid {}", format.replace('-', "")),
        ),
        Wrong::Pattern(pattern) => (
            json!({"code": "invalid_format", "format": "regex", "pattern": format!("/{pattern}/")}),
            format!("Invalid string: must match pattern /{pattern}/"),
        ),
        Wrong::OneOf(all) => (
            json!({"code": "invalid_enum_value", "options": all, "received": seen.value}),
            format!(
                "Invalid enum value. Expected {}, received {}",
                list(all, "'", " | "),
                seen.python()
            ),
        ),
        Wrong::AtLeast(least) => (
            json!({"code": "too_small", "minimum": least, "type": "number", "inclusive": true}),
            format!("Number must be greater than or equal to {least}"),
        ),
        Wrong::AtMost(most) => (
            json!({"code": "too_big", "maximum": most, "type": "number", "inclusive": true}),
            format!("Too big: expected number to be <={most}"),
        ),
    };
    let mut issue = more;
    issue["path"] = seen.loc("");
    issue["message"] = message.clone().into();
    (issue, message)
}

/// The message of the Python library `jsonschema`, which repeats the value and not the name.
fn jsonschema(seen: &Seen<'_>) -> (String, &'static str) {
    let value = seen.python();
    match seen.wrong {
        Wrong::Missing => (format!("'{}' is a required property", seen.name()), "required"),
        Wrong::Extra => (
            format!(
                "Additional properties are not allowed ('{}' was unexpected)",
                seen.name()
            ),
            "additionalProperties",
        ),
        Wrong::Type(ty) => (format!("{value} is not of type '{ty}'"), "type"),
        Wrong::Format(format) => (format!("{value} is not a '{format}'"), "format"),
        Wrong::Pattern(pattern) => (format!("{value} does not match '{pattern}'"), "pattern"),
        Wrong::OneOf(all) => (
            format!("{value} is not one of [{}]", list(all, "'", ", ")),
            "enum",
        ),
        Wrong::AtLeast(least) => (format!("{value} is less than the minimum of {least}"), "minimum"),
        Wrong::AtMost(most) => (
            format!("{value} is greater than the maximum of {most}"),
            "maximum",
        ),
    }
}

fn ajv(seen: &Seen<'_>) -> (String, String, Value) {
    let parent = seen.path.rsplit_once('/').unwrap().0;
    let name = seen.name();
    let (at, message, params) = match seen.wrong {
        Wrong::Missing => (
            parent,
            format!("must have required property '{name}'"),
            json!({"missingProperty": name}),
        ),
        Wrong::Extra => (
            parent,
            "must NOT have additional properties".to_owned(),
            json!({"additionalProperty": name}),
        ),
        Wrong::Type(ty) => (seen.path, format!("must be {ty}"), json!({"type": ty})),
        Wrong::Format(format) => (
            seen.path,
            format!("must match format \"{format}\""),
            json!({"format": format}),
        ),
        Wrong::Pattern(pattern) => (
            seen.path,
            format!("must match pattern \"{pattern}\""),
            json!({"pattern": pattern}),
        ),
        Wrong::OneOf(all) => (
            seen.path,
            "must be equal to one of the allowed values".to_owned(),
            json!({"allowedValues": all}),
        ),
        Wrong::AtLeast(least) => (
            seen.path,
            format!("must be >= {least}"),
            json!({"comparison": ">=", "limit": least}),
        ),
        Wrong::AtMost(most) => (
            seen.path,
            format!("must be <= {most}"),
            json!({"comparison": "<=", "limit": most}),
        ),
    };
    (at.to_owned(), message, params)
}

/// The words of Rails, and of others that put them after the name.
fn short(seen: &Seen<'_>) -> String {
    match seen.wrong {
        Wrong::Missing => "can't be blank".to_owned(),
        Wrong::Extra => "is not a known attribute".to_owned(),
        Wrong::Type("integer" | "number") => "is not a number".to_owned(),
        Wrong::Type(ty) => format!("must be {}", article(ty)),
        Wrong::Format("date") => "is not a valid date".to_owned(),
        Wrong::Format(_) | Wrong::Pattern(_) => "is invalid".to_owned(),
        Wrong::OneOf(_) => "is not included in the list".to_owned(),
        Wrong::AtLeast(least) => format!("must be greater than or equal to {least}"),
        Wrong::AtMost(most) => format!("must be less than or equal to {most}"),
    }
}

/// The words of Django REST framework.
fn django(seen: &Seen<'_>) -> String {
    match seen.wrong {
        Wrong::Missing => "This field is required.".to_owned(),
        Wrong::Extra => "Unknown field.".to_owned(),
        Wrong::Type("integer") => "A valid integer is required.".to_owned(),
        Wrong::Type("number") => "A valid number is required.".to_owned(),
        Wrong::Type("boolean") => "Must be a valid boolean.".to_owned(),
        Wrong::Type("array") => "Expected a list of items but got type \"str\".".to_owned(),
        Wrong::Type(_) => "Not a valid string.".to_owned(),
        Wrong::Format("date") => {
            "Date has wrong format. Use one of these formats instead: YYYY-MM-DD.".to_owned()
        }
        Wrong::Format("date-time") => {
            "Datetime has wrong format. Use one of these formats instead: YYYY-MM-DDThh:mm[:ss[.uuuuuu]][+HH:MM|-HH:MM|Z].".to_owned()
        }
        Wrong::Format(format) => format!("Enter a valid {format}."),
        Wrong::Pattern(_) => "This value does not match the required pattern.".to_owned(),
        Wrong::OneOf(_) => format!("{} is not a valid choice.", seen.value),
        Wrong::AtLeast(least) => format!("Ensure this value is greater than or equal to {least}."),
        Wrong::AtMost(most) => format!("Ensure this value is less than or equal to {most}."),
    }
}

/// Returns the texts for a fault, each with the name of its style.
pub fn texts(seen: &Seen<'_>) -> Vec<(&'static str, String)> {
    let (kind, message) = pydantic(seen);
    let issue = zod(seen);
    let (python, keyword) = jsonschema(seen);
    let (at, ajv_message, params) = ajv(seen);
    let dashed = if at.is_empty() {
        "data".to_owned()
    } else {
        format!("data{at}")
    };
    let instance: String = seen
        .parts()
        .iter()
        .map(|part| match part.parse::<usize>() {
            Ok(index) => format!("[{index}]"),
            Err(_) => format!("['{part}']"),
        })
        .collect();
    let short = short(seen);
    let pretty = match seen.wrong {
        Wrong::Extra => format!("✖ {}", issue.1),
        _ => format!("✖ {}\n  → at {}", issue.1, seen.indexed()),
    };
    let member = |text: &str| {
        let mut value = json!([text]);
        for part in seen
            .parts()
            .iter()
            .rev()
            .filter(|part| part.parse::<usize>().is_err())
        {
            value = json!({*part: value});
        }
        value
    };
    vec![
        ("plain", plain(seen, &format!("'{}'", seen.indexed()))),
        ("backticks", plain(seen, &format!("`body.{}`", seen.indexed()))),
        ("jsonpath", plain(seen, &format!("\"$.{}\"", seen.indexed()))),
        ("args", plain(seen, &format!("args[0].{}", seen.indexed()))),
        ("sentence", format!("{} {short}", seen.human())),
        ("colon", format!("Validation failed: {}: {short}", seen.indexed())),
        ("pydantic", pydantic_text(seen, "Request")),
        ("fastmcp", format!("Error executing tool t: {}", pydantic_text(seen, "call[t]"))),
        (
            "fastapi",
            json!({"detail": [{"type": kind, "loc": seen.loc("body"), "msg": message, "input": match seen.wrong {
                Wrong::Missing => seen.args.clone(),
                _ => seen.value.clone(),
            }, "url": format!("https://errors.pydantic.dev/2.11/v/{kind}")}]})
            .to_string(),
        ),
        ("zod", format!("Invalid arguments for tool t: {}", serde_json::to_string_pretty(&json!([issue.0])).unwrap())),
        ("zod pretty", pretty),
        ("jsonschema", format!("Input validation error: {python}")),
        (
            "jsonschema long",
            format!("{python}\n\nFailed validating '{keyword}' in schema['properties']:\n    {{'title': 'A'}}\n\nOn instance{instance}:\n    {}", seen.python()),
        ),
        ("ajv", format!("{dashed} {ajv_message}")),
        (
            "ajv json",
            json!({"message": "request/body is invalid", "errors": [{"instancePath": at, "keyword": keyword, "params": params, "message": ajv_message}]}).to_string(),
        ),
        ("rails", json!({"errors": member(&short)}).to_string()),
        ("rails full", json!({"errors": [format!("{} {short}", seen.human())]}).to_string()),
        ("django", member(&django(seen)).to_string()),
        (
            "laravel",
            json!({"message": "The given data was invalid.", "errors": {seen.dotted(): [format!("The {} {short}.", seen.human().to_lowercase())]}}).to_string(),
        ),
        ("jackson", json!({"timestamp": "2026-11-29T04:05:12Z", "status": 400, "error": "Bad Request", "message": jackson(seen), "path": "/api/t"}).to_string()),
        ("go", go(seen)),
        ("argparse", argparse(seen)),
        ("click", click(seen)),
        ("serde", serde(seen)),
        (
            "problem",
            json!({"type": "https://example.net/validation-error", "title": "Your request parameters didn't validate.", "status": 400, "invalid-params": [{"name": seen.dotted(), "reason": short}]}).to_string(),
        ),
        (
            "problem pointer",
            json!({"type": "about:blank", "title": "Bad Request", "status": 400, "errors": [{"detail": short, "pointer": format!("#{}", seen.path)}]}).to_string(),
        ),
        (
            "google",
            json!({"error": {"code": 400, "message": "Request contains an invalid argument.", "status": "INVALID_ARGUMENT", "details": [{"@type": "type.googleapis.com/google.rpc.BadRequest", "fieldViolations": [{"field": seen.indexed(), "description": short}]}]}}).to_string(),
        ),
        (
            "openai",
            json!({"error": {"message": plain(seen, &format!("'{}'", seen.indexed())), "type": "invalid_request_error", "param": seen.indexed(), "code": null}}).to_string(),
        ),
    ]
}

/// Texts that say nothing of an argument.
pub const EMPTY: [&str; 8] = [
    "",
    "Bad Request",
    "Invalid request",
    "Validation failed",
    "{\"error\":\"invalid_request\",\"message\":\"The request is invalid.\"}",
    "<!DOCTYPE html>\n<html><head><title>400 Bad Request</title></head>\n<body class=\"error\"><center><h1>400 Bad Request</h1></center><hr><center>nginx/1.25</center></body></html>",
    "Traceback (most recent call last):\n  File \"/app/main.py\", line 12, in handler\n    result = tool.run(args)\n  File \"/app/tool.py\", line 7, in run\n    raise RequestError()\nRequestError",
    "java.lang.IllegalStateException: null\n\tat com.example.api.Service.call(Service.java:42)\n\tat java.base/java.lang.Thread.run(Thread.java:840)",
];
