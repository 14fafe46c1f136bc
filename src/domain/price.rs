//! What tokens cost: prices as the operator set them, sums that never guess.
//!
//! Must not know: where a price was written.
//!
//! Amounts are whole trillionths of a currency, so that a fold adds them exactly. A price that is
//! not known is no price, never zero.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::turn::Usage;

/// Trillionths that make one.
const ONE: u64 = 1_000_000_000_000;
/// What is shown where no price is known.
pub const NOT_PRICED: &str = "price unknown";
/// Decimal places of an amount.
const DIGITS: usize = 12;

/// What a model's tokens cost, in trillionths of the currency for one token.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Price {
    /// A token sent.
    #[serde(default)]
    pub input: u64,
    /// A token sent that the provider had in its cache; like any other where it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached: Option<u64>,
    /// A token sent that the provider wrote into its cache for five minutes; like any other where it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_write: Option<u64>,
    /// A token sent that the provider wrote into its cache for an hour; as for five minutes where it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_write_1h: Option<u64>,
    /// A token received.
    #[serde(default)]
    pub output: u64,
    /// The currency's name, such as `USD`.
    pub currency: Arc<str>,
}

/// An amount of money.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Money {
    /// Trillionths of the currency.
    pub amount: u64,
    /// The currency's name.
    pub currency: Arc<str>,
}

/// What the requests of a run cost so far.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RunCost {
    /// Trillionths by currency: a run may have continued with another price.
    sums: BTreeMap<Arc<str>, u64>,
    /// Requests whose price or tokens are not known, or not all.
    unknown: u32,
    /// True if tokens of a request are estimated.
    is_estimated: bool,
}

impl Price {
    /// The price of tokens that were counted; none where nothing was.
    pub fn of(&self, usage: Usage) -> Option<Money> {
        if usage.input.is_none() && usage.output.is_none() {
            return None;
        }
        let mut rest = usage.input.unwrap_or(0);
        // The counts of a cache are parts of what was sent.
        let mut part = |count: Option<u64>| {
            let part = count.unwrap_or(0).min(rest);
            rest -= part;
            part
        };
        let (cached, write, write_1h) = (
            part(usage.cached),
            part(usage.cache_write),
            part(usage.cache_write_1h),
        );
        let each_write = self.cache_write.unwrap_or(self.input);
        let kinds = [
            (rest, self.input),
            (cached, self.cached.unwrap_or(self.input)),
            (write, each_write),
            (write_1h, self.cache_write_1h.unwrap_or(each_write)),
            (usage.output.unwrap_or(0), self.output),
        ];
        let costs = kinds.map(|(tokens, each)| tokens.saturating_mul(each));
        let amount = costs.into_iter().fold(0, u64::saturating_add);
        Some(self.money(amount))
    }

    /// Fills in missing prices of writing into a cache, in per cent of the price of a token sent: for five minutes, and for
    /// an hour.
    #[must_use]
    pub fn with_cache_writes(mut self, (five_minutes, hour): (u64, u64)) -> Self {
        let share = |percent: u64| self.input.saturating_mul(percent) / 100;
        let (write, write_1h) = (share(five_minutes), share(hour));
        self.cache_write_1h = self.cache_write_1h.or(Some(write_1h));
        self.cache_write = self.cache_write.or(Some(write));
        self
    }

    /// An amount in this price's currency.
    pub fn money(&self, amount: u64) -> Money {
        Money {
            amount,
            currency: self.currency.clone(),
        }
    }
}

impl RunCost {
    /// Adds a request that has ended.
    pub fn add(&mut self, price: Option<&Price>, usage: Usage) {
        let cost = price.and_then(|price| price.of(usage));
        if cost.is_none() || usage.input.is_none() || usage.output.is_none() {
            self.unknown = self.unknown.saturating_add(1);
        }
        self.is_estimated |= usage.is_estimated && cost.is_some();
        if let Some(cost) = cost {
            let sum = self.sums.entry(cost.currency).or_default();
            *sum = sum.saturating_add(cost.amount);
        }
    }

    /// Both together.
    pub fn plus(mut self, other: &Self) -> Self {
        for (currency, amount) in &other.sums {
            let sum = self.sums.entry(currency.clone()).or_default();
            *sum = sum.saturating_add(*amount);
        }
        self.unknown = self.unknown.saturating_add(other.unknown);
        self.is_estimated |= other.is_estimated;
        self
    }

