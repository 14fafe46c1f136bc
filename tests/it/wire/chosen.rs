//! Tests which model a run asks: entries of the settings, keys without a model, the list of models.
//!
//! Must not know: what the run was about.

use serde_json::{Value, json};

use crate::wire::server::{Reply, Server, answer_in_words, calls};
use crate::wire::world::{World, finish};

const KEY: &str = "sk-canary-0987654321";

/// Settings of the user.
fn settings(world: &World, text: &str) {
    let dir = world.path("home/.config/overrule");
    std::fs::create_dir_all(&dir).unwrap();
    std::fs::write(dir.join("config.toml"), text).unwrap();
}

/// An entry of the settings that has this server.
fn entry(server: &Server) -> String {
    format!(
        "[models.fast]\nbase_url = \"{}\"\nmodel = \"big-one\"\nkey_env = \"LLM_KEY\"\n\
         headers = {{ x-team = \"header-canary-1\" }}\nextra_body = {{ top_k = 3 }}\nmax_output_tokens = 900\n\
         thinking = \"high\"\nprice = {{ input = 1000, output = 1000, currency = \"XTS\" }}\nproxy = \"off\"\n",
        server.base
    )
}

#[test]
fn an_entry_is_asked_as_it_says_and_resumed_as_well() {
    let world = World::new();
    let failed = Reply::Status(401, "", "{\"error\":{\"message\":\"no header-canary-1\"}}");
    let look = calls(
        "I look.",
        &[("call_a", "shell", json!({"command": "env; echo $LLM_KEY"}))],
    );
    let server = Server::new(vec![look, failed, answer_in_words("Done.")]);
    settings(&world, &entry(&server));
    let mut command = world.command(&["run", "--headless", "--policy", "auto", "--model", "fast", "x"]);
    command.env("LLM_KEY", KEY);
    let output = finish(command).ends(6);
    let id = world.id();
    let turn = world.state(&id).turns.keys().last().unwrap().0.to_string();
    let mut command = world.command(&["ask-again", &id, &turn, "--resume"]);
    command.env("LLM_KEY", KEY);
    let again = finish(command).ends(0);
    let seen = server.seen();
    assert_eq!(seen.len(), 3);
    for one in &seen {
        let head = one.head.to_lowercase();
        assert!(head.contains(&format!("authorization: bearer {KEY}")), "{head}");
        assert!(head.contains("x-team: header-canary-1"), "{head}");
        let body = one.json();
        for (place, value) in [
            ("model", json!("big-one")),
            ("top_k", json!(3)),
            ("max_tokens", json!(900)),
            ("reasoning_effort", json!("high")),
        ] {
            assert_eq!(body[place], value, "{place}");
        }
        // The tool saw no key.
        assert!(!one.body.contains("canary"), "{}", one.body);
    }
    let spent = world.state(&id).tally.spent.describe().unwrap();
    assert!(spent.ends_with("XTS"), "{spent}");
    for text in [&output.out, &output.err, &again.out, &again.err] {
        assert!(!text.contains("canary"), "{text}");
    }
    for path in world
        .everything()
        .keys()
        .filter(|path| !path.ends_with("config.toml"))
    {
        let bytes = std::fs::read(path).unwrap_or_default();
        assert!(
            !String::from_utf8_lossy(&bytes).contains("canary"),
            "{}",
            path.display()
        );
    }
}

#[test]
fn a_key_and_headers_go_to_no_other_server() {
    let world = World::new();
    let home = Server::new(Vec::new());
    let other = Server::new(vec![answer_in_words("Other.")]);
    settings(&world, &entry(&home));
    let mut command = world.command(&[
        "run",
        "--headless",
        "--model",
        "fast",
        "--base-url",
        &other.base,
        "x",
    ]);
    command.env("LLM_KEY", KEY).env("NO_PROXY", "127.0.0.1");
    assert_eq!(finish(command).ends(0).out, "Other.\n");
    assert!(home.seen().is_empty());
    let seen = other.seen();
    let whole = format!("{}{}", seen[0].head, seen[0].body).to_lowercase();
    assert!(!whole.contains("canary") && !whole.contains("x-team"), "{whole}");
    // What is asked of the model stays.
    assert_eq!(seen[0].json()["reasoning_effort"], json!("high"));
}

#[test]
fn a_key_alone_starts_no_run_and_each_provider_gets_a_command() {
    let world = World::new();
    settings(
        &world,
        "[models.fast]\nmodel = \"m\"\nbase_url = \"http://127.0.0.1:9/v1\"\n",
    );
    let mut command = world.command(&["run", "--headless", "x"]);
    command
        .env("OLLAMA_HOST", "127.0.0.1:9")
        .env("OPENAI_API_KEY", KEY)
        .env("ANTHROPIC_API_KEY", KEY);
    let output = finish(command).ends(3);
    for words in [
        "a key names a provider, not a model",
        "[models.fast]: overrule run --model fast \"task\"",
        "OPENAI_API_KEY: overrule run --model gpt-4.1-mini \"task\"",
        "ANTHROPIC_API_KEY: overrule run --model claude-",
    ] {
        assert!(output.err.contains(words), "no `{words}` in {}", output.err);
    }
    assert!(
        !output.err.contains("canary") && !output.err.contains("GEMINI"),
        "{}",
        output.err
    );
    assert_eq!(world.ids(), [""; 0]);
}

