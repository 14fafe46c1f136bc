//! The operator's verbs on a session, as words. Must not know: what they do.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand, ValueEnum};

/// What every operator verb takes.
#[derive(Debug, Clone, ClapArgs)]
pub struct On {
    /// Session: id, beginning of it, or `last`
    pub session: String,
    /// Go on with the run afterwards
    #[arg(long)]
    pub resume: bool,
    /// Why, for the record
    #[arg(long, value_name = "TEXT")]
    pub reason: Option<String>,
}

/// What every verb takes whose impact can be shown before.
#[derive(Debug, Clone, ClapArgs)]
pub struct Look {
    /// Print what it would do, and do nothing
    #[arg(long)]
    pub preview: bool,
}

/// What every verb takes that is committed as it was previewed.
#[derive(Debug, Clone, ClapArgs)]
pub struct Planned {
    /// The preview.
    #[command(flatten)]
    pub look: Look,
    /// Effects that the preview named; refused if there are more by now
    #[arg(long, value_name = "N")]
    pub effects_seen: Option<usize>,
}

/// What every edit takes.
#[derive(Debug, Clone, ClapArgs)]
pub struct Change {
    /// The plan.
    #[command(flatten)]
    pub planned: Planned,
    /// Let later turns stand although what they were asked with changes; they are marked as drifted
    #[arg(long)]
    pub keep_later: bool,
}

/// What every verb takes that names a node.
#[derive(Debug, Clone, ClapArgs)]
pub struct Seen {
    /// Revision of the node that you saw; refused with the difference if it is another one by now
    #[arg(long, value_name = "N")]
    pub rev: Option<u32>,
}

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
        look: Look,
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
        rule: u32,
    },
    /// Reject a call that has not run
    Reject {
        /// The session
        #[command(flatten)]
        on: On,
        /// What was seen
        #[command(flatten)]
        seen: Seen,
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
        seen: Seen,
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
        seen: Seen,
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
        seen: Seen,
        /// The preview
        #[command(flatten)]
        look: Look,
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
        seen: Seen,
        /// The preview
        #[command(flatten)]
        look: Look,
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
        look: Look,
        /// The result, such as o5
        node: String,
    },
    /// End a running call
    Cancel {
        /// The session
        #[command(flatten)]
        on: On,
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
        #[arg(long)]
        after: Option<u32>,
    },
    /// Insert a thought after a turn; the model goes on from it
    InsertThought {
        /// The session
        #[command(flatten)]
        on: On,
        /// The change
        #[command(flatten)]
        change: Change,
        /// The words
        text: String,
        /// Number of the turn that it stands after
        #[arg(long)]
        after: Option<u32>,
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
        #[arg(long)]
        after: Option<u32>,
    },
    /// Take a node away
    Delete {
        /// The session
        #[command(flatten)]
        on: On,
        /// What was seen
        #[command(flatten)]
        seen: Seen,
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
        /// The answer
        node: String,
    },
    /// Commit several edits as one, from a JSON file (docs/branches.md describes it)
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
        planned: Planned,
    },
    /// Let what was undone last stand again
    Redo {
        /// The session
        #[command(flatten)]
        on: On,
        /// The plan
        #[command(flatten)]
        planned: Planned,
    },
    /// Let another branch stand
    Switch {
        /// The session
        #[command(flatten)]
        on: On,
        /// The plan
        #[command(flatten)]
        planned: Planned,
        /// Number of the branch, as `overrule branches` lists it
        branch: u32,
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
        /// Number of the branch that it says so on
        #[arg(long, value_name = "BRANCH")]
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
    },
    /// Say what came of a call whose outcome is not known: --happened or --did-not
    #[command(group(clap::ArgGroup::new("outcome").required(true).args(["happened", "did_not"])))]
    Resolve {
        /// The session
        #[command(flatten)]
        on: On,
        /// The call
        call: String,
        /// It happened, with this result as JSON
        #[arg(long, value_name = "JSON")]
        happened: Option<String>,
        /// It did not happen; it may run
        #[arg(long)]
        did_not: bool,
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
        look: Look,
        /// Number of the turn
        turn: u32,
    },
    /// Take what arrived of a broken turn as the whole turn
    Keep {
        /// The session
        #[command(flatten)]
        on: On,
        /// Number of the turn
        turn: u32,
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
    /// Let one launch or request of a paused session through
    Step {
        /// The session
        #[command(flatten)]
        on: On,
    },
    /// Let what repeats in an incident repeat (`overrule loops` lists them); a run paused for it goes on
    AllowLoop {
        /// The session
        #[command(flatten)]
        on: On,
        /// Number of the incident
        incident: u32,
    },
    /// Do not listen to a detector of repetition: sequence, same_error, no_progress or failing_tool
    MuteLoops {
        /// The session
        #[command(flatten)]
        on: On,
        /// The detector
        detector: String,
        /// Listen to it again
        #[arg(long)]
        listen: bool,
    },
    /// End the open stream of a running session; what arrived is the turn, and the run is paused
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
    /// Let a call that waits to be tried again run at once
    RunNow {
        /// The session
        #[command(flatten)]
        on: On,
        /// What was seen
        #[command(flatten)]
        seen: Seen,
        /// The call
        call: String,
    },
    /// Take one of the repairs that are offered for a call, as `overrule queue` numbers them
    ChooseRepair {
        /// The session
        #[command(flatten)]
        on: On,
        /// What was seen
        #[command(flatten)]
        seen: Seen,
        /// The call
        call: String,
        /// Which repair, from 1
        option: usize,
    },
    /// Repair a call no more: its failure stands, and the model is told
    SkipRepair {
        /// The session
        #[command(flatten)]
        on: On,
        /// What was seen
        #[command(flatten)]
        seen: Seen,
        /// The call
        call: String,
    },
    /// Let everything through a breaker again
    ResetBreaker {
        /// The session
        #[command(flatten)]
        on: On,
        /// Of what: tool:NAME, server:HOST:PORT or model:NAME, as `overrule queue` lists it
        scope: String,
    },
    /// Change how failures are met in a session: KEY=VALUE, such as retry.retries=2 or breaker.open=1m
    SetResilience {
        /// The session
        #[command(flatten)]
        on: On,
        /// One or more settings (docs/resilience.md lists them)
        #[arg(value_name = "KEY=VALUE", required = true)]
        settings: Vec<String>,
    },
    /// Change the policy preset of a session
    SetPolicy {
        /// The session
        #[command(flatten)]
        on: On,
        /// supervised, guarded, auto or read-only
        preset: String,
    },
    /// Set the weight of a tool: how well it serves a kind of task, 0 to 1
    SetWeight {
        /// The session
        #[command(flatten)]
        on: On,
        /// The tool
        tool: String,
        /// The weight, 0 to 1
        weight: f64,
        /// The kind of task, as `overrule weights` lists it
        #[arg(long, value_name = "KIND", default_value = "general")]
        kind: String,
    },
    /// Begin the weights of a tool anew, or all of them
    ResetWeights {
        /// The session
        #[command(flatten)]
        on: On,
        /// The tool; leave out for all
        tool: Option<String>,
    },
}

