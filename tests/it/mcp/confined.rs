//! Tests servers over standard input and output that the settings confine.
//!
//! Must not know: how a kernel confines.

use serde_json::{Value, json};

use overrule::domain::event::{Event, SandboxEvent};
use overrule::domain::sandbox::{Refused, RefusedKind};

use crate::mcp::faulty;
use crate::mcp::server::{Reply, Server};
use crate::mcp::servers::{ALLOW, playbook};
use crate::mcp::world::{Said, World};

/// A world whose settings name the server `bad`, confined by these lines.
struct Confined {
    world: World,
}

impl Confined {
    fn new(lines: &str) -> Self {
        Self::with(lines, "")
    }

    /// The same with more variables of the server.
    fn with(lines: &str, more: &str) -> Self {
        let world = World::new();
        let program = std::env::current_exe().unwrap();
        let log = world.ws().join("faulty.log");
        let text = format!(
            "[mcp.bad]\ncommand = {}\nargs = [\"mcp::faulty_server\", \"--exact\", \"--nocapture\"]\n\
             env = {{ {} = {}, FAULTY_ACTS = \"1\"{more} }}\n{lines}\n",
            json!(program),
            faulty::LOG,
            json!(log),
        );
        let settings = world.path("home/.config/overrule");
        std::fs::create_dir_all(&settings).unwrap();
        std::fs::write(settings.join("config.toml"), text).unwrap();
        Self { world }
    }

    /// What the server says that came of an action.
    fn act(&self, args: &Value) -> String {
        let said = self.world.run(&["tools", "call", "bad__act", &args.to_string()]);
        said.ends(0).out
    }

    fn has_started(&self) -> bool {
        self.world.ws().join("faulty.log").exists()
    }

    fn list(&self, more: &[&str]) -> Said {
        self.world.run(&[&["tools", "list"][..], more].concat())
    }
}

/// True where this machine gives every guarantee; else it says so.
fn is_possible(confined: &Confined) -> bool {
    let said = confined.list(&[]);
    let lacks = said.err.contains(" partial: ") || said.err.contains("not started: it asks for");
    if lacks {
        eprintln!("SKIPPED: {}", said.err);
    }
    !lacks
}

