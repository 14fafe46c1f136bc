//! The offer to continue an unfinished session, in one line.
//!
//! Must not know: where sessions are stored, how it is drawn.

use crate::ground::key::{Code, Key};

/// An unfinished session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    /// Its title. Untrusted text.
    pub title: String,
    /// Calls that wait for a decision in it.
    pub waiting: usize,
    /// How long ago it was last written.
    pub age: String,
}

/// What the operator chose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    /// Continue the session.
    Continue,
    /// Start a new one.
    New,
    /// Leave; nothing starts.
    Leave,
}

impl Offer {
    /// How the session stands: `(2 to decide, 5 min ago)`.
    pub fn about(&self) -> String {
        match self.waiting {
            0 => format!("({} ago)", self.age),
            count => format!("({count} to decide, {} ago)", self.age),
        }
    }

    /// The choice of a key.
    pub fn choice(key: Key) -> Option<Choice> {
        match key.code {
            Code::Char('c' | 'q') if key.ctrl => Some(Choice::Leave),
            Code::Esc => Some(Choice::Leave),
            Code::Enter => Some(Choice::Continue),
            _ => match key.typed()? {
                'n' => Some(Choice::New),
                'q' => Some(Choice::Leave),
                _ => None,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use ratatui::Terminal;
    use ratatui::backend::TestBackend;

    use super::*;
    use crate::ground::symbols::Charset;
    use crate::ground::theme::{Colours, Theme};

    fn offer(title: &str, waiting: usize) -> Offer {
        Offer {
            title: title.to_owned(),
            waiting,
            age: "5 min".to_owned(),
        }
    }

    fn drawn(offer: &Offer, width: u16) -> String {
        let look = Theme::built_in("dark").unwrap().look(Colours::None);
        let mut terminal = Terminal::new(TestBackend::new(width, 3)).unwrap();
        terminal
            .draw(|frame| crate::view::offer(offer, &look, Charset::Unicode, frame))
            .unwrap();
        let text = terminal.backend().to_string();
        let rows: Vec<&str> = text.lines().map(|row| row.trim_matches('"').trim_end()).collect();
        assert!(rows[..2].iter().all(|row| row.is_empty()), "{rows:?}");
        rows[2].to_owned()
    }

    #[test]
    fn the_offer_is_one_line_whose_title_is_cut() {
        let row = drawn(&offer("fix the failing tests", 2), 100);
        assert_eq!(
            row,
            "enter continue \"fix the failing tests\" (2 to decide, 5 min ago)  n new  esc leave"
        );
        let long = "fix \u{1b}[31m the failing tests of the module that is broken";
        let row = drawn(&offer(long, 0), 80);
        assert!(row.ends_with("…\" (5 min ago)  n new  esc leave"), "{row}");
        assert!(!row.contains('\u{1b}') && row.chars().count() <= 80, "{row}");
    }

    #[test]
    fn only_the_named_keys_choose() {
        let key = Key::plain;
        assert_eq!(Offer::choice(key(Code::Enter)), Some(Choice::Continue));
        assert_eq!(Offer::choice(key(Code::Esc)), Some(Choice::Leave));
        assert_eq!(Offer::choice(key(Code::Char('n'))), Some(Choice::New));
        for code in [Code::Char('a'), Code::Char(' '), Code::Up, Code::Backspace] {
            assert_eq!(Offer::choice(key(code)), None);
        }
    }
}
