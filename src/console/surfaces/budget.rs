//! Rows of the budget pane: used and allowed amounts for each limit, sub-agent and request.
//!
//! Must not know: how a limit is enforced.
use std::fmt::Write as _;

use crate::ground::doc::Styled;
use crate::ground::symbols::{Charset, Symbol};
use crate::ground::theme::Role;
use crate::kernel::pane::{Pane, PaneCard};
use crate::kernel::rows::{Making, Row, RowsKind};
use crate::kernel::show::{SHOWS, show};
use crate::kernel::verb::Verb;
use crate::run::approval_stats;
use crate::run::limits::share;
use crate::run::part::RunPart;
use crate::run::target::Target;
use overrule_domain::call::Status;
use overrule_domain::price::{NOT_PRICED, Price, RunCost};
use overrule_domain::state::State;
use overrule_domain::thread::{ROOT, is_active};
use overrule_domain::turn::{Turn, Usage};
use overrule_present::{in_cache, many};

/// Columns of a name before its figures.
const NAME: usize = 10;
/// Cells of a meter.
const METER: usize = 20;
/// Maximum number of requests that are listed, the newest ones.
const REQUESTS: usize = 200;

/// The pane.
pub const PANE: Pane = Pane::new(&PaneCard {
    ticks: true,
    ..PaneCard::lower("budget")
});

/// The verb `budget`.
pub const SHOW: Verb = Verb {
    name: "budget",
    keys: &["7"],
    doc: "show or hide the budget: limits, tokens, price, every request",
    run: |model, _| show(model, PANE),
    ..SHOWS
};

/// How it behaves.
pub const KIND: RowsKind = RowsKind { pane: PANE, make };

/// The rows.
fn make(making: Making<'_>) -> (String, Vec<Row>) {
    let (run, now) = (making.run, making.now);
    let state = &run.state;
    let meter = Meter {
        charset: making.charset,
        cells: if making.width >= 60 { METER } else { 0 },
    };
    let price = state.started.as_ref().and_then(|started| started.price.as_ref());
    let mut rows = limits((run, now), price, &meter);
    rows.extend(without_tools(state));
    rows.push(calls(state, &Tally::of(state)));
    if let Some(asked) = approval_stats::of(state) {
        let words = named(asked.name).untrusted(Role::Text, &asked.words, 400);
        rows.push(Row::new(Target::Nothing, words));
    }
    threads(state, &meter, &mut rows);
    let asked = state.turns.values().filter(|turn| turn.asked > 0).rev();
    for turn in asked.take(REQUESTS) {
        rows.push(request(turn, is_scripted(state)));
    }
    let title = match &state.tally.limit_reached {
        Some((which, _)) => format!("limit of {} reached", overrule_base::text::visible(which)),
        None => many(state.tally.requests as usize, "request"),
    };
    (title, rows)
}

/// Draws the used share of a limit.
struct Meter {
    charset: Charset,
    cells: usize,
}

impl Meter {
    fn put(&self, words: Styled, used: u64, most: u64) -> Styled {
        let share = share(used, most);
        let role = match share {
            0..80 => Role::Ok,
            80..100 => Role::Warning,
            _ => Role::Error,
        };
        let full = usize::try_from(share).unwrap_or(100).min(100) * self.cells / 100;
        let cell = |symbol: Symbol, count: usize| symbol.glyph(self.charset).to_string().repeat(count);
        words
            .own(role, cell(Symbol::Bar, full))
            .own(Role::Dim, cell(Symbol::Rest, self.cells - full))
            .own(role, format!(" {share:>3}%"))
    }
}

fn named(name: &str) -> Styled {
    Styled::new().own(Role::Dim, format!("{name:<NAME$} "))
}

