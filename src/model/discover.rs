//! Finds out which real model to talk to: from what was given, or from an Ollama that runs here.
//!
//! Flag before configuration before environment before Ollama; the environment is read elsewhere and
//! passed in. Must not know: files, environment variables, the scripted model.

#[cfg(test)]
mod tests;

use std::fmt;
use std::time::Duration;

use secrecy::SecretString;
use serde::Deserialize;

use super::openai_chat::client::{self, Client, Patience};
use super::show::visible;

/// Where the provider of the wire format serves.
const OPENAI: &str = "https://api.openai.com/v1";
/// What is asked for there where nobody names a model.
const OPENAI_MODEL: &str = "gpt-4.1-mini";
/// Where Ollama serves unless it was told otherwise.
pub const OLLAMA: &str = "http://127.0.0.1:11434";
/// How long Ollama may take to say what it has.
const PROBE: Duration = Duration::from_millis(200);
/// Most bytes of its answer.
const MAX_LIST: usize = 1024 * 1024;

/// What somebody said about the model, in one place.
#[derive(Debug, Clone, Default)]
pub struct Given {
    /// Name of the model.
    pub model: Option<String>,
    /// Base URL of the server.
    pub base_url: Option<String>,
    /// Key for the server.
    pub api_key: Option<SecretString>,
}

/// Everything that was said about the model, strongest first.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// On the command line.
    pub flags: Given,
    /// In the configuration file.
    pub config: Given,
    /// In the environment (`OVERRULE_MODEL`, `OPENAI_BASE_URL`, `OPENAI_API_KEY`).
    pub env: Given,
}

/// The models of an Ollama that answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ollama {
    /// Where it serves, without `/v1`.
    pub url: String,
    /// What it has.
    pub models: Vec<String>,
}

/// Which model to talk to, and how it was found.
#[derive(Debug, Clone)]
pub struct Choice {
    /// Base URL.
    pub base_url: String,
    /// Name of the model.
    pub model: String,
    /// Key, where there is one.
    pub api_key: Option<SecretString>,
    /// What decided.
    pub found: Found,
}

/// What decided on a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Found {
    /// A flag.
    Flag,
    /// The configuration file.
    Config,
    /// The environment.
    Env,
    /// A running Ollama.
    Ollama,
}

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Flag => "from the command line",
            Self::Config => "from the configuration",
            Self::Env => "from the environment",
            Self::Ollama => "found running on this machine",
        })
    }
}

/// The three ways to say which model, for a person who said nothing.
pub const WAYS: &str = "\
  1. on the command line:    overrule run --model NAME --base-url http://HOST:PORT/v1 \"task\"
  2. in the environment:     export OPENAI_API_KEY=…   (and OPENAI_BASE_URL for another server)
  3. on this machine:        start Ollama and pull one model: ollama pull qwen3
Without any of them, `overrule` alone shows the built-in run with a scripted model.";

/// Why there is no model to talk to.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Nobody said anything and nothing runs.
    #[error("no model is configured, and no Ollama answers at {OLLAMA}. Choose one of three ways:\n{WAYS}")]
    Nothing,
    /// A server but no model.
    #[error("the server {base_url} is given, but no model: name one with --model NAME or OVERRULE_MODEL")]
    NoModel {
        /// The server.
        base_url: String,
    },
    /// Ollama has no model, or too many to choose from.
    #[error("Ollama at {url} {why}. Choose one of three ways:\n{WAYS}")]
    Ollama {
        /// Where it serves.
        url: String,
        /// What is in the way.
        why: String,
    },
    /// A model is named that neither a key nor Ollama has.
    #[error(
        "the model `{model}` is named, but not where it is: there is no base URL and no API key, and {ollama}. \
         Choose one of three ways:\n{WAYS}"
    )]
    NoServer {
        /// The model.
        model: String,
        /// What is known of Ollama.
        ollama: String,
    },
}

