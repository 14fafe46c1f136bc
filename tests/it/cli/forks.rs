//! Tests of forked sessions: written whole or not at all, and the source is only read.
//!
//! Must not know: how a record is copied.
//!
//! No effect of the source is repeated unasked.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use overrule::domain::apply::fold;
use overrule::domain::call::{ConsentCause, Status};
use overrule::domain::event::{CallEvent, Event, RunEvent, TurnEvent};
use overrule::domain::id::Seq;
use overrule::journal;
use rustix::process::Signal;

use crate::cli::decisions::{call, executions, refused};
use crate::cli::playbooks::{STEPS, command};
use crate::cli::world::{World, finish, signal, until, wait};

/// Every file of a session, byte by byte.
fn bytes(world: &World, id: &str) -> BTreeMap<PathBuf, Vec<u8>> {
    fn below(dir: &Path, found: &mut BTreeMap<PathBuf, Vec<u8>>) {
        for entry in fs::read_dir(dir).unwrap().flatten() {
            if entry.path().is_dir() {
                below(&entry.path(), found);
            } else {
                found.insert(entry.path(), fs::read(entry.path()).unwrap());
            }
        }
    }
    let mut found = BTreeMap::new();
    below(&world.sessions().join(id), &mut found);
    found
}

/// The event before the first that is such a one.
fn before(world: &World, id: &str, nth: usize, is: impl Fn(&Event) -> bool) -> u64 {
    let facts = world.facts(id);
    let found = facts.iter().filter(|one| is(&one.event)).nth(nth);
    found.expect("it is recorded").seq.0 - 1
}

/// A run that came to its end; its id, and the event before its second request.
fn ended(world: &World) -> (String, u64) {
    world.play(STEPS, &["--policy", "auto"]).ends(0);
    let id = world.id();
    let at = before(world, &id, 1, |event| {
        matches!(event, Event::Turn(TurnEvent::Requested { .. }))
    });
    (id, at)
}

/// Forks and gives the id of the new session.
fn fork(world: &World, args: &[&str]) -> String {
    let known = world.ids();
    let output = world.run(&[&["fork"], args].concat()).ends(0);
    let mut new = world.ids();
    new.retain(|id| !known.contains(id));
    assert_eq!(new.len(), 1, "{new:?}");
    let id = new.remove(0);
    assert!(output.out.starts_with(&id), "{}", output.out);
    assert!(
        output.err.contains(&format!("overrule resume {id}")),
        "{}",
        output.err
    );
    id
}

#[test]
fn a_fork_goes_on_from_the_middle_and_repeats_nothing_that_happened_there_since() {
    let world = World::new();
    let (id, at) = ended(&world);
    let before = bytes(&world, &id);
    let new = fork(
        &world,
        &[&id, "--at", &format!("#{at}"), "--name", "the other way"],
    );
    let facts = world.facts(&new);
    let count = usize::try_from(at).unwrap();
    assert_eq!(facts[..count], world.facts(&id)[..count]);
    let Event::Run(RunEvent::Forked { session, at: from }) = &facts[count].event else {
        panic!("{:?}", facts[count]);
    };
    assert_eq!((&**session, *from), (id.as_str(), Seq(at)));
    let message = facts
        .iter()
        .filter(|one| matches!(one.event, Event::Run(RunEvent::HappenedElsewhere(_))));
    assert_eq!(message.count(), 2, "the copy and the second line of the log");
    let verified = world.run(&["sessions", "verify", &new]).ends(0);
    assert!(verified.out.contains("intact"), "{}", verified.out);
    let listed = world.run(&["sessions"]).ends(0);
    let message = format!("the other way  (fork of {} at {at})", &id[..13]);
    assert!(listed.out.contains(&message), "{}", listed.out);
    let shown = world.run(&["sessions", "show", &new]).ends(0);
    assert!(
        shown.out.contains(&format!("fork of    {id} at event {at}")),
        "{}",
        shown.out
    );
    let effects = world.run(&["effects", &new]).ends(0);
    assert_eq!(
        effects
            .out
            .matches(&format!("of session {id} happened after"))
            .count(),
        2,
        "{}",
        effects.out
    );
    assert_eq!(world.read("log.txt"), "start\nsecond\n", "a fork runs nothing");

    world.file("copy.txt", "mine");
    let output = world
        .run(&["resume", &new, "--headless", "--policy", "auto"])
        .ends(0);
    assert_eq!(output.out, "copied alpha, started, logged\n");
    assert!(
        output.err.contains("not reverted: 2 effects of session"),
        "{}",
        output.err
    );
    assert_eq!(world.read("log.txt"), "start\nsecond\n", "not again");
    assert_eq!(world.read("copy.txt"), "mine", "nor this");
    let state = world.state(&new);
    for label in ["copy", "second"] {
        assert_eq!(executions(&state, call(&state, label)), 0, "{label}");
    }
    assert_eq!(bytes(&world, &id), before, "the other session is only read");
    assert!(!world.sessions().join(format!("{new}.part")).exists());
}

