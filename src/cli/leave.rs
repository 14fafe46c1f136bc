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
use overrule_console::terminal;
use overrule_tools::child;

/// Interval at which the end is looked for.
const LOOK: Duration = Duration::from_millis(20);
/// Looks until the program ends by force: 0.9 s, so that it has ended after a second.
const LOOKS: u32 = 45;
/// Looks while children may end by themselves: they get two seconds between SIGTERM and SIGKILL.
const WITH_CHILDREN: u32 = 225;

/// An end that is under way. Dropping this means that it was reached.
#[must_use]
pub struct Leaving(Arc<AtomicBool>);

impl Drop for Leaving {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Ends the process by force with this code and these words, unless the returned value is dropped in time.
pub fn begin(code: Code, words: String) -> Leaving {
    let reached = Arc::new(AtomicBool::new(false));
    let watched = Arc::clone(&reached);
    let watch = move || {
        // What the end of a child leads to is recorded in the time after it.
        let mut quiet = 0;
        for _ in 0..WITH_CHILDREN + LOOKS {
            thread::sleep(LOOK);
            if watched.load(Ordering::Relaxed) {
                return;
            }
            quiet = if child::is_any_ending() { 0 } else { quiet + 1 };
            if quiet >= LOOKS {
                break;
            }
        }
        terminal::restore();
        print::err(&words);
        std::process::exit(i32::from(code.number()));
    };
    // Without a thread, the orderly end is all there is.
    let _ = thread::Builder::new().name("leave".into()).spawn(watch);
    Leaving(reached)
}
