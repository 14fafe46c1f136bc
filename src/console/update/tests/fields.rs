//! Tests arguments as fields: what is edited, what is sent, and that nothing is lost on the way to JSON and back.

use std::sync::Arc;

use crate::kernel::msg::Out;
use crate::surfaces::editor::state::{ArgFields, Editor};
use crate::surfaces::review::Review;
use crate::testing::{ARMING, Stage, id};
use overrule_domain::call::EffectClass;
use overrule_domain::command::{Command, Edit, EditCommand};
use overrule_domain::id::Rev;

/// A tool with arguments of every kind.
const ISSUE: &str = r#"{"type":"object","required":["title","owner"],"properties":{
    "title":{"type":"string","maxLength":256,"description":"Short name of the issue."},
    "body":{"type":"string"},
    "owner":{"type":"string"},
    "priority":{"enum":["low","normal","high"],"default":"normal"},
    "draft":{"type":"boolean","default":false},
    "labels":{"type":"array","items":{"type":"string"}},
    "milestone":{"type":"integer","minimum":1}}}"#;

fn with(tool: &str, schema: &str, args: &str) -> Stage {
    let mut stage = Stage::new(100, 30);
    stage.begin();
    stage.has_tool(tool, EffectClass::Write, &[]);
    let started = stage.model.run.state.started.as_mut().unwrap();
    let tools = &mut Arc::make_mut(started).tools;
    let card = tools.iter_mut().rfind(|card| &*card.name == tool).unwrap();
    card.schema = schema.into();
    stage.awaiting("c3", tool, args);
    stage.at_the_queue();
    stage.press("e");
    stage.commands();
    stage
}

fn issue(args: &str) -> Stage {
    with("create_issue", ISSUE, args)
}

fn editor(stage: &Stage) -> &Editor {
    stage.model.stack.top().expect("an editor")
}

