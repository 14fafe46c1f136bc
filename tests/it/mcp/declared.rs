//! Tests of declared tools: what is refused when the settings are read, what runs, what is sent.
//!
//! Must not know: how the program works inside.

use crate::mcp::servers::Served;
use crate::mcp::world::World;

#[test]
fn a_declared_tool_runs_its_command_without_a_shell() {
    let served = Served::untrusted(&[]);
    let config = served.world.aside(
        "config.toml",
        r#"
[tool.count]
description = "Counts the lines of a file of the workspace."
command = ["wc", "-l", "{file}"]
schema = { type = "object", properties = { file = { type = "string" } }, required = ["file"], additionalProperties = false }
effect = "read"
"#,
    );
    let call = |args: &str| {
        served
            .world
            .run(&["tools", "call", "count", args, "--config", &config])
    };
    assert_eq!(call(r#"{"file":"notes.txt"}"#).ends(0).out, "2 notes.txt\n\n");
    // No shell reads it, and it is no option.
    call(r#"{"file":"notes.txt; touch made"}"#).ends(1);
    call(r#"{"file":"--files0-from=notes.txt"}"#)
        .ends(1)
        .tells("option");
    assert_eq!(served.world.read("made"), "");
    assert!(!served.world.ws().join("made").exists());
    call(r#"{"fiel":"notes.txt"}"#).ends(2);
}

#[test]
fn every_key_of_a_declared_tool_is_checked_with_file_line_and_key() {
    let world = World::new();
    let command = "command = [\"wc\"]\n";
    let http = |keys: &str| format!("http = {{ method = \"POST\", url = \"https://a.example/\"{keys} }}\n");
    let body = http(", body = { to = \"{none}\" }");
    let table: [(&str, String, &str); 23] = [
        (
            "description",
            "description = 3\ncommand = [\"wc\"]\n".into(),
            "string",
        ),
        (
            "schema",
            format!("{command}schema = {{ type = \"nothing\" }}\n"),
            "schema",
        ),
        (
            "schema",
            format!("{command}schema = {{ type = \"string\" }}\n"),
            "no object",
        ),
        ("command", "command = [\"{file}\"]\n".into(), "placeholder"),
        ("http", format!("{command}{}", http("")), "keep one of them"),
        (
            "http.method",
            "http = { method = \"GOT\", url = \"https://a/\" }\n".into(),
            "no method",
        ),
        (
            "http.url",
            "http = { method = \"GET\", url = \"ftp://a/\" }\n".into(),
            "http://",
        ),
        ("http", http(", headrs = {}"), "headers"),
        ("http", body, "{none}"),
        (
            "http",
            http(", headers = { A = \"${NOT_SET_HERE}\" }"),
            "NOT_SET_HERE",
        ),
        (
            "http",
            http(", headers = { \"A b\" = \"x\" }"),
            "not the name of a header",
        ),
        ("stdin", format!("{command}stdin = \"{{none}}\"\n"), "{none}"),
        ("timeout", format!("{command}timeout = \"soon\"\n"), "no duration"),
        ("timeout", format!("{command}timeout = \"2h\"\n"), "at most 1h"),
        ("effect", format!("{command}effect = \"safe\"\n"), "unknown value"),
        ("tags", format!("{command}tags = [\"fast\"]\n"), "unknown tag"),
        ("pause_s", format!("{command}pause_s = 0\n"), "1"),
        ("output", format!("{command}output = \"xml\"\n"), "unknown value"),
        (
            "output_schema",
            format!("{command}output_schema = {{ type = \"object\" }}\n"),
            "output = \"json\"",
        ),
        (
            "success",
            format!("{command}success = [\"zero\"]\n"),
            "a whole number",
        ),
        (
            "idempotency_key",
            format!("{command}idempotency_key = \"header:X\"\n"),
            "http only",
        ),
        (
            "probe",
            format!("{command}probe = {{ tool = \"none\", args = {{}} }}\n"),
            "there is no tool `none`",
        ),
        (
            "compensate",
            format!(
                "{command}compensate = {{ tool = \"shell\", args = {{ command = \"rm {{/path}}\" }} }}\n"
            ),
            "templates",
        ),
    ];
    let mut faults = Vec::new();
    for (key, keys, why) in table {
        let described = if key == "description" {
            ""
        } else {
            "description = \"d\"\n"
        };
        let config = world.aside("config.toml", &format!("# mine\n[tool.count]\n{described}{keys}"));
        let said = world.run(&["tools", "list", "--config", &config]).ends(3);
        // Variables of headers are filled in later, when only the place of the tool is known.
        let placed = (2..=5).any(|line| said.err.contains(&format!("config.toml:{line}:")));
        let named = said.err.contains(&format!("`tool.count.{key}")) || said.err.contains("`tool.count`");
        if !(said.err.contains(why) && named && placed) {
            faults.push(format!("{key}, {why}: {}", said.err));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    // An empty description, and a schema of the output that cannot be compiled.
    let config = world.aside("config.toml", "[tool.count]\ncommand = [\"wc\"]\n");
    world
        .run(&["tools", "list", "--config", &config])
        .ends(3)
        .tells("description");
}

#[test]
fn what_a_declared_tool_prints_is_read_as_declared() {
    let world = World::new();
    let config = world.aside(
        "config.toml",
        r#"
[tool.sum]
description = "Prints a sum."
command = ["printf", "{json}"]
schema = { type = "object", properties = { json = { type = "string" } }, required = ["json"] }
output = "json"
output_schema = { type = "object", required = ["sum"], properties = { sum = { type = "integer" } } }
[tool.upper]
description = "Prints its input."
command = ["cat"]
stdin = "{text}"
schema = { type = "object", properties = { text = { type = "string" } }, required = ["text"] }
[tool.two]
description = "Ends with a code."
command = ["sh", "-c", "exit 2"]
success = [0, 2]
[tool.three]
description = "Ends with another code."
command = ["sh", "-c", "exit 3"]
success = [0, 2]
[tool.slow]
description = "Never ends."
command = ["sleep", "60"]
timeout = "1s"
"#,
    );
    let call = |name: &str, args: &str| world.run(&["tools", "call", name, args, "--config", &config]);
    assert!(
        call("sum", r#"{"json":"{\"sum\":3}"}"#)
            .ends(0)
            .out
            .contains("\"sum\": 3")
    );
    call("sum", r#"{"json":"{\"sum\":\"3\"}"}"#)
        .ends(1)
        .tells("does not match its schema");
    call("sum", r#"{"json":"three"}"#)
        .ends(1)
        .tells("not the declared JSON");
    assert!(
        call("upper", r#"{"text":"in and out"}"#)
            .ends(0)
            .out
            .contains("in and out")
    );
    call("two", "{}").ends(0);
    call("three", "{}").ends(1).tells("exit code 3");
    call("slow", "{}").ends(1).tells("1 s");
}

#[test]
fn a_wrong_declaration_is_refused_with_its_place() {
    let served = Served::untrusted(&[]);
    let table = [
        ("command = \"wc -l\"", "no shell reads it"),
        ("command = [\"{file}\"]", "the program is a placeholder"),
        ("command = [\"wc\", \"{fiel}\"]", "did you mean `{file}`?"),
        (
            "http = { method = \"GET\", url = \"https://{file}/\" }",
            "choose the server",
        ),
        (
            "command = [\"wc\", \"{file}\", \"-l\"]",
            "is left out if `file` is absent",
        ),
        (
            "http = { method = \"GET\", url = \"https://a/../{file}\" }",
            "a part `.` or `..`",
        ),
        ("http = { method = \"GOT\", url = \"https://a/\" }", "no method"),
        ("stdin = \"x\"", "only goes with command or http"),
        ("command = [\"wc\"]\nsucces = [0]", "did you mean `success`?"),
        (
            "command = [\"wc\"]\nhttp = { method = \"GET\", url = \"https://a/\" }",
            "keep one of them",
        ),
    ];
    let schema = "schema = { type = \"object\", properties = { file = { type = \"string\" } } }";
    for (keys, why) in table {
        let text = format!("[tool.count]\ndescription = \"d\"\n{schema}\n{keys}\n");
        let config = served.world.aside("config.toml", &text);
        let said = served.world.run(&["tools", "list", "--config", &config]).ends(3);
        assert!(said.err.contains(why), "{keys}: {}", said.err);
        assert!(
            said.err.contains("config.toml:") && said.err.contains("tool.count"),
            "{keys}: {}",
            said.err
        );
    }
}

/// A playbook that calls a declared tool.
const DECLARED: &str = r#"
[meta]
name = "declared"
[[rule]]
when = { seen_call = "it" }
answer = "{{ result.it | default('no result') | trim }}"
[[rule]]
think = "I call."
[[rule.call]]
tool = "it"
as = "it"
args = {}
"#;

#[test]
fn the_script_of_a_declared_command_is_part_of_what_is_approved() {
    for changed in [false, true] {
        let world = World::new();
        world.file("deploy.sh", "echo approved");
        let config = world.aside(
            "config.toml",
            "[tool.it]\ndescription = \"Deploys.\"\ncommand = [\"sh\", \"deploy.sh\"]\n",
        );
        let with = ["--config", &config];
        world.play(DECLARED, &with).ends(0);
        let id = world.id();
        let call = world.state(&id).calls.keys().next().unwrap().to_string();
        world.run(&["retry", &id, &call, "--config", &config]).ends(0);
        let state = world.state(&id);
        let life = state.calls.values().next().unwrap();
        assert_eq!(&*life.operands()[0].path, "deploy.sh");
        let digest = life.digest.clone().unwrap();
        world
            .run(&["approve", &id, &call, "--digest", &digest.0, "--config", &config])
            .ends(0);
        if changed {
            world.file("deploy.sh", "touch made; echo evil");
        }
        let said = world
            .run(&["resume", &id, "--headless", "--config", &config])
            .ends(0);
        let expected = if changed { "no result\n" } else { "approved\n" };
        assert_eq!(said.out, expected);
        assert!(!world.ws().join("made").exists());
    }
}

#[test]
fn the_key_that_is_sent_is_the_one_that_was_recorded() {
    use overrule::domain::event::{CallEvent, Event};
    let server =
        crate::mcp::server::Server::answering(|_, _| crate::mcp::server::Reply::Status(200, "", "done"));
    let world = World::new();
    let config = format!(
        "[tool.it]\ndescription = \"Sends.\"\nhttp = {{ method = \"PUT\", url = \"{}\" }}\n\
         idempotency_key = \"header:Idempotency-Key\"\n",
        server.base
    );
    let config = world.aside("config.toml", &config);
    let policy = world.aside(
        "policy.toml",
        "preset = \"auto\"\n[[rule]]\ntool = \"it\"\ngate = \"allow\"\n",
    );
    world
        .play(DECLARED, &["--config", &config, "--policy", &policy])
        .ends(0);
    let facts = world.facts(&world.id());
    let recorded = facts.iter().find_map(|fact| match &fact.event {
        Event::Call(CallEvent::Started { key, .. }) => Some(key.to_string()),
        _ => None,
    });
    let seen = server.seen();
    let head = seen[0].head.to_lowercase();
    let sent = head
        .lines()
        .find_map(|line| line.strip_prefix("idempotency-key: "));
    assert_eq!(sent.map(str::trim), recorded.as_deref());
}
