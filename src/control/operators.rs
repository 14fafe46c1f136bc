//! Marks the programs of the operator that a run waits for: editor, approver, notifier. What they start may decide.
//!
//! Must not know: what such a program is for.
//!
//! For each of them the run has a thread with the number of the process in its name. Only a process itself can name its
//! threads, so no other one can claim to be waited for. The mark ends with the wait: what such a program leaves behind is
//! adopted by the run, and is one of its own.

use std::sync::mpsc;
use std::thread::{self, JoinHandle};
#[cfg(target_os = "linux")]
use std::time::Duration;

#[cfg(target_os = "linux")]
use overrule_regular_file as regular_file;

/// How the name of such a thread begins. The system keeps 15 bytes of it.
const NAME: &str = "waits ";
/// How often it is looked for the mark of a program that is about to start, and the time between two looks.
#[cfg(target_os = "linux")]
const LOOKS: u32 = 100;
#[cfg(target_os = "linux")]
const LOOK: Duration = Duration::from_millis(2);
/// Maximum size of a name, in bytes.
#[cfg(target_os = "linux")]
const MOST: u64 = 64;

/// A wait for a program of the operator. It ends when this is dropped.
#[derive(Debug)]
pub struct Wait {
    end: Option<mpsc::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// Marks a child of this process as a program of the operator. Without a thread, it has no mark and decides nothing.
///
/// With 0, the program is about to start: who asks for it meanwhile waits until its mark is there.
pub fn wait(pid: u32) -> Wait {
    let (end, ended) = mpsc::channel();
    let (begin, begun) = mpsc::channel();
    let wait = move || {
        let _ = begin.send(());
        // Ends when the sender is dropped.
        let _ = ended.recv();
    };
    let thread = thread::Builder::new()
        .name(format!("{NAME}{pid}"))
        .spawn(wait)
        .ok();
    // Its name is there before the program could ask for it.
    let _ = begun.recv();
    Wait {
        end: Some(end),
        thread,
    }
}

impl Drop for Wait {
    fn drop(&mut self) {
        self.end = None;
        if let Some(thread) = self.thread.take() {
            // It does nothing but wait.
            let _ = thread.join();
        }
    }
}

/// True if a run waits for one of its children as a program of the operator.
#[cfg(target_os = "linux")]
pub(super) fn is_waited_for(run: u32, child: u32) -> bool {
    let mut missing = 0;
    for _ in 0..LOOKS {
        let marked = marked(run);
        if marked.contains(&child) {
            return true;
        }
        // One look may fall between the mark of the start and that of the program.
        missing = if marked.contains(&0) { 0 } else { missing + 1 };
        if missing == 2 {
            return false;
        }
        thread::sleep(LOOK);
    }
    false
}

/// The marks of a run.
#[cfg(target_os = "linux")]
fn marked(run: u32) -> Vec<u32> {
    let threads = std::fs::read_dir(format!("/proc/{run}/task"))
        .into_iter()
        .flatten();
    let pid = |thread: std::fs::DirEntry| {
        let name = regular_file::read_text(&thread.path().join("comm"), MOST).unwrap_or_default();
        name.trim_end().strip_prefix(NAME)?.parse().ok()
    };
    threads.flatten().filter_map(pid).collect()
}

/// Where the system does not tell the names of threads, nothing is waited for.
#[cfg(not(target_os = "linux"))]
pub(super) fn is_waited_for(_run: u32, _child: u32) -> bool {
    false
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;

    #[test]
    fn a_mark_lasts_as_long_as_the_wait() {
        let me = std::process::id();
        // The greatest number that a process can have.
        let pid = 4_194_304;
        assert!(!is_waited_for(me, pid));
        let (first, second) = (wait(pid), wait(7));
        assert!(is_waited_for(me, pid) && is_waited_for(me, 7));
        assert!(!is_waited_for(me, 419_430) && !is_waited_for(me, 8));
        assert!(
            !is_waited_for(std::os::unix::process::parent_id(), pid),
            "another one waits for nothing"
        );
        drop(first);
        assert!(!is_waited_for(me, pid) && is_waited_for(me, 7));
        drop(second);
        assert!(!is_waited_for(me, 7));
    }

    #[test]
    fn who_asks_while_a_program_starts_waits_for_its_mark() {
        let me = std::process::id();
        let (starts, pid) = (wait(0), 4_194_303);
        let asked = thread::spawn(move || is_waited_for(me, pid));
        thread::sleep(LOOK * 5);
        let marked = wait(pid);
        drop(starts);
        assert!(asked.join().unwrap());
        drop(marked);
        assert!(!is_waited_for(me, pid));
    }
}
