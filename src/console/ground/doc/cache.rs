//! Caches the parts of documents: rows of texts, and facts computed from texts.
//!
//! Must not know: what a document is about.
//!
//! A document is made again on every event. Unchanged texts are not processed again. Results for
//! recently shown long texts are kept, so that returning to one needs no wait.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use super::memo::{Memo, Source};
use super::{Form, readable};
use crate::ground::columns;
use crate::ground::diff;
use crate::ground::json;
use crate::ground::pager::{Pager, Wrap};
use crate::ground::sgr;
use crate::ground::work::{Ticket, Work};
use overrule_base::text::{self, Survey};
use overrule_domain::id::{NodeId, Rev};

/// Bytes that are compared together.
const PIECE: usize = 4096;
/// Maximum bytes for a line comparison within a frame. The cost grows with the square of the number
/// of different lines.
const COMPARED: usize = 16 * 1024;

/// A text by its address, not its content. Holding it keeps the address unique.
#[derive(Debug, Clone)]
pub(crate) struct Same(Arc<str>);

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

/// The members of a JSON object, with their values as JSON text.
pub type Members = Arc<[(String, Arc<str>)]>;

/// Source and layout of a text. Each layout has its own rows.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct LayoutKey {
    source: Same,
    form: Form,
    width: u16,
    wrap: Wrap,
    ascii: bool,
    wide: bool,
}

impl LayoutKey {
    fn laid_out(&self) -> Pager {
        // The rows fit this screen, whichever thread makes them.
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

/// Two revisions of a node with their texts.
pub(crate) type Revisions = (NodeId, [Rev; 2], [Option<Same>; 2]);

/// Two texts to compare line by line, with the unchanged lines around each change. Compared by content, as no one else
/// shares them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TextPair(Arc<str>, Arc<str>, usize);

impl Hash for TextPair {
    fn hash<H: Hasher>(&self, state: &mut H) {
        // The cache holds few pairs: comparing them costs less than hashing the texts.
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

/// A computed fact about a long text, for the [`Cache`] that requested it.
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

/// Cache of the parts of documents.
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
    /// Work that is not started yet.
    work: Vec<Work>,
    /// Texts without a shared owner: those of the last document, and of the current one.
    owned: [Vec<Arc<str>>; 2],
}

impl Cache {
    /// Takes the work requested since the last call.
    pub fn take_work(&mut self) -> Vec<Work> {
        std::mem::take(&mut self.work)
    }

    /// Stores a finding.
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

    /// Parts of a JSON text that are not what they seem.
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

    /// Number of lines of a text, and the bytes of the longest.
    pub fn size(&mut self, source: &Arc<str>) -> (usize, usize) {
        self.sizes.get(Same(Arc::clone(source)), || {
            source.split('\n').fold((0, 0), |(lines, longest), line| {
                (lines + 1, longest.max(line.len()))
            })
        })
    }

    /// Whether a value is a text with colour sequences.
    pub fn is_coloured(&mut self, source: &Arc<str>) -> Result<bool, Arc<Ticket>> {
        // JSON escapes control characters, and only strings are shown as text.
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

    /// Whether a value is a JSON string with an escaped line break before its end.
    pub fn has_lines(&mut self, source: &Arc<str>) -> bool {
        self.lined.get(Same(Arc::clone(source)), || {
            // Most values need no closer look.
            source.contains("\\n") && json::as_text(source).is_some_and(|text| text.trim_end().contains('\n'))
        })
    }

    /// Length of the common prefix of two texts, in bytes.
    pub fn common_prefix(&mut self, one: &Arc<str>, other: &Arc<str>) -> usize {
        let key = (Same(Arc::clone(one)), Same(Arc::clone(other)));
        self.common_prefixes.get(key, || {
            // Comparing chunks is much faster than comparing single bytes.
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

    /// The difference between two revisions of a node with these texts. A revision never changes,
    /// but another run has other texts.
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

    /// The difference between two texts, with a number of unchanged lines around each change.
    pub fn compared(
        &mut self,
        old: &Arc<str>,
        new: &Arc<str>,
        around: usize,
    ) -> Result<Arc<[diff::Line]>, Arc<Ticket>> {
        let (before, now) = (Arc::clone(old), Arc::clone(new));
        let key = TextPair(Arc::clone(old), Arc::clone(new), around);
        let same = key.clone();
        self.compared.later(
            key,
            &mut self.work,
            move || diff::lines_around(&before, &now, around).into(),
            move |lines| Finding(CacheEntry::Compared(same.clone(), lines)),
        )
    }

    /// A shared copy of a text that has no shared owner.
    pub fn owned(&mut self, text: &str) -> Arc<str> {
        let [stored, used] = &self.owned;
        let found = used.iter().chain(stored).find(|one| ***one == *text);
        let shared = found.map_or_else(|| Arc::from(text), Arc::clone);
        self.owned[1].push(Arc::clone(&shared));
        shared
    }

    /// Forgets what was not used since the last turn, except some long texts.
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
