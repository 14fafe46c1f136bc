//! Finds the files that a command runs: scripts passed to an interpreter, and programs of the workspace.
//! Their content is part of what is decided, so that nobody can swap it between the decision and the launch.
//!
//! When in doubt it lists a file too many. Files that a program finds by itself (a Makefile, what a script
//! includes) are not listed. Must not know: who decides, what follows from a difference.

use std::collections::BTreeSet;
use std::fs::{File, OpenOptions};
use std::io::Read;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Args;
use crate::canon;
use crate::domain::call::{Operand, Seen};

/// Maximum number of files listed for one command.
const MOST: usize = 16;
/// Maximum bytes of a file that is read whole; for a larger one its size and dates are used.
const WHOLE: u64 = 4 * 1024 * 1024;
/// Programs that run a file passed to them. The digits and dots of a version may follow the name.
const INTERPRETERS: [&str; 36] = [
    ".", "ash", "awk", "bash", "bun", "busybox", "csh", "dash", "deno", "elixir", "fish", "gawk", "groovy",
    "guile", "java", "julia", "ksh", "lua", "luajit", "mksh", "nawk", "node", "nodejs", "perl", "php",
    "pwsh", "pypy", "python", "ruby", "sed", "sh", "source", "tcsh", "tsx", "xonsh", "zsh",
];

/// Returns the files that a command runs, in the order in which it names them, in their present state.
pub(super) fn operands(args: &Args, workspace: &Path) -> Vec<Operand> {
    let root = match args.cwd.as_deref() {
        None => workspace.to_owned(),
        Some(cwd) => workspace.join(cwd),
    };
    let words = match (&args.command, &args.argv) {
        (Some(line), None) => words(line),
        (None, Some(argv)) => argv.clone(),
        _ => Vec::new(),
    };
    let mut found: Vec<Operand> = Vec::new();
    let mut seen = BTreeSet::new();
    for path in named(&words, &root) {
        if found.len() == MOST {
            break;
        }
        if let Some(file) = open(&path)
            && seen.insert(path.clone())
        {
            found.extend(look(file, &shown(&path, workspace)));
        }
    }
    found
}

/// Formats a path, relative to the workspace if it is inside.
fn shown(path: &Path, workspace: &Path) -> String {
    let inside = path.strip_prefix(workspace).unwrap_or(path);
    inside.to_string_lossy().into_owned()
}

/// Splits a line nearly as a shell would: every symbol that may end a word does, and a quoted part is also a
/// word as a whole.
fn words(line: &str) -> Vec<String> {
    let mut found: Vec<String> = line
        .split(|c: char| c.is_whitespace() || ";&|()<>`$={}'\"\\".contains(c))
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect();
    for mark in ['"', '\''] {
        let quoted = line.split(mark).skip(1).step_by(2);
        found.extend(
            quoted
                .filter(|part| part.contains(char::is_whitespace))
                .map(str::to_owned),
        );
    }
    found
}

/// Returns the paths among the words that name files which run: passed to an interpreter, or programs
/// themselves.
fn named(words: &[String], root: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    // The directories to which `cd` may have changed.
    let mut bases = vec![root.to_owned()];
    let mut interprets = false;
    let mut before = "";
    for word in words {
        let places: Vec<PathBuf> = bases.iter().map(|base| base.join(word)).collect();
        if before == "cd" {
            bases.extend(places.iter().filter(|place| place.is_dir()).cloned());
            bases.truncate(MOST);
        }
        if is_interpreter(word) {
            interprets = true;
        } else {
            for place in places {
                let Ok(about) = place.metadata() else { continue };
                let is_program = about.mode() & 0o111 != 0 && (word.contains('/') || interprets);
                if about.is_file() && (interprets || is_program) {
                    // A file after an option may be the option's value; then the next one is the script.
                    interprets &= before.starts_with('-');
                    found.push(place);
                }
            }
        }
        before = word;
    }
    found
}

fn is_interpreter(word: &str) -> bool {
    let name = word.rsplit('/').next().unwrap_or(word);
    let bare = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
    INTERPRETERS.contains(&name) || (!bare.is_empty() && INTERPRETERS.contains(&bare))
}

/// Opens a regular file without blocking on a pipe or a device.
fn open(path: &Path) -> Option<File> {
    let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY;
    let flags = i32::try_from(flags.bits()).ok()?;
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(flags)
        .open(path)
        .ok()?;
    file.metadata().ok()?.is_file().then_some(file)
}

