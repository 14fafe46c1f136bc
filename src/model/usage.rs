//! Reads token counts under each of the names that providers give them.
//!
//! Must not know: their place in a stream.

use super::frame::Object;
use overrule_domain::turn::Usage;

/// Names of the tokens that were sent.
const INPUT: &[&str] = &[
    "prompt_tokens",
    "input_tokens",
    "promptTokenCount",
    "prompt_eval_count",
];
/// Names of the counts of tokens from the provider's cache.
const CACHED: &[&str] = &[
    "cached_tokens",
    "cache_read_input_tokens",
    "prompt_cache_hit_tokens",
    "cachedContentTokenCount",
    "cached_prompt_tokens",
];
/// Counts that one provider does not include in `input_tokens`.
const SEPARATE: &[&str] = &["cache_read_input_tokens", "cache_creation_input_tokens"];
/// Names of the counts of tokens that went into the provider's cache.
const WRITTEN: &[&str] = &[
    "cache_creation_input_tokens",
    "cache_creation_tokens",
    "cache_write_tokens",
];
/// Names of the tokens that were received.
const OUTPUT: &[&str] = &[
    "completion_tokens",
    "output_tokens",
    "candidatesTokenCount",
    "eval_count",
];
/// Names of the counts of reasoning tokens.
const REASONING: &[&str] = &["reasoning_tokens", "thoughtsTokenCount"];
/// Objects with details of the sent tokens.
const INPUT_DETAILS: &[&str] = &["prompt_tokens_details", "input_tokens_details"];
/// Objects with details of the received tokens.
const OUTPUT_DETAILS: &[&str] = &["completion_tokens_details", "output_tokens_details"];

/// Reads one usage object.
pub fn read(counts: &Object<'_>) -> Usage {
    let one = |names: &[&str]| names.iter().find_map(|name| counts.number(name));
    let inside = |groups: &[&str], names: &[&str]| {
        let mut groups = groups.iter().filter_map(|group| counts.object(group));
        groups.find_map(|group| names.iter().find_map(|name| group.number(name)))
    };
    // One provider does not count what its cache has.
    let is_separate = counts.get("input_tokens").is_some() && counts.get("input_tokens_details").is_none();
    let separate = SEPARATE
        .iter()
        .filter(|_| is_separate)
        .filter_map(|name| counts.number(name));
    // One provider counts apart what its own tools add to the prompt.
    let own_tools = counts.number("toolUsePromptTokenCount").unwrap_or_default();
    let written = one(WRITTEN).or_else(|| inside(INPUT_DETAILS, WRITTEN));
    let nested = INPUT_DETAILS
        .iter()
        .find_map(|group| counts.object(group)?.object("cache_creation"));
    let periods = counts.object("cache_creation").or(nested);
    let period = |name: &str| periods.as_ref().and_then(|periods| periods.number(name));
    let hour = period("ephemeral_1h_input_tokens");
    let five_minutes = match (written, hour) {
        (Some(all), Some(hour)) => Some(all.saturating_sub(hour)),
        (all, _) => period("ephemeral_5m_input_tokens").or(all),
    };
    Usage {
        input: one(INPUT).map(|sent| separate.fold(sent, u64::saturating_add).saturating_add(own_tools)),
        cache_write: five_minutes,
        cache_write_1h: hour.filter(|hour| *hour > 0),
        is_estimated: false,
        cached: inside(INPUT_DETAILS, CACHED).or_else(|| one(CACHED)),
        output: match counts.number("thoughtsTokenCount") {
            // The same provider's other count, which does not include it.
            Some(thoughts) => Some(one(OUTPUT).unwrap_or_default().saturating_add(thoughts)),
            None => one(OUTPUT),
        },
        reasoning: inside(OUTPUT_DETAILS, REASONING).or_else(|| one(REASONING)),
    }
}

