//! Keeps the log-in of an agent out of what is recorded: some servers repeat the key that they refuse.
//!
//! Must not know: what is recorded, where.

use std::sync::Arc;

use hyper::header::HeaderMap;

use crate::model::tap::Without;
use crate::model::{Tap, Way};

/// Minimum length in bytes of a text that is searched for.
const SHORTEST: usize = 4;
/// Replacement for a secret.
const REPLACED: &str = "[the API key]";
/// Headers with a secret.
const HEADERS: [&str; 7] = [
    "api-key",
    "authorization",
    "cookie",
    "proxy-authorization",
    "x-api-key",
    "x-auth-token",
    "x-goog-api-key",
];
/// Parameters of a query with a secret.
const PARAMETERS: [&str; 4] = ["access_token", "api-key", "api_key", "key"];

/// The secrets of one request.
#[derive(Clone, Default)]
pub struct Secrets(Arc<Vec<String>>);

impl Secrets {
    /// Takes the secrets of a request with these headers and this path.
    pub fn of(headers: &HeaderMap, path: &str) -> Self {
        let mut found: Vec<String> = Vec::new();
        for name in HEADERS {
            for value in headers.get_all(name) {
                let value = String::from_utf8_lossy(value.as_bytes()).into_owned();
                // A scheme stands before the secret.
                found.extend(value.split_whitespace().last().map(str::to_owned));
                found.push(value);
            }
        }
        let query = path.split_once('?').map_or("", |(_, query)| query);
        for pair in query.split('&') {
            if let Some((name, value)) = pair.split_once('=')
                && PARAMETERS.contains(&name)
            {
                found.push(value.to_owned());
                let plain = reqwest::Url::parse(&format!("a:?{pair}"));
                let plain = plain.iter().flat_map(|url| url.query_pairs());
                found.extend(plain.map(|(_, value)| value.into_owned()));
            }
        }
        found.retain(|text| text.len() >= SHORTEST);
        // The longest first: a shorter one may be a part of it.
        found.sort_by_key(|text| std::cmp::Reverse(text.len()));
        found.dedup();
        Self(Arc::new(found))
    }

    /// Returns a text without the secrets.
    pub fn hidden_in(&self, text: &str) -> String {
        let all = self.0.iter();
        all.fold(text.to_owned(), |text, secret| text.replace(secret, REPLACED))
    }

    /// Passes what is received on to an observer, without the secrets.
    pub fn received(&self, tap: Tap) -> Received<'_> {
        let withouts = self.0.iter().map(|secret| Without::new(secret.as_bytes()));
        Received {
            tap,
            withouts: withouts.collect(),
        }
    }
}

/// Passes the pieces of a response on to an observer. A possible beginning of a secret waits for its rest.
pub struct Received<'s> {
    tap: Tap,
    withouts: Vec<Without<'s>>,
}

impl Received<'_> {
    /// Takes the next bytes.
    pub fn note(&mut self, bytes: &[u8]) {
        let mut bytes = bytes.to_vec();
        for without in &mut self.withouts {
            bytes = without.feed(&bytes);
        }
        self.pass(&bytes);
    }

    fn pass(&self, bytes: &[u8]) {
        if !bytes.is_empty() {
            self.tap.note(Way::Received, bytes);
        }
    }
}

impl Drop for Received<'_> {
    fn drop(&mut self) {
        let mut rest = Vec::new();
        for without in &mut self.withouts {
            let mut bytes = without.feed(&rest);
            bytes.extend(without.end());
            rest = bytes;
        }
        self.pass(&rest);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use hyper::header::HeaderName;

    use super::*;

    fn secrets(of: &[(&'static str, &str)], path: &str) -> Secrets {
        let mut headers = HeaderMap::new();
        for (name, value) in of {
            headers.append(HeaderName::from_static(name), value.parse().unwrap());
        }
        Secrets::of(&headers, path)
    }

    #[test]
    fn keys_are_found_in_headers_and_in_the_query() {
        let all = secrets(
            &[
                ("authorization", "Bearer abc-123"),
                ("x-goog-api-key", "zzz9"),
                ("accept", "text/plain"),
            ],
            "/v1/x?alt=sse&key=q%2Dkey-7&b=keep",
        );
        let text = "no: abc-123, Bearer abc-123, zzz9, q%2Dkey-7, q-key-7; text/plain keep sse";
        let hidden = all.hidden_in(text);
        for secret in ["abc-123", "zzz9", "q%2Dkey-7", "q-key-7"] {
            assert!(!hidden.contains(secret), "{hidden}");
        }
        assert!(hidden.ends_with("; text/plain keep sse"), "{hidden}");
        assert_eq!(secrets(&[("x-api-key", "k")], "/").hidden_in("ok k"), "ok k");
    }

    #[test]
    fn a_key_in_a_response_is_not_observed_however_it_is_torn() {
        let all = secrets(
            &[("authorization", "Bearer abc-123"), ("x-api-key", "second-key")],
            "/",
        );
        let text = b"{\"error\":\"Invalid token: abc-123 or second-key\"} abc-12";
        for size in 1..text.len() {
            let seen = Arc::new(Mutex::new(Vec::new()));
            let into = seen.clone();
            let tap = Tap::new(move |way, bytes| {
                assert_eq!(way, Way::Received);
                into.lock().unwrap().extend_from_slice(bytes);
            });
            let mut received = all.received(tap);
            text.chunks(size).for_each(|piece| received.note(piece));
            drop(received);
            let seen = String::from_utf8(seen.lock().unwrap().clone()).unwrap();
            assert_eq!(
                seen, "{\"error\":\"Invalid token: [the API key] or [the API key]\"} abc-12",
                "{size}"
            );
        }
    }
}
