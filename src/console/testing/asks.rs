//! Scenes in which the operator is asked something.
//!
//! Must not know: terminals, engines.

use std::sync::Arc;

use super::{ARMING, Stage, id};
use overrule_domain::call::{Decision, EffectClass, ErrorClass, Fault, Outcome, ToolError};
use overrule_domain::event::run::ToolCard;
use overrule_domain::event::{CallEvent, EditEvent, Event, ResilienceEvent, TurnEvent};
use overrule_domain::id::{Attempt, Rev, TurnId};
use overrule_domain::ladder::Fix;
use overrule_domain::node::{Content, Origin};
use overrule_domain::repair::{Certainty, Change, Strategy};

const ROUNDS: [(&str, &str, Strategy); 2] = [
    (
        r#"{"day":"2024-10-26","class":"business"}"#,
        "/day",
        Strategy::DateFormatCorrection,
    ),
    (
        r#"{"day":"2024-10-26","class":"business","passengers":1}"#,
        "/passengers",
        Strategy::LlmInferMissingParam,
    ),
];

impl Stage {
    /// A call that was invalid, repaired, failed, repaired again, and succeeded; next to it a call that stayed
    /// invalid.
    pub fn repaired_in_two_rounds(&mut self) {
        self.begin();
        self.thought("t2", "I book, and tell where.");
        let stopped = |stage: &mut Self, node: &str, tool: &str, args: &str, path: &str| {
            stage.proposed(node, tool, args);
            stage.call(CallEvent::Invalid {
                call: id(node),
                rev: Rev(1),
                faults: vec![Fault {
                    path: path.into(),
                    keyword: "format".into(),
                    message: "is not what it should be".into(),
                }],
            });
        };
        let wrong = r#"{"day":"Oct 26, 2024","class":"business"}"#;
        stopped(self, "c3", "book_flight", wrong, "/day");
        for ((args, path, strategy), no) in ROUNDS.into_iter().zip(1..) {
            self.repaired("c3", no, (args, path, strategy));
            let rev = Rev(no + 1);
            self.ready("c3", rev.0);
            self.start_at("c3", rev, Attempt(no));
            let outcome = if no == 1 {
                Outcome::err(ToolError {
                    class: ErrorClass::Param,
                    message: "Missing required parameter 'passengers'".into(),
                    evidence: "HTTP 400".into(),
                    hint: None,
                    partial: None,
                    executed: false,
                    retry_after_ms: None,
                })
            } else {
                Outcome::ok(r#""OV-1""#)
            };
            self.call(CallEvent::Finished {
                call: id("c3"),
                rev,
                attempt: Attempt(no),
                outcome,
                ms: 12,
                digest: None,
            });
        }
        stopped(self, "c4", "send_mail", r#"{"to":"noname"}"#, "/to");
        self.engine(Event::Resilience(ResilienceEvent::GaveUp {
            call: id("c4"),
            rev: Rev(1),
            why: "only the operator can tell whom".into(),
        }));
        self.close();
        self.turn(TurnEvent::Settled {
            turn: TurnId(2),
            errors: vec![id("c4")],
        });
        self.draw();
    }

    /// A round of repair that changed the arguments.
    fn repaired(&mut self, node: &str, round: u32, (args, path, strategy): (&str, &str, Strategy)) {
        let (call, rev) = (id(node), Rev(round));
        let change = Change {
            path: path.into(),
            from: None,
            to: Some("\"…\"".into()),
            strategy,
            certainty: Certainty::Exact,
            why: "so it is meant".into(),
        };
        for event in [
            ResilienceEvent::RepairStarted {
                call,
                rev,
                round,
                of: 3,
                class: ErrorClass::Param,
            },
            ResilienceEvent::RepairDiagnosed {
                call,
                round,
                diagnoses: Vec::new(),
            },
            ResilienceEvent::RepairApplied {
                call,
                round,
                changes: vec![change],
            },
        ] {
            self.engine(Event::Resilience(event));
        }
        self.engine(Event::Edit(EditEvent::Revised {
            node: call,
            rev: Rev(round + 1),
            content: Content::Call {
                tool: "book_flight".into(),
                args: args.into(),
            },
            origin: Origin::Repair { attempt: round },
            approves: None,
        }));
    }

    /// The run has one more tool.
    pub fn has_tool(&mut self, name: &str, effect: EffectClass, tags: &[&str]) {
        let started = self.model.run.state.started.as_mut().unwrap();
        let tools = &mut Arc::make_mut(started).tools;
        let like = tools.first().unwrap().clone();
        tools.push(ToolCard {
            name: name.into(),
            effect,
            effect_by: None,
            tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
            ..like
        });
    }

    /// Goes to the queue, and waits until keys are accepted.
    pub fn at_the_queue(&mut self) {
        self.draw();
        self.press("2");
        self.wait(ARMING);
    }

    /// An open list of approvals: of four calls, one was decided elsewhere, one has a new revision, and another
    /// call was added.
    pub fn listed_and_moved_on(&mut self) {
        for call in ["c7", "c8", "c9"] {
            self.awaiting(
                call,
                "write_file",
                &format!(r#"{{"path":"{call}.md","content":"1"}}"#),
            );
        }
        self.press("A");
        self.call(CallEvent::Decided {
            call: id("c7"),
            rev: Rev(1),
            digest: None,
            decision: Decision::Reject {
                reason: "elsewhere".into(),
            },
        });
        self.awaiting_revised(
            "c8",
            ("write_file", r#"{"path":"/etc/passwd","content":"1"}"#),
            Origin::Repair { attempt: 1 },
        );
        self.awaiting("c10", "write_file", r#"{"path":"c10.md","content":"1"}"#);
        self.draw();
    }

    /// A waiting call that a repair proposes instead of a failed one.
    pub fn proposed_in_place(&mut self, node: &str, (tool, args): (&str, &str), other: (&str, &str)) {
        let (call, round) = (id(node), 1);
        self.proposed(node, tool, args);
        self.call(CallEvent::Invalid {
            call,
            rev: Rev(1),
            faults: vec![Fault {
                path: "/path".into(),
                keyword: "pattern".into(),
                message: "is a directory".into(),
            }],
        });
        let change = Change {
            path: "".into(),
            from: Some(args.into()),
            to: Some(other.1.into()),
            strategy: Strategy::SubstituteTool,
            certainty: Certainty::Changed,
            why: format!("{} in place of {tool}: it is a directory", other.0).into(),
        };
        for event in [
            ResilienceEvent::RepairStarted {
                call,
                rev: Rev(1),
                round,
                of: 3,
                class: ErrorClass::Param,
            },
            ResilienceEvent::RepairApplied {
                call,
                round,
                changes: vec![change],
            },
        ] {
            self.engine(Event::Resilience(event));
        }
        self.awaiting_revised(node, other, Origin::Repair { attempt: round });
    }

    /// A call with two possible repairs.
    pub fn two_repairs(&mut self) {
        let fix = |day: &str| Fix {
            label: format!("day: \"{day}\""),
            changes: vec![Change {
                path: "/day".into(),
                from: Some("\"10/11/2024\"".into()),
                to: Some(format!("\"{day}\"").into()),
                strategy: Strategy::DateFormatCorrection,
                certainty: Certainty::Changed,
                why: "one of the days that it can mean".into(),
            }],
            tool: "book_flight".into(),
            args: format!("{{\"day\":\"{day}\"}}").into(),
        };
        self.offered_repairs(
            "it can be read in two ways",
            vec![fix("2024-11-10"), fix("2024-10-11")],
        );
    }

    /// An invalid call that waits for a person, with these repairs.
    pub fn offered_repairs(&mut self, why: &str, options: Vec<Fix>) {
        self.begin();
        self.thought("t2", "first this");
        self.proposed("c3", "book_flight", r#"{"day":"10/11/2024"}"#);
        self.call(CallEvent::Invalid {
            call: id("c3"),
            rev: Rev(1),
            faults: vec![Fault {
                path: "/day".into(),
                keyword: "format".into(),
                message: "is not a date".into(),
            }],
        });
        for event in [
            ResilienceEvent::RepairStarted {
                call: id("c3"),
                rev: Rev(1),
                round: 1,
                of: 3,
                class: ErrorClass::Param,
            },
            ResilienceEvent::RepairDiagnosed {
                call: id("c3"),
                round: 1,
                diagnoses: Vec::new(),
            },
            ResilienceEvent::RepairOffered {
                call: id("c3"),
                rev: Rev(1),
                round: 1,
                why: why.into(),
                options,
            },
        ] {
            self.engine(Event::Resilience(event));
        }
    }
}
