//! Tests that no key on any screen panics, and that arrivals never take the focus.

use proptest::prelude::*;

use crate::ground::key::{Code, Key};
use crate::ground::term_msg::TermMsg;
use crate::kernel::graph::Pick;
use crate::kernel::model::Source;
use crate::kernel::msg::Msg;
use crate::kernel::pane::Pane;
use crate::kernel::queue::QueueEntry;
use crate::run::link::Update;
use crate::testing::{Stage, id};
use overrule_domain::call::Outcome;
use overrule_domain::id::TurnId;
use overrule_domain::live::{Live, LivePart};

fn any_key() -> impl Strategy<Value = Key> {
    let code = prop_oneof![
        8 => prop::sample::select("aAxeriwoOpsSXRcqdDtfUILzZyY/:?nNghjklGHJKL[]<>12345 \u{e9}日".chars().collect::<Vec<_>>()).prop_map(Code::Char),
        4 => prop::sample::select(vec![
            Code::Enter, Code::Esc, Code::Tab, Code::Backspace, Code::Delete, Code::Up, Code::Down, Code::Left,
            Code::Right, Code::Home, Code::End, Code::PageUp, Code::PageDown, Code::F(1),
        ]),
    ];
    (code, prop::bool::weighted(0.2), prop::bool::weighted(0.05)).prop_map(|(code, ctrl, alt)| Key {
        code,
        ctrl,
        alt,
        shift: false,
    })
}

#[derive(Debug, Clone)]
enum Act {
    Key(Key, u64),
    Paste(String),
    Resize(u16, u16),
    Arrive(u8),
    CarryOut,
    Draw,
}

fn any_act() -> impl Strategy<Value = Act> {
    prop_oneof![
        10 => (any_key(), 0u64..700).prop_map(|(key, ms)| Act::Key(key, ms)),
        1 => "[ -~\u{202e}日\n]{0,12}".prop_map(Act::Paste),
        2 => (1u16..140, 1u16..50).prop_map(|(width, height)| Act::Resize(width, height)),
        2 => (0u8..6).prop_map(Act::Arrive),
        2 => Just(Act::CarryOut),
        4 => Just(Act::Draw),
    ]
}

