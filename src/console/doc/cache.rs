//! What documents were made of before: rows of texts, and what was found out about them. A document is made anew
//! whenever something happens, and nothing long is gone through again for it as long as it is the same text. What was
//! found out about the long texts that were looked at last is kept: who comes back to one does not wait for it again.
//!
//! Must not know: what a document is about.

use std::collections::{HashMap, VecDeque};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use super::{Form, readable};
use crate::console::diff;
use crate::console::json;
use crate::console::pager::{Pager, Wrap};
use crate::console::sgr;
use crate::domain::id::{NodeId, Rev};
use crate::text::{self, Survey};

/// A text by where it is, not by what it says: as long as it is held here it is no other.
#[derive(Debug, Clone)]
struct Same(Arc<str>);

impl PartialEq for Same {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Same {}

impl Hash for Same {
    fn hash<H: Hasher>(&self, state: &mut H) {
        Arc::as_ptr(&self.0).cast::<u8>().hash(state);
    }
}

/// Bytes from which a text is kept when another one is shown.
const LONG: usize = 256 * 1024;
/// How many of them.
const BEFORE: usize = 6;

/// What something was found out about.
trait Source {
    /// How long that is, in bytes.
    fn bytes(&self) -> usize;
}

impl Source for Same {
    fn bytes(&self) -> usize {
        self.0.len()
    }
}

impl Source for (Same, Same) {
    fn bytes(&self) -> usize {
        self.0.bytes() + self.1.bytes()
    }
}

impl Source for Shown {
    fn bytes(&self) -> usize {
        self.source.bytes()
    }
}

impl Source for Revisions {
    fn bytes(&self) -> usize {
        self.2.iter().flatten().map(Source::bytes).sum()
    }
}

/// What was worked out for the document made last, for the one that is being made, and of long texts before.
#[derive(Debug, Clone)]
struct Memo<K, V> {
    kept: HashMap<K, V>,
    used: HashMap<K, V>,
    /// The newest last.
    before: VecDeque<(K, V)>,
}

impl<K, V> Default for Memo<K, V> {
    fn default() -> Self {
        Self {
            kept: HashMap::new(),
            used: HashMap::new(),
            before: VecDeque::new(),
        }
    }
}

impl<K: Hash + Eq + Source, V: Clone> Memo<K, V> {
    fn get(&mut self, key: K, make: impl FnOnce() -> V) -> V {
        let found = self.used.get(&key).or_else(|| self.kept.get(&key)).cloned();
        let value = found.or_else(|| self.again(&key)).unwrap_or_else(|| {
            #[cfg(test)]
            crate::console::testing::work::gone_through();
            make()
        });
        self.used.insert(key, value.clone());
        value
    }

    /// What was found out about a long text before another one was shown.
    fn again(&mut self, key: &K) -> Option<V> {
        let place = self.before.iter().position(|(one, _)| one == key)?;
        self.before.remove(place).map(|(_, value)| value)
    }

    fn turn(&mut self) {
        let kept = std::mem::replace(&mut self.kept, std::mem::take(&mut self.used));
        for (key, value) in kept {
            if key.bytes() >= LONG && !self.kept.contains_key(&key) {
                self.before.push_back((key, value));
            }
        }
        let over = self.before.len().saturating_sub(BEFORE);
        self.before.drain(..over);
    }
}

/// The members of a JSON object, with the text of their values.
pub type Members = Arc<[(String, Arc<str>)]>;

/// How a text is shown: rows of the one are no rows of the other.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Shown {
    source: Same,
    form: Form,
    width: u16,
    wrap: Wrap,
    ascii: bool,
}

/// Two revisions of a node, with the texts that they hold.
type Revisions = (NodeId, [Rev; 2], [Option<Same>; 2]);

/// What documents were made of before.
#[derive(Debug, Clone, Default)]
pub struct Cache {
    pagers: Memo<Shown, Arc<Pager>>,
    surveys: Memo<Same, Arc<Survey>>,
    sizes: Memo<Same, (usize, usize)>,
    coloured: Memo<Same, bool>,
    lined: Memo<Same, bool>,
    alike: Memo<(Same, Same), usize>,
    members: Memo<Same, Members>,
    differences: Memo<Revisions, Arc<[diff::Line]>>,
    /// Texts of which there is no shared one: those of the document made last, and of the one being made.
    owned: [Vec<Arc<str>>; 2],
}

