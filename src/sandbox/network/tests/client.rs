//! The client that connects `ssh` to the proxy.
//!
//! Must not know: `ssh`.

use std::io::{self, Cursor, Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpListener};
use std::thread::JoinHandle;

use super::{Proxy, hosts, no_names, resolver};
use crate::network::{ConnectError, connect};

/// A host that speaks first, reads to the end, and answers.
fn host() -> (SocketAddr, JoinHandle<Vec<u8>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let at = listener.local_addr().unwrap();
    let host = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        stream.write_all(b"SSH-2.0-x\r\n").unwrap();
        let mut got = Vec::new();
        stream.read_to_end(&mut got).unwrap();
        stream.write_all(b"bye").unwrap();
        got
    });
    (at, host)
}

/// Runs the client next to the proxy.
async fn run(
    proxy: SocketAddr,
    host: &str,
    port: u16,
    input: impl io::Read + Send + 'static,
) -> (Result<(), ConnectError>, Vec<u8>) {
    let host = host.to_owned();
    let client = tokio::task::spawn_blocking(move || {
        let mut output = Vec::new();
        let ended = connect(proxy, &host, port, input, &mut output);
        (ended, output)
    });
    let ended = tokio::time::timeout(super::LONG, client).await;
    ended.expect("the client ends").unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn bytes_pass_both_ways_to_the_end() {
    let (at, host) = host();
    let proxy = Proxy::reaching(at);
    let input: Vec<u8> = (0..200_000_u32).map(|index| index as u8).collect();
    let (ended, output) = run(proxy.at, "127.0.0.1", at.port(), Cursor::new(input.clone())).await;
    ended.unwrap();
    assert_eq!(output, b"SSH-2.0-x\r\nbye");
    assert!(host.join().unwrap() == input);
}

/// Never gives a byte, and never ends.
struct Silent;

impl io::Read for Silent {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        loop {
            std::thread::park();
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn it_ends_with_the_host_though_the_input_goes_on() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let at = listener.local_addr().unwrap();
    let host = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        stream.write_all(b"no").unwrap();
        stream.shutdown(Shutdown::Write).unwrap();
        stream.read_to_end(&mut Vec::new()).unwrap()
    });
    let proxy = Proxy::reaching(at);
    let (ended, output) = run(proxy.at, "127.0.0.1", at.port(), Silent).await;
    ended.unwrap();
    assert_eq!(output, b"no");
    assert_eq!(host.join().unwrap(), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_refused_host_is_reported() {
    let (resolve, asked) = resolver(&[&["127.0.0.1"]]);
    let proxy = Proxy::new(hosts(&["listed.example:22"]), resolve);
    for (host, place, why) in [
        ("other.example", "other.example:22", ""),
        ("::1", "[::1]:22", ""),
        (
            "listed.example",
            "listed.example:22",
            " (resolves to a private address; list the address itself)",
        ),
    ] {
        let (ended, output) = run(proxy.at, host, 22, Cursor::new(b"secret")).await;
        let error = ended.unwrap_err();
        assert!(matches!(error, ConnectError::Answer { .. }), "{error:?}");
        assert_eq!(
            error.to_string(),
            format!("cannot connect to {place}: [sandbox] refused: network {place}{why}")
        );
        assert!(output.is_empty());
    }
    assert_eq!(
        proxy.serving.refused(),
        ["other.example:22", "[::1]:22", "listed.example:22"]
    );
    assert_eq!(*asked.lock().unwrap(), ["listed.example"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_host_with_more_in_it_is_not_asked_for() {
    let proxy = Proxy::new(hosts(&[]), no_names());
    for host in ["", "a b", "a\r\nX: y", "a\0", "ü", "a\u{1b}[2J"] {
        let (ended, output) = run(proxy.at, host, 22, Cursor::new(b"")).await;
        let error = ended.unwrap_err();
        assert!(matches!(error, ConnectError::Host(_)), "{error:?}");
        assert!(
            !error.to_string().contains(['\r', '\n', '\0', '\u{1b}']),
            "{error}"
        );
        assert!(output.is_empty());
    }
    assert!(proxy.serving.refused().is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_proxy_that_is_none_is_reported() {
    let gone = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let (ended, _) = run(gone, "a.example", 22, Cursor::new(b"")).await;
    assert!(matches!(ended, Err(ConnectError::Proxy { .. })), "{ended:?}");

    for (answer, reported) in [
        ("HTTP/1.1 502 Bad\x1bGateway\r\n\r\n", Some("502 Bad")),
        ("HTTP/1.1 2000 OK\r\n\r\n", Some("2000 OK")),
        ("SSH-2.0 200 x\r\n\r\n", Some("SSH-2.0 200 x")),
        ("HTTP/1.1 200 OK\r\n", None),
        ("", None),
    ] {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let at = listener.local_addr().unwrap();
        let host = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut head = [0; 53];
            stream.read_exact(&mut head).unwrap();
            stream.write_all(answer.as_bytes()).unwrap();
            head
        });
        let (ended, output) = run(at, "a.example", 22, Cursor::new(b"secret")).await;
        let error = ended.unwrap_err();
        let text = error.to_string();
        match reported {
            Some(words) => assert!(
                matches!(error, ConnectError::Answer { .. }) && text.contains(words),
                "{text}"
            ),
            None => assert!(matches!(error, ConnectError::Broken { .. }), "{text}"),
        }
        assert!(text.contains("a.example:22") && !text.contains('\x1b'), "{text}");
        assert!(output.is_empty());
        let head = host.join().unwrap();
        assert_eq!(
            String::from_utf8_lossy(&head),
            "CONNECT a.example:22 HTTP/1.1\r\nHost: a.example:22\r\n\r\n"
        );
    }
}
