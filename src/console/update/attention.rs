//! What one key does about a run that waits for a person: it leads to the call and opens what the fix needs. What
//! lets something happen is decided there, as always. Must not know: when a person is needed.

use super::input::By;
use super::{decide, drive, edits, jumps, open, prepare, prompts, stage};
use crate::console::commands::{EditVerb, Fix, Jump, RunVerb};
use crate::console::model::Model;
use crate::console::model::overlay::{LinePurpose, Overlay, Page, PageContent};
use crate::console::msg::Out;
use crate::console::tabs::fits;
use crate::domain::id::NodeId;
use crate::resilience::attention::{Attention, AttentionReason, Branch, leave, standstill};

/// What the model is told of what was stopped, unless the operator writes something else.
const STOPPED: &str = "the operator stopped this branch: go on without it";

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
        return model.complain("this is a recorded run: nothing can be changed in it");
    }
    let Some(need) = standstill(&model.run.state) else {
        return model.complain("the run needs nobody now");
    };
    if !fits(fix, &need.cause) {
        return model.complain("that helps nothing here: the page lists what does");
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

/// To what waits, or to what changes it.
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

/// To the call that a fix is about: in the queue where it waits, else in the graph.
fn to_call(model: &mut Model, need: &Attention) -> Result<NodeId, String> {
    let counts = |id: &&NodeId| model.run.state.nodes.get(id).is_some_and(|node| node.active);
    let call = need.calls.iter().find(counts).or(need.calls.first());
    let call = *call.ok_or("there is no call that this could be about")?;
    if !decide::go_to_queue(model, call) {
        jumps::go(model, call)?;
    }
    // What verbs are about is what is selected now.
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
    // A call that has its result is answered for by another result.
    let verb = if verb == EditVerb::Answer && ran {
        EditVerb::Observation
    } else {
        verb
    };
    edits::edit(model, verb, By::Key, at, out);
    Ok(())
}

/// Stops what the need belongs to. What that is, is said first; another key lets it happen.
fn stop(model: &mut Model, need: &Attention, at: u64, out: &mut Vec<Out>) -> Result<(), String> {
    let branch = Branch::of(&model.run.state, need);
    let asks = format!("{}, the rest goes on; the model is told", branch.describe());
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
            let words = leave(&model.run.state, incident).ok_or("the incident is gone")?;
            edits::guide_with(model, &words);
        }
        Branch::Run => drive::drive(model, RunVerb::Emergency, By::Key, at, out),
    }
    Ok(())
}
