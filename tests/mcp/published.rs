//! Tests with servers as others publish them, where their registry can be reached.
//!
//! Must not know: how the program works inside.

use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::world::World;

/// Servers of the npm registry: name, package, arguments, a tool, its arguments, a part of its result.
const NPM: [(&str, &str, &str, &str); 2] = [
    (
        "everything",
        "@modelcontextprotocol/server-everything@2026.8.31",
        "echo",
        r#"{"message":"hello there"}"#,
    ),
    (
        "memory",
        "@modelcontextprotocol/server-memory@2026.8.31",
        "read_graph",
        "{}",
    ),
];

/// Whether `npx` can run a package, which takes a while for the first time.
fn can_run(package: &str) -> bool {
    let mut npm = Command::new("npm");
    npm.args(["view", package, "version"])
        .stdin(Stdio::null())
        .stderr(Stdio::null());
    npm.output()
        .is_ok_and(|output| output.status.success() && !output.stdout.is_empty())
}

#[test]
fn servers_of_the_npm_registry_are_listed_and_called() {
    for (name, package, tool, args) in NPM {
        if !can_run(package) {
            eprintln!("SKIPPED: {package}: there is no npx, or its registry cannot be reached");
            continue;
        }
        let world = World::new();
        let file = json!({ "mcpServers": { name: { "command": "npx", "args": ["-y", package] } } });
        world.file(".mcp.json", &file.to_string());
        let shown = world.run(&["trust", "--json"]).ends(0);
        let line: Value = serde_json::from_str(shown.out.lines().next().unwrap()).unwrap();
        world
            .run(&["trust", "--hash", line["hash"].as_str().unwrap()])
            .ends(0);
        let listed = world.run(&["tools", "list", "--json"]).ends(0);
        let offered = format!("{name}__{tool}");
        if !listed.out.contains(&format!("\"name\":\"{offered}\"")) {
            // The first start downloads the package and may take longer than a run waits.
            let again = world.run(&["tools", "list", "--json"]).ends(0);
            assert!(
                again.out.contains(&format!("\"name\":\"{offered}\"")),
                "{}\n{}",
                again.out,
                again.err
            );
        }
        for line in listed
            .out
            .lines()
            .filter(|line| line.contains("\"source\":\"mcp\""))
        {
            let tool: Value = serde_json::from_str(line).unwrap();
            assert_eq!(
                tool["tool"]["effect"], "unknown",
                "no word of a server lowers a class: {line}"
            );
        }
        let said = world.run(&["tools", "call", &offered, args]).ends(0);
        assert!(!said.out.trim().is_empty(), "{offered}: {}", said.err);
    }
}
