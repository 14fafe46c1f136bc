//! A quick hash for keys that the program itself numbers.
//!
//! Nobody outside chooses these keys, so that nothing need be spent on making collisions hard to
//! find. Must not know: lanes.

use std::hash::{BuildHasherDefault, Hasher};

/// Builds [`Quick`].
pub(super) type BuildQuick = BuildHasherDefault<Quick>;

/// Multiplies and folds, word by word.
#[derive(Debug, Clone, Copy, Default)]
pub struct Quick(u64);

impl Quick {
    fn add(&mut self, word: u64) {
        // An odd constant without pattern: the fraction of the golden ratio.
        let mixed = u128::from(self.0 ^ word) * 0x9e37_79b9_7f4a_7c15;
        self.0 = (mixed as u64) ^ ((mixed >> 64) as u64);
    }
}

impl Hasher for Quick {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.add(u64::from(*byte));
        }
    }

    fn write_u8(&mut self, word: u8) {
        self.add(u64::from(word));
    }

    fn write_u32(&mut self, word: u32) {
        self.add(u64::from(word));
    }

    fn write_u64(&mut self, word: u64) {
        self.add(word);
    }

    fn write_usize(&mut self, word: usize) {
        self.add(word as u64);
    }

    fn write_isize(&mut self, word: isize) {
        self.add(word as u64);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
