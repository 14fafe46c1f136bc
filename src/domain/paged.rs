//! What a run holds by number: a sorted map in pages, of which those that nobody looks at are packed.
//!
//! A run of weeks has hundreds of thousands of nodes, of which a moment concerns the last few and those on the screen.
//! A page that is asked for is unpacked on the spot and stays so until the map rests. Who reads notices nothing of it
//! but the time. New keys mostly belong at the end. Must not know: what is held, when to rest.

mod page;
#[cfg(test)]
mod tests;

use std::fmt;
use std::ops::{Bound, Deref, Index, RangeBounds};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use page::Page;
pub use page::{Key, Rows};

use super::pack::Pack;

/// Values of a page. Tests have small ones, so that every test is one of packing, too.
const ROWS: usize = if cfg!(test) { 3 } else { 128 };
/// Pages at the end that are never packed: what goes on is there.
const OPEN: usize = if cfg!(test) { 1 } else { 3 };
/// Pages that were unpacked to be looked at and may stay so.
const AWAKE: usize = if cfg!(test) { 2 } else { 16 };

/// Pages that are packed at one rest: an edit that changes half of a long run lets nobody wait for all of them.
const PACKS: usize = if cfg!(test) { 1000 } else { 16 };

/// Values by key, in the order of their keys.
pub struct Paged<K, V> {
    /// The first key of each page.
    firsts: Vec<K>,
    pages: Vec<Page<K, V>>,
    len: usize,
    /// Pages that were unpacked since the map last rested.
    woken: AtomicUsize,
    /// Room that the rows of a packed page had, for the next page: what is begun and packed in turn otherwise leaves gaps
    /// between what stays.
    room: Option<Rows<K, V>>,
}

impl<K, V> Default for Paged<K, V> {
    fn default() -> Self {
        Self {
            firsts: Vec::new(),
            pages: Vec::new(),
            len: 0,
            woken: AtomicUsize::new(0),
            room: None,
        }
    }
}

impl<K: Clone, V: Clone> Clone for Paged<K, V> {
    fn clone(&self) -> Self {
        Self {
            firsts: self.firsts.clone(),
            pages: self.pages.clone(),
            len: self.len,
            woken: AtomicUsize::new(0),
            room: None,
        }
    }
}

/// A value that is read without its page being unpacked for others.
#[derive(Debug)]
pub enum Seen<'p, K, V> {
    /// It lies there.
    Here(&'p V),
    /// It was unpacked for this.
    Read(Arc<Rows<K, V>>, usize),
}

impl<K, V> Deref for Seen<'_, K, V> {
    type Target = V;

    fn deref(&self) -> &V {
        match self {
            Self::Here(value) => value,
            Self::Read(rows, at) => &rows.values[*at],
        }
    }
}

/// Looks up values mostly in their order and leaves packed pages packed: the one read last is remembered.
pub struct Reader<'p, K, V> {
    paged: &'p Paged<K, V>,
    /// The page that was unpacked last, with its place.
    last: Option<(usize, Arc<Rows<K, V>>)>,
}

impl<'p, K: Key, V: Pack + PartialEq> Reader<'p, K, V> {
    /// The value of a key.
    pub fn get(&mut self, key: &K) -> Option<Seen<'p, K, V>> {
        let at = self.paged.page_of(key)?;
        let page = self.paged.pages.get(at)?;
        if let Some(rows) = page.awake() {
            return rows.values.get(rows.find(key).ok()?).map(Seen::Here);
        }
        let rows = match &self.last {
            Some((last, rows)) if *last == at => Arc::clone(rows),
            _ => Arc::new(page.unpacked()),
        };
        let place = rows.find(key).ok();
        self.last = Some((at, Arc::clone(&rows)));
        Some(Seen::Read(rows, place?))
    }
}

impl<K: Key, V: Pack + PartialEq> Paged<K, V> {
    /// The page that a key belongs to.
    fn page_of(&self, key: &K) -> Option<usize> {
        match self.firsts.last() {
            Some(first) if first <= key => Some(self.firsts.len() - 1),
            _ => self.firsts.partition_point(|first| first <= key).checked_sub(1),
        }
    }

    /// The value of a key.
    pub fn get(&self, key: &K) -> Option<&V> {
        let page = self.pages.get(self.page_of(key)?)?;
        let rows = page.rows(&self.woken);
        rows.values.get(rows.find(key).ok()?)
    }

    /// The value of a key, to be changed.
    pub fn get_mut(&mut self, key: &K) -> Option<&mut V> {
        let page = self.page_of(key)?;
        let rows = self.pages.get_mut(page)?.rows_mut()?;
        let at = rows.find(key).ok()?;
        rows.values.get_mut(at)
    }

    /// True where the key has a value.
    pub fn contains_key(&self, key: &K) -> bool {
        self.get(key).is_some()
    }

