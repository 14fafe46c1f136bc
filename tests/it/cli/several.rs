//! Tests of several edits in one, several approvals in one, and the remaining verbs.
//!
//! Must not know: single edits, single decisions.

use overrule::domain::id::NodeKind;

use crate::cli::control::holder::Holder;
use crate::cli::decisions::{call, executions, interrupted, refused};
use crate::cli::edits::{finished, node};
use crate::cli::playbooks::STEPS;
use crate::cli::world::World;

#[test]
fn several_edits_are_committed_as_one_and_undone_as_one() {
    let world = World::new();
    let id = finished(&world);
    let state = world.state(&id);
    let (notes, start) = (call(&state, "notes"), call(&state, "start"));
    let thought = node(&state, NodeKind::Thought, "copy the first");
    let file = world.aside(
        "edits.json",
        &format!(
            r#"[
                {{"type": "observation", "node": "{}", "value": "gamma\ndelta"}},
                {{"type": "call", "node": "{start}", "args": {{"_as": "start", "command": "echo other >> log.txt; echo other"}}}}
            ]"#,
            notes.observation()
        ),
    );
    let before = world.everything();
    let output = world.run(&["commit", &id, "--edits", &file, "--preview"]).ends(0);
    assert_eq!(world.everything(), before);
    let again = output.out.lines().find(|line| line.starts_with("run  ")).unwrap();
    assert!(again.contains(&start.to_string()), "{}", output.out);
    assert!(!again.contains(&notes.to_string()), "{}", output.out);
    let output = world
        .run(&[
            "commit",
            &id,
            "--edits",
            &file,
            "--resume",
            "--headless",
            "--policy",
            "auto",
        ])
        .ends(0);
    assert_eq!(output.out, "copied gamma, other, logged\n");
    assert_eq!(world.read("log.txt"), "start\nsecond\nother\n");
    let state = world.state(&id);
    assert_eq!(executions(&state, notes), 1, "a corrected result is not executed");
    assert_eq!(executions(&state, start), 2);
    assert!(!state.nodes[&thought.parse().unwrap()].active);
    let branches = world.run(&["branches", &id, "--json"]).ends(0);
    assert_eq!(
        branches.out.lines().count(),
        2,
        "one commit, one branch: {}",
        branches.out
    );
    let output = world.run(&["undo", &id, "--resume", "--headless"]).ends(0);
    assert_eq!(output.out, "copied alpha, started, logged\n");
    assert_eq!(world.read("log.txt"), "start\nsecond\nother\n");
}

