//! The contents of one settings file, checked but not yet resolved against other files.
//!
//! Must not know: other files, the environment, flags.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use secrecy::SecretString;
use serde::{Deserialize, Deserializer};
use toml::de::{DeTable, DeValue};
use toml::{Spanned, Value};

use super::approver;
use super::checks;
use super::danger;
use super::declared;
use super::key::Key;
use super::model::{self, RawModel};
use super::notify;
use super::price;
use super::routing;
use super::sandbox::{self, PathBase};
use super::servers;
use super::settings::{Ambiguous, Differences, Glyphs, Reduce};
use super::tools;
use super::tracking;
use overrule_base::document::{
    At, Document, Error, Field, Place, Source, near, parsed, strings, whole, wrong,
};
use overrule_base::text::visible;
use overrule_domain::event::run::Reduction;
use overrule_model::wire::Wire;
use overrule_policy::Origin;
use overrule_policy::expiry::duration_ms;
use overrule_policy::parse::{self, DURATION};
use overrule_resilience::policy::Policy as Resilience;

/// Maximum number of calls at the same time.
pub(super) const MOST_PARALLEL: u64 = overrule_domain::event::run::Limits::MOST_PARALLEL as u64;
/// Maximum arming delay in milliseconds.
const LONGEST_ARMING: u64 = 10_000;
/// Maximum time in which a model may send nothing, in milliseconds.
const LONGEST_IDLE: u64 = 24 * 3_600_000;
/// Keys that an untrusted workspace may use, because they can only tighten or add a mark.
const TIGHTENING: [&str; 5] = ["policy", "limits", "danger", sandbox::TABLE, tracking::TABLE];
/// Keys that no workspace sets, trusted or not.
const OPERATORS: [&str; 8] = [
    "api_key",
    "api_key_cmd",
    "api_key_file",
    "approver",
    "base_url",
    "ca_file",
    "editor",
    "models",
];
/// Tables with the keys of them that no workspace sets.
const OPERATORS_OF: [(&str, &[&str]); 3] = [
    ("notify", &["command", "webhook"]),
    (sandbox::TABLE, &sandbox::WIDENING),
    (tracking::TABLE, &tracking::OPERATORS),
];
/// Keys of a tool in an untrusted workspace that are read, because they can only tighten.
const TIGHTENING_TOOL: [&str; 2] = ["tags", "pause_s"];
/// Keys of an untrusted workspace that are not read; of a table of tools the tightening keys are.
const FOREIGN: [&str; 4] = ["tool", "mcp", "hook", "models"];

/// The contents of a file. `None` stands for an absent key.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RawSettings {
    /// `model`
    #[serde(deserialize_with = "model_name")]
    pub model: Field<String>,
    /// `base_url`
    #[serde(deserialize_with = "base_url")]
    pub base_url: Field<String>,
    /// `wire`
    #[serde(deserialize_with = "wire")]
    pub wire: Field<Wire>,
    /// `api_key`
    #[serde(deserialize_with = "secret")]
    api_key: Field<Key>,
    /// `api_key_cmd`
    #[serde(deserialize_with = "key_command")]
    api_key_cmd: Field<Key>,
    /// `api_key_file`
    api_key_file: Field<PathBuf>,
    /// `ca_file`
    pub ca_file: Field<PathBuf>,
    /// `theme`
    #[serde(deserialize_with = "theme")]
    pub theme: Field<String>,
    /// `glyphs`
    pub glyphs: Field<Glyphs>,
    /// `ambiguous_width`
    pub ambiguous_width: Field<Ambiguous>,
    /// `differences`
    pub differences: Field<Differences>,
    /// `mouse`
    pub mouse: Field<bool>,
    /// `sessions`
    pub sessions: Field<PathBuf>,
    /// `arming`, in milliseconds
    #[serde(deserialize_with = "arming")]
    pub arming: Field<u64>,
    /// `max_output_tokens`
    #[serde(deserialize_with = "whole::<1, { u32::MAX as u64 }, _, _>")]
    pub max_output_tokens: Field<u32>,
    /// `output_schema`
    pub output_schema: Field<PathBuf>,
    /// `editor`
    #[serde(deserialize_with = "editor")]
    pub editor: Field<String>,
    /// `keep_replies`
    pub keep_replies: Field<bool>,
    /// `tell_edits`
    #[serde(rename = "tell_edits")]
    pub announce_edits: Field<bool>,
    /// `[limits]`
    pub limits: Limits,
    /// `[context]`
    pub context: Context,
    /// `[stream]`
    pub stream: Stream,
    /// `[notify]`
    pub notify: notify::RawNotify,
    /// `[approver]`
    pub approver: approver::RawApprover,
    /// `[danger]`
    pub danger: danger::RawDanger,
    /// `[reuse]`
    pub reuse: Reuse,
    /// `[routing]`
    pub routing: routing::RawRouting,
    /// `[files]`
    pub files: tracking::FilesTable,
    sandbox: sandbox::SandboxTable,
    price: price::PriceTable,
    models: BTreeMap<Spanned<String>, model::ModelTable>,
    /// `prices`
    pub prices: Field<PathBuf>,
    /// Its values are read one by one, each with its place.
    resilience: toml::Table,
    tool: BTreeMap<Spanned<String>, tools::ToolTable>,
    mcp: BTreeMap<Spanned<String>, servers::McpTable>,
    policy: parse::PolicyTable,
    /// What is compiled from the tables above.
    #[serde(skip)]
    pub compiled: Compiled,
}

