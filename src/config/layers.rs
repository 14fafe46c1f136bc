//! Resolves the layers: defaults, user's file, workspace's file, environment, flags.
//!
//! Must not know: files.
//!
//! The later layer wins, but an untrusted workspace can only tighten.

use std::collections::BTreeMap;
use std::path::Path;

use crate::domain::call::Gate;
use crate::policy::document::At;
use crate::policy::expiry::Deadline;
use crate::policy::{self, Notice, Place, Policy, Preset, Rule, parse};
use crate::resilience::policy::Policy as Resilience;
use crate::text::{shown_address, visible};

use super::approver;
use super::bounds::limits;
use super::checks;
use super::env::Env;
use super::error::Error;
use super::flags::Flags;
use super::load::default_sessions;
use super::notify;
use super::price;
use super::routing::{RawRouting as Feedback, RoutingSettings};
use super::server::{self, Server};
use super::settings::{Ambiguous, Glyphs, Origin, Prices, ReuseSettings, Setting, Settings};
use super::tools::{Tags, Templates};
use super::written::RawSettings;

/// All layers above the defaults.
pub(super) struct Layers<'a> {
    /// The environment.
    pub env: &'a Env,
    /// The command line.
    pub flags: &'a Flags,
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
    /// The workspace.
    pub root: &'a Path,
}

/// Returns the setting of the last layer that has one.
pub(super) fn last<T, const N: usize>(default: T, layers: [Option<Setting<T>>; N]) -> Setting<T> {
    layers
        .into_iter()
        .flatten()
        .next_back()
        .unwrap_or(Setting::default_of(default))
}

pub(super) fn user<T>(at: Option<At<T>>) -> Option<Setting<T>> {
    at.map(|At { value, place }| Setting {
        value,
        origin: Origin::User(place),
    })
}

