//! The one list of the surfaces and the verbs.
//!
//! Must not know: how a key is parsed, how anything is drawn.
//!
//! Keymap, hints, palette, help, `docs/keys.md` and the refusals are made from it, so they agree.

use super::tasks;
use crate::kernel::keymap::file::Change;
use crate::kernel::keymap::{Error, Keymap};
use crate::kernel::registry::Registry;
use crate::kernel::verb::{Families, MOVES, TEXTS, Verb};
use crate::surfaces;
use crate::surfaces::attention::verbs as attention;
use crate::surfaces::branches::verbs as branches;
use crate::surfaces::bulk::verbs as approve_list;
use crate::surfaces::classify::verbs as classify;
use crate::surfaces::compare::{copy_node, verbs as compare};
use crate::surfaces::definitions::verbs as servers;
use crate::surfaces::editor::verbs as text;
use crate::surfaces::effects::verbs as effects;
use crate::surfaces::fork::verbs as fork;
use crate::surfaces::help::verbs as help;
use crate::surfaces::impact::verbs as impact;
use crate::surfaces::leave::verbs as quit;
use crate::surfaces::list::palette;
use crate::surfaces::next_task::verbs as next_task;
use crate::surfaces::ready_rules::verbs as ready_rules;
use crate::surfaces::restore::verbs as restore;
use crate::surfaces::review::stage;
use crate::surfaces::rules::verbs as rules;
use crate::surfaces::sandbox::verbs as sandbox;
use crate::surfaces::staged_edits::verbs as staged_edits;
use crate::surfaces::stop::verbs as emergency_stop;
use crate::surfaces::{
    branch_pane as branches_pane, budget, graph as graph_pane, health, inspector as inspector_pane, log,
    queue, state, tools,
};
use crate::verbs::{
    answer, approve, ask_turn_again, cancel_call, changes, choices, close, conversations, copy, correct,
    delete, edit, follow, graph, guide, insert_call, insert_thought, inspector, jumps, limits, loops, moves,
    panes, pause, redo, reject, repair, replace, replay, reset_breaker, resilience, restrict, retry, run_now,
    screen, set_price, shorten, step, stop_turn, theme, title, undo, unpin, weights,
};

/// All surfaces and verbs.
pub static REGISTRY: Registry = Registry {
    families: FAMILIES,
    panes: &[
        &graph_pane::Graph,
        &queue::Queue,
        &inspector_pane::Inspector,
        &log::Log,
        &state::KIND,
        &branches_pane::KIND,
        &budget::KIND,
        &health::KIND,
        &tools::KIND,
    ],
    surfaces: &[
        surfaces::editor::ENTRY,
        surfaces::next_task::ENTRY,
        surfaces::line::ENTRY,
        surfaces::list::ENTRY,
        surfaces::page::ENTRY,
        surfaces::attention::ENTRY,
        surfaces::review::ENTRY,
        surfaces::restore::ENTRY,
        surfaces::changes::ENTRY,
        surfaces::staged_edits::ENTRY,
        surfaces::branches::ENTRY,
        surfaces::compare::ENTRY,
        surfaces::effects::ENTRY,
        surfaces::bulk::ENTRY,
        surfaces::ready_rules::ENTRY,
        surfaces::rule::ENTRY,
        surfaces::rules::ENTRY,
        surfaces::sandbox::REFUSED_ENTRY,
        surfaces::sandbox::ENTRY,
        surfaces::fork::ENTRY,
        surfaces::consent::ENTRY,
        surfaces::outcome::ENTRY,
        surfaces::classify::ENTRY,
        surfaces::broken::ENTRY,
        surfaces::definitions::ENTRY,
        surfaces::stop::ENTRY,
        surfaces::leave::ENTRY,
    ],
    tasks: &tasks::TASKS,
    replay: &tasks::REPLAY,
};

/// Every verb, by family with its heading, in the order of help.
static FAMILIES: Families = &[
    ("decide", DECIDE),
    ("edit", EDIT),
    ("branches and effects", BRANCH),
    ("run", RUN),
    ("fix", &[]),
    ("graph", GRAPH),
    ("find", JUMP),
    ("panes", SHOW),
    ("view", VIEW),
    (MOVES, MOVE),
    (TEXTS, TEXT),
    ("typing", TYPING),
    ("replay", REPLAY),
];

