//! Tests that a key is offered only if the run would carry out what it sends, and sends exactly that.
//!
//! Must not know: what the run decides.

use std::sync::Arc;

use crate::app::registry::verbs;
use crate::kernel::availability;
use crate::kernel::availability::is_offered;
use crate::kernel::input;
use crate::kernel::model::Source;
use crate::kernel::verb::{Availability, By, Verb};
use crate::testing::{ARMING, Stage, id};
use overrule_domain::advice::Cards;
use overrule_domain::call::Outcome;
use overrule_domain::command::Command;
use overrule_domain::decide;
use overrule_domain::event::run::ToolOrigin;
use overrule_domain::event::{Event, RunEvent};
use overrule_domain::node::Origin;
use overrule_domain::turn::StreamFaultKind;

fn verb(name: &str) -> &'static Verb {
    verbs().find(|verb| verb.name == name).unwrap()
}

fn accepts(stage: &Stage, command: &Command) -> bool {
    let state = &stage.model.run.state;
    decide::command(state, &Cards(state), command).is_ok()
}

fn limit(stage: &mut Stage, which: &str) {
    stage.thought("t2", "I read.");
    stage.close();
    stage.engine(Event::Run(RunEvent::LimitReached {
        which: which.into(),
        message: "x".into(),
    }));
}

