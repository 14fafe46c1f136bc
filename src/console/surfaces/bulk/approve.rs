//! Approves several calls together: opens a list, which a second key approves.
//!
//! Must not know: keys, which calls can be approved together.
//!
//! The list stays as opened. New calls are counted, and only a key adds them.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::kernel::log::Line;
use crate::kernel::model::Model;
use crate::kernel::model::arming::Arming;
use crate::kernel::msg::Out;
use crate::kernel::queue::QueueEntry;
use crate::run::batch::Batch;
use crate::run::bulk_exclusion;
use crate::run::part::RunPart;
use crate::run::question::Question;
use crate::run::refusal::Refusal;
use crate::surfaces::bulk::{Bulk, BulkItem, DropReason};
use overrule_domain::bulk;
use overrule_domain::call::Status;
use overrule_domain::command::{CallCommand, Command};
use overrule_domain::id::NodeId;
use overrule_domain::state::State;
use overrule_present::many;

/// Opens the list, or adds calls that arrived since to the open one.
pub(crate) fn list(model: &mut Model) -> Result<(), Refusal> {
    if let Some(bulk) = model.stack.top::<Bulk>()
        && !bulk.is_dated()
    {
        return Err(Refusal::new("The list is up to date: no new calls"));
    }
    let items = items(model);
    let left = bulk::left_out(&model.run.state);
    if items.is_empty() {
        model.arming.no_list = true;
        let nothing = "No waiting calls can be approved together";
        return Err(Refusal::new(match bulk_exclusion::describe(&left) {
            left if left.is_empty() => nothing.to_owned(),
            left => format!("{nothing}: {left}"),
        }));
    }
    model.stack.pop_if(|_: &Bulk| true);
    let bulk = Bulk {
        stamp: stamp(&items),
        items,
        excluded: left,
        ..Bulk::default()
    };
    model.stack.push(bulk);
    Ok(())
}

/// Calls that can be approved together.
pub(crate) fn items(model: &Model) -> Vec<BulkItem> {
    let run = &model.run;
    let together = bulk::together(&run.state).into_iter();
    together
        .map(|item| BulkItem {
            unread: not_read(run, &model.arming, &item),
            call: item.call,
            rev: item.rev,
            digest: item.digest,
            left: None,
            rows: Vec::new(),
        })
        .collect()
}

/// Bytes of a waiting call's arguments if the operator has not read them, else 0.
pub(crate) fn not_read(run: &RunPart, arming: &Arming, item: &bulk::Item) -> u64 {
    let question = Question::Call {
        call: item.call,
        rev: item.rev,
        digest: Some(item.digest.clone()),
        status: Status::AwaitingApproval.base_label(),
    };
    match run.shown_args(item.call) {
        Some(args) if !arming.was_read(&question) => args.len() as u64,
        _ => 0,
    }
}

/// Marks calls that left the open list and counts new ones. A call that left does not return by
/// itself.
pub(crate) fn compare(bulk: &mut Bulk, state: &State, now: &[BulkItem]) {
    let waits: BTreeMap<NodeId, &BulkItem> = now.iter().map(|one| (one.call, one)).collect();
    for item in &mut bulk.items {
        if item.left.is_none() && !waits.get(&item.call).is_some_and(|one| is_same(one, item)) {
            let waits = state
                .call(item.call)
                .is_some_and(|call| call.status == Status::AwaitingApproval);
            let rev = state.node(item.call).map(overrule_domain::node::Node::rev);
            let digest = state.call(item.call).and_then(|call| call.digest.as_ref());
            let as_listed = rev == Some(item.rev) && digest == Some(&item.digest);
            item.left = Some(if waits && !as_listed {
                DropReason::Changed
            } else {
                DropReason::Gone
            });
        }
    }
    let listed: BTreeMap<NodeId, &BulkItem> = bulk.approvable().map(|item| (item.call, item)).collect();
    let is_listed = |one: &BulkItem| listed.get(&one.call).is_some_and(|item| is_same(one, item));
    bulk.more = now.iter().filter(|one| !is_listed(one)).count();
}

