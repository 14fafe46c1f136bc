//! Reads the list of prices and windows of common models, built in or of the operator.
//!
//! Must not know: which model is asked.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::LazyLock;

use serde::Deserialize;
use toml::Spanned;

use super::price::{self, Amount, Currency, RawPrice};
use overrule_base::document::{self, Document, Field, whole};
use overrule_base::text::visible;
use overrule_domain::price::Price;

/// The list that the program brings along.
const BUILT_IN: &str = include_str!("prices.toml");
/// Its name in messages.
const NAME: &str = "the built-in prices";
/// Most tokens of a window.
const MOST_TOKENS: u64 = u32::MAX as u64;
/// The fewest digits of a date at the end of a model's name.
const DATE: usize = 6;
/// The fewest digits that it begins with.
const YEAR: usize = 4;

/// Prices and windows of models at their providers.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PriceList {
    date: String,
    providers: Vec<Provider>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Provider {
    hosts: Vec<String>,
    models: BTreeMap<String, Listed>,
}

/// What is known of a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// Its price.
    pub price: Price,
    /// Tokens of its window.
    pub window: Option<u64>,
}

/// The list as written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawList {
    date: String,
    #[serde(default)]
    currency: Field<Currency>,
    #[serde(default)]
    provider: Vec<RawProvider>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawProvider {
    hosts: Vec<String>,
    #[serde(default)]
    model: BTreeMap<String, RawListed>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawListed {
    input: Spanned<Amount>,
    #[serde(default)]
    cached: Field<Amount>,
    #[serde(default)]
    cache_write: Field<Amount>,
    #[serde(default)]
    cache_write_1h: Field<Amount>,
    output: Spanned<Amount>,
    #[serde(default, deserialize_with = "whole::<1, MOST_TOKENS, _, _>")]
    window: Field<u64>,
}

impl PriceList {
    /// Returns the list that the program brings along. It is read once, when it is first used.
    pub fn built_in() -> &'static Self {
        // A test reads it, so that it cannot be faulty.
        static LIST: LazyLock<PriceList> = LazyLock::new(|| parse(NAME, BUILT_IN).unwrap_or_default());
        &LIST
    }

    /// Reads the list of a file.
    pub fn read(path: &Path, text: &str) -> Result<Self, document::Error> {
        parse(&path.to_string_lossy(), text)
    }

    /// Returns what is known of a model at a server. The name may end with a date or `-latest`.
    pub fn of(&self, model: &str, base_url: &str) -> Option<&Listed> {
        let host = host(base_url);
        let model = model.strip_prefix("models/").unwrap_or(model);
        let here = self
            .providers
            .iter()
            .filter(|provider| provider.hosts.contains(&host));
        let models = here.flat_map(|provider| &provider.models);
        let fitting = models.filter(|(name, _)| is_version_of(model, name));
        let (_, listed) = fitting.max_by_key(|(name, _)| name.len())?;
        Some(listed)
    }

    /// Describes the list: `built in, of 2026-11-20`.
    pub fn describe(&self) -> String {
        format!("built in, of {}", self.date())
    }

    /// Returns its date, safe to show.
    pub fn date(&self) -> String {
        visible(&self.date)
    }
}

/// Returns true for a model's name and for the same name with the date of a version.
fn is_version_of(model: &str, name: &str) -> bool {
    let Some(rest) = model.strip_prefix(name) else {
        return false;
    };
    let is_date = |rest: &str| {
        rest.chars().all(|c| c.is_ascii_digit() || c == '-')
            && rest.chars().take_while(char::is_ascii_digit).count() >= YEAR
            && rest.chars().filter(char::is_ascii_digit).count() >= DATE
    };
    match rest.strip_prefix('-') {
        None => rest.is_empty(),
        Some("latest") => true,
        Some(rest) => is_date(rest),
    }
}

/// Returns the host of a URL in small letters, without a port.
fn host(url: &str) -> String {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let host = rest.split(['/', ':', '?']).next().unwrap_or_default();
    host.to_ascii_lowercase()
}

