//! Tests of the difference of all files that a run wrote.
//!
//! Must not know: how a difference is found.

use std::process::{Command, Stdio};

use crate::cli::world::World;

/// Text with tabs, blanks at ends of lines, a lone carriage return, control characters, no last line feed.
const BEFORE: &str = "a:\n\tone  \nb\rc\r\n\u{1b}[31m\u{202e}\n\n\tlast";
const AFTER: &str = "a:\n\ttwo \t\nb\rd\r\n\u{1b}[32m\u{202e}\n\n\tlast\n \n";

fn edited() -> World {
    let world = World::new();
    world.file("Makefile", BEFORE);
    world.file("two words.txt", "one\n");
    let quoted = |text: &str| {
        serde_json::to_string(text)
            .unwrap()
            .replace("\u{202e}", "\\u202e")
    };
    let playbook = format!(
        r#"
[meta]
name = "tabs"
[[rule]]
when = {{ done = ["a", "b", "c"] }}
answer = "written"
[[rule]]
think = "first"
[[rule.call]]
tool = "write_file"
as = "a"
args = {{ path = "Makefile", content = {} }}
[[rule.call]]
tool = "write_file"
as = "b"
args = {{ path = "two words.txt", content = "two\n" }}
[[rule.call]]
tool = "write_file"
as = "c"
args = {{ path = "new.txt", content = "\tnew" }}
"#,
        quoted(AFTER)
    );
    world.play(&playbook, &["--policy", "auto"]).ends(0);
    world
}

#[test]
fn in_a_pipe_the_difference_is_a_patch_that_git_applies() {
    let world = edited();
    let patch = world.run(&["changes"]).ends(0).out;
    for line in ["-\tone  ", "+\ttwo \t"] {
        assert!(patch.lines().any(|one| one == line), "{line:?}\n{patch:?}");
    }
    let files = [
        ("Makefile", BEFORE, AFTER),
        ("two words.txt", "one\n", "two\n"),
        ("new.txt", "", "\tnew"),
    ];
    for (name, before, after) in files {
        assert_eq!(world.read(name), after, "{name}");
        if before.is_empty() {
            std::fs::remove_file(world.ws().join(name)).unwrap();
        } else {
            std::fs::write(world.ws().join(name), before).unwrap();
        }
    }
    let file = world.aside("changes.patch", &patch);
    let apply = Command::new("git")
        .args(["apply", "--whitespace=nowarn", &file])
        .current_dir(world.ws())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert!(apply.status.success(), "{apply:?}\n{patch:?}");
    for (name, _, after) in files {
        assert_eq!(world.read(name), after, "{name}");
    }
}
