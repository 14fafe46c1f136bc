//! Playbooks of the scripted model for these tests.
//!
//! Must not know: what is expected of it.

/// Looks at the notes and logs the start; copies a line and logs again; answers with what it saw.
///
/// Each shell call appends a line to `log.txt`, so that a repeated effect is visible.
pub const STEPS: &str = include_str!("../../scenarios/playbooks/steps.toml");

/// Answers immediately.
pub const HELLO: &str = r#"
[meta]
name = "hello"
[[rule]]
answer = "hello, {{ prompt }}"
"#;

/// Asks again and again without an end of its own.
pub const ENDLESS: &str = r#"
[meta]
name = "endless"
[[rule]]
think = "Once more, {{ turn }}."
[[rule.call]]
tool = "read_file"
args = { path = "notes.txt" }
"#;

/// A playbook of one rule.
pub fn rule(body: &str) -> String {
    format!("[meta]\nname = \"one\"\n[[rule]]\n{body}\n")
}

/// Two calls together, a read and a shell command, then an answer with their results.
pub fn command(line: &str) -> String {
    format!(
        "[meta]\nname = \"command\"\n\
         [[rule]]\nwhen = {{ seen_call = \"it\" }}\nanswer = \"{{{{ result.it | default('no result') | trim }}}}\"\n\
         [[rule]]\nthink = \"I run it.\"\n[[rule.call]]\ntool = \"shell\"\nas = \"it\"\nargs = {{ command = '{line}' }}\n"
    )
}
