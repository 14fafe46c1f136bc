//! Rows of the tools pane: every server with its state, its tools and its log, and the other tools.
//!
//! Must not know: how a server is reached, what its tools do.
//!
//! Changed definitions are shown line by line under their server, with the keys that accept or refuse them.

use std::collections::BTreeSet;

use crate::ground::columns::Columns as _;
use crate::ground::doc::Styled;
use crate::ground::theme::Role;
use crate::kernel::pane::{Pane, PaneCard};
use crate::kernel::rows::{Making, Row, RowsKind};
use crate::kernel::show::{SHOWS, show};
use crate::kernel::verb::Verb;
use crate::run::link::{ServerState, ServerTool};
use crate::run::part::RunPart;
use crate::run::target::{NameHash, Target};
use overrule_domain::breaker::{Phase, Scope};
use overrule_domain::event::run::ToolCard;
use overrule_present::health::{describe, describe_breaker};
use overrule_present::many;

/// Lines of a difference that are shown; the rest is counted.
const LINES: usize = 60;
/// Lines shown of a log.
const LOG: usize = 5;
/// Characters shown of a name.
const NAME: usize = 40;
/// The least columns for names.
const NAME_COLUMN: usize = 12;
/// Columns of the effect class.
const CLASS_COLUMN: usize = 13;
/// Characters shown of a line of a server.
const WORDS: usize = 400;
/// Characters shown of a hash.
const PIN: usize = 8;
/// Bytes that are taken for one token.
const BYTES: usize = 4;

/// The pane.
pub const PANE: Pane = Pane::new(&PaneCard::lower("tools"));

/// The verb `tools`.
pub const SHOW: Verb = Verb {
    name: "tools",
    keys: &["9"],
    doc: "show or hide the tools: servers, classes, pins, tokens, logs, changed definitions",
    run: |model, _| show(model, PANE),
    ..SHOWS
};

/// How it behaves.
pub const KIND: RowsKind = RowsKind { pane: PANE, make };

/// The rows.
fn make(making: Making<'_>) -> (String, Vec<Row>) {
    let run = making.run;
    let mut rows = Vec::new();
    let mut shown: BTreeSet<&str> = BTreeSet::new();
    for server in run.servers.iter() {
        shown.extend(server.tools.iter().filter_map(|tool| tool.offered.as_deref()));
        of_server(run, server, &mut rows);
    }
    let mut tokens: usize = run.servers.iter().map(all_tokens).sum();
    let cards = run.tools().iter().filter(|card| !shown.contains(&*card.name));
    let mut source = None;
    for card in cards {
        let of = card.server().map_or("", |server| server);
        if source != Some(of) {
            source = Some(of);
            rows.push(heading(of));
            rows.extend(health(run, of));
        }
        tokens += tokens_of(card);
        let pin = card.origin.as_ref().map(|origin| &*origin.pin);
        rows.push(tool(run, &card.name, Some(card), pin, tokens_of(card)));
    }
    let title = format!("{}, about {tokens} tokens in each request", run.tools().len());
    (title, rows)
}

fn all_tokens(server: &ServerState) -> usize {
    let offered = server.tools.iter().filter(|tool| tool.offered.is_some());
    offered.map(|tool| tool.tokens).sum()
}

fn tokens_of(card: &ToolCard) -> usize {
    (card.name.len() + card.description.len() + card.schema.len()).div_ceil(BYTES)
}

/// The row over the tools of a source whose process is not known.
fn heading(server: &str) -> Row {
    if server.is_empty() {
        let words = Styled::new().own(Role::Title, "own and declared tools".to_owned());
        return Row::new(Target::Nothing, words);
    }
    let words = Styled::new().untrusted(Role::Title, server, NAME);
    let words = words.own(Role::Dim, "  MCP server");
    Row::new(Target::Server(NameHash::server(server)), words)
}

