//! The menu of ready rules.
//!
//! Must not know: keys, the language of rules.

use std::ops::Range;

use crate::ground::columns::Columns as _;
use crate::ground::doc::Styled;
use crate::ground::theme::Role;
use crate::kernel::files::RuleScope;
use crate::run::maker::Maker;
use crate::surfaces::ready_rules::{Row, RuleMenu};
use overrule_base::known_tool;
use overrule_domain::call::Gate;
use overrule_domain::id::NodeId;
use overrule_domain::state::State;
use overrule_policy::ready_rules::{About, ReadyRule};
use overrule_present::question;
use overrule_present::ready_rule::{EffectText, condition, effect, label, preset_effect, preset_label};

/// Columns from which a rule and its effect stand in one row.
const WIDE: usize = 70;
/// Columns of the bar of a frame and the blank after it, and around the words in its lower edge.
const BAR: u16 = 2;
const AROUND: usize = 4;
/// Columns of the label, and of the choices after it.
const LABEL: usize = 32;
const CHOICE: usize = 14;
/// Maximum number of calls that an effect names in a narrow and in a wide row.
const CALLS: (usize, usize) = (5, 12);

/// The title of the menu: what the rules are made from.
fn title(state: &State, menu: &RuleMenu) -> [String; 2] {
    let Some(id) = menu.call else {
        return ["policy presets".to_owned(), String::new()];
    };
    let does = state
        .call(id)
        .map_or_else(String::new, |call| question::title(state, call, None));
    [format!("{id} {does}"), "rules made from it".to_owned()]
}

/// Adds the rows, how long they count, and what the marked one means. Returns the place of the marked row, and what taking
/// it does, if that fits into a line.
pub fn menu(maker: &mut Maker<'_>, menu: &RuleMenu, place: Option<&str>) -> (Range<usize>, String) {
    maker.doc.set_title(title(&maker.run.state, menu));
    maker.width = maker.width.saturating_sub(BAR);
    let width = usize::from(maker.width);
    let is_shell = menu.call.is_some_and(|id| {
        let node = maker.run.state.node(id).and_then(|node| node.as_call());
        node.is_some_and(|(tool, _)| known_tool::is_shell(tool))
    });
    if width >= WIDE {
        let indent = " ".repeat(2 + LABEL + CHOICE);
        maker
            .doc
            .line(Styled::new().own(Role::Dim, format!("{indent}in this session it")));
    }
    let mut marked = 0..0;
    for (at, row) in menu.rows.iter().enumerate() {
        let first = maker.doc.rows();
        add_row(maker, row, at == menu.at, is_shell);
        if at == menu.at {
            marked = first..maker.doc.rows();
        }
    }
    scopes(maker, menu.scope, place);
    let mut outcome = String::new();
    match menu.row() {
        Some(Row::Rule { .. }) => {
            if let Some(rule) = menu.rule() {
                maker.own(Role::Dim, condition(rule));
                outcome = takes_effect(maker, menu, rule);
            }
        }
        Some(Row::Preset(change)) => {
            maker.own(
                Role::Dim,
                format!(
                    "asks about {}; your rules still count",
                    change.preset.asks_about()
                ),
            );
            "takes effect for the next calls; what waits keeps waiting".clone_into(&mut outcome);
        }
        None => {}
    }
    if outcome.columns() + AROUND > width {
        maker.own(Role::Decision, std::mem::take(&mut outcome));
    }
    (marked, outcome)
}

