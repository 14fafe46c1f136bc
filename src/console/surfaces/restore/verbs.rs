//! Opens the preview of a restore, chooses its paths, and commits it.
//!
//! Must not know: how a plan is made, how a file is written.

use super::RestorePage;
use crate::kernel::availability::{decision, offered, unless_refused};
use crate::kernel::context::{CHOSEN, RESTORED, on};
use crate::kernel::decide::{armed, send};
use crate::kernel::model::Model;
use crate::kernel::model::double_press::What;
use crate::kernel::msg::Out;
use crate::kernel::selection::{call, listed_effect, listed_target};
use crate::kernel::verb::{Care, Effect, Rank, Verb};
use crate::run::changes::{reason, restorable};
use crate::run::file_look::FileVersions;
use crate::run::question::Question;
use crate::run::refusal::{PREVIEW_UNSEEN, Refusal, SENT};
use crate::run::restore_preview::{Looks, RestoreOf, RestorePreview, versions};
use crate::run::target::{NameHash, Target};
use crate::surfaces::documents::files::looked_up;
use crate::surfaces::page::Page;
use overrule_base::text::visible;
use overrule_domain::command::Command;
use overrule_domain::files::plan::RowStatus;
use overrule_domain::id::NodeId;
use overrule_domain::state::State;

/// The verb `restore-files`.
pub const RESTORE_FILES: Verb = Verb {
    name: "restore-files",
    keys: &["_"],
    contexts: RESTORED,
    doc: "restore the files that the call, effect or branch changed, or undo a restore; previews it first",
    hint: "restore files",
    label: |model| matches!(target(model), Ok(RestoreOf::Restore(_))).then_some("undo the restore"),
    rank: |_| Rank::Last,
    effect: Effect::Acts,
    available: |model| unless_refused(target(model).map(drop), || offered(changed_files(model))),
    run: |model, _| {
        let of = target(model)?;
        model.stack.push(RestorePage::new(of));
        Ok(())
    },
    ..Verb::BASE
};

/// The verb `restore-chosen`.
pub const RESTORE_CHOSEN: Verb = Verb {
    name: "restore-chosen",
    keys: &["enter"],
    contexts: &[on(super::ID)],
    doc: "restore the chosen files, as previewed",
    hint: "restore",
    rank: |_| Rank::Leads,
    adds: |model| page(model).map_or_else(String::new, |page| format!(" {}", page.files.restored())),
    effect: Effect::Records,
    care: Care::Alone,
    available: |model| unless_refused(ready(model).map(drop), || decision(model, true)),
    seen: |model, moment| match page(model) {
        Some(page) if page.sheet.made.is_none() => Err(Refusal::unseen(PREVIEW_UNSEEN)),
        Some(page) => armed(model, &Question::Review { stamp: page.stamp }, moment).map(drop),
        None => Ok(()),
    },
    run: |model, press| commit(model, press.out),
    ..Verb::BASE
};

/// The verb `switch-path`.
pub const SWITCH_PATH: Verb = Verb {
    name: "switch-path",
    keys: &["space"],
    contexts: CHOSEN,
    doc: "restore the marked path, or leave it as it is; in spite of a conflict after a second press",
    hint: "keep this",
    rank: |_| Rank::Leads,
    label: |model| {
        let row = preview(model)?.row()?;
        (!row.is_chosen).then_some("restore this")
    },
    effect: Effect::Acts,
    available: |model| unless_refused(switchable(model).map(drop), || offered(true)),
    run: |model, _| switch_path(model),
    ..Verb::BASE
};

/// The verb `file-difference`.
pub const FILE_DIFFERENCE: Verb = Verb {
    name: "file-difference",
    keys: &["right"],
    contexts: CHOSEN,
    doc: "show the difference that restoring the marked path makes: now, then restored",
    hint: "difference",
    rank: |_| Rank::Leads,
    available: |model| offered(preview(model).is_some_and(|files| files.row().is_some())),
    run: |model, press| {
        let row = preview(model).and_then(RestorePreview::row);
        let row = row.ok_or_else(|| Refusal::not_selected("path"))?;
        let (of, title) = (
            versions(row),
            format!("{}, now and restored", visible(&row.path.text())),
        );
        show_difference(model, of, title, press.out);
        Ok(())
    },
    ..Verb::BASE
};

/// Shows the difference between two states of a path.
pub(crate) fn show_difference(model: &mut Model, of: FileVersions, title: String, out: &mut Vec<Out>) {
    out.extend(model.run.files.ask_difference(&of).map(Out::LookAtFiles));
    let page = Page::new(title, move |maker, _| {
        let run = maker.run;
        looked_up(maker, run.files.difference(&of));
    });
    model.stack.push(page);
}

fn page(model: &Model) -> Option<&RestorePage> {
    model.stack.top()
}

/// The paths of the topmost preview.
pub(crate) fn preview(model: &Model) -> Option<&RestorePreview> {
    model.stack.last()?.files()
}

/// Changes what was chosen in the topmost preview.
pub(crate) fn change(model: &mut Model, how: impl FnOnce(&mut RestorePreview)) {
    if let Some(surface) = model.stack.last_mut() {
        if let Some(files) = surface.restore() {
            how(files);
        }
        surface.renew();
    }
}

