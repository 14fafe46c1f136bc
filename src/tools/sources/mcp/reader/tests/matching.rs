//! Tests of answers that are matched with requests, and of lines without any sense.
//!
//! Must not know: connections.

use super::*;

/// A reader with open requests.
pub(super) fn reader(open: Open) -> (Reader, Arc<Told>, Arc<ServerLog>) {
    let log = Arc::new(ServerLog::default());
    let told = Arc::new(Told::new(Arc::clone(&log)));
    let reader = Reader::new(Arc::clone(&log), Arc::clone(&told), false);
    {
        let mut requests = reader.requests();
        requests.last = open.last();
        requests.open = open;
    }
    (reader, told, log)
}

/// What a text brings: ids of answers, and codes of errors.
fn received(reader: &Reader, text: &[u8]) -> Vec<String> {
    let received = reader.read(text).into_iter();
    let words = received.map(|received| match received {
        Received::NeverSent(id) => format!("never sent {id}"),
        Received::Message(message) => match *message {
            JsonRpcMessage::Response(JsonRpcResponse { id, .. }) => format!("result {id}"),
            JsonRpcMessage::Error(error) => {
                let ErrorData { code, .. } = error.error;
                format!("error {} {}", code.0, error.id.unwrap())
            }
            _ => "said".to_owned(),
        },
    });
    words.collect()
}

