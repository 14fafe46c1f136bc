//! Tests calls written as text, and answers that talk about calls.
//!
//! Must not know: wire formats.

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
        // Other marks, and marks in another case.
        "<TOOL_CALL>{\"name\": \"read_file\"}</TOOL_CALL>",
        "<functioncall> {\"name\": \"read_file\", \"arguments\": \"{}\"}",
        "<TOOLCALL>[{\"name\": \"read_file\", \"arguments\": {}}]</TOOLCALL>",
        "<|tool_call_start|>[read_file(path=\"a\")]<|tool_call_end|>",
        "<|START_ACTION|>[{\"tool_name\": \"read_file\", \"parameters\": {}}]<|END_ACTION|>",
        "<|tools_prefix|>[{\"read_file\": {\"path\": \"a\"}}]<|tools_suffix|>",
        "<|python_tag|>read_file.call(path=\"a\")",
        "<start_function_call>call:read_file{path:<escape>a<escape>}",
        "<tool name=\"read_file\">{}</tool>",
        "<tool_call name='read_file'>{}</tool_call>",
        "<tool_use><tool_name>read_file</tool_name></tool_use>",
        "<｜DSML｜invoke name=\"read_file\">",
        "<|recipient|>read_file\n<|content|>{}",
        ">>>read_file\n{\"path\": \"a\"}",
        "✿FUNCTION✿: read_file\n✿ARGS✿: {}",
        // Lines and code.
        "Thought: I look.\nAction: read_file\nAction Input: {\"path\": \"a\"}",
        "**Action:** `read_file`\n**Action Input:** {\"path\": \"a\"}",
        "Action: read_file({\"path\": \"a\"})",
        "I look.\n<read_file>\n<path>a</path>\n</read_file>",
        "<read_file><path>a</path></read_file>",
        "[read_file(path=\"a\"), list_dir(path=\".\")]",
        "read_file(path=\"a\")",
        "functions.read_file({\"path\": \"a\"})",
        "```tool_code\nprint(default_api.read_file(path=\"a\"))\n```",
        // JSON in other places and forms.
        "I look.\n{\"name\": \"read_file\", \"arguments\": {\"path\": \"a\"}}",
        "I look: {\"name\": \"read_file\", \"arguments\": {\"path\": \"a\"}}\n",
        "{\"name\": \"read_file\", \"arguments\": {}}\nThis reads it.",
        "~~~json\n{\"name\": \"read_file\", \"arguments\": {}}\n~~~",
        "```json\n{'name': 'read_file', 'arguments': {'path': None}}\n```",
        "{\"tool\": \"read_file\", \"path\": \"a\"}",
        "{\"tool_uses\": [{\"recipient_name\": \"functions.read_file\", \"parameters\": {}}]}",
        "{\"read_file\": {\"path\": \"a\"}}",
        "{\"type\": \"function\", \"name\": \"list_dir\"}",
        // Arguments may have members of any name, and a member may be empty.
        "{\"tool\": \"read_file\", \"args\": {\"error\": \"x\", \"result\": 1}}",
        "{\"tool\": \"read_file\", \"args\": {\"error\": \"x",
        "{\"tool\": \"read_file\", \"args\": {\"path\": \"a\"}, \"error\": null}",
        "{\"read_file\": {\"error\": \"x\"}}",
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
        "```rust\nlet call = json!({\"name\": \"read_file\", \"arguments\": {}});\n```",
        "```yaml\ntool: read_file\n```",
        "The body was `{\"name\": \"read_file\", \"arguments\": {}}`.",
        "It sent {\"name\": \"read_file\", \"arguments\": {}} and got an error.",
        "{\"steps\": [\n  {\"name\": \"read_file\", \"arguments\": {}}\n]}",
        "[{\"tool\": \"read_file\", \"times\": 3}, {\"tool\": \"list_dir\", \"times\": 1}]",
        "Action: read_file\nwas the best one.",
        "Action: none\nInput: x",
        "Tool: read_file\n\nIt reads a file.",
        "<read_file> is the name of a tool.",
        "read_file(path) reads a file",
        "You can use read_file(\"a\")",
        ">>> read_file",
        "[read_file](docs/read_file.md)",
        "[read_file, list_dir]",
        // A report of an error, or of a result, is quoted: whole, in a block, in lines, shortened.
        "{\"call\": {\"tool\": \"read_file\", \"args\": {\"path\": \"a\"}}, \"error\": {\"class\": \"not_found\", \"message\": \"no such file\"}}",
        "It failed:\n{\"tool\": \"read_file\", \"error\": \"no such file\"}",
        "{\"tool\": \"read_file\", \"args\": {\"path\": \"a\"}, \"error\": \"no such file\"}",
        "```json\n{\"name\": \"read_file\", \"arguments\": {}, \"errors\": [\"no such file\"]}\n```",
        "It failed:\n{\n  \"call\": {\n    \"tool\": \"read_file\",\n    \"args\": {…}\n  },\n  \"error\": {\"class\": \"auth\"}\n}",
        "{'tool': 'read_file', 'args': {'path': 'a'}, 'error': 'no such file'}",
        "{\"tool\": \"read_file\", \"args\": {…}, \"result\": \"alpha\"}",
        "[{\"tool\": \"read_file\", \"args\": {}, \"error\": \"x\"}, {\"tool\": \"list_dir\", \"args\": {}, \"result\": []}]",
    ] {
        assert_eq!(find(text, TOOLS), None, "{text}");
    }
}