/// The verbs that show a pane.
static SHOW: &[Verb] = &[
    graph_pane::SHOW,
    queue::SHOW,
    inspector_pane::SHOW,
    log::SHOW,
    state::SHOW,
    branches_pane::SHOW,
    budget::SHOW,
    health::SHOW,
    tools::SHOW,
];

/// Decisions about calls and turns.
static DECIDE: &[Verb] = &[
    approve::APPROVE,
    approve::APPROVE_UNREAD,
    reject::REJECT,
    choices::VERB,
    approve_list::APPROVE_ALL,
    ready_rules::WRITE_RULE,
    ready_rules::ALWAYS,
    rules::RULES,
    retry::VERB,
    run_now::VERB,
    repair::CHOOSE_REPAIR,
    repair::SKIP_REPAIR,
    cancel_call::VERB,
];

/// Edits of the graph.
static EDIT: &[Verb] = &[
    edit::VERB,
    replace::VERB,
    answer::VERB,
    correct::VERB,
    next_task::GUIDE,
    guide::INSERT_PROMPT,
    insert_thought::VERB,
    insert_call::VERB,
    delete::VERB,
    unpin::VERB,
    impact::VERB,
    stage::STAGE,
    staged_edits::STAGED_EDITS,
    staged_edits::COMMIT_STAGED,
];

/// Branches and effects.
static BRANCH: &[Verb] = &[
    undo::VERB,
    redo::VERB,
    ask_turn_again::VERB,
    branches::BRANCHES,
    branches::BRANCH_SWITCH,
    compare::BRANCH_COMPARE,
    compare::PANE_COMPARE,
    branches::PANE_NAME,
    branches::PANE_MARK,
    copy_node::PANE_COPY,
    effects::PROBE,
    restore::RESTORE_FILES,
];

/// Control of the run.
static RUN: &[Verb] = &[
    pause::VERB,
    restrict::VERB,
    step::VERB,
    stop_turn::VERB,
    emergency_stop::EMERGENCY_STOP,
    conversations::VERB,
    shorten::SHORTEN,
    shorten::SUMMARIZE,
    shorten::DROP_TURNS,
    servers::ACCEPT_TOOLS,
    servers::REFUSE_TOOLS,
    ready_rules::POLICY,
    limits::VERB,
    loops::ALLOW_LOOP,
    loops::MUTE_LOOPS,
    resilience::VERB,
    reset_breaker::VERB,
    classify::CLASSIFY,
    title::VERB,
    set_price::VERB,
    weights::SET_WEIGHT,
    weights::RESET_WEIGHTS,
    weights::FORGET_WEIGHTS,
    quit::QUIT,
    quit::INTERRUPT,
    quit::SUSPEND,
];

/// How the graph is shown.
static GRAPH: &[Verb] = &[
    graph::FILTER,
    graph::DETAIL,
    graph::MAP,
    graph::TIMELINE,
    graph::TRANSCRIPT,
    graph::LEAVE_TRANSCRIPT,
    graph::FOLLOW,
];

/// Jumps in the graph.
static JUMP: &[Verb] = &[
    jumps::NEXT_PENDING,
    jumps::NEXT_FAILURE,
    jumps::NEXT_EDIT,
    jumps::PREVIOUS_THOUGHT,
    jumps::NEXT_THOUGHT,
    jumps::PARENT,
    jumps::CHILD,
    jumps::NEXT_SIBLING,
    jumps::PREVIOUS_SIBLING,
    jumps::SEARCH,
    jumps::NEXT_MATCH,
    jumps::PREVIOUS_MATCH,
];

/// What is on screen.
static VIEW: &[Verb] = &[
    help::HELP,
    palette::PALETTE,
    panes::NEXT_PANE,
    panes::PREVIOUS_PANE,
    follow::FOLLOW_EVENT,
    follow::ONLY_DECISIONS,
    follow::FOLLOW_WRITER,
    follow::FOLLOW_COST,
    follow::EXPLAIN_WEIGHT,
    panes::ZOOM,
    inspector::NEXT_TAB,
    inspector::PREVIOUS_TAB,
    inspector::OLDER,
    inspector::NEWER,
    inspector::OUTPUT_COLOURS,
    inspector::EXPAND,
    loops::LOOPS,
    attention::VERB,
    effects::EFFECTS,
    changes::VERB,
    sandbox::SANDBOX,
    theme::VERB,
    copy::COPY,
    screen::MOUSE,
    copy::SAVE,
    copy::OPEN_OUTSIDE,
    screen::REDRAW,
    close::CLOSE,
    close::BACK,
    help::HELP_HERE,
];

