//! A local server that answers requests with the prepared answers of a test, and keeps the requests.
//!
//! Must not know: what is tested.

use std::collections::BTreeSet;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, mpsc};

use serde_json::{Value, json};

/// What is sent as the answer to one request.
pub enum Reply {
    /// A stream to its end.
    Stream(Vec<String>),
    /// A stream that is cut after this.
    Cut(Vec<String>),
    /// A status with headers and a body.
    Status(u16, &'static str, &'static str),
    /// A stream that stays open after this, for what a test still sends.
    Open(Vec<String>, mpsc::Receiver<String>),
}

/// The rest of an open stream: it ends, without an end mark of its own, when this is dropped.
pub struct Rest(mpsc::Sender<String>);

impl Rest {
    /// Sends more of the stream.
    pub fn send(&self, frames: Vec<String>) {
        for frame in frames {
            // The client may have disconnected meanwhile.
            self.0.send(frame).unwrap_or_default();
        }
    }
}

/// A stream that stays open after these frames, and the way to its rest.
pub fn open(frames: Vec<String>) -> (Reply, Rest) {
    let (rest, more) = mpsc::channel();
    (Reply::Open(frames, more), Rest(rest))
}

/// A request as it came.
#[derive(Debug, Clone)]
pub struct Seen {
    /// Request line and headers.
    pub head: String,
    /// The body.
    pub body: String,
}

impl Seen {
    /// The body as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }

    /// The messages of the request.
    pub fn messages(&self) -> Vec<Value> {
        self.json()["messages"].as_array().unwrap().clone()
    }
}

/// The server.
pub struct Server {
    /// Where it is.
    pub base: String,
    seen: Arc<Mutex<Vec<Seen>>>,
    closed: Arc<Mutex<BTreeSet<usize>>>,
}

impl Server {
    /// Serves these answers, one for each request; whatever is asked beyond them fails.
    pub fn new(replies: Vec<Reply>) -> Self {
        let mut replies = replies.into_iter();
        Self::serving(move |_, _| replies.next())
    }

    /// Answers each request, counted from 1, as this says.
    pub fn answering(mut reply: impl FnMut(usize, &Value) -> Reply + Send + 'static) -> Self {
        Self::serving(move |number, body| Some(reply(number, body)))
    }

    fn serving(mut reply: impl FnMut(usize, &Value) -> Option<Reply> + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base = format!("http://{}/v1", listener.local_addr().unwrap());
        let seen = Arc::new(Mutex::new(Vec::new()));
        let closed = Arc::new(Mutex::new(BTreeSet::new()));
        let (keep, gone) = (seen.clone(), closed.clone());
        std::thread::spawn(move || {
            for socket in listener.incoming() {
                let mut socket = socket.unwrap();
                let Some(request) = request(&mut socket) else {
                    continue;
                };
                let body = serde_json::from_str(&request.body).unwrap_or_default();
                let number = {
                    let mut seen = keep.lock().unwrap();
                    seen.push(request);
                    seen.len() - 1
                };
                let (reply, gone) = (reply(number + 1, &body), gone.clone());
                // A stream that stays open must not keep the next request waiting.
                std::thread::spawn(move || {
                    if let Some(Reply::Open(..)) = reply {
                        let mut ear = socket.try_clone().unwrap();
                        std::thread::spawn(move || {
                            // Nothing more is said by who asked: what ends this is the end of the connection.
                            while ear.read(&mut [0; 64]).is_ok_and(|n| n > 0) {}
                            gone.lock().unwrap().insert(number);
                        });
                    }
                    // The client may have disconnected meanwhile.
                    let _ = answer(&mut socket, reply);
                });
            }
        });
        Self { base, seen, closed }
    }

    /// True once the client of this request (counted from 0) has closed the connection on which an
    /// open stream was being sent.
    pub fn closed(&self, request: usize) -> bool {
        self.closed.lock().unwrap().contains(&request)
    }

    /// What was asked so far.
    pub fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }
}

