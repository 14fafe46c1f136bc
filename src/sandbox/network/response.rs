//! Passes the response of a host on, and writes the responses of the proxy itself.
//!
//! Must not know: which hosts are allowed.

use std::io;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};

use super::request::MAX_HEAD;

/// The end of a head.
const END: &[u8] = b"\r\n\r\n";
/// Headers that say what becomes of the connection.
const CONNECTION: [&[u8]; 3] = [b"connection", b"keep-alive", b"proxy-connection"];

/// A response of the proxy itself.
pub(super) struct Answer {
    /// Number and reason.
    pub(super) status: &'static str,
    /// The kind, for programs.
    pub(super) kind: &'static str,
    /// The text, safe to show.
    pub(super) text: String,
}

impl Answer {
    /// Returns its bytes; the answer to `HEAD` has no body.
    pub(super) fn bytes(&self, is_head: bool) -> Vec<u8> {
        let Self { status, kind, text } = self;
        let body = format!("{text}\n");
        let head = format!(
            "HTTP/1.1 {status}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: {}\r\n\
             X-Overrule-Sandbox: {kind}\r\nConnection: close\r\n\r\n",
            body.len()
        );
        if is_head {
            head.into_bytes()
        } else {
            (head + &body).into_bytes()
        }
    }
}

/// Passes a response on until its connection ends. Its head says that the connection of the child ends with it.
pub(super) async fn pass(
    from: &mut (impl AsyncRead + Unpin),
    to: &mut (impl AsyncWrite + Unpin),
) -> io::Result<()> {
    let mut bytes = Vec::new();
    let mut searched = 0;
    loop {
        let start = bytes.len().min(searched);
        let end = bytes
            .get(start..)
            .and_then(|new| new.windows(END.len()).position(|part| part == END));
        if let Some(at) = end {
            let rest = bytes.split_off(start + at + END.len());
            let is_interim = is_interim(&bytes);
            to.write_all(&if is_interim { bytes } else { closing(&bytes) })
                .await?;
            bytes = rest;
            searched = 0;
            if is_interim {
                continue;
            }
            break;
        }
        searched = bytes.len().saturating_sub(END.len() - 1);
        if bytes.len() > MAX_HEAD || from.read_buf(&mut bytes).await? == 0 {
            // Not a head: passed as it is.
            break;
        }
    }
    to.write_all(&bytes).await?;
    tokio::io::copy(from, to).await?;
    Ok(())
}

/// Returns true for a head that another one follows.
fn is_interim(head: &[u8]) -> bool {
    let status = head.split(|byte| *byte == b' ').nth(1);
    status.is_some_and(|status| status.first() == Some(&b'1') && status.len() == 3)
}

/// Returns the head with `Connection: close` instead of what the host says of the connection.
fn closing(head: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(head.len());
    let head = head.strip_suffix(b"\r\n".as_slice()).unwrap_or(head);
    let mut drops = false;
    for line in head.split_inclusive(|byte| *byte == b'\n') {
        let is_continued = line.starts_with(b" ") || line.starts_with(b"\t");
        let name = line
            .split(|byte| *byte == b':')
            .next()
            .unwrap_or_default()
            .trim_ascii();
        let is_named = || CONNECTION.iter().any(|one| name.eq_ignore_ascii_case(one));
        drops = if is_continued { drops } else { is_named() };
        if !drops {
            out.extend_from_slice(line);
        }
    }
    out.extend_from_slice(b"Connection: close\r\n\r\n");
    out
}
