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

impl Settings {
    /// Explains every setting with its value and origin; keys are not shown.
    pub fn why(&self) -> Vec<Why> {
        fn line<T>(key: &'static str, setting: &Setting<T>, show: impl Fn(&T) -> String) -> Why {
            Why {
                key: Cow::Borrowed(key),
                value: show(&setting.value),
                origin: setting.origin.to_string(),
            }
        }
        fn maybe(text: Option<&String>) -> String {
            text.map_or_else(|| "none".into(), |text| visible(text))
        }
        fn count<N: ToString>(limit: Option<&N>) -> String {
            limit.map_or_else(|| "unlimited".into(), N::to_string)
        }
        let limits = &self.limits;
        let mut all = vec![
            line("model", &self.model, |text| maybe(text.as_ref())),
            line("base_url", &self.base_url, |text| maybe(text.as_ref())),
            line("wire", &self.wire, |wire| wire.name().into()),
            line("api_key", &self.key(), Key::summary),
            line("ca_file", &self.ca_file, |file| {
                file.as_ref().map_or_else(|| "none".into(), |file| shown(file))
            }),
            line("prices", &self.price_list, |file| {
                file.as_ref()
                    .map_or_else(|| self.prices.list().describe(), |file| shown(file))
            }),
            line("policy.preset", &self.preset, |preset| preset.label().into()),
            line("theme", &self.theme, |theme| visible(theme)),
            line("glyphs", &self.glyphs, |glyphs| glyphs.label().into()),
            line("ambiguous_width", &self.ambiguous, |width| width.label().into()),
            line("differences", &self.differences, |form| form.label().into()),
            line("mouse", &self.mouse, bool::to_string),
            line("limits.parallel", &limits.parallel, u32::to_string),
            line("limits.turns", &limits.turns, |n| count(n.as_ref())),
            line("limits.tokens", &limits.tokens, |n| count(n.as_ref())),
            line("limits.wall", &limits.wall_ms, |ms| {
                ms.map_or_else(|| "unlimited".into(), |ms| Ms(ms).to_string())
            }),
            line("limits.price", &limits.price, |amount| {
                amount.map_or_else(|| "unlimited".into(), price::decimal)
            }),
            line("context.reduce", &self.context.reduce, |reduce| {
                reduce.label().into()
            }),
            line("context.share", &self.context.share, u64::to_string),
            line("context.by", &self.context.by, |by| by.label().into()),
            line("stream.notice", &self.stream.notice_ms, |ms| Ms(*ms).to_string()),
            line("stream.timeout", &self.stream.timeout_ms, |ms| {
                Ms(*ms).to_string()
            }),
            line("keep_replies", &self.keep_replies, bool::to_string),
            line("tell_edits", &self.announce_edits, bool::to_string),
            line("reuse.replies", &self.reuse.replies, bool::to_string),
            line("reuse.pure", &self.reuse.pure, bool::to_string),
            line("reuse.reads", &self.reuse.reads, bool::to_string),
            line("routing.decay", &self.routing.decay, f64::to_string),
            line("routing.order", &self.routing.order, bool::to_string),
            line("routing.ask_below", &self.routing.ask_below, f64::to_string),
            line("routing.hide_below", &self.routing.hide_below, f64::to_string),
            line("routing.alert", &self.routing.alert, f64::to_string),
            line("routing.priors", &self.routing.priors, |file| {
                file.as_ref().map_or_else(|| "none".into(), |file| shown(file))
            }),
            line("routing.keep", &self.routing.keep, bool::to_string),
            line("routing.kinds", &self.routing.kinds, |kinds| {
                let names: Vec<String> = kinds.keys().map(|kind| visible(kind)).collect();
                if names.is_empty() {
                    "built in".into()
                } else {
                    names.join(", ")
                }
            }),
            line("sessions", &self.sessions, |dir| {
                dir.as_ref().map_or_else(|| "none".into(), |dir| shown(dir))
            }),
            line("max_output_tokens", &self.max_output, |tokens| {
                tokens.map_or_else(|| "none".into(), |tokens| tokens.to_string())
            }),
            line("output_schema", &self.output_schema, |file| {
                file.as_ref().map_or_else(|| "none".into(), |file| shown(file))
            }),
            line("arming", &self.arming_ms, |ms| Ms(*ms).to_string()),
            line("editor", &self.editor, |text| maybe(text.as_ref())),
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
