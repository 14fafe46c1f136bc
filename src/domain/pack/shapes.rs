//! How the shapes that records are made of are packed: numbers, choices, lists, texts, parts that few have.
//!
//! Must not know: the records themselves.

use std::any::Any;
use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Lane, Pack, Packer, Unpacker};
use crate::domain::call::{Asking, Decision, Digest, Reach, Runs, Snags, Trouble, Under, Verdict};
use crate::domain::fingerprint::Fingerprint;
use crate::domain::history::{History, Past};
use crate::domain::id::{Attempt, Epoch, NodeId, NodeKind, Rev, Seq, ThreadId, TurnId};
use crate::domain::seldom::Seldom;
use crate::domain::state::More;
use crate::domain::turn::TurnMore;
use crate::few::Few;

/// Packs a structure by its fields; one that is missing does not compile.
macro_rules! pack_fields {
    ($name:ty { $($field:ident),+ $(,)? }) => {
        impl $crate::domain::pack::Pack for $name {
            fn pack(&self, to: &mut $crate::domain::pack::Packer) {
                let Self { $($field),+ } = self;
                $($crate::domain::pack::Pack::pack($field, to);)+
            }

            fn unpack(from: &mut $crate::domain::pack::Unpacker<'_>) -> Option<Self> {
                $(let $field = $crate::domain::pack::Pack::unpack(from)?;)+
                Some(Self { $($field),+ })
            }
        }
    };
}

/// Packs a choice by a number and the fields of what was chosen; a choice that is missing does not compile.
macro_rules! pack_choices {
    ($name:ty { $($no:literal = $choice:ident $(( $($one:ident),+ ))? $({ $($field:ident),+ })?),+ $(,)? }) => {
        impl $crate::domain::pack::Pack for $name {
            fn pack(&self, to: &mut $crate::domain::pack::Packer) {
                match self {
                    $(Self::$choice $(( $($one),+ ))? $({ $($field),+ })? => {
                        to.byte($no);
                        $($($crate::domain::pack::Pack::pack($one, to);)+)?
                        $($($crate::domain::pack::Pack::pack($field, to);)+)?
                    })+
                }
            }

            fn unpack(from: &mut $crate::domain::pack::Unpacker<'_>) -> Option<Self> {
                Some(match from.byte()? {
                    $($no => {
                        $($(let $one = $crate::domain::pack::Pack::unpack(from)?;)+)?
                        $($(let $field = $crate::domain::pack::Pack::unpack(from)?;)+)?
                        Self::$choice $(( $($one),+ ))? $({ $($field),+ })?
                    })+
                    _ => return None,
                })
            }
        }
    };
}

pub(in crate::domain) use {pack_choices, pack_fields};

impl Pack for bool {
    fn pack(&self, to: &mut Packer) {
        to.byte(u8::from(*self));
    }

    fn unpack(from: &mut Unpacker<'_>) -> Option<Self> {
        Some(from.byte()? != 0)
    }
}

macro_rules! numbers {
    ($($name:ty),+) => {
        $(impl Pack for $name {
            fn pack(&self, to: &mut Packer) {
                to.number((*self).try_into().unwrap_or(u64::MAX));
            }

            fn unpack(from: &mut Unpacker<'_>) -> Option<Self> {
                from.number()?.try_into().ok()
            }
        })+
    };
}

numbers!(u32, u64, usize);

macro_rules! counts {
    ($($name:ident),+) => {
        $(impl Pack for $name {
            fn pack(&self, to: &mut Packer) {
                to.number(u64::from(self.0));
            }

            fn unpack(from: &mut Unpacker<'_>) -> Option<Self> {
                from.number()?.try_into().ok().map(Self)
            }
        })+
    };
}

counts!(Rev, Attempt, Epoch, ThreadId);

impl Pack for Seq {
    fn pack(&self, to: &mut Packer) {
        to.near(Lane::Seq, self.0);
    }

    fn unpack(from: &mut Unpacker<'_>) -> Option<Self> {
        from.near(Lane::Seq).map(Self)
    }
}

impl Pack for i64 {
    /// Whatever has a sign in a record is a moment.
    fn pack(&self, to: &mut Packer) {
        to.near(Lane::Time, *self as u64);
    }

    fn unpack(from: &mut Unpacker<'_>) -> Option<Self> {
        from.near(Lane::Time).map(|at| at as Self)
    }
}

impl Pack for i32 {
    fn pack(&self, to: &mut Packer) {
        to.number(u64::from(self.cast_unsigned()));
    }

    fn unpack(from: &mut Unpacker<'_>) -> Option<Self> {
        u32::try_from(from.number()?).ok().map(u32::cast_signed)
    }
}

impl Pack for TurnId {
    fn pack(&self, to: &mut Packer) {
        to.near(Lane::Turn, u64::from(self.0));
    }

    fn unpack(from: &mut Unpacker<'_>) -> Option<Self> {
        from.near(Lane::Turn)?.try_into().ok().map(Self)
    }
}

impl Pack for NodeId {
    fn pack(&self, to: &mut Packer) {
        // The kind is the end of the number: a call and its observation lie side by side.
        to.near(Lane::Node, u64::from(self.no) << 3 | self.kind as u64);
    }

    fn unpack(from: &mut Unpacker<'_>) -> Option<Self> {
        let number = from.near(Lane::Node)?;
        let kind = NodeKind::ALL.get((number & 7) as usize)?;
        Some(Self::new(*kind, (number >> 3).try_into().ok()?))
    }
}

impl Pack for Arc<str> {
    fn pack(&self, to: &mut Packer) {
        to.text(self);
    }

    fn unpack(from: &mut Unpacker<'_>) -> Option<Self> {
        from.text()
    }
}

