//! A separate world for each test: a workspace, a home, sessions, and the real program.
//!
//! Must not know: what is tested.

#![expect(clippy::disallowed_methods, reason = "a test has a patience of its own")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use overrule::domain::apply::fold;
use overrule::domain::envelope::Envelope;
use overrule::domain::state::State;
use overrule::journal::{self, Place, Store};

/// Longer than any run of a test may take, however busy the machine is.
const PATIENCE: Duration = Duration::from_secs(180);

/// What a program said and how it ended.
#[derive(Debug)]
pub struct Said {
    /// Exit code; none where a signal ended it.
    pub code: Option<i32>,
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
}

impl Said {
    /// Fails unless it ended with this code.
    #[track_caller]
    pub fn ends(self, code: i32) -> Self {
        assert_eq!(
            self.code,
            Some(code),
            "unexpected end\n--- out\n{}\n--- err\n{}",
            self.out,
            self.err
        );
        self
    }

    /// Fails unless standard error has these words.
    #[track_caller]
    pub fn tells(self, words: &str) -> Self {
        assert!(self.err.contains(words), "no `{words}` in\n{}", self.err);
        self
    }
}

/// Directories of one test.
pub struct World {
    dir: tempfile::TempDir,
}

impl World {
    /// A workspace with one file in it, and nothing else.
    pub fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        for name in ["ws", "home"] {
            fs::create_dir(dir.path().join(name)).unwrap();
        }
        let world = Self { dir };
        world.file("notes.txt", "alpha\nbeta\n");
        world
    }

    /// A path in the test's directory.
    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// The workspace.
    pub fn ws(&self) -> PathBuf {
        self.path("ws")
    }

    /// Where sessions are.
    pub fn sessions(&self) -> PathBuf {
        self.path("sessions")
    }

    /// Writes a file of the workspace.
    pub fn file(&self, name: &str, text: &str) {
        fs::write(self.ws().join(name), text).unwrap();
    }

    /// A file of the workspace; empty where there is none.
    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.ws().join(name)).unwrap_or_default()
    }

    /// Writes a file next to the workspace and gives its path.
    pub fn aside(&self, name: &str, text: &str) -> String {
        let path = self.path(name);
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    }

    /// The program in this world, with nothing of the tester's own environment but its path.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(crate::support::program());
        command
            .env_clear()
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .env("HOME", self.path("home"))
            .env("USER", "tester")
            .env("XDG_CONFIG_HOME", self.path("home/.config"))
            .env("XDG_DATA_HOME", self.path("home/.local/share"))
            .env("OVERRULE_SESSIONS", self.sessions())
            .current_dir(self.ws())
            .args(args)
            .stdin(Stdio::null());
        command
    }

    /// Runs the program to its end.
    pub fn run(&self, args: &[&str]) -> Said {
        finish(self.command(args))
    }

    /// Runs the program as a process that does not descend from this one: it has lost its parents.
    pub fn run_apart(&self, args: &[&str]) -> Said {
        let command = self.command(args);
        let [out, err, code, alone] =
            ["out", "err", "code", "alone"].map(|end| self.path(&format!("apart.{end}")));
        for file in [&code, &alone] {
            let _ = std::fs::remove_file(file);
        }
        let mut apart = Command::new("/bin/sh");
        apart
            .args([
                "-c",
                "(until [ -e $ALONE ]; do sleep 0.01; done; \"$@\" > $OUT 2> $ERR < /dev/null; echo $? > $CODE.new; \
                 mv $CODE.new $CODE) &",
                "sh",
            ])
            .arg(command.get_program())
            .args(command.get_args())
            .env_clear()
            .envs(
                command
                    .get_envs()
                    .filter_map(|(name, value)| Some((name, value?))),
            )
            .env("OUT", &out)
            .env("ERR", &err)
            .env("CODE", &code)
            .env("ALONE", &alone)
            .current_dir(self.ws());
        assert!(apart.status().unwrap().success());
        // Its parent has ended.
        fs::write(&alone, "").unwrap();
        until("it ended", || written(&code));
        let text = |path: &Path| std::fs::read_to_string(path).unwrap();
        Said {
            code: text(&code).trim().parse().ok(),
            out: text(&out),
            err: text(&err),
        }
    }

    /// Runs a playbook without a screen; `more` are further arguments.
    pub fn play(&self, playbook: &str, more: &[&str]) -> Said {
        finish(self.playing(playbook, more))
    }

    /// The command that [`World::play`] runs.
    pub fn playing(&self, playbook: &str, more: &[&str]) -> Command {
        let file = self.aside("playbook.toml", playbook);
        let mut args = vec![
            "run",
            "--headless",
            "--model",
            "scripted",
            "--playbook",
            &file,
            "go",
        ];
        args.extend(more);
        self.command(&args)
    }

    /// The ids of all sessions, oldest first.
    pub fn ids(&self) -> Vec<String> {
        let mut ids: Vec<String> = fs::read_dir(self.sessions())
            .map(|entries| {
                entries
                    .flatten()
                    .map(|entry| entry.file_name().into_string().unwrap())
                    .collect()
            })
            .unwrap_or_default();
        ids.sort();
        ids
    }

    /// The only session.
    #[track_caller]
    pub fn id(&self) -> String {
        let ids = self.ids();
        assert_eq!(ids.len(), 1, "one session expected: {ids:?}");
        ids.into_iter().next().unwrap()
    }

    /// A session.
    pub fn place(&self, id: &str) -> Place {
        Store::open(self.sessions()).find(id).unwrap()
    }

    /// Lists a session as written here, as it is now: one that a test made or changed by itself is from elsewhere.
    pub fn own(&self, id: &str) {
        let list = self.path("home/.local/state/overrule/written");
        fs::create_dir_all(&list).unwrap();
        let journal = self.journal(id);
        // A last line that is cut off is no record.
        let whole: Vec<&str> = journal
            .split_inclusive('\n')
            .filter_map(|line| line.strip_suffix('\n'))
            .collect();
        let last = whole.last().unwrap();
        let link = String::from_utf8(journal::Link::of(last.as_bytes()).hex().to_vec()).unwrap();
        fs::write(list.join(id), format!("{} {link}\n", whole.len())).unwrap();
    }

    /// True once the journal of a session has these words. A session has a directory before it has a journal.
    pub fn has_recorded(&self, id: &str, words: &str) -> bool {
        let place = Store::open(self.sessions()).find(id);
        let journal = place
            .ok()
            .and_then(|place| fs::read_to_string(place.journal()).ok());
        journal.is_some_and(|journal| journal.contains(words))
    }

    /// The journal of a session as it is on disk.
    pub fn journal(&self, id: &str) -> String {
        fs::read_to_string(self.place(id).journal()).unwrap()
    }

    /// The facts of a session.
    pub fn facts(&self, id: &str) -> Vec<Envelope> {
        journal::read(&self.place(id)).unwrap().envelopes
    }

    /// What a session amounts to.
    pub fn state(&self, id: &str) -> State {
        fold(&self.facts(id))
    }

    /// Everything below the test's directory, each file with what stands for its bytes: what a
    /// refusal must leave as it was. Lock files tell only who was here last.
    pub fn everything(&self) -> BTreeMap<PathBuf, String> {
        let mut found = BTreeMap::new();
        below(self.dir.path(), &mut found);
        found
    }
}

