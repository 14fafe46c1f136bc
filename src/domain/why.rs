//! The reason that a model gives for a call (`_why`): its own word, no argument of the tool.
//!
//! Must not know: how it is shown.
//!
//! It is in the argument text as it was streamed, and is removed from what is approved and runs.

use super::node::{Node, Origin};
use super::reference::rewrite;

/// Maximum number of characters that are shown.
pub const LONGEST: usize = 300;
/// Bytes of arguments beyond which only a key without escapes is found.
const LONG: usize = 64 * 1024;

/// Returns the reason for a call's current arguments; `None` if a person wrote the arguments.
/// Untrusted text.
pub fn of(node: &Node) -> Option<String> {
    let by_model = matches!(node.now().origin, Origin::Model | Origin::Repair { .. });
    let (_, args) = node.as_call().filter(|_| by_model)?;
    in_args(args)
}

/// Returns the reason that an argument text gives, cut to [`LONGEST`] characters. Untrusted text.
pub fn in_args(args: &str) -> Option<String> {
    if args.len() > LONG && !args.contains("\"_why\"") {
        return None;
    }
    let why = rewrite::why(args)?;
    let why = why.trim();
    if why.is_empty() {
        return None;
    }
    Some(match why.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}…", why.get(..at).unwrap_or_default()),
        None => why.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_bounded_and_an_empty_one_is_none() {
        assert_eq!(in_args(r#"{"_why":" to see ","a":1}"#).as_deref(), Some("to see"));
        for none in [
            r#"{"a":1}"#,
            r#"{"_why":""}"#,
            r#"{"_why":null}"#,
            r#"{"in":{"_why":"x"}}"#,
            "",
            "{",
        ] {
            assert_eq!(in_args(none), None, "{none}");
        }
        let long = format!(r#"{{"_why":"{}"}}"#, "ä".repeat(10_000));
        assert_eq!(in_args(&long).unwrap().chars().count(), LONGEST + 1);
        let far = format!(r#"{{"a":"{}","_why":"x"}}"#, "a".repeat(100_000));
        assert_eq!(in_args(&far).as_deref(), Some("x"));
    }
}