impl Pack for String {
    fn pack(&self, to: &mut Packer) {
        to.short(self);
    }

    fn unpack(from: &mut Unpacker<'_>) -> Option<Self> {
        from.text().map(|text| text.to_string())
    }
}

impl Pack for Digest {
    fn pack(&self, to: &mut Packer) {
        self.0.pack(to);
    }

    fn unpack(from: &mut Unpacker<'_>) -> Option<Self> {
        from.text().map(Self)
    }
}

impl Pack for Fingerprint {
    fn pack(&self, to: &mut Packer) {
        to.bytes.extend_from_slice(&self.bytes());
    }

    fn unpack(from: &mut Unpacker<'_>) -> Option<Self> {
        from.left.bytes().map(Self::from_bytes)
    }
}

impl<T: Pack> Pack for Option<T> {
    fn pack(&self, to: &mut Packer) {
        self.is_some().pack(to);
        if let Some(one) = self {
            one.pack(to);
        }
    }

    fn unpack(from: &mut Unpacker<'_>) -> Option<Self> {
        Some(if bool::unpack(from)? {
            Some(T::unpack(from)?)
        } else {
            None
        })
    }
}

impl<T: Pack> Pack for Box<T> {
    fn pack(&self, to: &mut Packer) {
        (**self).pack(to);
    }

    fn unpack(from: &mut Unpacker<'_>) -> Option<Self> {
        T::unpack(from).map(Self::new)
    }
}

fn list<T: Pack>(all: &[T], to: &mut Packer) {
    all.len().pack(to);
    for one in all {
        one.pack(to);
    }
}

fn items<T: Pack>(len: usize, from: &mut Unpacker<'_>) -> Option<Vec<T>> {
    (0..len).map(|_| T::unpack(from)).collect()
}

impl<T: Pack> Pack for Vec<T> {
    fn pack(&self, to: &mut Packer) {
        list(self, to);
    }

    fn unpack(from: &mut Unpacker<'_>) -> Option<Self> {
        let len = usize::unpack(from)?;
        items(len, from)
    }
}

impl<T: Pack> Pack for Few<T> {
    fn pack(&self, to: &mut Packer) {
        list(self, to);
    }

    fn unpack(from: &mut Unpacker<'_>) -> Option<Self> {
        // One is by far the most frequent, and takes no room elsewhere.
        match usize::unpack(from)? {
            1 => T::unpack(from).map(Self::One),
            len => items(len, from).map(Self::from),
        }
    }
}

impl<K: Pack + Ord, V: Pack> Pack for BTreeMap<K, V> {
    fn pack(&self, to: &mut Packer) {
        self.len().pack(to);
        for (key, value) in self {
            key.pack(to);
            value.pack(to);
        }
    }

    fn unpack(from: &mut Unpacker<'_>) -> Option<Self> {
        let len = usize::unpack(from)?;
        (0..len)
            .map(|_| Some((K::unpack(from)?, V::unpack(from)?)))
            .collect()
    }
}

impl<A: Pack, B: Pack> Pack for (A, B) {
    fn pack(&self, to: &mut Packer) {
        self.0.pack(to);
        self.1.pack(to);
    }

    fn unpack(from: &mut Unpacker<'_>) -> Option<Self> {
        Some((A::unpack(from)?, B::unpack(from)?))
    }
}

impl<A: Pack, B: Pack, C: Pack> Pack for (A, B, C) {
    fn pack(&self, to: &mut Packer) {
        self.0.pack(to);
        self.1.pack(to);
        self.2.pack(to);
    }

    fn unpack(from: &mut Unpacker<'_>) -> Option<Self> {
        Some((A::unpack(from)?, B::unpack(from)?, C::unpack(from)?))
    }
}

/// Shared parts stay as they are.
macro_rules! parts {
    ($($name:ty),+) => {
        $(impl Pack for Arc<$name> {
            fn pack(&self, to: &mut Packer) {
                to.part(self);
            }

            fn unpack(from: &mut Unpacker<'_>) -> Option<Self> {
                from.part()
            }
        })+
    };
}

parts!(Verdict, Decision, Runs);

impl Pack for Seldom<Reach> {
    /// Many calls read others, and each by another name.
    fn pack(&self, to: &mut Packer) {
        self.part().is_some().pack(to);
        if let Some(part) = self.part() {
            part.pack(to);
        }
    }

    fn unpack(from: &mut Unpacker<'_>) -> Option<Self> {
        let part: Option<Reach> = Pack::unpack(from)?;
        Some(Self::of(part.map(Arc::new)))
    }
}

/// Parts that few have stay as they are.
macro_rules! seldom {
    ($($name:ty),+) => {
        $(impl Pack for Seldom<$name> {
            fn pack(&self, to: &mut Packer) {
                self.part().is_some().pack(to);
                if let Some(part) = self.part() {
                    to.part(part);
                }
            }

            fn unpack(from: &mut Unpacker<'_>) -> Option<Self> {
                Some(Self::of(if bool::unpack(from)? { Some(from.part()?) } else { None }))
            }
        })+
    };
}

seldom!(Snags, Asking, Trouble, Under, TurnMore, More);

impl<T: Any + Send + Sync> Pack for History<T> {
    fn pack(&self, to: &mut Packer) {
        let (since, was) = self.parts();
        since.pack(to);
        to.byte(u8::from(was.is_some()));
        if let Some(was) = was {
            to.part(was);
        }
    }

    fn unpack(from: &mut Unpacker<'_>) -> Option<Self> {
        let since = Epoch::unpack(from)?;
        let was: Option<Arc<Past<T>>> = match from.byte()? {
            0 => None,
            _ => Some(from.part()?),
        };
        Some(Self::of(since, was))
    }
}
