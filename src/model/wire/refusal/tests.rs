//! Tests what is learned from refusals as servers write them.
//!
//! Must not know: sockets.

use serde_json::json;

use super::*;

fn learned(status: u64, text: &str) -> Vec<Quirk> {
    let members = [
        "stream",
        "stream_options",
        "parallel_tool_calls",
        "max_tokens",
        "extra_content",
        "reasoning_content",
    ];
    let members: Vec<String> = members.map(str::to_owned).to_vec();
    candidates(&Refusal::read(Some(status), text), &members)
}

fn first(status: u64, text: &str) -> Option<Quirk> {
    learned(status, text).into_iter().next()
}

#[test]
fn a_member_that_is_not_taken_is_left_out() {
    for (status, text, name) in [
        (
            422,
            r#"{"detail":[{"type":"extra_forbidden","loc":["body","stream_options"],"msg":"Extra inputs are not permitted"}]}"#,
            "stream_options",
        ),
        (
            400,
            r#"{"error":{"message":"property 'stream_options' is unsupported, did you mean 'stream'?","type":"invalid_request_error"}}"#,
            "stream_options",
        ),
        (
            400,
            r#"{"error":{"message":"Unrecognized request argument supplied: stream_options","type":"invalid_request_error","param":null}}"#,
            "stream_options",
        ),
        (
            400,
            r#"{"error":{"message":"Unknown parameter: 'stream_options'.","code":"unknown_parameter","param":"stream_options"}}"#,
            "stream_options",
        ),
        (
            400,
            r#"{"object":"error","message":"[{'type': 'extra_forbidden', 'loc': ('body', 'stream_options'), 'msg': 'Extra inputs are not permitted'}]"}"#,
            "stream_options",
        ),
        (
            400,
            r#"[{"error":{"code":400,"message":"Invalid JSON payload received. Unknown name \"stream_options\": Cannot find field."}}]"#,
            "stream_options",
        ),
        (
            400,
            r#"{"error":{"message":"Unsupported parameter: 'parallel_tool_calls' is not supported with this model.","code":"unsupported_parameter"}}"#,
            "parallel_tool_calls",
        ),
        (
            400,
            r#"{"error":{"message":"Unsupported value: 'stream' does not support true with this model.","param":"stream"}}"#,
            "stream",
        ),
        (
            400,
            r#"{"error":{"message":"'messages.2.tool_calls.0' : property 'extra_content' is unsupported"}}"#,
            "extra_content",
        ),
        (
            422,
            r#"{"detail":[{"type":"extra_forbidden","loc":["body","messages",2,"reasoning_content"],"msg":"Extra inputs are not permitted"}]}"#,
            "reasoning_content",
        ),
        (
            400,
            r#"{"detail":"stream_options is not known here"}"#,
            "stream_options",
        ),
    ] {
        assert_eq!(
            first(status, text),
            Some(Quirk::LeaveOut(name.to_owned())),
            "{text}"
        );
    }
}

