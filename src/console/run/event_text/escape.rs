//! Describes the events of loops.
//!
//! Must not know: styles, who caused an event.

use overrule_domain::event::EscapeEvent;

/// An event of a loop, without its number and its author.
pub(crate) fn describe(event: &EscapeEvent) -> String {
    match event {
        EscapeEvent::Warned { turn, finding } => format!("{turn} repeats: {}", finding.describe()),
        EscapeEvent::Found { incident, finding } => {
            format!("loop {incident} ({}): {}", finding.detector, finding.describe())
        }
        EscapeEvent::Proposed {
            incident,
            node,
            step: level,
            why,
            ..
        } => {
            let why = if why.is_empty() {
                String::new()
            } else {
                format!(": {why}")
            };
            format!("{node} against loop {incident}: {}{why}", level.describe())
        }
        EscapeEvent::Applied {
            incident,
            node,
            forbidden,
            ..
        } => {
            let refused = match forbidden.len() {
                0 => String::new(),
                1 => ", 1 call is denied in the next turn".to_owned(),
                many => format!(", {many} calls are denied in the next turn"),
            };
            format!("{node} against loop {incident} is done{refused}")
        }
        EscapeEvent::StepEnded {
            node,
            outcome: step_outcome,
            ..
        } => format!("{node}: {}", step_outcome.label()),
        EscapeEvent::Ended { incident, why } => format!("loop {incident} is over: {why}"),
        EscapeEvent::Allowed { signatures, allowed } => {
            let names: Vec<String> = signatures.iter().map(ToString::to_string).collect();
            let word = if *allowed {
                "may repeat"
            } else {
                "may no longer repeat"
            };
            format!("{} {word}", names.join(", "))
        }
        EscapeEvent::Muted { detector, muted } => {
            let word = if *muted { "is muted" } else { "is no longer muted" };
            format!("the detector {detector} {word}")
        }
    }
}
