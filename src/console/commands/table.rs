//! The entries of the command table. Must not know: how anything is done.

use super::{
    Classify, Context,
    Context::{
        Always, Attention, BranchPane, Branches, Broken, Budget, Bulk, Compare, Confirm, Consent, Editor,
        Effects, Fork, Graph, Health, Inspector, Leave, Line, List, Log, Page, Panes, Queue, Replay, Review,
        Rule, Rules, StagedEdits, State, UnknownOutcome,
    },
    Decide, EditVerb, Entry, Fix, GraphVerb, Jump, Move, Reach, ReplayVerb, RunVerb, TextVerb, Verb, View,
};
use crate::console::model::screen::Pane;

const fn entry(
    verb: Verb,
    name: &'static str,
    keys: &'static [&'static str],
    contexts: &'static [super::Context],
    hint: &'static str,
    doc: &'static str,
) -> Entry {
    Entry {
        verb,
        name,
        doc,
        keys,
        contexts,
        hint,
    }
}

/// The table, by family.
pub static TABLE: [&[Entry]; 11] = [
    DECIDE, EDIT, BRANCH, RUN, FIX, GRAPH, JUMP, VIEW, MOVE, TEXT, REPLAY,
];

#[rustfmt::skip]
static DECIDE: &[Entry] = &[
    entry(Verb::Decide(Decide::Approve), "approve", &["a"], &[Panes], "approve", "let the call run; only after all of it was on screen"),
    entry(Verb::Decide(Decide::ApproveUnread), "approve-unread", &["ctrl-a"], &[Panes], "", "let the call run although part of it was not on screen; recorded as such"),
    entry(Verb::Decide(Decide::Reject), "reject", &["x"], &[Panes], "reject", "refuse the call (or the answer) with a reason that the model is told"),
    entry(Verb::Decide(Decide::Open), "decide", &["enter"], &[Queue], "choices", "open the choices of a repeated effect, an unknown outcome or a broken stream"),
    entry(Verb::Decide(Decide::All), "approve-all", &["A"], &[Panes], "", "list every call that can be approved together; a second key approves the list"),
    entry(Verb::Decide(Decide::AllNow), "approve-list", &["ctrl-a"], &[Bulk], "approve all listed", "approve everything that is listed"),
    entry(Verb::Decide(Decide::All), "take-in", &["A"], &[Bulk], "take in what came", "list anew: with what came since the list was opened, without what left it; what is listed has to be looked at again"),
    entry(Verb::Decide(Decide::Always), "always", &["*"], &[Panes], "always allow exactly this", "let this call run, now and always, with exactly these bytes; the rule is shown first"),
    entry(Verb::Decide(Decide::Rule), "write-rule", &["+"], &[Panes], "rule for such calls", "write a rule from the selected call: allow, ask or deny such calls for the rest of the session; what it would have meant is counted first"),
    entry(Verb::Decide(Decide::Accept), "accept-rule", &["ctrl-a"], &[Rule], "accept the rule", "accept the rule that is shown"),
    entry(Verb::Decide(Decide::Rules), "rules", &["B"], &[Panes], "", "list the rules of the session"),
    entry(Verb::Decide(Decide::DropRule), "drop-rule", &["x", "delete"], &[Rules], "drop the rule", "let the rule judge no more; asks once more"),
    entry(Verb::Decide(Decide::Retry), "retry", &["R"], &[Panes], "run again", "run a finished call once more, or one whose result was reused"),
    entry(Verb::Decide(Decide::RunNow), "run-now", &["H"], &[Panes], "run now", "let a call that waits for a time run at once"),
    entry(Verb::Decide(Decide::ChooseRepair), "choose-repair", &["F"], &[Panes], "choose a repair", "take one of the repairs that are offered for the call"),
    entry(Verb::Decide(Decide::SkipRepair), "skip-repair", &["K"], &[Panes], "no repair", "repair the call no more: its failure stands, and the model is told"),
    entry(Verb::Decide(Decide::Cancel), "cancel-call", &["c"], &[Panes], "cancel", "end a running call; take back what was let run and has not begun; say of a cancelled one that it did not finish, and go on"),
    entry(Verb::Decide(Decide::Reuse), "reuse", &["u"], &[Consent], "reuse the recorded result", "take the recorded result instead of running again"),
    entry(Verb::Decide(Decide::RunAgain), "run-again", &["R"], &[Consent], "run it again", "let the effect happen once more; only after all of it was on screen"),
    entry(Verb::Decide(Decide::Reject), "refuse-effect", &["x"], &[Consent], "reject", "refuse the repeated effect with a reason"),
    entry(Verb::Decide(Decide::Happened), "it-happened", &["h"], &[UnknownOutcome, Effects], "it happened: type the result", "say that the execution happened, and type its result"),
    entry(Verb::Decide(Decide::DidNot), "it-did-not", &["d"], &[UnknownOutcome, Effects], "it did not happen: let it run", "say that the execution did not happen; what was approved for it runs at once, anything else is asked for again"),
    entry(Verb::Decide(Decide::DidNotFinish), "did-not-finish", &["c"], &[UnknownOutcome], "it did not finish: go on", "say that a cancelled execution did not finish: the call ends as cancelled and does not run again, the model is told, and the effect stays listed as unknown, as part of it may have happened"),
    entry(Verb::Decide(Decide::Leave), "leave-unknown", &["x"], &[UnknownOutcome], "leave it: not run again", "leave it open what came of the execution: the call ends without a result and does not run again, the model is told that nobody knows, and the effect stays listed as unknown"),
    entry(Verb::Decide(Decide::AskAgain), "ask-again", &["T"], &[Broken], "ask again", "ask the model again for a broken turn"),
    entry(Verb::Decide(Decide::Keep), "keep-arrived", &["u"], &[Broken], "keep what arrived", "take what arrived of a broken turn as the whole turn"),
    entry(Verb::Run(RunVerb::Emergency), "stop-broken", &["X"], &[Broken], "stop", "stop the run instead of asking again"),
];

