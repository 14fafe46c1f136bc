//! Sample archive of records: real files in a temporary directory, some without permission.
//!
//! Must not know: who asks.
//!
//! The system refuses every read of a file without permission, however often it is tried.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use rustix::io::Errno;
use serde_json::{Value, json};

use super::service::{Service, text};
use crate::errors::{from_io, refused};
use crate::tool::Tool;
use overrule_domain::call::{EffectClass, ErrorClass, ToolError};
use overrule_regular_file as regular_file;

/// The name of each record, and the text of those that can be read.
const RECORDS: [(&str, Option<&str>); 4] = [
    ("contracts", None),
    ("ledger", Some("income 1200\nexpenses 950")),
    ("minutes", Some("The payroll was approved. Its total is 640.")),
    ("payroll", None),
];

/// Longest record in bytes.
const MOST: u64 = 1 << 20;

/// Number of directory names that are tried before giving up.
const NAMES: u32 = 100;

pub(super) fn tools() -> Vec<Arc<dyn Tool>> {
    let archive = Arc::new(Archive::default());
    vec![Arc::new(list(archive.clone())), Arc::new(read(archive))]
}

fn list(archive: Arc<Archive>) -> Service {
    let schema = json!({"type": "object", "properties": {}, "additionalProperties": false});
    Service::new(
        "list_records",
        "List the records of the archive by name.",
        &schema,
        EffectClass::Read,
        move |_, _| archive.list(),
    )
}

fn read(archive: Arc<Archive>) -> Service {
    let schema = json!({
        "type": "object",
        "properties": {"name": {"type": "string", "minLength": 1, "description": "Name of the record."}},
        "required": ["name"],
        "additionalProperties": false
    });
    Service::new(
        "read_record",
        "Read a record of the archive by its name.",
        &schema,
        EffectClass::Read,
        move |args, _| archive.read(text(args, "name")),
    )
}

/// The directory of records, created on first use and removed with the tools.
#[derive(Default)]
struct Archive {
    dir: OnceLock<Result<PathBuf, io::ErrorKind>>,
}

impl Archive {
    fn dir(&self) -> Result<&Path, ToolError> {
        let made = self.dir.get_or_init(|| make().map_err(|error| error.kind()));
        made.as_deref()
            .map_err(|kind| from_io("make", "archive", &io::Error::from(*kind), false))
    }

    fn list(&self) -> Result<Value, ToolError> {
        let fails = |error: &io::Error| from_io("list", "archive", error, false);
        let entries = fs::read_dir(self.dir()?).map_err(|error| fails(&error))?;
        let mut names = Vec::new();
        for entry in entries {
            let entry = entry.map_err(|error| fails(&error))?;
            names.push(entry.file_name().to_string_lossy().into_owned());
        }
        names.sort();
        Ok(names.join("\n").into())
    }

    fn read(&self, name: &str) -> Result<Value, ToolError> {
        let shown = format!("archive/{name}");
        let fails = |error: &io::Error| from_io("read", &shown, error, false);
        if !RECORDS.iter().any(|(known, _)| *known == name) {
            // Only records are looked up, because a name is not a path.
            return Err(fails(&Errno::NOENT.into()));
        }
        let words = regular_file::read_text(&self.dir()?.join(name), MOST).map_err(|error| fails(&error))?;
        if words == SEALED {
            return Err(refused(
                ErrorClass::Auth,
                format!(
                    "`{shown}` is sealed: its file has no permissions, which stops all users but root, as whom this program runs"
                ),
                "declared by the tool",
                "ask the operator to grant it or to do it",
            ));
        }
        Ok(words.into())
    }
}

impl Drop for Archive {
    fn drop(&mut self) {
        if let Some(Ok(dir)) = self.dir.get() {
            // Best effort: it is in the system's temporary directory anyway.
            let _ = fs::remove_dir_all(dir);
        }
    }
}

/// The text of a sealed record, which only root can see.
const SEALED: &str = "sealed";

/// Creates a directory for this program, with the records in it.
fn make() -> io::Result<PathBuf> {
    let pid = std::process::id();
    let mut no = 0;
    let dir = loop {
        let dir = std::env::temp_dir().join(format!("overrule-archive-{pid}-{no}"));
        match regular_file::make_directory(&dir) {
            Ok(()) => break dir,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && no < NAMES => no += 1,
            Err(error) => return Err(error),
        }
    };
    for (name, words) in RECORDS {
        let file = dir.join(name);
        fs::write(&file, words.unwrap_or(SEALED))?;
        if words.is_none() {
            fs::set_permissions(&file, Permissions::from_mode(0o000))?;
        }
    }
    Ok(dir)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sealed_records_are_files_that_nobody_may_read_and_they_go_with_the_tools() {
        let archive = Archive::default();
        assert_eq!(archive.list().unwrap(), "contracts\nledger\nminutes\npayroll");
        let dir = archive.dir().unwrap().to_owned();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&dir), mode(&dir.join("payroll"))), (0o700, 0o000));
        let sealed = archive.read("payroll").unwrap_err();
        assert_eq!(sealed.class, ErrorClass::Auth);
        // Permissions do not stop root, so the message names root; the system refuses any other user.
        if rustix::process::geteuid().is_root() {
            assert!(
                sealed.message.contains("as whom this program runs"),
                "{}",
                sealed.message
            );
        } else {
            assert_eq!(&*sealed.evidence, "errno EACCES");
        }
        // The file itself decides.
        fs::set_permissions(dir.join("payroll"), Permissions::from_mode(0o600)).unwrap();
        fs::write(dir.join("payroll"), "640").unwrap();
        assert_eq!(archive.read("payroll").unwrap(), "640");
        assert_eq!(
            archive.read("../minutes").unwrap_err().class,
            ErrorClass::NotFound
        );
        drop(archive);
        assert!(!dir.exists());
    }
}