fn arrive(stage: &mut Stage, what: u8, no: u32) {
    let name = format!("c{no}");
    match what {
        0 => stage.awaiting(&name, "write_file", r#"{"path":"a","content":"b"}"#),
        1 => stage.finished(&name, "read_file", r#"{"path":"x"}"#, Outcome::ok("\"a\\nb\"")),
        2 => stage.broken(),
        3 => stage.send(Msg::Run(Update::Live(Live {
            turn: TurnId(2),
            parts: vec![LivePart::Text {
                reasoning: false,
                text: "so far\u{1b}[2J 日本".into(),
                before: 0,
            }],
            bytes: 9,
        }))),
        4 => stage.consent(&name),
        _ => stage.outcome_unknown(&name),
    }
}

proptest! {
    #![proptest_config(overrule_testing::cases(6))]

    #[test]
    fn nothing_panics(width in 1u16..130, height in 1u16..45, acts in prop::collection::vec(any_act(), 1..50), replay: bool, edited: bool) {
        let mut stage = Stage::new(width, height);
        stage.draw();
        if edited { stage.edited() } else { stage.sample() }
        // A surface of a live console may still be open when the same run is shown as a recording.
        if replay { stage.model.settings.source = Source::Replay }
        let mut no = 100;
        for act in acts {
            match act {
                Act::Key(key, ms) => {
                    stage.now += ms;
                    let at = stage.now;
                    stage.send(Msg::Tick { at });
                    stage.send(Msg::Term(TermMsg::Key { key, at }));
                }
                Act::Paste(text) => stage.paste(text),
                Act::Resize(width, height) => stage.send(Msg::Term(TermMsg::Resize { width, height })),
                Act::Arrive(what) => {
                    no += 1;
                    arrive(&mut stage, what, no);
                }
                Act::CarryOut => drop(stage.carry_out()),
                Act::Draw => drop(stage.draw()),
            }
        }
        stage.draw();
    }

    #[test]
    fn arrivals_move_no_focus_no_cursor_and_open_nothing(
        keys in prop::collection::vec(any_key(), 0..12), arrivals in prop::collection::vec(0u8..6, 1..6),
    ) {
        let mut stage = Stage::new(100, 30);
        stage.sample();
        stage.draw();
        for key in keys {
            stage.now += 100;
            let at = stage.now;
            stage.send(Msg::Term(TermMsg::Key { key, at }));
            stage.now += 100;
            let at = stage.now;
            stage.send(Msg::Tick { at });
        }
        stage.draw();
        let before = (stage.model.screen.focus, stage.model.queue.selected, stage.model.stack.len());
        let model = &stage.model;
        let row = (model.graph.pinned, model.graph.selected);
        let waits = model.is_selected_in_queue() && model.queue.current().is_some();
        // In follow mode the graph moves the shared cursor, but never away from a waiting call.
        let held = row.0 || waits || model.screen.lead == Pane::QUEUE;
        for (at, what) in arrivals.into_iter().enumerate() {
            arrive(&mut stage, what, 200 + at as u32);
            stage.draw();
        }
        prop_assert_eq!(before.0, stage.model.screen.focus);
        prop_assert_eq!(before.2, stage.model.stack.len());
        if held && before.1.is_some() {
            // A call under the cursor that begins to wait is selected in the queue too.
            let queue = &stage.model.queue;
            let joined = row.0 && row.1.is_some_and(|row| {
                matches!((row, queue.selected), (Pick::Node(id), Some(QueueEntry::Call { call, .. })) if call == id.call())
            });
            prop_assert!(joined || before.1 == queue.selected, "{:?} {:?}", before.1, queue.selected);
        }
        if row.0 {
            prop_assert_eq!(row.1, stage.model.graph.selected);
        }
    }
}

/// Widths and heights from one cell on, close together where they are small.
fn sizes() -> impl Iterator<Item = (u16, u16)> {
    let widths = (1..10).chain((10..46).step_by(5)).chain([39, 80, 100, 121]);
    widths.flat_map(|width| (1..14).chain([24]).map(move |height| (width, height)))
}

#[test]
fn every_size_from_one_cell_on_is_drawn() {
    for keys in [
        "1",
        "2",
        "3 >",
        "L",
        "e",
        "esc ?",
        "esc :",
        "esc q",
        "esc A",
        "esc 1 g j e X ctrl-s",
    ] {
        let mut stage = Stage::new(80, 24);
        stage.sample();
        stage.draw();
        stage.press(keys);
        for (width, height) in overrule_testing::sample(sizes(), 5) {
            stage.send(Msg::Term(TermMsg::Resize { width, height }));
            stage.draw();
        }
    }
}

#[test]
fn every_size_of_what_edits_open_is_drawn() {
    for keys in [
        "u",
        "b",
        "b k c",
        "b k c s j",
        "1 g j v",
        "1 g j T",
        "1 g j j D c E",
        "1 g j j D c E v",
        "1 g j j D c q",
    ] {
        let mut stage = Stage::new(80, 24);
        stage.edited();
        stage.press(keys);
        for (width, height) in overrule_testing::sample(sizes(), 5) {
            stage.send(Msg::Term(TermMsg::Resize { width, height }));
            stage.draw();
        }
    }
}

#[test]
fn the_graph_follows_only_at_its_end() {
    let mut stage = Stage::new(100, 30);
    stage.begin();
    stage.thought("t2", "one");
    stage.draw();
    assert_eq!(stage.selected(), Some(id("t2")));
    stage.finished("c3", "read_file", "{}", Outcome::ok("1"));
    stage.draw();
    assert_eq!(stage.selected(), Some(id("c3")), "it follows");
    stage.press("k");
    stage.finished("c4", "read_file", "{}", Outcome::ok("1"));
    let text = stage.text();
    assert_eq!(stage.selected(), Some(id("t2")), "it stays");
    assert!(!text.contains("new"), "the new rows are on screen: {text}");
    for no in 10..40 {
        stage.awaiting(&format!("c{no}"), "write_file", "{}");
    }
    let text = stage.text();
    assert_eq!(stage.selected(), Some(id("t2")), "it stays");
    assert!(text.contains("▼ 30 new"), "{text}");
    stage.press("G");
    assert_eq!(stage.selected(), Some(id("c39")));
    stage.awaiting("c50", "write_file", "{}");
    stage.draw();
    assert_eq!(stage.selected(), Some(id("c39")), "it waits for the operator");
    stage.press("1 g G");
    assert_eq!(stage.selected(), Some(id("c50")));
    stage.approved("c50");
    stage.thought("t51", "two");
    stage.finished("c52", "read_file", "{}", Outcome::ok("1"));
    stage.draw();
    assert_eq!(stage.selected(), Some(id("c10")), "a call of this turn waits");
}

#[test]
fn a_call_that_waits_has_the_cursor_also_where_a_sibling_runs() {
    let mut stage = Stage::new(100, 30);
    stage.sample();
    stage.draw();
    assert_eq!(
        stage.selected(),
        Some(id("c5")),
        "c6 of the same turn runs below it"
    );
    // Where the operator puts it, it stays.
    stage.press("1 G");
    assert_eq!(stage.selected(), Some(id("c6")));
    stage.draw();
    assert_eq!(stage.selected(), Some(id("c6")));
    stage.thought("t9", "and more");
    stage.draw();
    assert_eq!(stage.selected(), Some(id("c5")));
}

#[test]
fn a_pinned_cursor_keeps_its_row_on_the_screen() {
    let mut stage = Stage::new(100, 12);
    stage.begin();
    for no in 3..40 {
        stage.finished(
            &format!("c{no}"),
            "read_file",
            r#"{"path":"x"}"#,
            Outcome::ok("1"),
        );
    }
    let fan = (id("c3"), crate::ground::layout::fold::FoldKind::Fan);
    stage.model.graph.settings.unfolded.insert(fan);
    stage.draw();
    stage.press("k k k");
    let row = |stage: &Stage| stage.model.graph.cursor().unwrap() - stage.model.graph.top;
    let before = (row(&stage), stage.selected());
    for no in 40..60 {
        stage.finished(
            &format!("c{no}"),
            "read_file",
            r#"{"path":"x"}"#,
            Outcome::ok("1"),
        );
        stage.draw();
    }
    assert_eq!((row(&stage), stage.selected()), before);
}

#[test]
fn what_streams_is_shown_and_becomes_a_node() {
    let mut stage = Stage::new(100, 30);
    stage.begin();
    stage.draw();
    arrive(&mut stage, 3, 0);
    let text = stage.text();
    assert!(text.contains("so far⟨U+001B⟩[2J 日本"), "{text}");
    assert_eq!(stage.model.graph.selected, Some(Pick::Live(TurnId(2), 0)));
    stage.thought("t2", "so far and on");
    stage.send(Msg::Run(Update::Live(Live {
        turn: TurnId(2),
        parts: Vec::new(),
        bytes: 20,
    })));
    stage.draw();
    assert_eq!(stage.selected(), Some(id("t2")));
}

#[test]
fn tab_goes_round_the_panes() {
    let mut stage = Stage::new(100, 30);
    stage.sample();
    stage.draw();
    let mut seen = vec![stage.model.screen.focus];
    for _ in 0..3 {
        stage.press("tab");
        seen.push(stage.model.screen.focus);
    }
    assert_eq!(seen, [Pane::GRAPH, Pane::QUEUE, Pane::INSPECTOR, Pane::GRAPH]);
    stage.press("L");
    assert_eq!(stage.model.screen.focus, Pane::LOG);
    stage.press("shift-tab");
    assert_eq!(stage.model.screen.focus, Pane::INSPECTOR);
}

#[test]
fn a_value_of_ten_megabytes_is_cut_once() {
    let mut stage = Stage::new(100, 30);
    stage.begin();
    let value = format!("\"{}\"", "abcdefghij".repeat(1_000_000));
    stage.finished("c3", "read_file", r#"{"path":"x"}"#, Outcome::ok(value.as_str()));
    stage.draw();
    let rows = stage.model.inspector.doc.rows();
    assert!(rows > 90_000);
    stage.press("3 G");
    for no in 4..30 {
        stage.finished(&format!("c{no}"), "read_file", "{}", Outcome::ok("1"));
    }
    stage.press("1 g j");
    stage.draw();
    assert_eq!(stage.selected(), Some(id("c3")));
    assert_eq!(stage.model.inspector.doc.rows(), rows);
}

#[test]
fn every_tab_of_a_thought_can_be_reached_one_after_the_other() {
    use crate::kernel::inspector::Tab;
    let mut stage = Stage::new(100, 30);
    stage.begin();
    stage.thought("t2", "first");
    stage.draw();
    stage.press("1 g j");
    let mut seen = vec![stage.model.inspector.tab];
    for _ in 0..4 {
        stage.press(">");
        seen.push(stage.model.inspector.tab);
    }
    let all = [
        Tab::Content,
        Tab::Revisions,
        Tab::Context,
        Tab::Depends,
        Tab::Wire,
    ];
    assert_eq!(seen, all, "the tabs that only calls have are skipped");
    stage.press(">");
    assert_eq!(stage.model.inspector.tab, Tab::Content);
    stage.press("<");
    assert_eq!(stage.model.inspector.tab, Tab::Wire);
}

#[test]
fn where_nothing_can_be_decided_no_second_press_is_asked_for() {
    let mut small = Stage::new(20, 5);
    let mut recorded = Stage::with(100, 30, |settings| settings.source = Source::Replay);
    for (stage, why) in [
        (&mut small, "screen is smaller"),
        (&mut recorded, "run is recorded"),
    ] {
        stage.begin();
        stage.awaiting("c3", "write_file", r#"{"path":"a","content":"b"}"#);
        for key in ["a", "*"] {
            stage.press("1");
            stage.press(key);
            assert!(stage.status().contains(why), "{key}: {}", stage.status());
        }
        assert_eq!(stage.commands(), []);
    }
}

#[test]
fn a_recorded_run_offers_nothing_that_it_refuses() {
    let mut stage = Stage::with(100, 40, |settings| {
        settings.source = Source::Replay;
    });
    stage.sample();
    for (typed, there) in [
        ("approve", false),
        ("emergency-stop", false),
        ("insert-prompt", false),
        ("fix-guide", false),
        ("impact", true),
        ("next-event", true),
    ] {
        stage.press(":");
        stage.type_text(typed);
        let text = stage.text();
        let listed = text
            .lines()
            .filter(|line| line.contains(&format!(" {typed} ")))
            .count();
        assert_eq!(listed > 0, there, "{typed}\n{text}");
        stage.press("esc");
    }
}
