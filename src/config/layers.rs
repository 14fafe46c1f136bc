//! Resolves the layers: defaults, user's file, workspace's file, environment, flags.
//!
//! Must not know: files.
//!
//! The later layer wins, but an untrusted workspace can only tighten.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use overrule_base::document::{At, Field, Place, Source};
use overrule_base::text::{shown_address, visible};
use overrule_domain::call::Gate;
use overrule_domain::event::run::Reduction;
use overrule_policy::expiry::Deadline;
use overrule_policy::{self as policy, Notice, Policy, Preset, Rule, parse};
use overrule_resilience::policy::Policy as Resilience;

use super::approver;
use super::bounds::limits;
use super::checks;
use super::danger;
use super::declared;
use super::env::Env;
use super::error::Error;
use super::flags::Flags;
use super::load::default_sessions;
use super::notify;
use super::price;
use super::routing::{RawRouting as Feedback, RoutingSettings};
use super::sandbox;
use super::server::{self, Server};
use super::servers::{self, RawServers};
use super::settings::{
    Ambiguous, ContextSettings, Differences, Glyphs, Origin, Prices, Reduce, ReuseSettings, Setting,
    Settings, StreamSettings,
};
use super::tools::{Tags, Templates};
use super::tracking;
use super::written::{self, RawSettings};

/// All layers above the defaults.
pub(super) struct Layers<'a> {
    /// The environment.
    pub env: &'a Env,
    /// The command line.
    pub flags: &'a Flags,
    /// The texts of both files.
    pub files: Files,
    /// The user's file.
    pub user: RawSettings,
    /// The workspace's file; unless it is trusted, only what can tighten.
    pub workspace: RawSettings,
    /// Whether the workspace's file is trusted.
    pub trusted: bool,
    /// The preset that a flag names.
    pub preset: Option<Preset>,
    /// The policy file that a flag names.
    pub named: parse::RawPolicy,
    /// The user's own rules for the workspace.
    pub own: parse::RawPolicy,
    /// The workspace.
    pub root: &'a Path,
    /// The servers of the workspace's `.mcp.json`, if it is trusted.
    pub published: RawServers,
}

/// Returns the setting of the last layer that has one.
pub(super) fn last<T, const N: usize>(default: T, layers: [Option<Setting<T>>; N]) -> Setting<T> {
    layers
        .into_iter()
        .flatten()
        .next_back()
        .unwrap_or(Setting::default_of(default))
}

/// The texts of both files, which know the places of their values.
pub(super) struct Files {
    /// The user's file.
    pub user: Source,
    /// The workspace's file.
    pub workspace: Source,
}

impl Files {
    pub(super) fn user<T>(&self, given: Field<T>) -> Option<Setting<T>> {
        user(given.map(|given| self.user.at(given)))
    }

    pub(super) fn workspace<T>(&self, given: Field<T>) -> Option<Setting<T>> {
        workspace(given.map(|given| self.workspace.at(given)))
    }

    /// Returns the setting of the last file that has one, or the default.
    pub(super) fn last<T>(&self, default: T, mine: Field<T>, theirs: Field<T>) -> Setting<T> {
        last(default, [self.user(mine), self.workspace(theirs)])
    }

    /// Returns the setting of the last file that has one; only files can set it.
    pub(super) fn optional<T>(&self, mine: Field<T>, theirs: Field<T>) -> Setting<Option<T>> {
        last(None, [some(self.user(mine)), some(self.workspace(theirs))])
    }
}

fn user<T>(at: Option<At<T>>) -> Option<Setting<T>> {
    at.map(|At { value, place }| Setting {
        value,
        origin: Origin::User(place),
    })
}

fn workspace<T>(at: Option<At<T>>) -> Option<Setting<T>> {
    at.map(|At { value, place }| Setting {
        value,
        origin: Origin::Workspace(place),
    })
}

pub(super) fn environment<T>(name: &'static str, value: Option<T>) -> Option<Setting<T>> {
    value.map(|value| Setting {
        value,
        origin: Origin::Environment(name),
    })
}

pub(super) fn flag<T>(name: &'static str, value: Option<T>) -> Option<Setting<T>> {
    value.map(|value| Setting {
        value,
        origin: Origin::Flag(name),
    })
}

