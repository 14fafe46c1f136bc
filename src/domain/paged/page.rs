//! A page of a map: its rows, or what they were packed to, or both until somebody changes one.
//!
//! A page is packed only if what is read back equals what was there. Must not know: its neighbours.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use super::Seen;
use crate::domain::id::{NodeId, Seq, TurnId};
use crate::domain::pack::{Pack, Packed, Packer};

/// What a map is ordered by.
pub trait Key: Copy + Ord + Pack {}

impl Key for NodeId {}
impl Key for TurnId {}
impl Key for Seq {}

/// Keys and their values, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rows<K, V> {
    /// The keys.
    pub keys: Vec<K>,
    /// The value of each.
    pub values: Vec<V>,
}

impl<K: Ord, V> Rows<K, V> {
    /// No key, with room for so many.
    pub fn with_room(room: usize) -> Self {
        Self {
            keys: Vec::with_capacity(room),
            values: Vec::with_capacity(room),
        }
    }

    /// The same room without what is in it; none where that is not room for so many.
    pub fn emptied(mut self, room: usize) -> Option<Self> {
        self.keys.clear();
        self.values.clear();
        let (keys, values) = (self.keys.capacity(), self.values.capacity());
        (keys == room && values == room).then_some(self)
    }

    /// Puts a key at the end.
    pub fn push(&mut self, key: K, value: V) {
        self.keys.push(key);
        self.values.push(value);
    }

    /// The place of a key, or the one where it would stand.
    pub fn find(&self, key: &K) -> Result<usize, usize> {
        match self.keys.last() {
            Some(last) if last < key => Err(self.keys.len()),
            _ => self.keys.binary_search(key),
        }
    }

    /// Takes away what stands from a place on.
    pub fn split_off(&mut self, at: usize) -> Self {
        Self {
            keys: self.keys.split_off(at),
            values: self.values.split_off(at),
        }
    }
}

/// A page.
pub struct Page<K, V> {
    /// What it was packed to; none once a row was changed.
    packed: Option<Arc<Packed>>,
    /// Its rows, once they were asked for.
    rows: OnceLock<Box<Rows<K, V>>>,
    len: u32,
    /// True once a row was asked for since it last rested.
    used: AtomicBool,
    /// True where it cannot be packed: it would be read back otherwise.
    stays: bool,
}

impl<K: Clone, V: Clone> Clone for Page<K, V> {
    /// What is packed is shared, and nothing is unpacked for that.
    fn clone(&self) -> Self {
        Self {
            packed: self.packed.clone(),
            rows: match self.packed {
                Some(_) => OnceLock::new(),
                None => self.rows.clone(),
            },
            len: self.len,
            used: AtomicBool::new(false),
            stays: self.stays,
        }
    }
}

fn unpack<K: Key, V: Pack>(packed: &Packed, len: u32) -> Option<Rows<K, V>> {
    let len = len as usize;
    packed.read(|from| {
        // No more room than they take: some pages stay unpacked for long.
        let mut rows = Rows::with_room(len);
        for _ in 0..len {
            rows.keys.push(K::unpack(from)?);
        }
        for _ in 0..len {
            rows.values.push(V::unpack(from)?);
        }
        Some(rows)
    })
}

impl<K: Key, V: Pack + PartialEq> Page<K, V> {
    /// A page of these rows.
    pub fn of(rows: Rows<K, V>) -> Self {
        Self {
            packed: None,
            len: rows.keys.len() as u32,
            rows: OnceLock::from(Box::new(rows)),
            used: AtomicBool::new(true),
            stays: false,
        }
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        match self.rows.get() {
            Some(rows) => rows.keys.len(),
            None => self.len as usize,
        }
    }

    /// The last key, where the page is not packed.
    pub fn last(&self) -> Option<&K> {
        self.rows.get()?.keys.last()
    }

    /// Its rows, where they are unpacked.
    pub fn awake(&self) -> Option<&Rows<K, V>> {
        self.rows.get().map(|rows| &**rows)
    }

    /// Its rows, unpacked for whoever asks and nobody else.
    pub fn unpacked(&self) -> Rows<K, V> {
        // What was packed had been read back before.
        let rows = self.packed.as_ref().and_then(|packed| unpack(packed, self.len));
        rows.unwrap_or_else(|| Rows::with_room(0))
    }

    /// Its rows; counted where they had to be unpacked.
    pub fn rows(&self, woken: &AtomicUsize) -> &Rows<K, V> {
        if !self.used.load(Ordering::Relaxed) {
            self.used.store(true, Ordering::Relaxed);
        }
        self.rows.get_or_init(|| {
            woken.fetch_add(1, Ordering::Relaxed);
            Box::new(self.unpacked())
        })
    }

    /// Its rows, to be changed.
    pub fn rows_mut(&mut self) -> Option<&mut Rows<K, V>> {
        let rows = self.rows.take().unwrap_or_else(|| Box::new(self.unpacked()));
        self.rows = OnceLock::from(rows);
        (self.packed, self.stays) = (None, false);
        self.used = AtomicBool::new(true);
        self.rows.get_mut().map(|rows| &mut **rows)
    }

    /// Its values, unpacked for this alone where they are packed.
    pub fn scan(&self) -> impl DoubleEndedIterator<Item = Seen<'_, K, V>> + use<'_, K, V> {
        let read = match self.rows.get() {
            Some(_) => None,
            None => Some(Arc::new(self.unpacked())),
        };
        let count = read.as_ref().map_or(0, |rows| rows.values.len());
        let here = self.rows.get().map_or(&[][..], |rows| &rows.values);
        let read = (0..count).filter_map(move |at| Some(Seen::Read(Arc::clone(read.as_ref()?), at)));
        here.iter().map(Seen::Here).chain(read)
    }

    /// True where [`Self::rest`] would have to pack its rows: nothing else of it takes long.
    pub fn is_to_be_packed(&mut self, all: bool) -> bool {
        let rests = all || !*self.used.get_mut();
        rests && !self.stays && self.packed.is_none() && self.rows.get().is_some()
    }

    /// Packs it, unless it was asked for since it last rested; gives back the room that its rows had.
    pub fn rest(&mut self, all: bool) -> Option<Rows<K, V>> {
        let rows = self.rows.get()?;
        let used = std::mem::replace(self.used.get_mut(), false);
        if self.stays || (used && !all) {
            return None;
        }
        if self.packed.is_none() {
            let mut to = Packer::default();
            for key in &rows.keys {
                key.pack(&mut to);
            }
            for value in &rows.values {
                value.pack(&mut to);
            }
            let (packed, len) = (to.packed(), rows.keys.len() as u32);
            if unpack::<K, V>(&packed, len).as_ref() != Some(&**rows) {
                self.stays = true;
                return None;
            }
            self.packed = Some(Arc::new(packed));
            self.len = len;
        }
        self.rows.take().map(|rows| *rows)
    }
}