/// The parts of a file that are checked across their keys.
#[derive(Debug, Clone, Default)]
pub struct Compiled {
    /// The text of the file.
    pub source: Source,
    /// `api_key`, `api_key_cmd` or `api_key_file`
    pub key: Field<Key>,
    /// `[sandbox]`
    pub sandbox: sandbox::RawSandbox,
    /// `[price]`
    pub price: price::RawPrices,
    /// `[models]`
    pub models: BTreeMap<String, At<RawModel>>,
    /// `[resilience]`: each value with its key
    pub resilience: Vec<(String, At<serde_json::Value>)>,
    /// `[tool]`
    pub tools: tools::RawTools,
    /// `[mcp]`
    pub servers: servers::RawServers,
    /// `[policy]`
    pub policy: parse::RawPolicy,
    /// Keys that count only in a trusted file.
    pub loose: Vec<(String, Place)>,
    /// Keys that no workspace sets, trusted or not.
    pub never: Vec<(String, Place)>,
}

/// The limits in a file.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// `parallel`
    #[serde(deserialize_with = "whole::<1, MOST_PARALLEL, _, _>")]
    pub parallel: Field<u32>,
    /// `turns`
    #[serde(deserialize_with = "bound::<{ u32::MAX as u64 }, _, _>")]
    pub turns: Field<Option<u32>>,
    /// `tokens`
    #[serde(deserialize_with = "bound::<{ i64::MAX as u64 }, _, _>")]
    pub tokens: Field<Option<u64>>,
    /// `wall`, in milliseconds
    #[serde(deserialize_with = "wall")]
    pub wall: Field<Option<u64>>,
    /// `price`, in trillionths of the currency
    #[serde(deserialize_with = "price::limit")]
    pub price: Field<Option<u64>>,
}

/// `[context]` in a file.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Context {
    /// `reduce`
    pub reduce: Field<Reduce>,
    /// `share`, in per cent of the window
    #[serde(deserialize_with = "whole::<1, 100, _, _>")]
    pub share: Field<u64>,
    /// `by`
    pub by: Field<Reduction>,
}

/// `[stream]` in a file.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Stream {
    /// `notice`, in milliseconds
    #[serde(deserialize_with = "idle_time")]
    pub notice: Field<u64>,
    /// `timeout`, in milliseconds
    #[serde(deserialize_with = "idle_time")]
    pub timeout: Field<u64>,
}

/// `[reuse]` in a file.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Reuse {
    /// `replies`
    pub replies: Field<bool>,
    /// `pure`
    pub pure: Field<bool>,
    /// `reads`
    pub reads: Field<bool>,
}

