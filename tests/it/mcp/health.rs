//! Tests of what is shown of a server's health: state, executions, latency, breaker, restarts.
//!
//! Must not know: how the program works inside.

use serde_json::{Value, json};

use crate::mcp::servers::{ALLOW, Served};

#[test]
fn the_shell_shows_how_the_calls_of_a_server_ended() {
    let served = Served::new(&[]);
    served
        .play(
            &[
                ("echo", json!({"text": "a"})),
                ("slow", json!({})),
                ("fail", json!({})),
            ],
            ALLOW,
        )
        .ends(0);
    let id = served.world.id();
    let weights = served.world.run(&["weights", &id]).ends(0).out;
    let line = weights
        .lines()
        .find(|line| line.starts_with("server:bad "))
        .unwrap();
    assert!(
        line.contains("2 of 3 executions succeeded, 1 parameter; half within"),
        "{line}"
    );
    // Later sessions know it, too.
    for verb in [&["tools", "list"][..], &["doctor"]] {
        let said = served.world.run(verb).ends(0);
        assert!(
            said.out
                .contains("earlier sessions: 2 of 3 executions succeeded, 1 parameter"),
            "{}",
            said.out
        );
        assert!(said.out.contains("started in "), "{}", said.out);
    }
    let said = served.world.run(&["tools", "list", "--json"]).ends(0);
    let server: Value = serde_json::from_str(said.out.lines().next().unwrap()).unwrap();
    assert_eq!(server["server"]["restarts"], 0);
    assert!(server["server"]["start_ms"].is_u64(), "{server}");
}

#[test]
fn the_breaker_of_a_server_is_shown_with_it() {
    let served = Served::new(&[]);
    let config = served.world.aside(
        "config.toml",
        "[tool.bad__die]\neffect = \"read\"\n[resilience.breaker]\nconsecutive = 2\n",
    );
    let policy = served.world.aside("policy.toml", ALLOW);
    let playbook = crate::mcp::servers::playbook(&[("die", json!({}))]);
    served
        .world
        .play(&playbook, &["--policy", &policy, "--config", &config]);
    let id = served.world.id();
    let weights = served.world.run(&["weights", &id]).ends(0).out;
    let mut lines = weights.lines().filter(|line| line.starts_with("server:bad "));
    assert!(
        lines
            .clone()
            .any(|line| line.contains("0 of ") && line.contains("transient")),
        "{weights}"
    );
    assert!(
        lines.any(|line| line.contains("breaker open, opened")),
        "{weights}"
    );
}
