//! Writes the diagnostic log, for defects of the program; it is not the record of a run.
//!
//! Must not know: what is logged.
//!
//! It is written only if `OVERRULE_LOG` is set.

use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt as _;
use std::sync::Mutex;

use tracing_subscriber::EnvFilter;

use super::exit::{Code, Failure};
use overrule_config::Env;
use overrule_regular_file as regular_file;

/// Name of the file in the program's state directory.
const FILE: &str = "overrule.log";

/// Starts the log if `OVERRULE_LOG` is set, and returns whether it is. Each line is in the file when it is logged.
pub fn start(env: &Env) -> Result<bool, Failure> {
    let Some(filter) = &env.log else { return Ok(false) };
    let wrong = |error: &dyn std::fmt::Display| {
        Failure::new(
            Code::Config,
            format!("cannot use OVERRULE_LOG={filter} as a filter: {error}; hint: OVERRULE_LOG=debug"),
        )
    };
    let parsed = EnvFilter::try_new(filter).map_err(|error| wrong(&error))?;
    // It logs the addresses of servers, in which there may be keys.
    let silent = "rmcp=off".parse().map_err(|error| wrong(&error))?;
    let parsed = parsed.add_directive(silent);
    let Some(dir) = env
        .state_dir
        .as_ref()
        .or(env.data_dir.as_ref())
        .map(|dir| dir.join("overrule"))
    else {
        return Err(Failure::new(
            Code::Config,
            "cannot write the log (OVERRULE_LOG): there is no home directory",
        ));
    };
    let path = dir.join(FILE);
    let failed = |error: std::io::Error| {
        Failure::new(
            Code::Config,
            format!(
                "cannot write the log {}: {error}; hint: unset OVERRULE_LOG or free some space",
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
    let subscriber = tracing_subscriber::fmt()
        .with_env_filter(parsed)
        .with_ansi(false)
        .with_writer(Mutex::new(file))
        .finish();
    tracing::subscriber::set_global_default(subscriber).map_err(|error| wrong(&error))?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logging_is_off_by_default_and_an_invalid_filter_is_reported() {
        assert!(!start(&Env::default()).unwrap());
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
