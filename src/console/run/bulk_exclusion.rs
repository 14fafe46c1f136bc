//! Describes waiting calls that a bulk approval excludes, by reason.
//!
//! Must not know: how a reason is found, how a list is shown.

use std::collections::BTreeMap;

use overrule_domain::bulk::Alone;
use overrule_domain::id::NodeId;
use overrule_present::many;

/// Maximum number of calls that are named for each reason.
const NAMED: usize = 6;

/// Describes a number of calls with one reason.
fn group(why: Alone, count: usize) -> String {
    match why {
        Alone::Denied => format!("{count} denied"),
        Alone::Irreversible => format!("{count} irreversible"),
        Alone::Uninspectable => format!("{count} uninspectable"),
        Alone::Shell => format!("{count} that cannot be read fully"),
        Alone::Repeated => many(count, "repeated effect"),
        Alone::Unknown => many(count, "unknown outcome"),
        Alone::Repair => format!("{} to choose", many(count, "repair")),
        Alone::Question => format!("{} to you", many(count, "question")),
        Alone::NoTool => many(count, "unknown tool"),
        Alone::Held => format!("{count} suspended by an edit"),
        Alone::Checked => format!("{count} being checked"),
    }
}

/// Describes all of them in one line, with the names of the calls.
pub fn describe(left: &BTreeMap<Alone, Vec<NodeId>>) -> String {
    let named =
        |(why, calls): (&Alone, &Vec<NodeId>)| format!("{} ({})", group(*why, calls.len()), names(calls));
    let groups: Vec<String> = left.iter().map(named).collect();
    groups.join(", ")
}

/// Describes calls that arrived after the list was opened; empty without any.
pub fn describe_arrivals(calls: &[NodeId]) -> String {
    match calls.len() {
        0 => String::new(),
        count => format!("{count} new ({})", names(calls)),
    }
}

/// The names of the first few, and the number of the others.
fn names(calls: &[NodeId]) -> String {
    let mut names: Vec<String> = calls.iter().take(NAMED).map(NodeId::to_string).collect();
    if calls.len() > NAMED {
        names.push(format!("+{}", calls.len() - NAMED));
    }
    names.join(" ")
}
