//! Runs the picker of a recorded session on the terminal.
//!
//! Must not know: where sessions are stored, what is drawn.

use tokio::time::Instant;

use super::typed::Typed;
use super::{Error, terminal};
use crate::app::picker_list::{Picked, Picker};
use crate::ground::symbols::Charset;
use crate::ground::term_msg::TermMsg;
use crate::ground::terminal::{Screen, Signal, Signals};
use crate::ground::theme::{Colours, Palette, Theme};
use crate::view;

/// Lets the operator pick a session. `tail` gives the last lines of the session of an id.
pub async fn pick(
    mut picker: Picker,
    (theme, colours, charset): (Theme, Colours, Charset),
    tail: impl Fn(&str) -> Vec<String>,
) -> Result<Picked, Error> {
    let mut look = theme.look(colours);
    let mut signals = Signals::new().map_err(Error::Signals)?;
    let mut screen = Screen::enter(terminal::Options::default())?;
    let mut typed = Typed::new(Instant::now()).map_err(terminal::Error::io("read"))?;
    let picked = loop {
        let (_, height) = screen.size();
        picker.rows = usize::from(view::picker_rows(height));
        if let Some(entry) = picker.current().and_then(|at| picker.entries.get_mut(at))
            && entry.tail.is_none()
        {
            entry.tail = Some(tail(&entry.id));
        }
        screen.draw(|frame| view::picker(&picker, &look, charset, frame))?;
        tokio::select! {
            signal = signals.next() => match signal {
                Signal::Resized => screen.redraw()?,
                Signal::Continued => screen.retake()?,
                _ => break Picked::Nothing,
            },
            message = typed.next() => match message {
                Some(TermMsg::Key { key, .. }) => {
                    if let Some(picked) = picker.key(key) {
                        break picked;
                    }
                }
                Some(TermMsg::Background(rgb)) => {
                    look = theme.look(Palette {
                        colours,
                        background: Some(rgb),
                    });
                }
                Some(_) => {}
                None => break Picked::Nothing,
            },
        }
    };
    typed.stop();
    screen.leave();
    Ok(picked)
}
