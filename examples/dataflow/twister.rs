//! The random number generator of a workload file: the Mersenne Twister (MT19937, 32 bits).
//!
//! Must not know: workloads.
//!
//! It is seeded by an array and draws like Python's `random`. So a shape drawn here equals the
//! shape in such a file, node by node.

/// Words of its state.
const WORDS: usize = 624;
/// How far back a new word reads.
const MIDDLE: usize = 397;
/// The highest bit of a word.
const TOP: u32 = 1 << 31;

/// A generator.
pub struct Twister {
    words: [u32; WORDS],
    at: usize,
}

impl Twister {
    /// As `random.Random(seed)` for a seed of one word.
    pub fn new(seed: u32) -> Self {
        let mut twister = Self {
            words: [0; WORDS],
            at: WORDS,
        };
        twister.fill(19_650_218);
        let words = &mut twister.words;
        let mixed = |before: u32, factor: u32| (before ^ (before >> 30)).wrapping_mul(factor);
        for no in 1..=WORDS {
            let at = if no < WORDS { no } else { 1 };
            if no == WORDS {
                words[0] = words[WORDS - 1];
            }
            words[at] = (words[at] ^ mixed(words[at - 1], 1_664_525)).wrapping_add(seed);
        }
        for no in 2..=WORDS {
            let at = if no < WORDS { no } else { 1 };
            if no == WORDS {
                words[0] = words[WORDS - 1];
            }
            words[at] = (words[at] ^ mixed(words[at - 1], 1_566_083_941)).wrapping_sub(at as u32);
        }
        words[0] = TOP;
        twister
    }

    fn fill(&mut self, seed: u32) {
        let mut before = seed;
        self.words[0] = seed;
        for (no, word) in (0_u32..).zip(&mut self.words).skip(1) {
            before = (before ^ (before >> 30))
                .wrapping_mul(1_812_433_253)
                .wrapping_add(no);
            *word = before;
        }
    }

    fn turn(&mut self) {
        for at in 0..WORDS {
            let both = (self.words[at] & TOP) | (self.words[(at + 1) % WORDS] & !TOP);
            let odd = if both & 1 == 1 { 0x9908_b0df } else { 0 };
            self.words[at] = self.words[(at + MIDDLE) % WORDS] ^ (both >> 1) ^ odd;
        }
        self.at = 0;
    }

    fn word(&mut self) -> u32 {
        if self.at == WORDS {
            self.turn();
        }
        let mut word = self.words[self.at];
        self.at += 1;
        word ^= word >> 11;
        word ^= (word << 7) & 0x9d2c_5680;
        word ^= (word << 15) & 0xefc6_0000;
        word ^ (word >> 18)
    }

    /// A number below this one, which is more than 0.
    pub fn below(&mut self, end: usize) -> usize {
        let bits = usize::BITS - end.leading_zeros();
        loop {
            let drawn = (self.word() >> (32 - bits)) as usize;
            if drawn < end {
                return drawn;
            }
        }
    }

    /// One of these.
    pub fn choice<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }

    /// Draws `count` different elements, for small numbers of elements.
    pub fn sample<T: Copy>(&mut self, mut of: Vec<T>, count: usize) -> Vec<T> {
        (0..count)
            .map(|_| {
                let drawn = self.below(of.len());
                of.swap_remove(drawn)
            })
            .collect()
    }
}
