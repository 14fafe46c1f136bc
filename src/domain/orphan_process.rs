//! Orphan processes of an execution whose program died, and their descriptions.
//!
//! Must not know: how they are found.

use super::id::NodeId;

/// What still runs of an execution that no program watches any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OrphanProcess {
    /// The process that was started for it, and perhaps what that started.
    Process,
    /// Only what that process started, in the process group of its id.
    Group,
    /// Only what that process started, in its session but in other process groups.
    Session,
}

impl OrphanProcess {
    /// Says what still runs of a call whose process had this id.
    pub fn describe(self, call: NodeId, pid: u32) -> String {
        match self {
            Self::Process => format!("{call} still runs as process {pid}"),
            Self::Group => {
                format!(
                    "process {pid} of {call} has ended, but what it started still runs as process group {pid}"
                )
            }
            Self::Session => {
                format!("process {pid} of {call} has ended, but what it started still runs in session {pid}")
            }
        }
    }

    /// Describes how to end it, as a clause that a sentence may continue.
    pub fn ending(self, pid: u32) -> String {
        match self {
            Self::Process => format!("end it and what it started with `kill -- -{pid}`"),
            Self::Group => format!("end that with `kill -- -{pid}`"),
            // The group of that id is empty: a signal to it would reach no process.
            Self::Session => format!("end that with `pkill -s {pid}`"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_orphan_is_described_with_the_command_that_ends_it() {
        let call = "c4".parse().unwrap();
        let text = |one: OrphanProcess| (one.describe(call, 7), one.ending(7));
        let (process, group, session) = (
            text(OrphanProcess::Process),
            text(OrphanProcess::Group),
            text(OrphanProcess::Session),
        );
        assert!(process.0.contains("c4 still runs as process 7") && process.1.contains("`kill -- -7`"));
        assert!(group.0.contains("process 7 of c4 has ended") && group.1.contains("`kill -- -7`"));
        assert!(group.0.contains("process group 7"), "{}", group.0);
        assert!(session.0.contains("process 7 of c4 has ended") && session.1.contains("`pkill -s 7`"));
        for (words, _) in [&group, &session] {
            assert!(!words.contains("c4 still runs"), "{words}");
        }
        assert!(
            !session.0.contains("group") && !session.1.contains("kill --"),
            "{session:?}"
        );
    }
}
