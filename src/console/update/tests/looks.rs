//! Tests files of themes and keys that change while the console is open.

use crate::surfaces::list::List;
use ratatui::style::Color;

use crate::ground::term_msg::TermMsg;
use crate::ground::theme::{Colours, Role, Theme};
use crate::kernel::files::Read;
use crate::kernel::keymap::Keymap;
use crate::kernel::keymap::file::parse;
use crate::kernel::model::Source;
use crate::kernel::msg::Msg;
use crate::kernel::pane::Pane;
use crate::testing::Stage;
use crate::verbs::approve;
use crate::verbs::theme::choose;
use overrule_domain::command::{Command, ResilienceCommand};

fn built_in() -> Vec<(String, Option<Result<Theme, String>>)> {
    Theme::names().map(|name| (name.to_owned(), None)).collect()
}

fn read(change: impl FnOnce(&mut Read)) -> Msg {
    let mut read = Read {
        theme: "dark".to_owned(),
        themes: built_in(),
        keymap: Some(Ok(crate::app::registry::keymap(&[]).unwrap())),
        policy: policy("4", "30"),
        problems: Vec::new(),
        place: None,
        workspace_place: None,
    };
    change(&mut read);
    Msg::Files(read)
}

fn policy(retries: &str, window: &str) -> Vec<(String, String)> {
    let key = |key: &str, value: &str| (key.to_owned(), value.to_owned());
    vec![key("retry.retries", retries), key("loops.window", window)]
}

fn keys(text: &str) -> Result<Keymap, String> {
    let changes = parse("keys.toml", text).unwrap();
    crate::app::registry::keymap(&changes).map_err(|error| error.to_string())
}

fn stage() -> Stage {
    let mut stage = Stage::new(100, 30);
    stage.sample();
    stage.draw();
    stage
}

#[test]
fn what_did_not_change_is_not_talked_about() {
    let mut stage = stage();
    stage.send(read(|_| {}));
    assert_eq!(stage.status(), "");
    assert_eq!(stage.model.settings.themes.all.len(), Theme::names().count());
}

#[test]
fn how_failures_are_met_follows_the_file_key_by_key() {
    let mut stage = stage();
    stage.send(read(|_| {}));
    assert_eq!(stage.commands(), [], "at the start it is in force already");
    stage.send(read(|read| read.policy = policy("2", "30")));
    let set = |key: &str, value: &str| {
        Command::Resilience(ResilienceCommand::Configure {
            key: key.into(),
            value: value.into(),
        })
    };
    assert_eq!(stage.commands(), [set("retry.retries", "2")]);
    assert_eq!(stage.status(), "Reloaded: retry.retries");
    // A file that cannot be read changes nothing.
    stage.send(read(|read| {
        read.policy = Vec::new();
        read.problems = vec!["line 3: what is this".to_owned()];
    }));
    stage.send(read(|read| read.policy = policy("2", "12")));
    assert_eq!(stage.commands(), [set("loops.window", "12")]);
    let mut recorded = Stage::with(100, 30, |settings| settings.source = Source::Replay);
    recorded.send(read(|_| {}));
    recorded.send(read(|read| read.policy = policy("2", "12")));
    assert_eq!(recorded.commands(), []);
}

#[test]
fn a_corrected_mistake_is_no_longer_shown() {
    let mut stage = stage();
    stage.send(read(|_| {}));
    stage.send(read(|read| read.keymap = Some(keys("approve = \"x\""))));
    assert!(stage.status().contains("Keys unchanged"), "{}", stage.status());
    stage.send(read(|_| {}));
    assert_eq!(stage.status(), "Reloaded, problem fixed");
    // One of two problems is left.
    stage.send(read(|read| {
        read.problems = vec!["one".to_owned(), "two".to_owned()];
    }));
    stage.send(read(|read| read.problems = vec!["two".to_owned()]));
    assert_eq!(stage.status(), "Reloaded, still wrong: two");
}

#[test]
fn new_keys_count_at_once_and_help_shows_them() {
    let mut stage = stage();
    stage.press("?");
    stage.send(read(|read| {
        read.keymap = Some(keys("approve = \"ctrl-y\"\nquit = [\"f10\", \"q\"]"));
    }));
    assert_eq!(stage.status(), "Reloaded: keys");
    stage.draw();
    let help = stage.model.stack.doc().expect("a page").copy();
    assert!(help.contains("ctrl-y") && help.contains("f10 q"), "{help}");
    let key = |text: &str| text.parse().unwrap();
    let map = &stage.model.settings.keymap;
    assert_eq!(map.verb(Pane::QUEUE.id(), key("a"), false), None);
    assert_eq!(
        map.verb(Pane::QUEUE.id(), key("ctrl-y"), false),
        Some(&approve::APPROVE)
    );
}

