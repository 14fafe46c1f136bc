//! The screen: shows state, collects intent. Must not know: engine, providers, tools, journal bytes.

pub mod layout;
pub mod link;
pub mod symbols;
pub mod theme;
