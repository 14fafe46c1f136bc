//! Rows of the health pane: one for each tool, and for each kind of task that it served.
//!
//! Must not know: how a weight is computed, what follows from it.
//!
//! A chosen tool also lists every change of its weight, with the execution that caused it.

pub(crate) mod guards;

use crate::ground::columns::Columns as _;
use crate::ground::doc::Styled;
use crate::ground::symbols::{Charset, Symbol};
use crate::ground::theme::Role;
use crate::kernel::pane::{Pane, PaneCard};
use crate::kernel::rows::{Making, Row, RowsKind};
use crate::kernel::show::{SHOWS, show};
use crate::kernel::verb::Verb;
use crate::run::part::RunPart;
use crate::run::target::{NameHash, Target};
use overrule_domain::breaker::{Breaker, Phase, Scope};
use overrule_present::many;
use overrule_resilience::health::{Refused, ToolHealth, refused};
use overrule_resilience::learned;
use overrule_resilience::routing::{Alert, Change, Row as Weight};

/// Columns of a tool's name.
const NAME: usize = 16;
/// Slices of the success over time.
const SLICES: usize = 16;
/// Characters of why a breaker changed.
const WHY: usize = 80;
/// Cells of a weight's meter.
const METER: usize = 10;
/// Maximum number of sudden changes that are listed, the newest ones.
const ALERTS: usize = 5;
/// Minimum width for meters.
const ROOMY: u16 = 60;

/// The pane.
pub const PANE: Pane = Pane::new(&PaneCard::lower("health"));

/// The verb `health`.
pub const SHOW: Verb = Verb {
    name: "health",
    keys: &["8"],
    doc: "show or hide the health of the tools: success over time, failures, latency, weights",
    run: |model, _| show(model, PANE),
    ..SHOWS
};

/// How it behaves.
pub const KIND: RowsKind = RowsKind { pane: PANE, make };

/// The rows.
fn make(making: Making<'_>) -> (String, Vec<Row>) {
    let run = making.run;
    let pane = Drawing {
        run,
        charset: making.charset,
        roomy: making.width >= ROOMY,
    };
    let watch = &run.watch;
    let refused = refused(&run.state);
    let weights: Vec<Weight> = watch.weights.rows().collect();
    let mut rows: Vec<Row> = watch
        .weights
        .alerts()
        .iter()
        .rev()
        .take(ALERTS)
        .map(alert)
        .collect();
    let changed = run
        .state
        .learned
        .breakers
        .iter()
        .filter(|(_, one)| one.generation > 0);
    rows.extend(changed.map(|(scope, one)| breaker(scope, one)));
    rows.extend(started_with(run));
    let earlier = learned::earlier(&run.state);
    let before: Vec<&Weight> = watch.weights.learnt_before().collect();
    let mut names: Vec<&str> = watch.health.tools().map(|(name, _)| &**name).collect();
    names.extend(weights.iter().map(|one| one.tool.as_str()));
    names.extend(refused.keys().map(|name| &**name));
    names.extend(earlier.iter().map(|one| &*one.tool));
    names.extend(before.iter().map(|one| one.tool.as_str()));
    names.extend(run.state.learned.repair_stats.tools.keys().map(|name| &**name));
    names.sort_unstable();
    names.dedup();
    for name in names {
        rows.push(pane.tool(name, refused.get(name)));
        let record = earlier.iter().find(|one| &*one.tool == name);
        rows.extend(record.map(|one| {
            let words = format!("  earlier sessions: {}", learned::health_words(one));
            Row::new(Target::Nothing, Styled::new().own(Role::Dim, words))
        }));
        rows.extend(
            before
                .iter()
                .filter(|one| one.tool == name)
                .map(|one| pane.weight(one, true)),
        );
        rows.extend(pane.repairs(name));
        for one in weights.iter().filter(|one| one.tool == name) {
            rows.push(pane.weight(one, false));
            let is_open = making
                .explained
                .as_ref()
                .is_some_and(|(tool, kind)| **tool == one.tool && **kind == one.kind);
            if is_open {
                let changes = watch.weights.explain(&one.kind, &one.tool);
                rows.extend(changes.rev().map(|one| change(&one)));
            }
        }
    }
    rows.extend(guards::detectors(run));
    rows.extend(guards::lessons(run));
    rows.extend(guards::interventions(run));
    (title(run), rows)
}

