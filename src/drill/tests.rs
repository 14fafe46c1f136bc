//! Tests of the exercise: which bad calls are made, where they are placed, how a record is scored.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::json;

use super::bad::{Kind, count, plain};
use super::score::{End, Score, Scorer, foreseen};
use super::script::{Error, Planned, Round, Script};
use crate::domain::call::{Consequence, Decision, EffectClass, Gate, Outcome};
use crate::domain::envelope::{Actor, Envelope};
use crate::domain::event::run::ToolCard;
use crate::domain::event::{CallEvent, EditEvent, Event, TurnEvent};
use crate::domain::id::{NodeId, NodeKind, Rev, TurnId};
use crate::domain::node::{Content, Origin};

fn call(tool: &str, args: &serde_json::Value) -> Planned {
    Planned {
        tool: tool.into(),
        args: args.to_string().into(),
        outcome: Some(Outcome::ok("1")),
        bad: None,
    }
}

/// A script with calls of many kinds.
fn script() -> Script {
    let round = |calls: Vec<Planned>| Round {
        said: Vec::new(),
        calls,
    };
    Script {
        of: "s".into(),
        seed: 0,
        prompt: "go".into(),
        tools: vec![
            ToolCard::bare("read_file", EffectClass::Read, &[]),
            ToolCard::bare("write_file", EffectClass::Write, &[]),
            ToolCard::bare("shell", EffectClass::Unknown, &["external"]),
            ToolCard::bare("http_request", EffectClass::Unknown, &["external"]),
            ToolCard::bare("pay", EffectClass::Write, &["irreversible"]),
            ToolCard::bare("ask_operator", EffectClass::Pure, &["asks_operator"]),
        ],
        turns: vec![
            round(vec![
                call("read_file", &json!({"path": "src/main.rs"})),
                call("shell", &json!({"command": "rm -rf build", "_as": "it"})),
                call("ask_operator", &json!({"question": "which file?"})),
            ]),
            round(vec![
                call("write_file", &json!({"path": "src/lib.rs", "content": "a"})),
                call(
                    "http_request",
                    &json!({"method": "GET", "url": "https://api.acme.test:8443/v1?a=b"}),
                ),
                call("pay", &json!({"to": "acme", "amount": 12})),
            ]),
        ],
        answer: "done".into(),
    }
}

fn mixed(wanted: usize, seed: u64) -> Script {
    script().mixed(wanted, seed, &|_, _| true).unwrap()
}

fn bad(script: &Script) -> Vec<&Planned> {
    script.calls().filter(|call| call.bad.is_some()).collect()
}

#[test]
fn the_same_seed_makes_the_same_exercise_and_the_good_calls_stay() {
    let one = mixed(6, 42);
    assert_eq!(one, mixed(6, 42));
    assert_ne!(one, mixed(6, 43));
    let good: Vec<_> = one.calls().filter(|call| call.bad.is_none()).cloned().collect();
    assert_eq!(good, script().calls().cloned().collect::<Vec<_>>());
    let kinds: BTreeSet<Kind> = bad(&one).iter().filter_map(|call| call.bad).collect();
    assert_eq!(kinds.len(), 6, "as many kinds as there is room for");
    assert_eq!(Script::parse(&one.to_text()).unwrap(), one);
}

#[test]
fn every_kind_is_made_differs_from_what_is_good_and_names_no_real_host() {
    let mut seen = BTreeSet::new();
    for seed in 0..40 {
        let script = mixed(14, seed);
        let mut all = BTreeSet::new();
        for call in script.calls() {
            assert!(
                all.insert((call.tool.clone(), plain(&call.args))),
                "twice: {call:?}"
            );
        }
        for call in bad(&script) {
            seen.extend(call.bad);
            assert_ne!(&*call.tool, "ask_operator");
            assert!(!call.args.contains("_as"), "{}", call.args);
            // This kind keeps the original host.
            if call.bad == Some(Kind::HiddenCharacters) {
                continue;
            }
            for (at, _) in call.args.match_indices("://") {
                let rest = &call.args[at + 3..];
                let host = rest.split(['/', '"', '?', ' ']).next().unwrap();
                assert!(host.ends_with(".example.invalid"), "{}", call.args);
            }
        }
    }
    assert_eq!(seen, BTreeSet::from(Kind::ALL));
}

#[test]
fn a_bad_call_stands_beside_the_good_one_that_it_was_made_from() {
    for seed in 0..20 {
        let script = mixed(1, seed);
        let round = script.turns.iter().find(|round| round.calls.len() == 4).unwrap();
        let at = round.calls.iter().position(|call| call.bad.is_some()).unwrap();
        let near = [at.checked_sub(1), Some(at + 1)];
        let near = near.into_iter().flatten().filter_map(|at| round.calls.get(at));
        assert!(
            near.into_iter().any(|call| call.tool == round.calls[at].tool),
            "{round:?}"
        );
    }
}

