//! Measures how soon a streamed call can be seen and decided.
//!
//! Must not know: how the console works.
//!
//! It measures the row after the first byte of the call, and the question after the last byte. A
//! local server notes when it sent them.

use std::io::Write as _;
use std::net::TcpStream;
use std::path::Path;
use std::sync::mpsc::{Sender, channel};
use std::time::{Duration, Instant};

use crate::figures::overrule;
use crate::pty::Program;
use crate::stream::{begin, serve};
use crate::write::now;

/// Before the first byte of the call, so that the screen is at rest.
const QUIET: Duration = Duration::from_millis(700);
/// Between two pieces of its arguments.
const STEP: Duration = Duration::from_millis(20);
/// Pieces of its arguments.
const PIECES: usize = 25;

/// When the first and the last byte of a call were sent.
type Sent = (Instant, Instant);

/// Milliseconds from the first byte of a call to its row on the screen, and from its last byte to the question whether
/// it may run.
pub fn measure(home: &Path) -> (f64, f64) {
    let (to, sent) = channel();
    let base = serve(move |socket| answer(socket, &to)).unwrap();
    let args = [
        "run",
        "--base-url",
        &base,
        "--model",
        "measured",
        "--policy",
        "supervised",
        "write it down",
    ];
    let mut program = Program::start(&overrule(), &args, home);
    let row = program.until("the row of the call", |it| it.shows("write_file"));
    let asked = program.until("the question", |it| it.shows("asks about every call"));
    let (first, last) = sent.recv().unwrap();
    let ms = |from: Instant, to: Instant| to.saturating_duration_since(from).as_secs_f64() * 1e3;
    (ms(first, row), ms(last, asked))
}

/// Answers with one reply: a call whose arguments come in pieces.
fn answer(mut socket: TcpStream, sent: &Sender<Sent>) -> std::io::Result<()> {
    begin(&mut socket)?;
    std::thread::sleep(QUIET);
    let first = now();
    let head =
        r#"{"index":0,"id":"call_1","type":"function","function":{"name":"write_file","arguments":""}}"#;
    piece(&mut socket, &format!(r#"{{"tool_calls":[{head}]}}"#), "null")?;
    let rest = |text: &str| {
        let text = serde_json::Value::from(text);
        format!(r#"{{"tool_calls":[{{"index":0,"function":{{"arguments":{text}}}}}]}}"#)
    };
    piece(&mut socket, &rest(r#"{"path":"notes.txt","content":""#), "null")?;
    for _ in 0..PIECES {
        std::thread::sleep(STEP);
        piece(&mut socket, &rest("more words "), "null")?;
    }
    std::thread::sleep(STEP);
    let last = now();
    piece(&mut socket, &rest(r#""}"#), "null")?;
    piece(&mut socket, "{}", "\"tool_calls\"")?;
    write!(socket, "data: [DONE]\n\n")?;
    socket.flush()?;
    sent.send((first, last)).unwrap_or_default();
    Ok(())
}

/// Sends a piece of a reply of chat completions.
pub fn piece(socket: &mut TcpStream, delta: &str, finish: &str) -> std::io::Result<()> {
    let data = format!(
        r#"{{"id":"x","object":"chat.completion.chunk","model":"measured","choices":[{{"index":0,"delta":{delta},"finish_reason":{finish}}}]}}"#
    );
    write!(socket, "data: {data}\n\n")?;
    socket.flush()
}