#[rustfmt::skip]
static EDIT: &[Entry] = &[
    entry(Verb::Edit(EditVerb::Node), "edit", &["e"], &[Panes], "edit", "edit the arguments of a call, or the words of a thought, prompt, observation or answer"),
    entry(Verb::Edit(EditVerb::Replace), "replace", &["r"], &[Panes], "replace", "choose another tool; arguments with the same name are taken over"),
    entry(Verb::Edit(EditVerb::Answer), "answer", &["w"], &[Panes], "answer", "type the result yourself; the tool does not run"),
    entry(Verb::Edit(EditVerb::Observation), "correct", &["o"], &[Panes], "correct", "correct the observation of a call; it is pinned and the call does not run again"),
    entry(Verb::Edit(EditVerb::Guide), "guide", &["i"], &[Panes], "guide", "add guidance for the model at the end of the run"),
    entry(Verb::Edit(EditVerb::Prompt), "insert-prompt", &["M"], &[Panes], "", "insert guidance for the model after the selected turn"),
    entry(Verb::Edit(EditVerb::Thought), "insert-thought", &["I"], &[Panes], "", "insert a thought behind the selected node; the model goes on from there"),
    entry(Verb::Edit(EditVerb::Call), "insert-call", &["ctrl-n"], &[Panes], "", "insert a call after the selected turn"),
    entry(Verb::Edit(EditVerb::Delete), "delete", &["D"], &[Panes], "", "take the selected node away"),
    entry(Verb::Edit(EditVerb::Unpin), "unpin", &["U"], &[Panes], "unpin", "let executions replace a corrected observation again"),
    entry(Verb::Edit(EditVerb::Impact), "impact", &["v"], &[Panes], "", "show what a change of the selected node would do; changes nothing"),
    entry(Verb::Edit(EditVerb::Commit), "commit-edit", &["enter"], &[Review], "commit", "commit the edit, or the collected edits, as previewed"),
    entry(Verb::Edit(EditVerb::Stage), "collect", &["ctrl-g"], &[Editor], "collect", "keep the edit, to be committed together with others"),
    entry(Verb::Edit(EditVerb::Stage), "collect-previewed", &["c"], &[Review], "collect", "keep the previewed edit, to be committed together with others"),
    entry(Verb::Edit(EditVerb::Reason), "edit-reason", &["r"], &[Review], "reason", "say why the edit is made; it is recorded with it"),
    entry(Verb::Edit(EditVerb::KeepLater), "keep-later", &["l"], &[Review], "keep later turns", "let later turns stand although the edit changes what they were asked with; they are marked as drifted"),
    entry(Verb::Edit(EditVerb::StagedEdits), "collected", &["E"], &[Panes], "collected edits", "list the collected edits"),
    entry(Verb::Edit(EditVerb::StagedPreview), "collected-preview", &["v", "p"], &[StagedEdits], "preview all", "show what all collected edits do together; enter there commits them"),
    entry(Verb::Edit(EditVerb::StagedOpen), "collected-open", &["enter", "e"], &[StagedEdits], "open", "go on with the edit, on what its node says now"),
    entry(Verb::Edit(EditVerb::StagedRemove), "collected-remove", &["x", "delete"], &[StagedEdits], "remove", "take the edit out of the list"),
    entry(Verb::Edit(EditVerb::StagedDrop), "collected-drop", &["D"], &[StagedEdits], "drop all", "forget all collected edits; asks once more"),
    entry(Verb::Edit(EditVerb::StagedPreview), "commit-collected", &[], &[Panes], "", "show what all collected edits do together; enter there commits them"),
];

