//! Opens the console with the settings of this process. Must not know: what is behind the link.

use std::time::Duration;

use super::build::Ground;
use super::exit::{Code, Failure};
use super::looks::{self, Watched};
use crate::config::settings::{Ambiguous, Glyphs, Origin};
use crate::console::app::{self, Alerts, Exit, Options, Sources};
use crate::console::layout::gutter::Line;
use crate::console::link::Link;
use crate::console::model::Source;
use crate::console::msg::Leave;
use crate::console::symbols::Charset;
use crate::console::terminal::{self, Around, Reach};
use crate::console::theme::Colours;
use crate::engine::clock::Clock;

/// How long what runs may take to end once the program was told to: children get two seconds of it.
const PATIENCE: Duration = Duration::from_secs(5);

/// Characters of a session's id by which it is told from all others that began in another millisecond; the first
/// eight are shared by all of a minute.
const TOLD_APART: usize = 13;

/// What a console of this process is opened with.
fn options(ground: &Ground, session: &str, recorded: bool) -> Result<Options, Failure> {
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
    // A screen of ASCII has no such characters.
    let wide = charset == Charset::Unicode && settings.ambiguous.value == Ambiguous::Wide;
    // The console's own lines and signs are of that kind: nearly all of them would be two columns wide.
    let charset = if wide { Charset::Ascii } else { charset };
    Ok(Options {
        colours,
        theme: (settings.theme.value.clone(), looks::theme(ground)?),
        charset,
        wide,
        line: match charset {
            Charset::Ascii => Line::Ascii,
            Charset::Unicode => Line::Unicode,
        },
        keymap: looks::keymap(ground)?,
        arming_ms: settings.arming_ms.value,
        session_name: session.chars().take(TOLD_APART).collect(),
        resume_hint: format!("to go on: overrule resume {}\n", ground.address(session)),
        utc_zero: (!recorded).then(|| Clock::start().utc_ms()),
        source: if recorded { Source::Replay } else { Source::Live },
        watch: ground.watch(),
        alerts: Alerts {
            bell: settings.notify.bell.value,
            title: settings.notify.title.value,
            desktop: settings.notify.desktop.value,
        },
        mouse: settings.mouse.value,
        reach: Reach::of(&Around {
            term: env.term.as_deref(),
            vte: env.vte,
            tmux: env.tmux,
            screen: env.screen,
            ssh: env.ssh,
        }),
        editor: settings.editor.value.clone(),
        scratch: settings
            .sessions
            .value
            .clone()
            .unwrap_or_else(|| ground.workspace.clone()),
    })
}

/// Shows what comes through a link until the operator leaves.
pub async fn show(
    ground: &Ground,
    link: Box<dyn Link>,
    session: &str,
    recorded: bool,
) -> Result<Code, Failure> {
    let exit = on(ground, link, options(ground, session, recorded)?).await?;
    Ok(code(&exit))
}

/// How a recording was left.
pub enum Left {
    /// With this exit code.
    Code(Code),
    /// To go on with this session.
    GoOn(String),
}

/// Shows a recording until the operator leaves.
pub async fn replay(ground: &Ground, link: Box<dyn Link>, session: &str) -> Result<Left, Failure> {
    let exit = on(ground, link, options(ground, session, true)?).await?;
    Ok(match exit.how {
        Leave::GoOn(session) => Left::GoOn(session),
        _ => Left::Code(code(&exit)),
    })
}

async fn on(ground: &Ground, link: Box<dyn Link>, options: Options) -> Result<Exit, Failure> {
    let sources = Sources {
        link,
        files: Box::new(Watched::new(ground)),
    };
    // Everything that is on screen lies in it.
    Box::pin(app::run(sources, options))
        .await
        .map_err(|error| Failure::new(Code::Other, error))
}

fn code(exit: &Exit) -> Code {
    if let Some(code) = exit.code {
        // Whoever told the program to end is not kept waiting by what does not.
        terminal::end_within(PATIENCE, code);
    }
    match exit.code {
        None => Code::Ok,
        Some(130) => Code::Interrupted,
        Some(code) => Code::Signal(u8::try_from(code).unwrap_or(u8::MAX)),
    }
}
