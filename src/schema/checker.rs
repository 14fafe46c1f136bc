//! A compiled schema, and the two checks against it.
//!
//! Must not know: where schemas come from.

use std::fmt;
use std::sync::OnceLock;

use jsonschema::error::ValidationErrorKind as Kind;
use jsonschema::{PatternOptions, Retrieve, Uri, ValidationError, Validator};
use serde_json::{Value, json};

use super::budget::{self, NotCheckable};
use super::complete::{Completion, complete};
use super::violation::{self, Violation};
use super::{reading, reference_wildcards, sentence};
use overrule_domain::call::Fault;

/// Keys that every call may have besides its tool's arguments: the label, the output path, the
/// calls that it waits for, its reason, and the reason to run it outside of the sandbox.
pub const RESERVED: [&str; 5] = ["_as", "_out", "_after", "_why", "_outside"];

/// Maximum number of faults listed for one text; further ones are counted as "more".
pub const MAX_FAULTS: usize = 100;
/// Keyword of the fault of a text that cannot be checked within the limits.
pub const BUDGET: &str = "budget";
/// Bytes of arguments beyond which only the first violation is looked for.
const LONG: usize = 256 * 1024;

/// Bytes of a text that are read in the time of a visit.
const READ: u64 = 256;

/// Why a schema cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The text is not JSON.
    #[error("the schema is not valid JSON: {0}; correct it where the tool is defined")]
    NotJson(String),
    /// The JSON is not a schema, or refers to other documents.
    #[error("the schema cannot be compiled at `{at}`: {why}; correct it where the tool is defined")]
    NotSchema {
        /// JSON pointer into the schema.
        at: String,
        /// What is wrong there.
        why: String,
    },
}

/// The words about a reference to another document.
pub(super) const LIES_OUTSIDE: &str = "lies outside the schema and is not read";

/// Refuses every reference that leaves the schema document, so that a check reads and fetches nothing.
struct Nothing;

impl Retrieve for Nothing {
    fn retrieve(&self, uri: &Uri<String>) -> Result<Value, Box<dyn std::error::Error + Send + Sync>> {
        Err(format!(
            "`{}` {LIES_OUTSIDE}; copy it into `$defs`",
            sentence::shown_text(uri.as_str())
        )
        .into())
    }
}

/// A schema, compiled once: when something is first checked against it.
pub struct Checker {
    schema: Value,
    /// An error if the schema cannot be compiled.
    validator: OnceLock<Result<Compiled, NotCheckable>>,
    /// True if any object is right where the schema is broken.
    is_lenient: bool,
    /// Maximum visits of a check for each value, if that bounds them.
    visits_of_a_value: Option<u64>,
    keeps_digits: bool,
}

struct Compiled {
    validator: Validator,
    /// False where it is that of any object, in place of a broken schema.
    is_own: bool,
}

impl Compiled {
    fn own(validator: Validator) -> Self {
        let is_own = true;
        Self { validator, is_own }
    }
}

impl fmt::Debug for Checker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Checker")
            .field("schema", &self.schema)
            .finish_non_exhaustive()
    }
}

impl Checker {
    /// Compiles a schema. Formats are checked; references to other documents are refused. Against a schema that is too
    /// large to be compiled nothing can be checked.
    pub fn new(schema_text: &str) -> Result<Self, Error> {
        let checker = Self::of_known(schema_text)?;
        let validator = match budget::compilable(&checker.schema) {
            Ok(_) => Ok(Compiled::own(build(&checker.schema).map_err(|error| {
                Error::NotSchema {
                    at: error.instance_path().to_string(),
                    why: sentence::shown_text(&causes(&error)),
                }
            })?)),
            Err(why) => Err(why),
        };
        checker.validator.get_or_init(|| validator);
        Ok(checker)
    }

    /// Takes a schema that was compiled before, such as that of a built-in tool, without compiling it now. If it cannot be
    /// compiled after all, nothing can be checked against it.
    pub fn of_known(schema_text: &str) -> Result<Self, Error> {
        let schema = serde_json::from_str(schema_text).map_err(|error| Error::NotJson(error.to_string()))?;
        Ok(Self {
            visits_of_a_value: budget::visits_of_a_value(&schema),
            schema,
            validator: OnceLock::new(),
            is_lenient: false,
            keeps_digits: false,
        })
    }

    /// Takes the schema of a tool that another program offers, without compiling it now. Against a schema that turns out
    /// to be broken any object is right: it is for that program to refuse it.
    pub fn lenient(schema_text: &str) -> Result<Self, Error> {
        Ok(Self {
            is_lenient: true,
            ..Self::of_known(schema_text)?
        })
    }

