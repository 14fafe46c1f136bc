//! The only place that writes to standard output and standard error.
//!
//! Must not know: what is printed.

use std::borrow::Cow;
use std::io::{IsTerminal as _, Write as _};
use std::process::ExitCode;
use std::sync::OnceLock;

use super::exit::{Code, Failure};
use overrule_base::text::excerpt;

/// Maximum characters of a line of a message.
const LONG: usize = 4_000;

/// The error of the first line that standard output did not accept.
static LOST: OnceLock<std::io::Error> = OnceLock::new();

/// True if standard output is a terminal.
pub fn is_terminal() -> bool {
    std::io::stdout().is_terminal()
}

/// Prints a line on standard output; returns false on an error. Nothing reaches a terminal raw: other text than JSON
/// was made visible before, and JSON has escapes.
pub fn out(text: &str) -> bool {
    let mut stdout = std::io::stdout().lock();
    let shown = if stdout.is_terminal() {
        overrule_base::text::escaped(text)
    } else {
        Cow::Borrowed(text)
    };
    let done = stdout
        .write_all(shown.as_bytes())
        .and_then(|()| stdout.write_all(b"\n"))
        .and_then(|()| stdout.flush());
    if let Err(error) = done {
        LOST.set(error).unwrap_or_default();
        return false;
    }
    true
}

/// The error of standard output, if any. A closed pipe (`| head`) is no error.
pub fn lost() -> Option<Failure> {
    let error = LOST.get()?;
    (error.kind() != std::io::ErrorKind::BrokenPipe).then(|| {
        Failure::new(
            Code::Session,
            format!("cannot write standard output: {error}; the output is incomplete"),
        )
    })
}

/// Prints a line on standard error; ignores errors.
pub fn err(text: &str) {
    let mut stderr = std::io::stderr().lock();
    stderr
        .write_all(text.as_bytes())
        .and_then(|()| stderr.write_all(b"\n"))
        .unwrap_or_default();
}

/// Untrusted text of several lines, made safe, line by line.
pub fn safe(text: &str) -> String {
    overrule_base::text::visible_lines(text).join("\n")
}

/// A message of several lines, made safe. Parts of it may have been made visible where it was
/// composed: these marks are not marked again. Not for text that a decision depends on.
pub fn safe_text(text: &str) -> String {
    marks(&safe(text))
}

/// The same for a message that must stay on one line.
pub fn safe_line(text: &str) -> String {
    marks(&overrule_base::text::visible(text))
}

fn marks(shown: &str) -> String {
    shown.replace("⟨U+27E8⟩", "⟨").replace("⟨U+27E9⟩", "⟩")
}

/// Prints the error that ends the program.
pub fn failure(failure: &Failure) -> ExitCode {
    let reported = safe_text(&failure.message);
    let lines: Vec<Cow<'_, str>> = reported.split('\n').map(|line| excerpt(line, LONG)).collect();
    err(&format!("overrule: {}", lines.join("\n")));
    failure.code.into()
}

/// Prints an error of the command line, or the requested help or version.
pub fn usage(error: &clap::Error) -> ExitCode {
    if !error.use_stderr() {
        error.print().unwrap_or_default();
        return ExitCode::SUCCESS;
    }
    // It repeats words of the command line: a shell may have completed them from names of files.
    err(&safe_text(error.to_string().trim_end()));
    Code::Usage.into()
}

#[cfg(test)]
mod tests {
    use super::{safe_line, safe_text};

    #[test]
    fn what_was_made_visible_before_is_not_marked_again() {
        let text = "a\u{1b}[31m\u{202e}\u{9b}\nb⟨x⟩";
        let once = safe_text(text);
        assert_eq!(once, "a⟨U+001B⟩[31m⟨U+202E⟩⟨U+009B⟩\nb⟨x⟩");
        assert_eq!(safe_text(&once), once);
        let line = safe_line(text);
        assert_eq!(line, "a⟨U+001B⟩[31m⟨U+202E⟩⟨U+009B⟩⟨LF⟩b⟨x⟩");
        assert_eq!(safe_line(&line), line);
    }
}
