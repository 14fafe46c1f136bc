//! Opens the sandbox, and decides about what it refused a call.
//!
//! Must not know: how a child is confined, how a rule is evaluated.

use super::{Does, RefusedList, Row, SandboxPage, keep, outside, run_again};
use crate::kernel::availability::{decision, offered, unless_refused};
use crate::kernel::context::{PANES, on};
use crate::kernel::decide::{armed, ensure_room, send_both};
use crate::kernel::model::Model;
use crate::kernel::msg::Out;
use crate::kernel::selection::call;
use crate::kernel::verb::{Care, Effect, Moment, Verb};
use crate::run::question::Question;
use crate::run::refusal::{Refusal, SENT};
use crate::surfaces::review::{Whose, preview};
use overrule_domain::advice::Cards;
use overrule_domain::command::{Command, SandboxCommand};
use overrule_domain::decide;
use overrule_domain::id::NodeId;

/// The verb `sandbox`.
pub const SANDBOX: Verb = Verb {
    name: "sandbox",
    keys: &["@"],
    contexts: PANES,
    doc: "show what the sandbox refused the selected call and what to do; elsewhere its profile and guarantees",
    hint: "sandbox",
    available: |model| offered(refused(model).is_some()),
    run: |model, _| {
        open(model);
        Ok(())
    },
    ..Verb::BASE
};

/// The verb `choose-refused`.
pub const CHOOSE: Verb = Verb {
    name: "choose-refused",
    keys: &["enter"],
    contexts: &[on(super::REFUSED)],
    doc: "do what the marked row says",
    hint: "choose",
    effect: Effect::Records,
    decides: true,
    care: Care::Alone,
    available: |model| unless_refused(marked(model).and_then(possible), || decision(model, true)),
    seen: shown_long_enough,
    run: |model, press| {
        let row = marked(model)?.clone();
        carry_out(model, &row, press.out)
    },
    ..Verb::BASE
};

/// The verb `allow-refused`.
pub const ALLOW: Verb = Verb {
    name: "allow-refused",
    keys: &["n"],
    doc: "allow the host or the directory for the rest of the session, and run the call again by the rules",
    hint: "allow",
    available: |model| has(model, "allow-refused"),
    run: |model, press| by_key(model, "allow-refused", press.out),
    ..CHOOSE
};

/// The verb `run-outside`.
pub const OUTSIDE: Verb = Verb {
    name: "run-outside",
    keys: &["o"],
    doc: "preview the same call outside of the sandbox; committed, it asks",
    hint: "outside",
    available: |model| has(model, "run-outside"),
    run: |model, press| by_key(model, "run-outside", press.out),
    ..CHOOSE
};

/// The verb `keep-undone`.
pub const KEEP: Verb = Verb {
    name: "keep-undone",
    keys: &["t"],
    doc: "keep the change of a protected file that was undone",
    hint: "keep the change",
    available: |model| has(model, "keep-undone"),
    run: |model, press| by_key(model, "keep-undone", press.out),
    ..CHOOSE
};

/// The selected call, if the sandbox refused it something.
fn refused(model: &Model) -> Option<NodeId> {
    let call = model.run.state.call(call(model)?)?;
    (!call.refused().is_empty()).then_some(call.id)
}

/// Opens what the sandbox refused the selected call, or the page. A recorded run has only the page.
fn open(model: &mut Model) {
    match refused(model).filter(|_| !model.settings.is_recorded()) {
        Some(call) => model.stack.push(RefusedList::new(call)),
        None => model.stack.push(SandboxPage::default()),
    }
}

fn list(model: &Model) -> Result<&RefusedList, Refusal> {
    let list = model.stack.top::<RefusedList>();
    list.ok_or_else(|| Refusal::not_open("The list of what was refused"))
}

fn marked(model: &Model) -> Result<&Row, Refusal> {
    list(model)?.row().ok_or_else(|| Refusal::not_selected("row"))
}

/// Refuses a row that does nothing now.
fn possible(row: &Row) -> Result<(), Refusal> {
    match &row.why_not {
        Some(why) => Err(Refusal::outside(why.clone())),
        None if row.does == Does::Nothing => Err(Refusal::new(format!(
            "Cannot allow it: {}",
            row.words.trim_end_matches('.')
        ))),
        None => Ok(()),
    }
}

/// The rows that a verb is for.
fn of<'a>(list: &'a RefusedList, name: &str) -> impl Iterator<Item = (usize, &'a Row)> {
    let rows = list.rows.iter().enumerate();
    rows.filter(move |(_, row)| row.does.name() == name)
}

fn has(model: &Model, name: &str) -> crate::kernel::verb::Availability {
    let is = list(model).is_ok_and(|list| of(list, name).any(|(_, row)| row.why_not.is_none()));
    decision(model, is)
}

/// Refuses the press until the list was on screen for long enough.
fn shown_long_enough(model: &Model, moment: Moment) -> Result<(), Refusal> {
    match model.stack.top::<RefusedList>() {
        Some(list) => armed(model, &Question::Bulk { stamp: list.stamp }, moment).map(drop),
        None => Ok(()),
    }
}

/// Does what a key is for: on the marked row, or on the only row for it. With several it goes to the first.
fn by_key(model: &mut Model, name: &str, out: &mut Vec<Out>) -> Result<(), Refusal> {
    let open = list(model)?;
    let own = open.row().filter(|row| row.does.name() == name).cloned();
    let all: Vec<(usize, Row)> = of(open, name).map(|(at, row)| (at, row.clone())).collect();
    let row = match (own, all.as_slice()) {
        (Some(row), _) => row,
        (None, [(_, row)]) => row.clone(),
        (None, []) => return Err(Refusal::new("Nothing here is for this key")),
        (None, [(first, _), ..]) => {
            let first = *first;
            let key = model.settings.keymap.first(name);
            if let Some(list) = model.stack.top_mut::<RefusedList>() {
                list.at = first;
                list.sheet.made = None;
            }
            return Err(Refusal::confirmation(format!(
                "Now on the first of {}. Press {key} again",
                all.len()
            )));
        }
    };
    possible(&row)?;
    carry_out(model, &row, out)
}

fn carry_out(model: &mut Model, row: &Row, out: &mut Vec<Out>) -> Result<(), Refusal> {
    ensure_room(model)?;
    let open = list(model)?;
    let (call, rev) = (open.call, open.rev);
    if open.sent.is_some() {
        return Err(Refusal::new(SENT));
    }
    let state = &model.run.state;
    let (first, then) = match &row.does {
        Does::Nothing => return possible(row),
        Does::Outside => {
            let edit = outside(state, (call, rev)).map_err(Refusal::outside)?;
            model.stack.pop();
            preview::edits(model, vec![edit], Whose::New);
            return Ok(());
        }
        Does::Keep => (keep(call, &row.what), None),
        Does::Allow(by) => {
            let widen = Command::Sandbox(SandboxCommand::Widen { by: by.clone() });
            let again = run_again((call, rev));
            // What is allowed already only runs again.
            match decide::command(state, &Cards(state), &widen) {
                Ok(_) => (widen, Some(again)),
                Err(_) => (again, None),
            }
        }
    };
    if let Some(list) = model.stack.top_mut::<RefusedList>() {
        list.sent = Some(first.clone());
    }
    send_both(model, first, then, out);
    Ok(())
}