    /// What is known to have been spent in a currency.
    pub fn of(&self, currency: &str) -> u64 {
        self.sums.get(currency).copied().unwrap_or(0)
    }

    /// Describes the sum; `None` if no price is known. Says "at least" if the cost of a request is
    /// missing in it, and "about" if tokens of a request are estimated.
    pub fn describe(&self) -> Option<String> {
        if self.sums.is_empty() {
            return None;
        }
        let sums = self.sums.iter().map(|(currency, amount)| {
            let money = Money {
                amount: *amount,
                currency: currency.clone(),
            };
            money.to_string()
        });
        let all = sums.collect::<Vec<_>>().join(" and ");
        Some(match (self.unknown, self.is_estimated) {
            (0, false) => all,
            (0, true) => format!("about {all}"),
            (_, false) => format!("at least {all}"),
            (_, true) => format!("at least about {all}"),
        })
    }
}

impl fmt::Display for Money {
    /// Two decimal places from one on, four below. A smaller amount is shown as less than the
    /// smallest one.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let currency = overrule_base::text::visible(&self.currency);
        let least = ONE / 10_000;
        if self.amount == 0 {
            return write!(f, "0 {currency}");
        }
        if self.amount < least {
            return write!(f, "less than 0.0001 {currency}");
        }
        let (unit, digits) = if self.amount >= ONE { (100, 2) } else { (10_000, 4) };
        let step = ONE / unit;
        let rounded = self.amount / step + u64::from(self.amount % step >= step / 2);
        let (whole, part) = (rounded / unit, rounded % unit);
        write!(f, "{whole}.{part:0digits$} {currency}")
    }
}

/// Trillionths of a decimal number as people write it: `2`, `0.25`.
pub fn trillionths(text: &str) -> Option<u64> {
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let has_point = text.contains('.');
    if whole.is_empty() || !digits(whole) || !digits(part) || has_point == part.is_empty() {
        return None;
    }
    let part = part.trim_end_matches('0');
    if part.len() > DIGITS {
        return None;
    }
    let after: u64 = format!("{part:0<DIGITS$}").parse().ok()?;
    whole.parse::<u64>().ok()?.checked_mul(ONE)?.checked_add(after)
}

