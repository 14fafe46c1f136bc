//! Reads the list of a server's tools, page by page, within bounds.
//!
//! Must not know: what the tools are compared with, who uses them.

use std::collections::BTreeSet;
use std::time::Duration;

use rmcp::model::{ErrorCode, ListToolsResult, PaginatedRequestParams};
use rmcp::service::Peer;
use rmcp::{RoleClient, ServiceError};

use super::definition::Definition;
use super::redaction::Redaction;
use super::result::words;
use super::told::Told;
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

/// Reads the list. What is left out of it is told.
pub(super) async fn list(
    peer: &Peer<RoleClient>,
    redaction: &Redaction,
    told: &Told,
) -> Result<Listed, Unlisted> {
    let mut collected = Collected::default();
    let mut ttl = Some(u64::MAX);
    let mut cursor = None;
    let mut unnamed = 0;
    for no in 0..PAGES {
        let params = PaginatedRequestParams::default().with_cursor(cursor);
        let page = match peer.list_tools(Some(params)).await {
            Ok(page) => page,
            Err(error) => {
                let page = unread(&error, no, redaction, told)?;
                ttl = None;
                page
            }
        };
        let mut is_new = page.tools.is_empty();
        for tool in &page.tools {
            let Some(tool) = Definition::of(tool).cleaned(redaction) else {
                unnamed += 1;
                is_new = true;
                continue;
            };
            let name = visible_head(&tool.name, NAME);
            if collected.add(tool).map_err(Unlisted::Refused)? {
                is_new = true;
            } else {
                told.left(format!(
                    "the tool `{name}` is listed twice in the same way: it counts once"
                ));
            }
        }
        ttl = ttl.zip(page.ttl_ms).map(|(least, ms)| least.min(ms));
        cursor = page.next_cursor;
        if !is_new {
            told.left("the list of tools repeats a page, and ends there".to_owned());
        }
        if cursor.is_none() || !is_new {
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

/// The page that stands for one that was refused: a server without tools may not know the request, and the pages before
/// count. The error means that there is no list.
fn unread(
    error: &ServiceError,
    no: usize,
    redaction: &Redaction,
    told: &Told,
) -> Result<ListToolsResult, Unlisted> {
    let why = words(error, redaction);
    let is_unknown =
        matches!(error, ServiceError::McpError(error) if error.code == ErrorCode::METHOD_NOT_FOUND);
    let is_refused = matches!(error, ServiceError::McpError(_));
    if !(is_unknown || is_refused && no > 0) {
        return Err(Unlisted::Lost(format!("its tools cannot be listed: {why}")));
    }
    told.left(match no {
        0 => format!("it has no tools: {why}"),
        _ => format!(
            "page {} of the list of tools cannot be read, and ends it: {why}",
            no + 1
        ),
    });
    Ok(ListToolsResult::default())
}

/// What was read so far.
#[derive(Default)]
struct Collected {
    tools: Vec<Definition>,
    names: BTreeSet<String>,
    bytes: usize,
}

impl Collected {
    /// Adds a tool. Returns false for one that is there already. The error says why the list cannot be used.
    fn add(&mut self, tool: Definition) -> Result<bool, String> {
        if self.tools.contains(&tool) {
            return Ok(false);
        }
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
        Ok(true)
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
        assert!(!collected.add(tool("a", 1)).unwrap(), "the same one");
        assert_eq!(
            collected.add(tool("a", 2)).unwrap_err(),
            "it lists the tool `a` twice"
        );
        let long = collected.add(tool("b", BYTES)).unwrap_err();
        assert_eq!(long, "the definitions of its tools are longer than 4 MiB");
    }
}
