//! Scenes with edits and branches, made by keys and by the rules themselves.
//!
//! Must not know: terminals, engines.

use super::{ARMING, Stage, id};
use crate::surfaces::editor::edits;
use crate::surfaces::editor::state::{Editor, Purpose};
use overrule_domain::breaker::{Phase, Scope};
use overrule_domain::call::{EffectClass, ErrorClass, Outcome, ToolError};
use overrule_domain::event::{CallEvent, Event, ResilienceEvent, TurnEvent};
use overrule_domain::id::{NodeId, NodeKind, Rev, TurnId};
use overrule_domain::node::{Channel, Origin};
use overrule_domain::turn::{Stop, Usage};

impl Stage {
    /// Puts a text into the open editor. Arguments are edited as JSON.
    pub fn edit_field(&mut self, text: &str) {
        match self.model.stack.top_mut::<Editor>() {
            Some(editor) => {
                if editor.fields.is_some() {
                    editor.switch().unwrap();
                }
                editor.field.replace(text);
            }
            None => panic!("no editor but {:?}", self.model.stack),
        }
    }

    /// Opens the editor on guidance, as for an agent of another program.
    pub fn guidance(&mut self) {
        edits::new_words(&mut self.model, Purpose::Guide { after: None });
        self.draw();
    }

    /// A long run.
    pub fn long() -> Self {
        let mut stage = Self::new(120, 40);
        stage.long_run(70);
        stage.draw();
        stage
    }

    /// An edit of its prompt, on which everything depends, up to its preview.
    pub fn previewed() -> Self {
        let mut stage = Self::long();
        stage.press("1 g e");
        stage.edit_field("Look at other files.");
        stage.press("ctrl-s");
        stage
    }

    /// The same, committed and carried out.
    pub fn committed() -> Self {
        let mut stage = Self::previewed();
        stage.wait(ARMING);
        stage.press("enter");
        stage.carry_out();
        stage
    }

