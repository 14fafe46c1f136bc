//! Hands the bytes of a response over to the connection of an agent, without waiting for it.
//!
//! Must not know: what the bytes mean, who decides.
//!
//! Bytes that are not read yet are kept here: at most those of a whole reply.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use tokio::sync::Notify;

/// How long a cut waits, so that what was written before it is sent.
const FLUSH: Duration = Duration::from_millis(20);
/// Maximum bytes that wait to be read.
const MOST: usize = 80 << 20;

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    changed: Notify,
}

#[derive(Debug, Default)]
struct State {
    waiting: BytesMut,
    /// True once nothing more is written.
    has_ended: bool,
    /// True where the end is no end: the connection is to break.
    is_cut: bool,
    /// True once the reader is gone.
    is_gone: bool,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Where a response body is written. It ends when this is dropped; if its task fails, it breaks.
#[derive(Debug)]
pub struct BodyWriter(Arc<Shared>);

/// Where a response body is read. Once this is dropped, the body has no reader.
#[derive(Debug)]
pub struct BodyReader {
    shared: Arc<Shared>,
    gone: Arc<Notify>,
}

/// Begins a body. `gone` is notified once it is not read any more.
pub fn body(gone: Arc<Notify>) -> (BodyWriter, BodyReader) {
    let shared = Arc::<Shared>::default();
    (BodyWriter(shared.clone()), BodyReader { shared, gone })
}

impl BodyWriter {
    /// Writes bytes. Returns false if they will not be read.
    pub fn write(&self, bytes: &[u8]) -> bool {
        let mut state = self.0.lock();
        if state.waiting.len() + bytes.len() > MOST {
            state.is_cut = true;
        } else {
            state.waiting.extend_from_slice(bytes);
        }
        let is_read = !state.is_gone && !state.is_cut;
        drop(state);
        self.0.changed.notify_one();
        is_read
    }

    /// Breaks the connection, so that nothing looks whole that is not.
    pub fn cut(self) {
        self.0.lock().is_cut = true;
    }

    /// Returns true once the reader is gone.
    pub fn is_gone(&self) -> bool {
        self.0.lock().is_gone
    }
}

impl Drop for BodyWriter {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.has_ended = true;
        state.is_cut |= std::thread::panicking();
        drop(state);
        self.0.changed.notify_one();
    }
}

impl BodyReader {
    /// Returns the next bytes; none at the end, an error where the body was cut.
    pub async fn next(&self) -> Option<Result<Bytes, io::Error>> {
        loop {
            let is_cut = {
                let mut state = self.shared.lock();
                if !state.waiting.is_empty() {
                    return Some(Ok(state.waiting.split().freeze()));
                }
                if state.has_ended && !state.is_cut {
                    return None;
                }
                state.is_cut
            };
            if is_cut {
                tokio::time::sleep(FLUSH).await;
                let mut state = self.shared.lock();
                // Once: after an error nothing is read.
                state.is_cut = false;
                state.has_ended = true;
                return Some(Err(io::Error::other("the reply was cut")));
            }
            // A change between the look and here left a permit.
            self.shared.changed.notified().await;
        }
    }
}

impl Drop for BodyReader {
    fn drop(&mut self) {
        self.shared.lock().is_gone = true;
        self.gone.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn bytes_come_out_in_order_and_the_end_after_them() {
        let (writer, reader) = body(Arc::default());
        assert!(writer.write(b"a") && writer.write(b"b"));
        assert_eq!(reader.next().await.unwrap().unwrap(), "ab");
        let waits = tokio::spawn(async move {
            let next = reader.next().await.unwrap().unwrap();
            (next, reader.next().await.is_none())
        });
        assert!(writer.write(b"c"));
        drop(writer);
        assert_eq!(waits.await.unwrap(), (Bytes::from_static(b"c"), true));
    }

    #[tokio::test]
    async fn a_cut_body_gives_its_bytes_and_an_error() {
        let (writer, reader) = body(Arc::default());
        writer.write(b"half");
        writer.cut();
        assert_eq!(reader.next().await.unwrap().unwrap(), "half");
        assert!(reader.next().await.unwrap().is_err());
        assert!(reader.next().await.is_none());
    }

    #[tokio::test]
    async fn a_body_whose_task_fails_does_not_look_whole() {
        let (writer, reader) = body(Arc::default());
        let failed = tokio::spawn(async move {
            writer.write(b"half");
            panic!("a failure of the test's own");
        });
        assert!(failed.await.is_err());
        assert_eq!(reader.next().await.unwrap().unwrap(), "half");
        assert!(reader.next().await.unwrap().is_err());
    }

    #[test]
    fn a_writer_learns_that_nobody_reads_and_keeps_no_more_than_a_reply() {
        let (writer, reader) = body(Arc::default());
        assert!(!writer.is_gone());
        assert!(!writer.write(&vec![0; MOST + 1]));
        drop(reader);
        assert!(writer.is_gone() && !writer.write(b"x"));
    }
}
