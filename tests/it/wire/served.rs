//! Tests a run over each format against a server that writes its replies with the program's own encoder.
//!
//! Must not know: the frames of a format.

use overrule::domain::turn::{Stop, Usage};
use overrule::model::Chunk;
use overrule::model::wire::Wire;
use overrule::model::wire::agent::{
    AgentRequest, PartKind, ReplyHead, decode_request, encode_stream, encode_whole,
};

use crate::wire::asking;
use crate::wire::formats::formats;
use crate::wire::server::{Reply, Seen, Server};
use crate::wire::world::{World, finish};

/// A model that serves these replies, streamed or each as one JSON text, split into pieces of a size.
fn serving(wire: Wire, replies: &[Vec<Chunk>], is_streamed: bool, size: usize) -> Server {
    let replies = replies.iter().enumerate().map(|(number, chunks)| {
        let head = ReplyHead {
            id: format!("reply_{number}"),
            model: "test".into(),
            created: 1_700_000_000,
        };
        let body = if is_streamed {
            encode_stream(wire, head, chunks)
        } else {
            encode_whole(wire, &head, chunks)
        };
        let chars: Vec<char> = body.chars().collect();
        let pieces = chars.chunks(size).map(|piece| piece.iter().collect());
        Reply::Stream(pieces.collect())
    });
    Server::new(replies.collect())
}

fn text(part: u32, words: &str) -> [Chunk; 2] {
    let delta = words.to_owned();
    [Chunk::Text { part, delta }, Chunk::Sealed { part, opaque: None }]
}

fn call(part: u32, id: Option<&str>, name: &str, args: &str) -> [Chunk; 3] {
    [
        Chunk::Call {
            part,
            id: id.map(str::to_owned),
            name: name.to_owned(),
        },
        Chunk::Args {
            part,
            delta: args.to_owned(),
        },
        Chunk::Sealed { part, opaque: None },
    ]
}

fn end(stop: Stop) -> [Chunk; 2] {
    let usage = Usage {
        input: Some(100),
        output: Some(10),
        ..Usage::default()
    };
    [Chunk::Usage(usage), Chunk::Finish(stop)]
}

fn said(wire: Wire, seen: &Seen) -> AgentRequest {
    decode_request(wire, seen.body.as_bytes()).unwrap()
}

#[test]
fn a_run_over_each_format_reads_its_own_requests_and_replies() {
    for format in formats() {
        for (is_streamed, size) in [(true, 7), (true, 100_000), (false, 64)] {
            let wire = Wire::named(format.name).unwrap();
            let turns = [
                [
                    text(0, "I look at both.").to_vec(),
                    call(1, Some("a"), "read_file", r#"{"path":  "notes.txt"}"#).to_vec(),
                    call(2, None, "list_dir", r#"{"path":"."}"#).to_vec(),
                    end(Stop::Calls).to_vec(),
                ]
                .concat(),
                [text(0, "Two lines — żółć 🦀.").to_vec(), end(Stop::End).to_vec()].concat(),
            ];
            let (world, server) = (World::new(), serving(wire, &turns, is_streamed, size));
            let flags = [format.flags, &["--policy", "auto"]].concat();
            let output = finish(asking(&world, &server, &flags)).ends(0);
            assert_eq!(output.out, "Two lines — żółć 🦀.\n", "{wire}");
            let seen = server.seen();
            assert_eq!(seen.len(), 2, "{wire}");
            let request = said(wire, &seen[1]);
            let parts = request.messages.iter().flat_map(|message| &message.parts);
            let kinds: Vec<&PartKind> = parts.map(|part| &part.kind).collect();
            let calls: Vec<(&str, String)> = kinds
                .iter()
                .filter_map(|kind| match kind {
                    PartKind::Call { name, args, .. } => Some((name.as_str(), args.replace(' ', ""))),
                    _ => None,
                })
                .collect();
            let want = [
                ("read_file", r#"{"path":"notes.txt"}"#.to_owned()),
                ("list_dir", r#"{"path":"."}"#.to_owned()),
            ];
            assert_eq!(calls, want, "{wire}");
            let results: Vec<&str> = kinds
                .iter()
                .filter_map(|kind| match kind {
                    PartKind::Result { text, .. } => Some(text.as_str()),
                    _ => None,
                })
                .collect();
            assert_eq!(results.len(), 2, "{wire}");
            assert!(
                results[0].contains("alpha") && results[1].contains("notes.txt"),
                "{results:?}"
            );
            assert!(
                said(wire, &seen[0])
                    .tools
                    .iter()
                    .any(|tool| tool.name == "read_file")
            );
        }
    }
}

#[test]
fn a_denied_and_a_skipped_call_go_back_with_their_reasons_in_each_format() {
    for format in formats() {
        let wire = Wire::named(format.name).unwrap();
        let turns = [
            [
                call(
                    0,
                    Some("a"),
                    "write_file",
                    r#"{"_as":"made","path":"x.txt","content":"y"}"#,
                )
                .to_vec(),
                call(1, Some("b"), "read_file", r#"{"path":"†call.made"}"#).to_vec(),
                end(Stop::Calls).to_vec(),
            ]
            .concat(),
            [text(0, "So be it.").to_vec(), end(Stop::End).to_vec()].concat(),
        ];
        let (world, server) = (World::new(), serving(wire, &turns, true, 50));
        let flags = [format.flags, &["--policy", "read-only"]].concat();
        let output = finish(asking(&world, &server, &flags)).ends(0);
        assert_eq!(output.out, "So be it.\n", "{wire}");
        assert!(!world.ws().join("x.txt").exists(), "{wire}");
        let request = said(wire, &server.seen()[1]);
        let parts = request.messages.iter().flat_map(|message| &message.parts);
        let results: Vec<&str> = parts
            .filter_map(|part| match &part.kind {
                PartKind::Result { text, .. } => Some(text.as_str()),
                _ => None,
            })
            .collect();
        assert_eq!(results.len(), 2, "{wire}");
        assert!(
            results[0].contains("not allowed by the policy"),
            "{wire}: {results:?}"
        );
        assert!(results[1].contains("skipped: "), "{wire}: {results:?}");
    }
}
