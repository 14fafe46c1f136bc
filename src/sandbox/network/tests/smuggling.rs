//! Requests that two programs could read in different ways.
//!
//! Must not know: addresses of names.

use super::*;

#[tokio::test]
async fn a_malformed_head_is_refused() {
    let trap = Trap::new("127.0.0.1:0");
    let at = trap.at();
    let proxy = Proxy::reaching(at);
    let get = format!("GET http://{at}/ HTTP/1.1\r\n");
    let post = format!("POST http://{at}/ HTTP/1.1\r\n");
    let all = [
        "GET / HTTP/1.1\r\nHost: a\r\n\r\n".to_owned(),
        format!("GET //{at}/ HTTP/1.1\r\n\r\n"),
        "OPTIONS * HTTP/1.1\r\n\r\n".to_owned(),
        format!("GET https://{at}/ HTTP/1.1\r\n\r\n"),
        format!("GET ftp://{at}/ HTTP/1.1\r\n\r\n"),
        format!("GET http://{at}/#x HTTP/1.1\r\n\r\n"),
        "GET http:/// HTTP/1.1\r\n\r\n".to_owned(),
        "GET http://:80/ HTTP/1.1\r\n\r\n".to_owned(),
        format!("GET http://{at}0000/ HTTP/1.1\r\n\r\n"),
        "GET http://127.0.0.1:/ HTTP/1.1\r\n\r\n".to_owned(),
        "GET http://127.0.0.1:+80/ HTTP/1.1\r\n\r\n".to_owned(),
        "CONNECT 127.0.0.1 HTTP/1.1\r\n\r\n".to_owned(),
        "CONNECT 127.0.0.1:0 HTTP/1.1\r\n\r\n".to_owned(),
        "CONNECT :443 HTTP/1.1\r\n\r\n".to_owned(),
        format!("CONNECT {at}\r\n\r\n"),
        format!("CONNECT {at} HTTP/2\r\n\r\n"),
        format!("CONNECT {at} HTTP/1.1 x\r\n\r\n"),
        format!("CONNECT  {at} HTTP/1.1\r\n\r\n"),
        format!("CONNECT\t{at} HTTP/1.1\r\n\r\n"),
        format!("CON:NECT {at} HTTP/1.1\r\n\r\n"),
        format!("\r\nCONNECT {at} HTTP/1.1\r\n\r\n"),
        format!("CONNECT {at} HTTP/1.1\n\n"),
        format!("{get}A: b\n\r\n"),
        format!("{get}A: b\rX: c\r\n\r\n"),
        format!("{get}A: b\0c\r\n\r\n"),
        format!("GET http://{at}/\0 HTTP/1.1\r\n\r\n"),
        format!("{get}A: b\u{1}c\r\n\r\n"),
        format!("{get}A: b\r\n c\r\n\r\n"),
        format!("{get}A: b\r\n\tc\r\n\r\n"),
        format!("{get} A: b\r\n\r\n"),
        format!("{get}A : b\r\n\r\n"),
        format!("{get}A\r\n\r\n"),
        format!("{get}: b\r\n\r\n"),
        format!("{get}Ä: b\r\n\r\n"),
        format!("{get}Host: {at}\r\nHost: {at}\r\n\r\n"),
        format!("{get}Host: {at}\r\nhOST: b.example\r\n\r\n"),
        format!("CONNECT {at} HTTP/1.1\r\nHost: {at}\r\nHost: b.example\r\n\r\n"),
        format!("{post}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
        format!("{post}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab"),
        format!("{post}Content-Length: 1\r\nContent-Length: 1\r\n\r\na"),
        format!("{post}Content-Length: +1\r\n\r\na"),
        format!("{post}Content-Length: 1, 1\r\n\r\na"),
        format!("{post}Content-Length: 0x1\r\n\r\na"),
        format!("{post}Content-Length:\r\n\r\na"),
        format!("{post}Content-Length: 99999999999999999999\r\n\r\na"),
        format!("{post}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"),
        format!("{post}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n"),
        format!("{post}Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
        format!("POST http://{at}/ HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
    ];
    for request in all {
        let answer = proxy.ask(&request).await;
        assert!(
            answer.starts_with("HTTP/1.1 400 Bad Request\r\n"),
            "{request:?}: {answer}"
        );
        assert!(
            answer.contains("\r\nX-Overrule-Sandbox: malformed\r\n"),
            "{request:?}: {answer}"
        );
    }
    assert!(proxy.serving.refused().is_empty());
    trap.assert_not_reached();
}

#[tokio::test]
async fn a_second_request_on_a_connection_is_not_passed() {
    let trap = Trap::new("127.0.0.1:0");
    let second = format!("GET http://{}/second HTTP/1.1\r\n\r\n", trap.at());
    for (end, head) in [
        ("\r\n\r\n", "GET http://AT/ HTTP/1.1\r\n\r\n"),
        (
            "0\r\n\r\n",
            "POST http://AT/ HTTP/1.1\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
        ),
        (
            "0\r\n\r\n",
            "POST http://AT/ HTTP/1.1\r\nConnection: Content-Length\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
        ),
        (
            "0\r\n\r\n",
            "POST http://AT/ HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        ),
    ] {
        let host = Host::new(end, ANSWER).await;
        let list = hosts(&[&host.at.to_string(), &trap.at().to_string()]);
        let proxy = Proxy::new(list, no_names());
        let head = head.replace("AT", &host.at.to_string());
        // In one piece, and after the request.
        let answer = proxy.ask(format!("{head}{second}")).await;
        assert!(
            answer.contains("ok") && answer.matches("HTTP/1.1 ").count() == 1,
            "{head}: {answer}"
        );
        let mut stream = proxy.connect().await;
        stream.write_all(head.as_bytes()).await.unwrap();
        tokio::time::sleep(Duration::from_millis(20)).await;
        stream.write_all(second.as_bytes()).await.ok();
        assert_eq!(rest(&mut stream).await.matches("HTTP/1.1 ").count(), 1, "{head}");
        drop(stream);
        let received = host.received(2).await;
        for one in received {
            let length = "\r\nContent-Length: 5\r\n";
            assert_eq!(one.contains(length), head.contains(length), "{one}");
            assert!(
                !one.contains("second") && one.contains("\r\nConnection: close\r\n"),
                "{one}"
            );
        }
    }
    trap.assert_not_reached();
}

#[tokio::test]
async fn a_malformed_chunk_ends_the_connection() {
    let host = Host::new("never", "").await;
    let proxy = Proxy::reaching(host.at);
    let mut stream = proxy.connect().await;
    let request = format!(
        "POST http://{}/ HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n1\nGET /smuggled",
        host.at
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    // It may be a reset.
    let mut bytes = Vec::new();
    timeout(LONG, stream.read_to_end(&mut bytes)).await.unwrap().ok();
    assert!(bytes.is_empty());
    let received = host.received(1).await.pop().unwrap();
    assert!(!received.contains("smuggled"), "{received}");
}
