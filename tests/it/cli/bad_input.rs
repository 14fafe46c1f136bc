//! Tests of invalid input: one clear message with a next step, an exit code, and no change.
//!
//! Must not know: where the error is found.

use std::fs;
use std::path::PathBuf;

use crate::cli::decisions::refused;
use crate::cli::playbooks::{HELLO, STEPS};
use crate::cli::world::{Said, World, finish};

/// Fails unless it was refused with this code, in one message that has these words, with nothing changed.
#[track_caller]
fn one_message(world: &World, args: &[&str], code: i32, words: &[&str]) -> Said {
    let output = refused(world, args, code);
    let messages = output
        .err
        .lines()
        .filter(|line| line.starts_with("overrule: "))
        .count();
    assert_eq!(messages, 1, "{args:?}: one message expected in\n{}", output.err);
    for word in words {
        assert!(
            output.err.contains(word),
            "{args:?}: no `{word}` in\n{}",
            output.err
        );
    }
    assert!(!output.err.contains("panicked"), "{}", output.err);
    output
}

/// The arguments of a run without a screen with this playbook.
fn run<'a>(playbook: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let mut args = vec![
        "run",
        "x",
        "--headless",
        "--model",
        "scripted",
        "--playbook",
        playbook,
    ];
    args.extend(more);
    args
}

#[test]
fn a_playbook_that_cannot_be_read_or_understood() {
    let world = World::new();
    let dir = world.ws().to_str().unwrap().to_owned();
    let missing = world.path("missing.toml").to_str().unwrap().to_owned();
    one_message(
        &world,
        &run(&missing, &[]),
        3,
        &["missing.toml", "check the path"],
    );
    one_message(&world, &run(&dir, &[]), 3, &["cannot read the playbook"]);
    let bytes = world.path("bytes.toml");
    fs::write(&bytes, [0xff, 0xfe, 0, 1]).unwrap();
    one_message(
        &world,
        &run(bytes.to_str().unwrap(), &[]),
        3,
        &["bytes.toml", "UTF-8"],
    );
    for (text, words) in [
        ("", &["[meta]"][..]),
        ("[meta]\nname = \"x\"\n", &["[[rule]]"]),
        (
            "[meta]\nname = \"x\"\n[[rule]]\nanswr = \"y\"\n",
            &["bad.toml:4", "answr"],
        ),
        (
            "[meta]\nname = \"x\"\n[[rule]]\nwhen = { prompt = \"(\" }\nanswer = \"y\"\n",
            &["bad.toml:4"],
        ),
        ("[meta\n", &["bad.toml:1"]),
        (
            "[meta]\nname = \"x\"\n[[rule]]\nanswer = \"{{ turn | no_such }}\"\n",
            &["bad.toml:4", "rule.answer", "`no_such` is not a filter", "hint: "],
        ),
        (
            "[meta]\nname = \"x\"\n[[rule]]\nanswer = \"{{ nowhere }}\"\n",
            &[
                "bad.toml:4",
                "rule.answer",
                "`nowhere` is not a variable",
                "hint: ",
            ],
        ),
        (
            "[meta]\nname = \"x\"\n[[rule]]\nanswer = \"{{#if turn}}x{{/if}}\"\n",
            &["bad.toml:4", "rule.answer", "templates are Jinja", "hint: "],
        ),
    ] {
        let file = world.aside("bad.toml", text);
        one_message(&world, &run(&file, &[]), 3, words);
    }
    one_message(
        &world,
        &["run", "x", "--headless", "--model", "scripted"],
        3,
        &["--playbook FILE"],
    );
}

#[test]
fn a_template_that_fails_in_the_run_names_its_line_its_key_and_what_to_do() {
    let world = World::new();
    let endless = "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}";
    let grows = "{{ 'x' * 90000000 }}";
    for (template, words) in [
        ("{{ result.gone }}", "`result.gone` is undefined"),
        (endless, "1000000 steps"),
        (grows, "1000000 steps"),
    ] {
        let text = format!("[meta]\nname = \"x\"\n[[rule]]\nanswer = '''\n{template}'''\n");
        let file = world.aside("fails.toml", &text);
        let output = world.run(&run(&file, &[])).ends(3);
        for words in ["line 5", "`rule.answer`", words, "hint: "] {
            assert!(output.err.contains(words), "no `{words}` in\n{}", output.err);
        }
    }
}

