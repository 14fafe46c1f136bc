//! Connects a program that speaks through its standard input and output to a host, by way of the proxy.
//!
//! Must not know: which hosts are allowed.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{Ipv6Addr, Shutdown, SocketAddr, TcpStream};
use std::time::Duration;

use overrule_base::text::visible_head;

/// How long the proxy may take to answer. It has 60 seconds to reach a host.
const ANSWER: Duration = Duration::from_secs(90);
/// Maximum bytes of the head of an answer.
const MAX_HEAD: usize = 64 << 10;
/// Maximum bytes of the body of an answer.
const MAX_BODY: u64 = 4 << 10;
/// Maximum characters of a text in a message.
const SHOWN: usize = 400;
/// Bytes that are passed in one go.
const PART: usize = 16 << 10;

/// Why a host was not reached.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// The host cannot be asked for.
    #[error("cannot connect to `{0}`: it is no name of a host; hint: write a name or an address")]
    Host(String),
    /// There is no proxy.
    #[error("cannot connect to {place}: the proxy of the sandbox at {proxy} took no connection: {source}")]
    Proxy {
        /// The host with its port.
        place: String,
        /// The address of the proxy.
        proxy: SocketAddr,
        /// The system's error.
        source: io::Error,
    },
    /// The proxy made no connection; the sandbox refuses it, or the host takes none.
    #[error("cannot connect to {place}: {answer}")]
    Answer {
        /// The host with its port.
        place: String,
        /// The answer of the proxy, safe to show.
        answer: String,
    },
    /// The connection failed.
    #[error("the connection to {place} failed: {source}")]
    Broken {
        /// The host with its port.
        place: String,
        /// The system's error.
        source: io::Error,
    },
}

/// Asks a proxy for a connection to a host, and passes `input` to it and what it sends to `output`, until the host ends
/// the connection. The end of `input` is passed to the host; what the host still sends is passed all the same.
///
/// It returns while a thread may still wait for `input`.
pub fn connect(
    proxy: SocketAddr,
    host: &str,
    port: u16,
    input: impl Read + Send + 'static,
    mut output: impl Write,
) -> Result<(), ConnectError> {
    let is_plain = !host.is_empty() && host.bytes().all(|byte| byte.is_ascii_graphic());
    if !is_plain {
        return Err(ConnectError::Host(visible_head(host, SHOWN)));
    }
    let place = match host.parse::<Ipv6Addr>() {
        Ok(address) => format!("[{address}]:{port}"),
        Err(_) => format!("{host}:{port}"),
    };
    let broken = |source| ConnectError::Broken {
        place: place.clone(),
        source,
    };
    let mut stream = TcpStream::connect(proxy).map_err(|source| ConnectError::Proxy {
        place: place.clone(),
        proxy,
        source,
    })?;
    if let Some(answer) = ask(&mut stream, &place).map_err(broken)? {
        return Err(ConnectError::Answer { place, answer });
    }
    let sending = stream.try_clone().map_err(broken)?;
    std::thread::Builder::new()
        .name("sandbox-connect".into())
        .spawn(move || send(input, sending))
        .map_err(broken)?;
    let passed = pass(&mut stream, &mut output);
    // The other thread writes to a connection that has ended.
    stream.shutdown(Shutdown::Both).ok();
    passed.map_err(broken)
}

/// Asks for a connection. Returns `None` once it is open, else the answer.
fn ask(stream: &mut TcpStream, place: &str) -> io::Result<Option<String>> {
    stream.set_read_timeout(Some(ANSWER))?;
    stream.write_all(format!("CONNECT {place} HTTP/1.1\r\nHost: {place}\r\n\r\n").as_bytes())?;
    let head = read_head(stream)?;
    let first = head.split(|byte| *byte == b'\r').next().unwrap_or_default();
    let mut words = first.split(|byte| *byte == b' ');
    let is_http = words
        .next()
        .is_some_and(|version| version.starts_with(b"HTTP/1."));
    if is_http && words.next() == Some(b"200") {
        stream.set_read_timeout(None)?;
        return Ok(None);
    }
    let mut body = Vec::new();
    // The first line says enough if the body cannot be read.
    stream.take(MAX_BODY).read_to_end(&mut body).ok();
    let text = if body.trim_ascii().is_empty() {
        first
    } else {
        body.trim_ascii()
    };
    Ok(Some(visible_head(&String::from_utf8_lossy(text), SHOWN)))
}

/// Reads a head byte by byte, so that nothing after it is read.
fn read_head(stream: &mut TcpStream) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        if head.len() >= MAX_HEAD {
            return Err(io::Error::new(ErrorKind::InvalidData, "the proxy gave no answer"));
        }
        stream.read_exact(&mut byte)?;
        head.extend_from_slice(&byte);
    }
    Ok(head)
}

/// Passes the input, then its end.
fn send(mut input: impl Read, mut stream: TcpStream) {
    if let Err(error) = pass(&mut input, &mut stream) {
        tracing::debug!(%error, "the input of a connection was not passed to its end");
    }
    stream.shutdown(Shutdown::Write).ok();
}

/// Passes bytes as they come.
fn pass(from: &mut impl Read, to: &mut impl Write) -> io::Result<()> {
    let mut part = vec![0; PART];
    loop {
        let length = match from.read(&mut part) {
            Ok(0) => return Ok(()),
            Ok(length) => length,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        to.write_all(part.get(..length).unwrap_or_default())?;
        to.flush()?;
    }
}