/// The arguments that the edit sends.
fn sent(stage: &mut Stage) -> String {
    stage.press("ctrl-s");
    assert!(stage.model.stack.is_top::<Review>(), "{}", stage.status());
    stage.wait(ARMING);
    stage.press("enter");
    let edits = stage.commands().into_iter().find_map(|command| match command {
        Command::Edit(EditCommand::Commit { edits, .. }) => Some(edits),
        _ => None,
    });
    match edits.expect("a commit").as_slice() {
        [Edit::Call { node, base, args, .. }] => {
            assert_eq!((*node, *base), (id("c3"), Rev(1)));
            args.to_string()
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_command_is_edited_as_a_line_with_the_cursor_at_its_end() {
    let schema = r#"{"type":"object","required":["command"],"properties":{
        "cwd":{"type":"string","default":"."},"command":{"type":"string"},"timeout_s":{"type":"integer","default":120}}}"#;
    let mut stage = with("shell", schema, r#"{"command":"python3 -m unittest \"a b\""}"#);
    let text = stage.text();
    assert!(
        text.contains(r#"command     python3 -m unittest "a b""#),
        "{text}"
    );
    assert!(!text.contains(r#"\""#), "no JSON: {text}");
    assert!(
        text.contains("timeout_s") && text.contains("120") && text.contains("default"),
        "{text}"
    );
    stage.type_text(" -f");
    let text = stage.text();
    assert!(text.contains("─ change ─"), "{text}");
    assert!(text.contains(r#"+ python3 -m unittest "a b" -f"#), "{text}");
    assert_eq!(
        sent(&mut stage),
        r#"{"command":"python3 -m unittest \"a b\" -f"}"#
    );
}

#[test]
fn the_new_text_of_a_file_is_edited_as_text_with_the_difference_below() {
    let schema = r#"{"type":"object","required":["path","old","new"],"properties":{
        "path":{"type":"string"},"old":{"type":"string"},"new":{"type":"string"},"all":{"type":"boolean"}}}"#;
    let args = r#"{"path":"stats.py","old":"    return sum(xs) + 1","new":"    return sum(xs)"}"#;
    let mut stage = with("edit_file", schema, args);
    let text = stage.text();
    assert!(!text.contains("path *"), "the text alone: {text}");
    stage.type_text(" or 0");
    let text = stage.text();
    let has = |sign: &str, words: &str| {
        let mut rows = text.lines();
        rows.any(|row| row.trim_start().starts_with(sign) && row.ends_with(words))
    };
    assert!(
        has("−", "return sum(xs) + 1") && has("+", "return sum(xs) or 0"),
        "{text}"
    );
    // The other fields are a key away, and the text stays.
    stage.press("tab");
    let text = stage.text();
    assert!(text.contains(" path   stats.py"), "{text}");
    assert_eq!(
        sent(&mut stage),
        r#"{"path":"stats.py","old":"    return sum(xs) + 1","new":"    return sum(xs) or 0"}"#
    );
}

#[test]
fn fields_show_the_schema_and_what_is_given() {
    let mut stage = issue(r#"{"title":"a","body":"one\ntwo","owner":"acme","x":1,"y":2}"#);
    let text = stage.text();
    for row in [
        "title *     a",
        "owner *     acme",
        "body        one …",
        "2 lines",
        "low  [normal]  high",
        "draft       [ ]",
        "labels      not given",
        "milestone   not given",
        "2 more keys: ctrl-t",
        "title · text, required, at most 256 characters",
        "Short name of the issue.",
    ] {
        assert!(text.contains(row), "{row}: {text}");
    }
    stage.press("esc");
    assert!(
        stage.model.stack.is_empty(),
        "nothing was changed: {}",
        stage.status()
    );
}

#[test]
fn what_is_not_changed_keeps_its_bytes_and_what_is_cleared_goes() {
    let args = r#"{ "owner":"acme",  "title":"a", "labels":[ "b" ,"c" ], "x":1.0 }"#;
    let mut stage = issue(args);
    assert!(editor(&stage).is_unchanged());
    stage.type_text("!");
    assert_eq!(
        sent(&mut stage),
        r#"{"owner":"acme","title":"a!","labels":[ "b" ,"c" ],"x":1.0}"#
    );

    let mut stage = issue(args);
    stage.press("shift-tab");
    stage.type_text("7");
    assert!(stage.text().contains("milestone"), "{}", stage.text());
    stage.press("shift-tab alt-a backspace");
    assert_eq!(
        sent(&mut stage),
        r#"{"owner":"acme","title":"a","x":1.0,"milestone":7}"#,
        "the labels are cleared, the milestone is new"
    );
}

#[test]
fn choices_and_switches_are_turned_by_space_letters_and_arrows() {
    let mut stage = issue(r#"{"title":"a","owner":"b"}"#);
    stage.press("tab tab tab");
    assert_eq!(
        editor(&stage).fields.as_ref().unwrap().active().unwrap().name,
        "priority"
    );
    stage.press("h");
    assert!(stage.text().contains("low   normal  [high]"), "{}", stage.text());
    stage.press("space");
    assert!(stage.text().contains("[low]  normal   high"), "{}", stage.text());
    stage.press("right");
    assert!(stage.text().contains("low  [normal]  high"), "{}", stage.text());
    stage.press("q");
    assert!(stage.text().contains("low  [normal]  high"), "no value begins so");
    stage.press("tab space space");
    assert!(stage.text().contains("draft       [x]"), "{}", stage.text());
    assert_eq!(
        sent(&mut stage),
        r#"{"title":"a","owner":"b","priority":"normal","draft":true}"#
    );
}

#[test]
fn a_fault_is_shown_at_its_field_while_it_is_typed_and_nothing_is_sent() {
    let mut stage = issue(r#"{"title":"a","owner":"b"}"#);
    stage.press("shift-tab");
    stage.type_text("0");
    let text = stage.text();
    assert!(text.contains("/milestone"), "{text}");
    stage.press("ctrl-s");
    assert!(stage.status().contains("milestone"), "{}", stage.status());
    stage.press("backspace");
    stage.type_text("x");
    let text = stage.text();
    assert!(text.contains("/milestone is not JSON"), "{text}");
    stage.press("ctrl-s");
    assert!(!stage.model.stack.is_top::<Review>());
    assert_eq!(stage.commands(), []);
}

#[test]
fn json_and_back_loses_nothing() {
    let args = r#"{"title":"a","owner":"b","x":{"deep":[1,2.50]},"_as":"one"}"#;
    let mut stage = issue(args);
    stage.type_text("!");
    stage.press("ctrl-t");
    let shown = editor(&stage).field.text();
    assert!(
        shown.contains("\"title\": \"a!\"") && shown.contains("2.50"),
        "{shown}"
    );
    assert!(editor(&stage).fields.is_none());
    stage.press("ctrl-t");
    assert!(stage.text().contains("title *     a!"), "{}", stage.text());
    assert!(stage.text().contains("2 more keys"), "{}", stage.text());
    assert_eq!(
        sent(&mut stage),
        r#"{"title":"a!","owner":"b","x":{"deep":[1,2.50]},"_as":"one"}"#
    );

    let mut stage = issue(args);
    stage.press("ctrl-t ctrl-t");
    assert!(editor(&stage).is_unchanged());
    stage.press("ctrl-t ctrl-end backspace ctrl-t");
    assert!(stage.status().contains("not JSON"), "{}", stage.status());
    assert!(
        editor(&stage).fields.is_none(),
        "what is no JSON stays as it is typed"
    );
}

#[test]
fn the_editor_of_the_operator_gets_the_text_of_the_field() {
    let mut stage = issue(r#"{"title":"a","body":"one\ntwo","owner":"b"}"#);
    stage.press("tab tab");
    stage.out.clear();
    stage.press("ctrl-o");
    assert!(
        stage.out.contains(&Out::Edit("one\ntwo".into())),
        "{:?}",
        stage.out
    );
}

#[test]
fn what_fields_cannot_express_is_edited_as_json() {
    for args in [r#"["a"]"#, r#"{"title":"a","title":"b"}"#, "not json"] {
        let args: Arc<str> = args.into();
        let schema = serde_json::from_str(ISSUE).unwrap();
        assert!(ArgFields::new("create_issue", &schema, &args).is_none(), "{args}");
    }
    let stage = with("other", r#"{"type":"object"}"#, r#"{"a":1}"#);
    assert!(editor(&stage).fields.is_none());
    // A value of another type than the schema says is edited as the value that it is.
    let stage = issue(r#"{"title":{"$ref":1},"owner":"b"}"#);
    assert!(stage.model.stack.is_top::<Editor>());
    let fields = editor(&stage).fields.as_ref().unwrap();
    assert_eq!(
        fields.composed(&editor(&stage).for_external()),
        r#"{"title":{"$ref":1},"owner":"b"}"#
    );
}
