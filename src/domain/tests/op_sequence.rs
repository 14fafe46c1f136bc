//! Draws a random session from a list of numbers: each step picks one of the possible events.
//!
//! Must not know: what must be true.

mod home;

use std::sync::Arc;

pub use home::{bring_home, help};

use super::wishes;
use super::world::*;
use overrule_domain::branch;
use overrule_domain::call::{Consequence, ErrorClass, Gate, Outcome, Status, ToolError};
use overrule_domain::command::{CallCommand, Command, ConsentChoice, EditCommand, Resolution, RunCommand};
use overrule_domain::event::run::Limits;
use overrule_domain::id::{NodeId, NodeKind, TurnId};
use overrule_domain::input::{Block, Finding, Input};
use overrule_domain::node::{Content, Origin};
use overrule_domain::refusal::Refusal;
use overrule_domain::turn::{Stop, StreamFaultKind};
use overrule_resilience::loops::Config;

/// Numbers to draw from; zeros once it is used up.
pub struct OpSequence<'t> {
    numbers: &'t [u16],
    /// Whether there are sub-agents in the session.
    pub threads: bool,
    /// Whether failures are met by the ladder of the program.
    pub ladder: bool,
    /// Whether repetition is looked for.
    pub loops: bool,
    /// Whether tools have breakers.
    pub breakers: bool,
    /// True where arguments are repaired.
    pub repairs: bool,
    /// The tool whose calls are repaired; none before the rules are drawn.
    pub repaired_tool: Option<&'static str>,
}

impl<'t> OpSequence<'t> {
    pub fn new(numbers: &'t [u16]) -> Self {
        Self {
            numbers,
            threads: false,
            ladder: false,
            loops: false,
            breakers: false,
            repairs: false,
            repaired_tool: None,
        }
    }

    /// The same for a session with sub-agents.
    pub fn with_threads(numbers: &'t [u16]) -> Self {
        Self {
            threads: true,
            ..Self::new(numbers)
        }
    }

    /// The same for a session in which repetition is looked for.
    pub fn with_loops(numbers: &'t [u16]) -> Self {
        Self {
            loops: true,
            ..Self::new(numbers)
        }
    }

    /// The same for a session in which calls are tried again.
    pub fn with_ladder(numbers: &'t [u16]) -> Self {
        Self {
            ladder: true,
            ..Self::new(numbers)
        }
    }

    /// The same with breakers.
    pub fn with_breakers(numbers: &'t [u16]) -> Self {
        Self {
            breakers: true,
            ..Self::with_ladder(numbers)
        }
    }

    /// The same for a session with repairs.
    pub fn with_repairs(numbers: &'t [u16]) -> Self {
        Self {
            repairs: true,
            ..Self::new(numbers)
        }
    }

    pub fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    /// A number below `end`.
    pub fn draw(&mut self, end: usize) -> usize {
        let Some((first, rest)) = self.numbers.split_first() else {
            return 0;
        };
        self.numbers = rest;
        usize::from(*first) % end.max(1)
    }

    pub fn one<'a, T>(&mut self, of: &'a [T]) -> Option<&'a T> {
        let at = self.draw(of.len());
        of.get(at)
    }
}

/// A policy and tools whose results often come out equal.
pub fn rules(tape: &mut OpSequence<'_>) -> Rules {
    let mut rules = Rules {
        results: std::sync::Arc::new(|_, args| Outcome::ok(format!("{{\"v\":{}}}", (sum(args) + 1) % 3))),
        ..Rules::default()
    };
    for tool in ["read", "idem", "write", "unknown"] {
        let gate = [Gate::Allow, Gate::Allow, Gate::Ask, Gate::Deny][tape.draw(4)];
        rules.gates.insert(tool.into(), gate);
    }
    if tape.draw(3) == 0 {
        rules.deadline = Some((
            1000,
            [Consequence::Deny, Consequence::Escalate, Consequence::Halt][tape.draw(3)],
        ));
    }
    if tape.loops {
        let mut config = Config {
            same: 2,
            errors: 2,
            still: 2,
            ..Config::default()
        };
        config.substitutes.insert("read".into(), "pure".into());
        config.substitutes.insert("write".into(), "idem".into());
        rules.loops = Some((config, Arc::default()));
    }
    if tape.ladder {
        rules.steps = super::ladder::steps();
    }
    if tape.breakers {
        rules.breakers = Some(overrule_resilience::breaker::Settings {
            consecutive: 2,
            ..Default::default()
        });
    }
    if tape.repairs {
        super::repair_sessions::rules(tape, &mut rules);
    }
    rules
}

