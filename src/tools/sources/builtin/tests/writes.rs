//! Tests writing and editing, and the probes of both.
//!
//! Must not know: how a file is replaced.

use std::os::unix::fs::PermissionsExt;

use serde_json::json;

use super::*;
use overrule_domain::input::Finding;

impl Bench {
    fn before(&self, tool: &str, args: &Value) -> Option<Value> {
        let tool = self.tools.get(tool).unwrap();
        tool.before(args, self.path(), self.tools.private())
    }

    fn probe(&self, tool: &str, args: &Value, before: &Value) -> Option<Finding> {
        self.tools.get(tool).unwrap().probe(args, before, self.path())
    }

    fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = std::fs::read_dir(self.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }
}

#[tokio::test]
async fn a_file_is_created_or_replaced_whole_and_keeps_its_mode() {
    let bench = Bench::new().with(&[("script", "old")]);
    let script = bench.path().join("script");
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o750)).unwrap();
    let (text, meta) = bench
        .ok("write_file", json!({"path": "script", "content": "newer"}))
        .await;
    assert_eq!(text, "replaced `script` (5 bytes)");
    assert_eq!(meta, json!({"bytes": 5, "created": false}));
    assert_eq!(bench.text("script"), "newer");
    assert_eq!(script.metadata().unwrap().permissions().mode() & 0o7777, 0o750);

    let (text, meta) = bench
        .ok("write_file", json!({"path": "a/b/c.md", "content": ""}))
        .await;
    assert_eq!(text, "created `a/b/c.md` (0 bytes)");
    assert_eq!(meta["created"], true);
    assert_eq!(bench.text("a/b/c.md"), "");
    assert_eq!(bench.names(), ["a", "script"], "something was left over");
}

#[tokio::test]
async fn a_failing_write_reports_the_directories_it_created() {
    let bench = Bench::new();
    let long = "x".repeat(300);
    for (path, made) in [
        (format!("one/deep/{long}"), "one"),
        (format!("two/{long}/file"), "two"),
    ] {
        let error = bench
            .err("write_file", json!({"path": path, "content": "x"}))
            .await;
        assert!(error.executed && bench.path().join(made).is_dir(), "{error:?}");
        let words = format!("; the directory `{made}` was made for it, and stays");
        assert!(error.message.ends_with(&words), "{}", error.message);
    }
    // Where nothing was made, nothing was done.
    let error = bench
        .err(
            "write_file",
            json!({"path": format!("one/{long}"), "content": "x"}),
        )
        .await;
    assert!(
        !error.executed && !error.message.contains("was made"),
        "{error:?}"
    );
    assert_eq!(bench.names(), ["one", "two"]);
}

#[tokio::test]
async fn through_a_link_inside_the_file_is_written_and_the_link_stays() {
    let bench = Bench::new().with(&[("real", "old")]);
    std::os::unix::fs::symlink("real", bench.path().join("link")).unwrap();
    bench
        .ok("write_file", json!({"path": "link", "content": "new"}))
        .await;
    assert_eq!(bench.text("real"), "new");
    assert!(bench.path().join("link").symlink_metadata().unwrap().is_symlink());
}

#[tokio::test]
async fn refused_writes_change_nothing() {
    let bench = Bench::new().with(&[("one", "content"), (".git/config", "g")]);
    std::fs::hard_link(bench.path().join("one"), bench.path().join("two")).unwrap();
    for path in ["two", ".git/config", ".bashrc", "../up", "/tmp/abs-overrule", "."] {
        for (tool, args) in [
            ("write_file", json!({"path": path, "content": "x"})),
            ("edit_file", json!({"path": path, "old": "c", "new": "x"})),
        ] {
            let error = bench.err(tool, args.clone()).await;
            assert!(
                matches!(error.class, ErrorClass::Auth | ErrorClass::Param),
                "{path}: {error:?}"
            );
            assert!(!error.executed && error.hint.is_some(), "{path}: {error:?}");
            assert_eq!(bench.before(tool, &args), None, "{path}");
        }
    }
    assert_eq!(bench.text("one"), "content");
    assert_eq!(bench.names(), [".git", "one", "two"]);
}

