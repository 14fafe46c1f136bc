//! Approving several calls at once: a list, and a second key.
//!
//! Must not know: keys, which calls can be approved together.

use std::hash::{DefaultHasher, Hash, Hasher};

use super::decide::armed;
use super::input::By;
use super::open;
use crate::console::model::Model;
use crate::console::model::arming::Question;
use crate::console::model::overlay::{Bulk, BulkItem, Overlay};
use crate::console::msg::Out;
use crate::domain::bulk;
use crate::domain::call::Status;
use crate::domain::command::{CallCommand, Command};

/// Opens the list.
pub(super) fn list(model: &mut Model) -> Result<(), String> {
    if model.settings.read_only {
        return Err("this is a recorded run: nothing can be decided in it".to_owned());
    }
    let items = items(model);
    if items.is_empty() {
        return Err("nothing that waits can be approved together".to_owned());
    }
    open(
        model,
        Overlay::Bulk(Bulk {
            stamp: stamp(&items),
            items,
            ..Bulk::default()
        }),
    );
    Ok(())
}

/// Calls that can be approved together.
pub(super) fn items(model: &Model) -> Vec<BulkItem> {
    let run = &model.run;
    let together = bulk::together(&run.state).into_iter();
    together
        .map(|item| {
            let question = Question::Call {
                call: item.call,
                rev: item.rev,
                digest: Some(item.digest.clone()),
                status: Status::Awaiting.word(),
            };
            let unread = match run.shown_args(item.call) {
                Some(args) if !model.arming.was_read(&question) => args.len() as u64,
                _ => 0,
            };
            BulkItem {
                unread,
                call: item.call,
                rev: item.rev,
                digest: item.digest,
            }
        })
        .collect()
}

/// A number that changes when the list does.
pub(super) fn stamp(items: &[BulkItem]) -> u64 {
    let mut hasher = DefaultHasher::new();
    for item in items {
        (item.call, item.rev, &item.digest).hash(&mut hasher);
    }
    hasher.finish()
}

/// Approves what is listed, if the whole list was on screen.
pub(super) fn approve(model: &mut Model, by: By, at: u64, out: &mut Vec<Out>) -> Result<(), String> {
    let Some(Overlay::Bulk(bulk)) = model.overlays.last() else {
        return Ok(());
    };
    let shown = armed(model, &Question::Bulk { stamp: bulk.stamp }, by, at)?;
    if !shown.read.misses(shown.rows).is_empty() {
        return Err("the list goes on below: scroll to its end first".to_owned());
    }
    let items = bulk.items.clone();
    model.overlays.pop();
    for item in &items {
        out.push(Out::Command(Command::Call(CallCommand::Approve {
            call: item.call,
            rev: item.rev,
            digest: item.digest.clone(),
            unread: item.unread,
            word: None,
        })));
    }
    model.say(format!("approved {} calls", items.len()));
    Ok(())
}
