//! What one server wants otherwise than the rest, learnt from the words with which it refuses a request. Only what
//! such words ask for is changed, so that every other server gets the bytes that it always got. Must not know: sockets.

use std::collections::BTreeSet;

/// One thing that a server wants otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Quirk {
    /// It does not know `stream_options`.
    NoStreamOptions,
    /// Ids of calls must be nine letters and digits.
    ShortIds,
    /// Reasoning that came before calls must be sent back with them.
    ReasoningBack,
}

/// What is known of a server.
pub type Quirks = BTreeSet<Quirk>;

/// What a refusal teaches; none where asking otherwise would not help.
pub fn learn(status: u16, body: &str) -> Option<Quirk> {
    if !matches!(status, 400 | 422) {
        return None;
    }
    let said = body.to_lowercase();
    let says = |word: &str| said.contains(word);
    if says("stream_options") {
        Some(Quirk::NoStreamOptions)
    } else if says("tool call id") && says("length of 9") {
        Some(Quirk::ShortIds)
    } else if says("reasoning_content") && (says("passed back") || says("missing")) {
        Some(Quirk::ReasoningBack)
    } else {
        None
    }
}

/// The same nine letters and digits for the same id.
pub fn short_id(id: &str) -> String {
    const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    let hash = blake3::hash(id.as_bytes());
    let bytes = hash.as_bytes().iter().take(9);
    bytes
        .filter_map(|byte| DIGITS.get(usize::from(*byte) % DIGITS.len()))
        .map(|digit| char::from(*digit))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_refusal_that_names_it_teaches_something() {
        let mistral = r#"{"detail":[{"type":"extra_forbidden","loc":["body","stream_options"],"msg":"Extra inputs are not permitted"}]}"#;
        let id = r#"{"message":"Tool call id was call_c3 but must be a-z, A-Z, 0-9, with a length of 9."}"#;
        let deepseek = r#"{"error":{"message":"The `reasoning_content` in the thinking mode must be passed back to the API."}}"#;
        let unwanted =
            r#"{"detail":[{"type":"extra_forbidden","loc":["body","messages",2,"reasoning_content"]}]}"#;
        for (status, body, learnt) in [
            (422, mistral, Some(Quirk::NoStreamOptions)),
            (400, mistral, Some(Quirk::NoStreamOptions)),
            (400, id, Some(Quirk::ShortIds)),
            (400, deepseek, Some(Quirk::ReasoningBack)),
            (422, unwanted, None),
            (500, mistral, None),
            (401, id, None),
            (400, "", None),
        ] {
            assert_eq!(learn(status, body), learnt, "{status} {body}");
        }
    }

    #[test]
    fn short_ids_are_nine_letters_and_digits_and_differ() {
        let ids: BTreeSet<String> = (0..2000).map(|no| short_id(&format!("call_c{no}"))).collect();
        assert_eq!(ids.len(), 2000);
        let fits = |id: &String| id.len() == 9 && id.chars().all(|c| c.is_ascii_alphanumeric());
        assert!(ids.iter().all(fits));
    }
}
