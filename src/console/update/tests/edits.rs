//! Tests editors: what they send, when they preview an edit, and that no text is lost.

use crate::kernel::msg::{EditedFile, Msg};
use crate::run::link::Update;
use crate::surfaces::editor::state::Editor;
use crate::surfaces::review::Review;
use crate::testing::{ARMING, Stage, id};
use overrule_domain::call::{EffectClass, Outcome};
use overrule_domain::command::{Command, Edit, EditCommand, InsertAfter};
use overrule_domain::envelope::Actor;
use overrule_domain::event::{EditEvent, Event};
use overrule_domain::id::{Epoch, Rev};
use overrule_domain::refusal::{Refusal, RefusalKind};

const ARGS: &str = r#"{"path":"a","content":"1.10 \u0041"}"#;

pub(super) fn waiting() -> Stage {
    let mut stage = Stage::new(100, 40);
    stage.begin();
    stage.thought("t2", "first\u{202e} this\r\n");
    stage.awaiting("c3", "write_file", ARGS);
    stage.draw();
    stage.press("2");
    stage.wait(ARMING);
    stage
}

pub(super) fn editor(stage: &mut Stage) -> &mut crate::surfaces::editor::state::Editor {
    match stage.model.stack.top_mut::<Editor>() {
        Some(editor) => editor,
        other => panic!("no editor but {other:?}"),
    }
}

/// What `$EDITOR` left, in a file.
pub(super) fn edited(text: impl Into<String>) -> Msg {
    let (text, file) = (text.into(), "/w/edit.txt".into());
    Msg::Edited(Ok(EditedFile { text, file }))
}

pub(super) fn edits(stage: &mut Stage) -> Vec<Edit> {
    stage
        .commands()
        .into_iter()
        .filter_map(|command| match command {
            Command::Edit(EditCommand::Commit { edits, .. }) => Some(edits),
            _ => None,
        })
        .flatten()
        .collect()
}

#[test]
fn an_open_editor_suspends_the_descendants_of_its_node() {
    let mut stage = waiting();
    stage.press("e");
    assert_eq!(
        stage.commands(),
        [Command::Edit(EditCommand::Hold { node: id("c3") })]
    );
    stage.press("esc");
    let release = EditCommand::Release { node: Some(id("c3")) };
    assert_eq!(stage.commands(), [Command::Edit(release)]);
}

#[test]
fn what_was_not_changed_is_not_sent() {
    let mut stage = waiting();
    stage.press("e");
    stage.commands();
    stage.press("ctrl-s");
    assert_eq!(stage.commands(), []);
    assert!(stage.status().contains("Nothing changed"), "{}", stage.status());
}

#[test]
fn changed_arguments_keep_the_bytes_of_the_others_and_go_out_after_the_preview() {
    let mut stage = waiting();
    stage.press("e ctrl-t");
    stage.commands();
    let text = editor(&mut stage).field.shown().replace("\"a\"", "\"b\"");
    editor(&mut stage).field.replace(&text);
    stage.press("ctrl-s");
    assert!(stage.model.stack.is_top::<Review>());
    stage.press("enter");
    assert_eq!(
        edits(&mut stage),
        [],
        "the preview was not on screen for long enough"
    );
    stage.wait(ARMING);
    stage.press("enter");
    let mut sent = stage.commands();
    let command = sent.pop().unwrap();
    assert_eq!(sent, []);
    let Command::Edit(EditCommand::Commit { edits: made, .. }) = &command else {
        panic!("{command:?}");
    };
    assert_eq!(
        *made,
        [Edit::Call {
            node: id("c3"),
            base: Rev(1),
            tool: "write_file".into(),
            args: r#"{"path":"b","content":"1.10 \u0041"}"#.into(),
            shown: true,
        }]
    );
    stage.press("enter");
    assert_eq!(edits(&mut stage), [], "it is sent once");
    stage.event(Actor::Operator("eve".into()), committed());
    assert_eq!(
        stage.model.stack.len(),
        2,
        "what another hand commits closes nothing of mine"
    );
    assert_eq!(stage.commands(), [], "what is on its way is not held again");
    stage.send(Msg::Run(Update::Taken(Box::new(command))));
    assert!(stage.model.stack.is_empty());
    assert_eq!(stage.commands(), []);
}

#[test]
fn what_was_carried_out_closes_the_preview_that_it_was_sent_from_and_no_other() {
    let mut stage = waiting();
    stage.press("1 g j e X ctrl-s");
    stage.wait(ARMING);
    stage.press("enter");
    let command = stage.commands().pop().unwrap();
    // Its preview was closed, the text was edited further, and another preview is open.
    stage.press("esc Y ctrl-s");
    assert!(stage.model.stack.len() == 2 && stage.model.stack.is_top::<Review>());
    stage.send(Msg::Run(Update::Taken(Box::new(command.clone()))));
    assert!(
        stage.model.stack.len() == 2 && stage.model.stack.is_top::<Review>(),
        "{}",
        stage.text()
    );
    stage.wait(ARMING);
    stage.press("enter");
    let second = stage.commands().pop().unwrap();
    assert_ne!(second, command);
    stage.send(Msg::Run(Update::Taken(Box::new(second))));
    assert!(stage.model.stack.is_empty());
}

