//! Finds a call that is written as JSON: as the whole text, in a block, or at the end.
//!
//! Must not know: marks.

use serde_json::Value;

/// Members of JSON that name a tool and may stand for something else.
const NAMES: &[&str] = &["name", "function", "action"];
/// Members of JSON that name a tool.
const TOOLS: &[&str] = &["tool", "tool_name", "function_name", "recipient_name"];
/// Members of JSON that contain the arguments.
const ARGUMENTS: &[&str] = &[
    "arguments",
    "parameters",
    "args",
    "kwargs",
    "input",
    "params",
    "tool_input",
    "action_input",
];
/// Members of JSON that contain calls.
const CALLS: &[&str] = &[
    "tool_calls",
    "tool_call",
    "tool_uses",
    "toolCalls",
    "toolUse",
    "function_call",
    "functionCall",
    "function",
    "calls",
];
/// Members of JSON that contain what came back from a call.
const REPORTED: &[&str] = &["error", "errors", "result"];
/// Languages of blocks in which JSON is a call.
const LANGUAGES: &[&str] = &[
    "",
    "json",
    "jsonc",
    "json5",
    "tool",
    "tool_call",
    "tool_calls",
    "tool_code",
    "tool_use",
    "function_call",
];
/// Places in a text at which JSON is looked for.
const PLACES: usize = 512;

/// A call as JSON, whole or cut.
pub(super) fn in_json(text: &str, tools: &[&str]) -> Option<String> {
    let blocks = fenced(text);
    let mut fits = blocks
        .iter()
        .filter(|(language, _)| LANGUAGES.contains(&language.as_str()));
    fits.find_map(|(_, block)| call_of(block.trim(), tools))
        .or_else(|| bare(text, tools))
}

/// The blocks between fences, with the lower-case language after each opening fence.
pub(super) fn fenced(text: &str) -> Vec<(String, &str)> {
    let mut found = Vec::new();
    for fence in ["```", "~~~"] {
        let mut rest = text;
        while let Some(at) = rest.find(fence) {
            let inside = rest.get(at + fence.len()..).unwrap_or_default();
            let (block, after) = inside.split_once(fence).unwrap_or((inside, ""));
            let word = block
                .find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '-'))
                .unwrap_or(block.len());
            let (language, block) = block.split_at(word);
            found.push((language.to_lowercase(), block));
            rest = after;
        }
    }
    found
}

/// JSON outside of blocks: at the beginning of a line, or up to the end of the text.
fn bare(text: &str, tools: &[&str]) -> Option<String> {
    let mut at = 0;
    for _ in 0..PLACES {
        let rest = text.get(at..)?;
        let found = rest.find(['{', '[', '`', '~'])?;
        let rest = rest.get(found..)?;
        at += found;
        if let Some(fence) = ["```", "~~~"].iter().find(|fence| rest.starts_with(**fence)) {
            let inside = rest.get(fence.len()..)?;
            at += fence.len() + inside.find(fence)? + fence.len();
            continue;
        }
        if rest.starts_with(['`', '~']) {
            // Code in a line is talked about.
            let inside = rest.get(1..)?;
            let end = inside.find(['`', '\n']).filter(|_| rest.starts_with('`'));
            at += 1 + end.map_or(0, |end| end + 1);
            continue;
        }
        let line = text.get(..at)?.rsplit('\n').next().unwrap_or_default();
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
        let whole = values.next().is_some_and(|value| value.is_ok());
        let length = if whole { values.byte_offset() } else { 1 };
        let after = rest.get(length..).unwrap_or_default();
        if line.trim().is_empty() || (whole && after.trim().is_empty()) {
            let call = call_of(rest, tools);
            if call.is_some() {
                return call;
            }
        }
        at += length;
    }
    None
}

