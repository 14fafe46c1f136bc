//! Tests of the cost of a run: shown where a price is known, limited where a limit is set.
//!
//! Must not know: how tokens are counted.

use crate::cli::playbooks::{ENDLESS, STEPS};
use crate::cli::world::World;

/// A very high price of the playbook's tokens.
const DEAR: &str = "[price.model.playbook]\ninput = 1000\noutput = 1000\ncurrency = \"XTS\"\n";

fn settings(world: &World, text: &str) {
    let dir = world.path("home/.config/overrule");
    std::fs::create_dir_all(&dir).unwrap();
    std::fs::write(dir.join("config.toml"), text).unwrap();
}

#[test]
fn a_run_says_what_it_cost_and_a_preview_what_an_edit_would() {
    let world = World::new();
    settings(&world, DEAR);
    let output = world.play(STEPS, &["--policy", "auto"]).ends(0).tells(" XTS");
    let id = world.id();
    let state = world.state(&id);
    let spent = state.tally.spent.describe().unwrap();
    assert!(
        !spent.starts_with("at least") && spent.ends_with("XTS"),
        "{spent}"
    );
    assert!(output.err.contains(&spent));
    let shown = world.run(&["sessions", "show", &id]).ends(0);
    assert!(
        shown.out.contains(&format!("price      {spent}")),
        "{}",
        shown.out
    );
    assert!(shown.out.contains("tokens     "), "{}", shown.out);

    let prompt = state.nodes.keys().next().unwrap().to_string();
    let output = world
        .run(&["edit", &id, &prompt, "--text", "else", "--preview"])
        .ends(0);
    let asked = output
        .out
        .lines()
        .find(|line| line.starts_with("model asked again"));
    let asked = asked.unwrap();
    assert!(
        asked.contains(" tokens, at least about ") && asked.ends_with(" XTS"),
        "{asked}"
    );
}

#[test]
fn where_no_price_is_known_nothing_is_said_of_money() {
    let world = World::new();
    // A price of all models is none of a playbook.
    settings(
        &world,
        "[price]\ninput = 1000\noutput = 1000\ncurrency = \"XTS\"\n",
    );
    let output = world.play(STEPS, &["--policy", "auto"]).ends(0).tells("tokens: ");
    assert!(!output.err.contains("XTS"), "{}", output.err);
    let id = world.id();
    let shown = world.run(&["sessions", "show", &id]).ends(0);
    assert!(
        !shown.out.contains("price") && !shown.out.contains("XTS"),
        "{}",
        shown.out
    );
}

#[test]
fn a_limit_of_price_ends_a_run_that_nobody_watches_and_can_be_raised() {
    let world = World::new();
    settings(&world, &format!("{DEAR}[limits]\nprice = 0.000001\n"));
    let output = world.play(ENDLESS, &[]).ends(5);
    assert!(output.err.contains("limit reached"), "{}", output.err);
    assert!(output.err.contains("--max-price AMOUNT"), "{}", output.err);
    assert!(!output.err.contains("--max-turns"), "{}", output.err);
    let id = world.id();
    assert_eq!(
        world.state(&id).tally.requests,
        1,
        "the first is asked: nothing was spent before it"
    );
    let output = world
        .run(&["resume", &id, "--headless", "--max-price", "0"])
        .ends(2);
    assert!(
        output.err.contains("--max-price: `0` is no price"),
        "{}",
        output.err
    );
    // As much as was spent is no more than was spent.
    let spent = world.state(&id).tally.spent.of("XTS");
    let more = overrule::domain::price::decimal(spent + 1);
    world
        .run(&["resume", &id, "--headless", "--max-price", &more])
        .ends(5);
    assert_eq!(world.state(&id).tally.requests, 2);
    assert_eq!(world.state(&id).settings.limits.price, Some(spent + 1));
}
