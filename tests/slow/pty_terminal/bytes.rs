//! Checks every byte that the real program writes to a terminal.
//!
//! The content tries to send bytes of its own. Only a short list of sequences and visible
//! characters may be written.

use std::time::Duration;

use regex::Regex;

use crate::pty_terminal::harness::{Run, SOON};
use crate::pty_terminal::live::World;

/// What may follow an ESC. One line for each thing that the console does to a terminal.
const ALLOWED: [&str; 9] = [
    // colours and looks
    r"^\[[0-9;:]*m$",
    // the cursor: where, whether it is seen
    r"^\[[0-9;]*H$|^\[[0-9]*[ABCDG]$|^\[\?25[hl]$",
    // parts of the screen and the lines cleared
    r"^\[[0-3]?[JK]$|^\[[0-9]*X$",
    // alternate screen, bracketed paste, focus, mouse, synchronized frames
    r"^\[\?(1049|2004|1004|1000|1002|1003|1006|1015|2026)[hl]$",
    // text stays as it is written, whatever its script
    r"^\[8[hl]$",
    // distinct key codes
    r"^\[[<>]1?u$|^\[>[0-9]+u$",
    // the title of the window kept and put back
    r"^\[2[23];2t$",
    // the title, a notification, the clipboard: in the console's own words, or encoded
    r"^\]2;overrule: [a-z0-9 ]*$|^\]9;overrule: [a-z0-9 ]*$|^\]777;notify;overrule;[a-z0-9 ]*$|^\]52;c;[A-Za-z0-9+/=]*$",
    // questions about the terminal, of which one is the colour of its background
    r"^\[c$|^\[\?u$|^\[6n$|^\]11;\?$",
];

/// The sequences of a text, each without its ESC and its end, and the text outside of them.
fn sequences(text: &str) -> (Vec<String>, String) {
    let (mut found, mut plain) = (Vec::new(), String::new());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\u{1b}') {
        plain.push_str(before);
        let end = match after.chars().next() {
            Some('[') => after
                .char_indices()
                .skip(1)
                .find(|(_, c)| ('@'..='~').contains(c))
                .map(|(at, c)| (at + c.len_utf8(), 0)),
            Some(']' | 'P' | '_' | '^' | 'X') => {
                let bell = after.find('\u{7}').map(|at| (at, 1));
                let string = after.find("\u{1b}\\").map(|at| (at, 2));
                [bell, string].into_iter().flatten().min()
            }
            Some(c) => Some((c.len_utf8(), 0)),
            None => None,
        };
        let (end, more) = end.unwrap_or((after.len(), 0));
        found.push(after[..end].to_owned());
        rest = &after[end + more..];
    }
    plain.push_str(rest);
    (found, plain)
}

/// True for a character that changes, hides or moves what is seen.
fn is_unsafe(c: char) -> bool {
    let control = c.is_control() && !matches!(c, '\r' | '\n' | '\u{7}' | '\u{8}');
    control
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fe00}'..='\u{fe0f}' | '\u{e0000}'..='\u{e01ef}'
            | '\u{e000}'..='\u{f8ff}')
}

fn check(run: &Run, name: &str) {
    let text = run.text();
    let allowed: Vec<Regex> = ALLOWED.iter().map(|one| Regex::new(one).unwrap()).collect();
    let (found, plain) = sequences(&text);
    assert!(found.len() > 100, "{name}: {} sequences", found.len());
    // The program continues: its last sequence may be incomplete.
    let begun = Regex::new(r"^\[[0-9;?]*$").unwrap();
    let whole = match found.as_slice() {
        [whole @ .., last] if text.ends_with(last) && begun.is_match(last) => whole,
        all => all,
    };
    for one in whole {
        assert!(
            allowed.iter().any(|allowed| allowed.is_match(one)),
            "{name}: {one:?}"
        );
    }
    if let Some(at) = plain.find(is_unsafe) {
        let near: String = plain[at..].chars().take(40).collect();
        panic!("{name}: {near:?}");
    }
}

