//! The picker of a recorded session: a list that is filtered by typing.
//!
//! Must not know: where sessions are stored, how it is drawn.

use crate::ground::key::{Code, Key};

/// A session in the list. Its texts are untrusted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PickerEntry {
    /// The id, for opening it.
    pub id: String,
    /// Its name, or the beginning of its prompt.
    pub name: String,
    /// Its state, as a word.
    pub state: String,
    /// How long ago it was last written.
    pub age: String,
    /// The directory that it works in.
    pub workspace: String,
    /// The model.
    pub model: String,
    /// The last lines of it; none until they are read.
    pub tail: Option<Vec<String>>,
}

impl PickerEntry {
    /// True if it has all of these words, in any case.
    fn fits(&self, query: &str) -> bool {
        let all = format!(
            "{} {} {} {} {}",
            self.name, self.state, self.id, self.model, self.workspace
        );
        let all = all.to_lowercase();
        query
            .split_whitespace()
            .all(|word| all.contains(&word.to_lowercase()))
    }
}

/// How the operator left the picker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Picked {
    /// With the session of this id.
    Session(String),
    /// Without one.
    Nothing,
}

/// The picker.
#[derive(Debug, Clone, Default)]
pub struct Picker {
    /// What is done with the session, as a verb.
    pub verb: &'static str,
    /// The sessions, the newest first.
    pub entries: Vec<PickerEntry>,
    /// The typed words.
    pub query: String,
    /// The selected row among those that fit.
    pub selected: usize,
    /// Rows of the list on screen.
    pub rows: usize,
}

impl Picker {
    /// A picker of these sessions.
    pub fn new(verb: &'static str, entries: Vec<PickerEntry>) -> Self {
        Self {
            verb,
            entries,
            ..Self::default()
        }
    }

    /// The indices of the sessions that fit the typed words.
    pub fn fitting(&self) -> Vec<usize> {
        let all = self.entries.iter().enumerate();
        all.filter(|(_, entry)| entry.fits(&self.query))
            .map(|(at, _)| at)
            .collect()
    }

    /// The index of the selected session.
    pub fn current(&self) -> Option<usize> {
        self.fitting().get(self.selected).copied()
    }

    /// First row on screen, so that the selected one is visible.
    pub const fn top(&self) -> usize {
        (self.selected + 1).saturating_sub(self.rows)
    }

    /// Handles a key. The result ends the picker.
    pub fn key(&mut self, key: Key) -> Option<Picked> {
        let last = self.fitting().len().saturating_sub(1);
        match key.code {
            Code::Char('c' | 'q') if key.ctrl => return Some(Picked::Nothing),
            Code::Esc => return Some(Picked::Nothing),
            Code::Enter => {
                let entry = self.current().and_then(|at| self.entries.get(at));
                return entry.map(|entry| Picked::Session(entry.id.clone()));
            }
            Code::Up => self.selected = self.selected.saturating_sub(1),
            Code::Down => self.selected = (self.selected + 1).min(last),
            Code::PageUp => self.selected = self.selected.saturating_sub(self.rows.max(1)),
            Code::PageDown => self.selected = (self.selected + self.rows.max(1)).min(last),
            Code::Home => self.selected = 0,
            Code::End => self.selected = last,
            Code::Backspace => {
                self.query.pop();
                self.selected = 0;
            }
            Code::Char('u') if key.ctrl => {
                self.query.clear();
                self.selected = 0;
            }
            _ => {
                if let Some(c) = key.typed() {
                    self.query.push(c);
                    self.selected = 0;
                }
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picker() -> Picker {
        let entry = |id: &str, name: &str, state: &str| PickerEntry {
            id: id.into(),
            name: name.into(),
            state: state.into(),
            ..PickerEntry::default()
        };
        let mut picker = Picker::new(
            "resume",
            vec![
                entry("1", "fix the parser", "open"),
                entry("2", "write docs", "finished"),
                entry("3", "parser again", "open"),
            ],
        );
        picker.rows = 2;
        picker
    }

    fn press(picker: &mut Picker, keys: &str) -> Option<Picked> {
        keys.split(' ').find_map(|key| picker.key(key.parse().unwrap()))
    }

    #[test]
    fn typing_filters_and_enter_picks_what_is_selected() {
        let mut one = picker();
        assert_eq!(press(&mut one, "enter"), Some(Picked::Session("1".into())));
        assert_eq!(press(&mut one, "p a r s down"), None);
        assert_eq!(one.fitting(), [0, 2]);
        assert_eq!(press(&mut one, "enter"), Some(Picked::Session("3".into())));
        assert_eq!(press(&mut one, "space o p e n"), None);
        assert_eq!(one.fitting(), [0, 2], "words may be in any field");
        assert_eq!(press(&mut one, "x enter"), None, "nothing fits");
        assert_eq!(
            press(&mut one, "ctrl-u end enter"),
            Some(Picked::Session("3".into()))
        );
        assert_eq!(one.top(), 1);
    }

    #[test]
    fn escape_and_ctrl_c_pick_nothing() {
        for key in ["esc", "ctrl-c"] {
            assert_eq!(press(&mut picker(), key), Some(Picked::Nothing));
        }
    }
}
