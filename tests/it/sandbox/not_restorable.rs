//! Tests that a call cannot change what could not be restored, that this is reported, and that ordinary work passes.
//!
//! Must not know: who decides what could not be restored.

use std::fs;
use std::io::{ErrorKind, Read as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::Path;

use overrule::domain::sandbox::{ReadOnly, RefusedKind};

use super::commands::{Place, place};

/// A place with files that could not be restored, read-only for its calls.
async fn limited(repositories: bool) -> Option<Place> {
    let mut place = place(true, &[]).await?;
    let project = place.project();
    fs::write(project.join("big.bin"), "big").unwrap();
    fs::write(project.join("one"), "shared").unwrap();
    fs::hard_link(project.join("one"), project.join("other")).unwrap();
    fs::create_dir_all(project.join("data/deep")).unwrap();
    fs::write(project.join("data/deep/row"), "row").unwrap();
    fs::write(project.join("file"), "not committed\n").unwrap();
    let paths = ["big.bin", "one", "other", "data"];
    let path = |name: &str| project.join(name).to_str().unwrap().to_owned();
    place.limit(ReadOnly {
        paths: paths
            .iter()
            .map(|name| path(name))
            .chain([path("gone")])
            .collect(),
        repositories,
    });
    Some(place)
}

/// What must not change: the content of each file, and what git knows.
fn content(project: &Path) -> Vec<(String, Option<String>)> {
    let names = [
        "big.bin",
        "one",
        "other",
        "data/deep/row",
        "file",
        ".git/HEAD",
        ".git/refs/heads",
    ];
    let mut found: Vec<(String, Option<String>)> = names
        .iter()
        .map(|name| ((*name).to_owned(), fs::read_to_string(project.join(name)).ok()))
        .collect();
    let index = fs::metadata(project.join(".git/index")).unwrap();
    found.push((
        "index".to_owned(),
        Some(format!("{} {}", index.size(), index.mtime_nsec())),
    ));
    found
}

/// A line that must fail, and the path that is reported.
const REFUSED: &[(&str, &str)] = &[
    ("rm -rf .git", ".git"),
    ("git reset -q --hard", ".git/index.lock"),
    ("git clean -qfdx", "data"),
    ("git commit -qam x", ".git/index.lock"),
    ("git checkout -q -- file", ".git/index.lock"),
    ("echo x > .git/HEAD", ".git/HEAD"),
    ("mv .git elsewhere", ".git"),
    ("echo x > big.bin", "big.bin"),
    ("echo x >> big.bin", "big.bin"),
    ("rm big.bin", "big.bin"),
    ("mv big.bin elsewhere", "big.bin"),
    ("echo x > new && mv new big.bin", "big.bin"),
    ("echo x > one", "one"),
    ("echo x > other", "other"),
    ("rm -rf data", "data"),
    ("rm data/deep/row", "data/deep/row"),
    ("echo x > data/new", "data/new"),
    ("chmod 000 big.bin", "big.bin"),
    ("touch -d yesterday data", "data"),
];

/// Lines that work all the same.
const ORDINARY: &[&str] = &[
    "git status --short",
    "git log --oneline",
    "git diff",
    "echo x > new && rm new",
    "mkdir -p deep/er && echo x > deep/er/a && mv deep other-name && rm -rf other-name",
    "cat big.bin one data/deep/row",
    "cp big.bin copy && echo x >> copy && rm copy",
    "sed -i 's/$//' file",
    "printf 'all:\\n\\techo ok > made\\n' > M && make -f M && rm M made",
    "echo x > /tmp/x",
];

#[tokio::test]
async fn what_could_not_be_restored_does_not_change_and_the_refusal_is_reported() {
    let Some(place) = limited(true).await else {
        return;
    };
    let project = place.project();
    let before = content(&project);
    let mut wrong = Vec::new();
    for (line, what) in REFUSED {
        let (code, text, refused) = place.run(line).await;
        let what = project.join(what);
        let is_told = refused
            .iter()
            .filter(|one| matches!(one.kind, RefusedKind::Write | RefusedKind::Protected))
            .any(|one| Path::new(&one.what).starts_with(&what));
        if code == Some(0) || !is_told {
            wrong.push(format!("{line}: {code:?} {refused:?}\n{text}"));
        }
        if content(&project) != before {
            wrong.push(format!("{line}: changed {:?}", content(&project)));
        }
        let _ = fs::remove_file(project.join("new"));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[tokio::test]
async fn a_pipe_that_could_not_be_restored_takes_nothing() {
    let Some(mut place) = limited(true).await else {
        return;
    };
    let pipe = place.project().join("pipe");
    let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
    rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, mode).unwrap();
    place.limit(ReadOnly {
        paths: vec![pipe.to_str().unwrap().to_owned()],
        repositories: true,
    });
    // Another program waits at its end.
    let mut options = fs::OpenOptions::new();
    let nonblocking = i32::try_from(rustix::fs::OFlags::NONBLOCK.bits()).unwrap();
    let mut end = options.read(true).custom_flags(nonblocking).open(&pipe).unwrap();
    let mut writer = fs::OpenOptions::new().write(true).open(&pipe).unwrap();
    for line in [
        "echo x > pipe",
        "echo x >> pipe",
        "echo x 1<> pipe",
        "mv pipe other",
        "rm -f pipe",
    ] {
        let (code, text, _) = place.run(line).await;
        assert_ne!(code, Some(0), "{line}: {text}");
        let read = end.read(&mut [0; 8]);
        assert_eq!(read.unwrap_err().kind(), ErrorKind::WouldBlock, "{line}");
    }
    std::io::Write::write_all(&mut writer, b"y").unwrap();
    assert_eq!(
        end.read(&mut [0; 8]).unwrap(),
        1,
        "it is the pipe that the test watches"
    );
}

#[tokio::test]
async fn ordinary_work_passes_meanwhile() {
    let Some(place) = limited(true).await else {
        return;
    };
    let mut wrong = Vec::new();
    for line in ORDINARY {
        if line.contains("make") && !place.has("make") {
            println!("SKIPPED: make is not installed");
            continue;
        }
        let (code, text, refused) = place.run(line).await;
        if code != Some(0) || !refused.is_empty() {
            wrong.push(format!("{line}: {code:?} {refused:?}\n{text}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[tokio::test]
async fn a_call_of_git_that_loses_nothing_commits() {
    let Some(place) = limited(false).await else {
        return;
    };
    for line in [
        "git commit -qam x",
        "git switch -qc feature",
        "git stash push -q",
        "git tag v1",
        "git merge -q feature",
    ] {
        let (code, text, refused) = place.run(line).await;
        assert_eq!((code, refused.as_slice()), (Some(0), &[][..]), "{line}: {text}");
    }
    let (code, _, refused) = place.run("echo x > big.bin").await;
    assert_ne!(code, Some(0));
    assert_eq!(refused.len(), 1);
}

#[tokio::test]
async fn without_namespaces_nothing_starts_that_needs_them() {
    let Some(mut place) = place(false, &[]).await else {
        return;
    };
    place.limit(ReadOnly {
        paths: Vec::new(),
        repositories: true,
    });
    let why = place.fails_to_start("touch ran").await;
    assert!(
        why.contains("read-only paths") && why.contains("no namespaces"),
        "{why}"
    );
    assert!(!place.project().join("ran").exists());
}