    /// Gives a key a value; gives back the one that it had.
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        let at = self.page_of(&key).unwrap_or(0);
        let is_last = at + 1 >= self.pages.len();
        let Some(page) = self.pages.get_mut(at) else {
            self.begin(key, value);
            return None;
        };
        if is_last && page.len() >= ROWS && page.last().is_some_and(|last| *last < key) {
            self.begin(key, value);
            return None;
        }
        let rows = page.rows_mut()?;
        match rows.find(&key) {
            Ok(there) => rows
                .values
                .get_mut(there)
                .map(|old| std::mem::replace(old, value)),
            Err(before) => {
                if let Some(first) = self.firsts.get_mut(at).filter(|first| key < **first) {
                    *first = key;
                }
                rows.keys.insert(before, key);
                rows.values.insert(before, value);
                self.len += 1;
                self.split(at);
                None
            }
        }
    }

    /// Begins a page at the end.
    fn begin(&mut self, key: K, value: V) {
        self.firsts.push(key);
        let mut rows = self.room.take().unwrap_or_else(|| Rows::with_room(ROWS));
        rows.push(key, value);
        self.pages.push(Page::of(rows));
        self.len += 1;
    }

    /// Makes two of a page that became too long.
    fn split(&mut self, at: usize) {
        let Some(page) = self.pages.get_mut(at).filter(|page| page.len() > 2 * ROWS) else {
            return;
        };
        let Some(behind) = page.rows_mut().map(|rows| rows.split_off(ROWS)) else {
            return;
        };
        if let Some(first) = behind.keys.first() {
            self.firsts.insert(at + 1, *first);
            self.pages.insert(at + 1, Page::of(behind));
        }
    }

    /// How many keys have a value.
    pub const fn len(&self) -> usize {
        self.len
    }

    /// True where none has.
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    fn iter_of(&self, pages: std::ops::Range<usize>) -> impl DoubleEndedIterator<Item = (&K, &V)> + Clone {
        let pages = self.pages.get(pages).unwrap_or_default();
        pages.iter().flat_map(|page| {
            let rows = page.rows(&self.woken);
            rows.keys.iter().zip(&rows.values)
        })
    }

    /// All keys with their values, in order. Whoever goes through all of them asks for [`Self::scan`].
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (&K, &V)> + Clone {
        self.iter_of(0..self.pages.len())
    }

    /// All keys, in order.
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = &K> + Clone {
        self.iter().map(|(key, _)| key)
    }

    /// All values, in the order of their keys.
    pub fn values(&self) -> impl DoubleEndedIterator<Item = &V> + Clone {
        self.iter().map(|(_, value)| value)
    }

    /// The keys of a range with their values, in order.
    pub fn range(&self, range: impl RangeBounds<K>) -> impl DoubleEndedIterator<Item = (&K, &V)> {
        let page = |key: &K| self.page_of(key).unwrap_or(0);
        let from = match range.start_bound() {
            Bound::Included(key) | Bound::Excluded(key) => page(key),
            Bound::Unbounded => 0,
        };
        let to = match range.end_bound() {
            Bound::Included(key) | Bound::Excluded(key) => (page(key) + 1).min(self.pages.len()),
            Bound::Unbounded => self.pages.len(),
        };
        self.iter_of(from..to.max(from))
            .filter(move |(key, _)| range.contains(*key))
    }

    /// All values, in the order of their keys; packed pages stay packed.
    pub fn scan(&self) -> impl DoubleEndedIterator<Item = Seen<'_, K, V>> {
        self.pages.iter().flat_map(Page::scan)
    }

    /// For looking up many values in their order, of which most are packed and are to stay so.
    pub const fn reader(&self) -> Reader<'_, K, V> {
        Reader {
            paged: self,
            last: None,
        }
    }

    /// True where more was unpacked than may stay so.
    pub fn is_crowded(&self) -> bool {
        self.woken.load(Ordering::Relaxed) > AWAKE
    }

    /// Packs what nobody has looked at since it last rested; where more was unpacked than may stay so, all but the end.
    pub fn rest(&mut self) {
        self.pack(self.is_crowded(), PACKS);
    }

    /// Packs all but the end.
    pub fn rest_all(&mut self) {
        self.pack(true, usize::MAX);
    }

    /// Lets pages go; packs at most so many that were changed. With any left it stays crowded.
    fn pack(&mut self, all: bool, most: usize) {
        self.woken = AtomicUsize::new(0);
        let closed = self.pages.len().saturating_sub(OPEN);
        let mut room = most;
        for page in self.pages.iter_mut().take(closed) {
            if page.is_to_be_packed(all) {
                if room == 0 {
                    self.woken = AtomicUsize::new(AWAKE + 1);
                    continue;
                }
                room -= 1;
            }
            if let Some(rows) = page.rest(all)
                && self.room.is_none()
            {
                self.room = rows.emptied(ROWS);
            }
        }
    }
}

impl<K: Key, V: Pack + PartialEq> Index<&K> for Paged<K, V> {
    type Output = V;

    /// For those who know that it is there; others ask with [`Paged::get`].
    fn index(&self, key: &K) -> &V {
        let page = self.page_of(key).unwrap_or(usize::MAX);
        let rows = self.pages[page].rows(&self.woken);
        &rows.values[rows.find(key).unwrap_or(usize::MAX)]
    }
}

impl<K: Key, V: Pack + PartialEq> PartialEq for Paged<K, V> {
    fn eq(&self, other: &Self) -> bool {
        self.len == other.len && self.iter().eq(other.iter())
    }
}

impl<K: Key, V: Pack + Eq> Eq for Paged<K, V> {}

impl<K: Key + fmt::Debug, V: Pack + PartialEq + fmt::Debug> fmt::Debug for Paged<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}
