//! Tests that a run on the screen accepts commands from outside, too.
//!
//! Must not know: what the screen looks like.

use std::io::Read as _;
use std::thread::JoinHandle;

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

use super::holder::sockets;
use crate::cli::decisions::{call, digest};
use crate::cli::playbooks::STEPS;
use crate::cli::world::{World, until};

/// A run on a screen without a viewer; ended with the test.
struct Screen {
    child: Box<dyn Child + Send + Sync>,
    master: Option<Box<dyn MasterPty + Send>>,
    reader: Option<JoinHandle<()>>,
}

impl Screen {
    fn of(world: &World, playbook: &str) -> Self {
        let file = world.aside("playbook.toml", playbook);
        let model = ["--model", "scripted", "--playbook", &file];
        let plain = world.command(&[&["run", "--control", "go"][..], &model].concat());
        let mut command = CommandBuilder::new(plain.get_program());
        command.args(plain.get_args());
        command.env_clear();
        for (name, value) in plain.get_envs() {
            if let Some(value) = value {
                command.env(name, value);
            }
        }
        command.env("TERM", "xterm-256color");
        command.cwd(world.ws());
        let size = PtySize {
            rows: 30,
            cols: 100,
            pixel_width: 0,
            pixel_height: 0,
        };
        let pair = native_pty_system().openpty(size).unwrap();
        let child = pair.slave.spawn_command(command).unwrap();
        let mut from = pair.master.try_clone_reader().unwrap();
        // A thread must read what the screen shows, or the program waits for it.
        let reader = std::thread::spawn(move || {
            let mut piece = [0_u8; 4096];
            while from.read(&mut piece).is_ok_and(|count| count > 0) {}
        });
        until("a socket is there", || !sockets(world).is_empty());
        Self {
            child,
            master: Some(pair.master),
            reader: Some(reader),
        }
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        self.child.kill().unwrap_or_default();
        self.child.wait().unwrap();
        self.master.take();
        self.reader.take().unwrap().join().unwrap();
    }
}

#[test]
fn a_run_on_the_screen_takes_commands() {
    let world = World::new();
    let _screen = Screen::of(&world, STEPS);
    let id = world.id();
    until("the call waits", || world.state(&id).queue().count() == 1);
    let start = call(&world.state(&id), "start");
    let seen = digest(&world, &id, start);
    world
        .run(&["approve", &id, &start.to_string(), "--digest", &seen])
        .ends(0);
    until("it runs", || world.read("log.txt") == "start\n");
}

#[test]
fn a_stream_is_ended_from_outside_and_the_run_waits() {
    let world = World::new();
    let words = "one word after the other ".repeat(400);
    let slow = format!("[meta]\nname = \"slow\"\ntokens_per_s = 2.0\n[[rule]]\nanswer = \"{words}\"\n");
    let _screen = Screen::of(&world, &slow);
    let id = world.id();
    until("the model streams", || world.has_recorded(&id, "turn.requested"));
    world.run(&["stop-turn", &id]).ends(0);
    let journal = world.journal(&id);
    assert!(journal.contains("turn.aborted"), "{journal}");
    let state = world.state(&id);
    assert!(matches!(state.mode, overrule::domain::state::Mode::Paused(_)));
    assert_eq!(state.tally.requests, 1);
    world.run(&["stop-turn", &id]).ends(4);
}
