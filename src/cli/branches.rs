//! Prints branches and their differences (`overrule branches`, `overrule compare`).
//!
//! Must not know: how a branch is created.

use std::sync::Arc;

use super::args::{self, BranchesWhat, Common};
use super::build::AppContext;
use super::exit::{Code, Failure};
use super::{print, record};
use overrule_base::text::{visible, visible_head};
use overrule_console::run::{call_group, summary};
use overrule_domain::branch;
use overrule_domain::command::{Command, EditCommand};
use overrule_domain::id::Epoch;
use overrule_present::branch::{BranchView, CompareView, ComparedView, SumView};
use overrule_present::branch_diff::BranchDiff;
use overrule_present::{json, many};

/// Characters of a text that are shown in a list.
const MOST: usize = 100;

/// Lists the branches of a session, or names one of them.
pub fn branches(common: &Common, args: &args::Branches) -> Result<Code, Failure> {
    let context = AppContext::read(common)?;
    let place = context.find(&args.id)?;
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
        "{}, {}, {}, {}{sent} tokens sent, {received} received{}",
        many(sum.calls, "call"),
        many(sum.executions, "execution"),
        many(usize::try_from(sum.requests).unwrap_or(usize::MAX), "request"),
        if sum.tokens_estimated { "about " } else { "" },
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
    let place = context.find(&args.id)?;
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
    let found = BranchDiff::of(&state, (Epoch(args.a), Epoch(args.b)));
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

/// A node of two branches: its name and what differs, then its text and its result on each.
fn node_words(view: &ComparedView, (a, b): (u32, u32)) -> Vec<String> {
    let name = match (view.node_a, view.node_b) {
        (Some(one), Some(other)) if one != other => format!("{one} (on {a}), {other} (on {b})"),
        (one, other) => one.or(other).map(|id| id.to_string()).unwrap_or_default(),
    };
    let [text_a, text_b] = shown_beside(view.text_a.as_ref(), view.text_b.as_ref());
    let [result_a, result_b] = shown_beside(view.result_a.as_ref(), view.result_b.as_ref());
    let result_a = result_line(result_a, view.source_a);
    let result_b = result_line(result_b, view.source_b);
    let (first, second) = (text_a.unwrap_or_default(), text_b.unwrap_or_default());
    let (head, lines) = match (view.node_a, view.node_b) {
        (Some(_), Some(_)) if view.same => (format!("= {name}  {first}"), vec![result_a]),
        (Some(_), Some(_)) => (
            format!("~ {name}  differs in {}", view.differs.join(" and ")),
            vec![
                Some(format!("on {a}: {first}")),
                result_a.map(|line| format!("  {line}")),
                Some(format!("on {b}: {second}")),
                result_b.map(|line| format!("  {line}")),
            ],
        ),
        (Some(_), None) => (format!("- {name}  only on {a}: {first}"), vec![result_a]),
        (None, _) => (format!("+ {name}  only on {b}: {second}"), vec![result_b]),
    };
    let lines = lines.into_iter().flatten().map(|line| format!("      {line}"));
    std::iter::once(head).chain(lines).collect()
}

/// Two texts, each shortened to one line. Both keep the part in which they differ.
fn shown_beside(one: Option<&String>, other: Option<&String>) -> [Option<String>; 2] {
    match (one, other) {
        (Some(one), Some(other)) => [Some(shown_against(one, other)), Some(shown_against(other, one))],
        (one, other) => [one, other].map(|text| text.map(|text| short(text))),
    }
}

/// The result of a call, with who gave it, or why there is none.
fn result_line(result: Option<String>, source: Option<&str>) -> Option<String> {
    match (result, source) {
        (Some(result), Some(source)) => Some(format!("result: ({source}) {result}")),
        (Some(result), None) => Some(format!("result: {result}")),
        (None, source) => source.map(|source| format!("result: {source}")),
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
