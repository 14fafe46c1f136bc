//! The run that is disturbed, its undisturbed result, and the operator who decides unknown outcomes.
//!
//! Must not know: how it is disturbed.

use std::fs;

use overrule::domain::call::Status;
use overrule::domain::state::{LedgerOutcome, State};
use overrule::tools::child::still_running;

use crate::crash::world::{Said, World, until};

/// Reads, writes, an edit, and commands that each append their own line to `log.txt`, over four turns.
pub const PLAYBOOK: &str = r#"
[meta]
name = "course"

[[rule]]
when = { done = ["last", "s5"] }
answer = "{{ result.s1 | trim }}, {{ result.s5 | trim }}, {{ result.last | lines | join('+') }}"

[[rule]]
when = { done = ["e1", "s3", "s4"] }
think = "I look at what I made and log the end."
[[rule.call]]
tool = "read_file"
as = "last"
args = { path = "made.txt" }
[[rule.call]]
tool = "shell"
as = "s5"
args = { command = "echo s5 >> log.txt; sleep 0.02; echo did s5" }

[[rule]]
when = { done = ["w1", "s1", "s2"] }
think = "I edit what I wrote, and write another."
[[rule.call]]
tool = "edit_file"
as = "e1"
args = { path = "made.txt", old = "alpha", new = "omega" }
[[rule.call]]
tool = "write_file"
as = "w2"
args = { path = "other.txt", content = "†call.s1" }
[[rule.call]]
tool = "shell"
as = "s3"
args = { command = "echo s3 >> log.txt; sleep 0.01; echo did s3" }
[[rule.call]]
tool = "shell"
as = "s4"
args = { command = "echo s4 >> log.txt; sleep 0.03; echo did s4" }

[[rule]]
when = { turn = 1 }
think = "I read the notes, copy them and log the start."
[[rule.call]]
tool = "read_file"
as = "notes"
args = { path = "notes.txt" }
[[rule.call]]
tool = "write_file"
as = "w1"
args = { path = "made.txt", content = "†call.notes" }
[[rule.call]]
tool = "shell"
as = "s1"
args = { command = "echo s1 >> log.txt; sleep 0.02; echo did s1" }
[[rule.call]]
tool = "shell"
as = "s2"
args = { command = "echo s2 >> log.txt; sleep 0.01; echo did s2" }
"#;

/// Labels of the commands; each appends its label to the log.
pub const COMMANDS: [&str; 5] = ["s1", "s2", "s3", "s4", "s5"];
const FILES: [&str; 3] = ["log.txt", "made.txt", "other.txt"];

/// What a run left on disk and in its graph.
#[derive(Debug, PartialEq, Eq)]
pub struct Left {
    /// The answer.
    pub answer: String,
    /// The graph without the differences between two equal runs.
    pub graph: String,
    /// Lines of the log, sorted, and the files.
    pub files: Vec<String>,
}

/// Starts a fresh run of the playbook; `more` are further arguments.
pub fn fresh(world: &World, more: &[&str]) -> std::process::Command {
    let mut args = vec!["--policy", "auto"];
    args.extend(more);
    world.playing(PLAYBOOK, &args)
}

/// What there is after a run that came to its answer.
pub fn left(world: &World, id: &str, output: &Said) -> Left {
    let graph = world
        .run(&["graph", id, "--format", "json", "--active"])
        .ends(0)
        .out;
    let mut lines: Vec<String> = world.read("log.txt").lines().map(str::to_owned).collect();
    lines.sort();
    let mut files = vec![lines.join(" ")];
    files.extend(FILES[1..].iter().map(|name| world.read(name)));
    Left {
        answer: output.out.clone(),
        graph,
        files,
    }
}

/// What an undisturbed run leaves, and its session.
pub fn undisturbed(world: &World) -> (Left, String) {
    let output = crate::crash::world::finish(fresh(world, &[])).ends(0);
    let id = world.id();
    let left = left(world, &id, &output);
    assert_eq!(left.files[0], "s1 s2 s3 s4 s5");
    assert_eq!(left.files[1], "omega\nbeta\n");
    assert_eq!(left.files[2], "did s1\n");
    (left, id)
}

/// Resets the workspace.
pub fn sweep(world: &World) {
    for name in FILES {
        fs::remove_file(world.ws().join(name)).unwrap_or_default();
    }
}

/// Does by hand what a call of the run does.
pub fn redo(world: &World, label: &str) {
    match label {
        "w1" => world.file("made.txt", "alpha\nbeta\n"),
        "e1" => world.file("made.txt", "omega\nbeta\n"),
        "w2" => world.file("other.txt", "did s1\n"),
        command if COMMANDS.contains(&command) => {
            let log = world.read("log.txt");
            world.file("log.txt", &format!("{log}{command}\n"));
        }
        _ => {}
    }
}

/// The operator reads the log and sets the outcome of every command with an unknown one.
pub fn resolve(world: &World, id: &str) {
    let state = world.state(id);
    let doubtful: Vec<_> = state
        .queue()
        .filter(|call| matches!(call.status, Status::OutcomeUnknown(_)))
        .collect();
    assert!(!doubtful.is_empty(), "halted without a doubt");
    for call in doubtful {
        let label = &*call.label;
        assert!(
            COMMANDS.contains(&label),
            "of {label} the files tell: nobody needs to be asked"
        );
        for (pid, ticks) in call.attempts.iter().filter_map(|attempt| attempt.launch.process) {
            until("the command has ended", || !still_running(pid, ticks));
        }
        let value = format!("\"did {label}\\n\"");
        let node = call.id.to_string();
        let mut args = vec!["resolve", id, &node];
        if world.read("log.txt").lines().any(|line| line == label) {
            args.extend(["--happened", &value]);
        } else {
            args.push("--did-not");
        }
        world.run(&args).ends(0);
    }
}

/// Fails if a call without effects, or one that the files tell of, was asked about, or any effect is
/// recorded twice as having happened.
pub fn each_effect_once(state: &State) {
    for call in state.calls.values() {
        let happened = state
            .ledger
            .values()
            .filter(|entry| entry.call == call.id && entry.effect.has_effect())
            .filter(|entry| entry.outcome != LedgerOutcome::DidNot)
            .count();
        assert!(
            happened <= 1,
            "{} is recorded as having happened {happened} times",
            call.label
        );
    }
}