/// Reads the text of a file. `origin` is that of its rules.
pub fn read(path: &Path, text: &str, origin: Origin, home: Option<&Path>) -> Result<RawSettings, Error> {
    let mut document = Document::parse(&path.to_string_lossy(), text)?;
    preset_in_place(&document)?;
    let of_workspace = matches!(origin, Origin::Workspace { .. });
    let base = PathBase {
        file: path,
        home,
        takes_relative: of_workspace,
    };
    let never = if of_workspace {
        remove_operators(&mut document)
    } else {
        Vec::new()
    };
    let untrusted = !origin.may_loosen();
    let loose = if untrusted {
        remove_loose(&mut document)
    } else {
        Vec::new()
    };
    let missing = [parse::MISSING, price::MISSING, tools::MISSING, declared::MISSING].concat();
    let mut raw: RawSettings = document.read(&missing)?;
    for (given, advice) in [
        (&mut raw.sessions, "write a directory, such as \"~/runs\""),
        (&mut raw.output_schema, "write the path of a JSON Schema"),
        (&mut raw.prices, "write the path of a file of prices"),
        (&mut raw.api_key_file, "write a path"),
        (&mut raw.ca_file, "write the path of certificates in PEM"),
        (&mut raw.routing.priors, routing::PRIORS),
    ] {
        let Some(given) = given else { continue };
        *given.get_mut() = checks::path(&given.get_ref().to_string_lossy(), path, home)
            .map_err(|why| document.error(given.span(), &format!("{why}; {advice}")))?;
    }
    raw.compiled = Compiled {
        key: key(&mut raw, &document)?,
        sandbox: sandbox::compiled(std::mem::take(&mut raw.sandbox), base, &document)?,
        price: price::compiled(std::mem::take(&mut raw.price), &document)?,
        models: model::compiled(std::mem::take(&mut raw.models), &document)?,
        resilience: resilience(&document)?,
        tools: tools::compiled(std::mem::take(&mut raw.tool), &document)?,
        servers: servers::compiled(std::mem::take(&mut raw.mcp), &document, base)?,
        policy: parse::compiled(std::mem::take(&mut raw.policy), &document, origin)?,
        source: document.source().clone(),
        loose,
        never,
    };
    if !untrusted {
        return Ok(raw);
    }
    Ok(RawSettings {
        limits: raw.limits,
        danger: raw.danger,
        files: raw.files,
        compiled: Compiled {
            source: raw.compiled.source,
            sandbox: raw.compiled.sandbox,
            policy: raw.compiled.policy,
            tools: raw.compiled.tools,
            loose: raw.compiled.loose,
            never: raw.compiled.never,
            ..Compiled::default()
        },
        ..RawSettings::default()
    })
}

/// Refuses a preset that is given as the policy itself, and says where it belongs.
fn preset_in_place(document: &Document<'_>) -> Result<(), Error> {
    for (name, value) in document.root() {
        let (key, found) = (name.get_ref(), value.get_ref());
        if found.is_table() || near(key, ["policy"]).is_none() {
            continue;
        }
        return Err(if key == "policy" {
            let what = wrong(found.type_str(), "a table");
            document.error(value.span(), &format!("{what}, or the preset as `policy.preset`"))
        } else {
            document.error(name.span(), "unknown key; did you mean `policy.preset`?")
        });
    }
    Ok(())
}

/// Removes what belongs to the operator alone, and lists it: who decides, who is notified, what gives out a key, where the
/// model is, what opens a text, what a confined command gets beyond the workspace.
fn remove_operators(document: &mut Document<'_>) -> Vec<(String, Place)> {
    let mut never = Vec::new();
    retain(document.root_mut(), |at, name, value| {
        let of_table = OPERATORS_OF.into_iter().find(|(table, _)| *table == name);
        if let (Some((_, keys)), DeValue::Table(table)) = (of_table, value) {
            retain(table, |at, key, _| {
                let is_operators = keys.contains(&key);
                if is_operators {
                    never.push((at, format!("{name}.{key}")));
                }
                !is_operators
            });
            return true;
        }
        let is_operators = OPERATORS.contains(&name);
        if is_operators {
            never.push((at, name.to_owned()));
        }
        !is_operators
    });
    never.sort();
    let placed = |(at, key)| (key, document.source().place(at));
    never.into_iter().map(placed).collect()
}