#[test]
fn the_list_names_server_window_price_and_what_answered() {
    let world = World::new();
    let models = || Reply::Status(200, "", "{\"data\":[{\"id\":\"big-one\"},{\"id\":\"small\"}]}");
    let server = Server::answering(move |_, _| models());
    let text = format!(
        "{}window = 4096\n[models.away]\nbase_url = \"http://127.0.0.1:9/v1\"\n[models.asking]\n\
         base_url = \"{}\"\nkey_command = \"touch asked; echo k\"\n[models.known]\nmodel = \"gpt-4o\"\n\
         base_url = \"https://api.openai.com/v1\"\nkey_env = \"UNSET\"\n",
        entry(&server),
        server.base
    );
    settings(&world, &text);
    let list = |more: &[&str]| {
        let args = [&["models"], more].concat();
        let mut command = world.command(&args);
        command.env("LLM_KEY", KEY).env("OLLAMA_HOST", "127.0.0.1:9");
        finish(command).ends(0)
    };
    let shown = list(&[]);
    let line = |name: &str| {
        let found = shown.out.lines().find(|line| line.starts_with(name));
        found
            .unwrap_or_else(|| panic!("no {name} in {}", shown.out))
            .to_owned()
    };
    for words in [
        "big-one at http://127.0.0.1:",
        "openai-chat",
        "4096 tokens",
        "1000 sent",
        "XTS",
        "has it, 2 models",
    ] {
        assert!(line("fast").contains(words), "no `{words}` in {}", line("fast"));
    }
    for words in ["window unknown", "price unknown", "no connection"] {
        assert!(line("away").contains(words), "no `{words}` in {}", line("away"));
    }
    assert!(line("asking").contains("not asked: its key comes from a command"));
    assert!(!world.ws().join("asked").exists());
    for words in [
        "128000 tokens",
        "2.5 sent, 10 received (USD",
        "the variable is not set",
    ] {
        assert!(line("known").contains(words), "no `{words}` in {}", line("known"));
    }
    assert!(
        shown.err.contains("prices of common models are of 20"),
        "{}",
        shown.err
    );
    assert!(!shown.out.contains("canary") && !shown.err.contains("canary"));
    // Only the list was asked for, with the key of the entry.
    let seen = server.seen();
    assert!(seen.iter().all(|one| one.head.starts_with("GET /v1/models ")));
    let rows: Vec<Value> = list(&["--json"])
        .out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let fast = rows.iter().find(|row| row["name"] == "fast").unwrap();
    assert_eq!(
        (&fast["wire"], &fast["window"]),
        (&json!("openai-chat"), &json!(4096))
    );
    let away = rows.iter().find(|row| row["name"] == "away").unwrap();
    assert_eq!(away["price"], Value::Null);
}

#[test]
fn the_list_has_the_providers_with_a_key_and_the_models_of_this_machine() {
    let world = World::new();
    let provider = Server::answering(move |_, _| {
        Reply::Status(200, "", "{\"data\":[{\"id\":\"one\"},{\"id\":\"two\"}]}")
    });
    let many: Vec<Value> = (0..15)
        .map(|at| json!({"id": format!("local-{at:02}")}))
        .collect();
    let text: &'static str = json!({"data": many}).to_string().leak();
    let ollama = Server::answering(move |_, _| Reply::Status(200, "", text));
    let mut command = world.command(&["models"]);
    command
        .env("OPENAI_API_KEY", KEY)
        .env("OPENAI_BASE_URL", &provider.base)
        .env("OLLAMA_HOST", ollama.base.trim_end_matches("/v1"))
        .env("NO_PROXY", "127.0.0.1");
    let shown = finish(command).ends(0);
    let lines =
        |start: &str| -> Vec<&str> { shown.out.lines().filter(|line| line.starts_with(start)).collect() };
    let [of_key] = lines("OPENAI_API_KEY")[..] else {
        panic!("one line: {}", shown.out)
    };
    assert!(
        of_key.contains("openai-chat") && of_key.contains("2 models"),
        "{of_key}"
    );
    let local = lines("local-");
    assert_eq!(local.len(), 12, "{}", shown.out);
    assert!(
        local[0].contains("has it") && local[0].contains("price unknown"),
        "{}",
        local[0]
    );
    assert!(lines("Ollama")[0].contains("3 more models"), "{}", shown.out);
    assert!(!shown.out.contains("canary") && !shown.err.contains("canary"));
    // The key goes to its provider only.
    let with_key = |server: &Server| server.seen().iter().any(|one| one.head.contains(KEY));
    assert!(with_key(&provider) && !with_key(&ollama));
}

#[test]
fn an_entry_is_asked_through_its_proxy() {
    let world = World::new();
    let proxy = Server::new(vec![answer_in_words("Through.")]);
    let at = proxy.base.trim_end_matches("/v1");
    settings(
        &world,
        &format!(
            "[models.far]\nbase_url = \"http://models.example/v1\"\nkey_env = \"LLM_KEY\"\nproxy = \"{at}\"\n"
        ),
    );
    let mut command = world.command(&["run", "--headless", "--model", "far", "x"]);
    command.env("LLM_KEY", KEY);
    assert_eq!(finish(command).ends(0).out, "Through.\n");
    let seen = proxy.seen();
    assert_eq!(seen.len(), 1);
    let line = seen[0].head.lines().next().unwrap();
    assert!(
        line.starts_with("POST http://models.example/v1/chat/completions "),
        "{line}"
    );
}
