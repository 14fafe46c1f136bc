//! The definitions of each server that were accepted, one file for each.
//!
//! Must not know: who accepts them, what a difference leads to.
//!
//! The first definitions of a server are accepted: its file was trusted. Later ones are compared with them.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::definition::Definition;
use super::drift::{self, Values};
use super::setup::ServerConfig;
use crate::canon;
use crate::regular_file;
use crate::text::visible;

/// Longest file in bytes.
const MOST: u64 = 32 << 20;

/// The definitions of a server.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Pinned {
    /// Hash of the command line or address.
    pub identity: String,
    /// The command line or address as written.
    pub written: String,
    /// The tools, by name.
    pub tools: Vec<Definition>,
}

impl Pinned {
    /// Returns the definitions of a server, sorted by name.
    pub fn new(server: &ServerConfig, tools: &[Definition]) -> Self {
        let mut tools = tools.to_vec();
        tools.sort_by(|a, b| a.name.cmp(&b.name));
        Self {
            identity: server.identity(),
            written: server.written.clone(),
            tools,
        }
    }

    /// Returns the hash of the whole set.
    pub fn hash(&self) -> String {
        let pins: Vec<String> = self.tools.iter().map(|tool| tool.pin(&self.identity)).collect();
        let mut parts: Vec<&[u8]> = vec![self.identity.as_bytes()];
        parts.extend(pins.iter().map(String::as_bytes));
        canon::hash("overrule mcp set v1", &parts)
    }
}

/// Compares the present definitions with the accepted ones, and accepts the first ones of a server. Returns the
/// difference line by line; empty if there is none. An error is a difference: nothing is accepted by mistake.
pub fn check(dir: Option<&Path>, server: &ServerConfig, now: &Pinned) -> Vec<String> {
    let Some(dir) = dir else {
        return Vec::new();
    };
    let path = place(dir, server);
    match read(&path) {
        Ok(Some(accepted)) => drift::difference(&accepted, now, Values::Excerpt),
        Ok(None) => match accept(dir, server, now) {
            Ok(()) => Vec::new(),
            Err(error) => vec![failed("write", &path, &error)],
        },
        Err(error) => vec![failed("read", &path, &error)],
    }
}

/// Returns the accepted definitions of a server.
pub fn accepted(dir: &Path, server: &ServerConfig) -> io::Result<Option<Pinned>> {
    read(&place(dir, server))
}

/// Accepts definitions of a server, instead of the earlier ones.
pub fn accept(dir: &Path, server: &ServerConfig, now: &Pinned) -> io::Result<()> {
    std::fs::create_dir_all(dir)?;
    regular_file::replace(&place(dir, server), &serde_json::to_vec(now)?)
}

fn place(dir: &Path, server: &ServerConfig) -> PathBuf {
    let parts = [server.file.as_bytes(), server.name.as_bytes()];
    dir.join(format!("{}.json", canon::hash("overrule mcp pins v1", &parts)))
}

fn read(path: &Path) -> io::Result<Option<Pinned>> {
    let bytes = match regular_file::read(path, MOST) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    Ok(Some(serde_json::from_slice(&bytes)?))
}

fn failed(action: &str, path: &Path, error: &io::Error) -> String {
    let path = visible(&path.to_string_lossy());
    format!("cannot {action} the accepted definitions in {path}: {error}")
}
