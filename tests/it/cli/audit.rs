//! Tests of the audit on the command line: who decided what, in three forms.
//!
//! Must not know: how it is folded.

use serde_json::{Value, json};

use crate::cli::decisions::{call, digest, waiting};
use crate::cli::playbooks::STEPS;
use crate::cli::world::World;

fn listed(world: &World, id: &str) -> Vec<Value> {
    let output = world.run(&["audit", id, "--json"]).ends(0);
    output
        .out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// The newest entry of an action.
fn newest<'a>(all: &'a [Value], action: &str) -> &'a Value {
    all.iter()
        .rfind(|one| one["action"] == action)
        .unwrap_or_else(|| panic!("no `{action}`"))
}

/// The cells of a row in which every cell with a comma is quoted.
fn cells(row: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut quoted = false;
    for c in row.chars() {
        match c {
            '"' => quoted = !quoted,
            ',' if !quoted => cells.push(String::new()),
            c => cells.last_mut().unwrap().push(c),
        }
    }
    cells
}

#[test]
fn an_approval_is_listed_with_who_when_after_how_long_and_what_ran() {
    let world = World::new();
    let id = waiting(&world);
    let start = call(&world.state(&id), "start");
    let digest = digest(&world, &id, start);
    world
        .run(&["approve", &id, &start.to_string(), "--digest", &digest])
        .ends(0);
    let before = world.everything();
    let all = listed(&world, &id);
    let approved = newest(&all, "approve");
    assert_eq!(approved["by"], "operator");
    assert_eq!(
        (&approved["who"], &approved["via"]),
        (&json!("tester"), &json!("shell"))
    );
    assert_eq!(approved["node"], start.to_string());
    assert_eq!(approved["shown"]["digest"], digest);
    assert_eq!(approved["shown"]["unread"], 0);
    assert!(approved["waited_ms"].is_u64(), "{approved}");
    assert!(approved["rule"].as_str().unwrap().contains("preset guarded"));
    assert_eq!(approved["executed"], json!([]), "nothing ran yet");
    assert_eq!(world.everything(), before, "an audit changes nothing");
    world
        .run(&["resume", &id, "--headless", "--policy", "auto"])
        .ends(0);
    let all = listed(&world, &id);
    let ran = newest(&all, "approve");
    assert_eq!(ran["executed"][0]["arguments"], ran["shown"]["arguments"]);
    assert_ne!(
        ran["original"], ran["shown"]["arguments"],
        "the label is no argument"
    );
    assert_eq!(ran["executed"][0]["outcome"], "succeeded");
    let by_rule = newest(&all, "allow");
    assert_eq!(by_rule["by"], "policy");
    let text = world.run(&["audit", &id]).ends(0).out;
    assert!(text.contains(" · tester (shell) · approve "), "{text}");
    assert!(text.contains(", all read, shown as command, digest "), "{text}");
}

#[test]
fn a_table_has_one_row_a_decision_and_no_formula_in_it() {
    let world = World::new();
    let id = waiting(&world);
    let start = call(&world.state(&id), "start").to_string();
    let reason = "=HYPERLINK(\"http://x\",\"y\")\n\u{1b}[31m";
    world.run(&["reject", &id, &start, "--reason", reason]).ends(0);
    let output = world.run(&["audit", &id, "--format", "csv"]).ends(0);
    let rows: Vec<Vec<String>> = output.out.lines().map(cells).collect();
    let column = |name: &str| rows[0].iter().position(|one| one == name).unwrap();
    assert!(rows.iter().all(|row| row.len() == rows[0].len()));
    assert_eq!(rows.len() - 1, listed(&world, &id).len());
    let row = rows.iter().find(|row| row[column("action")] == "reject").unwrap();
    assert!(row[column("reason")].starts_with("'=HYPERLINK("), "{row:?}");
    assert_eq!(row[column("executed")], "", "nothing ran");
    assert_eq!(row[column("who")], "tester");
    assert!(!output.out.contains('\u{1b}'));
    let text = world.run(&["audit", &id]).ends(0).out;
    assert!(!text.contains('\u{1b}'));
}

#[test]
fn of_a_damaged_session_what_stands_before_the_damage_is_listed() {
    let world = World::new();
    world.play(STEPS, &["--policy", "auto"]).ends(0);
    let id = world.id();
    let whole = listed(&world, &id);
    let path = world.place(&id).journal();
    let text = std::fs::read_to_string(&path).unwrap();
    let at = text.rfind("call.decided").unwrap();
    let mut bytes = text.into_bytes();
    bytes[at] = b'C';
    std::fs::write(&path, bytes).unwrap();
    let output = world.run(&["audit", &id, "--json"]).ends(0);
    assert!(output.err.contains("is damaged"), "{}", output.err);
    let left = output.out.lines().count();
    assert!(left > 0 && left < whole.len(), "{left} of {}", whole.len());
    world.run(&["audit", "nowhere"]).ends(7);
}
