//! Brings the path and the method of a request into their normal form, in which they are read and passed on.
//!
//! Must not know: which paths there are.

use hyper::Method;
use reqwest::Url;

/// Returns a path with its query in its normal form (RFC 3986, section 6.2.2): without `.` and `..`, without percent signs
/// before characters that need none, with one slash between two parts and none at its end. None for what is no path.
pub(super) fn normal(path_and_query: &str) -> Option<String> {
    let (path, query) = match path_and_query.split_once('?') {
        Some((path, query)) => (path, Some(query)),
        None => (path_and_query, None),
    };
    if !(path.is_empty() || path.starts_with(['/', '\\'])) {
        return None;
    }
    // What is decoded may be a dot or a slash again.
    let decoded = decoded(path);
    let url = Url::parse(&format!("http://host{decoded}")).ok()?;
    if url.host_str() != Some("host") || url.query().is_some() || url.fragment().is_some() {
        return None;
    }
    let parts = url.path().split('/').filter(|part| !part.is_empty());
    let mut normal: String = parts.flat_map(|part| ["/", part]).collect();
    if let Some(query) = query {
        normal.push('?');
        normal.push_str(query);
    }
    Some(normal)
}

/// Returns a path with its encoded slashes decoded: some servers read them so. None if it has none.
pub(super) fn with_slashes(path: &str) -> Option<String> {
    let lower = path.to_ascii_lowercase();
    let has = lower.contains("%2f") || lower.contains("%5c");
    has.then(|| lower.replace("%2f", "/").replace("%5c", "/"))
}

/// Decodes each character that means the same without a percent sign.
fn decoded(path: &str) -> String {
    let mut text = String::with_capacity(path.len());
    let mut rest = path;
    while let Some((before, after)) = rest.split_once('%') {
        text.push_str(before);
        let byte = after.get(..2).and_then(|hex| u8::from_str_radix(hex, 16).ok());
        match byte.map(char::from) {
            Some(c) if c.is_ascii_alphanumeric() || "-._~:".contains(c) => {
                text.push(c);
                rest = after.get(2..).unwrap_or_default();
            }
            _ => {
                text.push('%');
                rest = after;
            }
        }
    }
    text.push_str(rest);
    text
}

/// Returns a method in capital letters: some servers read it so, however it is written.
pub(super) fn method(method: &Method) -> Option<Method> {
    Method::from_bytes(method.as_str().to_ascii_uppercase().as_bytes()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_of_a_path_has_one_normal_form() {
        for path in [
            "/v1/messages",
            "/v1/./messages",
            "/v1/x/../messages",
            "/v1/%6dessages",
            "/v1/%6D%65ssages",
            "/v1/messages/",
            "/v1/messages/.",
            "/v1\\messages",
            "//v1//messages",
            "/v1/%2e/messages",
            "/v1/x/%2e%2E/messages",
            "/%2e%2e/v1/messages",
        ] {
            assert_eq!(normal(path).as_deref(), Some("/v1/messages"), "{path}");
            let query = format!("{path}?beta=true&x=%6d/../");
            assert_eq!(
                normal(&query).as_deref(),
                Some("/v1/messages?beta=true&x=%6d/../"),
                "{path}"
            );
        }
        for (path, expected) in [
            ("", ""),
            ("/", ""),
            ("?key=1", "?key=1"),
            (
                "/v1beta/models/gemini-2%3AgenerateContent",
                "/v1beta/models/gemini-2:generateContent",
            ),
            ("/models/a%20b", "/models/a%20b"),
            ("/models/%", "/models/%"),
            ("/models/%2", "/models/%2"),
            ("/models/ä", "/models/%C3%A4"),
        ] {
            assert_eq!(normal(path).as_deref(), Some(expected), "{path}");
        }
        for none in [
            "v1/messages",
            "http://else.where/v1",
            "@else.where/",
            "/v1/messages#x",
        ] {
            assert_eq!(normal(none), None, "{none}");
        }
    }

    #[test]
    fn encoded_slashes_stay_and_are_known() {
        let model = "/v1/models/org%2Fname";
        assert_eq!(normal(model).as_deref(), Some(model), "a name may have one");
        assert_eq!(with_slashes("/v1%2Fmessages").as_deref(), Some("/v1/messages"));
        assert_eq!(
            with_slashes("/v1%5cmessages?x").as_deref(),
            Some("/v1/messages?x")
        );
        assert_eq!(with_slashes("/v1/messages"), None);
    }

    #[test]
    fn a_method_counts_however_it_is_written() {
        for written in ["POST", "post", "Post"] {
            let written = Method::from_bytes(written.as_bytes()).unwrap();
            assert_eq!(method(&written), Some(Method::POST));
        }
    }
}
