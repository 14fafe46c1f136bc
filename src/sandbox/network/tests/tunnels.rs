//! Tunnels: bytes both ways, and the end of one way.
//!
//! Must not know: what is in them.

use super::*;

#[tokio::test]
async fn bytes_pass_both_ways_after_the_end_of_one() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let at = listener.local_addr().unwrap();
    let host = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        // The host speaks first.
        stream.write_all(b"hello\n").await.unwrap();
        let got = rest(&mut stream).await;
        stream
            .write_all(format!("after the end: {got}").as_bytes())
            .await
            .unwrap();
    });
    let proxy = Proxy::reaching(at);
    let (mut stream, first) = proxy.tunnel(&at.to_string()).await;
    assert_eq!(first, "HTTP/1.1 200 Connection established");
    assert_eq!(until(&mut stream, "\n").await, "hello\n");
    stream
        .write_all(b"\0\x01\r\n\r\nGET http://b.example/ HTTP/1.1\r\n\r\n")
        .await
        .unwrap();
    stream.shutdown().await.unwrap();
    let answer = rest(&mut stream).await;
    assert_eq!(
        answer,
        "after the end: \0\x01\r\n\r\nGET http://b.example/ HTTP/1.1\r\n\r\n"
    );
    host.await.unwrap();
    assert!(
        proxy.serving.refused().is_empty(),
        "what is in a tunnel is no request"
    );
}

#[tokio::test]
async fn the_end_of_the_host_is_passed() {
    let host = Host::new("x", "bye").await;
    let proxy = Proxy::reaching(host.at);
    // Bytes that come with the request belong to the tunnel.
    let mut stream = proxy.connect().await;
    let request = format!(
        "CONNECT {} HTTP/1.1\r\nHost: other.example\r\n\r\nearly x",
        host.at
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    let answer = rest(&mut stream).await;
    assert_eq!(answer, "HTTP/1.1 200 Connection established\r\n\r\nbye");
    stream.write_all(b" late").await.unwrap();
    drop(stream);
    assert_eq!(host.received(1).await, ["early x late"]);
}
