//! The run over three turns that all edits are made on, and the requests after an edit.
//!
//! Must not know: which edits.

use std::process::Stdio;

use overrule::domain::id::{NodeId, NodeKind};
use overrule::domain::state::State;
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::wire::formats::{Asked, Format, Message, Part};
use crate::wire::pick::{call, node};
use crate::wire::server::{Reply, Server};
use crate::wire::world::{Said, World, finish, signal, until, wait};

/// Messages of the last request of the run: system, task, first message, its three results,
/// second message, its result.
pub const MESSAGES: usize = 8;

/// What the model says in the first turn: two calls, a thought between them and a third that reads
/// the first.
pub fn first() -> Vec<Part> {
    vec![
        Part::Signed("I weigh what to look at.", "signature-one"),
        Part::Text("I look around."),
        Part::Call("a", "read_file", json!({"_as": "notes", "path": "notes.txt"})),
        Part::Call(
            "b",
            "shell",
            json!({"_as": "start", "command": "echo start >> log.txt; echo started"}),
        ),
        Part::Text("And I copy the notes."),
        Part::Call(
            "c",
            "write_file",
            json!({"_as": "copy", "path": "copy.txt", "content": "†call.notes"}),
        ),
    ]
}

/// What it says in the second turn.
pub fn second() -> Vec<Part> {
    vec![
        Part::Signed("Now the end.", "signature-two"),
        Part::Text("I log the end."),
        Part::Call(
            "d",
            "shell",
            json!({"_as": "finish", "command": "echo finish >> log.txt; echo finished"}),
        ),
    ]
}

/// An answer.
pub fn answer(format: &Format, words: &'static str) -> Reply {
    format.message(&[Part::Text(words)])
}

/// The finished run.
pub struct Course {
    /// Where.
    pub world: World,
    /// The session.
    pub id: String,
    /// The format.
    pub format: &'static Format,
    /// What was asked on the way.
    pub asked: Vec<Asked>,
}

/// The operator's settings of a run whose questions stay open until they are answered.
const PATIENT: &str = "[policy]\npreset = \"guarded\"\ndeadline = \"1h\"\n";

/// What the model says where calls wait: one runs, one waits for approval, one for what that gives,
/// and one for approval again.
pub fn waiting() -> Vec<Part> {
    vec![
        Part::Text("I look and log."),
        Part::Call("a", "read_file", json!({"_as": "notes", "path": "notes.txt"})),
        Part::Call(
            "b",
            "shell",
            json!({"_as": "start", "command": "echo start >> log.txt; echo started"}),
        ),
        Part::Call(
            "c",
            "write_file",
            json!({"_as": "copy", "path": "copy.txt", "content": "†call.start"}),
        ),
        Part::Call(
            "d",
            "shell",
            json!({"_as": "other", "command": "echo other >> log.txt; echo other"}),
        ),
    ]
}

/// The outcome of a resume after an edit.
pub struct After {
    /// What the program said.
    pub said: Said,
    /// What was asked.
    pub asked: Vec<Asked>,
}

impl After {
    /// The only request.
    #[track_caller]
    pub fn one(&self) -> &Asked {
        assert_eq!(self.asked.len(), 1, "one request was expected");
        &self.asked[0]
    }
}

impl Course {
    /// Runs it.
    pub fn new(format: &'static Format) -> Self {
        let world = World::new();
        let server = Server::new(vec![
            format.message(&first()),
            format.message(&second()),
            answer(format, "All is done."),
        ]);
        let output = finish(crate::wire::asking(
            &world,
            &server,
            &flags(format, &["--policy", "auto"]),
        ))
        .ends(0);
        assert_eq!(output.out, "All is done.\n");
        assert_eq!(world.read("log.txt"), "start\nfinish\n");
        let asked = format.all(&server.seen());
        let phase = Self {
            id: world.id(),
            world,
            format,
            asked,
        };
        assert_eq!(phase.asked.len(), 3);
        assert_eq!(phase.asked[2].messages.len(), MESSAGES);
        phase.consecutive(&phase.asked);
        phase
    }

