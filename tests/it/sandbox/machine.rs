//! Tests that the guarantees of this machine are proven or told.
//!
//! Must not know: how they are held.

use std::path::PathBuf;

use overrule::sandbox::Helper;
use overrule::sandbox::probe::{Machine, examine};

pub fn helper() -> Helper {
    let program = PathBuf::from(env!("CARGO_BIN_EXE_overrule"));
    Helper {
        start: program.clone(),
        program,
    }
}

async fn machine(with_namespaces: bool) -> Machine {
    let store = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let machine = examine(&helper(), store.path(), with_namespaces).await.unwrap();
    let left: Vec<_> = std::fs::read_dir(store.path()).unwrap().flatten().collect();
    assert!(left.is_empty(), "the probe left {left:?}");
    machine
}

#[tokio::test]
async fn what_this_machine_can_do_is_proven() {
    let full = machine(true).await;
    println!("with namespaces: {full:#?}");
    let partial = machine(false).await;
    println!("without: {partial:#?}");
}
