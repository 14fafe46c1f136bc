//! Allows a loop, and mutes a detector.
//!
//! Must not know: how a command is decided, where it is recorded.

use super::takes::On;
use super::{Act, Session};
use crate::args::number;
use crate::exit::{Code, Failure};
use overrule_base::text::visible;
use overrule_domain::command::{Command, EscapeCommand};
use overrule_domain::escape::Detector;

/// Allow the repetition of an incident; a run that paused for it continues
#[derive(Debug, clap::Args)]
pub struct AllowLoop {
    /// The session
    #[command(flatten)]
    pub on: On,
    /// Number of the incident, as `overrule loops` lists it
    #[arg(value_parser = number::whole::<u32>("the number of an incident, such as 1"))]
    pub incident: u32,
    /// Withdraw the permission
    #[arg(long, alias = "take-back")]
    pub withdraw: bool,
}

impl Act for AllowLoop {
    fn on(&self) -> &On {
        &self.on
    }

    fn commands(&self, _: &Session<'_>) -> Result<Vec<Command>, Failure> {
        Ok(vec![Command::Escape(EscapeCommand::AllowIncident {
            incident: self.incident,
            allowed: !self.withdraw,
        })])
    }
}

/// Mute a loop detector
#[derive(Debug, clap::Args)]
pub struct MuteLoops {
    /// The session
    #[command(flatten)]
    pub on: On,
    /// Name of the detector
    #[arg(help = format!("Name of the detector: {}", Detector::names()))]
    pub detector: String,
    /// Unmute the detector
    #[arg(long, alias = "listen")]
    pub unmute: bool,
}

impl Act for MuteLoops {
    fn on(&self) -> &On {
        &self.on
    }

    fn commands(&self, _: &Session<'_>) -> Result<Vec<Command>, Failure> {
        let detector = Detector::named(&self.detector).ok_or_else(|| {
            Failure::new(
                Code::Usage,
                format!(
                    "cannot find the detector {}; hint: use {}",
                    visible(&self.detector),
                    Detector::names()
                ),
            )
        })?;
        Ok(vec![Command::Escape(EscapeCommand::Mute {
            detector,
            muted: !self.unmute,
        })])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Args as _;

    #[test]
    fn the_help_names_every_detector() {
        let help = MuteLoops::augment_args(clap::Command::new("mute-loops"))
            .render_long_help()
            .to_string();
        for detector in Detector::ALL {
            assert!(help.contains(detector.name()), "{detector}: {help}");
        }
    }
}
