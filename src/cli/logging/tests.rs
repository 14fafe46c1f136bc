//! When the log is written, where, for whom, and for how long.

use std::os::unix::fs::PermissionsExt as _;

use tracing_subscriber::fmt::writer::EitherWriter;

use super::*;

/// A time of day on 1 January 2026.
fn at(hour: i64, minute: i64) -> i64 {
    1_767_225_600_000 + (hour * 60 + minute) * 60_000
}

fn names(dir: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(dir).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

fn all(dir: &Path) -> String {
    let names = names(dir);
    let texts = names
        .iter()
        .map(|name| std::fs::read_to_string(dir.join(name)).unwrap());
    texts.collect()
}

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

#[test]
fn a_record_is_a_line_in_the_file_as_soon_as_it_is_logged() {
    let dir = tempfile::tempdir().unwrap();
    let log = Log::open(&dir.path().join("overrule")).unwrap();
    let path = log.dir.clone();
    tracing::subscriber::with_default(subscriber(log, EnvFilter::new("info")), || {
        tracing::info!("first");
        assert!(
            all(&path).contains("first"),
            "nothing waits for the end of the program"
        );
        tracing::debug!("too much");
        tracing::warn!("second");
    });
    let text = all(&path);
    assert_eq!(text.lines().count(), 2, "{text}");
    assert!(text.ends_with("second\n"), "{text}");
    for name in names(&path) {
        let mode = std::fs::metadata(path.join(&name)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
    assert_eq!(
        std::fs::metadata(&path).unwrap().permissions().mode() & 0o777,
        0o700
    );
}

#[test]
fn each_file_is_there_before_its_day_for_its_owner_alone() {
    for (now, expected, next) in [
        (at(0, 0), vec!["overrule.log.2026-01-01"], day(at(0, 0))),
        (at(22, 59), vec!["overrule.log.2026-01-01"], day(at(0, 0))),
        (
            at(23, 0),
            vec!["overrule.log.2026-01-01", "overrule.log.2026-01-02"],
            day(at(24, 0)),
        ),
    ] {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(create(dir.path(), now).unwrap(), next);
        assert_eq!(names(dir.path()), expected);
        for name in expected {
            let mode = dir.path().join(name).metadata().unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600, "{name}");
        }
    }
}

/// Writes a file, and returns when a later one has another time of creation.
fn written(dir: &Path, name: &str) {
    let created = |name: &str| dir.join(name).metadata().unwrap().created().unwrap();
    std::fs::write(dir.join(name), "old\n").unwrap();
    let at = created(name);
    loop {
        std::fs::write(dir.join("probe"), "").unwrap();
        let later = created("probe") > at;
        std::fs::remove_file(dir.join("probe")).unwrap();
        if later {
            return;
        }
    }
}

#[test]
fn the_newest_seven_files_are_kept_and_an_older_log_disturbs_nothing() {
    let dir = tempfile::tempdir().unwrap();
    for name in ["overrule.log", "trust.json"] {
        written(dir.path(), name);
    }
    for no in 1..=9 {
        written(dir.path(), &format!("overrule.log.2026-01-0{no}"));
    }
    let log = Log::open(dir.path()).unwrap();
    tracing::subscriber::with_default(subscriber(log, EnvFilter::new("info")), || {
        tracing::info!("today");
    });
    let names = names(dir.path());
    let logs: Vec<&str> = names
        .iter()
        .map(String::as_str)
        .filter(|name| name.starts_with(FILE))
        .collect();
    assert_eq!(logs.len(), FILES, "{logs:?}");
    assert!(!logs.contains(&"overrule.log"), "the oldest goes first: {logs:?}");
    assert!(logs.contains(&"overrule.log.2026-01-09"), "{logs:?}");
    assert!(names.contains(&"trust.json".to_owned()), "{names:?}");
    assert!(all(dir.path()).contains("today"), "{names:?}");
}

#[test]
fn what_is_no_file_is_refused_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let today = Timestamp::from_millisecond(Clock::start().utc_ms()).unwrap();
    let path = dir.path().join(format!("{FILE}.{}", today.strftime("%Y-%m-%d")));
    rustix::fs::mkfifoat(rustix::fs::CWD, &path, rustix::fs::Mode::RWXU).unwrap();
    let why = Log::open(dir.path()).err().unwrap().to_string();
    assert!(why.contains("a named pipe"), "{why}");
}

#[test]
fn a_record_whose_file_cannot_be_created_is_lost_and_the_next_one_is_not() {
    let dir = tempfile::tempdir().unwrap();
    let log = Log::open(dir.path()).unwrap();
    let today = names(dir.path()).remove(0);
    // A new day, and its name is taken.
    log.day.store(0, Ordering::Release);
    std::fs::remove_file(dir.path().join(&today)).unwrap();
    std::fs::create_dir(dir.path().join(&today)).unwrap();
    assert!(log.prepare().is_err());
    assert!(matches!(log.make_writer(), EitherWriter::B(_)));
    std::fs::remove_dir(dir.path().join(&today)).unwrap();
    assert!(matches!(log.make_writer(), EitherWriter::A(_)));
    assert!(log.day.load(Ordering::Acquire) > 0);
}