/// True for the same bytes of the same call.
fn is_same(one: &BulkItem, other: &BulkItem) -> bool {
    (one.call, one.rev, &one.digest) == (other.call, other.rev, &other.digest)
}

/// Hash of the calls in a list.
fn stamp(items: &[BulkItem]) -> u64 {
    let mut hasher = DefaultHasher::new();
    for item in items {
        (item.call, item.rev, &item.digest).hash(&mut hasher);
    }
    hasher.finish()
}

/// Approves the listed calls that wait unchanged.
pub(crate) fn approve(model: &mut Model, out: &mut Vec<Out>) -> Result<(), Refusal> {
    let Some(bulk) = model.stack.top::<Bulk>() else {
        return Ok(());
    };
    let gone = bulk.items.iter().filter(|item| item.left.is_some());
    let gone: Vec<NodeId> = gone.map(|item| item.call).collect();
    let items: Vec<BulkItem> = bulk.approvable().cloned().collect();
    if items.is_empty() {
        return Err(Refusal::new(
            "Nothing approved: no listed call still waits unchanged",
        ));
    }
    model.stack.pop();
    let commands: Vec<Command> = items
        .iter()
        .map(|item| {
            Command::Call(CallCommand::Approve {
                call: item.call,
                rev: item.rev,
                digest: item.digest.clone(),
                unread: item.unread,
                shown: None,
                word: None,
            })
        })
        .collect();
    // The outcome is shown once each approval is recorded or refused.
    let sent = format!("Sent {}", many(items.len(), "approval"));
    model.set_status(match gone.len() {
        0 => sent,
        left => format!("{sent}; {left} of the list changed or no longer waited"),
    });
    out.extend(commands.iter().cloned().map(Out::Command));
    model.run.batches.push(Batch::new(commands, gone));
    Ok(())
}

/// Notes the outcome of an approval from a list, with the reason if it was refused. The last one
/// shows one message about all. False if the approval was sent alone.
pub(crate) fn answered(model: &mut Model, command: &Command, why: Option<&str>) -> bool {
    let batches = &mut model.run.batches;
    let Some(at) = batches.iter_mut().position(|batch| batch.answer(command, why)) else {
        return false;
    };
    let Some(batch) = batches.get(at).filter(|batch| batch.is_answered()) else {
        return true;
    };
    let waits = still_waiting(&model.run.state, batch);
    let is_listed = |entry: &QueueEntry| matches!(entry, QueueEntry::Call { call, .. } if batch.listed().any(|one| one == *call));
    if model.queue.selected.as_ref().is_some_and(is_listed) {
        // Once it is gone, the cursor moves to an entry that still waits, or to the next one that comes.
        model.queue.leaving = model.queue.selected;
    }
    if let Some(sum) = batch.sum(&waits) {
        batches.remove(at);
        if sum.bad {
            model.log.add(Line::Problem(sum.whole));
            model.complain(sum.short);
        } else {
            model.log.add(Line::Note(sum.whole));
            model.set_status(sum.short);
        }
    }
    true
}

/// Calls outside the approved list that still wait, with the reason, as text.
fn still_waiting(state: &State, batch: &Batch) -> String {
    let listed: BTreeSet<NodeId> = batch.listed().collect();
    let mut left = bulk::left_out(state);
    for calls in left.values_mut() {
        calls.retain(|call| !listed.contains(call));
    }
    left.retain(|_, calls| !calls.is_empty());
    let source = bulk::together(state).into_iter().map(|item| item.call);
    let source: Vec<NodeId> = source.filter(|call| !listed.contains(call)).collect();
    let words = [
        bulk_exclusion::describe_arrivals(&source),
        bulk_exclusion::describe(&left),
    ];
    let words: Vec<String> = words.into_iter().filter(|words| !words.is_empty()).collect();
    words.join(", ")
}
