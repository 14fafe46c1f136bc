//! The two forms of a rejection, and which one an agent survives.
//!
//! Must not know: formats, who rejects.

use hyper::header::HeaderMap;

use super::agents;
use super::conversation;
use overrule_model::wire::agent::AgentRequest;

/// What an agent gets of a call that must not run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rejection {
    /// The call under a name that no tool has. The agent answers it by itself.
    Mask,
    /// Nothing. The model gets the rejection, and what it says next continues the reply.
    Continuation,
}

/// Members of a request that say that the model's server keeps the history.
const KEPT_BY_SERVER: [&str; 2] = ["previous_response_id", "conversation"];

/// Returns the form for the agent of a request. Known agents survive a call of a tool that they do not have. A program that
/// is not known may end there. It gets the continuation, if the request has the whole history: the hidden calls must be put
/// back into it.
pub fn form(headers: &HeaderMap, request: &AgentRequest) -> Rejection {
    let is_kept = KEPT_BY_SERVER.iter().any(|name| request.setting(name).is_some());
    if is_kept || conversation::named(headers).is_some() || agents::of_request(headers).is_some() {
        Rejection::Mask
    } else {
        Rejection::Continuation
    }
}

#[cfg(test)]
mod tests {
    use overrule_model::wire::Wire;
    use overrule_model::wire::agent::decode_request;

    use super::*;

    #[test]
    fn known_agents_get_the_mask_and_other_programs_the_continuation_where_they_send_their_history() {
        let mask = Rejection::Mask;
        let rows = [
            (("user-agent", "claude-cli/2.1.332 (external, cli)"), "", mask),
            (("user-agent", "codex_exec/0.171.0 (Debian 12)"), "", mask),
            (("user-agent", "opencode/1.18.33 ai-sdk"), "", mask),
            (("user-agent", "GeminiCLI/0.61.0/m (linux; x64)"), "", mask),
            (("user-agent", "QwenCode/0.24.4 (linux; x64)"), "", mask),
            (("x-claude-code-session-id", "s"), "", mask),
            (("thread-id", "t"), "", mask),
            (
                ("user-agent", "Agents/Python 0.24.0"),
                "",
                Rejection::Continuation,
            ),
            (("user-agent", "not claude-cli/1"), "", Rejection::Continuation),
            (("accept", "*/*"), "", Rejection::Continuation),
            (("accept", "*/*"), r#","previous_response_id":"resp_1""#, mask),
            (("accept", "*/*"), r#","conversation":"conv_1""#, mask),
            (
                ("accept", "*/*"),
                r#","previous_response_id":null"#,
                Rejection::Continuation,
            ),
        ];
        for ((name, value), member, expected) in rows {
            let mut headers = HeaderMap::new();
            headers.insert(name, value.parse().unwrap());
            let body = format!(r#"{{"model":"m","input":"hi"{member}}}"#);
            let wire = Wire::named("openai-responses").unwrap();
            let request = decode_request(wire, body.as_bytes()).unwrap();
            assert_eq!(form(&headers, &request), expected, "{value} {member}");
        }
    }
}
