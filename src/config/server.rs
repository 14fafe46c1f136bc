//! Resolves the server of the model: wire format, base URL, keys.
//!
//! Must not know: files, what is sent.
//!
//! A key belongs to the server that was named where the key was set, and goes to no other.

use std::collections::BTreeMap;
use std::sync::Arc;

use overrule_base::text::visible;
use overrule_model::wire::{KeyVariable, Wire};
use overrule_policy::Notice;

use super::checks;
use super::error::Error;
use super::key::{Key, KeyOf};
use super::layers::{Layers, environment, flag, given, last, some};
use super::model::RawModel;
use super::settings::{ModelEntry, Origin, Setting};
use super::written::RawSettings;

/// The settings of the model and its server.
pub(super) struct Server {
    /// Name of the model.
    pub model: Setting<Option<String>>,
    /// Wire format.
    pub wire: Setting<Wire>,
    /// Base URL.
    pub base_url: Setting<Option<String>>,
    /// All keys that were set, the strongest first.
    pub keys: Vec<KeyOf>,
    /// The models of `[models]`, by name.
    pub entries: BTreeMap<String, ModelEntry>,
    /// The name of the entry that the model is from.
    pub entry: Option<String>,
}

/// Resolves them.
pub(super) fn resolve(layers: &mut Layers<'_>, notices: &mut Vec<Notice>) -> Result<Server, Error> {
    let mut model = model(layers)?;
    let mut entries = entries(layers);
    let named = model.value.as_ref().and_then(|name| entries.get_key_value(name));
    let (name, entry) = named.unzip();
    if let Some(entry) = entry {
        model.value = Some(entry.model.clone());
    }
    // An entry that names neither has the server of the other settings.
    let own = entry.filter(|entry| entry.base_url.is_some());
    let speaks = entry.filter(|entry| entry.has_wire);
    let wire = wire(layers, model.value.as_deref(), speaks)?;
    let (base_url, mut keys) = endpoint(layers, wire.value, own, notices)?;
    let entry = name.cloned();
    withhold(&mut keys, &mut entries);
    Ok(Server {
        model,
        wire,
        base_url,
        keys,
        entries,
        entry,
    })
}

/// Keeps the variables with keys of the models from the commands that print keys.
fn withhold(keys: &mut [KeyOf], entries: &mut BTreeMap<String, ModelEntry>) {
    let of_entries = entries.values().filter_map(|entry| entry.key.as_ref());
    let variables = of_entries.filter_map(|key| match &key.key {
        Key::Variable { name, .. } => Some(name.clone()),
        _ => None,
    });
    let variables: Arc<[String]> = variables.collect();
    let of_entries = entries.values_mut().filter_map(|entry| entry.key.as_mut());
    for key in keys.iter_mut().chain(of_entries) {
        key.key.withhold(&variables);
    }
}

/// The models of both files; those of the workspace only if it is trusted.
fn entries(layers: &mut Layers<'_>) -> BTreeMap<String, ModelEntry> {
    let mine = std::mem::take(&mut layers.user.compiled.models);
    let theirs = std::mem::take(&mut layers.workspace.compiled.models);
    let mine = mine
        .into_iter()
        .map(|(name, at)| (name, at.value, Origin::User(at.place)));
    let theirs = theirs
        .into_iter()
        .map(|(name, at)| (name, at.value, Origin::Workspace(at.place)));
    let mut entries = BTreeMap::new();
    for (name, raw, origin) in mine.chain(theirs) {
        let entry = entry(layers, &name, raw, origin);
        entries.insert(name, entry);
    }
    entries
}

