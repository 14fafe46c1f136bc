//! Makes the ready rules that a call offers, and says what each would have decided in the session.
//!
//! Must not know: keys, flags, how a rule is described, where rules are stored.
//!
//! Nothing here allows a whole shell, server or declared tool. A rule is offered only if it is about the call itself.

use std::path::Path;

use globset::escape;
use serde_json::Value;

use overrule_base::known_tool;
use overrule_base::shell_line::{Command, fewest_words, read_only, tell_what_runs};
use overrule_domain::call::{Call, Gate};
use overrule_domain::event::run::ToolCard;
use overrule_domain::id::NodeId;
use overrule_domain::sandbox::{Profile, Tracking};
use overrule_domain::state::State;

use super::backtest::{cards, may_always, tool_and_args};
use super::danger::{Danger, DangerKind};
use super::evaluate::{Moment, Policy};
use super::matcher::Subject;
use super::preset::Preset;
use super::reversible::FileFacts;
use super::rule::Rule;
use super::session;
use super::shell::ShellCall;
use super::toml_text::{inline, quoted};

/// Maximum number of calls of the session that are compared with the rules, the newest ones.
pub const MOST_CALLS: usize = 500;
/// Maximum number of first words that are offered.
const WORDS: usize = 8;

/// What a ready rule is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum About {
    /// Commands that begin with these words.
    Words(Vec<String>),
    /// Exactly the call.
    Exactly,
    /// Calls of the tool below this directory of the workspace.
    Directory {
        /// The tool.
        tool: String,
        /// The directory, relative to the workspace; `.` for all of it.
        directory: String,
    },
    /// All calls of a tool.
    Tool(String),
    /// All calls of the tools of a server.
    Server(String),
}

/// A rule that a person can take as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadyRule {
    /// What it decides.
    pub gate: Gate,
    /// What it is about.
    pub about: About,
    /// The rule in the language of policies. None if the language cannot express it.
    pub text: Option<String>,
    /// The calls of the session that it matches, oldest first.
    pub matched: Vec<MatchedCall>,
    /// The calls of the same tool that were asked about and that it does not match, oldest first.
    pub others: Vec<NodeId>,
}

/// A call that a rule matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatchedCall {
    /// The call.
    pub id: NodeId,
    /// True if the policy asked about it.
    pub asked: bool,
    /// The kinds of its marks of danger.
    pub danger: Vec<DangerKind>,
}

/// One row of the list: the same rule, wider or narrower. The first choice is the narrowest useful one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choices {
    /// The rules, from the widest to the narrowest.
    pub rules: Vec<ReadyRule>,
}

/// What another preset would have asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PresetChange {
    /// The preset.
    pub preset: Preset,
    /// Number of calls that it would have asked about.
    pub asks: usize,
    /// Number of calls that were asked about.
    pub asked: usize,
}

/// The ready rules of a call, in the order in which they are offered; the first is marked.
pub fn ready_rules(state: &State, id: NodeId, danger: &Danger) -> Result<Vec<Choices>, String> {
    let call = state.calls.get(&id).ok_or("the call is not there")?;
    let (tool, args) = tool_and_args(state, call).ok_or("the call is not ready")?;
    let card = cards(state).find(|card| *card.name == *tool);
    let card = card.ok_or("the run does not have its tool")?;
    let value: Value = serde_json::from_str(&args).unwrap_or_default();
    let drafts = drafts(card, &value);
    let past = Past::of(state, card, danger);
    let mut all = Vec::new();
    for row in drafts {
        let rules = row.into_iter().filter_map(|draft| past.judge(draft, id));
        let rules: Vec<ReadyRule> = rules.collect();
        if !rules.is_empty() {
            all.push(Choices { rules });
        }
    }
    if may_always(state, id, (&tool, &args)).is_ok() {
        let at = usize::from(
            all.first()
                .is_some_and(|row| row.rules.iter().all(|one| one.gate == Gate::Allow)),
        );
        let text = inline(&value).map(|value| {
            let tool = quoted(&escape(&tool));
            format!("tool = {tool}\nargs = [{{ at = \"\", is = {value} }}]\ngate = \"allow\"")
        });
        let rule = past.exactly(&args, text);
        all.insert(at, Choices { rules: vec![rule] });
    }
    Ok(all)
}