impl Cache {
    /// The rows of a text.
    pub fn pager(&mut self, source: &Arc<str>, form: Form, width: u16, wrap: Wrap) -> Arc<Pager> {
        let key = Shown {
            source: Same(Arc::clone(source)),
            form,
            width,
            wrap,
            ascii: text::in_ascii(),
        };
        self.pagers.get(key, || {
            Arc::new(match form {
                Form::Raw => Pager::new(Arc::clone(source), width, wrap),
                Form::Json => Pager::json(Arc::clone(source), width, wrap),
                Form::Readable if source.starts_with(['{', '[']) => {
                    Pager::json(readable(source), width, wrap)
                }
                Form::Readable => Pager::new(readable(source), width, wrap),
                Form::Coloured => {
                    let text = readable(source);
                    Pager::coloured(&text, width, wrap).unwrap_or_else(|| Pager::new(text, width, wrap))
                }
            })
        })
    }

    /// What of a text of JSON is not what it looks like.
    pub fn survey(&mut self, source: &Arc<str>) -> Arc<Survey> {
        let key = Same(Arc::clone(source));
        self.surveys.get(key, || Arc::new(text::survey(source)))
    }

    /// The lines of a text, and the bytes of the longest.
    pub fn size(&mut self, source: &Arc<str>) -> (usize, usize) {
        self.sizes.get(Same(Arc::clone(source)), || {
            source.split('\n').fold((0, 0), |(lines, longest), line| {
                (lines + 1, longest.max(line.len()))
            })
        })
    }

    /// Whether a value is a text that asks for colours.
    pub fn is_coloured(&mut self, source: &Arc<str>) -> bool {
        // A control character stands in JSON as an escape, and in other values than strings nothing is shown as it is.
        source.starts_with('"')
            && self
                .coloured
                .get(Same(Arc::clone(source)), || sgr::has_any(&readable(source)))
    }

    /// Whether a value is a JSON string in which a line break stands as an escape, before its end.
    pub fn has_lines(&mut self, source: &Arc<str>) -> bool {
        self.lined.get(Same(Arc::clone(source)), || {
            // Most values need no closer look.
            source.contains("\\n") && json::as_text(source).is_some_and(|text| text.trim_end().contains('\n'))
        })
    }

    /// The bytes with which two texts begin alike.
    pub fn alike(&mut self, one: &Arc<str>, other: &Arc<str>) -> usize {
        let key = (Same(Arc::clone(one)), Same(Arc::clone(other)));
        self.alike.get(key, || {
            let pairs = one.bytes().zip(other.bytes());
            pairs.take_while(|(a, b)| a == b).count()
        })
    }

    /// The members of a JSON object.
    pub fn members(&mut self, source: &Arc<str>) -> Members {
        self.members.get(Same(Arc::clone(source)), || {
            let members = json::members(source).into_iter();
            members.map(|(name, value)| (name, Arc::from(value))).collect()
        })
    }

    /// The difference between two revisions of a node, of which these are the texts. What a revision says never
    /// changes; the texts are held against another run in its place.
    pub fn difference(
        &mut self,
        (node, revs): (NodeId, [Rev; 2]),
        texts: [Option<&Arc<str>>; 2],
        make: impl FnOnce() -> Vec<diff::Line>,
    ) -> Arc<[diff::Line]> {
        let texts = texts.map(|text| text.map(|text| Same(Arc::clone(text))));
        self.differences.get((node, revs, texts), || make().into())
    }

    /// A text that can be found again, of one that nobody shares.
    pub fn owned(&mut self, text: &str) -> Arc<str> {
        let [kept, used] = &self.owned;
        let found = used.iter().chain(kept).find(|one| ***one == *text);
        let shared = found.map_or_else(|| Arc::from(text), Arc::clone);
        self.owned[1].push(Arc::clone(&shared));
        shared
    }

    /// Forgets what the document made since the last turn did not use, but for some long texts.
    pub fn turn(&mut self) {
        self.pagers.turn();
        self.surveys.turn();
        self.sizes.turn();
        self.coloured.turn();
        self.lined.turn();
        self.alike.turn();
        self.members.turn();
        self.differences.turn();
        let [_, used] = std::mem::take(&mut self.owned);
        self.owned = [used, Vec::new()];
    }
}
