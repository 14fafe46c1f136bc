//! The diagnostic log: for finding defects of the program, never the record of a run. Written only
//! where `OVERRULE_LOG` asks for it. Must not know: what is logged.

use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt as _;

use tracing_appender::non_blocking::{NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::EnvFilter;

use super::exit::{Code, Failure};
use crate::config::Env;
use crate::regular_file;

/// Name of the file in the program's state directory.
const FILE: &str = "overrule.log";

/// Begins the log, if one is wanted. What it gives must live as long as the program: dropping it
/// writes the last lines.
pub fn start(env: &Env) -> Result<Option<WorkerGuard>, Failure> {
    let Some(filter) = &env.log else { return Ok(None) };
    let wrong = |error: &dyn std::fmt::Display| {
        Failure::new(
            Code::Config,
            format!("OVERRULE_LOG={filter} is no filter: {error}; use for example OVERRULE_LOG=debug"),
        )
    };
    let parsed = EnvFilter::try_new(filter).map_err(|error| wrong(&error))?;
    let Some(dir) = env
        .state_dir
        .as_ref()
        .or(env.data_dir.as_ref())
        .map(|dir| dir.join("overrule"))
    else {
        return Err(Failure::new(
            Code::Config,
            "OVERRULE_LOG is set, but there is no home directory for the log",
        ));
    };
    let path = dir.join(FILE);
    let failed = |error: std::io::Error| {
        Failure::new(
            Code::Config,
            format!(
                "cannot write the log {}: {error}; unset OVERRULE_LOG or make room",
                path.display()
            ),
        )
    };
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(&dir)
        .map_err(failed)?;
    let file = regular_file::append(&path).map_err(failed)?;
    // Every line counts where somebody looks for a defect.
    let (writer, guard) = NonBlockingBuilder::default().lossy(false).finish(file);
    let subscriber = tracing_subscriber::fmt()
        .with_env_filter(parsed)
        .with_ansi(false)
        .with_writer(writer)
        .finish();
    tracing::subscriber::set_global_default(subscriber).map_err(|error| wrong(&error))?;
    Ok(Some(guard))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logging_is_off_by_default_and_an_invalid_filter_is_reported() {
        assert!(start(&Env::default()).unwrap().is_none());
        let env = Env {
            log: Some("=,=".into()),
            ..Env::default()
        };
        let failure = start(&env).unwrap_err();
        assert_eq!(failure.code, Code::Config);
        assert!(failure.message.contains("OVERRULE_LOG"), "{}", failure.message);
    }

    #[test]
    fn without_a_home_there_is_no_log() {
        let env = Env {
            log: Some("debug".into()),
            ..Env::default()
        };
        assert!(start(&env).unwrap_err().message.contains("no home directory"));
    }
}
