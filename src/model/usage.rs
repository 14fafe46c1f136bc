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
    Usage {
        input: one(INPUT).map(|sent| separate.fold(sent, u64::saturating_add)),
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
    Usage {
        input: before.input.max(now.input),
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
    fn a_later_frame_with_less_takes_nothing_away() {
        let first = of(r#"{"prompt_tokens":9,"completion_tokens":1}"#);
        let last = of(r#"{"prompt_tokens":0,"completion_tokens":7}"#);
        let joined = join(first, last);
        assert_eq!((joined.input, joined.output), (Some(9), Some(7)));
        assert_eq!(join(first, Usage::default()), first);
    }
}
