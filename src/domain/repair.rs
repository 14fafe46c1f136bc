//! Data types for argument repair: phases, errors, strategies, changes and choices.
//!
//! Must not know: how an error is understood, how a strategy finds a value, who asks a model.
//!
//! Events contain these types unchanged.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// Phase of a call in the loop of running, diagnosing, repairing and retrying.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Nothing is known of it yet.
    Start,
    /// Its arguments arrive and are checked.
    PlanToolCall,
    /// It is taken up to run: checked, then run, and run again where the same bytes are tried again.
    ExecuteTool,
    /// It gave a value.
    ToolCallSuccess,
    /// It failed, or its check did.
    ErrorDetected,
    /// What went wrong is looked for.
    DiagnoseError,
    /// A repair strategy is chosen, within the budget.
    SelectRepairStrategy,
    /// The arguments are repaired: by a rule, a model or the operator.
    ApplyRepairStrategy,
    /// The repaired arguments are checked.
    ValidateParameters,
    /// A new revision is tried.
    RetryToolCall,
    /// Nothing more will be tried.
    NoFurtherRepairPossible,
    /// The failure is reported, with everything that was tried.
    ReportFailure,
    /// Over.
    End,
}

impl Phase {
    /// All of them, in order.
    pub const ALL: [Self; 13] = [
        Self::Start,
        Self::PlanToolCall,
        Self::ExecuteTool,
        Self::ToolCallSuccess,
        Self::ErrorDetected,
        Self::DiagnoseError,
        Self::SelectRepairStrategy,
        Self::ApplyRepairStrategy,
        Self::ValidateParameters,
        Self::RetryToolCall,
        Self::NoFurtherRepairPossible,
        Self::ReportFailure,
        Self::End,
    ];

    /// What may come next; none after the end: fifteen ways. What is still wrong after a repair is found by the
    /// check with which its execution begins, so nothing leads back from the validation.
    pub const fn next(self) -> &'static [Self] {
        match self {
            Self::Start => &[Self::PlanToolCall],
            Self::PlanToolCall | Self::RetryToolCall => &[Self::ExecuteTool],
            Self::ExecuteTool => &[Self::ToolCallSuccess, Self::ErrorDetected],
            Self::ErrorDetected => &[Self::DiagnoseError],
            Self::DiagnoseError => &[Self::SelectRepairStrategy],
            Self::SelectRepairStrategy => &[Self::ApplyRepairStrategy, Self::NoFurtherRepairPossible],
            Self::ApplyRepairStrategy => &[Self::ValidateParameters],
            Self::ValidateParameters => &[Self::RetryToolCall, Self::NoFurtherRepairPossible],
            Self::ToolCallSuccess | Self::ReportFailure => &[Self::End],
            Self::NoFurtherRepairPossible => &[Self::ReportFailure],
            Self::End => &[],
        }
    }

    /// The name that is written.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::PlanToolCall => "plan_tool_call",
            Self::ExecuteTool => "execute_tool",
            Self::ToolCallSuccess => "tool_call_success",
            Self::ErrorDetected => "error_detected",
            Self::DiagnoseError => "diagnose_error",
            Self::SelectRepairStrategy => "select_repair_strategy",
            Self::ApplyRepairStrategy => "apply_repair_strategy",
            Self::ValidateParameters => "validate_parameters",
            Self::RetryToolCall => "retry_tool_call",
            Self::NoFurtherRepairPossible => "no_further_repair_possible",
            Self::ReportFailure => "report_failure",
            Self::End => "end",
        }
    }

    /// The step in a few lower-case words.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::PlanToolCall => "planning",
            Self::ExecuteTool => "executing",
            Self::ToolCallSuccess => "success",
            Self::ErrorDetected => "error detected",
            Self::DiagnoseError => "diagnosing",
            Self::SelectRepairStrategy => "choosing a repair",
            Self::ApplyRepairStrategy => "repairing",
            Self::ValidateParameters => "validating",
            Self::RetryToolCall => "trying again",
            Self::NoFurtherRepairPossible => "no further repair",
            Self::ReportFailure => "reporting",
            Self::End => "end",
        }
    }
}

/// Kinds of errors that arguments can cause.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorKind {
    /// A value of another type than the parameter takes.
    TypeMismatch,
    /// A number, a length or a count outside of its bounds.
    OutOfRange,
    /// A required parameter is not there.
    MissingRequired,
    /// A text that is not in the form that the parameter takes.
    FormatError,
    /// Well formed, and against a rule of the service (the room is taken, the user does not exist).
    BusinessLogic,
    /// Against the tool's schema in another way.
    SchemaValidation,
}

impl ErrorKind {
    /// The kind in a few lower-case words.
    pub const fn label(self) -> &'static str {
        match self {
            Self::TypeMismatch => "type mismatch",
            Self::OutOfRange => "out of range",
            Self::MissingRequired => "missing required",
            Self::FormatError => "format error",
            Self::BusinessLogic => "business logic",
            Self::SchemaValidation => "against the schema",
        }
    }
}

