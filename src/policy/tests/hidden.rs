//! Tests commands hidden in a line from rules, and lines that must run nevertheless.
//!
//! Must not know: how a line is read.

mod beside;
mod lines;

use proptest::prelude::*;
use serde_json::{Value, json};

use self::lines::{ASKED, DENIED, HARMLESS};
use super::{call, gate, on_args, with};
use crate::{Moment, Origin, Policy, Preset, Subject};
use overrule_domain::call::{EffectClass, Gate};

const ALLOW: Gate = Gate::Allow;
const ASK: Gate = Gate::Ask;
const DENY: Gate = Gate::Deny;

const RULE: &str = "tool = \"shell\"\nargs = [{ at = \"/command\", glob = \"touch *\" }]\ngate = \"deny\"";

fn line(rule: &str, line: &str) -> Gate {
    on_args(rule, "shell", &json!({ "command": line }))
}

fn argv(rule: &str, words: &[&str]) -> Gate {
    on_args(rule, "shell", &json!({ "argv": words }))
}

#[test]
fn no_shape_of_a_line_hides_a_command() {
    assert!(DENIED.len() >= 80);
    for shape in DENIED {
        assert_eq!(line(RULE, shape), DENY, "{shape}");
        assert_eq!(line(&RULE.replace("\"deny\"", "\"ask\""), shape), ASK, "{shape}");
        // Also as a program with its words.
        assert_eq!(argv(RULE, &["sh", "-c", shape]), DENY, "{shape}");
        assert_eq!(argv(RULE, &["env", "A=1", "bash", "-lc", shape]), DENY, "{shape}");
    }
}

#[test]
fn a_line_asks_if_only_a_shell_can_resolve_what_it_runs() {
    for shape in ASKED {
        assert_eq!(line(RULE, shape), ASK, "{shape}");
        assert_eq!(argv(RULE, &["sh", "-c", shape]), ASK, "{shape}");
        // Without a rule about commands, hidden commands are not asked about.
        let other = "tool = \"shell\"\nargs = [{ at = \"/cwd\", glob = \"x\" }]\ngate = \"deny\"";
        assert_eq!(line(other, shape), ALLOW, "{shape}");
        let other = RULE.replace("tool = \"shell\"", "tool = \"other\"");
        assert_eq!(line(&other, shape), ALLOW, "{shape}");
    }
    let many = vec!["ls"; 65].join(";");
    assert_eq!(line(RULE, &many), ASK);
    assert_eq!(line(RULE, &many[3..]), ALLOW, "64 commands are read");
    assert_eq!(line(RULE, &format!("touch mark;{many}")), DENY);
    assert_eq!(line(RULE, &format!("{many};touch mark")), DENY);
}

#[test]
fn harmless_lines_run() {
    assert!(HARMLESS.len() >= 40);
    for shape in HARMLESS {
        assert_eq!(line(RULE, shape), ALLOW, "{shape}");
        assert_eq!(argv(RULE, &["sh", "-c", shape]), ALLOW, "{shape}");
    }
    for words in [
        &["echo", "touch mark"][..],
        &["echo", ";", "touch", "mark"],
        &["grep", "$(touch mark)", "x"],
        &["git", "commit", "-m", "touch mark"],
        &["$X", "touch"],
    ] {
        assert_eq!(argv(RULE, words), ALLOW, "{words:?}");
    }
}

#[test]
fn a_program_with_its_words_hides_no_command() {
    for words in [
        &["touch", "mark"][..],
        &["/bin/touch", "mark"],
        &["env", "touch", "mark"],
        &["sh", "-c", "touch mark"],
        &["timeout", "5", "env", "-i", "sh", "-c", "true; touch mark"],
        &["xargs", "touch"],
        &["find", ".", "-exec", "touch", "mark", ";"],
        &["busybox", "touch", "mark"],
        &["env", "-S", "touch mark"],
    ] {
        assert_eq!(argv(RULE, words), DENY, "{words:?}");
        let rule = "tool = \"shell\"\nargs = [{ at = \"/argv/0\", is = \"touch\" }]\ngate = \"deny\"";
        assert_eq!(argv(rule, words), DENY, "{words:?}");
    }
    let rule = "tool = \"shell\"\nargs = [{ at = \"/argv/0\", is = \"touch\" }]\ngate = \"deny\"";
    for shape in DENIED {
        assert_eq!(line(rule, shape), DENY, "{shape}");
    }
    for shape in HARMLESS {
        assert_eq!(line(rule, shape), ALLOW, "{shape}");
    }
    assert_eq!(line(rule, "$X mark"), ASK);
}

