//! Tests the reader of programs.
//!
//! Must not know: rules.

use super::*;

/// The commands of a program, and whether it is whole.
fn read(text: &str) -> (Vec<String>, bool) {
    let script = Script::read(text);
    let commands = script
        .calls
        .iter()
        .filter_map(|call| call.args.get("cmd")?.as_str());
    (commands.map(str::to_owned).collect(), script.is_whole)
}

#[test]
fn a_whole_program_has_all_that_it_runs_in_literals() {
    for (text, commands) in [
        (
            r#"const r = await tools.exec_command({cmd: "ls -la"}); text(r.output);"#,
            &["ls -la"][..],
        ),
        (
            r#"text(await tools.exec_command({"cmd":'pwd',"workdir":"/x",}))"#,
            &["pwd"],
        ),
        (
            "// @exec: {\"yield_time_ms\": 10000}\nconst [a, b] = await Promise.all([\n  tools.exec_command({cmd: `git \
             status`, yield_time_ms: 1000}),\n  tools.exec_command({ cmd: \"git \" + \"log\" }), // newest\n]);\n\
             text(a.output); text(JSON.stringify(b));",
            &["git status", "git log"],
        ),
        (
            r#"await tools["exec_command"]({cmd:"a\x62\u0063\u{64}\"\\\ne\t"})"#,
            &["abcd\"\\\ne\t"],
        ),
        (
            r#"/* tools.x() */ await tools.exec_command({cmd:"echo // no comment"})"#,
            &["echo // no comment"],
        ),
        (r#"await tools.exec_command({cmd:"\ud83d\ude00"})"#, &["😀"]),
    ] {
        assert_eq!(
            read(text),
            (commands.iter().map(|one| (*one).to_owned()).collect(), true),
            "{text}"
        );
    }
}

#[test]
fn what_may_do_more_is_not_whole_but_its_literal_commands_are_known() {
    let found = r#"tools.exec_command({cmd:"ls"})"#;
    for more in [
        "for (const x of y) { }",
        "const run = tools.exec_command; run({cmd: z})",
        "const {exec_command} = tools",
        "tools[name]({cmd: z})",
        "globalThis['tools']",
        "eval('x')",
        "text.constructor('x')()",
        "const constructor = 1; text.constructor('x')()",
        "const k = 'constructor'; text[k]('x')()",
        "text['constructor']('x')()",
        "const a = 1; const b = a['x']",
        "/'/; z(/'/)",
        "`${z}`",
        "\\u0065val('x')",
        "tools.exec_command({cmd: z})",
        "tools.exec_command({cmd: 'a' + z})",
        "tools.exec_command({...z})",
        "tools.exec_command({cmd: 'a', cmd: 'b'}, z)",
        "tools.exec_command(z)",
        "load('x')",
        "() => 1",
        "const text = z => z",
        "setTimeout(f, 1)",
        "'unterminated",
        "/* unterminated",
        "import('x')",
        "const é = 1",
    ] {
        for text in [format!("{found}; {more}"), format!("{more}\n;{found}")] {
            let (commands, is_whole) = read(&text);
            assert!(!is_whole, "{text}");
            let is_hidden = more.contains('/') || more.contains('\'') && more.starts_with('\'');
            assert!(
                is_hidden || commands.contains(&"ls".to_owned()),
                "{text}: {commands:?}"
            );
        }
    }
    assert!(!Script::read("text('no call')").is_whole);
    assert!(!Script::read("").is_whole);
    let deep = format!(
        "tools.exec_command({{a: {}1{}, cmd: 'ls'}})",
        "[".repeat(500),
        "]".repeat(500)
    );
    assert!(!Script::read(&deep).is_whole);
}

#[test]
fn every_tool_that_is_named_is_known_and_a_text_is_its_input() {
    let script = Script::read(
        "await tools.apply_patch(\"*** Begin Patch\"); const f = tools.view_image; tools?.write_stdin({session_id: 1, \
         chars: \"y\\n\"}); tools.get_goal({}); tools.mcp__x__y()",
    );
    let names = [
        "apply_patch",
        "get_goal",
        "mcp__x__y",
        "view_image",
        "write_stdin",
    ];
    assert_eq!(script.names, names.map(str::to_owned).into());
    assert_eq!(script.calls[0].args, json!({"input": "*** Begin Patch"}));
    assert_eq!(script.calls[1].args, json!({"session_id": 1, "chars": "y\n"}));
    assert!(!script.is_whole, "a tool that is not called may be called later");
}

#[test]
fn a_member_that_is_no_literal_is_left_out() {
    let script = Script::read("tools.exec_command({workdir: here(1, {a: 2}), cmd: 'ls', tty, n: [1, x]})");
    assert_eq!(script.calls[0].args, json!({"cmd": "ls", "n": [1]}));
    assert!(!script.calls[0].is_whole && !script.is_whole);
}

#[test]
fn the_number_of_calls_is_bounded_and_the_time_with_it() {
    let many = "tools.a({x;".repeat(20_000) + "; tools.last()";
    let script = Script::read(&many);
    assert_eq!(script.calls.len(), MOST);
    assert!(!script.is_whole && script.names.contains("last"));
}