#[test]
fn who_wants_it_again_is_asked_and_gets_it() {
    let world = World::new();
    let (id, _) = ended(&world);
    // The second command was approved and had not begun.
    let at = before(&world, &id, 3, |event| {
        matches!(event, Event::Call(CallEvent::Started { .. }))
    });
    let new = fork(&world, &[&id, "--at", &at.to_string()]);
    let state = world.state(&new);
    let second = call(&state, "second");
    assert_eq!(
        state.calls[&second].status,
        Status::Ready,
        "it goes to the gate anew"
    );
    let output = world.run(&["resume", &new, "--headless", "--policy", "guarded"]);
    assert_eq!(
        world.read("log.txt"),
        "start\nsecond\n",
        "{}{}",
        output.out,
        output.err
    );
    // A second fork from that point, with a decision before anything continues.
    let new = fork(&world, &[&id, "--at", &at.to_string()]);
    world.run(&["pause", &new]).ends(0);
    let state = world.state(&new);
    assert_eq!(
        state.calls[&second].status,
        Status::Consent(ConsentCause::Elsewhere)
    );
    let queue = world.run(&["queue", &new]).ends(0);
    assert!(
        queue
            .out
            .contains(&format!("of session {id} happened after the fork point")),
        "{}",
        queue.out
    );
    let digest = state.calls[&second].digest.clone().unwrap().0.to_string();
    let decided = [
        "consent",
        &new,
        &second.to_string(),
        "--digest",
        &digest,
        "run-again",
    ];
    world.run(&decided).ends(0);
    assert_eq!(world.read("log.txt"), "start\nsecond\n", "not before it goes on");
    world.run(&["unpause", &new]).ends(0);
    let output = world
        .run(&["resume", &new, "--headless", "--policy", "auto"])
        .ends(0);
    assert_eq!(output.out, "copied alpha, started, logged\n");
    assert_eq!(
        world.read("log.txt"),
        "start\nsecond\nsecond\n",
        "once more, as it was wanted"
    );
}

#[test]
fn every_place_can_be_forked_and_tears_no_decision() {
    let world = World::new();
    let (id, _) = ended(&world);
    let facts = world.facts(&id);
    let mut rounded = 0;
    for expected in 2..=facts.len() {
        let args = ["fork", &id, "--json", "--at", &expected.to_string()];
        let output = world.run(&args).ends(0);
        let value: serde_json::Value = serde_json::from_str(&output.out).unwrap();
        let new = value["session"].as_str().unwrap().to_owned();
        let at = usize::try_from(value["at"].as_u64().unwrap()).unwrap();
        assert!(at <= expected && !facts[at - 1].more, "{expected}: {at}");
        assert!(facts[at..expected].iter().all(|one| one.more || at == expected) || at < expected);
        rounded += usize::from(at < expected);
        let place = world.place(&new);
        let report = journal::verify(&place).unwrap();
        assert!(report.is_whole());
        assert_eq!(report.run.unwrap().to_string(), new);
        let copied = world.facts(&new);
        assert_eq!(copied[..at], facts[..at]);
        assert!(!copied.last().unwrap().more);
        assert_eq!(fold(&copied).origin.forks.len(), 1);
        fs::remove_dir_all(world.sessions().join(new)).unwrap();
    }
    assert!(rounded > 0, "there are decisions of several events");
    let output = world.run(&["fork", &id, "--at", "1"]);
    assert!(
        output.code == Some(0) || output.err.contains("first decision"),
        "{}",
        output.err
    );
}

