//! Runs a program in a tmux pane next to this one, and notices that the pane closed.
//!
//! Must not know: which program, why.

use std::ffi::OsString;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use tokio::io::AsyncWriteExt as _;
use tokio::process::Command;

use overrule_base::text::visible;

/// How often it is looked whether a pane is still there.
const LOOK: Duration = Duration::from_secs(1);
/// Variables of this terminal, or of this program alone.
const OWN: &[&str] = &[
    "COLUMNS",
    "LINES",
    "OLDPWD",
    "OVERRULE_PROXY_TOKEN",
    "PWD",
    "SHLVL",
    "TERM",
    "TERM_PROGRAM",
    "TERM_PROGRAM_VERSION",
    "TMUX",
    "TMUX_PANE",
    "_",
];

/// A pane.
#[derive(Debug)]
pub struct Pane(String);

impl Pane {
    /// Runs a line of a shell in a new pane, with the variables of this program. They go over a pipe: other users can read the
    /// arguments of a process.
    pub async fn run(
        directory: &Path,
        environment: &[(OsString, OsString)],
        line: &str,
    ) -> Result<Self, String> {
        let failed = |error: std::io::Error| error.to_string();
        let mut command = Command::new("tmux");
        command.args(["source-file", "-"]).stdin(Stdio::piped());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut tmux = command.spawn().map_err(failed)?;
        if let Some(mut input) = tmux.stdin.take() {
            let text = script(directory, environment, line);
            input.write_all(text.as_bytes()).await.map_err(failed)?;
        }
        let done = tmux.wait_with_output().await.map_err(failed)?;
        let text = |bytes: &[u8]| visible(String::from_utf8_lossy(bytes).trim());
        let id = text(&done.stdout);
        if done.status.success() && id.starts_with('%') {
            Ok(Self(id))
        } else {
            Err(format!("{} {id}", text(&done.stderr)).trim().to_owned())
        }
    }

    /// Waits until the pane is closed.
    pub async fn closed(&self) {
        loop {
            tokio::time::sleep(LOOK).await;
            let mut command = Command::new("tmux");
            command
                .args(["list-panes", "-a", "-F", "#{pane_id}"])
                .stdin(Stdio::null());
            let listed = command.output().await.map(|done| done.stdout).unwrap_or_default();
            let listed = String::from_utf8_lossy(&listed);
            if !listed.lines().any(|line| line == self.0) {
                return;
            }
        }
    }
}

/// The command of tmux that opens the pane and prints its name.
fn script(directory: &Path, environment: &[(OsString, OsString)], line: &str) -> String {
    let variables = environment.iter().filter_map(|(name, value)| {
        let (name, value) = (name.to_str()?, value.to_str()?);
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let is_plain = !name.is_empty() && name.chars().all(is_name);
        (is_plain && !OWN.contains(&name)).then(|| format!(" -e {}", quoted(&format!("{name}={value}"))))
    });
    // In a directory `#` begins a format.
    let directory = directory.display().to_string().replace('#', "##");
    format!(
        "split-window -d -h -P -F '#{{pane_id}}' -c {}{} {}\n",
        quoted(&directory),
        variables.collect::<String>(),
        quoted(line)
    )
}

/// A word for tmux.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' | '$' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pane_gets_the_variables_of_the_program_but_not_those_of_its_terminal() {
        let environment = [
            ("PATH", "/opt/node/bin:/bin"),
            ("ANTHROPIC_API_KEY", "k\"$(x)\\"),
            ("TERM", "dumb"),
            ("TMUX", "/tmp/x"),
            ("OVERRULE_PROXY_TOKEN", "secret"),
            ("BASH_FUNC_x%%", "() { :; }"),
            ("LONG", "a\nb"),
        ]
        .map(|(name, value)| (OsString::from(name), OsString::from(value)));
        let text = script(Path::new("/srv/a #b"), &environment, "env A='1 2' claude");
        assert_eq!(
            text,
            "split-window -d -h -P -F '#{pane_id}' -c \"/srv/a ##b\" -e \"PATH=/opt/node/bin:/bin\" \
             -e \"ANTHROPIC_API_KEY=k\\\"\\$(x)\\\\\" -e \"LONG=a\\nb\" \"env A='1 2' claude\"\n"
        );
    }
}
