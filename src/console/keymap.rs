//! Which key does what, where: the table's defaults, changed by the operator's file.
//!
//! Names and keys are parsed once, at load; two meanings of one key in one place are an error.
//! Must not know: files, how anything is done.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry as Slot;

use super::commands::{self, Context, Entry, Verb};
use super::key::{BadKey, Key};

/// What is wrong with a keymap.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// No such command.
    #[error("keymap: `{name}` is not a command{}; `?` in the console lists them all", near.as_ref().map(|n| format!(", did you mean `{n}`")).unwrap_or_default())]
    UnknownName {
        /// The name.
        name: String,
        /// The nearest known name.
        near: Option<String>,
    },
    /// Not a key.
    #[error("keymap: `{name}`: {source}")]
    BadKey {
        /// The command.
        name: String,
        /// What is wrong.
        source: BadKey,
    },
    /// Two meanings of one key.
    #[error(
        "keymap: `{key}` means both `{first}` and `{second}` in the {place}: give one of them another key"
    )]
    Twice {
        /// The key.
        key: Key,
        /// One command.
        first: &'static str,
        /// The other.
        second: &'static str,
        /// Where.
        place: &'static str,
    },
    /// A character that types text cannot be a command where text is typed.
    #[error(
        "keymap: `{key}` for `{name}` is a character, and in the {place} characters are typed: add ctrl- or alt-"
    )]
    Typed {
        /// The key.
        key: Key,
        /// The command.
        name: &'static str,
        /// Where.
        place: &'static str,
    },
}

/// Keys to verbs, by context.
#[derive(Debug, Clone)]
pub struct Keymap {
    keys: BTreeMap<(Context, Key), &'static Entry>,
    of: BTreeMap<&'static str, Vec<Key>>,
}

impl Keymap {
    /// The defaults with the operator's changes: a name and the keys that replace its default keys.
    pub fn new(changes: &[(String, Vec<String>)]) -> Result<Self, Error> {
        let mut wanted: BTreeMap<&str, &[String]> = BTreeMap::new();
        for (name, keys) in changes {
            if !commands::entries().any(|entry| entry.name == name) {
                return Err(Error::UnknownName {
                    name: name.chars().take(60).collect(),
                    near: nearest(name),
                });
            }
            wanted.insert(name, keys);
        }
        let mut map = Self {
            keys: BTreeMap::new(),
            of: BTreeMap::new(),
        };
        for entry in commands::entries() {
            let keys: Vec<Key> = match wanted.get(entry.name) {
                Some(keys) => parse(entry.name, keys.iter().map(String::as_str))?,
                None => parse(entry.name, entry.keys.iter().copied())?,
            };
            for context in entry.contexts {
                for key in &keys {
                    map.bind(*context, *key, entry)?;
                }
            }
            map.of.insert(entry.name, keys);
        }
        map.check_reach()?;
        Ok(map)
    }

    fn bind(&mut self, context: Context, key: Key, entry: &'static Entry) -> Result<(), Error> {
        if context.is_text() && key.typed().is_some() {
            return Err(Error::Typed {
                key,
                name: entry.name,
                place: context.heading(),
            });
        }
        match self.keys.entry((context, key)) {
            Slot::Occupied(other) => Err(Error::Twice {
                key,
                first: other.get().name,
                second: entry.name,
                place: context.heading(),
            }),
            Slot::Vacant(slot) => {
                slot.insert(entry);
                Ok(())
            }
        }
    }

    /// No key of a context may be hidden by a wider one that reaches it.
    fn check_reach(&self) -> Result<(), Error> {
        for context in Context::ALL {
            let mut seen: BTreeMap<Key, &'static Entry> = BTreeMap::new();
            for near in context.reach() {
                for ((_, key), entry) in self.keys.iter().filter(|((place, _), _)| place == near) {
                    if let Some(first) = seen.insert(*key, entry) {
                        return Err(Error::Twice {
                            key: *key,
                            first: first.name,
                            second: entry.name,
                            place: context.heading(),
                        });
                    }
                }
            }
        }
        Ok(())
    }

