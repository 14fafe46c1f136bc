//! Describes the events of an edit and of what it changes.
//!
//! Must not know: styles, who caused an event.

use super::list;
use overrule_domain::event::EditEvent;
use overrule_domain::id::{NodeId, TurnId};
use overrule_domain::ladder::span;
use overrule_domain::repair::Reply;

fn turn_list(turns: &[TurnId]) -> String {
    const MOST: usize = 12;
    let numbers = turns.iter().take(MOST).map(|turn| turn.0.to_string());
    let mut words: Vec<String> = numbers.collect();
    if turns.len() > MOST {
        words.push(format!("and {} more", turns.len() - MOST));
    }
    let name = if turns.len() == 1 { "turn" } else { "turns" };
    format!("{name} {}", words.join(" "))
}

/// Describes lost corrections.
pub fn lost(nodes: &[NodeId]) -> String {
    let what = match nodes.len() {
        1 => "correction lost",
        _ => "corrections lost",
    };
    format!("{what}: no active call matches {}", list(nodes))
}

/// An event of an edit, without its number and its author.
pub(crate) fn describe(event: &EditEvent) -> String {
    match event {
        EditEvent::Committed {
            epoch, target, what, ..
        } => match target {
            Some(target) => format!("{epoch}: {what} ({target})"),
            None => format!("{epoch}: {what}"),
        },
        EditEvent::Revised { node, rev, .. } => format!("{node} is at revision {} now", rev.0),
        EditEvent::Pinned { node } => format!("{node} pinned"),
        EditEvent::Unpinned { node } => format!("{node} no longer pinned"),
        EditEvent::MarkedStale { calls } => format!("inputs may have changed: {}", list(calls)),
        EditEvent::Superseded { nodes } => format!("superseded: {}", list(nodes)),
        EditEvent::Orphaned { entries } => {
            format!("{} effects of superseded calls", entries.len())
        }
        EditEvent::Suspended { calls, .. } => format!("suspended while an editor is open: {}", list(calls)),
        EditEvent::Released { node: None } => "editors closed".to_owned(),
        EditEvent::Released { node: Some(node) } => format!("editor of {node} closed"),
        EditEvent::Recalled { of, .. } => format!("continues from the end of {of}"),
        EditEvent::Shortened { calls, .. } => format!("results shortened for the model: {}", list(calls)),
        EditEvent::LeftOut { turns, summary: None } => {
            format!("left out for the model: {}", turn_list(turns))
        }
        EditEvent::LeftOut {
            turns,
            summary: Some(text),
        } => {
            format!(
                "a summary stands for {}: {}",
                turn_list(turns),
                overrule_base::text::head(text, 200).0
            )
        }
        EditEvent::SummaryAsked { turns, .. } => {
            format!("the model is asked for a summary of {}", turn_list(turns))
        }
        EditEvent::SummaryBroke {
            no, of, wait_ms, why, ..
        } => format!(
            "the request for a summary broke ({why}), it is made again in {} ({no} of {of})",
            span(*wait_ms)
        ),
        EditEvent::SummaryAnswered { reply, .. } => match reply {
            Reply::Answered { .. } => "the model sent the summary".to_owned(),
            Reply::Failed { why } => format!("there is no summary: {why}"),
        },
        EditEvent::CorrectionsLost { nodes } => lost(nodes),
        EditEvent::Named { epoch, name } => format!("branch {} is called {name}", epoch.0),
    }
}
