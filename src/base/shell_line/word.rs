//! One word of a command, without its quotation marks.
//!
//! Must not know: commands.

/// A word as a program would get it, as far as it is known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Word {
    /// Its text without quotation marks and escapes; expansions stay as written.
    pub text: String,
    /// The text as written, where that differs.
    pub raw: Option<String>,
    /// True if it contains a variable or a substitution.
    pub unknown: bool,
    /// True if an expansion in it is not quoted, so that it may become several words or none.
    pub splits: bool,
    /// True if a shell may replace it by names of files or by several words: `*`, `[a]`, `{a,b}`.
    pub pattern: bool,
    /// True if it begins with a home directory (`~`), also after `=` and `:`.
    pub home: bool,
    /// True if a part of it is quoted, so that it is no keyword.
    pub quoted: bool,
    /// Where in the text the last expansion ends.
    pub(super) known_from: usize,
}

impl Word {
    /// A word that no shell expands.
    pub fn literal(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            ..Self::default()
        }
    }

    /// Text that is only known when the line runs.
    pub(super) fn unseen() -> Self {
        Self {
            text: "…".to_owned(),
            unknown: true,
            splits: true,
            ..Self::default()
        }
    }

    /// Returns the word with a part that is only known when the line runs.
    pub(super) fn into_unknown(self) -> Self {
        Self {
            unknown: true,
            splits: true,
            known_from: self.text.len(),
            ..self
        }
    }

    /// True if the text is what the program gets.
    pub const fn is_sure(&self) -> bool {
        !self.unknown && !self.pattern
    }

    /// True if only a shell determines its value.
    pub const fn is_odd(&self) -> bool {
        self.unknown || self.pattern || self.home
    }

    /// Returns the name of the program without its path; none if a shell may change it.
    pub fn program(&self) -> Option<&str> {
        let slash = self.text.rfind('/');
        let name = slash.map_or(self.text.as_str(), |slash| {
            self.text.get(slash + 1..).unwrap_or_default()
        });
        // In a quoted path (`"$DIR"/ls`) the last part is known; an unquoted variable may become several words.
        let path_only = !self.splits && slash.is_some_and(|slash| slash >= self.known_from);
        let sure = !self.unknown || path_only;
        // `{a;}` and `=a` mean something else to some shells.
        let odd = !self.quoted && (self.text.len() > 1 && self.text.starts_with(['{', '=']));
        (sure && !self.pattern && !odd).then_some(name)
    }

    /// True for the beginning of `NAME[…]=VALUE` with blanks between the brackets, which some
    /// shells accept.
    pub(super) fn opens_index(&self) -> bool {
        let index = self.text.split_once('[').filter(|(name, _)| is_name(name));
        index.is_some_and(|(_, index)| !index.contains(']'))
    }

    /// True for `NAME=VALUE` and `NAME+=VALUE`, whose name is not quoted.
    pub(super) fn is_assignment(&self) -> bool {
        let text = self.raw.as_deref().unwrap_or(&self.text);
        text.split_once('=').is_some_and(|(name, _)| {
            let name = name.strip_suffix('+').unwrap_or(name);
            let name = name.split_once('[').map_or(name, |(name, _)| name);
            is_name(name)
        })
    }
}

/// Quotes a word for a shell.
pub fn quote(word: &str) -> String {
    let safe = |byte: u8| byte.is_ascii_alphanumeric() || b"_-./+@:%=,".contains(&byte);
    if !word.is_empty() && word.bytes().all(safe) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// True for a word that can be the name of a variable.
pub fn is_name(word: &str) -> bool {
    let letter = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    !word.is_empty() && !word.starts_with(|c: char| c.is_ascii_digit()) && word.bytes().all(letter)
}
