//! Measures every kind of key in a long session: the delay of its first frame, idle and streaming.
//!
//! Must not know: how the console works.

use std::path::Path;
use std::time::Duration;

use crate::figures::{median, overrule, show_all};
use crate::pty::Program;

/// How a lone escape key is printed.
const ESCAPE: &str = r#": "\u{1b}""#;
/// A frame at 60 in a second, in milliseconds.
const FRAME: f64 = 1000.0 / 60.0;
/// Number of repetitions of the whole measurement.
const ROUNDS: usize = 3;
/// Pause before each key: background work of the previous key is on the screen by then.
const REST: Duration = Duration::from_millis(200);
/// After each key.
const LOOKED: Duration = Duration::from_millis(200);
/// Keys that are named.
const NAMED: usize = 8;

/// The keys of each group, with a name; each key is a press of its own.
const KEYS: &[(&str, &[&str])] = &[
    (
        "rows",
        &["j", "k", "g", "j", "j", "\x06", "\x02", "\x15", "G", "k"],
    ),
    ("the next that failed", &["f", "f", "g", "f", "G", "f"]),
    ("the next that was edited", &["d", "g", "d", "G", "d"]),
    (
        "parents and children",
        &["[", "[", "]", "}", "{", "g", "]", "]", "G", "["],
    ),
    (
        "a search",
        &[
            "/", "p", "a", "r", "t", " ", "1", "\r", "n", "n", "n", "N", "G", "N",
        ],
    ),
    (
        "a search for what failed",
        &[
            "/", "\x15", "i", "s", ":", "f", "a", "i", "l", "e", "d", "\r", "n", "N",
        ],
    ),
    ("a search for nothing", &["/", "\x15", "z", "q", "z", "\r", "n"]),
    (
        "a filter",
        &[
            "&", "p", "a", "r", "t", " ", "1", "2", "\r", "j", "g", "j", "j", "G", "k", "n", " ", "f", "d",
        ],
    ),
    (
        "a filter that nothing fits",
        &["&", "\x15", "z", "q", "z", "\r", "j", "G", " ", "j", "g", " "],
    ),
    (
        "a filter that most fits",
        &[
            "&", "\x15", "!", "k", "i", "n", "d", ":", "t", "h", "o", "u", "g", "h", "t", "\r", "G", "g",
        ],
    ),
    ("no filter", &["&", "\x15", "\r", "G", "g"]),
    (
        "less and more",
        &[
            "Z", "G", "g", "j", "Z", "G", "g", "j", "Z", "G", "g", "j", "Z", "G", "g", "j",
        ],
    ),
    ("the map", &["V", "j", "k", "G", "g", "V"]),
    ("the timeline", &["J", "j", "G", "g", "J"]),
    (
        "what a row holds",
        &["g", "j", " ", "j", "h", "l", "j", "l", "h", " ", " "],
    ),
    ("the log", &["4", "j", "G", "g", "4"]),
    ("the state", &["5", "j", "G", "g", "5"]),
    ("the branches", &["6", "j", "G", "g", "6"]),
    ("the budget", &["7", "j", "G", "g", "7"]),
    ("the health of the tools", &["8", "j", "G", "g", "8"]),
    (
        "lists and pages",
        &[
            "O", "j", "s", "\x1b", "C", "\x1b", "W", "\x1b", "?", "G", "\x1b", "E", "b",
        ],
    ),
    (
        "the inspector",
        &[
            "g", "3", ">", "G", "g", ">", "G", "g", ">", "G", "g", ">", "G", "g", ">", "G", "g", "<", "1",
        ],
    ),
    (
        "the inspector, at the end",
        &[
            "G", "3", ">", "G", "g", ">", "G", "g", ">", "G", "g", ">", "G", "g", ">", "G", "g", "<", "1",
        ],
    ),
    (
        "what an edit would do",
        &["g", "j", "j", "v", "\x1b", "G", "v", "\x1b"],
    ),
    ("the palette", &[":", "f", "o", "l", "\x1b"]),
    ("the screen", &["z", "z", "\x0c", "m", "m", "y"]),
];

/// What is pressed in a session with two branches that differ in nearly all.
const BRANCHES: &[(&str, &[&str])] = &[
    ("the list of branches", &["b", "j", "k", "m", "g", "m"]),
    (
        "two branches side by side",
        &[
            "g", "c", "j", "j", "G", "k", "g", "s", "G", "k", "g", "s", "G", "\x1b", "\x1b",
        ],
    ),
    (
        "back to the other branch",
        &["b", "G", "\r", "\x1b", "g", "\r", "\x1b", "\x1b"],
    ),
    ("an undo and a redo", &["u", "\x1b", "\x12", "\x1b"]),
    (
        "the branches, where there are two",
        &["6", "j", "G", "g", " ", "j", "\x1bc", "\x1b", "6"],
    ),
    ("what was edited", &["d", "g", "d", "G", "d"]),
    (
        "what happened",
        &["O", "j", "j", "G", "k", "g", "s", "j", "G", "k", "g", "j", "\x1b"],
    ),
    (
        "a node of two revisions",
        &["g", "j", "3", ">", "G", ">", "G", ">", "G", ">", "G", "<", "1"],
    ),
];

