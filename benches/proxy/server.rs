//! A model's server that answers every request at once with a short stream that calls a tool.
//!
//! Must not know: what a request says.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex};

/// Requests that wait, and whether they may be answered.
#[derive(Default)]
struct Held {
    waiting: usize,
    is_released: bool,
}

#[derive(Default)]
struct Shared {
    replies: AtomicU64,
    held: Mutex<Held>,
    changed: Condvar,
}

/// A server in threads of this process.
pub struct Server {
    at: SocketAddr,
    shared: Arc<Shared>,
}

impl Server {
    /// Begins to serve.
    pub fn begin() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let at = listener.local_addr().unwrap();
        let shared = Arc::<Shared>::default();
        let of_threads = shared.clone();
        std::thread::spawn(move || {
            for socket in listener.incoming() {
                let shared = of_threads.clone();
                std::thread::spawn(move || shared.serve(socket.unwrap()));
            }
        });
        Self { at, shared }
    }

    /// Returns its base URL.
    pub fn base(&self) -> String {
        format!("http://{}", self.at)
    }

    /// Waits for a request with the header `x-hold`.
    pub fn wait_for_held(&self) {
        let mut held = self.shared.held.lock().unwrap();
        while held.waiting == 0 {
            held = self.shared.changed.wait(held).unwrap();
        }
    }

    /// Answers the requests with the header `x-hold`.
    pub fn release(&self) {
        self.shared.held.lock().unwrap().is_released = true;
        self.shared.changed.notify_all();
    }
}

impl Shared {
    /// Serves the requests of one connection.
    fn serve(&self, mut socket: TcpStream) {
        socket.set_nodelay(true).unwrap();
        let mut reader = BufReader::with_capacity(1 << 16, socket.try_clone().unwrap());
        let mut dropped = vec![0; 1 << 18];
        loop {
            let (mut length, mut holds, mut line) = (0, false, String::new());
            loop {
                line.clear();
                if reader.read_line(&mut line).unwrap_or(0) == 0 {
                    return;
                }
                let head = line.to_ascii_lowercase();
                if let Some(value) = head.strip_prefix("content-length:") {
                    length = value.trim().parse().unwrap();
                }
                holds |= head.starts_with("x-hold:");
                if line == "\r\n" {
                    break;
                }
            }
            while length > 0 {
                let most = dropped.len().min(length);
                let Ok(read @ 1..) = reader.read(&mut dropped[..most]) else {
                    return;
                };
                length -= read;
            }
            if holds {
                self.hold();
            }
            let reply = reply(self.replies.fetch_add(1, Ordering::Relaxed));
            if socket.write_all(reply.as_bytes()).is_err() {
                return;
            }
        }
    }

    fn hold(&self) {
        let mut held = self.held.lock().unwrap();
        held.waiting += 1;
        self.changed.notify_all();
        while !held.is_released {
            held = self.changed.wait(held).unwrap();
        }
    }
}

/// A reply with some words and one call.
fn reply(number: u64) -> String {
    let events = [
        format!(
            r#"{{"type":"message_start","message":{{"id":"msg_{number}","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"usage":{{"input_tokens":9,"output_tokens":1}}}}}}"#
        ),
        r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#.to_owned(),
        format!(
            r#"{{"type":"content_block_delta","index":0,"delta":{{"type":"text_delta","text":"Step {number}."}}}}"#
        ),
        r#"{"type":"content_block_stop","index":0}"#.to_owned(),
        format!(
            r#"{{"type":"content_block_start","index":1,"content_block":{{"type":"tool_use","id":"toolu_{number}","name":"Read","input":{{}}}}}}"#
        ),
        format!(
            r#"{{"type":"content_block_delta","index":1,"delta":{{"type":"input_json_delta","partial_json":"{{\"file_path\":\"/src/file_{number}.rs\"}}"}}}}"#
        ),
        r#"{"type":"content_block_stop","index":1}"#.to_owned(),
        r#"{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":20}}"#
            .to_owned(),
        r#"{"type":"message_stop"}"#.to_owned(),
    ];
    let name = |event: &str| event.split('"').nth(3).unwrap_or_default().to_owned();
    let events = events.map(|event| format!("event: {}\ndata: {event}\n\n", name(&event)));
    let body = events.concat();
    format!(
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
}
