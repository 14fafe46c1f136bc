//! Matches the conditions of ask and deny rules against each command of a call.
//!
//! Must not know: other conditions, what a match leads to.

use std::cell::OnceCell;

use serde_json::{Value, json};

use super::matcher::{Predicate, Subject, WORDS, is_line};
use super::place::Places;
use super::shell::ShellCall;
use overrule_base::known_tool;
use overrule_base::shell_line::Command;

/// A call with the commands of its shell line, which is read once.
pub struct Case<'a> {
    pub(super) subject: Subject<'a>,
    shell: OnceCell<Option<ShellCall>>,
}

impl<'a> Case<'a> {
    pub(super) const fn new(subject: Subject<'a>) -> Self {
        Self {
            subject,
            shell: OnceCell::new(),
        }
    }

    /// A call that runs this.
    pub(super) fn running(subject: Subject<'a>, shell: ShellCall) -> Self {
        Self {
            subject,
            shell: OnceCell::from(Some(shell)),
        }
    }

    /// What a shell runs; none for other tools, and those of servers.
    pub(super) fn shell(&self) -> Option<&ShellCall> {
        let read = || {
            let subject = &self.subject;
            let is_shell = subject.server.is_none() && known_tool::is_shell(subject.tool);
            is_shell.then(|| ShellCall::new(subject.tool, subject.args))
        };
        self.shell.get_or_init(read).as_ref()
    }
}

/// Returns true if the conditions hold for the whole line or for a command in it.
pub(super) fn hold(conditions: &[&Predicate], case: &Case<'_>, places: Places<'_>) -> bool {
    let args = case.subject.args;
    let Some(shell) = case.shell().filter(|shell| !shell.whole.is_empty()) else {
        return conditions
            .iter()
            .all(|one| one.meets(args.pointer(&one.at), places));
    };
    let (not, is): (Vec<&Predicate>, Vec<&Predicate>) = conditions.iter().copied().partition(|one| one.not);
    let commands = &shell.reading.commands;
    if not.is_empty() {
        // Nothing is excepted.
        return whole(&is, case, shell, places) || commands.iter().any(|one| all(&is, one, places));
    }
    if is.is_empty() && not.iter().any(|one| is_spelled(one, args, shell)) {
        return false;
    }
    let excepted = shell.reading.covered(|command| {
        (is.is_empty() && command.is_idle())
            || not.iter().any(|one| {
                let absent = !is_line(&one.at) && args.pointer(&one.at).is_none();
                !absent && covers(one, command, places)
            })
    });
    let mut each = commands.iter().zip(&excepted);
    if is.is_empty() {
        return each.any(|(_, excepted)| !excepted);
    }
    (excepted.iter().any(|excepted| !excepted) && whole(&is, case, shell, places))
        || each.any(|(command, excepted)| !excepted && all(&is, command, places))
}

/// Returns true if the conditions hold for the arguments as written.
fn whole(conditions: &[&Predicate], case: &Case<'_>, shell: &ShellCall, places: Places<'_>) -> bool {
    conditions.iter().all(|one| {
        if !is_line(&one.at) {
            return one.meets(case.subject.args.pointer(&one.at), places);
        }
        let mut texts = shell.whole.iter().map(|text| Value::from(text.as_str()));
        texts.any(|text| one.meets(Some(&text), places))
    })
}

/// Returns true if one form of the command satisfies all conditions.
fn all(conditions: &[&Predicate], command: &Command, places: Places<'_>) -> bool {
    let (line, words): (Vec<&Predicate>, Vec<&Predicate>) =
        conditions.iter().copied().partition(|one| is_line(&one.at));
    words.iter().all(|one| covers(one, command, places))
        && (line.is_empty()
            || command.any_form(|form| {
                let form = Value::from(form);
                line.iter().all(|one| one.tests(&form, places))
            }))
}

/// Returns true if the test of a condition holds for a form of the command.
pub(super) fn covers(condition: &Predicate, command: &Command, places: Places<'_>) -> bool {
    if is_line(&condition.at) {
        return command.any_form(|form| condition.tests(&Value::from(form), places));
    }
    let mut texts: Vec<&str> = command.words.iter().map(|word| word.text.as_str()).collect();
    let test = |texts: &[&str]| {
        let args = json!({ "argv": texts });
        args.pointer(&condition.at)
            .is_some_and(|value| condition.tests(value, places))
    };
    if test(&texts) {
        return true;
    }
    let Some(name) = texts.first_mut() else {
        return false;
    };
    let base = name.rsplit('/').next().unwrap_or(name);
    *name = base;
    test(&texts)
}

/// Returns true if the condition names exactly this call.
fn is_spelled(condition: &Predicate, args: &Value, shell: &ShellCall) -> bool {
    match condition.at.as_str() {
        at if is_line(at) => shell
            .whole
            .iter()
            .any(|text| condition.is_exactly(&Value::from(text.as_str()))),
        WORDS => args
            .pointer(WORDS)
            .is_some_and(|words| condition.is_exactly(words)),
        _ => false,
    }
}
