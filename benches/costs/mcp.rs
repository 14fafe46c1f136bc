//! Measures a call of a tool of an MCP server, beside the same call by the bare client.
//!
//! Must not know: how a call is decided or recorded.
//!
//! The server is this program itself, started as a child process: it answers at once. The difference of the two is what
//! the program adds: checks of the definitions, its own transport, bounds, redaction.

use std::collections::BTreeMap;
use std::future::Future;
use std::io::{self, BufRead as _, Write as _};
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::Arc;

use divan::Bencher;
use overrule::domain::call::Outcome;
use overrule::domain::id::NodeId;
use overrule::tools::run::Limits;
use overrule::tools::sources::Context;
use overrule::tools::sources::mcp::{Confinement, ServerConfig, Via, source};
use overrule::tools::{self, Job, Tool, ask_nobody};
use rmcp::RoleClient;
use rmcp::model::CallToolRequestParams;
use rmcp::service::{
    ClientLifecycleMode, RunningService, RxJsonRpcMessage, TxJsonRpcMessage, serve_client_with_lifecycle,
};
use rmcp::transport::Transport;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::runtime::Runtime;
use tokio::sync::{Mutex, mpsc};
use tokio_util::sync::CancellationToken;

/// The argument that makes this program the server.
const SERVE: &str = "mcp-server";
/// Bytes of the text that is sent there and back.
const TEXT: usize = 200;

/// Serves until its input ends, if this program was started as the server.
pub fn serves() -> bool {
    if std::env::args().nth(1).as_deref() != Some(SERVE) {
        return false;
    }
    let mut out = io::stdout().lock();
    for line in io::stdin().lock().lines().map_while(Result::ok) {
        let message: Value = serde_json::from_str(&line).unwrap();
        let result = match message["method"].as_str() {
            Some("initialize") => json!({
                "protocolVersion": "2025-11-25",
                "capabilities": { "tools": {} },
                "serverInfo": { "name": "echo", "version": "1" }
            }),
            Some("tools/list") => json!({ "tools": [{
                "name": "echo",
                "description": "Says the text again.",
                "inputSchema": { "type": "object", "properties": { "text": { "type": "string" } } }
            }] }),
            Some("tools/call") => {
                json!({ "content": [{ "type": "text", "text": message["params"]["arguments"]["text"] }] })
            }
            _ if message["id"].is_null() => continue,
            _ => {
                let error = json!({ "code": -32_601, "message": "no" });
                writeln!(
                    out,
                    "{}",
                    json!({ "jsonrpc": "2.0", "id": message["id"], "error": error })
                )
                .unwrap();
                out.flush().unwrap();
                continue;
            }
        };
        writeln!(
            out,
            "{}",
            json!({ "jsonrpc": "2.0", "id": message["id"], "result": result })
        )
        .unwrap();
        out.flush().unwrap();
    }
    true
}

fn runtime() -> Runtime {
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    builder.worker_threads(2).enable_all().build().unwrap()
}

fn arguments() -> Value {
    json!({ "text": "x".repeat(TEXT) })
}

/// The least that carries messages over a child's pipes.
struct Pipes {
    lines: Lines<BufReader<ChildStdout>>,
    input: Arc<Mutex<ChildStdin>>,
}

impl Transport<RoleClient> for Pipes {
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let input = Arc::clone(&self.input);
        async move {
            let mut line = serde_json::to_vec(&message)?;
            line.push(b'\n');
            let mut input = input.lock().await;
            input.write_all(&line).await?;
            input.flush().await
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        let line = self.lines.next_line().await.ok()??;
        serde_json::from_str(&line).ok()
    }

    async fn close(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The client of the library, with nothing around it.
async fn bare() -> (RunningService<RoleClient, ()>, Child) {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .arg(SERVE)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let pipes = Pipes {
        lines: BufReader::new(child.stdout.take().unwrap()).lines(),
        input: Arc::new(Mutex::new(child.stdin.take().unwrap())),
    };
    let client = serve_client_with_lifecycle((), pipes, ClientLifecycleMode::Initialize).await;
    (client.unwrap(), child)
}

/// The tool as a run has it.
async fn connected() -> (Arc<dyn overrule::tools::sources::Source>, Arc<dyn Tool>) {
    let program = std::env::current_exe().unwrap().to_str().unwrap().to_owned();
    let server = ServerConfig {
        name: "echo".to_owned(),
        via: Via::Command {
            program,
            args: vec![SERVE.to_owned()],
            env: BTreeMap::new(),
            cwd: None,
        },
        tools: Vec::new(),
        limit: ServerConfig::LIMIT,
        file: "f".to_owned(),
        secrets: Vec::new(),
        confinement: Confinement::default(),
        written: "echo".to_owned(),
    };
    let context = Context {
        servers: vec![server],
        workspace: PathBuf::from("/"),
        ..Context::default()
    };
    let (changes, mut heard) = mpsc::channel(64);
    tokio::spawn(async move { while heard.recv().await.is_some() {} });
    let source = source();
    let mut tools = source.connect(&context, changes).await;
    (source, tools.remove(0))
}

fn job() -> Job {
    Job {
        call: NodeId::FIRST,
        args: arguments(),
        text: arguments().to_string().into(),
        key: "key".into(),
        workspace: Arc::new(PathBuf::from("/")),
        private: Arc::from([]),
        withheld: overrule::tools::nothing_withheld(),
        cancel: CancellationToken::new(),
        profile: None,
        sandbox: None,
        on_refused: Arc::new(|_| {}),
        on_spawn: Arc::new(|_, _| {}),
        on_output: Arc::new(|_| {}),
        ask: ask_nobody(),
    }
}

#[divan::bench(sample_count = 1000, sample_size = 1)]
fn mcp_call_by_the_bare_client(bencher: Bencher<'_, '_>) {
    let runtime = runtime();
    let (client, _child) = runtime.block_on(bare());
    let arguments = arguments().as_object().unwrap().clone();
    bencher.bench_local(|| {
        let params = CallToolRequestParams::new("echo").with_arguments(arguments.clone());
        let result = runtime.block_on(client.peer().call_tool(params)).unwrap();
        assert_ne!(result.is_error, Some(true));
    });
}

#[divan::bench(sample_count = 1000, sample_size = 1)]
fn mcp_call_of_a_run(bencher: Bencher<'_, '_>) {
    let runtime = runtime();
    let (source, tool) = runtime.block_on(connected());
    bencher.bench_local(|| {
        let outcome = runtime.block_on(tools::run(Arc::clone(&tool), job(), Limits::default()));
        assert!(matches!(outcome, Outcome::Ok { .. }), "{outcome:?}");
    });
    runtime.block_on(source.close());
}
