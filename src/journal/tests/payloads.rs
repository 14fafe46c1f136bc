//! Tests long strings in files of their own, and data that looks like them.

use std::os::unix::fs::PermissionsExt as _;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{envelope, fixture, id};
use crate::payload::{self, BOUNDS, Bounds, Payloads, Source};
use crate::{BIG, Error, Link, decode_line, encode_line, read, verify};
use overrule_domain::event::{Event, RunEvent, TurnEvent};
use overrule_domain::id::TurnId;

fn partial(seq: u64, text: &str) -> overrule_domain::envelope::Envelope {
    let text = text.into();
    envelope(
        seq,
        Event::Turn(TurnEvent::Partial {
            turn: TurnId(1),
            prefix_len: 0,
            spoken: None,
            text,
        }),
    )
}

#[test]
fn long_strings_go_to_files_and_come_back() {
    let fixture = fixture();
    let long = "lång \"text\"\n".repeat(BIG / 10);
    let all = [
        partial(1, &long),
        partial(2, "short"),
        partial(3, &long),
        partial(4, &"x".repeat(BIG + 1)),
    ];
    let place = fixture.session(1, &all);
    assert!(std::fs::metadata(place.journal()).unwrap().len() < 3_000);

    let dir = place.payloads().unwrap();
    let files: Vec<_> = std::fs::read_dir(&dir).unwrap().flatten().collect();
    assert_eq!(files.len(), 2, "equal strings share a file, and no draft is left");
    let file = dir.join(blake3::hash(long.as_bytes()).to_hex().as_str());
    assert_eq!(std::fs::read_to_string(&file).unwrap(), long);
    assert_eq!(
        std::fs::metadata(&file).unwrap().permissions().mode() & 0o777,
        0o600
    );
    assert_eq!(read(&place).unwrap().envelopes, all);

    // Exactly at the limit it stays in the record.
    let at_limit = [partial(1, &"y".repeat(BIG))];
    let other = fixture.session(2, &at_limit);
    assert_eq!(std::fs::read_dir(other.payloads().unwrap()).unwrap().count(), 0);
    assert_eq!(read(&other).unwrap().envelopes, at_limit);
}

#[test]
fn a_record_can_hold_a_long_string_itself() {
    let long = partial(1, &"z".repeat(3 * BIG));
    let line = encode_line(id(1), &long, Link::FIRST).unwrap();
    assert!(line.len() > 3 * BIG);
    assert_eq!(decode_line(&line).unwrap().1, long);
}

#[test]
fn a_payload_that_is_gone_or_changed_is_damage() {
    let fixture = fixture();
    let long = "p".repeat(BIG + 1);
    let place = fixture.session(1, &[partial(1, "a"), partial(2, &long), partial(3, "b")]);
    let file = std::fs::read_dir(place.payloads().unwrap())
        .unwrap()
        .flatten()
        .next()
        .unwrap()
        .path();
    let check = |why: &str| {
        let loaded = read(&place).unwrap();
        assert_eq!(loaded.envelopes.len(), 1);
        let damage = loaded.damage.unwrap();
        assert!(damage.line == 2 && damage.why.contains(why), "{damage}");
        assert!(!verify(&place).unwrap().is_whole());
    };
    std::fs::write(&file, "q".repeat(BIG + 1)).unwrap();
    check("was changed");
    std::fs::write(&file, "p".repeat(BIG)).unwrap();
    check("was changed");
    std::fs::remove_file(&file).unwrap();
    check("cannot be read");
    std::os::unix::fs::symlink("/dev/zero", &file).unwrap();
    check("cannot be read");
    std::fs::remove_file(&file).unwrap();
    std::fs::write(&file, &long).unwrap();
    assert!(verify(&place).unwrap().is_whole());
}

#[test]
fn a_broken_payload_file_is_rewritten() {
    let fixture = fixture();
    let long = "w".repeat(BIG + 1);
    let writer = fixture.store.create(id(1)).unwrap();
    let file = writer
        .dir()
        .join("payload")
        .join(blake3::hash(long.as_bytes()).to_hex().as_str());
    std::fs::write(&file, "rubbish").unwrap();
    drop(writer);
    let place = fixture.newest();
    let (mut writer, _) = crate::Writer::open(&place).unwrap();
    writer.append(&partial(1, &long)).unwrap();
    writer.sync().unwrap();
    assert_eq!(std::fs::read_to_string(&file).unwrap(), long);
}

