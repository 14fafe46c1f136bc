//! Measures the console's graph and frames against the smallest program that draws as much.
//!
//! Must not know: how rows are made, how anything is drawn.
//!
//! `cargo bench --bench console`. Sessions have a thousand and a hundred thousand nodes. Prints the
//! median (p50) and the 99th percentile (p99), in microseconds.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a measurement that went wrong is no measurement, and it is printed"
)]

mod count;
mod floor;
#[path = "../../examples/session/run.rs"]
mod run;
mod screen;

use std::time::Instant;

use overrule::console::ground::layout::gutter::Gutter;

use run::{Run, started};
use screen::Console;

/// Nodes of a small run, of a long one, and of a very long one.
const SIZES: [usize; 3] = [1_000, 10_000, 100_000];
/// The longest.
const LONGEST: usize = SIZES[2];
/// Times that each thing is measured; once where nothing is.
const TIMES: usize = 400;
/// Columns and rows.
const SCREEN: (u16, u16) = (200, 60);
/// Bytes of a stream that come between two frames at 1 MB/s.
const STREAMED: usize = 1_000_000 / 60;

/// The time as it is.
#[expect(clippy::disallowed_methods, reason = "a measurement has to look at the clock")]
fn now() -> Instant {
    Instant::now()
}

/// Microseconds that something takes.
fn time(mut what: impl FnMut()) -> f64 {
    let begin = now();
    what();
    begin.elapsed().as_secs_f64() * 1e6
}

fn print(name: &str, mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    let at = |part: f64| {
        let place = (times.len() as f64 * part) as usize;
        times[place.min(times.len() - 1)]
    };
    println!("{name:<58} p50 {:>9.1} µs   p99 {:>9.1} µs", at(0.5), at(0.99));
    at(0.5)
}

/// A run of this many nodes.
fn run_of(nodes: usize) -> Run {
    let mut run = Run::begun(started());
    run.grow_to(nodes);
    run
}

/// Frames of a kind, with the bytes of each that a terminal would have to take.
fn measure(name: &str, times: usize, bytes: &count::Bytes, mut frame: impl FnMut(usize)) -> f64 {
    let before = bytes.get();
    let each = (0..times).map(|at| time(|| frame(at))).collect();
    let sent = (bytes.get() - before) / times.max(1) as u64;
    let half = print(name, each);
    println!("{:<58} {sent} bytes", "");
    half
}

/// Lanes alone: one node more, and all of them.
fn lanes(times: usize) {
    let parents = |key: u32| -> Vec<u32> {
        // A thought after every four calls.
        match key % 5 {
            _ if key == 0 => vec![],
            0 => (key.saturating_sub(4)..key).collect(),
            place => vec![key - place],
        }
    };
    let mut appends = Vec::new();
    for size in SIZES {
        let mut gutter = Gutter::default();
        for key in 0..size as u32 {
            gutter.append(key, &parents(key));
        }
        let mut next = size as u32;
        let mut one = || {
            for _ in 0..100 {
                gutter.append(next, &parents(next));
                next += 1;
            }
        };
        let each = (0..times).map(|_| time(&mut one) / 100.0).collect();
        appends.push(print(&format!("append a node to {size}"), each));
    }
    println!(
        "{:<58} {:.2}",
        "  the largest to the smallest",
        appends[2] / appends[0]
    );
    let whole = || {
        let mut gutter = Gutter::default();
        for key in 0..LONGEST as u32 {
            gutter.append(key, &parents(key));
        }
        assert_eq!(gutter.len(), LONGEST);
    };
    let each = (0..times.min(20)).map(|_| time(whole)).collect();
    print("all lanes of 100000", each);
}

/// Frames of a screen full of a run, and of a bare list.
fn frames(times: usize) {
    let mut bare = floor::List::new(SCREEN, LONGEST);
    let bytes = bare.bytes();
    for (name, step) in [("nothing", 0), ("the next row", 1), ("the next screen", 50)] {
        measure(&format!("floor: a bare list, {name}"), times, &bytes, |_| {
            bare.step(step);
        });
    }
    for size in SIZES {
        let mut console = Console::of(run_of(size), SCREEN);
        let bytes = console.bytes();
        console.press("1");
        console.press("Z");
        console.press("Z");
        console.press("g");
        measure(&format!("{size} nodes, nothing"), times, &bytes, |_| {
            console.draw();
        });
        for (name, key) in [("the next row", "j"), ("the next screen", "pgdn")] {
            measure(&format!("{size} nodes, {name}"), times, &bytes, |_| {
                console.press(key);
            });
        }
        for (name, keys) in [("map", "V"), ("timeline", "J")] {
            console.press(keys);
            let name = format!("{size} nodes, the row before, {name}");
            measure(&name, times, &bytes, |_| console.press("k"));
            console.press(keys);
        }
    }
}

