//! Prints branches and their differences (`overrule branches`, `overrule compare`).
//!
//! Must not know: how a branch is created.

use std::sync::Arc;

use serde_json::json;

use super::args::{self, BranchesWhat, Common};
use super::build::AppContext;
use super::exit::{Code, Failure};
use super::{print, record};
use crate::console::{call_group, summary};
use crate::domain::branch::compare::{self, Comparison, Row};
use crate::domain::branch::{self, Branch, Sum};
use crate::domain::call::Outcome;
use crate::domain::command::{Command, EditCommand};
use crate::domain::id::{Epoch, NodeId, NodeKind, Rev};
use crate::domain::node::Content;
use crate::domain::result_source::{self, ResultSource};
use crate::domain::state::State;
use crate::text::{visible, visible_head};

/// Characters of a text that are shown in a list.
const MOST: usize = 100;

/// Lists the branches of a session, or names one of them.
pub fn branches(common: &Common, args: &args::Branches) -> Result<Code, Failure> {
    let context = AppContext::read(common)?;
    let place = context.store.find(&args.id)?;
    if let Some(BranchesWhat::Name { branch, name }) = &args.what {
        let command = Command::Edit(EditCommand::Name {
            epoch: Epoch(*branch),
            name: Arc::from(name.as_str()),
        });
        print::out(&record::decide(common, &context, &place.id(), &command)?.line(common));
        return Ok(Code::Ok);
    }
    let state = record::as_found(&place)?.state;
    for branch in branch::branches(&state) {
        let shown = if common.json {
            as_json(&branch).to_string()
        } else {
            as_words(&branch)
        };
        if !print::out(&shown) {
            break;
        }
    }
    Ok(Code::Ok)
}

fn tokens(sum: &Sum) -> (u64, u64) {
    (sum.usage.input.unwrap_or(0), sum.usage.output.unwrap_or(0))
}

fn as_json(branch: &Branch) -> serde_json::Value {
    let sum = &branch.sum;
    json!({
        "branch": branch.epoch, "base": branch.base, "current": branch.current, "name": branch.name,
        "what": branch.what, "answer": sum.answer, "text": sum.text, "calls": sum.calls,
        "executions": sum.executions, "requests": sum.requests, "tokens_in": sum.usage.input,
        "tokens_out": sum.usage.output, "cost": sum.spent.describe(),
    })
}

fn as_words(branch: &Branch) -> String {
    let mark = if branch.current { "*" } else { " " };
    let name = branch.name.as_ref().map(|name| format!("{}: ", visible(name)));
    let from = (branch.epoch != branch.base).then(|| format!(" (from {})", branch.base.0));
    let head = format!(
        "{mark} {:<3} {}{}{}",
        branch.epoch.0,
        name.unwrap_or_default(),
        visible(&branch.what),
        from.unwrap_or_default()
    );
    format!(
        "{head}\n        {}\n        {}",
        costs(&branch.sum),
        answer(&branch.sum)
    )
}

fn costs(sum: &Sum) -> String {
    let (sent, received) = tokens(sum);
    let money = sum.spent.describe().map(|money| format!(", {money}"));
    let many = |count: u64, what: &str| match count {
        1 => format!("1 {what}"),
        _ => format!("{count} {what}s"),
    };
    format!(
        "{}, {}, {}, {sent} tokens sent, {received} received{}",
        many(sum.calls as u64, "call"),
        many(sum.executions as u64, "execution"),
        many(sum.requests.into(), "request"),
        money.unwrap_or_default()
    )
}

fn answer(sum: &Sum) -> String {
    match (&sum.answer, &sum.text) {
        (Some(id), Some(text)) => format!("{id}: {}", short(text)),
        _ => "no answer".to_owned(),
    }
}

fn short(text: &str) -> String {
    visible_head(text, MOST)
}

/// Shortens a text to one line, and keeps the part in which it differs from another text.
fn shown_against(text: &str, other: &str) -> String {
    match call_group::from(text, other).filter(|_| text.chars().nth(MOST).is_some()) {
        Some(from) => summary::text_from(text, from).visible(MOST),
        None => short(text),
    }
}

/// Compares two branches node by node. Exit code 0 whether they differ or not.
pub fn compare(common: &Common, args: &args::Compare) -> Result<Code, Failure> {
    let context = AppContext::read(common)?;
    let place = context.store.find(&args.id)?;
    let state = record::as_found(&place)?.state;
    for named in [args.a, args.b] {
        if !branch::is_one(&state, Epoch(named)) {
            return Err(Failure::new(
                Code::Usage,
                format!(
                    "{}; `overrule branches {}` lists them",
                    branch::unknown(&state, Epoch(named)),
                    args.id
                ),
            ));
        }
    }
    let found = compare::compare(&state, Epoch(args.a), Epoch(args.b));
    if common.json {
        print::out(&compared_json(&state, &found, args.all).to_string());
    } else {
        print::out(&compared_words(&state, &found, args.all));
    }
    Ok(Code::Ok)
}

