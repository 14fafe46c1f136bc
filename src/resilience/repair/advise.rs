//! Proposes a repair for a call of a run.
//!
//! Must not know: who asks, how a step is carried out.
//!
//! It reads the case from the state and converts the plan to the domain's terms.

use std::sync::Arc;

use jiff::civil::Date;

use super::model::Background;
use super::plan::{Case, Next as Step, Plan, plan};
use super::progress::{Past, Repaired, fingerprint};
use super::propose::{self, Others};
use super::rules::{Exhausted, Rules};
use crate::classify;
use crate::learned;
use crate::loops::advise::may_have_acted;
use overrule_domain::call::{Call, ErrorClass, Outcome, Status, ToolError};
use overrule_domain::id::{NodeKind, Rev};
use overrule_domain::ladder::{Ask, Findings, Fix, Next, Offer, Repair, Round};
use overrule_domain::node::{Content, Node, Origin};
use overrule_domain::repair::{self, Certainty, Change, Choice, Reply};
use overrule_domain::state::State;
use overrule_domain::thread;
use overrule_schema::Checker;

/// Faults that no arguments can repair, because they concern the call itself.
const STRUCTURAL: [&str; 4] = ["tool", "reference", "label", "cycle"];
/// Maximum number of repairs on offer.
const MOST_OPTIONS: usize = 9;

/// What is known about the tool and the time.
#[derive(Clone, Copy)]
pub struct RepairContext<'a> {
    /// The compiled schema of the tool.
    pub checker: &'a Checker,
    /// The tool's description of itself.
    pub described: &'a str,
    /// The date of the decision.
    pub today: Option<Date>,
    /// True if an operator is there to choose.
    pub attended: bool,
    /// What else could make the call; none where nothing is proposed.
    pub others: Option<Others<'a>>,
}

/// Returns the step of repair that follows the failure of a call, or why there is none.
pub fn after(rules: &Rules, state: &State, call: &Call, known: &RepairContext<'_>) -> Result<Next, Arc<str>> {
    let node = repairable(state, call)?;
    let Some((tool, base)) = node.as_call() else {
        return Err("it was deleted".into());
    };
    if call.delegates {
        return Err("a task in plain text is not repaired".into());
    }
    let error = error_of(state, call, node.rev());
    let past = past(call, node);
    let request = request(state, call);
    let others = known.others.filter(|_| {
        let free = rules.propose && rules.is_enabled_for(tool) && !propose::is_used(call);
        free && !may_have_acted(state, call)
    });
    let asks_model = rules.asks_model(tool);
    let tools = others.filter(|_| asks_model);
    let tools = tools.map_or_else(Vec::new, |others| propose::tool_list(others.offered, tool));
    let stats = learned::repairs(state);
    let case = Case {
        tool,
        effect: call.effect,
        checker: known.checker,
        rules,
        background: Background {
            described: known.described,
            request: &request,
            conversation: Some((state, call)),
            tools: &tools,
        },
        base,
        args: base,
        error,
        past: &past,
        stats: rules.learn.then_some(&stats),
        found: under_way(call).map_or(&[], |round| &round.diagnoses),
        today: known.today,
        attended: known.attended,
        asked: false,
    };
    let proposed = others.zip(under_way(call));
    let proposed = proposed.and_then(|(others, round)| propose::answered(&case, others, round));
    let rejected = proposed.as_ref().and_then(|made| made.as_ref().err());
    let (plan, besides) = answered(&case, under_way(call), tool, rejected);
    let round = under_way(call).map_or_else(|| count(call, node) + 1, |round| round.no);
    let found = Findings {
        round,
        of: rules.executions.max(round),
        class: error.map_or(ErrorClass::Param, |error| error.class),
        diagnoses: plan.diagnoses.clone(),
    };
    let asks = known.attended && rules.exhausted == Exhausted::Ask && rules.is_enabled_for(tool);
    if let Some(Ok(fix)) = proposed {
        return Ok(Next::Repair(Box::new(Repair { found, fix })));
    }
    let by_arguments = found.class == ErrorClass::Param;
    let ends = matches!(plan.next, Step::Stop { critical: false, .. });
    let errors = plan.errors.clone();
    let mut why = match step((plan, besides), found.clone(), tool, known.attended) {
        Err(why) => why,
        next => return next,
    };
    if let Some(others) = others.filter(|_| by_arguments && ends) {
        match propose::substitute(&case, others, &why) {
            Ok(fix) => return Ok(Next::Repair(Box::new(Repair { found, fix }))),
            Err(refused) if !refused.is_empty() => why = format!("{why}; {refused}").into(),
            Err(_) => {}
        }
        // One question a repair, and one of this kind a call.
        let asked = under_way(call).is_some_and(|round| round.asked.is_some()) || propose::was_asked(call);
        if asks_model && rules.ask_for_call && !asked && !tools.is_empty() {
            let question = propose::question(&case, &errors, &why);
            return Ok(Next::Ask(Box::new(Ask { found, question })));
        }
    }
    if let Some(rejected) = rejected.filter(|_| under_way(call).is_some_and(propose::is_question)) {
        why = format!("{why}; {rejected}").into();
    }
    // A person decides before the model is told.
    if asks && by_arguments {
        if let Some(name) = error.and_then(classify::argument) {
            why = format!("{why}; the words are {}{name}`", classify::ABOUT).into();
        }
        return Ok(Next::Offer(Box::new(Offer {
            found,
            why: format!("no repair is left: {why}").into(),
            options: Vec::new(),
        })));
    }
    Err(why)
}

