//! Tests reading, listing and searching.
//!
//! Must not know: how a tool confines paths.

use rustix::fs::{CWD, FileType, Mode};
use serde_json::json;

use super::*;
use crate::output::{HEAD, TAIL};

fn tree() -> Bench {
    Bench::new().with(&[
        ("b.txt", "beta\n"),
        ("a/x.rs", "fn alpha() {}\n// TODO one\n"),
        ("a/deep/y.rs", "// todo two\r\nlast TODO"),
        ("a.rs", "// TODO zero\n"),
        (".hidden/h.rs", "TODO hidden\n"),
        (".gitignore", "/target\n*.log\n"),
        ("target/out.rs", "TODO target\n"),
        ("a/run.log", "TODO log\n"),
        ("a/.ignore", "skipped\n"),
        ("a/skipped/s.rs", "TODO skipped\n"),
    ])
}

#[tokio::test]
async fn a_home_directory_is_refused_by_every_tool_and_nothing_runs() {
    let bench = Bench::new();
    let calls = [
        ("read_file", json!({"path": "~/.ssh/id"})),
        ("list_dir", json!({"path": "~"})),
        ("search", json!({"pattern": "x", "path": "~ada/x"})),
        ("write_file", json!({"path": "~/notes/todo.txt", "content": "x"})),
        ("edit_file", json!({"path": "~/x", "old": "a", "new": "b"})),
        ("shell", json!({"command": "touch ran", "cwd": "~"})),
        ("shell", json!({"argv": ["touch", "ran"], "cwd": "~/x"})),
    ];
    for (tool, args) in calls {
        let error = bench.err(tool, args.clone()).await;
        assert_eq!(
            (error.class, error.executed),
            (ErrorClass::Param, false),
            "{tool} {args}"
        );
        assert!(
            error.message.contains("is not expanded here"),
            "{}",
            error.message
        );
        assert!(error.hint.unwrap().contains("workspace"));
    }
    assert_eq!(std::fs::read_dir(bench.path()).unwrap().count(), 0);
    assert!(bench.spawned.lock().unwrap().is_empty());
}

#[tokio::test]
async fn what_is_no_regular_file_is_refused_by_every_tool_and_not_waited_for() {
    let bench = Bench::new().with(&[("f", "a")]);
    let place = |name: &str| bench.path().join(name);
    let mode = Mode::from_raw_mode(0o600);
    rustix::fs::mknodat(CWD, place("pipe"), FileType::Fifo, mode, 0).unwrap();
    std::os::unix::fs::symlink("pipe", place("link")).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(place("socket")).unwrap();
    for path in ["pipe", "link", "socket"] {
        for (tool, args) in [
            ("read_file", json!({"path": path})),
            ("search", json!({"pattern": "a", "path": path})),
            ("write_file", json!({"path": path, "content": "x"})),
            ("edit_file", json!({"path": path, "old": "a", "new": "b"})),
        ] {
            let error = bench.err(tool, args).await;
            assert_eq!(
                (error.class, error.executed),
                (ErrorClass::Param, false),
                "{tool} {path}"
            );
            let why = "a device, pipe or socket, not a file";
            assert!(error.message.contains(why), "{tool} {path}: {}", error.message);
        }
    }
    let (found, _) = bench.ok("search", json!({"pattern": "a"})).await;
    assert_eq!(found, "f:1:a", "and a search passes them over");
}

