//! Tests of the demos that go on elsewhere: with a spare tool, and in another process.
//!
//! Must not know: how a repair is found.

use overrule::domain::call::Status;
use overrule::domain::escape::{LoopStep, StepOutcome};
use overrule::domain::node::Origin;

use super::play;
use crate::cli::control::holder::Holder;
use crate::cli::world::{World, until};

#[test]
fn a_spare_makes_the_call_that_a_model_insists_on_and_everybody_is_told() {
    let (answer, state) = play("spare");
    assert_eq!(
        answer.trim(),
        "Page 5 says “agent”. It came from another mirror than the one that I asked."
    );
    let steps: Vec<(LoopStep, Option<StepOutcome>, &str)> = state
        .learned
        .escape
        .incidents
        .iter()
        .flat_map(|incident| &incident.steps)
        .map(|step| (step.kind, step.outcome, &*step.why))
        .collect();
    let [
        (LoopStep::Guidance, Some(StepOutcome::Ignored), _),
        (LoopStep::Refuse, Some(StepOutcome::Ignored), _),
        (LoopStep::Substitute, Some(StepOutcome::Helped), why),
    ] = steps[..]
    else {
        panic!("{steps:?}");
    };
    assert!(
        why.starts_with("mirror_b for mirror_a (weight 0.50, rather than mirror_c 0.50)"),
        "{why}"
    );
    // The call says who changed it.
    let call = state.calls.values().last().unwrap();
    let revisions = &state.nodes[&call.id].revisions;
    assert_eq!(revisions.len(), 2);
    assert!(
        matches!(revisions[1].origin, Origin::Engine { .. }),
        "{revisions:?}"
    );
}

#[test]
fn a_spare_is_approved_by_whom_the_call_was_approved() {
    let world = World::new();
    let begin = [
        "demo",
        "spare",
        "--headless",
        "--control",
        "--policy",
        "supervised",
    ];
    let holder = Holder::start(&world, world.command(&begin));
    for time in 1..=2 {
        until("another one waits", || {
            holder.state().calls.len() == time
                && matches!(
                    holder.state().calls.values().last().unwrap().status,
                    Status::AwaitingApproval
                )
        });
        holder.approve("page");
    }
    until("the spare waits", || {
        let state = holder.state();
        let call = state.calls.values().last().unwrap();
        call.status == Status::AwaitingApproval
            && state.nodes[&call.id]
                .as_call()
                .is_some_and(|(tool, _)| &**tool == "mirror_b")
    });
    assert!(
        holder
            .state()
            .ledger
            .values()
            .all(|entry| &*entry.tool == "mirror_a")
    );
    holder.approve("page");
    holder.end().ends(0);
    let state = world.state(&world.id());
    assert_eq!(
        state
            .ledger
            .values()
            .filter(|entry| &*entry.tool == "mirror_b")
            .count(),
        1
    );
}

#[test]
fn the_spares_of_a_run_are_known_where_it_goes_on_in_another_process() {
    let world = World::new();
    let begin = [
        "demo",
        "spare",
        "--headless",
        "--control",
        "--policy",
        "supervised",
    ];
    let holder = Holder::start(&world, world.command(&begin));
    holder.waiting("page");
    let id = holder.kill();
    world
        .run(&["resume", &id, "--headless", "--policy", "auto"])
        .ends(0)
        .tells("mirror_b for mirror_a");
}

#[test]
fn a_run_with_sample_tools_goes_on_in_another_process() {
    let world = World::new();
    // The limit leaves it halfway.
    world.run(&[
        "demo",
        "sealed",
        "--policy",
        "auto",
        "--headless",
        "--max-turns",
        "2",
    ]);
    let id = world.id();
    assert!(
        world
            .state(&id)
            .started
            .as_ref()
            .unwrap()
            .tools
            .iter()
            .any(|card| &*card.name == "read_record")
    );
    let guided = ["guide", &id, "Try the minutes.", "--resume", "--max-turns", "20"];
    let output = world.run(&guided).ends(0);
    assert!(output.out.contains("Its total is 640"), "{}", output.out);
}
