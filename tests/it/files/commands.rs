//! Tests that what commands of everyday change is restored exactly, compared with a full copy of the workspace.
//!
//! Must not know: how a change is found or undone.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;
use std::process::Command;

use super::{digest, playbook, view};
use crate::support::world::World;

/// A command, and what it runs on.
struct Case {
    name: &'static str,
    /// Makes the files.
    before: &'static str,
    /// The command of the agent.
    line: &'static str,
    /// Paths that are not restored, with words of the preview that say why.
    left: &'static [(&'static str, &'static str)],
    /// Further words of the preview.
    says: &'static [&'static str],
}

const CASE: Case = Case {
    name: "",
    before: "",
    line: "",
    left: &[],
    says: &[],
};

/// A repository with three files that are committed.
const REPOSITORY: &str = "git init -q . && mkdir src && echo one > src/a.rs && echo two > src/b.rs && echo three > c.txt && \
                          git add -A && git commit -qm first";

const CASES: [Case; 26] = [
    Case {
        name: "sed over 300 files",
        before: "for no in $(seq 300); do echo one $no > f$no.txt; done",
        line: "sed -i s/one/two/ f*.txt",
        says: &["restore 300 of 300"],
        ..CASE
    },
    Case {
        name: "rm -rf of a directory",
        before: "mkdir -p src/deep/er; echo a > src/a; echo b > src/deep/b; chmod 755 src/deep/b; ln -s ../a src/deep/er/l",
        line: "rm -rf src",
        ..CASE
    },
    Case {
        name: "moves",
        before: "echo a > a.txt; echo b > b.txt; mkdir d",
        line: "mv a.txt c.txt; mv b.txt d/; mv d e",
        ..CASE
    },
    Case {
        name: "a script that rewrites itself",
        before: "printf '#!/bin/sh\\necho new > \"$0\"\\n' > me.sh; chmod 755 me.sh",
        line: "sh ./me.sh",
        ..CASE
    },
    Case {
        name: "binary files",
        before: "printf '\\0\\001\\377' > in.bin; : > empty",
        line: "head -c 100000 /dev/urandom > out.bin; printf '\\377\\0' >> in.bin; echo x > empty",
        ..CASE
    },
    Case {
        name: "permissions alone",
        before: "echo a > a.txt; echo b > b.sh; mkdir d; echo c > d/c",
        line: "chmod 600 a.txt; chmod 755 b.sh; chmod 700 d",
        ..CASE
    },
    Case {
        name: "read-only files",
        before: "echo a > a.txt; chmod 444 a.txt; echo b > b.txt; chmod 400 b.txt",
        line: "rm -f a.txt; chmod 644 b.txt; echo more >> b.txt",
        ..CASE
    },
    Case {
        name: "a directory that nobody may write",
        before: "mkdir d; echo a > d/a; echo b > d/b; chmod 555 d",
        line: "chmod 755 d; rm -rf d",
        ..CASE
    },
    Case {
        name: "links",
        before: "echo a > a.txt; ln -s none dangling; ln -s a.txt link; ln -s ../aside.txt out; echo aside > ../aside.txt",
        line: "rm dangling out; ln -sfn b.txt link; ln -s a.txt new",
        ..CASE
    },
    Case {
        name: "a file becomes a directory and back",
        before: "echo a > a; mkdir b; echo in > b/in",
        line: "rm a; mkdir a; echo x > a/x; rm -r b; echo b > b",
        ..CASE
    },
    Case {
        name: "a name in other case",
        before: "echo a > Name.txt",
        line: "mv Name.txt name.txt",
        ..CASE
    },
    Case {
        name: "beside a file that is open in an editor",
        before: "echo a > a.txt; printf 'b0VIM\\0' > .a.txt.swp",
        line: "echo changed > a.txt",
        ..CASE
    },
    Case {
        name: "names with odd characters",
        before: "echo a > 'two words'; echo b > \"$(printf 'n\\377l')\"; echo c > '-r'; echo d > \"$(printf 'line\\nbreak')\"",
        line: "for f in ./*; do echo changed > \"$f\"; done",
        ..CASE
    },
    Case {
        name: "a file with two names",
        before: "echo a > a.txt; ln a.txt b.txt; echo c > c.txt",
        line: "echo more >> a.txt; echo more >> c.txt",
        left: &[("a.txt", "not restorable"), ("b.txt", "not restorable")],
        says: &[],
    },
    Case {
        name: "no line break at the end, other line breaks",
        before: "printf 'a\\r\\nb' > a.txt; printf '\\357\\273\\277x\\n' > b.txt",
        line: "sed -i s/a/c/ a.txt; echo y > b.txt",
        ..CASE
    },
    Case {
        name: "in a clean checkout",
        before: REPOSITORY,
        line: "rm -r src; echo four > c.txt",
        ..CASE
    },
    Case {
        name: "in a checkout with changes and untracked files",
        before: "REPOSITORY; echo changed > c.txt; echo new > new.txt",
        line: "git checkout -q -- c.txt; git clean -qfd; rm src/a.rs",
        ..CASE
    },
    Case {
        name: "line breaks that git converts",
        before: "git init -q . && git config core.autocrlf true && printf 'a\\r\\nb\\r\\n' > a.txt && git add -A && \
                 git commit -qm first && rm a.txt && git checkout -q -- a.txt",
        line: "echo x > a.txt",
        ..CASE
    },
    Case {
        name: "a file that a filter of git smudged",
        before: "git init -q . && git config filter.up.smudge 'tr a-z A-Z' && git config filter.up.clean 'tr A-Z a-z' && \
                 echo '*.up filter=up' > .gitattributes && echo HELLO > a.up && git add -A && git commit -qm first && \
                 rm a.up && git checkout -q -- a.up",
        line: "echo x > a.up",
        ..CASE
    },
    Case {
        name: "a pointer to a large file",
        before: "git init -q . && echo '*.bin filter=lfs -text' > .gitattributes && \
                 printf 'version https://git-lfs.github.com/spec/v1\\noid sha256:00\\nsize 9\\n' > a.bin && \
                 git -c filter.lfs.clean=cat add -A && git commit -qm first",
        line: "echo x > a.bin",
        ..CASE
    },
    Case {
        name: "a commit",
        before: REPOSITORY,
        line: "echo four > c.txt; git commit -qam second",
        left: &[("c.txt", "moved HEAD")],
        says: &["git reset --soft"],
    },
    Case {
        name: "a branch that is checked out",
        before: "REPOSITORY; git checkout -qb other; echo x > c.txt; git commit -qam x; git checkout -q -",
        line: "git checkout -q other",
        left: &[("c.txt", "moved HEAD")],
        says: &["git switch -"],
    },
    Case {
        name: "a stash",
        before: "REPOSITORY; echo changed > c.txt; rm src/a.rs",
        line: "git stash -q",
        ..CASE
    },
    Case {
        name: "a repository in the workspace",
        before: "mkdir sub && cd sub && REPOSITORY",
        line: "cd sub; rm -r src; echo new > new.txt; git add -A",
        ..CASE
    },
    Case {
        name: "a linked work tree",
        before: "mkdir main && cd main && REPOSITORY && git worktree add -q ../tree -b tree",
        line: "cd tree; rm -r src; echo new > new.txt",
        ..CASE
    },
    Case {
        name: "packages that are installed",
        before: "REPOSITORY; echo node_modules/ > .gitignore; echo '{}' > package-lock.json; mkdir -p node_modules/a; \
                 echo a > node_modules/a/i.js",
        line: "echo '{\"a\": 2}' > package-lock.json; echo b > node_modules/a/i.js; mkdir node_modules/b",
        left: &[("node_modules", "ignored")],
        says: &[],
    },
];

