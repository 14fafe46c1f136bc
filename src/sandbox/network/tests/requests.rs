//! Requests with an absolute URL: what reaches the host, what comes back.
//!
//! Must not know: tunnels.

use super::*;

#[tokio::test]
async fn a_request_reaches_an_allowed_host() {
    let host = Host::new("\r\n\r\n", ANSWER).await;
    let proxy = Proxy::reaching(host.at);
    let at = host.at;
    let request = format!(
        "GET http://{at}/a?b=c HTTP/1.1\r\nHost: {at}\r\nAccept: */*\r\nProxy-Connection: keep-alive\r\n\
         Proxy-Authorization: Basic eDp5\r\nConnection: keep-alive, X-Own\r\nKeep-Alive: 5\r\nX-Own: 1\r\n\
         TE: trailers\r\nUpgrade: h2c\r\nX-Kept:  two words \r\n\r\n"
    );
    let answer = proxy.ask(request).await;
    assert_eq!(
        answer,
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"
    );
    let received = host.received(1).await;
    let expected = format!(
        "GET /a?b=c HTTP/1.1\r\nHost: {at}\r\nAccept: */*\r\nX-Kept: two words\r\nConnection: close\r\n\r\n"
    );
    assert_eq!(received, [expected]);
    assert!(proxy.serving.refused().is_empty());
}

#[tokio::test]
async fn the_host_of_the_url_wins() {
    let host = Host::new("\r\n\r\n", ANSWER).await;
    let proxy = Proxy::reaching(host.at);
    let at = host.at;
    for (first, headers, path) in [
        (
            format!("GET http://{at} HTTP/1.1"),
            "Host: other.example\r\n",
            "/",
        ),
        (
            format!("GET HTTP://{at}?q HTTP/1.1"),
            "hOsT: other.example\r\n",
            "/?q",
        ),
        (
            format!("GET http://{at}/?q=http://x/ HTTP/1.1"),
            "",
            "/?q=http://x/",
        ),
        (format!("GET http://{at}//x@y:1/ HTTP/1.1"), "", "//x@y:1/"),
    ] {
        let answer = proxy.ask(format!("{first}\r\n{headers}\r\n")).await;
        assert!(answer.ends_with("ok"), "{first}: {answer}");
        let received = host.received(1).await.pop().unwrap();
        host.received.lock().unwrap().clear();
        let head = format!("GET {path} HTTP/1.1\r\nHost: {at}\r\nConnection: close\r\n\r\n");
        assert_eq!(received, head);
    }
}

#[tokio::test]
async fn a_name_is_resolved_and_sent_as_it_is() {
    let host = Host::new("\r\n\r\n", ANSWER).await;
    let port = host.at.port();
    let list = hosts(&[&format!("*.example:{port}"), &host.at.to_string()]);
    let (resolve, asked) = resolver(&[&["127.0.0.1"]]);
    let proxy = Proxy::new(list, resolve);
    let answer = proxy
        .ask(format!("GET http://A.Example.:{port}/ HTTP/1.1\r\n\r\n"))
        .await;
    assert!(answer.ends_with("ok"), "{answer}");
    assert_eq!(*asked.lock().unwrap(), ["a.example"]);
    let received = host.received(1).await.pop().unwrap();
    assert!(
        received.contains(&format!("\r\nHost: A.Example.:{port}\r\n")),
        "{received}"
    );
}

#[tokio::test]
async fn a_chunked_body_passes() {
    let host = Host::new("0\r\n\r\n", ANSWER).await;
    let proxy = Proxy::reaching(host.at);
    let at = host.at;
    let mut stream = proxy.connect().await;
    let head =
        format!("POST http://{at}/ HTTP/1.1\r\nHost: {at}\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nwi");
    stream.write_all(head.as_bytes()).await.unwrap();
    tokio::time::sleep(Duration::from_millis(20)).await;
    stream.write_all(b"ki\r\n0\r\n\r\n").await.unwrap();
    assert!(rest(&mut stream).await.ends_with("ok"));
    let received = host.received(1).await.pop().unwrap();
    assert!(
        received.contains("\r\nTransfer-Encoding: chunked\r\n"),
        "{received}"
    );
    assert!(received.ends_with("\r\n\r\n4\r\nwiki\r\n0\r\n\r\n"), "{received}");
}

