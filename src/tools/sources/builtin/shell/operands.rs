//! Finds the files that a command may run: interpreted scripts, and programs of the workspace.
//!
//! Must not know: who decides, what a difference leads to.
//!
//! A decision covers their content, so that they cannot be replaced between the decision and the launch. It
//! lists a file too many rather than one too few, and reports commands whose files it cannot find. It does
//! not list files that a program finds by itself (a Makefile, what a script includes).

mod named;

use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::Arc;

use super::Args;
use named::NamedFiles;
use overrule_base::canon;
use overrule_base::shell_line::Reading;
use overrule_domain::call::{FileCheck, Operand};
use overrule_regular_file::{self as regular_file, Links};

/// Maximum number of files listed for one command.
const MOST: usize = 16;
/// Maximum bytes of a file that is read whole; for a larger one its size and dates are used.
const WHOLE: u64 = 4 * 1024 * 1024;

/// Returns the files that a command may run, in their order in the command, as they are now, then the unknown ones.
pub(super) fn operands(args: &Args, workspace: &Path, search_path: &OsStr) -> Vec<Operand> {
    let root = match args.cwd.as_deref() {
        None => workspace.to_owned(),
        Some(cwd) => workspace.join(cwd),
    };
    let mut named = NamedFiles::new(&root, workspace, search_path);
    match (&args.command, &args.argv) {
        (Some(line), None) => named.read(&Reading::of_line(line)),
        (None, Some(argv)) => named.read(&Reading::of_words(argv)),
        _ => {}
    }
    let mut found: Vec<Operand> = Vec::new();
    let mut more = named.more;
    for path in &named.files {
        let Some(file) = open(path) else { continue };
        if found.len() == MOST {
            more = true;
            break;
        }
        found.extend(look(file, &shown(path, workspace)));
    }
    found.extend(
        named
            .untold
            .iter()
            .map(|word| untold(word, FileCheck::Unspecified)),
    );
    found.extend(more.then(|| untold("", FileCheck::Cut)));
    found
}

/// A file that may run and cannot be read.
fn untold(word: &str, seen: FileCheck) -> Operand {
    Operand {
        path: Arc::from(word),
        bytes: 0,
        seen,
        hash: Arc::from(canon::hash("overrule operand v1", &[word.as_bytes()])),
    }
}

/// The path to show: relative to the workspace if the file is in it.
fn shown(path: &Path, workspace: &Path) -> String {
    let inside = path.strip_prefix(workspace).unwrap_or(path);
    inside.to_string_lossy().into_owned()
}

