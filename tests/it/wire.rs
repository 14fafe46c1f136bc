//! Tests of the real program against a local server: requests, answers and failures.
//!
//! Must not know: how the program decodes a stream.

use crate::support::{live, pick, server, world};

mod again;
mod agents;
mod branches;
mod chosen;
mod course;
mod edits;
mod endless;
mod failing;
mod formats;
mod inserting;
mod keyed;
mod listened;
mod long_requests;
mod operating;
mod recording;
mod reused;
mod rules;
mod running;
mod served;
mod stage;
mod streaming;
mod taken;
mod talking;
mod unanswered;
mod waiting;

use std::process::Command;

use server::Server;
use world::World;

/// The program on a task, with this server's model.
fn asking(world: &World, server: &Server, more: &[&str]) -> Command {
    let mut args = vec![
        "run",
        "--headless",
        "--model",
        "test",
        "--base-url",
        &server.base,
        "the task",
    ];
    args.extend(more);
    let mut command = world.command(&args);
    // Whatever the machine's own proxy is, it has no business here.
    command.env("NO_PROXY", "127.0.0.1");
    command
}