pub(super) fn some<T>(setting: Option<Setting<T>>) -> Option<Setting<Option<T>>> {
    setting.map(|Setting { value, origin }| Setting {
        value: Some(value),
        origin,
    })
}

pub(super) fn given<T>(
    name: &'static str,
    text: Option<&String>,
    check: impl Fn(&str) -> Result<T, &'static str>,
    advice: &str,
) -> Result<Option<T>, Error> {
    text.map(|text| {
        check(text).map_err(|why| Error::given(name, format!("`{}` {why}", shown_address(text)), advice))
    })
    .transpose()
}

/// Resolves every setting.
pub(super) fn weigh(mut layers: Layers<'_>, mut notices: Vec<Notice>) -> Result<Settings, Error> {
    for (key, place) in std::mem::take(&mut layers.workspace.compiled.loose) {
        notices.push(ignored(&key, &place));
    }
    for (key, place) in std::mem::take(&mut layers.workspace.compiled.never) {
        notices.push(never(&key, &place));
    }
    let (preset, mut policy) = policy(&mut layers, &mut notices);
    let limits = limits(&mut layers, &mut notices)?;
    let Server {
        model,
        wire,
        base_url,
        keys,
        entries,
        entry,
    } = server::resolve(&mut layers, &mut notices)?;
    let Layers {
        env,
        flags,
        files,
        user: mine,
        workspace: theirs,
        published,
        trusted,
        ..
    } = layers;
    let all = vec![mine.compiled.servers, theirs.compiled.servers, published];
    let servers = servers::resolve(env, all, &mut notices);
    let declared = [mine.compiled.tools.declared, theirs.compiled.tools.declared];
    let declared = declared::resolve(env, declared, &mut notices)?;
    let (mut resilience, resilience_set) = resilience(mine.compiled.resilience, theirs.compiled.resilience);
    let mut routing = routing(&files, mine.routing, theirs.routing);
    routing.join(&mut resilience, &resilience_set);
    let danger = danger::weigh(&files, mine.danger, theirs.danger);
    policy = policy.with_danger(danger.table.clone());
    let confinement = (mine.compiled.sandbox, theirs.compiled.sandbox);
    let sandbox = sandbox::weigh((env, flags), &files, confinement, &mut notices)?;
    let files_of_calls = tracking::weigh(trusted, &files, (mine.files, theirs.files), &mut notices);
    Ok(Settings {
        model,
        keys,
        base_url,
        wire,
        entries,
        entry,
        preset,
        policy,
        policy_file: None,
        theme: last(
            "auto".into(),
            [
                files.user(mine.theme),
                files.workspace(theirs.theme),
                flag("--theme", flags.theme.clone()),
            ],
        ),
        glyphs: glyphs(
            env,
            [
                files.user(mine.glyphs),
                files.workspace(theirs.glyphs),
                flag("--ascii", flags.glyphs),
            ],
        ),
        ambiguous: files.last(Ambiguous::default(), mine.ambiguous_width, theirs.ambiguous_width),
        differences: files.last(Differences::default(), mine.differences, theirs.differences),
        mouse: files.last(true, mine.mouse, theirs.mouse),
        keep_replies: files.last(true, mine.keep_replies, theirs.keep_replies),
        announce_edits: files.last(true, mine.announce_edits, theirs.announce_edits),
        limits,
        stream: stream(&files, mine.stream, theirs.stream),
        context: context(&files, mine.context, theirs.context),
        resilience,
        resilience_set,
        prices: prices(&files, mine.compiled.price, theirs.compiled.price),
        ca_file: files.optional(mine.ca_file, theirs.ca_file),
        ca_text: None,
        price_list: files.optional(mine.prices, theirs.prices),
        templates: Templates::of([mine.compiled.tools.templates, theirs.compiled.tools.templates]),
        tags: Tags::of([mine.compiled.tools.tags, theirs.compiled.tools.tags]),
        routing,
        reuse: reuse(&files, mine.reuse, theirs.reuse),
        sessions: sessions(
            (env, flags),
            files.user(mine.sessions),
            files.workspace(theirs.sessions),
        ),
        output_schema: files.optional(mine.output_schema, theirs.output_schema),
        max_output: files.optional(mine.max_output_tokens, theirs.max_output_tokens),
        arming_ms: files.last(500, mine.arming, theirs.arming),
        notify: notify::weigh(&files, mine.notify, theirs.notify),
        approver: approver::weigh(&files, mine.approver, theirs.approver),
        danger,
        sandbox,
        files: files_of_calls,
        editor: editor(env, files.user(mine.editor), files.workspace(theirs.editor)),
        declared,
        servers,
        notices,
    })
}

