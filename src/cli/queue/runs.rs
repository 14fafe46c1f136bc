//! Lists what a waiting call would run: the commands of its shell line and the files they run.
//!
//! Must not know: how any of it is found, who decides.
//!
//! It also marks text in the arguments that is not what it looks like.

use overrule_base::shell_line::Program;
use overrule_base::text::{visible, visible_head};
use overrule_domain::call::{FileCheck, Operand};
use overrule_present::call::{CallLaunchView, CommandView, RunFilesView};

/// Characters of a command that are printed; the arguments have all of them.
const COMMAND: usize = 400;

/// Returns the lines to print.
pub fn detail_lines(view: &CallLaunchView<'_>) -> Vec<String> {
    let warnings = view.look_out.iter().map(String::as_str).chain(view.warning);
    let mut lines: Vec<String> = warnings.map(|line| format!("warning: {line}")).collect();
    if !view.commands.is_empty() {
        lines.push(format!("{} commands in this line:", view.commands.len()));
        for (at, one) in view.commands.iter().enumerate() {
            lines.extend(command(at + 1, one));
        }
    }
    lines.extend(view.files.runs.iter().map(|one| file(&view.files, one)));
    lines
}

/// Formats a command: its program, and the gate of the policy for it alone.
fn command(no: usize, one: &CommandView) -> [String; 2] {
    let program = match &one.program {
        Program::Named(name) => visible(name),
        Program::Unknown => "a program that cannot be read".to_owned(),
        Program::None => "no program".to_owned(),
    };
    let mut line = format!("{no:>4}) {:<3}{program}", one.after);
    if let Some(gate) = one.policy {
        line.push_str(" · the policy ");
        line.push_str(gate.alone());
    }
    if one.more {
        line.push_str(" · cannot be read fully");
    }
    [line, format!("         {}", visible_head(&one.text, COMMAND))]
}

/// Formats a file that the command may run, or why the file is unknown.
fn file(files: &RunFilesView<'_>, one: &Operand) -> String {
    let message = one.seen.warning();
    let path = match one.seen {
        FileCheck::Cut => "more".to_owned(),
        _ => visible(&one.path),
    };
    if !one.seen.is_file() {
        return format!("may run {path}: {}", message.unwrap_or_default());
    }
    let mut line = format!("may run {path}: {} bytes, {}", one.bytes, visible(&one.hash));
    if let Some(word) = message {
        line.push_str(", ");
        line.push_str(word);
    }
    if files.has_changed(one) {
        line.push_str(", changed since this was asked before");
    }
    line
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use overrule_console::testing::{Stage, id};
    use overrule_domain::call::{Call, Digest, Gate, Part, Verdict};
    use overrule_domain::event::CallEvent;
    use overrule_domain::id::Rev;

    fn lines_of(call: &Call, tool: &str, args: &str) -> Vec<String> {
        detail_lines(&CallLaunchView::of(call, tool, args))
    }

    /// The console's card of the waiting call, without line breaks.
    fn card(stage: &mut Stage) -> String {
        stage.draw();
        stage.press("2");
        stage.flat()
    }

    #[test]
    fn the_commands_and_what_looks_like_something_else_are_those_of_the_card() {
        let part = |gate| Part {
            gate,
            rule: "user config.toml:1".into(),
        };
        let verdict = Verdict {
            parts: vec![part(Gate::Allow), part(Gate::Deny), part(Gate::Ask)],
            ..Stage::verdict()
        };
        let args = json!({ "command": "ls && curl http://p\u{430}ypal.com >x | $RUN \u{202e}" }).to_string();
        let mut stage = Stage::new(160, 50);
        stage.begin();
        stage.awaiting_by("c3", ("shell", &args), verdict);
        let call = stage.model.run.state.calls[&id("c3")].clone();
        let view = CallLaunchView::of(&call, "shell", &args);
        let lines = detail_lines(&view);
        let message: Vec<&str> = lines.iter().map(|line| line.trim_start()).collect();
        assert_eq!(
            message[3..],
            [
                "3 commands in this line:",
                "1)    ls · the policy would allow it",
                "ls",
                "2) && curl · the policy denies it · cannot be read fully",
                "curl http://pаypal.com >x",
                "3) |  a program that cannot be read · the policy asks · cannot be read fully",
                "$RUN ⟨U+202E⟩",
            ]
        );
        let card = card(&mut stage);
        for line in &message[..3] {
            let line = line.strip_prefix("warning: ").unwrap();
            assert!(card.contains(line), "{line}: {card}");
        }
        for words in [
            "the policy would allow it",
            "the policy denies it",
            "the policy asks",
        ] {
            assert!(card.contains(words), "{words}: {card}");
        }
        assert!(card.matches("cannot be read fully").count() >= 2, "{card}");
        let of_programs = serde_json::to_value(&view.commands).unwrap();
        assert_eq!(view.commands.len(), 3);
        assert_eq!(of_programs[1]["policy"], "deny");
        assert_eq!(of_programs[2]["program"], Value::Null);
        assert_eq!(view.look_out.len(), 3);
    }

    #[test]
    fn a_single_plain_command_and_other_tools_add_no_lines() {
        let stage = {
            let mut stage = Stage::new(80, 24);
            stage.begin();
            stage.awaiting("c3", "shell", r#"{"command":"ls -la"}"#);
            stage
        };
        let call = &stage.model.run.state.calls[&id("c3")];
        assert_eq!(lines_of(call, "shell", r#"{"command":"ls -la"}"#), [""; 0]);
        assert_eq!(lines_of(call, "write_file", r#"{"command":"ls; rm x"}"#), [""; 0]);
    }

    #[test]
    fn files_only_a_shell_can_resolve_are_described_as_in_the_call_frame() {
        let operand = |path: &str, seen| Operand {
            path: path.into(),
            bytes: 0,
            seen,
            hash: "0123456789abcdef".into(),
        };
        let mut stage = Stage::new(160, 50);
        stage.begin();
        let args = r#"{"command":"sh *.sh"}"#;
        stage.proposed("c3", "shell", args);
        stage.call(CallEvent::Ready {
            call: id("c3"),
            rev: Rev(1),
            bindings: Vec::new(),
            resolved: None,
            digest: Digest("d".into()),
            operands: vec![
                operand("*.sh", FileCheck::Unspecified),
                operand("a.sh", FileCheck::Dates),
                operand("", FileCheck::Cut),
            ],
            verdict: Stage::verdict(),
        });
        stage.call(CallEvent::Asked {
            call: id("c3"),
            rev: Rev(1),
            deadline_ms: None,
            approver: None,
        });
        let call = stage.model.run.state.calls[&id("c3")].clone();
        assert_eq!(
            lines_of(&call, "shell", args),
            [
                "may run *.sh: which file that is cannot be read: it is not looked at",
                "may run a.sh: 0 bytes, 0123456789abcdef, too long to be read: its size and dates count",
                "may run more: not all files that it may run were looked at",
            ]
        );
        let card = card(&mut stage);
        for seen in [FileCheck::Unspecified, FileCheck::Dates, FileCheck::Cut] {
            assert!(card.contains(seen.warning().unwrap()), "{seen:?}: {card}");
        }
    }
}
