//! The entries of the command table.
//!
//! Must not know: how a command is carried out.

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
use crate::console::replay::MarkKind;

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
    entry(Verb::Decide(Decide::Approve), "approve", &["a"], &[Panes], "approve", "approve the call; read it to the end first"),
    entry(Verb::Decide(Decide::ApproveUnread), "approve-unread", &["ctrl-a"], &[Panes], "", "approve without reading everything (recorded)"),
    entry(Verb::Decide(Decide::Reject), "reject", &["x"], &[Panes], "reject", "reject the call (or the answer) with a reason that the model sees"),
    entry(Verb::Decide(Decide::Open), "decide", &["enter"], &[Queue, Graph], "choices", "open what the selected call needs: its decision, its question, its repairs, its choices"),
    entry(Verb::Decide(Decide::All), "approve-all", &["A"], &[Panes], "", "list every call that can be approved together; a second key approves the list"),
    entry(Verb::Decide(Decide::AllNow), "approve-list", &["ctrl-a"], &[Bulk], "approve all listed", "approve every listed call"),
    entry(Verb::Decide(Decide::All), "refresh-list", &["A"], &[Bulk], "refresh list", "refresh the list: add new calls, remove those that left; read it again before you approve"),
    entry(Verb::Decide(Decide::Always), "always", &["*"], &[Panes], "always allow exactly this", "approve this call and always allow exactly these bytes; shows the rule first"),
    entry(Verb::Decide(Decide::Rule), "write-rule", &["+"], &[Panes], "rule for such calls", "write a rule for the session from the selected call: allow, ask or deny; counts its past matches first"),
    entry(Verb::Decide(Decide::Accept), "accept-rule", &["ctrl-a"], &[Rule], "accept the rule", "accept the shown rule"),
    entry(Verb::Decide(Decide::Rules), "rules", &["B"], &[Panes], "", "list the rules of the session"),
    entry(Verb::Decide(Decide::DropRule), "drop-rule", &["x", "delete"], &[Rules], "remove rule", "remove the rule (asks first)"),
    entry(Verb::Decide(Decide::Retry), "retry", &["R"], &[Panes], "run again", "run a finished call again, or one whose result was reused"),
    entry(Verb::Decide(Decide::RunNow), "run-now", &["H"], &[Panes], "run now", "run a scheduled call immediately"),
    entry(Verb::Decide(Decide::ChooseRepair), "choose-repair", &["F"], &[Panes], "choose a repair", "choose one of the repairs offered for the call"),
    entry(Verb::Decide(Decide::SkipRepair), "skip-repair", &["K"], &[Panes], "no repair", "stop repairing; let the call fail"),
    entry(Verb::Decide(Decide::Cancel), "cancel-call", &["c"], &[Panes], "cancel", "cancel a running or approved call; confirm that a cancelled one did not finish"),
    entry(Verb::Decide(Decide::Reuse), "reuse", &["u"], &[Consent], "reuse the recorded result", "use the recorded result instead of running again"),
    entry(Verb::Decide(Decide::RunAgain), "run-again", &["R"], &[Consent], "run it again", "repeat the effect; read it to the end first"),
    entry(Verb::Decide(Decide::Reject), "reject-repeat", &["x"], &[Consent], "reject", "reject the repeated effect with a reason"),
    entry(Verb::Decide(Decide::Happened), "it-happened", &["h"], &[UnknownOutcome, Effects], "it happened: type the result", "confirm that the execution happened, and type its result"),
    entry(Verb::Decide(Decide::DidNot), "it-did-not", &["d"], &[UnknownOutcome, Effects], "it did not happen: run it", "confirm that the execution did not happen; an approved call runs immediately, any other asks again"),
    entry(Verb::Decide(Decide::DidNotFinish), "did-not-finish", &["c"], &[UnknownOutcome], "did not finish: continue", "confirm that a cancelled execution did not finish; the call ends as cancelled, its effect stays unknown"),
    entry(Verb::Decide(Decide::Leave), "abandon-call", &["x"], &[UnknownOutcome], "abandon: not run again", "end the call with an unknown outcome; it does not run again, its effect stays listed as unknown"),
    entry(Verb::Decide(Decide::AskAgain), "ask-again", &["T"], &[Broken], "ask again", "ask the model again for a broken turn"),
    entry(Verb::Decide(Decide::Keep), "keep-arrived", &["u"], &[Broken], "keep what arrived", "keep what arrived of a broken turn as the whole turn"),
    entry(Verb::Run(RunVerb::Emergency), "stop-broken", &["X"], &[Broken], "stop", "stop the run instead of asking again"),
];

