//! Chooses and builds the model of a run.
//!
//! Must not know: what it is asked.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::args::Common;
use super::build::AppContext;
use super::exit::{Code, Failure};
use super::recording;
use overrule_base::text::{shown_address, visible};
use overrule_config::model::{ProxySetting, RECORDED, SCRIPTED};
use overrule_config::{KeyOf, ModelEntry, Origin, Settings};
use overrule_engine::setup::{ModelSetup, Templates};
use overrule_model::discover::Found;
use overrule_model::http::exchange::Head;
use overrule_model::http::{Access, Authorities, Client, Patience, Proxy};
use overrule_model::scripted::{Playbook, Scripted};
use overrule_model::wire::{ApiKey, Options, Wire};
use overrule_model::{Model, discover};
use overrule_regular_file as regular_file;

/// Longest playbook in bytes.
const PLAYBOOK: u64 = 4 << 20;

/// Chooses the model that flags, settings, environment or a running server name.
pub fn choose(common: &Common, context: &AppContext) -> Result<ModelSetup, Failure> {
    if common.model.as_deref() == Some(SCRIPTED) || common.playbook.is_some() {
        return scripted(common);
    }
    if is_recorded(common) {
        return recording::setup(common.from.as_deref());
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
        found: found(settings),
    };
    // The key is needed here only to list the models of a server.
    let access = match &given.base_url {
        Some(base_url) if given.model.is_none() => access_without_entry(settings, wire, base_url)?,
        _ => Access::default(),
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::new(Code::Other, format!("cannot start: {error}")))?;
    let chosen = runtime
        .block_on(discover::find(&given, &access))
        .map_err(|error| Failure::new(Code::Config, error))?;
    Ok(ModelSetup::Server {
        options: options(
            settings,
            settings
                .entry
                .as_ref()
                .and_then(|name| settings.entries.get(name)),
        ),
        wire,
        base_url: chosen.base_url,
        model: chosen.model,
        entry: settings.entry.clone(),
        recording: None,
    })
}

/// True if a recording answers.
fn is_recorded(common: &Common) -> bool {
    common.model.as_deref() == Some(RECORDED) || common.from.is_some()
}

/// What a run without a named model could use: entries of the settings, and providers by their keys.
fn found(settings: &Settings) -> Vec<Found> {
    let command = |model: &str| format!("overrule run --model {} \"task\"", visible(model));
    let entries = settings.entries.keys().map(|name| Found {
        by: format!("[models.{}]", visible(name)),
        command: command(name),
    });
    let by_key = |key: &KeyOf| {
        let Origin::Environment(name) = &key.origin else {
            return None;
        };
        let mut all = Wire::all();
        let wire = all.find(|wire| wire.key_env().iter().any(|variable| variable.name == *name))?;
        Some(Found {
            by: (*name).to_owned(),
            command: command(wire.example_model()?),
        })
    };
    entries.chain(settings.keys.iter().filter_map(by_key)).collect()
}

/// The entry that a model is from, unless another server has been named since.
pub fn entry<'s>(settings: &'s Settings, name: Option<&str>, base_url: &str) -> Option<&'s ModelEntry> {
    let entry = settings.entries.get(name?)?;
    let is_here = entry
        .base_url
        .as_deref()
        .is_none_or(|own| discover::same_server(own, base_url));
    is_here.then_some(entry)
}

/// What is asked of a model.
fn options(settings: &Settings, entry: Option<&ModelEntry>) -> Options {
    let options = entry.map_or(Options::NONE, |entry| entry.options.clone());
    Options {
        max_output: options.max_output.or(settings.max_output.value),
        ..options
    }
}

