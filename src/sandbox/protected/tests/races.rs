//! Tests that nothing is written outside while a command exchanges directories for links.

use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fs::{CWD, RenameFlags, renameat_with};

use super::*;
use crate::protected::at::Directory;
use crate::protected::copy::Spot;
use crate::protected::note::{Budget, note};
use crate::protected::undo::Undo;

fn exchange(one: &Path, other: &Path) {
    renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE).unwrap();
}

/// A repository `sub` with a protected file, and next to it a link `away` that leads outside.
fn with_link() -> Fixture {
    let fixture = Fixture::new();
    repository(&fixture.at("sub"));
    fixture.write("sub/.npmrc", "mine");
    fixture.write("sub/.claude/settings.json", "{}");
    symlink(&fixture.outside, fixture.at("away")).unwrap();
    fixture
}

#[test]
fn what_is_restored_goes_to_the_directory_that_was_opened() {
    let fixture = with_link();
    fs::write(fixture.outside.join(".claude"), "outside").unwrap();
    let before = tree(&fixture.outside);
    let sub = Directory::open(&fixture.at("sub")).unwrap();
    let noted = |name: &str| note(&sub, Path::new(name), &mut Budget::default());
    let notes = [".npmrc", ".claude"].map(|name| (name, noted(name)));
    fs::remove_file(fixture.at("sub/.npmrc")).unwrap();
    fs::remove_dir_all(fixture.at("sub/.claude")).unwrap();
    exchange(&fixture.at("sub"), &fixture.at("away"));
    let mut undo = Undo {
        store: &fixture.store,
        changes: Vec::new(),
    };
    for (name, note) in &notes {
        let path = fixture.at("sub").join(name);
        let spot = Spot {
            directory: &sub,
            name: name.as_ref(),
            path: &path,
        };
        undo.check(spot, note);
    }
    assert_eq!(tree(&fixture.outside), before);
    // The directory has another name now.
    assert_eq!(fixture.text("away/.npmrc"), "mine");
    assert_eq!(fixture.text("away/.claude/settings.json"), "{}");
}

#[test]
fn a_repository_that_is_exchanged_for_a_link_is_reported_and_nothing_is_written_there() {
    let fixture = with_link();
    fs::write(fixture.outside.join(".npmrc"), "outside").unwrap();
    let before = tree(&fixture.outside);
    let watch = fixture.watch();
    fs::remove_file(fixture.at("sub/.npmrc")).unwrap();
    exchange(&fixture.at("sub"), &fixture.at("away"));
    assert_eq!(changes_of(&watch.check()), ["changed sub !"]);
    assert_eq!(tree(&fixture.outside), before);
}

#[test]
fn no_exchange_during_the_undo_writes_outside() {
    for _ in 0..overrule_testing::times(20) {
        let fixture = with_link();
        let before = tree(&fixture.outside);
        let watch = fixture.watch();
        fs::remove_file(fixture.at("sub/.npmrc")).unwrap();
        fs::remove_dir_all(fixture.at("sub/.claude")).unwrap();
        fixture.write("sub/.mcp.json", "evil");
        let (sub, away) = (fixture.at("sub"), fixture.at("away"));
        let is_over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    exchange(&sub, &away);
                }
            });
            watch.check();
            is_over.store(true, Ordering::Relaxed);
        });
        assert_eq!(tree(&fixture.outside), before);
    }
}

#[test]
fn no_link_is_passed_and_no_name_has_several_parts() {
    let fixture = with_link();
    fs::write(fixture.outside.join("file"), "outside").unwrap();
    fs::create_dir(fixture.outside.join("inner")).unwrap();
    for path in ["away", "away/inner"] {
        assert!(Directory::open(&fixture.at(path)).is_err(), "{path}");
        assert!(Directory::open_or_create(&fixture.at(path)).is_err(), "{path}");
    }
    assert!(Directory::open(Path::new("relative")).is_err());
    let top = Directory::open(&fixture.workspace).unwrap();
    assert!(top.child("away".as_ref()).is_err() && top.file("away".as_ref()).is_err());
    for name in ["", ".", "..", "sub/.npmrc", "/", "away/file", "sub/"] {
        assert!(top.look(name.as_ref()).is_err(), "{name}");
        assert!(top.file(name.as_ref()).is_err(), "{name}");
        assert!(top.create_file(name.as_ref()).is_err(), "{name}");
        assert!(top.create_directory(name.as_ref(), 0o700).is_err(), "{name}");
    }
    assert!(top.create_file("away".as_ref()).is_err());
    assert_eq!(fs::read_dir(&fixture.outside).unwrap().count(), 2);
}
