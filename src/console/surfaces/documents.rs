//! Documents made from the run's state: the tabs of the inspector, and the pages of other surfaces.
//!
//! Must not know: how a document is drawn, keys.

pub(crate) mod agent_plan;
pub(crate) mod attempts;
pub(crate) mod branches;
pub(crate) mod call;
pub(crate) mod change;
pub(crate) mod change_list;
pub(crate) mod changed_lines;
pub(crate) mod changed_texts;
pub(crate) mod classify;
pub(crate) mod compare;
pub(crate) mod context;
pub(crate) mod depends;
pub(crate) mod derived;
pub(crate) mod effects;
pub(crate) mod files;
pub(crate) mod fork;
pub(crate) mod frame;
pub(crate) mod head;
pub(crate) mod help;
pub(crate) mod legend;
pub(crate) mod listed;
pub(crate) mod loops;
pub(crate) mod needed;
pub(crate) mod older;
pub(crate) mod outcome;
pub(crate) mod pages;
pub(crate) mod plan;
pub(crate) mod readable;
pub(crate) mod ready_rules;
pub(crate) mod repairs;
pub(crate) mod revisions;
pub(crate) mod rule;
pub(crate) mod sandbox;
pub(crate) mod tool_change;
pub(crate) mod wire;

use std::fmt::Write as _;

use crate::ground::doc::{Form, Styled};
use crate::ground::pager::Wrap;
use crate::ground::symbols;
use crate::ground::theme::Role;
use crate::kernel::graph::Pick;
use crate::kernel::inspector::{Subject, Tab};
use crate::run::edit_result;
use crate::run::maker::Maker;
use overrule_domain::badge;
use overrule_domain::effective_status;
use overrule_domain::id::{NodeId, NodeKind, TurnId};
use overrule_domain::live::LivePart;
use overrule_domain::node::{Channel, Content, Node, Origin, Revision};
use overrule_domain::retry_wait::blocks;
use overrule_domain::turn::{Stream, StreamFaultKind};
use overrule_present::conflict::ConflictView;

pub use branches::{answer as branch_answer, list as branch_list};
pub use call::decision;
pub use classify::classify;
pub use compare::{difference as compared_node, nodes as compared_nodes, rows as compared_rows};
pub use effects::{list as effect_list, listed as effect_rows, more as effect_more};
pub use fork::fork;
pub use help::{HelpMode, HelpTerms, help};
pub use loops::loops;
pub use needed::{Fix, fits, needed};
pub use older::{Several, requests, several};
pub use pages::{bulk, changed_definitions, note};
pub use plan::{impact, review, staged_edit};
pub use ready_rules::menu as ready_rules;
pub use revisions::{content_text, diff_texts};
pub use rule::{preview as rule_preview, rule_list, rule_more, rules};
pub use sandbox::{page as sandbox, refused as sandbox_refused};
pub use tool_change::definitions;

/// Makes the document of a tab.
pub fn make(maker: &mut Maker<'_>, subject: Option<Subject>, tab: Tab) {
    match subject {
        None => maker.own(Role::Dim, "nothing is selected"),
        Some(Subject::Broken(turn)) => broken(maker, turn),
        Some(Subject::Pick(Pick::Live(turn, part))) => live(maker, turn, part),
        Some(Subject::Pick(Pick::Node(id))) => node(maker, id, tab),
    }
}

fn node(maker: &mut Maker<'_>, id: NodeId, tab: Tab) {
    let run = maker.run;
    let Some(node) = run.state.node(id) else {
        maker.own(Role::Dim, format!("{id} does not exist"));
        return;
    };
    match tab {
        Tab::Content => content(maker, node),
        Tab::Arguments => call::arguments(maker, id.call()),
        Tab::Revisions => revisions::make(maker, id),
        Tab::Context => context::make(maker, node.turn),
        Tab::Depends => depends::make(maker, id),
        Tab::Attempts => attempts::attempts(maker, id.call()),
        Tab::Wire => wire::make(maker, node.turn),
    }
}

fn heading(maker: &mut Maker<'_>, node: &Node) {
    let state = &maker.run.state;
    let mut words = format!("{} {}", node.id, node.id.kind.label());
    if let Some(turn) = state.turns.get(&node.turn) {
        let _ = write!(words, "  {}", turn.id);
    }
    let mut line = Styled::new().own(Role::Title, words);
    if node.revisions.len() > 1 {
        line = line.own(
            Role::Edited,
            format!("  revision {} of {}", node.rev().0, node.revisions.len()),
        );
    }
    if node.pinned {
        line = line.own(Role::Edited, "  corrected by the operator, pinned");
    }
    if !node.active {
        let why = effective_status::replaced_words(&maker.run.state, node.id);
        line = line.own(Role::Superseded, format!("  superseded: {why}"));
    }
    line = line.own(Role::Dim, format!("  {}", origin_word(node.now())));
    maker.doc.line(line);
    if node.active {
        badges(maker, node.id);
    }
}

/// Adds what edits and other branches left on a node, as sentences.
fn badges(maker: &mut Maker<'_>, id: NodeId) {
    for one in badge::of(&maker.run.state, id) {
        maker.own(symbols::of_badge(one), one.sentence());
    }
    for link in maker.run.state.origin.agent.sub_agents_of(id) {
        let session = overrule_base::text::visible(&link.session);
        maker.own(Role::Dim, format!("Session of the sub-agent: {session}"));
    }
}

