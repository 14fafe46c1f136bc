//! Reads the head of a request to the proxy, and rewrites it for the host.
//!
//! Must not know: sockets of hosts, which hosts are allowed.
//!
//! What two programs could read in different ways is refused, so that nothing is read differently by the host.

use tokio::io::{AsyncRead, AsyncReadExt as _};

use super::body::Body;
use overrule_domain::sandbox::parse_port;

/// Maximum bytes of a head.
pub(super) const MAX_HEAD: usize = 64 << 10;
/// Bytes that are read in one go.
const READ: usize = 8 << 10;
/// The version without chunked bodies.
const OLD: &str = "HTTP/1.0";
/// The port of `http`.
const HTTP: u16 = 80;
/// Headers that are for the proxy alone.
const HOP_BY_HOP: [&str; 8] = [
    "host",
    "connection",
    "keep-alive",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "upgrade",
];
/// Headers that say where a body ends. They are passed on even if the client calls them hop-by-hop.
const FRAMING: [&str; 2] = ["content-length", "transfer-encoding"];

/// Why a head cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum HeadError {
    /// The connection ended within the head, or before it.
    #[error("the connection ended")]
    Ended,
    /// There is no end of the head.
    #[error("the head of the request is longer than 64 KiB")]
    TooLong,
    /// It is no request to a proxy.
    #[error("{0}")]
    Malformed(&'static str),
}

/// A request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Request {
    /// The host as the child wrote it: ASCII without blanks and control characters, nothing else is checked.
    pub(super) host: String,
    pub(super) port: u16,
    pub(super) kind: Kind,
}

/// What is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Kind {
    /// A connection (`CONNECT`).
    Tunnel,
    /// One request.
    Forward {
        /// The head for the host.
        head: Vec<u8>,
        /// What follows the head.
        body: Body,
        /// True if the response has no body.
        is_head: bool,
    },
}

/// Reads until a head ends. Returns the head without its last line break, and what came after it.
pub(super) async fn read(stream: &mut (impl AsyncRead + Unpin)) -> Result<(Vec<u8>, Vec<u8>), HeadError> {
    let mut bytes = Vec::new();
    let mut seen = 0;
    loop {
        while let Some(rest) = bytes.get(seen..).filter(|rest| !rest.is_empty()) {
            match line(rest)? {
                None => break,
                Some(2) => {
                    let rest = bytes.split_off(seen + 2);
                    bytes.truncate(seen);
                    return Ok((bytes, rest));
                }
                Some(length) => seen += length,
            }
        }
        if bytes.len() >= MAX_HEAD {
            return Err(HeadError::TooLong);
        }
        let mut part = [0; READ];
        match stream.read(&mut part).await {
            Ok(0) | Err(_) => return Err(HeadError::Ended),
            Ok(length) => bytes.extend_from_slice(part.get(..length).unwrap_or_default()),
        }
    }
}

/// Returns the length of the first line with its line break, or `None` if the line has no end yet.
fn line(bytes: &[u8]) -> Result<Option<usize>, HeadError> {
    let at = bytes.iter().position(|byte| matches!(byte, b'\r' | b'\n' | 0));
    let Some(at) = at else { return Ok(None) };
    match (bytes.get(at), bytes.get(at + 1)) {
        (Some(b'\r'), Some(b'\n')) => Ok(Some(at + 2)),
        (Some(b'\r'), None) => Ok(None),
        (Some(0), _) => Err(HeadError::Malformed("the head of the request has a NUL")),
        _ => Err(HeadError::Malformed(
            "a line of the request does not end with CR LF",
        )),
    }
}

/// Reads a head that [`read`] returned.
pub(super) fn parse(head: &[u8]) -> Result<Request, HeadError> {
    let mut lines = head
        .split(|byte| *byte == b'\n')
        .map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    let (method, target, version) = first_line(lines.next().unwrap_or_default())?;
    let headers = lines.filter(|line| !line.is_empty()).map(header);
    let headers: Vec<Header> = headers.collect::<Result<_, _>>()?;
    if headers.iter().filter(|header| header.is("host")).count() > 1 {
        return Err(HeadError::Malformed("the request has two Host headers"));
    }
    let body = body(&headers, version)?;
    if method == "CONNECT" {
        let (host, port) = split(target).ok_or(HeadError::Malformed("CONNECT needs HOST:PORT"))?;
        let port = port.ok_or(HeadError::Malformed("CONNECT needs HOST:PORT"))?;
        return Ok(Request {
            host: host.to_owned(),
            port,
            kind: Kind::Tunnel,
        });
    }
    let (authority, path) = absolute(target)?;
    let (host, port) = split(authority).ok_or(HeadError::Malformed("the URL of the request has no host"))?;
    let port = port.unwrap_or(HTTP);
    Ok(Request {
        host: host.to_owned(),
        port,
        kind: Kind::Forward {
            head: rewritten(&format!("{method} {path} {version}"), (host, port), &headers),
            body,
            is_head: method == "HEAD",
        },
    })
}

