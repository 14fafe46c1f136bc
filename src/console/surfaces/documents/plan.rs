//! The preview of a change of the graph, from its plan.
//!
//! Must not know: how a change is committed.
//!
//! The texts that change come first, then what becomes of the nodes, then the effects that stay.

use std::ops::Range;
use std::sync::Arc;

use crate::ground::doc::Styled;
use crate::ground::theme::Role;
use crate::kernel::keymap::Keymap;
use crate::run::edit_preview::EditPreview;
use crate::run::maker::{Maker, NAME, WHOLE};
use crate::run::restore_preview::RestorePreview;
use crate::run::summary;
use crate::run::summary::Summary;
use crate::surfaces::review::{Review, Whose};
use overrule_base::text::submit_warning;
use overrule_domain::advice::{Advice as _, Cards};
use overrule_domain::command::{CallCommand, Command, Edit, InsertAfter};
use overrule_domain::id::{NodeId, NodeKind, Rev, Seq, TurnId};
use overrule_domain::lineage::Plan;
use overrule_domain::refusal::Refusal;
use overrule_domain::tags::is_irreversible;
use overrule_domain::thread;
use overrule_present::branch::title;
use overrule_present::many;
use overrule_present::plan::{PlanRequestView, PlanView};
use overrule_present::question;

use super::changed_texts;
use super::files::section;
use super::revisions::diff_texts;

/// The most named nodes of a kind.
const MOST: usize = 40;
/// The most listed effects.
const MOST_EFFECTS: usize = 50;
/// The most nodes whose earlier text is shown.
const MOST_TEXTS: usize = 4;
/// Columns of a name, before its value.
const NAMED: usize = 16;

/// Adds a previewed change: its text, then what it does, then the files. Returns the rows of the marked path.
pub fn review(
    maker: &mut Maker<'_>,
    review: &Review,
    edit_preview: &EditPreview,
    keymap: &Keymap,
) -> Range<usize> {
    if !review.meanwhile.is_empty() {
        maker.own(Role::Warning, &review.meanwhile);
    }
    if !review.reason.is_empty() {
        maker.field("reason", &review.reason);
    }
    changes(maker, review);
    revision_changes(maker, &edit_preview.revision_changes);
    if maker.doc.rows() > 0 {
        maker.own(Role::Text, "");
    }
    match &edit_preview.plan {
        Ok(plan) => {
            let run = maker.run;
            approvals(maker, &PlanView::of(&run.state, plan, None), review.edits());
            let files = review.shows_files.then_some(&review.files);
            impact_of(maker, plan, files);
            files.map_or(0..0, |files| {
                let key = keymap.first("keep-files");
                section(maker, files, ("files", NAMED), &key)
            })
        }
        Err(refusal) => {
            refused(maker, refusal);
            0..0
        }
    }
}