/// Returns true for a key of a workspace's file that is never read.
pub fn is_operators(key: &str) -> bool {
    let is_below = |name: &str| {
        key.strip_prefix(name)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    let of_tables = OPERATORS_OF
        .into_iter()
        .flat_map(|(table, keys)| keys.iter().map(move |key| format!("{table}.{key}")));
    OPERATORS.into_iter().any(is_below) || of_tables.into_iter().any(|name| is_below(&name))
}

/// Returns every value of a file that does more than tighten, with its place, in the order of the text.
pub fn values(path: &Path, text: &str) -> Result<Vec<(String, At<serde_json::Value>)>, Error> {
    let document = Document::parse(&path.to_string_lossy(), text)?;
    let mut all = document.all_leaves();
    let tightens = |key: &str| TIGHTENING.contains(&key.split('.').next().unwrap_or_default());
    all.retain(|(key, _)| is_operators(key) || !tightens(key));
    Ok(all)
}

/// Removes what an untrusted file may not define, and lists its keys that can do more than tighten.
fn remove_loose(document: &mut Document<'_>) -> Vec<(String, Place)> {
    let (mut loose, mut of_tools) = (Vec::new(), Vec::new());
    retain(document.root_mut(), |at, name, value| {
        let tools = match value {
            DeValue::Table(tools) if name == "tool" => tools,
            _ => {
                if !TIGHTENING.contains(&name) {
                    loose.push((at, name.to_owned()));
                }
                return !FOREIGN.contains(&name);
            }
        };
        for (tool, table) in tools.iter_mut() {
            let DeValue::Table(table) = table.get_mut() else {
                continue;
            };
            retain(table, |at, key, _| {
                let tightens = TIGHTENING_TOOL.contains(&key);
                if !tightens {
                    of_tools.push((at, format!("tool.{}.{key}", tool.get_ref())));
                }
                tightens
            });
        }
        true
    });
    loose.sort();
    of_tools.sort();
    let placed = |(at, key)| (key, document.source().place(at));
    loose.into_iter().chain(of_tools).map(placed).collect()
}

/// Keeps the keys for which `keep` is true; it gets offset, name and value.
fn retain<'a>(table: &mut DeTable<'a>, mut keep: impl FnMut(usize, &str, &mut DeValue<'a>) -> bool) {
    let all = std::mem::take(table);
    for (key, mut value) in all {
        if keep(key.span().start, key.get_ref(), value.get_mut()) {
            table.insert(key, value);
        }
    }
}

fn key(raw: &mut RawSettings, document: &Document<'_>) -> Result<Field<Key>, Error> {
    let file = raw.api_key_file.take();
    let file = file.map(|at| Spanned::new(at.span(), Key::File(at.into_inner())));
    let given = [raw.api_key.take(), raw.api_key_cmd.take(), file];
    let mut given = given.into_iter().flatten();
    match (given.next(), given.next()) {
        (Some(_), Some(second)) => {
            let what =
                "the key is given in more than one way; keep one of api_key, api_key_cmd and api_key_file";
            Err(document.error(second.span(), what))
        }
        (first, _) => Ok(first),
    }
}

/// Refuses each faulty value at its place, even if another value would compensate for it.
fn resilience(document: &Document<'_>) -> Result<Vec<(String, At<serde_json::Value>)>, Error> {
    let leaves = document.leaves("resilience");
    for (key, at) in &leaves {
        if let Err(bad) = Resilience::default().with(key, at.value.clone()) {
            return Err(Error {
                place: at.place.clone(),
                key: format!("resilience.{key}"),
                what: visible(&format!("{}; docs/resilience.md lists what can be set", bad.why)),
            });
        }
    }
    Ok(leaves)
}

strings! {
    model_name: String = checks::name, "write the model's name in quotes";
    base_url: String = checks::base_url, checks::BASE_URL;
    wire: Wire = |text| Wire::named(text).ok_or_else(|| unknown(text)), &format!("use {}", Wire::names());
    theme: String = checks::name, "write a theme's name, such as \"dark\"";
    editor: String = checks::name, "write a command, such as \"vim\"";
    secret: Key = |text| Ok::<_, String>(Key::Value(SecretString::from(text))), "";
    key_command: Key = |text| checks::name(text).map(|text| Key::Command(text.into())),
        "write a shell command that prints the key";
    arming: u64 = |text| duration_ms(text).filter(|ms| *ms <= LONGEST_ARMING).ok_or_else(|| unknown(text)),
        "write a duration of at most 10s, such as \"500ms\"";
    idle_time: u64 = |text| duration_ms(text).filter(|ms| (1..=LONGEST_IDLE).contains(ms)).ok_or_else(|| unknown(text)),
        "write a duration of at most 24h, such as \"60s\"";
    wall: Option<u64> = |text| match duration_ms(text).filter(|ms| *ms > 0) {
        None if text != UNLIMITED => Err(format!("`{text}` is no duration")),
        limit => Ok(limit),
    }, DURATION;
}

pub(super) const UNLIMITED: &str = "unlimited";

pub(super) fn unknown(text: &str) -> String {
    format!("unknown value `{text}`")
}

/// Reads a whole number from 1, or "unlimited".
fn bound<'de, const MAX: u64, T: TryFrom<u64>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Field<Option<T>>, D::Error> {
    parsed(deserializer, |value| match value {
        Value::String(text) if text == UNLIMITED => Ok(None),
        Value::String(text) => Err(format!(
            "{}; write a whole number, or \"unlimited\"",
            unknown(text)
        )),
        Value::Integer(number) => {
            let within = u64::try_from(*number).ok().filter(|n| (1..=MAX).contains(n));
            let limit = within.and_then(|number| T::try_from(number).ok());
            limit
                .map(Some)
                .ok_or_else(|| format!("{number} is out of range; write a whole number from 1 to {MAX}"))
        }
        other => Err(wrong(
            other.type_str(),
            &format!("a whole number from 1 to {MAX}"),
        )),
    })
}