#[rustfmt::skip]
static EDIT: &[Entry] = &[
    entry(Verb::Edit(EditVerb::Node), "edit", &["e"], &[Panes], "edit", "edit the arguments of a call, or the text of a thought, prompt, observation or answer"),
    entry(Verb::Edit(EditVerb::Replace), "replace", &["r"], &[Panes], "replace", "choose another tool; copies arguments with the same name"),
    entry(Verb::Edit(EditVerb::Answer), "answer", &["w"], &[Panes], "answer", "type the result yourself; the tool does not run"),
    entry(Verb::Edit(EditVerb::Observation), "correct", &["o"], &[Panes], "correct", "correct the observation of a call; it is pinned and the call does not run again"),
    entry(Verb::Edit(EditVerb::Guide), "guide", &["i"], &[Panes], "guide", "add guidance for the model at the end of the run"),
    entry(Verb::Edit(EditVerb::Prompt), "insert-prompt", &["M"], &[Panes], "", "insert guidance for the model after the selected turn"),
    entry(Verb::Edit(EditVerb::Thought), "insert-thought", &["I"], &[Panes], "", "insert a thought after the selected node; the model continues from there"),
    entry(Verb::Edit(EditVerb::Call), "insert-call", &["ctrl-n"], &[Panes], "", "insert a call after the selected turn"),
    entry(Verb::Edit(EditVerb::Delete), "delete", &["D"], &[Panes], "", "delete the selected node"),
    entry(Verb::Edit(EditVerb::Unpin), "unpin", &["U"], &[Panes], "unpin", "let executions replace a corrected observation again"),
    entry(Verb::Edit(EditVerb::Impact), "impact", &["v"], &[Panes], "", "preview a change of the selected node; changes nothing"),
    entry(Verb::Edit(EditVerb::Commit), "commit-edit", &["enter"], &[Review], "commit", "commit the edit, or the staged edits, as previewed"),
    entry(Verb::Edit(EditVerb::Stage), "stage", &["ctrl-g"], &[Editor], "stage", "stage the edit, to commit it together with others"),
    entry(Verb::Edit(EditVerb::Stage), "stage-previewed", &["c"], &[Review], "stage", "stage the previewed edit, to commit it together with others"),
    entry(Verb::Edit(EditVerb::Reason), "edit-reason", &["r"], &[Review], "reason", "record a reason with the edit"),
    entry(Verb::Edit(EditVerb::KeepLater), "keep-later", &["l"], &[Review], "keep later turns", "keep later turns although the edit changes their request; marks them as drifted"),
    entry(Verb::Edit(EditVerb::StagedEdits), "staged-edits", &["E"], &[Panes], "staged edits", "list the staged edits"),
    entry(Verb::Edit(EditVerb::StagedPreview), "staged-preview", &["v", "p"], &[StagedEdits], "preview all", "preview all staged edits together; enter there commits them"),
    entry(Verb::Edit(EditVerb::StagedOpen), "staged-open", &["enter", "e"], &[StagedEdits], "open", "continue the edit on the current revision of its node"),
    entry(Verb::Edit(EditVerb::StagedRemove), "staged-remove", &["x", "delete"], &[StagedEdits], "remove", "remove the edit from the list"),
    entry(Verb::Edit(EditVerb::StagedDrop), "staged-drop", &["D"], &[StagedEdits], "drop all", "drop all staged edits (asks first)"),
    entry(Verb::Edit(EditVerb::StagedPreview), "commit-staged", &[], &[Panes], "", "preview all staged edits together; enter there commits them"),
];

