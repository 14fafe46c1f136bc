//! Chooses another form of a request after a refusal, from the server's message.
//!
//! Must not know: sockets.
//!
//! Only what the message asks for is changed, so that every other server gets the bytes that it
//! always got.

#[cfg(test)]
mod tests;

use crate::Quirk;
use crate::fault::Refusal;
use crate::wire::common::LEVELS;

/// Statuses with which servers refuse a form. Some answer 500 where the template of a model raises an error.
const STATUSES: &[u64] = &[400, 404, 405, 413, 415, 422, 424, 500, 501];

/// Words by which servers report a member that they do not accept.
const NOT_TAKEN: &[&str] = &[
    "unknown",
    "unrecognized",
    "unrecognised",
    "unsupported",
    "unexpected",
    "not support",
    "n't support",
    "not permitted",
    "not allowed",
    "not recognized",
    "not known",
    "not accept",
    "no such",
    "not a valid",
    "invalid",
    "extra_forbidden",
    "extra inputs",
    "additional properties",
    "cannot find field",
    "unknwon",
    "not enabled",
    "not available",
    "not implemented",
    "not exist",
    "not one of",
    "input should be",
    "must be one of",
    "should be one of",
    "only supports",
    "disabled",
    "deprecated",
    "forbidden",
    "illegal",
    "cannot be used",
    "can't be used",
    "was unexpected",
];
/// Names of error types, which do not show what is not accepted.
const TYPES: &[&str] = &[
    "invalid_request",
    "invalidrequest",
    "invalid_argument",
    "invalid request error",
];
/// Words by which servers report a number out of range.
const RANGE: &[&str] = &[
    "too large",
    "too high",
    "too big",
    "at most",
    "less than",
    "maximum",
    "exceed",
    "greater than",
    "at least",
];
/// No model has a smaller maximum of a reply.
const LEAST_MAXIMUM: u32 = 256;
/// Words by which servers report a requirement.
const REQUIREMENTS: &[&str] = &[
    "must be",
    "must have",
    "must include",
    "must contain",
    "must start",
    "passed back",
    "missing",
    "required",
    "requires",
    "expected",
    "needs",
    "should be",
    "not found",
    "provide",
    "include",
    "absent",
];

/// Returns the forms that may help after a refusal, the likeliest first; none if no other form
/// would help. `members` are the names of members of the request that can be left out.
pub fn candidates(refusal: &Refusal, members: &[String]) -> Vec<Quirk> {
    if refusal.status.is_some_and(|status| !STATUSES.contains(&status)) {
        return Vec::new();
    }
    let mut found = Vec::new();
    // Exact names come before mere mentions.
    limit(refusal, &mut found);
    reasoning(refusal, &mut found);
    roles(refusal, &mut found);
    ids(refusal, &mut found);
    calls(refusal, members, &mut found);
    if found.is_empty() {
        found.extend(left_out(refusal, members));
    }
    content(refusal, &mut found);
    // What changes nothing in a request is passed over.
    found.splice(
        0..0,
        least_thinking(refusal).into_iter().chain(max_output(refusal)),
    );
    found
}

/// Returns levels to try where a model cannot do without thinking: the lowest that the message names, else the lowest two.
fn least_thinking(refusal: &Refusal) -> Vec<Quirk> {
    let off = [
        "none",
        "disable",
        "turned off",
        "turn off",
        "budget 0",
        "budget of 0",
        "in thinking mode",
        "always",
        "value \"false\"",
    ];
    let other = ["signature", "block", "reasoning_content", "nonetype"];
    if !refusal.mentions_any(&["thinking", "reasoning", "effort"])
        || !refusal.mentions_any(&off)
        || refusal.mentions_any(&other)
    {
        return Vec::new();
    }
    let level = |level: &&str| Quirk::LeastThinking((*level).to_owned());
    let named = LEVELS
        .iter()
        .find(|level| place_of(&refusal.words, level).is_some());
    match named {
        Some(named) => vec![level(named)],
        None => LEVELS.iter().take(2).map(level).collect(),
    }
}

