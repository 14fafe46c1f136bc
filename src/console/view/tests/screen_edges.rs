//! Tests text at the edges of the screen: a cut is marked, and labels stay with their subject.

use crate::kernel::model::Source;
use crate::kernel::msg::Msg;
use crate::run::link::{At, Update};
use crate::testing::{ARMING, Stage, flat, id};
use overrule_domain::event::run::Confinement;
use overrule_domain::event::{CallEvent, EditEvent, Event, ResilienceEvent, RunEvent};
use overrule_domain::id::Rev;
use overrule_domain::node::{Content, Origin};
use overrule_domain::sandbox::{Guarantee, Level, Missing, Profile};

const LONG: &str = "c4 still runs as process 25142, started before the interruption. End it and what it \
                    started with `kill -- -25142`, or wait for it.";

/// The rows of the screen, from the last one up.
fn from_below(stage: &mut Stage) -> Vec<String> {
    let text = stage.text();
    text.lines().rev().map(|row| row.trim().to_owned()).collect()
}

#[test]
fn a_long_message_stands_above_the_keys_until_the_next_key() {
    let mut stage = Stage::new(80, 24);
    stage.sample();
    stage.model.complain(LONG);
    let rows = from_below(&mut stage);
    assert!(rows[2].starts_with("c4 still runs as process 25142"), "{rows:?}");
    assert!(rows[1].contains("`kill -- -25142`, or wait for it."), "{rows:?}");
    let keys = rows[0].clone();
    assert!(
        keys.starts_with("a approve") && keys.ends_with("? help"),
        "{keys}"
    );
    stage.press("down");
    let rows = from_below(&mut stage);
    assert!(
        !rows[1].contains("kill") && rows[0].contains("i guide"),
        "{rows:?}"
    );
}

#[test]
fn a_word_goes_over_as_many_rows_as_it_needs_and_moves_no_pane_off_the_screen() {
    for (width, height, rows) in [(40, 12, 2), (40, 24, 4), (80, 24, 4), (120, 40, 5)] {
        let mut stage = Stage::new(width, height);
        stage.sample();
        stage.draw();
        let before = stage.model.screen.places;
        let words: Vec<String> = (0..usize::from(width) * rows / 5)
            .map(|no| format!("w{no:03}"))
            .collect();
        // One row of the rows is that of the keys.
        stage.model.complain(words[..words.len() - 4].join(" "));
        let text = flat(&stage.text());
        for word in &words[..words.len() - 4] {
            assert!(
                text.contains(word),
                "{width}x{height}: {word} in\n{}",
                stage.text()
            );
        }
        assert!(text.ends_with("? help"), "{text}");
        let now = stage.model.screen.places;
        assert_eq!(
            (before.graph.is_some(), before.inspector.is_some()),
            (now.graph.is_some(), now.inspector.is_some())
        );
        assert!(now.body.height < before.body.height, "{width}x{height}");
        let logged = stage.model.log.shown().count();
        stage.press("1");
        stage.draw();
        assert_eq!(stage.model.screen.places, before, "the rows are given back");
        assert_eq!(stage.model.log.shown().count(), logged);
    }
}

#[test]
fn what_has_no_room_on_the_screen_is_read_in_the_log() {
    for (width, height) in [(40, 12), (40, 16), (80, 24)] {
        let mut stage = Stage::new(width, height);
        stage.sample();
        let long = format!("{}{LONG}", "a word before it; ".repeat(20));
        stage.model.complain(long.as_str());
        stage.draw();
        let rows = from_below(&mut stage);
        // Where one row is all that there is, the keys come back with the next key.
        let has_keys = stage.model.screen.places.status.height > 1;
        let row = usize::from(has_keys);
        assert!(rows[row].contains("… L: all of it"), "{width}x{height}: {rows:?}");
        assert_eq!(
            rows[0].ends_with("? help"),
            has_keys,
            "{width}x{height}: {rows:?}"
        );
        let is_whole = |line: &&crate::kernel::log::Line| matches!(line, crate::kernel::log::Line::Problem(words) if *words == long);
        let logged = |stage: &Stage| {
            let lines = stage.model.log.shown().map(|(_, line)| line);
            lines.filter(is_whole).count()
        };
        stage.draw();
        assert_eq!(logged(&stage), 1, "once, however often it is drawn");
        stage.press("L enter G");
        let text = flat(&stage.text());
        assert!(text.contains("or wait for it."), "{width}x{height}: {text}");
    }
    // A message that fits is not logged.
    let mut stage = Stage::new(80, 24);
    stage.sample();
    let before = stage.model.log.shown().count();
    stage.model.complain(LONG);
    stage.draw();
    assert_eq!(stage.model.log.shown().count(), before);
}

