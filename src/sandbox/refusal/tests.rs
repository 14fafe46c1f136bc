//! Tests which messages are refusals of the sandbox, and which are not.

mod messages;

use std::fs;

use overrule_domain::sandbox::Missing;
use tempfile::TempDir;

use super::*;
use crate::protected::Protected;
use messages::{HIDDEN, ORDINARY, READ_ONLY};

struct Machine {
    dir: TempDir,
    root: PathBuf,
    profile: Profile,
}

impl Machine {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        for directory in [
            "w/.git/hooks",
            "w/src",
            "w/pkg",
            "w/new",
            "outside",
            "home/.ssh",
            "tmp",
        ] {
            fs::create_dir_all(root.join(directory)).unwrap();
        }
        for file in [
            "w/.git/config",
            "w/.envrc",
            "w/pkg/.npmrc",
            "w/script.sh",
            "outside/there",
            "home/.ssh/id",
        ] {
            fs::write(root.join(file), "").unwrap();
        }
        let source =
            "// touch: cannot touch 'O/x': Read-only file system\nmkdir: O/y: Read-only file system\n";
        fs::write(root.join("w/src/refused.rs"), in_directory(&root, source)).unwrap();
        std::os::unix::fs::symlink(root.join("outside"), root.join("w/link")).unwrap();
        let text = |place: &str| root.join(place).to_str().unwrap().to_owned();
        let profile = Profile {
            level: Level::Workspace,
            write: vec![text("w")],
            hidden: vec![text("home/.ssh")],
            ..Profile::default()
        };
        Self { dir, root, profile }
    }

    fn without(mut self, guarantee: Guarantee) -> Self {
        self.profile.missing.push(Missing {
            guarantee,
            why: "no user namespaces".into(),
        });
        self
    }

    fn found(&self, output: &str, able: &dyn Fn(&Path, Access) -> bool) -> Vec<Refused> {
        assert!(self.dir.path().exists());
        let (workspace, home, tmp) = (self.root.join("w"), self.root.join("home"), self.root.join("tmp"));
        let protected = Protected::find(&workspace);
        let confinement = Confinement {
            profile: &self.profile,
            cwd: &workspace,
            home: Some(&home),
            writable: &[&tmp],
            read_only: &protected.existing(),
            pinned: &protected.git_directories(),
        };
        found(&in_directory(&self.root, output), &confinement, able)
    }

    /// What is found where this process may do everything.
    fn paths(&self, output: &str) -> Vec<(RefusedKind, String)> {
        let found = self.found(output, &|_, _| true).into_iter();
        found
            .map(|one| {
                assert!(!one.exact);
                (one.kind, one.what)
            })
            .collect()
    }

    fn one(&self, kind: RefusedKind, path: &str) -> Vec<(RefusedKind, String)> {
        vec![(kind, in_directory(&self.root, path))]
    }
}

/// Puts the directories of a test in a text.
fn in_directory(root: &Path, text: &str) -> String {
    let mut text = text.to_owned();
    for (mark, place) in [
        ("W/", "w/"),
        ("O/", "outside/"),
        ("H/", "home/"),
        ("TMP/", "tmp/"),
    ] {
        let place = format!("{}/{place}", root.display());
        let mut written = String::new();
        for (at, part) in text.split(mark).enumerate() {
            // A mark within a word is none: `TMP/`.
            let is_word = written.ends_with(|c: char| c.is_alphanumeric());
            if at > 0 {
                written.push_str(if is_word { mark } else { &place });
            }
            written.push_str(part);
        }
        text = written;
    }
    text
}

#[test]
fn refused_writes_are_found_in_the_messages_of_real_programs() {
    for machine in [Machine::new(), Machine::new().without(Guarantee::Attributes)] {
        for (output, path) in READ_ONLY {
            assert_eq!(
                machine.paths(output),
                machine.one(RefusedKind::Write, path),
                "{output}"
            );
            // The same where this process could not do it either.
            assert!(machine.found(output, &|_, _| false).is_empty(), "{output}");
        }
    }
}

