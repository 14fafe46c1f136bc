//! Recognises who sends a request: the program by its `User-Agent`, and the format that it speaks.
//!
//! Must not know: conversations, servers of models.

use hyper::header::{HeaderMap, USER_AGENT};

use super::agents::{self, Agent};
use overrule_model::wire::Wire;

/// Who sends a request. Two programs share no conversation, and neither do two formats of one program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Client {
    program: String,
    is_known: bool,
    wire: Wire,
    is_confined: bool,
}

impl Client {
    /// The sender of a request with these headers in this format.
    pub fn of(headers: &HeaderMap, wire: Wire) -> Self {
        let agent = agents::of_request(headers);
        let program = match agent {
            Some(agent) => agent.program,
            None => product(headers),
        };
        Self {
            program: program.to_owned(),
            is_known: agent.is_some(),
            wire,
            is_confined: false,
        }
    }

    /// The same program in the sandbox that this process started, or not in it. It is another one than outside of it.
    pub fn confined(self, is_confined: bool) -> Self {
        Self { is_confined, ..self }
    }

    /// Returns true if its requests came out of the sandbox that this process started.
    pub const fn is_confined(&self) -> bool {
        self.is_confined
    }

    /// Returns the agent, if it is a known one.
    pub fn agent(&self) -> Option<&'static Agent> {
        agents::named(&self.program).filter(|_| self.is_known)
    }

    /// Returns the name of the program: that of a known agent, else what its `User-Agent` begins with. It may be empty, and
    /// is untrusted.
    pub fn program(&self) -> &str {
        &self.program
    }

    /// Returns the format.
    pub const fn wire(&self) -> Wire {
        self.wire
    }

    /// Returns true if two requests may be of one program. One without a `User-Agent` may be of any that speaks its format: only
    /// what it says can tell.
    pub fn may_share(&self, other: &Self) -> bool {
        let is_unnamed = self.program.is_empty() || other.program.is_empty();
        let is_of_place = self.is_confined == other.is_confined;
        self.wire == other.wire && is_of_place && (is_unnamed || self == other)
    }

    /// Returns true if the sender may be this agent: an agent whose requests do not name it may be any unknown program.
    pub fn may_be(&self, agent: &Agent) -> bool {
        match self.agent() {
            Some(own) => own.program == agent.program,
            None => agent.user_agents.is_empty(),
        }
    }
}

/// The first product of a `User-Agent`, without its version.
fn product(headers: &HeaderMap) -> &str {
    let words = headers.get(USER_AGENT).and_then(|value| value.to_str().ok());
    let words = words.unwrap_or_default().trim_start();
    words.split(['/', ' ']).next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(user_agent: &str, wire: &str) -> Client {
        let mut headers = HeaderMap::new();
        if !user_agent.is_empty() {
            headers.insert(USER_AGENT, user_agent.parse().unwrap());
        }
        Client::of(&headers, Wire::named(wire).unwrap())
    }

    #[test]
    fn a_program_is_the_same_in_every_version_and_another_in_another_format() {
        for (one, other, is_same) in [
            (
                "claude-cli/2.1.332 (external, cli)",
                "claude-cli/2.2.0 (external, sdk-cli)",
                true,
            ),
            ("codex_exec/0.171.0 (Debian 12)", "codex_cli_rs/0.169.0", true),
            ("OpenAI/Python 1.2", "OpenAI/JS 4", true),
            ("python-requests/2.3", "curl/8", false),
            ("", "", true),
            ("", "curl/8", false),
            ("claude-cli/2", "codex_exec/1", false),
            // The name alone makes no agent.
            ("codex/1", "codex_exec/1", false),
        ] {
            let (one, other) = (client(one, "openai-chat"), client(other, "openai-chat"));
            assert_eq!(one == other, is_same, "{one:?} {other:?}");
        }
        assert_ne!(
            client("opencode/1", "anthropic"),
            client("opencode/1", "openai-chat")
        );
    }

    #[test]
    fn a_request_without_a_name_may_be_of_any_program_with_its_format() {
        let nobody = client("", "anthropic");
        let claude = client("claude-cli/2", "anthropic");
        assert!(nobody.may_share(&claude) && claude.may_share(&nobody) && nobody != claude);
        assert!(!nobody.may_share(&client("claude-cli/2", "openai-chat")));
        assert!(!claude.may_share(&client("opencode/1", "anthropic")));
        assert!(claude.may_share(&client("claude-cli/3", "anthropic")));
    }

    #[test]
    fn only_a_known_agent_is_one_and_an_agent_without_a_name_may_be_any_unknown_program() {
        let of = |name: &str| agents::named(name).unwrap();
        let claude = client("claude-cli/2", "anthropic");
        assert_eq!(claude.agent().unwrap().program, "claude");
        assert!(claude.may_be(of("claude")) && !claude.may_be(of("codex")) && !claude.may_be(of("goose")));
        for unknown in [client("", "openai-chat"), client("codex/1", "openai-chat")] {
            assert!(unknown.agent().is_none());
            assert!(unknown.may_be(of("goose")) && !unknown.may_be(of("codex")));
        }
    }
}
