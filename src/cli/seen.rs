//! Keeps what the operator has seen once: a first decision, and the keys of the last start.
//!
//! Must not know: what is shown to whom.
//!
//! What is kept is in the state directory, which no tool can read or write. Without one, nothing is shown once.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;

use overrule_config::{Env, OWN};
use overrule_console::app::registry;
use overrule_console::kernel::keymap;
use overrule_regular_file as regular_file;

/// The file that is there once the operator decided.
const DECIDED: &str = "decided";
/// The file with the keys of each command at the last start.
const KEYS: &str = "keys";
/// Maximum size of that file in bytes.
const MOST: u64 = 1 << 20;
/// Maximum number of commands that are named.
const NAMED: usize = 4;

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

/// The commands whose keys are others than at the last start, once. None at the first start.
pub fn changed_keys(env: &Env) -> Option<String> {
    let verbs = || registry::verbs().map(|verb| (verb.name, verb.keys.join(" ")));
    changed(env, &verbs().collect::<Vec<_>>())
}

fn changed(env: &Env, now: &[(&str, String)]) -> Option<String> {
    let text: Vec<String> = now
        .iter()
        .map(|(name, keys)| format!("{name} {keys}\n"))
        .collect();
    let text = text.concat();
    let before = regular_file::read_text(&file(env, KEYS)?, MOST).ok();
    if before.as_deref() != Some(&text) {
        keep(env, KEYS, &text);
    }
    let before = before?;
    let before: BTreeMap<&str, &str> = before
        .lines()
        .filter_map(|line| line.split_once(' '))
        .map(|(name, keys)| (keymap::current_name(name), keys))
        .collect();
    let changed: Vec<String> = now
        .iter()
        .filter(|(name, keys)| before.get(name).is_some_and(|before| before != keys))
        .map(|(name, keys)| match keys.as_str() {
            "" => format!("{name} (no key)"),
            keys => format!("{keys} {name}"),
        })
        .collect();
    let more = match changed.len().saturating_sub(NAMED) {
        0 => String::new(),
        count => format!(", {count} more"),
    };
    let named = changed.get(..NAMED).unwrap_or(&changed).join(", ");
    (!changed.is_empty()).then(|| format!("keys changed: {named}{more}; see docs/changelog.md"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changed_keys_are_told_once() {
        let dir = tempfile::tempdir().unwrap();
        let env = Env {
            state_dir: Some(dir.path().to_owned()),
            ..Env::default()
        };
        let verbs = |keys: [&str; 3]| {
            let names = ["zoom", "stage", "effects"];
            names.into_iter().zip(keys.map(str::to_owned)).collect::<Vec<_>>()
        };
        assert_eq!(changed(&env, &verbs(["z", "g", "O"])), None, "a first start");
        assert_eq!(changed(&env, &verbs(["z", "g", "O"])), None);
        let told = changed(&env, &verbs(["z", "ctrl-g", ""]));
        assert_eq!(
            told.as_deref(),
            Some("keys changed: ctrl-g stage, effects (no key); see docs/changelog.md")
        );
        assert_eq!(changed(&env, &verbs(["z", "ctrl-g", ""])), None, "only once");
        // A command with a new name and the same key did not change, and a new command is no change.
        std::fs::write(dir.path().join(OWN).join(KEYS), "zoom z\ncollect g\ngone x\n").unwrap();
        assert_eq!(changed(&env, &verbs(["z", "g", "O"])), None);
        assert!(
            changed_keys(&env).is_some_and(|told| told.len() < 200),
            "the real table"
        );
        assert_eq!(changed_keys(&env), None);
        // Nothing that was written by another program breaks it.
        std::fs::write(dir.path().join(OWN).join(KEYS), b"\xff\n\n  \n").unwrap();
        assert_eq!(changed(&env, &verbs(["z", "g", "O"])), None);
        assert_eq!(changed(&Env::default(), &verbs(["z", "g", "O"])), None);
    }

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
