//! A console on a stage, for tests: events in, keys in, frames out, time by hand.
//!
//! Must not know: terminals, engines.

mod scenes;

use std::sync::Arc;

use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;

use super::keymap::Keymap;
use super::layout::gutter::Line;
use super::link::Update;
use super::model::{Model, Settings};
use super::msg::{Msg, Out, TermMsg};
use super::symbols::Charset;
use super::theme::{Colours, Theme};
use super::update::{prepare, update};
use super::view::view;
use crate::domain::advance::advance;
use crate::domain::advice::Cards;
use crate::domain::call::{ConsentCause, Decision, Digest, EffectClass, Gate, Outcome, ToolError, Verdict};
use crate::domain::command::Command;
use crate::domain::decide;
use crate::domain::envelope::{Actor, Envelope, FORMAT};
use crate::domain::event::run::{Limits, Started, ToolCard};
use crate::domain::event::{CallEvent, Event, RunEvent, TurnEvent};
use crate::domain::id::{Attempt, NodeId, NodeKind, Rev, Seq, ThreadId, TurnId};
use crate::domain::node::{Channel, Origin};
use crate::domain::turn::{Producer, Stop, Usage};

/// Milliseconds after which a key counts in these tests.
pub const ARMING: u64 = 500;

/// A node id from its name.
pub fn id(name: &str) -> NodeId {
    name.parse().unwrap()
}

/// A console with a clock that is moved by hand.
pub struct Stage {
    pub model: Model,
    pub now: u64,
    pub out: Vec<Out>,
    /// UTC milliseconds at which events are recorded.
    pub clock: i64,
    seq: u64,
}

impl Stage {
    /// A console of this size, before anything arrived.
    pub fn new(width: u16, height: u16) -> Self {
        Self::with(width, height, |_| {})
    }

    /// The same with other settings.
    pub fn with(width: u16, height: u16, change: impl FnOnce(&mut Settings)) -> Self {
        let mut settings = Settings {
            look: Theme::built_in("dark").unwrap().look(Colours::True),
            theme: "dark".to_owned(),
            named_theme: "dark".to_owned(),
            troubles: Vec::new(),
            themes: Theme::names()
                .map(|name| (name.to_owned(), Theme::built_in(name).unwrap()))
                .collect(),
            charset: Charset::Unicode,
            line: Line::Unicode,
            keymap: Keymap::new(&[]).unwrap(),
            arming_ms: ARMING,
            user: "ada".to_owned(),
            session: "s1".to_owned(),
            utc_zero: Some(0),
            read_only: false,
            replay: false,
            reach: crate::console::terminal::Reach::default(),
            watch: crate::resilience::watch::Watch::default(),
            alerts: true,
            drafts: false,
        };
        change(&mut settings);
        Self {
            model: Model::new(settings, width, height),
            now: 1000,
            out: Vec::new(),
            clock: 0,
            seq: 0,
        }
    }

    /// Lets something happen.
    pub fn send(&mut self, msg: Msg) {
        let out = update(&mut self.model, msg);
        self.out.extend(out);
    }

    /// An event from the run.
    pub fn event(&mut self, actor: Actor, event: Event) -> Seq {
        self.seq += 1;
        let envelope = Envelope {
            v: FORMAT,
            seq: Seq(self.seq),
            at: self.clock,
            mono: 0,
            actor,
            cause: Seq(0),
            more: false,
            event,
        };
        self.send(Msg::Run(Update::Event(Arc::new(envelope))));
        Seq(self.seq)
    }

    /// An event of the engine's.
    pub fn engine(&mut self, event: Event) -> Seq {
        self.event(Actor::Engine, event)
    }

    /// An event about a call.
    pub fn call(&mut self, event: CallEvent) -> Seq {
        self.engine(Event::Call(event))
    }

    /// An event about a turn.
    pub fn turn(&mut self, event: TurnEvent) -> Seq {
        self.engine(Event::Turn(event))
    }

    /// Draws a frame and tells the model so.
    pub fn draw(&mut self) -> Buffer {
        prepare(&mut self.model);
        let (width, height) = (self.model.screen.width, self.model.screen.height);
        let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        let model = &self.model;
        terminal.draw(|frame| view(model, frame)).unwrap();
        let at = self.now;
        self.send(Msg::Drawn { at });
        terminal.backend().buffer().clone()
    }

    /// The screen as text.
    pub fn text(&mut self) -> String {
        self.draw();
        text_of(&self.draw())
    }

    /// Time passes, with a frame before and after.
    pub fn wait(&mut self, ms: u64) {
        self.draw();
        self.now += ms;
        let at = self.now;
        self.send(Msg::Tick { at });
        self.draw();
    }

    /// Presses keys one after the other, as a person would, and draws after each.
    pub fn press(&mut self, keys: &str) {
        for key in keys.split_whitespace() {
            let key = key.parse().unwrap();
            let at = self.now;
            self.send(Msg::Term(TermMsg::Key { key, at }));
            self.now += 60;
            let at = self.now;
            self.send(Msg::Tick { at });
            self.draw();
        }
    }

    /// Types text, one character after the other.
    pub fn type_text(&mut self, text: &str) {
        for c in text.chars() {
            let key = match c {
                ' ' => "space".to_owned(),
                '-' => "minus".to_owned(),
                c => c.to_string(),
            };
            self.press(&key);
        }
    }