/// Completes an entry: without a wire format the address tells it, then the name of the model.
fn entry(layers: &Layers<'_>, name: &str, raw: RawModel, origin: Origin) -> ModelEntry {
    let model = raw.model.unwrap_or_else(|| name.to_owned());
    let by_address = raw.base_url.as_deref().and_then(Wire::of_base_url);
    let by_name = || Wire::of_model(&model).filter(|_| raw.base_url.is_none());
    let known = raw.wire.or(by_address).or_else(by_name);
    let base_url = raw.base_url.or_else(|| {
        let wire = known?;
        let of_env = base_url_of(layers, wire).and_then(|(_, url)| checks::base_url(url).ok());
        // Without a key the model may run on this machine, where it is looked for.
        let is_provider = raw.key.is_some() || wire.ollama_path().is_none();
        of_env.or_else(|| is_provider.then(|| wire.default_base().to_owned()))
    });
    let wire = known.unwrap_or_default();
    let file = match &origin {
        Origin::Workspace(_) => &layers.workspace,
        _ => &layers.user,
    };
    let of_file = || file.base_url.as_ref().map(|url| url.get_ref().clone());
    let home = base_url.clone().or_else(of_file);
    let home = home.unwrap_or_else(|| wire.default_base().to_owned());
    let key = raw.key.map(|key| KeyOf {
        key: key.key(|name| layers.env.secret(name)),
        origin: origin.clone(),
        home: home.clone(),
        is_token: false,
        is_of_other: false,
    });
    ModelEntry {
        origin,
        wire,
        has_wire: known.is_some() || base_url.is_some(),
        base_url,
        home,
        model,
        key,
        headers: raw.headers,
        proxy: raw.proxy,
        options: raw.options,
        price: raw.price,
        window: raw.window,
    }
}

fn model(layers: &mut Layers<'_>) -> Result<Setting<Option<String>>, Error> {
    let (env, flags) = (layers.env, layers.flags);
    let advice = "write the model's name";
    let variable = given("OVERRULE_MODEL", env.model.as_ref(), checks::name, advice)?;
    let named = given("--model", flags.model.as_ref(), checks::name, advice)?;
    // The files keep theirs: it may tell whom their key is for.
    let (mine, theirs) = (layers.user.model.clone(), layers.workspace.model.clone());
    Ok(last(
        None,
        [
            some(layers.files.user(mine)),
            some(layers.files.workspace(theirs)),
            some(environment("OVERRULE_MODEL", variable)),
            some(flag("--model", named)),
        ],
    ))
}

/// The wire format that is set. Otherwise that of the server, where it is known by its address; where no server is named,
/// that of the provider whose models have such names.
fn wire(
    layers: &Layers<'_>,
    model: Option<&str>,
    entry: Option<&ModelEntry>,
) -> Result<Setting<Wire>, Error> {
    let named = layers.flags.wire.as_ref().map(|name| {
        let known = || format!("use {}", Wire::names());
        Wire::named(name).ok_or_else(|| {
            Error::given(
                "--wire",
                format!("unknown wire format `{}`", visible(name)),
                known(),
            )
        })
    });
    let flag = flag("--wire", named.transpose()?);
    if let Some(entry) = entry {
        let own = Setting {
            value: entry.wire,
            origin: entry.origin.clone(),
        };
        let by_flag = layers.flags.base_url.as_deref().and_then(Wire::of_base_url);
        let default = by_flag.map_or(own, |wire| Setting {
            value: wire,
            origin: Origin::Flag("--base-url"),
        });
        return Ok(flag.unwrap_or(default));
    }
    let mine = layers.files.user(layers.user.wire.clone());
    let theirs = layers.files.workspace(layers.workspace.wire.clone());
    let of_file = |file: &RawSettings| file.base_url.as_ref().map(|url| url.get_ref().clone());
    let of_files = || of_file(&layers.workspace).or_else(|| of_file(&layers.user));
    let guess = match (&layers.flags.base_url, of_files()) {
        (Some(url), _) => Wire::of_base_url(url),
        // The variable is that of the default format.
        (None, _) if base_url_of(layers, Wire::default()).is_some() => None,
        (None, Some(url)) => Wire::of_base_url(&url),
        (None, None) => model.and_then(Wire::of_model),
    };
    Ok(last(guess.unwrap_or_default(), [mine, theirs, flag]))
}

/// The variable with a base URL for a format, and its value.
fn base_url_of<'e>(layers: &Layers<'e>, wire: Wire) -> Option<(&'static str, &'e String)> {
    let mut names = wire.key_env().iter().map(|variable| variable.base_url);
    names.find_map(|name| Some((name, layers.env.base_urls.get(name)?)))
}

