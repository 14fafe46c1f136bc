//! Lists the calls that can be approved together, and approves the list.
//!
//! Must not know: which calls those are.

use crate::kernel::availability::{decision, offered};
use crate::kernel::context::{PANES, on};
use crate::kernel::model::Model;
use crate::kernel::seen::list_read;
use crate::kernel::verb::{Care, Effect, Verb};
use crate::surfaces::bulk::{Bulk, approve};

/// The verb `approve-all`.
pub const APPROVE_ALL: Verb = Verb {
    name: "approve-all",
    keys: &["A"],
    contexts: PANES,
    doc: "list every call that can be approved together, in the order in which they run; a second key approves the list",
    hint: "all",
    effect: Effect::Records,
    decides: true,
    care: Care::Careful,
    available: |model| offered(model.queue.waiting() > 1),
    run: |model, _| approve::list(model),
    ..Verb::BASE
};

/// The verb `approve-list`.
pub const APPROVE_LIST: Verb = Verb {
    name: "approve-list",
    keys: &["ctrl-a"],
    contexts: &[on(super::ID)],
    doc: "approve every listed call",
    hint: "approve all listed",
    effect: Effect::Records,
    decides: true,
    care: Care::Alone,
    available: |model| {
        decision(
            model,
            list(model).is_some_and(|list| list.approvable().next().is_some()),
        )
    },
    seen: |model, moment| match list(model) {
        Some(list) => list_read(model, list.stamp, moment),
        None => Ok(()),
    },
    run: |model, press| approve::approve(model, press.out),
    ..Verb::BASE
};

/// The verb `refresh-list`.
pub const REFRESH_LIST: Verb = Verb {
    name: "refresh-list",
    keys: &["A"],
    contexts: &[on(super::ID)],
    doc: "refresh the list: add new calls, remove those that left; read it again before you approve",
    hint: "refresh list",
    available: |model| offered(list(model).is_some_and(Bulk::is_dated)),
    ..APPROVE_ALL
};

/// The open list.
fn list(model: &Model) -> Option<&Bulk> {
    model.stack.top()
}
