//! Rows of the ledger: each execution with its arguments, its time and its outcome.
//!
//! Must not know: how effects are reverted or probed.

use std::ops::Range;

use crate::ground::columns::Columns as _;
use crate::ground::doc::Styled;
use crate::ground::theme::Role;
use crate::kernel::keymap::Keymap;
use crate::kernel::listing::{Line, Rows};
use crate::run::maker::{Maker, WHOLE};
use crate::run::summary;
use crate::run::target::Target;
use overrule_base::text;
use overrule_domain::id::{NodeId, Seq};
use overrule_domain::ledger;
use overrule_domain::repeat;
use overrule_domain::state::{LedgerOutcome, State};
use overrule_domain::thread;
use overrule_present::effect::{EffectView, ElsewhereView, ExecutionView, OfferView, happened};
use overrule_present::{outcome, time};

/// Indent of the further rows of an entry.
const INDENT: usize = 4;
/// The outcome that is not named.
const SUCCEEDED: &str = "succeeded";
/// The most named calls that would repeat an execution.
const NAMED: usize = 3;

/// The rows of a list of effects: an introduction, then two rows for each, made by [`listed`].
pub fn list(maker: &mut Maker<'_>, effects: usize, all: bool) -> Rows {
    // The first column is for the cursor.
    let whole = maker.width;
    maker.width = whole.saturating_sub(1).max(1);
    maker.own(
        Role::Text,
        if all {
            "Everything that ran and could have an effect. No edit or undo reverts any of it."
        } else {
            "Effects of superseded calls, or with an unknown outcome. No edit or undo reverts them. The model is told of orphaned effects; a call that would repeat one asks first."
        },
    );
    if !maker.run.state.origin.elsewhere.is_empty() {
        let words = "This session is a fork: later effects in the other session are listed too.";
        maker.own(Role::Text, words);
    }
    maker.width = whole;
    let heading = std::mem::take(&mut maker.doc);
    let heading = heading.window(0, heading.rows(), None).into_iter();
    let mut head: Vec<Line> = heading.map(|words| Line { of: None, words }).collect();
    if effects == 0 {
        let words = Styled::new().own(Role::Dim, "none");
        head.push(Line { of: None, words });
    }
    Rows::sparse(head, std::iter::repeat_n(2, effects))
}

/// The rows of some of the listed effects: the tool with its arguments, then time and outcome. [`more`] shows
/// what is cut.
pub fn listed(maker: &Maker<'_>, items: &[Target], which: Range<usize>) -> Vec<Line> {
    let state = &maker.run.state;
    let repeating = repeat::repeating(state);
    let items = which.filter_map(|at| Some((at, items.get(at)?)));
    items
        .flat_map(|(at, item)| {
            let Target::Effect(seq) = *item else {
                return [Styled::new(), Styled::new()].map(|words| Line { of: Some(at), words });
            };
            let by = repeating.get(&seq).map_or(&[][..], Vec::as_slice);
            let (line, words) =
                execution_lines(state, maker.width.saturating_sub(2), seq, &became(state, seq, by))
                    .unwrap_or((Styled::new(), String::new()));
            let words = Styled::new().own(Role::Warning, words);
            [line, words].map(|words| Line { of: Some(at), words })
        })
        .collect()
}

/// What happened to an effect since, and which calls awaiting consent would repeat it.
fn became(state: &State, seq: Seq, repeated_by: &[NodeId]) -> String {
    let mut words = Vec::new();
    // A pending repeat comes first: the end of a long row is cut.
    if !repeated_by.is_empty() {
        let named = repeated_by.iter().take(NAMED);
        let mut named: Vec<String> = named.map(|id| thread::named(state, *id)).collect();
        if repeated_by.len() > NAMED {
            named.push(format!("{} more", repeated_by.len() - NAMED));
        }
        words.push(format!("would be repeated by {}", named.join(", ")));
    }
    if let Some(entry) = state.ledger.get(&seq) {
        if let Some(by) = ledger::taken_back(state, entry) {
            words.push(format!("reverted by {by}"));
        }
        if ledger::is_orphaned(state, entry) {
            words.push(repeat::since(state, entry).describe());
        }
    }
    words.join("; ")
}

