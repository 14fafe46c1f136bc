//! The table of terms.
//!
//! Must not know: how terms are found or shown.

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

const STATUS: &[Term] = &[
    term(
        "proposed",
        &[],
        "the model wrote this call. Its arguments are not checked yet.",
    ),
    term(
        "invalid",
        &[],
        "the arguments break the schema of the tool. The call does not run; it is repaired or the model is told.",
    ),
    term(
        "blocked",
        &[],
        "the call reads a result that does not exist yet. It continues when that result is there.",
    ),
    term(
        "ready",
        &[],
        "all inputs of the call are known. The policy decides about it next.",
    ),
    term(
        "awaiting approval",
        &["awaits approval", "to decide"],
        "the call runs only if you approve it (a). Reject it (x) with a reason for the model.",
    ),
    term(
        "would repeat an effect",
        &["would repeat", "would run again", "awaiting consent", "consent"],
        "an equal call ran before, or may have. It runs again only with your consent.",
    ),
    term(
        "queued",
        &["approved"],
        "the call is approved and starts when a place to run is free.",
    ),
    term(
        "waiting to run",
        &["scheduled"],
        "the call starts by itself after a delay, such as the wait before a retry.",
    ),
    term(
        "repair",
        &[
            "repair: diagnosing",
            "repair: selecting a strategy",
            "repair: asking the model",
            "repair: applying",
        ],
        "the call failed, and its arguments are being changed so that it can succeed.",
    ),
    term(
        "repair: you choose",
        &["its arguments need a repair"],
        "several repairs of the arguments are possible, and only you can choose one.",
    ),
    term(
        "running",
        &[],
        "the tool executes the call now. You can cancel it; an effect may have happened.",
    ),
    term(
        "with the agent",
        &[],
        "the call was released to the agent, which runs it itself. Its result is seen in the agent's next request.",
    ),
    term(
        "held behind",
        &[],
        "the call waits because an earlier call of its turn is not decided.",
    ),
    term(
        "outcome unknown",
        &[],
        "the call began, and its end was not seen. Say what happened; until then nothing repeats it.",
    ),
    term("succeeded", &[], "the tool returned a result."),
    term(
        "exit",
        &["ended with an exit code", "exit code"],
        "the command ended with this code, which is not a success code. The model reads its output and the code.",
    ),
    term(
        "failed",
        &[],
        "the call ended with an error. The model reads the error unless a repair or a retry helps.",
    ),
    term(
        "rejected",
        &[],
        "you refused the call. It did not run, and the model reads your reason.",
    ),
    term(
        "denied",
        &[],
        "a rule of the policy refused the call. It did not run, and the model reads why.",
    ),
    term(
        "cancelled",
        &[],
        "the call was ended before its result. If it had started, an effect may have happened.",
    ),
    term(
        "left unknown",
        &["abandoned", "outcome left unknown"],
        "you decided not to find out whether the call happened. The run continues without its result.",
    ),
    term(
        "not approved in time",
        &["expired"],
        "nobody decided about the call before its deadline, so it did not run.",
    ),
    term(
        "skipped",
        &[],
        "something that the call reads will never exist, so it does not run.",
    ),
    term(
        "unsatisfiable",
        &[],
        "the call reads what no call will ever write. It does not run, and the model is told.",
    ),
    term(
        "suspended",
        &[],
        "an edit before the call is open or not decided. The call waits for the outcome of the edit.",
    ),
    term(
        "superseded",
        &[],
        "an edit replaced this node. It stays in the session and on its own branch; nothing decides about it.",
    ),
];

const CAUSES: &[Term] = &[
    term(
        "asks about every call",
        &[],
        "the policy lets no call of this kind run without your decision.",
    ),
    term(
        "asks about changes to files",
        &["changes to files"],
        "the policy asks because the tool writes, edits or deletes files.",
    ),
    term(
        "asks about commands",
        &["commands"],
        "the policy asks because a command line can do anything that your account can do.",
    ),
    term(
        "asks about other machines",
        &["other machines"],
        "the policy asks because the call reaches a server or another machine.",
    ),
    term(
        "asks about calls that may change something",
        &["asks about changes"],
        "the policy asks because nothing says that the tool only reads.",
    ),
    term(
        "your rule asks",
        &[],
        "a rule of your settings or of this session asks about such calls. `:policy` and overrule config show it.",
    ),
    term(
        "a rule of the workspace asks",
        &["a rule of the workspace"],
        "a rule in overrule.toml of the workspace asks about such calls.",
    ),
    term(
        "always asks",
        &[],
        "no preset allows such a call; you decide each time.",
    ),
    term(
        "its definition changed",
        &[],
        "the server describes the tool in another way than when its calls were allowed. Look at the tool first.",
    ),
    term(
        "asks you",
        &[],
        "the model asks a question. Your answer is the result of the call.",
    ),
];

