//! Questions of a server to the operator while a call runs.
//!
//! Must not know: the transport, how the operator is asked.
//!
//! The text of a server is untrusted: it is quoted under the name of the server, and keys in it are removed.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rmcp::model::{ElicitRequestParams, ElicitResult, ElicitationAction};
use serde_json::{Map, Value, json};

use super::redaction::Redaction;
use crate::schema::Checker;
use crate::text::visible_head;
use crate::tools::tool::AskOperator;

/// Characters kept of a server's words.
const WORDS: usize = 2_000;
/// Characters kept of a name or a choice.
const NAME: usize = 100;
/// How often a question is repeated if its answer does not fit.
const ROUNDS: usize = 3;
/// The most choices that are offered as such.
const CHOICES: usize = 9;

/// The calls of a server that may ask, and how many questions are open.
pub(super) struct Questions {
    server: Arc<str>,
    redaction: Arc<Redaction>,
    calls: Mutex<Vec<(usize, AskOperator)>>,
    begun: AtomicUsize,
    asked: AtomicUsize,
    waiting: AtomicUsize,
}

/// A running call. Dropping it ends its right to ask.
pub(super) struct Asking<'q> {
    questions: &'q Questions,
    no: usize,
}

impl Drop for Asking<'_> {
    fn drop(&mut self) {
        self.questions.calls().retain(|(no, _)| *no != self.no);
    }
}

/// Counts an open question.
struct Waiting<'q>(&'q Questions);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.waiting.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Questions {
    pub(super) fn new(server: &str, redaction: Arc<Redaction>) -> Self {
        Self {
            server: server.into(),
            redaction,
            calls: Mutex::default(),
            begun: AtomicUsize::new(0),
            asked: AtomicUsize::new(0),
            waiting: AtomicUsize::new(0),
        }
    }

    fn calls(&self) -> MutexGuard<'_, Vec<(usize, AskOperator)>> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets a call ask while it runs.
    pub(super) fn begin(&self, ask: AskOperator) -> Asking<'_> {
        let no = self.begun.fetch_add(1, Ordering::SeqCst);
        self.calls().push((no, ask));
        Asking { questions: self, no }
    }

    /// Waits for the time limit of a call. The time in which a question is open does not count.
    pub(super) async fn limit(&self, limit: Duration) {
        loop {
            let asked = self.asked.load(Ordering::SeqCst);
            tokio::time::sleep(limit).await;
            if self.waiting.load(Ordering::SeqCst) == 0 && self.asked.load(Ordering::SeqCst) == asked {
                return;
            }
        }
    }

    /// Asks the operator for the newest running call: the protocol does not say which call asks. `None` without one.
    pub(super) async fn ask(&self, request: &ElicitRequestParams) -> Option<ElicitResult> {
        let ask = self.calls().last().map(|(_, ask)| Arc::clone(ask))?;
        self.asked.fetch_add(1, Ordering::SeqCst);
        self.waiting.fetch_add(1, Ordering::SeqCst);
        let _waiting = Waiting(self);
        let declined = || ElicitResult::new(ElicitationAction::Decline);
        let Some(form) = Form::of(request) else {
            return Some(declined());
        };
        let mut why = None;
        for _ in 0..ROUNDS {
            let args = form.question(&self.server, &self.redaction, why.as_deref());
            let Some(answer) = ask(Arc::clone(&self.server), args.into()).await else {
                return Some(declined());
            };
            match form.content(&answer) {
                Ok(content) => {
                    let accepted = ElicitResult::new(ElicitationAction::Accept);
                    return Some(match content {
                        Some(content) => accepted.with_content(content),
                        None => accepted,
                    });
                }
                Err(fault) => why = Some(fault),
            }
        }
        Some(declined())
    }
}

/// What a server asks for.
struct Form {
    message: String,
    /// The address that the operator is to open.
    url: Option<String>,
    /// The schema of the answer.
    schema: Value,
}

