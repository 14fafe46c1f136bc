//! Texts in the rows that the graph leaves free, each below the row of its node.
//!
//! Must not know: how a text is made, colours, where a row is drawn.

use std::collections::BTreeMap;

use super::row_texts::TextBasis;
use crate::ground::doc::Styled;
use overrule_domain::id::NodeId;

/// The text of a node over several rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LongText {
    /// The row of the node itself, without what is below it.
    pub row: Styled,
    /// The rows below it.
    pub below: Vec<Styled>,
}

/// What the texts depend on: the rows, how many are free, the columns of the pane, and the call that a jump went to.
type Key = (TextBasis, usize, u16, Option<NodeId>);

/// Texts by the node of their row, until the rows or the room change.
#[derive(Debug, Clone, Default)]
pub struct FreeRows {
    made: Option<Key>,
    texts: BTreeMap<NodeId, LongText>,
}

impl FreeRows {
    /// Makes the texts, if they are not made yet.
    pub fn renew(&mut self, key: Key, make: impl FnOnce() -> BTreeMap<NodeId, LongText>) {
        if self.made != Some(key) {
            self.texts = if key.1 > 0 { make() } else { BTreeMap::new() };
            self.made = Some(key);
        }
    }

    /// The text of the row of a node, if it has several rows.
    pub fn get(&self, row: NodeId) -> Option<&LongText> {
        self.texts.get(&row)
    }

    /// Number of rows below the row of a node.
    pub fn below(&self, row: NodeId) -> usize {
        self.get(row).map_or(0, |text| text.below.len())
    }

    /// Number of free rows that have a text.
    pub fn used(&self) -> usize {
        self.texts.values().map(|text| text.below.len()).sum()
    }
}
