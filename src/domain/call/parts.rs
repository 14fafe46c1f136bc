//! What of a call few have: what it reads and writes by name, what is in its way, what was asked about it, what was
//! done about its failures.
//!
//! Data only. Must not know: who puts it in.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::{Binding, Digest, Fault};
use crate::domain::breaker::Scope;
use crate::domain::id::Seq;
use crate::domain::ladder::{Delay, Round};
use crate::domain::reference::{OutPath, Reference};
use crate::domain::seldom::Blank;

/// What a call reads of others, and where it writes beside its own name.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Reach {
    /// Where the result is also written (`_out`).
    pub out: Option<OutPath>,
    /// The references in this revision's arguments.
    pub references: Vec<Reference>,
    /// What they were bound to when it became ready.
    pub bindings: Vec<Binding>,
    /// The current argument bytes of a call that keeps an operator's result although its inputs changed.
    pub stands_on: Option<Arc<str>>,
}

impl Blank for Reach {
    fn blank() -> &'static Self {
        static BLANK: Reach = Reach {
            out: None,
            references: Vec::new(),
            bindings: Vec::new(),
            stands_on: None,
        };
        &BLANK
    }
}

/// Why a call does not run, or ended without a value.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Snags {
    /// What the check of this revision found.
    pub faults: Vec<Fault>,
    /// Why it was refused, skipped or is unsatisfiable.
    pub because: Option<Arc<str>>,
    /// The rule of the policy that refused it; none where a person did.
    pub denied_by: Option<Arc<str>>,
}

impl Blank for Snags {
    fn blank() -> &'static Self {
        static BLANK: Snags = Snags {
            faults: Vec::new(),
            because: None,
            denied_by: None,
        };
        &BLANK
    }
}

/// What a person was asked about a call, and what their answers hold for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Asking {
    /// What the newest edit also approved: exactly these bytes.
    pub edit_approves: Option<Digest>,
    /// UTC milliseconds since 1970 at which the question is over, by the clock of the process that counts; none
    /// where nothing counts.
    pub due: Option<i64>,
    /// Event with which the time for it began, or began anew; 0 where none ever did.
    pub due_set: Seq,
    /// True where nobody answered in time and it goes on waiting.
    pub overdue: bool,
    /// The decision after which the moment to take it back has passed; 0 where none has.
    pub graced: Seq,
    /// Executions that the newest question for consent named.
    pub asked_about: Vec<Seq>,
    /// Executions that a person lets it repeat, for the revision that counts.
    pub consented: BTreeSet<Seq>,
    /// Event with which it last came back from another branch: what was decided before does not count
    /// any more. 0 where it never did.
    pub revived: Seq,
}

impl Blank for Asking {
    fn blank() -> &'static Self {
        static BLANK: Asking = Asking {
            edit_approves: None,
            due: None,
            due_set: Seq(0),
            overdue: false,
            graced: Seq(0),
            asked_about: Vec::new(),
            consented: BTreeSet::new(),
            revived: Seq(0),
        };
        &BLANK
    }
}

/// What is done about the failures of a call, and what it waits for before it runs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Trouble {
    /// Retries of the failure that is under way; none after a success, an edit, or a run that a person
    /// asked for.
    pub retries: u32,
    /// What it waits for before it runs.
    pub delay: Option<Delay>,
    /// Rounds of repair, in journal order.
    pub repairs: Vec<Round>,
    /// Why nothing more is done about its failure.
    pub given_up: Option<Arc<str>>,
}

impl Blank for Trouble {
    fn blank() -> &'static Self {
        static BLANK: Trouble = Trouble {
            retries: 0,
            delay: None,
            repairs: Vec::new(),
            given_up: None,
        };
        &BLANK
    }
}

/// What let an execution through, and where it runs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Under {
    /// The breakers that let it through, each in which generation.
    pub guards: Vec<(Scope, u32)>,
    /// Process of the tool, where it is one: pid and start time in clock ticks.
    pub process: Option<(u32, u64)>,
}

impl Blank for Under {
    fn blank() -> &'static Self {
        static BLANK: Under = Under {
            guards: Vec::new(),
            process: None,
        };
        &BLANK
    }
}