    /// Commands that went out since the last look.
    pub fn commands(&mut self) -> Vec<Command> {
        let out = std::mem::take(&mut self.out);
        out.into_iter()
            .filter_map(|out| match out {
                Out::Command(command) => Some(command),
                _ => None,
            })
            .collect()
    }

    /// Carries out the commands that went out, as the run would, up to where it waits for a person or
    /// the world. Gives them.
    pub fn carry_out(&mut self) -> Vec<Command> {
        let commands = self.commands();
        for command in &commands {
            let state = self.model.run.state.clone();
            match decide::command(&state, &Cards(&state), command) {
                Ok(events) => {
                    for event in events {
                        self.event(Actor::Operator("ada".into()), event);
                    }
                    self.send(Msg::Run(Update::Taken(Box::new(command.clone()))));
                }
                Err(refusal) => self.send(Msg::Run(Update::Refused(refusal))),
            }
            for _ in 0..100 {
                let state = self.model.run.state.clone();
                let events = advance(&state, &Cards(&state));
                if events.is_empty() {
                    break;
                }
                for event in events {
                    self.engine(event);
                }
            }
        }
        self.draw();
        commands
    }

    /// The word on the status line.
    pub fn said(&self) -> &str {
        &self.model.message.text
    }

    /// Begins a run with a prompt (`p1`, turn 1) and an open turn 2.
    pub fn begin(&mut self) {
        let tool = |name: &str, effect, tags: &[&str], schema: &str| ToolCard {
            name: name.into(),
            description: format!("{name} for tests").into(),
            schema: schema.into(),
            effect,
            tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
            takes_truncated: false,
            probe: None,
            compensate: None,
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
            reuse: crate::domain::event::run::Reuse::default(),
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
        self.turn(TurnEvent::Requested {
            turn: TurnId(turn),
            thread: ThreadId(0),
            after: Some(TurnId(turn - 1)),
            request,
            context: "ctx".into(),
            hash: "req".into(),
            new: Vec::new(),
            last: false,
            wait_ms: 0,
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

    /// A call that is ready, with what it was given.
    pub fn ready_with(&mut self, node: &str, bindings: Vec<crate::domain::call::Binding>) {
        self.ready_at(node, 1, bindings);
    }

    fn ready_at(&mut self, node: &str, rev: u32, bindings: Vec<crate::domain::call::Binding>) {
        self.call(CallEvent::Ready {
            call: id(node),
            rev: Rev(rev),
            bindings,
            resolved: None,
            digest: Digest(format!("digest-of-{node}-r{rev}").into()),
            verdict: Verdict {
                gate: Gate::Ask,
                rule: "preset supervised".into(),
                reason: "asks for everything".into(),
                deadline_ms: None,
                on_expiry: crate::domain::call::Consequence::Deny,
            },
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
        });
    }

    /// A call that runs.
    pub fn running(&mut self, node: &str, tool: &str, args: &str) -> Seq {
        self.proposed(node, tool, args);
        self.ready(node, 1);
        self.start(node)
    }

    /// Starts a ready call.
    pub fn start(&mut self, node: &str) -> Seq {
        self.call(CallEvent::Decided {
            call: id(node),
            rev: Rev(1),
            digest: None,
            decision: Decision::Auto { rule: "test".into() },
        });
        let effect = self.model.run.state.call(id(node)).unwrap().effect;
        self.call(CallEvent::Started {
            call: id(node),
            rev: Rev(1),
            attempt: Attempt(1),
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
        });
    }

    /// A call that asks for consent.
    pub fn consent(&mut self, node: &str) {
        self.proposed(node, "write_file", r#"{"path":"a","content":"b"}"#);
        self.ready(node, 1);
        self.call(CallEvent::ConsentAsked {
            call: id(node),
            cause: ConsentCause::Orphaned,
            entries: Vec::new(),
        });
    }

    /// A call whose outcome nobody knows.
    pub fn in_doubt(&mut self, node: &str) {
        self.running(node, "write_file", r#"{"path":"a","content":"b"}"#);
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

    /// A run with a bit of everything: used for pictures.
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
            Outcome::Err(ToolError {
                class: crate::domain::call::ErrorClass::NotFound,
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

    /// A stream that broke.
    pub fn broken(&mut self) {
        self.turn(TurnEvent::Broken {
            turn: TurnId(2),
            fault: crate::domain::turn::StreamFault {
                kind: crate::domain::turn::StreamFaultKind::Timeout,
                message: "the server was silent for 60 s".into(),
                retry_after_ms: None,
            },
            usage: Usage::default(),
        });
    }

    /// The kind of the selected node.
    pub fn selected(&self) -> Option<NodeId> {
        match self.model.graph.selected {
            Some(super::model::graph::Pick::Node(id)) => Some(id),
            _ => None,
        }
    }
}

/// A buffer as text, blanks at the end of lines left out.
pub fn text_of(buffer: &Buffer) -> String {
    let area = buffer.area;
    let mut out = String::new();
    for y in area.top()..area.bottom() {
        let mut line = String::new();
        let mut skip = 0;
        for x in area.left()..area.right() {
            let symbol = buffer.cell((x, y)).unwrap().symbol();
            if skip == 0 {
                line.push_str(symbol);
                skip = unicode_width::UnicodeWidthStr::width(symbol).max(1);
            }
            skip -= 1;
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

/// A call's id from its number.
pub fn call_id(no: u32) -> NodeId {
    NodeId::new(NodeKind::Call, no)
}
