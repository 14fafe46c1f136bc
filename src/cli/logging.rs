//! Writes the diagnostic log, for defects of the program; it is not the record of a run.
//!
//! Must not know: what is logged.
//!
//! It is written only if `OVERRULE_LOG` is set. A library begins a file each day (UTC) and keeps the
//! newest. It would create a file that others can read, would wait for a pipe of that name, and
//! reports on standard error, where the screen is. So each file is created here, before its day.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicI64, Ordering};

use jiff::Timestamp;
use tracing::Subscriber;
use tracing_appender::rolling::{RollingFileAppender, RollingWriter, Rotation};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::fmt::writer::OptionalWriter;

use super::exit::{Code, Failure};
use overrule_config::Env;
use overrule_engine::clock::Clock;
use overrule_regular_file as regular_file;

/// First part of the name of a file in the program's state directory. The day follows:
/// `overrule.log.2026-11-29`.
const FILE: &str = "overrule.log";

/// Maximum number of files that are kept.
const FILES: usize = 7;

/// How long before its day a file is created, in milliseconds.
const AHEAD_MS: i64 = 60 * 60 * 1000;

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
    let log = Log::open(&dir).map_err(|error| {
        Failure::new(
            Code::Config,
            format!(
                "cannot write the log {}: {error}; hint: unset OVERRULE_LOG or free some space",
                dir.join(FILE).display()
            ),
        )
    })?;
    tracing::subscriber::set_global_default(subscriber(log, parsed)).map_err(|error| wrong(&error))?;
    Ok(true)
}

/// What writes records into the log.
fn subscriber(log: Log, filter: EnvFilter) -> impl Subscriber {
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(false)
        // They would be written over the screen.
        .log_internal_errors(false)
        .with_writer(log)
        .finish()
}

/// The files of the log.
struct Log {
    dir: PathBuf,
    clock: Clock,
    /// The last day that has a file, in days since 1970.
    day: AtomicI64,
    files: RollingFileAppender,
}

impl Log {
    fn open(dir: &Path) -> io::Result<Self> {
        let clock = Clock::start();
        let day = create(dir, clock.utc_ms())?;
        let files = RollingFileAppender::builder()
            .rotation(Rotation::DAILY)
            .filename_prefix(FILE)
            // The library makes room for the file of the day, which is there already.
            .max_log_files(FILES + 1)
            .build(dir)
            .map_err(io::Error::other)?;
        Ok(Self {
            dir: dir.to_owned(),
            clock,
            day: AtomicI64::new(day),
            files,
        })
    }

    /// Creates the file of the next record.
    fn prepare(&self) -> io::Result<()> {
        let now = self.clock.utc_ms();
        if self.day.load(Ordering::Acquire) < day(now + AHEAD_MS) {
            self.day.store(create(&self.dir, now)?, Ordering::Release);
        }
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Log {
    type Writer = OptionalWriter<RollingWriter<'a>>;

    /// A record whose file cannot be created is lost.
    fn make_writer(&'a self) -> Self::Writer {
        match self.prepare() {
            Ok(()) => OptionalWriter::some(self.files.make_writer()),
            Err(_) => OptionalWriter::none(),
        }
    }
}

const fn day(ms: i64) -> i64 {
    ms.div_euclid(24 * 60 * 60 * 1000)
}

/// Creates the file of this time and the one of a little later, readable for their owner alone. Returns
/// the later day.
fn create(dir: &Path, now_ms: i64) -> io::Result<i64> {
    regular_file::make_directories(dir)?;
    let later_ms = now_ms + AHEAD_MS;
    for ms in [now_ms, later_ms] {
        let date = Timestamp::from_millisecond(ms).map_err(io::Error::other)?;
        regular_file::append(&dir.join(format!("{FILE}.{}", date.strftime("%Y-%m-%d"))))?;
    }
    Ok(day(later_ms))
}

#[cfg(test)]
mod tests;