/// What each preset would have asked; of the one in force, what was asked.
pub fn presets(state: &State, current: Preset) -> Vec<PresetChange> {
    let asked = past_verdicts(state)
        .filter(|(_, _, gate)| *gate == Gate::Ask)
        .count();
    let workspace = state.started.as_ref().map_or("", |started| &started.workspace);
    let change = |preset: Preset| {
        let policy = Policy::new(preset).in_workspace(Path::new(workspace));
        let asks = past_verdicts(state)
            .filter(|(call, is_preset, gate)| {
                if *is_preset {
                    gate_of(state, call, &policy) == Some(Gate::Ask)
                } else {
                    *gate == Gate::Ask
                }
            })
            .count();
        PresetChange { preset, asks, asked }
    };
    let in_force = PresetChange {
        preset: current,
        asks: asked,
        asked,
    };
    let of = |preset: Preset| {
        if preset == current {
            in_force
        } else {
            change(preset)
        }
    };
    Preset::ALL.into_iter().map(of).collect()
}

/// The newest calls with a verdict, whether a preset decided, and how.
fn past_verdicts(state: &State) -> impl Iterator<Item = (&Call, bool, Gate)> {
    let newest = state.calls.values().rev();
    let judged = newest.filter_map(|call| {
        let verdict = call.verdict.as_ref()?;
        Some((call, verdict.rule.starts_with("preset "), verdict.gate))
    });
    judged.take(MOST_CALLS)
}

fn gate_of(state: &State, call: &Call, policy: &Policy) -> Option<Gate> {
    let (tool, text) = tool_and_args(state, call)?;
    let card = cards(state).find(|card| *card.name == *tool)?;
    let args: Value = serde_json::from_str(&text).unwrap_or_default();
    let reads = call.effect < card.effect_of(&args.to_string());
    let tags: Vec<String> = card
        .tags
        .iter()
        .filter(|tag| !(reads && *tag == "external"))
        .cloned()
        .collect();
    let subject = Subject {
        tool: &tool,
        effect: call.effect,
        tags: &tags,
        args: &args,
        server: card.server(),
        is_of_agent: card.is_of_agent(),
        sandbox: state.sandbox_profile().placement(card.confined, &text),
    };
    let asked = |moment: &Moment<'_>| policy.verdict_at(&subject, moment).gate;
    Some(in_the_past(&state.sandbox_profile(), asked))
}

