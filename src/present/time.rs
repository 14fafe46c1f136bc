//! Formats times in UTC.
//!
//! Must not know: clocks, what happened.

use jiff::Timestamp;

/// A time to the second; milliseconds since 1970.
pub fn second(ms: i64) -> String {
    format(ms, "%Y-%m-%d %H:%M:%S UTC").unwrap_or_else(|| "?".to_owned())
}

/// A time to the minute; `?` if it is unknown.
pub fn minute(ms: Option<i64>) -> String {
    ms.and_then(|ms| format(ms, "%Y-%m-%d %H:%M UTC"))
        .unwrap_or_else(|| "?".to_owned())
}

/// A time to the millisecond, for programs.
pub fn exact(ms: i64) -> String {
    format(ms, "%Y-%m-%dT%H:%M:%S%.3fZ").unwrap_or_default()
}

fn format(ms: i64, form: &str) -> Option<String> {
    let time = Timestamp::from_millisecond(ms).ok()?;
    Some(time.strftime(form).to_string())
}

#[cfg(test)]
mod tests {
    use super::{exact, minute, second};

    #[test]
    fn times_are_those_of_the_calendar() {
        assert_eq!(second(0), "1970-01-01 00:00:00 UTC");
        assert_eq!(second(951_782_400_000), "2000-02-29 00:00:00 UTC");
        assert_eq!(second(1_763_700_246_999), "2025-11-21 04:44:06 UTC");
        assert_eq!(second(4_107_542_399_000), "2100-02-28 23:59:59 UTC");
        assert_eq!(second(4_107_542_400_000), "2100-03-01 00:00:00 UTC");
        assert_eq!(second(-1), "1969-12-31 23:59:59 UTC");
    }

    #[test]
    fn each_form_has_its_precision_and_an_unknown_time_is_no_time() {
        assert_eq!(minute(Some(1_763_700_246_999)), "2025-11-21 04:44 UTC");
        assert_eq!(exact(1_763_700_246_999), "2025-11-21T04:44:06.999Z");
        assert_eq!(
            (minute(None), second(i64::MAX), exact(i64::MAX)),
            ("?".to_owned(), "?".to_owned(), String::new())
        );
    }
}
