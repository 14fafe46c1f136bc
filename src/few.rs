//! A list that nearly always has one element, which then needs no allocation.
//!
//! Must not know: what is held.

use std::ops::{Deref, DerefMut};

/// A list of no, one or, rarely, several elements.
#[derive(Debug, Clone, Default)]
pub enum Few<T> {
    /// No element.
    #[default]
    None,
    /// One element.
    One(T),
    /// Any number of elements.
    More(Vec<T>),
}

impl<T> Few<T> {
    /// Appends an element.
    pub fn push(&mut self, one: T) {
        *self = match std::mem::take(self) {
            Self::None => Self::One(one),
            Self::One(first) => Self::More(vec![first, one]),
            Self::More(mut all) => {
                all.push(one);
                Self::More(all)
            }
        };
    }
}

impl<T> From<Vec<T>> for Few<T> {
    fn from(mut all: Vec<T>) -> Self {
        match all.len() {
            0 => Self::None,
            1 => all.pop().map_or(Self::None, Self::One),
            _ => {
                all.shrink_to_fit();
                Self::More(all)
            }
        }
    }
}

impl<T> Deref for Few<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        match self {
            Self::None => &[],
            Self::One(one) => std::slice::from_ref(one),
            Self::More(all) => all,
        }
    }
}

impl<T> DerefMut for Few<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        match self {
            Self::None => &mut [],
            Self::One(one) => std::slice::from_mut(one),
            Self::More(all) => all,
        }
    }
}

impl<'f, T> IntoIterator for &'f Few<T> {
    type Item = &'f T;
    type IntoIter = std::slice::Iter<'f, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<T: PartialEq, const N: usize> PartialEq<[T; N]> for Few<T> {
    fn eq(&self, other: &[T; N]) -> bool {
        **self == *other
    }
}

impl<T: PartialEq> PartialEq for Few<T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: Eq> Eq for Few<T> {}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn it_is_a_list(all in prop::collection::vec(any::<u8>(), 0..6)) {
            let mut few = Few::default();
            for one in &all {
                few.push(*one);
            }
            prop_assert_eq!(&*few, &*all);
            prop_assert_eq!(&Few::from(all.clone()), &few);
            prop_assert!(all.len() > 1 || !matches!(Few::from(all.clone()), Few::More(_)), "one takes no room elsewhere");
            prop_assert!((&few).into_iter().eq(&all));
            prop_assert!(few == Few::More(all.clone()));
            few.iter_mut().for_each(|one| *one = one.wrapping_add(1));
            prop_assert!(few.iter().eq(all.iter().map(|one| one.wrapping_add(1)).collect::<Vec<_>>().iter()));
            prop_assert_eq!(few == Few::More(all.clone()), all.is_empty());
        }
    }
}
