//! Says whether a part of a reply may have a call, in any format.
//!
//! Must not know: paths, wire formats, what follows.

use super::events::{Cutter, Form, RawEvent};
use super::json_facts::Facts;
use overrule_model::frame;

/// Words of which one is in every text with a call, without their signs.
const WORDS: [&str; 7] = [
    "toolcall",
    "tooluse",
    "functioncall",
    "shellcall",
    "patchcall",
    "computercall",
    "mcpapprovalrequest",
];

/// True for an event that has a call, or that is like JSON, cannot be read, and has a word of one.
pub(super) fn may_have(event: &RawEvent) -> bool {
    match read(event) {
        Some(facts) => facts.calls > 0 || facts.has_open_call,
        None => has_words(&event.bytes),
    }
}

/// True for a whole body with such an event.
pub(super) fn may_be_in(body: &[u8]) -> bool {
    let mut cutter = Cutter::new(Form::Whole);
    let Ok(mut events) = cutter.feed(body) else {
        return true;
    };
    events.extend(cutter.end_of_body());
    events.iter().any(may_have)
}

/// True for an event that may have more calls for the agent than the decoder found in it, or in which an object has two
/// members with one name.
pub(super) fn is_read_in_part(event: &RawEvent, known: usize) -> bool {
    match read(event) {
        Some(facts) => facts.calls > known || facts.repeats,
        // It is too deep, or no JSON.
        None => known == 0 && has_words(&event.bytes),
    }
}

/// Removes the calls for the agent from a list of what the provider added, a JSON list.
pub(super) fn removed_from(list: &str) -> Option<String> {
    let mut kept = frame::array(list);
    kept.retain(|one| facts(one).is_some_and(|facts| facts.calls == 0 && !facts.repeats));
    (!kept.is_empty()).then(|| format!("[{}]", kept.join(",")))
}

fn read(event: &RawEvent) -> Option<Facts> {
    if event.data.is_empty() || event.is_unread {
        let text = String::from_utf8_lossy(&event.bytes);
        return facts(text.trim_start_matches('\u{FEFF}'));
    }
    facts(&event.data)
}

/// What is known of a text of one JSON value or several, one after the other. None if it is no JSON.
fn facts(text: &str) -> Option<Facts> {
    let mut all = Facts::default();
    for one in serde_json::Deserializer::from_str(text).into_iter::<Facts>() {
        let one = one.ok()?;
        all.calls += one.calls;
        all.has_open_call |= one.has_open_call;
        all.repeats |= one.repeats;
    }
    Some(all)
}

fn has_words(bytes: &[u8]) -> bool {
    // Marks of an encoding, the zeros of a wider one, and the signs in names.
    let text: Vec<u8> = bytes
        .iter()
        .copied()
        .filter(|byte| !matches!(byte, 0 | 0xef | 0xbb | 0xbf | 0xfe | 0xff | b'_' | b'-'))
        .collect();
    let text = String::from_utf8_lossy(&text).to_ascii_lowercase();
    let is_like_json = text.trim_start().starts_with(['{', '[', ')']) || text.contains("data:");
    is_like_json && WORDS.iter().any(|word| text.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_found_however_a_body_is_divided() {
        let call = r#"{"output":[{"type":"function_call","name":"x"}]}"#;
        let wide: Vec<u8> = call.bytes().flat_map(|byte| [byte, 0]).collect();
        let bodies: [&[u8]; 11] = [
            call.as_bytes(),
            &format!("{{}}\n{call}\n").into_bytes(),
            &format!("{{}}{call}").into_bytes(),
            &format!("[{call}]").into_bytes(),
            &format!("data: {{}}\n\ndata: [DONE]\n\ndata: {call}\n\n").into_bytes(),
            &format!("event: x\rdata:{call}\r\r").into_bytes(),
            &format!("data: {{}}\n\n{call}").into_bytes(),
            &format!("\u{FEFF}{call}").into_bytes(),
            &format!(")]}}'\n{call}").into_bytes(),
            call.strip_suffix('}').unwrap().as_bytes(),
            &wide,
        ];
        for body in bodies {
            assert!(may_be_in(body), "{}", String::from_utf8_lossy(body));
        }
        let either = br#"{"output":[{"type":"shell_call"}]}"#;
        assert!(may_be_in(either), "nobody knows whether the provider executes it");
    }

    #[test]
    fn other_bodies_have_none() {
        let bodies: [&[u8]; 6] = [
            b"",
            b"short and stout",
            b"<html>tool_use { }</html>",
            b"{\"data\":[{\"id\":\"m\",\"supports\":{\"tool_calls\":true}}]}",
            b"data: {\"status\":\"pulling\"}\n\n: keep\n\ndata: [DONE]\n\n",
            b"\x89PNG\x00\x01 function_call",
        ];
        for body in bodies {
            assert!(!may_be_in(body), "{}", String::from_utf8_lossy(body));
        }
    }
}
