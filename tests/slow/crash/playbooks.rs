//! Playbooks of the runs that are cut after every record.
//!
//! Must not know: what the operator does.

/// Parallel reads, writes by reference and commands, over three turns; what the second turn does
/// follows the newest thought.
pub const STEPS: &str = r#"
[meta]
name = "steps"

[[rule]]
when = { done = ["last"] }
answer = "{{ result.last | lines | join('+') }}"

[[rule]]
when = { done = ["notes", "s1"], thought = "last line" }
say = "As you wish."
[[rule.call]]
tool = "write_file"
as = "made"
args = { path = "made.txt", content = "{{ result.notes | lines | last }}\n" }
[[rule.call]]
tool = "shell"
as = "last"
args = { command = "echo s3 >> log.txt; echo did s3" }

[[rule]]
when = { done = ["notes", "s1"] }
think = "I make it of the first line."
[[rule.call]]
tool = "write_file"
as = "made"
args = { path = "made.txt", content = "{{ result.notes | lines | first }}\n" }
[[rule.call]]
tool = "shell"
as = "last"
think = "And log the end."
args = { command = "echo s2 >> log.txt; echo did s2" }

[[rule]]
when = { turn = 1 }
reasoning = "I weigh it."
think = "I read the notes, copy them and log the start."
[[rule.call]]
tool = "read_file"
as = "notes"
args = { path = "notes.txt" }
[[rule.call]]
tool = "write_file"
as = "copy"
args = { path = "copy.txt", content = "†call.notes" }
[[rule.call]]
tool = "shell"
as = "s1"
args = { command = "echo s1 >> log.txt; echo did s1" }

[[rule]]
answer = "without {{ failed | join(' and ') }}"
"#;

/// Four calls: three wait for approval, and one for the result of another.
pub const WAITING: &str = r#"
[meta]
name = "waiting"
[[rule]]
when = { seen_call = "s1" }
answer = "done, without {{ failed | join(' and ') }}"
[[rule]]
think = "All at once."
[[rule.call]]
tool = "shell"
as = "s1"
args = { command = "echo s1 >> log.txt; echo did s1" }
[[rule.call]]
tool = "write_file"
as = "copy"
args = { path = "copy.txt", content = "†call.s1" }
[[rule.call]]
tool = "shell"
as = "s2"
args = { command = "echo s2 >> log.txt; echo did s2" }
[[rule.call]]
tool = "shell"
as = "s3"
args = { command = "echo s3 >> log.txt; echo did s3" }
"#;

/// Calls that fail in every way, and one that reads a failed one.
pub const FAILING: &str = r#"
[meta]
name = "failing"
[[rule]]
when = { seen_call = "after" }
answer = "failed: {{ failed | join(' ') }}"
[[rule]]
when = { seen_call = "missing" }
think = "And one more."
[[rule.call]]
tool = "shell"
as = "after"
args = { command = "echo after >> log.txt; echo did after" }
[[rule]]
think = "Some of this will fail."
[[rule.call]]
tool = "read_file"
as = "missing"
args = { path = "not-there.txt" }
[[rule.call]]
tool = "write_file"
as = "skipped"
args = { path = "copy.txt", content = "†call.missing" }
[[rule.call]]
tool = "write_file"
as = "unsatisfiable"
args = { path = "copy.txt", content = "†call.nobody" }
[[rule.call]]
tool = "read_file"
as = "invalid"
args = { path = 3 }
[[rule.call]]
tool = "no_such_tool"
as = "unknown"
args = {}
[[rule.call]]
tool = "edit_file"
as = "hopeless"
args = { path = "notes.txt", old = "nothing like it", new = "x" }
[[rule.call]]
tool = "shell"
as = "exits"
args = { command = "test -e not-there.txt" }
"#;

/// A stream that breaks after its calls, and an answer that does better after it was rejected.
pub const BREAKS: &str = r#"
[meta]
name = "breaks"
[[rule]]
when = { prompt = "rejected" }
answer = "Better."
[[rule]]
when = { seen_call = "s1" }
answer = "So far."
[[rule]]
think = "I begin."
fail = "garbage"
[[rule.call]]
tool = "read_file"
as = "notes"
args = { path = "notes.txt" }
[[rule.call]]
tool = "shell"
as = "s1"
args = { command = "echo s1 >> log.txt; echo did s1" }
"#;

/// Repeats its calls until a notice says that it tried this before.
pub const ROUND: &str = r#"
[meta]
name = "round"

[[rule]]
when = { notice = "You tried this before" }
answer = "I leave it."

[[rule]]
think = "What do the notes say?"
[[rule.call]]
tool = "read_file"
as = "notes"
args = { path = "notes.txt" }
"#;

/// Hands a part of its work to a sub-agent that reads, logs and answers, and logs the end.
pub const HANDED: &str = r#"
[meta]
name = "handed"

[[rule]]
when = { prompt = "^look", done = ["inner", "i1"] }
answer = "{{ result.inner | lines | first }}, {{ result.i1 | trim }}"
[[rule]]
when = { prompt = "^look" }
think = "I read and log."
[[rule.call]]
tool = "read_file"
as = "inner"
args = { path = "notes.txt" }
[[rule.call]]
tool = "shell"
as = "i1"
args = { command = "echo i1 >> log.txt; echo did i1" }

[[rule]]
when = { done = ["helper", "s1", "s2"] }
answer = "{{ result.helper }}; {{ result.s2 | trim }}"
[[rule]]
when = { done = ["helper", "s1"] }
think = "I log the end."
[[rule.call]]
tool = "shell"
as = "s2"
args = { command = "echo s2 >> log.txt; echo did s2" }
[[rule]]
think = "I log, and another one looks."
[[rule.call]]
tool = "shell"
as = "s1"
args = { command = "echo s1 >> log.txt; echo did s1" }
[[rule.call]]
tool = "delegate"
as = "helper"
args = { task = "look at the notes" }
"#;
