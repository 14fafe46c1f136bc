//! Tests of the recorded sample sessions: intact, readable, and folded to what they show.

#[path = "../../examples/resilience/calls.rs"]
mod calls;
#[expect(
    dead_code,
    reason = "what is found is printed by the example, and counted here"
)]
#[path = "../../examples/resilience/circles.rs"]
mod circles;

use std::path::{Path, PathBuf};
use std::process::Command;

use overrule::console::run::part::RunPart;
use overrule::domain::apply::fold;
use overrule::domain::call::Status;
use overrule::domain::id::NodeId;
use overrule::domain::state::{Mode, State};
use overrule::journal::{self, Place};

fn place(name: &str) -> Place {
    Place::at(&Path::new(env!("CARGO_MANIFEST_DIR")).join("sessions").join(name)).unwrap()
}

fn state(name: &str) -> State {
    fold(&journal::read(&place(name)).unwrap().envelopes)
}

fn names() -> Vec<PathBuf> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("sessions");
    let mut names: Vec<PathBuf> = [dir.clone(), dir.join("demos")]
        .iter()
        .flat_map(|dir| std::fs::read_dir(dir).unwrap())
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "jsonl"))
        .collect();
    names.sort();
    names
}

fn answer(state: &State) -> &str {
    match state.mode {
        Mode::Finished(answer) => state.nodes[&answer].text(),
        _ => panic!("the sample is not finished: {:?}", state.mode),
    }
}

/// Calls that were executed, in order, with the tool that ran.
fn executions(state: &State) -> Vec<(NodeId, String)> {
    state
        .ledger
        .values()
        .map(|entry| (entry.call, entry.tool.to_string()))
        .collect()
}

#[test]
fn every_sample_is_intact_and_finished() {
    let names = names();
    assert!(names.len() >= 19, "samples are missing: {names:?}");
    for path in names {
        let report = journal::verify(&Place::at(&path).unwrap()).unwrap();
        assert!(report.is_whole(), "{}: {report:?}", path.display());
        let state = fold(&journal::read(&Place::at(&path).unwrap()).unwrap().envelopes);
        assert!(!answer(&state).is_empty(), "{}", path.display());
    }
}

#[test]
fn the_console_knows_how_long_every_sample_worked() {
    for path in names() {
        let mut run = RunPart::default();
        for envelope in journal::read(&Place::at(&path).unwrap()).unwrap().envelopes {
            run.take(&envelope);
        }
        assert!(run.worked_ms(None).is_some(), "{}", path.display());
    }
}

#[test]
fn a_fold_of_every_prefix_is_whole() {
    for path in names() {
        let loaded = journal::read(&Place::at(&path).unwrap()).unwrap();
        let mut grown = State::default();
        for (count, envelope) in loaded.envelopes.iter().enumerate() {
            overrule::domain::apply::apply(&mut grown, envelope);
            assert_eq!(
                grown,
                fold(&loaded.envelopes[..=count]),
                "{} at {count}",
                path.display()
            );
        }
    }
}

#[test]
fn the_rewritten_thought_changed_the_search_and_kept_what_stood_before_it() {
    let state = state("rewritten-thought.jsonl");
    let thought = state.operator.edits[0].target.unwrap();
    assert!(state.nodes[&thought].text().contains("unsafe"));
    assert!(answer(&state).contains("`unsafe`"), "{}", answer(&state));
    let before: Vec<NodeId> = state
        .turn_of(thought)
        .map(|turn| turn.pos)
        .map(|pos| {
            state
                .calls
                .values()
                .filter(|call| state.turn_of(call.id).unwrap().pos < pos)
                .map(|call| call.id)
                .collect()
        })
        .unwrap();
    assert!(before.len() >= 3);
    for call in before {
        assert_eq!(state.calls[&call].status, Status::Succeeded);
        assert_eq!(
            state.calls[&call].attempts.len(),
            1,
            "{call} stood before the thought and ran once"
        );
    }
}

