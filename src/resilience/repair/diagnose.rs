//! Diagnoses an error: schema violations by keyword, error texts by rules over code and message.
//!
//! Must not know: how anything is repaired.

use std::cmp::Reverse;
use std::sync::{Arc, LazyLock};

use regex::Regex;
use serde_json::Value;

use super::arg_path;
use super::code::Code;
use super::complaint::{Complaint, Wrong, complaints};
use super::entry::{Entry, Match, Priority};
use super::names::{NameMatch, meant, split_words};
use super::rules::Rules;
use overrule_domain::call::{ErrorClass, ToolError};
use overrule_domain::repair::{Diagnosis, ErrorKind, Strategy};
use overrule_schema::{Violation, schema_at};

/// Evidence of a diagnosis by words alone.
const WORDS: &str = "the words of the message";
/// How specific words about an argument are, compared with rules.
const OF_WORDS: u8 = 1;
/// Codes of an error of the arguments.
const REFUSALS: [Code; 3] = [Code::Http(400), Code::Http(422), Code::JsonRpc(-32_602)];

static EVIDENCE: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    [
        r"\bHTTP (?:status )?(?<http>[1-5]\d\d)\b",
        r"^\s*(?:error )?(?<http>[1-5]\d\d)\b",
        r"\berrno (?<errno>E[A-Z0-9]+)\b",
        r"\b(?:JSON-RPC|MCP error) (?:error )?(?<rpc>-\d{1,6})\b",
        r"\b(?<symbol>[A-Z][A-Z0-9]*_[A-Z0-9_]*[A-Z0-9])\b",
    ]
    .iter()
    .filter_map(|pattern| Regex::new(pattern).ok())
    .collect()
});

/// Returns the codes that a failure names, the best evidence first.
pub fn codes_of(error: &ToolError) -> Vec<Code> {
    codes_in(&error.evidence, &error.text())
}

/// Returns the codes that the evidence and the words of a failure name. If the evidence has a status, a status in the
/// words is another one's.
fn codes_in(evidence: &str, words: &str) -> Vec<Code> {
    let mut codes: Vec<Code> = Vec::new();
    for text in [evidence, words] {
        let has_status = codes.iter().any(Code::is_status);
        for pattern in EVIDENCE.iter() {
            for found in pattern.captures_iter(text).take(4) {
                let group = |name: &str| found.name(name).map(|group| group.as_str());
                let code = if let Some(status) = group("http").and_then(|text| text.parse().ok()) {
                    Code::Http(status)
                } else if let Some(name) = group("errno") {
                    Code::Errno(name.to_owned())
                } else if let Some(code) = group("rpc").and_then(|text| text.parse().ok()) {
                    Code::JsonRpc(code)
                } else if let Some(name) = group("symbol") {
                    Code::Symbol(name.to_owned())
                } else {
                    continue;
                };
                let is_other = has_status && code.is_status();
                if !is_other && !codes.contains(&code) {
                    codes.push(code);
                }
            }
        }
    }
    codes
}

/// Diagnoses a violation of the schema by its keyword.
pub(super) fn of_violation(violation: &Violation) -> Diagnosis {
    use Strategy as S;
    let (kind, strategies): (ErrorKind, &[Strategy]) = match violation.keyword.as_str() {
        "type" => (
            ErrorKind::TypeMismatch,
            &[S::SchemaTypeConversion, S::LlmBasedFormatCorrection],
        ),
        "anyOf" | "oneOf" => (
            ErrorKind::TypeMismatch,
            &[
                S::SchemaTypeConversion,
                S::EnumValueCorrection,
                S::LlmBasedFormatCorrection,
            ],
        ),
        "minimum" | "exclusiveMinimum" | "multipleOf" => (ErrorKind::OutOfRange, &[S::ClampValueToMin]),
        "maximum" | "exclusiveMaximum" => (ErrorKind::OutOfRange, &[S::ClampValueToMax]),
        "minLength" | "maxLength" | "minItems" | "maxItems" => (
            ErrorKind::OutOfRange,
            &[S::TextCleanup, S::LlmBasedFormatCorrection],
        ),
        "required" => (
            ErrorKind::MissingRequired,
            &[
                S::WrapperRemoval,
                S::NearestName,
                S::DefaultValueAssignment,
                S::LlmInferMissingParam,
            ],
        ),
        "format" | "pattern" => (
            ErrorKind::FormatError,
            &[
                S::DateFormatCorrection,
                S::TextCleanup,
                S::LlmBasedFormatCorrection,
            ],
        ),
        "enum" | "const" => (
            ErrorKind::SchemaValidation,
            &[S::EnumValueCorrection, S::LlmSuggestEnum],
        ),
        "additionalProperties" | "unevaluatedProperties" => {
            (ErrorKind::SchemaValidation, &[S::WrapperRemoval, S::NearestName])
        }
        _ => (ErrorKind::SchemaValidation, &[S::None]),
    };
    Diagnosis {
        kind,
        strategies: strategies.to_vec(),
        params: vec![violation.path.as_str().into()],
        captures: Vec::new(),
        evidence: format!("schema: {}", violation.keyword).into(),
        description: None,
        learnt: None,
    }
}