#[test]
fn rules_of_templates_and_orders_are_known_by_the_words_of_the_servers_that_have_them() {
    for (status, text, quirk) in [
        // Mistral, also through vLLM and a router.
        (
            400,
            r#"{"object":"error","message":"Unexpected role 'user' after role 'tool'","type":"invalid_request_message_order","code":"3230"}"#,
            Quirk::NotesInResult,
        ),
        (
            400,
            r#"{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"{\"message\":\"Unexpected role 'user' after role 'tool'\"}","provider_name":"Mistral"}}}"#,
            Quirk::NotesInResult,
        ),
        (
            400,
            r#"{"message":"Tool call id was call_c3 but must be a-z, A-Z, 0-9, with a length of 9."}"#,
            Quirk::ShortIds,
        ),
        (
            400,
            r#"{"error":{"message":"Invalid 'messages[3].tool_calls[0].id': string too long. Expected a string with maximum length 40, but got a string with length 45 instead."}}"#,
            Quirk::ShortIds,
        ),
        (
            400,
            r#"{"message":"Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant"}"#,
            Quirk::UserLast,
        ),
        // Templates in vLLM, LM Studio and llama.cpp.
        (
            400,
            r#"{"object":"error","message":"After the optional system message, conversation roles must alternate user/assistant/user/assistant/...","type":"BadRequestError"}"#,
            Quirk::AlternateRoles,
        ),
        (
            500,
            r#"{"error":{"code":500,"message":"Error: Jinja Exception: Conversation roles must alternate user/assistant/user/assistant/...","type":"server_error"}}"#,
            Quirk::AlternateRoles,
        ),
        (
            400,
            r#"{"error":{"message":"messages: roles must alternate between \"user\" and \"assistant\", but found multiple \"user\" roles in a row"}}"#,
            Quirk::AlternateRoles,
        ),
        (
            400,
            r#"{"object":"error","message":"System role not supported","type":"BadRequestError"}"#,
            Quirk::SystemInUser,
        ),
        (
            500,
            r#"{"error":{"code":500,"message":"This model only supports single tool-calls at once!"}}"#,
            Quirk::SingleCalls,
        ),
        (
            400,
            r#"{"error":{"message":"Parallel tool calls are not supported by this model"}}"#,
            Quirk::SingleCalls,
        ),
    ] {
        assert_eq!(first(status, text), Some(quirk), "{text}");
    }
}

#[test]
fn what_hosted_models_want_is_known_by_their_words() {
    for (status, text, quirk) in [
        // DeepSeek and Moonshot.
        (
            400,
            r#"{"error":{"message":"The `reasoning_content` in the thinking mode must be passed back to the API."}}"#,
            Quirk::ReasoningBack,
        ),
        (
            400,
            r#"{"error":{"message":"thinking is enabled but reasoning_content is missing in assistant tool call message at index 2"}}"#,
            Quirk::ReasoningBack,
        ),
        // Gemini on its compatible address.
        (
            400,
            r#"[{"error":{"code":400,"message":"Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly"}}]"#,
            Quirk::SignaturesBack,
        ),
        (
            400,
            r#"{"error":{"message":"messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`. A final assistant message must start with a thinking block"}}"#,
            Quirk::SignaturesBack,
        ),
        // OpenAI.
        (
            400,
            r#"{"error":{"message":"Unsupported value: 'messages[0].role' does not support 'system' with this model.","param":"messages[0].role","code":"unsupported_value"}}"#,
            Quirk::DeveloperRole,
        ),
        (
            400,
            r#"{"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.","param":"max_tokens"}}"#,
            Quirk::CompletionTokens,
        ),
        (
            400,
            r#"{"error":{"message":"Invalid value for 'content': expected a string, got null.","param":"messages.[2].content"}}"#,
            Quirk::StringContent,
        ),
        (
            400,
            r#"{"error":{"message":"Invalid schema for function 'x': In context=(), 'additionalProperties' is required to be supplied and to be false."}}"#,
            Quirk::StrictSchemas,
        ),
        // Groq and others.
        (
            400,
            r#"{"error":{"message":"'messages.2' : for 'role:assistant' the following must be satisfied[('messages.2.content' : value must be a string)]"}}"#,
            Quirk::StringContent,
        ),
        (
            422,
            r#"{"detail":[{"type":"string_type","loc":["body","messages",2,"content"],"msg":"Input should be a valid string"}]}"#,
            Quirk::StringContent,
        ),
        (
            400,
            r#"{"error":{"message":"messages: text content blocks must be non-empty"}}"#,
            Quirk::NoBlankContent,
        ),
    ] {
        assert_eq!(first(status, text), Some(quirk), "{text}");
    }
}

