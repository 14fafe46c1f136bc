//! Undo, redo, switch, compare and copy between branches, each with a preview first.
//!
//! Must not know: keys, how branches are drawn.

use super::decide::{send, subject};
use super::{open, prompts, review};
use crate::console::model::Model;
use crate::console::model::listing::{Item, Kind, Listing};
use crate::console::model::lower::Target;
use crate::console::model::overlay::{LinePurpose, Overlay, Whose};
use crate::console::model::screen::Pane;
use crate::console::msg::Out;
use crate::domain::branch;
use crate::domain::command::{Command, Edit, EditCommand, RunCommand};
use crate::domain::id::{Epoch, NodeId};
use crate::domain::turn::Stream;
use crate::present::branch::{title, what};
use crate::text::visible;

/// Previews an undo of the newest edit.
pub(super) fn undo(model: &mut Model) -> Result<(), String> {
    let (_, record) = branch::undo_target(&model.run.state).ok_or("Nothing to undo")?;
    let title = format!("undo: {}", visible(&what(&model.run.state, record.epoch)));
    let command = EditCommand::Undo {
        epoch: Some(model.run.state.epoch),
        effects_seen: None,
    };
    review::command(model, Command::Edit(command), title);
    Ok(())
}

/// Previews a redo.
pub(super) fn redo(model: &mut Model) -> Result<(), String> {
    let state = &model.run.state;
    let to = branch::redo_target(state).ok_or("Nothing to redo")?;
    let title = format!("redo: back to {}", visible(&title(state, branch::of(state, to))));
    let command = EditCommand::Redo {
        epoch: Some(model.run.state.epoch),
        effects_seen: None,
    };
    review::command(model, Command::Edit(command), title);
    Ok(())
}

/// Previews another request for the selected turn.
pub(super) fn ask_turn(model: &mut Model) -> Result<(), String> {
    let id = subject(model).ok_or("No turn selected")?;
    let turn = model
        .run
        .state
        .turn_of(id)
        .ok_or_else(|| format!("{id} does not exist"))?;
    if !turn.is_active() {
        return Err(format!(
            "{} is superseded or suspended. Choose an active turn",
            turn.id
        ));
    }
    if turn.asked == 0 {
        return Err(format!(
            "Cannot ask again for {}: it is yours, not the model's",
            turn.id
        ));
    }
    if matches!(turn.stream, Stream::Broken(_)) {
        return Err(format!(
            "The stream of {} broke. {} then {} shows the choices",
            turn.id,
            model.settings.keymap.first("next-pending"),
            model.settings.keymap.first("decide")
        ));
    }
    let title = format!("ask the model again for {}", turn.id);
    let command = RunCommand::AskAgain {
        turn: turn.id,
        request: Some(turn.asked),
    };
    review::command(model, Command::Run(command), title);
    Ok(())
}

/// Opens the list.
pub(super) fn list(model: &mut Model) -> Result<(), String> {
    list_at(model, branch::current(&model.run.state))
}

/// Opens the list with the cursor on a branch.
pub(super) fn list_at(model: &mut Model, epoch: Epoch) -> Result<(), String> {
    if model.run.state.epoch == Epoch(0) {
        return Err("Only one branch: no edits yet".to_owned());
    }
    let mut list = Listing::new(Kind::Branches { marked: None });
    list.selected = Some(Item::Branch(epoch));
    open(model, Overlay::Listing(Box::new(list)));
    Ok(())
}

fn listing(model: &Model) -> Option<&Listing> {
    match model.overlays.last() {
        Some(Overlay::Listing(list)) => Some(list),
        _ => None,
    }
}

/// True if a command applies to the row under the cursor of the branch pane.
fn in_pane(model: &Model) -> bool {
    model.overlays.is_empty() && model.screen.focus == Pane::Branches
}

/// The branch under the cursor: of the list, or of the pane.
fn selected(model: &Model) -> Result<Epoch, String> {
    let nothing = || "No branch selected".to_owned();
    if in_pane(model) {
        return match model.lower.branches.selected() {
            Target::Branch(epoch) => Ok(epoch),
            _ => Err(nothing()),
        };
    }
    let list = listing(model).ok_or("The list of branches is not open")?;
    match list.selected {
        Some(Item::Branch(epoch)) => Ok(epoch),
        _ => Err(nothing()),
    }
}