#[test]
fn a_low_screen_gives_a_long_word_a_second_row() {
    let mut stage = Stage::new(40, 12);
    stage.sample();
    stage
        .model
        .complain("c6 is in front of you now: press the key again to decide");
    let rows = from_below(&mut stage);
    assert_eq!(rows[2], "c6 is in front of you now: press the");
    assert!(rows[1].starts_with("key again to decide"), "{rows:?}");
    assert!(rows[0].ends_with("? help"), "{rows:?}");
    stage.press("down");
    let rows = from_below(&mut stage);
    assert!(rows.iter().all(|row| !row.contains("decide")), "{rows:?}");
}

#[test]
fn what_a_small_screen_refuses_is_not_offered() {
    for (width, offered) in [(39, false), (40, true)] {
        let mut stage = Stage::new(width, 24);
        stage.sample();
        stage.at_the_queue();
        let rows = from_below(&mut stage);
        assert_eq!(rows[0].contains("approve"), offered, "{width}: {rows:?}");
    }
}

#[test]
fn a_replay_shows_its_position_once() {
    let place = |speed| {
        Msg::Run(Update::At(At {
            event: 395,
            of: 9526,
            speed,
        }))
    };
    // In the title of the graph, or in the header where that has another title.
    for (width, keys, line) in [(40, "1", 1), (120, "1", 1), (120, "1 J", 0)] {
        let mut stage = Stage::with(width, 24, |settings| {
            settings.source = Source::Replay;
        });
        stage.sample();
        stage.send(place(None));
        stage.press(keys);
        let text = stage.text();
        let shown = text.lines().nth(line).unwrap();
        assert!(shown.contains("#395 of 9526, paused"), "{text}");
        assert_eq!(text.matches("of 9526").count(), 1, "{text}");
        assert!(!stage.model.run.playing && stage.status().is_empty());
        stage.send(place(Some(2.0)));
        let text = stage.text();
        let shown = text.lines().nth(line).unwrap();
        assert!(shown.contains("#395 of 9526, 2x"), "{text}");
        assert!(stage.model.run.playing);
    }
}

#[test]
fn a_short_header_field_is_shown_where_a_longer_one_does_not_fit() {
    let mut stage = Stage::new(56, 24);
    stage.sample();
    stage.model.run.state.settings.title = Some("a name that is longer than all of the room".into());
    let text = stage.text();
    let header = text.lines().next().unwrap();
    assert!(
        header.contains("no sandbox") && header.contains(" a name that") && !header.contains("overrule"),
        "{header}"
    );
}

