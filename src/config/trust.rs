//! The files of workspaces that the user declared as trusted, each with its hash.
//!
//! Must not know: what is in such a file.

use std::collections::BTreeMap;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::env::Env;
use super::load::OWN;
use overrule_base::canon;
use overrule_regular_file as regular_file;

/// Longest list in bytes.
const MOST: u64 = 4 << 20;

#[derive(Debug, Default, Serialize, Deserialize)]
struct Trusted {
    files: BTreeMap<String, String>,
}

/// Returns the hash by which a file is trusted: of its path and its text.
pub fn hash(path: &Path, text: &str) -> String {
    let path = path.as_os_str().as_encoded_bytes();
    canon::hash("overrule trusted file v1", &[path, text.as_bytes()])
}

/// Returns true if the file with exactly this text is trusted. A list that cannot be read trusts nothing.
pub fn holds(env: &Env, path: &Path, text: &str) -> bool {
    let Some(list) = place(env) else { return false };
    let trusted = read(&list).unwrap_or_default();
    trusted.files.get(&*path.to_string_lossy()) == Some(&hash(path, text))
}

/// Trusts a file with the text of this hash, instead of its earlier text.
pub fn add(env: &Env, path: &Path, hash: &str) -> io::Result<()> {
    change(env, |files| {
        files.insert(path.to_string_lossy().into_owned(), hash.to_owned());
    })
}

/// Ends the trust in a file. Returns false if there was none.
pub fn remove(env: &Env, path: &Path) -> io::Result<bool> {
    let mut was = false;
    change(env, |files| {
        was = files.remove(&*path.to_string_lossy()).is_some();
    })?;
    Ok(was)
}

fn place(env: &Env) -> Option<PathBuf> {
    Some(env.state_dir.as_ref()?.join(OWN).join("trust.json"))
}

fn read(path: &Path) -> io::Result<Trusted> {
    match regular_file::read(path, MOST) {
        Ok(bytes) => Ok(serde_json::from_slice(&bytes)?),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Trusted::default()),
        Err(error) => Err(error),
    }
}

fn change(env: &Env, change: impl FnOnce(&mut BTreeMap<String, String>)) -> io::Result<()> {
    let path = place(env).ok_or_else(|| io::Error::other("there is no directory for the program's state"))?;
    if let Some(dir) = path.parent() {
        std::fs::create_dir_all(dir)?;
    }
    let mut trusted = read(&path)?;
    change(&mut trusted.files);
    regular_file::replace(&path, &serde_json::to_vec_pretty(&trusted)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_trusted_with_its_text_until_it_changes() {
        let dir = tempfile::tempdir().unwrap();
        let env = Env {
            state_dir: Some(dir.path().to_owned()),
            ..Env::default()
        };
        let (one, two) = (Path::new("/w/.mcp.json"), Path::new("/v/.mcp.json"));
        assert!(!holds(&env, one, "text"));
        add(&env, one, &hash(one, "text")).unwrap();
        assert!(holds(&env, one, "text"));
        assert!(!holds(&env, one, "text "), "a change ends the trust");
        assert!(!holds(&env, two, "text"), "another file with the same text");
        assert!(!holds(&Env::default(), one, "text"));
        assert!(remove(&env, one).unwrap());
        assert!(!holds(&env, one, "text") && !remove(&env, one).unwrap());
        // A broken list trusts nothing, and is not replaced.
        std::fs::write(dir.path().join("overrule/trust.json"), "{").unwrap();
        assert!(!holds(&env, one, "text"));
        assert!(add(&env, one, "x").is_err());
    }
}
