//! Tests that the content of an undone change can be restored.

use super::*;
use crate::protected::copy;

#[test]
fn what_was_moved_away_is_restored_and_what_is_there_is_moved() {
    let fixture = Fixture::new();
    fixture.write(".envrc", "mine");
    let watch = fixture.watch();
    fixture.write(".envrc", "theirs");
    fixture.write(".vscode/tasks.json", "new");
    let undone = watch.check();
    let stored = |path: &str| {
        let found = undone.iter().find(|one| one.path == path).unwrap();
        (found.stored.clone().unwrap(), found.place.clone())
    };
    let (content, place) = stored(".envrc");
    copy::give(&content, &place, &fixture.store).unwrap();
    assert_eq!(fixture.text(".envrc"), "theirs");
    let store = tree(&fixture.store);
    assert!(store.iter().any(|line| line.ends_with("mine")), "{store:?}");
    let (content, place) = stored(".vscode");
    copy::give(&content, &place, &fixture.store).unwrap();
    assert_eq!(fixture.text(".vscode/tasks.json"), "new");
    let gone = copy::give(&content, &place, &fixture.store).unwrap_err();
    assert!(gone.to_string().contains("is gone"), "{gone}");
    assert_eq!(
        fixture.text(".vscode/tasks.json"),
        "new",
        "a refusal changes nothing"
    );
}

#[test]
fn nothing_is_restored_by_way_of_a_link() {
    let fixture = Fixture::new();
    let watch = fixture.watch();
    fixture.write(".cargo/config.toml", "theirs");
    let undone = watch.check();
    fs::remove_dir_all(fixture.at(".cargo")).unwrap();
    symlink(&fixture.outside, fixture.at(".cargo")).unwrap();
    let stored = undone[0].stored.clone().unwrap();
    let refused = copy::give(&stored, &undone[0].place, &fixture.store).unwrap_err();
    assert!(refused.to_string().contains("link"), "{refused}");
    assert!(stored.exists() && fs::read_dir(&fixture.outside).unwrap().next().is_none());
}
