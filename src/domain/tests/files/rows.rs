//! Tests of each rule for a path of a plan.
//!
//! Must not know: how a restore is carried out.

use super::tree::{at, dir, file, large, link, missing, path, put, remove, with_mode};
use super::*;
use overrule_domain::files::plan::What;
use overrule_domain::files::{FileState, Head, HeadMove, Step, StepList};

fn steps(plan: &Plan) -> Vec<String> {
    let steps = plan.steps.0.iter();
    steps.map(|step| step.path.text().into_owned()).collect()
}

#[test]
fn the_last_changes_are_undone_and_nothing_else_is_in_the_plan() {
    let mut f = Files::new();
    f.outside("a", file("0"));
    let before = f.call("x", |tree| put(tree, &path("a"), file("1")));
    let first = f.call("y", |tree| put(tree, &path("a"), file("2")));
    let second = f.call("z", |tree| {
        put(tree, &path("a"), file("3"));
        put(tree, &path("b"), file("new"));
    });
    let plan = f.plan(&restore_of(&[second]));
    assert_eq!(
        (status(&plan, "a"), plan.rows[0].target.clone()),
        ("restore".into(), file("2"))
    );
    let plan = f.plan(&restore_of(&[first, second]));
    assert_eq!(plan.rows[0].target, file("1"), "before the first of both");
    assert_eq!(plan.rows[0].calls, [first, second]);
    assert_eq!(
        (plan.rows[1].what, plan.rows[1].target.clone()),
        (What::Delete, missing())
    );
    assert_eq!(plan.rows.len(), 2);
    assert_eq!(status(&f.plan(&restore_of(&[before])), "b"), "not in the plan");
    f.restore(restore_of(&[first, second]));
    assert_eq!(f.tree(), [(path("a"), file("1"))].into());
}

#[test]
fn what_a_call_that_stays_or_something_else_changed_later_is_a_conflict() {
    let mut f = Files::new();
    let first = f.call("x", |tree| {
        put(tree, &path("a"), file("1"));
        put(tree, &path("b"), file("1"));
        put(tree, &path("c"), file("1"));
        put(tree, &path("d"), file("1"));
    });
    let later = f.call("y", |tree| put(tree, &path("a"), file("2")));
    f.outside("b", file("2"));
    f.touch(|tree| put(tree, &path("c"), file("2")));
    let plan = f.plan(&restore_of(&[first]));
    assert_eq!(
        status(&plan, "a"),
        format!("conflict: {later} changed it later and stays")
    );
    assert_eq!(status(&plan, "b"), "conflict: changed since by something else");
    assert_eq!(status(&plan, "c"), "conflict: changed since by something else");
    assert_eq!(steps(&plan), ["d"]);
    // Where the operator chooses it, the present content is what the restore can be undone to.
    let mut command = restore_of(&[first]);
    choice(&mut command).over = vec![path("a"), path("c")];
    choice(&mut command).without = vec![path("d")];
    let plan = f.restore(command);
    assert_eq!(steps(&plan), ["a", "c"]);
    let froms: Vec<&FileState> = plan.steps.0.iter().map(|step| &step.from).collect();
    assert_eq!(froms, [&file("2"), &file("2")]);
    assert_eq!(f.tree(), [(path("b"), file("2")), (path("d"), file("1"))].into());
}

#[test]
fn what_changed_between_two_looks_is_not_the_calls() {
    let mut f = Files::new();
    let first = f.call("x", |tree| put(tree, &path("a"), file("1")));
    // Nobody reported it.
    f.touch(|tree| put(tree, &path("a"), file("theirs")));
    f.seen = f.tree();
    let second = f.call("y", |tree| put(tree, &path("a"), file("2")));
    let plan = f.plan(&restore_of(&[first, second]));
    assert_eq!(plan.rows[0].target, file("theirs"));
    assert_eq!(
        status(&f.plan(&restore_of(&[first])), "a"),
        "conflict: changed since by something else"
    );
}

