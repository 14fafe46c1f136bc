//! Heads that do not end, hosts that take no connection, and many connections together.
//!
//! Must not know: what is sent.

use super::*;

/// How long it is watched that nothing happens.
const WATCHED: Duration = Duration::from_millis(150);

/// Limits with little time for a head.
fn short_head() -> Limits {
    Limits {
        head: Duration::from_millis(100),
        ..Limits::default()
    }
}

/// Limits with little time for a host.
fn short_connect() -> Limits {
    Limits {
        connect: Duration::from_millis(200),
        ..Limits::default()
    }
}

#[test]
fn the_limits_are_those_that_are_promised() {
    let Limits {
        head,
        connect,
        connections,
    } = Limits::default();
    assert_eq!((head.as_secs(), connect.as_secs(), connections), (10, 60, 64));
}

#[tokio::test]
async fn a_slow_head_ends_the_connection() {
    let proxy = Proxy::limited(Hosts::default(), no_names(), short_head());
    for part in [
        "",
        "GET http://a.example/ HTTP/1.1\r\nHost:",
        "GET http://a.example/ HTTP/1.1\r\n\r",
    ] {
        let answer = proxy.ask(part).await;
        assert!(
            answer.starts_with("HTTP/1.1 408 Request Timeout\r\n"),
            "{part}: {answer}"
        );
    }
    // One byte after another does not help.
    let mut stream = proxy.connect().await;
    let (mut reading, mut writing) = stream.split();
    let mut answer = String::new();
    let drip = async {
        while writing.write_all(b"x").await.is_ok() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        std::future::pending::<()>().await;
    };
    tokio::select! {
        read = timeout(LONG, reading.read_to_string(&mut answer)) => { read.unwrap().ok(); }
        () = drip => {}
    }
    assert!(answer.starts_with("HTTP/1.1 408 "), "{answer}");
    assert!(proxy.serving.refused().is_empty());
}

#[tokio::test]
async fn a_long_head_is_refused() {
    let host = Host::new("\r\n\r\n", ANSWER).await;
    let proxy = Proxy::reaching(host.at);
    let get = format!("GET http://{}/ HTTP/1.1\r\n", host.at);
    let fits = format!("{get}A: {}\r\n\r\n", "x".repeat(60 << 10));
    assert!(proxy.ask(fits).await.ends_with("ok"));
    for long in [
        format!("{get}A: {}\r\n\r\n", "x".repeat(64 << 10)),
        format!("{get}{}", "A: b\r\n".repeat(20 << 10)),
        "x".repeat(70 << 10),
    ] {
        let answer = proxy.ask(long).await;
        assert!(answer.starts_with("HTTP/1.1 431 "), "{answer}");
    }
    assert_eq!(host.received(1).await.len(), 1);
}

#[tokio::test]
async fn a_connection_that_ends_within_its_head_gets_nothing() {
    let proxy = Proxy::new(Hosts::default(), no_names());
    for part in ["", "CONNECT a.example:443 HTTP/1.1\r\n"] {
        let mut stream = proxy.connect().await;
        stream.write_all(part.as_bytes()).await.unwrap();
        stream.shutdown().await.unwrap();
        assert_eq!(rest(&mut stream).await, "");
    }
    assert!(proxy.serving.refused().is_empty());
}

#[tokio::test]
async fn a_host_that_takes_no_connection_is_given_up() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    // The system accepts as many connections as wait; none is taken from it.
    rustix::net::listen(&listener, 0).unwrap();
    let at = listener.local_addr().unwrap();
    let mut waiting = Vec::new();
    while let Ok(stream) = timeout(WATCHED, TcpStream::connect(at)).await {
        waiting.push(stream.unwrap());
        assert!(waiting.len() < 64, "the queue is never full");
    }
    let proxy = Proxy::limited(hosts(&[&at.to_string()]), no_names(), short_connect());
    let answer = proxy.ask(format!("CONNECT {at} HTTP/1.1\r\n\r\n")).await;
    assert!(answer.starts_with("HTTP/1.1 504 "), "{answer}");
    assert!(
        answer.contains(&format!("[sandbox] cannot reach {at}: ")),
        "{answer}"
    );
    assert!(proxy.serving.refused().is_empty());
}

#[tokio::test]
async fn a_name_that_is_never_found_is_given_up() {
    let resolve: Resolve = Arc::new(|_| Box::pin(std::future::pending()));
    let proxy = Proxy::limited(hosts(&["a.example"]), resolve, short_connect());
    let answer = proxy.ask("CONNECT a.example:443 HTTP/1.1\r\n\r\n").await;
    assert!(answer.starts_with("HTTP/1.1 504 "), "{answer}");
}

/// A host that echoes.
async fn echo() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let at = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            tokio::spawn(async move {
                let (mut from, mut to) = stream.split();
                tokio::io::copy(&mut from, &mut to).await.ok();
            });
        }
    });
    at
}

#[tokio::test]
async fn the_connection_after_the_64th_waits() {
    let at = echo().await;
    let proxy = Proxy::reaching(at);
    let mut open = Vec::new();
    for _ in 0..64 {
        let (mut stream, first) = proxy.tunnel(&at.to_string()).await;
        assert_eq!(first, "HTTP/1.1 200 Connection established");
        stream.write_all(b"x").await.unwrap();
        assert_eq!(until(&mut stream, "x").await, "x");
        open.push(stream);
    }
    let mut next = proxy.connect().await;
    let request = format!("CONNECT {at} HTTP/1.1\r\n\r\n");
    next.write_all(request.as_bytes()).await.unwrap();
    let early = timeout(WATCHED, next.read_u8()).await;
    assert!(early.is_err(), "it waits: {early:?}");
    // The others go on.
    let last = open.last_mut().unwrap();
    last.write_all(b"y").await.unwrap();
    assert_eq!(until(last, "y").await, "y");
    open.pop();
    assert!(until(&mut next, "\r\n\r\n").await.starts_with("HTTP/1.1 200 "));
}

#[tokio::test]
async fn dropping_the_proxy_ends_all_its_connections() {
    let at = echo().await;
    let proxy = Proxy::reaching(at);
    let (mut open, _) = proxy.tunnel(&at.to_string()).await;
    open.write_all(b"x").await.unwrap();
    assert_eq!(until(&mut open, "x").await, "x");
    let place = proxy.at;
    drop(proxy);
    let mut bytes = Vec::new();
    let ended = timeout(LONG, open.read_to_end(&mut bytes)).await;
    ended.expect("the connection ends").ok();
    assert!(bytes.is_empty());
    let again = timeout(LONG, async {
        while TcpStream::connect(place).await.is_ok() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    });
    again.await.expect("nobody listens");
}

#[test]
fn there_is_no_proxy_without_a_runtime() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    assert!(crate::network::serve(listener, Hosts::default()).is_err());
}
