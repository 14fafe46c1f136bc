//! The rows of a call in a list for approval: the call, its changes, warnings and files.
//!
//! Must not know: which list it is, how it is decided.

use super::derived;
use crate::ground::doc::Styled;
use crate::ground::theme::Role;
use crate::run::call_group::CallGroup;
use crate::run::maker::{Maker, WHOLE};
use crate::run::summary;
use crate::run::summary::Summary;
use overrule_domain::call::Digest;
use overrule_domain::id::{NodeId, Rev};
use overrule_domain::state::State;
use overrule_domain::tags;
use overrule_domain::thread;
use overrule_present::call::RunFilesView;
use overrule_present::danger;
use overrule_present::many;

/// Indent of the further rows of a call.
pub(crate) const INDENT: usize = 4;

/// A listed call.
pub(crate) struct ListedCall<'a> {
    /// The call.
    pub call: NodeId,
    /// The revision.
    pub rev: Rev,
    /// Hash of what would run.
    pub digest: &'a Digest,
    /// Bytes of its arguments that were not on screen.
    pub unread: u64,
}

/// The rows of a call. No difference from the first similar call is cut. False while the call is still scanned
/// and no decision is possible.
pub(crate) fn rows(
    maker: &mut Maker<'_>,
    one: &ListedCall<'_>,
    similar: Option<&CallGroup>,
) -> (Vec<Styled>, bool) {
    let state = &maker.run.state;
    let id = one.call;
    let words = match similar {
        Some(similar) if similar.is_like() => similar.describe(),
        // Similar calls have the same tool.
        Some(similar) => tool_of(state, id).and(similar.describe()),
        None => summary::ready_call(state, id),
    };
    let digest = overrule_base::text::visible(one.digest.short());
    let mut line = Styled::new()
        .own(
            Role::Accent,
            format!("{} ", overrule_present::revised(id, one.rev)),
        )
        .own(Role::Dim, format!("{digest} "))
        .summary_at_length(Role::Text, &words, WHOLE)
        .own(Role::Dim, format!("  {}", class(state, id)));
    for kind in danger::kinds(&maker.run.danger_of(id)) {
        line = line.own(Role::Failed, format!("  {}", kind.label()));
    }
    if maker.run.may_overwrite(id) {
        line = line.own(Role::Failed, "  may overwrite");
    }
    if let Some(words) = state.node(id).and_then(summary::describe_change) {
        line = line.own(Role::Edited, format!("  {words}"));
    }
    let call = state.call(id);
    // The list can be approved only when every call is scanned.
    let shown = maker.run.shown_args(id);
    let mut whole = true;
    match shown.map(|shown| maker.cache.survey(&shown)) {
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
    rows.extend(
        call.into_iter()
            .flat_map(|call| derived::file_rows(&RunFilesView::of(call), INDENT)),
    );
    (rows, whole)
}

/// The tool of a call, before its arguments.
fn tool_of(state: &State, id: NodeId) -> Summary {
    let call = state.node(id).and_then(|node| node.as_call());
    call.map_or_else(Summary::default, |(tool, _)| {
        Summary::default().name(tool).own(" ")
    })
}

/// The effect class and tags of a call.
fn class(state: &State, id: NodeId) -> String {
    let effect = state.call(id).map(|call| call.effect.label());
    let tool = state.node(id).and_then(|node| node.as_call());
    let tags = tool.map_or(&[][..], |(tool, _)| tags::of(state, tool));
    let words = effect.into_iter().chain(tags.iter().map(String::as_str));
    overrule_base::text::visible(&words.collect::<Vec<_>>().join(" "))
}
