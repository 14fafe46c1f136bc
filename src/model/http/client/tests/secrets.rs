//! Tests that no message has the key.
//!
//! Must not know: providers.

use super::*;

#[tokio::test]
async fn the_key_is_never_in_a_message_nor_in_debug_output() {
    let body = format!(r#"{{"error":{{"message":"incorrect key {KEY}"}}}}"#);
    let streamed = open_response(&format!("data: {body}\n\n"));
    for bytes in [response("401 Unauthorized", "", &body), streamed] {
        let server = serve(vec![Step::Send(bytes)]).await;
        let fault = ask(&server.base).await.1.unwrap_err();
        assert!(!fault.message.contains(KEY), "{}", fault.message);
        assert!(fault.message.contains("incorrect key"), "{}", fault.message);
    }
    let client = client("http://127.0.0.1:1/v1", Patience::default());
    assert!(!format!("{client:?}").contains(KEY));
}

#[tokio::test]
async fn a_listener_hears_the_bodies_and_never_the_key() {
    let server = serve(vec![Step::Send(open_response(&stream()))]).await;
    let received = Arc::new(Mutex::new(Vec::<(Way, Vec<u8>)>::new()));
    let into = Arc::clone(&received);
    let request = Request {
        tap: Tap::new(move |way, bytes| into.lock().unwrap().push((way, bytes.to_vec()))),
        ..request()
    };
    let (send, mut receive) = mpsc::channel(64);
    let client = client(&server.base, Patience::default());
    client.ask(request, send, CancellationToken::new()).await.unwrap();
    while receive.recv().await.is_some() {}
    let whole = server.request.await.unwrap();
    let received = received.lock().unwrap();
    let of = |requested: Way| -> Vec<u8> {
        received
            .iter()
            .filter(|(way, _)| *way == requested)
            .flat_map(|(_, bytes)| bytes.clone())
            .collect()
    };
    let body = whole.split_once("\r\n\r\n").unwrap().1;
    assert_eq!(String::from_utf8(of(Way::Sent)).unwrap(), body);
    assert_eq!(String::from_utf8(of(Way::Received)).unwrap(), stream());
    assert!(!String::from_utf8(of(Way::Sent)).unwrap().contains(KEY));
}

#[tokio::test]
async fn a_key_at_the_truncation_point_leaks_no_part() {
    let key = format!("sk-{}", "K".repeat(60));
    for padding in [340, 360, 380, 396] {
        let words = format!("{}{key}", "x".repeat(padding));
        let refusal = format!(r#"{{"error":{{"message":"{words}"}}}}"#);
        let location = format!("Location: http://h/{words}\r\n");
        for bytes in [
            open_response(&format!("<p>{words}")),
            open_response(&format!("data: {{oops {words}\n\n")),
            open_response(&format!("data: {refusal}\n\n")),
            response("401 Unauthorized", "", &refusal),
            response("307 Temporary Redirect", &location, ""),
        ] {
            let server = serve(vec![Step::Send(bytes)]).await;
            let secret = SecretString::from(key.as_str());
            let client = Client::new(
                Wire::default(),
                &server.base,
                "m",
                Access::from(Some(secret.into())),
                Patience::default(),
            )
            .unwrap();
            let (send, _receive) = mpsc::channel(4);
            let fault = client
                .ask(request(), send, CancellationToken::new())
                .await
                .unwrap_err();
            assert!(!fault.message.contains("sk-K"), "{}", fault.message);
            assert!(fault.message.chars().count() < 700, "{}", fault.message);
        }
    }
}