#[test]
fn an_invalid_key_file_keeps_the_last_valid_keys_and_reports_the_place() {
    let mut stage = stage();
    stage.send(read(|read| read.keymap = Some(keys("approve = \"ctrl-y\""))));
    stage.send(read(|read| {
        read.keymap = Some(keys("\napprove = [\"ctrl-y\", \"x\"]"));
    }));
    assert!(stage.model.message.bad);
    assert!(
        stage
            .status()
            .starts_with("Keys unchanged: keys.toml:2:12: `x` means both"),
        "{}",
        stage.status()
    );
    assert_eq!(stage.model.settings.keymap.first("approve"), "ctrl-y");
    stage.press("4");
    assert!(stage.text().contains("keys.toml:2:12"), "the log keeps it");
    stage.send(read(|_| {}));
    assert_eq!(stage.model.settings.keymap.first("approve"), "a", "fixed");
    assert_eq!(stage.status(), "Reloaded: keys");
}

#[test]
fn a_theme_file_shows_at_once_and_a_broken_one_keeps_the_last_good_look() {
    let mut stage = stage();
    let mine = || {
        let text = include_str!("../../../../themes/dark.toml").replace("#7fd88f", "#00ff00");
        Theme::parse(&text, "mine.toml").unwrap()
    };
    let with = |theme: Result<Theme, String>| {
        read(move |read| {
            read.theme = "mine".to_owned();
            read.themes.push(("mine".to_owned(), Some(theme)));
        })
    };
    let before = stage.model.settings.look.clone();
    stage.send(with(Ok(mine())));
    assert_eq!(stage.status(), "Reloaded: theme mine");
    let look = mine().look(Colours::True);
    assert_ne!(look, before);
    assert_eq!(stage.model.settings.look, look);
    stage.send(with(Err("theme mine.toml, line 3: no".to_owned())));
    assert_eq!(
        stage.status(),
        "Theme mine unchanged: theme mine.toml, line 3: no"
    );
    assert!(stage.model.message.bad);
    assert_eq!(stage.model.settings.look, look);
    stage.send(with(Ok(Theme::built_in("light").unwrap())));
    assert_ne!(stage.model.settings.look, look);
}

#[test]
fn another_theme_in_the_settings_is_shown_and_an_unknown_one_is_not() {
    let mut stage = stage();
    stage.send(read(|read| read.theme = "light".to_owned()));
    let light = Theme::built_in("light").unwrap().look(Colours::True);
    assert_eq!(stage.model.settings.look, light);
    stage.send(read(|read| read.theme = "nowhere".to_owned()));
    assert!(
        stage.status().contains("Cannot find theme `nowhere`"),
        "{}",
        stage.status()
    );
    assert_eq!(stage.model.settings.look, light);
}

#[test]
fn a_theme_is_chosen_for_the_session_by_its_name() {
    let mut stage = stage();
    stage.press(":");
    stage.type_text("theme");
    stage.press("enter");
    stage.type_text("paper");
    stage.press("enter");
    let paper = Theme::built_in("paper").unwrap().look(Colours::True);
    assert_eq!(stage.model.settings.look, paper, "{}", stage.status());
    assert!(stage.model.stack.is_empty());
    let cell = stage.draw().cell((0, 0)).unwrap().style();
    assert_eq!(cell.bg, paper.style(Role::Header).bg);
    stage.send(read(|_| {}));
    assert_eq!(
        stage.model.settings.look, paper,
        "files that say the same change nothing"
    );
}

/// The list of themes, open over a console in the dark theme.
fn list() -> Stage {
    let mut stage = stage();
    stage.draw();
    stage.press(":");
    stage.type_text("theme");
    stage.press("enter");
    stage
}

fn looks_like(stage: &Stage, name: &str) -> bool {
    stage.model.settings.look == Theme::built_in(name).unwrap().look(Colours::True)
}

