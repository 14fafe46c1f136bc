//! Lists members of frames that are read, or known to be irrelevant for a conversation.
//!
//! Must not know: what is read of them.

/// Members of a frame.
pub const FRAME: &[&str] = &[
    "id",
    "object",
    "created",
    "model",
    "system_fingerprint",
    "service_tier",
    "choices",
    "usage",
    "error",
    // Padding against an observer of sizes.
    "obfuscation",
    "p",
    "nonce",
    "padding",
    // Azure.
    "prompt_filter_results",
    "prompt_annotations",
    // OpenRouter and other routers.
    "provider",
    "openrouter_metadata",
    // Groq.
    "x_groq",
    "usage_breakdown",
    // llama.cpp.
    "timings",
    "__verbose",
    "prompt_progress",
    // vLLM and SGLang.
    "prompt_logprobs",
    "prompt_token_ids",
    "kv_transfer_params",
    "metadata",
    // Others: Cerebras, LM Studio, Together, Fireworks, Perplexity, Zhipu, SambaNova, DashScope, NVIDIA.
    "time_info",
    "stats",
    "model_info",
    "runtime",
    "warnings",
    "prompt",
    "perf_metrics",
    "raw_output",
    "citations",
    "search_results",
    "related_questions",
    "images",
    "request_id",
    "nvext",
    "web_search",
    "is_byok",
    "copilot_usage",
    "cost",
];
/// Members of a choice.
pub const CHOICE: &[&str] = &[
    "index",
    "delta",
    "message",
    "finish_reason",
    "native_finish_reason",
    "stop_reason",
    "matched_stop",
    "hidden_states",
    "logprobs",
    "token_ids",
    "prompt_token_ids",
    "routed_experts",
    "content_filter_results",
    "content_filter_result",
    "content_filter_offsets",
    "usage",
    "error",
    "seed",
    "text",
    "raw_output",
];
/// Members of a delta or message.
pub const DELTA: &[&str] = &[
    "role",
    "content",
    "refusal",
    "reasoning",
    "reasoning_content",
    "reasoning_details",
    "tool_calls",
    "function_call",
    "channel",
    "annotations",
    "name",
    "tool_call_id",
    "token_ids",
    "padding",
    "usage",
    // Offsets of Copilot.
    "content_filter_offsets",
    "content_filter_results",
];