#[tokio::test]
async fn a_write_cancelled_before_it_begins_changes_nothing() {
    let bench = Bench::new();
    bench.cancel.cancel();
    let outcome = bench
        .call("write_file", json!({"path": "f", "content": "x"}))
        .await;
    assert_eq!(outcome, Outcome::Cancelled { executed: false });
    assert_eq!(bench.names(), [""; 0]);
}

#[tokio::test]
async fn edits_replace_exactly_one_place_or_all() {
    let bench = Bench::new().with(&[("f", "one\ntwo\none\n")]);
    let error = bench
        .err("edit_file", json!({"path": "f", "old": "one", "new": "1"}))
        .await;
    assert_eq!((error.class, error.executed), (ErrorClass::Param, false));
    assert!(
        error.message.contains("2 times") && error.message.contains("lines 1, 3"),
        "{}",
        error.message
    );
    assert_eq!(bench.text("f"), "one\ntwo\none\n");

    let (text, meta) = bench
        .ok(
            "edit_file",
            json!({"path": "f", "old": "two\none", "new": "2\n1"}),
        )
        .await;
    assert_eq!(text, "replaced 1 place in `f` (line 2)");
    assert_eq!(meta, json!({"replaced": 1, "bytes": 8, "line": 2}));
    assert_eq!(bench.text("f"), "one\n2\n1\n");

    let (text, _) = bench
        .ok(
            "edit_file",
            json!({"path": "f", "old": "\n", "new": ";", "all": true}),
        )
        .await;
    assert_eq!(text, "replaced 3 places in `f`");
    assert_eq!(bench.text("f"), "one;2;1;");
    assert_eq!(bench.names(), ["f"]);
}

#[tokio::test]
async fn an_edit_that_does_not_match_explains_why() {
    let bench = Bench::new().with(&[("f", "fn a() {\n\treturn 1;\n}\n"), ("crlf", "a\r\nb\r\n")]);
    let table = [
        ("f", "    return 1;", "line 2 is similar"),
        ("f", "return 2;", "read the file again"),
        ("crlf", "a\nb", "CR LF"),
    ];
    for (path, old, why) in table {
        let error = bench
            .err("edit_file", json!({"path": path, "old": old, "new": "x"}))
            .await;
        assert_eq!(error.class, ErrorClass::Param);
        let hint = error.hint.unwrap();
        assert!(hint.contains(why), "{old}: {hint}");
    }
    let error = bench
        .err(
            "edit_file",
            json!({"path": "f", "old": "return 1", "new": "return 1"}),
        )
        .await;
    assert!(error.message.contains("equal"), "{}", error.message);
    let error = bench
        .err("edit_file", json!({"path": "none", "old": "a", "new": "b"}))
        .await;
    assert_eq!(error.class, ErrorClass::NotFound);
}

#[tokio::test]
async fn bytes_that_are_not_text_survive_an_edit() {
    let bench = Bench::new();
    std::fs::write(bench.path().join("f"), b"\xff\xfe old \x00\r\n").unwrap();
    bench
        .ok("edit_file", json!({"path": "f", "old": "old", "new": "new"}))
        .await;
    assert_eq!(
        std::fs::read(bench.path().join("f")).unwrap(),
        b"\xff\xfe new \x00\r\n"
    );
}

/// Whether a write with an unknown outcome happened: a table of states after a crash.
#[tokio::test]
async fn a_probe_is_conclusive_only_for_the_old_and_the_new_content() {
    let write = json!({"path": "f", "content": "new"});
    let edit = json!({"path": "f", "old": "old", "new": "new"});
    let happened = |finding: Option<Finding>| finding.map(|finding| finding.happened);
    for (tool, args) in [("write_file", &write), ("edit_file", &edit)] {
        let bench = Bench::new().with(&[("f", "old")]);
        let before = bench.before(tool, args).unwrap();
        assert_eq!(bench.text("f"), "old", "looking changed the file");
        assert_eq!(happened(bench.probe(tool, args, &before)), Some(false));
        // Killed while the new content was written to a temporary file.
        let temporary = bench.path().join(".overrule-1-0.tmp");
        std::fs::write(&temporary, "ne").unwrap();
        assert_eq!(happened(bench.probe(tool, args, &before)), Some(false));
        assert!(temporary.exists(), "a probe changed something");
        // Another program wrote the file.
        std::fs::write(bench.path().join("f"), "other").unwrap();
        assert_eq!(happened(bench.probe(tool, args, &before)), None);
        std::fs::remove_file(bench.path().join("f")).unwrap();
        assert_eq!(happened(bench.probe(tool, args, &before)), None);
        // It ran: the probed value is the one that it returned.
        std::fs::write(bench.path().join("f"), "old").unwrap();
        let Outcome::Ok { value, .. } = bench.call(tool, args.clone()).await else {
            panic!("not done");
        };
        let finding = bench.probe(tool, args, &before).unwrap();
        assert!(finding.happened);
        assert_eq!(finding.value.unwrap(), value, "{tool}");
        assert_eq!(&*finding.evidence, "the file has the intended content");
    }
}

