//! An agent that knows nothing of the proxy: it sends its history, reads the reply, runs its tools, and goes on.
//!
//! Must not know: what the proxy does.
//!
//! A tool that it does not have it answers itself, without running anything and without stopping.

use std::sync::{Arc, Mutex};

use futures_util::StreamExt;
use overrule::model::decode::{Summary, summary};
use overrule::model::wire::Wire;
use serde_json::{Value, json};

/// The tools of the agent.
pub const TOOLS: [&str; 2] = ["bash", "edit"];

/// What the agent ran, in order: tool and arguments.
pub type Ran = Arc<Mutex<Vec<(String, Value)>>>;

/// The agent.
#[derive(Clone)]
pub struct Agent {
    base: String,
    wire: Wire,
    history: Vec<Value>,
    /// What it ran.
    pub ran: Ran,
    streams: bool,
    /// True for an agent that gives calls ids of its own.
    invents_ids: bool,
    /// True for a program that the proxy does not know: it ends at a tool that it does not have.
    is_unknown: bool,
    /// Headers of its requests.
    headers: Vec<(&'static str, &'static str)>,
    /// The program that it says to be, if it is a known one.
    sent_as: &'static str,
    /// What it sends to show who its user is.
    log_in: &'static str,
    /// The tools that it offers.
    tools: &'static [&'static str],
}

impl Agent {
    /// An agent that speaks this format with the model at this address.
    pub fn new(wire: &str, base: &str) -> Self {
        Self {
            base: base.to_owned(),
            wire: Wire::named(wire).unwrap(),
            history: Vec::new(),
            ran: Ran::default(),
            streams: true,
            invents_ids: false,
            is_unknown: false,
            headers: Vec::new(),
            sent_as: "claude-cli/2.1.332 (external, cli)",
            log_in: "canary-5c1f",
            tools: &TOOLS,
        }
    }

    /// The same at another address.
    pub fn at(mut self, base: &str) -> Self {
        base.clone_into(&mut self.base);
        self
    }

    /// The same with ids of its own for calls that the model gave none.
    pub fn with_ids_of_its_own(mut self) -> Self {
        self.invents_ids = true;
        self
    }

    /// The same as a program that the proxy does not know.
    pub fn unknown(mut self) -> Self {
        self.is_unknown = true;
        self
    }

    /// The same as another known program.
    pub const fn of_program(mut self, sent_as: &'static str) -> Self {
        self.sent_as = sent_as;
        self
    }

    /// The same under another log-in.
    pub const fn with_log_in(mut self, log_in: &'static str) -> Self {
        self.log_in = log_in;
        self
    }

