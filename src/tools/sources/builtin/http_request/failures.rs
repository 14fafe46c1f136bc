//! Describes the failures of a request: a bad status, no connection, an incomplete body.
//!
//! Must not know: how a request is sent.

use reqwest::header::{HeaderMap, RETRY_AFTER};
use reqwest::{StatusCode, Url};

use crate::errors::{from_io, shown};
use crate::output::json_text;
use overrule_domain::call::{ErrorClass, ToolError};
use overrule_resilience::wait::asked;

pub(super) fn by_status(status: StatusCode, headers: &HeaderMap, url: &Url, text: &str) -> ToolError {
    let code = status.as_u16();
    let (class, hint) = match code {
        408 | 425 | 500 | 502 | 503 | 504 => (ErrorClass::Transient, Some("try again later")),
        429 => (
            ErrorClass::Transient,
            Some("wait before the next request to this server"),
        ),
        400 | 422 => (
            ErrorClass::Param,
            Some("the body says what the server did not accept"),
        ),
        401 | 403 | 407 => (
            ErrorClass::Auth,
            Some("ask the operator for credentials, or for another way"),
        ),
        404 | 410 => (ErrorClass::NotFound, Some("check the path of the address")),
        409 => (
            ErrorClass::Conflict,
            Some("look at the state on the server first"),
        ),
        _ => (ErrorClass::Business, None),
    };
    let wait = headers.get(RETRY_AFTER).and_then(|wait| wait.to_str().ok());
    let reason = status
        .canonical_reason()
        .map_or(String::new(), |reason| format!(" {reason}"));
    ToolError {
        class,
        message: format!("`{}` answered {code}{reason}", shown(url.as_str())),
        evidence: match wait {
            Some(wait) => format!("HTTP {code}, Retry-After {}", shown(wait)),
            None => format!("HTTP {code}"),
        },
        hint: match wait {
            Some(wait) => Some(format!("the server asks to wait: Retry-After {}", shown(wait))),
            None => hint.map(ToOwned::to_owned),
        },
        partial: (!text.is_empty()).then(|| json_text(text).into()),
        // A server that receives too many requests says so instead of doing anything.
        executed: code != 429,
        retry_after_ms: asked(|name| headers.get(name)?.to_str().ok()),
    }
}

/// Builds the error of a request without a response. Nothing happened if there was no connection and no
/// earlier redirect.
pub(super) fn unsent(url: &Url, error: &reqwest::Error, first: bool) -> ToolError {
    let executed = !(first && (error.is_connect() || error.is_builder()));
    let what = url.as_str();
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(inner) = cause {
        if let Some(io) = inner.downcast_ref::<std::io::Error>()
            && io.raw_os_error().is_some()
        {
            return from_io("reach", what, io, executed);
        }
        cause = inner.source();
    }
    ToolError {
        class: if error.is_builder() {
            ErrorClass::Param
        } else {
            ErrorClass::Transient
        },
        message: format!("cannot reach `{}`: {}", shown(what), shown(&causes(error))),
        evidence: if error.is_connect() {
            "no connection".to_owned()
        } else {
            "no answer on the connection".to_owned()
        },
        hint: Some("check the address, and that the server runs".to_owned()),
        partial: None,
        executed,
        retry_after_ms: None,
    }
}

pub(super) fn broken(url: &Url, error: &reqwest::Error) -> ToolError {
    ToolError {
        class: ErrorClass::Transient,
        message: format!(
            "the answer of `{}` broke off: {}",
            shown(url.as_str()),
            shown(&causes(error))
        ),
        evidence: "incomplete body".to_owned(),
        hint: Some("the request was carried out; ask again only if it is safe to repeat".to_owned()),
        partial: None,
        executed: true,
        retry_after_ms: None,
    }
}

/// Describes the first cause of an error; the URL is named elsewhere.
pub(super) fn causes(error: &dyn std::error::Error) -> String {
    let mut innermost = error;
    while let Some(next) = innermost.source() {
        innermost = next;
    }
    innermost.to_string()
}
