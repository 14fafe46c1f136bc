//! Finds a tool call that a model wrote as text, whole or begun: in the marks of its training, as tags, or as JSON that
//! names a tool on offer. Such a text is no answer. Must not know: wire formats, what is done about it.

use serde_json::Value;

/// Marks that begin a call in the text of models. What follows tells a call from talk about one.
const MARKS: &[&str] = &[
    "<tool_call>",
    "<tool_calls>",
    "<tool_use>",
    "<function_call>",
    "<function_calls>",
    "<|tool_call|>",
    "<|tool_call>",
    "<|tool_calls|>",
    "<|tool_call_begin|>",
    "<|tool_calls_section_begin|>",
    "<|python_tag|>",
    "<|action_start|>",
    "<start_function_call>",
    "<｜tool▁calls▁begin｜>",
    "<｜tool▁call▁begin｜>",
    "<minimax:tool_call>",
    "[TOOL_CALLS]",
    "[TOOL_CALL]",
    "[TOOL_REQUEST]",
    "[tool_call]",
];
/// Marks that are followed by the name of the tool.
const NAMING: &[&str] = &[
    "<function=",
    "<function name=\"",
    "<invoke name=\"",
    "to=functions.",
];
/// Members of JSON that name a tool.
const NAMES: &[&str] = &["name", "tool", "tool_name", "function", "function_name", "action"];
/// Members of JSON that hold the arguments.
const ARGUMENTS: &[&str] = &[
    "arguments",
    "parameters",
    "args",
    "input",
    "params",
    "tool_input",
    "action_input",
];

/// Returns the tool of the first written call; empty where the text does not say which.
pub fn find(text: &str, tools: &[&str]) -> Option<String> {
    marked(text, tools).or_else(|| in_json(text, tools))
}

/// A call behind a mark.
fn marked(text: &str, tools: &[&str]) -> Option<String> {
    for mark in NAMING {
        for (at, _) in text.match_indices(mark) {
            let rest = text.get(at + mark.len()..).unwrap_or_default();
            let name: String = rest.chars().take_while(|c| is_of_name(*c)).collect();
            let known = tools.contains(&name.as_str()) || name.is_empty() && rest.trim().is_empty();
            if known && !is_quoted(text, at) {
                return Some(name);
            }
        }
    }
    for mark in MARKS {
        for (at, _) in text.match_indices(mark) {
            let rest = text.get(at + mark.len()..).unwrap_or_default().trim_start();
            let begun: String = rest.chars().take_while(|c| is_of_name(*c)).collect();
            let name = tools.iter().find(|tool| {
                begun == **tool || begun.strip_prefix("functions.") == Some(tool) || names(rest, tool)
            });
            // A call that was cut right behind its mark counts as well.
            let is_call = name.is_some() || rest.is_empty() || rest.starts_with(['{', '[', '<']);
            if is_call && !is_quoted(text, at) {
                return Some(name.map_or_else(String::new, |name| (*name).to_owned()));
            }
        }
    }
    // The beginning of a mark at the very end: the text was cut in it.
    let torn = |mark: &&str| {
        let mut ends = mark.char_indices().map(|(at, _)| at).skip(6);
        ends.any(|at| {
            let begun = mark.get(..at).unwrap_or_default();
            text.ends_with(begun) && !is_quoted(text, text.len() - begun.len())
        })
    };
    let all = MARKS.iter().chain(NAMING);
    all.copied().any(|mark| torn(&mark)).then(String::new)
}

fn is_of_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '.')
}

/// True where a mark stands in quotes or code: it is talked about.
fn is_quoted(text: &str, at: usize) -> bool {
    let before = text.get(..at).unwrap_or_default();
    before.ends_with(['`', '"', '\''])
}

/// A call as JSON: the whole text, or a fenced block of it.
fn in_json(text: &str, tools: &[&str]) -> Option<String> {
    let whole = text.trim();
    if whole.starts_with(['{', '['])
        && let Some(tool) = call_of(whole, tools)
    {
        return Some(tool);
    }
    let mut rest = text;
    while let Some(at) = rest.find("```") {
        let inside = rest.get(at + 3..).unwrap_or_default();
        let (block, behind) = inside.split_once("```").unwrap_or((inside, ""));
        // The language stands behind the fence.
        let begins = block.find(['{', '[']).unwrap_or(block.len());
        let (language, json) = block.split_at(begins);
        let language = language.trim().to_lowercase();
        let fits = matches!(
            language.as_str(),
            "" | "json"
                | "tool_call"
                | "tool"
                | "tool_code"
                | "tool_calls"
                | "function_call"
                | "jsonc"
                | "json5"
        );
        if fits && let Some(tool) = call_of(json.trim(), tools) {
            return Some(tool);
        }
        rest = behind;
    }
    None
}

