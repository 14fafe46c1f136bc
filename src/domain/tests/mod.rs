//! Proofs of the rules: a world that carries out nothing by itself, tables by verb and rule, random
//! sessions against the invariants. Must not know: engine, files, screens.

mod book;
mod check;
mod epochs;
mod mending;
mod rules;
mod session_rules;
mod stands;
mod tape;
mod wishes;
mod world;

mod approval;
mod branches;
mod breakers;
mod consent;
mod crash;
mod delegates;
mod edits;
mod ends;
mod escape;
mod fences;
mod flow;
mod foreseen;
mod found;
mod half_open;
mod hashes;
mod journeys;
mod kept;
mod ladder;
mod late_answers;
mod ledger;
mod operator;
mod oracle;
mod plan;
mod prices;
mod random;
mod repair_facts;
mod repairs;
mod rest;
mod reuse;
mod shown;
mod thoughts;
mod warned;
