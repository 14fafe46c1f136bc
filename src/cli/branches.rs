//! Prints branches and their differences (`overrule branches`, `overrule compare`).
//!
//! Must not know: how a branch is created.

use std::sync::Arc;

use super::args::{self, BranchesWhat, Common};
use super::build::AppContext;
use super::exit::{Code, Failure};
use super::{print, record};
use crate::console::{call_group, summary};
use crate::domain::branch::{self, compare};
use crate::domain::command::{Command, EditCommand};
use crate::domain::id::Epoch;
use crate::present::branch::{BranchView, CompareView, ComparedView, SumView};
use crate::present::{json, many};
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
        let view = BranchView::of(&state, &branch);
        let shown = if common.json { json(&view) } else { as_words(&view) };
        if !print::out(&shown) {
            break;
        }
    }
    Ok(Code::Ok)
}

fn as_words(branch: &BranchView<'_>) -> String {
    let mark = if branch.current { "*" } else { " " };
    let name = branch.name.as_ref().map(|name| format!("{}: ", visible(name)));
    let from = (branch.branch != branch.base).then(|| format!(" (from {})", branch.base.0));
    let head = format!(
        "{mark} {:<3} {}{}{}",
        branch.branch.0,
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

fn costs(sum: &SumView<'_>) -> String {
    let (sent, received) = (sum.tokens_in.unwrap_or(0), sum.tokens_out.unwrap_or(0));
    let money = sum.cost.as_ref().map(|money| format!(", {money}"));
    format!(
        "{}, {}, {}, {sent} tokens sent, {received} received{}",
        many(sum.calls, "call"),
        many(sum.executions, "execution"),
        many(usize::try_from(sum.requests).unwrap_or(usize::MAX), "request"),
        money.unwrap_or_default()
    )
}

fn answer(sum: &SumView<'_>) -> String {
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
    let view = CompareView::of(&state, &found, args.all);
    print::out(&if common.json {
        json(&view)
    } else {
        compared_words(&view)
    });
    Ok(Code::Ok)
}

fn compared_words(view: &CompareView<'_>) -> String {
    let (a, b) = (view.a.branch.0, view.b.branch.0);
    let mut lines = vec![
        format!("{a:<4}  {}", costs(&view.a.sum)),
        format!("      {}", answer(&view.a.sum)),
        format!("{b:<4}  {}", costs(&view.b.sum)),
        format!("      {}", answer(&view.b.sum)),
    ];
    lines.extend(view.nodes.iter().flat_map(|node| node_words(node, (a, b))));
    let (same, all) = (view.same, view.of);
    lines.push(if view.equal {
        format!("branches {a} and {b} are equal: {same} of {all} nodes are the same on both")
    } else {
        format!("{same} of {all} nodes are the same on both")
    });
    lines.join("\n")
}

fn node_words(view: &ComparedView, (a, b): (u32, u32)) -> Vec<String> {
    let node = view.node;
    let reported = |source: Option<&str>| source.map(|source| format!("({source}) ")).unwrap_or_default();
    let (from_a, from_b) = (reported(view.source_a), reported(view.source_b));
    match (&view.text_a, &view.text_b) {
        (Some(one), Some(_)) if view.same => vec![format!("= {node}  {from_a}{}", short(one))],
        (Some(one), Some(other)) => vec![
            format!("~ {node}  on {a}: {from_a}{}", shown_against(one, other)),
            format!(
                "  {}  on {b}: {from_b}{}",
                " ".repeat(node.to_string().len()),
                shown_against(other, one)
            ),
        ],
        (Some(one), None) => vec![format!("- {node}  only on {a}: {from_a}{}", short(one))],
        (None, Some(other)) => vec![format!("+ {node}  only on {b}: {from_b}{}", short(other))],
        (None, None) => Vec::new(),
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