/// A number of trillionths as people write it, in full.
pub fn decimal(amount: u64) -> String {
    let part = format!("{:0DIGITS$}", amount % ONE);
    let part = part.trim_end_matches('0');
    if part.is_empty() {
        (amount / ONE).to_string()
    } else {
        format!("{}.{part}", amount / ONE)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn price() -> Price {
        Price {
            input: 2_500_000,
            cached: Some(1_250_000),
            cache_write: None,
            cache_write_1h: None,
            output: 10_000_000,
            currency: "USD".into(),
        }
    }

    fn usage(input: Option<u64>, cached: Option<u64>, output: Option<u64>) -> Usage {
        Usage {
            input,
            cached,
            output,
            ..Usage::default()
        }
    }

    #[test]
    fn tokens_are_priced_by_kind() {
        let of = |one| price().of(one).unwrap().to_string();
        assert_eq!(of(usage(Some(1_000_000), None, None)), "2.50 USD");
        assert_eq!(
            of(usage(Some(1_000_000), Some(400_000), Some(100_000))),
            "3.00 USD"
        );
        assert_eq!(of(usage(Some(10), Some(99), None)), "less than 0.0001 USD");
        let plain = Price {
            cached: None,
            ..price()
        };
        assert_eq!(
            plain
                .of(usage(Some(1_000_000), Some(1_000_000), None))
                .unwrap()
                .amount,
            2_500_000_000_000,
            "a cached token costs what a token costs where nothing else is known"
        );
    }

    #[test]
    fn writing_into_a_cache_has_a_price_of_its_own() {
        let of = |price: &Price, one| price.of(one).unwrap().amount / 1_000_000;
        let million = Some(1_000_000);
        let write = Usage {
            input: million,
            cache_write: million,
            ..Usage::default()
        };
        let write_1h = Usage {
            cache_write: Some(0),
            cache_write_1h: million,
            ..write
        };
        let plain = price();
        assert_eq!((of(&plain, write), of(&plain, write_1h)), (2_500_000, 2_500_000));
        let rates = price().with_cache_writes((125, 200));
        assert_eq!((of(&rates, write), of(&rates, write_1h)), (3_125_000, 5_000_000));
        let own = Price {
            cache_write: Some(7_000_000),
            ..price()
        };
        assert_eq!((of(&own, write), of(&own, write_1h)), (7_000_000, 7_000_000));
        assert_eq!(
            of(&own.with_cache_writes((125, 200)), write),
            7_000_000,
            "its own price stays"
        );
        // Parts of what was sent, never more than that.
        let mixed = Usage {
            input: million,
            cached: Some(400_000),
            cache_write: Some(100_000),
            cache_write_1h: Some(900_000),
            ..Usage::default()
        };
        assert_eq!(of(&rates, mixed), 500_000 + 312_500 + 2_500_000);
    }

    #[test]
    fn an_estimate_is_called_one() {
        let none = Usage::default().or_estimated(4_000_000, 400);
        assert_eq!(
            (none.input, none.output, none.is_estimated),
            (Some(1_000_000), Some(100), true)
        );
        let counted = usage(Some(5), None, Some(6));
        assert_eq!(counted.or_estimated(4_000, 4_000), counted);
        let half = usage(Some(5), None, None).or_estimated(4_000, 40);
        assert_eq!(
            (half.input, half.output, half.is_estimated),
            (Some(5), Some(10), true)
        );
        let mut spent = RunCost::default();
        spent.add(Some(&price()), none);
        assert_eq!(spent.describe().unwrap(), "about 2.50 USD");
        spent.add(None, counted);
        assert_eq!(spent.describe().unwrap(), "at least about 2.50 USD");
    }

    #[test]
    fn what_is_not_known_is_not_nothing() {
        assert_eq!(price().of(Usage::default()), None);
        let mut spent = RunCost::default();
        assert_eq!(spent.describe(), None);
        spent.add(None, usage(Some(5), None, Some(5)));
        assert_eq!(spent.describe(), None, "no price, no word");
        spent.add(Some(&price()), usage(Some(1_000_000), None, Some(0)));
        assert_eq!(spent.describe().unwrap(), "at least 2.50 USD");

        let mut spent = RunCost::default();
        spent.add(Some(&price()), usage(Some(1_000_000), None, Some(0)));
        assert_eq!(spent.describe().unwrap(), "2.50 USD");
        spent.add(Some(&price()), Usage::default());
        assert_eq!(spent.describe().unwrap(), "at least 2.50 USD");
        let euro = Price {
            currency: "EUR".into(),
            ..price()
        };
        spent.add(Some(&euro), usage(Some(0), None, Some(100)));
        assert_eq!(spent.describe().unwrap(), "at least 0.0010 EUR and 2.50 USD");
        assert_eq!((spent.of("EUR"), spent.of("CHF")), (1_000_000_000, 0));
    }

    #[test]
    fn amounts_in_words() {
        let words = |text: &str| price().money(trillionths(text).unwrap()).to_string();
        for (amount, expected) in [
            ("0", "0 USD"),
            ("0.00009", "less than 0.0001 USD"),
            ("0.0001", "0.0001 USD"),
            ("0.12344", "0.1234 USD"),
            ("0.99996", "1.0000 USD"),
            ("1", "1.00 USD"),
            ("12.345", "12.35 USD"),
        ] {
            assert_eq!(words(amount), expected);
        }
        let odd = Money {
            amount: ONE,
            currency: "\u{1b}[31m".into(),
        };
        assert!(!odd.to_string().contains('\u{1b}'));
    }

    #[test]
    fn decimals_are_read_exactly_or_not_at_all() {
        assert_eq!(trillionths("2.5"), Some(2_500_000_000_000));
        assert_eq!(trillionths("0.000000000001"), Some(1));
        assert_eq!(trillionths("0.10"), Some(100_000_000_000));
        for wrong in [
            "",
            ".",
            "1.",
            ".5",
            "-1",
            "1e3",
            "1,5",
            "0.0000000000001",
            "99999999",
            "1.2.3",
        ] {
            assert_eq!(trillionths(wrong), None, "{wrong}");
        }
    }

    proptest! {
        #![proptest_config(overrule_testing::cases(64))]

        #[test]
        fn what_is_written_is_read_back(amount in any::<u64>()) {
            prop_assert_eq!(trillionths(&decimal(amount)), Some(amount));
        }

        #[test]
        fn no_text_panics(text in "[0-9.]{0,30}") {
            let _ = trillionths(&text);
        }
    }
}