fn first_line(line: &[u8]) -> Result<(&str, &str, &str), HeadError> {
    let wrong = HeadError::Malformed("the first line is no HTTP/1.1 request");
    let line = std::str::from_utf8(line).map_err(|_| wrong)?;
    let mut words = line.split(' ');
    let (Some(method), Some(target), Some(version), None) =
        (words.next(), words.next(), words.next(), words.next())
    else {
        return Err(wrong);
    };
    let is_plain = target.bytes().all(|byte| byte.is_ascii_graphic());
    let is_known = matches!(version, "HTTP/1.1" | OLD);
    if is_token(method) && !target.is_empty() && is_plain && is_known {
        Ok((method, target, version))
    } else {
        Err(wrong)
    }
}

/// Splits an absolute URL into host with port, and path with query.
fn absolute(target: &str) -> Result<(&str, String), HeadError> {
    let (scheme, rest) = target.split_once("://").ok_or(HeadError::Malformed(
        "this is a proxy: it takes CONNECT HOST:PORT and absolute URLs",
    ))?;
    if !scheme.eq_ignore_ascii_case("http") {
        return Err(HeadError::Malformed(
            "this proxy takes http URLs; use CONNECT for all others",
        ));
    }
    if rest.contains('#') {
        return Err(HeadError::Malformed("the URL of the request has a fragment"));
    }
    let end = rest.find(['/', '?']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at_checked(end).unwrap_or((rest, ""));
    let slash = if path.starts_with('/') { "" } else { "/" };
    Ok((authority, format!("{slash}{path}")))
}

/// Splits a host from its port. `None` if there is no host, or the port is no port.
fn split(authority: &str) -> Option<(&str, Option<u16>)> {
    let end = authority.rfind(']').map_or(0, |at| at + 1);
    let colon = authority.get(end..)?.rfind(':').map(|at| end + at);
    let (host, port) = match colon {
        None => (authority, None),
        Some(at) => (authority.get(..at)?, Some(parse_port(authority.get(at + 1..)?)?)),
    };
    (!host.is_empty()).then_some((host, port))
}

struct Header<'h> {
    name: &'h str,
    value: &'h [u8],
}

impl Header<'_> {
    fn is(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name)
    }

    fn is_any(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.is(name))
    }

    /// Returns true if this `Connection` header names another one.
    fn names(&self, other: &str) -> bool {
        let mut words = self.value.split(|byte| *byte == b',');
        words.any(|word| word.trim_ascii().eq_ignore_ascii_case(other.as_bytes()))
    }
}

fn header(line: &[u8]) -> Result<Header<'_>, HeadError> {
    let colon = line.iter().position(|byte| *byte == b':');
    let (name, value) = colon.and_then(|at| line.split_at_checked(at)).unwrap_or_default();
    let name = std::str::from_utf8(name).unwrap_or_default();
    let value = value.get(1..).unwrap_or_default();
    let is_plain = |byte: &u8| *byte == b'\t' || !byte.is_ascii_control();
    if !is_token(name) || !value.iter().all(is_plain) {
        return Err(HeadError::Malformed("a header of the request is malformed"));
    }
    Ok(Header {
        name,
        value: value.trim_ascii(),
    })
}

fn is_token(word: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !word.is_empty() && word.bytes().all(is_plain)
}

/// Returns how the body ends.
fn body(headers: &[Header], version: &str) -> Result<Body, HeadError> {
    let framing: Vec<_> = headers.iter().filter(|header| header.is_any(&FRAMING)).collect();
    let wrong = HeadError::Malformed("the length of the body is not clear");
    match framing.as_slice() {
        [] => Ok(Body::NONE),
        [one] if one.is("transfer-encoding") => {
            let is_chunked = one.value.eq_ignore_ascii_case(b"chunked") && version != OLD;
            is_chunked.then_some(Body::CHUNKED).ok_or(wrong)
        }
        [one] => {
            let text = std::str::from_utf8(one.value).unwrap_or_default();
            let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
            let length = text.parse().ok().filter(|_| is_number);
            length.map(Body::Sized).ok_or(wrong)
        }
        _ => Err(wrong),
    }
}

/// Returns the head for the host: its name is that of the URL, and the connection ends with the response.
fn rewritten(first: &str, (host, port): (&str, u16), headers: &[Header]) -> Vec<u8> {
    let named = |header: &Header| {
        let mut connections = headers.iter().filter(|one| one.is("connection"));
        connections.any(|one| one.names(header.name)) && !header.is_any(&FRAMING)
    };
    let mut head = format!("{first}\r\nHost: {host}").into_bytes();
    if port != HTTP {
        head.extend_from_slice(format!(":{port}").as_bytes());
    }
    for header in headers {
        if !header.is_any(&HOP_BY_HOP) && !named(header) {
            head.extend_from_slice(b"\r\n");
            head.extend_from_slice(header.name.as_bytes());
            head.extend_from_slice(b": ");
            head.extend_from_slice(header.value);
        }
    }
    head.extend_from_slice(b"\r\nConnection: close\r\n\r\n");
    head
}