/// The times of every key, in milliseconds; none where it changed nothing on the screen and started no background work.
pub type Waits = Vec<Option<f64>>;

/// Presses them several times over, each time in a session that is made for it. Of every key the middle of its times
/// counts: the machine has other things to do, too. The session is asked for with two branches or without.
pub fn measure(home: &Path, streams: bool, session: impl Fn(bool) -> String) -> Waits {
    let both = |_| {
        let mut waits = round(&session(false), KEYS, home, streams);
        waits.extend(round(&session(true), BRANCHES, home, streams));
        waits
    };
    let rounds: Vec<Waits> = (0..ROUNDS).map(both).collect();
    let of = |at: usize| -> Option<f64> {
        let times: Option<Vec<f64>> = rounds.iter().map(|round| round[at]).collect();
        times.map(median)
    };
    (0..rounds[0].len()).map(of).collect()
}

/// A line for each of the slowest, and what all came to.
pub fn lines(waits: &Waits) -> Vec<String> {
    let keys = KEYS
        .iter()
        .chain(BRANCHES)
        .flat_map(|(what, keys)| keys.iter().map(move |key| (what, key)));
    let mut known: Vec<(f64, String)> = waits
        .iter()
        .zip(keys)
        .filter_map(|(wait, (what, key))| Some(((*wait)?, format!("{what}: {key:?}"))))
        .collect();
    known.sort_by(|one, other| other.0.total_cmp(&one.0));
    let over = known.iter().filter(|(ms, _)| *ms > FRAME).count();
    let named = known.iter().take(NAMED);
    let mut lines: Vec<String> = named.map(|(ms, key)| format!("| {key} | {ms:.1} |")).collect();
    let half = median(known.iter().map(|(ms, _)| *ms).collect());
    lines.push(format!("| half of {} | {half:.1} |", known.len()));
    lines.push(format!("| longer than a frame | {over} |"));
    // A terminal sends a lone escape as the first byte of other keys, so a program has to wait for a second byte.
    let others: Vec<f64> = known
        .iter()
        .filter(|(_, key)| !key.ends_with(ESCAPE))
        .map(|(ms, _)| *ms)
        .collect();
    if let Some(p99) = others.get(others.len() / 100) {
        lines.push(format!(
            "| p99 of the {} others than a lone escape | {p99:.1} |",
            others.len()
        ));
    }
    lines.extend(groups(&known));
    lines
}

/// A line for each group of keys: half of its keys are faster.
fn groups(known: &[(f64, String)]) -> Vec<String> {
    let of = |group: &str| -> Vec<f64> {
        let own = |key: &String| key.starts_with(&format!("{group}: ")) && !key.ends_with(ESCAPE);
        known
            .iter()
            .filter(|(_, key)| own(key))
            .map(|(ms, _)| *ms)
            .collect()
    };
    let groups = KEYS.iter().chain(BRANCHES).map(|(group, _)| (*group, of(group)));
    groups
        .filter(|(_, times)| !times.is_empty())
        .map(|(group, times)| {
            format!(
                "| half of {} in \"{group}\" | {:.1} |",
                times.len(),
                median(times)
            )
        })
        .collect()
}

/// Milliseconds that the thread that answers keys has worked, as Linux counts them (`proc_pid_schedstat(5)`).
fn worked(pid: u32) -> f64 {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/schedstat")).unwrap();
    let ns = stat.split_whitespace().next().unwrap();
    ns.parse::<f64>().unwrap() / 1e6
}

/// Presses each key once.
fn round(id: &str, keys: &[(&str, &[&str])], home: &Path, streams: bool) -> Waits {
    let args: &[&str] = if streams {
        &["resume", "--from-elsewhere", id, "--max-turns", "1000000"]
    } else {
        &["replay", id]
    };
    let mut program = Program::start(&overrule(), args, home);
    if !streams {
        show_all(&mut program);
    }
    program.until("the inspector or the stream", |it| {
        !it.heading().is_empty() || it.shows("says: ")
    });
    program.wait(Duration::from_secs(3));
    program.send("1");
    let keys = keys.iter().flat_map(|(_, keys)| keys.iter());
    keys.map(|key| {
        program.wait(REST);
        let before = worked(program.pid());
        let answered = program.answer(key, LOOKED);
        // What works on a key and shows nothing for so long has not ignored it.
        let unanswered = || Some(worked(program.pid()) - before).filter(|ms| *ms > FRAME);
        answered.or_else(unanswered)
    })
    .collect()
}