#[rustfmt::skip]
static BRANCH: &[Entry] = &[
    entry(Verb::Edit(EditVerb::Undo), "undo", &["u"], &[Panes], "undo", "undo the newest edit; shows first what returns and which effects stay"),
    entry(Verb::Edit(EditVerb::Redo), "redo", &["ctrl-r"], &[Panes], "redo", "redo the last undone edit; previews it first"),
    entry(Verb::Edit(EditVerb::AskTurn), "ask-turn-again", &["T"], &[Panes], "", "ask the model again for the selected turn; supersedes what follows it"),
    entry(Verb::Edit(EditVerb::Branches), "branches", &["b"], &[Panes], "branches", "list the branches that edits made; you can switch to each"),
    entry(Verb::Edit(EditVerb::BranchSwitch), "branch-switch", &["enter"], &[Branches, BranchPane], "switch", "switch to this branch; previews it first"),
    entry(Verb::Edit(EditVerb::BranchCompare), "branch-compare", &["c"], &[Branches], "compare", "compare the branch with the current one, or with the marked one"),
    entry(Verb::Edit(EditVerb::BranchName), "branch-name", &["n"], &[Branches], "name", "name the branch"),
    entry(Verb::Edit(EditVerb::BranchMark), "branch-mark", &["m", "space"], &[Branches], "mark", "mark the branch, to compare others with it"),
    entry(Verb::Edit(EditVerb::BranchCompare), "pane-compare", &["alt-c"], &[BranchPane], "compare", "compare the branch under the cursor with the current one, or with the marked one"),
    entry(Verb::Edit(EditVerb::BranchName), "pane-name", &["alt-n"], &[BranchPane], "name", "name the branch under the cursor"),
    entry(Verb::Edit(EditVerb::BranchMark), "pane-mark", &["space"], &[BranchPane], "mark", "mark the branch under the cursor, to compare others with it"),
    entry(Verb::Edit(EditVerb::BranchCopy), "pane-copy", &["alt-t"], &[BranchPane], "copy node", "copy the node selected in the graph from the branch under the cursor; previews it first"),
    entry(Verb::Edit(EditVerb::BranchCopy), "branch-copy", &["t"], &[Compare], "copy node", "copy the node from the other branch; previews it first"),
    entry(Verb::Edit(EditVerb::CompareAll), "compare-all", &["s", "space"], &[Compare], "all nodes", "list all nodes, or only those that differ"),
    entry(Verb::Edit(EditVerb::EffectsAll), "effects-all", &["s", "space"], &[Effects], "all effects", "list all effects, or only orphaned and unknown ones"),
    entry(Verb::Edit(EditVerb::Revert), "revert-effect", &["c"], &[Effects], "revert", "insert the call with which the tool reverts the effect; shows it first"),
    entry(Verb::Edit(EditVerb::Probe), "probe", &["p"], &[UnknownOutcome, Effects], "check if it happened", "insert the call with which the tool checks for the effect; shows it first"),
];

#[rustfmt::skip]
static RUN: &[Entry] = &[
    entry(Verb::Run(RunVerb::Pause), "pause", &["p"], &[Panes], "pause", "pause or resume the run; running calls continue"),
    entry(Verb::Run(RunVerb::Restrict), "restrict", &["!"], &[Panes], "", "restrict the run to reading calls, or lift that; denies other waiting calls, running calls continue"),
    entry(Verb::Run(RunVerb::Step), "step", &["s"], &[Panes], "step", "while paused, start one call or request"),
    entry(Verb::Run(RunVerb::StopTurn), "stop-turn", &["S"], &[Panes], "stop turn", "end the open stream or a pending retry and pause the run; complete blocks become the turn"),
    entry(Verb::Run(RunVerb::Emergency), "emergency-stop", &["X"], &[Panes], "stop all", "stop everything, including running calls (asks first)"),
    entry(Verb::Run(RunVerb::StopNow), "stop-now", &["X"], &[Confirm], "stop everything", "confirm the emergency stop"),
    entry(Verb::Run(RunVerb::Policy), "policy", &[], &[Panes], "", "change the policy preset: supervised, guarded, auto or read-only"),
    entry(Verb::Run(RunVerb::Limits), "limits", &[], &[Panes], "", "change the limits (turns, tokens, minutes, price, parallel calls)"),
    entry(Verb::Run(RunVerb::AllowLoop), "allow-loop", &["Y"], &[Panes], "", "allow the newest loop, or withdraw that; a run paused for it resumes"),
    entry(Verb::Run(RunVerb::MuteLoops), "mute-loops", &[], &[Panes], "", "mute a detector of repetition, or unmute it"),
    entry(Verb::Run(RunVerb::Resilience), "resilience", &[], &[Panes], "", "change how failures are handled: retries, delays, breakers"),
    entry(Verb::Run(RunVerb::ResetBreaker), "reset-breaker", &[], &[Panes], "", "reset a breaker"),
    entry(Verb::Run(RunVerb::Classify(Classify::Open)), "classify", &["%"], &[Panes], "", "classify the error of the selected call as permanent or temporary; saves a rule for its tool in your settings"),
    entry(Verb::Run(RunVerb::Classify(Classify::Permanent)), "error-permanent", &["p"], &[Context::Classify], "permanent", "mark errors like this as permanent: do not retry them"),
    entry(Verb::Run(RunVerb::Classify(Classify::Temporary)), "error-temporary", &["t"], &[Context::Classify], "temporary", "mark errors like this as temporary: retry them where that is harmless"),
    entry(Verb::Run(RunVerb::Classify(Classify::Pattern)), "error-pattern", &["e"], &[Context::Classify], "pattern", "change the pattern of the rule"),
    entry(Verb::Run(RunVerb::Title), "title", &[], &[Panes], "", "name the session"),
    entry(Verb::Run(RunVerb::SetWeight), "set-weight", &["Q"], &[Health], "set weight", "set the weight of the tool for the kind of task, 0 to 1"),
    entry(Verb::Run(RunVerb::ResetWeights), "reset-weights", &["backspace"], &[Health], "reset", "reset the tool's weights"),
    entry(Verb::Run(RunVerb::ForgetWeights), "forget-weights", &[], &[Panes], "", "reset the weights of one tool, or of all (asks which)"),
    entry(Verb::View(View::Quit), "quit", &["q"], &[Panes, Leave], "quit", "quit (asks first while something runs)"),
    entry(Verb::Run(RunVerb::LeaveWait), "quit-wait", &["w"], &[Leave], "quit after running calls", "start nothing new, wait for running calls, then quit"),
    entry(Verb::Run(RunVerb::LeaveCancel), "quit-cancel", &["c"], &[Leave], "cancel everything, then quit", "stop everything, then quit"),
    entry(Verb::View(View::Interrupt), "interrupt", &["ctrl-c"], &[Always], "", "ask how to quit; a second press within 2 seconds quits immediately"),
    entry(Verb::View(View::Suspend), "suspend", &["ctrl-z"], &[Always], "", "suspend the program; `fg` in the shell resumes it"),
];

