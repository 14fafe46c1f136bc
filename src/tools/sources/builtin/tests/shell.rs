//! Tests commands: their output, how they end, and that none of their processes remains.
//!
//! Must not know: how a child is started.

use std::time::Duration;

use serde_json::json;
use tokio::time::Instant;

use super::*;
use crate::output::{HEAD, TAIL};

#[tokio::test]
async fn output_is_passed_on_as_it_comes_in_whole_characters() {
    let bench = Bench::new();
    let line = r"printf 'a\303'; sleep 0.2; printf '\251b\n'; printf 'err\n' >&2";
    bench.ok("shell", json!({ "command": line })).await;
    let printed = String::from_utf8(bench.printed.lock().unwrap().clone()).unwrap();
    let mut lines: Vec<&str> = printed.lines().collect();
    lines.sort_unstable();
    assert_eq!(lines, ["aéb", "err"], "{printed:?}");
}

#[tokio::test]
async fn output_comes_with_figures() {
    let bench = Bench::new();
    let (text, meta) = bench
        .ok("shell", json!({"command": "echo out; echo err >&2; printf more"}))
        .await;
    assert_eq!(text, "out\nmore\n[stderr]\nerr\n");
    assert_eq!(
        (
            &meta["exit"],
            &meta["stdout_bytes"],
            &meta["stderr_bytes"],
            &meta["discarded"]
        ),
        (&json!(0), &json!(8), &json!(4), &json!(0))
    );
    assert!(meta["ms"].is_u64() && meta.get("background_ended").is_none());
    let spawned = bench.spawned.lock().unwrap().clone();
    assert_eq!(spawned.len(), 1);
    assert!(spawned[0].0 > 1);
    assert!(spawned[0].1 > 0 || !cfg!(target_os = "linux"));
}

#[tokio::test]
async fn a_list_of_arguments_goes_through_no_shell() {
    let bench = Bench::new().with(&[("d/f", "")]);
    let (text, _) = bench
        .ok("shell", json!({"argv": ["echo", "$HOME; a  b", "*"]}))
        .await;
    assert_eq!(text, "$HOME; a  b *\n");
    let (text, _) = bench.ok("shell", json!({"argv": ["ls"], "cwd": "d"})).await;
    assert_eq!(text, "f\n");
    let check = |args: Value| bench.tools.check("shell", &args.to_string(), true).unwrap().len();
    assert_eq!(check(json!({})), 1);
    assert_eq!(check(json!({"command": "a", "argv": ["a"]})), 1);
    assert_eq!(check(json!({"argv": []})), 1);
}

#[tokio::test]
async fn an_exit_code_is_a_result() {
    let bench = Bench::new();
    for (command, code, text) in [
        ("echo half; echo why >&2; exit 3", 3, "half\n[stderr]\nwhy\n"),
        ("false", 1, ""),
        ("no-such-program-at-all 2>/dev/null", 127, ""),
        ("exit 139", 139, ""),
    ] {
        let outcome = bench.call("shell", json!({ "command": command })).await;
        let Outcome::Ok {
            value, meta, exit, ..
        } = &outcome
        else {
            panic!("{command}: {outcome:?}");
        };
        assert_eq!((*exit, outcome.has_value()), (Some(code), false), "{command}");
        assert_eq!(serde_json::from_str::<String>(value).unwrap(), text, "{command}");
        let meta: serde_json::Value = serde_json::from_str(meta.as_deref().unwrap()).unwrap();
        assert_eq!(meta["exit"], code, "{command}");
    }
    let good = bench.call("shell", json!({"argv": ["true"]})).await;
    assert_eq!((good.exit(), good.has_value()), (None, true));
}

#[tokio::test]
async fn a_command_that_is_killed_fails() {
    let bench = Bench::new();
    let error = bench
        .err("shell", json!({"command": "echo half; kill -SEGV $$"}))
        .await;
    assert_eq!(
        (error.class, error.message.as_str(), error.executed),
        (ErrorClass::Business, "ended by signal 11 (SIGSEGV)", true)
    );
    assert_eq!(partial(&error), "half\n");
}

#[tokio::test]
async fn a_program_that_is_not_there_was_not_run() {
    let bench = Bench::new();
    let error = bench
        .err("shell", json!({"argv": ["no-such-program-at-all"]}))
        .await;
    assert_eq!((error.class, error.executed), (ErrorClass::NotFound, false));
    let error = bench
        .err("shell", json!({"command": "true", "cwd": "no-such-dir"}))
        .await;
    assert_eq!((error.class, error.executed), (ErrorClass::NotFound, false));
    assert_eq!(bench.spawned.lock().unwrap().len(), 0);
}