/// Frames, and keys up to their frames, while 1 MB/s streams in and calls come and go.
fn keys(times: usize) {
    let mut bare = floor::List::new(SCREEN, LONGEST);
    let bytes = bare.bytes();
    measure("floor: a bare list, a key", times, &bytes, |_| bare.step(1));
    let name = "floor: a bare list, a key that lights its rows or not";
    measure(name, times, &bytes, |at| bare.light(at % 2 == 0));
    for size in SIZES {
        let mut console = Console::of(run_of(size), SCREEN);
        let bytes = console.bytes();
        // At the end a key highlights the dependencies of the cursor's node, and the next one follows the stream again.
        for (name, first, keys) in [
            ("at the end", "G", ["k", "G"]),
            ("in the middle", "g", ["k", "j"]),
        ] {
            console.press("1");
            console.press(first);
            if name == "in the middle" {
                for _ in 0..40 {
                    console.press("pgdn");
                }
            }
            let what = format!("{size} nodes, streaming, no key {name}");
            measure(&what, times, &bytes, |_| {
                console.stream(STREAMED);
                console.draw();
            });
            let what = format!("{size} nodes, streaming, a key {name}");
            measure(&what, times, &bytes, |at| {
                console.stream(STREAMED);
                if at % 4 == 0 {
                    console.go_on();
                }
                console.press(keys[at % 2]);
            });
        }
    }
}

/// Keys in a text of 64 KiB, up to their frames.
fn typing(times: usize) {
    let words = "let it = read(\"a file\"); // ü日";
    for (name, text) in [
        ("64 KiB in lines", format!("{words}\n").repeat(1_900)),
        ("64 KiB in one line", format!("{words} ").repeat(1_900)),
        ("29,990 lines", "x\n".repeat(29_990)),
    ] {
        for (place, first) in [("at the start", "ctrl-home"), ("at the end", "ctrl-end")] {
            let mut console = Console::of(run_of(SIZES[0]), SCREEN);
            let bytes = console.bytes();
            console.press("i");
            console.paste(&text);
            console.press(first);
            for (what, keys) in [
                ("a letter", ["x", "x"]),
                ("erases", ["backspace", "backspace"]),
                ("a move", ["left", "right"]),
                ("a move by rows", ["up", "down"]),
                ("selects", ["shift-left", "shift-right"]),
                ("cuts everything and takes it back", ["alt-a ctrl-k", "alt-u"]),
            ] {
                let what = format!("{name}, {place}: {what}");
                measure(&what, times, &bytes, |at| {
                    keys[at % 2].split(' ').for_each(|key| console.press(key));
                });
            }
        }
    }
}

/// Everything on one screen for the first time.
fn opening(times: usize) {
    for size in SIZES {
        let state = Console::of(run_of(size), SCREEN).state();
        let each = (0..times.min(10))
            .map(|_| {
                let state = state.clone();
                let begin = now();
                let console = Console::opened(state, SCREEN);
                let took = begin.elapsed();
                drop(console);
                took.as_secs_f64() * 1e6
            })
            .collect();
        print(&format!("{size} nodes, the first frame of a state"), each);
    }
}

/// A part of the measurement and its name.
type Part = (&'static str, fn(usize));

fn main() {
    // A run that only checks that it works does not measure.
    let measured = std::env::args().any(|word| word == "--bench");
    let requested: Vec<String> = std::env::args()
        .skip(1)
        .filter(|word| !word.starts_with('-'))
        .collect();
    let times = if measured { TIMES } else { 1 };
    let parts: [Part; 5] = [
        ("lanes", lanes),
        ("frames", frames),
        ("keys", keys),
        ("typing", typing),
        ("opening", opening),
    ];
    for (name, part) in parts {
        if requested.is_empty() || requested.iter().any(|word| name.contains(word.as_str())) {
            part(times);
        }
    }
}
