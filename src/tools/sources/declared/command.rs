//! Runs the command of a declared tool.
//!
//! Must not know: how it was declared.

use serde_json::{Map, Value};

use super::fill::Pattern;
use super::setup::Declaration;
use crate::child::Environment;
use crate::errors::{refused, shown};
use crate::sources::builtin::shell::{End, Program, execute, outcome};
use crate::tool::Job;
use crate::workspace::Workspace;
use overrule_domain::call::{ErrorClass, Outcome, ToolError};
use overrule_resilience::classify::EXITED;

/// Runs it once.
pub(super) async fn run(
    declared: &Declaration,
    (argv, stdin, success): (&[Pattern], Option<&Pattern>, &[i32]),
    args: &Map<String, Value>,
    (job, environment): (&Job, &Environment),
) -> Result<Outcome, ToolError> {
    let mut words = filled(argv, args)?.into_iter();
    let program = words.next().unwrap_or_default();
    let workspace = Workspace::open(&job.workspace)?.without(&job.private);
    let program = Program {
        program: program.into(),
        args: words.collect(),
        cwd: workspace.root().to_owned(),
        stdin: stdin.map(|stdin| stdin.fill(args, |value| value).unwrap_or_default()),
        limit: declared.limit,
    };
    let ran = execute(job, program, environment).await?;
    let code = match &ran.end {
        End::Exited(status) => status.code(),
        _ => None,
    };
    let outcome = outcome(ran);
    Ok(match (code, outcome) {
        (
            Some(code),
            Outcome::Ok {
                value,
                meta,
                discarded,
                ..
            },
        ) if !success.is_empty() => {
            if success.contains(&code) {
                Outcome::Ok {
                    value,
                    meta,
                    discarded,
                    exit: None,
                }
            } else {
                Outcome::err(ToolError {
                    executed: true,
                    partial: Some(value),
                    ..refused(
                        ErrorClass::Business,
                        format!("ended with exit code {code}"),
                        &format!("{EXITED}{code}, not one of the success codes"),
                        "",
                    )
                })
            }
        }
        (_, outcome) => outcome,
    })
}

/// Fills each element with its arguments. An element whose argument is absent is left out. An argument never becomes
/// an option by itself.
pub(super) fn filled(argv: &[Pattern], args: &Map<String, Value>) -> Result<Vec<String>, ToolError> {
    let mut words = Vec::new();
    let mut literal = false;
    for (at, pattern) in argv.iter().enumerate() {
        let Some(word) = pattern.fill(args, |value| value) else {
            continue;
        };
        if word.contains('\0') {
            return Err(param(format!("`{}` contains a NUL", shown(&pattern.to_string()))));
        }
        let from_argument = pattern.head().is_empty() && pattern.names().next().is_some();
        if at > 0 && from_argument && !literal && word.starts_with('-') {
            return Err(param(format!(
                "`{}` begins with `-`, and the command would read it as an option",
                shown(&word)
            )));
        }
        literal |= pattern.names().next().is_none() && word == "--";
        words.push(word);
    }
    Ok(words)
}

fn param(message: String) -> ToolError {
    refused(
        ErrorClass::Param,
        message,
        "read by the tool",
        "correct the argument",
    )
}
