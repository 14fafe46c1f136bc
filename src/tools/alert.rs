//! Notifies a person outside the terminal, through a program or a URL of theirs.
//!
//! Must not know: what the text says, when a notification is sent.
//!
//! Each way has a time limit and returns the reason of a failure as text.

#[cfg(test)]
mod tests;

use reqwest::Url;
use reqwest::header::{CONTENT_TYPE, HeaderValue};

use super::errors::shown;
use super::operator_program::Program;

/// The ways to notify a person.
#[derive(Debug, Clone)]
pub struct Ways {
    /// A program; it receives the text on standard input. Its time limit is that of each way.
    pub program: Program,
    /// A URL to which the text is posted.
    pub webhook: Option<String>,
}

impl Ways {
    /// Returns true if there is no way to notify.
    pub const fn is_empty(&self) -> bool {
        self.program.command.is_empty() && self.webhook.is_none()
    }

    /// Uses all ways together, and returns a text for each that failed.
    pub async fn call(&self, text: &str) -> Vec<String> {
        let (command, webhook) = tokio::join!(self.program.run(text, 0), self.post(text));
        let failed = |what: &str, why: String| format!("{what} failed: {why}. The run is not affected");
        let command = command.err().map(|why| failed("notify.command", why));
        let webhook = webhook.err().map(|why| failed("notify.webhook", why));
        command.into_iter().chain(webhook).collect()
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
            .timeout(self.program.limit)
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .map_err(|error| format!("no requests can be sent: {}", error.without_url()))?;
        let sent = client
            .post(url)
            .header(CONTENT_TYPE, HeaderValue::from_static("application/json"))
            .body(text.to_owned())
            .send()
            .await;
        let limit = self.program.limit.as_millis();
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
