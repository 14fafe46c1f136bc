//! Scenes in which the operator is asked something. Must not know: terminals, engines.

use super::{ARMING, Stage, id};
use crate::domain::call::{ErrorClass, Fault};
use crate::domain::event::{CallEvent, Event, ResilienceEvent};
use crate::domain::id::Rev;
use crate::domain::ladder::Fix;
use crate::domain::repair::{Certainty, Change, Strategy};

impl Stage {
    /// In front of what waits, for long enough that keys count.
    pub fn at_the_queue(&mut self) {
        self.draw();
        self.press("2");
        self.wait(ARMING);
    }

    /// A call with two possible repairs.
    pub fn two_repairs(&mut self) {
        self.begin();
        self.thought("t2", "first this");
        self.proposed("c3", "book_flight", r#"{"day":"10/11/2024"}"#);
        self.call(CallEvent::Unfit {
            call: id("c3"),
            rev: Rev(1),
            faults: vec![Fault {
                path: "/day".into(),
                keyword: "format".into(),
                message: "is not a date".into(),
            }],
        });
        let fix = |day: &str| Fix {
            label: format!("day: \"{day}\""),
            changes: vec![Change {
                path: "/day".into(),
                from: Some("\"10/11/2024\"".into()),
                to: Some(format!("\"{day}\"").into()),
                strategy: Strategy::DateFormatCorrection,
                certainty: Certainty::Changed,
                why: "one of the days that it can mean".into(),
            }],
            tool: "book_flight".into(),
            args: format!("{{\"day\":\"{day}\"}}").into(),
        };
        for event in [
            ResilienceEvent::RepairStarted {
                call: id("c3"),
                rev: Rev(1),
                round: 1,
                of: 3,
                class: ErrorClass::Param,
            },
            ResilienceEvent::RepairDiagnosed {
                call: id("c3"),
                round: 1,
                diagnoses: Vec::new(),
            },
            ResilienceEvent::RepairOffered {
                call: id("c3"),
                rev: Rev(1),
                round: 1,
                why: "it can be read in two ways".into(),
                options: vec![fix("2024-11-10"), fix("2024-10-11")],
            },
        ] {
            self.engine(Event::Resilience(event));
        }
    }
}
