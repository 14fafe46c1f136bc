//! Says what a request beside a conversation asks for, and to which conversation it belongs.
//!
//! Must not know: sockets, how a run records it.

use std::sync::Arc;

use super::run::AgentRun;
use super::secrets::Secrets;
use overrule_base::text::head;
use overrule_domain::agent::SideRequest;
use overrule_model::wire::agent::{AgentMessage, AgentRequest};

/// Maximum characters of the words of a request that are recorded.
const MAX_WORDS: usize = 200;
/// Maximum number of requests that are remembered until the first conversation begins.
const MAX_EARLY: usize = 100;

/// Requests beside a conversation that belong to no conversation of their name.
#[derive(Default)]
pub struct Nameless {
    /// The first conversation, which gets them.
    first: Option<Arc<AgentRun>>,
    /// Those before it began.
    early: Vec<SideRequest>,
}

impl Nameless {
    /// Takes a conversation that begins. Returns the requests that came before the first one.
    pub fn begin(&mut self, run: &Arc<AgentRun>) -> Vec<SideRequest> {
        self.first.get_or_insert_with(|| run.clone());
        std::mem::take(&mut self.early)
    }

    /// Returns the first conversation, and a request for it. Before it begins, the request is remembered.
    pub fn take(&mut self, one: SideRequest) -> Option<(Arc<AgentRun>, SideRequest)> {
        if let Some(run) = &self.first {
            return Some((run.clone(), one));
        }
        if self.early.len() < MAX_EARLY {
            self.early.push(one);
        }
        None
    }
}

/// Returns the first words of the newest message of a request with a text, without the log-in.
pub fn beginning(request: &AgentRequest, secrets: &Secrets) -> Arc<str> {
    let mut messages = request.messages.iter().rev();
    let newest = messages.find_map(|message| {
        let texts: Vec<&str> = AgentMessage::texts(message).collect();
        let text = texts.join(" ");
        (!text.trim().is_empty()).then_some(text)
    });
    // A part of a secret at the end would not be found.
    let text = secrets.hidden_in(&newest.unwrap_or_default());
    match head(text.trim(), MAX_WORDS - 1) {
        (cut, true) => format!("{cut}…").into(),
        (all, false) => all.into(),
    }
}

#[cfg(test)]
mod tests {
    use hyper::header::{AUTHORIZATION, HeaderMap};
    use serde_json::json;

    use super::*;
    use overrule_model::wire::Wire;
    use overrule_model::wire::agent::decode_request;

    fn words_of(content: &str) -> Arc<str> {
        let mut headers = HeaderMap::new();
        headers.insert(AUTHORIZATION, "Bearer canary-5c1f".parse().unwrap());
        let body = json!({"model": "m", "messages": [
            {"role": "user", "content": "before"}, {"role": "user", "content": content}]});
        let wire = Wire::named("anthropic").unwrap();
        let request = decode_request(wire, body.to_string().as_bytes()).unwrap();
        beginning(&request, &Secrets::of(&headers, ""))
    }

    #[test]
    fn the_words_are_those_of_the_newest_message_bounded_and_without_the_log_in() {
        assert_eq!(&*words_of(" Write a title. "), "Write a title.");
        assert_eq!(&*words_of("use canary-5c1f now"), "use [the API key] now");
        assert_eq!(words_of(&"ä".repeat(200)).chars().count(), 200);
        // A secret at the cut is replaced before the cut.
        for before in 180..200 {
            let cut = words_of(&format!("{}canary-5c1f{}", "x".repeat(before), "y".repeat(300)));
            assert!(!cut.contains("can"), "{cut}");
            assert_eq!(cut.chars().count(), 200);
        }
        assert_eq!(&*words_of(""), "before");
    }
}
