//! Chooses the model provider, from the settings or from a server on this machine.
//!
//! Must not know: files, environment variables, the scripted model.
//!
//! Settings come merged (flags before environment before configuration). If they name no model or
//! no server, the server itself is asked what it has.

#[cfg(test)]
mod tests;

use std::net::IpAddr;
use std::time::Duration;

use super::http::{Access, connect};
use super::show::visible;
use super::wire::Wire;

/// Default address of Ollama.
const OLLAMA: &str = "http://127.0.0.1:11434";
/// Time limit for an Ollama that was not named to list its models.
const PROBE: Duration = Duration::from_millis(200);
/// How long a named server may take.
const PROBE_NAMED: Duration = Duration::from_secs(5);

/// The settings of the model.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ModelSettings {
    /// Name of the model.
    pub model: Option<String>,
    /// Base URL of the server.
    pub base_url: Option<String>,
    /// The wire format.
    pub wire: Wire,
    /// True if there is a key.
    pub has_key: bool,
    /// `OLLAMA_HOST`, if it is set.
    pub ollama_host: Option<String>,
    /// What was found to run with, each with a command, safe to show.
    pub found: Vec<Found>,
}

/// A provider or a model that a run could use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// What it was found by: a variable with a key, or an entry of the settings.
    pub by: String,
    /// A command that runs with it.
    pub command: String,
}

/// A server that listed its models.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Server {
    /// Its base URL.
    pub base_url: String,
    /// Names of its models.
    pub models: Vec<String>,
}

/// The model to talk to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// Base URL of the server.
    pub base_url: String,
    /// Name of the model.
    pub model: String,
}

/// The three ways to name a model, for a person who named none.
pub const WAYS: &str = "\
1. on the command line: overrule run --base-url http://HOST:PORT/v1 --model NAME \"task\"
   (or once for all: `base_url` and `model` in ~/.config/overrule/config.toml)
2. in the environment: export OPENAI_API_KEY=… (and OPENAI_BASE_URL for another server),
   ANTHROPIC_API_KEY=… or GEMINI_API_KEY=…; then overrule run --model NAME TASK
3. on this machine: start Ollama with one model: ollama pull qwen3
Without any of them, `overrule` alone shows the built-in run with a scripted model.";

/// Why there is no model to talk to.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// Nothing is configured, and no Ollama runs.
    #[error("no model is configured, and no Ollama answers at {ollama}; choose one of three ways:\n{WAYS}")]
    Nothing {
        /// The address at which Ollama was looked for.
        ollama: String,
    },
    /// Keys or entries were found, but no model is named.
    #[error("cannot choose a model: a key names a provider, not a model; found:\n{found}")]
    Unnamed {
        /// What was found, a line each.
        found: String,
    },
    /// A model is named, but no server that has it.
    #[error(
        "the model `{model}` is named, but no server for it: there is no base URL and no API key for it, and {ollama}; {}",
        ways(.found)
    )]
    NoServer {
        /// The model.
        model: String,
        /// What is known about Ollama.
        ollama: String,
        /// What was found instead, a line each.
        found: String,
    },
    /// The format belongs to a provider that needs a key.
    #[error(
        "cannot ask a model in the wire format `{wire}`: there is no API key; hint: set {variable}, or name a server with --base-url"
    )]
    NoKey {
        /// The format.
        wire: &'static str,
        /// The variable of its key.
        variable: &'static str,
    },
    /// The server has no model, or several to choose from.
    #[error("the server at {base_url} {why}; name a model with --model NAME")]
    Which {
        /// The server.
        base_url: String,
        /// What prevents the choice.
        why: String,
    },
}

/// Decides which model to talk to, asking a server for its models if necessary.
pub async fn find(given: &ModelSettings, access: &Access) -> Result<Choice, Error> {
    find_within(given, access, (PROBE, PROBE_NAMED)).await
}

/// Does the same with given time limits for an unnamed and a named server.
async fn find_within(
    given: &ModelSettings,
    access: &Access,
    (unnamed, named): (Duration, Duration),
) -> Result<Choice, Error> {
    let server = match to_ask(given) {
        None => None,
        Some(base_url) => {
            let models = if given.base_url.is_some() {
                connect::models(&base_url, given.wire, access, named).await
            } else {
                connect::models(&base_url, given.wire, &Access::default(), unnamed).await
            };
            models.ok().map(|models| Server { base_url, models })
        }
    };
    choose(given, server.as_ref())
}

/// Returns the models that a server lists, or why it does not.
pub async fn listed(base_url: &str, wire: Wire, access: &Access) -> Result<Vec<String>, String> {
    connect::models(base_url, wire, access, PROBE_NAMED).await
}

/// Returns the models of an Ollama on this machine, with its base URL; none where none answers.
pub async fn ollama_models(host: Option<&str>) -> Option<(String, Vec<String>)> {
    let wire = Wire::default();
    let base_url = ollama(host, wire.ollama_path()?);
    let models = connect::models(&base_url, wire, &Access::default(), PROBE).await;
    Some((base_url, models.ok()?))
}

/// True where both base URLs name the same server, as the client reads them.
pub fn same_server(one: &str, other: &str) -> bool {
    let origin = |url: &str| connect::endpoint(url, "").ok().map(|url| url.origin());
    origin(one).is_some_and(|one| Some(one) == origin(other))
}

