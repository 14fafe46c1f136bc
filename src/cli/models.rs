//! Chooses and builds the model of a run.
//!
//! Must not know: what it is asked.

use std::sync::Arc;

use super::args::Common;
use super::build::AppContext;
use super::exit::{Code, Failure};
use crate::config::{KeyOf, Settings};
use crate::engine::setup::{ModelSetup, Templates};
use crate::model::http::{Client, Patience};
use crate::model::scripted::{Playbook, Scripted};
use crate::model::wire::{ApiKey, Wire};
use crate::model::{Model, discover};
use crate::regular_file;
use crate::text::{shown_address, visible};

/// Longest playbook in bytes.
const PLAYBOOK: u64 = 4 << 20;

/// Chooses the model that flags, settings, environment or a running server name.
pub fn choose(common: &Common, context: &AppContext) -> Result<ModelSetup, Failure> {
    if common.model.as_deref() == Some("scripted") || common.playbook.is_some() {
        return scripted(common);
    }
    let settings = &context.settings;
    let wire = settings.wire.value;
    let given = discover::ModelSettings {
        model: settings.model.value.clone(),
        base_url: settings.base_url.value.clone(),
        wire,
        has_key: key_of(
            settings,
            settings.base_url.value.as_deref().unwrap_or(wire.default_base()),
        )
        .is_some(),
        ollama_host: context.env.ollama_host.clone(),
    };
    // The key is needed here only to list the models of a server.
    let key = match &given.base_url {
        Some(base_url) if given.model.is_none() => key_for(settings, wire, base_url)?,
        _ => None,
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::new(Code::Other, format!("cannot start: {error}")))?;
    let chosen = runtime
        .block_on(discover::find(&given, key.as_ref()))
        .map_err(|error| Failure::new(Code::Config, error))?;
    Ok(ModelSetup::Server {
        wire,
        base_url: chosen.base_url,
        model: chosen.model,
    })
}

/// Chooses the model of a resumed run: its own, unless another model or server is named.
pub fn again(common: &Common, context: &AppContext, recorded: ModelSetup) -> Result<ModelSetup, Failure> {
    let is_scripted = common.playbook.is_some() || common.model.as_deref() == Some("scripted");
    match recorded {
        ModelSetup::Server {
            wire,
            base_url,
            model,
        } if !is_scripted => Ok(ModelSetup::Server {
            wire: match &common.wire {
                Some(_) => context.settings.wire.value,
                None => wire,
            },
            // Only a flag changes the server: the environment may belong to another run.
            base_url: match (&common.base_url, &context.settings.base_url.value) {
                (Some(_), Some(named)) => named.clone(),
                _ => base_url,
            },
            model: match (&common.model, &context.settings.model.value) {
                (Some(_), Some(named)) => named.clone(),
                _ => model,
            },
        }),
        _ if common.model.is_some() || is_scripted => choose(common, context),
        recorded => Ok(recorded),
    }
}

/// Refuses to resume a run whose playbook this version cannot follow, unless another model is named.
pub fn check_recorded(common: &Common, recorded: &ModelSetup, session: &str) -> Result<(), Failure> {
    if common.model.is_some() || common.playbook.is_some() || !recorded.has_old_templates() {
        return Ok(());
    }
    Err(Failure::new(
        Code::Config,
        format!(
            "cannot resume session {session}: the templates of its playbook are not Jinja, but of an earlier version; \
             hint: look at it with `overrule replay {session}`, or add --playbook FILE with its templates in Jinja \
             (docs/playbook.md)"
        ),
    ))
}

/// The key that was set together with this server.
fn key_of<'s>(settings: &'s Settings, base_url: &str) -> Option<&'s KeyOf> {
    let mut keys = settings.keys.iter();
    keys.find(|key| discover::same_server(&key.home, base_url))
}

