//! Parses the bytes from a terminal: keys, pastes, mouse and focus events.
//!
//! Must not know: what a key does, how bytes are read.
//!
//! A terminal sends its replies (colours, version, attributes, graphics) on the same line as keys. The colour of the
//! background is a message; the others are replies to other programs and are dropped. These control strings and sequences may arrive in pieces and without an
//! end.

pub(crate) mod sequence;
#[cfg(test)]
pub(crate) mod tests;

use crate::ground::key::{Code, Key};
use crate::ground::term_msg::TermMsg;

/// Milliseconds after which an escape byte is the key, and no longer the start of a sequence.
const ESCAPE_MS: u64 = 100;
/// Milliseconds without a byte after which an unfinished sequence is over.
const UNFINISHED_MS: u64 = 1_000;
/// Milliseconds without a byte after which a paste without its end is over.
const PASTE_MS: u64 = 3_000;
/// Milliseconds after its start when a control string is over in any case, so that keys are not lost for long.
const STRING_MS: u64 = 5_000;
/// Milliseconds for the rest of a sequence after an escape byte that was parsed as the key.
const LATE_MS: u64 = 2_000;
/// Stored bytes of a control sequence or string. Those with a meaning here are shorter.
const MAX_SEQUENCE: usize = 64;

const ESC: u8 = 0x1B;
const CANCEL: u8 = 0x18;
const SUBSTITUTE: u8 = 0x1A;
const CTRL_C: u8 = 0x03;
const BELL: u8 = 0x07;
/// The end of a string in one byte; only if its start was one byte, because it may be part of a character.
const STRING_END: u8 = 0x9C;
const PASTE_END: &[u8] = b"\x1b[201~";

/// Turns bytes into messages. Stores unfinished input between two reads.
#[derive(Debug, Default)]
pub struct Parser {
    state: State,
    /// The time of the newest byte.
    at: u64,
    /// The time at which an escape byte was parsed as the key, with nothing after it yet.
    escaped: Option<u64>,
    /// True if the read has bytes that are no text and no sequence.
    undecodable: bool,
    out: Vec<TermMsg>,
}

/// The state: what the next byte belongs to.
#[derive(Debug, Default, PartialEq, Eq)]
enum State {
    /// Nothing is unfinished.
    #[default]
    Idle,
    /// After one or two escape bytes.
    Escape { doubled: bool },
    /// A character of several bytes.
    Char {
        bytes: Vec<u8>,
        length: usize,
        alt: bool,
    },
    /// A function key: `ESC O`.
    Single { alt: bool },
    /// A control sequence: `ESC [`.
    Sequence { bytes: Vec<u8>, alt: bool },
    /// The last bytes of an old form of mouse event, which the console never requests.
    OldMouse { left: usize },
    /// A control string.
    String(ControlString),
    /// The text of a bracketed paste.
    Paste(Vec<u8>),
}

/// A control string so far.
#[derive(Debug, PartialEq, Eq)]
struct ControlString {
    /// The first byte.
    introducer: u8,
    /// True where the start was one byte of the upper half.
    in_one_byte: bool,
    since: u64,
    /// The first bytes of the text.
    text: Vec<u8>,
    /// True after an escape byte, the start of the end.
    ends: bool,
}

impl Parser {
    /// Parses the bytes of one read.
    pub fn take(&mut self, bytes: &[u8], at: u64) -> Vec<TermMsg> {
        self.expire(at);
        self.at = at;
        if self.state == State::Idle && self.is_late(bytes, at) {
            self.state = State::Escape { doubled: false };
        }
        self.escaped = None;
        for byte in bytes {
            self.byte(*byte);
        }
        // No operator typed that, so no key in it decides. Ctrl-c always counts.
        if std::mem::take(&mut self.undecodable) {
            self.out.retain(|message| match message {
                TermMsg::Key { key, .. } => key.ctrl && !key.alt && key.code == Code::Char('c'),
                TermMsg::Mouse { .. } => false,
                _ => true,
            });
        }
        std::mem::take(&mut self.out)
    }

    /// The time when [`Self::wait`] returns a message without a new byte.
    pub fn wake_at(&self) -> Option<u64> {
        let patience = match &self.state {
            State::Idle => return None,
            State::Escape { .. } => ESCAPE_MS,
            State::String(string) if string.ends => ESCAPE_MS,
            State::String(string) => return Some((self.at + UNFINISHED_MS).min(string.since + STRING_MS)),
            State::Paste(_) => PASTE_MS,
            _ => UNFINISHED_MS,
        };
        Some(self.at + patience)
    }

