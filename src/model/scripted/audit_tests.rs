//! Tests the built-in audit on small directories in memory: its calls and its texts.
//!
//! Must not know: the engine, real tools.

mod changed;

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use regex::Regex;
use serde_json::{Value as Json, json};

use super::choose::{Block, script};
use super::view::View;
use super::{Playbook, builtin};
use crate::Request;
use overrule_domain::call::EffectClass;
use overrule_domain::event::run::ToolCard;
use overrule_domain::id::{NodeId, NodeKind, TurnId};
use overrule_domain::transcript::{CalledAs, Message, ModelText, NoteKind};

/// Runs a playbook against a directory in memory, turn by turn.
struct Run {
    playbook: Playbook,
    files: BTreeMap<String, String>,
    messages: Vec<Message>,
    turn: u32,
    nodes: u32,
    /// Tools that the operator rejects.
    rejected: Vec<&'static str>,
    calls: Vec<(String, Json)>,
}

impl Run {
    fn new(files: &[(&str, &str)]) -> Self {
        // Parsing it takes a while without optimisation, so do it only once.
        static AUDIT: LazyLock<Playbook> = LazyLock::new(|| builtin::playbook("audit").unwrap().unwrap());
        let playbook = AUDIT.clone();
        let text = builtin::text("audit").unwrap();
        let prompt = Playbook::meta("audit", text).unwrap().prompt.unwrap();
        let mut run = Self {
            playbook,
            files: files
                .iter()
                .map(|(path, text)| ((*path).to_owned(), (*text).to_owned()))
                .collect(),
            messages: Vec::new(),
            turn: 0,
            nodes: 0,
            rejected: Vec::new(),
            calls: Vec::new(),
        };
        run.prompt(&prompt);
        run
    }

    fn prompt(&mut self, text: &str) {
        let node = self.node(NodeKind::Prompt);
        self.messages.push(Message::User {
            node,
            text: text.into(),
        });
    }

    fn node(&mut self, kind: NodeKind) -> NodeId {
        self.nodes += 1;
        NodeId::new(kind, self.nodes)
    }

    /// Makes one request; returns the answer if there is one.
    fn step(&mut self) -> Option<String> {
        self.turn += 1;
        let card = ToolCard::bare("search", EffectClass::Read, &[]);
        let request = Request {
            system: "".into(),
            messages: self.messages.clone(),
            tools: vec![card],
            quirks: crate::Quirks::new(),
            output_schema: None,
            id: TurnId(self.turn),
            turn: self.turn,
            tap: crate::Tap::default(),
        };
        let script = script(&self.playbook, &Arc::new(View::of(&request))).unwrap();
        let mut output = Vec::new();
        let mut calls = Vec::new();
        for block in script.blocks {
            match block {
                Block::Reasoning(_) => panic!("the audit thinks aloud"),
                Block::Text(text) => output.push(self.model_text(&text, false)),
                Block::Call { tool, args } => calls.push(CalledAs {
                    node: self.node(NodeKind::Call),
                    wire_id: format!("call_{}", self.nodes).into(),
                    tool: tool.into(),
                    args: args.into(),
                    opaque: None,
                }),
            }
        }
        if calls.is_empty() {
            return Some(output.iter().map(|output| output.text.to_string()).collect());
        }
        let results: Vec<Message> = calls.iter().map(|call| self.result(call)).collect();
        self.messages.push(Message::Assistant { texts: output, calls });
        self.messages.extend(results);
        None
    }

    fn model_text(&mut self, text: &str, by_operator: bool) -> ModelText {
        ModelText {
            node: self.node(NodeKind::Thought),
            text: text.into(),
            reasoning: false,
            opaque: None,
            by_operator,
        }
    }

    fn answer(&mut self) -> String {
        for _ in 0..10 {
            if let Some(answer) = self.step() {
                return answer;
            }
        }
        panic!("no answer after ten turns");
    }