/// The author of a revision, as text.
pub fn origin_word(revision: &Revision) -> String {
    match &revision.origin {
        Origin::Model => "by the model".to_owned(),
        Origin::Execution => "by the tool".to_owned(),
        Origin::Operator { user } if &**user == "operator" => "by the operator".to_owned(),
        Origin::Operator { user } => format!("by operator {}", overrule_base::text::visible(user)),
        Origin::Repair { attempt } => format!("by repair {attempt}"),
        Origin::Engine { rule } => format!("by the engine ({})", overrule_base::text::visible(rule)),
        Origin::Reused { from } => format!("reused from {from}"),
        Origin::Import => "from the agent".to_owned(),
    }
}

fn content(maker: &mut Maker<'_>, node: &Node) {
    heading(maker, node);
    match &node.now().content {
        Content::Text { text, channel, .. } => {
            if *channel == Channel::Reasoning {
                maker.own(Role::Dim, "reasoning");
            }
            if text.is_empty() {
                maker.own(Role::Dim, "no words; edit to write a thought here");
            } else {
                maker.quote(text, &node.now().origin);
            }
        }
        Content::Call { .. } => call::content(maker, node.id),
        Content::Observation { outcome, .. } => maker.outcome(outcome),
        Content::Deleted => maker.own(Role::Dim, "deleted by the operator"),
    }
    if node.id.kind == NodeKind::Intervention {
        loops::step(maker, node.id);
        let state = &maker.run.state;
        if let Some(edit) = edit_result::edit(state, node.id) {
            let result_source = edit_result::describe(state, edit);
            if let Some(target) = edit.target {
                maker.fact("target", Role::Text, target.to_string());
            }
            if let Some(via) = maker.run.state.operator.via.get(&edit.seq) {
                maker.fact("from", Role::Text, via.label());
            }
            maker.fact("outcome", Role::Text, result_source);
        }
    }
    if node.id.kind == NodeKind::Observation {
        conflicts(maker, node.id);
    }
}

/// Adds the write conflicts of a call.
fn conflicts(maker: &mut Maker<'_>, id: NodeId) {
    let state = &maker.run.state;
    let current = ConflictView::of_call(state, id.call());
    let others = overrule_domain::ready::write_conflicts(state, id.call());
    for conflict in &current {
        maker.own(Role::Warning, conflict.describe());
    }
    if current.is_empty() && !others.is_empty() {
        let names: Vec<String> = others.iter().map(NodeId::to_string).collect();
        let names = names.join(", ");
        maker.own(
            Role::Warning,
            format!("wrote the same place as {names}; a later turn has written it since"),
        );
    }
}

fn live(maker: &mut Maker<'_>, turn: TurnId, part: usize) {
    let run = maker.run;
    let Some(live) = run.live.get(&turn) else {
        broken(maker, turn);
        return;
    };
    maker.doc.line(
        Styled::new()
            .own(Role::Running, format!("{turn}, streaming"))
            .own(Role::Dim, format!("  {} bytes so far", live.bytes)),
    );
    match live.parts.get(part) {
        Some(LivePart::Text { text, before, .. }) => {
            earlier(maker, *before);
            maker.quote(text, &Origin::Model);
        }
        Some(LivePart::Call { tool, args, before }) => {
            maker.field("tool", tool);
            earlier(maker, *before);
            // The JSON form can only be found from the beginning on.
            let form = if *before == 0 { Form::Json } else { Form::Raw };
            maker.text(args, form, Wrap::Chars, Role::Text, (Role::Dim, "  ".to_owned()));
        }
        None => {}
    }
}

/// Adds a line about text of an open stream that is not shown yet.
fn earlier(maker: &mut Maker<'_>, before: u64) {
    if before > 0 {
        let words = format!("{before} earlier bytes are shown when the block is complete");
        maker.own(Role::Dim, words);
    }
}

/// Adds the facts about a broken stream, and the choices.
pub fn broken(maker: &mut Maker<'_>, id: TurnId) {
    let run = maker.run;
    let Some(turn) = run.state.turns.get(&id) else {
        return;
    };
    let Stream::Broken(fault) = &turn.stream else {
        maker.own(Role::Dim, format!("{id} is no longer broken"));
        return;
    };
    maker.doc.line(
        Styled::new()
            .own(
                Role::Error,
                match fault.kind {
                    StreamFaultKind::Invalid => format!("the answer of {id} is invalid"),
                    kind => format!("the stream of {id} broke: {}", kind.label()),
                },
            )
            .own(Role::Dim, format!("  request {}", turn.asked)),
    );
    let message = maker.cache.owned(&fault.message);
    maker.text(
        &message,
        Form::Raw,
        Wrap::Words,
        Role::Text,
        (Role::Error, "  ".to_owned()),
    );
    if let Some(ms) = fault.retry_after_ms {
        maker.own(
            Role::Text,
            format!("the server asked to wait {} s", ms.div_ceil(1000)),
        );
    }
    let arrived = match blocks(&run.state, turn).count() {
        0 => "no complete block had arrived".to_owned(),
        count => {
            let whole = overrule_present::many(count, "block");
            format!("{whole} had arrived complete; asking again keeps only those that come back the same")
        }
    };
    maker.own(Role::Text, arrived);
    if let Some(open) = &turn.more.open {
        let title = if open
            .model_text()
            .is_some_and(|stated| stated.len() == open.text.len())
        {
            "arrived part of the next block"
        } else {
            "arrived parts of the next blocks; an incomplete call is not kept"
        };
        maker.own(Role::Title, title);
        maker.quote(&open.text, &Origin::Model);
    }
}
