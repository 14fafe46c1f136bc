//! Yields the lines of a journal in order, each with what the line alone reveals: checksum, link and event.
//!
//! For a long journal other threads do this work ahead of the reader. Must not know: which record has to
//! follow which.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, BufReader};
use std::sync::mpsc::{self, Receiver, Sender, SyncSender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, Scope};

use super::line::{self, Link};
use super::lines::{Lines, Seen};
use super::quick::{self, Quick};

/// Number of bytes of lines handed to a thread at once.
const BATCH: usize = 1 << 15;

/// Size of a journal, in bytes, from which starting threads pays off.
const LONG: u64 = 1 << 20;

/// Maximum number of worker threads. The folding thread cannot keep up with more than four.
const MOST: usize = 4;

/// One line and what was found in it.
pub(super) struct Line<'a> {
    /// The bytes of the line, without the line break.
    pub(super) bytes: &'a [u8],
    /// How the line was read from the file.
    pub(super) seen: Seen,
    /// What the line contains.
    pub(super) found: Found,
}

/// What a line reveals without its neighbours.
#[derive(Debug)]
pub(super) enum Found {
    /// Not an intact record.
    Nothing,
    /// An intact record: the link by which the next record names it and, if it is written in the usual form,
    /// its contents.
    Record(Link, Option<Box<Quick>>),
}

impl Found {
    fn of(bytes: &[u8], seen: Seen) -> Self {
        if seen.ended && !seen.long && line::is_intact(bytes) {
            Self::Record(Link::of(bytes), quick::record(bytes).map(Box::new))
        } else {
            Self::Nothing
        }
    }
}

/// Consecutive lines that are examined together.
#[derive(Debug, Default)]
struct Batch {
    bytes: Vec<u8>,
    /// Each line with the offset in `bytes` at which it ends.
    lines: Vec<(usize, Seen)>,
    /// The result for each line, in the same order.
    found: VecDeque<Found>,
}

impl Batch {
    fn look(&mut self) {
        let mut begin = 0;
        for (end, seen) in &self.lines {
            let bytes = self.bytes.get(begin..*end).unwrap_or_default();
            self.found.push_back(Found::of(bytes, *seen));
            begin = *end;
        }
    }
}

/// A batch and the channel on which to return it once it has been examined.
type Job = (Batch, SyncSender<Batch>);

/// A batch that is examined here or on another thread.
enum Pending {
    Here(Batch),
    There(Receiver<Batch>),
}

/// The lines of a journal, read ahead.
pub(super) struct Ahead {
    lines: Lines<BufReader<File>>,
    /// The queue of the worker threads; `None` if there are none.
    jobs: Option<Sender<Job>>,
    pending: VecDeque<Pending>,
    /// How many batches are read before they are needed.
    depth: usize,
    now: Batch,
    /// The index of the next line in `now`, and the offset at which it begins.
    at: (usize, usize),
}

impl Ahead {
    /// Reads lines from the current position of the file. The threads end when this value is dropped.
    pub(super) fn new<'scope>(file: File, scope: &'scope Scope<'scope, '_>) -> Self {
        let long = file.metadata().is_ok_and(|meta| meta.len() >= LONG);
        let threads = if long {
            thread::available_parallelism().map_or(1, usize::from).min(MOST)
        } else {
            0
        };
        let (to, from) = mpsc::channel::<Job>();
        let from = Arc::new(Mutex::new(from));
        let begun = (0..threads).filter(|_| {
            let from = Arc::clone(&from);
            let look = thread::Builder::new().name("journal".to_owned());
            look.spawn_scoped(scope, move || work(&from)).is_ok()
        });
        let begun = begun.count();
        Self {
            lines: Lines::new(BufReader::with_capacity(1 << 16, file)),
            jobs: (begun > 0).then_some(to),
            pending: VecDeque::new(),
            depth: 2 * begun.max(1),
            now: Batch::default(),
            at: (0, 0),
        }
    }

    /// Returns the next line.
    pub(super) fn next(&mut self) -> io::Result<Option<Line<'_>>> {
        if self.at.0 == self.now.lines.len() {
            let Some(next) = self.batch()? else {
                return Ok(None);
            };
            self.now = next;
            self.at = (0, 0);
        }
        let Some(&(end, seen)) = self.now.lines.get(self.at.0) else {
            return Ok(None);
        };
        let (index, begin) = self.at;
        self.at = (index + 1, end);
        Ok(Some(Line {
            bytes: self.now.bytes.get(begin..end).unwrap_or_default(),
            seen,
            found: self.now.found.pop_front().unwrap_or(Found::Nothing),
        }))
    }

    fn batch(&mut self) -> io::Result<Option<Batch>> {
        while self.pending.len() < self.depth {
            let batch = self.read()?;
            if batch.lines.is_empty() {
                break;
            }
            self.pending.push_back(match &self.jobs {
                Some(jobs) => {
                    let (to, from) = mpsc::sync_channel(1);
                    match jobs.send((batch, to)) {
                        Ok(()) => Pending::There(from),
                        Err(mpsc::SendError((batch, _))) => Pending::Here(batch),
                    }
                }
                None => Pending::Here(batch),
            });
        }
        match self.pending.pop_front() {
            None => Ok(None),
            Some(Pending::Here(mut batch)) => {
                batch.look();
                Ok(Some(batch))
            }
            Some(Pending::There(from)) => {
                let broke = |_| io::Error::other("a thread that reads it broke");
                from.recv().map(Some).map_err(broke)
            }
        }
    }

    fn read(&mut self) -> io::Result<Batch> {
        let mut batch = Batch::default();
        while batch.bytes.len() < BATCH
            && let Some(seen) = self.lines.next(&mut batch.bytes)?
        {
            batch.lines.push((batch.bytes.len(), seen));
        }
        Ok(batch)
    }
}

/// Examines batches until the queue closes.
fn work(jobs: &Mutex<Receiver<Job>>) {
    loop {
        let job = jobs.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok((mut batch, to)) = job else { return };
        batch.look();
        // A reader that has found a gap takes no more batches.
        let _ = to.send(batch);
    }
}