#[rustfmt::skip]
static GRAPH: &[Entry] = &[
    entry(Verb::Graph(GraphVerb::Filter), "filter", &["&"], &[Panes], "", "show only matching nodes (words, is:failed, tool:NAME, kind:thought, turn:7, !not); dashed lines skip hidden nodes"),
    entry(Verb::Graph(GraphVerb::Level), "detail", &["Z"], &[Panes], "", "show more or less: the newest turns in full, one row for each turn, every node, every node with its text"),
    entry(Verb::Graph(GraphVerb::Map), "map", &["V"], &[Panes], "", "show the turns around the selected node as boxes, or rows again; move with the arrows"),
    entry(Verb::Graph(GraphVerb::Time), "timeline", &["J"], &[Panes], "", "show when calls ran, waited and failed, and when the model was asked, or lanes again"),
    entry(Verb::Graph(GraphVerb::Follow), "follow", &[";"], &[Panes], "", "keep the cursor on the newest row, or where it is"),
];

#[rustfmt::skip]
static JUMP: &[Entry] = &[
    entry(Verb::Jump(Jump::Pending), "next-pending", &["t"], &[Panes], "next pending", "go to the first call that waits for you; stays on a waiting call (move down for the next)"),
    entry(Verb::Jump(Jump::Failure), "next-failure", &["f"], &[Panes], "", "go to the next failed call or broken stream"),
    entry(Verb::Jump(Jump::Edited), "next-edit", &["d"], &[Panes], "", "go to the next edited node"),
    entry(Verb::Jump(Jump::Parent), "parent", &["["], &[Panes], "", "go to the parent of the selected node"),
    entry(Verb::Jump(Jump::Child), "child", &["]"], &[Panes], "", "go to the first child of the selected node"),
    entry(Verb::Jump(Jump::Sibling), "next-sibling", &["}"], &[Panes], "", "go to the next sibling"),
    entry(Verb::Jump(Jump::SiblingBack), "previous-sibling", &["{"], &[Panes], "", "go to the previous sibling"),
    entry(Verb::View(View::Search), "search", &["/"], &[Panes, Page], "search", "search ids, tools and text in the graph, or by filter terms; in the inspector and on a page, the shown text"),
    entry(Verb::Jump(Jump::Match), "next-match", &["n"], &[Panes, Page], "", "go to the next match"),
    entry(Verb::Jump(Jump::MatchBack), "previous-match", &["N"], &[Panes, Page], "", "go to the previous match"),
];

