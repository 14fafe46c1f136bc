//! Tests of the setting that reports edits to the model: the setting at the start of a run applies.
//!
//! Must not know: how a request is made.
//!
//! A resumed run keeps the setting, even if the file has another one by then.

use serde_json::json;

use crate::cli::server::{Server, answer_in_words, calls};
use crate::cli::world::World;

const NOTE: &str = "operator changed arguments";

/// The request after an edit of a run that began with the first settings and resumed with the second.
fn after_an_edit(begun: &str, continues: &str) -> String {
    let world = World::new();
    let dir = world.path("home/.config/overrule");
    std::fs::create_dir_all(&dir).unwrap();
    let set = |settings: &str| std::fs::write(dir.join("config.toml"), settings).unwrap();
    set(begun);
    let read = calls(
        "I read.",
        &[("c", "read_file", json!({"path": "notes.txt", "lines": 1}))],
    );
    let server = Server::new(vec![read, answer_in_words("alpha"), answer_in_words("beta")]);
    let (model, base) = ("m", server.base.as_str());
    world
        .run(&["run", "look", "--headless", "--model", model, "--base-url", base])
        .ends(0);
    set(continues);
    let id = world.id();
    let args = r#"{"path":"notes.txt","from_line":2}"#;
    world
        .run(&["edit", &id, "c3", "--args", args, "--resume"])
        .ends(0);
    assert_eq!(server.seen().len(), 3);
    let sent = server.seen()[2].body.clone();
    assert!(
        sent.contains("from_line") && sent.contains("beta"),
        "what ran is sent: {sent}"
    );
    assert!(!sent.contains("alpha"), "{sent}");
    sent
}

#[test]
fn a_run_tells_of_edits_as_it_was_begun() {
    let idle = "tell_edits = false\n";
    assert!(after_an_edit("", idle).contains(NOTE));
    assert!(!after_an_edit(idle, "").contains(NOTE));
}