fn stream(files: &Files, mine: written::Stream, theirs: written::Stream) -> StreamSettings {
    StreamSettings {
        notice_ms: files.last(60_000, mine.notice, theirs.notice),
        timeout_ms: files.last(300_000, mine.timeout, theirs.timeout),
    }
}

fn context(files: &Files, mine: written::Context, theirs: written::Context) -> ContextSettings {
    ContextSettings {
        reduce: files.last(Reduce::default(), mine.reduce, theirs.reduce),
        share: files.last(70, mine.share, theirs.share),
        by: files.last(Reduction::default(), mine.by, theirs.by),
    }
}

fn reuse(files: &Files, mine: written::Reuse, theirs: written::Reuse) -> ReuseSettings {
    ReuseSettings {
        replies: files.last(true, mine.replies, theirs.replies),
        pure: files.last(true, mine.pure, theirs.pure),
        reads: files.last(true, mine.reads, theirs.reads),
    }
}

type Written<T> = Option<Setting<T>>;

fn sessions(
    (env, flags): (&Env, &Flags),
    mine: Written<PathBuf>,
    theirs: Written<PathBuf>,
) -> Setting<Option<PathBuf>> {
    last(
        default_sessions(env),
        [
            some(mine),
            some(theirs),
            some(environment("OVERRULE_SESSIONS", env.sessions.clone())),
            some(flag("--sessions", flags.sessions.clone())),
        ],
    )
}

/// A person's editor of all programs is weaker than one for this program.
fn editor(env: &Env, mine: Written<String>, theirs: Written<String>) -> Setting<Option<String>> {
    last(
        None,
        [
            some(environment("EDITOR", env.editor.clone())),
            some(environment("VISUAL", env.visual.clone())),
            some(mine),
            some(theirs),
        ],
    )
}

fn routing(files: &Files, mine: Feedback, theirs: Feedback) -> RoutingSettings {
    RoutingSettings {
        decay: files.last(0.9, mine.decay, theirs.decay),
        order: files.last(true, mine.order, theirs.order),
        ask_below: files.last(0.0, mine.ask_below, theirs.ask_below),
        hide_below: files.last(0.0, mine.hide_below, theirs.hide_below),
        alert: files.last(0.2, mine.alert, theirs.alert),
        priors: files.optional(mine.priors, theirs.priors),
        keep: files.last(true, mine.keep, theirs.keep),
        kinds: files.last(BTreeMap::new(), mine.kinds, theirs.kinds),
    }
}

pub(super) fn ignored(key: &str, place: &Place) -> Notice {
    let (key, file, line) = (visible(key), visible(&place.file), place.line);
    Notice(format!(
        "ignored: `{key}` in {file}:{line}: a workspace may only tighten; put it into your own configuration file"
    ))
}

/// The notice about a key that no workspace sets.
fn never(key: &str, place: &Place) -> Notice {
    let (key, file, line) = (visible(key), visible(&place.file), place.line);
    Notice(format!(
        "ignored: `{key}` in {file}:{line}: no workspace sets it, trusted or not; put it into your own configuration file"
    ))
}

/// Resolves the failure handling; an untrusted workspace provides none. If values of two files contradict
/// each other, those of the weaker file are dropped.
fn resilience(
    mine: Vec<(String, At<serde_json::Value>)>,
    theirs: Vec<(String, At<serde_json::Value>)>,
) -> (Resilience, Vec<(String, Origin)>) {
    let mut policy = Resilience::default();
    let mut set = Vec::new();
    let mine = mine
        .into_iter()
        .map(|(key, at)| (key, at.value, Origin::User(at.place)));
    let theirs = theirs
        .into_iter()
        .map(|(key, at)| (key, at.value, Origin::Workspace(at.place)));
    for (key, value, origin) in mine.chain(theirs) {
        if let Ok(next) = policy.with(&key, value) {
            policy = next;
            set.push((key, origin));
        }
    }
    (policy, set)
}

