//! The agents that the program knows how to start. One file and one line of [`AGENTS`] each.
//!
//! Must not know: how a process is started.

use hyper::header::{HeaderMap, USER_AGENT};

use super::address;
use overrule_model::wire::Wire;

mod claude;
mod codex;
mod gemini;
mod goose;
mod home;
mod one_gate;
mod opencode;
mod qwen;

pub use home::Home;
pub use one_gate::OneGate;

/// How an agent is pointed to the proxy.
#[derive(Debug, Clone, Copy)]
pub struct Agent {
    /// Its program.
    pub program: &'static str,
    /// The address of its model, where its own variable does not name another.
    pub upstream: &'static str,
    /// The formats that it speaks, by name. That address serves the first one.
    pub wires: &'static [&'static str],
    /// A header of its requests under another log-in, and the address of the model for that one.
    pub other_log_in: Option<(&'static str, &'static str)>,
    /// The variable with which its user names another address, if it has one.
    pub upstream_variable: Option<&'static str>,
    /// Variables of its environment; `{base}` stands for the address of the proxy with the token in its path, `{base_path}`
    /// for that path, `{host}` for the address without it, `{token}` for the token.
    pub environment: &'static [(&'static str, &'static str)],
    /// Arguments before its own, without the token: every user of the machine can read them.
    pub arguments: &'static [&'static str],
    /// How it is told not to ask its own user about calls.
    pub one_gate: OneGate,
    /// What it needs in a sandbox.
    pub home: Home,
    /// How the `User-Agent` of its requests begins.
    pub user_agents: &'static [&'static str],
    /// What its user should know.
    pub note: &'static str,
}

/// The variable with the token, where an agent sends it as a header.
pub(super) const TOKEN_VARIABLE: &str = "OVERRULE_AGENT_TOKEN";

/// All known agents.
pub static AGENTS: &[Agent] = &[
    claude::CLAUDE,
    codex::CODEX,
    opencode::OPENCODE,
    gemini::GEMINI,
    qwen::QWEN,
    goose::GOOSE,
];

/// Returns the agent of a program, which may be named with its directory.
pub fn named(program: &str) -> Option<&'static Agent> {
    let name = program.rsplit('/').next().unwrap_or_default();
    AGENTS.iter().find(|agent| agent.program == name)
}

/// Returns the agent that sends a request, by the `User-Agent` of its headers.
pub fn of_request(headers: &HeaderMap) -> Option<&'static Agent> {
    let words = headers.get(USER_AGENT)?.to_str().ok()?;
    let is_of = |agent: &&Agent| agent.user_agents.iter().any(|begin| words.starts_with(begin));
    AGENTS.iter().find(is_of)
}

impl Agent {
    /// Returns the format that the address of its model serves.
    pub fn wire(&self) -> Option<Wire> {
        Wire::named(self.wires.first()?)
    }

    /// Returns its environment for a proxy at this address.
    pub fn environment(&self, base: &str) -> Vec<(&'static str, String)> {
        let variables = self.environment.iter();
        variables
            .map(|(name, value)| (*name, fill(value, base)))
            .collect()
    }

    /// Returns the arguments before its own for a proxy at this address.
    pub fn arguments(&self, base: &str) -> Vec<String> {
        let arguments = self.arguments.iter();
        arguments.map(|value| fill(value, base)).collect()
    }
}

/// Puts the address of the proxy into a value.
fn fill(value: &str, base: &str) -> String {
    let (host, token) = address::parts(base).unwrap_or((base, ""));
    let path = base.strip_prefix(host).unwrap_or_default();
    value
        .replace("{base}", base)
        .replace("{host}", host)
        .replace("{base_path}", path.trim_start_matches('/'))
        .replace("{token}", token)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_agent_is_found_by_its_program_and_gets_the_address() {
        let base = "http://127.0.0.1:1/s/0123456789abcdef";
        for agent in AGENTS {
            let found = named(&format!("/usr/bin/{}", agent.program)).unwrap();
            assert_eq!(found.program, agent.program);
            let environment = agent.environment(base);
            let arguments = agent.arguments(base).join(" ");
            assert!(
                !arguments.contains("0123456789abcdef"),
                "every user can read {arguments}"
            );
            let values = environment.iter().map(|(_, value)| value.clone());
            let all: Vec<String> = values.chain(agent.arguments(base)).collect();
            let all = all.join("\n");
            assert!(
                all.contains("127.0.0.1:1") && all.contains("0123456789abcdef"),
                "{all}"
            );
            assert!(
                !all.contains("{base") && !all.contains("{host") && !all.contains("{token"),
                "{all}"
            );
            let wires = agent.wires.iter().map(|name| Wire::named(name).unwrap());
            assert_eq!(
                wires.map(|wire| wire.name()).next(),
                agent.wire().map(|wire| wire.name())
            );
            let other = agent.other_log_in.map_or(agent.upstream, |(_, address)| address);
            assert!(agent.upstream.starts_with("https://") && other.starts_with("https://"));
        }
        assert!(named("vim").is_none() && named("").is_none());
    }
}
