//! Snapshots of the panes at the bottom, at common sizes.

use crate::ground::layout::gutter::Line;
use crate::ground::symbols::Charset;
use crate::testing::{Stage, id};
use overrule_domain::call::ErrorClass;
use overrule_domain::escape::{Detector, LoopStep};
use overrule_domain::event::run::Limits;
use overrule_domain::event::{CallEvent, Event, RunEvent, WeightEvent};
use overrule_domain::repair_stats::RepairStats;
use overrule_domain::weight::{Learned, StepRecord, ToolRecord, WeightRecord};

const SIZES: [(u16, u16); 4] = [(40, 12), (80, 24), (120, 40), (200, 60)];

fn at_sizes(name: &str, scene: impl Fn(&mut Stage)) {
    for (width, height) in SIZES {
        let mut stage = Stage::new(width, height);
        scene(&mut stage);
        insta::assert_snapshot!(format!("{name}_{width}x{height}"), stage.text());
    }
}

/// The same without colours and with plain characters: nothing of it may be lost.
fn plain(name: &str, scene: impl Fn(&mut Stage)) {
    let mut stage = Stage::with(80, 24, |settings| {
        settings.look = crate::ground::theme::Theme::built_in("mono")
            .unwrap()
            .look(crate::ground::theme::Colours::None);
        settings.charset = Charset::Ascii;
        settings.line = Line::Ascii;
    });
    scene(&mut stage);
    let text = stage.text();
    assert!(text.is_ascii(), "{text}");
    insta::assert_snapshot!(format!("{name}_ascii_80x24"), text);
}

fn limited(stage: &mut Stage) {
    stage.spent();
    let limits = Limits {
        turns: Some(1),
        tokens: Some(170),
        wall_ms: Some(1_800_000),
        ..Limits::default()
    };
    stage.engine(Event::Run(RunEvent::LimitsRaised { limits }));
    stage.press("7 j");
}

#[test]
fn state() {
    let scene = |stage: &mut Stage| {
        stage.spent();
        stage.press("5 j");
    };
    at_sizes("state", scene);
    plain("state", scene);
}

#[test]
fn budget() {
    at_sizes("budget", limited);
    plain("budget", limited);
}

#[test]
fn branches() {
    let scene = |stage: &mut Stage| {
        stage.edited();
        stage.press("6");
    };
    at_sizes("branch_pane", scene);
    plain("branch_pane", scene);
}

#[test]
fn health() {
    let scene = |stage: &mut Stage| {
        stage.troubled();
        stage.press("8");
    };
    at_sizes("health", scene);
    plain("health", scene);
    // A narrow screen shows the rest below.
    at_sizes("health_below", |stage| {
        scene(stage);
        stage.press("G");
    });
}

