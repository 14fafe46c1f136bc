//! The reason with which a call asks to run outside of the sandbox (`_outside`).
//!
//! Must not know: who decides about it, how it is shown.
//!
//! Unlike the reason for the call, it is part of what is shown, approved and recorded. The tools drop it.

use crate::call::Fault;
use crate::reference::rewrite;

/// Name of the member.
const NAME: &str = "_outside";

/// Returns the reason for which a call with these arguments asks to run outside of the sandbox; `None` if it does not
/// ask. Anything but an absent, blank or null value asks, so a value that is no text gives its JSON. Untrusted text.
pub fn outside(args: &str) -> Option<String> {
    // Without an escape a name is in the text as it is.
    if !args.contains(NAME) && !args.contains('\\') {
        return None;
    }
    let asked = rewrite::outside(args)
        .into_iter()
        .find(|(value, is_text)| !value.trim().is_empty() && (*is_text || value != "null"));
    asked.map(|(value, _)| value.trim().to_owned())
}

/// Returns these arguments with a reason to run outside of the sandbox, in place of any other; `None` if they are no object.
pub fn ask_outside(args: &str, reason: &str) -> Option<String> {
    let bare = rewrite::without_outside(args);
    let open = bare.trim_end().strip_suffix('}')?.trim_end();
    let is_empty = open.trim_start().strip_prefix('{')?.trim().is_empty();
    let comma = if is_empty { "" } else { "," };
    let reason = serde_json::Value::String(reason.to_owned());
    Some(format!("{open}{comma}\"{NAME}\":{reason}}}"))
}

/// Returns what is wrong with a reason that is no text; the call of a confined tool cannot run with it.
pub fn outside_fault(args: &str) -> Option<Fault> {
    outside(args)?;
    let found = rewrite::outside(args);
    let is_wrong = found.iter().any(|(value, is_text)| !is_text && value != "null");
    is_wrong.then(|| Fault {
        path: format!("/{NAME}"),
        keyword: "type".to_owned(),
        message: "`_outside` is a reason in one text; leave it out to run inside of the sandbox".to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn anything_but_an_absent_blank_or_null_reason_asks() {
        for (args, is) in [
            (r#"{"command":"ls"}"#, None),
            (r#"{"command":"ls","_outside":null}"#, None),
            (r#"{"command":"ls","_outside":""}"#, None),
            (r#"{"command":"ls","_outside":" \n"}"#, None),
            (r#"{"in":{"_outside":"an argument"}}"#, None),
            (r#"{"_why":"_outside"}"#, None),
            ("", None),
            ("{", None),
            (r#"{"_outside":" it needs docker "}"#, Some("it needs docker")),
            (r#"{"_outs\u0069de":"escaped"}"#, Some("escaped")),
            (r#"{"_outside":"null"}"#, Some("null")),
            (r#"{"_outside":true}"#, Some("true")),
            (r#"{"_outside":false}"#, Some("false")),
            (r#"{"_outside":{}}"#, Some("{}")),
            (r#"{"_outside":["†call.c1"],"a":1}"#, Some(r#"["†call.c1"]"#)),
            (r#"{"_outside":"†call.c1"}"#, Some("†call.c1")),
            // The tool may read either of two.
            (r#"{"_outside":"x","_outside":null}"#, Some("x")),
            (r#"{"_outside":null,"_outside":"x"}"#, Some("x")),
        ] {
            assert_eq!(outside(args).as_deref(), is, "{args}");
        }
    }

    #[test]
    fn a_call_asks_to_run_outside_in_addition_to_its_arguments() {
        for (args, asks) in [
            ("{}", r#"{"_outside":"why"}"#),
            (" { } ", r#" {"_outside":"why"}"#),
            (r#"{"command":"ls"}"#, r#"{"command":"ls","_outside":"why"}"#),
            (
                r#"{"_outside":null,"command":"ls }"}"#,
                r#"{"command":"ls }","_outside":"why"}"#,
            ),
            (
                r#"{"command":"ls","_outside":""}"#,
                r#"{"command":"ls","_outside":"why"}"#,
            ),
        ] {
            let found = ask_outside(args, "why").unwrap();
            assert_eq!(found, asks);
            assert_eq!(outside(&found).as_deref(), Some("why"));
        }
        for bad in ["", "[]", "null", "\"}\""] {
            assert_eq!(ask_outside(bad, "why"), None, "{bad}");
        }
    }

    #[test]
    fn a_reason_that_is_no_text_is_a_fault() {
        for good in [r#"{"_outside":"why"}"#, r#"{"_outside":null}"#, "{}"] {
            assert_eq!(outside_fault(good), None, "{good}");
        }
        for bad in [r#"{"_outside":true}"#, r#"{"_outside":["why"]}"#] {
            assert_eq!(
                outside_fault(bad).map(|one| one.path).as_deref(),
                Some("/_outside"),
                "{bad}"
            );
        }
    }
}