#[test]
fn a_run_that_another_process_has_open_is_forked_without_a_lock() {
    let world = World::new();
    let playbook = command("echo begun >> log.txt; sleep 600");
    let mut running = world.playing(&playbook, &["--policy", "auto"]);
    let child = running
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    until("the command runs", || world.read("log.txt") == "begun\n");
    let id = world.id();
    until("all of its beginning is recorded", || {
        world.has_recorded(&id, "call.spawned")
    });
    let before = bytes(&world, &id);
    let new = fork(&world, &[&id]);
    assert_eq!(bytes(&world, &id), before);
    let output = world
        .run(&["resume", &new, "--headless", "--policy", "auto"])
        .ends(4);
    assert!(output.err.contains("outcome unknown:"), "{}", output.err);
    assert!(
        !output.err.contains("still runs"),
        "it belongs to the other run: {}",
        output.err
    );
    assert_eq!(world.read("log.txt"), "begun\n");
    signal(&child, Signal::TERM);
    wait(child);
    assert!(journal::verify(&world.place(&id)).unwrap().is_whole());
    // It was ended before the outcome of the command was recorded.
    let at = world.facts(&new).iter().find_map(|one| match &one.event {
        Event::Run(RunEvent::Forked { at, .. }) => Some(at.0.to_string()),
        _ => None,
    });
    let json = world.run(&["fork", &id, "--json", "--at", &at.unwrap()]).ends(0);
    let value: serde_json::Value = serde_json::from_str(&json.out).unwrap();
    assert_eq!(value["running"][0]["becomes"], "outcome_unknown", "{value}");
}

#[test]
fn what_cannot_be_forked_is_refused_with_words_and_leaves_nothing() {
    let world = World::new();
    let (id, at) = ended(&world);
    let count = world.facts(&id).len();
    let beyond = (count + 1).to_string();
    let output = refused(&world, &["fork", &id, "--at", &beyond], 2);
    assert!(
        output
            .err
            .contains(&format!("has {count} events; hint: use 1 to {count}")),
        "{}",
        output.err
    );
    let output = refused(&world, &["fork", &id, "--at", "0"], 2);
    assert!(output.err.contains("first decision"), "{}", output.err);
    refused(&world, &["fork", &id, "--at", "c5"], 2);
    refused(&world, &["fork", "nosuch"], 7);
    let output = refused(&world, &["fork", &id, "--name", " "], 2);
    assert!(output.err.contains("1 to 200 characters"), "{}", output.err);
    // Where nothing can be written.
    let journal = world.place(&id).journal();
    let there = journal.parent().unwrap().to_str().unwrap();
    let output = refused(&world, &["fork", there, "--sessions", "/proc/overrule"], 7);
    assert!(output.err.contains("--sessions"), "{}", output.err);
    // And where there is no room for it.
    let mut full = Command::new("sh");
    full.args(["-c", "trap '' XFSZ; ulimit -f 4; exec \"$@\"", "sh"])
        .arg(crate::support::program())
        .args(["fork", &id, "--at", &at.to_string()])
        .env_clear()
        .env("HOME", world.path("home"))
        .env("OVERRULE_SESSIONS", world.sessions())
        .current_dir(world.ws());
    let before = world.everything();
    let output = finish(full).ends(7);
    assert!(output.err.contains("ulimit -f"), "{}", output.err);
    assert_eq!(world.ids(), [id], "no half session is left");
    let sessions = world.sessions();
    let mut after = world.everything();
    let mut known = before;
    // The log of the program may have grown.
    after.retain(|path, _| path.starts_with(&sessions));
    known.retain(|path, _| path.starts_with(&sessions));
    assert_eq!(after, known);
}