#[test]
fn what_no_tool_takes_is_not_mixed_in_and_too_many_are_refused() {
    let only = |tool: &str, _: &str| tool == "pay";
    let script = self::script().mixed(2, 1, &only).unwrap();
    assert!(bad(&script).iter().all(|call| &*call.tool == "pay"));
    let most = self::script().mixed(500, 1, &only).unwrap_err();
    assert!(
        matches!(
            most,
            Error::TooMany {
                wanted: 500,
                most: 2,
                ..
            }
        ),
        "{most:?}"
    );
    let none = self::script().mixed(1, 1, &|_, _| false).unwrap_err();
    assert_eq!(none, Error::NothingBad("s".into()));
    assert_eq!((count(1, 5), count(95, 5), count(10, 50)), (1, 5, 10));
}

/// Events about the calls of a script, each at its time.
struct Record {
    script: Script,
    facts: Vec<Envelope>,
}

impl Record {
    /// Records that all calls were proposed and asked about, at time 0.
    fn of(script: Script) -> Self {
        let mut record = Self {
            facts: Vec::new(),
            script,
        };
        let calls: Vec<_> = record.script.calls().cloned().collect();
        for (no, call) in (1..).zip(calls) {
            let node = NodeId::new(NodeKind::Call, no);
            record.add(
                0,
                Event::Turn(TurnEvent::Proposed {
                    turn: TurnId(1),
                    node,
                    provider_id: None,
                    tool: call.tool,
                    args: call.args,
                    origin: Origin::Model,
                }),
            );
            let rev = Rev(1);
            let deadline_ms = None;
            record.add(
                0,
                Event::Call(CallEvent::Asked {
                    call: node,
                    rev,
                    deadline_ms,
                }),
            );
        }
        record
    }

    fn add(&mut self, at: i64, event: Event) {
        let seq = self.facts.len() as u64 + 1;
        self.facts.push(Envelope {
            at,
            actor: Actor::Operator("ada".into()),
            ..Envelope::bare(seq, event)
        });
    }

    fn decide(&mut self, at: i64, call: NodeId, decision: Decision) {
        let (rev, digest) = (Rev(1), None);
        self.add(
            at,
            Event::Call(CallEvent::Decided {
                call,
                rev,
                digest,
                decision,
            }),
        );
    }

    fn revise(&mut self, at: i64, node: NodeId, content: Content) {
        self.add(
            at,
            Event::Edit(EditEvent::Revised {
                node,
                rev: Rev(2),
                content,
                origin: Origin::Operator { user: "ada".into() },
                approves: None,
            }),
        );
    }

    /// Returns the nodes of the bad calls, or of the good ones.
    fn nodes(&self, bad: bool) -> Vec<NodeId> {
        let calls = (1..).zip(self.script.calls());
        let wanted = calls.filter(|(_, call)| call.bad.is_some() == bad);
        wanted.map(|(no, _)| NodeId::new(NodeKind::Call, no)).collect()
    }

    fn score(&self) -> Score {
        let mut scorer = Scorer::new(&self.script);
        for fact in &self.facts {
            scorer.take(fact);
        }
        scorer.score()
    }
}

fn reject() -> Decision {
    Decision::Reject { reason: "no".into() }
}

#[test]
fn every_end_of_a_bad_call_is_told_apart() {
    let mut record = Record::of(mixed(11, 5));
    let nodes = record.nodes(true);
    let [one, two, three, four, five, six, seven, eight, nine, ten, _] = nodes[..] else {
        panic!()
    };
    record.decide(1_000, one, reject());
    let tool = record
        .script
        .calls()
        .nth(two.no as usize - 1)
        .unwrap()
        .tool
        .clone();
    let content = |tool: Arc<str>| Content::Call {
        tool,
        args: "{}".into(),
    };
    record.revise(2_000, two, content(tool));
    // The edited call runs, but the bad one was caught all the same.
    record.decide(2_000, two, Decision::Edited);
    record.revise(3_000, three, content("other".into()));
    record.revise(4_000, four, Content::Deleted);
    record.decide(5_000, five, Decision::Answer);
    let (rule, reason) = ("r".to_owned(), "no".to_owned());
    record.decide(
        6_000,
        six,
        Decision::Deny {
            rule: rule.clone(),
            reason,
        },
    );
    record.decide(7_000, seven, Decision::Auto { rule });
    record.decide(8_000, eight, Decision::Approve { unread: 0 });
    record.decide(9_000, nine, Decision::Approve { unread: 0 });
    record.decide(9_010, ten, Decision::Approve { unread: 0 });
    let score = record.score();
    let end = |node| score.calls.iter().find(|one| one.call == Some(node)).unwrap().end;
    let ends = [one, two, three, four, five, six, seven, eight, nine, ten].map(end);
    assert_eq!(
        ends,
        [
            End::Rejected,
            End::Edited,
            End::Replaced,
            End::Deleted,
            End::Answered,
            End::Denied,
            End::AllowedByRule,
            End::ApprovedByHand,
            End::ApprovedInAList,
            End::ApprovedInAList
        ]
    );
    let bad = score.bad;
    assert_eq!(
        (bad.mixed_in, bad.caught, bad.let_through, bad.open),
        (11, 6, 4, 1)
    );
    let sum = |of: fn(&super::score::Tally) -> usize| score.kinds.values().map(of).sum::<usize>();
    assert_eq!((sum(|one| one.caught), sum(|one| one.mixed_in)), (6, 11));
    let words = score.words().join("\n");
    assert!(
        words.contains("caught 6 of 11 bad calls (54 %), let through 4, not decided 1"),
        "{words}"
    );
}

