//! Lists how the console sends each command: a new command does not compile without one.
//!
//! Must not know: what a command does.

use std::collections::BTreeSet;

use crate::app::registry::verbs;
use crate::kernel::context::Context;
use crate::kernel::verb::Verb;
use crate::surfaces;
use crate::testing::Stage;
use overrule_domain::command::{
    CallCommand, Command, ConsentChoice, Edit, EditCommand, EscapeCommand, FilesCommand, ResilienceCommand,
    Resolution, RunCommand, SandboxCommand, WeightCommand,
};
use overrule_domain::rule::RuleRequest;

/// How the console sends a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// By entries of the command table.
    By(&'static [&'static str]),
    /// Not at all, and why.
    Not(&'static str),
}

use Way::{By, Not};

/// A function over an enum, and the list of all its values: the match makes the list complete.
macro_rules! ways {
    ($name:ident, $all:ident, $of:ty: $($pattern:pat => $way:expr,)*) => {
        const $all: &[Way] = &[$($way),*];
        fn $name(one: &$of) -> Way {
            match one { $($pattern => $way),* }
        }
    };
}

ways! { run, RUN, RunCommand:
    RunCommand::Pause { .. } | RunCommand::Resume {} => By(&["pause"]),
    RunCommand::Restrict { .. } | RunCommand::LiftRestriction {} => By(&["restrict"]),
    RunCommand::Step {} => By(&["step"]),
    RunCommand::StopTurn {} => By(&["stop-turn"]),
    RunCommand::Stop { .. } => By(&["emergency-stop", "stop-now", "stop-broken", "quit-cancel"]),
    RunCommand::AskAgain { .. } => By(&["ask-again", "ask-turn-again"]),
    RunCommand::KeepArrived { .. } => By(&["keep-arrived"]),
    RunCommand::Shorten {} => By(&["shorten"]),
    RunCommand::Summarize {} => By(&["summarize"]),
    RunCommand::DropTurns {} => By(&["drop-turns"]),
    RunCommand::SetLimits { .. } => By(&["limits"]),
    RunCommand::SetPolicy { .. } => By(&["policy", "take-rule", "take-rule-and-start"]),
    RunCommand::Title { .. } => By(&["title"]),
    RunCommand::AddRule { rule: RuleRequest::Exact { .. }, .. } => By(&["always", "take-rule", "take-rule-and-start"]),
    RunCommand::AddRule { rule: RuleRequest::Text { .. }, .. } => By(&["write-rule", "take-rule", "take-rule-and-start", "rule-text", "accept-rule"]),
    RunCommand::DropRule { .. } => By(&["drop-rule"]),
}

ways! { call, CALL, CallCommand:
    CallCommand::Approve { .. } => By(&["approve", "approve-unread", "approve-all", "approve-list", "refresh-list"]),
    CallCommand::Reject { .. } => By(&["reject"]),
    CallCommand::Answer { .. } => By(&["answer"]),
    CallCommand::Cancel { .. } => By(&["cancel-call"]),
    CallCommand::Retry { .. } => By(&["retry", "choose-refused", "allow-refused"]),
    CallCommand::Consent { choice: ConsentChoice::Reuse { .. }, .. } => By(&["reuse"]),
    CallCommand::Consent { choice: ConsentChoice::RunAgain, .. } => By(&["run-again"]),
    CallCommand::Consent { choice: ConsentChoice::Reject { .. }, .. } => By(&["reject-repeat"]),
    CallCommand::Resolve { what: Resolution::Happened { .. }, .. } => By(&["it-happened"]),
    CallCommand::Resolve { what: Resolution::DidNot, .. } => By(&["it-did-not"]),
    CallCommand::Resolve { what: Resolution::DidNotFinish, .. } => By(&["cancel-call", "did-not-finish"]),
    CallCommand::Resolve { what: Resolution::Abandon { .. }, .. } => By(&["abandon-call"]),
    CallCommand::Unpin { .. } => By(&["unpin"]),
}

ways! { edits, EDITS, EditCommand:
    EditCommand::Commit { .. } => By(&["commit-edit", "commit-staged", "keep-later"]),
    EditCommand::Undo { .. } => By(&["undo"]),
    EditCommand::Redo { .. } => By(&["redo"]),
    EditCommand::Switch { .. } => By(&["branch-switch"]),
    EditCommand::Name { .. } => By(&["branch-name", "pane-name"]),
    EditCommand::Hold { .. } => Not("an editor that opens holds its node by itself"),
    EditCommand::Release { .. } => Not("an editor that closes lets its node go by itself"),
}

ways! { edit, EDIT, Edit:
    Edit::Call { .. } => By(&["edit", "replace", "fix-arguments", "fix-tool", "run-outside", "choose-refused"]),
    Edit::Text { .. } => By(&["edit"]),
    Edit::Observation { .. } => By(&["correct"]),
    Edit::InsertPrompt { .. } => By(&["guide", "insert-prompt"]),
    Edit::InsertThought { .. } => By(&["insert-thought"]),
    Edit::InsertCall { .. } => By(&["insert-call", "revert-effect", "probe"]),
    Edit::RejectAnswer { .. } => By(&["reject"]),
    Edit::Copy { .. } => By(&["branch-copy", "pane-copy"]),
    Edit::Delete { .. } => By(&["delete"]),
}

ways! { escape, ESCAPE, EscapeCommand:
    EscapeCommand::AllowIncident { .. } => By(&["allow-loop", "fix-allow"]),
    EscapeCommand::Mute { .. } => By(&["mute-loops"]),
}