/// The node of a call, if other arguments can help.
fn repairable<'s>(state: &'s State, call: &Call) -> Result<&'s Node, Arc<str>> {
    let mut faults = call.validation.faults.iter();
    if faults.any(|fault| STRUCTURAL.contains(&fault.keyword.as_str())) {
        return Err("the problem is not in its arguments: the model sees it".into());
    }
    state
        .nodes
        .get(&call.id)
        .ok_or_else(|| "there is no such call".into())
}

/// Returns the current round of the call.
fn under_way(call: &Call) -> Option<&Round> {
    call.failure
        .repairs
        .last()
        .filter(|_| matches!(call.status, Status::Repairing(_)))
}

/// Returns the plan that includes the model's reply. If the model's proposal does something other
/// than requested, alternatives are included.
fn answered(
    case: &Case<'_>,
    round: Option<&Round>,
    tool: &Arc<str>,
    rejected: Option<&String>,
) -> (Plan, Vec<Fix>) {
    let first = plan(case);
    let Some(reply) = round.and_then(|round| round.reply.as_ref()) else {
        return (first, Vec::new());
    };
    let Step::AskModel(question) = &first.next else {
        // The rules have changed since it was asked, and now suffice.
        return (first, Vec::new());
    };
    let after = |args: &str, changes: Vec<Change>| {
        let mut plan = plan(&Case {
            args,
            asked: true,
            ..*case
        });
        plan.changes = super::plan::merged([changes, plan.changes].concat());
        plan
    };
    let taken = match reply {
        // It named another call, which cannot be made.
        Reply::Answered { .. } if let Some(why) = rejected => Err(why.clone()),
        Reply::Answered { text } => question
            .answered(&first.args, text)
            .map_err(|rejected| rejected.to_string()),
        Reply::Failed { why } => Err(format!("the model could not be asked: {why}")),
    };
    match taken {
        Ok((args, changes)) => {
            let plan = after(&args, [first.changes.clone(), changes].concat());
            let besides = after(&first.args, first.changes.clone());
            let fixes = match besides.next {
                Step::AskOperator if is_other(&plan.changes) => {
                    combined(&besides.choices, &besides.args, &besides.changes, tool)
                }
                _ => Vec::new(),
            };
            (plan, fixes)
        }
        Err(why) => {
            let mut plan = after(&first.args, first.changes.clone());
            if let Step::Stop { why: output, .. } = &mut plan.next {
                *output = format!("{why}; {output}");
            }
            (plan, Vec::new())
        }
    }
}

/// Returns true if a model proposes something other than requested.
fn is_other(changes: &[Change]) -> bool {
    let other = |change: &Change| change.certainty == Certainty::Changed && change.strategy.asks_model();
    changes.iter().any(other)
}

fn step(
    (plan, besides): (Plan, Vec<Fix>),
    found: Findings,
    tool: &Arc<str>,
    attended: bool,
) -> Result<Next, Arc<str>> {
    match plan.next {
        Step::Nothing => Err("nothing is wrong with what it says itself".into()),
        Step::Retry => Err("its arguments are not the cause".into()),
        Step::Stop { why, .. } => Err(why.into()),
        Step::AskModel(question) => Ok(Next::Ask(Box::new(Ask {
            found,
            question: repair::Question {
                params: question.params().map(Arc::from).collect(),
                strategies: question.strategies(),
                prompt: question.prompt.as_str().into(),
                schema: question.schema.as_str().into(),
            },
        }))),
        Step::Apply => {
            let other = is_other(&plan.changes);
            let fix = Fix {
                label: label(&plan.changes),
                changes: plan.changes,
                tool: tool.clone(),
                args: plan.args.into(),
            };
            if other && !attended {
                return Err(
                    "the model proposes something other than requested, and no operator is here to decide"
                        .into(),
                );
            }
            if other {
                // The model may propose something other than requested; a person decides on it.
                return Ok(Next::Offer(Box::new(Offer {
                    found,
                    why: "it would do something other than requested".into(),
                    options: std::iter::once(fix).chain(besides).take(MOST_OPTIONS).collect(),
                })));
            }
            Ok(Next::Repair(Box::new(Repair { found, fix })))
        }
        Step::AskOperator => {
            let why: Vec<&str> = plan.choices.iter().map(|choice| &*choice.question).collect();
            let options = combined(&plan.choices, &plan.args, &plan.changes, tool);
            if options.is_empty() {
                return Err("no choice matches the arguments any longer".into());
            }
            Ok(Next::Offer(Box::new(Offer {
                found,
                why: why.join("; ").into(),
                options,
            })))
        }
    }
}

