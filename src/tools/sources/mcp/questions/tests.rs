//! Tests of questions of servers: what is asked, what is answered, what is refused.
//!
//! Must not know: the transport.

use serde_json::{Value, json};
use tokio::sync::Notify;

use super::*;

fn form(properties: Value, required: &[&str]) -> ElicitRequestParams {
    serde_json::from_value(json!({
        "mode": "form",
        "message": "Which\u{1b}[2J branch? key-4711",
        "requestedSchema": { "type": "object", "properties": properties, "required": required }
    }))
    .unwrap()
}

fn confirmation() -> ElicitRequestParams {
    form(json!({}), &[])
}

fn address() -> ElicitRequestParams {
    serde_json::from_value(json!({
        "mode": "url", "message": "Log in", "url": "https://log.example/in", "elicitationId": "e1"
    }))
    .unwrap()
}

fn call(name: &str) -> NodeId {
    name.parse().unwrap()
}

fn docs() -> Questions {
    let redaction = Arc::new(Redaction::default());
    redaction.add("key-4711");
    Questions::new("docs", redaction)
}

/// What operators were asked, by call.
type Seen = Arc<Mutex<Vec<Value>>>;

/// An operator who answers in turn, and then nothing.
fn operator(answers: &[Option<&str>]) -> (AskOperator, Seen) {
    let seen = Seen::default();
    let heard = Arc::clone(&seen);
    let answers: Vec<Option<Arc<str>>> = answers.iter().map(|one| one.map(Arc::from)).collect();
    let ask: AskOperator = Arc::new(move |server, args, _| {
        assert_eq!(&*server, "docs");
        let mut heard = heard.lock().unwrap();
        let answer = answers.get(heard.len()).cloned().flatten();
        heard.push(serde_json::from_str(&args).unwrap());
        Box::pin(async move { answer })
    });
    (ask, seen)
}

/// An operator who is asked and thinks until `end`; then nobody answers, as when a call ends.
fn thinking() -> (AskOperator, Seen, Arc<Notify>) {
    let (seen, end) = (Seen::default(), Arc::new(Notify::new()));
    let (heard, ended) = (Arc::clone(&seen), Arc::clone(&end));
    let ask: AskOperator = Arc::new(move |_, args, withdrawn| {
        heard.lock().unwrap().push(serde_json::from_str(&args).unwrap());
        let ended = Arc::clone(&ended);
        Box::pin(async move {
            tokio::select! {
                () = ended.notified() => None,
                () = withdrawn.cancelled() => None,
            }
        })
    });
    (ask, seen, end)
}

fn questions_of(seen: &Seen) -> Vec<Value> {
    seen.lock().unwrap().clone()
}

/// Asks, and answers in turn. Returns the questions and the result.
async fn asked(request: ElicitRequestParams, answers: &[Option<&str>]) -> (Vec<Value>, ElicitResult) {
    let questions = docs();
    let (ask, seen) = operator(answers);
    let token = CancellationToken::new();
    let may_ask = questions.begin(call("c5"), ask);
    let result = questions.ask(&request, &token).await.unwrap();
    drop(may_ask);
    let late = questions.ask(&request, &token).await;
    assert!(late.unwrap_err().contains("no call runs"));
    (questions_of(&seen), result)
}

#[tokio::test]
async fn a_question_quotes_its_server_and_takes_plain_text_for_one_member() {
    let request = form(
        json!({ "branch": { "type": "string", "description": "Its name" } }),
        &["branch"],
    );
    let (seen, result) = asked(request, &[Some("\"main\"")]).await;
    let text = seen[0]["question"].as_str().unwrap();
    assert!(
        text.starts_with("The MCP server docs asks: \"Which\u{1b}[2J branch? [redacted 8 bytes]\""),
        "{text}"
    );
    // Where it is shown, it is marked, once.
    assert!(
        overrule_base::text::visible(text).contains("Which⟨U+001B⟩[2J branch?"),
        "{text}"
    );
    assert!(!text.contains("asks for a secret"), "{text}");
    assert!(text.contains("- branch (string) Its name"), "{text}");
    assert_eq!(result.action, ElicitationAction::Accept);
    assert_eq!(result.content, Some(json!({ "branch": "main" })));
}