fn parse(name: &str, text: &str) -> Result<PriceList, document::Error> {
    let missing = [
        (
            "date",
            "write the day that the prices are of, such as date = \"2026-01-31\"",
        ),
        ("hosts", "add hosts, the servers at which the prices hold"),
    ];
    let missing = [&missing[..], &price::MISSING].concat();
    let raw: RawList = Document::parse(name, text)?.read(&missing)?;
    let currency = raw.currency.map(Spanned::into_inner);
    let listed = |raw: RawListed| Listed {
        price: price::price(RawPrice {
            input: raw.input,
            cached: raw.cached,
            cache_write: raw.cache_write,
            cache_write_1h: raw.cache_write_1h,
            output: raw.output,
            per: None,
            currency: currency.clone().map(|currency| Spanned::new(0..0, currency)),
        })
        .into_inner(),
        window: raw.window.map(Spanned::into_inner),
    };
    let provider = |raw: RawProvider| Provider {
        hosts: raw.hosts.iter().map(|host| host.to_ascii_lowercase()).collect(),
        models: raw
            .model
            .into_iter()
            .map(|(name, raw)| (name, listed(raw)))
            .collect(),
    };
    Ok(PriceList {
        date: raw.date,
        providers: raw.provider.into_iter().map(provider).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_list_has_prices_at_their_own_servers_alone() {
        let list = parse(NAME, BUILT_IN).unwrap();
        assert_eq!(*PriceList::built_in(), list);
        let of = |model: &str, url: &str| Some(list.of(model, url)?.price.output);
        let openai = "https://api.openai.com/v1";
        assert_eq!(of("gpt-4.1-mini", openai), Some(1_600_000));
        assert_eq!(of("gpt-4.1-mini-2025-04-14", openai), Some(1_600_000));
        assert_eq!(of("gpt-4.1", openai), Some(8_000_000));
        let anthropic = "https://API.anthropic.com";
        assert_eq!(of("claude-sonnet-4-5-20250929", anthropic), Some(15_000_000));
        assert_eq!(of("claude-3-7-sonnet-latest", anthropic), Some(15_000_000));
        for alias in [
            "claude-opus-4-0",
            "claude-opus-4-20250514",
            "claude-opus-4-1-20250805",
        ] {
            assert_eq!(of(alias, anthropic), Some(75_000_000), "{alias}");
        }
        assert_eq!(of("claude-sonnet-4-0", anthropic), Some(15_000_000));
        assert_eq!(of("gpt-4o-2024-08-06", openai), Some(10_000_000));
        assert_eq!(
            of("gpt-4o-2024-05-13", openai),
            Some(15_000_000),
            "the longest name"
        );
        assert_eq!(of("claude-opus-4-5-20251101", anthropic), Some(25_000_000));
        assert_eq!(
            of("claude-opus-4-9-20271101", anthropic),
            None,
            "no date, but another model"
        );
        for (model, url) in [
            ("gpt-4.1-mini", "http://127.0.0.1:8080/v1"),
            ("gpt-4.1-mini", "https://api.openai.com.evil/v1"),
            ("gpt-4.1-mini", anthropic),
            ("gpt-4.1-max", openai),
            ("claude-sonnet-4-7", anthropic),
            ("gpt", openai),
        ] {
            assert_eq!(of(model, url), None, "{model} {url}");
        }
        assert!(list.of("gpt-4o", openai).unwrap().window.is_some());
        // Its maximum input, without the answer.
        assert_eq!(list.of("gpt-5-mini", openai).unwrap().window, Some(272_000));
    }

    #[test]
    fn writing_into_a_cache_has_its_price_where_the_vendor_has_one() {
        let list = PriceList::built_in();
        let of = |model: &str, url: &str| {
            let price = list.of(model, url).unwrap().price.clone();
            (price.cache_write, price.cache_write_1h)
        };
        let anthropic = list
            .providers
            .iter()
            .find(|one| one.hosts.contains(&"api.anthropic.com".to_owned()));
        for (name, listed) in &anthropic.unwrap().models {
            let rates = Price {
                cache_write: None,
                cache_write_1h: None,
                ..listed.price.clone()
            };
            assert_eq!(listed.price, rates.with_cache_writes((125, 200)), "{name}");
        }
        let openai = "https://api.openai.com/v1";
        assert_eq!(of("gpt-6.2-sol", openai), (Some(2_500_000), None));
        assert_eq!(of("gpt-4.1", openai), (None, None));
    }

    /// Each price is below a line with its source and its day.
    #[test]
    fn each_price_of_the_built_in_list_has_a_source_and_a_day() {
        let mut source = None;
        for line in BUILT_IN.lines() {
            match line {
                "[provider.model]" => source = None,
                _ if line.starts_with("# https://") => source = Some(line),
                _ if line.starts_with('"') => {
                    let source = source.unwrap_or_else(|| panic!("no source: {line}"));
                    let day = source.split_once(", ").unwrap().1;
                    assert!(day.starts_with("202") && day.as_bytes()[4] == b'-', "{source}");
                }
                _ => {}
            }
        }
    }

    #[test]
    fn a_fault_in_a_list_names_its_place() {
        let fault = |text: &str| parse("p.toml", text).unwrap_err().to_string();
        assert_eq!(
            fault("date = \"x\"\n[[provider]]\nhosts = []\n[provider.model]\na = { input = 1 }"),
            "p.toml:5:5: `provider[0].model.a.output`: is missing; add input and output, the prices of tokens sent and \
             received"
        );
        assert!(
            fault("").starts_with("p.toml:1:1: `date`: is missing; write the day"),
            "{}",
            fault("")
        );
        let unknown = fault("date = \"x\"\ncurency = \"EUR\"");
        assert!(unknown.contains("did you mean `currency`?"), "{unknown}");
    }
}
