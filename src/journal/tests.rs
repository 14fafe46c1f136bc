//! Tests of the journal.

mod aliases;
mod damage;
mod escape;
mod examples;
mod long;
mod payloads;
mod records;
mod store;
mod whole;
mod writing;

use tempfile::TempDir;
use uuid::Uuid;

use super::{Link, Loaded, Place, Store, Writer, encode_line, read};
use overrule_domain::envelope::{Actor, Envelope, Via};
use overrule_domain::event::{Event, RunEvent};
use overrule_domain::id::Seq;

/// A fixed id, so that tests do not depend on chance.
fn id(n: u128) -> Uuid {
    Uuid::from_u128(0x0190_abcd_0000_7000_8000_0000_0000_0000 + n)
}

fn envelope(seq: u64, event: Event) -> Envelope {
    Envelope {
        seq: Seq(seq),
        at: 1_790_000_000_000 + seq as i64,
        mono: seq * 3,
        actor: match seq % 4 {
            0 if seq.is_multiple_of(8) => Actor::operator("Zoë".into(), Via::Control),
            0 => Actor::Operator("Zoë \"z\"".into()),
            1 => Actor::Engine,
            2 => Actor::Model,
            _ => Actor::Tool,
        },
        cause: Seq(seq - 1),
        more: false,
        event,
    }
}

/// A short run, made by hand.
fn small() -> Vec<Envelope> {
    let paused = |n: u64| {
        Event::Run(RunEvent::Paused {
            reason: format!("reason {n}"),
        })
    };
    (1..=5).map(|n| envelope(n, paused(n))).collect()
}

struct Fixture {
    _dir: TempDir,
    store: Store,
}

fn fixture() -> Fixture {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path().join("data/sessions"));
    Fixture { _dir: dir, store }
}

impl Fixture {
    /// Creates a session with these events and closes it.
    fn session(&self, n: u128, envelopes: &[Envelope]) -> Place {
        let writer = self.begun(n, envelopes);
        let path = writer.dir().to_owned();
        drop(writer);
        Place::at(&path).unwrap()
    }

    /// Creates a session with these events, durable, and continues it.
    fn begun(&self, n: u128, envelopes: &[Envelope]) -> Writer {
        let mut writer = self.store.create(id(n)).unwrap();
        for envelope in envelopes {
            writer.append(envelope).unwrap();
        }
        writer.sync().unwrap();
        writer
    }

    /// The newest session.
    fn newest(&self) -> Place {
        self.store.newest(1, |_| true).unwrap()
    }

    fn journal(&self, n: u128) -> std::path::PathBuf {
        self.store.dir().join(id(n).to_string()).join("journal.jsonl")
    }
}

/// Encodes the lines of a journal without a file.
fn lines(envelopes: &[Envelope]) -> Vec<String> {
    let mut prev = Link::FIRST;
    envelopes
        .iter()
        .map(|envelope| {
            let line = encode_line(id(1), envelope, prev).unwrap();
            prev = Link::of(line.as_bytes());
            line
        })
        .collect()
}

fn file(lines: &[String]) -> Vec<u8> {
    lines
        .iter()
        .flat_map(|line| format!("{line}\n").into_bytes())
        .collect()
}

/// Reopens a session and appends one more event; returns what was loaded.
fn append_one(place: &Place) -> Loaded {
    let (mut writer, loaded) = Writer::open(place).unwrap();
    let next = writer.next();
    let event = Event::Run(RunEvent::Resumed {});
    writer.append(&envelope(next.0, event)).unwrap();
    writer.sync().unwrap();
    drop(writer);
    let after = read(place).unwrap();
    assert_eq!(after.torn, None);
    assert_eq!(after.damage, None);
    assert_eq!(after.envelopes.len(), loaded.envelopes.len() + 1);
    assert_eq!(after.envelopes[..loaded.envelopes.len()], loaded.envelopes);
    loaded
}
