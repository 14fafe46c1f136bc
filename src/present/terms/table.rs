//! The table of terms.
//!
//! Must not know: how terms are found or shown.

mod calls;

use self::calls::{CAUSES, EFFECTS, POLICIES, STATUS};
use super::{Group, Term};

const fn term(word: &'static str, also: &'static [&'static str], meaning: &'static str) -> Term {
    Term { word, also, meaning }
}

/// The terms, by subject.
pub const GROUPS: &[Group] = &[
    Group {
        title: "Status of a call",
        terms: STATUS,
    },
    Group {
        title: "Why a call asks",
        terms: CAUSES,
    },
    Group {
        title: "What a call does",
        terms: EFFECTS,
    },
    Group {
        title: "Policies",
        terms: POLICIES,
    },
    Group {
        title: "Errors",
        terms: ERRORS,
    },
    Group {
        title: "Results and marks",
        terms: MARKS,
    },
    Group {
        title: "State of a run, a session or an agent",
        terms: RUNS,
    },
    Group {
        title: "Header",
        terms: HEADER,
    },
    Group {
        title: "The graph and its session",
        terms: GRAPH,
    },
];

const ERRORS: &[Term] = &[
    term(
        "structural",
        &[],
        "the call is not valid JSON or names no known tool.",
    ),
    term(
        "parameter",
        &[],
        "an argument is wrong. Such a failure is repaired first.",
    ),
    term(
        "can be retried",
        &["transient"],
        "the failure may pass by itself: network, time-out, rate limit. It is tried again with a growing delay.",
    ),
    term(
        "not permitted",
        &[],
        "the tool lacks the right to do this. A repetition does not help.",
    ),
    term("not found", &[], "the object that the call names does not exist."),
    term(
        "conflict",
        &["write conflict"],
        "something else changed the same file or value meanwhile. Compare both before you decide.",
    ),
    term(
        "refused by the tool",
        &["business"],
        "the tool worked and rejected the request, and says why.",
    ),
    term(
        "internal",
        &[],
        "a defect of the tool or of its server, not of the call.",
    ),
    term(
        "no answer",
        &[],
        "the server ended, or could not be reached, before the result came.",
    ),
];

const MARKS: &[Term] = &[
    term(
        "answered, not run",
        &["answered by the operator"],
        "you gave the result yourself, and the tool did not run.",
    ),
    term(
        "answered by hand",
        &[],
        "the call ran, and you replaced its result by your own.",
    ),
    term(
        "reported by hand",
        &[],
        "you said what happened in a call whose end was not seen.",
    ),
    term(
        "result corrected",
        &[],
        "you changed the result that the execution gave.",
    ),
    term(
        "correction kept",
        &[],
        "your correction of an equal call is used again, because the model was asked again.",
    ),
    term(
        "reused",
        &["an earlier result was reused"],
        "the result was copied from an equal call. The tool did not run.",
    ),
    term(
        "recorded elsewhere",
        &[],
        "the result came with a record of another session. The tool did not run here.",
    ),
    term(
        "world changed since",
        &[],
        "the result is from another branch and older than a write. What it says may no longer be true.",
    ),
    term(
        "inputs changed",
        &["pinned"],
        "you wrote this result, and what the call reads changed since. It stays until you unpin it or run it again.",
    ),
    term(
        "recorded reply",
        &[],
        "the turn is active again as recorded. The model was not asked again.",
    ),
    term(
        "context drifted",
        &["drifted"],
        "what the model saw before this turn changed, and the turn was kept.",
    ),
    term(
        "results missing",
        &["has no result", "have no result"],
        "the answer comes after calls that ended without a result. It may rest on a guess.",
    ),
    term(
        "history rewritten",
        &[],
        "the agent sent another history than before. Earlier turns are not what its model sees.",
    ),
    term(
        "overlapped",
        &[],
        "another program or call changed the same file while this call ran.",
    ),
];

const RUNS: &[Term] = &[
    term(
        "halted",
        &[],
        "the run cannot write its journal. It starts nothing more; what was recorded is safe.",
    ),
    term("starting", &[], "the run connects to its model and its servers."),
    term(
        "replay",
        &["replaying"],
        "shows a recorded session step by step. It starts nothing.",
    ),
    term(
        "paused",
        &[],
        "nothing new starts until you resume (p). What runs, runs to its end.",
    ),
    term(
        "working",
        &[],
        "a call or a request to the model runs, or is about to.",
    ),
    term(
        "retrying",
        &[],
        "a request to the model broke and is sent again by itself.",
    ),
    term(
        "needs you",
        &["needs attention"],
        "the run cannot continue alone. W shows why, and what you can do.",
    ),
    term(
        "answered",
        &["finished"],
        "the model gave its answer. A new task or an edit continues the session.",
    ),
    term("ended", &[], "no further event follows in this run."),
    term(
        "waiting on edit",
        &[],
        "all that is left to do depends on an open edit. Commit or discard it.",
    ),
    term(
        "open",
        &["closed", "half open"],
        "of a session: it can continue. Of a breaker: it lets no call through; half open: one, to try.",
    ),
    term(
        "stopped",
        &[],
        "you or a limit ended the run. overrule resume continues it.",
    ),
    term(
        "damaged",
        &[],
        "a record of the session is missing or changed. What comes after it cannot be trusted.",
    ),
    term(
        "unreadable",
        &[],
        "the journal of the session cannot be read. overrule sessions verify says why.",
    ),
    term(
        "agent",
        &[
            "agent connected",
            "agent interrupted",
            "agent hung up",
            "agent works",
            "agent waits for its user",
            "agent ended",
        ],
        "the program that overrule proxy supervises, such as claude or codex, and what it does now.",
    ),
];

const HEADER: &[Term] = &[
    term(
        "ctx",
        &["context"],
        "the share of the model's window that the conversation uses. At 100% older turns must be shortened.",
    ),
    term(
        "turn",
        &[],
        "one request to the model with its reply, and the calls of that reply.",
    ),
    term(
        "tokens",
        &[],
        "the pieces of text that the model reads and writes. Their number decides the price.",
    ),
    term(
        "price unknown",
        &[],
        "the price of the model is not known. Give it with :set-price or [price] in the settings.",
    ),
    term(
        "limit",
        &["budget"],
        "the share that is used of the limit that is nearest: turns, tokens, time or price.",
    ),
    term(
        "change not seen",
        &["changes not seen"],
        "a file that changed and whose difference you have not opened. Such changes ask nothing.",
    ),
];

const GRAPH: &[Term] = &[
    term(
        "prompt",
        &[],
        "a text for the model: the task, or a word from you between two turns.",
    ),
    term(
        "thought",
        &[],
        "what the model says before its calls. You can edit it; what depends on it is redone.",
    ),
    term(
        "call",
        &[],
        "a use of a tool that the model asks for, with its arguments. It runs if you or the policy allow it.",
    ),
    term(
        "answer",
        &[],
        "the text with which the model ends its work. The session can continue after it.",
    ),
    term(
        "attempt",
        &["execution"],
        "one execution of a call. A retry is another attempt.",
    ),
    term(
        "revision",
        &[],
        "a version of a node. An edit or a repair makes the next one; older ones stay readable.",
    ),
    term(
        "branch",
        &[],
        "a line of the run. Each edit begins one and deletes nothing; undo, redo and switch go between them.",
    ),
    term("active", &[], "on the branch that the model sees now."),
    term(
        "undo",
        &["redo"],
        "returns to the branch before an edit, or to the edit again. Runs nothing and reverts no file by itself.",
    ),
    term(
        "fork",
        &[],
        "a new session from a point of another one. The other one stays as it is.",
    ),
    term(
        "session",
        &["recording"],
        "the stored history of one task. It can be resumed, replayed and forked.",
    ),
    term(
        "journal",
        &["checkpoint", "record", "event"],
        "the file of a session: every event in order, written before it counts. A crash loses nothing of it.",
    ),
    term(
        "digest",
        &[],
        "a short name for exact bytes. A decision with it holds for these bytes only.",
    ),
    term(
        "edit",
        &["edits staged", "edit staged", "staged edits", "staged"],
        "a change by you to a node of the run. Staged edits are committed together (ctrl-g, then preview).",
    ),
    term(
        "preview",
        &[],
        "what an edit or an undo would do, before it does it.",
    ),
    term(
        "effect",
        &["effects"],
        "a change outside the run, such as a written file. An undo of the run does not revert it.",
    ),
    term(
        "loop",
        &["repetition"],
        "a repetition without progress. The run takes steps against it, the last one is to ask you.",
    ),
    term(
        "breaker",
        &[],
        "stops calls to a tool, server or model that keeps failing, and tries again later.",
    ),
    term(
        "weight",
        &[],
        "how well a tool served a kind of task, from 0 to 1. It is learned from executions.",
    ),
    term(
        "sub-agent",
        &["delegate"],
        "an agent that a call started for a part of the task. Its turns have a graph of their own.",
    ),
    term(
        "queue",
        &[],
        "the calls that wait for your decision, oldest first (2).",
    ),
    term("operator", &[], "you, or another person who may decide."),
    term("workspace", &[], "the directory that the tools work in."),
];