#[tokio::test]
async fn there_is_no_input_and_no_secret() {
    let bench = Bench::new();
    let (text, _) = bench.ok("shell", json!({"command": "cat; env; pwd"})).await;
    assert!(!text.contains("KEY") && !text.contains("sk-secret"), "{text}");
    assert!(text.contains("PATH="), "{text}");
    let real = bench.path().canonicalize().unwrap();
    assert!(text.contains(real.to_str().unwrap()), "{text}");
}

#[tokio::test]
async fn odd_bytes_are_marked() {
    let bench = Bench::new();
    let (text, meta) = bench.ok("shell", json!({"command": "printf 'a\\377b'"})).await;
    assert_eq!(text, "a⟨0xff⟩b");
    assert_eq!(meta["invalid_utf8"], 1);
}

#[tokio::test]
async fn endless_output_is_bounded() {
    let bench = Bench::new();
    let error = bench.err("shell", json!({"argv": ["yes"], "timeout_s": 1})).await;
    assert_eq!((error.class, error.executed), (ErrorClass::Transient, true));
    let text = partial(&error);
    assert!(text.starts_with("y\ny\n") && text.contains("bytes left out"));
    assert!(text.len() < HEAD + TAIL + 100, "{}", text.len());
}

#[tokio::test]
async fn long_output_is_counted_and_its_ends_are_preserved() {
    let bench = Bench::new();
    let line = json!({"command": "echo first; head -c 20000000 /dev/zero | tr '\\0' x; echo; echo last"});
    let Outcome::Ok { value, discarded, .. } = bench.call("shell", line).await else {
        panic!("not done");
    };
    let text: String = serde_json::from_str(&value).unwrap();
    assert!(text.starts_with("first\n") && text.ends_with("\nlast\n"));
    assert_eq!(discarded, 20_000_012 - (HEAD + TAIL) as u64);
}

#[cfg(target_os = "linux")]
use crate::child::tests::lives;

#[cfg(target_os = "linux")]
fn pids(text: &str) -> Vec<u32> {
    text.lines().filter_map(|line| line.parse().ok()).collect()
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn what_stays_in_the_background_does_not_hold_the_call_and_is_ended() {
    let bench = Bench::new();
    let begun = Instant::now();
    let (text, meta) = bench
        .ok("shell", json!({"command": "sleep 40 & echo $!; echo hi"}))
        .await;
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
    assert!(text.ends_with("hi\n"), "{text}");
    assert_eq!(meta["background_ended"], true);
    let below = pids(&text);
    assert_eq!(below.len(), 1);
    assert!(!lives(below[0]));
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn too_long_ends_the_whole_tree() {
    let bench = Bench::new();
    let line = "sleep 300 & echo $!; setsid sleep 300 & echo $!; \
                (trap '' TERM; sh -c 'echo $$; trap \"\" TERM; while :; do sleep 1; done') & sleep 300";
    let error = bench.err("shell", json!({"command": line, "timeout_s": 3})).await;
    assert_eq!((error.class, error.executed), (ErrorClass::Transient, true));
    assert!(error.message.contains("after 3 s"), "{}", error.message);
    let below = pids(&partial(&error));
    assert_eq!(below.len(), 3, "{below:?}");
    let first = bench.spawned.lock().unwrap()[0].0;
    for pid in below.iter().chain([&first]) {
        assert!(!lives(*pid), "{pid} of {below:?} lives");
    }
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn cancelling_ends_the_whole_tree() {
    let bench = Arc::new(Bench::new());
    let running = {
        let bench = bench.clone();
        let line = json!({"command": "sleep 300 & echo $! > pid; wait"});
        tokio::spawn(async move { bench.call("shell", line).await })
    };
    let file = bench.path().join("pid");
    let read = || std::fs::read_to_string(&file).ok()?.trim().parse::<u32>().ok();
    let below = loop {
        if let Some(pid) = read() {
            break pid;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    };
    assert!(lives(below));
    bench.cancel.cancel();
    assert_eq!(running.await.unwrap(), Outcome::Cancelled { executed: true });
    assert!(!lives(below));
    assert!(!lives(bench.spawned.lock().unwrap()[0].0));
}
