//! Decides which calls a rule is about: tool, server, effect class, tags, arguments.
//!
//! Must not know: what a match leads to, beyond that.
//!
//! If a match is uncertain, the careful result is used: an allow rule matches less, an ask or deny
//! rule matches more.

use std::path::{Path, PathBuf};

use globset::GlobMatcher;
use regex::Regex;
use serde_json::Value;

use overrule_domain::call::{EffectClass, Gate};
use overrule_domain::event::run::ToolCard;
use overrule_domain::sandbox::Placement;

use super::commands::{self, Case};
use super::edit;
use super::literal;
use super::place::{Leads, Places, leads};
use super::read_only::read_only_but;
use super::reversible;
use super::shell::ShellCall;
use overrule_base::known_tool;
use overrule_base::shell_line::Command;

/// The places of a shell line among the arguments, by tool.
const LINES: [&str; 3] = ["/command", "/cmd", "/chars"];
/// The place of a program and its words.
pub(super) const WORDS: &str = "/argv";

/// Returns true for the place of a shell line.
pub(super) fn is_line(at: &str) -> bool {
    LINES.contains(&at)
}

/// What a rule is compared with.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'a> {
    /// Name of the tool.
    pub tool: &'a str,
    /// Its effect class.
    pub effect: EffectClass,
    /// Its tags, such as `external` and `irreversible`.
    pub tags: &'a [String],
    /// The final arguments.
    pub args: &'a Value,
    /// The server that offers the tool; `None` for a built-in tool.
    pub server: Option<&'a str>,
    /// True for a tool of an agent that another program runs.
    pub is_of_agent: bool,
    /// Where the call starts: in the sandbox or outside of it.
    pub sandbox: Placement,
}

impl Subject<'_> {
    /// Returns true for the built-in tool of this name.
    pub fn is_built_in(&self, tool: &str) -> bool {
        self.server.is_none() && !self.is_of_agent && self.tool == tool
    }
}

/// A glob for names, as written and compiled.
#[derive(Debug, Clone)]
pub struct Pattern(GlobMatcher);

impl Pattern {
    /// Compiles a glob. Here `*` matches `/` too, because names and command lines are not paths.
    pub fn new(glob: &str) -> Result<Self, globset::Error> {
        Ok(Self(globset::Glob::new(glob)?.compile_matcher()))
    }

    fn matches(&self, text: &str) -> bool {
        self.0.is_match(text)
    }

    /// Returns the pattern as written.
    pub(super) fn text(&self) -> &str {
        self.0.glob().glob()
    }

    /// Returns true if the pattern is this very name and not merely one that covers it.
    fn spells(&self, name: &str) -> bool {
        self.0.glob().glob() == name
    }
}

/// A test of one argument.
#[derive(Debug, Clone)]
pub enum Test {
    /// A string that the glob covers from end to end.
    Glob(Pattern),
    /// A string that contains a match; for an allow rule the match must cover the whole string.
    Regex {
        /// Matches anywhere in the string.
        part: Regex,
        /// Matches the whole string.
        whole: Regex,
    },
    /// Exactly this value.
    Is(Value),
    /// A number within inclusive bounds.
    Range {
        /// The lower bound.
        min: Option<f64>,
        /// The upper bound.
        max: Option<f64>,
    },
    /// A path at or below a directory of the places, matched by its text alone.
    Under(PathBuf),
    /// Commands that begin with these words. In an allow rule every command of the call does, as written, or only reads.
    Begins(Vec<String>),
}

/// A condition on one argument.
#[derive(Debug, Clone)]
pub struct Predicate {
    /// JSON pointer into the arguments.
    pub at: String,
    /// The test of the value there.
    pub test: Test,
    /// Negates the test.
    pub not: bool,
}