    #[cfg(test)]
    pub(super) fn is_compiled(&self) -> bool {
        self.validator.get().is_some()
    }

    /// True if every text of `bytes` bytes can be checked within the limits.
    fn is_light(&self, compiled: &Compiled, bytes: usize) -> bool {
        let visits = self.visits_of_a_value;
        !compiled.is_own || visits.is_some_and(|visits| budget::is_light(visits, bytes))
    }

    fn compiled(&self) -> Result<&Compiled, NotCheckable> {
        let compiled = self.validator.get_or_init(|| {
            budget::compilable(&self.schema)?;
            if let Ok(validator) = build(&self.schema) {
                return Ok(Compiled::own(validator));
            }
            let any = self.is_lenient.then(|| build(&json!({"type": "object"})).ok());
            let validator = any.flatten().ok_or(NotCheckable::Broken)?;
            let is_own = false;
            Ok(Compiled { validator, is_own })
        });
        compiled.as_ref().map_err(|why| *why)
    }

    /// Accepts numbers that no value can hold exactly: the tool gets the text itself, digit by digit.
    pub fn keeping_digits(mut self) -> Self {
        self.keeps_digits = true;
        self
    }

    /// Returns the schema as JSON text.
    pub fn text(&self) -> String {
        self.schema.to_string()
    }

    /// Returns why an argument text cannot be checked within the limits; `None` if it can. A text that cannot is
    /// neither right nor wrong: its other checks give one fault of the keyword [`BUDGET`].
    pub fn not_checkable(&self, args_text: &str) -> Option<NotCheckable> {
        let compiled = match self.compiled() {
            Ok(compiled) => compiled,
            Err(why) => return Some(why),
        };
        if self.is_light(compiled, args_text.len()) {
            return None;
        }
        let value = reading::read(args_text, self.keeps_digits)
            .value
            .map(without_reserved)?;
        self.errors(&value, args_text.len()).err()
    }

    /// Returns what a check of an argument text costs, in visits; `None` if it is beyond the limits.
    pub fn cost(&self, args_text: &str) -> Option<u64> {
        let reading = reading::read(args_text, self.keeps_digits);
        let value = reading.value.map(without_reserved).unwrap_or_default();
        let visits = if self.compiled().ok()?.is_own {
            budget::affordable(&self.schema, &value, args_text.len()).ok()?
        } else {
            0
        };
        Some(visits + args_text.len() as u64 / READ)
    }

    /// Returns everything that is wrong with an argument text whose references are resolved.
    pub fn check(&self, args_text: &str) -> Vec<Fault> {
        self.run(args_text, false)
    }

    /// Returns the arguments of a text whose names are misspelt, where the schema allows any name.
    pub fn misspelt(&self, args_text: &str) -> Vec<Fault> {
        let args: Value = serde_json::from_str(args_text).unwrap_or_default();
        args.as_object()
            .map_or_else(Vec::new, |args| super::misspelt::misspelt(&self.schema, args))
    }

    /// Returns everything that is wrong with a text that is no arguments: no key has a special
    /// meaning.
    pub fn check_value(&self, text: &str) -> Vec<Fault> {
        if text.trim_ascii().is_empty() {
            return bounded(vec![Fault {
                path: String::new(),
                keyword: "json".to_owned(),
                message: "there is no JSON text".to_owned(),
            }]);
        }
        let reading::Reading { value, mut faults } = reading::read(text, self.keeps_digits);
        if let Some(value) = value {
            self.add_faults(&mut faults, &value, text.len(), |_| true);
        }
        bounded(faults)
    }

    /// Returns everything that is wrong with an argument text as the model wrote it: a reference (a string
    /// that begins with one `†`) is accepted everywhere.
    pub fn check_open(&self, args_text: &str) -> Vec<Fault> {
        self.run(args_text, true)
    }

    /// Returns what may be inserted at byte `at` of an argument text that is being typed, or `None`
    /// if the schema does not determine it.
    pub fn complete(&self, args_text: &str, at: usize) -> Option<Completion> {
        complete(&self.schema, args_text, at)
    }

    /// Returns the schema as it was given.
    pub fn schema(&self) -> &Value {
        &self.schema
    }

