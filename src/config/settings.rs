//! The resolved settings, each with its origin.
//!
//! Must not know: how they were found.

mod why;

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use serde::Deserialize;

pub use self::why::Why;
use overrule_base::document::Place;
use overrule_base::text::visible;
use overrule_domain::event::run::{ContextLimit, Limits, Reduction, Reuse};
use overrule_domain::price::Price;
use overrule_model::wire::{Options, Wire};
use overrule_policy::{Notice, Policy, Preset};
use overrule_resilience::policy::Policy as Resilience;
use overrule_tools::sources::declared::Declaration;
use overrule_tools::sources::mcp::ServerConfig;

use super::approver::ApproverSettings;
use super::danger::DangerSettings;
use super::key::{Key, KeyOf};
use super::model::{Headers, ProxySetting};
use super::notify::Notify;
use super::price_list::PriceList;
use super::routing::RoutingSettings;
use super::sandbox::SandboxSettings;
use super::tools::{Tags, Templates};
use super::tracking::FileSettings;

/// Where a value came from, from the weakest to the strongest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// The default.
    Default,
    /// The user's file.
    User(Place),
    /// The workspace's file.
    Workspace(Place),
    /// An environment variable.
    Environment(&'static str),
    /// A command-line flag.
    Flag(&'static str),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::User(place) | Self::Workspace(place) => {
                write!(f, "{}:{}", visible(&place.file), place.line)
            }
            Self::Environment(name) | Self::Flag(name) => f.write_str(name),
        }
    }
}

/// A value and its origin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting<T> {
    /// The value in force.
    pub value: T,
    /// Where it came from.
    pub origin: Origin,
}

impl<T> Setting<T> {
    /// Creates a setting with its default value.
    pub fn default_of(value: T) -> Self {
        Self {
            value,
            origin: Origin::Default,
        }
    }
}

/// The characters that draw the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Glyphs {
    /// Box-drawing characters and symbols.
    #[default]
    Unicode,
    /// ASCII only.
    Ascii,
}

impl Glyphs {
    /// Returns its name.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Unicode => "unicode",
            Self::Ascii => "ascii",
        }
    }
}

/// How a difference is shown where there is room for both sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Differences {
    /// Both versions side by side.
    #[default]
    SideBySide,
    /// One after the other.
    Unified,
}

impl Differences {
    /// Returns its name.
    pub const fn label(self) -> &'static str {
        match self {
            Self::SideBySide => "side-by-side",
            Self::Unified => "unified",
        }
    }
}

/// How wide the terminal draws characters of ambiguous width.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ambiguous {
    /// One column.
    #[default]
    Narrow,
    /// Two columns.
    Wide,
}

impl Ambiguous {
    /// Returns its name.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Narrow => "narrow",
            Self::Wide => "wide",
        }
    }
}

/// Limits of a run, each with its origin. `None` is unlimited.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LimitSettings {
    /// Calls at the same time.
    pub parallel: Setting<u32>,
    /// Requests to the model.
    pub turns: Setting<Option<u32>>,
    /// Tokens, sent and received together.
    pub tokens: Setting<Option<u64>>,
    /// Milliseconds of working time.
    pub wall_ms: Setting<Option<u64>>,
    /// Price in trillionths of the currency.
    pub price: Setting<Option<u64>>,
}

impl LimitSettings {
    /// Returns the values without their origins.
    pub fn values(&self) -> Limits {
        Limits {
            parallel: self.parallel.value,
            turns: self.turns.value,
            tokens: self.tokens.value,
            wall_ms: self.wall_ms.value,
            price: self.price.value,
            context: None,
        }
    }
}

/// The price of tokens, with origins.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Prices {
    /// The price of every paid model without a price of its own.
    pub general: Option<Setting<Price>>,
    /// Prices of single models, by name.
    pub models: BTreeMap<String, Setting<Price>>,
    /// Prices of common models at their providers in a file of the operator; none for the built-in list.
    pub file: Option<PriceList>,
}