#[test]
fn the_replaced_call_never_ran_as_a_shell() {
    let state = state("replaced-call.jsonl");
    let ran = executions(&state);
    assert_eq!(ran.len(), 1, "{ran:?}");
    assert_eq!(ran[0].1, "list_dir");
    assert!(answer(&state).contains("heap.txt"));
}

#[test]
fn the_repair_was_made_once_and_seen() {
    let state = state("repaired-file.jsonl");
    let edits = executions(&state)
        .into_iter()
        .filter(|(_, tool)| tool == "edit_file")
        .count();
    assert_eq!(edits, 1);
    assert!(answer(&state).contains("puts(\"hello\");"), "{}", answer(&state));
}

/// What `cargo run --release --example resilience` prints of the recorded sessions.
#[test]
fn three_samples_go_round_and_at_no_moment_any_other() {
    let found = circles::recorded().unwrap();
    assert_eq!(found.sessions.len(), names().len());
    assert!(found.turns() > 60, "{} turns were looked at", found.turns());
    assert_eq!((found.circles(), found.overlooked()), (3, 0), "{found:#?}");
    assert_eq!(
        (found.false_alarms(), found.false_warnings()),
        (0, 0),
        "{found:#?}"
    );
}

/// The example's program, which `cargo test` builds; built here where only this file is tested.
fn figures() -> Command {
    let mut path = std::env::current_exe().unwrap();
    path.pop();
    path.pop();
    path.push("examples/resilience");
    if !path.exists() {
        let release = path.components().any(|part| part.as_os_str() == "release");
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(["build", "--quiet", "--example", "resilience"]);
        if release {
            cargo.arg("--release");
        }
        assert!(cargo.status().unwrap().success());
    }
    Command::new(path)
}

/// Its exit code and what it prints. No figure of it is compared with a clock here: the bounds are out of reach of
/// any machine.
fn figured(args: &[&str]) -> (Option<i32>, String) {
    let content = figures().args(args).output().unwrap();
    (content.status.code(), String::from_utf8(content.stdout).unwrap())
}

#[test]
fn the_figures_end_with_1_where_one_is_not_as_it_must_be() {
    let (code, content) = figured(&["--histories", "100,300", "--bound", "1e12"]);
    assert_eq!(code, Some(0), "{content}");
    assert!(
        content.contains("behind    100 actions") && content.contains("behind    300 actions"),
        "{content}"
    );
    // A look costs more than nothing.
    let (code, content) = figured(&["--histories", "100", "--bound", "0"]);
    assert_eq!(code, Some(1), "{content}");
    assert!(
        content.contains("NOT AS IT MUST BE: a look behind 100 actions"),
        "{content}"
    );
    // One call is repaired to another meaning than its own.
    let [(_, set), _] = calls::SETS;
    let mut set: serde_json::Value = serde_json::from_str(set).unwrap();
    for call in set["calls"].as_array_mut().unwrap() {
        if !call["means"].is_null() {
            call["means"] = serde_json::json!({"something": "else"});
        }
    }
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("calls.json");
    std::fs::write(&file, set.to_string()).unwrap();
    let (code, content) = figured(&[
        "--histories",
        "100",
        "--bound",
        "1e12",
        "--calls",
        file.to_str().unwrap(),
    ]);
    assert_eq!(code, Some(1), "{content}");
    assert!(
        content.contains("WRONG: ") && content.contains("mended wrongly: none may be"),
        "{content}"
    );
}

/// What `cargo run --release --example resilience` prints of the labelled calls.
#[test]
fn no_labelled_call_is_mended_wrongly_and_most_that_can_be_are() {
    let [(_, known), (_, unseen)] = calls::SETS;
    for (set, percent) in [(known, 80), (unseen, 50)] {
        let figures = calls::measure(set).unwrap();
        assert!(figures.all() >= 120, "{figures:?}");
        assert_eq!(figures.wrong, Vec::<String>::new());
        let tellable = figures.right + figures.missed.len();
        assert!(
            figures.right * 100 >= tellable * percent,
            "not mended: {:#?}",
            figures.missed
        );
        assert!(
            figures.operator + figures.model + figures.left >= 40,
            "{figures:?}"
        );
    }
}
