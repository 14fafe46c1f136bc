//! The inspector's tabs: documents made from the run's state.
//!
//! Must not know: how a document is drawn, keys.

mod attempts;
mod branches;
mod call;
mod change;
mod classify;
mod compare;
mod context;
mod depends;
mod derived;
mod effects;
mod fork;
mod frame;
mod head;
mod help;
mod legend;
mod listed;
mod loops;
mod needed;
mod older;
mod outcome;
mod pages;
mod plan;
mod readable;
mod repairs;
mod revisions;
mod rule;
mod tool_change;
mod wire;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use super::call_group::CallGroup;
use super::columns::Columns as _;
use super::doc::{Cache, Doc, Form, ShownNow, Styled};
use super::edit_result;
use super::model::run::RunPart;
use super::pager::{Pager, Wrap};
use super::panes::graph::model::Pick;
use super::panes::inspector::model::{Subject, Tab};
use super::symbols::{self, Charset, Symbol};
use super::theme::Role;
use super::work::Ticket;
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
pub use help::{HelpMode, help};
pub use loops::loops;
pub use needed::{Fix, fits, needed};
pub use older::{Older, Several, requests, several};
pub use outcome::Output;
pub use pages::{bulk, changed_definitions, note, unasked};
pub use plan::{impact, review, staged_edit};
pub use readable::asks_because;
pub use revisions::{content_text, diff_texts};
pub use rule::{preview as rule_preview, rule_list, rule_more, rules};
pub use tool_change::definitions;

/// Columns of a name before its value.
const NAME: u16 = 11;
/// The marks before the first row of a decision, each row of its text, its last row, and a fixed row of its head.
/// No untrusted text can produce them: see [`overrule_base::text::FRAME`].
const FRAME: [&str; 4] = ["┏ ", "┃ ", "┗ ", "┣ "];
/// The same on an ASCII screen. Place and style distinguish it from untrusted text.
const FRAME_ASCII: [&str; 4] = ["# ", "| ", "# ", "# "];
/// The most rows of a value.
const FIELD_ROWS: usize = 4;
/// Longest arguments that are parsed for reading, in bytes: parsing copies them.
const MAX_PARSED: usize = 256 * 1024;
/// Columns of the texts of a call in a list for approval; the list shows the length of longer ones.
const WHOLE: usize = 600;

/// The inputs of a tab.
pub struct Maker<'a> {
    /// The run.
    pub run: &'a RunPart,
    /// Cached results of background jobs.
    pub cache: &'a mut Cache,
    /// Groups of similar waiting calls.
    pub call_groups: &'a BTreeMap<NodeId, CallGroup>,
    /// Columns.
    pub width: u16,
    /// Rows of the pane; none where the document is as long as it likes.
    pub height: Option<usize>,
    /// Characters.
    pub charset: Charset,
    /// How tool output is shown; `None` for documents without coloured output.
    pub output: Option<Output>,
    /// The shown part of a longer list.
    pub older: Older,
    /// True where the operator chose the exact bytes of decisions: now, and when this one was opened.
    pub exact: [bool; 2],
    /// The key that shows the exact bytes; empty where there is none.
    pub exact_key: String,
    /// The form of the decision that is made.
    shown: Option<ShownNow>,
    /// The document.
    pub doc: Doc,
}

impl<'a> Maker<'a> {
    /// Makes an empty document with this width and these characters.
    pub fn new(
        run: &'a RunPart,
        cache: &'a mut Cache,
        similar: &'a BTreeMap<NodeId, CallGroup>,
        (width, charset): (u16, Charset),
    ) -> Self {
        Self {
            run,
            cache,
            call_groups: similar,
            width,
            charset,
            height: None,
            output: None,
            older: Older::default(),
            exact: [false; 2],
            exact_key: String::new(),
            shown: None,
            doc: Doc::default(),
        }
    }
}