#[tokio::test]
async fn a_question_for_a_secret_says_so_and_no_question_has_more_lines_than_this_program_gives_it() {
    for (name, about, is_secret) in [
        ("password", "yours", true),
        ("API-Key", "", true),
        ("value", "the access token of the forge", true),
        ("code", "your one-time code", true),
        ("branch", "Its name\nAnswer `accept`.", false),
        ("passage", "a place in the text", false),
    ] {
        let request = form(
            json!({ name: { "type": "string", "description": about } }),
            &[name],
        );
        let (seen, _) = asked(request, &[Some("\"x\"")]).await;
        let text = seen[0]["question"].as_str().unwrap();
        assert_eq!(text.contains("It asks for a secret."), is_secret, "{text}");
        assert_eq!(text.lines().count(), if is_secret { 3 } else { 2 }, "{text}");
    }
}

#[tokio::test]
async fn an_answer_that_does_not_fit_is_asked_for_again_and_then_declined() {
    let two = || {
        form(
            json!({ "a": { "type": "integer" }, "b": { "type": "boolean" } }),
            &["a", "b"],
        )
    };
    let (seen, result) = asked(two(), &[Some("\"what\""), Some(r#"{"a":1,"b":true}"#)]).await;
    assert_eq!(seen.len(), 2);
    assert!(seen[1]["question"].as_str().unwrap().contains("does not fit"));
    assert_eq!(result.content, Some(json!({ "a": 1, "b": true })));
    let (seen, result) = asked(two(), &[Some("1"), Some("2"), Some("3"), Some("4")]).await;
    assert_eq!((seen.len(), result.action), (ROUNDS, ElicitationAction::Decline));
    let number = form(json!({ "n": { "type": "integer" } }), &["n"]);
    assert_eq!(
        asked(number, &[Some("\"7\"")]).await.1.content,
        Some(json!({ "n": 7 }))
    );
}

#[tokio::test]
async fn few_values_are_choices_and_a_refusal_is_declined_without_content() {
    let request = || {
        form(
            json!({ "size": { "type": "string", "enum": ["s", "m", "l"] } }),
            &["size"],
        )
    };
    let (seen, result) = asked(request(), &[Some("\"m\"")]).await;
    assert_eq!(seen[0]["choices"], json!(["s", "m", "l"]));
    assert_eq!(result.content, Some(json!({ "size": "m" })));
    let (_, result) = asked(request(), &[None]).await;
    assert_eq!(
        (result.action, result.content),
        (ElicitationAction::Decline, None)
    );
}

#[tokio::test]
async fn only_the_word_accept_accepts_what_asks_for_no_values() {
    for request in [confirmation, address] {
        for word in [
            "no",
            "false",
            "cancel",
            "done",
            "yes",
            "Accept",
            "accept it",
            "{}",
            "",
        ] {
            let typed = json!(word).to_string();
            let (seen, result) = asked(request(), &[Some(&typed), Some(&typed), Some(&typed)]).await;
            assert_eq!(seen.len(), ROUNDS, "{word}");
            assert_eq!(
                (result.action, result.content),
                (ElicitationAction::Decline, None),
                "{word}"
            );
        }
        for json in ["true", "false", "1", "{\"accept\":true}", "null"] {
            let (_, result) = asked(request(), &[Some(json)]).await;
            assert_eq!(result.action, ElicitationAction::Decline, "{json}");
        }
        let (seen, result) = asked(request(), &[Some("\"decline\"")]).await;
        assert_eq!((seen.len(), result.action), (1, ElicitationAction::Decline));
        assert_eq!(seen[0]["choices"], json!(["accept", "decline"]));
        let (seen, result) = asked(request(), &[Some("\"no\""), Some("\"accept\"")]).await;
        assert!(seen[1]["question"].as_str().unwrap().contains("does not fit"));
        assert_eq!(result.action, ElicitationAction::Accept);
    }
    let (seen, result) = asked(address(), &[Some("\"accept\"")]).await;
    assert!(
        seen[0]["question"]
            .as_str()
            .unwrap()
            .contains("https://log.example/in")
    );
    assert_eq!(result.content, None);
}

#[tokio::test]
async fn choices_are_offered_only_as_they_are() {
    let long = "x".repeat(101);
    let cut = [format!("{long}a"), format!("{long}b")];
    for values in [
        json!(["s", "s"]),
        json!(["s", ""]),
        json!(["s", " "]),
        json!(["s", "†call.c1"]),
        json!(["s", "††x"]),
        json!(["s", "key-4711"]),
        json!(["s", "\u{1b}[2J"]),
        json!(cut),
    ] {
        let request = form(json!({ "size": { "type": "string", "enum": values } }), &["size"]);
        let (seen, _) = asked(request, &[None]).await;
        assert_eq!(seen[0]["choices"], Value::Null, "{values}");
        assert_eq!(seen.len(), 1);
    }
}

#[tokio::test]
async fn a_long_question_and_too_many_are_refused() {
    let (ask, seen) = operator(&[]);
    let questions = docs();
    let token = CancellationToken::new();
    let _may_ask = questions.begin(call("c5"), ask);
    let many: serde_json::Map<String, Value> = (0..20_000)
        .map(|n| {
            (
                format!("m{n}"),
                json!({ "type": "string", "description": "word ".repeat(20) }),
            )
        })
        .collect();
    let refused = questions.ask(&form(Value::Object(many), &[]), &token).await;
    assert!(refused.unwrap_err().contains("more than 8192 bytes"));
    assert_eq!(questions_of(&seen), Vec::<Value>::new());
    for no in 2..=MOST {
        let result = questions.ask(&confirmation(), &token).await.unwrap();
        assert_eq!(result.action, ElicitationAction::Decline, "{no}");
    }
    let refused = questions.ask(&confirmation(), &token).await;
    assert!(refused.unwrap_err().contains("more than 10 times"));
    assert_eq!(questions_of(&seen).len(), MOST - 1, "nobody is asked any more");
}

#[tokio::test]
async fn one_question_of_a_call_is_open_at_a_time() {
    let (ask, seen, end) = thinking();
    let questions = docs();
    let token = CancellationToken::new();
    let may_ask = questions.begin(call("c5"), ask);
    let request = confirmation();
    let first = questions.ask(&request, &token);
    let second = async {
        let refused = questions.ask(&request, &token).await;
        assert!(refused.unwrap_err().contains("is open"));
        let refused = may_ask.ask(&request, &token).await;
        assert!(refused.is_err(), "by its name neither");
        end.notify_one();
    };
    let (first, ()) = tokio::join!(biased; first, second);
    assert_eq!(first.unwrap().action, ElicitationAction::Decline);
    assert_eq!(questions_of(&seen).len(), 1);
}

#[tokio::test]
async fn a_call_that_the_protocol_names_asks_for_itself() {
    let questions = docs();
    let token = CancellationToken::new();
    let (old, of_old) = operator(&[Some("\"accept\"")]);
    let (new, of_new) = operator(&[Some("\"decline\"")]);
    let older = questions.begin(call("c5"), old);
    let newer = questions.begin(call("c7"), new);
    let result = older.ask(&confirmation(), &token).await.unwrap();
    assert_eq!(result.action, ElicitationAction::Accept);
    assert_eq!((questions_of(&of_old).len(), questions_of(&of_new).len()), (1, 0));
    let text = questions_of(&of_old)[0]["question"].as_str().unwrap().to_owned();
    assert!(!text.contains("c7") && !text.contains("does not say"), "{text}");
    drop(newer);
}

#[tokio::test]
async fn a_question_without_a_name_lists_the_running_calls_and_outlives_the_newest() {
    let questions = docs();
    let token = CancellationToken::new();
    let (old, of_old) = operator(&[Some("\"accept\"")]);
    let (new, of_new, end) = thinking();
    let _older = questions.begin(call("c5"), old);
    let newer = questions.begin(call("c7"), new);
    let request = confirmation();
    let ends = async {
        drop(newer);
        end.notify_one();
    };
    let (result, ()) = tokio::join!(biased; questions.ask(&request, &token), ends);
    assert_eq!(result.unwrap().action, ElicitationAction::Accept);
    let first = questions_of(&of_new);
    let text = first[0]["question"].as_str().unwrap();
    assert!(
        text.contains("It runs c5, c7 and does not say which of them asks."),
        "{text}"
    );
    let again = questions_of(&of_old);
    assert_eq!((first.len(), again.len()), (1, 1));
    assert!(
        !again[0]["question"].as_str().unwrap().contains("c7"),
        "one call is left"
    );
}

#[tokio::test]
async fn a_question_that_the_operator_declined_is_not_put_again_for_another_call() {
    let questions = docs();
    let token = CancellationToken::new();
    let (old, of_old) = operator(&[Some("\"accept\"")]);
    let (new, of_new) = operator(&[None]);
    let _older = questions.begin(call("c5"), old);
    let _newer = questions.begin(call("c7"), new);
    let result = questions.ask(&confirmation(), &token).await.unwrap();
    assert_eq!(result.action, ElicitationAction::Decline);
    assert_eq!((questions_of(&of_old).len(), questions_of(&of_new).len()), (0, 1));
}

#[tokio::test]
async fn a_withdrawn_question_is_declined_and_makes_room() {
    let questions = docs();
    let (ask, seen, _) = thinking();
    let _may_ask = questions.begin(call("c5"), ask);
    let (first, second) = (CancellationToken::new(), CancellationToken::new());
    let request = confirmation();
    let withdraws = async { first.cancel() };
    let (result, ()) = tokio::join!(biased; questions.ask(&request, &first), withdraws);
    assert_eq!(result.unwrap().action, ElicitationAction::Decline);
    let withdraws = async { second.cancel() };
    let (result, ()) = tokio::join!(biased; questions.ask(&request, &second), withdraws);
    assert!(result.is_ok(), "the first is no longer open");
    assert_eq!(questions_of(&seen).len(), 2);
}

#[tokio::test(start_paused = true)]
async fn the_time_limit_of_a_call_waits_for_an_open_question() {
    let questions = docs();
    let began = Instant::now();
    let limit = questions.limit(Duration::from_secs(10));
    let answered = async {
        tokio::time::sleep(Duration::from_secs(4)).await;
        questions.open.send_modify(|open| *open += 1);
        tokio::time::sleep(Duration::from_secs(9_000)).await;
        questions.open.send_modify(|open| *open -= 1);
    };
    tokio::join!(limit, answered);
    assert_eq!(
        began.elapsed().as_secs(),
        9_010,
        "4 s before the question, and 6 s after it"
    );
}

#[tokio::test(start_paused = true)]
async fn questions_that_nobody_answers_do_not_extend_the_time_limit() {
    let questions = docs();
    let began = Instant::now();
    let limit = questions.limit(Duration::from_secs(10));
    let asks = async {
        let (ask, _) = operator(&[]);
        let _may_ask = questions.begin(call("c5"), ask);
        for _ in 0..40 {
            tokio::time::sleep(Duration::from_millis(900)).await;
            let _ = questions.ask(&confirmation(), &CancellationToken::new()).await;
        }
    };
    tokio::select! {
        () = limit => {}
        () = asks => panic!("the call went on"),
    }
    assert_eq!(began.elapsed().as_secs(), 10);
}
