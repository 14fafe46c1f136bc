//! Tests that the README and the list of keys agree with the program.

#[path = "../../examples/pictures.rs"]
#[allow(dead_code, reason = "its main function writes where the pictures belong")]
mod pictures;

use std::collections::BTreeMap;
use std::path::Path;

use overrule::console::app::registry;
use overrule::domain::call::{EffectClass, Gate};
use overrule::policy;

const BEGIN: &str = "<!-- keys: begin";
const END: &str = "<!-- keys: end -->";

const KEYS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/keys.md");

const TERMS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/terms.md");

fn readme() -> String {
    std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/README.md")).unwrap()
}

/// The dialog that the page for contributors shows is the one that is compiled and tested.
#[test]
fn the_example_of_a_dialog_is_the_tested_one() {
    let page = std::fs::read_to_string("docs/contributing.md").unwrap();
    let (_, rest) = page.split_once("<!-- the dialog: begin -->\n```rust\n").unwrap();
    let (shown, _) = rest.split_once("```\n<!-- the dialog: end -->").unwrap();
    let compiled = std::fs::read_to_string("src/console/testing/reminder.rs").unwrap();
    assert_eq!(shown, compiled);
}

/// Compares what stands between two marks of a page with the program. Run with `OVERRULE_WRITE_KEYS=1` to write it again.
#[expect(
    clippy::disallowed_methods,
    reason = "a switch for people, not for the program"
)]
fn assert_written(page: &str, (begin, end): (&str, &str), expected: &str) {
    let text = std::fs::read_to_string(page).unwrap();
    let begin = text.find(begin).expect("the mark of the beginning");
    let begin = begin + text[begin..].find("-->\n").unwrap() + 4;
    let end = text.find(end).expect("the mark of the end");
    let expected = format!("\n{}\n", expected.trim_end());
    if std::env::var_os("OVERRULE_WRITE_KEYS").is_some() {
        let new = format!("{}{expected}{}", &text[..begin], &text[end..]);
        std::fs::write(page, new).unwrap();
        return;
    }
    assert_eq!(
        &text[begin..end],
        expected,
        "write {page} anew with: OVERRULE_WRITE_KEYS=1 cargo test --test it readme"
    );
}

#[test]
fn the_keys_are_those_of_the_command_table() {
    assert_written(KEYS, (BEGIN, END), &registry::markdown());
}

#[test]
fn the_page_of_terms_has_every_term() {
    let marks = ("<!-- terms: begin", "<!-- terms: end -->");
    assert_written(TERMS, marks, &overrule::present::terms::markdown());
}

#[test]
fn the_two_commands_stand_in_the_first_screen() {
    let first: Vec<String> = readme().lines().take(24).map(str::to_owned).collect();
    for command in ["cargo run", "cargo test"] {
        assert!(first.iter().any(|line| line.starts_with(command)), "{command}");
    }
}

#[test]
fn every_link_to_a_file_leads_somewhere() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = readme();
    let links: Vec<&str> = text
        .split("](")
        .skip(1)
        .filter_map(|rest| rest.split(')').next())
        .filter(|to| !to.contains("://"))
        .collect();
    assert!(!links.is_empty());
    for link in links {
        let path = link.split('#').next().unwrap();
        assert!(path.is_empty() || root.join(path).exists(), "{link}");
    }
}

/// The pictures in a directory, by their names.
fn pictures_in(dir: &Path) -> BTreeMap<String, String> {
    let entries = std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path());
    let named = entries.map(|path| {
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        (name, std::fs::read_to_string(&path).unwrap())
    });
    named.collect()
}

#[test]
fn the_pictures_are_what_the_console_draws_now_and_each_is_shown() {
    let made = tempfile::tempdir().unwrap();
    pictures::all(made.path()).unwrap();
    let made = pictures_in(made.path());
    let there = pictures_in(&Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/pictures"));
    let names = |all: &BTreeMap<String, String>| all.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&there), names(&made));
    for (name, picture) in &made {
        assert!(
            there[name] == *picture,
            "docs/pictures/{name} is not what the console draws now: write them anew with \
             cargo run --example pictures"
        );
        assert!(
            readme().contains(&format!("docs/pictures/{name}")),
            "nothing shows {name}"
        );
    }
}

/// The files of rules in docs/policy.md, by agent.
fn files_of_rules() -> BTreeMap<String, String> {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/policy.md")).unwrap();
    let blocks = text
        .split("```toml\n")
        .skip(1)
        .filter_map(|rest| rest.split("```").next());
    let named = blocks.filter_map(|block| {
        let (name, _) = block.strip_prefix("# ")?.split_once(".toml: ")?;
        Some((name.to_owned(), block.to_owned()))
    });
    named.collect()
}

#[test]
fn the_files_of_rules_for_agents_decide_as_they_say() {
    let files = files_of_rules();
    assert_eq!(
        files.keys().collect::<Vec<_>>(),
        ["claude", "codex", "gemini", "opencode", "qwen"]
    );
    for (agent, text) in &files {
        let (shell, line, reader, path) = match agent.as_str() {
            "claude" => ("Bash", "command", "Read", "file_path"),
            "codex" => ("exec_command", "cmd", "view_image", "path"),
            "opencode" => ("bash", "command", "read", "filePath"),
            _ => ("run_shell_command", "command", "read_file", "file_path"),
        };
        let read = policy::parse::file("rules.toml", text, policy::Origin::User).unwrap();
        let mut rules = policy::Policy::new(read.preset.unwrap().value);
        for rule in read.rules {
            assert!(rules.add(rule).is_none());
        }
        let gate = |tool: &str, effect, args: serde_json::Value| {
            let subject = policy::Subject {
                tool,
                effect,
                tags: &[],
                args: &args,
                server: None,
                is_of_agent: true,
                sandbox: overrule::policy::Placement::default(),
            };
            rules.verdict(&subject).gate
        };
        let run = |command: &str| gate(shell, EffectClass::Unknown, serde_json::json!({ line: command }));
        for (command, expected) in [
            ("cargo test --lib a::b", Gate::Allow),
            ("npm run lint", Gate::Allow),
            ("cargo test; rm -rf a", Gate::Ask),
            ("cargo publish", Gate::Ask),
            ("git push origin main", Gate::Ask),
            ("$X", Gate::Ask),
        ] {
            assert_eq!(run(command), expected, "{agent}: {command}");
        }
        let reads = |file: &str| gate(reader, EffectClass::Read, serde_json::json!({ path: file }));
        assert_eq!(reads("/w/src/a.rs"), Gate::Allow, "{agent}");
        assert_eq!(reads("/w/.env.local"), Gate::Deny, "{agent}");
    }
}

#[test]
fn each_promise_of_the_security_page_names_tests_that_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(root.join("SECURITY.md")).unwrap();
    let rows = text
        .lines()
        .filter(|line| line.starts_with("| ") && !line.contains("---"));
    let rows: Vec<&str> = rows.skip(1).collect();
    assert!(rows.len() >= 12, "{rows:?}");
    for row in rows {
        let files: Vec<&str> = row
            .split('`')
            .filter(|part| Path::new(part).extension().is_some_and(|end| end == "rs"))
            .collect();
        assert!(!files.is_empty(), "{row}");
        for file in files {
            let tests = std::fs::read_to_string(root.join(file)).unwrap();
            assert!(
                tests.contains("#[test]") || tests.contains("#[tokio::test]") || tests.contains("\nmod "),
                "{file}"
            );
        }
    }
}
