//! Reads the list of a server's tools, page by page, within bounds.
//!
//! Must not know: what the tools are compared with, who uses them.

use std::collections::BTreeSet;
use std::time::Duration;

use rmcp::RoleClient;
use rmcp::model::PaginatedRequestParams;
use rmcp::service::Peer;

use super::definition::Definition;
use super::redaction::Redaction;
use super::result::words;
use overrule_base::text::visible_head;

/// Maximum number of pages.
const PAGES: usize = 64;
/// Maximum number of tools.
const TOOLS: usize = 512;
/// Maximum number of bytes of all definitions together, as JSON.
const BYTES: usize = 4 << 20;
/// Characters shown of a name.
const NAME: usize = 100;
/// Bounds of the time after which a server says that its list is outdated.
const TTL: (Duration, Duration) = (Duration::from_secs(5), Duration::from_secs(3_600));

/// The tools of a server.
pub(super) struct Listed {
    pub(super) tools: Vec<Definition>,
    /// Number of tools that are left out, because their names contain a key of the server.
    pub(super) unnamed: usize,
    /// The time after which the list is outdated.
    pub(super) ttl: Option<Duration>,
}

/// Why there is no list.
pub(super) enum Unlisted {
    /// It was not received.
    Lost(String),
    /// It cannot be used: it would be the same at the next attempt.
    Refused(String),
}

/// Reads the list.
pub(super) async fn list(peer: &Peer<RoleClient>, redaction: &Redaction) -> Result<Listed, Unlisted> {
    let mut collected = Collected::default();
    let mut ttl = Some(u64::MAX);
    let mut cursor = None;
    let mut unnamed = 0;
    for _ in 0..PAGES {
        let params = PaginatedRequestParams::default().with_cursor(cursor);
        let page = peer.list_tools(Some(params)).await;
        let page = page.map_err(|error| {
            let why = words(&error, redaction);
            Unlisted::Lost(format!("its tools cannot be listed: {why}"))
        })?;
        for tool in &page.tools {
            match Definition::of(tool).cleaned(redaction) {
                Some(tool) => collected.add(tool).map_err(Unlisted::Refused)?,
                None => unnamed += 1,
            }
        }
        ttl = ttl.zip(page.ttl_ms).map(|(least, ms)| least.min(ms));
        cursor = page.next_cursor;
        if cursor.is_none() {
            let ttl = ttl.filter(|ms| *ms > 0).map(Duration::from_millis);
            return Ok(Listed {
                tools: collected.tools,
                unnamed,
                ttl: ttl.map(|ttl| ttl.clamp(TTL.0, TTL.1)),
            });
        }
    }
    Err(Unlisted::Refused(format!(
        "its list of tools has more than {PAGES} pages"
    )))
}

/// What was read so far.
#[derive(Default)]
struct Collected {
    tools: Vec<Definition>,
    names: BTreeSet<String>,
    bytes: usize,
}

impl Collected {
    /// Adds a tool. The error says why the list cannot be used.
    fn add(&mut self, tool: Definition) -> Result<(), String> {
        self.bytes += tool.content.to_string().len();
        if self.tools.len() == TOOLS {
            return Err(format!("it lists more than {TOOLS} tools"));
        }
        if self.bytes > BYTES {
            return Err(format!(
                "the definitions of its tools are longer than {} MiB",
                BYTES >> 20
            ));
        }
        // Of two definitions with one name it would be open which one was accepted.
        if !self.names.insert(tool.name.clone()) {
            let name = visible_head(&tool.name, NAME);
            return Err(format!("it lists the tool `{name}` twice"));
        }
        self.tools.push(tool);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn tool(name: &str, length: usize) -> Definition {
        Definition {
            name: name.to_owned(),
            content: json!({ "description": "x".repeat(length) }),
        }
    }

    #[test]
    fn a_list_that_repeats_a_name_or_is_too_long_is_refused() {
        let mut collected = Collected::default();
        for no in 0..TOOLS {
            collected.add(tool(&format!("t{no}"), 1)).unwrap();
        }
        assert_eq!(
            collected.add(tool("one", 1)).unwrap_err(),
            "it lists more than 512 tools"
        );
        let mut collected = Collected::default();
        collected.add(tool("a", 1)).unwrap();
        assert_eq!(
            collected.add(tool("a", 2)).unwrap_err(),
            "it lists the tool `a` twice"
        );
        let long = collected.add(tool("b", BYTES)).unwrap_err();
        assert_eq!(long, "the definitions of its tools are longer than 4 MiB");
    }
}