fn value(tape: &mut OpSequence<'_>) -> String {
    let label = tape.draw(5);
    match tape.draw(11) {
        0..=3 => format!("{}", tape.draw(2)),
        4 | 5 => format!("\"†call.l{label}.v\""),
        6 => format!("\"†call.l{label}.v || †call.l{}.v\"", tape.draw(5)),
        7 => format!("\"†call.l{label}.v && †state.s{}.v\"", tape.draw(2)),
        8 => format!("\"†state.s{}.v\"", tape.draw(2)),
        9 => format!("\"†call.c{}.v || †input.k\"", tape.draw(30)),
        _ => "\"†input.k\"".into(),
    }
}

pub fn args(tape: &mut OpSequence<'_>) -> String {
    let mut parts = Vec::new();
    if tape.draw(4) > 0 {
        parts.push(format!("\"_as\":\"l{}\"", tape.draw(5)));
    }
    match tape.draw(8) {
        0 | 1 => parts.push(format!("\"_out\":\"state.s{}\"", tape.draw(2))),
        2 => parts.push("\"_out\":\"state.s0 || state.s1\"".into()),
        3 => parts.push("\"_out\":\"state.s0.v\"".into()),
        _ => {}
    }
    parts.push(format!("\"n\":{}", value(tape)));
    if tape.threads {
        match tape.draw(6) {
            0 => parts.push("\"tools\":[\"read\",\"delegate\"]".into()),
            1 => parts.push(format!("\"max_turns\":{}", 1 + tape.draw(3))),
            2 => parts.push(format!("\"scopes\":[{}]", value(tape))),
            _ => parts.push(format!("\"task\":\"task {}\"", tape.draw(3))),
        }
    }
    match tape.draw(8) {
        0 => parts.push("\"path\":\"f\"".into()),
        1 => parts.push(format!("\"m\":{}", value(tape))),
        2 if tape.draw(3) == 0 => parts.push("\"bad\":1".into()),
        _ => {}
    }
    format!("{{{}}}", parts.join(","))
}

