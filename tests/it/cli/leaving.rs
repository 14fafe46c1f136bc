//! Tests that the program ends when it is left, although a task of it hangs.
//!
//! Must not know: how it notices.

use std::process::Stdio;

use rustix::process::{Pid, Signal, test_kill_process};

use crate::cli::world::{World, signal, until};

/// A long thought, more than a pipe holds, and a command that does not end.
fn playbook() -> String {
    format!(
        "[meta]\nname = \"long\"\n[[rule]]\nthink = \"{}\"\n[[rule.call]]\ntool = \"shell\"\nas = \"it\"\n\
         args = {{ command = 'echo $$ > pid; exec sleep 600' }}\n",
        "words ".repeat(40_000)
    )
}

#[test]
fn a_run_whose_output_nobody_reads_ends_with_its_children_at_the_first_signal() {
    for (which, code) in [(Signal::TERM, 143), (Signal::INT, 130), (Signal::QUIT, 131)] {
        let world = World::new();
        let mut running = world.playing(&playbook(), &["--policy", "auto", "--json"]);
        // Kept open, and never read: the task that prints waits for ever.
        let mut child = running
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        until("the command runs", || world.read("pid").ends_with('\n'));
        let id = world.id();
        until("it is recorded", || world.has_recorded(&id, "call.spawned"));
        assert!(child.try_wait().unwrap().is_none());
        signal(&child, which);
        let mut ended = None;
        until("the program ends", || {
            ended = child.try_wait().unwrap();
            ended.is_some()
        });
        assert_eq!(ended.unwrap().code(), Some(code), "{which:?}");
        let pid = Pid::from_raw(world.read("pid").trim().parse().unwrap()).unwrap();
        until("the child has ended", || test_kill_process(pid).is_err());
        // What was recorded is whole.
        world.run(&["sessions", "verify", &id]).ends(0);
        assert!(world.has_recorded(&id, "call.spawned"));
    }
}
