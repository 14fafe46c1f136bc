//! Measures how soon a run is on the screen, and how many waiting calls it bears.
//!
//! Must not know: how the console works.

use std::io::Write as _;
use std::net::TcpStream;
use std::path::Path;
use std::time::Duration;

use crate::card::piece;
use crate::figures::{Kind, median, memory, overrule};
use crate::pty::Program;
use crate::stream::{begin, serve};

/// Starts of each program.
const TIMES: usize = 15;
/// Rows of the bare list.
const ROWS: usize = 1_000;
/// Keys of a measurement.
const KEYS: usize = 60;
/// Pause between two keys.
const PAUSE: Duration = Duration::from_millis(33);

/// A run that reads one file.
const SHORT: &str = r#"[meta]
name = "short"
version = "1"
prompt = "Look around."

[[rule]]
when = { done = "look" }
answer = "Done."

[[rule]]
think = "I look around first."
[[rule.call]]
tool = "list_dir"
as = "look"
args = { path = "." }
"#;

/// Starts programs alternately: the bare list, the built-in run, a run of a playbook. Prints the milliseconds to the first
/// frame and to the first row.
pub fn starts(home: &Path) {
    let playbook = home.join("short.toml");
    std::fs::write(&playbook, SHORT).unwrap();
    let playbook = playbook.to_string_lossy().into_owned();
    let work = home.join("work");
    std::fs::create_dir_all(&work).unwrap();
    std::fs::write(work.join("README.md"), "# Work\n").unwrap();
    let work = work.to_string_lossy().into_owned();
    // An unfinished run of its workspace would be offered instead.
    let other = home.join("other");
    std::fs::create_dir_all(&other).unwrap();
    let other = other.to_string_lossy().into_owned();
    let built_in = ["--workspace", &other];
    let run = [
        "run",
        "--workspace",
        &work,
        "--model",
        "scripted",
        "--playbook",
        &playbook,
    ];
    let mut rows: [Vec<(f64, f64)>; 3] = Default::default();
    for _ in 0..TIMES {
        rows[0].push(start(Kind::Floor(ROWS).start(home), "c500 "));
        rows[1].push(start(Program::start(&overrule(), &built_in, home), "p1 "));
        rows[2].push(start(Program::start(&overrule(), &run, home), "p1 "));
    }
    println!("| start | first frame ms | first row ms | to that of the bare list |");
    println!("|---|---|---|---|");
    let names = ["a bare list", "the built-in run", "`run` with a playbook"];
    let of = |row: &[(f64, f64)], part: fn(&(f64, f64)) -> f64| median(row.iter().map(part).collect());
    let floor = of(&rows[0], |it| it.1);
    for (name, row) in names.iter().zip(&rows) {
        let (first, shown) = (of(row, |it| it.0), of(row, |it| it.1));
        println!("| {name} | {first:.1} | {shown:.1} | {:.2} |", shown / floor);
    }
}

/// Milliseconds to the first frame, and to these words.
fn start(mut program: Program, words: &str) -> (f64, f64) {
    let began = program.began;
    let ms = |at: std::time::Instant| at.saturating_duration_since(began).as_secs_f64() * 1e3;
    let first = program.until("the first frame", |it| it.frames > 0);
    let shown = program.until(words, |it| it.shows(words));
    (ms(first), ms(shown))
}

/// Starts runs with so many calls of one turn that wait for a decision. Prints the milliseconds until all wait on the
/// screen, and those of a key.
pub fn waiting(counts: &[usize], home: &Path) {
    println!("| calls that wait | all on the screen ms | key ms p50 / p99 | PSS MB |");
    println!("|---|---|---|---|");
    for count in counts {
        let calls = *count;
        let base = serve(move |socket| answer(socket, calls)).unwrap();
        let args = [
            "run",
            "--base-url",
            &base,
            "--model",
            "measured",
            "--policy",
            "supervised",
            "write",
        ];
        let mut program = Program::start(&overrule(), &args, home);
        let began = program.began;
        let words = format!("{count} to decide");
        let shown = program.until(&words, |it| it.shows(&words));
        let shown = shown.saturating_duration_since(began).as_secs_f64() * 1e3;
        program.wait(Duration::from_millis(700));
        let mut waits: Vec<f64> = (0..KEYS)
            .filter_map(|no| {
                program.wait(PAUSE);
                program.answer(if no % 2 == 0 { "j" } else { "k" }, Duration::from_secs(1))
            })
            .collect();
        waits.sort_by(f64::total_cmp);
        let at = |part: f64| waits[((waits.len() as f64 * part) as usize).min(waits.len() - 1)];
        println!(
            "| {count} | {shown:.0} | {:.2} / {:.2} | {:.1} |",
            at(0.5),
            at(0.99),
            memory(program.pid())
        );
    }
}

/// Answers with so many writing calls, each with a path of the state.
fn answer(mut socket: TcpStream, count: usize) -> std::io::Result<()> {
    begin(&mut socket)?;
    for no in 0..count {
        let args = format!(
            r#"{{"_out":"state.w{no}","path":"part{no}/file{no}.rs","content":"fn part{no}() {{}}\n"}}"#
        );
        let args = serde_json::Value::from(args);
        let call = format!(
            r#"{{"index":{no},"id":"call_{no}","type":"function","function":{{"name":"write_file","arguments":{args}}}}}"#
        );
        piece(&mut socket, &format!(r#"{{"tool_calls":[{call}]}}"#), "null")?;
    }
    piece(&mut socket, "{}", "\"tool_calls\"")?;
    write!(socket, "data: [DONE]\n\n")?;
    socket.flush()
}
