//! Tests of what is told of a repository, and that nothing of it runs.

use std::fs;

use super::*;

/// A workspace, and git in it; none where git is not installed.
struct Work(tempfile::TempDir);

impl Work {
    fn new() -> Option<Self> {
        let work = Self(tempfile::tempdir().unwrap());
        let is_there = std::process::Command::new("git")
            .arg("--version")
            .output()
            .is_ok();
        if !is_there {
            eprintln!("skipped: git is not installed");
            return None;
        }
        work.git(&["init", "-q", "-b", "main"]);
        Some(work)
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn git(&self, args: &[&str]) {
        let identity = ["-c", "user.name=t", "-c", "user.email=t@t"];
        let mut git = std::process::Command::new("git");
        git.args(identity).args(args).current_dir(self.path());
        assert!(git.output().unwrap().status.success(), "{args:?}");
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn commit(&self) {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "-m", "x"]);
    }
}

async fn told(dir: &Path) -> Option<(String, Option<usize>)> {
    look(dir, &Environment::default())
        .await
        .map(|found| (found.branch, found.changed))
}

#[tokio::test]
async fn the_branch_is_named_and_what_differs_from_its_commit_is_counted() {
    let Some(work) = Work::new() else { return };
    assert_eq!(
        told(work.path()).await,
        Some(("main".into(), Some(0))),
        "no commit yet"
    );
    for name in ["a.txt", "sub/b.txt", "sub/c.txt"] {
        work.write(name, "1");
    }
    work.write(".gitignore", "target\n");
    work.commit();
    assert_eq!(told(work.path()).await, Some(("main".into(), Some(0))));
    work.write("target/x", "1");
    work.write("a.txt", "2");
    work.write("sub/new.txt", "1");
    fs::remove_file(work.path().join("sub/b.txt")).unwrap();
    work.git(&["mv", "sub/c.txt", "sub/d.txt"]);
    // The old and the new name of a file count as two.
    assert_eq!(told(work.path()).await, Some(("main".into(), Some(5))));
    let below = work.path().join("sub");
    assert_eq!(
        told(&below).await,
        Some(("main".into(), Some(4))),
        "what is beside the workspace does not count"
    );
    work.git(&["checkout", "-q", "-b", "fix/one"]);
    assert_eq!(told(work.path()).await.unwrap().0, "fix/one");
    work.git(&["checkout", "-q", "--detach"]);
    assert_eq!(told(work.path()).await.unwrap().0.len(), COMMIT);
}

#[tokio::test]
async fn a_linked_work_tree_has_its_own_branch_and_outside_there_is_none() {
    let Some(work) = Work::new() else { return };
    work.write("a.txt", "1");
    work.commit();
    let other = tempfile::tempdir().unwrap();
    let linked = other.path().join("linked");
    work.git(&["worktree", "add", "-q", linked.to_str().unwrap(), "-b", "side"]);
    fs::write(linked.join("a.txt"), "2").unwrap();
    assert_eq!(told(&linked).await, Some(("side".into(), Some(1))));
    assert_eq!(told(other.path()).await, None);
}

#[tokio::test]
async fn no_program_that_a_repository_names_runs() {
    let Some(work) = Work::new() else { return };
    work.write("a.txt", "1");
    work.write(".gitattributes", "*.txt filter=evil\n");
    work.commit();
    let ran = work.path().join("ran");
    let touch = format!("touch {}; cat", ran.display());
    let set = |args: &[&str]| work.git(&[&["config", "--local"], args].concat());
    let unset = |name: &str| set(&["--unset", name]);
    let evil = work.path().join("evil.cfg");
    fs::write(&evil, format!("[filter \"evil\"]\n\tclean = {touch:?}\n")).unwrap();
    work.write("a.txt", "2");
    for (name, value) in [
        ("core.fsmonitor", touch.as_str()),
        ("filter.evil.clean", touch.as_str()),
        ("filter.evil.process", touch.as_str()),
        ("remote.origin.promisor", "true"),
        ("extensions.partialClone", "origin"),
        ("include.path", evil.to_str().unwrap()),
        ("includeIf.gitdir:/**.path", evil.to_str().unwrap()),
    ] {
        set(&[name, value]);
        assert_eq!(told(work.path()).await, Some(("main".into(), None)), "{name}");
        assert!(!ran.exists(), "{name}");
        unset(name);
    }
    let common = work.path().join(".git/config.worktree");
    fs::write(&common, "[core]\n\tfsmonitor = x\n").unwrap();
    assert_eq!(told(work.path()).await, Some(("main".into(), None)));
    fs::write(&common, [0xff, 0xfe]).unwrap();
    assert_eq!(
        told(work.path()).await.unwrap().1,
        None,
        "what cannot be read may name one"
    );
}

#[tokio::test]
async fn a_broken_repository_is_none() {
    let work = tempfile::tempdir().unwrap();
    for (name, content) in [("HEAD", None), ("HEAD", Some("")), ("HEAD", Some("abc"))] {
        let own = work.path().join(".git");
        fs::create_dir_all(&own).unwrap();
        if let Some(content) = content {
            fs::write(own.join(name), content).unwrap();
        }
        assert_eq!(told(work.path()).await, None, "{content:?}");
    }
    fs::remove_dir_all(work.path().join(".git")).unwrap();
    fs::write(work.path().join(".git"), "gitdir: /nowhere\n").unwrap();
    assert_eq!(told(work.path()).await, None);
}
