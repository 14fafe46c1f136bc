//! Decides whether a call of a shell only reads, and only what the tools that read may read without a question.
//!
//! Must not know: who decides, what a class leads to.
//!
//! Reads the file system: links of paths, directories that a pattern names, the settings of a repository. What is found holds
//! for the moment of the decision.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use overrule_base::known_tool::{self, Kind};
use overrule_base::shell_line::{ReadOnlyCommand, ReadPlace};
use overrule_domain::call::{EffectClass, Gate};
use overrule_domain::event::run::ToolCard;
use overrule_domain::node::Content;
use overrule_domain::state::State;
use overrule_policy::read_only::{ReadOnlyCall, may_change_shell, read_only_call};
use overrule_policy::{Placement, Policy, Preset, Rule, Subject};
use overrule_tools::registry::Registry;
use overrule_tools::workspace;
use serde_json::Value;

use super::{Adviser, parse_args};

mod repository;

/// Maximum number of entries of a directory that a pattern may name.
const ENTRIES: usize = 10_000;
/// The tool whose rules keep places from the other tools that show them.
const READ_FILE: &str = "read_file";
/// Commands that a shell runs itself.
const BUILTIN: [&str; 6] = ["cd", "echo", "false", "printf", "pwd", "true"];

/// True if a shell that keeps its directory, its variables and its functions may have changed them before a call: another
/// call with it may have done so, or one that is equal.
fn may_have_moved(state: &State, args: &str) -> bool {
    let revisions = state.nodes.values().flat_map(|node| &node.revisions);
    let mut equal = 0;
    for revision in revisions {
        let Content::Call { tool, args: other } = &revision.content else {
            continue;
        };
        if known_tool::is_shell(tool) && may_change_shell(tool, &parse_args(other)) {
            equal += 1;
            if **other != *args || equal > 1 {
                return true;
            }
        }
    }
    false
}

/// Places of a line that are looked at; one with more is not known to read only.
const MOST_PLACES: usize = 256;

/// What a call may read.
struct Surroundings<'s> {
    /// The directory that everything must be in, without links.
    workspace: PathBuf,
    /// The directory in which the shell begins; none if it is not known.
    directory: Option<PathBuf>,
    /// Places that no tool may read.
    private: &'s [PathBuf],
    /// The search path for programs.
    programs: &'s OsStr,
    /// True if a rule asks about reading a place, or denies it. The path is relative to the workspace.
    is_withheld: &'s dyn Fn(&Path) -> bool,
    /// True if a rule asks about reading some place, or denies it.
    withholds: bool,
}

impl Adviser {
    /// True for a call of a shell that only reads, and only what the tools that read may read without a rule that asks.
    pub(super) fn only_reads(&self, state: &State, tool: &str, args: &str) -> bool {
        let call = read_only_call(tool, &parse_args(args));
        call.is_some_and(|call| self.reads(state, (tool, args), call))
    }

    /// True if the commands of a call of a shell read only what the tools that read may read, and those that a rule names
    /// run in the workspace.
    pub(super) fn reads(&self, state: &State, (tool, args): (&str, &str), call: ReadOnlyCall) -> bool {
        let spec = self.registry.spec(tool);
        let is_of_agent = spec.is_some_and(|spec| spec.card.is_of_agent());
        let is_at_start = !(is_of_agent && may_have_moved(state, args));
        self.reads_from(is_at_start, (tool, args), call)
    }

    /// Does the same for a shell that is known to be as it began, or not.
    pub(super) fn reads_from(
        &self,
        is_at_start: bool,
        (tool, args): (&str, &str),
        call: ReadOnlyCall,
    ) -> bool {
        let Some(spec) = self
            .registry
            .spec(tool)
            .filter(|spec| spec.card.server().is_none())
        else {
            return false;
        };
        if spec.card.effect != EffectClass::Unknown {
            return false;
        }
        let is_known = self.shell.in_workspace && is_at_start;
        let place = ShellPlace {
            registry: Arc::clone(&self.registry),
            policy: Arc::clone(&self.policy),
            workspace: Arc::clone(&self.workspace),
            programs: Arc::clone(&self.shell.programs),
            is_known,
        };
        let found = self.reader.read((tool, args), move || place.only_reads(&call));
        found.unwrap_or(false)
    }
}

/// Where a call of a shell reads, and what its rules are.
struct ShellPlace {
    registry: Arc<Registry>,
    policy: Arc<Policy>,
    workspace: Arc<PathBuf>,
    /// The search path for programs.
    programs: Arc<OsStr>,
    /// True if the shell begins in the workspace.
    is_known: bool,
}

impl ShellPlace {
    fn only_reads(&self, call: &ReadOnlyCall) -> bool {
        let workspace = workspace::real(&self.workspace);
        let rules = self.policy.as_ref().clone().with_preset(Preset::Auto);
        let readers = self.readers();
        let keeps =
            |rule: &Rule| rule.gate != Gate::Allow && readers.iter().any(|card| rule.matcher.reaches(card));
        let is_withheld = |path: &Path| {
            let path = path.to_string_lossy();
            let named = known_tool::PLACES
                .iter()
                .map(|name| ((*name).to_owned(), Value::from(&*path)));
            let args = Value::Object(named.collect());
            readers.iter().any(|card| {
                let subject = subject(card, card.effect, &args);
                rules.verdict(&subject).gate != Gate::Allow
            })
        };
        let at = Surroundings {
            directory: self.is_known.then(|| workspace.clone()),
            workspace,
            private: self.registry.private(),
            programs: &self.programs,
            is_withheld: &is_withheld,
            withholds: rules.rules().iter().any(keeps),
        };
        only_reads(call, &at)
    }

