//! The preview of a change of the graph, from its plan.
//!
//! Must not know: how a change is committed.
//!
//! Effects that cannot be reverted come first.

use std::sync::Arc;

use crate::ground::doc::Styled;
use crate::ground::theme::Role;
use crate::run::edit_preview::EditPreview;
use crate::run::maker::{Maker, NAME, WHOLE};
use crate::run::summary;
use crate::run::summary::Summary;
use crate::surfaces::review::{Review, Whose};
use overrule_base::text::submit_warning;
use overrule_domain::advice::{Advice as _, Cards};
use overrule_domain::command::{CallCommand, Command, Edit, EditCommand, InsertAfter};
use overrule_domain::id::{NodeId, Rev, TurnId};
use overrule_domain::lineage::Plan;
use overrule_domain::refusal::Refusal;
use overrule_domain::thread;
use overrule_present::branch::title;
use overrule_present::plan::{PlanRequestView, PlanView};
use overrule_present::question;

use super::revisions::{content_text, diff_texts};

/// The most named nodes of a kind.
const MOST: usize = 40;
/// Columns before the names of nodes.
const BEFORE: usize = 22;
/// The most texts of another revision that are compared.
const MOST_TEXTS: usize = 3;
/// The most listed effects.
const MOST_EFFECTS: usize = 50;

/// Adds a previewed change: its reason, its consequences and its text.
pub fn review(maker: &mut Maker<'_>, review: &Review, edit_preview: &EditPreview) {
    if !review.meanwhile.is_empty() {
        maker.own(Role::Warning, &review.meanwhile);
    }
    if !review.reason.is_empty() {
        maker.field("reason", &review.reason);
    }
    let again = matches!(
        review.command,
        Command::Edit(EditCommand::Undo { .. } | EditCommand::Redo { .. } | EditCommand::Switch { .. })
    );
    if again {
        maker.own(
            Role::Warning,
            "This reverts no effects: what tools did has happened. No approval comes back.",
        );
        revision_changes(maker, &edit_preview.revision_changes);
    }
    match &edit_preview.plan {
        Ok(plan) => {
            let run = maker.run;
            approvals(maker, &PlanView::of(&run.state, plan, None), review.edits());
            impact_of(maker, plan);
        }
        Err(refusal) => refused(maker, refusal),
    }
    let several = review.changes.len() > 1;
    if !several && !review.changes.is_empty() {
        maker.own(Role::Title, "the change");
    }
    for (at, changed) in review.changes.iter().enumerate() {
        if several || review.whose == Whose::AllStaged {
            let line = Styled::new()
                .own(Role::Title, format!("edit {}  ", at + 1))
                .summary_at_length(Role::Accent, &changed.what, WHOLE);
            maker.over(line, 4);
        }
        if let Some(edit) = review.edits().get(at) {
            place(maker, edit);
        }
        let typed = match &review.command {
            Command::Call(CallCommand::Answer { value, .. }) => Some(value),
            _ => review.edits().get(at).and_then(Edit::text),
        };
        if let Some(words) = typed.and_then(|words| submit_warning(words)) {
            maker.own(Role::Warning, words);
        }
        diff_texts(maker, &changed.texts);
    }
}

/// Adds the place of an insertion, or the source of a copy, which the text does not show.
fn place(maker: &mut Maker<'_>, edit: &Edit) {
    let state = &maker.run.state;
    let after_turn = |after: Option<TurnId>| {
        let tip = || state.turns_of(thread::ROOT).next_back().map(|turn| turn.id);
        let Some(turn) = after.or_else(tip) else {
            return Summary::default().own("at the beginning");
        };
        let words = if after.is_some() {
            "after"
        } else {
            "at the end, after"
        };
        let nodes = state.turns.get(&turn).into_iter().flat_map(|turn| &turn.nodes);
        let counts = nodes.filter(|id| state.node(**id).is_some_and(|node| node.active));
        let words = Summary::default().own(format!("{words} {turn}"));
        match counts.max() {
            Some(last) => words.own(", after ").and(summary::named_node(state, *last)),
            None => words,
        }
    };
    let (name, words) = match edit {
        Edit::InsertPrompt { after, .. } | Edit::InsertCall { after, .. } => ("goes", after_turn(*after)),
        Edit::InsertThought { after, .. } => match after {
            None => ("goes", after_turn(None)),
            Some(InsertAfter::Turn(turn)) => ("goes", after_turn(Some(*turn))),
            Some(InsertAfter::Node(node)) => {
                let words = Summary::default().own("after ");
                ("goes", words.and(summary::named_node(state, *node)))
            }
        },
        Edit::Copy { node, from, .. } => {
            let here = node.observation();
            let place = match state.node(here).filter(|node| node.active) {
                Some(node) => format!("replaces {here} {}; result of ", node.rev()),
                None => format!("as {here}, which has no result here; result of "),
            };
            let from = format!(", copied from {}", title(state, *from));
            let words = Summary::default().own(place);
            let words = words.and(summary::named_node(state, node.call()));
            ("goes", words.own(overrule_base::text::visible(&from)))
        }
        Edit::Call { .. }
        | Edit::Text { .. }
        | Edit::Observation { .. }
        | Edit::RejectAnswer { .. }
        | Edit::Delete { .. } => return,
    };
    let line = Styled::new()
        .own(Role::Dim, format!("{name:<10} "))
        .summary_at_length(Role::Accent, &words, WHOLE);
    maker.over(line, usize::from(NAME));
}

