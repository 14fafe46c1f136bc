//! Tests an ASCII screen: each of the console's own signs has an ASCII form.

use crate::surfaces::list::List;
use ratatui::Terminal;
use ratatui::backend::TestBackend;

use super::super::twin;
use crate::ground::layout::gutter::Line;
use crate::ground::symbols::{Charset, Symbol};
use crate::kernel::draw::shell;
use crate::testing::{ARMING, Stage, text_of};
use overrule_domain::breaker::Phase;
use overrule_domain::call::EffectClass;
use overrule_domain::event::run::Limits;
use overrule_domain::event::{Event, RunEvent};

type Scene = fn(&mut Stage);

/// Runs of all kinds. What is not ASCII in their own texts are characters that have a mark.
const SCENES: [(&str, Scene); 14] = [
    ("repaired twice", |stage| stage.repaired_in_two_rounds()),
    ("two repairs", |stage| stage.two_repairs()),
    ("spent", |stage| stage.spent()),
    ("ailing", |stage| {
        stage.begin();
        stage.ailing();
        stage.breaker("shell", Phase::Open);
    }),
    ("troubled", |stage| stage.troubled()),
    ("replaced", |stage| stage.replaced()),
    ("three wait", |stage| stage.three_wait()),
    ("orphaned", |stage| stage.orphaned()),
    ("edited", |stage| stage.edited()),
    ("long", |stage| stage.long_run(30)),
    ("broken", |stage| {
        stage.begin();
        stage.broken();
    }),
    ("outcome unknown", |stage| {
        stage.begin();
        stage.outcome_unknown("c3");
    }),
    ("consent", |stage| {
        stage.begin();
        stage.consent("c3");
    }),
    ("limited", |stage| {
        stage.spent();
        let limits = Limits {
            turns: Some(1),
            tokens: Some(170),
            ..Limits::default()
        };
        stage.engine(Event::Run(RunEvent::LimitsRaised { limits }));
        stage.has_tool("http_request", EffectClass::Write, &["external"]);
    }),
];

fn stage(scene: Scene, width: u16, height: u16) -> Stage {
    let mut stage = Stage::with(width, height, |settings| {
        settings.charset = Charset::Ascii;
        settings.line = Line::Ascii;
    });
    scene(&mut stage);
    stage.draw();
    stage.wait(ARMING);
    stage
}

/// Each sign on the screen has its own ASCII form, and the ASCII screen is ASCII.
#[track_caller]
fn check(stage: &mut Stage, what: &str) {
    let buffer = stage.draw();
    for cell in buffer.content() {
        let is_plain = cell.symbol().bytes().all(|byte| (0x20..=0x7e).contains(&byte));
        assert!(is_plain, "{what}: {:?}", cell.symbol());
    }
    let text = text_of(&buffer);
    // A sign of the console's own is no mark. One of them is a value in one of the runs.
    let own = text.replace("\"<U+2026>\"", "");
    for mark in [
        "<U+2026>", "<U+00B7>", "<U+2192>", "<U+00D7>", "<U+2013>", "<U+2014>",
    ] {
        assert!(!own.contains(mark), "{what}: {mark} in\n{text}");
    }
    // The same before the last signs were replaced.
    let area = buffer.area;
    let mut terminal = Terminal::new(TestBackend::new(area.width, area.height)).unwrap();
    let model = &stage.model;
    let frame = terminal.draw(|frame| {
        let _shown = model.settings.shown();
        shell::draw(model, frame);
    });
    let frame = frame.unwrap().buffer.clone();
    for cell in frame.content() {
        let symbol = cell.symbol();
        assert!(
            symbol.is_ascii() || twin(symbol).is_some(),
            "{what}: {symbol:?} would be a question mark in\n{text}"
        );
    }
}

#[test]
fn every_pane_and_page_has_ascii_signs_for_all_it_shows() {
    const KEYS: [&str; 29] = [
        "1",
        "1 g j j j enter",
        "2",
        "3",
        "3 > > > >",
        "4",
        "5",
        "6",
        "7",
        "8",
        "L",
        "W",
        "O",
        "A",
        "B",
        "?",
        ":",
        "/",
        "f 3",
        "1 z",
        "1 m",
        "2 e",
        "2 x",
        "i",
        "2 F",
        "2 enter",
        "1 G",
        "ctrl-c",
        "X",
    ];
    let sizes = |scene| [(40, 12), (120, 40)].map(move |size| (scene, size));
    let screens = SCENES.into_iter().flat_map(sizes);
    let all = screens.flat_map(|screen| KEYS.map(move |keys| (screen, keys)));
    for (((name, scene), (width, height)), keys) in overrule_testing::sample(all, 7) {
        let mut stage = stage(scene, width, height);
        check(&mut stage, name);
        for key in keys.split(' ') {
            stage.press(key);
            check(
                &mut stage,
                &format!("{name} at {width}x{height} after {key} of {keys}"),
            );
        }
    }
}

#[test]
fn every_command_of_the_palette_leads_to_plain_signs() {
    let scenes = SCENES.into_iter().take(5);
    let all = scenes.flat_map(|scene| crate::app::registry::verbs().map(move |command| (scene, command)));
    for ((name, scene), command) in overrule_testing::sample(all, 13) {
        let mut stage = stage(scene, 100, 30);
        stage.press(":");
        if !stage.model.stack.is_top::<List>() {
            continue;
        }
        stage.type_text(command.name);
        check(&mut stage, &format!("{name}: the palette at {}", command.name));
        stage.press("enter");
        check(&mut stage, &format!("{name} after {}", command.name));
    }
}

#[test]
fn the_timeline_explains_its_bars_without_a_question_mark() {
    let mut stage = stage(SCENES[0].1, 200, 40);
    stage.press(":");
    stage.type_text("timeline");
    stage.press("enter");
    let text = stage.text();
    assert!(text.contains("w for you") && text.contains(". blocked"), "{text}");
    assert!(!text.contains("??"), "{text}");
}

#[test]
fn each_sign_of_the_glyph_set_is_ascii_there() {
    for symbol in Symbol::ALL {
        assert!(symbol.glyph(Charset::Ascii).is_ascii_graphic(), "{symbol:?}");
    }
    for sign in ["…", "·", "–", "—", "→", "×", "“", "”", "‘", "’"] {
        let twin = twin(sign).unwrap();
        assert!(twin.is_ascii() && twin != "?" && twin.len() == 1, "{sign} {twin}");
    }
}

#[test]
fn the_steps_of_a_repair_are_shown_in_ascii() {
    let mut stage = stage(SCENES[0].1, 120, 40);
    stage.press("f g j j");
    let mut seen = String::new();
    for _ in 0..8 {
        stage.press(">");
        seen.push_str(&stage.text());
    }
    assert!(
        seen.contains("repair 2 of 3 - ") && seen.contains(" > "),
        "{seen}"
    );
    assert!(!seen.contains("3 ? "), "{seen}");
}