fn limits((run, now): (&RunPart, Option<i64>), price: Option<&Price>, meter: &Meter) -> Vec<Row> {
    let state = &run.state;
    let mut rows = Vec::new();
    let mut put = |name: &str, used: (u64, String), most: Option<(u64, String)>, more: String| {
        let mut words = named(name);
        words = match most {
            Some((most, shown)) => meter
                .put(words, used.0, most)
                .own(Role::Text, format!("  {} of {shown}{more}", used.1)),
            None => words
                .own(Role::Text, format!("{}{more}", used.1))
                .own(Role::Dim, ", no limit"),
        };
        rows.push(Row::new(Target::Limits, words));
    };
    let plain = |count: u64| (count, count.to_string());
    let limits = &state.settings.limits;
    // Named as the limit in the settings, with the count after it.
    let counted = limits.turns.unwrap_or(state.tally.requests);
    put(
        "turns",
        plain(u64::from(state.tally.requests)),
        limits.turns.map(|most| plain(most.into())),
        if counted == 1 { " request" } else { " requests" }.to_owned(),
    );
    put(
        "tokens",
        (state.tally.usage.total(), total(state.tally.usage)),
        limits.tokens.map(plain),
        format!(" ({})", tokens(state.tally.usage)),
    );
    match (price, state.tally.spent.describe()) {
        (Some(price), spent) => {
            let used = state.tally.spent.of(&price.currency);
            let words = spent.unwrap_or_else(|| price.money(0).to_string());
            let most = limits.price.map(|most| (most, price.money(most).to_string()));
            put("price", (used, words), most, String::new());
        }
        (None, Some(spent)) => put("price", (0, spent), None, String::new()),
        (None, None) => {
            let words = if is_scripted(state) {
                "none: a script answers, no model".to_owned()
            } else {
                format!("{NOT_PRICED}: :set-price sets it")
            };
            rows.push(Row::new(Target::Nothing, named("price").own(Role::Dim, words)));
        }
    }
    rows.push(time((run, now), meter));
    if let Some(all) = run.worked_in_all_ms(now) {
        let words = format!("{} at work in all processes of the session", span(all));
        rows.push(Row::new(Target::Nothing, named("in all").own(Role::Text, words)));
    }
    let running = state.agenda.running.len();
    let words = format!("{running} of {} at a time", limits.parallel);
    rows.push(Row::new(Target::Limits, named("parallel").own(Role::Text, words)));
    rows
}

/// Working time, without waits for the operator.
fn time((run, now): (&RunPart, Option<i64>), meter: &Meter) -> Row {
    let words = named("minutes");
    let words = match (run.worked_ms(now), run.state.settings.limits.wall_ms) {
        (Some(used), Some(most)) => meter.put(words, used, most).own(
            Role::Text,
            format!(
                "  {} at work of {} since it opened, without waits for you",
                span(used),
                span(most)
            ),
        ),
        (Some(used), None) => words
            .own(Role::Text, format!("{} at work since it opened", span(used)))
            .own(Role::Dim, ", no limit"),
        (None, Some(most)) => words.own(
            Role::Text,
            format!("at most {} of working time, without waits for you", span(most)),
        ),
        (None, None) => words.own(Role::Text, "no limit"),
    };
    Row::new(Target::Limits, words)
}

/// Number of active calls by status.
#[derive(Debug, Default)]
struct Tally {
    all: usize,
    ok: usize,
    failed: usize,
    refused: usize,
    left: usize,
}

impl Tally {
    /// Counts the active calls.
    fn of(state: &State) -> Self {
        let mut tally = Self::default();
        for call in state.calls.values() {
            if !state.nodes.get(&call.id).is_some_and(|node| node.active) {
                continue;
            }
            tally.all += 1;
            match call.status {
                Status::Succeeded | Status::Exited(_) => tally.ok += 1,
                Status::Failed(_) | Status::Invalid | Status::Unsatisfiable => tally.failed += 1,
                Status::Rejected | Status::Expired => tally.refused += 1,
                Status::Abandoned => tally.left += 1,
                _ => {}
            }
        }
        tally
    }
}

/// The row of the calls by status.
fn calls(state: &State, tally: &Tally) -> Row {
    let mut words = named("calls").own(Role::Text, format!("{}: {} ok", tally.all, tally.ok));
    let waiting = state.agenda.waiting.len();
    for (count, word, role) in [
        (tally.failed, "failed", Role::Failed),
        (tally.refused, "rejected", Role::Denied),
        (tally.left, "abandoned", Role::Unknown),
        (waiting, "waiting", Role::Awaiting),
    ] {
        if count > 0 {
            words = words.own(role, format!(", {count} {word}"));
        }
    }
    let executions = state.ledger.len();
    let words = words.own(Role::Dim, format!("; {}", many(executions, "execution")));
    Row::new(Target::Nothing, words)
}

/// True if a script answers, which costs nothing.
fn is_scripted(state: &State) -> bool {
    state
        .started
        .as_ref()
        .is_none_or(|started| started.wire == "scripted")
}

/// What the requests of a thread cost, as the end of a row.
fn cost<'t>(turns: impl Iterator<Item = &'t Turn>, is_scripted: bool) -> String {
    let spent = turns.fold(RunCost::default(), |sum, turn| sum.plus(&turn.spent));
    match spent.describe() {
        Some(spent) => format!(", {spent}"),
        None if is_scripted => String::new(),
        None => format!(", {NOT_PRICED}"),
    }
}

