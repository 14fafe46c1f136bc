//! What a server asks for: the words for the operator, and the content for the server.
//!
//! Must not know: which call asks, how the operator is asked.
//!
//! The text of a server is untrusted: it is quoted under the name of the server, and keys in it are removed.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use rmcp::model::ElicitRequestParams;
use serde_json::{Value, json};

use super::redaction::Redaction;
use overrule_base::text::visible_head;
use overrule_domain::reference::DAGGER;
use overrule_schema::Checker;

/// Characters kept of a server's words.
const WORDS: usize = 2_000;
/// Characters kept of a name or a choice.
const NAME: usize = 100;
/// The most bytes of a question.
const LENGTH: usize = 8 << 10;
/// The most choices that are offered as such.
const CHOICES: usize = 9;
/// The two answers to a question that asks for no values.
const ACCEPT: &str = "accept";
const DECLINE: &str = "decline";

/// Words for secrets, in small letters and without separators.
const SECRETS: [&str; 14] = [
    "password",
    "passphrase",
    "passcode",
    "passwd",
    "secret",
    "apikey",
    "accesskey",
    "privatekey",
    "token",
    "credential",
    "onetimecode",
    "cardnumber",
    "cvv",
    "seedphrase",
];
/// What is said of a question for one.
const SECRET: &str = "\nIt asks for a secret. The server gets what you type, and the session keeps it. A server should not ask for one \
    like this.";

/// What the operator's answer is for the server.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// Yes, with these values.
    Accept(Option<Value>),
    /// No.
    Decline,
}

/// What a server asks for.
pub(super) struct Form {
    message: String,
    /// The address that the operator is to open.
    url: Option<String>,
    /// The schema of the answer.
    schema: Value,
}

impl Form {
    pub(super) fn of(request: &ElicitRequestParams) -> Option<Self> {
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

    /// True if only a yes or a no is asked for.
    fn is_confirmation(&self) -> bool {
        self.url.is_some() || self.members().is_empty()
    }

    /// True if its words, or those of a member, are about a secret.
    fn asks_for_a_secret(&self) -> bool {
        let of_members = self.members().into_iter().flat_map(|(name, member)| {
            let word = |key: &str| member.get(key).and_then(Value::as_str).unwrap_or_default();
            [name.as_str(), word("title"), word("description"), word("format")]
        });
        std::iter::once(self.message.as_str())
            .chain(of_members)
            .any(names_a_secret)
    }

    /// Writes the arguments of the tool that asks the operator. `notes` are words of this program. The error says why the
    /// question is not put.
    pub(super) fn question(
        &self,
        server: &str,
        redaction: &Redaction,
        notes: &[&str],
    ) -> Result<String, String> {
        let shown = |text: &str, most| head(&redaction.apply(text), most);
        let mut text = format!(
            "The MCP server {} asks: \"{}\"",
            shown(server, NAME),
            shown(&self.message, WORDS)
        );
        if let Some(url) = &self.url {
            let _ = write!(
                text,
                "\nIt wants you to open this address yourself: {}",
                shown(url, WORDS)
            );
        }
        let members = self.members();
        for (name, member) in &members {
            if text.len() > LENGTH {
                break;
            }
            let word = |key: &str| member.get(key).and_then(Value::as_str).unwrap_or_default();
            let _ = write!(
                text,
                "\n- {} ({}) {}",
                shown(name, NAME),
                shown(word("type"), NAME),
                shown(word("description"), WORDS)
            );
        }
        if self.asks_for_a_secret() {
            text.push_str(SECRET);
        }
        if text.len() > LENGTH {
            return Err(format!("its question has more than {LENGTH} bytes"));
        }
        if self.url.is_some() {
            let _ = write!(text, "\nAnswer `{ACCEPT}` after you opened it, or `{DECLINE}`.");
        } else if members.is_empty() {
            let _ = write!(text, "\nAnswer `{ACCEPT}` or `{DECLINE}`.");
        } else if members.len() > 1 {
            text.push_str("\nAnswer with a JSON object that has these members.");
        }
        for note in notes {
            let _ = write!(text, "\n{}", shown(note, WORDS));
        }
        let mut args = json!({ "question": text.trim_end() });
        if self.is_confirmation() {
            args["choices"] = json!([ACCEPT, DECLINE]);
        } else if let [(_, member)] = members.as_slice()
            && let Some(choices) = choices(member)
            && choices
                .iter()
                .all(|choice| visible_head(&redaction.apply(choice), NAME) == *choice)
        {
            args["choices"] = json!(choices);
        }
        Ok(args.to_string())
    }

    /// Converts the operator's answer, JSON text, to that for the server. The error says what does not fit.
    pub(super) fn answer(&self, answer: &str) -> Result<Answer, String> {
        let given: Value = serde_json::from_str(answer).unwrap_or_else(|_| answer.into());
        if self.is_confirmation() {
            return match given.as_str() {
                Some(ACCEPT) if self.url.is_some() => Ok(Answer::Accept(None)),
                Some(ACCEPT) => Ok(Answer::Accept(Some(json!({})))),
                Some(DECLINE) => Ok(Answer::Decline),
                _ => Err(format!("answer with the word `{ACCEPT}` or the word `{DECLINE}`")),
            };
        }
        // A typed text may be an object or a number.
        let read = |text: &Value| match text {
            Value::String(text) => serde_json::from_str(text).ok(),
            _ => None,
        };
        let content = match (self.members().as_slice(), given) {
            (_, Value::Object(object)) => Value::Object(object),
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
        // An answer that cannot be checked is not sent.
        let checker =
            Checker::new(&self.schema.to_string()).map_err(|_| "its schema is not valid".to_owned())?;
        match checker.check_value(&content.to_string()).first() {
            None => Ok(Answer::Accept(Some(content))),
            Some(fault) => Err(format!("{} {}", fault.path, fault.message)),
        }
    }
}

/// True for a text with a word for a secret.
fn names_a_secret(text: &str) -> bool {
    let plain: String = text
        .chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect();
    SECRETS.iter().any(|word| plain.contains(word))
}

/// The beginning of a text in one line. It is made visible once, where it is shown.
fn head(text: &str, most: usize) -> String {
    let is_break = |c: char| {
        matches!(
            c,
            '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}'
        )
    };
    let mut chars = text.chars().map(|c| if is_break(c) { ' ' } else { c });
    let mut head: String = chars.by_ref().take(most).collect();
    if chars.next().is_some() {
        head.push('…');
    }
    head
}

/// The values of a member that has few of them, if each can be offered as it is.
fn choices(member: &Value) -> Option<Vec<String>> {
    let values = member.get("enum")?.as_array()?;
    let texts: Option<Vec<String>> = values
        .iter()
        .map(|value| Some(value.as_str()?.to_owned()))
        .collect();
    let texts = texts.filter(|texts| (2..=CHOICES).contains(&texts.len()))?;
    let distinct: BTreeSet<&String> = texts.iter().collect();
    let is_plain = |text: &String| !text.trim().is_empty() && !text.starts_with(DAGGER);
    (distinct.len() == texts.len() && texts.iter().all(is_plain)).then_some(texts)
}