/// Asks as of a moment that is not known: as if every file could have been restored, and no repository had named a program.
fn in_the_past<T>(profile: &Profile, ask: impl FnOnce(&Moment<'_>) -> T) -> T {
    let tracking = Tracking::ready();
    ask(&Moment {
        reads: Some(&|_| true),
        files: Some(FileFacts {
            tracking: &tracking,
            profile,
            is_searched: true,
        }),
        ..Moment::default()
    })
}

/// A rule before it is compared with the session.
struct Draft {
    gate: Gate,
    about: About,
    text: String,
}

impl Draft {
    fn new(gate: Gate, about: About, conditions: &str) -> Self {
        let word = match gate {
            Gate::Allow => "allow",
            Gate::Ask => "ask",
            Gate::Deny => "deny",
        };
        Self {
            gate,
            about,
            text: format!("{conditions}\ngate = \"{word}\""),
        }
    }
}

/// The rules that a call of a tool suggests, a row each.
fn drafts(card: &ToolCard, args: &Value) -> Vec<Vec<Draft>> {
    let name = card.name.to_string();
    let tool = format!("tool = {}", quoted(&escape(&name)));
    let mut rows = Vec::new();
    let mut is_told = false;
    if known_tool::is_shell(&name) && card.server().is_none() {
        let shell = ShellCall::new(&name, args);
        if let Some(words) = words_of(&shell) {
            let about = |gate: Gate, words: &[String]| {
                let list: Vec<String> = words.iter().map(|word| quoted(word)).collect();
                let conditions = format!("{tool}\nwords = [{}]", list.join(", "));
                Draft::new(gate, About::Words(words.to_vec()), &conditions)
            };
            let counts = 2..=words.len().min(WORDS);
            let enough = |count: usize| words.get(..count).filter(|words| tell_what_runs(words));
            let allowed: Vec<Draft> = counts
                .filter_map(|count| Some(about(Gate::Allow, enough(count)?)))
                .collect();
            let fewest = fewest_words(&words).unwrap_or(1);
            rows.push(allowed);
            rows.push(vec![about(Gate::Ask, words.get(..1).unwrap_or_default())]);
            rows.push(vec![about(Gate::Deny, words.get(..fewest).unwrap_or_default())]);
            is_told = true;
        }
    } else if session::is_vouched(card) {
        let directories = directories(args);
        let below = |(at, directory): &(String, String)| {
            let conditions = format!(
                "{tool}\nargs = [{{ at = {}, under = {} }}]",
                quoted(at),
                quoted(directory)
            );
            let about = About::Directory {
                tool: name.clone(),
                directory: directory.clone(),
            };
            Draft::new(Gate::Allow, about, &conditions)
        };
        rows.push(directories.iter().map(below).collect());
    }
    if !is_told {
        for gate in [Gate::Ask, Gate::Deny] {
            rows.push(vec![Draft::new(gate, About::Tool(name.clone()), &tool)]);
        }
    }
    if let Some(server) = card.server() {
        let conditions = format!("server = {}", quoted(&escape(server)));
        for gate in [Gate::Ask, Gate::Deny] {
            rows.push(vec![Draft::new(
                gate,
                About::Server(server.to_owned()),
                &conditions,
            )]);
        }
    }
    rows
}

/// The words of the first command that does more than read.
fn words_of(shell: &ShellCall) -> Option<Vec<String>> {
    let does_more = |one: &&Command| {
        let part = shell.reading.part(one);
        !one.words.is_empty() && !one.is_idle() && read_only(&part).is_none()
    };
    let command = shell.commands().find(does_more)?;
    let words = command
        .words
        .iter()
        .take_while(|word| word.is_sure() && !word.home);
    let words: Vec<String> = words.map(|word| word.text.clone()).collect();
    let is_plain = |word: &String| !word.is_empty() && !word.contains(char::is_control);
    let words: Vec<String> = words.into_iter().take_while(is_plain).collect();
    (!words.is_empty()).then_some(words)
}

/// The directories above the file that a call names, each with the place of the path in the arguments, the workspace first.
fn directories(args: &Value) -> Vec<(String, String)> {
    let Some(name) = known_tool::name_in(known_tool::PATH, |name| args.get(name).is_some()) else {
        return Vec::new();
    };
    let path = args.get(name).and_then(Value::as_str).unwrap_or_default();
    let is_inside = Path::new(path).is_relative() && !path.contains(char::is_control) && !path.contains("..");
    if !is_inside || path.is_empty() {
        return Vec::new();
    }
    let above = Path::new(path).ancestors().skip(1);
    let names = above.filter_map(|one| one.to_str()).map(|one| match one {
        "" => ".".to_owned(),
        one => one.to_owned(),
    });
    let mut all: Vec<(String, String)> = names.map(|one| (format!("/{name}"), one)).collect();
    all.reverse();
    all
}

/// The newest calls of the session that rules are compared with.
struct Past<'s> {
    card: &'s ToolCard,
    workspace: Option<&'s Path>,
    profile: Profile,
    danger: &'s Danger,
    cards: Vec<&'s ToolCard>,
    calls: Vec<PastCall<'s>>,
}

/// A call with what rules look at.
struct PastCall<'s> {
    id: NodeId,
    card: &'s ToolCard,
    text: String,
    args: Value,
    asked: bool,
    danger: Vec<DangerKind>,
}

