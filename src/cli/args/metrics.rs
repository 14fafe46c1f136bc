//! Defines the arguments of `overrule metrics`.
//!
//! Must not know: what is measured.

use std::path::PathBuf;

use clap::{Args as ClapArgs, ValueEnum};

/// Formats of printed metrics.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum MetricsFormat {
    /// Lines for people
    Text,
    /// One JSON object
    Json,
    /// Text format of Prometheus
    Prometheus,
}

/// Metrics to print.
#[derive(Debug, ClapArgs)]
pub struct Metrics {
    /// Session: id, unique prefix, `last`, or a file [default: last; with --workspace: all sessions of the directory]
    pub id: Option<String>,
    /// Directory of the sessions to measure together [default with the flag: the current directory]
    #[arg(long, value_name = "DIR", num_args = 0..=1, default_missing_value = ".")]
    pub workspace: Option<PathBuf>,
    /// Format [default: text; with --json: json]
    #[arg(long, value_enum)]
    pub format: Option<MetricsFormat>,
}