/// Adds the texts that the edits change.
fn changes(maker: &mut Maker<'_>, review: &Review) {
    let several = review.changes.len() > 1;
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

/// Adds the texts of nodes that stay with another revision, because another branch becomes active.
fn revision_changes(maker: &mut Maker<'_>, changes: &[(NodeId, Rev, Rev)]) {
    let state = &maker.run.state;
    let texts: Vec<(NodeId, Rev, [Arc<str>; 2])> = changes
        .iter()
        .take(MOST_TEXTS)
        .filter_map(|(id, then, now)| {
            let node = state.node(*id)?;
            let [now, back] = [node.revision(*now)?, node.revision(*then)?];
            Some((*id, *then, changed_texts::of(&now.content, &back.content)))
        })
        .collect();
    for (node, then, texts) in texts {
        let words = format!("{node} becomes revision {} again", then.0);
        maker.own(Role::Dim, words);
        diff_texts(maker, &texts);
    }
    if changes.len() > MOST_TEXTS {
        let more = many(changes.len() - MOST_TEXTS, "more node");
        maker.own(Role::Dim, format!("{more} with an earlier revision"));
    }
}

/// Adds the impact of a change of a node, whatever the new text is.
pub fn impact(maker: &mut Maker<'_>, edit_preview: &EditPreview) {
    match &edit_preview.plan {
        Ok(plan) => impact_of(maker, plan, None),
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
                format!("{runs}; it asks first unless all rows here were on screen")
            } else {
                runs
            };
            maker.own(Role::Decision, words);
        } else {
            maker.own(
                Role::Decision,
                format!("{id} runs or asks: the policy decides about it again"),
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

/// `files` is the section that says what becomes of the files of its calls.
fn impact_of(maker: &mut Maker<'_>, plan: &Plan, files: Option<&RestorePreview>) {
    let run = maker.run;
    let view = PlanView::of(&run.state, plan, None);
    lost_inputs(maker, &view);
    let PlanView {
        nodes: of_nodes,
        calls,
        ..
    } = &view;
    let fates = &calls.by_fate;
    let groups: [(&str, Role, &[NodeId]); 11] = [
        ("active again", Role::Text, of_nodes.recalled),
        ("runs", Role::Running, &fates.run),
        ("runs or asks", Role::Awaiting, &fates.run_or_ask),
        ("runs again", Role::Running, &fates.run_again),
        ("may run again", Role::Stale, &fates.may_run_again),
        ("may run", Role::Stale, &fates.may_run),
        ("cancelled", Role::Failed, calls.cancelled),
        ("superseded", Role::Text, of_nodes.superseded),
        ("may be so too", Role::Stale, of_nodes.perhaps),
        ("not ended", Role::Blocked, calls.drained),
        ("kept", Role::Dim, of_nodes.unchanged),
    ];
    if groups
        .iter()
        .all(|(name, _, ids)| *name == "kept" || ids.is_empty())
    {
        let words = match plan.turns.len() {
            0 => "nothing".to_owned(),
            count => many(count, "turn"),
        };
        row(maker, "superseded", Styled::new().own(Role::Text, words));
    }
    for (name, role, ids) in groups {
        nodes(maker, name, role, ids);
    }
    corrections(maker, &view);
    effects(maker, plan, files);
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
    let may_run = [
        &fates.run,
        &fates.run_or_ask,
        &fates.run_again,
        &fates.may_run_again,
        &fates.may_run,
    ];
    let idle = may_run.iter().all(|ids| ids.is_empty());
    let mut then = asked(&view.request);
    if idle {
        then += "; no call runs yet";
    }
    row(maker, "then", Styled::new().own(Role::Text, then));
}

/// Adds what becomes of corrected results.
fn corrections(maker: &mut Maker<'_>, view: &PlanView<'_>) {
    nodes(maker, "correction kept", Role::Text, view.nodes.corrections);
    if !view.nodes.corrections_may_be_lost.is_empty() {
        nodes(
            maker,
            "may be lost",
            Role::Stale,
            view.nodes.corrections_may_be_lost,
        );
        maker.own(
            Role::Text,
            "a correction is kept only where the model makes the same call again".to_owned(),
        );
    }
    nodes(
        maker,
        "correction lost",
        Role::Failed,
        view.nodes.corrections_lost,
    );
}

/// Adds a name and its value, over as many rows as that needs.
fn row(maker: &mut Maker<'_>, name: &str, words: Styled) {
    let mut line = Styled::new().own(Role::Dim, format!("{name:<NAMED$}"));
    line.0.extend(words.0);
    maker.over(line, NAMED);
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
    let tokens = about(request.tokens);
    match &request.cost {
        Some(cost) => format!("{words}, about {tokens} tokens, {cost} for what is sent"),
        None => format!("{words}, about {tokens} tokens"),
    }
}

/// A number to two digits, or to hundreds, with its thousands set apart.
fn about(number: u64) -> String {
    let unit = if number >= 1_000 { 100 } else { 10 };
    let number = number.div_ceil(unit).saturating_mul(unit);
    match number {
        0..1_000 => number.to_string(),
        1_000..1_000_000 => format!("{},{:03}", number / 1_000, number % 1_000),
        _ => format!("{}k", number / 1_000),
    }
}

/// Adds nodes by their names. A result is not named next to its call.
fn nodes(maker: &mut Maker<'_>, name: &str, role: Role, ids: &[NodeId]) {
    let is_result_of_one = |id: &NodeId| id.kind == NodeKind::Observation && ids.contains(&id.call());
    let named: Vec<&NodeId> = ids.iter().filter(|id| !is_result_of_one(id)).collect();
    if named.is_empty() {
        return;
    }
    let mut words: Vec<String> = named.iter().take(MOST).map(ToString::to_string).collect();
    if named.len() > MOST {
        words.push(format!("and {} more", named.len() - MOST));
    }
    row(maker, name, Styled::new().own(role, words.join(" ")));
}

/// Adds effects that happened already: they stay, whatever happens to their calls.
fn effects(maker: &mut Maker<'_>, plan: &Plan, files: Option<&RestorePreview>) {
    let state = &maker.run.state;
    // A tool that cannot be undone did something else than change files, too.
    let is_undone = |seq: &&Seq| {
        let of = files.zip(state.ledger.get(seq));
        of.is_some_and(|(files, entry)| files.undoes(entry.call) && !is_irreversible(state, &entry.tool))
    };
    let stay: Vec<Seq> = plan
        .effects
        .iter()
        .filter(|seq| !is_undone(seq))
        .copied()
        .collect();
    for (at, seq) in stay.iter().take(MOST_EFFECTS).enumerate() {
        let state = &maker.run.state;
        let again = state.ledger.get(seq).map(|entry| entry.call);
        let word = match again {
            // The effect was of another call.
            Some(call) if plan.is_first_run(call) => "",
            Some(call) if plan.is_certain(call) => "  runs again",
            Some(call) if plan.possible.contains(&call) => "  may run again",
            _ => "",
        };
        let words = super::effects::named(state, *seq).own(Role::Warning, word);
        row(maker, if at == 0 { "stays" } else { "" }, words);
    }
    if stay.len() > MOST_EFFECTS {
        let more = stay.len() - MOST_EFFECTS;
        row(
            maker,
            "",
            Styled::new().own(Role::Warning, format!("and {more} more")),
        );
    }
}
