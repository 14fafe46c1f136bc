//! Counts the cost of a frame instead of timing it.
//!
//! Must not know: what is shown.

use std::cell::Cell;

thread_local! {
    static LAID: Cell<usize> = const { Cell::new(0) };
    static THROUGH: Cell<usize> = const { Cell::new(0) };
}

/// Records that a text of `bytes` is laid out.
pub fn laid(bytes: usize) {
    LAID.with(|laid| laid.set(laid.get() + bytes));
}

/// Records a full scan whose result is cached.
pub fn gone_through() {
    THROUGH.with(|through| through.set(through.get() + 1));
}

/// The bytes that a function lays out, and the number of its full scans.
pub fn of(what: impl FnOnce()) -> (usize, usize) {
    let now = || (LAID.with(Cell::get), THROUGH.with(Cell::get));
    let before = now();
    what();
    let after = now();
    (after.0 - before.0, after.1 - before.1)
}
