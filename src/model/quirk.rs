//! Special forms of requests that some servers need.
//!
//! Must not know: wire formats, words of servers.
//!
//! They are learned from refusals. A form is recorded by its name. It holds for a server as long as the session lasts.

use std::collections::BTreeSet;
use std::fmt;

/// A special form that a server needs.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Quirk {
    /// It does not take a member of this name: the member is left out.
    LeaveOut(String),
    /// Ids of calls are nine letters and digits.
    ShortIds,
    /// Every assistant message has its reasoning as `reasoning_content`, `""` where there was none.
    ReasoningBack,
    /// Signed blocks of reasoning go back with their message.
    SignaturesBack,
    /// A call that has no signature gets the one that skips the check.
    PlaceholderSignatures,
    /// The system text has the role `developer`.
    DeveloperRole,
    /// The system text is the beginning of the first user message.
    SystemInUser,
    /// No user message directly follows a tool result: its text is appended to that result.
    NotesInResult,
    /// Roles alternate strictly: neighbours of one role are joined.
    AlternateRoles,
    /// The last message is no assistant message.
    UserLast,
    /// Every content is a string, never null.
    StringContent,
    /// No content is blank.
    NoBlankContent,
    /// One call in a message.
    SingleCalls,
    /// Schemas are strict: every property is required, and null stands for one that is left out.
    StrictSchemas,
    /// The limit of a reply is called `max_completion_tokens`.
    CompletionTokens,
    /// The model chooses how much it thinks, within a level.
    AdaptiveThinking,
    /// The model cannot stop thinking: instead of not at all it thinks at this level, the least that it can.
    LeastThinking(String),
    /// The most tokens that a reply of the model can have.
    MaxOutput(u32),
}

/// The special forms that a server needs.
pub type Quirks = BTreeSet<Quirk>;

/// The quirks without a value, with their names.
const NAMED: &[(Quirk, &str)] = &[
    (Quirk::ShortIds, "short_ids"),
    (Quirk::ReasoningBack, "reasoning_back"),
    (Quirk::SignaturesBack, "signatures_back"),
    (Quirk::PlaceholderSignatures, "placeholder_signatures"),
    (Quirk::DeveloperRole, "developer_role"),
    (Quirk::SystemInUser, "system_in_user"),
    (Quirk::NotesInResult, "notes_in_result"),
    (Quirk::AlternateRoles, "alternate_roles"),
    (Quirk::UserLast, "user_last"),
    (Quirk::StringContent, "string_content"),
    (Quirk::NoBlankContent, "no_blank_content"),
    (Quirk::SingleCalls, "single_calls"),
    (Quirk::StrictSchemas, "strict_schemas"),
    (Quirk::CompletionTokens, "completion_tokens"),
    (Quirk::AdaptiveThinking, "adaptive_thinking"),
];
const LEAVE_OUT: &str = "leave_out:";
const LEAST_THINKING: &str = "least_thinking:";
const MAX_OUTPUT: &str = "max_output:";

impl Quirk {
    /// Returns the quirk of a recorded name; `None` for a name unknown to this version.
    pub fn named(name: &str) -> Option<Self> {
        if let Some(member) = name.strip_prefix(LEAVE_OUT) {
            return Some(Self::LeaveOut(member.to_owned()));
        }
        if let Some(level) = name.strip_prefix(LEAST_THINKING) {
            return Some(Self::LeastThinking(level.to_owned()));
        }
        if let Some(tokens) = name.strip_prefix(MAX_OUTPUT) {
            return tokens.parse().ok().map(Self::MaxOutput);
        }
        let found = NAMED.iter().find(|(_, known)| *known == name);
        found.map(|(quirk, _)| quirk.clone())
    }
}

impl fmt::Display for Quirk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::LeaveOut(member) => write!(f, "{LEAVE_OUT}{member}"),
            Self::LeastThinking(level) => write!(f, "{LEAST_THINKING}{level}"),
            Self::MaxOutput(tokens) => write!(f, "{MAX_OUTPUT}{tokens}"),
            named => {
                let found = NAMED.iter().find(|(quirk, _)| quirk == named);
                f.write_str(found.map_or("", |(_, name)| name))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_that_of_its_quirk_and_an_unknown_one_of_none() {
        for (quirk, name) in NAMED {
            assert_eq!(quirk.to_string(), *name);
            assert_eq!(Quirk::named(name).as_ref(), Some(quirk));
        }
        let left = Quirk::LeaveOut("stream_options".into());
        assert_eq!(left.to_string(), "leave_out:stream_options");
        assert_eq!(Quirk::named("leave_out:stream_options"), Some(left));
        for (quirk, name) in [
            (Quirk::LeastThinking("low".into()), "least_thinking:low"),
            (Quirk::MaxOutput(8192), "max_output:8192"),
        ] {
            assert_eq!(quirk.to_string(), name);
            assert_eq!(Quirk::named(name), Some(quirk));
        }
        assert_eq!(Quirk::named("max_output:many"), None);
        assert_eq!(Quirk::named("of_tomorrow"), None);
    }
}
