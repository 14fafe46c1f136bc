//! Commits the previewed edit, or changes how it is committed.
//!
//! Must not know: what an edit does.

use crate::kernel::availability::{offered, unless_refused};
use crate::kernel::context::on;
use crate::kernel::decide::{armed, send, shown};
use crate::kernel::model::Model;
use crate::kernel::model::arming::VisibleQuestion;
use crate::kernel::model::staged_edits::node_of;
use crate::kernel::msg::Out;
use crate::kernel::prompt::{Prompt, Style};
use crate::kernel::prompts;
use crate::kernel::verb::{Availability, Care, Effect, Rank, Verb};
use crate::run::question::Question;
use crate::run::refusal::{PREVIEW_UNSEEN, Refusal, SENT};
use crate::run::restore_preview::{RestorePreview, with};
use crate::surfaces::restore::verbs::{change, looked_at, still_looking};
use crate::surfaces::review::preview::set_reason;
use crate::surfaces::review::{Review, Whose};
use overrule_domain::command::{Command, Edit, EditCommand};
use overrule_domain::decide::edit::may_keep_later;

/// The verb `commit-edit`.
pub const COMMIT_EDIT: Verb = Verb {
    name: "commit-edit",
    keys: &["enter"],
    contexts: &[on(super::ID)],
    doc: "commit the edit, or the staged edits, as previewed",
    hint: "commit",
    label: |model| preview(model).and_then(commits),
    rank: |model| Rank::leads_if(preview(model).is_some_and(|review| review.shows_files)),
    adds: |model| match preview(model).map_or(0, |review| review.files.restored()) {
        0 => String::new(),
        count => format!(", restore {count}"),
    },
    effect: Effect::Records,
    care: Care::Alone,
    // An impossible action is not offered.
    available: |model| match preview(model) {
        Some(review) => review.known().map(drop).into(),
        None => Availability::NotOffered,
    },
    seen: |model, moment| match preview(model) {
        Some(review) if review.sheet.made.is_none() => Err(Refusal::unseen(PREVIEW_UNSEEN)),
        Some(review) => {
            if review.shows_files {
                still_looking(&review.files)?;
            }
            armed(model, &question(review), moment).map(drop)
        }
        None => Ok(()),
    },
    run: |model, press| commit(model, press.out),
    ..Verb::BASE
};

/// The verb `edit-reason`.
pub const EDIT_REASON: Verb = Verb {
    name: "edit-reason",
    keys: &["r"],
    contexts: &[on(super::ID)],
    doc: "record a reason with the edit",
    hint: "reason",
    effect: Effect::Acts,
    available: |model| offered(is_known(model) && !edits(model).is_empty()),
    run: |model, _| reason(model),
    ..Verb::BASE
};

/// The verb `keep-later`.
pub const KEEP_LATER: Verb = Verb {
    name: "keep-later",
    keys: &["l"],
    contexts: &[on(super::ID)],
    doc: "keep later turns although the edit changes their request; marks them as drifted",
    hint: "keep later turns",
    label: |model| keeps_later(model).then_some("supersede later ones"),
    effect: Effect::Acts,
    available: |model| offered(may_keep(model)),
    run: |model, _| keep_later(model),
    ..Verb::BASE
};

/// The verb `keep-files`. The section that it switches names it.
pub const KEEP_FILES: Verb = Verb {
    name: "keep-files",
    keys: &["_"],
    contexts: &[on(super::ID)],
    doc: "leave all files as they are, or restore those that the change makes inactive",
    effect: Effect::Acts,
    available: |model| unless_refused(section(model).map(drop), || offered(true)),
    run: |model, _| {
        section(model)?;
        change(model, |files| files.restores = Some(!files.is_on()));
        Ok(())
    },
    ..Verb::BASE
};

/// The section about files of the preview.
fn section(model: &Model) -> Result<&RestorePreview, Refusal> {
    let review = preview(model).filter(|review| review.shows_files);
    let files = review.map(|review| &review.files);
    looked_at(files.ok_or_else(|| Refusal::new("No files are affected"))?)
}

fn preview(model: &Model) -> Option<&Review> {
    model.stack.top()
}