/// Opens a regular file; a pipe or a device does not block it.
fn open(path: &Path) -> Option<File> {
    let file = regular_file::open(path, Links::Follow).ok()?;
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
        (FileCheck::Dates, bytes)
    } else {
        let mut bytes = Vec::new();
        file.take(WHOLE).read_to_end(&mut bytes).ok()?;
        (FileCheck::Whole, bytes)
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

    fn all(dir: &Path, line: &str, argv: Option<Vec<String>>) -> Vec<Operand> {
        let args = Args {
            command: argv.is_none().then(|| line.to_owned()),
            argv,
            cwd: None,
            timeout_s: None,
        };
        operands(&args, dir, OsStr::new("/usr/bin:/bin"))
    }

    fn summaries(found: &[Operand]) -> Vec<String> {
        let mark = |one: &Operand| match one.seen {
            FileCheck::Whole | FileCheck::Dates => one.path.to_string(),
            FileCheck::Unspecified => format!("?{}", one.path),
            FileCheck::Cut => "…".to_owned(),
        };
        found.iter().map(mark).collect()
    }

    fn of(dir: &Path, line: &str) -> Vec<String> {
        summaries(&all(dir, line, None))
    }

    fn of_words(dir: &Path, words: &[&str]) -> Vec<String> {
        let argv = words.iter().map(|word| (*word).to_owned()).collect();
        summaries(&all(dir, "", Some(argv)))
    }

    #[test]
    fn scripts_and_programs_of_the_workspace_are_listed() {
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
    fn programs_that_the_search_path_finds_in_the_workspace_are_listed() {
        let dir = place();
        write(dir.path(), "bin/tool", "#!/bin/sh", 0o755);
        write(dir.path(), "sub/bin/other", "#!/bin/sh", 0o755);
        let with = |path: &str, line: &str| {
            let args = Args {
                command: Some(line.to_owned()),
                argv: None,
                cwd: None,
                timeout_s: None,
            };
            summaries(&operands(&args, dir.path(), OsStr::new(path)))
        };
        let own = format!("{}:/usr/bin:/bin", dir.path().join("bin").display());
        for (path, line, files) in [
            (own.as_str(), "tool", &["bin/tool"][..]),
            (&own, "ls && tool a | cat", &["bin/tool"]),
            (&own, "env A=1 timeout 5 tool", &["bin/tool"]),
            (&own, "xargs tool", &["bin/tool"]),
            (&own, "sh -c tool", &["bin/tool"]),
            (&own, "/usr/bin/tool", &[]),
            (&own, "echo tool", &[]),
            (&own, "ls", &[]),
            ("bin:/usr/bin", "tool", &["bin/tool"]),
            ("/usr/bin:/bin", "tool", &[]),
            ("/usr/bin:/bin", "PATH=bin tool", &["bin/tool"]),
            ("/usr/bin:/bin", "PATH=./bin:$PATH tool", &["bin/tool"]),
            ("/usr/bin:/bin", "export PATH=bin:$PATH; tool", &["bin/tool"]),
            ("/usr/bin:/bin", "env PATH=bin tool", &["bin/tool"]),
            ("/usr/bin:/bin", "cd sub && PATH=bin other", &["sub/bin/other"]),
        ] {
            assert_eq!(with(path, line), files, "{path}: {line}");
        }
    }

    #[test]
    fn files_that_a_program_takes_in_its_own_way_are_listed() {
        let dir = place();
        std::fs::remove_file(dir.path().join("run")).unwrap();
        write(dir.path(), "pack/__main__.py", "", 0o644);
        write(dir.path(), "pack/part.py", "", 0o644);
        write(dir.path(), "pack/__init__.py", "", 0o644);
        write(dir.path(), "mod.py", "", 0o644);
        write(dir.path(), "x.so", "", 0o644);
        write(dir.path(), "hook.js", "", 0o644);
        write(dir.path(), "Makefile", "", 0o644);
        write(dir.path(), "web/index.js", "", 0o644);
        write(dir.path(), "web/package.json", "", 0o644);
        for (line, files) in [
            ("python3 -m mod", &["mod.py"][..]),
            ("python3 -mmod a", &["mod.py"]),
            ("python3 -m pack", &["pack/__init__.py", "pack/__main__.py"]),
            ("python3.12 -m pack.part", &["pack/__init__.py", "pack/part.py"]),
            ("python3 -m json.tool notes.txt", &["notes.txt"]),
            ("uv run mod.py", &["mod.py"]),
            ("uv run python -m mod", &["mod.py"]),
            ("mawk -f notes.txt", &["notes.txt"]),
            ("LD_PRELOAD=./x.so ls", &["x.so"]),
            ("LD_PRELOAD=a.so:./x.so ls", &["x.so"]),
            ("env LD_PRELOAD=./x.so ls", &["x.so"]),
            ("export LD_PRELOAD=./x.so; ls", &["x.so"]),
            ("NODE_OPTIONS='--require ./hook.js' npm test", &["hook.js"]),
            ("NODE_OPTIONS=-r./hook.js npm test", &["hook.js"]),
            ("BASH_ENV=notes.txt bash -c ls", &["notes.txt"]),
            ("xargs -a notes.txt rm", &["notes.txt"]),
            ("xargs --arg-file=notes.txt rm", &["notes.txt"]),
            ("xargs -anotes.txt rm", &["notes.txt"]),
            ("make -f Makefile all", &["Makefile"]),
            ("go run mod.py", &["mod.py"]),
            ("go test ./...", &[]),
            ("make all", &[]),
            ("python3 -m pytest", &[]),
            ("LC_ALL=notes.txt ls", &[]),
            ("python3 -um mod", &["mod.py"]),
            ("python3 pack", &["pack/__main__.py"]),
            ("node hook", &["hook.js"]),
            ("node web/", &["web/index.js", "web/package.json"]),
            ("pytest -q mod.py", &["mod.py"]),
            ("mocha -r ./hook.js", &["hook.js"]),
            ("gunicorn -c mod.py a:b", &["mod.py"]),
            ("irb mod.py", &["mod.py"]),
            ("timeout 5 mocha hook.js", &["hook.js"]),
            ("grep mocha hook.js", &[]),
            ("git commit -m 'invoke' mod.py", &[]),
            ("python3 hook", &[]),
            ("make web", &[]),
            ("cat notes.txt | sh", &["notes.txt"]),
            ("head -3 notes.txt | grep x | python3 -", &["notes.txt"]),
            ("ls mod.py hook.js | xargs sh", &["mod.py", "hook.js"]),
            ("cat notes.txt | python3 mod.py", &["mod.py"]),
            ("cat notes.txt | grep sh", &[]),
            ("cat notes.txt && sh -c ls", &[]),
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
        assert_eq!(operands(&args, dir.path(), OsStr::new("")).len(), 1);
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
        let before = operands(&args, dir.path(), OsStr::new(""));
        assert_eq!(before, operands(&args, dir.path(), OsStr::new("")));
        assert_eq!((before[0].bytes, before[0].seen), (6, FileCheck::Whole));
        write(dir.path(), "deploy.sh", "echo 2", 0o644);
        assert_ne!(before, operands(&args, dir.path(), OsStr::new("")));
    }

    #[test]
    fn for_a_large_file_only_the_timestamps_are_compared() {
        let dir = place();
        let file = File::create(dir.path().join("deploy.sh")).unwrap();
        file.set_len(WHOLE + 1).unwrap();
        let args = Args {
            command: Some("sh deploy.sh".to_owned()),
            argv: None,
            cwd: None,
            timeout_s: None,
        };
        let before = operands(&args, dir.path(), OsStr::new(""));
        assert_eq!(before[0].seen, FileCheck::Dates);
        file.set_len(WHOLE + 2).unwrap();
        assert_ne!(before, operands(&args, dir.path(), OsStr::new("")));
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
        let found = of(dir.path(), &line);
        assert_eq!((found.len(), &*found[MOST]), (MOST + 1, "…"));
        let line = names[..MOST].join("; ");
        assert_eq!(of(dir.path(), &line).len(), MOST, "all of them were looked at");
    }

    #[test]
    fn operands_that_only_a_shell_can_resolve_are_listed_as_unresolved() {
        let dir = place();
        for (line, files) in [
            ("sh d''eploy.sh", &["deploy.sh"][..]),
            ("sh de\\ploy.sh", &["deploy.sh"]),
            ("s\"h\" deploy.sh", &["deploy.sh"]),
            ("sh deplo?.sh", &["?deplo?.sh"]),
            ("sh ~/x.sh", &["?~/x.sh"]),
            ("sh ~+/x.sh", &["?~+/x.sh"]),
            ("bash -e *.sh", &["?*.sh"]),
            ("true && ./r?n", &["?./r?n"]),
            ("A=1 ~/run", &["?~/run"]),
            ("sh -c 'sh *.sh'", &["?*.sh"]),
            ("sed -f *.sed a", &["?*.sed"]),
            ("eval 'sh *.sh'", &["?*.sh"]),
            ("eval sh 'deplo?.sh'", &["?deplo?.sh"]),
            ("eval \"sh d''eploy.sh\"", &["deploy.sh"]),
            ("eval \"\\$X\"", &["?$X"]),
            ("true && env -S 'sh d\"\"eploy.sh'", &["deploy.sh"]),
            ("rg eval notes.txt", &[]),
            ("sed -i 's/a*/b/' src/*.rs", &[]),
            ("sed 's/a* b/c/' src/x", &[]),
            ("perl -pe 's/a* b/c/' src/x", &[]),
            ("sed -n /x/p *.txt", &[]),
            ("ls *.sh ~/x", &[]),
            ("sh deploy.sh *.txt", &["deploy.sh"]),
            ("grep '*' notes.txt", &[]),
        ] {
            assert_eq!(of(dir.path(), line), files, "{line}");
        }
        // No shell expands these.
        assert_eq!(of_words(dir.path(), &["sh", "deplo?.sh"]), [""; 0]);
        assert_eq!(
            of_words(dir.path(), &["sh", "-c", "sh deploy.sh; ./r*"]),
            ["deploy.sh", "?./r*"]
        );
        assert_eq!(
            of_words(dir.path(), &["env", "-S", "sh deploy.sh"]),
            ["deploy.sh"]
        );
        assert_eq!(
            of_words(dir.path(), &["env", "-iSsh", "deploy.sh"]),
            ["deploy.sh"]
        );
        assert_eq!(of_words(dir.path(), &["sed", "--file=notes.txt"]), ["notes.txt"]);
        assert_eq!(of_words(dir.path(), &["sed", "-fnotes.txt"]), ["notes.txt"]);
        assert_eq!(of_words(dir.path(), &["env", "A=./run", "true"]), ["run"]);
    }

    #[test]
    fn a_decoy_hides_no_file_of_the_same_name() {
        let dir = place();
        write(dir.path(), "sub/deploy.sh", "echo 2", 0o644);
        write(dir.path(), "sub/tool", "echo 2", 0o644);
        for line in [
            "cd sub && sh deploy.sh",
            "cd -P sub && sh deploy.sh",
            "env -C sub sh deploy.sh",
            "env --chdir=sub sh deploy.sh",
        ] {
            assert_eq!(of(dir.path(), line), ["deploy.sh", "sub/deploy.sh"], "{line}");
        }
        assert_eq!(
            of_words(dir.path(), &["env", "--chdir=sub", "sh", "deploy.sh"]),
            ["deploy.sh", "sub/deploy.sh"]
        );
        // A file that is not executable yet may be when it runs.
        assert_eq!(of(dir.path(), "chmod +x sub/tool && sub/tool"), ["sub/tool"]);
        assert_eq!(of(dir.path(), "cat sub/tool"), [""; 0]);
    }

    #[test]
    fn an_operand_scan_is_bounded_and_marked_as_cut() {
        let dir = place();
        let line = format!("{}{}", "cd .; ".repeat(16), "x ".repeat(500_000));
        assert_eq!(of(dir.path(), &line), ["…"]);
        let line = format!("{}sh deploy.sh", "cd .; ".repeat(100));
        assert_eq!(
            of(dir.path(), &line),
            ["deploy.sh"],
            "the same directory counts once"
        );
        let many: Vec<String> = (0..40).map(|n| format!("d{n}")).collect();
        for name in &many {
            std::fs::create_dir(dir.path().join(name)).unwrap();
        }
        assert_eq!(of(dir.path(), &format!("ls {}", many.join(" "))), [""; 0]);
        let line = format!("ls {}; sh deploy.sh", many.join(" "));
        assert_eq!(of(dir.path(), &line), ["deploy.sh", "…"]);
    }
}