pub(super) fn workspace<T>(at: Option<At<T>>) -> Option<Setting<T>> {
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

/// Returns the setting of the last file that has one; only files can set it.
fn of_files<T>(mine: Option<At<T>>, theirs: Option<At<T>>) -> Setting<Option<T>> {
    last(None, [some(user(mine)), some(workspace(theirs))])
}

/// Resolves every setting.
pub(super) fn weigh(mut layers: Layers<'_>, mut notices: Vec<Notice>) -> Result<Settings, Error> {
    for (key, place) in std::mem::take(&mut layers.workspace.loose) {
        notices.push(ignored(&key, &place));
    }
    let (preset, policy) = policy(&mut layers, &mut notices);
    let limits = limits(&mut layers, &mut notices)?;
    let Server {
        model,
        wire,
        base_url,
        keys,
    } = server::resolve(&mut layers, &mut notices)?;
    let Layers {
        env,
        flags,
        user: mine,
        workspace: theirs,
        ..
    } = layers;
    let (mut resilience, resilience_set) = resilience(mine.resilience, theirs.resilience);
    let mut routing = routing(mine.routing, theirs.routing);
    routing.join(&mut resilience, &resilience_set);
    Ok(Settings {
        model,
        keys,
        base_url,
        wire,
        preset,
        policy,
        policy_file: None,
        theme: last(
            "dark".into(),
            [
                user(mine.theme),
                workspace(theirs.theme),
                flag("--theme", flags.theme.clone()),
            ],
        ),
        glyphs: glyphs(
            env,
            [
                user(mine.glyphs),
                workspace(theirs.glyphs),
                flag("--ascii", flags.glyphs),
            ],
        ),
        ambiguous: last(
            Ambiguous::default(),
            [user(mine.ambiguous), workspace(theirs.ambiguous)],
        ),
        mouse: last(true, [user(mine.mouse), workspace(theirs.mouse)]),
        keep_replies: last(true, [user(mine.keep_replies), workspace(theirs.keep_replies)]),
        announce_edits: last(
            true,
            [user(mine.announce_edits), workspace(theirs.announce_edits)],
        ),
        limits,
        resilience,
        resilience_set,
        prices: prices(mine.price, theirs.price),
        templates: Templates::of([mine.tools.templates, theirs.tools.templates]),
        tags: Tags::of([mine.tools.tags, theirs.tools.tags]),
        routing,
        reuse: ReuseSettings {
            replies: last(true, [user(mine.reuse.replies), workspace(theirs.reuse.replies)]),
            pure: last(true, [user(mine.reuse.pure), workspace(theirs.reuse.pure)]),
            reads: last(true, [user(mine.reuse.reads), workspace(theirs.reuse.reads)]),
        },
        sessions: last(
            default_sessions(env),
            [
                some(user(mine.sessions)),
                some(workspace(theirs.sessions)),
                some(environment("OVERRULE_SESSIONS", env.sessions.clone())),
                some(flag("--sessions", flags.sessions.clone())),
            ],
        ),
        output_schema: of_files(mine.output_schema, theirs.output_schema),
        max_output: of_files(mine.max_output, theirs.max_output),
        arming_ms: last(500, [user(mine.arming_ms), workspace(theirs.arming_ms)]),
        notify: notify::weigh(mine.notify, theirs.notify),
        approver: approver::weigh(mine.approver, theirs.approver),
        editor: editor(env, mine.editor, theirs.editor),
        notices,
    })
}

/// Resolves the editor's command line.
fn editor(env: &Env, mine: Option<At<String>>, theirs: Option<At<String>>) -> Setting<Option<String>> {
    last(
        None,
        [
            some(environment("EDITOR", env.editor.clone())),
            some(environment("VISUAL", env.visual.clone())),
            some(user(mine)),
            some(workspace(theirs)),
        ],
    )
}

fn routing(mine: Feedback, theirs: Feedback) -> RoutingSettings {
    RoutingSettings {
        decay: last(0.9, [user(mine.decay), workspace(theirs.decay)]),
        order: last(true, [user(mine.order), workspace(theirs.order)]),
        ask_below: last(0.0, [user(mine.ask_below), workspace(theirs.ask_below)]),
        hide_below: last(0.0, [user(mine.hide_below), workspace(theirs.hide_below)]),
        alert: last(0.2, [user(mine.alert), workspace(theirs.alert)]),
        priors: last(None, [some(user(mine.priors)), some(workspace(theirs.priors))]),
        keep: last(true, [user(mine.keep), workspace(theirs.keep)]),
        kinds: last(BTreeMap::new(), [user(mine.kinds), workspace(theirs.kinds)]),
    }
}

pub(super) fn ignored(key: &str, place: &Place) -> Notice {
    let (key, file, line) = (visible(key), visible(&place.file), place.line);
    Notice(format!(
        "ignored: `{key}` in {file}:{line}: a workspace may only tighten; put it into your own configuration file"
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
fn prices(mine: price::RawPrices, theirs: price::RawPrices) -> Prices {
    let general = [user(mine.general), workspace(theirs.general)];
    let mut models = BTreeMap::new();
    for (name, price) in mine.models {
        models.extend(user(Some(price)).map(|price| (name, price)));
    }
    for (name, price) in theirs.models {
        models.extend(workspace(Some(price)).map(|price| (name, price)));
    }
    Prices {
        general: general.into_iter().flatten().next_back(),
        models,
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
    let mine = std::mem::take(&mut layers.user.policy);
    let theirs = std::mem::take(&mut layers.workspace.policy);
    let named = std::mem::take(&mut layers.named);
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
            flag("--policy", layers.preset),
        ],
    );
    let deadline = deadline([mine.deadline, named.deadline], theirs.deadline, layers.trusted);
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
        .chain(named.rules)
        .chain(tightening)
    {
        notices.extend(policy.add(rule));
    }
    (preset, policy)
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

fn deadline(own: [Option<At<Deadline>>; 2], theirs: Option<At<Deadline>>, trusted: bool) -> Option<Deadline> {
    let own = own.into_iter().flatten().next_back().map(|at| at.value);
    match (own, theirs.map(|at| at.value)) {
        (Some(own), Some(theirs)) if !trusted && own.ms <= theirs.ms => Some(own),
        (own, theirs) => theirs.or(own),
    }
}
