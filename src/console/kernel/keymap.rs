//! Keys of the commands by context: the defaults, changed by the operator's file.
//!
//! Must not know: files, how commands are carried out.
//!
//! Names and keys are parsed once, at load. Two meanings of one key in one context are an error.

pub mod file;

use std::collections::BTreeMap;
use std::collections::btree_map::Entry as Slot;

use super::context::Context;
use super::registry::Registry;
use super::surface::SurfaceId;
use crate::ground::key::{BadKey, Key};
use crate::kernel::renamed;
pub use crate::kernel::renamed::current_name;
use crate::kernel::verb::Verb;
use overrule_base::document::{Place, near};
use overrule_base::text::visible;

use file::Change;

/// An error in a keymap, with its place in the file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}: {wrong}", place.as_ref().map_or_else(|| "keymap".to_owned(), Place::to_string))]
pub struct Error {
    /// The place; none for an error outside of the file.
    pub place: Option<Place>,
    /// The error.
    pub wrong: Wrong,
}

/// Kinds of errors in a keymap.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Wrong {
    /// No such command.
    #[error("`{name}` is not a command{}; `?` in the console lists them all", near.as_ref().map(|n| format!(", did you mean `{n}`")).unwrap_or_default())]
    UnknownName {
        /// The name, safe to show.
        name: String,
        /// The nearest known name.
        near: Option<String>,
    },
    /// Not a key.
    #[error("`{name}`: {source}")]
    BadKey {
        /// The command.
        name: &'static str,
        /// What is wrong.
        source: BadKey,
    },
    /// Two meanings of one key.
    #[error("`{key}` means both `{first}` and `{second}` {where_}: give one of them another key")]
    Duplicate {
        /// The key.
        key: Key,
        /// One command.
        first: &'static str,
        /// The other.
        second: &'static str,
        /// Where.
        where_: String,
    },
    /// A character that types text cannot be a command where text is typed.
    #[error("`{key}` for `{name}` is a character, and {where_} characters are typed: add ctrl- or alt-")]
    Typed {
        /// The key.
        key: Key,
        /// The command.
        name: &'static str,
        /// Where.
        where_: String,
    },
    /// A command without which the operator has no way out.
    #[error("`{0}` needs a key: without it there would be no way out")]
    Needed(&'static str),
}

/// Commands that must have a key.
const NEEDED: [&str; 4] = ["interrupt", "help", "discard", "back"];

/// Keys to verbs, by context.
#[derive(Debug, Clone)]
pub struct Keymap {
    registry: &'static Registry,
    keys: BTreeMap<(Context, Key), &'static Verb>,
    of: BTreeMap<&'static str, Vec<Key>>,
    /// What of the file is ignored, because an earlier version wrote it: a sentence each.
    pub ignored: Vec<String>,
}

/// Equal keys for the same verbs.
impl PartialEq for Keymap {
    fn eq(&self, other: &Self) -> bool {
        self.of == other.of
    }
}

impl Eq for Keymap {}

