//! Tests prefilled lines and lists, scrolling dialogs, clicked tabs, and names of keys.
use crate::ground::term_msg::{Mouse, TermMsg};
use crate::kernel::dialog::Dialog;
use crate::kernel::graph::Pick;
use crate::kernel::hints::surface;
use crate::kernel::inspector::Tab;
use crate::kernel::keymap::file::parse;
use crate::kernel::msg::Msg;
use crate::kernel::pane::Pane;
use crate::surfaces;
use crate::surfaces::list::List;
use crate::testing::{Stage, id};
use overrule_domain::call::Outcome;
use overrule_domain::command::{Command, RunCommand};
use overrule_domain::event::run::{ContextLimit, Limits, Reduction};
use overrule_domain::event::{Event, RunEvent, TurnEvent};
use overrule_domain::id::TurnId;

#[test]
fn the_dialogs_of_choices_scroll_by_half_a_screen_and_name_every_answer() {
    let long = format!(r#"{{"path":"a","content":"{}"}}"#, "word ".repeat(400));
    let mut consent = Stage::new(40, 12);
    consent.begin();
    consent.consent_of("c3", &long);
    let mut unknown = Stage::new(40, 12);
    unknown.begin();
    unknown.outcome_unknown_with("c3", &long);
    let mut broken = Stage::new(40, 12);
    broken.begin();
    broken.turn(TurnEvent::Partial {
        turn: TurnId(2),
        prefix_len: 0,
        spoken: None,
        text: "word ".repeat(400).into(),
    });
    broken.broken();
    for (mut stage, keys, answers) in [
        (Box::new(consent), "enter", ["u reuse", "R run again", "x reject"]),
        (
            Box::new(unknown),
            "j enter",
            ["h happened", "d did not: run", "x abandon"],
        ),
        (Box::new(broken), "enter", ["T ask again", "u keep it", "X stop"]),
    ] {
        stage.at_the_queue();
        stage.press(keys);
        let text = stage.text();
        let last = text.lines().last().unwrap();
        for answer in answers {
            assert!(last.contains(answer), "{answer}: {last}");
        }
        let top = |stage: &Stage| match stage.model.stack.top::<Dialog>() {
            Some(dialog) => dialog.sheet.top,
            other => panic!("{other:?}"),
        };
        stage.press("ctrl-d");
        let down = top(&stage);
        assert!(down > 0, "{text}");
        stage.press("ctrl-u");
        assert_eq!(top(&stage), 0);
        stage.press("G");
        assert!(top(&stage) > down);
        stage.press("g");
        assert_eq!(top(&stage), 0);
        assert_eq!(stage.commands(), []);
    }
}

#[test]
fn a_row_cut_at_the_edge_is_marked() {
    let mut stage = Stage::new(40, 24);
    stage.begin();
    stage.thought("t2", &"I will read one thing after the other. ".repeat(4));
    stage.finished("c3", "read_file", r#"{"path":"a"}"#, Outcome::ok("1"));
    stage.press("1 g j 3");
    while stage.model.inspector.tab != Tab::Depends {
        stage.press(">");
    }
    let text = stage.text();
    stage.press("1 G 3");
    let below = stage.text();
    let row = below
        .lines()
        .find(|line| line.contains("follows") || line.contains("has seen"))
        .expect(&text);
    assert!(row.ends_with('…'), "{row}");
}

#[test]
fn limits_that_nobody_changed_stay_what_they_are_to_the_second() {
    let mut stage = Stage::new(110, 30);
    stage.begin();
    let limits = Limits {
        wall_ms: Some(90_000),
        ..Limits::default()
    };
    stage.engine(Event::Run(RunEvent::LimitsRaised { limits }));
    stage.press(":");
    stage.type_text("limits");
    stage.press("enter end");
    assert!(stage.text().contains("minutes=2"), "{}", stage.text());
    stage.press("enter");
    assert_eq!(stage.commands(), [Command::Run(RunCommand::SetLimits { limits })]);
}

#[test]
fn the_limit_of_a_request_is_shown_and_changed_where_there_is_one() {
    let auto = |tokens| ContextLimit {
        tokens,
        window: tokens.map(|_| 8_000),
        auto: true,
        by: Reduction::Shorten,
    };
    for (has, shown, typed, sent) in [
        (
            Some(auto(Some(6_000))),
            " context=6000",
            "",
            Some(auto(Some(6_000))),
        ),
        (
            Some(auto(Some(6_000))),
            " context=6000",
            "context=7000",
            Some(ContextLimit {
                tokens: Some(7_000),
                ..auto(Some(6_000))
            }),
        ),
        (Some(auto(Some(6_000))), " context=6000", "context=none", None),
        // The window is unknown: requests become shorter once the server refuses one.
        (Some(auto(None)), " context=none", "", Some(auto(None))),
        (
            Some(auto(None)),
            " context=none",
            "context=none",
            Some(auto(None)),
        ),
    ] {
        let mut stage = Stage::new(130, 30);
        stage.begin();
        let limits = |context| Limits {
            context,
            ..Limits::default()
        };
        let now = limits(has);
        stage.engine(Event::Run(RunEvent::LimitsRaised { limits: now }));
        stage.press(":");
        stage.type_text("limits");
        stage.press("enter end");
        assert!(stage.text().contains(shown), "{}", stage.text());
        if !typed.is_empty() {
            stage.press("ctrl-u");
            stage.type_text(typed);
        }
        stage.press("enter");
        let limits = limits(sent);
        assert_eq!(
            stage.commands(),
            [Command::Run(RunCommand::SetLimits { limits })],
            "{typed}"
        );
    }
}

#[test]
fn only_changed_limits_are_reported() {
    let mut stage = Stage::new(110, 30);
    stage.sample();
    stage.draw();
    for (typed, output) in [
        ("turns=60", "Limit turns is now 60"),
        (
            "tokens=900 parallel=2",
            "Limit tokens is now 900, parallel is now 2",
        ),
        ("tokens=none", "Limit tokens is now none"),
        ("turns=60", "Limits unchanged"),
    ] {
        stage.press(":");
        stage.type_text("limits");
        stage.press("enter");
        stage.type_text(typed);
        stage.press("enter");
        assert_ne!(stage.status(), output, "nothing is carried out yet");
        stage.carry_out();
        assert_eq!(stage.status(), output);
    }
}

#[test]
fn what_stands_in_a_line_gives_way_to_what_is_typed_and_a_move_keeps_it() {
    let open = || {
        let mut stage = Stage::new(110, 30);
        stage.sample();
        stage.draw();
        stage.press(":");
        stage.type_text("limits");
        stage.press("enter");
        stage
    };
    let mut stage = open();
    stage.type_text("parallel=5");
    stage.press("enter");
    let parallel = |commands: Vec<Command>| match commands.as_slice() {
        [Command::Run(RunCommand::SetLimits { limits })] => Some((limits.parallel, limits.turns)),
        _ => None,
    };
    assert_eq!(
        parallel(stage.commands()),
        Some((5, Some(50))),
        "{}",
        stage.status()
    );
    let mut stage = open();
    stage.press("end backspace");
    stage.type_text("6");
    stage.press("enter");
    assert_eq!(
        parallel(stage.commands()),
        Some((6, Some(50))),
        "{}",
        stage.status()
    );

    stage.press("/");
    stage.type_text("report");
    stage.press("enter /");
    stage.type_text("zzz");
    stage.press("enter");
    assert!(stage.status().ends_with(": `zzz`"), "{}", stage.status());
    stage.press("/ left right");
    stage.type_text("y");
    stage.press("enter");
    assert!(stage.status().ends_with(": `zzzy`"), "{}", stage.status());
}

#[test]
fn limits_out_of_range_are_refused_with_what_is_allowed() {
    for (typed, expected) in [
        ("parallel=4000000000", "write a number from 1 to 64"),
        ("parallel=65", "write a number from 1 to 64"),
        ("parallel=0", "pause the run instead"),
        ("turns=0", "turns=0 is out of range"),
    ] {
        let mut stage = Stage::new(110, 30);
        stage.sample();
        stage.draw();
        stage.press(":");
        stage.type_text("limits");
        stage.press("enter");
        stage.type_text(typed);
        stage.press("enter");
        assert_eq!(stage.commands(), []);
        assert!(stage.status().contains(expected), "{typed}: {}", stage.status());
        assert_eq!(surface(&stage.model), surfaces::line::ID, "it can be fixed");
    }
}

#[test]
fn a_long_list_is_paged_and_shows_its_position() {
    let mut stage = Stage::new(80, 24);
    stage.sample();
    stage.draw();
    stage.press(":");
    let all = match stage.model.stack.top::<List>() {
        Some(list) => list.found.len(),
        _ => panic!("no list"),
    };
    let place = |stage: &mut Stage| match stage.model.stack.top::<List>() {
        Some(list) => list.at,
        _ => panic!("no list"),
    };
    // The screen without header, status lines, title and the text.
    let rows = 24 - 1 - 2 - 1 - 1;
    assert!(
        stage.text().contains(&format!(" 1-{rows} of {all}")),
        "{}",
        stage.text()
    );
    stage.press("pgdn");
    assert!(place(&mut stage) > 10);
    stage.press("pgup");
    assert_eq!(place(&mut stage), 0);
    stage.press("end");
    assert_eq!(place(&mut stage), all - 1);
    assert!(
        stage.text().contains(&format!("-{all} of {all}")),
        "{}",
        stage.text()
    );
    stage.press("home");
    assert_eq!(place(&mut stage), 0);
}

#[test]
fn hidden_tabs_are_counted_and_visible_tabs_can_be_clicked() {
    for (width, mark) in [(40, "‹ 1/7 ›"), (60, "‹ 1/7 ›")] {
        let mut stage = Stage::new(width, 24);
        stage.sample();
        stage.press("f 3");
        assert!(stage.text().contains(mark), "{width}: {}", stage.text());
    }
    let mut stage = Stage::new(200, 40);
    stage.sample();
    stage.press("f 3");
    let text = stage.text();
    assert!(text.contains(" wire ") && !text.contains("1/7"), "{text}");
    let (y, row) = text
        .lines()
        .enumerate()
        .find(|(_, row)| row.contains(" revisions "))
        .unwrap();
    let x = row
        .find(" revisions ")
        .map(|at| row[..at].chars().count())
        .unwrap();
    let (x, y) = (u16::try_from(x).unwrap() + 2, u16::try_from(y).unwrap());
    stage.send(Msg::Term(TermMsg::Mouse {
        mouse: Mouse::Press,
        x,
        y,
    }));
    stage.draw();
    assert_eq!(stage.model.inspector.tab, Tab::Revisions);
    assert_eq!(stage.model.screen.moving, None, "the border stays where it is");
}

#[test]
fn the_way_back_is_named_by_the_key_that_it_has() {
    let mut stage = Stage::with(100, 30, |settings| {
        let changes = parse("keys.toml", "back = \"alt-q\"").unwrap();
        settings.keymap = crate::app::registry::keymap(&changes).unwrap();
    });
    stage.begin();
    stage.running("c3", "read_file", r#"{"path":"a"}"#);
    stage.draw();
    stage.press("X");
    let text = stage.text();
    assert!(text.contains("alt-q goes back"), "{text}");
    stage.press("alt-q q");
    let text = stage.text();
    assert!(text.contains("alt-q  stay"), "{text}");
    stage.press("alt-q :");
    stage.type_text("zzzz");
    stage.press("enter");
    assert_eq!(stage.status(), "No matches. alt-q goes back");
}

#[test]
fn every_answer_of_a_dialog_is_named_at_every_width() {
    for width in overrule_testing::sample(20..=120, 9) {
        let mut consent = Box::new(Stage::new(width, 20));
        consent.begin();
        consent.consent("c3");
        let mut unknown = Box::new(Stage::new(width, 20));
        unknown.begin();
        unknown.outcome_unknown("c3");
        let mut broken = Box::new(Stage::new(width, 20));
        broken.begin();
        broken.thought("t3", "so far");
        broken.broken();
        for (mut stage, keys, answers) in [
            (
                consent,
                "enter",
                [("u ", "reuse"), ("R ", "run"), ("x ", "reject")].as_slice(),
            ),
            (
                unknown,
                "j enter",
                &[("h ", "happened"), ("d ", "run"), ("x ", "abandon")],
            ),
            (
                broken,
                "enter",
                &[("T ", "ask again"), ("u ", "keep"), ("X ", "stop")],
            ),
        ] {
            stage.draw();
            stage.at_the_queue();
            stage.press(keys);
            stage.draw();
            if !stage.model.screen.can_decide() {
                continue;
            }
            let text = stage.text();
            let last = text.lines().last().unwrap();
            for (key, word) in answers {
                let at = last.find(&format!(" {key}"));
                let output = at.and_then(|at| last.get(at + 3..));
                let output = output.and_then(|output| output.split("  ").next());
                assert!(
                    output.is_some_and(|output| output.contains(word)),
                    "{width} {key}: {text}"
                );
            }
        }
    }
}

#[test]
fn the_way_to_what_waits_leads_there_in_the_graph_too_and_stays_on_what_still_waits() {
    let mut stage = Stage::new(80, 24);
    stage.begin();
    stage.thought("t2", "look around");
    for call in ["c3", "c4", "c5"] {
        stage.awaiting(call, "write_file", r#"{"path":"a","content":"b"}"#);
    }
    stage.draw();
    stage.press("t");
    assert_eq!(stage.model.graph.selected, Some(Pick::Node(id("c3"))));
    assert!(!stage.model.graph.pinned, "it keeps following new rows");
    stage.press("1 g t");
    assert_eq!(stage.model.graph.selected, Some(Pick::Node(id("c3"))));
    stage.press("t");
    assert_eq!(stage.model.graph.selected, Some(Pick::Node(id("c3"))));
    assert!(stage.status().contains("still waits"), "{}", stage.status());
    stage.press("j");
    assert_eq!(stage.model.graph.selected, Some(Pick::Node(id("c4"))));
    assert_eq!(
        stage.model.screen.lead,
        Pane::GRAPH,
        "the graph shows the same rows"
    );
}

#[test]
fn the_inspector_names_its_node_on_every_tab() {
    let mut stage = Stage::new(80, 24);
    stage.begin();
    stage.thought("t2", "look around");
    stage.finished("c3", "read_file", r#"{"path":"a"}"#, Outcome::ok("1"));
    stage.awaiting("c4", "write_file", r#"{"path":"a","content":"b"}"#);
    stage.draw();
    stage.press("1 g j j");
    let bar = |stage: &mut Stage| {
        let text = stage.text();
        let row = text
            .lines()
            .find(|row| row.contains("content") && row.contains("wire"));
        row.map_or_else(|| panic!("{text}"), str::to_owned)
    };
    assert!(
        !bar(&mut stage).contains("c3"),
        "the first row of the content says it"
    );
    for _ in 0..6 {
        stage.press(">");
        let row = bar(&mut stage);
        assert!(row.contains(" c3 "), "{row}");
        assert!(!row.contains("c4"), "{row}");
    }
    // The decision frame shows it by itself.
    stage.press("2");
    assert!(stage.text().contains("┏━ c4 writes a"));
}
