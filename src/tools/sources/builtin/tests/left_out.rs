//! Tests what a walk says about the entries that it leaves out.
//!
//! Must not know: rules.

use std::path::Path;
use std::sync::Arc;

use serde_json::json;

use super::*;
use overrule_domain::advice::Extent;

/// Files of which `secrets` is kept whole, and each `.env` for itself.
fn kept() -> Bench {
    let mut bench = Bench::new().with(&[
        ("a.txt", "word\n"),
        ("docs/b.txt", "word\n"),
        ("docs/x.env", "word\n"),
        ("secrets/key.txt", "word\n"),
        ("secrets/more/key.txt", "word\n"),
    ]);
    bench.withheld = Arc::new(|path: &Path| {
        if path.starts_with("secrets") {
            return Some(Extent::Below);
        }
        (path.extension().is_some_and(|end| end == "env")).then_some(Extent::Itself)
    });
    bench
}

#[tokio::test]
async fn what_a_rule_keeps_is_left_out_and_counted() {
    let bench = kept();
    for args in [
        json!({"pattern": "word"}),
        json!({"pattern": "word", "path": "."}),
    ] {
        let (text, meta) = bench.ok("search", args).await;
        assert_eq!(
            text,
            "a.txt:1:word\ndocs/b.txt:1:word\n[… 2 places left out by rules …]"
        );
        assert_eq!(
            (&meta["matches"], &meta["left_out"]["by_rule"]),
            (&json!(2), &json!(2))
        );
    }
    let (text, _) = bench
        .ok("search", json!({"pattern": "word", "path": "docs/x.env"}))
        .await;
    assert_eq!(text, "[… 1 place left out by a rule …]");
    let (text, meta) = bench.ok("list_dir", json!({"depth": 3})).await;
    assert_eq!(text, "a.txt\ndocs/\ndocs/b.txt\n[… 2 places left out by rules …]");
    assert_eq!(meta["left_out"]["by_rule"], 2);
    assert_eq!(meta["entries"], 3);
    // Nothing outside of the named directory counts.
    let (text, meta) = bench.ok("list_dir", json!({"path": "docs"})).await;
    assert_eq!(text, "docs/b.txt\n[… 1 place left out by a rule …]");
    assert_eq!(meta["left_out"]["by_rule"], 1);
}

#[tokio::test]
async fn a_directory_that_is_kept_alone_hides_nothing_below() {
    let mut bench = Bench::new().with(&[("d/a.txt", "word\n")]);
    bench.withheld = Arc::new(|path: &Path| (path == Path::new("d")).then_some(Extent::Itself));
    let (text, _) = bench.ok("list_dir", json!({"depth": 2})).await;
    assert_eq!(text, "d/a.txt\n[… 1 place left out by a rule …]");
    let (text, _) = bench.ok("search", json!({"pattern": "word"})).await;
    assert_eq!(text, "d/a.txt:1:word");
}

#[tokio::test]
async fn an_empty_answer_says_that_everything_was_hidden_or_ignored() {
    let bench = Bench::new().with(&[
        ("d/.one", "word\n"),
        ("d/.two/x", "word\n"),
        ("d/three.log", "word\n"),
        ("d/.gitignore", "*.log\n"),
        ("one/.x", "word\n"),
        ("e/a.txt", "other\n"),
        ("e/.x", "word\n"),
    ]);
    std::fs::create_dir(bench.path().join("empty")).unwrap();
    let all = "[… 4 hidden or ignored entries left out, nothing else found …]";
    let (text, meta) = bench.ok("list_dir", json!({"path": "d"})).await;
    assert_eq!(text, all);
    assert_eq!(meta["entries"], 0);
    assert_eq!(meta["left_out"]["hidden_or_ignored"], 4);
    let (text, meta) = bench.ok("search", json!({"pattern": "word", "path": "d"})).await;
    assert_eq!(text, all);
    assert_eq!(meta["matches"], 0);
    let (text, _) = bench.ok("list_dir", json!({"path": "one"})).await;
    assert_eq!(
        text,
        "[… 1 hidden or ignored entry left out, nothing else found …]"
    );
    // What was looked at, or is not there, stays an empty answer.
    let (text, _) = bench.ok("search", json!({"pattern": "word", "path": "e"})).await;
    assert_eq!(text, "");
    let (text, meta) = bench.ok("list_dir", json!({"path": "e"})).await;
    assert_eq!(text, "e/a.txt");
    assert_eq!(meta.get("left_out"), None);
    let (text, _) = bench.ok("list_dir", json!({"path": "empty"})).await;
    assert_eq!(text, "");
}
