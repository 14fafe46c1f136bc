//! Protects the process before it does anything else.
//!
//! Must not know: what it does afterwards.

use tokio::signal::unix::{SignalKind, signal};

/// Protects this process.
pub fn guard() {
    keep_to_itself();
    name_itself();
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

/// Processes below a run know it by its name, whatever its file is called. Before the first thread is started, so that it
/// is the name of the process.
fn name_itself() {
    #[cfg(target_os = "linux")]
    {
        // The call has no other error than for a name that is too long.
        let _ = rustix::thread::set_name(c"overrule");
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