fn add_row(maker: &mut Maker<'_>, row: &Row, is_marked: bool, is_shell: bool) {
    let width = usize::from(maker.width);
    let mark = match (is_marked, maker.charset) {
        (false, _) => "  ",
        (true, crate::ground::symbols::Charset::Unicode) => "❯ ",
        (true, crate::ground::symbols::Charset::Ascii) => "> ",
    };
    let role = if is_marked { Role::Title } else { Role::Text };
    let most = if width > 100 { CALLS.1 } else { CALLS.0 };
    let (name, pieces) = match row {
        Row::Rule { .. } => match row.rule() {
            Some(rule) => (label(rule, is_shell), effect(rule, most)),
            None => return,
        },
        Row::Preset(change) => {
            let in_force = maker.run.state.settings.policy == change.preset.label();
            let text = preset_effect(change, in_force);
            (
                preset_label(change),
                vec![EffectText {
                    text,
                    is_danger: false,
                }],
            )
        }
    };
    let choice = choices(maker, row);
    let mut line = Styled::new().own(Role::Accent, mark).own(role, name.clone());
    if width < WIDE {
        maker.over(line.own(Role::Accent, format!("  {choice}")), 4);
        let mut more = Styled::new().own(Role::Dim, "      ");
        for piece in pieces {
            more = more.own(role_of(&piece), piece.text);
        }
        maker.over(more, 6);
        return;
    }
    let used = name.columns();
    let gap = if used >= LABEL { 1 } else { LABEL - used };
    let rest = (LABEL + CHOICE)
        .saturating_sub(used + gap + choice.columns())
        .max(1);
    line = line
        .own(Role::Text, " ".repeat(gap))
        .own(Role::Accent, choice)
        .own(Role::Text, " ".repeat(rest));
    for piece in pieces {
        line = line.own(role_of(&piece), piece.text);
    }
    maker.over(line, 2 + LABEL + CHOICE);
}

fn role_of(piece: &EffectText) -> Role {
    if piece.is_danger { Role::Failed } else { Role::Dim }
}

/// What can be chosen in a row: `‹3 words›`.
fn choices(maker: &Maker<'_>, row: &Row) -> String {
    let Row::Rule { choices, .. } = row else {
        return String::new();
    };
    let Some(rule) = row.rule().filter(|_| choices.rules.len() > 1) else {
        return String::new();
    };
    let (open, close) = maker.charset.around();
    match &rule.about {
        About::Words(words) => format!("{open}{} words{close}", words.len()),
        About::Directory { .. } => format!("{open}directory{close}"),
        _ => String::new(),
    }
}

/// Adds how long a rule counts, and the file that keeps it.
fn scopes(maker: &mut Maker<'_>, chosen: RuleScope, place: Option<&str>) {
    let mut line = Styled::new().own(Role::Dim, "for   ");
    for scope in RuleScope::ALL {
        let is_chosen = scope == chosen;
        let (text, role) = if is_chosen {
            (format!("[{}]   ", scope.label()), Role::Title)
        } else {
            (format!("{}   ", scope.label()), Role::Dim)
        };
        line = line.own(role, text);
    }
    maker.over(line, 6);
    if chosen != RuleScope::Session {
        let place = place.unwrap_or("no file: there is no home directory");
        maker.own(Role::Dim, format!("      kept in {place}"));
    }
}

/// What taking the rule decides now.
fn takes_effect(maker: &Maker<'_>, menu: &RuleMenu, rule: &ReadyRule) -> String {
    let ids = |ids: &[NodeId]| ids.iter().map(NodeId::to_string).collect::<Vec<_>>().join(" ");
    let decided: Vec<NodeId> = menu.now.decides.iter().map(|item| item.call).collect();
    let verb = match (rule.gate, decided.len()) {
        (Gate::Allow, 1) => "runs",
        (Gate::Allow, _) => "run",
        (_, 1) => "is denied",
        _ => "are denied",
    };
    let mut parts = Vec::new();
    if decided.is_empty() {
        parts.push("takes effect for the next calls".to_owned());
    } else {
        parts.push(format!("takes effect now: {} {verb}", ids(&decided)));
    }
    if let (Some(id), false) = (menu.call, menu.now.asks_anyway.is_empty()) {
        parts.push(format!("{id} keeps waiting: {} asks", menu.now.asks_anyway));
    }
    if let (Some(id), 1..) = (menu.call, menu.now.unread) {
        parts.push(format!("{id} waits: {} bytes unread", menu.now.unread));
    }
    let waits = |id: NodeId| crate::surfaces::ready_rules::waits(maker.run, id).is_some();
    let unseen: Vec<NodeId> = rule
        .matched
        .iter()
        .map(|one| one.id)
        .filter(|id| rule.gate != Gate::Ask && Some(*id) != menu.call && !decided.contains(id) && waits(*id))
        .collect();
    if !unseen.is_empty() && rule.about != About::Exactly {
        let verb = if unseen.len() == 1 { "waits" } else { "wait" };
        parts.push(format!("{} {verb}: not read yet", ids(&unseen)));
    }
    parts.join("; ")
}
