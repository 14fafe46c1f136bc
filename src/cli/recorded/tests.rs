//! Tests that a recorded run is played, rewound and read from a mark.
//!
//! Must not know: how it is shown.

use super::*;
use overrule_domain::apply::fold;
use overrule_domain::id::Seq;
use overrule_journal as journal;

fn sample() -> Place {
    let dir = concat!(env!("CARGO_MANIFEST_DIR"), "/../../sessions");
    let mut files: Vec<_> = std::fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "jsonl"))
        .collect();
    files.sort();
    Place::at(&files[0]).unwrap()
}

/// The state after all pending updates, and the last position that was reported.
async fn seen(link: &mut Recorded, mut state: State) -> (State, String) {
    let mut message = String::new();
    while !link.waiting.is_empty() {
        match link.next().await {
            Update::Snapshot(whole) => state = *whole,
            Update::Event(envelope) => apply(&mut state, &envelope),
            Update::At(at) => message = at.describe(),
            Update::Past(past) => assert_eq!(past.last().map_or(Seq(0), |last| last.seq), state.seq),
            other => assert!(matches!(other, Update::Taken(_) | Update::Marks(_)), "{other:?}"),
        }
    }
    (state, message)
}

#[tokio::test]
async fn every_way_to_a_place_shows_what_the_records_up_to_there_make() {
    let place = sample();
    let all = journal::read(&place).unwrap().envelopes;
    let count = all.len();
    let mut link = Recorded::open(&place, None).unwrap();
    let (mut state, message) = seen(&mut link, State::default()).await;
    assert_eq!(
        (&state, message),
        (&fold(&all[..1]), format!("#1 of {count}, paused"))
    );
    let ways: [(&[ReplayControl], usize); 7] = [
        (&[ReplayControl::End], count),
        (&[ReplayControl::Back], count - 1),
        (
            &[ReplayControl::Back, ReplayControl::Back, ReplayControl::Step],
            count - 2,
        ),
        (&[ReplayControl::Seek(Seq(0))], 0),
        (
            &[ReplayControl::Step, ReplayControl::Step, ReplayControl::Step],
            3,
        ),
        (&[ReplayControl::Back], 2),
        (&[ReplayControl::Back, ReplayControl::End], count),
    ];
    for (controls, at) in ways {
        for control in controls {
            link.replay(*control);
        }
        let (now, message) = seen(&mut link, state).await;
        assert_eq!(message, format!("#{at} of {count}, paused"), "{controls:?}");
        assert_eq!(now, fold(&all[..at]), "{controls:?}");
        state = now;
    }
}

#[tokio::test]
async fn a_request_is_read_from_the_journal_while_replay_is_idle() {
    let place = sample();
    let all = journal::read(&place).unwrap().envelopes;
    let state = fold(&all);
    let turn = state.turns.values().find(|turn| turn.asked > 0).unwrap();
    let mut link = Recorded::open(&place, None).unwrap();
    seen(&mut link, State::default()).await;
    link.sent(turn.id, turn.asked);
    match link.next().await {
        Update::Sent { found, .. } => {
            let found = found.unwrap();
            assert_eq!(
                Some(&*found.model),
                state.started.as_ref().map(|started| &*started.model)
            );
            assert!(!found.messages.is_empty());
        }
        other => panic!("{other:?}"),
    }
    link.sent(TurnId(999), turn.asked);
    match link.next().await {
        Update::Sent { found, .. } => assert!(found.unwrap_err().contains("no request")),
        other => panic!("{other:?}"),
    }
}

#[tokio::test(start_paused = true)]
async fn a_replay_stops_at_its_end_and_reports_it() {
    let place = sample();
    let mut link = Recorded::open(&place, Some(1024.0)).unwrap();
    let (mut plays, mut count) = (Vec::new(), 0);
    while plays.last() != Some(&false) {
        match link.next().await {
            Update::At(at) => {
                assert_eq!(
                    (at.event, at.of),
                    (count, link.len()),
                    "the place goes with the events"
                );
                plays.push(at.speed.is_some());
            }
            Update::Event(_) => count += 1,
            _ => {}
        }
    }
    assert_eq!((plays.len(), count), (link.len() + 1, link.len()));
    link.replay(ReplayControl::Play);
    let mut message = Vec::new();
    while let Some(update) = link.waiting.pop_front() {
        message.push(update);
    }
    assert!(
        matches!(
            message.as_slice(),
            [Update::At(At { speed: None, event, of }), Update::Notice(why)]
                if event == of && why.starts_with("this is the last event")
        ),
        "{message:?}"
    );
}

#[test]
fn a_fold_from_a_mark_is_the_fold_from_the_beginning() {
    let place = sample();
    let all = journal::read(&place).unwrap().envelopes;
    let (records, _) = Records::read(&place, |_| ()).unwrap();
    for to in [0, 1, all.len() / 2, all.len()] {
        for from in [0, to / 2, to, to + 1] {
            let state = fold(&all[..from.min(all.len())]);
            let mark = Some(Fold { at: from, state });
            let shown = ReplayPosition::up_to(&records, to, mark).unwrap();
            assert_eq!(shown.state, fold(&all[..to]), "from {from} to {to}");
            assert_eq!(shown.mark.is_none(), to == all.len(), "one state at the end");
            assert!(shown.mark.is_none_or(|mark| mark.at <= to));
        }
    }
}

#[tokio::test]
async fn a_jump_ends_the_playback() {
    let place = sample();
    for control in [ReplayControl::Seek(Seq(2)), ReplayControl::End] {
        let mut link = Recorded::open(&place, Some(1.0)).unwrap();
        link.replay(control);
        assert!(!link.playing, "{control:?}");
        let last = link.waiting.back();
        assert!(
            matches!(last, Some(Update::At(At { speed: None, .. }))),
            "{control:?}: {last:?}"
        );
    }
}
