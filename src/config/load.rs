//! Finds and reads the settings files, and resolves their settings.
//!
//! Must not know: which layer wins.

use std::path::{Path, PathBuf};

use toml::Spanned;

use overrule_base::canon;
use overrule_base::text::visible;
use overrule_policy::{Notice, Origin, parse};

use super::dot_mcp;
use super::env::Env;
use super::error::{Error, shown};
use super::files;
use super::flags::Flags;
use super::key::Key;
use super::layers::{Files, Layers, weigh};
use super::price_list::PriceList;
use super::servers::{self, RawServers};
use super::settings::Settings;
use super::trust;
use super::written::{self, RawSettings};

/// Name of this program's directory within the directories of all programs.
pub const OWN: &str = "overrule";

/// Whether the user declared the workspace's files, in their present form, as trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Trust {
    /// It may only tighten.
    #[default]
    No,
    /// It counts like a file of the user.
    Yes,
    /// It counts like a file of the user if the user trusts it with its present text.
    Recorded,
}

impl Trust {
    fn holds(self, env: &Env, path: &Path, text: &str) -> bool {
        match self {
            Self::No => false,
            Self::Yes => true,
            Self::Recorded => trust::holds(env, path, text),
        }
    }
}

/// Returns the path of the user's file, or `None` without a home directory.
pub fn user_file(env: &Env) -> Option<PathBuf> {
    Some(env.config_dir.as_ref()?.join(OWN).join("config.toml"))
}

/// Returns the path of the workspace's file.
pub fn workspace_file(workspace: &Path) -> PathBuf {
    workspace.join("overrule.toml")
}

/// Returns the path of the user's own rules for a workspace: `overrule/workspaces/NAME-HASH.toml` beside the user's file.
/// Nothing of them is in the workspace. `None` without a home directory.
pub fn own_workspace_file(env: &Env, workspace: &Path) -> Option<PathBuf> {
    let workspace = std::fs::canonicalize(workspace).unwrap_or_else(|_| workspace.to_path_buf());
    let is_plain = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let name = workspace.file_name().unwrap_or_default().to_string_lossy();
    let name: String = name.chars().filter(is_plain).take(40).collect();
    let name = name.trim_start_matches('.');
    let name = if name.is_empty() { "workspace" } else { name };
    let hash = canon::hash(
        "overrule own rules of a workspace v1",
        &[workspace.as_os_str().as_encoded_bytes()],
    );
    let hash = hash.get(..12).unwrap_or(&hash);
    let own = env.config_dir.as_ref()?.join(OWN).join("workspaces");
    Some(own.join(format!("{name}-{hash}.toml")))
}

/// Reads the user's own rules for a workspace.
fn own_rules(env: &Env, workspace: &Path) -> Result<parse::RawPolicy, Error> {
    let Some(path) = own_workspace_file(env, workspace) else {
        return Ok(parse::RawPolicy::default());
    };
    match files::read(&path)? {
        Some(text) => Ok(parse::file(&shown(&path), &text.text, Origin::User)?),
        None => Ok(parse::RawPolicy::default()),
    }
}

/// Returns the default directory of sessions.
pub fn default_sessions(env: &Env) -> Option<PathBuf> {
    Some(env.data_dir.as_ref()?.join(OWN).join("sessions"))
}

