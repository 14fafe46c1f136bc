//! The terms about calls: their status, why they ask, what they do, the policies.
//!
//! Must not know: how terms are found or shown.

use super::term;
use crate::terms::Term;

pub(super) const STATUS: &[Term] = &[
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

pub(super) const CAUSES: &[Term] = &[
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

pub(super) const EFFECTS: &[Term] = &[
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

pub(super) const POLICIES: &[Term] = &[
    term(
        "policy",
        &[],
        "what decides about each call: a preset and any number of rules. :policy changes it.",
    ),
    term(
        "preset",
        &[],
        "a named base policy for calls that no rule matches: supervised, guarded, edits, reversible, auto or read-only.",
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
        "reversible",
        &[],
        "a preset. It allows what can be undone: edits, and commands in a full sandbox while files are tracked.",
    ),
    term(
        "auto",
        &[],
        "a preset. It allows every call but those of tools tagged irreversible, and asks about these.",
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
        "how commands of the agent are confined. 1: they write only in the workspace, without network or keys. \"no sandbox\": they can do what you can.",
    ),
    term(
        "sandbox 1 partial",
        &["sandbox 2 partial"],
        "this machine lacks a guarantee of the sandbox: @ says which one and what is possible, `overrule doctor` the remedy.",
    ),
    term(
        "reading only",
        &["restricted"],
        "the run is restricted: only calls that read can run until you end the restriction (!).",
    ),
];
