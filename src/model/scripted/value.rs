//! The value of a template expression: a text, or a list of texts.
//!
//! Must not know: templates, playbooks.

/// A text or a list of texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// One text.
    Text(String),
    /// Several texts.
    List(Vec<String>),
}

impl Value {
    /// Returns true if there is nothing to show.
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Text(text) => text.trim().is_empty(),
            Self::List(items) => items.is_empty(),
        }
    }

    /// Returns the items; those of a text are its non-blank lines.
    pub fn into_items(self) -> Vec<String> {
        match self {
            Self::Text(text) => text
                .lines()
                .filter(|line| !line.trim().is_empty())
                .map(str::to_owned)
                .collect(),
            Self::List(items) => items,
        }
    }

    /// Returns the value as text, a list line by line.
    pub fn into_text(self) -> String {
        match self {
            Self::Text(text) => text,
            Self::List(items) => items.join("\n"),
        }
    }

    /// Applies a change to the text or to each item.
    pub fn map(self, change: impl Fn(&str) -> String) -> Self {
        match self {
            Self::Text(text) => Self::Text(change(&text)),
            Self::List(items) => Self::List(items.iter().map(|item| change(item)).collect()),
        }
    }
}
