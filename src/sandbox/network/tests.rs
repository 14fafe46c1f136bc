//! Tests the proxy with real sockets: a client, the proxy, and the hosts it may or may not reach.
//!
//! Must not know: namespaces.

mod client;
mod hosts;
mod limits;
mod requests;
mod smuggling;
mod targets;
mod tunnels;
mod variables;

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;

use super::dial::Resolve;
use super::proxy::Limits;
use super::serving::{Serving, serve_with};
use overrule_domain::sandbox::Hosts;

/// Longer than anything takes that ends.
const LONG: Duration = Duration::from_secs(30);
/// What a host answers.
const ANSWER: &str = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

fn hosts(entries: &[&str]) -> Hosts {
    let entries: Vec<String> = entries.iter().map(|entry| (*entry).to_owned()).collect();
    Hosts::parse(&entries).unwrap()
}

/// Names that were resolved.
type Asked = Arc<Mutex<Vec<String>>>;

/// A resolver that gives the next list of addresses at each question, and then the last one again.
fn resolver(answers: &[&[&str]]) -> (Resolve, Asked) {
    let asked = Asked::default();
    let answers: Vec<Vec<IpAddr>> = answers
        .iter()
        .map(|list| list.iter().map(|address| address.parse().unwrap()).collect())
        .collect();
    let names = Arc::clone(&asked);
    let resolve: Resolve = Arc::new(move |name| {
        let mut names = names.lock().unwrap();
        let answer = answers.get(names.len()).or(answers.last()).cloned();
        names.push(name);
        Box::pin(async move { answer.ok_or_else(|| io::Error::other("no such host")) })
    });
    (resolve, asked)
}

/// A resolver that knows no name.
fn no_names() -> Resolve {
    resolver(&[]).0
}

struct Proxy {
    serving: Serving,
    at: SocketAddr,
}

impl Proxy {
    fn new(hosts: Hosts, resolve: Resolve) -> Self {
        Self::limited(hosts, resolve, Limits::default())
    }

    /// A proxy that reaches this address of the machine.
    fn reaching(at: SocketAddr) -> Self {
        Self::new(hosts(&[&at.to_string()]), no_names())
    }

    fn limited(hosts: Hosts, resolve: Resolve, limits: Limits) -> Self {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let at = listener.local_addr().unwrap();
        let serving = serve_with(listener, hosts, resolve, limits).unwrap();
        Self { serving, at }
    }

    async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.at).await.unwrap()
    }

    /// Sends bytes and returns all that comes back.
    async fn ask(&self, bytes: impl AsRef<[u8]>) -> String {
        let mut stream = self.connect().await;
        stream.write_all(bytes.as_ref()).await.unwrap();
        rest(&mut stream).await
    }

    /// Asks for a tunnel and returns it with the first line of the answer.
    async fn tunnel(&self, place: &str) -> (TcpStream, String) {
        let mut stream = self.connect().await;
        let head = format!("CONNECT {place} HTTP/1.1\r\nHost: {place}\r\n\r\n");
        stream.write_all(head.as_bytes()).await.unwrap();
        let answer = until(&mut stream, "\r\n\r\n").await;
        let first = answer.lines().next().unwrap_or_default().to_owned();
        (stream, first)
    }
}

/// Reads to the end.
async fn rest(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    let read = timeout(LONG, stream.read_to_end(&mut bytes)).await;
    read.expect("the connection ends").unwrap();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Reads until what was read ends with this, or the connection ends.
async fn until(stream: &mut TcpStream, end: &str) -> String {
    let mut bytes = Vec::new();
    while !bytes.ends_with(end.as_bytes()) {
        let read = timeout(LONG, stream.read_u8()).await;
        match read.expect("something comes") {
            Ok(byte) => bytes.push(byte),
            Err(_) => break,
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// A host on this machine.
struct Host {
    at: SocketAddr,
    /// What each connection sent, from its first byte to its end.
    received: Arc<Mutex<Vec<String>>>,
}

impl Host {
    /// A host that reads until `end`, answers, and reads the rest.
    async fn new(end: &'static str, answer: &'static str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let at = listener.local_addr().unwrap();
        let received = Arc::new(Mutex::new(Vec::new()));
        let all = Arc::clone(&received);
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let all = Arc::clone(&all);
                tokio::spawn(async move {
                    let mut got = until(&mut stream, end).await;
                    stream.write_all(answer.as_bytes()).await.unwrap();
                    stream.shutdown().await.unwrap();
                    got += &rest(&mut stream).await;
                    all.lock().unwrap().push(got);
                });
            }
        });
        Self { at, received }
    }

    /// Returns what `count` connections sent, once they ended.
    async fn received(&self, count: usize) -> Vec<String> {
        let all = timeout(LONG, async {
            loop {
                let all = self.received.lock().unwrap().clone();
                if all.len() >= count {
                    return all;
                }
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        });
        all.await.expect("the connections end")
    }
}

/// A host that must not be reached.
struct Trap(std::net::TcpListener);

impl Trap {
    fn new(address: &str) -> Self {
        let listener = std::net::TcpListener::bind(address).unwrap();
        listener.set_nonblocking(true).unwrap();
        Self(listener)
    }

    fn at(&self) -> SocketAddr {
        self.0.local_addr().unwrap()
    }

    fn assert_not_reached(&self) {
        let accepted = self.0.accept().map_err(|error| error.kind());
        assert!(matches!(accepted, Err(io::ErrorKind::WouldBlock)), "{accepted:?}");
    }
}

fn assert_refused(answer: &str, place: &str) {
    assert!(
        answer.starts_with("HTTP/1.1 403 Forbidden\r\n"),
        "{place}: {answer}"
    );
    assert!(
        answer.contains("\r\nX-Overrule-Sandbox: refused\r\n"),
        "{place}: {answer}"
    );
    let body = answer.split_once("\r\n\r\n").unwrap().1;
    let text = format!("[sandbox] refused: network {place}");
    assert!(
        body == format!("{text}\n") || body.starts_with(&format!("{text} (")),
        "{place}: {answer}"
    );
}
