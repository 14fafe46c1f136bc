//! What documents were made of before: rows of texts, and what was found out about them. A document is made anew
//! whenever something happens, and nothing long is gone through again for it as long as it is the same text. What was
//! found out about the long texts that were looked at last is kept: who comes back to one does not wait for it again.
//!
//! Must not know: what a document is about.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use super::memo::{Memo, Source};
use super::{Form, readable};
use crate::console::columns;
use crate::console::diff;
use crate::console::json;
use crate::console::pager::{Pager, Wrap};
use crate::console::sgr;
use crate::console::work::{Ticket, Work};
use crate::domain::id::{NodeId, Rev};
use crate::text::{self, Survey};

/// Bytes that are compared at once.
const PIECE: usize = 4096;
/// Most bytes that are compared line by line while a frame waits: what differs everywhere takes the square of its
/// lines.
const COMPARED: usize = 16 * 1024;

/// A text by where it is, not by what it says: as long as it is held here it is no other.
#[derive(Debug, Clone)]
pub(super) struct Same(Arc<str>);

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

impl Source for LayoutKey {
    fn bytes(&self) -> usize {
        self.source.bytes()
    }
}

impl Source for Revisions {
    fn bytes(&self) -> usize {
        self.2.iter().flatten().map(Source::bytes).sum()
    }

    fn is_long(&self) -> bool {
        self.bytes() > COMPARED
    }
}

/// The members of a JSON object, with the text of their values.
pub type Members = Arc<[(String, Arc<str>)]>;

/// How a text is shown: rows of the one are no rows of the other.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct LayoutKey {
    source: Same,
    form: Form,
    width: u16,
    wrap: Wrap,
    ascii: bool,
    wide: bool,
}

impl LayoutKey {
    fn laid_out(&self) -> Pager {
        // The rows are those of the screen that they are for, on whichever thread they are made.
        let _form = (text::shown_in_ascii(self.ascii), columns::measured(self.wide));
        let (source, width, wrap) = (&self.source.0, self.width, self.wrap);
        match self.form {
            Form::Raw => Pager::new(Arc::clone(source), width, wrap),
            Form::Json => Pager::json(Arc::clone(source), width, wrap),
            Form::Readable if source.starts_with(['{', '[']) => Pager::json(readable(source), width, wrap),
            Form::Readable => Pager::new(readable(source), width, wrap),
            Form::Coloured => {
                let text = readable(source);
                Pager::coloured(&text, width, wrap).unwrap_or_else(|| Pager::new(text, width, wrap))
            }
        }
    }
}

/// Two revisions of a node, with the texts that they hold.
pub(super) type Revisions = (NodeId, [Rev; 2], [Option<Same>; 2]);

/// Two texts, held line by line against each other: known by what they say, as nobody keeps them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TextPair(Arc<str>, Arc<str>);

impl Hash for TextPair {
    fn hash<H: Hasher>(&self, state: &mut H) {
        // Few are known at a time: to compare them costs less than to go through each.
        (self.0.len(), self.1.len()).hash(state);
    }
}

impl Source for TextPair {
    fn bytes(&self) -> usize {
        self.0.len() + self.1.len()
    }

    fn is_long(&self) -> bool {
        self.bytes() > COMPARED
    }
}

/// What was worked out about a long text; goes back to the [`Cache`] that wanted it.
#[derive(Debug, Clone)]
pub struct Finding(CacheEntry);

#[derive(Debug, Clone)]
enum CacheEntry {
    Pager(LayoutKey, Arc<Pager>),
    Survey(Same, Arc<Survey>),
    Coloured(Same, bool),
    Difference(Revisions, Arc<[diff::Line]>),
    Compared(TextPair, Arc<[diff::Line]>),
}

/// What documents were made of before.
#[derive(Debug, Clone, Default)]
pub struct Cache {
    pagers: Memo<LayoutKey, Arc<Pager>>,
    surveys: Memo<Same, Arc<Survey>>,
    sizes: Memo<Same, (usize, usize)>,
    coloured: Memo<Same, bool>,
    lined: Memo<Same, bool>,
    common_prefixes: Memo<(Same, Same), usize>,
    members: Memo<Same, Members>,
    differences: Memo<Revisions, Arc<[diff::Line]>>,
    compared: Memo<TextPair, Arc<[diff::Line]>>,
    /// What nobody began to work out yet.
    work: Vec<Work>,
    /// Texts of which there is no shared one: those of the document made last, and of the one being made.
    owned: [Vec<Arc<str>>; 2],
}

impl Cache {
    /// What is to be worked out since this was asked last.
    pub fn take_work(&mut self) -> Vec<Work> {
        std::mem::take(&mut self.work)
    }

