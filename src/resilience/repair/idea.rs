//! What a strategy looks at and what it answers. Must not know: any strategy.

use jiff::civil::Date;
use serde_json::Value;

use super::place;
use crate::canon::pointer;
use crate::domain::repair::{Certainty, Change, Strategy};

/// One parameter in question.
#[derive(Debug, Clone, Copy)]
pub(super) struct Spot<'a> {
    /// All arguments.
    pub args: &'a Value,
    /// JSON pointer of the parameter.
    pub path: &'a str,
    /// The keyword of the schema that is violated; empty where a tool complained in its own words.
    pub keyword: &'a str,
    /// What the keyword asks for.
    pub expected: &'a Value,
    /// What the schema says of the parameter.
    pub place: &'a Value,
    /// What the schema says of the object that it stands in.
    pub around: &'a Value,
    /// What was caught in the words of a tool beside the parameter's name.
    pub captures: &'a [String],
    /// The day of the failure, for words such as "tomorrow".
    pub today: Option<Date>,
}

impl<'a> Spot<'a> {
    /// The value in question, where there is one.
    pub fn value(&self) -> Option<&'a Value> {
        self.args.pointer(self.path)
    }

    /// The same as text.
    pub fn text(&self) -> Option<&'a str> {
        self.value().and_then(Value::as_str)
    }

    /// True where the object around demands the parameter.
    pub fn is_required(&self) -> bool {
        let name = place::last(self.path);
        let required = self.around.get("required").and_then(Value::as_array);
        required.is_some_and(|all| all.iter().any(|one| one.as_str() == Some(&name)))
    }
}

/// One way to mend a parameter.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Idea {
    /// JSON pointers and what stands there afterwards; none takes the value away.
    pub edits: Vec<(String, Option<Value>)>,
    pub certainty: Certainty,
    /// One sentence.
    pub why: String,
}

impl Idea {
    /// Another value for the parameter itself.
    pub fn of(spot: &Spot<'_>, to: Value, certainty: Certainty, why: impl Into<String>) -> Self {
        Self {
            edits: vec![(spot.path.to_owned(), Some(to))],
            certainty,
            why: why.into(),
        }
    }

    /// The arguments afterwards; none where a place does not exist.
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

    /// What it changes, for the record.
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