#[rustfmt::skip]
static VIEW: &[Entry] = &[
    entry(Verb::View(View::Help), "help", &["?", "f1"], &[Panes], "help", "show every key, those that work here first"),
    entry(Verb::View(View::Palette), "palette", &[":", "ctrl-p"], &[Panes, Page, Attention, Review, StagedEdits, Branches, Compare, Effects, Bulk, Rule, Rules, Consent, UnknownOutcome, Context::Classify, Broken], "palette", "choose any command by typing part of its name"),
    entry(Verb::View(View::NextPane), "next-pane", &["tab"], &[Panes], "pane", "go to the next pane"),
    entry(Verb::View(View::PrevPane), "previous-pane", &["shift-tab"], &[Panes], "", "go to the previous pane"),
    entry(Verb::View(View::Pane(Pane::Graph)), "graph", &["1"], &[Panes], "", "go to the graph"),
    entry(Verb::View(View::Pane(Pane::Queue)), "queue", &["2"], &[Panes], "", "go to the queue"),
    entry(Verb::View(View::Pane(Pane::Inspector)), "inspector", &["3"], &[Panes], "look at it", "go to the inspector"),
    entry(Verb::View(View::Pane(Pane::Log)), "log", &["L", "4"], &[Panes], "", "show or hide the log"),
    entry(Verb::View(View::Pane(Pane::State)), "state", &["5"], &[Panes], "", "show or hide the state: paths, values, writers and readers"),
    entry(Verb::View(View::Pane(Pane::Branches)), "branch-pane", &["6"], &[Panes], "", "show or hide the branches next to the other panes"),
    entry(Verb::View(View::Pane(Pane::Budget)), "budget", &["7"], &[Panes], "", "show or hide the budget: limits, tokens, price, every request"),
    entry(Verb::View(View::Pane(Pane::Health)), "health", &["8"], &[Panes], "", "show or hide the health of the tools: success over time, failures, latency, weights"),
    entry(Verb::View(View::Follow), "follow-event", &["enter"], &[Log], "go there", "go to the node of the line, or read a line without a node in full"),
    entry(Verb::View(View::Decisions), "only-decisions", &["space"], &[Log], "decisions only", "show only decisions, edits and problems in the log, or everything again"),
    entry(Verb::View(View::Follow), "follow-writer", &["enter"], &[State], "go to writer", "go to the call that wrote the value of the row"),
    entry(Verb::View(View::Follow), "follow-cost", &["enter"], &[Budget], "change or go there", "change the limits, or go to the request or the sub-agent's call"),
    entry(Verb::View(View::Follow), "explain-weight", &["enter"], &[Health], "why, or go there", "list or hide every change of the weight, go to the execution, or ask to mute the detector or reset the breaker"),
    entry(Verb::View(View::Zoom), "zoom", &["z"], &[Panes], "", "show the focused pane alone, or all of them again"),
    entry(Verb::View(View::NextTab), "next-tab", &[">"], &[Panes], "tab", "go to the next tab of the inspector"),
    entry(Verb::View(View::PrevTab), "previous-tab", &["<"], &[Panes], "", "go to the previous tab of the inspector"),
    entry(Verb::View(View::Older), "older", &["("], &[Panes], "", "show older revisions of the node, or the previous request of the turn"),
    entry(Verb::View(View::Newer), "newer", &[")"], &[Panes], "", "show newer revisions of the node, or the next request of the turn"),
    entry(Verb::View(View::Colours), "output-colours", &["#"], &[Panes], "exact bytes", "show a decision or the output of a tool as exact bytes, or readable again"),
    entry(Verb::View(View::Expand), "expand", &["space"], &[Graph], "", "show or hide the contents of a row: an observation, superseded nodes, a wide fan"),
    entry(Verb::View(View::Loops), "loops", &["C"], &[Panes], "", "show loops, steps and outcomes"),
    entry(Verb::View(View::Attention), "why-waiting", &["W"], &[Panes], "", "show why the run needs you: the reason, what was tried, the newest events, and what you can do"),
    entry(Verb::View(View::Orphans), "effects", &["O"], &[Panes], "", "list effects: orphaned and unknown ones, or all"),
    entry(Verb::View(View::Theme), "theme", &[], &[Panes], "", "choose the colours of this session"),
    entry(Verb::View(View::Copy), "copy", &["y"], &[Panes], "", "copy the shown text to the terminal's clipboard"),
    entry(Verb::View(View::Mouse), "mouse", &["m"], &[Panes], "", "capture the mouse, or leave it to the terminal's own selection of text"),
    entry(Verb::View(View::Save), "save", &[], &[Panes], "", "save the shown text, byte for byte, in a new file that you name"),
    entry(Verb::View(View::Outside), "open-outside", &["ctrl-o"], &[Panes], "", "open the shown text in $EDITOR, to read; changes there are discarded"),
    entry(Verb::View(View::Redraw), "redraw", &["ctrl-l"], &[Panes], "", "redraw the whole screen"),
    entry(Verb::View(View::Close), "close", &["esc", "q"], &[Page, Attention, Consent, UnknownOutcome, Context::Classify, Broken, Bulk, Rules, StagedEdits, Branches, Compare, Effects], "close", "close"),
    entry(Verb::View(View::Close), "back", &["esc"], &[Review, Rule, Fork, Confirm, Leave, List], "back", "go back without a change"),
    entry(Verb::View(View::Choose), "choose", &["enter"], &[List], "choose", "choose the selected entry"),
    entry(Verb::View(View::Help), "help-here", &["?", "f1"], &[Page, Attention, Review, StagedEdits, Branches, Compare, Effects, Bulk, Rule, Rules, Fork, Consent, UnknownOutcome, Context::Classify, Broken, Confirm, Leave], "help", "show every key, those that work here first; keeps the view below open"),
];

