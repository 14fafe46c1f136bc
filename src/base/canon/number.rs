//! Checks whether a number in a JSON text survives being read as a value.
//!
//! Must not know: why that matters.

use serde_json::Number;

/// Maximum number of digits of a whole number that is surely exact.
const EXACT: usize = 15;

/// Returns what a number becomes when it is read and written again, if that is a different value.
pub(super) fn number_change(written: &str) -> Option<String> {
    // A few digits are a whole number, which is exact.
    if written.len() <= EXACT && written.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let Ok(number) = serde_json::from_str::<Number>(written) else {
        return Some("a number out of range".to_owned());
    };
    if number.is_i64() || number.is_u64() {
        // Only integers that fit get here, and they are exact.
        return None;
    }
    let becomes = number.to_string();
    (Decimal::of(written) != Decimal::of(&becomes)).then_some(becomes)
}

/// Returns true for two spellings of one number.
pub(super) fn is_same_number(one: &str, other: &str) -> bool {
    one == other || Decimal::of(one) == Decimal::of(other)
}

/// The value of a decimal number in one spelling: `0.digits × 10^exponent`.
#[derive(Debug, PartialEq, Eq)]
struct Decimal {
    negative: bool,
    digits: Vec<u8>,
    exponent: i64,
}

impl Decimal {
    fn of(written: &str) -> Self {
        let (negative, rest) = match written.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, written),
        };
        let (mantissa, power) = rest.split_once(['e', 'E']).unwrap_or((rest, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        // A power beyond any count of digits is as good as the largest.
        let power: i64 = power.parse().unwrap_or(if power.starts_with('-') {
            i64::MIN / 2
        } else {
            i64::MAX / 2
        });
        let all = || whole.bytes().chain(fraction.bytes());
        let leading = all().take_while(|b| *b == b'0').count();
        let mut digits: Vec<u8> = all().skip(leading).collect();
        while digits.last() == Some(&b'0') {
            digits.pop();
        }
        if digits.is_empty() {
            return Self {
                negative: false,
                digits,
                exponent: 0,
            };
        }
        let exponent = power
            .saturating_add(whole.len() as i64)
            .saturating_sub(leading as i64);
        Self {
            negative,
            digits,
            exponent,
        }
    }
}
