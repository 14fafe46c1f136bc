//! Tests of sessions with a damaged journal: how they resume and what is reported.
//!
//! Must not know: the journal's format.

use crate::cli::decisions::refused;
use crate::cli::playbooks::STEPS;
use crate::cli::world::World;

#[test]
fn a_damaged_session_goes_on_as_a_new_one_and_is_left_as_it_is() {
    let world = World::new();
    world.play(STEPS, &["--policy", "auto"]).ends(0);
    let id = world.id();
    let path = world.place(&id).journal();
    let whole = std::fs::read_to_string(&path).unwrap();
    // A changed word in the last request makes the records from there to the answer unreadable.
    let at = whole.rfind("turn.requested").unwrap();
    let mut bytes = whole.clone().into_bytes();
    bytes[at] = b'T';
    std::fs::write(&path, &bytes).unwrap();
    let resumes = |id: &str| world.run(&["resume", id, "--headless", "--policy", "auto"]);
    let output = resumes(&id).ends(4);
    let ids = world.ids();
    assert_eq!(ids.len(), 2);
    let new = ids.iter().find(|one| **one != id).unwrap();
    for message in [
        "damaged",
        new.as_str(),
        "paused",
        "1 line of it cannot be read",
        "overrule unpause",
    ] {
        assert!(output.err.contains(message), "no `{message}` in {}", output.err);
    }
    // After `unpause` it resumes, and the model is not asked for recorded replies.
    world.run(&["unpause", new]).ends(0);
    assert_eq!(resumes(new).ends(0).out, "copied alpha, started, logged\n");
    assert_eq!(std::fs::read(&path).unwrap(), bytes);
    assert_eq!(world.read("log.txt"), "start\nsecond\n", "nothing ran twice");
    // A verb does not write into what is damaged either.
    refused(&world, &["guide", &id, "more"], 7);
}

#[test]
fn a_session_whose_first_record_is_damaged_is_read_from_its_second_on() {
    let world = World::new();
    world
        .play(STEPS, &["--policy", "auto", "--max-turns", "1"])
        .ends(5);
    let id = world.id();
    let path = world.place(&id).journal();
    let mut bytes = std::fs::read(&path).unwrap();
    let first = bytes.iter().position(|byte| *byte == b'\n').unwrap();
    for broken in [b"x".to_vec(), vec![0; first], bytes[..first / 2].to_vec()] {
        bytes.splice(..bytes.iter().position(|byte| *byte == b'\n').unwrap(), broken);
        std::fs::write(&path, &bytes).unwrap();
        let graph = world
            .run(&["graph", &id])
            .ends(0)
            .tells("damaged")
            .tells("after its first record");
        for message in ["read_file", "shell", "I read the notes"] {
            assert!(graph.out.contains(message), "no `{message}` in {}", graph.out);
        }
        let shown = world.run(&["sessions", "show", &id]).ends(0).out;
        for message in ["paused", "first record", "damaged"] {
            assert!(shown.contains(message), "no `{message}` in {shown}");
        }
        let audit = world.run(&["audit", &id]).ends(0).tells("damaged").out;
        assert!(audit.contains("shell"), "{audit}");
        // Nothing continues it, and nothing is written.
        for (args, words) in [
            (
                &["resume", &id, "--headless", "--policy", "auto"][..],
                "first record",
            ),
            (&["guide", &id, "more"], "damaged"),
            (&["replay", &id, "--headless"], "first event"),
        ]
        .map(|(args, words)| (args.to_vec(), words))
        {
            world.run(&args).ends(7).tells(words);
        }
        assert_eq!(std::fs::read(&path).unwrap(), bytes);
        assert_eq!(world.ids(), [id.as_str()]);
    }
    // A record after the second that does not follow it ends what is read.
    let lines: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').collect();
    let cut = [&lines[..4], &lines[6..]].concat().join(&b'\n');
    std::fs::write(&path, cut).unwrap();
    let shown = world.run(&["sessions", "show", &id]).ends(0).out;
    assert!(shown.contains("events     5"), "lost, three, paused: {shown}");
}

/// Pays once.
pub const PAYS: &str = r#"
[meta]
name = "pays"
[[rule]]
when = { done = ["pay"] }
answer = "paid"
[[rule]]
think = "I pay."
[[rule.call]]
tool = "shell"
as = "pay"
args = { command = "echo paid >> paid.txt" }
"#;

#[test]
fn no_effect_is_repeated_unasked_because_the_record_of_it_is_damaged() {
    let world = World::new();
    world.play(PAYS, &["--policy", "auto"]).ends(0);
    let first = world.id();
    let whole: Vec<String> = world.journal(&first).lines().map(str::to_owned).collect();
    let line = |of: &str| whole.iter().position(|line| line.contains(of)).unwrap();
    let (started, finished) = (line("call.started"), line("call.finished"));
    let resumes = |id: &str| world.run(&["resume", id, "--headless", "--policy", "auto"]);
    let damaged = |at: &[usize]| {
        let mut lines = whole.clone();
        for at in at {
            lines[*at] = lines[*at].replacen("\"at\":1", "\"at\":2", 1);
            assert_ne!(lines[*at], whole[*at]);
        }
        std::fs::write(world.place(&first).journal(), lines.join("\n") + "\n").unwrap();
        let before = world.ids();
        let output = resumes(&first).ends(4);
        assert!(output.err.contains("is damaged: line"), "{}", output.err);
        let after = world.ids();
        let new = after.into_iter().find(|one| !before.contains(one)).unwrap();
        (new, output)
    };
    // Where the intent itself cannot be read, its end tells of it.
    for at in overrule_testing::sample(2..started, 4)
        .into_iter()
        .chain([started])
    {
        let (new, _) = damaged(&[at]);
        let message = world.run(&["effects", &new]).ends(0).out;
        assert!(
            message.contains(&format!("c3 of session {first}")),
            "line {at}: {message}"
        );
        // The resumed run asks about the effect, whatever the policy allows.
        world.run(&["unpause", &new]).ends(0);
        let output = resumes(&new).ends(4);
        assert!(
            output
                .err
                .contains("cannot run c3 without consent: it may repeat an effect"),
            "line {at}: {}",
            output.err
        );
        assert_eq!(world.read("paid.txt"), "paid\n", "line {at}");
    }
    // Where no readable line names the effect, the approval is withdrawn.
    let idle: Vec<usize> = (started..=finished).collect();
    let (new, output) = damaged(&idle);
    assert!(
        output.err.contains("1 approved call asks again"),
        "{}",
        output.err
    );
    world.run(&["unpause", &new]).ends(0);
    resumes(&new);
    assert_eq!(
        world.read("paid.txt"),
        "paid\n",
        "it is asked for, and nobody is there"
    );
}

