//! Tests records: every event in both directions, chain, checksum, foreign and hostile lines.

use std::collections::BTreeSet;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::examples::{confined, every_event, started};
use super::{envelope, file, fixture, id, lines, small};
use crate::codec::Parts;
use crate::{Error, Link, Place, Records, codec, decode_line, encode_line, read, verify};
use overrule_domain::envelope::{Actor, Via};
use overrule_domain::event::{CallEvent, Event, RunEvent, TurnEvent};
use overrule_domain::id::TurnId;

#[test]
fn the_page_on_the_format_names_every_family() {
    let page = include_str!("../../../docs/journal.md");
    for event in every_event() {
        let parts = Parts::of(&event).unwrap();
        let family = parts.family();
        assert!(page.contains(&format!("`{family}` (")), "{family}");
    }
}

#[test]
fn every_event_comes_back_equal() {
    let envelopes: Vec<_> = (1..)
        .zip(every_event())
        .map(|(seq, event)| envelope(seq, event))
        .collect();
    for (envelope, line) in envelopes.iter().zip(lines(&envelopes)) {
        assert!(!line.contains('\n'));
        assert_eq!(decode_line(&line).unwrap(), (id(1), envelope.clone()), "{line}");
    }
    let fixture = fixture();
    let place = fixture.session(1, &envelopes);
    let loaded = read(&place).unwrap();
    assert_eq!(loaded.envelopes, envelopes);
    assert_eq!(loaded.run, Some(id(1)));
    assert_eq!((loaded.torn, loaded.damage), (None, None));
}

