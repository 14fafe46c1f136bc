//! Combines keys that wait together into one message.
//!
//! Must not know: what a key does.

use crate::ground::key::{Code, Key};
use crate::ground::term_msg::TermMsg;

/// Consecutive keys without modifiers that wait together.
#[derive(Debug, Default)]
pub(super) struct Together(Vec<(Key, u64)>);

impl Together {
    /// Adds a message. Returns the messages to handle now: none while keys are combined.
    pub fn take(&mut self, msg: TermMsg) -> Vec<TermMsg> {
        match msg {
            TermMsg::Key { key, at } if key.typed().is_some() || key == Key::plain(Code::Enter) => {
                self.0.push((key, at));
                Vec::new()
            }
            other => self.rest().into_iter().chain([other]).collect(),
        }
    }

    /// The combined keys, if any.
    pub fn rest(&mut self) -> Option<TermMsg> {
        let mut keys = std::mem::take(&mut self.0);
        match keys.len() {
            0 => None,
            1 => keys.pop().map(|(key, at)| TermMsg::Key { key, at }),
            _ => Some(TermMsg::Keys(keys)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pending_keys_are_delivered_together_in_order() {
        let key = |c: char, at| TermMsg::Key {
            key: Key::char(c),
            at,
        };
        let mut together = Together::default();
        assert!(together.take(key('a', 1)).is_empty());
        let enter = Key::plain(Code::Enter);
        assert!(together.take(TermMsg::Key { key: enter, at: 2 }).is_empty());
        let text = together.take(TermMsg::Focus(true));
        assert!(
            matches!(text.as_slice(), [TermMsg::Keys(keys), TermMsg::Focus(true)] if *keys == [(Key::char('a'), 1), (enter, 2)]),
            "{text:?}"
        );
        assert!(together.rest().is_none());
        assert!(together.take(key('b', 3)).is_empty());
        assert!(
            matches!(together.rest(), Some(TermMsg::Key { at: 3, .. })),
            "one alone is a key"
        );
        let esc = Key::plain(Code::Esc);
        let text = together.take(TermMsg::Key { key: esc, at: 4 });
        assert!(
            matches!(text.as_slice(), [TermMsg::Key { key, .. }] if *key == esc),
            "{text:?}"
        );
    }
}
