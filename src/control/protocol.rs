//! Messages on the socket: lines of JSON, each of bounded length.
//!
//! Must not know: sockets, who is allowed what.
//!
//! `docs/control.md` describes them for authors of other clients.

use std::io;

use serde::{Deserialize, Serialize};
use tokio::io::{AsyncBufRead, AsyncBufReadExt as _, AsyncReadExt as _};

use overrule_base::text::visible;
use overrule_domain::command::{Command, EditCommand};
use overrule_domain::id::Seq;
use overrule_domain::refusal::Refusal;

/// Version of the protocol.
pub const VERSION: u32 = 1;
/// Maximum bytes of a line, without its end.
pub const MOST_BYTES: usize = 4 * 1024 * 1024;
/// Maximum number of characters kept of an operator's name.
const NAME_CHARS: usize = 64;

/// Why only the process that has an editor opens and closes it.
pub const NOT_FOR_OTHERS: &str = "only the process with the open editor may suspend and release calls";

/// The first line, sent by the holder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Greeting {
    /// The protocol version, [`VERSION`].
    pub overrule_control: u32,
    /// The session's id.
    pub session: String,
}

/// The only line of the sender.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Line", into = "Line")]
pub struct Request {
    /// The protocol version, [`VERSION`].
    pub v: u32,
    /// Name of the operator.
    pub actor: String,
    /// What is asked for.
    pub asks: Asks,
}

/// What is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asks {
    /// A command of the run.
    Command(Box<Command>),
    /// Something about a server of tools.
    Server(ServerRequest),
}

/// A request about a server of tools.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum ServerRequest {
    /// How its definitions differ from the accepted ones.
    Show {
        /// Its name.
        server: String,
    },
    /// Accept its definitions.
    Accept {
        /// Its name.
        server: String,
        /// Hash of the definitions, as shown.
        hash: String,
    },
    /// End it until the run is resumed.
    Refuse {
        /// Its name.
        server: String,
    },
}

/// A request as written.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    v: u32,
    actor: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    command: Option<Box<Command>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    server: Option<ServerRequest>,
}

impl TryFrom<Line> for Request {
    type Error = &'static str;

    fn try_from(line: Line) -> Result<Self, Self::Error> {
        let asks = match (line.command, line.server) {
            (Some(command), None) => Asks::Command(command),
            (None, Some(server)) => Asks::Server(server),
            _ => return Err("write either `command` or `server`"),
        };
        Ok(Self {
            v: line.v,
            actor: line.actor,
            asks,
        })
    }
}

impl From<Request> for Line {
    fn from(request: Request) -> Self {
        let (command, server) = match request.asks {
            Asks::Command(command) => (Some(command), None),
            Asks::Server(server) => (None, Some(server)),
        };
        Self {
            v: request.v,
            actor: request.actor,
            command,
            server,
        }
    }
}

/// The definitions of a server, next to the accepted ones.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Definitions {
    /// Hash of all of them.
    pub hash: String,
    /// How they differ from the accepted ones; empty if they do not.
    pub difference: String,
}

/// The last line, sent by the holder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Reply {
    /// Decided, and on disk.
    Recorded {
        /// Sequence number of the last event that it produced.
        seq: Seq,
    },
    /// Not done.
    Refused {
        /// The reason.
        refusal: Refusal,
    },
    /// Shown; nothing was done.
    Shown(Definitions),
    /// Done. The journal has no event of it.
    Done,
    /// Not understood or not possible now; nothing was done.
    Error {
        /// The reason.
        message: String,
    },
}

impl Request {
    /// Makes a request of this version.
    pub fn new(actor: &str, asks: Asks) -> Self {
        Self {
            v: VERSION,
            actor: actor.to_owned(),
            asks,
        }
    }

    /// Parses a line, or returns its fault.
    pub fn parse(line: &[u8]) -> Result<Self, String> {
        let request: Self = serde_json::from_slice(line)
            .map_err(|error| format!("not a request: {}", visible(&error.to_string())))?;
        if request.v != VERSION {
            return Err(format!(
                "version {} is not supported here, {VERSION} is: use the same overrule for both",
                request.v
            ));
        }
        if let Asks::Command(command) = &request.asks
            && let Command::Edit(EditCommand::Hold { .. } | EditCommand::Release { .. }) = **command
        {
            // Only a process that stays present may suspend calls, because it must release them.
            return Err(NOT_FOR_OTHERS.into());
        }
        Ok(request)
    }

    /// Returns the operator's name, made fit for the record.
    pub fn name(&self) -> String {
        let name: String = visible(self.actor.trim()).chars().take(NAME_CHARS).collect();
        if name.is_empty() { "operator".into() } else { name }
    }
}

/// Describes a request in a few words, such as `call.approve c5`, for the record of a refusal.
pub fn describe(asks: &Asks) -> String {
    match asks {
        Asks::Command(command) => describe_command(command),
        Asks::Server(ServerRequest::Show { server }) => visible(&format!("server.show {server}")),
        Asks::Server(ServerRequest::Accept { server, .. }) => visible(&format!("server.accept {server}")),
        Asks::Server(ServerRequest::Refuse { server }) => visible(&format!("server.refuse {server}")),
    }
}