#[test]
fn a_rule_is_held_against_every_form() {
    let deny =
        |test: &str| format!("tool = \"shell\"\nargs = [{{ at = \"/command\", {test} }}]\ngate = \"deny\"");
    for (test, shape) in [
        ("is = \"git push\"", "cd x && env A=1 '/usr/bin/git'   push >out"),
        ("is = \"A=1 git push\"", "true; A=1   git 'push'"),
        ("glob = \"git commit -m 'a b'\"", "true; git  commit -m \"a b\""),
        ("glob = 'git commit -m \"a b\"'", "true;  git commit   -m \"a b\""),
        ("glob = \"git commit -m a b\"", "true; git commit -m 'a b'"),
        (
            "glob = \"echo * > /etc/*\"",
            "true; env echo  x >/etc/passwd | wc",
        ),
        ("glob = \"/usr/bin/git *\"", "env  /usr/bin/git push"),
        ("regex = '^rm\\s+-rf'", "ls; sudo rm  -rf x"),
        ("glob = \"*a && b*\"", "x; a && b"),
        ("glob = \"sh -c *\"", "true; sh -c 'ls'"),
        ("glob = \"env *\"", "true; env ls"),
        ("glob = \"cd *\"", "cd x; ls"),
        ("glob = \"A=*\"", "ls; A=1"),
    ] {
        assert_eq!(line(&deny(test), shape), DENY, "{test} on {shape}");
        assert_eq!(line(&deny(test), "ls -la"), ALLOW, "{test}");
    }
}

#[test]
fn conditions_of_a_rule_hold_for_the_same_command() {
    let rule = "tool = \"shell\"\nargs = [{ at = \"/command\", glob = \"git *\" }, \
                { at = \"/command\", regex = \"--force\" }]\ngate = \"deny\"";
    assert_eq!(line(rule, "ls; git push --force"), DENY);
    assert_eq!(line(rule, "git push\nls"), ALLOW);
    let rule = "tool = \"shell\"\nargs = [{ at = \"/command\", glob = \"git push*\" }, \
                { at = \"/command\", regex = \".*--dry-run\", not = true }]\ngate = \"deny\"";
    assert_eq!(line(rule, "git push --dry-run"), ALLOW);
    assert_eq!(line(rule, "env git push --dry-run"), ALLOW);
    assert_eq!(line(rule, "git push; echo --dry-run"), DENY);
    let rule = "tool = \"shell\"\nargs = [{ at = \"/command\", glob = \"rm *\" }, { at = \"/cwd\", under = \"x\" }]\n\
                gate = \"deny\"";
    let at = |cwd: &str| on_args(rule, "shell", &json!({"command": "ls; rm y", "cwd": cwd}));
    assert_eq!((at("x"), at("z")), (DENY, ALLOW));
}

