//! Proofs of the rules: a world that carries out nothing by itself, tables by verb and rule, random
//! sessions against the invariants. Must not know: engine, files, screens.

mod check;
mod world;

mod smoke;
