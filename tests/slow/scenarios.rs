//! Runs the scenarios below `tests/scenarios`: one or more for each operator verb.
//!
//! Must not know: what they say (docs/contributing.md describes their form).

use crate::support::scenario;

use std::collections::BTreeSet;

use clap::{CommandFactory as _, Subcommand as _};
use overrule::cli::args::{Args, Verb};

/// A test for each scenario, by the name of its file.
macro_rules! scenarios {
    ($($test:ident = $file:literal,)*) => {
        const FILES: &[&str] = &[$($file),*];
        $(#[test]
        fn $test() {
            scenario::play($file);
        })*
    };
}

scenarios! {
    allow = "allow",
    allow_loop = "allow-loop",
    answer = "answer",
    approve = "approve",
    approve_all = "approve-all",
    ask_again = "ask-again",
    ask_again_for_a_whole_turn = "ask-again-a-whole-turn",
    branches = "branches",
    cancel = "cancel",
    classify = "classify",
    commit = "commit",
    compensate = "compensate",
    consent = "consent",
    correct_an_observation = "correct-an-observation",
    delete = "delete",
    delete_a_thought = "delete-a-thought",
    delegate = "delegate",
    did_not_finish = "did-not-finish",
    edit_a_prompt = "edit-a-prompt",
    edit_a_thought = "edit-a-thought",
    choose_another_route = "choose-another-route",
    choose_repair = "choose-repair",
    edit_an_answer = "edit-an-answer",
    edit_arguments = "edit-arguments",
    edit_keeps_names = "edit-keeps-names",
    edit_while_it_waits = "edit-while-it-waits",
    fork = "fork",
    guide = "guide",
    insert_call = "insert-call",
    insert_thought = "insert-thought",
    insert_thought_behind_a_call = "insert-thought-behind-a-call",
    irreversible = "irreversible",
    keep = "keep",
    keep_later = "keep-later",
    mute_loops = "mute-loops",
    name_a_session = "name-a-session",
    notify = "notify",
    notify_while_it_waits = "notify-while-it-waits",
    pause = "pause",
    preview = "preview",
    queue_of_a_sub_agent = "queue-of-a-sub-agent",
    probe = "probe",
    redefined = "redefined",
    reject = "reject",
    reject_answer = "reject-answer",
    repair_another_tool = "repair-another-tool",
    repair_described = "repair-described",
    repair_learns = "repair-learns",
    repair_missing = "repair-missing",
    repair_not = "repair-not",
    repair_shapes = "repair-shapes",
    repair_two_errors = "repair-two-errors",
    repair_unknown_tool = "repair-unknown-tool",
    replace = "replace",
    reset_breaker = "reset-breaker",
    resolve = "resolve",
    restore = "restore",
    restrict = "restrict",
    retry = "retry",
    ring = "ring",
    rules = "rules",
    sandbox = "sandbox",
    run_now = "run-now",
    set_limits = "set-limits",
    set_policy = "set-policy",
    set_resilience = "set-resilience",
    shorten = "shorten",
    summarize = "summarize",
    drop_turns = "drop-turns",
    skip_repair = "skip-repair",
    step = "step",
    stop = "stop",
    stop_turn = "stop-turn",
    take = "take",
    weights = "weights",
    weights_of_another_run = "weights-of-another-run",
    undo = "undo",
    unpin = "unpin",
    write_conflict = "write-conflict",
}

#[test]
fn every_file_is_carried_out() {
    let files = std::fs::read_dir(scenario::dir())
        .unwrap()
        .flatten()
        .map(|entry| entry.path());
    let files: BTreeSet<String> = files
        .filter(|path| path.extension().is_some_and(|end| end == "toml"))
        .map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned())
        .collect();
    let listed: BTreeSet<String> = FILES.iter().map(|&name| name.to_owned()).collect();
    assert_eq!(
        files, listed,
        "list each file of tests/scenarios in tests/slow/scenarios.rs"
    );
}

#[test]
fn every_verb_of_the_command_line_has_a_scenario() {
    let names = |command: clap::Command| -> BTreeSet<String> {
        let all = command.get_subcommands();
        all.map(|verb| verb.get_name().to_owned()).collect()
    };
    let all = names(Args::command());
    let mut verbs = names(Verb::augment_subcommands(clap::Command::new("overrule")));
    verbs.extend(["branches", "compare", "fork"].map(str::to_owned));
    let shown: BTreeSet<String> = FILES.iter().flat_map(|name| scenario::read(name).verbs).collect();
    let without: Vec<&String> = verbs.difference(&shown).collect();
    assert!(
        without.is_empty(),
        "write a file in tests/scenarios for {without:?}"
    );
    let unknown: Vec<&String> = shown.difference(&all).collect();
    assert!(unknown.is_empty(), "there is no verb {unknown:?}");
    for name in FILES {
        assert!(
            !scenario::read(name).about.trim().is_empty(),
            "{name} does not say what it shows"
        );
    }
}
