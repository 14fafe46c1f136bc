//! Finds a tool call that a model wrote as text, whole or begun.
//!
//! Must not know: wire formats, what is done about it.
//!
//! Such a call is written in the marks of the model's training, as tags, as lines, or as JSON that
//! names an offered tool. The text that contains it is no answer.

mod json;
#[cfg(test)]
mod tests;

use json::{fenced, in_json, names};

/// Marks that begin a call in the text of models, in lower case. The text after a mark
/// distinguishes a call from a mention.
const MARKS: &[&str] = &[
    "<tool_call>",
    "<tool_calls>",
    "<toolcall>",
    "<tool_use>",
    "<function_call>",
    "<function_calls>",
    "<functioncall>",
    "<|tool_call|>",
    "<|tool_call>",
    "<|tool_calls|>",
    "<|tool_call_begin|>",
    "<|tool_call_start|>",
    "<|tool_calls_section_begin|>",
    "<|tools_prefix|>",
    "<|python_tag|>",
    "<|action_start|>",
    "<|start_action|>",
    "<start_function_call>",
    "<｜tool▁calls▁begin｜>",
    "<｜tool▁call▁begin｜>",
    "<minimax:tool_call>",
    "[tool_calls]",
    "[tool_call]",
    "[tool_request]",
];
/// Marks that are followed by the name of the tool, in lower case, with `"` for both quotation marks.
const NAMING: &[&str] = &[
    "<function=",
    "<function name=\"",
    "<tool name=\"",
    "<tool_call name=\"",
    "<call name=\"",
    "invoke name=\"",
    "<tool_name>",
    "<function_name>",
    "to=functions.",
    "<|recipient|>",
    "✿function✿: ",
    ">>>",
];
/// Prefixes of a tool's name.
const PREFIXES: &[&str] = &["functions.", "default_api.", "call:", "tools."];

/// Returns the tool of the first written call; empty if the text does not name one.
pub fn find(text: &str, tools: &[&str]) -> Option<String> {
    // Both preserve the positions of all bytes.
    let lower = text.to_ascii_lowercase().replace('\'', "\"");
    named(text, &lower, tools)
        .or_else(|| marked(text, &lower, tools))
        .or_else(|| in_lines(text, tools))
        .or_else(|| in_code(text, tools))
        .or_else(|| in_json(text, tools))
}

/// A call after a mark that names its tool.
fn named(text: &str, lower: &str, tools: &[&str]) -> Option<String> {
    NAMING.iter().find_map(|mark| {
        lower.match_indices(mark).find_map(|(at, _)| {
            let rest = text.get(at + mark.len()..).unwrap_or_default();
            let name: String = rest.chars().take_while(|c| is_of_name(*c)).collect();
            let cut = name.is_empty() && rest.trim().is_empty();
            let known = tools.contains(&name.as_str()) || (cut && mark.starts_with('<'));
            (known && !is_quoted(text, at)).then_some(name)
        })
    })
}

/// A call after another mark, or the beginning of a mark.
fn marked(text: &str, lower: &str, tools: &[&str]) -> Option<String> {
    for mark in MARKS {
        for (at, _) in lower.match_indices(mark) {
            let rest = text.get(at + mark.len()..).unwrap_or_default().trim_start();
            let begun = tool_at(rest, tools);
            // A call that was cut directly after its mark counts as well.
            let is_call = begun.is_some() || rest.is_empty() || rest.starts_with(['{', '[', '<']);
            if is_call && !is_quoted(text, at) {
                let name = begun
                    .or_else(|| tools.iter().copied().find(|tool| names(rest, tool)))
                    .or_else(|| tools.iter().copied().find(|tool| has_word(rest, tool)));
                return Some(name.unwrap_or_default().to_owned());
            }
        }
    }
    // The beginning of a mark at the very end: the text was cut in it.
    let torn = |mark: &&str| {
        let mut ends = mark.char_indices().map(|(at, _)| at).skip(6);
        ends.any(|at| {
            let begun = mark.get(..at).unwrap_or_default();
            lower.ends_with(begun) && !is_quoted(text, text.len() - begun.len())
        })
    };
    let all = MARKS.iter().chain(NAMING);
    all.copied().any(|mark| torn(&mark)).then(String::new)
}

