//! Tests that open and staged edits are lost at the end of the program, and nothing resumes by itself.

use rustix::process::Signal;

use crate::pty_terminal::harness::{Run, SOON};
use crate::pty_terminal::live::World;
use crate::support::world::written;

/// A command, and two writes that wait for its place. The result of no call is needed by another.
const PLAYBOOK: &str = r#"
[meta]
name = "places"
[[rule]]
when = { done = ["second"] }
answer = "written"
[[rule]]
think = "One after the other."
[[rule.call]]
tool = "shell"
as = "slow"
args = { command = "until [ -e go ]; do sleep 0.1; done" }
[[rule.call]]
tool = "write_file"
as = "first"
args = { path = "first.txt", content = "agent" }
[[rule.call]]
tool = "write_file"
as = "second"
args = { path = "second.txt", content = "agent" }
"#;

const FREE: [&str; 4] = ["--policy", "auto", "--parallel", "1"];

/// Opens an editor on a call that is about to run.
fn edit(world: &World) -> Run {
    let begin = world.args();
    let begin: Vec<&str> = begin.iter().map(String::as_str).collect();
    let mut run = world.program(&[&begin, FREE.as_slice(), &["do"]], "sed -i s/agent/operator/");
    run.until("the calls are there", || {
        let screen = run.screen().screen().contents();
        screen.contains("second.txt") && !screen.contains("streaming") && screen.contains("running")
    });
    run.send("1g");
    run.wait_for("p1 prompt");
    run.send("jjj");
    run.wait_for("c4 call");
    run.armed();
    run.send("e");
    run.wait_for("edit c4");
    run
}

/// Collects an edit of that call.
fn collect(world: &World) -> Run {
    let mut run = edit(world);
    run.edit_outside();
    run.wait_for("operator");
    run.send("\x07");
    run.wait_for("1 edit staged");
    run
}

/// Resumes: the run is paused and lists what is lost; suspended calls run only once the operator resumes it.
fn goes_on_paused(world: &World) {
    let first = world.work().join("first.txt");
    let mut run = world.program(&[&["resume", "last"], FREE.as_slice()], "");
    run.wait_for("c4 was being edited when");
    run.wait_for("paused");
    assert!(!first.exists(), "it ran as it was before the edit");
    run.armed();
    run.send("p");
    run.until("it ran once it was let run", || written(&first));
    assert_eq!(std::fs::read_to_string(&first).unwrap(), "agent");
    std::fs::write(world.work().join("go"), "").unwrap();
    run.kill(Signal::TERM);
    assert_eq!(run.exit(SOON), 143);
}

#[test]
fn what_a_collected_edit_held_waits_for_the_operator_after_a_crash() {
    let world = World::playing(PLAYBOOK);
    let mut run = collect(&world);
    run.kill(Signal::KILL);
    run.exit(SOON);
    drop(run);
    goes_on_paused(&world);
}

#[test]
fn leaving_with_a_collected_edit_says_that_it_is_lost() {
    let world = World::playing(PLAYBOOK);
    let mut run = collect(&world);
    run.send("q");
    run.wait_for("1 staged edit is not committed: it is lost when you quit");
    run.armed();
    run.send("q");
    assert_eq!(run.exit(SOON), 0);
    drop(run);
    goes_on_paused(&world);
}

#[test]
fn what_an_edit_held_that_died_with_the_program_waits_for_the_operator() {
    let world = World::playing(PLAYBOOK);
    let mut run = edit(&world);
    run.kill(Signal::KILL);
    run.exit(SOON);
    drop(run);
    goes_on_paused(&world);
}
