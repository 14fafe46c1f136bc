//! That a map in pages is a sorted map, whatever of it is packed, and that what nobody looks at is packed.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::domain::id::{NodeId, NodeKind, Seq};

/// What somebody does with a map.
#[derive(Debug, Clone)]
enum Step {
    Insert(NodeId, u32),
    Change(NodeId, u32),
    Look(NodeId),
    Scan,
    Rest,
    Copy,
}

fn id() -> impl Strategy<Value = NodeId> {
    let no = prop_oneof![8 => 1..40_u32, 1 => 0..9_000_u32, 1 => Just(u32::MAX)];
    let kind = prop_oneof![
        3 => Just(NodeKind::Call),
        3 => Just(NodeKind::Observation),
        1 => prop::sample::select(NodeKind::ALL.to_vec())
    ];
    (kind, no).prop_map(|(kind, no)| NodeId::new(kind, no))
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (id(), any::<u32>()).prop_map(|(id, value)| Step::Insert(id, value)),
        2 => (id(), any::<u32>()).prop_map(|(id, value)| Step::Change(id, value)),
        3 => id().prop_map(Step::Look),
        1 => Just(Step::Scan),
        3 => Just(Step::Rest),
        1 => Just(Step::Copy),
    ]
}

proptest! {
    #[test]
    fn it_is_a_sorted_map(steps in prop::collection::vec(step(), 0..160)) {
        let mut paged = Paged::<NodeId, u32>::default();
        let mut map = BTreeMap::new();
        for step in steps {
            match step {
                Step::Insert(id, value) => prop_assert_eq!(paged.insert(id, value), map.insert(id, value)),
                Step::Change(id, value) => {
                    let (own, other) = (paged.get_mut(&id), map.get_mut(&id));
                    prop_assert_eq!(&own, &other);
                    if let (Some(own), Some(other)) = (own, other) {
                        (*own, *other) = (value, value);
                    }
                }
                Step::Look(id) => {
                    prop_assert_eq!(paged.get(&id), map.get(&id));
                    prop_assert_eq!(paged.contains_key(&id), map.contains_key(&id));
                    let mut reader = paged.reader();
                    prop_assert_eq!(reader.get(&id).map(|one| *one), map.get(&id).copied());
                    prop_assert_eq!(reader.get(&id).map(|one| *one), map.get(&id).copied());
                    prop_assert!(paged.range(id..).eq(map.range(id..)));
                    prop_assert!(paged.range(..id).rev().eq(map.range(..id).rev()));
                    prop_assert!(paged.range(..=id).eq(map.range(..=id)));
                }
                Step::Scan => {
                    prop_assert_eq!(paged.scan().map(|one| *one).collect::<Vec<_>>(), map.values().copied().collect::<Vec<_>>());
                    let back = paged.scan().rev().map(|one| *one).collect::<Vec<_>>();
                    prop_assert_eq!(back, map.values().rev().copied().collect::<Vec<_>>());
                }
                Step::Rest => paged.rest(),
                Step::Copy => {
                    let copy = paged.clone();
                    prop_assert_eq!(&copy, &paged);
                    paged = copy;
                }
            }
            prop_assert_eq!(paged.len(), map.len());
            prop_assert_eq!(paged.is_empty(), map.is_empty());
        }
        prop_assert!(paged.iter().eq(&map));
        prop_assert!(paged.keys().rev().eq(map.keys().rev()));
        prop_assert!(paged.values().eq(map.values()));
        for (id, value) in &map {
            prop_assert_eq!(&paged[id], value);
        }
    }
}

fn filled(count: u64) -> Paged<Seq, String> {
    let mut paged = Paged::default();
    for no in 1..=count {
        paged.insert(Seq(no), format!("value {no}"));
    }
    paged
}

/// How many pages have their rows unpacked.
fn awake(paged: &Paged<Seq, String>) -> usize {
    paged.pages.iter().filter(|page| page.awake().is_some()).count()
}

#[test]
fn what_nobody_looks_at_is_packed_and_the_end_is_not() {
    let mut paged = filled(100 * ROWS as u64);
    assert_eq!(awake(&paged), 100, "all was put in just now");
    paged.rest();
    assert_eq!(awake(&paged), 100, "it may be wanted again at once");
    paged.rest();
    assert_eq!(awake(&paged), OPEN);
    assert_eq!(paged.get(&Seq(2)).map(String::as_str), Some("value 2"));
    assert_eq!(awake(&paged), OPEN + 1, "its page alone");
    paged.rest();
    assert_eq!(awake(&paged), OPEN + 1);
    paged.rest();
    assert_eq!(awake(&paged), OPEN);
}

