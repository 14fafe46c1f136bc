//! Marks of a recorded run: decisions, failures, edits and turns, and how to get to them.
//!
//! Must not know: keys, how a recording is read or drawn.

use overrule_domain::call::{Decision, Outcome};
use overrule_domain::envelope::Envelope;
use overrule_domain::event::{CallEvent, EditEvent, Event, TurnEvent};

/// What happened at an event that a viewer looks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MarkKind {
    /// A turn began.
    Turn,
    /// A call was decided, other than by a rule that allows it.
    Decision,
    /// An edit took effect.
    Edit,
    /// A command ended with an exit code that is no success.
    Exit,
    /// A call or a stream failed.
    Failure,
}

impl MarkKind {
    /// True for a mark that a search for `kind` finds: an exit code is looked for like a failure.
    pub fn is_like(self, kind: Self) -> bool {
        self == kind || (self, kind) == (Self::Exit, Self::Failure)
    }

    /// Its name.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Turn => "turn",
            Self::Decision => "decision",
            Self::Edit => "edit",
            Self::Exit => "exit",
            Self::Failure => "failure",
        }
    }
}

/// A marked event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mark {
    /// The number of the event, from 1.
    pub event: usize,
    /// What happened.
    pub kind: MarkKind,
}

/// The mark of an event, if it has one.
pub fn kind_of(envelope: &Envelope) -> Option<MarkKind> {
    match &envelope.event {
        Event::Call(CallEvent::Decided { decision, .. }) => {
            is_decision(decision).then_some(MarkKind::Decision)
        }
        Event::Call(CallEvent::Finished {
            outcome: Outcome::Ok { exit: Some(_), .. },
            ..
        }) => Some(MarkKind::Exit),
        Event::Call(CallEvent::Finished {
            outcome: Outcome::Err(_),
            ..
        })
        | Event::Turn(TurnEvent::Broken { .. }) => Some(MarkKind::Failure),
        Event::Edit(EditEvent::Committed { .. } | EditEvent::Recalled { .. }) => Some(MarkKind::Edit),
        Event::Turn(TurnEvent::Opened { .. } | TurnEvent::Requested { request: 1, .. }) => {
            Some(MarkKind::Turn)
        }
        _ => None,
    }
}

/// False for what follows from a rule that allows, or from another decision.
const fn is_decision(decision: &Decision) -> bool {
    !matches!(
        decision,
        Decision::Auto { .. }
            | Decision::LeftToOperator { .. }
            | Decision::Reuse { .. }
            | Decision::Carry { .. }
            | Decision::Withdrawn { .. }
    )
}

/// The next marked event of a kind after an event, or the previous one before it.
pub fn neighbour(marks: &[Mark], kind: MarkKind, event: usize, back: bool) -> Option<usize> {
    let mut its = marks
        .iter()
        .filter(|mark| mark.kind.is_like(kind))
        .map(|mark| mark.event);
    if back {
        its.take_while(|at| *at < event).last()
    } else {
        its.find(|at| *at > event)
    }
}

/// The column of an event on a bar of `width` columns for a recording of `of` events.
pub const fn column(event: usize, of: usize, width: u16) -> u16 {
    if of < 2 || width < 2 {
        return 0;
    }
    let event = if event == 0 { 0 } else { event - 1 };
    ((event * (width as usize - 1)) / (of - 1)) as u16
}

/// The event at a column of such a bar.
pub const fn event_at(column: u16, of: usize, width: u16) -> usize {
    if of < 2 || width < 2 {
        return of;
    }
    let last = width as usize - 1;
    let column = if column as usize > last {
        last
    } else {
        column as usize
    };
    1 + (column * (of - 1)).div_ceil(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_and_the_previous_mark_of_a_kind_are_found() {
        let marks = [
            (2, MarkKind::Turn),
            (4, MarkKind::Failure),
            (7, MarkKind::Failure),
            (9, MarkKind::Turn),
        ];
        let marks = marks.map(|(event, kind)| Mark { event, kind });
        let go = |at, back| neighbour(&marks, MarkKind::Failure, at, back);
        assert_eq!(
            [go(1, false), go(4, false), go(7, false)],
            [Some(4), Some(7), None]
        );
        assert_eq!([go(9, true), go(7, true), go(4, true)], [Some(7), Some(4), None]);
        assert_eq!(neighbour(&marks, MarkKind::Edit, 0, false), None);
    }

    #[test]
    fn a_command_that_ended_with_an_exit_code_has_a_mark_of_its_own_and_is_found_like_a_failure() {
        use crate::testing::{Stage, id};
        let mark = |exit: Option<i32>| {
            let mut stage = Stage::new(80, 24);
            stage.begin();
            let outcome = Outcome::Ok {
                value: "\"2 failed\"".into(),
                meta: None,
                discarded: 0,
                exit,
            };
            stage.finished("c3", "cargo_test", "{}", outcome);
            let finished = stage.recorded().iter().rev();
            let mut marks = finished.filter(|fact| {
                matches!(&fact.event, Event::Call(CallEvent::Finished { call, .. }) if *call == id("c3"))
            });
            kind_of(marks.next().unwrap())
        };
        assert_eq!(mark(Some(1)), Some(MarkKind::Exit));
        assert_eq!(mark(None), None);
        let marks = [(4, MarkKind::Exit)].map(|(event, kind)| Mark { event, kind });
        assert_eq!(neighbour(&marks, MarkKind::Failure, 0, false), Some(4));
        assert_eq!(neighbour(&marks, MarkKind::Edit, 0, false), None);
    }

    #[test]
    fn a_column_and_its_event_lead_to_each_other() {
        for (of, width) in [(166, 78), (10, 78), (20_000, 40), (2, 2)] {
            assert_eq!((column(1, of, width), column(of, of, width)), (0, width - 1));
            assert_eq!((event_at(0, of, width), event_at(width - 1, of, width)), (1, of));
            for at in 0..width {
                assert!(
                    column(event_at(at, of, width), of, width) >= at,
                    "{of} {width} {at}"
                );
            }
        }
        assert_eq!((column(5, 1, 10), event_at(3, 0, 10)), (0, 0));
    }
}
