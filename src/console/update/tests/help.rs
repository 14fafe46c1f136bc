//! Tests help from every context: it opens, goes back, and loses nothing below it.
use crate::kernel::hints::surface;
use crate::kernel::keymap::file::parse;
use crate::kernel::model::Source;
use crate::kernel::surface::SurfaceId;
use crate::run::run_phase::RunPhase;
use crate::surfaces;
use crate::testing::{ARMING, Stage};
use overrule_domain::command::{Command, EditCommand};
use overrule_domain::event::{Event, RunEvent};
use overrule_domain::rule::RuleSpec;
use overrule_journal::SessionStatus;
use overrule_present::terms;

const ARGS: &str = r#"{"path":"a","content":"b"}"#;

/// Opens help in the current context, and goes back.
fn helps(stage: &mut Stage, key: &str, expected: SurfaceId) {
    assert_eq!(surface(&stage.model), expected);
    // Time passes meanwhile.
    let still = |stage: &mut Stage| {
        stage
            .text()
            .replace(|c: char| ('\u{2800}'..='\u{28ff}').contains(&c), "")
    };
    let before = still(stage);
    stage.press(key);
    let text = stage.text();
    assert!(text.contains(" keys "), "{expected:?}: {text}");
    let mut rows = text.lines().skip_while(|row| !row.contains("━ keys ━"));
    // The terms of the marked row come before the keys, and end with a blank row.
    let explained = rows.clone().take(12).any(|row| row.trim().is_empty());
    let first = if explained {
        rows.find(|row| row.trim().is_empty());
        rows.next()
    } else {
        rows.nth(1)
    };
    let first = first.unwrap_or_default();
    assert!(
        first.contains(expected.heading),
        "{expected:?} comes first: {text}"
    );
    stage.press("esc");
    assert_eq!(surface(&stage.model), expected, "it goes back");
    assert_eq!(still(stage), before, "what was open is as it was");
    // The key that opened it closes it as well.
    stage.press(key);
    stage.press(key);
    assert_eq!(surface(&stage.model), expected);
}

#[test]
fn help_is_there_over_questions_and_goes_back_to_them() {
    let stage = |scene: &dyn Fn(&mut Stage)| {
        let mut stage = Stage::new(110, 40);
        stage.begin();
        stage.thought("t2", "first this");
        scene(&mut stage);
        stage.wait(10 * ARMING);
        stage
    };
    let mut consent = stage(&|stage| {
        stage.consent("c3");
        stage.at_the_queue();
        stage.press("enter");
    });
    helps(&mut consent, "?", surfaces::consent::ID);
    let mut unknown = stage(&|stage| {
        stage.outcome_unknown("c3");
        stage.at_the_queue();
        stage.press("j enter");
    });
    helps(&mut unknown, "?", surfaces::outcome::ID);
    let mut broken = stage(&|stage| {
        stage.broken();
        stage.at_the_queue();
        stage.press("enter");
    });
    helps(&mut broken, "?", surfaces::broken::ID);
    let mut bulk = stage(&|stage| {
        stage.awaiting("c3", "write_file", ARGS);
        stage.at_the_queue();
        stage.press("A");
    });
    helps(&mut bulk, "?", surfaces::bulk::ID);
}