impl Form {
    fn of(request: &ElicitRequestParams) -> Option<Self> {
        match request {
            ElicitRequestParams::FormElicitationParams {
                message,
                requested_schema,
                ..
            } => Some(Self {
                message: message.clone(),
                url: None,
                schema: serde_json::to_value(requested_schema).ok()?,
            }),
            ElicitRequestParams::UrlElicitationParams { message, url, .. } => Some(Self {
                message: message.clone(),
                url: Some(url.clone()),
                schema: Value::Null,
            }),
            _ => None,
        }
    }

    fn members(&self) -> Vec<(&String, &Value)> {
        let members = self.schema.get("properties").and_then(Value::as_object);
        members.into_iter().flatten().collect()
    }

    /// Writes the arguments of the tool that asks the operator.
    fn question(&self, server: &str, redaction: &Redaction, why: Option<&str>) -> String {
        let shown = |text: &str, most| visible_head(&redaction.apply(text), most);
        let mut text = format!(
            "The MCP server {} asks: {:?}",
            shown(server, NAME),
            shown(&self.message, WORDS)
        );
        if let Some(url) = &self.url {
            let _ = write!(
                text,
                "\nIt wants you to open this address yourself: {}\nAnswer `done` afterwards, or reject.",
                shown(url, WORDS)
            );
        }
        let members = self.members();
        for (name, member) in &members {
            let word = |key: &str| member.get(key).and_then(Value::as_str).unwrap_or_default();
            let _ = write!(
                text,
                "\n- {} ({}) {}",
                shown(name, NAME),
                shown(word("type"), NAME),
                shown(word("description"), WORDS)
            );
        }
        if members.len() > 1 {
            text.push_str("\nAnswer with a JSON object that has these members.");
        }
        if let Some(why) = why {
            let _ = write!(text, "\nYour answer does not fit: {why}");
        }
        let mut args = json!({ "question": text.trim_end() });
        if let [(_, member)] = members.as_slice()
            && let Some(choices) = choices(member)
        {
            args["choices"] = choices.into_iter().map(|choice| shown(&choice, NAME)).collect();
        }
        args.to_string()
    }

    /// Converts the operator's answer, JSON text, to the content for the server. The error says what does not fit.
    fn content(&self, answer: &str) -> Result<Option<Value>, String> {
        if self.url.is_some() {
            return Ok(None);
        }
        let given: Value = serde_json::from_str(answer).unwrap_or_else(|_| answer.into());
        // A typed text may be an object or a number.
        let read = |text: &Value| match text {
            Value::String(text) => serde_json::from_str(text).ok(),
            _ => None,
        };
        let content = match (self.members().as_slice(), given) {
            (_, Value::Object(object)) => Value::Object(object),
            ([], _) => Value::Object(Map::new()),
            ([(name, member)], given) => {
                let is_text = member.get("type").and_then(Value::as_str) == Some("string");
                let other = read(&given).filter(|value: &Value| !is_text || value.is_object());
                match other {
                    Some(Value::Object(object)) => Value::Object(object),
                    Some(value) => json!({ name.as_str(): value }),
                    None => json!({ name.as_str(): given }),
                }
            }
            (_, given) => read(&given).unwrap_or(given),
        };
        let Ok(checker) = Checker::new(&self.schema.to_string()) else {
            return Ok(Some(content));
        };
        match checker.check_value(&content.to_string()).first() {
            None => Ok(Some(content)),
            Some(fault) => Err(format!("{} {}", fault.path, fault.message)),
        }
    }
}

