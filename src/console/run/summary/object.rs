//! Summarizes what a call is about in a few words: its command, its file, its most telling text.
//!
//! Must not know: styles, what came of the call.

use serde_json::Value;

use super::arguments::{MAX_PARSED, argument_text, inside_workspace, is_unambiguous, text};
use super::{Argument, Summary, UntrustedText, arguments_in, text_of};
use crate::ground::diff;
use crate::ground::json;
use crate::run::summary::Keep;
use overrule_base::agent_plan;
use overrule_base::known_tool::{self, CONTENT, Kind, LINE, LINES, NEW, OLD, PATH, WORDS};
use overrule_base::shell_line::quote;
use overrule_domain::state::State;
use overrule_domain::tags;

/// Names of the argument that tells most about a call, the best one first.
const TELLING: [&str; 5] = ["title", "query", "question", "url", "task"];
/// Name of the argument with the method of a request.
const METHOD: &str = "method";
/// Longest texts of an edit whose changed lines are counted, in bytes.
const COUNTED: usize = 64 * 1024;

/// The members of arguments, each with its JSON text.
type Members<'a> = Vec<(String, &'a str)>;

/// What a call of a tool with these arguments is about.
pub fn object(state: &State, tool: &str, args: &str) -> Summary {
    if args.len() > MAX_PARSED {
        return text_of(args);
    }
    let inner = known_tool::has_inner(tool)
        .then(|| serde_json::from_str(args).ok())
        .flatten()
        .and_then(|args: Value| known_tool::inner(tool, &args))
        .map(|args| args.to_string());
    let args = inner.as_deref().unwrap_or(args);
    let members = json::members(args);
    let kind = known_tool::kind(tool);
    let found = match kind {
        Some(Kind::Shell) => command(&members),
        Some(Kind::Patch) => patched(tool, args),
        None if agent_plan::is_tool(tool) => {
            agent_plan::of(tool, args).map(|plan| Summary::default().own(plan.describe()))
        }
        Some(_) => path(state, &members).map(|path| match kind {
            Some(Kind::Edit) => path.and(changed_lines(&members)),
            _ => path,
        }),
        None => None,
    };
    found
        .or_else(|| most_telling(state, tool, &members))
        .unwrap_or_else(|| arguments_in(state, args))
}

fn value<'a>(members: &Members<'a>, names: &[&str]) -> Option<(String, &'a str)> {
    let mut found = names
        .iter()
        .filter_map(|name| members.iter().find(|(one, _)| one == name));
    found.next().cloned()
}

/// The command of a shell call: its line, its lines, or its program with the words.
fn command(members: &Members<'_>) -> Option<Summary> {
    if let Some((_, line)) = value(members, LINE)
        && let Some((line, size)) = text(line)
    {
        return Some(Summary::default().text(UntrustedText::new(&line, Keep::Head).of_bytes(size.most())));
    }
    let list = |name: &[&str]| -> Option<Vec<String>> {
        let (_, list) = value(members, name)?;
        serde_json::from_str(list).ok()
    };
    if let Some(lines) = list(&[LINES]) {
        return Some(text_of(&lines.join("\n")));
    }
    let words: Vec<String> = list(WORDS)?.iter().map(|word| quote(word)).collect();
    Some(text_of(&words.join(" ")))
}

/// The path of a file, below the workspace where it is there.
fn path(state: &State, members: &Members<'_>) -> Option<Summary> {
    let (name, path) = value(members, PATH)?;
    let path = json::as_text(path)?;
    let shown = inside_workspace(state, &path);
    Some(place(&name, shown.unwrap_or(&path)))
}

/// The name of a place. Its end stays.
fn place(name: &str, place: &str) -> Summary {
    let argument = Argument {
        name,
        value: "",
        from: None,
    };
    Summary::default().text(argument_text(&argument, place, place.len()))
}

/// The files of a patch: the first one, and the number of the others.
fn patched(tool: &str, args: &str) -> Option<Summary> {
    let args: Value = serde_json::from_str(args).ok()?;
    let patches = known_tool::patches(tool, &args);
    let mut files = patches.iter().flat_map(|patch| known_tool::patched(patch));
    let (_, first) = files.next()?;
    let line = place("path", first);
    Some(match files.count() {
        0 => line,
        more => line.own(format!(" and {more} more")),
    })
}

