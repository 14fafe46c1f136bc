//! Tests of the built-in audit after changes of the operator.
//!
//! Must not know: the engine.

use super::*;

#[test]
fn pictures_snapshots_and_generated_files_are_not_searched() {
    let mut files = project();
    for path in [
        "docs/a.svg",
        "src/x.snap",
        "Cargo.lock",
        "app.min.js",
        "run.jsonl",
        "pnpm-lock.yaml",
    ] {
        files.push((path, "TODO\nFIXME\ndbg!(1)\n#[ignore]"));
    }
    let mut run = Run::new(&files);
    assert!(run.answer().contains("I found 4 lines in 3 files"));
    let found = "skipped tests: 1; debug output: 1.\n";
    assert!(run.written().contains(found), "{}", run.written());
}

#[test]
fn the_report_stays_short_whatever_is_found() {
    let many = "TODO\ndbg!(1)\n#[ignore]\nlet password = \"hunter2hunter2\";\n".repeat(40);
    let files: Vec<String> = (0..90)
        .map(|no| format!("a-rather-long-directory/with/another-one-below/file-{no:03}.rs"))
        .collect();
    let files: Vec<(&str, &str)> = files.iter().map(|path| (path.as_str(), many.as_str())).collect();
    let mut run = Run::new(&files);
    run.answer();
    let report = run.written();
    // Six rows of 76 characters are on a screen of 80x24, as JSON with the path.
    let (_, args) = run.calls.iter().rfind(|(tool, _)| tool == "write_file").unwrap();
    let mut args = args.clone();
    args.as_object_mut().unwrap().remove("_as");
    assert!(args.to_string().chars().count() <= 6 * 76, "{report}");
}

#[test]
fn the_first_thought_rewritten_counts_too() {
    let mut run = Run::new(&project());
    run.step();
    run.rewrite("I will look around, and later search for `unsafe`.");
    let answer = run.answer();
    assert!(
        answer.contains("1 line in 1 file that matches `unsafe`"),
        "{answer}"
    );
    assert!((8..=24).contains(&run.calls.len()));
}

#[test]
fn a_corrected_result_changes_the_report() {
    let mut run = Run::new(&project());
    run.step();
    run.step();
    run.correct("marks", "src/z.rs:9:TODO only this one");
    let answer = run.answer();
    assert!(answer.contains("I found 1 line in 1 file"), "{answer}");
    assert!(run.written().contains("src/z.rs:9:TODO only this one"));
    let mut run = Run::new(&project());
    run.step();
    run.step();
    run.correct("marks", "all of them are known and harmless");
    assert!(run.answer().contains("I found 1 line with marks"));
    assert!(run.written().contains("`all of them are known and harmless`"));
}

#[test]
fn without_the_write_the_answer_holds_the_report() {
    let mut run = Run::new(&project());
    run.rejected = vec!["write_file"];
    let answer = run.answer();
    assert!(
        answer.starts_with("The report was not written (rejected by the operator: not now), so here it is."),
        "{answer}"
    );
    assert!(
        answer.contains("Look at `src/c.rs:1`: it may be a secret."),
        "{answer}"
    );
    assert_eq!(run.count("write_file"), 1, "it is not asked for twice");
}

#[test]
fn what_was_not_checked_is_not_called_clean() {
    let mut run = Run::new(&[("a.txt", "")]);
    run.step();
    run.rejected = vec!["search"];
    run.answer();
    assert!(run.written().contains("Conflicts: none"));
    assert!(
        run.written()
            .contains("skipped tests: rejected by the operator: not now"),
        "{}",
        run.written()
    );
}

#[test]
fn whatever_is_rejected_the_run_still_answers() {
    for tool in ["list_dir", "search", "read_file"] {
        let mut run = Run::new(&project());
        run.rejected = vec![tool];
        let answer = run.answer();
        assert!(answer.contains("First step"), "{tool}: {answer}");
    }
    let mut run = Run::new(&project());
    run.rejected = vec!["list_dir", "search", "read_file", "write_file"];
    assert!(run.answer().contains("rejected by the operator"));
}

#[test]
fn a_prompt_after_the_answer_is_followed_with_what_is_known() {
    let mut run = Run::new(&project());
    let answer = run.answer();
    let output = vec![run.model_text(&answer, false)];
    run.messages.push(Message::Assistant {
        texts: output,
        calls: Vec::new(),
    });
    run.prompt("Now look for unsafe code, please.");
    let listed = run.count("list_dir");
    let answer = run.answer();
    assert!(
        answer.contains("1 line in 1 file that matches `unsafe`"),
        "{answer}"
    );
    assert_eq!(run.count("list_dir"), listed);
    assert_eq!(run.count("write_file"), 2);
}

#[test]
fn its_own_report_is_no_finding() {
    let mut files = project();
    files.push(("overrule-report.md", "TODO\nFIXME"));
    let mut run = Run::new(&files);
    assert!(run.answer().contains("I found 4 lines in 3 files"));
}
