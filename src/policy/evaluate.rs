//! Evaluates a policy for a call.
//!
//! Must not know: how rules were read, who asks.

use std::cmp::Reverse;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;

use overrule_base::known_tool::LINE;
use overrule_base::runs_later;
use overrule_base::shell_line::Uncertainty;
use overrule_domain::call::{Consequence, EffectClass, Gate, Part, Verdict};
use overrule_domain::sandbox::{Placement, ReadOnly, Tracking, UNDOABLE};
use overrule_domain::tags::IRREVERSIBLE;

use super::commands::Case;
use super::danger::Danger;
use super::expiry::Deadline;
use super::matcher::{Matcher, Subject};
use super::place::{LineFacts, Links, Places, Reads};
use super::preset::Preset;
use super::reason::{cut, quoted, reason};
use super::reversible::{self, Cause, FileFacts, Undoable};
use super::rule::{Origin, Rule};
use super::settings_written;
use super::shell::ShellCall;
use super::withheld::Withheld;

/// The tool that ends a run with its answer.
const FINAL_ANSWER: &str = "final_answer";
/// The tool whose result the operator types.
const ASK_OPERATOR: &str = "ask_operator";
/// Notice to the operator about a rule that was read but is ignored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice(pub String);

/// What is needed to decide whether a rule that expires is still active.
#[derive(Clone, Copy, Default)]
pub struct Moment<'u> {
    /// UTC milliseconds since 1970; `None` if unknown.
    pub now: Option<i64>,
    /// Returns how many calls a rule (named by [`Rule::cite`]) has allowed. `None` if unknown.
    /// Consulted only for rules with limited uses.
    pub used: Option<&'u dyn Fn(&str) -> u32>,
    /// Returns the key of exactly this call, or `None` if it is unknown. Consulted only for rules about
    /// exactly one call.
    pub key: Option<&'u dyn Fn() -> Option<Arc<str>>>,
    /// Follows the links of a path. Without it, rules see paths as written.
    pub links: Option<&'u Links<'u>>,
    /// Looks at the places that commands read. Without it, no rule about the first words of commands allows a call.
    pub reads: Option<&'u Reads<'u>>,
    /// What decides whether changes can be undone. Without it, no command can.
    pub files: Option<FileFacts<'u>>,
}

/// A preset and a list of rules.
#[derive(Debug, Clone)]
pub struct Policy {
    preset: Preset,
    presets: Vec<Rule>,
    rules: Vec<Rule>,
    builtin: [Rule; 5],
    deadline: Option<Deadline>,
    workspace: Option<PathBuf>,
    danger: Danger,
}

impl Default for Policy {
    fn default() -> Self {
        Self::new(Preset::default())
    }
}

impl Policy {
    /// Creates a policy without rules of its own.
    pub fn new(preset: Preset) -> Self {
        Self {
            preset,
            presets: of_preset(preset),
            rules: Vec::new(),
            builtin: [
                builtin("the final answer is always allowed", Gate::Allow),
                builtin(
                    "a question to the operator always goes to the operator",
                    Gate::Ask,
                ),
                builtin(RUNS_LATER, Gate::Ask),
                builtin(
                    "where a rule is about commands or allows the call, it asks if the commands that it runs are unknown",
                    Gate::Ask,
                ),
                builtin(LEAVES, Gate::Ask),
            ],
            deadline: None,
            workspace: None,
            danger: Danger::default(),
        }
    }

    /// Returns the preset in force.
    pub fn preset(&self) -> Preset {
        self.preset
    }

    /// Returns the rules of files and of the session.
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// The rules of files and of the session, then those of the preset.
    pub fn in_force(&self) -> impl Iterator<Item = &Rule> {
        self.rules.iter().chain(&self.presets)
    }

    /// The same rules with another preset.
    pub fn with_preset(mut self, preset: Preset) -> Self {
        self.preset = preset;
        self.presets = of_preset(preset);
        self
    }

    /// Removes the rules that the operator wrote during a session.
    pub fn without_session(mut self) -> Self {
        self.rules.retain(|rule| rule.origin != Origin::Session);
        self
    }

    /// Sets the directory in which the tools work, so that rules can match absolute paths.
    pub fn in_workspace(mut self, workspace: &Path) -> Self {
        self.workspace = Some(workspace.to_path_buf());
        self
    }

    /// Sets the table of dangers. A call with a mark is allowed by no rule about the first words of its commands.
    pub fn with_danger(mut self, danger: Danger) -> Self {
        self.danger = danger;
        self
    }

