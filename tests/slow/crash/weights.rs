//! Tests that learned weights survive `kill -9`: a resumed run knows exactly what the journal says.
//!
//! Must not know: how a weight is made.

use std::process::Stdio;

use overrule::domain::call::Status;
use overrule::domain::event::{Event, WeightEvent};
use overrule::domain::state::State;
use overrule::domain::weight::{MOST, WeightRecord};
use overrule::resilience::routing::Settings;
use overrule::resilience::watch::Watch;
use overrule::tools::child::still_running;
use rustix::process::Signal;

use crate::crash::world::{World, signal, until, wait, written};

const PLAYBOOK: &str = r#"
[meta]
name = "learn"

[[rule]]
when = { done = "after" }
answer = "{{ result.after | lines | join('+') }}"

[[rule]]
when = { done = "slow" }
[[rule.call]]
tool = "read_file"
as = "after"
args = { path = "notes.txt" }
[[rule.call]]
tool = "read_file"
as = "gone_too"
args = { path = "nowhere.txt" }

[[rule]]
when = { done = "first" }
[[rule.call]]
tool = "shell"
as = "slow"
args = { command = "echo begun >> log.txt; sleep 0.5; echo did" }

[[rule]]
[[rule.call]]
tool = "read_file"
as = "first"
args = { path = "notes.txt" }
[[rule.call]]
tool = "read_file"
as = "gone"
args = { path = "nowhere.txt" }
[[rule.call]]
tool = "list_dir"
as = "list"
args = { path = "." }
"#;

/// The weights that a journal amounts to, as they are written down.
fn folded(state: &State) -> Vec<WeightRecord> {
    let watch = Watch::of(state, Settings::default());
    let rows = watch.weights.rows().map(|row| WeightRecord {
        kind: row.kind.as_str().into(),
        tool: row.tool.as_str().into(),
        weight: (row.weight * f64::from(MOST)).round() as u16,
        samples: row.samples,
    });
    rows.collect()
}

fn samples(weights: &[WeightRecord], tool: &str) -> u32 {
    let of = weights.iter().filter(|one| &*one.tool == tool);
    of.map(|one| one.samples).sum()
}

#[test]
fn what_was_learnt_survives_a_kill_and_is_learnt_on() {
    let world = World::new();
    world.file("notes.txt", "one\ntwo\n");
    let mut command = world.playing(PLAYBOOK, &["--policy", "auto"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = child.spawn().unwrap();
    until("the command runs", || written(&world.ws().join("log.txt")));
    signal(&child, Signal::KILL);
    wait(child);

    let id = world.id();
    let before = world.state(&id);
    let learnt = folded(&before);
    assert_eq!(samples(&learnt, "read_file"), 2, "{learnt:?}");
    assert_eq!(samples(&learnt, "list_dir"), 1, "{learnt:?}");
    let explained = world.run(&["weights", &id, "read_file"]).ends(0).out;
    assert!(explained.lines().count() >= 3, "{explained}");

    // The command may have happened: the operator says so.
    let unknown = before.calls.values().find(|call| &*call.label == "slow").unwrap();
    for (pid, ticks) in unknown.attempts.iter().filter_map(|one| one.launch.process) {
        until("the command has ended", || !still_running(pid, ticks));
    }
    let text = world
        .run(&["resume", &id, "--headless", "--policy", "auto"])
        .ends(4);
    assert!(text.out.is_empty(), "{}", text.out);
    let state = world.state(&id);
    assert!(matches!(
        state.calls[&unknown.id].status,
        Status::OutcomeUnknown(_)
    ));
    world
        .run(&[
            "resolve",
            &id,
            &unknown.id.to_string(),
            "--happened",
            "\"did\\n\"",
        ])
        .ends(0);
    let text = world
        .run(&["resume", &id, "--headless", "--policy", "auto"])
        .ends(0);
    assert_eq!(text.out, "one+two\n");

    // The weights stored by the resumed process equal those of the whole journal.
    let after = world.state(&id);
    let noted = world
        .facts(&id)
        .into_iter()
        .rev()
        .find_map(|one| match one.event {
            Event::Weight(WeightEvent::Noted { weights, .. }) => Some(weights),
            _ => None,
        });
    let learnt = folded(&after);
    assert_eq!(noted.as_ref(), Some(&learnt));
    assert_eq!(samples(&learnt, "read_file"), 4, "{learnt:?}");
    // Each change before the kill is explained as it was.
    let now = world.run(&["weights", &id, "read_file"]).ends(0).out;
    for line in explained.lines().skip(1) {
        assert!(now.contains(line), "{line}\n{now}");
    }
}
