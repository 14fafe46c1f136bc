//! The events of a run, one function for each step.
//!
//! Must not know: terminals, engines.

use std::borrow::Cow;
use std::sync::Arc;

use super::{Stage, id};
use overrule_domain::call::{ConsentCause, Decision, Digest, EffectClass, Gate, Outcome, ToolError, Verdict};
use overrule_domain::event::run::{Limits, Started, ToolCard};
use overrule_domain::event::{CallEvent, EditEvent, Event, RunEvent, TurnEvent};
use overrule_domain::id::{Attempt, Rev, Seq, ThreadId, TurnId};
use overrule_domain::node::{Channel, Content, Node, Origin};
use overrule_domain::reference::rewrite;
use overrule_domain::transcript::hash;
use overrule_domain::turn::{Producer, Stop, StreamFault, StreamFaultKind, Usage};

impl Stage {
    /// Starts a run with a prompt (`p1`, turn 1) and an open turn 2.
    pub fn begin(&mut self) {
        let tool = |name: &str, effect, tags: &[&str], schema: &str| ToolCard {
            description: format!("{name} for tests").into(),
            schema: schema.into(),
            ..ToolCard::bare(name, effect, tags)
        };
        let path = r#"{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}"#;
        let write = r#"{"type":"object","properties":{"path":{"type":"string"},"content":{"type":"string"}},"required":["path","content"]}"#;
        let started = Started {
            version: "0".into(),
            workspace: "/w".into(),
            model: "scripted: test".into(),
            wire: "scripted".into(),
            system: "be good".into(),
            tools: vec![
                tool("read_file", EffectClass::Read, &[], path),
                tool("write_file", EffectClass::Write, &[], write),
                tool("launch", EffectClass::Write, &["irreversible"], "{}"),
            ],
            policy: "supervised".into(),
            limits: Limits::default(),
            user: "ada".into(),
            input: "null".into(),
            setup: "{}".into(),
            reuse: overrule_domain::event::run::Reuse::default(),
            hide_edits: false,
            price: None,
            sandbox: "sandbox level 0".into(),
        };
        self.engine(Event::Run(RunEvent::Started(Box::new(started))));
        self.turn(TurnEvent::Opened {
            turn: TurnId(1),
            thread: ThreadId(0),
            after: None,
            producer: Producer::Operator,
        });
        self.turn(TurnEvent::Prompted {
            turn: TurnId(1),
            node: id("p1"),
            text: "look at the files".into(),
        });
        self.turn(TurnEvent::Settled {
            turn: TurnId(1),
            errors: Vec::new(),
        });
        self.request(2, 1);
    }

    /// The model is asked for a turn.
    pub fn request(&mut self, turn: u32, request: u32) {
        self.request_with_notes(turn, request, &[]);
    }

    /// The same, with notices that only this request sends to the model.
    pub fn request_with_notes(&mut self, turn: u32, request: u32, reported: &[&str]) {
        let (state, thread) = (&self.model.run.state, ThreadId(0));
        let known = state.turns.contains_key(&TurnId(turn)).then_some(TurnId(turn));
        let context = hash::context_hash(state, thread, known);
        let hash = hash::request_hash(state, thread, &context, false);
        self.turn(TurnEvent::Requested {
            turn: TurnId(turn),
            thread,
            after: Some(TurnId(turn - 1)),
            request,
            context,
            hash,
            new: Vec::new(),
            notices: reported.iter().map(|text| (*text).into()).collect(),
            last: false,
        });
    }

    /// A turn whose request broke is asked again after `wait_ms`.
    pub fn retry_scheduled(&mut self, turn: u32, no: u32, wait_ms: u64) {
        self.turn(TurnEvent::RetryScheduled {
            turn: TurnId(turn),
            no,
            of: 4,
            wait_ms,
            why: "rate limit".into(),
        });
    }

    /// A thought in turn 2.
    pub fn thought(&mut self, node: &str, text: &str) {
        self.turn(TurnEvent::Thought {
            turn: TurnId(2),
            node: id(node),
            text: text.into(),
            channel: Channel::Spoken,
            opaque: None,
            origin: Origin::Model,
        });
    }

