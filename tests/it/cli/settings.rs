//! Tests of a settings file that changes during a run without a screen.
//!
//! Must not know: what a setting does.

use std::fs::File;
use std::process::Stdio;

use overrule::domain::envelope::{Actor, Via};
use overrule::domain::event::{Event, ResilienceEvent};
use overrule::domain::setting_change::SettingChange;
use overrule::resilience::policy::Policy;

use crate::cli::playbooks::command;
use crate::cli::world::{World, until, wait};

#[test]
fn what_the_console_refuses_is_found_before() {
    let world = World::new();
    let own = world.path("home/.config/overrule");
    std::fs::create_dir_all(own.join("themes")).unwrap();
    world.run(&["config"]).ends(0);
    let keys = own.join("keys.toml");
    for (file, text, words) in [
        ("keys.toml", "[keys]\nquit = \"no such key\"\n", "keys.toml"),
        ("keys.toml", "not toml", "keys.toml"),
        ("config.toml", "theme = \"nosuchtheme\"\n", "nosuchtheme"),
        ("themes/mine.toml", "answer = 3\n", "mine.toml"),
    ] {
        std::fs::write(own.join(file), text).unwrap();
        let mine = ["config", "--theme", "mine"];
        let args = if file.starts_with("themes") {
            &mine[..]
        } else {
            &mine[..1]
        };
        world.run(args).ends(3).tells(words);
        let doctor = [&["doctor"], &args[1..]].concat();
        let text = world.run(&doctor).ends(1);
        assert!(
            text.out
                .lines()
                .any(|line| line.starts_with("failed") && line.contains(words)),
            "{}",
            text.out
        );
        std::fs::remove_file(own.join(file)).unwrap();
    }
    assert!(!keys.exists());
    world.run(&["config"]).ends(0);
}

#[test]
fn config_lists_how_commands_are_confined_with_origins() {
    let world = World::new();
    std::fs::create_dir_all(world.path("home/.config/overrule")).unwrap();
    let file = world.path("home/.config/overrule/config.toml");
    std::fs::write(&file, "[sandbox]\nnetwork = [\"registry.example.org\"]\n").unwrap();
    world.file("overrule.toml", "[sandbox]\nlevel = 2\nnetwork = [\"all\"]\n");
    let listed = |args: &[&str], key: &str| {
        let text = world.run(args).ends(0).out.clone();
        let line = text.lines().find(|line| line.contains(key)).map(str::to_owned);
        line.unwrap_or_else(|| panic!("no {key} in {text}"))
    };
    let level = listed(&["config"], "sandbox.level");
    assert!(
        level.contains(" 2 ") && level.ends_with("overrule.toml:2"),
        "{level}"
    );
    let network = listed(&["config"], "sandbox.network");
    assert!(
        network.contains(" registry.example.org ") && network.ends_with("config.toml:2"),
        "{network}"
    );
    assert_eq!(
        listed(&["config", "--json", "--sandbox", "0"], "sandbox.level"),
        r#"{"key":"sandbox.level","value":"0","from":"--sandbox"}"#
    );
    world.run(&["config"]).tells("ignored: `sandbox.network` in");
    world
        .run(&["config", "--sandbox", "3"])
        .ends(2)
        .tells("write the number of a level, 0, 1 or 2");
}

/// A run that continues until the test ends it, while its settings file changes from one text to the next.
fn follows(world: &World, file: &str, mut run: std::process::Command) {
    let reported = world.path("told.txt");
    let child = run
        .stdout(Stdio::piped())
        .stderr(File::create(&reported).unwrap())
        .spawn()
        .unwrap();
    let expect_notice = |words: &str| {
        until(words, || {
            std::fs::read_to_string(&reported).unwrap().contains(words)
        });
    };
    expect_notice("running");
    std::fs::write(file, "[resilience.retry]\nretries = 1\n").unwrap();
    expect_notice("reloaded: retry.retries = 1");
    // An invalid one changes nothing, and is reported with its position.
    std::fs::write(file, "[resilience.retry]\nretrys = 7\n").unwrap();
    expect_notice(":2:10: `resilience.retry.retrys`");
    for (text, place) in UNREADABLE {
        std::fs::write(file, text).unwrap();
        expect_notice(place);
    }
    std::fs::write(
        file,
        "[resilience.retry]\nretries = 1\n[resilience.breaker]\nsamples = 9\n",
    )
    .unwrap();
    expect_notice("reloaded: breaker.samples = 9");
    world.file("go", "");
    wait(child).ends(0);
    let facts = world.facts(&world.id());
    let mut versions = Vec::new();
    let mut differences = Vec::new();
    let set: Vec<(&Actor, bool, u32, u32)> = facts
        .iter()
        .filter_map(|fact| match &fact.event {
            Event::Resilience(ResilienceEvent::PolicySet {
                policy,
                live,
                version,
                changed,
            }) => {
                versions.push(*version);
                differences.push(
                    changed
                        .iter()
                        .map(SettingChange::describe)
                        .collect::<Vec<_>>()
                        .join("; "),
                );
                let policy = Policy::parse(policy).unwrap();
                assert_eq!(
                    policy.errors,
                    Policy::default().errors,
                    "what cannot be read never counts"
                );
                Some((&fact.actor, *live, policy.retry.retries, policy.breaker.samples))
            }
            _ => None,
        })
        .collect();
    let operator = Actor::operator("tester".into(), Via::Shell);
    assert_eq!(
        set[set.len() - 2..],
        [(&operator, true, 1, 5), (&operator, true, 1, 9)]
    );
    // Each change is counted, and says what it changed; one that was refused is none.
    let all: Vec<u32> = (1..).take(versions.len()).collect();
    assert_eq!(versions, all);
    let [.., retries, samples] = &differences[..] else {
        panic!("{differences:?}")
    };
    assert!(
        retries.starts_with("retry.retries") && retries.ends_with(" to 1"),
        "{retries}"
    );
    assert_eq!(samples, "breaker.samples from 5 to 9");
}

