//! Confines paths given by a model to the workspace, and decides if they may be read or written.
//!
//! Must not know: any tool.
//!
//! A path is first resolved with all its symbolic links; the result must be in the workspace. It is then
//! opened from the workspace's own descriptor with every link refused, so that a link inserted in between
//! causes an error and never leads outside.

mod allowed;
mod means;
mod own_files;
mod target;

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Component, Path, PathBuf};
use std::sync::OnceLock;

use rustix::fs::{Mode, OFlags, Stat};
use rustix::io::Errno;

use allowed::regular;
pub use means::{Confinement, confinement};
use means::{READ, beneath, walk};
use own_files::OwnFiles;
pub use target::Target;

use super::errors::{from_io, refused, shown};
use overrule_domain::call::{ErrorClass, ToolError};
use overrule_schema as schema;

/// The directory that the tools work in.
#[derive(Debug)]
pub struct Workspace {
    root: PathBuf,
    dir: OwnedFd,
    means: Confinement,
    private: Vec<PathBuf>,
    /// The files that are excluded by another name, read when one is asked about.
    own: OnceLock<OwnFiles>,
}

/// A place in the workspace, consisting of names only, without links.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Path relative to the workspace; empty for the workspace itself.
    pub path: PathBuf,
}

impl Place {
    /// Formats the place for a model or a person.
    pub fn shown(&self) -> String {
        if self.path.as_os_str().is_empty() {
            ".".to_owned()
        } else {
            self.path.to_string_lossy().into_owned()
        }
    }
}

impl Workspace {
    /// Opens a workspace.
    pub fn open(root: &Path) -> Result<Self, ToolError> {
        Self::open_by(root, confinement())
    }

    /// Opens a workspace that is confined by the given means.
    pub fn open_by(root: &Path, means: Confinement) -> Result<Self, ToolError> {
        let failed = |error: io::Error| from_io("open the workspace", &root.to_string_lossy(), &error, false);
        let root = root.canonicalize().map_err(failed)?;
        let flags = READ | OFlags::DIRECTORY;
        let dir = rustix::fs::open(&root, flags, Mode::empty()).map_err(|errno| failed(errno.into()))?;
        Ok(Self {
            root,
            dir,
            means,
            private: Vec::new(),
            own: OnceLock::new(),
        })
    }

    /// Excludes these files and directories with everything in them, wherever they are. They need not exist.
    pub fn without(mut self, private: &[PathBuf]) -> Self {
        self.private = private.iter().map(|path| real(path)).collect();
        self.own = OnceLock::new();
        self
    }

    /// True for an excluded file under another name.
    fn is_own(&self, stat: &Stat) -> bool {
        stat.st_nlink > 1 && self.own.get_or_init(|| OwnFiles::of(&self.private)).has(stat)
    }

    /// Returns what is excluded.
    pub fn private(&self) -> &[PathBuf] {
        &self.private
    }

    /// Returns the directory, with all links resolved.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the place that a path names; it must exist.
    pub fn find(&self, given: &str) -> Result<Place, ToolError> {
        let (place, missing) = self.resolve(given)?;
        match missing.first() {
            None => Ok(place),
            Some(name) => Err(self.not_there(given, &place, name)),
        }
    }

    /// Opens a regular file for reading.
    pub fn file(&self, given: &str) -> Result<(File, Stat, Place), ToolError> {
        let place = self.find(given)?;
        let failed = |errno: Errno| from_io("read", given, &errno.into(), false);
        // Without NONBLOCK, opening a named pipe would block until it has a writer.
        let flags = READ | OFlags::NONBLOCK | OFlags::NOCTTY;
        let fd = self.fd(&place.path, flags, Mode::empty()).map_err(failed)?;
        let stat = rustix::fs::fstat(&fd).map_err(failed)?;
        regular(&stat, given, "read")?;
        if self.is_own(&stat) {
            return Err(private_place(given));
        }
        Ok((File::from(fd), stat, place))
    }

