//! Lists, shows and calls the tools of a run, without a run (`overrule tools`).
//!
//! Must not know: how a tool works, how calls of a run are decided.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::args::{Common, Tools, ToolsWhat};
use super::build::AppContext;
use super::exit::{Code, Failure};
use super::toolbox::RunTools;
use super::{definitions, learned_store, print, run};
use overrule_base::text::{visible, visible_lines};
use overrule_domain::call::Outcome;
use overrule_domain::event::run::ToolCard;
use overrule_domain::id::NodeId;
use overrule_domain::weight::ToolRecord;
use overrule_engine::advise::parse_args;
use overrule_present::json;
use overrule_present::tool::{ServerToolView, ToolDetailView, ToolLineView, ToolServerView, ToolView};
use overrule_resilience::ladder::Ladder;
use overrule_tools::registry::Registry;
use overrule_tools::run::Limits;
use overrule_tools::sources::mcp::{self, ServerView};
use overrule_tools::{self as tools, Job};

/// How long a list waits for servers that start.
const WAIT: Duration = Duration::from_secs(60);
/// Columns of the longest name that is aligned.
const WIDEST: usize = 44;

/// Carries out an action on tools.
pub fn tools(common: &Common, tools: &Tools) -> Result<Code, Failure> {
    let mut context = AppContext::read(common)?;
    if let Some(what) = &tools.what
        && definitions::in_run(&context, what)?
    {
        return Ok(Code::Ok);
    }
    if let Some(server) = only(tools.what.as_ref(), &context) {
        context.settings.servers.retain(|one| one.name == server);
    }
    if let Some(ToolsWhat::Call { name, .. }) = &tools.what {
        super::operator::only_the_operator(&context.env, &format!("call {}", visible(name)))?;
    }
    let runtime = run::runtime()?;
    let result = runtime.block_on(async {
        let _sandbox = context.confine_servers().await?;
        let mut connected = context.connect(None, &context.workspace, &[]).await;
        let result = act(common, &context, &mut connected, tools.what.as_ref()).await;
        connected.close().await;
        result
    });
    runtime.shutdown_timeout(std::time::Duration::from_millis(200));
    result
}

/// Returns the only server that an action needs, if that follows from a name.
fn only(what: Option<&ToolsWhat>, context: &AppContext) -> Option<String> {
    let named = match what? {
        ToolsWhat::List { .. } | ToolsWhat::Refuse { .. } => return None,
        ToolsWhat::Accept { server, .. } => server.as_str(),
        ToolsWhat::Show { name } | ToolsWhat::Call { name, .. } => name.split_once("__")?.0,
    };
    let servers = context.settings.servers.iter();
    let mut found = servers.filter(|server| server.name == named);
    found.next().map(|server| server.name.clone())
}

async fn act(
    common: &Common,
    context: &AppContext,
    connected: &mut RunTools,
    what: Option<&ToolsWhat>,
) -> Result<Code, Failure> {
    for notice in context.notices() {
        print::err(&print::safe_line(&notice));
    }
    if let None | Some(ToolsWhat::List { .. }) = what {
        let wait = match what {
            Some(ToolsWhat::List { wait }) => *wait,
            _ => None,
        };
        until_ready(connected, wait).await;
    }
    for notice in connected.notices() {
        print::err(&print::safe_line(&notice));
    }
    let registry = context.checked(connected.tools())?;
    match what {
        None | Some(ToolsWhat::List { .. } | ToolsWhat::Refuse { .. }) => {
            let servers = connected.servers();
            list(common, &registry, &servers, &learned_store::tools(context));
            return Ok(all_ready(&servers));
        }
        Some(ToolsWhat::Show { name }) => show(common, &registry, &connected.servers(), name)?,
        Some(ToolsWhat::Call { name, args }) => {
            let servers = connected.servers();
            return call(common, context, (registry, &servers), name, args).await;
        }
        Some(ToolsWhat::Accept { server, hash, .. }) => {
            definitions::accept(context, &connected.servers(), server, hash.as_deref())?;
        }
    }
    Ok(Code::Ok)
}

