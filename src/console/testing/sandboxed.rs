//! Calls that the sandbox refused something.
//!
//! Must not know: keys, what is drawn.

use super::{Stage, id};
use overrule_domain::call::Outcome;
use overrule_domain::event::run::Confinement;
use overrule_domain::event::{Event, RunEvent, SandboxEvent};
use overrule_domain::id::Attempt;
use overrule_domain::sandbox::{Guarantee, Level, Missing, Profile, Refused, RefusedKind};

impl Stage {
    /// A profile without this guarantee, if any.
    pub fn profile(missing: Option<Guarantee>) -> Profile {
        let missing = missing.map(|guarantee| Missing {
            guarantee,
            why: "no user namespaces".into(),
        });
        Profile {
            level: Level::Workspace,
            write: vec!["/home/ada/stats".into()],
            hidden: vec!["/home/ada/.ssh".into(), "/home/ada/.aws".into()],
            missing: missing.into_iter().collect(),
            ..Profile::default()
        }
    }

    /// Sets the run up again with this sandbox.
    pub fn confine(&mut self, profile: Profile) {
        let mut started = (**self.model.run.state.started.as_ref().unwrap()).clone();
        started.sandbox = Confinement::from(profile);
        for card in &mut started.tools {
            card.confined = &*card.name == "shell";
        }
        self.engine(Event::Run(RunEvent::Refitted {
            started: Box::new(started),
        }));
    }

    /// Runs a command that ends with exit code 1 and was refused this.
    pub fn refused(&mut self, node: &str, line: &str, refused: Vec<Refused>) {
        let args = serde_json::json!({ "command": line }).to_string();
        self.running(node, "shell", &args);
        self.engine(Event::Sandbox(SandboxEvent::Confined {
            call: id(node),
            attempt: Attempt(1),
            refused,
        }));
        let outcome = Outcome::Ok {
            value: "\"npm error network\"".into(),
            meta: None,
            discarded: 0,
            exit: Some(1),
        };
        self.finish(node, outcome);
    }

    /// A run without this guarantee, whose call `c3` was refused this; the cursor is on it.
    pub fn installs(&mut self, missing: Option<Guarantee>, line: &str, refused: Vec<Refused>) {
        self.fixing();
        self.confine(Self::profile(missing));
        self.request(2, 1);
        self.thought("t2", "I install what the tests need.");
        self.refused("c3", line, refused);
        self.closes(2);
        self.draw();
        self.on("c3");
    }

    /// A run in a partial sandbox whose call `c3` was refused a host and had a change undone.
    pub fn npm_refused(&mut self) {
        let undone = Refused {
            kept: Some("/state/undone-1/.mcp.json".into()),
            ..Refused::exact(RefusedKind::Protected, ".mcp.json")
        };
        let network = Refused::exact(RefusedKind::Network, "registry.example.org:443");
        self.installs(Some(Guarantee::Attributes), "npm ci", vec![network, undone]);
    }
}
