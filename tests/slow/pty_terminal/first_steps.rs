//! Types the keys of the README's "First steps" at 80x24, in a small directory and in this project.
//!
//! Must not know: how the audit finds anything.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::pty_terminal::harness::{Run, SOON, at_home};

const REPORT: &str = "overrule-report.md";
/// What the thought looks for before it is changed.
const USUAL: &str = "`\\b(TODO|FIXME|XXX|HACK)\\b`.";

/// All files below a directory but the report.
fn files(dir: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = BTreeMap::new();
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            all.extend(files(&path));
        } else if !path.ends_with(REPORT) {
            all.insert(path.clone(), fs::read(path).unwrap());
        }
    }
    all
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let to = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &to);
        } else {
            fs::copy(&path, to).unwrap();
        }
    }
}

/// The screen as one line, without the frames of the panes.
fn flat(run: &Run) -> String {
    let contents = run.screen().screen().contents();
    let words = contents.split_whitespace().filter(|word| *word != "▍");
    words.collect::<Vec<_>>().join(" ")
}

/// Waits for the report's call, goes to it and approves it: two keys.
fn approve(run: &mut Run, report: &Path) {
    let before = fs::read(report).ok();
    run.wait_for("1 to decide");
    run.send("t");
    run.wait_for("┏━ c");
    run.wait_for("┗━━━");
    run.armed();
    assert_eq!(fs::read(report).ok(), before, "written without approval");
    run.send("a");
    run.wait_for("Approved c");
    run.wait_for("answered");
    assert!(fs::read(report).ok() != before, "not written");
}

/// Edits the thought that says what is looked for: removes so many characters at its end and types others.
fn edit(run: &mut Run, removed: usize, typed: &str) {
    run.types("1");
    for _ in 0..60 {
        let contents = run.screen().screen().contents();
        if contents
            .lines()
            .any(|row| row.starts_with('❯') && row.contains(" I see "))
        {
            break;
        }
        run.types("k");
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    run.types("e");
    run.wait_for("ctrl-s preview");
    run.types(&"\x7f".repeat(removed));
    run.types(typed);
    run.types("\x13");
    run.wait_for("rewrite of t");
    run.armed();
    run.types("\r");
    // What of the superseded steps is in files is restored.
    run.until("the edit is committed", || {
        let screen = flat(run);
        screen.contains("Committed 1 edit") || screen.contains("Restored 1 path")
    });
}

/// The edits of "First steps": what is removed of the thought, what is typed, and what is then looked for.
const EDITS: [(&str, &str, &str); 3] = [
    ("", " Look for unsafe.", "unsafe"),
    ("all", "`valve`.", "valve"),
    ("all", "Ada.", "Ada"),
];

/// "First steps" in a directory, with these edits.
fn first_steps(work: &Path, root: &Path, edits: &[(&str, &str, &str)]) {
    let before = files(work);
    let report = work.join(REPORT);
    let mut run = Run::with(crate::support::program(), &[], |command| {
        at_home(command, root, "");
        command.cwd(work);
    });
    approve(&mut run, &report);
    let usual = fs::read_to_string(&report).unwrap();
    assert!(usual.contains("Unfinished work"), "{usual}");
    let mut last = USUAL.to_owned();
    for (removed, typed, pattern) in edits {
        let removed = if removed.is_empty() { 0 } else { last.len() };
        edit(&mut run, removed, typed);
        last = if removed == 0 {
            format!("{last}{typed}")
        } else {
            (*typed).to_owned()
        };
        approve(&mut run, &report);
        run.types("1G");
        run.until(pattern, || {
            let screen = flat(&run);
            let found = [
                format!("match `{pattern}`, as you asked."),
                format!("matches `{pattern}`, as you asked."),
            ];
            let none = format!("Nothing here matches `{pattern}`, which you asked for.");
            screen.contains("answer turn")
                && (screen.contains(&none) || found.iter().any(|words| screen.contains(words)))
        });
        let written = fs::read_to_string(&report).unwrap();
        assert!(written.contains(&format!("`{pattern}`")), "{written}");
        assert!(!written.contains("TODO"), "{written}");
    }
    assert_eq!(files(work), before, "only the report was written");
    run.types("q");
    assert_eq!(run.exit(SOON), 0);
}

#[test]
fn the_first_steps_work_in_a_small_directory() {
    let root = tempfile::tempdir().unwrap();
    let work = root.path().join("work");
    fs::create_dir_all(&work).unwrap();
    fs::write(work.join("README.md"), "# Garden\n\nTODO: say how often\n").unwrap();
    fs::write(
        work.join("water.py"),
        "# FIXME: twice\ndef unsafe_valve():\n    pass\n",
    )
    .unwrap();
    fs::write(work.join("notes.txt"), "ask Ada about the valve\n").unwrap();
    first_steps(&work, root.path(), &EDITS);
}

#[test]
fn the_first_steps_work_in_this_project() {
    let root = tempfile::tempdir().unwrap();
    let work = root.path().join("work");
    let project = Path::new(env!("CARGO_MANIFEST_DIR"));
    for part in ["src", "docs", "sessions"] {
        copy(&project.join(part), &work.join(part));
    }
    for file in ["README.md", "Cargo.toml", "Cargo.lock"] {
        fs::copy(project.join(file), work.join(file)).unwrap();
    }
    // The other ways to write an edit are those of the small directory.
    first_steps(&work, root.path(), &overrule_testing::sample(EDITS, 3));
}