    /// Returns the messages that are certain at a time without a new byte.
    pub fn wait(&mut self, at: u64) -> Vec<TermMsg> {
        self.expire(at);
        std::mem::take(&mut self.out)
    }

    fn expire(&mut self, at: u64) {
        if self.wake_at().is_none_or(|end| at < end) {
            return;
        }
        match std::mem::take(&mut self.state) {
            State::Escape { doubled } => {
                for _ in 0..=usize::from(doubled) {
                    self.key_at(Key::plain(Code::Esc), self.at);
                }
                self.escaped = Some(self.at);
            }
            // Nothing followed what begins a sequence: it was typed.
            State::Single { .. } => self.key_at(alt(Key::char('O')), self.at),
            State::Sequence { bytes, .. } if bytes.is_empty() => self.key_at(alt(Key::char('[')), self.at),
            State::String(string) if string.text.is_empty() && !string.ends && !string.in_one_byte => {
                self.key_at(alt(Key::char(char::from(string.introducer))), self.at);
            }
            // Its end may have been torn in two: the second half is still to come.
            State::String(string) if string.ends => self.escaped = Some(self.at),
            State::Paste(text) => self.paste(&text),
            _ => {}
        }
    }

    /// True if a read is the rest of a sequence whose escape byte was parsed as a key. No operator types two keys
    /// in one read.
    fn is_late(&self, bytes: &[u8], at: u64) -> bool {
        let soon = self
            .escaped
            .is_some_and(|then| at.saturating_sub(then) <= LATE_MS);
        let begins = match bytes {
            [b'[' | b']' | b'P' | b'_' | b'^', second, ..] => bytes.first() != Some(second),
            [b'\\'] | [b'O', b'A'..=b'D' | b'F' | b'H' | b'P'..=b'S'] => true,
            _ => false,
        };
        soon && begins
    }

    fn byte(&mut self, byte: u8) {
        match std::mem::take(&mut self.state) {
            State::Idle => self.idle(byte, false),
            State::Escape { doubled } => self.escape(byte, doubled),
            State::Char { bytes, length, alt } => self.character(bytes, length, alt, byte),
            State::Single { alt } => match sequence::single(byte) {
                Some(code) => self.key(Key {
                    alt,
                    ..Key::plain(code)
                }),
                None if byte < b' ' => self.idle(byte, false),
                None => {}
            },
            State::Sequence { bytes, alt } => self.sequence(bytes, alt, byte),
            State::OldMouse { left } if left > 1 => self.state = State::OldMouse { left: left - 1 },
            State::OldMouse { .. } => {}
            State::String(string) => self.string(string, byte),
            State::Paste(mut text) => {
                text.push(byte);
                match text.strip_suffix(PASTE_END) {
                    Some(text) => self.paste(text),
                    None => self.state = State::Paste(text),
                }
            }
        }
    }

    /// The first byte of an input; `alt` after an escape byte.
    fn idle(&mut self, byte: u8, alt: bool) {
        let code = match byte {
            ESC => {
                self.state = State::Escape { doubled: false };
                return;
            }
            b'\r' | b'\n' => Code::Enter,
            b'\t' => Code::Tab,
            0x7F => Code::Backspace,
            0..=0x1F => return self.control(byte, alt),
            0x20..=0x7E => Code::Char(char::from(byte)),
            0x80..=0x9F => return self.upper(byte),
            _ => {
                let length = match byte {
                    0xC2..=0xDF => 2,
                    0xE0..=0xEF => 3,
                    0xF0..=0xF4 => 4,
                    _ => {
                        self.undecodable = true;
                        return;
                    }
                };
                self.state = State::Char {
                    bytes: vec![byte],
                    length,
                    alt,
                };
                return;
            }
        };
        self.key(Key {
            alt,
            ..Key::plain(code)
        });
    }

    /// A control character is a letter, a digit or a blank with control.
    fn control(&mut self, byte: u8, alt: bool) {
        let c = match byte {
            0 => b' ',
            0x1C..=0x1F => byte - 0x1C + b'4',
            _ => byte - 1 + b'a',
        };
        self.key(Key {
            ctrl: true,
            // Whatever came before it, it interrupts.
            alt: alt && byte != CTRL_C,
            ..Key::char(char::from(c))
        });
    }