#[test]
fn a_negated_rule_is_about_each_command() {
    let only =
        "tool = \"shell\"\nargs = [{ at = \"/command\", glob = \"cargo *\", not = true }]\ngate = \"deny\"";
    for shape in [
        "cargo test",
        "  cargo   test",
        "cd x && cargo test",
        "true; cargo test; :",
        "A=1\ncargo test",
        "A=1 cargo test 2>&1 >log",
        "cargo build && cargo test || cargo clean",
        "(cd x; cargo test)",
        "if cargo test; then cargo run; fi",
        "env A=1 timeout 5 cargo test",
        "sh -c 'cd x; cargo test'",
        "bash -lc 'cargo build && cargo test'",
        "find . -name Cargo.toml -execdir cargo test \\;",
        "cd $(cargo root)",
    ] {
        assert_eq!(line(only, shape), ALLOW, "{shape}");
    }
    for shape in [
        "rm x",
        "cargo test; rm x",
        "cargo test && rm x",
        "cargo test | tee x",
        "cargo test $(rm x)",
        "cargo test \"`rm x`\"",
        "cd $(rm x)",
        "A=$(rm x)",
        "cargo test\nrm x",
        "(cargo test; rm x)",
        "sh -c 'cargo test; rm x'",
        "bash -lc 'rm x'",
        "env rm x",
        "sudo -u cargo rm x",
        "find . -execdir cargo test \\; -exec rm x \\;",
        ": > file",
        "> file",
        "$X",
        "[ -f x ]",
    ] {
        assert_ne!(line(only, shape), ALLOW, "{shape}");
    }
    assert_eq!(argv(only, &["cargo", "test"]), ALLOW);
    assert_eq!(argv(only, &["env", "A=1", "cargo", "test"]), ALLOW);
    assert_eq!(argv(only, &["env", "rm", "x"]), DENY);
    assert_eq!(argv(only, &["sh", "-c", "cargo test; rm x"]), DENY);
    // A wrapper with its command may be what is excepted.
    let sudo = "tool = \"shell\"\nargs = [{ at = \"/command\", glob = \"sudo cargo *\", not = true }]\ngate = \"deny\"";
    assert_eq!(line(sudo, "sudo cargo test"), ALLOW);
    assert_eq!(line(sudo, "sudo rm x"), DENY);
    // Who spells the line out means all of it.
    let exact =
        "tool = \"shell\"\nargs = [{ at = \"/command\", is = \"a | b\", not = true }]\ngate = \"deny\"";
    assert_eq!(line(exact, "a | b"), ALLOW);
    assert_eq!(line(exact, "a | c"), DENY);
    let words =
        "tool = \"shell\"\nargs = [{ at = \"/argv/0\", is = \"cargo\", not = true }]\ngate = \"deny\"";
    assert_eq!(argv(words, &["cargo", "test"]), ALLOW);
    assert_eq!(argv(words, &["rm", "x"]), DENY);
    assert_eq!(line(words, "cargo test"), DENY, "it has no words");
}

#[test]
fn an_allow_rule_holds_for_a_whole_line_as_written() {
    let allow = "tool = \"shell\"\nargs = [{ at = \"/command\", glob = \"cargo *\" }]\ngate = \"allow\"";
    assert_eq!(line(allow, "cargo test --lib"), ALLOW);
    for shape in [
        "cd x && cargo test",
        "env cargo test",
        "  cargo test",
        "cargo test; cargo run",
        "/bin/cargo test",
    ] {
        assert_eq!(line(allow, shape), ASK, "{shape}");
    }
    let all_but =
        "tool = \"shell\"\nargs = [{ at = \"/command\", is = \"rm x\", not = true }]\ngate = \"allow\"";
    assert_eq!(line(all_but, "ls"), ALLOW);
    for shape in ["rm x", "rm  x", "ls; rm x", "sh -c 'rm x'", "$X"] {
        assert_eq!(line(all_but, shape), ASK, "{shape}");
    }
}

#[test]
fn an_unresolved_line_asks_with_a_reason_and_outranks_an_allow_rule() {
    let text = format!("[[rule]]\n{RULE}\n[[rule]]\ntool = \"shell\"\ngate = \"allow\"");
    let policy = with(Preset::Guarded, &text, Origin::User);
    let args = json!({"command": "$X mark"});
    let subject = Subject {
        args: &args,
        ..call("shell", EffectClass::Unknown)
    };
    let verdict = policy.verdict(&subject);
    assert_eq!(verdict.gate, ASK);
    assert_eq!(
        verdict.reason,
        "rules need commands that can be read, and a variable, a substitution or a pattern decides which program runs."
    );
    assert!(verdict.rule.starts_with("built in: "), "{}", verdict.rule);
    assert!(policy.verdict_of_parts(&subject, &Moment::default()).alone);
}

