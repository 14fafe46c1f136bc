//! Runs of many kinds, to be cut after their records: their models and their operators.
//!
//! Must not know: how they are cut.

use std::sync::Arc;

use overrule::domain::command::{CallCommand, Command, Edit, EditCommand, InsertAfter};
use overrule::domain::id::{Epoch, NodeKind};
use overrule::domain::state::State;
use overrule::policy::Preset;
use serde_json::json;

use crate::crash::pick::{self, call, node, turn};
use crate::crash::playbooks::{BREAKS, FAILING, HANDED, ROUND, STEPS, WAITING};
use crate::crash::prefixes::{Run, Step, commit, finished, from_every_prefix, waits};

fn at_the_end(command: fn(&State) -> Command) -> Step {
    Step {
        at: finished,
        file: None,
        command,
    }
}

fn shell(label: &str, word: &str) -> serde_json::Value {
    json!({"_as": label, "command": format!("echo {word} >> log.txt; echo did {word}")})
}

#[tokio::test]
async fn a_run_that_nobody_disturbs() {
    from_every_prefix(Run {
        playbook: STEPS,
        ..Run::default()
    })
    .await;
}

#[tokio::test]
async fn a_run_that_goes_round_and_is_led_back() {
    from_every_prefix(Run {
        playbook: ROUND,
        ..Run::default()
    })
    .await;
}

#[tokio::test]
async fn approvals_a_rejection_and_an_answer_by_hand() {
    from_every_prefix(Run {
        playbook: STEPS,
        preset: Preset::Supervised,
        decides: |state, call| {
            let (id, rev) = (call.id, state.nodes[&call.id].rev());
            match &*call.label {
                "made" => Some(CallCommand::Reject {
                    call: id,
                    rev,
                    reason: "not that".into(),
                }),
                "s1" => Some(CallCommand::Answer {
                    call: id,
                    rev,
                    value: Arc::from("\"by hand\""),
                }),
                _ => None,
            }
        },
        ..Run::default()
    })
    .await;
}

#[tokio::test]
async fn arguments_edited_after_they_ran_and_a_tool_replaced() {
    from_every_prefix(Run {
        playbook: STEPS,
        steps: vec![
            at_the_end(|state| {
                commit(vec![pick::edited(
                    state,
                    call(state, "s1"),
                    &shell("s1", "other"),
                )])
            }),
            at_the_end(|state| {
                let args = json!({"_as": "notes", "path": "."});
                commit(vec![pick::replaced(
                    state,
                    call(state, "notes"),
                    "list_dir",
                    &args,
                )])
            }),
        ],
        ..Run::default()
    })
    .await;
}

#[tokio::test]
async fn a_thought_rewritten_in_the_middle_of_a_message() {
    from_every_prefix(Run {
        playbook: STEPS,
        steps: vec![
            at_the_end(|state| {
                let thought = node(state, NodeKind::Thought, "And log the end");
                commit(vec![pick::rewritten(
                    state,
                    thought,
                    "I take the last line instead.",
                )])
            }),
            at_the_end(|state| {
                let thought = node(state, NodeKind::Thought, "of the first line");
                commit(vec![pick::deleted(state, thought)])
            }),
        ],
        ..Run::default()
    })
    .await;
}

#[tokio::test]
async fn a_corrected_result_and_an_edited_prompt() {
    from_every_prefix(Run {
        playbook: STEPS,
        steps: vec![
            at_the_end(|state| {
                let notes = call(state, "notes");
                commit(vec![pick::corrected(state, notes, &json!("gamma\ndelta\n"))])
            }),
            at_the_end(|state| {
                let prompt = node(state, NodeKind::Prompt, "go");
                commit(vec![pick::rewritten(state, prompt, "go once more")])
            }),
        ],
        ..Run::default()
    })
    .await;
}

