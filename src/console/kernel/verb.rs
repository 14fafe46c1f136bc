//! What a verb is: the value that keymap, hints, palette, help and refusals read.
//!
//! Must not know: which verbs there are.

use crate::kernel::context::Context;
use crate::kernel::model::Model;
use crate::kernel::msg::Out;
use crate::kernel::surface::SurfaceId;
use crate::run::refusal::Refusal;
use overrule_domain::command::Command;

/// All verbs, by family with its heading, in the order of help.
pub type Families = &'static [(&'static str, &'static [Verb])];
/// The family of the moves in a pane, page or text.
pub const MOVES: &str = "move";
/// The family of what edits a text field.
pub const TEXTS: &str = "text";

/// The name of the verb that shows help over what is open: everyone knows it.
pub const HELP_HERE: &str = "help-here";
/// The name of the verb that interrupts: its message stays for the second press.
pub const INTERRUPT: &str = "interrupt";
/// The name of the verb that approves unread: it looks at the press before.
pub const APPROVE_UNREAD: &str = "approve-unread";

/// A verb of the console: all that is known about one command.
#[derive(Debug, Clone, Copy)]
pub struct Verb {
    /// Its name in the palette and in keymap files; unique.
    pub name: &'static str,
    /// Default keys.
    pub keys: &'static [&'static str],
    /// Where it works.
    pub contexts: &'static [Context],
    /// An imperative sentence.
    pub doc: &'static str,
    /// Label in the status line; empty for no hint there.
    pub hint: &'static str,
    /// Label in a narrow dialog; empty for the usual one.
    pub short: &'static str,
    /// A label that fits better now.
    pub label: fn(&Model) -> Option<&'static str>,
    /// What its label says in addition now, such as `, restore 2`.
    pub adds: fn(&Model) -> String,
    /// The place of its hint.
    pub rank: fn(&Model) -> Rank,
    /// The part of the selected row that it decides about or changes.
    pub about: About,
    /// What it does to the run.
    pub effect: Effect,
    /// True for a decision about a call, a turn or a rule.
    pub decides: bool,
    /// How certain a key press must be.
    pub care: Care,
    /// Whether it only stops, pauses or restricts the run now: an extra press does no harm.
    pub stops: fn(&Model) -> bool,
    /// Whether the screen has what it acts on. Ask [`super::availability::of`], which knows the run too.
    pub available: fn(&Model) -> Availability,
    /// Refuses a press until its question was on screen for long enough, and whole where it must be read.
    pub seen: fn(&Model, Moment) -> Result<(), Refusal>,
    /// The command that its key would send now, without a text that it asks for first; none if that is not certain. The
    /// verb is offered only if the run would carry it out.
    pub command: fn(&Model) -> Option<Command>,
    /// Carries it out, or refuses.
    pub run: fn(&mut Model, &mut Press<'_>) -> Result<(), Refusal>,
}

impl Verb {
    /// What most verbs have in common: it changes nothing, and always works.
    pub(crate) const BASE: Self = Self {
        name: "",
        keys: &[],
        contexts: &[],
        doc: "",
        hint: "",
        short: "",
        label: |_| None,
        adds: |_| String::new(),
        rank: |_| Rank::Usual,
        about: About::Nothing,
        effect: Effect::Shows,
        decides: false,
        care: Care::Plain,
        stops: |_| false,
        available: |_| Availability::Offered,
        seen: |_, _| Ok(()),
        command: |_| None,
        run: |_, _| Ok(()),
    };

    /// True if its keys work on a surface.
    pub fn works_on(&self, surface: SurfaceId) -> bool {
        self.contexts.iter().any(|context| context.covers(surface))
    }

    /// True if it belongs to a surface, and not to every one or every pane.
    pub fn is_of(&self, surface: SurfaceId) -> bool {
        let is_own = |context: &Context| matches!(context, Context::On(_) | Context::Each(_));
        self.contexts
            .iter()
            .any(|context| is_own(context) && context.covers(surface))
    }

    /// True for a verb with consequences, which a key that is part of a paste must not start.
    pub fn waits_after_paste(&self) -> bool {
        self.effect.acts() || matches!(self.care, Care::Careful | Care::Alone)
    }
}

/// A name stands for one verb.
impl PartialEq for Verb {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Verb {}

/// The part of the selected row that a verb acts on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum About {
    /// Nothing: the verb acts on something else, or changes nothing.
    Nothing,
    /// Its turn.
    Turn,
    /// Its node.
    Node,
}

