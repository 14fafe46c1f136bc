//! Examples of each event of a call.
//!
//! Must not know: what they do.

use super::{CALL, REV, text};
use overrule_domain::call::{
    Binding, ConsentCause, Consequence, Decision, Digest, EffectClass, ErrorClass, Fault, FileCheck, Gate,
    Operand, Outcome, Shown, ShownForm, ToolError, Verdict,
};
use overrule_domain::event::{CallEvent, Event};
use overrule_domain::id::{Attempt, Seq};
use overrule_domain::node::Origin;
use overrule_domain::reference::{Expr, OutPath, Reference, Root, Target};

fn target(root: Root) -> Target {
    Target {
        root,
        head: "readme".to_owned(),
        path: vec!["lines".to_owned(), "0".to_owned()],
    }
}

pub(super) fn outcomes() -> Vec<Outcome> {
    vec![
        Outcome::ok("\"text\""),
        Outcome::Ok {
            value: text("1"),
            meta: Some(text("{\"exit\":0}")),
            discarded: 7,
            exit: None,
        },
        Outcome::err(ToolError {
            class: ErrorClass::NotFound,
            message: "no such file".to_owned(),
            evidence: "errno ENOENT".to_owned(),
            hint: Some("look first".to_owned()),
            partial: Some(text("\"half\"")),
            executed: false,
            retry_after_ms: None,
        }),
        Outcome::Cancelled { executed: true },
    ]
}

fn decisions() -> Vec<Decision> {
    let words = || "rule".to_owned();
    vec![
        Decision::Approve {
            unread: 3,
            shown: None,
        },
        Decision::Approve {
            unread: 0,
            shown: Some(Shown {
                form: ShownForm::Difference,
                base: Some("h".into()),
            }),
        },
        Decision::Auto { rule: words() },
        Decision::Edited,
        Decision::Reject { reason: words() },
        Decision::Deny {
            rule: words(),
            reason: words(),
        },
        Decision::Expire {
            consequence: Consequence::Halt,
        },
        Decision::Answer,
        Decision::Carry { from: CALL, rev: REV },
        Decision::Reuse { from: Seq(4) },
        Decision::Allowed {
            by: text("guard"),
            reason: words(),
        },
        Decision::LeftToOperator {
            by: text("guard"),
            reason: String::new(),
        },
        Decision::RunAgain { shown: None },
        Decision::Abandon { reason: words() },
        Decision::DidNotFinish,
        Decision::Withdrawn {
            reason: "a slip".into(),
        },
    ]
}

fn binding() -> Binding {
    Binding {
        reference: "call.readme.lines".to_owned(),
        source: Some(CALL),
        rev: REV,
    }
}

/// The events from the first check to the question.
fn checks() -> Vec<CallEvent> {
    let fault = Fault {
        path: "/a".to_owned(),
        keyword: "type".to_owned(),
        message: "not a number".to_owned(),
    };
    let read = |root| Expr::Read(target(root));
    vec![
        CallEvent::Checked {
            call: CALL,
            rev: REV,
            faults: vec![fault.clone()],
            references: vec![Reference {
                at: "/b".to_owned(),
                expr: Expr::Fallback(vec![
                    read(Root::Call),
                    Expr::All(vec![read(Root::State), read(Root::Input)]),
                ]),
            }],
            label: text("c5"),
            out: Some(OutPath::Branch(target(Root::State), target(Root::State))),
            effect: EffectClass::Write,
            delegates: true,
        },
        CallEvent::Ready {
            call: CALL,
            rev: REV,
            bindings: vec![
                binding(),
                Binding {
                    source: None,
                    ..binding()
                },
            ],
            resolved: Some(text("{}")),
            digest: Digest(text("abc")),
            operands: vec![
                Operand {
                    path: text("run.sh"),
                    bytes: 5_000_000,
                    seen: FileCheck::Dates,
                    hash: text("def"),
                },
                Operand {
                    path: text("*.sh"),
                    bytes: 0,
                    seen: FileCheck::Unspecified,
                    hash: text("def"),
                },
                Operand {
                    path: text(""),
                    bytes: 0,
                    seen: FileCheck::Cut,
                    hash: text("def"),
                },
            ],
            verdict: Verdict {
                gate: Gate::Ask,
                rule: "preset".to_owned(),
                reason: "writes".to_owned(),
                deadline_ms: Some(1),
                on_expiry: Consequence::Escalate,
                quoted: Some(overrule_domain::call::Quoted {
                    place: "overrule.toml:3".into(),
                    words: Some("it is mine".into()),
                }),
                parts: vec![overrule_domain::call::Part {
                    gate: Gate::Allow,
                    rule: "user config.toml:1".into(),
                }],
                alone: true,
                operator_only: true,
            },
        },
        CallEvent::Invalid {
            call: CALL,
            rev: REV,
            faults: vec![fault],
        },
        CallEvent::ConsentAsked {
            call: CALL,
            cause: ConsentCause::SameCall,
            entries: vec![Seq(1)],
        },
    ]
}