#[test]
fn a_policy_that_is_none() {
    let world = World::new();
    let hello = world.aside("hello.toml", HELLO);
    one_message(
        &world,
        &run(&hello, &["--policy", "lenient"]),
        3,
        &[
            "unknown policy `lenient`",
            "supervised, guarded, edits, reversible, auto, read-only",
        ],
    );
    one_message(
        &world,
        &run(&hello, &["--policy", "./none.toml"]),
        3,
        &["none.toml"],
    );
    for (text, words) in [
        ("preset = \"lenient\"\n", &["rules.toml:1", "preset"][..]),
        ("[[rule]]\ntool = \"shell\"\n", &["rules.toml:", "gate"]),
        (
            "[[rule]]\ntool = \"shell\"\ngate = \"maybe\"\n",
            &["rules.toml:3", "gate"],
        ),
        (
            "[[rule]]\ntols = \"shell\"\ngate = \"deny\"\n",
            &["rules.toml:2", "tols"],
        ),
        ("not toml", &["rules.toml:1"]),
    ] {
        let file = world.aside("rules.toml", text);
        one_message(&world, &run(&hello, &["--policy", &file]), 3, words);
    }
}

#[test]
fn a_configuration_with_a_mistake() {
    let world = World::new();
    let hello = world.aside("hello.toml", HELLO);
    for (text, words) in [
        ("modle = \"x\"\n", &["config.toml:1", "modle"][..]),
        ("[limits]\nturns = \"many\"\n", &["config.toml:2", "turns"]),
        ("theme = 3\n", &["config.toml:1", "theme"]),
        ("[limits\n", &["config.toml:1"]),
    ] {
        let file = world.aside("config.toml", text);
        one_message(&world, &run(&hello, &["--config", &file]), 3, words);
        // The user's own file is read by every subcommand.
        let own = world.path("home/.config/overrule");
        fs::create_dir_all(&own).unwrap();
        fs::write(own.join("config.toml"), text).unwrap();
        one_message(&world, &["sessions"], 3, words);
        fs::remove_dir_all(own).unwrap();
    }
    one_message(
        &world,
        &run(&hello, &["--config", "/no/such/config"]),
        3,
        &["/no/such/config"],
    );
    world.file(
        "overrule.toml",
        "[[policy.rule]]\ntool = \"shell\"\ngate = \"dny\"\n",
    );
    one_message(&world, &run(&hello, &[]), 3, &["overrule.toml:3", "gate"]);
}

#[test]
fn limits_and_urls_that_mean_nothing() {
    let world = World::new();
    let hello = world.aside("hello.toml", HELLO);
    one_message(&world, &run(&hello, &["--max-time", "soon"]), 2, &["--max-time"]);
    one_message(
        &world,
        &run(&hello, &["--base-url", "localhost"]),
        3,
        &["--base-url"],
    );
    refused(&world, &run(&hello, &["--max-turns", "-1"]), 2);
    refused(&world, &run(&hello, &["--max-turns", "many"]), 2);
    for (flag, value) in [
        ("--max-turns", "0"),
        ("--max-tokens", "0"),
        ("--max-time", "soon"),
        ("--max-price", "0"),
        ("--parallel", "0"),
        ("--sandbox", "3"),
        ("--sandbox", "-1"),
    ] {
        refused(&world, &run(&hello, &[flag, value]), 2);
    }
}

#[test]
fn a_theme_that_is_none() {
    let world = World::new();
    let hello = world.aside("hello.toml", HELLO);
    one_message(
        &world,
        &run(&hello, &["--theme", "nosuchtheme"]),
        3,
        &["nosuchtheme", "dark"],
    );
    let file = world.aside("mine.toml", "[colors]\nborder = \"not a colour\"\n");
    one_message(&world, &run(&hello, &["--theme", &file]), 3, &["mine.toml"]);
    one_message(
        &world,
        &run(&hello, &["--theme", "/no/such/theme.toml"]),
        3,
        &["theme.toml"],
    );
}

#[test]
fn no_model_and_no_way_to_find_one() {
    let world = World::new();
    let mut command = world.command(&["run", "x", "--headless"]);
    // No server listens there.
    command.env("OLLAMA_HOST", "127.0.0.1:9");
    let output = finish(command).ends(3);
    for reported in ["--model", "--base-url", "config.toml", "OPENAI_API_KEY"] {
        assert!(output.err.contains(reported), "no `{reported}` in {}", output.err);
    }
    assert_eq!(world.ids(), [""; 0]);
}

