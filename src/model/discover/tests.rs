//! Tests which model is chosen for each combination of settings.
//!
//! Must not know: providers.

use std::time::Duration;

use secrecy::SecretString;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use super::{
    Access, Choice, Error, Found, ModelSettings, Server, Wire, choose, find, find_within, ollama, to_ask,
};

/// Long enough for any machine.
const PATIENT: (Duration, Duration) = (Duration::from_secs(60), Duration::from_secs(60));

fn given(model: &str, base_url: &str, has_key: bool) -> ModelSettings {
    let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    ModelSettings {
        model: some(model),
        base_url: some(base_url),
        wire: Wire::default(),
        has_key,
        ollama_host: None,
        found: Vec::new(),
    }
}

fn server(models: &[&str]) -> Server {
    Server {
        base_url: "http://o/v1".into(),
        models: models.iter().map(|&model| model.into()).collect(),
    }
}

fn choice(base_url: &str, model: &str) -> Choice {
    Choice {
        base_url: base_url.into(),
        model: model.into(),
    }
}

#[test]
fn explicit_settings_are_used_and_no_server_is_asked() {
    for (output, expected) in [
        (given("m", "http://h/v1", false), Ok(choice("http://h/v1", "m"))),
        (given("m", "http://h/v1", true), Ok(choice("http://h/v1", "m"))),
        (given("m", "", true), Ok(choice("https://api.openai.com/v1", "m"))),
    ] {
        assert_eq!(to_ask(&output), None, "{output:?}");
        assert_eq!(choose(&output, None), expected);
    }
}

#[test]
fn a_server_without_a_named_model_serves_its_only_one() {
    let output = given("", "http://h/v1", true);
    assert_eq!(to_ask(&output).as_deref(), Some("http://h/v1"));
    assert_eq!(
        choose(&output, Some(&server(&["one"]))),
        Ok(choice("http://h/v1", "one"))
    );
    for (answer, why) in [
        (Some(server(&["a", "b"])), "several models (a, b)"),
        (Some(server(&[])), "no model"),
        (None, "does not say"),
    ] {
        let message = choose(&output, answer.as_ref()).unwrap_err().to_string();
        assert!(
            message.contains(why) && message.contains("--model NAME"),
            "{message}"
        );
    }
}

#[test]
fn ollama_is_the_default_provider() {
    let nothing = ModelSettings::default();
    assert_eq!(to_ask(&nothing).as_deref(), Some("http://127.0.0.1:11434/v1"));
    assert_eq!(
        choose(&nothing, Some(&server(&["qwen3:8b"]))),
        Ok(choice("http://o/v1", "qwen3:8b"))
    );
    let named = given("qwen3", "", false);
    let found = choose(&named, Some(&server(&["llama", "qwen3:latest"])));
    assert_eq!(found, Ok(choice("http://o/v1", "qwen3:latest")));
    assert!(matches!(
        choose(&nothing, Some(&server(&["a", "b"]))),
        Err(Error::Which { .. })
    ));
}

#[test]
fn where_nothing_is_found_all_three_ways_are_named() {
    let named = given("m\u{1b}", "", false);
    for error in [
        choose(&ModelSettings::default(), None).unwrap_err(),
        choose(&named, None).unwrap_err(),
        choose(&named, Some(&server(&["a"]))).unwrap_err(),
    ] {
        let text = error.to_string();
        for way in ["--model", "OPENAI_API_KEY", "ollama pull"] {
            assert!(text.contains(way), "{text}");
        }
        assert!(!text.contains('\u{1b}'));
    }
}

#[test]
fn a_key_names_a_provider_and_no_model() {
    let with = |has_key| ModelSettings {
        found: vec![Found {
            by: "SOME_KEY".into(),
            command: "overrule run --model x \"task\"".into(),
        }],
        ..given("", "", has_key)
    };
    for has_key in [true, false] {
        let found = with(has_key);
        // A server on this machine with one model is taken all the same.
        assert_eq!(to_ask(&found).as_deref(), Some("http://127.0.0.1:11434/v1"));
        let taken = choose(&found, Some(&server(&["qwen3:8b"])));
        assert_eq!(taken, Ok(choice("http://o/v1", "qwen3:8b")));
        let message = choose(&found, None).unwrap_err().to_string();
        assert_eq!(
            message,
            "cannot choose a model: a key names a provider, not a model; found:\n  SOME_KEY: overrule run --model x \"task\""
        );
    }
    let named = ModelSettings {
        model: Some("claude".into()),
        ..with(false)
    };
    let message = choose(&named, None).unwrap_err().to_string();
    assert!(message.contains("SOME_KEY: overrule run --model x"), "{message}");
}