/// Settings with an expression that does not compile, one for each key that takes one, with the message.
const UNREADABLE: [(&str, &str); 4] = [
    (
        "[resilience.errors]\npatterns = [{ matches = \"ok\", class = \"transient\" }, { matches = \"lo(ck\", class = \"transient\" }]\n",
        ":2:12: `resilience.errors.patterns`",
    ),
    (
        "[resilience.repair]\nrules = [{ codes = [\"409\"], message = \"(x\", strategies = [\"date_adjustment\"] }]\n",
        ":2:9: `resilience.repair.rules`: the pattern of `message` does not compile",
    ),
    (
        "[resilience.repair.tools.fly]\nrules = [{ codes = [\"404\"], message = \"[a\", strategies = [\"date_adjustment\"] }]\n",
        ":2:9: `resilience.repair.tools.fly.rules`: the pattern of `message` does not compile",
    ),
    (
        "[resilience.repair]\nrules = [{ codes = [\"4x9\"], strategies = [\"date_adjustment\"] }]\n",
        ":2:9: `resilience.repair.rules`: `4x9` is no code",
    ),
];

#[test]
fn an_expression_that_does_not_compile_is_refused_with_its_place_before_anything_runs() {
    for (text, place) in UNREADABLE {
        let world = World::new();
        let file = world.aside("bad.toml", text);
        let output = world
            .play(&waits(), &["--policy", "auto", "--config", &file])
            .ends(3)
            .tells(place);
        assert!(output.err.contains("bad.toml"), "{}", output.err);
        assert!(world.ids().is_empty(), "nothing was begun");
    }
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

#[test]
fn every_setting_is_printed_with_who_said_so_and_every_rule_with_its_place() {
    let world = World::new();
    let file = world.aside(
        "mine.toml",
        "arming = \"1s\"\napi_key = \"sk-nobody-sees-this\"\n[resilience.retry]\nretries = 1\n[[policy.rule]]\ntool = \"shell\"\ngate = \"deny\"\n",
    );
    world.file("overrule.toml", "[limits]\nturns = 7\nparallel = 9\n");
    let flags = ["--config", &file, "--max-tokens", "20"];
    let run = |more: &[&str]| world.run(&[&["config"], &flags[..], more].concat()).ends(0);
    let output = run(&[]);
    assert!(!output.out.contains("nobody-sees"), "{}", output.out);
    let line = |key: &str| -> Vec<String> {
        let line = output
            .out
            .lines()
            .find(|line| line.starts_with(&format!("{key} ")));
        let words = line
            .unwrap_or_else(|| panic!("{key}: {}", output.out))
            .split("  ");
        words
            .map(str::trim)
            .filter(|word| !word.is_empty())
            .map(str::to_owned)
            .collect()
    };
    assert_eq!(line("arming"), ["arming", "1s", &format!("{file}:1")]);
    assert_eq!(line("limits.tokens"), ["limits.tokens", "20", "--max-tokens"]);
    assert_eq!(line("theme"), ["theme", "auto", "default"]);
    assert_eq!(line("resilience.retry.retries")[1..], ["1", &format!("{file}:4")]);
    assert_eq!(line("resilience.breaker.consecutive")[1..], ["5", "default"]);
    let turns = line("limits.turns");
    assert_eq!(turns[1], "7");
    assert!(turns[2].ends_with("overrule.toml:2"), "{turns:?}");
    let rule = output.out.lines().find(|line| line.contains("mine.toml:5"));
    assert!(
        rule.is_some_and(|rule| rule.starts_with("denies it")),
        "{}",
        output.out
    );
    let ask = output.out.lines().filter(|line| line.contains("preset guarded"));
    assert_ne!(ask.count(), 0, "{}", output.out);
    // The same as objects, one in a line.
    let objects: Vec<serde_json::Value> = run(&["--json"])
        .out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let tokens = serde_json::json!({ "key": "limits.tokens", "value": "20", "from": "--max-tokens" });
    assert!(objects.contains(&tokens));
    assert!(objects.iter().any(|object| object["gate"] == "deny"));
    assert!(world.ids().is_empty(), "nothing was begun");
}
