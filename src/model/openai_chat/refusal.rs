//! Which other form of a request may help after a refusal, read from the words of the server. Only what such words ask
//! for is changed, so that every other server gets the bytes that it always got. Must not know: sockets.

#[cfg(test)]
mod tests;

use crate::model::Quirk;
use crate::model::fault::Refusal;

/// Statuses with which servers refuse a form. Some answer 500 where the template of a model raises an error.
const STATUSES: &[u64] = &[400, 404, 405, 413, 415, 422, 424, 500, 501];

/// Words by which servers say that they do not take something.
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
];
/// Words by which servers say that they want something.
const WANTED: &[&str] = &[
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
];

/// The forms that may help after a refusal, the likeliest first; none where another form would not help. `members` are
/// the names of members of the request that can be left out.
pub fn candidates(refusal: &Refusal, members: &[String]) -> Vec<Quirk> {
    if refusal.status.is_some_and(|status| !STATUSES.contains(&status)) {
        return Vec::new();
    }
    let mut found = Vec::new();
    // What is named exactly comes before what is only talked about.
    limit(refusal, &mut found);
    reasoning(refusal, &mut found);
    roles(refusal, &mut found);
    ids(refusal, &mut found);
    calls(refusal, members, &mut found);
    if found.is_empty() {
        found.extend(left_out(refusal, members));
    }
    content(refusal, &mut found);
    found
}

/// The member that the server does not take, if its words name one: the one that they name first.
fn left_out(refusal: &Refusal, members: &[String]) -> Option<Quirk> {
    let words = &refusal.words;
    // What nobody asked for is named for one reason only.
    let is_extra = |name: &str| name == "stream_options";
    let told = refusal.says_any(NOT_TAKEN);
    let names = members.iter().filter(|name| told || is_extra(name));
    let (_, name) = names
        .filter_map(|name| Some((place_of(words, name)?, name)))
        .min()?;
    Some(Quirk::LeaveOut(name.clone()))
}

/// Where a name stands in a text as a word of its own.
fn place_of(text: &str, name: &str) -> Option<usize> {
    let name = name.to_lowercase();
    let part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(name.as_str()).find_map(|(at, _)| {
        let before = text.get(..at)?.chars().next_back();
        let behind = text.get(at + name.len()..)?.chars().next();
        let alone = !before.is_some_and(part) && !behind.is_some_and(part);
        alone.then_some(at)
    })
}

fn limit(refusal: &Refusal, found: &mut Vec<Quirk>) {
    if place_of(&refusal.words, "max_tokens").is_some() && refusal.says("max_completion_tokens") {
        found.push(Quirk::CompletionTokens);
    }
}

fn reasoning(refusal: &Refusal, found: &mut Vec<Quirk>) {
    let wanted = refusal.says_any(WANTED);
    let unwanted = refusal.says_any(&["extra_forbidden", "extra inputs", "not permitted", "unsupported"]);
    if refusal.says("reasoning_content") && wanted && !unwanted {
        found.push(Quirk::ReasoningBack);
    }
    let signature = ["thought_signature", "thought signature", "thoughtsignature"];
    if refusal.says_any(&signature) {
        found.extend([Quirk::SignaturesBack, Quirk::PlaceholderSignatures]);
    }
    let blocks = [
        "reasoning_details",
        "thinking block",
        "redacted_thinking",
        "signature",
    ];
    if found.is_empty() && refusal.says_any(&blocks) && wanted && !unwanted {
        found.push(Quirk::SignaturesBack);
    }
}

fn roles(refusal: &Refusal, found: &mut Vec<Quirk>) {
    let alternate = refusal.says("alternat")
        || refusal.says("in a row")
        || (refusal.says("consecutive") && refusal.says_any(&["role", "message"]));
    let after_result = !alternate
        && refusal.says("user")
        && refusal.says("tool")
        && refusal.says("role")
        && refusal.says_any(&["after", "follow", "directly", "between"]);
    if after_result || refusal.says("invalid_request_message_order") {
        found.push(Quirk::NotesInResult);
    }
    if alternate || after_result || refusal.says("invalid_request_message_order") {
        found.push(Quirk::AlternateRoles);
    }
    let last = [
        "last role",
        "last message",
        "end with a user",
        "end with user",
        "prefill",
    ];
    if refusal.says_any(&last) {
        found.push(Quirk::UserLast);
    }
    // A template may count the system text as one of the two roles.
    let system = alternate && !refusal.says("optional system");
    let refused = (refusal.says("system") || refusal.says("developer"))
        && (refusal.says("role") || refusal.says("system message") || refusal.says("system prompt"))
        && refusal.says_any(NOT_TAKEN);
    let only_two = refusal.says("only user") && refusal.says("role");
    if refused && !after_result {
        let named = refusal.says("developer") || refusal.says("unsupported value");
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
    ];
    let form = [
        "length",
        "too long",
        "pattern",
        "must be a-z",
        "alphanumeric",
        "match",
    ];
    let lost = ["not found", "no tool", "not have", "did not"];
    if refusal.says_any(&id) && refusal.says_any(&form) && !refusal.says_any(&lost) {
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
    ];
    if !about_member && refusal.says_any(&single) {
        found.push(Quirk::SingleCalls);
    }
    let strict = refusal.says("strict") && refusal.says_any(&["must", "require", "only", "need"]);
    let closed = refusal.says("additionalproperties")
        && refusal.says("false")
        && refusal.says_any(&["must be", "required", "explicitly"]);
    let every = refusal.says("required") && refusal.says("every key in properties");
    let unwanted = refusal.says_any(&["unsupported", "not support", "extra inputs", "extra_forbidden"]);
    if !unwanted && (strict || closed || every) {
        found.push(Quirk::StrictSchemas);
    }
}

fn content(refusal: &Refusal, found: &mut Vec<Quirk>) {
    if !refusal.says("content") || !found.is_empty() {
        return;
    }
    let string = refusal.says("string")
        && refusal.says_any(&[
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
        "missing",
    ];
    if string || refusal.says_any(&null) {
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
    if refusal.says_any(&blank) {
        found.push(Quirk::NoBlankContent);
    }
}