/// The rows of a server.
fn of_server(run: &RunPart, server: &ServerState, rows: &mut Vec<Row>) {
    let target = Target::Server(NameHash::server(&server.name));
    let role = match server.state {
        "ready" => Role::Ok,
        "down" => Role::Error,
        _ => Role::Warning,
    };
    let mut words = Styled::new()
        .untrusted(Role::Title, &server.name, NAME)
        .own(role, format!("  {}", server.state));
    if let Some(why) = &server.why {
        words = words
            .own(Role::Dim, ": ".to_owned())
            .untrusted(Role::Text, why, WORDS);
    }
    let about = format!(
        "  {}, about {} tokens  ",
        many(server.tools.len(), "tool"),
        all_tokens(server)
    );
    rows.push(Row::new(
        target,
        words
            .own(Role::Dim, about)
            .untrusted(Role::Dim, &server.about, WORDS),
    ));
    rows.extend(health(run, &server.name));
    if !server.drift.is_empty() {
        let words = "  its definitions changed: its calls ask until you accept them";
        rows.push(Row::new(
            target,
            Styled::new().own(Role::Warning, words.to_owned()),
        ));
    }
    for line in server.drift.iter().take(LINES) {
        let words = Styled::new().own(Role::Warning, "  | ".to_owned());
        rows.push(Row::new(
            Target::Nothing,
            words.untrusted(Role::Text, line, WORDS),
        ));
    }
    let more = server.drift.len().saturating_sub(LINES);
    if more > 0 {
        let words = format!("  | {more} more; `overrule tools accept` shows all");
        rows.push(Row::new(Target::Nothing, Styled::new().own(Role::Warning, words)));
    }
    rows.extend(server.tools.iter().map(|one| of_tool(run, one)));
    for line in server.log.iter().rev().take(LOG).rev() {
        let words = Styled::new().own(Role::Dim, "  log: ".to_owned());
        rows.push(Row::new(Target::Nothing, words.untrusted(Role::Dim, line, WORDS)));
    }
    if let Some(file) = &server.log_file {
        let words = Styled::new().own(Role::Dim, "  all of its log: ".to_owned());
        rows.push(Row::new(Target::Nothing, words.untrusted(Role::Dim, file, WORDS)));
    }
}

fn of_tool(run: &RunPart, one: &ServerTool) -> Row {
    let card = one.offered.as_deref().and_then(|name| run.tool(name));
    tool(run, &one.name, card, Some(&one.pin), one.tokens)
}

/// The row of a tool. The columns of all tools are aligned.
fn tool(run: &RunPart, name: &str, card: Option<&ToolCard>, pin: Option<&str>, tokens: usize) -> Row {
    let names = run.tools().iter().map(|card| card.name.columns());
    let longest = names.max().unwrap_or_default().clamp(NAME_COLUMN, NAME);
    let mut words = Styled::new()
        .own(Role::Dim, "  ".to_owned())
        .untrusted(Role::Accent, name, NAME);
    words = filled(words, longest + 4);
    words = match card {
        Some(card) => words.own(Role::Text, card.effect.label()),
        None => words.own(Role::Dim, "not offered"),
    };
    words = filled(words, longest + 4 + CLASS_COLUMN);
    words = words.own(Role::Dim, format!("{tokens:>5} tokens"));
    if let Some(pin) = pin {
        let head: String = pin.chars().take(PIN).collect();
        words = words
            .own(Role::Dim, "  pin ".to_owned())
            .untrusted(Role::Dim, &head, PIN);
    }
    let tags = card.map_or(&[][..], |card| card.tags.as_slice());
    if !tags.is_empty() {
        let tags = tags.join(" ");
        words = words
            .own(Role::Dim, "  ".to_owned())
            .untrusted(Role::Dim, &tags, WORDS);
    }
    Row::new(Target::Nothing, words)
}

/// Fills a line with blanks up to a column.
fn filled(words: Styled, column: usize) -> Styled {
    let blanks = column.saturating_sub(words.columns());
    words.own(Role::Dim, " ".repeat(blanks))
}

/// The rows about the calls of a server: how they ended together, and its breaker.
fn health(run: &RunPart, server: &str) -> Vec<Row> {
    let target = Target::Server(NameHash::server(server));
    let tools = run.tools();
    let is_one = |name: &str| {
        let mut cards = tools.iter();
        cards.any(|card| *card.name == *name && card.server() == Some(server))
    };
    let health = run.watch.health.together(is_one);
    let mut rows = Vec::new();
    if health.executions() > 0 {
        let words = format!("  {}", describe(&health));
        rows.push(Row::new(target, Styled::new().own(Role::Dim, words)));
    }
    let breaker = run.state.learned.breakers.get(&Scope::Server(server.into()));
    if let Some(breaker) = breaker.filter(|breaker| breaker.generation > 0) {
        let role = match breaker.phase {
            Phase::Closed => Role::Ok,
            Phase::HalfOpen => Role::Warning,
            Phase::Open => Role::Error,
        };
        let words = Styled::new().own(role, "  ".to_owned());
        rows.push(Row::new(
            target,
            words.untrusted(role, &describe_breaker(breaker), WORDS),
        ));
    }
    rows
}
