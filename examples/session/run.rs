//! Makes the events of a run of any length, like those of an agent.
//!
//! Must not know: what is done with them.
//!
//! A thought, some calls that end, the next thought. Some calls fail, read another result, or take
//! long.

use std::sync::Arc;

use overrule::domain::call::{
    Binding, Consequence, Decision, Digest, EffectClass, ErrorClass, Gate, Outcome, ToolError, Verdict,
};
use overrule::domain::envelope::{Actor, Envelope};
use overrule::domain::event::run::{Limits, Reuse, Started, ToolCard};
use overrule::domain::event::{CallEvent, Event, RunEvent, TurnEvent};
use overrule::domain::id::{Attempt, NodeId, NodeKind, Rev, Seq, ThreadId, TurnId};
use overrule::domain::node::{Channel, Origin};
use overrule::domain::repeat::dedup_key;
use overrule::domain::turn::{Producer, Stop, Usage};

/// A hash as a run records them; different inputs give unrelated hashes.
fn hash(what: &str, no: u32) -> String {
    let text = format!("{what} {no}");
    blake3::hash(text.as_bytes()).to_hex().to_string()
}

/// A run that can grow to any length.
pub struct Run {
    seq: u64,
    clock: i64,
    no: u32,
    turn: u32,
    draw: u64,
    /// True where a call in five writes from here on.
    pub writes: bool,
    /// Nodes so far, observations counted.
    pub nodes: usize,
    /// The events that have not been taken yet.
    pub events: Vec<Envelope>,
}

impl Run {
    /// A run that was begun so and prompted.
    pub fn begun(started: Started) -> Self {
        let mut run = Self {
            seq: 0,
            clock: 1_700_000_000_000,
            no: 0,
            turn: 0,
            draw: 0x9e37_79b9_7f4a_7c15,
            writes: false,
            nodes: 0,
            events: Vec::new(),
        };
        run.event(Event::Run(RunEvent::Started(Box::new(started))));
        let turn = run.next_turn();
        run.turn(TurnEvent::Opened {
            turn,
            thread: ThreadId(0),
            after: None,
            producer: Producer::Operator,
        });
        let node = run.next(NodeKind::Prompt);
        run.turn(TurnEvent::Prompted {
            turn,
            node,
            text: "Look at every file and say what is in it.".into(),
        });
        run.settle(turn);
        run
    }

    /// Continues until there are at least this many nodes, observations counted.
    pub fn grow_to(&mut self, nodes: usize) {
        while self.nodes < nodes {
            self.whole_turn();
        }
    }

    fn random(&mut self, below: u64) -> u64 {
        self.draw ^= self.draw << 13;
        self.draw ^= self.draw >> 7;
        self.draw ^= self.draw << 17;
        self.draw % below
    }

    /// This happens.
    pub fn event(&mut self, event: Event) {
        self.seq += 1;
        self.clock += 3;
        self.events.push(Envelope {
            seq: Seq(self.seq),
            at: self.clock,
            mono: self.seq * 3,
            actor: Actor::Engine,
            cause: Seq(0),
            more: false,
            event,
        });
    }

    fn turn(&mut self, event: TurnEvent) {
        self.event(Event::Turn(event));
    }

    fn call(&mut self, event: CallEvent) {
        self.event(Event::Call(event));
    }

    fn next(&mut self, kind: NodeKind) -> NodeId {
        self.no += 1;
        self.nodes += 1;
        NodeId::new(kind, self.no)
    }

    fn next_turn(&mut self) -> TurnId {
        self.turn += 1;
        TurnId(self.turn)
    }

    fn settle(&mut self, turn: TurnId) {
        self.turn(TurnEvent::Settled {
            turn,
            errors: Vec::new(),
        });
    }

    /// The model is asked.
    pub fn ask(&mut self) -> TurnId {
        let turn = self.next_turn();
        self.turn(TurnEvent::Requested {
            turn,
            thread: ThreadId(0),
            after: Some(TurnId(turn.0 - 1)),
            request: 1,
            context: hash("context", turn.0).into(),
            hash: hash("request", turn.0).into(),
            new: Vec::new(),
            notices: Vec::new(),
            last: false,
        });
        turn
    }

    /// It thinks.
    pub fn think(&mut self, turn: TurnId) -> NodeId {
        let node = self.next(NodeKind::Thought);
        self.turn(TurnEvent::Thought {
            turn,
            node,
            text: format!("Part {} is next; I will look at its files.", turn.0).into(),
            channel: Channel::Spoken,
            opaque: None,
            origin: Origin::Model,
        });
        node
    }

