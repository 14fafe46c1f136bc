//! Runs in which calls of several kinds wait for a decision.
//!
//! Must not know: terminals, engines.

use std::sync::Arc;

use super::{Stage, id};
use crate::ground::diff;
use crate::kernel::msg::Msg;
use crate::run::link::{LoadRequest, Replaced, Update};
use overrule_domain::call::{Digest, EffectClass, ErrorClass, Outcome, ToolError, Verdict};
use overrule_domain::event::run::{Limits, Reuse, Started, ToolCard, ToolOrigin};
use overrule_domain::event::{CallEvent, Event, RunEvent, TurnEvent};
use overrule_domain::id::{NodeId, Rev, ThreadId, TurnId};
use overrule_domain::node::{Channel, Origin};
use overrule_domain::turn::{Producer, Stop, Usage};
use overrule_policy::{Danger, DangerKind};

/// The file that is fixed.
pub const STATS: &str = "\"\"\"Statistics.\"\"\"\n\n\ndef mean(xs):\n    \"\"\"Arithmetic mean of a non-empty list.\"\"\"\n    return sum(xs) / len(xs) + 1\n\n\ndef median(xs):\n    \"\"\"Middle value of a non-empty list.\"\"\"\n    ys = sorted(xs)\n    return ys[len(ys) // 2]\n";
/// The schemas of the tools whose arguments are edited as fields.
const ISSUE: &str = r#"{"type":"object","properties":{"title":{"type":"string","maxLength":256,"description":"Short name of the issue."},"body":{"type":"string"},"owner":{"type":"string"},"repo":{"type":"string"},"labels":{"type":"array","items":{"type":"string"}},"priority":{"enum":["low","normal","high"],"default":"normal"},"draft":{"type":"boolean","default":false},"assignees":{"type":"array","items":{"type":"string"}},"milestone":{"type":"integer"}},"required":["title","body","owner","repo"]}"#;
const SHELL: &str = r#"{"type":"object","properties":{"command":{"type":"string"},"cwd":{"type":"string","default":"."},"timeout_s":{"type":"integer","default":120}},"required":["command"]}"#;
const EDIT: &str = r#"{"type":"object","properties":{"path":{"type":"string"},"old":{"type":"string"},"new":{"type":"string"}},"required":["path","old","new"]}"#;

impl Stage {
    /// The tools of the run that fixes tests.
    fn fixing_tools() -> Vec<ToolCard> {
        let github = ToolOrigin {
            source: "mcp".into(),
            server: Some("github".into()),
            tool: "create_issue".into(),
            title: None,
            pin: "pin".into(),
            drift: None,
        };
        vec![
            ToolCard::bare("list_dir", EffectClass::Read, &[]),
            ToolCard::bare("read_file", EffectClass::Read, &[]),
            ToolCard {
                schema: EDIT.into(),
                ..ToolCard::bare("edit_file", EffectClass::Write, &[])
            },
            ToolCard::bare("write_file", EffectClass::Write, &[]),
            ToolCard {
                schema: SHELL.into(),
                ..ToolCard::bare("shell", EffectClass::Write, &["external"])
            },
            ToolCard {
                schema: ISSUE.into(),
                origin: Some(Box::new(github)),
                ..ToolCard::bare("github__create_issue", EffectClass::Write, &["external"])
            },
            ToolCard::bare("deploy", EffectClass::Write, &["irreversible"]),
        ]
    }

    /// Starts a run that fixes tests, with its prompt.
    pub fn fixing(&mut self) {
        let mut table = Danger::default();
        table.add(DangerKind::Network, vec!["deploy".to_owned()]);
        self.model.run.danger = Arc::new(table);
        let started = Started {
            version: "0".into(),
            workspace: "/home/ada/stats".into(),
            model: "coder-1".into(),
            wire: "openai-chat".into(),
            system: "be good".into(),
            tools: Self::fixing_tools(),
            policy: "guarded".into(),
            limits: Limits::default(),
            user: "ada".into(),
            input: "null".into(),
            setup: "{}".into(),
            reuse: Reuse::default(),
            hide_edits: false,
            price: None,
            sandbox: "sandbox level 1".into(),
        };
        self.engine(Event::Run(RunEvent::Started(Box::new(started))));
        self.prompt_turn(1, "p1", "fix the failing tests");
    }

