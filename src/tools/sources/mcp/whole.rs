//! Stores whole results that are too long to be kept, in the session's folder.
//!
//! Must not know: what a result says, who reads it.

use std::path::PathBuf;

use tokio::runtime::{Handle, RuntimeFlavor};

use overrule_domain::id::NodeId;
use overrule_regular_file as regular_file;

/// Bytes of all stored results of a server in a run.
const MOST: u64 = 256 << 20;
/// Directory of the results within a session.
const DIR: &str = "outputs";

/// Where the whole results of a server go.
#[derive(Debug, Default)]
pub(super) struct WholeResults {
    session: Option<PathBuf>,
    stored: std::sync::atomic::AtomicU64,
}

impl WholeResults {
    /// Returns the store in the folder of a session; without one nothing is stored.
    pub(super) fn new(session: Option<PathBuf>) -> Self {
        Self {
            session,
            ..Self::default()
        }
    }

    /// Stores a result under the name of its call. Returns its place within the session, or why it is not stored.
    pub(super) fn store(&self, call: NodeId, text: &str) -> Option<Result<String, String>> {
        let session = self.session.as_ref()?;
        let bytes = text.len() as u64;
        let before = self.stored.fetch_add(bytes, std::sync::atomic::Ordering::Relaxed);
        if before.saturating_add(bytes) > MOST {
            return Some(Err(format!(
                "more than {} MiB of results in this run",
                MOST >> 20
            )));
        }
        let dir = session.join(DIR);
        let free = (1_u32..).map(|no| match no {
            1 => format!("{call}.txt"),
            no => format!("{call}-{no}.txt"),
        });
        let name = free.into_iter().find(|name| !dir.join(name).exists())?;
        let write = || {
            std::fs::create_dir_all(&dir)?;
            regular_file::replace(&dir.join(&name), text.as_bytes())
        };
        let written = unblocked(write);
        Some(match written {
            Ok(()) => Ok(format!("{DIR}/{name}")),
            Err(error) => Err(error.to_string()),
        })
    }
}

/// Does slow work while other tasks of the runtime go on, where it has another thread for them.
fn unblocked<T>(work: impl FnOnce() -> T) -> T {
    match Handle::try_current() {
        Ok(runtime) if runtime.runtime_flavor() == RuntimeFlavor::MultiThread => {
            tokio::task::block_in_place(work)
        }
        _ => work(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use overrule_domain::id::NodeKind;

    #[test]
    fn each_result_of_a_call_has_a_file_of_its_own() {
        let dir = tempfile::tempdir().unwrap();
        let call = NodeId::new(NodeKind::Call, 5);
        let whole = WholeResults::new(Some(dir.path().to_owned()));
        assert_eq!(whole.store(call, "one"), Some(Ok("outputs/c5.txt".to_owned())));
        assert_eq!(whole.store(call, "two"), Some(Ok("outputs/c5-2.txt".to_owned())));
        let read = |name: &str| std::fs::read_to_string(dir.path().join(name)).unwrap();
        assert_eq!(
            (read("outputs/c5.txt"), read("outputs/c5-2.txt")),
            ("one".into(), "two".into())
        );
        assert_eq!(WholeResults::default().store(call, "x"), None);
        let gone = WholeResults::new(Some(dir.path().join("outputs/c5.txt")));
        assert!(gone.store(call, "x").unwrap().is_err());
    }
}