#[test]
fn nothing_is_renamed_over_a_protected_file() {
    let words = |path: &str| format!("error: could not write config file {path}: Device or resource busy");
    let full = Machine::new();
    let of_git = words(".git/config");
    assert_eq!(full.paths(&of_git), full.one(RefusedKind::Write, "W/.git/config"));
    for path in ["W/src", "W/.git/index", "O/there", "gone"] {
        assert!(full.paths(&words(path)).is_empty(), "{path}");
    }
    // Without namespaces nothing is mounted.
    let partial = Machine::new().without(Guarantee::Attributes);
    assert!(partial.paths(&of_git).is_empty());
}

#[test]
fn a_git_directory_that_was_to_be_renamed_is_a_protected_path() {
    let output = "mv: cannot move '.git' to 'x': Device or resource busy";
    let full = Machine::new();
    assert_eq!(full.paths(output), full.one(RefusedKind::Protected, "W/.git"));
    assert!(full.found(output, &|_, _| false).is_empty());
    let partial = Machine::new().without(Guarantee::Attributes);
    assert!(partial.paths(output).is_empty());
}

#[test]
fn what_is_covered_reads_as_absent_and_is_a_refused_read() {
    let machine = Machine::new();
    for output in [
        "cat: H/.ssh/id: No such file or directory",
        "Error: ENOENT: no such file or directory, open 'H/.ssh/id'",
        "cat: ../home/.ssh/id: No such file or directory",
    ] {
        assert_eq!(
            machine.paths(output),
            machine.one(RefusedKind::Read, "H/.ssh/id"),
            "{output}"
        );
        assert!(
            machine
                .found(output, &|_, access| access == Access::Write)
                .is_empty()
        );
    }
    // What is not there, or not hidden, is an ordinary failure.
    for output in [
        "cat: H/.ssh/gone: No such file or directory",
        "cat: O/there: No such file or directory",
        "cat: W/.envrc: No such file or directory",
    ] {
        assert!(machine.paths(output).is_empty(), "{output}");
    }
    // However many files are not there, what was refused is found.
    let mut long = "cat: O/gone: No such file or directory\n".repeat(5000);
    long.push_str("cat: H/.ssh/id: No such file or directory\n");
    assert_eq!(machine.paths(&long), machine.one(RefusedKind::Read, "H/.ssh/id"));
}

#[test]
fn refused_reads_are_found_in_the_messages_of_real_programs() {
    let machine = Machine::new();
    for (output, path) in HIDDEN {
        assert_eq!(
            machine.paths(output),
            machine.one(RefusedKind::Read, path),
            "{output}"
        );
        let able = |_: &Path, access| access == Access::Write;
        assert!(machine.found(output, &able).is_empty(), "{output}");
    }
}

#[test]
fn a_denied_permission_is_a_refused_write_only_without_read_only_mounts() {
    let partial = Machine::new().without(Guarantee::Attributes);
    let full = Machine::new();
    for (output, path) in READ_ONLY {
        let denied = output
            .replace("Read-only file system", "Permission denied")
            .replace("read-only file system", "permission denied")
            .replace("EROFS", "EACCES");
        if output.starts_with("bash: .envrc") {
            // A name without a directory, such as that of a program.
            assert!(partial.paths(&denied).is_empty());
            continue;
        }
        assert_eq!(
            partial.paths(&denied),
            partial.one(RefusedKind::Write, path),
            "{denied}"
        );
        if READ_ONLY_MOUNTS {
            assert!(full.paths(&denied).is_empty(), "{denied}");
        }
    }
}

#[test]
fn ordinary_failures_are_none() {
    assert!(ORDINARY.len() >= 60);
    for machine in [Machine::new(), Machine::new().without(Guarantee::Attributes)] {
        for output in ORDINARY {
            assert_eq!(machine.paths(output), [], "{output}");
            assert!(machine.found(output, &able).is_empty(), "{output}");
        }
    }
    // Without a sandbox, nothing is refused by it.
    let mut open = Machine::new();
    open.profile.level = Level::Off;
    for (output, _) in READ_ONLY.iter().chain(HIDDEN) {
        assert!(open.paths(output).is_empty(), "{output}");
    }
}