#[test]
fn one_wrong_edit_leaves_all_of_them_out() {
    let world = World::new();
    let id = finished(&world);
    let notes = call(&world.state(&id), "notes");
    let good = format!(
        r#"{{"type": "observation", "node": "{}", "value": 1}}"#,
        notes.observation()
    );
    for (second, message) in [
        (r#"{"type": "text", "node": "t99", "text": "x"}"#, "t99"),
        (r#"{"type": "text", "node": "t3"}"#, "needs `text`"),
        (
            r#"{"type": "text", "node": "t3", "txt": "x", "text": "y"}"#,
            "has no `txt`",
        ),
        (r#"{"type": "rewrite"}"#, "its `type` is none of"),
        (r#"{"type": "delete", "node": "x1"}"#, "edit 2"),
        ("7", "not a list of edits"),
    ] {
        let file = world.aside("edits.json", &format!("[{good}, {second}]"));
        let output = refused(&world, &["commit", &id, "--edits", &file], 2);
        assert!(output.err.contains(message), "no `{message}` in {}", output.err);
    }
    for (text, message) in [("", "not a list of edits"), ("{}", "not a list of edits")] {
        let file = world.aside("edits.json", text);
        let output = refused(&world, &["commit", &id, "--edits", &file], 2);
        assert!(output.err.contains(message), "no `{message}` in {}", output.err);
    }
    let file = world.aside("edits.json", "[]");
    refused(&world, &["commit", &id, "--edits", &file], 4);
    refused(&world, &["commit", &id, "--edits", "/nowhere/edits.json"], 2);
}

#[test]
fn numbers_in_a_file_of_edits_stay_as_they_are_written() {
    let world = World::new();
    let id = finished(&world);
    let notes = call(&world.state(&id), "notes");
    let file = world.aside(
        "edits.json",
        &format!(
            r#"[{{"type": "observation", "node": "{}", "value": {{"n": 12345678901234567890123, "f": 1.10}}}}]"#,
            notes.observation()
        ),
    );
    world.run(&["commit", &id, "--edits", &file]).ends(0);
    assert!(
        world
            .journal(&id)
            .contains(r#"{\"n\": 12345678901234567890123, \"f\": 1.10}"#)
    );
}

#[test]
fn calls_that_wait_are_approved_together_and_only_those_that_were_seen() {
    let world = World::new();
    let holder = Holder::play(&world, STEPS, &[]);
    let queue = || world.run(&["queue", &holder.id]).ends(0).out;
    let (start, seen) = holder.waiting("start");
    // One alone is not offered together with others.
    assert!(!queue().contains("together"));
    world
        .run(&["approve", &holder.id, &start, "--digest", &seen])
        .ends(0);
    let (copy, _) = holder.waiting("copy");
    let (second, _) = holder.waiting("second");
    let out = queue();
    assert!(
        out.contains(&format!("{copy} {second} can be approved together")),
        "{out}"
    );
    let all = out.lines().last().unwrap().trim();
    let all = all.strip_prefix("digest ").unwrap().to_owned();
    let journal = world.journal(&holder.id);
    for wrong in ["0123456789abcdef", &all[..8]] {
        let output = world.run(&["approve-all", &holder.id, "--digest", wrong]).ends(4);
        assert_eq!(output.out, "");
    }
    assert!(world.journal(&holder.id) == journal, "a refusal leaves no trace");
    // The calls that were seen are not the waiting ones any more.
    world.run(&["reject", &holder.id, &copy]).ends(0);
    world.run(&["approve-all", &holder.id, "--digest", &all]).ends(4);
    assert_eq!(world.read("log.txt"), "start\n");
    drop(holder);
}

#[test]
fn what_waits_together_runs_together_once_it_is_approved() {
    let world = World::new();
    let holder = Holder::play(&world, STEPS, &[]);
    holder.approve("start");
    holder.waiting("copy");
    holder.waiting("second");
    let out = world.run(&["queue", &holder.id]).ends(0).out;
    let all = out.lines().last().unwrap().trim();
    let all = all.strip_prefix("digest ").unwrap().to_owned();
    let output = world
        .run(&["approve-all", &holder.id, "--digest", &all[..16]])
        .ends(0);
    assert_eq!(output.out.lines().count(), 2, "{}", output.out);
    assert_eq!(holder.end().ends(0).out, "copied alpha, started, logged\n");
    assert_eq!(world.read("log.txt"), "start\nsecond\n");
}

#[test]
fn a_revision_that_was_not_the_one_seen_is_refused_with_the_difference() {
    let world = World::new();
    let id = finished(&world);
    let thought = node(&world.state(&id), NodeKind::Thought, "copy the first");
    let edit = |text: &str, rev: &str| {
        let args = ["edit", &id, &thought, "--text", text, "--rev", rev].map(str::to_owned);
        args.to_vec()
    };
    let run = |args: Vec<String>| world.run(&args.iter().map(String::as_str).collect::<Vec<_>>());
    run(edit("I copy the last line.", "1")).ends(0);
    let before = world.everything();
    let output = run(edit("I copy nothing.", "1")).ends(4);
    for message in [
        "is now revision 2",
        "since revision 1:",
        "- I copy the first line.",
        "+ I copy the last line.",
    ] {
        assert!(output.err.contains(message), "no `{message}` in {}", output.err);
    }
    assert_eq!(world.everything(), before);
    run(edit("I copy nothing.", "2")).ends(0);
}

#[test]
fn a_corrected_result_is_let_go_again() {
    let world = World::new();
    let id = finished(&world);
    let notes = call(&world.state(&id), "notes");
    let observation = notes.observation().to_string();
    refused(&world, &["unpin", &id, &observation], 4);
    refused(&world, &["unpin", &id, &notes.to_string()], 2);
    world
        .run(&["edit", &id, &observation, "--value", "\"gamma\"", "--resume"])
        .ends(0);
    assert!(world.state(&id).nodes[&notes.observation()].pinned);
    let before = world.everything();
    world.run(&["unpin", &id, &observation, "--preview"]).ends(0);
    assert_eq!(world.everything(), before);
    world
        .run(&["unpin", &id, &observation, "--resume", "--headless"])
        .ends(0);
    let state = world.state(&id);
    assert!(!state.nodes[&notes.observation()].pinned);
    assert_eq!(world.read("log.txt"), "start\nsecond\n");
}

#[test]
fn limits_and_policy_are_changed_for_the_next_who_goes_on() {
    let world = World::new();
    let id = interrupted(&world, STEPS, 1);
    refused(&world, &["set-limits", &id], 2);
    refused(&world, &["set-limits", &id, "--parallel", "0"], 2);
    refused(&world, &["set-policy", &id, "lenient"], 2);
    world
        .run(&["set-limits", &id, "--max-turns", "7", "--parallel", "2"])
        .ends(0);
    let state = world.state(&id);
    assert_eq!(
        (state.settings.limits.turns, state.settings.limits.parallel),
        (Some(7), 2)
    );
    world.run(&["set-policy", &id, "auto"]).ends(0);
    let state = world.state(&id);
    assert_eq!(&*state.settings.policy, "auto");
    assert_eq!(world.read("log.txt"), "");
    // The question that was put stays one; those that follow are not put any more.
    let start = call(&state, "start");
    let seen = crate::cli::decisions::digest(&world, &id, start);
    let approve = [
        "approve",
        &id,
        &start.to_string(),
        "--digest",
        &seen,
        "--resume",
        "--headless",
    ];
    assert_eq!(world.run(&approve).ends(0).out, "copied alpha, started, logged\n");
    assert_eq!(world.state(&id).settings.limits.turns, Some(7));
}

#[test]
fn what_only_a_running_session_can_do_says_so() {
    let world = World::new();
    let id = finished(&world);
    let notes = call(&world.state(&id), "notes").to_string();
    for (verb, message) in [
        (&["stop-turn", &id][..], "no turn is streaming"),
        (&["cancel", &id, &notes], "only a running or approved call"),
    ] {
        let output = refused(&world, verb, 4);
        assert!(output.err.contains(message), "no `{message}` in {}", output.err);
    }
}