const EFFECTS: &[Term] = &[
    term(
        "effect class",
        &[],
        "what a tool can do outside the run: pure, read, idempotent, write or unknown. Policies decide by it.",
    ),
    term(
        "pure",
        &["no effect"],
        "the result depends on the arguments alone. The call reads and changes nothing outside the run.",
    ),
    term(
        "read",
        &["only reads", "reads"],
        "the call looks at something outside the run and changes nothing.",
    ),
    term(
        "idempotent",
        &["safe to repeat"],
        "the call changes something. The same call a second time changes nothing more.",
    ),
    term(
        "write",
        &["changes something"],
        "the call changes something outside the run, and again each time it runs.",
    ),
    term(
        "unknown",
        &[],
        "what the tool can do, or why it failed, is not known. The program assumes the worst of it.",
    ),
    term(
        "reaches another machine",
        &["external"],
        "the tool is tagged external: it talks to servers, so data can leave this machine.",
    ),
    term(
        "cannot be undone",
        &["irreversible"],
        "the tool is tagged irreversible: no later call reverts it. No preset allows it without you.",
    ),
    term(
        "danger",
        &[],
        "a table of known risks matched a part of the call. A call without a mark is not thereby safe.",
    ),
    term("deletes", &[], "the call removes files, data or history."),
    term("overwrites", &[], "the call replaces content that exists."),
    term("network", &[], "the call talks to another machine."),
    term(
        "outside the workspace",
        &["outside"],
        "the call names a place that is not in the directory of the run.",
    ),
    term(
        "more privilege",
        &["privilege"],
        "the call runs with more rights, or changes who may do what.",
    ),
    term(
        "stops what runs",
        &["stops"],
        "the call ends programs, services or machines.",
    ),
    term(
        "runs a program",
        &["program"],
        "the call runs a program text of its own, which may run any command.",
    ),
    term(
        "runs code later",
        &["runs later"],
        "the call may write what another program runs by itself later, such as a git hook.",
    ),
    term(
        "not checked",
        &["unchecked"],
        "the call was too long to compare with the table of dangers. Read it.",
    ),
    term(
        "cannot be read fully",
        &[],
        "a part of the command is known only when the shell runs it. The policy asks about it.",
    ),
];

const POLICIES: &[Term] = &[
    term(
        "policy",
        &[],
        "what decides about each call: a preset and any number of rules. :policy changes it.",
    ),
    term(
        "preset",
        &[],
        "a named base policy for calls that no rule matches: supervised, guarded, edits, auto or read-only.",
    ),
    term("supervised", &[], "a preset. It asks about every call."),
    term(
        "guarded",
        &[],
        "the usual preset. It allows calls that only read here, and asks about changes, commands and other machines.",
    ),
    term(
        "edits",
        &[],
        "a preset. It allows what guarded allows and changes of files in the workspace; it asks about commands.",
    ),
    term(
        "auto",
        &[],
        "a preset. It allows every call that can be undone, and asks only about the others.",
    ),
    term(
        "read-only",
        &[],
        "a preset. It allows calls that only read, and denies all others without a question.",
    ),
    term(
        "rule",
        &[],
        "allows, asks about or denies calls that match its conditions. + makes one from a call; :rules lists them.",
    ),
    term(
        "allow",
        &["ask", "deny"],
        "what a rule does with a call: it runs, it waits for you, or it never runs and the model is told why.",
    ),
    term(
        "approver",
        &[],
        "a program of yours that is asked first about calls that would ask you.",
    ),
    term(
        "deadline",
        &["overdue"],
        "the time by which a call must be decided, and what happens then: denied, the run stops, or it keeps waiting.",
    ),
    term(
        "escalated",
        &[],
        "the deadline of a call passed without a decision. The call keeps waiting, with a stronger signal.",
    ),
    term(
        "sandbox",
        &[],
        "how commands of the agent are confined. \"no sandbox\": a command that you approve can do what you can.",
    ),
    term(
        "reading only",
        &["restricted"],
        "the run is restricted: only calls that read can run until you end the restriction (!).",
    ),
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
