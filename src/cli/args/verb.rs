//! Defines the operator verbs on a session: their arguments and help.
//!
//! Must not know: what they do.

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
    /// Approve a waiting call
    Approve {
        /// The session
        #[command(flatten)]
        on: On,
        /// Call, such as c5
        call: String,
        /// Digest that `overrule queue` printed
        #[arg(long)]
        digest: String,
        /// Name of its tool; required if the tool is tagged irreversible
        #[arg(long, value_name = "TOOL")]
        word: Option<String>,
    },
    /// Approve all calls that can be approved together
    ApproveAll {
        /// The session
        #[command(flatten)]
        on: On,
        /// Digest of all these calls that `overrule queue` printed
        #[arg(long)]
        digest: String,
    },
    /// Approve a waiting call, and every later call with exactly its bytes
    Allow {
        /// The session
        #[command(flatten)]
        on: On,
        /// Call
        call: String,
        /// Digest that `overrule queue` printed
        #[arg(long)]
        digest: String,
    },
    /// Add a policy rule for the rest of the session (see docs/policy.md)
    AddRule {
        /// The session
        #[command(flatten)]
        on: On,
        /// The preview: the rule as read, and the recorded calls that it matches
        #[command(flatten)]
        look: PreviewArg,
        /// Rule, such as: tool = "read_file", gate = "allow"
        rule: String,
        /// Digest that the preview printed; the rule then also decides the waiting calls
        #[arg(long)]
        digest: Option<String>,
    },
    /// Remove a rule of the session
    DropRule {
        /// The session
        #[command(flatten)]
        on: On,
        /// Number of the rule, as `overrule sessions show` lists it
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
        /// Call
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
        /// Node, such as t3, c5 or o5
        node: String,
        /// New text of a prompt, thought or answer
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
        /// Call
        call: String,
        /// New tool
        tool: String,
        /// Arguments, as JSON
        #[arg(long)]
        args: String,
    },
    /// Set the result of a call by hand; the call does not run
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
        /// Call
        call: String,
        /// Result, as JSON
        #[arg(long)]
        value: String,
    },
    /// Run a finished call again
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
        /// Call
        call: String,
    },
    /// Allow executions to replace a corrected result again
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
        /// Result, such as o5
        node: String,
    },
    /// Cancel a running or approved call
    Cancel {
        /// The session
        #[command(flatten)]
        on: On,
        /// What was seen
        #[command(flatten)]
        ran: AttemptArg,
        /// Call
        call: String,
    },
    /// Insert a prompt at the end, or after a turn
    #[command(visible_alias = "insert-prompt")]
    Guide {
        /// The session
        #[command(flatten)]
        on: On,
        /// The change
        #[command(flatten)]
        change: Change,
        /// Text
        text: String,
        /// Number of the turn to insert after [default: the last]
        #[arg(long, value_parser = number::whole::<u32>("the number of a turn, such as 4"))]
        after: Option<u32>,
    },
    /// Insert a thought after a turn or a node; the model continues from it
    InsertThought {
        /// The session
        #[command(flatten)]
        on: On,
        /// The change
        #[command(flatten)]
        change: Change,
        /// Text
        text: String,
        /// Turn to insert after, or node: the rest of its turn is superseded [default: the last turn]
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
        /// Tool
        tool: String,
        /// Arguments, as JSON
        #[arg(long)]
        args: String,
        /// Number of the turn to insert after [default: the last]
        #[arg(long, value_parser = number::whole::<u32>("the number of a turn, such as 4"))]
        after: Option<u32>,
    },
    /// Delete a node
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
        /// Node
        node: String,
    },
    /// Reject an answer; the model continues with your --reason (required)
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
        /// Answer
        node: String,
    },
    /// Commit several edits of a JSON file as one (see docs/branches.md)
    Commit {
        /// The session
        #[command(flatten)]
        on: On,
        /// The change
        #[command(flatten)]
        change: Change,
        /// File with the edits, or `-` for standard input
        #[arg(long, value_name = "FILE")]
        edits: PathBuf,
    },
    /// Undo the newest active edit; no branch is lost
    Undo {
        /// The session
        #[command(flatten)]
        on: On,
        /// The plan
        #[command(flatten)]
        planned: CommitArgs,
        /// Current branch when you looked; refused if another one is current now
        #[arg(long, value_name = "N", value_parser = number::whole::<u32>("the number of a branch, such as 2"))]
        epoch: Option<u32>,
    },
    /// Redo the last undone edit
    Redo {
        /// The session
        #[command(flatten)]
        on: On,
        /// The plan
        #[command(flatten)]
        planned: CommitArgs,
        /// Current branch when you looked; refused if another one is current now
        #[arg(long, value_name = "N", value_parser = number::whole::<u32>("the number of a branch, such as 2"))]
        epoch: Option<u32>,
    },
    /// Switch to another branch
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
        /// Current branch when you looked; refused if another one is current now
        #[arg(long, value_name = "N", value_parser = number::whole::<u32>("the number of a branch, such as 2"))]
        epoch: Option<u32>,
    },
    /// Copy a result, answer or text of another branch to the current branch
    #[command(alias = "take")]
    Copy {
        /// The session
        #[command(flatten)]
        on: On,
        /// The change
        #[command(flatten)]
        change: Change,
        /// Node, such as o5; for a call, its result is copied
        node: String,
        /// Active revision of the node that you saw; refused if another one is active now
        #[arg(long, value_parser = number::whole::<u32>("the number of a revision, such as 2"))]
        rev: Option<u32>,
        /// Number of the branch to copy from
        #[arg(long, value_name = "BRANCH", value_parser = number::whole::<u32>("the number of a branch, such as 2"))]
        from: u32,
    },
    /// Decide a call whose effect may already have happened
    Consent {
        /// The session
        #[command(flatten)]
        on: On,
        /// Call
        call: String,
        /// Digest that `overrule queue` printed
        #[arg(long)]
        digest: String,
        /// What to do
        #[arg(value_enum)]
        choice: Choice,
        /// Name of its tool; required to run an irreversible call again
        #[arg(long, value_name = "TOOL")]
        word: Option<String>,
    },
    /// Record the outcome of a call whose outcome is unknown, or --abandon it
    #[command(group(clap::ArgGroup::new("outcome").required(true).args(["happened", "did_not", "did_not_finish", "abandon"])))]
    Resolve {
        /// The session
        #[command(flatten)]
        on: On,
        /// Call
        call: String,
        /// What was seen
        #[command(flatten)]
        ran: AttemptArg,
        /// It happened, with this result (JSON)
        #[arg(long, value_name = "JSON")]
        happened: Option<String>,
        /// It did not happen; it may run
        #[arg(long)]
        did_not: bool,
        /// It did not finish: it ends as cancelled and does not run again
        #[arg(long)]
        did_not_finish: bool,
        /// The outcome stays unknown: it ends without a result; the model sees this and --reason
        #[arg(long, alias = "leave")]
        abandon: bool,
    },
    /// Insert the call that checks whether an execution happened, from its tool's probe template
    Probe {
        /// The session
        #[command(flatten)]
        on: On,
        /// The change
        #[command(flatten)]
        change: Change,
        /// Call, or number of an execution that `overrule effects` printed
        entry: String,
    },
    /// Insert the call that reverts an execution, from its tool's compensate template
    Compensate {
        /// The session
        #[command(flatten)]
        on: On,
        /// The change
        #[command(flatten)]
        change: Change,
        /// Call, or number of an execution that `overrule effects` printed
        entry: String,
    },
    /// Ask the model again: continues a broken turn, or replaces a complete one and all after it
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
        /// Request of the turn that you saw, from 1; refused if a newer one was made
        #[arg(long, value_name = "N", value_parser = number::whole::<u32>("the number of a request, such as 2"))]
        request: Option<u32>,
    },
    /// Accept a broken turn as complete
    Keep {
        /// The session
        #[command(flatten)]
        on: On,
        /// Number of the turn
        #[arg(value_parser = number::whole::<u32>("the number of a turn, such as 4"))]
        turn: u32,
        /// Request of the turn that you saw, from 1; refused if a newer one was made
        #[arg(long, value_name = "N", value_parser = number::whole::<u32>("the number of a request, such as 2"))]
        request: Option<u32>,
    },
    /// Pause a session: running calls finish, nothing new starts
    Pause {
        /// The session
        #[command(flatten)]
        on: On,
    },
    /// Continue a paused or stopped session
    Unpause {
        /// The session
        #[command(flatten)]
        on: On,
    },
    /// Restrict a session to reading calls; denies all other calls that have not started
    Restrict {
        /// The session
        #[command(flatten)]
        on: On,
        /// Lift the restriction
        #[arg(long)]
        lift: bool,
    },
    /// Start one call or model request of a paused session
    Step {
        /// The session
        #[command(flatten)]
        on: On,
    },
    /// Verbs about loops.
    #[command(flatten)]
    Loops(LoopVerb),
    /// End the current model reply, keep its complete blocks, and pause the session
    StopTurn {
        /// The session
        #[command(flatten)]
        on: On,
    },
    /// Stop a session and its running calls until it is unpaused
    Stop {
        /// The session
        #[command(flatten)]
        on: On,
    },
    /// Shorten old results for the model, if its request is too long
    Shorten {
        /// The session
        #[command(flatten)]
        on: On,
    },
    /// Change limits: --max-turns, --max-tokens, --max-time, --max-price, --parallel
    SetLimits {
        /// The session
        #[command(flatten)]
        on: On,
    },
    /// Verbs about failures.
    #[command(flatten)]
    Failures(FailureVerb),
    /// Change the policy preset of a session
    SetPolicy {
        /// The session
        #[command(flatten)]
        on: On,
        /// Preset: supervised, guarded, auto or read-only
        preset: String,
    },
    /// Verbs about tool weights.
    #[command(flatten)]
    Weights(WeightVerb),
}