/// Waits for servers that start, and with a limit of the operator also for those that restart.
async fn until_ready(connected: &mut RunTools, limit: Option<Duration>) {
    let ready = async {
        let mut shown = String::new();
        loop {
            let servers = connected.servers();
            let waits = |server: &&ServerView| {
                server.state == "starting" || (limit.is_some() && server.state == "restarting")
            };
            let names: Vec<&str> = servers.iter().filter(waits).map(|server| &*server.name).collect();
            if names.is_empty() {
                return;
            }
            let names = names.join(", ");
            if names != shown {
                print::err(&format!("waiting for MCP servers: {names}"));
                shown = names;
            }
            if let Some(notice) = connected.changed().await {
                print::err(&print::safe_line(&notice));
            }
        }
    };
    // What is not ready by then is shown as it is.
    let _ = tokio::time::timeout(limit.unwrap_or(WAIT), ready).await;
}

/// Returns the exit code of a list: a server that is not ready is a failure.
fn all_ready(servers: &[ServerView]) -> Code {
    let mut waits = servers.iter().filter(|server| server.state != "ready");
    if waits.clone().any(|server| server.state != "down") {
        print::err("hint: `overrule tools list --wait 2m` waits longer for servers that start");
    }
    if waits.next().is_some() {
        Code::Other
    } else {
        Code::Ok
    }
}

/// Returns a tool, or the refusal with the state of its server or similar names.
fn known<'r>(registry: &'r Registry, servers: &[ServerView], name: &str) -> Result<&'r ToolCard, Failure> {
    registry.spec(name).map(|spec| &spec.card).ok_or_else(|| {
        let of = name.split_once("__").map(|(server, _)| server);
        let mut down = servers.iter().filter(|server| server.state != "ready");
        if let Some(server) = down.find(|server| Some(&*server.name) == of) {
            let why = server
                .why
                .as_deref()
                .map(|why| format!(": {why}"))
                .unwrap_or_default();
            return Failure::new(
                Code::Usage,
                format!(
                    "cannot find the tool `{}`: the MCP server {} is {}{why}",
                    visible(name),
                    server.name,
                    server.state
                ),
            );
        }
        let near = registry.near(name);
        let hint = match near.first() {
            Some(near) => format!("did you mean `{near}`?"),
            None => "run `overrule tools list`".to_owned(),
        };
        Failure::new(
            Code::Usage,
            format!("cannot find the tool `{}`; hint: {hint}", visible(name)),
        )
    })
}

fn list(common: &Common, registry: &Registry, servers: &[ServerView], earlier: &[ToolRecord]) {
    if common.json {
        for server in servers {
            print::out(&json(&ToolLineView::Server(server_view(server))));
        }
        for card in registry.cards() {
            print::out(&json(&ToolLineView::Tool(tool_view(&card, servers))));
        }
        return;
    }
    for server in servers {
        let tokens: usize = server
            .tools
            .iter()
            .filter(|tool| tool.offered.is_some())
            .map(|tool| tool.tokens)
            .sum();
        let why = server
            .why
            .as_deref()
            .map(|why| format!(": {why}"))
            .unwrap_or_default();
        let facts: Vec<String> = server.facts().into_iter().collect();
        let facts = facts.join(", ");
        print::out(&format!(
            "server {}  {}{why}  {} tools  ~{tokens} tokens a request  {facts}",
            server.name,
            server.state,
            server.tools.len()
        ));
        print::out(&format!("  {}  ({})", server.command, server.file));
        if let Some(words) = learned_store::of_server(earlier, server) {
            print::out(&format!("  {words}"));
        }
        if !server.drift.is_empty() {
            print::out(&format!(
                "  changed since accepted; its calls ask. `overrule tools accept {}` shows the difference",
                server.name
            ));
        }
        for hidden in server.tools.iter().filter(|tool| tool.offered.is_none()) {
            print::out(&format!("  not offered: {}", hidden.name));
        }
        for skipped in &server.skipped {
            print::out(&format!("  skipped: {skipped}"));
        }
    }
    let cards = registry.cards();
    let widest = cards
        .iter()
        .map(|card| card.name.len())
        .max()
        .unwrap_or_default()
        .min(WIDEST);
    for card in &cards {
        print::out(&line(card, servers, widest));
    }
}