#[test]
fn a_session_that_is_none() {
    let world = World::new();
    world.play(HELLO, &[]).ends(0);
    let id = world.id();
    let journal = world.place(&id).journal();
    // As many bytes as a small session has, from a fixed generator.
    let mut seed = 0x2545_f491_4f6c_dd1d_u64;
    let random: Vec<u8> = (0..8192)
        .map(|_| {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            seed.to_le_bytes()[3]
        })
        .collect();
    let file = world.path("random.jsonl");
    for bytes in [&random[..], b"{}\n", b"hello\n", b"\0\0\0\0", b"[1,2,3]\n{}\n"] {
        fs::write(&journal, bytes).unwrap();
        fs::write(&file, bytes).unwrap();
        let named = file.to_str().unwrap();
        for args in [
            &["resume", &id, "--headless"][..],
            &["sessions", "show", &id],
            &["sessions", "show", named],
            &["sessions", "verify", named],
            &["queue", &id],
            &["graph", &id],
            &["graph", named],
            &["guide", &id, "x"],
        ] {
            one_message(
                &world,
                args,
                7,
                &["is not a session journal", "nothing was changed"],
            );
        }
        let output = world.run(&["sessions"]).ends(0);
        assert!(output.out.contains("problem"), "{}", output.out);
    }
}

#[test]
fn an_empty_session() {
    let world = World::new();
    world.play(HELLO, &[]).ends(0);
    let id = world.id();
    fs::write(world.place(&id).journal(), "").unwrap();
    for args in [
        &["resume", &id, "--headless"][..],
        &["guide", &id, "x"],
        &["sessions", "name", &id, "x"],
    ] {
        one_message(&world, args, 7, &["start a new run"]);
    }
    world.run(&["sessions", "show", &id]).ends(0);
    world.run(&["sessions"]).ends(0);
    world.run(&["sessions", "delete", &id]).ends(0);
}

#[test]
fn a_place_for_sessions_that_cannot_be_one() {
    let world = World::new();
    let hello = world.aside("hello.toml", HELLO);
    let file = world.aside("file", "");
    // A file where a directory must be, below a file, in a read-only place, nowhere.
    for place in [
        file.as_str(),
        &format!("{file}/below"),
        "/proc/overrule-sessions",
        "/dev/null/x",
    ] {
        let output = one_message(&world, &run(&hello, &["--sessions", place]), 7, &["sessions"]);
        assert!(output.err.contains("--sessions"), "what to do: {}", output.err);
    }
    let mut command = world.command(&run(&hello, &[]));
    command
        .env_remove("OVERRULE_SESSIONS")
        .env_remove("XDG_DATA_HOME")
        .env("HOME", "/proc/nowhere");
    let output = finish(command).ends(7);
    assert!(output.err.contains("--sessions"), "{}", output.err);
}

#[test]
fn a_workspace_that_is_not_there() {
    let world = World::new();
    let hello = world.aside("hello.toml", HELLO);
    for place in ["/no/such/directory", hello.as_str()] {
        one_message(&world, &run(&hello, &["--workspace", place]), 3, &["workspace"]);
    }
    // One that went away while a session was at rest.
    world
        .play(STEPS, &["--max-turns", "1", "--policy", "auto"])
        .ends(5);
    let id = world.id();
    let gone = world.path("gone");
    fs::rename(world.ws(), &gone).unwrap();
    let mut command = world.command(&["resume", &id, "--headless"]);
    command.current_dir(world.path("home"));
    let output = finish(command).ends(7);
    assert!(output.err.contains("does not exist"), "{}", output.err);
    // The current directory itself.
    let dead = world.path("dead");
    fs::create_dir(&dead).unwrap();
    let mut command = std::process::Command::new("sh");
    let line = format!("cd '{0}' && rmdir '{0}' && exec \"$@\"", dead.display());
    command
        .args(["-c", &line, "sh", crate::support::program(), "sessions"])
        .env("OVERRULE_SESSIONS", world.sessions());
    let output = finish(command).ends(3);
    assert!(output.err.contains("directory"), "{}", output.err);
}

#[test]
fn the_built_in_run_does_not_read_a_whole_disk_by_accident() {
    let world = World::new();
    for place in ["/".into(), world.path("home")] {
        let mut command = world.command(&[]);
        command.current_dir::<PathBuf>(place);
        let output = finish(command).ends(2);
        assert!(output.err.contains("--workspace"), "{}", output.err);
    }
    assert_eq!(world.ids(), [""; 0]);
}

