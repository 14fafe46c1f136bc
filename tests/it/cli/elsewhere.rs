//! Tests that a session that this program did not write here gains nothing by being resumed.
//!
//! Must not know: how the list of own sessions is stored, beyond that it can be removed.

use crate::cli::damaged::PAYS;
use crate::cli::playbooks::STEPS;
use crate::cli::world::World;

#[test]
fn a_session_from_elsewhere_names_what_it_brings_and_runs_nothing_unasked() {
    let world = World::new();
    let theirs = World::new();
    theirs.play(PAYS, &["--policy", "auto"]).ends(0);
    let id = theirs.id();
    let dir = world.sessions().join(&id);
    std::fs::create_dir_all(&dir).unwrap();
    let journal = theirs.journal(&id);
    let before: Vec<&str> = journal
        .lines()
        .take_while(|line| !line.contains("call.started"))
        .collect();
    std::fs::write(dir.join("journal.jsonl"), before.join("\n") + "\n").unwrap();
    std::fs::remove_file(theirs.ws().join("paid.txt")).unwrap();
    let paid = || theirs.read("paid.txt") == "paid\n";
    let told = world.run(&["resume", &id, "--headless"]).ends(4);
    let place = theirs.ws().display().to_string();
    for words in [
        "it is from elsewhere",
        "preset: auto (yours: guarded; guarded holds)",
        &place,
        "model server: scripted",
        "1 approvals",
    ] {
        assert!(told.err.contains(words), "no `{words}` in {}", told.err);
    }
    // A decision about it does not make it one's own.
    world.run(&["pause", &id]).ends(0);
    world.run(&["resume", &id, "--headless"]).ends(4);
    assert!(!paid());
    // Accepted, the stricter preset holds, and what was approved elsewhere asks again: nobody is there.
    let args = [
        "resume",
        &id,
        "--headless",
        "--from-elsewhere",
        "--max-turns",
        "2",
    ];
    world
        .run(&args)
        .tells("Decided elsewhere, and asked again: 0 rules, 1 approvals. The preset is guarded.");
    assert!(!paid());
    assert_eq!(world.state(&id).settings.policy, "guarded");
    // From then on it is one's own.
    let again = world.run(&["resume", &id, "--headless", "--max-turns", "3"]);
    assert!(!again.err.contains("from elsewhere"), "{}", again.err);
    assert!(!paid());
}

#[test]
fn rules_of_a_session_from_elsewhere_are_dropped() {
    let theirs = World::new();
    let id = crate::cli::decisions::interrupted(&theirs, STEPS, 1);
    theirs
        .run(&["add-rule", &id, r#"tool = "read_file", gate = "allow""#])
        .ends(0);
    assert_eq!(theirs.state(&id).settings.rules.len(), 1);
    // The list is gone, as on another machine. It is made anew, without sessions of a directory that is named.
    std::fs::remove_dir_all(theirs.path("home/.local/state/overrule/written")).unwrap();
    theirs.run(&["resume", &id, "--headless"]).ends(4);
    theirs
        .run(&["resume", &id, "--headless", "--from-elsewhere"])
        .tells("1 rules");
    assert!(theirs.state(&id).settings.rules.iter().all(|rule| rule.dropped));
}

#[test]
fn a_session_that_was_changed_since_is_from_elsewhere_and_one_that_was_written_here_is_not() {
    let world = World::new();
    world.play(PAYS, &["--policy", "auto"]).ends(0);
    let id = world.id();
    let whole = world.journal(&id);
    let resume = ["resume", &id, "--headless", "--max-turns", "2"];
    let from_elsewhere = || world.run(&resume).err.contains("from elsewhere");
    assert!(!from_elsewhere());
    let last = whole.lines().count();
    let cut: Vec<&str> = whole.lines().take(last - 3).collect();
    std::fs::write(world.place(&id).journal(), cut.join("\n") + "\n").unwrap();
    assert!(from_elsewhere(), "the record that was noted is gone");
    std::fs::write(world.place(&id).journal(), &whole).unwrap();
    assert!(!from_elsewhere());
    // A fork of one's own session is one's own.
    let fork = world.run(&["fork", &id, "--at", "5"]).ends(0).out;
    let fork = fork.split(':').next().unwrap().to_owned();
    let output = world.run(&["resume", &fork, "--headless", "--max-turns", "2"]);
    assert!(!output.err.contains("from elsewhere"), "{}", output.err);
}

#[test]
fn sessions_of_before_the_list_are_taken_in_once() {
    let world = World::new();
    let run = |args: &[&str]| {
        let mut command = world.command(args);
        command.env_remove("OVERRULE_SESSIONS");
        crate::cli::world::finish(command)
    };
    let file = world.aside("pays.toml", PAYS);
    run(&[
        "run",
        "x",
        "--headless",
        "--policy",
        "auto",
        "--model",
        "scripted",
        "--playbook",
        &file,
    ])
    .ends(0);
    let sessions = world.path("home/.local/share/overrule/sessions");
    let id = std::fs::read_dir(&sessions)
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .file_name()
        .into_string()
        .unwrap();
    let list = world.path("home/.local/state/overrule/written");
    std::fs::remove_dir_all(&list).unwrap();
    let cut = |count: usize| {
        let journal = sessions.join(&id).join("journal.jsonl");
        let text = std::fs::read_to_string(&journal).unwrap();
        let kept: Vec<&str> = text.lines().take(text.lines().count() - count).collect();
        std::fs::write(journal, kept.join("\n") + "\n").unwrap();
    };
    cut(2);
    let taken = run(&["resume", &id, "--headless", "--max-turns", "2"]);
    assert!(!taken.err.contains("from elsewhere"), "{}", taken.err);
    // The list exists: a session that is not in it is not taken in any more.
    std::fs::remove_file(list.join(&id)).unwrap();
    cut(2);
    run(&["resume", &id, "--headless"])
        .ends(4)
        .tells("from elsewhere");
}
