//! Tests that no call is sent under definitions that were not decided on, over many changes of a server.
//!
//! Must not know: processes, sockets.

use rmcp::RoleClient;
use rmcp::service::{ClientLifecycleMode, RunningService, serve_client_with_lifecycle};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream};
use tokio::sync::mpsc;

use super::*;
use crate::sources::mcp::call::{Target, call, send};
use crate::sources::mcp::definition::Definition;
use crate::sources::mcp::handler::Handler;
use crate::sources::mcp::reader::Reader;
use crate::sources::mcp::setup::{Confinement, Secrets, Via};
use crate::sources::mcp::transport::{Closed, Lines};
use crate::tool::Job;
use overrule_domain::call::Outcome;
use overrule_domain::id::{NodeId, NodeKind};

mod asking;

/// How often the server changes its definitions.
const CHANGES: u32 = 1_000;

/// A server in this process: its tools, and the calls that reached it.
#[derive(Default)]
struct Fake {
    tools: Vec<Value>,
    version: u32,
    /// Each with the version that it was decided on and the version in force.
    calls: Vec<(u64, u32)>,
}

type Shared = Arc<Mutex<Fake>>;

/// Serves until its input ends. A change of the tools is reported together with it.
async fn serve(stream: DuplexStream, fake: Shared, mut changes: mpsc::Receiver<Vec<Value>>) {
    let (read, mut write) = tokio::io::split(stream);
    let mut lines = BufReader::new(read).lines();
    loop {
        let reply = tokio::select! {
            line = lines.next_line() => {
                let Ok(Some(line)) = line else { return };
                answer(&serde_json::from_str(&line).unwrap(), &fake)
            }
            Some(tools) = changes.recv() => {
                let mut fake = fake.lock().unwrap();
                fake.tools = tools;
                fake.version += 1;
                Some(json!({ "jsonrpc": "2.0", "method": "notifications/tools/list_changed" }))
            }
        };
        if let Some(reply) = reply {
            write.write_all(format!("{reply}\n").as_bytes()).await.unwrap();
        }
    }
}

fn answer(message: &Value, fake: &Shared) -> Option<Value> {
    let mut fake = fake.lock().unwrap();
    let result = match message["method"].as_str()? {
        "initialize" => json!({
            "protocolVersion": "2025-11-25",
            "capabilities": { "tools": { "listChanged": true } },
            "serverInfo": { "name": "fake", "version": "1" }
        }),
        "tools/list" => json!({ "tools": fake.tools }),
        "tools/call" => {
            let decided = message["params"]["arguments"]["decided"].as_u64()?;
            let version = fake.version;
            fake.calls.push((decided, version));
            json!({ "content": [{ "type": "text", "text": "done" }] })
        }
        _ => return None,
    };
    Some(json!({ "jsonrpc": "2.0", "id": message["id"], "result": result }))
}

/// Pseudo-random numbers, the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        usize::try_from(self.0 >> 33).unwrap() % most
    }
}

fn tool(name: &str) -> Value {
    json!({ "name": name, "description": "reads", "inputSchema": { "type": "object" } })
}

/// Changes one thing about one tool, or the list.
fn drifted(tools: &[Value], round: u32, numbers: &mut Numbers) -> Vec<Value> {
    let mut tools = tools.to_vec();
    let at = numbers.below(tools.len());
    let one = &mut tools[at];
    match numbers.below(8) {
        0 => one["description"] = format!("reads, round {round}").into(),
        1 => one["title"] = format!("Read {round}").into(),
        2 => one["inputSchema"]["properties"][format!("p{round}")] = json!({ "type": "string" }),
        3 => one["inputSchema"]["required"] = json!([format!("r{round}")]),
        4 => one["outputSchema"] = json!({ "type": "object", "title": round.to_string() }),
        5 => {
            one["annotations"] =
                json!({ "readOnlyHint": round.is_multiple_of(2), "title": round.to_string() });
        }
        6 if tools.len() > 2 => _ = tools.remove(at),
        _ => tools.push(tool(&format!("new_{round}"))),
    }
    tools
}