/// A call as lines: `Action: TOOL` with its input below, or a tag of the tool's name.
fn in_lines(text: &str, tools: &[&str]) -> Option<String> {
    let mut lines = text
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .peekable();
    while let Some(line) = lines.next() {
        let next = lines.peek().copied().unwrap_or_default();
        let action = after_word(line, &["action:", "tool:", "function:"]);
        if let Some(action) = action {
            let action = action.trim_matches(['`', '*', ' ']);
            let tool = tool_at(action, tools);
            let rest = tool
                .and_then(|tool| action.strip_prefix(tool))
                .unwrap_or_default();
            let input = [
                "action input",
                "action_input",
                "input:",
                "arguments:",
                "args:",
                "parameters:",
            ];
            let has_input = rest.is_empty() && (next.starts_with('{') || after_word(next, &input).is_some());
            if let Some(tool) = tool.filter(|_| has_input || rest.trim_start().starts_with(['(', '[', '{'])) {
                return Some(tool.to_owned());
            }
        }
        let tag = line.strip_prefix('<').and_then(|rest| {
            let tool = tool_at(rest, tools)?;
            let after = rest.strip_prefix(tool)?.strip_prefix('>')?.trim_start();
            let inside = if after.is_empty() { next } else { after };
            (inside.is_empty() || inside.starts_with(['<', '{'])).then_some(tool)
        });
        if let Some(tool) = tag {
            return Some(tool.to_owned());
        }
    }
    None
}

/// A call as code: `[TOOL(a=1)]` or `TOOL(a=1)` as the whole text or in a block for calls.
fn in_code(text: &str, tools: &[&str]) -> Option<String> {
    let of = |code: &str| {
        let code = code.trim();
        let inner = code.strip_prefix('[').map_or(code, str::trim_start);
        let inner = inner.strip_prefix("print(").unwrap_or(inner);
        let tool = tool_at(inner, tools)?;
        let at = inner.find(tool)? + tool.len();
        let is_call = inner.get(at..)?.starts_with('(') && code.ends_with([')', ']']);
        is_call.then(|| tool.to_owned())
    };
    let blocks = fenced(text);
    let mut blocks = blocks.iter().filter(|(language, _)| language.starts_with("tool"));
    of(text).or_else(|| blocks.find_map(|(_, block)| of(block)))
}

/// The tool whose name a text begins with, perhaps after a prefix.
fn tool_at<'t>(text: &str, tools: &[&'t str]) -> Option<&'t str> {
    let text = PREFIXES
        .iter()
        .find_map(|prefix| text.strip_prefix(prefix))
        .unwrap_or(text);
    tools.iter().copied().find(|tool| {
        let rest = text.strip_prefix(tool);
        rest.is_some_and(|rest| rest.starts_with(".call(") || !rest.starts_with(is_of_name))
    })
}

/// Returns the text after one of these words, in any case, at the beginning of a line.
fn after_word<'l>(line: &'l str, words: &[&str]) -> Option<&'l str> {
    let line = line.trim_start_matches('*');
    words.iter().find_map(|word| {
        let begin = line.get(..word.len())?;
        begin.eq_ignore_ascii_case(word).then(|| line.get(word.len()..))?
    })
}

/// Returns true if the text has the name as a word of its own.
fn has_word(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        let before = text.get(..at).and_then(|before| before.chars().next_back());
        let after = text.get(at + name.len()..).and_then(|after| after.chars().next());
        !before.is_some_and(|c| c.is_alphanumeric() || c == '_') && !after.is_some_and(is_of_name)
    })
}

fn is_of_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '.')
}

/// True where a mark stands in quotes or code: it is talked about.
fn is_quoted(text: &str, at: usize) -> bool {
    let before = text.get(..at).unwrap_or_default();
    before.ends_with(['`', '"', '\''])
}