    /// A call in turn 2, checked.
    pub fn proposed(&mut self, node: &str, tool: &str, args: &str) {
        self.turn(TurnEvent::Proposed {
            turn: TurnId(2),
            node: id(node),
            provider_id: None,
            opaque: None,
            tool: tool.into(),
            args: args.into(),
            origin: Origin::Model,
        });
        let effect = match tool {
            "read_file" => EffectClass::Read,
            _ => EffectClass::Write,
        };
        self.call(CallEvent::Checked {
            call: id(node),
            rev: Rev(1),
            faults: Vec::new(),
            references: Vec::new(),
            label: node.into(),
            out: None,
            effect,
            delegates: false,
        });
    }

    /// A call that is ready.
    pub fn ready(&mut self, node: &str, rev: u32) {
        self.ready_at(node, rev, Vec::new());
    }

    /// A call that is ready, with its inputs.
    pub fn ready_with(&mut self, node: &str, bindings: Vec<overrule_domain::call::Binding>) {
        self.ready_at(node, 1, bindings);
    }

    fn ready_at(&mut self, node: &str, rev: u32, bindings: Vec<overrule_domain::call::Binding>) {
        let verdict = Self::verdict();
        self.ready_by(node, rev, bindings, verdict);
    }

    fn ready_by(
        &mut self,
        node: &str,
        rev: u32,
        bindings: Vec<overrule_domain::call::Binding>,
        verdict: Verdict,
    ) {
        let args = self.model.run.state.node(id(node)).and_then(Node::as_call);
        let resolved = args.and_then(|(_, args)| match rewrite::without_why(args) {
            Cow::Owned(bare) => Some(Arc::from(bare)),
            Cow::Borrowed(_) => None,
        });
        self.call(CallEvent::Ready {
            call: id(node),
            rev: Rev(rev),
            bindings,
            resolved,
            digest: Digest(format!("digest-of-{node}-r{rev}").into()),
            operands: Vec::new(),
            verdict,
        });
    }

    /// The policy's decision on every call here.
    pub fn verdict() -> Verdict {
        Verdict {
            gate: Gate::Ask,
            rule: "preset supervised".into(),
            reason: "asks for everything".into(),
            deadline_ms: None,
            on_expiry: overrule_domain::call::Consequence::Deny,
            quoted: None,
            parts: Vec::new(),
            alone: false,
            operator_only: false,
        }
    }

    /// A call that waits for the operator, by this decision of the policy.
    pub fn awaiting_by(&mut self, node: &str, (tool, args): (&str, &str), verdict: Verdict) {
        let deadline_ms = verdict.deadline_ms;
        self.proposed(node, tool, args);
        self.ready_by(node, 1, Vec::new(), verdict);
        self.call(CallEvent::Asked {
            call: id(node),
            rev: Rev(1),
            deadline_ms,
            approver: None,
        });
    }

    /// A call that waits for the operator.
    pub fn awaiting(&mut self, node: &str, tool: &str, args: &str) {
        self.proposed(node, tool, args);
        self.ready(node, 1);
        self.call(CallEvent::Asked {
            call: id(node),
            rev: Rev(1),
            deadline_ms: None,
            approver: None,
        });
    }

    /// A waiting call gets a second revision, and waits again.
    pub fn awaiting_revised(&mut self, node: &str, (tool, args): (&str, &str), origin: Origin) {
        self.engine(Event::Edit(EditEvent::Revised {
            node: id(node),
            rev: Rev(2),
            content: Content::Call {
                tool: tool.into(),
                args: args.into(),
            },
            origin,
            approves: None,
        }));
        self.ready(node, 2);
        self.call(CallEvent::Asked {
            call: id(node),
            rev: Rev(2),
            deadline_ms: None,
            approver: None,
        });
    }

    /// A call that runs.
    pub fn running(&mut self, node: &str, tool: &str, args: &str) -> Seq {
        self.proposed(node, tool, args);
        self.ready(node, 1);
        self.start(node)
    }

    /// A waiting call is approved.
    pub fn approved(&mut self, node: &str) {
        self.call(CallEvent::Decided {
            call: id(node),
            rev: Rev(1),
            digest: None,
            decision: Decision::Approve {
                unread: 0,
                shown: None,
            },
        });
    }

    /// Starts a ready call.
    pub fn start(&mut self, node: &str) -> Seq {
        self.start_at(node, Rev(1), Attempt(1))
    }