impl<'s> Past<'s> {
    fn of(state: &'s State, card: &'s ToolCard, danger: &'s Danger) -> Self {
        let workspace = state.started.as_ref().map(|started| started.workspace.as_str());
        let workspace = workspace.map(Path::new);
        let cards: Vec<&ToolCard> = cards(state).collect();
        let is_near = |other: &ToolCard| {
            other.name == card.name || (card.server().is_some() && other.server() == card.server())
        };
        let calls = state.calls.values().rev().filter_map(|call| {
            let (tool, text) = tool_and_args(state, call)?;
            let its = cards.iter().find(|one| *one.name == *tool && is_near(one))?;
            let kinds = danger
                .marks(&tool, &text, workspace.unwrap_or_else(|| Path::new("")))
                .into_iter()
                .map(|mark| mark.kind);
            let mut kinds: Vec<DangerKind> = kinds.collect();
            kinds.dedup();
            Some(PastCall {
                id: call.id,
                card: its,
                args: serde_json::from_str(&text).unwrap_or_default(),
                text,
                asked: call
                    .verdict
                    .as_ref()
                    .is_some_and(|verdict| verdict.gate == Gate::Ask),
                danger: kinds,
            })
        });
        let mut calls: Vec<PastCall<'_>> = calls.take(MOST_CALLS).collect();
        calls.reverse();
        Self {
            card,
            workspace,
            profile: state.sandbox_profile(),
            danger,
            cards,
            calls,
        }
    }

    /// Compares a rule with the calls; nothing if it is not admissible or not about the call itself.
    fn judge(&self, draft: Draft, id: NodeId) -> Option<ReadyRule> {
        let rule = session::read(&draft.text).ok()?;
        session::check_admissible(&rule, self.cards.iter().copied()).ok()?;
        let found = self.compared(draft.gate, draft.about, Some(draft.text), |call| {
            self.is_about(&rule, call)
        });
        found.matched.iter().any(|one| one.id == id).then_some(found)
    }

    fn is_about(&self, rule: &Rule, call: &PastCall<'_>) -> bool {
        rule.matcher.reaches(call.card)
            && session::is_about(
                rule,
                (call.card, &self.profile),
                &call.args,
                self.workspace,
                self.danger,
            )
    }

    /// The rule about exactly these arguments.
    fn exactly(&self, args: &str, text: Option<String>) -> ReadyRule {
        self.compared(Gate::Allow, About::Exactly, text, |call| {
            call.card.name == self.card.name && call.text == args
        })
    }

    fn compared(
        &self,
        gate: Gate,
        about: About,
        text: Option<String>,
        is_about: impl Fn(&PastCall<'_>) -> bool,
    ) -> ReadyRule {
        let (matched, others): (Vec<&PastCall<'_>>, Vec<&PastCall<'_>>) =
            self.calls.iter().partition(|call| is_about(call));
        let matched = matched.into_iter().map(|call| MatchedCall {
            id: call.id,
            asked: call.asked,
            danger: call.danger.clone(),
        });
        let others = others
            .into_iter()
            .filter(|call| call.asked && call.card.name == self.card.name);
        ReadyRule {
            gate,
            about,
            text,
            matched: matched.collect(),
            others: others.map(|call| call.id).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use overrule_domain::call::EffectClass;
    use overrule_domain::sandbox::{Level, Placement};

    #[test]
    fn where_a_host_is_allowed_a_git_command_that_loses_nothing_is_no_question() {
        let policy = Policy::new(Preset::Reversible).in_workspace(Path::new("/w"));
        let gate = |profile: &Profile, line: &str| {
            let args = json!({ "command": line });
            let subject = Subject {
                tool: "shell",
                effect: EffectClass::Unknown,
                tags: &[],
                args: &args,
                server: None,
                is_of_agent: false,
                sandbox: Placement::Full,
            };
            in_the_past(profile, |moment| policy.verdict_at(&subject, moment).gate)
        };
        let mut profile = Profile {
            level: Level::Workspace,
            write: vec!["/w".into()],
            ..Profile::default()
        };
        for line in ["make", "git commit -am x"] {
            assert_eq!(gate(&profile, line), Gate::Allow, "{line}");
        }
        profile.network.push("example.org".into());
        assert_eq!(gate(&profile, "git commit -am x"), Gate::Allow);
        assert_eq!(gate(&profile, "make"), Gate::Ask);
    }
}
