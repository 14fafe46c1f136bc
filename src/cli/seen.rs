//! Keeps what the operator has seen once: whether they ever decided about a call.
//!
//! Must not know: what is shown to whom.
//!
//! What is kept is in the state directory, which no tool can read or write. Without one, nothing is shown once.

use std::io;
use std::path::PathBuf;

use overrule_config::{Env, OWN};
use overrule_regular_file as regular_file;

/// The file that is there once the operator decided.
const DECIDED: &str = "decided";

fn file(env: &Env, name: &str) -> Option<PathBuf> {
    Some(env.state_dir.as_ref()?.join(OWN).join(name))
}

/// Keeps a text. A failure only means that something is shown again.
fn keep(env: &Env, name: &str, text: &str) {
    let written = file(env, name)
        .ok_or_else(|| io::Error::other("there is no directory for the program's state"))
        .and_then(|file| {
            if let Some(dir) = file.parent() {
                std::fs::create_dir_all(dir)?;
            }
            regular_file::replace(&file, text.as_bytes())
        });
    if let Err(error) = written {
        tracing::warn!(%error, name, "what was seen is not kept");
    }
}

/// True if the operator decided about a call before, or that cannot be kept.
pub fn has_decided(env: &Env) -> bool {
    file(env, DECIDED).is_none_or(|file| file.exists())
}

/// Keeps that the operator decided about a call.
pub fn note_decision(env: &Env) {
    if !has_decided(env) {
        keep(env, DECIDED, "");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_decision_is_kept() {
        let dir = tempfile::tempdir().unwrap();
        let mut env = Env {
            state_dir: Some(dir.path().join("state")),
            ..Env::default()
        };
        assert!(!has_decided(&env));
        note_decision(&env);
        assert!(has_decided(&env));
        // Where nothing can be kept, nothing is explained at each start.
        env.state_dir = None;
        note_decision(&env);
        assert!(has_decided(&env));
    }
}
