//! Tests that the guarantees of this machine are proven or reported, and makes what the other tests need.
//!
//! Must not know: how a guarantee is held.

use std::fs;
use std::path::{Path, PathBuf};

use overrule::domain::sandbox::{Guarantee, Level, Profile};
use overrule::sandbox::probe::{Machine, examine};
use overrule::sandbox::{Helper, Plan};

pub fn helper() -> Helper {
    let program = PathBuf::from(env!("CARGO_BIN_EXE_overrule"));
    Helper {
        start: program.clone(),
        program,
    }
}

/// A workspace with a repository, and the directories of a session.
pub struct World {
    root: tempfile::TempDir,
    path: PathBuf,
}

impl World {
    pub fn new() -> Self {
        let root = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let path = root.path().canonicalize().unwrap();
        fs::create_dir_all(path.join("project/.git/hooks")).unwrap();
        fs::write(path.join("project/.git/config"), "").unwrap();
        for name in Plan::PRIVATE {
            fs::create_dir_all(path.join("scratch").join(name)).unwrap();
        }
        Self { root, path }
    }

    pub fn root(&self) -> &Path {
        &self.path
    }

    pub fn store(&self) -> &Path {
        self.root.path()
    }

    pub fn project(&self) -> PathBuf {
        self.path.join("project")
    }

    pub fn plan(&self, machine: &Machine) -> Plan {
        let git = self.project().join(".git");
        Plan {
            profile: Profile {
                level: Level::Workspace,
                write: vec![self.project().to_str().unwrap().to_owned()],
                missing: machine.missing.clone(),
                ..Profile::default()
            },
            namespaces: machine.namespaces,
            scratch: self.path.join("scratch"),
            own: Vec::new(),
            pinned: vec![git.clone()],
            read_only: vec![git.join("hooks"), git.join("config")],
            linked: Vec::new(),
            caches: Vec::new(),
            layered: Vec::new(),
            home: None,
            keeps_terminal: false,
            port: None,
        }
    }
}

async fn machine(with_namespaces: bool) -> Machine {
    let store = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let machine = examine(&helper(), store.path(), with_namespaces).await.unwrap();
    let left: Vec<_> = fs::read_dir(store.path()).unwrap().flatten().collect();
    assert!(left.is_empty(), "the probe left {left:?}");
    machine
}

#[tokio::test]
async fn every_guarantee_is_proven_or_reported() {
    let full = machine(true).await;
    if full.namespaces {
        assert_eq!(full.missing, [], "with namespaces nothing may be missing");
    } else {
        println!("SKIPPED: {:?}", full.missing);
    }
    let partial = machine(false).await;
    assert!(!partial.namespaces && !partial.overlays);
    let missing: Vec<Guarantee> = partial.missing.iter().map(|one| one.guarantee).collect();
    // Rules for files know neither permissions nor names inside of a directory that may be written.
    assert!(
        missing.contains(&Guarantee::Attributes) && missing.contains(&Guarantee::Protected),
        "{missing:?}"
    );
    for one in &partial.missing {
        assert!(one.why.contains("switched off"), "{}", one.why);
    }
}

#[tokio::test]
async fn a_helper_that_is_not_there_proves_nothing() {
    let store = tempfile::tempdir().unwrap();
    let gone = PathBuf::from("/no/such/program");
    let helper = Helper {
        start: gone.clone(),
        program: gone,
    };
    let machine = examine(&helper, store.path(), true).await.unwrap();
    assert_eq!(machine.missing.len(), Guarantee::ALL.len());
    assert!(!machine.namespaces);
}
