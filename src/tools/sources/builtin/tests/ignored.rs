//! Tests ignore files: what they leave out, and which of them are read.
//!
//! Must not know: how a walk proceeds.

use std::path::PathBuf;

use ignore::WalkBuilder;
use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::builtin::walk;
use crate::workspace::Workspace;

/// What `list_dir` finds of all there is.
async fn listed(bench: &Bench) -> Vec<String> {
    let (text, _) = bench.ok("list_dir", json!({"depth": 20})).await;
    text.lines().map(str::to_owned).collect()
}

#[tokio::test]
async fn what_is_no_plain_file_is_not_read_as_an_ignore_file() {
    let bench = Bench::new().with(&[("kept.txt", "x"), ("a/kept.txt", "x"), ("b/kept.txt", "x")]);
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(outside.path().join("rules"), "kept.txt\n").unwrap();
    // An endless device, one that waits for a writer, a file outside of the workspace.
    std::os::unix::fs::symlink("/dev/zero", bench.path().join(".gitignore")).unwrap();
    let pipe = bench.path().join("a/.ignore");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        &pipe,
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RWXU,
        0,
    )
    .unwrap();
    std::os::unix::fs::symlink(outside.path().join("rules"), bench.path().join("b/.gitignore")).unwrap();
    let all = ["a/", "a/kept.txt", "b/", "b/kept.txt", "kept.txt"];
    assert_eq!(listed(&bench).await, all);
    let (text, meta) = bench.ok("search", json!({"pattern": "x"})).await;
    assert_eq!((text.lines().count(), &meta["searched"]), (3, &json!(3)));
}

#[tokio::test]
async fn an_ignore_file_that_is_too_long_is_none() {
    let rules = |bytes: usize| format!("{}\nkept.txt\n", "#".repeat(bytes));
    let bench = Bench::new().with(&[("kept.txt", "x"), (".ignore", &rules(900_000))]);
    let none = "[… 2 hidden or ignored entries left out, nothing else found …]";
    assert_eq!(listed(&bench).await, [none]);
    let bench = Bench::new().with(&[("kept.txt", "x"), (".ignore", &rules(1_100_000))]);
    assert_eq!(listed(&bench).await, ["kept.txt"]);
}

/// Names of directories and files in generated trees.
const NAMES: [&str; 5] = ["a", "b.log", "c", ".d", "build"];
/// Rules in generated ignore files.
const RULES: [&str; 16] = [
    "a", "/a", "a/", "*.log", "!b.log", "!.d", ".d", "build/", "!build", "c/*", "**/c", "/c/a", "# a", "",
    "[z", "!a/",
];
const FILES: [&str; 3] = [".ignore", ".gitignore", ".git/info/exclude"];

prop_compose! {
    fn place()(names in prop::collection::vec(prop::sample::select(&NAMES[..]), 0..3)) -> PathBuf {
        names.iter().collect()
    }
}

proptest! {
    #![proptest_config(overrule_testing::cases(48))]

    /// The walk finds what the library finds when it reads the ignore files itself.
    #[test]
    fn rules_mean_what_they_mean_to_git(
        leaves in prop::collection::vec(place(), 1..10),
        rules in prop::collection::vec(
            (place(), prop::sample::select(&FILES[..]), prop::collection::vec(prop::sample::select(&RULES[..]), 1..4)),
            0..5,
        ),
        start in prop_oneof![3 => Just(PathBuf::new()), 1 => place()],
        depth in prop::option::of(1_usize..4),
    ) {
        let dir = tempfile::tempdir().unwrap();
        // The library stops at a repository inside only where all of it is one.
        std::fs::create_dir(dir.path().join(".git")).unwrap();
        for leaf in &leaves {
            // A file cannot have entries below it.
            std::fs::create_dir_all(dir.path().join(leaf)).unwrap_or_default();
            std::fs::write(dir.path().join(leaf).join("f"), "x").unwrap_or_default();
        }
        for (place, name, lines) in &rules {
            let file = dir.path().join(place).join(name);
            if dir.path().join(place).is_dir() {
                std::fs::create_dir_all(file.parent().unwrap()).unwrap();
                std::fs::write(&file, lines.join("\n")).unwrap();
            }
        }
        prop_assume!(dir.path().join(&start).is_dir());
        let workspace = Arc::new(Workspace::open(dir.path()).unwrap());
        let place = workspace.find(if start.as_os_str().is_empty() { "." } else { start.to_str().unwrap() }).unwrap();
        let ours: Vec<PathBuf> = walk::below(&workspace, &place, depth, (&crate::tool::nothing_withheld(), &Arc::default())).flatten().map(|step| step.path).collect();
        prop_assert_eq!(ours, theirs(&workspace, &place.path, depth));
    }
}

/// What the library finds by itself: from the root, or from the start where that is ignored.
fn theirs(workspace: &Workspace, start: &Path, depth: Option<usize>) -> Vec<PathBuf> {
    let root = workspace.root().to_owned();
    let found = |from: &Path, depth: Option<usize>| -> Vec<PathBuf> {
        let mut builder = WalkBuilder::new(from);
        builder
            .parents(false)
            .git_global(false)
            .sort_by_file_name(std::cmp::Ord::cmp)
            .max_depth(depth);
        let paths = builder.build().flatten().map(ignore::DirEntry::into_path);
        paths
            .map(|path| path.strip_prefix(&root).unwrap().to_owned())
            .collect()
    };
    let level = start.components().count();
    let all = found(&root, None);
    let all = if all.iter().any(|path| path == start) {
        found(&root, depth.map(|depth| depth + level))
    } else {
        found(&root.join(start), depth)
    };
    all.into_iter()
        .filter(|path| path != start && path.starts_with(start))
        .collect()
}