/// The tool that a JSON text calls, also one that was cut.
fn call_of(json: &str, tools: &[&str]) -> Option<String> {
    let Ok(value) = serde_json::from_str::<Value>(json) else {
        let is_cut = serde_json::from_str::<Value>(json).is_err_and(|error| error.is_eof());
        let mut lines = serde_json::Deserializer::from_str(json).into_iter::<Value>();
        let first = lines.next().and_then(Result::ok);
        let of_first = first.and_then(|first| call_in(&first, tools));
        let of_cut = || tools.iter().find(|tool| is_cut && names(json, tool));
        return of_first.or_else(|| of_cut().map(|tool| (*tool).to_owned()));
    };
    call_in(&value, tools)
}

fn call_in(value: &Value, tools: &[&str]) -> Option<String> {
    match value {
        Value::Array(list) => list.iter().find_map(|one| call_in(one, tools)),
        Value::Object(members) => {
            let inner = ["tool_calls", "tool_call", "function_call", "function", "calls"];
            let inside = inner.iter().filter_map(|key| members.get(*key));
            let nested = inside
                .filter(|one| one.is_object() || one.is_array())
                .find_map(|one| call_in(one, tools));
            if nested.is_some() {
                return nested;
            }
            let name = NAMES.iter().find_map(|key| members.get(*key)?.as_str())?;
            let name = name.strip_prefix("functions.").unwrap_or(name);
            let is_call = ARGUMENTS.iter().any(|key| members.contains_key(*key)) || members.len() == 1;
            (is_call && tools.contains(&name)).then(|| name.to_owned())
        }
        _ => None,
    }
}

/// True where JSON that may be cut gives this name to a member that names a tool.
fn names(json: &str, tool: &str) -> bool {
    NAMES.iter().any(|key| {
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

#[cfg(test)]
mod tests {
    use super::*;

    const TOOLS: &[&str] = &["read_file", "list_dir"];

    #[test]
    fn a_call_in_the_text_is_found_in_each_form_whole_or_begun() {
        for text in [
            "<tool_call>\n{\"name\": \"read_file\", \"arguments\": {\"path\": \"a\"}}\n</tool_call>",
            "I look.\n<tool_call>{\"name\":\"read_file\"",
            "I look.\n<tool_call>",
            "I look.\n<tool_ca",
            "<function=read_file>{\"path\": \"a\"}</function>",
            "<tool_call>\n<function=read_file>\n<parameter=path>a</parameter>",
            "<tool_call>read_file\n<arg_key>path</arg_key>",
            "<invoke name=\"read_file\">",
            "[TOOL_CALLS][{\"name\": \"read_file\", \"arguments\": {}}]",
            "[TOOL_CALLS]read_file[ARGS]{}",
            "<|python_tag|>{\"name\": \"read_file\", \"parameters\": {}}",
            "<|tool_calls_section_begin|><|tool_call_begin|>functions.read_file:0",
            "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>read_file",
            "<|channel|>commentary to=functions.read_file <|message|>{}",
            "Like so:\n```json\n{\"name\": \"read_file\", \"arguments\": {\"path\": \"a\"}}\n```\n",
            "```\n[{\"function\": {\"name\": \"list_dir\", \"arguments\": \"{}\"}}]\n```",
            "```json\n{\"tool\": \"read_file\", \"args\": {\"path\": \"",
            "```tool_call\n{\"name\": \"list_dir\"}\n```",
            "{\"name\": \"read_file\", \"parameters\": {\"path\": \"a\"}}",
            "{\"tool_calls\": [{\"name\": \"read_file\", \"arguments\": {}}]}",
            "{\"name\":\"read_file\",\"arguments\":{}}\n{\"name\":\"list_dir\",\"arguments\":{}}",
        ] {
            assert!(find(text, TOOLS).is_some(), "{text}");
        }
        assert_eq!(find("<function=list_dir>", TOOLS).as_deref(), Some("list_dir"));
    }

    #[test]
    fn an_answer_that_talks_about_calls_is_one() {
        for text in [
            "It says alpha.",
            "",
            "The format is `<tool_call>{...}</tool_call>`.",
            "A <tool_call> is a mark of some models.",
            "Use <function=other> there.",
            "```json\n{\"name\": \"Ada\", \"age\": 36}\n```",
            "```json\n{\"name\": \"other_tool\", \"arguments\": {}}\n```",
            "```python\nread_file(\"a\")\n```",
            "{\"name\": \"read_file\", \"size\": 3}",
            "{\"answer\": 42}",
            "[1, 2]",
            "The call read_file gave an error.",
            "a < b",
            "The list: <tool",
        ] {
            assert_eq!(find(text, TOOLS), None, "{text}");
        }
    }
}
