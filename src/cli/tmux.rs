//! Runs a program in a tmux pane next to this one, and notices how it ended.
//!
//! Must not know: which program, why.

use std::ffi::OsString;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use tokio::io::AsyncWriteExt as _;
use tokio::process::Command;

use overrule_base::shell_line::quote;
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

/// What is read of each pane.
const PANES: &str = "#{pane_id} #{pane_dead} #{@overrule_status}";
/// Runs the words after it, and keeps their exit status with the pane: tmux may miss the end of a program that ends at once,
/// and does not know its status then. Of a pane that stays, tmux scrolls the first line away.
const RUN: &str =
    "echo; \"$@\"; status=$?; tmux set-option -p -t \"$TMUX_PANE\" @overrule_status $status; exit $status";

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
        // An older tmux refuses what follows the pane.
        if id.starts_with('%') {
            Ok(Self(id))
        } else {
            Err(format!("{} {id}", text(&done.stderr)).trim().to_owned())
        }
    }

    /// Waits until its program has ended.
    pub async fn ended(&self) -> Ended {
        loop {
            tokio::time::sleep(LOOK).await;
            let mut command = Command::new("tmux");
            command.args(["list-panes", "-a", "-F", PANES]);
            let listed = command.stdin(Stdio::null()).output().await;
            let listed = listed.map(|done| done.stdout).unwrap_or_default();
            match ended(&String::from_utf8_lossy(&listed), &self.0) {
                Some(Ended::Well) => {
                    let mut command = Command::new("tmux");
                    command.args(["kill-pane", "-t", &self.0]).stdin(Stdio::null());
                    // An error means that it is gone.
                    command.output().await.map(|_| ()).unwrap_or_default();
                    return Ended::Closed;
                }
                Some(ended) => return ended,
                None => {}
            }
        }
    }
}

/// How the program of a pane ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ended {
    /// Its pane is gone: it ended well, or it was closed.
    Closed,
    /// It ended well; its pane may still be there.
    Well,
    /// It failed with this exit status; without one, it was killed. The pane stays open.
    Failed(Option<String>),
}

/// Reads the list of panes. None while the program of this one runs.
fn ended(listed: &str, pane: &str) -> Option<Ended> {
    let mut lines = listed.lines().map(|line| line.split(' '));
    let found = lines.find_map(|mut words| (words.next()? == pane).then_some(words));
    let Some(mut words) = found else {
        return Some(Ended::Closed);
    };
    let (is_dead, status) = (words.next()?, words.next()?);
    match status {
        "0" => Some(Ended::Well),
        "" => (is_dead == "1").then_some(Ended::Failed(None)),
        status => Some(Ended::Failed(Some(visible(status)))),
    }
}

/// The commands of tmux that open the pane, print its name, and keep it if its program fails: its last words are in it.
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
        "split-window -h -P -F '#{{pane_id}}' -c {}{} {}\nset-option -p remain-on-exit failed\nlast-pane\n",
        quoted(&directory),
        variables.collect::<String>(),
        quoted(&format!("sh -c {} sh {line}", quote(RUN)))
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
            "split-window -h -P -F '#{pane_id}' -c \"/srv/a ##b\" -e \"PATH=/opt/node/bin:/bin\" \
             -e \"ANTHROPIC_API_KEY=k\\\"\\$(x)\\\\\" -e \"LONG=a\\nb\" \"sh -c 'echo; \\\"\\$@\\\"; status=\\$?; \
             tmux set-option -p -t \\\"\\$TMUX_PANE\\\" @overrule_status \\$status; exit \\$status' sh env A='1 2' claude\"\nset-option -p remain-on-exit failed\n\
             last-pane\n"
        );
    }

    #[test]
    fn a_pane_says_how_its_program_ended() {
        let listed = "%0 0 \n%1 1 127\n%2 1 \n%3 0 3\n%5 1 0\n%6 0 0\n%10 0 \n";
        let failed = |how: &str| Some(Ended::Failed(Some(how.to_owned())));
        for (pane, expected) in [
            ("%0", None),
            ("%1", failed("127")),
            ("%2", Some(Ended::Failed(None))),
            ("%3", failed("3")),
            ("%5", Some(Ended::Well)),
            ("%6", Some(Ended::Well)),
            ("%10", None),
            ("%4", Some(Ended::Closed)),
        ] {
            assert_eq!(ended(listed, pane), expected, "{pane}");
        }
    }
}
