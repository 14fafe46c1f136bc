//! Tests of the real program on a real screen: its output to a terminal and its input.

use std::path::Path;
use std::time::Duration;

use portable_pty::CommandBuilder;
use rustix::process::Signal;

use crate::pty_terminal::harness::{Run, SOON, at_home};

/// Directories of one test.
struct Home(tempfile::TempDir);

impl Home {
    fn new() -> Self {
        let home = Self(tempfile::tempdir().unwrap());
        std::fs::create_dir_all(home.own()).unwrap();
        home
    }

    /// The directory of the operator's files.
    fn own(&self) -> std::path::PathBuf {
        self.0.path().join(".config/overrule")
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.own().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// A recorded run on the screen.
    fn replay(&self, args: &[&str], change: impl FnOnce(&mut CommandBuilder)) -> Run {
        let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/sessions/rewritten-thought.jsonl");
        let all = [&["replay", sample], args].concat();
        let home = self.0.path();
        Run::with(crate::support::program(), &all, |command| {
            at_home(command, home, ".");
            command.cwd(home);
            change(command);
        })
    }
}

/// Colours that were set, by their kind.
fn colours(text: &str) -> (usize, usize, usize) {
    let sequences = text.split("\x1b[").filter_map(|piece| piece.split_once('m'));
    let (mut basic, mut indexed, mut all) = (0, 0, 0);
    for (sequence, _) in sequences {
        if !sequence.chars().all(|c| c.is_ascii_digit() || c == ';') {
            continue;
        }
        if sequence.contains("8;2;") {
            all += 1;
        } else if let Some((_, index)) = sequence.split_once("8;5;") {
            let index: u8 = index.split(';').next().unwrap().parse().unwrap();
            if index < 16 { basic += 1 } else { indexed += 1 }
        } else if sequence
            .split(';')
            .any(|code| matches!(code.parse(), Ok(30_u8..=37 | 40..=47 | 90..=97 | 100..=107)))
        {
            basic += 1;
        }
    }
    (basic, indexed, all)
}

#[test]
fn who_leaves_a_recording_is_told_of_the_forks_that_were_made_there() {
    let home = Home::new();
    // The directory of the recording is gone: a fork needs another one.
    let mut run = home.replay(&[], |_| {});
    run.wait_for("replay");
    run.send("$");
    run.wait_for("#166 of 166");
    run.send("|");
    run.wait_for("--at 166 --workspace DIR");
    run.send("\r");
    run.send("\x1b");
    run.kill(Signal::KILL);
    run.exit(SOON);

    let other = tempfile::tempdir().unwrap();
    let mut run = home.replay(&["--workspace", other.path().to_str().unwrap()], |_| {});
    run.wait_for("replay");
    run.send("$");
    run.wait_for("#166 of 166");
    run.send("|");
    run.wait_for("A new session starts with");
    run.send("\r");
    run.wait_for("Written: overrule resume");
    run.send("q");
    assert_eq!(run.exit(SOON), 0);
    let text = run.text();
    let left = &text[text.rfind("\x1b[?1049l").unwrap()..];
    let message = left.find("fork ").map(|at| &left[at + 5..]).unwrap_or_default();
    let id = message.split(';').next().unwrap();
    assert_eq!(id.len(), 36, "{left:?}");
    assert!(message.contains("; to continue: overrule resume "), "{left:?}");
}

#[test]
fn a_recorded_run_is_shown_and_the_terminal_comes_back() {
    let home = Home::new();
    let mut run = home.replay(&[], |_| {});
    run.wait_for("replay");
    assert!(
        run.text().contains("\x1b[22;2t\x1b[?1049h"),
        "the title is kept first"
    );
    run.until("the title", || {
        run.text().contains("\x1b]2;overrule: replay\x1b\\")
    });
    run.send("q");
    assert_eq!(run.exit(SOON), 0);
    run.check_restored("the program");
    assert!(!run.screen().screen().contents().contains("graph"));
}

#[test]
fn the_first_frame_shows_all_of_a_recorded_run() {
    let home = Home::new();
    let mut run = home.replay(&[], |_| {});
    // A frame may arrive in parts.
    run.until("the end of a frame", || run.text().contains("\x1b[?2026l"));
    let text = run.text();
    let (first, _) = text.split_once("\x1b[?2026l").unwrap();
    assert!(first.contains("replay"), "{first:?}");
    assert!(!first.contains("waiting for the run"), "{first:?}");
    run.send("q");
    assert_eq!(run.exit(SOON), 0);
}

#[test]
fn it_ends_by_signals_and_by_ctrl_c_like_any_other() {
    for (act, code) in [
        ((|run: &mut Run| run.kill(Signal::TERM)) as fn(&mut Run), 143),
        (|run| run.kill(Signal::HUP), 129),
        (|run| run.send("\x03\x03"), 130),
    ] {
        let home = Home::new();
        let mut run = home.replay(&[], |_| {});
        run.wait_for("replay");
        act(&mut run);
        assert_eq!(run.exit(SOON), code);
        run.check_restored(&format!("{code}"));
    }
}

#[test]
fn a_storm_of_sizes_while_it_plays_leaves_it_answering() {
    let home = Home::new();
    let mut run = home.replay(&["--speed", "64"], |_| {});
    run.wait_for("replay");
    for step in 0..500_u16 {
        run.resize(1 + step * 7 % 220, 1 + step * 3 % 70);
        if step % 50 == 0 {
            std::thread::sleep(Duration::from_millis(20));
        }
    }
    run.resize(1, 1);
    std::thread::sleep(Duration::from_millis(200));
    run.resize(80, 24);
    run.forget();
    run.send("\x0c");
    run.wait_for("overrule");
    run.send("?");
    run.wait_for("play or pause");
    run.send("\x1b");
    run.until("the page is closed", || {
        !run.screen().screen().contents().contains(" keys ")
    });
    run.send("q");
    assert_eq!(run.exit(SOON), 0);
    run.check_restored("a storm");
}

#[test]
fn colours_are_those_that_the_terminal_shows() {
    let seen = |term: &str, other: &[(&str, &str)]| {
        let home = Home::new();
        let mut run = home.replay(&[], |command| {
            command.env("TERM", term);
            for (name, value) in other {
                command.env(name, value);
            }
        });
        run.wait_for("replay");
        run.send("q");
        run.exit(SOON);
        colours(&run.text())
    };
    let (_, indexed, all) = seen("xterm-256color", &[]);
    assert!(indexed > 10 && all == 0, "{indexed} {all}");
    let (_, indexed, all) = seen("xterm", &[("COLORTERM", "truecolor")]);
    assert!(all > 10 && indexed == 0, "{indexed} {all}");
    let (basic, indexed, all) = seen("xterm", &[]);
    assert!(basic > 10 && indexed == 0 && all == 0, "{basic} {indexed} {all}");
    assert_eq!(seen("xterm-256color", &[("NO_COLOR", "1")]), (0, 0, 0));
    assert_eq!(seen("vt220", &[]), (0, 0, 0));
}

#[test]
fn a_copy_goes_to_the_terminal_whatever_is_in_between() {
    for (name, begin) in [
        ("", "\x1b]52;c;"),
        ("TMUX", "\x1bPtmux;\x1b\x1b]52;c;"),
        ("STY", "\x1bP\x1b]52;c;"),
    ] {
        let home = Home::new();
        let mut run = home.replay(&[], |command| {
            if !name.is_empty() {
                command.env(name, "1");
            }
        });
        run.wait_for("replay");
        run.send("y");
        run.wait_for("Copied");
        run.until(begin, || run.text().contains(begin));
        run.send("q");
        run.exit(SOON);
        run.check_restored(name);
    }
}

#[test]
fn the_mouse_selects_and_is_left_to_the_terminal_on_demand() {
    let home = Home::new();
    let mut run = home.replay(&[], |_| {});
    run.wait_for("replay");
    assert_ne!(
        run.screen().screen().mouse_protocol_mode(),
        vt100::MouseProtocolMode::None
    );
    run.send("$");
    run.wait_for("#166 of 166");
    run.send("4");
    run.wait_for("log");
    run.send("g1");
    run.wait_for("newer below");
    run.wait_for("━ replay");
    // A click on the first row of the graph: the inspector follows.
    let first = run.screen().screen().rows(0, 80).nth(2).unwrap();
    assert!(first.contains(" t25  water.rs (1) "), "{first}");
    run.send("\x1b[<0;10;3M\x1b[<0;10;3m");
    run.wait_for("t25 thought");
    run.send("m");
    run.wait_for("selects text");
    assert_eq!(
        run.screen().screen().mouse_protocol_mode(),
        vt100::MouseProtocolMode::None
    );
    run.send("q");
    run.exit(SOON);
    run.check_restored("the mouse");
    home.write("config.toml", "mouse = false\n");
    let mut run = home.replay(&[], |_| {});
    run.wait_for("replay");
    assert!(!run.text().contains("\x1b[?1000h"), "{:?}", run.text());
    run.send("q");
    run.exit(SOON);
}

#[test]
fn a_large_paste_outside_of_a_text_does_nothing() {
    let home = Home::new();
    let mut run = home.replay(&[], |_| {});
    run.wait_for("replay");
    run.send(&format!("\x1b[200~{}\x1b[201~", "q\x03a\n".repeat(20_000)));
    run.wait_for("Dropped a paste of");
    // Keys right after a paste are treated as part of it.
    run.armed();
    run.send("q");
    assert_eq!(run.exit(SOON), 0, "nothing of the paste ended it");
}

#[test]
fn themes_and_keys_are_read_anew_when_their_files_change() {
    let home = Home::new();
    let dark = include_str!("../../../themes/dark.toml");
    home.write("themes/mine.toml", dark);
    home.write("config.toml", "theme = \"mine\"\n");
    let mut run = home.replay(&[], |command| command.env("COLORTERM", "truecolor"));
    run.wait_for("replay");
    run.forget();
    home.write("themes/mine.toml", &dark.replace("#14171c", "#010203"));
    run.wait_for("Reloaded: theme mine");
    run.until("the new ground", || run.text().contains("48;2;1;2;3"));
    home.write("keys.toml", "quit = \"ctrl-x\"\n");
    run.wait_for("Reloaded: keys");
    home.write("keys.toml", "quit = \"ctrl-x\"\nzoom = \"hyper-x\"\n");
    run.wait_for("Keys unchanged: keys.toml:2:8");
    home.write("themes/mine.toml", "name = \"mine\"\n");
    run.wait_for("Theme mine unchanged: theme themes/mine.toml:1:");
    run.send("q");
    run.wait_for("does nothing here");
    run.send("\x18");
    assert_eq!(run.exit(SOON), 0);
    run.check_restored("new files");
}

#[test]
fn files_that_come_while_it_runs_are_seen_too() {
    let home = Home::new();
    std::fs::remove_dir(home.own()).unwrap();
    let mut run = home.replay(&[], |_| {});
    run.wait_for("replay");
    std::fs::create_dir_all(home.own()).unwrap();
    home.write("keys.toml", "zoom = \"ctrl-e\"\n");
    run.wait_for("Reloaded: keys");
    run.send("q");
    run.exit(SOON);
}

#[test]
fn files_are_seen_whose_directories_are_all_made_while_it_runs() {
    let home = Home::new();
    let late = home.0.path().join("late.d/conf.d");
    let mut run = home.replay(&[], |command| command.env("XDG_CONFIG_HOME", &late));
    run.wait_for("replay");
    std::fs::create_dir_all(late.join("overrule")).unwrap();
    std::fs::write(late.join("overrule/keys.toml"), "zoom = \"ctrl-e\"\n").unwrap();
    run.wait_for("Reloaded: keys");
    run.send("q");
    run.exit(SOON);
}

#[test]
fn a_wrong_key_file_or_theme_is_refused_before_the_screen_is_taken() {
    for (file, text, words) in [
        ("keys.toml", "quit = 3\n", "keys.toml:1:8"),
        ("keys.toml", "quite = \"q\"\n", "did you mean `quit`"),
        (
            "config.toml",
            "theme = \"nowhere\"\n",
            "cannot find theme `nowhere`",
        ),
    ] {
        let home = Home::new();
        home.write(file, text);
        let mut run = home.replay(&[], |_| {});
        assert_eq!(run.exit(SOON), 3, "{file}");
        run.until(words, || {
            let flat: String = run.text().split_whitespace().collect();
            flat.contains(&words.split_whitespace().collect::<String>())
        });
        assert!(
            !run.text().contains("\x1b[?1049h"),
            "{file}: the screen was taken"
        );
        assert!(
            !Path::new(&home.0.path().join(".data")).exists(),
            "something was written"
        );
    }
}
