//! The operator's verbs on a session, as words. Must not know: what they do.

mod common;
mod failures;
mod takes;

use std::path::PathBuf;

use clap::Subcommand;

use super::number;
pub use failures::{ErrorIs, FailureVerb, LoopVerb, WeightVerb};
pub use takes::{AttemptArg, Change, Choice, CommitArgs, On, PreviewArg, RevisionArg};

/// Operator verbs on a session, stored or running.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Approve a call that waits
    Approve {
        /// The session
        #[command(flatten)]
        on: On,
        /// The call, such as c5
        call: String,
        /// Digest that `overrule queue` printed
        #[arg(long)]
        digest: String,
        /// Name of its tool, where that is tagged irreversible: nothing lets it run without
        #[arg(long, value_name = "TOOL")]
        word: Option<String>,
    },
    /// Approve every call that can be approved together
    ApproveAll {
        /// The session
        #[command(flatten)]
        on: On,
        /// Digest of them all that `overrule queue` printed
        #[arg(long)]
        digest: String,
    },
    /// Always run exactly the bytes of a call that waits, for the rest of the session
    Allow {
        /// The session
        #[command(flatten)]
        on: On,
        /// The call
        call: String,
        /// Digest that `overrule queue` printed
        #[arg(long)]
        digest: String,
    },
    /// Let a rule judge calls for the rest of the session (docs/policy.md has the language)
    AddRule {
        /// The session
        #[command(flatten)]
        on: On,
        /// The preview: the rule word for word, with the calls that it would have been about
        #[command(flatten)]
        look: PreviewArg,
        /// The rule, such as: tool = "read_file", gate = "allow"
        rule: String,
        /// Digest that the preview printed: the calls that wait are decided at once
        #[arg(long)]
        digest: Option<String>,
    },
    /// Let a rule of the session judge no more
    DropRule {
        /// The session
        #[command(flatten)]
        on: On,
        /// Its number, as `overrule sessions show` lists it
        #[arg(value_parser = number::whole::<u32>("the number of a rule, such as 1"))]
        rule: u32,
    },
    /// Reject a call that has not run
    Reject {
        /// The session
        #[command(flatten)]
        on: On,
        /// What was seen
        #[command(flatten)]
        seen: RevisionArg,
        /// The call
        call: String,
    },
    /// Edit a node: --text for prompts, thoughts and answers, --args for calls, --value for results
    Edit {
        /// The session
        #[command(flatten)]
        on: On,
        /// What was seen
        #[command(flatten)]
        seen: RevisionArg,
        /// The change
        #[command(flatten)]
        change: Change,
        /// The node, such as t3, c5 or o5
        node: String,
        /// New words of a prompt, thought or answer
        #[arg(long)]
        text: Option<String>,
        /// New arguments of a call, as JSON
        #[arg(long)]
        args: Option<String>,
        /// New result of a call, as JSON
        #[arg(long)]
        value: Option<String>,
    },
    /// Replace the tool of a call
    Replace {
        /// The session
        #[command(flatten)]
        on: On,
        /// What was seen
        #[command(flatten)]
        seen: RevisionArg,
        /// The change
        #[command(flatten)]
        change: Change,
        /// The call
        call: String,
        /// The other tool
        tool: String,
        /// Its arguments, as JSON
        #[arg(long)]
        args: String,
    },
    /// Give the result of a call by hand; nothing runs
    Answer {
        /// The session
        #[command(flatten)]
        on: On,
        /// What was seen
        #[command(flatten)]
        seen: RevisionArg,
        /// The preview
        #[command(flatten)]
        look: PreviewArg,
        /// The call
        call: String,
        /// The value, as JSON
        #[arg(long)]
        value: String,
    },
    /// Run a finished call once more
    Retry {
        /// The session
        #[command(flatten)]
        on: On,
        /// What was seen
        #[command(flatten)]
        seen: RevisionArg,
        /// The preview
        #[command(flatten)]
        look: PreviewArg,
        /// The call
        call: String,
    },
    /// Let executions replace a corrected result again
    Unpin {
        /// The session
        #[command(flatten)]
        on: On,
        /// The preview
        #[command(flatten)]
        look: PreviewArg,
        /// What was seen
        #[command(flatten)]
        seen: RevisionArg,
        /// The result, such as o5
        node: String,
    },
    /// End a running call, or take back what was let run and has not begun
    Cancel {
        /// The session
        #[command(flatten)]
        on: On,
        /// What was seen
        #[command(flatten)]
        ran: AttemptArg,
        /// The call
        call: String,
    },
    /// Add guidance: a prompt at the tip, or after a turn
    #[command(visible_alias = "insert-prompt")]
    Guide {
        /// The session
        #[command(flatten)]
        on: On,
        /// The change
        #[command(flatten)]
        change: Change,
        /// The words
        text: String,
        /// Number of the turn that it stands after
        #[arg(long, value_parser = number::whole::<u32>("the number of a turn, such as 4"))]
        after: Option<u32>,
    },
    /// Insert a thought after a turn, or behind a node of it; the model goes on from it
    InsertThought {
        /// The session
        #[command(flatten)]
        on: On,
        /// The change
        #[command(flatten)]
        change: Change,
        /// The words
        text: String,
        /// Number of the turn that it stands after, or a node: what the model said behind it falls
        #[arg(long, value_name = "TURN|NODE")]
        after: Option<String>,
    },
    /// Insert a call after a turn
    InsertCall {
        /// The session
        #[command(flatten)]
        on: On,
        /// The change
        #[command(flatten)]
        change: Change,
        /// The tool
        tool: String,
        /// Its arguments, as JSON
        #[arg(long)]
        args: String,
        /// Number of the turn that it stands after
        #[arg(long, value_parser = number::whole::<u32>("the number of a turn, such as 4"))]
        after: Option<u32>,
    },
    /// Take a node away
    Delete {
        /// The session
        #[command(flatten)]
        on: On,
        /// What was seen
        #[command(flatten)]
        seen: RevisionArg,
        /// The change
        #[command(flatten)]
        change: Change,
        /// The node
        node: String,
    },
    /// Refuse an answer; the model is told why and goes on (--reason is required)
    RejectAnswer {
        /// The session
        #[command(flatten)]
        on: On,
        /// The change
        #[command(flatten)]
        change: Change,
        /// What was seen
        #[command(flatten)]
        seen: RevisionArg,
        /// The answer
        node: String,
    },
    /// Commit several edits as one: from a JSON file (docs/branches.md describes it)
    Commit {
        /// The session
        #[command(flatten)]
        on: On,
        /// The change
        #[command(flatten)]
        change: Change,
        /// The file; `-` for standard input
        #[arg(long, value_name = "FILE")]
        edits: PathBuf,
    },
    /// Undo the newest edit that counts; what stood before it stands again, and nothing is lost
    Undo {
        /// The session
        #[command(flatten)]
        on: On,
        /// The plan
        #[command(flatten)]
        planned: CommitArgs,
        /// Branch that stood when you looked, as `overrule branches` lists it; refused if it is another by now
        #[arg(long, value_name = "N", value_parser = number::whole::<u32>("the number of a branch, such as 2"))]
        epoch: Option<u32>,
    },
    /// Let what was undone last stand again
    Redo {
        /// The session
        #[command(flatten)]
        on: On,
        /// The plan
        #[command(flatten)]
        planned: CommitArgs,
        /// Branch that stood when you looked, as `overrule branches` lists it; refused if it is another by now
        #[arg(long, value_name = "N", value_parser = number::whole::<u32>("the number of a branch, such as 2"))]
        epoch: Option<u32>,
    },
    /// Let another branch stand
    Switch {
        /// The session
        #[command(flatten)]
        on: On,
        /// The plan
        #[command(flatten)]
        planned: CommitArgs,
        /// Number of the branch, as `overrule branches` lists it
        #[arg(value_parser = number::whole::<u32>("the number of a branch, such as 2"))]
        branch: u32,
        /// Branch that stood when you looked, as `overrule branches` lists it; refused if it is another by now
        #[arg(long, value_name = "N", value_parser = number::whole::<u32>("the number of a branch, such as 2"))]
        epoch: Option<u32>,
    },
    /// Take one result, answer or text of another branch over into this one
    Take {
        /// The session
        #[command(flatten)]
        on: On,
        /// The change
        #[command(flatten)]
        change: Change,
        /// The node, such as o5; a call stands for its result
        node: String,
        /// Revision of it that counts here, if you looked at one; refused if it is another by now
        #[arg(long, value_parser = number::whole::<u32>("the number of a revision, such as 2"))]
        rev: Option<u32>,
        /// Number of the branch that it says so on
        #[arg(long, value_name = "BRANCH", value_parser = number::whole::<u32>("the number of a branch, such as 2"))]
        from: u32,
    },
    /// Decide on an effect that may already have happened
    Consent {
        /// The session
        #[command(flatten)]
        on: On,
        /// The call
        call: String,
        /// Digest that `overrule queue` printed
        #[arg(long)]
        digest: String,
        /// What to do
        #[arg(value_enum)]
        choice: Choice,
        /// Name of its tool, to run again what is tagged irreversible
        #[arg(long, value_name = "TOOL")]
        word: Option<String>,
    },
    /// Say what came of a call whose outcome is not known: --happened, --did-not or --did-not-finish; or --leave it unknown
    #[command(group(clap::ArgGroup::new("outcome").required(true).args(["happened", "did_not", "did_not_finish", "leave"])))]
    Resolve {
        /// The session
        #[command(flatten)]
        on: On,
        /// The call
        call: String,
        /// What was seen
        #[command(flatten)]
        ran: AttemptArg,
        /// It happened, with this result as JSON
        #[arg(long, value_name = "JSON")]
        happened: Option<String>,
        /// It did not happen; it may run
        #[arg(long)]
        did_not: bool,
        /// It was cancelled and did not finish: it ends as cancelled and does not run again; part of it may have happened
        #[arg(long)]
        did_not_finish: bool,
        /// Nobody knows: it ends without a result and does not run again; the model is told so, and --reason beside it
        #[arg(long)]
        leave: bool,
    },
    /// Insert the call that finds out whether an execution happened, by its tool's probe template
    Probe {
        /// The session
        #[command(flatten)]
        on: On,
        /// The change
        #[command(flatten)]
        change: Change,
        /// The call, or the number of an execution that `overrule effects` printed
        entry: String,
    },
    /// Insert the call that takes an execution back, by its tool's compensate template
    Compensate {
        /// The session
        #[command(flatten)]
        on: On,
        /// The change
        #[command(flatten)]
        change: Change,
        /// The call, or the number of an execution that `overrule effects` printed
        entry: String,
    },
    /// Ask the model again: a broken turn goes on, a whole one is replaced with what came after it
    AskAgain {
        /// The session
        #[command(flatten)]
        on: On,
        /// The preview
        #[command(flatten)]
        look: PreviewArg,
        /// Number of the turn
        #[arg(value_parser = number::whole::<u32>("the number of a turn, such as 4"))]
        turn: u32,
        /// Request of the turn that you saw, counted from 1; refused if another was made by now
        #[arg(long, value_name = "N", value_parser = number::whole::<u32>("the number of a request, such as 2"))]
        request: Option<u32>,
    },
    /// Take what arrived of a broken turn as the whole turn
    Keep {
        /// The session
        #[command(flatten)]
        on: On,
        /// Number of the turn
        #[arg(value_parser = number::whole::<u32>("the number of a turn, such as 4"))]
        turn: u32,
        /// Request of the turn that you saw, counted from 1; refused if another was made by now
        #[arg(long, value_name = "N", value_parser = number::whole::<u32>("the number of a request, such as 2"))]
        request: Option<u32>,
    },
    /// Pause a session: it starts nothing until it is unpaused, what runs goes on
    Pause {
        /// The session
        #[command(flatten)]
        on: On,
    },
    /// Let a paused or stopped session go on
    Unpause {
        /// The session
        #[command(flatten)]
        on: On,
    },
    /// Restrict a session to reading calls until that is lifted: every other call that has not started is denied
    Restrict {
        /// The session
        #[command(flatten)]
        on: On,
        /// Lift the restriction: every call may start again
        #[arg(long)]
        lift: bool,
    },
    /// Let one launch or request of a paused session through
    Step {
        /// The session
        #[command(flatten)]
        on: On,
    },
    /// About repetition.
    #[command(flatten)]
    Loops(LoopVerb),
    /// End the open stream of a running session; the blocks that arrived whole are the turn, and the run is paused
    StopTurn {
        /// The session
        #[command(flatten)]
        on: On,
    },
    /// Stop a session, running calls too: nothing goes on, also when it is resumed, until it is unpaused
    Stop {
        /// The session
        #[command(flatten)]
        on: On,
    },
    /// Change the limits of a session: --max-turns, --max-tokens, --max-time, --max-price, --parallel
    SetLimits {
        /// The session
        #[command(flatten)]
        on: On,
    },
    /// About failures and how they are met.
    #[command(flatten)]
    Failures(FailureVerb),
    /// Change the policy preset of a session
    SetPolicy {
        /// The session
        #[command(flatten)]
        on: On,
        /// supervised, guarded, auto or read-only
        preset: String,
    },
    /// About what is learnt of tools.
    #[command(flatten)]
    Weights(WeightVerb),
}
