//! Tests of a run without a screen: what is printed where, and how it ends.
//!
//! Must not know: operator verbs.

use std::process::Stdio;

use overrule::journal::{Link, encode_line};
use rustix::process::{Pid, Signal, test_kill_process};

use crate::cli::playbooks::{ENDLESS, HELLO, STEPS, command, rule};
use crate::cli::world::{World, finish, signal, until, wait};

#[test]
fn the_answer_is_all_of_standard_output() {
    let world = World::new();
    let run_output = world.play(STEPS, &["--policy", "auto"]).ends(0);
    assert_eq!(run_output.out, "copied alpha, started, logged\n");
    assert_eq!(world.read("log.txt"), "start\nsecond\n");
    assert_eq!(world.read("copy.txt"), "alpha\n");
    for message in ["asking the model", "shell", "session "] {
        assert!(run_output.err.contains(message), "{}", run_output.err);
    }
}

#[test]
fn the_built_in_run_answers_without_a_terminal_and_writes_nothing() {
    let world = World::new();
    let before = world.read("notes.txt");
    let run_output = world.run(&[]).ends(0).tells("built-in run");
    // The command in it is whole.
    assert!(
        run_output.err.contains("overrule run --model NAME"),
        "{}",
        run_output.err
    );
    assert!(run_output.out.len() > 100, "{}", run_output.out);
    assert_eq!(world.read("notes.txt"), before);
    let names: Vec<String> = std::fs::read_dir(world.ws())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(names, ["notes.txt"], "nobody approved a write");
}

#[test]
fn events_as_json_are_the_journal_byte_for_byte() {
    let world = World::new();
    let run_output = world.play(STEPS, &["--policy", "auto", "--json"]).ends(0);
    let (events, result) = run_output.out.trim_end().rsplit_once('\n').unwrap();
    let id = world.id();
    assert_eq!(format!("{events}\n"), world.journal(&id));
    let result: serde_json::Value = serde_json::from_str(result).unwrap();
    assert_eq!(result["type"], "result");
    assert_eq!(result["answer"], "copied alpha, started, logged");
    assert_eq!(result["exit"], 0);
    assert_eq!(result["session"], *id);
}

