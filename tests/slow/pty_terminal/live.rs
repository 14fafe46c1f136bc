//! Tests of a live run on a real screen: the operator is called, decides and edits.
//!
//! The terminal is restored whatever happens to the program meanwhile.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::Duration;

use portable_pty::CommandBuilder;
use rustix::process::Signal;

use crate::pty_terminal::harness::{ARMED, Run, SOON, at_home, writes};

/// A write that has to be approved.
const PLAYBOOK: &str = r#"
[meta]
name = "one"
[[rule]]
when = { done = ["it"] }
answer = "written"
[[rule]]
when = { failed = ["it"] }
answer = "refused"
[[rule]]
think = "I will write."
[[rule.call]]
tool = "write_file"
as = "it"
args = { path = "out.txt", content = "agent" }
"#;

/// A directory for a run of a playbook.
pub struct World(tempfile::TempDir);

impl World {
    fn new() -> Self {
        Self::playing(PLAYBOOK)
    }

    pub fn playing(playbook: &str) -> Self {
        let world = Self(tempfile::tempdir().unwrap());
        std::fs::create_dir_all(world.work()).unwrap();
        std::fs::write(world.0.path().join("playbook.toml"), playbook).unwrap();
        world
    }

    /// The directory that the tools work in.
    pub fn work(&self) -> PathBuf {
        self.0.path().join("work")
    }

    fn out(&self) -> PathBuf {
        self.0.path().join("work/out.txt")
    }

    fn run(&self, editor: &str, settings: &str) -> Run {
        let run = self.task("write it", editor, settings);
        run.wait_for(" to decide");
        run
    }

    /// A run with a task.
    pub fn task(&self, task: &str, editor: &str, settings: &str) -> Run {
        self.settings(settings);
        let args = self.args();
        let args: Vec<&str> = args.iter().map(String::as_str).chain([task]).collect();
        Run::with(crate::support::program(), &args, |command| {
            self.surround(command, editor);
        })
    }

    /// The program with these arguments.
    pub fn program(&self, args: &[&[&str]], editor: &str) -> Run {
        self.settings("");
        Run::with(crate::support::program(), &args.concat(), |command| {
            self.surround(command, editor);
        })
    }

    fn settings(&self, settings: &str) {
        let own = self.0.path().join("config/overrule");
        std::fs::create_dir_all(&own).unwrap();
        std::fs::write(own.join("config.toml"), settings).unwrap();
    }

    pub fn args(&self) -> Vec<String> {
        let playbook = self.0.path().join("playbook.toml");
        let args = [
            "run",
            "--model",
            "scripted",
            "--playbook",
            playbook.to_str().unwrap(),
        ];
        args.map(str::to_owned).to_vec()
    }

    fn surround(&self, command: &mut CommandBuilder, editor: &str) {
        let root = self.0.path();
        at_home(command, root, "");
        command.env("VISUAL", editor);
        command.cwd(root.join("work"));
    }

    /// A shell that can stop and continue what it starts.
    fn in_a_shell(&self) -> Run {
        self.settings("");
        let run = Run::with("sh", &["-im"], |command| self.surround(command, ""));
        run.wait_for("shell> ");
        run
    }

    /// Begins the run in a shell.
    fn begin_in(&self, run: &mut Run) {
        let line = self.args().join(" ");
        run.send(&format!("{} {line} 'write it'\n", crate::support::program()));
        run.wait_for(" to decide");
    }
}

/// Waits for the end of the run: an operator who quits earlier is asked about running calls.
fn answered(run: &Run) {
    run.until("the answer", || {
        run.text().contains("\x1b]2;overrule: answered\x1b\\")
    });
}

#[test]
fn the_operator_is_called_and_his_approval_counts() {
    let world = World::new();
    let mut run = world.run("", "[notify]\ndesktop = true\n");
    run.until("the bell", || run.text().contains('\u{7}'));
    run.until("a notification", || {
        run.text().contains("\x1b]9;overrule: 1 to decide\x1b\\")
    });
    run.until("the title", || {
        run.text().contains("\x1b]2;overrule: 1 to decide\x1b\\")
    });
    run.send("t");
    run.armed();
    assert!(!world.out().exists());
    run.send("a");
    run.until("it ran", || world.out().exists());
    run.until("the title", || {
        run.text().contains("\x1b]2;overrule: answered\x1b\\")
    });
    run.send("q");
    assert_eq!(run.exit(SOON), 0);
    run.check_restored("an approved call");
    assert!(run.screen().screen().contents().contains("overrule resume"));
}

