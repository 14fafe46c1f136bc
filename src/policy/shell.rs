//! Lists the commands of a call that runs a line in a shell, for a policy and a decision.
//!
//! Must not know: rules, how a line is read.

use serde_json::Value;

use crate::known_tool::{self, LINE, LINES, WORDS};
use crate::shell_line::{Command, MOST, Program, Reading, Redirect, Uncertainty, quote};

/// The commands of a call.
#[derive(Debug, Clone, Default)]
pub struct ShellCall {
    /// The line as written; or a program and its words as a line, without quotation marks and with those that a shell
    /// would need.
    pub(super) whole: Vec<String>,
    /// The commands.
    pub(super) reading: Reading,
    /// True where a shell reads `whole`, and not only what is in it.
    is_line: bool,
}

impl ShellCall {
    /// Reads the arguments of a call of a tool that is a shell.
    pub fn new(tool: &str, args: &Value) -> Self {
        match known_tool::inner(tool, args) {
            Some(args) => Self::read(&args),
            None => Self::read(args),
        }
    }

    fn read(args: &Value) -> Self {
        let mut call = Self::default();
        if let Some(list) = args.get(LINES) {
            let list = list.as_array().map(Vec::as_slice).unwrap_or_default();
            let lines: Vec<&str> = list.iter().filter_map(Value::as_str).collect();
            let is_clear = lines.len() == list.len()
                && ![LINE, WORDS]
                    .concat()
                    .iter()
                    .any(|name| args.get(*name).is_some());
            call.is_line = true;
            call.whole.push(lines.join("\n"));
            call.reading = Reading::of_lines(lines);
            if !is_clear {
                call.reading.uncertainty.get_or_insert(Uncertainty::Syntax);
            }
            return call;
        }
        let mut lines = LINE
            .iter()
            .filter_map(|name| args.get(name).and_then(Value::as_str));
        if let Some(line) = lines.next() {
            call.is_line = true;
            call.whole.push(line.to_owned());
            call.reading = Reading::of_line(line);
        }
        for line in lines {
            // It is not known which of them runs.
            call.whole.push(line.to_owned());
            call.reading.uncertainty.get_or_insert(Uncertainty::Syntax);
        }
        let lists = WORDS.iter().filter_map(|name| args.get(name)?.as_array());
        let lists = lists.filter_map(|words| {
            let texts = words.iter().map(|word| word.as_str().map(str::to_owned));
            texts.collect::<Option<Vec<String>>>()
        });
        let lists: Vec<Vec<String>> = lists.filter(|words| !words.is_empty()).collect();
        if lists.len() > 1 {
            call.reading.uncertainty.get_or_insert(Uncertainty::Syntax);
        }
        for words in lists {
            let quoted: Vec<String> = words.iter().map(|word| quote(word)).collect();
            let (bare, quoted) = (words.join(" "), quoted.join(" "));
            if call.is_line || !call.whole.is_empty() {
                // It is not known which of them runs.
                call.reading.uncertainty.get_or_insert(Uncertainty::Syntax);
            } else {
                let uncertainty = call.reading.uncertainty;
                call.reading = Reading::of_words(&words);
                call.reading.uncertainty = call.reading.uncertainty.or(uncertainty);
            }
            if bare != quoted {
                call.whole.push(bare);
            }
            call.whole.push(quoted);
        }
        call
    }

    /// Reads a call by its tool and arguments as written; nothing where its tool is no shell.
    pub fn of(tool: &str, args: &str) -> Self {
        if !known_tool::is_shell(tool) {
            return Self::default();
        }
        Self::new(tool, &serde_json::from_str(args).unwrap_or_default())
    }

    /// One of its commands as a call of its own.
    pub(super) fn part(&self, command: &Command) -> Self {
        Self {
            whole: vec![command.text.clone()],
            reading: self.reading.part(command),
            is_line: true,
        }
    }

    /// The only line given to a shell that the call names.
    pub(super) fn only_line(&self) -> Option<&str> {
        match self.reading.lines.as_slice() {
            [line] if self.reading.uncertainty.is_none() => Some(line),
            _ => None,
        }
    }

    /// The first commands that stand in it, in order.
    pub fn commands(&self) -> impl Iterator<Item = &Command> {
        self.reading.listed().take(MOST)
    }

    /// All commands in it, also those that repeat a part of another one.
    pub fn each(&self) -> impl Iterator<Item = &Command> {
        self.reading.commands.iter()
    }

    /// All redirections: of commands, and of groups, loops and conditions.
    pub(super) fn redirects(&self) -> impl Iterator<Item = &Redirect> {
        let commands = self.reading.commands.iter();
        let of_commands = commands.flat_map(|command| &command.redirects);
        of_commands.chain(&self.reading.redirects)
    }

    /// Why it may run other programs than those that are listed.
    pub const fn uncertainty(&self) -> Option<Uncertainty> {
        self.reading.uncertainty
    }

    /// Returns a warning besides the commands that are listed.
    pub fn warning(&self) -> Option<&'static str> {
        // A listed command itself shows that its program is unknown.
        let shown = self.commands().any(|one| one.program == Program::Unknown);
        let unknown = self
            .uncertainty()
            .filter(|unknown| !(shown && *unknown == Uncertainty::Program));
        unknown.map(Uncertainty::describe)
    }

    /// True where every line that a shell reads is one plain command.
    pub(super) fn is_plain(&self) -> bool {
        let special = |line: &str| line.contains(|c: char| c.is_control() || ";&|<>()$`\\!{}#".contains(c));
        self.reading.uncertainty.is_none() && !self.lines().any(special)
    }

    /// True if the executed text is not in it: it results from a variable, a substitution or a
    /// group. A redirection or a file name pattern does show itself.
    pub(super) fn hides(&self) -> bool {
        let special = |line: &str| line.contains(|c: char| c.is_control() || "$`(){}!\\".contains(c));
        let unnamed = |one: &Command| one.program == Program::Unknown;
        self.reading.uncertainty.is_some()
            || self.reading.commands.iter().any(unnamed)
            || self.lines().any(special)
    }

    /// The lines that a shell reads.
    fn lines(&self) -> impl Iterator<Item = &str> {
        let whole = self.whole.iter().filter(|_| self.is_line);
        whole.chain(&self.reading.lines).map(String::as_str)
    }
}
