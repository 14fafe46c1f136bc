//! What few of many things have: it takes the room of one pointer where there is nothing of it.
//!
//! It is read as if it always stood there, and changed as a whole, so that its room is given back with the last of
//! it. Must not know: what is held.

use std::ops::Deref;
use std::sync::Arc;

/// What stands there where nothing was put in.
pub trait Blank: Clone + Default + PartialEq + 'static {
    /// It as it begins, for all to read.
    fn blank() -> &'static Self;
}

/// A part that few have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seldom<T>(Option<Arc<T>>);

impl<T> Default for Seldom<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T> Seldom<T> {
    /// A part that somebody else may hold, too; nothing for one that is blank.
    pub(super) const fn of(part: Option<Arc<T>>) -> Self {
        Self(part)
    }

    /// The part, where there is something.
    pub(super) const fn part(&self) -> Option<&Arc<T>> {
        self.0.as_ref()
    }
}

impl<T: Blank> Seldom<T> {
    /// Changes the part.
    pub fn change(&mut self, change: impl FnOnce(&mut T)) {
        if let Some(part) = &mut self.0 {
            let part = Arc::make_mut(part);
            change(part);
            if *part == *T::blank() {
                self.0 = None;
            }
            return;
        }
        let mut part = T::default();
        change(&mut part);
        if part != *T::blank() {
            self.0 = Some(Arc::new(part));
        }
    }
}

impl<T: Blank> Deref for Seldom<T> {
    type Target = T;

    fn deref(&self) -> &T {
        match &self.0 {
            Some(part) => part,
            None => T::blank(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Clone, Default, PartialEq, Eq)]
    struct Part(Vec<u8>);

    impl Blank for Part {
        fn blank() -> &'static Self {
            static BLANK: Part = Part(Vec::new());
            &BLANK
        }
    }

    #[test]
    fn it_takes_room_only_while_there_is_something() {
        let mut part = Seldom::<Part>::default();
        assert_eq!(size_of_val(&part), size_of::<usize>());
        part.change(|part| part.0.clear());
        assert!(part.0.is_none(), "nothing was put in");
        part.change(|part| part.0.push(7));
        assert!(part.0.is_some());
        assert_eq!((*part).0, [7]);
        assert_ne!(part, Seldom::default());
        part.change(|part| part.0.push(8));
        assert_eq!((*part).0, [7, 8]);
        part.change(|part| part.0.clear());
        assert!(part.0.is_none(), "its room is given back");
        assert_eq!(part, Seldom::default());
    }
}
