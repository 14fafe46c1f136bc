//! Explains every setting with its value and origin.
//!
//! Must not know: how settings were found.

use std::borrow::Cow;

use super::super::error::shown;
use super::super::key::Key;
use super::{ModelEntry, Origin, Setting, Settings};
use overrule_base::text::visible;
use overrule_domain::price::{self};
use overrule_resilience::policy::Ms;

impl ModelEntry {
    /// Explains the entry; secrets are not shown.
    pub(super) fn why(&self, name: &str) -> Why {
        let server = &self.home;
        let mut value = format!("{} at {} ({})", visible(&self.model), visible(server), self.wire);
        if let Some(key) = &self.key {
            value.push_str(", key ");
            value.push_str(&key.key.summary());
        }
        Why {
            key: Cow::Owned(format!("models.{}", visible(name))),
            value,
            origin: self.origin.to_string(),
        }
    }
}

/// One setting with its value and origin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Why {
    /// The setting's key.
    pub key: Cow<'static, str>,
    /// Its value, safe to show.
    pub value: String,
    /// Where it came from.
    pub origin: String,
}

impl Why {
    /// Explains a setting; `show` is safe to show.
    pub(crate) fn of<T>(
        key: impl Into<Cow<'static, str>>,
        setting: &Setting<T>,
        show: impl Fn(&T) -> String,
    ) -> Self {
        Self {
            key: key.into(),
            value: show(&setting.value),
            origin: setting.origin.to_string(),
        }
    }

    /// Explains a list of texts that several files may extend.
    pub(crate) fn of_list<'a>(
        key: impl Into<Cow<'static, str>>,
        entries: impl IntoIterator<Item = String>,
        origins: impl IntoIterator<Item = &'a Origin>,
    ) -> Self {
        Self {
            key: key.into(),
            value: joined(entries).unwrap_or_else(|| "none".to_owned()),
            origin: joined(origins).unwrap_or_else(|| Origin::Default.to_string()),
        }
    }
}

/// Joins texts; none where there is none.
fn joined(texts: impl IntoIterator<Item = impl ToString>) -> Option<String> {
    let texts: Vec<String> = texts.into_iter().map(|text| text.to_string()).collect();
    (!texts.is_empty()).then(|| texts.join(", "))
}

impl Settings {
    /// Explains every setting with its value and origin; keys are not shown.
    pub fn why(&self) -> Vec<Why> {
        fn maybe(text: Option<&String>) -> String {
            text.map_or_else(|| "none".into(), |text| visible(text))
        }
        fn count<N: ToString>(limit: Option<&N>) -> String {
            limit.map_or_else(|| "unlimited".into(), N::to_string)
        }
        let limits = &self.limits;
        let mut all = vec![
            Why::of("model", &self.model, |text| maybe(text.as_ref())),
            Why::of("base_url", &self.base_url, |text| maybe(text.as_ref())),
            Why::of("wire", &self.wire, |wire| wire.name().into()),
            Why::of("api_key", &self.key(), Key::summary),
            Why::of("ca_file", &self.ca_file, |file| {
                file.as_ref().map_or_else(|| "none".into(), |file| shown(file))
            }),
            Why::of("prices", &self.price_list, |file| {
                file.as_ref()
                    .map_or_else(|| self.prices.list().describe(), |file| shown(file))
            }),
            Why::of("policy.preset", &self.preset, |preset| preset.label().into()),
            Why::of("theme", &self.theme, |theme| visible(theme)),
            Why::of("glyphs", &self.glyphs, |glyphs| glyphs.label().into()),
            Why::of("ambiguous_width", &self.ambiguous, |width| width.label().into()),
            Why::of("differences", &self.differences, |form| form.label().into()),
            Why::of("mouse", &self.mouse, bool::to_string),
            Why::of("limits.parallel", &limits.parallel, u32::to_string),
            Why::of("limits.turns", &limits.turns, |n| count(n.as_ref())),
            Why::of("limits.tokens", &limits.tokens, |n| count(n.as_ref())),
            Why::of("limits.wall", &limits.wall_ms, |ms| {
                ms.map_or_else(|| "unlimited".into(), |ms| Ms(ms).to_string())
            }),
            Why::of("limits.price", &limits.price, |amount| {
                amount.map_or_else(|| "unlimited".into(), price::decimal)
            }),
            Why::of("context.reduce", &self.context.reduce, |reduce| {
                reduce.label().into()
            }),
            Why::of("context.share", &self.context.share, u64::to_string),
            Why::of("context.by", &self.context.by, |by| by.label().into()),
            Why::of("stream.notice", &self.stream.notice_ms, |ms| Ms(*ms).to_string()),
            Why::of("stream.timeout", &self.stream.timeout_ms, |ms| {
                Ms(*ms).to_string()
            }),
            Why::of("keep_replies", &self.keep_replies, bool::to_string),
            Why::of("tell_edits", &self.announce_edits, bool::to_string),
            Why::of("reuse.replies", &self.reuse.replies, bool::to_string),
            Why::of("reuse.pure", &self.reuse.pure, bool::to_string),
            Why::of("reuse.reads", &self.reuse.reads, bool::to_string),
            Why::of("routing.decay", &self.routing.decay, f64::to_string),
            Why::of("routing.order", &self.routing.order, bool::to_string),
            Why::of("routing.ask_below", &self.routing.ask_below, f64::to_string),
            Why::of("routing.hide_below", &self.routing.hide_below, f64::to_string),
            Why::of("routing.alert", &self.routing.alert, f64::to_string),
            Why::of("routing.priors", &self.routing.priors, |file| {
                file.as_ref().map_or_else(|| "none".into(), |file| shown(file))
            }),
            Why::of("routing.keep", &self.routing.keep, bool::to_string),
            Why::of("routing.kinds", &self.routing.kinds, |kinds| {
                joined(kinds.keys().map(|kind| visible(kind))).unwrap_or_else(|| "built in".into())
            }),
            Why::of("sessions", &self.sessions, |dir| {
                dir.as_ref().map_or_else(|| "none".into(), |dir| shown(dir))
            }),
            Why::of("max_output_tokens", &self.max_output, |tokens| {
                tokens.map_or_else(|| "none".into(), |tokens| tokens.to_string())
            }),
            Why::of("output_schema", &self.output_schema, |file| {
                file.as_ref().map_or_else(|| "none".into(), |file| shown(file))
            }),
            Why::of("arming", &self.arming_ms, |ms| Ms(*ms).to_string()),
            Why::of("editor", &self.editor, |text| maybe(text.as_ref())),
        ];
        all.extend(self.entries.iter().map(|(name, entry)| entry.why(name)));
        all.extend(self.notify.why());
        all.extend(self.approver.why());
        all.extend(self.danger.why());
        all.extend(self.sandbox.why());
        all.extend(self.files.why());
        all.extend(self.resilience_why());
        all
    }

    /// The failure policy, key by key; settings of routing have their own lines.
    fn resilience_why(&self) -> impl Iterator<Item = Why> {
        let keys = self.resilience.entries().into_iter();
        keys.filter(|(key, _)| !key.starts_with("routing."))
            .map(|(key, value)| {
                let set = self.resilience_set.iter().rev().find(|(name, _)| *name == key);
                Why {
                    value: visible(&value),
                    origin: set.map_or(&Origin::Default, |(_, origin)| origin).to_string(),
                    key: Cow::Owned(format!("resilience.{key}")),
                }
            })
    }
}
