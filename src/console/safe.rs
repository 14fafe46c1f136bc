//! Untrusted text on its way to the screen: always through here.
//!
//! A thin layer over `crate::text`, in the shapes that panes need. Must not know: panes, where a
//! text comes from.