    /// Sets the deadline of questions whose rule has none.
    pub fn with_deadline(mut self, deadline: Option<Deadline>) -> Self {
        self.deadline = deadline;
        self
    }

    /// Adds a rule. An allow rule whose origin may not loosen is left out, with a notice.
    pub fn add(&mut self, rule: Rule) -> Option<Notice> {
        if rule.gate == Gate::Allow && !rule.origin.may_loosen() {
            return Some(Notice(format!(
                "ignored: {}: a workspace may only tighten; put the rule into your own configuration file",
                rule.cite()
            )));
        }
        self.rules.push(rule);
        None
    }

    /// Returns the verdict on a call at an unknown moment. A rule with an end is treated as over if it would
    /// allow the call, and as in force otherwise; see [`Policy::verdict_at`].
    pub fn verdict(&self, subject: &Subject<'_>) -> Verdict {
        self.verdict_at(subject, &Moment::default())
    }

    /// Returns the verdict on a call at a given time.
    pub fn verdict_at(&self, subject: &Subject<'_>, moment: &Moment<'_>) -> Verdict {
        self.verdict_on(&Case::new(*subject), moment)
    }

    fn verdict_on(&self, case: &Case<'_>, moment: &Moment<'_>) -> Verdict {
        match self.matching(case, moment).first() {
            Some(rule) => self.pronounce(rule, case, self.places(moment)),
            None => Verdict {
                gate: Gate::Ask,
                rule: "built in: what no rule matches asks".into(),
                reason: "no rule matches this call.".into(),
                deadline_ms: self.deadline.map(|deadline| deadline.ms),
                on_expiry: self
                    .deadline
                    .map_or(Consequence::Deny, |deadline| deadline.on_expiry),
                quoted: None,
                parts: Vec::new(),
                alone: false,
                operator_only: false,
            },
        }
    }

    /// Returns the verdict on a call, with a verdict on each command of a shell line alone. The latter are
    /// only for display: the verdict on the whole line decides.
    pub fn verdict_of_parts(&self, subject: &Subject<'_>, moment: &Moment<'_>) -> Verdict {
        let case = Case::new(*subject);
        let mut verdict = self.verdict_on(&case, moment);
        let Some(shell) = case.shell() else {
            return verdict;
        };
        verdict.alone |= shell.hides();
        if shell.commands().count() < 2 {
            return verdict;
        }
        let mut args = subject.args.clone();
        for command in shell.commands() {
            // A program with its words is matched as it is called.
            let has_line = |name: &&str| subject.args.get(*name).is_some_and(Value::is_string);
            let line = LINE.iter().copied().find(has_line);
            let as_called = line.is_none() && shell.whole.contains(&command.text);
            if let Some(args) = args.as_object_mut() {
                args.remove("argv");
                args.insert(line.unwrap_or("command").to_owned(), command.text.as_str().into());
            }
            let args = if as_called { subject.args } else { &args };
            // A rule about exactly this call is about no part of it.
            let moment = Moment { key: None, ..*moment };
            let part = Case::running(Subject { args, ..*subject }, shell.part(command));
            let word = self.verdict_on(&part, &moment);
            verdict.parts.push(Part {
                gate: word.gate,
                rule: match word.quoted {
                    Some(quoted) => format!("a rule of the workspace ({})", quoted.place),
                    None => cut(&word.rule),
                },
            });
        }
        verdict
    }

    /// Returns which places a call must leave out that walks a tree, as its rules ask about them or deny them. An ask rule
    /// that matches the call itself was asked about already.
    pub fn withheld(&self, subject: &Subject<'_>, moment: &Moment<'_>) -> Withheld {
        let places = self.places(moment);
        let case = Case::new(*subject);
        let is_met =
            |rule: &&Rule| rule.gate == Gate::Deny || !rule.matcher.matches(&case, rule.gate, places);
        let rules = self
            .rules
            .iter()
            .filter(|rule| rule.gate != Gate::Allow && counts(rule, moment));
        let rules = rules.filter(|rule| rule.matcher.is_about_places()).filter(is_met);
        Withheld::new(rules.cloned().collect(), subject, self.workspace.clone())
    }

    fn places<'m>(&'m self, moment: &Moment<'m>) -> Places<'m> {
        Places {
            workspace: self.workspace.as_deref(),
            links: moment.links,
            line: moment.reads.map(|reads| LineFacts {
                danger: &self.danger,
                reads,
            }),
            files: moment.files,
        }
    }

