//! First check: ignores violations at references, because their values are not known yet.
//!
//! Must not know: what references mean.
//!
//! A violation counts only if no value of the references could repair it; the second check, with
//! the values inserted, is the strict one.

use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind as Kind;
use serde_json::Value;

/// Returns true for a string that is a reference: it begins with one dagger; two are an escaped dagger.
pub(super) fn is_reference(value: &Value) -> bool {
    value
        .as_str()
        .and_then(|text| text.strip_prefix('†'))
        .is_some_and(|rest| !rest.starts_with('†'))
}

fn holds_reference(value: &Value) -> bool {
    match value {
        Value::String(_) => is_reference(value),
        Value::Array(items) => items.iter().any(holds_reference),
        Value::Object(map) => map.values().any(holds_reference),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// Returns true if the value of a reference may repair the violation.
pub(super) fn excused(error: &ValidationError<'_>, whole: &Value) -> bool {
    let instance: &Value = error.instance();
    if is_reference(instance) {
        return true;
    }
    // Which branch of `if` applies may depend on a reference anywhere in the tested value.
    let path = error.evaluation_path().as_str();
    if path.split('/').any(|part| part == "then" || part == "else") && holds_reference(whole) {
        return true;
    }
    if !holds_reference(instance) {
        return false;
    }
    match error.kind() {
        Kind::AnyOf { context } | Kind::OneOfNotValid { context } => context
            .iter()
            .any(|branch| branch.iter().all(|inner| excused(inner, whole))),
        Kind::Contains
        | Kind::Constant { .. }
        | Kind::Enum { .. }
        | Kind::Not { .. }
        | Kind::OneOfMultipleValid { .. }
        | Kind::UnevaluatedItems { .. }
        | Kind::UnevaluatedProperties { .. }
        | Kind::UniqueItems => true,
        _ => false,
    }
}