#[tokio::test]
async fn a_large_body_passes_and_so_does_its_response() {
    const SIZE: usize = 3 << 20;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let at = listener.local_addr().unwrap();
    let host = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        until(&mut stream, "\r\n\r\n").await;
        let mut body = vec![0; SIZE];
        stream.read_exact(&mut body).await.unwrap();
        let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {SIZE}\r\nConnection: keep-alive\r\n\r\n");
        stream.write_all(head.as_bytes()).await.unwrap();
        stream.write_all(&body).await.unwrap();
    });
    let proxy = Proxy::reaching(at);
    let mut stream = proxy.connect().await;
    let head = format!("PUT http://{at}/ HTTP/1.1\r\nContent-Length: {SIZE}\r\n\r\n");
    let body: Vec<u8> = (0..SIZE).map(|index| b'a' + (index % 23) as u8).collect();
    stream.write_all(head.as_bytes()).await.unwrap();
    stream.write_all(&body).await.unwrap();
    let answer = rest(&mut stream).await;
    let (head, echoed) = answer.split_once("\r\n\r\n").unwrap();
    assert!(
        head.ends_with("\r\nConnection: close") && !head.contains("keep-alive"),
        "{head}"
    );
    assert!(echoed.as_bytes() == body, "{} of {SIZE} bytes", echoed.len());
    host.await.unwrap();
}

#[tokio::test]
async fn a_response_that_comes_before_the_body_is_passed() {
    let early = "HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n";
    let host = Host::new("\r\n\r\n", early).await;
    let proxy = Proxy::reaching(host.at);
    let mut stream = proxy.connect().await;
    let head = format!(
        "PUT http://{}/ HTTP/1.1\r\nContent-Length: 9000000\r\n\r\n",
        host.at
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    stream.write_all(&[b'x'; 9000]).await.unwrap();
    let answer = rest(&mut stream).await;
    assert!(answer.starts_with("HTTP/1.1 413"), "{answer}");
}

#[tokio::test]
async fn odd_responses_are_passed() {
    for (sent, came) in [
        (
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nconnection: Keep-Alive\r\nA: b\r\n\r\nend",
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nA: b\r\nConnection: close\r\n\r\nend",
        ),
        (
            "HTTP/1.1 204 No Content\r\n\r\n",
            "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n",
        ),
        (
            "HTTP/1.1 200 OK\r\nKeep-Alive: a,\r\n b\r\nX: y\r\n\r\n",
            "HTTP/1.1 200 OK\r\nX: y\r\nConnection: close\r\n\r\n",
        ),
        ("no head", "no head"),
        ("HTTP/1.0 200 OK\n\nold", "HTTP/1.0 200 OK\n\nold"),
        ("", ""),
    ] {
        let host = Host::new("\r\n\r\n", sent).await;
        let proxy = Proxy::reaching(host.at);
        let answer = proxy
            .ask(format!("GET http://{}/ HTTP/1.1\r\n\r\n", host.at))
            .await;
        assert_eq!(answer, came, "{sent}");
    }
}

#[tokio::test]
async fn the_answer_to_head_has_no_body() {
    let proxy = Proxy::new(Hosts::default(), no_names());
    let answer = proxy.ask("HEAD http://a.example/ HTTP/1.1\r\n\r\n").await;
    assert!(
        answer.starts_with("HTTP/1.1 403 ") && answer.ends_with("\r\n\r\n"),
        "{answer}"
    );
}

#[tokio::test]
async fn the_end_of_what_a_child_sends_is_passed() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let at = listener.local_addr().unwrap();
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let got = rest(&mut stream).await;
        stream
            .write_all(format!("after {} bytes", got.len()).as_bytes())
            .await
            .unwrap();
    });
    let proxy = Proxy::reaching(at);
    let mut stream = proxy.connect().await;
    let request = format!("POST http://{at}/ HTTP/1.1\r\nContent-Length: 9\r\n\r\ncut");
    stream.write_all(request.as_bytes()).await.unwrap();
    stream.shutdown().await.unwrap();
    let sent = format!("POST / HTTP/1.1\r\nHost: {at}\r\nContent-Length: 9\r\nConnection: close\r\n\r\ncut");
    assert_eq!(rest(&mut stream).await, format!("after {} bytes", sent.len()));
}