    /// One more call that succeeds, in a turn of its own.
    pub fn one_more(&mut self) {
        let state = &self.model.run.state;
        let (no, turn) = (state.tally.last_no + 1, state.tally.last_turn + 1);
        self.model_turn(
            turn,
            no,
            "One more.",
            &[(r#"{"path":"one more"}"#, Outcome::ok("1"))],
        );
    }

    /// A write that ran.
    pub fn written(&mut self) {
        self.begin();
        self.thought("t2", "I will write.");
        self.finished(
            "c3",
            "write_file",
            r#"{"path":"a","content":"b"}"#,
            Outcome::ok("1"),
        );
        self.close();
        self.draw();
    }

    /// A write that ran after a thought that was rewritten.
    pub fn orphaned(&mut self) {
        self.written();
        self.press("1 g j e");
        self.type_text("!");
        self.press("ctrl-s");
        self.wait(ARMING);
        self.press("enter");
        self.carry_out();
    }

    /// Two turns: a read and what the model thought of it.
    pub fn two_turns(&mut self) {
        self.begin();
        self.thought("t2", "I will read.");
        self.finished("c3", "read_file", r#"{"path":"a"}"#, Outcome::ok("\"old\""));
        self.close();
        self.turn(TurnEvent::Settled {
            turn: TurnId(2),
            errors: Vec::new(),
        });
        self.request(3, 2);
        self.turn(TurnEvent::Thought {
            turn: TurnId(3),
            node: id("t6"),
            text: "It says old.".into(),
            channel: Channel::Spoken,
            opaque: None,
            origin: Origin::Model,
        });
        self.draw();
    }

    /// An edited read next to a write: two branches.
    pub fn edited(&mut self) {
        self.begin();
        self.thought("t2", "I will read and write.");
        self.finished("c3", "read_file", r#"{"path":"a"}"#, Outcome::ok("\"old\""));
        self.finished(
            "c4",
            "write_file",
            r#"{"path":"r","content":"x"}"#,
            Outcome::ok("1"),
        );
        self.close();
        self.draw();
        self.press("1 g j j e");
        self.edit_field(r#"{"path":"B"}"#);
        self.press("ctrl-s");
        self.wait(ARMING);
        self.press("enter");
        self.carry_out();
    }

    /// A turn of the model: a thought, then calls of a tool with these outcomes, each 200 ms slower than the one
    /// before. Nodes are numbered from `no`; returns the next number.
    pub fn model_turn(&mut self, turn: u32, no: u32, text: &str, calls: &[(&str, Outcome)]) -> u32 {
        let calls: Vec<(&str, &str, Outcome)> = calls
            .iter()
            .map(|(args, outcome)| ("read_file", *args, outcome.clone()))
            .collect();
        self.tools_turn(turn, no, text, &calls)
    }

    /// The same with calls of several tools.
    pub fn tools_turn(&mut self, turn: u32, no: u32, text: &str, calls: &[(&str, &str, Outcome)]) -> u32 {
        self.request(turn, 1);
        self.clock += 400;
        let here = TurnId(turn);
        self.turn(TurnEvent::Thought {
            turn: here,
            node: NodeId::new(NodeKind::Thought, no),
            text: text.into(),
            channel: Channel::Spoken,
            opaque: None,
            origin: Origin::Model,
        });
        let names: Vec<String> = (1..=calls.len())
            .map(|at| format!("c{}", no as usize + at))
            .collect();
        for (name, (tool, args, _)) in names.iter().zip(calls) {
            self.turn(TurnEvent::Proposed {
                turn: here,
                node: id(name),
                provider_id: None,
                opaque: None,
                tool: (*tool).into(),
                args: (*args).into(),
                origin: Origin::Model,
            });
            self.call(CallEvent::Checked {
                call: id(name),
                rev: Rev(1),
                faults: Vec::new(),
                references: Vec::new(),
                label: name.as_str().into(),
                out: None,
                effect: EffectClass::Read,
                delegates: false,
            });
            self.ready(name, 1);
            self.clock += 50;
            self.start(name);
        }
        self.turn(TurnEvent::Closed {
            turn: here,
            stop: Stop::Calls,
            usage: Usage::default(),
        });
        for (name, (_, _, outcome)) in names.iter().zip(calls) {
            self.clock += 200;
            self.finish(name, outcome.clone());
        }
        self.turn(TurnEvent::Settled {
            turn: here,
            errors: Vec::new(),
        });
        no + 1 + calls.len() as u32
    }

    /// A run of many turns: most go well, in every tenth one of the calls fails, at the end one waits.
    pub fn long_run(&mut self, turns: u32) {
        self.begin();
        self.turn(TurnEvent::Settled {
            turn: TurnId(2),
            errors: Vec::new(),
        });
        let failed = Outcome::err(ToolError {
            class: ErrorClass::NotFound,
            message: "no such file".into(),
            evidence: "errno ENOENT".into(),
            hint: None,
            partial: None,
            executed: false,
            retry_after_ms: None,
        });
        let mut no = 2;
        for turn in 3..3 + turns {
            let path = |at: u32| format!(r#"{{"path":"src/part{turn}/file{at}.rs"}}"#);
            let paths: Vec<String> = (0..=turn % 3).map(path).collect();
            let calls: Vec<(&str, Outcome)> = paths
                .iter()
                .enumerate()
                .map(|(at, path)| {
                    let outcome = match (turn % 10, at) {
                        (0, 0) => failed.clone(),
                        _ => Outcome::ok("\"fn main() {}\""),
                    };
                    (path.as_str(), outcome)
                })
                .collect();
            no = self.model_turn(turn, no, &format!("Part {turn} is next."), &calls);
        }
        let turn = TurnId(3 + turns);
        self.request(turn.0, 1);
        self.clock += 300;
        let call = NodeId::new(NodeKind::Call, no);
        self.turn(TurnEvent::Proposed {
            turn,
            node: call,
            provider_id: None,
            opaque: None,
            tool: "write_file".into(),
            args: r#"{"path":"report.md","content":"done"}"#.into(),
            origin: Origin::Model,
        });
        self.ready(&call.to_string(), 1);
        self.call(CallEvent::Asked {
            call,
            rev: Rev(1),
            deadline_ms: None,
            approver: None,
        });
        self.clock += 900;
        self.turn(TurnEvent::Closed {
            turn,
            stop: Stop::Calls,
            usage: Usage::default(),
        });
        self.draw();
    }
}

impl Stage {
    /// A run whose calls write the state, with a sub-agent's worth of costs: for the panes at the bottom.
    pub fn spent(&mut self) {
        self.begin();
        self.thought("t2", "I will plan, then read what the plan says.");
        let plan = r#"{"path":"plan.md","_out":"plan"}"#;
        self.writing("c3", plan, "plan", &[]);
        self.finish("c3", Outcome::ok(r#"{"files":["a","b"]}"#));
        self.writing("c4", r#"{"path":"b","_out":"plan.notes"}"#, "plan.notes", &[]);
        self.finish("c4", Outcome::ok("\"red\\u202e\\u001b[31m\""));
        self.writing("c5", plan, "plan", &["c3"]);
        self.awaiting("c7", "write_file", r#"{"path":"out","content":"x"}"#);
        self.close();
        self.draw();
    }

    /// A call that wrote a path of the state, and a running call that reads it.
    pub fn one_reads_another(&mut self) {
        self.begin();
        self.thought("t2", "I will read the plan, then what it names.");
        let plan = r#"{"path":"plan.md","_out":"plan"}"#;
        self.writing("c3", plan, "plan", &[]);
        self.finish("c3", Outcome::ok(r#"{"files":["a","b"]}"#));
        self.writing("c5", r#"{"path":"†state.plan"}"#, "plan", &["c3"]);
        self.close();
        self.draw();
    }

    /// A running call that writes a path of the state, and was given what others wrote.
    fn writing(&mut self, node: &str, args: &str, path: &str, given: &[&str]) {
        use overrule_domain::call::Binding;
        use overrule_domain::event::CallEvent;
        use overrule_domain::id::Rev;
        use overrule_domain::reference::{Expr, OutPath, Reference, Root, Target};
        self.proposed(node, "read_file", args);
        let mut keys = path.split('.').map(str::to_owned);
        let target = Target {
            root: Root::State,
            head: keys.next().unwrap_or_default(),
            path: keys.collect(),
        };
        let effect = self.model.run.state.call(id(node)).unwrap().effect;
        let reference = |_: &&str| Reference {
            at: "/path".to_owned(),
            expr: Expr::Read(target.clone()),
        };
        self.call(CallEvent::Checked {
            call: id(node),
            rev: Rev(1),
            faults: Vec::new(),
            references: given.iter().map(reference).collect(),
            label: node.into(),
            out: Some(OutPath::To(target.clone())),
            effect,
            delegates: false,
        });
        self.ready_with(
            node,
            given
                .iter()
                .map(|from| Binding {
                    reference: target.to_string(),
                    source: Some(id(from)),
                    rev: Rev(1),
                })
                .collect(),
        );
        self.start(node);
    }
}

impl Stage {
    /// A run with a tool that always fails and one that works, for the health of tools. The operator is asked about
    /// a tool with a low weight.
    pub fn ailing(&mut self) {
        use overrule_domain::call::{ErrorClass, ToolError};
        use overrule_resilience::routing::Settings;
        use overrule_resilience::watch::Watch;
        self.model.run.watch = Watch::new(Settings {
            ask_below: 0.25,
            ..Settings::default()
        });
        self.begin();
        self.thought("t2", "I will ask both.");
        let refused = || {
            Outcome::err(ToolError {
                class: ErrorClass::Auth,
                message: "401 Unauthorized".into(),
                evidence: "HTTP 401".into(),
                hint: None,
                partial: None,
                retry_after_ms: None,
                executed: false,
            })
        };
        for no in 3..10 {
            let name = format!("c{no}");
            self.finished(&name, "search", r#"{"pattern":"a"}"#, refused());
        }
        for no in 10..13 {
            let name = format!("c{no}");
            self.finished(&name, "read_file", r#"{"path":"a"}"#, Outcome::ok("\"x\""));
        }
        self.close();
        self.draw();
    }
}

impl Stage {
    /// The breaker of a tool changes.
    pub fn breaker(&mut self, tool: &str, to: Phase) {
        self.breaker_of(Scope::Tool(tool.into()), to);
    }

    /// The same for any breaker.
    pub fn breaker_of(&mut self, scope: Scope, to: Phase) {
        let (wait_ms, why) = match to {
            Phase::Open => (30_000, "5 failures in a row"),
            _ => (0, "it answers again"),
        };
        self.engine(Event::Resilience(ResilienceEvent::BreakerChanged {
            scope,
            generation: 1,
            to,
            wait_ms,
            why: why.into(),
            instead: Vec::new(),
        }));
    }

    /// A run with problems: a tool that always fails, an open breaker, a loop that waits for the operator.
    pub fn troubled(&mut self) {
        self.ailing();
        self.breaker("search", Phase::Open);
        self.goes_round("search", &["c7", "c8", "c9"]);
        self.draw();
    }

    /// A loop of these calls that paused the run, after one step that changed nothing.
    pub fn goes_round(&mut self, tool: &str, calls: &[&str]) {
        use overrule_domain::escape::{Detector, Finding, LoopStep, Signature, StepOutcome};
        use overrule_domain::event::{EscapeEvent, Event, RunEvent};
        use overrule_domain::id::{Seq, ThreadId};
        let signature = Signature {
            tool: tool.into(),
            args: Some("94b32882cbe09a2a".into()),
            error: None,
        };
        let finding = Finding {
            detector: Detector::Sequence,
            thread: ThreadId(0),
            period: 1,
            repetitions: 3,
            fails: true,
            first: Seq(1),
            nodes: calls.iter().map(|call| id(call)).collect(),
            signatures: vec![signature.clone()],
        };
        self.engine(Event::Escape(EscapeEvent::Found { incident: 1, finding }));
        for (node, level) in [("i40", LoopStep::Guidance), ("i41", LoopStep::Human)] {
            self.engine(Event::Escape(EscapeEvent::Proposed {
                incident: 1,
                node: id(node),
                step: level,
                why: "no other tool is known\u{202e}".into(),
                after: TurnId(2),
                skipped: Vec::new(),
            }));
            self.engine(Event::Escape(EscapeEvent::Applied {
                incident: 1,
                node: id(node),
                forbidden: vec![signature.clone()],
                notice: Some("You repeat yourself.".into()),
            }));
            if level == LoopStep::Guidance {
                self.engine(Event::Escape(EscapeEvent::StepEnded {
                    incident: 1,
                    node: id(node),
                    outcome: StepOutcome::Ignored,
                }));
            }
        }
        self.engine(Event::Run(RunEvent::Paused {
            reason: format!("loop 1: {tool}: the same 3 times in a row"),
        }));
    }
}

impl Stage {
    /// A new text for a thought, committed elsewhere, so that neither cursor nor focus moves.
    pub fn rewrite(&mut self, node: &str, text: &str) {
        use crate::kernel::model::staged_edits::commit_of;
        use crate::kernel::msg::Out;
        use overrule_domain::command::{Command, Edit};
        let node = id(node);
        let base = self
            .model
            .run
            .state
            .node(node)
            .map(overrule_domain::node::Node::rev);
        let edit = Edit::Text {
            node,
            base: base.unwrap_or_default(),
            text: text.into(),
        };
        let command = Command::Edit(commit_of(vec![edit], false));
        self.out.push(Out::Command(command));
        self.carry_out();
    }

    /// Three waiting writes that an edit superseded.
    pub fn replaced(&mut self) {
        self.three_wait();
        self.rewrite("t2", "I will not write.");
    }

    /// Three waiting writes.
    pub fn three_wait(&mut self) {
        self.begin();
        self.thought("t2", "I will write.");
        for name in ["c3", "c4", "c5"] {
            let args = format!(r#"{{"path":"{name}","content":"b"}}"#);
            self.awaiting(name, "write_file", &args);
        }
        self.close();
        self.draw();
    }
}
