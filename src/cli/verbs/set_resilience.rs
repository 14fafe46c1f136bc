//! Changes how a session handles failures.
//!
//! Must not know: how a command is decided, where it is recorded.

use super::takes::On;
use super::target::text;
use super::{Act, Session};
use crate::exit::{Code, Failure};
use overrule_base::text::visible;
use overrule_domain::command::{Command, ResilienceCommand};

/// The help of the settings.
const FORM: &str = "One or more settings, each with a value as in a settings file (TOML): retry.retries=2, \
                    breaker.open=1m, \"loops.muted=['visits', 'exhausted']\" (see docs/resilience.md)";

/// Change how a session handles failures, such as retry.retries=2 or breaker.open=1m
#[derive(Debug, clap::Args)]
pub struct SetResilience {
    /// The session
    #[command(flatten)]
    pub on: On,
    /// One or more settings, each with a value as in a settings file (see docs/resilience.md)
    #[arg(help = FORM, value_name = "KEY=VALUE", required = true)]
    pub settings: Vec<String>,
}

impl Act for SetResilience {
    fn on(&self) -> &On {
        &self.on
    }

    fn commands(&self, _: &Session<'_>) -> Result<Vec<Command>, Failure> {
        self.settings.iter().map(|one| configured(one)).collect()
    }
}

fn configured(setting: &str) -> Result<Command, Failure> {
    let Some((key, value)) = setting.split_once('=') else {
        let what = visible(setting);
        return Err(Failure::new(
            Code::Usage,
            format!("cannot set `{what}`: it is not KEY=VALUE; hint: retry.retries=2"),
        ));
    };
    Ok(Command::Resilience(ResilienceCommand::Configure {
        key: text(key.trim()),
        value: text(value.trim()),
    }))
}
