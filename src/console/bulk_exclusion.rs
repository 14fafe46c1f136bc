//! The words for calls that wait and cannot be approved in a list, by the reason. Must not know: how a reason is found,
//! how a list is shown.

use std::collections::BTreeMap;

use super::rows::many;
use crate::domain::bulk::Alone;
use crate::domain::id::NodeId;

/// Calls that are named for each reason.
const NAMED: usize = 6;

/// So many of them, in words.
fn group(why: Alone, count: usize) -> String {
    match why {
        Alone::Denied => format!("{count} denied"),
        Alone::Irreversible => format!("{count} irreversible"),
        Alone::Uninspectable => format!("{count} uninspectable"),
        Alone::Shell => format!("{count} that only a shell can tell"),
        Alone::Repeated => many(count, "repeated effect"),
        Alone::Unknown => many(count, "unknown outcome"),
        Alone::Repair => format!("{} to be chosen", many(count, "repair")),
        Alone::Question => format!("{} to you", many(count, "question")),
        Alone::NoTool => many(count, "unknown tool"),
        Alone::Held => format!("{count} held by an edit"),
        Alone::Checked => format!("{count} being checked"),
    }
}

/// All of them in one line, the calls by their names.
pub fn describe(left: &BTreeMap<Alone, Vec<NodeId>>) -> String {
    let named =
        |(why, calls): (&Alone, &Vec<NodeId>)| format!("{} ({})", group(*why, calls.len()), names(calls));
    let groups: Vec<String> = left.iter().map(named).collect();
    groups.join(", ")
}

/// Calls that came after a list was opened; nothing for none.
pub fn describe_arrivals(calls: &[NodeId]) -> String {
    match calls.len() {
        0 => String::new(),
        count => format!("{count} that came meanwhile ({})", names(calls)),
    }
}

/// The first few by their names, the others counted.
fn names(calls: &[NodeId]) -> String {
    let mut names: Vec<String> = calls.iter().take(NAMED).map(NodeId::to_string).collect();
    if calls.len() > NAMED {
        names.push(format!("+{}", calls.len() - NAMED));
    }
    names.join(" ")
}