/// Reads all layers. Writes nothing.
pub fn load(env: &Env, flags: &Flags, workspace: &Path, trust: Trust) -> Result<Settings, Error> {
    if let Some(name) = env.unreadable.first() {
        return Err(Error::given(
            name,
            "its value is not UTF-8 text",
            "unset or correct it",
        ));
    }
    let mut notices = Vec::new();
    let (user_path, user_text) = match &flags.config {
        Some(path) => (Some(path.clone()), Some(files::read_named(path)?)),
        None => match user_file(env) {
            Some(path) => {
                let text = files::read(&path)?;
                (Some(path), text)
            }
            None => (None, None),
        },
    };
    let home = env.home.as_deref();
    let mut user = RawSettings::default();
    if let (Some(path), Some(text)) = (&user_path, &user_text) {
        user = written::read(path, &text.text, Origin::User, home)?;
        let holds_key = matches!(
            user.compiled.key.as_ref().map(Spanned::get_ref),
            Some(Key::Value(_))
        );
        if holds_key && text.open_to_others {
            let path = shown(path);
            notices.push(Notice(format!(
                "{path} holds an api_key and others can read it; run: chmod 600 {path}"
            )));
        }
    }

    let path = workspace_file(workspace);
    let found = files::read(&path)?;
    let trusted = found
        .as_ref()
        .is_some_and(|text| trust.holds(env, &path, &text.text));
    let found = match found {
        Some(text) if user_text.as_ref().is_some_and(|user| user.same == text.same) => {
            let path = shown(&path);
            notices.push(Notice(format!(
                "ignored: {path}: it is your own configuration file, read once already"
            )));
            RawSettings::default()
        }
        Some(text) => written::read(&path, &text.text, Origin::Workspace { trusted }, home)?,
        None => RawSettings::default(),
    };

    let published = published(env, workspace, trust, &mut notices)?;
    let named = policy_flag(flags)?;
    let mut settings = weigh(
        Layers {
            env,
            flags,
            files: Files {
                user: user.compiled.source.clone(),
                workspace: found.compiled.source.clone(),
            },
            user,
            workspace: found,
            trusted,
            preset: named.preset,
            named: named.rules,
            own: own_rules(env, workspace)?,
            root: workspace,
            published,
        },
        notices,
    )?;
    settings.policy_file = named.file;
    if let Some(path) = &settings.price_list.value {
        let text = files::read_named(path)?;
        settings.prices.file = Some(PriceList::read(path, &text.text)?);
    }
    if let Some(path) = &settings.ca_file.value {
        let text = files::read_named(path)?;
        settings.ca_text = Some(text.text.into());
    }
    Ok(settings)
}

/// Reads the servers of the workspace's `.mcp.json`. They start only if the file is trusted.
fn published(
    env: &Env,
    workspace: &Path,
    trust: Trust,
    notices: &mut Vec<Notice>,
) -> Result<RawServers, Error> {
    let path = servers::dot_mcp(workspace);
    let Some(text) = files::read(&path)? else {
        return Ok(RawServers::default());
    };
    let found = dot_mcp::read(&path, &text.text);
    if !trust.holds(env, &path, &text.text) {
        let path = shown(&path);
        let names = match &found {
            Ok(found) => {
                let names: Vec<String> = found.servers.iter().map(|one| visible(&one.name)).collect();
                names.join(", ")
            }
            Err(why) => why.clone(),
        };
        notices.push(Notice(format!(
            "not started: the MCP servers of {path} ({names}); `overrule trust` shows what they would run"
        )));
        return Ok(RawServers::default());
    }
    let found =
        found.map_err(|why| Error::read(&path, why, "correct it, then run `overrule trust` again"))?;
    notices.extend(found.notices.into_iter().map(Notice));
    Ok(RawServers {
        servers: found.servers,
        about: Vec::new(),
    })
}

/// The value of `--policy`: a preset, or a file of rules.
#[derive(Default)]
struct PolicyArg {
    preset: Option<overrule_policy::Preset>,
    rules: parse::RawPolicy,
    /// Name and text of the file.
    file: Option<(String, String)>,
}

fn policy_flag(flags: &Flags) -> Result<PolicyArg, Error> {
    let Some(name) = &flags.policy else {
        let text = flags.policy_text.clone();
        return text.map_or(Ok(PolicyArg::default()), |(name, text)| rules(name, text));
    };
    match name.parse() {
        Ok(preset) => Ok(PolicyArg {
            preset: Some(preset),
            ..PolicyArg::default()
        }),
        Err(_) if name.contains('/') || Path::new(name).extension().is_some_and(|end| end == "toml") => {
            let text = files::read_named(Path::new(name))?;
            rules(name.clone(), text.text)
        }
        Err(unknown) => {
            let advice =
                "use supervised, guarded, edits, reversible, auto, read-only or the path of a policy file";
            Err(Error::given(
                "--policy",
                format!("unknown policy `{}`", unknown.0),
                advice,
            ))
        }
    }
}

fn rules(name: String, text: String) -> Result<PolicyArg, Error> {
    let rules = parse::file(&name, &text, Origin::User)?;
    Ok(PolicyArg {
        preset: rules.preset.as_ref().map(|at| at.value),
        rules,
        file: Some((name, text)),
    })
}