/// All conditions of a rule. Each of them must hold; an empty list always holds.
#[derive(Debug, Clone, Default)]
pub struct Matcher {
    /// One of these names.
    pub tools: Vec<Pattern>,
    /// One of these servers.
    pub servers: Vec<Pattern>,
    /// One of these classes.
    pub effects: Vec<EffectClass>,
    /// One of these tags.
    pub tags: Vec<String>,
    /// All of these conditions.
    pub args: Vec<Predicate>,
    /// Whether it is a change of files in the workspace, by a tool for files.
    pub edits: Option<bool>,
    /// Whether its changes can be undone.
    pub undoable: Option<bool>,
    /// Whether it starts in a sandbox with every guarantee about files and the network.
    pub in_full_sandbox: bool,
    /// Whether it asks to run outside of the sandbox.
    pub outside: bool,
}

impl Matcher {
    /// Matches calls of these effect classes.
    pub fn effects(effects: &[EffectClass]) -> Self {
        Self {
            effects: effects.to_vec(),
            ..Self::default()
        }
    }

    /// Adds a tag to match.
    pub fn tagged(mut self, tag: &str) -> Self {
        self.tags.push(tag.into());
        self
    }

    /// Matches changes of files in the workspace, or everything else.
    pub fn edits(mut self, edits: bool) -> Self {
        self.edits = Some(edits);
        self
    }

    /// Matches calls whose changes can be undone, or all others.
    pub fn undoable(mut self, undoable: bool) -> Self {
        self.undoable = Some(undoable);
        self
    }

    /// Returns true if there are no conditions, so that every call matches.
    pub fn is_empty(&self) -> bool {
        self.tools.is_empty()
            && self.servers.is_empty()
            && self.effects.is_empty()
            && self.tags.is_empty()
            && self.args.is_empty()
            && self.edits.is_none()
            && self.undoable.is_none()
            && !self.is_about_sandbox()
    }

    /// Returns true if one of the tool patterns is exactly this name.
    pub fn spells(&self, tool: &str) -> bool {
        self.tools.iter().any(|pattern| pattern.spells(tool))
    }

    /// Returns true if it has a condition on the sandbox.
    const fn is_about_sandbox(&self) -> bool {
        self.in_full_sandbox || self.outside
    }

    /// Returns true if it has a condition on the first words of commands.
    pub(super) fn is_about_first_words(&self) -> bool {
        self.args.iter().any(|one| matches!(one.test, Test::Begins(_)))
    }

    /// Returns true if it has a condition on a place.
    pub(super) fn is_about_places(&self) -> bool {
        self.args.iter().any(Predicate::is_about_place)
    }

    /// Returns true if what it says of a directory holds for everything below.
    pub(super) fn is_about_whole_directories(&self) -> bool {
        let is_whole = |one: &Predicate| matches!(one.test, Test::Under(_)) && !one.not;
        self.args.iter().filter(|one| one.is_about_place()).all(is_whole)
    }

    /// Returns true if some call of this tool may match, depending on its arguments.
    pub fn reaches(&self, card: &ToolCard) -> bool {
        let named = self.tools.is_empty() || self.tools.iter().any(|pattern| pattern.matches(&card.name));
        let served = self.servers.is_empty()
            || card
                .server()
                .is_some_and(|server| self.servers.iter().any(|pattern| pattern.matches(server)));
        named
            && served
            && (self.effects.is_empty() || card.effects().any(|effect| self.effects.contains(&effect)))
            && (self.tags.is_empty() || self.tags.iter().any(|tag| card.tags.contains(tag)))
            && (card.confined || !self.is_about_sandbox())
    }

