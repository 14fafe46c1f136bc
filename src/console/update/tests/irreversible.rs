//! Tests that approving an irreversible call needs the name of its tool.

use super::arming::approve;
use crate::ground::term_msg::TermMsg;
use crate::kernel::msg::Msg;
use crate::testing::{ARMING, Stage, id};
use overrule_domain::call::{Digest, Shown, ShownForm};
use overrule_domain::command::{CallCommand, Command, ConsentChoice};
use overrule_domain::id::Rev;

/// An irreversible call that was on screen for long enough.
fn irreversible() -> Stage {
    let mut stage = Stage::new(100, 30);
    stage.begin();
    stage.awaiting("c3", "launch", r#"{"to":"orbit"}"#);
    stage.draw();
    stage.press("2");
    stage.wait(ARMING);
    stage
}

/// The same command with the typed name of the tool.
fn with_word(command: Command, typed: &str) -> Command {
    let Command::Call(mut command) = command else {
        panic!("{command:?}");
    };
    if let CallCommand::Approve { word, .. } | CallCommand::Consent { word, .. } = &mut command {
        *word = Some(typed.into());
    }
    Command::Call(command)
}

#[test]
fn what_cannot_be_undone_wants_the_name_of_its_tool() {
    let mut stage = irreversible();
    stage.press("a");
    assert_eq!(stage.commands(), []);
    assert!(stage.text().contains("type launch to approve c3:"));
    stage.press("enter");
    stage.type_text("lunch");
    stage.press("enter");
    assert_eq!(stage.commands(), []);
    assert!(stage.status().contains("not the name"), "{}", stage.status());
    stage.press("esc");
    assert_eq!(stage.commands(), [], "given up");
    stage.wait(ARMING);
    stage.press("a");
    stage.type_text("launch");
    stage.press("enter");
    assert_eq!(stage.commands(), [with_word(approve(3, 1, 0), "launch")]);
}

#[test]
fn the_name_cannot_be_pasted_without_bracketed_paste() {
    let mut stage = irreversible();
    stage.press("a");
    let at = stage.now;
    let keys = ["l", "a", "u", "n", "c", "h", "enter"];
    let keys = keys.map(|key| (key.parse().unwrap(), at));
    stage.send(Msg::Term(TermMsg::Keys(keys.to_vec())));
    assert_eq!(stage.commands(), []);
    assert!(
        stage.status().contains("A paste decides nothing"),
        "{}",
        stage.status()
    );
    assert!(!stage.model.stack.is_empty(), "it still asks");
}

#[test]
fn the_name_cannot_be_pasted() {
    let mut stage = irreversible();
    stage.press("a");
    stage.paste("launch\n");
    stage.press("enter");
    assert_eq!(stage.commands(), []);
    assert!(!stage.model.stack.is_empty(), "it still asks");
}

#[test]
fn nor_does_it_happen_again_without() {
    let mut stage = irreversible();
    stage.consent("c3");
    stage.draw();
    stage.wait(ARMING);
    stage.press("enter");
    stage.wait(ARMING);
    stage.press("R");
    assert_eq!(stage.commands(), []);
    assert!(
        stage.text().contains("type launch to approve c3:"),
        "{}",
        stage.text()
    );
    stage.type_text("launch");
    stage.press("enter");
    let again = Command::Call(CallCommand::Consent {
        call: id("c3"),
        rev: Rev(1),
        digest: Digest("digest-of-c3-r1".into()),
        choice: ConsentChoice::RunAgain,
        shown: Some(Shown {
            form: ShownForm::Fields,
            base: None,
        }),
        word: None,
    });
    assert_eq!(stage.commands(), [with_word(again, "launch")]);
}