#[rustfmt::skip]
static BRANCH: &[Entry] = &[
    entry(Verb::Edit(EditVerb::Undo), "undo", &["u"], &[Panes], "undo", "undo the newest edit; shows first what comes back and what stays done"),
    entry(Verb::Edit(EditVerb::Redo), "redo", &["ctrl-r"], &[Panes], "redo", "let what was undone stand again; shows first what that does"),
    entry(Verb::Edit(EditVerb::AskTurn), "ask-turn-again", &["T"], &[Panes], "", "ask the model again for the selected turn; what came after it becomes history"),
    entry(Verb::Edit(EditVerb::Branches), "branches", &["b"], &[Panes], "branches", "list what earlier edits left: every branch can stand again"),
    entry(Verb::Edit(EditVerb::BranchSwitch), "branch-switch", &["enter"], &[Branches, BranchPane], "switch", "let the branch stand; shows first what that does"),
    entry(Verb::Edit(EditVerb::BranchCompare), "branch-compare", &["c"], &[Branches], "compare", "compare the branch with the one that stands, or with the marked one"),
    entry(Verb::Edit(EditVerb::BranchName), "branch-name", &["n"], &[Branches], "name", "give the branch a name"),
    entry(Verb::Edit(EditVerb::BranchMark), "branch-mark", &["m", "space"], &[Branches], "mark", "mark the branch, to compare others with it"),
    entry(Verb::Edit(EditVerb::BranchCompare), "pane-compare", &["alt-c"], &[BranchPane], "compare", "compare the branch under the cursor with the one that stands, or with the marked one"),
    entry(Verb::Edit(EditVerb::BranchName), "pane-name", &["alt-n"], &[BranchPane], "name", "give the branch under the cursor a name"),
    entry(Verb::Edit(EditVerb::BranchMark), "pane-mark", &["space"], &[BranchPane], "mark", "mark the branch under the cursor, to compare others with it"),
    entry(Verb::Edit(EditVerb::BranchCopy), "pane-take", &["alt-t"], &[BranchPane], "take over", "take what the node selected in the graph says on the branch under the cursor; shows first what that does"),
    entry(Verb::Edit(EditVerb::BranchCopy), "branch-take", &["t"], &[Compare], "take over", "take what the node says on the other branch; shows first what that does"),
    entry(Verb::Edit(EditVerb::CompareAll), "compare-all", &["s", "space"], &[Compare], "same ones too", "list nodes that say the same on both, or only the others"),
    entry(Verb::Edit(EditVerb::EffectsAll), "effects-all", &["s", "space"], &[Effects], "all effects", "list everything that could change the world, or only what was left behind or is in doubt"),
    entry(Verb::Edit(EditVerb::Revert), "take-back", &["c"], &[Effects], "take back", "put in the call with which the tool takes the effect back; it is shown first"),
    entry(Verb::Edit(EditVerb::Probe), "probe", &["p"], &[UnknownOutcome, Effects], "look whether it happened", "put in the call with which the tool finds out whether it happened; it is shown first"),
];

