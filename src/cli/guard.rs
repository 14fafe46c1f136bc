//! Protects the process before it does anything else.
//!
//! Must not know: what it does afterwards.

use tokio::signal::unix::{SignalKind, signal};

/// Protects this process.
pub fn guard() {
    keep_to_itself();
    outlive_size_limit();
}

/// A command of the agent runs as the same user: it must not find the keys of this process's
/// environment under `/proc`, nor read its memory. Root still can.
fn keep_to_itself() {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{DumpableBehavior, set_dumpable_behavior};
        // Old kernels without this setting are fine.
        let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
    }
}

/// A file at its size limit (`ulimit -f`) would end the program without a message. With a handler the
/// write fails with an error. Children do not inherit handlers.
fn outlive_size_limit() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build();
    let Ok(runtime) = runtime else { return };
    let _inside = runtime.enter();
    let number = rustix::process::Signal::XFSZ.as_raw();
    // The handler stays after the listener is dropped. Without it, the default applies.
    let _ = signal(SignalKind::from_raw(number));
}

#[cfg(test)]
mod tests {
    #[cfg(target_os = "linux")]
    use rustix::process::{DumpableBehavior, dumpable_behavior};

    #[cfg(target_os = "linux")]
    #[test]
    fn others_do_not_look_into_this_process() {
        super::guard();
        assert_eq!(dumpable_behavior().unwrap(), DumpableBehavior::NotDumpable);
    }
}
