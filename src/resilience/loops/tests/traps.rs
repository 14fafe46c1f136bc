//! Tests known pitfalls of loop detection: what must be found, and what must not.
//!
//! Must not know: how it is seen.

use std::sync::Arc;

use super::{acting, action, loops, seen, turn, turns_of};
use crate::loops::action::Batch;
use crate::loops::config::Config;
use crate::loops::detect::Detectors;
use overrule_domain::escape::{Detector, Signature};
use overrule_domain::id::{Seq, TurnId};

fn sequence(letters: &str) -> Option<(usize, usize)> {
    loops(turns_of(letters))
        .into_iter()
        .find(|one| one.detector == Detector::Sequence)
        .map(|one| (one.period, one.repetitions))
}

#[test]
fn a_loop_that_fills_the_whole_history_is_seen() {
    assert_eq!(sequence("ABCABCABC"), Some((3, 3)));
    assert_eq!(sequence("AAAAAA"), Some((1, 6)));
    assert_eq!(sequence("ABABABAB"), Some((2, 4)));
    assert_eq!(sequence("XABCABCABC"), Some((3, 3)));
}

#[test]
fn the_shortest_block_is_named_with_its_number_of_copies() {
    assert_eq!(sequence("AAAAAAA"), Some((1, 7)));
    assert_eq!(sequence("XYABABABAB"), Some((2, 4)));
}

