//! Fixes for a run that needs attention: each goes to the call and opens what it needs.
//!
//! Must not know: when a run needs attention.
//!
//! A fix decides nothing by itself: the operator decides there with the usual keys.

use super::input::By;
use super::{decide, drive, edits, jumps, open, prepare, prompts, stage};
use crate::console::commands::{EditVerb, Fix, Jump, RunVerb};
use crate::console::model::Model;
use crate::console::model::overlay::{LinePurpose, Overlay, Page, PageContent};
use crate::console::msg::Out;
use crate::console::tabs::fits;
use crate::domain::id::NodeId;
use crate::resilience::attention::{Attention, AttentionReason, Branch, leave, standstill};

/// The reason that the model sees for a stopped branch, unless the operator types another one.
const STOPPED: &str = "the operator stopped this branch: continue without it";

/// Shows why the run waits.
pub(super) fn show(model: &mut Model) {
    let title = if model.run.halted.is_some() {
        "why the run is halted"
    } else {
        "why the run waits"
    };
    open(model, Overlay::Page(Page::new(title, PageContent::Attention)));
}

/// Carries out a fix.
pub(super) fn fix(model: &mut Model, fix: Fix, at: u64, out: &mut Vec<Out>) {
    if model.settings.is_recorded() {
        return model.complain("Cannot change this run: it is recorded");
    }
    let Some(need) = standstill(&model.run.state) else {
        return model.complain("The run does not need you now");
    };
    if !fits(fix, &need.cause) {
        return model.complain("That does not help here. The page lists what does");
    }
    model.overlays.pop();
    let done = match fix {
        Fix::Go => go(model, &need, at, out),
        Fix::Arguments => about(model, &need, EditVerb::Node, at, out),
        Fix::Tool => about(model, &need, EditVerb::Replace, at, out),
        Fix::Answer => about(model, &need, EditVerb::Answer, at, out),
        Fix::Guide => {
            edits::edit(model, EditVerb::Guide, By::Key, at, out);
            Ok(())
        }
        Fix::Allow => {
            drive::drive(model, RunVerb::AllowLoop, By::Key, at, out);
            Ok(())
        }
        Fix::Resume => {
            drive::drive(model, RunVerb::Pause, By::Key, at, out);
            Ok(())
        }
        Fix::Stop => stop(model, &need, at, out),
    };
    if let Err(why) = done {
        model.complain(why);
    }
}

/// Goes to the waiting call, or opens the setting that blocks the run.
fn go(model: &mut Model, need: &Attention, at: u64, out: &mut Vec<Out>) -> Result<(), String> {
    match need.cause {
        AttentionReason::Limit => drive::drive(model, RunVerb::Limits, By::Key, at, out),
        AttentionReason::Breaker => drive::drive(model, RunVerb::ResetBreaker, By::Key, at, out),
        AttentionReason::Stream(_) => jumps::jump(model, Jump::Pending),
        AttentionReason::Edit if !model.staged_edits.is_empty() => stage::list(model)?,
        AttentionReason::Calls
        | AttentionReason::Repair
        | AttentionReason::Loop(_)
        | AttentionReason::Stopped
        | AttentionReason::Edit
        | AttentionReason::Own => {
            to_call(model, need)?;
        }
    }
    Ok(())
}

/// Goes to the call of a fix: in the queue if it waits, else in the graph.
fn to_call(model: &mut Model, need: &Attention) -> Result<NodeId, String> {
    let counts = |id: &&NodeId| model.run.state.nodes.get(id).is_some_and(|node| node.active);
    let call = need.calls.iter().find(counts).or(need.calls.first());
    let call = *call.ok_or("No call for this")?;
    if !decide::go_to_queue(model, call) {
        jumps::go(model, call)?;
    }
    // Verbs apply to the current selection.
    prepare(model);
    Ok(call)
}

fn about(
    model: &mut Model,
    need: &Attention,
    verb: EditVerb,
    at: u64,
    out: &mut Vec<Out>,
) -> Result<(), String> {
    let call = to_call(model, need)?;
    let ran = model.run.state.observation(call).is_some_and(|node| node.active);
    // For a call with a result, the answer is an edit of that result.
    let verb = if verb == EditVerb::Answer && ran {
        EditVerb::Observation
    } else {
        verb
    };
    edits::edit(model, verb, By::Key, at, out);
    Ok(())
}

/// Stops the branch that needs attention. Says first what that is; another key confirms.
fn stop(model: &mut Model, need: &Attention, at: u64, out: &mut Vec<Out>) -> Result<(), String> {
    let branch = Branch::of(&model.run.state, need);
    let asks = format!("{}, the rest continues; the model sees", branch.describe());
    match branch {
        Branch::Call { call, rev, .. } => {
            to_call(model, need)?;
            prompts::line(model, LinePurpose::Reject { call, rev }, &asks, STOPPED);
        }
        Branch::Agent(call) => {
            jumps::go(model, call)?;
            prompts::line(model, LinePurpose::EndAgent { call }, &asks, STOPPED);
        }
        Branch::Loop(incident) => {
            let words = leave(&model.run.state, incident).ok_or("The incident is gone")?;
            edits::guide_with(model, &words);
        }
        Branch::Run => drive::drive(model, RunVerb::Emergency, By::Key, at, out),
    }
    Ok(())
}
