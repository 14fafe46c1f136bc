//! Prints the list of sessions: whole, as JSON, or fitted to a terminal.
//!
//! Must not know: how a summary is read.

use crate::args::Common;
use crate::build::AppContext;
use crate::exit::{Code, Failure};
use crate::{fit, print};
use overrule_base::text::visible;
use overrule_console::ground::columns::Columns as _;
use overrule_journal as journal;
use overrule_present::session::{ForkPointView, SessionView};
use overrule_present::time::minute;
use overrule_present::{json, many};

/// Maximum columns of a model's name in the list of a terminal.
const MODEL: usize = 24;
/// Minimum columns for the description of a session on the same line.
const ABOUT: usize = 30;

/// Removes remains of unfinished sessions, then lists every session, oldest first.
pub(super) fn list(common: &Common, context: &AppContext) -> Result<Code, Failure> {
    match context.store.sweep() {
        Ok(0) => {}
        Ok(count) => print::err(&format!(
            "removed {} that killed processes had not finished creating",
            many(count, "session")
        )),
        Err(error) => print::err(&error.to_string()),
    }
    let mut all = context.store.list()?;
    if all.is_empty() {
        print::err("no sessions yet: start one with `overrule` or `overrule run TASK`");
        return Ok(Code::Ok);
    }
    all.reverse();
    let width = fit::width();
    let lines: Box<dyn Iterator<Item = String>> = match width {
        _ if common.json => Box::new(all.iter().map(|one| json(&view(one)))),
        None => Box::new(all.iter().map(listed)),
        Some(columns) => Box::new(fitted(&all, columns).into_iter()),
    };
    for line in lines {
        if !print::out(line.trim_end()) {
            break;
        }
    }
    Ok(Code::Ok)
}

/// Formats the list for a terminal of `columns` columns, in aligned columns. The description of a session is
/// on the same line, or on the next one if there is little room.
fn fitted(all: &[journal::Summary], columns: usize) -> Vec<String> {
    let model = |one: &journal::Summary| visible(one.model.as_deref().unwrap_or("?"));
    let widest = all
        .iter()
        .map(|one| model(one).columns())
        .max()
        .unwrap_or_default();
    let widest = widest.min(MODEL);
    let lines = all.iter().flat_map(|one| {
        let model = fit::cut(&model(one), widest);
        let state = match one.problem {
            Some(_) => "problem",
            None => one.status.label(),
        };
        let facts = format!(
            "{}  {}  {state:8}  {:6} events  {model}{}",
            short(&one.id),
            minute(one.started),
            events(one),
            " ".repeat(widest.saturating_sub(model.columns())),
        );
        let about = about(one);
        let room = columns.saturating_sub(facts.columns() + 2);
        if room >= ABOUT || room >= about.columns() {
            vec![fit::cut(&format!("{facts}  {about}"), columns)]
        } else {
            vec![
                fit::cut(&facts, columns),
                fit::cut(&format!("    {about}"), columns),
            ]
        }
    });
    lines.collect()
}

/// The problem of a session, its name, and the session it comes from.
fn about(one: &journal::Summary) -> String {
    let problem = one.problem.as_deref().map(visible);
    let title = one.title.as_deref().map(visible);
    let parts = [problem, title, comes_from(one)];
    parts.into_iter().flatten().collect::<Vec<_>>().join("  ")
}

/// Formats a session on one line, without cuts.
pub(super) fn listed(one: &journal::Summary) -> String {
    let state = match &one.problem {
        Some(problem) => format!("problem: {}", visible(problem)),
        None => one.status.label().to_owned(),
    };
    format!(
        "{}  {}  {:9}  {:6} events  {}  {}{}",
        short(&one.id),
        minute(one.started),
        state,
        events(one),
        visible(one.model.as_deref().unwrap_or("?")),
        visible(one.title.as_deref().unwrap_or("")),
        comes_from(one)
            .map(|from| format!("  {from}"))
            .unwrap_or_default(),
    )
}

/// The unique prefix of an id.
fn short(id: &str) -> String {
    visible(&id.chars().take(13).collect::<String>())
}

fn events(one: &journal::Summary) -> u64 {
    one.last.as_ref().map_or(0, |last| last.seq)
}

/// The session that one is a fork or a sub-agent of.
fn comes_from(one: &journal::Summary) -> Option<String> {
    let fork = one
        .fork
        .as_ref()
        .map(|(of, at)| format!("(fork of {} at {at})", short(of)));
    let sub_agent = one
        .sub_agent_of
        .as_ref()
        .map(|of| format!("(sub-agent of {})", short(of)));
    fork.or(sub_agent)
}

fn view(one: &journal::Summary) -> SessionView<'_> {
    SessionView {
        session: &one.id,
        started: one.started,
        state: one.status.label(),
        problem: one.problem.as_deref(),
        events: events(one),
        model: one.model.as_deref(),
        workspace: one.workspace.as_deref(),
        name: one.title.as_deref(),
        bytes: one.bytes,
        fork_of: one
            .fork
            .as_ref()
            .map(|(session, at)| ForkPointView { session, at: *at }),
        sub_agent_of: one.sub_agent_of.as_deref(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use overrule_journal::{Place, SessionStatus, Summary};

    fn one(model: &str, title: &str, problem: Option<&str>) -> Summary {
        Summary {
            id: "01a20893-c683-77ed-9373-7664649706db".into(),
            place: Place::File {
                path: "x.jsonl".into(),
            },
            title: Some(title.into()),
            model: Some(model.into()),
            workspace: None,
            started: Some(0),
            last: None,
            status: SessionStatus::Finished,
            bytes: 0,
            modified: None,
            fork: Some(("01b20893-c683-77ed".into(), 40)),
            sub_agent_of: None,
            problem: problem.map(Into::into),
        }
    }

    #[test]
    fn the_session_list_fits_the_terminal_and_marks_cuts() {
        let all = [
            one("m", &"long words ".repeat(20), None),
            one("a-model-with-a-rather-long-name", "日本\u{202e}", Some("torn")),
        ];
        for columns in [20, 40, 60, 80, 100, 120, 160, 400] {
            let lines = fitted(&all, columns);
            for line in &lines {
                assert!(line.columns() <= columns, "{columns}: {line}");
            }
            assert_eq!(
                lines.len(),
                if columns < 120 { 4 } else { 2 },
                "{columns}: {lines:?}"
            );
        }
        let narrow = fitted(&all, 80);
        assert!(narrow[0].contains("finished       0 events  m"), "{narrow:?}");
        assert!(
            narrow[1].starts_with("    long words") && narrow[1].ends_with('…'),
            "{narrow:?}"
        );
        assert!(narrow[2].contains("problem "), "{narrow:?}");
        assert_eq!(narrow[3], "    torn  日本⟨U+202E⟩  (fork of 01b20893-c683 at 40)");
        let wide = fitted(&all, 400);
        assert!(wide[0].contains("(fork of 01b20893-c683 at 40)"), "{wide:?}");
        let at = |line: &str, words: &str| line.split(words).next().unwrap().columns();
        assert_eq!(at(&wide[0], "long words"), at(&wide[1], "torn"));
        // A file or pipe gets the whole line.
        assert!(listed(&all[0]).contains("long words ".repeat(20).trim_end()));
    }
}
