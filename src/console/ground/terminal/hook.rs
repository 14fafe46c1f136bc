//! Ends the process after any panic: restores the terminal, prints the panic, exits.
//!
//! Must not know: what the console was doing.
//!
//! Otherwise the runtime would catch a panic of a task, and the console would draw an inconsistent state.

use std::backtrace::{Backtrace, BacktraceStatus};
use std::fmt::Write as _;
use std::panic::PanicHookInfo;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use overrule_base::text::{panic_message, visible};

use super::modes;

/// The exit code of a process that ended by a panic.
const EXIT: i32 = 101;

static ENDING: AtomicBool = AtomicBool::new(false);

/// Installs the hook. `last_act` runs after the terminal is restored; its text (how to resume) is printed after
/// the message. It must not panic and must not wait for other threads. While the console does not have the
/// terminal, panics are handled as before.
pub fn install_panic_hook(last_act: impl Fn() -> String + Send + Sync + 'static) {
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if !modes::is_ours() && !ENDING.load(Ordering::SeqCst) {
            before(info);
            return;
        }
        if ENDING.swap(true, Ordering::SeqCst) {
            // Another thread handles its panic; this one must only not continue.
            std::thread::sleep(Duration::from_secs(2));
            std::process::exit(EXIT);
        }
        modes::restore();
        write_stderr(&report(info));
        write_stderr(&last_act());
        std::process::exit(EXIT);
    }));
}

fn report(info: &PanicHookInfo<'_>) -> String {
    let thread = std::thread::current();
    let mut text = format!(
        "overrule ended because of a defect in it, in thread `{}`",
        visible(thread.name().unwrap_or("unnamed"))
    );
    if let Some(place) = info.location() {
        let _ = write!(text, " at {place}");
    }
    let _ = writeln!(text, ": {}", panic_message(info.payload()));
    let trace = Backtrace::capture();
    if trace.status() == BacktraceStatus::Captured {
        let _ = writeln!(text, "{trace}");
    }
    text
}

fn write_stderr(text: &str) {
    let mut bytes = text.as_bytes();
    while !bytes.is_empty() {
        match rustix::io::write(std::io::stderr(), bytes) {
            Ok(sent) if sent > 0 => bytes = bytes.get(sent..).unwrap_or_default(),
            Err(rustix::io::Errno::INTR) => {}
            _ => return,
        }
    }
}