#[test]
fn whatever_could_be_the_answer_ends_its_request() {
    let table: &[(&[u8], &[&str])] = &[
        (br#"{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"cut \ud83d"}]}}"#, &["result 3"]),
        (b"\xef\xbb\xbf{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{}}", &["result 3"]),
        (b"{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"\xff\"}]}}", &["result 3"]),
        (br#"{"jsonrpc":"2.0","id":3,"result":{"x":NaN}}"#, &["result 3"]),
        (br#"loading... {"jsonrpc":"2.0","id":3,"result":{}}"#, &["result 3"]),
        (br#"[{"jsonrpc":"2.0","id":3,"result":{}},{"jsonrpc":"2.0","method":"x"}]"#, &["result 3", "said"]),
        (br#"{"jsonrpc":"2.0","method":"x"}{"jsonrpc":"2.0","id":3,"result":{}}"#, &["said", "result 3"]),
        (br#"{"jsonrpc":"2.0","id":3,"result":{'a':1}}"#, &["error -32099 3"]),
        (br#"{"jsonrpc":"2.0","id":"3","result":"#, &["error -32099 3"]),
        (br#"{"result": oops"#, &["error -32099 3"]),
        (br#"{"jsonrpc":"2.0","id":3,"result":{"resultType":"task"}}"#, &["error -32099 3"]),
        (br#"{"jsonrpc":"2.0","id":9,"result":{}}"#, &["never sent 9"]),
        (br#"{"jsonrpc":"2.0","id":2,"result":{}}"#, &[]),
        (b"Server started", &[]),
        (b"12", &[]),
        (br#"{"level":"info","msg":"x"}"#, &[]),
        (br#"{"level":"info","msg":x}"#, &[]),
        (br#"{"jsonrpc":"2.0","id":3,"method":"roots/list","params":{]}"#, &[]),
    ];
    for (text, expected) in table {
        let shown = String::from_utf8_lossy(text);
        let (reader, _, _) = reader(open());
        assert_eq!(received(&reader, text), *expected, "{shown}");
        let ends = expected.iter().any(|word| word.ends_with(" 3"));
        assert_eq!(reader.requests().open.is_empty(), ends, "{shown}");
    }
}

#[test]
fn what_is_left_out_is_told_and_what_is_only_spelt_differently_is_logged() {
    let (reader, told, log) = reader(Open::from([(3, Asked::ListTools)]));
    let line = r#"{"jsonrpc":"2.0","id":"3","result":{"tools":[{"name":""}]}}"#;
    assert_eq!(received(&reader, line.as_bytes()), ["result 3"]);
    assert_eq!(told.all().len(), 1, "{:?}", told.all());
    assert!(
        told.all()[0].contains("tool 1 of the list is left out"),
        "{:?}",
        told.all()
    );
    let log = log.last().join("\n");
    assert!(
        log.contains("an id is a text") && log.contains("tool 1 of the list"),
        "{log}"
    );
}

#[test]
fn an_answer_without_an_id_after_one_that_never_came_answers_nothing() {
    let (reader, told, _) = reader(Open::from([(3, Asked::CallTool), (4, Asked::CallTool)]));
    assert!(reader.end(&RequestId::Number(3), TOO_LONG, "too long").is_some());
    let line = br#"{"jsonrpc":"2.0","result":{"content":[]}}"#;
    assert_eq!(received(&reader, line), Vec::<String>::new());
    assert_eq!(received(&reader, br#"{"result": oops"#), Vec::<String>::new());
    assert!(told.all()[0].contains("it names no request"), "{:?}", told.all());
    assert_eq!(
        received(&reader, br#"{"jsonrpc":"2.0","id":4,"result":{}}"#),
        ["result 4"]
    );
}

#[tokio::test(start_paused = true)]
async fn an_answer_to_the_probe_that_comes_late_answers_the_handshake_that_followed() {
    let late = br#"{"jsonrpc":"2.0","id":0,"result":{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}}"#;
    for (asked, answers) in [(Asked::Initialize, true), (Asked::ListTools, false)] {
        let (reader, _, _) = reader(Open::from([(0, Asked::Discover)]));
        reader.requests().probe = Probe::Waits(0, Instant::now());
        assert!(reader.probe_ends().is_some());
        assert!(matches!(reader.give_up_probe(), Some(JsonRpcMessage::Error(_))));
        assert!(reader.probe_ends().is_none() && reader.is_probe_costly());
        reader.requests().open.insert(1, asked);
        let read = reader.read(late);
        let version = read.first().map(|received| {
            let Received::Message(message) = received else {
                panic!("it was sent")
            };
            let JsonRpcMessage::Response(JsonRpcResponse { id, result, .. }) = &**message else {
                panic!("{message:?}")
            };
            let ServerResult::InitializeResult(result) = result else {
                panic!("{result:?}")
            };
            (id.clone(), result.protocol_version.clone())
        });
        let expected = (RequestId::Number(1), rmcp::model::ProtocolVersion::V_2026_07_28);
        assert_eq!(version, answers.then_some(expected), "{asked:?}");
        assert_eq!(reader.requests().open.is_empty(), answers);
    }
}

fn nonsense() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        Just(&b"{\"jsonrpc\":\"2.0\","[..]),
        Just(&b"\"id\":3,"[..]),
        Just(&b"\"id\":\"3\","[..]),
        Just(&b"\"result\":"[..]),
        Just(&b"\"error\":"[..]),
        Just(&b"\"method\":\"x\","[..]),
        Just(&b"\"content\":["[..]),
        Just(&b"{\"type\":\"text\",\"text\":"[..]),
        Just(&b"\"tools\":["[..]),
        Just(&b"null"[..]),
        Just(&b"{}"[..]),
        Just(&b"[]"[..]),
        Just(&b"\"\\ud83d\""[..]),
        Just(&b"NaN,1e999"[..]),
        Just(&b"}"[..]),
        Just(&b"]"[..]),
        Just(&b"\xff\xfe"[..]),
        Just(&b"\n"[..]),
    ];
    prop::collection::vec(piece, 0..16).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(overrule_testing::cases(128))]

    #[test]
    fn no_bytes_break_the_reader(bytes in prop_oneof![nonsense(), prop::collection::vec(any::<u8>(), 0..80)]) {
        for asked in [Asked::CallTool, Asked::ListTools, Asked::Initialize, Asked::Discover, Asked::Other] {
            let (reader, _, _) = reader(Open::from([(3, asked)]));
            let answers = reader.read(&bytes).into_iter().filter(|received| {
                matches!(received, Received::Message(message)
                    if matches!(**message, JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_)))
            });
            let answers = answers.count();
            prop_assert_eq!(answers, usize::from(reader.requests().open.is_empty()), "each request has one answer");
        }
    }
}