/// Adds nodes that stay with another revision, because another branch becomes active.
fn revision_changes(maker: &mut Maker<'_>, claims: &[(NodeId, Rev, Rev)]) {
    let words: Vec<String> = claims
        .iter()
        .take(MOST)
        .map(|(node, then, now)| match then {
            Rev(0 | 1) => format!("{node} before revision {}", now.0),
            Rev(then) => format!("{node} revision {then} instead of {}", now.0),
        })
        .collect();
    if words.is_empty() {
        return;
    }
    let list = match claims.len().saturating_sub(MOST) {
        0 => words.join(", "),
        more => format!("{} and {more} more", words.join(", ")),
    };
    maker.own(Role::Ok, format!("active again: {list}"));
    for (node, then, now) in claims.iter().take(MOST_TEXTS) {
        let node = maker.run.state.node(*node);
        let text = |rev: Rev| {
            let revision = node.and_then(|node| node.revision(rev));
            revision.map_or_else(Arc::default, |revision| content_text(&revision.content).into())
        };
        diff_texts(maker, &[text(*now), text(*then)]);
    }
}

/// Adds the impact of a change of a node, whatever the new text is.
pub fn impact(maker: &mut Maker<'_>, edit_preview: &EditPreview) {
    match &edit_preview.plan {
        Ok(plan) => impact_of(maker, plan),
        Err(refusal) => refused(maker, refusal),
    }
}

/// Adds details of a staged edit.
pub fn staged_edit(maker: &mut Maker<'_>, moved: Option<&str>, texts: &[Arc<str>; 2]) {
    if let Some(moved) = moved {
        maker.own(Role::Error, overrule_base::text::visible(moved));
    }
    diff_texts(maker, texts);
}

fn refused(maker: &mut Maker<'_>, refusal: &Refusal) {
    let words = overrule_base::text::visible(&refusal.message);
    maker.own(Role::Error, format!("not possible: {words}"));
}

/// Adds the calls that the commit itself runs, and the calls that need a decision.
fn approvals(maker: &mut Maker<'_>, view: &PlanView<'_>, edits: &[Edit]) {
    let (state, calls) = (&maker.run.state, &view.calls);
    // The plan assumes that the whole change was read.
    let to_be_read = |id: NodeId| {
        edits.iter().any(|edit| {
            let tool = match edit {
                Edit::Call { node, tool, .. } if *node == id => Cards(state).tool(tool),
                _ => None,
            };
            tool.is_some_and(|facts| facts.must_be_seen())
        })
    };
    for id in calls.certain {
        let call = state.calls.get(id);
        if calls.approves.contains(id) {
            let before = call.and_then(|call| question::before(state, call));
            let before = before
                .map(|names| format!(", before {names}"))
                .unwrap_or_default();
            let runs = format!("{id} runs on enter{before}");
            let words = if to_be_read(*id) {
                format!("{runs}; if you commit before you read all rows of this preview, it asks first")
            } else {
                runs
            };
            maker.own(Role::Decision, words);
        } else {
            maker.own(
                Role::Decision,
                format!("the policy decides about {id} again before it runs: it runs immediately, or asks"),
            );
            let order = call.and_then(|call| question::order(state, call));
            if let Some(order) = order {
                maker.own(Role::Warning, order);
            }
        }
    }
    for id in calls.consents {
        maker.own(
            Role::Decision,
            format!("an equal effect is in the ledger: {id} asks whether it may happen again"),
        );
    }
}