/// Formats a tool as one line.
fn line(card: &ToolCard, servers: &[ServerView], widest: usize) -> String {
    let mut words = vec![card.effect.label().to_owned()];
    words.extend(card.tags.iter().map(|tag| visible(tag)));
    let mut line = format!("{:widest$}  {}", visible(&card.name), words.join(", "));
    if let Some((server, tool)) = of_server(card, servers) {
        let _ = write!(line, "  {} › {}  ~{} tokens", server.name, tool.name, tool.tokens);
        if let Some(proposed) = tool.proposed.filter(|proposed| *proposed != card.effect) {
            let _ = write!(line, "  (the server suggests {})", proposed.label());
        }
    }
    line
}

fn of_server<'s>(card: &ToolCard, servers: &'s [ServerView]) -> Option<(&'s ServerView, &'s mcp::ToolView)> {
    servers.iter().find_map(|server| {
        let mut tools = server.tools.iter();
        let tool = tools.find(|tool| tool.offered.as_deref() == Some(&*card.name))?;
        Some((server, tool))
    })
}

fn tool_view<'c>(card: &'c ToolCard, servers: &[ServerView]) -> ToolView<'c> {
    let described = of_server(card, servers).map(|(_, tool)| server_tool_view(tool));
    ToolView::new(card, described.as_ref())
}

fn server_view(server: &ServerView) -> ToolServerView<'_> {
    ToolServerView {
        name: &server.name,
        command: &server.command,
        file: &server.file,
        state: server.state,
        why: server.why.as_deref(),
        protocol: server.protocol.as_deref(),
        pid: server.pid,
        start_ms: server.start_ms,
        restarts: server.restarts,
        skipped: &server.skipped,
        drift: &server.drift,
        tools: server.tools.iter().map(server_tool_view).collect(),
        log: server.log.as_ref().map(|file| visible(&file.to_string_lossy())),
        confined: server.confined,
    }
}

fn server_tool_view(tool: &mcp::ToolView) -> ServerToolView<'_> {
    ServerToolView {
        name: &tool.name,
        offered: tool.offered.as_deref(),
        claims: &tool.claims,
        proposed: tool.proposed,
        pin: &tool.pin,
        tokens: tool.tokens,
    }
}

fn show(common: &Common, registry: &Registry, servers: &[ServerView], name: &str) -> Result<(), Failure> {
    let card = known(registry, servers, name)?;
    let view = of_server(card, servers);
    if common.json {
        print::out(&json(&ToolDetailView {
            tool: tool_view(card, servers),
            description: &card.description,
            schema: serde_json::from_str(&card.schema).unwrap_or_default(),
            definition: view.map(|(_, tool)| &tool.definition.content),
        }));
        return Ok(());
    }
    print::out(&line(card, servers, 0));
    if let Some(origin) = &card.origin {
        print::out(&format!("pin  {}", visible(&origin.pin)));
    }
    if let Some(reason) = card.drift() {
        print::out("changed since accepted:");
        block(reason);
    }
    print::out("");
    block(&card.description);
    print::out("\narguments:");
    let schema: Value = serde_json::from_str(&card.schema).unwrap_or_default();
    block(&serde_json::to_string_pretty(&schema).unwrap_or_default());
    if let Some(output) = view.and_then(|(_, tool)| tool.definition.output_schema()) {
        print::out("\nresult:");
        let output: Value = serde_json::from_str(&output).unwrap_or_default();
        block(&serde_json::to_string_pretty(&output).unwrap_or_default());
    }
    Ok(())
}

