//! What the console's graph and frames cost, at a thousand nodes and at a hundred thousand; beside each
//! the smallest program that draws as much.
//!
//! `cargo bench --bench console`. Prints half (p50) and all but one in a hundred (p99), in microseconds.
//! Must not know: how rows come to be, how anything is drawn.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a measurement that went wrong is no measurement, and it is printed"
)]

mod floor;
mod run;
mod screen;

use std::time::Instant;

use overrule::console::layout::gutter::Gutter;

use run::Run;
use screen::Console;

/// Nodes of a small run and of a large one.
const SIZES: [usize; 2] = [1_000, 100_000];
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

/// Lanes alone: one node more, and all of them.
fn lanes(times: usize) {
    let parents = |key: u32| -> Vec<u32> {
        // A thought behind every four calls.
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
        "  the larger to the smaller",
        appends[1] / appends[0]
    );
    let whole = || {
        let mut gutter = Gutter::default();
        for key in 0..SIZES[1] as u32 {
            gutter.append(key, &parents(key));
        }
        assert_eq!(gutter.len(), SIZES[1]);
    };
    let each = (0..times.min(20)).map(|_| time(whole)).collect();
    print("all lanes of 100000", each);
}

/// Frames of a screen full of a run, and of a bare list.
fn frames(times: usize) {
    let mut bare = floor::List::new(SCREEN, SIZES[1]);
    for (name, step) in [("the next row", 1), ("the next screen", 50)] {
        let each = (0..times).map(|_| time(|| bare.step(step))).collect();
        print(&format!("floor: a bare list, {name}"), each);
    }
    for size in SIZES {
        let mut console = Console::of(Run::of_nodes(size), SCREEN);
        console.press("1");
        console.press("Z");
        console.press("Z");
        console.press("g");
        for (name, key) in [("the next row", "j"), ("the next screen", "pgdn")] {
            let each = (0..times).map(|_| time(|| console.press(key))).collect();
            print(&format!("{size} nodes, {name}"), each);
        }
        for (name, keys) in [("map", "V"), ("timeline", "J")] {
            console.press(keys);
            let each = (0..times).map(|_| time(|| console.press("k"))).collect();
            print(&format!("{size} nodes, the row before, {name}"), each);
            console.press(keys);
        }
    }
}

/// A key while 1 MB/s streams in and calls come and go.
fn keys(times: usize) {
    let mut bare = floor::List::new(SCREEN, SIZES[1]);
    let each = (0..times).map(|_| time(|| bare.step(1))).collect();
    print("floor: a bare list, a key", each);
    for size in SIZES {
        let mut console = Console::of(Run::of_nodes(size), SCREEN);
        for (name, first) in [("at the end", "G"), ("in the middle", "g")] {
            console.press("1");
            console.press(first);
            if name == "in the middle" {
                for _ in 0..40 {
                    console.press("pgdn");
                }
            }
            let mut busy = Vec::new();
            for at in 0..times {
                busy.push(time(|| {
                    console.stream(STREAMED);
                    if at % 4 == 0 {
                        console.go_on();
                    }
                    console.press(if at % 2 == 0 { "k" } else { "j" });
                }));
            }
            print(&format!("{size} nodes, streaming, a key {name}"), busy);
        }
    }
}

/// Everything on one screen for the first time.
fn opening(times: usize) {
    for size in SIZES {
        let state = Console::of(Run::of_nodes(size), SCREEN).state();
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
    // Whoever only looks whether it works does not wait for figures.
    let measured = std::env::args().any(|word| word == "--bench");
    let wanted: Vec<String> = std::env::args()
        .skip(1)
        .filter(|word| !word.starts_with('-'))
        .collect();
    let times = if measured { TIMES } else { 1 };
    let parts: [Part; 4] = [
        ("lanes", lanes),
        ("frames", frames),
        ("keys", keys),
        ("opening", opening),
    ];
    for (name, part) in parts {
        if wanted.is_empty() || wanted.iter().any(|word| name.contains(word.as_str())) {
            part(times);
        }
    }
}
