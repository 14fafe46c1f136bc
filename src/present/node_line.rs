//! Describes a node as one line of safe text.
//!
//! Must not know: lanes, formats.

use std::borrow::Cow;

use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::UnicodeWidthStr as _;

use crate::call::CallStatusView;
use overrule_base::text::visible;
use overrule_domain::agent::held_behind;
use overrule_domain::badge::{self, MarkedCalls};
use overrule_domain::call::{Call, Outcome, Status};
use overrule_domain::id::NodeId;
use overrule_domain::node::{Content, Node};
use overrule_domain::reference::rewrite;
use overrule_domain::result_source::ResultSource;
use overrule_domain::state::State;
use overrule_domain::turn::Activity;
use overrule_domain::why;

/// Maximum bytes examined for one line.
const MOST: usize = 1024;

/// Returns the text of a node, in one visible line of at most `columns` columns.
pub fn line(state: &State, node: &Node, columns: usize) -> String {
    let text = match &node.now().content {
        Content::Text { text, .. } => flat(text),
        Content::Call { tool, args } => {
            let label = state
                .calls
                .get(&node.id)
                .and_then(|call| own_label(node.id, call))
                .map(|label| format!("{label} = "))
                .unwrap_or_default();
            format!("{label}{} {}", flat(tool), flat(&rewrite::without_why(args)))
        }
        Content::Observation { outcome, .. } => result(outcome),
        Content::Deleted => "deleted".to_owned(),
    };
    clip(&visible(&text), columns)
}

fn result(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Ok { value, .. } => flat(value),
        Outcome::Err(error) => format!("{}: {}", error.class.ending(), flat(&error.message)),
        Outcome::Cancelled { executed: false } => "cancelled before it did anything".to_owned(),
        Outcome::Cancelled { executed: true } => "cancelled, may have done something".to_owned(),
    }
}

/// Returns the model's reason for a call, in visible form.
pub fn model_reason(node: &Node) -> Option<String> {
    why::of(node).map(|why| visible(&format!("the agent says: {}", flat(&why))))
}

/// Returns the label that the model gave a call, or `None` if it is the id.
pub fn own_label(id: NodeId, call: &Call) -> Option<&str> {
    (!call.label.is_empty() && *call.label != *id.to_string()).then_some(&*call.label)
}

/// Describes what is special about a node; empty if it simply succeeded.
pub fn remarks(state: &State, marked: &MarkedCalls, node: &Node) -> Vec<String> {
    let mut remarks = Vec::new();
    let call = state.calls.get(&node.id);
    let status = call.map(|call| CallStatusView::of(state, call));
    if let Some(view) = status {
        if let Some(behind) = call.and_then(|call| held_behind(state, call)) {
            remarks.push(format!("held behind {behind}"));
        } else if *view.status != Status::Succeeded {
            let words = call.map(|call| state.status_words(call));
            remarks.extend(words.map(Cow::into_owned));
        }
        if view.stale {
            remarks.push("inputs may have changed".to_owned());
        }
    }
    if node.is_edited() {
        remarks.push(format!("edited, {}", node.rev()));
    }
    if let Some(result) = state.observation(node.id).filter(|one| one.id != node.id) {
        match status.and_then(|view| view.source) {
            Some(source) => remarks.push(source.label().to_owned()),
            None if result.is_edited() || result.pinned => {
                remarks.push(ResultSource::Corrected.label().to_owned());
            }
            None => {}
        }
    }
    if node.active {
        remarks.extend(
            badge::of_marked(state, marked, node.id)
                .iter()
                .map(|one| one.label().to_owned()),
        );
    }
    if let Some(turn) = state.turns.get(&node.turn)
        && matches!(turn.activity, Activity::Suspended(_))
    {
        remarks.push("suspended by an edit".to_owned());
    }
    remarks
}

/// Joins the lines at the beginning of a text, collapsing whitespace.
fn flat(text: &str) -> String {
    let mut end = text.len().min(MOST);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let head = text.get(..end).unwrap_or("");
    head.split_ascii_whitespace().collect::<Vec<_>>().join(" ")
}

/// Cuts a text to at most `columns` columns; a cut text ends in an ellipsis.
pub fn clip(text: &str, columns: usize) -> String {
    if text.width() <= columns {
        return text.to_owned();
    }
    let mut out = String::new();
    let mut used = 1;
    for grapheme in text.graphemes(true) {
        used += grapheme.width();
        if used > columns {
            break;
        }
        out.push_str(grapheme);
    }
    out.push('…');
    out
}