fn compared_json(state: &State, found: &Comparison, all: bool) -> serde_json::Value {
    let side = |sum: &Sum| {
        json!({
            "answer": sum.answer, "text": sum.text, "calls": sum.calls, "executions": sum.executions,
            "requests": sum.requests, "tokens_in": sum.usage.input, "tokens_out": sum.usage.output,
            "cost": sum.spent.describe(),
        })
    };
    let rows: Vec<_> = found
        .rows
        .iter()
        .filter(|row| all || !row.same)
        .map(|row| {
            json!({
                "node": row.node, "a": row.a, "b": row.b, "same": row.same,
                "text_a": row.a.map(|rev| revision_text(state, row.node, rev)),
                "text_b": row.b.map(|rev| revision_text(state, row.node, rev)),
                "source_a": row.a.and_then(|rev| result_source(state, row.node, rev)).or(row.left_a),
                "source_b": row.b.and_then(|rev| result_source(state, row.node, rev)).or(row.left_b),
            })
        })
        .collect();
    json!({
        "a": { "branch": found.a, "sum": side(&found.sum_a) },
        "b": { "branch": found.b, "sum": side(&found.sum_b) },
        "same": found.same(),
        "equal": found.is_equal(),
        "nodes": rows,
    })
}

fn compared_words(state: &State, found: &Comparison, all: bool) -> String {
    let (a, b) = (found.a.0, found.b.0);
    let mut lines = vec![
        format!("{a:<4}  {}", costs(&found.sum_a)),
        format!("      {}", answer(&found.sum_a)),
        format!("{b:<4}  {}", costs(&found.sum_b)),
        format!("      {}", answer(&found.sum_b)),
    ];
    for row in &found.rows {
        if all || !row.same {
            lines.extend(row_words(state, row, (a, b)));
        }
    }
    let (same, all) = (found.same(), found.rows.len());
    lines.push(if found.is_equal() {
        format!("branches {a} and {b} are equal: {same} of {all} nodes are the same on both")
    } else {
        format!("{same} of {all} nodes are the same on both")
    });
    lines.join("\n")
}

fn row_words(state: &State, row: &Row, (a, b): (u32, u32)) -> Vec<String> {
    let reported = |rev, left: Option<&str>| match result_source(state, row.node, rev).or(left) {
        Some(source) => format!("({source}) "),
        None => String::new(),
    };
    let text = |rev, left| reported(rev, left) + &short(&revision_text(state, row.node, rev));
    let beside = |(rev, left), other| {
        reported(rev, left)
            + &shown_against(
                &revision_text(state, row.node, rev),
                &revision_text(state, row.node, other),
            )
    };
    match (row.a, row.b) {
        (Some(rev), Some(_)) if row.same => vec![format!("= {}  {}", row.node, text(rev, row.left_a))],
        (Some(one), Some(other)) => vec![
            format!("~ {}  on {a}: {}", row.node, beside((one, row.left_a), other)),
            format!(
                "  {}  on {b}: {}",
                " ".repeat(row.node.to_string().len()),
                beside((other, row.left_b), one)
            ),
        ],
        (Some(rev), None) => vec![format!("- {}  only on {a}: {}", row.node, text(rev, row.left_a))],
        (None, Some(rev)) => vec![format!("+ {}  only on {b}: {}", row.node, text(rev, row.left_b))],
        (None, None) => Vec::new(),
    }
}

/// The source of a result that no execution gave; `None` for anything else.
fn result_source(state: &State, id: NodeId, rev: Rev) -> Option<&'static str> {
    let stated = state.nodes.get(&id)?.revision(rev)?;
    result_source::of(state.calls.get(&id.call())?, stated).map(ResultSource::label)
}

/// The text of a revision of a node.
pub fn revision_text(state: &State, id: NodeId, rev: Rev) -> String {
    let revision = state.nodes.get(&id).and_then(|node| node.revision(rev));
    match revision.map(|revision| &revision.content) {
        Some(Content::Text { text, .. }) => text.to_string(),
        Some(Content::Call { tool, args }) => format!("{tool} {args}"),
        Some(Content::Observation { outcome, .. }) => match outcome {
            Outcome::Ok {
                value,
                exit: Some(code),
                ..
            } => format!("exit {code}: {value}"),
            Outcome::Ok { value, .. } => value.to_string(),
            Outcome::Err(error) => format!("{}: {}", error.class.label(), error.message),
            Outcome::Cancelled { .. } => "cancelled".to_owned(),
        },
        Some(Content::Deleted) => "deleted".to_owned(),
        None if id.kind == NodeKind::Observation => "no result".to_owned(),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_differ_late_are_shown_from_there_and_short_ones_whole() {
        let base = "The same words are at the beginning. ".repeat(4);
        let (a, b) = (format!("{base}alpha, and more"), format!("{base}beta"));
        assert_eq!(shown_against(&a, &b), "The same wor…inning. alpha, and more");
        assert_eq!(shown_against(&b, &a), "The same wor…inning. beta");
        assert_eq!(shown_against("one", "two"), "one");
        // A short text is not cut, however late it differs.
        let (a, b) = ("x".repeat(80) + "a", "x".repeat(80) + "b");
        assert_eq!(shown_against(&a, &b), a);
        // A text that is the beginning of the other ends there.
        let (long, longer) = ("y".repeat(150), "y".repeat(150) + "\u{1b}[2J");
        assert_eq!(shown_against(&long, &longer), "yyyyyyyyyyyy…yyyyyyyy");
        assert_eq!(shown_against(&longer, &long), "yyyyyyyyyyyy…yyyyyyyy⟨U+001B⟩[2J");
    }
}
