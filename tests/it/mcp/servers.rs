//! Worlds with the faulty server, trusted or not.
//!
//! Must not know: what is tested.

use serde_json::{Value, json};

use crate::mcp::faulty;
use crate::mcp::world::{Said, World};

/// A world whose workspace names the server `bad`.
pub struct Served {
    pub world: World,
}

/// What `.mcp.json` says about the server, with further variables.
pub fn server(world: &World, more: &[(&str, &str)]) -> Value {
    let log = world.path("faulty.log");
    let mut env = json!({ faulty::LOG: log.to_str().unwrap() });
    for (name, value) in more {
        env[*name] = (*value).into();
    }
    let program = std::env::current_exe().unwrap();
    json!({ "command": program.to_str().unwrap(), "args": ["mcp::faulty_server", "--exact", "--nocapture"], "env": env })
}

impl Served {
    /// A workspace with the server that nobody trusts yet.
    pub fn untrusted(more: &[(&str, &str)]) -> Self {
        let world = World::new();
        let served = Self { world };
        served.write(more);
        served
    }

    /// The same, trusted.
    pub fn new(more: &[(&str, &str)]) -> Self {
        let served = Self::untrusted(more);
        served.trust();
        served
    }

    /// Writes `.mcp.json` again.
    pub fn write(&self, more: &[(&str, &str)]) {
        let file = json!({ "mcpServers": { "bad": server(&self.world, more) } });
        self.world.file(".mcp.json", &file.to_string());
    }

    /// Changes the definitions of the server, and nothing in the files of the workspace. It never reads an empty version.
    pub fn change(&self, version: &str) {
        let new = self.world.aside("faulty.log.version.new", version);
        std::fs::rename(new, self.world.path("faulty.log.version")).unwrap();
    }

    /// Trusts `.mcp.json` as it is now.
    pub fn trust(&self) {
        let hash = self.hash();
        self.world.run(&["trust", "--hash", &hash]).ends(0);
    }

    /// The hash that `overrule trust` prints.
    pub fn hash(&self) -> String {
        let said = self.world.run(&["trust", "--json"]).ends(0);
        let line: Value = serde_json::from_str(said.out.lines().next().unwrap()).unwrap();
        line["hash"].as_str().unwrap().to_owned()
    }

    /// What happened at the server.
    pub fn log(&self) -> Vec<String> {
        let text = std::fs::read_to_string(self.world.path("faulty.log")).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    /// The calls that reached the server.
    pub fn calls(&self) -> Vec<String> {
        let log = self.log().into_iter();
        log.filter_map(|line| Some(line.strip_prefix("call ")?.to_owned()))
            .collect()
    }

    /// Calls a tool by hand.
    pub fn call(&self, tool: &str, args: &str) -> Said {
        self.world.run(&["tools", "call", &format!("bad__{tool}"), args])
    }

    /// Runs a playbook of one batch of calls, with a policy.
    pub fn play(&self, calls: &[(&str, Value)], policy: &str) -> Said {
        let policy = self.world.aside("policy.toml", policy);
        self.world.play(&playbook(calls), &["--policy", &policy])
    }
}

/// A playbook that makes these calls at once and answers with what came of the first.
pub fn playbook(calls: &[(&str, Value)]) -> String {
    let mut text = "[meta]\nname = \"mcp\"\n[[rule]]\nwhen = { seen_call = \"it0\" }\n\
                    answer = \"{{ result.it0 | default('no result') }}\"\n[[rule]]\nthink = \"I call.\"\n"
        .to_owned();
    for (at, (tool, args)) in calls.iter().enumerate() {
        let args: toml::Value = serde_json::from_value(args.clone()).unwrap();
        let call = format!("[[rule.call]]\ntool = \"bad__{tool}\"\nas = \"it{at}\"\nargs = {args}\n");
        text.push_str(&call);
    }
    text
}

/// A policy that lets everything run.
pub const ALLOW: &str = "preset = \"auto\"\n[[rule]]\ntool = \"bad__*\"\ngate = \"allow\"\n";

/// Whether a process of the faulty server with this log still runs.
pub fn is_running(world: &World) -> bool {
    !pids(world).is_empty()
}

/// The processes of the faulty server with this log.
pub fn pids(world: &World) -> Vec<i32> {
    let log = world.path("faulty.log");
    let wanted = format!("{}={}", faulty::LOG, log.to_str().unwrap());
    let all = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    all.filter(|entry| {
        let environ = std::fs::read(entry.path().join("environ")).unwrap_or_default();
        String::from_utf8_lossy(&environ)
            .split('\0')
            .any(|one| one == wanted)
    })
    .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
    .collect()
}
