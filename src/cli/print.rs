//! The only place that writes to standard output and standard error. Must not know: what is said.

use std::io::Write as _;
use std::process::ExitCode;

use super::exit::{Code, Failure};

/// A line on standard output. False where nobody reads any more.
pub fn out(text: &str) -> bool {
    let mut stdout = std::io::stdout().lock();
    stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.write_all(b"\n"))
        .and_then(|()| stdout.flush())
        .is_ok()
}

/// A line on standard error; where nobody reads, it is lost.
pub fn err(text: &str) {
    let mut stderr = std::io::stderr().lock();
    stderr
        .write_all(text.as_bytes())
        .and_then(|()| stderr.write_all(b"\n"))
        .unwrap_or_default();
}

/// Untrusted text of several lines, made safe, line by line.
pub fn safe(text: &str) -> String {
    crate::text::visible_lines(text).join("\n")
}

/// Says why the program ends.
pub fn failure(failure: &Failure) -> ExitCode {
    err(&format!("overrule: {}", safe(&failure.message)));
    failure.code.into()
}

/// Says what is wrong with the command line, or what was asked of it (help, version).
pub fn usage(error: &clap::Error) -> ExitCode {
    let asked = !error.use_stderr();
    error.print().unwrap_or_default();
    if asked {
        ExitCode::SUCCESS
    } else {
        Code::Usage.into()
    }
}