    /// The same for a revision and an execution.
    pub fn start_at(&mut self, node: &str, rev: Rev, attempt: Attempt) -> Seq {
        self.call(CallEvent::Decided {
            call: id(node),
            rev,
            digest: None,
            decision: Decision::Auto { rule: "test".into() },
        });
        let effect = self.model.run.state.call(id(node)).unwrap().effect;
        self.call(CallEvent::Started {
            call: id(node),
            rev,
            attempt,
            key: "k".into(),
            same: format!("same-{node}").into(),
            effect,
            task: None,
            before: None,
            thread: None,
            guards: Vec::new(),
        })
    }

    /// A call that ended.
    pub fn finished(&mut self, node: &str, tool: &str, args: &str, outcome: Outcome) {
        self.running(node, tool, args);
        self.finish(node, outcome);
    }

    /// Ends a running call.
    pub fn finish(&mut self, node: &str, outcome: Outcome) {
        self.call(CallEvent::Finished {
            call: id(node),
            rev: Rev(1),
            attempt: Attempt(1),
            outcome,
            ms: 12,
            digest: None,
        });
    }

    /// A call that asks for consent.
    pub fn consent(&mut self, node: &str) {
        self.consent_of(node, r#"{"path":"a","content":"b"}"#);
    }

    /// The same with other arguments.
    pub fn consent_of(&mut self, node: &str, args: &str) {
        self.repeats(node, ("write_file", args), ConsentCause::Orphaned, Vec::new());
    }

    /// A call that asks for consent because of an effect of another run.
    pub fn consent_elsewhere(&mut self, node: &str, tool: &str, args: &str, entry: Seq) {
        self.repeats(node, (tool, args), ConsentCause::Elsewhere, vec![entry]);
    }

    /// A call that asks for consent because it would repeat these executions.
    pub fn repeats(
        &mut self,
        node: &str,
        (tool, args): (&str, &str),
        cause: ConsentCause,
        entries: Vec<Seq>,
    ) {
        self.proposed(node, tool, args);
        self.ready(node, 1);
        self.call(CallEvent::ConsentAsked {
            call: id(node),
            cause,
            entries,
        });
    }

    /// A call with an unknown outcome.
    pub fn outcome_unknown(&mut self, node: &str) {
        self.outcome_unknown_with(node, r#"{"path":"a","content":"b"}"#);
    }

    /// The same with other arguments.
    pub fn outcome_unknown_with(&mut self, node: &str, args: &str) {
        self.running(node, "write_file", args);
        self.engine(Event::Run(RunEvent::Reopened {
            interrupted: vec![(id(node), Attempt(1))],
            version: "0".into(),
        }));
    }

    /// The stream of turn 2 ends.
    pub fn close(&mut self) {
        self.turn(TurnEvent::Closed {
            turn: TurnId(2),
            stop: Stop::Calls,
            usage: Usage {
                input: Some(120),
                output: Some(30),
                ..Usage::default()
            },
        });
    }

    /// A run with a bit of everything, for snapshots.
    pub fn sample(&mut self) {
        self.begin();
        self.thought(
            "t2",
            "I will read two files, then write a report. \u{1b}[31mred\u{1b}[0m",
        );
        self.finished(
            "c3",
            "read_file",
            r#"{"path":"a.txt"}"#,
            Outcome::ok(r#""hello\nworld""#),
        );
        self.finished(
            "c4",
            "read_file",
            r#"{"path":"b.txt"}"#,
            Outcome::err(ToolError {
                class: overrule_domain::call::ErrorClass::NotFound,
                message: "no file b.txt".into(),
                evidence: "errno ENOENT".into(),
                hint: Some("list the directory".into()),
                partial: None,
                executed: false,
                retry_after_ms: None,
            }),
        );
        self.awaiting(
            "c5",
            "write_file",
            r#"{"path":"report.md","content":"1\n2\u202e3"}"#,
        );
        self.running("c6", "read_file", r#"{"path":"日本語.txt"}"#);
        self.close();
    }

    /// A broken stream that waits for the operator.
    pub fn broken(&mut self) {
        self.broken_by(StreamFaultKind::Garbage, "the answer is no JSON", None);
    }

    /// A broken stream of turn 2. The server may have asked to wait some milliseconds.
    pub fn broken_by(&mut self, kind: StreamFaultKind, message: &str, retry_after_ms: Option<u64>) {
        self.turn(TurnEvent::Broken {
            turn: TurnId(2),
            fault: StreamFault {
                kind,
                message: message.into(),
                retry_after_ms,
            },
            usage: Usage::default(),
        });
    }
}
