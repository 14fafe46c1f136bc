//! Tests of the visible form, its inverse, the warnings and redaction.

mod emoji;
mod form;
mod secrets;
mod survey;
mod table;