#[tokio::test]
async fn a_file_is_read_exactly_whole_or_by_lines() {
    let bench = Bench::new().with(&[("f", "one\r\ntwo\n\nfour"), ("empty", "")]);
    let (text, meta) = bench.ok("read_file", json!({"path": "f"})).await;
    assert_eq!(text, "one\r\ntwo\n\nfour");
    assert_eq!(meta, json!({"bytes": 14, "lines": 4, "truncated": false}));
    let table = [
        (json!({"from_line": 2}), "two\n\nfour"),
        (json!({"from_line": 2, "lines": 1}), "two\n"),
        (json!({"lines": 1}), "one\r\n"),
        // A schema accepts these as integers.
        (json!({"lines": 1.0}), "one\r\n"),
        (json!({"from_line": 4, "lines": 100}), "four"),
    ];
    for (mut args, expected) in table {
        args["path"] = "f".into();
        let (text, meta) = bench.ok("read_file", args.clone()).await;
        assert_eq!(text, expected, "{args}");
        assert_eq!(meta["lines"], 4);
    }
    let (text, meta) = bench.ok("read_file", json!({"path": "empty", "_as": "e"})).await;
    assert_eq!((text.as_str(), &meta["lines"]), ("", &json!(0)));
    let error = bench.err("read_file", json!({"path": "f", "from_line": 5})).await;
    assert_eq!(error.class, ErrorClass::Param);
    assert!(error.message.contains("4 lines"), "{}", error.message);
}

#[tokio::test]
async fn what_is_not_text_is_refused_or_marked() {
    let bench = Bench::new();
    std::fs::write(bench.path().join("bin"), b"\x7fELF\0\0\x01").unwrap();
    std::fs::write(bench.path().join("latin"), b"caf\xe9\n").unwrap();
    let error = bench.err("read_file", json!({"path": "bin"})).await;
    assert_eq!(error.class, ErrorClass::Param);
    assert!(error.message.contains("NUL"), "{}", error.message);
    let (text, meta) = bench.ok("read_file", json!({"path": "latin"})).await;
    assert_eq!(text, "caf⟨0xe9⟩\n");
    assert_eq!(meta["invalid_utf8"], 1);
}

#[tokio::test]
async fn of_a_large_file_head_and_tail_are_read() {
    let bench = Bench::new();
    let content = "0123456789abcde\n".repeat(100_000);
    std::fs::write(bench.path().join("large"), &content).unwrap();
    let Outcome::Ok {
        value,
        meta,
        discarded,
        ..
    } = bench.call("read_file", json!({"path": "large"})).await
    else {
        panic!("not read");
    };
    assert_eq!(discarded, (content.len() - HEAD - TAIL) as u64);
    assert!(value.len() < HEAD + TAIL + 50_000);
    let meta: Value = serde_json::from_str(&meta.unwrap()).unwrap();
    assert_eq!(
        meta,
        json!({"bytes": 1_600_000, "lines": 100_000, "truncated": true})
    );
}

#[tokio::test]
async fn files_outside_are_not_read_listed_or_searched() {
    let bench = Bench::new();
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(outside.path().join("s"), "secret").unwrap();
    std::os::unix::fs::symlink(outside.path(), bench.path().join("out")).unwrap();
    std::os::unix::fs::symlink(outside.path().join("s"), bench.path().join("s-link")).unwrap();
    let table = [
        ("read_file", json!({"path": "out/s"})),
        ("read_file", json!({"path": "s-link"})),
        ("list_dir", json!({"path": "out"})),
        ("list_dir", json!({"path": "/"})),
        ("list_dir", json!({"path": ".."})),
        ("search", json!({"pattern": "secret", "path": "out"})),
        ("search", json!({"pattern": "secret", "path": "s-link"})),
        ("shell", json!({"command": "true", "cwd": "out"})),
    ];
    for (tool, args) in table {
        let error = bench.err(tool, args.clone()).await;
        assert_eq!(
            (error.class, error.executed),
            (ErrorClass::Auth, false),
            "{tool} {args}"
        );
    }
    // A walk does not follow links either.
    let (text, _) = bench.ok("search", json!({"pattern": "secret"})).await;
    assert_eq!(text, "");
    let (text, _) = bench.ok("list_dir", json!({"depth": 5})).await;
    assert_eq!(text, "out\ns-link");
}

