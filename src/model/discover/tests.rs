//! Which model is chosen, for every combination that people have. Must not know: providers.

use secrecy::{ExposeSecret, SecretString};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use super::{Choice, Error, Found, Given, Ollama, Settings, choose, needs_probe, probe};

fn given(model: &str, base_url: &str, key: &str) -> Given {
    let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    Given {
        model: some(model),
        base_url: some(base_url),
        api_key: some(key).map(SecretString::from),
    }
}

fn settings(flags: Given, config: Given, env: Given) -> Settings {
    Settings { flags, config, env }
}

fn ollama(models: &[&str]) -> Ollama {
    Ollama {
        url: super::OLLAMA.into(),
        models: models.iter().map(|&model| model.into()).collect(),
    }
}

fn picked(choice: &Choice) -> (&str, &str, Option<&str>, Found) {
    let key = choice.api_key.as_ref().map(|key| key.expose_secret());
    (&choice.base_url, &choice.model, key, choice.found)
}

#[test]
fn the_stronger_place_wins_value_by_value() {
    let all = settings(
        given("f", "", ""),
        given("c", "http://c/v1", ""),
        given("e", "http://e/v1", "k"),
    );
    let choice = choose(&all, Some(&ollama(&["o"]))).unwrap();
    assert_eq!(picked(&choice), ("http://c/v1", "f", Some("k"), Found::Flag));
    let env = settings(Given::default(), Given::default(), given("", "", "k"));
    let choice = choose(&env, None).unwrap();
    assert_eq!(
        picked(&choice),
        ("https://api.openai.com/v1", "gpt-4.1-mini", Some("k"), Found::Env)
    );
    let named = settings(given("m", "", ""), Given::default(), given("", "", "k"));
    assert_eq!(picked(&choose(&named, None).unwrap()).1, "m");
    let local = settings(
        given("m", " http://l:1/v1 ", ""),
        Given::default(),
        Given::default(),
    );
    assert_eq!(
        picked(&choose(&local, None).unwrap()),
        ("http://l:1/v1", "m", None, Found::Flag)
    );
}

#[test]
fn ollama_serves_where_nothing_else_is_said_with_its_only_model_or_the_one_named() {
    let nothing = Settings::default();
    let choice = choose(&nothing, Some(&ollama(&["qwen3:8b"]))).unwrap();
    assert_eq!(
        picked(&choice),
        ("http://127.0.0.1:11434/v1", "qwen3:8b", None, Found::Ollama)
    );
    let named = settings(given("qwen3", "", ""), Given::default(), Given::default());
    let choice = choose(&named, Some(&ollama(&["llama", "qwen3:latest"]))).unwrap();
    assert_eq!(choice.model, "qwen3:latest");
}

#[test]
fn what_is_missing_is_said_with_all_ways_to_give_it() {
    let nothing = Settings::default();
    let named = settings(given("m", "", ""), Given::default(), Given::default());
    let errors = [
        choose(&nothing, None).unwrap_err(),
        choose(&nothing, Some(&ollama(&[]))).unwrap_err(),
        choose(&nothing, Some(&ollama(&["a", "b"]))).unwrap_err(),
        choose(&named, None).unwrap_err(),
        choose(&named, Some(&ollama(&["a"]))).unwrap_err(),
    ];
    for error in &errors {
        let text = error.to_string();
        for way in ["--model", "OPENAI_API_KEY", "ollama pull"] {
            assert!(text.contains(way), "{text}");
        }
    }
    assert!(errors[2].to_string().contains("a, b"));
    assert!(errors[4].to_string().contains("`m`") && errors[4].to_string().contains("has a"));
    let server = settings(given("", "http://h/v1", ""), Given::default(), Given::default());
    assert!(matches!(
        choose(&server, Some(&ollama(&["a"]))),
        Err(Error::NoModel { .. })
    ));
    let blank = settings(given("  ", "", ""), Given::default(), Given::default());
    assert!(matches!(choose(&blank, None), Err(Error::Nothing)));
}

#[test]
fn a_key_is_in_no_debug_output() {
    let all = settings(
        given("m", "http://h/v1", "sk-canary"),
        Given::default(),
        Given::default(),
    );
    assert!(!format!("{all:?}").contains("canary"));
    assert!(!format!("{:?}", choose(&all, None).unwrap()).contains("canary"));
}

#[test]
fn the_probe_is_only_needed_where_nothing_else_decides() {
    assert!(needs_probe(&Settings::default()));
    assert!(needs_probe(&settings(
        given("m", " ", ""),
        Given::default(),
        Given::default()
    )));
    assert!(!needs_probe(&settings(
        Given::default(),
        given("", "http://h/v1", ""),
        Given::default()
    )));
    assert!(!needs_probe(&settings(
        Given::default(),
        Given::default(),
        given("", "", "k")
    )));
}

/// A server that gives one answer, or none at all.
async fn serve(answer: Option<&'static str>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        let (mut socket, _) = listener.accept().await.unwrap();
        let mut request = [0; 1024];
        let n = socket.read(&mut request).await.unwrap();
        assert!(request[..n].starts_with(b"GET /api/tags "));
        match answer {
            Some(answer) => socket.write_all(answer.as_bytes()).await.unwrap(),
            None => drop(socket.read(&mut request).await),
        }
    });
    url
}

#[tokio::test]
async fn the_probe_reads_the_list_and_takes_everything_else_for_no_ollama() {
    let ok = "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n";
    let list: &str =
        Box::leak(format!("{ok}{}", r#"{"models":[{"name":"a:1","size":5},{"name":"b"}]}"#).into());
    let url = serve(Some(list)).await;
    assert_eq!(
        probe(&url).await,
        Some(Ollama {
            url,
            models: vec!["a:1".into(), "b".into()]
        })
    );
    let page: &str = Box::leak(format!("{ok}<html>").into());
    for answer in [
        Some(page),
        Some("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"),
        Some("noise\r\n\r\n"),
        None,
    ] {
        assert_eq!(probe(&serve(answer).await).await, None, "{answer:?}");
    }
    assert_eq!(probe("http://127.0.0.1:1").await, None);
}
