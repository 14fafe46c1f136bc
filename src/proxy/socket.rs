//! Tells an agent that closed its sending side from one that hung up.
//!
//! Must not know: what is sent.
//!
//! Both look alike until something is written: a peer that hung up answers with a reset. So where a request waits for its
//! response, the end of what the peer sends is answered with `100 Continue`, which a client has to skip (RFC 9110,
//! section 15.2). Unless a reset comes back, the server never learns of that end: it would take it for a hang-up.

use std::future::Future as _;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::Sleep;

/// What is written to find out.
const CONTINUE: &[u8] = b"HTTP/1.1 100 Continue\r\n\r\n";
/// What the head of a request of the older version has in its first line. Its clients do not know `100 Continue`.
const OLD: &[u8] = b" HTTP/1.0\r\n";
/// How long a reset may take: agents are on this machine.
const RESET: Duration = Duration::from_millis(30);

/// The connection of an agent.
pub(super) struct Socket {
    stream: TcpStream,
    /// True from the first byte of a request to the first byte of its response.
    waits: bool,
    /// True until the end of the first line of a request.
    in_first_line: bool,
    /// True if a request of the older version came.
    old: bool,
    /// Runs while a reset may come back.
    asked: Option<Pin<Box<Sleep>>>,
    /// True once it is known that the peer only reads.
    half_closed: HalfClosed,
}

/// Whether the peer of a connection only reads: the connection ends with its response.
#[derive(Debug, Clone, Default)]
pub(super) struct HalfClosed(Arc<AtomicBool>);

impl HalfClosed {
    pub(super) fn get(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

impl Socket {
    pub(super) fn new(stream: TcpStream) -> Self {
        Self {
            stream,
            waits: false,
            in_first_line: true,
            old: false,
            asked: None,
            half_closed: HalfClosed::default(),
        }
    }

    pub(super) fn half_closed(&self) -> HalfClosed {
        self.half_closed.clone()
    }

    /// A response begins: the next bytes are another request.
    fn end_request(&mut self) {
        self.waits = false;
        self.in_first_line = true;
    }

    /// The peer ended its sending side: waits for the reset of one that hung up. Pending for ever if none comes.
    fn ended(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.half_closed.get() {
            return Poll::Pending;
        }
        if self.asked.is_none() {
            let sent = (self.waits && !self.old).then(|| self.stream.try_write(CONTINUE));
            match sent {
                Some(Ok(all)) if all == CONTINUE.len() => {}
                Some(Ok(_)) => return Poll::Ready(Err(io::ErrorKind::BrokenPipe.into())),
                Some(Err(error)) => return Poll::Ready(Err(error)),
                // An end between two requests, or in a response.
                None => return Poll::Ready(Ok(())),
            }
            self.asked = Some(Box::pin(tokio::time::sleep(RESET)));
        }
        if let Some(asked) = &mut self.asked {
            ready!(asked.as_mut().poll(cx));
        }
        match self.stream.take_error() {
            Ok(None) => {
                self.half_closed.0.store(true, Ordering::Release);
                Poll::Pending
            }
            Ok(Some(error)) | Err(error) => Poll::Ready(Err(error)),
        }
    }
}

impl AsyncRead for Socket {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.asked.is_some() {
            return self.ended(cx);
        }
        let before = buf.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(cx, buf))?;
        let new = buf.filled().get(before..).unwrap_or_default();
        if new.is_empty() && buf.capacity() > before {
            return self.ended(cx);
        }
        let is_old = self.in_first_line && is_old(new);
        self.old |= is_old;
        self.in_first_line = self.in_first_line && !new.contains(&b'\n');
        self.waits = true;
        Poll::Ready(Ok(()))
    }
}

/// True if the first line of a request, which begins with these bytes, has the older version.
fn is_old(bytes: &[u8]) -> bool {
    let line = bytes.split_inclusive(|byte| *byte == b'\n').next();
    line.is_some_and(|line| line.windows(OLD.len()).any(|part| part == OLD))
}

impl AsyncWrite for Socket {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        self.end_request();
        Pin::new(&mut self.stream).poll_write(cx, buf)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.end_request();
        Pin::new(&mut self.stream).poll_write_vectored(cx, bufs)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::TcpListener;

    /// How long a read that never ends is watched.
    const WATCHED: Duration = Duration::from_millis(200);

    async fn pair() -> (Socket, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let client = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        (Socket::new(listener.accept().await.unwrap().0), client)
    }

    async fn read(socket: &mut Socket) -> io::Result<usize> {
        socket.read(&mut [0; 64]).await
    }

    #[tokio::test]
    async fn a_peer_that_only_sends_no_more_gets_its_response() {
        let (mut socket, mut client) = pair().await;
        client.write_all(b"GET / HTTP/1.1\r\n\r\n").await.unwrap();
        client.shutdown().await.unwrap();
        assert!(read(&mut socket).await.unwrap() > 0);
        let state = socket.half_closed();
        assert!(!state.get());
        for _ in 0..2 {
            let more = tokio::time::timeout(WATCHED, read(&mut socket)).await;
            assert!(more.is_err(), "the server learns nothing of the end");
        }
        assert!(state.get());
        socket.write_all(b"response").await.unwrap();
        drop(socket);
        let mut got = Vec::new();
        client.read_to_end(&mut got).await.unwrap();
        assert_eq!(got, [CONTINUE, b"response"].concat());
    }

    #[tokio::test]
    async fn a_peer_that_hung_up_is_noticed() {
        // Before a request, after one, in its response; and one that would not understand the question.
        for (sent, response) in [
            ("", false),
            ("request", false),
            ("request", true),
            ("GET / HTTP/1.0\r\n", false),
        ] {
            let (mut socket, mut client) = pair().await;
            client.write_all(sent.as_bytes()).await.unwrap();
            if !sent.is_empty() {
                assert_eq!(read(&mut socket).await.unwrap(), sent.len());
            }
            if response {
                socket.write_all(b"begin").await.unwrap();
                client.read_exact(&mut [0; 5]).await.unwrap();
            }
            drop(client);
            let end = tokio::time::timeout(Duration::from_secs(9), read(&mut socket)).await;
            assert!(matches!(end, Ok(Ok(0) | Err(_))), "{sent} {response}: {end:?}");
            assert!(!socket.half_closed().get());
        }
    }
}
