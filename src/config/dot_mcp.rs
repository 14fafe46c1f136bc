//! Reads the MCP servers of a workspace's `.mcp.json`, as other programs write it.
//!
//! Must not know: whether the file is trusted, how a server is started.

use std::path::Path;

use serde_json::{Map, Value};

use super::servers::RawServer;
use overrule_base::canon::{SlipKind, Tree};
use overrule_base::document::Source;
use overrule_base::text::visible;

/// Name of the file.
pub const FILE: &str = ".mcp.json";
/// Keys of a server that are read.
const KNOWN: [&str; 10] = [
    "command",
    "args",
    "env",
    "cwd",
    "type",
    "url",
    "headers",
    "disabled",
    "enabled",
    "disabledTools",
];

/// The servers of a file.
#[derive(Debug, Default)]
pub struct Found {
    /// The servers that are not disabled, in order.
    pub servers: Vec<RawServer>,
    /// What is wrong with others, and what was ignored.
    pub notices: Vec<String>,
}

/// Reads the text of a file. The error says why nothing in it can be used.
pub fn read(path: &Path, text: &str) -> Result<Found, String> {
    let file = visible(&path.to_string_lossy());
    let mut found = Found::default();
    let json = value(path, text, &mut found.notices)?;
    let Some(servers) = json.get("mcpServers").and_then(Value::as_object) else {
        return Err(format!(
            "{file}: there is no object `mcpServers`; write {{\"mcpServers\": {{\"name\": {{\"command\": \"…\"}}}}}}"
        ));
    };
    for (name, server) in servers {
        let shown = format!("{file}: `mcpServers.{}`", visible(name));
        match one(name, server, &file) {
            Ok(None) => {}
            Ok(Some(server)) => found.servers.push(server),
            Err(why) => found.notices.push(format!("ignored: {shown}: {why}")),
        }
        let keys = server.as_object().into_iter().flat_map(Map::keys);
        for key in keys.filter(|key| !KNOWN.contains(&key.as_str())) {
            found.notices.push(format!(
                "ignored: {shown}: the key `{}` is not known",
                visible(key)
            ));
        }
    }
    Ok(found)
}

/// Reads the JSON as other programs do: with comments and a comma behind the last item. The error names the place.
fn value(path: &Path, text: &str, notices: &mut Vec<String>) -> Result<Value, String> {
    let source = Source::new(&path.to_string_lossy(), text);
    let refused = |at: usize, what: &str| format!("{}: not valid JSON: {what}", source.place(at));
    let reading = Tree::read(text).map_err(|fault| refused(fault.at, fault.what))?;
    for slip in reading.slips {
        match slip.kind {
            SlipKind::ByteOrderMark | SlipKind::Comment | SlipKind::TrailingComma => {}
            SlipKind::DuplicateName => {
                let place = source.place(slip.at);
                notices.push(format!("{place}: {}", slip.kind.describe()));
            }
            other => {
                return Err(refused(
                    slip.at,
                    other.describe().split(':').next().unwrap_or_default(),
                ));
            }
        }
    }
    serde_json::from_str(&reading.tree.to_string()).map_err(|error| refused(0, &error.to_string()))
}

fn one(name: &str, server: &Value, file: &str) -> Result<Option<RawServer>, String> {
    let server = server.as_object().ok_or("it is no object")?;
    let is = |key: &str, value: bool| server.get(key) == Some(&Value::Bool(value));
    if is("disabled", true) || is("enabled", false) {
        return Ok(None);
    }
    let hidden = texts(server, "disabledTools")?;
    let kind = text(server, "type")?;
    let raw = RawServer {
        name: name.to_owned(),
        file: file.to_owned(),
        command: text(server, "command")?,
        args: texts(server, "args")?,
        env: pairs(server, "env")?,
        cwd: text(server, "cwd")?,
        url: text(server, "url")?,
        headers: pairs(server, "headers")?,
        tools: hidden
            .iter()
            .map(|tool| format!("!{}", globset::escape(tool)))
            .collect(),
        ..RawServer::default()
    };
    match kind.as_deref() {
        None | Some("stdio" | "http" | "streamable-http" | "streamableHttp") => {}
        Some("sse") => {
            return Err("the type `sse` is outdated and not supported; use \"type\": \"http\"".to_owned());
        }
        Some(other) => {
            return Err(format!(
                "the type `{}` is not known; use stdio or http",
                visible(other)
            ));
        }
    }
    raw.check()?;
    Ok(Some(raw))
}

fn text(server: &Map<String, Value>, key: &str) -> Result<Option<String>, String> {
    match server.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(format!("`{key}` is no string")),
    }
}

fn texts(server: &Map<String, Value>, key: &str) -> Result<Vec<String>, String> {
    let wrong = || format!("`{key}` is no list of strings");
    match server.get(key) {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::Array(items)) => items
            .iter()
            .map(|item| item.as_str().map(str::to_owned).ok_or_else(wrong))
            .collect(),
        Some(_) => Err(wrong()),
    }
}

