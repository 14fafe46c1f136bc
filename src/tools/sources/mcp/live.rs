//! A connection with the definitions that are in force.
//!
//! Must not know: how they were read, what follows from a difference.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use rmcp::RoleClient;
use rmcp::service::Peer;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::current::Changes;
use super::definition::Definition;
use super::drift;
use super::log::ServerLog;
use super::pins::{Difference, Pinned};
use super::told::Told;
use overrule_base::text::visible_head;
use overrule_schema::Usable;

/// Characters shown of a name.
const NAME: usize = 100;

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
    /// By their names: the schemas of their arguments, or why they cannot be offered.
    schemas: Arc<BTreeMap<String, Result<Usable, String>>>,
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
        let schemas = same.map_or_else(
            || {
                let tools = now.tools.iter();
                Arc::new(tools.map(|tool| (tool.name.clone(), tool.usable())).collect())
            },
            |same| Arc::clone(&same.schemas),
        );
        Self {
            connection,
            tools: now.tools,
            changes,
            hash,
            difference,
            schemas,
        }
    }

    /// Says how the definitions differ from the accepted ones, for a question; `None` if they do not. The hash of all of
    /// them distinguishes differences that look alike.
    pub(super) fn drift(&self) -> Option<Arc<str>> {
        let lines = &self.difference.excerpt;
        (!lines.is_empty()).then(|| drift::excerpt(lines, &self.hash).into())
    }

    /// Returns the schema of the arguments of a tool; `None` if it cannot be offered.
    pub(super) fn schema(&self, tool: &Definition) -> Option<&Value> {
        let usable = self.schemas.get(&tool.name)?.as_ref().ok();
        usable.map(|usable| &usable.schema)
    }

    /// Writes to the log how the definitions differ, and tells what is wrong with them.
    pub(super) fn note(&self, log: &ServerLog, told: &Told) {
        for line in &self.difference.excerpt {
            log.note(&format!("definitions: {}", line.trim_start()));
        }
        for (name, usable) in &*self.schemas {
            let name = visible_head(name, NAME);
            match usable {
                Ok(usable) => {
                    for (at, why) in &usable.dropped {
                        let at = visible_head(at, NAME);
                        told.left(format!("the schema of `{name}`: `{at}` is not checked: {why}"));
                    }
                }
                Err(why) => told.left(format!("the tool `{name}` is not offered: {why}")),
            }
        }
    }

    /// Returns the version of the protocol that the server speaks.
    pub(super) fn protocol(&self) -> String {
        let info = self.connection.peer.peer_info();
        info.map_or_else(String::new, |info| info.protocol_version.to_string())
    }
}
