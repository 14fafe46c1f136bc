//! The verbs of the console, by family.
//!
//! Must not know: keys, how a verb is carried out.

use crate::console::model::screen::Pane;
use crate::console::replay::MarkKind;

/// A verb of the console, by family.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Verb {
    /// Move in a pane.
    Move(Move),
    /// Choose what is on screen.
    View(View),
    /// Choose how the graph is shown.
    Graph(GraphVerb),
    /// Go to a place in the graph.
    Jump(Jump),
    /// Decide about a call.
    Decide(Decide),
    /// Edit the graph.
    Edit(EditVerb),
    /// Control the run.
    Run(RunVerb),
    /// Fix what blocks the run.
    Fix(Fix),
    /// Edit a text field.
    Text(TextVerb),
    /// Control a recorded run.
    Replay(ReplayVerb),
}

/// Moves in a pane or page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Move {
    /// One row up.
    Up,
    /// One row down.
    Down,
    /// To the left: the previous tab, or fold.
    Left,
    /// To the right: the next tab, or unfold.
    Right,
    /// A screen up.
    PageUp,
    /// A screen down.
    PageDown,
    /// Half a screen up.
    HalfUp,
    /// Half a screen down.
    HalfDown,
    /// To the first row.
    Top,
    /// To the last row, and follow it.
    Bottom,
}

/// Choice of what is on screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum View {
    /// The next pane.
    NextPane,
    /// The previous pane.
    PrevPane,
    /// Go to a pane; hides a lower pane that has the focus already.
    Pane(Pane),
    /// Go to the subject of the row under the cursor.
    Follow,
    /// Show only decisions in the log, or everything.
    Decisions,
    /// List the themes.
    Theme,
    /// The focused pane alone.
    Zoom,
    /// The next tab of the inspector.
    NextTab,
    /// The previous tab.
    PrevTab,
    /// Older entries of a list that the inspector shows in parts.
    Older,
    /// Newer entries of it.
    Newer,
    /// Tool output in its own colours, or as exact bytes.
    Colours,
    /// Fold or unfold.
    Expand,
    /// Help.
    Help,
    /// Palette.
    Palette,
    /// Search.
    Search,
    /// List effects: orphaned and unknown ones, or all.
    Orphans,
    /// Show loops, steps and outcomes.
    Loops,
    /// Show why the run needs the operator.
    Attention,
    /// Copy.
    Copy,
    /// Write into a file.
    Save,
    /// Open in `$EDITOR` to read.
    Outside,
    /// Redraw the whole screen.
    Redraw,
    /// Capture or release the mouse.
    Mouse,
    /// Close what is on top.
    Close,
    /// Choose the selected entry.
    Choose,
    /// Suspend the program.
    Suspend,
    /// Quit.
    Quit,
    /// Ctrl-C.
    Interrupt,
}

/// How the graph is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum GraphVerb {
    /// As boxes around the selected node, or as rows again.
    Map,
    /// As bars over time, or with lanes again.
    Time,
    /// With more detail or less.
    Level,
    /// Follow mode, or a fixed cursor.
    Follow,
    /// Only matching rows.
    Filter,
}

/// Jumps in the graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Jump {
    /// To the next waiting call.
    Pending,
    /// To the next failed call.
    Failure,
    /// To the next edit.
    Edited,
    /// To the parent.
    Parent,
    /// To the first child.
    Child,
    /// To the next sibling.
    Sibling,
    /// To the previous sibling.
    SiblingBack,
    /// To the next match of the search.
    Match,
    /// To the previous match.
    MatchBack,
}

/// Decisions about calls and turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Decide {
    /// Approve the call.
    Approve,
    /// Approve without reading everything.
    ApproveUnread,
    /// List the calls that can be approved.
    All,
    /// Approve the whole list.
    AllNow,
    /// Show the rule that always allows exactly this call.
    Always,
    /// Write a rule.
    Rule,
    /// Accept the shown rule.
    Accept,
    /// List the rules of the session.
    Rules,
    /// Remove the rule under the cursor.
    DropRule,
    /// Reject the call, or the answer.
    Reject,
    /// Open the question of the queue entry.
    Open,
    /// Run a finished call again.
    Retry,
    /// Cancel a running or approved call.
    Cancel,
    /// Run a scheduled call immediately.
    RunNow,
    /// Choose one of the offered repairs.
    ChooseRepair,
    /// Stop repairing the call.
    SkipRepair,
    /// Use the recorded result.
    Reuse,
    /// Repeat the effect.
    RunAgain,
    /// The execution happened.
    Happened,
    /// The execution did not happen.
    DidNot,
    /// A cancelled execution did not finish; the run continues.
    DidNotFinish,
    /// The outcome stays unknown; the call does not run again.
    Leave,
    /// Ask the model again.
    AskAgain,
    /// Keep what arrived.
    Keep,
}

impl Decide {
    /// True for a key that acts by itself, so that it must be armed.
    pub const fn must_be_armed(self) -> bool {
        !matches!(self, Self::All | Self::Open | Self::Rule | Self::Rules)
    }
}

