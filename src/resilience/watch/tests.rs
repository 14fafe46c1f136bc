//! Tests that the read models are the same whether updated along the way or built at the end.
//!
//! Must not know: how they are shown.

use std::sync::Arc;

use proptest::prelude::*;

use super::*;
use overrule_domain::apply::apply;
use overrule_domain::call::{
    Consequence, Digest, EffectClass, ErrorClass, Gate, Outcome, ToolError, Verdict,
};
use overrule_domain::event::{CallEvent, Event, TurnEvent};
use overrule_domain::id::{Attempt, NodeId, NodeKind, Rev, ThreadId, TurnId};
use overrule_domain::node::Origin;
use overrule_domain::turn::Producer;

const CALLS: u32 = 4;

/// What happens to a call.
#[derive(Debug, Clone)]
enum Step {
    Start(u32, Option<&'static str>),
    Finish(u32, u32, Option<ErrorClass>, u16),
    Cancel(u32, u32),
    Unknown(u32, u32),
    Supersede,
    Decay(u8),
}

fn call(no: u32) -> NodeId {
    NodeId::new(NodeKind::Call, no)
}

fn beginning() -> Vec<Event> {
    let mut events = vec![Event::Turn(TurnEvent::Opened {
        turn: TurnId(1),
        thread: ThreadId(0),
        after: None,
        producer: Producer::Operator,
    })];
    for no in 1..=CALLS {
        events.push(Event::Turn(TurnEvent::Proposed {
            turn: TurnId(1),
            node: call(no),
            provider_id: None,
            opaque: None,
            tool: Arc::from(if no % 2 == 0 { "search" } else { "shell" }),
            args: Arc::from(r#"{"a":[1,2,{"b":null}]}"#),
            origin: Origin::Model,
        }));
        events.push(Event::Call(CallEvent::Ready {
            call: call(no),
            rev: Rev(1),
            bindings: Vec::new(),
            resolved: None,
            digest: Digest(Arc::from("d")),
            operands: Vec::new(),
            verdict: Verdict {
                gate: Gate::Allow,
                rule: "test".into(),
                reason: "test".into(),
                deadline_ms: None,
                on_expiry: Consequence::Deny,
                quoted: None,
                parts: Vec::new(),
                alone: false,
                operator_only: false,
            },
        }));
    }
    events
}

fn event(step: &Step) -> Event {
    let finished = |no: u32, attempt: u32, outcome: Outcome, ms: u64| {
        Event::Call(CallEvent::Finished {
            call: call(no),
            rev: Rev(1),
            attempt: Attempt(attempt),
            outcome,
            ms,
            digest: None,
        })
    };
    match step {
        Step::Start(no, task) => Event::Call(CallEvent::Started {
            call: call(*no),
            rev: Rev(1),
            attempt: Attempt(0),
            key: Arc::from("k"),
            same: Arc::from("s"),
            effect: EffectClass::Write,
            task: task.map(Arc::from),
            before: None,
            thread: None,
            guards: Vec::new(),
        }),
        Step::Finish(no, attempt, None, ms) => finished(*no, *attempt, Outcome::ok("1"), u64::from(*ms)),
        Step::Finish(no, attempt, Some(class), ms) => {
            let error = ToolError {
                class: *class,
                message: "no".into(),
                evidence: "test".into(),
                hint: None,
                partial: None,
                executed: true,
                retry_after_ms: None,
            };
            finished(*no, *attempt, Outcome::err(error), u64::from(*ms))
        }
        Step::Cancel(no, attempt) => finished(*no, *attempt, Outcome::Cancelled { executed: true }, 3),
        Step::Unknown(no, attempt) => Event::Call(CallEvent::Resolved {
            call: call(*no),
            attempt: Attempt(*attempt),
            happened: true,
            value: None,
            evidence: Arc::from("operator"),
        }),
        Step::Decay(percent) => {
            let mut policy = Policy::default();
            policy.routing.decay = f64::from(*percent) / 100.0;
            Event::Resilience(ResilienceEvent::PolicySet {
                version: 1,
                policy: Arc::from(policy.to_text()),
                live: true,
                changed: Vec::new(),
            })
        }
        Step::Supersede => Event::Turn(TurnEvent::Superseded {
            turns: vec![TurnId(1)],
        }),
    }
}

fn step() -> impl Strategy<Value = Step> {
    use ErrorClass::{Auth, Cancelled, Param, Transient};
    let no = 1..=CALLS;
    let attempt = 1u32..4;
    let class = prop::option::of(prop::sample::select(vec![Auth, Cancelled, Param, Transient]));
    let task = prop::option::of(prop::sample::select(vec!["look", "run"]));
    prop_oneof![
        6 => (no.clone(), task).prop_map(|(no, task)| Step::Start(no, task)),
        6 => (no.clone(), attempt.clone(), class, any::<u16>())
            .prop_map(|(no, attempt, class, ms)| Step::Finish(no, attempt, class, ms)),
        1 => (no.clone(), attempt.clone()).prop_map(|(no, attempt)| Step::Cancel(no, attempt)),
        1 => (no, attempt).prop_map(|(no, attempt)| Step::Unknown(no, attempt)),
        1 => Just(Step::Supersede),
        1 => (85u8..=95).prop_map(Step::Decay),
    ]
}

/// Folds a journal of these steps; executions are numbered in the order in which they begin, and end once.
fn play(steps: &[Step]) -> (State, Watch) {
    let (mut state, mut watch) = (State::default(), Watch::default());
    let mut events = beginning();
    let mut begun = [0u32; CALLS as usize + 1];
    let mut ended = std::collections::BTreeSet::new();
    for step in steps {
        let mut step = step.clone();
        match &mut step {
            Step::Finish(no, attempt, ..) | Step::Cancel(no, attempt) => {
                let (no, attempt) = (*no, *attempt);
                if begun[no as usize] < attempt || !ended.insert((no, attempt)) {
                    continue;
                }
            }
            _ => {}
        }
        let mut event = event(&step);
        if let Event::Call(CallEvent::Started { call, attempt, .. }) = &mut event {
            begun[call.no as usize] += 1;
            *attempt = Attempt(begun[call.no as usize]);
        }
        events.push(event);
    }
    for (event, seq) in events.into_iter().zip(1..) {
        let at = seq as i64 * 100;
        let envelope = Envelope {
            at,
            ..Envelope::bare(seq, event)
        };
        apply(&mut state, &envelope);
        watch.take(&state, &envelope);
    }
    (state, watch)
}

#[test]
fn an_execution_is_read_with_its_tool_its_task_and_its_time() {
    let steps = [
        Step::Start(1, Some("look")),
        Step::Start(2, None),
        Step::Finish(2, 1, Some(ErrorClass::Auth), 40),
        Step::Finish(1, 1, None, 7),
        Step::Start(3, None),
        Step::Cancel(3, 1),
    ];
    let (state, watch) = play(&steps);
    let all = execution::all(&state).collect::<Vec<_>>();
    let text: Vec<_> = all
        .iter()
        .map(|one| (&*one.tool, &*one.kind, one.ms, one.error))
        .collect();
    let expected = [
        ("search", execution::GENERAL, 40, Some(ErrorClass::Auth)),
        ("shell", "look", 7, None),
    ];
    assert_eq!(
        text, expected,
        "in the order of their ends, without what was cancelled"
    );
    assert_eq!(all[1].at, i64::from(2 * CALLS + 2) * 100 + 7);
    assert!((all[0].complexity - 3.0 / 8.0).abs() < 1e-9);
    assert_eq!(watch.weights.executions(), 2);
}

#[test]
fn settings_that_are_changed_in_a_run_count_at_once() {
    let fails = |no| {
        [
            Step::Start(no, None),
            Step::Finish(no, 1, Some(ErrorClass::Auth), 5),
        ]
    };
    let mut steps: Vec<Step> = [2, 4].into_iter().flat_map(fails).collect();
    let (_, before) = play(&steps);
    steps.push(Step::Decay(85));
    let (state, after) = play(&steps);
    let weight = |watch: &Watch| watch.weights.rows().map(|row| row.weight).next().unwrap();
    assert!(weight(&after) < weight(&before), "less of it stays");
    assert!((after.weights.settings().decay - 0.85).abs() < 1e-9);
    assert_eq!(after, Watch::default().on(&state));
}

#[test]
fn weights_are_recorded_every_hundred_attempts_and_when_the_run_pauses() {
    let ran = |count: u32| -> Vec<Step> {
        let one = |attempt| [Step::Start(1, None), Step::Finish(1, attempt, None, 5)];
        (1..=count).flat_map(one).collect()
    };
    let (mut state, watch) = play(&ran(99));
    assert_eq!(state.mode, Mode::Running);
    assert_eq!(watch.due(&state), None);
    for mode in [Mode::Paused("a break".into()), Mode::Stopped("the end".into())] {
        state.mode = mode;
        let Some(WeightEvent::Noted { executions, weights }) = watch.due(&state) else {
            panic!("no weights are recorded when the run stops");
        };
        let row = watch.weights.rows().next().unwrap();
        assert_eq!(
            (executions, weights.len(), weights[0].samples),
            (99, 1, row.samples)
        );
        assert_eq!(weights[0].weight, (row.weight * f64::from(MOST)).round() as u16);
    }
    // What was recorded already is not recorded again.
    state.learned.weights.noted = 99;
    assert_eq!(watch.due(&state), None);
    let (state, watch) = play(&ran(100));
    assert!(matches!(
        watch.due(&state),
        Some(WeightEvent::Noted { executions: 100, .. })
    ));
}

proptest! {
    #![proptest_config(overrule_testing::cases(64))]

    #[test]
    fn an_incremental_watch_equals_one_rebuilt_from_the_state(steps in prop::collection::vec(step(), 0..80)) {
        let (state, stored) = play(&steps);
        prop_assert_eq!(stored, Watch::default().on(&state));
    }
}
