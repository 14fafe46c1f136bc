//! Finds requests that cannot be gated: a reply to them could have calls that nobody would see.
//!
//! Must not know: sockets, who sees an alarm, how a request is passed on.

use bytes::Bytes;
use hyper::Method;
use hyper::header::HeaderMap;

use super::body_tools::BodyTools;
use super::{compression, headers};
use overrule_base::text::visible_head;
use overrule_model::wire::agent::AgentRequest;

/// Why a reply with a call is refused that no run reads.
pub(super) const HAS_CALL: &str = "its reply has a call where nobody would decide about it";
/// Why a redirection is refused.
pub(super) const LEADS_PAST: &str =
    "its reply leads the agent to another address, past the proxy; name that address with --upstream";
/// Maximum characters of a path that are shown.
const MAX_PATH: usize = 120;
/// Maximum characters of a reason that are shown.
const MAX_WHY: usize = 200;

/// A request that cannot be gated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Unread {
    /// Its method and path, as they are shown.
    what: String,
    /// Why it cannot be gated.
    why: String,
}

impl Unread {
    /// A request that cannot be gated for this reason.
    pub fn new(method: &Method, path: &str, why: &str) -> Self {
        // A query may hold a key.
        let path = path.split('?').next().unwrap_or_default();
        Self {
            what: format!("{method} {}", visible_head(path, MAX_PATH)),
            why: visible_head(why, MAX_WHY),
        }
    }

    /// Finds out about a request on a path that no format has, with a body of at most `most` bytes.
    pub fn on_unknown_path(
        method: &Method,
        path: &str,
        headers: &HeaderMap,
        body: &Bytes,
        most: usize,
    ) -> Option<Self> {
        if body.is_empty() {
            return None;
        }
        let plain = match headers::coding(headers) {
            Some(codings) => compression::decompressed(&codings, body.clone(), most),
            None => Ok(body.clone()),
        };
        let why = match plain.map(|plain| BodyTools::of(&plain)) {
            Ok(BodyTools::None) => return None,
            Ok(BodyTools::Some) => {
                "it names tools, and no format that the proxy knows has this path".to_owned()
            }
            Ok(BodyTools::Unreadable) => "it may name tools, and its body cannot be read".to_owned(),
            Err(error) => error.to_string(),
        };
        Some(Self::new(method, path, &why))
    }

    /// Finds out about a request that was read: its reply must come on its own connection.
    pub fn of_known(method: &Method, path: &str, request: &AgentRequest) -> Option<Self> {
        (request.setting("background") == Some("true")).then(|| {
            Self::new(
                method,
                path,
                "it asks for a reply in the background, which would come on another path",
            )
        })
    }

    /// Returns the alarm for the operator.
    pub fn alarm(&self) -> String {
        format!(
            "refused {}: {}; --pass-unknown passes such requests without a decision",
            self.what, self.why
        )
    }

    /// Returns the words for the user of the agent.
    pub fn answer(&self) -> String {
        format!(
            "overrule refused the request {}: {}. Calls in the reply would run without a decision of the operator. \
             Let the agent use an interface of Anthropic, OpenAI, Gemini or Ollama, or start the proxy with \
             --pass-unknown to pass such requests without a decision",
            self.what, self.why
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyper::header::CONTENT_ENCODING;
    use std::io::Write as _;

    fn found(path: &str, coding: Option<&str>, body: &[u8]) -> Option<Unread> {
        let mut headers = HeaderMap::new();
        if let Some(coding) = coding {
            headers.insert(CONTENT_ENCODING, coding.parse().unwrap());
        }
        let body = Bytes::copy_from_slice(body);
        Unread::on_unknown_path(&Method::POST, path, &headers, &body, 1 << 20)
    }

    #[test]
    fn a_request_with_tools_is_found_also_if_it_is_compressed_and_its_key_is_not_shown() {
        let body = br#"{"messages":[],"toolConfig":{"tools":[{"toolSpec":{"name":"x"}}]}}"#;
        let path = "/model/x/converse-stream?key=canary-5c1f";
        let plain = found(path, None, body).unwrap();
        assert!(
            plain
                .alarm()
                .starts_with("refused POST /model/x/converse-stream: it names tools")
        );
        for words in [plain.alarm(), plain.answer()] {
            assert!(
                words.contains("--pass-unknown") && !words.contains("canary"),
                "{words}"
            );
        }
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packed.write_all(body).unwrap();
        let packed = packed.finish().unwrap();
        assert_eq!(found(path, Some("gzip"), &packed), Some(plain));
        let unknown = found(path, Some("br"), body).unwrap();
        assert!(unknown.alarm().contains("(br)"), "{}", unknown.alarm());
        assert!(found(path, Some("gzip"), body).is_some(), "it is no gzip");
    }

    #[test]
    fn a_request_without_tools_passes() {
        for (coding, body) in [
            (Some("br"), &b""[..]),
            (None, b"{\"events\":[{\"name\":\"tools\"}]}"),
            (None, b"\x00\x01\x02"),
            (None, b"--x\r\n\r\n{\"tools\":[1]}\r\n--x--"),
        ] {
            assert_eq!(found("/api/event_logging/batch", coding, body), None);
        }
    }

    #[test]
    fn what_is_shown_of_a_request_is_bounded_and_safe() {
        let long = found(
            &format!("/x\u{1b}[2J{}", "y".repeat(999)),
            None,
            b"{\"tools\":[1]}",
        )
        .unwrap();
        assert!(
            !long.alarm().contains('\u{1b}') && long.alarm().len() < 500,
            "{}",
            long.alarm()
        );
    }
}