    /// Rewrites the first thought of the newest turn, so that the turn is asked again after it.
    fn rewrite(&mut self, text: &str) {
        while let Some(message) = self.messages.pop() {
            if matches!(message, Message::Assistant { .. }) {
                break;
            }
        }
        let output = vec![self.model_text(text, true)];
        self.messages.push(Message::Assistant {
            texts: output,
            calls: Vec::new(),
        });
        self.messages.push(Message::Note {
            about: NoteKind::ThoughtRewritten,
            text: "rewritten".into(),
        });
    }

    /// Corrects the newest result with this label.
    fn correct(&mut self, label: &str, text: &str) {
        let header = format!("(as {label}):\n");
        let found = self.messages.iter_mut().rev().find_map(|message| match message {
            Message::Result { text, .. } if text.contains(&header) => Some(text),
            _ => None,
        });
        *found.unwrap() = format!("result of c0 {header}[operator wrote this result]\n{text}").into();
    }

    fn result(&mut self, call: &CalledAs) -> Message {
        let args: Json = serde_json::from_str(&call.args).unwrap();
        self.calls.push((call.tool.to_string(), args.clone()));
        let outcome = if self.rejected.contains(&&*call.tool) {
            Err("rejected by the operator: not now".to_owned())
        } else {
            self.execute(&call.tool, &args)
        };
        let (body, is_error) = match outcome {
            Ok(text) => (text, false),
            Err(why) => (
                json!({"call": {"tool": call.tool}, "error": {"class": "rejected", "message": why}})
                    .to_string(),
                true,
            ),
        };
        let label = args["_as"].as_str().unwrap();
        Message::Result {
            call: call.node,
            wire_id: call.wire_id.clone(),
            tool: call.tool.clone(),
            text: format!("result of {} (as {label}):\n{body}", call.node).into(),
            is_error,
        }
    }

    fn execute(&self, tool: &str, args: &Json) -> Result<String, String> {
        let text = |key: &str| args[key].as_str().unwrap_or_default();
        match tool {
            "list_dir" => {
                let mut entries: Vec<String> = self.files.keys().cloned().collect();
                entries.extend(
                    self.files
                        .keys()
                        .filter_map(|path| Some(format!("{}/", path.rsplit_once('/')?.0))),
                );
                entries.sort();
                entries.dedup();
                Ok(entries.join("\n"))
            }
            "search" => {
                let pattern =
                    Regex::new(text("pattern")).map_err(|_| "not a regular expression".to_owned())?;
                let glob = globset::Glob::new(args["glob"].as_str().unwrap_or("*")).unwrap();
                let glob = glob.compile_matcher();
                let named = args["path"].is_string();
                let files = self.files.iter().filter(|(path, _)| {
                    named || path.rsplit('/').next().is_some_and(|name| glob.is_match(name))
                });
                let lines = files.flat_map(|(path, text)| {
                    text.lines()
                        .enumerate()
                        .map(move |(no, line)| (path, no + 1, line))
                });
                let found = lines.filter(|(_, _, line)| pattern.is_match(line));
                Ok(found
                    .map(|(path, no, line)| format!("{path}:{no}:{line}"))
                    .collect::<Vec<_>>()
                    .join("\n"))
            }
            "read_file" => self
                .files
                .get(text("path"))
                .cloned()
                .ok_or_else(|| "no such file".to_owned()),
            "write_file" => Ok("written".to_owned()),
            other => panic!("the audit has no business with {other}"),
        }
    }

    /// Rewrites the thought of the second turn, in a copy of the run; returns the answer.
    fn again(&self, text: &str) -> String {
        let mut run = Self {
            playbook: self.playbook.clone(),
            files: self.files.clone(),
            messages: self.messages.clone(),
            turn: self.turn,
            nodes: self.nodes,
            rejected: Vec::new(),
            calls: Vec::new(),
        };
        run.rewrite(text);
        run.answer()
    }

