//! What a template expression gives: a text, or a list of texts. Must not know: templates, playbooks.

/// A text or a list of texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// One text.
    Text(String),
    /// Several.
    List(Vec<String>),
}

impl Value {
    /// True where there is nothing to show.
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Text(text) => text.trim().is_empty(),
            Self::List(items) => items.is_empty(),
        }
    }

    /// The items; of a text its lines that are not blank.
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

    /// As text; a list line by line.
    pub fn into_text(self) -> String {
        match self {
            Self::Text(text) => text,
            Self::List(items) => items.join("\n"),
        }
    }

    /// The same change to the text or to each item.
    pub fn map(self, change: impl Fn(&str) -> String) -> Self {
        match self {
            Self::Text(text) => Self::Text(change(&text)),
            Self::List(items) => Self::List(items.iter().map(|item| change(item)).collect()),
        }
    }
}
