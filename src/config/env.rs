//! Reads the environment; it is the only place that does.
//!
//! Must not know: what a value is used for.
//!
//! All other code takes an [`Env`].

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;

use etcetera::BaseStrategy as _;
use etcetera::base_strategy::Xdg;
use secrecy::SecretString;

use overrule_model::wire::Wire;

/// The relevant part of the environment. An empty variable counts as absent.
#[derive(Debug, Clone, Default)]
pub struct Env {
    /// The user's home directory.
    pub home: Option<PathBuf>,
    /// The directory of all programs' settings (`~/.config`).
    pub config_dir: Option<PathBuf>,
    /// The directory of all programs' data (`~/.local/share`).
    pub data_dir: Option<PathBuf>,
    /// The directory of all programs' logs and state (`~/.local/state`).
    pub state_dir: Option<PathBuf>,
    /// The directory of all programs' sockets, if there is one.
    pub runtime_dir: Option<PathBuf>,
    /// Keys of model providers by variable, such as `OPENAI_API_KEY`.
    pub api_keys: BTreeMap<&'static str, SecretString>,
    /// Base URLs of model providers by variable, such as `OPENAI_BASE_URL`.
    pub base_urls: BTreeMap<&'static str, String>,
    /// `OLLAMA_HOST`.
    pub ollama_host: Option<String>,
    /// `OVERRULE_MODEL`.
    pub model: Option<String>,
    /// `OVERRULE_SESSIONS`.
    pub sessions: Option<PathBuf>,
    /// `OVERRULE_SANDBOX`.
    pub sandbox: Option<String>,
    /// `OVERRULE_LOG`, a filter for the log file.
    pub log: Option<String>,
    /// `NO_COLOR`.
    pub no_color: Option<String>,
    /// `COLORTERM`.
    pub colorterm: Option<String>,
    /// `TERM`.
    pub term: Option<String>,
    /// The locale for characters: the first of `LC_ALL`, `LC_CTYPE` and `LANG` that is set.
    pub locale: Option<String>,
    /// `VISUAL`.
    pub visual: Option<String>,
    /// `EDITOR`.
    pub editor: Option<String>,
    /// True if `TMUX` is set: the screen is inside tmux.
    pub tmux: bool,
    /// True if `STY` is set: the screen is inside GNU screen.
    pub screen: bool,
    /// True if `SSH_TTY` or `SSH_CONNECTION` is set: the terminal is on another machine.
    pub ssh: bool,
    /// True if `VTE_VERSION` is set: the terminal is of the GNOME family.
    pub vte: bool,
    /// The user's name, from `USER` or `LOGNAME`.
    pub user: Option<String>,
    /// Names of variables whose value is not text.
    pub unreadable: Vec<&'static str>,
    /// All variables, to be passed on to child processes.
    pub all: Variables,
}

/// Variables with their values, which are not shown, because there are keys among them.
#[derive(Clone, Default)]
pub struct Variables(pub Vec<(OsString, OsString)>);

impl fmt::Debug for Variables {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} variables, not shown", self.0.len())
    }
}

impl Env {
    /// Reads the environment of this process.
    #[expect(
        clippy::disallowed_methods,
        reason = "the one place that reads the environment"
    )]
    pub fn read() -> Self {
        let mut env = Self::from_lookup(|name| std::env::var_os(name));
        env.all = Variables(std::env::vars_os().collect());
        if let Ok(xdg) = Xdg::new() {
            let absolute = |path: PathBuf| path.is_absolute().then_some(path);
            env.home = absolute(xdg.home_dir().to_path_buf());
            env.config_dir = absolute(xdg.config_dir());
            env.data_dir = absolute(xdg.data_dir());
            env.state_dir = xdg.state_dir().and_then(absolute);
            env.runtime_dir = xdg.runtime_dir().and_then(absolute);
        }
        env
    }

    /// Returns the value of a variable that a setting names as that of a key.
    pub fn secret(&self, name: &str) -> Option<SecretString> {
        let (_, value) = self.all.0.iter().find(|(known, _)| known == name)?;
        let value = value.to_str().filter(|value| !value.is_empty())?;
        Some(SecretString::from(value))
    }

    /// Returns the value of any variable; `None` if it is not set or not text.
    pub fn variable(&self, name: &str) -> Option<String> {
        let found = self.all.0.iter().find(|(known, _)| known == name);
        found?.1.to_str().map(str::to_owned)
    }

    /// Reads everything but the directories from any source of variables.
    pub fn from_lookup(lookup: impl Fn(&str) -> Option<OsString>) -> Self {
        let mut env = Self::default();
        let mut unreadable = Vec::new();
        let mut text = |name: &'static str| -> Option<String> {
            let value = lookup(name).filter(|value| !value.is_empty())?;
            value.into_string().map_err(|_| unreadable.push(name)).ok()
        };
        for variable in Wire::all().flat_map(|wire| wire.key_env()) {
            let key = text(variable.name).map(|key| (variable.name, key.into()));
            env.api_keys.extend(key);
            let base_url = text(variable.base_url).map(|url| (variable.base_url, url));
            env.base_urls.extend(base_url);
        }
        env.ollama_host = text("OLLAMA_HOST");
        env.model = text("OVERRULE_MODEL");
        env.sandbox = text("OVERRULE_SANDBOX");
        env.log = text("OVERRULE_LOG");
        env.no_color = text("NO_COLOR");
        env.colorterm = text("COLORTERM");
        env.term = text("TERM");
        env.locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(&mut text);
        env.visual = text("VISUAL");
        env.editor = text("EDITOR");
        env.user = ["USER", "LOGNAME"].into_iter().find_map(&mut text);
        env.sessions = lookup("OVERRULE_SESSIONS")
            .filter(|value| !value.is_empty())
            .map(PathBuf::from);
        env.unreadable = unreadable;
        let has = |name: &str| lookup(name).is_some_and(|value| !value.is_empty());
        env.tmux = has("TMUX");
        env.screen = has("STY");
        env.ssh = has("SSH_TTY") || has("SSH_CONNECTION");
        env.vte = has("VTE_VERSION");
        env
    }
}
