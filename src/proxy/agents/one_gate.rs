//! How an agent is told not to ask its own user about calls that were decided already.
//!
//! Must not know: agents, how a process is started.

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

#[cfg(test)]
mod tests {
    use crate::agents::{AGENTS, named};

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
