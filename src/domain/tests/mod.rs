//! Proofs of the rules: a world that carries out nothing by itself, tables by verb and rule, random
//! sessions against the invariants. Must not know: engine, files, screens.

mod book;
mod check;
mod epochs;
mod rules;
mod tape;
mod wishes;
mod world;

mod approval;
mod branches;
mod consent;
mod crash;
mod delegates;
mod edits;
mod ends;
mod flow;
mod ledger;
mod operator;
mod plan;
mod prices;
mod random;
mod rest;
mod thoughts;
