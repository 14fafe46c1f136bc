//! Tests of the tools.
