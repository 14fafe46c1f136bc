//! Keeps the state of a thing at the end of every epoch that changed it.
//!
//! Must not know: what is kept, which branch is wanted.
//!
//! An earlier branch is restored from it, without a copy of the whole run. The first change in a
//! later epoch stores the old state; further changes in the same epoch store nothing.

use super::id::Epoch;

/// Earlier states of one thing. Its owner keeps the present one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct History<T> {
    since: Epoch,
    /// What it was, each with the epoch since which it was so.
    was: Vec<(Epoch, T)>,
}

/// What a thing was at the end of an epoch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Then<'h, T> {
    /// There was none yet, or only on another branch.
    Absent,
    /// What it is now.
    Now,
    /// Something else.
    Was(&'h T),
}

impl<T> History<T> {
    /// The history of a thing that appears in an epoch.
    pub const fn begun(epoch: Epoch) -> Self {
        Self {
            since: epoch,
            was: Vec::new(),
        }
    }

    /// The newest epoch that changed the thing.
    pub const fn since(&self) -> Epoch {
        self.since
    }

    /// True where an epoch has not changed the thing yet: what it is must be kept before it does.
    pub fn is_due(&self, epoch: Epoch) -> bool {
        self.since < epoch
    }

    /// What the thing was at the end of the newest epoch of a line.
    pub fn at(&self, line: &Line) -> Then<'_, T> {
        if line.holds(self.since) {
            return Then::Now;
        }
        let newest = self.was.iter().rev().find(|(epoch, _)| line.holds(*epoch));
        newest.map_or(Then::Absent, |(_, was)| Then::Was(was))
    }

    /// Returns the newest epoch of a line that changed the thing.
    pub fn since_on(&self, line: &Line) -> Option<Epoch> {
        if line.holds(self.since) {
            return Some(self.since);
        }
        let mut before = self.was.iter().rev().map(|(since, _)| *since);
        before.find(|since| line.holds(*since))
    }

    /// Returns the line as it was before each change of the thing, and the whole line.
    pub fn ends_on<'h>(&'h self, line: &'h Line) -> impl Iterator<Item = Line> + 'h {
        let changes = self
            .was
            .iter()
            .map(|(since, _)| *since)
            .skip(1)
            .chain([self.since]);
        let before = changes.filter(|epoch| epoch.0 > 0 && line.holds(*epoch));
        let cut = before.map(|epoch| line.until(Epoch(epoch.0 - 1)));
        cut.chain(std::iter::once(line.clone()))
    }

    /// Returns what the thing was when an epoch ended, on the branch that was current then.
    pub fn when(&self, ended: Epoch) -> Then<'_, T> {
        if self.since <= ended {
            return Then::Now;
        }
        let newest = self.was.iter().rev().find(|(since, _)| *since <= ended);
        newest.map_or(Then::Absent, |(_, was)| Then::Was(was))
    }

    /// Returns true if it ever had such a state on a line.
    pub fn was_ever(&self, line: &Line, so: impl Fn(&T) -> bool) -> bool {
        self.was.iter().any(|(since, was)| line.holds(*since) && so(was))
    }

    /// What it was before, newest first, each with the newest epoch (in time) at whose end it was so.
    pub fn spans(&self) -> impl Iterator<Item = (Epoch, &T)> {
        let mut until = self.since;
        self.was.iter().rev().map(move |(since, was)| {
            let last = Epoch(until.0.saturating_sub(1));
            until = *since;
            (last, was)
        })
    }
}

impl<T: Clone> History<T> {
    /// Keeps what the thing was before an epoch changed it.
    pub fn keep(&mut self, epoch: Epoch, was: T) {
        if self.is_due(epoch) {
            self.was.push((self.since, was));
            self.since = epoch;
        }
    }
}

/// The epochs that led to one of them: itself, the one that it began from, and so on.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Line(Vec<bool>);

impl Line {
    /// A line through these epochs.
    pub fn through(epochs: impl IntoIterator<Item = Epoch>) -> Self {
        let mut held = Vec::new();
        for Epoch(no) in epochs {
            let no = no as usize;
            if held.len() <= no {
                held.resize(no + 1, false);
            }
            if let Some(place) = held.get_mut(no) {
                *place = true;
            }
        }
        Self(held)
    }

    /// Returns the line up to an epoch.
    pub fn until(&self, epoch: Epoch) -> Self {
        let len = self.0.len().min(epoch.0 as usize + 1);
        Self(self.0[..len].to_vec())
    }

    /// True where the line goes through an epoch.
    pub fn holds(&self, epoch: Epoch) -> bool {
        self.0.get(epoch.0 as usize).copied().unwrap_or(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thing_is_what_its_line_last_made_of_it() {
        let mut history = History::begun(Epoch(1));
        // Epoch 1 says a, epoch 3 says b, epoch 6 says c.
        history.keep(Epoch(3), 'a');
        history.keep(Epoch(3), 'x');
        history.keep(Epoch(6), 'b');
        let at = |epochs: &[u32]| {
            let line = Line::through(epochs.iter().copied().map(Epoch));
            match history.at(&line) {
                Then::Absent => "absent".to_owned(),
                Then::Now => "now".to_owned(),
                Then::Was(was) => was.to_string(),
            }
        };
        let when = |epoch: u32| match history.when(Epoch(epoch)) {
            Then::Absent => "absent".to_owned(),
            Then::Now => "now".to_owned(),
            Then::Was(was) => was.to_string(),
        };
        assert_eq!(
            [0, 1, 2, 3, 5, 6, 9].map(when),
            ["absent", "a", "a", "b", "b", "now", "now"]
        );
        assert_eq!(at(&[0]), "absent");
        assert_eq!(at(&[0, 1]), "a");
        assert_eq!(at(&[0, 1, 2]), "a");
        assert_eq!(at(&[0, 1, 2, 3, 4]), "b");
        assert_eq!(
            at(&[0, 1, 5]),
            "a",
            "what another branch did is nothing to this one"
        );
        assert_eq!(at(&[0, 1, 6]), "now");
        assert_eq!(at(&[]), "absent");
    }
}
