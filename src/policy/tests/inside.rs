//! Tests of rules about tools that run inside of a call: in a program, or by the name of another tool.
//!
//! Must not know: how a program is read.

use serde_json::{Value, json};

use super::on_args;
use crate::danger::Danger;
use crate::shell::ShellCall;
use overrule_domain::call::Gate;
use std::path::Path;

const ALLOW: Gate = Gate::Allow;
const ASK: Gate = Gate::Ask;
const DENY: Gate = Gate::Deny;

/// A program with one literal command.
fn whole(line: &str) -> Value {
    json!({"input": format!("const r = await tools.exec_command({{cmd: {}}});\ntext(r.output);", json!(line))})
}

fn program(text: &str) -> Value {
    json!({ "input": text })
}

fn rule(tool: &str, test: &str, gate: &str) -> String {
    format!("{tool}\nargs = [{{ at = \"/cmd\", {test} }}]\ngate = \"{gate}\"")
}

#[test]
fn a_command_is_denied_in_a_program_as_it_is_alone() {
    for tool in [
        "",
        "tool = \"exec_command\"",
        "tool = \"exec\"",
        "tool = \"exec*\"",
    ] {
        let deny = rule(tool, "glob = \"rm -rf *\"", "deny");
        for denied in [
            whole("rm -rf build"),
            whole("ls && sudo rm -rf /"),
            program("for (const d of dirs) { await tools.exec_command({cmd: 'rm -rf x', workdir: d}) }"),
            program(
                "const [a, b] = await Promise.all([tools.exec_command({cmd: 'ls'}), tools.exec_command({cmd: \"rm -rf b\"})])",
            ),
            // Its words are in what cannot be read.
            program("const c = 'rm', d = ' -rf '; await tools.exec_command({cmd: c + d + dir})"),
            program("eval(`tools.exec_command({cmd: 'rm -rf x'})`)"),
        ] {
            assert_eq!(on_args(&deny, "exec", &denied), DENY, "{tool} {denied}");
            let ask = deny.replace("\"deny\"", "\"ask\"");
            assert_eq!(on_args(&ask, "exec", &denied), ASK, "{tool} {denied}");
        }
        assert_eq!(
            on_args(&deny, "exec", &whole("ls -la")),
            ALLOW,
            "{tool}: it was read"
        );
        for unread in [
            "const line = atob('cm0gLXJmIHg='); await tools.exec_command({cmd: line})",
            "await tools[load('t')](load('a'))",
            "",
            "not a program at all",
        ] {
            assert_eq!(on_args(&deny, "exec", &program(unread)), ASK, "{tool} {unread}");
        }
        assert_eq!(on_args(&deny, "exec", &json!({})), ASK, "{tool}");
    }
    let regex = rule("", "regex = \"rm +-rf\"", "deny");
    let joined = program("await tools.exec_command({cmd: ['rm', '-rf'].join(' ')})");
    assert_eq!(on_args(&regex, "exec", &joined), ASK);
}

#[test]
fn without_a_rule_that_could_be_about_it_a_program_is_as_any_call() {
    let other = "tool = \"exec\"\ngate = \"allow\"";
    let known = program("await tools.exec_command({cmd: 'ls -la'})");
    assert_eq!(on_args(other, "exec", &known), ALLOW, "the tool itself is named");
    // No rule allows commands that cannot be read.
    assert_eq!(on_args(other, "exec", &program("eval(x)")), ASK);
    let everything = "effect = \"pure\"\ngate = \"deny\"";
    assert_eq!(on_args(everything, "exec", &program("eval(x)")), ALLOW);
}

#[test]
fn an_allow_rule_needs_a_program_of_which_everything_was_read() {
    for tool in ["tool = \"exec_command\"", "tool = \"exec*\""] {
        let allow = rule(tool, "glob = \"cargo *\"", "allow");
        assert_eq!(on_args(&allow, "exec", &whole("cargo test")), ALLOW, "{tool}");
        for asked in [
            whole("cargo test; rm x"),
            whole("ls"),
            program("await tools.exec_command({cmd: 'cargo test'}); await tools.exec_command({cmd: 'ls'})"),
            program("await tools.exec_command({cmd: 'cargo test'}); await tools.apply_patch('x')"),
            program(
                "await tools.exec_command({cmd: 'cargo test'}); await tools.write_stdin({session_id: 1, chars: 'y'})",
            ),
            program("await tools.exec_command({cmd: 'cargo test', shell: '/tmp/sh'})"),
            program("await tools.exec_command({cmd: 'cargo ' + x})"),
            program("if (a) { await tools.exec_command({cmd: 'cargo test'}) }"),
            program("text('nothing runs')"),
        ] {
            assert_eq!(on_args(&allow, "exec", &asked), ASK, "{tool} {asked}");
        }
        let except = rule(tool, "glob = \"cargo *\", not = true", "allow");
        assert_eq!(on_args(&except, "exec", &whole("cargo test")), ASK, "{tool}");
    }
    let only_exec = rule("tool = \"exec\"", "glob = \"cargo *\"", "allow");
    assert_eq!(on_args(&only_exec, "exec", &whole("cargo test")), ALLOW);
    assert_eq!(
        on_args(&only_exec, "exec_command", &json!({"cmd": "cargo test"})),
        ASK
    );
}

