//! What a frame costs, counted instead of timed. Must not know: what is shown.

use std::cell::Cell;

thread_local! {
    static LAID: Cell<usize> = const { Cell::new(0) };
    static THROUGH: Cell<usize> = const { Cell::new(0) };
}

/// A text of so many bytes is laid out.
pub fn laid(bytes: usize) {
    LAID.with(|laid| laid.set(laid.get() + bytes));
}

/// Something of any length is gone through, which is kept then.
pub fn gone_through() {
    THROUGH.with(|through| through.set(through.get() + 1));
}

/// The bytes that are laid out by something, and how often something was gone through for it.
pub fn of(what: impl FnOnce()) -> (usize, usize) {
    let now = || (LAID.with(Cell::get), THROUGH.with(Cell::get));
    let before = now();
    what();
    let after = now();
    (after.0 - before.0, after.1 - before.1)
}
