//! Tests by random schedules that every approved text was readable for long enough.
//!
//! Must not know: how arming works.

use std::collections::BTreeMap;

use proptest::prelude::*;

use crate::ground::term_msg::TermMsg;
use crate::kernel::msg::Msg;
use crate::testing::{ARMING, Stage, id, text_of};
use overrule_domain::call::Decision;
use overrule_domain::command::{CallCommand, Command};
use overrule_domain::event::{CallEvent, EditEvent, Event};
use overrule_domain::id::{NodeId, Rev};
use overrule_domain::node::{Content, Origin};

#[derive(Debug, Clone)]
enum Act {
    Key(&'static str),
    Time(u64),
    Draw,
    Arrive,
    Revise(usize),
    Go(usize),
}

fn any_act() -> impl Strategy<Value = Act> {
    let keys = vec![
        "a", "a", "a", "ctrl-a", "t", "j", "k", "2", "1", "3", "?", "esc", "tab", "A", ":", "enter", "x",
    ];
    prop_oneof![
        6 => prop::sample::select(keys).prop_map(Act::Key),
        3 => prop_oneof![1u64..30, 100u64..900].prop_map(Act::Time),
        4 => Just(Act::Draw),
        1 => Just(Act::Arrive),
        1 => (0usize..4).prop_map(Act::Revise),
        1 => (0usize..4).prop_map(Act::Go),
    ]
}

/// What an observer of the screen knows.
#[derive(Default)]
struct Witness {
    since: BTreeMap<(NodeId, Rev), u64>,
}

impl Witness {
    /// Notes the questions on a picture, and forgets those that it no longer shows.
    fn look(&mut self, text: &str, now: u64) {
        let mut shown = BTreeMap::new();
        for line in text.lines() {
            let Some((head, _)) = line.split_once("  may this call run?") else {
                continue;
            };
            let mut words = head.split_whitespace().rev();
            let (Some(rev), Some(call)) = (words.next(), words.next()) else {
                continue;
            };
            let rev: u32 = rev.trim_start_matches('r').parse().unwrap();
            let key = (id(call), Rev(rev));
            shown.insert(key, self.since.get(&key).copied().unwrap_or(now));
        }
        // A list names each call with its revision in its own line.
        for line in text.lines().filter(|line| line.contains("bytes unread")) {
            let mut words = line.trim_start_matches(['│', ' ']).split_whitespace();
            let (Some(call), Some(rev)) = (words.next(), words.next()) else {
                continue;
            };
            let (Ok(call), Ok(rev)) = (call.parse(), rev.trim_start_matches('r').parse()) else {
                continue;
            };
            let key = (call, Rev(rev));
            shown.insert(key, self.since.get(&key).copied().unwrap_or(now));
        }
        self.since = shown;
    }
}

proptest! {
    #![proptest_config(overrule_testing::cases(6))]

    #[test]
    fn whatever_is_approved_was_on_screen_long_enough(acts in prop::collection::vec(any_act(), 1..60)) {
        let mut stage = Stage::new(100, 30);
        let mut witness = Witness::default();
        stage.begin();
        stage.thought("t2", "first");
        let mut calls: Vec<(NodeId, u32)> = Vec::new();
        let mut no = 10;
        for act in acts {
            match act {
                Act::Key(key) => {
                    let at = stage.now;
                    let key = key.parse().unwrap();
                    stage.send(Msg::Term(TermMsg::Key { key, at }));
                }
                Act::Time(ms) => {
                    stage.now += ms;
                    let at = stage.now;
                    stage.send(Msg::Tick { at });
                }
                Act::Draw => {
                    let text = text_of(&stage.draw());
                    witness.look(&text, stage.now);
                }
                Act::Arrive => {
                    no += 1;
                    stage.awaiting(&format!("c{no}"), "write_file", r#"{"path":"a","content":"b"}"#);
                    calls.push((id(&format!("c{no}")), 1));
                }
                Act::Revise(at) => {
                    if let Some((call, rev)) = calls.get_mut(at) {
                        *rev += 1;
                        let (call, rev) = (*call, *rev);
                        stage.engine(Event::Edit(EditEvent::Revised {
                            node: call,
                            rev: Rev(rev),
                            content: Content::Call {
                                tool: "write_file".into(),
                                args: format!(r#"{{"path":"{rev}","content":"b"}}"#).into(),
                            },
                            origin: Origin::Repair { attempt: 1 },
                            approves: None,
                        }));
                        stage.ready(&call.to_string(), rev);
                        stage.call(CallEvent::Asked { call, rev: Rev(rev), deadline_ms: None, approver: None });
                    }
                }
                Act::Go(at) => {
                    if let Some((call, rev)) = calls.get(at).copied() {
                        stage.call(CallEvent::Decided {
                            call,
                            rev: Rev(rev),
                            digest: None,
                            decision: Decision::Reject { reason: "elsewhere".into() },
                        });
                    }
                }
            }
            for command in stage.commands() {
                if let Command::Call(CallCommand::Approve { call, rev, .. } | CallCommand::Reject { call, rev, .. }) = command {
                    let since = witness.since.get(&(call, rev));
                    prop_assert!(
                        since.is_some_and(|since| stage.now - since >= ARMING),
                        "{call} {rev} decided at {}, seen since {since:?}",
                        stage.now
                    );
                }
            }
        }
    }
}