#[rustfmt::skip]
static RUN: &[Entry] = &[
    entry(Verb::Run(RunVerb::Pause), "pause", &["p"], &[Panes], "pause", "pause or resume: a paused run starts nothing, what runs goes on"),
    entry(Verb::Run(RunVerb::Restrict), "restrict", &["!"], &[Panes], "", "restrict the run to reading calls, or lift that: every other call that has not started is denied, what runs goes on"),
    entry(Verb::Run(RunVerb::Step), "step", &["s"], &[Panes], "step", "while paused, let one launch or request through"),
    entry(Verb::Run(RunVerb::StopTurn), "stop-turn", &["S"], &[Panes], "stop turn", "end the open stream, or what is about to be asked again, and pause the run; the blocks that arrived whole are the turn"),
    entry(Verb::Run(RunVerb::Emergency), "emergency-stop", &["X"], &[Panes], "stop all", "stop everything, running calls too; asks first"),
    entry(Verb::Run(RunVerb::StopNow), "stop-now", &["X"], &[Confirm], "stop everything", "confirm the emergency stop"),
    entry(Verb::Run(RunVerb::Policy), "policy", &[], &[Panes], "", "change the policy preset: supervised, guarded, auto or read-only"),
    entry(Verb::Run(RunVerb::Limits), "limits", &[], &[Panes], "", "change the limits (turns, tokens, minutes, price, parallel calls)"),
    entry(Verb::Run(RunVerb::AllowLoop), "allow-loop", &["Y"], &[Panes], "", "let the newest loop repeat, or take that back; a run that was paused for it goes on"),
    entry(Verb::Run(RunVerb::MuteLoops), "mute-loops", &[], &[Panes], "", "do not listen to a detector of repetition, or listen to it again"),
    entry(Verb::Run(RunVerb::Resilience), "resilience", &[], &[Panes], "", "change how failures are met: retries, waits, breakers"),
    entry(Verb::Run(RunVerb::ResetBreaker), "reset-breaker", &[], &[Panes], "", "let everything through a breaker again"),
    entry(Verb::Run(RunVerb::Classify(Classify::Open)), "classify", &["%"], &[Panes], "", "say that the error of the selected call is permanent or temporary; kept as a rule for its tool in your settings"),
    entry(Verb::Run(RunVerb::Classify(Classify::Permanent)), "error-permanent", &["p"], &[Context::Classify], "permanent", "errors like this are permanent: do not retry them"),
    entry(Verb::Run(RunVerb::Classify(Classify::Temporary)), "error-temporary", &["t"], &[Context::Classify], "temporary", "errors like this are temporary: retry them where that is harmless"),
    entry(Verb::Run(RunVerb::Classify(Classify::Pattern)), "error-pattern", &["e"], &[Context::Classify], "pattern", "change the pattern of the rule"),
    entry(Verb::Run(RunVerb::Title), "title", &[], &[Panes], "", "name the session"),
    entry(Verb::Run(RunVerb::SetWeight), "set-weight", &["Q"], &[Health], "set weight", "set how well the tool serves the kind of task, 0 to 1"),
    entry(Verb::Run(RunVerb::ResetWeights), "reset-weights", &["backspace"], &[Health], "begin anew", "begin the weights of the tool anew"),
    entry(Verb::Run(RunVerb::ForgetWeights), "forget-weights", &[], &[Panes], "", "begin the weights of a tool anew, or those of all; asks which"),
    entry(Verb::View(View::Quit), "quit", &["q"], &[Panes, Leave], "quit", "leave; asks first while something runs"),
    entry(Verb::Run(RunVerb::LeaveWait), "leave-wait", &["w"], &[Leave], "wait for what runs, then leave", "start nothing more, wait for what runs, then leave"),
    entry(Verb::Run(RunVerb::LeaveCancel), "leave-cancel", &["c"], &[Leave], "cancel what runs, then leave", "stop everything, then leave"),
    entry(Verb::View(View::Interrupt), "interrupt", &["ctrl-c"], &[Always], "", "ask how to leave; a second time within 2 seconds leaves at once"),
    entry(Verb::View(View::Suspend), "suspend", &["ctrl-z"], &[Always], "", "stop the program in the shell; `fg` brings it back"),
];

#[rustfmt::skip]
static GRAPH: &[Entry] = &[
    entry(Verb::Graph(GraphVerb::Filter), "filter", &["&"], &[Panes], "", "show only nodes that fit (words, is:failed, tool:NAME, kind:thought, turn:7, !not); lines past the others are dashed"),
    entry(Verb::Graph(GraphVerb::Level), "detail", &["Z"], &[Panes], "", "show more or less: the newest turns in full, one row for each turn, every node, every node with its text"),
    entry(Verb::Graph(GraphVerb::Map), "map", &["V"], &[Panes], "", "show the turns around the selected node as boxes, or rows again; move with the arrows"),
    entry(Verb::Graph(GraphVerb::Time), "timeline", &["J"], &[Panes], "", "show when calls ran, waited and failed, and when the model was asked, or lanes again"),
    entry(Verb::Graph(GraphVerb::Follow), "follow", &[";"], &[Panes], "", "follow what comes, or keep the cursor where it is"),
];

#[rustfmt::skip]
static JUMP: &[Entry] = &[
    entry(Verb::Jump(Jump::Pending), "next-pending", &["t"], &[Panes], "next pending", "go to a call that waits for you, the first of the queue; a call that still waits is stayed on, and the cursor down goes to the next"),
    entry(Verb::Jump(Jump::Failure), "next-failure", &["f"], &[Panes], "", "go to the next failed call or broken stream"),
    entry(Verb::Jump(Jump::Edited), "next-edit", &["d"], &[Panes], "", "go to the next edited node"),
    entry(Verb::Jump(Jump::Parent), "parent", &["["], &[Panes], "", "go to the parent of the selected node"),
    entry(Verb::Jump(Jump::Child), "child", &["]"], &[Panes], "", "go to the first child of the selected node"),
    entry(Verb::Jump(Jump::Sibling), "next-sibling", &["}"], &[Panes], "", "go to the next node that hangs on the same"),
    entry(Verb::Jump(Jump::SiblingBack), "previous-sibling", &["{"], &[Panes], "", "go to the node before that hangs on the same"),
    entry(Verb::View(View::Search), "search", &["/"], &[Panes, Page], "search", "search ids, tools and text in the graph, or what a filter can say; in the inspector and on a page, what is shown"),
    entry(Verb::Jump(Jump::Match), "next-match", &["n"], &[Panes, Page], "", "go to the next match"),
    entry(Verb::Jump(Jump::MatchBack), "previous-match", &["N"], &[Panes, Page], "", "go to the match before"),
];