impl Keymap {
    /// The defaults with the operator's changes, which replace the keys of a command.
    pub fn new(registry: &'static Registry, changes: &[Change]) -> Result<Self, Error> {
        let verbs = || registry.verbs();
        let mut requested: BTreeMap<&'static str, &Change> = BTreeMap::new();
        let mut ignored = Vec::new();
        // Current names come first: they win over former ones.
        let is_former = |change: &&Change| renamed::current_name(&change.name.value) != change.name.value;
        let (former, current): (Vec<_>, Vec<_>) = changes.iter().partition(is_former);
        for change in current.into_iter().chain(former) {
            let (written, place) = (change.name.value.as_str(), &change.name.place);
            if renamed::is_retired(written) {
                ignored.push(format!(
                    "{place}: the command `{written}` is gone, its keys are ignored"
                ));
                continue;
            }
            let name = renamed::current_name(written);
            let Some(verb) = verbs().find(|verb| verb.name == name) else {
                let short: String = name.chars().take(60).collect();
                let wrong = Wrong::UnknownName {
                    name: visible(&short),
                    near: near(name, verbs().map(|verb| verb.name)).map(str::to_owned),
                };
                return Err(Error {
                    place: Some(change.name.place.clone()),
                    wrong,
                });
            };
            match requested.entry(verb.name) {
                Slot::Vacant(slot) => {
                    slot.insert(change);
                }
                Slot::Occupied(_) => ignored.push(format!(
                    "{place}: `{written}` is `{name}` now, which has keys here too: those of `{written}` are ignored"
                )),
            }
        }
        let mut map = Self {
            registry,
            keys: BTreeMap::new(),
            of: BTreeMap::new(),
            ignored,
        };
        for verb in verbs() {
            let keys = match requested.get(verb.name) {
                Some(change) => parse(
                    verb.name,
                    change.keys.iter().map(|at| (at.value.as_str(), Some(&at.place))),
                )?,
                None => parse(verb.name, verb.keys.iter().map(|key| (*key, None)))?,
            };
            map.of.insert(verb.name, keys);
        }
        let placed = |error: Wrong| {
            let place = |name: &str| {
                let change = requested.get(name)?;
                Some(change.keys.first().unwrap_or(&change.name).place.clone())
            };
            let place = match &error {
                Wrong::Duplicate { first, second, .. } => place(second).or_else(|| place(first)),
                Wrong::Typed { name, .. } | Wrong::Needed(name) => place(name),
                Wrong::UnknownName { .. } | Wrong::BadKey { .. } => None,
            };
            Error { place, wrong: error }
        };
        for verb in verbs() {
            let keys = map.keys_of(verb.name).to_vec();
            for context in registry.places(verb) {
                for key in &keys {
                    map.bind(context, *key, verb).map_err(placed)?;
                }
            }
        }
        map.check_reach().map_err(placed)?;
        for name in NEEDED {
            if map.keys_of(name).is_empty() {
                return Err(placed(Wrong::Needed(name)));
            }
        }
        Ok(map)
    }

    /// All surfaces and verbs.
    pub const fn registry(&self) -> &'static Registry {
        self.registry
    }

    /// True for a verb of the family with this heading.
    pub fn is_of(&self, heading: &str, verb: &Verb) -> bool {
        let mut families = self.registry.families();
        families.any(|(one, verbs)| one == heading && verbs.contains(&verb))
    }

    fn bind(&mut self, context: Context, key: Key, verb: &'static Verb) -> Result<(), Wrong> {
        if matches!(context, Context::On(surface) if surface.is_text()) && key.typed().is_some() {
            return Err(Wrong::Typed {
                key,
                name: verb.name,
                where_: context.place(),
            });
        }
        match self.keys.entry((context, key)) {
            Slot::Occupied(other) => Err(Wrong::Duplicate {
                key,
                first: other.get().name,
                second: verb.name,
                where_: context.place(),
            }),
            Slot::Vacant(slot) => {
                slot.insert(verb);
                Ok(())
            }
        }
    }

    /// Checks that no wider context hides a key of a narrower one.
    fn check_reach(&self) -> Result<(), Wrong> {
        for ((context, key), first) in &self.keys {
            let mut wider = wider(*context).iter();
            if let Some(second) = wider.find_map(|wide| self.keys.get(&(*wide, *key))) {
                return Err(Wrong::Duplicate {
                    key: *key,
                    first: first.name,
                    second: second.name,
                    where_: context.place(),
                });
            }
        }
        Ok(())
    }

    /// The verb of a key on a surface. Verbs of recorded runs apply only with `replay`.
    pub fn verb(&self, surface: SurfaceId, key: Key, replay: bool) -> Option<&'static Verb> {
        reach(Context::On(surface))
            .filter(|near| replay || *near != Context::Replay)
            .find_map(|near| self.keys.get(&(near, key)).copied())
    }

    /// The keys of a command, by name.
    pub fn keys_of(&self, name: &str) -> &[Key] {
        self.of.get(name).map_or(&[], Vec::as_slice)
    }

    /// The first key of a command as text; empty without one.
    pub fn first(&self, name: &str) -> String {
        self.keys_of(name).first().map(Key::to_string).unwrap_or_default()
    }
}

/// The contexts whose keys work in one, the nearest first.
fn reach(context: Context) -> impl Iterator<Item = Context> {
    std::iter::once(context).chain(wider(context).iter().copied())
}