/// Eight writes in one turn.
fn eight() -> String {
    let mut playbook =
        "[meta]\nname = \"eight\"\n[[rule]]\nwhen = { done = [\"w1\"] }\nanswer = \"written\"\n".to_owned();
    playbook.push_str("[[rule]]\nthink = \"All at once.\"\n");
    for no in 1..=8 {
        let _ = write!(
            playbook,
            "[[rule.call]]\ntool = \"write_file\"\nas = \"w{no}\"\nargs = {{ path = \"{no}.txt\", content = \"agent\" }}\n"
        );
    }
    playbook
}

#[test]
fn a_key_that_is_held_down_approves_one_call() {
    let world = World::playing(&eight());
    let mut run = world.run("", "");
    run.wait_for("8 to decide");
    run.send("t");
    run.armed();
    // As a keyboard sends it: once, after a while again, then thirty times a second.
    run.send("a");
    std::thread::sleep(Duration::from_millis(660));
    for _ in 0..60 {
        run.send("a");
        std::thread::sleep(Duration::from_millis(33));
    }
    // Keys that a busy machine reads at once are refused with another message, which replaces this one.
    run.until("held down", || run.text().contains("held down"));
    let written = || std::fs::read_dir(world.work()).unwrap().count();
    run.until("one of them ran", || written() == 1);
    std::thread::sleep(ARMED * 2);
    assert_eq!(written(), 1);
    run.send("a");
    run.until("another one ran", || written() == 2);
}

#[test]
fn what_cannot_be_undone_wants_the_name_of_its_tool_typed() {
    let world = World::new();
    let mut run = world.run("", "[tool.write_file]\ntags = [\"irreversible\"]\n");
    run.send("t");
    run.wait_for("always asks: cannot be undone");
    run.armed();
    run.send("a");
    run.wait_for("type write_file to approve c3:");
    run.types("write\r");
    run.wait_for("not the name");
    assert!(!world.out().exists());
    run.send("\x1b[200~_file\x1b[201~\r");
    std::thread::sleep(Duration::from_millis(300));
    assert!(!world.out().exists(), "pasted, not typed");
    run.types("_file\r");
    run.until("it ran", || world.out().exists());
    answered(&run);
    run.send("q");
    assert_eq!(run.exit(SOON), 0);
    run.check_restored("a typed word");
}

#[test]
fn who_looks_at_the_window_is_not_notified() {
    let world = World::playing(&writes(&[
        ("a", "a.txt", "first"),
        ("b", "b.txt", "second"),
        ("c", "c.txt", "third"),
    ]));
    let notice = "\x1b]9;overrule: 1 to decide\x1b\\";
    let mut run = world.run("", "[notify]\ndesktop = true\n");
    run.until("a notification", || run.text().contains(notice));
    // The terminal reports focus: the next question only rings the bell.
    run.send("\x1b[I");
    run.send("t");
    run.wait_for("first");
    run.armed();
    run.forget();
    run.send("a");
    run.until("the bell", || run.text().contains('\u{7}'));
    std::thread::sleep(ARMED);
    assert!(!run.text().contains("\x1b]9;"), "{:?}", run.text());
    // And that it is left again.
    run.send("\x1b[O");
    run.send("t");
    run.send("\x0c");
    run.wait_for("second");
    run.armed();
    run.forget();
    run.send("a");
    run.until("a notification", || run.text().contains(notice));
    run.send("q");
    assert_eq!(run.exit(SOON), 0);
    run.check_restored("a window that is looked at");
}

