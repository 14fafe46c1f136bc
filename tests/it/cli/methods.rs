//! Tests of what follows from an HTTP method: the effect class, and whether a request is retried.
//!
//! Must not know: how a request is made.

use serde_json::json;

use crate::cli::server::{Reply, Server, answer_in_words, calls};
use crate::cli::world::World;
use overrule::domain::call::EffectClass;

const BUSY: fn() -> Reply = || Reply::Status(503, "", "busy");

/// Runs one request with this method to a site that is busy twice; returns its effect class, and how often the site was
/// asked.
fn sent(method: &str, settings: &str) -> (EffectClass, usize) {
    let world = World::new();
    let dir = world.path("home/.config/overrule");
    std::fs::create_dir_all(&dir).unwrap();
    let retry = "[resilience.retry]\nfirst = \"1ms\"\nlongest = \"1ms\"";
    let text = format!(
        "[policy]\npreset = \"auto\"\n[[policy.rule]]\ngate = \"allow\"\ntool = \"http_request\"\n{retry}\n{settings}\n"
    );
    std::fs::write(dir.join("config.toml"), text).unwrap();
    let site = Server::new(vec![BUSY(), BUSY(), Reply::Status(200, "", "fine")]);
    let args = json!({"method": method, "url": format!("{}/x", site.base)});
    let model = Server::new(vec![
        calls("I ask.", &[("call_1", "http_request", args)]),
        answer_in_words("done"),
    ]);
    let base = model.base.clone();
    world
        .run(&["run", "ask", "--headless", "--model", "m", "--base-url", &base])
        .ends(0);
    let state = world.state(&world.id());
    let effect = state.calls.values().next().unwrap().effect;
    (effect, site.seen().len())
}

#[test]
fn a_request_is_sent_again_only_as_the_class_of_its_method_allows() {
    // Every third is of another class: one round has each class.
    let methods = [
        ("GET", EffectClass::Read, 3),
        ("HEAD", EffectClass::Read, 3),
        ("DELETE", EffectClass::Idempotent, 3),
        ("PUT", EffectClass::Idempotent, 3),
        ("PATCH", EffectClass::Unknown, 1),
        ("OPTIONS", EffectClass::Unknown, 1),
        ("POST", EffectClass::Unknown, 1),
    ];
    for (method, effect, times) in overrule_testing::sample(methods, 3) {
        assert_eq!(sent(method, ""), (effect, times), "{method}");
    }
}

#[test]
fn the_settings_may_say_otherwise_of_a_tool() {
    let write = "[tool.http_request]\neffect = \"write\"";
    assert_eq!(sent("GET", write), (EffectClass::Write, 1));
    let idempotent = "[tool.http_request]\neffect = \"idempotent\"";
    assert_eq!(sent("POST", idempotent), (EffectClass::Idempotent, 3));
}

#[test]
fn an_answer_after_a_failed_call_names_it() {
    let world = World::new();
    let model = || {
        Server::new(vec![
            calls("I read.", &[("call_1", "read_file", json!({"path": "gone.txt"}))]),
            answer_in_words("done"),
        ])
    };
    let run = |more: &[&str]| {
        let server = model();
        let mut args = vec![
            "run",
            "ask",
            "--headless",
            "--model",
            "m",
            "--base-url",
            &server.base,
        ];
        args.extend(more);
        world.run(&args).ends(0)
    };
    run(&[]).tells("1 call has no result: c");
    let out = run(&["--json"]).out;
    let result: serde_json::Value = serde_json::from_str(out.lines().last().unwrap()).unwrap();
    assert_eq!(result["answer"], "done");
    assert_eq!(result["failed_calls"].as_array().unwrap().len(), 1, "{result}");
}
