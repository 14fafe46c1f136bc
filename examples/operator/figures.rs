//! Measures a program in use by an operator.
//!
//! Must not know: how figures are printed as a whole.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::pty::Program;
use crate::write::now;

/// Keys of a measurement.
const KEYS: usize = 100;
/// Pause between two keys: the repeat rate of a key that is held down.
const PAUSE: Duration = Duration::from_millis(33);

/// A program.
pub enum Kind {
    /// The smallest program that shows this many rows.
    Floor(usize),
    /// A recorded session of this many nodes.
    Replay(usize, String),
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Floor(rows) => write!(f, "a bare list of {rows} rows"),
            Self::Replay(nodes, _) => write!(f, "a session of {nodes} nodes"),
        }
    }
}

impl Kind {
    /// Starts it.
    pub fn start(&self, home: &Path) -> Program {
        match self {
            Self::Floor(rows) => {
                let own = std::env::current_exe().unwrap();
                Program::start(&own, &["floor", &rows.to_string()], home)
            }
            Self::Replay(_, id) => Program::start(&overrule(), &["replay", id], home),
        }
    }
}

/// The program next to this one.
pub fn overrule() -> PathBuf {
    let own = std::env::current_exe().unwrap();
    own.parent().and_then(Path::parent).unwrap().join("overrule")
}

/// Figures of a program while nothing happens but keys.
pub struct Figures {
    /// Milliseconds to the first frame.
    pub first: f64,
    /// Milliseconds until the first event is on the screen, or all of it is.
    pub early: f64,
    /// Milliseconds until what is selected is shown.
    pub whole: f64,
    /// Milliseconds from a key to its frame: half, and all but one in a hundred.
    pub key: (f64, f64),
    /// Bytes that a key sends to the terminal.
    pub bytes: f64,
    /// Megabytes that belong to it.
    pub memory: f64,
}

/// The middle.
pub fn median(mut all: Vec<f64>) -> f64 {
    all.sort_by(f64::total_cmp);
    all[all.len() / 2]
}

fn parts(mut all: Vec<f64>) -> (f64, f64, f64) {
    all.sort_by(f64::total_cmp);
    let at = |part: f64| all[((all.len() as f64 * part) as usize).min(all.len() - 1)];
    (at(0.5), at(0.99), all[all.len() - 1])
}

fn is_first_event(program: &Program) -> bool {
    program.shows(" #1 of ")
}

/// True at the last event of a replay.
fn is_last_event(program: &Program) -> bool {
    let shown = program.text();
    let title = shown
        .lines()
        .find(|row| row.contains(" #") && row.contains(" of "));
    let at = title
        .and_then(|row| row.split_once(" #"))
        .map(|(_, rest)| rest.split([' ', ',']));
    let mut words = at.into_iter().flatten();
    let (event, _, of) = (words.next(), words.next(), words.next());
    event.is_some() && event == of
}

/// Waits for a replay, which opens at its first event, and lets it show the last.
pub fn show_all(program: &mut Program) {
    program.until("the replay", is_first_event);
    program.send("$");
}

fn ready(kind: &Kind, program: &mut Program) -> f64 {
    if matches!(kind, Kind::Replay(..)) {
        show_all(program);
    }
    let is_replay = matches!(kind, Kind::Replay(..));
    let at = program.until("the inspector", |it| {
        !it.heading().is_empty() && (!is_replay || is_last_event(it))
    });
    let took = at.saturating_duration_since(program.began);
    took.as_secs_f64() * 1e3
}

/// Starts, presses keys, and looks at what it holds.
pub fn quiet(kind: &Kind, home: &Path) -> Figures {
    let mut program = kind.start(home);
    let began = program.began;
    let first = program.until("the first frame", |it| it.frames > 0);
    let first = first.saturating_duration_since(began).as_secs_f64() * 1e3;
    let is_early = |it: &Program| !it.heading().is_empty() || is_first_event(it);
    let early = if is_early(&program) {
        first
    } else {
        let early = program.until("a first screen", is_early);
        early.saturating_duration_since(began).as_secs_f64() * 1e3
    };
    let whole = if program.heading().is_empty() || is_first_event(&program) {
        ready(kind, &mut program)
    } else {
        early
    };
    program.wait(Duration::from_millis(300));
    if matches!(kind, Kind::Replay(..)) {
        middle(&mut program);
    }
    let before = program.bytes;
    let waits: Vec<f64> = (0..KEYS)
        .map(|no| {
            program.wait(PAUSE);
            program.press(if no % 2 == 0 { "j" } else { "k" })
        })
        .collect();
    let bytes = (program.bytes - before) as f64 / KEYS as f64;
    let (half, most, _) = parts(waits);
    Figures {
        first,
        early,
        whole,
        key: (half, most),
        bytes,
        memory: memory(program.pid()),
    }
}

/// Every node, and the cursor somewhere in the middle.
fn middle(program: &mut Program) {
    program.send("1");
    program.press("g");
    for _ in 0..5 {
        program.wait(Duration::from_millis(50));
        program.press("\x1b[6~");
    }
    program.wait(Duration::from_millis(300));
}

