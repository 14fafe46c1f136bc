//! Ten tasks of an operator's day: each takes at most eight keys, what is typed into a text not counted.
//!
//! Must not know: how a key is bound to a command.

use std::path::Path;

use rustix::process::Signal;

use crate::pty_terminal::harness::{Run, SOON, at_home};

/// The most keys of a task.
const KEYS: usize = 8;

/// Reads, then a turn of four calls, the tests again, and a note that asks.
const PLAYBOOK: &str = r##"
[meta]
name = "fix"
tokens_per_s = 2000

[[rule]]
when = { done = ["note"] }
answer = "`mean` is fixed."

[[rule]]
when = { done = ["again"] }
think = "One test is left. I write a note."
[[rule.call]]
tool = "write_file"
as = "note"
args = { path = "NOTES.md", content = "# Notes\n" }

[[rule]]
when = { done = ["commit"] }
think = "I run the tests again."
[[rule.call]]
tool = "shell"
as = "again"
args = { command = "sh t.sh all" }

[[rule]]
when = { done = ["look"] }
think = "I correct `mean`, run the tests, clean up and commit."
[[rule.call]]
tool = "edit_file"
as = "edit"
args = { path = "mean.txt", old = "sum / len + 1\n", new = "sum / len\n" }
[[rule.call]]
tool = "shell"
as = "tests"
args = { command = "sh t.sh mean" }
[[rule.call]]
tool = "shell"
as = "clean"
args = { command = "rm -f build/x" }
[[rule.call]]
tool = "shell"
as = "commit"
args = { command = "echo committed > log.txt" }

[[rule]]
think = "I look for `TODO`."
[[rule.call]]
tool = "list_dir"
as = "look"
args = { path = "." }
"##;

/// A run, and the keys of a task.
struct Day {
    run: Run,
    keys: usize,
}

impl Day {
    fn begin(root: &Path, args: &[&str]) -> Self {
        let work = root.join("work");
        let run = Run::with(crate::support::program(), args, |command| {
            at_home(command, root, "");
            command.cwd(work);
        });
        Self { run, keys: 0 }
    }

    /// Presses keys once the screen is armed for them.
    fn press(&mut self, keys: &[&str]) {
        for key in keys {
            self.run.armed();
            self.run.send(key);
            self.keys += 1;
        }
    }

    /// Ends a task.
    fn done(&mut self, task: &str) {
        println!("{task}: {} keys", self.keys);
        assert!(self.keys <= KEYS, "{task}: {} keys", self.keys);
        self.keys = 0;
    }

    fn sees(&self, text: &str) -> bool {
        self.run.screen().screen().contents().contains(text)
    }

    fn until(&self, text: &str) {
        self.run.wait_for(text);
    }
}

fn file(work: &Path, name: &str) -> String {
    std::fs::read_to_string(work.join(name)).unwrap_or_default()
}

#[test]
fn each_of_ten_tasks_takes_at_most_eight_keys() {
    let root = tempfile::tempdir().unwrap();
    let work = root.path().join("work");
    std::fs::create_dir_all(work.join("build")).unwrap();
    std::fs::write(work.join("build/x"), "").unwrap();
    std::fs::write(work.join("mean.txt"), "sum / len + 1\n").unwrap();
    let tests = "echo $1 >> ran.txt\nfor n in 1 2 3 4 5 6 7 8 9; do echo test $n ok; done\n\
                 echo 'AssertionError: 3 is not 2.5'\necho 'FAILED: median'\nexit 1\n";
    std::fs::write(work.join("t.sh"), tests).unwrap();
    let book = root.path().join("fix.toml");
    std::fs::write(&book, PLAYBOOK).unwrap();
    let book = book.to_str().unwrap();
    let args = ["run", "--model", "scripted", "--playbook", book, "fix the tests"];
    let mut day = Day::begin(root.path(), &args);

    day.until("4 to decide");
    assert!(
        day.sees("changes mean.txt · guarded asks about changes to files"),
        "the first question says why it asks, without a key"
    );
    day.done("say why it asks");

    day.press(&["j", "x", "\r"]);
    day.until("3 to decide");
    day.done("stop the second call");

    day.press(&["A"]);
    day.until("3 calls run in this order");
    day.press(&["\x01"]);
    day.until("1 to decide");
    day.done("approve the other three");
    assert_eq!(file(&work, "mean.txt"), "sum / len\n");
    assert_eq!(file(&work, "log.txt"), "committed\n");
    assert_eq!(
        file(&work, "ran.txt"),
        "",
        "the call that was stopped did not run"
    );

    day.press(&["t"]);
    day.until("runs sh t.sh all");
    day.press(&["e"]);
    day.until("━ edit c");
    day.run.types(" slow");
    day.press(&["\x13"]);
    day.until("+ sh t.sh all slow");
    day.press(&["\r"]);
    day.until("c13 write_file NOTES.md");
    day.done("change one argument");
    assert_eq!(file(&work, "ran.txt"), "all\n", "it ran once");

    day.press(&["f"]);
    day.until("AssertionError: 3 is not 2.5");
    day.done("find the output of the failed test");

    day.press(&["7"]);
    day.until("price      none");
    day.press(&["7"]);
    day.done("find what it cost");

    day.press(&["u"]);
    day.until("− sh t.sh all slow");
    assert!(day.sees("superseded"), "what it takes back is named");
    day.press(&["\r"]);
    day.until("runs sh t.sh");
    day.done("see what the last edit changed, and undo it");
    day.run.until("what the edited call wrote is taken back", || {
        file(&work, "ran.txt").is_empty()
    });

    day.press(&["[", "[", "[", "e"]);
    day.until("I look for `TODO`.");
    day.run.types(" Only in src.");
    day.press(&["\x13"]);
    day.until("superseded");
    day.press(&["\r"]);
    day.until("4 to decide");
    day.done("make it look elsewhere");

    day.run.kill(Signal::HUP);
    day.run.exit(SOON);
    let mut day = Day::begin(root.path(), &[]);
    day.until("enter continue \"fix the tests\"");
    day.press(&["\r"]);
    day.until("4 to decide");
    day.done("continue after the terminal closed");
    // What stays of superseded calls is shown first.
    day.until("orphaned effects");
    day.run.armed();
    day.run.send("\x1b");
    day.run
        .until("the page is closed", || !day.sees("orphaned effects"));
    day.run.types("q");
    day.run.exit(SOON);
    assert!(day.run.text().contains("Left with 4 calls to decide"));

    let mut day = Day::begin(root.path(), &["replay", "last"]);
    day.until("paused");
    day.press(&["\x1bf"]);
    day.until("FAILED: median");
    assert!(day.sees("ended with exit 1"));
    day.done("replay the moment of the failure");
    day.run.types("q");
    day.run.exit(SOON);
}