/// The other contexts whose keys work in one, the nearest first.
fn wider(context: Context) -> &'static [Context] {
    match context {
        Context::Always => &[],
        Context::Panes => &[Context::Replay, Context::Always],
        Context::On(surface) if surface.is_pane => &[Context::Panes, Context::Replay, Context::Always],
        Context::Replay | Context::On(_) | Context::Each(_) => &[Context::Always],
    }
}

fn parse<'a>(
    name: &'static str,
    keys: impl Iterator<Item = (&'a str, Option<&'a Place>)>,
) -> Result<Vec<Key>, Error> {
    keys.map(|(key, place)| {
        key.parse().map_err(|source| Error {
            place: place.cloned(),
            wrong: Wrong::BadKey { name, source },
        })
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::app::registry::{REGISTRY, keymap};
    use crate::kernel::pane::Pane;
    use crate::kernel::verb::TEXTS;
    use crate::surfaces;
    use crate::surfaces::{broken, bulk, consent, leave, outcome, rule};
    use crate::verbs::{approve, retry, run_now};

    fn change(name: &str, keys: &[&str]) -> Change {
        let text = format!("\n{name} = {keys:?}");
        file::parse("keys.toml", &text).unwrap().remove(0)
    }

    #[test]
    fn the_default_table_has_no_key_with_two_meanings() {
        keymap(&[]).unwrap();
    }

    #[test]
    fn no_key_that_edits_a_text_lets_anything_run() {
        // Habitual text keys may be pressed after the text was closed already.
        let allows = |verb: &Verb| {
            [
                approve::APPROVE,
                approve::APPROVE_UNREAD,
                bulk::verbs::APPROVE_LIST,
                rule::verbs::ACCEPT_RULE,
                consent::verbs::RUN_AGAIN,
                retry::VERB,
                run_now::VERB,
                outcome::verbs::IT_DID_NOT,
                broken::verbs::ASK_AGAIN,
            ]
            .contains(verb)
        };
        let keys = |of: &dyn Fn(&Verb) -> bool| -> BTreeSet<&str> {
            let found = REGISTRY.verbs().filter(|verb| of(verb));
            found.flat_map(|verb| verb.keys).copied().collect()
        };
        let all = keymap(&[]).unwrap();
        let edits = keys(&|verb| all.is_of(TEXTS, verb));
        let runs = keys(&allows);
        assert!(runs.contains("ctrl-a") && edits.contains("ctrl-u"));
        assert_eq!(edits.intersection(&runs).collect::<Vec<_>>(), Vec::<&&str>::new());
    }

    #[test]
    fn names_are_unique_and_docs_are_sentences() {
        let mut names: Vec<&str> = REGISTRY.verbs().map(|entry| entry.name).collect();
        names.sort_unstable();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count, "a name is in the table twice");
        assert!(
            REGISTRY
                .verbs()
                .all(|entry| !entry.doc.is_empty() && !entry.contexts.is_empty())
        );
    }

    #[test]
    fn a_key_given_to_two_commands_of_a_place_is_refused_by_name() {
        let error = keymap(&[change("reject", &["a"])]).unwrap_err();
        let text = error.to_string();
        assert!(
            text.starts_with("keys.toml:2:11: `a` means both `approve` and `reject` in every pane: give"),
            "{text}"
        );
    }

    #[test]
    fn a_pane_key_may_not_hide_one_that_works_everywhere() {
        assert!(matches!(
            keymap(&[change("expand", &["q"])]).map_err(|error| error.wrong),
            Err(Wrong::Duplicate { .. })
        ));
        assert!(matches!(
            keymap(&[change("approve", &["ctrl-c"])]).map_err(|error| error.wrong),
            Err(Wrong::Duplicate { .. })
        ));
    }

    #[test]
    fn characters_cannot_be_commands_where_text_is_typed() {
        assert!(matches!(
            keymap(&[change("done", &["d"])]).map_err(|error| error.wrong),
            Err(Wrong::Typed { .. })
        ));
    }

    #[test]
    fn an_unknown_name_is_refused_with_the_nearest_one() {
        let error = keymap(&[change("aprove", &["a"])]).unwrap_err();
        let text = error.to_string();
        assert!(
            text.starts_with("keys.toml:2:1: `aprove` is not a command, did you mean `approve`"),
            "{text}"
        );
        let evil = keymap(&[change("\"\\u001b[31m\"", &["a"])])
            .unwrap_err()
            .to_string();
        assert!(!evil.contains('\u{1b}'), "{evil:?}");
    }

    #[test]
    fn an_old_name_changes_the_renamed_command() {
        let map = keymap(&[change("collect", &["alt-y"])]).unwrap();
        assert_eq!(map.first("stage"), "alt-y");
        assert!(map.ignored.is_empty(), "{:?}", map.ignored);
        // The current name wins, wherever it is.
        let (stage, collect) = (change("stage", &["alt-y"]), change("collect", &["alt-z"]));
        for both in [[stage.clone(), collect.clone()], [collect, stage]] {
            let map = keymap(&both).unwrap();
            assert_eq!(map.keys_of("stage").len(), 1);
            assert_eq!(map.first("stage"), "alt-y");
            let told = "keys.toml:2:1: `collect` is `stage` now, which has keys here too: those of `collect` are ignored";
            assert_eq!(map.ignored, [told]);
        }
    }

    #[test]
    fn a_command_that_is_gone_is_ignored_with_a_word_and_one_that_never_was_is_refused() {
        // Its key is not parsed: it may be one that has another meaning now.
        let map = keymap(&[
            change("follow-branch", &["enter", "hyper-x"]),
            change("zoom", &["alt-z"]),
        ])
        .unwrap();
        assert_eq!(map.first("zoom"), "alt-z");
        assert_eq!(
            map.ignored,
            ["keys.toml:2:1: the command `follow-branch` is gone, its keys are ignored"]
        );
        assert_eq!(map.keys_of("follow-branch"), []);
        assert!(keymap(&[]).unwrap().ignored.is_empty());
        let error = keymap(&[change("follow-branches", &["alt-z"])]).unwrap_err();
        assert!(matches!(error.wrong, Wrong::UnknownName { .. }), "{error}");
    }

    #[test]
    fn an_invalid_key_is_refused_with_its_place() {
        let error = keymap(&[change("approve", &["ctrl-y", "hyper-x"])]).unwrap_err();
        let text = error.to_string();
        assert!(
            text.starts_with("keys.toml:2:22: `approve`: `hyper-x` is not a key"),
            "{text}"
        );
    }

    #[test]
    fn the_way_out_keeps_a_key() {
        for name in NEEDED {
            let error = keymap(&[change(name, &[])]).unwrap_err();
            assert!(error.to_string().contains("needs a key"), "{error}");
            assert!(error.place.is_some());
        }
        let map = keymap(&[change("zoom", &[])]).unwrap();
        assert_eq!(map.first("zoom"), "", "any other may be without one");
    }

    #[test]
    fn a_change_replaces_the_defaults() {
        let map = keymap(&[change("approve", &["alt-y"])]).unwrap();
        let key = |text: &str| text.parse::<Key>().unwrap();
        assert_eq!(map.verb(Pane::QUEUE.id(), key("a"), false), None);
        assert_eq!(
            map.verb(Pane::QUEUE.id(), key("alt-y"), false),
            Some(&approve::APPROVE)
        );
        assert_eq!(map.verb(surfaces::editor::ID, key("alt-y"), false), None);
        assert_eq!(
            map.verb(surfaces::editor::ID, key("ctrl-c"), false),
            Some(&leave::verbs::INTERRUPT)
        );
    }

    #[test]
    fn approve_is_on_no_key_that_is_pressed_by_habit() {
        let map = keymap(&[]).unwrap();
        for habit in ["enter", "space", "y", "esc", "tab"] {
            let key: Key = habit.parse().unwrap();
            for surface in REGISTRY.surfaces() {
                let verb = map.verb(surface, key, false);
                let approves = [
                    approve::APPROVE,
                    approve::APPROVE_UNREAD,
                    bulk::verbs::APPROVE_LIST,
                ];
                assert!(verb.is_none_or(|verb| !approves.contains(verb)));
            }
        }
    }
}
