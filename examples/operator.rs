//! Measures the delays of the real program in a pseudo-terminal, on sessions of any length.
//!
//! Must not know: how the console works.
//!
//! `cargo build --release && cargo run --release --example operator [-- [stream | keys | card | start | waiting] NODES …]`
//!
//! Makes the sessions and measures the start, the time from a key to its frame, and an idle program. It measures
//! all that again while a megabyte a second streams in. The floor is the smallest program with the same display.
//! `stream` measures only the streaming part, `keys` every kind of key, `card` how soon a streamed call is on
//! the screen and can be decided, `start` how soon a new run is, and `waiting` a run with so many waiting calls.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a measurement that went wrong is no measurement, and it is printed"
)]

#[path = "operator/card.rs"]
mod card;
#[path = "operator/figures.rs"]
mod figures;
#[path = "operator/floor.rs"]
mod floor;
#[path = "operator/keys.rs"]
mod keys;
#[path = "operator/pty.rs"]
mod pty;
#[path = "session/run.rs"]
mod run;
#[path = "operator/start.rs"]
mod start;
#[path = "operator/stream.rs"]
mod stream;
#[path = "session/write.rs"]
#[expect(dead_code, reason = "the maker of sessions says more of what it made")]
mod write;

use std::path::{Path, PathBuf};
use std::time::Duration;

use figures::{Figures, Kind, median};
use stream::Server;
use write::{Edited, Fail};

/// Nodes where none are named.
const SIZES: [usize; 3] = [1_000, 10_000, 100_000];
/// Number of repetitions of the whole measurement.
const TIMES: usize = 3;
/// Calls that are streamed to be seen.
const CARDS: usize = 20;
/// Bytes in a second of the fast stream, and of one at the pace of a model of today.
const FAST: usize = 1_000_000;
const SLOW: usize = 320;

fn main() -> Result<(), Fail> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if let [word, rows, streams @ ..] = &words[..]
        && word == "floor"
    {
        floor::show(rows.parse()?, streams.first().map(String::as_str));
        return Ok(());
    }
    if let [word] = &words[..]
        && word == "card"
    {
        cards()?;
        return Ok(());
    }
    if let [word] = &words[..]
        && word == "start"
    {
        start::starts(tempfile::tempdir()?.path());
        return Ok(());
    }
    if let [word, counts @ ..] = &words[..]
        && word == "waiting"
    {
        let counts = counts.iter().map(|word| word.parse());
        start::waiting(
            &counts.collect::<Result<Vec<usize>, _>>()?,
            tempfile::tempdir()?.path(),
        );
        return Ok(());
    }
    let (only, words) = match words.split_first() {
        Some((word, rest)) if ["stream", "keys"].contains(&&**word) => (Some(&**word), rest),
        _ => (None, &words[..]),
    };
    let mut sizes = words
        .iter()
        .map(|word| word.parse())
        .collect::<Result<Vec<usize>, _>>()?;
    if sizes.is_empty() {
        sizes = SIZES.to_vec();
    }
    let home = tempfile::tempdir()?;
    let dir = home.path().join("data/overrule/sessions");
    let server = Server::new()?;
    if only == Some("keys") {
        return every_key(&sizes, &server, (home.path(), &dir));
    }
    let mut kinds = vec![Kind::Floor(sizes.iter().copied().max().unwrap_or(1_000))];
    for nodes in sizes {
        let made = write::session(&make(&dir)?, nodes, &server.base, Edited::Never)?;
        kinds.push(Kind::Replay(nodes, made.id.to_string()));
    }
    if only.is_none() {
        quiet(&kinds, home.path());
    }
    streaming(&kinds, &server, home.path());
    Ok(())
}