#[rustfmt::skip]
static MOVE: &[Entry] = &[
    entry(Verb::Move(Move::Up), "up", &["k", "up"], &[Panes, Page, Attention, Review, StagedEdits, Branches, Compare, Effects, Bulk, Rule, Rules, Fork, Consent, UnknownOutcome, Context::Classify, Broken], "", "move one row up"),
    entry(Verb::Move(Move::Down), "down", &["j", "down"], &[Panes, Page, Attention, Review, StagedEdits, Branches, Compare, Effects, Bulk, Rule, Rules, Fork, Consent, UnknownOutcome, Context::Classify, Broken], "", "move one row down"),
    entry(Verb::Move(Move::Left), "left", &["h", "left"], &[Graph, Queue, Inspector, Log, State, BranchPane, Budget, Health], "", "fold, or go to the previous tab"),
    entry(Verb::Move(Move::Right), "right", &["l", "right"], &[Graph, Queue, Inspector, Log, State, BranchPane, Budget, Health], "", "unfold, or go to the next tab"),
    entry(Verb::Move(Move::PageUp), "page-up", &["pgup", "ctrl-b"], &[Panes, Page, Attention, Review, StagedEdits, Branches, Compare, Effects, Bulk, Rule, Rules, Fork, Consent, UnknownOutcome, Context::Classify, Broken], "", "move one screen up"),
    entry(Verb::Move(Move::PageDown), "page-down", &["pgdn", "ctrl-f"], &[Panes, Page, Attention, Review, StagedEdits, Branches, Compare, Effects, Bulk, Rule, Rules, Fork, Consent, UnknownOutcome, Context::Classify, Broken], "", "move one screen down"),
    entry(Verb::Move(Move::HalfUp), "half-up", &["ctrl-u"], &[Panes, Page, Attention, Review, StagedEdits, Branches, Compare, Effects, Bulk, Rule, Rules, Fork, Consent, UnknownOutcome, Context::Classify, Broken], "", "move half a screen up"),
    entry(Verb::Move(Move::HalfDown), "half-down", &["ctrl-d"], &[Panes, Page, Attention, Review, StagedEdits, Branches, Compare, Effects, Bulk, Rule, Rules, Fork, Consent, UnknownOutcome, Context::Classify, Broken], "", "move half a screen down"),
    entry(Verb::Move(Move::Top), "top", &["g", "home"], &[Panes, Page, Attention, Review, StagedEdits, Branches, Compare, Effects, Bulk, Rule, Rules, Fork, Consent, UnknownOutcome, Context::Classify, Broken], "", "go to the first row"),
    entry(Verb::Move(Move::Bottom), "bottom", &["G", "end"], &[Panes, Page, Attention, Review, StagedEdits, Branches, Compare, Effects, Bulk, Rule, Rules, Fork, Consent, UnknownOutcome, Context::Classify, Broken], "", "go to the last row; the graph follows new rows from there"),
    entry(Verb::Move(Move::Up), "list-up", &["up", "ctrl-p"], &[List], "", "move one entry up"),
    entry(Verb::Move(Move::Down), "list-down", &["down", "ctrl-n"], &[List], "", "move one entry down"),
    entry(Verb::Move(Move::PageUp), "list-page-up", &["pgup"], &[List], "", "move one screen of the list up"),
    entry(Verb::Move(Move::PageDown), "list-page-down", &["pgdn"], &[List], "", "move one screen of the list down"),
    entry(Verb::Move(Move::Top), "list-top", &["home"], &[List], "", "go to the first entry"),
    entry(Verb::Move(Move::Bottom), "list-bottom", &["end"], &[List], "", "go to the last entry"),
    entry(Verb::Move(Move::Up), "cursor-up", &["up"], &[Editor], "", "move the cursor up"),
    entry(Verb::Move(Move::Down), "cursor-down", &["down"], &[Editor], "", "move the cursor down"),
    entry(Verb::Move(Move::Left), "cursor-left", &["left"], &[Editor, Line, List], "", "move the cursor left"),
    entry(Verb::Move(Move::Right), "cursor-right", &["right"], &[Editor, Line, List], "", "move the cursor right"),
    entry(Verb::Move(Move::PageUp), "editor-page-up", &["pgup"], &[Editor], "", "move one screen up"),
    entry(Verb::Move(Move::PageDown), "editor-page-down", &["pgdn"], &[Editor], "", "move one screen down"),
];