impl Prices {
    /// Returns the price of a model at a server; a scripted model has none, and costs nothing unless it has a price of
    /// its own.
    pub fn of(&self, model: &str, server: Option<&str>) -> Option<&Price> {
        let own = self.models.get(model);
        let general = self.general.as_ref().filter(|_| server.is_some());
        let set = own.or(general).map(|setting| &setting.value);
        set.or_else(|| Some(&self.list().of(model, server?)?.price))
    }

    /// Returns the prices of common models at their providers.
    pub fn list(&self) -> &PriceList {
        self.file.as_ref().unwrap_or_else(|| PriceList::built_in())
    }
}

/// What happens before a request that is longer than a share of the model's window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reduce {
    /// The run stops and asks.
    #[default]
    Ask,
    /// The program makes the request shorter.
    Auto,
    /// Nothing.
    Off,
}

impl Reduce {
    /// Returns its name.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Ask => "ask",
            Self::Auto => "auto",
            Self::Off => "off",
        }
    }
}

/// How long requests may be, with origins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContextSettings {
    /// What happens beyond the share.
    pub reduce: Setting<Reduce>,
    /// Per cent of the window.
    pub share: Setting<u64>,
    /// How the program makes requests shorter by itself.
    pub by: Setting<Reduction>,
}

impl ContextSettings {
    /// Returns the limit for a model with this window. Where the window is unknown, a refusal of the server can still
    /// make requests shorter by themselves.
    pub fn limit(&self, window: Option<u64>) -> Option<ContextLimit> {
        let auto = self.reduce.value == Reduce::Auto;
        let is_needed = auto || window.is_some() && self.reduce.value == Reduce::Ask;
        is_needed.then(|| ContextLimit {
            tokens: window.map(|window| window.saturating_mul(self.share.value) / 100),
            window,
            auto,
            by: self.by.value,
        })
    }
}

/// How long a model may send nothing, with origins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StreamSettings {
    /// Milliseconds after which the operator is notified.
    pub notice_ms: Setting<u64>,
    /// Milliseconds after which the request ends.
    pub timeout_ms: Setting<u64>,
}

/// Which recorded replies and results are reused, with origins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReuseSettings {
    /// Replies of the model.
    pub replies: Setting<bool>,
    /// Results of pure calls.
    pub pure: Setting<bool>,
    /// Results of reading calls.
    pub reads: Setting<bool>,
}

impl ReuseSettings {
    /// Returns the values without their origins.
    pub fn values(&self) -> Reuse {
        Reuse {
            replies: self.replies.value,
            pure: self.pure.value,
            reads: self.reads.value,
        }
    }
}