/// Prints untrusted text.
fn block(text: &str) {
    for line in visible_lines(text) {
        print::out(&format!("  {line}"));
    }
}

async fn call(
    common: &Common,
    context: &AppContext,
    (registry, servers): (Registry, &[ServerView]),
    name: &str,
    args: &str,
) -> Result<Code, Failure> {
    let card = known(&registry, servers, name)?;
    let special = registry.facts(&card.name).and_then(|facts| facts.special);
    if special.is_some() {
        return Err(Failure::new(
            Code::Usage,
            format!("cannot call {}: only a run carries it out", visible(name)),
        ));
    }
    if let Some(difference) = card.drift() {
        let server = card.server().unwrap_or_default();
        return Err(Failure::new(
            Code::Halted,
            format!(
                "cannot call {}: its server changed since you accepted it:\n{difference}\nhint: `overrule tools accept {server}`",
                visible(name)
            ),
        ));
    }
    let faults = registry.check(name, args, true).unwrap_or_default();
    if !faults.is_empty() {
        let lines: Vec<String> = faults
            .iter()
            .map(|fault| format!("{} {}", fault.path, fault.message))
            .collect();
        return Err(Failure::new(
            Code::Usage,
            format!(
                "cannot call {}: invalid arguments:\n{}",
                visible(name),
                lines.join("\n")
            ),
        ));
    }
    let Some(tool) = registry.get(name).cloned() else {
        return Ok(Code::Other);
    };
    let schema = registry.checker(name).map(|checker| checker.schema().clone());
    let cancel = CancellationToken::new();
    let job = Job {
        // It belongs to no run.
        call: NodeId::FIRST,
        args: parse_args(args),
        text: Arc::from(args),
        key: overrule_engine::ids::session().to_string().into(),
        workspace: Arc::new(context.workspace.clone()),
        private: registry.private().clone(),
        withheld: tools::nothing_withheld(),
        cancel: cancel.clone(),
        profile: None,
        on_refused: Arc::new(|_| {}),
        sandbox: None,
        on_spawn: Arc::new(|_, _| {}),
        on_output: Arc::new(|_| {}),
        ask: tools::ask_nobody(),
    };
    let mut stop = super::signals::listen()?;
    let mut outcome = {
        let mut running = std::pin::pin!(tools::run(tool, job, Limits::default()));
        loop {
            tokio::select! {
                outcome = &mut running => break outcome,
                _ = stop.next() => cancel.cancel(),
            }
        }
    };
    Ladder::new(context.settings.resilience.clone(), overrule_engine::ids::seed()).classify(
        (name, args),
        schema.as_ref(),
        &mut outcome,
    );
    Ok(print_outcome(common, &outcome))
}

fn print_outcome(common: &Common, outcome: &Outcome) -> Code {
    if common.json {
        print::out(&serde_json::to_string(outcome).unwrap_or_default());
    }
    match outcome {
        Outcome::Ok {
            value,
            discarded,
            exit,
            ..
        } => {
            if !common.json {
                let value: Value = serde_json::from_str(value).unwrap_or_default();
                let text = match &value {
                    Value::String(text) => text.clone(),
                    json => serde_json::to_string_pretty(json).unwrap_or_default(),
                };
                print::out(&print::safe(&text));
            }
            if *discarded > 0 {
                print::err(&format!("{discarded} bytes left out"));
            }
            if exit.is_some() { Code::Other } else { Code::Ok }
        }
        Outcome::Err(error) => {
            print::err(&print::safe_text(&format!(
                "{}: {}",
                error.class.ending(),
                error.message
            )));
            if let Some(hint) = &error.hint {
                print::err(&print::safe_line(&format!("hint: {hint}")));
            }
            Code::Other
        }
        Outcome::Cancelled { executed } => {
            print::err(if *executed {
                "cancelled; it may have done something"
            } else {
                "cancelled before it began"
            });
            Code::Interrupted
        }
    }
}