/// The number of lines that an edit removes and adds.
fn changed_lines(members: &Members<'_>) -> Summary {
    let side = |names: &[&str]| value(members, names).and_then(|(_, text)| json::as_text(text));
    let (Some(old), Some(new)) = (side(OLD), side(NEW)) else {
        return Summary::default();
    };
    if old.len().max(new.len()) > COUNTED {
        return Summary::default();
    }
    let (removed, added) = diff::counts(&old, &new);
    Summary::default().own(format!(" −{removed} +{added}"))
}

/// The number of lines that a call writes as the content of a file.
pub fn written_lines(args: &str) -> Option<usize> {
    let members = json::members(args);
    let (_, content) = value(&members, CONTENT)?;
    Some(json::as_text(content)?.lines().count())
}

/// The most telling text among the arguments of a call.
fn most_telling(state: &State, tool: &str, members: &Members<'_>) -> Option<Summary> {
    let schema: Option<Value> =
        tags::card(state, tool).and_then(|card| serde_json::from_str(&card.schema).ok());
    let required = schema
        .as_ref()
        .and_then(|schema| schema.get("required")?.as_array());
    let required = required.into_iter().flatten().filter_map(Value::as_str);
    let names = TELLING.into_iter().chain(required);
    let is_own = |name: &str| !overrule_schema::RESERVED.contains(&name);
    let all = members
        .iter()
        .map(|(name, _)| name.as_str())
        .filter(|name| is_own(name));
    let mut found = names.chain(all).filter_map(|name| {
        let (name, value) = members.iter().find(|(one, _)| one == name)?;
        let (text, size) = text(value)?;
        is_unambiguous(&text).then_some((name, value, text, size))
    });
    let (name, value, text, size) = found.next()?;
    let text = match inside_workspace(state, &text) {
        Some(inside) if size.most() == text.len() => inside.to_owned(),
        _ => text,
    };
    let argument = Argument {
        name,
        value,
        from: None,
    };
    let method = members.iter().find(|(one, _)| one == METHOD && name == "url");
    let method = method.and_then(|(_, method)| json::as_text(method));
    let line = method.map_or_else(Summary::default, |method| {
        Summary::default().name(&method).own(" ")
    });
    Some(line.text(argument_text(&argument, &text, size.most())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Stage;

    fn shown(tool: &str, args: &str, columns: usize) -> String {
        let mut stage = Stage::new(80, 24);
        stage.begin();
        object(&stage.model.run.state, tool, args).visible(columns)
    }

    #[test]
    fn an_edit_names_its_file_and_counts_its_lines() {
        let args = r#"{"path":"/w/src/stats.py","old":"    return 1\n","new":"    x = 1\n    return x\n"}"#;
        assert_eq!(shown("edit_file", args, 40), "src/stats.py −1 +2");
        let args = args.replace("src/stats.py", "a/very/long/way/down/to/stats.py");
        assert!(shown("edit_file", &args, 24).ends_with("/stats.py −1 +2"));
    }

    #[test]
    fn a_command_is_shown_as_it_is_written() {
        assert_eq!(shown("shell", r#"{"command":"cd a\n  ls"}"#, 40), "cd a↵  ls");
        assert_eq!(shown("shell", r#"{"argv":["ls","a b"]}"#, 40), "ls 'a b'");
        assert_eq!(
            shown("shell", "{\"command\":\"echo \\u202e\"}", 40),
            "echo ⟨U+202E⟩",
            "other characters stay loud"
        );
    }

    #[test]
    fn of_other_calls_the_most_telling_text_is_shown() {
        let issue = r#"{"owner":"acme","title":"median is wrong","labels":["bug"]}"#;
        assert_eq!(shown("github__create_issue", issue, 40), "median is wrong");
        let request = r#"{"method":"POST","url":"https://api.example.org/x","body":"1"}"#;
        assert_eq!(
            shown("http_request", request, 40),
            "POST https://api.example.org/x"
        );
        assert_eq!(
            shown("count", r#"{"limit":3,"all":true}"#, 40),
            "limit=3 all=true"
        );
    }
}