/// What the commit does, where it is more than a commit.
fn commits(review: &Review) -> Option<&'static str> {
    match &review.command {
        Command::Edit(EditCommand::Undo { .. }) => Some("undo"),
        Command::Edit(EditCommand::Redo { .. }) => Some("redo"),
        Command::Edit(EditCommand::Switch { .. }) => Some("switch"),
        _ => match review.known().ok()?.approves.as_slice() {
            [] => None,
            [_] => Some("commit and run it"),
            _ => Some("commit and run them"),
        },
    }
}

const fn question(review: &Review) -> Question {
    Question::Review { stamp: review.stamp }
}

fn is_known(model: &Model) -> bool {
    preview(model).is_none_or(|review| review.known().is_ok())
}

fn edits(model: &Model) -> &[Edit] {
    preview(model).map_or(&[], Review::edits)
}

fn keeps_later(model: &Model) -> bool {
    preview(model).is_some_and(Review::keeps_later)
}

/// True if later turns are kept, or could be.
fn may_keep(model: &Model) -> bool {
    let plan = preview(model).and_then(|review| review.known().ok());
    let falls = plan.is_some_and(|plan| !plan.turns.is_empty());
    let edits = edits(model);
    let may = edits.iter().all(|edit| may_keep_later(edit).is_ok());
    !edits.is_empty() && (falls && may || keeps_later(model))
}

/// Toggles whether later turns stay active.
fn keep_later(model: &mut Model) -> Result<(), Refusal> {
    let Some(review) = model.stack.top_mut::<Review>() else {
        return Ok(());
    };
    let Command::Edit(EditCommand::Commit { keep_later, .. }) = &mut review.command else {
        return Err(Refusal::no_edit("keep later turns"));
    };
    *keep_later = !*keep_later;
    review.sheet.made = None;
    if review.whose == Whose::AllStaged {
        model.staged_edits.keep_later = *keep_later;
        model.staged_edits.stamp += 1;
    }
    Ok(())
}

/// Asks for the reason of the edit.
fn reason(model: &mut Model) -> Result<(), Refusal> {
    let Some(review) = model.stack.top::<Review>() else {
        return Ok(());
    };
    if review.edits().is_empty() {
        return Err(Refusal::no_edit("record a reason"));
    }
    let before = review.reason.clone();
    let style = Style {
        records: false,
        ..Style::PROSE
    };
    let title = "why? (recorded with the edit)";
    let prompt = Prompt::new(("record", style), title, &before, |model, text, _| {
        set_reason(model, text);
        Ok(())
    });
    prompts::ask(model, prompt);
    Ok(())
}

/// Commits the previewed change.
fn commit(model: &mut Model, out: &mut Vec<Out>) -> Result<(), Refusal> {
    let Some(review) = preview(model) else {
        return Ok(());
    };
    let seen = review.known()?.effects.len();
    let all = shown(model, &question(review)).is_some_and(VisibleQuestion::is_read);
    if model.run.committing {
        return Err(Refusal::new(SENT));
    }
    let Some(review) = preview(model) else {
        return Ok(());
    };
    let mut command = review.command.clone();
    let why = (!review.reason.is_empty()).then(|| review.reason.as_str().into());
    let item = match review.whose {
        Whose::Item(no) => Some(no),
        Whose::New | Whose::AllStaged => None,
    };
    let mut target = None;
    match &mut command {
        Command::Edit(EditCommand::Commit {
            edits,
            effects_seen,
            reason,
            ..
        }) => {
            *effects_seen = Some(seen);
            *reason = why;
            for edit in edits.iter_mut() {
                if let Edit::Call { shown, .. } = edit {
                    *shown = all;
                }
            }
            if let [edit @ Edit::Call { .. }] = edits.as_slice() {
                target = node_of(edit);
            }
        }
        Command::Edit(
            EditCommand::Undo { effects_seen, .. }
            | EditCommand::Redo { effects_seen, .. }
            | EditCommand::Switch { effects_seen, .. },
        ) => *effects_seen = Some(seen),
        _ => {}
    }
    let choice = review.files.choice().filter(|_| review.shows_files);
    if let Some(choice) = choice {
        command = Command::Files(with(command, choice));
    }
    model.run.committing = true;
    model.staged_edits.sending = item;
    model.queue.leaving = model.queue.selected;
    if let Some(review) = model.stack.top_mut::<Review>() {
        review.sent = Some(command.clone());
    }
    send(model, command, target, out);
    Ok(())
}
