//! Tests of `kill -9` at random moments, repeated until the run is finished.
//!
//! Must not know: what the run does.

#![expect(clippy::disallowed_methods, reason = "a kill needs a moment")]

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::crash::course::{self, each_effect_once, fresh, left, resolve, undisturbed};
use crate::crash::world::{Said, World, signal, wait};

/// Kills of one session; then it may finish.
const PER_SESSION: usize = 6;

/// Numbers without a pattern, the same in every run.
pub struct Dice(pub u64);

impl Dice {
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % bound.max(1)
    }
}

/// Starts a command and kills it after a while, unless it has ended by then.
fn kill_after(mut command: Command, delay: Duration) -> Said {
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let began = Instant::now();
    while began.elapsed() < delay && child.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_micros(300));
    }
    if child.try_wait().unwrap().is_none() {
        signal(&child, Signal::KILL);
    }
    wait(child)
}

/// Every whole line that was printed is in the journal: what was acknowledged is not lost.
fn keeps_what_was_told(world: &World, id: &str, message: &[String]) {
    let journal = world.journal(id);
    let recorded: std::collections::HashSet<&str> = journal.lines().collect();
    for line in message {
        assert!(recorded.contains(line.as_str()), "told and lost: {line}");
    }
}

fn events(output: &Said) -> Vec<String> {
    let whole = output.out.rfind('\n').map_or("", |end| &output.out[..end]);
    let lines = whole.lines().filter(|line| line.starts_with("{\"v\":"));
    lines.map(str::to_owned).collect()
}

/// Kills one session again and again; gives the number of kills that hit.
fn torment(dice: &mut Dice, length: Duration, expected: &course::Left) -> usize {
    let world = World::new();
    let mut message = Vec::new();
    let mut kills = 0;
    let mut id: Option<String> = None;
    let output = loop {
        let command = match &id {
            None => fresh(&world, &["--json"]),
            Some(id) => world.command(&["resume", id, "--headless", "--policy", "auto", "--json"]),
        };
        let delay = if kills < PER_SESSION {
            Duration::from_micros(dice.below(length.as_micros() as u64))
        } else {
            Duration::from_secs(60)
        };
        let output = kill_after(command, delay);
        message.extend(events(&output));
        // Killed before its journal was created, a session is a directory that nothing lists.
        let has_journal = |id: &String| world.sessions().join(id).join("journal.jsonl").exists();
        id = world.ids().into_iter().rfind(has_journal);
        assert!(id.is_some() || message.is_empty(), "told and lost: {message:?}");
        if let Some(known) = &id {
            keeps_what_was_told(&world, known, &message);
            if world.facts(known).is_empty() {
                // Nothing had begun: the person starts again.
                assert!(message.is_empty());
                world.run(&["sessions", "delete", known]).ends(0);
                id = None;
            }
        }
        match output.code {
            None => kills += 1,
            Some(0) => break output,
            Some(4) => resolve(&world, id.as_deref().unwrap()),
            Some(code) => panic!("unexpected end {code}\n{}", output.err),
        }
    };
    let id = id.unwrap();
    keeps_what_was_told(&world, &id, &message);
    world.run(&["sessions", "verify", &id]).ends(0);
    each_effect_once(&world.state(&id));
    drop(output);
    // Again without events: a finished run prints its answer.
    let output = world.run(&["resume", &id, "--headless"]).ends(0);
    assert_eq!(&left(&world, &id, &output), expected);
    kills
}

#[test]
fn killed_at_any_moment_a_run_comes_to_the_same_end() {
    let requested = overrule_testing::times(5) as usize;
    let world = World::new();
    let began = Instant::now();
    let (expected, _) = undisturbed(&world);
    let length = began.elapsed();
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    let mut kills = 0;
    while kills < requested {
        kills += torment(&mut dice, length, &expected);
    }
}