#[tokio::test]
async fn edits_of_calls_that_wait_and_of_calls_that_wait_for_those() {
    from_every_prefix(Run {
        playbook: WAITING,
        preset: Preset::Guarded,
        steps: vec![
            Step {
                at: |state| waits(state, "s1"),
                file: None,
                command: |state| {
                    let args = json!({"_as": "copy", "path": "second.txt", "content": "†call.s1"});
                    commit(vec![pick::edited(state, call(state, "copy"), &args)])
                },
            },
            Step {
                at: |state| waits(state, "s2"),
                file: None,
                command: |state| {
                    let args = json!({"_as": "s2", "path": "notes.txt"});
                    commit(vec![pick::replaced(state, call(state, "s2"), "read_file", &args)])
                },
            },
            Step {
                at: |state| waits(state, "s3"),
                file: None,
                command: |state| commit(vec![pick::deleted(state, call(state, "s3"))]),
            },
            Step {
                at: |state| waits(state, "s1"),
                file: None,
                command: |state| {
                    commit(vec![pick::edited(
                        state,
                        call(state, "s1"),
                        &shell("s1", "better"),
                    )])
                },
            },
        ],
        ..Run::default()
    })
    .await;
}

#[tokio::test]
async fn calls_that_fail_and_what_reads_them() {
    from_every_prefix(Run {
        playbook: FAILING,
        preset: Preset::Guarded,
        decides: |state, call| {
            (&*call.label == "exits").then(|| CallCommand::Reject {
                call: call.id,
                rev: state.nodes[&call.id].rev(),
                reason: "no use".into(),
            })
        },
        ..Run::default()
    })
    .await;
}

#[tokio::test]
async fn a_read_that_runs_again_and_gives_the_same_and_then_something_else() {
    let again = |state: &State| {
        let call = call(state, "notes");
        let rev = state.nodes[&call].rev();
        Command::Call(CallCommand::Retry { call, rev })
    };
    from_every_prefix(Run {
        playbook: STEPS,
        steps: vec![
            at_the_end(again),
            Step {
                at: finished,
                file: Some(("notes.txt", "gamma\ndelta\n")),
                command: again,
            },
        ],
        ..Run::default()
    })
    .await;
}

#[tokio::test]
async fn an_effect_that_runs_again_with_consent_and_one_that_is_taken_from_the_record() {
    let again = |state: &State| {
        let call = call(state, "last");
        let rev = state.nodes[&call].rev();
        Command::Call(CallCommand::Retry { call, rev })
    };
    from_every_prefix(Run {
        playbook: STEPS,
        steps: vec![at_the_end(again), at_the_end(again)],
        decides: |state, call| {
            // The first time it runs, the second time its result is taken.
            let (id, rev) = (call.id, state.nodes[&call.id].rev());
            (state.epoch == Epoch(1)).then(|| CallCommand::Consent {
                call: id,
                rev,
                digest: call.digest.clone().unwrap(),
                choice: overrule::domain::command::ConsentChoice::RunAgain,
                shown: None,
                word: None,
            })
        },
        ..Run::default()
    })
    .await;
}