#[test]
fn a_fork_without_its_workspace_is_refused_before_anything_is_written() {
    let world = World::new();
    let (id, at) = ended(&world);
    let at = at.to_string();
    let (gone, moved) = (world.ws(), world.path("moved"));
    fs::rename(&gone, &moved).unwrap();
    let elsewhere = |args: &[&str]| {
        let mut command = world.command(args);
        command.current_dir(&moved);
        finish(command)
    };
    let sessions = world.sessions();
    let stored = || -> BTreeMap<_, _> {
        let mut all = world.everything();
        all.retain(|path, _| path.starts_with(&sessions));
        all
    };
    let before = stored();
    for json in [&[][..], &["--json"]] {
        let output = elsewhere(&[&["fork", &id, "--at", &at], json].concat()).ends(7);
        for words in [
            format!("its workspace {} does not exist", gone.display()),
            format!("hint: `overrule fork {id} "),
            format!("--at {at} --workspace DIR`"),
        ] {
            assert!(output.err.contains(&words), "{}", output.err);
        }
        assert_eq!(output.out, "");
        assert_eq!(stored(), before, "nothing is written");
    }
    // A directory that is none is no way out.
    let nowhere = world.path("nowhere");
    elsewhere(&["fork", &id, "--workspace", nowhere.to_str().unwrap()]);
    assert_eq!(stored(), before);

    let known = world.ids();
    let dir = moved.to_str().unwrap();
    let output = elsewhere(&["fork", &id, "--at", &at, "--workspace", dir]).ends(0);
    assert!(
        output.err.contains(&format!("--workspace {dir}")),
        "{}",
        output.err
    );
    let new: Vec<String> = world.ids().into_iter().filter(|id| !known.contains(id)).collect();
    let [fork] = new.as_slice() else {
        panic!("{new:?}");
    };
    // It continues there, and the first session is as it was.
    elsewhere(&[
        "resume",
        fork,
        "--workspace",
        dir,
        "--headless",
        "--policy",
        "auto",
    ])
    .ends(0);
    assert_eq!(world.state(fork).started.unwrap().workspace, dir);
    let mut after = stored();
    after.retain(|path, _| !path.starts_with(sessions.join(fork)));
    assert_eq!(after, before);
}

#[test]
fn a_damaged_session_is_forked_up_to_the_gap() {
    let world = World::new();
    let (id, at) = ended(&world);
    let journal = world.place(&id).journal();
    let text = fs::read_to_string(&journal).unwrap();
    let line = text.lines().nth(usize::try_from(at).unwrap() + 1).unwrap();
    fs::write(&journal, text.replace(line, &line.replace("\"v\":2", "\"v\":7"))).unwrap();
    let before = bytes(&world, &id);
    let count = world.facts(&id).len();
    let output = world.run(&["fork", &id]).ends(0);
    assert!(output.err.contains("is damaged"), "{}", output.err);
    let new = world.ids().pop().unwrap();
    assert!(journal::verify(&world.place(&new)).unwrap().is_whole());
    assert_eq!(bytes(&world, &id), before);
    let output = refused(&world, &["fork", &id, "--at", &(count + 1).to_string()], 2);
    assert!(
        output.err.contains(&format!("has {count} events")),
        "{}",
        output.err
    );
}

#[test]
fn a_single_file_and_a_fork_can_be_forked() {
    let world = World::new();
    let (id, at) = ended(&world);
    let file = world.aside("sample.jsonl", &world.journal(&id));
    let first = fork(&world, &[&file, "--at", &at.to_string()]);
    assert_eq!(world.state(&first).origin.forks[0].session.as_ref(), "sample");
    let second = fork(&world, &[&first, "--at", &at.to_string()]);
    let state = world.state(&second);
    assert_eq!(
        (state.origin.forks.len(), state.origin.elsewhere.len()),
        (1, 2),
        "what the first one knows is known"
    );
    let third = fork(&world, &[&first]);
    assert_eq!(world.state(&third).origin.forks.len(), 2);
    // A file is nobody's session, and neither are its forks.
    world
        .run(&["resume", &second, "--headless"])
        .ends(4)
        .tells("it is from elsewhere");
    world.own(&second);
    let output = world
        .run(&["resume", &second, "--headless", "--policy", "auto"])
        .ends(0);
    assert_eq!(output.out, "copied alpha, started, logged\n");
    assert_eq!(world.read("log.txt"), "start\nsecond\n");
}
