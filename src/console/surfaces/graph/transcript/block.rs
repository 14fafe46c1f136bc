//! The lines of a row of the transcript: a prompt, a thought or an answer in full, a call with its difference and the end
//! of its output.
//!
//! Must not know: which part of them is on the screen.

use std::collections::BTreeSet;

use crate::ground::columns::Columns as _;
use crate::ground::doc::Styled;
use crate::ground::layout::fold::RowKind;
use crate::ground::markdown;
use crate::ground::symbols::Symbol;
use crate::ground::theme::Role;
use crate::kernel::graph::Pick;
use crate::kernel::graph::rows::Row;
use crate::kernel::model::Model;
use crate::run::summary;
use crate::surfaces::documents;
use crate::surfaces::graph::call_text::{difference, given, plain};
use crate::surfaces::graph::view::lines::{self, RowLine};
use overrule_base::agent_plan;
use overrule_base::known_tool::{self, Kind};
use overrule_base::text::{head, visible};
use overrule_domain::call::{Call, Decision, Status};
use overrule_domain::changes::changes;
use overrule_domain::id::{NodeId, NodeKind};
use overrule_domain::live::LivePart;
use overrule_domain::node::Node;
use overrule_present::many;
use overrule_present::question;

/// The most columns of a text.
const TEXT: usize = 100;
/// Columns before a text, and before what belongs to a call.
const INDENT: usize = 2;
const WITHIN: usize = 5;
/// The most lines of a difference that is shown without unfolding.
const DIFFERENCE: usize = 20;
/// The most lines of an unfolded text, and of the end of an open stream.
const UNFOLDED: usize = 200;
const STREAMED: usize = 40;
/// The most files below an answer, and effects from which they are found.
const FILES: usize = 8;
const COMPARED: usize = 500;
/// The fewest columns of a path.
const LEAST_PATH: usize = 12;
/// The most bytes of an open stream that are shown.
const LIVE: usize = 8 * 1024;

/// The lines of a row in a pane of this width. The plan that the call `above` set is on the screen already. True if they stay the same while no event comes.
pub(crate) fn lines(
    model: &Model,
    row: usize,
    (unfolded, above): (&BTreeSet<NodeId>, Option<NodeId>),
    width: usize,
) -> (Vec<Styled>, bool) {
    let width = width.saturating_sub(1);
    let Some(here) = model.graph.rows.get(row) else {
        return (live(model, row, width), false);
    };
    let node = model.run.state.node(here.key);
    let (Some(node), RowKind::Node) = (node, here.kind) else {
        return (vec![heading(model, here, width)], true);
    };
    if node.as_call().is_some() {
        let unfolded = unfolded.contains(&here.key);
        let has_plan = unfolded || above != Some(here.key);
        let lines = call(model, here, node, (unfolded, has_plan), width);
        return (lines, !lines::changes_with_time(model, here));
    }
    let lines = match here.key.kind {
        NodeKind::Prompt | NodeKind::Thought | NodeKind::Answer => text(model, here, node, width),
        _ => vec![heading(model, here, width)],
    };
    (lines, true)
}

/// The row as the graph shows it, without lanes.
fn heading(model: &Model, here: &Row, width: usize) -> Styled {
    let (lead, look) = lead(model, here);
    let id = if lines::has_id(here) {
        format!("{} ", here.key)
    } else {
        String::new()
    };
    let lead = lead.own(look.unwrap_or(Role::Dim), id);
    let room = width.saturating_sub(lead.columns());
    joined(lead, lines::parts(model, here, look, room), width)
}

/// The sign of a row, and the style of the whole row, if it has one.
fn lead(model: &Model, here: &Row) -> (Styled, Option<Role>) {
    let looks = lines::looks(&model.run.state, here.key);
    if matches!(here.kind, RowKind::Replaced | RowKind::Elided) {
        // It stands for nodes that are not shown.
        return (Styled::new().own(Role::Text, " ".repeat(INDENT)), looks.1);
    }
    let (sign, role) = lines::symbol(model, here, looks);
    (Styled::new().own(role, format!("{sign} ")), looks.1)
}

fn joined(mut lead: Styled, line: RowLine, width: usize) -> Styled {
    lead.0.extend(line.left.0);
    if line.right.0.is_empty() {
        return lead;
    }
    let gap = width
        .saturating_sub(lead.columns() + line.right.columns() + 1)
        .max(1);
    let mut lead = lead.own(Role::Text, " ".repeat(gap));
    lead.0.extend(line.right.0);
    lead
}

