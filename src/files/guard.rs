//! Refuses workspaces whose files are never tracked.
//!
//! Must not know: what is in them.

use std::path::Path;

use overrule_base::text::visible;

use crate::Error;

/// Directories that hold home directories.
const HOMES: [&str; 3] = ["/home", "/Users", "/var/home"];
/// Home directories of the system's own users.
const ROOTS: [&str; 2] = ["/root", "/var/root"];

/// Refuses `/`, a home directory and a parent of one. The path has its links resolved.
pub(crate) fn check(workspace: &Path, home: Option<&Path>) -> Result<(), Error> {
    let home = home.and_then(|home| home.canonicalize().ok());
    let is_home = home.as_deref() == Some(workspace)
        || workspace
            .parent()
            .is_some_and(|parent| HOMES.iter().any(|homes| parent == Path::new(homes)))
        || ROOTS.iter().any(|root| workspace == Path::new(root));
    let known = HOMES.iter().chain(&ROOTS).map(Path::new);
    let mut below = known.chain(home.as_deref());
    let why = if workspace == Path::new("/") {
        "it is the whole file system"
    } else if is_home {
        "it is a home directory"
    } else if below.any(|home| home.starts_with(workspace)) {
        "home directories are below it"
    } else {
        return Ok(());
    };
    Err(Error::Refused {
        workspace: visible(&workspace.to_string_lossy()),
        why: why.to_owned(),
        hint: "start the run in the directory of one project",
    })
}
