//! A run in a process of its own that a test commands from outside.
//!
//! Must not know: what is tested.

use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use overrule::domain::call::Status;
use overrule::domain::id::NodeId;
use overrule::domain::state::State;
use overrule::domain::turn::Stream;
use rustix::process::Signal;

use crate::cli::decisions::{call, digest};
use crate::cli::world::{Said, World, signal, until, wait};

/// A process that holds a session; ended when the test ends.
pub struct Holder<'w> {
    pub world: &'w World,
    pub id: String,
    child: Option<Child>,
}

impl<'w> Holder<'w> {
    /// A run of a playbook that takes commands.
    pub fn play(world: &'w World, playbook: &str, more: &[&str]) -> Self {
        let mut command = world.playing(playbook, &["--control"]);
        command.args(more);
        Self::start(world, command)
    }

    /// Any run; commands are taken when this returns.
    pub fn start(world: &'w World, mut command: Command) -> Self {
        let before = sockets(world);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = child.spawn().unwrap();
        let mut holder = Self {
            world,
            id: String::new(),
            child: Some(child),
        };
        until("a socket is there", || {
            sockets(world).iter().any(|path| !before.contains(path))
        });
        holder.id = world.ids().pop().unwrap();
        holder
    }

    /// The holder as a process.
    pub fn child(&self) -> &Child {
        self.child.as_ref().unwrap()
    }

    /// What the session amounts to by now.
    pub fn state(&self) -> State {
        self.world.state(&self.id)
    }

    /// Waits for a call to wait for the operator while nothing else runs; returns it and its digest.
    pub fn waiting(&self, label: &str) -> (String, String) {
        until("the call waits", || {
            let state = self.state();
            let streams = state.turns.values().any(|turn| turn.stream == Stream::Open);
            let waits = state.calls.values().any(|call| {
                *call.label == *label && matches!(call.status, Status::AwaitingApproval | Status::Consent(_))
            });
            waits && !streams && state.agenda.running.is_empty()
        });
        let id = call(&self.state(), label);
        (id.to_string(), digest(self.world, &self.id, id))
    }

    /// Approves a call when it waits.
    pub fn approve(&self, label: &str) -> Said {
        let (call, digest) = self.waiting(label);
        self.world
            .run(&["approve", &self.id, &call, "--digest", &digest])
            .ends(0)
    }

    /// How often a call was executed.
    pub fn executions(&self, call: NodeId) -> usize {
        crate::cli::decisions::executions(&self.state(), call)
    }

    /// The end of the run by itself.
    pub fn end(mut self) -> Said {
        wait(self.child.take().unwrap())
    }

    /// The end without a word.
    pub fn kill(mut self) -> String {
        let child = self.child.take().unwrap();
        signal(&child, Signal::KILL);
        assert_eq!(wait(child).code, None);
        std::mem::take(&mut self.id)
    }
}

impl Drop for Holder<'_> {
    fn drop(&mut self) {
        if let Some(mut child) = self.child.take() {
            child.kill().unwrap_or_default();
            child.wait().unwrap();
        }
    }
}

/// The directory that sockets are in where there is no runtime directory.
pub fn directory(world: &World) -> PathBuf {
    world.path("home/.local/state/overrule/run")
}

/// The sockets that there are.
pub fn sockets(world: &World) -> Vec<PathBuf> {
    let mut all: Vec<PathBuf> = [directory(world), world.path("runtime/overrule")]
        .iter()
        .filter_map(|dir| std::fs::read_dir(dir).ok())
        .flat_map(|entries| entries.flatten().map(|entry| entry.path()))
        .filter(|path| path.extension().is_some_and(|ending| ending == "sock"))
        .collect();
    all.sort();
    all
}
