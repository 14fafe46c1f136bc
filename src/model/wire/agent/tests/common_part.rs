//! Tests that a request which repeats an earlier one reads as if it came alone, and that only its new part is read.
//!
//! Must not know: what is in a message.

use std::sync::Arc;

use proptest::prelude::*;

use super::super::common_part::common;
use super::super::json::spliced;
use super::super::{AgentRequest, CommonPart, RequestError, decode_request};
use super::{REQUESTS, read};
use crate::wire::Wire;
use overrule_testing::cases;

/// How many messages of a request are those of an earlier one, and not read again.
fn taken(before: &AgentRequest, now: &AgentRequest) -> usize {
    let pairs = before.messages.iter().zip(&now.messages);
    pairs.take_while(|(before, now)| Arc::ptr_eq(before, now)).count()
}

/// A request with its messages so often, in order.
fn repeated(number: usize, times: usize, blank: &str) -> AgentRequest {
    let (wire, body) = REQUESTS[number];
    let request = read(wire, body);
    let Some(list) = request.list.clone() else {
        return request;
    };
    let messages: Vec<&str> = request
        .messages
        .iter()
        .map(|message| request.raw(message))
        .collect();
    let all = vec![messages.join(&format!("{blank},{blank}")); times];
    let list = (list, format!("[{blank}{}{blank}]", all.join(",")));
    read(wire, &spliced(body, &[list]))
}

/// Reads a body that may repeat an earlier one.
fn decode_after(before: &AgentRequest, body: &[u8]) -> Result<AgentRequest, RequestError> {
    match CommonPart::of(before, body) {
        Some(part) => super::super::decode_after(&part, body.to_vec().into()),
        None => decode_request(before.wire, body),
    }
}

/// Asserts that it makes no difference whether an earlier request is known; returns how many messages are taken from it.
fn same(before: &AgentRequest, body: &[u8]) -> usize {
    let after = decode_after(before, body);
    assert_eq!(after, decode_request(before.wire, body));
    after.map_or(0, |after| taken(before, &after))
}

#[test]
fn of_a_longer_history_only_the_new_messages_are_read() {
    for number in 0..REQUESTS.len() {
        let before = repeated(number, 3, " ");
        let Some(list) = before.list.clone() else {
            continue;
        };
        let last = before.raw(&before.messages[0]);
        let at = list.end - 1;
        for (more, read_again) in [(format!(" , {last}"), 1), (format!(",{last}\n,\t{last}"), 2)] {
            let body = spliced(&before.body, &[(at..at, more)]);
            let after = decode_after(&before, body.as_bytes()).unwrap();
            assert_eq!(
                taken(&before, &after),
                after.messages.len() - read_again,
                "{body}"
            );
            same(&before, body.as_bytes());
        }
    }
}

#[test]
fn of_the_same_history_the_last_message_is_read() {
    for number in 0..REQUESTS.len() {
        let before = repeated(number, 2, "");
        let expected = before.list.as_ref().map_or(0, |_| before.messages.len() - 1);
        assert_eq!(same(&before, before.body.as_bytes()), expected);
    }
}