/// Runs the program with a limit on file sizes, in blocks of 512 bytes.
fn with_little_room(world: &World, blocks: usize, args: &[&str]) -> Said {
    let plain = world.command(args);
    let mut command = std::process::Command::new("sh");
    // The signal that a full quota sends is ignored, as a full disk sends none.
    command
        .args([
            "-c",
            &format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$@\""),
            "sh",
        ])
        .arg(plain.get_program())
        .args(args)
        .env_clear()
        .envs(plain.get_envs().filter_map(|(name, value)| Some((name, value?))))
        .current_dir(world.ws());
    finish(command)
}

#[test]
fn a_full_disk_stops_the_run_before_anything_else_happens() {
    let world = World::new();
    let file = world.aside("steps.toml", STEPS);
    let mut args = run(&file, &["--policy", "auto"]);
    // The first event alone is longer than the least of these.
    for blocks in [0, 1, 8, 32] {
        let output = with_little_room(&world, blocks, &args);
        if output.code == Some(0) {
            assert!(blocks > 8, "there was room for all of it in {blocks} blocks");
            continue;
        }
        assert_eq!(output.code, Some(7), "{blocks}: {}", output.err);
        let messages = output
            .err
            .lines()
            .filter(|line| line.starts_with("overrule: "))
            .count();
        assert_eq!(messages, 1, "{}", output.err);
        assert!(output.err.contains("ulimit -f"), "what to do: {}", output.err);
        assert_eq!(output.out, "");
        let Some(id) = world.ids().pop() else {
            assert_eq!(world.read("log.txt"), "");
            continue;
        };
        let begun = world.state(&id).ledger.len();
        let effects = world.read("log.txt").lines().count() + world.read("copy.txt").lines().count();
        assert!(effects <= begun, "no effect without a record of it");
        assert!(begun > 0, "a session without a fact is not left behind");
        world.run(&["sessions", "delete", &id]).ends(0);
        for file in ["log.txt", "copy.txt"] {
            fs::remove_file(world.ws().join(file)).unwrap_or_default();
        }
    }
    // A verb on a session for which there is no room changes nothing.
    args.extend(["--max-turns", "1"]);
    world.run(&args).ends(5);
    let id = world.ids().pop().unwrap();
    let before = world.journal(&id);
    let blocks = before.len() / 512;
    let output = with_little_room(&world, blocks, &["guide", &id, &"more ".repeat(300)]).ends(7);
    assert_eq!(output.out, "", "nothing was acknowledged");
    let facts = world.facts(&id).len();
    assert_eq!(
        facts,
        before.lines().count(),
        "what was refused is not found later"
    );
    world.run(&["guide", &id, "enough room now"]).ends(0);
}

#[test]
fn a_long_value_of_the_settings_is_told_by_its_beginning() {
    let world = World::new();
    let long = "x".repeat(70_000);
    for settings in [
        format!("[policy]\npreset = \"{long}\"\n"),
        format!("theme = \"{long}\"\n"),
        format!("{long} = 1\n"),
        format!("[resilience.repair]\nguesses = \"{long}\"\n"),
        format!("[resilience.repair.tools.{long}]\nguesses = \"some\"\n"),
        format!("[[resilience.repair.rules]]\nmessage = \"({long}\"\nstrategies = [\"none\"]\n"),
        format!("[[resilience.repair.rules]]\ncodes = [\"400\"]\nstrategies = [\"{long}\"]\n"),
    ] {
        let file = world.aside("long.toml", &settings);
        let playbook = world.aside("hello.toml", HELLO);
        let output = one_message(&world, &run(&playbook, &["--config", &file]), 3, &["xxxxxxxx"]);
        assert!(output.err.len() < 6_000, "{} bytes", output.err.len());
    }
    let output = refused(&world, &run("hello.toml", &["--policy", &long]), 3);
    assert!(output.err.len() < 6_000, "{} bytes", output.err.len());
}

#[test]
fn words_of_the_command_line_are_repeated_in_visible_form() {
    let world = World::new();
    let odd = "x\u{202e}\u{9b}31m\u{200b}y";
    for args in [
        &[odd][..],
        &["undo", "last", odd],
        &["completions", odd],
        &["fork", "last", "--at", odd],
    ] {
        let said = world.run(args);
        assert_eq!(said.code, Some(2), "{args:?}: {}", said.err);
        assert!(
            said.err.contains("⟨U+202E⟩") && said.err.contains("⟨U+009B⟩"),
            "{}",
            said.err
        );
        assert!(
            !said.err.contains(['\u{202e}', '\u{9b}', '\u{200b}']),
            "{}",
            said.err
        );
    }
}
