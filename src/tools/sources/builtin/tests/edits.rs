//! Tests edits of files in which a text occurs, or nearly occurs, very often.
//!
//! Must not know: how a text is found.
//!
//! No clock is read: work that grows faster than the file would not finish here.

use serde_json::json;

use super::*;

/// Number of places. Another pass over the file for each of them would take hours.
const PLACES: usize = 1 << 20;

#[tokio::test]
async fn text_that_occurs_millions_of_times_is_refused_with_the_first_lines() {
    let blanks = " \n ".repeat(PLACES / 2);
    let bench = Bench::new().with(&[("f", &blanks)]);
    let args = json!({"path": "f", "old": " ", "new": "\t"});
    let error = bench.err("edit_file", args.clone()).await;
    assert_eq!(
        error.message,
        format!("the text occurs {PLACES} times in `f` (lines 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, …)")
    );
    let tool = bench.tools.get("edit_file").unwrap();
    assert_eq!(tool.before(&args, bench.path(), &[]), None);
    assert_eq!(bench.text("f").len(), blanks.len(), "nothing was changed");
}

#[tokio::test]
async fn text_that_occurs_millions_of_times_is_replaced_everywhere() {
    let bench = Bench::new().with(&[("f", &" \n".repeat(PLACES))]);
    let args = json!({"path": "f", "old": " ", "new": "", "all": true});
    let tool = bench.tools.get("edit_file").unwrap();
    let before = tool.before(&args, bench.path(), &[]).unwrap();
    let (text, meta) = bench.ok("edit_file", args).await;
    assert_eq!(text, format!("replaced {PLACES} places in `f`"));
    assert_eq!(meta, json!({"replaced": PLACES, "bytes": PLACES, "line": 1}));
    assert!(bench.text("f").bytes().all(|byte| byte == b'\n'));
    assert_eq!(before["value"], text, "recorded as it happened");
}

#[tokio::test]
async fn long_text_that_nearly_matches_at_every_place_is_searched_once() {
    let bench = Bench::new().with(&[("f", &"a".repeat(4 * PLACES))]);
    let old = format!("{}b", "a".repeat(PLACES));
    let error = bench
        .err("edit_file", json!({"path": "f", "old": old, "new": "x"}))
        .await;
    assert!(error.message.contains("does not occur"), "{}", error.message);
}

#[tokio::test]
async fn an_edit_whose_result_could_not_be_read_again_is_refused_before_it_is_made() {
    let bench = Bench::new().with(&[("f", &"ab".repeat(PLACES))]);
    // The result would have terabytes.
    let new = "x".repeat(PLACES);
    let args = json!({"path": "f", "old": "a", "new": new, "all": true});
    let error = bench.err("edit_file", args).await;
    assert_eq!((error.class, error.executed), (ErrorClass::Param, false));
    let bytes = PLACES * (PLACES + 1);
    let output = format!("would have {bytes} bytes, and the maximum is 32 MiB");
    assert!(error.message.contains(&output), "{}", error.message);
    assert_eq!(bench.text("f").len(), 2 * PLACES);

    // The maximum is allowed: 32 bytes for each of the places.
    let args = json!({"path": "f", "old": "a", "new": "x".repeat(31), "all": true});
    let (_, meta) = bench.ok("edit_file", args).await;
    assert_eq!(meta["bytes"], 32 << 20);
}
