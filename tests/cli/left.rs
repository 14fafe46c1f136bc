//! Executions that an edit left running, or in doubt: how they end, what is found out about them, and that a
//! process that lives on is told of. Must not know: what the console shows.

use std::process::Stdio;

use rustix::process::Signal;

use crate::decisions::call;
use crate::playbooks::command;
use crate::world::{World, until};

#[test]
fn a_process_that_lives_on_is_told_of_though_an_edit_took_its_place() {
    let world = World::new();
    let mut run = world.playing(&command("sleep 600 & echo $$ > pid; wait"), &["--policy", "auto"]);
    let mut child = run.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    until("the command runs", || world.read("pid").ends_with('\n'));
    let id = world.id();
    let pid = world.read("pid").trim().to_owned();
    until("it is recorded", || world.journal(&id).contains("call.spawned"));
    child.kill().unwrap();
    child.wait().unwrap();
    let it = call(&world.state(&id), "it").to_string();
    let edit = |more: &[&str]| {
        let args = r#"{"_as":"it","command":"echo new"}"#;
        let mut verb = vec!["edit", &id, &it, "--args", args];
        verb.extend(more);
        world.run(&verb).ends(0)
    };
    let lives = format!("still runs as process {pid}");
    edit(&["--preview"]).tells(&lives);
    edit(&[]).tells(&lives);
    let said = world
        .run(&["resume", &id, "--headless", "--policy", "auto"])
        .ends(0);
    let said = said.tells(&lives).tells("nothing waits for it");
    assert_eq!(said.out, "new\n");
    let group = rustix::process::Pid::from_raw(pid.parse().unwrap()).unwrap();
    rustix::process::kill_process_group(group, Signal::KILL).unwrap();
}
