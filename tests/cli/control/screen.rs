//! A run on the screen takes commands from outside, too. Must not know: what the screen looks like.

use std::io::Read as _;

use portable_pty::{CommandBuilder, PtySize, native_pty_system};

use super::holder::sockets;
use crate::decisions::{call, digest};
use crate::playbooks::STEPS;
use crate::world::{World, until};

#[test]
fn a_run_on_the_screen_takes_commands() {
    let world = World::new();
    let file = world.aside("playbook.toml", STEPS);
    let plain = world.command(&[
        "run",
        "--control",
        "--model",
        "scripted",
        "--playbook",
        &file,
        "go",
    ]);
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
    let mut child = pair.slave.spawn_command(command).unwrap();
    let mut from = pair.master.try_clone_reader().unwrap();
    // Somebody must read what the screen shows, or the program waits for it.
    let reader = std::thread::spawn(move || {
        let mut piece = [0_u8; 4096];
        while from.read(&mut piece).is_ok_and(|count| count > 0) {}
    });
    until("a socket is there", || !sockets(&world).is_empty());
    let id = world.id();
    until("the call waits", || world.state(&id).queue().count() == 1);
    let start = call(&world.state(&id), "start");
    let seen = digest(&world, &id, start);
    world
        .run(&["approve", &id, &start.to_string(), "--digest", &seen])
        .ends(0);
    until("it runs", || world.read("log.txt") == "start\n");
    child.kill().unwrap();
    child.wait().unwrap();
    drop(pair);
    reader.join().unwrap();
}
