//! One character for each thing and state, with an ASCII twin; all are one column wide.
//!
//! Must not know: colours, where a symbol is drawn.
//!
//! A state has its own symbol as well as its colour, so no two states share one.

use overrule_domain::badge::Badge;
use overrule_domain::call::{Call, Decision, Status};
use overrule_domain::effective_status::EffectiveStatus;
use overrule_domain::id::NodeKind;
use overrule_domain::node::Node;

use super::theme::Role;

/// The characters to use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub enum Charset {
    /// Unicode.
    #[default]
    Unicode,
    /// For terminals and fonts that draw symbols two columns wide, or not at all.
    Ascii,
}

impl Charset {
    /// Signs around the number of one of several items, such as pages.
    pub const fn around(self) -> (char, char) {
        match self {
            Self::Unicode => ('‹', '›'),
            Self::Ascii => ('<', '>'),
        }
    }

    /// The sign of what a difference removes.
    pub const fn minus(self) -> char {
        match self {
            Self::Unicode => '−',
            Self::Ascii => '-',
        }
    }

    /// The sign of what is nothing, or stays as it is.
    pub const fn dot(self) -> char {
        match self {
            Self::Unicode => '·',
            Self::Ascii => '.',
        }
    }

    /// The charset for a locale (`LC_ALL`, else `LC_CTYPE`, else `LANG`) and `TERM`.
    pub fn detect(locale: Option<&str>, term: Option<&str>) -> Self {
        let utf8 = locale.is_some_and(|locale| {
            let locale = locale.to_ascii_lowercase();
            locale.contains("utf-8") || locale.contains("utf8")
        });
        match term {
            Some("linux" | "dumb" | "vt100" | "vt220") => Self::Ascii,
            _ if utf8 => Self::Unicode,
            _ => Self::Ascii,
        }
    }
}

