//! Reads a request by label: the operator's last message, thoughts, calls and results.
//!
//! Must not know: playbooks, the graph.
//!
//! Everything is read from the messages as they were sent.

use serde_json::Value as Json;

use crate::Request;
use overrule_domain::transcript::{Message, NoteKind};

/// A request as a playbook sees it.
#[derive(Debug, Default)]
pub struct View {
    /// Number of the model turn.
    pub turn: u32,
    /// True if tools are offered.
    pub tools: bool,
    /// The newest prompt.
    pub prompt: String,
    /// The newest thought or text of the model, in its present form.
    pub thought: String,
    /// Text that the operator wrote or rewrote since the model's last own turn.
    pub operator: Option<String>,
    /// The program's own notice in this request.
    pub notice: Option<String>,
    /// Everything that the operator wrote or rewrote, newest first.
    pub wishes: Vec<String>,
    /// All texts of the model, oldest first.
    pub texts: Vec<String>,
    /// Calls, oldest first.
    pub calls: Vec<Call>,
}

/// A call with its result.
#[derive(Debug, Clone)]
pub struct Call {
    /// `_as`, or else the node's id.
    pub label: String,
    /// The node's id.
    pub node: String,
    /// Name of the tool.
    pub tool: String,
    /// The arguments as shown to the model.
    pub args: Json,
    /// Its result, once there is one.
    pub result: Option<Outcome>,
    /// True if no prompt followed it.
    pub recent: bool,
    /// True if it belongs to the newest calls.
    pub newest: bool,
    wire_id: String,
}

/// The result of a call.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The value as text, or why there is none.
    pub text: String,
    /// True if there is no value.
    pub is_error: bool,
    /// Exit code of a command; 0 unless the text contains another one.
    pub exit: u32,
}

impl Call {
    /// Returns true if it has a value.
    pub fn is_ok(&self) -> bool {
        self.result.as_ref().is_some_and(|outcome| !outcome.is_error)
    }

    /// Returns the exit code, or `None` if it has no value. A result of another tool counts as 0.
    pub fn exit(&self) -> Option<u32> {
        let outcome = self.result.as_ref().filter(|outcome| !outcome.is_error)?;
        Some(outcome.exit)
    }
}

impl View {
    /// Reads a request.
    pub fn of(request: &Request) -> Self {
        let mut view = Self {
            turn: request.turn,
            tools: !request.tools.is_empty(),
            ..Self::default()
        };
        for message in &request.messages {
            view.take(message);
        }
        view.wishes.reverse();
        view
    }

    /// Returns the newest call with this label, or else of this tool.
    pub fn call(&self, name: &str) -> Option<&Call> {
        let newest = |requested: &dyn Fn(&Call) -> bool| self.calls.iter().rev().find(|call| requested(call));
        newest(&|call| call.label == name || call.node == name).or_else(|| newest(&|call| call.tool == name))
    }

    /// Returns the results of the newest calls, one after the other.
    pub fn observation(&self) -> String {
        let texts: Vec<&str> = self
            .newest()
            .filter_map(|call| call.result.as_ref())
            .map(|outcome| outcome.text.as_str())
            .collect();
        texts.join("\n")
    }

    /// Iterates over the newest calls.
    pub fn newest(&self) -> impl Iterator<Item = &Call> {
        self.calls.iter().filter(|call| call.newest)
    }

    fn take(&mut self, message: &Message) {
        match message {
            Message::User { text, .. } => {
                let first = self.prompt.is_empty() && self.texts.is_empty() && self.calls.is_empty();
                self.prompt = text.to_string();
                self.wish(text);
                if first {
                    self.operator = None;
                }
                for call in &mut self.calls {
                    call.recent = false;
                    call.newest = false;
                }
            }
            Message::Note { about, text } => {
                if *about == NoteKind::AnswerRejected {
                    self.wish(text);
                } else if *about == NoteKind::Notice {
                    let notice = self.notice.get_or_insert_default();
                    notice.push_str(text);
                    notice.push('\n');
                }
            }
            Message::Assistant { texts: output, calls } => {
                self.notice = None;
                for output in output {
                    self.thought = output.text.to_string();
                    self.texts.push(output.text.to_string());
                    if output.by_operator {
                        self.wish(&output.text);
                    } else {
                        self.operator = None;
                    }
                }
                if !calls.is_empty() {
                    self.operator = None;
                    self.calls.iter_mut().for_each(|call| call.newest = false);
                }
                self.calls.extend(calls.iter().map(|called| {
                    let args: Json = serde_json::from_str(&called.args).unwrap_or(Json::Null);
                    let label = args.get("_as").and_then(Json::as_str);
                    Call {
                        label: label.map_or_else(|| called.node.to_string(), str::to_owned),
                        node: called.node.to_string(),
                        tool: called.tool.to_string(),
                        args,
                        result: None,
                        recent: true,
                        newest: true,
                        wire_id: called.wire_id.to_string(),
                    }
                }));
            }
            Message::Result {
                wire_id,
                text,
                is_error,
                ..
            } => {
                if let Some(call) = self.calls.iter_mut().rev().find(|call| call.wire_id == **wire_id) {
                    call.result = Some(outcome(text, *is_error));
                }
            }
        }
    }

    fn wish(&mut self, text: &str) {
        self.operator = Some(text.to_owned());
        self.wishes.push(text.to_owned());
    }
}

/// Extracts the value from a result text, without the lines that the program adds before it.
fn outcome(text: &str, is_error: bool) -> Outcome {
    let mut body = text;
    if let Some((first, rest)) = body.split_once('\n')
        && first.starts_with("result of ")
        && first.ends_with(':')
    {
        body = rest;
    }
    while let Some((first, rest)) = body.split_once('\n') {
        let reported =
            (first.starts_with("[operator ") || first.starts_with("[console ")) && first.ends_with(']');
        if !reported {
            break;
        }
        body = rest;
    }
    let reported = body.split_once('\n').filter(|_| !is_error);
    let exit = reported.and_then(|(first, _)| first.strip_prefix("[exit ")?.strip_suffix(']')?.parse().ok());
    if let (Some(_), Some((_, rest))) = (exit, reported) {
        body = rest;
    }
    let message = if is_error { error_message(body) } else { None };
    Outcome {
        text: message.unwrap_or_else(|| body.to_owned()),
        is_error,
        exit: exit.unwrap_or_default(),
    }
}

/// Extracts the message of an error given as JSON.
fn error_message(body: &str) -> Option<String> {
    let json: Json = serde_json::from_str(body).ok()?;
    let error = json.get("error")?;
    let words = error.get("message").or(Some(error))?.as_str()?;
    Some(words.to_owned())
}
