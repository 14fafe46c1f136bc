//! The steps of a call, and its rounds of repair: faults, questions, changes and choices.
//!
//! Must not know: keys, how a repair is found.

use super::Maker;
use crate::console::doc::Styled;
use crate::console::theme::Role;
use crate::domain::call::{Call, Status};
use crate::domain::ladder::{Round, Stage};
use crate::domain::repair::{Change, Phase, Reply};
use crate::domain::repair_trace::{self, Step};
use crate::resilience::policy::Policy;

/// The most characters of a value.
const MOST: usize = 400;

/// Adds the steps of a call so far, a line for each revision, and the number of its attempt.
pub(super) fn steps(maker: &mut Maker<'_>, call: &Call) {
    let state = &maker.run.state;
    let way = repair_trace::of(state, call.id);
    let tool = state.node(call.id).and_then(|node| node.as_call());
    let most = Policy::executions_in(state, tool.map_or("", |(tool, _)| tool));
    let now = way.left.map_or(way.now().label(), |left| left.label());
    let attempt = match way.attempt {
        0 => format!("no attempt yet, {most} at most"),
        no => format!("attempt {no} of {most}"),
    };
    maker.own(Role::Title, format!("{} · {attempt} · {now}", call.id));
    for lap in way.steps.chunk_by(|one, next| one.rev == next.rev) {
        let Some(rev) = lap.first().map(|step| step.rev) else {
            continue;
        };
        let words: Vec<String> = lap.iter().map(step_label).collect();
        maker.fact(&rev.to_string(), Role::Text, words.join(" → "));
    }
}

fn step_label(step: &Step) -> String {
    match (step.phase, step.executions) {
        (Phase::ExecuteTool, 0) => "executing (stopped before it ran)".to_owned(),
        (Phase::ExecuteTool, 2..) => format!("executing ({} times)", step.executions),
        (phase, _) => phase.label().to_owned(),
    }
}

/// Adds all rounds, oldest first; nothing for a call that was never repaired.
pub(super) fn rounds(maker: &mut Maker<'_>, call: &Call) {
    if let (false, Some(last)) = (call.failure.repairs.is_empty(), call.failure.repairs.last()) {
        let step = repair_trace::phase(&maker.run.state, call.id).label();
        maker.own(Role::Title, format!("repair {} of {} · {step}", last.no, last.of));
    }
    for round in &call.failure.repairs {
        one(maker, call, round);
    }
    if let Some(why) = call
        .failure
        .given_up
        .as_deref()
        .filter(|_| !call.failure.repairs.is_empty())
    {
        maker.field("gave up", why);
    }
}

fn one(maker: &mut Maker<'_>, call: &Call, round: &Round) {
    maker.own(Role::Dim, format!("round {} on {}", round.no, round.rev));
    for found in &round.diagnoses {
        let params: Vec<&str> = found.params.iter().map(|one| &**one).collect();
        let tried: Vec<&str> = found.strategies.iter().map(|one| one.name()).collect();
        maker.field(
            found.kind.label(),
            &format!("{} ({}): {}", params.join(" "), found.grounds(), tried.join(", ")),
        );
    }
    if let Some(question) = &round.asked {
        maker.field("asked", &question.prompt);
    }
    for (at, why) in round.broke.iter().enumerate() {
        maker.field("broke", &format!("{why}; asked again ({})", at + 1));
    }
    match &round.reply {
        Some(Reply::Answered { text }) => maker.field("model said", text),
        Some(Reply::Failed { why }) => maker.field("no answer", why),
        None => {}
    }
    for change in &round.changes {
        changed(maker, change);
    }
    if let Some(helped) = round.helped {
        let words = if helped {
            "the call succeeded"
        } else {
            "the call failed again"
        };
        maker.field("outcome", words);
    }
    let newest = call
        .failure
        .repairs
        .last()
        .is_some_and(|last| last.no == round.no);
    if newest && call.status == Status::Repairing(Stage::Choosing) {
        for (at, fix) in round.options.iter().enumerate() {
            let line = Styled::new()
                .own(Role::Title, format!("  {}) ", at + 1))
                .untrusted(Role::Text, &fix.label, MOST);
            maker.over(line, 5);
            for change in &fix.changes {
                changed(maker, change);
            }
        }
        if round.options.is_empty() {
            maker.field(
                "you decide",
                "edit the arguments, choose another tool, write the result, or let the call fail and tell the model",
            );
        }
    }
}

fn changed(maker: &mut Maker<'_>, change: &Change) {
    let name = |text: &Option<std::sync::Arc<str>>| text.as_deref().unwrap_or("nothing").to_owned();
    let mut line = Styled::new()
        .own(Role::Dim, "    ")
        .untrusted(Role::JsonKey, &change.path, 80)
        .own(Role::Dim, "  ")
        .untrusted(Role::Text, &name(&change.from), MOST)
        .own(Role::Dim, " becomes ")
        .untrusted(Role::Text, &name(&change.to), MOST)
        .own(Role::Dim, format!("  {}: ", change.strategy.name()))
        .untrusted(Role::Dim, &change.why, MOST);
    if !change.certainty.label().is_empty() {
        line = line.own(Role::Warning, format!("  ({})", change.certainty.label()));
    }
    maker.over(line, 6);
}
