//! The agents that the program knows how to start. One file and one line of [`AGENTS`] each.
//!
//! Must not know: how a process is started.

use super::address;

mod claude;
mod codex;
mod gemini;
mod goose;
mod opencode;
mod qwen;

/// How an agent is pointed to the proxy.
#[derive(Debug, Clone, Copy)]
pub struct Agent {
    /// Its program.
    pub program: &'static str,
    /// The address of its model, where its own variable does not name another.
    pub upstream: &'static str,
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
    /// How the `User-Agent` of its requests begins.
    pub user_agents: &'static [&'static str],
    /// What its user should know.
    pub note: &'static str,
}

/// How an agent is told not to ask its own user about calls: they were decided already.
#[derive(Debug, Clone, Copy)]
pub struct OneGate {
    /// Variables of its environment.
    pub environment: &'static [(&'static str, &'static str)],
    /// Arguments before its own.
    pub first: &'static [&'static str],
    /// Arguments after its own.
    pub last: &'static [&'static str],
    /// Its own arguments with which its user chose something else: then nothing is set.
    pub unless: &'static [&'static str],
    /// What is set, for people.
    pub words: &'static str,
}

impl OneGate {
    /// Returns true unless its user chose something else with these arguments.
    pub fn fits(&self, own: &[String]) -> bool {
        let is_chosen = |word: &String| {
            let name = word.split('=').next().unwrap_or(word);
            self.unless.contains(&name)
        };
        !own.iter().take_while(|word| *word != "--").any(is_chosen)
    }

    /// Returns the arguments of the agent with those that are set.
    pub fn arguments(&self, own: &[String]) -> Vec<String> {
        let end = own.iter().position(|word| word == "--").unwrap_or(own.len());
        let (before, after) = own.split_at(end);
        let set = |words: &'static [&'static str]| words.iter().map(|word| (*word).to_owned());
        let begin = set(self.first).chain(before.iter().cloned());
        begin.chain(set(self.last)).chain(after.iter().cloned()).collect()
    }
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

impl Agent {
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
            let other = agent.other_log_in.map_or(agent.upstream, |(_, address)| address);
            assert!(agent.upstream.starts_with("https://") && other.starts_with("https://"));
        }
        assert!(named("vim").is_none() && named("").is_none());
    }

    #[test]
    fn an_agent_is_told_not_to_ask_again_unless_its_user_chose_something_else() {
        let words = |words: &[&str]| -> Vec<String> { words.iter().map(|word| (*word).to_owned()).collect() };
        for (program, own, expected) in [
            (
                "codex",
                &["exec", "x"][..],
                &["-c", "approval_policy=\"never\"", "exec", "x"][..],
            ),
            ("opencode", &["run", "x"], &["run", "x", "--auto"]),
            (
                "opencode",
                &["run", "--", "--auto"],
                &["run", "--auto", "--", "--auto"],
            ),
            ("gemini", &["-p", "x"], &["--approval-mode", "yolo", "-p", "x"]),
            ("qwen", &[], &["--approval-mode", "yolo"]),
        ] {
            let gate = named(program).unwrap().one_gate;
            let own = words(own);
            assert!(gate.fits(&own), "{program} {own:?}");
            assert_eq!(gate.arguments(&own), words(expected), "{program}");
        }
        for (program, own) in [
            ("gemini", &["--approval-mode=plan"][..]),
            ("qwen", &["-p", "x", "-y"]),
            ("codex", &["-a", "on-request"]),
            ("claude", &["--settings", "{}"]),
        ] {
            assert!(
                !named(program).unwrap().one_gate.fits(&words(own)),
                "{program} {own:?}"
            );
        }
        for agent in AGENTS {
            let gate = agent.one_gate;
            let is_set = gate.environment.len() + gate.first.len() + gate.last.len() > 0;
            assert!(is_set && !gate.words.is_empty(), "{}", agent.program);
        }
        let claude = named("claude").unwrap().one_gate.first[1];
        let settings: serde_json::Value = serde_json::from_str(claude).unwrap();
        let hook = &settings["hooks"]["PreToolUse"][0]["hooks"][0]["command"];
        let printed = hook
            .as_str()
            .unwrap()
            .strip_prefix("echo '")
            .unwrap()
            .strip_suffix('\'')
            .unwrap();
        let said: serde_json::Value = serde_json::from_str(printed).unwrap();
        assert_eq!(said["hookSpecificOutput"]["permissionDecision"], "allow");
    }
}