/// Describes the content of a file as far as that is quickly possible.
fn look(file: File, path: &str) -> Option<Operand> {
    let about = file.metadata().ok()?;
    let (seen, parts) = if about.len() > WHOLE {
        let stamp = [about.len(), about.ino(), about.dev()];
        let dates = [
            about.mtime(),
            about.mtime_nsec(),
            about.ctime(),
            about.ctime_nsec(),
        ];
        let stamp = stamp.iter().flat_map(|n| n.to_le_bytes());
        let bytes = stamp.chain(dates.iter().flat_map(|n| n.to_le_bytes())).collect();
        (Seen::Dates, bytes)
    } else {
        let mut bytes = Vec::new();
        file.take(WHOLE).read_to_end(&mut bytes).ok()?;
        (Seen::Whole, bytes)
    };
    Some(Operand {
        path: Arc::from(path),
        bytes: about.len(),
        seen,
        hash: Arc::from(canon::hash("overrule operand v1", &[&parts])),
    })
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn write(dir: &Path, name: &str, text: &str, mode: u32) {
        let path = dir.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    }

    fn place() -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        write(dir.path(), "deploy.sh", "echo 1", 0o644);
        write(dir.path(), "run", "#!/bin/sh", 0o755);
        write(dir.path(), "sub/it.py", "print(1)", 0o644);
        write(dir.path(), "notes.txt", "notes", 0o644);
        write(dir.path(), "my script.sh", "echo 2", 0o644);
        dir
    }

    fn of(dir: &Path, line: &str) -> Vec<String> {
        let args = Args {
            command: Some(line.to_owned()),
            argv: None,
            cwd: None,
            timeout_s: None,
        };
        let found = operands(&args, dir);
        found.iter().map(|one| one.path.to_string()).collect()
    }

    #[test]
    fn scripts_and_programs_of_the_workspace_are_told() {
        let dir = place();
        for (line, files) in [
            ("sh ./deploy.sh --now", &["deploy.sh"][..]),
            ("bash -e deploy.sh notes.txt", &["deploy.sh", "notes.txt"]),
            ("/usr/bin/python3.11 sub/it.py", &["sub/it.py"]),
            ("cd sub && python it.py", &["sub/it.py"]),
            ("true; (timeout 5 ./run)|cat", &["run"]),
            ("bash -c 'sh deploy.sh'", &["deploy.sh"]),
            (". deploy.sh", &["deploy.sh"]),
            ("sh \"my script.sh\"", &["my script.sh"]),
            ("./run && sh deploy.sh && ./run", &["run", "deploy.sh"]),
            ("awk -f notes.txt deploy.sh", &["notes.txt", "deploy.sh"]),
            ("cat notes.txt deploy.sh", &[]),
            ("grep run notes.txt", &[]),
            ("sh nowhere.sh", &[]),
            ("", &[]),
        ] {
            assert_eq!(of(dir.path(), line), files, "{line}");
        }
    }

    #[test]
    fn the_words_of_a_program_are_taken_as_they_are() {
        let dir = place();
        let args = Args {
            command: None,
            argv: Some(vec!["sh".into(), "my script.sh".into()]),
            cwd: Some(".".into()),
            timeout_s: None,
        };
        assert_eq!(operands(&args, dir.path()).len(), 1);
    }

    #[test]
    fn another_content_is_another_file() {
        let dir = place();
        let args = Args {
            command: Some("sh deploy.sh".to_owned()),
            argv: None,
            cwd: None,
            timeout_s: None,
        };
        let before = operands(&args, dir.path());
        assert_eq!(before, operands(&args, dir.path()));
        assert_eq!((before[0].bytes, before[0].seen), (6, Seen::Whole));
        write(dir.path(), "deploy.sh", "echo 2", 0o644);
        assert_ne!(before, operands(&args, dir.path()));
    }

    #[test]
    fn of_a_long_file_the_dates_are_told() {
        let dir = place();
        let file = File::create(dir.path().join("deploy.sh")).unwrap();
        file.set_len(WHOLE + 1).unwrap();
        let args = Args {
            command: Some("sh deploy.sh".to_owned()),
            argv: None,
            cwd: None,
            timeout_s: None,
        };
        let before = operands(&args, dir.path());
        assert_eq!(before[0].seen, Seen::Dates);
        file.set_len(WHOLE + 2).unwrap();
        assert_ne!(before, operands(&args, dir.path()));
    }

    #[test]
    fn a_pipe_is_not_waited_for_and_many_files_are_cut_off() {
        let dir = place();
        rustix::fs::mkfifoat(
            rustix::fs::CWD,
            dir.path().join("pipe.sh"),
            rustix::fs::Mode::from_raw_mode(0o755),
        )
        .unwrap();
        assert_eq!(of(dir.path(), "sh ./pipe.sh"), [""; 0]);
        let names: Vec<String> = (0..40).map(|n| format!("./p{n}")).collect();
        for name in &names {
            write(dir.path(), name, "x", 0o755);
        }
        let line = names.join("; ");
        assert_eq!(of(dir.path(), &line).len(), MOST);
    }
}
