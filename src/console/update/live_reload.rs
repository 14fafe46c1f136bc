//! Applies reloaded themes, keys and failure settings, and a theme chosen for this session.
//!
//! Must not know: where files are, how they are watched.
//!
//! An invalid file changes nothing: its last valid content stays, and the status line says why.

use crate::ground::theme::Palette;
use crate::kernel::decide::send;
use crate::kernel::files::Read;
use crate::kernel::log::Line;
use crate::kernel::model::Model;
use crate::kernel::msg::Out;
use crate::verbs::theme;
use overrule_base::text::visible;
use overrule_domain::command::{Command, ResilienceCommand};
use overrule_resilience::policy::Policy;

/// Applies the current content of the files.
pub(crate) fn take(model: &mut Model, read: Read, out: &mut Vec<Out>) {
    // A theme that is tried on is applied again, over the current content of the files.
    if let Some(before) = model.settings.themes.before.take() {
        model.settings.look = before;
    }
    let mut faults = read.problems;
    let mut news = configure(model, read.policy, out);
    let settings = &mut model.settings;
    settings.files.path = read.place;
    settings.files.workspace_path = read.workspace_place;
    match read.keymap {
        Some(Ok(keymap)) if settings.keymap != keymap => {
            faults.extend(keymap.ignored.iter().cloned());
            settings.keymap = keymap;
            news.push("keys".to_owned());
        }
        Some(Err(why)) => faults.push(format!("Keys unchanged: {why}")),
        _ => {}
    }
    let before = std::mem::take(&mut settings.themes.all);
    for (name, theme) in read.themes {
        let old = before.iter().find(|(known, _)| *known == name);
        match theme {
            None => settings.themes.all.push((name, None)),
            Some(Ok(theme)) => settings.themes.all.push((name, Some(theme))),
            Some(Err(why)) => {
                faults.push(match old {
                    Some(_) => format!("Theme {} unchanged: {why}", visible(&name)),
                    None => why,
                });
                settings.themes.all.extend(old.cloned());
            }
        }
    }
    let named = settings.themes.configured != read.theme;
    if named {
        settings.themes.configured.clone_from(&read.theme);
        settings.themes.current = read.theme;
    }
    match settings.themes.find(&settings.themes.current) {
        Some(theme) => {
            let look = theme.look(settings.look.palette());
            if settings.look != look {
                settings.look = look;
                news.push(format!("theme {}", settings.themes.current));
            }
        }
        None if named => faults.push(format!(
            "Cannot find theme `{}`: look unchanged",
            visible(&settings.themes.current)
        )),
        None => {}
    }
    // A problem that was shown the last time and remains is not shown again.
    let before = std::mem::replace(&mut settings.files.problems, faults);
    let fresh: Vec<String> = settings
        .files
        .problems
        .iter()
        .filter(|problem| !before.contains(problem))
        .cloned()
        .collect();
    for problem in &fresh {
        model.log.add(Line::Problem(problem.clone()));
    }
    let is_fixed = before
        .iter()
        .any(|problem| !settings.files.problems.contains(problem));
    match fresh.as_slice() {
        [] if news.is_empty() && !is_fixed => {}
        [] if news.is_empty() => match settings.files.problems.last().cloned() {
            Some(left) => model.complain(format!("Reloaded, still wrong: {left}")),
            None => model.set_status("Reloaded, problem fixed"),
        },
        [] => model.set_status(format!("Reloaded: {}", news.join(", "))),
        [one] => model.complain(one.clone()),
        [first, ..] => model.complain(format!("{} problems, see the log: {first}", fresh.len())),
    }
    afresh(model);
}

/// Sends changed failure settings to the run, key by key, and returns the keys. A setting that was
/// changed in the run stays unless the files changed it.
fn configure(model: &mut Model, policy: Vec<(String, String)>, out: &mut Vec<Out>) -> Vec<String> {
    if policy.is_empty() {
        return Vec::new();
    }
    let before = std::mem::replace(&mut model.settings.files.policy, policy.clone());
    // The first settings from the files are already in effect.
    if before.is_empty() || model.settings.is_recorded() {
        return Vec::new();
    }
    // A value that the run already has is not sent again.
    let recorded = model.run.state.settings.resilience.as_ref();
    let recorded = recorded.and_then(|one| Policy::recorded(&one.policy));
    let set = recorded.map(|policy| policy.values()).unwrap_or_default();
    let changed = policy
        .into_iter()
        .filter(|one| !before.contains(one) && !set.contains(one));
    let mut keys = Vec::new();
    for (key, value) in changed {
        keys.push(key.clone());
        let (key, value) = (key.into(), value.into());
        let command = ResilienceCommand::Configure { key, value };
        send(model, Command::Resilience(command), None, out);
    }
    keys
}

/// Invalidates everything that shows keys.
fn afresh(model: &mut Model) {
    model.inspector.made = None;
    for surface in model.stack.iter_mut() {
        surface.renew();
    }
}

/// Draws the current theme on the background that the terminal named.
pub(crate) fn background(model: &mut Model, background: [u8; 3]) {
    let settings = &mut model.settings;
    let palette = Palette {
        background: Some(background),
        ..settings.look.palette()
    };
    let Some(theme) = settings.themes.find(&settings.themes.current) else {
        return;
    };
    settings.look = theme.look(palette);
    if settings.themes.before.take().is_some() {
        theme::try_on(model);
    }
}
