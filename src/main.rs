//! Entry point; everything else is in the library.
fn main() {}