fn config() -> ServerConfig {
    ServerConfig {
        name: "fake".into(),
        via: Via::Command {
            program: "fake".into(),
            args: Vec::new(),
            env: Secrets::new(),
            cwd: None,
        },
        tools: Vec::new(),
        limit: ServerConfig::LIMIT,
        file: "f".into(),
        secrets: Vec::new(),
        written: "fake".into(),
        confinement: Confinement::default(),
    }
}

/// Connects to the server, and keeps its definitions current.
async fn connected(
    config: ServerConfig,
    pins: &Path,
    stream: DuplexStream,
) -> (Arc<Server>, RunningService<RoleClient, Handler>) {
    let places = (PathBuf::from("/"), None, Some(pins.to_owned()));
    let server = Arc::new(Server::new(config, Environment::default(), places, None));
    let (read, write) = tokio::io::split(stream);
    let (log, told) = (Arc::clone(&server.log), Arc::clone(&server.told));
    let reader = Arc::new(Reader::new(log, told, false));
    let lines = Lines::new(BufReader::new(read), write, reader, Closed::default());
    let mode = ClientLifecycleMode::Initialize;
    let running = serve_client_with_lifecycle(server.handler(), server.watched(lines), mode)
        .await
        .unwrap();
    let connection = Connection {
        peer: running.peer().clone(),
        pid: None,
        closing: CancellationToken::new(),
        handshake: Duration::ZERO,
    };
    let follows = Arc::clone(&server);
    tokio::spawn(async move {
        let on_change: OnChange = Arc::new(|_| Box::pin(async {}));
        follows.follow(&connection, &on_change).await
    });
    (server, running)
}

/// A call of one of the tools, as decided on these definitions.
async fn called(server: &Server, live: &Live, version: u32, numbers: &mut Numbers) -> Outcome {
    let tool = &live.tools[numbers.below(live.tools.len())];
    call(server, &target(server, live, tool), job(version)).await
}

fn target(server: &Server, live: &Live, tool: &Definition) -> Target {
    Target {
        tool: tool.name.clone(),
        pin: tool.pin(&server.config.identity()),
        drift: live.drift(),
    }
}

fn job(version: u32) -> Job {
    Job {
        call: NodeId::new(NodeKind::Call, 1),
        args: json!({ "decided": version }),
        text: json!({ "decided": version }).to_string().into(),
        key: "key".into(),
        workspace: Arc::new(PathBuf::from("/")),
        private: Arc::from([]),
        withheld: crate::tool::nothing_withheld(),
        cancel: CancellationToken::new(),
        profile: None,
        on_refused: Arc::new(|_| {}),
        sandbox: None,
        on_spawn: Arc::new(|_, _| {}),
        on_output: Arc::new(|_| {}),
        ask: crate::tool::ask_nobody(),
    }
}

/// Waits until the definitions of this version are in force.
async fn current(server: &Server, before: Option<&str>) -> Arc<Live> {
    for _ in 0..1_000 {
        tokio::time::sleep(Duration::from_secs(1)).await;
        if let Phase::Ready(live) = server.phase()
            && before.is_none_or(|hash| *hash != live.hash)
        {
            return live;
        }
    }
    panic!("the definitions were not read again")
}

