//! Tests of calls that wait for the operator: their time limits.
//!
//! Must not know: processes, sockets.

use super::*;
use crate::run::{Limits, run};
use crate::sources::mcp::tool::McpTool;
use crate::tool::{LONGEST, Tool};

/// Serves one tool that asks the operator, and gives the reply as its result. The tool `slow` never answers.
async fn serve_asking(stream: DuplexStream) {
    let (read, mut write) = tokio::io::split(stream);
    let mut lines = BufReader::new(read).lines();
    let fake = Shared::default();
    fake.lock().unwrap().tools = vec![tool("ask"), tool("slow")];
    let mut open = Value::Null;
    while let Ok(Some(line)) = lines.next_line().await {
        let message: Value = serde_json::from_str(&line).unwrap();
        let reply = match message["method"].as_str() {
            Some("tools/call") if message["params"]["name"] == "ask" => {
                open = message["id"].clone();
                Some(json!({
                    "jsonrpc": "2.0", "id": "q", "method": "elicitation/create",
                    "params": { "message": "Sure?", "requestedSchema": { "type": "object", "properties": {} } }
                }))
            }
            Some("tools/call") => None,
            None if message["id"] == "q" => Some(json!({
                "jsonrpc": "2.0", "id": open,
                "result": { "content": [{ "type": "text", "text": message["result"]["action"] }] }
            })),
            _ => answer(&message, &fake),
        };
        if let Some(reply) = reply {
            write.write_all(format!("{reply}\n").as_bytes()).await.unwrap();
        }
    }
}

/// Runs a tool of the server with all its limits. The operator thinks for a while and accepts. Returns how long it took.
async fn ran(name: &str, thinks: Duration) -> (Outcome, Duration) {
    let dir = tempfile::tempdir().unwrap();
    let (ours, theirs) = tokio::io::duplex(1 << 20);
    tokio::spawn(serve_asking(theirs));
    let (server, _running) = connected(config(), dir.path(), ours).await;
    let live = current(&server, None).await;
    let definition = live.tools.iter().find(|tool| tool.name == name).unwrap();
    let schema = live.schema(definition).unwrap();
    let tool = McpTool::new(Arc::clone(&server), definition, (name, schema), live.drift());
    let tool: Arc<dyn Tool> = Arc::new(tool);
    let limits = Limits::of(&*tool);
    let job = Job {
        call: NodeId::new(NodeKind::Call, 1),
        args: json!({}),
        text: "{}".into(),
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
        ask: Arc::new(move |_, _, _| {
            Box::pin(async move {
                tokio::time::sleep(thinks).await;
                Some(Arc::from("\"accept\""))
            })
        }),
    };
    let began = tokio::time::Instant::now();
    (run(tool, job, limits).await, began.elapsed())
}

#[tokio::test(start_paused = true)]
async fn no_time_limit_ends_a_call_while_the_operator_thinks() {
    let lunch = LONGEST * 3;
    let (outcome, took) = ran("ask", lunch).await;
    let Outcome::Ok { value, .. } = &outcome else {
        panic!("{outcome:?}")
    };
    assert!(value.contains("accept"), "{value}");
    assert!(took >= lunch);
}

#[tokio::test(start_paused = true)]
async fn a_call_without_a_question_ends_at_its_own_limit() {
    let (outcome, took) = ran("slow", Duration::ZERO).await;
    assert!(
        matches!(&outcome, Outcome::Err(error) if error.executed),
        "{outcome:?}"
    );
    assert!(took >= ServerConfig::LIMIT && took < LONGEST, "{took:?}");
}