#[tokio::test]
async fn a_probe_of_a_new_file_works_too() {
    let bench = Bench::new();
    let args = json!({"path": "d/f", "content": "new", "_as": "x"});
    let before = bench.before("write_file", &args).unwrap();
    assert_eq!(before["before"], Value::Null);
    assert_eq!(bench.names(), [""; 0], "looking made a directory");
    let finding = bench.probe("write_file", &args, &before).unwrap();
    assert!(!finding.happened && finding.value.is_none());
    let Outcome::Ok { value, .. } = bench.call("write_file", args.clone()).await else {
        panic!("not done");
    };
    let finding = bench.probe("write_file", &args, &before).unwrap();
    assert_eq!((finding.happened, finding.value), (true, Some(value)));
    // An edit that is impossible now has nothing to record.
    let misfit = json!({"path": "d/f", "old": "absent", "new": "x"});
    assert_eq!(bench.before("edit_file", &misfit), None);
    assert_eq!(
        bench.probe("write_file", &args, &json!({"other": 1})),
        None,
        "what was recorded is not understood"
    );
}

/// What a write can be reverted with, as far as that was kept.
#[tokio::test]
async fn the_previous_text_is_stored_up_to_a_limit() {
    let write = json!({"path": "f", "content": "new"});
    let stored = |bytes: &[u8]| {
        let bench = Bench::new();
        std::fs::write(bench.path().join("f"), bytes).unwrap();
        bench.before("write_file", &write).unwrap()
    };
    let text = "old \"text\"\n†";
    assert_eq!(stored(text.as_bytes())["content"], text);
    assert_eq!(stored(b"")["content"], "");
    let most = vec![b'x'; 64 << 10];
    assert_eq!(stored(&most)["content"].as_str().unwrap().len(), 64 << 10);
    let more = stored(&[most, vec![b'x']].concat());
    assert_eq!(more["content"], Value::Null);
    assert_eq!(more["not_kept"], "the file was larger than 64 KiB");
    assert_eq!(stored(b"\xff")["not_kept"], "the file was no UTF-8 text");

    let bench = Bench::new().with(&[("g", "old")]);
    let new = bench.before("write_file", &write).unwrap();
    assert_eq!(new["not_kept"], "there was no file, and no tool deletes one");
    let edit = json!({"path": "g", "old": "old", "new": "new"});
    assert_eq!(bench.before("edit_file", &edit).unwrap()["content"], "old");
}

#[test]
fn private_text_is_not_stored() {
    let mut bench = Bench::new().with(&[("settings.toml", "api_key = \"k\"")]);
    bench.tools = bench
        .tools
        .clone()
        .keeping_out_of([bench.path().join("settings.toml")]);
    let write = json!({"path": "settings.toml", "content": "x"});
    assert_eq!(bench.before("write_file", &write), None);
    let edit = json!({"path": "settings.toml", "old": "k", "new": "x"});
    assert_eq!(bench.before("edit_file", &edit), None);
}

#[test]
fn writers_of_files_have_templates_for_a_look_and_for_the_way_back() {
    let bench = Bench::new();
    for tool in ["write_file", "edit_file"] {
        let card = &bench.tools.get(tool).unwrap().spec().card;
        let (probe, compensate) = (card.probe.as_ref().unwrap(), card.compensate.as_ref().unwrap());
        assert_eq!((&*probe.tool, &*compensate.tool), ("read_file", "write_file"));
    }
    let others = bench.tools.cards().into_iter();
    let others = others.filter(|card| card.probe.is_some() || card.compensate.is_some());
    assert_eq!(others.count(), 2);
}
