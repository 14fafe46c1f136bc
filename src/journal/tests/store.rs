//! Tests the store: lists, ids, unusable places.

use super::{envelope, fixture, id, small};
use crate::{Error, Place, Store, read};
use overrule_domain::event::{Event, RunEvent, TurnEvent};
use overrule_domain::id::{NodeId, NodeKind, TurnId};

#[test]
fn sessions_are_found_by_any_unique_beginning() {
    let fixture = fixture();
    for n in [0x10_0000, 0x20_0000, 0x20_0001] {
        fixture.session(n, &small());
    }
    let find = |what: &str| fixture.store.find(what).map(|place| place.id());
    let full = id(0x10_0000).to_string();
    assert_eq!(find(&full).unwrap(), full);
    let unique = &full[..full.len() - 5];
    assert_eq!(find(unique).unwrap(), full);
    assert_eq!(find(&unique.to_uppercase()).unwrap(), full);
    let error = find("0190").unwrap_err();
    assert!(
        matches!(&error, Error::Ambiguous { matches, .. } if matches.len() == 3),
        "{error}"
    );
    for missing in ["", "zz", "0191", "last"] {
        assert!(matches!(find(missing), Err(Error::NotFound { .. })), "{missing}");
    }
    let by_path = fixture.store.dir().join(&full);
    assert_eq!(find(by_path.to_str().unwrap()).unwrap(), full);
    assert!(matches!(find("./nowhere/x.jsonl"), Err(Error::Io { .. })));
    assert!(matches!(find("/"), Err(Error::NotAJournal { .. })));
}

#[test]
fn a_single_file_among_the_sessions_is_found_by_its_name() {
    let fixture = fixture();
    let dir = fixture.session(1, &small());
    std::fs::copy(dir.journal(), fixture.store.dir().join("repaired-file.jsonl")).unwrap();
    let place = fixture.store.find("repaired").unwrap();
    assert!(matches!(&place, Place::File { .. }));
    assert_eq!(read(&place).unwrap().envelopes, small());
    assert!(matches!(
        fixture.store.delete(&place),
        Err(Error::ReadOnly { .. })
    ));
    assert_eq!(fixture.newest(), dir);
    assert_eq!(fixture.store.list().unwrap().len(), 2);
}

#[test]
fn a_session_list_describes_each_session() {
    let fixture = fixture();
    assert_eq!(fixture.store.list().unwrap(), [], "no directory is no session");
    let mut events = super::examples::every_event();
    let started = events.remove(0);
    let prompt = Event::Turn(TurnEvent::Prompted {
        turn: TurnId(1),
        node: NodeId::new(NodeKind::Prompt, 1),
        text: "  count the words\nin here".into(),
    });
    let all = [envelope(1, started), envelope(2, prompt)];
    fixture.session(1, &all);
    let mut later = small();
    later[0].at += 1000;
    later[2].event = Event::Run(RunEvent::Titled {
        title: "named".to_owned(),
    });
    fixture.session(2, &later);
    std::fs::write(fixture.session(3, &[]).journal(), "rubbish\n").unwrap();
    std::fs::create_dir(fixture.store.dir().join("other")).unwrap();
    std::fs::write(fixture.store.dir().join("notes.txt"), "x").unwrap();

    let list = fixture.store.list().unwrap();
    assert_eq!(
        list.iter().map(|s| s.id.clone()).collect::<Vec<_>>(),
        [id(2), id(1), id(3)].map(|id| id.to_string())
    );
    assert_eq!(list[0].title.as_deref(), Some("named"));
    assert_eq!(list[0].last.as_ref().unwrap().kind, "run.paused");
    assert_eq!(list[1].title.as_deref(), Some("count the words"));
    assert_eq!(list[1].model.as_deref(), Some("scripted: audit"));
    assert_eq!(list[1].started, Some(all[0].at));
    assert_eq!(list[1].last.as_ref().unwrap().seq, 2);
    assert!(list[1].bytes > 0 && list[1].modified.is_some() && list[1].problem.is_none());
    assert!(list[2].problem.as_ref().unwrap().contains("first line"));
}

#[test]
fn a_deleted_session_is_gone_with_everything() {
    let fixture = fixture();
    let place = fixture.session(1, &small());
    let other = fixture.session(2, &small());
    fixture.store.delete(&place).unwrap();
    assert!(!place.journal().parent().unwrap().exists());
    assert_eq!(fixture.store.list().unwrap().len(), 1);
    assert!(other.journal().exists());
    assert!(fixture.store.delete(&place).is_err());

    // A directory with such a name but without a journal is not a session of this program.
    let foreign = fixture.store.dir().join(id(9).to_string());
    std::fs::create_dir(&foreign).unwrap();
    let place = Place::at(&foreign).unwrap();
    assert!(fixture.store.delete(&place).is_err());
    assert!(foreign.exists());
}

#[test]
fn a_session_cannot_be_created_again() {
    let fixture = fixture();
    let place = fixture.session(1, &small());
    let error = fixture.store.create(id(1)).unwrap_err();
    assert!(matches!(error, Error::Exists { .. }), "{error}");
    assert_eq!(read(&place).unwrap().envelopes, small());
}

