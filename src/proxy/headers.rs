//! Which headers of an agent and of its model pass.
//!
//! Must not know: what is in a body.

use hyper::header::{self, HeaderMap, HeaderName};

use super::address::HEADER;

/// Headers of one connection, which end at the proxy.
const HOP_BY_HOP: [&str; 9] = [
    "connection",
    "keep-alive",
    "proxy-authenticate",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

fn is_of_connection(name: &HeaderName, connection: &[String]) -> bool {
    HOP_BY_HOP.contains(&name.as_str()) || connection.iter().any(|one| one == name.as_str())
}

/// Returns the names that `Connection` lists.
fn listed(headers: &HeaderMap) -> Vec<String> {
    let values = headers.get_all(header::CONNECTION).iter();
    values
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .map(|name| name.trim().to_ascii_lowercase())
        .collect()
}

/// Returns the headers of a request that go to the model. A reply must be readable here, so it is asked for without
/// compression; length and host follow from the request itself.
pub fn for_model(headers: &HeaderMap) -> HeaderMap {
    let mut kept = kept(
        headers,
        &[
            header::HOST,
            header::CONTENT_LENGTH,
            header::ACCEPT_ENCODING,
            HeaderName::from_static(HEADER),
        ],
    );
    kept.insert(
        header::ACCEPT_ENCODING,
        header::HeaderValue::from_static("identity"),
    );
    kept
}

/// Returns the headers of a reply that go to the agent.
pub fn for_agent(headers: &HeaderMap) -> HeaderMap {
    kept(headers, &[header::CONTENT_LENGTH])
}

/// Returns how long an agent waits for a reply that is not streamed, in milliseconds, if it says so.
pub fn wait_ms(headers: &HeaderMap) -> Option<u64> {
    let value = headers.get("x-stainless-timeout")?.to_str().ok()?;
    let seconds = value.trim().parse::<u64>().ok().filter(|seconds| *seconds > 0)?;
    seconds.checked_mul(1000)
}

/// Returns the coding of a body, unless it is none.
pub fn coding(headers: &HeaderMap) -> Option<String> {
    let codings = headers.get_all(header::CONTENT_ENCODING).iter();
    let codings = codings.map(|value| {
        String::from_utf8_lossy(value.as_bytes())
            .trim()
            .to_ascii_lowercase()
    });
    let codings: Vec<String> = codings
        .filter(|coding| !matches!(&**coding, "" | "identity"))
        .collect();
    (!codings.is_empty()).then(|| codings.join(", "))
}

fn kept(headers: &HeaderMap, dropped: &[HeaderName]) -> HeaderMap {
    let connection = listed(headers);
    let mut kept = HeaderMap::new();
    for (name, value) in headers {
        if !is_of_connection(name, &connection) && !dropped.contains(name) {
            kept.append(name, value.clone());
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_but_the_connection_passes_in_order() {
        let mut all = HeaderMap::new();
        for (name, value) in [
            ("host", "127.0.0.1:1"),
            ("authorization", "Bearer k"),
            ("anthropic-beta", "one,two"),
            ("anthropic-beta", "three"),
            ("connection", "close, x-own"),
            ("x-own", "1"),
            ("te", "trailers"),
            ("accept-encoding", "gzip, br"),
            ("content-length", "3"),
        ] {
            all.append(HeaderName::from_static(name), value.parse().unwrap());
        }
        let kept = for_model(&all);
        let beta: Vec<_> = kept.get_all("anthropic-beta").iter().collect();
        assert_eq!(beta, ["one,two", "three"]);
        assert_eq!(kept["authorization"], "Bearer k");
        assert_eq!(kept["accept-encoding"], "identity");
        assert_eq!(kept.len(), 4);
    }
}