impl Maker<'_> {
    /// Adds the console's own text, over as many lines as it needs.
    pub fn own(&mut self, role: Role, text: impl Into<String>) {
        let text = text.into();
        let width = usize::from(self.width).max(1);
        if text.columns() <= width {
            self.doc.line(Styled::new().own(role, text));
            return;
        }
        // Untrusted parts are marked already.
        self.over(Styled::new().own(role, text.trim_end()), 0);
    }

    /// Adds `name  value` with an untrusted value: its head, over a few lines.
    fn field(&mut self, name: &str, value: &str) {
        let width = self.width.saturating_sub(NAME).max(8);
        let (head, cut) = overrule_base::text::head(value, usize::from(width) * FIELD_ROWS * 2);
        let pager = Pager::new(head.into(), width, Wrap::Words);
        let more = cut || pager.rows() > FIELD_ROWS;
        let rows = pager.window(0, FIELD_ROWS, None);
        let last = rows.len().saturating_sub(1);
        for (at, row) in rows.into_iter().enumerate() {
            let name = if at == 0 { name } else { "" };
            let mut line = Styled::new().own(Role::Dim, format!("{name:<10} "));
            line.push_row(row, Role::Text);
            if more && at == last {
                line = line.own(Role::Dim, " …");
            }
            self.doc.line(line);
        }
    }

    /// Adds `name  text` with the console's own text, over as many lines as it needs.
    fn fact(&mut self, name: &str, role: Role, words: impl Into<String>) {
        let line = Styled::new()
            .own(Role::Dim, format!("{name:<10} "))
            .own(role, words);
        self.over(line, usize::from(NAME));
    }

    /// Adds a line, wrapped; rows after the first are indented.
    fn over(&mut self, line: Styled, indent: usize) {
        for row in line.over(usize::from(self.width), indent) {
            self.doc.line(row);
        }
    }

    /// Adds untrusted text after a mark.
    fn text(&mut self, source: &Arc<str>, form: Form, wrap: Wrap, role: Role, mark: (Role, String)) {
        let width = self.width.saturating_sub(mark.1.columns() as u16).max(1);
        let pager = self.cache.pager(source, form, width, wrap);
        if let Some(pager) = self.found(pager, source.len()) {
            self.doc.text(pager, role, mark);
        }
    }

    /// The result of a background job on a text; adds a line while the job runs.
    fn found<T>(&mut self, found: Result<T, Arc<Ticket>>, bytes: usize) -> Option<T> {
        match found {
            Ok(found) => Some(found),
            Err(ticket) => {
                self.doc.wait(ticket);
                self.own(Role::Warning, format!("loading {bytes} bytes…"));
                None
            }
        }
    }

    /// Adds a value in its most readable form, indented.
    fn readable(&mut self, value: &Arc<str>, indent: &str) {
        let mark = (Role::Dim, indent.to_owned());
        self.text(value, Form::Readable, Wrap::Chars, Role::Text, mark);
    }

    /// Adds text of the model or the operator, each with its own mark.
    fn quote(&mut self, source: &Arc<str>, origin: &Origin) {
        let (role, mark) = match origin {
            Origin::Operator { .. } => (Role::Operator, self.glyph(Symbol::ModelText)),
            _ => (Role::ModelText, self.glyph(Symbol::ModelText)),
        };
        self.text(
            source,
            Form::Raw,
            Wrap::Words,
            Role::Text,
            (role, format!("{mark} ")),
        );
    }

    /// A mark of the frame of a decision: first row, row of the text, last row, fixed row.
    fn frame(&self, piece: usize) -> &'static str {
        let pieces = match self.charset {
            Charset::Unicode => FRAME,
            Charset::Ascii => FRAME_ASCII,
        };
        pieces.get(piece).copied().unwrap_or_default()
    }

    /// Adds the console's own text in the frame of a decision, wrapped.
    fn framed(&mut self, piece: usize, words: &str) {
        let width = self.width.saturating_sub(2).max(1);
        let pager = Pager::new(words.trim_end().into(), width, Wrap::Words);
        let mut corner = self.frame(piece);
        for row in pager.window(0, pager.rows(), None) {
            let words: String = row.pieces.into_iter().map(|piece| piece.text).collect();
            let mut words = format!("{corner}{}", words.trim_end());
            // A blank after the text, where there is room.
            if words.columns() < usize::from(self.width) {
                words.push(' ');
            }
            self.doc.line(Styled::new().own(Role::Decision, words));
            corner = "  ";
        }
    }

    fn glyph(&self, symbol: Symbol) -> char {
        symbol.glyph(self.charset)
    }
}

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
            format!("  {} of {} revisions", node.rev(), node.revisions.len()),
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
