//! From the terminal library's events to messages. Must not know: what a key does.

use crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEventKind};

use crate::console::key::{Code, Key};
use crate::console::msg::{Mouse, TermMsg};

/// The message of an event, where it means something.
pub(super) fn message(event: Event, at: u64) -> Option<TermMsg> {
    match event {
        Event::Key(key) if key.kind != KeyEventKind::Release => Some(TermMsg::Key {
            key: self::key(key)?,
            at,
        }),
        Event::Paste(text) => Some(TermMsg::Paste(text)),
        Event::Resize(width, height) => Some(TermMsg::Resize { width, height }),
        Event::Mouse(event) => Some(TermMsg::Mouse {
            mouse: mouse(event.kind)?,
            x: event.column,
            y: event.row,
        }),
        Event::FocusGained => Some(TermMsg::Focus(true)),
        Event::FocusLost => Some(TermMsg::Focus(false)),
        Event::Key(_) => None,
    }
}

/// Keys without modifiers that came one after the other and wait together.
#[derive(Debug, Default)]
pub(super) struct Together(Vec<(Key, u64)>);

impl Together {
    /// Takes in a message. Gives what is to be told now: nothing while keys are gathered.
    pub fn take(&mut self, msg: TermMsg) -> Vec<TermMsg> {
        match msg {
            TermMsg::Key { key, at } if key.typed().is_some() || key == Key::plain(Code::Enter) => {
                self.0.push((key, at));
                Vec::new()
            }
            other => self.rest().into_iter().chain([other]).collect(),
        }
    }

    /// What was gathered, if anything was.
    pub fn rest(&mut self) -> Option<TermMsg> {
        let mut keys = std::mem::take(&mut self.0);
        match keys.len() {
            0 => None,
            1 => keys.pop().map(|(key, at)| TermMsg::Key { key, at }),
            _ => Some(TermMsg::Keys(keys)),
        }
    }
}

const fn mouse(kind: MouseEventKind) -> Option<Mouse> {
    match kind {
        MouseEventKind::Down(MouseButton::Left) => Some(Mouse::Press),
        MouseEventKind::Drag(MouseButton::Left) => Some(Mouse::Drag),
        MouseEventKind::Up(MouseButton::Left) => Some(Mouse::Release),
        MouseEventKind::ScrollUp => Some(Mouse::WheelUp),
        MouseEventKind::ScrollDown => Some(Mouse::WheelDown),
        _ => None,
    }
}

fn key(event: KeyEvent) -> Option<Key> {
    let ctrl = event.modifiers.contains(KeyModifiers::CONTROL);
    let code = match event.code {
        KeyCode::Char(c) if ctrl => Code::Char(c.to_ascii_lowercase()),
        KeyCode::Char(c) => Code::Char(c),
        KeyCode::Enter => Code::Enter,
        KeyCode::Esc => Code::Esc,
        KeyCode::Tab | KeyCode::BackTab => Code::Tab,
        KeyCode::Backspace => Code::Backspace,
        KeyCode::Delete => Code::Delete,
        KeyCode::Up => Code::Up,
        KeyCode::Down => Code::Down,
        KeyCode::Left => Code::Left,
        KeyCode::Right => Code::Right,
        KeyCode::Home => Code::Home,
        KeyCode::End => Code::End,
        KeyCode::PageUp => Code::PageUp,
        KeyCode::PageDown => Code::PageDown,
        KeyCode::F(number) => Code::F(number),
        _ => return None,
    };
    let shift = event.code == KeyCode::BackTab
        || (event.modifiers.contains(KeyModifiers::SHIFT) && !matches!(code, Code::Char(_)));
    Some(Key {
        code,
        ctrl,
        alt: event.modifiers.contains(KeyModifiers::ALT),
        shift,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn press(code: KeyCode, modifiers: KeyModifiers) -> String {
        match message(Event::Key(KeyEvent::new(code, modifiers)), 7) {
            Some(TermMsg::Key { key, at: 7 }) => key.to_string(),
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn keys_have_the_names_of_the_keymap() {
        assert_eq!(press(KeyCode::Char('a'), KeyModifiers::NONE), "a");
        assert_eq!(press(KeyCode::Char('A'), KeyModifiers::SHIFT), "A");
        assert_eq!(press(KeyCode::Char('c'), KeyModifiers::CONTROL), "ctrl-c");
        assert_eq!(press(KeyCode::BackTab, KeyModifiers::SHIFT), "shift-tab");
        assert_eq!(press(KeyCode::Enter, KeyModifiers::ALT), "alt-enter");
    }

    #[test]
    fn a_released_key_is_no_key() {
        let mut event = KeyEvent::new(KeyCode::Char('a'), KeyModifiers::NONE);
        event.kind = KeyEventKind::Release;
        assert!(message(Event::Key(event), 0).is_none());
    }

    #[test]
    fn the_first_button_and_the_wheel_are_told_with_their_place() {
        let event = |kind| {
            message(
                Event::Mouse(crossterm::event::MouseEvent {
                    kind,
                    column: 4,
                    row: 7,
                    modifiers: KeyModifiers::NONE,
                }),
                0,
            )
        };
        assert!(matches!(
            event(MouseEventKind::Down(MouseButton::Left)),
            Some(TermMsg::Mouse {
                mouse: Mouse::Press,
                x: 4,
                y: 7
            })
        ));
        assert!(matches!(
            event(MouseEventKind::ScrollUp),
            Some(TermMsg::Mouse {
                mouse: Mouse::WheelUp,
                ..
            })
        ));
        assert!(event(MouseEventKind::Down(MouseButton::Right)).is_none());
        assert!(event(MouseEventKind::Moved).is_none());
        assert!(matches!(
            message(Event::FocusLost, 0),
            Some(TermMsg::Focus(false))
        ));
    }

    #[test]
    fn a_paste_is_one_message() {
        assert!(
            matches!(message(Event::Paste("a\nA".into()), 0), Some(TermMsg::Paste(text)) if text == "a\nA")
        );
    }

    #[test]
    fn keys_that_wait_together_are_told_together_and_in_their_order() {
        let key = |c: char, at| TermMsg::Key {
            key: Key::char(c),
            at,
        };
        let mut together = Together::default();
        assert!(together.take(key('a', 1)).is_empty());
        let enter = Key::plain(Code::Enter);
        assert!(together.take(TermMsg::Key { key: enter, at: 2 }).is_empty());
        let told = together.take(TermMsg::Focus(true));
        assert!(
            matches!(told.as_slice(), [TermMsg::Keys(keys), TermMsg::Focus(true)] if *keys == [(Key::char('a'), 1), (enter, 2)]),
            "{told:?}"
        );
        assert!(together.rest().is_none());
        assert!(together.take(key('b', 3)).is_empty());
        assert!(
            matches!(together.rest(), Some(TermMsg::Key { at: 3, .. })),
            "one alone is a key"
        );
        let esc = Key::plain(Code::Esc);
        let told = together.take(TermMsg::Key { key: esc, at: 4 });
        assert!(
            matches!(told.as_slice(), [TermMsg::Key { key, .. }] if *key == esc),
            "{told:?}"
        );
    }
}
