//! The steps of a call, and its rounds of repair: faults, questions, changes and choices.
//!
//! Must not know: keys, how a repair is found.

use crate::ground::doc::Styled;
use crate::ground::theme::Role;
use crate::run::maker::Maker;
use overrule_domain::call::{Call, Status};
use overrule_domain::ladder::Stage;
use overrule_domain::repair::Change;
use overrule_domain::repair_trace::{self, ExitReason};
use overrule_present::graph::{JourneyView, PhaseView, RoundView};

/// The most characters of a value.
const MOST: usize = 400;

/// Adds the steps of a call so far, a line for each revision, and the number of its attempt.
pub(crate) fn steps(maker: &mut Maker<'_>, call: &Call) {
    let Some(node) = maker.run.state.node(call.id) else {
        return;
    };
    let view = JourneyView::of(&maker.run.state, node);
    let now = view.left.map_or(view.state.label(), ExitReason::label);
    let attempt = match view.attempt {
        0 => format!("no attempt yet, {} at most", view.of),
        no => format!("attempt {no} of {}", view.of),
    };
    maker.own(Role::Title, format!("{} · {attempt} · {now}", call.id));
    for lap in view.steps.chunk_by(|one, next| one.revision == next.revision) {
        let Some(rev) = lap.first().map(|step| step.revision) else {
            continue;
        };
        let words: Vec<String> = lap.iter().map(step_label).collect();
        maker.fact(&rev.to_string(), Role::Text, words.join(" → "));
    }
}

fn step_label(step: &PhaseView) -> String {
    match step.executions {
        Some(0) => "executing (stopped before it ran)".to_owned(),
        Some(count @ 2..) => format!("executing ({count} times)"),
        _ => step.state.label().to_owned(),
    }
}

/// Adds all rounds, oldest first; nothing for a call that was never repaired.
pub(crate) fn rounds(maker: &mut Maker<'_>, call: &Call) {
    let rounds: Vec<RoundView<'_>> = call.failure.repairs.iter().map(RoundView::of).collect();
    let Some(last) = rounds.last() else { return };
    let step = repair_trace::phase(&maker.run.state, call.id).label();
    maker.own(
        Role::Title,
        format!("repair {} of {} · {step}", last.round, last.of),
    );
    for view in &rounds {
        let is_open = view.round == last.round && call.status == Status::Repairing(Stage::Choosing);
        one(maker, view, is_open);
    }
    if let Some(why) = call.failure.given_up.as_deref() {
        maker.field("gave up", why);
    }
}

/// Adds a round. If it is open, the operator chooses one of its repairs.
fn one(maker: &mut Maker<'_>, round: &RoundView<'_>, is_open: bool) {
    maker.own(Role::Dim, format!("round {} on {}", round.round, round.revision));
    for found in round.found {
        let params: Vec<&str> = found.params.iter().map(|one| &**one).collect();
        let tried: Vec<&str> = found.strategies.iter().map(|one| one.name()).collect();
        maker.field(
            found.kind.label(),
            &format!("{} ({}): {}", params.join(" "), found.grounds(), tried.join(", ")),
        );
    }
    if let Some(prompt) = round.asked {
        maker.field("asked", prompt);
    }
    for (at, why) in round.broke.iter().enumerate() {
        maker.field("broke", &format!("{why}; asked again ({})", at + 1));
    }
    if let Some(text) = round.answer {
        maker.field("model said", text);
    }
    if let Some(why) = round.no_answer {
        maker.field("no answer", why);
    }
    for change in round.changes {
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
    if is_open {
        for (at, fix) in round.offered.iter().enumerate() {
            let line = Styled::new()
                .own(Role::Title, format!("  {}) ", at + 1))
                .untrusted(Role::Text, &fix.label, MOST);
            maker.over(line, 5);
            for change in &fix.changes {
                changed(maker, change);
            }
        }
        if round.offered.is_empty() {
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
