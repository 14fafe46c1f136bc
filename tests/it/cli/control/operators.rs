//! Tests that a program of the operator decides while the run waits for it, and what it leaves behind does not.
//!
//! Must not know: how such a program is recognised.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use super::kin::{program, refused};
use crate::cli::playbooks::command;
use crate::cli::world::{World, until};

/// Writes an approver with this text, and settings that name it.
fn approver(world: &World, path: &Path, script: &str) -> String {
    std::fs::write(path, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o700)).unwrap();
    world.aside(
        "approver.toml",
        &format!("[approver]\ncommand = [\"{}\"]\n", path.display()),
    )
}

/// A run whose approver carries out a verb, and the text and the exit code of that.
fn said(world: &World, path: &Path, script: &str) -> String {
    let settings = approver(world, path, script);
    let play = world.play(
        &command("echo ran >> log.txt"),
        &["--control", "--config", &settings],
    );
    drop(play);
    world.read("said")
}

/// True if the verb took effect.
fn is_set(world: &World) -> bool {
    &*world.state(&world.id()).settings.policy == "supervised"
}

/// A line of a script that carries out a verb in the workspace and keeps what it says.
fn verb(world: &World) -> String {
    format!(
        "cd {ws}; {} set-policy last supervised > said 2>&1; echo code $? >> said",
        program(world),
        ws = world.ws().display()
    )
}

#[test]
fn an_approver_decides_while_the_run_waits_for_it() {
    let world = World::new();
    let script = format!("{}\necho '{{\"decision\":\"allow\"}}'", verb(&world));
    let said = said(&world, &world.path("guard.sh"), &script);
    assert!(said.ends_with("code 0\n"), "{said}");
    assert!(is_set(&world));
    assert!(refused(&world, &world.id()).is_empty());
}

#[test]
fn an_approver_of_the_workspace_does_not_decide_by_a_verb() {
    let world = World::new();
    let script = format!("{}\necho '{{\"decision\":\"allow\"}}'", verb(&world));
    let said = said(&world, &world.ws().join("guard.sh"), &script);
    assert!(
        said.ends_with("code 4\n") && said.contains("was started by this run"),
        "{said}"
    );
    assert!(!is_set(&world));
}

#[cfg(target_os = "linux")]
#[test]
fn what_an_approver_leaves_behind_does_not_decide() {
    let world = World::new();
    let ws = world.ws();
    let ws = ws.display();
    let hidden = format!(
        "touch {ws}/away; until test -e {ws}/log.txt; do sleep 0.02; done; {}; touch {ws}/over",
        verb(&world)
    );
    world.file("hidden.sh", &hidden);
    let script = format!(
        "setsid sh {ws}/hidden.sh > /dev/null 2>&1 &\nuntil test -e {ws}/away; do sleep 0.02; done\n\
         echo '{{\"decision\":\"allow\"}}'"
    );
    let settings = approver(&world, &world.path("guard.sh"), &script);
    // The command of the agent waits for the attempt, so that the run lasts.
    let line = "echo ran >> log.txt; until test -e over; do sleep 0.02; done; cat said";
    let play = world
        .play(&command(line), &["--control", "--config", &settings])
        .ends(0);
    assert!(play.out.contains("was started by this run"), "{}", play.out);
    assert!(!is_set(&world));
    until("it is recorded", || refused(&world, &world.id()).len() == 1);
}
