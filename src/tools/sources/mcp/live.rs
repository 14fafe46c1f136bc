//! A connection with the definitions that are in force.
//!
//! Must not know: how they were read, what follows from a difference.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use rmcp::RoleClient;
use rmcp::service::Peer;
use tokio_util::sync::CancellationToken;

use super::current::Changes;
use super::definition::Definition;
use super::drift;
use super::log::ServerLog;
use super::pins::{Difference, Pinned};

/// A connection before its definitions are read.
#[derive(Clone)]
pub(super) struct Connection {
    pub(super) peer: Peer<RoleClient>,
    pub(super) pid: Option<u32>,
    /// Ends it.
    pub(super) closing: CancellationToken,
    /// The time that its start took.
    pub(super) handshake: Duration,
}

/// A connection with the definitions that are in force.
pub(super) struct Live {
    pub(super) connection: Connection,
    pub(super) tools: Vec<Definition>,
    /// The count of changes when they were asked for.
    pub(super) changes: Changes,
    /// Hash of them all.
    pub(super) hash: String,
    /// How they differ from the accepted ones.
    pub(super) difference: Difference,
    /// Why some of them cannot be offered, by their names.
    unusable: Arc<BTreeMap<String, String>>,
}

/// What a reading of the definitions gave.
pub(super) struct Read {
    /// The time after which they are outdated.
    pub(super) ttl: Option<Duration>,
    /// True if they are not those of the reading before.
    pub(super) is_other: bool,
    /// True if they are not the accepted ones.
    pub(super) is_drifted: bool,
}

impl Live {
    /// Takes the definitions that were read. `before` are those of the reading before.
    pub(super) fn new(
        connection: Connection,
        now: Pinned,
        (changes, difference): (Changes, Difference),
        before: Option<&Self>,
    ) -> Self {
        let hash = now.hash();
        let same = before.filter(|before| before.hash == hash);
        let unusable = same.map_or_else(
            || {
                let tools = now.tools.iter();
                let unusable = tools.filter_map(|tool| Some((tool.name.clone(), tool.fault()?)));
                Arc::new(unusable.collect())
            },
            |same| Arc::clone(&same.unusable),
        );
        Self {
            connection,
            tools: now.tools,
            changes,
            hash,
            difference,
            unusable,
        }
    }

    /// Says how the definitions differ from the accepted ones, for a question; `None` if they do not. The hash of all of
    /// them distinguishes differences that look alike.
    pub(super) fn drift(&self) -> Option<Arc<str>> {
        let lines = &self.difference.excerpt;
        (!lines.is_empty()).then(|| drift::excerpt(lines, &self.hash).into())
    }

    /// True for a tool that can be offered.
    pub(super) fn is_usable(&self, tool: &Definition) -> bool {
        !self.unusable.contains_key(&tool.name)
    }

    /// Writes to the log what is wrong with the definitions, and how they differ.
    pub(super) fn note(&self, log: &ServerLog) {
        for line in &self.difference.excerpt {
            log.note(&format!("definitions: {}", line.trim_start()));
        }
        for (name, why) in &*self.unusable {
            log.note(&format!("not offered: {name}: {why}"));
        }
    }

    /// Returns the version of the protocol that the server speaks.
    pub(super) fn protocol(&self) -> String {
        let info = self.connection.peer.peer_info();
        info.map_or_else(String::new, |info| info.protocol_version.to_string())
    }
}