    /// Opens a regular file for reading, or returns `None` if there is none.
    pub fn file_if_any(&self, given: &str) -> Result<Option<File>, ToolError> {
        let (_, missing) = self.resolve(given)?;
        if !missing.is_empty() {
            return Ok(None);
        }
        self.file(given).map(|(file, _, _)| Some(file))
    }

    /// Returns a directory for a walk.
    pub fn directory(&self, given: &str) -> Result<Place, ToolError> {
        let place = self.find(given)?;
        let flags = READ | OFlags::DIRECTORY;
        match self.fd(&place.path, flags, Mode::empty()) {
            Ok(_) => Ok(place),
            Err(Errno::NOTDIR) => Err(refused(
                ErrorClass::Param,
                format!("`{}` is a file, not a directory", shown(given)),
                "errno ENOTDIR",
                "name a directory, or use read_file",
            )),
            Err(errno) => Err(from_io("list", given, &errno.into(), false)),
        }
    }

    /// Opens what a walk found, unless a link has entered its path since.
    pub fn found(&self, relative: &Path) -> io::Result<File> {
        let flags = READ | OFlags::NONBLOCK | OFlags::NOCTTY;
        let fd = self.fd(relative, flags, Mode::empty())?;
        if self.is_own(&rustix::fs::fstat(&fd)?) {
            return Err(Errno::ACCESS.into());
        }
        Ok(File::from(fd))
    }

    fn fd(&self, relative: &Path, flags: OFlags, mode: Mode) -> Result<OwnedFd, Errno> {
        let path = if relative.as_os_str().is_empty() {
            Path::new(".")
        } else {
            relative
        };
        match self.means {
            Confinement::Kernel => beneath(self.dir.as_fd(), path, flags, mode),
            Confinement::Walk => walk(self.dir.as_fd(), path, flags, mode),
        }
    }

    /// Splits a path into its existing part, links resolved, and the names that do not exist.
    fn resolve(&self, given: &str) -> Result<(Place, Vec<OsString>), ToolError> {
        if given.is_empty() || given.contains('\0') {
            return Err(refused(
                ErrorClass::Param,
                format!("`{}` is not a path", shown(given)),
                "checked by the tool",
                "give a path relative to the workspace, such as `src/main.rs`",
            ));
        }
        if names_home(given) {
            return Err(home(given));
        }
        let (mut place, mut missing) = self.resolve_path(given, self.root.join(given))?;
        // A name that is not UTF-8 is listed with a mark for its invalid bytes, and opens by that.
        while let Some(real) = missing.first().and_then(|name| self.listed_as(&place, name)) {
            let there = missing.iter().skip(1).fold(real, |path, name| path.join(name));
            (place, missing) = self.resolve_path(given, there)?;
        }
        Ok((place, missing))
    }

