//! Reads from response headers how long a server asks to wait.
//!
//! Must not know: the clock; a date is measured against the date that the server itself sent.

use jiff::fmt::rfc2822;

/// Upper limit of a wait in milliseconds; no operator would wait longer.
const MOST_MS: u64 = 24 * 60 * 60 * 1000;

/// Returns the milliseconds that a response asks to wait; `header` returns the text of a header by its
/// lower-case name.
pub fn asked<'h>(header: impl Fn(&str) -> Option<&'h str>) -> Option<u64> {
    let text = |name: &str| header(name).map(str::trim);
    let number = |name: &str| {
        text(name)?
            .parse::<f64>()
            .ok()
            .filter(|n| n.is_finite() && *n >= 0.0)
    };
    let ms = number("retry-after-ms")
        .or_else(|| number("retry-after").map(|seconds| seconds * 1000.0))
        .map(|ms| ms as u64)
        .or_else(|| until(text("retry-after")?, text("date")?))?;
    Some(ms.min(MOST_MS))
}

fn until(date: &str, now: &str) -> Option<u64> {
    let parser = rfc2822::DateTimeParser::new().relaxed_weekday(true);
    let date = parser.parse_timestamp(date).ok()?;
    let now = parser.parse_timestamp(now).ok()?;
    u64::try_from(date.as_millisecond().saturating_sub(now.as_millisecond()))
        .ok()
        .or(Some(0))
}

#[cfg(test)]
mod tests {
    fn asked(headers: &[(&'static str, &'static str)]) -> Option<u64> {
        super::asked(|name| {
            headers
                .iter()
                .find(|(one, _)| *one == name)
                .map(|(_, text)| *text)
        })
    }

    #[test]
    fn seconds_milliseconds_and_dates_are_understood() {
        assert_eq!(asked(&[("retry-after", "7")]), Some(7000));
        assert_eq!(asked(&[("retry-after", "0.5")]), Some(500));
        assert_eq!(
            asked(&[("retry-after-ms", "120"), ("retry-after", "7")]),
            Some(120)
        );
        let now = ("date", "Sat, 21 Nov 2026 01:00:00 GMT");
        assert_eq!(
            asked(&[("retry-after", "Sat, 21 Nov 2026 01:00:09 GMT"), now]),
            Some(9000)
        );
        assert_eq!(
            asked(&[("retry-after", "Sat, 21 Nov 2026 00:00:00 GMT"), now]),
            Some(0)
        );
        assert_eq!(asked(&[("retry-after", "99999999999")]), Some(86_400_000));
    }

    #[test]
    fn nonsense_asks_for_nothing() {
        assert_eq!(asked(&[]), None);
        for odd in ["soon", "-1", "NaN", "inf", ""] {
            assert_eq!(asked(&[("retry-after", odd)]), None, "{odd}");
        }
    }
}
