//! Numbers in as few bytes as they need, and lists that grow by an eighth of their length instead of all of it.
//!
//! A number is a varint: seven bits in a byte, the lowest first; the eighth says that more follow. Must not know: what
//! the numbers mean.

mod series;

pub use series::Series;

/// The bit that says that more bytes follow.
const MORE: u8 = 0x80;
/// Elements for which a list makes room at least.
const LEAST: usize = 16;

/// Appends a number.
pub fn push(out: &mut Vec<u8>, mut number: u64) {
    while number >= u64::from(MORE) {
        out.push(number as u8 | MORE);
        number >>= 7;
    }
    out.push(number as u8);
}

/// A number that may be negative as one that is not: its sign is the last bit, so that what is near zero stays small.
pub const fn folded(number: i64) -> u64 {
    (number as u64) << 1 ^ (number >> 63) as u64
}

/// The number that was folded.
pub const fn unfolded(number: u64) -> i64 {
    (number >> 1) as i64 ^ -((number & 1) as i64)
}

/// Appends a number that may be negative; what is near zero is short.
pub fn push_signed(out: &mut Vec<u8>, number: i64) {
    push(out, folded(number));
}

/// Appends a number with a flag; the flag takes a bit.
pub fn push_flagged(out: &mut Vec<u8>, flag: bool, number: u64) {
    let first = (number as u8 & 0x3f) << 1 | u8::from(flag);
    if number >> 6 == 0 {
        return out.push(first);
    }
    out.push(first | MORE);
    push(out, number >> 6);
}

/// Makes room for more elements: an eighth of the length where that is more.
pub fn make_room<T>(list: &mut Vec<T>, more: usize) {
    if list.capacity() - list.len() < more {
        list.reserve_exact(more.max(list.len() / 8).max(LEAST));
    }
}

/// Reads what was appended, in its order.
#[derive(Debug, Clone, Copy, Default)]
pub struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    /// Reads from the beginning of these bytes.
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    /// True where nothing is left.
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The next byte as it is.
    pub fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    /// So many bytes as they are.
    pub fn slice(&mut self, count: usize) -> Option<&'a [u8]> {
        let (first, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(first)
    }

    /// The next bytes as they are.
    pub fn bytes<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (first, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*first)
    }

    /// The next number; none where it does not end.
    pub fn number(&mut self) -> Option<u64> {
        let mut number = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & !MORE) << shift;
            if byte & MORE == 0 {
                break;
            }
        }
        Some(number)
    }

    /// The next number that may be negative.
    pub fn signed(&mut self) -> Option<i64> {
        self.number().map(unfolded)
    }

    /// The next number with its flag.
    pub fn flagged(&mut self) -> Option<(bool, u64)> {
        let first = self.byte()?;
        let low = u64::from(first >> 1 & 0x3f);
        let high = if first & MORE == 0 { 0 } else { self.number()? << 6 };
        Some((first & 1 == 1, low | high))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn number() -> impl Strategy<Value = u64> {
        prop_oneof![
            0..300_u64,
            any::<u64>(),
            Just(u64::MAX),
            (0..64_u32).prop_map(|bit| 1 << bit)
        ]
    }

    proptest! {
        #[test]
        fn numbers_come_back_as_they_went(all in prop::collection::vec((number(), any::<bool>()), 0..40)) {
            let mut bytes = Vec::new();
            for (number, flag) in &all {
                push(&mut bytes, *number);
                push_signed(&mut bytes, *number as i64);
                push_flagged(&mut bytes, *flag, *number);
            }
            let mut reader = Reader::new(&bytes);
            for (number, flag) in &all {
                prop_assert_eq!(reader.number(), Some(*number));
                prop_assert_eq!(reader.signed(), Some(*number as i64));
                prop_assert_eq!(reader.flagged(), Some((*flag, *number)));
            }
            prop_assert!(reader.is_empty());
            prop_assert_eq!((reader.number(), reader.signed(), reader.flagged()), (None, None, None));
        }

        #[test]
        fn any_bytes_can_be_read(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
            let mut numbers = Reader::new(&bytes);
            while numbers.number().is_some() {}
            let mut flagged = Reader::new(&bytes);
            while flagged.flagged().is_some() {}
            prop_assert!(numbers.is_empty() && flagged.is_empty());
        }
    }

    #[test]
    fn small_numbers_take_one_byte_and_a_long_list_has_little_room_to_spare() {
        let mut bytes = Vec::new();
        push(&mut bytes, 127);
        push_signed(&mut bytes, -64);
        push_flagged(&mut bytes, true, 63);
        assert_eq!(bytes.len(), 3);
        let mut list = Vec::new();
        for no in 0..100_000_u32 {
            make_room(&mut list, 1);
            list.push(no);
        }
        assert!(list.capacity() <= list.len() + list.len() / 8);
    }
}
