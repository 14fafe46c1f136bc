//! Lists the branches; names, marks and switches to one.
//!
//! Must not know: how a branch is computed.
use crate::kernel::availability::{live, offered, unless_refused};
use crate::kernel::context::{PANES, on};
use crate::kernel::decide::send;
use crate::kernel::hints::surface;
use crate::kernel::model::Model;
use crate::kernel::prompt::{Prompt, Style};
use crate::kernel::prompts;
use crate::kernel::verb::{Effect, Rank, Verb};
use crate::run::refusal::Refusal;
use crate::run::target::Target;
use crate::surfaces;
use crate::surfaces::branches::BranchList;
use crate::surfaces::review::preview;
use overrule_base::text::visible;
use overrule_domain::branch;
use overrule_domain::command::{Command, EditCommand};
use overrule_domain::id::Epoch;

/// The verb `branches`.
pub const BRANCHES: Verb = Verb {
    name: "branches",
    keys: &["b"],
    contexts: PANES,
    doc: "list the branches that edits made; you can switch to each",
    hint: "branches",
    available: |model| unless_refused(some(model), || live(model, true)),
    run: |model, _| list_at(model, branch::current(&model.run.state)),
    ..Verb::BASE
};

/// The verb `branch-switch`.
pub const BRANCH_SWITCH: Verb = Verb {
    name: "branch-switch",
    keys: &["enter"],
    contexts: &[on(super::ID), on(surfaces::branch_pane::PANE.id())],
    doc: "switch to this branch; previews it first",
    hint: "switch",
    rank: in_pane_leads,
    effect: Effect::Records,
    available: |model| offered(on_other_branch(model)),
    run: |model, _| switch(model),
    ..Verb::BASE
};

/// The verb `branch-name`.
pub const BRANCH_NAME: Verb = Verb {
    name: "branch-name",
    keys: &["alt-n"],
    contexts: &[on(super::ID)],
    doc: "name the branch",
    hint: "name",
    rank: in_pane_leads,
    effect: Effect::Records,
    available: |model| offered(on_branch(model, |epoch| epoch.0 > 0)),
    run: |model, _| name(model),
    ..Verb::BASE
};

/// The verb `branch-mark`.
pub const BRANCH_MARK: Verb = Verb {
    name: "branch-mark",
    keys: &["m", "space"],
    contexts: &[on(super::ID)],
    doc: "mark the branch, to compare others with it",
    hint: "mark",
    rank: in_pane_leads,
    available: |model| live(model, model.run.state.epoch.0 > 0),
    run: |model, _| mark(model),
    ..Verb::BASE
};

/// The verb `pane-name`.
pub const PANE_NAME: Verb = Verb {
    name: "pane-name",
    keys: &["alt-n"],
    contexts: &[on(surfaces::branch_pane::PANE.id())],
    doc: "name the branch under the cursor",
    hint: "name",
    ..BRANCH_NAME
};

/// The verb `pane-mark`.
pub const PANE_MARK: Verb = Verb {
    name: "pane-mark",
    keys: &["space"],
    contexts: &[on(surfaces::branch_pane::PANE.id())],
    doc: "mark the branch under the cursor, to compare others with it",
    hint: "mark",
    ..BRANCH_MARK
};

/// The main keys of the branch pane come first there.
pub(crate) fn in_pane_leads(model: &Model) -> Rank {
    Rank::leads_if(surface(model) == surfaces::branch_pane::PANE.id())
}

/// True in a list over the panes, and for a row of the branch pane that satisfies `is`.
pub(crate) fn on_branch(model: &Model, is: impl Fn(Epoch) -> bool) -> bool {
    !model.stack.is_empty() || matches!(model.followed(), Target::Branch(epoch) if is(epoch))
}

/// Like [`on_branch`], for a branch that is not the current one.
pub(crate) fn on_other_branch(model: &Model) -> bool {
    on_branch(model, |epoch| epoch != branch::current(&model.run.state))
}

/// Checks that an edit made a branch.
fn some(model: &Model) -> Result<(), Refusal> {
    if model.run.state.epoch == Epoch(0) {
        return Err(Refusal::new("Only one branch: no edits yet"));
    }
    Ok(())
}

/// Opens the list with the cursor on a branch.
pub(crate) fn list_at(model: &mut Model, epoch: Epoch) -> Result<(), Refusal> {
    some(model)?;
    let mut branches = BranchList::default();
    branches.list.selected = Some(Target::Branch(epoch));
    model.stack.push(branches);
    Ok(())
}

pub(crate) fn listing(model: &Model) -> Option<&BranchList> {
    model.stack.top()
}

/// True if a command applies to the row under the cursor of the branch pane.
pub(crate) fn in_pane(model: &Model) -> bool {
    model.stack.is_empty() && model.screen.focus == surfaces::branch_pane::PANE
}

/// The branch under the cursor: of the list, or of the pane.
pub(crate) fn selected(model: &Model) -> Result<Epoch, Refusal> {
    let nothing = || Refusal::not_selected("branch");
    if in_pane(model) {
        return match model.followed() {
            Target::Branch(epoch) => Ok(epoch),
            _ => Err(nothing()),
        };
    }
    let list = listing(model).ok_or_else(|| Refusal::not_open("The list of branches"))?;
    match list.list.selected {
        Some(Target::Branch(epoch)) => Ok(epoch),
        _ => Err(nothing()),
    }
}

/// Refuses what needs another branch than the current one.
pub(crate) fn already_current(branch: Epoch) -> Refusal {
    Refusal::new(format!("Branch {} is already the current branch", branch.0))
}

/// Previews a switch to the branch under the cursor.
fn switch(model: &mut Model) -> Result<(), Refusal> {
    let to = selected(model)?;
    let state = &model.run.state;
    if to == branch::current(state) {
        return Err(already_current(to));
    }
    let title = format!(
        "switch to {}",
        visible(&overrule_present::branch::title(state, to))
    );
    let command = EditCommand::Switch {
        to,
        epoch: Some(state.epoch),
        effects_seen: None,
    };
    preview::command(model, Command::Edit(command), title);
    Ok(())
}

/// Asks for a name.
fn name(model: &mut Model) -> Result<(), Refusal> {
    let epoch = selected(model)?;
    if epoch == Epoch(0) {
        return Err(Refusal::new(
            "Cannot name the first branch: it is the run. `title` names the session",
        ));
    }
    let before = branch::record(&model.run.state, epoch)
        .and_then(|record| record.name.as_deref())
        .unwrap_or_default()
        .to_owned();
    let title = format!("name of branch {} (empty: no name)", epoch.0);
    let act = ("name", Style::SETTING);
    let prompt = Prompt::new(act, title, &before, move |model, text, out| {
        let name = text.into();
        send(model, Command::Edit(EditCommand::Name { epoch, name }), None, out);
        Ok(())
    });
    prompts::ask(model, prompt);
    Ok(())
}

/// Marks the branch under the cursor, to compare others with it.
fn mark(model: &mut Model) -> Result<(), Refusal> {
    let epoch = selected(model)?;
    if in_pane(model) {
        let marked = &mut model.lower.marked;
        *marked = (*marked != Some(epoch)).then_some(epoch);
        model.lower.forget(surfaces::branch_pane::PANE);
        return Ok(());
    }
    if let Some(open) = model.stack.top_mut::<BranchList>() {
        open.marked = (open.marked != Some(epoch)).then_some(epoch);
        open.list.made = None;
    }
    Ok(())
}