#[test]
fn what_earlier_sessions_learned_is_shown_as_such() {
    let mut stage = Stage::new(120, 40);
    stage.troubled();
    stage.engine(Event::Weight(WeightEvent::Imported {
        from: "earlier sessions of this workspace".into(),
        learned: Learned {
            weights: vec![WeightRecord {
                kind: "look".into(),
                tool: "fetch".into(),
                weight: 900,
                samples: 45,
            }],
            health: vec![ToolRecord {
                tool: "search".into(),
                succeeded: 40,
                failed: [(ErrorClass::Transient, 4)].into(),
                retries: 1,
            }],
            steps: vec![StepRecord {
                detector: Detector::Sequence,
                tools: vec!["search".into()],
                step: LoopStep::Refuse,
                tried: 3,
                helped: 1,
            }],
            repairs: RepairStats::default(),
        },
    }));
    stage.press("8");
    let text = stage.text();
    for words in [
        "started with 1 weight, 1 tool record, 1 result of steps against loops, from earlier sessions of",
        "earlier sessions: 40 of 44 executions succeeded, 4 transient; 1 retry",
        "fetch",
        "as learned before",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    stage.press("G");
    let text = stage.text();
    assert!(text.contains("in earlier sessions: refusal 1 of 3"), "{text}");
}

#[test]
fn repairs_in_the_health() {
    for (width, height) in [(80, 24), (120, 40)] {
        let mut stage = Stage::new(width, height);
        stage.repaired_in_two_rounds();
        stage.press("8");
        let text = stage.text();
        for words in [
            "repairs by date_format_correction: 0 of 1 succeeded",
            "repairs by llm_infer_missing_param: 1 of 1 succeeded",
        ] {
            assert!(text.contains(words), "{text}");
        }
    }
}

#[test]
fn why_the_run_waits() {
    let scene = |stage: &mut Stage| {
        stage.troubled();
        stage.press("W");
    };
    at_sizes("needed", scene);
    plain("needed", scene);
}

#[test]
fn decisions_in_the_log() {
    at_sizes("log_decisions", |stage| {
        stage.edited();
        stage.press("4 space k");
    });
}

#[test]
fn empty_panes_show_a_message() {
    let mut stage = Stage::new(100, 30);
    stage.sample();
    stage.draw();
    stage.press("5");
    let text = stage.text();
    assert!(text.contains("no call writes a path of the state"), "{text}");
    stage.press("6");
    let text = stage.text();
    assert!(text.contains("no edits yet"), "{text}");
    stage.press("7");
    let text = stage.text();
    assert!(text.contains("none: a script answers, no model"), "{text}");
    // A model without a configured price is another matter.
    let mut started = stage.model.run.state.started.as_deref().unwrap().clone();
    started.wire = "openai-chat".into();
    stage.engine(Event::Run(RunEvent::Refitted {
        started: Box::new(started),
    }));
    let text = stage.text();
    assert!(text.contains("price unknown: :set-price sets it"), "{text}");
    stage.press("8");
    let text = stage.text();
    assert!(text.contains("health"), "{text}");
}

/// Every status that a call can have, with words of its own.
fn statuses() -> Vec<overrule_domain::call::Status> {
    use overrule_domain::call::{ConsentCause, ErrorClass, Status};
    use overrule_domain::id::Attempt;
    vec![
        Status::Proposed,
        Status::Invalid,
        Status::Blocked,
        Status::Ready,
        Status::AwaitingApproval,
        Status::Consent(ConsentCause::Orphaned),
        Status::Queued,
        Status::Running(Attempt(1)),
        Status::OutcomeUnknown(Attempt(1)),
        Status::Succeeded,
        Status::Failed(ErrorClass::NotFound),
        Status::Rejected,
        Status::Expired,
        Status::Skipped,
        Status::Unsatisfiable,
    ]
}

#[test]
fn every_status_is_distinguishable_without_colors_and_in_ascii() {
    let mut stage = Stage::with(100, 30, |settings| {
        settings.look = crate::ground::theme::Theme::built_in("mono")
            .unwrap()
            .look(crate::ground::theme::Colours::None);
        settings.charset = Charset::Ascii;
        settings.line = Line::Ascii;
    });
    stage.begin();
    stage.proposed("c3", "read_file", r#"{"path":"a"}"#);
    let mut rows = std::collections::BTreeMap::new();
    for status in statuses() {
        let call = crate::testing::id("c3");
        stage.model.run.state.calls.get_mut(&call).unwrap().status = status.clone();
        // No event changed it.
        stage.model.graph.invalidate();
        let buffer = stage.draw();
        assert!(
            buffer.content().iter().all(|cell| {
                let style = cell.style();
                let plain = |colour| matches!(colour, None | Some(ratatui::style::Color::Reset));
                plain(style.fg) && plain(style.bg)
            }),
            "a colour with {status:?}"
        );
        let text = stage.text();
        let row = text
            .lines()
            .find(|line| line.contains("c3  read_file"))
            .unwrap_or_else(|| panic!("no row with {status:?}: {text}"));
        // The pane next to it shows more; the row alone must do.
        let row: String = row.chars().take(100).collect();
        if let Some(other) = rows.insert(row.clone(), status.clone()) {
            panic!("{other:?} and {status:?} look the same: {row}");
        }
    }
    assert_eq!(rows.len(), statuses().len());
}

#[test]
fn scripts_of_every_direction_keep_their_order_and_their_columns() {
    let mut stage = Stage::new(100, 30);
    stage.begin();
    let marks = "e".to_owned() + &"\u{301}".repeat(40);
    let words = format!("שלום abc مرحبا 日本 👩\u{200d}👩 {marks} end");
    stage.thought("t2", &words);
    let args = serde_json::json!({ "path": words }).to_string();
    stage.awaiting("c3", "write_file", &args);
    for keys in ["1 g j", "2", "4", "5"] {
        stage.press(keys);
        let buffer = stage.draw();
        for y in 0..buffer.area.height {
            let mut x = 0;
            let mut line = String::new();
            while x < buffer.area.width {
                let symbol = buffer.cell((x, y)).unwrap().symbol();
                let marks = symbol
                    .chars()
                    .filter(|c| unicode_width::UnicodeWidthChar::width(*c) == Some(0));
                assert!(marks.count() <= 4, "{keys}: {symbol:?}");
                line.push_str(symbol);
                x += u16::try_from(unicode_width::UnicodeWidthStr::width(symbol))
                    .unwrap()
                    .max(1);
            }
            assert_eq!(
                x, buffer.area.width,
                "{keys}: a row is as wide as the screen: {line}"
            );
        }
    }
    stage.press("1 g j");
    let text = stage.text();
    let place = |piece: &str| text.find(piece).unwrap_or_else(|| panic!("{piece}: {text}"));
    assert!(
        place("שלום") < place("abc") && place("abc") < place("مرحبا"),
        "{text}"
    );
    assert!(
        text.contains("👩\u{200d}👩"),
        "a joined emoji is shown as it is: {text}"
    );
    assert!(!text.contains("⟨U+200D⟩") && text.contains("⟨U+0301⟩"), "{text}");
}

#[test]
fn an_operator_who_is_called_so_is_named_once() {
    use overrule_domain::envelope::Actor;
    use overrule_domain::event::{Event, RunEvent};
    for (user, expected) in [("operator", "operator  "), ("ada", "operator ada")] {
        let mut stage = Stage::new(120, 40);
        stage.sample();
        let event = Event::Run(RunEvent::Paused {
            reason: "lunch".into(),
        });
        stage.event(Actor::Operator(user.into()), event);
        stage.press("4 1");
        let text = stage.text();
        let row = text
            .lines()
            .find(|row| row.contains("lunch") && row.contains("operator"));
        let row = row.unwrap_or_else(|| panic!("{text}"));
        assert!(row.contains(expected.trim_end()), "{row}");
        assert!(!row.contains("operator operator"), "{row}");
    }
}

#[test]
fn the_source_of_a_decision_is_shown_in_the_log_and_the_decisions_tab() {
    use overrule_domain::call::Decision;
    use overrule_domain::envelope::{Actor, Via};
    let output = |via: Option<Via>| {
        let mut stage = Stage::new(120, 40);
        stage.begin();
        stage.awaiting("c3", "read_file", r#"{"path":"a"}"#);
        let actor = match via {
            Some(via) => Actor::operator("ada".into(), via),
            None => Actor::Operator("ada".into()),
        };
        let reject = CallEvent::Decided {
            call: id("c3"),
            rev: overrule_domain::id::Rev(1),
            digest: None,
            decision: Decision::Reject { reason: "no".into() },
        };
        stage.event(actor, Event::Call(reject));
        stage.press("4");
        let log = stage.flat();
        stage.press("1 G 3");
        while stage.model.inspector.tab != crate::kernel::inspector::Tab::Attempts {
            stage.press(">");
            stage.draw();
        }
        (log, stage.flat())
    };
    for via in [Via::Console, Via::Control, Via::Shell] {
        let (log, tab) = output(Some(via));
        let word = via.label();
        assert!(log.contains(&format!("operator ada ({word}): c3")), "{log}");
        assert!(
            tab.contains(&format!("rejected by the operator: no ({word})")),
            "{tab}"
        );
    }
    let (log, tab) = output(None);
    assert!(log.contains("operator ada: c3"), "{log}");
    assert!(
        tab.contains("rejected by the operator: no") && !tab.contains("(console)"),
        "{tab}"
    );
}