/// Returns the most tokens of a reply, as the message says it.
fn max_output(refusal: &Refusal) -> Option<Quirk> {
    let limits = [
        "max_tokens",
        "max_completion_tokens",
        "max_output_tokens",
        "maxoutputtokens",
        "num_predict",
    ];
    // These count the request as well.
    let window = [
        "context length",
        "context_length",
        "context window",
        "input tokens",
        "prompt",
    ];
    let range = ["<=", ">", "range"];
    let is_range = refusal.mentions_any(RANGE) || refusal.mentions_any(&range);
    if !refusal.mentions_any(&limits) || refusal.mentions_any(&window) || !is_range {
        return None;
    }
    // The number that was asked for is larger.
    let words = refusal.words.replace(',', "");
    let numbers = words.split(|c: char| !c.is_alphanumeric() && c != '-' && c != '.' && c != '_');
    let numbers = numbers.filter_map(|word| word.trim_end_matches('.').parse::<u32>().ok());
    let most = numbers.filter(|number| *number >= LEAST_MAXIMUM).min()?;
    let is_exclusive = refusal.mentions(&format!("{most} (exclusive)"));
    Some(Quirk::MaxOutput(most - u32::from(is_exclusive)))
}

/// Returns the member that the server does not accept: the first one that its text names.
fn left_out(refusal: &Refusal, members: &[String]) -> Option<Quirk> {
    let mut words = refusal.words.clone();
    for kind in TYPES {
        words = words.replace(kind, "");
    }
    let reported = NOT_TAKEN.iter().any(|word| words.contains(word));
    let is_limit = |name: &str| name.starts_with("max_") && refusal.mentions_any(RANGE);
    // A server names an option that was not asked for only for one reason.
    let is_extra = |name: &str| name == "stream_options";
    let names = members
        .iter()
        .filter(|name| (reported || is_extra(name)) && !is_limit(name));
    let named = names
        .filter_map(|name| Some((place_of(&words, name)?, name)))
        .min();
    let streams = || {
        let name = members.iter().find(|name| *name == "stream")?;
        (reported && words.contains("streaming")).then_some(name)
    };
    let name = named.map(|(_, name)| name).or_else(streams)?;
    Some(Quirk::LeaveOut(name.clone()))
}

/// Returns the position of a name in a text as a word of its own.
fn place_of(text: &str, name: &str) -> Option<usize> {
    let name = name.to_lowercase();
    let part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(name.as_str()).find_map(|(at, _)| {
        let before = text.get(..at)?.chars().next_back();
        let following = text.get(at + name.len()..)?.chars().next();
        let alone = !before.is_some_and(part) && !following.is_some_and(part);
        alone.then_some(at)
    })
}

fn limit(refusal: &Refusal, found: &mut Vec<Quirk>) {
    if place_of(&refusal.words, "max_tokens").is_some() && refusal.mentions("max_completion_tokens") {
        found.push(Quirk::CompletionTokens);
    }
}

fn reasoning(refusal: &Refusal, found: &mut Vec<Quirk>) {
    let requested = refusal.mentions_any(REQUIREMENTS);
    let unwanted = refusal.mentions_any(&[
        "extra_forbidden",
        "extra inputs",
        "not permitted",
        "unsupported",
        "not support",
        "not allowed",
        "not include",
        "must not",
        "remove",
    ]);
    if refusal.mentions_any(&["reasoning_content", "reasoning content"]) && requested && !unwanted {
        found.push(Quirk::ReasoningBack);
    }
    let signature = ["thought_signature", "thought signature", "thoughtsignature"];
    if refusal.mentions_any(&signature) {
        found.extend([Quirk::SignaturesBack, Quirk::PlaceholderSignatures]);
    }
    let blocks = [
        "reasoning_details",
        "thinking block",
        "redacted_thinking",
        "signature",
    ];
    if found.is_empty() && refusal.mentions_any(&blocks) && requested && !unwanted {
        found.push(Quirk::SignaturesBack);
    }
}