/// Details of an effect: choices for an unknown outcome, and the calls that would probe or revert it.
pub fn more(maker: &mut Maker<'_>, seq: Seq, keymap: &Keymap) {
    let run = maker.run;
    let repeating = repeat::repeating(&run.state);
    let by = repeating.get(&seq).map_or(&[][..], Vec::as_slice);
    let room = maker.width.saturating_sub(2);
    let output = execution_lines(&run.state, room, seq, &became(&run.state, seq, by));
    if let Some((_, words)) = output.filter(|(_, words)| words.columns() > usize::from(room)) {
        maker.own(Role::Warning, words.trim_start());
    }
    if run.state.origin.elsewhere.contains_key(&seq) {
        maker.own(Role::Dim, "to act on it, open the other session");
        return;
    }
    let Some(view) = EffectView::find(&run.state, seq) else {
        return;
    };
    if *view.execution.outcome == LedgerOutcome::Unknown {
        let (happened, did_not) = (keymap.first("it-happened"), keymap.first("it-did-not"));
        maker.own(
            Role::Warning,
            format!("outcome unknown; {happened}: it happened, {did_not}: it did not"),
        );
        if let OfferView::Call(call) = &view.probe {
            let key = keymap.first("probe");
            maker.own(
                Role::Ok,
                format!("its tool has a call that probes it; {key} inserts it, after a preview:"),
            );
            maker.field(&call.tool, &call.args);
        }
    }
    let key = keymap.first("revert-effect");
    match &view.compensate {
        OfferView::Call(call) => {
            maker.own(
                Role::Ok,
                format!("its tool has a call that reverts it; {key} inserts it, after a preview:"),
            );
            maker.field(&call.tool, &call.args);
        }
        OfferView::Not { why } => maker.own(
            Role::Dim,
            format!("cannot revert it: {}", text::visible(&why.to_string())),
        ),
    }
}

/// Adds an execution: tool and arguments in one line, time and outcome in another.
pub(crate) fn entry(maker: &mut Maker<'_>, seq: Seq, word: &str) {
    for line in rows(&maker.run.state, maker.width, seq, word) {
        maker.doc.line(line);
    }
}

/// Adds the tool and its arguments in one row; then time, outcome and `word`, wrapped.
fn rows(state: &State, width: u16, seq: Seq, word: &str) -> Vec<Styled> {
    let Some((line, words)) = execution_lines(state, width, seq, word) else {
        return Vec::new();
    };
    let mut rows = vec![line];
    rows.extend(
        Styled::new()
            .own(Role::Warning, words)
            .over(usize::from(width), INDENT),
    );
    rows
}

/// The tool and its arguments in one row; then time, outcome and `word`.
fn execution_lines(state: &State, width: u16, seq: Seq, word: &str) -> Option<(Styled, String)> {
    let (line, mut words) = if let Some(one) = state.origin.elsewhere.get(&seq) {
        let line = Styled::new().own(Role::Accent, format!("  {} ", one.what.call));
        let line = called(state, line, (&one.what.tool, &one.what.args), Some(width));
        let view = ElsewhereView::of(&one.what);
        let words = format!("    {}, {}", time::second(view.at), happened(&view));
        (line, words)
    } else {
        let view = ExecutionView::of(state, state.ledger.get(&seq)?);
        let named = thread::named(state, view.call);
        let mut line = Styled::new().own(Role::Accent, format!("  {named} "));
        if view.rev.0 > 1 {
            line = line.own(Role::Dim, format!("revision {} ", view.rev.0));
        }
        let line = called(state, line, (view.tool, view.args), Some(width));
        let words = format!("    {}, {}", time::second(view.at), outcome(view.outcome));
        (line, words)
    };
    if !word.is_empty() {
        words.push_str(", ");
        words.push_str(word);
    }
    Some((line, words))
}

/// Adds a tool and what the call is about: in one row, or whole.
fn called(state: &State, line: Styled, (tool, args): (&str, &str), width: Option<u16>) -> Styled {
    let line = line.untrusted(Role::Text, tool, 40).own(Role::Text, " ");
    let object = summary::object(state, tool, args);
    let Some(width) = width else {
        return line.summary_at_length(Role::Text, &object, WHOLE);
    };
    // A sign at the end marks a cut.
    let used = line.plain().columns() + 1;
    let room = usize::from(width).saturating_sub(used).max(8);
    line.summary(Role::Text, &object, room)
}

/// An effect by its call, and its outcome unless it succeeded.
pub(crate) fn named(state: &State, seq: Seq) -> Styled {
    let line = |named: String| Styled::new().own(Role::Warning, format!("{named} "));
    if let Some(one) = state.origin.elsewhere.get(&seq) {
        let line = line(one.what.call.to_string());
        let view = ElsewhereView::of(&one.what);
        return called(state, line, (&one.what.tool, &one.what.args), None)
            .own(Role::Dim, format!("  {}", happened(&view)));
    }
    let Some(entry) = state.ledger.get(&seq) else {
        return Styled::new();
    };
    let view = ExecutionView::of(state, entry);
    let line = called(
        state,
        line(thread::named(state, view.call)),
        (view.tool, view.args),
        None,
    );
    match outcome(view.outcome) {
        words if words == SUCCEEDED => line,
        words => line.own(Role::Warning, format!("  {words}")),
    }
}