    /// Takes in what was worked out.
    pub fn put(&mut self, finding: Finding) {
        match finding.0 {
            CacheEntry::Pager(key, value) => self.pagers.put(key, value),
            CacheEntry::Survey(key, value) => self.surveys.put(key, value),
            CacheEntry::Coloured(key, value) => self.coloured.put(key, value),
            CacheEntry::Difference(key, value) => self.differences.put(key, value),
            CacheEntry::Compared(key, value) => self.compared.put(key, value),
        }
    }

    /// The rows of a text.
    pub fn pager(
        &mut self,
        source: &Arc<str>,
        form: Form,
        width: u16,
        wrap: Wrap,
    ) -> Result<Arc<Pager>, Arc<Ticket>> {
        let key = LayoutKey {
            source: Same(Arc::clone(source)),
            form,
            width,
            wrap,
            ascii: text::in_ascii(),
            wide: columns::is_wide(),
        };
        let (again, shown) = (key.clone(), key.clone());
        self.pagers.later(
            key,
            &mut self.work,
            move || Arc::new(again.laid_out()),
            move |pager| Finding(CacheEntry::Pager(shown.clone(), pager)),
        )
    }

    /// What of a text of JSON is not what it looks like.
    pub fn survey(&mut self, source: &Arc<str>) -> Result<Arc<Survey>, Arc<Ticket>> {
        let (key, text) = (Same(Arc::clone(source)), Arc::clone(source));
        let same = key.clone();
        self.surveys.later(
            key,
            &mut self.work,
            move || Arc::new(text::survey(&text)),
            move |survey| Finding(CacheEntry::Survey(same.clone(), survey)),
        )
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
    pub fn is_coloured(&mut self, source: &Arc<str>) -> Result<bool, Arc<Ticket>> {
        // A control character stands in JSON as an escape, and in other values than strings nothing is shown as it is.
        if !source.starts_with('"') {
            return Ok(false);
        }
        let (key, text) = (Same(Arc::clone(source)), Arc::clone(source));
        let same = key.clone();
        self.coloured.later(
            key,
            &mut self.work,
            move || sgr::has_any(&readable(&text)),
            move |coloured| Finding(CacheEntry::Coloured(same.clone(), coloured)),
        )
    }

    /// Whether a value is a JSON string in which a line break stands as an escape, before its end.
    pub fn has_lines(&mut self, source: &Arc<str>) -> bool {
        self.lined.get(Same(Arc::clone(source)), || {
            // Most values need no closer look.
            source.contains("\\n") && json::as_text(source).is_some_and(|text| text.trim_end().contains('\n'))
        })
    }

    /// The bytes with which two texts begin alike.
    pub fn common_prefix(&mut self, one: &Arc<str>, other: &Arc<str>) -> usize {
        let key = (Same(Arc::clone(one)), Same(Arc::clone(other)));
        self.common_prefixes.get(key, || {
            // Many at once are compared much faster than each by itself.
            let (ones, others) = (one.as_bytes().chunks(PIECE), other.as_bytes().chunks(PIECE));
            let same = ones
                .zip(others)
                .take_while(|(a, b)| a == b)
                .map(|(a, _)| a.len())
                .sum();
            let rest = |text: &Arc<str>| text.bytes().skip(same).take(PIECE).collect::<Vec<u8>>();
            let (one, other) = (rest(one), rest(other));
            same + one.iter().zip(&other).take_while(|(a, b)| a == b).count()
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
        make: impl Fn() -> Vec<diff::Line> + Send + Sync + 'static,
    ) -> Result<Arc<[diff::Line]>, Arc<Ticket>> {
        let texts = texts.map(|text| text.map(|text| Same(Arc::clone(text))));
        let key = (node, revs, texts);
        let same = key.clone();
        self.differences.later(
            key,
            &mut self.work,
            move || make().into(),
            move |lines| Finding(CacheEntry::Difference(same.clone(), lines)),
        )
    }

    /// The difference between two texts.
    pub fn compared(&mut self, old: &Arc<str>, new: &Arc<str>) -> Result<Arc<[diff::Line]>, Arc<Ticket>> {
        let (before, now) = (Arc::clone(old), Arc::clone(new));
        let key = TextPair(Arc::clone(old), Arc::clone(new));
        let same = key.clone();
        self.compared.later(
            key,
            &mut self.work,
            move || diff::lines(&before, &now).into(),
            move |lines| Finding(CacheEntry::Compared(same.clone(), lines)),
        )
    }

    /// A text that can be found again, of one that nobody shares.
    pub fn owned(&mut self, text: &str) -> Arc<str> {
        let [stored, used] = &self.owned;
        let found = used.iter().chain(stored).find(|one| ***one == *text);
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
        self.common_prefixes.turn();
        self.members.turn();
        self.differences.turn();
        self.compared.turn();
        let [_, used] = std::mem::take(&mut self.owned);
        self.owned = [used, Vec::new()];
    }
}