    /// The tools that read places: what their rules keep, a shell does not read without a question either.
    fn readers(&self) -> Vec<ToolCard> {
        let is_reader = |card: &ToolCard| known_tool::kind(&card.name) == Some(Kind::Read);
        let mut cards: Vec<ToolCard> = self.registry.cards().into_iter().filter(is_reader).collect();
        cards.push(ToolCard::bare(READ_FILE, EffectClass::Read, &[]));
        cards
    }
}

/// A call of a tool, as rules see it.
fn subject<'a>(card: &'a ToolCard, effect: EffectClass, args: &'a Value) -> Subject<'a> {
    Subject {
        tool: &card.name,
        effect,
        tags: &card.tags,
        args,
        server: card.server(),
        is_of_agent: card.is_of_agent(),
        // Rules about places say nothing about the sandbox.
        sandbox: Placement::Unconfined,
    }
}

/// True if the commands of a call read only what they may.
fn only_reads(call: &ReadOnlyCall, at: &Surroundings<'_>) -> bool {
    let places: usize = call.commands.iter().map(|command| command.places.len()).sum();
    if places > MOST_PLACES {
        return false;
    }
    let given = call.directory.as_deref().map(Path::new);
    let begin = match (given, &at.directory) {
        (Some(given), Some(directory)) => Some(directory.join(given)),
        (Some(given), None) => given.is_absolute().then(|| given.to_owned()),
        (None, directory) => directory.clone(),
    };
    if begin.as_ref().is_some_and(|begin| !at.may_read(begin)) {
        return false;
    }
    let mut walk = Walk {
        at,
        directories: begin.map(|begin| BTreeSet::from([begin])),
        is_chain: true,
    };
    let mut commands = call.commands.iter().peekable();
    while let Some(command) = commands.next() {
        let next = commands.peek().map(|next| next.after);
        if !walk.takes(command, next) {
            return false;
        }
    }
    true
}

/// The directories in which the next command may run.
struct Walk<'w, 's> {
    at: &'w Surroundings<'s>,
    /// None if they are not known.
    directories: Option<BTreeSet<PathBuf>>,
    /// True while each command runs only if the one before it succeeded.
    is_chain: bool,
}

impl Walk<'_, '_> {
    /// True if a command reads only what it may. `next` is the sign before the next one.
    fn takes(&mut self, command: &ReadOnlyCommand, next: Option<&str>) -> bool {
        self.is_chain &= matches!(command.after, "" | "&&" | "-c");
        if command.is_named {
            // It runs in the workspace: where it runs is known.
            return self.directories.is_some();
        }
        if !self.at.is_of_system(&command.program) || (command.walks && !self.at.may_walk()) {
            return false;
        }
        let mut entered = BTreeSet::new();
        let root = BTreeSet::from([PathBuf::from("/")]);
        for place in &command.places {
            let known = self.directories.as_ref();
            let from = if place.path.starts_with('/') {
                Some(&root)
            } else {
                known
            };
            let Some(from) = from.filter(|from| from.iter().all(|one| self.at.may_read_place(one, place)))
            else {
                return false;
            };
            entered.extend(from.iter().map(|one| one.join(&place.path)));
        }
        let runs = if command.changes_repository {
            repository::Runs::Hooks
        } else {
            repository::Runs::Reads
        };
        let is_harmless = |one: &PathBuf| repository::names_no_program(one, &self.at.workspace, runs);
        if command.is_git && !self.directories.iter().flatten().all(is_harmless) {
            return false;
        }
        if command.enters {
            // Where the next command runs only after this one, it runs there.
            if self.is_chain && next == Some("&&") {
                self.directories = Some(entered);
            } else if let Some(directories) = &mut self.directories {
                directories.extend(entered);
            }
        }
        true
    }
}

impl Surroundings<'_> {
    /// True if the tools that read may read this place, with its links followed.
    fn may_read(&self, path: &Path) -> bool {
        let real = workspace::real(path);
        let Ok(inside) = real.strip_prefix(&self.workspace) else {
            return false;
        };
        let is_plain = !real.components().any(|one| one == Component::ParentDir);
        let is_private = self
            .private
            .iter()
            .any(|private| real.starts_with(workspace::real(private)));
        is_plain && !is_private && !(self.is_withheld)(inside)
    }

    /// True if everything below the workspace may be read.
    fn may_walk(&self) -> bool {
        let is_inside = |private: &PathBuf| workspace::real(private).starts_with(&self.workspace);
        !self.withholds && !self.private.iter().any(is_inside)
    }

    fn may_read_place(&self, root: &Path, place: &ReadPlace) -> bool {
        let path = root.join(&place.path);
        if !place.is_pattern {
            return self.may_read(&path);
        }
        // The pattern stands in the last part: every entry may be meant.
        let Some(directory) = path.parent().filter(|directory| self.may_read(directory)) else {
            return false;
        };
        let Ok(entries) = directory.read_dir() else {
            return true;
        };
        let mut count = 0;
        for entry in entries {
            count += 1;
            let may = entry.is_ok_and(|entry| self.may_read(&entry.path()));
            if !may || count > ENTRIES {
                return false;
            }
        }
        true
    }

    /// True if this name runs a program from outside of the workspace.
    fn is_of_system(&self, program: &str) -> bool {
        if BUILTIN.contains(&program) {
            return true;
        }
        if program.contains('/') {
            return !workspace::real(Path::new(program)).starts_with(&self.workspace);
        }
        for place in std::env::split_paths(self.programs) {
            let path = place.join(program);
            if !path.is_absolute() {
                return false;
            }
            if path.exists() {
                return !workspace::real(&path).starts_with(&self.workspace);
            }
        }
        false
    }
}

#[cfg(test)]
mod tests;