/// Changes the definitions many times, and calls a tool under the old and the new ones each time. Returns the calls that
/// reached the server.
async fn changes(pins: &Path) -> Vec<(u64, u32)> {
    let fake: Shared = Arc::default();
    fake.lock().unwrap().tools = ["a", "b", "c"].map(tool).to_vec();
    let (ours, theirs) = tokio::io::duplex(1 << 20);
    let (sender, receiver) = mpsc::channel(1);
    tokio::spawn(serve(theirs, Arc::clone(&fake), receiver));
    let (server, _running) = connected(config(), pins, ours).await;
    let mut live = current(&server, None).await;
    let mut numbers = Numbers(7);
    for round in 0..CHANGES {
        let tools = drifted(&fake.lock().unwrap().tools.clone(), round, &mut numbers);
        sender.send(tools).await.unwrap();
        tokio::time::sleep(Duration::from_millis(1)).await;
        let old = called(&server, &live, round, &mut numbers).await;
        assert!(
            matches!(&old, Outcome::Err(error) if !error.executed),
            "round {round}: {old:?}"
        );
        live = current(&server, Some(&live.hash)).await;
        assert!(live.drift().is_some(), "round {round}");
        let new = called(&server, &live, round + 1, &mut numbers).await;
        assert!(matches!(new, Outcome::Ok { .. }), "round {round}: {new:?}");
    }
    std::mem::take(&mut fake.lock().unwrap().calls)
}

#[tokio::test(start_paused = true)]
async fn no_call_of_a_thousand_changes_is_sent_under_definitions_that_nobody_saw() {
    let dir = tempfile::tempdir().unwrap();
    let calls = changes(dir.path()).await;
    assert_eq!(
        calls.len(),
        CHANGES as usize,
        "those of the new definitions alone"
    );
    assert!(
        calls
            .iter()
            .all(|(decided, version)| *decided == u64::from(*version))
    );
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_handed_over_when_a_change_arrives_is_not_sent() {
    let dir = tempfile::tempdir().unwrap();
    let fake: Shared = Arc::default();
    fake.lock().unwrap().tools = vec![tool("a")];
    let (ours, theirs) = tokio::io::duplex(1 << 20);
    let (_sender, receiver) = mpsc::channel(1);
    tokio::spawn(serve(theirs, Arc::clone(&fake), receiver));
    let (server, _running) = connected(config(), dir.path(), ours).await;
    let live = current(&server, None).await;
    let target = target(&server, &live, &live.tools[0]);
    // After the last check of the call, and before the connection took it.
    server.current.outdate();
    // Meanwhile it is shown as it was.
    let view = crate::sources::mcp::ServerView::new(&server, &[]);
    assert_eq!(
        (view.state, view.tools.len(), view.hash.is_some()),
        ("starting", 1, true)
    );
    let outcome = send(&server, &live, &target, job(0)).await;
    assert!(
        matches!(&outcome, Outcome::Err(error) if !error.executed && error.message.contains("it is not sent")),
        "{outcome:?}"
    );
    assert!(fake.lock().unwrap().calls.is_empty());
}

#[tokio::test(start_paused = true)]
async fn keys_are_removed_from_definitions_before_they_are_stored() {
    let dir = tempfile::tempdir().unwrap();
    let fake: Shared = Arc::default();
    let mut tools = ["a", "canary-key-b"].map(tool).to_vec();
    tools[0]["description"] = "calls with canary-key".into();
    tools[0]["inputSchema"]["properties"] = json!({ "t": { "type": "string", "default": "canary-key" } });
    fake.lock().unwrap().tools = tools;
    let (ours, theirs) = tokio::io::duplex(1 << 20);
    let (_sender, receiver) = mpsc::channel(1);
    tokio::spawn(serve(theirs, Arc::clone(&fake), receiver));
    let secret = ServerConfig {
        secrets: vec!["canary-key".to_owned().into()],
        ..config()
    };
    let (server, _running) = connected(secret, dir.path(), ours).await;
    let live = current(&server, None).await;
    assert_eq!(live.tools.len(), 1, "a name with a key cannot be called");
    let definition = live.tools[0].content.to_string();
    assert!(
        definition.contains("calls with [redacted 10 bytes]"),
        "{definition}"
    );
    let stored = std::fs::read_dir(dir.path())
        .unwrap()
        .map(|file| file.unwrap().path());
    let stored: Vec<String> = stored
        .map(|path| std::fs::read_to_string(path).unwrap())
        .collect();
    assert_eq!(stored.len(), 1);
    for text in [definition, stored.concat(), server.log.last().concat()] {
        assert!(!text.contains("canary"), "{text}");
    }
}