/// All settings.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The model's name, if one is set.
    pub model: Setting<Option<String>>,
    /// The base URL of its server, if one is set.
    pub base_url: Setting<Option<String>>,
    /// Its wire format.
    pub wire: Setting<Wire>,
    /// All keys that were set, each with its server, the strongest first.
    pub keys: Vec<KeyOf>,
    /// The models of `[models]`, by name.
    pub entries: BTreeMap<String, ModelEntry>,
    /// The name of the entry that the model in force is from.
    pub entry: Option<String>,
    /// The preset in force; also part of `policy`.
    pub preset: Setting<Preset>,
    /// The preset and all rules in force.
    pub policy: Policy,
    /// The policy file that a flag named, as (name, text).
    pub policy_file: Option<(String, String)>,
    /// The theme's name.
    pub theme: Setting<String>,
    /// The characters that draw the screen.
    pub glyphs: Setting<Glyphs>,
    /// How wide the terminal draws characters of ambiguous width.
    pub ambiguous: Setting<Ambiguous>,
    /// How a difference is shown where there is room for both sides.
    pub differences: Setting<Differences>,
    /// Whether the console takes the mouse; false leaves it to the terminal's own selection.
    pub mouse: Setting<bool>,
    /// Limits of a run.
    pub limits: LimitSettings,
    /// How long requests may be.
    pub context: ContextSettings,
    /// How long a model may send nothing.
    pub stream: StreamSettings,
    /// Whether the raw replies of the model are kept with the session.
    pub keep_replies: Setting<bool>,
    /// Whether the model sees a note when the operator or a repair changed its context.
    pub announce_edits: Setting<bool>,
    /// Which recorded replies and results are reused.
    pub reuse: ReuseSettings,
    /// How weights of tools are computed and used.
    pub routing: RoutingSettings,
    /// The failure policy.
    pub resilience: Resilience,
    /// The keys of `resilience` that are set, with their origins.
    pub resilience_set: Vec<(String, Origin)>,
    /// The price of tokens.
    pub prices: Prices,
    /// The file of authorities that are trusted in addition to those of the system, for servers of models.
    pub ca_file: Setting<Option<PathBuf>>,
    /// The text of that file.
    pub ca_text: Option<Arc<str>>,
    /// The file of prices that replaces the built-in list.
    pub price_list: Setting<Option<PathBuf>>,
    /// Templates of calls that check or revert executions.
    pub templates: Templates,
    /// Tags of tools.
    pub tags: Tags,
    /// The directory of sessions; `None` without a home directory or a setting.
    pub sessions: Setting<Option<PathBuf>>,
    /// Maximum tokens of one reply of the model; `None` leaves it to the server.
    pub max_output: Setting<Option<u32>>,
    /// The file of the JSON Schema that the answer of `overrule run` must fit.
    pub output_schema: Setting<Option<PathBuf>>,
    /// How many milliseconds a call must be on screen before a decision key counts.
    pub arming_ms: Setting<u64>,
    /// How the operator is notified.
    pub notify: Notify,
    /// The program that is asked about calls that wait for approval.
    pub approver: ApproverSettings,
    /// What marks a call as dangerous.
    pub danger: DangerSettings,
    /// How the commands of a run are confined.
    pub sandbox: SandboxSettings,
    /// What is recorded of the files that calls change.
    pub files: FileSettings,
    /// The editor for long texts, with its arguments; `None` for the built-in one.
    pub editor: Setting<Option<String>>,
    /// The tools that the settings declare.
    pub declared: Vec<Declaration>,
    /// The MCP servers.
    pub servers: Vec<ServerConfig>,
    /// Settings that were read and ignored.
    pub notices: Vec<Notice>,
}

/// A model of `[models]` with everything that belongs to it.
#[derive(Debug, Clone)]
pub struct ModelEntry {
    /// Where it was written.
    pub origin: Origin,
    /// The wire format.
    pub wire: Wire,
    /// True if the entry decides the wire format; false if the settings outside of it do.
    pub has_wire: bool,
    /// Base URL of the server; `None` if the settings outside of the entry name it.
    pub base_url: Option<String>,
    /// Base URL of the server that its key and headers are for.
    pub home: String,
    /// Name of the model at the server.
    pub model: String,
    /// The key, with its server.
    pub key: Option<KeyOf>,
    /// Further headers.
    pub headers: Headers,
    /// The proxy; `None` as the environment says.
    pub proxy: Option<ProxySetting>,
    /// What is asked of the model.
    pub options: Options,
    /// Its price.
    pub price: Option<Price>,
    /// Tokens of its window.
    pub window: Option<u64>,
}

impl Settings {
    /// The key that the server in force gets, with where it came from.
    pub fn key(&self) -> Setting<Key> {
        let base_url = self.base_url.value.as_deref();
        let entry = self.entry.as_ref().and_then(|name| self.entries.get(name));
        let own = entry.and_then(|entry| entry.key.as_ref());
        let mut keys = own.into_iter().chain(&self.keys);
        let base_url = base_url.unwrap_or(self.wire.value.default_base());
        keys.find(|key| key.is_of(base_url))
            .map_or(Setting::default_of(Key::None), KeyOf::setting)
    }
}
