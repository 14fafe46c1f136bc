//! Warns about words with deceptive letters.
//!
//! Must not know: where the words are.

use unicode_security::MixedScript;

/// Why a word is suspicious.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WarningKind {
    /// Letters of different scripts in one word, as in `pаypal` with a Cyrillic `а`.
    MixedScript,
    /// A host name in its encoded form (`xn--…`).
    Punycode,
    /// A host name with characters beyond ASCII.
    ForeignHost,
    /// Characters that change the direction of what follows.
    Direction,
    /// Control characters, as those that begin an escape sequence.
    Control,
    /// Characters that draw nothing, or only an empty cell.
    Unseen,
    /// Characters that look like the frame or the marks of this program.
    Imitates,
}

impl WarningKind {
    /// Describes the warning in a few words.
    pub const fn label(self) -> &'static str {
        match self {
            Self::MixedScript => "letters of different scripts in one word",
            Self::Punycode => "encoded host name",
            Self::ForeignHost => "host name beyond ASCII",
            Self::Direction => "turns the direction of the text",
            Self::Control => "control characters",
            Self::Unseen => "characters that cannot be seen",
            Self::Imitates => "looks like a mark of this screen",
        }
    }

    /// Describes a number of such findings.
    pub fn counted(self, count: usize) -> String {
        let (one, many) = match self {
            Self::MixedScript => (
                "word with letters of different scripts",
                "words with letters of different scripts",
            ),
            Self::Punycode => ("encoded host name", "encoded host names"),
            Self::ForeignHost => ("host name beyond ASCII", "host names beyond ASCII"),
            Self::Direction => (
                "mark that turns the direction of the text",
                "marks that turn the direction of the text",
            ),
            Self::Control => ("control character", "control characters"),
            Self::Unseen => ("character that cannot be seen", "characters that cannot be seen"),
            Self::Imitates => (
                "text that looks like a mark of this screen",
                "texts that look like marks of this screen",
            ),
        };
        format!("{count} {}", if count == 1 { one } else { many })
    }
}

/// Reports every suspicious word of a text with the byte offset at which it begins.
pub(super) fn find<'t>(text: &'t str, mut add: impl FnMut(WarningKind, &'t str, usize)) {
    let place = |part: &str| part.as_ptr().addr() - text.as_ptr().addr();
    for word in split_words(text).filter(|word| is_mixed(word)) {
        add(WarningKind::MixedScript, word, place(word));
    }
    for host in hosts(text).filter(|host| !host.is_ascii()) {
        add(WarningKind::ForeignHost, host, place(host));
    }
    for name in text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '.' | '-' | '_'))) {
        let encoded = name.split('.').any(|label| {
            label
                .get(..4)
                .is_some_and(|start| start.eq_ignore_ascii_case("xn--"))
        });
        if encoded {
            add(WarningKind::Punycode, name, place(name));
        }
    }
}

fn is_mixed(word: &str) -> bool {
    !word.is_ascii() && !word.is_single_script()
}

fn split_words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
}

/// Iterates over the text at the places where URLs have their host.
fn hosts(text: &str) -> impl Iterator<Item = &str> {
    text.split("://").skip(1).filter_map(|rest| {
        let end = rest.find(|c: char| {
            c.is_whitespace() || matches!(c, '/' | '?' | '#' | '"' | '\'' | '<' | '>' | '\\')
        });
        let authority = rest.get(..end.unwrap_or(rest.len()))?;
        authority.rsplit('@').next()
    })
}