#[test]
fn a_resumed_run_prints_only_what_it_adds_and_the_chain_goes_on() {
    let world = World::new();
    world
        .play(ENDLESS, &["--policy", "auto", "--max-turns", "2"])
        .ends(5);
    let id = world.id();
    let before = world.journal(&id);
    let run_output = world
        .run(&["resume", &id, "--headless", "--json", "--max-turns", "3"])
        .ends(5);
    let after = world.journal(&id);
    assert!(after.starts_with(&before));
    let (events, result) = run_output.out.trim_end().rsplit_once('\n').unwrap();
    assert_eq!(format!("{before}{events}\n"), after);
    assert!(result.contains(r#""exit":5"#), "{result}");
    // The lines are one chain over both processes.
    let facts = world.facts(&id);
    let run = id.parse().unwrap();
    let mut link = Link::FIRST;
    for (fact, line) in facts.iter().zip(after.lines()) {
        let written = encode_line(run, fact, link).unwrap();
        assert_eq!(written.trim_end(), line);
        link = Link::of(line.as_bytes());
    }
}

#[test]
fn a_finished_run_is_not_run_again() {
    let world = World::new();
    world.play(STEPS, &["--policy", "auto"]).ends(0);
    let before = world.everything();
    let run_output = world.run(&["resume", "last", "--headless"]).ends(0);
    assert_eq!(run_output.out, "copied alpha, started, logged\n");
    // The lock is a file that is there anyway.
    assert_eq!(world.everything(), before);
}

#[test]
fn nobody_approves_and_the_run_goes_on_without() {
    let world = World::new();
    let run_output = world.play(STEPS, &[]).ends(0);
    assert_eq!(run_output.out, "without start\n");
    assert!(
        run_output.err.contains("not approved: no operator"),
        "{}",
        run_output.err
    );
    assert_eq!(world.read("log.txt"), "", "what was not approved did not run");
}

#[test]
fn a_question_to_the_operator_has_no_answer_and_the_run_goes_on() {
    let world = World::new();
    let asking = "[meta]\nname = \"asks\"\n[[rule]]\nwhen = { seen_call = \"q\" }\nanswer = \"alone\"\n\
                  [[rule]]\n[[rule.call]]\ntool = \"ask_operator\"\nas = \"q\"\nargs = { question = \"Which?\" }\n";
    for policy in ["auto", "guarded", "read-only"] {
        let run_output = world.play(asking, &["--policy", policy]).ends(0);
        assert_eq!(run_output.out, "alone\n");
    }
}

#[test]
fn an_answer_by_tool_is_the_answer() {
    let world = World::new();
    let by_tool = rule("[[rule.call]]\ntool = \"final_answer\"\nargs = { answer = \"done\" }");
    assert_eq!(world.play(&by_tool, &[]).ends(0).out, "done\n");
}

#[test]
fn a_limit_ends_with_its_own_code_and_says_how_to_go_on() {
    let world = World::new();
    let run_output = world
        .play(ENDLESS, &["--policy", "auto", "--max-turns", "2"])
        .ends(5);
    assert_eq!(run_output.out, "");
    assert!(run_output.err.contains("--max-turns"), "{}", run_output.err);
    assert_eq!(world.state(&world.id()).tally.requests, 2);
}

/// The arguments of the first command that a text names after these words, as a shell reads them.
fn named(run_output: &str, following: &str) -> Vec<String> {
    let rest = run_output.split(following).nth(1).expect(following);
    let line = rest.split(['\n', '`']).next().unwrap();
    let line = line.strip_prefix("overrule ").expect(line);
    let printed = std::process::Command::new("sh")
        .args(["-c", &format!("printf '%s\\n' {line}")])
        .output()
        .unwrap();
    let words = String::from_utf8(printed.stdout).unwrap();
    words.lines().map(str::to_owned).collect()
}

#[test]
fn the_command_that_goes_on_finds_the_session_where_a_flag_put_it() {
    let world = World::new();
    let run_output = world
        .play(
            ENDLESS,
            &["--policy", "auto", "--max-turns", "2", "--sessions", "my own"],
        )
        .ends(5);
    let id = &std::fs::read_dir(world.ws().join("my own"))
        .unwrap()
        .next()
        .unwrap();
    let id = id.as_ref().unwrap().file_name().into_string().unwrap();
    // As printed, from another directory.
    let again = |words: &[String]| {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let mut command = world.command(&words);
        command.current_dir(world.path("home"));
        finish(command)
    };
    let mut resume = named(&run_output.err, "to continue: ");
    assert_eq!(resume.get(1), Some(&id), "{resume:?}");
    resume.push("--headless".to_owned());
    again(&resume).ends(5).tells("--max-turns");
    let mut raise = named(&run_output.err, "raise it with `");
    assert_eq!(raise.pop().as_deref(), Some("N"));
    raise.extend(["3".to_owned(), "--headless".to_owned()]);
    again(&raise).ends(5);
    let fork = again(&["fork".to_owned(), id, "--sessions".to_owned(), resume[3].clone()]).ends(0);
    let mut forked = named(&fork.err, "to continue: ");
    forked.push("--headless".to_owned());
    again(&forked).ends(5);
    assert!(world.ids().is_empty(), "nothing went to the usual place");
}

#[test]
fn a_model_that_breaks_ends_with_its_own_code() {
    let world = World::new();
    for (fail, word) in [("garbage", "unreadable answer"), ("truncated", "cut off")] {
        let run_output = world
            .play(&rule(&format!("think = \"Well.\"\nfail = \"{fail}\"")), &[])
            .ends(6);
        assert_eq!(run_output.out, "");
        for message in [word, "ask-again", "to continue: overrule resume"] {
            assert!(
                run_output.err.contains(message),
                "{fail}: no `{message}` in {}",
                run_output.err
            );
        }
    }
}

#[test]
fn a_playbook_without_a_rule_for_what_happened_is_a_mistake_of_the_playbook() {
    let world = World::new();
    let run_output = world
        .play(&rule("when = { turn = 99 }\nanswer = \"x\""), &[])
        .ends(3);
    assert!(
        run_output.err.contains("has no rule for request"),
        "{}",
        run_output.err
    );
}

#[test]
fn wrong_words_are_told_and_nothing_is_written() {
    let world = World::new();
    for args in [
        &["run"][..],
        &["run", "  ", "--model", "scripted"],
        &["--no-such-flag"],
        &["approve"],
        &["edit", "last", "zz", "--text", "x"],
        &["demo", "no-such-demo"],
        &["run", "x", "--input", "{not json", "--model", "scripted"],
        &["run", "x", "--input", "@/no/such/file", "--model", "scripted"],
    ] {
        if args[0] == "edit" {
            world.play(HELLO, &[]).ends(0);
        }
        let before = world.everything();
        let run_output = world.run(args).ends(2);
        assert_eq!(run_output.out, "", "{args:?}");
        assert!(!run_output.err.trim().is_empty(), "{args:?}");
        assert_eq!(world.everything(), before, "{args:?}");
    }
}

#[test]
fn help_and_version_are_no_errors() {
    let world = World::new();
    assert!(world.run(&["--help"]).ends(0).out.contains("Usage"));
    assert!(world.run(&["--version"]).ends(0).out.starts_with("overrule "));
    assert_eq!(world.ids(), [""; 0]);
}

/// Makes children receive a hang-up even if this process ignores it (`nohup`). Children inherit ignored signals, but
/// not caught ones.
fn catch_hang_ups() -> tokio::runtime::Runtime {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let hang_up = tokio::signal::unix::SignalKind::hangup();
    let listening = runtime.block_on(async { tokio::signal::unix::signal(hang_up) });
    // The handler stays without a listener.
    drop(listening.unwrap());
    runtime
}

#[test]
fn an_interrupted_run_ends_its_children_says_how_to_go_on_and_goes_on() {
    let _hang_ups = catch_hang_ups();
    let all = [
        (Signal::INT, 130),
        (Signal::TERM, 143),
        (Signal::HUP, 129),
        (Signal::QUIT, 131),
    ];
    for (which, code) in all {
        let world = World::new();
        let playbook = command("echo begun >> log.txt; echo $$ > pid; exec sleep 600");
        let mut running = world.playing(&playbook, &["--policy", "auto", "--json"]);
        let child = running
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        until("the command runs", || !world.read("pid").is_empty());
        signal(&child, which);
        let run_output = wait(child).ends(code);
        let id = world.id();
        assert!(
            run_output.err.contains(&format!("overrule resume {id}")),
            "{}",
            run_output.err
        );
        assert!(run_output.out.ends_with(&format!(
            "{{\"type\":\"result\",\"answer\":null,\"exit\":{code},\"session\":\"{id}\"}}\n"
        )));
        let pid = Pid::from_raw(world.read("pid").trim().parse().unwrap()).unwrap();
        assert!(test_kill_process(pid).is_err(), "the child lives on");
        // The outcome is unknown: the run does not repeat the call by itself.
        let run_output = world.run(&["resume", &id, "--headless"]).ends(4);
        assert!(run_output.err.contains("overrule resolve"), "{}", run_output.err);
        assert_eq!(world.read("log.txt"), "begun\n");
    }
}

#[test]
fn a_second_signal_ends_at_once() {
    for (which, code) in [(Signal::INT, 130), (Signal::TERM, 143)] {
        second_signal(which, code);
    }
}

fn second_signal(which: Signal, code: i32) {
    let world = World::new();
    // Does not listen to the polite signal, so that an orderly end takes its time.
    let playbook = command("trap \"\" TERM; echo x > up; sleep 600 & wait; sleep 600");
    let mut running = world.playing(&playbook, &["--policy", "auto"]);
    let child = running
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    until("the command runs", || !world.read("up").is_empty());
    signal(&child, which);
    std::thread::sleep(std::time::Duration::from_millis(100));
    signal(&child, which);
    wait(child).ends(code);
    let report = world.run(&["sessions", "verify", &world.id()]);
    assert_eq!(report.code, Some(0), "{}", report.err);
}

#[test]
fn an_answer_that_cannot_be_printed_is_no_success() {
    let world = World::new();
    let mut command = world.playing(HELLO, &[]);
    let (reader, closed) = std::io::pipe().unwrap();
    drop(reader);
    let child = command.stdout(closed).stderr(Stdio::piped()).spawn().unwrap();
    wait(child).ends(1).tells("it is recorded");
    assert_eq!(
        world.run(&["resume", "last", "--headless"]).ends(0).out,
        "hello, go\n"
    );
}

#[test]
fn control_characters_of_the_model_never_reach_the_terminal() {
    let world = World::new();
    let evil = rule("answer = \"a\\u001b]0;owned\\u0007b\\u202Ec\"");
    let run_output = world.play(&evil, &[]).ends(0);
    assert!(
        !run_output.out.contains(['\u{1b}', '\u{7}', '\u{202e}']),
        "{:?}",
        run_output.out
    );
    let run_output = finish(world.playing(&evil, &["--json"])).ends(0);
    assert!(
        !run_output.out.contains(['\u{1b}', '\u{7}']),
        "{:?}",
        run_output.out
    );
}

#[test]
fn the_key_of_a_provider_is_nowhere() {
    let world = World::new();
    let mut command = world.playing(&command("env; echo"), &["--policy", "auto", "--json"]);
    command.env("OPENAI_API_KEY", "sk-very-secret-value");
    let run_output = finish(command).ends(0);
    assert!(!run_output.out.contains("sk-very-secret-value"));
    assert!(!run_output.err.contains("sk-very-secret-value"));
    for (path, _) in world.everything() {
        let bytes = std::fs::read(&path).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        assert!(!text.contains("sk-very-secret-value"), "{}", path.display());
    }
}

#[test]
fn events_as_json_are_a_session_in_a_single_file_also_with_long_texts() {
    let world = World::new();
    world.file("notes.txt", &"a long line of text\n".repeat(8000));
    let run_output = world.play(STEPS, &["--policy", "auto", "--json"]).ends(0);
    let (events, _) = run_output.out.trim_end().rsplit_once('\n').unwrap();
    let file = world.aside("printed.jsonl", &format!("{events}\n"));
    world.run(&["sessions", "verify", &file]).ends(0);
    assert!(events.len() > 160_000, "the text is in it");
    assert!(
        world.journal(&world.id()).len() < 160_000,
        "and beside the journal"
    );
    let graph = |id: &str| world.run(&["graph", id, "--format", "json"]).ends(0).out;
    assert_eq!(graph(&file), graph(&world.id()));
}

#[test]
fn a_playbook_gives_the_task_where_nobody_else_does() {
    let world = World::new();
    let with =
        "[meta]\nname = \"hello\"\nprompt = \"Say hello.\"\n[[rule]]\nanswer = \"hello, {{ prompt }}\"\n";
    let file = world.aside("with.toml", with);
    let run = ["run", "--headless", "--model", "scripted", "--playbook", &file];
    let run_output = world.run(&run).ends(0);
    assert_eq!(run_output.out, "hello, Say hello.\n");
    assert!(
        run_output.err.contains("task of the playbook: Say hello."),
        "{}",
        run_output.err
    );
    let mut given = run.to_vec();
    given.push("Wave.");
    let run_output = world.run(&given).ends(0);
    assert_eq!(run_output.out, "hello, Wave.\n", "a task that is given wins");
    assert!(
        !run_output.err.contains("task of the playbook"),
        "{}",
        run_output.err
    );
    given.pop();
    given.push(" ");
    world.run(&given).ends(2);
    let bare = world.aside("bare.toml", HELLO);
    let run_output = world
        .run(&["run", "--headless", "--model", "scripted", "--playbook", &bare])
        .ends(2);
    assert!(
        run_output.err.contains("the playbook has no `prompt`"),
        "{}",
        run_output.err
    );
    let run_output = world.run(&["run", "--headless"]).ends(2);
    assert!(run_output.err.contains("without a task"), "{}", run_output.err);
    assert_eq!(world.ids().len(), 2, "what was refused began nothing");
}

#[test]
fn a_task_is_read_from_standard_input() {
    let world = World::new();
    let playbook = world.aside("playbook.toml", HELLO);
    let piped = |bytes: &[u8]| {
        std::fs::write(world.path("task"), bytes).unwrap();
        let args = [
            "run",
            "-",
            "--headless",
            "--model",
            "scripted",
            "--playbook",
            &playbook,
        ];
        let mut command = world.command(&args);
        command.stdin(std::fs::File::open(world.path("task")).unwrap());
        finish(command)
    };
    piped("find the flaky test\nand say – why\n".as_bytes()).ends(0);
    let id = world.id();
    let journal = world.journal(&id);
    assert!(
        journal.contains(r#"find the flaky test\nand say – why""#),
        "{journal}"
    );
    // What is no task begins no run.
    for (bytes, why) in [
        (&b"\xff\xfe"[..], "not UTF-8"),
        (b" \n", "the task is empty"),
        (b"", "the task is empty"),
        (&vec![b'x'; 1024 * 1024 + 1][..], "longer than"),
    ] {
        piped(bytes).ends(2).tells(why);
    }
    assert_eq!(world.ids(), [id]);
}

#[test]
#[cfg(target_os = "linux")]
fn an_answer_that_finds_no_room_ends_as_every_verb_does() {
    let world = World::new();
    for json in [&[][..], &["--json"]] {
        let mut command = world.playing(HELLO, json);
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        command.stdout(full).stderr(Stdio::piped());
        let out = command.spawn().unwrap().wait_with_output().unwrap();
        let run_output = String::from_utf8_lossy(&out.stderr);
        assert_eq!(out.status.code(), Some(7), "{run_output}");
        assert!(run_output.contains("overrule resume "), "{run_output}");
    }
    // The answer is kept.
    let run_output = world.run(&["resume", "last", "--headless"]).ends(0);
    assert_eq!(run_output.out, "hello, go\n");
}
