//! Keeps the log-in of an agent out of what is recorded: some servers repeat the key that they refuse.
//!
//! Must not know: what is recorded, where.

use std::sync::Arc;

use hyper::header::HeaderMap;

use overrule_model::tap::Without;
use overrule_model::{Tap, Way};

/// Minimum length in bytes of a text that is searched for. What stands for a key where a server wants none is shorter, and
/// may be any word.
const SHORTEST: usize = 8;
/// The sign at the end of a text that was cut.
const CUT: &str = "…";
/// Replacement for a secret.
const REPLACED: &str = "[the API key]";
/// Parts of the names of headers with a secret.
const HEADERS: [&str; 5] = ["auth", "cookie", "key", "secret", "token"];
/// Parameters of a query with a secret.
const PARAMETERS: [&str; 4] = ["access_token", "api-key", "api_key", "key"];

/// The secrets of one request.
#[derive(Clone, Default)]
pub struct Secrets(Arc<Vec<String>>);

impl Secrets {
    /// Takes the secrets of a request with these headers and this path.
    pub fn of(headers: &HeaderMap, path: &str) -> Self {
        let mut found: Vec<String> = Vec::new();
        for (name, value) in headers {
            if !HEADERS.iter().any(|part| name.as_str().contains(part)) {
                continue;
            }
            let value = String::from_utf8_lossy(value.as_bytes()).into_owned();
            // A scheme precedes the secret.
            found.extend(value.split_whitespace().last().map(str::to_owned));
            let cookies = value.split(';').filter_map(|pair| pair.split_once('='));
            found.extend(cookies.map(|(_, value)| value.trim().to_owned()));
            found.push(value);
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

    /// Returns a text without the secrets, and without the beginning of one where the text was cut.
    pub fn hidden_in(&self, text: &str) -> String {
        let all = self.0.iter();
        let whole = all.fold(text.to_owned(), |text, secret| text.replace(secret, REPLACED));
        self.0.iter().fold(whole, |text, secret| {
            let pieces: Vec<String> = text
                .split(CUT)
                .map(|piece| without_beginning(piece, secret))
                .collect();
            pieces.join(CUT)
        })
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

/// A text without the beginning of a secret at its end.
fn without_beginning(text: &str, secret: &str) -> String {
    let mut lengths = (SHORTEST..secret.len()).rev();
    let beginnings = lengths.by_ref().filter_map(|length| secret.get(..length));
    let mut rests = beginnings.filter_map(|beginning| text.strip_suffix(beginning));
    rests
        .next()
        .map_or_else(|| text.to_owned(), |rest| format!("{rest}{REPLACED}"))
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
                ("authorization", "Bearer abc-1234"),
                ("x-goog-api-key", "zzz90000"),
                ("accept", "text/plain"),
            ],
            "/v1/x?alt=sse&key=q%2Dkey-77&b=keep",
        );
        let text = "no: abc-1234, Bearer abc-1234, zzz90000, q%2Dkey-77, q-key-77; text/plain keep sse";
        let hidden = all.hidden_in(text);
        for secret in ["abc-1234", "zzz90000", "q%2Dkey-77", "q-key-77"] {
            assert!(!hidden.contains(secret), "{hidden}");
        }
        assert!(hidden.ends_with("; text/plain keep sse"), "{hidden}");
        for word in ["k", "test", "none", "ollama"] {
            let text = format!("{word}: the {word} is whole");
            assert_eq!(secrets(&[("x-api-key", word)], "/").hidden_in(&text), text);
        }
    }

    #[test]
    fn keys_are_found_in_cookies_and_in_headers_of_other_names() {
        let text = "the secret is s3cret-0000, no more";
        for (name, value) in [
            ("cookie", "a=1; sid=s3cret-0000; b=2"),
            ("cookie", "sid=s3cret-0000"),
            ("cookie", "a=s3cret-0000;b=22222222"),
            ("x-amz-security-token", "s3cret-0000"),
            ("ocp-apim-subscription-key", "s3cret-0000"),
            ("cf-aig-authorization", "Bearer s3cret-0000"),
            ("x-litellm-api-key", "s3cret-0000"),
            ("x-client-secret", "s3cret-0000"),
        ] {
            let hidden = secrets(&[(name, value)], "/").hidden_in(text);
            assert_eq!(hidden, "the secret is [the API key], no more", "{name}: {value}");
        }
        assert_eq!(
            secrets(&[("user-agent", "s3cret-0000")], "/").hidden_in(text),
            text
        );
    }

    #[test]
    fn nothing_of_a_key_is_left_where_a_text_was_cut() {
        let key = "0a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d";
        let all = secrets(&[("authorization", &format!("Bearer {key}"))], "/");
        for length in SHORTEST..key.len() {
            let part = &key[..length];
            for (text, expected) in [
                (format!("invalid {part}…"), "invalid [the API key]…"),
                (
                    format!("invalid {part}… (4 more)"),
                    "invalid [the API key]… (4 more)",
                ),
                (format!("invalid {part}"), "invalid [the API key]"),
            ] {
                assert_eq!(all.hidden_in(&text), expected);
            }
        }
        assert_eq!(
            all.hidden_in("0a1b… and 0a1b2c3d4 stay"),
            "0a1b… and 0a1b2c3d4 stay"
        );
    }

    #[test]
    fn a_key_in_a_response_is_not_observed_however_it_is_torn() {
        let all = secrets(
            &[("authorization", "Bearer abc-1234"), ("x-api-key", "second-key")],
            "/",
        );
        let text = b"{\"error\":\"Invalid token: abc-1234 or second-key\"} abc-123";
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
                seen, "{\"error\":\"Invalid token: [the API key] or [the API key]\"} abc-123",
                "{size}"
            );
        }
    }
}
