//! Tests of calls that the policy denies, also where a run resumes elsewhere.
//!
//! Must not know: how rules are matched.

use std::fmt::Write as _;

use crate::cli::decisions::{call, executions, interrupted, refused};
use crate::cli::playbooks::STEPS;
use crate::cli::world::World;

const NO_SHELL: &str =
    "preset = \"auto\"\n[[rule]]\ntool = \"shell\"\ngate = \"deny\"\nreason = \"no commands here\"\n";

#[test]
fn a_denied_call_never_runs_and_the_model_is_told_why() {
    let world = World::new();
    let policy = world.aside("policy.toml", NO_SHELL);
    let output = world.play(STEPS, &["--policy", &policy]).ends(0);
    assert_eq!(output.out, "without start\n");
    assert!(output.err.contains("denied by"), "{}", output.err);
    assert_eq!(world.read("log.txt"), "");
    let id = world.id();
    assert!(world.journal(&id).contains("no commands here"));
    let state = world.state(&id);
    let start = call(&state, "start");
    assert_eq!(executions(&state, start), 0);
    // It cannot be approved.
    let digest = state.call(start).unwrap().digest.clone().unwrap();
    refused(
        &world,
        &["approve", &id, &start.to_string(), "--digest", &digest.0],
        4,
    );
}

#[test]
fn read_only_looks_and_denies_the_rest() {
    let world = World::new();
    let output = world.play(STEPS, &["--policy", "read-only"]).ends(0);
    assert_eq!(output.out, "without start\n");
    assert_eq!(world.read("log.txt"), "");
    let state = world.state(&world.id());
    assert_eq!(executions(&state, call(&state, "notes")), 1);
}

#[test]
fn a_policy_file_holds_for_the_whole_run_wherever_it_goes_on() {
    let world = World::new();
    let policy = world.aside(
        "policy.toml",
        &NO_SHELL.replace("\"deny\"", "\"ask\"\ndeadline = \"1h\""),
    );
    let config = world.aside("strict.toml", NO_SHELL);
    let mut running = world.playing(STEPS, &["--policy", &policy]);
    let child = running
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    crate::cli::world::until("a call waits", || {
        let ids = world.ids();
        ids.first().is_some_and(|id| {
            let path = world.sessions().join(id).join("journal.jsonl");
            std::fs::read_to_string(path)
                .unwrap_or_default()
                .contains("call.asked")
        })
    });
    crate::cli::world::signal(&child, rustix::process::Signal::TERM);
    crate::cli::world::wait(child).ends(143);
    std::fs::remove_file(&policy).unwrap();
    let id = world.id();
    let start = call(&world.state(&id), "start").to_string();
    world.run(&["reject", &id, &start, "--resume"]).ends(0);
    let state = world.state(&id);
    assert_eq!(state.settings.policy, "auto", "its preset");
    // Named again, another file replaces it.
    world.run(&["guide", &id, "again", "--after", "1"]).ends(0);
    let output = world
        .run(&["resume", &id, "--headless", "--policy", &config])
        .ends(0);
    assert!(output.err.contains("no commands here"), "{}", output.err);
    assert_eq!(world.read("log.txt"), "");
}

#[test]
fn the_rules_of_a_workspace_hold_from_wherever_a_run_is_resumed() {
    let world = World::new();
    world.file(
        "overrule.toml",
        "[[policy.rule]]\ntool = \"write_file\"\ngate = \"deny\"\nreason = \"hands off\"\n",
    );
    let id = interrupted(&world, STEPS, 1);
    let start = call(&world.state(&id), "start").to_string();
    world.run(&["answer", &id, &start, "--value", "\"x\""]).ends(0);
    let mut command = world.command(&["resume", &id, "--headless", "--policy", "auto"]);
    command.current_dir(world.path("home"));
    let output = crate::cli::world::finish(command).ends(0);
    assert!(output.err.contains("hands off"), "{}", output.err);
    assert!(!world.ws().join("copy.txt").exists());
    assert_eq!(world.read("log.txt"), "second\n", "in the recorded directory");
}

#[test]
fn a_flag_never_lifts_a_deny() {
    let world = World::new();
    let config = world.aside(
        "mine.toml",
        "[[policy.rule]]\ntool = \"shell\"\ngate = \"deny\"\nreason = \"never\"\n",
    );
    let output = world
        .play(STEPS, &["--config", &config, "--policy", "auto"])
        .ends(0);
    assert_eq!(output.out, "without start\n");
    assert_eq!(world.read("log.txt"), "");
}

