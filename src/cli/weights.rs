//! Prints tool weights (`overrule weights`), and describes changes of them.
//!
//! Must not know: how a weight is computed.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::args::{self, Common};
use super::build::AppContext;
use super::exit::{Code, Failure};
use super::{print, record, resume};
use overrule_base::text::visible;
use overrule_domain::event::run::ToolCard;
use overrule_domain::state::State;
use overrule_present::health::{describe, describe_breaker};
use overrule_present::json;
use overrule_present::loops::LessonsView;
use overrule_present::weight::{WeightChangeView, WeightsView};
use overrule_resilience::health;
use overrule_resilience::learned;
use overrule_resilience::watch::Watch;

/// Prints all weights and their grounds, or every change of the weights of one tool.
pub fn print(common: &Common, args: &args::Weights) -> Result<Code, Failure> {
    let context = AppContext::read(common)?;
    let place = context.find(&args.id)?;
    let found = record::as_found(&place)?;
    let recorded = found
        .state
        .started
        .as_deref()
        .ok_or_else(|| resume::unbegun(&place.id()))?;
    let setup = resume::setup_of(recorded, &place.id())?;
    let context = context.for_run(common, std::path::Path::new(&recorded.workspace), &setup)?;
    let watch = context.watch().on(&found.state);
    if let Some(tool) = &args.tool {
        explain(common, &watch, tool)?;
    } else if common.json {
        print::out(&json(&WeightsView::of(&found.state, watch.weights.snapshot())));
    } else {
        table(&watch, &found.state);
    }
    if found.held {
        print::err("another process has the session open: this is what it has recorded");
    }
    Ok(Code::Ok)
}

fn table(watch: &Watch, state: &State) {
    let mut any = false;
    if let Some(imported) = &state.learned.weights.imported {
        any = true;
        print::out(&format!(
            "started with {}, from {}",
            learned::describe(&imported.learned),
            visible(&imported.from)
        ));
    }
    for row in watch.weights.rows() {
        any = true;
        let after = format!("after {}", plural(u64::from(row.samples), "execution"));
        print::out(&weight_line(watch, (&row.kind, &row.tool), &after));
    }
    for row in watch.weights.learnt_before() {
        any = true;
        let learnt = "as learned before";
        print::out(&weight_line(watch, (&row.kind, &row.tool), learnt));
    }
    let refused = health::refused(state);
    for (tool, health) in watch.health.tools() {
        any = true;
        print::out(&format!("{:20} {}", visible(tool), describe(health)));
    }
    servers(watch, state);
    for one in learned::earlier(state) {
        print::out(&format!(
            "{:20} earlier sessions: {}",
            visible(&one.tool),
            learned::health_words(one)
        ));
    }
    for (tool, refused) in &refused {
        print::out(&format!(
            "{:20} {}, {} rejected by you",
            visible(tool),
            plural(refused.invalid, "invalid call"),
            refused.rejected
        ));
    }
    for (tool, strategy, words) in repairs(state) {
        any = true;
        print::out(&format!("{:20} repairs by {strategy}: {words}", visible(&tool)));
    }
    for (scope, breaker) in state
        .learned
        .breakers
        .iter()
        .filter(|(_, one)| one.generation > 0)
    {
        print::out(&format!(
            "{:20} {}",
            visible(&scope.to_string()),
            describe_breaker(breaker)
        ));
    }
    if let Some(lessons) = LessonsView::of(state) {
        print::out(&lessons.describe());
    }
    for alert in watch.weights.alerts() {
        print::out(&format!(
            "{} {:+.2} within 10 executions for {}, to {:.2} ({})",
            visible(&alert.tool),
            alert.by,
            visible(&alert.kind),
            alert.now,
            alert.seq
        ));
    }
    if let Some(rate) = watch.health.hit_rate() {
        let hits = rate * 100.0;
        print::out(&format!("the chosen tool succeeded in {hits:.0}% of calls"));
    } else if !any {
        print::err("no tool has run yet");
    }
}

/// The health of each MCP server: that of its tools together.
fn servers(watch: &Watch, state: &State) {
    let started = state.started.as_deref();
    let cards = || started.iter().flat_map(|started| &started.tools);
    let names: BTreeSet<&str> = cards().filter_map(ToolCard::server).collect();
    for server in names {
        let is_one = |name: &str| cards().any(|card| *card.name == *name && card.server() == Some(server));
        let health = watch.health.together(is_one);
        if health.executions() > 0 {
            let name = format!("server:{}", visible(server));
            print::out(&format!("{name:20} {}", describe(&health)));
        }
    }
}

/// The results of repairs, a line for each tool and strategy.
fn repairs(state: &State) -> impl Iterator<Item = (Arc<str>, &'static str, String)> {
    let price = state.started.as_ref().and_then(|started| started.price.as_ref());
    state
        .learned
        .repair_stats
        .tools
        .iter()
        .flat_map(move |(tool, counts)| {
            counts
                .iter()
                .map(move |(strategy, count)| (Arc::clone(tool), strategy.name(), count.describe(price)))
        })
}

/// Formats a weight, with its grounds, and with a note if it is below the bound.
fn weight_line(watch: &Watch, (kind, tool): (&str, &str), rests: &str) -> String {
    let bound = watch.weights.asks(kind, tool).is_some();
    format!(
        "{:20} {:10} weight {:.2} {rests}{}",
        visible(tool),
        visible(kind),
        watch.weights.weight(kind, tool),
        if bound { "; its calls ask you first" } else { "" }
    )
}

fn plural(count: u64, what: &str) -> String {
    if count == 1 {
        format!("1 {what}")
    } else {
        format!("{count} {what}s")
    }
}

fn explain(common: &Common, watch: &Watch, tool: &str) -> Result<(), Failure> {
    let weights = &watch.weights;
    let known = weights.rows().filter(|row| row.tool == tool).map(|row| row.kind);
    let before = weights.learnt_before().filter(|row| row.tool == tool);
    let kinds: Vec<String> = known.chain(before.map(|row| row.kind.clone())).collect();
    if kinds.is_empty() {
        return Err(Failure::new(
            Code::Usage,
            format!(
                "cannot find weights of `{}`; hint: `overrule weights ID` lists all",
                visible(tool)
            ),
        ));
    }
    if common.json {
        for change in kinds.iter().flat_map(|kind| weights.explain(kind, tool)) {
            print::out(&json(&WeightChangeView::of(&change)));
        }
        return Ok(());
    }
    for kind in &kinds {
        let now = weights.weight(kind, tool);
        print::out(&format!("{} for {}: {now:.3}", visible(tool), visible(kind)));
        if let Some(begun) = weights.priors().of(kind, tool) {
            print::out(&format!("  started at {begun:.3}, as learned before"));
        }
        for change in weights.explain(kind, tool) {
            print::out(&format!("  {}", WeightChangeView::of(&change).describe()));
        }
    }
    Ok(())
}
