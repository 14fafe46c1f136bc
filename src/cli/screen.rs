//! Opens the console with the settings of this process. Must not know: what is behind the link.

use super::build::Ground;
use super::exit::{Code, Failure};
use crate::config::settings::{Glyphs, Origin};
use crate::console::app::{self, Alerts, Options};
use crate::console::keymap::Keymap;
use crate::console::layout::gutter::Line;
use crate::console::link::Link;
use crate::console::symbols::Charset;
use crate::console::theme::{Colours, Theme};

/// The theme that the settings name.
pub fn theme(ground: &Ground) -> Result<Theme, Failure> {
    Theme::load(&ground.settings.theme.value).map_err(|error| Failure::new(Code::Config, error))
}

/// Shows what comes through a link until the operator leaves.
pub async fn show(
    ground: &Ground,
    link: Box<dyn Link>,
    session: &str,
    recorded: bool,
) -> Result<Code, Failure> {
    let settings = &ground.settings;
    let env = &ground.env;
    let colours = Colours::detect(
        env.no_color.as_deref(),
        env.colorterm.as_deref(),
        env.term.as_deref(),
    );
    let charset = match settings.glyphs.value {
        Glyphs::Ascii => Charset::Ascii,
        // A choice counts; without one the terminal's own word does.
        Glyphs::Unicode if settings.glyphs.origin != Origin::Default => Charset::Unicode,
        Glyphs::Unicode => Charset::detect(env.locale.as_deref(), env.term.as_deref()),
    };
    let keymap = Keymap::new(&[]).map_err(|error| Failure::new(Code::Config, error))?;
    let options = Options {
        look: theme(ground)?.look(colours),
        charset,
        line: match charset {
            Charset::Ascii => Line::Ascii,
            Charset::Unicode => Line::Unicode,
        },
        keymap,
        arming_ms: settings.arming_ms.value,
        user: ground.user().to_string(),
        session_name: session.chars().take(8).collect(),
        resume_hint: format!("to go on: overrule resume {session}\n"),
        read_only: recorded,
        replay: recorded,
        alerts: Alerts {
            bell: settings.notify.bell.value,
            title: settings.notify.title.value,
            desktop: settings.notify.desktop.value,
        },
        mouse: false,
        editor: settings.editor.value.clone(),
        scratch: settings
            .sessions
            .value
            .clone()
            .unwrap_or_else(|| ground.workspace.clone()),
    };
    let exit = app::run(link, options)
        .await
        .map_err(|error| Failure::new(Code::Other, error))?;
    Ok(match exit.code {
        None => Code::Ok,
        Some(130) => Code::Interrupted,
        Some(code) => Code::Signal(u8::try_from(code).unwrap_or(u8::MAX)),
    })
}