    /// A run of [`waiting`] that was interrupted while its calls waited.
    pub fn interrupted(format: &'static Format) -> Self {
        let world = World::new();
        let server = Server::new(vec![format.message(&waiting())]);
        let config = world.aside("patient.toml", PATIENT);
        let mut command = crate::wire::asking(&world, &server, &flags(format, &["--config", &config]));
        let piped = command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = piped.spawn().unwrap();
        until("calls wait", || {
            let id = world.ids().pop();
            let path = id.map(|id| world.sessions().join(id).join("journal.jsonl"));
            let text = path.map(|path| std::fs::read_to_string(path).unwrap_or_default());
            text.is_some_and(|text| {
                text.matches(r#""type":"call.asked""#).count() == 2
                    && text.matches(r#""type":"call.finished""#).count() == 1
            })
        });
        signal(&child, Signal::TERM);
        wait(child).ends(143);
        Self {
            id: world.id(),
            world,
            format,
            asked: format.all(&server.seen()),
        }
    }

    /// What the queue shows of a call.
    #[track_caller]
    pub fn digest(&self, call: NodeId) -> String {
        let output = self.verb(&["queue", "--json"]);
        let lines = output.out.lines().map(serde_json::from_str::<Value>);
        let line = lines
            .map(Result::unwrap)
            .find(|line| line["call"] == call.to_string());
        line.unwrap()["digest"].as_str().unwrap().to_owned()
    }

    /// Runs a verb and resumes with a server that answers with these messages.
    #[track_caller]
    pub fn after(&self, verb: &[&str], replies: Vec<Reply>) -> After {
        let server = Server::new(replies);
        let mut args = vec![verb[0], self.id.as_str()];
        args.extend(&verb[1..]);
        args.extend(["--resume", "--policy", "auto", "--base-url", &server.base]);
        let output = finish(self.world.command(&flags(self.format, &args)));
        let output = output.ends(0);
        let asked = self.format.all(&server.seen());
        self.consecutive(&asked);
        After { said: output, asked }
    }

    /// Runs a verb alone.
    #[track_caller]
    pub fn verb(&self, verb: &[&str]) -> Said {
        let mut args = vec![verb[0], self.id.as_str()];
        args.extend(&verb[1..]);
        self.world.run(&args).ends(0)
    }

    /// Fails unless each request is coherent and repeats the bytes of the one before it. Notices that
    /// only the newest request has are at its end and are not repeated.
    #[track_caller]
    fn consecutive(&self, asked: &[Asked]) {
        asked.iter().for_each(Asked::coherent);
        for pair in asked.windows(2) {
            let stored = standing(&pair[0]);
            assert_eq!(pair[1].upto(stored), pair[0].upto(stored), "{}", self.format.name);
        }
    }

    /// Fails unless a request repeats exactly this many messages of the last request of the run, byte
    /// for byte.
    #[track_caller]
    pub fn repeats(&self, asked: &Asked, messages: usize) {
        let before = &self.asked[2];
        assert_eq!(asked.upto(messages), before.upto(messages), "{asked}");
        if messages < MESSAGES {
            assert_ne!(
                asked.messages.get(messages),
                before.messages.get(messages),
                "{asked}"
            );
        }
    }

    /// The state.
    pub fn state(&self) -> State {
        self.world.state(&self.id)
    }

    /// The call of a label.
    #[track_caller]
    pub fn call(&self, label: &str) -> NodeId {
        call(&self.state(), label)
    }

    /// The node with these words that counts.
    #[track_caller]
    pub fn node(&self, kind: NodeKind, words: &str) -> String {
        node(&self.state(), kind, words).to_string()
    }

    /// The number of the turn that a call of this label is in.
    pub fn turn(&self, label: &str) -> String {
        let state = self.state();
        state.turn_of(call(&state, label)).unwrap().id.0.to_string()
    }
}

/// Number of messages of a request, without the notices at its end that only the newest request has.
pub fn standing(asked: &Asked) -> usize {
    let passing =
        |message: &&Message| matches!(message, Message::Console(text) if text.contains("Already happened"));
    asked.messages.len() - asked.messages.iter().rev().take_while(passing).count()
}

/// Arguments with the flags of a format.
pub fn flags<'a>(format: &Format, args: &[&'a str]) -> Vec<&'a str> {
    args.iter().copied().chain(format.flags.iter().copied()).collect()
}
