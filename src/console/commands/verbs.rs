//! What an operator can do, by family. Must not know: keys, how anything is done.

use crate::console::model::screen::Pane;

/// What an operator can do, by family.
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
    /// Change what the graph says.
    Edit(EditVerb),
    /// Drive the run.
    Run(RunVerb),
    /// Do something about what the run waits for.
    Fix(Fix),
    /// Type.
    Text(TextVerb),
    /// Drive a recorded run.
    Replay(ReplayVerb),
}

/// Moves in a pane or page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Move {
    /// One row up.
    Up,
    /// One row down.
    Down,
    /// To the left: the tab before, fold.
    Left,
    /// To the right: the next tab, unfold.
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
    /// The pane before.
    PrevPane,
    /// Go to a pane; one at the bottom is hidden again where it has the focus.
    Pane(Pane),
    /// Go to what the row under the cursor is about.
    Follow,
    /// Only decisions in the log, or everything.
    Decisions,
    /// List the themes.
    Theme,
    /// The focused pane alone.
    Zoom,
    /// The next tab of the inspector.
    NextTab,
    /// The tab before.
    PrevTab,
    /// Older ones of what the inspector shows a few of at a time.
    Older,
    /// Newer ones of it.
    Newer,
    /// The output of a tool in its colours, or with its bytes as marks.
    Colours,
    /// Fold or unfold.
    Expand,
    /// Help.
    Help,
    /// Palette.
    Palette,
    /// Search.
    Search,
    /// Effects that happened under what edits replaced.
    Orphans,
    /// What went round, and what was done about it.
    Loops,
    /// Why the run waits for a person.
    Attention,
    /// Copy.
    Copy,
    /// Write into a file.
    Save,
    /// Open in `$EDITOR` to read.
    Outside,
    /// Draw everything anew.
    Redraw,
    /// Take the mouse or leave it.
    Mouse,
    /// Close what is on top.
    Close,
    /// Take the chosen entry.
    Choose,
    /// Stop the program in the shell.
    Suspend,
    /// Leave.
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
    /// Following what comes, or with the cursor where it is.
    Follow,
    /// Only what fits.
    Filter,
}

/// Jumps in the graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Jump {
    /// To the next call that waits.
    Pending,
    /// To the next failed call.
    Failure,
    /// To the next edit.
    Edited,
    /// To the parent.
    Parent,
    /// To the first child.
    Child,
    /// To the next of those that hang on the same.
    Sibling,
    /// To the one of them before.
    SiblingBack,
    /// To the next match of the search.
    Match,
    /// To the match before.
    MatchBack,
}

/// Decisions about calls and turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Decide {
    /// Let it run.
    Approve,
    /// Let it run although part of it was not on screen.
    ApproveUnread,
    /// List all that can be approved.
    All,
    /// Approve the whole list.
    AllNow,
    /// Show the rule that lets exactly this call run, always.
    Always,
    /// Write a rule.
    Rule,
    /// Accept the rule that is shown.
    Accept,
    /// List the rules of the session.
    Rules,
    /// Let the rule under the cursor judge no more.
    DropRule,
    /// Refuse.
    Reject,
    /// Open the question that the entry asks.
    Open,
    /// Run a finished call once more.
    Retry,
    /// End a running execution.
    Cancel,
    /// Let a call that waits to be tried again run at once.
    RunNow,
    /// Take one of the repairs that are offered.
    ChooseRepair,
    /// Repair the call no more.
    SkipRepair,
    /// Take the recorded result.
    Reuse,
    /// Run it all the same.
    RunAgain,
    /// It happened.
    Happened,
    /// It did not happen.
    DidNot,
    /// It was cancelled and did not finish; the run goes on.
    DidNotFinish,
    /// Nobody knows, and it does not run again.
    Leave,
    /// Ask the model again.
    AskAgain,
    /// Keep what arrived.
    Keep,
}

impl Decide {
    /// True where the key by itself lets something happen, so that it must be armed.
    pub const fn must_be_armed(self) -> bool {
        !matches!(self, Self::All | Self::Open | Self::Rule | Self::Rules)
    }
}