fn request(socket: &mut TcpStream) -> Option<Seen> {
    let mut bytes = Vec::new();
    let mut piece = [0; 8192];
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| {
                let lower = line.to_lowercase();
                lower
                    .strip_prefix("content-length:")
                    .map(|n| n.trim().parse::<usize>().unwrap())
            });
            if body.len() >= length.unwrap_or(0) {
                let (head, body) = (head.to_owned(), body.to_owned());
                return Some(Seen { head, body });
            }
        }
        let n = socket.read(&mut piece).ok().filter(|n| *n > 0)?;
        bytes.extend_from_slice(&piece[..n]);
    }
}

fn answer(socket: &mut TcpStream, reply: Option<Reply>) -> std::io::Result<()> {
    socket.set_nodelay(true)?;
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n";
    match reply {
        Some(Reply::Stream(frames)) => {
            write!(socket, "{head}Connection: close\r\n\r\n")?;
            for frame in frames {
                socket.write_all(frame.as_bytes())?;
                socket.flush()?;
            }
            Ok(())
        }
        Some(Reply::Open(frames, more)) => {
            write!(socket, "{head}Connection: close\r\n\r\n")?;
            for frame in frames.into_iter().chain(more) {
                socket.write_all(frame.as_bytes())?;
                socket.flush()?;
            }
            socket.shutdown(std::net::Shutdown::Write)
        }
        Some(Reply::Cut(frames)) => {
            // A length that is never reached: what is missing was lost.
            write!(socket, "{head}Content-Length: 1000000\r\n\r\n{}", frames.concat())
        }
        Some(Reply::Status(status, headers, body)) => {
            let length = body.len();
            write!(
                socket,
                "HTTP/1.1 {status} X\r\n{headers}Content-Length: {length}\r\nConnection: close\r\n\r\n{body}"
            )
        }
        None => write!(
            socket,
            "HTTP/1.1 500 X\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        ),
    }
}

fn frame(delta: &Value, finish: Option<&str>) -> String {
    let data = json!({"id": "x", "object": "chat.completion.chunk", "model": "test", "choices": [
        {"index": 0, "delta": delta, "finish_reason": finish}
    ]});
    format!("data: {data}\n\n")
}

/// A piece of whatever a message can have.
pub fn delta(delta: &Value) -> String {
    frame(delta, None)
}

/// A piece of text.
pub fn text(words: &str) -> String {
    frame(&json!({"content": words}), None)
}

/// A call in several pieces; `id` may be missing.
pub fn call(index: usize, id: Option<&str>, name: &str, args: &Value) -> Vec<String> {
    let text = args.to_string();
    let mut half = text.len() / 2;
    while !text.is_char_boundary(half) {
        half += 1;
    }
    let mut first = json!({"index": index, "type": "function", "function": {"name": name, "arguments": ""}});
    if let Some(id) = id {
        first["id"] = json!(id);
    }
    let mut frames = vec![frame(&json!({"tool_calls": [first]}), None)];
    for piece in [&text[..half], &text[half..]] {
        let more = json!({"tool_calls": [{"index": index, "function": {"arguments": piece}}]});
        frames.push(frame(&more, None));
    }
    frames
}

/// The end of a stream, with this reason.
pub fn end(reason: &str) -> Vec<String> {
    let usage =
        json!({"choices": [], "usage": {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}});
    vec![
        frame(&json!({}), Some(reason)),
        format!("data: {usage}\n\n"),
        "data: [DONE]\n\n".to_owned(),
    ]
}

/// A whole answer, streamed word by word.
pub fn answer_in_words(words: &str) -> Reply {
    let mut frames: Vec<String> = words.split_inclusive(' ').map(text).collect();
    frames.extend(end("stop"));
    Reply::Stream(frames)
}

/// A whole message of a thought and these calls.
pub fn calls(thought: &str, calls: &[(&str, &str, Value)]) -> Reply {
    let mut frames = vec![text(thought)];
    for (index, (id, name, args)) in calls.iter().enumerate() {
        frames.extend(call(index, Some(id), name, args));
    }
    frames.extend(end("tool_calls"));
    Reply::Stream(frames)
}
