//! Describes violations in sentences that a person and a model understand.
//!
//! Must not know: how they are found.

use jsonschema::ValidationError;
use jsonschema::error::{TypeKind, ValidationErrorKind as Kind};
use serde_json::Value;

use super::checker::MAX_FAULTS;
use super::nearest::{MOST_NAMES, near};
use overrule_base::canon::pointer;
use overrule_base::text::visible_head;
use overrule_domain::call::Fault;

/// Maximum number of characters of a value quoted in a sentence.
const QUOTED: usize = 60;

/// Makes untrusted text fit for a message: short, and unable to hide anything or move the cursor.
pub(super) fn shown_text(text: &str) -> String {
    visible_head(text, 4 * QUOTED)
}

fn shown(value: &Value) -> String {
    visible_head(&value.to_string(), QUOTED)
}

/// Converts a violation to faults: one, or one for each unexpected property.
pub(super) fn faults(error: &ValidationError<'_>, schema: &Value) -> Vec<Fault> {
    let path = pointer::shortened(error.instance_path().to_string());
    let keyword = error.kind().keyword().to_owned();
    match error.kind() {
        Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
            let known = known_properties(error, schema);
            unexpected
                .iter()
                .take(MAX_FAULTS + 1)
                .map(|name| Fault {
                    path: pointer::shortened(format!("{path}/{}", pointer::escaped(name))),
                    keyword: keyword.clone(),
                    message: unknown_property(name, &known),
                })
                .collect()
        }
        _ => vec![Fault {
            path,
            keyword,
            message: sentence(error),
        }],
    }
}

fn known_properties(error: &ValidationError<'_>, schema: &Value) -> Vec<String> {
    let at = error.schema_path().as_str();
    let parent = at.rsplit_once('/').map_or("", |(parent, _)| parent);
    schema
        .pointer(parent)
        .and_then(|subschema| subschema.get("properties"))
        .and_then(Value::as_object)
        .map(|properties| properties.keys().take(MOST_NAMES).cloned().collect())
        .unwrap_or_default()
}

fn unknown_property(name: &str, known: &[String]) -> String {
    let name_shown = shown_text(name);
    let close = near(name, known.iter().map(String::as_str));
    match (close.first(), known.is_empty()) {
        (Some(best), _) => format!(
            "`{name_shown}` is not accepted here; did you mean `{}`?",
            shown_text(best)
        ),
        (None, true) => format!("`{name_shown}` is not accepted here; remove it"),
        (None, false) => format!(
            "`{name_shown}` is not accepted here; accepted are {}",
            listed(known.iter().map(|key| format!("`{}`", shown_text(key))))
        ),
    }
}

fn listed(items: impl Iterator<Item = String>) -> String {
    const MOST: usize = 20;
    let all: Vec<String> = items.collect();
    let rest = all.len().saturating_sub(MOST);
    let mut text = all.into_iter().take(MOST).collect::<Vec<_>>().join(", ");
    if rest > 0 {
        text = format!("{text} and {rest} more");
    }
    text
}

fn plural(count: u64, one: &str, many: &str) -> String {
    if count == 1 {
        format!("1 {one}")
    } else {
        format!("{count} {many}")
    }
}

fn sentence(error: &ValidationError<'_>) -> String {
    let instance: &Value = error.instance();
    let got = shown(instance);
    match error.kind() {
        Kind::Required { property } => {
            let name = property.as_str().map_or_else(|| shown(property), shown_text);
            format!("the required property `{name}` is missing; add it")
        }
        Kind::Type { kind } => format!("must be {}, but is {}", types(kind), described(instance)),
        Kind::Enum { options } => not_among(instance, options),
        Kind::Constant { expected_value } => format!("must be {}, but is {got}", shown(expected_value)),
        Kind::Format { format } => format!("{got} is not {}", format_words(format)),
        Kind::Pattern { pattern } => {
            format!("{got} does not match the pattern `{}`", shown_text(pattern))
        }
        Kind::Minimum { limit } => format!("must be at least {limit}, but is {got}"),
        Kind::Maximum { limit } => format!("must be at most {limit}, but is {got}"),
        Kind::ExclusiveMinimum { limit } => format!("must be greater than {limit}, but is {got}"),
        Kind::ExclusiveMaximum { limit } => format!("must be less than {limit}, but is {got}"),
        Kind::MultipleOf { multiple_of } => format!("must be a multiple of {multiple_of}, but is {got}"),
        Kind::FalseSchema => format!("nothing is accepted here, but {got} was given; remove it"),
        Kind::PropertyNames { error } => format!(
            "the property name {} is not accepted: {}",
            shown(error.instance()),
            sentence(error)
        ),
        Kind::UniqueItems => "the items must all differ, but some are equal".to_owned(),
        Kind::Contains => "a required kind of item is missing".to_owned(),
        Kind::Not { .. } => format!("{got} is explicitly not accepted"),
        Kind::AnyOf { context } | Kind::OneOfNotValid { context } => none_fits(context),
        Kind::OneOfMultipleValid { .. } => {
            "fits more than one of the accepted forms, but must fit exactly one".to_owned()
        }
        kind => counted(kind, instance).unwrap_or_else(|| shown_text(&error.to_string())),
    }
}

