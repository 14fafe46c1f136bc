//! Shows the texts in the arguments of a call for reading, or as a diff to the current file.
//!
//! Must not know: what may run, which calls wait.
//!
//! These lines come below the exact bytes, which are what the operator decides about.

use std::sync::Arc;

use super::revisions::difference;
use crate::ground::diff;
use crate::ground::doc::{Styled, readable};
use crate::ground::theme::Role;
use crate::run::link::Replaced;
use crate::run::maker::{MAX_PARSED, Maker};
use overrule_base::known_tool::{Kind, NEW, OLD, kind, name_in};
use overrule_base::text;
use overrule_domain::id::{NodeId, Rev};

/// The most lines of a diff with a file.
const MOST: usize = 2_000;

/// Adds the texts in these arguments; nothing if the bytes are readable enough.
pub(crate) fn texts(maker: &mut Maker<'_>, (id, rev): (NodeId, Rev), tool: &str, shown: &Arc<str>) {
    now(maker, (id, rev));
    let is_edit = kind(tool) == Some(Kind::Edit);
    if shown.len() > MAX_PARSED {
        let what = if is_edit {
            "what it replaces is not shown"
        } else {
            "its texts are not shown with their line breaks"
        };
        let words = format!("{what}: the arguments are longer than {} KiB", MAX_PARSED >> 10);
        maker.own(Role::Dim, words);
        return;
    }
    let members = maker.cache.members(shown);
    let value = |name: &str| {
        members
            .iter()
            .find(|(one, _)| one == name)
            .map(|(_, value)| value)
    };
    let name = |names: &[&'static str]| name_in(names, |name| value(name).is_some());
    let names = [name(OLD), name(NEW)].map(Option::unwrap_or_default);
    let replaced = match names.map(value) {
        [Some(old), Some(new)] if is_edit => Some((old, new)),
        _ => None,
    };
    if let Some((old, new)) = replaced {
        let (old, new) = (Arc::clone(old), Arc::clone(new));
        let lines = maker
            .cache
            .difference((id, [rev, rev]), [Some(shown), None], move || {
                diff::lines(&readable(&old), &readable(&new))
            });
        maker.own(Role::Title, "what it replaces");
        if let Some(lines) = maker.found(lines, shown.len()) {
            difference(maker, &lines);
        }
    }
    for (name, value) in members.iter() {
        let is_shown = replaced.is_some() && names.contains(&name.as_str());
        if is_shown || !maker.cache.has_lines(value) {
            continue;
        }
        maker.doc.line(
            Styled::new()
                .untrusted(Role::JsonKey, name, 40)
                .own(Role::Title, " with its line breaks"),
        );
        maker.readable(value, "  ");
    }
}

/// Adds the current content of the place that the call would write.
fn now(maker: &mut Maker<'_>, (id, rev): (NodeId, Rev)) {
    let looked = maker.run.looked.as_ref().filter(|(look, _)| {
        let digest = maker.run.state.call(id).and_then(|call| call.digest.as_ref());
        (look.call, look.rev, look.digest.as_ref()) == (id, rev, digest)
    });
    match looked.and_then(|(_, found)| found.as_ref().map(|found| &found.replaced)) {
        None => {}
        Some(Replaced::Nothing) => maker.own(Role::Title, "a new file: nothing is there now"),
        Some(Replaced::Unreadable(why)) => {
            let why = text::visible(why);
            let words = format!("the current file is not compared: {why}");
            maker.own(Role::Dim, words);
        }
        Some(Replaced::Text(lines)) => {
            maker.own(Role::Title, "in the current file");
            maker.own(Role::Dim, "for reading: not part of the decision");
            difference(maker, lines.get(..MOST).unwrap_or(lines));
            if lines.len() > MOST {
                let more = lines.len() - MOST;
                maker.own(Role::Warning, format!("  ~ {more} more lines of the diff"));
            }
        }
    }
}