    /// Returns what has to be read-only for a call, so that its changes can be undone. An error says why they cannot.
    pub fn read_only(&self, subject: &Subject<'_>, moment: &Moment<'_>) -> Result<ReadOnly, Cause> {
        match reversible::judge(&Case::new(*subject), self.places(moment))? {
            Undoable::Edit => Ok(ReadOnly::default()),
            Undoable::Command(read_only) => Ok(read_only),
        }
    }

    /// Returns true if a call is only asked about because the first scan of the files is not complete.
    pub fn awaits_files(&self, subject: &Subject<'_>, moment: &Moment<'_>) -> bool {
        let Some(files) = moment.files.filter(|files| *files.tracking == Tracking::NotYet) else {
            return false;
        };
        let ready = Tracking::ready();
        let files = Some(FileFacts {
            tracking: &ready,
            ..files
        });
        let of = |moment: &Moment<'_>| self.verdict_at(subject, moment);
        let then = of(&Moment { files, ..*moment });
        then.gate == Gate::Allow && then.rule == UNDOABLE && of(moment).gate == Gate::Ask
    }

    /// Returns every rule that matches a call with its gate, the deciding one first.
    pub fn explain(&self, subject: &Subject<'_>) -> Vec<(Rule, Gate)> {
        let rules = self.matching(&Case::new(*subject), &Moment::default());
        rules.into_iter().map(|rule| (rule.clone(), rule.gate)).collect()
    }

    /// Returns all matching rules, the deciding one first.
    fn matching(&self, case: &Case<'_>, moment: &Moment<'_>) -> Vec<&Rule> {
        let [answer, question, later, hidden, leaves] = &self.builtin;
        let subject = &case.subject;
        if subject.is_built_in(FINAL_ANSWER) {
            return vec![answer];
        }
        let asks = subject.is_built_in(ASK_OPERATOR);
        let places = self.places(moment);
        let mut found: Vec<&Rule> = asks
            .then_some(question)
            .into_iter()
            .chain(
                self.rules
                    .iter()
                    .filter(|rule| !(asks && rule.gate == Gate::Allow)),
            )
            .chain(self.presets.iter().filter(|_| !asks))
            .filter(|rule| rule.matcher.matches(case, rule.gate, places))
            .filter(|rule| is_exactly(rule, moment) && counts(rule, moment) && may_loosen(rule, subject))
            .collect();
        let is_outside = subject.sandbox == Placement::Outside;
        found.retain(|rule| !is_outside || may_leave(rule));
        // A call that only reads changes no settings.
        let may_write = subject.effect > EffectClass::Read;
        // The built-in tools refuse some of them whatever is decided.
        let is_own = subject.is_built_in("write_file") || subject.is_built_in("edit_file");
        let is_refused = |place: &String| is_own && runs_later::row(place).is_some_and(|row| row.is_refused);
        let settings = || settings_written::settings(subject.tool, subject.args, case.shell(), places);
        if may_write && !asks && !settings().iter().all(is_refused) {
            found.push(later);
        }
        let turns = |rule: &Rule| {
            rule.gate != Gate::Allow
                && counts(rule, moment)
                && (rule.matcher.turns_on_commands(case, places) || rule.matcher.may_be_inside(case))
        };
        let all = found.len();
        found.retain(|rule| !allows_unread(rule, case));
        let is_allowed = || is_allowed_by(&found);
        let is_unknown = || case.shell().is_some_and(|shell| shell.uncertainty().is_some());
        if (found.len() < all && !is_allowed()) || (self.rules.iter().any(turns) && is_unknown()) {
            found.push(hidden);
        }
        if is_outside && !is_allowed_by(&found) {
            found.insert(0, leaves);
        }
        found.sort_by_key(|rule| self.rank(rule));
        found
    }

    /// Returns the rank of a rule; the smallest decides: deny, a written ask, a written allow, a preset's
    /// ask, a preset's allow. Among asks the earliest deadline comes first.
    fn rank(&self, rule: &Rule) -> (u8, u64, Reverse<u8>, u8) {
        let preset = matches!(rule.origin, Origin::Preset(_));
        let strength = match (rule.gate, preset) {
            (Gate::Deny, _) => 0,
            (Gate::Ask, false) => 1,
            (Gate::Allow, false) => 2,
            (Gate::Ask, true) => 3,
            (Gate::Allow, true) => 4,
        };
        let deadline = rule.deadline.or(self.deadline).filter(|_| rule.gate == Gate::Ask);
        let hardness = match deadline.map(|deadline| deadline.on_expiry) {
            Some(Consequence::Halt) => 2,
            Some(Consequence::Deny) | None => 1,
            Some(Consequence::Escalate) => 0,
        };
        let origin = match rule.origin {
            Origin::Builtin => 0,
            Origin::Session => 1,
            Origin::Workspace { .. } => 2,
            Origin::User => 3,
            Origin::Preset(_) => 4,
        };
        (
            strength,
            deadline.map_or(u64::MAX, |deadline| deadline.ms),
            Reverse(hardness),
            origin,
        )
    }

