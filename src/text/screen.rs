//! Whether the screen that text is made for shows nothing but ASCII.
//!
//! Must not know: terminals, how a screen is told from another.

use std::cell::Cell;
use std::marker::PhantomData;

thread_local! {
    static ASCII: Cell<bool> = const { Cell::new(false) };
}

/// As long as this lives, the visible form on this thread is that of the screen it was asked for.
#[derive(Debug)]
#[must_use = "the form holds as long as this lives"]
pub struct Shown {
    before: bool,
    /// It is of this thread.
    _thread: PhantomData<*const ()>,
}

/// Begins the visible form for a screen that shows nothing but ASCII, or for any other.
pub fn shown_in_ascii(ascii: bool) -> Shown {
    Shown {
        before: ASCII.replace(ascii),
        _thread: PhantomData,
    }
}

impl Drop for Shown {
    fn drop(&mut self) {
        ASCII.set(self.before);
    }
}

/// True while the form for ASCII holds.
pub fn in_ascii() -> bool {
    ASCII.get()
}