#[test]
fn a_confined_server_writes_in_the_workspace_and_reaches_listed_hosts_only() {
    let listed = Server::new(vec![Reply::Status(200, "", "the page")]);
    let other = Server::new(vec![Reply::Status(200, "", "another page")]);
    let at = |server: &Server| {
        let address = server.base.trim_start_matches("http://");
        address.split('/').next().unwrap().to_owned()
    };
    let confined = Confined::new(&format!("sandbox = 1\nnetwork = [\"{}\"]", at(&listed)));
    let world = &confined.world;
    if !is_possible(&confined) {
        return;
    }
    world.file(".mcp.json", "{}");
    let inside = world.ws().join("inside.txt");
    let outside = world.path("home/outside.txt");
    let protected = world.ws().join(".mcp.json");
    assert!(confined.act(&json!({ "write": inside })).contains("written"));
    assert_eq!(world.read("inside.txt"), "written");
    for path in [&outside, &protected] {
        let said = confined.act(&json!({ "write": path }));
        assert!(said.contains("failed: ") && !said.contains("written"), "{said}");
    }
    assert!(!outside.exists());
    assert_eq!(world.read(".mcp.json"), "{}");
    let said = confined.act(&json!({ "connect": at(&other) }));
    assert!(said.contains("failed: ") && !said.contains("connected"), "{said}");
    let said = confined.act(&json!({ "get": format!("http://{}/x", at(&other)) }));
    assert!(
        said.contains("403 Forbidden") && !said.contains("another page"),
        "{said}"
    );
    assert!(other.seen().is_empty(), "it was reached");
    let said = confined.act(&json!({ "get": format!("http://{}/x", at(&listed)) }));
    assert!(said.contains("the page"), "{said}");
    assert_eq!(listed.seen().len(), 1);
    let left = world.path("home/.local/share/overrule/sandbox/sessions");
    let left: Vec<_> = std::fs::read_dir(left).unwrap().flatten().collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn a_confined_server_writes_the_directories_of_its_settings() {
    let confined = Confined::new("sandbox = 1\nwrite = [\"~/shelf\"]");
    let world = &confined.world;
    if !is_possible(&confined) {
        return;
    }
    let shelf = world.path("home/shelf");
    let said = confined.list(&[]);
    assert!(
        said.err.contains("not started: cannot make") && said.err.contains("shelf"),
        "{}",
        said.err
    );
    assert!(
        !confined.has_started(),
        "a directory of its settings is not there"
    );
    std::fs::create_dir(&shelf).unwrap();
    assert!(
        confined
            .act(&json!({ "write": shelf.join("a") }))
            .contains("written")
    );
    assert!(shelf.join("a").exists());
    let beside = world.path("home/beside");
    assert!(confined.act(&json!({ "write": beside })).contains("failed: "));
    assert!(!beside.exists());
}

#[test]
fn a_server_that_asks_for_a_sandbox_does_not_start_without_one() {
    let confined = Confined::new("sandbox = 2");
    let said = confined.list(&["--sandbox", "0"]);
    assert_ne!(said.code, Some(0));
    let all = said.out + &said.err;
    assert!(
        all.contains("not started: it asks for sandbox 2") && all.contains("hint: run with --sandbox 1"),
        "{all}"
    );
    assert!(!confined.has_started());
    let said = confined
        .world
        .run(&["tools", "call", "bad__act", "{}", "--sandbox", "0"]);
    assert_ne!(said.code, Some(0));
    let said = confined
        .world
        .play(
            "[meta]\nname = \"m\"\n[[rule]]\nanswer = \"done\"\n",
            &["--sandbox", "0"],
        )
        .ends(0);
    let all = said.out + &said.err;
    assert!(all.contains("not started: it asks for sandbox 2"), "{all}");
    assert!(!confined.has_started());
    // One that asks for none starts.
    let free = Confined::new("");
    free.list(&["--sandbox", "0"]).ends(0);
    assert!(free.has_started());
}

#[test]
fn a_server_of_level_2_writes_nothing_of_the_workspace() {
    let confined = Confined::new("sandbox = 2");
    let world = &confined.world;
    if !is_possible(&confined) {
        return;
    }
    let inside = world.ws().join("inside.txt");
    assert!(confined.act(&json!({ "write": inside })).contains("failed: "));
    assert!(!inside.exists());
    assert!(
        confined
            .act(&json!({ "write": "/tmp/private.txt" }))
            .contains("written")
    );
    assert!(!std::path::Path::new("/tmp/private.txt").exists());
    assert!(
        confined
            .act(&json!({ "read": world.ws().join("notes.txt") }))
            .contains("alpha")
    );
}

#[test]
fn a_server_that_was_started_again_is_confined_again() {
    // It ends at the first question, and is started again.
    let confined = Confined::with("sandbox = 1", ", FAULTY_PROBE = \"exit\"");
    let world = &confined.world;
    if !is_possible(&confined) {
        return;
    }
    let (inside, outside) = (world.ws().join("inside.txt"), world.path("home/outside.txt"));
    assert!(confined.act(&json!({ "write": inside })).contains("written"));
    let said = confined.act(&json!({ "write": outside }));
    assert!(said.contains("failed: ") && !said.contains("written"), "{said}");
    let log = world.read("faulty.log");
    let starts = log.lines().filter(|line| *line == "start").count();
    assert!(starts > 2, "each of the two was started again: {log}");
    assert_eq!(world.read("inside.txt"), "written");
    assert!(!outside.exists());
}

#[test]
fn a_host_that_a_server_is_refused_is_recorded_with_the_call() {
    let confined = Confined::new("sandbox = 1");
    let world = &confined.world;
    if !is_possible(&confined) {
        return;
    }
    let calls = [("act", json!({ "get": "http://registry.example.org/x" }))];
    let policy = world.aside("policy.toml", ALLOW);
    world.play(&playbook(&calls), &["--policy", &policy]).ends(0);
    let id = world.id();
    let facts = world.facts(&id);
    let refused: Vec<_> = facts
        .iter()
        .filter_map(|fact| match &fact.event {
            Event::Sandbox(SandboxEvent::Confined { refused, .. }) => Some(refused.clone()),
            _ => None,
        })
        .collect();
    let host = Refused::exact(RefusedKind::Network, "registry.example.org:80");
    assert_eq!(refused, [[host]]);
    let said = world.run(&["sandbox"]).ends(0);
    assert!(
        said.out.contains("refused network registry.example.org:80"),
        "{}",
        said.out
    );
}
