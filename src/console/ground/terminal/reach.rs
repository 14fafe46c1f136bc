//! Wraps sequences so that they reach the operator's terminal through a multiplexer.
//!
//! Must not know: the environment (its values are passed in), what a sequence is for.

use std::fmt::Write as _;

use crossterm::clipboard::CopyToClipboard;

const ESC: char = '\u{1b}';
/// Longest piece that GNU screen passes on.
const PIECE: usize = 700;

/// The multiplexers between the console and the operator's terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Reach {
    /// tmux.
    pub tmux: bool,
    /// GNU screen.
    pub screen: bool,
    /// Another machine.
    pub ssh: bool,
    /// The terminal takes notifications in the form of urxvt (OSC 777) rather than of iTerm (OSC 9).
    pub titled: bool,
}

/// Facts from the environment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Around<'a> {
    /// `TERM`.
    pub term: Option<&'a str>,
    /// A terminal of the GNOME family.
    pub vte: bool,
    /// Inside of tmux.
    pub tmux: bool,
    /// Inside of GNU screen.
    pub screen: bool,
    /// The terminal is on another machine.
    pub ssh: bool,
}

impl Reach {
    /// The way to the terminal, from the environment.
    pub fn of(around: &Around<'_>) -> Self {
        let term = around.term.unwrap_or("");
        Self {
            tmux: around.tmux,
            screen: around.screen && !around.tmux,
            ssh: around.ssh,
            titled: around.vte || term.starts_with("foot") || term.starts_with("rxvt"),
        }
    }

    /// The sequence that puts a text into the clipboard.
    pub fn copy(self, text: &str) -> String {
        let mut plain = String::new();
        // Writing into a string cannot fail.
        let _ = crossterm::Command::write_ansi(&CopyToClipboard::to_clipboard_from(text), &mut plain);
        if self.tmux {
            // tmux takes the plain one where it may set the clipboard, and passes the other on where that
            // is allowed; both say the same.
            plain.push_str(&through_tmux(&plain.clone()));
            return plain;
        }
        self.outside(&plain)
    }

    /// The sequence of a desktop notification. It has no untrusted text.
    pub fn notification(self, words: &str) -> String {
        let plain = if self.titled {
            format!("{ESC}]777;notify;overrule;{words}{ESC}\\")
        } else {
            format!("{ESC}]9;overrule: {words}{ESC}\\")
        };
        self.outside(&plain)
    }

    /// Wraps a sequence for the terminal outside of a multiplexer.
    fn outside(self, plain: &str) -> String {
        if self.tmux {
            through_tmux(plain)
        } else if self.screen {
            through_screen(plain)
        } else {
            plain.to_owned()
        }
    }

    /// Describes the way of a copy for the operator; empty without a multiplexer.
    pub const fn way(self) -> &'static str {
        match (self.ssh, self.tmux, self.screen) {
            (false, false, false) => "",
            (true, false, false) => " of the terminal that you sit at",
            (_, true, _) => ", if tmux lets it through (set-clipboard on, or allow-passthrough on)",
            (_, false, true) => ", if screen lets it through",
        }
    }
}

fn through_tmux(plain: &str) -> String {
    let doubled = plain.replace(ESC, "\u{1b}\u{1b}");
    format!("{ESC}Ptmux;{doubled}{ESC}\\")
}

/// screen passes on the contents of a device control string, which an escape ends. So the last two bytes of the
/// sequence are sent separately.
fn through_screen(plain: &str) -> String {
    let mut out = String::new();
    let mut piece = String::new();
    let mut flush = |piece: &mut String| {
        if !piece.is_empty() {
            let _ = write!(out, "{ESC}P{piece}{ESC}\\");
            piece.clear();
        }
    };
    for c in plain.chars() {
        if piece.len() >= PIECE || (c == '\\' && piece.ends_with(ESC)) {
            flush(&mut piece);
        }
        piece.push(c);
    }
    flush(&mut piece);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_is_base64_and_nothing_of_the_text_is_raw() {
        let sequence = Reach::default().copy("hi\u{1b}[31m");
        assert!(sequence.starts_with("\u{1b}]52;c;"), "{sequence:?}");
        assert_eq!(sequence.matches("[31m").count(), 0);
        assert_eq!(Reach::default().way(), "");
    }

    #[test]
    fn tmux_gets_a_copy_in_both_forms() {
        let reach = Reach::of(&Around {
            term: Some("tmux-256color"),
            tmux: true,
            screen: true,
            ssh: true,
            ..Around::default()
        });
        let sequence = reach.copy("hi");
        assert!(sequence.starts_with("\u{1b}]52;c;aGk="), "{sequence:?}");
        assert!(
            sequence.contains("\u{1b}Ptmux;\u{1b}\u{1b}]52;c;aGk="),
            "{sequence:?}"
        );
        assert!(sequence.ends_with("\u{1b}\\"), "{sequence:?}");
        assert!(reach.way().contains("set-clipboard"));
        assert!(!reach.screen, "what is nearest counts");
    }

    #[test]
    fn screen_gets_pieces_that_it_passes_on() {
        let reach = Reach::of(&Around {
            term: Some("screen"),
            screen: true,
            ..Around::default()
        });
        let sequence = reach.copy(&"x".repeat(3000));
        let pieces: Vec<&str> = sequence.split_terminator("\u{1b}\\").collect();
        assert!(pieces.len() > 5);
        let inner: String = pieces
            .iter()
            .map(|piece| piece.strip_prefix("\u{1b}P").unwrap_or(piece))
            .collect();
        assert!(pieces.iter().all(|piece| piece.len() <= PIECE + 4), "{pieces:?}");
        assert!(inner.starts_with("\u{1b}]52;c;eHh4"), "{inner:?}");
    }

    #[test]
    fn a_notification_has_the_form_that_the_terminal_knows() {
        let of = |term: &str, vte: bool| {
            let term = Some(term);
            Reach::of(&Around {
                term,
                vte,
                ..Around::default()
            })
            .notification("2 waiting")
        };
        assert_eq!(of("xterm-kitty", false), "\u{1b}]9;overrule: 2 waiting\u{1b}\\");
        let titled = "\u{1b}]777;notify;overrule;2 waiting\u{1b}\\";
        assert_eq!(of("foot", false), titled);
        assert_eq!(of("xterm-256color", true), titled);
        let tmux = Reach::of(&Around {
            tmux: true,
            ..Around::default()
        })
        .notification("a");
        assert_eq!(
            tmux,
            "\u{1b}Ptmux;\u{1b}\u{1b}]9;overrule: a\u{1b}\u{1b}\\\u{1b}\\"
        );
    }
}
