//! Tests of the requests after an edit of a finished run.
//!
//! Must not know: how an edit is decided.

use overrule::domain::id::{NodeKind, ThreadId};
use overrule::domain::node::Content;
use overrule::domain::transcript::{Message as Told, build};

use crate::wire::course::{Course, MESSAGES, answer};
use crate::wire::formats::{FORMATS, Message, Part};
use crate::wire::pick::{call, executions};

const NEW_START: &str = r#"{"_as":"start","command":"echo other >> log.txt; echo otherwise"}"#;

/// Fails unless exactly the effects that happened and were not reverted are reported.
#[track_caller]
fn tells_what_happened(console: &str, tools: &str) {
    assert!(
        console.contains(&format!("and not undone: {tools}.")),
        "{console}"
    );
}

#[test]
fn edited_arguments_of_a_finished_call_are_what_ran() {
    for format in FORMATS {
        let phase = Course::new(format);
        let start = phase.call("start").to_string();
        let replies = vec![answer(format, "As edited.")];
        let after = phase.after(&["edit", &start, "--args", NEW_START], replies);
        assert_eq!(after.said.out, "As edited.\n");
        assert_eq!(phase.world.read("log.txt"), "start\nfinish\nother\n");
        let asked = after.one();
        // System, task: the message that made the call differs in its arguments.
        phase.repeats(asked, 2);
        assert_eq!(asked.call("echo other").args, NEW_START);
        assert!(asked.find("echo start >>").is_none(), "{asked}");
        let result = asked.result("echo other");
        assert!(result.contains("[operator changed arguments: "), "{result}");
        assert!(
            result.contains("echo start >>"),
            "what it was is told openly: {result}"
        );
        assert!(result.ends_with("]\notherwise\n"), "{result}");
        // Its siblings are what they were, and were not run again.
        for label in ["notes", "copy"] {
            let id = format!("\"{label}\"");
            assert_eq!(asked.result(&id), phase.asked[2].result(&id));
            assert_eq!(executions(&phase.state(), phase.call(label)), 1);
        }
        assert!(asked.find("echo finish").is_none(), "what followed is history");
        let (start, finish) = (phase.call("start"), phase.call("finish"));
        tells_what_happened(&asked.console(), &format!("shell ({start}), shell ({finish})"));
    }
}

#[test]
fn edited_arguments_that_another_call_reads_run_both() {
    for format in FORMATS {
        let phase = Course::new(format);
        phase.world.file("other.txt", "gamma\n");
        let notes = phase.call("notes").to_string();
        let args = r#"{"_as":"notes","path":"other.txt"}"#;
        let replies = vec![answer(format, "Both.")];
        let after = phase.after(&["edit", &notes, "--args", args], replies);
        let asked = after.one();
        assert!(asked.result("other.txt").contains("gamma"));
        assert_eq!(phase.world.read("copy.txt"), "gamma\n");
        // The reader is sent with its reference. Its result shows that it ran again.
        assert!(asked.call("\"copy\"").args.contains("†call.notes"));
        assert!(!asked.result("\"copy\"").contains("operator"), "{asked}");
        assert_eq!(executions(&phase.state(), phase.call("copy")), 2);
        assert_eq!(executions(&phase.state(), phase.call("start")), 1);
    }
}

#[test]
fn a_replaced_tool_is_what_the_model_called() {
    for format in FORMATS {
        let phase = Course::new(format);
        let start = phase.call("start").to_string();
        let args = r#"{"_as":"start","path":"."}"#;
        let verb = ["replace", &start, "list_dir", "--args", args];
        let after = phase.after(&verb, vec![answer(format, "Replaced.")]);
        let asked = after.one();
        phase.repeats(asked, 2);
        let made = asked.call(args);
        assert_eq!(made.tool, "list_dir");
        assert!(asked.find("echo start").is_none(), "{asked}");
        let result = asked.result(args);
        assert!(
            result.contains("[operator replaced shell by list_dir]"),
            "{result}"
        );
        assert!(result.contains("notes.txt"), "{result}");
        assert_eq!(phase.world.read("log.txt"), "start\nfinish\n");
    }
}

#[test]
fn a_corrected_observation_is_told_as_the_operators() {
    for format in FORMATS {
        let phase = Course::new(format);
        let start = phase.call("start");
        let observation = start.observation().to_string();
        let verb = ["edit", &observation, "--value", "\"corrected by hand\""];
        let after = phase.after(&verb, vec![answer(format, "Corrected.")]);
        let asked = after.one();
        // The calls are sent as they were made, and so is the result before it.
        phase.repeats(asked, 4);
        let result = asked.result("echo start");
        assert!(result.contains("[operator wrote this result]"), "{result}");
        assert!(
            result.contains("corrected by hand") && !result.contains("started"),
            "{result}"
        );
        assert_eq!(executions(&phase.state(), start), 1, "it was not run again");
        assert!(phase.state().nodes[&start.observation()].pinned);
        assert_eq!(phase.world.read("log.txt"), "start\nfinish\n");
    }
}