    /// It calls a tool, which runs.
    pub fn start(&mut self, turn: TurnId, reads: Option<NodeId>) -> NodeId {
        let call = self.next(NodeKind::Call);
        let path = format!("src/part{}/file{}.rs", turn.0, call.no);
        let (tool, effect, args) = if self.writes && self.random(5) == 0 {
            let args = format!(r#"{{"path":"{path}","content":"fn part{}() {{}}"}}"#, call.no);
            ("write_file", EffectClass::Write, args)
        } else {
            ("read_file", EffectClass::Read, format!(r#"{{"path":"{path}"}}"#))
        };
        self.turn(TurnEvent::Proposed {
            turn,
            node: call,
            provider_id: None,
            opaque: None,
            tool: tool.into(),
            args: args.clone().into(),
            origin: Origin::Model,
        });
        self.call(CallEvent::Checked {
            call,
            rev: Rev(1),
            faults: Vec::new(),
            references: Vec::new(),
            label: call.to_string().into(),
            out: None,
            effect,
            delegates: false,
        });
        let read = |source: NodeId| Binding {
            reference: format!("call.{source}"),
            source: Some(source),
            rev: Rev(1),
        };
        let (rule, reason) = match effect {
            EffectClass::Read => ("preset guarded: reads go", "it only looks"),
            _ => ("rule 1: writes go", "the rule says so"),
        };
        self.call(CallEvent::Ready {
            call,
            rev: Rev(1),
            bindings: reads.into_iter().map(read).collect(),
            resolved: None,
            digest: Digest(hash("digest", call.no).into()),
            operands: Vec::new(),
            verdict: Verdict {
                gate: Gate::Allow,
                rule: rule.into(),
                reason: reason.into(),
                deadline_ms: None,
                on_expiry: Consequence::Deny,
                quoted: None,
                parts: Vec::new(),
                alone: false,
                operator_only: false,
            },
        });
        let rule = rule.to_owned();
        self.call(CallEvent::Decided {
            call,
            rev: Rev(1),
            digest: None,
            decision: Decision::Auto { rule },
        });
        self.call(CallEvent::Started {
            call,
            rev: Rev(1),
            attempt: Attempt(1),
            key: hash("key", call.no).into(),
            same: dedup_key(tool, &args).into(),
            effect,
            before: None,
            thread: None,
            task: None,
            guards: Vec::new(),
        });
        call
    }

    /// A call ends.
    pub fn finish(&mut self, call: NodeId) {
        let outcome = if self.random(100) < 3 {
            Outcome::err(ToolError {
                class: ErrorClass::NotFound,
                message: "no such file".into(),
                evidence: "errno ENOENT".into(),
                hint: None,
                partial: None,
                executed: false,
                retry_after_ms: None,
            })
        } else {
            Outcome::ok(Arc::from(format!("\"fn part{}() {{ }}\"", call.no)))
        };
        self.call(CallEvent::Finished {
            call,
            rev: Rev(1),
            attempt: Attempt(1),
            outcome,
            ms: 12,
            digest: None,
        });
        // The observation.
        self.nodes += 1;
    }

    /// The stream of a turn ends, and with it the turn.
    pub fn end(&mut self, turn: TurnId) {
        self.turn(TurnEvent::Closed {
            turn,
            stop: Stop::Calls,
            usage: Usage {
                input: Some(900),
                output: Some(80),
                ..Usage::default()
            },
        });
        self.settle(turn);
    }

    /// A whole turn.
    pub fn whole_turn(&mut self) {
        let turn = self.ask();
        self.think(turn);
        let width = [1, 1, 1, 2, 2, 3, 4, 5][self.random(8) as usize];
        let mut before = None;
        for _ in 0..width {
            let reads = before.filter(|_| self.random(100) < 15);
            let call = self.start(turn, reads);
            self.finish(call);
            before = Some(call);
        }
        self.end(turn);
    }
}

/// How such a run begins: two tools, the policy that asks for what writes.
pub fn started() -> Started {
    let read = r#"{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}"#;
    let write = r#"{"type":"object","properties":{"path":{"type":"string"},"content":{"type":"string"}},"required":["path","content"]}"#;
    let card = |name: &str, description: &str, schema: &str, effect| ToolCard {
        name: name.into(),
        description: description.into(),
        schema: schema.into(),
        effect,
        effect_by: None,
        tags: Vec::new(),
        pause_ms: 0,
        takes_truncated: false,
        confined: false,
        probe: None,
        compensate: None,
        origin: None,
    };
    Started {
        version: "0".into(),
        workspace: "/nowhere".into(),
        model: "scripted: measured".into(),
        wire: "scripted".into(),
        system: "Be brief.".into(),
        tools: vec![
            card("read_file", "reads a file", read, EffectClass::Read),
            card("write_file", "writes a file", write, EffectClass::Write),
        ],
        policy: "guarded".into(),
        limits: Limits::default(),
        user: "ada".into(),
        input: "null".into(),
        setup: "{}".into(),
        reuse: Reuse::default(),
        hide_edits: false,
        price: None,
        sandbox: "sandbox level 0".into(),
    }
}
