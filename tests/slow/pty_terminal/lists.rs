//! Tests of lists on a terminal.
//!
//! Must not know: what is in them.

use crate::pty_terminal::harness::SOON;
use crate::pty_terminal::live::World;

#[test]
fn a_list_fits_the_terminal() {
    let world = World::playing("");
    let mut run = world.program(&[&["demo"]], "");
    assert_eq!(run.exit(SOON), 0);
    let text = run.text();
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    assert!(lines.iter().all(|line| line.chars().count() <= 80), "{text}");
    let office = lines.iter().position(|line| line.starts_with("  office"));
    assert!(lines[office.unwrap()].ends_with("user"), "{text}");
}