    /// A turn of the operator.
    pub fn prompt_turn(&mut self, turn: u32, node: &str, text: &str) {
        let turn = TurnId(turn);
        self.turn(TurnEvent::Opened {
            turn,
            thread: ThreadId(0),
            after: (turn.0 > 1).then(|| TurnId(turn.0 - 1)),
            producer: Producer::Operator,
        });
        self.turn(TurnEvent::Prompted {
            turn,
            node: id(node),
            text: text.into(),
        });
        let errors = Vec::new();
        self.turn(TurnEvent::Settled { turn, errors });
    }

    /// A thought of a turn.
    pub fn thinks(&mut self, turn: u32, node: &str, text: &str) {
        self.turn(TurnEvent::Thought {
            turn: TurnId(turn),
            node: id(node),
            text: text.into(),
            channel: Channel::Spoken,
            opaque: None,
            origin: Origin::Model,
        });
    }

    /// A call of a turn that is ready, by this rule of the policy.
    pub fn calls(&mut self, turn: u32, node: &str, tool: &str, args: &str, rule: &str) {
        self.turn(TurnEvent::Proposed {
            turn: TurnId(turn),
            node: id(node),
            provider_id: None,
            opaque: None,
            tool: tool.into(),
            args: args.into(),
            origin: Origin::Model,
        });
        let card = self.model.run.tool(tool).map(|card| card.effect);
        self.call(CallEvent::Checked {
            call: id(node),
            rev: Rev(1),
            faults: Vec::new(),
            references: Vec::new(),
            label: node.into(),
            out: None,
            effect: card.unwrap_or(EffectClass::Unknown),
            delegates: false,
        });
        self.call(CallEvent::Ready {
            call: id(node),
            rev: Rev(1),
            bindings: Vec::new(),
            resolved: None,
            digest: Digest(format!("digest-of-{node}-r1").into()),
            operands: Vec::new(),
            verdict: Verdict {
                rule: rule.into(),
                reason: "it is so.".into(),
                ..Self::verdict()
            },
        });
    }

    /// A call of a turn that waits for a decision.
    pub fn asks(&mut self, turn: u32, node: &str, tool: &str, args: &str) {
        let rule = match tool {
            "deploy" => "preset guarded: what cannot be undone asks",
            _ => "preset guarded: changes ask",
        };
        self.calls(turn, node, tool, args, rule);
        self.call(CallEvent::Asked {
            call: id(node),
            rev: Rev(1),
            deadline_ms: None,
            approver: None,
        });
    }

    /// A call of a turn that ran with this outcome.
    pub fn gave(&mut self, turn: u32, node: &str, tool: &str, args: &str, outcome: Outcome) {
        self.calls(turn, node, tool, args, "preset guarded: pure and read go");
        self.start(node);
        self.finish(node, outcome);
    }

    /// The model is asked for a turn, its thoughts and calls follow.
    pub fn asked_for(&mut self, turn: u32) {
        self.request(turn, 1);
    }

    /// The stream of a turn ends.
    pub fn closes(&mut self, turn: u32) {
        self.turn(TurnEvent::Closed {
            turn: TurnId(turn),
            stop: Stop::Calls,
            usage: Usage {
                input: Some(1_500),
                output: Some(150),
                ..Usage::default()
            },
        });
    }

    /// A file of the run would be replaced by this text.
    pub fn would_replace(&mut self, call: &str, old: Option<&str>, new: &str) {
        let found = match old {
            Some(old) => Replaced::Text(diff::lines_around(old, new, diff::AROUND_DECIDED).into()),
            None => Replaced::Nothing,
        };
        let look = LoadRequest {
            call: id(call),
            rev: Rev(1),
            digest: Some(Digest(format!("digest-of-{call}-r1").into())),
        };
        let base: Option<Arc<str>> = Some(old.unwrap_or_default().into());
        self.send(Msg::Run(Update::Replaces { look, found, base }));
    }