#[test]
fn who_looks_at_everything_leaves_nothing_behind() {
    let mut paged = filled(100 * ROWS as u64);
    paged.rest();
    paged.rest();
    assert_eq!(
        paged.scan().filter(|one| one.starts_with("value")).count(),
        100 * ROWS
    );
    assert_eq!(awake(&paged), OPEN, "a scan unpacks nothing for others");
    assert!(!paged.is_crowded());
    assert_eq!(
        paged.values().filter(|one| one.starts_with("value")).count(),
        100 * ROWS
    );
    assert!(paged.is_crowded());
    paged.rest();
    assert_eq!(awake(&paged), OPEN, "at once, because it is too much");
    assert!(!paged.is_crowded());
}

#[test]
fn a_copy_shares_what_is_packed_and_a_change_of_one_is_not_seen_in_the_other() {
    let mut paged = filled(20 * ROWS as u64);
    paged.rest();
    paged.rest();
    let mut copy = paged.clone();
    assert_eq!(awake(&copy), OPEN);
    copy.get_mut(&Seq(1)).unwrap().push('!');
    assert_eq!((&*paged[&Seq(1)], &*copy[&Seq(1)]), ("value 1", "value 1!"));
    copy.rest();
    copy.rest();
    assert_eq!(awake(&copy), OPEN);
    assert_eq!((&*paged[&Seq(1)], &*copy[&Seq(1)]), ("value 1", "value 1!"));
    assert_ne!(paged, copy);
}

/// A value that is read back as another.
#[derive(Debug, Clone, PartialEq)]
struct Liar(u32);

impl Pack for Liar {
    fn pack(&self, to: &mut crate::domain::pack::Packer) {
        self.0.pack(to);
    }

    fn unpack(from: &mut crate::domain::pack::Unpacker<'_>) -> Option<Self> {
        u32::unpack(from).map(|no| Self(no + u32::from(no == 1)))
    }
}

#[test]
fn what_would_be_read_back_otherwise_is_not_packed() {
    let mut paged = Paged::default();
    for no in 1..=10 * ROWS as u64 {
        paged.insert(Seq(no), Liar(no as u32));
    }
    paged.rest();
    paged.rest();
    let awake: Vec<bool> = paged.pages.iter().map(|page| page.awake().is_some()).collect();
    assert_eq!(awake.iter().filter(|awake| **awake).count(), OPEN + 1);
    assert!(awake[0]);
    assert_eq!(paged[&Seq(1)], Liar(1));
    *paged.get_mut(&Seq(1)).unwrap() = Liar(7);
    paged.rest();
    paged.rest();
    assert!(paged.pages[0].awake().is_none(), "another value, another try");
    assert_eq!(paged[&Seq(1)], Liar(7));
}

#[test]
fn the_room_of_a_page_that_was_packed_is_that_of_the_next_one() {
    let mut paged = filled(20 * ROWS as u64);
    paged.rest_all();
    let room = paged.room.as_ref().map(|room| room.values.as_ptr());
    assert!(room.is_some());
    paged.insert(Seq(20 * ROWS as u64 + 1), "more".to_owned());
    let rows = paged.pages.last().and_then(|page| page.awake());
    assert_eq!(rows.map(|rows| rows.values.as_ptr()), room);
    assert_eq!(rows.map(|rows| &*rows.values), Some(&["more".to_owned()][..]));
    assert!(paged.clone().room.is_none(), "a copy begins its own");
}

#[test]
fn what_was_changed_all_at_once_is_packed_a_few_pages_at_a_time() {
    let pages = 40;
    let mut paged = filled(pages * ROWS as u64);
    paged.rest_all();
    for no in 1..=pages * ROWS as u64 {
        paged.get_mut(&Seq(no)).unwrap().push('!');
    }
    assert_eq!(awake(&paged), pages as usize);
    for rest in 1..=3 {
        paged.pack(true, 10);
        assert_eq!(awake(&paged), pages as usize - 10 * rest);
        assert!(paged.is_crowded(), "the next rest goes on");
    }
    paged.pack(true, 10);
    assert_eq!(awake(&paged), OPEN);
    assert!(!paged.is_crowded());
    assert!(paged.scan().all(|one| one.ends_with('!')));
}
