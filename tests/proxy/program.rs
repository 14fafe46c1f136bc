//! Tests of the real program in front of a scripted model.
//!
//! Must not know: how it works inside.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use crate::world::{World, finish};

/// A world in whose path a program of this name stands.
fn with_program(name: &str, script: &str) -> World {
    let world = World::new();
    let file = world.aside(name, script);
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    world
}

#[test]
fn a_known_agent_gets_the_address_and_one_that_never_asks_is_told() {
    let script = "#!/bin/sh\nprintf '%s %s' \"$ANTHROPIC_BASE_URL\" \"$*\" > asked\nexit 3\n";
    let world = with_program("claude", script);
    let program = world.path("claude").to_str().unwrap().to_owned();
    let said = finish(world.command(&["proxy", "--headless", "--", &program, "-p", "fix it"])).ends(1);
    assert!(said.err.contains("without a request"), "{}", said.err);
    let asked = world.read("asked");
    assert!(
        asked.starts_with("http://127.0.0.1:") && asked.contains("/s/"),
        "{asked}"
    );
    assert!(asked.ends_with(" -p fix it"), "{asked}");
    assert!(world.ids().is_empty(), "no session began");
}

#[test]
fn what_is_no_agent_or_has_no_model_is_refused_with_the_way_out() {
    let world = World::new();
    world.run(&["proxy", "--headless"]).ends(2).tells("--upstream");
    world
        .run(&["proxy", "--headless", "--", "vim"])
        .ends(2)
        .tells("claude");
    world
        .run(&["proxy", "--headless", "--upstream", "ftp://x"])
        .ends(3)
        .tells("https://");
    world
        .run(&[
            "proxy",
            "--headless",
            "--listen",
            "0.0.0.0:0",
            "--upstream",
            "http://127.0.0.1:1",
        ])
        .ends(3)
        .tells("this machine");
}