#[test]
fn each_call_can_be_turned_off() {
    let world = World::new();
    let mut run = world.run("", "[notify]\nbell = false\ntitle = false\ndesktop = false\n");
    // Drawn again after the question arrived: all notifications have been sent.
    run.send("?");
    run.wait_for("next waiting call");
    let text = run.text();
    for sequence in ["\u{7}", "\x1b]9;", "\x1b]2;", "\x1b[22;2t"] {
        assert!(!text.contains(sequence), "{sequence:?} in {text:?}");
    }
    run.send("\x1b");
    run.until("the page is closed", || {
        !run.screen().screen().contents().contains("next waiting call")
    });
    run.send("q");
    assert_eq!(run.exit(SOON), 0);
    run.check_restored("no calls");
}

#[test]
fn stopped_from_the_keyboard_the_run_comes_back_to_its_question() {
    let world = World::new();
    let mut run = world.in_a_shell();
    let modes = run.modes_now();
    world.begin_in(&mut run);
    run.forget();
    run.send("\x1a");
    run.stopped();
    assert!(!run.screen().screen().alternate_screen());
    assert_eq!(run.modes_now(), modes);
    run.resize(100, 30);
    run.forget();
    run.send("fg\n");
    run.until("all of the larger terminal is used", || {
        let last = run.screen().screen().rows(0, 100).nth(29);
        last.is_some_and(|row| row.contains("a approve"))
    });
    assert!(run.screen().screen().alternate_screen());
    assert!(run.screen().screen().bracketed_paste());
    assert!(!world.out().exists());
    run.send("t");
    // The last that comes to the question: a key that was there before it decides nothing.
    run.wait_for("a new file");
    run.armed();
    run.send("a");
    run.until("it ran", || world.out().exists());
    answered(&run);
    run.send("q");
    run.wait_for("shell> ");
    assert!(!run.screen().screen().alternate_screen());
    assert_eq!(run.modes_now(), modes);
    run.send("exit\n");
    run.exit(SOON);
}

#[test]
fn who_leaves_a_run_that_could_not_be_recorded_is_told_why() {
    let world = World::new();
    let mut run = world.in_a_shell();
    world.begin_in(&mut run);
    run.send("q");
    run.wait_for("continues it");
    let sessions = world.0.path().join("data/overrule/sessions");
    let first = std::fs::read_dir(sessions).unwrap().next().unwrap().unwrap();
    let bytes = first.path().join("journal.jsonl").metadata().unwrap().len();
    // No file can grow to what the same run needs, as on a full disk.
    let line = world.args().join(" ");
    let program = crate::support::program();
    run.forget();
    run.send(&format!(
        "trap '' XFSZ; ulimit -f {}; {program} {line} 'write it'; echo code $?\n",
        bytes / 512 - 1
    ));
    run.wait_for("HALTED");
    run.send("W");
    run.wait_for("The run is halted");
    run.send("\x1b");
    run.until("the page is closed", || {
        !run.screen().screen().contents().contains("The run is halted")
    });
    run.forget();
    run.send("q");
    // It may have been cut off in the middle of the stream, which counts as open.
    run.until("it asks or leaves", || {
        let text = run.screen().screen().contents();
        text.contains("quit?") || text.contains("code 7")
    });
    run.armed();
    if !run.screen().screen().contents().contains("code 7") {
        run.send("q");
    }
    run.wait_for("code 7");
    let output = run.screen().screen().contents().replace('\n', "");
    assert!(output.contains("the session cannot be written"), "{output}");
    assert!(output.contains("overrule resume"), "{output}");
    assert!(output.contains("continues it"), "{output}");
    assert!(!world.out().exists());
    run.send("exit\n");
    run.exit(SOON);
}

#[test]
fn the_operators_editor_changes_what_runs() {
    let world = World::new();
    let mut run = world.run("sed -i s/agent/operator/", "");
    run.send("te");
    run.wait_for("━ edit c");
    run.edit_outside();
    run.wait_for("operator");
    run.send("\x13");
    run.wait_for("agent");
    run.armed();
    run.send("\r");
    run.until("it ran", || world.out().exists());
    assert_eq!(std::fs::read_to_string(world.out()).unwrap(), "operator");
    answered(&run);
    run.send("q");
    assert_eq!(run.exit(SOON), 0);
    run.check_restored("the operator's editor");
}