    /// Returns true if the call matches. `gate` determines which side is the careful one.
    pub(super) fn matches(&self, case: &Case<'_>, gate: Gate, places: Places<'_>) -> bool {
        let subject = &case.subject;
        let is_edit = |wanted: bool| edit::is_edit(subject, places) == wanted;
        let is_undoable = |wanted: bool| reversible::judge(case, places).is_ok() == wanted;
        if !self.names(case, gate)
            || !self.edits.is_none_or(is_edit)
            || !self.undoable.is_none_or(is_undoable)
        {
            return false;
        }
        if gate == Gate::Allow {
            let holds = |one: &Predicate| one.allows(case, places);
            return self.args.iter().all(holds) && !self.is_uncertain(case);
        }
        let (lines, others) = self.about(case);
        let hold = || {
            commands::hold(&lines, case, places)
                || (gate == Gate::Deny && case.shell().is_some_and(|shell| literal::denies(&lines, shell)))
        };
        others
            .iter()
            .all(|one| one.meets(subject.args.pointer(&one.at), places))
            && (lines.is_empty() || hold())
    }

    /// Returns true if whether the call matches depends only on the commands that it runs.
    pub(super) fn turns_on_commands(&self, case: &Case<'_>, places: Places<'_>) -> bool {
        let (lines, others) = self.about(case);
        !lines.is_empty()
            && self.names(case, Gate::Ask)
            && others
                .iter()
                .all(|one| one.meets(case.subject.args.pointer(&one.at), places))
    }

    /// Returns true for a rule about tools or arguments that may run inside of the call, where that cannot be read.
    pub(super) fn may_be_inside(&self, case: &Case<'_>) -> bool {
        let is_unread = || {
            let inner = case.shell().and_then(ShellCall::inner);
            inner.is_some_and(|inner| inner.unread.is_some())
        };
        let is_narrow = !self.tools.is_empty() || !self.args.is_empty();
        is_narrow && self.servers.is_empty() && is_unread()
    }

    /// Returns true if the rule is about a tool that runs inside of the call. An allow rule must be about all of them.
    fn names_inside(&self, case: &Case<'_>, gate: Gate) -> bool {
        let Some(inner) = case.shell().and_then(ShellCall::inner) else {
            return false;
        };
        let is_named = |name: &str| self.tools.iter().any(|pattern| pattern.matches(name));
        if gate == Gate::Allow {
            return inner.unread.is_none() && inner.names.iter().all(|name| is_named(name));
        }
        let is_about_commands = self.args.iter().any(Predicate::is_about_commands);
        inner.names.iter().any(|name| is_named(name))
            || (inner.unread.is_some()
                && is_about_commands
                && known_tool::SHELL.iter().any(|name| is_named(name)))
    }

    /// Returns true if the rule is about the tool of the call, or one that runs inside of it.
    fn names(&self, case: &Case<'_>, gate: Gate) -> bool {
        let subject = &case.subject;
        let any = |patterns: &[Pattern], text: &str| {
            patterns.is_empty() || patterns.iter().any(|pattern| pattern.matches(text))
        };
        let server = match subject.server {
            Some(server) => any(&self.servers, server),
            None => self.servers.is_empty(),
        };
        self.fits_sandbox(subject.sandbox, gate)
            && server
            && (any(&self.tools, subject.tool) || self.names_inside(case, gate))
            && (self.effects.is_empty() || self.effects.contains(&subject.effect))
            && (self.tags.is_empty() || self.tags.iter().any(|tag| subject.tags.contains(tag)))
    }

    /// Returns true if the conditions on the sandbox hold. A rule that was not written for calls that leave it allows none.
    fn fits_sandbox(&self, placement: Placement, gate: Gate) -> bool {
        let leaves = placement == Placement::Outside;
        (!self.in_full_sandbox || placement == Placement::Full)
            && (!self.outside || leaves)
            && (gate != Gate::Allow || self.outside || !leaves)
    }

    /// The conditions on what a shell runs, and all others.
    fn about(&self, case: &Case<'_>) -> (Vec<&Predicate>, Vec<&Predicate>) {
        let is_line = |one: &&Predicate| one.is_about_commands() && case.shell().is_some();
        self.args.iter().partition(is_line)
    }

