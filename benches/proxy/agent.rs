//! An agent that sends its whole history with each request, and a connection that stays.
//!
//! Must not know: the proxy.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::json;

/// Tools that an agent offers.
const TOOLS: usize = 20;
/// Bytes of the instructions of an agent.
const SYSTEM: usize = 12_000;

/// The time as it is.
#[expect(clippy::disallowed_methods, reason = "a measurement has to look at the clock")]
fn now() -> Instant {
    Instant::now()
}

/// A connection that stays.
pub struct Connection {
    socket: TcpStream,
    host: String,
    path: String,
}

impl Connection {
    /// Opens a connection to a base URL.
    pub fn open(base: &str) -> Self {
        let rest = base.strip_prefix("http://").unwrap();
        let (host, path) = rest
            .split_once('/')
            .map_or((rest, String::new()), |(host, path)| (host, format!("/{path}")));
        let socket = TcpStream::connect(host).unwrap();
        socket.set_nodelay(true).unwrap();
        Self {
            socket,
            host: host.to_owned(),
            path,
        }
    }

    /// Sends a request of a conversation.
    pub fn send(&mut self, body: &str, session: &str, headers: &str) {
        let head = format!(
            "POST {}/v1/messages HTTP/1.1\r\nhost: {}\r\nuser-agent: claude-cli/2.1.332\r\ncontent-type: application/json\r\n\
             anthropic-version: 2023-06-01\r\nx-claude-code-session-id: {session}\r\n{headers}content-length: {}\r\n\r\n",
            self.path,
            self.host,
            body.len()
        );
        self.socket.write_all(head.as_bytes()).unwrap();
        self.socket.write_all(body.as_bytes()).unwrap();
    }

    /// Receives a reply; returns when the first byte of its body came, and its text.
    pub fn receive(&mut self) -> (Instant, String) {
        let (mut text, mut first) = (String::new(), None);
        let mut piece = [0; 1 << 14];
        loop {
            let read = self.socket.read(&mut piece).unwrap();
            assert!(read > 0, "the connection was closed: {text}");
            text.push_str(std::str::from_utf8(&piece[..read]).unwrap());
            let body = text.find("\r\n\r\n").map_or("", |end| &text[end + 4..]);
            if first.is_none() && !body.is_empty() {
                first = Some(now());
                assert!(text.starts_with("HTTP/1.1 200"), "{text}");
            }
            let is_end = if text.contains("transfer-encoding: chunked") {
                body.ends_with("0\r\n\r\n")
            } else {
                body.ends_with("{\"type\":\"message_stop\"}\n\n")
            };
            if is_end {
                return (first.unwrap(), text);
            }
        }
    }
}

/// An agent with its history.
pub struct Agent {
    session: String,
    before: String,
    messages: String,
    after: String,
}

impl Agent {
    /// Begins a conversation.
    pub fn new(session: &str) -> Self {
        Self::with_tools(session, "", "Fix the tests.")
    }

    /// Begins a conversation with another history and other tools under the name of an earlier one.
    pub fn beside(session: &str, number: usize) -> Self {
        Self::with_tools(
            session,
            "Memory",
            &format!("Note what is worth keeping, part {number}."),
        )
    }

    fn with_tools(session: &str, prefix: &str, task: &str) -> Self {
        let schema = json!({
            "type": "object",
            "properties": {
                "file_path": {"type": "string", "description": "The absolute path of the file. ".repeat(20)},
                "limit": {"type": "number", "description": "The number of lines to read. ".repeat(10)},
            },
            "required": ["file_path"],
            "additionalProperties": false,
        });
        let tool = |number: usize| {
            let name = match number {
                0 => format!("{prefix}Read"),
                _ => format!("{prefix}Tool{number}"),
            };
            json!({"name": name, "description": "Reads a file from the disk. ".repeat(20), "input_schema": schema})
        };
        let tools: Vec<_> = (0..TOOLS).map(tool).collect();
        let system = "You are an agent that works on software. ".repeat(SYSTEM / 41);
        Self {
            session: session.to_owned(),
            before: "{\"model\":\"m\",\"messages\":[".to_owned(),
            messages: json!({"role": "user", "content": task}).to_string(),
            after: format!(
                "],\"system\":{},\"tools\":{},\"max_tokens\":32000,\"stream\":true}}",
                json!([{"type": "text", "text": system, "cache_control": {"type": "ephemeral"}}]),
                json!(tools)
            ),
        }
    }

    /// Makes a history of this size, which the program has never seen.
    pub fn remember(&mut self, size: usize, result: usize) {
        let mut number = 0;
        while self.messages.len() < size {
            number += 1;
            self.add(&format!("old_{number}"), result);
        }
    }

    fn add(&mut self, call: &str, result: usize) {
        let line = format!("    let value_{call} = read(\"{call}\")?; // ünïcode and \\ escapes\n");
        let text = line.repeat(result / line.len() + 1);
        let turn = [
            json!({"role": "assistant", "content": [
                {"type": "text", "text": format!("Step {call}.")},
                {"type": "tool_use", "id": format!("toolu_{call}"), "name": "Read", "input": {"file_path": format!("/src/file_{call}.rs")}},
            ]}),
            json!({"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": format!("toolu_{call}"), "content": text},
            ]}),
        ];
        for message in turn {
            self.messages.push(',');
            self.messages.push_str(&message.to_string());
        }
    }

    /// Returns the body of its next request.
    pub fn body(&self) -> String {
        [self.before.as_str(), &self.messages, &self.after].concat()
    }

    /// Sends its history; returns the time to the first byte, and the reply.
    pub fn ask(&self, connection: &mut Connection, headers: &str) -> (Duration, String) {
        let body = self.body();
        let begin = now();
        connection.send(&body, &self.session, headers);
        let (first, reply) = connection.receive();
        (first - begin, reply)
    }

    /// Sends its history, and executes the call in the reply; returns the time to the first byte.
    pub fn work(&mut self, connection: &mut Connection, result: usize) -> Duration {
        let (time, reply) = self.ask(connection, "");
        let call = reply
            .split("\"toolu_")
            .nth(1)
            .and_then(|rest| rest.split('"').next());
        self.add(call.unwrap(), result);
        time
    }
}
