//! Sends one request to a model and passes on its blocks, open text and end.
//!
//! Must not know: providers, what follows from a report.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;

use super::handle::{Handle, Message};
use super::open_streams::OpenStream;
use super::panic_guard;
use super::stream::Assembler;
use overrule_base::text::visible_head;
use overrule_domain::id::TurnId;
use overrule_domain::input::Input;
use overrule_domain::turn::{StreamFault, StreamFaultKind};
use overrule_model::{Chunk, Model, Request};

/// Capacity of the channel from the model to the assembler.
const CHUNKS: usize = 256;
/// Minimum interval between updates of open text on the screen.
const LIVE_EVERY: Duration = Duration::from_millis(33);
/// Open text is recorded after this time, or after [`PARTIAL_BYTES`].
const PARTIAL_EVERY: Duration = Duration::from_secs(2);
const PARTIAL_BYTES: u64 = 4096;
/// Long open text is recorded only once one part in this many of it is new. Only the new text is
/// written, but readers of the run join all of it each time.
const PARTIAL_PART: u64 = 8;
/// Open text up to this many bytes does not count as long.
const SHORT: u64 = 64 * 1024;
/// Maximum number of characters of an unknown item that are reported.
const UNKNOWN: usize = 200;

/// Number of new bytes up to which the interval alone does not cause open text to be recorded.
fn by_time(assembler: &Assembler) -> u64 {
    assembler.open_bytes().saturating_sub(SHORT) / PARTIAL_PART
}

fn cut(message: String) -> StreamFault {
    StreamFault {
        kind: StreamFaultKind::Truncated,
        message,
        retry_after_ms: None,
    }
}

/// One request in progress.
pub(super) struct ModelRequest {
    pub(super) turn: TurnId,
    pub(super) request: u32,
    pub(super) inbox: Handle,
    pub(super) asked: OpenStream,
    /// Time without data after which the operator is notified.
    pub(super) idle_notice: Duration,
}

impl ModelRequest {
    /// Asks, hands over what arrives, and reports how it ended.
    pub(super) async fn stream(self, model: Arc<dyn Model>, what: Request) {
        let (out, mut chunks) = mpsc::channel(CHUNKS);
        let mut assembler = Assembler::new(&what);
        let server: Arc<str> = Arc::from(model.name());
        // A token of its own, so that a stream that the run still needs can be closed here.
        let close = self.asked.cancel.child_token();
        let mut answer = Box::pin(panic_guard::ask(&*model, what, out, close.clone()));
        let mut result = None;
        let mut live = tokio::time::interval(LIVE_EVERY);
        live.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let mut partial = tokio::time::interval(PARTIAL_EVERY);
        partial.reset();
        let mut changed = false;
        // Whether the screen shows open text: a block must not appear there twice.
        let mut shown = false;
        let mut written = 0;
        // Both are set up once, because a stream has thousands of chunks.
        let mut cancelled = Box::pin(self.asked.cancel.clone().cancelled_owned());
        let mut idle = Box::pin(tokio::time::sleep(self.idle_notice));
        let mut received = tokio::time::Instant::now();
        loop {
            tokio::select! {
                biased;
                () = &mut cancelled => return,
                chunk = chunks.recv() => {
                    let Some(chunk) = chunk else { break };
                    received = tokio::time::Instant::now();
                    if let Chunk::Learned { quirk, words } = &chunk {
                        self.learned(&server, quirk, words).await;
                    }
                    changed = true;
                    if self.take(&mut assembler, chunk).await && shown {
                        shown = self.show(&assembler).await;
                        changed = false;
                    }
                    if let Some(why) = assembler.too_long() {
                        close.cancel();
                        result = Some(Err(cut(why)));
                        break;
                    }
                    if assembler.bytes() >= written + PARTIAL_BYTES.max(assembler.open_bytes() / PARTIAL_PART) {
                        written = assembler.bytes();
                        self.write_down(&assembler).await;
                    }
                }
                done = &mut answer, if result.is_none() => result = Some(done),
                _ = live.tick(), if changed => {
                    changed = false;
                    shown = self.show(&assembler).await;
                }
                _ = partial.tick(), if assembler.bytes() > written + by_time(&assembler) => {
                    written = assembler.bytes();
                    self.write_down(&assembler).await;
                }
                () = &mut idle => {
                    let now = tokio::time::Instant::now();
                    if received + self.idle_notice > now {
                        idle.as_mut().reset(received + self.idle_notice);
                        continue;
                    }
                    idle.as_mut().reset(now + self.idle_notice);
                    let idle_s = now.duration_since(received).as_secs();
                    self.report(format!("no data from the model for {idle_s} s")).await;
                }
            }
        }
        let result = match result {
            Some(result) => {
                // Close its connection before its end is reported.
                drop(answer);
                result
            }
            None => answer.await,
        };
        self.finish(assembler, result).await;
    }

