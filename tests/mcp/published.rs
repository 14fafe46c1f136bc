//! Tests with servers as others publish them, where their registry can be reached.
//!
//! Must not know: how the program works inside.

use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::world::World;

/// Servers of the npm registry: name, package, program, a tool, its arguments.
const NPM: [(&str, &str, &str, &str, &str); 2] = [
    (
        "everything",
        "@modelcontextprotocol/server-everything@2026.8.31",
        "mcp-server-everything",
        "echo",
        r#"{"message":"hello there"}"#,
    ),
    (
        "memory",
        "@modelcontextprotocol/server-memory@2026.8.31",
        "mcp-server-memory",
        "read_graph",
        "{}",
    ),
];

/// Installs a package below a directory. False where there is no npm, or its registry cannot be reached.
fn install(dir: &Path, package: &str) -> bool {
    let mut npm = Command::new("npm");
    npm.args(["install", "--no-audit", "--no-fund", "--prefix"])
        .arg(dir)
        .arg(package)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    npm.status().is_ok_and(|status| status.success())
}

#[test]
fn servers_of_the_npm_registry_are_listed_and_called() {
    let dir = tempfile::tempdir().unwrap();
    for (name, package, program, tool, args) in NPM {
        if !install(dir.path(), package) {
            eprintln!("SKIPPED: {package}: there is no npm, or its registry cannot be reached");
            continue;
        }
        let world = World::new();
        let program = dir.path().join("node_modules/.bin").join(program);
        let file = json!({ "mcpServers": { name: { "command": program.to_str().unwrap() } } });
        world.file(".mcp.json", &file.to_string());
        let shown = world.run(&["trust", "--json"]).ends(0);
        let line: Value = serde_json::from_str(shown.out.lines().next().unwrap()).unwrap();
        let hash = line["hash"].as_str().unwrap();
        world.run(&["trust", "--hash", hash]).ends(0);
        let listed = world.run(&["tools", "list", "--json"]).ends(0);
        let offered = format!("{name}__{tool}");
        let has_it = listed.out.contains(&format!("\"name\":\"{offered}\""));
        assert!(has_it, "{}\n{}", listed.out, listed.err);
        let lines = listed.out.lines();
        for line in lines.filter(|line| line.contains("\"source\":\"mcp\"")) {
            let tool: Value = serde_json::from_str(line).unwrap();
            let effect = &tool["tool"]["effect"];
            assert_eq!(effect, "unknown", "no word of a server lowers a class: {line}");
        }
        let said = world.run(&["tools", "call", &offered, args]).ends(0);
        assert!(!said.out.trim().is_empty(), "{offered}: {}", said.err);
    }
}
