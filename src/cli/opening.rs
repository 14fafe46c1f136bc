//! A session is opened to go on with it: read whole, and where somebody would wait for that, behind a screen that
//! says how far it is. Who leaves meanwhile has changed nothing; nothing can be decided there.
//!
//! Must not know: how a run goes on, keys, panes.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc;

use futures_util::future::BoxFuture;
use tokio::runtime::Runtime;
use tokio::task::JoinHandle;

use super::build::Ground;
use super::early::{self, Early, LONG};
use super::exit::{Code, Failure};
use super::folding::Folding;
use super::{damaged, print, screen};
use crate::console::app::Held;
use crate::console::link::{Link, Update};
use crate::domain::command::Command;
use crate::domain::envelope::{Actor, Envelope, Via};
use crate::domain::refusal::{Refusal, RefusalKind};
use crate::domain::state::State;
use crate::journal::{self, Place, Store, Writer};
use crate::text::visible;

/// What is said of a session of so many bytes before it is read, where that takes a while.
fn reading(session: &str, bytes: u64) -> Option<String> {
    let megabytes = bytes >> 20;
    (bytes >= LONG).then(|| format!("reading session {session}: {megabytes} MB"))
}

/// A session that is open for writing.
pub struct Opened {
    /// The way to write on.
    pub writer: Writer,
    /// The fold of it.
    pub state: State,
    /// As much of the record as the screen's log keeps.
    pub past: Vec<Arc<Envelope>>,
    /// Its id.
    pub session: String,
    /// What the operator should know.
    pub notices: Vec<String>,
}

/// Opens a session to write. What a torn last write left is set aside; after damage in the middle
/// the run goes on in a new session from the last intact record, see [`damaged`].
fn read(store: &Store, place: &Place, by: &Actor, reader: &Reader) -> Result<Opened, Failure> {
    let mut folding = Folding::default();
    let opened = Writer::open_each(place, |envelope, end| {
        reader.at(end);
        folding.take(envelope);
    });
    let (writer, session, notices) = match opened {
        Ok((writer, report)) => {
            let notices = report.torn.iter().map(ToString::to_string).collect();
            (writer, place.id(), notices)
        }
        Err(journal::Error::Damaged { damage, .. }) => {
            let (new, notice) = damaged::goes_on(store, place, &damage, by)?;
            let mut opened = read(store, &new, by, reader)?;
            opened.notices.insert(0, notice);
            return Ok(opened);
        }
        Err(error) => return Err(error.into()),
    };
    let (state, past) = folding.made();
    Ok(Opened {
        writer,
        state,
        past,
        session,
        notices,
    })
}

/// How far a reader is, and whether it is still wanted.
#[derive(Debug, Default)]
struct Reader {
    bytes: AtomicU64,
    unwanted: AtomicBool,
}

impl Reader {
    /// Notes how far it is. Who is not wanted any more stays here: the process ends, and nothing of the session
    /// is set right first.
    fn at(&self, byte: u64) {
        self.bytes.store(byte, Ordering::Relaxed);
        while self.unwanted.load(Ordering::Relaxed) {
            std::thread::park();
        }
    }
}

/// How opening ended.
pub enum End {
    /// It is open; with the terminal where a screen stands there.
    Open(Box<(Opened, Option<Held>)>),
    /// The operator, or the system, left before.
    Left(Code),
}

impl End {
    /// The exit code.
    pub fn code(self) -> Code {
        match self {
            Self::Open(..) => Code::Ok,
            Self::Left(code) => code,
        }
    }
}

/// Opens a session to go on with it.
pub fn open(ground: &Ground, place: &Place, headless: bool, runtime: &Runtime) -> Result<End, Failure> {
    let bytes = early::bytes(place);
    let by = Actor::operator(ground.user(), Via::Shell);
    let long = reading(&visible(&place.id()), bytes);
    if headless || long.is_none() {
        if let Some(words) = long {
            print::err(&words);
        }
        let opened = read(&ground.store, place, &by, &Reader::default())?;
        return Ok(End::Open(Box::new((opened, None))));
    }
    let reader = Arc::new(Reader::default());
    let (to, from) = mpsc::channel();
    let (early, finder) = Early::of(place);
    let done = {
        let (reader, store, place) = (Arc::clone(&reader), ground.store.clone(), place.clone());
        runtime.spawn_blocking(move || {
            finder.find();
            // Nobody waits for it where the operator left.
            let _ = to.send(read(&store, &place, &by, &reader));
        })
    };
    let link = Box::new(Door {
        done: Some(done),
        reader: Arc::clone(&reader),
        early,
        waiting: VecDeque::new(),
    });
    let shown = runtime.block_on(screen::wait(ground, link, &place.id()));
    reader.unwanted.store(true, Ordering::Relaxed);
    match shown? {
        Ok(held) => {
            let read = from.recv();
            let broke = |_| Failure::new(Code::Other, "the session was not read: its reader broke");
            Ok(End::Open(Box::new((read.map_err(broke)??, Some(held)))))
        }
        Err(code) => Ok(End::Left(code)),
    }
}

/// The door of a screen on which a session is being read.
struct Door {
    /// None once it was read.
    done: Option<JoinHandle<()>>,
    reader: Arc<Reader>,
    early: Early,
    waiting: VecDeque<Update>,
}

impl Link for Door {
    fn send(&mut self, command: Command) {
        self.waiting.push_back(Update::Refused {
            command: Box::new(command),
            refusal: Refusal::new(RefusalKind::Status, "the session is still being read"),
        });
    }

    fn next(&mut self) -> BoxFuture<'_, Update> {
        Box::pin(async move {
            if let Some(update) = self.waiting.pop_front() {
                return update;
            }
            let Some(done) = &mut self.done else {
                return std::future::pending().await;
            };
            let update = tokio::select! {
                biased;
                update = self.early.next(&self.reader.bytes) => update,
                // That it broke is told by what it did not send.
                _ = done => {
                    self.done = None;
                    return Update::Ended;
                }
            };
            if let Update::Reading { done, of } = &update {
                let (done, of) = (done >> 20, of >> 20);
                self.waiting.push_back(Update::Progress(format!(
                    "reading: {done} of {of} MB; q leaves, and nothing is changed"
                )));
            }
            update
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_long_session_is_announced() {
        assert_eq!(reading("last", LONG - 1), None);
        let words = reading("last", 99 << 20);
        assert_eq!(words.as_deref(), Some("reading session last: 99 MB"));
    }
}
