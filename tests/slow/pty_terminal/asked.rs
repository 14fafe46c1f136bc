//! Tests of the question that a verb asks at a terminal before an irreversible change.

use crate::pty_terminal::harness::{SOON, writes};
use crate::pty_terminal::live::World;

/// The sessions that are there.
fn ids(world: &World) -> Vec<String> {
    let dir = world.work().parent().unwrap().join("data/overrule/sessions");
    let names = std::fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().file_name());
    names.map(|name| name.into_string().unwrap()).collect()
}

#[test]
fn a_session_is_deleted_only_after_a_yes() {
    let world = World::playing(&writes(&[("w", "out.txt", "x")]));
    let mut run = world.task("write it", "", "");
    run.wait_for(" to decide");
    run.send("q");
    run.exit(SOON);
    let all = ids(&world);
    let id = all[0].clone();
    let delete = |answer: &str| {
        let mut run = world.program(&[&["sessions", "delete", &id]], "");
        run.wait_for("Type `yes`");
        let asked = run.text();
        assert!(asked.contains(&id[..13]) && asked.contains("open"), "{asked}");
        run.send(answer);
        assert_eq!(run.exit(SOON), 0);
        run.text()
    };
    for answer in ["\r", "y\r", "no\r", "\u{4}"] {
        let output = delete(answer);
        assert!(output.contains("nothing was deleted"), "{answer:?}: {output}");
        assert_eq!(ids(&world), all, "{answer:?}");
    }
    let output = delete("yes\r");
    assert!(output.contains("deleted") && ids(&world).is_empty(), "{output}");
}