/// Two calls that run at the same time.
fn two() -> (Files, [NodeId; 2]) {
    let mut f = Files::parallel(2);
    f.w.reply(&[
        call("write", r#"{"_as":"x","n":1}"#),
        call("write", r#"{"_as":"y","n":2}"#),
    ]);
    let calls = [f.w.id("x"), f.w.id("y")];
    (f, calls)
}

#[test]
fn what_two_calls_may_have_changed_is_restored_only_for_both() {
    let (mut f, [x, y]) = two();
    f.touch(|tree| put(tree, &path("a"), file("1")));
    let shared = |other| ChangeSet {
        shared: vec![other],
        ..ChangeSet::default()
    };
    f.finish(x, shared(y));
    f.finish(y, shared(x));
    let only = |id| status(&f.plan(&restore_of(&[id])), "a");
    assert_eq!(only(x), format!("conflict: {y} ran at the same time and stays"));
    assert_eq!(only(y), format!("conflict: {x} ran at the same time and stays"));
    assert_eq!(status(&f.plan(&restore_of(&[x, y])), "a"), "restore");
}

#[test]
fn what_is_not_saved_stays_as_it_is() {
    let mut f = Files::new();
    f.outside("was", large(1));
    f.outside("is", file("1"));
    let id = f.call("x", |tree| {
        put(tree, &path("was"), file("1"));
        put(tree, &path("is"), large(2));
    });
    let plan = f.plan(&restore_of(&[id]));
    assert_eq!(
        status(&plan, "was"),
        "not restorable: not saved (9.1 MiB, limit 8 MiB)"
    );
    assert_eq!(
        status(&plan, "is"),
        "not restorable: what is there now cannot be saved (9.1 MiB, limit 8 MiB)"
    );
    let mut command = restore_of(&[id]);
    choice(&mut command).over = vec![path("was"), path("is")];
    assert_eq!(
        kind(f.send(command).map(|_| ())),
        overrule_domain::refusal::RefusalKind::NoChange
    );
    assert!(f.w.restores.is_empty());
}

#[test]
fn what_is_there_already_is_not_written() {
    let mut f = Files::new();
    let id = f.call("x", |tree| put(tree, &path("a"), file("1")));
    f.touch(|tree| remove(tree, &path("a")));
    let plan = f.plan(&restore_of(&[id]));
    assert_eq!((status(&plan, "a").as_str(), plan.steps.0.len()), ("nothing", 0));
}

#[test]
fn the_paths_of_a_call_that_moved_head_are_left_unless_chosen() {
    let mut f = Files::new();
    f.outside("a", file("1"));
    let id = f.propose("x");
    f.touch(|tree| put(tree, &path("a"), file("2")));
    let head = |branch: &str, commit: &str| Head {
        branch: Some(branch.to_owned()),
        commit: Some(commit.to_owned()),
    };
    let moved = HeadMove {
        before: head("main", "a1b2c3d4e5"),
        after: head("main", "ffff"),
    };
    f.finish(
        id,
        ChangeSet {
            head: Some(moved),
            ignored: vec![path("target")],
            ..ChangeSet::default()
        },
    );
    let plan = f.plan(&restore_of(&[id]));
    assert_eq!(status(&plan, "a"), format!("conflict: {id} moved HEAD"));
    assert_eq!(plan.heads[0].hint, "git reset --soft a1b2c3d");
    assert_eq!(plan.ignored, [(id, path("target"))]);
    let mut command = restore_of(&[id]);
    choice(&mut command).over = vec![path("a")];
    f.restore(command);
    assert_eq!(at(&f.tree(), &path("a")), file("1"));
    let entry = f.w.state.ledger.values().find(|entry| entry.call == id).unwrap();
    assert_eq!(
        entry.more.reverted_by, None,
        "HEAD is where it was, and target/ as well"
    );
}

#[test]
fn directories_go_and_come_with_what_is_in_them() {
    let mut f = Files::new();
    f.outside("old/a", file("1"));
    f.outside("f", file("1"));
    let id = f.call("x", |tree| {
        remove(tree, &path("old"));
        put(tree, &path("new/deep/a"), file("1"));
        put(tree, &path("f/in"), file("1"));
        put(tree, &path("l"), link("nowhere"));
    });
    let plan = f.plan(&restore_of(&[id]));
    // Deletions deepest first, directories, files, links.
    assert_eq!(
        steps(&plan),
        ["new/deep/a", "f/in", "new/deep", "l", "new", "old", "f", "old/a"]
    );
    let before: Tree = [
        (path("old"), dir()),
        (path("old/a"), file("1")),
        (path("f"), file("1")),
    ]
    .into();
    let after = f.tree();
    f.restore(restore_of(&[id]));
    assert_eq!(f.tree(), before);
    let restore = *f.w.state.operator.files.restores.keys().next().unwrap();
    f.restore(undo_of(restore));
    assert_eq!(f.tree(), after);
}

#[test]
fn a_directory_with_something_that_stays_is_not_removed() {
    let mut f = Files::new();
    let id = f.call("x", |tree| {
        put(tree, &path("d/a"), file("1"));
        put(tree, &path("d/b"), file("1"));
    });
    let other = f.call("y", |tree| put(tree, &path("d/b"), file("2")));
    let plan = f.plan(&restore_of(&[id]));
    assert_eq!(
        status(&plan, "d/b"),
        format!("conflict: {other} changed it later and stays")
    );
    assert_eq!(status(&plan, "d"), "not restorable: something in it stays");
    assert_eq!(steps(&plan), ["d/a"]);
}

#[test]
fn nothing_is_restored_into_a_directory_that_is_not() {
    let mut f = Files::new();
    f.outside("d/a", file("1"));
    let id = f.call("x", |tree| remove(tree, &path("d")));
    let mut command = restore_of(&[id]);
    choice(&mut command).without = vec![path("d")];
    let plan = f.plan(&command);
    assert_eq!(
        status(&plan, "d/a"),
        "not restorable: the directory that it is in is not restored"
    );
    assert_eq!(plan.steps, StepList::default());
}

#[test]
fn permissions_come_last_and_a_mode_alone_is_a_change() {
    let mut f = Files::new();
    f.outside("a", with_mode("1", 0o755));
    f.outside("b", file("1"));
    let id = f.call("x", |tree| {
        put(tree, &path("a"), with_mode("1", 0o600));
        put(tree, &path("b"), file("2"));
    });
    let plan = f.restore(restore_of(&[id]));
    assert_eq!(steps(&plan), ["b", "a"]);
    assert_eq!(at(&f.tree(), &path("a")), with_mode("1", 0o755));
}

#[test]
fn directories_are_writable_while_their_entries_are_restored() {
    let directory = |mode| FileState::Dir { mode };
    let step = |name, from, to| Step {
        path: path(name),
        from,
        to,
    };
    let ordered = StepList::ordered(vec![
        step("closes", directory(0o755), directory(0o555)),
        step("closes/in", directory(0o755), directory(0o500)),
        step("closes/a", file("1"), file("2")),
        step("opens/a", file("1"), missing()),
        step("opens/in", directory(0), directory(0o755)),
        step("opens", directory(0o555), directory(0o755)),
    ]);
    let names: Vec<_> = ordered.0.iter().map(|step| step.path.text()).collect();
    let expected = ["opens", "opens/in", "opens/a", "closes/a", "closes/in", "closes"];
    assert_eq!(names, expected);
}

#[test]
fn a_step_tells_how_far_it_has_come() {
    use overrule_domain::files::{Progress, WRITABLE};
    let step = |from, to| Step {
        path: path("a"),
        from,
        to,
    };
    let content = step(file("1"), file("2"));
    assert_eq!(content.progress(&file("1")), Progress::Open);
    assert_eq!(content.progress(&file("2")), Progress::Done);
    assert_eq!(content.progress(&file("3")), Progress::Conflict);
    assert_eq!(
        content.progress(&missing()),
        Progress::Conflict,
        "somebody deleted it"
    );
    for replaced in [step(dir(), file("1")), step(link("x"), dir())] {
        assert_eq!(replaced.progress(&missing()), Progress::Conflict, "{replaced:?}");
    }
    let directory = |mode| FileState::Dir { mode };
    for step in [
        step(missing(), directory(0o555)),
        step(file("1"), directory(0o555)),
        step(directory(0o555), missing()),
        step(directory(0o555), link("x")),
    ] {
        let between = directory(0o555 | WRITABLE);
        assert_eq!(step.progress(&between), Progress::Open, "{step:?}");
        assert_eq!(step.progress(&directory(0o770)), Progress::Conflict, "{step:?}");
    }
    let mode = step(directory(0o555), directory(0o500));
    assert_eq!(mode.progress(&directory(0o755)), Progress::Conflict);
    assert_eq!(step(dir(), missing()).progress(&missing()), Progress::Done);
}

#[test]
fn what_an_earlier_version_recorded_shows_conflicts_and_what_was_created_is_deleted() {
    let hash = |text: &str| blake3::hash(text.as_bytes()).to_hex().to_string();
    let mut f = Files::new();
    f.w.rules.target = Some(hash("old"));
    let write = |name: &str| format!(r#"{{"_as":"{name}","path":"{name}","content":"x","n":1}}"#);
    f.w.reply(&[call("write", &write("a"))]);
    f.w.drain();
    let plan = f.plan(&restore_of(&[f.w.id("a")]));
    assert!(
        status(&plan, "a").starts_with("not restorable: not saved"),
        "{}",
        status(&plan, "a")
    );
    // The record has the hash `x` for what it wrote.
    f.w.rules.target = Some(String::new());
    f.w.reply(&[call("write", &write("b"))]);
    f.w.drain();
    f.touch(|tree| put(tree, &path("b"), with_mode("x", 0o600)));
    assert_eq!(status(&f.plan(&restore_of(&[f.w.id("b")])), "b"), "restore");
    f.touch(|tree| put(tree, &path("b"), file("theirs")));
    assert_eq!(
        status(&f.plan(&restore_of(&[f.w.id("b")])), "b"),
        "conflict: changed since by something else"
    );
}

#[test]
fn a_world_that_does_not_look_restores_nothing() {
    let mut f = Files::new();
    let id = f.call("x", |tree| put(tree, &path("a"), file("1")));
    let advice = overrule_domain::advice::Cards(&f.w.state);
    let refused = restore_plan(&f.w.state, &advice, &restore_of(&[id])).unwrap_err();
    assert_eq!(refused.message, "cannot restore: no files are looked at here");
}

#[test]
fn what_is_no_longer_saved_is_not_restorable_and_needs_no_content_to_be_deleted() {
    let mut f = Files::new();
    f.touch(|tree| {
        put(tree, &path("a"), file("old"));
        put(tree, &path("m"), file("same"));
    });
    f.look();
    let id = f.call("x", |tree| {
        put(tree, &path("a"), file("new"));
        put(tree, &path("b"), file("made"));
        put(tree, &path("m"), with_mode("same", 0o755));
    });
    let plan = f.plan(&restore_of(&[id]));
    assert_eq!(plan.steps.0.len(), 3);
    f.w.rules.lost = ["old", "same"].map(str::to_owned).into();
    let plan = f.plan(&restore_of(&[id]));
    assert_eq!(
        status(&plan, "a"),
        "not restorable: its content is no longer saved here"
    );
    assert_eq!(status(&plan, "b"), "restore");
    assert_eq!(status(&plan, "m"), "restore", "only its permissions change");
    assert_eq!(plan.steps.0.len(), 2);
}

#[test]
fn a_call_that_may_have_changed_what_another_is_recorded_with_is_no_other_effect() {
    let (mut f, calls) = two();
    f.touch(|tree| put(tree, &path("a"), file("1")));
    let shared = ChangeSet {
        shared: vec![calls[1]],
        ..ChangeSet::default()
    };
    f.finish(calls[0], shared);
    f.finish(calls[1], ChangeSet::default());
    let plan = f.plan(&restore_of(&calls));
    assert_eq!(plan.stays, [], "y may have written a");
    assert_eq!(plan.steps.0.len(), 1);
}