/// Rows of the main thread and of sub-agents with their used and allowed amounts. Without sub-agents the main thread is
/// the run.
fn threads(state: &State, meter: &Meter, rows: &mut Vec<Row>) {
    let scripted = is_scripted(state);
    if state
        .threads
        .children
        .values()
        .any(|child| is_active(state, child))
    {
        let turns = || state.turns_of(ROOT).filter(|turn| turn.asked > 0);
        let usage = turns().fold(Usage::default(), |sum, turn| sum.plus(turn.usage));
        let words = named("main").own(
            Role::Text,
            format!(
                "{}, {} tokens{}",
                many(turns().count(), "request"),
                total(usage),
                cost(turns(), scripted)
            ),
        );
        rows.push(Row::new(Target::Nothing, words));
    }
    for child in state
        .threads
        .children
        .values()
        .filter(|child| is_active(state, child))
    {
        let turns = || state.turns_of(child.thread).filter(|turn| turn.asked > 0);
        let asked = turns().count() as u64;
        let usage = turns().fold(Usage::default(), |sum, turn| sum.plus(turn.usage));
        let name = format!("agent {}", child.thread);
        let words = meter.put(named(&name), asked, u64::from(child.max_turns)).own(
            Role::Text,
            format!(
                "  {asked} of {} requests for {}, {} tokens{}",
                child.max_turns,
                child.call,
                total(usage),
                cost(turns(), scripted)
            ),
        );
        rows.push(Row::new(Target::Node(child.call), words));
    }
}

fn request(turn: &Turn, is_scripted: bool) -> Row {
    let target = turn
        .nodes
        .first()
        .map_or(Target::Nothing, |node| Target::Node(*node));
    let role = if turn.is_active() {
        Role::Text
    } else {
        Role::Superseded
    };
    let mut words = named(&turn.id.to_string()).own(role, tokens(turn.usage));
    // At the price of its time, not at that of today.
    if let Some(spent) = turn.spent.describe() {
        words = words.own(role, format!("  {spent}"));
    } else if !is_scripted && turn.usage != Usage::default() {
        words = words.own(Role::Dim, format!("  {NOT_PRICED}"));
    }
    if turn.asked > 1 {
        words = words.own(Role::Warning, format!("  asked {} times", turn.asked));
    }
    if turn.thread != ROOT {
        words = words.own(Role::Dim, format!("  {}", turn.thread));
    }
    if !turn.is_active() {
        words = words.own(Role::Dim, "  superseded");
    }
    Row::new(target, words)
}

/// The requests without tools of the agent of another program. No limit counts them.
fn without_tools(state: &State) -> Option<Row> {
    let side = state.origin.agent.side;
    if side.count == 0 {
        return None;
    }
    let count = many(side.count as usize, "request");
    let used = match tokens(side.usage) {
        words if side.usage == Usage::default() => format!("tokens {words}"),
        words => format!("{} tokens ({words})", total(side.usage)),
    };
    let words = named("no tools")
        .own(Role::Text, format!("{count}, {used}"))
        .own(Role::Dim, ", in no limit");
    Some(Row::new(Target::Nothing, words))
}

/// All tokens.
fn total(usage: Usage) -> String {
    format!("{}{}", usage.about(), usage.total())
}

fn tokens(usage: Usage) -> String {
    if usage.input.is_none() && usage.output.is_none() {
        return "unreported".to_owned();
    }
    // Writing to a string cannot fail.
    let mut words = format!("{}{} sent", usage.about(), usage.input.unwrap_or(0));
    let cached = usage.cached.filter(|cached| *cached > 0);
    words += &in_cache(Usage { cached, ..usage }, "cached");
    let _ = write!(words, ", {} received", usage.output.unwrap_or(0));
    if let Some(reasoning) = usage.reasoning.filter(|reasoning| *reasoning > 0) {
        let _ = write!(words, " ({reasoning} reasoning)");
    }
    words
}

/// A readable period of time.
fn span(ms: u64) -> String {
    match ms {
        0..1000 => format!("{ms} ms"),
        1000..120_000 => format!("{} s", ms / 1000),
        120_000..7_200_000 => format!("{} min", ms / 60_000),
        _ => format!("{} h {} min", ms / 3_600_000, ms / 60_000 % 60),
    }
}
