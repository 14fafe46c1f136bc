//! A run in this process against a server of the test, to be edited while it is in progress.
//!
//! Must not know: which edits.

use std::time::Duration;

use overrule::domain::call::{Call, Status};
use overrule::domain::command::{Command, Edit, EditCommand};
use overrule::domain::id::{NodeId, Rev};
use overrule::domain::state::{Mode, State};
use overrule::domain::turn::Turn;
use overrule::policy::Preset;
use serde_json::json;

use crate::wire::formats::{Asked, Format, Part};
use crate::wire::live::{Live, adviser};
use crate::wire::pick::call;
use crate::wire::server::{Reply, Server};
use crate::wire::world::World;

/// Undoes the newest active edit.
pub const UNDO: Command = Command::Edit(EditCommand::Undo {
    epoch: None,
    effects_seen: None,
});

/// A command that leaves its mark and does not end by itself.
const SLOW: &str = "echo begun >> log.txt; sleep 600";
/// A command that leaves its mark and ends once there is a file `go`.
const PATIENT: &str = "echo begun >> log.txt; until test -e go; do sleep 0.01; done; echo went on";

/// A run and the server that it talks to.
pub struct Stage {
    format: &'static Format,
    /// Where.
    pub world: World,
    /// The server.
    pub server: Server,
    /// The run.
    pub live: Live,
}

impl Stage {
    /// Begins a run of the task with a server that answers so.
    pub async fn new(format: &'static Format, replies: Vec<Reply>) -> Self {
        Self::under(Preset::Auto, format, replies).await
    }

    /// The same under a preset of the policy.
    pub async fn under(preset: Preset, format: &'static Format, replies: Vec<Reply>) -> Self {
        let (world, server) = (World::new(), Server::new(replies));
        let model = (format.model)(&server.base);
        let workspace = std::fs::canonicalize(world.ws()).unwrap();
        let (live, _) = Live::begin(adviser(&workspace, preset), model, "the task").await;
        Self {
            format,
            world,
            server,
            live,
        }
    }

    /// The call of a label.
    pub fn call(&self, label: &str) -> NodeId {
        call(&self.live.state, label)
    }

    /// The revision that a node has now.
    pub fn rev(&self, id: NodeId) -> Rev {
        self.live.state.nodes[&id].rev()
    }

    /// Commits edits as one.
    pub async fn commit(&self, edits: Vec<Edit>) {
        self.live.commit(edits).await.unwrap();
    }

    /// Waits until the command of a call has left its mark.
    pub async fn running(&mut self, label: &str) -> (u32, u64) {
        let runs = |state: &State| {
            state.calls.values().any(|call| {
                *call.label == *label
                    && call.is_running()
                    && call
                        .last_attempt()
                        .is_some_and(|last| last.launch.process.is_some())
            })
        };
        self.live.until("the command runs", runs).await;
        let world = &self.world;
        eventually("it has begun", || world.read("log.txt").contains("begun")).await;
        let call = &self.live.state.calls[&self.call(label)];
        call.last_attempt().unwrap().launch.process.unwrap()
    }

    /// Waits until this many calls have a result.
    pub async fn read_ended(&mut self, calls: usize) {
        let ended = move |state: &State| {
            let done = |call: &&Call| call.status == Status::Succeeded;
            state.calls.values().filter(done).count() == calls
        };
        self.live.until("the reads have ended", ended).await;
    }

    /// Waits for the answer.
    pub async fn finished(&mut self) {
        let done = |state: &State| matches!(state.mode, Mode::Finished(_));
        self.live.until("an answer", done).await;
    }

    /// Waits until the client closes the connection of a request, counted from 0.
    pub async fn closed(&self, request: usize) {
        let server = &self.server;
        eventually("the client closes the connection", || server.closed(request)).await;
    }

    /// What was asked so far, all of it coherent.
    pub fn asked(&self) -> Vec<Asked> {
        let asked = self.format.all(&self.server.seen());
        asked.iter().for_each(Asked::coherent);
        asked
    }

    /// Ends the run, all of whose requests were coherent; gives them and the state.
    pub async fn end(mut self) -> (Vec<Asked>, State, World) {
        self.finished().await;
        let asked = self.asked();
        self.live.handle.shutdown().await;
        (asked, self.live.state.clone(), self.world)
    }
}

/// Waits until something holds, but not for ever.
pub async fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let patience = async {
        while !holds() {
            tokio::time::sleep(Duration::from_millis(3)).await;
        }
    };
    let waited = tokio::time::timeout(Duration::from_secs(60), patience).await;
    waited.unwrap_or_else(|_| panic!("never: {what}"));
}

/// A command that does not end by itself.
pub fn slow(label: &str) -> Part {
    Part::Call("slow", "shell", json!({"_as": label, "command": SLOW}))
}

/// A command that ends once there is a file `go`.
pub fn patient(label: &str) -> Part {
    Part::Call("patient", "shell", json!({"_as": label, "command": PATIENT}))
}

/// A read of the notes.
pub fn read(label: &'static str) -> Part {
    Part::Call(label, "read_file", json!({"_as": label, "path": "notes.txt"}))
}

/// The call of this number, counted from 0, among those of turns that count.
pub fn call_of_turn(state: &State, number: usize) -> NodeId {
    let calls = state.calls.keys().copied();
    let calls: Vec<NodeId> = calls
        .filter(|id| state.turn_of(*id).is_some_and(Turn::is_active))
        .collect();
    calls[number]
}