    /// A pattern cannot vouch for a shell line that contains more than one plain command, whatever
    /// part of the call it is about: `cargo *` covers `cargo test; rm -r .` too. Only a rule that
    /// spells the line out matches it. The same holds for the words of a program that runs others by an option.
    fn is_uncertain(&self, case: &Case<'_>) -> bool {
        let Some(shell) = case.shell() else {
            return false;
        };
        let any = |test: fn(&Predicate) -> bool| self.args.iter().any(test);
        let is_more = (any(Predicate::is_pattern) && !shell.is_plain())
            || (any(Predicate::is_about_commands) && shell.runs_aside());
        is_more && !self.spells_line(shell)
    }

    /// Returns true if a condition names exactly the line that the shell reads.
    pub(super) fn spells_line(&self, shell: &ShellCall) -> bool {
        self.args.iter().any(|predicate| predicate.spells(shell))
    }
}

impl Predicate {
    /// Returns true if it is about what a shell runs.
    pub(super) fn is_about_commands(&self) -> bool {
        is_line(&self.at)
            || self.at == WORDS
            || self
                .at
                .strip_prefix(WORDS)
                .is_some_and(|rest| rest.starts_with('/'))
    }

    /// Returns true if it holds in an allow rule. The narrow reading of a test is the careful one here, and the wide
    /// one where it is negated.
    fn allows(&self, case: &Case<'_>, places: Places<'_>) -> bool {
        if let Test::Begins(words) = &self.test {
            return begin_all(words, case, places);
        }
        let mut held = self.held(case.subject.args.pointer(&self.at), !self.not, places);
        if let Some(shell) = case
            .shell()
            .filter(|shell| shell.inner().is_some() && is_line(&self.at))
        {
            // The lines are inside: each of them counts.
            let lines = shell.whole.iter().map(|line| Value::from(line.as_str()));
            held = lines
                .flat_map(|line| self.held(Some(&line), !self.not, places))
                .collect();
            if held.is_empty() || shell.uncertainty().is_some() {
                return false;
            }
        }
        if !self.not {
            return held.iter().all(|held| *held == TestResult::Yes);
        }
        // A call that runs an excepted command does not match.
        let shell = case.shell().filter(|_| self.is_about_commands());
        let runs = |shell: &ShellCall| {
            let mut commands = shell.reading.commands.iter();
            shell.uncertainty().is_some() || commands.any(|one| commands::covers(self, one, places))
        };
        held.iter().all(|held| *held == TestResult::No) && !shell.is_some_and(runs)
    }

    /// Returns true if it holds of this value in an ask or deny rule: as written, or with its links followed.
    pub(super) fn meets(&self, value: Option<&Value>, places: Places<'_>) -> bool {
        self.held(value, self.not, places).iter().any(|held| match held {
            // What cannot be known is asked about or denied, whether the test is negated or not.
            TestResult::Unknown => true,
            TestResult::Absent | TestResult::No => self.not,
            TestResult::Yes => !self.not,
        })
    }

    /// Returns true if the test, without its negation, holds for this value. An unknown value
    /// counts as a match, which a negated test must not except.
    pub(super) fn tests(&self, value: &Value, places: Places<'_>) -> bool {
        match self.test.holds(value, self.not, places) {
            TestResult::Unknown => !self.not,
            TestResult::Absent | TestResult::No => false,
            TestResult::Yes => true,
        }
    }

    /// Returns true if it is about a place.
    pub(super) fn is_about_place(&self) -> bool {
        let name = self.at.rsplit('/').next().unwrap_or_default();
        matches!(self.test, Test::Under(_)) || known_tool::PLACES.contains(&name)
    }

    /// Returns true if it names exactly this value.
    pub(super) fn is_exactly(&self, value: &Value) -> bool {
        matches!(&self.test, Test::Is(requested) if equal(requested, value))
    }

