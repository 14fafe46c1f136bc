//! What the sandbox refused a call, and the page of its profile and guarantees.
//!
//! Must not know: keys of verbs, what a choice does.

use std::ops::Range;

use crate::ground::columns::Columns as _;
use crate::ground::doc::Styled;
use crate::ground::symbols::Charset;
use crate::ground::theme::Role;
use crate::kernel::keymap::Keymap;
use crate::run::maker::Maker;
use crate::surfaces::sandbox::{Does, RefusedList, Row};
use overrule_base::text::visible;
use overrule_present::many;
use overrule_present::sandbox::SandboxView;

/// Columns of the bar of a frame and the blank after it.
const BAR: u16 = 2;
/// Columns of the mark and the key of a row.
const KEY: usize = 5;
/// The most columns of what a row is about, where what it does stands in the same row.
const WHAT: usize = 38;
/// The most characters of a path or a host.
const MOST: usize = 400;

/// Adds the rows of what was refused, and what follows from a choice. Returns the place of the marked row.
pub fn refused(maker: &mut Maker<'_>, list: &RefusedList, keymap: &Keymap) -> Range<usize> {
    let title = format!("{} was refused by the sandbox", list.call);
    maker.doc.set_title([title, String::new()]);
    maker.width = maker.width.saturating_sub(BAR);
    let mut marked = 0..0;
    for (at, row) in list.rows.iter().enumerate() {
        let first = maker.doc.rows();
        add_row(maker, row, at == list.at, keymap);
        if at == list.at {
            marked = first..maker.doc.rows();
        }
    }
    let has = |does: fn(&Does) -> bool| list.rows.iter().any(|row| does(&row.does));
    if !has(|does| matches!(does, Does::Outside)) {
        // Nothing starts it again.
        return marked;
    }
    let starts = has(|does| matches!(does, Does::Allow(_)));
    let key = |does: &str| keymap.first(does);
    let outside = key(crate::surfaces::sandbox::verbs::OUTSIDE.name);
    let words = if starts {
        let allow = key(crate::surfaces::sandbox::verbs::ALLOW.name);
        format!(
            "{allow} and {outside} start {} again: it asks by the rules",
            list.call
        )
    } else {
        format!("{outside} starts {} again: it asks", list.call)
    };
    maker.own(Role::Dim, words);
    marked
}

fn add_row(maker: &mut Maker<'_>, row: &Row, is_marked: bool, keymap: &Keymap) {
    let mark = match (is_marked, maker.charset) {
        (false, _) => "  ",
        (true, Charset::Unicode) => "❯ ",
        (true, Charset::Ascii) => "> ",
    };
    let is_possible = row.why_not.is_none() && row.does != Does::Nothing;
    let key = match row.does.name() {
        "" => String::new(),
        name => keymap.first(name),
    };
    let (role, key_role) = match (is_possible, is_marked) {
        (false, _) => (Role::Dim, Role::Dim),
        (true, true) => (Role::Title, Role::Accent),
        (true, false) => (Role::Text, Role::Accent),
    };
    let what = shown(&row.what);
    let what = match row.does {
        Does::Keep => format!("{what} was changed, restored"),
        _ => what,
    };
    let words = row
        .why_not
        .as_ref()
        .map_or_else(|| row.words.clone(), |why| shown(why));
    let line = Styled::new()
        .own(Role::Accent, mark)
        .own(key_role, format!("{key:<width$}", width = KEY - 2))
        .own(role, what.clone());
    let words_role = if is_possible { Role::Text } else { Role::Dim };
    let room = usize::from(maker.width).saturating_sub(KEY + WHAT);
    if what.columns() < WHAT && words.columns() <= room {
        let gap = " ".repeat(WHAT - what.columns());
        maker.doc.line(line.own(Role::Text, gap).own(words_role, words));
    } else {
        maker.over(line, KEY);
        let indent = " ".repeat(KEY + 2);
        maker.over(Styled::new().own(words_role, format!("{indent}{words}")), KEY + 2);
    }
}

fn shown(text: &str) -> String {
    let (head, is_cut) = overrule_base::text::head(text, MOST);
    let more = if is_cut { "…" } else { "" };
    format!("{}{more}", visible(head))
}

/// Adds how commands are confined, what of it is missing, and what was allowed.
pub fn page(maker: &mut Maker<'_>) {
    let view = SandboxView::of(&maker.run.state);
    if view.level == 0 {
        return none(maker, &view);
    }
    let of = |held: bool| view.guarantees.iter().filter(move |one| one.held == held);
    let holds: Vec<&str> = of(true).map(|one| one.what).collect();
    if !holds.is_empty() {
        maker.fact("holds", Role::Text, holds.join(" · "));
    }
    for one in of(false) {
        let (loss, why) = (
            one.loss.unwrap_or_default(),
            one.why.as_deref().unwrap_or_default(),
        );
        maker.fact(
            "missing",
            Role::Warning,
            format!("{loss} ({}): {why}", one.number),
        );
    }
    if of(false).next().is_some() {
        maker.fact("remedy", Role::Text, "overrule doctor");
    }
    let mut written = view.write.clone();
    written.push("a private /tmp".to_owned());
    maker.fact("writes", Role::Text, written.join(" · "));
    let hosts = match view.network.as_slice() {
        [] => "none".to_owned(),
        hosts => hosts.join(" · "),
    };
    maker.fact("hosts", Role::Text, hosts);
    let allowed: Vec<&str> = view.allowed.iter().map(|one| one.what.as_str()).collect();
    if !allowed.is_empty() {
        maker.fact(
            "allowed",
            Role::Edited,
            format!("in this session: {}", allowed.join(" · ")),
        );
    }
    refusals(maker, &view);
    maker.fact("hidden", Role::Text, many(view.hidden.len(), "path"));
    for path in &view.hidden {
        maker.fact("", Role::Dim, path.clone());
    }
}

/// Adds what was refused, by call.
fn refusals(maker: &mut Maker<'_>, view: &SandboxView) {
    for (at, one) in view.refused.iter().enumerate() {
        let refused: Vec<String> = one
            .refused
            .iter()
            .map(|one| format!("{} {}", one.kind, one.what))
            .collect();
        let name = if at == 0 { "refused" } else { "" };
        maker.fact(
            name,
            Role::Warning,
            format!("{} {}", one.call, refused.join(" · ")),
        );
    }
}

/// What a run without a sandbox means, and how to begin one.
fn none(maker: &mut Maker<'_>, view: &SandboxView) {
    maker.fact(
        "holds",
        Role::Warning,
        "nothing: a command that runs can do all that you can, in every file and on every host",
    );
    maker.fact("begin one", Role::Text, "overrule resume ID --sandbox 1");
    maker.fact(
        "remedy",
        Role::Text,
        "overrule doctor tells what this machine can do",
    );
    refusals(maker, view);
}
