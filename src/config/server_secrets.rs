//! Finds the values in the settings of an MCP server that are keys.
//!
//! Must not know: how they are removed from texts.
//!
//! A value is a key by its name or by the name of the variable that it comes from.

use secrecy::SecretString;

use super::env::Env;
use super::expand::expand;
use super::servers::RawServer;

/// Words of a name whose value is a key.
const WORDS: &[&str] = &[
    "apikey",
    "auth",
    "authorization",
    "bearer",
    "cookie",
    "credential",
    "credentials",
    "dsn",
    "key",
    "pass",
    "passphrase",
    "passwd",
    "password",
    "pat",
    "pwd",
    "secret",
    "token",
];
/// Ends of a word that are such a word.
const ENDS: &[&str] = &["key", "password", "secret", "token"];

/// Returns the keys of a server.
pub(super) fn of(raw: &RawServer, env: &Env) -> Vec<SecretString> {
    let mut found = Vec::new();
    for (name, value) in raw.env.iter().chain(&raw.headers) {
        if (is_secret(name) || from_secret(value))
            && let Ok(value) = expand(value, env)
        {
            // A scheme may precede it: `Bearer abc`.
            found.extend(value.rsplit_once(' ').map(|(_, last)| last.to_owned()));
            found.push(value);
        }
    }
    let token = raw.token_env.as_deref().and_then(|name| env.variable(name));
    found.extend(token);
    let filled = |text: &str| expand(text, env).ok();
    let mut before = "";
    for arg in &raw.args {
        if is_flag(before) && is_secret(before) && !is_flag(arg) {
            found.extend(filled(arg));
        }
        if let Some((name, value)) = arg.split_once('=')
            && is_secret(name)
        {
            found.extend(filled(value));
        }
        before = arg;
    }
    let url = raw.url.as_deref().unwrap_or_default();
    let query = url.split_once('?').map_or("", |(_, query)| query);
    let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    found.extend(
        pairs
            .filter(|(name, _)| is_secret(name))
            .filter_map(|(_, value)| filled(value)),
    );
    for text in raw.args.iter().map(String::as_str).chain([url]) {
        let names = variables(text).filter(|name| is_secret(name));
        found.extend(names.filter_map(|name| env.variable(name)));
    }
    found.into_iter().map(SecretString::from).collect()
}

fn is_flag(arg: &str) -> bool {
    arg.starts_with('-')
}

/// True for a value that is filled in from a variable with the name of a key.
fn from_secret(text: &str) -> bool {
    variables(text).any(is_secret)
}

/// The names of the variables in a text.
fn variables(text: &str) -> impl Iterator<Item = &str> {
    let inner = text.split("${").skip(1);
    inner.filter_map(|rest| {
        let name = rest.split_once('}')?.0;
        Some(name.split_once(":-").map_or(name, |(name, _)| name))
    })
}

/// True for a name whose value is a key.
fn is_secret(name: &str) -> bool {
    let mut words = name.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase);
    words.any(|word| WORDS.contains(&&*word) || ENDS.iter().any(|end| word.ends_with(end)))
}

#[cfg(test)]
mod tests {
    use secrecy::ExposeSecret as _;

    use super::*;
    use crate::env::Variables;

    #[test]
    fn keys_are_found_by_their_names_and_by_their_variables() {
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let env = Env {
            all: Variables(vec![
                ("MY_TOKEN".into(), "from-token".into()),
                ("HOME".into(), "/home/ada".into()),
                ("DOCS_TOKEN".into(), "docs-token".into()),
            ]),
            ..Env::default()
        };
        let words = |list: &[&str]| list.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        let raw = RawServer {
            env: vec![
                pair("GITHUB_TOKEN", "literal-one"),
                pair("ALIAS", "${MY_TOKEN}"),
                pair("DATA", "${HOME}/data"),
                pair("AUTHOR", "Ada Lovelace"),
                pair("apiKey", "camel-one"),
            ],
            headers: vec![
                pair("Authorization", "Bearer header-one"),
                pair("X-Team", "blue-team"),
            ],
            args: words(&[
                "--api-key",
                "arg-one",
                "--password=arg-two",
                "--dir",
                "/data",
                "${MY_TOKEN}",
            ]),
            url: Some("https://h/mcp?access_token=query-one&page=2".to_owned()),
            token_env: Some("DOCS_TOKEN".to_owned()),
            ..RawServer::default()
        };
        let found: Vec<String> = of(&raw, &env)
            .iter()
            .map(|secret| secret.expose_secret().to_owned())
            .collect();
        for key in [
            "literal-one",
            "from-token",
            "camel-one",
            "header-one",
            "arg-one",
            "arg-two",
            "query-one",
            "docs-token",
        ] {
            assert!(found.iter().any(|one| one == key), "no {key} in {found:?}");
        }
        for word in ["/home/ada/data", "Lovelace", "blue-team", "/data", "2"] {
            assert!(!found.iter().any(|one| one == word), "{word} in {found:?}");
        }
    }
}