/// What a verb does to the run.
#[derive(Debug, Clone, Copy)]
pub enum Effect {
    /// Nothing: it only changes what is on screen.
    Shows,
    /// It prepares a change that needs no record yet: not in a recorded run.
    Acts,
    /// Its outcome must be recorded: not in a recorded or a halted run.
    Records,
    /// Like `Records`, but it ends running work, which works in a halted run too while the function
    /// finds something to end.
    Ends(fn(&Model) -> bool),
}

impl Effect {
    /// True for a verb that changes the run. A recorded run refuses it.
    pub const fn acts(self) -> bool {
        matches!(self, Self::Acts | Self::Records | Self::Ends(_))
    }

    /// True for a verb whose outcome must be recorded. A halted run refuses it, unless it ends something.
    pub const fn must_be_recorded(self) -> bool {
        matches!(self, Self::Records | Self::Ends(_))
    }

    /// True for an effect that a run with such access allows.
    pub const fn is_allowed(self, access: Access) -> bool {
        match access {
            Access::All => true,
            Access::Read => !self.acts(),
            Access::End { busy } => !self.must_be_recorded() || (busy && matches!(self, Self::Ends(_))),
        }
    }
}

/// What a run lets verbs do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Everything: the run is live.
    All,
    /// Nothing is changed: the run is recorded.
    Read,
    /// Nothing is recorded, but running work can be ended: the run is halted.
    End {
        /// True if there is something to end.
        busy: bool,
    },
}

/// Whether a verb can act now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Availability {
    /// It acts, and is offered.
    Offered,
    /// It is offered, but its key would be refused now: its question was too short on screen, or is
    /// partly unread.
    NotYet(Refusal),
    /// It is not offered: it has no target here. Its key says why.
    NotOffered,
    /// It is not offered, and its key is refused: for what is known for certain, or because its question was not seen.
    Refused(Refusal),
}

impl From<Result<(), Refusal>> for Availability {
    fn from(found: Result<(), Refusal>) -> Self {
        found.map_or_else(Self::Refused, |()| Self::Offered)
    }
}

/// How certain a key press must be before it acts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Care {
    /// It works in a burst of keys too.
    Free,
    /// It is dropped in a burst outside of a text.
    Plain,
    /// Right after a paste it waits, too.
    Careful,
    /// It waits until it is certain that it came alone, and is refused if it is held down.
    Alone,
}

/// The place of a hint in the status line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rank {
    /// First: the main key of a pane, or the way to a decision or answer.
    Leads,
    /// In the order of the list.
    Usual,
    /// Last: only if there is room left.
    Last,
    /// At the end, but at every width: help, and the way out of a text.
    Stays,
}

impl Rank {
    pub(crate) const fn leads_if(is: bool) -> Self {
        if is { Self::Leads } else { Self::Usual }
    }

    pub(crate) const fn stays_if(is: bool) -> Self {
        if is { Self::Stays } else { Self::Usual }
    }
}

/// How a verb was chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    /// By its key.
    Key,
    /// By its name in the palette, which is open over the pane that it applies to.
    Palette,
}

/// How and when a verb is chosen.
#[derive(Debug, Clone, Copy)]
pub struct Moment {
    /// How.
    pub by: By,
    /// When, in milliseconds of the console's clock.
    pub at: u64,
}

impl Moment {
    /// A key that is pressed now.
    pub const fn key_now(model: &Model) -> Self {
        Self {
            by: By::Key,
            at: model.arming.now,
        }
    }
}

/// The press that a verb is carried out for.
#[derive(Debug)]
pub struct Press<'o> {
    /// How and when the verb was chosen.
    pub moment: Moment,
    /// Requests for the event loop that follow from it.
    pub out: &'o mut Vec<Out>,
}

/// Verbs that differ in a row each, in the order of [`Verb`]'s fields: constant, name, keys, contexts, hint if there is
/// one, sentence, argument. The function that carries them out and the fields that they share are above the rows.
///
/// ```text
/// verbs! {
///     run: go, ..MOVE;
///     UP "up" ["k", "up"] MOVED "move one row up" Move::Up;
/// }
/// ```
macro_rules! verbs {
    (
        run: $run:ident, ..$base:expr;
        $($constant:ident $name:literal [$($key:literal),+] $contexts:ident $(hint $hint:literal)? $doc:literal $argument:expr;)+
    ) => {
        $(
            #[doc = concat!("The verb `", $name, "`.")]
            pub const $constant: Verb = Verb {
                name: $name,
                keys: &[$($key),+],
                contexts: $contexts,
                $(hint: $hint,)?
                doc: $doc,
                run: |model, press| $run(model, press, $argument),
                ..$base
            };
        )+
    };
}
pub(crate) use verbs;