pub fn tool(tape: &mut OpSequence<'_>) -> &'static str {
    if tape.threads && tape.draw(4) == 0 {
        return "delegate";
    }
    [
        "read",
        "read",
        "pure",
        "write",
        "idem",
        "unknown",
        "write",
        "raed",
        "final_answer",
        "ask_operator",
    ][tape.draw(10)]
}

fn block(tape: &mut OpSequence<'_>) -> Block {
    if tape.draw(6) == 0 {
        return think(["plan", "other plan"][tape.draw(2)]);
    }
    if let Some(tool) = tape.repaired_tool.filter(|_| tape.draw(3) > 0) {
        return super::repair_sessions::call_of(tape, tool);
    }
    let tool = tool(tape);
    call(tool, &args(tape))
}

fn outcome(tape: &mut OpSequence<'_>, tool: &str) -> Option<Outcome> {
    if tape.repaired_tool == Some(tool) && tape.draw(3) > 0 {
        return Some(super::repair_sessions::refused(tape));
    }
    match tape.draw(8) {
        0 => Some(Outcome::err(ToolError {
            class: [ErrorClass::NotFound, ErrorClass::Transient][tape.draw(2)],
            message: "failed".into(),
            evidence: "test".into(),
            hint: None,
            partial: None,
            executed: tape.draw(2) == 0,
            retry_after_ms: None,
        })),
        1 => Some(Outcome::Cancelled {
            executed: tape.draw(2) == 0,
        }),
        2 => Some(Outcome::ok(format!("{{\"v\":{}}}", tape.draw(3)))),
        _ => None,
    }
}

/// One thing that the world or the operator does.
pub fn step(w: &mut World, tape: &mut OpSequence<'_>) {
    if tape.repairs && super::repair_sessions::step(w, tape) {
        return;
    }
    match tape.draw(40) {
        0..=13 if !w.open.is_empty() => stream(w, tape),
        0..=25 if !w.running.is_empty() => {
            let at = tape.draw(w.running.len());
            let id = w.running[at].call;
            let tool = w.running[at].tool.clone();
            match outcome(tape, &tool) {
                Some(outcome) if !w.running[at].cancelled => w.finish_at(at, outcome),
                _ => w.finish(id),
            }
        }
        26 => rare(w, tape),
        27 => drop(on_run(w, tape)),
        28..=30 => drop(on_call(w, tape)),
        31..=33 => drop(wishes::edit(w, tape)),
        34 if tape.draw(3) == 0 => drop(wishes::branch(w, tape)),
        35..=37 if !w.timers.is_empty() => {
            let at = tape.draw(w.timers.len());
            super::ladder::elapse(w, at);
        }
        _ => {
            let waiting: Vec<NodeId> = w.state.queue().map(|call| call.id).collect();
            if let Some(id) = tape.one(&waiting).copied() {
                drop(decide(w, tape, id));
            }
        }
    }
}

fn stream(w: &mut World, tape: &mut OpSequence<'_>) {
    if tape.threads {
        let at = tape.draw(w.open.len());
        w.open.rotate_left(at);
    }
    let (turn, request) = w.tip();
    let by_child = w.state.turns[&turn].thread != overrule_domain::thread::ROOT;
    if by_child && tape.draw(4) == 0 {
        w.reply(&[answer(["yes", "no"][tape.draw(2)])]);
        return;
    }
    let full = w.state.turns[&turn].nodes.len() > 12;
    match tape.draw(40) {
        0..=3 => w.end(Stop::Calls),
        4 => {
            w.stream(answer(["yes", "no"][tape.draw(2)]));
            // The program may have died over it.
            if !w.open.is_empty() {
                w.end(Stop::End);
            }
        }
        5 => w.end([Stop::Length, Stop::Filter, Stop::End][tape.draw(3)].clone()),
        6 => w.broke([StreamFaultKind::Network, StreamFaultKind::Auth][tape.draw(2)]),
        7 => w.input(Input::Partial {
            turn,
            request,
            text: "so far".into(),
            spoken: 2,
        }),
        _ if full => w.end(Stop::Calls),
        8..=30 if recorded(w, turn).is_some() => {
            if let Some(again) = recorded(w, turn) {
                w.stream(again);
            }
        }
        _ => {
            let block = block(tape);
            w.stream(block);
        }
    }
}

/// What the model had said at this place in an earlier request of the turn.
fn recorded(w: &World, turn: TurnId) -> Option<Block> {
    let turn = &w.state.turns[&turn];
    let line = branch::line(&w.state, w.state.epoch);
    let before = turn
        .nodes
        .iter()
        .map(|id| &w.state.nodes[id])
        .filter(|node| node.born() < turn.asked_at && node.revisions[0].origin == Origin::Model);
    let node = before
        .filter(|node| node.active || node.is_deleted_on(&line))
        .nth(turn.received)?;
    Some(match &node.revisions[0].content {
        Content::Call { tool, args } => call(tool, args),
        Content::Text {
            text,
            channel,
            opaque,
        } => Block::Thought {
            text: text.clone(),
            channel: *channel,
            opaque: opaque.clone(),
        },
        _ => return None,
    })
}

fn rare(w: &mut World, tape: &mut OpSequence<'_>) {
    match tape.draw(9) {
        0 | 1 => w.crash(),
        5 | 6 => w.fuse = Some(1 + tape.draw(6)),
        7 | 8 => w.late = 1 + tape.draw(4),
        2 => {
            // Also one of long ago: its report may have been on its way.
            if let Some((timer, set)) = tape.one(&w.waits.clone()).cloned() {
                w.input(Input::Elapsed { timer, set });
            }
        }
        3 => {
            if let Some((call, attempt)) = tape.one(&w.probes.clone()).copied() {
                let finding = (tape.draw(2) == 0).then(|| Finding {
                    happened: tape.draw(2) == 0,
                    value: None,
                    evidence: "looked".into(),
                });
                w.input(Input::Probed {
                    call,
                    attempt,
                    finding,
                });
            }
        }
        _ => {
            if let Some(one) = tape.one(&w.running.clone()) {
                let (call, attempt) = (one.call, one.attempt);
                w.input(Input::Spawned {
                    call,
                    attempt,
                    pid: 7,
                    ticks: 9,
                });
            }
        }
    }
}

/// A word on a call that waits for one.
pub fn decide(w: &mut World, tape: &mut OpSequence<'_>, id: NodeId) -> Result<(), Refusal> {
    match w.status(id) {
        Status::Consent(_) => {
            let entries = overrule_domain::repeat::equal_entries(&w.state, &w.state.calls[&id]);
            let entry = tape.one(&entries).copied().unwrap_or_default();
            let choice = match tape.draw(4) {
                0 => ConsentChoice::Reuse { entry },
                1 => ConsentChoice::Reject { reason: "no".into() },
                _ => ConsentChoice::RunAgain,
            };
            w.consent(id, choice)
        }
        Status::OutcomeUnknown(_) => {
            let what = match tape.draw(3) {
                0 => Resolution::DidNot,
                1 => Resolution::Abandon {
                    reason: String::new(),
                },
                _ => Resolution::Happened {
                    value: "{\"v\":1}".into(),
                },
            };
            w.cmd(Command::Call(CallCommand::Resolve {
                attempt: None,
                call: id,
                what,
            }))
        }
        _ => match tape.draw(5) {
            0 => w.reject(id),
            1 => w.answer_for(id, "{\"v\":2}"),
            _ => w.approve(id),
        },
    }
}

pub fn any(w: &World, tape: &mut OpSequence<'_>, kind: NodeKind) -> Option<NodeId> {
    let active = w.all(kind);
    if tape.draw(12) == 0 {
        let all: Vec<NodeId> = w
            .state
            .nodes
            .keys()
            .filter(|id| id.kind == kind)
            .copied()
            .collect();
        return tape.one(&all).copied();
    }
    tape.one(&active).copied()
}

fn on_call(w: &mut World, tape: &mut OpSequence<'_>) -> Option<Result<(), Refusal>> {
    let id = any(w, tape, NodeKind::Call)?;
    Some(match tape.draw(7) {
        0 => w.reject(id),
        1 => w.answer_for(id, &format!("{{\"v\":{}}}", tape.draw(3))),
        2 => w.cmd(Command::Call(CallCommand::Cancel {
            attempt: None,
            call: id,
            reason: "slow".into(),
        })),
        3 | 4 => w.retry(id),
        5 => w.unpin(id.observation()),
        _ => decide(w, tape, id),
    })
}

fn on_run(w: &mut World, tape: &mut OpSequence<'_>) -> Option<Result<(), Refusal>> {
    let turns: Vec<TurnId> = w.state.turns.keys().copied().collect();
    let turn = tape.one(&turns).copied()?;
    let command = match tape.draw(14) {
        0 => RunCommand::Pause {
            reason: "look".into(),
        },
        1 | 2 => RunCommand::Resume {},
        3 | 4 => RunCommand::Step {},
        5 => RunCommand::StopTurn {},
        6 => RunCommand::Stop {
            reason: "enough".into(),
        },
        7 => RunCommand::AskAgain { turn, request: None },
        8 => RunCommand::KeepArrived { turn, request: None },
        9 => RunCommand::SetLimits {
            limits: Limits {
                parallel: 1 + tape.draw(3) as u32,
                turns: Some(30),
                ..Limits::default()
            },
        },
        10 => {
            let node = [
                NodeKind::Thought,
                NodeKind::Call,
                NodeKind::Prompt,
                NodeKind::Observation,
            ][tape.draw(4)];
            let node = any(w, tape, node)?;
            return Some(w.cmd(Command::Edit(EditCommand::Hold { node })));
        }
        11 => RunCommand::Restrict {
            reason: "look first".into(),
        },
        12 => RunCommand::LiftRestriction {},
        _ => return Some(w.cmd(Command::Edit(EditCommand::Release { node: None }))),
    };
    Some(w.run(command))
}