    fn count(&self, tool: &str) -> usize {
        self.calls.iter().filter(|(name, _)| name == tool).count()
    }

    fn written(&self) -> String {
        let (_, args) = self.calls.iter().rfind(|(tool, _)| tool == "write_file").unwrap();
        args["content"].as_str().unwrap().to_owned()
    }
}

fn project() -> Vec<(&'static str, &'static str)> {
    vec![
        ("Cargo.toml", "[package]\nname = \"x\""),
        ("README.md", "# X\n\nTODO: describe"),
        (
            "src/a.rs",
            "// TODO one\nfn a() {}\n// FIXME two\nlet p = unsafe { 1 };",
        ),
        (
            "src/b.rs",
            "fn b() {}\n// HACK three\n#[ignore]\nfn c() { dbg!(1); }",
        ),
        (
            "src/c.rs",
            "const API_KEY: &str = \"x\"; let password = \"hunter2hunter2\";",
        ),
    ]
}

#[test]
fn a_project_is_searched_read_and_reported() {
    let mut run = Run::new(&project());
    let answer = run.answer();
    assert!((8..=20).contains(&run.calls.len()), "{} calls", run.calls.len());
    assert_eq!(run.count("write_file"), 1);
    let read: Vec<&str> = run
        .calls
        .iter()
        .filter(|(tool, _)| tool == "read_file")
        .map(|(_, args)| args["path"].as_str().unwrap())
        .collect();
    assert_eq!(read, ["README.md", "Cargo.toml", "src/a.rs", "src/b.rs"]);
    let report = run.written();
    for part in [
        "Unfinished work, `\\b(TODO|FIXME|XXX|HACK)\\b`: 4 lines in 3 files.",
        "1 directory and 5 files",
        "read: 4.",
        "Conflicts: none; secrets: 1; skipped tests: 1; debug output: 1.",
        "Look at `src/c.rs:1`",
    ] {
        assert!(report.contains(part), "{part}\n---\n{report}");
    }
    assert!(!report.contains("hunter2"), "a secret is not repeated");
    assert!(!report.contains("\n\n\n"), "{report}");
    assert!(
        answer.contains("I found 4 lines in 3 files")
            && answer.contains("Defined in `src/a.rs`: `fn a")
            && answer.contains("`overrule-report.md`"),
        "{answer}"
    );
}

#[test]
fn one_call_depends_on_two_others_by_reference() {
    let mut run = Run::new(&project());
    run.answer();
    let (_, args) = run
        .calls
        .iter()
        .find(|(_, args)| args["_as"] == "outline")
        .unwrap();
    let reference = args["path"].as_str().unwrap();
    assert!(
        reference.starts_with('†')
            && reference.contains("call.marks.")
            && reference.contains("call.listing.")
    );
}

#[test]
fn any_directory_gives_a_run_without_a_failure() {
    let photos: Vec<(String, &str)> = (0..300).map(|no| (format!("img_{no}.jpg"), "")).collect();
    let photos: Vec<(&str, &str)> = photos.iter().map(|(path, text)| (path.as_str(), *text)).collect();
    let odd = [("a b: c`d.txt", "TODO"), ("ünï/†.md", "FIXME {{ x }} \u{1b}[31m")];
    for files in [&[][..], &photos, &[("notes.txt", "")], &odd] {
        let mut run = Run::new(files);
        let answer = run.answer();
        assert!((8..=20).contains(&run.calls.len()), "{} calls", run.calls.len());
        assert!(!answer.is_empty() && !answer.contains("\n\n\n"), "{answer}");
        let failed = run
            .messages
            .iter()
            .any(|message| matches!(message, Message::Result { is_error: true, .. }));
        assert!(!failed, "{:?}", run.messages);
        assert!(
            !run.written().contains('\u{1b}'),
            "nothing raw goes into the report"
        );
    }
}