/// A call comes in.
fn cards() -> Result<(), Fail> {
    let mut rows = Vec::new();
    for _ in 0..CARDS {
        let home = tempfile::tempdir()?;
        rows.push(card::measure(home.path()));
    }
    let part = |what: fn(&(f64, f64)) -> f64| {
        let all: Vec<f64> = rows.iter().map(what).collect();
        (median(all.clone()), all.into_iter().fold(0.0, f64::max))
    };
    let (row, asked) = (part(|it| it.0), part(|it| it.1));
    println!("| a call that is streamed | ms, half | most of {CARDS} |");
    println!("|---|---|---|");
    println!(
        "| its first byte to its row on the screen | {:.1} | {:.1} |",
        row.0, row.1
    );
    println!(
        "| its last byte to the question | {:.1} | {:.1} |",
        asked.0, asked.1
    );
    Ok(())
}

/// Every kind of key, while nothing happens and while it streams.
fn every_key(sizes: &[usize], server: &Server, (home, dir): (&Path, &PathBuf)) -> Result<(), Fail> {
    server.pace(FAST);
    for nodes in sizes.iter().copied() {
        let session = |edited| {
            Ok::<_, Fail>(
                write::session(&make(dir)?, nodes, &server.base, edited)?
                    .id
                    .to_string(),
            )
        };
        let recorded = [session(Edited::Never)?, session(Edited::AndBack)?];
        let quiet = keys::measure(home, false, |edited| recorded[usize::from(edited)].clone());
        let of = |edited| if edited { Edited::AndBack } else { Edited::Never };
        let mut streaming = keys::measure(home, true, |edited| session(of(edited)).unwrap());
        for (wait, answered) in streaming.iter_mut().zip(&quiet) {
            // Of what changes nothing, the next frame is that of the stream.
            *wait = wait.filter(|_| answered.is_some());
        }
        for (what, waits) in [("alone", quiet), ("1 MB/s", streaming)] {
            println!("| a session of {nodes} nodes, {what}: key | first frame ms |");
            println!("|---|---|");
            for line in keys::lines(&waits) {
                println!("{line}");
            }
            println!();
        }
    }
    Ok(())
}

/// Nothing happens but keys, then nothing at all.
fn quiet(kinds: &[Kind], home: &Path) {
    let mut rows: Vec<Vec<Figures>> = kinds.iter().map(|_| Vec::new()).collect();
    for _ in 0..TIMES {
        for (kind, row) in kinds.iter().zip(&mut rows) {
            row.push(figures::quiet(kind, home));
        }
    }
    println!(
        "| what | first frame ms | first event on the screen ms | all of it ms | key ms p50 / p99 | bytes a key | PSS MB |"
    );
    println!("|---|---|---|---|---|---|---|");
    for (kind, row) in kinds.iter().zip(&rows) {
        let of = |what: fn(&Figures) -> f64| median(row.iter().map(what).collect());
        println!(
            "| {kind} | {:.1} | {:.1} | {:.1} | {:.2} / {:.2} | {:.0} | {:.1} |",
            of(|it| it.first),
            of(|it| it.early),
            of(|it| it.whole),
            of(|it| it.key.0),
            of(|it| it.key.1),
            of(|it| it.bytes),
            of(|it| it.memory),
        );
    }
    println!();
    println!("| left alone for 10 s | processor ms | switches | bytes |");
    println!("|---|---|---|---|");
    for kind in kinds {
        let idle = figures::idle(kind, home, Duration::from_secs(10));
        println!(
            "| {kind} | {} | {} | {} |",
            idle.processor, idle.switches, idle.bytes
        );
    }
    println!();
}

/// A model streams.
fn streaming(kinds: &[Kind], server: &Server, home: &Path) {
    println!(
        "| streaming | cursor | key ms p50 / p99 / most | frames a second | bytes a frame | processor % |"
    );
    println!("|---|---|---|---|---|---|");
    for kind in kinds {
        for pace in [FAST, SLOW] {
            server.pace(pace);
            for line in figures::streaming(kind, &server.base, home) {
                println!("| {kind}, {pace} bytes/s {line}");
            }
        }
    }
}

fn make(dir: &PathBuf) -> Result<PathBuf, Fail> {
    std::fs::create_dir_all(dir)?;
    Ok(dir.clone())
}
