//! The outcome of a call: its result, in its colours or as exact bytes, or its error.
//!
//! Must not know: keys, how a colour is drawn.

use std::sync::Arc;

use crate::ground::doc::Form;
use crate::ground::pager::Wrap;
use crate::ground::theme::Role;
use crate::run::maker::Maker;
use overrule_domain::call::Outcome;
use overrule_present::many;

/// The JSON text of a result without a text.
const EMPTY: &str = "\"\"";

impl Maker<'_> {
    /// Adds a result or an error.
    pub(crate) fn outcome(&mut self, outcome: &Outcome) {
        match outcome {
            Outcome::Ok {
                value,
                meta,
                discarded,
                exit,
            } => {
                if let Some(code) = exit {
                    self.fact("exit", Role::Text, code.to_string());
                }
                // Before the text: its end may be far below.
                if *discarded > 0 {
                    let count = usize::try_from(*discarded).unwrap_or(usize::MAX);
                    let were = if count == 1 { "was" } else { "were" };
                    self.own(
                        Role::Warning,
                        format!("{} of it {were} not stored", many(count, "byte")),
                    );
                }
                self.result(value);
                if let Some(meta) = meta {
                    self.field("meta", meta);
                }
            }
            Outcome::Err(error) => {
                self.fact("error", Role::Error, error.class.ending());
                let message = self.cache.owned(&error.message);
                self.text(
                    &message,
                    Form::Raw,
                    Wrap::Words,
                    Role::Text,
                    (Role::Error, "  ".to_owned()),
                );
                self.field("evidence", &error.evidence);
                if let Some(hint) = &error.hint {
                    self.field("hint", hint);
                }
                if error.executed {
                    self.fact("", Role::Warning, "the tool may have had an effect");
                }
                if let Some(partial) = &error.partial {
                    self.own(Role::Title, "output before the error");
                    self.result(partial);
                }
            }
            Outcome::Cancelled { executed } => self.fact(
                "cancelled",
                Role::Failed,
                if *executed {
                    "it may have had an effect"
                } else {
                    "nothing happened"
                },
            ),
        }
    }

    /// Adds the text of a result. If it has colours, a line says whether they are shown. Text in colours is
    /// indented more than any line of the console.
    fn result(&mut self, value: &Arc<str>) {
        if &**value == EMPTY {
            self.own(Role::Dim, "nothing");
            return;
        }
        let coloured = self.cache.is_coloured(value);
        let Some(coloured) = self.found(coloured, value.len()) else {
            return;
        };
        let Some(output) = self.output.clone().filter(|_| coloured) else {
            self.readable(value, "");
            return;
        };
        self.doc.with_colours();
        let (now, then, form) = if output.colours {
            ("in the output's own colours", "its exact bytes", Form::Coloured)
        } else {
            (
                "every byte of the output; none is shown as a colour",
                "its colours",
                Form::Readable,
            )
        };
        let other = match output.key.as_str() {
            "" => String::new(),
            key => format!("; {key} shows {then}"),
        };
        self.own(Role::Dim, format!("{now}{other}"));
        let mark = (Role::Dim, "  ".to_owned());
        self.text(value, form, Wrap::Chars, Role::Text, mark);
    }
}
