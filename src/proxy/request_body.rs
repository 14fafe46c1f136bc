//! Reads the body of a request, up to a limit.
//!
//! Must not know: what is in it.

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt as _;
use hyper::body::Body;

/// How long the rest of a body that is too large is read and dropped. A client that still sends would not see the answer.
const REST: Duration = Duration::from_secs(30);

/// The memory of a body is a multiple of this many bytes: that of a body which was let go fits the next one, which is a little
/// longer, and its pages are there already.
const STEP: usize = 256 << 10;

/// Why a body cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Error {
    /// It is larger than the limit. The rest was read and dropped.
    TooLarge,
    /// It ended before it was complete.
    Broken,
}

/// Reads a body of at most `most` bytes.
pub(super) async fn read<B>(mut body: B, most: usize) -> Result<Bytes, Error>
where
    B: Body<Data = Bytes> + Unpin,
{
    let length = usize::try_from(body.size_hint().lower()).unwrap_or(most);
    let mut held = BytesMut::with_capacity(length.min(most).next_multiple_of(STEP));
    while let Some(frame) = body.frame().await {
        let Ok(frame) = frame else {
            return Err(Error::Broken);
        };
        let Ok(data) = frame.into_data() else {
            continue; // trailers
        };
        if held.len().saturating_add(data.len()) > most {
            drop(held);
            let rest = async { while let Some(Ok(_)) = body.frame().await {} };
            _ = tokio::time::timeout(REST, rest).await;
            return Err(Error::TooLarge);
        }
        held.extend_from_slice(&data);
    }
    Ok(held.freeze())
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::stream;
    use http_body_util::StreamBody;
    use hyper::body::Frame;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// A body in pieces, with the number of those that were read.
    fn pieces(
        all: Vec<Result<&'static str, &'static str>>,
    ) -> (impl Body<Data = Bytes> + Unpin, Arc<AtomicUsize>) {
        let read = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&read);
        let frames = all.into_iter().map(move |piece| {
            count.fetch_add(1, Ordering::Relaxed);
            piece.map(|text| Frame::data(Bytes::from_static(text.as_bytes())))
        });
        (StreamBody::new(stream::iter(frames)), read)
    }

    #[tokio::test]
    async fn a_body_up_to_the_limit_is_whole_and_a_larger_one_is_read_to_its_end() {
        for (all, expected) in [
            (vec![], Ok("")),
            (vec![Ok("ab"), Ok(""), Ok("cd")], Ok("abcd")),
            (vec![Ok("abcd"), Ok("e")], Err(Error::TooLarge)),
            (vec![Ok("abcde"), Ok("f"), Ok("g")], Err(Error::TooLarge)),
            (vec![Ok("ab"), Err("reset")], Err(Error::Broken)),
        ] {
            let count = all.len();
            let (body, was_read) = pieces(all.clone());
            let found = read(body, 4).await;
            assert_eq!(
                found,
                expected.map(|text| Bytes::from_static(text.as_bytes())),
                "{all:?}"
            );
            assert_eq!(
                was_read.load(Ordering::Relaxed),
                count,
                "{all:?}: the client can read the answer"
            );
        }
    }
}
