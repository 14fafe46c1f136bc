//! A run from prompt to answer.

use super::world::*;
use crate::domain::call::Status;
use crate::domain::state::Mode;

#[test]
fn a_run_from_prompt_to_answer() {
    let mut w = World::new();
    w.stream(think("look"));
    w.stream(call("read", r#"{"_as":"a","n":1}"#));
    assert_eq!(
        w.runs(w.id("a")),
        [r#"{"n":1}"#],
        "it starts while the stream is open"
    );
    w.stream(call("read", r#"{"_as":"b","n":"†call.a.v"}"#));
    w.end(crate::domain::turn::Stop::Calls);
    assert_eq!(w.status(w.id("b")), Status::Blocked);
    w.drain();
    assert_eq!(w.runs(w.id("b")), [r#"{"n":2}"#]);
    w.reply(&[answer("3")]);
    assert!(matches!(w.state.mode, Mode::Finished(_)));
    assert_eq!(w.asked.len(), 2);
}