/// The values of a member that has few of them.
fn choices(member: &Value) -> Option<Vec<String>> {
    let values = member.get("enum")?.as_array()?;
    let texts: Option<Vec<String>> = values
        .iter()
        .map(|value| Some(value.as_str()?.to_owned()))
        .collect();
    texts.filter(|texts| (2..=CHOICES).contains(&texts.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(properties: Value, required: &[&str]) -> ElicitRequestParams {
        serde_json::from_value(json!({
            "mode": "form",
            "message": "Which\u{1b}[2J branch? key-4711",
            "requestedSchema": { "type": "object", "properties": properties, "required": required }
        }))
        .unwrap()
    }

    /// Asks, and answers in turn. Returns the questions and the result.
    async fn asked(request: ElicitRequestParams, answers: &[Option<&str>]) -> (Vec<Value>, ElicitResult) {
        let redaction = Arc::new(Redaction::default());
        redaction.add("key-4711");
        let questions = Questions::new("docs", redaction);
        let seen: Arc<Mutex<Vec<Value>>> = Arc::default();
        let heard = Arc::clone(&seen);
        let answers: Vec<Option<Arc<str>>> = answers.iter().map(|one| one.map(Arc::from)).collect();
        let ask: AskOperator = Arc::new(move |server, args| {
            assert_eq!(&*server, "docs");
            let mut heard = heard.lock().unwrap();
            let answer = answers.get(heard.len()).cloned().flatten();
            heard.push(serde_json::from_str(&args).unwrap());
            Box::pin(async move { answer })
        });
        let call = questions.begin(ask);
        let result = questions.ask(&request).await.unwrap();
        drop(call);
        assert!(questions.ask(&request).await.is_none(), "no call runs");
        let seen = seen.lock().unwrap().clone();
        (seen, result)
    }

    #[tokio::test]
    async fn a_question_quotes_its_server_and_takes_plain_text_for_one_member() {
        let request = form(
            json!({ "branch": { "type": "string", "description": "Its name" } }),
            &["branch"],
        );
        let (seen, result) = asked(request, &[Some("\"main\"")]).await;
        let text = seen[0]["question"].as_str().unwrap();
        assert!(
            text.starts_with("The MCP server docs asks: \"Which⟨U+001B⟩[2J branch? [redacted 8 bytes]\""),
            "{text}"
        );
        assert!(text.contains("- branch (string) Its name"), "{text}");
        assert_eq!(result.action, ElicitationAction::Accept);
        assert_eq!(result.content, Some(json!({ "branch": "main" })));
    }

    #[tokio::test]
    async fn an_answer_that_does_not_fit_is_asked_for_again_and_then_declined() {
        let two = || {
            form(
                json!({ "a": { "type": "integer" }, "b": { "type": "boolean" } }),
                &["a", "b"],
            )
        };
        let (seen, result) = asked(two(), &[Some("\"what\""), Some(r#"{"a":1,"b":true}"#)]).await;
        assert_eq!(seen.len(), 2);
        assert!(seen[1]["question"].as_str().unwrap().contains("does not fit"));
        assert_eq!(result.content, Some(json!({ "a": 1, "b": true })));
        let (seen, result) = asked(two(), &[Some("1"), Some("2"), Some("3"), Some("4")]).await;
        assert_eq!((seen.len(), result.action), (ROUNDS, ElicitationAction::Decline));
        let number = form(json!({ "n": { "type": "integer" } }), &["n"]);
        assert_eq!(
            asked(number, &[Some("\"7\"")]).await.1.content,
            Some(json!({ "n": 7 }))
        );
    }

    #[tokio::test]
    async fn few_values_are_choices_and_a_refusal_is_declined_without_content() {
        let request = || {
            form(
                json!({ "size": { "type": "string", "enum": ["s", "m", "l"] } }),
                &["size"],
            )
        };
        let (seen, result) = asked(request(), &[Some("\"m\"")]).await;
        assert_eq!(seen[0]["choices"], json!(["s", "m", "l"]));
        assert_eq!(result.content, Some(json!({ "size": "m" })));
        let (_, result) = asked(request(), &[None]).await;
        assert_eq!(
            (result.action, result.content),
            (ElicitationAction::Decline, None)
        );
    }

    #[tokio::test(start_paused = true)]
    async fn the_time_limit_of_a_call_waits_for_an_open_question() {
        let questions = Questions::new("docs", Arc::default());
        questions.waiting.fetch_add(1, Ordering::SeqCst);
        let began = tokio::time::Instant::now();
        let limit = questions.limit(Duration::from_secs(10));
        let answered = async {
            tokio::time::sleep(Duration::from_secs(95)).await;
            questions.waiting.fetch_sub(1, Ordering::SeqCst);
        };
        tokio::join!(limit, answered);
        assert_eq!(began.elapsed().as_secs(), 100);
    }
}