fn title(run: &RunPart) -> String {
    let watch = &run.watch;
    match watch.health.hit_rate() {
        None => "no tool has run yet".to_owned(),
        Some(rate) => {
            let alerts = match watch.weights.alerts().len() {
                0 => String::new(),
                count => format!(", {}", many(count, "sudden change")),
            };
            format!("{:.0}% of calls succeeded{alerts}", rate * 100.0)
        }
    }
}

/// Learned data that the run started with.
fn started_with(run: &RunPart) -> Option<Row> {
    let imported = run.state.learned.weights.imported.as_ref()?;
    let words = Styled::new()
        .own(
            Role::Dim,
            format!("started with {}, from ", learned::describe(&imported.learned)),
        )
        .untrusted(Role::Dim, &imported.from, WHY);
    Some(Row::new(Target::Nothing, words))
}

/// The newest sudden changes come first: the operator looks for them.
fn alert(alert: &Alert) -> Row {
    let words = Styled::new()
        .own(Role::Warning, "sudden ")
        .untrusted(Role::Warning, &alert.tool, NAME)
        .own(Role::Warning, format!(" {:+.2} for ", alert.by))
        .untrusted(Role::Warning, &alert.kind, NAME)
        .own(Role::Dim, format!(", to {:.2} ({})", alert.now, alert.seq));
    Row::new(Target::Nothing, words)
}

/// A breaker that has changed at least once.
fn breaker(scope: &Scope, breaker: &Breaker) -> Row {
    let role = match breaker.phase {
        Phase::Closed => Role::Ok,
        Phase::HalfOpen => Role::Warning,
        Phase::Open => Role::Error,
    };
    let words = Styled::new()
        .own(Role::Dim, "breaker ")
        .own(role, format!("{} ", breaker.phase.label()))
        .untrusted(Role::Text, &scope.to_string(), 2 * NAME)
        .own(Role::Dim, format!(", opened {}: ", times(breaker.trips)))
        .untrusted(Role::Dim, &breaker.why, WHY);
    Row::new(Target::Breaker(NameHash::breaker(scope)), words)
}

fn times(count: u32) -> String {
    match count {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        count => format!("{count} times"),
    }
}

fn change(change: &Change) -> Row {
    let (target, cause) = match change.execution {
        Some((call, attempt)) => (Target::Node(call), format!("{call} {attempt}")),
        None => (Target::Nothing, "operator".to_owned()),
    };
    let role = if change.after < change.before {
        Role::Failed
    } else {
        Role::Ok
    };
    let words = Styled::new()
        .own(Role::Dim, format!("    {} ", change.seq))
        .own(Role::Text, format!("{cause} "))
        .own(role, format!("{:.3} to {:.3}", change.before, change.after))
        .own(Role::Dim, format!("  {}", change.why.describe()));
    Row::new(target, words)
}

struct Drawing<'r> {
    run: &'r RunPart,
    charset: Charset,
    roomy: bool,
}