#[test]
fn a_thought_rewritten_between_calls_splits_the_message() {
    for format in FORMATS {
        let phase = Course::new(format);
        let before = phase.state();
        let thought = phase.node(NodeKind::Thought, "And I copy");
        let replies = vec![
            format.message(&[
                Part::Text("Then I only look."),
                Part::Call(
                    "e",
                    "read_file",
                    serde_json::json!({"_as": "again", "path": "log.txt"}),
                ),
            ]),
            answer(format, "Looked."),
        ];
        let verb = ["edit", &thought, "--text", "I copy nothing."];
        let after = phase.after(&verb, replies);
        assert_eq!(after.asked.len(), 2);
        let asked = &after.asked[0];
        phase.repeats(asked, 2);
        // First the earlier text of the model with its calls and results, then the rewritten
        // thought as plain text, and the note.
        let Message::Assistant { text, calls, .. } = &asked.messages[2] else {
            panic!("{asked}")
        };
        assert_eq!(text, "I look around.");
        assert_eq!(calls.len(), 2, "{asked}");
        for words in ["\"notes\"", "echo start"] {
            assert_eq!(asked.result(words), phase.asked[2].result(words));
        }
        assert_eq!(
            asked.messages[5],
            Message::Assistant {
                text: "I copy nothing.".into(),
                signed: Vec::new(),
                calls: Vec::new()
            }
        );
        assert!(
            matches!(&asked.messages[6], Message::Console(text) if text.contains("The operator rewrote your last thought")),
            "{asked}"
        );
        let (copy, finish) = (call(&before, "copy"), call(&before, "finish"));
        tells_what_happened(
            &asked.console(),
            &format!("write_file ({copy}), shell ({finish})"),
        );
        for gone in ["And I copy the notes", "copy.txt", "I log the end", "echo finish"] {
            assert!(!asked.has(gone), "{gone} in\n{asked}");
        }
        // The next request repeats it all and continues.
        assert!(after.asked[1].has("Then I only look."));
        assert_eq!(executions(&phase.state(), phase.call("start")), 1);
        assert_eq!(phase.world.read("log.txt"), "start\nfinish\n");
    }
}

#[test]
fn a_thought_that_began_a_message_leaves_nothing_of_it_but_itself() {
    for format in FORMATS {
        let phase = Course::new(format);
        let thought = phase.node(NodeKind::Thought, "I log the end.");
        let verb = ["edit", &thought, "--text", "I log nothing."];
        let after = phase.after(&verb, vec![answer(format, "Nothing.")]);
        let asked = after.one();
        phase.repeats(asked, 6);
        assert_eq!(asked.told().last(), Some(&"I log nothing."));
        assert!(asked.console().contains("rewrote your last thought"));
        assert!(
            !asked.has("echo finish") && !asked.has("I log the end."),
            "{asked}"
        );
    }
}

/// Signatures in the transcript that every format is written from, by turn.
fn transcript_signatures(phase: &Course) -> Vec<String> {
    let messages = build::messages(&phase.state(), ThreadId(0), None);
    let output = messages.iter().filter_map(|message| match message {
        Told::Assistant { texts: output, .. } => Some(output),
        _ => None,
    });
    let opaque = output.flatten().filter_map(|one| one.opaque.as_deref());
    let names = opaque.map(|text| {
        let known = ["signature-one", "signature-two"];
        known
            .into_iter()
            .find(|name| text.contains(name))
            .unwrap()
            .to_owned()
    });
    names.collect()
}