/// Changes of what the graph says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EditVerb {
    /// The selected node, by its kind.
    Node,
    /// Another tool.
    Replace,
    /// Answer for the tool.
    Answer,
    /// Correct the observation.
    Observation,
    /// Guidance at the tip.
    Guide,
    /// A thought after the selected turn.
    Thought,
    /// A call after the selected turn.
    Call,
    /// Take the node away.
    Delete,
    /// Let executions replace a corrected observation again.
    Unpin,
    /// Guidance after the selected turn.
    Prompt,
    /// What a change of the selected node would do, without one.
    Impact,
    /// Commit the reviewed edit.
    Commit,
    /// Say why the reviewed edit is made.
    Reason,
    /// Keep the edit for later, with others.
    Stage,
    /// Show the collected edits.
    StagedEdits,
    /// Show what all collected edits do together; they are committed from there.
    StagedPreview,
    /// Go on with the collected edit under the cursor.
    StagedOpen,
    /// Take the collected edit under the cursor out of the list.
    StagedRemove,
    /// Forget all collected edits.
    StagedDrop,
    /// Let later turns stand although the previewed edit changes what they were asked with.
    KeepLater,
    /// Undo the newest edit.
    Undo,
    /// Let what was undone stand again.
    Redo,
    /// Ask the model again for the selected turn.
    AskTurn,
    /// Show the branches.
    Branches,
    /// Let the branch under the cursor stand.
    BranchSwitch,
    /// Name the branch under the cursor.
    BranchName,
    /// Compare with this one.
    BranchMark,
    /// Compare the branch under the cursor.
    BranchCompare,
    /// Take what the node under the cursor says on the other branch.
    BranchCopy,
    /// List nodes that say the same too.
    CompareAll,
    /// List the whole ledger, or only what needs an eye.
    EffectsAll,
    /// Put in the call that takes the effect under the cursor back.
    Revert,
    /// Put in the call that finds out whether an execution happened.
    Probe,
}

/// Driving the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RunVerb {
    /// Pause or resume.
    Pause,
    /// Restrict to reading calls, or lift that.
    Restrict,
    /// One launch or request.
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
    /// Change how failures are met.
    Resilience,
    /// Let everything through a breaker again.
    ResetBreaker,
    /// Correct the class of an error.
    Classify(Classify),
    /// Name the session.
    Title,
    /// Set the weight of a tool for a kind of task.
    SetWeight,
    /// Begin the weights of a tool anew.
    ResetWeights,
    /// Ask for a tool whose weights begin anew, or for all of them.
    ForgetWeights,
    /// Let the newest repetition repeat.
    AllowLoop,
    /// Mute a detector of repetition, or listen to it again.
    MuteLoops,
    /// Leave once what runs has ended.
    LeaveWait,
    /// Stop what runs, then leave.
    LeaveCancel,
}

/// Correcting the class of an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Classify {
    /// Show the error of the selected call, and what can be said of it.
    Open,
    /// It does not pass by itself.
    Permanent,
    /// It passes by itself.
    Temporary,
    /// Change the pattern.
    Pattern,
}

/// What one key does about a run that waits for a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Fix {
    /// Go to what waits, or change what holds it.
    Go,
    /// Other arguments.
    Arguments,
    /// Another tool.
    Tool,
    /// A result in place of the tool's.
    Answer,
    /// Guidance for the model.
    Guide,
    /// Let what repeats repeat.
    Allow,
    /// Go on as it is.
    Resume,
    /// End the sub-agent, or the run.
    Stop,
}

/// Typing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TextVerb {
    /// Done.
    Commit,
    /// Give up.
    Cancel,
    /// Go on in `$EDITOR`.
    External,
    /// Text or JSON.
    Form,
    /// Take back.
    Undo,
    /// Do again.
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
    /// Select on.
    Select(Reach),
    /// Copy what is selected to the terminal's clipboard.
    Copy,
    /// Take out what is selected.
    Cut,
    /// Put in what was taken out last.
    PutBack,
    /// Look for words in the text.
    Find,
    /// To the next place of them.
    FindNext,
    /// To the place before.
    FindBack,
    /// To the next thing that is wrong with the text.
    NextFault,
    /// What can stand at the cursor by the tool's schema.
    Complete,
}

/// How far a selection goes on.
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

/// Driving a recorded run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ReplayVerb {
    /// Play or hold.
    Play,
    /// One event on.
    Step,
    /// One event back.
    Back,
    /// Faster.
    Faster,
    /// Slower.
    Slower,
    /// To the first event.
    Start,
    /// To the last event.
    End,
    /// Ask what a live run from here would be.
    Fork,
    /// Write it.
    ForkWrite,
    /// Write it and go on with it.
    ForkResume,
}
