//! Adds the price of a model to the user's settings.
//!
//! Must not know: who asks, what was spent.

use std::fmt::Write as _;
use std::path::PathBuf;

use overrule_policy::Origin;

use super::{appended, known_place, put, quoted};
use crate::env::Env;
use crate::error::Error;
use crate::files;
use crate::flags::Flags;
use crate::written;

/// The price of a model for a million tokens, as a person writes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ModelPrice<'p> {
    /// The name of the model, as it is asked for.
    pub model: &'p str,
    /// What a million tokens sent cost.
    pub input: &'p str,
    /// What a million tokens received cost.
    pub output: &'p str,
    /// The currency; none for US dollars.
    pub currency: Option<&'p str>,
}

/// Adds a price, durably. Returns the file, or why nothing was changed: a model has one price only.
pub fn price(env: &Env, flags: &Flags, price: ModelPrice<'_>) -> Result<PathBuf, Error> {
    let path = known_place(env, flags)?;
    let before = files::read(&path)?.map(|text| text.text);
    let by_hand = |why: String| {
        let advice = "nothing was changed; set the price there by hand (docs/models.md)";
        Error::read(&path, format!("the price cannot be added to it ({why})"), advice)
    };
    let read = |text: &str| written::read(&path, text, Origin::User, env.home.as_deref());
    let old = read(before.as_deref().unwrap_or_default())?.compiled.price;
    if old.models.contains_key(price.model) {
        return Err(by_hand("it has one for this model".to_owned()));
    }
    let mut more = format!("[price.model.{}]\n", quoted(price.model));
    // Writing into a string cannot fail.
    let _ = writeln!(more, "input = {}\noutput = {}", price.input, price.output);
    if let Some(currency) = price.currency {
        let _ = writeln!(more, "currency = {}", quoted(currency));
    }
    let text = appended(before.as_deref(), &more);
    let new = read(&text)
        .map_err(|error| by_hand(error.to_string()))?
        .compiled
        .price;
    if new.models.len() != old.models.len() + 1 || !new.models.contains_key(price.model) {
        return Err(by_hand("it would be read differently".to_owned()));
    }
    put(&path, before.as_deref(), &text)?;
    Ok(path)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    const PRICE: ModelPrice<'static> = ModelPrice {
        model: "qwen3:8b",
        input: "0.25",
        output: "2",
        currency: None,
    };

    fn kept(before: Option<&str>, price: ModelPrice<'_>) -> (Result<PathBuf, String>, Option<String>) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("new/config.toml");
        if let Some(before) = before {
            fs::create_dir(path.parent().unwrap()).unwrap();
            fs::write(&path, before).unwrap();
        }
        let flags = Flags {
            config: Some(path.clone()),
            ..Flags::default()
        };
        let kept = super::price(&Env::default(), &flags, price).map_err(|error| error.to_string());
        if kept.is_ok() && before.is_none() {
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        }
        (kept, fs::read_to_string(&path).ok())
    }

    #[test]
    fn a_price_is_added_and_the_rest_stays() {
        for before in [
            None,
            Some("theme = \"light\""),
            Some("[price.model.\"x\"]\ninput = 1\noutput = 1\n"),
        ] {
            let (kept, text) = kept(before, PRICE);
            kept.unwrap();
            let text = text.unwrap();
            assert!(text.starts_with(before.unwrap_or_default()), "{text}");
            assert!(
                text.ends_with("[price.model.\"qwen3:8b\"]\ninput = 0.25\noutput = 2\n"),
                "{text}"
            );
        }
        let odd = ModelPrice {
            model: "a \"b\"\n\u{202e}",
            currency: Some("EUR"),
            ..PRICE
        };
        let text = kept(None, odd).1.unwrap();
        assert!(
            !text.contains('\u{202e}') && text.ends_with("currency = \"EUR\"\n"),
            "{text}"
        );
    }

    #[test]
    fn what_is_no_price_or_has_one_changes_nothing() {
        let has_one = "[price.model.\"qwen3:8b\"]\ninput = 1\noutput = 1\n";
        let inline = "price = { input = 1, output = 2 }\n";
        let long = ModelPrice {
            currency: Some("much too long"),
            ..PRICE
        };
        let negative = ModelPrice { input: "-1", ..PRICE };
        let more = ModelPrice {
            output: "2\n[policy]\npreset = \"yolo\"",
            ..PRICE
        };
        for (before, price) in [
            (has_one, PRICE),
            (inline, PRICE),
            ("theme = 7\n", PRICE),
            ("", long),
            ("", negative),
        ] {
            let (kept, text) = kept(Some(before), price);
            assert!(kept.unwrap_err().contains("config.toml"));
            assert_eq!(text.as_deref(), Some(before));
        }
        assert!(kept(None, more).0.is_err());
    }
}
