//! What is counted over all of a run: at once where that is short, and beside the frames where it is long, so that what
//! is shown is at most as old as that takes.
//!
//! Must not know: what is counted, who shows it.

use std::sync::Arc;

use crate::console::work::{Finding, Ticket, Work};
use crate::domain::id::Seq;
use crate::domain::state::State;

/// Node numbers up to which a run is counted while a frame waits.
const SHORT: u32 = if cfg!(test) { 150 } else { 2048 };
/// Milliseconds after which a long run is counted again, where something has happened.
const AGAIN: u64 = 500;

/// Something that is counted.
#[derive(Debug, Clone)]
pub struct Count<T> {
    /// What it came to, with the newest event that is counted.
    known: Option<(Seq, T)>,
    /// Held while it is counted, with the number of the order.
    order: Option<(u64, Arc<Ticket>)>,
    /// How often it was ordered so far.
    orders: u64,
    /// Milliseconds from which on it may be counted again.
    next: u64,
}

impl<T> Default for Count<T> {
    fn default() -> Self {
        Self {
            known: None,
            order: None,
            orders: 0,
            next: 0,
        }
    }
}

impl<T: 'static> Count<T> {
    /// What it came to when it was counted last; none before.
    pub fn known(&self) -> Option<&T> {
        self.known.as_ref().map(|(_, value)| value)
    }

    /// The newest event that is counted.
    pub fn at(&self) -> Option<Seq> {
        self.known.as_ref().map(|(seq, _)| *seq)
    }

    /// Counts it where something has happened since, or gives what there is to do for that; `now` is in milliseconds.
    pub fn refresh(
        &mut self,
        state: &State,
        now: u64,
        count: impl Fn(&State) -> T + Send + Sync + 'static,
        found: fn(Counted<T>) -> Finding,
    ) -> Option<Work> {
        if self.at() == Some(state.seq) || self.order.is_some() {
            return None;
        }
        if state.last_no <= SHORT {
            self.known = Some((state.seq, count(state)));
            return None;
        }
        if self.known.is_some() && now < self.next {
            return None;
        }
        self.next = now.saturating_add(AGAIN);
        let (ticket, run) = (Arc::new(Ticket::default()), state.clone());
        self.orders += 1;
        let no = self.orders;
        let work = Work::new(&ticket, move || {
            let (seq, value) = (run.seq, count(&run));
            found(Counted { no, seq, value })
        });
        self.order = Some((no, ticket));
        Some(work)
    }

    /// Takes in what was counted elsewhere, if it is still wanted.
    pub fn put(&mut self, counted: Counted<T>) {
        if let Some((_, ticket)) = self.order.take_if(|(no, _)| *no == counted.no) {
            ticket.done();
            self.known = Some((counted.seq, counted.value));
        }
    }

    /// It was counted at once, up to this event; what is counted elsewhere is not wanted any more.
    pub fn know(&mut self, seq: Seq, value: T) {
        (self.known, self.order) = (Some((seq, value)), None);
    }

    /// Something else is to be counted.
    pub fn forget(&mut self) {
        (self.known, self.order) = (None, None);
    }

    /// When it is to be counted again; none where nothing has happened since, and while it is counted.
    pub fn wake_at(&self, seq: Seq) -> Option<u64> {
        let is_old = self.known.is_some() && self.at() != Some(seq);
        (is_old && self.order.is_none()).then_some(self.next)
    }
}

/// What was counted, and up to which event.
#[derive(Debug, Clone)]
pub struct Counted<T> {
    no: u64,
    seq: Seq,
    value: T,
}

/// What is counted of the thing that is looked at: never taken for what was counted of another one.
#[derive(Debug, Clone)]
pub struct CountOf<K, T> {
    about: Option<K>,
    count: Count<T>,
    /// What nobody has begun to work out yet.
    work: Option<Work>,
}

impl<K, T> Default for CountOf<K, T> {
    fn default() -> Self {
        Self {
            about: None,
            count: Count::default(),
            work: None,
        }
    }
}

impl<K: Clone + PartialEq + Send + Sync + 'static, T: 'static> CountOf<K, T> {
    /// Works it out, where something has happened since that was done; `now` is in milliseconds.
    pub fn look(
        &mut self,
        about: Option<K>,
        (state, now): (&State, u64),
        of: fn(&State, &K) -> T,
        found: fn(Counted<T>) -> Finding,
    ) {
        if self.about != about {
            self.about.clone_from(&about);
            self.count.forget();
            self.work = None;
        }
        if let Some(about) = about {
            let of = move |state: &State| of(state, &about);
            let work = self.count.refresh(state, now, of, found);
            self.work = work.or(self.work.take());
        }
    }

    /// Works it out now, however long that takes: somebody acts on it.
    pub fn renew(&mut self, state: &State, of: fn(&State, &K) -> T) -> Option<&T> {
        if let Some(about) = self.about.as_ref().filter(|_| self.count.at() != Some(state.seq)) {
            self.count.know(state.seq, of(state, about));
            self.work = None;
        }
        self.known()
    }

    /// The thing that is looked at.
    pub const fn about(&self) -> Option<&K> {
        self.about.as_ref()
    }

    /// What came of it, once that is known.
    pub fn known(&self) -> Option<&T> {
        self.count.known()
    }

    /// The newest event that is in it; none before it is known.
    pub fn at(&self) -> Option<Seq> {
        self.count.at()
    }

    /// Takes in what was worked out.
    pub fn put(&mut self, counted: Counted<T>) {
        self.count.put(counted);
    }

    /// When it is to be worked out again.
    pub fn wake_at(&self, seq: Seq) -> Option<u64> {
        self.about.as_ref().and_then(|_| self.count.wake_at(seq))
    }

    /// What is to be worked out since this was asked last.
    pub const fn take_work(&mut self) -> Option<Work> {
        self.work.take()
    }
}
