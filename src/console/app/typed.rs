//! What is typed, read by a task of its own with the time at which it came.
//!
//! The library's stream of events remembers only the first task that asked it, so nobody may look
//! into it in passing; a channel has no such trap. It is built with its feature `use-dev-tty`: its other
//! reader takes 1024 bytes at a time and then waits for news, so that what came in one go beyond that lay
//! there until the next key. Must not know: what a key does.

use std::io;

use crossterm::event::{Event, EventStream};
use futures_util::StreamExt as _;
use tokio::sync::mpsc::{Receiver, channel};
use tokio::task::JoinHandle;
use tokio::time::Instant;

/// Events that are read ahead.
const AHEAD: usize = 1024;

/// What is typed.
pub(super) struct Typed {
    events: Receiver<(Instant, io::Result<Event>)>,
    task: JoinHandle<()>,
}

impl Typed {
    /// Begins to read.
    pub fn new() -> Self {
        let (to, events) = channel(AHEAD);
        let task = tokio::spawn(async move {
            let mut stream = EventStream::new();
            while let Some(event) = stream.next().await {
                let broken = event.is_err();
                if to.send((Instant::now(), event)).await.is_err() || broken {
                    return;
                }
            }
        });
        Self { events, task }
    }

    /// The next event; none once the terminal is gone.
    pub async fn next(&mut self) -> Option<(Instant, io::Result<Event>)> {
        self.events.recv().await
    }

    /// An event that is there already.
    pub fn ready(&mut self) -> Option<(Instant, io::Result<Event>)> {
        self.events.try_recv().ok()
    }

    /// Stops reading, so that somebody else can have the terminal.
    pub async fn stop(self) {
        self.task.abort();
        // An aborted task is what was asked for.
        let _ = self.task.await;
    }
}