/// The tool that a text calls which begins with JSON, also if that was cut or has other quotation marks.
fn call_of(json: &str, tools: &[&str]) -> Option<String> {
    if !json.starts_with(['{', '[']) {
        return None;
    }
    let mut values = serde_json::Deserializer::from_str(json).into_iter::<Value>();
    match values.next()? {
        Ok(first) => call_in(&first, false, tools),
        Err(error) => {
            let json = json.replace('\'', "\"");
            if outer_members(&json).iter().any(|key| REPORTED.contains(key)) {
                return None;
            }
            let has = |key: &&str| json.contains(&format!("\"{key}\""));
            let is_call = error.is_eof() || ARGUMENTS.iter().any(has);
            let tool = tools.iter().find(|tool| is_call && names(&json, tool))?;
            Some((*tool).to_owned())
        }
    }
}

/// The names of the members of the outermost object, also of JSON that cannot be parsed as a whole.
fn outer_members(json: &str) -> Vec<&str> {
    let (mut names, mut depth, mut begin, mut escaped) = (Vec::new(), 0_u32, None, false);
    for (at, c) in json.char_indices() {
        match (begin, c) {
            (Some(_), _) if escaped => escaped = false,
            (Some(_), '\\') => escaped = true,
            (Some(from), '"') => {
                begin = None;
                let is_name = json
                    .get(at + 1..)
                    .is_some_and(|rest| rest.trim_start().starts_with(':'));
                names.extend(json.get(from..at).filter(|_| depth == 1 && is_name));
            }
            (None, '"') => begin = Some(at + 1),
            (None, '{' | '[') => depth += 1,
            (None, '}' | ']') => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    names
}

/// True for what came back from a call: it is quoted.
fn is_report(members: &serde_json::Map<String, Value>) -> bool {
    let mut values = REPORTED.iter().filter_map(|key| members.get(*key));
    values.any(|value| !value.is_null())
}

fn call_in(value: &Value, listed: bool, tools: &[&str]) -> Option<String> {
    let members = match value {
        Value::Array(list) => return list.iter().find_map(|one| call_in(one, true, tools)),
        Value::Object(members) if is_report(members) => return None,
        Value::Object(members) => members,
        _ => return None,
    };
    let inside = CALLS.iter().filter_map(|key| members.get(*key));
    let nested = inside
        .filter(|one| one.is_object() || one.is_array())
        .find_map(|one| call_in(one, false, tools));
    if nested.is_some() {
        return nested;
    }
    let named = |keys: &[&str]| {
        let name = keys.iter().find_map(|key| members.get(*key)?.as_str())?;
        let name = name.strip_prefix("functions.").unwrap_or(name);
        tools.contains(&name).then(|| name.to_owned())
    };
    let others = members
        .keys()
        .filter(|key| !["id", "type"].contains(&key.as_str()));
    let is_call = ARGUMENTS.iter().any(|key| members.contains_key(*key)) || others.count() == 1;
    // `{"TOOL": {…}}`.
    let keyed = || {
        let (key, value) = members.iter().next().filter(|_| members.len() == 1)?;
        (value.is_object() && tools.contains(&key.as_str())).then(|| key.clone())
    };
    // A list of what a tool did names it as well.
    named(TOOLS)
        .filter(|_| is_call || !listed)
        .or_else(|| named(NAMES).filter(|_| is_call))
        .or_else(keyed)
}

/// True if possibly truncated JSON gives this name to a member that names a tool.
pub(super) fn names(json: &str, tool: &str) -> bool {
    NAMES.iter().chain(TOOLS).any(|key| {
        let member = format!("\"{key}\"");
        json.match_indices(&member).any(|(at, _)| {
            let rest = json.get(at + member.len()..).unwrap_or_default().trim_start();
            let value = rest.strip_prefix(':').unwrap_or_default().trim_start();
            value
                .strip_prefix('"')
                .is_some_and(|value| value.strip_prefix(tool).is_some_and(|rest| rest.starts_with('"')))
        })
    })
}
