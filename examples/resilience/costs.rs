//! Measures the search for loops after one more action, for histories of different lengths.
//!
//! Must not know: how a loop is detected.
//!
//! It includes the hashes of the arguments and of the result.

use overrule::domain::apply::apply;
use overrule::domain::call::{EffectClass, ErrorClass, Outcome, ToolError};
use overrule::domain::envelope::{Actor, Envelope};
use overrule::domain::event::{CallEvent, Event, TurnEvent};
use overrule::domain::id::{Attempt, NodeId, NodeKind, Rev, Seq, ThreadId, TurnId};
use overrule::domain::node::Origin;
use overrule::domain::state::State;
use overrule::domain::turn::{Stop, Usage};
use overrule::resilience::loops::{Config, Watch};
use tokio::time::Instant;

/// Lengths of the history.
pub const HISTORIES: [u32; 3] = [100, 1_000, 100_000];
/// The widest window that can be set.
const WIDEST: u32 = 960;
/// Looks that make one figure: few, so that it is still the history that is named.
const LOOKS: u32 = 50;

/// The median cost of a check, in microseconds, so that other programs on the machine do not disturb it.
#[derive(Debug, Clone, Copy)]
pub struct Cost {
    /// Actions before it.
    pub history: u32,
    /// With the default window.
    pub usual: f64,
    /// With the widest window.
    pub widest: f64,
}

/// The costs for histories of different lengths.
pub fn costs(histories: &[u32]) -> Vec<Cost> {
    let mut grown = Grown::default();
    let mut histories = histories.to_vec();
    histories.sort_unstable();
    let mut all = Vec::new();
    for history in histories {
        while grown.actions < history {
            grown.act();
        }
        let widest = Config {
            window: WIDEST,
            ..Config::default()
        };
        let [usual, widest] = looks(&mut grown, [Config::default(), widest]);
        all.push(Cost {
            history,
            usual,
            widest,
        });
    }
    all
}

/// Some looks by each of two watches, after one more action each. What was read before is not read again: that is how
/// the engine looks.
fn looks(grown: &mut Grown, configs: [Config; 2]) -> [f64; 2] {
    let mut watches = configs.map(Watch::new);
    let (mut spent, mut seen) = ([Vec::new(), Vec::new()], 0);
    for watch in &mut watches {
        seen += watch.look(&grown.state, ThreadId(0)).len();
    }
    for _ in 0..LOOKS {
        grown.act();
        for (watch, spent) in watches.iter_mut().zip(&mut spent) {
            let start = Instant::now();
            seen += watch.look(&grown.state, ThreadId(0)).len();
            spent.push(start.elapsed().as_secs_f64());
        }
    }
    // What was seen is asked for, so that nothing of it can be left out.
    if std::hint::black_box(seen) == usize::MAX {
        return [f64::NAN; 2];
    }
    spent.map(half)
}

/// What half of the looks cost at most, in microseconds.
fn half(mut seconds: Vec<f64>) -> f64 {
    seconds.sort_by(f64::total_cmp);
    seconds.get(seconds.len() / 2).map_or(f64::NAN, |one| one * 1e6)
}

/// A run with one call in each turn; every seventh call was made before and every fifth fails.
#[derive(Default)]
struct Grown {
    state: State,
    actions: u32,
}

impl Grown {
    fn say(&mut self, event: Event) {
        let seq = Seq(self.state.seq.0 + 1);
        let envelope = Envelope {
            seq,
            at: seq.0 as i64,
            mono: seq.0,
            actor: Actor::Engine,
            cause: Seq(0),
            more: false,
            event,
        };
        apply(&mut self.state, &envelope);
    }

    fn act(&mut self) {
        let no = self.actions + 1;
        self.actions = no;
        let what = if no.is_multiple_of(7) { no % 200 } else { no };
        let turn = TurnId(no);
        let call = NodeId::new(NodeKind::Call, no);
        let (rev, attempt) = (Rev(1), Attempt(1));
        let about = "x".repeat(250);
        self.say(Event::Turn(TurnEvent::Requested {
            turn,
            thread: ThreadId(0),
            after: no.checked_sub(1).filter(|no| *no > 0).map(TurnId),
            request: no,
            context: "".into(),
            hash: "".into(),
            last: false,
            new: Vec::new(),
            notices: Vec::new(),
        }));
        self.say(Event::Turn(TurnEvent::Proposed {
            turn,
            node: call,
            provider_id: None,
            opaque: None,
            tool: "read_file".into(),
            args: format!(r#"{{"path":"src/module_{what}.rs","about":"{about}"}}"#).into(),
            origin: Origin::Model,
        }));
        self.say(Event::Call(CallEvent::Checked {
            call,
            rev,
            faults: Vec::new(),
            references: Vec::new(),
            label: call.to_string().into(),
            out: None,
            delegates: false,
            effect: EffectClass::Read,
        }));
        self.say(Event::Call(CallEvent::Started {
            call,
            rev,
            attempt,
            key: "k".into(),
            same: "s".into(),
            effect: EffectClass::Read,
            task: None,
            before: None,
            thread: None,
            guards: Vec::new(),
        }));
        self.say(Event::Call(CallEvent::Finished {
            call,
            rev,
            attempt,
            outcome: outcome(no, what),
            ms: 7,
            digest: None,
        }));
        self.say(Event::Turn(TurnEvent::Closed {
            turn,
            stop: Stop::Calls,
            usage: Usage::default(),
        }));
        self.say(Event::Turn(TurnEvent::Settled {
            turn,
            errors: Vec::new(),
        }));
    }
}

/// A result of one kilobyte, or an error.
fn outcome(no: u32, what: u32) -> Outcome {
    if no.is_multiple_of(5) {
        return Outcome::err(ToolError {
            class: ErrorClass::NotFound,
            message: format!("not found: module {}", what % 9),
            evidence: "errno ENOENT".into(),
            hint: None,
            partial: None,
            executed: true,
            retry_after_ms: None,
        });
    }
    Outcome::ok(format!("\"{what} {}\"", "y".repeat(1_000)))
}
