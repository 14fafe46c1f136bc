//! Tests of `overrule decode` on the bodies of requests.
//!
//! Must not know: wire formats.

use serde_json::Value;

use crate::world::World;

const SEEDS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/seeds/requests");

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
        "  error toolu_01B: <tool_use_error>file_path is missing</tool_use_error>\n    [image]\n",
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
