//! Examples of the views of tools and their servers.
//!
//! Must not know: the page.

use serde_json::json;

use super::{Examples, both, kept, recorded, value};
use crate::tool::{ServerToolView, ToolDetailView, ToolLineView, ToolServerView, ToolView};
use overrule_domain::call::EffectClass;
use overrule_domain::event::run::ToolCard;

fn server_tool(full: bool) -> ServerToolView<'static> {
    ServerToolView {
        name: "read",
        offered: full.then_some("s__read"),
        claims: &[],
        proposed: full.then_some(EffectClass::Read),
        pin: "p",
        tokens: 9,
    }
}

fn server(full: bool) -> ToolServerView<'static> {
    ToolServerView {
        name: "s",
        command: "serve",
        file: ".mcp.json",
        state: "ready",
        why: full.then_some("it ended"),
        protocol: full.then_some("2025-11-25"),
        pid: full.then_some(1),
        start_ms: full.then_some(2),
        restarts: 0,
        skipped: &[],
        drift: &[],
        tools: vec![server_tool(full)],
        log: full.then(|| "/log".to_owned()),
        confined: full.then_some("not confined"),
    }
}

fn card(full: bool) -> &'static ToolCard {
    let mut card = json!({"name": "read", "description": "Reads.", "schema": "{}", "effect": "read"});
    if full {
        card["tags"] = json!(["external"]);
        card["origin"] = json!({"source": "mcp", "server": "s", "tool": "read", "pin": "p"});
    }
    kept(recorded(card))
}

fn tool(full: bool) -> ToolView<'static> {
    ToolView::new(card(full), full.then(|| server_tool(full)).as_ref())
}

fn detail(full: bool) -> ToolDetailView<'static> {
    ToolDetailView {
        tool: tool(full),
        description: "Reads.",
        schema: json!({}),
        definition: full.then(|| kept(json!({}))),
    }
}

pub fn examples() -> Examples {
    let lines = [ToolLineView::Server(server(true)), ToolLineView::Tool(tool(true))];
    vec![
        ("ToolLineView", lines.iter().map(value).collect()),
        ("ToolServerView", both(server)),
        ("ServerToolView", both(server_tool)),
        ("ToolView", both(tool)),
        ("ToolDetailView", both(detail)),
    ]
}