#[rustfmt::skip]
static VIEW: &[Entry] = &[
    entry(Verb::View(View::Help), "help", &["?", "f1"], &[Panes], "help", "show every key, those that work here first"),
    entry(Verb::View(View::Palette), "palette", &[":", "ctrl-p"], &[Panes, Page, Attention, Review, StagedEdits, Branches, Compare, Effects, Bulk, Rule, Rules, Consent, UnknownOutcome, Context::Classify, Broken], "palette", "choose any command by typing part of its name"),
    entry(Verb::View(View::NextPane), "next-pane", &["tab"], &[Panes], "pane", "go to the next pane"),
    entry(Verb::View(View::PrevPane), "previous-pane", &["shift-tab"], &[Panes], "", "go to the pane before"),
    entry(Verb::View(View::Pane(Pane::Graph)), "graph", &["1"], &[Panes], "", "go to the graph"),
    entry(Verb::View(View::Pane(Pane::Queue)), "queue", &["2"], &[Panes], "", "go to the queue"),
    entry(Verb::View(View::Pane(Pane::Inspector)), "inspector", &["3"], &[Panes], "look at it", "go to the inspector"),
    entry(Verb::View(View::Pane(Pane::Log)), "log", &["L", "4"], &[Panes], "", "show or hide the log"),
    entry(Verb::View(View::Pane(Pane::State)), "state", &["5"], &[Panes], "", "show or hide the state: its paths, what stands there, who wrote and read it"),
    entry(Verb::View(View::Pane(Pane::Branches)), "branch-pane", &["6"], &[Panes], "", "show or hide the branches beside the other panes"),
    entry(Verb::View(View::Pane(Pane::Budget)), "budget", &["7"], &[Panes], "", "show or hide the budget: limits, tokens, price, every request"),
    entry(Verb::View(View::Pane(Pane::Health)), "health", &["8"], &[Panes], "", "show or hide the health of the tools: success over time, failures, latency, weights"),
    entry(Verb::View(View::Follow), "follow-event", &["enter"], &[Log], "go there", "go to the node that the line is about, or read the whole of one that is about none"),
    entry(Verb::View(View::Decisions), "only-decisions", &["space"], &[Log], "decisions only", "show only decisions, edits and troubles in the log, or everything again"),
    entry(Verb::View(View::Follow), "follow-writer", &["enter"], &[State], "go to writer", "go to the call that wrote what the row shows"),
    entry(Verb::View(View::Follow), "follow-cost", &["enter"], &[Budget], "change or go there", "change the limits, or go to the request or the sub-agent's call"),
    entry(Verb::View(View::Follow), "explain-weight", &["enter"], &[Health], "why, or go there", "list or hide every change of the weight, go to the execution, or ask whether to mute the detector or to reset the breaker"),
    entry(Verb::View(View::Zoom), "zoom", &["z"], &[Panes], "", "show the focused pane alone, or all of them again"),
    entry(Verb::View(View::NextTab), "next-tab", &[">"], &[Panes], "tab", "next tab of the inspector"),
    entry(Verb::View(View::PrevTab), "previous-tab", &["<"], &[Panes], "", "tab of the inspector before"),
    entry(Verb::View(View::Older), "older", &["("], &[Panes], "", "show older revisions of the node, or the request of the turn before"),
    entry(Verb::View(View::Newer), "newer", &[")"], &[Panes], "", "show newer revisions of the node, or the next request of the turn"),
    entry(Verb::View(View::Colours), "output-colours", &["#"], &[Panes], "exact bytes", "show the output of tools in the colours that it asks for, or with every byte of it as it came"),
    entry(Verb::View(View::Expand), "expand", &["space"], &[Graph], "", "show or hide what a row holds: an observation, superseded nodes, a wide fan"),
    entry(Verb::View(View::Loops), "loops", &["C"], &[Panes], "", "show what went round, which steps were taken against it and what came of them"),
    entry(Verb::View(View::Attention), "why-waiting", &["W"], &[Panes], "", "show why the run waits for you: the reason, what was tried, the newest events, and what you can do by one key"),
    entry(Verb::View(View::Orphans), "effects", &["O"], &[Panes], "", "list what ran and could change the world: what edits left behind and what is in doubt, or all of it"),
    entry(Verb::View(View::Theme), "theme", &[], &[Panes], "", "choose the colours of this session"),
    entry(Verb::View(View::Copy), "copy", &["y"], &[Panes], "", "copy the shown text to the terminal's clipboard"),
    entry(Verb::View(View::Mouse), "mouse", &["m"], &[Panes], "", "take the mouse, or leave it to the terminal's own selection of text"),
    entry(Verb::View(View::Save), "save", &[], &[Panes], "", "write the shown text, byte for byte, into a file that you name; nothing is overwritten"),
    entry(Verb::View(View::Outside), "open-outside", &["ctrl-o"], &[Panes], "", "open the shown text in $EDITOR, to read; what is changed there counts nowhere"),
    entry(Verb::View(View::Redraw), "redraw", &["ctrl-l"], &[Panes], "", "draw the whole screen anew"),
    entry(Verb::View(View::Close), "close", &["esc", "q"], &[Page, Attention, Consent, UnknownOutcome, Context::Classify, Broken, Bulk, Rules, StagedEdits, Branches, Compare, Effects], "close", "close"),
    entry(Verb::View(View::Close), "back", &["esc"], &[Review, Rule, Fork, Confirm, Leave, List], "back", "go back; nothing is changed"),
    entry(Verb::View(View::Choose), "choose", &["enter"], &[List], "choose", "take the chosen entry"),
    entry(Verb::View(View::Help), "help-here", &["?", "f1"], &[Page, Attention, Review, StagedEdits, Branches, Compare, Effects, Bulk, Rule, Rules, Fork, Consent, UnknownOutcome, Context::Classify, Broken, Confirm, Leave], "help", "show every key, those that work here first; what is open stays as it is below"),
];

