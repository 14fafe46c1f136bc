//! Tests of numbers near their maximum: refused as names, and otherwise counted on without harm.
//!
//! Must not know: how records are read.
//!
//! A damaged or foreign journal may hold such numbers.

use serde_json::json;

use super::world::*;
use overrule_domain::breaker::{Phase, Scope};
use overrule_domain::call::Status;
use overrule_domain::command::{Command, ResilienceCommand, RunCommand};
use overrule_domain::event::{Event, ResilienceEvent, RunEvent, TurnEvent};
use overrule_domain::id::{Epoch, MOST, NodeId, Rev, TurnId};
use overrule_domain::rule::{RuleRequest, RuleSpec};

#[test]
fn a_number_that_no_session_reaches_is_no_name() {
    assert_eq!(format!("c{MOST}").parse::<NodeId>().map(|id| id.no), Ok(MOST));
    for no in [MOST + 1, u32::MAX] {
        assert!(format!("c{no}").parse::<NodeId>().is_err());
        assert!(serde_json::from_value::<NodeId>(json!(format!("c{no}"))).is_err());
        let id = NodeId::new(overrule_domain::id::NodeKind::Call, no);
        assert!(serde_json::to_string(&id).is_err(), "nor is it written");
        assert!(serde_json::to_string(&TurnId(no)).is_err());
        assert!(serde_json::from_value::<TurnId>(json!(no)).is_err());
        assert!(serde_json::from_value::<Epoch>(json!(no)).is_err());
        let refused = serde_json::from_value::<Rev>(json!(no)).unwrap_err();
        assert_eq!(
            refused.to_string(),
            format!("r{no} is beyond the last number, {MOST}")
        );
    }
}

#[test]
fn what_is_read_with_one_of_the_last_numbers_is_gone_on_from() {
    let mut w = World::new();
    let (turn, request) = w.tip();
    // A name far ahead, and a call after it.
    let near = MOST - 9;
    w.record(vec![Event::Turn(TurnEvent::Proposed {
        turn,
        node: format!("c{near}").parse().unwrap(),
        provider_id: None,
        opaque: None,
        tool: "read".into(),
        args: "{}".into(),
        origin: overrule_domain::node::Origin::Model,
    })]);
    w.record(vec![Event::Turn(TurnEvent::Matched {
        turn,
        blocks: usize::MAX,
    })]);
    assert_eq!((turn, request), w.tip());
    w.reply(&[call("read", r#"{"_as":"r","n":1}"#)]);
    assert!(w.id("r").no > near);
    assert!(matches!(w.status(w.id("r")), Status::Running(_)));
    let scope = Scope::Tool("read".into());
    w.record(vec![
        Event::Resilience(ResilienceEvent::BreakerChanged {
            scope: scope.clone(),
            generation: u32::MAX,
            to: Phase::Open,
            wait_ms: u64::MAX,
            why: "the test says so".into(),
            instead: Vec::new(),
        }),
        Event::Resilience(ResilienceEvent::PolicySet {
            version: u32::MAX,
            policy: "x".into(),
            live: true,
            changed: Vec::new(),
        }),
        Event::Run(RunEvent::RuleAdded {
            no: u32::MAX,
            rule: RuleSpec::Text {
                text: "shell ask".into(),
            },
        }),
    ]);
    let reset = ResilienceCommand::ResetBreaker { scope };
    w.cmd(Command::Resilience(reset)).unwrap();
    let configure = ResilienceCommand::Configure {
        key: "k".into(),
        value: "1".into(),
    };
    w.cmd(Command::Resilience(configure)).unwrap();
    w.run(RunCommand::AddRule {
        rule: RuleRequest::Text {
            text: "write ask".into(),
        },
        seen: Vec::new(),
    })
    .unwrap();
    w.drain();
    w.remembers();
}