#[test]
fn help_is_there_over_lists_previews_and_the_ways_out() {
    let mut rules = Stage::new(110, 40);
    rules.begin();
    rules.engine(Event::Run(RunEvent::RuleAdded {
        no: 1,
        rule: RuleSpec::Text {
            text: "tool = \"read_file\", gate = \"allow\"".into(),
        },
    }));
    rules.press("B");
    helps(&mut rules, "?", surfaces::rules::ID);
    let mut preview = Stage::new(110, 40);
    preview.two_turns();
    preview.press("1 g j j e");
    preview.edit_field(r#"{"path":"B"}"#);
    preview.press("ctrl-s");
    preview.wait(10 * ARMING);
    helps(&mut preview, "?", surfaces::review::ID);
    let mut compared = Stage::new(110, 40);
    compared.edited();
    compared.press("b k c");
    helps(&mut compared, "?", surfaces::compare::ID);
    let mut running = Stage::new(110, 40);
    running.begin();
    running.running("c3", "read_file", "{}");
    running.press("X");
    running.wait(10 * ARMING);
    helps(&mut running, "?", surfaces::stop::ID);
    running.press("esc q");
    running.wait(10 * ARMING);
    helps(&mut running, "?", surfaces::leave::ID);
}

#[test]
fn help_over_a_preview_that_was_sent_stays_until_it_is_closed() {
    let mut stage = Stage::new(110, 40);
    stage.two_turns();
    stage.press("1 g j j e");
    stage.edit_field(r#"{"path":"B"}"#);
    stage.press("ctrl-s");
    stage.wait(ARMING);
    stage.press("enter ?");
    let sent = stage.carry_out();
    assert!(
        matches!(sent.last(), Some(Command::Edit(EditCommand::Commit { .. }))),
        "{sent:?}"
    );
    assert_eq!(
        surface(&stage.model),
        surfaces::page::ID,
        "the page that is read stays open"
    );
    assert!(stage.text().contains(" keys "), "{}", stage.text());
    stage.press("esc");
    assert!(
        stage.model.stack.is_empty(),
        "the preview is gone, its edit counts"
    );
}

#[test]
fn a_key_without_a_meaning_names_the_key_of_help_that_works_there() {
    let mut stage = Stage::with(110, 40, |settings| {
        let changes = parse("keys.toml", "help-here = \"f3\"").unwrap();
        settings.keymap = crate::app::registry::keymap(&changes).unwrap();
    });
    stage.begin();
    stage.consent("c3");
    stage.at_the_queue();
    stage.press("enter Z");
    assert_eq!(stage.status(), "`Z` does nothing here. f3 shows all keys");
    stage.press("f3");
    assert_eq!(surface(&stage.model), surfaces::page::ID);
    stage.press("esc esc ~");
    assert_eq!(stage.status(), "`~` does nothing here. ? shows all keys");
}

#[test]
fn help_over_a_text_keeps_what_was_typed() {
    let mut stage = Stage::new(110, 40);
    stage.sample();
    stage.draw();
    stage.press("i");
    stage.type_text("be brief?");
    helps(&mut stage, "f1", surfaces::next_task::ID);
    assert!(stage.text().contains("be brief?"), "{}", stage.text());
    stage.press("esc esc /");
    stage.type_text("rep?");
    helps(&mut stage, "f1", surfaces::line::ID);
    stage.press("esc :");
    stage.type_text("lim");
    helps(&mut stage, "f1", surfaces::list::ID);
}

#[test]
fn a_question_that_help_lay_over_has_to_be_looked_at_again() {
    let mut stage = Stage::new(100, 40);
    stage.begin();
    stage.consent("c3");
    stage.at_the_queue();
    stage.press("enter");
    stage.wait(ARMING);
    stage.press("? esc R");
    assert_eq!(stage.commands(), []);
    stage.wait(ARMING);
    stage.press("R");
    assert_eq!(stage.commands().len(), 1);
}

/// The command of a row of help.
fn named(row: &str) -> Option<&str> {
    row.get(17..)?.split(' ').next()
}

#[test]
fn help_in_a_replay_begins_with_what_works_there_and_a_search_in_it_hides_nothing() {
    let mut stage = Stage::with(80, 24, |settings| settings.source = Source::Replay);
    stage.sample();
    stage.press("?");
    let text = stage.text();
    let at = |words: &str| text.find(words);
    assert!(at("play or pause").is_some(), "{text}");
    assert!(
        at("play or pause") < at("parent, child").or(Some(usize::MAX)),
        "{text}"
    );
    let Some(page) = stage.model.stack.last().and_then(|top| top.sheet()) else {
        panic!("no help is open");
    };
    let rows: Vec<String> = page
        .doc
        .window(0, page.doc.rows(), None)
        .iter()
        .map(crate::ground::doc::Styled::plain)
        .collect();
    let lists = |name: &str| rows.iter().any(|row| named(row) == Some(name));
    assert!(lists("play") && lists("effects") && lists("search"), "{rows:#?}");
    for refused in [
        "approve",
        "edit",
        "pause",
        "approve-all",
        "undo",
        "commit-edit",
        "external",
    ] {
        assert!(!lists(refused), "{refused}: {rows:#?}");
    }
    stage.press("/");
    let searching = stage.text();
    assert!(searching.contains("search on this page"), "{searching}");
    assert!(searching.contains("play or pause"), "{searching}");
}

#[test]
fn help_of_a_live_run_lists_every_key() {
    let mut stage = Stage::new(80, 24);
    stage.sample();
    stage.press("?");
    let Some(page) = stage.model.stack.last().and_then(|top| top.sheet()) else {
        panic!("no help is open");
    };
    let rows = page.doc.window(0, page.doc.rows(), None);
    let lists = |name: &str| rows.iter().any(|row| named(&row.plain()) == Some(name));
    assert!(lists("approve") && lists("undo") && !lists("next-event"));
}

/// The rows of a page, without its title.
fn rows(text: &str) -> Vec<&str> {
    let rows = text.lines().skip_while(|row| !row.contains(" keys "));
    rows.skip(1).collect()
}

#[test]
fn the_first_screen_has_the_keys_of_the_pane_first_by_task_and_the_signs_beside_them() {
    for (size, pane, own, other) in [
        ((80, 30), "1", "unfold", "go there"),
        ((80, 30), "2", "approve all waiting", "go there"),
        ((80, 30), "3", "tabs of the node", "go there"),
        ((80, 30), "L", "go there", "tabs of the node"),
        ((160, 50), "1", "unfold", "go there"),
        ((160, 50), "L", "go there", "unfold"),
    ] {
        let mut stage = Stage::new(size.0, size.1);
        stage.sample();
        stage.press(pane);
        let heading = stage.model.screen.focus.id().heading;
        stage.press("?");
        let text = stage.text();
        // The terms of the marked row come before the keys.
        let blank = |row: &&str| row.trim().is_empty() || row.contains(&format!("│{}", " ".repeat(60)));
        let all = rows(&text);
        let from = all.iter().take(12).position(blank).map_or(0, |at| at + 1);
        let first = all[from];
        let inside = first.split('│').find(|row| row.contains("signs"));
        assert!(
            inside.is_some_and(|row| row.starts_with(heading)),
            "{pane}: {text}"
        );
        let at = |words: &str| {
            text.find(words)
                .unwrap_or_else(|| panic!("{pane}: no {words}: {text}"))
        };
        // The keys of the pane come before the other tasks, which are on the same screen.
        assert!(at(own) < text.len());
        for words in [
            "approve",
            "arguments or text",
            "undo, redo",
            "stop everything",
            "pause, one step",
        ] {
            at(words);
        }
        // The signs are beside the keys.
        assert!(first.contains("signs"), "{text}");
        assert!(
            text.contains("◎ waits for you") && text.contains("✖ failed"),
            "{text}"
        );
        // Every key with its full text is below, and keys of other panes are not here.
        assert!(size.1 > 30 || !text.contains("approve-unread"), "{text}");
        assert!(
            !rows(&text)
                .iter()
                .skip(from)
                .take(8)
                .any(|row| row.contains(other)),
            "{pane}: {text}"
        );
        assert!(
            text.contains(" 1-"),
            "the position shows that there is more: {text}"
        );
    }
}

#[test]
fn the_rest_of_help_is_reached_by_scrolling() {
    let mut stage = Stage::new(80, 24);
    stage.sample();
    stage.press("?");
    let mut all = String::new();
    for _ in 0..60 {
        all.push_str(&stage.text());
        stage.press("pgdn");
    }
    for words in [
        "approve-unread",
        "any pane: decide",
        "any pane: find",
        "⟨ ⟩ hidden character",
        "1-9 failures, right edge",
        "sandbox",
    ] {
        assert!(all.contains(words), "{words}");
    }
}

#[test]
fn a_narrow_screen_has_the_signs_below_the_keys() {
    let mut stage = Stage::new(40, 12);
    stage.sample();
    stage.press("?");
    let text = stage.text();
    assert!(!text.contains("signs"), "{text}");
    let Some(page) = stage.model.stack.last().and_then(|top| top.sheet()) else {
        panic!("no help is open");
    };
    assert!(
        page.doc.copy().contains("\n◎ waits for you"),
        "{}",
        page.doc.copy()
    );
}

#[test]
fn the_first_screen_of_help_has_no_key_that_a_recorded_run_refuses() {
    let mut stage = Stage::with(80, 24, |settings| settings.source = Source::Replay);
    stage.sample();
    stage.press("?");
    let text = stage.text();
    for refused in [
        "approve all waiting",
        "reject with reason",
        "arguments or text",
        "undo, redo",
        "stop everything",
    ] {
        assert!(!text.contains(refused), "{refused}: {text}");
    }
    assert!(text.contains("next failure") && text.contains("quit"), "{text}");
}

/// The rows above the keys.
fn explained(stage: &mut Stage) -> String {
    stage.press("?");
    let text = stage.text();
    let rows: Vec<&str> = text.lines().skip_while(|row| !row.contains("━ keys ━")).collect();
    let terms = rows.iter().skip(1).take_while(|row| !row.trim().is_empty());
    let terms = terms.copied().collect::<Vec<_>>().join("\n");
    stage.press("?");
    terms
}

#[test]
fn help_begins_with_the_terms_of_the_marked_row_in_two_lines_each() {
    let mut stage = Stage::new(80, 40);
    stage.begin();
    stage.thought("t2", "first this");
    stage.awaiting("c3", "write_file", ARGS);
    stage.outcome_unknown("c4");
    stage.at_the_queue();
    let terms = explained(&mut stage);
    assert!(terms.starts_with("awaiting approval: "), "{terms}");
    assert!(!terms.contains("outcome unknown: "), "{terms}");
    assert!(!terms.contains("asks you: "), "{terms}");
    assert!(terms.lines().all(|row| !row.starts_with(' ')), "{terms}");
    stage.press("j");
    let terms = explained(&mut stage);
    assert!(terms.contains("outcome unknown: "), "{terms}");
    assert!(!terms.contains("awaiting approval: "), "{terms}");
}

#[test]
fn text_of_the_model_is_no_term() {
    let mut stage = Stage::new(80, 40);
    stage.begin();
    stage.thought("t2", "superseded, denied, guarded, outcome unknown");
    stage.press("1 G");
    let terms = explained(&mut stage);
    assert!(terms.starts_with("thought: "), "{terms}");
    for word in ["superseded: ", "denied: ", "guarded: ", "outcome unknown: "] {
        assert!(!terms.contains(word), "{terms}");
    }
}

#[test]
fn each_state_of_a_run_and_a_session_is_a_term() {
    let phases = [
        RunPhase::Halted,
        RunPhase::Starting,
        RunPhase::Replaying,
        RunPhase::Replay,
        RunPhase::Stopped,
        RunPhase::Answered,
        RunPhase::Paused,
        RunPhase::Working,
        RunPhase::Retrying,
        RunPhase::Waiting,
        RunPhase::Ended,
        RunPhase::HeldByEdit,
    ];
    let sessions = [
        SessionStatus::Open,
        SessionStatus::Finished,
        SessionStatus::Stopped,
        SessionStatus::Damaged,
        SessionStatus::Unreadable,
    ];
    let labels = phases.map(RunPhase::label).into_iter();
    for label in labels.chain(sessions.map(SessionStatus::label)) {
        assert!(terms::find(label).is_some(), "{label}");
    }
}
