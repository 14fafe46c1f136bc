//! An MCP server of the tests: speaks both generations over its standard input and output, and misbehaves on request.
//!
//! Must not know: the program that it is tested with.
//!
//! Variables set how it starts; the names of its tools say how their calls end. It appends what happens to a file, so
//! that a test sees what ran and what did not.

use std::io::Write as _;
use std::time::Duration;

use serde_json::{Value, json};

/// The variable that names the file; without it this is no server.
pub const LOG: &str = "FAULTY_LOG";

struct Server {
    log: String,
    new: bool,
    version: String,
    start: String,
    probe: String,
    dropped: Vec<String>,
}

#[expect(clippy::disallowed_methods, reason = "its settings are its environment")]
fn set(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// Serves until its input ends, if it was started as a server.
pub fn serve() {
    let Some(log) = set(LOG) else { return };
    let changed = std::fs::read_to_string(format!("{log}.version")).ok();
    let start = std::fs::read_to_string(format!("{log}.start")).ok();
    let server = Server {
        log,
        new: set("FAULTY_GENERATION").as_deref() == Some("new"),
        version: changed.unwrap_or_else(|| "1".to_owned()),
        start: start.or_else(|| set("FAULTY_START")).unwrap_or_default(),
        probe: set("FAULTY_PROBE").unwrap_or_default(),
        dropped: Vec::new(),
    };
    server.run();
    // The harness of the tests would go on otherwise.
    std::process::exit(0);
}

/// Writes a message, in the odd way that the settings want.
fn say(message: &Value) {
    let mut message = message.clone();
    let text = match set("FAULTY_WRITES").as_deref() {
        Some("nulls") => {
            let other = if message.get("error").is_some() {
                "result"
            } else {
                "error"
            };
            message[other] = Value::Null;
            message["id"] = message["id"].to_string().into();
            message.to_string()
        }
        Some("lines") => serde_json::to_string_pretty(&message).unwrap_or_default(),
        Some("words") => format!("loading... {message}"),
        Some("list") => format!("[{message}]"),
        Some("mark") => format!("\u{feff}{message}\r"),
        Some("no_end") => {
            raw(&message.to_string());
            return;
        }
        _ => message.to_string(),
    };
    raw(&format!("{text}\n"));
}

fn raw(text: &str) {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes()).unwrap_or_default();
    out.flush().unwrap_or_default();
}

/// Says that the tools changed whenever this file has other words.
fn watch(file: String) {
    std::thread::spawn(move || {
        let mut before = std::fs::read_to_string(&file).ok();
        loop {
            std::thread::sleep(Duration::from_millis(20));
            let now = std::fs::read_to_string(&file).ok();
            if now != before {
                before = now;
                say(&json!({ "jsonrpc": "2.0", "method": "notifications/tools/list_changed" }));
            }
        }
    });
}

fn answer(id: &Value, result: Value) {
    say(&json!({ "jsonrpc": "2.0", "id": id, "result": result }));
}

fn error(id: &Value, code: i64, message: &str) {
    say(&json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } }));
}

fn text(text: &str) -> Value {
    json!({ "content": [{ "type": "text", "text": text }] })
}

/// A list with tools that cannot be read or used, and an empty cursor.
fn odd_list(tools: &[Value]) -> Value {
    let pattern =
        json!({ "type": "object", "properties": { "text": { "type": "string", "pattern": "^[^]*$" } } });
    let mut echo = tools[0].clone();
    echo["annotations"] = json!([]);
    echo["title"] = Value::Null;
    json!({
        "tools": [
            echo,
            { "name": "bare" },
            { "name": "" , "inputSchema": {} },
            { "name": "pattern", "inputSchema": pattern },
            { "name": "task", "inputSchema": {}, "execution": { "taskSupport": "required" } },
            7
        ],
        "nextCursor": ""
    })
}

/// Does what the arguments say, and tells how it ended.
fn act(args: &Value) -> String {
    let word = |name: &str| args[name].as_str();
    let done = if let Some(file) = word("write") {
        std::fs::write(file, "written").map(|()| "written".to_owned())
    } else if let Some(file) = word("read") {
        std::fs::read_to_string(file)
    } else if let Some(at) = word("connect") {
        std::net::TcpStream::connect(at).map(|_| "connected".to_owned())
    } else {
        get(word("get").unwrap_or_default())
    };
    done.unwrap_or_else(|error| format!("failed: {error}"))
}

/// Asks for a page by the proxy of the environment.
fn get(url: &str) -> std::io::Result<String> {
    use std::io::Read as _;
    let proxy = set("HTTP_PROXY").unwrap_or_default();
    let mut stream = std::net::TcpStream::connect(proxy.trim_start_matches("http://"))?;
    let host = url
        .trim_start_matches("http://")
        .split('/')
        .next()
        .unwrap_or_default();
    stream.write_all(format!("GET {url} HTTP/1.1\r\nHost: {host}\r\n\r\n").as_bytes())?;
    let mut page = String::new();
    stream.read_to_string(&mut page)?;
    Ok(page)
}

