//! Asks for what a preview or a list shows of files: present states, numbers of lines, differences.
//!
//! Must not know: how a file is read, how an answer is shown.

use crate::kernel::model::Model;
use crate::kernel::msg::Out;
use crate::run::changes;
use crate::run::file_look::FileVersions;
use crate::run::interrupted_restore::needs_of_interrupted;
use crate::run::restore_preview::{Looks, newest, versions};
use crate::surfaces::attention::AttentionPage;
use crate::surfaces::changes::ChangesPage;

/// The most files whose lines are counted at once.
const MOST: usize = 400;

/// Asks for what the topmost surface shows and is not known.
pub(crate) fn ask(model: &mut Model, out: &mut Vec<Out>) {
    of_preview(model, out);
    of_changes(model, out);
    of_interrupted(model, out);
}

fn of_preview(model: &mut Model, out: &mut Vec<Out>) {
    let newest = newest(&model.run.state);
    let Some(surface) = model.stack.last_mut() else {
        return;
    };
    let Some(files) = surface.restore() else { return };
    if files.plan.is_none() {
        return;
    }
    if std::mem::take(&mut files.is_outdated) {
        model.run.files.forget_states();
    }
    match files.looks {
        Looks::Waiting => {
            let look = model.run.files.ask_states(files.needs().clone(), newest);
            out.extend(look.map(Out::LookAtFiles));
        }
        Looks::Known => {
            let rows = files.rows().iter().take(MOST);
            let look = model.run.files.ask_lines(rows.map(versions));
            out.extend(look.map(Out::LookAtFiles));
        }
        Looks::Failed(_) => {}
    }
}

fn of_changes(model: &mut Model, out: &mut Vec<Out>) {
    let Some(page) = model.stack.top::<ChangesPage>() else {
        return;
    };
    let state = &model.run.state;
    let shown = page.shown(state);
    let all = page.on_screen().flat_map(|seq| changes::versions(state, seq));
    let all: Vec<FileVersions> = all.take(MOST).collect();
    if let Some((of, _)) = shown {
        out.extend(model.run.files.ask_difference(&of).map(Out::LookAtFiles));
    }
    out.extend(model.run.files.ask_lines(all).map(Out::LookAtFiles));
}

/// How far an interrupted restore has come.
fn of_interrupted(model: &mut Model, out: &mut Vec<Out>) {
    if !model.stack.is_top::<AttentionPage>() || model.settings.is_recorded() {
        return;
    }
    let state = &model.run.state;
    let look = model
        .run
        .files
        .ask_states(needs_of_interrupted(state), newest(state));
    out.extend(look.map(Out::LookAtFiles));
}
