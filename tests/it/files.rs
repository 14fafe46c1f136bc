//! Tests what is recorded of the files that calls change, and how they are restored, with the real program.
//!
//! Must not know: how a file is found or written.

mod commands;
mod interrupted;
mod restoring;
mod tracking;

use std::collections::BTreeMap;
use std::fs;

use overrule::domain::event::{Event, FilesEvent};
use overrule::domain::files::{ChangeSet, RestoreRecord};
use serde_json::Value;

use crate::support::world::{Said, World};

/// Changes one file, deletes one and creates one.
const LINE: &str = "echo changed > a.txt; rm b.txt; echo new > d.txt; echo done";

/// A playbook that runs lines in one turn, then answers.
fn playbook(lines: &[&str]) -> String {
    let names: Vec<String> = (0..lines.len()).map(|no| format!("\"n{no}\"")).collect();
    let calls: Vec<String> = lines
        .iter()
        .enumerate()
        .map(|(no, line)| {
            format!("[[rule.call]]\ntool = \"shell\"\nas = \"n{no}\"\nargs = {{ command = '''{line}''' }}\n")
        })
        .collect();
    format!(
        "[meta]\nname = \"files\"\n[[rule]]\nwhen = {{ done = [{}] }}\nanswer = \"done\"\n[[rule]]\nthink = \"I run it.\"\n{}",
        names.join(", "),
        calls.concat()
    )
}

/// A world whose only call has changed three files; `other.txt` was not changed.
fn changed() -> World {
    let world = World::new();
    for (name, text) in [("a.txt", "one\n"), ("b.txt", "two\n"), ("other.txt", "other\n")] {
        world.file(name, text);
    }
    world.play(&playbook(&[LINE]), &["--policy", "auto"]).ends(0);
    assert_eq!(tree(&world), CHANGED.map(owned));
    world
}

const BEFORE: [(&str, &str); 4] = [
    ("a.txt", "one\n"),
    ("b.txt", "two\n"),
    ("notes.txt", "alpha\nbeta\n"),
    ("other.txt", "other\n"),
];
const CHANGED: [(&str, &str); 4] = [
    ("a.txt", "changed\n"),
    ("d.txt", "new\n"),
    ("notes.txt", "alpha\nbeta\n"),
    ("other.txt", "other\n"),
];

fn owned((name, text): (&str, &str)) -> (String, String) {
    (name.to_owned(), text.to_owned())
}

/// The files of the workspace with their texts, in the order of their names.
fn tree(world: &World) -> Vec<(String, String)> {
    let entries = fs::read_dir(world.ws()).unwrap().flatten();
    let files: BTreeMap<String, String> = entries
        .filter(|entry| entry.file_type().unwrap().is_file())
        .map(|entry| {
            let name = entry.file_name().into_string().unwrap();
            (name, fs::read_to_string(entry.path()).unwrap())
        })
        .collect();
    files.into_iter().collect()
}

fn view(said: &Said) -> Value {
    let last = said.out.lines().last().unwrap_or_default();
    serde_json::from_str(last).unwrap_or_else(|error| panic!("{error}: {}\n{}", said.out, said.err))
}

/// The digest that a preview of this verb prints.
fn digest(world: &World, args: &[&str]) -> String {
    let preview = world.run(&[args, &["--preview", "--json"]].concat()).ends(0);
    view(&preview)["digest"].as_str().unwrap().to_owned()
}

fn restores(world: &World) -> Vec<RestoreRecord> {
    let state = world.state(&world.id());
    state.operator.files.restores.values().cloned().collect()
}

/// The change sets of a session, in the order in which they were recorded.
fn sets(world: &World) -> Vec<ChangeSet> {
    let facts = world.facts(&world.id());
    let sets = facts.into_iter().filter_map(|fact| match fact.event {
        Event::Files(FilesEvent::Changed { set, .. }) => Some(*set),
        _ => None,
    });
    sets.collect()
}
