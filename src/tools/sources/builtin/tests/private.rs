//! Tests that tools cannot reach the program's own files, wherever the workspace is.
//!
//! Must not know: other tools' results.

use serde_json::json;

use super::Bench;
use overrule_domain::call::ErrorClass;

/// A bench whose workspace contains the program's own sessions.
fn bench() -> Bench {
    let mut bench = Bench::new().with(&[
        ("notes.txt", "needle\n"),
        ("own/one/journal.jsonl", "needle\n"),
        ("settings.toml", "needle\n"),
    ]);
    let private = ["own", "settings.toml"].map(|name| bench.path().join(name));
    bench.tools = bench.tools.clone().keeping_out_of(private);
    bench
}

#[tokio::test]
async fn nothing_is_written_where_the_program_keeps_its_own() {
    let bench = bench();
    std::os::unix::fs::symlink(bench.path().join("own"), bench.path().join("link")).unwrap();
    for path in [
        "own/one/journal.jsonl",
        "own/new/file",
        "./link/one/x",
        "notes/../own/y",
        "settings.toml",
    ] {
        let args = json!({"path": path, "content": "evil"});
        let error = bench.err("write_file", args).await;
        assert!(!error.executed, "{path}: {error:?}");
    }
    let args = json!({"path": "own/one/journal.jsonl", "old": "needle", "new": "evil"});
    let error = bench.err("edit_file", args).await;
    assert_eq!((error.class, error.executed), (ErrorClass::Auth, false));
    assert!(
        error.message.contains("belongs to this program"),
        "{}",
        error.message
    );
    assert_eq!(bench.text("own/one/journal.jsonl"), "needle\n");
    assert_eq!(bench.text("settings.toml"), "needle\n");
    assert!(!bench.path().join("own/new").exists() && !bench.path().join("own/one/x").exists());
    let (output, _) = bench
        .ok("write_file", json!({"path": "owner.txt", "content": "fine"}))
        .await;
    assert!(output.contains("owner.txt"), "a longer name is another place");
}

#[tokio::test]
async fn nothing_is_read_where_the_program_keeps_its_own() {
    let bench = bench();
    for (tool, args) in [
        ("read_file", json!({"path": "own/one/journal.jsonl"})),
        ("list_dir", json!({"path": "own"})),
        ("search", json!({"path": "own", "pattern": "needle"})),
        ("shell", json!({"command": "ls", "cwd": "own/one"})),
    ] {
        assert_eq!(bench.err(tool, args).await.class, ErrorClass::Auth, "{tool}");
    }
    let (found, _) = bench.ok("search", json!({"pattern": "needle"})).await;
    assert_eq!(found, "notes.txt:1:needle");
    let (listed, _) = bench.ok("list_dir", json!({"depth": 3})).await;
    assert_eq!(listed, "notes.txt");
}

#[tokio::test]
async fn a_private_path_that_does_not_exist_yet_is_protected_too() {
    let mut bench = Bench::new();
    let link = bench.path().join("way");
    std::os::unix::fs::symlink(bench.path(), &link).unwrap();
    bench.tools = bench.tools.clone().keeping_out_of([link.join("later/sessions")]);
    let args = json!({"path": "later/sessions/x", "content": "evil"});
    assert_eq!(bench.err("write_file", args).await.class, ErrorClass::Auth);
    assert!(!bench.path().join("later").exists());
}

#[tokio::test]
async fn another_name_of_what_the_program_keeps_is_not_read_either() {
    let bench = bench();
    let path = bench.path().to_owned();
    std::fs::hard_link(path.join("settings.toml"), path.join("a.txt")).unwrap();
    std::fs::hard_link(path.join("own/one/journal.jsonl"), path.join("b.txt")).unwrap();
    std::fs::hard_link(path.join("notes.txt"), path.join("c.txt")).unwrap();
    for name in ["a.txt", "b.txt"] {
        let error = bench.err("read_file", json!({"path": name})).await;
        assert_eq!(error.class, ErrorClass::Auth, "{name}");
        assert!(
            error.message.contains("belongs to this program"),
            "{}",
            error.message
        );
        let error = bench
            .err("edit_file", json!({"path": name, "old": "needle", "new": "x"}))
            .await;
        assert_eq!((error.class, error.executed), (ErrorClass::Auth, false), "{name}");
    }
    let (found, _) = bench.ok("search", json!({"pattern": "needle"})).await;
    assert_eq!(found, "c.txt:1:needle\nnotes.txt:1:needle");
    // An ordinary file may have two names.
    assert!(
        bench
            .ok("read_file", json!({"path": "c.txt"}))
            .await
            .0
            .contains("needle")
    );
}
