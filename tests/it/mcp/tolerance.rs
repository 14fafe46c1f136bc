//! Tests of servers that do not keep to the protocol: what can be read counts, the rest is told once.
//!
//! Must not know: how the program works inside.

use serde_json::{Value, json};

use crate::mcp::servers::{ALLOW, Served, is_running};
use crate::mcp::world::{until, wait};

#[test]
fn a_server_of_last_year_has_its_tools_in_the_first_request_and_is_asked_in_its_way_from_then_on() {
    for probe in ["exit", "silent"] {
        let served = Served::new(&[("FAULTY_PROBE", probe)]);
        let said = served.play(&[("echo", json!({"text": "a"}))], ALLOW).ends(0);
        assert_eq!(said.out, "a\n", "{probe}: {}", said.err);
        assert!(
            !said.err.contains("Restart"),
            "{probe}: it is no failure: {}",
            said.err
        );
        let probes = || served.log().iter().filter(|line| *line == "discover").count();
        assert_eq!(probes(), 1, "{probe}");
        let said = served.play(&[("echo", json!({"text": "b"}))], ALLOW).ends(0);
        assert_eq!(
            (said.out.as_str(), probes()),
            ("b\n", 1),
            "{probe}: it is remembered"
        );
        // Another command line is another server.
        served.write(&[("FAULTY_PROBE", probe), ("FAULTY_OTHER", "1")]);
        served.trust();
        served.world.run(&["tools", "list"]).ends(0);
        assert_eq!(probes(), 2, "{probe}");
        assert!(!is_running(&served.world));
    }
}

#[test]
fn messages_in_odd_forms_are_read() {
    for writes in ["nulls", "lines", "words", "list", "mark", "no_end"] {
        let served = Served::new(&[("FAULTY_WRITES", writes)]);
        let said = served.call("echo", r#"{"text":"a"}"#).ends(0);
        assert_eq!(said.out, "a\n", "{writes}: {}", said.err);
        // A failure is one in every form.
        let said = served.call("refuse", "{}").ends(1);
        assert!(
            said.err.contains("Unknown argument: nmae"),
            "{writes}: {}",
            said.err
        );
        assert_eq!(served.calls().len(), 2, "{writes}: nothing is sent twice");
    }
}

#[test]
fn a_tool_that_cannot_be_read_costs_itself_and_is_told_once() {
    let served = Served::new(&[("FAULTY_LIST", "odd")]);
    let said = served.world.run(&["tools", "list", "--json"]).ends(0);
    let lines = said
        .out
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let lines: Vec<Value> = lines.collect();
    let offered: Vec<&str> = lines
        .iter()
        .filter_map(|line| line["tool"]["name"].as_str())
        .filter(|name| name.starts_with("bad__"))
        .collect();
    assert_eq!(offered, ["bad__bare", "bad__echo", "bad__pattern"]);
    let skipped = lines[0]["server"]["skipped"].as_array().unwrap();
    let told = [
        "the tool `bare` has no `inputSchema`",
        "tool 3 of the list is left out: it has no name",
        "the tool `task` is left out: it runs only as a task",
        "tool 6 of the list is left out: it is a number",
        "the list of tools repeats a page",
        "the schema of `pattern`: `/properties/text/pattern` is not checked",
    ];
    for words in told {
        let is_told = |one: &&Value| one.as_str().unwrap().contains(words);
        assert_eq!(skipped.iter().filter(is_told).count(), 1, "{words}: {skipped:?}");
    }
    let shown = served.world.run(&["tools", "list"]).ends(0).out;
    assert!(shown.contains("  skipped: the tool `bare` has no"), "{shown}");
    // A run without a screen says it on standard error, once.
    let said = served.play(
        &[("bare", json!({"x": 1})), ("pattern", json!({"text": "a"}))],
        ALLOW,
    );
    for words in told {
        assert_eq!(said.err.matches(words).count(), 1, "{words}: {}", said.err);
    }
    assert_eq!(served.calls().len(), 2, "both are called");
}

#[test]
fn a_list_waits_for_a_server_that_restarts_and_fails_without_it() {
    let served = Served::new(&[]);
    let start = served.world.aside("faulty.log.start", "exit");
    let args = ["tools", "list", "--wait", "20s"];
    let mut command = served.world.command(&args);
    let command = command
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped());
    let child = command.spawn().unwrap();
    until("it started twice", || {
        served.log().iter().filter(|line| *line == "start").count() > 1
    });
    std::fs::remove_file(&start).unwrap();
    let said = wait(child).ends(0);
    assert!(said.err.contains("waiting for MCP servers: bad"), "{}", said.err);
    assert!(said.out.contains("bad__echo"), "{}", said.out);
    served.world.aside("faulty.log.start", "exit");
    let said = served.world.run(&["tools", "list"]).ends(1);
    assert!(said.out.contains("server bad  restarting"), "{}", said.out);
    assert!(said.err.contains("--wait"), "{}", said.err);
    served
        .world
        .run(&["tools", "list", "--wait", "soon"])
        .ends(2)
        .tells("60s");
}