    fn pronounce(&self, rule: &Rule, case: &Case<'_>, places: Places<'_>) -> Verdict {
        let deadline = rule.deadline.or(self.deadline).filter(|_| rule.gate == Gate::Ask);
        let leaves = case.subject.sandbox == Placement::Outside && rule.gate == Gate::Ask;
        Verdict {
            gate: rule.gate,
            rule: rule.cite(),
            reason: reason(rule, case, places),
            deadline_ms: deadline.map(|deadline| deadline.ms),
            on_expiry: deadline.map_or(Consequence::Deny, |deadline| deadline.on_expiry),
            quoted: quoted(rule),
            parts: Vec::new(),
            alone: leaves,
            operator_only: leaves,
        }
    }
}

/// The rule about settings of other programs.
pub(super) const RUNS_LATER: &str = "settings that another program runs by itself always ask";

/// The rule about calls that ask to run outside of the sandbox.
pub(super) const LEAVES: &str = "a call that asks to leave the sandbox asks";

/// Returns true unless a rule would allow a call that leaves the sandbox, and is no rule of a file.
const fn may_leave(rule: &Rule) -> bool {
    !matches!(rule.gate, Gate::Allow) || matches!(rule.origin, Origin::User | Origin::Workspace { .. })
}

fn is_allowed_by(rules: &[&Rule]) -> bool {
    rules.iter().any(|rule| rule.gate == Gate::Allow)
}

/// Returns the rules of a preset, and the one that holds under every preset.
fn of_preset(preset: Preset) -> Vec<Rule> {
    std::iter::once(preset.common()).chain(preset.rules()).collect()
}

/// Returns true unless a rule would allow an irreversible call that it may not have been written for: to allow
/// it, a rule has to name the tool itself, or the tag.
fn may_loosen(rule: &Rule, subject: &Subject<'_>) -> bool {
    let asks = subject.tags.iter().any(|tag| tag == IRREVERSIBLE);
    let preset = matches!(rule.origin, Origin::Preset(_));
    preset
        || rule.gate != Gate::Allow
        || !asks
        || rule.matcher.spells(subject.tool)
        || rule.matcher.tags.iter().any(|tag| tag == IRREVERSIBLE)
}

/// Returns true unless the rule is about exactly one call and this is a different one.
fn is_exactly(rule: &Rule, moment: &Moment<'_>) -> bool {
    rule.exact.as_ref().is_none_or(|requested| {
        let key = moment.key.and_then(|key| key());
        key.as_ref() == Some(requested)
    })
}

/// Returns true for a rule of a file or of the session that would allow a call whose commands cannot be read. A rule
/// about exactly this call, or about exactly this line, was written for what cannot be read; so was a rule about the
/// tool that types into a running program.
fn allows_unread(rule: &Rule, case: &Case<'_>) -> bool {
    let is_written = !matches!(rule.origin, Origin::Builtin | Origin::Preset(_));
    let is_unread = |shell: &ShellCall| {
        let is_line = |unread| unread != Uncertainty::Typed;
        shell.uncertainty().is_some_and(is_line) && !rule.matcher.spells_line(shell)
    };
    is_written && rule.gate == Gate::Allow && rule.exact.is_none() && case.shell().is_some_and(is_unread)
}

/// Returns true if a rule that expires is still active. If that is uncertain, the more careful
/// answer is taken.
fn counts(rule: &Rule, moment: &Moment<'_>) -> bool {
    let loosens = rule.gate == Gate::Allow;
    let in_time = rule
        .expires
        .is_none_or(|end| moment.now.map_or(!loosens, |now| now < end));
    let unspent = rule.uses.is_none_or(|uses| {
        let used = moment.used.map(|used| used(&rule.cite()));
        used.map_or(!loosens, |used| used < uses)
    });
    in_time && unspent
}

fn builtin(text: &str, gate: Gate) -> Rule {
    Rule {
        origin: Origin::Builtin,
        place: None,
        text: text.into(),
        no: None,
        exact: None,
        matcher: Matcher::default(),
        gate,
        reason: None,
        deadline: None,
        uses: None,
        expires: None,
    }
}