/// The verdict on a line, and those on its commands.
fn parts(policy: &Policy, args: &Value) -> (Gate, Vec<Gate>) {
    let subject = Subject {
        args,
        ..call("shell", EffectClass::Unknown)
    };
    let verdict = policy.verdict_of_parts(&subject, &Moment::default());
    assert_eq!(verdict.gate, gate(policy, &subject));
    (verdict.gate, verdict.parts.iter().map(|part| part.gate).collect())
}

#[test]
fn what_is_shown_as_denied_never_runs() {
    let policy = with(Preset::Auto, &format!("[[rule]]\n{RULE}"), Origin::User);
    for shape in DENIED.iter().chain(ASKED).chain(HARMLESS) {
        for args in [
            json!({ "command": shape }),
            json!({"argv": ["env", "sh", "-c", shape]}),
        ] {
            let (whole, parts) = parts(&policy, &args);
            let worst = parts.iter().max().copied().unwrap_or(ALLOW);
            assert!(worst <= whole, "{shape}: {whole:?}, {parts:?}");
        }
    }
    assert_eq!(
        parts(&policy, &json!({"command": "cd . && env touch mark | wc"})),
        (DENY, vec![ALLOW, DENY, ALLOW])
    );
}

proptest! {
    #![proptest_config(overrule_testing::cases(64))]

    #[test]
    fn a_command_that_is_denied_alone_is_denied_in_any_line(
        parts_of_line in proptest::collection::vec(prop_oneof![
            prop::sample::select(DENIED.to_vec()),
            prop::sample::select(HARMLESS.to_vec()),
            prop::sample::select(ASKED.to_vec()),
        ], 1..5),
        not in any::<bool>(),
    ) {
        // Two open quotation marks make one text in quotation marks, in which nothing is hidden.
        let open = parts_of_line.iter().filter(|part| part.matches('\'').count() % 2 == 1);
        prop_assume!(open.count() < 2);
        let text = parts_of_line.join("\n");
        let rule = if not { RULE.replace("\" }", "\", not = true }") } else { RULE.to_owned() };
        let policy = with(Preset::Auto, &format!("[[rule]]\n{rule}"), Origin::User);
        let (whole, parts) = parts(&policy, &json!({ "command": text }));
        let worst = parts.iter().max().copied().unwrap_or(ALLOW);
        prop_assert!(worst <= whole, "{text}: {whole:?}, {parts:?}");
        let hidden = parts_of_line.iter().any(|part| !HARMLESS.contains(part));
        prop_assert!(!hidden || not || whole != ALLOW, "{text}");
    }
}