#[test]
fn a_loop_that_was_left_is_history() {
    assert!(sequence("XABCABCABC").is_some());
    assert_eq!(sequence("XABCABCABCD"), None);
    // Everything that happens afterwards brings something new.
    let mut turns = turns_of("XABCABCABC");
    for no in 0..13 {
        let name = format!("f{no}");
        turns.push(turn(
            100 + no,
            &[("read_file", &format!(r#"{{"path":"{name}"}}"#), Ok(&name))],
        ));
    }
    assert_eq!(loops(turns), []);
}

#[test]
fn healthy_steps_are_no_loop() {
    let reads: Vec<Batch> = (1..=40)
        .map(|no| {
            let args = format!(r#"{{"path":"src/{no}.rs"}}"#);
            turn(no, &[("read_file", &args, Ok(&format!("text {no}")))])
        })
        .collect();
    for end in 1..=reads.len() {
        assert_eq!(seen(&Config::default(), reads[..end].to_vec()), [], "after {end}");
    }
}

#[test]
fn arguments_and_results_are_part_of_what_repeats() {
    // The same file changes while it is being read.
    let tail: Vec<Batch> = (1..=9)
        .map(|no| {
            turn(
                no,
                &[("read_file", r#"{"path":"log"}"#, Ok(&format!("{no} lines")))],
            )
        })
        .collect();
    assert_eq!(loops(tail), []);
    // Two spellings of the same arguments are the same arguments.
    let same = vec![
        turn(1, &[("get", r#"{"a":1,"b":2}"#, Ok("x"))]),
        turn(2, &[("get", r#"{ "b": 2, "a": 1 }"#, Ok("x"))]),
        turn(3, &[("get", r#"{"b":2,"a":1}"#, Ok("x"))]),
    ];
    assert_eq!(loops(same).first().map(|one| one.repetitions), Some(3));
}

#[test]
fn a_block_repeats_at_its_third_copy_whether_it_fails_or_not() {
    for (doubled, thrice) in [("ABAB", "ABABAB"), ("abab", "ababab"), ("AbAb", "AbAbAb")] {
        assert_eq!(sequence(doubled), None, "{doubled}");
        assert_eq!(sequence(thrice), Some((2, 3)), "{thrice}");
    }
    assert_eq!(sequence("AA"), None);
    assert_eq!(sequence("aaa"), Some((1, 3)));
}

#[test]
fn one_fan_out_is_one_action_whatever_the_order() {
    let fan = |no, order: [usize; 3]| {
        let all = [
            ("read_file", r#"{"path":"a"}"#, Ok("1")),
            ("read_file", r#"{"path":"b"}"#, Ok("2")),
            ("search", r#"{"q":"x"}"#, Ok("3")),
        ];
        turn(no, &order.map(|index| all[index]))
    };
    // Three equal calls in one turn count as one.
    let once = turn(
        1,
        &[
            ("poll", "{}", Ok("x")),
            ("poll", "{}", Ok("x")),
            ("poll", "{}", Ok("x")),
        ],
    );
    assert_eq!(seen(&Config::default(), vec![once]), []);
    let found = loops(vec![fan(1, [0, 1, 2]), fan(2, [2, 0, 1]), fan(3, [1, 2, 0])]);
    assert_eq!(
        found.first().map(|one| (one.period, one.repetitions)),
        Some((1, 3))
    );
    assert_eq!(found[0].signatures.len(), 3);
}

#[test]
fn a_warning_comes_one_repetition_earlier() {
    let warned = |letters: &str| {
        let all = seen(&Config::default(), turns_of(letters));
        assert!(all.iter().all(|one| !one.is_loop), "{all:?}");
        all.iter().any(|one| one.detector == Detector::Sequence)
    };
    assert!(!warned("A"));
    assert!(warned("AA"));
    assert!(!warned("ab"));
    assert!(warned("abab"));
    assert!(!warned("aba"));
}

#[test]
fn the_same_error_for_any_arguments_is_reported_and_is_no_loop() {
    let fail = |no: u32, message: &str| turn(no, &[("fetch", &format!(r#"{{"page":{no}}}"#), Err(message))]);
    let rows = || {
        vec![
            fail(1, "row 17 is locked by 3f2504e0-4f89-11d3-9a0c-0305e82c3301"),
            fail(2, "row 4 is locked by 9b2504e0-4f89-11d3-9a0c-0305e82c33ff"),
            fail(3, "Row 99 is locked by 002504e0-4f89-11d3-9a0c-0305e82c3aaa"),
        ]
    };
    assert_eq!(loops(rows()), []);
    let found = notices(rows());
    assert_eq!(found[0].detector, Detector::SameError);
    assert_eq!(&*found[0].signatures[0].tool, "fetch");
    assert_eq!(found[0].signatures[0].args, None);
    // A different error each time is a search.
    assert_eq!(
        notices(vec![
            fail(1, "no such file: a"),
            fail(2, "no such file: b"),
            fail(3, "no such file: c")
        ]),
        []
    );
    // A success between them ends it.
    let mixed = vec![
        fail(1, "locked"),
        fail(2, "locked"),
        turn(3, &[("fetch", r#"{"page":3}"#, Ok("text"))]),
        fail(4, "locked"),
    ];
    assert_eq!(notices(mixed), []);
}

/// Returns the warnings about tools after the last of some turns.
fn notices(turns: Vec<Batch>) -> Vec<crate::loops::detect::Repetition> {
    let mut all = seen(&Config::default(), turns);
    all.retain(|one| one.detector.is_informational());
    all
}

#[test]
fn a_repeatedly_failing_call_is_a_loop_whatever_its_error_text() {
    let fail = |no: u32, message: &str| turn(no, &[("fetch", "{}", Err(message))]);
    let found = loops(vec![
        fail(1, "a is down"),
        fail(2, "b is down"),
        fail(3, "c is down"),
    ]);
    assert_eq!((found[0].detector, found[0].repetitions), (Detector::Sequence, 3));
    assert_eq!(found[0].signatures.len(), 1);
    // Other work in the same turn is progress; a turn without it ends the row.
    let beside = |no: u32| {
        let path = format!(r#"{{"path":"{no}"}}"#);
        let message = format!("down {no}");
        turn(
            no,
            &[("fetch", "{}", Err(&message)), ("read_file", &path, Ok("x"))],
        )
    };
    assert_eq!(loops((1..=6).map(beside).collect()), []);
    let separate = turn(3, &[("read_file", "{}", Ok("x"))]);
    assert_eq!(
        loops(vec![fail(1, "a"), fail(2, "b"), separate, fail(4, "c")]),
        []
    );
}

#[test]
fn a_loop_without_a_pattern_is_detected_by_missing_new_results() {
    // No block repeats, and yet the turns after the first three bring nothing new.
    let found = loops(turns_of("abcbacb"));
    assert_eq!(
        found.iter().map(|one| one.detector).collect::<Vec<_>>(),
        [Detector::NoProgress]
    );
    assert_eq!(found[0].repetitions, 4);
    // A new result in the middle is progress.
    let mut turns = turns_of("abcba");
    turns.push(turn(6, &[("c", "{}", Ok("changed"))]));
    turns.extend(turns_of("ab"));
    assert_eq!(loops(turns), []);
}

#[test]
fn equal_results_of_different_calls_are_no_loop() {
    for acts in [false, true] {
        let all: Vec<Batch> = (1..=20)
            .map(|no| {
                let args = format!(r#"{{"q":"word {no}"}}"#);
                let one = acting(no, ("search", &args, Ok("no matches")), acts);
                Batch::new(TurnId(no), Seq(u64::from(no)), vec![one])
            })
            .collect();
        assert_eq!(seen(&Config::default(), all), []);
    }
}

/// A turn that looks at an unchanging thing, and another that does something else.
fn look_and(no: u32, other: (&str, bool)) -> [Batch; 2] {
    let args = format!(r#"{{"n":{no}}}"#);
    let other = acting(no * 10, (other.0, &args, Ok("done")), other.1);
    [
        turn(2 * no, &[("status", "{}", Ok("clean"))]),
        Batch::new(TurnId(2 * no + 1), Seq(u64::from(2 * no + 1)), vec![other]),
    ]
}

#[test]
fn one_call_with_one_result_is_seen_at_its_fifth_time_whatever_lies_between() {
    let turns: Vec<Batch> = (1..=5)
        .flat_map(|no| look_and(no, ("read_file", false)))
        .collect();
    for end in 1..9 {
        assert_eq!(loops(turns[..end].to_vec()), [], "after {end}");
    }
    let found = loops(turns[..9].to_vec());
    assert_eq!((found[0].detector, found[0].repetitions), (Detector::Visits, 5));
    assert_eq!(found[0].turns, 9);
    assert_eq!(loops(turns), [], "the newest turn does something else");
    // Effects in between are progress: the count starts again with each.
    let turns: Vec<Batch> = (1..=9)
        .flat_map(|no| look_and(no, ("write_file", true)))
        .collect();
    assert_eq!(seen(&Config::default(), turns), []);
    // An effect that is repeated is none.
    let again: Vec<Batch> = (1..=5)
        .flat_map(|no| look_and(no % 2, ("write_file", true)))
        .collect();
    assert!(!loops(again[..9].to_vec()).is_empty());
}

#[test]
fn an_effect_that_failed_changed_nothing() {
    let turns: Vec<Batch> = (1..=5)
        .flat_map(|no| {
            let args = format!(r#"{{"n":{no}}}"#);
            let error = format!("no place for {no}");
            let other = acting(no * 10, ("write_file", &args, Err(&error)), true);
            let other = Batch::new(TurnId(2 * no + 1), Seq(u64::from(2 * no + 1)), vec![other]);
            [turn(2 * no, &[("status", "{}", Ok("clean"))]), other]
        })
        .collect();
    assert_eq!(loops(turns[..9].to_vec())[0].detector, Detector::Visits);
}

#[test]
fn a_changed_state_path_is_progress() {
    let write = |no: u32, path: u64| {
        let mut one = action(no, ("sum", "{}", Ok("7")));
        one.paths = vec![path];
        Batch::new(TurnId(no), Seq(u64::from(no)), vec![one])
    };
    let still = |turns: Vec<Batch>| {
        let all = loops(turns);
        all.iter().any(|one| one.detector == Detector::NoProgress)
    };
    assert!(!still((1..=6).map(|no| write(no, u64::from(no))).collect()));
    assert!(still((1..=6).map(|no| write(no, 1)).collect()));
}

#[test]
fn a_tool_that_mostly_fails_is_seen_at_its_fifth_turn() {
    fn shell(no: u32, source: Result<&str, &str>) -> Batch {
        turn(no, &[("shell", &format!(r#"{{"command":"try {no}"}}"#), source)])
    }
    let errors = ["no a", "no b", "no c", "no d", "no e"];
    let mut turns: Vec<Batch> = Vec::new();
    for (index, error) in errors.iter().enumerate() {
        let no = index as u32 * 2 + 1;
        // Other work in between.
        turns.push(turn(
            no + 1,
            &[("read_file", &format!(r#"{{"path":"{no}"}}"#), Ok(error))],
        ));
        turns.push(shell(no, Err(error)));
        let found = notices(turns.clone());
        assert_eq!(
            !found.is_empty(),
            index == 4,
            "after {} failures: {found:?}",
            index + 1
        );
    }
    assert_eq!(notices(turns.clone())[0].detector, Detector::FailingTool);
    assert_eq!(loops(turns.clone()), [], "a warning, and no loop");
    // Earlier failures do not matter once something else is done.
    turns.push(turn(90, &[("read_file", r#"{"path":"z"}"#, Ok("z"))]));
    assert_eq!(notices(turns), []);
    // Four of five are enough, three of five are not.
    let of = |good: &[u32]| {
        let all = (1..=5).map(|no| {
            let error = format!("no {}", char::from(b'a' + no as u8));
            if good.contains(&no) {
                shell(no, Ok("fine"))
            } else {
                shell(no, Err(&error))
            }
        });
        notices(all.collect())
    };
    assert_eq!(of(&[2])[0].detector, Detector::FailingTool);
    assert_eq!(of(&[2, 3]), []);
}

#[test]
fn the_window_is_counted_in_turns_and_waiting_is_none() {
    // Time plays no part: however long a call waits, the evidence stays.
    let config = Config {
        window: 6,
        ..Config::default()
    };
    let turns = turns_of("ABCDABCDABCD");
    let found = seen(&config, turns.clone());
    let found: Vec<Detector> = found
        .iter()
        .filter(|one| one.is_loop)
        .map(|one| one.detector)
        .collect();
    assert_eq!(
        found,
        [Detector::NoProgress],
        "blocks that do not fit the window three times are left to the other detectors"
    );
    assert_eq!(loops(turns)[0].period, 4);
}

#[test]
fn what_the_operator_allows_is_no_evidence() {
    let poll = |no| turn(no, &[("status", r#"{"job":1}"#, Ok("pending"))]);
    let exact = poll(1).actions[0].exact();
    let by_tool = Signature {
        args: None,
        ..exact.clone()
    };
    for allowed in [exact.clone(), by_tool] {
        let mut detectors = Detectors::new(&Config::default());
        for no in 1..20 {
            if let Some(batch) = poll(no).without(std::slice::from_ref(&allowed)) {
                assert_eq!(detectors.push(batch), []);
            }
        }
    }
    // Another job is another call, and the rest of a turn still counts.
    let other = turn(
        1,
        &[
            ("status", r#"{"job":2}"#, Ok("pending")),
            ("status", r#"{"job":1}"#, Ok("x")),
        ],
    );
    let left = other.without(std::slice::from_ref(&exact)).unwrap();
    assert_eq!(left.actions.len(), 1);
    let error = Signature {
        tool: Arc::from("status"),
        args: None,
        error: Some(Arc::from("down")),
    };
    assert!(poll(1).without(std::slice::from_ref(&error)).is_some());
    assert!(
        turn(1, &[("status", "{}", Err("down"))])
            .without(&[error])
            .is_none()
    );
}

#[test]
fn a_muted_detector_reports_nothing_and_the_others_still_work() {
    let config = Config {
        muted: vec![Detector::Sequence],
        ..Config::default()
    };
    let all = seen(&config, turns_of("AAAA"));
    assert!(all.iter().all(|one| one.detector != Detector::Sequence));
    assert!(
        all.iter()
            .any(|one| one.detector == Detector::NoProgress && one.is_loop)
    );
}

#[test]
fn settings_that_make_no_sense_are_refused_by_name() {
    assert_eq!(Config::default().check(), Ok(()));
    let wrong = |change: fn(&mut Config)| {
        let mut config = Config::default();
        change(&mut config);
        config.check().map_err(|error| error.key)
    };
    assert_eq!(wrong(|one| one.window = 961), Err("window"));
    assert_eq!(wrong(|one| one.same = 1), Err("same"));
    assert_eq!(wrong(|one| one.failures = 101), Err("failures"));
    assert_eq!(wrong(|one| one.ladder.guidance = 3), Err("ladder.guidance"));
    assert_eq!(
        wrong(|one| {
            one.ladder.human = 0;
            one.ladder.stop = 0;
        }),
        Err("ladder")
    );
    assert_eq!(
        wrong(|one| {
            one.substitutes.insert("a".into(), "a".into());
        }),
        Err("substitutes")
    );
}

#[test]
fn a_loop_has_a_shortest_block_and_a_least_number_of_copies() {
    let found = |config: &Config, letters: &str| {
        let mut detectors = Detectors::new(config);
        let mut seen = Vec::new();
        for batch in turns_of(letters) {
            seen = detectors.push(batch);
        }
        seen.iter()
            .any(|one| one.is_loop && one.detector == Detector::Sequence)
    };
    let usual = Config::default();
    assert!(found(&usual, "AAA") && found(&usual, "ABABAB") && !found(&usual, "AA"));
    let longer = Config {
        min_loop_length: 2,
        ..Config::default()
    };
    assert!(!found(&longer, "AAA") && found(&longer, "ABABAB"));
    let often = Config {
        min_repetitions: 5,
        ..Config::default()
    };
    assert!(!found(&often, "AAAA") && found(&often, "AAAAA"));
    assert!(!found(&often, "ABABABAB") && found(&often, "ABABABABAB"));
}

#[test]
fn the_window_doubles_until_it_holds_the_turns_of_the_time_window() {
    let window = |turns| Config::default().holding(turns).window;
    assert_eq!([0, 30, 31, 61, 121].map(window), [30, 30, 60, 120, 240]);
    assert_eq!(window(usize::MAX), 960);
}
