//! The tasks of the operator, each with its main keys: the first screen of help.
//!
//! Must not know: how help is drawn, which keys the operator gave the verbs.

use crate::kernel::pane::Pane;
use crate::kernel::registry::Task;
use crate::surfaces;
use crate::surfaces::attention::verbs as attention;
use crate::surfaces::branches::verbs as branches;
use crate::surfaces::bulk::verbs as approve_list;
use crate::surfaces::effects::verbs as effects;
use crate::surfaces::fork::verbs as fork;
use crate::surfaces::impact::verbs as impact;
use crate::surfaces::leave::verbs as quit;
use crate::surfaces::list::palette;
use crate::surfaces::next_task::verbs as next_task;
use crate::surfaces::ready_rules::verbs as ready_rules;
use crate::surfaces::rules::verbs as rules;
use crate::surfaces::staged_edits::verbs as staged_edits;
use crate::surfaces::stop::verbs as emergency_stop;
use crate::verbs::{
    answer, approve, ask_turn_again, cancel_call, changes, copy, correct, delete, edit, graph, inspector,
    jumps, loops, moves, panes, pause, redo, reject, repair, replace, replay, restrict, retry, step,
    stop_turn, undo,
};

/// The tasks of every run, in the order of help.
pub static TASKS: [Task; 8] = [
    Task {
        title: "decide",
        home: Some(Pane::QUEUE),
        rows: &[
            (&[&approve::APPROVE], "approve"),
            (&[&reject::REJECT], "reject with reason"),
            (&[&approve_list::APPROVE_ALL], "approve all waiting"),
            (
                &[&ready_rules::WRITE_RULE, &ready_rules::ALWAYS],
                "rule, exactly this",
            ),
            (&[&rules::RULES], "session rules"),
            (&[&retry::VERB, &cancel_call::VERB], "run again, cancel"),
            (&[&repair::CHOOSE_REPAIR], "choose a repair"),
            (&[&attention::VERB], "why the run waits"),
        ],
    },
    Task {
        title: "change",
        home: None,
        rows: &[
            (&[&edit::VERB], "arguments or text"),
            (&[&replace::VERB], "another tool"),
            (&[&answer::VERB], "type the result"),
            (&[&correct::VERB], "correct the result"),
            (&[&next_task::GUIDE], "guide the model"),
            (&[&delete::VERB], "delete the node"),
            (&[&impact::VERB, &staged_edits::STAGED_EDITS], "preview, staged"),
        ],
    },
    Task {
        title: "go back",
        home: None,
        rows: &[
            (&[&undo::VERB, &redo::VERB], "undo, redo"),
            (&[&branches::BRANCHES], "branches, compare"),
            (&[&ask_turn_again::VERB], "ask the turn again"),
        ],
    },
    Task {
        title: "run",
        home: None,
        rows: &[
            (&[&pause::VERB, &step::VERB], "pause, one step"),
            (&[&stop_turn::VERB], "stop the turn"),
            (&[&emergency_stop::EMERGENCY_STOP], "stop everything"),
            (&[&restrict::VERB], "reading calls only"),
            (&[&quit::QUIT], "quit"),
        ],
    },
    Task {
        title: "find",
        home: Some(Pane::GRAPH),
        rows: &[
            (&[&jumps::NEXT_PENDING], "next waiting call"),
            (&[&jumps::NEXT_FAILURE, &jumps::NEXT_EDIT], "next failure, edit"),
            (
                &[&jumps::SEARCH, &jumps::NEXT_MATCH, &jumps::PREVIOUS_MATCH],
                "search, next",
            ),
            (&[&jumps::PREVIOUS_THOUGHT, &jumps::NEXT_THOUGHT], "thoughts"),
            (&[&graph::FILTER, &graph::DETAIL], "filter, detail"),
            (&[&graph::MAP, &graph::TIMELINE], "map, timeline"),
        ],
    },
    Task {
        title: "read",
        home: Some(Pane::INSPECTOR),
        rows: &[
            (&[&graph::TRANSCRIPT], "transcript"),
            (
                &[&inspector::PREVIOUS_TAB, &inspector::NEXT_TAB],
                "tabs of the node",
            ),
            (&[&inspector::OLDER, &inspector::NEWER], "older, newer"),
            (&[&inspector::OUTPUT_COLOURS], "exact bytes"),
            (&[&changes::VERB], "all changed files"),
            (&[&effects::EFFECTS, &loops::LOOPS], "effects, loops"),
            (&[&copy::COPY, &copy::OPEN_OUTSIDE], "copy, $EDITOR"),
        ],
    },
    Task {
        title: "panes",
        home: None,
        rows: &[
            (
                &[
                    &surfaces::graph::SHOW,
                    &surfaces::queue::SHOW,
                    &surfaces::inspector::SHOW,
                ],
                "main panes",
            ),
            (&[&surfaces::log::SHOW, &surfaces::state::SHOW], "log, state"),
            (
                &[&surfaces::branch_pane::SHOW, &surfaces::health::SHOW],
                "branches, health",
            ),
            (&[&surfaces::budget::SHOW], "budget, cost"),
            (&[&panes::NEXT_PANE, &panes::ZOOM], "next pane, zoom"),
            (&[&palette::PALETTE], "every command"),
        ],
    },
    Task {
        title: "move",
        home: None,
        rows: &[
            (&[&moves::UP, &moves::DOWN], "row"),
            (&[&moves::LEFT, &moves::RIGHT], "fold, unfold; tabs"),
            (&[&moves::PAGE_UP, &moves::PAGE_DOWN], "screen"),
            (&[&moves::TOP, &moves::BOTTOM], "first, last row"),
        ],
    },
];

/// The task of a recorded run.
pub static REPLAY: Task = Task {
    title: "replay",
    home: None,
    rows: &[
        (&[&replay::PLAY], "play or pause"),
        (&[&replay::PREVIOUS_EVENT, &replay::NEXT_EVENT], "event back, on"),
        (&[&replay::SLOWER, &replay::FASTER], "slower, faster"),
        (&[&replay::TO_START, &replay::TO_END], "start, end"),
        (&[&replay::NEXT_TURN], "next turn"),
        (&[&replay::NEXT_DECISION], "next decision"),
        (&[&replay::NEXT_FAILURE], "next failure"),
        (&[&replay::NEXT_EDIT], "next edit"),
        (&[&fork::FORK], "fork a new session"),
    ],
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ground::columns::Columns as _;

    #[test]
    fn each_row_is_about_verbs_of_every_pane_that_have_keys() {
        for task in TASKS.iter().chain([&REPLAY]) {
            for (verbs, label) in task.rows {
                let keys: Vec<&str> = verbs
                    .iter()
                    .filter_map(|verb| verb.keys.first().copied())
                    .collect();
                assert!(
                    (keys.join(" ").columns() + 1).max(7) + label.columns() <= 26,
                    "{label}"
                );
                for verb in *verbs {
                    assert!(
                        verb.works_on(Pane::LOG.id()) && !verb.keys.is_empty(),
                        "{}",
                        verb.name
                    );
                }
            }
        }
    }

    #[test]
    fn no_verb_is_in_two_rows() {
        let rows = TASKS.iter().chain([&REPLAY]).flat_map(|task| task.rows);
        let mut names: Vec<&str> = rows.flat_map(|(verbs, _)| *verbs).map(|verb| verb.name).collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