/// The shell tools of other agents, with the arguments that a line has there.
fn foreign(line: &str) -> [(&'static str, Value); 8] {
    [
        ("Bash", json!({ "command": line, "description": "look" })),
        ("bash", json!({ "command": line, "workdir": "." })),
        ("exec_command", json!({ "cmd": line, "login": true })),
        (
            "shell",
            json!({ "command": ["bash", "-lc", line], "workdir": "." }),
        ),
        ("shell_command", json!({ "command": line })),
        ("run_shell_command", json!({ "command": line, "dir_path": "." })),
        ("local_shell", json!({ "command": ["sh", "-c", line] })),
        ("developer__shell", json!({ "command": line })),
    ]
}

#[test]
fn no_shape_of_a_line_hides_a_command_in_a_shell_tool_of_another_agent() {
    let all = DENIED
        .iter()
        .flat_map(|shape| foreign(shape).map(|call| (*shape, call)));
    for (shape, (tool, args)) in overrule_testing::sample(all, 3) {
        for at in ["/command", "/cmd"] {
            let rule = format!(
                "tool = \"{tool}\"\nargs = [{{ at = \"{at}\", glob = \"touch *\" }}]\ngate = \"deny\""
            );
            assert_eq!(on_args(&rule, tool, &args), DENY, "{tool} {at} {shape}");
        }
        let program =
            format!("tool = \"{tool}\"\nargs = [{{ at = \"/argv/0\", is = \"touch\" }}]\ngate = \"deny\"");
        assert_eq!(on_args(&program, tool, &args), DENY, "{tool} {shape}");
    }
    for shape in HARMLESS {
        for (tool, args) in foreign(shape) {
            let rule = RULE.replace("\"shell\"", &format!("\"{tool}\""));
            assert_eq!(on_args(&rule, tool, &args), ALLOW, "{tool} {shape}");
        }
    }
}

#[test]
fn a_pattern_allows_no_second_command_in_a_shell_tool_of_another_agent() {
    for (tool, args) in foreign("cargo test; rm -r .") {
        for at in ["/command", "/cmd"] {
            let rule = format!(
                "tool = \"{tool}\"\nargs = [{{ at = \"{at}\", glob = \"cargo *\" }}]\ngate = \"allow\""
            );
            assert_eq!(on_args(&rule, tool, &args), ASK, "{tool} {at}");
        }
    }
    let args = json!({ "cmd": "cargo test" });
    let rule = "tool = \"exec_command\"\nargs = [{ at = \"/cmd\", glob = \"cargo *\" }]\ngate = \"allow\"";
    assert_eq!(on_args(rule, "exec_command", &args), ALLOW);
}

#[test]
fn two_lines_in_one_call_ask_where_a_rule_is_about_commands() {
    let args = json!({ "command": "ls", "cmd": "date" });
    let rule = RULE.replace("\"shell\"", "\"exec_command\"");
    assert_eq!(on_args(&rule, "exec_command", &args), ASK);
    let lists = json!({ "argv": ["ls"], "command": ["date"] });
    assert_eq!(on_args(&rule, "exec_command", &lists), ASK);
    // Any of them may be what runs.
    for hidden in [
        json!({ "argv": ["ls"], "command": ["touch", "mark"] }),
        json!({ "command": "ls", "cmd": "touch mark" }),
        json!({ "command": "touch mark", "cmd": "ls" }),
        json!({ "command": "touch mark", "commands": [] }),
        json!({ "command": "ls", "commands": ["touch mark"] }),
        json!({ "command": "ls", "argv": ["touch", "mark"] }),
        json!({ "commands": ["ls"], "argv": ["touch", "mark"] }),
        json!({ "command": "ls", "chars": "touch mark" }),
    ] {
        assert_eq!(on_args(&rule, "exec_command", &hidden), DENY, "{hidden}");
    }
    let allow = "tool = \"exec_command\"\nargs = [{ at = \"/cmd\", glob = \"cargo *\" }]\ngate = \"allow\"";
    for second in ["command", "commands", "argv", "chars"] {
        let args = json!({ "cmd": "cargo test", second: ["ls"] });
        let is_other_line = second == "chars";
        assert_eq!(
            on_args(allow, "exec_command", &args) == ALLOW,
            is_other_line,
            "{args}"
        );
        let args = json!({ "cmd": "cargo test", second: "ls" });
        assert_eq!(
            on_args(allow, "exec_command", &args) == ALLOW,
            second == "argv",
            "{args}"
        );
    }
}

#[test]
fn an_allow_rule_does_not_vouch_for_another_shell_or_for_variables() {
    let allow = |tool: &str, at: &str| {
        format!("tool = \"{tool}\"\nargs = [{{ at = \"{at}\", glob = \"cargo test*\" }}]\ngate = \"allow\"")
    };
    let with = |more: (&str, Value)| json!({ "cmd": "cargo test", more.0: more.1 });
    let allowed = |args: &Value| on_args(&allow("exec_command", "/cmd"), "exec_command", args);
    let asked = |args: &Value| {
        on_args(
            &RULE.replace("\"shell\"", "\"exec_command\""),
            "exec_command",
            args,
        )
    };
    for usual in [
        json!(null),
        json!("bash"),
        json!("/bin/bash"),
        json!("/usr/bin/zsh"),
        json!("sh"),
    ] {
        let args = with(("shell", usual));
        assert_eq!((allowed(&args), asked(&args)), (ALLOW, ALLOW), "{args}");
    }
    for other in [
        json!("/w/.x/bash"),
        json!("./bash"),
        json!("x/bash"),
        json!("/bin/../w/bash"),
        json!("/usr/bin/x/bash"),
        json!("/bin/"),
        json!("pwsh"),
        json!("/usr/bin/fish"),
        json!("python3"),
        json!(""),
        json!(["bash"]),
        json!(true),
    ] {
        let args = with(("shell", other));
        assert_eq!((allowed(&args), asked(&args)), (ASK, ASK), "{args}");
    }
    for (env, expected) in [
        (json!({}), ALLOW),
        (json!(null), ALLOW),
        (json!({"PATH": "/w/.x"}), ASK),
        (json!({"LD_PRELOAD": "x.so"}), ASK),
        (json!(["PATH=/w/.x"]), ASK),
    ] {
        let args = with(("env", env.clone()));
        assert_eq!((allowed(&args), asked(&args)), (expected, expected), "{args}");
        let args = json!({"action": {"type": "exec", "command": ["cargo", "test"], "env": env}});
        let rule = RULE.replace("\"shell\"", "\"local_shell_call\"");
        assert_eq!(on_args(&rule, "local_shell_call", &args), expected, "{args}");
    }
    // What is spelled out still denies.
    let args = json!({"cmd": "touch mark", "shell": "/w/.x/bash"});
    assert_eq!(asked(&args), DENY);
}

#[test]
fn what_is_typed_into_a_running_program_asks_where_a_rule_is_about_commands() {
    let rule = RULE.replace("\"shell\"", "\"write_stdin\"");
    let typed =
        |rule: &str, chars: &str| on_args(rule, "write_stdin", &json!({"session_id": 1, "chars": chars}));
    assert_eq!(typed(&rule, "touch mark\n"), DENY);
    assert_eq!(typed(&rule, "cd x; touch mark\n"), DENY);
    assert_eq!(typed(&rule, "print(1)\n"), ASK);
    assert_eq!(typed(&rule, "ls"), ASK, "another program may read it");
    assert_eq!(typed(&rule, ""), ALLOW, "a look at the output");
    assert_eq!(on_args(&rule, "write_stdin", &json!({"session_id": 1})), ALLOW);
    for at in ["/chars", "/command"] {
        let allow =
            format!("tool = \"write_stdin\"\nargs = [{{ at = \"{at}\", glob = \"*\" }}]\ngate = \"allow\"");
        assert_eq!(typed(&allow, "ls"), ASK, "{at}");
    }
}

#[test]
fn a_line_for_a_shell_of_windows_asks() {
    for words in [
        &["powershell.exe", "-Command", "ls -Recurse x"][..],
        &["PowerShell.EXE", "-NoProfile", "-EncodedCommand", "abc"],
        &["pwsh", "-c", "ls"],
        &["pwsh.exe", "x.ps1"],
        &["cmd.exe", "/c", "del x"],
        &["cmd", "/K", "del x"],
        &["env", "powershell", "ls"],
    ] {
        assert_eq!(argv(RULE, words), ASK, "{words:?}");
        assert_eq!(line(RULE, &words.join(" ")), ASK, "{words:?}");
        let allow = "tool = \"shell\"\nargs = [{ at = \"/argv/0\", glob = \"*\" }]\ngate = \"allow\"";
        assert_eq!(argv(allow, words), ASK, "{words:?}");
    }
    assert_eq!(argv(RULE, &["powershell.exe", "-Command", "touch mark"]), DENY);
    assert_eq!(argv(RULE, &["cmd.exe", "/c", "touch", "mark"]), DENY);
    assert_eq!(argv(RULE, &["pwsh", "--version"]), ALLOW);
}