/// Refusals in further words, with the form that is tried first.
#[test]
fn other_words_for_the_same_rules_are_known_as_well() {
    use Quirk::{
        AlternateRoles, LeaveOut, NoBlankContent, NotesInResult, ReasoningBack, ShortIds, SingleCalls,
        StringContent, SystemInUser, UserLast,
    };
    let left_out = |name: &str| LeaveOut(name.to_owned());
    let message =
        |words: &str| json!({"error": {"message": words, "type": "invalid_request_error"}}).to_string();
    for (words, quirk) in [
        (
            "Additional properties are not allowed ('stream_options' was unexpected)",
            left_out("stream_options"),
        ),
        (
            "json: unknown field \"stream_options\"",
            left_out("stream_options"),
        ),
        (
            "unknown field `stream_options`, expected one of `model`, `stream`",
            left_out("stream_options"),
        ),
        ("stream_options can't be used here", left_out("stream_options")),
        (
            "This model doesn't support tool use in streaming mode.",
            left_out("stream"),
        ),
        ("Streaming is disabled for this deployment", left_out("stream")),
        ("max_tokens is not available", left_out("max_tokens")),
        (
            "parallel_tool_calls is deprecated",
            left_out("parallel_tool_calls"),
        ),
        ("Consecutive messages of one role are refused", AlternateRoles),
        ("found two user turns in succession", AlternateRoles),
        ("messages 2 and 3 have the same role", AlternateRoles),
        (
            "messages with role 'user' cannot follow messages with role 'tool'",
            NotesInResult,
        ),
        (
            "A tool message must be followed by an assistant message",
            NotesInResult,
        ),
        ("Expected assistant role after tool role, got user", NotesInResult),
        ("The final message must be from the user", UserLast),
        ("The conversation must end with a user message", UserLast),
        ("This model does not support assistant message prefill", UserLast),
        ("System messages are not supported by this model", SystemInUser),
        (
            "'system' is not one of ['user', 'assistant', 'tool'] - 'messages.0.role'",
            SystemInUser,
        ),
        ("Only user and assistant roles are supported!", SystemInUser),
        (
            "The reasoning content of earlier turns needs to be included",
            ReasoningBack,
        ),
        ("reasoning_content not found in message 2", ReasoningBack),
        ("tool_call_id may only have letters and digits", ShortIds),
        ("Invalid tool call id: at most 9 characters", ShortIds),
        ("only one tool call per message is allowed", SingleCalls),
        ("this model runs one tool at a time", SingleCalls),
        ("parallel function calling is not supported", SingleCalls),
        ("content must be a string", StringContent),
        ("'content' is a required property - 'messages.2'", StringContent),
        (
            "can only concatenate str (not \"NoneType\") to str",
            StringContent,
        ),
        ("content may not be empty: it must not be empty", NoBlankContent),
    ] {
        assert_eq!(first(400, &message(words)), Some(quirk), "{words}");
    }
    for (text, quirk) in [
        (
            r#"{"detail":[{"type":"literal_error","loc":["body","messages",0,"role"],"msg":"Input should be 'user', 'assistant' or 'tool'","input":"system"}]}"#,
            SystemInUser,
        ),
        (
            r#"{"detail":[{"type":"string_pattern_mismatch","loc":["body","messages",2,"tool_calls",0,"id"],"msg":"String should match pattern '^[a-zA-Z0-9]{9}$'"}]}"#,
            ShortIds,
        ),
        (
            r#"{"detail":[{"type":"too_long","loc":["body","messages",2,"tool_calls"],"msg":"List should have at most 1 item after validation, not 2"}]}"#,
            SingleCalls,
        ),
        (
            r#"{"error":{"issues":[{"path":["messages",2,"content"],"message":"Expected string, received null"}],"name":"ZodError"}}"#,
            StringContent,
        ),
        (
            r#"{"error":"Value error: extra fields not permitted","detail":["stream_options"]}"#,
            left_out("stream_options"),
        ),
    ] {
        assert_eq!(first(422, text), Some(quirk), "{text}");
    }
    // What the server repeats of the request is no reason.
    let repeated = json!({"detail": [{"type": "missing", "loc": ["body", "prompt"], "msg": "Field required",
        "input": {"messages": [{"content": "roles must alternate, and stream_options are unknown"}]}}]});
    assert_eq!(learned(422, &repeated.to_string()), []);
}

