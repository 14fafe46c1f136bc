//! Tells an agent that closed its sending side from one that hung up.
//!
//! Must not know: what is sent.
//!
//! Both look alike until something is written: a peer that hung up answers with a reset. So where a request waits for its
//! response, the end of what the peer sends is answered with `100 Continue`, which a client has to skip (RFC 9110,
//! section 15.2), and the connection counts as open unless a reset comes back.

use std::future::Future as _;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::Sleep;

/// What is written to find out.
const CONTINUE: &[u8] = b"HTTP/1.1 100 Continue\r\n\r\n";
/// How long a reset may take: agents are on this machine.
const RESET: Duration = Duration::from_millis(30);

/// The connection of an agent.
pub(super) struct Socket {
    stream: TcpStream,
    /// True from the first byte of a request to the first byte of its response.
    waits: bool,
    /// Runs while a reset may come back.
    asked: Option<Pin<Box<Sleep>>>,
    /// True once it is known that the peer still reads.
    half_closed: bool,
}

impl Socket {
    pub(super) const fn new(stream: TcpStream) -> Self {
        Self {
            stream,
            waits: false,
            asked: None,
            half_closed: false,
        }
    }

    /// The peer sends no more: waits for the reset of one that hung up.
    fn ended(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.half_closed {
            return Poll::Ready(Ok(()));
        }
        if self.asked.is_none() {
            if !self.waits || self.stream.try_write(CONTINUE).is_err() {
                return Poll::Ready(Err(io::ErrorKind::ConnectionReset.into()));
            }
            self.asked = Some(Box::pin(tokio::time::sleep(RESET)));
        }
        if let Some(asked) = &mut self.asked {
            ready!(asked.as_mut().poll(cx));
        }
        match self.stream.take_error() {
            Ok(None) => {
                self.half_closed = true;
                Poll::Ready(Ok(()))
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
        if buf.filled().len() > before || buf.capacity() == before {
            self.waits = true;
            return Poll::Ready(Ok(()));
        }
        self.ended(cx)
    }
}

impl AsyncWrite for Socket {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        self.waits = false;
        Pin::new(&mut self.stream).poll_write(cx, buf)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.waits = false;
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
        client.write_all(b"request").await.unwrap();
        client.shutdown().await.unwrap();
        assert_eq!(read(&mut socket).await.unwrap(), 7);
        for _ in 0..3 {
            assert_eq!(read(&mut socket).await.unwrap(), 0, "it is an end, not a failure");
        }
        socket.write_all(b"response").await.unwrap();
        drop(socket);
        let mut got = Vec::new();
        client.read_to_end(&mut got).await.unwrap();
        assert_eq!(got, [CONTINUE, b"response"].concat());
    }

    #[tokio::test]
    async fn a_peer_that_hung_up_is_noticed() {
        // Before a request, after one, and in its response.
        for sent in ["", "request", "request with response"] {
            let (mut socket, mut client) = pair().await;
            client.write_all(sent.as_bytes()).await.unwrap();
            if !sent.is_empty() {
                assert_eq!(read(&mut socket).await.unwrap(), sent.len());
            }
            if sent.ends_with("response") {
                socket.write_all(b"begin").await.unwrap();
                client.read_exact(&mut [0; 5]).await.unwrap();
            }
            drop(client);
            let error = read(&mut socket).await.unwrap_err();
            let kinds = [io::ErrorKind::ConnectionReset, io::ErrorKind::BrokenPipe];
            assert!(kinds.contains(&error.kind()), "{sent}: {error}");
        }
    }
}