    /// Returns the findings of [`Checker::check_open`] in parts; at most [`MAX_FAULTS`] of them. A
    /// text that is not strict JSON has faults instead.
    pub fn violations(&self, args_text: &str) -> Result<Vec<Violation>, Vec<Fault>> {
        let reading::Reading { value, faults } = reading::read(args_text, self.keeps_digits);
        let Some(value) = value.filter(|_| faults.is_empty()).map(without_reserved) else {
            return Err(bounded(faults));
        };
        let errors = self
            .errors(&value, args_text.len())
            .map_err(|why| vec![beyond(why)])?;
        let parts = errors
            .iter()
            .flat_map(|error| self.parts(error, &value))
            // One violation can name as many properties as there are in the text.
            .take(MAX_FAULTS);
        Ok(parts.collect())
    }

    fn parts(&self, error: &ValidationError<'_>, value: &Value) -> Vec<Violation> {
        if reference_wildcards::excused(error, value) {
            return Vec::new();
        }
        let leaves = violation::leaves(error);
        let counting = leaves
            .into_iter()
            .filter(|leaf| !reference_wildcards::excused(leaf, value));
        counting
            .flat_map(|leaf| violation::parts(leaf, &self.schema, value))
            .collect()
    }

    fn run(&self, args_text: &str, open: bool) -> Vec<Fault> {
        let reading::Reading { value, mut faults } = reading::read(args_text, self.keeps_digits);
        if let Some(value) = value.map(without_reserved) {
            self.add_faults(&mut faults, &value, args_text.len(), |error| {
                !(open && reference_wildcards::excused(error, &value))
            });
        }
        bounded(faults)
    }

    fn add_faults(
        &self,
        faults: &mut Vec<Fault>,
        value: &Value,
        bytes: usize,
        counts: impl Fn(&ValidationError<'_>) -> bool,
    ) {
        match self.errors(value, bytes) {
            Ok(errors) => {
                let counting = errors.iter().filter(|error| counts(error));
                let found = counting.flat_map(|error| sentence::faults(error, &self.schema));
                let room = (MAX_FAULTS + 1).saturating_sub(faults.len());
                faults.extend(found.take(room));
            }
            Err(why) => faults.push(beyond(why)),
        }
    }

    /// Returns the violations of a value of `bytes` bytes. For a long value, only the first: all
    /// are made before the first is returned, and each takes a few hundred bytes. A reference may
    /// hide others; the check of the values that replace it finds them.
    fn errors<'v>(
        &'v self,
        value: &'v Value,
        bytes: usize,
    ) -> Result<Vec<ValidationError<'v>>, NotCheckable> {
        let compiled = self.compiled()?;
        if !self.is_light(compiled, bytes) {
            budget::affordable(&self.schema, value, bytes)?;
        }
        let validator = &compiled.validator;
        let errors: Vec<ValidationError<'v>> = if bytes > LONG {
            validator.validate(value).err().into_iter().collect()
        } else {
            validator.iter_errors(value).collect()
        };
        let given_up = |error: &ValidationError<'_>| {
            matches!(
                error.kind(),
                Kind::BacktrackLimitExceeded { .. } | Kind::RegexEngineFailure { .. }
            )
        };
        if errors.iter().any(given_up) {
            return Err(NotCheckable::Pattern);
        }
        Ok(errors)
    }
}

/// Converts the reason why a text cannot be checked to a fault.
fn beyond(why: NotCheckable) -> Fault {
    Fault {
        path: String::new(),
        keyword: BUDGET.to_owned(),
        message: format!("cannot be checked: {why}"),
    }
}

/// Compiles a schema.
pub(super) fn build(schema: &Value) -> Result<Validator, ValidationError<'static>> {
    jsonschema::options()
        .with_retriever(Nothing)
        .should_validate_formats(true)
        .should_ignore_unknown_formats(true)
        .with_pattern_options(
            PatternOptions::fancy_regex()
                .backtrack_limit(budget::PATTERN_STEPS)
                .size_limit(budget::PATTERN_SIZE),
        )
        .build(schema)
}

fn without_reserved(mut value: Value) -> Value {
    if let Value::Object(map) = &mut value {
        // `shift_remove` keeps the order of the other keys, and so the order of the faults.
        for key in RESERVED {
            map.shift_remove(key);
        }
    }
    value
}

fn bounded(mut faults: Vec<Fault>) -> Vec<Fault> {
    if faults.len() > MAX_FAULTS {
        faults.truncate(MAX_FAULTS);
        faults.push(Fault {
            path: String::new(),
            keyword: "json".to_owned(),
            message: format!("there is more than these {MAX_FAULTS} faults; correct these first"),
        });
    }
    faults
}

/// Describes an error with its causes: the reason of a refused reference is at the end of the chain.
pub(super) fn causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(next) = cause {
        let more = next.to_string();
        if !text.contains(&more) {
            text.push_str(": ");
            text.push_str(&more);
        }
        cause = next.source();
    }
    text
}