#[test]
fn a_question_that_halts_when_nobody_answers_ends_with_its_own_code() {
    let world = World::new();
    let config = world.aside(
        "halting.toml",
        "[policy]\npreset = \"guarded\"\ndeadline = \"50ms\"\non_expiry = \"halt\"\n",
    );
    let output = world.play(STEPS, &["--config", &config]).ends(4);
    for message in ["was not decided in time", "overrule unpause"] {
        assert!(output.err.contains(message), "no `{message}` in {}", output.err);
    }
    assert_eq!(output.out, "");
    assert_eq!(world.read("log.txt"), "");
}

/// Runs these shell calls in one turn, under the preset `auto` and these rules. A line is the text of the arguments in
/// TOML.
fn run_all(world: &World, rules: &str, calls: &[String]) {
    let policy = world.aside("rules.toml", rules);
    let mut playbook =
        "[meta]\nname = \"lines\"\n[[rule]]\nwhen = { seen_call = \"c0\" }\nanswer = \"ended\"\n\
                        [[rule]]\nthink = \"I run them.\"\n"
            .to_owned();
    for (at, args) in calls.iter().enumerate() {
        writeln!(
            playbook,
            "[[rule.call]]\ntool = \"shell\"\nas = \"c{at}\"\nargs = {args}"
        )
        .unwrap();
    }
    let output = world.play(&playbook, &["--policy", &policy]).ends(0);
    assert_eq!(output.out, "ended\n", "{}", output.err);
}

/// The arguments of a call with this line.
fn command(line: &str) -> String {
    format!("{{ command = {} }}", serde_json::to_string(line).unwrap())
}

#[test]
fn a_command_that_a_rule_denies_runs_in_no_line() {
    const LINES: [&str; 26] = [
        "  /bin/touch  mark",
        "cd . && touch mark",
        "true; touch mark",
        "true\ntouch mark",
        "echo x | touch mark",
        "(touch mark)",
        "{ touch mark; }",
        "if true; then touch mark; fi",
        "for i in 1; do touch mark; done",
        "case x in x) touch mark;; esac",
        "f() { touch mark; }; f",
        "echo \"$(touch mark)\"",
        "echo `touch mark`",
        "cat <<E\n$(touch mark)\nE",
        "sh <<'E'\ntouch mark\nE",
        "echo touch mark | sh",
        "echo mark | xargs touch",
        "sh -c 'true; touch mark'",
        "env A=1 timeout 5 sh -c 'exec touch mark'",
        "eval 'touch mark'",
        "nohup nice -n 1 touch mark",
        "find . -maxdepth 0 -exec touch mark \\;",
        "trap 'touch mark' EXIT",
        "t=touch; $t mark",
        "printf '\\164ouch mark' | sh",
        "/bin/tou?h mark",
    ];
    for (gate, at) in [("deny", "/command"), ("ask", "/command"), ("deny", "/argv/0")] {
        let world = World::new();
        let test = if at == "/command" {
            "glob = \"touch *\""
        } else {
            "is = \"touch\""
        };
        let rules = format!(
            "preset = \"auto\"\n[[rule]]\ntool = \"shell\"\nargs = [{{ at = \"{at}\", {test} }}]\ngate = \"{gate}\"\n"
        );
        let mut calls: Vec<String> = LINES.iter().map(|line| command(line)).collect();
        calls.push("{ argv = [\"env\", \"touch\", \"mark\"] }".to_owned());
        calls.push("{ argv = [\"bash\", \"-lc\", \"true; touch mark\"] }".to_owned());
        calls.push(command(
            "cd . && echo touchy mark > other; cat <<'E' >> other\ntouch mark\nE\n# touch mark",
        ));
        run_all(&world, &rules, &calls);
        assert!(!world.ws().join("mark").exists(), "{gate} at {at}");
        assert_eq!(world.read("other"), "touchy mark\ntouch mark\n", "{gate} at {at}");
        let state = world.state(&world.id());
        let ran: Vec<u32> = (0..calls.len())
            .map(|at| executions(&state, call(&state, &format!("c{at}"))))
            .map(|count| u32::try_from(count).unwrap())
            .collect();
        let (last, hidden) = ran.split_last().unwrap();
        assert_eq!((*last, hidden.iter().sum::<u32>()), (1, 0), "{ran:?}");
    }
}
