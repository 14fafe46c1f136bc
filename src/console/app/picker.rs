//! Asks on the whole screen before a run: which session, or whether to continue one.
//!
//! Must not know: where sessions are stored, what is drawn.

use ratatui::Frame;
use tokio::time::Instant;

use super::typed::Typed;
use super::{Error, terminal};
use crate::app::offer::{Choice, Offer};
use crate::app::picker_list::{Picked, Picker};
use crate::ground::key::Key;
use crate::ground::symbols::Charset;
use crate::ground::term_msg::TermMsg;
use crate::ground::terminal::{Screen, Signal, Signals};
use crate::ground::theme::{Colours, Look, Palette, Theme};
use crate::view;

/// A question before a run.
trait Asked {
    /// The answer.
    type Answer;
    /// The answer if the terminal is gone or a signal ends the program.
    const NONE: Self::Answer;
    fn draw(&mut self, look: &Look, charset: Charset, frame: &mut Frame<'_>);
    /// Handles a key. A result ends the question.
    fn key(&mut self, key: Key) -> Option<Self::Answer>;
}

/// A picker, and where it reads the last lines of the session of an id.
struct Picking<F>(Picker, F);

impl<F: Fn(&str) -> Vec<String>> Asked for Picking<F> {
    type Answer = Picked;
    const NONE: Picked = Picked::Nothing;

    fn draw(&mut self, look: &Look, charset: Charset, frame: &mut Frame<'_>) {
        let Self(picker, tail) = self;
        picker.rows = usize::from(view::picker_rows(frame.area().height));
        if let Some(entry) = picker.current().and_then(|at| picker.entries.get_mut(at))
            && entry.tail.is_none()
        {
            entry.tail = Some(tail(&entry.id));
        }
        view::picker(picker, look, charset, frame);
    }

    fn key(&mut self, key: Key) -> Option<Picked> {
        self.0.key(key)
    }
}

impl Asked for Offer {
    type Answer = Choice;
    const NONE: Choice = Choice::Leave;

    fn draw(&mut self, look: &Look, charset: Charset, frame: &mut Frame<'_>) {
        view::offer(self, look, charset, frame);
    }

    fn key(&mut self, key: Key) -> Option<Choice> {
        Self::choice(key)
    }
}

/// Lets the operator pick a session. `tail` gives the last lines of the session of an id.
pub async fn pick(
    picker: Picker,
    style: (Theme, Colours, Charset),
    tail: impl Fn(&str) -> Vec<String>,
) -> Result<Picked, Error> {
    ask(Picking(picker, tail), style).await
}

/// Asks whether to continue a session.
pub async fn offer(offer: Offer, style: (Theme, Colours, Charset)) -> Result<Choice, Error> {
    ask(offer, style).await
}

async fn ask<A: Asked>(
    mut asked: A,
    (theme, colours, charset): (Theme, Colours, Charset),
) -> Result<A::Answer, Error> {
    let mut look = theme.look(colours);
    let mut signals = Signals::new().map_err(Error::Signals)?;
    let mut screen = Screen::enter(terminal::Options::default())?;
    let mut typed = Typed::new(Instant::now()).map_err(terminal::Error::io("read"))?;
    let answer = loop {
        screen.draw(|frame| asked.draw(&look, charset, frame))?;
        tokio::select! {
            signal = signals.next() => match signal {
                Signal::Resized => screen.redraw()?,
                Signal::Continued => screen.retake()?,
                _ => break A::NONE,
            },
            message = typed.next() => match message {
                Some(TermMsg::Key { key, .. }) => {
                    if let Some(answer) = asked.key(key) {
                        break answer;
                    }
                }
                Some(TermMsg::Background(rgb)) => {
                    look = theme.look(Palette {
                        colours,
                        background: Some(rgb),
                    });
                }
                Some(_) => {}
                None => break A::NONE,
            },
        }
    };
    typed.stop();
    screen.leave();
    Ok(answer)
}