impl Server {
    fn note(&self, line: &str) {
        let file = std::fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(&self.log);
        if let Ok(mut file) = file {
            writeln!(file, "{line}").unwrap_or_default();
        }
    }

    fn run(mut self) {
        // The harness may have begun a line.
        raw("\n");
        self.note("start");
        let stderr = set("FAULTY_STDERR").unwrap_or_else(|| "a word on standard error".to_owned());
        eprintln!("{stderr}");
        if set("FAULTY_WATCH").is_some() {
            watch(format!("{}.version", self.log));
        }
        match self.start.as_str() {
            "exit" => std::process::exit(3),
            "silent" => loop {
                std::thread::sleep(Duration::from_secs(3_600));
            },
            "late" => std::thread::sleep(Duration::from_secs(12)),
            _ => {}
        }
        loop {
            let mut line = String::new();
            // The lock is not kept: a call may wait for a reply itself.
            if !matches!(std::io::stdin().read_line(&mut line), Ok(1..)) {
                break;
            }
            let Ok(message) = serde_json::from_str::<Value>(&line) else {
                continue;
            };
            self.take(&message);
        }
        self.note("input ended");
    }

    fn take(&mut self, message: &Value) {
        let changed = std::fs::read_to_string(format!("{}.version", self.log));
        if let (Ok(changed), true) = (changed, set("FAULTY_WATCH").is_some()) {
            self.version = changed;
        }
        let (id, params) = (&message["id"], &message["params"]);
        self.note_probe(message);
        match message["method"].as_str().unwrap_or_default() {
            "server/discover" if self.probe == "silent" => {}
            "server/discover" if self.new => {
                let version = "2026-07-28";
                answer(
                    id,
                    json!({
                        "resultType": "complete",
                        "supportedVersions": [version],
                        "capabilities": { "tools": { "listChanged": true } },
                        "ttlMs": 60_000,
                        "cacheScope": "private"
                    }),
                );
            }
            "initialize" if !self.new => answer(
                id,
                json!({
                    "protocolVersion": "2025-11-25",
                    "capabilities": { "tools": { "listChanged": true } },
                    "serverInfo": { "name": "faulty", "version": "1" }
                }),
            ),
            "tools/list" => self.list(id, params),
            // A server that never answers this must not keep its tools from being used.
            "subscriptions/listen" if set("FAULTY_LISTEN").is_some() => self.note("listen"),
            "tools/call" => self.call(id, params),
            "notifications/cancelled" => self.note(&format!("cancelled {}", params["requestId"])),
            "ping" => answer(id, json!({})),
            "" => self.note(&format!("reply {}", message["error"]["code"])),
            _ if id.is_null() => {}
            method => error(id, -32_601, &format!("Method not found: {method}")),
        }
    }

    /// A server of last year: it ends at the question of the newer protocol, or says nothing to it.
    fn note_probe(&self, message: &Value) {
        if message["method"] == "server/discover" {
            self.note("discover");
            match self.probe.as_str() {
                "exit" => std::process::exit(1),
                "silent" => self.note("silent"),
                _ => {}
            }
        }
    }

    /// Two pages: a client that reads one misses half.
    fn list(&self, id: &Value, params: &Value) {
        self.note("list");
        let mut tools = self.tools();
        let fault = set("FAULTY_LIST").unwrap_or_default();
        if fault == "endless" {
            answer(
                id,
                json!({ "resultType": "complete", "tools": [], "nextCursor": "1" }),
            );
            return;
        }
        if fault == "odd" {
            answer(id, odd_list(&tools));
            return;
        }
        if fault == "double" {
            let mut second = tools[0].clone();
            second["description"] = "Says something else.".into();
            tools.push(second);
        }
        let second = tools.split_off(4);
        let result = if params["cursor"] == "2" {
            json!({ "resultType": "complete", "tools": second })
        } else {
            json!({ "resultType": "complete", "tools": tools, "nextCursor": "2" })
        };
        answer(id, result);
    }

    fn tools(&self) -> Vec<Value> {
        let object = json!({ "type": "object" });
        let says = json!({
            "type": "object",
            "properties": { "text": { "type": "string" }, "times": { "type": "integer" } },
            "required": ["text"]
        });
        let names = [
            "fail",
            "refuse",
            "die",
            "hang",
            "flood",
            "twice",
            "wrong_id",
            "junk",
            "slow",
            "picture",
            "structure",
            "drift",
            "ask",
            "give_up",
            "sample",
            "big",
        ];
        let tool = |name: &&str| json!({ "name": name, "description": format!("does {name}"), "inputSchema": object });
        // The version "more" has one tool more, and the others as they were.
        let more = self.version == "more";
        let version = if more { "1" } else { &self.version };
        let echo = json!({
            "name": "echo",
            "title": "Echo",
            "description": format!("Says the text again (version {version})."),
            "inputSchema": says,
            "annotations": { "readOnlyHint": true, "openWorldHint": false }
        });
        let broken =
            json!({ "name": "broken", "inputSchema": { "type": "object", "$ref": "file:///etc/passwd" } });
        let mut tools = vec![echo, broken];
        tools.extend(names.iter().map(tool));
        tools.extend(more.then(|| tool(&"more")));
        tools.extend(set("FAULTY_ACTS").map(|_| tool(&"act")));
        tools.retain(|tool| !self.dropped.iter().any(|name| tool["name"] == **name));
        tools
    }