#[tokio::test]
async fn a_directory_is_listed_sorted_without_what_is_ignored_or_hidden() {
    let bench = tree();
    let (text, meta) = bench.ok("list_dir", json!({})).await;
    assert_eq!(text, "a/\na.rs\nb.txt");
    assert_eq!(
        meta,
        json!({"path": ".", "entries": 3, "files": 2, "dirs": 1, "unreadable": 0, "truncated": false})
    );
    let (text, _) = bench.ok("list_dir", json!({"depth": 3})).await;
    assert_eq!(text, "a/\na/deep/\na/deep/y.rs\na/x.rs\na.rs\nb.txt");
    // Ignore files of parent directories apply too.
    let (text, _) = bench.ok("list_dir", json!({"path": "a", "depth": 2})).await;
    assert_eq!(text, "a/deep/\na/deep/y.rs\na/x.rs");
    // What is named is wanted, ignored or not.
    let (text, _) = bench.ok("list_dir", json!({"path": "target"})).await;
    assert_eq!(text, "target/out.rs");
    let (text, _) = bench.ok("list_dir", json!({"path": ".hidden"})).await;
    assert_eq!(text, ".hidden/h.rs");
    let error = bench.err("list_dir", json!({"path": "b.txt"})).await;
    assert_eq!(error.class, ErrorClass::Param);
}

#[tokio::test]
async fn a_large_directory_is_listed_in_part() {
    let bench = Bench::new();
    for number in 0..2_005 {
        std::fs::write(bench.path().join(format!("f{number:04}")), "").unwrap();
    }
    let (text, meta) = bench.ok("list_dir", json!({})).await;
    assert_eq!(
        (&meta["entries"], &meta["truncated"]),
        (&json!(2_000), &json!(true))
    );
    assert!(text.contains("f1999") && !text.contains("f2000"));
}

#[tokio::test]
async fn a_name_cannot_begin_a_line_of_its_own() {
    let bench = Bench::new().with(&[("a\nb", "hit\n")]);
    let (text, _) = bench.ok("list_dir", json!({})).await;
    assert_eq!(text, "a⟨0x0a⟩b");
    let (text, _) = bench.ok("search", json!({"pattern": "hit"})).await;
    assert_eq!(text, "a⟨0x0a⟩b:1:hit");
}

#[tokio::test]
async fn matching_lines_are_found_sorted_without_what_is_ignored() {
    let bench = tree();
    let (text, meta) = bench.ok("search", json!({"pattern": "TODO"})).await;
    assert_eq!(
        text,
        "a/deep/y.rs:2:last TODO\na/x.rs:2:// TODO one\na.rs:1:// TODO zero"
    );
    assert_eq!(
        (&meta["matches"], &meta["files"], &meta["searched"]),
        (&json!(3), &json!(3), &json!(4))
    );
    assert_eq!(meta["top"], "a/deep/y.rs", "of files with equally many the first");
    let (_, meta) = bench
        .ok("search", json!({"pattern": "(?i)todo", "path": "a"}))
        .await;
    assert_eq!(meta["top"], "a/deep/y.rs");
    let (_, meta) = bench.ok("search", json!({"pattern": "nothing like this"})).await;
    assert_eq!(meta.get("top"), None, "a reference to it falls back");
    let table = [
        (
            json!({"pattern": "todo", "ignore_case": true, "path": "a"}),
            "a/deep/y.rs:1:// todo two\na/deep/y.rs:2:last TODO\na/x.rs:2:// TODO one",
        ),
        (
            json!({"pattern": "^//.*o$", "glob": "a.*"}),
            "a.rs:1:// TODO zero",
        ),
        (
            json!({"pattern": "TODO", "glob": "a/**/*.rs"}),
            "a/deep/y.rs:2:last TODO\na/x.rs:2:// TODO one",
        ),
        (
            json!({"pattern": "TODO", "glob": "a/*.rs"}),
            "a/x.rs:2:// TODO one",
        ),
        (
            json!({"pattern": "TODO", "path": "target"}),
            "target/out.rs:1:TODO target",
        ),
        (
            json!({"pattern": "TODO", "path": "a/run.log"}),
            "a/run.log:1:TODO log",
        ),
        (json!({"pattern": "nothing like this"}), ""),
        (json!({"pattern": "TODO", "max": 1}), "a/deep/y.rs:2:last TODO"),
    ];
    for (args, expected) in table {
        let (text, meta) = bench.ok("search", args.clone()).await;
        assert_eq!(text, expected, "{args}");
        assert_eq!(meta["truncated"], args.get("max").is_some(), "{args}");
    }
}