#[test]
fn what_follows_the_common_part_is_checked_as_ever() {
    let body =
        r#"{"model":"m","messages":[{"role":"user","content":"a"},{"role":"user","content":"b"}],"n":1}"#;
    let before = read("openai-chat", body);
    let first = r#"{"model":"m","messages":[{"role":"user","content":"a"}"#;
    for (rest, expected) in [
        ("]}", 0),
        (",]}", 0),
        (",", 0),
        ("", 0),
        (",,{}]}", 0),
        (r#",{"role":"user","content":"b"},]}"#, 0),
        (r#",{"role":"user","content":"b"}]"#, 0),
        (r#",{"role":"user","content":"b"}],"messages":[]}"#, 0),
        (r#",{"role":"user","content":"b"}],"model":"m"}"#, 0),
        (r#",{"role":"user","content":"b"}]} x"#, 0),
        (r#",{"role":"user","content":"b"}],"n":2} "#, 1),
        (r#" , {"role":"user","content":"b\u00e9"}]}"#, 1),
        (r#",{"role":"owner","content":"b"}]}"#, 0),
        (
            r#",{"role":"user","content":"b"},{"role":"user","content":3}]}"#,
            0,
        ),
    ] {
        assert_eq!(
            same(&before, format!("{first}{rest}").as_bytes()),
            expected,
            "{rest}"
        );
    }
    let half = [first.as_bytes(), b",{\"role\":\"user\",\"content\":\"\xc3\"}]}"].concat();
    assert_eq!(same(&before, &half), 0);
    for other in ["", "[]", r#"{"messages":"a"}"#, r#"{"model":"m","messages":[]}"#] {
        assert_eq!(same(&before, other.as_bytes()), 0, "{other}");
    }
}

#[test]
fn tools_of_a_message_that_is_not_read_again_are_on_offer() {
    let item = r#"{"type":"additional_tools","tools":[{"type":"function","name":"late"}]}"#;
    let begin = format!(r#"{{"tools":[{{"type":"function","name":"own"}}],"input":[{item}"#);
    let user = r#",{"role":"user","content":"a"}"#;
    let before = read("openai-responses", &format!("{begin}{user}]}}"));
    let after = decode_after(&before, format!("{begin}{user}{user}{user}]}}").as_bytes()).unwrap();
    let names: Vec<&str> = after.tools.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!((taken(&before, &after), names), (2, vec!["own", "late"]));
}

#[test]
fn the_common_part_of_two_texts_is_found_to_the_byte() {
    let text = vec![b'a'; 10_000];
    for at in [0, 1, 4095, 4096, 4097, 9999] {
        let mut other = text.clone();
        other[at] = b'b';
        assert_eq!(common(&text, &other), at);
        assert_eq!(common(&text, &text[..at]), at);
    }
    assert_eq!(common(&text, &text), text.len());
}

/// What becomes of a body.
#[derive(Debug, Clone)]
enum Change {
    /// A byte is another one.
    Byte(usize, u8),
    /// A byte comes in.
    Insert(usize, u8),
    /// It ends here.
    Cut(usize),
    /// A piece of it comes twice.
    Again(usize, usize),
    /// A piece of it is left out.
    Drop(usize, usize),
}

fn changed(body: &[u8], change: &Change) -> Vec<u8> {
    let mut body = body.to_vec();
    if body.is_empty() {
        return body;
    }
    let length = body.len();
    let place = |at: usize| at % length;
    match *change {
        Change::Byte(at, byte) => {
            let at = place(at);
            body[at] = byte;
        }
        Change::Insert(at, byte) => body.insert(place(at), byte),
        Change::Cut(at) => body.truncate(place(at)),
        Change::Again(at, length) => {
            let from = place(at);
            let piece = body[from..(from + length).min(body.len())].to_vec();
            body.splice(from..from, piece);
        }
        Change::Drop(at, length) => {
            let from = place(at);
            let to = (from + length).min(body.len());
            body.drain(from..to);
        }
    }
    body
}

fn change() -> impl Strategy<Value = Change> {
    let byte = prop::sample::select(b"{}[]\",:\\ \n0a\xc3".to_vec());
    prop_oneof![
        (any::<usize>(), byte.clone()).prop_map(|(at, byte)| Change::Byte(at, byte)),
        (any::<usize>(), byte).prop_map(|(at, byte)| Change::Insert(at, byte)),
        any::<usize>().prop_map(Change::Cut),
        (any::<usize>(), 1..60_usize).prop_map(|(at, length)| Change::Again(at, length)),
        (any::<usize>(), 1..60_usize).prop_map(|(at, length)| Change::Drop(at, length)),
    ]
}

proptest! {
    #![proptest_config(cases(200))]

    /// In every format: a body made of another one by additions and random changes reads as if it came alone.
    #[test]
    fn a_known_request_makes_no_difference(
        number in 0..REQUESTS.len(),
        (times, more) in (1..4_usize, 0..3_usize),
        blank in prop::sample::select(vec!["", " ", "\n\t"]),
        changes in prop::collection::vec(change(), 0..3),
    ) {
        let before = repeated(number, times, blank);
        let longer = repeated(number, times + more, blank);
        let body = changes.iter().fold(longer.body.as_bytes().to_vec(), |body, change| changed(&body, change));
        let found = same(&before, &body);
        // Whatever both have is read once, except for the last message.
        let equal = common(before.body.as_bytes(), &body);
        let whole = before.messages.iter().filter(|message| message.span.end <= equal).count();
        let is_read = before.list.is_some() && decode_request(before.wire, &body).is_ok();
        prop_assert!(found <= whole);
        prop_assert!(!is_read || found + 1 >= whole, "{found} of {whole}");
        prop_assert!(decode_after(&before, &body).is_ok() == decode_request(Wire::named(REQUESTS[number].0).unwrap(), &body).is_ok());
    }

    /// Two bodies that have nothing to do with each other.
    #[test]
    fn a_request_of_another_conversation_makes_no_difference(
        one in 0..REQUESTS.len(),
        other in 0..REQUESTS.len(),
        change in change(),
    ) {
        let before = repeated(one, 2, "");
        same(&before, &changed(REQUESTS[other].1.as_bytes(), &change));
    }
}
