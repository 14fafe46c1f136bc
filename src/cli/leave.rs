//! Ends the program within a second of being left, whatever a task does.
//!
//! Must not know: what is left, what hangs.
//!
//! A thread of its own watches, because the tasks of the runtime may all be busy. What is recorded is on disk, and the
//! system ends the children of a process that ends.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use super::exit::Code;
use super::print;
use super::signals::{self, StopRequest};
use overrule_console::ground::terminal;
use overrule_tools::child;

/// Interval at which the end is looked for.
const LOOK: Duration = Duration::from_millis(20);
/// Looks until the program ends by force: 0.8 s, so that it has ended after a second.
const LOOKS: u32 = 40;
/// Looks while children may end by themselves: they get two seconds between SIGTERM and SIGKILL.
const WITH_CHILDREN: u32 = 225;
/// Looks while the last words may be written: who reads them may have stopped.
const FOR_WORDS: u32 = 5;

/// An end that is under way, or that a signal begins. Dropping this means that it was reached.
#[must_use]
pub struct Leaving(Arc<AtomicBool>);

impl Drop for Leaving {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Ends the process by force with this code and these words, unless the returned value is dropped in time.
pub fn begin(code: Code, words: String) -> Leaving {
    watch(move || Some(code), words)
}

/// The same after the first of these signals. Their listener in a task hears nothing while that task hangs.
pub fn at_a_signal(of: Signals, words: String) -> Leaving {
    let first = move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        runtime.ok()?.block_on(async {
            let mut signals = signals::listen().ok()?;
            Some(match of {
                Signals::All => match signals.next().await {
                    StopRequest::Stop(code) | StopRequest::StopNow(code) => code,
                },
                Signals::FromOutside => signals.next_from_outside().await,
            })
        })
    };
    watch(first, words)
}

/// The signals that end the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signals {
    /// All of them.
    All,
    /// SIGTERM and SIGHUP. The others come from keys as well, while an editor has the terminal.
    FromOutside,
}

/// Watches from the moment on at which `begins` returns a code.
fn watch(begins: impl FnOnce() -> Option<Code> + Send + 'static, words: String) -> Leaving {
    let reached = Arc::new(AtomicBool::new(false));
    let watched = Arc::clone(&reached);
    let watch = move || {
        let Some(code) = begins() else { return };
        let is_reached = || watched.load(Ordering::Relaxed);
        if is_due(is_reached, child::is_any_ending, || thread::sleep(LOOK)) {
            say(words);
            std::process::exit(i32::from(code.number()));
        }
    };
    // Without a thread, the orderly end is all there is.
    let _ = thread::Builder::new().name("leave".into()).spawn(watch);
    Leaving(reached)
}

/// Looks until the end is reached; true if it is not reached in time.
fn is_due(is_reached: impl Fn() -> bool, is_any_ending: impl Fn() -> bool, mut pause: impl FnMut()) -> bool {
    // What the end of a child leads to is recorded in the time after it.
    let mut quiet = 0;
    for _ in 0..WITH_CHILDREN + LOOKS {
        pause();
        if is_reached() {
            return false;
        }
        quiet = if is_any_ending() { 0 } else { quiet + 1 };
        if quiet >= LOOKS {
            break;
        }
    }
    true
}

/// Gives the terminal back and prints the last words, if they are read.
fn say(words: String) {
    let said = thread::Builder::new().name("words".into()).spawn(move || {
        terminal::restore();
        print::err(&words);
    });
    for _ in 0..FOR_WORDS {
        if said.as_ref().is_ok_and(thread::JoinHandle::is_finished) {
            return;
        }
        thread::sleep(LOOK);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    /// Whether the end is due, and after how many looks, if it is reached at one of them and children end until another.
    fn due(reached_at: u32, children_until: u32) -> (bool, u32) {
        let looks = Cell::new(0);
        let is_due = is_due(
            || looks.get() >= reached_at,
            || looks.get() < children_until,
            || looks.set(looks.get() + 1),
        );
        (is_due, looks.get())
    }

    #[test]
    fn an_end_that_is_not_reached_is_due_after_a_second_or_when_the_children_had_theirs() {
        const NEVER: u32 = u32::MAX;
        assert_eq!(due(NEVER, 0), (true, LOOKS));
        assert!(LOOK * (LOOKS + FOR_WORDS + 1) < Duration::from_secs(1));
        assert_eq!(due(1, 0), (false, 1));
        assert_eq!(due(LOOKS, 0), (false, LOOKS), "in time");
        // Children that end get their time, and what follows has its own after it.
        assert_eq!(due(NEVER, 100), (true, 99 + LOOKS));
        assert_eq!(due(100, 90), (false, 100));
        // But not for ever.
        assert_eq!(due(NEVER, NEVER), (true, WITH_CHILDREN + LOOKS));
    }
}