fn below(dir: &Path, found: &mut BTreeMap<PathBuf, String>) {
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        let path = entry.path();
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            found.insert(path.clone(), "directory".into());
            below(&path, found);
        } else if entry.file_name() != "lock" {
            let bytes = fs::read(&path).unwrap_or_default();
            let hash = overrule::canon::hash("test", &[&bytes]);
            found.insert(path, format!("{} bytes, {hash}", bytes.len()));
        }
    }
}

/// Runs a command to its end, but not for ever.
pub fn finish(mut command: Command) -> Said {
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped());
    wait(child.spawn().unwrap())
}

/// Waits for a child whose outputs are pipes.
pub fn wait(mut child: Child) -> Said {
    let pipes = (child.stdout.take(), child.stderr.take());
    let out = std::thread::spawn(move || text(pipes.0));
    let err = std::thread::spawn(move || text(pipes.1));
    let began = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if began.elapsed() > PATIENCE {
            child.kill().unwrap();
            child.wait().unwrap();
            let (out, err) = (out.join().unwrap(), err.join().unwrap());
            panic!("the program did not end\n--- out\n{out}\n--- err\n{err}");
        }
        std::thread::sleep(Duration::from_millis(3));
    };
    Said {
        code: status.code(),
        out: out.join().unwrap(),
        err: err.join().unwrap(),
    }
}

fn text(pipe: Option<impl std::io::Read>) -> String {
    let mut bytes = Vec::new();
    if let Some(mut pipe) = pipe {
        pipe.read_to_end(&mut bytes).unwrap();
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Waits until something holds, but not for ever.
#[track_caller]
pub fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < PATIENCE, "never: {what}");
        std::thread::sleep(Duration::from_millis(3));
    }
}

/// True once a file has text: a program creates its file before it writes to it.
pub fn written(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|file| file.len() > 0)
}

/// Sends a signal to a process that this test started.
pub fn signal(child: &Child, signal: rustix::process::Signal) {
    let pid = rustix::process::Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
    // It may have ended by itself meanwhile.
    let _ = rustix::process::kill_process(pid, signal);
}
