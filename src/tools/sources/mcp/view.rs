//! What is shown of a server and its tools.
//!
//! Must not know: how it is drawn.

use std::path::PathBuf;
use std::sync::Arc;

use super::confined;
use super::definition::Definition;
use super::server::{Phase, Server};
use overrule_base::canon;
use overrule_base::text::{redact, visible};
use overrule_domain::call::EffectClass;

/// Bytes of a definition that count as one token, about.
const BYTES_PER_TOKEN: usize = 4;

/// A server as shown.
#[derive(Debug, Clone)]
pub struct ServerView {
    /// Its name.
    pub name: String,
    /// Its command line or address as written.
    pub command: String,
    /// The file that names it.
    pub file: String,
    /// `starting`, `ready`, `restarting`, `down`.
    pub state: &'static str,
    /// Why it is not ready.
    pub why: Option<String>,
    /// How it is confined; none where it is no program of this machine.
    pub confined: Option<&'static str>,
    /// The version of the protocol that it speaks.
    pub protocol: Option<String>,
    /// Its process.
    pub pid: Option<u32>,
    /// Milliseconds from its start to its readiness.
    pub start_ms: Option<u64>,
    /// How often it was restarted.
    pub restarts: u32,
    /// What was left out of the messages that it sent.
    pub skipped: Vec<String>,
    /// How its definitions differ from the accepted ones.
    pub drift: Vec<String>,
    /// The whole difference, safe to show; `None` if there is none or it is too long for a page.
    pub difference: Option<Arc<str>>,
    /// Its tools.
    pub tools: Vec<ToolView>,
    /// Its log.
    pub log: Option<PathBuf>,
    /// The newest lines of its log.
    pub lines: Vec<String>,
    /// Hash of its definitions, once they were read.
    pub hash: Option<String>,
}

/// A tool of a server as shown.
#[derive(Debug, Clone)]
pub struct ToolView {
    /// Its name at the server.
    pub name: String,
    /// The name under which it is offered; `None` if the settings hide it or its schema is broken.
    pub offered: Option<String>,
    /// What the server claims about it.
    pub claims: Vec<String>,
    /// The class that the server's word suggests.
    pub proposed: Option<EffectClass>,
    /// Hash of its definition.
    pub pin: String,
    /// Tokens of its definition in each request, about.
    pub tokens: usize,
    /// Its definition as the server sent it.
    pub definition: Definition,
}

impl ServerView {
    /// Describes how it is reached and how it did so far, a phrase each.
    pub fn facts(&self) -> Vec<String> {
        let protocol = self
            .protocol
            .as_ref()
            .map(|version| format!("protocol {version}"));
        let pid = self.pid.map(|pid| format!("pid {pid}"));
        let start = self.start_ms.map(|ms| format!("started in {ms} ms"));
        let restarts = match self.restarts {
            0 => None,
            1 => Some("restarted once".to_owned()),
            count => Some(format!("restarted {count} times")),
        };
        let confined = self.confined.map(str::to_owned);
        [protocol, pid, start, restarts, confined]
            .into_iter()
            .flatten()
            .collect()
    }

    /// Describes a server; `offered` has the names of its tools, by their names at the server.
    pub(super) fn new(server: &Server, offered: &[(String, String)]) -> Self {
        let config = &server.config;
        let last = server.last();
        let mut view = Self {
            name: visible(&config.name),
            command: visible(&redact(&config.written)),
            file: visible(&config.file),
            state: "starting",
            why: None,
            confined: confined::label(config, server.sandbox.as_ref()),
            protocol: None,
            pid: None,
            start_ms: None,
            restarts: server.restarts(),
            skipped: server.told.all().iter().map(|words| visible(words)).collect(),
            drift: Vec::new(),
            difference: None,
            tools: Vec::new(),
            log: server.log.path(),
            lines: server.log.last(),
            hash: last.as_ref().map(|live| live.hash.clone()),
        };
        match server.phase() {
            Phase::Starting => view.why = server.before().map(|why| visible(&why)),
            Phase::Down { why, again } => {
                view.state = if again { "restarting" } else { "down" };
                view.why = Some(visible(&why));
            }
            Phase::Ready(live) => {
                view.state = "ready";
                view.protocol = Some(visible(&live.protocol()));
                view.pid = live.connection.pid;
                view.start_ms = u64::try_from(live.connection.handshake.as_millis()).ok();
            }
        }
        // Its tools stay offered while it restarts, and while its list is read again.
        if let Some(live) = last {
            view.drift.clone_from(&live.difference.excerpt);
            view.difference.clone_from(&live.difference.whole);
            let identity = config.identity();
            let name = |tool: &Definition| offered.iter().find(|(name, _)| *name == tool.name);
            let tools = live.tools.iter().map(|tool| ToolView {
                name: visible(&tool.name),
                offered: name(tool).map(|(_, offered)| offered.clone()),
                claims: tool.claims(),
                proposed: tool.proposed(),
                pin: tool.pin(&identity),
                tokens: tokens(tool),
                definition: tool.clone(),
            });
            view.tools = tools.collect();
        }
        view
    }
}

/// Estimates the tokens of a definition as it is sent to a model.
fn tokens(tool: &Definition) -> usize {
    let of = |key: &str| tool.content.get(key).map_or(0, |value| value.to_string().len());
    (tool.name.len() + of("description") + of("inputSchema")).div_ceil(BYTES_PER_TOKEN)
}

/// Converts a name to the name of a file. One that had to be changed ends with a hash of it, so that two servers never
/// share a file.
pub(super) fn file_name(name: &str) -> String {
    let plain = |c: char| {
        if c.is_ascii_alphanumeric() || c == '-' || c == '_' {
            c
        } else {
            '_'
        }
    };
    let file: String = name.chars().take(64).map(plain).collect();
    if file == name {
        return file;
    }
    let hash = canon::hash("overrule mcp log v1", &[name.as_bytes()]);
    let mark: String = hash.chars().take(8).collect();
    format!("{file}-{mark}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_servers_never_share_a_file() {
        assert_eq!(file_name("a_b"), "a_b");
        let names = ["a b", "a/b", "a.b", "../a"].map(file_name);
        assert!(names[0].starts_with("a_b-"), "{names:?}");
        for (at, name) in names.iter().enumerate() {
            assert!(!name.contains(['/', '.', ' ']), "{name}");
            assert!(!names[..at].contains(name), "{names:?}");
        }
    }
}
