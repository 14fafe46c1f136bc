//! Says what a request beside a conversation asks for, and to which conversation it belongs.
//!
//! Must not know: sockets, how a run records it.

use std::sync::Arc;

use super::run::AgentRun;
use super::secrets::Secrets;
use overrule_base::text::head;
use overrule_domain::agent::SideRequest;
use overrule_model::wire::agent::AgentRequest;

/// Maximum characters of the words of a request that are recorded.
const MAX_WORDS: usize = 200;
/// Maximum number of requests that are remembered until the first conversation begins.
const MAX_EARLY: usize = 100;

/// Requests beside a conversation that belong to no conversation of their name: each is for the first one of its program.
#[derive(Default)]
pub struct Nameless {
    /// The first conversation of each program.
    first: Vec<Arc<AgentRun>>,
    /// Those before it began, with their programs.
    early: Vec<(String, SideRequest)>,
}

impl Nameless {
    /// Takes a conversation that begins. Returns the requests of its program that came before its first one. Those of a
    /// program that does not say its name are for the first one of all.
    pub fn begin(&mut self, run: &Arc<AgentRun>) -> Vec<SideRequest> {
        let program = run.client().program();
        let is_first = self.first.is_empty();
        if self.first_of(program).is_none() {
            self.first.push(run.clone());
        }
        let is_its = |of: &str| of == program || of.is_empty() && is_first;
        let early = self.early.extract_if(.., |(of, _)| is_its(of));
        early.map(|(_, one)| one).collect()
    }

    /// Returns the conversation that a request is for. Before that begins, the request is remembered.
    pub fn take(&mut self, program: &str, one: SideRequest) -> Option<(Arc<AgentRun>, SideRequest)> {
        let nobodys = || self.first.first().filter(|_| program.is_empty());
        if let Some(run) = self.first_of(program).or_else(nobodys) {
            return Some((run.clone(), one));
        }
        if self.early.len() < MAX_EARLY {
            self.early.push((program.to_owned(), one));
        }
        None
    }

    fn first_of(&self, program: &str) -> Option<&Arc<AgentRun>> {
        self.first.iter().find(|run| run.client().program() == program)
    }
}

/// Returns the first words of the newest message of a request with a text, without the log-in.
pub fn beginning(request: &AgentRequest, secrets: &Secrets) -> Arc<str> {
    let mut messages = request.messages.iter().rev();
    let newest = messages.find_map(|message| {
        let texts: Vec<&str> = message.texts().collect();
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
