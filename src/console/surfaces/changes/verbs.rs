//! Opens the changes, shows their differences, and marks them as seen.
//!
//! Must not know: how a change is found.

use super::ChangesPage;
use crate::kernel::availability::offered;
use crate::kernel::context::on;
use crate::kernel::decide::send;
use crate::kernel::model::Model;
use crate::kernel::verb::{Effect, Rank, Verb};
use crate::run::refusal::Refusal;
use crate::surfaces::restore::verbs::show_difference;
use crate::verbs::changes::by_file;
use overrule_base::text::visible;
use overrule_domain::command::{Command, FilesCommand};
use overrule_domain::id::Seq;

/// The verb `change-difference`.
pub const CHANGE_DIFFERENCE: Verb = Verb {
    name: "change-difference",
    keys: &["enter"],
    contexts: &[on(super::ID)],
    doc: "show the whole difference of the shown file",
    hint: "difference",
    rank: |_| Rank::Leads,
    available: |model| offered(page(model).is_some_and(|page| page.shown(&model.run.state).is_some())),
    run: |model, press| {
        let shown = page(model).and_then(|page| page.shown(&model.run.state));
        let (of, _) = shown.ok_or_else(|| Refusal::new("No file is known to be changed by this"))?;
        let title = format!("{}, before and after", visible(&of.path.text()));
        show_difference(model, of, title, press.out);
        Ok(())
    },
    ..Verb::BASE
};

/// The verb `mark-seen`.
pub const MARK_SEEN: Verb = Verb {
    name: "mark-seen",
    keys: &["space"],
    contexts: &[on(super::ID)],
    doc: "mark this change and all before it as seen",
    hint: "seen",
    rank: |_| Rank::Leads,
    effect: Effect::Records,
    available: |model| unseen(model).map(drop).into(),
    run: |model, press| {
        let through = unseen(model)?;
        let command = Command::Files(FilesCommand::Seen { through });
        send(model, command, None, press.out);
        Ok(())
    },
    ..Verb::BASE
};

/// The verb `next-file`.
pub const NEXT_FILE: Verb = Verb {
    name: "next-file",
    keys: &["right", "l"],
    contexts: &[on(super::ID)],
    doc: "show the next file of this change",
    hint: "next file",
    available: |model| offered(has_several(model)),
    run: |model, _| {
        go(model, |at, last| at.saturating_add(1).min(last));
        Ok(())
    },
    ..Verb::BASE
};

/// The verb `previous-file`.
pub const PREVIOUS_FILE: Verb = Verb {
    name: "previous-file",
    keys: &["left", "h"],
    doc: "show the previous file of this change",
    hint: "",
    run: |model, _| {
        go(model, |at, _| at.saturating_sub(1));
        Ok(())
    },
    ..NEXT_FILE
};

/// The verb `changes-by-file`.
pub const CHANGES_BY_FILE: Verb = Verb {
    name: "changes-by-file",
    keys: &["tab"],
    contexts: &[on(super::ID)],
    doc: "show all files that the run wrote, with the differences that file tools made",
    hint: "by file",
    run: |model, _| {
        by_file(model);
        Ok(())
    },
    ..Verb::BASE
};

fn page(model: &Model) -> Option<&ChangesPage> {
    model.stack.top()
}

/// The change under the cursor, if the operator has not seen it.
fn unseen(model: &Model) -> Result<Seq, Refusal> {
    let seq = page(model).and_then(ChangesPage::selected);
    let seq = seq.ok_or_else(|| Refusal::not_selected("change"))?;
    if seq <= model.run.state.operator.files.seen {
        return Err(Refusal::new("Already seen"));
    }
    Ok(seq)
}

fn has_several(model: &Model) -> bool {
    let shown = page(model).and_then(|page| page.shown(&model.run.state));
    shown.is_some_and(|(_, count)| count > 1)
}

fn go(model: &mut Model, to: impl Fn(usize, usize) -> usize) {
    let shown = page(model).and_then(|page| page.shown(&model.run.state));
    let last = shown.map_or(0, |(_, count)| count.saturating_sub(1));
    if let Some(page) = model.stack.top_mut::<ChangesPage>() {
        page.file = to(page.file, last);
        page.list.top = 0;
        page.list.made = None;
    }
}