/// Previews a switch to the branch under the cursor.
pub(super) fn switch(model: &mut Model) -> Result<(), String> {
    let to = selected(model)?;
    let state = &model.run.state;
    if to == branch::current(state) {
        return Err(format!("Branch {} is already the current branch", to.0));
    }
    let title = format!("switch to {}", visible(&title(state, to)));
    let command = EditCommand::Switch {
        to,
        epoch: Some(state.epoch),
        effects_seen: None,
    };
    review::command(model, Command::Edit(command), title);
    Ok(())
}

/// Asks for a name.
pub(super) fn name(model: &mut Model) -> Result<(), String> {
    let epoch = selected(model)?;
    if epoch == Epoch(0) {
        return Err("Cannot name the first branch: it is the run. `title` names the session".to_owned());
    }
    let before = branch::record(&model.run.state, epoch)
        .and_then(|record| record.name.as_deref())
        .unwrap_or_default()
        .to_owned();
    let title = format!("name of branch {} (empty: no name)", epoch.0);
    prompts::line(model, LinePurpose::BranchName(epoch), &title, &before);
    Ok(())
}

/// Sends the name.
pub(super) fn named(model: &mut Model, epoch: Epoch, name: &str, out: &mut Vec<Out>) {
    let name = name.into();
    send(model, Command::Edit(EditCommand::Name { epoch, name }), None, out);
}

/// Marks the branch under the cursor, to compare others with it.
pub(super) fn mark(model: &mut Model) -> Result<(), String> {
    let epoch = selected(model)?;
    if in_pane(model) {
        let marked = &mut model.lower.marked;
        *marked = (*marked != Some(epoch)).then_some(epoch);
        model.lower.branches.made = None;
        return Ok(());
    }
    if let Some(Overlay::Listing(list)) = model.overlays.last_mut()
        && let Kind::Branches { marked } = &mut list.kind
    {
        *marked = (*marked != Some(epoch)).then_some(epoch);
        list.made = None;
    }
    Ok(())
}

/// Compares the branch under the cursor with the marked one, or with the current branch.
pub(super) fn compare(model: &mut Model) -> Result<(), String> {
    let b = selected(model)?;
    let (marked, mark) = match listing(model).map(|list| &list.kind) {
        Some(Kind::Branches { marked }) => (*marked, "branch-mark"),
        Some(_) => return Ok(()),
        None => (model.lower.marked, "pane-mark"),
    };
    let a = marked.unwrap_or_else(|| branch::current(&model.run.state));
    if a == b {
        let key = model.settings.keymap.first(mark);
        return Err(format!(
            "Cannot compare a branch with itself. Choose another or mark one with {key}"
        ));
    }
    let kind = Kind::Compare { a, b, all: false };
    open(model, Overlay::Listing(Box::new(Listing::new(kind))));
    Ok(())
}

/// Shows or hides nodes that are equal on both branches.
pub(super) fn compare_all(model: &mut Model) {
    if let Some(Overlay::Listing(list)) = model.overlays.last_mut()
        && let Kind::Compare { all, .. } = &mut list.kind
    {
        *all = !*all;
        list.made = None;
    }
}

/// Previews copying the node under the cursor.
pub(super) fn take(model: &mut Model) -> Result<(), String> {
    if in_pane(model) {
        let from = selected(model)?;
        let node = subject(model).ok_or("No node selected in the graph")?;
        return take_from(model, node.call(), from);
    }
    let list = listing(model).ok_or("The comparison is not open")?;
    let (Kind::Compare { a, b, .. }, Some(Item::Node(node))) = (&list.kind, list.selected) else {
        return Err("No node selected".to_owned());
    };
    // Copies from the other side into the current branch.
    let from = if *b == branch::current(&model.run.state) {
        *a
    } else {
        *b
    };
    take_from(model, node, from)
}

/// Previews copying a node from a branch.
fn take_from(model: &mut Model, node: NodeId, from: Epoch) -> Result<(), String> {
    if from == branch::current(&model.run.state) {
        return Err(format!("Branch {} is the current branch. Choose another", from.0));
    }
    let line = branch::line(&model.run.state, branch::end(&model.run.state, from));
    let there = |id: NodeId| branch::counted(&model.run.state, id, &line).is_some();
    if !there(node.observation()) {
        return Err(if there(node) {
            format!("Cannot copy {node}: no result on branch {}", from.0)
        } else {
            format!("Cannot copy {node}: not active on branch {}", from.0)
        });
    }
    let here = model
        .run
        .state
        .node(node.observation())
        .filter(|node| node.active);
    let base = here.map(crate::domain::node::Node::rev);
    review::edits(model, vec![Edit::Copy { node, base, from }], Whose::New);
    Ok(())
}
