//! Formats how the next command must name a session and the directory of sessions.
//!
//! Must not know: what that command does with it.

use std::fmt;
use std::path::{Path, PathBuf};

use super::args::Common;
use overrule_base::shell_line::quote;
use overrule_base::text::visible;
use overrule_config::{Origin, Setting};

/// The flags of this process that name files and directories. The next command in the same shell needs them again;
/// it finds environment variables and settings files without them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Flags {
    text: String,
    /// The agent of another program that this process supervises.
    agent: Option<&'static str>,
    /// Further flags of such a process.
    of_proxy: String,
}

impl Flags {
    /// Returns the flags of a command line that the next command needs, with the directory of sessions.
    pub fn of(common: &Common, sessions: &Setting<Option<PathBuf>>) -> Self {
        let mut flags = String::new();
        let mut add = |flag: &str, path: &Path| {
            // Absolute: the next command may run in another directory.
            let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
            let path = visible(&quote(&path.to_string_lossy()));
            flags.extend([" ", flag, " ", path.as_str()]);
        };
        if let Some(file) = &common.config {
            add("--config", file);
        }
        // A next command in the current directory does not read the settings of another workspace.
        let elsewhere = common.workspace.is_some() && matches!(sessions.origin, Origin::Workspace(_));
        match &common.sessions {
            Some(dir) => add("--sessions", dir),
            None if elsewhere => sessions.value.iter().for_each(|dir| add("--sessions", dir)),
            None => {}
        }
        Self {
            text: flags,
            ..Self::default()
        }
    }

    /// The same for a process that supervises this agent.
    pub fn supervise(&mut self, agent: &'static str) {
        self.agent = Some(agent);
    }

    /// Adds the addresses of models that such a process was started with.
    pub fn add_upstreams(&mut self, upstreams: &[String]) {
        for upstream in upstreams {
            self.of_proxy.extend([" --upstream ", &visible(&quote(upstream))]);
        }
    }
}

/// A session as arguments of a command: its id, and the flags to find it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    id: String,
    flags: Flags,
}

impl Address {
    /// The session of this id, reached with these flags.
    pub fn new(id: &str, flags: &Flags) -> Self {
        Self {
            id: visible(id),
            flags: flags.clone(),
        }
    }

    /// The command that continues the session.
    pub fn to_continue(&self) -> String {
        self.to_continue_with("")
    }

    /// The same with a flag.
    pub fn to_continue_with(&self, flag: &str) -> String {
        let flag = if flag.is_empty() {
            String::new()
        } else {
            format!(" {flag}")
        };
        match self.flags.agent {
            Some(agent) => {
                let more = &self.flags.of_proxy;
                format!("overrule proxy --resume {self}{flag}{more} -- {agent}")
            }
            None => format!("overrule resume {self}{flag}"),
        }
    }

    /// The id alone.
    pub fn id(&self) -> &str {
        &self.id
    }
}

/// The arguments of a verb: `overrule resume {address}`.
impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.id, self.flags.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(common: &Common, sessions: &Setting<Option<PathBuf>>) -> String {
        Address::new("0a1b", &Flags::of(common, sessions)).to_string()
    }

    #[test]
    fn the_session_of_an_agent_is_continued_with_the_agent() {
        let mut flags = Flags::of(&Common::default(), &setting_from(Origin::Default));
        let resume = Address::new("0a1b", &flags).to_continue();
        assert_eq!(resume, "overrule resume 0a1b");
        flags.supervise("claude");
        let resume = Address::new("0a1b", &flags).to_continue();
        assert_eq!(resume, "overrule proxy --resume 0a1b -- claude");
        flags.add_upstreams(&["anthropic=http://h:1/a b".to_owned(), "http://h:2".to_owned()]);
        let address = Address::new("0a1b", &flags);
        assert_eq!(
            address.to_continue(),
            "overrule proxy --resume 0a1b --upstream 'anthropic=http://h:1/a b' --upstream http://h:2 -- claude"
        );
        assert_eq!(address.to_string(), "0a1b", "other verbs have no such flag");
    }

    fn setting_from(origin: Origin) -> Setting<Option<PathBuf>> {
        Setting {
            value: Some(PathBuf::from("/kept here")),
            origin,
        }
    }

    #[test]
    fn flags_that_select_a_session_are_repeated() {
        let common = Common {
            sessions: Some(PathBuf::from("/my runs")),
            config: Some(PathBuf::from("/own.toml")),
            ..Common::default()
        };
        let message = address(&common, &setting_from(Origin::Flag("--sessions")));
        assert_eq!(message, "0a1b --config /own.toml --sessions '/my runs'");
    }

    #[test]
    fn a_directory_is_named_so_that_it_is_found_from_another() {
        let common = Common {
            sessions: Some(PathBuf::from("runs")),
            ..Common::default()
        };
        let message = address(&common, &setting_from(Origin::Flag("--sessions")));
        let here = std::env::current_dir().expect("there is one").join("runs");
        assert_eq!(
            message,
            format!("0a1b --sessions {}", quote(&here.to_string_lossy()))
        );
    }

    #[test]
    fn defaults_of_the_next_command_are_omitted() {
        let plain = Common::default();
        for origin in [Origin::Default, Origin::Environment("OVERRULE_SESSIONS")] {
            assert_eq!(address(&plain, &setting_from(origin)), "0a1b");
        }
    }

    #[test]
    fn settings_of_a_workspace_named_by_a_flag_are_not_found_from_here() {
        let place = overrule_config::Place {
            file: "/w/overrule.toml".into(),
            line: 3,
            column: 1,
        };
        let there = setting_from(Origin::Workspace(place));
        let named = Common {
            workspace: Some(PathBuf::from("/w")),
            ..Common::default()
        };
        assert_eq!(address(&named, &there), "0a1b --sessions '/kept here'");
        assert_eq!(address(&Common::default(), &there), "0a1b");
    }

    #[test]
    fn a_path_cannot_write_to_the_terminal() {
        let common = Common {
            sessions: Some(PathBuf::from("a\u{1b}[2J")),
            ..Common::default()
        };
        let message = address(&common, &setting_from(Origin::Flag("--sessions")));
        assert!(!message.contains('\u{1b}'), "{message}");
    }
}