/// Chooses the model of a resumed run: its own, unless another model or server is named.
pub fn again(common: &Common, context: &AppContext, recorded: ModelSetup) -> Result<ModelSetup, Failure> {
    let settings = &context.settings;
    let is_scripted = common.playbook.is_some() || common.model.as_deref() == Some(SCRIPTED);
    let named = settings.entry.as_ref().filter(|_| common.model.is_some());
    let has_server = named.is_some_and(|name| {
        let entry = settings.entries.get(name);
        entry.is_some_and(|entry| entry.base_url.is_some())
    });
    match recorded {
        ModelSetup::Agent { program, .. } => Err(without_agent(program.as_deref())),
        recorded @ ModelSetup::Server {
            recording: Some(_), ..
        } if common.model.is_none() && !is_scripted && !is_recorded(common) => Ok(recorded),
        ModelSetup::Server {
            wire,
            base_url,
            model,
            entry: of,
            options: asked,
            ..
        } if !is_scripted && !is_recorded(common) && !has_server => {
            // Only a flag changes the server: the environment may belong to another run.
            let base_url = match (&common.base_url, &settings.base_url.value) {
                (Some(_), Some(named)) => named.clone(),
                _ => base_url,
            };
            let of = if common.model.is_some() {
                named.cloned()
            } else {
                of
            };
            let entry = entry(settings, of.as_deref(), &base_url);
            // An entry that is not in the settings any more continues as it was.
            let is_gone = of.as_ref().is_some_and(|of| !settings.entries.contains_key(of));
            Ok(ModelSetup::Server {
                wire: match &common.wire {
                    Some(_) => settings.wire.value,
                    None => wire,
                },
                model: match (&common.model, &settings.model.value) {
                    (Some(_), Some(named)) => named.clone(),
                    _ => model,
                },
                options: if is_gone { asked } else { options(settings, entry) },
                entry: of,
                base_url,
                recording: None,
            })
        }
        _ if common.model.is_some() || is_scripted || is_recorded(common) => choose(common, context),
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
        return api_key(key);
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

/// The authorities that servers of models may have certificates of, in addition to those of the system.
pub fn authorities(settings: &Settings) -> Result<Authorities, Failure> {
    let (Some(file), Some(text)) = (&settings.ca_file.value, &settings.ca_text) else {
        return Ok(Authorities::default());
    };
    Authorities::read(text).map_err(|why| {
        let file = visible(&file.to_string_lossy());
        let words = format!(
            "cannot use {file}: {why}; name a file with the certificates of authorities in PEM in ca_file"
        );
        Failure::new(Code::Config, words)
    })
}

/// What a client needs to reach a server without an entry.
fn access_without_entry(settings: &Settings, wire: Wire, base_url: &str) -> Result<Access, Failure> {
    Ok(Access {
        key: key_for(settings, wire, base_url)?,
        authorities: authorities(settings)?,
        ..Access::default()
    })
}

/// What a client needs to reach a server. Key and headers of an entry go to its own server alone.
pub fn access(
    settings: &Settings,
    wire: Wire,
    base_url: &str,
    name: Option<&str>,
) -> Result<Access, Failure> {
    let Some(entry) = entry(settings, name, base_url) else {
        return access_without_entry(settings, wire, base_url);
    };
    let is_home = discover::same_server(&entry.home, base_url);
    let key = match (&entry.key, &entry.base_url) {
        (Some(key), _) if is_home => key.key.get()?.map(ApiKey::from),
        // A server that the entry names gets the key that was set with it, or none.
        (None, Some(_)) => match key_of(settings, base_url) {
            Some(key) => api_key(key)?,
            None if wire.ollama_path().is_none() && is_provider(wire, base_url) => {
                return Err(no_key(wire, name.unwrap_or_default()));
            }
            None => None,
        },
        _ => key_for(settings, wire, base_url)?,
    };
    Ok(Access {
        key,
        headers: if is_home {
            entry.headers.0.clone()
        } else {
            Vec::new()
        },
        proxy: match &entry.proxy {
            None => Proxy::Environment,
            Some(ProxySetting::Off) => Proxy::None,
            Some(ProxySetting::Url(url)) => Proxy::Url(url.clone()),
        },
        authorities: authorities(settings)?,
    })
}

/// True for the provider of a format itself.
fn is_provider(wire: Wire, base_url: &str) -> bool {
    discover::same_server(wire.default_base(), base_url)
}

fn no_key(wire: Wire, name: &str) -> Failure {
    let variable = wire.key_env().first().map_or("its key", |variable| variable.name);
    Failure::new(
        Code::Config,
        format!(
            "cannot ask the model `{}`: there is no API key for it; hint: set {variable}, or add key_env or \
             key_command to [models.{}]",
            visible(name),
            visible(name),
        ),
    )
}

/// Returns a key as it is sent.
pub fn api_key(key: &KeyOf) -> Result<Option<ApiKey>, Failure> {
    let is_token = key.is_token;
    let secret = key.key.get()?;
    Ok(secret.map(|secret| ApiKey { secret, is_token }))
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
            let meta = Playbook::meta(name, playbook).map_err(|error| Failure::new(Code::Config, error))?;
            Ok(meta.output_schema)
        }
        ModelSetup::Server { .. } | ModelSetup::Agent { .. } => Ok(None),
    }
}

/// The task of the playbook.
pub fn prompt(setup: &ModelSetup) -> Result<String, Failure> {
    let prompt = match setup {
        ModelSetup::Scripted { name, playbook, .. } => {
            let meta = Playbook::meta(name, playbook).map_err(|error| Failure::new(Code::Config, error))?;
            meta.prompt.filter(|prompt| !prompt.trim().is_empty())
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
            entry: of,
            options,
            recording,
        } => {
            let client = |access| {
                let patience = Patience {
                    idle: Duration::from_millis(context.settings.stream.timeout_ms.value),
                    ..Patience::default()
                };
                let client = Client::new(*wire, base_url, model, access, patience);
                let client = client.map_err(|error| Failure::new(Code::Config, error))?;
                Ok::<_, Failure>(client.with_options(options.clone()))
            };
            if let Some(path) = recording {
                let (_, recording) = recording::read(Path::new(path))?;
                return Ok(Arc::new(client(Access::default())?.answered_by(recording)));
            }
            let settings = &context.settings;
            let mut client = client(access(settings, *wire, base_url, of.as_deref())?)?;
            if let Some(path) = &context.record {
                let head = Head {
                    entry: of.clone(),
                    options: options.clone(),
                    ..Head::new(*wire, base_url, model)
                };
                client = client.kept_by(recording::keep(path, &head)?);
            }
            Ok(Arc::new(client))
        }
        ModelSetup::Agent { program, .. } => Err(without_agent(program.as_deref())),
    }
}

/// The refusal to continue the session of an agent of another program without it.
fn without_agent(program: Option<&str>) -> Failure {
    Failure::new(
        Code::Usage,
        format!(
            "cannot ask the model of an agent without the agent; hint: continue with `overrule proxy --resume SESSION -- {}`",
            program.map_or_else(|| "AGENT".into(), visible)
        ),
    )
}
