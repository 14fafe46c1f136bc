//! Tests of sessions recorded by an earlier version of the program: they open, replay and resume.
//!
//! Must not know: what a session is about.
//!
//! `samples` are the sample sessions, `families` are sessions that hold every kind of event between
//! them. Both were recorded on 26 November 2026 and are never recorded again. `format_3` has a session with a sandbox.

use crate::support::world;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use overrule::domain::apply::fold;
use overrule::domain::state::{Mode, State};
use overrule::journal::{self, Place};
use world::World;

/// Kinds of events that the fixtures hold between them.
const KINDS: usize = 84;

fn files() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/old_journals");
    let mut files: Vec<PathBuf> = ["samples", "families", "format_3"]
        .iter()
        .flat_map(|dir| fs::read_dir(root.join(dir)).unwrap())
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    files
}

/// A session store with one of the sessions in it, and its id.
fn stored(file: &Path) -> (World, String) {
    let state = state(file);
    let world = World::new();
    // The records of a session name it.
    let first = fs::read_to_string(file).unwrap();
    let first: serde_json::Value = serde_json::from_str(first.lines().next().unwrap()).unwrap();
    let id = first["run"].as_str().unwrap().to_owned();
    let dir = world.sessions().join(&id);
    fs::create_dir_all(&dir).unwrap();
    fs::copy(file, dir.join("journal.jsonl")).unwrap();
    assert!(state.started.is_some());
    world.own(&id);
    (world, id)
}

/// The temporary directory that a session was recorded in, empty; it goes when this is dropped.
struct Workspace {
    made: Option<PathBuf>,
    #[expect(dead_code, reason = "held until this is dropped")]
    one_at_a_time: MutexGuard<'static, ()>,
}

/// Locked by the test that uses such a directory: tests run in parallel.
static IN_USE: Mutex<()> = Mutex::new(());

impl Workspace {
    fn of(state: &State) -> Self {
        let path = PathBuf::from(&state.started.as_ref().unwrap().workspace);
        assert!(path.starts_with("/tmp"), "{}", path.display());
        let one_at_a_time = IN_USE.lock().unwrap_or_else(PoisonError::into_inner);
        if path.exists() {
            return Self {
                made: None,
                one_at_a_time,
            };
        }
        fs::create_dir_all(&path).unwrap();
        Self {
            made: Some(path),
            one_at_a_time,
        }
    }
}

impl Drop for Workspace {
    fn drop(&mut self) {
        if let Some(path) = &self.made {
            fs::remove_dir_all(path).unwrap();
            // The directory above it may hold others.
            path.parent().map(fs::remove_dir);
        }
    }
}

fn state(file: &Path) -> State {
    fold(&journal::read(&Place::at(file).unwrap()).unwrap().envelopes)
}

#[test]
fn they_are_whole_and_hold_every_kind_of_event() {
    let mut kinds = BTreeSet::new();
    for file in files() {
        let report = journal::verify(&Place::at(&file).unwrap()).unwrap();
        assert!(report.is_whole(), "{}: {report:?}", file.display());
        for line in fs::read_to_string(&file).unwrap().lines() {
            let record: serde_json::Value = serde_json::from_str(line).unwrap();
            kinds.insert(record["type"].as_str().unwrap().to_owned());
        }
    }
    assert_eq!(kinds.len(), KINDS, "{kinds:?}");
}

#[test]
fn one_of_format_3_has_its_sandbox() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/old_journals/format_3/confined.jsonl");
    let mut versions = BTreeSet::new();
    for line in fs::read_to_string(&file).unwrap().lines() {
        let record: serde_json::Value = serde_json::from_str(line).unwrap();
        let kind = record["type"].as_str().unwrap();
        let is_new = kind == "run.started" || kind.starts_with("sandbox.");
        assert_eq!(record["v"], if is_new { 3 } else { 2 }, "{kind}");
        versions.insert(record["v"].as_u64());
    }
    assert_eq!(versions.len(), 2);
    let state = state(&file);
    let profile = state.sandbox_profile();
    assert_eq!(profile.label(), "sandbox 1 partial");
    assert_eq!(profile.network, ["registry.example.org:443"]);
    let refused: Vec<_> = (state.calls.values())
        .flat_map(|call| &call.attempts)
        .flat_map(|attempt| &attempt.refused)
        .map(|one| one.what.as_str())
        .collect();
    assert_eq!(refused, ["registry.example.org:443"]);
}

/// What shows a session.
const LOOKS: [&[&str]; 8] = [
    &["graph"],
    &["queue"],
    &["branches"],
    &["effects"],
    &["loops"],
    &["weights"],
    &["audit"],
    &["graph", "--format", "json"],
];

/// One round takes a look at each session, with each verb in turn.
const STEP: u32 = 7;

#[test]
fn they_open_and_can_be_looked_at() {
    let looks = files()
        .into_iter()
        .flat_map(|file| LOOKS.map(|look| (file.clone(), look)));
    for (file, look) in overrule_testing::sample(looks, STEP) {
        let (world, id) = stored(&file);
        let name = file.display();
        let before = world.journal(&id);
        let output = world.run(&[&look[..1], &[&id], &look[1..]].concat());
        assert_eq!(output.code, Some(0), "{look:?} {name}: {}", output.err);
        assert!(
            !output.err.contains("cannot be read"),
            "{look:?} {name}: {}",
            output.err
        );
        if look.ends_with(&["json"]) {
            let graph: serde_json::Value = serde_json::from_str(&output.out).unwrap();
            let nodes = graph["nodes"].as_array().unwrap().len();
            assert_eq!(nodes, state(&file).nodes.len(), "{name}");
        }
        assert_eq!(world.journal(&id), before, "{name}: looking changes nothing");
    }
}