    /// The run that fixes tests, where four calls of one turn wait: an edit, a command, two commands with dangers, and a call
    /// of a server.
    pub fn four_wait(&mut self) {
        self.fixing();
        self.asked_for(2);
        self.thinks(
            2,
            "t2",
            "I will read the code and its tests before I change anything.",
        );
        self.thinks(
            2,
            "t3",
            "Let me look at the module, the tests and the notes together.",
        );
        let text = |lines: usize| Outcome::ok(serde_json::json!(vec!["line"; lines].join("\n")).to_string());
        self.gave(2, "c4", "list_dir", r#"{"path":"."}"#, text(5));
        self.gave(2, "c5", "read_file", r#"{"path":"stats.py"}"#, text(14));
        self.gave(
            2,
            "c6",
            "read_file",
            r#"{"path":"tests/test_stats.py"}"#,
            text(31),
        );
        self.closes(2);
        self.turn(TurnEvent::Settled {
            turn: TurnId(2),
            errors: Vec::new(),
        });
        self.asked_for(3);
        self.thinks(
            3,
            "t7",
            "`mean` adds 1 to its result. I remove that, run the tests, clean up what they leave, and open an issue.",
        );
        self.asks(3, "c8", "edit_file", FIX);
        self.asks(
            3,
            "c9",
            "shell",
            r#"{"command":"python3 -m unittest discover -s tests -v"}"#,
        );
        self.asks(
            3,
            "c10",
            "shell",
            r#"{"command":"rm -rf build dist && git clean -fdx"}"#,
        );
        self.asks(3, "c11", "github__create_issue", &issue());
        self.closes(3);
        let fixed = STATS.replace("len(xs) + 1", "len(xs)");
        self.draw();
        self.would_replace("c8", Some(STATS), &fixed);
        self.draw();
    }

    /// A call that cannot be undone waits alone.
    pub fn deploy_waits(&mut self) {
        self.fixing();
        self.asked_for(2);
        self.thinks(2, "t2", "Everything passes. I deploy it.");
        self.asks(2, "c30", "deploy", r#"{"to":"production","version":"4.2.1"}"#);
        self.closes(2);
        self.draw();
    }

    /// The run that fixes tests, later: the edit was approved, its tests failed, the other calls were rejected.
    fn tests_failed(&mut self) {
        self.four_wait();
        self.decide_and_run("c8", Outcome::ok("\"replaced 1 place\""));
        let failed = Outcome::Ok {
            value: serde_json::json!("Traceback\nAssertionError: 2 != 2.5\nFAILED (failures=1)")
                .to_string()
                .into(),
            meta: Some(r#"{"exit":1}"#.into()),
            discarded: 0,
            exit: Some(1),
        };
        self.decide_and_run("c9", failed);
        for call in ["c10", "c11"] {
            self.call(CallEvent::Decided {
                call: id(call),
                rev: Rev(1),
                digest: None,
                decision: overrule_domain::call::Decision::Reject {
                    reason: "the build directory is not ours".into(),
                },
            });
        }
        self.turn(TurnEvent::Settled {
            turn: TurnId(3),
            errors: Vec::new(),
        });
    }

    /// The same run, where a command failed afterwards: one row of each ending.
    pub fn failures(&mut self) {
        self.tests_failed();
        self.asked_for(4);
        self.thinks(4, "t12", "I run the slow tests too.");
        self.asks(4, "c16", "shell", r#"{"command":"./slow.sh"}"#);
        self.closes(4);
        let killed = ToolError {
            class: ErrorClass::Business,
            message: "killed after 120 s".into(),
            evidence: "signal 9".into(),
            hint: None,
            partial: None,
            executed: true,
            retry_after_ms: None,
        };
        self.decide_and_run("c16", Outcome::err(killed));
        self.draw();
    }

    /// The same run, with a thought in Markdown at its end.
    pub fn what_is_left(&mut self) {
        self.failures();
        self.asked_for(5);
        self.thinks(
            5,
            "t17",
            "## What is left\n\n- `median` of an even number of values\n- the docstring of `spread`\n\n```python\nmedian([1, 2, 3, 4])    # 2.5, not 3\n```",
        );
        self.closes(5);
        self.draw();
    }

    /// The same run, whose agent then answered.
    pub fn answers(&mut self) {
        self.tests_failed();
        self.asked_for(4);
        self.thinks(
            4,
            "a19",
            "Two faults in `stats.py` fixed: `mean` added 1, `median` took one value.\nAll 5 tests pass. Changed: stats.py, CHANGES.md",
        );
        self.closes(4);
        self.draw();
        self.engine(Event::Run(RunEvent::Finished {
            answer: id("a19"),
            failed: Vec::new(),
        }));
        self.draw();
    }

    /// The same run, where the operator guided, and another edit waits with a command.
    pub fn two_wait(&mut self) {
        self.tests_failed();
        self.prompt_turn(4, "p12", "also add a docstring about the empty list");
        self.asked_for(5);
        self.thinks(
            5,
            "t13",
            "One test is left: `median` of an even number of values must be the mean of the two middle ones. I compare with `statistics.median`, and then run only the tests of that function; the docstring follows after they pass.",
        );
        self.asks(5, "c14", "edit_file", MEDIAN);
        self.asks(
            5,
            "c15",
            "shell",
            r#"{"command":"for t in even odd; do python3 -m unittest -k median_$t; done"}"#,
        );
        self.closes(5);
        let now = STATS.replace("len(xs) + 1", "len(xs)");
        let then = now.replace(
            "    return ys[len(ys) // 2]\n",
            "    mid = len(ys) // 2\n    if len(ys) % 2:\n        return ys[mid]\n    return (ys[mid - 1] + ys[mid]) / 2\n",
        );
        self.draw();
        self.would_replace("c14", Some(&now), &then);
        self.draw();
    }

    /// Approves a waiting call, which runs with this outcome.
    fn decide_and_run(&mut self, node: &str, outcome: Outcome) {
        self.approved(node);
        let effect = self.model.run.state.call(id(node)).map(|call| call.effect);
        self.call(CallEvent::Started {
            call: id(node),
            rev: Rev(1),
            attempt: overrule_domain::id::Attempt(1),
            key: "k".into(),
            same: format!("same-{node}").into(),
            effect: effect.unwrap_or(EffectClass::Unknown),
            task: None,
            before: None,
            thread: None,
            guards: Vec::new(),
        });
        self.finish(node, outcome);
    }

    /// Starts a call of a tool that recorded its file before it and after it.
    #[cfg(test)]
    pub fn writes_file(&mut self, call: &str, args: &str, (before, after): (Option<&str>, &str)) {
        let hash = |text: &str| blake3::hash(text.as_bytes()).to_hex().to_string();
        let recorded = serde_json::json!({
            "before": before.map(hash), "after": hash(after), "content": before,
        });
        self.proposed(call, "write_file", args);
        self.ready(call, 1);
        self.call(CallEvent::Decided {
            call: id(call),
            rev: Rev(1),
            digest: None,
            decision: overrule_domain::call::Decision::Auto { rule: "test".into() },
        });
        let effect = self.model.run.state.call(id(call)).unwrap().effect;
        self.call(CallEvent::Started {
            call: id(call),
            rev: Rev(1),
            attempt: overrule_domain::id::Attempt(1),
            key: "k".into(),
            same: format!("same-{call}").into(),
            effect,
            task: None,
            before: Some(recorded.to_string().into()),
            thread: None,
            guards: Vec::new(),
        });
    }

    /// The cursor of the graph is on a node.
    pub fn on(&mut self, node: &str) -> NodeId {
        let node = id(node);
        let (graph, run) = (&mut self.model.graph, &self.model.run);
        assert!(graph.go_to(node, run), "{node}");
        self.draw();
        node
    }
}

/// The edit of `mean`.
const FIX: &str = r#"{"path":"stats.py","old":"    return sum(xs) / len(xs) + 1\n","new":"    return sum(xs) / len(xs)\n"}"#;
/// The edit of `median`.
const MEDIAN: &str = r#"{"path":"stats.py","old":"    return ys[len(ys) // 2]\n","new":"    mid = len(ys) // 2\n    if len(ys) % 2:\n        return ys[mid]\n    return (ys[mid - 1] + ys[mid]) / 2\n"}"#;

/// The arguments of the issue.
fn issue() -> String {
    serde_json::json!({
        "repo": "stats",
        "owner": "acme",
        "title": "median is wrong for an even number of values",
        "labels": ["bug", "tests"],
        "body": "`median([1, 2, 3, 4])` gives 3, expected 2.5.\nSteps: see tests/test_stats.py.",
    })
    .to_string()
}