#[test]
fn a_hidden_path_that_was_to_be_written_is_a_refused_write() {
    let machine = Machine::new();
    let output = "touch: cannot touch 'H/.ssh/new': Read-only file system";
    assert_eq!(
        machine.paths(output),
        machine.one(RefusedKind::Write, "H/.ssh/new")
    );
    let denied = "cat: H/.ssh/id: Permission denied";
    assert_eq!(machine.paths(denied), machine.one(RefusedKind::Read, "H/.ssh/id"));
}

#[test]
fn at_level_2_the_workspace_is_refused_as_well() {
    let mut machine = Machine::new();
    machine.profile.level = Level::Scratch;
    for (output, path) in [
        ("bash: line 1: out.txt: Read-only file system", "W/out.txt"),
        ("touch: cannot touch 'a b': Read-only file system", "W/a b"),
        ("sh: 1: cannot create out.txt: Read-only file system", "W/out.txt"),
        ("tar: a: Cannot open: Read-only file system", "W/a"),
        ("touch: cannot touch 'new/x': Read-only file system", "W/new/x"),
        (
            "error: could not lock config file .git/config: Read-only file system",
            "W/.git/config",
        ),
    ] {
        assert_eq!(
            machine.paths(output),
            machine.one(RefusedKind::Write, path),
            "{output}"
        );
    }
    for output in [
        "git@github.com: Permission denied (publickey).",
        "bash: script.sh: Permission denied",
        "touch: cannot touch 'TMP/x': Read-only file system",
    ] {
        assert_eq!(machine.paths(output), [], "{output}");
    }
}

#[test]
fn what_was_mounted_for_one_call_is_refused() {
    let machine = Machine::new();
    let workspace = machine.root.join("w");
    let ignored = workspace.join("new");
    let confinement = Confinement {
        profile: &machine.profile,
        cwd: &workspace.join("src"),
        home: None,
        writable: &[],
        read_only: std::slice::from_ref(&ignored),
        pinned: &[],
    };
    let found = found(
        "rm: cannot remove '../new/x': Read-only file system\nrm: '~/x': Read-only file system",
        &confinement,
        &|_, _| true,
    );
    assert_eq!(found.len(), 1);
    assert_eq!(Path::new(&found[0].what), ignored.join("x"));
    // What is protected by now was not mounted then.
    let output = "touch: cannot touch '../.envrc': Read-only file system\nmv: cannot move '../.git': Device or resource busy";
    assert_eq!(super::found(output, &confinement, &|_, _| true), []);
}

#[test]
fn each_is_reported_once_and_their_number_is_bounded() {
    let machine = Machine::new();
    let line = "touch: cannot touch 'O/x': Read-only file system\n";
    assert_eq!(machine.paths(&line.repeat(100)).len(), 1);
    let numbered = |before: &str, after: &str| {
        let all: Vec<String> = (0..100).map(|i| format!("{before}{i}{after}")).collect();
        all.concat()
    };
    let many = numbered("touch: cannot touch 'O/x", "': Read-only file system\n");
    assert_eq!(machine.paths(&many).len(), MOST_REFUSALS);
    let in_one_line = numbered("'O/y", "' ");
    let line = format!("rm: {in_one_line}: Read-only file system");
    assert_eq!(machine.paths(&line).len(), MOST_REFUSALS);
}

#[test]
fn the_ends_of_a_long_output_are_searched_and_long_lines_are_cut() {
    let machine = Machine::new();
    let message = |name: &str| format!("\ntouch: cannot touch 'O/{name}': Read-only file system\n");
    let long = "é\n".repeat(300_000);
    let output = format!(
        "{}{long}{}{long}{}",
        message("first"),
        message("middle"),
        message("last")
    );
    let names: Vec<String> = machine.paths(&output).into_iter().map(|(_, path)| path).collect();
    assert_eq!(
        names,
        ["O/first", "O/last"].map(|path| in_directory(&machine.root, path))
    );
    let wide = "é ".repeat(50_000);
    let output = format!("{wide}touch: cannot touch 'O/x': Read-only file system {wide}");
    assert_eq!(machine.paths(&output), machine.one(RefusedKind::Write, "O/x"));
    for hostile in [
        "'".repeat(200_000),
        "\"Read-only file system\" ".repeat(20_000),
        "\x1b[".repeat(200_000),
        "/: ".repeat(100_000) + "EROFS",
        "npm ERR! EROFS\n".repeat(30_000),
    ] {
        assert_eq!(machine.paths(&hostile), []);
    }
}