/// What a path is: kind, permissions and content; and when it was modified.
type Entry = (String, Vec<u8>);
type Tree = BTreeMap<Vec<u8>, (Entry, i64)>;

/// The workspace, without what git keeps for itself.
fn tree(dir: &Path, base: &Path, all: &mut Tree) {
    use std::os::unix::ffi::OsStrExt as _;
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.file_name().unwrap() == ".git" {
            continue;
        }
        let about = path.symlink_metadata().unwrap();
        let mode = about.permissions().mode();
        let content = if about.is_symlink() {
            fs::read_link(&path).unwrap().as_os_str().as_bytes().to_owned()
        } else if about.is_file() {
            fs::read(&path).unwrap()
        } else {
            Vec::new()
        };
        let name = path.strip_prefix(base).unwrap().as_os_str().as_bytes().to_owned();
        // A directory is modified by what is restored in it.
        let modified = if about.is_dir() { 0 } else { about.mtime_nsec() };
        all.insert(name, ((format!("{mode:o}"), content), modified));
        if about.is_dir() {
            tree(&path, base, all);
        }
    }
}

fn snapshot(world: &World) -> Tree {
    let mut all = Tree::new();
    tree(&world.ws(), &world.ws(), &mut all);
    all
}

fn shell(world: &World, line: &str) {
    let line = line.replace("REPOSITORY", REPOSITORY);
    let status = Command::new("sh")
        .args(["-ec", &line])
        .current_dir(world.ws())
        .env_clear()
        .env("PATH", "/usr/local/bin:/usr/bin:/bin")
        .env("HOME", world.path("home"))
        .status();
    assert!(status.unwrap().success(), "{line}");
}