#[tokio::test]
async fn things_put_in_and_taken_away() {
    from_every_prefix(Run {
        playbook: STEPS,
        steps: vec![
            at_the_end(|state| {
                let (after, text) = (
                    Some(InsertAfter::Turn(turn(state, "notes"))),
                    Arc::from("I take the last line."),
                );
                commit(vec![Edit::InsertThought { after, text }])
            }),
            at_the_end(|state| {
                commit(vec![Edit::InsertCall {
                    after: Some(turn(state, "last")),
                    tool: Arc::from("read_file"),
                    args: Arc::from(r#"{"_as":"extra","path":"made.txt"}"#),
                }])
            }),
            at_the_end(|_| {
                let (after, text) = (None, Arc::from("And now?"));
                commit(vec![Edit::InsertPrompt { after, text }])
            }),
            at_the_end(|state| {
                let prompt = node(state, NodeKind::Prompt, "And now?");
                commit(vec![pick::deleted(state, prompt)])
            }),
            at_the_end(|state| {
                let extra = call(state, "extra");
                commit(vec![pick::deleted(state, extra)])
            }),
        ],
        ..Run::default()
    })
    .await;
}

#[tokio::test]
async fn answers_edited_and_refused_and_a_stream_that_broke() {
    from_every_prefix(Run {
        playbook: BREAKS,
        steps: vec![
            at_the_end(|state| {
                let (node, reason) = (node(state, NodeKind::Answer, "So far"), Arc::from("too short"));
                commit(vec![Edit::RejectAnswer {
                    base: None,
                    node,
                    reason,
                }])
            }),
            at_the_end(|state| {
                let answer = node(state, NodeKind::Answer, "Better");
                commit(vec![pick::rewritten(state, answer, "Best.")])
            }),
        ],
        ..Run::default()
    })
    .await;
}

#[tokio::test]
async fn several_edits_as_one() {
    from_every_prefix(Run {
        playbook: STEPS,
        steps: vec![at_the_end(|state| {
            let (notes, s1) = (call(state, "notes"), call(state, "s1"));
            commit(vec![
                pick::edited(state, s1, &shell("s1", "other")),
                pick::corrected(state, notes, &json!("one\ntwo\n")),
                Edit::InsertPrompt {
                    after: Some(turn(state, "notes")),
                    text: Arc::from("Mind both."),
                },
            ])
        })],
        ..Run::default()
    })
    .await;
}

#[tokio::test]
async fn an_edit_undone_redone_and_undone_in_part() {
    from_every_prefix(Run {
        playbook: STEPS,
        steps: vec![
            at_the_end(|state| {
                commit(vec![pick::edited(
                    state,
                    call(state, "s1"),
                    &shell("s1", "other"),
                )])
            }),
            at_the_end(|_| {
                Command::Edit(EditCommand::Undo {
                    epoch: None,
                    effects_seen: None,
                })
            }),
            at_the_end(|_| {
                Command::Edit(EditCommand::Redo {
                    epoch: None,
                    effects_seen: None,
                })
            }),
            at_the_end(|state| {
                let node = call(state, "s1");
                commit(vec![Edit::Copy {
                    node,
                    base: None,
                    from: Epoch(0),
                }])
            }),
            at_the_end(|_| {
                Command::Edit(EditCommand::Switch {
                    to: Epoch(1),
                    epoch: None,
                    effects_seen: None,
                })
            }),
        ],
        ..Run::default()
    })
    .await;
}

#[tokio::test]
async fn later_turns_kept_although_their_context_changed() {
    from_every_prefix(Run {
        playbook: STEPS,
        steps: vec![at_the_end(|state| {
            let notes = call(state, "notes");
            Command::Edit(EditCommand::Commit {
                edits: vec![pick::corrected(state, notes, &json!("kept\n"))],
                effects_seen: None,
                keep_later: true,
                reason: None,
            })
        })],
        ..Run::default()
    })
    .await;
}

#[tokio::test]
async fn a_run_that_was_cut_off_before() {
    from_every_prefix(Run {
        playbook: STEPS,
        crashes: true,
        ..Run::default()
    })
    .await;
}

#[tokio::test]
async fn work_that_was_handed_to_a_sub_agent() {
    from_every_prefix(Run {
        playbook: HANDED,
        ..Run::default()
    })
    .await;
}

#[tokio::test]
async fn edits_inside_a_sub_agent_that_is_still_at_work_and_that_has_answered() {
    from_every_prefix(Run {
        playbook: HANDED,
        preset: Preset::Guarded,
        steps: vec![
            Step {
                // Its own command waits: it has not answered.
                at: |state| waits(state, "i1"),
                file: None,
                command: |state| {
                    let inner = call(state, "inner");
                    commit(vec![pick::corrected(state, inner, &json!("gamma\n"))])
                },
            },
            at_the_end(|state| {
                let args = shell("i1", "other");
                commit(vec![pick::edited(state, call(state, "i1"), &args)])
            }),
            at_the_end(|_| {
                Command::Edit(EditCommand::Undo {
                    epoch: None,
                    effects_seen: None,
                })
            }),
        ],
        ..Run::default()
    })
    .await;
}
