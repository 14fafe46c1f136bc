//! Adds a policy rule: for the rest of the session, for the workspace, or always.
//!
//! Must not know: how a command is decided, where it is recorded, how a rule is evaluated.

use clap::ValueEnum;

use super::takes::{On, PreviewArg};
use super::{Act, Session};
use crate::args::number;
use crate::exit::{Code, Failure};
use crate::{print, rules};
use overrule_console::kernel::files::{KeptRule, RuleScope};
use overrule_domain::command::{Command, RunCommand};
use overrule_domain::id::NodeId;
use overrule_domain::rule::{RuleRequest, RuleSpec};
use overrule_policy::ready_rules::{About, Choices, PresetChange, presets, ready_rules};
use overrule_present::json;
use overrule_present::ready_rule::{self, ReadyRuleView};

/// Maximum number of calls that a line of the list names.
const CALLS: usize = 12;

/// Add a policy rule: as you write it, or a ready one made from a call (see docs/policy.md)
#[derive(Debug, clap::Args)]
pub struct AddRule {
    /// The session
    #[command(flatten)]
    pub on: On,
    /// The preview: the rule as read, and the recorded calls that it matches
    #[command(flatten)]
    pub look: PreviewArg,
    /// Rule, such as: tool = "read_file", gate = "allow"
    #[arg(required_unless_present = "from", conflicts_with = "from")]
    pub rule: Option<String>,
    /// List the ready rules made from this call; --row takes one
    #[arg(long, value_name = "CALL")]
    pub from: Option<NodeId>,
    /// Row of that list, from 1
    #[arg(long, value_name = "N", requires = "from", value_parser = number::whole::<usize>("the number of a row, such as 1"))]
    pub row: Option<usize>,
    /// Number of first words of the command that the rule names
    #[arg(long, value_name = "N", requires = "row", value_parser = number::whole::<usize>("a number of words, such as 3"))]
    pub words: Option<usize>,
    /// How long it counts
    #[arg(long = "for", value_enum, default_value_t = For::Session)]
    pub scope: For,
    /// Digest that the preview printed; the rule then also decides the waiting calls
    #[arg(long)]
    pub digest: Option<String>,
}

/// How long a rule counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum For {
    /// In this session
    Session,
    /// In this workspace: kept in a file of yours
    Workspace,
    /// Always: kept in your settings
    Always,
}

/// A row of the list.
enum Row {
    Rule(Choices),
    Preset(PresetChange),
}

impl AddRule {
    fn failed(why: impl Into<String>) -> Failure {
        Failure::new(Code::Usage, format!("cannot add the rule: {}", why.into()))
    }

    /// The ready rules of the call, and the presets.
    fn rows(session: &Session<'_>, call: NodeId) -> Result<Vec<Row>, Failure> {
        let table = &session.context.settings.danger.table;
        let found = ready_rules(session.state, call, table).map_err(Self::failed)?;
        let current = session.state.settings.policy.parse().unwrap_or_default();
        let less = presets(session.state, current).into_iter();
        let less = less.filter(|change| change.asks < change.asked).map(Row::Preset);
        Ok(found.into_iter().map(Row::Rule).chain(less).collect())
    }

    /// The rule to add, and its text for a file; none for a preset.
    fn requested(&self, session: &Session<'_>) -> Result<(Option<RuleRequest>, Option<KeptRule>), Failure> {
        let (Some(call), Some(row)) = (self.from, self.row) else {
            let text = self.rule.clone().unwrap_or_default();
            let kept = KeptRule::Rule {
                text: text.clone(),
                call: None,
            };
            return Ok((Some(RuleRequest::Text { text: text.into() }), Some(kept)));
        };
        let rows = Self::rows(session, call)?;
        let count = rows.len();
        let row = row.checked_sub(1).and_then(|at| rows.into_iter().nth(at));
        let choices = match row {
            Some(Row::Rule(choices)) => choices,
            Some(Row::Preset(change)) => return Ok((None, Some(KeptRule::Preset(change.preset)))),
            None => {
                return Err(Self::failed(format!(
                    "there are {count} rows; hint: --from {call} lists them"
                )));
            }
        };
        let mut rules = choices.rules.into_iter();
        let rule = match self.words {
            None => rules.next(),
            Some(count) => {
                rules.find(|rule| matches!(&rule.about, About::Words(words) if words.len() == count))
            }
        };
        let rule = rule.ok_or_else(|| Self::failed("no rule of this row has that number of words"))?;
        let kept = rule.text.clone().map(|text| KeptRule::Rule {
            text,
            call: Some(call),
        });
        if rule.about != About::Exactly {
            let text = rule.text.unwrap_or_default().into();
            return Ok((Some(RuleRequest::Text { text }), kept));
        }
        let its = session.state.call(call).and_then(|found| found.digest.clone());
        let rev = session.state.node(call).map(overrule_domain::node::Node::rev);
        match (its, rev) {
            (Some(digest), Some(rev)) => Ok((Some(RuleRequest::Exact { call, rev, digest }), kept)),
            _ => Err(Self::failed(format!("{call} does not wait for approval"))),
        }
    }