/// Records of removed features: ends and effects of other sessions after a gap, and changes held
/// back by a list of edits stored next to the session.
const OLD: [(&str, &str); 8] = [
    ("run.forked", r#"{"session":"s1","at":9}"#),
    (
        "call.finished",
        r#"{"call":"c3","rev":1,"attempt":1,"outcome":{"kind":"ok","value":"1"},"ms":4}"#,
    ),
    (
        "run.happened_elsewhere",
        r#"{"session":"s0","entry":4,"call":"c7","tool":"shell","args":"{}","same":"h","effect":"unknown","at":1,"outcome":{"kind":"ok","value":"1"}}"#,
    ),
    (
        "call.decided",
        r#"{"call":"c5","rev":1,"decision":{"kind":"withdrawn","reason":"it may have run already"}}"#,
    ),
    ("edit.held", r#"{"node":"c3","calls":["c3","c4"]}"#),
    ("edit.released", r#"{"node":"c3"}"#),
    ("edit.released", "{}"),
    (
        "run.paused",
        r#"{"reason":"the collected edits of before cannot be read ({)"}"#,
    ),
];

#[test]
fn records_of_features_that_are_gone_stay_readable() {
    let read_back: Vec<_> = OLD
        .iter()
        .map(|(kind, body)| codec::event(kind, body).unwrap())
        .collect();
    let [
        _,
        Event::Call(CallEvent::Finished { attempt, .. }),
        Event::Run(RunEvent::HappenedElsewhere(one)),
        ..,
    ] = read_back.as_slice()
    else {
        panic!("{read_back:?}");
    };
    assert_eq!(attempt.0, 1);
    assert_eq!((&*one.session, one.outcome.is_some()), ("s0", true));
    let envelopes: Vec<_> = (1..).zip(read_back).map(|(no, one)| envelope(no, one)).collect();
    let fixture = fixture();
    let place = fixture.session(1, &envelopes);
    assert_eq!(read(&place).unwrap().envelopes, envelopes);
}

/// The bodies that differ from this one by one member each, at any depth: the path of the member, the body without it,
/// and a body for each default that it could have.
fn without_one(body: &Value) -> Vec<(String, Value, Vec<Value>)> {
    let defaults = [json!(null), json!(0), json!(false), json!([])];
    let mut found = Vec::new();
    let mut open = vec![String::new()];
    while let Some(path) = open.pop() {
        match body.pointer(&path) {
            Some(Value::Object(members)) => {
                for name in members.keys() {
                    let (mut absent, mut with) = (body.clone(), Vec::new());
                    absent
                        .pointer_mut(&path)
                        .unwrap()
                        .as_object_mut()
                        .unwrap()
                        .remove(name);
                    for default in &defaults {
                        let mut body = body.clone();
                        body.pointer_mut(&path).unwrap()[name] = default.clone();
                        with.push(body);
                    }
                    open.push(format!("{path}/{name}"));
                    found.push((format!("{path}/{name}"), absent, with));
                }
            }
            Some(Value::Array(items)) => open.extend((0..items.len()).map(|index| format!("{path}/{index}"))),
            _ => {}
        }
    }
    found
}

#[test]
fn an_absent_member_has_its_default() {
    let mut wrong = BTreeSet::new();
    for event in every_event() {
        let parts = Parts::of(&event).unwrap();
        let kind = format!("{}.{}", parts.family(), parts.name());
        let body: Value = serde_json::from_str(parts.body()).unwrap();
        let read = |body: &Value| codec::event(&kind, &body.to_string());
        for (member, absent, with) in without_one(&body) {
            // The name of an enum and the key of a map are no members, and what may be reused is so unless the record
            // denies it.
            if member.ends_with("/kind")
                || member.contains("/failed/")
                || member.contains("/expr/")
                || member.ends_with("/reuse")
                || member.contains("/reuse/")
            {
                continue;
            }
            // The first that the member can be: of an optional number that is `null`.
            let Some(default) = with.iter().find_map(|body| read(body).ok()) else {
                continue;
            };
            let found = read(&absent).map_err(|error| error.to_string());
            if found.as_ref() != Ok(&default) {
                wrong.insert(format!("{kind} {member}: {}", found.err().unwrap_or_default()));
            }
        }
    }
    let wrong: Vec<String> = wrong.into_iter().collect();
    assert_eq!(wrong, [""; 0], "{}", wrong.join("\n"));
}

/// Returns the words in backticks of a message, except the first, which is the one that was tried.
fn named(error: &Error) -> Vec<String> {
    let message = error.to_string();
    let words = message
        .rsplit_once("expected")
        .unwrap()
        .1
        .split('`')
        .skip(1)
        .step_by(2);
    words.map(str::to_owned).collect()
}

#[test]
fn the_examples_leave_no_event_out() {
    let examples: BTreeSet<String> = every_event()
        .iter()
        .map(|event| {
            let parts = codec::Parts::of(event).unwrap();
            format!("{}.{}", parts.family(), parts.name())
        })
        .collect();
    // The refusal of an unknown name lists the known ones.
    let families = named(&codec::event("nosuch.x", "{}").unwrap_err());
    let all: BTreeSet<String> = families
        .iter()
        .flat_map(|family| {
            let names = named(&codec::event(&format!("{family}.nosuch"), "{}").unwrap_err());
            names.into_iter().map(move |name| format!("{family}.{name}"))
        })
        .filter(|name| !super::aliases::is_old(name))
        .collect();
    assert!(all.len() > 40);
    assert_eq!(examples, all, "add an example of every new event");
}

#[test]
fn a_record_has_the_documented_shape() {
    let line = &lines(&small())[0];
    let value: serde_json::Value = serde_json::from_str(line).unwrap();
    let names: Vec<&str> = value.as_object().unwrap().keys().map(String::as_str).collect();
    let all = [
        "v", "seq", "prev", "at", "mono", "run", "actor", "cause", "type", "body", "crc",
    ];
    assert_eq!(names, all);
    assert_eq!(value["type"], "run.paused");
    assert_eq!(value["body"], serde_json::json!({"reason": "reason 1"}));
    assert_eq!(value["prev"], "0".repeat(32));
    assert_eq!(value["run"], id(1).to_string());
    let (covered, _) = line.split_once(",\"crc\":\"").unwrap();
    assert_eq!(
        value["crc"],
        format!("{:08x}", crc32fast::hash(covered.as_bytes()))
    );

    let next: serde_json::Value = serde_json::from_str(&lines(&small())[1]).unwrap();
    let hash = blake3::hash(line.as_bytes()).to_hex();
    assert_eq!(next["prev"].as_str(), hash.as_str().get(..32));
}

#[test]
fn records_are_small() {
    let event = Event::Turn(TurnEvent::Matched {
        turn: TurnId(12),
        blocks: 3,
    });
    let line = encode_line(id(1), &envelope(12_345, event), Link::FIRST).unwrap();
    assert!(line.len() < 300, "{}", line.len());
}

#[test]
fn a_single_file_is_read_like_a_directory() {
    let fixture = fixture();
    let dir = fixture.session(1, &small());
    let single = fixture.store.dir().join("sample.jsonl");
    std::fs::copy(dir.journal(), &single).unwrap();
    let place = Place::at(&single).unwrap();
    assert_eq!(read(&place).unwrap().envelopes, read(&dir).unwrap().envelopes);
    let error = crate::Writer::open(&place).unwrap_err();
    assert!(matches!(error, Error::ReadOnly { .. }), "{error}");
}

#[test]
fn a_changed_record_breaks_the_chain_even_with_a_new_checksum() {
    let fixture = fixture();
    let place = fixture.session(1, &small());
    let mut lines = lines(&small());
    // The second record is rewritten and its checksum recomputed.
    let (covered, _) = lines[1].rsplit_once(",\"crc\"").unwrap();
    let covered = covered.replace("reason 2", "reason 9");
    lines[1] = format!(
        "{covered},\"crc\":\"{:08x}\"}}",
        crc32fast::hash(covered.as_bytes())
    );
    assert!(decode_line(&lines[1]).is_ok());
    std::fs::write(place.journal(), file(&lines)).unwrap();
    let report = verify(&place).unwrap();
    assert_eq!(report.records, 2);
    let damage = report.damage.unwrap();
    assert_eq!((damage.line, damage.intact_after), (3, 3));
    assert!(damage.why.contains("link"), "{}", damage.why);
}

#[test]
fn records_out_of_place_are_damage() {
    let good = lines(&small());
    let other_run = {
        let mut all = good.clone();
        all[2] = encode_line(id(2), &small()[2], Link::of(good[1].as_bytes())).unwrap();
        all
    };
    let swapped = vec![good[0].clone(), good[2].clone(), good[1].clone()];
    let doubled = vec![good[0].clone(), good[1].clone(), good[1].clone()];
    for (bad, intact) in [
        (other_run, 2),
        (swapped, 1),
        (doubled, 2),
        (good[1..].to_vec(), 0),
    ] {
        let fixture = fixture();
        let place = fixture.session(1, &[]);
        std::fs::write(place.journal(), file(&bad)).unwrap();
        let loaded = read(&place).unwrap();
        assert_eq!(loaded.envelopes.len(), intact);
        assert!(loaded.damage.is_some() && loaded.torn.is_none());
        assert!(crate::Writer::open(&place).is_err());
        assert_eq!(
            std::fs::read(place.journal()).unwrap(),
            file(&bad),
            "nothing was changed"
        );
    }
}

/// Builds a line from any members, with a matching checksum.
fn sealed(covered: &str) -> String {
    format!(
        "{covered},\"crc\":\"{:08x}\"}}",
        crc32fast::hash(covered.as_bytes())
    )
}

#[test]
fn hostile_lines_with_fitting_checksums_are_refused() {
    let good = &lines(&small())[0];
    let (covered, _) = good.rsplit_once(",\"crc\"").unwrap();
    assert_eq!(&sealed(covered), good);
    let deep = format!("{{\"reason\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000));
    let cases = [
        covered.replace("\"v\":2", "\"v\":0"),
        covered.replace("\"v\":2", "\"v\":99999999999"),
        covered.replace("\"v\":2", "\"v\":2,\"v\":2"),
        covered.replace("\"v\":2", "\"v\":2,\"more\":1"),
        covered.replace("run.paused", "run.exploded"),
        covered.replace("run.paused", "paused"),
        covered.replace("run.paused", "run.paused\\\",\\\"body\\\":{}"),
        covered.replace("run.paused", "__proto__.x"),
        covered.replace(&id(1).to_string(), "../../etc/passwd"),
        covered.replace(&id(1).to_string(), &id(1).to_string().to_uppercase()),
        covered.replace("{\"reason\":\"reason 1\"}", "{\"reason\":7}"),
        covered.replace("{\"reason\":\"reason 1\"}", "{}"),
        covered.replace("{\"reason\":\"reason 1\"}", &deep),
        covered.replace("\"reason 1\"", "{\"$payload\":\"../../../etc/passwd\",\"len\":3}"),
        covered.replace("\"reason 1\"", "{\"$payload\":7}"),
        covered.replace("\"seq\":1,", "\"seq\":-1,"),
        covered.replace("\"at\":", "\"at\":1e99,\"x\":"),
        "[1".to_owned(),
        String::new(),
    ];
    for case in cases {
        let line = sealed(&case);
        assert_ne!(&line, good);
        let error = decode_line(&line).unwrap_err();
        assert!(error.to_string().len() < 1000);
    }
}

#[test]
fn what_could_not_be_read_back_is_not_written() {
    use overrule_domain::reference::{Expr, OutPath, Reference, Root, Target};
    let mut expr = Expr::Read(Target {
        root: Root::Input,
        head: String::new(),
        path: vec![],
    });
    for _ in 0..100 {
        expr = Expr::All(vec![expr]);
    }
    let event = |expr| {
        Event::Call(CallEvent::Checked {
            call: "c1".parse().unwrap(),
            rev: overrule_domain::id::Rev(1),
            faults: vec![],
            references: vec![Reference {
                at: String::new(),
                expr,
            }],
            label: "c1".into(),
            out: None::<OutPath>,
            effect: overrule_domain::call::EffectClass::Pure,
            delegates: false,
        })
    };
    let error = encode_line(id(1), &envelope(1, event(expr.clone())), Link::FIRST).unwrap_err();
    assert!(error.to_string().contains("levels"), "{error}");
    // The deepest body that can be written can be read.
    let mut written = 0;
    while let Expr::All(mut inner) = expr {
        expr = inner.pop().unwrap();
        if let Ok(line) = encode_line(id(1), &envelope(1, event(expr.clone())), Link::FIRST) {
            assert!(decode_line(&line).is_ok());
            written += 1;
        }
    }
    assert!(written > 10);
}

proptest! {
    #![proptest_config(overrule_testing::cases(64))]

    #[test]
    fn any_text_comes_back_equal(text in any::<String>(), at in any::<i64>(), mono in any::<u64>()) {
        let mut all = small();
        all[0].event = Event::Turn(TurnEvent::Partial { turn: TurnId(1), prefix_len: 0, spoken: None, text: text.into() });
        all[0].at = at;
        all[0].mono = mono;
        let line = encode_line(id(1), &all[0], Link::FIRST).unwrap();
        prop_assert_eq!(decode_line(&line).unwrap().1, all[0].clone());
    }

    #[test]
    fn no_line_makes_the_reader_panic(line in "\\PC{0,200}") {
        prop_assert!(decode_line(&line).is_err());
        prop_assert!(decode_line(&sealed(&line)).is_err());
    }
}

#[test]
fn records_are_found_again_where_they_lie() {
    let big = "x".repeat(70_000);
    let envelopes: Vec<_> = (1..)
        .zip(every_event())
        .flat_map(|(no, event)| {
            let reason = if no % 9 == 0 {
                big.clone()
            } else {
                "y".repeat(4_000)
            };
            [
                event,
                Event::Run(overrule_domain::event::RunEvent::Paused { reason }),
            ]
        })
        .zip(1..)
        .map(|(event, seq)| envelope(seq, event))
        .collect();
    let fixture = fixture();
    let place = fixture.session(1, &envelopes);
    let mut given = Vec::new();
    let (records, report) = Records::read(&place, |envelope| given.push(envelope)).unwrap();
    assert_eq!((given.len(), records.len()), (envelopes.len(), envelopes.len()));
    assert!(given == envelopes && report.is_whole());
    for (index, envelope) in envelopes.iter().enumerate() {
        assert_eq!(records.get(index).unwrap().as_ref(), Some(envelope), "{index}");
    }
    assert_eq!(records.get(envelopes.len()).unwrap(), None);
    for (from, to) in [(0, envelopes.len()), (3, 40), (7, 7), (9, 8), (20, usize::MAX)] {
        let mut found = Vec::new();
        records.range(from, to, |envelope| found.push(envelope)).unwrap();
        let to = to.min(envelopes.len()).max(from);
        assert!(found == envelopes[from..to], "{from} to {to}");
    }
}

#[test]
fn a_record_that_was_changed_since_is_not_believed() {
    let fixture = fixture();
    let place = fixture.session(1, &small());
    let (records, _) = Records::read(&place, |_| ()).unwrap();
    let path = place.journal();
    let mut bytes = std::fs::read(&path).unwrap();
    let at = bytes.windows(8).position(|part| part == b"reason 3").unwrap();
    bytes[at + 7] = b'4';
    std::fs::write(&path, &bytes).unwrap();
    assert!(records.get(1).unwrap().is_some());
    let error = records.get(2).unwrap_err().to_string();
    assert!(error.contains("record 3 of the session was changed"), "{error}");
    std::fs::write(&path, b"").unwrap();
    assert!(records.get(1).is_err());
}

#[test]
fn where_a_person_spoke_is_part_of_who_and_may_be_absent() {
    let pause = || {
        Event::Run(RunEvent::Paused {
            reason: "lunch".into(),
        })
    };
    let record = |actor: Actor| {
        let mut envelope = envelope(8, pause());
        envelope.actor = actor;
        let line = encode_line(id(1), &envelope, Link::FIRST).unwrap();
        assert_eq!(decode_line(&line).unwrap().1, envelope);
        let at = line.find("\"actor\":").unwrap();
        let end = line.find(",\"cause\"").unwrap();
        line[at..end].to_owned()
    };
    assert_eq!(
        record(Actor::Operator("ada".into())),
        r#""actor":{"operator":"ada"}"#
    );
    for (via, word) in [
        (Via::Console, "console"),
        (Via::Control, "control"),
        (Via::Shell, "shell"),
    ] {
        let output = format!(r#""actor":{{"operator":{{"name":"ada","via":"{word}"}}}}"#);
        assert_eq!(record(Actor::operator("ada".into(), via)), output);
    }
    assert_eq!(record(Actor::Engine), r#""actor":"engine""#);
}

#[test]
fn the_bytes_of_a_session_without_a_sandbox_are_what_they_were() {
    let started = every_event().into_iter().next().unwrap();
    let line = encode_line(id(1), &envelope(1, started), Link::FIRST).unwrap();
    assert_eq!(
        Link::of(line.as_bytes()).to_string(),
        "b4dca22e38cb7a5faf144ceb27bc1963"
    );
    assert!(line.starts_with("{\"v\":2,"), "{line}");
}

#[test]
fn only_a_record_that_needs_it_has_format_3() {
    let version = |event: Event| {
        let line = encode_line(id(1), &envelope(1, event), Link::FIRST).unwrap();
        let record: Value = serde_json::from_str(&line).unwrap();
        (
            record["type"].as_str().unwrap().to_owned(),
            record["v"].as_u64().unwrap(),
        )
    };
    for event in every_event() {
        let is_new = matches!(&event, Event::Sandbox(_) | Event::Files(_))
            || matches!(&event, Event::Run(RunEvent::Refitted { started }) if started.sandbox.profile.is_some());
        let (kind, v) = version(event);
        assert_eq!(v, if is_new { 3 } else { 2 }, "{kind}");
    }
    let mut of_tool = started();
    of_tool.tools[0].confined = true;
    assert_eq!(
        version(Event::Run(RunEvent::Started(of_tool))),
        ("run.started".to_owned(), 3)
    );
    assert_eq!(
        version(Event::Run(RunEvent::Started(confined()))),
        ("run.started".to_owned(), 3)
    );
}

#[test]
fn a_session_may_begin_with_format_3() {
    let envelopes = [
        envelope(1, Event::Run(RunEvent::Started(confined()))),
        envelope(2, Event::Run(RunEvent::Stepped {})),
    ];
    let fixture = fixture();
    let place = fixture.session(1, &envelopes);
    assert_eq!(read(&place).unwrap().envelopes, envelopes);
    assert!(verify(&place).unwrap().is_whole());
}

#[test]
fn a_place_that_only_a_newer_program_knows_is_read_as_none() {
    let mut spoken = envelope(1, Event::Run(RunEvent::Stepped {}));
    spoken.actor = Actor::operator("zoë".into(), Via::Shell);
    let line = encode_line(id(1), &spoken, Link::FIRST).unwrap();
    let body = line
        .split_once(",\"crc\"")
        .unwrap()
        .0
        .replace("\"shell\"", "\"balloon\"");
    assert!(body.contains("balloon"));
    let crc = crc32fast::hash(body.as_bytes());
    let (_, read) = decode_line(&format!("{body},\"crc\":\"{crc:08x}\"}}")).unwrap();
    assert_eq!(read.actor, Actor::Operator("zoë".into()));
}