/// Moves in a pane, page or text.
static MOVE: &[Verb] = &[
    moves::UP,
    moves::DOWN,
    moves::LEFT,
    moves::RIGHT,
    moves::PAGE_UP,
    moves::PAGE_DOWN,
    moves::HALF_UP,
    moves::HALF_DOWN,
    moves::TOP,
    moves::BOTTOM,
    moves::LIST_UP,
    moves::LIST_DOWN,
    moves::LIST_PAGE_UP,
    moves::LIST_PAGE_DOWN,
    moves::LIST_TOP,
    moves::LIST_BOTTOM,
    moves::CURSOR_UP,
    moves::CURSOR_DOWN,
    moves::CURSOR_LEFT,
    moves::CURSOR_RIGHT,
    moves::EDITOR_PAGE_UP,
    moves::EDITOR_PAGE_DOWN,
];

/// Editing of a text field.
static TEXT: &[Verb] = &[
    text::DONE,
    text::ACCEPT,
    text::DISCARD,
    text::COMPLETE,
    text::FIELD_BACK,
    text::FORM,
    text::EXTERNAL,
    text::UNDO_TYPING,
    text::REDO_TYPING,
    text::WORD_LEFT,
    text::WORD_RIGHT,
    text::LINE_START,
    text::LINE_END,
    text::FIRST_LINE,
    text::LAST_LINE,
    text::ERASE_WORD,
    text::ERASE_START,
    text::ERASE_END,
    text::NEXT_FAULT,
    text::FIND,
    text::FIND_NEXT,
    text::FIND_BACK,
    text::SELECT_LEFT,
    text::SELECT_RIGHT,
    text::SELECT_UP,
    text::SELECT_DOWN,
    text::SELECT_LINE_START,
    text::SELECT_LINE_END,
    text::SELECT_ALL,
    text::COPY_SELECTED,
    text::CUT,
    text::PASTE,
];

/// Keys of a text field that are no edits.
static TYPING: &[Verb] = &[help::HELP_TYPING];

/// Control of a recorded run.
static REPLAY: &[Verb] = &[
    replay::PLAY,
    replay::NEXT_EVENT,
    replay::PREVIOUS_EVENT,
    replay::FASTER,
    replay::SLOWER,
    replay::TO_START,
    replay::TO_END,
    replay::TENTH_ON,
    replay::TENTH_BACK,
    replay::NEXT_TURN,
    replay::PREVIOUS_TURN,
    replay::NEXT_DECISION,
    replay::PREVIOUS_DECISION,
    replay::NEXT_FAILURE,
    replay::PREVIOUS_FAILURE,
    replay::NEXT_EDIT,
    replay::PREVIOUS_EDIT,
    fork::FORK,
];

/// Every verb, in the order of help.
pub fn verbs() -> impl Iterator<Item = &'static Verb> {
    REGISTRY.verbs()
}

/// The keymap: the defaults with the operator's changes.
pub fn keymap(changes: &[Change]) -> Result<Keymap, Error> {
    Keymap::new(&REGISTRY, changes)
}

/// The keys as a Markdown table.
pub fn markdown() -> String {
    use std::fmt::Write as _;

    let mut out = String::from("| keys | command | where | what |\n|---|---|---|---|\n");
    for verb in verbs() {
        let keys: Vec<String> = verb
            .keys
            .iter()
            .map(|key| format!("`{}`", key.replace('|', "\\|")))
            .collect();
        let place: Vec<&str> = REGISTRY
            .places(verb)
            .iter()
            .map(|place| place.heading())
            .collect();
        // Writing into a string cannot fail.
        let _ = writeln!(
            out,
            "| {} | `{}` | {} | {} |",
            keys.join(" "),
            verb.name,
            place.join(", "),
            verb.doc
        );
    }
    out
}