#[test]
fn signed_reasoning_goes_with_what_an_edit_replaced_and_stays_before_it() {
    for format in FORMATS {
        // Reasoning before the rewritten thought was not touched.
        let phase = Course::new(format);
        let known = |names: &[&'static str]| {
            if format.has_signatures {
                names.to_vec()
            } else {
                Vec::new()
            }
        };
        assert_eq!(
            transcript_signatures(&phase),
            known(&["signature-one", "signature-two"])
        );
        let thought = phase.node(NodeKind::Thought, "And I copy");
        let verb = ["edit", &thought, "--text", "I copy nothing."];
        let after = phase.after(&verb, vec![answer(format, "So.")]);
        assert_eq!(transcript_signatures(&phase), known(&["signature-one"]));
        let stored: &[&str] = if format.signs { &["signature-one"] } else { &[] };
        assert_eq!(after.one().signatures(), stored);
        assert!(!after.one().has("signature-two"));
        // The rewritten reasoning itself is the operator's plain text, without a signature.
        let phase = Course::new(format);
        let reasoning = phase.node(NodeKind::Thought, "Now the end");
        let verb = ["edit", &reasoning, "--text", "No end yet."];
        let after = phase.after(&verb, vec![answer(format, "Not yet.")]);
        let asked = after.one();
        assert_eq!(transcript_signatures(&phase), known(&["signature-one"]));
        assert!(!asked.has("signature-two"), "{asked}");
        assert_eq!(asked.signatures(), stored);
        assert_eq!(asked.told().last(), Some(&"No end yet."), "in plain words");
        assert!(
            !asked.has("Now the end"),
            "what it was is not told as if it still held"
        );
        assert!(asked.console().contains("rewrote your last thought"));
        phase.repeats(asked, 6);
        // History keeps both.
        let id: overrule::domain::id::NodeId = reasoning.parse().unwrap();
        let state = phase.state();
        let first = &state.nodes[&id].revisions[0];
        assert!(
            matches!(&first.content, Content::Text { opaque: Some(opaque), .. } if opaque.contains("signature-two"))
                || !format.has_signatures
        );
    }
}

#[test]
fn an_edited_prompt_is_asked_in_its_new_words() {
    for format in FORMATS {
        let phase = Course::new(format);
        let prompt = phase.node(NodeKind::Prompt, "the task");
        let verb = ["edit", &prompt, "--text", "another task"];
        let after = phase.after(&verb, vec![answer(format, "Another.")]);
        let asked = after.one();
        phase.repeats(asked, 1);
        assert_eq!(asked.user(), "another task");
        assert!(!asked.has("the task\""), "{asked}");
        assert!(asked.told().is_empty(), "{asked}");
        let console = asked.console();
        for label in ["start", "copy", "finish"] {
            let id = phase.call(label);
            assert!(console.contains(&format!("({id})")), "{console}");
        }
        assert!(
            !console.contains("read_file"),
            "a read leaves nothing behind: {console}"
        );
    }
}

#[test]
fn an_edited_answer_is_what_the_model_said_when_it_is_asked_on() {
    for format in FORMATS {
        let phase = Course::new(format);
        let words = phase.node(NodeKind::Answer, "All is done");
        phase.verb(&["edit", &words, "--text", "Half is done."]);
        let after = phase.after(&["guide", "And the rest?"], vec![answer(format, "Now all is.")]);
        assert_eq!(after.said.out, "Now all is.\n");
        let asked = after.one();
        phase.repeats(asked, MESSAGES);
        assert_eq!(asked.told().last(), Some(&"Half is done."));
        assert_eq!(asked.user(), "And the rest?");
        assert!(!asked.has("All is done."), "{asked}");
    }
}

#[test]
fn a_rejected_answer_stays_before_its_reason() {
    for format in FORMATS {
        let phase = Course::new(format);
        let words = phase.node(NodeKind::Answer, "All is done");
        let verb = ["reject-answer", &words, "--reason", "nothing is proven"];
        let after = phase.after(&verb, vec![answer(format, "Proven.")]);
        let asked = after.one();
        phase.repeats(asked, MESSAGES);
        assert_eq!(asked.told().last(), Some(&"All is done."), "{asked}");
        let reason = asked.messages.get(MESSAGES + 1);
        let is_reason =
            |message: &Message| matches!(message, Message::User(text) if text.contains("nothing is proven"));
        assert!(reason.is_some_and(is_reason), "{asked}");
        assert!(!asked.console().contains("Already happened"), "nothing was lost");
    }
}

#[test]
fn a_prompt_put_in_stands_where_it_was_put() {
    for format in FORMATS {
        // In the middle: later turns are superseded.
        let phase = Course::new(format);
        let turn = phase.turn("notes");
        let verb = ["guide", "Leave the log alone.", "--after", &turn];
        let after = phase.after(&verb, vec![answer(format, "Left.")]);
        let asked = after.one();
        phase.repeats(asked, 6);
        assert_eq!(asked.messages[6], Message::User("Leave the log alone.".into()));
        assert!(!asked.has("echo finish"), "{asked}");
        // At the tip: after the answer.
        let phase = Course::new(format);
        let after = phase.after(&["guide", "And now?"], vec![answer(format, "Now.")]);
        let asked = after.one();
        phase.repeats(asked, MESSAGES);
        assert_eq!(asked.told().last(), Some(&"All is done."));
        assert_eq!(asked.messages[MESSAGES + 1], Message::User("And now?".into()));
    }
}