/// Whose files are restored from here.
fn target(model: &Model) -> Result<RestoreOf, Refusal> {
    let state = &model.run.state;
    if let Some(seq) = listed_effect(model) {
        let entry = state.ledger.get(&seq);
        let entry = entry.ok_or_else(|| Refusal::new("This effect is of another session"))?;
        return Ok(RestoreOf::Calls(vec![entry.call]));
    }
    match listed_target(model) {
        Target::Branch(epoch) if epoch == overrule_domain::branch::current(state) => {
            return Err(Refusal::new("This is the current branch: nothing to restore"));
        }
        Target::Branch(epoch) => return Ok(RestoreOf::Branch(epoch)),
        Target::Node(node) => return of_node(state, node),
        Target::Changed(seq) => return restorable(state, seq),
        // A list without a row is about nothing, also if the surface below it has a call.
        _ if !model.stack.is_empty() => return Err(Refusal::not_selected("row")),
        _ => {}
    }
    if let Some(call) = call(model) {
        return of_node(state, call);
    }
    match crate::kernel::decide::subject(model) {
        Some(node) => of_node(state, node),
        None => Err(Refusal::not_selected("call")),
    }
}

fn of_node(state: &State, node: NodeId) -> Result<RestoreOf, Refusal> {
    if state.operator.files.restores.contains_key(&node) {
        return Ok(RestoreOf::Restore(node));
    }
    let call = node.call();
    if state.calls.contains_key(&call) {
        Ok(RestoreOf::Calls(vec![call]))
    } else {
        Err(Refusal::not_call(node))
    }
}

/// True where files are known to be changed: the key is worth a hint.
fn changed_files(model: &Model) -> bool {
    let state = &model.run.state;
    match target(model) {
        Ok(RestoreOf::Calls(calls)) => calls.iter().filter_map(|id| state.calls.get(id)).any(|call| {
            let mut sets = call.attempts.iter().filter_map(|one| one.files.as_ref());
            sets.any(|set| !set.changes.0.is_empty())
        }),
        Ok(RestoreOf::Branch(_)) => !state.operator.files.log.is_empty(),
        Ok(RestoreOf::Restore(_)) => true,
        Err(_) => false,
    }
}

/// The open page, if it restores something.
fn ready(model: &Model) -> Result<&RestorePage, Refusal> {
    let page = page(model).ok_or_else(|| Refusal::not_open("The preview of a restore"))?;
    if let Some(Err(why)) = &page.files.plan {
        return Err(Refusal::outside(why.message.clone()));
    }
    if looked_at(&page.files)?.restored() == 0 {
        return Err(Refusal::new("Nothing to restore: no file would change"));
    }
    Ok(page)
}

/// A preview whose states are known.
pub(crate) fn looked_at(files: &RestorePreview) -> Result<&RestorePreview, Refusal> {
    match &files.looks {
        Looks::Failed(why) => Err(Refusal::outside(format!("cannot restore: {}", reason(why)))),
        Looks::Waiting => Err(Refusal::unseen(LOOKING)),
        Looks::Known => Ok(files),
    }
}

/// The states of files are not known yet.
pub(crate) const LOOKING: &str = "Still looking at the files. Press again";

/// The preview whose marked path can be restored or left as it is.
fn switchable(model: &Model) -> Result<&RestorePreview, Refusal> {
    let files = preview(model).ok_or_else(|| Refusal::not_selected("path"))?;
    let row = files.row().ok_or_else(|| Refusal::not_selected("path"))?;
    let name = || visible(&row.path.text());
    match &row.status {
        _ if files.looks != Looks::Known => Err(Refusal::unseen(LOOKING)),
        _ if !files.is_on() => {
            let key = model.settings.keymap.first("keep-files");
            Err(Refusal::new(format!(
                "All files stay as they are. {key} restores them"
            )))
        }
        RowStatus::NotRestorable { why } => Err(Refusal::outside(format!(
            "cannot restore {}: {}",
            name(),
            visible(why)
        ))),
        RowStatus::Nothing => Err(Refusal::new(format!(
            "{} is already what it would become",
            name()
        ))),
        RowStatus::Restore | RowStatus::Conflict { .. } => Ok(files),
    }
}

fn switch_path(model: &mut Model) -> Result<(), Refusal> {
    let row = switchable(model)?.row().cloned();
    let row = row.ok_or_else(|| Refusal::not_selected("path"))?;
    if let RowStatus::Conflict { why } = &row.status
        && !row.is_chosen
        && !model.confirm_press(What::OverConflict(NameHash::path(&row.path)))
    {
        let key = model.settings.keymap.first(SWITCH_PATH.name);
        return Err(Refusal::confirmation(format!(
            "{}: {}. {key} again restores it; the present content is saved first",
            visible(&row.path.text()),
            visible(why)
        )));
    }
    change(model, RestorePreview::switch_marked);
    Ok(())
}

fn commit(model: &mut Model, out: &mut Vec<Out>) -> Result<(), Refusal> {
    let page = ready(model)?;
    if page.sent.is_some() {
        return Err(Refusal::new(SENT));
    }
    let choice = page.files.choice().ok_or_else(|| Refusal::unseen(LOOKING))?;
    let command = Command::Files(page.of.command(choice));
    if let Some(page) = model.stack.top_mut::<RestorePage>() {
        page.sent = Some(command.clone());
    }
    send(model, command, None, out);
    Ok(())
}

/// What a commit refuses while the files of its preview are not known.
pub(crate) fn still_looking(files: &RestorePreview) -> Result<(), Refusal> {
    match files.looks {
        Looks::Waiting if files.restores != Some(false) => Err(Refusal::unseen(LOOKING)),
        _ => Ok(()),
    }
}
