//! Tests the sandbox of whole runs: its level, what it records, what asks, and how a session goes on.
//!
//! Must not know: how a child is confined.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;

use overrule::domain::event::{Event, RunEvent, SandboxEvent};
use overrule::domain::sandbox::{Level, Profile, RefusedKind};

use crate::cli::playbooks::command;
use crate::support::world::World;

const AUTO: &[&str] = &["--policy", "auto"];

/// Whether runs have the whole sandbox on this machine; says so where they have not.
fn is_full(world: &World, id: &str) -> bool {
    let is_full = profile(world, id).is_some_and(|profile| profile.is_full());
    if !is_full {
        println!("SKIPPED: this machine has no full sandbox");
    }
    is_full
}

fn profile(world: &World, id: &str) -> Option<Profile> {
    let started = world.state(id).started?;
    started.sandbox.profile.as_deref().cloned()
}

fn label(world: &World, id: &str) -> String {
    world.state(id).started.unwrap().sandbox.label.clone()
}

/// What the calls of a session were refused.
fn refused(world: &World, id: &str) -> Vec<(RefusedKind, String)> {
    let facts = world.facts(id).into_iter();
    let of = facts.filter_map(|fact| match fact.event {
        Event::Sandbox(SandboxEvent::Confined { refused, .. }) => Some(refused),
        _ => None,
    });
    of.flatten().map(|one| (one.kind, one.what)).collect()
}

#[test]
fn a_run_is_confined_unless_a_person_says_otherwise() {
    let world = World::new();
    let place = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let outside = place.path().canonicalize().unwrap().join("outside");
    // What a program writes is not seen before it runs.
    world.file("write.py", "open(\".mcp\" + \".json\", \"w\").write(\"z\")");
    let line = format!(
        "echo x > {} 2>&1; echo y > inside; python3 write.py; echo done",
        outside.display()
    );
    let said = world.play(&command(&line), AUTO).ends(0);
    let id = world.id();
    if !is_full(&world, &id) {
        return;
    }
    assert_eq!(label(&world, &id), "sandbox 1");
    assert_eq!(world.read("inside"), "y\n", "{} {}", said.out, said.err);
    assert!(!outside.exists() && world.read(".mcp.json").is_empty());
    let what = outside.display().to_string();
    if said.out.contains("python3: not found") {
        println!("SKIPPED: python3 is not installed");
        return;
    }
    assert_eq!(
        refused(&world, &id),
        [
            (RefusedKind::Write, what.clone()),
            (RefusedKind::Protected, ".mcp.json".to_owned())
        ]
    );
    assert!(
        said.out
            .contains(&format!("[sandbox] refused: write {what}. Use _outside")),
        "{}",
        said.out
    );
    assert!(
        said.out.contains("[sandbox] undid: .mcp.json is protected."),
        "{}",
        said.out
    );
    // The same without.
    let world = World::new();
    let line = format!("echo x > {} 2>&1; echo done", outside.display());
    let mut more = AUTO.to_vec();
    more.extend(["--sandbox", "0"]);
    let config = world.path("home/.config/overrule");
    std::fs::create_dir_all(&config).unwrap();
    std::fs::write(config.join("config.toml"), "[files]\ntrack = false\n").unwrap();
    let said = world.play(&command(&line), &more).ends(0);
    let id = world.id();
    assert!(
        outside.exists() && !said.out.contains("[sandbox]"),
        "{}",
        said.out
    );
    assert_eq!(
        (label(&world, &id).as_str(), profile(&world, &id)),
        ("sandbox level 0", None)
    );
    assert!(!world.journal(&id).contains("\"v\":3"));
}