    /// What a key means in a context; the verbs of recorded runs only where `replay` is set.
    pub fn verb(&self, context: Context, key: Key, replay: bool) -> Option<Verb> {
        context
            .reach()
            .iter()
            .filter(|near| replay || **near != Context::Replay)
            .find_map(|near| self.keys.get(&(*near, key)))
            .map(|entry| entry.verb)
    }

    /// The keys of a command, by name.
    pub fn keys_of(&self, name: &str) -> &[Key] {
        self.of.get(name).map_or(&[], Vec::as_slice)
    }

    /// The first key of a command as text; empty where it has none.
    pub fn first(&self, name: &str) -> String {
        self.keys_of(name).first().map(Key::to_string).unwrap_or_default()
    }
}

fn parse<'a>(name: &str, keys: impl Iterator<Item = &'a str>) -> Result<Vec<Key>, Error> {
    keys.map(|key| {
        key.parse().map_err(|source| Error::BadKey {
            name: name.to_owned(),
            source,
        })
    })
    .collect()
}

fn nearest(name: &str) -> Option<String> {
    commands::entries()
        .map(|entry| (strsim::jaro_winkler(entry.name, name), entry.name))
        .filter(|(score, _)| *score > 0.7)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, name)| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::console::commands::{Decide, View};

    fn change(name: &str, keys: &[&str]) -> (String, Vec<String>) {
        (
            name.to_owned(),
            keys.iter().map(|key| (*key).to_owned()).collect(),
        )
    }

    #[test]
    fn the_default_table_has_no_key_with_two_meanings() {
        Keymap::new(&[]).unwrap();
    }

    #[test]
    fn names_are_unique_and_docs_are_sentences() {
        let mut names: Vec<&str> = commands::entries().map(|entry| entry.name).collect();
        names.sort_unstable();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count, "a name stands twice in the table");
        assert!(commands::entries().all(|entry| !entry.doc.is_empty() && !entry.contexts.is_empty()));
    }

    #[test]
    fn a_key_given_to_two_commands_of_a_place_is_refused_by_name() {
        let error = Keymap::new(&[change("reject", &["a"])]).unwrap_err();
        assert!(error.to_string().contains("`approve` and `reject`"), "{error}");
    }

    #[test]
    fn a_pane_key_may_not_hide_one_that_works_everywhere() {
        assert!(matches!(
            Keymap::new(&[change("expand", &["q"])]),
            Err(Error::Twice { .. })
        ));
        assert!(matches!(
            Keymap::new(&[change("approve", &["ctrl-c"])]),
            Err(Error::Twice { .. })
        ));
    }

    #[test]
    fn characters_cannot_be_commands_where_text_is_typed() {
        assert!(matches!(
            Keymap::new(&[change("done", &["d"])]),
            Err(Error::Typed { .. })
        ));
    }

    #[test]
    fn an_unknown_name_is_refused_with_the_nearest_one() {
        let error = Keymap::new(&[change("aprove", &["a"])]).unwrap_err();
        assert!(error.to_string().contains("did you mean `approve`"), "{error}");
    }

    #[test]
    fn a_change_replaces_the_defaults() {
        let map = Keymap::new(&[change("approve", &["ctrl-y"])]).unwrap();
        let key = |text: &str| text.parse::<Key>().unwrap();
        assert_eq!(map.verb(Context::Queue, key("a"), false), None);
        assert_eq!(
            map.verb(Context::Queue, key("ctrl-y"), false),
            Some(Verb::Decide(Decide::Approve))
        );
        assert_eq!(map.verb(Context::Editor, key("ctrl-y"), false), None);
        assert_eq!(
            map.verb(Context::Editor, key("ctrl-c"), false),
            Some(Verb::View(View::Interrupt))
        );
    }

    #[test]
    fn approve_is_on_no_key_that_is_pressed_by_habit() {
        let map = Keymap::new(&[]).unwrap();
        for habit in ["enter", "space", "y", "esc", "tab"] {
            let key: Key = habit.parse().unwrap();
            for context in Context::ALL {
                let verb = map.verb(context, key, false);
                assert!(!matches!(
                    verb,
                    Some(Verb::Decide(
                        Decide::Approve | Decide::ApproveUnread | Decide::AllNow
                    ))
                ));
            }
        }
    }
}