#[test]
fn what_this_process_can_do_is_asked_of_the_system() {
    let machine = Machine::new();
    let at = |place: &str| machine.root.join(place);
    assert!(able(&at("outside/there"), Access::Read) && able(&at("outside/there"), Access::Write));
    assert!(able(&at("outside/new"), Access::Write) && !able(&at("outside/new"), Access::Read));
    assert!(!able(&at("gone/new"), Access::Write) && !able(&at("outside/there/x"), Access::Write));
    if rustix::process::geteuid().is_root() {
        println!("skipped: root may write everything");
    } else {
        assert!(
            !able(Path::new("/etc/new"), Access::Write) && !able(Path::new("/etc/passwd"), Access::Write)
        );
    }
    // A file system that is read-only for this process as well.
    if cfg!(target_os = "linux")
        && statvfs("/sys").is_ok_and(|fs| fs.f_flag.contains(StatVfsMountFlags::RDONLY))
    {
        assert!(!able(Path::new("/sys/kernel"), Access::Write));
    }
    // With the system itself: the directory outside could be written.
    let output = "touch: cannot touch 'O/x': Read-only file system\ncat: H/.ssh/id: Permission denied\ncat: H/.ssh/gone: Permission denied";
    let found = machine.found(output, &able);
    let kinds: Vec<RefusedKind> = found.iter().map(|one| one.kind).collect();
    assert_eq!(kinds, [RefusedKind::Write, RefusedKind::Read]);
}

#[test]
fn much_that_names_paths_takes_little_time() {
    let machine = Machine::new();
    let source = "touch: cannot touch 'O/x': Read-only file system\n".repeat(20_000);
    let source = in_directory(&machine.root, &source);
    fs::write(machine.root.join("w/log"), source.get(..1 << 20).unwrap()).unwrap();
    // A search through a log: each line of it is quoted.
    let grep: Vec<String> = source
        .lines()
        .take(5000)
        .map(|line| format!("log:{line}\n"))
        .collect();
    assert_eq!(machine.paths(&grep.concat()), []);
    let asked = std::cell::Cell::new(0);
    let able = |_: &Path, _| {
        asked.set(asked.get() + 1);
        false
    };
    let quoted = "'O/a' ".repeat(100);
    let lines = format!("rm: {quoted}: Read-only file system\n").repeat(1000);
    assert!(machine.found(&lines, &able).is_empty());
    assert!(asked.get() <= 2 * (MOST_PATHS + 100), "{}", asked.get());
}

#[test]
fn a_home_and_a_workspace_in_a_private_directory_are_no_part_of_it() {
    let mut machine = Machine::new();
    let workspace = machine.root.join("w");
    let found_in = |machine: &Machine, place: &str| {
        let confinement = Confinement {
            profile: &machine.profile,
            cwd: &workspace,
            home: Some(&machine.root.join("home")),
            // Like a private `/tmp` in which both lie.
            writable: &[&machine.root],
            read_only: &[],
            pinned: &[],
        };
        let path = in_directory(&machine.root, place);
        let output = format!("touch: cannot touch '{path}': Read-only file system");
        !found(&output, &confinement, &|_, _| true).is_empty()
    };
    assert!(found_in(&machine, "H/file"));
    assert!(!found_in(&machine, "O/file"), "it is private");
    assert!(!found_in(&machine, "W/file"));
    machine.profile.level = Level::Scratch;
    assert!(found_in(&machine, "W/file"), "it is read only at this level");
    assert!(!found_in(&machine, "O/file"));
}
