//! The file of settings changes while a run goes on without a screen. Must not know: what a setting does.

use std::fs::File;
use std::process::Stdio;

use overrule::domain::envelope::Actor;
use overrule::domain::event::{Event, ResilienceEvent};
use overrule::resilience::policy::Policy;

use crate::playbooks::command;
use crate::world::{World, until, wait};

/// A run that goes on until the test says so, while its file of settings changes from one text to the next.
fn follows(world: &World, file: &str, mut run: std::process::Command) {
    let told = world.path("told.txt");
    let child = run
        .stdout(Stdio::piped())
        .stderr(File::create(&told).unwrap())
        .spawn()
        .unwrap();
    let tells = |words: &str| {
        until(words, || std::fs::read_to_string(&told).unwrap().contains(words));
    };
    tells("running");
    std::fs::write(file, "[resilience.retry]\nretries = 1\n").unwrap();
    tells("read anew: retry.retries = 1");
    // One that is wrong changes nothing, and is told with its place.
    std::fs::write(file, "[resilience.retry]\nretrys = 7\n").unwrap();
    tells(":2:10: `resilience.retry.retrys`");
    std::fs::write(
        file,
        "[resilience.retry]\nretries = 1\n[resilience.breaker]\nsamples = 9\n",
    )
    .unwrap();
    tells("read anew: breaker.samples = 9");
    world.file("go", "");
    wait(child).ends(0);
    let facts = world.facts(&world.id());
    let set: Vec<(&Actor, bool, u32, u32)> = facts
        .iter()
        .filter_map(|fact| match &fact.event {
            Event::Resilience(ResilienceEvent::PolicySet { policy, live, .. }) => {
                let policy = Policy::parse(policy).unwrap();
                Some((&fact.actor, *live, policy.retry.retries, policy.breaker.samples))
            }
            _ => None,
        })
        .collect();
    let operator = Actor::Operator("tester".into());
    assert_eq!(
        set[set.len() - 2..],
        [(&operator, true, 1, 5), (&operator, true, 1, 9)]
    );
}

fn waits() -> String {
    command("until test -e go; do sleep 0.02; done; echo done")
}

#[test]
fn the_operators_own_file_is_followed() {
    let world = World::new();
    let own = world.path("home/.config/overrule");
    std::fs::create_dir_all(&own).unwrap();
    let file = own.join("config.toml");
    let run = world.playing(&waits(), &["--policy", "auto"]);
    follows(&world, file.to_str().unwrap(), run);
}

#[test]
fn a_file_that_was_named_is_followed_whatever_its_name_is() {
    let world = World::new();
    let file = world.aside("mine.conf", "[resilience.retry]\nretries = 3\n");
    let run = world.playing(&waits(), &["--policy", "auto", "--config", &file]);
    follows(&world, &file, run);
}
