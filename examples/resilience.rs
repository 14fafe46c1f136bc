//! Measures loop detection and the repair of wrong calls.
//!
//! Must not know: how anything is found.
//!
//!     cargo run --release --example resilience
//!
//! Prints the cost of a check for loops and the loops in the recorded sessions. For two sets of wrong calls it prints
//! how many are repaired without a model, and how many wrongly.
//!
//! The exit code is 1 for a wrong repair, a false alarm, a missed loop, or a check that takes more than a millisecond.
//! `--histories 100,1000` sets the lengths of the history, `--bound MICROSECONDS` the bound, and `--calls FILE` another
//! set of calls instead of the two.

#[path = "resilience/calls.rs"]
mod calls;
#[path = "resilience/circles.rs"]
mod circles;
#[path = "resilience/costs.rs"]
mod costs;
#[path = "resilience/verdict.rs"]
mod verdict;

use std::io::Write;
use std::process::ExitCode;

use calls::Figures;
use circles::Recorded;

/// What is asked for.
struct Wanted {
    histories: Vec<u32>,
    bound: f64,
    calls: Option<String>,
}

fn main() -> ExitCode {
    let mut out = std::io::stdout().lock();
    match wanted(std::env::args().skip(1)).and_then(|requested| report(&mut out, &requested)) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(why) => {
            // A failed write cannot be reported.
            let _ = writeln!(out, "no figures: {why}");
            ExitCode::FAILURE
        }
    }
}

fn wanted(mut args: impl Iterator<Item = String>) -> Result<Wanted, String> {
    let mut requested = Wanted {
        histories: costs::HISTORIES.to_vec(),
        bound: verdict::BOUND,
        calls: None,
    };
    while let Some(name) = args.next() {
        let value = args.next().ok_or_else(|| format!("{name} needs a value"))?;
        let number = |error: &dyn std::fmt::Display| format!("{name} {value}: {error}");
        match &*name {
            "--histories" => {
                let each = value.split(',').map(str::parse);
                requested.histories = each.collect::<Result<_, _>>().map_err(|error| number(&error))?;
            }
            "--bound" => requested.bound = value.parse().map_err(|error| number(&error))?,
            "--calls" => requested.calls = Some(value),
            _ => {
                return Err(format!(
                    "{name} is unknown; there is --histories, --bound, --calls"
                ));
            }
        }
    }
    Ok(requested)
}

fn report(out: &mut impl Write, requested: &Wanted) -> Result<bool, String> {
    let message = |error: std::io::Error| error.to_string();
    let mut calls = Vec::new();
    if let Some(path) = &requested.calls {
        let set = std::fs::read_to_string(path).map_err(|error| format!("{path}: {error}"))?;
        calls.push((&**path, calls::measure(&set)?));
    } else {
        for (what, set) in calls::SETS {
            calls.push((what, calls::measure(set)?));
        }
    }
    for (what, figures) in &calls {
        of_calls(out, what, figures).map_err(message)?;
    }
    writeln!(
        out,
        "looking for circles after one action more, with the hashes of its arguments and its result"
    )
    .map_err(message)?;
    let costs = costs::costs(&requested.histories);
    for cost in &costs {
        writeln!(
            out,
            "  behind {:>6} actions  {:>7.2} µs, {:>7.2} µs with the widest window",
            cost.history, cost.usual, cost.widest
        )
        .map_err(message)?;
    }
    let recorded = circles::recorded()?;
    of_sessions(out, &recorded).map_err(message)?;
    let wrong = verdict::wrong(&calls, &costs, requested.bound, &recorded);
    for line in &wrong {
        writeln!(out, "NOT AS IT MUST BE: {line}").map_err(message)?;
    }
    Ok(wrong.is_empty())
}

fn of_calls(out: &mut impl Write, what: &str, calls: &Figures) -> std::io::Result<()> {
    let all = calls.all();
    writeln!(out, "{what}: {all}")?;
    for (words, count) in [
        ("mended without a model, as labelled", calls.right),
        ("mended wrongly", calls.wrong.len()),
        ("put to the operator", calls.operator),
        ("put to the model", calls.model),
        ("left, with the reason", calls.left),
    ] {
        let share = count as f64 * 100.0 / all.max(1) as f64;
        writeln!(out, "  {words:<36} {count:>4} ({share:.0} %)")?;
    }
    let known = calls.right + calls.missed.len();
    writeln!(
        out,
        "  of the {known} that can be told from the call alone, {} were mended",
        calls.right
    )?;
    for line in &calls.missed {
        writeln!(out, "  not mended: {line}")?;
    }
    for line in &calls.wrong {
        writeln!(out, "  WRONG: {line}")?;
    }
    writeln!(out)
}

fn of_sessions(out: &mut impl Write, found: &Recorded) -> std::io::Result<()> {
    writeln!(
        out,
        "\nrecorded sessions: {} with {} turns",
        found.sessions.len(),
        found.turns()
    )?;
    writeln!(
        out,
        "  {} go round by their label; not seen: {}",
        found.circles(),
        found.overlooked()
    )?;
    writeln!(
        out,
        "  {} do not; alarms in them: {}, warnings: {}",
        found.sessions.len() - found.circles(),
        found.false_alarms(),
        found.false_warnings()
    )?;
    for one in found.sessions.iter().filter(|one| one.is_told()) {
        writeln!(out, "  {one}")?;
    }
    Ok(())
}
