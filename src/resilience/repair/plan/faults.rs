//! Finds what a fault of the arguments is about, and which strategy has ideas for it.
//!
//! Must not know: which ideas are taken.

use std::collections::BTreeSet;

use serde_json::Value;

use super::Case;
use crate::repair::strategy::{Idea, Spot};
use crate::repair::{
    arg_path, cleanup, convert, date, enumeration, fill, limit, nearby_day, rename, wrapper,
};
use overrule_domain::repair::{Diagnosis, Strategy};
use overrule_schema::{LONGEST_PATH, Violation, schema_at};

/// Faults beyond which a call is no slip: every idea is tried against the whole schema.
const MOST_FAULTS: usize = 32;

/// Returns the value that a violation is about, with its context.
pub(super) fn spot<'s>(
    case: &'s Case<'_>,
    args: &'s Value,
    raw: &'s str,
    violation: &'s Violation,
) -> Spot<'s> {
    Spot {
        tool: case.tool,
        schema: case.checker.schema(),
        args,
        path: &violation.path,
        written: arg_path::decimal(raw, &violation.path),
        keyword: &violation.keyword,
        expected: &violation.expected,
        place: &violation.place,
        around: &violation.around,
        captures: &[],
        today: case.today,
    }
}

/// Returns the parameter that a tool's error text is about, with its context.
pub(super) fn spot_of_words<'s>(
    case: &'s Case<'_>,
    args: &'s Value,
    path: &'s str,
    captures: &'s [String],
) -> Spot<'s> {
    let schema = case.checker.schema();
    Spot {
        tool: case.tool,
        schema,
        args,
        path,
        written: None,
        keyword: "",
        expected: &Value::Null,
        place: schema_at(schema, path).unwrap_or(&Value::Null),
        around: schema_at(schema, arg_path::parent(path)).unwrap_or(&Value::Null),
        captures,
        today: case.today,
    }
}

/// Returns the strategies of a diagnosis in the order in which they are tried.
pub(super) fn in_order(diagnosis: &Diagnosis) -> Vec<Strategy> {
    match diagnosis.learnt {
        Some(_) => diagnosis.strategies.clone(),
        None => by_cost(&diagnosis.strategies),
    }
}

/// Returns true if the value comes from elsewhere; its name and its place do not.
pub(super) fn is_elsewhere(spot: &Spot<'_>) -> bool {
    let named = matches!(spot.keyword, "additionalProperties" | "unevaluatedProperties");
    !named && spot.value().is_some_and(arg_path::holds_reference)
}

/// Returns why violations are too many, or too far away, for a mere slip; none where they are not.
pub(super) fn no_slip(violations: &[Violation]) -> Option<String> {
    // The items of a list are wrong in one way.
    let number = |part: &&str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let kinds: BTreeSet<(&str, Vec<&str>)> = violations
        .iter()
        .map(|one| {
            (
                one.keyword.as_str(),
                one.path.split('/').filter(|part| !number(part)).collect(),
            )
        })
        .collect();
    if kinds.len() > MOST_FAULTS {
        return Some(format!(
            "more than {MOST_FAULTS} things are wrong with the arguments"
        ));
    }
    let far = violations.iter().any(|one| one.path.len() > LONGEST_PATH);
    far.then(|| "a name in the arguments is too long".to_owned())
}

pub(super) fn readable(case: &Case<'_>) -> bool {
    case.checker.violations(case.args).is_ok()
}

/// Orders strategies so that sufficient rules come first, because they cost nothing. Otherwise the
/// given order stays. A rule that would change the request is not sufficient, and neither is a model.
pub(super) fn by_cost(strategies: &[Strategy]) -> Vec<Strategy> {
    let (rules, others): (Vec<Strategy>, Vec<Strategy>) =
        strategies.iter().copied().partition(|one| suffices(*one));
    [rules, others].concat()
}

/// Returns true for a rule that keeps the meaning.
pub(super) fn suffices(strategy: Strategy) -> bool {
    let other = matches!(
        strategy,
        Strategy::DateAdjustment | Strategy::ClampValueToMin | Strategy::ClampValueToMax
    );
    !strategy.asks_model() && !other
}

pub(super) fn ideas(strategy: Strategy, spot: &Spot<'_>) -> Vec<Idea> {
    match strategy {
        Strategy::DateFormatCorrection => date::ideas(spot),
        Strategy::EnumValueCorrection => enumeration::ideas(spot),
        Strategy::SchemaTypeConversion => convert::ideas(spot),
        Strategy::ClampValueToMin => limit::ideas(spot, limit::End::Min),
        Strategy::ClampValueToMax => limit::ideas(spot, limit::End::Max),
        Strategy::DefaultValueAssignment => fill::ideas(spot),
        Strategy::NearestName => rename::ideas(spot),
        Strategy::WrapperRemoval => wrapper::ideas(spot),
        Strategy::TextCleanup => cleanup::ideas(spot),
        Strategy::DateAdjustment => nearby_day::ideas(spot),
        // JSON is repaired as a whole text before there are parameters to examine; the others are not rules.
        Strategy::JsonCorrection
        | Strategy::None
        | Strategy::LlmInferMissingParam
        | Strategy::LlmSuggestEnum
        | Strategy::LlmBasedFormatCorrection
        | Strategy::AlternativeRouteSuggestion
        | Strategy::SubstituteTool
        | Strategy::LlmProposeCall
        | Strategy::RetryWithBackoff
        | Strategy::ReportUnrecoverable => Vec::new(),
    }
}

pub(super) fn by_reference(path: &str) -> String {
    format!(
        "`{}` comes from the result of another call: fix it there",
        arg_path::shown(path)
    )
}

pub(super) fn shown(value: &Value) -> String {
    const MOST: usize = 60;
    let text = value.to_string();
    let mut short: String = text.chars().take(MOST).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    overrule_base::text::visible(&short)
}