/// What a program did without input.
pub struct Idle {
    /// Milliseconds of a processor.
    pub processor: u64,
    /// Times that it was woken.
    pub switches: u64,
    /// Bytes to the terminal.
    pub bytes: u64,
}

/// Leaves it alone.
pub fn idle(kind: &Kind, home: &Path, long: Duration) -> Idle {
    let mut program = kind.start(home);
    ready(kind, &mut program);
    // The thread that read the session ends ten seconds after it has nothing more to do.
    program.wait(Duration::from_secs(12));
    let pid = program.pid();
    let (processor, switches, bytes) = (processor(pid), switches(pid), program.bytes);
    program.wait(long);
    Idle {
        processor: self::processor(pid) - processor,
        switches: self::switches(pid).saturating_sub(switches),
        bytes: program.bytes - bytes,
    }
}

/// Seconds without a key while it streams.
const WATCHED: Duration = Duration::from_secs(10);

/// Resumes a session whose model streams, or shows a bare list with the same stream below it. Returns the figures
/// with the cursor at the end and in the middle.
pub fn streaming(kind: &Kind, server: &str, home: &Path) -> Vec<String> {
    let mut program = match kind {
        Kind::Floor(rows) => {
            let own = std::env::current_exe().unwrap();
            Program::start(&own, &["floor", &rows.to_string(), server], home)
        }
        Kind::Replay(_, id) => Program::start(
            &overrule(),
            &["resume", "--from-elsewhere", id, "--max-turns", "1000000"],
            home,
        ),
    };
    program.until("the stream", |it| it.shows("says: "));
    program.wait(Duration::from_secs(1));
    program.send("1");
    let mut lines = Vec::new();
    for (place, keys) in [("at the end", ["k", "G"]), ("in the middle", ["j", "k"])] {
        if place == "in the middle" {
            middle(&mut program);
        }
        let (begin, frames, bytes) = (now(), program.frames, program.bytes);
        let busy = processor(program.pid());
        let waits: Vec<f64> = (0..KEYS)
            .map(|no| {
                program.wait(PAUSE);
                program.press(keys[no % 2])
            })
            .collect();
        let (half, most, worst) = parts(waits);
        let seconds = begin.elapsed().as_secs_f64();
        let frames = program.frames - frames;
        lines.push(format!(
            "| {place} | {half:.2} / {most:.2} / {worst:.2} | {:.0} | {:.0} | {:.0} |",
            frames as f64 / seconds,
            (program.bytes - bytes) as f64 / frames.max(1) as f64,
            (processor(program.pid()) - busy) as f64 / seconds / 10.0
        ));
        if place == "at the end" {
            lines.push(watched(&mut program));
        }
    }
    lines
}

/// Measures what it takes to show the newest text of the stream without a key.
fn watched(program: &mut Program) -> String {
    let (begin, frames, bytes) = (now(), program.frames, program.bytes);
    let busy = processor(program.pid());
    program.wait(WATCHED);
    let seconds = begin.elapsed().as_secs_f64();
    let frames = program.frames - frames;
    format!(
        "| at the end, no key | | {:.0} | {:.0} | {:.1} |",
        frames as f64 / seconds,
        (program.bytes - bytes) as f64 / frames.max(1) as f64,
        (processor(program.pid()) - busy) as f64 / seconds / 10.0
    )
}

fn read(pid: u32, name: &str) -> String {
    std::fs::read_to_string(format!("/proc/{pid}/{name}")).unwrap()
}

/// Milliseconds of a processor that it has used.
fn processor(pid: u32) -> u64 {
    let text = read(pid, "stat");
    let rest = text.rsplit(')').next().unwrap_or_default();
    let fields: Vec<&str> = rest.split_whitespace().collect();
    // Fields 14 and 15, in hundredths of a second.
    let ticks: u64 = [11, 12]
        .iter()
        .map(|at| fields[*at].parse::<u64>().unwrap())
        .sum();
    ticks * 10
}

/// Times that a thread of it was woken.
fn switches(pid: u32) -> u64 {
    let tasks = std::fs::read_dir(format!("/proc/{pid}/task")).unwrap();
    let of = |task: std::fs::DirEntry| {
        let text = std::fs::read_to_string(task.path().join("status")).unwrap_or_default();
        let count = text
            .lines()
            .find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"));
        count
            .and_then(|count| count.trim().parse::<u64>().ok())
            .unwrap_or(0)
    };
    tasks.flatten().map(of).sum()
}

/// Megabytes that are its own, with its share of what others use too.
pub fn memory(pid: u32) -> f64 {
    let text = read(pid, "smaps_rollup");
    let pss = text.lines().find_map(|line| line.strip_prefix("Pss:"));
    let kilobytes: f64 = pss
        .and_then(|line| line.trim().strip_suffix(" kB"))
        .and_then(|count| count.trim().parse().ok())
        .unwrap_or(0.0);
    kilobytes / 1024.0
}
