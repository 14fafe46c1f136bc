//! Reads how long a server wants to be left alone.
//!
//! Must not know: what is done about it.

/// Returns the milliseconds to wait according to a text: `try again in 7.66s`, `retry in 1m2s`,
/// `retrydelay: 32s`.
pub(super) fn wait(words: &str) -> Option<u64> {
    const BEFORE: &[&str] = &["try again in ", "retry in ", "retry after ", "retrydelay: "];
    BEFORE.iter().find_map(|before| {
        let at = words.find(before)? + before.len();
        duration(words.get(at..)?)
    })
}

/// Reads a duration with units at the beginning of a text, in milliseconds.
fn duration(text: &str) -> Option<u64> {
    let mut rest = text;
    let mut total: Option<f64> = None;
    loop {
        let digits = rest
            .find(|c: char| !c.is_ascii_digit() && c != '.')
            .unwrap_or(rest.len());
        let (number, following) = rest.split_at(digits);
        let Ok(number) = number.trim_end_matches('.').parse::<f64>() else {
            break;
        };
        let following = following.trim_start_matches(' ');
        let end = following
            .find(|c: char| !c.is_ascii_alphabetic())
            .unwrap_or(following.len());
        let (unit, following) = following.split_at(end);
        let ms = match unit {
            "ms" | "milliseconds" => 1.0,
            "s" | "sec" | "secs" | "second" | "seconds" => 1000.0,
            "m" | "min" | "mins" | "minute" | "minutes" => 60_000.0,
            "h" | "hour" | "hours" => 3_600_000.0,
            _ => break,
        };
        total = Some(total.unwrap_or_default() + number * ms);
        rest = following;
    }
    let total = total.filter(|ms| ms.is_finite() && *ms < 1e12)?;
    Some(total.ceil() as u64)
}
