//! Writes sessions of any length, like those of an agent, through the real journal.
//!
//! Must not know: the console.
//!
//! `cargo run --release --example session -- DIR [edited] [NODES …]`
//!
//! Makes a session for each number of nodes in a directory of sessions, and prints its id, nodes, records, bytes and
//! seconds. With `edited` each has two branches. Use them to measure the console, and to see a long run.

#![allow(clippy::print_stdout, reason = "it prints what it made")]

#[path = "session/run.rs"]
mod run;
#[path = "session/write.rs"]
mod write;

use std::path::PathBuf;

use write::{Edited, Fail};

/// Nodes where none are named.
const SIZES: [usize; 3] = [1_000, 10_000, 100_000];

fn main() -> Result<(), Fail> {
    let mut words = std::env::args().skip(1).peekable();
    let dir: PathBuf = words
        .next()
        .ok_or("say where: cargo run --release --example session -- DIR [edited] [NODES …]")?
        .into();
    let edited = match words.next_if(|word| word == "edited") {
        Some(_) => Edited::AndBack,
        None => Edited::Never,
    };
    let mut sizes = words
        .map(|word| word.parse())
        .collect::<Result<Vec<usize>, _>>()?;
    if sizes.is_empty() {
        sizes = SIZES.to_vec();
    }
    for nodes in sizes {
        let begin = write::now();
        let made = write::session(&dir, nodes, "http://127.0.0.1:9/v1", edited)?;
        println!(
            "{}  {} nodes  {} records  {:.1} MB  {:.2} s",
            made.id,
            made.nodes,
            made.records,
            made.bytes as f64 / 1e6,
            begin.elapsed().as_secs_f64()
        );
    }
    Ok(())
}
