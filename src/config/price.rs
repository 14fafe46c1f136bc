//! The price of tokens, as written in a settings file.
//!
//! Must not know: other settings, the tokens used.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use toml::{Spanned, Value};

use super::checks;
use super::written::{UNLIMITED, unknown};
use overrule_base::document::{Document, Error, Field, decimal, parsed, whole};
use overrule_domain::price::{Price, trillionths};

/// Default number of tokens that a price is for.
const PER: u64 = 1_000_000;
/// Maximum number of tokens that a price can be for.
const MOST: u64 = 1_000_000_000;
const BOTH: &str = "add input and output, the prices of tokens sent and received";
/// Advice for required keys.
pub(super) const MISSING: [(&str, &str); 2] = [("input", BOTH), ("output", BOTH)];

/// The prices in a file.
#[derive(Debug, Clone, Default)]
pub struct RawPrices {
    /// `[price]`
    pub general: Field<Price>,
    /// `[price.model."NAME"]`
    pub models: BTreeMap<String, Spanned<Price>>,
}

/// `[price]` as written.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PriceTable {
    input: Field<Amount>,
    cached: Field<Amount>,
    cache_write: Field<Amount>,
    cache_write_1h: Field<Amount>,
    output: Field<Amount>,
    #[serde(deserialize_with = "whole::<1, MOST, _, _>")]
    per: Field<u64>,
    currency: Field<Currency>,
    model: BTreeMap<String, RawPrice>,
}

/// A whole price as written.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawPrice {
    pub(super) input: Spanned<Amount>,
    pub(super) cached: Field<Amount>,
    pub(super) cache_write: Field<Amount>,
    pub(super) cache_write_1h: Field<Amount>,
    pub(super) output: Spanned<Amount>,
    #[serde(default, deserialize_with = "whole::<1, MOST, _, _>")]
    pub(super) per: Field<u64>,
    pub(super) currency: Field<Currency>,
}

/// Trillionths of the currency.
#[derive(Debug, Clone, Copy)]
pub(super) struct Amount(u64);

/// The name of a currency.
#[derive(Debug, Clone)]
pub(super) struct Currency(Arc<str>);

impl<'de> Deserialize<'de> for Amount {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let amount = amount(&Value::deserialize(deserializer)?);
        amount.map(Self).map_err(D::Error::custom)
    }
}

impl<'de> Deserialize<'de> for Currency {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        let name = match checks::name(&name) {
            Ok(name) if name.chars().count() > 8 => Err("is longer than 8 characters"),
            name => name,
        };
        let advice = "write it such as \"USD\"";
        name.map(|name| Self(name.into()))
            .map_err(|why| D::Error::custom(format!("{why}; {advice}")))
    }
}

/// Compiles `[price]`.
pub(super) fn compiled(table: PriceTable, document: &Document<'_>) -> Result<RawPrices, Error> {
    let PriceTable {
        input,
        cached,
        cache_write,
        cache_write_1h,
        output,
        per,
        currency,
        model,
    } = table;
    let amounts = [&input, &cached, &cache_write, &cache_write_1h, &output];
    let spans = amounts.map(|given| given.as_ref().map(Spanned::span));
    let others = [
        per.as_ref().map(Spanned::span),
        currency.as_ref().map(Spanned::span),
    ];
    let first = spans.into_iter().chain(others).flatten().next();
    let general = match (first, input, output) {
        (None, ..) => None,
        (Some(_), Some(input), Some(output)) => Some(price(RawPrice {
            input,
            cached,
            cache_write,
            cache_write_1h,
            output,
            per,
            currency,
        })),
        (Some(span), ..) => return Err(document.error(span, &format!("is half a price; {BOTH}"))),
    };
    let models = model.into_iter().map(|(name, raw)| (name, price(raw)));
    Ok(RawPrices {
        general,
        models: models.collect(),
    })
}

/// Returns a price for one token each.
pub(super) fn price(raw: RawPrice) -> Spanned<Price> {
    let per = raw.per.map_or(PER, Spanned::into_inner);
    let each = |amount: &Amount| amount.0.saturating_add(per / 2) / per;
    let price = Price {
        input: each(raw.input.get_ref()),
        cached: raw.cached.map(|amount| each(amount.get_ref())),
        cache_write: raw.cache_write.map(|amount| each(amount.get_ref())),
        cache_write_1h: raw.cache_write_1h.map(|amount| each(amount.get_ref())),
        output: each(raw.output.get_ref()),
        currency: raw
            .currency
            .map_or_else(|| Arc::from("USD"), |currency| currency.into_inner().0),
    };
    Spanned::new(raw.input.span(), price)
}

/// Reads `price` of `[limits]`.
pub(super) fn limit<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Field<Option<u64>>, D::Error> {
    parsed(deserializer, |value| match value {
        Value::String(text) if text == UNLIMITED => Ok(None),
        Value::String(text) => Err(format!(
            "{}; write a number such as 0.5, or \"unlimited\"",
            unknown(text)
        )),
        other => match amount(other)? {
            0 => Err("0 is out of range; write more than 0".to_owned()),
            amount => Ok(Some(amount)),
        },
    })
}

fn amount(value: &Value) -> Result<u64, String> {
    let digits = decimal(value)?;
    trillionths(&digits).ok_or_else(|| format!("`{digits}` is no price; write a number such as 2.5"))
}
