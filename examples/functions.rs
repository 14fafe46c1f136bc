//! Which functions the console runs to start, to read a session and to answer a few keys, as a linker script that puts
//! them side by side. The system maps a file in pieces of many pages: functions that are scattered over the program
//! bring most of it into memory.
//!
//! `scripts/functions` builds the program that is looked at, runs this and says where the result belongs. Needs
//! `valgrind` (callgrind). Must not know: how the console works, how the program is linked.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a run that went wrong tells nothing, and it says what it wrote"
)]

#[path = "functions/names.rs"]
mod names;
#[path = "operator/pty.rs"]
#[expect(dead_code, reason = "what is measured of a program is nothing here")]
mod pty;
#[path = "session/run.rs"]
mod run;
#[path = "session/write.rs"]
#[expect(dead_code, reason = "the maker of sessions says more of what it made")]
mod write;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use names::Sections;
use pty::Program;
use write::{Edited, Fail};

/// Between two keys: every function takes fifty times as long as otherwise.
const PAUSE: Duration = Duration::from_secs(1);
/// How often it is asked to end.
const PATIENCE: usize = 10;
/// What callgrind writes last.
const END: &str = "totals:";

/// A run that is looked at.
struct Look {
    /// Nodes of the session that is shown; none for the built-in run.
    nodes: Option<usize>,
    /// What is on the screen once it can be operated.
    there: &'static str,
    /// What is pressed then.
    keys: &'static [&'static str],
}

/// The first is what everybody runs; what only a later one runs stands behind it.
const LOOKS: [Look; 3] = [
    Look {
        nodes: Some(50),
        there: "event 1",
        keys: &[],
    },
    Look {
        nodes: Some(20_000),
        there: "following",
        keys: &[
            "k", "k", "\t", "\t", "g", "g", "G", "?", "\u{1b}", "/", "part", "\r",
        ],
    },
    Look {
        nodes: None,
        there: "waiting for you",
        keys: &["t", "\t", "j", "k", "a"],
    },
];

fn main() -> Result<(), Fail> {
    let words: Vec<PathBuf> = std::env::args_os().skip(1).map(Into::into).collect();
    let [program, map, script] = &words[..] else {
        return Err("say which program is looked at, what its linker wrote, and which file is written: PROGRAM MAP SCRIPT".into());
    };
    let program = fs::canonicalize(program)?;
    let mut sections = Sections::of(&fs::read_to_string(map)?);
    for look in &LOOKS {
        sections.read(&seen(&program, look)?);
        println!("{} functions", sections.patterns().len());
    }
    let mut text = String::new();
    writeln!(
        text,
        "/* Written by `scripts/functions`: see docs/contributing.md. */"
    )?;
    writeln!(text, "SECTIONS\n{{\n  .text.first :\n  {{")?;
    // Backwards, so that what everybody runs stands beside the first function of all, which no list can name.
    for name in sections.patterns().iter().rev() {
        // What is rarely called has a section of another name.
        writeln!(text, "    *(.text.*{name}*)")?;
    }
    writeln!(text, "  }}\n}}\nINSERT BEFORE .text;")?;
    fs::write(script, text)?;
    println!("wrote {}", script.display());
    Ok(())
}

/// What callgrind saw of a run.
fn seen(program: &Path, look: &Look) -> Result<String, Fail> {
    let home = tempfile::tempdir()?;
    fs::write(home.path().join("notes.txt"), "TODO: look at this\n")?;
    let file = home.path().join("seen");
    let out = format!("--callgrind-out-file={}", file.display());
    let program = program.to_string_lossy();
    let mut args = vec!["--quiet", "--tool=callgrind", "--demangle=no", &out, &program];
    let id;
    if let Some(nodes) = look.nodes {
        // Not where they lie by themselves: who names another place runs more.
        let dir = home.path().join("elsewhere");
        fs::create_dir_all(&dir)?;
        id = write::session(&dir, nodes, "http://127.0.0.1:9/v1", Edited::Never)?
            .id
            .to_string();
        args.extend(["--sessions", "elsewhere", "replay", &id]);
    } else {
        args.extend(["demo", "audit", "--anywhere"]);
    }
    let mut console = Program::start(Path::new("valgrind"), &args, home.path());
    console.until(look.there, |it| it.shows(look.there));
    console.wait(5 * PAUSE);
    for key in look.keys {
        console.send(key);
        console.wait(PAUSE);
    }
    for _ in 0..PATIENCE {
        // Who leaves a run that goes on is asked.
        for key in ["q", "y"] {
            // It may be gone.
            console.send(key);
            console.wait(2 * PAUSE);
        }
        let text = fs::read_to_string(&file).unwrap_or_default();
        if text.contains(END) {
            return Ok(text);
        }
    }
    Err("it cannot be left: the keys of this program and those of the console differ".into())
}