/// Strategies to repair arguments, and the two that repair nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Strategy {
    /// Nothing can be done.
    None,
    /// A date or time in another spelling.
    DateFormatCorrection,
    /// The allowed value that was meant.
    EnumValueCorrection,
    /// The same value as another type, without loss.
    SchemaTypeConversion,
    /// The lowest number that is allowed.
    ClampValueToMin,
    /// The highest number that is allowed.
    ClampValueToMax,
    /// The default that the schema names.
    DefaultValueAssignment,
    /// The property whose name was misspelt.
    NearestName,
    /// The arguments, out of what was put around them.
    WrapperRemoval,
    /// The same text without blanks around it or marks that do not belong to it.
    TextCleanup,
    /// Text that is almost JSON.
    JsonCorrection,
    /// Another day near the one that was asked for.
    DateAdjustment,
    /// The model says what is missing, from the original request.
    LlmInferMissingParam,
    /// The model chooses among the allowed values.
    LlmSuggestEnum,
    /// The model writes the value in the form that is wanted.
    LlmBasedFormatCorrection,
    /// The model proposes other values for what the service has not.
    AlternativeRouteSuggestion,
    /// A registered substitute makes the call.
    SubstituteTool,
    /// The model names another call.
    LlmProposeCall,
    /// No matter of arguments: the same call again, later.
    RetryWithBackoff,
    /// Arguments cannot repair it: it is reported immediately.
    ReportUnrecoverable,
}

impl Strategy {
    /// All of them.
    pub const ALL: [Self; 20] = [
        Self::None,
        Self::DateFormatCorrection,
        Self::EnumValueCorrection,
        Self::SchemaTypeConversion,
        Self::ClampValueToMin,
        Self::ClampValueToMax,
        Self::DefaultValueAssignment,
        Self::NearestName,
        Self::WrapperRemoval,
        Self::TextCleanup,
        Self::JsonCorrection,
        Self::DateAdjustment,
        Self::LlmInferMissingParam,
        Self::LlmSuggestEnum,
        Self::LlmBasedFormatCorrection,
        Self::AlternativeRouteSuggestion,
        Self::SubstituteTool,
        Self::LlmProposeCall,
        Self::RetryWithBackoff,
        Self::ReportUnrecoverable,
    ];

    /// The name that settings use.
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::DateFormatCorrection => "date_format_correction",
            Self::EnumValueCorrection => "enum_value_correction",
            Self::SchemaTypeConversion => "schema_type_conversion",
            Self::ClampValueToMin => "clamp_value_to_min",
            Self::ClampValueToMax => "clamp_value_to_max",
            Self::DefaultValueAssignment => "default_value_assignment",
            Self::NearestName => "nearest_name",
            Self::WrapperRemoval => "wrapper_removal",
            Self::TextCleanup => "text_cleanup",
            Self::JsonCorrection => "json_correction",
            Self::DateAdjustment => "date_adjustment",
            Self::LlmInferMissingParam => "llm_infer_missing_param",
            Self::LlmSuggestEnum => "llm_suggest_enum",
            Self::LlmBasedFormatCorrection => "llm_based_format_correction",
            Self::AlternativeRouteSuggestion => "alternative_route_suggestion",
            Self::SubstituteTool => "substitute_tool",
            Self::LlmProposeCall => "llm_propose_call",
            Self::RetryWithBackoff => "retry_with_backoff",
            Self::ReportUnrecoverable => "report_unrecoverable",
        }
    }

    /// True where a model is asked, which costs.
    pub const fn asks_model(self) -> bool {
        matches!(
            self,
            Self::LlmInferMissingParam
                | Self::LlmSuggestEnum
                | Self::LlmBasedFormatCorrection
                | Self::AlternativeRouteSuggestion
                | Self::LlmProposeCall
        )
    }

    /// True where another call is proposed, once nothing else is left. No rule names these.
    pub const fn proposes(self) -> bool {
        matches!(self, Self::SubstituteTool | Self::LlmProposeCall)
    }
}

/// Certainty that a changed value still has the meaning that was meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Certainty {
    /// The same, spelt differently.
    Exact,
    /// Very likely what was meant.
    Guess,
    /// Something else than was said.
    Changed,
}

impl Certainty {
    /// The flag in a few lower-case words; nothing where the meaning is the same.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Exact => "",
            Self::Guess => "a guess",
            Self::Changed => "changes the meaning",
        }
    }
}

/// What an error was found to be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diagnosis {
    /// Its kind.
    pub kind: ErrorKind,
    /// What may help, in the order in which it is tried.
    #[serde(default)]
    pub strategies: Vec<Strategy>,
    /// JSON pointers of the parameters that it is about.
    #[serde(default)]
    pub params: Vec<Arc<str>>,
    /// What the pattern captured in the message, besides the parameter.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub captures: Vec<Arc<str>>,
    /// The evidence (`schema: enum`, `HTTP 400 and the message`).
    pub evidence: Arc<str>,
    /// Description of the rule that found it; `None` if there is none, or the schema found it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<Arc<str>>,
    /// Why the strategies have another order than usual; `None` if they do not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub learnt: Option<Arc<str>>,
}

