//! An exercise without a terminal: the policy alone is judged, nothing is written; and what cannot be one. Must not
//! know: how a bad call is made.

use crate::decisions::refused;
use crate::playbooks::{HELLO, STEPS};
use crate::world::World;

fn recorded() -> World {
    let world = World::new();
    world.play(STEPS, &["--policy", "auto"]).ends(0);
    world
}

#[test]
fn without_a_terminal_the_policy_is_judged_and_nothing_is_touched() {
    let world = recorded();
    let before = world.everything();
    let args = ["drill", "last", "--bad", "6", "--seed", "3"];
    let said = world.run(&args).ends(0);
    assert!(said.err.contains("nothing runs"), "{}", said.err);
    assert!(said.err.contains("--seed 3 --bad 6"), "{}", said.err);
    assert!(
        said.out.contains("of 6 bad calls the policy alone denies"),
        "{}",
        said.out
    );
    assert!(said.out.contains("of 4 good calls it denies"), "{}", said.out);
    assert_eq!(world.run(&args).ends(0).out, said.out, "the same exercise");
    let other = world.run(&["drill", "last", "--bad", "6", "--seed", "4"]).ends(0);
    assert_ne!(other.out, said.out, "another seed");
    assert_eq!(world.everything(), before);
}

#[test]
fn the_word_of_the_policy_is_that_of_a_run() {
    let world = recorded();
    let judged = |policy: &str| -> serde_json::Value {
        let args = [
            "drill", "last", "--json", "--bad", "6", "--seed", "3", "--policy", policy,
        ];
        serde_json::from_str(&world.run(&args).ends(0).out).unwrap()
    };
    let supervised = judged("supervised");
    assert_eq!(supervised["type"], "policy");
    assert_eq!(supervised["bad"]["allow"], 0);
    assert_eq!(supervised["calls"].as_array().unwrap().len(), 6);
    let deny = world.aside("deny.toml", "[[rule]]\ntool = \"shell\"\ngate = \"deny\"\n");
    let denied = judged(&deny);
    let shells = denied["calls"].as_array().unwrap().iter();
    let shells: Vec<_> = shells.filter(|call| call["tool"] == "shell").collect();
    assert!(!shells.is_empty(), "{denied}");
    assert!(shells.iter().all(|call| call["gate"] == "deny"), "{denied}");
}

#[test]
fn what_cannot_be_an_exercise_is_refused_and_changes_nothing() {
    let world = World::new();
    world.play(HELLO, &[]).ends(0);
    refused(&world, &["drill"], 7).tells("holds no call");
    refused(&world, &["drill", "nowhere"], 7);
    let world = recorded();
    for share in ["0", "51"] {
        refused(&world, &["drill", "--share", share], 2).tells("write 1 to 50");
    }
    refused(&world, &["drill", "--bad", "0"], 2).tells("write 1 to 200");
    refused(&world, &["drill", "--bad", "200", "--seed", "1"], 2).tells("at most");
    refused(&world, &["drill", "--model", "other"], 2).tells("leave out --model");
    let place = world.place(&world.id());
    let held = overrule::journal::Writer::open(&place).unwrap();
    refused(&world, &["drill"], 7).tells("is open in another process");
    drop(held);
}
