//! Tests what a readable form says of a call, and when the exact bytes come first.
//!
//! Must not know: how a form is drawn.

use super::args::MOST_LINES;
use super::*;
use crate::ground::json;
use overrule_base::text::survey;
use overrule_domain::call::ShownForm;

fn members(args: &str) -> Vec<(String, Arc<str>)> {
    let members = json::members(args).into_iter();
    members.map(|(name, value)| (name, Arc::from(value))).collect()
}

fn form(tool: &str, args: &str, found: Option<Found<'_>>) -> (ShownForm, Vec<String>) {
    let form = of(tool, &members(args), found);
    (form.shown.form, lines(&form))
}

#[test]
fn a_command_is_shown_as_it_is_typed() {
    assert_eq!(
        form(
            "shell",
            r#"{"command":"cargo test\n--all \"x\"","timeout_s":9}"#,
            None
        ),
        (
            ShownForm::Command,
            vec![
                "$ cargo test".into(),
                "  --all \"x\"".into(),
                "timeout_s = 9".into()
            ]
        )
    );
    assert_eq!(
        form("shell", r#"{"argv":["echo","a b"]}"#, None),
        (ShownForm::Command, vec!["$ echo 'a b'".into()])
    );
    let both = form("shell", r#"{"command":"a","argv":["b"]}"#, None);
    assert_eq!(
        both,
        (
            ShownForm::Fields,
            vec![
                "command = a".into(),
                "argv =".into(),
                "  [".into(),
                "    \"b\"".into(),
                "  ]".into()
            ]
        )
    );
}

#[test]
fn an_argument_of_several_lines_cannot_look_like_another_one() {
    let (shown, lines) = form("send", r#"{"to":"a\u001b[2K","text":"x\nto = b"}"#, None);
    assert_eq!(shown, ShownForm::Fields);
    let escape = visible("\u{1b}");
    assert_eq!(
        lines,
        [&*format!("to = a{escape}[2K"), "text =", "  x", "  to = b"]
    );
    assert_eq!(form("send", "{}", None).1, ["no arguments"]);
}

#[test]
fn a_string_is_not_shown_like_another_value() {
    let shown = |json: &str| {
        let args = format!(r#"{{"a":{json}}}"#);
        form("send", &args, None).1.join("\n")
    };
    let all = [
        "false",
        r#""false""#,
        r#""\"false\"""#,
        "1",
        r#""1""#,
        r#""1 ""#,
        "null",
        r#""null""#,
        r#""""#,
        r#""\"""#,
        "{}",
        r#""{}""#,
        r#""\"{}\"""#,
    ];
    for (at, one) in all.iter().enumerate() {
        for other in &all[..at] {
            assert_ne!(shown(one), shown(other), "{one} {other}");
        }
    }
    assert_eq!(shown(r#""false""#), "a = \"false\"");
    assert_eq!(shown(r#""it's 5 o'clock""#), "a = it's 5 o'clock");
}

#[test]
fn a_write_is_a_difference_once_the_file_is_known() {
    let args = r#"{"path":"a.md","content":"one\nthree\n"}"#;
    let lines: Arc<[diff::Line]> = diff::lines("one\ntwo\n", "one\nthree\n").into();
    let base: Arc<str> = "h".into();
    let found = Replaced::Text(lines);
    let known = of("write_file", &members(args), Some((&found, Some(&base))));
    assert_eq!(
        (known.shown.form, known.shown.base.as_deref()),
        (ShownForm::Difference, Some("h"))
    );
    let base = known.shown.base.as_deref();
    assert!(replaces_file("write_file", base) && !replaces_file("edit_file", base));
    assert_eq!(
        super::lines(&known),
        ["path = a.md", "    1   one", "    2 - two", "    2 + three"]
    );
    let none: Arc<str> = "".into();
    let new = of(
        "write_file",
        &members(args),
        Some((&Replaced::Nothing, Some(&none))),
    );
    assert_eq!(
        super::lines(&new),
        ["path = a.md", "a new file", "+ one", "+ three", "+ "]
    );
    assert!(!replaces_file("write_file", new.shown.base.as_deref()));
    let unread = Replaced::Unreadable("`a.md` is no text".into());
    let (shown, lines) = form("write_file", args, Some((&unread, None)));
    assert_eq!(shown, ShownForm::Fields);
    assert_eq!(lines[0], "no difference: `a.md` is no text");
    assert_eq!(
        form("write_file", args, None).0,
        ShownForm::Fields,
        "the file is not known yet"
    );
}

#[test]
fn an_edit_shows_what_it_replaces_by_what() {
    let args = r#"{"path":"a","old":"x = 1","new":"x = 2"}"#;
    assert_eq!(
        form("edit_file", args, None),
        (
            ShownForm::Difference,
            vec!["path = a".into(), "- x = 1".into(), "+ x = 2".into()]
        )
    );
    let missing = Replaced::Unreadable("the text does not occur in `a`".into());
    let (shown, lines) = form("edit_file", args, Some((&missing, None)));
    assert_eq!(shown, ShownForm::Fields);
    assert_eq!(
        lines,
        [
            "no difference: the text does not occur in `a`",
            "- x = 1",
            "+ x = 2",
            "path = a"
        ]
    );
}

#[test]
fn the_tools_of_other_agents_read_like_the_built_in_ones() {
    for (tool, args) in [
        (
            "Edit",
            r#"{"file_path":"a","old_string":"x = 1","new_string":"x = 2"}"#,
        ),
        (
            "edit",
            r#"{"filePath":"a","oldString":"x = 1","newString":"x = 2"}"#,
        ),
        (
            "replace",
            r#"{"file_path":"a","old_string":"x = 1","new_string":"x = 2"}"#,
        ),
    ] {
        let (shown, lines) = form(tool, args, None);
        assert_eq!(shown, ShownForm::Difference, "{tool}");
        assert!(lines[0].ends_with(" = a"), "{tool} {lines:?}");
        assert_eq!(lines[1..], ["- x = 1", "+ x = 2"], "{tool}");
    }
    for (tool, args, line) in [
        ("Bash", r#"{"command":"ls -l"}"#, "$ ls -l"),
        ("exec_command", r#"{"cmd":"ls -l"}"#, "$ ls -l"),
        (
            "shell",
            r#"{"command":["bash","-lc","ls -l"]}"#,
            "$ bash -lc 'ls -l'",
        ),
    ] {
        assert_eq!(
            form(tool, args, None),
            (ShownForm::Command, vec![line.into()]),
            "{tool}"
        );
    }
    let more = form("Bash", r#"{"command":"ls","description":"look"}"#, None);
    assert_eq!(more.1, ["$ ls", "description = look"]);
    let both = form("exec_command", r#"{"cmd":"ls","command":"rm"}"#, None);
    assert_eq!(
        both,
        (ShownForm::Fields, vec!["cmd = ls".into(), "command = rm".into()])
    );
    assert_eq!(form("other", r#"{"command":"ls"}"#, None).0, ShownForm::Fields);
    let new = of(
        "Write",
        &members(r#"{"file_path":"a.md","content":"one"}"#),
        Some((&Replaced::Nothing, Some(&"".into()))),
    );
    assert_eq!(super::lines(&new), ["file_path = a.md", "a new file", "+ one"]);
    assert!(replaces_file("Write", Some("h")) && !replaces_file("Edit", Some("h")));
}

#[test]
fn calls_of_the_providers_types_read_like_the_known_tools() {
    let words = r#"{"action":{"type":"exec","command":["ls","a b"],"env":{}},"user":"u"}"#;
    let (shown, lines) = form("local_shell_call", words, None);
    assert_eq!(shown, ShownForm::Command);
    assert_eq!(lines, ["$ ls 'a b'", "type = exec", "env = {}", "user = u"]);
    let several = r#"{"action":{"commands":["ls","rm x"]}}"#;
    assert_eq!(
        form("shell_call", several, None),
        (ShownForm::Command, vec!["$ ls".into(), "  rm x".into()])
    );
    let patch = r#"{"operation":{"type":"update_file","path":"a.rs","diff":"-x\n+y"}}"#;
    assert_eq!(
        form("apply_patch_call", patch, None),
        (
            ShownForm::Difference,
            vec!["updates = a.rs".into(), "- x".into(), "+ y".into()]
        )
    );
    // What is not known is not left out.
    for (tool, args) in [
        (
            "apply_patch_call",
            r#"{"operation":{"type":"rm","path":"a","diff":""}}"#,
        ),
        ("apply_patch_call", r#"{"operation":{"type":1,"path":"rm"}}"#),
        (
            "apply_patch_call",
            r#"{"operation":{"type":"update_file","path":"a","mode":"777"}}"#,
        ),
        (
            "local_shell_call",
            r#"{"action":{"command":["ls"]},"command":"rm"}"#,
        ),
    ] {
        let (shown, lines) = form(tool, args, None);
        assert_eq!(shown, ShownForm::Fields, "{tool}");
        assert!(
            lines.concat().contains("777") || lines.concat().contains("rm"),
            "{lines:?}"
        );
    }
}

#[test]
fn a_member_of_another_kind_of_tool_is_shown() {
    let lines_found = Replaced::Text(Vec::new().into());
    let unreadable = Replaced::Unreadable("it is too long".into());
    let edit = r#"{"file_path":"a","old_string":"x","new_string":"y","content":"extra"}"#;
    let write = r#"{"file_path":"a","content":"x","old":"extra","new":"more"}"#;
    for found in [&lines_found, &unreadable, &Replaced::Nothing] {
        let lines =
            |tool: &str, args: &str| super::lines(&of(tool, &members(args), Some((found, None)))).join("\n");
        let shown = lines("Edit", edit);
        assert!(
            shown.contains("content = extra") && !shown.contains("+ extra"),
            "{shown}"
        );
        let shown = lines("Write", write);
        assert!(
            shown.contains("old = extra") && shown.contains("new = more"),
            "{shown}"
        );
    }
}

#[test]
fn a_patch_is_shown_file_by_file_and_its_lines_cannot_look_like_a_file() {
    let patch = "*** Begin Patch\n*** Update File: a.rs\n@@ fn x\n same\n-old\n+new\n+*** Delete File: b\n\
                 \x20*** Delete File: d\n*** Delete File: c\u{1b}\n*** End Patch\n";
    let args = serde_json::json!({ "input": patch }).to_string();
    let (shown, lines) = form("apply_patch", &args, None);
    assert_eq!(shown, ShownForm::Difference);
    let escape = visible("\u{1b}");
    assert_eq!(
        lines,
        [
            "  *** Begin Patch",
            "updates = a.rs",
            "  @@ fn x",
            "  same",
            "- old",
            "+ new",
            "+ *** Delete File: b",
            "  *** Delete File: d",
            &*format!("deletes = c{escape}"),
            "  *** End Patch",
        ]
    );
    let long = serde_json::json!({ "input": "+\n".repeat(MOST_LINES + 1) }).to_string();
    assert_eq!(form("apply_patch", &long, None).0, ShownForm::Fields);
}

#[test]
fn the_exact_bytes_come_first_where_the_form_would_not_tell_everything() {
    let why = |args: &str| why_exact(args, &survey(args));
    for plain in [
        r#"{"a":"b\nc","n":1.5}"#,
        "{}",
        r#"{"a":"C:\\build\\file"}"#,
        r#"{"a":"日本"}"#,
    ] {
        assert_eq!(why(plain), None, "{plain}");
    }
    for (args, words) in [
        (r#"{"a":1,"a":2}"#, "occurs twice"),
        (r#"{"a":"x\u202ey"}"#, "turns the direction"),
        (r#"{"a":"x\u200by"}"#, "cannot be seen"),
        (r#"{"a":"rm x\b\b\b\bls"}"#, "control"),
        (r#"{"a":"x\fy"}"#, "control"),
        (r#"{"n":12345678901234567890123}"#, "would become"),
        ("[1]", "not an object"),
        ("{", "not JSON"),
    ] {
        assert!(
            why(args).is_some_and(|why| why.contains(words)),
            "{args}: {:?}",
            why(args)
        );
    }
    let long = format!(r#"{{"a":"{}"}}"#, "x".repeat(MOST));
    assert!(why(&long).is_some_and(|why| why.contains("256 KiB")));
}