#[test]
fn the_log_reports_when_nothing_can_be_repaired() {
    let mut stage = Stage::new(120, 40);
    stage.begin();
    stage.proposed("c3", "read_file", r#"{"path":"a"}"#);
    stage.engine(Event::Resilience(ResilienceEvent::RepairDiagnosed {
        call: id("c3"),
        round: 1,
        diagnoses: Vec::new(),
    }));
    stage.press("L");
    let text = stage.text();
    assert!(text.contains("c3: found nothing to repair"), "{text}");
}

#[test]
fn text_cut_at_two_places_is_marked_once() {
    let mut stage = Stage::new(80, 24);
    stage.begin();
    for room in 30..80 {
        let line = crate::ground::doc::Styled::new()
            .untrusted(crate::ground::theme::Role::Text, &"a".repeat(90), room)
            .own(crate::ground::theme::Role::Dim, " and more of it");
        let area = ratatui::layout::Rect::new(0, 0, 40, 1);
        let mut buf = ratatui::buffer::Buffer::empty(area);
        let look = stage.model.settings.look.clone();
        let mut canvas = crate::ground::paint::Canvas {
            buf: &mut buf,
            look: &look,
        };
        canvas.row(area, &line, '…');
        let text = crate::testing::text_of(&buf);
        assert!(text.contains('…') && !text.contains("……"), "{room}: {text}");
    }
}

#[test]
fn a_notice_does_not_hide_the_one_before_it() {
    let mut stage = Stage::new(80, 24);
    stage.sample();
    stage.send(Msg::Run(Update::Notice("c4 still runs".to_owned())));
    assert_eq!(stage.status(), "c4 still runs");
    stage.send(Msg::Run(Update::Notice("c5 still runs".to_owned())));
    assert_eq!(stage.status(), "2 notices, see the log: c5 still runs");
    stage.press("down");
    stage.send(Msg::Run(Update::Notice("c6 still runs".to_owned())));
    assert_eq!(stage.status(), "c6 still runs");
}

#[test]
fn a_line_of_the_log_that_is_too_long_is_read_whole() {
    let mut stage = Stage::new(80, 24);
    stage.sample();
    stage.send(Msg::Run(Update::Notice(format!("{LONG}\u{202e}"))));
    stage.press("4");
    let text = stage.text();
    let row = text.lines().find(|row| row.contains("still runs")).unwrap();
    assert!(row.trim_end().ends_with('…'), "{row}");
    assert!(text.contains("enter read it"), "{text}");
    stage.press("enter");
    let text = stage.text();
    assert!(text.contains("kill -- -25142`, or wait for it."), "{text}");
    assert!(text.contains("⟨U+202E⟩"), "{text}");
}

#[test]
fn a_question_is_shown_whole_on_any_narrow_screen() {
    for width in [40, 80] {
        let mut stage = Stage::new(width, 24);
        stage.sample();
        stage.press("1 &");
        let text = stage.text();
        assert!(text.contains("!not"), "{text}");
        assert!(text.contains("show only"), "{text}");
    }
}

#[test]
fn the_header_shows_the_sandbox_level_next_to_a_question() {
    for width in [40, 48, 80] {
        let mut stage = Stage::new(width, 24);
        stage.sample();
        for edits in [false, true] {
            let text = stage.text();
            let header = text.lines().next().unwrap();
            assert!(
                header.contains("no sandbox") && header.contains("◎ 1"),
                "{width}, {edits}: {header}"
            );
            stage.press("1 g j e");
            stage.type_text("!");
            stage.press("ctrl-g");
        }
    }
}

#[test]
fn the_header_shows_how_the_children_of_a_run_are_confined() {
    let partial = Missing {
        guarantee: Guarantee::Attributes,
        why: "no user namespaces".into(),
    };
    for (level, missing, is) in [
        (Level::Off, Vec::new(), "no sandbox"),
        (Level::Workspace, Vec::new(), "sandbox 1"),
        (Level::Workspace, vec![partial.clone()], "sandbox 1 partial"),
        (Level::Scratch, Vec::new(), "sandbox 2"),
    ] {
        let mut stage = Stage::new(140, 24);
        stage.sample();
        let mut started = (**stage.model.run.state.started.as_ref().unwrap()).clone();
        started.sandbox = Confinement::from(Profile {
            level,
            missing,
            ..Profile::default()
        });
        stage.engine(Event::Run(RunEvent::Refitted {
            started: Box::new(started),
        }));
        let text = stage.text();
        let header = text.lines().next().unwrap();
        assert!(header.contains(is), "{is}: {header}");
        assert_eq!(header.contains("partial"), is.contains("partial"), "{header}");
    }
}

#[test]
fn the_help_explains_the_sandbox_level_of_the_header() {
    let mut stage = Stage::new(120, 40);
    stage.sample();
    stage.press("? G");
    // The header says it too, and is no explanation.
    let text = stage.text();
    assert!(
        text.contains("sandbox: how commands of the agent are confined."),
        "{text}"
    );
}

#[test]
fn a_row_of_the_queue_shows_no_other_revision_than_it_names() {
    let mut stage = Stage::new(80, 24);
    stage.begin();
    stage.awaiting("c3", "write_file", r#"{"path":"first","content":"b"}"#);
    stage.draw();
    stage.press("2");
    stage.engine(Event::Edit(EditEvent::Revised {
        node: id("c3"),
        rev: Rev(2),
        content: Content::Call {
            tool: "write_file".into(),
            args: r#"{"path":"second","content":"b"}"#.into(),
        },
        origin: Origin::Operator { user: "eve".into() },
        approves: None,
    }));
    stage.ready("c3", 2);
    stage.start("c3");
    let text = stage.text();
    let row = text.lines().find(|row| row.contains("c3 (now")).unwrap();
    assert!(row.contains("(now revision 2: "), "{row}");
    assert!(!row.contains("second"), "{row}");
}

#[test]
fn what_cannot_be_committed_is_not_offered() {
    let mut stage = Stage::new(80, 24);
    stage.two_turns();
    stage.press("1 g e");
    stage.type_text("x");
    stage.press("ctrl-s");
    stage.wait(ARMING);
    assert!(from_below(&mut stage)[0].contains("enter commit"));
    // Meanwhile another operator changed the base of the edit.
    stage.engine(Event::Edit(EditEvent::Revised {
        node: id("p1"),
        rev: Rev(2),
        content: Content::Text {
            text: "other".into(),
            channel: overrule_domain::node::Channel::Spoken,
            opaque: None,
        },
        origin: Origin::Operator { user: "eve".into() },
        approves: None,
    }));
    let text = stage.text();
    assert!(text.contains("not possible"), "{text}");
    let keys = &from_below(&mut stage)[0];
    assert!(!keys.contains("commit") && !keys.contains("reason"), "{keys}");
}

#[test]
fn a_question_shows_that_the_arguments_are_not_from_the_model() {
    let mut stage = Stage::new(80, 24);
    stage.begin();
    stage.awaiting("c3", "write_file", r#"{"path":"first","content":"b"}"#);
    stage.press("2");
    assert!(!stage.text().contains("changed"), "{}", stage.text());
    stage.awaiting_revised(
        "c3",
        ("write_file", r#"{"path":"second","content":"b"}"#),
        Origin::Repair { attempt: 1 },
    );
    // The row of the first revision no longer waits: the cursor goes to that of the second.
    stage.press("down");
    let text = stage.text();
    assert!(text.contains("┏━ c3 revision 2 writes second"), "{text}");
    assert!(text.contains("changed    by repair 1, from byte 9 on"), "{text}");
}

#[test]
fn a_question_shows_that_the_tool_is_not_the_one_the_model_chose() {
    let mut stage = Stage::new(50, 30);
    stage.begin();
    let args = r#"{"page":"5"}"#;
    stage.awaiting("c3", "mirror_a", args);
    stage.press("2");
    stage.awaiting_revised(
        "c3",
        ("mirror_b", args),
        Origin::Engine {
            rule: "loop guard".into(),
        },
    );
    stage.press("down");
    let text = stage.text();
    // Nothing of it is cut off at the edge.
    let words = flat(&text.replace('┃', " "));
    assert!(
        words.contains(
            "changed by the engine (loop guard): another tool than mirror_a; the tab revisions shows how"
        ),
        "{text}"
    );
}

#[test]
fn resolving_an_unknown_outcome_warns_of_a_process_that_may_still_run() {
    let mut stage = Stage::new(120, 40);
    stage.begin();
    stage.close();
    stage.running("c3", "shell", r#"{"command":"sleep 600"}"#);
    stage.call(CallEvent::Spawned {
        call: id("c3"),
        attempt: overrule_domain::id::Attempt(1),
        pid: 25142,
        ticks: 9,
    });
    assert!(
        !stage.text().contains("its process was"),
        "it runs before our eyes"
    );
    stage.engine(Event::Run(overrule_domain::event::RunEvent::Reopened {
        interrupted: vec![(id("c3"), overrule_domain::id::Attempt(1))],
        version: "0".into(),
    }));
    stage.press("2");
    stage.press("enter");
    stage.wait(ARMING);
    let text = stage.text();
    assert!(text.contains("did it happen?"), "{text}");
    assert!(
        text.contains("its process was 25142: if `pgrep -g 25142` still shows it"),
        "{text}"
    );
    assert!(text.contains("`kill -- -25142`"), "{text}");
}

#[test]
fn a_call_that_was_answered_does_not_read_like_one_that_ran() {
    let mut stage = Stage::new(120, 40);
    stage.begin();
    let ran = overrule_domain::call::Outcome::ok("\"2\"");
    stage.finished("c3", "read_file", r#"{"path":"a"}"#, ran);
    stage.awaiting("c4", "read_file", r#"{"path":"b"}"#);
    stage.call(CallEvent::Decided {
        call: id("c4"),
        rev: overrule_domain::id::Rev(1),
        digest: None,
        decision: overrule_domain::call::Decision::Answer,
    });
    stage.call(CallEvent::Given {
        call: id("c4"),
        rev: overrule_domain::id::Rev(1),
        outcome: overrule_domain::call::Outcome::ok("\"1\""),
        origin: overrule_domain::node::Origin::Operator { user: "ada".into() },
    });
    stage.close();
    stage.press("1 G");
    stage.draw();
    let text = stage.text();
    let row = |call: &str| {
        let mut rows = text
            .lines()
            .filter(|row| row.contains("read_file") && row.contains(call));
        rows.next().unwrap_or_else(|| panic!("{text}")).to_owned()
    };
    assert!(
        row("c4").contains('✐') && row("c4").contains("answered, not run"),
        "{text}"
    );
    assert!(!row("c3").contains("answered"), "{text}");
    let exported = crate::export::gutter(&stage.model.run.state, false);
    let row = exported
        .lines()
        .find(|row| row.contains("c4"))
        .unwrap_or_default();
    assert!(row.contains("answered, not run"), "{exported}");
    while stage.model.inspector.subject
        != Some(crate::kernel::inspector::Subject::Pick(
            crate::kernel::graph::Pick::Node(id("c4")),
        ))
    {
        stage.press("k");
        stage.draw();
    }
    let text = stage.flat();
    assert!(text.contains("✐ answered, not run only reads"), "{text}");
}
