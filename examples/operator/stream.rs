//! A local server of chat completions whose answer never ends and arrives at a set pace.
//!
//! Must not know: who asks.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crate::write::now;

/// Between two pieces of the stream.
const STEP: Duration = Duration::from_millis(10);
/// The words that the answer repeats.
const WORDS: &str = "more words of the answer, and 日本 among them; ";

/// The server.
pub struct Server {
    /// Where it is.
    pub base: String,
    pace: Arc<AtomicUsize>,
}

impl Server {
    /// Serves from now on.
    pub fn new() -> std::io::Result<Self> {
        let pace = Arc::new(AtomicUsize::new(0));
        let served = Arc::clone(&pace);
        let base = serve(move |socket| {
            let pace = served.load(Ordering::SeqCst);
            // Requests are answered beside each other, as an answer never ends.
            std::thread::spawn(move || drop(answer(socket, pace)));
            Ok(())
        })?;
        Ok(Self { base, pace })
    }

    /// Answers from now on at this many bytes a second.
    pub fn pace(&self, bytes: usize) {
        self.pace.store(bytes, Ordering::SeqCst);
    }
}

/// Answers each connection in turn from a thread of its own. Returns the base address.
pub fn serve<F>(answer: F) -> std::io::Result<String>
where
    F: Fn(TcpStream) -> std::io::Result<()> + Send + 'static,
{
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let base = format!("http://{}/v1", listener.local_addr()?);
    std::thread::spawn(move || {
        for socket in listener.incoming().flatten() {
            // The client disconnects at the end or before.
            drop(answer(socket));
        }
    });
    Ok(base)
}

/// Reads a request to its end.
fn request(socket: &mut TcpStream) -> std::io::Result<()> {
    let mut bytes = Vec::new();
    let mut piece = [0; 16384];
    let mut whole = None;
    while whole.is_none_or(|whole| bytes.len() < whole) {
        let count = socket.read(&mut piece)?;
        if count == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        bytes.extend_from_slice(&piece[..count]);
        if whole.is_none()
            && let Some(end) = bytes.windows(4).position(|part| part == b"\r\n\r\n")
        {
            let head = String::from_utf8_lossy(&bytes[..end]).to_lowercase();
            let length = head.lines().find_map(|line| line.strip_prefix("content-length:"));
            let length: usize = length.and_then(|length| length.trim().parse().ok()).unwrap_or(0);
            whole = Some(end + 4 + length);
        }
    }
    Ok(())
}

/// Reads a request, and begins the stream that answers it.
pub fn begin(socket: &mut TcpStream) -> std::io::Result<()> {
    request(socket)?;
    socket.set_nodelay(true)?;
    write!(
        socket,
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
    )
}

fn answer(mut socket: TcpStream, pace: usize) -> std::io::Result<()> {
    begin(&mut socket)?;
    let begin = now();
    let mut sent = 0;
    loop {
        let due = (begin.elapsed().as_secs_f64() * pace as f64) as usize;
        while sent < due {
            let words = if due - sent < WORDS.len() * 2 {
                "more "
            } else {
                WORDS
            };
            let data = format!(
                r#"{{"id":"x","object":"chat.completion.chunk","model":"measured","choices":[{{"index":0,"delta":{{"content":"{words}"}},"finish_reason":null}}]}}"#
            );
            write!(socket, "data: {data}\n\n")?;
            sent += words.len();
        }
        socket.flush()?;
        std::thread::sleep(STEP);
    }
}
