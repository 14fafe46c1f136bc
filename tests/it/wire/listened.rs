//! Tests of the wire log while several requests are open.
//!
//! Must not know: how files are kept.

use std::process::Stdio;

use serde_json::json;

use crate::wire::asking;
use crate::wire::server::{Rest, Server, answer_in_words, calls, end, open, text};
use crate::wire::talking::wire_files;
use crate::wire::world::{World, until, wait};

/// What the program has kept of the one answer with this in it.
fn received(world: &World, words: &str) -> Option<String> {
    wire_files(world)
        .into_iter()
        .filter(|(name, _)| name.strip_suffix(".received").is_some())
        .map(|(_, text)| text)
        .find(|text| text.contains(words))
}

#[test]
fn sub_agents_that_stream_at_one_time_lose_nothing_of_what_is_kept() {
    let world = World::new();
    let (one, of_one) = open(vec![text("one-1 ")]);
    let (other, of_other) = open(vec![text("other-1 ")]);
    let both: [(&str, &Rest); 2] = [("one", &of_one), ("other", &of_other)];
    let delegate = |task: &str| json!({"task": task});
    let server = Server::new(vec![
        calls(
            "I split it.",
            &[("a", "delegate", delegate("a")), ("b", "delegate", delegate("b"))],
        ),
        one,
        other,
        answer_in_words("Done."),
    ]);
    let mut command = asking(&world, &server, &["--policy", "auto", "--keep-wire"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let child = child.unwrap();
    // In turn, each once the piece before it has been written.
    for piece in 1..=4 {
        for (whose, rest) in both {
            let words = format!("{whose}-{piece} ");
            if piece > 1 {
                rest.send(vec![text(&words)]);
            }
            until(&words, || received(&world, &words).is_some());
        }
    }
    for (_, rest) in both {
        rest.send(end("stop"));
    }
    drop((of_one, of_other));
    let output = wait(child).ends(0);
    assert_eq!(output.out, "Done.\n");
    for whose in ["one", "other"] {
        let stored = received(&world, &format!("{whose}-1 ")).unwrap();
        for piece in 1..=4 {
            assert!(
                stored.contains(&format!("{whose}-{piece} ")),
                "{piece} of {whose}:\n{stored}"
            );
        }
        assert!(stored.contains("[DONE]"), "{stored}");
    }
    let files = wire_files(&world);
    assert_eq!(files.len(), 2 * server.seen().len(), "{:?}", files.keys());
}
