//! Reads blobs of a git repository.
//!
//! Must not know: which files have them.
//!
//! `git cat-file` runs no hook and no filter, and is kept from fetching: nothing that the repository names is run.

use std::os::fd::AsFd as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::io::Errno;

use crate::deadline::Deadline;
use crate::entry::hex;

/// The identity of a blob: SHA-1.
pub(crate) type Oid = [u8; 20];

/// How long git may take where nothing else bounds it.
const PATIENCE: Duration = Duration::from_secs(60);
/// The variables by which git would look elsewhere, or write.
const REMOVED: [&str; 14] = [
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_CONFIG",
    "GIT_CONFIG_COUNT",
    "GIT_CONFIG_PARAMETERS",
    "GIT_INDEX_FILE",
    "GIT_NAMESPACE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_QUARANTINE_PATH",
    "GIT_TRACE",
    "GIT_TRACE2",
    "GIT_TRACE2_EVENT",
    "GIT_TRACE_SETUP",
    "GIT_WORK_TREE",
];

/// A blob's answer in the output: its header line, and where its content is.
#[derive(Debug, Default)]
struct Parsed {
    at: usize,
}

/// Returns the sizes of blobs, none for one that the repository lacks.
///
/// None if git cannot be run or does not answer in time.
pub(crate) fn sizes(git_dir: &Path, oids: &[Oid]) -> Option<Vec<Option<u64>>> {
    let output = run(
        git_dir,
        "--batch-check",
        oids,
        usize::MAX,
        Deadline::after(PATIENCE),
    )?;
    let mut parsed = Parsed::default();
    oids.iter()
        .map(|oid| Some(parsed.header(&output, oid)?.ok()))
        .collect()
}

/// Returns blobs, none for one that the repository lacks. They have at most `most` bytes together.
///
/// None if git cannot be run, does not answer in time, or answers more.
pub(crate) fn contents(
    git_dir: &Path,
    oids: &[Oid],
    most: usize,
    deadline: Deadline,
) -> Option<Vec<Option<Vec<u8>>>> {
    let output = run(git_dir, "--batch", oids, most, deadline)?;
    let mut parsed = Parsed::default();
    let blobs = oids.iter().map(|oid| match parsed.header(&output, oid)? {
        Err(()) => Some(None),
        Ok(size) => {
            let end = parsed.at.checked_add(usize::try_from(size).ok()?)?;
            let bytes = output.get(parsed.at..end)?.to_vec();
            parsed.at = end.checked_add(1)?;
            Some(Some(bytes))
        }
    });
    blobs.collect()
}

impl Parsed {
    /// Reads `<oid> blob <size>` or `<oid> missing`. The outer none is an answer that is not understood.
    fn header(&mut self, output: &[u8], oid: &Oid) -> Option<Result<u64, ()>> {
        let rest = output.get(self.at..)?;
        let length = rest.iter().position(|byte| *byte == b'\n')?;
        let line = std::str::from_utf8(rest.get(..length)?).ok()?;
        self.at = self.at.checked_add(length)?.checked_add(1)?;
        let answer = line.strip_prefix(&hex(oid))?.trim();
        match answer.strip_prefix("blob ") {
            Some(size) => Some(Ok(size.parse().ok()?)),
            None if answer == "missing" => Some(Err(())),
            None => None,
        }
    }
}

/// A child that does not outlive this.
struct Guard(Child);

impl Drop for Guard {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn start(git_dir: &Path, mode: &str) -> Option<Guard> {
    let mut command = Command::new("git");
    for name in REMOVED {
        command.env_remove(name);
    }
    command
        .args(["-c", "core.fsmonitor=false", "cat-file", mode, "--buffer"])
        .env("GIT_DIR", git_dir)
        .env("GIT_NO_LAZY_FETCH", "1")
        .env("GIT_NO_REPLACE_OBJECTS", "1")
        .env("GIT_OPTIONAL_LOCKS", "0")
        // An older git knows no `GIT_NO_LAZY_FETCH`; this forbids it every way to fetch.
        .env("GIT_ALLOW_PROTOCOL", "none")
        .env("GIT_TERMINAL_PROMPT", "0")
        .current_dir(PathBuf::from("/"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    command.spawn().ok().map(Guard)
}

/// Asks git for blobs and returns all that it answers.
fn run(git_dir: &Path, mode: &str, oids: &[Oid], most: usize, deadline: Deadline) -> Option<Vec<u8>> {
    let mut child = start(git_dir, mode)?;
    let mut question = Vec::new();
    for oid in oids {
        question.extend_from_slice(hex(oid).as_bytes());
        question.push(b'\n');
    }
    let mut input = child.0.stdin.take();
    let output = child.0.stdout.take()?;
    if let Some(input) = &input {
        rustix::io::ioctl_fionbio(input, true).ok()?;
    }
    rustix::io::ioctl_fionbio(&output, true).ok()?;
    let mut sent = 0;
    let mut answer = Vec::new();
    let mut buffer = vec![0_u8; 64 * 1024];
    loop {
        let left = deadline.left()?;
        let timeout = Timespec::try_from(left.min(PATIENCE)).ok()?;
        let mut polled = vec![PollFd::from_borrowed_fd(output.as_fd(), PollFlags::IN)];
        if let Some(input) = &input {
            polled.push(PollFd::from_borrowed_fd(input.as_fd(), PollFlags::OUT));
        }
        match rustix::event::poll(&mut polled, Some(&timeout)) {
            Ok(0) | Err(Errno::INTR) => continue,
            Ok(_) => {}
            Err(_) => return None,
        }
        if let Some(pipe) = &input {
            match rustix::io::write(pipe, question.get(sent..)?) {
                Ok(count) => sent = sent.checked_add(count)?,
                Err(Errno::AGAIN | Errno::INTR) => {}
                Err(_) => return None,
            }
            if sent == question.len() {
                input = None;
            }
        }
        match rustix::io::read(&output, &mut buffer) {
            Ok(0) => break,
            Ok(count) => answer.extend_from_slice(buffer.get(..count)?),
            Err(Errno::AGAIN | Errno::INTR) => {}
            Err(_) => return None,
        }
        if answer.len() > most {
            return None;
        }
    }
    Some(answer)
}