#[test]
fn every_form_of_ollamas_own_variable_is_an_address() {
    for (host, expected) in [
        (None, "http://127.0.0.1:11434/v1"),
        (Some(" "), "http://127.0.0.1:11434/v1"),
        (Some("0.0.0.0"), "http://127.0.0.1:11434/v1"),
        (Some(":9000"), "http://127.0.0.1:9000/v1"),
        (Some("box:9000/"), "http://box:9000/v1"),
        (Some("https://box"), "https://box:11434/v1"),
        (Some("[::1]:5"), "http://[::1]:5/v1"),
        (Some("[::]"), "http://127.0.0.1:11434/v1"),
    ] {
        assert_eq!(ollama(host, "/v1"), expected, "{host:?}");
    }
}

/// A server that gives one answer or none; returns its base URL and the request that it received.
async fn serve(answer: Option<String>) -> (String, tokio::sync::oneshot::Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let place = listener.local_addr().unwrap().to_string();
    let (sender, reported) = tokio::sync::oneshot::channel();
    tokio::spawn(async move {
        let (mut socket, _) = listener.accept().await.unwrap();
        let mut request = [0; 2048];
        let n = socket.read(&mut request).await.unwrap();
        let _ = sender.send(String::from_utf8_lossy(&request[..n]).into_owned());
        match answer {
            Some(answer) => socket.write_all(answer.as_bytes()).await.unwrap(),
            None => drop(socket.read(&mut request).await),
        }
    });
    (place, reported)
}

fn ok(body: &str) -> String {
    format!("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{body}")
}

#[tokio::test]
async fn a_running_ollama_is_queried_without_the_key() {
    let (place, reported) = serve(Some(ok(
        r#"{"object":"list","data":[{"id":"only","object":"model"}]}"#,
    )))
    .await;
    let output = ModelSettings {
        ollama_host: Some(place.clone()),
        ..ModelSettings::default()
    };
    let key = Access::from(Some(SecretString::from("sk-canary").into()));
    let found = find_within(&output, &key, PATIENT).await;
    assert_eq!(found, Ok(choice(&format!("http://{place}/v1"), "only")));
    let request = reported.await.unwrap();
    assert!(
        request.starts_with("GET /v1/models ") && !request.contains("canary"),
        "{request}"
    );
}

#[tokio::test]
async fn a_named_server_is_asked_with_the_key() {
    let (place, reported) = serve(Some(ok(r#"{"data":[{"id":"only"}]}"#))).await;
    let base = format!("http://{place}/v1");
    let key = Access::from(Some(SecretString::from("sk-canary").into()));
    assert_eq!(
        find_within(&given("", &base, true), &key, PATIENT).await,
        Ok(choice(&base, "only"))
    );
    assert!(reported.await.unwrap().contains("Bearer sk-canary"));
}

#[tokio::test]
async fn whatever_else_answers_there_is_no_server_of_models() {
    for answer in [
        Some(ok("<html>")),
        Some(ok("{}")),
        Some(ok("[]")),
        Some("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n".into()),
        Some("noise\r\n\r\n".into()),
        None,
    ] {
        let (place, _reported) = serve(answer).await;
        let output = ModelSettings {
            ollama_host: Some(place),
            ..ModelSettings::default()
        };
        assert!(matches!(
            find(&output, &Access::default()).await,
            Err(Error::Nothing { .. })
        ));
    }
}

#[test]
fn servers_are_compared_as_the_client_parses_their_addresses() {
    for (one, other, same) in [
        ("http://h/v1", "http://H:80/v2/chat/completions", true),
        ("https://h:443", "https://h/", true),
        ("http://h/v1", "https://h/v1", false),
        ("http://h/v1", "http://h:81/v1", false),
        ("http://h/v1", "http://h.evil/v1", false),
        (
            "https://api.openai.com/v1",
            "https://evil\\.api.openai.com/v1",
            false,
        ),
        ("nonsense", "nonsense", false),
    ] {
        assert_eq!(super::same_server(one, other), same, "{one} {other}");
    }
    for (url, near) in [
        ("http://localhost:1/v1", true),
        ("http://127.0.0.1/v1", true),
        ("http://[::1]:1/v1", true),
        ("http://192.168.1.9/v1", true),
        ("http://box/v1", true),
        ("http://box.local/v1", true),
        ("http://8.8.8.8/v1", false),
        ("http://localhost.evil.com/v1", false),
        ("http://127.0.0.1.evil.com/v1", false),
        ("nonsense", false),
    ] {
        assert_eq!(super::is_near(url), near, "{url}");
    }
}