fn counted(kind: &Kind, instance: &Value) -> Option<String> {
    let length = || instance.as_str().map_or(0, |text| text.chars().count());
    let items = || instance.as_array().map_or(0, Vec::len);
    let keys = || instance.as_object().map_or(0, serde_json::Map::len);
    Some(match kind {
        Kind::MinLength { limit } => format!(
            "must have at least {}, but has {}",
            plural(*limit, "character", "characters"),
            length()
        ),
        Kind::MaxLength { limit } => format!(
            "must have at most {}, but has {}",
            plural(*limit, "character", "characters"),
            length()
        ),
        Kind::MinItems { limit } => format!(
            "must have at least {}, but has {}",
            plural(*limit, "item", "items"),
            items()
        ),
        Kind::MaxItems { limit } => format!(
            "must have at most {}, but has {}",
            plural(*limit, "item", "items"),
            items()
        ),
        Kind::AdditionalItems { limit } => format!(
            "must have at most {}, but has {}",
            plural(*limit as u64, "item", "items"),
            items()
        ),
        Kind::MinProperties { limit } => format!(
            "must have at least {}, but has {}",
            plural(*limit, "property", "properties"),
            keys()
        ),
        Kind::MaxProperties { limit } => format!(
            "must have at most {}, but has {}",
            plural(*limit, "property", "properties"),
            keys()
        ),
        _ => return None,
    })
}

fn not_among(instance: &Value, options: &Value) -> String {
    let got = shown(instance);
    let Some(options) = options.as_array() else {
        return format!("{got} is not among the accepted values");
    };
    let accepted = listed(options.iter().map(shown));
    let close = instance.as_str().and_then(|word| {
        near(word, options.iter().take(MOST_NAMES).filter_map(Value::as_str))
            .into_iter()
            .next()
    });
    match close {
        Some(best) => format!(
            "{got} is not accepted; did you mean {}? Accepted: {accepted}",
            shown(&Value::String(best))
        ),
        None => format!("{got} is not accepted; accepted: {accepted}"),
    }
}

fn none_fits(context: &[Vec<ValidationError<'static>>]) -> String {
    const MOST: usize = 4;
    let forms = context.iter().take(MOST).filter_map(|branch| {
        let first = branch.first()?;
        let at = first.instance_path().as_str();
        let place = if at.is_empty() {
            String::new()
        } else {
            format!("`{}` ", shown_text(at))
        };
        Some(format!("{place}{}", sentence(first)))
    });
    format!(
        "fits none of the accepted forms: {}",
        forms.collect::<Vec<_>>().join("; or ")
    )
}

fn type_words(name: &str) -> &'static str {
    match name {
        "null" => "null",
        "boolean" => "true or false",
        "integer" => "a whole number",
        "number" => "a number",
        "string" => "a string",
        "array" => "an array",
        "object" => "an object",
        _ => "another type",
    }
}

fn types(kind: &TypeKind) -> String {
    match kind {
        TypeKind::Single(one) => type_words(one.as_str()).to_owned(),
        TypeKind::Multiple(set) => set
            .iter()
            .map(|one| type_words(one.as_str()))
            .collect::<Vec<_>>()
            .join(" or "),
    }
}

fn described(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(_) => shown(value),
        Value::Number(_) => format!("the number {}", shown(value)),
        Value::String(_) => format!("the string {}", shown(value)),
        Value::Array(_) => format!("the array {}", shown(value)),
        Value::Object(_) => format!("the object {}", shown(value)),
    }
}

fn format_words(format: &str) -> String {
    match format {
        "date" => "a date (YYYY-MM-DD)",
        "time" => "a time with an offset (HH:MM:SSZ)",
        "date-time" => "a date and time (YYYY-MM-DDTHH:MM:SSZ)",
        "duration" => "a duration (such as P1DT2H)",
        "email" | "idn-email" => "an e-mail address",
        "hostname" | "idn-hostname" => "a host name",
        "ipv4" => "an IPv4 address",
        "ipv6" => "an IPv6 address",
        "uri" | "iri" => "an absolute URI",
        "uri-reference" | "iri-reference" => "a URI or a relative reference",
        "uuid" => "a UUID",
        "regex" => "a regular expression",
        "json-pointer" => "a JSON pointer",
        other => return format!("in the format `{}`", shown_text(other)),
    }
    .to_owned()
}
