//! That what is read is what was written, that it is shared as before, and that it is small.

use std::sync::Arc;

use proptest::prelude::*;

use super::*;
use crate::domain::call::{Call, Digest, ErrorClass, Outcome, Status, ToolError};
use crate::domain::fingerprint::Fingerprint;
use crate::domain::history::History;
use crate::domain::id::{Attempt, Epoch, NodeId, NodeKind, Rev, Seq, TurnId};
use crate::domain::node::{Channel, Content, Node, Origin, Revision};
use crate::few::Few;

fn again<T: Pack>(all: &[T]) -> (Packed, Vec<T>) {
    let mut to = Packer::default();
    for one in all {
        one.pack(&mut to);
    }
    let packed = to.packed();
    let read = packed.read(|from| all.iter().map(|_| T::unpack(from)).collect::<Option<Vec<T>>>());
    (packed, read.unwrap())
}

/// Bytes before they were compressed.
fn written(packed: &Packed) -> usize {
    lz4_flex::block::decompress_size_prepended(&packed.bytes)
        .unwrap()
        .len()
}

proptest! {
    #[test]
    fn numbers_of_a_lane_are_read_as_they_were(all in prop::collection::vec(prop_oneof![
        any::<u64>(), 0..300_u64, (0..3_u64).prop_map(|far| u64::MAX - far), (0..3_u64).prop_map(|far| (1 << 63) - far)
    ], 0..40)) {
        let all: Vec<Seq> = all.into_iter().map(Seq).collect();
        prop_assert_eq!(&again(&all).1, &all);
    }

    #[test]
    fn texts_are_read_as_they_were(all in prop::collection::vec(prop_oneof![
        ".{0,40}", "[0-9a-f]{0,80}", "[0-9a-fA-F]{14,20}", "x{60,70}", "[0-9a-f]{1020,1030}"
    ], 0..20)) {
        let all: Vec<Arc<str>> = all.into_iter().map(Arc::from).collect();
        let twice: Vec<Arc<str>> = all.iter().chain(&all).cloned().collect();
        prop_assert_eq!(&again(&twice).1, &twice);
        let strings: Vec<String> = all.iter().map(ToString::to_string).collect();
        prop_assert_eq!(&again(&strings).1, &strings);
    }

    #[test]
    fn nothing_that_is_read_of_other_bytes_ends_in_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let packed = Packer { bytes, ..Packer::default() }.packed();
        let _ = packed.read(Vec::<Call>::unpack);
        let _ = packed.read(Node::unpack);
        let _ = packed.read(crate::domain::turn::Turn::unpack);
    }
}

#[test]
fn a_long_text_is_shared_and_a_short_one_stands_once() {
    let long: Arc<str> = "a long text ".repeat(40).into();
    let short: Arc<str> = "short".into();
    let (packed, read) = again(&[long.clone(), short.clone(), long.clone(), short]);
    assert!(Arc::ptr_eq(&read[0], &long) && Arc::ptr_eq(&read[2], &long));
    assert!(Arc::ptr_eq(&read[1], &read[3]));
    assert_eq!(written(&packed), 1 + "?short".len() + 1 + 1);
}

#[test]
fn a_hash_takes_half_its_digits() {
    let hash: Arc<str> = "0123456789abcdef".repeat(4).into();
    let (packed, read) = again(std::slice::from_ref(&hash));
    assert_eq!((written(&packed), &read[0]), (34, &hash));
}

fn node(no: u32, content: Content) -> Node {
    Node {
        id: NodeId::new(NodeKind::Thought, no),
        turn: TurnId(no / 4),
        active: true,
        pinned: false,
        replaced: None,
        revisions: Few::One(Revision {
            no: Rev(1),
            content,
            origin: Origin::Model,
            epoch: Epoch(0),
            event: Seq(u64::from(no) * 7),
        }),
        current: Rev(1),
        history: History::begun(Epoch(0)),
    }
}

#[test]
fn nodes_of_every_content_are_read_as_they_were() {
    let error = ToolError {
        class: ErrorClass::Conflict,
        message: "it changed".into(),
        evidence: "HTTP 409".into(),
        hint: Some("read it again".into()),
        partial: Some("{}".into()),
        executed: true,
        retry_after_ms: Some(7),
    };
    let seen = |outcome| Content::Observation {
        call_rev: Rev(2),
        attempt: Attempt(3),
        outcome,
    };
    let contents = [
        Content::Text {
            text: "so".into(),
            channel: Channel::Reasoning,
            opaque: Some("[1]".into()),
        },
        Content::Call {
            tool: "read_file".into(),
            args: "{}".into(),
        },
        seen(Outcome::Ok {
            value: "1".into(),
            meta: Some("{\"exit\":0}".into()),
            discarded: 9,
            exit: None,
        }),
        seen(Outcome::err(error)),
        seen(Outcome::Cancelled { executed: true }),
        Content::Deleted,
    ];
    let mut all: Vec<Node> = contents
        .into_iter()
        .zip(1..)
        .map(|(content, no)| node(no, content))
        .collect();
    // What few have: another revision, another epoch, what was before.
    let second = all[1].now().clone();
    all[0].say(Epoch(2), second);
    all[2].replaced = Some(Fingerprint::of("another request"));
    all[3].pinned = true;
    let (_, read) = again(&all);
    assert_eq!(read, all);
    assert_ne!(read[0].history, read[1].history);
}

#[test]
fn a_plain_node_takes_few_bytes_and_so_does_a_call() {
    let nodes: Vec<Node> = (1..=100)
        .map(|no| {
            node(
                no,
                Content::Call {
                    tool: "read_file".into(),
                    args: "{}".into(),
                },
            )
        })
        .collect();
    let (packed, _) = again(&nodes);
    assert!(written(&packed) < 100 * 22, "{packed:?}");
    let calls: Vec<Call> = (1..=100)
        .map(|no| Call {
            status: Status::Succeeded,
            digest: Some(Digest("ab".repeat(32).into())),
            ..Call::new(NodeId::new(NodeKind::Call, no))
        })
        .collect();
    let (packed, read) = again(&calls);
    assert_eq!(read, calls);
    assert!(written(&packed) < 100 * 30, "{packed:?}");
    assert!(
        packed.bytes.len() * 3 < written(&packed),
        "they resemble one another: {packed:?}"
    );
}