#[test]
fn a_theme_is_tried_on_while_the_list_is_open_and_goes_with_it() {
    let mut stage = list();
    assert!(looks_like(&stage, "dark"), "it begins with what is shown");
    stage.press("down");
    assert!(looks_like(&stage, "light"));
    stage.press("down");
    assert!(looks_like(&stage, "high-contrast"));
    stage.press("esc");
    assert!(looks_like(&stage, "dark"));
    assert_eq!(stage.model.settings.themes.current, "dark");
    let mut stage = list();
    stage.type_text("ember");
    assert!(looks_like(&stage, "ember"), "typing goes to it too");
    stage.type_text("zzz");
    assert!(looks_like(&stage, "dark"), "no matches");
    stage.press("alt-u");
    stage.press("ctrl-u");
    stage.type_text("paper");
    stage.press("enter");
    assert!(looks_like(&stage, "paper"));
    assert_eq!(stage.model.settings.themes.current, "paper");
    stage.press("j");
    assert!(looks_like(&stage, "paper"), "it stays");
    stage.press(":");
    stage.type_text("theme");
    stage.press("enter");
    let Some(list) = stage.model.stack.top::<List>() else {
        panic!("no list");
    };
    assert_eq!(list.chosen().map(|choice| choice.name.as_str()), Some("paper"));
    assert!(looks_like(&stage, "paper"), "opened again it begins there");
}

#[test]
fn files_that_change_while_a_theme_is_tried_on_change_nothing_about_it() {
    let mut stage = list();
    stage.press("down");
    stage.send(read(|_| {}));
    assert!(looks_like(&stage, "light"));
    assert!(!stage.status().contains("Reloaded"), "{}", stage.status());
    stage.send(read(|read| read.theme = "ember".to_owned()));
    assert!(
        looks_like(&stage, "light"),
        "what is tried on is still to be seen"
    );
    stage.press("esc");
    assert!(
        looks_like(&stage, "ember"),
        "and below it is the theme of the settings now"
    );
}

#[test]
fn without_colours_there_is_no_theme_to_choose() {
    let mut stage = Stage::with(100, 30, |settings| {
        settings.look = Theme::built_in("dark").unwrap().look(Colours::None);
    });
    stage.sample();
    stage.draw();
    stage.press(":");
    stage.type_text("theme");
    stage.press("enter");
    assert!(stage.status().contains("shows no colours"), "{}", stage.status());
    stage.send(read(|read| read.theme = "light".to_owned()));
    let style = stage.model.settings.look.style(Role::Failed);
    assert_eq!((style.fg, style.bg), (None, None));
}

#[test]
fn several_problems_are_counted_and_all_logged() {
    let mut stage = stage();
    stage.send(read(|read| {
        read.problems = vec!["first\u{1b}[31m".to_owned(), "second".to_owned()];
    }));
    assert!(
        stage.status().starts_with("2 problems, see the log: first"),
        "{}",
        stage.status()
    );
    stage.press("4");
    let text = stage.text();
    assert!(
        text.contains("first⟨U+001B⟩") && text.contains("second"),
        "{text}"
    );
}

#[test]
fn a_remaining_problem_is_not_reported_again() {
    let mut stage = stage();
    let wrong = |second: Option<&str>| {
        let failures = ["first"].into_iter().chain(second).map(str::to_owned).collect();
        read(|read| read.problems = failures)
    };
    stage.send(wrong(None));
    assert_eq!(stage.status(), "first");
    stage.press("1");
    stage.send(wrong(Some("second")));
    assert_eq!(stage.status(), "second");
    stage.send(wrong(None));
    stage.press("4");
    let text = stage.text();
    let reported = text.lines().filter(|row| row.trim() == "first").count();
    assert_eq!(reported, 1, "{text}");
}

#[test]
fn the_background_of_the_terminal_stays_with_every_theme_that_is_chosen_or_tried() {
    let mut stage = stage();
    let painted = stage.draw().cell((50, 10)).unwrap().bg;
    assert_ne!(painted, Color::Reset);
    stage.send(Msg::Term(TermMsg::Background([0x1e; 3])));
    assert_eq!(stage.draw().cell((50, 10)).unwrap().bg, Color::Reset);
    // Paper has a background of its own; back at the theme, that of the terminal is there again.
    choose(&mut stage.model, "paper");
    assert_ne!(stage.draw().cell((50, 10)).unwrap().bg, Color::Reset);
    choose(&mut stage.model, "dark");
    assert_eq!(stage.draw().cell((50, 10)).unwrap().bg, Color::Reset);
    // A light terminal: the dark theme paints its own.
    stage.send(Msg::Term(TermMsg::Background([0xff; 3])));
    assert_eq!(stage.draw().cell((50, 10)).unwrap().bg, painted);
    assert!(stage.commands().is_empty(), "nothing was decided");
}
