//! How an MCP server is reached.
//!
//! Must not know: settings files, the protocol.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use globset::{Glob, GlobMatcher};
use secrecy::SecretString;

use overrule_base::canon;
use overrule_domain::sandbox::Level;

/// A server of the settings or of a workspace's `.mcp.json`.
#[derive(Debug, Clone)]
pub struct ServerConfig {
    /// Its name.
    pub name: String,
    /// How it is reached.
    pub via: Via,
    /// Globs of the tools that are offered; those after `!` are hidden. Empty offers all.
    pub tools: Vec<String>,
    /// Time limit of one call.
    pub limit: Duration,
    /// The file that names it, for people.
    pub file: String,
    /// The values in it that are keys. What the server repeats of them is removed.
    pub secrets: Vec<SecretString>,
    /// The command line or address as written, before variables are filled in.
    pub written: String,
    /// How its program is confined.
    pub confinement: Confinement,
}

/// How the program of a server is confined. The settings of the run do not count for it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Confinement {
    /// The level; not confined by default.
    pub level: Level,
    /// Directories that it may write besides the workspace.
    pub write: Vec<PathBuf>,
    /// Hosts that it may reach.
    pub network: Vec<String>,
}

/// How a server is reached.
#[derive(Debug, Clone)]
pub enum Via {
    /// A program, by its standard input and output.
    Command {
        /// Program.
        program: String,
        /// Arguments.
        args: Vec<String>,
        /// Variables beyond those that every child gets. They can hold keys.
        env: Secrets,
        /// Working directory; `None` for the workspace.
        cwd: Option<PathBuf>,
    },
    /// Streamable HTTP.
    Http {
        /// Address.
        url: String,
        /// Headers. They can hold keys.
        headers: Secrets,
        /// The token that it is sent.
        token: Option<BearerToken>,
    },
}

/// Values by name, which are not shown.
pub type Secrets = BTreeMap<String, SecretString>;

/// The source of a bearer token.
#[derive(Debug, Clone)]
pub enum BearerToken {
    /// The token itself, from the environment.
    Value(SecretString),
    /// A command that prints it.
    Command(Vec<String>),
}

impl ServerConfig {
    /// Default time limit of one call.
    pub const LIMIT: Duration = Duration::from_secs(120);

    /// Returns what identifies the program or address. Filled in values do not count, as they may be keys.
    pub fn identity(&self) -> String {
        canon::hash("overrule mcp server v1", &[self.written.as_bytes()])
    }

    /// Returns true if the globs offer a tool of this name. The last glob that matches decides.
    pub fn offers(&self, tool: &str) -> bool {
        let mut offered = self.tools.iter().all(|glob| glob.starts_with('!'));
        for glob in &self.tools {
            let (hides, glob) = match glob.strip_prefix('!') {
                Some(rest) => (true, rest),
                None => (false, glob.as_str()),
            };
            if matcher(glob).is_ok_and(|glob| glob.is_match(tool)) {
                offered = !hides;
            }
        }
        offered
    }
}

/// Compiles a glob for names of tools, or says what is wrong with it.
pub(super) fn matcher(glob: &str) -> Result<GlobMatcher, String> {
    Glob::new(glob)
        .map(|glob| glob.compile_matcher())
        .map_err(|error| error.kind().to_string())
}

impl fmt::Display for ServerConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&overrule_base::text::visible(&self.written))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(tools: &[&str]) -> ServerConfig {
        ServerConfig {
            name: "s".into(),
            via: Via::Http {
                url: "http://localhost/".into(),
                headers: Secrets::new(),
                token: None,
            },
            tools: tools.iter().map(|glob| (*glob).to_owned()).collect(),
            limit: ServerConfig::LIMIT,
            file: "f".into(),
            secrets: Vec::new(),
            written: "http://localhost/".into(),
            confinement: Confinement::default(),
        }
    }

    #[test]
    fn globs_offer_and_hide_tools() {
        let table: [(&[&str], &str, bool); 8] = [
            (&[], "read", true),
            (&["read_*"], "read_file", true),
            (&["read_*"], "write_file", false),
            (&["!write_*"], "read_file", true),
            (&["!write_*"], "write_file", false),
            (&["*", "!write_*"], "write_file", false),
            (&["!write_*", "write_note"], "write_note", true),
            (&["["], "read", false),
        ];
        for (globs, tool, offered) in table {
            assert_eq!(config(globs).offers(tool), offered, "{globs:?} {tool}");
        }
    }
}