/// Edits of the graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EditVerb {
    /// Edit the selected node, by its kind.
    Node,
    /// Choose another tool.
    Replace,
    /// Answer for the tool.
    Answer,
    /// Correct the observation.
    Observation,
    /// Add guidance at the end of the run.
    Guide,
    /// Insert a thought after the selected node.
    Thought,
    /// Insert a call after the selected turn.
    Call,
    /// Delete the node.
    Delete,
    /// Let executions replace a corrected observation again.
    Unpin,
    /// Insert guidance after the selected turn.
    Prompt,
    /// Preview a change of the selected node.
    Impact,
    /// Commit the reviewed edit.
    Commit,
    /// Record a reason with the reviewed edit.
    Reason,
    /// Stage the edit.
    Stage,
    /// Show the staged edits.
    StagedEdits,
    /// Preview all staged edits together, to commit them.
    StagedPreview,
    /// Continue the staged edit under the cursor.
    StagedOpen,
    /// Remove the staged edit under the cursor.
    StagedRemove,
    /// Drop all staged edits.
    StagedDrop,
    /// Keep later turns although the previewed edit changes their request.
    KeepLater,
    /// Undo the newest edit.
    Undo,
    /// Redo the last undone edit.
    Redo,
    /// Ask the model again for the selected turn.
    AskTurn,
    /// Show the branches.
    Branches,
    /// Switch to the branch under the cursor.
    BranchSwitch,
    /// Name the branch under the cursor.
    BranchName,
    /// Mark the branch, to compare others with it.
    BranchMark,
    /// Compare the branch under the cursor.
    BranchCompare,
    /// Copy the node under the cursor from the other branch.
    BranchCopy,
    /// List equal nodes too.
    CompareAll,
    /// List the whole ledger, or only orphaned and unknown effects.
    EffectsAll,
    /// Insert the call that reverts the effect under the cursor.
    Revert,
    /// Insert the call that checks whether an execution happened.
    Probe,
}

/// Control of the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RunVerb {
    /// Pause or resume.
    Pause,
    /// Restrict to reading calls, or lift that.
    Restrict,
    /// Start one call or request.
    Step,
    /// End the open stream.
    StopTurn,
    /// Ask before stopping everything.
    Emergency,
    /// Stop everything now.
    StopNow,
    /// Change the policy preset.
    Policy,
    /// Change the limits.
    Limits,
    /// Change how failures are handled.
    Resilience,
    /// Reset a breaker.
    ResetBreaker,
    /// Correct the class of an error.
    Classify(Classify),
    /// Name the session.
    Title,
    /// Set the weight of a tool for a kind of task.
    SetWeight,
    /// Reset the weights of a tool.
    ResetWeights,
    /// Ask which weights to reset: of one tool, or all.
    ForgetWeights,
    /// Allow the newest loop.
    AllowLoop,
    /// Mute a loop detector, or unmute it.
    MuteLoops,
    /// Quit after running calls finish.
    LeaveWait,
    /// Stop everything, then quit.
    LeaveCancel,
}

/// Correction of the class of an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Classify {
    /// Show the error of the selected call and the choices.
    Open,
    /// The error is permanent.
    Permanent,
    /// The error is temporary.
    Temporary,
    /// Change the pattern.
    Pattern,
}

/// A fix, by one key, for a run that needs the operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Fix {
    /// Go to the cause, or change what blocks the run.
    Go,
    /// Other arguments.
    Arguments,
    /// Another tool.
    Tool,
    /// A result in place of the tool's.
    Answer,
    /// Guidance for the model.
    Guide,
    /// Allow the repeated calls.
    Allow,
    /// Resume without a change.
    Resume,
    /// Stop the call, the sub-agent or the loop.
    Stop,
}

/// Editing of a text field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TextVerb {
    /// Finish the text.
    Commit,
    /// Close without a change.
    Cancel,
    /// Continue in `$EDITOR`.
    External,
    /// Text or JSON.
    Form,
    /// Undo the last change.
    Undo,
    /// Redo the last undone change.
    Redo,
    /// A word to the left.
    WordLeft,
    /// A word to the right.
    WordRight,
    /// Start of the line.
    LineStart,
    /// End of the line.
    LineEnd,
    /// First line.
    First,
    /// Last line.
    Last,
    /// Erase the word before the cursor.
    EraseWord,
    /// Erase to the start of the line.
    EraseStart,
    /// Erase to the end of the line.
    EraseEnd,
    /// Extend the selection.
    Select(Reach),
    /// Copy the selection to the terminal's clipboard.
    Copy,
    /// Cut the selection.
    Cut,
    /// Insert the text that was cut last.
    PutBack,
    /// Find words in the text.
    Find,
    /// To the next match.
    FindNext,
    /// To the previous match.
    FindBack,
    /// To the next error in the text.
    NextFault,
    /// Complete at the cursor by the tool's schema.
    Complete,
}

/// How far a selection extends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reach {
    /// A character to the left.
    Left,
    /// A character to the right.
    Right,
    /// A line up.
    Up,
    /// A line down.
    Down,
    /// To the start of the line.
    LineStart,
    /// To the end of the line.
    LineEnd,
    /// Everything.
    All,
}

/// Control of a recorded run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ReplayVerb {
    /// Play or pause.
    Play,
    /// To the next event.
    Step,
    /// To the previous event.
    Back,
    /// Faster.
    Faster,
    /// Slower.
    Slower,
    /// To the first event.
    Start,
    /// To the last event.
    End,
    /// To the next event with a mark.
    Next(MarkKind),
    /// To the previous event with a mark.
    Previous(MarkKind),
    /// A tenth of the recording on.
    TenthOn,
    /// A tenth of the recording back.
    TenthBack,
    /// Preview a fork from this event.
    Fork,
    /// Write the fork.
    ForkWrite,
    /// Write the fork and resume it.
    ForkResume,
}