fn describe_command(command: &Command) -> String {
    let value = serde_json::to_value(command).unwrap_or_default();
    let text = |value: &serde_json::Value| value.as_str().map(str::to_owned);
    let family = text(&value["family"]).unwrap_or_default();
    let inner = &value["command"];
    let kind = text(&inner["type"]).unwrap_or_default();
    let on = ["call", "node"].into_iter().find_map(|key| text(&inner[key]));
    let words = match on {
        Some(on) => format!("{family}.{kind} {on}"),
        None => format!("{family}.{kind}"),
    };
    visible(&words)
}

/// Encodes a message as a line.
pub fn line(message: &impl Serialize) -> Vec<u8> {
    let mut line = serde_json::to_vec(message).unwrap_or_default();
    line.push(b'\n');
    line
}

/// Reads the next line, without its end. A line that is too long or cut off is an error.
pub async fn read(from: &mut (impl AsyncBufRead + Unpin)) -> io::Result<Vec<u8>> {
    let mut line = Vec::new();
    // One byte more than a whole line distinguishes a line that is too long from one that just
    // fits.
    let most = MOST_BYTES as u64 + 1;
    from.take(most).read_until(b'\n', &mut line).await?;
    if line.last() == Some(&b'\n') {
        line.pop();
        return Ok(line);
    }
    Err(if line.len() > MOST_BYTES {
        io::Error::new(
            io::ErrorKind::InvalidData,
            format!("a line has more than {MOST_BYTES} bytes"),
        )
    } else {
        io::Error::new(io::ErrorKind::UnexpectedEof, "it ended within a line")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use overrule_domain::command::RunCommand;

    async fn read_bytes(bytes: &[u8]) -> io::Result<Vec<u8>> {
        read(&mut tokio::io::BufReader::new(bytes)).await
    }

    #[tokio::test]
    async fn a_line_has_a_bound_and_an_end() {
        assert_eq!(read_bytes(b"a\nb\n").await.unwrap(), b"a");
        assert_eq!(read_bytes(b"\n").await.unwrap(), b"");
        let mut line = vec![b'x'; MOST_BYTES];
        line.push(b'\n');
        assert_eq!(read_bytes(&line).await.unwrap().len(), MOST_BYTES);
        line.insert(0, b'x');
        assert_eq!(
            read_bytes(&line).await.unwrap_err().kind(),
            io::ErrorKind::InvalidData
        );
        for cut in [&b""[..], b"a"] {
            assert_eq!(
                read_bytes(cut).await.unwrap_err().kind(),
                io::ErrorKind::UnexpectedEof
            );
        }
    }

    #[test]
    fn a_request_is_read_back_as_it_was_written() {
        let pause = Command::Run(RunCommand::Pause {
            reason: "⟨\u{1b}⟩".into(),
        });
        let request = Request::new(" ann\u{202e} ", Asks::Command(Box::new(pause)));
        let line = line(&request);
        assert_eq!(line.split(|byte| *byte == b'\n').count(), 2, "one line");
        assert_eq!(Request::parse(&line).unwrap(), request);
        assert_eq!(request.name(), "ann⟨U+202E⟩");
        assert_eq!(describe(&request.asks), "run.pause");
        assert_eq!(Request::new("", request.asks.clone()).name(), "operator");
    }

    #[test]
    fn a_request_about_a_server_is_one_thing_and_named_in_full() {
        let text = r#"{"v":1,"actor":"a","server":{"type":"accept","server":"docs","hash":"h"}}"#;
        let request = Request::parse(text.as_bytes()).unwrap();
        assert_eq!(serde_json::to_string(&request).unwrap(), text);
        assert_eq!(describe(&request.asks), "server.accept docs");
        for fault in [
            r#"{"v":1,"actor":"a"}"#,
            r#"{"v":1,"actor":"a","server":{"type":"accept","server":"docs"}}"#,
            r#"{"v":1,"actor":"a","server":{"type":"refuse","server":"docs","hash":"h"}}"#,
            r#"{"v":1,"actor":"a","server":{"type":"refuse","server":"docs"},"more":1}"#,
            r#"{"v":1,"actor":"a","server":{"type":"refuse","server":"docs"},
                "command":{"family":"run","command":{"type":"pause","reason":""}}}"#,
        ] {
            assert!(Request::parse(fault.as_bytes()).is_err(), "{fault}");
        }
    }

    #[test]
    fn a_refused_command_is_named_with_what_it_is_about() {
        let text = r#"{"v":1,"actor":"a","command":{"family":"call","command":
            {"type":"approve","call":"c5","rev":1,"digest":"d","unread":0}}}"#;
        let request = Request::parse(text.as_bytes()).unwrap();
        assert_eq!(describe(&request.asks), "call.approve c5");
    }
}
