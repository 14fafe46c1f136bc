//! The definitions of each server that were accepted, one file for each.
//!
//! Must not know: who accepts them, what a difference leads to.
//!
//! The first definitions of a server are accepted: its file was trusted. Later ones are compared with them.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::definition::Definition;
use super::drift::{self, Values};
use super::setup::ServerConfig;
use overrule_base::canon;
use overrule_base::text::{redact, visible};
use overrule_regular_file as regular_file;

/// Longest file in bytes.
const MOST: u64 = 32 << 20;
/// Longest difference that a page shows, in bytes.
const PAGE: usize = 256 << 10;

/// The definitions of a server.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Pinned {
    /// Hash of the command line or address.
    pub identity: String,
    /// The command line or address as written, without secrets.
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
            written: redact(&server.written),
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

/// How definitions differ from the accepted ones.
#[derive(Debug, Clone, Default)]
pub struct Difference {
    /// Line by line, long values cut; empty if there is none.
    pub excerpt: Vec<String>,
    /// All of it; `None` if there is none or it is too long for a page.
    pub whole: Option<Arc<str>>,
}

impl Difference {
    fn new(accepted: &Pinned, now: &Pinned) -> Self {
        let whole = drift::difference(accepted, now, Values::Whole);
        Self {
            excerpt: drift::difference(accepted, now, Values::Excerpt),
            whole: page(&whole),
        }
    }

    /// The accepted definitions are not known: all of the present ones are new.
    fn unknown(why: String, now: &Pinned) -> Self {
        let none = Pinned {
            tools: Vec::new(),
            ..now.clone()
        };
        let mut whole = vec![why.clone()];
        whole.extend(drift::difference(&none, now, Values::Whole));
        Self {
            excerpt: vec![why],
            whole: page(&whole),
        }
    }
}

fn page(lines: &[String]) -> Option<Arc<str>> {
    let text = lines.join("\n");
    (!text.is_empty() && text.len() <= PAGE).then(|| text.into())
}

/// Compares the present definitions with the accepted ones, and accepts the first ones of a server. Returns the
/// difference. An error is a difference: nothing is accepted by mistake.
pub fn check(dir: Option<&Path>, server: &ServerConfig, now: &Pinned) -> Difference {
    let Some(dir) = dir else {
        return Difference::default();
    };
    let path = place(dir, server);
    match read(&path) {
        Ok(Some(accepted)) => Difference::new(&accepted, now),
        Ok(None) => match accept(dir, server, now) {
            Ok(()) => Difference::default(),
            Err(error) => Difference::unknown(failed("write", &path, &error), now),
        },
        Err(error) => Difference::unknown(failed("read", &path, &error), now),
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