/// The base URL and the keys. A key of a file belongs to the `base_url` of that file. A variable's belongs to the
/// variable with the base URL of its provider, else to the `base_url` of the user's file if that has no key of its own
/// and the format is the provider's. Where none of these names a server, it belongs to the provider.
fn endpoint(
    layers: &mut Layers<'_>,
    wire: Wire,
    entry: Option<&ModelEntry>,
    notices: &mut Vec<Notice>,
) -> Result<(Setting<Option<String>>, Vec<KeyOf>), Error> {
    let env = layers.env;
    let advice = checks::BASE_URL;
    let (name, text) = base_url_of(layers, wire).unzip();
    let name = name.unwrap_or_default();
    let from_env = given(name, text, checks::base_url, advice)?;
    let from_flag = given(
        "--base-url",
        layers.flags.base_url.as_ref(),
        checks::base_url,
        advice,
    )?;
    let mut of_files = Vec::new();
    if let Some(key) = layers.files.workspace(layers.workspace.compiled.key.take()) {
        of_files.push(of_file(key, &layers.workspace));
    }
    let my_key = layers.files.user(layers.user.compiled.key.take());
    let mine = layers.user.base_url.as_ref().filter(|_| my_key.is_none());
    let mine = mine.filter(|_| entry.is_none()).map(|at| at.get_ref().clone());
    of_files.extend(my_key.map(|key| of_file(key, &layers.user)));
    let mut keys = Vec::new();
    let mut of_others: Vec<KeyOf> = Vec::new();
    for format in Wire::all() {
        let is_own = format.key_env() == wire.key_env();
        for variable in format.key_env() {
            let Some(secret) = env.api_keys.get(variable.name) else {
                continue;
            };
            let named = env.base_urls.get(variable.base_url);
            let named = named.and_then(|url| checks::base_url(url).ok());
            let home = named.or_else(|| mine.clone().filter(|_| is_own));
            let home = home.unwrap_or_else(|| format.default_base().to_owned());
            let key = of_variable(variable, Key::Value(secret.clone()), home, !is_own);
            let list = if is_own { &mut keys } else { &mut of_others };
            // Two formats of one provider have the same variables.
            if !list.iter().any(|other: &KeyOf| other.origin == key.origin) {
                list.push(key);
            }
        }
    }
    keys.extend(of_files);
    let general = last(
        None,
        [
            some(layers.files.user(layers.user.base_url.take())),
            some(layers.files.workspace(layers.workspace.base_url.take())),
            some(environment(name, from_env)),
        ],
    );
    let own = entry.map(|entry| Setting {
        value: entry.base_url.clone(),
        origin: entry.origin.clone(),
    });
    let named = own.clone().unwrap_or(general);
    let base_url = last(named.value, [some(flag("--base-url", from_flag))]);
    let base_url = Setting {
        origin: if base_url.origin == Origin::Default {
            named.origin
        } else {
            base_url.origin
        },
        ..base_url
    };
    // An entry has a key of its own, or none.
    if own.is_none() {
        notices.extend(unused(&keys, &base_url, wire));
    }
    keys.extend(of_others);
    Ok((base_url, keys))
}

fn of_variable(variable: &KeyVariable, key: Key, home: String, is_of_other: bool) -> KeyOf {
    KeyOf {
        key,
        origin: Origin::Environment(variable.name),
        home,
        is_token: variable.is_token,
        is_of_other,
    }
}

/// The key of a file.
fn of_file(key: Setting<Key>, file: &RawSettings) -> KeyOf {
    let guess = || Wire::of_model(file.model.as_ref()?.get_ref());
    let wire = file.wire.as_ref().map(|at| *at.get_ref()).or_else(guess);
    let named = file.base_url.as_ref().map(|at| at.get_ref().clone());
    KeyOf {
        key: key.value,
        origin: key.origin,
        home: named.unwrap_or_else(|| wire.unwrap_or_default().default_base().to_owned()),
        is_token: false,
        is_of_other: false,
    }
}

/// Tells that the strongest key belongs to another server.
fn unused(keys: &[KeyOf], base_url: &Setting<Option<String>>, wire: Wire) -> Option<Notice> {
    let server = base_url.value.as_deref().unwrap_or(wire.default_base());
    let strongest = keys.first().filter(|key| !key.is_of(server))?;
    Some(Notice(format!(
        "{} is not used: it belongs to {}, and {} names another server{}",
        strongest.name(),
        visible(&strongest.home),
        base_url.origin,
        if keys.iter().any(|key| key.is_of(server)) {
            " with a key of its own"
        } else {
            ""
        },
    )))
}
