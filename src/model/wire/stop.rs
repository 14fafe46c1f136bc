//! Reads the finish reasons of each server.
//!
//! Must not know: parts.

use crate::show::visible;
use overrule_domain::turn::Stop;

/// Returns why the model stopped, from the server's finish reason in any case.
pub fn stop(reason: &str) -> Stop {
    match reason.to_ascii_lowercase().as_str() {
        "stop" | "end_turn" | "eos" | "eos_token" | "stop_sequence" | "stop_token" | "complete"
        | "completed" => Stop::End,
        "tool_calls" | "tool_call" | "tool_use" | "function_call" => Stop::Calls,
        "length" | "max_tokens" | "model_length" | "max_length" | "model_context_window_exceeded" => {
            Stop::Length
        }
        "content_filter" | "content_filtered" | "spii" | "image_safety" | "sensitive" | "safety"
        | "recitation" | "blocklist" | "prohibited_content" => Stop::Filter,
        "refusal" | "refused" => Stop::Refusal,
        "pause" | "paused" | "pause_turn" => Stop::Pause,
        word if is_malformed(word) => Stop::BadCall(
            format!(
                "the provider says that the model made no proper call (`{}`)",
                visible(reason)
            )
            .into(),
        ),
        _ => Stop::Other(visible(reason).into()),
    }
}

/// Returns true for a finish reason that reports an improper tool call.
fn is_malformed(word: &str) -> bool {
    let bad = ["unexpected", "invalid", "missing", "too_many"];
    word.contains("malformed") || (word.contains("call") && bad.iter().any(|bad| word.contains(bad)))
}
