//! Tests error messages as servers write them.
//!
//! Must not know: sockets.

use super::*;

fn read(status: u64, text: &str) -> Refusal {
    Refusal::read(Some(status), text)
}

#[test]
fn the_innermost_reason_is_shown_with_the_provider_name() {
    let text = r#"{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"{\"object\":\"error\",\"message\":\"Unexpected role 'tool'\"}","provider_name":"Mistral"}}}"#;
    let words = r#"{"error":{"message":"Provider returned error","metadata":{"raw":"no room here","provider_name":"Example"}}}"#;
    let listed =
        r#"[{"error":{"code":400,"message":"Function call is missing a part","status":"INVALID_ARGUMENT"}}]"#;
    let fields = r#"{"detail":[{"type":"extra_forbidden","loc":["body","stream_options"],"msg":"Extra inputs are not permitted"}]}"#;
    let azure = r#"{"error":{"code":"BadRequest","message":"See details","details":[{"code":"x","message":"Too many tools"}]}}"#;
    let google =
        r#"{"error":{"message":"Quota exceeded","details":[{"@type":"RetryInfo","retryDelay":"32s"}]}}"#;
    let named = r#"{"error":{"code":400,"message":"API key not valid.","details":[{"@type":"ErrorInfo","reason":"API_KEY_INVALID","domain":"x"}]}}"#;
    let sentence =
        r#"{"error":{"message":"Bad Request","details":[{"reason":"the model takes no images"}]}}"#;
    let violations = r#"{"error":{"message":"Request is wrong","details":[{"@type":"BadRequest","fieldViolations":[{"field":"tools[0].name","description":"must be a word"}]},{"links":[{"description":"Learn more"}]}]}}"#;
    let zod = r#"{"error":{"name":"ZodError","issues":[{"path":["messages",2,"content"],"message":"Expected string, received null"}]}}"#;
    let spring =
        r#"{"timestamp":"x","status":400,"error":"Bad Request","message":"content is null","path":"/v1"}"#;
    let by_field = |key: &str| {
        format!(
            r#"{{"title":"One or more errors","{key}":{{"content":["is required","is short"],"role":"is odd"}}}}"#
        )
    };
    let aspnet = by_field("errors");
    let page =
        "<html>\n<head><title>413 Request Entity Too Large</title></head><body><h1>x</h1></body></html>";
    let gateway = r#"{"error":{"message":"Error from provider: 400 Bad Request {\"error\":{\"message\":\"No signature\"}}"}}"#;
    for (text, reason) in [
        (text, "Unexpected role 'tool' (provider Mistral)"),
        (words, "no room here (provider Example)"),
        (listed, "Function call is missing a part"),
        (fields, "body.stream_options: Extra inputs are not permitted"),
        (azure, "Too many tools"),
        (google, "Quota exceeded"),
        (gateway, "No signature"),
        (named, "API key not valid. (API_KEY_INVALID)"),
        (sentence, "the model takes no images"),
        (violations, "tools[0].name: must be a word"),
        (zod, "messages.2.content: Expected string, received null"),
        (spring, "content is null"),
        (&aspnet, "content: is required; is short; role: is odd"),
        (page, "413 Request Entity Too Large"),
        (
            "<?xml version=\"1.0\"?><Error><Code>X</Code><Message>No room</Message></Error>",
            "No room",
        ),
        ("<p>Bad <b>gateway</b></p>", "Bad gateway"),
        (r#"{"error":["no a","no b"]}"#, "no a; no b"),
        (
            r#"{"message":{"detail":[{"loc":["body","n"],"msg":"Field required"}]}}"#,
            "body.n: Field required",
        ),
        (r#"{"error":{"message":{"text":"deep down"}}}"#, "deep down"),
        (
            r#"{"error":{"message":"","code":"unsupported_value","param":"stream"}}"#,
            "unsupported_value, param: stream, stream",
        ),
        (
            r#"{"error_code":336003,"error_msg":"the last message must be from user"}"#,
            "the last message must be from user",
        ),
        (
            r#"{"fault":{"faultstring":"Rate is off","detail":{"errorcode":"x"}}}"#,
            "Rate is off",
        ),
        (
            r#"{"Message":"User is not authorized"}"#,
            "User is not authorized",
        ),
        (r#"data: {"error":{"message":"in a frame"}}"#, "in a frame"),
        (r#"{"errors":[{"message":"a"},{"message":"b"}]}"#, "a; b"),
        (r#"{"error":"plain"}"#, "plain"),
        (r#"{"detail":"plain {x}"}"#, "plain {x}"),
        ("oops", "oops"),
        ("", ""),
        ("{}", ""),
    ] {
        assert_eq!(read(400, text).reason, reason, "{text}");
    }
    let nested = format!("{}\"deep\"{}", "{\"error\":".repeat(60), "}".repeat(60));
    assert_eq!(
        read(400, &nested).reason,
        "",
        "and it is not looked for without end"
    );
}

#[test]
fn a_used_up_quota_is_no_rate_limit() {
    use StreamFaultKind::{Auth, Overload, Quota, RateLimit, Request, Server};
    for (status, text, kind) in [
        (
            429,
            r#"{"error":{"message":"You exceeded your current quota, please check your plan and billing details.","type":"insufficient_quota","code":"insufficient_quota"}}"#,
            Quota,
        ),
        (
            429,
            r#"{"error":{"message":"Your account is suspended, please check your plan and billing details","type":"exceeded_current_quota_error"}}"#,
            Quota,
        ),
        (403, r#"{"error":{"message":"billing is not active"}}"#, Quota),
        (402, r#"{"error":{"message":"Insufficient Balance"}}"#, Quota),
        (402, "", Quota),
        (
            400,
            r#"{"error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the API."}}"#,
            Quota,
        ),
        (
            429,
            r#"{"error":{"message":"slow down","type":"rate_limit"}}"#,
            RateLimit,
        ),
        // A limit for a minute, with advice on where to pay for more.
        (
            429,
            r#"{"error":{"message":"Rate limit reached for model `x`. Please try again in 7.66s. Need more tokens? Upgrade at https://example.com/settings/billing","code":"rate_limit_exceeded"}}"#,
            RateLimit,
        ),
        (
            429,
            r#"[{"error":{"message":"You exceeded your current quota, please check your plan and billing details. Please retry in 32.5s.","status":"RESOURCE_EXHAUSTED"}}]"#,
            RateLimit,
        ),
        (
            429,
            r#"{"error":{"message":"Quota exceeded for generate_content_requests_per_minute_per_project","status":"RESOURCE_EXHAUSTED"}}"#,
            RateLimit,
        ),
        (403, r#"{"error":{"message":"no access to this model"}}"#, Auth),
        (
            529,
            r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#,
            Overload,
        ),
        (503, "", Overload),
        (
            429,
            r#"{"error":{"type":"engine_overloaded_error","message":"The engine is currently overloaded"}}"#,
            Overload,
        ),
        (400, r#"{"error":{"message":"overloaded operator"}}"#, Request),
        (500, r#"{"error":{"message":"oops"}}"#, Server),
    ] {
        assert_eq!(read(status, text).kind(None), kind, "{status} {text}");
    }
    let names_quota = read(429, r#"{"error":{"message":"quota of this minute"}}"#);
    assert_eq!(names_quota.kind(None), Quota);
    assert_eq!(
        names_quota.kind(Some(2_000)),
        RateLimit,
        "the header says when to ask again"
    );
}

#[test]
fn waits_are_read_from_words() {
    for (words, ms) in [
        ("Please try again in 7.66s.", Some(7_660)),
        ("please retry in 1m2s", Some(62_000)),
        ("try again in 20 seconds", Some(20_000)),
        ("try again in 350ms", Some(350)),
        ("try again in a while", None),
        ("", None),
    ] {
        let text = serde_json::json!({"error": {"message": words}}).to_string();
        assert_eq!(read(429, &text).wait_ms, ms, "{words}");
    }
    let delay = r#"{"error":{"message":"x","details":[{"@type":"RetryInfo","retryDelay":"32s"}]}}"#;
    assert_eq!(read(429, delay).wait_ms, Some(32_000));
}

#[test]
fn a_content_filter_refusal_is_classified_as_filtered() {
    let text = r#"{"error":{"message":"The response was filtered","code":"content_filter","status":400}}"#;
    assert_eq!(read(400, text).kind(None), StreamFaultKind::Filter);
}

#[test]
fn a_request_that_is_too_long_is_known_in_each_providers_words() {
    let kind = |status: u64, message: &str| {
        let body = serde_json::json!({"error": {"message": message}}).to_string();
        Refusal::read(Some(status), &body).kind(None)
    };
    for (status, words) in [
        (
            400,
            "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
        ),
        (
            400,
            "Your input exceeds the context window of this model. Please adjust your input and try again.",
        ),
        (400, "prompt is too long: 208310 tokens > 200000 maximum"),
        (413, "Prompt is too long"),
        (
            400,
            "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000",
        ),
        (
            400,
            "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
        ),
        (
            400,
            "the request exceeds the available context size (4096 tokens), try increasing it",
        ),
        (
            500,
            "the request exceeds the available context size. try increasing the context size",
        ),
        (400, "Please reduce the length of the messages or completion."),
        (400, "Input is too long for requested model."),
    ] {
        assert_eq!(kind(status, words), StreamFaultKind::Overflow, "{words}");
    }
    let code = r#"{"error":{"message":"No.","code":"context_length_exceeded"}}"#;
    assert_eq!(
        Refusal::read(Some(400), code).kind(None),
        StreamFaultKind::Overflow
    );
    for (status, words, other) in [
        (
            429,
            "Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 40000.",
            StreamFaultKind::RateLimit,
        ),
        (
            400,
            "max_tokens is too large: 9000. This model supports at most 4096 completion tokens",
            StreamFaultKind::Request,
        ),
        (
            400,
            "Invalid 'messages[3].tool_calls[0].id': string too long.",
            StreamFaultKind::Request,
        ),
    ] {
        assert_eq!(kind(status, words), other, "{words}");
    }
}