#[rustfmt::skip]
static MOVE: &[Entry] = &[
    entry(Verb::Move(Move::Up), "up", &["k", "up"], &[Panes, Page, Attention, Review, StagedEdits, Branches, Compare, Effects, Bulk, Rule, Rules, Fork, Consent, UnknownOutcome, Context::Classify, Broken], "", "one row up"),
    entry(Verb::Move(Move::Down), "down", &["j", "down"], &[Panes, Page, Attention, Review, StagedEdits, Branches, Compare, Effects, Bulk, Rule, Rules, Fork, Consent, UnknownOutcome, Context::Classify, Broken], "", "one row down"),
    entry(Verb::Move(Move::Left), "left", &["h", "left"], &[Graph, Queue, Inspector, Log, State, BranchPane, Budget, Health], "", "fold, or the tab before"),
    entry(Verb::Move(Move::Right), "right", &["l", "right"], &[Graph, Queue, Inspector, Log, State, BranchPane, Budget, Health], "", "unfold, or the next tab"),
    entry(Verb::Move(Move::PageUp), "page-up", &["pgup", "ctrl-b"], &[Panes, Page, Attention, Review, StagedEdits, Branches, Compare, Effects, Bulk, Rule, Rules, Fork, Consent, UnknownOutcome, Context::Classify, Broken], "", "one screen up"),
    entry(Verb::Move(Move::PageDown), "page-down", &["pgdn", "ctrl-f"], &[Panes, Page, Attention, Review, StagedEdits, Branches, Compare, Effects, Bulk, Rule, Rules, Fork, Consent, UnknownOutcome, Context::Classify, Broken], "", "one screen down"),
    entry(Verb::Move(Move::HalfUp), "half-up", &["ctrl-u"], &[Panes, Page, Attention, Review, StagedEdits, Branches, Compare, Effects, Bulk, Rule, Rules, Fork, Consent, UnknownOutcome, Context::Classify, Broken], "", "half a screen up"),
    entry(Verb::Move(Move::HalfDown), "half-down", &["ctrl-d"], &[Panes, Page, Attention, Review, StagedEdits, Branches, Compare, Effects, Bulk, Rule, Rules, Fork, Consent, UnknownOutcome, Context::Classify, Broken], "", "half a screen down"),
    entry(Verb::Move(Move::Top), "top", &["g", "home"], &[Panes, Page, Attention, Review, StagedEdits, Branches, Compare, Effects, Bulk, Rule, Rules, Fork, Consent, UnknownOutcome, Context::Classify, Broken], "", "to the first row"),
    entry(Verb::Move(Move::Bottom), "bottom", &["G", "end"], &[Panes, Page, Attention, Review, StagedEdits, Branches, Compare, Effects, Bulk, Rule, Rules, Fork, Consent, UnknownOutcome, Context::Classify, Broken], "", "to the last row; the graph follows new rows from there"),
    entry(Verb::Move(Move::Up), "list-up", &["up", "ctrl-p"], &[List], "", "one entry up"),
    entry(Verb::Move(Move::Down), "list-down", &["down", "ctrl-n"], &[List], "", "one entry down"),
    entry(Verb::Move(Move::PageUp), "list-page-up", &["pgup"], &[List], "", "one screen of the list up"),
    entry(Verb::Move(Move::PageDown), "list-page-down", &["pgdn"], &[List], "", "one screen of the list down"),
    entry(Verb::Move(Move::Top), "list-top", &["home"], &[List], "", "to the first entry"),
    entry(Verb::Move(Move::Bottom), "list-bottom", &["end"], &[List], "", "to the last entry"),
    entry(Verb::Move(Move::Up), "cursor-up", &["up"], &[Editor], "", "cursor up"),
    entry(Verb::Move(Move::Down), "cursor-down", &["down"], &[Editor], "", "cursor down"),
    entry(Verb::Move(Move::Left), "cursor-left", &["left"], &[Editor, Line, List], "", "cursor to the left"),
    entry(Verb::Move(Move::Right), "cursor-right", &["right"], &[Editor, Line, List], "", "cursor to the right"),
    entry(Verb::Move(Move::PageUp), "editor-page-up", &["pgup"], &[Editor], "", "one screen up"),
    entry(Verb::Move(Move::PageDown), "editor-page-down", &["pgdn"], &[Editor], "", "one screen down"),
];