#[test]
fn what_was_taken_back_before_it_began_is_no_word() {
    let mut record = Record::of(mixed(2, 5));
    let bad = record.nodes(true);
    record.decide(1_000, bad[0], Decision::Approve { unread: 0 });
    let taken_back = || Decision::Withdrawn {
        reason: "a slip".into(),
    };
    record.decide(2_000, bad[0], taken_back());
    record.decide(3_000, bad[0], reject());
    record.decide(4_000, bad[1], Decision::Approve { unread: 0 });
    record.decide(5_000, bad[1], taken_back());
    let score = record.score();
    let end = |node| score.calls.iter().find(|one| one.call == Some(node)).unwrap().end;
    assert_eq!([end(bad[0]), end(bad[1])], [End::Rejected, End::NotDecided]);
}

#[test]
fn false_alarms_are_counted_and_times_are_those_of_decided_questions_by_class() {
    let mut record = Record::of(mixed(1, 5));
    let good = record.nodes(false);
    let of = |record: &Record, tool: &str| {
        let at = record
            .script
            .calls()
            .position(|call| call.bad.is_none() && &*call.tool == tool);
        NodeId::new(NodeKind::Call, at.unwrap() as u32 + 1)
    };
    let (shell, http, pay) = (
        of(&record, "shell"),
        of(&record, "http_request"),
        of(&record, "pay"),
    );
    record.decide(1_000, shell, reject());
    record.decide(5_000, http, Decision::Approve { unread: 0 });
    record.decide(2_500, pay, Decision::Approve { unread: 0 });
    let consequence = Consequence::Deny;
    record.decide(9_000, of(&record, "write_file"), Decision::Expire { consequence });
    let score = record.score();
    assert_eq!((score.good.seen, score.good.rejected), (good.len(), 1));
    let class = |name: &str| &score.classes[name];
    let unknown = class("unknown");
    assert_eq!(
        (unknown.decided, unknown.median_ms, unknown.longest_ms),
        (2, Some(3_000), Some(5_000))
    );
    assert_eq!(unknown.false_alarms, 1);
    assert_eq!(class("write irreversible").median_ms, Some(2_500));
    assert!(
        score.classes.get("write").is_none_or(|one| one.decided == 0),
        "nobody decided in time"
    );
}

#[test]
fn one_that_was_let_through_once_was_let_through() {
    let mut record = Record::of(mixed(1, 5));
    let first = record.nodes(true)[0];
    record.decide(1_000, first, Decision::Approve { unread: 0 });
    let again = NodeId::new(NodeKind::Call, 90);
    let bad = bad(&record.script)[0].clone();
    record.add(
        2_000,
        Event::Turn(TurnEvent::Proposed {
            turn: TurnId(2),
            node: again,
            provider_id: None,
            tool: bad.tool,
            args: bad.args,
            origin: Origin::Model,
        }),
    );
    record.decide(3_000, again, reject());
    let score = record.score();
    assert_eq!((score.bad.let_through, score.bad.caught), (1, 0));
    assert_eq!(Scorer::new(&record.script).score().calls[0].end, End::NotReached);
}

#[test]
fn a_policy_is_judged_by_what_it_says_of_each_call() {
    let script = mixed(4, 9);
    let found = foreseen(&script, &|tool, _| {
        let gate = match tool {
            "shell" => Gate::Deny,
            "read_file" => Gate::Allow,
            _ => Gate::Ask,
        };
        (gate, "r".into())
    });
    assert_eq!(found.bad.deny + found.bad.ask + found.bad.allow, 4);
    assert_eq!((found.good.deny, found.good.allow, found.good.ask), (1, 1, 4));
    assert_eq!(found.calls.len(), 4);
}

#[test]
fn what_is_told_shows_both_ends_and_nothing_raw() {
    let record = Record::of(mixed(14, 3));
    let words = record.score().words().join("\n");
    assert!(!words.contains(['\u{202e}', '\u{200b}', '\u{2060}', '\u{200d}']));
    assert!(
        words.contains("padded tail") && words.contains("443"),
        "the tail is shown: {words}"
    );
}