ways! { resilience, RESILIENCE, ResilienceCommand:
    ResilienceCommand::RunNow { .. } => By(&["run-now"]),
    ResilienceCommand::ResetBreaker { .. } => By(&["reset-breaker"]),
    ResilienceCommand::Configure { .. } => By(&[
        "resilience",
        "classify",
        "error-permanent",
        "error-temporary",
        "error-pattern",
    ]),
    ResilienceCommand::ChooseRepair { .. } => By(&["choose-repair"]),
    ResilienceCommand::SkipRepair { .. } => By(&["skip-repair"]),
}

ways! { weight, WEIGHT, WeightCommand:
    WeightCommand::Set { .. } => By(&["set-weight"]),
    WeightCommand::Reset { tool: Some(_) } => By(&["reset-weights", "forget-weights"]),
    WeightCommand::Reset { tool: None } => By(&["forget-weights"]),
}

ways! { sandbox, SANDBOX, SandboxCommand:
    SandboxCommand::Widen { .. } => By(&["choose-refused", "allow-refused"]),
    SandboxCommand::Keep { .. } => By(&["choose-refused", "keep-undone"]),
}

ways! { files, FILES, FilesCommand:
    FilesCommand::Restore { .. } => By(&["restore-files", "restore-chosen", "switch-path"]),
    FilesCommand::RestoreBranch { .. } => By(&["restore-files"]),
    FilesCommand::UndoRestore { .. } => By(&["restore-files", "fix-undo"]),
    FilesCommand::Continue { .. } => By(&["fix-continue"]),
    FilesCommand::Leave { .. } => By(&["fix-leave"]),
    FilesCommand::Seen { .. } => By(&["mark-seen"]),
    FilesCommand::With { .. } => By(&["commit-edit", "keep-files", "switch-path"]),
}

/// The ways to a command, and to each edit in it.
fn ways(command: &Command) -> Vec<Way> {
    match command {
        Command::Run(command) => vec![run(command)],
        Command::Call(command) => vec![call(command)],
        Command::Edit(command) => {
            let mut all = vec![edits(command)];
            if let EditCommand::Commit { edits, .. } = command {
                all.extend(edits.iter().map(edit));
            }
            all
        }
        Command::Escape(command) => vec![escape(command)],
        Command::Resilience(command) => vec![resilience(command)],
        Command::Weight(command) => vec![weight(command)],
        Command::Sandbox(command) => vec![sandbox(command)],
        Command::Files(command) => vec![files(command)],
    }
}

#[test]
fn every_intent_has_a_way_in_the_console() {
    let known: BTreeSet<&str> = verbs().map(|verb| verb.name).collect();
    let mut named = BTreeSet::new();
    for way in [RUN, CALL, EDITS, EDIT, ESCAPE, RESILIENCE, WEIGHT, SANDBOX, FILES].concat() {
        match way {
            By(names) => {
                assert!(!names.is_empty());
                named.extend(names);
            }
            Not(why) => assert!(why.len() > 20, "say why there is none: {why}"),
        }
    }
    let unknown: Vec<&&str> = named.difference(&known).collect();
    assert!(unknown.is_empty(), "no command of the console: {unknown:?}");
    // And the other way round: a verb that decides, edits or drives sends a command, or only shows or
    // stages something.
    let shows = [
        "decide",
        "rules",
        "impact",
        "edit-reason",
        "stage",
        "stage-previewed",
        "staged-edits",
        "staged-open",
        "staged-remove",
        "staged-drop",
        "staged-preview",
        "commit-staged",
        "branches",
        "branch-mark",
        "pane-mark",
        "branch-compare",
        "pane-compare",
        "compare-all",
        "effects-all",
        "quit-wait",
        // Orders about a server, which are no intents of the run.
        "accept-tools",
        "accept-definitions",
        "refuse-tools",
    ];
    // A fix of the page on why the run waits opens one of the others.
    let is_fix = |verb: &Verb| verb.contexts == [Context::On(surfaces::attention::ID)];
    let acts = verbs().filter(|verb| (verb.decides || verb.effect.acts()) && !is_fix(verb));
    let without: Vec<&str> = acts
        .filter(|verb| !shows.contains(&verb.name) && !named.contains(verb.name))
        .map(|verb| verb.name)
        .collect();
    assert!(without.is_empty(), "these lead to no intent: {without:?}");
}

#[test]
fn what_a_command_sends_is_what_it_is_listed_for() {
    for (name, typed) in [
        ("pause", ""),
        ("restrict", ""),
        ("step", ""),
        ("stop-turn", ""),
        ("title", "a name"),
        ("limits", " turns=7"),
        ("guide", "be brief"),
        ("forget-weights", "all"),
        ("forget-weights", "read_file"),
    ] {
        let mut stage = Stage::new(100, 40);
        stage.begin();
        stage.thought("t2", "first this");
        stage.press(":");
        stage.type_text(name);
        stage.press("enter");
        if !typed.is_empty() {
            stage.type_text(typed);
            stage.press(if name == "guide" { "ctrl-s" } else { "enter" });
        }
        let sent = stage.commands();
        let listed = |way: &Way| matches!(way, By(names) if names.contains(&name));
        assert!(
            sent.iter().flat_map(ways).any(|way| listed(&way)),
            "{name} sent {sent:?}"
        );
    }
}