#[rustfmt::skip]
static FIX: &[Entry] = &[
    entry(Verb::Fix(Fix::Go), "fix-go", &["enter"], &[Attention], "go there", "go to what waits, or change the limit or the breaker that holds it"),
    entry(Verb::Fix(Fix::Arguments), "fix-arguments", &["e"], &[Attention], "arguments", "give the call other arguments"),
    entry(Verb::Fix(Fix::Tool), "fix-tool", &["r"], &[Attention], "other tool", "let another tool make the call"),
    entry(Verb::Fix(Fix::Answer), "fix-answer", &["w"], &[Attention], "answer", "say what the call gives, in place of the tool"),
    entry(Verb::Fix(Fix::Guide), "fix-guide", &["i"], &[Attention], "guide", "give the model guidance"),
    entry(Verb::Fix(Fix::Allow), "fix-allow", &["Y"], &[Attention], "let it repeat", "allow exactly these calls to repeat"),
    entry(Verb::Fix(Fix::Resume), "fix-go-on", &["p"], &[Attention], "go on", "go on as it is"),
    entry(Verb::Fix(Fix::Stop), "fix-stop", &["X"], &[Attention], "stop", "stop what this belongs to: the call and what reads it, the sub-agent, or the course that repeats; the rest goes on. Asks first"),
];