fn impact_of(maker: &mut Maker<'_>, plan: &Plan) {
    effects(maker, plan);
    let run = maker.run;
    let view = PlanView::of(&run.state, plan, None);
    lost_inputs(maker, &view);
    let PlanView {
        nodes: of_nodes,
        calls,
        ..
    } = &view;
    let fates = &calls.by_fate;
    if of_nodes.superseded.is_empty()
        && of_nodes.recalled.is_empty()
        && fates.may_run.is_empty()
        && fates.may_run_again.is_empty()
        && fates.run_again.is_empty()
        && plan.effects.is_empty()
        && calls.cancelled.is_empty()
    {
        maker.own(Role::Ok, "no finished calls affected");
    }
    let groups: [(&str, Role, &[NodeId]); 11] = [
        ("comes back", Role::Ok, of_nodes.recalled),
        ("runs", Role::Running, &fates.run),
        ("runs or asks", Role::Awaiting, &fates.run_or_ask),
        ("runs again", Role::Running, &fates.run_again),
        ("may run again", Role::Stale, &fates.may_run_again),
        ("may run", Role::Stale, &fates.may_run),
        ("cancelled", Role::Failed, calls.cancelled),
        ("superseded", Role::Superseded, of_nodes.superseded),
        ("may be so too", Role::Stale, of_nodes.perhaps),
        ("not ended", Role::Blocked, calls.drained),
        ("kept", Role::Ok, of_nodes.unchanged),
    ];
    for (name, role, ids) in groups {
        nodes(maker, name, role, ids);
    }
    nodes(maker, "correction kept", Role::Ok, of_nodes.corrections);
    if !of_nodes.corrections_may_be_lost.is_empty() {
        nodes(
            maker,
            "may be lost",
            Role::Stale,
            of_nodes.corrections_may_be_lost,
        );
        maker.own(
            Role::Text,
            "a correction is kept only where the model makes the same call again".to_owned(),
        );
    }
    nodes(maker, "correction lost", Role::Failed, of_nodes.corrections_lost);
    if !plan.turns.is_empty() {
        let turns = match plan.turns.len() {
            1 => "1 turn superseded".to_owned(),
            count => format!("{count} turns superseded"),
        };
        maker.own(Role::Superseded, turns);
    }
    if !view.suspended.is_empty() {
        let turns = match view.suspended.len() {
            1 => "1 later turn suspended: active again if its inputs come out equal".to_owned(),
            count => {
                format!("{count} later turns suspended: active again if their inputs come out equal")
            }
        };
        maker.own(Role::Stale, turns);
    }
    if !view.drifted.is_empty() {
        let turns = match view.drifted.len() {
            1 => "1 later turn kept, marked as drifted: the model saw something else there".to_owned(),
            count => {
                format!("{count} later turns kept, marked as drifted: the model saw something else there")
            }
        };
        maker.own(Role::Stale, turns);
    }
    let line = Styled::new()
        .own(Role::Dim, format!("{:<BEFORE$}", "then"))
        .own(Role::Text, asked(&view.request));
    maker.over(line, BEFORE);
}

/// Adds the calls that read a name which nothing gives a value any more.
fn lost_inputs(maker: &mut Maker<'_>, view: &PlanView<'_>) {
    let lost = view.lost_inputs();
    for words in lost.iter().take(MOST) {
        maker.own(Role::Warning, format!("loses its input: {words}"));
    }
    if lost.len() > MOST {
        maker.own(
            Role::Warning,
            format!("and {} more lose an input", lost.len() - MOST),
        );
    }
}

/// Whether the model is asked again, and what that costs.
fn asked(request: &PlanRequestView) -> String {
    let words = match (request.asks, request.asks_if_different) {
        (true, _) => "the model is asked again",
        (false, true) => "the model is asked again only if something comes out different",
        (false, false) => return "the model is not asked again".to_owned(),
    };
    match &request.cost {
        Some(cost) => format!(
            "{words}, about {} tokens, {cost} for what is sent",
            request.tokens
        ),
        None => format!("{words}, about {} tokens", request.tokens),
    }
}

/// Adds a count and names, wrapped.
fn nodes(maker: &mut Maker<'_>, name: &str, role: Role, ids: &[NodeId]) {
    if ids.is_empty() {
        return;
    }
    let mut words: Vec<String> = ids.iter().take(MOST).map(NodeId::to_string).collect();
    if ids.len() > MOST {
        words.push(format!("and {} more", ids.len() - MOST));
    }
    let room = usize::from(maker.width).saturating_sub(BEFORE).max(8);
    let mut rows: Vec<String> = Vec::new();
    for word in words {
        match rows.last_mut() {
            Some(row) if row.len() + 1 + word.len() <= room => {
                row.push(' ');
                row.push_str(&word);
            }
            _ => rows.push(word),
        }
    }
    for (at, row) in rows.into_iter().enumerate() {
        let line = if at == 0 {
            Styled::new()
                .own(Role::Dim, format!("{name:<15} "))
                .own(role, format!("{:>4}  ", ids.len()))
        } else {
            Styled::new().own(Role::Dim, " ".repeat(BEFORE))
        };
        maker.doc.line(line.own(Role::Text, row));
    }
}

/// Adds effects that happened already and stay, whatever happens to their calls.
fn effects(maker: &mut Maker<'_>, plan: &Plan) {
    if plan.effects.is_empty() {
        return;
    }
    let head = match plan.effects.len() {
        1 => "1 effect happened already and stays; no edit or undo reverts it:".to_owned(),
        count => format!("{count} effects happened already and stay; no edit or undo reverts them:"),
    };
    maker.own(Role::Warning, head);
    for seq in plan.effects.iter().take(MOST_EFFECTS) {
        let again = maker.run.state.ledger.get(seq).map(|entry| entry.call);
        let word = match again {
            // The effect was of another call.
            Some(call) if plan.is_first_run(call) => "",
            Some(call) if plan.is_certain(call) => "runs again",
            Some(call) if plan.possible.contains(&call) => "may run again",
            _ => "",
        };
        super::effects::entry(maker, *seq, word);
    }
    if plan.effects.len() > MOST_EFFECTS {
        let more = plan.effects.len() - MOST_EFFECTS;
        maker.own(Role::Warning, format!("and {more} effects more"));
    }
}
