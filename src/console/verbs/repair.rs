//! Chooses a repair of the selected call, or stops repairing it.
//!
//! Must not know: how a repair is found.

use crate::kernel::availability::{decision, unless_refused};
use crate::kernel::context::PANES;
use crate::kernel::decide::{send, subject};
use crate::kernel::executions::selected_call;
use crate::kernel::model::Model;
use crate::kernel::msg::Out;
use crate::kernel::prompt::{Prompt, Style};
use crate::kernel::prompts;
use crate::kernel::seen::call_seen;
use crate::kernel::selection::{call, call_and_rev, is_call, is_shown};
use crate::kernel::verb::{About, Care, Effect, Rank, Verb};
use crate::run::refusal::Refusal;
use overrule_base::text::visible;
use overrule_domain::call::{Call, Status};
use overrule_domain::command::{Command, ResilienceCommand};
use overrule_domain::id::{NodeId, Rev};
use overrule_domain::state::State;

/// The verb `choose-repair`.
pub const CHOOSE_REPAIR: Verb = Verb {
    name: "choose-repair",
    keys: &["F"],
    contexts: PANES,
    doc: "choose one of the repairs offered for the call",
    hint: "choose a repair",
    rank: |_| Rank::Leads,
    about: About::Node,
    effect: Effect::Records,
    decides: true,
    care: Care::Alone,
    available: |model| decision(model, is_shown(model) && is_offered_here(model)),
    seen: call_seen,
    command: |model| {
        let (call, rev) = call_and_rev(model)?;
        let option = 0;
        Some(Command::Resilience(ResilienceCommand::ChooseRepair {
            call,
            rev,
            option,
        }))
    },
    run: |model, _| choose(model),
    ..Verb::BASE
};

/// The verb `skip-repair`.
pub const SKIP_REPAIR: Verb = Verb {
    name: "skip-repair",
    keys: &["K"],
    contexts: PANES,
    doc: "stop repairing; let the call fail",
    hint: "no repair",
    about: About::Node,
    effect: Effect::Records,
    decides: true,
    care: Care::Alone,
    available: |model| {
        unless_refused(repairing(model), || {
            let is = is_call(model, |status| matches!(status, Status::Repairing(_)));
            decision(model, is)
        })
    },
    seen: call_seen,
    command: |model| call_and_rev(model).map(skipping),
    run: |model, press| skip(model, press.out),
    ..Verb::BASE
};

/// True if a repair is offered for the call.
pub(crate) fn is_offered(state: &State, call: NodeId) -> bool {
    let offered = state.call(call).and_then(Call::offered);
    offered.is_some_and(|offered| !offered.is_empty())
}

/// True if a repair is offered for the selected call.
fn is_offered_here(model: &Model) -> bool {
    subject(model).is_some_and(|id| is_offered(&model.run.state, id.call()))
}

/// Opens a line for the number of one of the offered repairs.
fn choose(model: &mut Model) -> Result<(), Refusal> {
    let (call, rev) = selected_call(model)?;
    let life = model.run.state.call(call);
    let offered = life.and_then(Call::offered).unwrap_or_default();
    if offered.is_empty() {
        return Err(Refusal::new(format!("{call}: no repair is offered")));
    }
    let options: Vec<String> = offered
        .iter()
        .enumerate()
        .map(|(at, fix)| format!("{}) {}", at + 1, visible(&fix.label)))
        .collect();
    // A single repair is filled in, but the operator must accept it.
    let text = if options.len() == 1 { "1" } else { "" };
    let title = format!("repair of {call}, by number: {}", options.join("  "));
    let act = ("repair", Style::SETTING);
    let prompt = Prompt::new(act, title, text, move |model, text, out| {
        let number = text.trim_end_matches(')').parse::<usize>().ok();
        let option = number.and_then(|number| number.checked_sub(1));
        let option = option.ok_or("Type the number of a repair, from 1")?;
        let choice = ResilienceCommand::ChooseRepair { call, rev, option };
        send(model, Command::Resilience(choice), Some(call), out);
        model.queue.leaving = model.queue.selected;
        Ok(())
    });
    prompts::ask(model, prompt);
    Ok(())
}

/// Checks that the selected call is in repair.
fn repairing(model: &Model) -> Result<(), Refusal> {
    let call = call(model).ok_or_else(|| Refusal::not_selected("call"))?;
    if model.run.state.agenda.repairing.contains(&call) {
        Ok(())
    } else {
        Err(Refusal::new(format!("{call} is not being repaired")))
    }
}

const fn skipping((call, rev): (NodeId, Rev)) -> Command {
    Command::Resilience(ResilienceCommand::SkipRepair { call, rev })
}

/// Stops repairing and lets the call fail.
fn skip(model: &mut Model, out: &mut Vec<Out>) -> Result<(), Refusal> {
    let (call, rev) = selected_call(model)?;
    send(model, skipping((call, rev)), Some(call), out);
    model.set_status(format!("Sent: stop repairing {call}"));
    Ok(())
}
