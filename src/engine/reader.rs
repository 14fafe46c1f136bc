//! Reads the file system for a decision, off the run's own task and with a limit on the wait.
//!
//! Must not know: what is read, what is decided.
//!
//! A path of a call may lead to a file system that does not answer. The thread that asks it cannot be ended, so it is left
//! behind, and nothing more is read for that call until it has its answer. A thread that answers reads again.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread;
use std::time::Duration;

/// How long a reading is waited for.
const LIMIT: Duration = Duration::from_millis(500);
/// Maximum number of threads that are left behind. While there are so many, nothing is read.
const MOST_LATE: usize = 4;

/// Why a place was not read.
pub(super) const LATE: &str = "cannot be read in time";

type Job = Box<dyn FnOnce() + Send>;

/// Reads for the calls of a run.
#[derive(Clone)]
pub struct Reader(Arc<Readings>);

struct Readings {
    /// Starts a thread that does these jobs, one after the other. Returns false if it cannot.
    start: fn(mpsc::Receiver<Job>) -> bool,
    limit: Duration,
    /// The way to a thread that has nothing to do.
    idle: Mutex<Option<mpsc::Sender<Job>>>,
    late: Mutex<Vec<Late>>,
}

/// A reading that did not end in time.
struct Late {
    tool: String,
    args: String,
    has_ended: Arc<AtomicBool>,
}

/// Notes the end of a reading when dropped.
struct Ended(Arc<AtomicBool>);

impl Drop for Ended {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl fmt::Debug for Reader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reader").finish_non_exhaustive()
    }
}

impl Default for Reader {
    fn default() -> Self {
        let start = |jobs: mpsc::Receiver<Job>| {
            let work = move || jobs.iter().for_each(|job| job());
            thread::Builder::new().name("reader".into()).spawn(work).is_ok()
        };
        Self::of(start, LIMIT)
    }
}

impl Reader {
    fn of(start: fn(mpsc::Receiver<Job>) -> bool, limit: Duration) -> Self {
        Self(Arc::new(Readings {
            start,
            limit,
            idle: Mutex::default(),
            late: Mutex::default(),
        }))
    }

    /// Reads for a call of a tool with these arguments; `None` if there is no answer in time.
    pub fn read<T: Send + 'static>(
        &self,
        call: (&str, &str),
        job: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        self.read_within(self.0.limit, call, job)
    }

    /// Reads like [`Reader::read`], with a limit of its own.
    pub fn read_within<T: Send + 'static>(
        &self,
        limit: Duration,
        (tool, args): (&str, &str),
        job: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        if self.is_late(tool, args) {
            return None;
        }
        let has_ended = Arc::new(AtomicBool::new(false));
        let ends = Ended(Arc::clone(&has_ended));
        let (answer, answered) = mpsc::sync_channel(1);
        let worker = self.begin(Box::new(move || {
            let _ends = ends;
            // Nobody waits any more for a late one.
            let _ = answer.send(job());
        }))?;
        match answered.recv_timeout(limit) {
            Ok(found) => {
                *self.idle() = Some(worker);
                Some(found)
            }
            Err(mpsc::RecvTimeoutError::Timeout) => {
                tracing::warn!(tool, "a file system does not answer");
                self.late().push(Late {
                    tool: tool.to_owned(),
                    args: args.to_owned(),
                    has_ended,
                });
                None
            }
            // It panicked.
            Err(mpsc::RecvTimeoutError::Disconnected) => None,
        }
    }

    /// Gives a job to a thread that is idle, or to a new one. Returns the way to it.
    fn begin(&self, job: Job) -> Option<mpsc::Sender<Job>> {
        let idle = self.idle().take();
        let job = match idle {
            Some(idle) => match idle.send(job) {
                Ok(()) => return Some(idle),
                // Its last job panicked.
                Err(mpsc::SendError(job)) => job,
            },
            None => job,
        };
        let (worker, jobs) = mpsc::channel();
        ((self.0.start)(jobs) && worker.send(job).is_ok()).then_some(worker)
    }

    fn idle(&self) -> std::sync::MutexGuard<'_, Option<mpsc::Sender<Job>>> {
        self.0.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// True while nothing is read for such a call.
    pub(super) fn is_late(&self, tool: &str, args: &str) -> bool {
        let mut late = self.late();
        late.retain(|one| !one.has_ended.load(Ordering::Relaxed));
        late.len() >= MOST_LATE || late.iter().any(|one| one.tool == tool && one.args == args)
    }

    fn late(&self) -> std::sync::MutexGuard<'_, Vec<Late>> {
        self.0.late.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A reader of file systems that do not answer.
    #[cfg(test)]
    pub(super) fn without_answers() -> Self {
        let start = |jobs: mpsc::Receiver<Job>| {
            // The jobs are kept, so their answers never come.
            std::mem::forget(jobs);
            true
        };
        Self::of(start, Duration::from_millis(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_answer_is_left_behind_and_asked_again_once_it_has_answered() {
        let reader = Reader::default();
        let (open, gate) = mpsc::channel::<()>();
        let (done, is_done) = mpsc::channel();
        let job = move || {
            let _ = gate.recv();
            let _ = done.send(());
        };
        assert_eq!(reader.read(("shell", "a"), job), None);
        assert_eq!(reader.late().len(), 1);
        assert_eq!(
            reader.read(("shell", "a"), || panic!("it is not asked again")),
            None::<()>
        );
        // Other calls are read meanwhile.
        assert_eq!(reader.read(("shell", "b"), || 7), Some(7));
        assert_eq!(reader.read(("look", "a"), || 7), Some(7));
        open.send(()).unwrap();
        is_done.recv().unwrap();
        while reader.is_late("shell", "a") {
            thread::yield_now();
        }
        assert_eq!(reader.read(("shell", "a"), || 7), Some(7));
        assert!(reader.late().is_empty());
    }

    #[test]
    fn only_a_few_threads_are_left_behind() {
        let reader = Reader::without_answers();
        for no in 0..20 {
            assert_eq!(reader.read(("shell", &no.to_string()), || 7), None);
        }
        assert_eq!(reader.late().len(), MOST_LATE);
    }

    #[test]
    fn a_reading_that_panics_has_no_answer_and_is_not_late() {
        let reader = Reader::default();
        // Without the words of a panic, which take their time.
        let panics = || std::panic::resume_unwind(Box::new(()));
        assert_eq!(reader.read(("shell", "a"), panics), None::<()>);
        assert_eq!(reader.read(("shell", "a"), || 7), Some(7));
    }
}
