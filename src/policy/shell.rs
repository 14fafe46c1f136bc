//! Lists the commands of a call that runs a line in a shell, for a policy and a decision.
//!
//! Must not know: rules, how a line is read.

use serde_json::Value;

use super::inner_calls::InnerCalls;
use overrule_base::known_tool::{self, LINE, LINES, WORDS};
use overrule_base::script::ScriptCall;
use overrule_base::shell_line::{Command, MOST, Program, Reading, Redirect, Uncertainty, is_shell, quote};

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
    /// The tools that run inside of it.
    inner: Option<InnerCalls>,
}

impl ShellCall {
    /// Reads the arguments of a call of a tool that is a shell.
    pub fn new(tool: &str, args: &Value) -> Self {
        if let Some(inner) = InnerCalls::of(tool, args) {
            return Self::of_inner(inner, args);
        }
        let mut call = match known_tool::inner(tool, args) {
            Some(args) => Self::read(&[&args]),
            None => Self::read(&[args]),
        };
        if tool == known_tool::TYPED_IN && call.whole.iter().any(|line| !line.is_empty()) {
            call.reading.uncertainty = Some(Uncertainty::Typed);
        }
        call
    }

    /// Reads a call that runs other tools of the agent: the lines of its calls of shells, and its own if it has any.
    fn of_inner(inner: InnerCalls, args: &Value) -> Self {
        let is_shell = |call: &&ScriptCall| known_tool::is_shell(&call.tool);
        let shells = inner.calls.iter().filter(is_shell).map(|call| &call.args);
        let all: Vec<&Value> = shells.chain(std::iter::once(args)).collect();
        let mut call = Self::read(&all);
        if inner.unread.is_some() {
            call.reading.uncertainty.get_or_insert(Uncertainty::Script);
        }
        call.inner = Some(inner);
        call
    }

    /// Reads the lines and words of all names, of each of these arguments. It is not known which of several the tool
    /// takes: everything counts.
    fn read(all: &[&Value]) -> Self {
        let (mut lines, mut lists, mut whole) = (Vec::new(), Vec::new(), Vec::new());
        let mut is_clear = true;
        for args in all {
            let own: Vec<&str> = LINE.iter().filter_map(|name| args.get(name)?.as_str()).collect();
            let words = WORDS.iter().filter_map(|name| args.get(name)?.as_array());
            let words = words.filter_map(|words| {
                let texts = words.iter().map(|word| word.as_str().map(str::to_owned));
                texts.collect::<Option<Vec<String>>>()
            });
            let words: Vec<Vec<String>> = words.filter(|words| !words.is_empty()).collect();
            is_clear &= own.len() + words.len() < 2;
            whole.extend(own.iter().map(|line| (*line).to_owned()));
            lines.extend(own);
            lists.extend(words);
            if let Some(several) = args.get(LINES) {
                let list = several.as_array().map(Vec::as_slice).unwrap_or_default();
                let texts: Vec<&str> = list.iter().filter_map(Value::as_str).collect();
                let mut others = LINE.iter().chain(WORDS);
                is_clear &= several.is_array()
                    && texts.len() == list.len()
                    && !others.any(|name| args.get(name).is_some());
                whole.push(texts.join("\n"));
                lines.extend(texts);
            }
        }
        let is_line = !whole.is_empty();
        for words in &lists {
            let quoted: Vec<String> = words.iter().map(|word| quote(word)).collect();
            let (bare, quoted) = (words.join(" "), quoted.join(" "));
            if bare != quoted {
                whole.push(bare);
            }
            whole.push(quoted);
        }
        let mut reading = Reading::of(lines, &lists);
        if !is_clear {
            reading.uncertainty.get_or_insert(Uncertainty::Syntax);
        }
        if !all.iter().all(|args| is_usual(args)) {
            reading.uncertainty.get_or_insert(Uncertainty::Surroundings);
        }
        Self {
            whole,
            reading,
            is_line,
            inner: None,
        }
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
            inner: None,
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
        let is_odd = |one: &Command| one.program_name().is_some_and(|name| !name.is_ascii());
        let odd = self.each().any(is_odd).then_some(ODD_NAME);
        unknown.map(Uncertainty::describe).or(odd)
    }

    /// True where every line that a shell reads is one plain command.
    pub(super) fn is_plain(&self) -> bool {
        let special = |line: &str| line.contains(|c: char| c.is_control() || ";&|<>()$`\\!{}#".contains(c));
        !self.runs_aside() && !self.lines().any(special)
    }

    /// True if it runs more than the commands that it is written as: what an option or a variable names, or what cannot
    /// be read.
    pub(super) fn runs_aside(&self) -> bool {
        self.reading.uncertainty.is_some() || self.reading.commands.iter().any(Command::is_beside)
    }

    /// The texts in which commands may be that cannot be read.
    pub(super) fn hidden(&self) -> impl Iterator<Item = &str> {
        let commands = self.reading.commands.iter();
        let unread = self.inner.iter().filter_map(|inner| inner.unread.as_deref());
        commands.filter_map(|one| one.hidden.as_deref()).chain(unread)
    }

    /// The tools that run inside of it; none where it runs no others.
    pub(super) const fn inner(&self) -> Option<&InnerCalls> {
        self.inner.as_ref()
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

/// The warning about a program's name that may look like another one.
const ODD_NAME: &str = "the name of a program has letters beyond ASCII, and may look like another one";

/// True for a call that a shell of the system runs with the variables of the program. The agent may have written any
/// other shell itself, and a variable may lead to any program.
fn is_usual(args: &Value) -> bool {
    let is_known = |shell: &str| {
        let (place, name) = shell.rsplit_once('/').unwrap_or(("/bin", shell));
        ["/bin", "/usr/bin"].contains(&place) && is_shell(name)
    };
    let shell = args
        .get("shell")
        .is_none_or(|shell| shell.is_null() || shell.as_str().is_some_and(is_known));
    let is_empty = |variables: &Value| match variables {
        Value::Object(variables) => variables.is_empty(),
        other => other.is_null(),
    };
    shell && args.get("env").is_none_or(is_empty)
}
