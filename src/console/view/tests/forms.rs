//! Pictures of forms, of the list of ready rules, of the next task, and of a preview.

use super::decisions::pictured;
use crate::kernel::msg::Msg;
use crate::testing::{ARMING, Stage};

/// The sizes of a picture that also has a wide form.
const SIZES: [(&str, (u16, u16)); 2] = [("80x24", (80, 24)), ("160x50", (160, 50))];

/// An open form on a call that waits.
fn form(stage: &mut Stage, call: &str) {
    stage.four_wait();
    stage.on(call);
    stage.wait(ARMING);
    stage.press("e");
}

#[test]
fn the_arguments_of_a_server_are_fields() {
    pictured("form_server_80x24", (80, 24), |stage| form(stage, "c11"));
}

#[test]
fn a_command_is_a_line_with_its_change() {
    pictured("form_shell_80x24", (80, 24), |stage| {
        form(stage, "c9");
        stage.type_text(" -f");
    });
}

#[test]
fn the_text_of_a_file_is_alone_with_its_difference() {
    for (size, area) in SIZES {
        pictured(&format!("form_file_{size}"), area, |stage| {
            form(stage, "c8");
            stage.press("alt-a");
            stage.paste("    return sum(xs) / max(len(xs), 1)\n");
        });
    }
}

#[test]
fn ready_rules_name_the_calls_that_they_decide() {
    pictured("ready_rules_80x24", (80, 24), |stage| {
        stage.four_wait();
        stage.on("c9");
        stage.wait(ARMING);
        stage.press("+");
    });
}

#[test]
fn the_next_task_is_typed_below_the_answer() {
    for (size, area) in SIZES {
        pictured(&format!("next_task_{size}"), area, |stage| {
            stage.answers();
            stage.press("i");
            let names: Vec<String> = ["stats.py", "tests/test_stats.py", "other"]
                .map(String::from)
                .into();
            stage.send(Msg::Names(names.into()));
            stage.send(Msg::Tasks(vec!["fix the failing tests".into()]));
            stage.type_text("also test spread in @sta");
        });
    }
}

#[test]
fn the_preview_of_an_undo_says_all_that_it_does() {
    for (size, area) in SIZES {
        pictured(&format!("undo_rewrite_{size}"), area, |stage| {
            stage.failures();
            stage.rewrite("t12", "I run the slow tests too. Then I add a docstring.");
            stage.draw();
            stage.press("u");
            stage.wait(ARMING);
        });
    }
}