pub(super) fn call() -> Vec<Event> {
    let mut all = checks();
    all.extend(vec![
        CallEvent::Graced {
            call: CALL,
            rev: REV,
            wait_ms: 5_000,
        },
        CallEvent::GraceEnded {
            call: CALL,
            rev: REV,
            skipped: true,
        },
        CallEvent::Started {
            call: CALL,
            rev: REV,
            attempt: Attempt(1),
            key: text("k"),
            same: text("s"),
            effect: EffectClass::Idempotent,
            task: Some(text("look")),
            before: Some(text("null")),
            thread: None,
            guards: Vec::new(),
        },
        CallEvent::Spawned {
            call: CALL,
            attempt: Attempt(1),
            pid: u32::MAX,
            ticks: u64::MAX,
        },
        CallEvent::CancelAsked {
            call: CALL,
            attempt: Attempt(1),
            reason: "slow".to_owned(),
        },
        CallEvent::Asked {
            call: CALL,
            rev: REV,
            deadline_ms: Some(1),
            approver: Some(text("guard")),
        },
        CallEvent::Skipped {
            call: CALL,
            because: text("c4 failed"),
        },
        CallEvent::Unsatisfiable {
            call: CALL,
            because: text("never written"),
        },
        CallEvent::Retained {
            call: CALL,
            bindings: vec![binding()],
            pinned_args: Some(text("{}")),
        },
        CallEvent::Woken { call: CALL },
        CallEvent::Continued {
            call: CALL,
            attempt: Attempt(2),
        },
        CallEvent::Undetermined {
            call: CALL,
            attempt: Attempt(1),
        },
        CallEvent::Resolved {
            call: CALL,
            attempt: Attempt(1),
            happened: false,
            value: None,
            evidence: text("operator"),
        },
        CallEvent::Resolved {
            call: CALL,
            attempt: Attempt(1),
            happened: true,
            value: Some(text("1")),
            evidence: text("operator"),
        },
    ]);
    all.extend(ends());
    all.into_iter().map(Event::Call).collect()
}

/// Every way in which a call is decided or ends.
fn ends() -> Vec<CallEvent> {
    let mut all = Vec::new();
    for (n, outcome) in outcomes().into_iter().enumerate() {
        all.push(CallEvent::Finished {
            call: CALL,
            rev: REV,
            attempt: Attempt(1),
            outcome: outcome.clone(),
            ms: n as u64,
            digest: None,
        });
        all.push(CallEvent::Given {
            call: CALL,
            rev: REV,
            outcome,
            origin: Origin::Reused { from: Seq(3) },
        });
    }
    for (n, decision) in decisions().into_iter().enumerate() {
        let digest = (n % 2 == 0).then(|| Digest(text("abc")));
        all.push(CallEvent::Decided {
            call: CALL,
            rev: REV,
            digest,
            decision,
        });
    }
    all
}
