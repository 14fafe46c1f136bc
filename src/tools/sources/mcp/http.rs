//! Reaches a server over Streamable HTTP.
//!
//! Must not know: what the messages mean.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::path::Path;
use std::time::Duration;

use reqwest::header::{HeaderName, HeaderValue};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use secrecy::ExposeSecret as _;

use super::setup::{BearerToken, Secrets};
use crate::text::visible;
use crate::tools::child::Environment;
use crate::tools::fed::Program;

/// What to do where a server wants a log-in.
pub(super) const LOG_IN: &str = "the server wants a log-in: set token_env or token_cmd for it in your configuration \
                                 file, or an Authorization header; OAuth is not supported yet";
/// Time limit of the command that prints a token.
const TOKEN: Duration = Duration::from_secs(10);
/// Longest token in bytes.
const LONGEST: usize = 64 * 1024;

/// Builds a connection. The error says why there is none.
pub(super) async fn transport(
    url: &str,
    headers: &Secrets,
    token: Option<&BearerToken>,
    environment: &Environment,
) -> Result<StreamableHttpClientTransport<reqwest::Client>, String> {
    let mut named = HashMap::new();
    for (name, value) in headers {
        let key = HeaderName::from_bytes(name.as_bytes())
            .map_err(|_| format!("`{}` is not the name of a header", visible(name)))?;
        let mut value = HeaderValue::from_str(value.expose_secret())
            .map_err(|_| format!("the value of the header `{}` is not valid", visible(name)))?;
        value.set_sensitive(true);
        named.insert(key, value);
    }
    let mut config = StreamableHttpClientTransportConfig::with_uri(url).custom_headers(named);
    if let Some(token) = token {
        config = config.auth_header(read(token, environment).await?);
    }
    Ok(StreamableHttpClientTransport::with_client(client()?, config))
}

async fn read(token: &BearerToken, environment: &Environment) -> Result<String, String> {
    match token {
        BearerToken::Value(token) => Ok(token.expose_secret().to_owned()),
        BearerToken::Command(command) => {
            let program = Program {
                command: command.clone(),
                limit: TOKEN,
                cwd: Path::new(OsStr::new("/")).to_owned(),
                environment: environment.clone(),
            };
            let printed = program.run("", LONGEST).await;
            let printed = printed.map_err(|why| format!("cannot get its token: {why}"))?;
            Ok(printed.trim().to_owned())
        }
    }
}

fn client() -> Result<reqwest::Client, String> {
    // Fails only if a provider is installed already, which is just as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder()
        .user_agent(concat!("overrule/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(Duration::from_secs(10))
        // A message and its keys go to no other server.
        .redirect(reqwest::redirect::Policy::none())
        .build()
        .map_err(|error| format!("no requests can be sent: {error}"))
}
