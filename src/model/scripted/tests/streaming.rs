//! Tests how a script is streamed.
//!
//! Must not know: the engine.

use super::*;

async fn ask(model: &Scripted, messages: Vec<Message>) -> (Vec<Chunk>, Result<(), StreamFault>) {
    let (send, mut receive) = mpsc::channel(4);
    let collect = async {
        let mut chunks = Vec::new();
        while let Some(chunk) = receive.recv().await {
            chunks.push(chunk);
        }
        chunks
    };
    let (result, chunks) = tokio::join!(
        model.ask(request(messages), send, CancellationToken::new()),
        collect
    );
    (chunks, result)
}

fn hello(paced: bool) -> Scripted {
    Scripted::new(builtin::playbook("hello").unwrap().unwrap(), paced)
}

#[tokio::test(start_paused = true)]
async fn parts_are_streamed_in_small_pieces_and_sealed_in_order() {
    let (chunks, result) = ask(&hello(false), vec![user("hello")]).await;
    assert_eq!(result, Ok(()));
    let mut text = String::new();
    let mut args = String::new();
    let mut order = Vec::new();
    for chunk in &chunks {
        match chunk {
            Chunk::Text { part: 0, delta } => {
                assert!(delta.chars().count() <= 6);
                text.push_str(delta);
            }
            Chunk::Call { part: 1, name, .. } => order.push(name.clone()),
            Chunk::Args { part: 1, delta } => args.push_str(delta),
            Chunk::Sealed { part, .. } => order.push(part.to_string()),
            Chunk::Usage(usage) => assert!(usage.input.is_some() && usage.output.is_some()),
            Chunk::Finish(stop) => order.push(stop.label().to_owned()),
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(text, "I will look around before I say hello.");
    assert_eq!(args, r#"{"_as":"listing","path":"."}"#);
    assert_eq!(order, ["0", "list_dir", "1", "calls"]);
    assert_eq!(chunks.last(), Some(&Chunk::Finish(Stop::Calls)));
}

#[tokio::test(start_paused = true)]
async fn pacing_takes_time_only_where_somebody_watches() {
    let begin = tokio::time::Instant::now();
    ask(&hello(false), vec![user("hello")]).await.1.unwrap();
    assert_eq!(begin.elapsed(), Duration::ZERO);
    ask(&hello(true), vec![user("hello")]).await.1.unwrap();
    assert!(
        begin.elapsed() > Duration::from_millis(100),
        "{:?}",
        begin.elapsed()
    );
}

#[tokio::test(start_paused = true)]
async fn what_the_playbook_does_not_foresee_is_a_fault_that_names_the_request() {
    let model = Scripted::new(playbook("[[rule]]\nwhen = { turn = 1 }\nanswer = \"x\""), false);
    let (chunks, result) = ask(&model, vec![user("go \u{1b}[31m")]).await;
    let fault = result.unwrap_err();
    assert_eq!(fault.kind, StreamFaultKind::Script);
    assert!(
        fault.message.contains("`test`") && fault.message.contains("request 3"),
        "{}",
        fault.message
    );
    assert!(!fault.message.contains('\u{1b}'));
    assert_eq!(chunks, []);
    assert_eq!(model.name(), "scripted: test");
}

#[tokio::test(start_paused = true)]
async fn a_rule_can_break_the_stream_or_leave_it_hanging_until_it_is_cancelled() {
    let broken = Scripted::new(
        playbook("[[rule]]\nthink = \"so far\"\nfail = \"rate_limit\""),
        false,
    );
    let (chunks, result) = ask(&broken, vec![user("go")]).await;
    assert_eq!(result.unwrap_err().kind, StreamFaultKind::RateLimit);
    assert!(!chunks.is_empty() && !chunks.iter().any(|chunk| matches!(chunk, Chunk::Finish(_))));

    let hanging = Scripted::new(playbook("[[rule]]\nfail = \"hang\""), false);
    let cancel = CancellationToken::new();
    let (send, _receive) = mpsc::channel(4);
    let ask = hanging.ask(request(vec![user("go")]), send, cancel.clone());
    let stop = async {
        tokio::time::sleep(Duration::from_secs(3600)).await;
        cancel.cancel();
    };
    let (result, ()) = tokio::join!(ask, stop);
    assert!(result.is_err());
}

#[test]
fn every_playbook_that_comes_with_the_program_can_be_read() {
    for name in builtin::names() {
        let text = builtin::text(name).unwrap();
        assert!(builtin::is_text(text));
        // Its parts are checked here, and not at each start.
        let playbook = Playbook::read(name, text, true).unwrap();
        assert_eq!(playbook.name, name);
        assert!(Playbook::meta(name, text).unwrap().prompt.is_some());
    }
    assert!(builtin::playbook("nothing").is_none());
}

proptest::proptest! {
    #![proptest_config(overrule_testing::cases(16))]

    #[test]
    fn no_playbook_panics(text in "[\\[\\]a-z{}|\"'#/ =.\n]{0,80}") {
        let _ = Playbook::parse("p", &text);
        let _ = Playbook::parse("p", &format!("[meta]\nname='x'\n[[rule]]\nanswer='''{text}'''"));
    }
}

#[test]
fn no_context_panics() {
    use proptest::strategy::{Strategy as _, ValueTree as _};
    let playbooks: Vec<Playbook> = builtin::names()
        .map(|name| builtin::playbook(name).unwrap().unwrap())
        .collect();
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    for _ in 0..overrule_testing::times(4) {
        let words = ".{0,60}".new_tree(&mut runner).unwrap().current();
        let reported = vec![
            user(&words),
            assistant(
                &[(&words, true)],
                &[(3, "list_dir", r#"{"_as":"listing"}"#), (4, "search", &words)],
            ),
            result(3, "list_dir", &words, false),
        ];
        for playbook in &playbooks {
            let _ = script(playbook, &Arc::new(View::of(&request(reported.clone()))));
        }
    }
}