    /// The results for the value as written, and with its links followed if it is a place.
    fn held(&self, value: Option<&Value>, whole: bool, places: Places<'_>) -> Vec<TestResult> {
        let Some(value) = value else {
            return vec![TestResult::Absent];
        };
        let mut held = vec![self.test.holds(value, whole, places)];
        let path = value.as_str().filter(|_| self.is_about_place());
        held.extend(path.and_then(|path| match &self.test {
            Test::Under(directory) => {
                let is_inside = places.follows_to(path, directory)?;
                Some(if is_inside {
                    TestResult::Yes
                } else {
                    TestResult::No
                })
            }
            test => {
                let followed = places.followed(path)?;
                Some(test.holds(&Value::from(followed), whole, places))
            }
        }));
        held
    }

    const fn is_pattern(&self) -> bool {
        matches!(self.test, Test::Glob(_) | Test::Regex { .. })
    }

    /// Whether it names the very lines that a shell reads.
    fn spells(&self, shell: &ShellCall) -> bool {
        let Test::Is(requested) = &self.test else {
            return false;
        };
        let whole = matches!(&*self.at, "" | WORDS) || is_line(&self.at);
        let only = || shell.only_line().is_some_and(|line| requested == line);
        !self.not && (whole || (self.at.starts_with("/argv/") && only()))
    }
}

/// Returns true if every command of a call is written with these first words or only reads, nothing in the call is unknown
/// or marked as dangerous, and it writes to no file by a redirection.
fn begin_all(words: &[String], case: &Case<'_>, places: Places<'_>) -> bool {
    let subject = &case.subject;
    let (Some(shell), Some(facts)) = (case.shell(), places.line) else {
        return false;
    };
    let is_named = |one: &Command| one.begins_with(words);
    shell.inner().is_none()
        && shell.reading.commands.iter().any(is_named)
        && read_only_but(subject.tool, subject.args, shell, is_named).is_some_and(|call| (facts.reads)(&call))
        && facts
            .danger
            .marks(
                subject.tool,
                &subject.args.to_string(),
                places.workspace.unwrap_or_else(|| Path::new("")),
            )
            .is_empty()
}

/// Returns true if a program with its words begins with these.
fn begins(words: &[String], value: &Value) -> bool {
    let given = value.as_array().map(Vec::as_slice).unwrap_or_default();
    given.len() >= words.len() && given.iter().zip(words).all(|(given, word)| given == word)
}

/// Result of a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TestResult {
    Yes,
    No,
    /// The text does not show it.
    Unknown,
    /// The call has nothing that the test is about.
    Absent,
}

impl Test {
    fn holds(&self, value: &Value, whole: bool, places: Places<'_>) -> TestResult {
        let yes = match self {
            Self::Is(requested) => Some(equal(requested, value)),
            Self::Begins(words) => value.is_array().then(|| begins(words, value)),
            Self::Glob(pattern) => value.as_str().map(|text| pattern.matches(text)),
            Self::Regex { part, whole: all } => {
                let regex = if whole { all } else { part };
                value.as_str().map(|text| regex.is_match(text))
            }
            Self::Range { min, max } => value
                .as_f64()
                .map(|n| min.is_none_or(|min| n >= min) && max.is_none_or(|max| n <= max)),
            Self::Under(directory) => match value
                .as_str()
                .map(|path| leads(path, directory, places.workspace))
            {
                Some(Leads::Unknown) => return TestResult::Unknown,
                found => found.map(|found| found == Leads::Inside),
            },
        };
        match yes {
            None => TestResult::Absent,
            Some(true) => TestResult::Yes,
            Some(false) => TestResult::No,
        }
    }
}

/// Compares two values, treating 1 and 1.0 as the same number.
fn equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(x), Value::Number(y)) => {
            x == y || ((x.is_f64() || y.is_f64()) && x.as_f64() == y.as_f64())
        }
        (Value::Array(x), Value::Array(y)) => x.len() == y.len() && x.iter().zip(y).all(|(x, y)| equal(x, y)),
        (Value::Object(x), Value::Object(y)) => {
            x.len() == y.len() && x.iter().all(|(key, x)| y.get(key).is_some_and(|y| equal(x, y)))
        }
        _ => a == b,
    }
}
