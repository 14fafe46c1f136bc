//! Compares what a verb records on a stored session with what it records in a live run that is paused.
//!
//! Must not know: how a verb is recorded.

use std::fs;
use std::path::Path;

use overrule::domain::envelope::{Actor, Operator};
use overrule::domain::event::{CallEvent, Event, RunEvent, TurnEvent};
use overrule::domain::id::NodeKind;
use overrule::domain::state::State;

use crate::cli::control::holder::{Holder, sockets};
use crate::cli::decisions::{call, digest, interrupted};
use crate::cli::playbooks::STEPS;
use crate::cli::world::{World, until};

/// The words of a verb after the session, for this state; the digest is that of the call `start`.
type Words = fn(&State, &str) -> Vec<String>;

fn words<const N: usize>(all: [&str; N]) -> Vec<String> {
    all.map(str::to_owned).to_vec()
}

fn on(state: &State, label: &str) -> String {
    call(state, label).to_string()
}

fn first(state: &State, kind: NodeKind) -> String {
    let mut nodes = state.nodes.keys().filter(|id| id.kind == kind);
    nodes.next().unwrap().to_string()
}

const OTHER: &str = r#"{"_as":"start","command":"echo other >> log.txt; echo other"}"#;

/// Verbs on a session of [`STEPS`] that is paused: one call has run, another one awaits approval.
const VERBS: &[(&str, Words)] = &[
    ("approve", |state, digest| {
        words([&on(state, "start"), "--digest", digest])
    }),
    ("reject", |state, _| {
        words([&on(state, "start"), "--reason", "not here"])
    }),
    ("edit", |state, _| words([&on(state, "start"), "--args", OTHER])),
    ("edit", |state, _| {
        words([&first(state, NodeKind::Prompt), "--text", "another task"])
    }),
    ("edit", |state, _| {
        words([&first(state, NodeKind::Observation), "--value", "\"gamma\""])
    }),
    ("edit", |state, _| {
        words([&first(state, NodeKind::Thought), "--text", "another thought"])
    }),
    ("replace", |state, _| {
        words([
            &on(state, "start"),
            "read_file",
            "--args",
            r#"{"path":"notes.txt"}"#,
        ])
    }),
    ("answer", |state, _| {
        words([&on(state, "start"), "--value", "\"done\""])
    }),
    ("retry", |state, _| words([&on(state, "notes")])),
    ("guide", |_, _| words(["look again"])),
    ("insert-thought", |_, _| words(["I look again."])),
    ("insert-call", |_, _| {
        words(["read_file", "--args", r#"{"path":"notes.txt"}"#])
    }),
    ("delete", |state, _| words([&on(state, "start")])),
    ("undo", |_, _| words([])),
    ("add-rule", |_, _| {
        words([r#"tool = "read_file", gate = "allow""#])
    }),
    ("set-policy", |_, _| words(["auto"])),
    ("set-limits", |_, _| words(["--max-turns", "3"])),
    ("restrict", |_, _| words(["--reason", "look first"])),
    ("unpause", |_, _| words([])),
    ("stop", |_, _| words(["--reason", "enough"])),
];

/// An event, whether the next one belongs to the same decision, and its author without the place.
type Fact = (Event, bool, Actor);

/// Everything that was recorded after the first events.
fn after(world: &World, id: &str, count: usize) -> Vec<Fact> {
    let facts = world.facts(id).into_iter().skip(count);
    let bare = facts.map(|fact| {
        let actor = match fact.actor {
            Actor::Operator(Operator { name, .. }) => Actor::Operator(Operator { name, via: None }),
            other => other,
        };
        (without_deadline(fact.event), fact.more, actor)
    });
    bare.collect()
}

/// A question without its deadline: only a process without an operator sets one.
fn without_deadline(mut event: Event) -> Event {
    match &mut event {
        Event::Call(CallEvent::Asked { deadline_ms, .. }) => *deadline_ms = None,
        Event::Call(CallEvent::Ready { verdict, .. }) => verdict.deadline_ms = None,
        _ => {}
    }
    event
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().flatten() {
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

fn put_back(kept: &Path, session: &Path) {
    fs::remove_dir_all(session).unwrap();
    copy(kept, session);
}

fn reopened(world: &World, id: &str) -> usize {
    let facts = world.facts(id).into_iter();
    facts
        .filter(|fact| matches!(fact.event, Event::Run(RunEvent::Reopened { .. })))
        .count()
}

/// Ends of turns: they lead to the next request, so the process that runs the session records them.
fn is_left_to_the_run(fact: &Fact) -> bool {
    matches!(fact.0, Event::Turn(TurnEvent::Settled { .. }))
}

#[test]
fn a_verb_on_a_stored_session_records_what_it_records_in_a_paused_run() {
    let world = World::new();
    let id = interrupted(&world, STEPS, 1);
    let notes = first(&world.state(&id), NodeKind::Observation);
    world.run(&["edit", &id, &notes, "--value", "\"beta\""]).ends(0);
    world.run(&["pause", &id]).ends(0);
    let session = world.sessions().join(&id);
    let (base, kept) = (world.path("base"), world.path("kept"));
    copy(&session, &base);
    for (verb, words) in VERBS {
        world.own(&id);
        let before = reopened(&world, &id);
        let resume = world.command(&["resume", &id, "--headless", "--control"]);
        let holder = Holder::start(&world, resume);
        until("it is resumed", || reopened(&world, &id) > before);
        let state = world.state(&id);
        let count = world.facts(&id).len();
        let seen = digest(&world, &id, call(&state, "start"));
        let more = words(&state, &seen);
        let args: Vec<&str> = [*verb, &id]
            .into_iter()
            .chain(more.iter().map(String::as_str))
            .collect();
        copy(&session, &kept);
        world.run(&args).ends(0);
        let live = after(&world, &id, count);
        drop(holder);
        // A killed process leaves its socket.
        for socket in sockets(&world) {
            fs::remove_file(socket).unwrap();
        }

        put_back(&kept, &session);
        world.run(&args).ends(0);
        let stored = after(&world, &id, count);
        assert!(!stored.is_empty(), "{args:?}");
        let (same, rest) = live.split_at(stored.len().min(live.len()));
        assert_eq!(stored, same, "{args:?}");
        assert!(rest.iter().all(is_left_to_the_run), "{args:?}: {rest:#?}");
        assert_eq!(world.read("log.txt"), "", "{args:?} ran something");
        fs::remove_dir_all(&kept).unwrap();
        put_back(&base, &session);
    }
}
