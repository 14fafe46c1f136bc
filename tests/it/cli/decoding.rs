//! Tests of `overrule decode` on streams and on the bodies of requests.
//!
//! Must not know: wire formats.

use serde_json::Value;

use crate::cli::world::World;

const SEEDS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/seeds/requests");
const STREAMS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/seeds/streams");
const WIRES: [&str; 5] = ["openai-chat", "openai-responses", "anthropic", "gemini", "ollama"];

/// The lines that `decode` prints for a file, and its exit code.
fn decoded(world: &World, wire: &str, path: &str, summary: bool) -> (Vec<Value>, Option<i32>) {
    let mut args = vec!["decode", "--wire", wire, path];
    args.extend(summary.then_some("--summary"));
    let said = world.run(&args);
    let lines = said.out.lines().map(|line| serde_json::from_str(line).unwrap());
    (lines.collect(), said.code)
}

#[test]
fn a_stream_of_each_format_is_printed_as_chunks_and_as_a_summary() {
    let world = World::new();
    for wire in WIRES {
        let path = format!("{STREAMS}/{wire}/whole.txt");
        let (chunks, code) = decoded(&world, wire, &path, false);
        assert_eq!(code, Some(0), "{wire}");
        let texts = chunks.iter().filter(|chunk| chunk["type"] == "text");
        let text: String = texts.filter_map(|chunk| chunk["delta"].as_str()).collect();
        let (summary, code) = decoded(&world, wire, &path, true);
        let [summary] = &summary[..] else {
            panic!("{wire}: one object: {summary:?}")
        };
        assert_eq!(code, Some(0), "{wire}");
        assert_eq!(
            (&summary["text"], &*text),
            (&Value::from("done"), "done"),
            "{wire}"
        );
        for key in ["reasoning", "calls", "finish", "usage", "error"] {
            assert!(summary.get(key).is_some(), "{wire}: no {key} in {summary}");
        }
        let call = &summary["calls"][0];
        assert!(
            call["name"].is_string() && call["whole"].is_boolean(),
            "{wire}: {summary}"
        );

        // An error of the server.
        let (summary, code) = decoded(&world, wire, &format!("{STREAMS}/{wire}/error.txt"), true);
        assert_eq!(code, Some(1), "{wire}");
        assert!(!summary[0]["error"].is_null(), "{wire}: {summary:?}");
        assert!(summary[0]["finish"].is_null(), "{wire}: {summary:?}");
    }
}

#[test]
fn what_arrived_before_a_cut_is_printed_and_no_cut_call_is_whole() {
    let world = World::new();
    for wire in WIRES {
        let bytes = std::fs::read(format!("{STREAMS}/{wire}/calls.txt")).unwrap();
        let (whole, code) = decoded(&world, wire, &format!("{STREAMS}/{wire}/calls.txt"), true);
        assert_eq!(code, Some(0), "{wire}");
        let calls = |summary: &[Value]| summary[0]["calls"].as_array().unwrap().clone();
        let whole = calls(&whole);
        for part in 1..6 {
            let text = String::from_utf8_lossy(&bytes[..bytes.len() * part / 8]).into_owned();
            let path = world.aside(&format!("{wire}.{part}"), &text);
            let (summary, code) = decoded(&world, wire, &path, true);
            assert_eq!(code, Some(1), "{wire} {part}: {summary:?}");
            assert!(summary[0]["finish"].is_null(), "{wire} {part}: {summary:?}");
            for call in calls(&summary).iter().filter(|call| call["whole"] == true) {
                assert!(whole.contains(call), "{wire} {part}: {call}");
            }
        }
    }
}

#[test]
fn an_unknown_format_is_refused_with_those_that_exist() {
    let world = World::new();
    let said = world.run(&["decode", "--wire", "telepathy", "x"]).ends(2);
    for wire in WIRES {
        assert!(said.err.contains(wire), "{}", said.err);
    }
}