#[rustfmt::skip]
static TEXT: &[Entry] = &[
    entry(Verb::Text(TextVerb::Commit), "done", &["ctrl-s", "alt-enter"], &[Editor], "done", "finish the text; what it changes is shown before it counts"),
    entry(Verb::Text(TextVerb::Commit), "accept", &["enter", "ctrl-s"], &[Line], "accept", "finish the line"),
    entry(Verb::Text(TextVerb::Cancel), "give-up", &["esc"], &[Editor, Line], "give up", "close without a change; a changed text, or a reason, needs a second press"),
    entry(Verb::Text(TextVerb::External), "external", &["ctrl-o"], &[Editor], "$EDITOR", "go on in $EDITOR"),
    entry(Verb::Text(TextVerb::Form), "form", &["ctrl-t"], &[Editor], "text/JSON", "for a value: switch between plain text and JSON"),
    entry(Verb::Text(TextVerb::Undo), "undo-typing", &["alt-u", "ctrl-7"], &[Editor, Line, List], "", "take back the last change of the text"),
    entry(Verb::Text(TextVerb::Redo), "redo-typing", &["ctrl-r"], &[Editor, Line, List], "", "do it again"),
    entry(Verb::Text(TextVerb::WordLeft), "word-left", &["ctrl-left", "alt-b"], &[Editor, Line, List], "", "a word to the left"),
    entry(Verb::Text(TextVerb::WordRight), "word-right", &["ctrl-right", "alt-f"], &[Editor, Line, List], "", "a word to the right"),
    entry(Verb::Text(TextVerb::LineStart), "line-start", &["home"], &[Editor, Line], "", "start of the line"),
    entry(Verb::Text(TextVerb::LineEnd), "line-end", &["end", "ctrl-e"], &[Editor, Line], "", "end of the line"),
    entry(Verb::Text(TextVerb::First), "first-line", &["ctrl-home"], &[Editor], "", "first character of the text"),
    entry(Verb::Text(TextVerb::Last), "last-line", &["ctrl-end"], &[Editor], "", "behind the last character of the text"),
    entry(Verb::Text(TextVerb::EraseWord), "erase-word", &["ctrl-w", "alt-backspace"], &[Editor, Line, List], "", "erase the word before the cursor"),
    entry(Verb::Text(TextVerb::EraseStart), "erase-start", &["ctrl-u"], &[Editor, Line, List], "", "erase to the start of the line: all of a line that was filled in before"),
    entry(Verb::Text(TextVerb::EraseEnd), "erase-end", &["ctrl-k"], &[Editor, Line, List], "", "erase to the end of the line"),
    entry(Verb::Text(TextVerb::Complete), "complete", &["tab"], &[Editor], "", "in JSON: names and values that the tool's schema knows, and what a reference can name; elsewhere a tab"),
    entry(Verb::Text(TextVerb::NextFault), "next-fault", &["alt-e"], &[Editor], "next fault", "go to the next place where the JSON or the schema is not kept"),
    entry(Verb::Text(TextVerb::Find), "find", &["ctrl-f"], &[Editor], "find", "look for words in the text"),
    entry(Verb::Text(TextVerb::FindNext), "find-next", &["alt-n"], &[Editor], "", "go to the next place of the words"),
    entry(Verb::Text(TextVerb::FindBack), "find-back", &["alt-p"], &[Editor], "", "go to the place of the words before"),
    entry(Verb::Text(TextVerb::Select(Reach::Left)), "select-left", &["shift-left"], &[Editor, Line], "", "select a character to the left"),
    entry(Verb::Text(TextVerb::Select(Reach::Right)), "select-right", &["shift-right"], &[Editor, Line], "", "select a character to the right"),
    entry(Verb::Text(TextVerb::Select(Reach::Up)), "select-up", &["shift-up"], &[Editor], "", "select a line up"),
    entry(Verb::Text(TextVerb::Select(Reach::Down)), "select-down", &["shift-down"], &[Editor], "", "select a line down"),
    entry(Verb::Text(TextVerb::Select(Reach::LineStart)), "select-line-start", &["shift-home"], &[Editor, Line], "", "select to the start of the line"),
    entry(Verb::Text(TextVerb::Select(Reach::LineEnd)), "select-line-end", &["shift-end"], &[Editor, Line], "", "select to the end of the line"),
    entry(Verb::Text(TextVerb::Select(Reach::All)), "select-all", &["alt-a"], &[Editor, Line], "", "select everything"),
    entry(Verb::Text(TextVerb::Copy), "copy-selected", &["alt-c"], &[Editor, Line], "copy", "copy what is selected, or everything, to the terminal's clipboard"),
    entry(Verb::Text(TextVerb::Cut), "cut", &["alt-x"], &[Editor, Line], "", "take out what is selected"),
    entry(Verb::Text(TextVerb::PutBack), "put-back", &["ctrl-y"], &[Editor, Line], "", "put in what was taken out last"),
    entry(Verb::View(View::Help), "help-typing", &["f1"], &[Editor, Line, List], "help", "show every key, those that work here first; what was typed stays as it is below"),
];

#[rustfmt::skip]
static REPLAY: &[Entry] = &[
    entry(Verb::Replay(ReplayVerb::Play), "play", &["P"], &[Replay], "play/hold", "play or hold a recorded run"),
    entry(Verb::Replay(ReplayVerb::Step), "event-on", &["."], &[Replay], "on", "one event on"),
    entry(Verb::Replay(ReplayVerb::Back), "event-back", &[","], &[Replay], "back", "one event back"),
    entry(Verb::Replay(ReplayVerb::Faster), "faster", &["="], &[Replay], "", "play faster"),
    entry(Verb::Replay(ReplayVerb::Slower), "slower", &["minus"], &[Replay], "", "play slower"),
    entry(Verb::Replay(ReplayVerb::Start), "to-start", &["0"], &[Replay], "", "to the first event"),
    entry(Verb::Replay(ReplayVerb::End), "to-end", &["$"], &[Replay], "", "to the last event"),
    entry(Verb::Replay(ReplayVerb::Fork), "fork", &["|"], &[Replay], "fork", "fork a live run from here: a session of its own that begins with what is shown; asks first"),
    entry(Verb::Replay(ReplayVerb::ForkWrite), "write-fork", &["enter"], &[Fork], "write it", "write the session and stay in the recording; nothing runs before it is resumed"),
    entry(Verb::Replay(ReplayVerb::ForkResume), "resume-fork", &["r"], &[Fork], "write and resume it", "write the session, leave the recording and go on with it"),
];