    /// Keeps the rule in a file, if it outlasts the session.
    fn keep(&self, session: &Session<'_>, kept: Option<&KeptRule>) -> Result<(), Failure> {
        let scope = match self.scope {
            For::Session => return Ok(()),
            For::Workspace => RuleScope::Workspace,
            For::Always => RuleScope::Always,
        };
        let kept = kept.ok_or_else(|| Self::failed("it cannot be written to a file; hint: --for session"))?;
        let place = rules::keep(session.context, scope, kept).map_err(Self::failed)?;
        print::err(&format!("kept in {place}"));
        Ok(())
    }

    /// Prints the ready rules.
    fn list(session: &Session<'_>, call: NodeId) -> Result<(), Failure> {
        let node = session.state.node(call).and_then(|node| node.as_call());
        let is_shell = node.is_some_and(|(tool, _)| overrule_base::known_tool::is_shell(tool));
        for (at, row) in Self::rows(session, call)?.iter().enumerate() {
            let view = match row {
                Row::Rule(choices) => {
                    let Some(rule) = choices.rules.first() else {
                        continue;
                    };
                    ReadyRuleView {
                        row: at + 1,
                        label: ready_rule::label(rule, is_shell),
                        gate: Some(rule.gate),
                        preset: None,
                        rule: rule.text.clone(),
                        effect: ready_rule::text(&ready_rule::effect(rule, CALLS)),
                    }
                }
                Row::Preset(change) => ReadyRuleView {
                    row: at + 1,
                    label: ready_rule::preset_label(change),
                    gate: None,
                    preset: Some(change.preset.label()),
                    rule: None,
                    effect: ready_rule::preset_effect(change, false),
                },
            };
            print::out(&if session.common.json {
                json(&view)
            } else {
                format!("{:>2}  {:<40}  {}", view.row, view.label, view.effect)
            });
        }
        if !session.common.json {
            print::out("hint: --row N takes one; with --preview it is shown with its text and its digest");
        }
        Ok(())
    }
}

impl Act for AddRule {
    fn on(&self) -> &On {
        &self.on
    }

    fn is_preview(&self) -> bool {
        self.look.preview || (self.from.is_some() && self.row.is_none())
    }

    fn commands(&self, session: &Session<'_>) -> Result<Vec<Command>, Failure> {
        if self.is_preview() {
            return Ok(Vec::new());
        }
        let (requested, kept) = self.requested(session)?;
        let command = match (requested, &kept) {
            (Some(requested), _) => {
                refuse_known(session, &requested)?;
                let table = &session.context.settings.danger.table;
                rules::add(session.state, requested, table, self.digest.as_deref())?
            }
            (None, Some(KeptRule::Preset(preset))) => Command::Run(RunCommand::SetPolicy {
                policy: preset.to_string(),
            }),
            (None, _) => return Err(Self::failed("it says nothing")),
        };
        self.keep(session, kept.as_ref())?;
        Ok(vec![command])
    }

    fn preview(&self, session: &Session<'_>) -> Option<Result<(), Failure>> {
        if let (Some(call), None) = (self.from, self.row) {
            return Some(Self::list(session, call));
        }
        let shown = self
            .requested(session)
            .and_then(|(requested, kept)| match (requested, kept) {
                (Some(requested), _) => rules::preview(
                    session.common,
                    session.state,
                    &requested,
                    &session.context.settings.danger.table,
                ),
                (None, Some(KeptRule::Preset(preset))) => {
                    print::out(&format!(
                        "preset     {preset}: asks about {}",
                        preset.asks_about()
                    ));
                    Ok(())
                }
                (None, _) => Ok(()),
            });
        Some(shown)
    }
}

/// Refuses a rule that the session has, before anything is kept.
fn refuse_known(session: &Session<'_>, requested: &RuleRequest) -> Result<(), Failure> {
    let RuleRequest::Text { text } = requested else {
        return Ok(());
    };
    let mut rules = session.state.settings.rules.iter().filter(|rule| !rule.dropped);
    let has =
        |written: &RuleSpec| matches!(written, RuleSpec::Text { text: known } if **known == *text.trim());
    if rules.any(|rule| has(&rule.written)) {
        return Err(Failure::new(
            Code::Halted,
            "cannot add the rule: the session already has it".to_owned(),
        ));
    }
    Ok(())
}