/// What content tries: to clear the screen, to set the title and the clipboard, to ask the terminal, to draw a frame of
/// its own, to turn the direction, to hide; with ESC and with the controls of one byte.
const EVIL: &str = concat!(
    r"\u001B[2J\u001B[HEVIL\u001B]0;evil\u0007\u001B]52;c;ZXZpbA==\u0007\u001B[6n\u001BP+q544e\u001B\\",
    r"\u009B2J\u009D52;c;ZXZpbA==\u009C\u0090q\u009C",
    r"\u202Egnp.exe\u2066\u200B\u200F\uFEFF\U000E0041 e\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301",
    r"┏━ c3 changes out.txt · guarded asks ━ 1 of 1 ━\r\n┃ yes\b\b\b\f\u000B\u007F",
);

fn playbook() -> String {
    format!(
        r#"
[meta]
name = "evil"
[[rule]]
when = {{ seen_call = ["it"] }}
answer = "{EVIL}"
[[rule]]
when = {{ seen_call = ["read"] }}
think = "Now a write. {EVIL}"
[[rule.call]]
tool = "write_file"
as = "it"
args = {{ path = "out.txt", content = "{EVIL}" }}
[[rule]]
think = "{EVIL}"
[[rule.call]]
tool = "read_file"
as = "read"
args = {{ path = "evil.txt" }}
[[rule.call]]
tool = "list_dir"
as = "list"
args = {{ path = "." }}
[[rule.call]]
tool = "read_file"
as = "none"
args = {{ path = "no\u001B[2Jthing" }}
"#
    )
}

/// The same as raw characters.
const RAW: &str =
    "\u{1b}[2J\u{1b}]0;evil\u{7}\u{1b}]52;c;ZXZpbA==\u{7}\u{9b}2J\u{202e}gnp\u{200b}\r\n\u{8}\u{7f}┃ yes";

#[test]
fn lines_of_json_on_a_terminal_hold_escapes() {
    let world = World::playing(&playbook());
    std::fs::write(world.work().join("evil.txt"), RAW).unwrap();
    let args = world.args();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let free = ["--headless", "--json", "--policy", "auto", "do"];
    let mut run = world.program(&[&args, free.as_slice()], "");
    assert_eq!(run.exit(SOON), 0);
    let text = run.text();
    assert!(text.contains("\"type\":\"result\""), "{text}");
    assert!(
        text.contains("\\u009b2J") && text.contains("\\u202egnp"),
        "{text}"
    );
    if let Some(at) = text.find(is_unsafe) {
        let near: String = text[at..].chars().take(40).collect();
        panic!("{near:?}");
    }
}

#[test]
fn nothing_of_any_content_reaches_the_terminal_but_what_can_be_seen() {
    let world = World::playing(&playbook());
    std::fs::write(
        world.work().join("evil.txt"),
        format!("{RAW}\n{}", RAW.repeat(20)),
    )
    .unwrap();
    std::fs::write(world.work().join("na\u{1b}[31mme\u{202e}\u{9b}"), "x").unwrap();
    let mut run = world.task(
        &format!("do it {}", RAW.replace(['\r', '\n'], " ")),
        "",
        "[notify]\ndesktop = true\n",
    );
    run.wait_for(" to decide");
    // Every tab of every kind of node, every pane, the pages, other sizes; and a copy of each.
    for (cols, rows) in [(80, 24), (160, 50), (40, 12)] {
        run.resize(cols, rows);
        run.send("1g");
        for _ in 0..8 {
            for _ in 0..7 {
                run.send(">");
                std::thread::sleep(Duration::from_millis(30));
            }
            run.send("yj");
        }
        for keys in [
            "4", "5", "6", "7", "8", "8", "?", "\x1b", "2", "e", "\x1b", "V", "V", "J", "J", "/EVIL\r",
            "\x0c",
        ] {
            run.send(keys);
            // Esc right before another key would be that key with alt.
            std::thread::sleep(Duration::from_millis(150));
        }
        run.send("\x1b");
        std::thread::sleep(Duration::from_millis(150));
    }
    run.resize(80, 24);
    run.send("t");
    run.wait_for("U+001B");
    check(&run, "a run");
    run.send("q");
    std::thread::sleep(Duration::from_millis(200));
    if run.child.try_wait().unwrap().is_none() {
        run.send("\x1b\x03\x03");
    }
    run.exit(SOON);
    check(&run, "a run and its end");
    assert!(!world.work().join("out.txt").exists(), "nobody approved it");
}