/// The key to send to a server. A key that was set with another server is not sent: a local server gets none, and
/// for any other the operator must name the key.
fn key_for(settings: &Settings, wire: Wire, base_url: &str) -> Result<Option<ApiKey>, Failure> {
    if let Some(key) = key_of(settings, base_url) {
        let is_token = key.is_token;
        let secret = key.key.get()?;
        return Ok(secret.map(|secret| ApiKey { secret, is_token }));
    }
    // A key of another provider is set for other runs.
    let mut keys = settings.keys.iter().filter(|key| !key.is_of_other);
    let Some(key) = keys.next().filter(|_| !discover::is_near(base_url)) else {
        return Ok(None);
    };
    let (name, home) = (key.name(), &key.home);
    let variable = wire.key_env().first();
    Err(Failure::new(
        Code::Config,
        format!(
            "cannot send {name} to the server of the model: the key belongs to {}, and the model is at {}; hint: {}\
            write base_url and api_key into one configuration file (any text, if it needs no key)",
            visible(home),
            shown_address(base_url),
            variable.map_or_else(String::new, |both| format!(
                "set {} and {} together, or ",
                both.base_url, both.name
            )),
        ),
    ))
}

fn scripted(common: &Common) -> Result<ModelSetup, Failure> {
    let Some(file) = &common.playbook else {
        return Err(Failure::new(
            Code::Config,
            "cannot start the scripted model: it needs a playbook; hint: add --playbook FILE (docs/playbook.md), or run `overrule demo`",
        ));
    };
    let shown = file.display().to_string();
    let text = regular_file::read_text(file, PLAYBOOK).map_err(|error| {
        Failure::new(
            Code::Config,
            format!("cannot read the playbook {shown}: {error}; hint: check the path"),
        )
    })?;
    Playbook::parse(&shown, &text).map_err(|error| Failure::new(Code::Config, error))?;
    let name = file
        .file_stem()
        .map_or_else(|| shown.clone(), |stem| stem.to_string_lossy().into_owned());
    Ok(ModelSetup::Scripted {
        name,
        playbook: text,
        templates: Templates::Jinja,
    })
}

/// The file of the output schema that a playbook names.
pub fn output_schema(setup: &ModelSetup) -> Result<Option<String>, Failure> {
    match setup {
        ModelSetup::Scripted { name, playbook, .. } => {
            let playbook =
                Playbook::parse(name, playbook).map_err(|error| Failure::new(Code::Config, error))?;
            Ok(playbook.output_schema)
        }
        ModelSetup::Server { .. } | ModelSetup::Agent { .. } => Ok(None),
    }
}

/// The task of the playbook.
pub fn prompt(setup: &ModelSetup) -> Result<String, Failure> {
    let prompt = match setup {
        ModelSetup::Scripted { name, playbook, .. } => {
            let playbook =
                Playbook::parse(name, playbook).map_err(|error| Failure::new(Code::Config, error))?;
            playbook.prompt.filter(|prompt| !prompt.trim().is_empty())
        }
        ModelSetup::Server { .. } | ModelSetup::Agent { .. } => None,
    };
    prompt.ok_or_else(|| {
        Failure::new(
            Code::Usage,
            "cannot start a run without a task: the playbook has no `prompt`; hint: add the task as an argument",
        )
    })
}

/// Builds a model from its setup. A scripted model streams with pauses only if `watched`.
pub fn build(context: &AppContext, setup: &ModelSetup, watched: bool) -> Result<Arc<dyn Model>, Failure> {
    match setup {
        ModelSetup::Scripted { name, playbook, .. } => {
            let playbook =
                Playbook::parse(name, playbook).map_err(|error| Failure::new(Code::Config, error))?;
            Ok(Arc::new(Scripted::new(playbook, watched)))
        }
        ModelSetup::Server {
            wire,
            base_url,
            model,
        } => {
            let key = key_for(&context.settings, *wire, base_url)?;
            let client = Client::new(*wire, base_url, model, key, Patience::default())
                .map_err(|error| Failure::new(Code::Config, error))?;
            Ok(Arc::new(
                client.with_max_output(context.settings.max_output.value),
            ))
        }
        ModelSetup::Agent { program, .. } => Err(Failure::new(
            Code::Usage,
            format!(
                "cannot ask the model of an agent without the agent; hint: continue with `overrule proxy --resume SESSION -- {}`",
                program.as_deref().map_or_else(|| "AGENT".into(), visible)
            ),
        )),
    }
}
