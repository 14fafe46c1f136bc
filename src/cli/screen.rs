//! Opens the console with the settings of this process.
//!
//! Must not know: what the link connects to.

use std::ffi::OsStr;
use std::path::Path;
use std::sync::Arc;

use super::build::AppContext;
use super::exit::{Code, Failure};
use super::live_reload::{self, Watched};
use super::operator;
use super::seen;
use overrule_config::settings::{Ambiguous, Differences, Glyphs, Origin};
use overrule_config::tracking;
use overrule_console::ground::layout::gutter::Line;
use overrule_console::ground::symbols::Charset;
use overrule_console::ground::theme::{Colours, Theme};
use overrule_console::kernel::model::Source;
use overrule_console::kernel::msg::Leave;
use overrule_console::run::link::Link;
use overrule_console::run::restore_preview::OnEdit;
use overrule_console::{
    app,
    app::{Alerts, Exit, Options, Sources},
};
use overrule_console::{
    ground::terminal,
    ground::terminal::{Around, Reach},
};
use overrule_engine::clock::Clock;

/// Characters of a session's id that identify the millisecond of its start. The first
/// eight are the same within a minute.
pub const SHORT_ID_CHARS: usize = 13;

/// The colours of the terminal, and its characters.
fn colours_and_charset(context: &AppContext) -> (Colours, Charset) {
    let settings = &context.settings;
    let env = &context.env;
    let colours = Colours::detect(
        env.no_color.as_deref(),
        env.colorterm.as_deref(),
        env.term.as_deref(),
    );
    let charset = match settings.glyphs.value {
        Glyphs::Ascii => Charset::Ascii,
        // A setting wins; the default is what the terminal supports.
        Glyphs::Unicode if settings.glyphs.origin != Origin::Default => Charset::Unicode,
        Glyphs::Unicode => Charset::detect(env.locale.as_deref(), env.term.as_deref()),
    };
    (colours, charset)
}

/// The theme, the colours and the characters of a screen that is no console.
pub fn style(context: &AppContext) -> Result<(Theme, Colours, Charset), Failure> {
    let (colours, charset) = colours_and_charset(context);
    Ok((live_reload::theme(context)?, colours, charset))
}

/// What the operator of a screen is told at its start: ignored and changed keys.
pub fn notices(context: &AppContext, headless: bool) -> Vec<String> {
    if headless {
        return Vec::new();
    }
    let ignored = live_reload::look(context).map(|(_, keymap)| keymap.ignored.clone());
    let changed = seen::changed_keys(&context.env);
    ignored.unwrap_or_default().into_iter().chain(changed).collect()
}

/// The options of the console.
fn options(context: &AppContext, session: &str, recorded: bool) -> Result<Options, Failure> {
    let settings = &context.settings;
    let env = &context.env;
    let (colours, charset) = colours_and_charset(context);
    let size = |name: &str| env.variable(name)?.parse().ok();
    // An ASCII screen has no ambiguous characters.
    let wide = charset == Charset::Unicode && settings.ambiguous.value == Ambiguous::Wide;
    // Nearly all lines and symbols of the console are ambiguous, and would be two columns wide.
    let charset = if wide { Charset::Ascii } else { charset };
    let (theme, keymap) = live_reload::look(context)?.clone();
    Ok(Options {
        colours,
        theme: (settings.theme.value.clone(), theme),
        charset,
        wide,
        line: match charset {
            Charset::Ascii => Line::Ascii,
            Charset::Unicode => Line::Unicode,
        },
        keymap,
        arming_ms: settings.arming_ms.value,
        session_name: session.chars().take(SHORT_ID_CHARS).collect(),
        resume_hint: format!("to continue: {}\n", context.address(session).to_continue()),
        first_decision: !recorded && !seen::has_decided(env),
        side_by_side: settings.differences.value == Differences::SideBySide,
        on_edit: match settings.files.on_edit.value {
            tracking::OnEdit::Ask => OnEdit::Ask,
            tracking::OnEdit::Keep => OnEdit::Keep,
            tracking::OnEdit::Restore => OnEdit::Restore,
        },
        utc_zero: (!recorded).then(|| Clock::start().utc_ms()),
        source: if recorded { Source::Replay } else { Source::Live },
        watch: context.watch(),
        danger: Arc::new(settings.danger.table.clone()),
        alerts: Alerts {
            bell: settings.notify.bell.value,
            title: settings.notify.title.value,
            desktop: settings.notify.desktop.value,
        },
        terminal: terminal::Options {
            mouse: settings.mouse.value,
            keyboard: false,
            title: settings.notify.title.value,
            size: (size("COLUMNS"), size("LINES")),
        },
        reach: Reach::of(&Around {
            term: env.term.as_deref(),
            vte: env.vte,
            tmux: env.tmux,
            screen: env.screen,
            ssh: env.ssh,
        }),
        editor: settings.editor.value.clone(),
        mark: {
            let line = settings.editor.value.as_deref().unwrap_or_default();
            let program = line.split_whitespace().next().unwrap_or_default();
            let programs = env.variable("PATH").unwrap_or_default();
            let from = (Path::new("."), &*context.workspace);
            operator::mark(program, from, OsStr::new(&*programs))
        },
        scratch: settings
            .sessions
            .value
            .clone()
            .unwrap_or_else(|| context.workspace.clone()),
    })
}

/// How the screen was left.
pub enum ScreenExit {
    /// With this exit code.
    Code(Code),
    /// For this session: another conversation, or a recording that is resumed.
    For(String),
}

/// Shows the updates of a link until the operator leaves.
pub async fn show(
    context: &AppContext,
    link: Box<dyn Link>,
    session: &str,
    recorded: bool,
) -> Result<ScreenExit, Failure> {
    let exit = on(context, link, options(context, session, recorded)?).await?;
    Ok(match exit.how {
        Leave::Resume(session) | Leave::Show(session) => ScreenExit::For(session),
        _ => ScreenExit::Code(code(&exit)),
    })
}

async fn on(context: &AppContext, link: Box<dyn Link>, options: Options) -> Result<Exit, Failure> {
    let sources = Sources {
        link,
        files: Box::new(Watched::new(context)),
    };
    // The future is large: it owns the whole screen.
    Box::pin(app::run(sources, options))
        .await
        .map_err(|error| Failure::new(Code::Other, error))
}

fn code(exit: &Exit) -> Code {
    match exit.code {
        None => Code::Ok,
        Some(130) => Code::Interrupted,
        Some(code) => Code::Signal(u8::try_from(code).unwrap_or(u8::MAX)),
    }
}