#[test]
fn keys_in_a_burst_and_pastes_decide_nothing() {
    let world = World::new();
    let mut run = world.run("", "");
    run.send("t");
    run.armed();
    run.send("aaaaaaaa");
    run.send("\x1b[200~a\x1b[201~");
    run.wait_for("Dropped a paste of");
    std::thread::sleep(Duration::from_millis(200));
    assert!(!world.out().exists());
    // A click on every cell of the screen.
    for y in 1..=24 {
        for x in (1..=80).step_by(5) {
            run.send(&format!("\x1b[<0;{x};{y}M\x1b[<0;{x};{y}m"));
        }
    }
    std::thread::sleep(ARMED);
    assert!(!world.out().exists());
    run.send("q");
    run.exit(SOON);
    run.check_restored("nothing decided");
}

/// What terminals send by themselves: answers to what another program asked.
const ANSWERS: [&str; 9] = [
    "\x1b]11;rgb:1e1e/1e1e/2e2e\x1b\\",
    "\x1b]10;rgb:aaaa/aaaa/aaaa\x07",
    "\x1bP>|XTerm(388)\x1b\\",
    "\x1bP1+r544e=787465726d\x1b\\",
    "\x1b[>41;388;0c",
    "\x1b[?62;1;4c",
    "\x1b_Gi=1;OK\x1b\\",
    "\x1b]52;c;YWFhYWE=\x07",
    "\x1b^aXX\x1b\\",
];

#[test]
fn the_answers_of_a_terminal_are_no_keys_whole_or_torn() {
    let world = World::new();
    let mut run = world.run("", "");
    run.send("t");
    run.armed();
    let before = run.screen().screen().contents();
    for answer in ANSWERS {
        run.send(answer);
        // Torn in the middle.
        let (first, second) = answer.split_at(answer.len() / 2);
        run.send(first);
        std::thread::sleep(Duration::from_millis(120));
        run.send(second);
    }
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(
        run.screen().screen().contents(),
        before,
        "nothing moved or opened"
    );
    assert!(!world.out().exists());
    // Without its end a message is over with time, and keys count, esc as well.
    run.send("\x1b]11;rgb:1e1e");
    std::thread::sleep(Duration::from_millis(1_300));
    run.send("X");
    run.wait_for("Everything stops");
    run.send("\x1b");
    run.until("closed", || run.screen().screen().contents() == before);
    run.armed();
    run.send("a");
    run.until("it ran", || world.out().exists());
    answered(&run);
    run.send("q");
    assert_eq!(run.exit(SOON), 0);
    run.check_restored("answers of a terminal");
}

#[test]
fn the_emergency_stop_in_one_write_stops() {
    let world = World::new();
    let mut run = world.run("", "");
    run.send("t");
    run.wait_for("┏━ c");
    run.send("XX");
    run.wait_for("stopped");
    assert!(!world.out().exists());
    run.send("\x03\x03");
    run.exit(SOON);
    run.check_restored("stopped at once");
}

#[test]
fn a_request_to_end_is_met_while_the_operators_editor_is_open() {
    let world = World::new();
    let editor = "echo the editor is open; read line; true";
    let mut run = world.run(editor, "");
    run.send("te");
    run.wait_for("━ edit c");
    run.send("\x0f");
    run.wait_for("the editor is open");
    assert!(!run.screen().screen().alternate_screen());
    run.kill(Signal::INT);
    std::thread::sleep(Duration::from_millis(200));
    assert!(
        run.child.try_wait().unwrap().is_none(),
        "an interrupt is the editor's"
    );
    run.kill(Signal::TERM);
    assert_eq!(run.exit(SOON), 143);
    assert!(!run.screen().screen().alternate_screen());
    assert!(run.is_as_before(), "{}", run.modes_now());
    let mut left = Vec::new();
    find(&world.0.path().join("data"), &mut left);
    assert!(
        left.iter()
            .all(|path| !path.to_string_lossy().contains("overrule-edit")),
        "{left:?}"
    );
    assert!(!world.out().exists());
}

fn find(dir: &std::path::Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            find(&path, found);
        } else {
            found.push(path);
        }
    }
}