    fn call(&mut self, id: &Value, params: &Value) {
        let name = params["name"].as_str().unwrap_or_default().to_owned();
        let args = &params["arguments"];
        // A server that repeats its key.
        let key = set("FAULTY_TOKEN").unwrap_or_default();
        self.note(&format!("call {name} {args}"));
        match name.as_str() {
            "echo" => answer(id, text(args["text"].as_str().unwrap_or_default())),
            // A server that words its refusals in its own way.
            "fail" if args["when"] == "2024-10-26" => answer(id, text("booked")),
            "fail" if set("FAULTY_SAYS").is_some() => {
                let words = set("FAULTY_SAYS").unwrap_or_default();
                answer(
                    id,
                    json!({ "content": [{ "type": "text", "text": words }], "isError": true }),
                );
            }
            "fail" => answer(
                id,
                json!({
                    "content": [{ "type": "text", "text": format!("MCP error -32602: Invalid arguments: path{key}") }],
                    "isError": true
                }),
            ),
            "refuse" => error(id, -32_602, &format!("Unknown argument: nmae{key}")),
            "die" => {
                eprintln!("dying now{key}");
                std::process::exit(9);
            }
            "hang" => {}
            "flood" => raw(&"x".repeat(17 << 20)),
            "twice" => {
                answer(id, text("first"));
                answer(id, text("second"));
            }
            "wrong_id" => answer(&json!(999_999), text("not yours")),
            "junk" => {
                raw("this is no message\n{\"half\": \n\u{1b}[2J\n");
                answer(id, text("after junk"));
            }
            "slow" => {
                let token = &params["_meta"]["progressToken"];
                for step in 1..=3 {
                    say(&json!({
                        "jsonrpc": "2.0", "method": "notifications/progress",
                        "params": { "progressToken": token, "progress": step, "total": 3, "message": format!("working{key}") }
                    }));
                    // Long enough to be seen.
                    if set("FAULTY_SLOW").is_some() {
                        std::thread::sleep(Duration::from_secs(3));
                    }
                }
                answer(id, text("slow but done"));
            }
            "picture" => answer(
                id,
                json!({ "content": [{ "type": "image", "data": "AAAA".repeat(100), "mimeType": "image/png" }] }),
            ),
            "structure" => answer(
                id,
                json!({
                    "content": [{ "type": "text", "text": "{\"sum\":3}" }],
                    "structuredContent": if key.is_empty() { json!({ "sum": 3 }) } else { json!({ "sum": 3, "key": key }) }
                }),
            ),
            "drift" => {
                "changed".clone_into(&mut self.version);
                self.dropped.push("fail".to_owned());
                say(&json!({ "jsonrpc": "2.0", "method": "notifications/tools/list_changed" }));
                answer(id, text("drifted"));
            }
            "ask" => say(&json!({
                "jsonrpc": "2.0", "id": "q1", "method": "elicitation/create",
                "params": {
                    "message": format!("Your name?{key}"),
                    "requestedSchema": { "type": "object", "properties": { "name": { "type": "string" } }, "required": ["name"] }
                }
            })),
            "give_up" => {
                say(&json!({
                    "jsonrpc": "2.0", "id": "q3", "method": "elicitation/create",
                    "params": { "message": "Delete it?", "requestedSchema": { "type": "object", "properties": {} } }
                }));
                say(&json!({
                    "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": "q3" }
                }));
                // Long after the question is gone.
                std::thread::sleep(std::time::Duration::from_secs(3));
                answer(id, text("did without"));
            }
            "sample" => say(&json!({
                "jsonrpc": "2.0", "id": "q2", "method": "sampling/createMessage",
                "params": { "messages": [], "maxTokens": 1 }
            })),
            "act" => answer(id, text(&act(args))),
            "big" => answer(id, text(&"y".repeat(2 << 20))),
            other => error(id, -32_602, &format!("Unknown tool: {other}")),
        }
        if matches!(name.as_str(), "ask" | "sample") {
            self.late(id);
        }
    }

    /// Answers a call once the client has replied to a question of the server.
    fn late(&self, id: &Value) {
        let mut line = String::new();
        std::io::stdin().read_line(&mut line).unwrap_or_default();
        let reply: Value = serde_json::from_str(&line).unwrap_or_default();
        self.note(&format!("reply {}", reply["error"]["code"]));
        answer(
            id,
            text(&format!(
                "the client said {}{}",
                reply["error"]["message"], reply["result"]
            )),
        );
    }
}