#[test]
fn text_above_the_payload_limit_is_refused_and_the_writer_continues() {
    let fixture = fixture();
    let mut writer = fixture.store.create(id(1)).unwrap();
    let error = writer
        .append(&partial(1, &"x".repeat(crate::MAX_PAYLOAD + 1)))
        .unwrap_err();
    assert!(matches!(error, Error::Unwritable { .. }), "{error}");
    writer.append(&partial(1, "x")).unwrap();
    writer.sync().unwrap();
    let place = fixture.newest();
    assert_eq!(read(&place).unwrap().envelopes.len(), 1);
}

#[test]
fn text_that_looks_like_a_payload_is_text() {
    let tricky = [
        "$payload",
        "\"$payload\"",
        r#"{"$payload":"0000000000000000000000000000000000000000000000000000000000000000","len":1}"#,
        "$payload\\\"",
    ];
    let fixture = fixture();
    let all: Vec<_> = (1..).zip(tricky).map(|(seq, text)| partial(seq, text)).collect();
    let place = fixture.session(1, &all);
    assert_eq!(read(&place).unwrap().envelopes, all);
    assert_eq!(std::fs::read_dir(place.payloads().unwrap()).unwrap().count(), 0);
}

/// Payloads in memory.
#[derive(Default)]
struct Shelf(Vec<String>);

impl Source for Shelf {
    fn load(&mut self, hash: &str, len: usize) -> Result<String, Error> {
        let found = self
            .0
            .iter()
            .find(|text| blake3::hash(text.as_bytes()).to_hex().as_str() == hash);
        let found = found.filter(|text| text.len() == len).cloned();
        found.ok_or_else(|| Error::Line {
            why: "missing".to_owned(),
        })
    }
}

/// Generates bodies with names and values that imitate replacements, at any depth.
fn imitations() -> impl Strategy<Value = Value> {
    let hash = blake3::hash(b"x").to_hex().to_string();
    let leaf = prop_oneof![
        Just(json!("short")),
        Just(json!(hash)),
        Just(json!(1)),
        Just(json!("$payload")),
        (0..3_usize).prop_map(|n| json!("L".repeat(BIG + n))),
    ];
    let name = proptest::sample::select(vec!["$payload", "$$payload", "$$$payload", "len", "payload", "a"]);
    leaf.prop_recursive(3, 12, 4, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            proptest::collection::vec((name.clone(), inner), 0..4)
                .prop_map(|members| members.into_iter().map(|(k, v)| (k.to_owned(), v)).collect()),
        ]
    })
}

proptest! {
    #![proptest_config(overrule_testing::cases(50))]

    #[test]
    fn moving_strings_out_and_back_changes_nothing(body in imitations()) {
        let mut shelf = Shelf::default();
        let text = body.to_string();
        let stored = payload::external(&text, &BOUNDS, &mut |long| {
            shelf.0.push(long.to_owned());
            Ok(blake3::hash(long.as_bytes()).to_hex().to_string())
        })
        .unwrap()
        .into_owned();
        let back = payload::resolve(&stored, &BOUNDS, &mut shelf).unwrap().into_owned();
        prop_assert_eq!(serde_json::from_str::<Value>(&back).unwrap(), body.clone());

        let inline = payload::inline(&text).unwrap().into_owned();
        let back = payload::resolve(&inline, &BOUNDS, &mut payload::None).unwrap().into_owned();
        prop_assert_eq!(serde_json::from_str::<Value>(&back).unwrap(), body);
    }
}

/// Limits small enough to be reached.
const SMALL: Bounds = Bounds {
    big: 4,
    longest: 8,
    record: 20,
};

/// Moves strings out within small limits.
fn written(body: &Value, shelf: &mut Shelf) -> Result<String, Error> {
    let text = body.to_string();
    let stored = payload::external(&text, &SMALL, &mut |long| {
        shelf.0.push(long.to_owned());
        Ok(blake3::hash(long.as_bytes()).to_hex().to_string())
    })?;
    Ok(stored.into_owned())
}

