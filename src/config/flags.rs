//! The settings given on the command line.
//!
//! Must not know: how a command line is parsed.

use std::path::PathBuf;

use super::settings::Glyphs;
use overrule_domain::sandbox::Level;

/// Settings from the command line; `None` for each flag that was not given.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Flags {
    /// `--config FILE`, instead of the user's file.
    pub config: Option<PathBuf>,
    /// `--model NAME`.
    pub model: Option<String>,
    /// `--base-url URL`.
    pub base_url: Option<String>,
    /// `--wire NAME`.
    pub wire: Option<String>,
    /// `--policy NAME`: a preset, or the path of a policy file.
    pub policy: Option<String>,
    /// A policy file that was read before, as (name, text). It counts if `policy` is `None`.
    pub policy_text: Option<(String, String)>,
    /// `--theme NAME`.
    pub theme: Option<String>,
    /// `--ascii`.
    pub glyphs: Option<Glyphs>,
    /// `--sessions DIR`.
    pub sessions: Option<PathBuf>,
    /// `--max-turns N`.
    pub turns: Option<u32>,
    /// `--max-tokens N`.
    pub tokens: Option<u64>,
    /// `--max-time DURATION`, such as `10m`.
    pub wall: Option<String>,
    /// `--max-price AMOUNT`, such as `0.5`.
    pub price: Option<String>,
    /// `--parallel N`.
    pub parallel: Option<u32>,
    /// `--sandbox N`.
    pub sandbox: Option<Level>,
}