/// Decides which model to talk to. `ollama` is what [`probe`] found; it is only looked at where
/// nothing names a server or gives a key.
pub fn choose(settings: &Settings, ollama: Option<&Ollama>) -> Result<Choice, Error> {
    let places = [
        (&settings.flags, Found::Flag),
        (&settings.config, Found::Config),
        (&settings.env, Found::Env),
    ];
    let first = |get: fn(&Given) -> Option<&String>| {
        places.iter().find_map(|(given, found)| {
            let value = get(given)
                .map(|value| value.trim())
                .filter(|value| !value.is_empty())?;
            Some((value.to_owned(), *found))
        })
    };
    let model = first(|given| given.model.as_ref());
    let server = first(|given| given.base_url.as_ref());
    let api_key = places
        .iter()
        .find_map(|(given, found)| given.api_key.clone().map(|key| (key, *found)));
    if let Some((base_url, by)) = server {
        let Some((model, named)) = model else {
            return Err(Error::NoModel {
                base_url: visible(&base_url),
            });
        };
        return Ok(Choice {
            // What was given in a stronger place decided.
            found: named.min(by),
            base_url,
            model,
            api_key: api_key.map(|(key, _)| key),
        });
    }
    if let Some((key, by)) = api_key {
        let (model, found) = match model {
            Some((model, named)) => (model, named.min(by)),
            None => (OPENAI_MODEL.to_owned(), by),
        };
        return Ok(Choice {
            base_url: OPENAI.to_owned(),
            model,
            api_key: Some(key),
            found,
        });
    }
    from_ollama(model.map(|(model, _)| model), ollama)
}

fn from_ollama(named: Option<String>, ollama: Option<&Ollama>) -> Result<Choice, Error> {
    let Some(ollama) = ollama else {
        return Err(match named {
            Some(model) => Error::NoServer {
                model: visible(&model),
                ollama: format!("no Ollama answers at {OLLAMA}"),
            },
            None => Error::Nothing,
        });
    };
    let found = |model: &str| Choice {
        base_url: format!("{}/v1", ollama.url),
        model: model.to_owned(),
        api_key: None,
        found: Found::Ollama,
    };
    let refused = |why: String| Error::Ollama {
        url: visible(&ollama.url),
        why,
    };
    if let Some(named) = named {
        // `qwen3` stands for `qwen3:latest`, as it does for Ollama.
        let tagged = format!("{named}:latest");
        return match ollama
            .models
            .iter()
            .find(|model| **model == named || **model == tagged)
        {
            Some(model) => Ok(found(model)),
            None => Err(Error::NoServer {
                model: visible(&named),
                ollama: format!(
                    "Ollama at {} has {}",
                    visible(&ollama.url),
                    listed(&ollama.models)
                ),
            }),
        };
    }
    match ollama.models.as_slice() {
        [only] => Ok(found(only)),
        [] => Err(refused(
            "runs, but has no model: get one with `ollama pull qwen3`".to_owned(),
        )),
        _ => Err(refused(format!(
            "has several models ({}): name one with --model NAME",
            listed(&ollama.models)
        ))),
    }
}

fn listed(models: &[String]) -> String {
    if models.is_empty() {
        "no models".to_owned()
    } else {
        visible(&models.join(", "))
    }
}

/// True where [`choose`] would look at Ollama, so that the probe can be left out otherwise.
pub fn needs_probe(settings: &Settings) -> bool {
    [&settings.flags, &settings.config, &settings.env]
        .iter()
        .all(|given| {
            given.base_url.as_deref().is_none_or(|url| url.trim().is_empty()) && given.api_key.is_none()
        })
}

/// Asks whether an Ollama runs at this address and what it has. None within 200 ms is none.
pub async fn probe(url: &str) -> Option<Ollama> {
    tokio::time::timeout(PROBE, models(url)).await.ok().flatten()
}

#[derive(Deserialize)]
struct Tags {
    models: Vec<Tag>,
}

#[derive(Deserialize)]
struct Tag {
    name: String,
}

async fn models(url: &str) -> Option<Ollama> {
    let http = client::plain_client()?;
    let mut response = http.get(format!("{url}/api/tags")).send().await.ok()?;
    if !response.status().is_success() {
        return None;
    }
    let mut bytes = Vec::new();
    while let Some(piece) = response.chunk().await.ok()? {
        bytes.extend_from_slice(&piece);
        if bytes.len() > MAX_LIST {
            return None;
        }
    }
    let tags: Tags = serde_json::from_slice(&bytes).ok()?;
    Some(Ollama {
        url: url.to_owned(),
        models: tags.models.into_iter().map(|tag| tag.name).collect(),
    })
}

impl Choice {
    /// A client for the chosen model.
    pub fn client(&self) -> Result<Client, client::Error> {
        Client::new(
            &self.base_url,
            &self.model,
            self.api_key.clone(),
            Patience::default(),
        )
    }
}
