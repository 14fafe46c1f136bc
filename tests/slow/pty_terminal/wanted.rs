//! Tests of inspector data that is loaded on demand: after a cursor move, and after a change.

use crate::pty_terminal::live::World;

const PLAYBOOK: &str = r#"
[meta]
name = "one"
[[rule]]
think = "I will write."
[[rule.call]]
tool = "write_file"
as = "it"
args = { path = "out.txt", content = "agent\n" }
"#;

#[test]
fn the_file_that_a_write_would_replace_is_shown_as_it_is_now() {
    let world = World::playing(PLAYBOOK);
    let out = world.work().join("out.txt");
    std::fs::write(&out, "before\n").unwrap();
    let mut run = world.task("write it", "", "");
    run.wait_for(" to decide");
    // The write alone, so that all of it has room.
    run.send("t3z");
    run.wait_for("overwrites (the file exists)");
    run.wait_for("− before");
    run.wait_for("+ agent");
    std::fs::write(&out, "meanwhile\n").unwrap();
    run.wait_for("− meanwhile");
    std::fs::remove_file(&out).unwrap();
    run.wait_for("a new file");
    std::fs::write(&out, [0, 159, 1]).unwrap();
    run.wait_for("is no text");
    assert_eq!(std::fs::read(&out).unwrap(), [0, 159, 1], "nothing was written");
}

#[test]
fn what_the_cursor_moved_onto_is_read_too() {
    let world = World::playing(PLAYBOOK);
    let mut run = world.task("write it", "", "");
    run.wait_for(" to decide");
    // One after the other: keys that come faster than anybody types count for nothing.
    run.send("1g");
    run.wait_for("by the operator");
    run.send(">");
    run.wait_for("r1  ");
    run.send(">");
    run.wait_for("the model was not asked for it");
    run.send("j");
    run.wait_for("what the model saw for turn 2");
    run.until("what was sent", || {
        let text = run.screen().screen().contents();
        text.contains("model") && text.contains("scripted: one") && !text.contains("loading…")
    });
}
