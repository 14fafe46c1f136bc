//! Tests of a journal cut at or within any record: the resumed run reaches the same graph.
//!
//! Must not know: what the run does.

use std::collections::BTreeSet;
use std::fs;

use overrule::domain::apply::fold;
use overrule::domain::envelope::Envelope;
use overrule::domain::event::{CallEvent, Event};
use overrule::domain::id::NodeId;
use overrule::domain::state::State;

use crate::crash::course::{COMMANDS, Left, each_effect_once, left, redo, resolve, sweep, undisturbed};
use crate::crash::world::World;

/// A recorded run, to be cut again and again.
struct Record {
    world: World,
    id: String,
    journal: String,
    facts: Vec<Envelope>,
    end: State,
    expected: Left,
}

impl Record {
    fn new() -> Self {
        let world = World::new();
        let (expected, id) = undisturbed(&world);
        let (journal, facts) = (world.journal(&id), world.facts(&id));
        let end = fold(&facts);
        Self {
            world,
            id,
            journal,
            facts,
            end,
            expected,
        }
    }

    /// Restores the files and the journal as they were after this many records, followed by `more`.
    /// Executions in flight have happened, or not.
    fn cut(&self, records: usize, more: &str, happened: bool) -> BTreeSet<NodeId> {
        sweep(&self.world);
        let whole: String = self.journal.split_inclusive('\n').take(records).collect();
        fs::write(self.world.place(&self.id).journal(), whole + more).unwrap();
        self.world.own(&self.id);
        let mut open = BTreeSet::new();
        // Of a decision that is incomplete nothing counts.
        for fact in &self.world.facts(&self.id) {
            match &fact.event {
                Event::Call(CallEvent::Started { call, .. }) => {
                    open.insert(*call);
                }
                Event::Call(CallEvent::Finished { call, .. }) => {
                    open.remove(call);
                    redo(&self.world, &self.end.calls[call].label);
                }
                _ => {}
            }
        }
        if happened {
            for call in &open {
                redo(&self.world, &self.end.calls[call].label);
            }
        }
        open
    }

    /// Resumes from a cut until the answer, and compares the result.
    fn goes_on(&self, what: &str, unknown: bool) -> String {
        let args = ["resume", &self.id, "--headless", "--policy", "auto"];
        let mut output = self.world.run(&args);
        let first = output.err.clone();
        if unknown {
            assert_eq!(output.code, Some(4), "{what}: {first}");
            assert!(first.contains("overrule resolve"), "{what}: {first}");
            resolve(&self.world, &self.id);
            output = self.world.run(&args);
        }
        assert_eq!(output.code, Some(0), "{what}: {}", output.err);
        each_effect_once(&self.world.state(&self.id));
        assert_eq!(left(&self.world, &self.id, &output), self.expected, "{what}");
        first
    }

    fn is_command(&self, call: NodeId) -> bool {
        COMMANDS.contains(&&*self.end.calls[&call].label)
    }

    /// True if the program may stop here in the middle of an effect.
    fn is_amid_an_effect(&self, records: usize) -> bool {
        let in_flight = self.cut(records, "", false);
        in_flight
            .iter()
            .any(|call| self.end.calls[call].effect.has_effect())
    }
}

/// One round cuts after every so many of the records.
const STEP: u32 = 8;

/// Cuts after every second record from the one on: after those of these rounds, and once amid an effect.
fn every_second(from: usize) {
    let record = Record::new();
    let all: Vec<usize> = (from..=record.facts.len()).step_by(2).collect();
    let amid = all
        .iter()
        .copied()
        .find(|records| record.is_amid_an_effect(*records));
    let mut cuts = BTreeSet::from_iter(overrule_testing::sample(all, STEP));
    cuts.insert(amid.expect("an effect is under way after some record"));
    for records in cuts {
        let in_flight = record.cut(records, "", true);
        let asks = in_flight.iter().any(|call| record.is_command(*call));
        record.goes_on(&format!("after record {records}, as if it had happened"), asks);
        if record.is_amid_an_effect(records) {
            record.cut(records, "", false);
            record.goes_on(&format!("after record {records}, as if it had not"), asks);
        }
    }
}

#[test]
fn a_run_goes_on_from_every_odd_record() {
    every_second(1);
}

#[test]
fn a_run_goes_on_from_every_even_record() {
    every_second(2);
}

#[test]
fn a_torn_last_line_is_told_set_aside_and_gone_on_without() {
    let record = Record::new();
    let lines: Vec<&str> = record.journal.split_inclusive('\n').collect();
    let mut seed = 88_172_645_463_325_252_u64;
    let mut draw = |bound: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed >> 11) as usize % bound
    };
    for _ in 0..overrule_testing::times(2) {
        let records = 1 + draw(lines.len() - 1);
        // From one byte of the next line up to all but its end.
        let torn = &lines[records].as_bytes()[..=draw(lines[records].len() - 1)];
        let torn = String::from_utf8_lossy(torn);
        let in_flight = record.cut(records, &torn, true);
        let asks = in_flight.iter().any(|call| record.is_command(*call));
        let message = record.goes_on(&format!("{} bytes after record {records}", torn.len()), asks);
        assert!(message.contains("last write is incomplete"), "{message}");
        let stored: Vec<_> = fs::read_dir(record.world.sessions().join(&record.id))
            .unwrap()
            .flatten()
            .filter(|entry| entry.file_name().to_string_lossy().starts_with("journal.torn-"))
            .collect();
        assert_eq!(stored.len(), 1, "set aside, not thrown away");
        assert_eq!(fs::read(stored[0].path()).unwrap(), torn.as_bytes());
        fs::remove_file(stored[0].path()).unwrap();
        record.world.run(&["sessions", "verify", &record.id]).ends(0);
    }
}