#[test]
fn a_rule_about_another_tool_is_about_its_calls_in_a_program() {
    let deny = "tool = \"apply_patch\"\ngate = \"deny\"";
    assert_eq!(
        on_args(
            deny,
            "exec",
            &program("await tools.apply_patch('*** Begin Patch')")
        ),
        DENY
    );
    assert_eq!(
        on_args(deny, "exec", &program("const p = tools.apply_patch; p(x)")),
        DENY
    );
    assert_eq!(
        on_args(deny, "exec", &program("await tools[x]('y')")),
        ASK,
        "it may call it"
    );
    assert_eq!(on_args(deny, "exec", &whole("ls")), ALLOW);
}

#[test]
fn a_tool_that_calls_another_one_is_read_like_it() {
    let deny = rule("tool = \"run_shell_command\"", "glob = \"rm *\"", "deny").replace("/cmd", "/command");
    let call = |name: &str, line: &str| json!({"name": name, "arguments": {"command": line}});
    assert_eq!(
        on_args(&deny, "tool_call", &call("run_shell_command", "rm x")),
        DENY
    );
    assert_eq!(
        on_args(&deny, "tool_call", &call("run_shell_command", "ls")),
        ALLOW
    );
    assert_eq!(on_args(&deny, "tool_call", &call("mcp__x__y", "ls")), ASK);
    let text = json!({"name": "run_shell_command", "arguments": "{\"command\":\"rm x\"}"});
    assert_eq!(on_args(&deny, "tool_call", &text), DENY);
    assert_eq!(on_args(&deny, "tool_call", &json!({"arguments": {}})), ASK);
    for (tool, list, name, arguments, of) in [
        ("batch", "tool_calls", "tool", "parameters", "run_shell_command"),
        (
            "multi_tool_use.parallel",
            "tool_uses",
            "recipient_name",
            "parameters",
            "functions.run_shell_command",
        ),
    ] {
        let calls = |lines: &[&str]| {
            let calls = lines
                .iter()
                .map(|line| json!({name: of, arguments: {"command": line}}));
            json!({list: calls.collect::<Vec<Value>>()})
        };
        assert_eq!(on_args(&deny, tool, &calls(&["ls", "rm x"])), DENY, "{tool}");
        assert_eq!(on_args(&deny, tool, &calls(&["ls", "pwd"])), ALLOW, "{tool}");
        assert_eq!(on_args(&deny, tool, &calls(&[])), ASK, "{tool}");
        assert_eq!(on_args(&deny, tool, &json!({list: "x"})), ASK, "{tool}");
    }
}

#[test]
fn a_tool_of_the_same_name_that_takes_a_line_is_a_shell() {
    let deny = rule("", "glob = \"rm *\"", "deny");
    for (line, gate) in [("rm x", DENY), ("ls", ALLOW), ("$(cat x)", ASK)] {
        assert_eq!(
            on_args(&deny, "exec", &json!({ "command": line })),
            gate,
            "{line}"
        );
        let both = json!({"command": line, "input": "text(1)"});
        assert_eq!(on_args(&deny, "exec", &both), gate.max(ASK), "{line}");
    }
}

#[test]
fn a_program_is_marked_with_what_is_in_it_and_its_commands_are_listed() {
    let marks = |args: &Value| -> Vec<(&'static str, String)> {
        let marks = Danger::default().marks("exec", &args.to_string(), Path::new("/srv/here"));
        marks
            .into_iter()
            .map(|mark| (mark.kind.label(), mark.because))
            .collect()
    };
    let runs = ("runs a program", "exec".to_owned());
    assert_eq!(marks(&whole("ls")), std::slice::from_ref(&runs));
    assert_eq!(
        marks(&whole("rm x")),
        [("deletes", "rm".to_owned()), runs.clone()]
    );
    let patch = program("await tools.apply_patch('*** Begin Patch\\n*** Delete File: a\\n*** End Patch')");
    assert_eq!(marks(&patch), [("deletes", "*** Delete File".to_owned()), runs]);
    assert_eq!(marks(&json!({"command": "ls"})), []);

    let two = program("await tools.exec_command({cmd: 'ls | wc'}); z(tools.exec_command({cmd: 'rm x'}))");
    let shell = ShellCall::of("exec", &two.to_string());
    let listed: Vec<&str> = shell.commands().map(|command| command.text.as_str()).collect();
    assert_eq!(listed, ["ls", "wc", "rm x"]);
    assert!(
        shell
            .warning()
            .is_some_and(|words| words.contains("runs a program"))
    );
}