    /// A control character of the upper half: one byte for an escape byte and a letter.
    fn upper(&mut self, byte: u8) {
        match byte - 0x40 {
            b'[' => self.begin_sequence(false),
            b'O' => self.state = State::Single { alt: false },
            introducer @ (b'P' | b'X' | b']' | b'^' | b'_') => self.begin_string(introducer, true),
            _ => self.undecodable = true,
        }
    }

    fn escape(&mut self, byte: u8, doubled: bool) {
        match byte {
            ESC => {
                if doubled {
                    self.key(Key::plain(Code::Esc));
                }
                self.state = State::Escape { doubled: true };
                return;
            }
            b'[' => return self.begin_sequence(doubled),
            b'O' => {
                self.state = State::Single { alt: doubled };
                return;
            }
            // The end of a string that is over.
            b'\\' => return,
            _ => {}
        }
        if doubled || byte == CTRL_C {
            self.key(Key::plain(Code::Esc));
        }
        match byte {
            b'P' | b'X' | b']' | b'^' | b'_' => self.begin_string(byte, false),
            _ => self.idle(byte, true),
        }
    }

    fn begin_sequence(&mut self, alt: bool) {
        let bytes = Vec::new();
        self.state = State::Sequence { bytes, alt };
    }

    fn begin_string(&mut self, introducer: u8, in_one_byte: bool) {
        self.state = State::String(ControlString {
            introducer,
            in_one_byte,
            since: self.at,
            text: Vec::new(),
            ends: false,
        });
    }

    fn character(&mut self, mut bytes: Vec<u8>, length: usize, alt: bool, byte: u8) {
        if !(0x80..=0xBF).contains(&byte) {
            // The earlier bytes were no character.
            self.undecodable = true;
            return self.idle(byte, false);
        }
        bytes.push(byte);
        if bytes.len() < length {
            self.state = State::Char { bytes, length, alt };
            return;
        }
        let read = std::str::from_utf8(&bytes);
        match read.ok().and_then(|text| text.chars().next()) {
            Some(c @ '\u{80}'..='\u{9F}') => self.upper(c as u8),
            Some(c) => self.key(Key { alt, ..Key::char(c) }),
            None => self.undecodable = true,
        }
    }

    fn sequence(&mut self, mut bytes: Vec<u8>, alt: bool, byte: u8) {
        match byte {
            0x20..=0x3F => {
                if bytes.len() < MAX_SEQUENCE {
                    bytes.push(byte);
                }
                self.state = State::Sequence { bytes, alt };
            }
            // The function keys of the console of Linux.
            b'[' if bytes.is_empty() => {
                bytes.push(byte);
                self.state = State::Sequence { bytes, alt };
            }
            b'M' if bytes.is_empty() => self.state = State::OldMouse { left: 3 },
            b'~' if bytes == b"200" => self.state = State::Paste(Vec::new()),
            0x40..=0x7E => {
                if let Some(msg) = sequence::message(&bytes, byte, alt, self.at) {
                    self.out.push(msg);
                }
            }
            CANCEL | SUBSTITUTE => {}
            // It was cut off: the new bytes are separate.
            _ => self.idle(byte, false),
        }
    }

    fn string(&mut self, mut string: ControlString, byte: u8) {
        if string.ends {
            return match byte {
                b'\\' => self.finish(&string),
                _ => self.escape(byte, false),
            };
        }
        match byte {
            BELL => return self.finish(&string),
            STRING_END if string.in_one_byte => return self.finish(&string),
            CANCEL | SUBSTITUTE => return,
            // No terminal sends it in a string, and it must count always.
            CTRL_C => return self.idle(byte, false),
            ESC => string.ends = true,
            _ if string.text.len() < MAX_SEQUENCE => string.text.push(byte),
            _ => {}
        }
        self.state = State::String(string);
    }

    fn finish(&mut self, string: &ControlString) {
        let background = sequence::background(&string.text).filter(|_| string.introducer == b']');
        self.out.extend(background.map(TermMsg::Background));
    }

    fn paste(&mut self, text: &[u8]) {
        self.out.push(TermMsg::Paste {
            text: String::from_utf8_lossy(text).into_owned(),
            at: self.at,
        });
    }

    fn key(&mut self, key: Key) {
        self.key_at(key, self.at);
    }

    fn key_at(&mut self, key: Key, at: u64) {
        self.out.push(TermMsg::Key { key, at });
    }
}

const fn alt(key: Key) -> Key {
    Key { alt: true, ..key }
}
