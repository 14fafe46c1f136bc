//! Error codes and patterns over them.
//!
//! Must not know: what an error means.

use std::fmt;
use std::str::FromStr;

/// The code of a failure.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Code {
    /// An HTTP status.
    Http(u16),
    /// A system error number, by name (`ENOENT`).
    Errno(String),
    /// A JSON-RPC code.
    JsonRpc(i64),
    /// A name in capitals (`VALIDATION_ERROR`).
    Symbol(String),
}

impl Code {
    /// Returns true for the status of an answer: HTTP or JSON-RPC.
    pub const fn is_status(&self) -> bool {
        matches!(self, Self::Http(_) | Self::JsonRpc(_))
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Http(status) => write!(f, "HTTP {status}"),
            Self::Errno(name) => write!(f, "errno {name}"),
            Self::JsonRpc(code) => write!(f, "JSON-RPC {code}"),
            Self::Symbol(name) => f.write_str(name),
        }
    }
}

/// The codes that a rule applies to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CodePattern {
    /// A single code.
    One(Code),
    /// A class of HTTP statuses (`5xx`), by its first digit.
    Class(u16),
}

impl CodePattern {
    /// Returns true if the pattern covers a code.
    pub fn matches(&self, code: &Code) -> bool {
        match (self, code) {
            (Self::One(one), other) => one == other,
            (Self::Class(class), Code::Http(status)) => status / 100 == *class,
            (Self::Class(_), _) => false,
        }
    }
}

impl FromStr for CodePattern {
    type Err = String;

    /// Parses `400`, `5xx`, `-32602`, `ENOENT` or `VALIDATION_ERROR`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let text = text.trim();
        if let Some(class) = text.strip_suffix("xx") {
            return match class.parse() {
                Ok(class @ 1..=5) => Ok(Self::Class(class)),
                _ => Err(format!("`{text}` is no class of HTTP; write 1xx to 5xx")),
            };
        }
        if let Ok(number) = text.parse::<i64>() {
            return match u16::try_from(number) {
                Ok(status @ 100..=599) => Ok(Self::One(Code::Http(status))),
                _ if number < 0 => Ok(Self::One(Code::JsonRpc(number))),
                _ => Err(format!(
                    "`{text}` is no code; HTTP has 100 to 599, JSON-RPC is negative"
                )),
            };
        }
        let plain = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
        if !text.starts_with(|c: char| c.is_ascii_uppercase()) || !text.chars().all(plain) {
            return Err(format!(
                "`{text}` is no code; write a number (400), a class (5xx), or a name in capitals (VALIDATION_ERROR, ENOENT)"
            ));
        }
        let is_errno = text.starts_with('E') && !text.contains('_');
        Ok(Self::One(if is_errno {
            Code::Errno(text.to_owned())
        } else {
            Code::Symbol(text.to_owned())
        }))
    }
}