fn restores_exactly(case: &Case) {
    let world = World::new();
    let name = case.name;
    let identity = "[user]\nname = a\nemail = a@b\n[init]\ndefaultBranch = main\n";
    fs::write(world.path("home/.gitconfig"), identity).unwrap();
    shell(&world, case.before);
    let before = snapshot(&world);
    world.play(&playbook(&[case.line]), &["--policy", "auto"]).ends(0);
    let changed = snapshot(&world);
    assert_ne!(changed, before, "{name}: the command changes something");

    let preview = world.run(&["restore", "last", "c3", "--preview"]).ends(0).out;
    for words in case.says {
        assert!(preview.contains(words), "{name}: no `{words}` in\n{preview}");
    }
    for (path, why) in case.left {
        let is_said = |line: &str| line.contains(path) && line.contains(why);
        assert!(preview.lines().any(is_said), "{name}: {path}, {why}\n{preview}");
    }
    let rows = view(
        &world
            .run(&["restore", "last", "c3", "--preview", "--json"])
            .ends(0),
    );
    let restored = rows["paths"]
        .as_array()
        .unwrap()
        .iter()
        .any(|row| row["chosen"] == true);
    let digest = digest(&world, &["restore", "last", "c3"]);
    let code = if restored { 0 } else { 4 };
    let said = world
        .run(&["restore", "last", "c3", "--digest", &digest])
        .ends(code);
    assert!(!said.err.contains("not restored:"), "{name}: {}", said.err);

    let after = snapshot(&world);
    let is_left = |path: &[u8]| {
        let path = String::from_utf8_lossy(path);
        case.left.iter().any(|(one, _)| path.starts_with(one))
    };
    for path in before.keys().chain(after.keys()).chain(changed.keys()) {
        let shown = String::from_utf8_lossy(path);
        let [old, made, now] = [&before, &changed, &after].map(|tree| tree.get(path));
        if is_left(path) {
            assert_eq!(now, made, "{name}: {shown} is left as it was");
        } else if old == made {
            assert_eq!(now, old, "{name}: {shown} is not touched, its time neither");
        } else {
            let entry = |one: Option<&(Entry, i64)>| one.map(|(entry, _)| entry.clone());
            assert_eq!(entry(now), entry(old), "{name}: {shown} is as before");
        }
    }
}

#[test]
fn what_commands_change_is_restored_exactly() {
    for case in overrule_testing::sample(CASES.iter(), 13) {
        restores_exactly(case);
    }
}