/// Combines the answers to all questions if there are few; otherwise offers the answers to the first.
fn combined(choices: &[Choice], args: &str, changes: &[Change], tool: &Arc<str>) -> Vec<Fix> {
    let ways: usize = choices.iter().map(|choice| choice.options.len()).product();
    let first = choices.get(..1).unwrap_or(choices);
    let asked = if ways > MOST_OPTIONS { first } else { choices };
    let mut all: Vec<(String, Vec<Change>)> = vec![(args.to_owned(), Vec::new())];
    for choice in asked {
        all = all
            .iter()
            .flat_map(|(args, made)| {
                choice.options.iter().filter_map(move |option| {
                    let args = repair::changed(args, &option.changes)?;
                    Some((args, [made.clone(), option.changes.clone()].concat()))
                })
            })
            .collect();
    }
    all.into_iter()
        .take(MOST_OPTIONS)
        .map(|(args, made)| Fix {
            label: label(&made),
            changes: super::plan::merged([changes.to_vec(), made].concat()),
            tool: tool.clone(),
            args: args.into(),
        })
        .collect()
}

/// Describes in a few words the effect of changes on a call.
fn label(changes: &[Change]) -> String {
    const MOST: usize = 60;
    let words: Vec<String> = changes
        .iter()
        .filter(|change| change.to.is_some() || changes.len() == 1)
        .map(|change| {
            let path = super::arg_path::shown(&change.path);
            let to = change.to.as_deref().unwrap_or("left out");
            let mut short: String = to.chars().take(MOST).collect();
            if short.len() < to.len() {
                short.push('…');
            }
            if path.is_empty() {
                short
            } else {
                format!("{path}: {short}")
            }
        })
        .collect();
    words.join(", ")
}

/// Returns the error with which this revision of a call ended, if it ran.
fn error_of<'s>(state: &'s State, call: &Call, rev: Rev) -> Option<&'s ToolError> {
    match &state.observation(call.id)?.now().content {
        Content::Observation {
            call_rev,
            outcome: Outcome::Err(error),
            ..
        } if *call_rev == rev => Some(error),
        _ => None,
    }
}

/// Returns the first revision since which only repair has written the arguments.
fn written(node: &Node) -> Rev {
    let mut by_repair = node
        .revisions
        .iter()
        .rev()
        .skip_while(|one| one.no > node.rev())
        .skip_while(|one| matches!(one.origin, Origin::Repair { .. }));
    by_repair.next().map_or(Rev(1), |one| one.no)
}

/// Returns the number of rounds of repair since a person or the model wrote the arguments.
fn count(call: &Call, node: &Node) -> u32 {
    let since = written(node);
    let rounds = call.failure.repairs.iter().filter(|round| round.rev >= since);
    rounds.count() as u32
}

/// Returns the attempts since a person or the model wrote the arguments.
fn past(call: &Call, node: &Node) -> Past {
    let since = written(node);
    let mut past = Past::default();
    for attempt in call.attempts.iter().filter(|one| one.rev >= since) {
        if let Some(Content::Call { args, .. }) = node.revision(attempt.rev).map(|one| &one.content) {
            past.tried(args);
        }
    }
    for round in call.failure.repairs.iter().filter(|round| round.rev >= since) {
        if !round.changes.is_empty() {
            past.rounds += 1;
        }
        let failed = call.attempts.iter().rev().find(|one| one.rev == round.rev);
        let Some(Outcome::Err(error)) = failed.and_then(|one| one.outcome.as_ref()) else {
            continue;
        };
        let error = fingerprint(&error.text());
        past.repaired.extend(round.changes.iter().map(|change| Repaired {
            error: error.clone(),
            path: change.path.to_string(),
        }));
    }
    past
}

/// Returns what people asked for in the call's thread: the first prompt and the newest.
fn request(state: &State, call: &Call) -> String {
    let thread = thread::of(state, call.id);
    let prompts: Vec<&str> = state
        .turns_of(thread)
        .flat_map(|turn| &turn.nodes)
        .filter(|id| id.kind == NodeKind::Prompt)
        .filter_map(|id| state.nodes.get(id))
        .filter(|node| node.active)
        .map(Node::text)
        .collect();
    match prompts.as_slice() {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [first, .., last] => format!("{first}\n\n{last}"),
    }
}