macro_rules! symbols {
    ($($(#[$doc:meta])* $name:ident = $unicode:literal $ascii:literal,)*) => {
        /// Everything that has a symbol.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Symbol {
            $($(#[$doc])* $name,)*
        }

        impl Symbol {
            /// Every symbol.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// Its character.
            pub const fn glyph(self, charset: Charset) -> char {
                match (self, charset) {
                    $((Self::$name, Charset::Unicode) => $unicode, (Self::$name, Charset::Ascii) => $ascii,)*
                }
            }
        }
    };
}

symbols! {
    /// What the operator asked.
    Prompt = '▶' '>',
    /// A thought of the model.
    Thought = '◆' 'o',
    /// The answer.
    Answer = '★' 'A',
    /// An attempt to repair arguments.
    Repair = '⚙' 'r',
    /// An intervention in the graph.
    Intervention = '✎' 'e',
    /// A call that is not checked yet.
    Proposed = '◌' '.',
    /// A call with faults.
    Invalid = '▲' '^',
    /// A call that waits for another call.
    Blocked = '◇' 'b',
    /// A call that needs the operator.
    Awaiting = '◎' '?',
    /// A call that is waiting to run.
    Queued = '◔' 'q',
    /// A running call.
    Running = '◐' '%',
    /// A call whose outcome is unknown.
    OutcomeUnknown = '¿' '&',
    /// It succeeded.
    Ok = '●' '*',
    /// A command that ended with an exit code that is no success; a conflict.
    Exited = '!' '!',
    /// It failed.
    Failed = '✖' 'x',
    /// Rejected by the operator or denied by the policy.
    Rejected = '⊘' '/',
    /// Its deadline passed without a decision.
    Expired = '◷' '@',
    /// An input of it will never exist.
    Skipped = '○' '-',
    /// Superseded by an edit before it had an outcome.
    History = '⊖' 'h',
    /// The operator wrote its arguments or its result.
    Edited = '✐' 'E',
    /// Several calls in one row.
    Fan = '≡' '=',
    /// Something folded that can be opened.
    Closed = '▸' '+',
    /// Something open that can be folded.
    Opened = '▾' 'v',
    /// In front of text from the model.
    ModelText = '▍' ':',
    /// Something new below.
    MoreBelow = '▼' 'V',
    /// A file that is restored.
    Restore = '↶' '<',
    /// A loop.
    Loop = '↻' 'L',
    /// Cut off here.
    Ellipsis = '…' '~',
    /// A line break in a text of one row.
    LineBreak = '↵' '$',
    /// The selected row.
    Pointer = '❯' ']',
    /// The selected row of a pane that the inspector does not follow.
    Resting = '›' ')',
    /// A node that the selected row depends on.
    Ancestor = '↑' 'u',
    /// A node that depends on the selected row.
    Descendant = '↓' 'd',
    /// Between an old and a new value.
    Arrow = '→' '}',
    /// A bar of a meter.
    Bar = '█' '#',
    /// The empty rest of a meter.
    Rest = '░' '_',
}

impl Symbol {
    /// The symbol of a call's status alone.
    pub const fn of_status(status: &Status) -> Self {
        match status {
            Status::Proposed | Status::Ready => Self::Proposed,
            Status::Invalid => Self::Invalid,
            Status::Blocked => Self::Blocked,
            Status::AwaitingApproval | Status::Consent(_) => Self::Awaiting,
            Status::Queued | Status::Scheduled => Self::Queued,
            Status::Repairing(_) => Self::Repair,
            Status::Running(_) => Self::Running,
            Status::OutcomeUnknown(_) | Status::Abandoned => Self::OutcomeUnknown,
            Status::Succeeded => Self::Ok,
            Status::Exited(_) => Self::Exited,
            Status::Failed(_) => Self::Failed,
            Status::Rejected => Self::Rejected,
            Status::Expired => Self::Expired,
            Status::Skipped | Status::Unsatisfiable => Self::Skipped,
        }
    }

    /// The symbol of a call's effective status. A superseded call without an outcome has its own.
    pub const fn of_effective_status(effective: EffectiveStatus<'_>) -> Self {
        match effective {
            effective if effective.was_left() => Self::History,
            EffectiveStatus::Superseded(status)
            | EffectiveStatus::Suspended(status)
            | EffectiveStatus::Active(status) => Self::of_status(status),
        }
    }

    /// The symbol of a call in the graph. A success with arguments or result of the operator has
    /// its own.
    pub fn of_call(
        effective: EffectiveStatus<'_>,
        call: &Call,
        node: Option<&Node>,
        observation: Option<&Node>,
    ) -> Self {
        let plain = Self::of_effective_status(effective);
        if plain == Self::Ok && is_edited(call, node, observation) {
            Self::Edited
        } else {
            plain
        }
    }

    /// The symbol of a node that is no call.
    pub const fn of_kind(kind: NodeKind) -> Self {
        match kind {
            NodeKind::Prompt => Self::Prompt,
            NodeKind::Thought => Self::Thought,
            NodeKind::Call => Self::Proposed,
            NodeKind::Observation => Self::Ok,
            NodeKind::Answer => Self::Answer,
            NodeKind::Repair => Self::Repair,
            NodeKind::Intervention => Self::Intervention,
        }
    }

    /// Role of the symbol in a theme.
    pub const fn role(self) -> Role {
        match self {
            Self::Proposed | Self::Queued => Role::Pending,
            Self::Invalid | Self::Failed | Self::Expired => Role::Failed,
            Self::Rejected => Role::Denied,
            Self::Blocked | Self::Skipped | Self::History => Role::Blocked,
            Self::Awaiting => Role::Awaiting,
            Self::Running => Role::Running,
            Self::OutcomeUnknown => Role::Unknown,
            Self::Ok => Role::Ok,
            Self::Answer => Role::Title,
            Self::Edited | Self::Intervention | Self::Repair | Self::Restore => Role::Edited,
            Self::Prompt => Role::Operator,
            Self::Thought | Self::Pointer | Self::Opened | Self::Closed => Role::Accent,
            Self::ModelText => Role::ModelText,
            Self::Fan => Role::Fold,
            Self::Loop | Self::Exited => Role::Warning,
            Self::MoreBelow => Role::Key,
            Self::Resting
            | Self::Ancestor
            | Self::Descendant
            | Self::Ellipsis
            | Self::LineBreak
            | Self::Arrow
            | Self::Bar
            | Self::Rest => Role::Dim,
        }
    }
}

/// The style of a badge. Its words hold now, so none is drawn like content that does not.
pub const fn of_badge(badge: Badge) -> Role {
    match badge {
        Badge::SubAgent => Role::Accent,
        Badge::HistoryRewritten | Badge::Reused | Badge::ReplyOnRecord => Role::Dim,
        Badge::WorldChanged
        | Badge::InputsChanged
        | Badge::ContextDrifted
        | Badge::WriteConflict
        | Badge::AfterFailedCalls => Role::Warning,
    }
}

fn is_edited(call: &Call, node: Option<&Node>, observation: Option<&Node>) -> bool {
    let typed = call
        .decisions
        .last()
        .is_some_and(|(_, _, decision)| matches!(**decision, Decision::Answer));
    typed
        || node.is_some_and(Node::is_edited)
        || observation.is_some_and(|node| node.is_edited() || node.pinned)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use unicode_width::UnicodeWidthChar as _;

    use super::*;

    #[test]
    fn every_symbol_is_one_column_wide() {
        for symbol in Symbol::ALL {
            for charset in [Charset::Unicode, Charset::Ascii] {
                let glyph = symbol.glyph(charset);
                assert_eq!(glyph.width(), Some(1), "{symbol:?} {glyph:?}");
            }
            assert!(symbol.glyph(Charset::Ascii).is_ascii_graphic(), "{symbol:?}");
        }
    }

    #[test]
    fn no_two_share_a_character() {
        for charset in [Charset::Unicode, Charset::Ascii] {
            let glyphs: BTreeSet<char> = Symbol::ALL.iter().map(|symbol| symbol.glyph(charset)).collect();
            assert_eq!(glyphs.len(), Symbol::ALL.len(), "{charset:?}");
        }
    }

    #[test]
    fn no_symbol_looks_like_a_line_of_the_graph() {
        use crate::ground::layout::gutter::{Cell, Glyphs, Line};
        let lines = Glyphs::of(Line::Unicode);
        for bits in 0..16 {
            let line = lines.of_cell(Cell(bits), None);
            assert!(
                Symbol::ALL
                    .iter()
                    .all(|symbol| symbol.glyph(Charset::Unicode) != line),
                "{line}"
            );
        }
    }

    #[test]
    fn no_badge_is_crossed_out() {
        use crate::ground::theme::{Colours, Theme};
        use ratatui::style::Modifier;
        for badge in [
            Badge::Reused,
            Badge::WorldChanged,
            Badge::InputsChanged,
            Badge::ReplyOnRecord,
            Badge::ContextDrifted,
            Badge::WriteConflict,
            Badge::AfterFailedCalls,
            Badge::HistoryRewritten,
            Badge::SubAgent,
        ] {
            let role = of_badge(badge);
            for name in Theme::names() {
                let style = Theme::built_in(name).unwrap().look(Colours::True).full(role);
                let is_crossed_out = style.add_modifier.contains(Modifier::CROSSED_OUT);
                assert!(!is_crossed_out, "{badge:?} in {name}");
            }
        }
    }

    #[test]
    fn the_locale_decides() {
        assert_eq!(
            Charset::detect(Some("de_DE.UTF-8"), Some("xterm")),
            Charset::Unicode
        );
        assert_eq!(Charset::detect(Some("C.utf8"), None), Charset::Unicode);
        assert_eq!(Charset::detect(Some("C"), Some("xterm")), Charset::Ascii);
        assert_eq!(Charset::detect(Some("C.UTF-8"), Some("linux")), Charset::Ascii);
        assert_eq!(Charset::detect(None, None), Charset::Ascii);
    }
}
