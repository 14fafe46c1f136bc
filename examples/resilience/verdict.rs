//! Checks the figures against their limits.
//!
//! Must not know: how figures are measured.

use super::calls::Figures;
use super::circles::Recorded;
use super::costs::Cost;

/// Microseconds that a look may cost.
pub const BOUND: f64 = 1_000.0;

/// What is not as it must be, a line each; nothing where all is well.
pub fn wrong(calls: &[(&str, Figures)], costs: &[Cost], bound: f64, recorded: &Recorded) -> Vec<String> {
    let mut all = Vec::new();
    for (what, figures) in calls {
        let wrong = figures.wrong.len();
        if wrong > 0 {
            all.push(format!("{wrong} of \"{what}\" mended wrongly: none may be"));
        }
    }
    for cost in costs {
        for (what, micros) in [("usual", cost.usual), ("widest", cost.widest)] {
            // What is no number is not within any bound.
            if micros.is_nan() || micros > bound {
                all.push(format!(
                    "a look behind {} actions costs {micros:.0} µs with the {what} window: more than {bound:.0} µs",
                    cost.history
                ));
            }
        }
    }
    let (alarms, overlooked) = (recorded.false_alarms(), recorded.overlooked());
    if alarms > 0 {
        all.push(format!(
            "{alarms} false alarms in the recorded sessions: none may be"
        ));
    }
    if overlooked > 0 {
        all.push(format!(
            "{overlooked} recorded sessions go round unseen: none may"
        ));
    }
    all
}
