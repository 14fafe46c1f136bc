//! Notifies a person outside the terminal: feeds a text to a program of theirs, or posts it to a URL of
//! theirs. Each way has a time limit, and says in a sentence why it failed. Must not know: what the text
//! says, when somebody is notified.

#[cfg(test)]
mod tests;

use std::ffi::OsStr;
use std::path::PathBuf;
use std::time::Duration;

use reqwest::Url;
use reqwest::header::{CONTENT_TYPE, HeaderValue};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};

use super::child::{self, Environment, Started};
use super::errors::shown;

/// Number of bytes kept of a program's error output, to say why it failed.
const WORDS: usize = 2_000;
/// How long to wait for its output once it has ended.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// The ways to notify a person.
#[derive(Debug, Clone)]
pub struct Ways {
    /// A program with its arguments; it receives the text on standard input.
    pub command: Vec<String>,
    /// A URL to which the text is posted.
    pub webhook: Option<String>,
    /// Time limit for each way.
    pub limit: Duration,
    /// Working directory of the program.
    pub cwd: PathBuf,
    /// Environment variables of the program.
    pub environment: Environment,
}

impl Ways {
    /// Returns true if there is no way to notify anybody.
    pub const fn is_empty(&self) -> bool {
        self.command.is_empty() && self.webhook.is_none()
    }

    /// Uses all ways at once, and returns a sentence for each that failed.
    pub async fn call(&self, text: &str) -> Vec<String> {
        let (command, webhook) = tokio::join!(self.run(text), self.post(text));
        let failed = |what: &str, why: String| format!("{what} failed: {why}; the run is not touched by it");
        let command = command.err().map(|why| failed("notify.command", why));
        let webhook = webhook.err().map(|why| failed("notify.webhook", why));
        command.into_iter().chain(webhook).collect()
    }

    async fn run(&self, text: &str) -> Result<(), String> {
        let Some((program, args)) = self.command.split_first() else {
            return Ok(());
        };
        let name = shown(program);
        let started = child::start_fed(OsStr::new(program), args, &self.cwd, &self.environment).await;
        let mut started = started.map_err(|error| format!("cannot start `{name}`: {error}"))?;
        let (input, output, words) = {
            let child = &mut started.child;
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        };
        let text = text.to_owned();
        // A program that does not read its input has not failed.
        let give = tokio::spawn(async move {
            if let Some(mut input) = input {
                let _ = input.write_all(text.as_bytes()).await;
            }
        });
        let heard = (tokio::spawn(hear(output, 0)), tokio::spawn(hear(words, WORDS)));
        let Started { mut child, mut tree } = started;
        let came = tokio::time::timeout(self.limit, child.wait()).await;
        // Also end processes that it left behind, which may hold the outputs open.
        let (_, _) = tokio::join!(tree.end(), child.wait());
        give.abort();
        let words = tokio::time::timeout(LAST_WORDS, heard.1).await;
        heard.0.abort();
        let limit = self.limit.as_millis();
        let status = came
            .map_err(|_| format!("`{name}` did not end within {limit} ms"))?
            .map_err(|error| format!("the end of `{name}` was not seen: {error}"))?;
        if status.success() {
            return Ok(());
        }
        let words = words.ok().and_then(Result::ok).unwrap_or_default();
        let words = match words.trim() {
            "" => String::new(),
            words => format!(", and says: {}", shown(words)),
        };
        Err(format!("`{name}` ended with {status}{words}"))
    }

    async fn post(&self, text: &str) -> Result<(), String> {
        let Some(address) = &self.webhook else {
            return Ok(());
        };
        // The path of such a URL is usually a secret: only the host is ever shown.
        let url = Url::parse(address).map_err(|_| "it is no address".to_owned())?;
        let host = shown(url.host_str().unwrap_or("its host"));
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = reqwest::Client::builder()
            .user_agent(concat!("overrule/", env!("CARGO_PKG_VERSION")))
            .timeout(self.limit)
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .map_err(|error| format!("no requests can be sent: {}", error.without_url()))?;
        let sent = client
            .post(url)
            .header(CONTENT_TYPE, HeaderValue::from_static("application/json"))
            .body(text.to_owned())
            .send()
            .await;
        let limit = self.limit.as_millis();
        match sent {
            Ok(answer) if answer.status().is_success() => Ok(()),
            Ok(answer) => Err(format!(
                "{host} answered with status {}",
                answer.status().as_u16()
            )),
            Err(error) if error.is_timeout() => Err(format!("{host} did not answer within {limit} ms")),
            Err(error) => Err(format!("cannot reach {host}: {}", reason(error))),
        }
    }
}

/// Returns why a request was not sent, with its causes and without its URL.
fn reason(error: reqwest::Error) -> String {
    let error = error.without_url();
    let mut words = error.to_string();
    let mut cause = std::error::Error::source(&error);
    while let Some(one) = cause {
        words.push_str(": ");
        words.push_str(&one.to_string());
        cause = one.source();
    }
    shown(&words)
}

/// Reads an output to its end and keeps its beginning.
async fn hear(pipe: Option<impl AsyncRead + Unpin>, most: usize) -> String {
    let mut kept = Vec::new();
    let Some(mut pipe) = pipe else {
        return String::new();
    };
    let mut buffer = [0; 4096];
    while let Ok(count @ 1..) = pipe.read(&mut buffer).await {
        let room = most.saturating_sub(kept.len());
        kept.extend(buffer.iter().take(count.min(room)));
    }
    String::from_utf8_lossy(&kept).into_owned()
}
