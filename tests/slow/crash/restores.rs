//! Tests of `kill -9` in the middle of a restore of files.
//!
//! Must not know: how a step is carried out.

#![expect(clippy::disallowed_methods, reason = "a kill needs a moment")]

use std::collections::BTreeMap;
use std::fs;
use std::process::Stdio;
use std::time::{Duration, Instant};

use rustix::process::Signal;

use super::kills::Dice;
use super::world::{World, signal};

/// Paths of the workspace: enough that a kill hits between two steps.
const PATHS: usize = 400;
/// Changes, deletes and creates files in many directories.
const LINE: &str =
    "for d in d*; do echo changed > $d/a; rm $d/b; echo new > $d/c; ln -s a $d/l; done; rm -r gone";

type Tree = BTreeMap<String, String>;

fn tree(world: &World) -> Tree {
    let mut all = Tree::new();
    let mut open = vec![world.ws()];
    while let Some(dir) = open.pop() {
        for entry in fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            let about = path.symlink_metadata().unwrap();
            let content = if about.is_symlink() {
                format!("-> {}", fs::read_link(&path).unwrap().display())
            } else if about.is_dir() {
                open.push(path.clone());
                "a directory".to_owned()
            } else {
                fs::read_to_string(&path).unwrap()
            };
            all.insert(path.display().to_string(), content);
        }
    }
    all
}

fn digest(world: &World, args: &[&str]) -> String {
    let preview = world.run(&[args, &["--preview", "--json"]].concat()).ends(0);
    let view: serde_json::Value = serde_json::from_str(preview.out.trim()).unwrap();
    view["digest"].as_str().unwrap().to_owned()
}

/// The newest restore: its id, whether it has ended, and how many of its paths were skipped.
fn newest(world: &World) -> Option<(String, bool, usize)> {
    let state = world.state(&world.id());
    let record = state.operator.files.restores.values().next_back()?;
    let skipped = record.end.as_ref().map_or(0, |end| end.skipped.len());
    Some((record.started.restore.to_string(), record.end.is_some(), skipped))
}

#[test]
fn a_restore_that_is_killed_is_continued_undone_or_left_and_nothing_is_lost() {
    let world = World::new();
    for number in 0..PATHS / 4 {
        let dir = world.ws().join(format!("d{number}"));
        fs::create_dir(&dir).unwrap();
        fs::write(dir.join("a"), "one\n").unwrap();
        fs::write(dir.join("b"), "two\n").unwrap();
    }
    fs::create_dir(world.ws().join("gone")).unwrap();
    fs::write(world.ws().join("gone/x"), "x\n").unwrap();
    let before = tree(&world);
    let book = format!(
        "[meta]\nname = \"files\"\n[[rule]]\nwhen = {{ done = [\"a\"] }}\nanswer = \"done\"\n[[rule]]\nthink = \"I run \
         it.\"\n[[rule.call]]\ntool = \"shell\"\nas = \"a\"\nargs = {{ command = '''{LINE}''' }}\n"
    );
    world.play(&book, &["--policy", "auto"]).ends(0);
    let changed = tree(&world);
    assert_ne!(changed, before);

    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    let requested = overrule_testing::times(3);
    let (mut kills, mut tries) = (0, 0);
    while kills < requested {
        tries += 1;
        assert!(
            tries < requested * 20,
            "the kills come too late: {kills} of {requested}"
        );
        let now = tree(&world);
        let (from, to) = if now == changed {
            (&changed, &before)
        } else {
            (&before, &changed)
        };
        assert_eq!(&now, from, "one of the two trees");
        // The files of the call are restored, and the restore that ended is undone.
        let last = newest(&world).map(|(id, ..)| id);
        let is_undo = from == &before;
        let args: Vec<&str> = match &last {
            Some(id) if is_undo => vec!["restore", "last", "--undo", id],
            _ => vec!["restore", "last", "c3"],
        };
        let digest = digest(&world, &args);
        let mut command = world.command(&[&args[..], &["--digest", &digest]].concat());
        let mut child = command
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // Once the first path is restored, at some moment.
        let began = Instant::now();
        while tree(&world) == now && began.elapsed() < Duration::from_secs(20) {
            std::thread::yield_now();
        }
        std::thread::sleep(Duration::from_micros(dice.below(4_000)));
        signal(&child, Signal::KILL);
        child.wait().unwrap();
        let (id, has_ended, _) = newest(&world).unwrap();
        if has_ended {
            assert_eq!(&tree(&world), to);
            continue;
        }
        kills += 1;
        // What is left of an undo is another tree than either.
        let choice = if is_undo { 2 } else { dice.below(3) };
        let wanted = match choice {
            0 => {
                let undo = ["restore", "last", "--undo", &id];
                let digest = self::digest(&world, &undo);
                world.run(&[&undo[..], &["--digest", &digest]].concat()).ends(0);
                from
            }
            1 => {
                // Left as it is, then undone.
                world.run(&["restore", "last", "--leave", &id]).ends(0);
                let left: Vec<String> = tree(&world)
                    .into_keys()
                    .filter(|path| path.contains(".overrule-"))
                    .collect();
                assert!(left.is_empty(), "what is left is no file of ours: {left:?}");
                let undo = ["restore", "last", "--undo", &id];
                let preview = world.run(&[&undo[..], &["--preview"]].concat()).ends(0).out;
                if !preview.contains("restore 0 of") {
                    let digest = self::digest(&world, &undo);
                    world.run(&[&undo[..], &["--digest", &digest]].concat()).ends(0);
                }
                from
            }
            _ => {
                world.run(&["restore", "last", "--continue", &id]).ends(0);
                to
            }
        };
        let (_, has_ended, skipped) = newest(&world).unwrap();
        assert!(has_ended && skipped == 0);
        let after = tree(&world);
        let wrong: Vec<_> = after
            .iter()
            .filter(|(path, content)| wanted.get(*path) != Some(*content))
            .collect();
        assert!(wrong.is_empty() && after.len() == wanted.len(), "{wrong:?}");
    }
}