    /// Returns the only entry of a directory that is listed under a name that it does not have.
    fn listed_as(&self, dir: &Place, name: &OsStr) -> Option<PathBuf> {
        let name = name.to_str().filter(|name| name.contains('\u{FFFD}'))?;
        let entries = std::fs::read_dir(self.root.join(&dir.path)).ok()?;
        let mut named = entries
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| {
                path.file_name()
                    .is_some_and(|other| other.to_string_lossy() == name)
            });
        named.next().filter(|_| named.next().is_none())
    }

    fn resolve_path(&self, given: &str, mut there: PathBuf) -> Result<(Place, Vec<OsString>), ToolError> {
        let mut missing = Vec::new();
        loop {
            match there.canonicalize() {
                Ok(real) => {
                    missing.reverse();
                    let Ok(path) = real.strip_prefix(&self.root) else {
                        return Err(self.outside(given));
                    };
                    let whole: PathBuf = std::iter::once(real.as_os_str())
                        .chain(missing.iter().map(OsString::as_os_str))
                        .collect();
                    if self.private.iter().any(|private| whole.starts_with(private)) {
                        return Err(private_place(given));
                    }
                    let path = path.to_owned();
                    return Ok((Place { path }, missing));
                }
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    if there.symlink_metadata().is_ok_and(|meta| meta.is_symlink()) {
                        return Err(dangling(given));
                    }
                    match there.components().next_back() {
                        Some(Component::Normal(name)) => missing.push(name.to_owned()),
                        _ => return Err(from_io("find", given, &error, false)),
                    }
                    there.pop();
                }
                Err(error) => return Err(from_io("find", given, &error, false)),
            }
        }
    }

    fn outside(&self, given: &str) -> ToolError {
        refused(
            ErrorClass::Auth,
            format!(
                "`{}` lies outside of the workspace `{}`",
                shown(given),
                shown(&self.root.to_string_lossy())
            ),
            "path confinement",
            "tools see the workspace only; give a path inside of it, relative to it",
        )
    }

    fn not_there(&self, given: &str, parent: &Place, name: &OsStr) -> ToolError {
        let error = io::Error::from(Errno::NOENT);
        let mut error = from_io("find", given, &error, false);
        let entries = std::fs::read_dir(self.root.join(&parent.path));
        let names: Vec<String> = entries
            .into_iter()
            .flatten()
            .take(2_000)
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .collect();
        let close = schema::near(&name.to_string_lossy(), names.iter().map(String::as_str));
        if !close.is_empty() {
            let close: Vec<String> = close
                .iter()
                .map(|name| format!("`{}`", shown(&parent.path.join(name).to_string_lossy())))
                .collect();
            error.hint = Some(format!("there is {}", close.join(", ")));
        }
        error
    }
}

/// Returns the canonical path, even if it does not exist yet, as file operations resolve it. A `..` leads to
/// the parent of the resolved directory, which after a symbolic link is not the directory written before it.
pub fn real(path: &Path) -> PathBuf {
    resolved(path).unwrap_or_else(|| {
        // Below a missing directory nothing resolves `..`; the path keeps its literal components.
        let mut plain = PathBuf::new();
        for step in path.components() {
            match step {
                Component::ParentDir => {
                    plain.pop();
                }
                step => plain.push(step),
            }
        }
        resolved(&plain).unwrap_or(plain)
    })
}

/// Resolves the links in the existing part of a path; `None` if a `..` follows that part.
fn resolved(path: &Path) -> Option<PathBuf> {
    let mut there = path.to_owned();
    let mut missing = Vec::new();
    loop {
        if let Ok(mut real) = there.canonicalize() {
            real.extend(missing.iter().rev());
            return Some(real);
        }
        missing.push(there.file_name().map(OsStr::to_owned)?);
        if !there.pop() {
            return None;
        }
        if there.as_os_str().is_empty() {
            there.push(".");
        }
    }
}

/// True for a path that a shell would expand to a home directory: `~`, `~/…` and `~name/…`, but not for a file such
/// as `~$a.docx`.
fn names_home(given: &str) -> bool {
    given == "~" || given.starts_with('~') && given.contains('/')
}

fn home(given: &str) -> ToolError {
    refused(
        ErrorClass::Param,
        format!("`{}` begins with `~`, which is not expanded here", shown(given)),
        "path confinement",
        "give a path in the workspace, relative to it",
    )
}

fn private_place(given: &str) -> ToolError {
    refused(
        ErrorClass::Auth,
        format!(
            "`{}` belongs to this program, which keeps its sessions and settings there",
            shown(given)
        ),
        "path confinement",
        "choose another path, or ask the operator to do it",
    )
}

fn dangling(given: &str) -> ToolError {
    refused(
        ErrorClass::NotFound,
        format!("`{}` goes through a symbolic link to nothing", shown(given)),
        "path confinement",
        "name the real file",
    )
}

#[cfg(test)]
mod tests;