fn committed() -> Event {
    Event::Edit(EditEvent::Committed {
        epoch: Epoch(1),
        intervention: id("i9"),
        target: None,
        after: None,
        what: "add guidance".into(),
        reason: None,
        by: None,
    })
}

#[test]
fn what_is_refused_after_another_commit_waits_again() {
    let mut stage = waiting();
    stage.press("e");
    editor(&mut stage).field.replace(r#"{"path":"b","content":"c"}"#);
    stage.press("ctrl-s");
    stage.wait(ARMING);
    stage.press("enter");
    let commit = stage.commands().pop().unwrap();
    stage.event(Actor::Operator("eve".into()), committed());
    let hold = EditCommand::Hold { node: id("c3") };
    let why = || Refusal::new(RefusalKind::Changed, "effects were added");
    stage.refuse(Command::Edit(hold), why());
    assert_eq!(stage.commands(), [], "the commit has no answer yet");
    stage.refuse(commit, why());
    assert_eq!(stage.model.stack.len(), 2, "the preview and the text stay");
    assert_eq!(
        stage.commands(),
        [Command::Edit(EditCommand::Hold { node: id("c3") })]
    );
}

#[test]
fn arguments_that_do_not_fit_the_schema_are_refused_while_they_are_typed() {
    let mut stage = waiting();
    stage.press("e ctrl-t");
    stage.commands();
    editor(&mut stage).field.replace(r#"{"path": 7}"#);
    stage.press("end");
    stage.press("space");
    let faults = editor(&mut stage).faults.clone();
    assert!(faults.len() >= 2, "wrong type and missing content: {faults:?}");
    let text = stage.text();
    assert!(text.contains("/path"), "{text}");
    stage.press("ctrl-s");
    assert!(stage.model.stack.is_top::<Editor>());
    assert_eq!(stage.commands(), []);
}

#[test]
fn invalid_json_is_reported_with_its_place() {
    let mut stage = waiting();
    stage.press("e ctrl-t x");
    let fault = editor(&mut stage).faults[0].message.clone();
    assert!(fault.contains("line 1, column 1"), "{fault}");
}

#[test]
fn a_thought_keeps_what_is_invisible_in_it() {
    let mut stage = waiting();
    stage.press("1 g j e");
    stage.commands();
    assert!(editor(&mut stage).field.shown().contains("⟨U+202E⟩"));
    stage.press("ctrl-home home X ctrl-s");
    stage.wait(ARMING);
    stage.press("enter");
    assert_eq!(
        edits(&mut stage),
        [Edit::Text {
            node: id("t2"),
            base: Rev(1),
            text: "Xfirst\u{202e} this\r\n".into(),
        }]
    );
}

#[test]
fn the_preview_lists_what_is_superseded_and_what_stays() {
    let mut stage = waiting();
    stage.finished("c4", "read_file", r#"{"path":"z"}"#, Outcome::ok("1"));
    stage.press("1 g j e ctrl-home home X ctrl-s");
    let text = stage.text();
    assert!(text.contains("superseded"), "{text}");
    assert!(text.contains("superseded      c3 c4\n"), "{text}");
    assert!(text.contains("+ Xfirst"), "{text}");
    stage.press("esc");
    assert!(stage.model.stack.is_top::<Editor>(), "back to the text");
    assert_eq!(edits(&mut stage), []);
}

#[test]
fn an_observation_is_corrected_as_its_text() {
    let mut stage = waiting();
    stage.finished("c4", "read_file", r#"{"path":"z"}"#, Outcome::ok("\"old\""));
    stage.press("1 G o");
    assert_eq!(editor(&mut stage).field.shown(), "old");
    stage.commands();
    stage.press("ctrl-home home X ctrl-s");
    stage.wait(ARMING);
    stage.press("enter");
    assert_eq!(
        edits(&mut stage),
        [Edit::Observation {
            node: id("o4"),
            base: Rev(1),
            value: "\"Xold\"".into()
        }]
    );
}

#[test]
fn another_tool_takes_over_arguments_by_name() {
    let mut stage = waiting();
    stage.press("r");
    stage.type_text("read");
    stage.press("enter ctrl-t");
    assert_eq!(editor(&mut stage).field.shown(), "{\n  \"path\": \"a\"\n}");
    stage.commands();
    stage.press("ctrl-s");
    stage.wait(ARMING);
    stage.press("enter");
    let edits = edits(&mut stage);
    assert!(
        matches!(edits.as_slice(), [Edit::Call { tool, args, .. }] if &**tool == "read_file" && **args == *r#"{"path":"a"}"#),
        "{edits:?}"
    );
}

#[test]
fn thoughts_and_calls_can_be_inserted_and_nodes_taken_away() {
    let mut stage = waiting();
    stage.press("I");
    stage.type_text("wait");
    stage.press("ctrl-s");
    stage.wait(ARMING);
    stage.press("enter");
    assert!(matches!(
        edits(&mut stage).as_slice(),
        [Edit::InsertThought { after: Some(InsertAfter::Node(node)), .. }] if *node == id("c3")
    ));

    let mut stage = waiting();
    stage.press("ctrl-n");
    stage.type_text("read");
    stage.press("enter ctrl-s");
    stage.wait(ARMING);
    stage.press("enter");
    let inserted = edits(&mut stage);
    assert!(
        matches!(inserted.as_slice(), [Edit::InsertCall { tool, .. }] if &**tool == "read_file"),
        "{inserted:?}"
    );

    let mut stage = waiting();
    stage.press("D");
    stage.wait(ARMING);
    stage.press("enter");
    assert_eq!(
        edits(&mut stage),
        [Edit::Delete {
            node: id("c3"),
            base: Rev(1)
        }]
    );
}

#[test]
fn a_refused_edit_keeps_its_text() {
    let mut stage = waiting();
    stage.press("1 g j e ctrl-home home X ctrl-s");
    stage.wait(ARMING);
    stage.press("enter");
    stage.refuse_last(
        overrule_domain::refusal::RefusalKind::Effects,
        "2 effects happened since the preview",
    );
    stage.draw();
    assert!(stage.model.stack.is_top::<Review>());
    stage.press("esc");
    assert!(editor(&mut stage).field.shown().starts_with("Xfirst"));
}

#[test]
fn a_paste_goes_into_the_editor_with_its_line_breaks() {
    let mut stage = waiting();
    stage.guidance();
    stage.paste("one\r\ntwo\u{200b}");
    assert_eq!(editor(&mut stage).field.text(), "one\ntwo\u{200b}");
    assert!(editor(&mut stage).field.shown().contains("⟨U+200B⟩"));
}

#[test]
fn a_preview_shows_when_its_commit_approves_only_after_reading() {
    for (effect, tag, once_read) in [
        (EffectClass::Read, "", false),
        (EffectClass::Read, "external", true),
        (EffectClass::Idempotent, "", true),
        (EffectClass::Write, "", true),
    ] {
        let mut stage = waiting();
        if let Some(started) = &mut stage.model.run.state.started {
            let started = std::sync::Arc::make_mut(started);
            let card = started.tools.iter_mut().find(|card| &*card.name == "write_file");
            let card = card.unwrap();
            card.effect = effect;
            card.tags.push(tag.to_owned());
        }
        stage.press("e");
        stage.edit_field(r#"{"path":"b","content":"x"}"#);
        stage.press("ctrl-s");
        let text = stage.flat();
        assert!(text.contains("c3 runs on enter"), "{text}");
        assert_eq!(
            text.contains("it asks first unless all rows here were on screen"),
            once_read,
            "{text}"
        );
    }
}

#[test]
fn a_preview_shows_where_an_insertion_goes() {
    for (keys, words) in [
        ("1 g j I", "goes after t2 I will read."),
        ("1 g j M", "goes after turn 2, after c3 read_file a"),
    ] {
        let mut stage = Stage::new(100, 30);
        stage.two_turns();
        stage.draw();
        stage.press(keys);
        stage.type_text("look elsewhere");
        stage.press("ctrl-s");
        let text = stage.flat();
        assert!(text.contains(words), "{keys}: {text}");
    }
}

#[test]
fn a_preview_counts_what_falls_as_the_row_of_the_graph_does_afterwards() {
    let mut stage = Stage::new(100, 40);
    stage.two_turns();
    let row = |stage: &mut Stage, by: &str| -> usize {
        let text = stage.text();
        let end = text
            .find(&format!(" superseded by {by}"))
            .unwrap_or_else(|| panic!("{text}"));
        text[..end]
            .rsplit(' ')
            .next()
            .and_then(|count| count.parse().ok())
            .unwrap()
    };
    stage.press("1 g j e");
    stage.edit_field("I will look elsewhere.");
    stage.press("ctrl-s");
    let Some(review) = stage.model.stack.top::<Review>() else {
        panic!("no preview");
    };
    let falls = review.known().unwrap().superseded.len();
    assert!(falls > 1);
    stage.wait(ARMING);
    stage.press("enter");
    stage.carry_out();
    assert_eq!(row(&mut stage, "i"), falls);
}
