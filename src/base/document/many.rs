//! Tables with their entries in order, and lists that may be one value.
//!
//! Must not know: what the keys mean.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use toml::Spanned;

/// A string and its place.
pub type Text = Spanned<String>;

/// The entries of a table, in the order of the file.
#[derive(Debug)]
pub struct Pairs<T>(pub Vec<(Text, T)>);

impl<T> Default for Pairs<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

/// The strings of a list; one string is a list of one.
#[derive(Debug, Default)]
pub struct Texts(pub Vec<Text>);

enum OneOrMany {
    One(String),
    Many(Vec<Text>),
}

impl<'de> Deserialize<'de> for Texts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let at = Spanned::<OneOrMany>::deserialize(deserializer)?;
        let span = at.span();
        Ok(Self(match at.into_inner() {
            OneOrMany::One(text) => vec![Spanned::new(span, text)],
            OneOrMany::Many(texts) => texts,
        }))
    }
}

impl<'de> Deserialize<'de> for OneOrMany {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;

        impl<'de> Visitor<'de> for Reader {
            type Value = OneOrMany;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string or a list of strings")
            }

            fn visit_str<E>(self, text: &str) -> Result<OneOrMany, E> {
                Ok(OneOrMany::One(text.to_owned()))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<OneOrMany, A::Error> {
                let mut texts = Vec::new();
                while let Some(text) = items.next_element()? {
                    texts.push(text);
                }
                Ok(OneOrMany::Many(texts))
            }
        }

        deserializer.deserialize_any(Reader)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Pairs<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader<T>(PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for Reader<T> {
            type Value = Pairs<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a table")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Pairs<T>, A::Error> {
                let mut pairs: Vec<(Text, T)> = Vec::new();
                while let Some(pair) = map.next_entry()? {
                    pairs.push(pair);
                }
                pairs.sort_by_key(|(key, _)| key.span().start);
                Ok(Pairs(pairs))
            }
        }

        deserializer.deserialize_map(Reader(PhantomData))
    }
}