#[test]
fn the_settings_say_what_is_allowed_in_addition() {
    let world = World::new();
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = server.local_addr().unwrap().port();
    let answering = std::thread::spawn(move || {
        let (mut one, _) = server.accept().unwrap();
        let mut head = [0; 1024];
        let length = one.read(&mut head).unwrap();
        one.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 8\r\nConnection: close\r\n\r\nreached\n")
            .unwrap();
        String::from_utf8_lossy(&head[..length]).into_owned()
    });
    std::fs::create_dir_all(world.path("home/.config/overrule")).unwrap();
    std::fs::create_dir_all(world.path("home/shared")).unwrap();
    std::fs::create_dir_all(world.path("home/secrets")).unwrap();
    std::fs::write(world.path("home/secrets/key"), "key").unwrap();
    let settings = format!(
        "[sandbox]\nwrite = [\"~/shared\"]\nhide = [\"~/secrets\"]\nnetwork = [\"127.0.0.1:{port}\"]\n"
    );
    std::fs::write(world.path("home/.config/overrule/config.toml"), settings).unwrap();
    let home = world.path("home").display().to_string();
    let line = format!(
        "echo x > {home}/shared/x; cat {home}/secrets/key 2>&1; \
         curl -sS --noproxy \"\" --max-time 20 http://127.0.0.1:{port}/a 2>&1"
    );
    let said = world.play(&command(&line), AUTO).ends(0);
    let id = world.id();
    if !is_full(&world, &id) {
        return;
    }
    assert!(world.path("home/shared/x").exists());
    assert!(!said.out.contains("key\n"), "{}", said.out);
    if said.out.contains("curl: not found") {
        println!("SKIPPED: curl is not installed");
        return;
    }
    assert!(said.out.contains("reached"), "{}", said.out);
    assert!(answering.join().unwrap().starts_with("GET /a "));
}

#[test]
fn where_every_host_is_allowed_calls_run_without_a_proxy() {
    let world = World::new();
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = server.local_addr().unwrap().port();
    std::fs::create_dir_all(world.path("home/.config/overrule")).unwrap();
    let settings = "[sandbox]\nnetwork = [\"all\"]\n";
    std::fs::write(world.path("home/.config/overrule/config.toml"), settings).unwrap();
    world.file("reach.sh", &format!("exec 3<>/dev/tcp/127.0.0.1/{port}\n"));
    let said = world
        .play(&command("echo ran > inside; bash reach.sh 2>&1; echo done"), AUTO)
        .ends(0);
    let Some(profile) = profile(&world, &world.id()) else {
        println!("SKIPPED: this machine has no sandbox");
        return;
    };
    assert!(profile.reaches_all() && !profile.is_full());
    assert_eq!(world.read("inside"), "ran\n", "{} {}", said.out, said.err);
    if said.out.contains("bash: not found") {
        println!("SKIPPED: bash is not installed");
        return;
    }
    server.set_nonblocking(true).unwrap();
    assert!(server.accept().is_ok(), "the machine is reached: {}", said.out);
}

#[test]
fn at_level_2_nothing_of_the_workspace_is_written() {
    let world = World::new();
    let playbook = "[meta]\nname = \"two\"\n\
         [[rule]]\nwhen = { seen_call = \"it\" }\nanswer = \"done\"\n\
         [[rule]]\n[[rule.call]]\ntool = \"shell\"\nas = \"it\"\n\
         args = { command = 'echo x > inside; echo y > /tmp/private && cat /tmp/private' }\n\
         [[rule.call]]\ntool = \"write_file\"\nas = \"file\"\nargs = { path = \"written\", content = \"x\" }\n";
    let mut more = AUTO.to_vec();
    more.extend(["--sandbox", "2"]);
    world.play(playbook, &more).ends(0);
    let id = world.id();
    if !is_full(&world, &id) {
        return;
    }
    assert_eq!(label(&world, &id), "sandbox 2");
    assert!(world.read("inside").is_empty() && world.read("written").is_empty());
    assert!(
        world
            .journal(&id)
            .contains("at sandbox level 2 nothing in the workspace is written")
    );
}

#[test]
fn a_call_that_asks_to_leave_the_sandbox_asks_under_every_preset() {
    let world = World::new();
    let outside = world.path("home/outside");
    let playbook = format!(
        "[meta]\nname = \"out\"\n\
         [[rule]]\nwhen = {{ seen_call = \"it\" }}\nanswer = \"done\"\n\
         [[rule]]\n[[rule.call]]\ntool = \"shell\"\nas = \"it\"\n\
         args = {{ command = 'echo x > {}', _outside = \"it writes elsewhere\" }}\n",
        outside.display()
    );
    world.play(&playbook, AUTO);
    let id = world.ids().pop().unwrap();
    if !is_full(&world, &id) {
        return;
    }
    assert!(!outside.exists());
    assert!(
        world
            .journal(&id)
            .contains("asks to leave the sandbox: it writes elsewhere")
    );
    for (rule, runs) in [
        ("[[rule]]\ntool = \"shell\"\ngate = \"allow\"\n", false),
        (
            "[[rule]]\ntool = \"shell\"\nsandbox = \"full\"\ngate = \"allow\"\n",
            false,
        ),
        (
            "[[rule]]\ntool = \"shell\"\noutside = true\ngate = \"allow\"\n",
            true,
        ),
    ] {
        let policy = world.aside("policy.toml", rule);
        world.play(&playbook, &["--policy", &policy]);
        assert_eq!(outside.exists(), runs, "{rule}");
    }
}