#[test]
fn places_that_cannot_be_used_are_refused_with_advice() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("file");
    std::fs::write(&file, "x").unwrap();
    // Below a file, and where nothing may be created.
    for place in [file.join("sessions"), "/proc/overrule/sessions".into()] {
        let error = Store::open(&place).create(id(1)).unwrap_err();
        assert!(error.to_string().contains("--sessions"), "{error}");
    }
    let error = Store::open(&file).list().unwrap_err();
    assert!(matches!(error, Error::Io { .. }), "{error}");
    assert_eq!(std::fs::read(&file).unwrap(), b"x");
}

#[test]
fn a_directory_that_may_only_be_read_can_be_read() {
    use std::os::unix::fs::PermissionsExt as _;
    let fixture = fixture();
    let place = fixture.session(1, &small());
    let dir = place.journal().parent().unwrap().to_owned();
    let set = |path: &std::path::Path, mode| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    set(&place.journal(), 0o400);
    set(&dir, 0o500);
    assert_eq!(read(&place).unwrap().envelopes, small());
    // The superuser may write anyway.
    if !rustix::process::geteuid().is_root() {
        let error = crate::Writer::open(&place).unwrap_err();
        assert!(error.to_string().contains("permissions"), "{error}");
    }
    set(&dir, 0o700);
}

/// A session whose tools work in a directory.
fn of(fixture: &super::Fixture, n: u128, workspace: &std::path::Path) -> Place {
    fixture.session(n, &[envelope(1, started_in(workspace))])
}

fn started_in(workspace: &std::path::Path) -> Event {
    match super::examples::every_event().remove(0) {
        Event::Run(RunEvent::Started(mut started)) => {
            started.workspace = workspace.to_string_lossy().into_owned();
            Event::Run(RunEvent::Started(started))
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_last_session_is_the_newest_of_its_directory_that_has_a_record() {
    let fixture = fixture();
    let [here, other] = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let (here, other) = (here.path(), other.path());
    for moved in [false, true] {
        let none = fixture.store.last(here, moved).unwrap_err();
        assert!(matches!(none, Error::NoSessions { .. }), "{none}");
    }
    of(&fixture, 1, here);
    let second = of(&fixture, 2, here);
    let third = of(&fixture, 3, other);
    // A crash left a journal without a record; of another one, the first record is not intact.
    drop(fixture.begun(4, &[]));
    let damaged = of(&fixture, 5, here);
    std::fs::write(damaged.journal(), "rubbish\n").unwrap();
    // The first decision is not complete: nothing can be read of it.
    let mut begun = envelope(1, started_in(here));
    begun.more = true;
    fixture.session(8, &[begun.clone()]);
    // A directory within a directory is another one.
    of(&fixture, 6, &here.join("within"));
    let last = fixture.store.last(here, false).unwrap();
    assert_eq!(last.place, second);
    assert_eq!(last.without_record, [8, 5, 4].map(|n| id(n).to_string()));
    // What is older than the session is not skipped. A first decision may have several records.
    let newest = fixture.session(9, &[begun, envelope(2, Event::Run(RunEvent::Resumed {}))]);
    let last = fixture.store.last(here, false).unwrap();
    assert_eq!((last.place, last.without_record), (newest, Vec::new()));
    assert_eq!(fixture.store.last(other, false).unwrap().place, third);
}

#[test]
fn the_session_of_another_directory_is_named_and_not_taken() {
    let fixture = fixture();
    let [here, other, gone, away] = [(); 4].map(|()| tempfile::tempdir().unwrap());
    let places = away.path().join("places");
    of(&fixture, 1, &places.join("unlike"));
    of(&fixture, 2, other.path());
    let error = fixture.store.last(here.path(), true).unwrap_err().to_string();
    for part in [here.path(), other.path()] {
        assert!(error.contains(part.to_str().unwrap()), "{error}");
    }
    assert!(error.contains(&id(2).to_string()), "{error}");
    // The directory of the newest does not exist any more: the session may be continued in another one that is its neighbour
    // or has its name, where that is asked for.
    let moved = of(&fixture, 3, gone.path());
    assert!(
        fixture.store.last(here.path(), true).is_err(),
        "it is still there"
    );
    let path = gone.path().to_owned();
    drop(gone);
    for new in [here.path().to_owned(), places.join(path.file_name().unwrap())] {
        assert!(fixture.store.last(&new, false).is_err());
        assert_eq!(fixture.store.last(&new, true).unwrap().place, moved, "{new:?}");
    }
    assert!(fixture.store.last(&places.join("other"), true).is_err());
    // Not an older one.
    of(&fixture, 4, &places.join("unlike"));
    assert!(fixture.store.last(here.path(), true).is_err());
    // The directory's own session comes first.
    let own = of(&fixture, 0, here.path());
    assert_eq!(fixture.store.last(here.path(), true).unwrap().place, own);
}

#[test]
fn a_session_that_moved_belongs_to_its_new_directory() {
    let fixture = fixture();
    let [old, new] = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let moved = match started_in(new.path()) {
        Event::Run(RunEvent::Started(started)) => Event::Run(RunEvent::Refitted { started }),
        other => panic!("{other:?}"),
    };
    let events = [envelope(1, started_in(old.path())), envelope(2, moved)];
    let place = fixture.session(1, &events);
    assert_eq!(place.workspace().as_deref(), Some(new.path()));
    assert!(fixture.store.last(old.path(), false).is_err());
    assert_eq!(fixture.store.last(new.path(), false).unwrap().place, place);
    let listed = &fixture.store.list().unwrap()[0];
    assert_eq!(listed.workspace.as_deref(), new.path().to_str());
}
