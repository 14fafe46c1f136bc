//! Spans of time and numbers of tries, as words.
//!
//! Must not know: what a span of time is for.

/// Formats a span of time, rounded up.
pub fn span(ms: u64) -> String {
    match ms {
        0..1_000 => format!("{:.1} s", ms.div_ceil(100) as f64 / 10.0),
        1_000..120_000 => format!("{} s", ms.div_ceil(1_000)),
        _ => format!("{} min", ms.div_ceil(60_000)),
    }
}

/// Describes the number of a retry: `2 of 4`, or `retry 2` where time alone limits them.
pub fn tries(no: u32, of: u32) -> String {
    match of {
        0 => format!("retry {no}"),
        of => format!("{no} of {of}"),
    }
}

/// Reads a span of time as settings write it (`200ms`, `10s`, `5m`, `1h`), in milliseconds.
pub fn parse_span(text: &str) -> Option<u64> {
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let factor: u64 = match unit.trim_start() {
        "ms" => 1,
        "s" => 1_000,
        "m" => 60_000,
        "h" => 3_600_000,
        _ => return None,
    };
    number.parse::<u64>().ok()?.checked_mul(factor)
}
