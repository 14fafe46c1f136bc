//! Tests of verbs on a session that another process runs.
//!
//! Must not know: sockets.

use overrule::domain::id::NodeId;
use overrule::domain::state::Mode;

use super::holder::{Holder, sockets};
use crate::cli::decisions::{call, digest, interrupted};
use crate::cli::playbooks::{STEPS, command};
use crate::cli::world::{World, until};

#[test]
fn a_second_process_approves_and_the_first_goes_on() {
    let world = World::new();
    let holder = Holder::play(&world, STEPS, &[]);
    let (start, whole) = holder.waiting("start");
    // The queue is read off the journal, without a lock.
    let text = world.run(&["queue", &holder.id]).ends(0);
    assert!(text.out.contains(&format!(
        "{start} runs 2 commands · guarded asks about commands · shell"
    )));
    assert_eq!(world.read("log.txt"), "");
    let text = world
        .run(&["approve", &holder.id, &start, "--digest", &whole])
        .ends(0);
    assert!(text.out.starts_with("recorded as #"), "{}", text.out);
    assert!(text.out.contains("by the process that runs it"), "{}", text.out);
    until("it runs", || world.read("log.txt") == "start\n");
    // Where the run continues anyway, --resume asks for nothing more.
    let (copy, seen) = holder.waiting("copy");
    world
        .run(&["approve", &holder.id, &copy, "--digest", &seen, "--resume"])
        .ends(0);
    holder.approve("second");
    let (id, world) = (holder.id.clone(), holder.world);
    let text = holder.end().ends(0);
    assert_eq!(text.out, "copied alpha, started, logged\n");
    assert_eq!(world.read("log.txt"), "start\nsecond\n");
    let approvals = world.journal(&id).matches(r#""decision":"approve""#).count();
    let by_hand = world
        .facts(&id)
        .iter()
        .filter(|fact| format!("{:?}", fact.actor).contains("tester"))
        .count();
    assert!(
        by_hand >= 3,
        "{by_hand} facts by the operator, {approvals} approvals"
    );
    let effects = world.run(&["effects", &id]).ends(0).out;
    assert!(effects.contains("approved (control socket)"), "{effects}");
    assert!(!effects.contains("(shell)"), "{effects}");
    assert_eq!(sockets(world), [""; 0].map(std::path::PathBuf::from));
}

#[test]
fn a_wrong_digest_is_refused_by_the_holder_and_nothing_runs() {
    let world = World::new();
    let holder = Holder::play(&world, STEPS, &[]);
    let (start, whole) = holder.waiting("start");
    let journal = world.journal(&holder.id);
    for (args, code) in [
        (
            &["approve", &holder.id, &start, "--digest", "0123456789abcdef"][..],
            4,
        ),
        (&["approve", &holder.id, &start, "--digest", &whole[..8]], 4),
        (&["approve", &holder.id, "c99", "--digest", &whole], 2),
        (&["answer", &holder.id, &start, "--value", "no json"], 2),
        (&["retry", &holder.id, &start], 4),
        (&["step", &holder.id], 4),
        (&["guide", &holder.id, " "], 2),
    ] {
        let text = world.run(args).ends(code);
        assert_eq!(text.out, "", "{args:?}");
        assert!(!text.err.trim().is_empty(), "{args:?}");
    }
    let text = world
        .run(&["approve", &holder.id, &start, "--digest", "0123456789abcdef"])
        .ends(4);
    // The refusal shows the current revision below.
    for message in [whole.as_str(), "echo start >> log.txt"] {
        assert!(text.err.contains(message), "no `{message}` in {}", text.err);
    }
    assert!(world.journal(&holder.id) == journal, "a refusal leaves no trace");
    assert_eq!(world.read("log.txt"), "");
}

#[test]
fn what_changed_since_it_was_seen_is_shown() {
    let world = World::new();
    let holder = Holder::play(&world, STEPS, &[]);
    holder.approve("start");
    let (copy, seen) = holder.waiting("copy");
    holder.waiting("second");
    // A tool that can do more does not inherit an approval: it waits again, as another revision.
    let args = r#"{"_as":"copy","command":"echo other >> log.txt"}"#;
    world
        .run(&["replace", &holder.id, &copy, "shell", "--args", args])
        .ends(0);
    let text = world
        .run(&["approve", &holder.id, &copy, "--digest", &seen])
        .ends(4);
    for message in [
        "is now revision 2",
        "since revision 1:",
        "- write_file",
        "+ shell",
        "echo other",
    ] {
        assert!(text.err.contains(message), "no `{message}` in {}", text.err);
    }
    assert_eq!(world.read("log.txt"), "start\n");
    assert_eq!(world.read("copy.txt"), "");
    assert_eq!(holder.executions(copy.parse().unwrap()), 0);
}

#[test]
fn a_run_that_is_gone_on_with_takes_commands_too() {
    let world = World::new();
    let id = interrupted(&world, STEPS, 1);
    let resume = world.command(&["resume", &id, "--headless", "--control"]);
    let holder = Holder::start(&world, resume);
    let start = call(&world.state(&id), "start");
    world
        .run(&["reject", &id, &start.to_string(), "--reason", "not here"])
        .ends(0);
    assert_eq!(holder.end().ends(0).out, "without start\n");
    assert_eq!(world.read("log.txt"), "");
}

#[test]
fn edits_and_names_arrive_while_the_run_goes_on() {
    let world = World::new();
    let holder = Holder::play(&world, STEPS, &[]);
    let (start, _) = holder.waiting("start");
    let args = r#"{"_as":"start","command":"echo other >> log.txt; echo other"}"#;
    let edit = ["edit", &holder.id, &start, "--args", args];
    let before = world.journal(&holder.id);
    world.run(&[&edit[..], &["--preview"]].concat()).ends(0);
    assert!(world.journal(&holder.id) == before, "a preview needs no holder");
    world.run(&edit).ends(0);
    world
        .run(&["sessions", "name", &holder.id, "from outside"])
        .ends(0);
    // What the operator typed is approved by that.
    until("it runs", || world.read("log.txt") == "other\n");
    let (id, world) = (holder.id.clone(), holder.world);
    holder.approve("copy");
    holder.approve("second");
    assert_eq!(holder.end().ends(0).out, "copied alpha, other, logged\n");
    let state = world.state(&id);
    assert_eq!(state.settings.title.as_deref(), Some("from outside"));
    let notes: NodeId = call(&state, "notes");
    assert_eq!(crate::cli::decisions::executions(&state, notes), 1);
}

#[test]
fn a_run_is_paused_stepped_and_let_go_from_outside() {
    let world = World::new();
    let holder = Holder::play(&world, STEPS, &[]);
    holder.waiting("start");
    world.run(&["pause", &holder.id, "--reason", "lunch"]).ends(0);
    assert!(matches!(holder.state().mode, Mode::Paused(ref why) if why == "lunch"));
    world.run(&["pause", &holder.id]).ends(4);
    let start = call(&holder.state(), "start");
    let seen = digest(&world, &holder.id, start);
    world
        .run(&["approve", &holder.id, &start.to_string(), "--digest", &seen])
        .ends(0);
    // Only one step: the paused run waits for the operator instead of giving up.
    assert_eq!(world.read("log.txt"), "");
    world.run(&["step", &holder.id]).ends(0);
    until("it ran", || {
        holder.executions(start) == 1 && holder.state().agenda.running.is_empty()
    });
    let requests = holder.state().tally.requests;
    assert!(matches!(holder.state().mode, Mode::Paused(_)));
    world.run(&["unpause", &holder.id]).ends(0);
    until("the model was asked", || {
        holder.state().tally.requests == requests + 1
    });
    world.run(&["stop", &holder.id, "--reason", "enough"]).ends(0);
    let text = holder.end().ends(4);
    assert!(text.err.contains("enough"), "{}", text.err);
    assert_eq!(world.read("log.txt"), "start\n");
}

#[test]
fn a_running_call_is_ended_by_a_stop_from_outside() {
    let world = World::new();
    let playbook = command("echo begun >> log.txt; sleep 600; echo never >> log.txt");
    let holder = Holder::play(&world, &playbook, &["--policy", "auto"]);
    until("it runs", || world.read("log.txt") == "begun\n");
    world.run(&["stop", &holder.id]).ends(0);
    holder.end().ends(4);
    assert_eq!(world.read("log.txt"), "begun\n");
}

#[test]
fn without_control_the_refusal_says_how_to_get_it() {
    let world = World::new();
    let mut running = world.playing(&command("echo up > up; sleep 600"), &["--policy", "auto"]);
    let mut child = running
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    until("the command runs", || !world.read("up").is_empty());
    assert_eq!(sockets(&world).len(), 0);
    let text = world.run(&["pause", "last"]).ends(7);
    for message in [&format!("process {}", child.id()), "--control"] {
        assert!(text.err.contains(message), "no `{message}` in {}", text.err);
    }
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn a_run_is_restricted_to_reading_calls_and_let_go_from_outside() {
    let world = World::new();
    let holder = Holder::play(&world, STEPS, &[]);
    let (start, seen) = holder.waiting("start");
    // Else the model may answer before the next verb, and the run ends.
    world.run(&["pause", &holder.id]).ends(0);
    world
        .run(&["restrict", &holder.id, "--reason", "look first"])
        .ends(0);
    assert_eq!(holder.state().settings.restricted.as_deref(), Some("look first"));
    world.run(&["restrict", &holder.id]).ends(4);
    let text = world
        .run(&["approve", &holder.id, &start, "--digest", &seen])
        .ends(4);
    assert!(text.err.contains("restricted to reading calls"), "{}", text.err);
    world.run(&["unpause", &holder.id]).ends(0);
    // The model is told, and answers with what it read.
    let (id, world) = (holder.id.clone(), holder.world);
    let text = holder.end().ends(0);
    assert_eq!(text.out, "without start\n");
    assert_eq!(world.read("log.txt"), "");
    world.run(&["restrict", &id, "--lift"]).ends(0);
    assert_eq!(world.state(&id).settings.restricted, None);
    let by = |kind: &str| {
        let facts = world.facts(&id);
        let fact = facts
            .iter()
            .find(|fact| format!("{:?}", fact.event).contains(kind));
        format!("{:?}", fact.unwrap().actor)
    };
    assert!(by("Restricted {").contains("tester"), "{}", by("Restricted {"));
    assert!(by("RestrictionLifted").contains("tester"));
}