/// True for a server on this machine or in its own network: such servers usually need no key.
pub fn is_near(base_url: &str) -> bool {
    let Ok(url) = connect::endpoint(base_url, "") else {
        return false;
    };
    let host = url.host_str().unwrap_or_default();
    match host
        .trim_start_matches('[')
        .trim_end_matches(']')
        .parse::<IpAddr>()
    {
        Ok(IpAddr::V4(ip)) => {
            ip.is_loopback() || ip.is_private() || ip.is_link_local() || ip.is_unspecified()
        }
        Ok(IpAddr::V6(ip)) => {
            ip.is_loopback() || ip.is_unique_local() || ip.is_unicast_link_local() || ip.is_unspecified()
        }
        Err(_) => matches!(host.rsplit('.').next(), Some("local" | "localhost")) || !host.contains('.'),
    }
}

/// The server that must list its models before [`choose`] can decide; none if everything is given.
pub fn to_ask(given: &ModelSettings) -> Option<String> {
    match (&given.base_url, &given.model) {
        (Some(base_url), None) => Some(base_url.clone()),
        (Some(_), Some(_)) => None,
        (None, Some(_)) if given.has_key => None,
        (None, _) => {
            let path = given.wire.ollama_path()?;
            Some(ollama(given.ollama_host.as_deref(), path))
        }
    }
}

/// Decides which model to talk to. `server` is the answer of the server from [`to_ask`], if it answered.
pub fn choose(given: &ModelSettings, server: Option<&Server>) -> Result<Choice, Error> {
    let chosen = |base_url: &str, model: &str| Choice {
        base_url: base_url.to_owned(),
        model: model.to_owned(),
    };
    let path = given.wire.ollama_path().unwrap_or_default();
    match (&given.base_url, &given.model) {
        (Some(base_url), Some(model)) => Ok(chosen(base_url, model)),
        (Some(base_url), None) => only(base_url, server).map(|model| chosen(base_url, &model)),
        (None, Some(model)) if given.has_key => Ok(chosen(given.wire.default_base(), model)),
        (None, None) if server.is_none() && !given.found.is_empty() => Err(Error::Unnamed {
            found: lines(&given.found),
        }),
        (None, _) if given.wire.ollama_path().is_none() => Err(Error::NoKey {
            wire: given.wire.name(),
            variable: given.wire.key_env().first().map_or("api_key", |key| key.name),
        }),
        (None, Some(model)) => match server.map(|server| (server, held(server, model))) {
            Some((server, Some(held))) => Ok(chosen(&server.base_url, held)),
            Some((server, None)) => Err(Error::NoServer {
                model: visible(model),
                ollama: format!(
                    "Ollama at {} has {}",
                    visible(&server.base_url),
                    shown(&server.models)
                ),
                found: lines(&given.found),
            }),
            None => Err(Error::NoServer {
                model: visible(model),
                ollama: format!(
                    "no Ollama answers at {}",
                    visible(&ollama(given.ollama_host.as_deref(), path))
                ),
                found: lines(&given.found),
            }),
        },
        (None, None) => match server {
            Some(found) => only(&found.base_url, server).map(|model| chosen(&found.base_url, &model)),
            None => Err(Error::Nothing {
                ollama: visible(&ollama(given.ollama_host.as_deref(), path)),
            }),
        },
    }
}

/// Returns a line for each thing that was found.
fn lines(found: &[Found]) -> String {
    let lines = found.iter().map(|one| format!("  {}: {}", one.by, one.command));
    lines.collect::<Vec<_>>().join("\n")
}

/// Returns what to do, for a message.
fn ways(found: &str) -> String {
    if found.is_empty() {
        format!("choose one of three ways:\n{WAYS}")
    } else {
        format!("found:\n{found}\nor choose one of three ways:\n{WAYS}")
    }
}

/// Returns the only model of a server.
fn only(base_url: &str, server: Option<&Server>) -> Result<String, Error> {
    let why = match server.map(|server| server.models.as_slice()) {
        Some([only]) => return Ok(only.clone()),
        Some([]) => "has no model".to_owned(),
        Some(models) => format!("has several models ({})", shown(models)),
        None => "does not say which models it has".to_owned(),
    };
    Err(Error::Which {
        base_url: visible(base_url),
        why,
    })
}

/// Returns the name under which a server has a model; `qwen3` stands for `qwen3:latest`.
fn held<'s>(server: &'s Server, model: &str) -> Option<&'s str> {
    let tagged = format!("{model}:latest");
    let held = |requested: &str| server.models.iter().find(|known| *known == requested);
    held(model).or_else(|| held(&tagged)).map(String::as_str)
}

fn shown(models: &[String]) -> String {
    const SHOWN: usize = 12;
    if models.is_empty() {
        return "no models".to_owned();
    }
    let names: Vec<&str> = models.iter().take(SHOWN).map(String::as_str).collect();
    let more = if models.len() > SHOWN { ", …" } else { "" };
    format!("{}{more}", visible(&names.join(", ")))
}

/// Returns the base URL of Ollama, from the forms that `OLLAMA_HOST` can have.
fn ollama(host: Option<&str>, path: &str) -> String {
    let Some(host) = host
        .map(|host| host.trim().trim_end_matches('/'))
        .filter(|host| !host.is_empty())
    else {
        return format!("{OLLAMA}{path}");
    };
    let (scheme, place) = host.split_once("://").unwrap_or(("http", host));
    let (name, port) = match place.rsplit_once(':') {
        Some((name, port)) if !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()) => {
            (name, port)
        }
        _ => (place, "11434"),
    };
    // An address to listen on is not one to connect to.
    let name = if matches!(name, "" | "0.0.0.0" | "[::]") {
        "127.0.0.1"
    } else {
        name
    };
    format!("{scheme}://{name}:{port}{path}")
}
