//! Input and output of a strategy.
//!
//! Must not know: any strategy.

use jiff::civil::Date;
use serde_json::Value;

use super::arg_path;
use overrule_base::canon::pointer;
use overrule_domain::repair::{Certainty, Change, Strategy};

/// One parameter in question.
#[derive(Debug, Clone, Copy)]
pub(super) struct Spot<'a> {
    /// Name of the tool.
    pub tool: &'a str,
    /// The schema of the tool.
    pub schema: &'a Value,
    /// All arguments.
    pub args: &'a Value,
    /// JSON pointer to the parameter.
    pub path: &'a str,
    /// The violated keyword of the schema; empty for a tool's own error text.
    pub keyword: &'a str,
    /// The value of the keyword.
    pub expected: &'a Value,
    /// The schema of the parameter.
    pub place: &'a Value,
    /// The schema of the object that contains it.
    pub around: &'a Value,
    /// Captures from a tool's error text, besides the parameter's name.
    pub captures: &'a [String],
    /// A number as it was written, if it is a plain decimal.
    pub written: Option<&'a str>,
    /// The date of the failure, for words such as "tomorrow".
    pub today: Option<Date>,
}

impl<'a> Spot<'a> {
    /// Returns the value in question, if there is one.
    pub fn value(&self) -> Option<&'a Value> {
        self.args.pointer(self.path)
    }

    /// Returns the value as text.
    pub fn text(&self) -> Option<&'a str> {
        self.value().and_then(Value::as_str)
    }

    /// Returns the length of the list that contains the value, if it is in one.
    pub fn among(&self) -> Option<usize> {
        let around = self.args.pointer(arg_path::parent(self.path))?;
        around.as_array().filter(|_| !self.path.is_empty()).map(Vec::len)
    }

    /// Returns true if the enclosing object requires the parameter.
    pub fn is_required(&self) -> bool {
        let name = arg_path::last(self.path);
        let required = self.around.get("required").and_then(Value::as_array);
        required.is_some_and(|all| all.iter().any(|one| one.as_str() == Some(&name)))
    }
}

/// One way to repair a parameter.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Idea {
    /// JSON pointers and their new values; `None` removes the value.
    pub edits: Vec<(String, Option<Value>)>,
    pub certainty: Certainty,
    /// The reason, in one sentence.
    pub why: String,
}

impl Idea {
    /// The same meaning in another spelling.
    pub fn exact(edits: Vec<(String, Option<Value>)>, why: impl Into<String>) -> Self {
        Self {
            edits,
            certainty: Certainty::Exact,
            why: why.into(),
        }
    }

    /// Replaces the value of the parameter itself.
    pub fn of(spot: &Spot<'_>, to: Value, certainty: Certainty, why: impl Into<String>) -> Self {
        Self {
            edits: vec![(spot.path.to_owned(), Some(to))],
            certainty,
            why: why.into(),
        }
    }

    /// Returns the changed arguments, or `None` if a place does not exist.
    pub fn applied(&self, args: &Value) -> Option<Value> {
        let mut after = args.clone();
        for (path, to) in &self.edits {
            match to {
                Some(value) => pointer::set(&mut after, path, value.clone())?,
                None => pointer::take(&mut after, path)?,
            }
        }
        (after != *args).then_some(after)
    }

    /// Returns its changes, for the record.
    pub fn changes(&self, args: &Value, strategy: Strategy) -> Vec<Change> {
        self.edits
            .iter()
            .map(|(path, to)| Change {
                path: path.as_str().into(),
                from: args.pointer(path).map(|from| from.to_string().into()),
                to: to.as_ref().map(|to| to.to_string().into()),
                strategy,
                certainty: self.certainty,
                why: self.why.as_str().into(),
            })
            .collect()
    }
}