#[test]
fn finished_ones_are_undone_and_redone_without_a_request() {
    let mut undone = 0;
    for file in files() {
        let before = state(&file);
        if !matches!(before.mode, Mode::Finished(_)) || before.operator.edits.is_empty() {
            continue;
        }
        let (world, id) = stored(&file);
        let name = file.display();
        let output = world.run(&["undo", &id]);
        if output.code != Some(0) {
            // Only what is the operator's can be undone.
            assert!(output.err.contains("nothing to undo"), "{name}: {}", output.err);
            continue;
        }
        world.run(&["redo", &id]).ends(0);
        let workspace = Workspace::of(&before);
        // The recorded playbooks are of before Jinja; this one is never asked.
        let playbook = world.aside(
            "unasked.toml",
            "[meta]\nname = \"unasked\"\n[[rule]]\nanswer = \"asked\"\n",
        );
        world
            .run(&["resume", &id, "--headless", "--playbook", &playbook])
            .ends(0);
        drop(workspace);
        let after = world.state(&id);
        assert_eq!(after.tally.requests, before.tally.requests, "{name}");
        assert_eq!(after.ledger.len(), before.ledger.len(), "{name}: nothing ran");
        assert!(after.settings.tool_changes.is_empty(), "{name}: no tool changed");
        assert!(
            matches!(after.mode, Mode::Finished(_)),
            "{name}: {:?}",
            after.mode
        );
        undone += 1;
    }
    assert!(undone >= 3, "{undone} sessions have an edit to undo");
}

#[test]
fn resuming_one_keeps_its_records_and_changes_no_tool() {
    for file in files() {
        let before = state(&file);
        let (world, id) = stored(&file);
        let name = file.display();
        let records = world.journal(&id);
        let workspace = Workspace::of(&before);
        let output = world.run(&["resume", &id, "--headless"]);
        drop(workspace);
        assert!(
            output.code.is_some_and(|code| [0, 1, 2, 3, 4].contains(&code)),
            "{name}: {:?} {}",
            output.code,
            output.err
        );
        assert!(!output.err.contains("panicked"), "{name}: {}", output.err);
        assert!(
            world.journal(&id).starts_with(&records),
            "{name}: what was recorded stays as it is"
        );
        if matches!(before.mode, Mode::Finished(_)) {
            let after = world.state(&id);
            assert_eq!(
                after.tally.requests, before.tally.requests,
                "{name}: {}",
                output.err
            );
            assert_eq!(after.ledger.len(), before.ledger.len(), "{name}: nothing ran");
        }
    }
}

/// True if the recorded playbook has templates, which this version does not read: they are of before Jinja.
fn has_old_templates(state: &State) -> bool {
    let setup: serde_json::Value = serde_json::from_str(&state.started.as_ref().unwrap().setup).unwrap();
    setup["model"]["playbook"]
        .as_str()
        .is_some_and(|playbook| playbook.contains("{{"))
}

#[test]
fn one_with_templates_of_before_jinja_is_shown_and_not_resumed() {
    let is_finished = |state: &State| matches!(state.mode, Mode::Finished(_));
    let old: Vec<(PathBuf, State)> = files()
        .into_iter()
        .map(|file| (state(&file), file))
        .filter(|(state, _)| has_old_templates(state))
        .map(|(state, file)| (file, state))
        .collect();
    let (finished, unfinished): (Vec<_>, Vec<_>) = old.into_iter().partition(|(_, state)| is_finished(state));
    assert!(
        finished.len() >= 20 && unfinished.len() >= 2,
        "{} {}",
        finished.len(),
        unfinished.len()
    );
    let mut chosen = overrule_testing::sample(finished, 5);
    chosen.extend(overrule_testing::sample(unfinished, 5));
    for (file, before) in chosen {
        let (world, id) = stored(&file);
        let name = file.display();
        let records = world.journal(&id);
        for look in [
            &["replay", &id, "--headless"][..],
            &["graph", &id, "--format", "json"],
            &["graph", &id, "--format", "mermaid"],
        ] {
            let output = world.run(look);
            assert_eq!(output.code, Some(0), "{look:?} {name}: {}", output.err);
        }
        let workspace = Workspace::of(&before);
        let mut refused = vec![world.run(&["guide", &id, "Go on.", "--resume", "--headless"])];
        if !is_finished(&before) {
            refused.push(world.run(&["resume", &id, "--headless"]));
        }
        drop(workspace);
        for output in refused {
            assert_eq!(output.code, Some(3), "{name}: {}", output.err);
            for words in [
                "cannot resume session",
                "Jinja",
                "hint: ",
                "overrule replay",
                "--playbook FILE",
            ] {
                assert!(output.err.contains(words), "{name}: {}", output.err);
            }
        }
        assert_eq!(world.journal(&id), records, "{name}: nothing is written");
    }
}

#[test]
fn one_with_templates_of_before_jinja_continues_with_another_playbook() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/old_journals/samples/office.jsonl");
    let before = state(&file);
    assert!(has_old_templates(&before));
    let (world, id) = stored(&file);
    let playbook = world.aside(
        "now.toml",
        "[meta]\nname = \"now\"\n[[rule]]\nanswer = \"{{ operator | upper }} {{ result.event is defined }}\"\n",
    );
    let workspace = Workspace::of(&before);
    let guided = world.run(&[
        "guide",
        &id,
        "go on",
        "--resume",
        "--headless",
        "--playbook",
        &playbook,
    ]);
    let again = world.run(&["guide", &id, "and on", "--resume", "--headless"]);
    drop(workspace);
    assert!(guided.ends(0).out.contains("GO ON True"));
    assert!(
        again.ends(0).out.contains("AND ON True"),
        "the new playbook is recorded"
    );
}