    /// The same with other tools.
    pub const fn with_tools(mut self, tools: &'static [&'static str]) -> Self {
        self.tools = tools;
        self
    }

    /// The same with one more header.
    pub fn with_header(mut self, name: &'static str, value: &'static str) -> Self {
        self.headers.push((name, value));
        self
    }

    /// Removes the end of its history from this message on.
    pub fn forget(&mut self, from: usize) {
        self.history.truncate(from);
    }

    /// The same without streamed replies.
    pub fn in_one_piece(mut self) -> Self {
        self.streams = false;
        self
    }

    /// Works on what its user wrote, until the model calls no tool.
    pub async fn work(&mut self, words: &str) -> String {
        self.say(words);
        loop {
            let (_, bytes) = self.ask().await;
            let reply = summary(self.wire, &bytes);
            assert_eq!(reply.error, None, "{}", String::from_utf8_lossy(&bytes));
            if self.take(&reply) {
                return reply.text;
            }
        }
    }

    /// Adds what its user wrote.
    pub fn say(&mut self, words: &str) {
        self.history.push(match self.wire.name() {
            "openai-responses" => {
                json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": words}]})
            }
            "gemini" => json!({"role": "user", "parts": [{"text": words}]}),
            _ => json!({"role": "user", "content": words}),
        });
    }

    /// Sends its history; returns status and body.
    pub async fn ask(&self) -> (u16, Vec<u8>) {
        let response = self.send().await;
        let status = response.status().as_u16();
        let mut bytes = Vec::new();
        let mut stream = response.bytes_stream();
        while let Some(piece) = stream.next().await {
            bytes.extend_from_slice(&piece.unwrap());
        }
        (status, bytes)
    }

    /// The same, also if the reply breaks off; returns what came, and true if it is whole.
    pub async fn ask_in_part(&self) -> (Vec<u8>, bool) {
        let mut stream = self.send().await.bytes_stream();
        let mut bytes = Vec::new();
        while let Some(piece) = stream.next().await {
            match piece {
                Ok(piece) => bytes.extend_from_slice(&piece),
                Err(_) => return (bytes, false),
            }
        }
        (bytes, true)
    }

    /// Sends its history, and hangs up once these words came.
    pub async fn ask_until(&self, words: &str) {
        let mut stream = self.send().await.bytes_stream();
        let mut bytes = Vec::new();
        while let Some(Ok(piece)) = stream.next().await {
            bytes.extend_from_slice(&piece);
            if String::from_utf8_lossy(&bytes).contains(words) {
                return;
            }
        }
        panic!("never: {words}");
    }

    /// Sends its history; the reply is still to be read.
    pub async fn send(&self) -> reqwest::Response {
        let path = match (self.wire.name(), self.streams) {
            ("anthropic", _) => "/v1/messages",
            ("openai-responses", _) => "/responses",
            ("gemini", true) => "/v1beta/models/m:streamGenerateContent?alt=sse",
            ("gemini", false) => "/v1beta/models/m:generateContent",
            ("ollama", _) => "/api/chat",
            _ => "/chat/completions",
        };
        let request = client().post(format!("{}{path}", self.base));
        let own = (!self.is_unknown).then_some(("user-agent", self.sent_as));
        let headers = self.headers.iter().chain(&own);
        let request = headers.fold(request, |request, (name, value)| request.header(*name, *value));
        request
            .header("authorization", format!("Bearer {}", self.log_in))
            .header("x-api-key", self.log_in)
            .body(self.body().to_string())
            .send()
            .await
            .unwrap()
    }

    /// The body of its next request.
    pub fn body(&self) -> Value {
        let schema = json!({"type": "object", "properties": {"command": {"type": "string"}}});
        let mut body = json!({"model": "m"});
        let tools = self.tools.iter();
        let (list, tools): (&str, Vec<Value>) = match self.wire.name() {
            "anthropic" => (
                "messages",
                tools
                    .map(|name| json!({"name": name, "description": "d", "input_schema": schema}))
                    .collect(),
            ),
            "openai-responses" => (
                "input",
                tools
                    .map(|name| json!({"type": "function", "name": name, "parameters": schema}))
                    .collect(),
            ),
            "gemini" => (
                "contents",
                vec![json!({"functionDeclarations": tools
                    .map(|name| json!({"name": name, "description": "d", "parameters": schema}))
                    .collect::<Vec<_>>()})],
            ),
            _ => (
                "messages",
                tools
                    .map(|name| json!({"type": "function", "function": {"name": name, "parameters": schema}}))
                    .collect(),
            ),
        };
        body[list] = Value::from(self.history.clone());
        body["tools"] = tools.into();
        if self.wire.name() != "gemini" {
            body["stream"] = self.streams.into();
        }
        body
    }

    /// Adds a reply to its history and runs its calls; true if there were none.
    pub fn take(&mut self, reply: &Summary) -> bool {
        let results: Vec<(String, bool)> = reply
            .calls
            .iter()
            .map(|call| {
                let args: Value = serde_json::from_str(&call.args).unwrap_or_else(|_| json!({}));
                if !self.tools.contains(&call.name.as_str()) {
                    assert!(!self.is_unknown, "no tool `{}`: the program ends", call.name);
                    return (format!("Error: no such tool available: {}", call.name), true);
                }
                self.ran.lock().unwrap().push((call.name.clone(), args.clone()));
                (
                    format!("ran {}", args["command"].as_str().unwrap_or_default()),
                    false,
                )
            })
            .collect();
        self.remember(reply, &results);
        reply.calls.is_empty()
    }

    /// Adds a text of the model that it got before its connection broke.
    pub fn remember_text(&mut self, text: &str) {
        let reply = Summary {
            text: text.to_owned(),
            ..Summary::default()
        };
        self.remember(&reply, &[]);
    }

    fn remember(&mut self, reply: &Summary, results: &[(String, bool)]) {
        let args = |text: &str| serde_json::from_str::<Value>(text).unwrap_or_else(|_| json!({}));
        let calls = || reply.calls.iter().zip(results);
        let id = |id: &Option<String>| id.clone().unwrap_or_default();
        match self.wire.name() {
            "anthropic" => {
                let mut blocks = vec![json!({"type": "text", "text": reply.text})];
                blocks.extend(reply.calls.iter().map(|call| {
                    json!({"type": "tool_use", "id": call.id, "name": call.name, "input": args(&call.args)})
                }));
                self.history.push(json!({"role": "assistant", "content": blocks}));
                let results: Vec<Value> = calls()
                    .map(|(call, (text, is_error))| {
                        json!({"type": "tool_result", "tool_use_id": call.id, "content": text, "is_error": is_error})
                    })
                    .collect();
                if !results.is_empty() {
                    self.history.push(json!({"role": "user", "content": results}));
                }
            }
            "openai-responses" => {
                self.history.push(json!({"type": "message", "role": "assistant",
                    "content": [{"type": "output_text", "text": reply.text}]}));
                for (call, (text, _)) in calls() {
                    self.history.push(
                        json!({"type": "function_call", "call_id": id(&call.id), "name": call.name,
                        "arguments": call.args}),
                    );
                    self.history.push(
                        json!({"type": "function_call_output", "call_id": id(&call.id), "output": text}),
                    );
                }
            }
            "gemini" => {
                let mut parts = vec![json!({"text": reply.text})];
                let begin = self.history.len();
                let own = |mut part: Value, at: usize| {
                    if self.invents_ids {
                        part["id"] = format!("own_{begin}_{at}").into();
                    }
                    part
                };
                parts.extend(reply.calls.iter().enumerate().map(|(at, call)| {
                    let part = json!({"name": call.name, "args": args(&call.args)});
                    json!({"functionCall": own(part, at)})
                }));
                let results: Vec<Value> = calls()
                    .enumerate()
                    .map(|(at, (call, (text, _)))| {
                        let part = json!({"name": call.name, "response": {"output": text}});
                        json!({"functionResponse": own(part, at)})
                    })
                    .collect();
                self.history.push(json!({"role": "model", "parts": parts}));
                let parts = results;
                if !parts.is_empty() {
                    self.history.push(json!({"role": "user", "parts": parts}));
                }
            }
            name => {
                let is_ollama = name == "ollama";
                let own: Vec<Value> = reply
                    .calls
                    .iter()
                    .map(|call| {
                        if is_ollama {
                            json!({"function": {"name": call.name, "arguments": args(&call.args)}})
                        } else {
                            json!({"id": call.id, "type": "function",
                                "function": {"name": call.name, "arguments": call.args}})
                        }
                    })
                    .collect();
                let mut message = json!({"role": "assistant", "content": reply.text});
                if !own.is_empty() {
                    message["tool_calls"] = own.into();
                }
                self.history.push(message);
                for (call, (text, _)) in calls() {
                    self.history.push(if is_ollama {
                        json!({"role": "tool", "tool_name": call.name, "content": text})
                    } else {
                        json!({"role": "tool", "tool_call_id": call.id, "content": text})
                    });
                }
            }
        }
    }
}

/// A plain client.
pub fn client() -> reqwest::Client {
    overrule::model::http::pass_through(
        &"http://127.0.0.1/".parse().unwrap(),
        std::time::Duration::from_secs(10),
        &overrule::model::http::Authorities::default(),
    )
    .unwrap()
}
