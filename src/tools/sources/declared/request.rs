//! Sends the HTTP request of a declared tool.
//!
//! Must not know: how it was declared, how a request is sent.

use serde_json::{Map, Value, json};

use secrecy::ExposeSecret as _;

use super::fill::{self, percent};
use super::setup::{Body, Declaration, KeyPlace, Request};
use crate::errors::refused;
use crate::tool::Job;
use overrule_domain::call::{ErrorClass, ToolError};

/// Returns the arguments with which the `http_request` tool sends it.
pub(super) fn arguments(
    declared: &Declaration,
    request: &Request,
    args: &Map<String, Value>,
    job: &Job,
) -> Result<Value, ToolError> {
    let url = request.url.fill(args, percent).ok_or_else(|| {
        refused(
            ErrorClass::Param,
            "an argument of the address is missing",
            "read by the tool",
            "give every argument of the address",
        )
    })?;
    if fill::has_dot_segment(&url) {
        return Err(refused(
            ErrorClass::Param,
            "an argument would lead to another path of the server",
            "read by the tool",
            "give an argument that is not `.` or `..`",
        ));
    }
    let mut headers: Map<String, Value> = request
        .headers
        .iter()
        .map(|(name, value)| (name.clone(), value.expose_secret().into()))
        .collect();
    if let Some(KeyPlace::Header(name)) = &declared.key {
        headers.insert(name.clone(), Value::from(&*job.key));
    }
    let body = match &request.body {
        None => None,
        Some(Body::Text(text)) => text.fill(args, |value| value),
        Some(Body::Json(value)) => {
            if !headers
                .keys()
                .any(|name| name.eq_ignore_ascii_case("content-type"))
            {
                headers.insert("content-type".to_owned(), "application/json".into());
            }
            Some(fill::json(value, args).unwrap_or_default().to_string())
        }
    };
    let mut filled = json!({
        "method": request.method,
        "url": url,
        "headers": headers,
        "timeout_s": declared.limit.as_secs().max(1),
    });
    if let Some(body) = body {
        filled["body"] = body.into();
    }
    Ok(filled)
}