#[test]
fn a_thought_put_in_is_the_models_own_plain_text_with_the_note() {
    for format in FORMATS {
        for middle in [true, false] {
            let phase = Course::new(format);
            let turn = phase.turn("notes");
            let mut verb = vec!["insert-thought", "I stop here."];
            if middle {
                verb.extend(["--after", &turn]);
            }
            let after = phase.after(&verb, vec![answer(format, "Stopped.")]);
            let asked = after.one();
            let joined = format.joins && !middle;
            let place = if middle {
                6
            } else {
                MESSAGES + usize::from(!joined)
            };
            phase.repeats(asked, if middle { 6 } else { MESSAGES });
            assert!(
                matches!(&asked.messages[place], Message::Assistant { text, signed, calls }
                    if (text == "I stop here." || joined && text.ends_with("\n\nI stop here."))
                        && signed.is_empty() && calls.is_empty()),
                "{asked}"
            );
            assert!(
                matches!(&asked.messages[place + 1], Message::Console(text) if text.contains("Continue from it")),
                "{asked}"
            );
            assert_eq!(asked.has("echo finish"), !middle, "{asked}");
        }
    }
}

#[test]
fn a_call_put_in_runs_and_is_told_with_its_result() {
    for format in FORMATS {
        for middle in [true, false] {
            let phase = Course::new(format);
            let turn = phase.turn("notes");
            let args = r#"{"_as":"extra","path":"copy.txt"}"#;
            let mut verb = vec!["insert-call", "read_file", "--args", args];
            if middle {
                verb.extend(["--after", &turn]);
            }
            let after = phase.after(&verb, vec![answer(format, "Seen.")]);
            let asked = after.one();
            phase.repeats(asked, if middle { 6 } else { MESSAGES });
            assert_eq!(asked.call("extra").args, args);
            assert!(asked.result("extra").contains("alpha"), "{asked}");
            assert!(asked.console().contains("operator made the last call"));
            assert_eq!(asked.has("echo finish"), !middle, "{asked}");
            assert_eq!(executions(&phase.state(), phase.call("extra")), 1);
            assert_eq!(executions(&phase.state(), phase.call("notes")), 1);
        }
    }
}

#[test]
fn a_deleted_call_is_in_no_message_and_its_effect_is_told() {
    for format in FORMATS {
        let phase = Course::new(format);
        let (start, finish) = (phase.call("start"), phase.call("finish"));
        let after = phase.after(&["delete", &start.to_string()], vec![answer(format, "Gone.")]);
        let asked = after.one();
        phase.repeats(asked, 2);
        assert!(asked.find("echo start").is_none(), "{asked}");
        assert!(!asked.has("started"), "{asked}");
        tells_what_happened(&asked.console(), &format!("shell ({start}), shell ({finish})"));
        assert_eq!(asked.result("\"notes\""), phase.asked[2].result("\"notes\""));
        assert_eq!(phase.world.read("log.txt"), "start\nfinish\n");
    }
}

#[test]
fn a_deleted_thought_takes_what_followed_it_along() {
    for format in FORMATS {
        let phase = Course::new(format);
        let thought = phase.node(NodeKind::Thought, "And I copy");
        let after = phase.after(&["delete", &thought], vec![answer(format, "Without.")]);
        let asked = after.one();
        phase.repeats(asked, 2);
        assert_eq!(asked.told(), ["I look around."]);
        assert!(
            asked
                .console()
                .contains("The operator took away what you thought next")
        );
        for gone in ["And I copy", "copy.txt", "echo finish"] {
            assert!(!asked.has(gone), "{gone} in\n{asked}");
        }
    }
}

#[test]
fn a_deleted_prompt_was_never_said() {
    for format in FORMATS {
        let phase = Course::new(format);
        phase.after(&["guide", "And now?"], vec![answer(format, "Now.")]);
        let prompt = phase.node(NodeKind::Prompt, "And now?");
        let after = phase.after(&["delete", &prompt], vec![answer(format, "As before.")]);
        // The earlier answer is active again, and the model is not asked.
        assert_eq!(after.said.out, "All is done.\n");
        assert!(after.asked.is_empty());
        let messages = build::messages(&phase.state(), ThreadId(0), None);
        assert!(
            !messages
                .iter()
                .any(|one| matches!(one, Told::User { text, .. } if text.contains("And now?")))
        );
    }
}