#[test]
fn a_full_sandbox_is_a_condition_of_rules() {
    let world = World::new();
    let policy = world.aside(
        "policy.toml",
        "preset = \"guarded\"\n[[rule]]\ntool = \"shell\"\nsandbox = \"full\"\ngate = \"allow\"\n",
    );
    world.play(&command("echo x > inside"), &["--policy", &policy]);
    let id = world.ids().pop().unwrap();
    if !is_full(&world, &id) {
        return;
    }
    assert_eq!(world.read("inside"), "x\n");
    // Without a sandbox it asks, and nobody is there.
    world.play(
        &command("echo x > other"),
        &["--policy", &policy, "--sandbox", "0"],
    );
    assert!(world.read("other").is_empty());
}

#[test]
fn a_session_keeps_the_level_that_it_began_with() {
    let world = World::new();
    let waits = command("echo x > inside");
    // Nobody approves: the run ends with a call to decide.
    world.play(
        &waits,
        &["--policy", "supervised", "--sandbox", "0", "--max-turns", "1"],
    );
    let id = world.id();
    world.run(&["resume", &id, "--headless"]);
    assert_eq!(profile(&world, &id), None, "resumed without a sandbox");
    assert_eq!(label(&world, &id), "sandbox level 0");
    world.run(&["resume", &id, "--headless", "--sandbox", "1"]);
    let Some(profile) = profile(&world, &id) else {
        println!("SKIPPED: this machine has no sandbox");
        return;
    };
    assert_eq!(profile.level, Level::Workspace);
    let refitted = |fact: &overrule::domain::envelope::Envelope| matches!(&fact.event, Event::Run(RunEvent::Refitted { started }) if started.sandbox.profile.is_some());
    assert_eq!(world.facts(&id).iter().filter(|fact| refitted(fact)).count(), 1);
    // And keeps it from there on.
    world.run(&["resume", &id, "--headless"]);
    assert_eq!(world.facts(&id).iter().filter(|fact| refitted(fact)).count(), 1);
}

#[test]
fn where_all_guarantees_are_required_nothing_runs_without_them() {
    let world = World::new();
    std::fs::create_dir_all(world.path("home/.config/overrule")).unwrap();
    let settings = "[sandbox]\nrequired = true\nunix_sockets = true\n";
    std::fs::write(world.path("home/.config/overrule/config.toml"), settings).unwrap();
    let before = world.everything();
    let said = world.play(&command("echo x > inside"), AUTO).ends(3);
    assert!(
        said.err.contains("`required` is set") && said.err.contains("G6"),
        "{}",
        said.err
    );
    let mut more = AUTO.to_vec();
    more.extend(["--sandbox", "0"]);
    let said = world.play(&command("echo x > inside"), &more).ends(3);
    assert!(said.err.contains("`required` is set"), "{}", said.err);
    let mut after = world.everything();
    after.retain(|path, _| !path.ends_with("playbook.toml"));
    assert_eq!(after, before);
}

#[test]
fn a_deleted_session_takes_its_private_directory_with_it() {
    let world = World::new();
    world
        .play(&command("echo x > /tmp/private; echo done"), AUTO)
        .ends(0);
    let id = world.id();
    if !is_full(&world, &id) {
        return;
    }
    let private = world
        .path("home/.local/share/overrule/sandbox/sessions")
        .join(&id);
    assert_eq!(
        std::fs::read_to_string(private.join("tmp/private")).unwrap(),
        "x\n"
    );
    world.run(&["sessions", "delete", &id]).ends(0);
    assert!(!private.exists());
}