/// Returns the possible diagnoses of a tool's own error, the most important first. If the first is
/// `Critical`, it ends repair.
pub(super) fn of_error(
    rules: &Rules,
    tool: &str,
    error: &ToolError,
    (schema, args): (&Value, &Value),
) -> Vec<(Priority, Diagnosis)> {
    let words = error.text();
    let codes = codes_in(&error.evidence, &words);
    let mut found: Vec<(Priority, u8, Diagnosis)> = Vec::new();
    for entry in rules.of(tool) {
        for matched in entry.find(&codes, &words) {
            let diagnosis = of_match(entry, matched, (schema, args));
            found.push((entry.priority, entry.specificity(), diagnosis));
        }
    }
    for complaint in complaints(&words, schema, args) {
        let priority = match complaint.wrong {
            Wrong::Range { .. } => Priority::Medium,
            _ => Priority::High,
        };
        found.push((priority, OF_WORDS, of_complaint(&complaint, schema, args)));
    }
    let code = codes.iter().find(|code| REFUSALS.contains(code));
    // A tool of this program that did nothing tells the model itself what to look at first.
    if code.is_some() || (error.class == ErrorClass::Param && error.executed) {
        let evidence = code.map_or_else(|| "an error of the arguments".to_owned(), ToString::to_string);
        found.push((Priority::Low, 0, of_nothing(&evidence)));
    }
    // The sort is stable: equal priorities keep the order of the list.
    found.sort_by_key(|(priority, specificity, _)| Reverse((*priority, *specificity)));
    found
        .into_iter()
        .map(|(priority, _, diagnosis)| (priority, diagnosis))
        .collect()
}

/// Diagnoses an error by a rule that matches it.
fn of_match(entry: &Entry, matched: Match, (schema, args): (&Value, &Value)) -> Diagnosis {
    let mut captures = matched.captures.into_iter();
    let named: Vec<String> = if entry.params.is_empty() {
        captures.next().into_iter().collect()
    } else {
        entry.params.clone()
    };
    let mut params: Vec<Arc<str>> = Vec::new();
    for path in named.iter().filter_map(|name| known(name, schema, args)) {
        if !params.contains(&path) {
            params.push(path);
        }
    }
    let evidence = match matched.code {
        Some(code) if !entry.params.is_empty() || !named.is_empty() => {
            format!("{code} and the message")
        }
        Some(code) => code.to_string(),
        None => WORDS.to_owned(),
    };
    Diagnosis {
        kind: entry.kind(),
        strategies: entry.strategies.clone(),
        params,
        captures: captures.map(Arc::from).collect(),
        evidence: evidence.into(),
        description: entry.description.clone(),
        learnt: None,
    }
}

/// Diagnoses what a text says of an argument.
fn of_complaint(complaint: &Complaint, schema: &Value, args: &Value) -> Diagnosis {
    let path = complaint.path.as_str();
    let value = args.pointer(path);
    let wrong = sided(&complaint.wrong, value);
    let captures = match &wrong {
        Wrong::Range { least, most } => least.iter().chain(most).cloned().collect(),
        Wrong::Type(Some(named)) => vec![(*named).to_owned()],
        Wrong::Format(Some(named)) => vec![named.clone()],
        _ => Vec::new(),
    };
    let place = schema_at(schema, path).unwrap_or(&Value::Null);
    let name = split_words(&arg_path::last(path));
    Diagnosis {
        kind: wrong.kind(),
        strategies: wrong.strategies(&name, place, value),
        params: vec![path.into()],
        captures: captures.into_iter().map(Arc::from).collect(),
        evidence: WORDS.into(),
        description: Some(wrong.describe().into()),
        learnt: None,
    }
}

/// Keeps the bound that a value is beyond.
fn sided(wrong: &Wrong, value: Option<&Value>) -> Wrong {
    let Wrong::Range {
        least: Some(least),
        most: Some(most),
    } = wrong
    else {
        return wrong.clone();
    };
    let (now, bound) = (value.and_then(Value::as_f64), |text: &str| {
        text.parse::<f64>().ok()
    });
    let is_below = now < bound(least);
    let is_above = bound(most).is_some_and(|most| now.is_some_and(|now| now > most));
    match (is_below, is_above) {
        (_, true) => Wrong::Range {
            least: None,
            most: Some(most.clone()),
        },
        (true, _) => Wrong::Range {
            least: Some(least.clone()),
            most: None,
        },
        _ => Wrong::Range {
            least: None,
            most: None,
        },
    }
}

/// Diagnoses an error of the arguments that names none: the model is asked for all.
fn of_nothing(evidence: &str) -> Diagnosis {
    Diagnosis {
        kind: ErrorKind::MissingRequired,
        strategies: vec![Strategy::LlmInferMissingParam],
        params: Vec::new(),
        captures: Vec::new(),
        evidence: evidence.into(),
        description: Some("the tool refuses the arguments without a name for what is wrong".into()),
        learnt: None,
    }
}

/// Returns the parameter that a name means, if there is one.
fn known(name: &str, schema: &Value, args: &Value) -> Option<Arc<str>> {
    let path = arg_path::named(name);
    if path.is_empty() {
        return None;
    }
    if args.pointer(&path).is_some() || schema_at(schema, &path).is_some() {
        return Some(path.into());
    }
    let properties = schema.get("properties")?.as_object()?;
    let NameMatch::Same(index) = meant(name, properties.keys().map(String::as_str)) else {
        return None;
    };
    let found = properties.keys().nth(index)?;
    Some(arg_path::below("", found).into())
}

#[cfg(test)]
mod tests {
    use super::EVIDENCE;

    #[test]
    fn every_expression_compiles() {
        assert_eq!(EVIDENCE.len(), 5);
    }
}
