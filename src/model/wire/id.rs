//! Identifies a wire format by its name, as settings and journals do.
//!
//! Must not know: what a format does.

use std::fmt;
use std::ops::Deref;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{FORMATS, Format, Target, openai_chat};
use crate::{Quirks, Request};
use overrule_domain::price::Price;

/// One of [`FORMATS`].
#[derive(Clone, Copy)]
pub struct Wire(&'static dyn Format);

impl Wire {
    /// Returns the format of this name.
    pub fn named(name: &str) -> Option<Self> {
        let mut all = FORMATS.iter().copied();
        all.find(|format| format.name() == name).map(Self)
    }

    /// Returns the format of the provider whose models have such names.
    pub fn of_model(name: &str) -> Option<Self> {
        let is_own = |format: &&dyn Format| {
            format
                .model_prefixes()
                .iter()
                .any(|begin| name.starts_with(begin))
        };
        FORMATS.iter().copied().find(is_own).map(Self)
    }

    /// Iterates over all formats.
    pub fn all() -> impl Iterator<Item = Self> {
        FORMATS.iter().copied().map(Self)
    }

    /// Returns the format of a server that is known by its address: the path names it, or it is a provider's own.
    pub fn of_base_url(base_url: &str) -> Option<Self> {
        let (authority, path) = split(base_url);
        let path_of = |format: &dyn Format| {
            let path = format.path(Target::plain(""));
            path.split(['?', ':']).next().unwrap_or_default().to_owned()
        };
        let by_path = |format: &&dyn Format| {
            let own = path_of(*format);
            own.ends_with('/') && path.contains(&own) || !own.is_empty() && path.ends_with(&own)
        };
        let by_host = |format: &&dyn Format| {
            split(format.default_base()).0 == authority && path_of(*format).starts_with(path)
        };
        let mut all = FORMATS.iter().copied();
        all.find(by_path)
            .or_else(|| FORMATS.iter().copied().find(by_host))
            .map(Self)
    }

    /// Returns the JSON text of a request, with the further members that the settings ask for.
    pub fn body(&self, target: Target<'_>, request: &Request, quirks: &Quirks) -> String {
        target.options.add_to(self.0.body(target, request, quirks))
    }

    /// Fills in what the provider of the format takes for writing into its cache, where the price does not say it.
    pub fn whole_price(&self, price: Price) -> Price {
        match self.cache_writes() {
            Some(rates) => price.with_cache_writes(rates),
            None => price,
        }
    }

    /// Returns all names, for messages: `a, b or c`.
    pub fn names() -> String {
        let names: Vec<&str> = FORMATS.iter().map(|format| format.name()).collect();
        match names.split_last() {
            Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
            _ => names.concat(),
        }
    }
}

/// Returns scheme and host of a URL, and its path without a slash at the end.
fn split(url: &str) -> (&str, &str) {
    let url = url.trim_end_matches('/');
    let at = url.match_indices('/').nth(2).map_or(url.len(), |(at, _)| at);
    url.split_at(at)
}

impl Default for Wire {
    fn default() -> Self {
        Self(&openai_chat::OpenAiChat)
    }
}

impl Deref for Wire {
    type Target = dyn Format;

    fn deref(&self) -> &Self::Target {
        self.0
    }
}

impl PartialEq for Wire {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl Eq for Wire {}

impl fmt::Debug for Wire {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for Wire {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Serialize for Wire {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for Wire {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        Self::named(&name).ok_or_else(|| {
            serde::de::Error::custom(format!("unknown wire format `{name}`; known: {}", Self::names()))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_is_found_by_its_own_name_alone() {
        for wire in Wire::all() {
            assert_eq!(Wire::named(wire.name()), Some(wire));
            let text = serde_json::to_string(&wire).unwrap();
            assert_eq!(serde_json::from_str::<Wire>(&text).unwrap(), wire);
        }
        assert_eq!(Wire::named("soap"), None);
        let error = serde_json::from_str::<Wire>("\"soap\"").unwrap_err();
        assert!(error.to_string().contains("openai-chat"), "{error}");
        assert_eq!(Wire::of_model("qwen3"), None);
    }

    #[test]
    fn a_server_is_known_by_its_path_or_its_host() {
        for (url, name) in [
            ("https://api.anthropic.com", Some("anthropic")),
            ("https://api.anthropic.com/v1/", Some("anthropic")),
            ("http://h:1/proxy/v1/messages", Some("anthropic")),
            ("https://generativelanguage.googleapis.com/v1beta", Some("gemini")),
            ("https://generativelanguage.googleapis.com/v1beta/openai", None),
            ("http://h/v1/responses", Some("openai-responses")),
            ("http://h/v1/chat/completions", Some("openai-chat")),
            ("http://127.0.0.1:11434", Some("ollama")),
            ("http://127.0.0.1:11434/v1", None),
            ("http://127.0.0.1:8080/v1", None),
            ("http://api.anthropic.com.evil/v1", None),
        ] {
            assert_eq!(Wire::of_base_url(url).map(|wire| wire.name()), name, "{url}");
        }
    }
}
