//! Starts a run that continues without its terminal, and becomes it.
//!
//! Must not know: what the run does.
//!
//! The program starts itself again in a session of its own. The new process reports on its standard output that the run has
//! begun; until then its errors are those of the first process. After that it writes to a file of its session.

use std::ffi::OsString;
use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use super::args::{Common, Detach};
use super::build::AppContext;
use super::exit::{Code, Failure};
use super::print;
use overrule_control::operators;
use overrule_journal::Place;
use overrule_present::detached::DetachedView;
use overrule_present::json;
use overrule_regular_file as regular_file;

/// The flag of a run in the background.
const FLAG: &str = "--detach";
/// The flag of the process that is it.
const AGAIN: &str = "--detached";
/// The file of a session with what its process prints.
const LOG: &str = "detached.log";
/// How long the run may take to begin.
const PATIENCE: Duration = Duration::from_secs(10);

/// Starts this command again as a process that continues without its terminal. `stdin` says that it reads its task there.
pub fn start(common: &Common, stdin: bool) -> Result<Code, Failure> {
    let program = std::env::current_exe();
    let program = program.map_err(|error| failed(&format!("the program is not found: {error}")))?;
    let input = if stdin { Stdio::inherit() } else { Stdio::null() };
    // It is a program of the operator, not one that a run started.
    let starts = operators::wait(0);
    let mut child = Command::new(program)
        .args(arguments(std::env::args_os().skip(1)))
        .stdin(input)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| failed(&format!("the process cannot start: {error}")))?;
    let _waits = operators::wait(child.id());
    drop(starts);
    let (word, errors) = reported(&mut child);
    errors.lines().for_each(print::err);
    match word {
        Word::Began(line) => began(common, &line),
        Word::Ended => {
            let code = child.wait().ok().and_then(|status| status.code());
            let code = code.and_then(|code| u8::try_from(code).ok());
            Ok(code.map_or(Code::Other, Code::Command))
        }
        Word::Late => {
            // It may have begun by now, unknown to the operator.
            let _ = child.kill();
            let _ = child.wait();
            Err(failed(&format!(
                "it did not begin within {} s",
                PATIENCE.as_secs()
            )))
        }
    }
}

/// What is known of the new process.
enum Word {
    /// The run has begun: its line.
    Began(String),
    /// It ended first.
    Ended,
    /// Nothing.
    Late,
}

/// Waits for the word of a process; returns its standard error by then, too.
fn reported(child: &mut Child) -> (Word, String) {
    let (send, received) = mpsc::channel();
    let (out, err) = (child.stdout.take(), child.stderr.take());
    thread::spawn(move || {
        let mut line = String::new();
        let read = out.map(|out| BufReader::new(out).read_line(&mut line));
        let word = match read {
            Some(Ok(bytes)) if bytes > 0 => Word::Began(line),
            _ => Word::Ended,
        };
        // After the time limit there is no receiver.
        let _ = send.send(word);
    });
    let (send_errors, errors) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut err) = err {
            let _ = err.read_to_end(&mut bytes);
        }
        let _ = send_errors.send(String::from_utf8_lossy(&bytes).into_owned());
    });
    match received.recv_timeout(PATIENCE) {
        // It closed its standard error before.
        Ok(word) => (word, errors.recv_timeout(PATIENCE).unwrap_or_default()),
        Err(_) => (Word::Late, String::new()),
    }
}

/// Prints how the run is reached.
fn began(common: &Common, line: &str) -> Result<Code, Failure> {
    let view: DetachedView =
        serde_json::from_str(line).map_err(|_| failed("the process said something else"))?;
    print::out(&if common.json { json(&view) } else { view.describe() });
    Ok(Code::Ok)
}

fn failed(why: &str) -> Failure {
    Failure::new(Code::Other, format!("cannot run detached: {why}"))
}

/// The arguments of the new process.
fn arguments(args: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut is_replaced = false;
    args.map(|word| {
        if !is_replaced && word == FLAG {
            is_replaced = true;
            return OsString::from(AGAIN);
        }
        word
    })
    .collect()
}

/// The flags of a run; in the process that continues without its terminal, those of a run that waits for verbs.
pub fn common(common: &Common, detach: Detach) -> Result<Common, Failure> {
    if !detach.detached {
        return Ok(common.clone());
    }
    rustix::process::setsid().map_err(|error| failed(&format!("it cannot leave its terminal: {error}")))?;
    Ok(Common {
        headless: true,
        control: true,
        detached: true,
        ..common.clone()
    })
}

/// Reports that the run has begun, and prints to the session from now on.
pub fn report(context: &AppContext, session: &str) -> Result<(), Failure> {
    let place = context.store.find(session)?;
    let Place::Dir { path, .. } = &place else {
        return Err(failed("its session is one file"));
    };
    let log = path.join(LOG);
    let unwritten =
        |error: &dyn std::fmt::Display| failed(&format!("cannot write {}: {error}", log.display()));
    let file = regular_file::append(&log).map_err(|error| unwritten(&error))?;
    let null = regular_file::null().map_err(|error| unwritten(&error))?;
    // The first process reads standard error to its end.
    rustix::stdio::dup2_stderr(&file).map_err(|error| unwritten(&error))?;
    rustix::stdio::dup2_stdin(&null).map_err(|error| unwritten(&error))?;
    let view = DetachedView {
        session: session.to_owned(),
        address: context.address(session).to_string(),
        sandbox: context.means.profile.label(),
    };
    if !print::out(&json(&view)) {
        return Err(failed("the process that began it has ended"));
    }
    rustix::stdio::dup2_stdout(&file).map_err(|error| unwritten(&error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_first_word_that_is_the_flag_is_replaced() {
        let args = [
            "run",
            "--detach",
            "--model",
            "x",
            "say --detach",
            "--",
            "--detach",
        ];
        let found = arguments(args.into_iter().map(OsString::from));
        let expected = [
            "run",
            "--detached",
            "--model",
            "x",
            "say --detach",
            "--",
            "--detach",
        ];
        assert_eq!(found, expected);
    }
}
