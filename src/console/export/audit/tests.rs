//! Tests the audit of recorded runs.
//!
//! Must not know: the command line.

use std::path::Path;

use super::{row, text};
use overrule_domain::envelope::{Actor, Envelope, Operator};
use overrule_domain::event::{CallEvent, Event, ResilienceEvent};
use overrule_domain::setting_change::SettingChange;
use overrule_journal::{self as journal, Place};
use overrule_present::audit::{AuditView, Who, entries};

/// Returns the events of a recorded run, and its audit.
fn recorded(session: &str) -> (Vec<Envelope>, Vec<AuditView>) {
    let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
        .join("sessions")
        .join(session);
    let envelopes = journal::read(&Place::at(&path).unwrap()).unwrap().envelopes;
    let entries = entries(&envelopes);
    (envelopes, entries)
}

fn actions(entries: &[AuditView]) -> Vec<&str> {
    entries.iter().map(|entry| entry.action).collect()
}

#[test]
fn each_change_of_a_setting_is_listed_with_its_values_and_its_author() {
    let (mut envelopes, _) = recorded("demos/ring.jsonl");
    let set = envelopes.iter().find_map(|envelope| match &envelope.event {
        Event::Resilience(ResilienceEvent::PolicySet { .. }) => Some(envelope.clone()),
        _ => None,
    });
    let mut later = set.expect("the detector `exhausted` is muted in this run");
    later.seq = envelopes.last().unwrap().seq.next();
    later.actor = Actor::Operator(Operator {
        name: "ada".into(),
        via: None,
    });
    if let Event::Resilience(ResilienceEvent::PolicySet {
        version,
        live,
        changed,
        ..
    }) = &mut later.event
    {
        (*version, *live) = (2, true);
        *changed = vec![SettingChange {
            key: "retry.retries".into(),
            from: Some("4".into()),
            to: Some("2".into()),
        }];
    }
    envelopes.push(later);
    let all = entries(&envelopes);
    let mut set = all.iter().filter(|entry| entry.action == "set_resilience");
    let (files, live) = (set.next().unwrap(), set.next().unwrap());
    assert_eq!(set.next(), None);
    assert_eq!(
        (&files.who, files.reason.as_deref()),
        (&Who::Engine, Some("from the settings files"))
    );
    let detail = files.detail.as_deref().unwrap();
    assert!(
        detail.starts_with("version 1: ") && detail.contains("loops.muted from [] to [\"exhausted\"]"),
        "{detail}"
    );
    assert_eq!(
        (&live.who, live.reason.as_deref()),
        (&Who::Operator("ada".into(), None), None)
    );
    assert_eq!(
        live.detail.as_deref(),
        Some("version 2: retry.retries from 4 to 2")
    );
}

#[test]
fn a_replaced_call_has_who_replaced_it_and_both_arguments() {
    // The journal of an older version never changes, unlike the sample, which is recorded again.
    let (_, all) = recorded("../tests/old_journals/samples/replaced-call.jsonl");
    assert_eq!(
        actions(&all),
        [
            "start",
            "prompt",
            "expire",
            "edit",
            "approve_by_edit",
            "reopen",
            "name"
        ]
    );
    let expired = &all[2];
    assert_eq!((&expired.who, expired.waited), (&Who::Policy, Some(1)));
    assert!(expired.executed.is_empty(), "what expired did not run");
    let edit = &all[3];
    let model = r#"{"_as":"listing","command":"ls -laR"}"#;
    assert_eq!(edit.who, Who::Operator("operator".into(), None));
    assert_eq!(edit.original.as_deref(), Some(model));
    assert_eq!(edit.changed.as_deref(), Some(r#"{"_as":"listing","path":"."}"#));
    assert_eq!(edit.reason.as_deref(), Some("a look is enough"));
    let ran = &all[4];
    assert_eq!(
        ran.who, edit.who,
        "the decision follows from the edit: the person made it"
    );
    assert_eq!(ran.original.as_deref(), Some(model));
    assert_eq!(&*ran.shown.as_ref().unwrap().args, r#"{"path":"."}"#);
    let executed: Vec<(&str, &str)> = ran
        .executed
        .iter()
        .map(|one| (&*one.args, &*one.outcome))
        .collect();
    assert_eq!(executed, [(r#"{"path":"."}"#, "succeeded")]);
    assert_eq!(
        text(ran, "TIME").join("\n"),
        "#23 TIME · operator · approve by edit c3 revision 2 · list_dir\n  \
         rule      preset supervised: everything asks\n  \
         original  {\"_as\":\"listing\",\"command\":\"ls -laR\"}\n  \
         shown     {\"path\":\".\"}\n            \
         12 bytes, digest e696293ebe97\n  \
         executed  what was shown\n            \
         succeeded in 1 ms (attempt 1)"
    );
    let value = serde_json::to_value(ran).unwrap();
    assert_eq!(value["by"], "operator");
    assert_eq!(value["original"], model);
    assert_eq!(value["executed"][0]["arguments"], r#"{"path":"."}"#);
}

#[test]
fn every_attempt_in_the_samples_is_listed_under_its_decision() {
    for name in ["flights", "office", "mirrors", "ring", "limits", "stubborn"] {
        let (envelopes, all) = recorded(&format!("demos/{name}.jsonl"));
        let started = |envelope: &&Envelope| matches!(envelope.event, Event::Call(CallEvent::Started { .. }));
        let mut ran: Vec<_> = all
            .iter()
            .flat_map(|entry| &entry.executed)
            .map(|one| one.seq)
            .collect();
        ran.sort();
        let recorded: Vec<_> = envelopes.iter().filter(started).map(|one| one.seq).collect();
        assert_eq!(ran, recorded, "{name}");
        assert!(!actions(&all).contains(&"run_without_decision"), "{name}");
        for entry in &all {
            let shown = entry.shown.as_ref().map(|shown| &shown.args);
            for executed in &entry.executed {
                assert_eq!(Some(&executed.args), shown, "{name} {}", entry.seq);
                assert!(executed.seq > entry.seq, "{name} {}", entry.seq);
            }
        }
    }
}

#[test]
fn an_attempt_without_a_decision_is_reported() {
    let (envelopes, _) = recorded("replaced-call.jsonl");
    let decided = |envelope: &Envelope| matches!(envelope.event, Event::Call(CallEvent::Decided { .. }));
    let without: Vec<Envelope> = envelopes.into_iter().filter(|one| !decided(one)).collect();
    let all = entries(&without);
    let odd: Vec<&AuditView> = all
        .iter()
        .filter(|one| one.action == "run_without_decision")
        .collect();
    assert_eq!(odd.len(), 1);
    assert_eq!(odd[0].executed.len(), 1);
}

#[test]
fn a_repair_has_what_it_changed() {
    let (_, all) = recorded("demos/flights.jsonl");
    let repairs: Vec<&AuditView> = all.iter().filter(|one| one.action == "repair").collect();
    assert_eq!(repairs.len(), 2);
    for repair in repairs {
        assert_eq!(repair.who, Who::Engine);
        assert_ne!(repair.original, repair.changed);
        assert!(repair.original.is_some() && repair.changed.is_some());
        let row = row(repair, "TIME");
        assert!(row.contains(",repair,c5,"), "{row}");
        assert!(!row.contains('\n'));
    }
}
