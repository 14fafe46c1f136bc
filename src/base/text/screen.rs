//! Stores whether text is made for a screen that shows only ASCII.
//!
//! Must not know: terminals, how screens are distinguished.

use std::cell::Cell;
use std::marker::PhantomData;

thread_local! {
    static ASCII: Cell<bool> = const { Cell::new(false) };
}

/// While this value lives, the visible form on this thread is the one it was requested for.
#[derive(Debug)]
#[must_use = "the form holds as long as this lives"]
pub struct FormGuard {
    before: bool,
    /// Ties the value to its thread.
    _thread: PhantomData<*const ()>,
}

/// Starts the visible form for an ASCII screen, or for any other.
pub fn shown_in_ascii(ascii: bool) -> FormGuard {
    FormGuard {
        before: ASCII.replace(ascii),
        _thread: PhantomData,
    }
}

impl Drop for FormGuard {
    fn drop(&mut self) {
        ASCII.set(self.before);
    }
}

/// Returns true while the ASCII form is in force.
pub fn in_ascii() -> bool {
    ASCII.get()
}
