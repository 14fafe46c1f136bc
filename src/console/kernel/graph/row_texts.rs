//! Keeps the texts of the rows on screen until the rows are rebuilt.
//!
//! Must not know: how a text is made, colours, where a row is drawn.

use std::collections::BTreeMap;

use crate::ground::doc::Styled;
use crate::ground::layout::gutter::Line;
use crate::ground::symbols::Charset;
use crate::ground::theme::Role;
use overrule_domain::id::NodeId;

/// What all texts depend on besides their rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextBasis {
    /// The number of the build of the rows.
    pub build: u64,
    /// The list of staged edits.
    pub staged_edits: u64,
    /// True for a halted run.
    pub halted: bool,
    /// The characters.
    pub charset: Charset,
    /// The lines.
    pub line: Line,
    /// True where ambiguous characters take two columns.
    pub wide: bool,
}

#[derive(Debug, Clone)]
struct RowText {
    width: usize,
    role: Option<Role>,
    text: Styled,
}

/// Texts by the node of their row.
#[derive(Debug, Clone, Default)]
pub struct RowTexts {
    basis: Option<TextBasis>,
    texts: BTreeMap<NodeId, RowText>,
}

impl RowTexts {
    /// Makes an empty set with this basis.
    pub fn new(basis: TextBasis) -> Self {
        let (basis, texts) = (Some(basis), BTreeMap::new());
        Self { basis, texts }
    }

    /// Adds the text of a row: that of an earlier set with the same basis, or a new one.
    pub fn add(
        &mut self,
        row: NodeId,
        (width, role): (usize, Option<Role>),
        earlier: &mut Self,
        make: impl FnOnce() -> Styled,
    ) {
        let earlier = earlier.texts.remove(&row).filter(|_| earlier.basis == self.basis);
        let known = earlier.filter(|known| (known.width, known.role) == (width, role));
        let text = known.map_or_else(make, |known| known.text);
        self.texts.insert(row, RowText { width, role, text });
    }

    /// Returns the text of a row in a number of columns, with this role for its own words.
    pub fn get(&self, row: NodeId, width: usize, role: Option<Role>) -> Option<&Styled> {
        let known = self.texts.get(&row)?;
        ((known.width, known.role) == (width, role)).then_some(&known.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use overrule_domain::id::NodeKind;

    const BASIS: TextBasis = TextBasis {
        build: 1,
        staged_edits: 0,
        halted: false,
        charset: Charset::Unicode,
        line: Line::Unicode,
        wide: false,
    };

    #[test]
    fn a_text_is_made_once_for_a_row_its_look_and_a_basis() {
        let row = NodeId::new(NodeKind::Call, 1);
        let mut made = 0;
        let mut texts = RowTexts::default();
        let mut add = |basis, look| {
            let mut earlier = std::mem::replace(&mut texts, RowTexts::new(basis));
            texts.add(row, look, &mut earlier, || {
                made += 1;
                Styled::new().own(Role::Text, made.to_string())
            });
            texts.get(row, look.0, look.1).map(Styled::plain).unwrap()
        };
        let look = (80, None);
        assert_eq!(add(BASIS, look), "1");
        assert_eq!(add(BASIS, look), "1");
        assert_eq!(add(BASIS, (79, None)), "2");
        assert_eq!(add(BASIS, (79, Some(Role::Dim))), "3");
        let changed = [
            TextBasis { build: 2, ..BASIS },
            TextBasis {
                staged_edits: 1,
                ..BASIS
            },
            TextBasis {
                halted: true,
                ..BASIS
            },
            TextBasis {
                charset: Charset::Ascii,
                ..BASIS
            },
            TextBasis {
                line: Line::Ascii,
                ..BASIS
            },
            TextBasis { wide: true, ..BASIS },
        ];
        for (at, basis) in changed.into_iter().enumerate() {
            assert_eq!(add(basis, look), (4 + at).to_string(), "{basis:?}");
        }
        assert_eq!(texts.get(row, 79, None), None);
    }
}