/// What to do with an effect that may already have happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Choice {
    /// Take the recorded result
    Reuse,
    /// Run it again
    RunAgain,
    /// Do not run it
    Reject,
}

impl Verb {
    /// The session, and what goes with it.
    pub fn on(&self) -> &On {
        match self {
            Self::Approve { on, .. }
            | Self::ApproveAll { on, .. }
            | Self::Allow { on, .. }
            | Self::AddRule { on, .. }
            | Self::DropRule { on, .. }
            | Self::Reject { on, .. }
            | Self::Edit { on, .. }
            | Self::Replace { on, .. }
            | Self::Answer { on, .. }
            | Self::Retry { on, .. }
            | Self::Unpin { on, .. }
            | Self::Cancel { on, .. }
            | Self::Guide { on, .. }
            | Self::InsertThought { on, .. }
            | Self::InsertCall { on, .. }
            | Self::Delete { on, .. }
            | Self::RejectAnswer { on, .. }
            | Self::Commit { on, .. }
            | Self::Undo { on, .. }
            | Self::Redo { on, .. }
            | Self::Switch { on, .. }
            | Self::Take { on, .. }
            | Self::Consent { on, .. }
            | Self::Resolve { on, .. }
            | Self::Probe { on, .. }
            | Self::Compensate { on, .. }
            | Self::AskAgain { on, .. }
            | Self::Keep { on, .. }
            | Self::Pause { on }
            | Self::Unpause { on }
            | Self::Step { on }
            | Self::StopTurn { on }
            | Self::Stop { on }
            | Self::SetLimits { on }
            | Self::AllowLoop { on, .. }
            | Self::MuteLoops { on, .. }
            | Self::RunNow { on, .. }
            | Self::ChooseRepair { on, .. }
            | Self::SkipRepair { on, .. }
            | Self::ResetBreaker { on, .. }
            | Self::SetResilience { on, .. }
            | Self::SetPolicy { on, .. }
            | Self::SetWeight { on, .. }
            | Self::ResetWeights { on, .. } => on,
        }
    }

    /// True where only the plan was asked for.
    pub fn is_preview(&self) -> bool {
        match self {
            Self::Edit { change, .. }
            | Self::Replace { change, .. }
            | Self::Guide { change, .. }
            | Self::InsertThought { change, .. }
            | Self::InsertCall { change, .. }
            | Self::Delete { change, .. }
            | Self::RejectAnswer { change, .. }
            | Self::Commit { change, .. }
            | Self::Probe { change, .. }
            | Self::Compensate { change, .. }
            | Self::Take { change, .. } => change.planned.look.preview,
            Self::Undo { planned, .. } | Self::Redo { planned, .. } | Self::Switch { planned, .. } => {
                planned.look.preview
            }
            Self::Answer { look, .. }
            | Self::AddRule { look, .. }
            | Self::Retry { look, .. }
            | Self::Unpin { look, .. }
            | Self::AskAgain { look, .. } => look.preview,
            _ => false,
        }
    }
}