#[test]
fn a_request_is_printed_as_lines_and_as_json() {
    let world = World::new();
    let path = format!("{SEEDS}/anthropic/claude_code.json");
    let lines = world
        .run(&["decode", "--request", "--wire", "anthropic", &path])
        .ends(0)
        .out;
    for line in [
        "wire: anthropic\n",
        "model: claude-sonnet-4-5\n",
        "max_tokens: 32000\n",
        "tool: Bash\n",
        "tool of the provider: web_search\n",
        "system: You are a command line agent.\n",
        "message 2: assistant\n",
        "  reasoning: First list the files.\n",
        "  reasoning: (only the provider can read it)\n",
        "  call toolu_01A: Bash {\"command\":\"ls \\u0074ests\",\"timeout\": 1e3,\"n\":1.0}\n",
        "  result toolu_01A: sum.rs\n    max.rs\n",
        "  error toolu_01B: <tool_use_error>file_path is missing</tool_use_error>\n    [image png 8 B]\n",
        "message 4: system\n  text: The user changed the mode: plan only.\n",
        "  other: web_search_tool_result\n",
    ] {
        assert!(lines.contains(line), "no {line:?} in\n{lines}");
    }
    let json = world
        .run(&["decode", "--request", "--json", "--wire", "anthropic", &path])
        .ends(0)
        .out;
    let value: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(value["messages"][1]["parts"][2]["name"], "Bash");
    assert_eq!(value["messages"][1]["parts"][2]["id"], "toolu_01A");
    assert_eq!(value["messages"][2]["parts"][1]["is_error"], true);
    assert_eq!(value["settings"]["thinking"]["budget_tokens"], 31999);
    assert!(
        json.contains("\"temperature\":1,"),
        "a number keeps its spelling: {json}"
    );
    assert_eq!(world.ids(), Vec::<String>::new(), "nothing is recorded");
}

#[test]
fn the_requests_of_each_format_can_be_printed() {
    let world = World::new();
    for wire in std::fs::read_dir(SEEDS).unwrap() {
        let wire = wire.unwrap();
        let name = wire.file_name().into_string().unwrap();
        for file in std::fs::read_dir(wire.path()).unwrap() {
            let path = file.unwrap().path();
            let path = path.to_str().unwrap();
            let out = world
                .run(&["decode", "--request", "--wire", &name, path])
                .ends(0)
                .out;
            assert!(out.starts_with(&format!("wire: {name}\n")), "{out}");
            assert!(out.contains("message 1: "), "{out}");
        }
    }
}

#[test]
fn a_bad_request_is_refused_with_place_and_reason() {
    let world = World::new();
    let path = world.aside("bad.json", "{\"messages\":[{\"role\":\"user\",\"content\":3}]}");
    let said = world.run(&["decode", "--request", "--json", &path]).ends(1);
    assert_eq!(said.out, "");
    assert!(
        said.err
            .contains("this must be a text (byte 38, at /messages/0/content)"),
        "{}",
        said.err
    );
    let said = world.run(&["decode", "--json", &path]).ends(2);
    assert!(said.err.contains("--request"), "{}", said.err);
    let said = world.run(&["decode", "--request", "--summary", &path]).ends(2);
    assert!(said.err.contains("--summary"), "{}", said.err);
}

#[test]
fn what_could_act_on_a_terminal_is_shown_as_marks() {
    let world = World::new();
    let body = r#"{"messages":[{"role":"user","content":"a\u001b[31mb\u202ec"}],"model":"m\u0007"}"#;
    let path = world.aside("odd.json", body);
    let out = world.run(&["decode", "--request", &path]).ends(0).out;
    assert!(out.contains("  text: a⟨U+001B⟩[31mb⟨U+202E⟩c\n"), "{out}");
    assert!(out.contains("model: m⟨U+0007⟩\n"), "{out}");
}
