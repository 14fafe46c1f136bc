//! Figures of what is done when tools fail: what a check for circles costs, how many of a set of wrong calls
//! are mended without a model and how many wrongly, and false alarms on the recorded sessions.
//!
//!     cargo run --release --example resilience
//!
//! Ends with 1 where a call was mended wrongly or an alarm was false. Must not know: how anything is found.

#[path = "resilience/calls.rs"]
mod calls;
#[path = "resilience/circles.rs"]
mod circles;

use std::io::Write as _;
use std::process::ExitCode;

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

fn report(out: &mut impl std::io::Write) -> Result<bool, String> {
    let told = |error: std::io::Error| error.to_string();
    let calls = calls::measure()?;
    let all = calls.all();
    let share = |count: usize| format!("{count:>4} ({:.0} %)", count as f64 * 100.0 / all.max(1) as f64);
    writeln!(out, "wrong calls, labelled by hand: {all}").map_err(told)?;
    writeln!(
        out,
        "  mended without a model, as labelled  {}",
        share(calls.right)
    )
    .map_err(told)?;
    writeln!(
        out,
        "  mended wrongly                       {}",
        share(calls.wrong.len())
    )
    .map_err(told)?;
    writeln!(
        out,
        "  put to the operator                  {}",
        share(calls.operator)
    )
    .map_err(told)?;
    writeln!(
        out,
        "  put to the model                     {}",
        share(calls.model)
    )
    .map_err(told)?;
    writeln!(
        out,
        "  left, with the reason                {}",
        share(calls.left)
    )
    .map_err(told)?;
    let known = calls.right + calls.missed.len();
    writeln!(
        out,
        "  of the {known} that can be told from the call alone, {} were mended",
        calls.right
    )
    .map_err(told)?;
    for line in calls.missed.iter().map(|line| format!("  not mended: {line}")) {
        writeln!(out, "{line}").map_err(told)?;
    }
    for line in calls.wrong.iter().map(|line| format!("  WRONG: {line}")) {
        writeln!(out, "{line}").map_err(told)?;
    }
    writeln!(out, "\nlooking for circles, per turn").map_err(told)?;
    for (history, micros) in circles::costs() {
        writeln!(out, "  behind {history:>6} turns  {micros:>7.2} µs").map_err(told)?;
    }
    let recorded = circles::recorded()?;
    writeln!(
        out,
        "\nalarms on {} recorded sessions with {} turns: {}",
        recorded.sessions,
        recorded.turns,
        recorded.alarms.len()
    )
    .map_err(told)?;
    for alarm in &recorded.alarms {
        writeln!(out, "  {alarm}").map_err(told)?;
    }
    Ok(calls.wrong.is_empty() && recorded.alarms.is_empty())
}