/// Joins the counts of two frames of one reply. Counts grow during a reply, and some servers send
/// zeros or only a part of them at its end: of each count the larger one is taken.
pub fn join(before: Usage, now: Usage) -> Usage {
    // A frame may say how much was written, and another one for how long.
    let written = |usage: Usage| {
        let hour = usage.cache_write_1h.unwrap_or(0);
        usage.cache_write.map(|tokens| tokens.saturating_add(hour))
    };
    let hour = before.cache_write_1h.max(now.cache_write_1h);
    let all = written(before).max(written(now));
    Usage {
        input: before.input.max(now.input),
        cache_write: all.map(|all| all.saturating_sub(hour.unwrap_or(0))),
        cache_write_1h: hour,
        is_estimated: false,
        cached: before.cached.max(now.cached),
        output: before.output.max(now.output),
        reasoning: before.reasoning.max(now.reasoning),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Usage {
        read(&Object::read(text).unwrap())
    }

    #[test]
    fn cached_tokens_are_read_under_each_name() {
        for counts in [
            r#"{"prompt_tokens":9,"prompt_tokens_details":{"cached_tokens":4}}"#,
            r#"{"prompt_tokens":9,"input_tokens_details":{"cached_tokens":4.0}}"#,
            r#"{"prompt_tokens":9,"cached_tokens":4}"#,
            r#"{"input_tokens":3,"cache_read_input_tokens":4,"cache_creation_input_tokens":2}"#,
            r#"{"input_tokens":9,"input_tokens_details":{"cached_tokens":4},"cache_read_input_tokens":4}"#,
            r#"{"prompt_tokens":9,"prompt_cache_hit_tokens":4,"prompt_cache_miss_tokens":5}"#,
            r#"{"promptTokenCount":9,"cachedContentTokenCount":4}"#,
        ] {
            let usage = of(counts);
            assert_eq!((usage.input, usage.cached), (Some(9), Some(4)), "{counts}");
        }
        assert_eq!(of(r#"{"prompt_tokens":null}"#), Usage::default());
        let thought = of(r#"{"promptTokenCount":9,"candidatesTokenCount":2,"thoughtsTokenCount":5}"#);
        assert_eq!((thought.output, thought.reasoning), (Some(7), Some(5)));
    }

    #[test]
    fn what_goes_into_a_cache_is_counted_by_its_period() {
        for (counts, input, write, hour) in [
            (
                r#"{"input_tokens":1,"cache_creation_input_tokens":5,"cache_creation":{"ephemeral_5m_input_tokens":5,"ephemeral_1h_input_tokens":0}}"#,
                6,
                Some(5),
                None,
            ),
            (
                r#"{"input_tokens":1,"cache_creation_input_tokens":5,"cache_creation":{"ephemeral_5m_input_tokens":2,"ephemeral_1h_input_tokens":3}}"#,
                6,
                Some(2),
                Some(3),
            ),
            // The sum alone.
            (
                r#"{"input_tokens":1,"cache_read_input_tokens":4,"cache_creation_input_tokens":5}"#,
                10,
                Some(5),
                None,
            ),
            (
                r#"{"prompt_tokens":9,"prompt_tokens_details":{"cached_tokens":1,"cache_write_tokens":5}}"#,
                9,
                Some(5),
                None,
            ),
            (
                r#"{"prompt_tokens":9,"cache_creation_input_tokens":5}"#,
                9,
                Some(5),
                None,
            ),
            (r#"{"prompt_tokens":9}"#, 9, None, None),
        ] {
            let usage = of(counts);
            assert_eq!(
                (usage.input, usage.cache_write, usage.cache_write_1h),
                (Some(input), write, hour),
                "{counts}"
            );
        }
        let sum = of(r#"{"input_tokens":1,"cache_creation_input_tokens":5}"#);
        let periods = of(
            r#"{"input_tokens":1,"cache_creation_input_tokens":5,"cache_creation":{"ephemeral_5m_input_tokens":1,"ephemeral_1h_input_tokens":4}}"#,
        );
        for joined in [join(sum, periods), join(periods, sum)] {
            assert_eq!((joined.cache_write, joined.cache_write_1h), (Some(1), Some(4)));
        }
    }

    #[test]
    fn tokens_of_the_providers_own_tools_are_sent_tokens() {
        let counts = r#"{"promptTokenCount":1000,"toolUsePromptTokenCount":5000,"candidatesTokenCount":100}"#;
        assert_eq!((of(counts).input, of(counts).output), (Some(6000), Some(100)));
    }

    #[test]
    fn a_later_frame_with_less_takes_nothing_away() {
        let first = of(r#"{"prompt_tokens":9,"completion_tokens":1}"#);
        let last = of(r#"{"prompt_tokens":0,"completion_tokens":7}"#);
        let joined = join(first, last);
        assert_eq!((joined.input, joined.output), (Some(9), Some(7)));
        assert_eq!(join(first, Usage::default()), first);
    }
}