impl Diagnosis {
    /// True for the same fault.
    pub fn is_same(&self, other: &Self) -> bool {
        (self.kind, &self.params, &self.captures, &self.evidence)
            == (other.kind, &other.params, &other.captures, &other.evidence)
    }

    /// Returns the evidence, with the description of the rule and what was learned about the order
    /// of strategies.
    pub fn grounds(&self) -> String {
        let mut words = self.evidence.to_string();
        if let Some(description) = &self.description {
            words = format!("{words}: {description}");
        }
        if let Some(learnt) = &self.learnt {
            words = format!("{words}; {learnt}");
        }
        words
    }
}

/// One value of the arguments, before and after.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// JSON pointer into the arguments; empty for the whole.
    pub path: Arc<str>,
    /// JSON text before; `None` if there was no value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Arc<str>>,
    /// JSON text after; `None` if the value was removed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<Arc<str>>,
    /// What found it.
    pub strategy: Strategy,
    /// How sure it is.
    pub certainty: Certainty,
    /// Why, in one sentence.
    pub why: Arc<str>,
}

/// A question that only the operator can answer: which value was meant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Choice {
    /// JSON pointer of the parameter in question.
    pub path: Arc<str>,
    /// What is asked, in one sentence.
    pub question: Arc<str>,
    /// The ways to answer, best first; never empty.
    #[serde(default)]
    pub options: Vec<Offer>,
}

/// What the model is asked about arguments.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Question {
    /// JSON pointers of the parameters; an empty one where it may be any.
    #[serde(default)]
    pub params: Vec<Arc<str>>,
    /// The strategies that ask, each once. Older records do not tell.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub strategies: Vec<Strategy>,
    /// The words that are sent.
    pub prompt: Arc<str>,
    /// JSON Schema that an answer must fit.
    pub schema: Arc<str>,
}

/// Outcome of a question to the model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Reply {
    /// Its text. Whether it is usable is checked later.
    #[serde(alias = "said")]
    Answered {
        /// The words.
        text: Arc<str>,
    },
    /// No answer came.
    Failed {
        /// Why.
        why: Arc<str>,
    },
}

/// A request that broke in a way that may pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Passing {
    /// How long the other side asks to be left alone, in milliseconds.
    pub retry_after_ms: Option<u64>,
    /// True if the reply ended before its end mark, so that the model is there.
    pub is_cut: bool,
}

/// One answer to a [`Choice`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Offer {
    /// What taking it changes.
    #[serde(default)]
    pub changes: Vec<Change>,
}

/// Arguments after changes; none where a place does not exist, or the text cannot be read.
pub fn changed(args: &str, changes: &[Change]) -> Option<String> {
    use overrule_base::canon::pointer;
    let mut text = args.to_owned();
    for change in changes {
        let to = change
            .to
            .as_deref()
            .map(serde_json::from_str::<serde_json::Value>);
        let to = to.transpose().ok()?;
        if change.path.is_empty() {
            // The whole, in place of something that need not even be JSON.
            text = to?.to_string();
            continue;
        }
        let mut value: serde_json::Value = serde_json::from_str(&text).ok()?;
        match to {
            Some(to) => pointer::set(&mut value, &change.path, to)?,
            None => pointer::take(&mut value, &change.path)?,
        }
        text = value.to_string();
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thirteen_steps_and_fifteen_ways_lead_from_the_start_to_the_end() {
        let ways: usize = Phase::ALL.iter().map(|phase| phase.next().len()).sum();
        assert_eq!((Phase::ALL.len(), ways), (13, 15));
        // Each is reached from the start, and the end from each.
        for phase in Phase::ALL {
            assert!(reaches(Phase::Start, phase), "{phase:?}");
            assert!(reaches(phase, Phase::End), "{phase:?}");
        }
        assert!(!reaches(Phase::NoFurtherRepairPossible, Phase::ExecuteTool));
        assert!(!Phase::ErrorDetected.next().contains(&Phase::RetryToolCall));
    }

    fn reaches(from: Phase, to: Phase) -> bool {
        from == to || seen(from, to, &mut vec![from])
    }

    fn seen(from: Phase, to: Phase, met: &mut Vec<Phase>) -> bool {
        from.next().iter().any(|next| {
            *next == to || {
                let new = !met.contains(next);
                met.push(*next);
                new && seen(*next, to, met)
            }
        })
    }

    #[test]
    fn a_strategy_is_written_with_its_name() {
        for strategy in Strategy::ALL {
            let written = serde_json::to_string(&strategy).unwrap();
            assert_eq!(written, format!("\"{}\"", strategy.name()));
        }
    }
}