#[test]
fn the_first_call_to_approve_comes_soon() {
    let mut run = Run::new(&project());
    while run.count("write_file") == 0 {
        assert!(run.step().is_none(), "answered without the report");
    }
    let streamed = run.messages.iter().map(|message| match message {
        Message::Assistant { texts, calls } => {
            let texts = texts.iter().map(|output| output.text.chars().count());
            let args = calls.iter().map(|call| call.args.chars().count());
            texts.chain(args).sum()
        }
        _ => 0,
    });
    // A piece of the stream has about four characters.
    let pieces = streamed.sum::<usize>() as f64 / 3.5;
    let seconds = pieces / run.playbook.tokens_per_s;
    assert!(seconds < 8.0, "{seconds}");
}

#[test]
fn a_rewritten_thought_changes_the_search_and_the_answer() {
    for (words, pattern) in [
        ("I will look for unsafe code instead.", "unsafe"),
        ("Search for `password` now", "password"),
        ("I want to know where “HACK” is.", "HACK"),
        ("look for `foo(`", "foo\\("),
        ("Look for `HACK` and then, please, for `unsafe`.", "unsafe"),
        ("Search the code for every hunter2hunter2.", "hunter2hunter2"),
        ("Look for HACK|unsafe", "HACK|unsafe"),
        ("Look for dbg!(", "dbg!\\("),
    ] {
        let mut run = Run::new(&project());
        run.step();
        run.step();
        let before = run.count("list_dir");
        run.rewrite(words);
        let answer = run.answer();
        let (_, args) = run
            .calls
            .iter()
            .rfind(|(_, args)| args["_as"] == "marks")
            .unwrap();
        assert_eq!(args["pattern"], pattern, "{words}");
        assert_eq!(
            run.count("list_dir"),
            before,
            "what was known is not looked at again"
        );
        assert!(answer.contains(pattern) && !answer.contains("TODO"), "{answer}");
        assert!(
            run.written().contains(&format!("`{pattern}`")),
            "{}",
            run.written()
        );
    }
}

#[test]
fn the_thought_explains_how_to_edit_it_and_an_edit_in_place_works() {
    let mut run = Run::new(&project());
    run.step();
    run.step();
    let thought = run.messages.iter().rev().find_map(|message| match message {
        Message::Assistant { texts: output, .. } => Some(output[0].text.to_string()),
        _ => None,
    });
    let thought = thought.unwrap();
    assert!(
        thought.contains("`\\b(TODO|FIXME|XXX|HACK)\\b`") && thought.contains("backquotes"),
        "{thought}"
    );
    let usual = "`\\b(TODO|FIXME|XXX|HACK)\\b`";
    for edited in [
        thought.replace("\\b(TODO|FIXME|XXX|HACK)\\b", "let "),
        thought.replace(usual, "`let `"),
        format!("{thought} Look for `let ` instead."),
        format!("{thought} And `let `"),
        format!("Look for `let `, not for the rest. {thought}"),
    ] {
        let answer = run.again(&edited);
        assert!(
            answer.contains("I found 2 lines in 2 files that match `let `, as you asked."),
            "{edited}\n{answer}"
        );
    }
    for edited in [
        thought.replace(usual, "unsafe"),
        thought.replace(&format!("{usual}."), "unsafe"),
        format!("{thought} Look for unsafe."),
        format!("{thought} also look for unsafe code"),
        format!("{thought} unsafe"),
        format!("{} and unsafe", thought.trim_end_matches('.')),
    ] {
        let answer = run.again(&edited);
        assert!(
            answer.contains("I found 1 line in 1 file that matches `unsafe`, as you asked."),
            "{edited}\n{answer}"
        );
    }
    // Another word than the pattern: the search is the same, and the answer says so.
    let answer = run.again(&thought.replace("I see", "There are"));
    assert!(answer.contains("marks of unfinished work (`\\b(TODO"), "{answer}");
}
