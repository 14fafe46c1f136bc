//! The rows of a call in a list for approval: the call, its changes, warnings and files.
//!
//! Must not know: which list it is, how it is decided.

use std::sync::Arc;

use super::{changed_lines, derived};
use crate::ground::diff::{self, Line};
use crate::ground::doc::{self, Styled};
use crate::ground::json;
use crate::ground::symbols::Symbol;
use crate::ground::theme::Role;
use crate::run::call_group::CallGroup;
use crate::run::maker::{Maker, WHOLE};
use crate::run::readable::{self, Part};
use crate::run::summary;
use crate::run::summary::Summary;
use overrule_base::known_tool::{self, CONTENT, Kind, PATH};
use overrule_domain::id::{NodeId, Rev};
use overrule_domain::node::Node;
use overrule_domain::thread;
use overrule_present::call::RunFilesView;
use overrule_present::danger;
use overrule_present::many;

/// Indent of the further rows of a call.
pub(crate) const INDENT: usize = 4;
/// The most lines of a file below a call.
const LINES: usize = 16;

/// A listed call.
pub(crate) struct ListedCall {
    /// The call.
    pub call: NodeId,
    /// The revision.
    pub rev: Rev,
    /// Bytes of its arguments that were not on screen.
    pub unread: u64,
}

/// The rows of a call in a list. No difference from the first similar call is cut. False while the call is still scanned
/// and no decision is possible.
pub(crate) fn rows(
    maker: &mut Maker<'_>,
    one: &ListedCall,
    similar: Option<&CallGroup>,
) -> (Vec<Styled>, bool) {
    let state = &maker.run.state;
    let id = one.call;
    let shown = maker.run.shown_args(id);
    let survey = shown.as_ref().map(|shown| maker.cache.survey(shown));
    let is_like = similar.is_some_and(CallGroup::is_like);
    let lines = match (&shown, &survey) {
        (Some(shown), Some(Ok(survey))) if !is_like && readable::why_exact(shown, survey).is_none() => {
            written(maker, id, shown)
        }
        _ => None,
    };
    let tool = state.node(id).and_then(Node::as_call).map(|(tool, _)| tool);
    let named = || tool.map_or_else(Summary::default, |tool| Summary::default().name(tool).own(" "));
    let words = match (similar, tool, &shown) {
        (Some(similar), ..) if similar.is_like() => similar.describe(),
        (_, Some(tool), Some(shown)) if lines.is_some() => named().and(summary::object(state, tool, shown)),
        // Similar calls have the same tool.
        (Some(similar), ..) => named().and(similar.describe()),
        _ => summary::ready_call(state, id),
    };
    let sign = Symbol::Awaiting;
    let mut line = Styled::new()
        .own(sign.role(), format!("{} ", sign.glyph(maker.charset)))
        .own(Role::Dim, format!("{} ", overrule_present::revised(id, one.rev)));
    line = line.summary_at_length(Role::Text, &words, WHOLE);
    for kind in danger::kinds(&maker.run.danger_of(id)) {
        line = line.own(Role::Danger, format!("  {}", kind.label()));
    }
    if maker.run.may_overwrite(id) {
        line = line.own(Role::Warning, "  may overwrite");
    }
    if let Some(words) = state.node(id).and_then(summary::describe_change) {
        line = line.own(Role::Edited, format!("  {words}"));
    }
    // The list can be approved only when every call is scanned.
    let mut whole = true;
    match survey {
        None => {}
        Some(Ok(survey)) if survey.total() == 0 => {}
        Some(Ok(survey)) => {
            let places = many(survey.total(), "place");
            line = line.own(Role::Warning, format!("  {places} to look at"));
        }
        Some(Err(ticket)) => {
            maker.doc.wait(ticket);
            whole = false;
            line = line.own(Role::Warning, "  loading…");
        }
    }
    if one.unread > 0 {
        let bytes = many(usize::try_from(one.unread).unwrap_or(usize::MAX), "byte");
        line = line.own(Role::Warning, format!("  {bytes} unread"));
    }
    if thread::is_held(state, id) {
        line = line.own(Role::Edited, "  then suspended by an edit");
    }
    let mut rows = vec![line];
    rows.extend(lines.unwrap_or_default());
    let files = state.call(id).map(RunFilesView::of);
    rows.extend(files.iter().flat_map(|files| derived::file_rows(files, INDENT)));
    (rows, whole)
}

/// The lines that a call writes into a file or changes in one, as its arguments say it; none for another call, and for one
/// with more lines than a list has room for.
fn written(maker: &Maker<'_>, id: NodeId, shown: &str) -> Option<Vec<Styled>> {
    let (tool, _) = maker.run.state.node(id)?.as_call()?;
    if !matches!(known_tool::kind(tool), Some(Kind::Write | Kind::Edit)) {
        return None;
    }
    let members = json::members(shown).into_iter();
    let members: Vec<(String, Arc<str>)> = members.map(|(name, value)| (name, value.into())).collect();
    let (mut lines, mut further) = (Vec::new(), Vec::new());
    for part in readable::of(tool, &members, None).parts {
        match part {
            Part::Replaces(texts) => {
                let [old, new] = texts.map(|text| doc::readable(&text));
                lines.extend(diff::lines_around(&old, &new, diff::AROUND_DECIDED));
            }
            Part::Argument(name, text) if CONTENT.contains(&name.as_str()) => {
                let text = doc::readable(&text);
                if !text.is_empty() {
                    lines.extend(diff::lines_around("", &text, 0));
                }
            }
            Part::Argument(name, _) if PATH.contains(&name.as_str()) => {}
            Part::Argument(name, text) => further.push((name, text)),
            _ => return None,
        }
    }
    let bytes: usize = lines.iter().map(|line| line.text.len()).sum();
    if lines.is_empty() || lines.len() > LINES || bytes > WHOLE {
        return None;
    }
    let mut rows: Vec<Styled> = lines.iter().map(|line| changed_line(maker, line)).collect();
    for (name, value) in &further {
        let argument = summary::Argument {
            name,
            value,
            from: None,
        };
        let line = Styled::new().own(Role::Text, " ".repeat(INDENT));
        rows.push(line.summary_at_length(Role::Text, &summary::named(&[argument]), WHOLE));
    }
    Some(rows)
}

/// A line with its sign. The blanks before its text stay blanks.
fn changed_line(maker: &Maker<'_>, line: &Line) -> Styled {
    let role = changed_lines::role(line.change);
    let sign = changed_lines::sign(line.change, maker.charset);
    let text = line.text.trim_start_matches(' ');
    let blanks = line.text.len() - text.len();
    Styled::new()
        .own(Role::Text, " ".repeat(INDENT))
        .own(role, format!("{sign} {}", " ".repeat(blanks)))
        .untrusted(role, text, text.len())
}
