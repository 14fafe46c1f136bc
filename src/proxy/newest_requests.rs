//! Keeps the newest requests: what one of them has in common with the next is not read again.
//!
//! Must not know: which conversation a request is of, what is done with it.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;

use super::history::History;
use overrule_model::wire::Wire;
use overrule_model::wire::agent::{AgentRequest, CommonPart, RequestError, decode_after, decode_bytes};

/// Maximum number of requests. As many conversations can be under way together without one being read as a whole again.
const MOST: usize = 32;
/// Maximum bytes of their bodies, which is that of the largest request. The conversations that are under way hold their
/// newest requests anyway: these bytes are what others, which may never continue, can hold in addition.
const MOST_BYTES: usize = 64 << 20;

/// A request with the history in it.
pub type WithHistory = (Arc<AgentRequest>, Arc<History>);

/// The newest requests, the newest one first.
#[derive(Default)]
pub struct NewestRequests(Mutex<VecDeque<WithHistory>>);

impl NewestRequests {
    /// Reads the body of a request, and keeps the request.
    pub fn read(&self, wire: Wire, body: Bytes) -> Result<WithHistory, RequestError> {
        let known: Vec<WithHistory> = self.lock().iter().cloned().collect();
        let own = known.iter().filter(|(before, _)| before.wire == wire);
        let parts = own.filter_map(|one| Some((one, CommonPart::of(&one.0, &body)?)));
        let nearest = parts.max_by_key(|(_, part)| part.bytes());
        let (request, history, replaced) = if let Some(((before, history), part)) = nearest {
            let request = decode_after(&part, body)?;
            let history = history.after(part.messages(), &request);
            // Only its last message is not in the new one.
            let is_continued = part.messages() + 1 >= before.messages.len();
            (request, history, Some(before).filter(|_| is_continued))
        } else {
            let request = decode_bytes(wire, body)?;
            let history = History::of(&request);
            (request, history, None)
        };
        let read = (Arc::new(request), Arc::new(history));
        self.keep(read.clone(), replaced);
        Ok(read)
    }

    /// Keeps a request in place of one that it continues. The oldest ones go.
    fn keep(&self, new: WithHistory, replaced: Option<&Arc<AgentRequest>>) {
        let mut all = self.lock();
        all.retain(|(one, _)| !replaced.is_some_and(|replaced| Arc::ptr_eq(one, replaced)));
        all.push_front(new);
        let mut bytes = 0;
        let fits = all.iter().take(MOST).take_while(|(one, _)| {
            bytes += one.body.bytes().len();
            bytes <= MOST_BYTES
        });
        let count = fits.count();
        all.truncate(count);
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<WithHistory>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use overrule_model::wire::agent::decode_request;
    use overrule_testing::cases;
    use proptest::prelude::*;
    use std::fmt::Write as _;

    fn wire() -> Wire {
        Wire::named("openai-chat").unwrap()
    }

    /// A body with these texts of the user.
    fn body(texts: &[&str]) -> String {
        let mut messages = String::new();
        for text in texts {
            let comma = if messages.is_empty() { "" } else { "," };
            write!(messages, r#"{comma}{{"role":"user","content":"{text}"}}"#).unwrap();
        }
        format!(r#"{{"messages":[{messages}]}}"#)
    }

    /// The number of messages of a request that were read for an earlier one.
    fn known(before: &WithHistory, now: &WithHistory) -> usize {
        let pairs = before.0.messages.iter().zip(&now.0.messages);
        pairs.filter(|(one, other)| Arc::ptr_eq(one, other)).count()
    }

    #[test]
    fn each_conversation_is_read_from_where_it_continues() {
        let newest = NewestRequests::default();
        let read = |texts: &[&str]| newest.read(wire(), body(texts).into()).unwrap();
        let (one, other) = (read(&["a", "b"]), read(&["x", "y"]));
        let (one_on, other_on) = (read(&["a", "b", "c"]), read(&["x", "y", "z", "z"]));
        assert_eq!((known(&one, &one_on), known(&other, &other_on)), (2, 2));
        assert_eq!(*one_on.1, History::of(&one_on.0), "the same as read alone");
        assert_eq!(newest.lock().len(), 2, "each took the place of the one before");
    }

    #[test]
    fn a_short_request_beside_a_conversation_does_not_take_its_place() {
        let newest = NewestRequests::default();
        let read = |texts: &[&str]| newest.read(wire(), body(texts).into()).unwrap();
        let long = read(&["a", "b", "c", "d"]);
        let beside = read(&["a", "other"]);
        let on = read(&["a", "b", "c", "d", "e"]);
        assert_eq!((known(&long, &beside), known(&long, &on)), (1, 4));
    }

    #[test]
    fn what_another_format_has_is_not_taken() {
        let newest = NewestRequests::default();
        let body = body(&["a", "b"]);
        let one = newest.read(wire(), body.clone().into()).unwrap();
        let other = Wire::named("anthropic").unwrap();
        let other = newest.read(other, body.into()).unwrap();
        assert_eq!((known(&one, &other), newest.lock().len()), (0, 2));
    }

    #[test]
    fn a_body_that_cannot_be_read_is_not_kept() {
        let newest = NewestRequests::default();
        newest.read(wire(), body(&["a", "b"]).into()).unwrap();
        let broken = body(&["a", "b", "c"]).replace("]}", "}");
        let error = newest.read(wire(), broken.clone().into()).unwrap_err();
        assert_eq!(Err(error), decode_request(wire(), broken.as_bytes()));
        assert_eq!(newest.lock().len(), 1);
    }

    #[test]
    fn the_oldest_go_where_there_are_too_many_or_too_large_ones() {
        let newest = NewestRequests::default();
        let read = |text: &str| newest.read(wire(), body(&[text, "b"]).into()).unwrap();
        for number in 0..2 * MOST {
            read(&number.to_string());
        }
        assert_eq!(newest.lock().len(), MOST);
        let half = "a".repeat(MOST_BYTES / 2 - 100);
        for begin in ["1", "2", "3"] {
            read(&format!("{begin}{half}"));
        }
        let lengths: Vec<usize> = newest
            .lock()
            .iter()
            .map(|(one, _)| one.body.bytes().len() / half.len())
            .collect();
        assert_eq!(lengths, [1, 1]);
    }

    proptest! {
        #![proptest_config(cases(60))]

        /// Whatever came before: a request and its history are as if it came alone.
        #[test]
        fn what_is_kept_makes_no_difference(
            all in prop::collection::vec(prop::collection::vec(0..4_usize, 0..8), 1..8),
        ) {
            let texts = ["a", "b", "c", "rejected_by_operator_00000000_1"];
            let newest = NewestRequests::default();
            for one in all {
                let body = body(&one.iter().map(|at| texts[*at]).collect::<Vec<_>>());
                let (request, history) = newest.read(wire(), body.clone().into()).unwrap();
                let alone = decode_request(wire(), body.as_bytes()).unwrap();
                prop_assert_eq!(&*history, &History::of(&alone));
                prop_assert_eq!(history.may_have_mask(), body.contains("rejected"));
                prop_assert_eq!(&*request, &alone);
            }
        }
    }
}
