//! A terminal that accepts all output and only counts it.
//!
//! Must not know: what is drawn.

use std::cell::Cell;
use std::io::{Result, Write};
use std::rc::Rc;

/// Bytes so far.
pub type Bytes = Rc<Cell<u64>>;

/// Takes everything.
#[derive(Debug, Default)]
pub struct Count(pub Bytes);

impl Write for Count {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        self.0.set(self.0.get() + bytes.len() as u64);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> Result<()> {
        Ok(())
    }
}