fn pairs(server: &Map<String, Value>, key: &str) -> Result<Vec<(String, String)>, String> {
    let wrong = || format!("`{key}` is no object of strings");
    match server.get(key) {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::Object(members)) => members
            .iter()
            .map(|(name, value)| Ok((name.clone(), value.as_str().ok_or_else(wrong)?.to_owned())))
            .collect(),
        Some(_) => Err(wrong()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Found {
        read(Path::new("/w/.mcp.json"), text).unwrap()
    }

    #[test]
    fn files_as_others_write_them_are_read() {
        let found = found(
            r#"{"inputs": [], "mcpServers": {
              "files": {"command": "npx", "args": ["-y", "server-filesystem", "."], "env": {"A": "${B}"}},
              "api": {"type": "http", "url": "https://a.example/mcp", "headers": {"Authorization": "Bearer ${T}"}},
              "off": {"command": "x", "disabled": true},
              "typed": {"type": "stdio", "command": "uvx", "args": ["mcp-server-git"], "autoApprove": []}
            }}"#,
        );
        let names: Vec<&str> = found.servers.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(names, ["files", "api", "typed"]);
        assert_eq!(found.servers[0].written(), "A=${B} npx -y server-filesystem .");
        assert_eq!(
            found.servers[1].written(),
            "https://a.example/mcp (header Authorization: 'Bearer ${T}')"
        );
        assert_eq!(found.notices.len(), 1, "{:?}", found.notices);
        assert!(found.notices[0].contains("autoApprove"), "{:?}", found.notices);
    }

    #[test]
    fn what_a_file_switches_off_stays_off() {
        let found = found(
            r#"{"mcpServers": {
              "off": {"command": "x", "enabled": false},
              "on": {"command": "x", "enabled": true, "timeout_ms": 10000, "description": "d"},
              "some": {"command": "x", "disabledTools": ["drop", "a*b"], "alwaysAllow": ["drop"]},
              "With a Space": {"url": "https://a.example/mcp"},
              "stream": {"type": "streamable-http", "url": "http://127.0.0.1:64482/stream", "headers": {"PATH_OF": "F:/a"}},
              "helped": {"type": "http", "url": "https://a.example/mcp", "headersHelper": "node headers.mjs"}
            }}"#,
        );
        let names: Vec<&str> = found.servers.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(names, ["on", "some", "With a Space", "stream", "helped"]);
        assert_eq!(found.servers[1].tools, ["!drop", "!a[*]b"]);
        // No word of a file allows a call, and no program for headers starts.
        let notices = found.notices.join("\n");
        for key in ["alwaysAllow", "headersHelper", "timeout_ms", "description"] {
            assert!(notices.contains(key), "{key}: {notices}");
        }
    }

    #[test]
    fn comments_and_a_comma_too_many_are_read_and_other_faults_have_a_place() {
        let found = found(
            "\u{feff}// servers of the team\n{\"mcpServers\": { /* one */\n  \"a\": {\"command\": \"x\", \"args\": [\"//y\",],},\n},}\n",
        );
        assert_eq!(found.servers[0].written(), "x //y");
        assert_eq!(found.notices, [""; 0]);
        let twice = r#"{"mcpServers": {"a": {"command": "x"},
            "a": {"command": "y"}}}"#;
        let twice = self::found(twice);
        assert_eq!(
            (twice.servers.len(), twice.servers[0].written().as_str()),
            (1, "y")
        );
        assert!(
            twice.notices[0].starts_with("/w/.mcp.json:2:13: a name twice"),
            "{:?}",
            twice.notices
        );
        for (text, why) in [
            (
                "{\"mcpServers\": {\n  \"a\": {\"command\" \"x\"}}}",
                ":2:19: not valid JSON: a colon is missing",
            ),
            (
                "{\n\"mcpServers\": {",
                ":2:16: not valid JSON: the text ends too early",
            ),
            (
                "{\"mcpServers\": {'a': {}}}",
                ":1:17: not valid JSON: a member name in double quotes",
            ),
            (
                "{\"mcpServers\": None}",
                ":1:16: not valid JSON: a word of another language",
            ),
            (
                "{\"mcpServers\": {} // x\n} }",
                ":2:3: not valid JSON: something follows",
            ),
        ] {
            let error = read(Path::new("/w/.mcp.json"), text).unwrap_err();
            assert!(
                error.starts_with("/w/.mcp.json") && error.contains(why),
                "{text}: {error}"
            );
        }
    }

    #[test]
    fn a_bad_server_costs_only_itself() {
        let found = found(
            r#"{"mcpServers": {
              "old": {"type": "sse", "url": "https://a.example/sse"},
              "both": {"command": "x", "url": "https://a.example/"},
              "none": {},
              "args": {"command": "x", "args": "y"},
              "list": [],
              "good": {"command": "x"}
            }}"#,
        );
        let names: Vec<&str> = found.servers.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(names, ["good"]);
        let notices = found.notices.join("\n");
        for part in [
            "use \"type\": \"http\"",
            "`mcpServers.both`",
            "`mcpServers.none`",
            "no list of strings",
            "no object",
        ] {
            assert!(notices.contains(part), "{part}: {notices}");
        }
        for (text, why) in [
            ("{", "not valid JSON"),
            ("{}", "mcpServers"),
            ("[]", "mcpServers"),
        ] {
            let error = read(Path::new("/w/.mcp.json"), text).unwrap_err();
            assert!(error.contains(why) && error.contains("/w/.mcp.json"), "{error}");
        }
    }
}