    /// Reports a special form that the server needs.
    async fn learned(&self, server: &Arc<str>, quirk: &str, words: &str) {
        self.report(format!(
            "the server refused this form of request; another one is used from now on ({quirk}): {words}"
        ))
        .await;
        let learned = Input::QuirkLearned {
            server: server.clone(),
            quirk: Arc::from(quirk),
            words: Arc::from(words),
        };
        self.inbox.send(Message::Input(learned)).await;
    }

    /// Takes a chunk; returns true if it completed a block.
    async fn take(&self, assembler: &mut Assembler, chunk: Chunk) -> bool {
        let blocks = assembler.push(chunk);
        let any = !blocks.is_empty();
        for block in blocks {
            let block = Input::Block {
                turn: self.turn,
                request: self.request,
                block,
            };
            self.inbox.send(Message::Input(block)).await;
        }
        if let Some(words) = assembler.refused.take() {
            self.report(format!("the model refused: {}", visible_head(&words, UNKNOWN)))
                .await;
        }
        for raw in assembler.unknown.drain(..) {
            self.report(format!(
                "the stream contains unknown data: {}",
                visible_head(&raw, UNKNOWN)
            ))
            .await;
        }
        any
    }

    /// Reports what was only counted, once the stream is over.
    async fn report_rest(&self, assembler: &mut Assembler) {
        if let Some((more, last)) = assembler.untold() {
            self.report(format!(
                "the stream contained {more} more unknown items; the last: {}",
                visible_head(&last, UNKNOWN)
            ))
            .await;
        }
    }

    async fn report(&self, words: String) {
        let notice = Message::Notice(format!("{}: {words}", self.turn));
        self.inbox.send(notice).await;
    }

    /// True where something is open.
    async fn show(&self, assembler: &Assembler) -> bool {
        let live = assembler.live(self.turn);
        let is_open = !live.parts.is_empty();
        self.inbox.send(Message::Live(live)).await;
        is_open
    }

    async fn write_down(&self, assembler: &Assembler) {
        if let Some((text, spoken)) = assembler.open_text() {
            let partial = Input::Partial {
                turn: self.turn,
                request: self.request,
                text: Arc::from(text),
                spoken,
            };
            self.inbox.send(Message::Input(partial)).await;
        }
    }

    async fn finish(self, mut assembler: Assembler, result: Result<(), StreamFault>) {
        if self.asked.cancel.is_cancelled() {
            return;
        }
        self.report_rest(&mut assembler).await;
        let (turn, request, usage) = (self.turn, self.request, assembler.usage());
        let input = match (result, assembler.finish.clone()) {
            (Ok(()), Some(stop)) => {
                for block in assembler.end() {
                    let block = Input::Block { turn, request, block };
                    self.inbox.send(Message::Input(block)).await;
                }
                Input::Ended {
                    turn,
                    request,
                    // The content may contradict the reason that the server gives.
                    stop: assembler.finish.clone().unwrap_or(stop),
                    usage,
                }
            }
            (Ok(()), None) => {
                self.write_down(&assembler).await;
                Input::Broke {
                    turn,
                    request,
                    fault: cut("the stream ended without its end mark".to_owned()),
                    usage,
                }
            }
            (Err(fault), _) => {
                self.write_down(&assembler).await;
                Input::Broke {
                    turn,
                    request,
                    fault,
                    usage,
                }
            }
        };
        self.inbox.send(Message::Input(input)).await;
        let closed = overrule_domain::live::Live {
            turn,
            ..Default::default()
        };
        self.inbox.send(Message::Live(closed)).await;
    }
}