impl Drawing<'_> {
    fn tool(&self, name: &str, refused: Option<&Refused>) -> Row {
        let mut words = Styled::new().untrusted(Role::Title, name, NAME);
        let health = self.run.watch.health.tool(name);
        let used = words.plain().columns();
        words = words.own(Role::Text, " ".repeat(NAME.saturating_sub(used) + 1));
        if let Some(health) = health {
            words = self.figures(words, name, health);
        } else {
            words = words.own(Role::Dim, "never ran");
        }
        if let Some(refused) = refused {
            let mut put = |count: u64, what: &str| {
                if count > 0 {
                    let taken = std::mem::take(&mut words);
                    words = taken.own(Role::Dim, format!(", {count} {what}"));
                }
            };
            put(refused.invalid, "with wrong arguments");
            put(refused.rejected, "rejected by you");
        }
        let target = health
            .and_then(|health| health.last_failure)
            .map_or(Target::Nothing, |(call, ..)| Target::Node(call));
        Row::new(target, words)
    }

    fn figures(&self, mut words: Styled, name: &str, health: &ToolHealth) -> Styled {
        let slices = if self.roomy { SLICES } else { SLICES / 4 };
        for slice in self.run.watch.health.over_time(name, slices) {
            let role = slice.map_or(Role::Dim, role_of);
            words = words.own(role, level(slice, self.charset).to_string());
        }
        words = words.own(Role::Text, " ");
        let rate = health.success_rate().unwrap_or(0.0);
        words = words.own(
            role_of(rate),
            format!("{} of {} ok", health.succeeded, health.executions()),
        );
        let failed: Vec<String> = health
            .failed
            .iter()
            .map(|(class, count)| format!("{count} {}", class.label()))
            .collect();
        if !failed.is_empty() {
            words = words.own(Role::Failed, format!(", {}", failed.join(", ")));
        }
        if health.retries > 0 {
            words = words.own(Role::Text, format!(", {} retried", health.retries));
        }
        let of = |percent| health.latency(percent).unwrap_or(0);
        words.own(Role::Dim, format!("; p50 {} ms, p95 {} ms", of(50), of(95)))
    }

    /// Success of the repair strategies, a row for each.
    fn repairs(&self, name: &str) -> impl Iterator<Item = Row> {
        let started = self.run.state.started.as_ref();
        let price = started.and_then(|started| started.price.as_ref());
        self.run
            .state
            .learned
            .repair_stats
            .of(name)
            .map(move |(strategy, count)| {
                let role = match count.ended() {
                    0 => Role::Dim,
                    ended => role_of(f64::from(count.succeeded) / f64::from(ended)),
                };
                let words = Styled::new()
                    .own(Role::Dim, format!("  repairs by {}: ", strategy.name()))
                    .own(role, count.describe(price));
                Row::new(Target::Nothing, words)
            })
    }

    /// The row of a weight; `is_before` if no execution of this run moved it.
    fn weight(&self, one: &Weight, is_before: bool) -> Row {
        let weights = &self.run.watch.weights;
        let weight = weights.weight(&one.kind, &one.tool);
        let role = role_of(weight);
        // The action comes first, so that no width cuts it off.
        let done = if weights.is_hidden(&one.kind, &one.tool) {
            "not offered "
        } else if weights.asks(&one.kind, &one.tool).is_some() {
            "asks you "
        } else {
            ""
        };
        let mut words = Styled::new()
            .own(Role::Warning, format!("  {done}"))
            .own(Role::Dim, "for ")
            .untrusted(Role::Text, &one.kind, NAME)
            .own(Role::Text, " ");
        if self.roomy {
            let full = ((weight * METER as f64).round() as usize).min(METER);
            let cell = |symbol: Symbol, count: usize| symbol.glyph(self.charset).to_string().repeat(count);
            words = words
                .own(role, cell(Symbol::Bar, full))
                .own(Role::Dim, cell(Symbol::Rest, METER - full))
                .own(Role::Text, " ");
        }
        let rests_on = if is_before {
            " as learned before".to_owned()
        } else {
            format!(" after {}", many(one.samples as usize, "execution"))
        };
        words = words
            .own(role, format!("weight {weight:.2}"))
            .own(Role::Dim, rests_on);
        Row::new(Target::Weight(NameHash::weight(one)), words)
    }
}

fn role_of(rate: f64) -> Role {
    if rate >= 0.5 {
        Role::Ok
    } else if rate >= 0.25 {
        Role::Warning
    } else {
        Role::Error
    }
}

/// One character for a share; a light one if nothing ran.
fn level(share: Option<f64>, charset: Charset) -> char {
    let levels: [char; 8] = match charset {
        Charset::Unicode => ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'],
        Charset::Ascii => ['0', '1', '2', '3', '4', '5', '6', '7'],
    };
    let none = charset.dot();
    share.map_or(none, |share| {
        let at = (share.clamp(0.0, 1.0) * 7.0).round() as usize;
        levels.get(at).copied().unwrap_or(none)
    })
}
