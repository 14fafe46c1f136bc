//! Measures what a look at the files of a workspace costs, compared with `git status` of the same tree.
//!
//! Must not know: how changes are found.
//!
//! `cargo bench --bench files`. Both take turns, so that they meet the same machine; the processor time of each is counted,
//! user and system together. Prints the medians and their ratio, the bytes of the index for each path, and what the first
//! scan of a clean checkout copied.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::unchecked_time_subtraction,
    reason = "a measurement that went wrong is no measurement, and it is printed"
)]

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, UNIX_EPOCH};

use overrule::domain::files::Execution;
use overrule::domain::id::{Attempt, NodeId, NodeKind};
use overrule::files::{Readiness, Settings, Tracker};

/// Rounds, in which each has its turn.
const ROUNDS: usize = 15;
/// The files of a directory.
const EACH: usize = 25;

fn git(at: &Path, args: &[&str]) {
    let status = Command::new("git")
        .args(["-c", "user.name=a", "-c", "user.email=a@b", "-c", "gc.auto=0"])
        .args(args)
        .current_dir(at)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .stdout(Stdio::null())
        .status();
    assert!(status.unwrap().success(), "git {args:?}");
}

/// Makes a repository with this many committed files.
fn tree(at: &Path, files: usize) {
    for number in 0..files {
        let directory = at
            .join(format!("part-{}", number / EACH / 40))
            .join(format!("module-{}", number / EACH));
        std::fs::create_dir_all(&directory).unwrap();
        let path = directory.join(format!("source-file-{number}.rs"));
        let mut text = String::new();
        for line in 0..20 {
            writeln!(text, "line {line} of file {number}").unwrap();
        }
        std::fs::write(&path, text).unwrap();
        let file = std::fs::File::options().append(true).open(&path).unwrap();
        file.set_modified(UNIX_EPOCH + Duration::from_secs(1_000_000_000))
            .unwrap();
    }
    git(at, &["init", "-q"]);
    git(at, &["add", "-A"]);
    git(at, &["commit", "-qm", "a"]);
}

/// The processor time of this process or of its ended children.
fn used(of_children: bool) -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let fields = stat.rsplit(')').next().unwrap().split_whitespace();
    let first = if of_children { 13 } else { 11 };
    let ticks: u64 = fields
        .skip(first)
        .take(2)
        .map(|field| field.parse::<u64>().unwrap())
        .sum();
    // A tick is a hundredth of a second.
    Duration::from_millis(ticks * 10)
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap()
}

fn measure(files: usize) {
    let dir = tempfile::tempdir().unwrap();
    let (workspace, data) = (dir.path().join("workspace"), dir.path().join("data"));
    std::fs::create_dir(&workspace).unwrap();
    tree(&workspace, files);
    let settings = Settings {
        scan: Duration::from_secs(60),
        ..Settings::default()
    };
    let tracker = Tracker::open(&workspace, &data, settings).unwrap();
    let before = used(false) + used(true);
    tracker.start();
    while tracker.readiness() == Readiness::NotYet {
        std::thread::sleep(Duration::from_millis(1));
    }
    let first = used(false) + used(true) - before;
    let copied = tracker.saved();
    let key = Execution {
        call: NodeId::new(NodeKind::Call, 1),
        attempt: Attempt(1),
    };
    // Enough looks in a turn for the ticks of the clock.
    let turn = (200_000 / files).max(4);
    let (mut looks, mut statuses) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let at = used(false);
        for number in 0..turn {
            // The watch would save the look.
            std::fs::write(workspace.join("changed"), number.to_string()).unwrap();
            let begun = tracker.begin(key);
            assert!(
                begun.untracked.is_none() && begun.outside.0.len() == 1,
                "{begun:?}"
            );
            tracker.end(key);
        }
        looks.push((used(false) - at).as_secs_f64() / turn as f64 * 1e3);
        let at = used(true);
        for _ in 0..turn {
            git(&workspace, &["--no-optional-locks", "status", "--porcelain"]);
        }
        statuses.push((used(true) - at).as_secs_f64() / turn as f64 * 1e3);
    }
    let (look, status) = (median(looks), median(statuses));
    let (paths, bytes) = tracker.size();
    println!(
        "{files:>6} files: look {look:>6.1} ms, git status {status:>6.1} ms, ratio {:.2}; index {:.0} bytes a path; \
         first scan {} ms, copied {copied} bytes",
        look / status,
        bytes as f64 / paths as f64,
        first.as_millis(),
    );
    let quiet = used(false);
    for _ in 0..1000 {
        tracker.begin(key);
        tracker.end(key);
    }
    println!(
        "{files:>6} files: a call without any event {:.3} ms",
        (used(false) - quiet).as_secs_f64()
    );
}

fn main() {
    for files in [5_000, 50_000] {
        measure(files);
    }
}