#[test]
fn who_writes_and_who_reads_refuse_the_same_record() {
    let mut shelf = Shelf::default();
    // Each length alone, and the total, at its limit.
    for (lengths, fits) in [
        (vec![8, 8, 4, 4, 4, 4], true),
        (vec![9], false),
        (vec![8, 6, 6], true),
        (vec![8, 8, 5], false),
        (vec![5; 4], true),
        (vec![5; 5], false),
    ] {
        let body: Value = lengths.iter().map(|length| "x".repeat(*length)).collect();
        match written(&body, &mut shelf) {
            Ok(stored) => {
                assert!(fits, "{lengths:?} is written");
                let back = payload::resolve(&stored, &SMALL, &mut shelf).unwrap();
                assert_eq!(serde_json::from_str::<Value>(&back).unwrap(), body);
            }
            Err(error) => {
                assert!(
                    !fits && matches!(error, Error::Unwritable { .. }),
                    "{lengths:?}: {error}"
                );
                let hash = |length: &usize| {
                    let text = "x".repeat(*length);
                    let hash = blake3::hash(text.as_bytes()).to_hex().to_string();
                    shelf.0.push(text);
                    json!({"$payload": hash, "len": length})
                };
                let named: Value = lengths.iter().map(hash).collect();
                let error = payload::resolve(&named.to_string(), &SMALL, &mut shelf).unwrap_err();
                assert!(matches!(error, Error::Line { .. }), "{lengths:?}: {error}");
            }
        }
    }
}

proptest! {
    #![proptest_config(overrule_testing::cases(64))]

    #[test]
    fn what_is_written_can_be_read(lengths in proptest::collection::vec(0..10_usize, 0..8)) {
        let mut shelf = Shelf::default();
        let body: Value = lengths.iter().map(|length| "é".repeat(*length / 2)).collect();
        if let Ok(stored) = written(&body, &mut shelf) {
            let back = payload::resolve(&stored, &SMALL, &mut shelf).unwrap();
            prop_assert_eq!(serde_json::from_str::<Value>(&back).unwrap(), body);
        }
    }
}

/// A record that names one payload a thousand times is refused before anything is read.
#[test]
fn a_record_that_names_a_payload_too_often_is_refused() {
    let named = json!({"$payload": "0".repeat(64), "len": crate::MAX_PAYLOAD});
    let body = Value::from(vec![named; 17]).to_string();
    let mut loads = CountingSource(0);
    let error = payload::resolve(&body, &BOUNDS, &mut loads).unwrap_err();
    assert!(error.to_string().contains("together"), "{error}");
    assert_eq!(loads.0, 16, "as many as fit");
}

/// A source that only counts how often it is asked.
struct CountingSource(usize);

impl Source for CountingSource {
    fn load(&mut self, _: &str, _: usize) -> Result<String, Error> {
        self.0 += 1;
        Ok(String::new())
    }
}

#[test]
fn a_session_may_read_more_payloads_than_one_record_may_name() {
    let dir = tempfile::tempdir().unwrap();
    let text = "m".repeat(16 << 20);
    let hash = Payloads::keep(dir.path(), &text).unwrap();
    let mut payloads = Payloads::new(Some(dir.path().to_owned()));
    for _ in 0..=BOUNDS.record / text.len() {
        assert_eq!(payloads.load(&hash, text.len()).unwrap().len(), text.len());
    }
}

#[test]
fn a_title_is_found_in_the_middle_of_a_long_journal() {
    let fixture = fixture();
    let filler = "f".repeat(60_000);
    let mut all: Vec<_> = (1..=30).map(|seq| partial(seq, &filler)).collect();
    let title = "the\u{202E} name".to_owned();
    all[15].event = Event::Run(RunEvent::Titled { title: title.clone() });
    fixture.session(1, &all);
    let list = fixture.store.list().unwrap();
    assert_eq!(list[0].title, Some(title));
    assert_eq!(list[0].last.as_ref().unwrap().seq, 30);
    assert_eq!(list[0].problem, None);
}
