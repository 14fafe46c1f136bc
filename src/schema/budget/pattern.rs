//! Counts what a match of a pattern costs at most, in visits.
//!
//! Must not know: schemas, values.
//!
//! An engine that follows all ways at once takes, for each byte of the text, a step for each state of the pattern. The states
//! are estimated from its text. Patterns that look around or back try one way after the other.

/// Steps of an engine in the time of a visit.
const STEPS: u64 = 16;
/// Bytes of a pattern that are read in the time of a visit.
const READ: u64 = 64;
/// Visits that all tries of a pattern count as, each at least one.
const TRIES: u64 = 500;
/// Tries for each byte of a short text.
const PER_BYTE: u64 = 20;
/// Steps of a try in the time of a visit.
const TRY_STEPS: u64 = 1024;

/// Visits of a match of a pattern with a text.
pub(super) fn matching(pattern: &str, text: &str) -> u64 {
    let length = text.len() as u64;
    let steps = length.saturating_mul(states(pattern, length));
    let read = pattern.len() as u64 / READ;
    let tries = if tries(pattern) {
        let tries = TRIES.min(length.saturating_mul(PER_BYTE));
        tries.saturating_mul(1 + steps / TRY_STEPS)
    } else {
        0
    };
    1 + read + (steps / STEPS).saturating_add(tries)
}

/// True for a pattern that looks around or back: only these try every way.
fn tries(pattern: &str) -> bool {
    let looks = ["(?=", "(?!", "(?<", "(?>"]
        .iter()
        .any(|mark| pattern.contains(mark));
    let again = ["++", "*+", "?+", "}+"].iter().any(|mark| pattern.contains(mark));
    let refers = pattern
        .as_bytes()
        .windows(2)
        .any(|two| matches!(two, [b'\\', b'1'..=b'9' | b'k' | b'g']));
    looks || again || refers
}

/// The states of a pattern: its characters, those in a repetition as often as they may be repeated, but not more often than
/// a text of `length` bytes can meet them.
pub(super) fn states(pattern: &str, length: u64) -> u64 {
    let mut rest = pattern;
    // States of the groups around this place, and of the last part, which a repetition is about.
    let (mut around, mut sum, mut last) = (Vec::new(), 0_u64, 0_u64);
    while let Some(first) = rest.chars().next() {
        let after = rest.get(first.len_utf8()..).unwrap_or_default();
        rest = after;
        match first {
            '(' => {
                around.push(sum);
                (sum, last) = (0, 0);
            }
            ')' => {
                last = sum;
                sum = sum.saturating_add(around.pop().unwrap_or(0));
            }
            '{' if repetition(after).is_some() => {
                let (times, behind) = repetition(after).unwrap_or((1, after));
                let more = last.saturating_mul(times.min(length).saturating_sub(1));
                (sum, last) = (sum.saturating_add(more), last.saturating_add(more));
                rest = behind;
            }
            '*' | '+' | '?' | '|' | '^' | '$' => {}
            other => {
                (sum, last) = (sum.saturating_add(1), 1);
                rest = match other {
                    '\\' => behind_escape(after),
                    '[' => behind_class(after),
                    _ => after,
                };
            }
        }
    }
    around.into_iter().fold(sum, u64::saturating_add).max(1)
}

/// The most repetitions of `3}`, `3,}` and `3,5}`, and what comes behind.
fn repetition(text: &str) -> Option<(u64, &str)> {
    let (inside, behind) = text.split_once('}')?;
    let (least, most) = inside.split_once(',').unwrap_or((inside, inside));
    let number = |text: &str| text.trim().parse::<u64>().ok();
    let times = if most.trim().is_empty() {
        number(least)?.saturating_add(1)
    } else {
        number(most)?
    };
    Some((times, behind))
}

/// What comes behind the part of an escape after the backslash: `d`, `x{41}`, `p{L}`.
fn behind_escape(text: &str) -> &str {
    let mut chars = text.chars();
    let kind = chars.next();
    let behind = chars.as_str();
    match (kind, behind.strip_prefix('{')) {
        (Some('p' | 'P' | 'x' | 'u'), Some(name)) => {
            name.split_once('}').map_or(behind, |(_, behind)| behind)
        }
        _ => behind,
    }
}

/// What comes behind the part of a class after its bracket.
fn behind_class(text: &str) -> &str {
    let mut chars = text.chars();
    let mut is_first = true;
    while let Some(next) = chars.next() {
        match next {
            '\\' => _ = chars.next(),
            ']' if !is_first => break,
            _ => {}
        }
        is_first &= next == '^';
    }
    chars.as_str()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_states_of_a_pattern_are_counted() {
        let table = [
            ("", 1),
            ("abc", 3),
            ("^[a-z0-9-]{1,63}$", 63),
            (r"^\d{4}-\d{2}-\d{2}$", 10),
            ("[ab]*a[ab]{500}c", 503),
            ("(a{100}){100}", 10_000),
            ("((a|b){10}c){10}", 210),
            (r"\p{Lu}{3}\x{41}", 4),
            ("a{2,}", 3),
            ("a{x}", 4),
            (r"[]a\]{9}]{4}", 4),
            (r"\{{5}", 5),
            ("a{99999999999}{99999999999}{99999999999}", u64::MAX),
            ("(a", 1),
            ("a)", 1),
            ("[a", 1),
            ("\\", 1),
        ];
        for (pattern, expected) in table {
            assert_eq!(states(pattern, u64::MAX), expected, "{pattern}");
        }
        assert_eq!(states("[a-z]{1,1000}", 20), 20, "a short text meets few of them");
    }

    #[test]
    fn a_match_costs_more_with_each_state() {
        let text = "ab".repeat(50_000);
        let simple = matching("^[a-z]+$", &text);
        assert!(simple < 10_000, "{simple}");
        assert!(matching("[ab]*a[ab]{500}c", &text) > 300 * simple);
        assert!(matching("(?!x)[a-z]+$", &text) > 10 * simple);
        let name = matching("^[a-z0-9-]{1,63}$", "a-name");
        assert!(name < 5, "{name}");
    }
}