/// Resolves the prices; an untrusted workspace provides none.
fn prices(files: &Files, mine: price::RawPrices, theirs: price::RawPrices) -> Prices {
    let mut models = BTreeMap::new();
    for (name, price) in mine.models {
        models.extend(files.user(Some(price)).map(|price| (name, price)));
    }
    for (name, price) in theirs.models {
        models.extend(files.workspace(Some(price)).map(|price| (name, price)));
    }
    let general = [files.user(mine.general), files.workspace(theirs.general)];
    Prices {
        general: general.into_iter().flatten().next_back(),
        models,
        file: None,
    }
}

fn glyphs(env: &Env, output: [Option<Setting<Glyphs>>; 3]) -> Setting<Glyphs> {
    let by = checks::ascii_by(env.term.as_deref(), env.locale.as_deref());
    let [mine, theirs, flag] = output;
    // A guess from the environment is weaker than anything a person wrote.
    let guess = by.and_then(|name| environment(name, Some(Glyphs::Ascii)));
    last(Glyphs::default(), [guess, mine, theirs, flag])
}

fn policy(layers: &mut Layers<'_>, notices: &mut Vec<Notice>) -> (Setting<Preset>, Policy) {
    let mine = std::mem::take(&mut layers.user.compiled.policy);
    let theirs = std::mem::take(&mut layers.workspace.compiled.policy);
    let named = std::mem::take(&mut layers.named);
    let own = std::mem::take(&mut layers.own);
    let (trusted, untrusted) = if layers.trusted {
        (theirs.preset, None)
    } else {
        (None, theirs.preset)
    };
    let preset = last(
        Preset::default(),
        [
            user(mine.preset),
            workspace(trusted),
            user(own.preset),
            flag("--policy", layers.preset),
        ],
    );
    let preset = base(preset, untrusted.as_ref());
    let deadline = deadline(
        [mine.deadline, own.deadline, named.deadline],
        theirs.deadline,
        layers.trusted,
    );
    let mut policy = Policy::new(preset.value)
        .in_workspace(layers.root)
        .with_deadline(deadline);
    if let Some(at) = untrusted.as_ref().filter(|at| as_rules(at).is_empty()) {
        notices.push(ignored("policy.preset", &at.place));
    }
    let tightening = untrusted.iter().flat_map(as_rules);
    for rule in mine
        .rules
        .into_iter()
        .chain(theirs.rules)
        .chain(own.rules)
        .chain(named.rules)
        .chain(tightening)
    {
        notices.extend(policy.add(rule));
    }
    (preset, policy)
}

/// Returns the preset that holds where no rule matches. What `reversible` allows, it allows with read-only paths only, so that
/// no rule that asks is as strict.
fn base(own: Setting<Preset>, untrusted: Option<&At<Preset>>) -> Setting<Preset> {
    let limits = |at: &&At<Preset>| at.value == Preset::Reversible && own.value == Preset::Auto;
    workspace(untrusted.filter(limits).cloned()).unwrap_or(own)
}

/// Converts what a preset asks about or denies to rules of an untrusted workspace.
fn as_rules(at: &At<Preset>) -> Vec<Rule> {
    let At { value, place } = at;
    let tightening = value.rules().into_iter().filter(|rule| rule.gate != Gate::Allow);
    tightening
        .map(|rule| Rule {
            origin: policy::Origin::Workspace { trusted: false },
            place: Some(place.clone()),
            text: format!("preset = \"{value}\" ({})", rule.text),
            ..rule
        })
        .collect()
}

fn deadline(own: [Option<At<Deadline>>; 3], theirs: Option<At<Deadline>>, trusted: bool) -> Option<Deadline> {
    let own = own.into_iter().flatten().next_back().map(|at| at.value);
    match (own, theirs.map(|at| at.value)) {
        (Some(own), Some(theirs)) if !trusted && own.ms <= theirs.ms => Some(own),
        (own, theirs) => theirs.or(own),
    }
}
