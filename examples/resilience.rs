//! Figures of what is done when tools fail: what a check for circles costs, how many of two sets of wrong calls
//! are mended without a model and how many wrongly, and what is found in the recorded sessions.
//!
//!     cargo run --release --example resilience
//!
//! Ends with 1 where a call was mended wrongly, an alarm was false, or a circle was not seen. Must not know: how
//! anything is found.

#[path = "resilience/calls.rs"]
mod calls;
#[path = "resilience/circles.rs"]
mod circles;

use std::io::Write;
use std::process::ExitCode;

use calls::Figures;
use circles::Recorded;

fn main() -> ExitCode {
    let mut out = std::io::stdout().lock();
    match report(&mut out) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(why) => {
            // Nobody is left to be told.
            let _ = writeln!(out, "no figures: {why}");
            ExitCode::FAILURE
        }
    }
}

fn report(out: &mut impl Write) -> Result<bool, String> {
    let told = |error: std::io::Error| error.to_string();
    let mut good = true;
    for (what, set) in calls::SETS {
        let figures = calls::measure(set)?;
        good &= figures.wrong.is_empty();
        of_calls(out, what, &figures).map_err(told)?;
    }
    writeln!(out, "looking for circles, per turn").map_err(told)?;
    for (history, micros) in circles::costs() {
        writeln!(out, "  behind {history:>6} turns  {micros:>7.2} µs").map_err(told)?;
    }
    let recorded = circles::recorded()?;
    of_sessions(out, &recorded).map_err(told)?;
    Ok(good && recorded.false_alarms() == 0 && recorded.overlooked() == 0)
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