#[rustfmt::skip]
static FIX: &[Entry] = &[
    entry(Verb::Fix(Fix::Go), "fix-go", &["enter"], &[Attention], "go there", "go to the cause, or change the limit or breaker that blocks the run"),
    entry(Verb::Fix(Fix::Arguments), "fix-arguments", &["e"], &[Attention], "arguments", "give the call other arguments"),
    entry(Verb::Fix(Fix::Tool), "fix-tool", &["r"], &[Attention], "other tool", "let another tool make the call"),
    entry(Verb::Fix(Fix::Answer), "fix-answer", &["w"], &[Attention], "answer", "type the result of the call yourself"),
    entry(Verb::Fix(Fix::Guide), "fix-guide", &["i"], &[Attention], "guide", "give the model guidance"),
    entry(Verb::Fix(Fix::Allow), "fix-allow", &["Y"], &[Attention], "allow the loop", "allow exactly these calls to repeat"),
    entry(Verb::Fix(Fix::Resume), "fix-resume", &["p"], &[Attention], "resume", "resume without a change"),
    entry(Verb::Fix(Fix::Stop), "fix-stop", &["X"], &[Attention], "stop", "stop the call and its readers, the sub-agent or the loop; the rest continues (asks first)"),
];

#[rustfmt::skip]
static TEXT: &[Entry] = &[
    entry(Verb::Text(TextVerb::Commit), "done", &["ctrl-s", "alt-enter"], &[Editor], "done", "finish the text; previews what it changes"),
    entry(Verb::Text(TextVerb::Commit), "accept", &["enter", "ctrl-s"], &[Line], "accept", "finish the line"),
    entry(Verb::Text(TextVerb::Cancel), "discard", &["esc"], &[Editor, Line], "discard", "close without a change; a changed text, or a reason, needs a second press"),
    entry(Verb::Text(TextVerb::External), "external", &["ctrl-o"], &[Editor], "$EDITOR", "continue in $EDITOR"),
    entry(Verb::Text(TextVerb::Form), "form", &["ctrl-t"], &[Editor], "text/JSON", "switch a value between plain text and JSON"),
    entry(Verb::Text(TextVerb::Undo), "undo-typing", &["alt-u", "ctrl-7"], &[Editor, Line, List], "", "undo the last change of the text"),
    entry(Verb::Text(TextVerb::Redo), "redo-typing", &["ctrl-r"], &[Editor, Line, List], "", "redo the last undone change of the text"),
    entry(Verb::Text(TextVerb::WordLeft), "word-left", &["ctrl-left", "alt-b"], &[Editor, Line, List], "", "move one word left"),
    entry(Verb::Text(TextVerb::WordRight), "word-right", &["ctrl-right", "alt-f"], &[Editor, Line, List], "", "move one word right"),
    entry(Verb::Text(TextVerb::LineStart), "line-start", &["home"], &[Editor, Line], "", "go to the start of the line"),
    entry(Verb::Text(TextVerb::LineEnd), "line-end", &["end", "ctrl-e"], &[Editor, Line], "", "go to the end of the line"),
    entry(Verb::Text(TextVerb::First), "first-line", &["ctrl-home"], &[Editor], "", "go to the start of the text"),
    entry(Verb::Text(TextVerb::Last), "last-line", &["ctrl-end"], &[Editor], "", "go to the end of the text"),
    entry(Verb::Text(TextVerb::EraseWord), "erase-word", &["ctrl-w", "alt-backspace"], &[Editor, Line, List], "", "erase the word before the cursor"),
    entry(Verb::Text(TextVerb::EraseStart), "erase-start", &["ctrl-u"], &[Editor, Line, List], "", "erase to the start of the line; clears a line that was filled in before"),
    entry(Verb::Text(TextVerb::EraseEnd), "erase-end", &["ctrl-k"], &[Editor, Line, List], "", "erase to the end of the line"),
    entry(Verb::Text(TextVerb::Complete), "complete", &["tab"], &[Editor], "", "complete names, values and references in JSON; elsewhere insert a tab"),
    entry(Verb::Text(TextVerb::NextFault), "next-fault", &["alt-e"], &[Editor], "next fault", "go to the next place that breaks JSON or the schema"),
    entry(Verb::Text(TextVerb::Find), "find", &["ctrl-f"], &[Editor], "find", "find words in the text"),
    entry(Verb::Text(TextVerb::FindNext), "find-next", &["alt-n"], &[Editor], "", "go to the next match in the text"),
    entry(Verb::Text(TextVerb::FindBack), "find-back", &["alt-p"], &[Editor], "", "go to the previous match in the text"),
    entry(Verb::Text(TextVerb::Select(Reach::Left)), "select-left", &["shift-left"], &[Editor, Line], "", "select a character to the left"),
    entry(Verb::Text(TextVerb::Select(Reach::Right)), "select-right", &["shift-right"], &[Editor, Line], "", "select a character to the right"),
    entry(Verb::Text(TextVerb::Select(Reach::Up)), "select-up", &["shift-up"], &[Editor], "", "select a line up"),
    entry(Verb::Text(TextVerb::Select(Reach::Down)), "select-down", &["shift-down"], &[Editor], "", "select a line down"),
    entry(Verb::Text(TextVerb::Select(Reach::LineStart)), "select-line-start", &["shift-home"], &[Editor, Line], "", "select to the start of the line"),
    entry(Verb::Text(TextVerb::Select(Reach::LineEnd)), "select-line-end", &["shift-end"], &[Editor, Line], "", "select to the end of the line"),
    entry(Verb::Text(TextVerb::Select(Reach::All)), "select-all", &["alt-a"], &[Editor, Line], "", "select everything"),
    entry(Verb::Text(TextVerb::Copy), "copy-selected", &["alt-c"], &[Editor, Line], "copy", "copy the selection, or everything, to the terminal's clipboard"),
    entry(Verb::Text(TextVerb::Cut), "cut", &["alt-x"], &[Editor, Line], "", "cut the selection"),
    entry(Verb::Text(TextVerb::PutBack), "paste", &["ctrl-y"], &[Editor, Line], "", "insert the text that was cut last"),
    entry(Verb::View(View::Help), "help-typing", &["f1"], &[Editor, Line, List], "help", "show every key, those that work here first; keeps the typed text"),
];