/// A prompt, a thought or an answer, with its sign where it has one of its own.
fn text(model: &Model, here: &Row, node: &Node, width: usize) -> Vec<Styled> {
    let (sign, look) = lead(model, here);
    let charset = model.settings.charset;
    let columns = width.saturating_sub(INDENT + 1).min(TEXT);
    let (text, is_cut) = head(node.text(), markdown::MOST);
    let is_prompt = here.key.kind == NodeKind::Prompt;
    let mut rows = if is_prompt {
        text.lines()
            .flat_map(|line| plain(line, Role::Operator, columns))
            .collect()
    } else {
        markdown::rows(text, columns, charset)
    };
    if is_cut {
        let rest = node.text().len() - text.len();
        rows.push(Styled::new().own(Role::Dim, format!("{} more: enter", many(rest, "byte"))));
    }
    if let Some(look) = look {
        for piece in rows.iter_mut().flat_map(|row| &mut row.0) {
            piece.role = look;
        }
    }
    let is_signed = is_prompt || node.is_edited() || !node.active;
    let mut out = Vec::new();
    if here.key.kind == NodeKind::Answer {
        out.push(sign.own(look.unwrap_or(Role::Title), "answer"));
    } else if is_signed && !rows.is_empty() {
        let mut first = sign;
        first.0.extend(rows.remove(0).0);
        out.push(first);
    }
    out.extend(rows.into_iter().map(|row| indented(row, INDENT)));
    if here.key.kind == NodeKind::Answer && node.active {
        out.extend(files(model, columns));
    }
    if out.is_empty() {
        out.push(heading(model, here, width));
    }
    out
}

/// The files that the run wrote, each with the calls that wrote it, below a blank row; none in a long run.
fn files(model: &Model, columns: usize) -> Vec<Styled> {
    let state = &model.run.state;
    if state.ledger.len() > COMPARED {
        return Vec::new();
    }
    let all = changes(state).files;
    let mut out = Vec::new();
    for file in all.iter().take(FILES) {
        let words = file.describe();
        let room = columns.saturating_sub(words.columns() + INDENT).max(LEAST_PATH);
        let path = Styled::new()
            .own(Role::Text, " ".repeat(INDENT))
            .untrusted(Role::Text, &file.path, room);
        let gap = (columns + INDENT).saturating_sub(path.columns() + words.columns());
        out.push(path.own(Role::Text, " ".repeat(gap.max(2))).own(Role::Dim, words));
    }
    if all.len() > FILES {
        let key = model.settings.keymap.first("changes");
        let more = format!("{} of {} files shown: {key} shows all", FILES, all.len());
        out.push(indented(Styled::new().own(Role::Dim, more), INDENT));
    }
    if !out.is_empty() {
        out.insert(0, Styled::new());
    }
    out
}

fn indented(row: Styled, columns: usize) -> Styled {
    let mut line = Styled::new().own(Role::Text, " ".repeat(columns));
    line.0.extend(row.0);
    line
}

/// A call: its row, the reason of its refusal, its difference, and its output.
fn call(
    model: &Model,
    here: &Row,
    node: &Node,
    (unfolded, has_plan): (bool, bool),
    width: usize,
) -> Vec<Styled> {
    let state = &model.run.state;
    let mut out = Vec::new();
    let (Some(call), Some((tool, args))) = (state.calls.get(&here.key), node.as_call()) else {
        return vec![heading(model, here, width)];
    };
    let (mut lead, look) = lead(model, here);
    lead = lead.own(look.unwrap_or(Role::Dim), format!("{} ", here.key));
    let room = width.saturating_sub(lead.columns());
    let mut line = lines::parts(model, here, look, room);
    if look.is_none()
        && let Some(words) = decided(call)
    {
        let role = line.right.0.first().map_or(Role::Dim, |piece| piece.role);
        line.right = Styled::new().own(role, words);
    }
    let is_below = call.status == Status::Rejected || has_output(model, call);
    if is_below && overrule_present::sandbox::refused(call).is_none() {
        // What it says is below the row.
        let right = line.right.columns() + lines::node::END;
        line.left = lines::node::call_head(model, node, look, room.saturating_sub(right));
    }
    out.push(joined(lead, line, width));
    let room = width.saturating_sub(WITHIN + 1);
    if call.status == Status::Rejected {
        let (_, reason) = question::refused(call);
        let lines = reason.lines().take(UNFOLDED);
        out.extend(
            lines
                .flat_map(|line| plain(line, Role::Text, room))
                .map(|row| indented(row, WITHIN)),
        );
    }
    if call.status == Status::Rejected || look.is_some() {
        return out;
    }
    let (mut lines, mut name) = (difference(model, (tool, args), room), "difference");
    if let Some(plan) = agent_plan::of(tool, args).filter(|_| has_plan) {
        (lines, name) = (documents::agent_plan::lines(&plan, room, unfolded), "plan");
    }
    if unfolded || lines.len() <= DIFFERENCE {
        out.extend(lines.into_iter().take(UNFOLDED).map(|row| indented(row, WITHIN)));
    } else {
        out.push(folded(model, &format!("{name} of {}", many(lines.len(), "line"))));
    }
    output(model, call, (unfolded, room), &mut out);
    out
}