fn roles(refusal: &Refusal, found: &mut Vec<Quirk>) {
    let alternate = refusal.mentions("alternat")
        || refusal.mentions_any(&["in a row", "in succession", "back-to-back", "same role"])
        || (refusal.mentions_any(&["consecutive", "successive"])
            && refusal.mentions_any(&["role", "message", "turn"]));
    // Results that are missing are another matter.
    let lacks_results = refusal.mentions_any(&["tool_call_id", "responding to", "must be a response"]);
    let ordered = refusal.mentions_any(&["after", "follow", "directly", "between", "precede"]);
    let after_result = !alternate
        && !lacks_results
        && ordered
        && refusal.mentions_any(&["user", "assistant"])
        && refusal.mentions("tool")
        && refusal.mentions_any(&["role", "message"]);
    if after_result || refusal.mentions("invalid_request_message_order") {
        found.push(Quirk::NotesInResult);
    }
    if alternate || after_result || refusal.mentions("invalid_request_message_order") {
        found.push(Quirk::AlternateRoles);
    }
    let last = [
        "last role",
        "last message",
        "end with a user",
        "end with user",
        "end with a `user",
        "end with a 'user",
        "final message",
        "prefill",
    ];
    if refusal.mentions_any(&last) {
        found.push(Quirk::UserLast);
    }
    // A template may count the system text as one of the two roles.
    let system = alternate && !refusal.mentions("optional system");
    let text = ["message", "prompt", "instruction"];
    let of = |who: &str| text.iter().any(|what| refusal.mentions(&format!("{who} {what}")));
    let refused = (refusal.mentions("system") || refusal.mentions("developer"))
        && (refusal.mentions("role") || of("system") || of("developer"))
        && refusal.mentions_any(NOT_TAKEN);
    let only_two = refusal.mentions("only user") && refusal.mentions("role");
    if refused && !after_result {
        let named = refusal.mentions("developer") || refusal.mentions("unsupported value");
        let both = [Quirk::DeveloperRole, Quirk::SystemInUser];
        let order = if named { [0, 1] } else { [1, 0] };
        found.extend(order.into_iter().filter_map(|place| both.get(place).cloned()));
    } else if system || only_two {
        found.push(Quirk::SystemInUser);
    }
}

fn ids(refusal: &Refusal, found: &mut Vec<Quirk>) {
    let id = [
        "tool call id",
        "tool_call_id",
        "tool_use_id",
        "tool_use.id",
        "tool_calls.id",
        "call id",
        "].id",
        ".id\n",
    ];
    let form = [
        "length",
        "too long",
        "pattern",
        "must be a-z",
        "alphanumeric",
        "match",
        "letters",
        "characters",
    ];
    let lost = ["not found", "no tool", "not have", "did not"];
    if refusal.mentions_any(&id) && refusal.mentions_any(&form) && !refusal.mentions_any(&lost) {
        found.push(Quirk::ShortIds);
    }
}

fn calls(refusal: &Refusal, members: &[String], found: &mut Vec<Quirk>) {
    let member = "parallel_tool_calls";
    let sent = members.iter().any(|name| name == member);
    let about_member = sent && place_of(&refusal.words, member).is_some();
    let single = [
        "single tool",
        "one tool call",
        "one tool-call",
        "one function call",
        "multiple tool call",
        "multiple tool-call",
        "multiple function call",
        "parallel tool call",
        "parallel function call",
        "parallel_tool_calls",
        "more than one tool call",
        "more than one function call",
        "only one tool",
        "only one function",
        "at most one tool",
        "one tool at a time",
        "parallel function calling",
        "parallel tool use",
    ];
    let too_many =
        refusal.mentions("tool_calls") && refusal.mentions_any(&["at most 1 ", "maximum 1 ", "length 1"]);
    if !about_member && (too_many || refusal.mentions_any(&single)) {
        found.push(Quirk::SingleCalls);
    }
    let strict = refusal.mentions("strict") && refusal.mentions_any(&["must", "require", "only", "need"]);
    let closed = refusal.mentions("additionalproperties")
        && refusal.mentions("false")
        && refusal.mentions_any(&["must be", "required", "explicitly"]);
    let every = refusal.mentions("required") && refusal.mentions("every key in properties");
    let unwanted = refusal.mentions_any(&["unsupported", "not support", "extra inputs", "extra_forbidden"]);
    if !unwanted && (strict || closed || every) {
        found.push(Quirk::StrictSchemas);
    }
}

fn content(refusal: &Refusal, found: &mut Vec<Quirk>) {
    if !found.is_empty() {
        return;
    }
    // A template that joins texts does not name the member.
    if refusal.mentions("nonetype") {
        found.push(Quirk::StringContent);
    }
    if !refusal.mentions("content") {
        return;
    }
    let string = refusal.mentions("string")
        && refusal.mentions_any(&[
            "must be",
            "expected",
            "valid string",
            "should be",
            "required",
            "got null",
            "null",
        ]);
    let null = [
        "null",
        "none is not",
        "nonetype",
        "field required",
        "is required",
        "a required",
        "missing",
    ];
    if found.is_empty() && (string || refusal.mentions_any(&null)) {
        found.push(Quirk::StringContent);
    }
    let blank = [
        "non-empty",
        "nonempty",
        "not be empty",
        "be empty",
        "is empty",
        "is blank",
        "non-whitespace",
        "but not none",
        "at least 1 char",
        "at least one char",
    ];
    if refusal.mentions_any(&blank) {
        found.push(Quirk::NoBlankContent);
    }
}
