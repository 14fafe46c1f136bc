//! Rules that the operator writes during a session, and how rules are cited.
//!
//! Must not know: the language of rules, how a rule is matched.
//!
//! A rule is an event of the run, known by its number. It applies to the whole session, on every
//! branch. A removed rule no longer applies and stays in the list.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::call::Digest;
use super::id::{NodeId, Rev, Seq};

/// What a rule says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum RuleSpec {
    /// Calls with exactly these bytes of this tool, in the same surroundings, run.
    Exact {
        /// The call that it was made from.
        call: NodeId,
        /// The revision.
        #[serde(default)]
        rev: Rev,
        /// Its tool.
        tool: Arc<str>,
        /// Hash of tool, definition, argument bytes and surroundings.
        key: Arc<str>,
        /// Bytes of the arguments.
        #[serde(default)]
        bytes: u64,
    },
    /// A rule in the language of policies, as it was typed.
    Text {
        /// The words.
        text: Arc<str>,
    },
}

/// A rule that an operator wants.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum RuleRequest {
    /// Always exactly this call.
    Exact {
        /// The call.
        call: NodeId,
        /// The revision that was shown.
        rev: Rev,
        /// Hash of what was shown.
        digest: Digest,
    },
    /// A rule in the language of policies.
    Text {
        /// The words.
        text: Arc<str>,
    },
}

/// A rule of the session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionRule {
    /// Its number, from 1; never used again.
    pub no: u32,
    /// The event that added it.
    pub seq: Seq,
    /// What it says.
    pub written: RuleSpec,
    /// True once it is removed.
    pub dropped: bool,
}

/// How a rule is named wherever it is cited.
pub fn name(no: u32) -> String {
    format!("session rule {no}")
}

/// True for the citation of a rule of this number.
pub fn is_of(cited: &str, no: u32) -> bool {
    cited
        .strip_prefix(&name(no))
        .is_some_and(|rest| rest.starts_with(':'))
}

/// Quotes untrusted text, so that no quotation mark in it ends the quotation.
pub fn quotation(words: &str) -> String {
    let mut out = String::with_capacity(words.len() + 2);
    out.push('"');
    for c in words.chars() {
        if matches!(c, '"' | '\\') {
            out.push('\\');
        }
        out.push(c);
    }
    out.push('"');
    out
}

/// Returns the place of a rule in a file of the workspace; `None` for any other rule.
pub fn of_workspace(cited: &str) -> Option<&str> {
    let rest = cited.strip_prefix("workspace ")?;
    let mut colons = rest.match_indices(':').map(|(at, _)| at);
    let line = |at: usize| {
        let after = rest.get(at + 1..)?;
        let digits = after.len() - after.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let ends = after.get(digits..)?.starts_with(": ");
        (digits > 0 && ends).then_some(at + 1 + digits)
    };
    let end = colons.find_map(line)?;
    rest.get(..end)
}

/// Describes a rule in one line: as it is cited, or by its place if a file of the workspace holds
/// it. The rest of such a citation is untrusted text.
pub fn describe(cited: &str) -> String {
    match of_workspace(cited) {
        Some(place) => format!("a rule of the workspace ({place})"),
        None if cited.starts_with("workspace ") => "a rule of the workspace".to_owned(),
        None => cited.to_owned(),
    }
}

/// Describes a rule with its reason. The text of a workspace's file is quoted.
pub fn describe_with_reason(cited: &str, reason: &str) -> String {
    let rule = describe(cited);
    if !cited.starts_with("workspace ") {
        return format!("{rule}: {reason}");
    }
    let output = reason.strip_prefix("the workspace's rule says \"");
    match output.and_then(|rest| rest.strip_suffix('"')) {
        Some(words) => format!("{rule}, which says {}", quotation(words)),
        // The console's own words where the file gives no reason; all that an older program recorded may be the file's.
        None if reason.starts_with("a workspace rule ") => rule,
        None => format!("{rule}, which says {}", quotation(reason)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_a_workspace_is_a_quotation_it_cannot_end() {
        let cited = "workspace overrule.toml:3: { reason = \"yes: approved by the operator\" }";
        assert_eq!(describe(cited), "a rule of the workspace (overrule.toml:3)");
        let words = |reason: &str| describe_with_reason(cited, reason);
        assert_eq!(
            words("the workspace's rule says \"fine\" approved by \\\"ann\""),
            r#"a rule of the workspace (overrule.toml:3), which says "fine\" approved by \\\"ann""#
        );
        // What an older program recorded, and a file without a reason.
        assert_eq!(
            words("proceed"),
            "a rule of the workspace (overrule.toml:3), which says \"proceed\""
        );
        assert_eq!(
            words("a workspace rule denies shell."),
            "a rule of the workspace (overrule.toml:3)"
        );
    }

    #[test]
    fn a_place_is_shown_only_as_far_as_it_is_valid() {
        assert_eq!(
            describe("workspace a:b/overrule.toml:12: x"),
            "a rule of the workspace (a:b/overrule.toml:12)"
        );
        assert_eq!(describe("workspace approved by ann"), "a rule of the workspace");
    }

    #[test]
    fn other_rules_are_cited_word_for_word() {
        for cited in [
            "preset auto: what cannot be undone asks",
            "session rule 3: { tool = \"x\" }",
        ] {
            assert_eq!(describe(cited), cited);
            assert_eq!(
                describe_with_reason(cited, "because."),
                format!("{cited}: because.")
            );
        }
    }
}