#[test]
fn what_no_other_form_helps_against_teaches_nothing() {
    for (status, text) in [
        (500, r#"{"error":{"message":"oops"}}"#),
        (
            401,
            r#"{"message":"Tool call id must be a-z, with a length of 9"}"#,
        ),
        (429, r#"{"error":{"message":"stream_options"}}"#),
        (400, ""),
        (400, r#"{"error":{"message":"this model takes at most 1 image"}}"#),
        (
            400,
            r#"{"error":{"message":"This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens."}}"#,
        ),
        (404, r#"{"error":{"message":"model `x` not found"}}"#),
        (
            400,
            r#"{"error":{"message":"No tool call found for tool_call_id x"}}"#,
        ),
        (
            400,
            r#"{"error":{"message":"registry/x does not support tools"}}"#,
        ),
        // The limit depends on the length of the request.
        (
            400,
            r#"{"error":{"message":"max_tokens is too large: 100000. This model's maximum context length is 32768 tokens and your request has 500 input tokens"}}"#,
        ),
        (
            400,
            r#"{"error":{"message":"An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'."}}"#,
        ),
        (
            400,
            r#"{"error":{"message":"messages with role 'tool' must be a response to a preceeding message with 'tool_calls'."}}"#,
        ),
    ] {
        assert_eq!(learned(status, text), [], "{status} {text}");
    }
}

#[test]
fn the_maximum_of_a_reply_is_taken_as_it_is_said() {
    for (words, most) in [
        (
            "max_tokens is too large: 100000. This model supports at most 4096 completion tokens",
            4096,
        ),
        (
            "Invalid max_tokens value, the valid range of max_tokens is [1, 8192]",
            8192,
        ),
        (
            "max_tokens: 32000 > 8192, which is the maximum allowed number of output tokens for claude-3-5-haiku-20241022",
            8192,
        ),
        (
            "Invalid 'max_output_tokens': integer above maximum value. Expected a value <= 16384, but got 100000 instead.",
            16384,
        ),
        (
            "Unable to submit request because it has a maxOutputTokens value of 100000 but the supported range is from 1 (inclusive) to 65537 (exclusive).",
            65536,
        ),
        (
            "`max_tokens` must be less than or equal to `32,768`, the maximum value for `max_tokens` is less than the `context_window` for this model",
            32768,
        ),
    ] {
        let refusal = json!({"error": {"message": words}}).to_string();
        assert_eq!(first(400, &refusal), Some(Quirk::MaxOutput(most)), "{words}");
    }
}

#[test]
fn the_least_thinking_of_a_model_is_taken_as_it_is_said() {
    let least = |level: &str| Quirk::LeastThinking(level.to_owned());
    for (words, levels) in [
        (
            "Unsupported value: 'none' is not supported with the 'gpt-5' model. Supported values are: 'minimal', 'low', 'medium', and 'high' (reasoning_effort).",
            vec![least("minimal")],
        ),
        (
            "Unsupported value: 'reasoning.effort' does not support 'none' with this model. Supported values are: 'low', 'medium' and 'high'.",
            vec![least("low")],
        ),
        (
            "Budget 0 is invalid. This model only works in thinking mode.",
            vec![least("minimal"), least("low")],
        ),
        (
            "thinking.type.disabled is not supported for this model: thinking is always on",
            vec![least("minimal"), least("low")],
        ),
    ] {
        let refusal = json!({"error": {"message": words}}).to_string();
        let found: Vec<Quirk> = learned(400, &refusal)
            .into_iter()
            .filter(|quirk| matches!(quirk, Quirk::LeastThinking(_)))
            .collect();
        assert_eq!(found, levels, "{words}");
    }
}

#[test]
fn a_second_form_is_known_where_the_first_changes_nothing() {
    let template = r#"{"message":"Conversation roles must alternate user/assistant/user/assistant/..."}"#;
    assert_eq!(
        learned(400, template),
        [Quirk::AlternateRoles, Quirk::SystemInUser]
    );
    let developer = r#"{"error":{"message":"Unsupported value: 'messages[0].role' does not support 'developer' with this model."}}"#;
    assert!(learned(400, developer).contains(&Quirk::SystemInUser));
    let signature = r#"{"error":{"message":"Function call is missing a thought_signature"}}"#;
    assert!(learned(400, signature).contains(&Quirk::PlaceholderSignatures));
}