/// What the operator did with a call that then succeeded.
fn decided(call: &Call) -> Option<&'static str> {
    if call.status != Status::Succeeded && call.status != Status::Exited(0) && call.status != Status::Rejected
    {
        return None;
    }
    let (.., last) = call.decisions.last()?;
    Some(match **last {
        Decision::Approve { .. } => "you approved it",
        Decision::Edited => "you edited it",
        Decision::Reject { .. } => "you rejected it",
        _ => return None,
    })
}

/// A row that stands for hidden lines.
fn folded(model: &Model, words: &str) -> Styled {
    let sign = Symbol::Closed.glyph(model.settings.charset);
    indented(Styled::new().own(Role::Dim, format!("{sign} {words}")), INDENT)
}

/// True if the end of the output of a call is below its row. What a read or a change gives is a number there.
fn has_output(model: &Model, call: &Call) -> bool {
    let tool = model.run.state.node(call.id).and_then(Node::as_call);
    let kind = tool.and_then(|(tool, _)| known_tool::kind(tool));
    let is_told = matches!(kind, Some(Kind::Read | Kind::Write | Kind::Edit | Kind::Patch));
    let is_told = is_told && call.status == Status::Succeeded;
    !is_told && given(model, call).is_some_and(|text| text.lines().nth(1).is_some())
}

/// Adds the output of a call: its length and its last line, or all of it.
fn output(model: &Model, call: &Call, (unfolded, room): (bool, usize), out: &mut Vec<Styled>) {
    let Some(text) = given(model, call) else { return };
    let count = text.lines().count();
    if unfolded {
        let shown = text.lines().take(UNFOLDED);
        let rows = shown.flat_map(|line| plain(line, Role::Text, room));
        out.extend(rows.map(|row| indented(row, WITHIN)));
        if count > UNFOLDED {
            let rest = many(count - UNFOLDED, "more line");
            out.push(indented(
                Styled::new().own(Role::Dim, format!("{rest}: enter")),
                WITHIN,
            ));
        }
    } else if has_output(model, call) {
        let last = text.lines().rev().find(|line| !line.trim().is_empty());
        let line = folded(model, &format!("{}: ", many(count, "line")));
        let left = room.saturating_sub(line.columns());
        out.push(line.summary(Role::Dim, &summary::text_of(last.unwrap_or_default()), left));
    }
}

/// The newest text of an open stream, or why a stream broke.
fn live(model: &Model, row: usize, width: usize) -> Vec<Styled> {
    let charset = model.settings.charset;
    let Some(Pick::Live(turn, part)) = model.graph.pick_at(row) else {
        return vec![Styled::new()];
    };
    if let Some(why) = lines::why_broken(&model.run.state, turn) {
        let sign = Symbol::Failed.glyph(charset);
        let words = format!("{sign} {turn} {}", visible(why.trim_end()));
        return Styled::new().own(Role::Failed, words).over(width, INDENT);
    }
    let live = model.run.live.get(&turn);
    let sign = Styled::new().own(Role::Running, format!("{} ", Symbol::Running.glyph(charset)));
    let columns = width.saturating_sub(INDENT + 1).min(TEXT);
    match live.and_then(|live| live.parts.get(part)) {
        Some(LivePart::Text { text, .. }) => {
            let from = text.len().saturating_sub(LIVE);
            let from = (from..=text.len())
                .find(|at| text.is_char_boundary(*at))
                .unwrap_or(0);
            let mut rows = markdown::rows(text.get(from..).unwrap_or_default(), columns, charset);
            let hidden = rows.len().saturating_sub(STREAMED);
            rows.drain(..hidden);
            let mut rows = rows.into_iter();
            let mut first = sign;
            first.0.extend(rows.next().unwrap_or_default().0);
            let mut out = vec![first];
            out.extend(rows.map(|row| indented(row, INDENT)));
            out
        }
        Some(LivePart::Call { tool, args, .. }) => {
            let line = sign.own(Role::Title, format!("{} ", visible(tool)));
            let room = width.saturating_sub(line.columns());
            vec![line.summary(Role::Text, &summary::text_of(args), room)]
        }
        None => vec![sign],
    }
}
