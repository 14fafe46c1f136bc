//! Tests of loops and of similar runs without one, against a server that repeats or varies its calls.
//!
//! Must not know: how a loop is detected.

use serde_json::{Value, json};

use crate::cli::server::{Reply, Server, answer_in_words, calls};
use crate::cli::world::World;

/// The calls of one turn: tool and arguments.
type Turn = Vec<(&'static str, Value)>;

/// A run that has ended.
struct Ran {
    code: i32,
    /// What it said on standard error.
    err: String,
    /// The journal.
    journal: String,
    /// Bodies of the requests.
    asked: Vec<String>,
}

impl Ran {
    /// How many records of a type there are.
    fn count(&self, kind: &str) -> usize {
        self.journal.matches(&format!("\"type\":\"{kind}\"")).count()
    }
}

/// Files for all runs: scripts whose output changes with each execution, by a counter of their own.
const FILES: [(&str, &str); 9] = [
    ("a.py", "x=0\n"),
    ("b.txt", "beta\n"),
    (
        "fewer.sh",
        "x=$(sed -n s/x=//p a.py)\necho \"$((5-x)) failed, $x passed\"\ntest $x = 5\n",
    ),
    (
        "other.sh",
        "x=$(sed -n s/x=//p a.py)\nset -- parse render login logout search\neval \"n=\\${$x}\"\necho \"FAILED test_$n\"\nexit 1\n",
    ),
    ("same.sh", "echo 'FAILED test_parse'\nexit 1\n"),
    (
        "line.sh",
        "n=$(cat .n 2>/dev/null || echo 10)\necho $((n+3)) > .n\necho \"src/a.c:$n:5: error: expected ;\"\nexit 1\n",
    ),
    (
        "poll.sh",
        "n=$(cat .p 2>/dev/null || echo 0)\necho $((n+1)) > .p\necho \"$((n*10)) % done\"\n",
    ),
    (
        "id.sh",
        "i=$(cat .i 2>/dev/null || echo 0)\necho $((i+1)) > .i\nset -- 45bc42 cbf95b 262b3d 17c25b 937ee4 81319b\nshift $((i % 6))\necho \"Chunk ID: $1\"\necho 'no such target: release' >&2\nexit 2\n",
    ),
    (
        "took.sh",
        "i=$(cat .t 2>/dev/null || echo 1)\necho $((i+1)) > .t\necho \"[2026-11-26 10:0$i:07] pid 47$i\"\necho \"test result: FAILED; finished in 0.${i}3s\"\nexit 101\n",
    ),
];

fn run(turns: &[Turn]) -> Ran {
    run_with(turns, "").0
}

/// A run with settings of its own, and the world that it leaves.
fn run_with(turns: &[Turn], settings: &str) -> (Ran, World) {
    let world = World::new();
    let settings = world.aside("loops.toml", settings);
    for (name, text) in FILES {
        world.file(name, text);
    }
    let reply = |(no, turn): (usize, &Turn)| -> Reply {
        let ids: Vec<String> = (0..turn.len()).map(|at| format!("c{no}_{at}")).collect();
        let all: Vec<(&str, &str, Value)> = turn
            .iter()
            .zip(&ids)
            .map(|((tool, args), id)| (id.as_str(), *tool, args.clone()))
            .collect();
        calls("", &all)
    };
    let mut replies: Vec<Reply> = turns.iter().enumerate().map(reply).collect();
    replies.push(answer_in_words("done"));
    let server = Server::new(replies);
    let base = server.base.as_str();
    let run_output = world.run(&[
        "run",
        "do it",
        "--config",
        &settings,
        "--headless",
        "--policy",
        "auto",
        "--model",
        "m",
        "--base-url",
        base,
    ]);
    let journal = world.sessions().join(world.id()).join("journal.jsonl");
    let ran = Ran {
        code: run_output.code.unwrap(),
        err: run_output.err,
        journal: std::fs::read_to_string(journal).unwrap(),
        asked: server.seen().into_iter().map(|one| one.body).collect(),
    };
    (ran, world)
}

fn sh(command: impl Into<String>) -> (&'static str, Value) {
    ("shell", json!({"command": command.into()}))
}

fn edit(no: u32) -> (&'static str, Value) {
    let (old, new) = (format!("x={}", no - 1), format!("x={no}"));
    ("edit_file", json!({"path": "a.py", "old": old, "new": new}))
}

fn read(path: impl Into<String>) -> (&'static str, Value) {
    ("read_file", json!({"path": path.into()}))
}

fn turns(numbers: std::ops::RangeInclusive<u32>, of: impl Fn(u32) -> Vec<Turn>) -> Vec<Turn> {
    numbers.flat_map(of).collect()
}

/// Work on files: edits, tests, and looking again.
fn editing() -> Vec<(&'static str, Vec<Turn>)> {
    vec![
        (
            "edit and test in one turn, fewer fail",
            turns(1..=5, |no| vec![vec![edit(no), sh("sh ./fewer.sh")]]),
        ),
        (
            "edit and test in turns, fewer fail",
            turns(1..=5, |no| vec![vec![edit(no)], vec![sh("sh ./fewer.sh")]]),
        ),
        (
            "edit and test in one turn, others fail",
            turns(1..=5, |no| vec![vec![edit(no), sh("sh ./other.sh")]]),
        ),
        (
            "edit and test in turns, others fail",
            turns(1..=5, |no| {
                vec![vec![edit(no)], vec![sh("sh ./other.sh 2>&1 | tail -5")]]
            }),
        ),
        (
            "edit and test, the same fails",
            turns(1..=6, |no| vec![vec![edit(no), sh("sh ./same.sh")]]),
        ),
        (
            "edit, add and look, with equal results",
            turns(1..=6, |no| {
                vec![vec![edit(no)], vec![sh("true")], vec![sh("echo clean")]]
            }),
        ),
        (
            "edit and read again",
            turns(1..=5, |no| vec![vec![edit(no)], vec![read("a.py")]]),
        ),
        (
            "write with the shell and test",
            turns(1..=5, |no| {
                vec![vec![sh(format!("echo x={no} > a.py"))], vec![sh("sh ./other.sh")]]
            }),
        ),
    ]
}

/// Looking for something: lists, searches and polls.
fn looking() -> Vec<(&'static str, Vec<Turn>)> {
    vec![
        (
            "different commands that end with 1",
            vec![
                vec![sh("false")],
                vec![sh("test -e nothing")],
                vec![sh("grep zebra a.py")],
                vec![sh("exit 1")],
            ],
        ),
        (
            "a command for each item",
            turns(1..=8, |no| vec![vec![sh(format!("test -e part{no}"))]]),
        ),
        (
            "a file for each item, none there",
            turns(1..=14, |no| vec![vec![read(format!("part{no}.txt"))]]),
        ),
        (
            "an edit for each item, none fits",
            turns(1..=14, |no| {
                let old = format!("y={no}");
                vec![vec![(
                    "edit_file",
                    json!({"path": "a.py", "old": old, "new": "y=0"}),
                )]]
            }),
        ),
        (
            "a write for each item",
            turns(1..=8, |no| {
                vec![vec![(
                    "write_file",
                    json!({"path": format!("o{no}.txt"), "content": "x"}),
                )]]
            }),
        ),
        (
            "different searches that find nothing",
            turns(1..=8, |no| {
                vec![vec![("search", json!({"pattern": format!("zebra{no}")}))]]
            }),
        ),
        (
            "a compiler error whose line changes",
            turns(1..=6, |_| vec![vec![sh("sh ./line.sh")]]),
        ),
        (
            "polling with a changing answer",
            turns(1..=8, |_| vec![vec![sh("sh ./poll.sh")]]),
        ),
        (
            "polling beside other work",
            turns(1..=4, |no| {
                vec![vec![sh("echo waiting"), read(format!("part{no}"))]]
            }),
        ),
        (
            "twice the same, then something else",
            turns(1..=4, |no| {
                vec![
                    vec![sh("echo same")],
                    vec![sh("echo same")],
                    vec![sh(format!("echo {no} > n{no}"))],
                ]
            }),
        ),
    ]
}

/// One round tries every so many of the similar runs.
const STEP: u32 = 3;

/// Nothing is found and nothing refused: every turn is answered, and the run ends well.
#[test]
fn progress_is_no_loop() {
    for (what, turns) in overrule_testing::sample(editing().into_iter().chain(looking()), STEP) {
        let ran = run(&turns);
        assert_eq!(ran.code, 0, "{what}: {}", ran.err);
        assert!(!ran.err.to_lowercase().contains("loop"), "{what}: {}", ran.err);
        assert_eq!(ran.asked.len(), turns.len() + 1, "{what}");
        assert_eq!(ran.count("escape.found"), 0, "{what}");
        let calls: usize = turns.iter().map(Vec::len).sum();
        assert_eq!(ran.count("call.started"), calls, "{what}: every call ran, once");
        assert_eq!(ran.count("call.asked"), 0, "{what}: nothing asked");
        let last = ran.asked.last().unwrap();
        assert!(!last.contains("refused for this turn"), "{what}");
        assert!(!last.contains("not approved"), "{what}");
    }
}

/// Found at the third copy, or after three turns that bring nothing new: the model is told, then the calls are refused, then the run waits for a person.
#[test]
fn repetition_is_a_loop_by_the_third_copy() {
    let rows: Vec<(&str, Vec<Turn>)> = vec![
        ("a command with one output", vec![vec![sh("cat b.txt")]]),
        (
            "a failing command with another short id",
            vec![vec![sh("sh ./id.sh")]],
        ),
        (
            "a failing command with other times",
            vec![vec![sh("sh ./took.sh")]],
        ),
        (
            "a command in a pipe",
            vec![vec![sh("sh ./same.sh 2>&1 | head -5")]],
        ),
        (
            "two commands",
            vec![vec![sh("cat b.txt")], vec![sh("sh ./same.sh")]],
        ),
        (
            "three commands",
            vec![vec![sh("cat b.txt")], vec![sh("sh ./id.sh")], vec![sh("false")]],
        ),
        (
            "a look and a command",
            vec![vec![read("b.txt")], vec![sh("sh ./took.sh")]],
        ),
        (
            "three looks",
            vec![
                vec![read("b.txt")],
                vec![read("same.sh")],
                vec![("list_dir", json!({"path": "."}))],
            ],
        ),
        ("a file that is not there", vec![vec![read("nothing.txt")]]),
        (
            "an edit that does not fit",
            vec![vec![(
                "edit_file",
                json!({"path": "a.py", "old": "y=1", "new": "y=2"}),
            )]],
        ),
        (
            "two calls in one turn",
            vec![vec![read("b.txt"), sh("sh ./same.sh")]],
        ),
    ];
    for (what, block) in overrule_testing::sample(rows, STEP) {
        let period = block.len();
        let found = (3 * period).min(period + 3);
        let turns: Vec<Turn> = std::iter::repeat_n(block, 8).flatten().collect();
        let ran = run(&turns);
        assert_eq!(ran.code, 4, "{what}: {}", ran.err);
        let calls: usize = turns.iter().take(found + 1).map(Vec::len).sum();
        assert_eq!(
            ran.count("call.started"),
            calls,
            "{what}: until it was found, and one turn after the model was told"
        );
        assert_eq!(ran.count("escape.found"), 1, "{what}");
        // The next request warns and the gate allows the call; the request after it blocks the call.
        let message = &ran.asked[found];
        assert!(
            message.contains("You repeat yourself") && !message.contains("exact calls are blocked"),
            "{what}: {message}"
        );
        let refused = &ran.asked[found + 1];
        assert!(
            refused.contains("are blocked in your next turn"),
            "{what}: {refused}"
        );
        assert!(
            ran.asked.len() <= found + 4,
            "{what}: {} requests",
            ran.asked.len()
        );
    }
}

/// A run in which nothing comes before the restriction to reading calls.
const RESTRICT_FIRST: &str = "[resilience.loops.ladder]
guidance = 0
refuse = 0
substitute = 0
roll_back = 0
human = 0
";

#[test]
fn a_loop_that_writes_restricts_the_run_before_it_stops() {
    let write = || vec![sh("echo again >> log.txt")];
    // It reads on and answers.
    let turns = vec![write(), write(), write(), vec![read("b.txt")]];
    let (ran, world) = run_with(&turns, RESTRICT_FIRST);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(world.read("log.txt"), "again\nagain\nagain\n");
    assert_eq!(ran.count("run.restricted"), 1);
    assert!(
        ran.asked[3].contains("The run is restricted to reading calls"),
        "{}",
        ran.asked[3]
    );
    let id = world.id();
    let run_output = world.run(&["loops", &id, "--json"]).ends(0).out;
    assert!(run_output.contains("\"step\":\"restrict\""), "{run_output}");
    let shown = world.run(&["sessions", "show", &id]).ends(0).out;
    assert!(
        shown.contains("restricted to reading calls (loop 1: shell"),
        "{shown}"
    );
    // It writes on: the calls are denied, and the run is stopped.
    let turns: Vec<Turn> = std::iter::repeat_with(write).take(8).collect();
    let (ran, world) = run_with(&turns, RESTRICT_FIRST);
    assert_eq!(ran.code, 4, "{}", ran.err);
    assert_eq!(
        world.read("log.txt"),
        "again\nagain\nagain\n",
        "no further one ran"
    );
    assert_eq!((ran.count("call.started"), ran.count("run.stopped")), (3, 1));
    assert!(ran.asked.len() <= 5, "{} requests", ran.asked.len());
    // A loop that only looks is not helped by that.
    let turns: Vec<Turn> = std::iter::repeat_with(|| vec![read("b.txt")]).take(8).collect();
    let (ran, world) = run_with(&turns, RESTRICT_FIRST);
    assert_eq!((ran.code, ran.count("run.restricted")), (4, 0), "{}", ran.err);
    let run_output = world.run(&["loops", &world.id()]).ends(0).out;
    assert!(
        run_output.contains("the loop consists of reading calls only"),
        "{run_output}"
    );
}
