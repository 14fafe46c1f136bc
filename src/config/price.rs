//! The price of tokens, as written in a settings file.
//!
//! Must not know: other settings, the tokens used.

use std::sync::Arc;

use crate::domain::price::{Price, trillionths};
use crate::policy::document::{At, Error};
use crate::policy::{Place, Section};
use crate::text::visible;

use super::checks;
use super::written::UNLIMITED;

/// Default number of tokens that a price is for.
const PER: u64 = 1_000_000;
/// Maximum number of tokens that a price can be for.
const MOST: u64 = 1_000_000_000;
const ADVICE: &str = "write a number such as 2.5";

/// The prices in a file.
#[derive(Debug, Clone, Default)]
pub struct RawPrices {
    /// `[price]`
    pub general: Option<At<Price>>,
    /// `[price.model."NAME"]`
    pub models: Vec<(String, At<Price>)>,
}

/// Reads `[price]`.
pub(super) fn section(mut section: Section<'_, '_>) -> Result<RawPrices, Error> {
    let mut models = Vec::new();
    if let Some(tables) = section.table("model")? {
        for (name, mut table) in tables.each()? {
            let place = table.place();
            let Some(price) = price(&mut table)? else {
                return Err(missing(&table, "input", place));
            };
            table.finish()?;
            models.push((name, price));
        }
    }
    let general = price(&mut section)?;
    section.finish()?;
    Ok(RawPrices { general, models })
}

/// Reads `price` of `[limits]`.
pub(super) fn limit(section: &mut Section<'_, '_>) -> Result<Option<At<Option<u64>>>, Error> {
    if let Ok(Some(At { value, place })) = section.text("price") {
        if value == UNLIMITED {
            return Ok(Some(At { value: None, place }));
        }
        let what = format!("unknown value `{}`", visible(&value));
        let advice = "write a number such as 0.5, or \"unlimited\"";
        return Err(section.error("price", place, what, advice));
    }
    let found = amount(section, "price")?;
    if let Some(At { value: 0, place }) = found {
        return Err(section.error("price", place, "0 is out of range".into(), "write more than 0"));
    }
    Ok(found.map(|At { value, place }| At {
        value: Some(value),
        place,
    }))
}

fn missing(section: &Section<'_, '_>, key: &str, place: Place) -> Error {
    let advice = "add input and output, the prices of tokens sent and received";
    section.error(key, place, "is missing".into(), advice)
}

fn amount(section: &mut Section<'_, '_>, key: &'static str) -> Result<Option<At<u64>>, Error> {
    let Some(At { value, place }) = section.decimal(key)? else {
        return Ok(None);
    };
    let Some(amount) = trillionths(&value) else {
        let what = format!("`{}` is no price", visible(&value));
        return Err(section.error(key, place, what, ADVICE));
    };
    Ok(Some(At { value: amount, place }))
}

/// Reads the price in a table; `None` if it contains none.
fn price(section: &mut Section<'_, '_>) -> Result<Option<At<Price>>, Error> {
    let input = amount(section, "input")?;
    let cached = amount(section, "cached")?;
    let output = amount(section, "output")?;
    let per = section.number("per", 1, MOST)?;
    let currency = section.text("currency")?;
    let content = [&input, &cached, &output].into_iter().flatten();
    let first = content.map(|at| at.place.clone()).next();
    let place = first
        .or_else(|| per.as_ref().map(|at| at.place.clone()))
        .or_else(|| currency.as_ref().map(|at| at.place.clone()));
    let Some(place) = place else {
        return Ok(None);
    };
    let Some(input) = input else {
        return Err(missing(section, "input", place));
    };
    let Some(output) = output else {
        return Err(missing(section, "output", place));
    };
    let currency = match currency {
        None => "USD".to_owned(),
        Some(At { value, place }) => match checks::name(&value) {
            Ok(name) if name.chars().count() <= 8 => name,
            Ok(_) => {
                let what = "is longer than 8 characters".into();
                return Err(section.error("currency", place, what, "write it such as \"USD\""));
            }
            Err(why) => return Err(section.error("currency", place, why.into(), "write it such as \"USD\"")),
        },
    };
    let per = per.map_or(PER, |at| at.value);
    let each = |amount: u64| amount.saturating_add(per / 2) / per;
    Ok(Some(At {
        value: Price {
            input: each(input.value),
            cached: cached.map(|at| each(at.value)),
            output: each(output.value),
            currency: Arc::from(currency),
        },
        place,
    }))
}