#[rustfmt::skip]
static REPLAY: &[Entry] = &[
    entry(Verb::Replay(ReplayVerb::Play), "play", &["P"], &[Replay], "play/pause", "play or pause a recorded run"),
    entry(Verb::Replay(ReplayVerb::Step), "next-event", &["."], &[Replay], "next", "go to the next event"),
    entry(Verb::Replay(ReplayVerb::Back), "previous-event", &[","], &[Replay], "back", "go to the previous event"),
    entry(Verb::Replay(ReplayVerb::Faster), "faster", &["="], &[Replay], "", "play faster"),
    entry(Verb::Replay(ReplayVerb::Slower), "slower", &["minus"], &[Replay], "", "play slower"),
    entry(Verb::Replay(ReplayVerb::Start), "to-start", &["0"], &[Replay], "", "go to the first event"),
    entry(Verb::Replay(ReplayVerb::End), "to-end", &["$"], &[Replay], "", "go to the last event"),
    entry(Verb::Replay(ReplayVerb::TenthOn), "tenth-on", &["ctrl-right"], &[Replay], "", "skip a tenth of the recording"),
    entry(Verb::Replay(ReplayVerb::TenthBack), "tenth-back", &["ctrl-left"], &[Replay], "", "go back a tenth of the recording"),
    entry(Verb::Replay(ReplayVerb::Next(MarkKind::Turn)), "next-turn", &["alt-right"], &[Replay], "", "go to the beginning of the next turn"),
    entry(Verb::Replay(ReplayVerb::Previous(MarkKind::Turn)), "previous-turn", &["alt-left"], &[Replay], "", "go to the beginning of the previous turn"),
    entry(Verb::Replay(ReplayVerb::Next(MarkKind::Decision)), "next-decision", &["alt-down"], &[Replay], "next decision", "go to the next decision"),
    entry(Verb::Replay(ReplayVerb::Previous(MarkKind::Decision)), "previous-decision", &["alt-up"], &[Replay], "", "go to the previous decision"),
    entry(Verb::Replay(ReplayVerb::Next(MarkKind::Failure)), "next-recorded-failure", &["alt-f"], &[Replay], "next failure", "go to the next moment of failure"),
    entry(Verb::Replay(ReplayVerb::Previous(MarkKind::Failure)), "previous-recorded-failure", &["alt-F"], &[Replay], "", "go to the previous moment of failure"),
    entry(Verb::Replay(ReplayVerb::Next(MarkKind::Edit)), "next-recorded-edit", &["alt-e"], &[Replay], "", "go to the next moment of an edit"),
    entry(Verb::Replay(ReplayVerb::Previous(MarkKind::Edit)), "previous-recorded-edit", &["alt-E"], &[Replay], "", "go to the previous moment of an edit"),
    entry(Verb::Replay(ReplayVerb::Fork), "fork", &["|"], &[Replay], "fork", "fork a new session that starts with what is shown (asks first)"),
    entry(Verb::Replay(ReplayVerb::ForkWrite), "write-fork", &["enter"], &[Fork], "write it", "write the session and stay in the recording; nothing runs until you resume it"),
    entry(Verb::Replay(ReplayVerb::ForkResume), "resume-fork", &["r"], &[Fork], "write and resume it", "write the session, leave the recording and resume the session"),
];