pub(super) fn stopped(stage: &mut Stage) {
    stage.awaiting("c3", "write_file", r#"{"path":"a","content":"b"}"#);
    stage.close();
    stage.engine(Event::Run(RunEvent::Stopped { reason: "x".into() }));
    stage.at_the_queue();
}

pub(super) fn waiting(stage: &mut Stage) {
    stage.awaiting("c3", "write_file", r#"{"path":"a","content":"b"}"#);
    stage.at_the_queue();
}

pub(super) fn paused(stage: &mut Stage) {
    stage.thought("t2", "I read.");
    stage.close();
    stage.engine(Event::Run(RunEvent::Paused { reason: "x".into() }));
}

pub(super) fn read(stage: &mut Stage) {
    stage.finished("c3", "read_file", r#"{"path":"a"}"#, Outcome::ok("1"));
    stage.close();
    stage.press("1 G 3");
}

pub(super) fn too_long(stage: &mut Stage) {
    stage.thought("t2", "I read.");
    stage.broken_by(StreamFaultKind::Overflow, "the context is too long", None);
    stage.press("2 enter");
}

pub(super) fn broke(stage: &mut Stage) {
    stage.thought("t2", "I read.");
    stage.broken();
    stage.press("2 enter");
}

pub(super) fn nothing(_: &mut Stage) {}

/// Puts something on the screen.
type Scene = fn(&mut Stage);
/// A scene, a verb, and whether it is offered there.
type Case = (Scene, &'static str, bool);

const CASES: &[Case] = &[
    (nothing, "pause", true),
    (paused, "pause", true),
    (|stage| limit(stage, "turns"), "pause", false),
    (nothing, "step", false),
    (paused, "step", true),
    (nothing, "stop-turn", true),
    (paused, "stop-turn", false),
    (nothing, "restrict", true),
    (waiting, "approve", true),
    (stopped, "approve", false),
    (waiting, "reject", true),
    (stopped, "reject", false),
    (waiting, "answer", true),
    (stopped, "answer", false),
    (read, "retry", true),
    (waiting, "retry", false),
    (nothing, "allow-loop", false),
    (nothing, "reset-breaker", false),
    // The run waits before a request that is too long, but there is nothing to shorten.
    (|stage| limit(stage, "context"), "shorten", false),
    (|stage| limit(stage, "context"), "drop-turns", false),
    (broke, "ask-again", true),
    (broke, "keep-arrived", true),
    // The same bytes would be refused again.
    (too_long, "keep-arrived", true),
];

#[test]
fn a_key_is_offered_only_if_the_run_would_carry_it_out() {
    for (at, (scene, name, offered)) in CASES.iter().enumerate() {
        let mut stage = Stage::new(120, 40);
        stage.begin();
        scene(&mut stage);
        stage.wait(ARMING);
        stage.draw();
        let verb = verb(name);
        assert_eq!(
            is_offered(&stage.model, verb),
            *offered,
            "{at} {name}: {}",
            stage.text()
        );
        // Nothing is asked that the key would not send: what it sends is accepted exactly where it is offered.
        if let Some(command) = (verb.command)(&stage.model).filter(|_| *offered) {
            assert!(accepts(&stage, &command), "{at} {name}: {command:?}");
        }
    }
}

#[test]
fn the_key_sends_the_command_that_the_run_was_asked_about() {
    let cases: &[(Scene, &str)] = &[
        (nothing, "pause"),
        (paused, "pause"),
        (paused, "step"),
        (nothing, "stop-turn"),
        (nothing, "restrict"),
        (read, "retry"),
        (broke, "ask-again"),
        (broke, "keep-arrived"),
    ];
    for (scene, name) in cases {
        let mut stage = Stage::new(120, 40);
        stage.begin();
        scene(&mut stage);
        stage.wait(ARMING);
        stage.draw();
        let verb = verb(name);
        let command = (verb.command)(&stage.model).unwrap_or_else(|| panic!("{name} sends something"));
        stage.commands();
        stage.press(verb.keys[0]);
        stage.wait(ARMING);
        assert_eq!(stage.commands(), [command], "{name}: {}", stage.status());
    }
}

#[test]
fn a_refused_verb_shows_why_and_sends_nothing() {
    let scenes: &[(Scene, bool)] = &[
        (nothing, false),
        (waiting, false),
        (read, false),
        (stopped, false),
        (waiting, true),
        (read, true),
    ];
    for (at, (scene, is_recorded)) in scenes.iter().enumerate() {
        let mut refused = 0;
        let mut stage = Stage::new(120, 40);
        stage.begin();
        scene(&mut stage);
        if *is_recorded {
            stage.model.settings.source = Source::Replay;
        }
        stage.wait(ARMING);
        stage.draw();
        for verb in verbs() {
            let mut model = stage.model.clone();
            let Availability::Refused(why) = availability::of(&model, verb) else {
                let changes = verb.effect.acts();
                assert!(
                    !is_recorded || !changes,
                    "{at}: {} works in a recorded run",
                    verb.name
                );
                continue;
            };
            refused += 1;
            let before = model.stack.len();
            let mut out = Vec::new();
            let now = model.arming.now;
            input::run(&mut model, verb, By::Palette, now, &mut out);
            assert!(out.is_empty(), "{at}: {} {out:?}", verb.name);
            assert_eq!(model.stack.len(), before, "{at}: {}", verb.name);
            assert_eq!(model.message.text, why.to_string(), "{at}: {}", verb.name);
        }
        assert!(refused > 2, "{at}: {refused}");
    }
}

#[test]
fn what_an_agent_would_contradict_is_refused_before_a_word_is_typed() {
    for (name, is_from_agent) in [
        ("edit", true),
        ("delete", true),
        ("insert-call", true),
        ("edit", false),
    ] {
        let mut stage = Stage::new(120, 40);
        stage.begin();
        let state = &mut stage.model.run.state;
        let tools = &mut Arc::make_mut(state.started.as_mut().unwrap()).tools;
        tools[0].origin = Some(Box::new(ToolOrigin {
            source: ToolOrigin::AGENT.into(),
            server: None,
            tool: "bash".into(),
            title: None,
            pin: "pin".into(),
            drift: None,
        }));
        let prompt = state.nodes.get_mut(&id("p1")).unwrap();
        if is_from_agent {
            prompt.revisions[0].origin = Origin::Import;
        }
        stage.draw();
        stage.press("1 g");
        assert_eq!(stage.selected(), Some(id("p1")));
        let found = availability::of(&stage.model, verb(name));
        assert_eq!(
            matches!(found, Availability::Refused(_)),
            is_from_agent,
            "{name}: {found:?}"
        );
        let key = verb(name).keys[0];
        stage.press(key);
        assert_eq!(
            stage.status().contains("guide the model"),
            is_from_agent,
            "{name}: {}",
            stage.status()
        );
        assert_eq!(stage.model.stack.is_empty(), is_from_agent, "{name}");
        let is_sent = !stage.commands().is_empty();
        assert_ne!(is_sent, is_from_agent, "{name}: an open editor holds the run");
    }
}

#[test]
fn a_released_call_that_its_agent_does_not_have_is_held_and_not_running() {
    let mut stage = Stage::new(120, 40);
    stage.sample();
    let running = stage.text();
    assert!(
        running.contains("c6 read_file ⠋ running") || running.contains("running"),
        "{running}"
    );
    let state = &mut stage.model.run.state;
    let tools = &mut Arc::make_mut(state.started.as_mut().unwrap()).tools;
    tools[0].origin = Some(Box::new(ToolOrigin {
        source: ToolOrigin::AGENT.into(),
        server: None,
        tool: "bash".into(),
        title: None,
        pin: "pin".into(),
        drift: None,
    }));
    stage.press("1 G");
    let held = stage.text();
    let row = held
        .lines()
        .find(|row| row.contains("c6  read_file"))
        .unwrap_or_default();
    assert!(
        row.contains("held behind c5") && !row.contains("running"),
        "{held}"
    );
}

#[test]
fn a_row_shows_a_path_of_the_workspace_relative_to_it() {
    let mut stage = Stage::new(200, 40);
    stage.begin();
    let started = stage.model.run.state.started.as_mut().unwrap();
    Arc::make_mut(started).workspace = "/home/u/project".into();
    stage.awaiting(
        "c3",
        "Read",
        r#"{"limit":5,"file_path":"/home/u/project/src/main.rs"}"#,
    );
    stage.awaiting("c4", "Read", r#"{"file_path":"/home/u/project/../secret"}"#);
    stage.awaiting("c5", "Read", r#"{"file_path":"/home/u/project-2/x"}"#);
    stage.press("1 G");
    let text = stage.text();
    let row = |id: &str| {
        let mut rows = text
            .lines()
            .filter(|line| line.contains(id) && line.contains("Read"));
        rows.next().unwrap_or_default().to_owned()
    };
    assert!(
        row("c3 ").contains("Read src/main.rs") && !row("c3 ").contains("/home/u"),
        "{text}"
    );
    assert!(row("c4 ").contains("/home/u/project/../secret"), "{text}");
    assert!(row("c5 ").contains("/home/u/project-2/x"), "{text}");
}