#[tokio::test]
async fn search_is_bounded_and_skips_what_is_not_text() {
    let long = format!("{}needle{}\n", "x".repeat(5_000), "y".repeat(5_000));
    let bench = Bench::new().with(&[("long", &long), ("many", &"needle\n".repeat(300))]);
    std::fs::write(bench.path().join("bin"), b"needle\0needle").unwrap();
    let (text, meta) = bench.ok("search", json!({"pattern": "needle"})).await;
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!((lines.len(), &meta["truncated"]), (200, &json!(true)));
    assert!(
        lines[0].contains("needle") && lines[0].chars().count() < 220,
        "{}",
        lines[0]
    );
    assert_eq!(meta["skipped"]["binary"], 1);
    // An expression that makes other engines backtrack takes no time here.
    let bench = Bench::new().with(&[("evil", &"a".repeat(50_000))]);
    let (text, _) = bench.ok("search", json!({"pattern": "(a+)+$b"})).await;
    assert_eq!(text, "");
}

#[tokio::test]
async fn a_long_line_is_searched_to_its_end_in_pieces() {
    let line = |at: usize| {
        format!(
            "begin{}needle{}end\nshort needle\n",
            "x".repeat(at),
            "y".repeat(40_000)
        )
    };
    // Also across the places where a piece ends.
    for at in [0, 32_758, 32_762, 32_763, 32_768, 70_000, 98_290] {
        let bench = Bench::new().with(&[("long", &line(at))]);
        let lines = async |pattern: &str| -> Vec<String> {
            let (text, _) = bench.ok("search", json!({"pattern": pattern})).await;
            text.lines().map(str::to_owned).collect()
        };
        let found = lines("needle").await;
        assert_eq!(found.len(), 2, "{at}");
        assert!(
            found[0].starts_with("long:1:") && found[0].contains("needle"),
            "{at}"
        );
        assert_eq!(
            lines("y$|^y|^x").await,
            [""; 0],
            "a piece has no beginning and no end of its own: {at}"
        );
        assert_eq!(lines("^begin|needley*end$").await.len(), 1, "{at}");
    }
}

#[tokio::test]
async fn a_search_ends_within_a_file_when_it_is_cancelled() {
    let bench = Bench::new().with(&[("slow", &"ab".repeat(8_000_000))]);
    let (slow, cancel) = (
        bench.call("search", json!({"pattern": "b[ab]{900}c"})),
        bench.cancel.clone(),
    );
    let outcome = tokio::join!(slow, async move {
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        cancel.cancel();
    });
    assert!(!matches!(outcome.0, Outcome::Ok { .. }), "{outcome:?}");
}

#[tokio::test]
async fn a_broken_pattern_is_explained() {
    let bench = Bench::new();
    let error = bench.err("search", json!({"pattern": "a[ab]{20000}c"})).await;
    assert_eq!((error.class, error.executed), (ErrorClass::Param, false));
    assert!(error.message.contains("is too large"), "{}", error.message);
    let error = bench.err("search", json!({"pattern": "a("})).await;
    assert_eq!((error.class, error.executed), (ErrorClass::Param, false));
    assert!(error.message.contains("unclosed group"), "{}", error.message);
    let error = bench.err("search", json!({"pattern": "a", "glob": "[a"})).await;
    assert!(error.message.contains("file pattern"), "{}", error.message);
}
