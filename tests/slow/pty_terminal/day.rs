//! An hour of coding with a hundred calls: once three rules are made from decisions, a few keys are enough.
//!
//! Must not know: how rules are matched.

use std::fmt::Write as _;
use std::process::Command;

use crate::pty_terminal::harness::{Run, SOON, at_home};

/// Turns of the run, each with four calls.
const TURNS: usize = 25;
/// The turns that delete something.
const DELETES: [usize; 3] = [6, 13, 20];
/// Keys that the decisions may take once the rules are made.
const KEYS: usize = 15;

/// A read, an edit, a test and a look at the repository, a commit or something that asks, in every turn.
fn playbook() -> String {
    let mut text = String::from("[meta]\nname = \"hour\"\ntokens_per_s = 2000\n");
    let call = |text: &mut String, tool: &str, label: &str, args: &str| {
        writeln!(
            text,
            "[[rule.call]]\ntool = \"{tool}\"\nas = \"{label}\"\nargs = {{ {args} }}"
        )
        .unwrap();
    };
    // The first rule that matches is followed: the last turn comes first.
    for turn in (0..=TURNS).rev() {
        let when = match turn.checked_sub(1) {
            Some(before) => format!("when = {{ done = [\"last{before}\"] }}\n"),
            None => String::new(),
        };
        if turn == TURNS {
            writeln!(text, "[[rule]]\n{when}answer = \"done after {TURNS} turns\"\n").unwrap();
            continue;
        }
        writeln!(text, "[[rule]]\n{when}think = \"Step {turn}.\"").unwrap();
        let file = format!("path = \"src/f{turn}.txt\", content = \"{turn}\"");
        call(&mut text, "read_file", &format!("read{turn}"), "path = \"t.sh\"");
        call(&mut text, "write_file", &format!("edit{turn}"), &file);
        let test = format!("command = \"ls && sh t.sh unit{turn} 2>&1 | tail -3\"");
        call(&mut text, "shell", &format!("test{turn}"), &test);
        let last = match turn {
            _ if DELETES.contains(&turn) => format!("command = \"rm -f build/x{turn}\""),
            _ if turn % 2 == 0 => format!("command = \"git commit -q --allow-empty -m step{turn}\""),
            _ => "command = \"git status --short\"".to_owned(),
        };
        call(&mut text, "shell", &format!("last{turn}"), &last);
    }
    text
}

fn shows(run: &Run, text: &str) -> bool {
    run.screen().screen().contents().contains(text)
}

/// The number of lines of a file.
fn lines(path: &std::path::Path) -> usize {
    std::fs::read_to_string(path).unwrap_or_default().lines().count()
}

/// A repository with a program of tests, things to delete, and a run that begins in it.
fn begin(root: &std::path::Path, work: &std::path::Path) -> Run {
    std::fs::create_dir_all(work.join("build")).unwrap();
    std::fs::write(work.join("t.sh"), "echo $1 >> ran.txt\n").unwrap();
    for turn in DELETES {
        std::fs::write(work.join(format!("build/x{turn}")), "").unwrap();
    }
    let mut git = Command::new("git");
    assert!(
        git.current_dir(work)
            .args(["init", "-q", "-b", "main"])
            .status()
            .unwrap()
            .success()
    );
    let identity = "[user]\nname = t\nemail = t@t\n";
    std::fs::write(root.join(".gitconfig"), identity).unwrap();
    let book = root.join("hour.toml");
    std::fs::write(&book, playbook()).unwrap();
    let args = [
        "run",
        "--model",
        "scripted",
        "--playbook",
        book.to_str().unwrap(),
        "go",
    ];
    Run::with(crate::support::program(), &args, |command| {
        at_home(command, root, "");
        command.cwd(work);
    })
}

/// A rule from the test, one from the commit, and the preset for edits from the edit. Each is the row that is marked, or the
/// one that is walked to.
fn three_rules(run: &mut Run, work: &std::path::Path) {
    run.until("three calls wait", || shows(run, "3 to decide"));
    run.armed();
    run.types("j");
    run.until("the test is looked at", || {
        shows(run, "runs 2 commands") || shows(run, "runs 3 commands")
    });
    run.armed();
    run.types("+");
    run.until("its rules", || shows(run, "❯ allow sh t.sh …"));
    run.armed();
    run.send("\r");
    run.until("the test ran", || {
        lines(&work.join("ran.txt")) == 1 && shows(run, "2 to decide")
    });
    run.until("the commit is looked at", || shows(run, "runs git commit"));
    run.armed();
    run.types("+");
    run.until("its rules", || shows(run, "❯ allow git commit …"));
    run.armed();
    run.send("\r");
    run.until("the edit is left", || {
        shows(run, "1 to decide") && shows(run, "src/f0.txt")
    });
    run.armed();
    run.types("+");
    run.until("its rules", || shows(run, "preset edits"));
    let row = |run: &Run| {
        let contents = run.screen().screen().contents();
        contents
            .lines()
            .rev()
            .map(|row| row.trim_start_matches(['┃', ' ']))
            .find(|row| row.starts_with('❯'))
            .map(str::to_owned)
    };
    while !row(run).is_some_and(|row| row.contains("preset edits")) {
        let before = row(run);
        run.types("j");
        run.until("the next row", || row(run) != before);
    }
    run.armed();
    run.send("\r");
    run.until("the preset is set", || !shows(run, "rules made from it"));
}

#[test]
fn a_hundred_calls_take_few_keys_once_three_rules_are_made() {
    let root = tempfile::tempdir().unwrap();
    let work = root.path().join("work");
    let mut run = begin(root.path(), &work);
    three_rules(&mut run, &work);
    // From here on each key counts.
    let mut keys = 0;
    let mut decide = |run: &mut Run, what: &str| {
        run.until(what, || shows(run, "1 to decide"));
        run.armed();
        // It is looked for where it is not on the screen.
        if !shows(run, &format!("runs {what}")) && !shows(run, &format!("creates {what}")) {
            run.types("t");
            keys += 1;
            run.until(what, || shows(run, what));
            run.armed();
        }
        run.types("a");
        keys += 1;
        run.until("it is decided", || !shows(run, "1 to decide"));
    };
    decide(&mut run, "src/f0.txt");
    for turn in DELETES {
        decide(&mut run, &format!("rm -f build/x{turn}"));
    }
    run.until("the answer", || shows(&run, "answered"));
    println!("{keys} keys");
    assert!(keys <= KEYS, "{keys} keys");
    run.until("its branch with what is not committed", || {
        shows(&run, "work:main ±")
    });
    assert_eq!(lines(&work.join("ran.txt")), TURNS, "every test ran once");
    let edited = work.join("src").read_dir().unwrap().count();
    assert_eq!(edited, TURNS, "every edit was made");
    assert_eq!(
        work.join("build").read_dir().unwrap().count(),
        0,
        "what was approved by hand ran"
    );
    let mut log = Command::new("git");
    let log = log
        .current_dir(&work)
        .args(["log", "--oneline"])
        .output()
        .unwrap();
    let commits = String::from_utf8_lossy(&log.stdout).lines().count();
    let even = (0..TURNS).filter(|turn| turn % 2 == 0 && !DELETES.contains(turn));
    assert_eq!(commits, even.count());
    run.types("q");
    run.exit(SOON);
    run.check_restored("an hour of coding");
}