#[test]
fn what_ran_at_the_damage_is_in_doubt_though_its_end_stands_behind_it() {
    let world = World::new();
    world.play(PAYS, &["--policy", "auto"]).ends(0);
    let first = world.id();
    let whole = world.journal(&first);
    assert!(whole.contains("call.finished"));
    let mut bytes = whole.clone().into_bytes();
    bytes[whole.find("call.spawned").unwrap()] = b'C';
    std::fs::write(world.place(&first).journal(), &bytes).unwrap();
    world
        .run(&["resume", &first, "--headless", "--policy", "auto"])
        .ends(4);
    let new = world.ids().into_iter().find(|one| *one != first).unwrap();
    let queue = world.run(&["queue", &new]).ends(0).out;
    assert!(queue.contains("outcome unknown"), "{queue}");
    assert_eq!(world.read("paid.txt"), "paid\n", "nothing ran again");
    assert_eq!(std::fs::read(world.place(&first).journal()).unwrap(), bytes);
}

#[test]
fn an_effect_of_another_run_that_stands_behind_the_damage_is_not_listed() {
    let world = World::new();
    world.play(PAYS, &["--policy", "auto"]).ends(0);
    let first = world.id();
    world.play(PAYS, &["--policy", "auto"]).ends(0);
    let second = world.ids().into_iter().find(|one| *one != first).unwrap();
    // The same call, revision and attempt, intact in itself, of another session.
    let of_other = world.journal(&second);
    let intent = |journal: &str| {
        let found = journal.lines().find(|line| line.contains("call.started"));
        found.unwrap().to_owned()
    };
    let whole = world.journal(&first);
    let begun = whole.find("call.started").unwrap();
    let head = whole[..begun].rfind('\n').unwrap() + 1;
    let mixed = format!("{}{}\n{}\n", &whole[..head], "x", intent(&of_other));
    std::fs::write(world.place(&first).journal(), mixed).unwrap();
    let output = world.run(&["effects", &first]).ends(0);
    assert!(
        output.err.contains("2 lines of the record cannot be read"),
        "{}",
        output.err
    );
    assert!(!output.out.contains("after the damage"), "{}", output.out);
}

#[test]
fn the_list_of_effects_tells_of_those_behind_the_damage_and_claims_no_more_than_is_known() {
    let world = World::new();
    world.play(PAYS, &["--policy", "auto"]).ends(0);
    let id = world.id();
    let whole: Vec<String> = world.journal(&id).lines().map(str::to_owned).collect();
    let started = whole
        .iter()
        .position(|line| line.contains("call.started"))
        .unwrap();
    let damaged = |at: usize| {
        let mut lines = whole.clone();
        lines[at] = lines[at].replacen("\"at\":1", "\"at\":2", 1);
        std::fs::write(world.place(&id).journal(), lines.join("\n") + "\n").unwrap();
    };
    for (at, damaged_line) in whole.iter().enumerate().take(started + 1).skip(2) {
        damaged(at);
        let output = world.run(&["effects", &id]).ends(0);
        let json = world.run(&["effects", &id, "--json"]).ends(0).out;
        assert!(
            output.err.contains("1 line of the record cannot be read"),
            "{}",
            output.err
        );
        assert!(
            !output.err.contains("has run"),
            "nobody knows that: {}",
            output.err
        );
        let listed =
            output.out.contains(" · unknown · outcome unknown · ") && output.out.contains("after the damage");
        assert!(listed, "line {at}: {}", output.out);
        // The call is shown too, unless the damaged line is the one with the call.
        let proposed = damaged_line.contains("turn.proposed");
        let message = output.out.contains("c3 shell") && output.out.contains("echo paid");
        assert_eq!(message, listed && !proposed, "line {at}: {}", output.out);
        assert_eq!(listed, json.contains("\"after_damage\":{"), "{json}");
        let nothing = "no call with an effect in what can be read";
        assert!(!output.err.contains(nothing), "line {at}: {}", output.err);
    }
}

#[test]
fn every_verb_that_reads_says_where_a_record_breaks_off() {
    let world = World::new();
    world.play(STEPS, &["--policy", "auto"]).ends(0);
    let id = world.id();
    let path = world.place(&id).journal();
    let whole = std::fs::read_to_string(&path).unwrap();
    assert!(world.run(&["effects", &id]).ends(0).out.contains("shell"));
    std::fs::write(&path, whole.replacen("echo started", "echo STARTED", 1)).unwrap();
    for verb in ["effects", "queue", "branches", "loops", "weights", "graph"] {
        for more in [&[][..], &["--json"]] {
            let output = world.run(&[&[verb, &id], more].concat());
            assert!(
                output.err.contains(&format!("session {id} is damaged: line ")),
                "{verb}: {}",
                output.err
            );
        }
    }
}
