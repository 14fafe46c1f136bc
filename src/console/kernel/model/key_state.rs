//! Tracks how fast keys arrive: alone, held down, tapped, or in a burst.
//!
//! Must not know: what a key does.

use crate::ground::key::Key;

/// Keys within this many milliseconds count as one burst.
pub const BURST_MS: u64 = 15;
/// More keys than this in a burst decide nothing.
pub const BURST_KEYS: usize = 3;
/// Keys within this many milliseconds after a paste decide nothing: they may be the rest of it.
pub const PASTE_MS: u64 = 300;
/// Milliseconds after which the same key is certainly another press. A terminal does not
/// distinguish a held key from repeated presses. The first repeat of a held key comes after 250 to
/// 1,000 ms, by the settings of the system, the others within a tenth of a second.
pub const HELD_MS: u64 = 1_000;
/// Minimum time between presses of the same key by hand, in milliseconds. Repeats of a held key are
/// faster, except the first.
const TAP_MS: u64 = 150;

/// Keys that were pressed.
#[derive(Debug, Clone, Default)]
pub struct KeyState {
    /// Times of the latest keys.
    pub times: Vec<u64>,
    /// The latest key and its time.
    pub newest: Option<(Key, u64)>,
    /// Milliseconds between the newest key and the same one before it.
    gap: Option<u64>,
    /// Keys that wait until a burst is ruled out.
    pub held: Vec<Key>,
    /// Time of the first held key.
    pub since: u64,
    /// Time of the last paste.
    pub pasted: Option<u64>,
    /// Time of the last ctrl-c.
    pub interrupted: Option<u64>,
    /// True to quit once nothing runs.
    pub leaving: bool,
}

/// How a key arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    /// Alone.
    Single,
    /// Soon after the same key, as if held down.
    Held,
    /// Soon after the same key for at least the second time, and too slowly for a held key.
    Tapped,
    /// With others, faster than a person types.
    Burst,
}

impl KeyState {
    /// Records a key and returns how fast it came.
    pub fn note(&mut self, key: Key, at: u64) -> Pace {
        self.times.retain(|time| at.saturating_sub(*time) <= BURST_MS);
        self.times.push(at);
        // Older times do not matter.
        if self.times.len() > BURST_KEYS + 1 {
            self.times.remove(0);
        }
        let before = self.newest.replace((key, at));
        let gap = before.filter(|(one, _)| *one == key);
        let gap = gap
            .map(|(_, then)| at.saturating_sub(then))
            .filter(|gap| *gap < HELD_MS);
        let before = std::mem::replace(&mut self.gap, gap);
        let slow = |gap: Option<u64>| gap.is_some_and(|gap| gap >= TAP_MS);
        match gap {
            _ if self.times.len() > BURST_KEYS => Pace::Burst,
            None => Pace::Single,
            // The first repeat comes late: the next one decides.
            Some(_) if slow(gap) && slow(before) => Pace::Tapped,
            Some(_) => Pace::Held,
        }
    }

    /// True for a short time after a paste.
    pub fn is_after_paste(&self, at: u64) -> bool {
        self.pasted
            .is_some_and(|then| at.saturating_sub(then) <= PASTE_MS)
    }

    /// When the held keys are processed, or keys can decide again after a paste.
    pub fn wake_at(&self, now: u64) -> Option<u64> {
        let held = (!self.held.is_empty()).then_some(self.since + BURST_MS + 1);
        let pasted = self.pasted.map(|then| then + PASTE_MS + 1);
        held.into_iter().chain(pasted.filter(|at| *at > now)).min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_keys_in_fifteen_milliseconds_are_a_burst() {
        let mut keys = KeyState::default();
        for (c, at) in [('a', 0), ('b', 5), ('c', 10)] {
            assert_eq!(keys.note(Key::char(c), at), Pace::Single);
        }
        assert_eq!(keys.note(Key::char('d'), 15), Pace::Burst);
        assert_eq!(keys.note(Key::char('e'), 40), Pace::Single);
    }

    #[test]
    fn a_key_that_comes_again_soon_is_held_down_until_it_was_left_alone() {
        let mut keys = KeyState::default();
        let mut note = |c, at| keys.note(Key::char(c), at);
        assert_eq!(note('a', 0), Pace::Single);
        assert_eq!(note('a', 660), Pace::Held, "the first repetition");
        assert_eq!(note('a', 693), Pace::Held);
        assert_eq!(note('a', 1_600), Pace::Held, "counted from the newest");
        assert_eq!(
            note('a', 1_800),
            Pace::Tapped,
            "no key repeats itself that slowly"
        );
        assert_eq!(note('a', 2_800), Pace::Single);
        assert_eq!(note('b', 2_900), Pace::Single);
        assert_eq!(note('a', 3_000), Pace::Single, "another key was between them");
    }
}
